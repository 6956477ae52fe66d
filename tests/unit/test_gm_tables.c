/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the parts of the GM library that need no network: lookaside lists, hash
 * tables, zones, and marks. */
#include "gm.h"

#include <limits.h>
#include <string.h>

#include "starve.h"
#include "unit.h"

/* ---- Lookaside --------------------------------------------------------- */

static void test_lookaside(void)
{
    struct gm_lookaside *list = gm_create_lookaside(24, 3);
    unsigned char *entries[1000];
    unsigned char *again;
    unsigned i, j;

    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    for (i = 0; i < 1000; ++i) {
        entries[i] = gm_lookaside_alloc(list);
        CU_ASSERT_PTR_NOT_NULL_FATAL(entries[i]);
        CU_ASSERT_TRUE(GM_ALIGNED((uintptr_t)entries[i], 16));
        memset(entries[i], (int)i, 24);
    }
    for (i = 0; i < 1000; ++i) { /* the entries must not overlap */
        for (j = 0; j < 24 && entries[i][j] == (unsigned char)i; ++j) {
        }
        CHECK_U64(j, 24);
    }
    gm_lookaside_free(entries[7]);
    gm_lookaside_free(entries[7]); /* freeing the entry again has no effect */
    again = gm_lookaside_zalloc(list);
    CU_ASSERT_PTR_EQUAL(again, entries[7]);
    for (j = 0; j < 24; ++j) {
        CHECK_U64(again[j], 0);
    }
    CU_ASSERT_PTR_NOT_EQUAL(gm_lookaside_alloc(list), again);
    gm_destroy_lookaside(list);

    CU_ASSERT_PTR_NULL(gm_lookaside_alloc(NULL));
    CU_ASSERT_PTR_NULL(gm_lookaside_zalloc(NULL));
    gm_lookaside_free(NULL);
    gm_destroy_lookaside(NULL);
    CU_ASSERT_PTR_NULL(gm_create_lookaside(~0ul, 1));
    CU_ASSERT_PTR_NULL(gm_create_lookaside(~0ul / 2, 100));
    CU_ASSERT_PTR_NULL(gm_create_lookaside(8, ~0ul));
}

static void test_lookaside_extremes(void)
{
    static const gm_size_t lengths[] = {0, 1, 16, 17, 100000};
    unsigned i;

    for (i = 0; i < GM_NUM_ELEM(lengths); ++i) {
        struct gm_lookaside *list = gm_create_lookaside(lengths[i], 0);
        void *a = gm_lookaside_zalloc(list);
        void *b = gm_lookaside_zalloc(list);

        CU_ASSERT_PTR_NOT_NULL_FATAL(a);
        CU_ASSERT_PTR_NOT_NULL_FATAL(b);
        CU_ASSERT_PTR_NOT_EQUAL(a, b);
        memset(a, 0xff, lengths[i]);
        memset(b, 0xff, lengths[i]);
        gm_destroy_lookaside(list);
    }
}

/* The list allocates the specified number of entries when it is created. These
 * entries need no further allocation. */
static int body_lookaside(void)
{
    struct gm_lookaside *list = gm_create_lookaside(8, 5);
    unsigned i, left = starve_left;
    int done = 0;

    if (list != NULL) {
        starve_left = 0;
        for (i = 0; i < 5; ++i) {
            CU_ASSERT_PTR_NOT_NULL(gm_lookaside_alloc(list));
        }
        CU_ASSERT_PTR_NULL(gm_lookaside_alloc(list));
        starve_left = left;
        done = gm_lookaside_alloc(list) != NULL;
    }
    gm_destroy_lookaside(list);
    return done;
}

static void test_lookaside_memory(void)
{
    CHECK_U64(starve(body_lookaside), 3);
}

/* ---- Hash -------------------------------------------------------------- */

/* Registration caches use hash tables whose keys are addresses. The tables do
 * not access memory at these addresses, so the test uses addresses without
 * memory. */
static void test_hash_pointers(void)
{
    struct gm_hash *hash =
        gm_create_hash(gm_hash_compare_ptrs, gm_hash_hash_ptr, 0, 0, 16, 0);
    static char data[5000];
    gm_up_t i;

    CU_ASSERT_PTR_NOT_NULL_FATAL(hash);
    for (i = 0; i < 5000; ++i) {
        CHECK_U64(gm_hash_insert(hash, (void *)(i * 4096), &data[i]),
                  GM_SUCCESS);
    }
    CHECK_U64(gm_hash_insert(hash, (void *)4096, data), GM_INVALID_PARAMETER);
    for (i = 0; i < 5000; ++i) {
        CU_ASSERT_PTR_EQUAL(gm_hash_find(hash, (void *)(i * 4096)), &data[i]);
    }
    CU_ASSERT_PTR_NULL(gm_hash_find(hash, (void *)1));
    for (i = 0; i < 5000; i += 2) {
        CU_ASSERT_PTR_EQUAL(gm_hash_remove(hash, (void *)(i * 4096)), &data[i]);
    }
    for (i = 0; i < 5000; ++i) {
        CU_ASSERT_PTR_EQUAL(gm_hash_find(hash, (void *)(i * 4096)),
                            i % 2 == 0 ? NULL : &data[i]);
    }
    CU_ASSERT_PTR_NULL(gm_hash_remove(hash, (void *)0));
    gm_destroy_hash(hash);
}

static void test_hash_copies(void)
{
    struct gm_hash *hash = gm_create_hash(
        gm_hash_compare_ints, gm_hash_hash_int, sizeof(int), 100, 0, 0);
    char datum[100];
    char *first = NULL;
    int key;

    CU_ASSERT_PTR_NOT_NULL_FATAL(hash);
    for (key = -500; key < 500; ++key) {
        memset(datum, key, sizeof(datum));
        CHECK_U64(gm_hash_insert(hash, &key, datum), GM_SUCCESS);
        if (key == -500) {
            first = gm_hash_find(hash, &key);
        }
    }
    for (key = -500; key < 500; ++key) {
        char *found = gm_hash_find(hash, &key);

        memset(datum, key, sizeof(datum));
        CU_ASSERT_PTR_NOT_NULL_FATAL(found);
        CHECK_U64(GM_ALIGNED((uintptr_t)found, 16), 1);
        CU_ASSERT_EQUAL(memcmp(found, datum, sizeof(datum)), 0);
    }
    key = -500;
    /* the entry has not moved */
    CU_ASSERT_PTR_EQUAL(gm_hash_find(hash, &key), first);
    first[99] = 1;
    CHECK_U64(((char *)gm_hash_find(hash, &key))[99], 1);
    CU_ASSERT_PTR_EQUAL(gm_hash_remove(hash, &key), first);
    /* the pointer is still valid, because no entry has been inserted or
     * removed */
    CHECK_U64(first[99], 1);
    key = 7777;
    CHECK_U64(gm_hash_insert(hash, &key, first), GM_SUCCESS);
    CHECK_U64(((char *)gm_hash_find(hash, &key))[99], 1);
    /* the key and the datum are copies of the removed entry */
    first = gm_hash_remove(hash, &key);
    memcpy(first, &key, sizeof(key));
    CHECK_U64(gm_hash_insert(hash, first, first), GM_SUCCESS);
    CHECK_U64(((char *)gm_hash_find(hash, &key))[99], 1);
    CU_ASSERT_EQUAL(memcmp(gm_hash_find(hash, &key), &key, sizeof(key)), 0);
    CHECK_U64(gm_hash_insert(hash, NULL, datum), GM_INVALID_PARAMETER);
    key = 7778;
    CHECK_U64(gm_hash_insert(hash, &key, NULL), GM_INVALID_PARAMETER);
    CU_ASSERT_PTR_NULL(gm_hash_find(hash, NULL));
    CU_ASSERT_PTR_NULL(gm_hash_remove(hash, NULL));
    gm_destroy_hash(hash);
}

static void test_hash_strings(void)
{
    struct gm_hash *hash = gm_create_hash(gm_hash_compare_strings,
                                          gm_hash_hash_string, 0, 0, 0, 0);
    char one[] = "one", same[] = "one", two[] = "two", three[] = "three";

    CHECK_U64(gm_hash_insert(hash, one, one), GM_SUCCESS);
    CHECK_U64(gm_hash_insert(hash, two, two), GM_SUCCESS);
    CU_ASSERT_PTR_EQUAL(gm_hash_find(hash, same), one);
    CHECK_U64(gm_hash_insert(hash, same, same), GM_INVALID_PARAMETER);
    CU_ASSERT_PTR_NULL(gm_hash_find(hash, three));
    gm_hash_rekey(hash, one, three);
    CU_ASSERT_PTR_NULL(gm_hash_find(hash, one));
    CU_ASSERT_PTR_EQUAL(gm_hash_find(hash, three), one);
    gm_hash_rekey(hash, three, two); /* key `two' is already in use */
    CU_ASSERT_PTR_EQUAL(gm_hash_find(hash, three), one);
    CU_ASSERT_PTR_EQUAL(gm_hash_find(hash, two), two);
    gm_hash_rekey(hash, one, same); /* the table does not contain this key */
    CU_ASSERT_PTR_NULL(gm_hash_find(hash, one));
    gm_hash_rekey(hash, three, three); /* this is the same key */
    CU_ASSERT_PTR_EQUAL(gm_hash_find(hash, three), one);
    gm_destroy_hash(hash);
}

static void test_hash_bytes(void)
{
    struct gm_hash *by_bytes = gm_create_hash(NULL, NULL, 3, 1, 0, 0);
    struct gm_hash *by_pointer = gm_create_hash(NULL, NULL, 0, 0, 0, 0);
    char abc[] = "abcX", same[] = "abcY", datum[] = "d";

    CHECK_U64(gm_hash_insert(by_bytes, abc, datum), GM_SUCCESS);
    CU_ASSERT_PTR_NOT_NULL(gm_hash_find(by_bytes, same));
    gm_hash_rekey(by_bytes, same, abc + 1);
    CU_ASSERT_PTR_NULL(gm_hash_find(by_bytes, abc));
    CU_ASSERT_PTR_NOT_NULL(gm_hash_find(by_bytes, abc + 1));
    CHECK_U64(gm_hash_insert(by_pointer, abc, abc), GM_SUCCESS);
    CU_ASSERT_PTR_NULL(gm_hash_find(by_pointer, same));
    CU_ASSERT_PTR_EQUAL(gm_hash_find(by_pointer, abc), abc);
    gm_destroy_hash(by_bytes);
    gm_destroy_hash(by_pointer);
}

static long compare_as_same(void *key1, void *key2)
{
    (void)key1;
    (void)key2;
    return 0;
}

static unsigned long hash_to_one(void *key)
{
    (void)key;
    return 1;
}

static void test_hash_misuse(void)
{
    struct gm_hash *hash;
    long numbers[] = {5, -5, 5};
    int small[] = {5, -5, 5};

    CU_ASSERT_PTR_NULL(gm_create_hash(NULL, NULL, 0, 0, 0, 2));
    CU_ASSERT_PTR_NULL(gm_create_hash(NULL, NULL, ~0ul, 0, 0, 0));
    CU_ASSERT_PTR_NULL(gm_create_hash(NULL, NULL, 0, ~0ul, 0, 0));
    CU_ASSERT_PTR_NULL(gm_create_hash(NULL, NULL, 0, 0, ~0ul, 0));
    CU_ASSERT_PTR_NULL(gm_hash_find(NULL, numbers));
    CU_ASSERT_PTR_NULL(gm_hash_remove(NULL, numbers));
    CHECK_U64(gm_hash_insert(NULL, numbers, numbers), GM_INVALID_PARAMETER);
    gm_hash_rekey(NULL, numbers, numbers);
    gm_destroy_hash(NULL);

    /* These user-supplied functions put all entries into one chain, and treat
     * all keys as equal. */
    hash = gm_create_hash(compare_as_same, hash_to_one, 0, 0, 0, 0);
    CHECK_U64(gm_hash_insert(hash, small, small), GM_SUCCESS);
    CHECK_U64(gm_hash_insert(hash, numbers, small), GM_INVALID_PARAMETER);
    CU_ASSERT_PTR_EQUAL(gm_hash_remove(hash, NULL), small);
    gm_destroy_hash(hash);

    CU_ASSERT_TRUE(gm_hash_compare_longs(&numbers[0], &numbers[1]) > 0);
    CU_ASSERT_TRUE(gm_hash_compare_longs(&numbers[1], &numbers[0]) < 0);
    CHECK_U64(gm_hash_compare_longs(&numbers[0], &numbers[2]), 0);
    CHECK_U64(gm_hash_hash_long(&numbers[0]), gm_hash_hash_long(&numbers[2]));
    CU_ASSERT_TRUE(gm_hash_compare_ints(&small[0], &small[1]) > 0);
    CHECK_U64(gm_hash_compare_ints(&small[0], &small[2]), 0);
    CU_ASSERT_TRUE(gm_hash_compare_ptrs(&small[0], &small[2]) < 0);
    CHECK_U64(gm_hash_compare_strings(NULL, NULL), 0);
}

static int body_hash(void)
{
    struct gm_hash *hash =
        gm_create_hash(NULL, NULL, sizeof(unsigned), sizeof(unsigned), 40, 0);
    unsigned left = starve_left;
    unsigned i, j;
    int done = 0;

    if (hash == NULL) {
        return 0;
    }
    starve_left = 0;
    for (i = 0; i < 40; ++i) {
        CHECK_U64(gm_hash_insert(hash, &i, &i), GM_SUCCESS);
    }
    j = 11;
    gm_hash_remove(hash, &j); /* The next insertion reuses the space of this
                               * entry. */
    CHECK_U64(gm_hash_insert(hash, &j, &j), GM_SUCCESS);
    starve_left = left;
    for (; i < 200 && (done = gm_hash_insert(hash, &i, &i) == GM_SUCCESS);
         ++i) {
    }
    /* No entry may be lost, no matter which allocation has failed. */
    for (j = 0; j < i; ++j) {
        unsigned *found = gm_hash_find(hash, &j);

        CU_ASSERT_TRUE(found != NULL && *found == j);
    }
    CU_ASSERT_PTR_NULL(gm_hash_find(hash, &i));
    gm_destroy_hash(hash);
    return done && starve_left == 0;
}

static void test_hash_memory(void)
{
    /* The table needs four allocations when it is created, three for the
     * entries, and two when it grows. */
    CHECK_U64(starve(body_hash), 9);
}

/* Compares the hash table with a plain array. Many keys have the same hash. */
static void test_hash_random(void)
{
    struct gm_hash *hash =
        gm_create_hash(gm_hash_compare_longs, gm_hash_hash_long, sizeof(long),
                       sizeof(long), 0, 0);
    long value[64];
    unsigned step;

    memset(value, 0, sizeof(value));
    gm_srand(42);
    for (step = 1; step <= 20000; ++step) {
        long key = (long)gm_rand_mod(64), other = (long)gm_rand_mod(64);
        long datum = (long)step;
        long *found;

        switch (gm_rand_mod(4)) {
        case 0:
            CHECK_U64(gm_hash_insert(hash, &key, &datum),
                      value[key] == 0 ? GM_SUCCESS : GM_INVALID_PARAMETER);
            value[key] = value[key] == 0 ? datum : value[key];
            break;
        case 1:
            found = gm_hash_remove(hash, &key);
            CHECK_U64(found != NULL ? *found : 0, value[key]);
            value[key] = 0;
            break;
        case 2:
            gm_hash_rekey(hash, &key, &other);
            if (value[key] != 0 && value[other] == 0) {
                value[other] = value[key];
                value[key] = 0;
            }
            break;
        default:
            found = gm_hash_find(hash, &key);
            CHECK_U64(found != NULL ? *found : 0, value[key]);
            break;
        }
    }
    gm_destroy_hash(hash);
}

/* ---- Zone -------------------------------------------------------------- */

#define UNIT GM_RDMA_GRANULARITY

static void test_zone(void)
{
    char *memory = gm_alloc_pages(8 * UNIT);
    struct gm_zone *zone = gm_zone_create_zone(memory, 8 * UNIT);
    char *a, *b, *c;

    CU_ASSERT_PTR_NOT_NULL_FATAL(zone);
    a = gm_zone_malloc(zone, UNIT + 1); /* 2 units */
    b = gm_zone_malloc(zone, 1);
    c = gm_zone_malloc(zone, 4 * UNIT);
    CU_ASSERT_PTR_EQUAL(a, memory);
    CU_ASSERT_PTR_EQUAL(b, memory + 2 * UNIT);
    CU_ASSERT_PTR_EQUAL(c, memory + 4 * UNIT);
    CU_ASSERT_PTR_NULL(gm_zone_malloc(zone, UNIT + 1));
    CU_ASSERT_PTR_EQUAL(gm_zone_malloc(zone, 0), memory + 3 * UNIT);
    CU_ASSERT_PTR_NULL(gm_zone_malloc(zone, 0));
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, a + UNIT)); /* this address is inside
                                                       * a block */
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, a + 1));
    CU_ASSERT_PTR_EQUAL(gm_zone_free(zone, a), a);
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, a)); /* this block is already free */
    CU_ASSERT_PTR_EQUAL(gm_zone_free(zone, b), b);
    CU_ASSERT_PTR_EQUAL(gm_zone_free(zone, c), c);
    CU_ASSERT_PTR_NULL(gm_zone_malloc(zone, 8 * UNIT)); /* unit 3 is in use */
    CU_ASSERT_PTR_NOT_NULL(gm_zone_free(zone, memory + 3 * UNIT));
    /* the whole zone is free again */
    CU_ASSERT_PTR_EQUAL(gm_zone_malloc(zone, 8 * UNIT), memory);
    gm_zone_destroy_zone(zone);
    gm_free_pages(memory, 8 * UNIT);
}

/* Checks that small blocks come from areas that have already been split. */
static void test_zone_fit(void)
{
    char *memory = gm_alloc_pages(8 * UNIT);
    struct gm_zone *zone = gm_zone_create_zone(memory, 8 * UNIT);
    char *four = gm_zone_malloc(zone, 4 * UNIT);
    char *one = gm_zone_malloc(zone, UNIT);

    gm_zone_free(zone, four);
    CU_ASSERT_PTR_EQUAL(gm_zone_malloc(zone, UNIT), one + UNIT);
    CU_ASSERT_PTR_EQUAL(gm_zone_malloc(zone, UNIT), one + 2 * UNIT);
    CU_ASSERT_PTR_EQUAL(gm_zone_malloc(zone, 4 * UNIT), four);
    gm_zone_destroy_zone(zone);
    gm_free_pages(memory, 8 * UNIT);
}

static void test_zone_uneven(void)
{
    char *memory = gm_alloc_pages(GM_PAGE_LEN);
    struct gm_zone *zone = gm_zone_create_zone(memory + 1, 6 * UNIT - 1);
    unsigned char *block;
    unsigned i;

    CU_ASSERT_PTR_NOT_NULL_FATAL(zone); /* units 1 .. 5 */
    CHECK_U64(gm_zone_addr_in_zone(zone, memory), 0);
    CHECK_U64(gm_zone_addr_in_zone(zone, memory + 1), 1);
    CHECK_U64(gm_zone_addr_in_zone(zone, memory + 6 * UNIT - 1), 1);
    CHECK_U64(gm_zone_addr_in_zone(zone, memory + 6 * UNIT), 0);
    CHECK_U64(gm_zone_addr_in_zone(zone, NULL), 0);
    CU_ASSERT_PTR_NULL(gm_zone_malloc(zone, 5 * UNIT)); /* this block would need
                                                         * 8 units */
    CU_ASSERT_PTR_EQUAL(gm_zone_malloc(zone, 4 * UNIT), memory + UNIT);
    memset(memory + 5 * UNIT, 0xff, UNIT);
    block = gm_zone_calloc(zone, UNIT, 1);
    CU_ASSERT_PTR_EQUAL(block, memory + 5 * UNIT);
    for (i = 0; i < UNIT; ++i) {
        CHECK_U64(block[i], 0);
    }
    CU_ASSERT_PTR_NULL(gm_zone_malloc(zone, 1));
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, memory + 1));
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, memory + 6 * UNIT));
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, memory));
    gm_zone_destroy_zone(zone);

    /* the zone uses units 1 and 2 of this memory */
    zone = gm_zone_create_zone(memory + 1, 3 * UNIT);
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, memory + 3 * UNIT));
    /* this block is already free */
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, memory + 2 * UNIT));
    CU_ASSERT_PTR_NOT_NULL(gm_zone_malloc(zone, 2 * UNIT));
    gm_zone_destroy_zone(zone);
    gm_free_pages(memory, GM_PAGE_LEN);
}

static void test_zone_misuse(void)
{
    static char memory[3 * UNIT] __attribute__((aligned(UNIT)));
    struct gm_zone *zone;

    CU_ASSERT_PTR_NULL(gm_zone_create_zone(NULL, 1000));
    CU_ASSERT_PTR_NULL(gm_zone_create_zone(memory, UNIT - 1));
    CU_ASSERT_PTR_NULL(gm_zone_create_zone(memory + 1, UNIT));
    CU_ASSERT_PTR_NULL(gm_zone_create_zone(memory, ~0ul));
    CU_ASSERT_PTR_NULL(gm_zone_malloc(NULL, 1));
    CU_ASSERT_PTR_NULL(gm_zone_calloc(NULL, 1, 1));
    CU_ASSERT_PTR_NULL(gm_zone_free(NULL, memory));
    CHECK_U64(gm_zone_addr_in_zone(NULL, memory), 0);
    gm_zone_destroy_zone(NULL);
    zone = gm_zone_create_zone(memory, sizeof(memory));
    CU_ASSERT_PTR_NULL(gm_zone_malloc(zone, ~0ul));
    CU_ASSERT_PTR_NULL(gm_zone_calloc(zone, ~0ul, 2));
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, NULL));
    CU_ASSERT_PTR_NULL(gm_zone_free(zone, &zone));
    CU_ASSERT_PTR_NOT_NULL(gm_zone_malloc(zone, 2 * UNIT)); /* undamaged */
    gm_zone_destroy_zone(zone);
}

static int body_zone(void)
{
    static char memory[3 * UNIT];
    struct gm_zone *zone = gm_zone_create_zone(memory, sizeof(memory));

    gm_zone_destroy_zone(zone);
    return zone != NULL;
}

/* Blocks must never overlap, and at the end, all free blocks must be merged. */
static void test_zone_random(void)
{
    enum {
        UNITS = 100,
        BLOCKS = 40
    };
    char *memory = gm_alloc_pages(UNITS * UNIT);
    struct gm_zone *zone = gm_zone_create_zone(memory, UNITS * UNIT);
    unsigned char owner[UNITS] = {0};
    struct {
        char *address;
        unsigned units;
    } blocks[BLOCKS] = {{NULL, 0}};
    unsigned step, i;

    gm_srand(1);
    for (step = 0; step < 20000; ++step) {
        unsigned number = gm_rand_mod(BLOCKS);
        unsigned units = 1u << gm_rand_mod(5);
        unsigned first;

        if (blocks[number].address != NULL) {
            first = (unsigned)(blocks[number].address - memory) / UNIT;
            for (i = first; i < first + blocks[number].units; ++i) {
                CHECK_U64(owner[i], number + 1);
                owner[i] = 0;
            }
            CU_ASSERT_PTR_EQUAL(gm_zone_free(zone, blocks[number].address),
                                blocks[number].address);
            blocks[number].address = NULL;
            continue;
        }
        blocks[number].address = gm_zone_malloc(zone, units * UNIT);
        blocks[number].units = units;
        if (blocks[number].address == NULL) {
            continue;
        }
        first = (unsigned)(blocks[number].address - memory) / UNIT;
        CU_ASSERT_TRUE_FATAL(first + units <= UNITS);
        for (i = first; i < first + units; ++i) {
            CHECK_U64(owner[i], 0);
            owner[i] = (unsigned char)(number + 1);
        }
    }
    for (i = 0; i < BLOCKS; ++i) {
        gm_zone_free(zone, blocks[i].address);
    }
    CU_ASSERT_PTR_NOT_NULL(gm_zone_malloc(zone, 64 * UNIT));
    CU_ASSERT_PTR_NOT_NULL(gm_zone_malloc(zone, 32 * UNIT));
    CU_ASSERT_PTR_NOT_NULL(gm_zone_malloc(zone, 4 * UNIT));
    CU_ASSERT_PTR_NULL(gm_zone_malloc(zone, 1));
    gm_zone_destroy_zone(zone);
    gm_free_pages(memory, UNITS * UNIT);
    CHECK_U64(starve(body_zone), 2);
}

/* ---- Marks ------------------------------------------------------------- */

static void test_marks(void)
{
    struct gm_mark_set *set, *other;
    gm_mark_t marks[3] = {0, 0, 0};
    gm_mark_t copy;

    CHECK_U64(gm_create_mark_set(&set, 2), GM_SUCCESS);
    CHECK_U64(gm_create_mark_set(&other, 0), GM_SUCCESS);
    CHECK_U64(gm_mark_is_valid(set, &marks[0]), 0);
    CHECK_U64(gm_mark(set, &marks[0]), GM_SUCCESS);
    CHECK_U64(gm_mark(set, &marks[1]), GM_SUCCESS);
    CHECK_U64(gm_mark_is_valid(set, &marks[0]), 1);
    CHECK_U64(gm_mark_is_valid(set, &marks[1]), 1);
    CHECK_U64(gm_mark_is_valid(set, &marks[2]), 0);
    CHECK_U64(gm_mark_is_valid(other, &marks[0]), 0);
    marks[2] = marks[0];
    /* a copy of the mark has another address */
    CHECK_U64(gm_mark_is_valid(set, &marks[2]), 0);
    copy = marks[1];
    marks[1] ^= 4;
    CHECK_U64(gm_mark_is_valid(set, &marks[1]), 0); /* overwritten */
    marks[1] = copy;
    CHECK_U64(gm_mark_is_valid(set, &marks[1]), 1);
    /* now the mark belongs to the other set */
    CHECK_U64(gm_mark(other, &marks[1]), GM_SUCCESS);
    CHECK_U64(gm_mark_is_valid(set, &marks[1]), 0);
    CHECK_U64(gm_mark_is_valid(other, &marks[1]), 1);
    copy = marks[0];
    CHECK_U64(gm_mark(set, &marks[0]), GM_SUCCESS); /* the mark is set again */
    CU_ASSERT_NOT_EQUAL(copy, marks[0]);
    CHECK_U64(gm_mark_is_valid(set, &marks[0]), 1);
    copy = marks[0];
    gm_unmark(set, &marks[0]);
    CHECK_U64(gm_mark_is_valid(set, &marks[0]), 0);
    marks[0] = copy;
    CHECK_U64(gm_mark_is_valid(set, &marks[0]), 0);
    gm_unmark(set, &marks[0]);
    gm_unmark_all(other);
    CHECK_U64(gm_mark_is_valid(other, &marks[1]), 0);
    CHECK_U64(gm_mark(other, &marks[1]), GM_SUCCESS);
    CHECK_U64(gm_mark_is_valid(other, &marks[1]), 1);
    gm_destroy_mark_set(set);
    gm_destroy_mark_set(other);
}

/* The functions must not access memory that is not marked or is no longer
 * marked. */
static void test_marks_untouched(void)
{
    struct gm_mark_set *set;
    gm_mark_t *mark = gm_malloc(sizeof(*mark));
    gm_mark_t *lost = gm_malloc(sizeof(*lost));

    CHECK_U64(gm_create_mark_set(&set, 0), GM_SUCCESS);
    CHECK_U64(gm_mark(set, mark), GM_SUCCESS);
    CHECK_U64(gm_mark(set, lost), GM_SUCCESS);
    gm_unmark(set, mark);
    gm_free(mark);
    CHECK_U64(gm_mark_is_valid(set, mark), 0);
    gm_unmark(set, mark);
    CHECK_U64(gm_mark_is_valid(set, (gm_mark_t *)8), 0);
    gm_unmark(set, (gm_mark_t *)8);
    gm_free(lost);
    gm_unmark_all(set);
    CHECK_U64(gm_mark_is_valid(set, lost), 0);
    gm_destroy_mark_set(set);
}

static int body_marks(void)
{
    struct gm_mark_set *set = (struct gm_mark_set *)8;
    gm_mark_t marks[3];
    unsigned left;
    int done = 0;

    if (gm_create_mark_set(&set, 2) != GM_SUCCESS) {
        CU_ASSERT_PTR_NULL(set);
        return 0;
    }
    left = starve_left;
    starve_left = 0;
    CHECK_U64(gm_mark(set, &marks[0]), GM_SUCCESS);
    CHECK_U64(gm_mark(set, &marks[1]), GM_SUCCESS);
    CHECK_U64(gm_mark(set, &marks[0]), GM_SUCCESS);
    gm_unmark_all(set);
    CHECK_U64(gm_mark(set, &marks[0]), GM_SUCCESS);
    CHECK_U64(gm_mark(set, &marks[1]), GM_SUCCESS);
    starve_left = left;
    for (left = 0; left < 20; ++left) {
        static gm_mark_t more[20];

        done = gm_mark(set, &more[left]) == GM_SUCCESS;
        CHECK_U64(gm_mark_is_valid(set, &more[left]), done);
    }
    gm_destroy_mark_set(set);
    return done && starve_left == 0;
}

static void test_marks_misuse(void)
{
    struct gm_mark_set *set;
    gm_mark_t mark = 0;

    CHECK_U64(gm_create_mark_set(NULL, 0), GM_INVALID_PARAMETER);
    CHECK_U64(gm_create_mark_set(&set, ~0ul), GM_OUT_OF_MEMORY);
    CHECK_U64(gm_mark(NULL, &mark), GM_INVALID_PARAMETER);
    CHECK_U64(gm_mark_is_valid(NULL, &mark), 0);
    gm_unmark(NULL, &mark);
    gm_unmark_all(NULL);
    gm_destroy_mark_set(NULL);
    CHECK_U64(gm_create_mark_set(&set, 0), GM_SUCCESS);
    CHECK_U64(gm_mark(set, NULL), GM_INVALID_PARAMETER);
    CHECK_U64(gm_mark_is_valid(set, NULL), 0);
    gm_unmark(set, NULL);
    gm_destroy_mark_set(set);
    CU_ASSERT_TRUE(starve(body_marks) >= 5);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"lookaside list", test_lookaside},
        {"lookaside entries of odd lengths", test_lookaside_extremes},
        {"lookaside without memory", test_lookaside_memory},
        {"hash of addresses", test_hash_pointers},
        {"hash that copies its data", test_hash_copies},
        {"hash of strings, new keys", test_hash_strings},
        {"hash without user functions", test_hash_bytes},
        {"misuse of a hash", test_hash_misuse},
        {"hash without memory", test_hash_memory},
        {"hash compared with an array", test_hash_random},
        {"zone", test_zone},
        {"small blocks leave large blocks of a zone intact", test_zone_fit},
        {"zone of odd length", test_zone_uneven},
        {"misuse of a zone", test_zone_misuse},
        {"random allocations and releases in a zone", test_zone_random},
        {"marks", test_marks},
        {"marks in freed memory are not accessed", test_marks_untouched},
        {"marks: misuse, and no memory", test_marks_misuse},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm tables", NULL, NULL, NULL, NULL, tests});
}
