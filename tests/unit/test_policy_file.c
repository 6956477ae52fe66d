/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the rules for the opposite direction, which a policy requests with the
 * key `back`, and the rules for file accesses, in which one side is `io`.
 */
#include <string.h>
#include <unistd.h>

#include "gmsim/policy/policy_file.h"
#include "unit.h"
#include "yaml/records.h"

enum {
    SIZE = 4
};

static char dir[] = "/tmp/test_policy_file.XXXXXX";
static char path[64];
static mpiqos_rules_t rules;

static int suite_init(void)
{
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof(path), "%s/p.yaml", dir);
    return 0;
}

static int suite_cleanup(void)
{
    (void)unlink(path);
    return rmdir(dir);
}

static int reader(const char *name, const char *what, const char *const *keys,
                  mpiqos_record_fn *record_fn, void *context, char *error,
                  size_t error_len)
{
    (void)error_len; /* GMS_YAML_ERROR_LEN */
    return gms_records_read(name, what, keys, record_fn, context, error) ==
                   GMS_OK
               ? 0
               : -1;
}

/* Read a policy, and return the number of its rules, or -1. */
static int read_text(const char *text)
{
    char error[GMS_YAML_ERROR_LEN];
    FILE *file = fopen(path, "w");
    int count = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    (void)fputs(text, file);
    (void)fclose(file);
    if (mpiqos_rules_read(&rules, path, SIZE, reader, error, sizeof(error)) !=
        0) {
        return -1;
    }
    for (const mpiqos_rule_t *rule = rules.first; rule != NULL;
         rule = rule->next) {
        ++count;
    }
    return count;
}

/* Check the ranks of a rule, which are given as strings such as "0110". */
static void check_ranks(const mpiqos_rule_t *rule, const char *from,
                        const char *to)
{
    for (int rank = 0; rank < SIZE; ++rank) {
        CU_ASSERT_EQUAL(rule->from[rank], from[rank] == '1');
        CU_ASSERT_EQUAL(rule->to[rank], to[rank] == '1');
    }
}

static void test_both_directions(void)
{
    const mpiqos_rule_t *there;
    const mpiqos_rule_t *back;

    CU_ASSERT_EQUAL_FATAL(
        read_text("- {from: 0, to: 1..2, bandwidth: 10 MB/s, back: 30 MB/s,\n"
                  "   message_size: 4096, communicator: window of a}\n"
                  "- {from: 3, to: all, bandwidth: 1 MB/s, back: 2 MB/s}\n"),
        4);
    there = rules.first;
    back = there->next;
    check_ranks(there, "1000", "0110");
    check_ranks(back, "0110", "1000");
    CHECK_NEAR(there->bandwidth, 10e6, 1e-12);
    CHECK_NEAR(back->bandwidth, 30e6, 1e-12);
    CU_ASSERT_EQUAL(back->line, there->line);
    CU_ASSERT_EQUAL(back->message_size, 4096);
    CU_ASSERT_STRING_EQUAL(back->name, "window of a");
    there = back->next;
    back = there->next;
    CU_ASSERT_TRUE(there->to_all && !there->from_all);
    CU_ASSERT_TRUE(back->from_all && !back->to_all);
    CU_ASSERT_PTR_NULL(back->next);
    mpiqos_rules_clear(&rules);
}

/* One common rank is permitted, because no pair of ranks occurs in both rules
 * in this case. */
static void test_common_ranks(void)
{
    CU_ASSERT_EQUAL(
        read_text("- {from: 0..1, to: 1..2, bandwidth: 1 B/s, back: 1 B/s}\n"),
        2);
    mpiqos_rules_clear(&rules);
    CU_ASSERT_EQUAL(
        read_text("- {from: 0..2, to: 1..3, bandwidth: 1 B/s, back: 1 B/s}\n"),
        -1);
    CU_ASSERT_EQUAL(read_text("- {from: 0, to: 1, class: none, back: 1 B/s}\n"),
                    -1);
}

static void test_one_direction(void)
{
    CU_ASSERT_EQUAL(
        read_text("- {from: 0, to: 1, bandwidth: 1 B/s, back: 0 B/s}\n"
                  "- {from: 0, to: 1, bandwidth: 1 B/s}\n"),
        2);
    mpiqos_rules_clear(&rules);
}

/* There is one rule for writing. With `back`, there is another rule for
 * reading. */
static void test_io_sides(void)
{
    const mpiqos_rule_t *write;
    const mpiqos_rule_t *read;

    CU_ASSERT_EQUAL_FATAL(
        read_text("- {from: 0..1, to: io, bandwidth: 10 MB/s, back: 30 MB/s}\n"
                  "- {from: io, to: all, bandwidth: 1 MB/s, file: a/*.h5}\n"
                  "- {from: all, to: io, class: none}\n"),
        4);
    write = rules.first;
    read = write->next;
    CU_ASSERT_TRUE(write->to_io && !write->from_io);
    CU_ASSERT_TRUE(read->from_io && !read->to_io);
    CU_ASSERT_EQUAL(write->where, MPIQOS_WHERE_FILES);
    CU_ASSERT_EQUAL(read->where, MPIQOS_WHERE_FILES);
    check_ranks(write, "1100", "0000");
    check_ranks(read, "0000", "1100");
    CHECK_NEAR(write->bandwidth, 10e6, 1e-12);
    CHECK_NEAR(read->bandwidth, 30e6, 1e-12);
    read = read->next;
    CU_ASSERT_TRUE(read->from_io && read->to_all && !read->from_all);
    CU_ASSERT_STRING_EQUAL(read->name, "a/*.h5");
    CU_ASSERT_EQUAL(read->next->qos_class, MPIQOS_RULE_NONE);
    CU_ASSERT_EQUAL(read->next->where, MPIQOS_WHERE_FILES);
    mpiqos_rules_clear(&rules);
}

/* A pattern without a slash is compared with the last part of a name. */
static void test_file_patterns(void)
{
    const mpiqos_rule_t *rule;

    CU_ASSERT_EQUAL_FATAL(
        read_text("- {from: 0, to: io, bandwidth: 1 B/s}\n"
                  "- {from: 0, to: io, bandwidth: 1 B/s, file: \"*.h5\"}\n"
                  "- {from: 0, to: io, bandwidth: 1 B/s, file: out/*.h5}\n"),
        3);
    rule = rules.first;
    CU_ASSERT_TRUE(mpiqos_rule_has_file(rule, "/tmp/any"));
    rule = rule->next;
    CU_ASSERT_TRUE(mpiqos_rule_has_file(rule, "a.h5"));
    CU_ASSERT_TRUE(mpiqos_rule_has_file(rule, "/tmp/out/a.h5"));
    CU_ASSERT_FALSE(mpiqos_rule_has_file(rule, "/tmp/a.h5/b"));
    rule = rule->next;
    CU_ASSERT_TRUE(mpiqos_rule_has_file(rule, "out/a.h5"));
    CU_ASSERT_FALSE(mpiqos_rule_has_file(rule, "a.h5"));
    CU_ASSERT_FALSE(mpiqos_rule_has_file(rule, "/tmp/out/a.h5"));
    mpiqos_rules_clear(&rules);
}

/* Returns 1 if the last rule causes a warning that contains the text. A text of
 * NULL means that the last rule causes no warning. */
static int is_doubted(const char *policy, const char *text)
{
    char why[MPIQOS_POLICY_WHY_LEN];
    const mpiqos_rule_t *rule;
    const char *doubt;
    int result;

    CU_ASSERT_FATAL(read_text(policy) > 0);
    rule = rules.first;
    while (rule->next != NULL) {
        rule = rule->next;
    }
    doubt = mpiqos_rule_doubt(&rules, rule, why);
    result = (text == NULL) ? doubt == NULL
                            : doubt != NULL && strstr(doubt, text) != NULL;
    mpiqos_rules_clear(&rules);
    return result;
}

static void test_doubts(void)
{
    CU_ASSERT(is_doubted("- {from: all, to: all, bandwidth: 1 B/s}\n"
                         "- {from: 0, to: 1, bandwidth: 2 B/s}\n",
                         "never applies, because the rule in line 1"));
    CU_ASSERT(is_doubted("- {from: 0, to: 1, bandwidth: 1 B/s}\n"
                         "- {from: 0, to: 1, bandwidth: 2 B/s, communicator: "
                         "halo}\n",
                         NULL));
    CU_ASSERT(is_doubted("- {from: 0, to: 1, bandwidth: 1 B/s}\n"
                         "- {from: 0, to: all, bandwidth: 2 B/s}\n",
                         NULL));
    CU_ASSERT(is_doubted("- {from: 0, to: 1, bandwidth: 1 B/s, back: 1 B/s}\n",
                         NULL));
    CU_ASSERT(is_doubted("- {from: 0, to: 1, bandwidth: 0 MB/s}\n",
                         "reserves nothing"));
    CU_ASSERT(is_doubted("- {from: 0, to: 1, bandwidth: 1 B/s, message_size: "
                         "4096, burst: 1}\n",
                         "shorter than a message (4096 bytes)"));
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"a rule with both directions", test_both_directions},
        {"ranks that occur on both sides of a rule", test_common_ranks},
        {"a rule with one direction", test_one_direction},
        {"rules with io on one side", test_io_sides},
        {"patterns of files", test_file_patterns},
        {"rules that are probably mistakes", test_doubts},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"policy_file", suite_init, suite_cleanup, NULL, NULL, tests});
}
