/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the published algorithms xoshiro256** and splitmix64, which
 * initialises the state. [source: Blackman and Vigna 2018, "Scrambled linear
 * pseudorandom number generators"]
 */
#include "base/random.h"

#include <math.h>

static uint64_t gms_random_mix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void gms_random_init(gms_random_t *random, uint64_t seed, uint64_t stream)
{
    uint64_t mix = seed;
    uint64_t offset = stream;
    int i;

    mix = gms_random_mix(&mix) ^ gms_random_mix(&offset);
    for (i = 0; i < 4; ++i) {
        random->state[i] = gms_random_mix(&mix);
    }
}

static uint64_t gms_random_rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

uint64_t gms_random_u64(gms_random_t *random)
{
    uint64_t *s = random->state;
    uint64_t result = gms_random_rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = gms_random_rotate(s[3], 45);
    return result;
}

uint64_t gms_random_below(gms_random_t *random, uint64_t bound)
{
    /* Reject values below 2^64 mod bound, because they would make small results
     * more likely. */
    uint64_t reject = (0 - bound) % bound;
    uint64_t draw;

    do {
        draw = gms_random_u64(random);
    } while (draw < reject);
    return draw % bound;
}

double gms_random_unit(gms_random_t *random)
{
    /* Use a signed number, because its conversion to floating point needs no
     * branch. */
    return (double)(int64_t)((gms_random_u64(random) >> 11) + 1) * 0x1p-53;
}

uint64_t gms_random_exponential_ps(gms_random_t *random, double mean_ps)
{
    double draw = -log(gms_random_unit(random)) * mean_ps;

    return draw < 1.0 ? 1 : (uint64_t)(draw + 0.5);
}
