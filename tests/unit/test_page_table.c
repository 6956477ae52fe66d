/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the table of registered pages against a count for each page: partly
 * overlapping ranges, more ranges than the table remembers, and deregistration
 * of a part of a range. */
#include "nic/memory.h"

#include <stdlib.h>
#include <string.h>

#include "arena_rig.h"
#include "base/random.h"
#include "unit.h"

#define FIRST UINT64_C(1000)
#define PAGES 48u
#define STEPS 20000u

static gms_arena_t *arena;
static gms_page_table_t table;

static void begin(void)
{
    arena = arena_with(8, UINT64_C(8) << 20, 64);
    table = (gms_page_table_t){0};
}

static void end(void)
{
    gms_memory_clear(arena, &table);
    gms_arena_destroy_private(arena);
}

static uint64_t address_of(uint64_t page)
{
    return (FIRST + page) * GMS_PAGE_BYTES;
}

static int add(uint64_t page, uint64_t pages)
{
    return gms_memory_add(arena, &table, address_of(page),
                          pages * GMS_PAGE_BYTES) == GMS_OK;
}

static int remove_pages(uint64_t page, uint64_t pages)
{
    return gms_memory_remove(&table, address_of(page),
                             pages * GMS_PAGE_BYTES) == GMS_OK;
}

static int contains(uint64_t page, uint64_t pages)
{
    return gms_memory_contains(&table, address_of(page),
                               pages * GMS_PAGE_BYTES);
}

/* The table forgets a remembered range as soon as one of its pages is no longer
 * registered. */
static void test_part(void)
{
    begin();
    CHECK_U64(add(0, 8), 1);
    CHECK_U64(contains(0, 8), 1);
    CHECK_U64(contains(2, 3), 1);
    CHECK_U64(contains(0, 9), 0);
    CHECK_U64(remove_pages(3, 1), 1);
    CHECK_U64(contains(0, 8), 0);
    CHECK_U64(contains(3, 1), 0);
    CHECK_U64(contains(0, 3), 1);
    CHECK_U64(contains(4, 4), 1);
    CHECK_U64(table.used, 7);
    end();
}

/* A page that was registered twice remains registered after it has been
 * deregistered once. */
static void test_twice(void)
{
    begin();
    CHECK_U64(add(0, 8), 1);
    CHECK_U64(add(4, 8), 1);
    CHECK_U64(table.used, 12);
    CHECK_U64(remove_pages(0, 8), 1);
    CHECK_U64(contains(4, 8), 1);
    CHECK_U64(contains(3, 2), 0);
    CHECK_U64(remove_pages(4, 8), 1);
    CHECK_U64(contains(4, 1), 0);
    CHECK_U64(table.used, 0);
    end();
}

static void test_cleared(void)
{
    begin();
    CHECK_U64(add(0, 8), 1);
    gms_memory_clear(arena, &table);
    CHECK_U64(contains(0, 8), 0);
    CHECK_U64(contains(0, 0), 1);
    end();
}

/* ---- random ranges -------------------------------------------------------- */

static unsigned count[PAGES];

static int is_counted(uint64_t page, uint64_t pages)
{
    uint64_t i;

    for (i = page; i < page + pages; ++i) {
        if (count[i] == 0) {
            return 0;
        }
    }
    return 1;
}

static uint64_t used_pages(void)
{
    uint64_t used = 0;
    unsigned i;

    for (i = 0; i < PAGES; ++i) {
        used += count[i] != 0;
    }
    return used;
}

static void change_counts(uint64_t page, uint64_t pages, int by)
{
    uint64_t i;

    for (i = page; i < page + pages; ++i) {
        count[i] += (unsigned)by;
    }
}

static void test_random(void)
{
    gms_random_t random;
    unsigned step, wrong = 0;

    begin();
    memset(count, 0, sizeof(count));
    gms_random_init(&random, 41, 0);
    for (step = 0; step < STEPS; ++step) {
        uint64_t page = gms_random_below(&random, PAGES);
        uint64_t pages = 1 + gms_random_below(&random, PAGES - page);
        int was_counted = is_counted(page, pages);

        if (gms_random_below(&random, 2) == 0 && pages <= 12) {
            wrong += !add(page, pages);
            change_counts(page, pages, 1);
        } else {
            wrong += remove_pages(page, pages) != was_counted;
            change_counts(page, pages, was_counted ? -1 : 0);
        }
        page = gms_random_below(&random, PAGES);
        pages = 1 + gms_random_below(&random, PAGES - page);
        wrong += contains(page, pages) != is_counted(page, pages);
        wrong += table.used != used_pages();
    }
    CHECK_U64(wrong, 0);
    end();
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"deregistration of a part of a range", test_part},
        {"pages that are registered twice", test_twice},
        {"a table that was cleared", test_cleared},
        {"random ranges against a count for each page", test_random},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"page table", NULL, NULL, NULL, NULL, tests});
}
