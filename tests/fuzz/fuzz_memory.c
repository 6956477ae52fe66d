/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Provides memory for the calls: pools between pages that are read-only or not
 * accessible, and addresses at and beyond the limits of the pools.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "engine/arena.h"
#include "fuzz.h"

#define FUZZ_PAGE 4096u

/*
 * Each pool lies between mapped pages that are read-only and mapped pages that
 * are not accessible at all.
 */
typedef struct fuzz_area {
    char *base;
    uint8_t is_unmapped[FUZZ_POOL_PAGES];
    int has_holes;
} fuzz_area_t;

static fuzz_area_t fuzz_areas[FUZZ_POOLS];

static void fuzz_area_map(fuzz_area_t *area, unsigned page, unsigned pages)
{
    char *wanted = area->base + page * FUZZ_PAGE;

    FUZZ_CHECK(mmap(wanted, pages * FUZZ_PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                    0) == (void *)wanted,
               "no memory for the test itself");
}

void fuzz_memory_start(void)
{
    unsigned pool;

    for (pool = 0; pool < FUZZ_POOLS; ++pool) {
        char *base = mmap(NULL, (FUZZ_POOL_PAGES + 3) * FUZZ_PAGE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        FUZZ_CHECK(base != MAP_FAILED, "no memory for the test itself");
        FUZZ_CHECK(mprotect(base + FUZZ_PAGE, FUZZ_PAGE, PROT_READ) == 0,
                   "cannot protect memory of the test itself");
        munmap(base + (FUZZ_POOL_PAGES + 2) * FUZZ_PAGE, FUZZ_PAGE);
        fuzz_areas[pool].base = base + 2 * (size_t)FUZZ_PAGE;
        fuzz_area_map(&fuzz_areas[pool], 0, FUZZ_POOL_PAGES);
    }
}

void fuzz_memory_reset(void)
{
    unsigned pool, page;

    for (pool = 0; pool < FUZZ_POOLS; ++pool) {
        fuzz_area_t *area = &fuzz_areas[pool];

        for (page = 0; area->has_holes && page < FUZZ_POOL_PAGES; ++page) {
            if (area->is_unmapped[page]) {
                fuzz_memory_toggle((enum fuzz_pool)pool, page);
            }
        }
        area->has_holes = 0;
    }
}

void fuzz_memory_toggle(enum fuzz_pool pool, unsigned page)
{
    fuzz_area_t *area = &fuzz_areas[pool];

    if (area->is_unmapped[page]) {
        fuzz_area_map(area, page, 1);
    } else {
        munmap(area->base + page * FUZZ_PAGE, FUZZ_PAGE);
        area->has_holes = 1;
    }
    area->is_unmapped[page] ^= 1;
}

char *fuzz_pool_address(enum fuzz_pool pool, size_t bytes)
{
    size_t most = FUZZ_POOL_PAGES * FUZZ_PAGE;
    size_t offset = fuzz_byte() * 16;

    /* Return a page, usually one of a few pages, so that calls refer to the
     * same pages. */
    if (offset % 256 == 0) {
        offset = (size_t)fuzz_number(3);
    }
    return fuzz_areas[pool].base + (bytes < most ? offset % (most - bytes) : 0);
}

void *fuzz_odd_address(enum fuzz_pool pool)
{
    const fuzz_area_t *area = &fuzz_areas[pool];
    char *end = area->base + FUZZ_POOL_PAGES * FUZZ_PAGE;
    unsigned how = fuzz_byte();

    switch (how % 16) {
    case 0:
        return NULL;
    case 1:
        return (void *)(uintptr_t)(1 + how);
    case 2: /* an address near the end of the pool, so that the data may end
             * beyond it */
        return end - fuzz_byte() * 8;
    case 3: /* read-only */
        return area->base - 1 - fuzz_byte() * 4;
    case 4: /* a page that is not accessible */
        return area->base - FUZZ_PAGE - 1 - fuzz_byte() * 4;
    case 5: /* a page that is not mapped */
        return end + fuzz_byte() * 4;
    case 6: /* memory of the simulated cluster */
        return (void *)(uintptr_t)(GMS_ARENA_ADDRESS + fuzz_byte() * 64);
    case 7: /* cases 7 to 9: a kernel address, a value that is not a pointer,
             * and the last bytes of the address space */
        return (void *)(uintptr_t)(UINT64_C(0xffff800000000000) + how);
    case 8:
        return (void *)(uintptr_t)UINT64_C(0x1234567890abcdef);
    case 9:
        return (void *)(UINTPTR_MAX - fuzz_byte());
    default:
        return fuzz_pool_address(pool, 0);
    }
}

int fuzz_pool_page(const void *address)
{
    unsigned pool;

    for (pool = 0; pool < FUZZ_POOLS; ++pool) {
        uintptr_t offset =
            (uintptr_t)address - (uintptr_t)fuzz_areas[pool].base;

        if (offset < FUZZ_POOL_PAGES * FUZZ_PAGE) {
            return (int)(pool * FUZZ_POOL_PAGES + offset / FUZZ_PAGE);
        }
    }
    return -1;
}
