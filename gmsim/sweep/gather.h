/* SPDX-License-Identifier: BSD-3-Clause */
/** Collects the results of all runs of a sweep and writes them to two CSV
 *  files. */
#ifndef SWEEP_GATHER_H
#define SWEEP_GATHER_H

#include <stdio.h>

#include "sweep/state.h"

/** Receives a run that does not have all results. The function is called for
 *  these runs in ascending order.
 *  @param [in] why reason for the failure; NULL if the run has not finished */
typedef void gms_sweep_problem_fn(void *context, uint64_t run, const char *why);
/** Receives the mean of a result at one point. The function is called for each
 *  result whose values are all numbers, and for each point with a finished run.
 *  The function is called for all points of one result before the next result.
 *  @param [in] point the first run of the point
 *  @param [in] half half width of the 95 % interval; 0 if the point has one
 *    run */
typedef void gms_sweep_mean_fn(void *context, size_t result, uint64_t point,
                               double mean, double half);

/** Callbacks of gms_sweep_gather(). */
typedef struct gms_sweep_listener {
    gms_sweep_problem_fn *problem;
    gms_sweep_mean_fn *mean; /* NULL if the caller does not need this
                              * callback */
    void *context;
} gms_sweep_listener_t;

typedef struct gms_sweep_count {
    uint64_t done, failed, open;
    /* number of results that the summary omits because some values are not
     * numbers */
    uint64_t texts;
} gms_sweep_count_t;

/**
 * Writes the results that are available so far.
 *
 * @param [in] csv one row per run: point, values, seed, results, status (done,
 *             failed, missing)
 * @param [in] summary one row per point: values, the number of finished runs,
 *             and three columns per result. These are the mean, the standard
 *             deviation and the half width of the 95 % confidence interval
 *             (with Student's t). The standard deviation and the interval
 *             require at least two runs. Results with values that are not
 *             numbers are omitted.
 * @param [out] count number of runs with each status
 * @param [out] error explanation of an error
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM: a file cannot be written,
 *         and its previous content is unchanged
 */
gms_status_t gms_sweep_gather(const gms_sweep_t *sweep,
                              const gms_sweep_state_t *state, const char *csv,
                              const char *summary,
                              const gms_sweep_listener_t *listener,
                              gms_sweep_count_t *count,
                              char error[GMS_YAML_ERROR_LEN]);

/** Computes the mean, the standard deviation (of a sample) and the half width
 *  of the 95 % interval of count >= 1 numbers. For one number, the deviation
 *  and the interval remain unset. */
void gms_sweep_statistics(const double *numbers, size_t count, double *mean_p,
                          double *deviation_p, double *half_p);
/** Writes a CSV field, in quotes if necessary. */
void gms_sweep_put_field(FILE *out, const char *text);

#endif
