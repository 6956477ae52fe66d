/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the job's policy file and stores its rules. policy_apply.c applies the
 * rules, and policy_unused.c reports the rules without effect. The parser of
 * policy files is in gmsim/policy/policy_file.c.
 */
#include "device.h"
#include "mpi_qos.h"
#include "policy_int.h"

#include <stdio.h>

_Static_assert((int)MPIQOS_RULE_PREMIUM == (int)MPIQOS_PREMIUM &&
                   (int)MPIQOS_RULE_BEST_EFFORT == (int)MPIQOS_BEST_EFFORT,
               "the classes of rules and flows have equal values");
_Static_assert(MPIQOS_POLICY_MAX_BANDWIDTH == MPIQOS_MAX_BANDWIDTH &&
                   MPIQOS_POLICY_MAX_MESSAGE_SIZE == MPIQOS_MAX_MESSAGE_SIZE,
               "a policy file and a request must have equal limits");
_Static_assert(MPIQOS_POLICY_MAX_BURST == MPIQOS_MAX_BURST &&
                   MPIQOS_POLICY_MAX_DELAY == MPIQOS_MAX_DELAY,
               "a policy file and a request must have equal limits");
_Static_assert(MPIQOS_POLICY_NAME_LEN >= MPI_MAX_OBJECT_NAME,
               "a policy file must accept names of any valid length");
_Static_assert(MPIQOS_POLICY_WHY_LEN <= MPIX_GM_WHY_LEN,
               "the device must have room for the error text");

mpiqos_policy_t mpiqos_policy;

/* Print the warnings about rules that are probably mistakes. */
static void mpiqos_policy_warn_doubts(void)
{
    char why[MPIQOS_POLICY_WHY_LEN];

    for (const mpiqos_rule_t *rule = mpiqos_policy.rules.first;
         rule != NULL && mpiqos_policy.rank == 0; rule = rule->next) {
        const char *doubt = mpiqos_rule_doubt(&mpiqos_policy.rules, rule, why);

        if (doubt != NULL) {
            (void)fprintf(stderr, "mpiqos: warning: %s:%u: %s\n",
                          mpiqos_policy.path, rule->line, doubt);
        }
    }
}

int mpiqos_policy_read(const char *path, int rank, int size, char *error,
                       size_t error_len)
{
    int result;

    mpiqos_policy_clear();
    result = mpiqos_rules_read(&mpiqos_policy.rules, path, size,
                               MPIX_GM_Read_records, error, error_len);
    if (result == 0) {
        mpiqos_policy.rank = rank;
        (void)snprintf(mpiqos_policy.path, sizeof(mpiqos_policy.path), "%s",
                       path);
        mpiqos_policy_warn_doubts();
    }
    return result;
}

void mpiqos_policy_clear(void)
{
    mpiqos_rules_clear(&mpiqos_policy.rules);
    mpiqos_policy.path[0] = '\0';
}

const char *mpiqos_policy_path(void)
{
    return mpiqos_policy.path;
}
