/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Grows arrays. An array consists of a pointer to its items, their number, and
 * the number of items that fit into the allocated memory.
 */
#ifndef EXPERIMENTS_GROW_H
#define EXPERIMENTS_GROW_H

#include <stddef.h>
#include <stdlib.h>

/** Ensure that an array has room for count + 1 items. @return the array; NULL
 *  if memory is exhausted, in which case the old array is unchanged */
static inline void *gms_grow(void *items, size_t count, size_t *room,
                             size_t item_bytes)
{
    size_t more;
    void *grown;

    if (count < *room) {
        return items;
    }
    more = (*room == 0) ? 16 : 2 * *room;
    grown = realloc(items, more * item_bytes);
    if (grown != NULL) {
        *room = more;
    }
    return grown;
}

#endif
