/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates a small cluster in which paced flows send messages at given times.
 * Tests compare the measured delays with the bounds that the account computes.
 */
#ifndef TESTS_UNIT_BOUND_RIG_H
#define TESTS_UNIT_BOUND_RIG_H

#include "params/params.h"
#include "manager/admission.h"

enum {
    BOUND_FLOWS_MAX = 4
};

typedef struct bound_case {
    gms_params_t params;
    unsigned flows;
    unsigned source[BOUND_FLOWS_MAX], target[BOUND_FLOWS_MAX];
    double bytes_s[BOUND_FLOWS_MAX];
    uint32_t message_bytes[BOUND_FLOWS_MAX];
    int has_flood; /* 1: add best effort from and to each node of a flow */
} bound_case_t;

/** Start times of the flows and of the flood, as positions on a grid. Flows
 * that start at grid positions do not drift. */
typedef struct bound_start {
    /* grid steps per period; 0: random starts with drift */
    unsigned steps;
    unsigned phase[BOUND_FLOWS_MAX]; /* start of each flow: 0 .. steps - 1 */
    /* start of the flood: 0 .. steps - 1; all steps together are the transfer
     * time of a best-effort packet */
    unsigned flood;
} bound_start_t;

/** Request all flows from an account, and return the grants.
 *  @return 0 if the account denies a flow */
int bound_grant(const bound_case_t *c, gms_grant_t grants[BOUND_FLOWS_MAX]);
/** Send `messages` messages of each flow, each message as early as the pace of
 * its flow allows.
 *  @param [in]  seed      seed of the random starts
 *  @param [out] worst_ps  longest delay (ps) of each flow, from call to
 *  event */
void bound_simulate(const bound_case_t *c, const gms_grant_t *grants,
                    unsigned messages, const bound_start_t *start,
                    uint64_t seed, gms_time_t worst_ps[BOUND_FLOWS_MAX]);

#endif
