/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the text form of JSON values. Compares the text with text written by
 * hand. For random values, compares the text with the output of the JSON
 * library.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/random.h"
#include "unit.h"

#define FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12))

static void check_text(gms_json_text_t *text, const char *expected)
{
    CU_ASSERT_EQUAL(text->failed, 0);
    gms_json_add_char(text, '\0');
    if (strcmp(text->bytes, expected) != 0) {
        printf("\n    is       %s\n    expected %s\n", text->bytes, expected);
    }
    CU_ASSERT_STRING_EQUAL(text->bytes, expected);
    free(text->bytes);
    *text = (gms_json_text_t){0};
}

static void test_pieces(void)
{
    gms_json_text_t text = {0};

    gms_json_add_char(&text, '{');
    gms_json_add_key(&text, "flows");
    gms_json_add_number(&text, UINT64_MAX);
    gms_json_add_line(&text, ",", 2);
    gms_json_add(&text, "xyz", 2);
    gms_json_add_line(&text, "", 0);
    gms_json_add_number(&text, 0);
    check_text(&text, "{\"flows\":18446744073709551615,\n  xy\n0");
}

static void test_values(void)
{
    static const char *const values[] = {"-9223372036854775808",
                                         "9223372036854775807",
                                         "[]",
                                         "{}",
                                         "null",
                                         "true",
                                         "\"a\\\"\\n\\u0001\"",
                                         "0.1",
                                         "[[],{\"a\":[1,-2]},\"x\"]"};
    gms_json_text_t text = {0};
    unsigned i;

    for (i = 0; i < sizeof(values) / sizeof(values[0]); ++i) {
        json_t *value = json_loads(values[i], JSON_DECODE_ANY, NULL);

        gms_json_add_value(&text, value);
        json_decref(value);
        check_text(&text, values[i]);
    }
}

/* Values down to the third level begin on separate lines. Below the first
 * level, each entry of a list has one line. */
static void test_lines(void)
{
    json_t *value = json_loads(
        "{\"a\":1,\"b\":{\"c\":[1,{\"d\":2}],\"e\":{\"f\":{\"g\":[]}}}}", 0,
        NULL);
    gms_json_text_t text = {0};

    gms_json_print(&text, value, 0);
    json_decref(value);
    check_text(&text, "{\n \"a\": 1,\n \"b\": {\n  \"c\": [\n  1,\n  "
                      "{\"d\":2}],\n  \"e\": {\n   \"f\": {\"g\":[]}}}}");
}

static json_t *random_value(gms_random_t *random, unsigned depth)
{
    unsigned kind = (unsigned)gms_random_below(random, depth < 4 ? 5 : 3), i;
    json_t *value = kind == 3 ? json_array() : json_object();
    char key[16];

    if (kind < 3) {
        json_decref(value);
        return kind == 0 ? json_integer(
                               (json_int_t)gms_random_below(random, UINT64_MAX))
               : kind == 1
                   ? json_real((double)gms_random_below(random, 1000) / 7)
                   : json_string("\xc3\xbc/\t");
    }
    for (i = (unsigned)gms_random_below(random, 5); i > 0; --i) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        if (kind == 3) {
            (void)json_array_append_new(value, random_value(random, depth + 1));
        } else {
            (void)json_object_set_new(value, key,
                                      random_value(random, depth + 1));
        }
    }
    return value;
}

/* The text of all values is too long for the first block of memory. */
static void test_random_values(void)
{
    gms_json_text_t text = {0};
    gms_random_t random;
    unsigned round;

    gms_random_init(&random, 1, 1);
    for (round = 0; round < 20000; ++round) {
        json_t *value = random_value(&random, 0);
        char *expected = json_dumps(value, FLAGS);
        size_t before = text.used;

        gms_json_add_value(&text, value);
        CU_ASSERT_EQUAL_FATAL(text.used - before, strlen(expected));
        CU_ASSERT_EQUAL(memcmp(text.bytes + before, expected, strlen(expected)),
                        0);
        free(expected);
        json_decref(value);
    }
    CU_ASSERT(text.used > 3 * 65536);
    free(text.bytes);
}

static CU_TestInfo json_text_tests[] = {
    {"pieces", test_pieces},
    {"values", test_values},
    {"lines", test_lines},
    {"random values match the library's output", test_random_values},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"json text", NULL, NULL, NULL, NULL, json_text_tests});
}
