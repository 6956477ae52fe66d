/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small cluster in which paced flows send messages at given times, and the
 * measured delays, for comparison with the account's bounds.
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
    int has_flood; /* best effort from and to each node of a flow */
} bound_case_t;

/** When flows set off: parts of a grid. Then they do not drift. */
typedef struct bound_start {
    unsigned steps;                  /* of a period; 0: at random, with drift */
    unsigned phase[BOUND_FLOWS_MAX]; /* 0 .. steps - 1 */
    unsigned flood; /* the same, of a transfer of best effort */
} bound_start_t;

/** What the account grants. @return 0: something is denied */
int bound_grant(const bound_case_t *c, gms_grant_t grants[BOUND_FLOWS_MAX]);
/** Send so many messages of each flow, each as early as its pace allows.
 *  @param [in]  seed      of random starts
 *  @param [out] worst_ps  the longest delay from call to event */
void bound_simulate(const bound_case_t *c, const gms_grant_t *grants,
                    unsigned messages, const bound_start_t *start,
                    uint64_t seed, gms_time_t worst_ps[BOUND_FLOWS_MAX]);

#endif
