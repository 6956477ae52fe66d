/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the benchmark harness: numbers, sizes, and statistics. Expected values
 * are computed by hand.
 */
#include "benchmarks/harness.h"

#include <string.h>

#include "unit.h"

static int parses(const char *text, size_t expected)
{
    size_t number = 0;

    return bench_parse_size(text, 1, BENCH_MAX_BYTES, &number) == 0 &&
           number == expected;
}

static int refuses(const char *text)
{
    size_t number = 42;

    return bench_parse_size(text, 1, BENCH_MAX_BYTES, &number) != 0 &&
           number == 42;
}

static void test_byte_sizes(void)
{
    CU_ASSERT_TRUE(refuses(""));
    CU_ASSERT_TRUE(refuses("-1"));
    CU_ASSERT_TRUE(refuses("+1"));
    CU_ASSERT_TRUE(refuses(" 1"));
    CU_ASSERT_TRUE(refuses("1x"));
    CU_ASSERT_TRUE(refuses("1KB"));
    CU_ASSERT_TRUE(refuses("1.5K"));
    CU_ASSERT_TRUE(refuses("0"));
    CU_ASSERT_TRUE(refuses("67108865"));
    CU_ASSERT_TRUE(refuses("65M"));
    CU_ASSERT_TRUE(refuses("99999999999999999999999"));
    CU_ASSERT_TRUE(refuses("18014398509481985K")); /* 2^54 + 1 */
    CU_ASSERT_TRUE(parses("1", 1));
    CU_ASSERT_TRUE(parses("64K", 65536));
    CU_ASSERT_TRUE(parses("64KiB", 65536));
    CU_ASSERT_TRUE(parses("4M", 4194304));
    CU_ASSERT_TRUE(parses("4MiB", 4194304));
    /* These units are ambiguous: k can be 1000 or 1024, and m can mean
     * milli. */
    CU_ASSERT_TRUE(refuses("64k"));
    CU_ASSERT_TRUE(refuses("64kB"));
    CU_ASSERT_TRUE(refuses("4MB"));
    CU_ASSERT_TRUE(refuses("4m"));
}

static void test_counts(void)
{
    static const char *const wrong[] = {"",   "-1", "+1", " 1", "1x",
                                        "4K", "0",  "11", "1.5"};
    size_t number = 42;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        CU_ASSERT_NOT_EQUAL(bench_parse_number(wrong[i], 1, 10, &number), 0);
        CU_ASSERT_EQUAL(number, 42);
    }
    CU_ASSERT_EQUAL(bench_parse_number("1", 1, 10, &number), 0);
    CU_ASSERT_EQUAL(number, 1);
    CU_ASSERT_EQUAL(bench_parse_number("10", 1, 10, &number), 0);
    CU_ASSERT_EQUAL(number, 10);
}

/* Calls bench_parse() with the words of a command line. bench_parse() may
 * modify argv. */
static void parse(bench_t *bench, const char *line)
{
    static char words[256];
    char *argv[16];
    int argc = 0;

    snprintf(words, sizeof(words), "%s", line);
    argv[argc] = strtok(words, " ");
    while (argv[argc] != NULL) {
        argv[++argc] = strtok(NULL, " ");
    }
    bench_parse(bench, argc, argv);
}

static void test_sizes(void)
{
    bench_t bench = {.name = "test"};

    parse(&bench, "test --min=3 --max=20");
    CU_ASSERT_EQUAL(bench.min_bytes, 3);
    CU_ASSERT_EQUAL(bench_next_size(&bench, 3), 6);
    CU_ASSERT_EQUAL(bench_next_size(&bench, 6), 12);
    CU_ASSERT_EQUAL(bench_next_size(&bench, 12), 20);
    CU_ASSERT_EQUAL(bench_next_size(&bench, 20), 0);
}

static void test_iterations(void)
{
    bench_t bench = {.name = "test"};

    parse(&bench, "test");
    CU_ASSERT_EQUAL(bench_iterations(&bench, 65536), 100);
    CU_ASSERT_EQUAL(bench_iterations(&bench, 131072), 50);
    CU_ASSERT_EQUAL(bench_iterations(&bench, 4194304), 10);
    parse(&bench, "test -i 7");
    CU_ASSERT_EQUAL(bench_iterations(&bench, 4194304), 7);
}

/* The clock of this test: step n (counted from 0) takes n seconds. */
static double now_s;
static unsigned steps;

static double step_clock(void)
{
    return now_s;
}

static int step(void *context)
{
    int *fail_at = context;

    now_s += steps;
    return ((int)steps++ == *fail_at) ? 5 : 0;
}

/* Two warm-up steps are followed by samples of 2, 3, 4 and 5 s. The median
 * (nearest rank) is 3, and the mean is 3.5. The variance is the sum of squares,
 * 2.25 + 0.25 + 0.25 + 2.25 = 5, divided by 3. */
static void test_steps(void)
{
    bench_t bench = {.name = "test", .clock = step_clock};
    bench_result_t result;
    int fail_at = -1;

    parse(&bench, "test -w 2 -i 4");
    now_s = 0.0;
    steps = 0;
    CU_ASSERT_EQUAL(bench_time_steps(&bench, step, &fail_at, 30, &result), 0);
    CU_ASSERT_EQUAL(steps, 6);
    CU_ASSERT_EQUAL(result.bytes, 30);
    CU_ASSERT_EQUAL(result.samples, 4);
    CHECK_NEAR(result.min_s, 2.0, 1e-9);
    CHECK_NEAR(result.median_s, 3.0, 1e-9);
    CHECK_NEAR(result.p99_s, 5.0, 1e-9);
    CHECK_NEAR(result.mean_s, 3.5, 1e-9);
    CHECK_NEAR(result.stddev_s, sqrt(5.0 / 3.0), 1e-9);
    CHECK_NEAR(result.bandwidth_bytes_s, 20.0, 1e-9);

    steps = 0;
    fail_at = 3;
    CU_ASSERT_EQUAL(bench_time_steps(&bench, step, &fail_at, 30, &result), 5);
    CU_ASSERT_EQUAL(steps, 4);
}

/* There is one warm-up arrival. The arrivals are at 1, 3, 4, 6 and 9 s. Three
 * arrivals (at 3, 4 and 6 s) are in [2, 7]. The rate is therefore two messages
 * in 3 s. */
static void test_arrivals(void)
{
    const double arrivals_s[] = {0.5, 1.0, 3.0, 4.0, 6.0, 9.0};
    bench_t bench = {.name = "test"};
    bench_result_t result;

    parse(&bench, "test -w 1");
    CU_ASSERT_EQUAL(
        bench_rate_arrivals(&bench, arrivals_s, 6, 2.0, 7.0, 300, &result), 0);
    CU_ASSERT_EQUAL(result.samples, 2);
    CHECK_NEAR(result.min_s, 1.0, 1e-9);
    CHECK_NEAR(result.mean_s, 1.5, 1e-9);
    CHECK_NEAR(result.bandwidth_bytes_s, 200.0, 1e-9);
    /* The interval includes its ends, but not the warm-up. */
    CU_ASSERT_EQUAL(
        bench_rate_arrivals(&bench, arrivals_s, 6, 0.0, 9.0, 300, &result), 0);
    CU_ASSERT_EQUAL(result.samples, 4);
    CHECK_NEAR(result.bandwidth_bytes_s, 150.0, 1e-9);
    /* one arrival is not enough for a rate */
    CU_ASSERT_EQUAL(
        bench_rate_arrivals(&bench, arrivals_s, 6, 2.0, 3.0, 300, &result), 0);
    CU_ASSERT_EQUAL(result.samples, 0);
    CU_ASSERT_EQUAL(result.bandwidth_bytes_s, 0.0);
}

/* The 200 samples are 1 to 200 s. The 99th percentile is the 198th sample. */
static void test_percentile(void)
{
    bench_t bench = {.name = "test", .clock = step_clock};
    bench_result_t result;
    int fail_at = -1;

    parse(&bench, "test -w 1 -i 200");
    steps = 0;
    CU_ASSERT_EQUAL(bench_time_steps(&bench, step, &fail_at, 1, &result), 0);
    CHECK_NEAR(result.p99_s, 198.0, 1e-9);
    CHECK_NEAR(result.median_s, 100.0, 1e-9);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"byte sizes", test_byte_sizes}, {"counts", test_counts},
        {"sizes", test_sizes},           {"iterations", test_iterations},
        {"steps", test_steps},           {"arrivals", test_arrivals},
        {"percentile", test_percentile}, CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"harness", NULL, NULL, NULL, NULL, tests});
}
