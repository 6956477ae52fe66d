/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Runs experiments, several at a time, each in its own process.
 *
 * The order and the content of the results depend neither on the number of
 * processes nor on the order in which they finish. The processes, and the
 * processes that they start, end with the caller, for any reason that ends the
 * caller.
 */
#ifndef EXPERIMENTS_POOL_H
#define EXPERIMENTS_POOL_H

#include "experiments/result.h"

/** Called at least every 0.1 s. */
typedef void gms_pool_progress_fn(void *context, const gms_result_t *results,
                                  size_t count);
/** Called for every result in order, as soon as it and all results before it
 *  are complete. */
typedef void gms_pool_done_fn(void *context, const gms_result_t *result);

/**
 * Run the experiments.
 *
 * @param [in,out] results  count of them; the caller zeroes all fields except
 *   .experiment. A result with a state other than WAITING is skipped.
 * @param [in] jobs         maximum number of processes at a time, at least 1
 * @param [in] progress     may be NULL
 *
 * @return GMS_OK            independent of the findings
 * @return GMS_ERR_SYSTEM    no process or pipe, with errno set
 * @return GMS_ERR_NO_MEMORY
 */
gms_status_t gms_pool_run(gms_result_t *results, size_t count, unsigned jobs,
                          const gms_references_t *references,
                          gms_pool_progress_fn *progress,
                          gms_pool_done_fn *done, void *context);

#endif
