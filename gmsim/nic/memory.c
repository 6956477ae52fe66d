/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/memory.h"

#define GMS_MEMORY_FIRST_CAPACITY 64u

/* Pages of one group lie in one line of the cache: a message's packets go to one
 * page after the other. */
#define GMS_MEMORY_GROUP_BITS 2u

static uint64_t gms_memory_hash(uint64_t number)
{
    uint64_t group = number >> GMS_MEMORY_GROUP_BITS;
    uint64_t within = number & ((1u << GMS_MEMORY_GROUP_BITS) - 1);

    /* Fibonacci hashing: neighbouring groups spread over the whole table. */
    return (group * UINT64_C(0x9e3779b97f4a7c15)) >> 20
               << GMS_MEMORY_GROUP_BITS |
           within;
}

/* The page's slot, or the empty one where it would go. */
static gms_page_t *gms_memory_slot(const gms_page_table_t *table,
                                   uint64_t number)
{
    uint64_t mask = table->capacity - 1;
    uint64_t i = gms_memory_hash(number) & mask;

    while (table->slots[i].count != 0 && table->slots[i].number != number) {
        i = (i + 1) & mask;
    }
    return &table->slots[i];
}

/* At most half full afterwards, so that probes stay short. */
static gms_status_t gms_memory_reserve(gms_arena_t *arena,
                                       gms_page_table_t *table, uint64_t used)
{
    gms_page_table_t larger = {.capacity = table->capacity,
                               .used = table->used};
    uint64_t i;

    if (larger.capacity == 0) {
        larger.capacity = GMS_MEMORY_FIRST_CAPACITY;
    }
    while (larger.capacity < 2 * used) {
        larger.capacity *= 2;
    }
    if (larger.capacity == table->capacity) {
        return GMS_OK;
    }
    larger.slots = gms_arena_alloc(arena, larger.capacity * sizeof(gms_page_t));
    if (larger.slots == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < table->capacity; ++i) {
        if (table->slots[i].count != 0) {
            *gms_memory_slot(&larger, table->slots[i].number) = table->slots[i];
        }
    }
    gms_arena_free(arena, table->slots);
    *table = larger;
    return GMS_OK;
}

/* First page and number of pages; 0 pages for an empty range, -1 for one that
 * wraps around. */
static int gms_memory_range(uint64_t address, uint64_t bytes, uint64_t *first_p,
                            uint64_t *pages_p)
{
    if (bytes > UINT64_MAX - address) {
        return -1;
    }
    *first_p = address / GMS_PAGE_BYTES;
    *pages_p =
        bytes == 0 ? 0 : (address + bytes - 1) / GMS_PAGE_BYTES - *first_p + 1;
    return 0;
}

gms_status_t gms_memory_add(gms_arena_t *arena, gms_page_table_t *table,
                            uint64_t address, uint64_t bytes)
{
    uint64_t first, pages, i;
    gms_status_t status;

    if (gms_memory_range(address, bytes, &first, &pages) != 0) {
        return GMS_ERR_INVALID_PARAM;
    }
    if (pages > GMS_ARENA_MAX_BYTES / sizeof(gms_page_t)) {
        return GMS_ERR_NO_MEMORY;
    }
    status = gms_memory_reserve(arena, table, table->used + pages);
    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < pages; ++i) {
        gms_page_t *page = gms_memory_slot(table, first + i);

        if (page->count == 0) {
            page->number = first + i;
            ++table->used;
        }
        ++page->count;
    }
    return GMS_OK;
}

/* Close the gap at an emptied slot: entries that probed past it move up. */
static void gms_memory_close_gap(gms_page_table_t *table, uint64_t gap)
{
    uint64_t mask = table->capacity - 1;
    uint64_t i = gap;

    for (;;) {
        uint64_t home;

        i = (i + 1) & mask;
        if (table->slots[i].count == 0) {
            break;
        }
        home = gms_memory_hash(table->slots[i].number) & mask;
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            table->slots[gap] = table->slots[i];
            gap = i;
        }
    }
    table->slots[gap].count = 0;
}

gms_status_t gms_memory_remove(gms_page_table_t *table, uint64_t address,
                               uint64_t bytes)
{
    uint64_t first, pages, i;

    if (!gms_memory_contains(table, address, bytes) ||
        gms_memory_range(address, bytes, &first, &pages) != 0) {
        return GMS_ERR_NOT_FOUND;
    }
    for (i = 0; i < pages; ++i) {
        gms_page_t *page = gms_memory_slot(table, first + i);

        if (--page->count == 0) {
            --table->used;
            gms_memory_close_gap(table, (uint64_t)(page - table->slots));
        }
    }
    return GMS_OK;
}

int gms_memory_contains(const gms_page_table_t *table, uint64_t address,
                        uint64_t bytes)
{
    uint64_t first, pages, i;

    if (gms_memory_range(address, bytes, &first, &pages) != 0) {
        return 0;
    }
    if (pages > table->used) {
        return 0;
    }
    for (i = 0; i < pages; ++i) {
        if (gms_memory_slot(table, first + i)->count == 0) {
            return 0;
        }
    }
    return 1;
}

void gms_memory_clear(gms_arena_t *arena, gms_page_table_t *table)
{
    gms_arena_free(arena, table->slots);
    *table = (gms_page_table_t){0};
}
