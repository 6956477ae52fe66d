/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the policy file with the same functions as libmpiqos, and prints every
 * rule in words without starting a job.
 */
#include "tool/config_policy.h"

#include <stdio.h>

#include "cluster/cluster.h"
#include "gmsim.h"
#include "gmsim/policy/policy_file.h"
#include "gmsim/yaml/quantity.h"
#include "tool/tool.h"

_Static_assert(MPIQOS_POLICY_WHY_LEN <= GMSIM_WHY_LEN,
               "large enough for an error message of libmpiqos");

static int gms_config_records(const char *path, const char *what,
                              const char *const *keys,
                              mpiqos_record_fn *record_fn, void *context,
                              char *error, size_t error_len)
{
    return gmsim_read_records(path, what, keys, record_fn, context, error,
                              error_len) == GM_SUCCESS
               ? 0
               : -1;
}

/** Print the ranks, such as " 0 2..3", " all", or " io". */
static void gms_config_ranks(const unsigned char *ranks, int all, int io,
                             int size)
{
    int rank, first;

    if (all || io) {
        printf(all ? " all" : " io");
        return;
    }
    for (rank = 0; rank < size; ++rank) {
        if (!ranks[rank]) {
            continue;
        }
        first = rank;
        while (rank + 1 < size && ranks[rank + 1]) {
            ++rank;
        }
        printf(rank == first ? " %d" : " %d..%d", first, rank);
    }
}

static void gms_config_where(const mpiqos_rule_t *rule)
{
    switch (rule->where) {
    case MPIQOS_WHERE_WORLD:
        printf(", on MPI_COMM_WORLD\n");
        break;
    case MPIQOS_WHERE_ANY:
        printf(", on any communicator\n");
        break;
    case MPIQOS_WHERE_NAMED:
        printf(", on communicators named '%s'\n", rule->name);
        break;
    case MPIQOS_WHERE_FILES:
        if (rule->name[0] == '\0') {
            printf(", for all files\n");
        } else {
            printf(", for files named '%s'\n", rule->name);
        }
        break;
    }
}

/* Print the bounds of a rule; omit bounds that the rule does not request. */
static void gms_policy_print_bounds(const mpiqos_rule_t *rule)
{
    char text[MPIQOS_QUANTITY_LEN];

    if (rule->burst > 0) {
        printf(", bursts of %ld bytes", rule->burst);
    }
    if (rule->delay > 0) {
        mpiqos_quantity_time(rule->delay, text);
        printf(", delay at most %s", text);
    }
    if (rule->jitter > 0) {
        mpiqos_quantity_time(rule->jitter, text);
        printf(", jitter at most %s", text);
    }
}

static void gms_config_rule(const mpiqos_rule_t *rule, int size)
{
    printf("  line %u: from", rule->line);
    gms_config_ranks(rule->from, rule->from_all, rule->from_io, size);
    printf(" to");
    gms_config_ranks(rule->to, rule->to_all, rule->to_io, size);
    switch (rule->qos_class) {
    case MPIQOS_RULE_NONE:
        printf(": no reservation");
        break;
    case MPIQOS_RULE_PREMIUM:
        printf(": premium, %g MB/s", rule->bandwidth / 1e6);
        break;
    case MPIQOS_RULE_BEST_EFFORT:
        printf(": best effort");
        break;
    }
    if (rule->message_size > 0) {
        printf(", messages of %ld bytes", rule->message_size);
    }
    gms_policy_print_bounds(rule);
    gms_config_where(rule);
}

int gms_config_policy(const char *path, unsigned ranks)
{
    char error[GMS_YAML_ERROR_LEN], why[MPIQOS_POLICY_WHY_LEN];
    mpiqos_rules_t rules;
    const mpiqos_rule_t *rule;
    unsigned count = 0;

    if (mpiqos_rules_read(&rules, path, (int)ranks, gms_config_records, error,
                          sizeof(error)) != 0) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_WRONG;
    }
    for (rule = rules.first; rule != NULL; rule = rule->next) {
        ++count;
    }
    printf("%s: OK (%u rule%s for a job of %u rank%s)\n", path, count,
           count == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s");
    for (rule = rules.first; rule != NULL; rule = rule->next) {
        gms_config_rule(rule, rules.size);
    }
    for (rule = rules.first; rule != NULL; rule = rule->next) {
        const char *doubt = mpiqos_rule_doubt(&rules, rule, why);

        if (doubt != NULL) {
            fprintf(stderr, "%s:%u: warning: %s\n", path, rule->line, doubt);
        }
    }
    mpiqos_rules_clear(&rules);
    return GMS_TOOL_OK;
}
