/* SPDX-License-Identifier: BSD-3-Clause */
/** Random times with a given mean and squared coefficient of variation. */
#ifndef ANALYTIC_SAMPLE_H
#define ANALYTIC_SAMPLE_H

#include "base/random.h"
#include "base/time.h"

/** Distribution of a time, chosen by its SCV. 0: constant. Below 1: a mixture
 *  of two Erlang distributions with neighbouring numbers of phases. 1:
 *  exponential. Above 1: two exponential phases with balanced means. [source:
 *  Tijms 1994, "Stochastic Models", appendix B] */
typedef struct gms_sample {
    unsigned phases;   /* phases of Erlang; 0: constant; 1: one exponential */
    double split;      /* probability of one phase less, or of the first of
                        * two exponential phases */
    double mean_ps[2]; /* mean duration of a phase */
    gms_time_t constant_ps;
    int is_two; /* two exponential phases */
    gms_random_t random;
} gms_sample_t;

/** @param [in] mean_ps above 0; SCVs below 1/1000 are treated as constant */
void gms_sample_init(gms_sample_t *sample, double mean_ps, double scv,
                     uint64_t seed, uint64_t stream);
gms_time_t gms_sample_draw_slow(gms_sample_t *sample);

static inline gms_time_t gms_sample_draw(gms_sample_t *sample)
{
    return (sample->phases == 0) ? sample->constant_ps
                                 : gms_sample_draw_slow(sample);
}

#endif
