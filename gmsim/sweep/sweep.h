/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * A sweep runs one command line for each combination of values of a grid, and
 * for several seeds per combination. A YAML file describes the sweep:
 *
 *     command: mpirun -n 2 mpi-bandwidth --csv --min {size} --max {size}
 *     cluster: base.yaml          (relative to the directory of the sweep's file)
 *     set:
 *       scheduler: "{scheduler}"
 *     grid:
 *       scheduler: [rate, message-rr]
 *       size: {from: 64, to: 4096, factor: 4}
 *     together:                   (lists that advance in step)
 *       rows: [2, 4]
 *       columns: [2, 8]
 *     repetitions: 3
 *     results:
 *       rate: {column: bandwidth}
 *
 * A point is a combination of values, and a run is a point with a seed. Points
 * and runs are in the order of the file. Runs of the same point with different
 * seeds are consecutive. From one point to the next, the value of the last name
 * changes fastest. The program numbers runs from 0, but users see the numbers
 * of points, which begin at 1.
 */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/cluster.h"

/** Maximum number of runs of a sweep, and maximum number of values of a
 *  name. */
#define GMS_SWEEP_RUNS_MAX   UINT64_C(1000000)
#define GMS_SWEEP_VALUES_MAX 100000u
/** Maximum length of the name of a value or result. */
#define GMS_SWEEP_NAME_LEN 64
/** Maximum number of columns whose values select a CSV row. */
#define GMS_SWEEP_WHERE 4

/** A name and its values. */
typedef struct gms_sweep_variable {
    const char *name;
    size_t line; /* line of the definition in the sweep file */
    const char **values;
    size_t count;  /* the same number for all names on an axis */
    unsigned axis; /* names on the same axis change their values together */
    int is_used;   /* 1 if the command or a setting uses the name */
} gms_sweep_variable_t;

/** A parameter of the cluster and its value, which may contain {NAME}. */
typedef struct gms_sweep_setting {
    const char *name, *value;
    size_t line;
} gms_sweep_setting_t;

/** Sources from which results are extracted. */
typedef enum gms_sweep_source {
    GMS_SWEEP_COLUMN = 0, /* a column of CSV output on stdout */
    GMS_SWEEP_LINE,       /* the last non-empty line */
    GMS_SWEEP_REGEX,      /* the last match of the regular expression */
    GMS_SWEEP_RECORD      /* a member of the file record.json in the record */
} gms_sweep_source_t;

typedef struct gms_sweep_result {
    const char *name;
    gms_sweep_source_t source;
    const char *what; /* column, regular expression, or path in the record */
    struct {
        const char *column, *value;
        /* conditions for a row; the result is in the last row that meets all
         * conditions */
    } where[GMS_SWEEP_WHERE];
    size_t where_count;
    uint64_t word;   /* number of the word in the line, counting from 1, or 0
                      * for the whole line */
    int is_stderr;   /* 1 if the regular expression is applied to stderr */
    int is_optional; /* 1 if the value may be absent from the output and is then
                      * empty (for the default result) */
} gms_sweep_result_t;

typedef struct gms_sweep {
    const char *path; /* path of the file as specified by the user; owned by the
                       * caller */
    const char *command;
    size_t command_line;
    const char *cluster; /* path of the base description, or NULL */
    /* text of the cluster description; "" for the default cluster */
    const char *base;
    gms_sweep_variable_t *variables;
    size_t variable_count;
    unsigned axes;
    gms_sweep_setting_t *settings;
    size_t setting_count;
    gms_sweep_result_t *results;
    size_t result_count;
    uint64_t repetitions, timeout_s, cores; /* 0 if there is no time limit */
    int is_recorded;
    const char *slurm; /* options for sbatch; "": no options */
    uint64_t points, runs;
    char **texts; /* list of all allocated strings */
    size_t text_count;
} gms_sweep_t;

/**
 * Reads and checks a sweep file.
 *
 * @param [in] fallback base description if the file does not name one; NULL:
 *             the default cluster
 * @param [out] sweep release it with gms_sweep_clear(); unchanged after an
 *   error
 * @param [out] error in the format of gms_cluster_load(), one line per error
 * @return GMS_OK, GMS_ERR_CONFIG
 */
gms_status_t gms_sweep_load(const char *path, const char *fallback,
                            gms_sweep_t *sweep, char error[GMS_YAML_ERROR_LEN]);
void gms_sweep_clear(gms_sweep_t *sweep);

/** Copies a string. The copy is valid until the sweep is released.
 *  @return NULL if memory is exhausted */
const char *gms_sweep_keep(gms_sweep_t *sweep, const char *text);

/* ---- grid.c ---- */

/** Returns the value of a variable in a run. Runs are counted from 0. */
const char *gms_sweep_value(const gms_sweep_t *sweep,
                            const gms_sweep_variable_t *variable, uint64_t run);
/** Returns the seed of a run: 1..repetitions. */
uint64_t gms_sweep_seed(const gms_sweep_t *sweep, uint64_t run);

/** Computes the values of a range: from, from + step, .. up to and including
 *  `to`, or from, from * factor, .. Sums are computed in decimal arithmetic:
 *  0.1, 0.2, 0.3, not 0.30000000000000004.
 *  @param [out] values_p list of strings; the caller frees the strings and the
 *    list
 *  @return NULL, or the error followed by "; allowed: .." */
const char *gms_sweep_range(const char *from, const char *to, const char *step,
                            const char *factor, char ***values_p,
                            size_t *count_p);

#endif
