/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of policy files with random bytes as a policy, for jobs of
 * one and of four ranks.
 */
#include <string.h>

#include "yaml/records.h"
#include "gmsim/policy/policy_file.h"
#include "parse.h"

static int parse_reader(const char *path, const char *what,
                        const char *const *keys, mpiqos_record_fn *record_fn,
                        void *context, char *error, size_t error_len)
{
    (void)error_len; /* GMS_YAML_ERROR_LEN */
    return gms_records_read(path, what, keys, record_fn, context, error) ==
                   GMS_OK
               ? 0
               : -1;
}

static void parse_check_rule(const mpiqos_rule_t *rule, int size)
{
    int from = 0, to = 0;

    for (int rank = 0; rank < size; ++rank) {
        PARSE_CHECK(rule->from[rank] <= 1 && rule->to[rank] <= 1, "rank %d",
                    rank);
        from += rule->from[rank];
        to += rule->to[rank];
    }
    PARSE_CHECK((from > 0) == !rule->from_io && (to > 0) == !rule->to_io,
                "the rule has %d source ranks and %d target ranks", from, to);
    PARSE_CHECK(from + to > 0 && (rule->where == MPIQOS_WHERE_FILES) ==
                                     (rule->from_io || rule->to_io),
                "rules for files must name io, and other rules must not");
    PARSE_CHECK(
        (!rule->from_all || from == size) && (!rule->to_all || to == size),
        "'all' selects only %d source ranks and %d target ranks", from, to);
    PARSE_CHECK(rule->line > 0 && rule->bandwidth >= 0 &&
                    rule->bandwidth <= MPIQOS_POLICY_MAX_BANDWIDTH &&
                    rule->message_size >= 0 &&
                    rule->message_size <= MPIQOS_POLICY_MAX_MESSAGE_SIZE,
                "value out of range: line %u, %g bytes/s, %ld bytes",
                rule->line, rule->bandwidth, rule->message_size);
    PARSE_CHECK(rule->qos_class == MPIQOS_RULE_NONE ||
                    rule->qos_class == MPIQOS_RULE_PREMIUM ||
                    rule->qos_class == MPIQOS_RULE_BEST_EFFORT,
                "class %d", rule->qos_class);
    PARSE_CHECK(
        memchr(rule->name, '\0', sizeof(rule->name)) != NULL &&
            (rule->where == MPIQOS_WHERE_FILES ||
             (rule->where == MPIQOS_WHERE_NAMED) == (rule->name[0] != '\0')),
        "name '%.128s'", rule->name);
}

static void parse_policy(int size)
{
    char error[GMS_YAML_ERROR_LEN];
    mpiqos_rules_t rules;
    unsigned line = 0;

    memset(error, 'x', sizeof(error));
    if (mpiqos_rules_read(&rules, PARSE_NAME, size, parse_reader, error,
                          sizeof(error)) != 0) {
        PARSE_CHECK(rules.first == NULL, "an invalid file has rules");
        parse_check_error(error, sizeof(error));
        return;
    }
    for (const mpiqos_rule_t *rule = rules.first; rule != NULL;
         rule = rule->next) {
        PARSE_CHECK(rule->line >= line,
                    "the rule of line %u follows the rule of line %u",
                    rule->line, line);
        line = rule->line;
        parse_check_rule(rule, size);
    }
    mpiqos_rules_clear(&rules);
    PARSE_CHECK(rules.first == NULL, "cleared");
}

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "from",    "to",           "bandwidth",
        "class",   "message_size", "communicator",
        "premium", "best-effort",  "none",
        "world",   "any",          "halo",
        "40 MB/s", "1 GB/s",       "kB/s",
        "[0, 1]",  "[all]",        "- {from: 0, to: 1, bandwidth: 1 B/s}",
        "file",    "io",           "*.h5",
        NULL,
    };

    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse_file_set(data, size);
    parse_policy(size % 8 == 0 ? 1 : 4);
    return 0;
}
