/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Registered pages of a port, in a hash table with open addressing. The table
 * counts the registrations of each page.
 * [source: GM keeps reference counts per page and port]
 */
#ifndef NIC_MEMORY_H
#define NIC_MEMORY_H

#include <stdint.h>

#include "base/ranges.h"
#include "engine/arena.h"

/** Length of a page (bytes). The length does not depend on the machine that
 *  runs the simulation, because simulated costs must not depend on this
 *  machine. [source: GM_PAGE_LEN on x86] */
#define GMS_PAGE_BYTES UINT64_C(4096)

typedef struct gms_page {
    uint64_t number; /* address / GMS_PAGE_BYTES */
    uint64_t count;  /* 0: the slot is empty */
} gms_page_t;

typedef struct gms_page_table {
    gms_page_t *slots;
    uint64_t capacity; /* a power of two, or 0 */
    uint64_t used;     /* number of registered pages */
    /* The ranges that were registered last. Every packet of a message checks
     * whether its memory is registered, and usually finds this memory here. */
    gms_ranges_t recent;
} gms_page_table_t;

/** Register the pages of a range.
 *  @return GMS_OK
 *  @return GMS_ERR_NO_MEMORY  nothing changed
 *  @return GMS_ERR_INVALID_PARAM  the range wraps around; nothing changed */
gms_status_t gms_memory_add(gms_arena_t *arena, gms_page_table_t *table,
                            uint64_t address, uint64_t bytes);
/** Deregister the pages of a range.
 *  @return GMS_OK
 *  @return GMS_ERR_NOT_FOUND  a page is not registered; nothing changed */
gms_status_t gms_memory_remove(gms_page_table_t *table, uint64_t address,
                               uint64_t bytes);
/** Return 1 if all pages of the range are registered, or the range is empty. */
int gms_memory_contains(const gms_page_table_t *table, uint64_t address,
                        uint64_t bytes);
void gms_memory_clear(gms_arena_t *arena, gms_page_table_t *table);

#endif
