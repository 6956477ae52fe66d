/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the common code of all unit tests: checks that print both values of a
 * failed comparison and then continue, and the exit status of main(), which
 * reports failures. (The result of CU_basic_run_tests() does not include failed
 * checks.)
 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <CUnit/Basic.h>

#define CHECK_U64(_actual, _expected)                                          \
    do {                                                                       \
        uint64_t actual_ = (uint64_t)(_actual);                                \
        uint64_t expected_ = (uint64_t)(_expected);                            \
        if (actual_ != expected_) {                                            \
            printf("\n    %s:%d: %s is %" PRIu64 ", expected %" PRIu64 "\n",   \
                   __FILE__, __LINE__, #_actual, actual_, expected_);          \
        }                                                                      \
        CU_ASSERT_TRUE(actual_ == expected_);                                  \
    } while (0)

/* Checks that _actual differs from _expected by at most the relative tolerance
 * _relative. */
#define CHECK_NEAR(_actual, _expected, _relative)                              \
    do {                                                                       \
        double actual_ = (_actual);                                            \
        double expected_ = (_expected);                                        \
        int near_ = fabs(actual_ - expected_) <= (_relative)*fabs(expected_);  \
        if (!near_) {                                                          \
            printf("\n    %s:%d: %s is %.12g, expected %.12g\n", __FILE__,     \
                   __LINE__, #_actual, actual_, expected_);                    \
        }                                                                      \
        CU_ASSERT_TRUE(near_);                                                 \
    } while (0)

static inline int unit_run(CU_SuiteInfo *suites)
{
    unsigned failures;
    unsigned ran;

    if (CU_initialize_registry() != CUE_SUCCESS ||
        CU_register_suites(suites) != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failures = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
    ran = CU_get_number_of_tests_run();
    CU_cleanup_registry();
    return failures == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Runs the suites, which are rows of a CU_SuiteInfo[], and returns the exit
 * status for main(). */
#define UNIT_RUN(...)                                                          \
    unit_run((CU_SuiteInfo[]){__VA_ARGS__, CU_SUITE_INFO_NULL})

#endif
