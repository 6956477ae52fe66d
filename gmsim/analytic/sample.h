/* SPDX-License-Identifier: BSD-3-Clause */
/** Draws random times with a given mean and squared coefficient of
 *  variation. */
#ifndef ANALYTIC_SAMPLE_H
#define ANALYTIC_SAMPLE_H

#include "base/random.h"
#include "base/time.h"

/** Distribution of a time, determined by its SCV. If the SCV is 0, the time is
 *  constant. If the SCV is below 1, the distribution is a mixture of two Erlang
 *  distributions whose numbers of phases differ by 1. If the SCV is 1, the
 *  distribution is exponential. If the SCV is above 1, the time is one of two
 *  exponential phases with balanced means. [source: Tijms 1994, "Stochastic
 *  Models", appendix B] */
typedef struct gms_sample {
    /* number of Erlang phases; 0: constant; 1: exponential */
    unsigned phases;
    /* probability that the time has `phases' - 1 phases; if is_two is set,
     * probability of the first phase */
    double split;
    double mean_ps[2]; /* mean duration of a phase */
    gms_time_t constant_ps;
    int is_two; /* 1: the distribution is a choice between two exponential
                 * phases */
    gms_random_t random;
} gms_sample_t;

/** Set the distribution and the random stream. SCVs below 1/1000 are treated as
 *  0.
 *  @param [in] mean_ps above 0 */
void gms_sample_init(gms_sample_t *sample, double mean_ps, double scv,
                     uint64_t seed, uint64_t stream);
gms_time_t gms_sample_draw_slow(gms_sample_t *sample);

static inline gms_time_t gms_sample_draw(gms_sample_t *sample)
{
    return (sample->phases == 0) ? sample->constant_ps
                                 : gms_sample_draw_slow(sample);
}

#endif
