/* SPDX-License-Identifier: BSD-3-Clause */
/* The policy file: what it says. */
#include "device.h"
#include "mpi_qos.h"
#include "policy_int.h"
#include "quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MPIQOS_KEY_FROM,
    MPIQOS_KEY_TO,
    MPIQOS_KEY_BANDWIDTH,
    MPIQOS_KEY_CLASS,
    MPIQOS_KEY_MESSAGE_SIZE,
    MPIQOS_KEY_COMMUNICATOR
};

static const char *const mpiqos_policy_keys[] = {
    [MPIQOS_KEY_FROM] = "from",
    [MPIQOS_KEY_TO] = "to",
    [MPIQOS_KEY_BANDWIDTH] = "bandwidth",
    [MPIQOS_KEY_CLASS] = "class",
    [MPIQOS_KEY_MESSAGE_SIZE] = "message_size",
    [MPIQOS_KEY_COMMUNICATOR] = "communicator",
    NULL,
};

mpiqos_policy_t mpiqos_policy = {.last = &mpiqos_policy.rules};

/* What is wrong with a record; see MPIX_GM_Record_fn. */
typedef struct mpiqos_wrong {
    int *key_p;
    unsigned *item_p;
    char *why;
} mpiqos_wrong_t;

#define MPIQOS_WRONG(_wrong, _key, _item, ...)                                 \
    (*(_wrong)->key_p = (_key), *(_wrong)->item_p = (_item),                   \
     (void)snprintf((_wrong)->why, MPIX_GM_WHY_LEN, __VA_ARGS__), -1)

/* --- values ---------------------------------------------------------------*/

static int mpiqos_rule_ranks(const char *const *texts, int key,
                             unsigned char *ranks, int *all_p,
                             const mpiqos_wrong_t *wrong)
{
    int size = mpiqos_policy.size;

    if (texts == NULL) {
        return MPIQOS_WRONG(wrong, -1, 0,
                            "a rule needs the key '%s'; allowed: ranks 0..%d "
                            "or all",
                            mpiqos_policy_keys[key], size - 1);
    }
    *all_p = (strcmp(texts[0], "all") == 0) && (texts[1] == NULL);
    if (*all_p) {
        memset(ranks, 1, (size_t)size);
        return 0;
    }
    for (unsigned i = 0; texts[i] != NULL; ++i) {
        long rank;

        if ((mpiqos_quantity_whole(texts[i], &rank) != 0) || (rank < 0) ||
            (rank >= size)) {
            return MPIQOS_WRONG(wrong, key, i,
                                "is no rank of this job; allowed: 0..%d, a "
                                "list of these, or all",
                                size - 1);
        }
        ranks[rank] = 1;
    }
    return 0;
}

/* The one value of a key that takes no list; NULL if it is not there. */
static int mpiqos_rule_single(const char *const *const *values, int key,
                              const char **text_p, const mpiqos_wrong_t *wrong)
{
    *text_p = (values[key] != NULL) ? values[key][0] : NULL;
    if ((*text_p != NULL) && (values[key][1] != NULL)) {
        return MPIQOS_WRONG(wrong, key, 1,
                            "is one too many; allowed: one value");
    }
    return 0;
}

static int mpiqos_rule_class(const char *text, mpiqos_rule_t *rule,
                             const mpiqos_wrong_t *wrong)
{
    if ((text == NULL) || (strcmp(text, "premium") == 0)) {
        rule->qos_class = MPIQOS_PREMIUM;
    } else if (strcmp(text, "best-effort") == 0) {
        rule->qos_class = MPIQOS_BEST_EFFORT;
    } else if (strcmp(text, "none") != 0) {
        return MPIQOS_WRONG(
            wrong, MPIQOS_KEY_CLASS, 0,
            "is unknown; allowed: premium, best-effort, none");
    }
    return 0;
}

static int mpiqos_rule_bandwidth(const char *text, mpiqos_rule_t *rule,
                                 const mpiqos_wrong_t *wrong)
{
    if (text == NULL) {
        return (rule->qos_class != MPIQOS_PREMIUM)
                   ? 0
                   : MPIQOS_WRONG(wrong, -1, 0,
                                  "a rule for class premium needs the key "
                                  "'bandwidth'; allowed: " MPIQOS_BANDWIDTH_WORDS);
    }
    if ((mpiqos_quantity_bandwidth(text, &rule->bandwidth) != 0) ||
        (rule->bandwidth < 0.0) || (rule->bandwidth > MPIQOS_MAX_BANDWIDTH)) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_BANDWIDTH, 0,
                            "is no bandwidth; allowed: " MPIQOS_BANDWIDTH_WORDS);
    }
    return 0;
}

static int mpiqos_rule_message_size(const char *text, mpiqos_rule_t *rule,
                                    const mpiqos_wrong_t *wrong)
{
    const MPIQOS_Flow start = MPIQOS_FLOW_INIT;

    rule->message_size = start.message_size;
    if ((text != NULL) &&
        ((mpiqos_quantity_whole(text, &rule->message_size) != 0) ||
         (rule->message_size < 1) ||
         (rule->message_size > MPIQOS_MAX_MESSAGE_SIZE))) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_MESSAGE_SIZE, 0,
                            "is no message size; allowed: 1..%ld bytes",
                            MPIQOS_MAX_MESSAGE_SIZE);
    }
    return 0;
}

static int mpiqos_rule_where(const char *text, mpiqos_rule_t *rule,
                             const mpiqos_wrong_t *wrong)
{
    if ((text == NULL) || (strcmp(text, "world") == 0)) {
        rule->where = MPIQOS_WHERE_WORLD;
    } else if (strcmp(text, "any") == 0) {
        rule->where = MPIQOS_WHERE_ANY;
    } else {
        rule->where = MPIQOS_WHERE_NAMED;
        if (strlen(text) >= sizeof(rule->name)) {
            return MPIQOS_WRONG(wrong, MPIQOS_KEY_COMMUNICATOR, 0,
                                "is too long; allowed: world, any, or a name "
                                "of up to %d bytes",
                                MPI_MAX_OBJECT_NAME - 1);
        }
        strcpy(rule->name, text);
    }
    return 0;
}

/* --- rules ----------------------------------------------------------------*/

static int mpiqos_rule_scalars(const char *const *const *values,
                               mpiqos_rule_t *rule,
                               const mpiqos_wrong_t *wrong)
{
    static const struct {
        int key;
        int (*read)(const char *text, mpiqos_rule_t *rule,
                    const mpiqos_wrong_t *wrong);
    } rows[] = {
        {MPIQOS_KEY_CLASS, mpiqos_rule_class}, /* before the bandwidth */
        {MPIQOS_KEY_BANDWIDTH, mpiqos_rule_bandwidth},
        {MPIQOS_KEY_MESSAGE_SIZE, mpiqos_rule_message_size},
        {MPIQOS_KEY_COMMUNICATOR, mpiqos_rule_where},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        const char *text;

        if ((mpiqos_rule_single(values, rows[i].key, &text, wrong) != 0) ||
            (rows[i].read(text, rule, wrong) != 0)) {
            return -1;
        }
    }
    return 0;
}

static int mpiqos_rule_fill(const char *const *const *values,
                            mpiqos_rule_t *rule, const mpiqos_wrong_t *wrong)
{
    int from_all;
    int pairs = 0;

    if ((mpiqos_rule_ranks(values[MPIQOS_KEY_FROM], MPIQOS_KEY_FROM,
                           rule->from, &from_all, wrong) != 0) ||
        (mpiqos_rule_ranks(values[MPIQOS_KEY_TO], MPIQOS_KEY_TO, rule->to,
                           &rule->to_all, wrong) != 0)) {
        return -1;
    }
    for (int from = 0; from < mpiqos_policy.size; ++from) {
        for (int to = 0; to < mpiqos_policy.size; ++to) {
            pairs += (from != to) && rule->from[from] && rule->to[to];
        }
    }
    if ((pairs == 0) && !rule->to_all) {
        return MPIQOS_WRONG(wrong, MPIQOS_KEY_TO, 0,
                            "is the sender itself; allowed: another rank, or "
                            "all");
    }
    return mpiqos_rule_scalars(values, rule, wrong);
}

static void mpiqos_rule_destroy(mpiqos_rule_t *rule)
{
    if (rule != NULL) {
        free(rule->from);
        free(rule->to);
        free(rule);
    }
}

static int mpiqos_rule_read(unsigned line, const char *const *const *values,
                            int *key_p, unsigned *item_p,
                            char why[MPIX_GM_WHY_LEN], void *context)
{
    const mpiqos_wrong_t wrong = {key_p, item_p, why};
    size_t size = (size_t)mpiqos_policy.size;
    mpiqos_rule_t *rule = calloc(1, sizeof(*rule));

    (void)context;
    if (rule != NULL) {
        rule->from = calloc(size, 1);
        rule->to = calloc(size, 1);
    }
    if ((rule == NULL) || (rule->from == NULL) || (rule->to == NULL)) {
        mpiqos_rule_destroy(rule);
        return MPIQOS_WRONG(&wrong, -1, 0, "out of memory");
    }
    rule->line = line;
    if (mpiqos_rule_fill(values, rule, &wrong) != 0) {
        mpiqos_rule_destroy(rule);
        return -1;
    }
    *mpiqos_policy.last = rule;
    mpiqos_policy.last = &rule->next;
    return 0;
}

/* --- file -----------------------------------------------------------------*/

int mpiqos_policy_read(const char *path, int rank, int size, char *error,
                       size_t error_len)
{
    int result;

    mpiqos_policy_clear();
    mpiqos_policy.rank = rank;
    mpiqos_policy.size = size;
    (void)snprintf(mpiqos_policy.path, sizeof(mpiqos_policy.path), "%s", path);
    result = MPIX_GM_Read_records(path, "policy", mpiqos_policy_keys,
                                  mpiqos_rule_read, NULL, error, error_len);
    if (result != 0) {
        mpiqos_policy_clear();
    }
    return result;
}

void mpiqos_policy_clear(void)
{
    while (mpiqos_policy.rules != NULL) {
        mpiqos_rule_t *rule = mpiqos_policy.rules;

        mpiqos_policy.rules = rule->next;
        mpiqos_rule_destroy(rule);
    }
    mpiqos_policy.last = &mpiqos_policy.rules;
    mpiqos_policy.path[0] = '\0';
}

const char *mpiqos_policy_path(void)
{
    return mpiqos_policy.path;
}
