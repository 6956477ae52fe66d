/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the hash table. Compares the slots of a small table with slots computed
 * by hand, and compares a long random run with an array.
 */
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "unit.h"

#define SLOTS 16u
#define KEYS  40u
#define STEPS 20000u

typedef struct test_slot {
    uint32_t key; /* 0: free */
    uint32_t value;
} test_slot_t;

static int test_is_free(const test_slot_t *slot)
{
    return slot->key == 0;
}

static int test_is_key(const uint32_t *calls, const test_slot_t *slot,
                       uint64_t hash, uint32_t key)
{
    (void)calls;
    (void)hash;
    return slot->key == key;
}

/* Keys that differ by ten have the same home slot. */
static uint64_t test_hash_of(const test_slot_t *slot)
{
    return slot->key % 10;
}

GMS_HASH_DEFINE(test_hash, test_slot_t, const uint32_t *, uint32_t,
                test_is_free, test_is_key, test_hash_of);

static size_t test_find(const test_slot_t *slots, uint32_t key)
{
    return test_hash_find(NULL, slots, SLOTS - 1, key % 10, key);
}

static void test_put(test_slot_t *slots, uint32_t key, uint32_t value)
{
    slots[test_find(slots, key)] = (test_slot_t){key, value};
}

static void test_remove(test_slot_t *slots, uint32_t key)
{
    slots[test_hash_remove(slots, SLOTS - 1, test_find(slots, key))].key = 0;
}

/* Keys 3, 13, 4, 23 and 5 are in slots 3..7. After key 13 has been removed, key
 * 4 is in its home slot, and keys 23 and 5 follow. After key 3 has been
 * removed, keys 23 and 5 are also in their home slots. */
static void test_by_hand(void)
{
    static const uint32_t put[] = {3, 13, 4, 23, 5};
    static const uint32_t left[] = {3, 4, 23, 5, 0};
    static const uint32_t end[] = {23, 4, 5, 0, 0};
    test_slot_t slots[SLOTS] = {{0, 0}};
    unsigned i;

    for (i = 0; i < 5; ++i) {
        test_put(slots, put[i], i);
    }
    for (i = 0; i < 5; ++i) {
        CHECK_U64(slots[3 + i].key, put[i]);
        CHECK_U64(test_find(slots, put[i]), 3 + i);
    }
    CHECK_U64(test_find(slots, 33), 8); /* this slot is free */
    test_remove(slots, 13);
    for (i = 0; i < 5; ++i) {
        CHECK_U64(slots[3 + i].key, left[i]);
    }
    test_remove(slots, 3);
    for (i = 0; i < 5; ++i) {
        CHECK_U64(slots[3 + i].key, end[i]);
    }
}

/* A run of occupied slots wraps around at the end of the array, and is then
 * moved to a larger array. */
static void test_wrap(void)
{
    test_slot_t slots[4] = {{0, 0}}, larger[8] = {{0, 0}};

    slots[test_hash_find(NULL, slots, 3, 3, 3)] = (test_slot_t){3, 0};
    slots[test_hash_find(NULL, slots, 3, 3, 13)] = (test_slot_t){13, 0};
    slots[test_hash_find(NULL, slots, 3, 0, 20)] = (test_slot_t){20, 0};
    CHECK_U64(slots[3].key, 3);
    CHECK_U64(slots[0].key, 13);
    CHECK_U64(slots[1].key, 20);
    test_hash_move(slots, 4, larger, 7);
    CHECK_U64(larger[0].key, 20);
    CHECK_U64(larger[3].key, 13); /* this key was the first key of its run */
    CHECK_U64(larger[4].key, 3);
    slots[test_hash_remove(slots, 3, 3)].key = 0;
    CHECK_U64(slots[3].key, 13);
    CHECK_U64(slots[0].key, 20);
    CHECK_U64(slots[1].key, 0);
}

static void test_check(const test_slot_t *slots, const uint32_t *value)
{
    uint32_t key;
    unsigned used = 0, in_use = 0, i;

    for (key = 1; key < KEYS; ++key) {
        size_t at = test_find(slots, key);

        used += value[key] != 0;
        CU_ASSERT_EQUAL_FATAL(slots[at].key, value[key] != 0 ? key : 0);
        if (value[key] != 0) {
            CU_ASSERT_EQUAL_FATAL(slots[at].value, value[key]);
        }
    }
    for (i = 0; i < SLOTS; ++i) {
        in_use += slots[i].key != 0;
    }
    CU_ASSERT_EQUAL_FATAL(in_use, used);
}

static void test_random_steps(void)
{
    test_slot_t slots[SLOTS] = {{0, 0}};
    uint32_t value[KEYS] = {0}, used = 0;
    gms_random_t random;
    unsigned step;

    gms_random_init(&random, 1, 1);
    for (step = 1; step <= STEPS; ++step) {
        uint32_t key = 1 + (uint32_t)gms_random_below(&random, KEYS - 1);

        if (value[key] != 0) {
            test_remove(slots, key);
            value[key] = 0;
            --used;
        } else if (used < SLOTS - 1) {
            test_put(slots, key, step);
            value[key] = step;
            ++used;
        }
        test_check(slots, value);
    }
}

static CU_TestInfo hash_tests[] = {
    {"slots of a small table", test_by_hand},
    {"a run of slots wraps around, also when the array grows", test_wrap},
    {"random steps compared with an array", test_random_steps},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"hash", NULL, NULL, NULL, NULL, hash_tests});
}
