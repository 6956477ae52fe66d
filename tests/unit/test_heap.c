/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the heap. Compares the order in a small heap with an order computed by
 * hand, and compares a long random run with a linear search of a list.
 */
#include <string.h>

#include "base/heap.h"
#include "base/random.h"
#include "unit.h"

#define ITEMS 200u
#define STEPS 20000u

typedef struct test_heap_item {
    uint32_t key, number;
} test_heap_item_t;

typedef struct test_heap {
    test_heap_item_t items[ITEMS];
    size_t count;
    size_t at[ITEMS]; /* index of each number, plus 1; 0: the number is not in
                         the heap */
} test_heap_t;

static int test_heap_is_before(test_heap_t *heap, const test_heap_item_t *a,
                               const test_heap_item_t *b)
{
    (void)heap;
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

static void test_heap_moved(test_heap_t *heap, const test_heap_item_t *item,
                            size_t at)
{
    heap->at[item->number] = at + 1;
}

GMS_HEAP_DEFINE(test_heap, test_heap_item_t, test_heap_t *, test_heap_is_before,
                test_heap_moved);

static int test_heap_is_less(const void *unused, const int *a, const int *b)
{
    (void)unused;
    return *a < *b;
}

GMS_HEAP_DEFINE(test_ints, int, const void *, test_heap_is_less,
                GMS_HEAP_UNMOVED);

static void check_ints(const int *items, const int *expected, size_t count)
{
    size_t i;

    for (i = 0; i < count; ++i) {
        CHECK_U64(items[i], expected[i]);
    }
}

/* The levels of the heap are 1 | 2 5 7 3 | 6 9 8, so the children of the item
 * at index 1 begin at index 5. */
static void test_by_hand(void)
{
    static const int added[] = {5, 6, 2, 7, 3, 1, 9, 8};
    static const int built[] = {1, 2, 5, 7, 3, 6, 9, 8};
    static const int taken[] = {2, 6, 5, 7, 3, 8, 9};
    static const int removed[] = {2, 6, 5, 9, 3, 8};
    int items[8];
    size_t count = 0, i;

    for (i = 0; i < 8; ++i) {
        test_ints_add(NULL, items, &count, added[i]);
    }
    CHECK_U64(count, 8);
    check_ints(items, built, 8);
    CHECK_U64(test_ints_take(NULL, items, &count), 1);
    CHECK_U64(count, 7);
    check_ints(items, taken, 7);
    test_ints_remove(NULL, items, &count, 3);
    check_ints(items, removed, 6);
    /* when the last item is removed, no other item moves */
    test_ints_remove(NULL, items, &count, 5);
    CHECK_U64(count, 5);
    check_ints(items, removed, 5);
}

/* Check the search for the smallest item in a full row and in incomplete
 * rows. */
static void test_least(void)
{
    static const int items[] = {0, 4, 3, 2, 1, 9, 8, 7};

    CHECK_U64(test_ints_least(NULL, items, 1, 8), 4);
    CHECK_U64(test_ints_least(NULL, items, 1, 5), 4);
    CHECK_U64(test_ints_least(NULL, items, 1, 4), 3);
    CHECK_U64(test_ints_least(NULL, items, 1, 2), 1);
    CHECK_U64(test_ints_least(NULL, items, 5, 8), 7);
}

/* The item that fills the gap of a removed item can come from another branch,
 * and may then have to rise. In the heap 0 | 10 1 .. | 11 12 13 14 | 2, item 2
 * fills the gap of item 13. */
static void test_rises_after_removal(void)
{
    int items[] = {0, 10, 1, 20, 21, 11, 12, 13, 14, 2};
    static const int expected[] = {0, 2, 1, 20, 21, 11, 12, 10, 14};
    size_t count = 10;

    test_ints_remove(NULL, items, &count, 7);
    check_ints(items, expected, 9);
}

static void test_heap_check(const test_heap_t *heap, const uint32_t *key,
                            const int *is_in)
{
    test_heap_item_t least = {UINT32_MAX, UINT32_MAX};
    uint32_t number;
    size_t count = 0;

    for (number = 0; number < ITEMS; ++number) {
        if (is_in[number]) {
            ++count;
            CU_ASSERT_EQUAL_FATAL(heap->items[heap->at[number] - 1].number,
                                  number);
            if (key[number] < least.key) {
                least = (test_heap_item_t){key[number], number};
            }
        }
    }
    CU_ASSERT_EQUAL_FATAL(heap->count, count);
    if (count > 0) {
        CU_ASSERT_EQUAL_FATAL(heap->items[0].key, least.key);
        CU_ASSERT_EQUAL_FATAL(heap->items[0].number, least.number);
    }
}

/* Random steps add, take, remove and change items; many of the keys are
 * equal. */
static void test_random_steps(void)
{
    static test_heap_t heap;
    static uint32_t key[ITEMS];
    static int is_in[ITEMS];
    gms_random_t random;
    unsigned step;

    gms_random_init(&random, 1, 1);
    for (step = 0; step < STEPS; ++step) {
        uint32_t number = (uint32_t)gms_random_below(&random, ITEMS);
        test_heap_item_t item = {(uint32_t)gms_random_below(&random, 50),
                                 number};

        if (!is_in[number]) {
            is_in[number] = 1;
            key[number] = item.key;
            test_heap_add(&heap, heap.items, &heap.count, item);
        } else if (item.key % 3 == 0) {
            is_in[number] = 0;
            test_heap_remove(&heap, heap.items, &heap.count,
                             heap.at[number] - 1);
        } else if (item.key % 3 == 1) {
            key[number] = item.key;
            test_heap_settle(&heap, heap.items, heap.count, heap.at[number] - 1,
                             item);
        } else {
            item = test_heap_take(&heap, heap.items, &heap.count);
            is_in[item.number] = 0;
        }
        test_heap_check(&heap, key, is_in);
    }
}

static CU_TestInfo heap_tests[] = {
    {"indices of a small heap", test_by_hand},
    {"smallest item of a row of up to four items", test_least},
    {"an item that fills a gap can move up", test_rises_after_removal},
    {"random steps compared with a list", test_random_steps},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"heap", NULL, NULL, NULL, NULL, heap_tests});
}
