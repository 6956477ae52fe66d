/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers and deregisters ranges of pages, and checks whether ranges are
 * registered. Adjacent pages share a cache line of the table, because the
 * packets of a message use consecutive pages.
 */
#include "nic/memory.h"

#include "base/hash.h"

#define GMS_MEMORY_FIRST_CAPACITY 64u

/* Number of pages per group, as a power of two. A group occupies one cache
 * line, because the packets of a message use consecutive pages. */
#define GMS_MEMORY_GROUP_BITS 2u

static uint64_t gms_memory_hash(uint64_t number)
{
    uint64_t group = number >> GMS_MEMORY_GROUP_BITS;
    uint64_t within = number & ((1u << GMS_MEMORY_GROUP_BITS) - 1);

    /* The hash function spreads adjacent groups over the whole table. */
    return (group * GMS_HASH_FIBONACCI) >> 20 << GMS_MEMORY_GROUP_BITS | within;
}

static int gms_memory_is_free(const gms_page_t *page)
{
    return page->count == 0;
}

static int gms_memory_is_page(const gms_page_table_t *table,
                              const gms_page_t *page, uint64_t hash,
                              uint64_t number)
{
    (void)table;
    (void)hash;
    return page->number == number;
}

static uint64_t gms_memory_hash_of(const gms_page_t *page)
{
    return gms_memory_hash(page->number);
}

GMS_HASH_DEFINE(gms_memory_pages, gms_page_t, const gms_page_table_t *,
                uint64_t, gms_memory_is_free, gms_memory_is_page,
                gms_memory_hash_of);

/* Return the slot of a page, or the empty slot into which the page would be
 * inserted. */
static gms_page_t *gms_memory_slot(const gms_page_table_t *table,
                                   uint64_t number)
{
    return &table->slots[gms_memory_pages_find(
        table, table->slots, table->capacity - 1, gms_memory_hash(number),
        number)];
}

/* Enlarge the table if the table would otherwise be more than half full with
 * this number of pages. This limit keeps probe sequences short. */
static gms_status_t gms_memory_reserve(gms_arena_t *arena,
                                       gms_page_table_t *table, uint64_t used)
{
    gms_page_table_t larger = {.capacity = table->capacity,
                               .used = table->used};

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
    gms_memory_pages_move(table->slots, table->capacity, larger.slots,
                          larger.capacity - 1);
    gms_arena_free(arena, table->slots);
    *table = larger;
    return GMS_OK;
}

/* Compute the first page of a range and its number of pages, which is 0 for an
 * empty range.
 * @return 0, or -1 if the range wraps around */
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
    gms_ranges_add(&table->recent, first, first + pages);
    return GMS_OK;
}

gms_status_t gms_memory_remove(gms_page_table_t *table, uint64_t address,
                               uint64_t bytes)
{
    uint64_t first, pages, i;
    size_t at;

    if (!gms_memory_contains(table, address, bytes) ||
        gms_memory_range(address, bytes, &first, &pages) != 0) {
        return GMS_ERR_NOT_FOUND;
    }
    for (i = 0; i < pages; ++i) {
        gms_page_t *page = gms_memory_slot(table, first + i);

        if (--page->count == 0) {
            --table->used;
            gms_ranges_forget(&table->recent, first + i);
            at = gms_memory_pages_remove(table->slots, table->capacity - 1,
                                         (size_t)(page - table->slots));
            table->slots[at].count = 0;
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
    if (gms_ranges_contain(&table->recent, first, first + pages)) {
        return 1;
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
