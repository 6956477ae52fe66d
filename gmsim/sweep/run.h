/* SPDX-License-Identifier: BSD-3-Clause */
/** Executes the runs of a sweep, several at a time. */
#ifndef SWEEP_RUN_H
#define SWEEP_RUN_H

#include "sweep/state.h"

typedef struct gms_sweep_progress {
    uint64_t total;   /* number of runs to execute */
    uint64_t over;    /* number of runs that have ended or have been skipped */
    uint64_t failed;  /* number of runs that have ended and failed */
    unsigned running; /* number of runs that are executing */
} gms_sweep_progress_t;

/** Reports the progress to the caller. The function is called whenever a run
 *  ends, and a few times per second. */
typedef void gms_sweep_progress_fn(void *context,
                                   const gms_sweep_progress_t *progress);

/** Selects the runs to execute: open runs and, if requested, failed runs.
 *  @param [out] runs_p list of runs, which the caller frees
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_sweep_todo(const gms_sweep_t *sweep,
                            const gms_sweep_state_t *state, int with_failed,
                            uint64_t **runs_p, uint64_t *count_p);

/**
 * Executes some runs of a sweep. The function skips runs that another process
 * is executing or has finished in the meantime.
 *
 * @param [in] jobs number of simultaneous runs
 * @param [out] signal_p the received SIGINT, SIGTERM or SIGHUP, or 0; after a
 *              signal, all runs in progress have been stopped and are open
 *              again
 * @param [out] error the error message
 * @return GMS_OK all runs have ended, successfully or not, or a signal was
 *         received
 * @return GMS_ERR_SYSTEM files cannot be written, or processes cannot be
 *         started
 */
gms_status_t gms_sweep_run(const gms_sweep_t *sweep,
                           const gms_sweep_state_t *state, const uint64_t *runs,
                           uint64_t count, unsigned jobs,
                           gms_sweep_progress_fn *progress_fn, void *context,
                           int *signal_p, char error[GMS_YAML_ERROR_LEN]);

#endif
