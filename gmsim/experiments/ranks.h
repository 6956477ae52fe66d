/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Runs the benchmark programs as real processes on a simulated cluster, and
 * reads the CSV that rank 0 prints.
 *
 * GM programs are started directly; MPI programs are started by mpirun. The
 * search for a program or mpirun begins in the directory of the running
 * program, and continues in the stage directory of its build and in PATH. When
 * the running program ends, the processes end, too. No file remains on disk,
 * because the cluster description exists only in memory.
 */
#ifndef EXPERIMENTS_RANKS_H
#define EXPERIMENTS_RANKS_H

#include "experiments/experiment.h"

/** Maximum numbers of requested columns and of a program's arguments. */
#define GMS_RANKS_MAX_COLUMNS   9
#define GMS_RANKS_MAX_ARGUMENTS 32
/** Maximum number of processes of a GM program. */
#define GMS_RANKS_MAX 16u

typedef struct gms_ranks_job {
    const char *program; /* name of the program, such as "gm-bandwidth" */
    unsigned ranks;
    int is_mpi;
    /* cluster description in YAML; NULL: the default cluster */
    const char *cluster;
    const char *const *arguments; /* arguments of the program, terminated by
                                   * NULL */
    /* names of the requested columns, terminated by NULL */
    const char *const *columns;
} gms_ranks_job_t;

/** Function that handles a row of the CSV. The row has one cell for each
 *  requested column, in the same order. */
typedef void gms_ranks_row_fn(void *context, char *const *cells);

/**
 * Run a program and wait for its end.
 *
 * @return GMS_OK
 * @return GMS_ERR_NOT_FOUND  the program does not exist, or its CSV lacks a
 *   column
 * @return GMS_ERR_SYSTEM     the program could not be started, or failed
 *
 * In the case of an error, the function has already called gms_lab_fail().
 */
gms_status_t gms_ranks_run(gms_lab_t *lab, const gms_ranks_job_t *job,
                           gms_ranks_row_fn *row, void *context);

/** Return 1 if mpirun and MPI programs are installed. */
int gms_ranks_have_mpi(void);

#endif
