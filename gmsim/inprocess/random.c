/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces functions of the C library that have a hidden state, such as rand(),
 * so that every rank has its own state. The numbers are the same as those of
 * the C library.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "inprocess/libc.h"

/* ---- rand(), random() ---------------------------------------------------- */

static struct random_data *gmi_random(void)
{
    gmi_rank_t *rank = gmi_current;

    if (!rank->has_random) {
        rank->has_random = 1;
        /* the C library begins with this seed, and a state of this size */
        initstate_r(1, rank->random_state, sizeof(rank->random_state),
                    &rank->random);
    }
    return &rank->random;
}

GMI_API long random(void)
{
    GMI_REAL(random)
    int32_t number;

    if (!gmi_is_rank()) {
        return real();
    }
    random_r(gmi_random(), &number);
    return number;
}

GMI_API int rand(void)
{
    return (int)random();
}

GMI_API void srandom(unsigned seed)
{
    GMI_REAL(srandom)

    if (gmi_is_rank()) {
        srandom_r(seed, gmi_random());
    } else {
        real(seed);
    }
}

GMI_API void srand(unsigned seed)
{
    srandom(seed);
}

GMI_API char *initstate(unsigned seed, char *state, size_t bytes)
{
    GMI_REAL(initstate)

    if (!gmi_is_rank()) {
        return real(seed, state, bytes);
    }
    return initstate_r(seed, state, bytes, gmi_random()) == 0
               ? gmi_current->random_state
               : NULL;
}

GMI_API char *setstate(char *state)
{
    GMI_REAL(setstate)

    if (!gmi_is_rank()) {
        return real(state);
    }
    return setstate_r(state, gmi_random()) == 0 ? gmi_current->random_state
                                                : NULL;
}

/* ---- drand48() and related functions ------------------------------------- */

GMI_API double drand48(void)
{
    GMI_REAL(drand48)
    double number;

    if (!gmi_is_rank()) {
        return real();
    }
    drand48_r(&gmi_current->random48, &number);
    return number;
}

GMI_API double erand48(unsigned short state[3])
{
    GMI_REAL(erand48)
    double number;

    if (!gmi_is_rank()) {
        return real(state);
    }
    erand48_r(state, &gmi_current->random48, &number);
    return number;
}

GMI_API long lrand48(void)
{
    GMI_REAL(lrand48)
    long number;

    if (!gmi_is_rank()) {
        return real();
    }
    lrand48_r(&gmi_current->random48, &number);
    return number;
}

GMI_API long nrand48(unsigned short state[3])
{
    GMI_REAL(nrand48)
    long number;

    if (!gmi_is_rank()) {
        return real(state);
    }
    nrand48_r(state, &gmi_current->random48, &number);
    return number;
}

GMI_API long mrand48(void)
{
    GMI_REAL(mrand48)
    long number;

    if (!gmi_is_rank()) {
        return real();
    }
    mrand48_r(&gmi_current->random48, &number);
    return number;
}

GMI_API long jrand48(unsigned short state[3])
{
    GMI_REAL(jrand48)
    long number;

    if (!gmi_is_rank()) {
        return real(state);
    }
    jrand48_r(state, &gmi_current->random48, &number);
    return number;
}

GMI_API void srand48(long seed)
{
    GMI_REAL(srand48)

    if (gmi_is_rank()) {
        srand48_r(seed, &gmi_current->random48);
    } else {
        real(seed);
    }
}

GMI_API unsigned short *seed48(unsigned short seed[3])
{
    GMI_REAL(seed48)

    if (!gmi_is_rank()) {
        return real(seed);
    }
    seed48_r(seed, &gmi_current->random48);
    return gmi_current->random48.__old_x;
}

GMI_API void lcong48(unsigned short parameters[7])
{
    GMI_REAL(lcong48)

    if (gmi_is_rank()) {
        lcong48_r(parameters, &gmi_current->random48);
    } else {
        real(parameters);
    }
}

/* ---- strtok() ------------------------------------------------------------ */

GMI_API char *strtok(char *text, const char *separators)
{
    GMI_REAL(strtok)

    return gmi_is_rank() ? strtok_r(text, separators, &gmi_current->token)
                         : real(text, separators);
}
