/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests pools of message buffers: the order of use, the registered pages, the
 * second owner of a port, and a full arena. */
#include "nic/pool.h"

#include "arena_rig.h"
#include "unit.h"

#define BYTES UINT64_C(16384)
/* Number of buffers in a chunk. */
#define CHUNK 4u

static gms_arena_t *arena;
static gms_pool_t pool;
static gms_page_table_t pages;

static void begin(unsigned mib)
{
    arena = arena_with(mib, (uint64_t)mib << 20, 64);
    pool = (gms_pool_t){0};
    pages = (gms_page_table_t){0};
}

static void end(void)
{
    gms_arena_destroy_private(arena);
}

static uint64_t take(void)
{
    return gms_pool_take(arena, &pool, &pages);
}

static gms_status_t open_with(uint64_t bytes)
{
    return gms_pool_open(arena, &pool, &pages, bytes);
}

static void test_order(void)
{
    uint64_t taken[2 * CHUNK];
    unsigned i;

    begin(8);
    CHECK_U64(open_with(BYTES), GMS_OK);
    CHECK_U64(pool.count, 0);
    for (i = 0; i < CHUNK; ++i) {
        taken[i] = take();
        CHECK_U64(taken[i], taken[0] + i * BYTES);
    }
    CHECK_U64(taken[0] % GMS_PAGE_BYTES, 0);
    CHECK_U64(pool.count, CHUNK);
    CHECK_U64(pages.used, CHUNK * BYTES / GMS_PAGE_BYTES);
    CHECK_U64(gms_memory_contains(&pages, taken[0], CHUNK * BYTES), 1);
    /* the most recently freed buffer is taken first */
    CHECK_U64(gms_pool_give(&pool, taken[2]), 0);
    CHECK_U64(gms_pool_give(&pool, taken[0]), 0);
    CHECK_U64(take(), taken[0]);
    CHECK_U64(take(), taken[2]);
    CHECK_U64(pool.count, CHUNK);
    /* a second chunk is necessary */
    for (i = CHUNK; i < 2 * CHUNK; ++i) {
        taken[i] = take();
    }
    CHECK_U64(pool.count, 2 * CHUNK);
    CHECK_U64(pool.free_count, 0);
    for (i = 0; i < 2 * CHUNK; ++i) {
        CHECK_U64(gms_pool_give(&pool, taken[i]), 0);
    }
    CHECK_U64(pool.free_count, 2 * CHUNK);
    end();
}

/* A chunk of short buffers occupies one page, which contains nothing else. */
static void test_pages(void)
{
    uint64_t first;

    begin(4);
    CHECK_U64(open_with(64), GMS_OK);
    first = take();
    CHECK_U64(first % GMS_PAGE_BYTES, 0);
    CHECK_U64(pool.count, GMS_PAGE_BYTES / 64);
    CHECK_U64(pages.used, 1);
    CHECK_U64(gms_arena_block_bytes((void *)(uintptr_t)first) % GMS_PAGE_BYTES,
              0);
    end();
}

static void test_invalid(void)
{
    uint64_t first;

    begin(4);
    CHECK_U64(take(), 0); /* the length has not been set */
    CHECK_U64(gms_pool_give(&pool, 0), (uint64_t)-1);
    CHECK_U64(open_with(BYTES), GMS_OK);
    first = take();
    CHECK_U64(open_with(BYTES), GMS_OK);
    CHECK_U64(open_with(2 * BYTES), GMS_ERR_INVALID_PARAM);
    CHECK_U64(gms_pool_give(&pool, first + 1), (uint64_t)-1);
    CHECK_U64(gms_pool_give(&pool, first - BYTES), (uint64_t)-1);
    CHECK_U64(gms_pool_give(&pool, first + CHUNK * BYTES), (uint64_t)-1);
    CHECK_U64(gms_pool_give(&pool, first), 0);
    /* no buffer is in use */
    CHECK_U64(gms_pool_give(&pool, first), (uint64_t)-1);
    CHECK_U64(pool.free_count, CHUNK);
    end();
}

/* The port's next owner uses the memory of the first owner. */
static void test_owners(void)
{
    uint64_t first, used;
    unsigned i;

    begin(8);
    CHECK_U64(open_with(BYTES), GMS_OK);
    first = take();
    for (i = 1; i < 2 * CHUNK; ++i) {
        take();
    }
    gms_memory_clear(arena, &pages);
    gms_pool_close(&pool);
    CHECK_U64(gms_pool_give(&pool, first), (uint64_t)-1);
    used = arena_used(arena);
    CHECK_U64(open_with(BYTES), GMS_OK);
    CHECK_U64(pool.free_count, 2 * CHUNK);
    CHECK_U64(gms_memory_contains(&pages, first, CHUNK * BYTES), 1);
    for (i = 0; i < 2 * CHUNK; ++i) {
        CHECK_U64(take() != 0, 1);
    }
    CHECK_U64(pool.count, 2 * CHUNK);
    CHECK_U64(arena_used(arena) < used + BYTES, 1); /* the table of pages */
    /* an owner whose buffers have a different length */
    gms_memory_clear(arena, &pages);
    gms_pool_close(&pool);
    CHECK_U64(open_with(64), GMS_OK);
    CHECK_U64(pool.free_count, 0);
    CHECK_U64(take() != first, 1);
    CHECK_U64(pages.used, 1);
    end();
}

/* If memory is exhausted, a pool remains unchanged, no matter which allocation
 * fails. */
static void test_full(void)
{
    unsigned left;

    for (left = 0; left < 160; left += 4) {
        uint64_t address, last = 0;
        unsigned count = 0;

        begin(4);
        CHECK_U64(open_with(BYTES), GMS_OK);
        end();
        arena = arena_with(4, (uint64_t)left << 10, 64);
        while ((address = take()) != 0) {
            last = address;
            ++count;
        }
        CHECK_U64(count % CHUNK, 0);
        CHECK_U64(pool.count, count);
        CHECK_U64(pool.free_count, 0);
        CHECK_U64(pages.used, count * BYTES / GMS_PAGE_BYTES);
        if (count > 0) {
            CHECK_U64(gms_pool_give(&pool, last), 0);
            CHECK_U64(take(), last);
        }
        CHECK_U64(take(), 0);
        end();
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"order of the buffers", test_order},
        {"a chunk consists of whole pages", test_pages},
        {"invalid calls", test_invalid},
        {"owners of a port", test_owners},
        {"a full arena", test_full},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"pool", NULL, NULL, NULL, NULL, tests});
}
