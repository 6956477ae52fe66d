/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements GM's random numbers. Each process has one stream, which gm_srand()
 * seeds. This stream is separate from the streams of the simulation, because a
 * program's random numbers must not change the simulation.
 */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "base/random.h"
#include "gm.h"

/* GM's calls have no argument for a stream, so the process has only one stream.
 * The stream is the same in every process and run until the program calls
 * gm_srand(). The stream is separate from the simulation's streams, so a
 * program that draws numbers does not change the simulation. [assumed: initial
 * seed 1, as for srand()] */
static pthread_mutex_t gms_rand_lock = PTHREAD_MUTEX_INITIALIZER;
static gms_random_t gms_rand_stream;
static int gms_rand_is_seeded;

/* Seed the stream. The caller must hold the lock. */
static void gms_rand_seed(int seed)
{
    gms_random_init(&gms_rand_stream, (uint64_t)seed, 0);
    gms_rand_is_seeded = 1;
}

static uint64_t gms_rand_below(uint64_t bound)
{
    uint64_t draw;

    pthread_mutex_lock(&gms_rand_lock);
    if (!gms_rand_is_seeded) {
        gms_rand_seed(1);
    }
    draw = gms_random_below(&gms_rand_stream, bound);
    pthread_mutex_unlock(&gms_rand_lock);
    return draw;
}

void gm_srand(int seed)
{
    pthread_mutex_lock(&gms_rand_lock);
    gms_rand_seed(seed);
    pthread_mutex_unlock(&gms_rand_lock);
}

int gm_rand(void)
{
    return (int)gms_rand_below((uint64_t)INT_MAX + 1);
}

unsigned gm_rand_mod(unsigned modulus)
{
    return modulus > 0 ? (unsigned)gms_rand_below(modulus) : 0;
}
