/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Provides seeded random streams (xoshiro256**, seeded by splitmix64). Every
 * part of the program that draws random numbers has its own stream. If one part
 * draws more numbers, the numbers of the other parts do not change.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

typedef struct gms_random {
    uint64_t state[4];
} gms_random_t;

/** Initialise the stream with number `stream` of a seed. The seed and the
 *  number of the stream may have any value. */
void gms_random_init(gms_random_t *random, uint64_t seed, uint64_t stream);
/** Draw 64 uniform bits. */
uint64_t gms_random_u64(gms_random_t *random);
/** Draw an unbiased uniform number in [0, bound); bound > 0. */
uint64_t gms_random_below(gms_random_t *random, uint64_t bound);
/** Draw a uniform number in (0, 1]. */
double gms_random_unit(gms_random_t *random);
/** Draw from the exponential distribution with the given mean, rounded to
 *  picoseconds, at least 1. */
uint64_t gms_random_exponential_ps(gms_random_t *random, double mean_ps);

#endif
