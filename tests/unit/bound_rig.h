/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates a small cluster in which paced flows send messages at given times.
 * Tests compare the measured delays with the bounds that the account has
 * computed.
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
    int has_flood; /* 1: add best-effort traffic from and to every node of a
                      flow */
} bound_case_t;

/** Start times of the flows and of the flood, as positions on a time grid.
 * Flows that start at grid positions do not drift. */
typedef struct bound_start {
    /* grid steps per period; 0: random start times, with drift */
    unsigned steps;
    unsigned phase[BOUND_FLOWS_MAX]; /* start position of each flow: 0 .. steps
                                        - 1 */
    /* start position of the flood: 0 .. steps - 1; the whole grid represents
     * the transfer time of a best-effort packet */
    unsigned flood;
} bound_start_t;

/** Request all flows from an account, and return its grants.
 *  @return 0 if the account denies a flow */
int bound_grant(const bound_case_t *c, gms_grant_t grants[BOUND_FLOWS_MAX]);
/** Send `messages` messages of each flow, each as early as the rate of the flow
 * permits.
 *  @param [in]  seed      seed for the random start times
 *  @param [out] worst_ps  longest delay of each flow in ps, from the send call
 *  to the event */
void bound_simulate(const bound_case_t *c, const gms_grant_t *grants,
                    unsigned messages, const bound_start_t *start,
                    uint64_t seed, gms_time_t worst_ps[BOUND_FLOWS_MAX]);

#endif
