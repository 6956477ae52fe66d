/* SPDX-License-Identifier: BSD-3-Clause */
/** Collects the results of all runs of a sweep in two CSV files. */
#ifndef SWEEP_GATHER_H
#define SWEEP_GATHER_H

#include <stdio.h>

#include "sweep/state.h"

/** Receives a run without complete results. The function is called for these
 *  runs in order.
 *  @param [in] why the reason for a failure; NULL if the run is not finished */
typedef void gms_sweep_problem_fn(void *context, uint64_t run, const char *why);
/** Receives the mean of a result at a point. The function is called for each
 *  result whose values are all numbers, and for each point with a finished run.
 *  All points of a result precede the points of the next result.
 *  @param [in] point the first run of the point
 *  @param [in] half half of the 95 % interval; 0 for one run */
typedef void gms_sweep_mean_fn(void *context, size_t result, uint64_t point,
                               double mean, double half);

/** Callbacks of gms_sweep_gather(). */
typedef struct gms_sweep_listener {
    gms_sweep_problem_fn *problem;
    gms_sweep_mean_fn *mean; /* NULL: not needed */
    void *context;
} gms_sweep_listener_t;

typedef struct gms_sweep_count {
    uint64_t done, failed, open;
    /* number of results that the summary omits because some of their values are
     * not numbers */
    uint64_t texts;
} gms_sweep_count_t;

/**
 * Writes the available results.
 *
 * @param [in] csv one row per run: point, values, seed, results, status (done,
 *             failed, missing)
 * @param [in] summary one row per point: values, the number of finished runs,
 *             and three columns per result. These are the mean, the standard
 *             deviation and half of the 95 % confidence interval (with
 *             Student's t). The standard deviation and the interval require two
 *             runs or more. Results that have values other than numbers are
 *             left out.
 * @param [out] count number of runs of each kind
 * @param [out] error the message
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM: a file cannot be written;
 *         its previous content is then unchanged
 */
gms_status_t gms_sweep_gather(const gms_sweep_t *sweep,
                              const gms_sweep_state_t *state, const char *csv,
                              const char *summary,
                              const gms_sweep_listener_t *listener,
                              gms_sweep_count_t *count,
                              char error[GMS_YAML_ERROR_LEN]);

/** Computes the mean, the standard deviation (of a sample) and half of the 95 %
 *  interval of count >= 1 numbers. The deviation and the interval are not set
 *  for one number. */
void gms_sweep_statistics(const double *numbers, size_t count, double *mean_p,
                          double *deviation_p, double *half_p);
/** Writes a field of CSV, in quotes if necessary. */
void gms_sweep_put_field(FILE *out, const char *text);

#endif
