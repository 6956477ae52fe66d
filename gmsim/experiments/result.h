/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Stores the findings of an experiment: rows with their references, curves and
 * notes. The findings are built from the records that the experiment's process
 * sends (pool.h). Other files print, store or draw the findings.
 */
#ifndef EXPERIMENTS_RESULT_H
#define EXPERIMENTS_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/experiment.h"
#include "experiments/reference.h"

/* ---- records, from the experiment's process ---- */

enum gms_record_kind {
    GMS_RECORD_ROW = 1,
    GMS_RECORD_CHECK, /* a row whose reference is computed by the experiment
                       * itself */
    GMS_RECORD_POINT,
    GMS_RECORD_LOG,
    GMS_RECORD_NOTE,
    GMS_RECORD_PROGRESS,
    GMS_RECORD_FAILED,
    GMS_RECORD_DONE /* the experiment's run() has returned GMS_OK */
};

typedef struct gms_record {
    uint32_t kind;                  /* enum gms_record_kind */
    uint32_t row_kind;              /* enum gms_row_kind of a check */
    uint32_t seed;                  /* 0: the experiment has only one seed */
    uint32_t basis;                 /* enum gms_row_basis of a row or check */
    char series[GMS_LAB_NAME_LEN];  /* series of a row, curve of a point, or
                                     * flow of a log entry */
    char setting[GMS_LAB_NAME_LEN]; /* setting of a row, or label of a point */
    char quantity[GMS_LAB_NAME_LEN];
    char unit[GMS_LAB_NAME_LEN];
    char text[GMS_LAB_TEXT_LEN]; /* note, or reason for a failure */
    double value;                /* value of a row, y of a point, or completed
                                  * fraction of a seed */
    double x;
    double expected, tolerance_percent; /* used only for a check */
    /* standard error of a row's value; 0: exact */
    double standard_error;
    uint64_t number; /* used only for a log entry */
} gms_record_t;

struct gms_lab {
    int fd;         /* write end of the pipe of records */
    unsigned seed;  /* seed of the next records; 0: there is only one seed */
    unsigned seeds; /* number of seeds; 0: there is only one seed */
    unsigned basis; /* enum gms_row_basis of the next rows */
};

/* ---- results ---- */

typedef struct gms_row {
    const char *series, *setting, *quantity, *unit; /* owned by the result */
    double value;
    double standard_error; /* standard error of the value; 0: exact */
    unsigned seeds; /* number of seeds over which the value is the mean; 0:
                     * there is only one seed */
    double squares; /* sum of the squared deviations of the seeds' values from
                     * the mean */
    unsigned basis; /* enum gms_row_basis */
    int has_reference;
    int is_own; /* 1: the experiment itself has computed the reference */
    enum gms_row_kind kind;
    double reference;
    double tolerance_percent; /* the largest allowed deviation */
    /* (value - reference) / reference; 0 if the reference is 0 */
    double deviation_percent;
    int is_ok; /* 1 if the row passes, or if there is no reference */
    /* page that explains why the row differs from its reference (the result
     * owns the text); NULL: the row is expected to agree */
    const char *known;
    /* source of the reference; NULL if the row has no reference, or if the
     * experiment itself states the expected value */
    const char *source;
} gms_row_t;

typedef struct gms_point {
    double x, y;
    const char *label; /* "": none */
    /* half width of an interval around y, drawn as a bar; 0: no interval */
    double half;
    unsigned seeds; /* number of seeds over which y is the mean; 0: there is
                     * only one seed */
} gms_point_t;

typedef struct gms_curve {
    const char *name;
    gms_point_t *points;
    size_t count, room;
} gms_curve_t;

typedef struct gms_log_entry {
    const char *what;
    uint64_t number;
} gms_log_entry_t;

enum gms_result_state {
    GMS_RESULT_WAITING = 0,
    GMS_RESULT_DONE,
    GMS_RESULT_SKIPPED, /* `text` contains the reason */
    GMS_RESULT_FAILED   /* `text` contains the reason */
};

typedef struct gms_result {
    const gms_experiment_t *experiment;
    enum gms_result_state state;
    char text[GMS_LAB_TEXT_LEN];
    double fraction; /* progress */
    gms_row_t *rows;
    size_t row_count, row_room;
    gms_curve_t *curves;
    size_t curve_count, curve_room;
    char **notes;
    size_t note_count, note_room;
    gms_log_entry_t *log;
    size_t log_count, log_room;
    char **names; /* strings that rows, points and log entries share */
    size_t name_count, name_room;
} gms_result_t;

/** Find the row with these names. The pointer is valid until a row is added.
 *  @return NULL if the result has no such row */
const gms_row_t *gms_result_row(const gms_result_t *result, const char *series,
                                const char *setting, const char *quantity);

/** Add a record. @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_result_take(gms_result_t *result,
                             const gms_references_t *references,
                             const gms_record_t *record);
/** Complete the result after the last record. For every reference without a
 *  row, the function adds a row with the verdict "not ok". @return GMS_OK,
 *  GMS_ERR_NO_MEMORY */
gms_status_t gms_result_complete(gms_result_t *result,
                                 const gms_references_t *references);
/** Result of the comparison of a row with its reference. */
enum gms_row_verdict {
    GMS_VERDICT_NONE = 0, /* the row is not compared */
    GMS_VERDICT_OK,
    GMS_VERDICT_KNOWN, /* the row does not reproduce its reference, and a page
                        * explains the reason */
    GMS_VERDICT_NOT_OK,
    /* the row is listed as not reproducing its reference, but now reproduces
     * it */
    GMS_VERDICT_CHANGED,
    GMS_VERDICT_COUNT
};
enum gms_row_verdict gms_row_verdict(const gms_row_t *row);
/** Return the name of a verdict: "-", "ok", "known", "NOT OK" or "CHANGED". */
const char *gms_row_verdict_name(enum gms_row_verdict verdict);
/** Return the name of a basis: "", "calibrated", "fitted" or "predicted". */
const char *gms_row_basis_name(unsigned basis);
/** Return the half width of the 95 % confidence interval of a row's value; 0 if
 *  the row has fewer than two seeds. */
double gms_row_half_width(const gms_row_t *row);
/** Return the number of rows of a result that have this verdict. */
size_t gms_result_count(const gms_result_t *result,
                        enum gms_row_verdict verdict);
/** Return the number of rows whose verdict is "not ok" or "changed". */
size_t gms_result_bad_rows(const gms_result_t *result);
void gms_result_clear(gms_result_t *result);

/** Return the name of a kind of row: "within", "at_most", "at_least" or
 *  "reported". */
const char *gms_row_kind_name(enum gms_row_kind kind);

/** Write the rows of all results as CSV with a header line. Identical findings
 *  result in identical files. */
void gms_result_write_csv(const gms_result_t *results, size_t count,
                          FILE *file);
/** Print a result as a table. */
void gms_result_print(const gms_result_t *result, FILE *file);
/** Write curves as "curve,x,y,label" and the log as "flow,tick".
 *  @return GMS_OK; GMS_ERR_SYSTEM with errno set */
gms_status_t gms_result_write_data(const gms_result_t *result,
                                   const char *directory);

#endif
