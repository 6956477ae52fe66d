/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests numbers with units in hints, policies and plans. */
#include "gmsim/yaml/quantity.h"

#include "unit.h"

#include <limits.h>
#include <locale.h>
#include <string.h>

static void check_bandwidth(const char *text, double expected)
{
    double bytes_s = -77;

    CHECK_U64(mpiqos_quantity_bandwidth(text, &bytes_s), 0);
    CHECK_NEAR(bytes_s, expected, 0);
}

static void test_bandwidths(void)
{
    check_bandwidth("0", 0);
    check_bandwidth("0.0", 0);
    check_bandwidth("40000000 B/s", 40e6);
    check_bandwidth("40e6 bytes/s", 40e6);
    check_bandwidth("40 MB/s", 40e6);
    check_bandwidth("40MB/s", 40e6);
    check_bandwidth("  12.5  kB/s", 12500);
    check_bandwidth(".5 GB/s", 5e8);
    check_bandwidth("7 B/s", 7);
    check_bandwidth("1 KiB/s", 1024);
    check_bandwidth("1.5 MiB/s", 1572864);
    check_bandwidth("2GiB/s", 2147483648.0);
    check_bandwidth("7 bytes/s", 7);
    check_bandwidth("-4 B/s", -4);
    check_bandwidth("1e99B/s", 1e99);
}

/* A number without a unit is ambiguous: it could mean 40 MB/s or 40 bytes/s. */
static void test_no_unit(void)
{
    char why[MPIQOS_NO_BANDWIDTH_LEN];

    mpiqos_quantity_no_bandwidth("40", why);
    CU_ASSERT_STRING_EQUAL(why, "has no unit: '40 MB/s' or '40 B/s'?");
    mpiqos_quantity_no_bandwidth(" 4e7 ", why);
    CU_ASSERT_STRING_EQUAL(why, "has no unit: '4e7 MB/s' or '4e7 B/s'?");
    mpiqos_quantity_no_bandwidth("40 Mb/s", why);
    CU_ASSERT_STRING_EQUAL(why, "is not a valid bandwidth");
    mpiqos_quantity_no_bandwidth("", why);
    CU_ASSERT_STRING_EQUAL(why, "is not a valid bandwidth");
}

static void test_no_bandwidths(void)
{
    static const char *const texts[] = {
        "",
        " ",
        "fast",
        "40 MB",
        "40",
        "4e7",
        "1 ",
        "40 Mb/s",
        "40 KB/s",
        "4,5",
        "0x10",
        "nan",
        "inf",
        "1e",
        "--1",
        "MB/s",
        "40 MB/s x",
        "1 2",
        "1 KIB/s",
        "1 kiB/s",
        "40\t",
        "1e5e5",
        "40 mb/s",
        "00000000000000000000000000000000000000000000000000000000000000000001",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        double bytes_s = -77;
        int result = mpiqos_quantity_bandwidth(texts[i], &bytes_s);

        if (result != -1) {
            printf("\n    '%s' is %g\n", texts[i], bytes_s);
        }
        CU_ASSERT_EQUAL(result, -1);
        CHECK_NEAR(bytes_s, -77, 0);
    }
}

static void test_whole_numbers(void)
{
    long number = 5;

    CHECK_U64(mpiqos_quantity_whole("65536", &number), 0);
    CHECK_U64(number, 65536);
    CHECK_U64(mpiqos_quantity_whole(" -3", &number), 0);
    CHECK_U64(number, -3);
    CHECK_U64(mpiqos_quantity_whole("99999999999999999999", &number), 0);
    CHECK_U64(number, LONG_MAX);
    CU_ASSERT_EQUAL(mpiqos_quantity_whole("", &number), -1);
    CU_ASSERT_EQUAL(mpiqos_quantity_whole("1.0", &number), -1);
    CU_ASSERT_EQUAL(mpiqos_quantity_whole("64K", &number), -1);
    CU_ASSERT_EQUAL(mpiqos_quantity_whole("1 ", &number), -1);
    CU_ASSERT_EQUAL(mpiqos_quantity_whole("1-1", &number), -1);
    CHECK_U64(number, LONG_MAX);
}

static void test_print(void)
{
    char text[MPIQOS_QUANTITY_LEN];

    mpiqos_quantity_print(40e6, text);
    CU_ASSERT_STRING_EQUAL(text, "40000000");
    mpiqos_quantity_print(12.5, text);
    CU_ASSERT_STRING_EQUAL(text, "12.5");
    mpiqos_quantity_print(0, text);
    CU_ASSERT_STRING_EQUAL(text, "0");
}

static void check_seconds(const char *text, double expected)
{
    double seconds = -77;

    CHECK_U64(mpiqos_quantity_seconds(text, &seconds), 0);
    CHECK_NEAR(seconds, expected, 1e-15);
}

static void test_times(void)
{
    static const char *const wrong[] = {
        "",   "2",     "0.002",  "2 m",    "2 MS",  "2 sec",
        "ms", "nan s", "2,5 ms", "1 us 2", "inf s", "0 0",
    };

    check_seconds("2 ms", 2e-3);
    check_seconds("250us", 250e-6);
    check_seconds(" 0.5 s", 0.5);
    check_seconds("100 ns", 100e-9);
    check_seconds("-1 ms", -1e-3);
    check_seconds("0", 0);
    check_seconds("0 s", 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        double seconds = -77;

        CU_ASSERT_EQUAL(mpiqos_quantity_seconds(wrong[i], &seconds), -1);
        CHECK_NEAR(seconds, -77, 0);
    }
}

static void test_bytes(void)
{
    static const char *const wrong[] = {"",    "1.5",   "64 K", "64 KB",
                                        "nan", "1 B/s", "x",    "0.3 kB s"};
    double bytes = 0;

    CHECK_U64(mpiqos_quantity_bytes("65536", &bytes), 0);
    CHECK_NEAR(bytes, 65536, 0);
    CHECK_U64(mpiqos_quantity_bytes("64 KiB", &bytes), 0);
    CHECK_NEAR(bytes, 65536, 0);
    CHECK_U64(mpiqos_quantity_bytes("1.5kB", &bytes), 0);
    CHECK_NEAR(bytes, 1500, 0);
    CHECK_U64(mpiqos_quantity_bytes("-1", &bytes), 0);
    CHECK_NEAR(bytes, -1, 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        CU_ASSERT_EQUAL(mpiqos_quantity_bytes(wrong[i], &bytes), -1);
    }
    CHECK_NEAR(bytes, -1, 0);
}

/* Times are rounded up for display, so that a request for the displayed time is
 * not denied. */
static void test_print_time(void)
{
    char text[MPIQOS_QUANTITY_LEN];

    mpiqos_quantity_time(2e-3, text);
    CU_ASSERT_STRING_EQUAL(text, "2 ms");
    mpiqos_quantity_time(1.23401e-3, text);
    CU_ASSERT_STRING_EQUAL(text, "1.235 ms");
    mpiqos_quantity_time(85.3e-6, text);
    CU_ASSERT_STRING_EQUAL(text, "85.3 us");
    mpiqos_quantity_time(12, text);
    CU_ASSERT_STRING_EQUAL(text, "12 s");
    mpiqos_quantity_time(5e-9, text);
    CU_ASSERT_STRING_EQUAL(text, "5 ns");
    mpiqos_quantity_time(0, text);
    CU_ASSERT_STRING_EQUAL(text, "0 s");
}

/* A locale with a decimal comma does not change the results. (The locale is
 * tested only if it is installed.) */
static void test_locale(void)
{
    const char *before = setlocale(LC_NUMERIC, "de_DE.UTF-8");

    test_bandwidths();
    test_no_bandwidths();
    test_print();
    test_times();
    if (before != NULL) {
        (void)setlocale(LC_NUMERIC, "C");
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"bandwidths", test_bandwidths},
        {"invalid bandwidths", test_no_bandwidths},
        {"whole numbers", test_whole_numbers},
        {"printing", test_print},
        {"no unit", test_no_unit},
        {"times", test_times},
        {"bytes", test_bytes},
        {"printing times", test_print_time},
        {"locale", test_locale},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"quantity", NULL, NULL, NULL, NULL, tests});
}
