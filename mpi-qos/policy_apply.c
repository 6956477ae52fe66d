/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the rules of the policy that apply to a communicator, and sends the
 * requests of these rules. Also finds the rules that apply to a file.
 */
#include "device.h"
#include "flow.h"
#include "policy_int.h"
#include "request.h"

#include <stdlib.h>
#include <string.h>

/* The device names the communicator of a window "window", or "window of NAME"
 * if the program has named the communicator on which it creates the window. */
#define MPIQOS_WINDOW_NAME "window"

/* A communicator to which the policy is applied. */
typedef struct mpiqos_target {
    MPI_Comm comm;
    char name[MPI_MAX_OBJECT_NAME];
    int peers;
    mpiqos_rule_t **rules; /* one element per peer; NULL: no rule matches */
    unsigned char *skip;   /* one element per peer; scratch memory */
    int asked;             /* 1: a request has been sent */
} mpiqos_target_t;

/* Return 1 if a list of a rule contains the rank. Only "all" contains spawned
 * ranks, because these ranks are unknown when the policy is read. */
static int mpiqos_rule_has(const unsigned char *ranks, int all, int rank)
{
    return rank < mpiqos_policy.rules.size ? ranks[rank] : all;
}

static int mpiqos_rule_fits(const mpiqos_rule_t *rule,
                            const mpiqos_target_t *target, int world_rank)
{
    if (!mpiqos_rule_has(rule->from, rule->from_all, mpiqos_policy.rank) ||
        !mpiqos_rule_has(rule->to, rule->to_all, world_rank)) {
        return 0;
    }
    switch (rule->where) {
    case MPIQOS_WHERE_WORLD:
        return target->comm == MPI_COMM_WORLD;
    case MPIQOS_WHERE_ANY:
        return 1;
    case MPIQOS_WHERE_NAMED:
        return strcmp(rule->name, target->name) == 0;
    case MPIQOS_WHERE_FILES:
        break;
    }
    return 0;
}

static void mpiqos_target_choose(mpiqos_target_t *target, int self)
{
    for (int peer = 0; peer < target->peers; ++peer) {
        int world_rank = MPIX_GM_World_rank(target->comm, peer);
        mpiqos_rule_t *rule = mpiqos_policy.rules.first;

        if (peer == self || world_rank < 0 ||
            world_rank == mpiqos_policy.rank) {
            continue;
        }
        while (rule != NULL && !mpiqos_rule_fits(rule, target, world_rank)) {
            rule = rule->next;
        }
        target->rules[peer] = rule;
        if (rule != NULL) {
            rule->is_used = 1;
        }
    }
}

static void mpiqos_target_ask(mpiqos_target_t *target,
                              const mpiqos_rule_t *rule, int peer,
                              const unsigned char *skip)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;
    const mpiqos_request_t request = {
        .flow = &flow,
        .origin = MPIQOS_ORIGIN_POLICY,
        .line = rule->line,
        .skip = skip,
    };

    flow.peer = peer;
    flow.bandwidth = rule->bandwidth;
    flow.qos_class = (int)rule->qos_class;
    if (rule->message_size > 0) {
        flow.message_size = rule->message_size;
    }
    flow.burst = rule->burst;
    flow.delay = rule->delay;
    flow.jitter = rule->jitter;
    if (!target->asked) {
        target->asked = (mpiqos_request(target->comm, &request) == MPI_SUCCESS);
    } else {
        (void)mpiqos_request_more(target->comm, &request);
    }
}

static void mpiqos_target_apply(mpiqos_target_t *target,
                                const mpiqos_rule_t *rule, int self)
{
    int mine = 0;
    int others = 0;

    for (int peer = 0; peer < target->peers; ++peer) {
        int is_mine = (target->rules[peer] == rule);

        target->skip[peer] = (unsigned char)!is_mine;
        mine += is_mine;
        others += (!is_mine && peer != self);
    }
    if (mine == 0 || rule->qos_class == MPIQOS_RULE_NONE) {
        return;
    }
    if (rule->to_all) {
        mpiqos_target_ask(target, rule, MPIQOS_ALL_PEERS,
                          (others > 0) ? target->skip : NULL);
        return;
    }
    for (int peer = 0; peer < target->peers; ++peer) {
        if (target->rules[peer] == rule) {
            mpiqos_target_ask(target, rule, peer, NULL);
        }
    }
}

static void mpiqos_policy_apply(MPI_Comm comm, const char *name)
{
    mpiqos_target_t target = {.comm = comm};
    int self;

    /* Requests by the program itself have precedence over the policy. */
    if (mpiqos_policy.rules.first == NULL || mpiqos_request_by_program(comm) ||
        mpiqos_peers(comm, &target.peers, &self) != MPI_SUCCESS) {
        return;
    }
    strcpy(target.name, name);
    target.rules = calloc((size_t)target.peers, sizeof(*target.rules));
    target.skip = calloc((size_t)target.peers, 1);
    if (target.rules != NULL && target.skip != NULL) {
        mpiqos_target_choose(&target, self);
        for (const mpiqos_rule_t *rule = mpiqos_policy.rules.first;
             rule != NULL; rule = rule->next) {
            mpiqos_target_apply(&target, rule, self);
        }
    }
    free(target.rules);
    free(target.skip);
}

void mpiqos_policy_created(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    (void)PMPI_Comm_get_name(comm, name, &length);
    /* A new communicator already has a name if it is predefined or belongs to a
     * window. The warning does not list predefined names, because no rule needs
     * the name of MPI_COMM_WORLD to select it. */
    if (strncmp(name, MPIQOS_WINDOW_NAME, strlen(MPIQOS_WINDOW_NAME)) == 0) {
        mpiqos_policy_saw(name);
    }
    mpiqos_policy_apply(comm, name);
}

/* Apply the rules for the new name of a communicator. A name that does not
 * occur in any rule has no effect. */
void mpiqos_policy_named(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    (void)PMPI_Comm_get_name(comm, name, &length);
    mpiqos_policy_saw(name);
    for (const mpiqos_rule_t *rule = mpiqos_policy.rules.first; rule != NULL;
         rule = rule->next) {
        if (rule->where == MPIQOS_WHERE_NAMED &&
            strcmp(rule->name, name) == 0) {
            mpiqos_policy_apply(comm, name);
            return;
        }
    }
}

int mpiqos_policy_file(const char *name, int writes, double *bytes_s_p,
                       unsigned *line_p)
{
    for (mpiqos_rule_t *rule = mpiqos_policy.rules.first; rule != NULL;
         rule = rule->next) {
        if (rule->where == MPIQOS_WHERE_FILES && rule->to_io == writes &&
            mpiqos_rule_has(writes ? rule->from : rule->to,
                            writes ? rule->from_all : rule->to_all,
                            mpiqos_policy.rank) &&
            mpiqos_rule_has_file(rule, name)) {
            rule->is_used = 1;
            *bytes_s_p = rule->bandwidth;
            *line_p = rule->line;
            return 1;
        }
    }
    return 0;
}
