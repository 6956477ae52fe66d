/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Registered pages of a port: a hash table with open addressing and a count per
 * page.
 * [source: GM keeps reference counts per page and port]
 */
#ifndef NIC_MEMORY_H
#define NIC_MEMORY_H

#include <stdint.h>

#include "engine/arena.h"

/** Pages are this long whatever the machine's are: costs must not depend on
 *  the machine that simulates. [source: GM_PAGE_LEN on x86] */
#define GMS_PAGE_BYTES UINT64_C(4096)

typedef struct gms_page {
    uint64_t number; /* address / GMS_PAGE_BYTES */
    uint64_t count;  /* 0: slot is empty */
} gms_page_t;

typedef struct gms_page_table {
    gms_page_t *slots;
    uint64_t capacity; /* a power of two, or 0 */
    uint64_t used;
} gms_page_table_t;

/** @return GMS_OK; GMS_ERR_NO_MEMORY, GMS_ERR_INVALID_PARAM (wraps around):
 *          nothing changed */
gms_status_t gms_memory_add(gms_arena_t *arena, gms_page_table_t *table,
                            uint64_t address, uint64_t bytes);
/** @return GMS_OK; GMS_ERR_NOT_FOUND if a page is not registered: nothing
 *          changed */
gms_status_t gms_memory_remove(gms_page_table_t *table, uint64_t address,
                               uint64_t bytes);
/** 1 if all pages of the range are registered; an empty range is. */
int gms_memory_contains(const gms_page_table_t *table, uint64_t address,
                        uint64_t bytes);
void gms_memory_clear(gms_arena_t *arena, gms_page_table_t *table);

#endif
