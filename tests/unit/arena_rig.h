/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates arenas that are nearly full, for tests of exhausted memory. */
#ifndef TESTS_UNIT_ARENA_RIG_H
#define TESTS_UNIT_ARENA_RIG_H

#include "engine/arena.h"
#include "unit.h"

/* Return an arena of `mib` MiB that is filled with blocks of `block` bytes, so
 * that at most `left` bytes are free. */
static inline gms_arena_t *arena_with(unsigned mib, uint64_t left, size_t block)
{
    gms_arena_t *arena = NULL;
    uint64_t used, total;

    CU_ASSERT_EQUAL_FATAL(gms_arena_create_private((uint64_t)mib << 20, &arena),
                          GMS_OK);
    gms_arena_usage(arena, &used, &total);
    while (total - used > left && gms_arena_alloc(arena, block) != NULL) {
        gms_arena_usage(arena, &used, &total);
    }
    return arena;
}

static inline uint64_t arena_used(gms_arena_t *arena)
{
    uint64_t used, total;

    gms_arena_usage(arena, &used, &total);
    return used;
}

#endif
