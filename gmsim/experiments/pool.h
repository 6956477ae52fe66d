/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Runs several experiments at the same time, each in its own process.
 *
 * The order and the content of the results depend neither on the number of
 * processes nor on the order in which they finish. When the caller ends for any
 * reason, these processes and all processes that they have started end, too.
 */
#ifndef EXPERIMENTS_POOL_H
#define EXPERIMENTS_POOL_H

#include "experiments/result.h"

/** Reports the progress; called at least every 0.1 s. */
typedef void gms_pool_progress_fn(void *context, const gms_result_t *results,
                                  size_t count);
/** Called for every result, in the order of the experiments, as soon as this
 *  result and all earlier results are complete. */
typedef void gms_pool_done_fn(void *context, const gms_result_t *result);

/**
 * Run the experiments.
 *
 * @param [in,out] results array of `count' results. The caller zeroes all
 * fields except .experiment. The function skips a result with a state other
 * than WAITING.
 * @param [in] jobs         maximum number of processes at the same time, at
 *     least 1
 * @param [in] progress     may be NULL
 *
 * @return GMS_OK, whatever the findings of the experiments are
 * @return GMS_ERR_SYSTEM with errno set: a process or pipe could not be created
 * @return GMS_ERR_NO_MEMORY
 */
gms_status_t gms_pool_run(gms_result_t *results, size_t count, unsigned jobs,
                          const gms_references_t *references,
                          gms_pool_progress_fn *progress,
                          gms_pool_done_fn *done, void *context);

#endif
