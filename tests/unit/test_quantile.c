/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests quantiles by the nearest-rank method: compares ranks with their
 * definition, and histogram bins with bins computed by hand and with sorted
 * values.
 */
#include "base/quantile.h"
#include "base/random.h"
#include "unit.h"

#define BINS 20u

typedef struct test_bin {
    uint64_t from;
    uint64_t count;
} test_bin_t;

static void test_ranks(void)
{
    CHECK_U64(gms_quantile_rank(0, 0.5), 0);
    CHECK_U64(gms_quantile_rank(1, 0), 1);
    CHECK_U64(gms_quantile_rank(1, 0.99), 1);
    CHECK_U64(gms_quantile_rank(10, 0.5), 5);
    CHECK_U64(gms_quantile_rank(11, 0.5), 6);
    CHECK_U64(gms_quantile_rank(100, 0.99), 99);
    CHECK_U64(gms_quantile_rank(101, 0.99), 100);
    CHECK_U64(gms_quantile_rank(7, 1), 7);
    CHECK_U64(gms_quantile_rank((UINT64_C(1) << 53) + 3, 1),
              (UINT64_C(1) << 53) + 3);
    CHECK_U64(gms_quantile_rank(UINT64_MAX, 1), UINT64_MAX);
}

/* If the product of part and count is a whole number, rounding errors must not
 * increase the rank by one. */
static void test_whole_ranks(void)
{
    uint64_t count;

    for (count = 1; count < 100000; ++count) {
        CHECK_U64(gms_quantile_rank(count, 0.99), (99 * count + 99) / 100);
        CHECK_U64(gms_quantile_rank(count, 0.9), (9 * count + 9) / 10);
        CHECK_U64(gms_quantile_rank(count, 0.5), (count + 1) / 2);
    }
}

static void test_bins(void)
{
    static const uint64_t counts[] = {0, 3, 0, 6, 1, 0};
    static const uint64_t empty[3] = {0};
    static const test_bin_t bins[] = {{10, 1}, {20, 1}, {40, 2}};
    static const uint64_t many[] = {UINT64_MAX, 3, UINT64_MAX};

    CHECK_U64(gms_quantile_bin(counts, sizeof(counts[0]), 6, 0), 1);
    CHECK_U64(gms_quantile_bin(counts, sizeof(counts[0]), 6, 0.3), 1);
    CHECK_U64(gms_quantile_bin(counts, sizeof(counts[0]), 6, 0.31), 3);
    CHECK_U64(gms_quantile_bin(counts, sizeof(counts[0]), 6, 0.9), 3);
    CHECK_U64(gms_quantile_bin(counts, sizeof(counts[0]), 6, 1), 4);
    CHECK_U64(gms_quantile_bin(empty, sizeof(empty[0]), 3, 0.5), 3);
    CHECK_U64(gms_quantile_bin(NULL, sizeof(empty[0]), 0, 0.5), 0);
    /* In a damaged record, the sum of the counts may be meaningless, but the
     * function must still return a valid bin. */
    CU_ASSERT(gms_quantile_bin(many, sizeof(many[0]), 3, 0.99) < 3);
    CHECK_U64(gms_quantile_bin(&bins[0].count, sizeof(bins[0]), 3, 0.5), 1);
    CHECK_U64(gms_quantile_bin(&bins[0].count, sizeof(bins[0]), 3, 0.51), 2);
}

/* The returned bin must contain the value that has the rank of the quantile. */
static void test_random_bins(void)
{
    gms_random_t random;
    unsigned round, i;

    gms_random_init(&random, 1, 1);
    for (round = 0; round < 2000; ++round) {
        uint64_t counts[BINS] = {0}, values[200], rank;
        uint64_t count = 1 + gms_random_below(&random, 199);
        double part = (double)gms_random_below(&random, 101) / 100;
        unsigned n = 0, k;

        for (i = 0; i < count; ++i) {
            ++counts[gms_random_below(&random, BINS)];
        }
        for (i = 0; i < BINS; ++i) { /* the values are in ascending order */
            for (k = 0; k < counts[i]; ++k) {
                values[n++] = i;
            }
        }
        rank = gms_quantile_rank(count, part);
        CU_ASSERT_FATAL(rank >= 1 && rank <= count);
        CHECK_U64(gms_quantile_bin(counts, sizeof(counts[0]), BINS, part),
                  values[rank - 1]);
    }
}

static CU_TestInfo quantile_tests[] = {
    {"ranks", test_ranks},
    {"ranks that are whole numbers", test_whole_ranks},
    {"bins whose quantiles were computed by hand", test_bins},
    {"bins compared with sorted values", test_random_bins},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"quantile", NULL, NULL, NULL, NULL, quantile_tests});
}
