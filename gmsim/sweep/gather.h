/* SPDX-License-Identifier: BSD-3-Clause */
/** Collects the results of all runs of a sweep in two CSV files. */
#ifndef SWEEP_GATHER_H
#define SWEEP_GATHER_H

#include <stdio.h>

#include "sweep/state.h"

/** Called for each run that has no complete results, in order.
 *  @param [in] why  of a failed one; of an open one: NULL */
typedef void gms_sweep_problem_fn(void *context, uint64_t run, const char *why);
/** Called for each result that is a number wherever it is, at each point that has
 *  a run that is done; all points of a result, then those of the next.
 *  @param [in] point  its first run
 *  @param [in] half   of the 95 % interval; 0 of one run */
typedef void gms_sweep_mean_fn(void *context, size_t result, uint64_t point,
                               double mean, double half);

/** Who is told of what. */
typedef struct gms_sweep_listener {
    gms_sweep_problem_fn *problem;
    gms_sweep_mean_fn *mean; /* NULL: nobody wants to know */
    void *context;
} gms_sweep_listener_t;

typedef struct gms_sweep_count {
    uint64_t done, failed, open;
    uint64_t texts; /* results that are not all numbers: not in the summary */
} gms_sweep_count_t;

/**
 * Write the results that there are.
 *
 * @param [in] csv      one row per run: point, values, seed, results, status
 *                      (done, failed, missing)
 * @param [in] summary  one row per point: values, how many runs are done, and of
 *                      each result the mean, the standard deviation and half of
 *                      the 95 % confidence interval over them (by Student's t;
 *                      the last two of two runs or more). Results that are not
 *                      numbers everywhere are left out.
 * @param [out] count   how many there are of each kind
 * @param [out] error   text
 *
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM: a file cannot be written;
 *         then what was there before still is
 */
gms_status_t gms_sweep_gather(const gms_sweep_t *sweep,
                              const gms_sweep_state_t *state, const char *csv,
                              const char *summary,
                              const gms_sweep_listener_t *listener,
                              gms_sweep_count_t *count,
                              char error[GMS_YAML_ERROR_LEN]);

/** Mean, standard deviation (of a sample) and half of the 95 % interval of
 *  count >= 1 numbers; the last two are not set for one number. */
void gms_sweep_statistics(const double *numbers, size_t count, double *mean_p,
                          double *deviation_p, double *half_p);
/** Write a field of CSV, in quotes if need be. */
void gms_sweep_put_field(FILE *out, const char *text);

#endif
