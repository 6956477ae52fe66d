/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the program that runs all ranks in one process, if there is one.
 */
#define _GNU_SOURCE
#include "engine/ranks.h"

#include <dlfcn.h>
#include <stddef.h>

gms_ranks_t *gms_ranks(void)
{
    static gms_ranks_t *ranks;
    static int is_known;

    if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
        ranks = dlsym(RTLD_DEFAULT, GMS_RANKS);
        __atomic_store_n(&is_known, 1, __ATOMIC_RELEASE);
    }
    return ranks;
}
