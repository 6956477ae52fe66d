/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates ping-pongs. For each set of parameters, mpirun starts mpi-pingpong
 * on two simulated hosts; several runs execute at the same time.
 */
#ifndef FIT_RUN_H
#define FIT_RUN_H

#include "fit/free.h"
#include "fit/table.h"
#include "params/profile.h"

/** Length of the buffer for an error message. */
#define GMS_FIT_RUN_ERROR_LEN 1024

typedef struct gms_fit_run_config {
    const gms_profile_t *profile; /* profile whose parameters the base
                                   * changes */
    const gms_params_t *base;
    const gms_fit_frees_t *frees;
    const gms_fit_table_t *table; /* table with the message sizes to measure */
    const char *programs;         /* directory of mpirun and mpi-pingpong */
    unsigned jobs;                /* largest number of simultaneous runs, at
                                   * least 1 */
    /** Called after each run; may be NULL. */
    void (*on_run)(void *context, unsigned runs);
    void *context;
} gms_fit_run_config_t;

typedef struct gms_fit_runner gms_fit_runner_t;

/**
 * Create the temporary directory in which the runs write their files.
 *
 * @param [in]  config  must remain valid until gms_fit_runner_destroy()
 * @param [out] error   the reason, without a prefix
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM, GMS_ERR_NOT_FOUND (the
 *         programs are not installed)
 */
gms_status_t gms_fit_runner_create(const gms_fit_run_config_t *config,
                                   gms_fit_runner_t **runner_p,
                                   char error[GMS_FIT_RUN_ERROR_LEN]);
/** End all runs, and remove the temporary directory. Accepts NULL. */
void gms_fit_runner_destroy(gms_fit_runner_t *runner);

/**
 * Simulate points; see gms_fit_evaluate_fn. The function does not repeat the
 * simulation of points that have been simulated before.
 *
 * @param [in] runner  a gms_fit_runner_t
 * @return GMS_OK; another status with a message in gms_fit_runner_error(): a
 *         run has failed, or a signal was received
 */
gms_status_t gms_fit_runner_evaluate(void *runner, const uint64_t *values,
                                     size_t points, double *us);

const char *gms_fit_runner_error(const gms_fit_runner_t *runner);
/** Return the number of finished runs. */
unsigned gms_fit_runner_runs(const gms_fit_runner_t *runner);
/** Return SIGINT, SIGTERM or SIGHUP if the signal ended the runs; otherwise
 *  0. */
int gms_fit_runner_signal(const gms_fit_runner_t *runner);

#endif
