/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests checksums, printable text, decimal numbers, lines of limited length,
 * the depth limit of the YAML reader, and the memory limit of the JSON reader.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/decimal.h"
#include "base/json_memory.h"
#include "base/limits.h"
#include "base/line.h"
#include "base/printable.h"
#include "yaml/depth.h"
#include "base/random.h"
#include "base/student.h"
#include "unit.h"

/* Compare a checksum with the check value of CRC-64/XZ, and compare the
 * checksum of two parts with the checksum of the whole text. */
static void test_checksum(void)
{
    unsigned char bytes[300];
    gms_random_t random;
    unsigned i, cut;
    uint64_t whole;

    CHECK_U64(gms_checksum(0, "123456789", 9), UINT64_C(0x995dc9bbdf1939fa));
    gms_random_init(&random, 1, 1);
    for (i = 0; i < sizeof(bytes); ++i) {
        bytes[i] = (unsigned char)gms_random_below(&random, 256);
    }
    whole = gms_checksum(0, bytes, sizeof(bytes));
    for (cut = 0; cut <= sizeof(bytes); ++cut) {
        CHECK_U64(gms_checksum(gms_checksum(0, bytes, cut), bytes + cut,
                               sizeof(bytes) - cut),
                  whole);
    }
    for (i = 0; i < 8 * sizeof(bytes); ++i) {
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
        CU_ASSERT_NOT_EQUAL(gms_checksum(0, bytes, sizeof(bytes)), whole);
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
    }
}

static void check_printable(const char *text, const char *expected)
{
    char to[64];

    CU_ASSERT_STRING_EQUAL(gms_printable(text, to, sizeof(to)), expected);
    CU_ASSERT_EQUAL(gms_is_printable(text), strcmp(text, expected) == 0);
    CU_ASSERT_TRUE(gms_is_printable(expected));
}

static void test_printable(void)
{
    char small[4];

    check_printable("plain text", "plain text");
    check_printable("\x1b[31mred\x1b[0m", "?[31mred?[0m");
    check_printable("a\nb\rc\td\x7f", "a?b?c?d?");
    check_printable("Gr\xc3\xbc\xc3\x9f"
                    "e \xe2\x82\xac \xf0\x9f\x98\x80",
                    "Gr\xc3\xbc\xc3\x9f"
                    "e \xe2\x82\xac \xf0\x9f\x98\x80");
    check_printable("\xc2\x9b"
                    "31m",
                    "?31m"); /* a C1 control character */
    check_printable("a\xe2\x80\xae"
                    "b",
                    "a?b"); /* this character reverses the direction of the
                             * text */
    check_printable("a\xe2\x80\xa8"
                    "b",
                    "a?b"); /* a line separator */
    check_printable("\xe2\x81\xa6\xef\xbb\xbf", "?\?");
    check_printable("\xff\xc3(\xc0\xaf\xed\xa0\x80", "?\?(?????");
    check_printable("\xf0\x9f\x98", "?\?\?"); /* an incomplete character */
    CU_ASSERT_STRING_EQUAL(gms_printable("ab\xe2\x82\xac", small, 4), "ab");
    CU_ASSERT_STRING_EQUAL(gms_printable("abcdef", small, 4), "abc");
}

static void test_decimal(void)
{
    static const char *const texts[] = {"0x10", "-0x1p3", "inf", "nan", " 1",
                                        "",     "+",      ".",   "x"};
    char *end;
    unsigned i;

    CHECK_NEAR(gms_decimal("-2.5e3x", &end), -2500, 0);
    CU_ASSERT_STRING_EQUAL(end, "x");
    CHECK_NEAR(gms_decimal(".5", &end), 0.5, 0);
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        CHECK_NEAR(gms_decimal(texts[i], &end), 0, 0);
        CU_ASSERT_PTR_EQUAL(end, texts[i]);
    }
}

static void test_lines(void)
{
    char data[] = "one\ntwo\0x\nlonger than ten\n", *text = NULL;
    FILE *stream = fmemopen(data, sizeof(data) - 1, "r");
    size_t room = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    CHECK_U64(gms_read_line(stream, &text, &room, 10), 4);
    CU_ASSERT_STRING_EQUAL(text, "one\n");
    CHECK_U64(gms_read_line(stream, &text, &room, 10), 6);
    errno = 0;
    CU_ASSERT_EQUAL(gms_read_line(stream, &text, &room, 10), -1);
    CU_ASSERT_EQUAL(errno, EFBIG);
    (void)fclose(stream);
    free(text);
}

static void test_depth(void)
{
    unsigned char text[256];
    size_t line = 0;

    memset(text, '[', sizeof(text));
    CU_ASSERT_TRUE(gms_yaml_is_flat(text, GMS_LIMIT_DEPTH, &line));
    CHECK_U64(line, 0);
    CU_ASSERT_FALSE(gms_yaml_is_flat(text, GMS_LIMIT_DEPTH + 1, &line));
    CHECK_U64(line, 1);
    CU_ASSERT_TRUE(gms_yaml_is_flat((const unsigned char *)"a: }", 4, &line));
}

static void test_json_memory(void)
{
    json_t *array;

    gms_json_limit(100000);
    array = json_loads("[1, 2, 3]", 0, NULL);
    CU_ASSERT_PTR_NOT_NULL(array);
    CU_ASSERT_FALSE(gms_json_is_short());
    while (json_array_append_new(array, json_object()) == 0) {
    }
    CU_ASSERT_TRUE(gms_json_is_short());
    CU_ASSERT_TRUE(json_array_size(array) > 100 &&
                   json_array_size(array) < 3000);
    json_decref(array);
    gms_json_limit(0);
}

/* Quantiles of Student's t distribution from printed tables. */
static void test_student(void)
{
    CU_ASSERT_TRUE(isinf(gms_student_95(0)));
    CHECK_NEAR(gms_student_95(1), 12.706, 1e-6);
    CHECK_NEAR(gms_student_95(2), 4.303, 1e-6);
    CHECK_NEAR(gms_student_95(30), 2.042, 1e-6);
    CHECK_NEAR(gms_student_95(31), 2.040, 3e-4);
    CHECK_NEAR(gms_student_95(60), 2.000, 3e-4);
    CHECK_NEAR(gms_student_95(120), 1.980, 3e-4);
    CHECK_NEAR(gms_student_95(1000000), 1.960, 3e-4);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"checksum", test_checksum},
        {"printable text", test_printable},
        {"decimal numbers", test_decimal},
        {"lines of limited length", test_lines},
        {"limit of the nesting depth of YAML", test_depth},
        {"limit of the memory for JSON", test_json_memory},
        {"Student's t distribution", test_student},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"base", NULL, NULL, NULL, NULL, tests});
}
