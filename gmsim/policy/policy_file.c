/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the entries of a policy file, checks their keys and values, and
 * converts them to rules.
 */
#include "policy/policy_file.h"
#include "yaml/quantity.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MPIQOS_KEY_FROM,
    MPIQOS_KEY_TO,
    MPIQOS_KEY_BANDWIDTH,
    MPIQOS_KEY_CLASS,
    MPIQOS_KEY_MESSAGE_SIZE,
    MPIQOS_KEY_COMMUNICATOR,
    MPIQOS_KEY_BURST,
    MPIQOS_KEY_DELAY,
    MPIQOS_KEY_JITTER,
    MPIQOS_KEY_BACK,
    MPIQOS_KEY_FILE
};

static const char *const mpiqos_policy_keys[] = {
    [MPIQOS_KEY_FROM] = "from",
    [MPIQOS_KEY_TO] = "to",
    [MPIQOS_KEY_BANDWIDTH] = "bandwidth",
    [MPIQOS_KEY_CLASS] = "class",
    [MPIQOS_KEY_MESSAGE_SIZE] = "message_size",
    [MPIQOS_KEY_COMMUNICATOR] = "communicator",
    [MPIQOS_KEY_BURST] = "burst",
    [MPIQOS_KEY_DELAY] = "delay",
    [MPIQOS_KEY_JITTER] = "jitter",
    [MPIQOS_KEY_BACK] = "back",
    [MPIQOS_KEY_FILE] = "file",
    NULL,
};

/* Output parameters for the error in a record; see mpiqos_record_fn. */
typedef struct mpiqos_wrong {
    int size; /* number of ranks of the job */
    int *key_p;
    unsigned *item_p;
    char *why;
} mpiqos_wrong_t;

#define MPIQOS_WRONG(_wrong, _key, _item, ...)                                 \
    (*(_wrong)->key_p = (_key), *(_wrong)->item_p = (_item),                   \
     (void)snprintf((_wrong)->why, MPIQOS_POLICY_WHY_LEN, __VA_ARGS__), -1)

/* --- values ---------------------------------------------------------------*/

/* Parse a rank or a range such as "2..5". @return 0, or -1 if the text is
 * neither a rank nor a range */
static int mpiqos_rule_range(const char *text, int size, long *first_p,
                             long *last_p)
{
    const char *dots = strstr(text, "..");
    char first[32];
    size_t length = (dots != NULL) ? (size_t)(dots - text) : strlen(text);

    if (length >= sizeof(first)) {
        return -1;
    }
    memcpy(first, text, length);
    first[length] = '\0';
    if (mpiqos_quantity_whole(first, first_p) != 0) {
        return -1;
    }
    *last_p = *first_p;
    if (dots != NULL && mpiqos_quantity_whole(dots + 2, last_p) != 0) {
        return -1;
    }
    return (*first_p >= 0 && *first_p <= *last_p && *last_p < size) ? 0 : -1;
}

/* Read one side of a rule: ranks, `all`, or `io`. */
static int mpiqos_rule_side(const char *const *texts, int key,
                            unsigned char *ranks, int *all_p, int *io_p,
                            const mpiqos_wrong_t *wrong)
{
    int size = wrong->size;

    if (texts == NULL) {
        return MPIQOS_WRONG(
            wrong, -1, 0,
            "a rule requires the key '%s'; allowed: ranks 0..%d, all, or io",
            mpiqos_policy_keys[key], size - 1);
    }
    *io_p = strcmp(texts[0], "io") == 0 && texts[1] == NULL;
    if (*io_p) {
        return 0;
    }
    *all_p = strcmp(texts[0], "all") == 0 && texts[1] == NULL;
    if (*all_p) {
        memset(ranks, 1, (size_t)size);
        return 0;
    }
    for (unsigned i = 0; texts[i] != NULL; ++i) {
        long first;
        long last;

        if (mpiqos_rule_range(texts[i], size, &first, &last) != 0) {
            return MPIQOS_WRONG(
                wrong, key, i,
                "is not a rank of this job; allowed: 0..%d, a range of these "
                "ranks, a list of ranks and ranges, all, or io",
                size - 1);
        }
        memset(&ranks[first], 1, (size_t)(last - first) + 1);
    }
    return 0;
}

/* Return the value of a key that allows a single value, or NULL if the key is
 * absent. */
static int mpiqos_rule_single(const char *const *const *values, int key,
                              const char **text_p, const mpiqos_wrong_t *wrong)
{
    *text_p = (values[key] != NULL) ? values[key][0] : NULL;
    if (*text_p != NULL && values[key][1] != NULL) {
        return MPIQOS_WRONG(
            wrong, key, 1, "is an unexpected second value; allowed: one value");
    }
    return 0;
}

static int mpiqos_rule_class(const char *text, mpiqos_rule_t *rule,
                             const mpiqos_wrong_t *wrong)
{
    if (text == NULL || strcmp(text, "premium") == 0) {
        rule->qos_class = MPIQOS_RULE_PREMIUM;
    } else if (strcmp(text, "best-effort") == 0) {
        rule->qos_class = MPIQOS_RULE_BEST_EFFORT;
    } else if (strcmp(text, "none") != 0) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_CLASS, 0,
                            "is unknown; allowed: premium, best-effort, none");
    }
    return 0;
}

/* Read the bandwidth of one direction. */
static int mpiqos_rule_bytes_s(const char *text, int key, double *bytes_s_p,
                               const mpiqos_wrong_t *wrong)
{
    char why[MPIQOS_NO_BANDWIDTH_LEN];

    if (mpiqos_quantity_bandwidth(text, bytes_s_p) != 0 || *bytes_s_p < 0.0 ||
        *bytes_s_p > MPIQOS_POLICY_MAX_BANDWIDTH) {
        mpiqos_quantity_no_bandwidth(text, why);
        return MPIQOS_WRONG(wrong, key, 0,
                            "%s; allowed: " MPIQOS_BANDWIDTH_WORDS, why);
    }
    return 0;
}

static int mpiqos_rule_bandwidth(const char *text, mpiqos_rule_t *rule,
                                 const mpiqos_wrong_t *wrong)
{
    if (text == NULL) {
        return (rule->qos_class != MPIQOS_RULE_PREMIUM)
                   ? 0
                   : MPIQOS_WRONG(
                         wrong, -1, 0,
                         "a premium rule requires the key 'bandwidth'; "
                         "allowed: " MPIQOS_BANDWIDTH_WORDS);
    }
    return mpiqos_rule_bytes_s(text, MPIQOS_KEY_BANDWIDTH, &rule->bandwidth,
                               wrong);
}

/* Read the bandwidth for the direction from the receivers to the senders. If
 * both sides contain the same two ranks, the rule already applies to both
 * directions. */
static int mpiqos_rule_back(const char *text, mpiqos_rule_t *rule,
                            const mpiqos_wrong_t *wrong)
{
    int both = 0;

    if (text == NULL) {
        return 0;
    }
    if (rule->qos_class != MPIQOS_RULE_PREMIUM) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_BACK, 0,
                            "requires class premium");
    }
    for (int rank = 0; rank < wrong->size; ++rank) {
        both += rule->from[rank] && rule->to[rank];
    }
    if (both > 1) {
        return MPIQOS_WRONG(
            wrong, MPIQOS_KEY_BACK, 0,
            "is not possible, because 'from' and 'to' have two ranks in "
            "common; for these ranks, 'bandwidth' applies to both directions");
    }
    return mpiqos_rule_bytes_s(text, MPIQOS_KEY_BACK, &rule->back, wrong);
}

static int mpiqos_rule_message_size(const char *text, mpiqos_rule_t *rule,
                                    const mpiqos_wrong_t *wrong)
{
    if (text != NULL &&
        (mpiqos_quantity_whole(text, &rule->message_size) != 0 ||
         rule->message_size < 1 ||
         rule->message_size > MPIQOS_POLICY_MAX_MESSAGE_SIZE)) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_MESSAGE_SIZE, 0,
                            "is not a message size; allowed: 1..%ld bytes",
                            MPIQOS_POLICY_MAX_MESSAGE_SIZE);
    }
    return 0;
}

static int mpiqos_rule_burst(const char *text, mpiqos_rule_t *rule,
                             const mpiqos_wrong_t *wrong)
{
    double bytes = 0.0;

    if (text != NULL &&
        (mpiqos_quantity_bytes(text, &bytes) != 0 || bytes < 0.0 ||
         bytes > (double)MPIQOS_POLICY_MAX_BURST)) {
        return MPIQOS_WRONG(
            wrong, MPIQOS_KEY_BURST, 0,
            "is not a valid burst; allowed: " MPIQOS_BYTES_WORDS);
    }
    rule->burst = (long)bytes;
    return 0;
}

/* Read a delay or a jitter. */
static int mpiqos_rule_time(const char *text, int key, double *seconds_p,
                            const mpiqos_rule_t *rule,
                            const mpiqos_wrong_t *wrong)
{
    double seconds = 0.0;

    if (text == NULL) {
        return 0;
    }
    if (mpiqos_quantity_seconds(text, &seconds) != 0 ||
        !(seconds >= 0.0 && seconds <= MPIQOS_POLICY_MAX_DELAY)) {
        return MPIQOS_WRONG(wrong, key, 0,
                            "is not a valid time; allowed: " MPIQOS_TIME_WORDS);
    }
    if (seconds > 0.0 && rule->qos_class != MPIQOS_RULE_PREMIUM) {
        return MPIQOS_WRONG(
            wrong, key, 0,
            "requires class premium; the other classes have no bounds");
    }
    *seconds_p = seconds;
    return 0;
}

static int mpiqos_rule_delay(const char *text, mpiqos_rule_t *rule,
                             const mpiqos_wrong_t *wrong)
{
    return mpiqos_rule_time(text, MPIQOS_KEY_DELAY, &rule->delay, rule, wrong);
}

static int mpiqos_rule_jitter(const char *text, mpiqos_rule_t *rule,
                              const mpiqos_wrong_t *wrong)
{
    return mpiqos_rule_time(text, MPIQOS_KEY_JITTER, &rule->jitter, rule,
                            wrong);
}

static int mpiqos_rule_where(const char *text, mpiqos_rule_t *rule,
                             const mpiqos_wrong_t *wrong)
{
    if (text == NULL || strcmp(text, "world") == 0) {
        rule->where = MPIQOS_WHERE_WORLD;
    } else if (strcmp(text, "any") == 0) {
        rule->where = MPIQOS_WHERE_ANY;
    } else {
        rule->where = MPIQOS_WHERE_NAMED;
        if (strlen(text) >= sizeof(rule->name)) {
            return MPIQOS_WRONG(wrong, MPIQOS_KEY_COMMUNICATOR, 0,
                                "is too long; allowed: world, any, or a name "
                                "of up to %d bytes",
                                MPIQOS_POLICY_NAME_LEN - 1);
        }
        strcpy(rule->name, text);
    }
    return 0;
}

/* --- rules ----------------------------------------------------------------*/

static int mpiqos_rule_scalars(const char *const *const *values,
                               mpiqos_rule_t *rule, const mpiqos_wrong_t *wrong)
{
    static const struct {
        int key;
        int (*read)(const char *text, mpiqos_rule_t *rule,
                    const mpiqos_wrong_t *wrong);
    } rows[] = {
        /* parse the class before the bandwidth, because the bandwidth depends
         * on the class */
        {MPIQOS_KEY_CLASS, mpiqos_rule_class},
        {MPIQOS_KEY_BANDWIDTH, mpiqos_rule_bandwidth},
        {MPIQOS_KEY_MESSAGE_SIZE, mpiqos_rule_message_size},
        {MPIQOS_KEY_COMMUNICATOR, mpiqos_rule_where},
        {MPIQOS_KEY_BURST, mpiqos_rule_burst},
        {MPIQOS_KEY_DELAY, mpiqos_rule_delay},
        {MPIQOS_KEY_JITTER, mpiqos_rule_jitter},
        {MPIQOS_KEY_BACK, mpiqos_rule_back},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        const char *text;

        if (mpiqos_rule_single(values, rows[i].key, &text, wrong) != 0 ||
            rows[i].read(text, rule, wrong) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Return 1 if both sides of a rule contain the same single rank. Such a rule
 * has no pair of different ranks. */
static int mpiqos_rule_is_alone(const mpiqos_rule_t *rule, int size)
{
    int from = 0;
    int to = 0;
    int both = 0;

    for (int rank = 0; rank < size; ++rank) {
        from += rule->from[rank];
        to += rule->to[rank];
        both += rule->from[rank] && rule->to[rank];
    }
    return from == 1 && to == 1 && both == 1;
}

/* Read the pattern of a rule for files. Keys of messages are invalid in such a
 * rule. */
static int mpiqos_rule_files(const char *const *const *values,
                             mpiqos_rule_t *rule, const mpiqos_wrong_t *wrong)
{
    static const int others[] = {MPIQOS_KEY_MESSAGE_SIZE, MPIQOS_KEY_BURST,
                                 MPIQOS_KEY_DELAY, MPIQOS_KEY_JITTER,
                                 MPIQOS_KEY_COMMUNICATOR};
    const char *text;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        if (values[others[i]] != NULL) {
            return MPIQOS_WRONG(wrong, others[i], 0,
                                "is not possible in a rule for io; allowed: "
                                "bandwidth, back, class, file");
        }
    }
    if (rule->qos_class == MPIQOS_RULE_BEST_EFFORT) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_CLASS, 0,
                            "is not possible in a rule for io; allowed: "
                            "premium, none");
    }
    if (mpiqos_rule_single(values, MPIQOS_KEY_FILE, &text, wrong) != 0) {
        return -1;
    }
    if (text != NULL &&
        (text[0] == '\0' || strlen(text) >= sizeof(rule->name))) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_FILE, 0,
                            "is not a pattern of 1 to %d bytes",
                            MPIQOS_POLICY_NAME_LEN - 1);
    }
    rule->where = MPIQOS_WHERE_FILES;
    strcpy(rule->name, (text != NULL) ? text : "");
    return 0;
}

/* Read the keys whose meaning depends on whether the rule is for files or for
 * messages. */
static int mpiqos_rule_kind(const char *const *const *values,
                            mpiqos_rule_t *rule, const mpiqos_wrong_t *wrong)
{
    if (rule->from_io && rule->to_io) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_TO, 0,
                            "is the sender itself; allowed: ranks or all");
    }
    if (rule->from_io || rule->to_io) {
        return mpiqos_rule_files(values, rule, wrong);
    }
    if (values[MPIQOS_KEY_FILE] != NULL) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_FILE, 0,
                            "requires that 'from' or 'to' is io");
    }
    return 0;
}

static int mpiqos_rule_fill(const char *const *const *values,
                            mpiqos_rule_t *rule, const mpiqos_wrong_t *wrong)
{
    if (mpiqos_rule_side(values[MPIQOS_KEY_FROM], MPIQOS_KEY_FROM, rule->from,
                         &rule->from_all, &rule->from_io, wrong) != 0 ||
        mpiqos_rule_side(values[MPIQOS_KEY_TO], MPIQOS_KEY_TO, rule->to,
                         &rule->to_all, &rule->to_io, wrong) != 0) {
        return -1;
    }
    if (!rule->to_all && mpiqos_rule_is_alone(rule, wrong->size)) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_TO, 0,
                            "is the sender itself; allowed: another rank, or "
                            "all");
    }
    if (mpiqos_rule_scalars(values, rule, wrong) != 0) {
        return -1;
    }
    return mpiqos_rule_kind(values, rule, wrong);
}

static void mpiqos_rule_destroy(mpiqos_rule_t *rule)
{
    if (rule != NULL) {
        free(rule->from);
        free(rule->to);
        free(rule);
    }
}

static mpiqos_rule_t *mpiqos_rule_create(size_t size)
{
    mpiqos_rule_t *rule = calloc(1, sizeof(*rule));

    if (rule != NULL) {
        rule->from = calloc(size, 1);
        rule->to = calloc(size, 1);
        if (rule->from == NULL || rule->to == NULL) {
            mpiqos_rule_destroy(rule);
            rule = NULL;
        }
    }
    return rule;
}

static void mpiqos_rules_append(mpiqos_rules_t *rules, mpiqos_rule_t *rule)
{
    *rules->last = rule;
    rules->last = &rule->next;
}

/* Append the same rule for the opposite direction. @return 0, or -1 if memory
 * is exhausted */
static int mpiqos_rules_append_back(mpiqos_rules_t *rules,
                                    const mpiqos_rule_t *rule)
{
    mpiqos_rule_t *back = mpiqos_rule_create((size_t)rules->size);
    unsigned char *from;
    unsigned char *to;

    if (back == NULL) {
        return -1;
    }
    from = back->from;
    to = back->to;
    *back = *rule;
    back->from = from;
    back->to = to;
    memcpy(back->from, rule->to, (size_t)rules->size);
    memcpy(back->to, rule->from, (size_t)rules->size);
    back->from_all = rule->to_all;
    back->to_all = rule->from_all;
    back->from_io = rule->to_io;
    back->to_io = rule->from_io;
    back->bandwidth = rule->back;
    back->next = NULL;
    mpiqos_rules_append(rules, back);
    return 0;
}

static int mpiqos_rule_read(unsigned line, const char *const *const *values,
                            int *key_p, unsigned *item_p,
                            char why[MPIQOS_POLICY_WHY_LEN], void *context)
{
    mpiqos_rules_t *rules = context;
    const mpiqos_wrong_t wrong = {rules->size, key_p, item_p, why};
    mpiqos_rule_t *rule = mpiqos_rule_create((size_t)rules->size);

    if (rule == NULL) {
        return MPIQOS_WRONG(&wrong, -1, 0, "out of memory");
    }
    rule->line = line;
    if (mpiqos_rule_fill(values, rule, &wrong) != 0) {
        mpiqos_rule_destroy(rule);
        return -1;
    }
    mpiqos_rules_append(rules, rule);
    if (rule->back > 0.0 && mpiqos_rules_append_back(rules, rule) != 0) {
        return MPIQOS_WRONG(&wrong, -1, 0, "out of memory");
    }
    return 0;
}

/* --- file ----------------------------------------------------------------*/

int mpiqos_rules_read(mpiqos_rules_t *rules, const char *path, int size,
                      mpiqos_reader_fn *reader_fn, char *error,
                      size_t error_len)
{
    int result;

    rules->size = size;
    rules->first = NULL;
    rules->last = &rules->first;
    result = reader_fn(path, "policy", mpiqos_policy_keys, mpiqos_rule_read,
                       rules, error, error_len);
    if (result != 0) {
        mpiqos_rules_clear(rules);
    }
    return result;
}

int mpiqos_rule_has_file(const mpiqos_rule_t *rule, const char *name)
{
    const char *slash = strrchr(name, '/');

    if (rule->name[0] == '\0') {
        return 1;
    }
    /* compare a pattern without a slash with the last part of the path */
    if (strchr(rule->name, '/') == NULL && slash != NULL) {
        name = slash + 1;
    }
    return fnmatch(rule->name, name, 0) == 0;
}

/* Return 1 if the rule contains all ranks of the other rule on one side. */
static int mpiqos_has_ranks(const unsigned char *ranks,
                            const unsigned char *others, int size)
{
    for (int i = 0; i < size; ++i) {
        if (others[i] && !ranks[i]) {
            return 0;
        }
    }
    return 1;
}

/* Return 1 if the rule applies to all traffic of the other rule. */
static int mpiqos_rule_hides(const mpiqos_rule_t *rule,
                             const mpiqos_rule_t *other, int size)
{
    int is_file = other->where == MPIQOS_WHERE_FILES;
    int has_place =
        rule->where == other->where && (strcmp(rule->name, other->name) == 0 ||
                                        (is_file && rule->name[0] == '\0'));

    if (rule->where == MPIQOS_WHERE_ANY) {
        has_place = !is_file;
    }
    return has_place && rule->from_io == other->from_io &&
           rule->to_io == other->to_io &&
           mpiqos_has_ranks(rule->from, other->from, size) &&
           mpiqos_has_ranks(rule->to, other->to, size);
}

const char *mpiqos_rule_doubt(const mpiqos_rules_t *rules,
                              const mpiqos_rule_t *rule,
                              char why[MPIQOS_POLICY_WHY_LEN])
{
    const mpiqos_rule_t *before;

    for (before = rules->first; before != rule; before = before->next) {
        if (before->line != rule->line &&
            mpiqos_rule_hides(before, rule, rules->size)) {
            (void)snprintf(why, MPIQOS_POLICY_WHY_LEN,
                           "the rule never applies, because the rule in line "
                           "%u applies to the same traffic first",
                           before->line);
            return why;
        }
    }
    if (rule->qos_class == MPIQOS_RULE_PREMIUM && !(rule->bandwidth > 0.0)) {
        (void)snprintf(why, MPIQOS_POLICY_WHY_LEN,
                       "the rule reserves nothing, because its bandwidth is 0; "
                       "to exempt traffic from later rules, use class: none");
        return why;
    }
    if (rule->burst > 0 && rule->message_size > 0 &&
        rule->burst < rule->message_size) {
        (void)snprintf(why, MPIQOS_POLICY_WHY_LEN,
                       "the burst (%ld bytes) is shorter than a message (%ld "
                       "bytes); the length of one message is used",
                       rule->burst, rule->message_size);
        return why;
    }
    return NULL;
}

void mpiqos_rules_clear(mpiqos_rules_t *rules)
{
    while (rules->first != NULL) {
        mpiqos_rule_t *rule = rules->first;

        rules->first = rule->next;
        mpiqos_rule_destroy(rule);
    }
    rules->last = &rules->first;
}
