/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Runs the benchmark programs as real processes on a simulated cluster, and
 * reads the CSV that rank 0 prints.
 *
 * GM programs are started directly, MPI programs by mpirun. Programs and mpirun
 * are searched in the directory of the running program, then in the stage of
 * the build to which it belongs, then in PATH. The processes end with the
 * running program, and no file remains: the cluster description exists only in
 * memory.
 */
#ifndef EXPERIMENTS_RANKS_H
#define EXPERIMENTS_RANKS_H

#include "experiments/experiment.h"

/** Most columns that a reader can ask for, and arguments of a program. */
#define GMS_RANKS_MAX_COLUMNS   9
#define GMS_RANKS_MAX_ARGUMENTS 32
/** Most processes of a GM program. */
#define GMS_RANKS_MAX 16u

typedef struct gms_ranks_job {
    const char *program; /* "gm-bandwidth" */
    unsigned ranks;
    int is_mpi;
    const char *cluster;          /* description, YAML; NULL: the default */
    const char *const *arguments; /* ends with NULL */
    const char *const *columns;   /* wanted, by name; ends with NULL */
} gms_ranks_job_t;

/** A row of the CSV: the cells of the columns wanted, in that order. */
typedef void gms_ranks_row_fn(void *context, char *const *cells);

/**
 * Run a program to its end.
 *
 * @return GMS_OK
 * @return GMS_ERR_NOT_FOUND  no such program, or its CSV lacks a column
 * @return GMS_ERR_SYSTEM     it could not be started, or failed
 * In both cases gms_lab_fail() has been called.
 */
gms_status_t gms_ranks_run(gms_lab_t *lab, const gms_ranks_job_t *job,
                           gms_ranks_row_fn *row, void *context);

/** 1 if there are an mpirun and MPI programs to start. */
int gms_ranks_have_mpi(void);

#endif
