/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists all environment variables that the project reads. This file also writes
 * the warning about an unknown variable, with the most similar name as a
 * suggestion.
 */
#include "job/variables.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "yaml/loader.h"

const char *const gms_variables[] = {"GMSIM_CLOCK",
                                     "GMSIM_CLUSTER",
                                     "GMSIM_DISPATCH",
                                     "GMSIM_HOSTS",
                                     "GMSIM_JOB",
                                     "GMSIM_POLL_LIMIT",
                                     "GMSIM_PPN",
                                     "GMSIM_RECORD",
                                     "GMSIM_SPAWN",
                                     "GMSIM_TIME",
                                     "GMSIM_TRACE",
                                     "GMSIM_TRACE_FORMAT",
                                     "GMSIM_TRACE_ONLY",
                                     "GMSIM_TRACE_WINDOW",
                                     "MPIQOS_POLICY",
                                     "MPIQOS_REPORT",
                                     NULL};

static int gms_variables_is_known(const char *name)
{
    unsigned i;

    for (i = 0; gms_variables[i] != NULL; ++i) {
        if (strcmp(name, gms_variables[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static void gms_variables_word(const char *name,
                               char warning[GMS_VARIABLE_WARNING_LEN])
{
    size_t distance = gms_yaml_typo_limit(name);
    const char *nearest = NULL;
    unsigned i;

    for (i = 0; gms_variables[i] != NULL; ++i) {
        gms_yaml_nearer(name, gms_variables[i], &nearest, &distance);
    }
    (void)snprintf(warning, GMS_VARIABLE_WARNING_LEN,
                   "environment variable %.100s is unknown and has no effect",
                   name);
    if (nearest != NULL) {
        size_t used = strlen(warning);

        (void)snprintf(warning + used, GMS_VARIABLE_WARNING_LEN - used,
                       " (did you mean '%s'?)", nearest);
    }
}

int gms_variables_unknown(char *const *environment, size_t *next,
                          char warning[GMS_VARIABLE_WARNING_LEN])
{
    for (; environment != NULL && environment[*next] != NULL; ++*next) {
        const char *entry = environment[*next];
        char name[128];

        if (strncmp(entry, "GMSIM_", 6) != 0 &&
            strncmp(entry, "MPIQOS_", 7) != 0) {
            continue;
        }
        (void)gms_printable_part(entry, strcspn(entry, "="), name,
                                 sizeof(name));
        if (!gms_variables_is_known(name)) {
            gms_variables_word(name, warning);
            ++*next;
            return 1;
        }
    }
    return 0;
}
