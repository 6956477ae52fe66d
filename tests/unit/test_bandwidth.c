/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the remaining bandwidth in denials: the largest possible request, and
 * its rounding to the digits that are printed. */
#include "base/bandwidth.h"

#include <string.h>

#include "unit.h"

#define PRODUCT 8192e6 /* 4096 bytes per tick of 0.5 us */

static void check_left(double bytes_s, const char *expected)
{
    char text[GMS_BANDWIDTH_LEN];

    gms_bandwidth_print(gms_bandwidth_left_mb(bytes_s), text);
    if (strcmp(text, expected) != 0) {
        printf("\n    %.17g bytes/s: %s, expected %s\n", bytes_s, text,
               expected);
    }
    CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_none(void)
{
    check_left(0, "0");
    check_left(-1, "0");
    check_left(NAN, "0");
    check_left(5e-324, "0");
}

/* The last digit is rounded down, on both sides of a power of ten. */
static void test_rounding(void)
{
    check_left(1, "1e-06");
    check_left(8192, "0.008192");
    check_left(99999.9, "0.09999");
    check_left(100000, "0.1");
    check_left(9252900, "9.252");
    check_left(9999000, "9.999");
    check_left(9999900, "9.999");
    check_left(10e6, "10");
    check_left(10009999, "10");
    check_left(10010000, "10.01");
    check_left(999.999e6, "999.9");
    check_left(9999.4e6, "9999");
    check_left(9999.9e6, "9999");
    check_left(1e10, "10000");
    check_left(12345.6e6, "12340");
    check_left(99999.9e6, "99990");
    check_left(1e12, "1000000");
}

/* A number of four digits is printed without a change, and the next smaller
 * number that differs by more than a rounding error loses one in the last
 * digit. */
static void test_four_digits(void)
{
    static const double digits[] = {1e2, 1e3, 1e4, 1e5};
    unsigned number, i;

    for (i = 0; i < sizeof(digits) / sizeof(digits[0]); ++i) {
        for (number = 1000; number < 10000; ++number) {
            char same[GMS_BANDWIDTH_LEN], less[GMS_BANDWIDTH_LEN];
            double bytes_s = number * digits[i];
            unsigned below = number - 1;

            gms_bandwidth_print(bytes_s / 1e6, same);
            check_left(bytes_s, same);
            gms_bandwidth_print(below * digits[i] / 1e6, less);
            if (below >= 1000) {
                check_left(bytes_s * (1 - 1e-9), less);
            }
        }
    }
}

/* The request needs an IDT whose bandwidth is at most the remaining bandwidth.
 * The next shorter IDT would need more. */
static void test_request_fits(void)
{
    double left, part = 0.7;

    for (left = 1e5; left < 78e6; left *= 1.0093) {
        double asked = gms_bandwidth_request(left, PRODUCT, part);
        double ticks = floor(PRODUCT / (asked / part));

        CU_ASSERT_TRUE(PRODUCT / ticks <= left * (1 + 1e-8));
        CU_ASSERT_TRUE(PRODUCT / (ticks - 1) > left);
    }
}

/* If the remaining bandwidth is that of an IDT, rounding errors do not cost a
 * tick, and the request is slightly smaller than this bandwidth. */
static void test_request_of_whole_ticks(void)
{
    unsigned ticks;

    for (ticks = 1; ticks < 20000; ++ticks) {
        double left = PRODUCT / ticks;

        CHECK_NEAR(gms_bandwidth_request(left, PRODUCT, 1), left, 1.1e-9);
        CU_ASSERT_TRUE(gms_bandwidth_request(left, PRODUCT, 1) < left);
    }
}

static void test_request_limits(void)
{
    double least = PRODUCT / GMS_BANDWIDTH_IDT_TICKS;

    CHECK_NEAR(gms_bandwidth_request(0, PRODUCT, 1), 0, 0);
    CHECK_NEAR(gms_bandwidth_request(-1, PRODUCT, 1), 0, 0);
    CHECK_NEAR(gms_bandwidth_request(least * 0.999, PRODUCT, 1), 0, 0);
    CHECK_NEAR(gms_bandwidth_request(least, PRODUCT, 0.5), least / 2, 1e-8);
    CHECK_NEAR(gms_bandwidth_process_request(least * 0.999, PRODUCT, 1), 0, 0);
    CHECK_NEAR(gms_bandwidth_process_request(least, PRODUCT, 0.5),
               least / 2 * (1 - 1e-6), 1e-12);
    CHECK_NEAR(gms_bandwidth_process_request(45.6789e6, PRODUCT, 0.5),
               45.6789e6 / 2 * (1 - 1e-6), 1e-12);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"no remaining bandwidth", test_none},
        {"rounding down", test_rounding},
        {"four digits", test_four_digits},
        {"the request fits", test_request_fits},
        {"whole ticks", test_request_of_whole_ticks},
        {"limits of the request", test_request_limits},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"bandwidth", NULL, NULL, NULL, NULL, tests});
}
