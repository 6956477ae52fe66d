/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws service and interarrival times. The squared coefficient of variation
 * (SCV) determines the distribution. The time is constant if the SCV is 0. If
 * the SCV is below 1, the distribution is a mixture of two Erlang
 * distributions. If the SCV is 1, the distribution is exponential. If the SCV
 * is above 1, the distribution is hyperexponential with two branches.
 */
#include "analytic/sample.h"

#include <math.h>
#include <string.h>

#define GMS_SAMPLE_LEAST_SCV 0.001

static void gms_sample_init_erlang(gms_sample_t *sample, double mean_ps,
                                   double scv)
{
    double k = ceil(1 / scv), p;

    /* with probability p, a time has k - 1 phases; otherwise it has k phases */
    p = (k * scv - sqrt(k * (1 + scv) - k * k * scv)) / (1 + scv);
    sample->phases = (unsigned)k;
    sample->split = p;
    sample->mean_ps[0] = mean_ps / (k - p);
}

void gms_sample_init(gms_sample_t *sample, double mean_ps, double scv,
                     uint64_t seed, uint64_t stream)
{
    memset(sample, 0, sizeof(*sample));
    gms_random_init(&sample->random, seed, stream);
    sample->constant_ps = (gms_time_t)(mean_ps + 0.5);
    sample->mean_ps[0] = mean_ps;
    if (scv < GMS_SAMPLE_LEAST_SCV) {
        return;
    }
    if (scv > 1) {
        double p = (1 + sqrt((scv - 1) / (scv + 1))) / 2;

        sample->is_two = 1;
        sample->phases = 1;
        sample->split = p;
        sample->mean_ps[0] = mean_ps / (2 * p);
        sample->mean_ps[1] = mean_ps / (2 * (1 - p));
    } else if (scv < 1) {
        gms_sample_init_erlang(sample, mean_ps, scv);
    } else {
        sample->phases = 1;
    }
}

gms_time_t gms_sample_draw_slow(gms_sample_t *sample)
{
    double product = 1;
    unsigned phases = sample->phases, i;

    if (sample->is_two) {
        unsigned which = gms_random_unit(&sample->random) > sample->split;

        return gms_random_exponential_ps(&sample->random,
                                         sample->mean_ps[which]);
    }
    if (phases > 1 && gms_random_unit(&sample->random) <= sample->split) {
        --phases;
    }
    if (phases == 1) {
        return gms_random_exponential_ps(&sample->random, sample->mean_ps[0]);
    }
    {
        double sum = 0;

        /* compute a single logarithm for the product of up to 16 numbers; this
         * product cannot underflow */
        for (i = 0; i < phases; ++i) {
            product *= gms_random_unit(&sample->random);
            if (i % 16 == 15) {
                sum -= log(product);
                product = 1;
            }
        }
        sum -= log(product);
        return 1 + (gms_time_t)(sum * sample->mean_ps[0]);
    }
}
