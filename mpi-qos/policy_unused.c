/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports once, at the end of the job, the rules that had no effect. Without
 * this report, the user would not notice that a misspelt communicator name has
 * disabled a reservation.
 */
#include "base/message.h"
#include "device.h"
#include "mpi_qos.h"
#include "policy_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of communicator names that rank 0 stores. The warning prints these
 * names to help the user recognize a misspelt name. */
#define MPIQOS_SEEN_MAX 16

static struct {
    char names[MPIQOS_SEEN_MAX][MPI_MAX_OBJECT_NAME];
    int count;
    int more; /* 1: the program used more than MPIQOS_SEEN_MAX names */
} mpiqos_seen;

void mpiqos_policy_saw(const char *name)
{
    for (int i = 0; i < mpiqos_seen.count; ++i) {
        if (strcmp(mpiqos_seen.names[i], name) == 0) {
            return;
        }
    }
    if (mpiqos_seen.count == MPIQOS_SEEN_MAX) {
        mpiqos_seen.more = 1;
        return;
    }
    (void)snprintf(mpiqos_seen.names[mpiqos_seen.count++], MPI_MAX_OBJECT_NAME,
                   "%s", name);
}

static int mpiqos_policy_has_names(void)
{
    for (const mpiqos_rule_t *rule = mpiqos_policy.rules.first; rule != NULL;
         rule = rule->next) {
        if (rule->where == MPIQOS_WHERE_NAMED ||
            rule->where == MPIQOS_WHERE_FILES) {
            return 1;
        }
    }
    return 0;
}

/* Print only printable characters on the terminal, because a communicator name
 * can contain any bytes. */
static void mpiqos_policy_put(FILE *out, const char *name)
{
    for (; *name != '\0'; ++name) {
        unsigned char byte = (unsigned char)*name;

        (void)fputc((byte < ' ' || byte > '~') ? '?' : byte, out);
    }
}

/* Print the warning about a rule for files that had no effect. */
static void mpiqos_policy_warn_file(FILE *out, const mpiqos_rule_t *rule)
{
    (void)fprintf(out,
                  "mpiqos: warning: %s:%u: the rule had no effect, because %s",
                  mpiqos_policy.path, rule->line,
                  (MPIX_GM_File_hosts() == 0)
                      ? "this cluster has no I/O hosts"
                      : "it is not the first rule for any file that its ranks "
                        "opened with MPI-IO");
    if (rule->name[0] != '\0') {
        (void)fputs(" (file: '", out);
        mpiqos_policy_put(out, rule->name);
        (void)fputs("')", out);
    }
    (void)fputc('\n', out);
}

static void mpiqos_policy_warn_communicator(FILE *out,
                                            const mpiqos_rule_t *rule)
{
    (void)fprintf(out,
                  "mpiqos: warning: %s:%u: the rule had no effect, because no "
                  "communicator with its ranks",
                  mpiqos_policy.path, rule->line);
    if (rule->where == MPIQOS_WHERE_NAMED) {
        (void)fputs(" is named '", out);
        mpiqos_policy_put(out, rule->name);
        (void)fputs((mpiqos_seen.count > 0) ? "'; names in use: " : "'", out);
        for (int i = 0; i < mpiqos_seen.count; ++i) {
            (void)fputs((i > 0) ? ", " : "", out);
            mpiqos_policy_put(out, mpiqos_seen.names[i]);
        }
        (void)fputs(mpiqos_seen.more ? ", .." : "", out);
    } else {
        (void)fputs(" matches", out);
    }
    (void)fputc('\n', out);
}

static void mpiqos_policy_warn(const mpiqos_rule_t *rule)
{
    gms_message_t message;
    FILE *out = gms_message_begin(&message);

    if (rule->where == MPIQOS_WHERE_FILES) {
        mpiqos_policy_warn_file(out, rule);
    } else {
        mpiqos_policy_warn_communicator(out, rule);
    }
    gms_message_end(&message);
}

void mpiqos_policy_end(void)
{
    int count = 0;
    int *used;
    int i = 0;

    /* A rule without a name either applies from the start or never applies; in
     * the latter case, `gmsim config check --policy` reports it. A policy with
     * only such rules therefore needs no warning here. */
    if (!mpiqos_policy_has_names()) {
        return;
    }
    for (const mpiqos_rule_t *rule = mpiqos_policy.rules.first; rule != NULL;
         rule = rule->next) {
        ++count;
    }
    used = calloc(2 * (size_t)count, sizeof(*used));
    if (used == NULL) {
        return;
    }
    for (const mpiqos_rule_t *rule = mpiqos_policy.rules.first; rule != NULL;
         rule = rule->next) {
        used[i++] = rule->is_used;
    }
    if (PMPI_Reduce(used, used + count, count, MPI_INT, MPI_MAX, 0,
                    MPI_COMM_WORLD) == MPI_SUCCESS &&
        mpiqos_policy.rank == 0) {
        unsigned warned = 0; /* line number of the last warning */

        i = count;
        for (const mpiqos_rule_t *rule = mpiqos_policy.rules.first;
             rule != NULL; rule = rule->next) {
            /* both directions of a rule with `back` have the same line
             * number */
            if (!used[i++] && rule->line != warned) {
                mpiqos_policy_warn(rule);
                warned = rule->line;
            }
        }
    }
    free(used);
}
