/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to gmsim verify: the state of a run that verify*.c share. */
#ifndef TOOL_VERIFY_INT_H
#define TOOL_VERIFY_INT_H

#include "tool/verify.h"
#include "experiments/scenario.h"

/** A flow while it is run. */
typedef struct gms_verify_flow {
    uint32_t number;         /* the scenario's */
    gms_flow_watch_t *watch; /* premium; else NULL */
    int is_added, is_answered, is_granted;
    int is_released; /* by a later step of the plan */
    int is_release;  /* it is such a step */
    int is_over;
    gms_qos_verdict_t answer;
    gms_qos_bounds_t bounds; /* largest */
    double granted_bytes_s;
    gms_time_t idt_ps, window_ps, end_ps;
} gms_verify_flow_t;

/** One run. */
typedef struct gms_verify_run {
    const gms_verify_case_t *verify;
    gms_scenario_t *scenario;
    gms_verify_flow_t *flows;
    gms_time_t begin_ps; /* of the traffic */
    int is_paced;        /* senders that may do either keep to their rates */
    double done, part;   /* of all runs: before this one, and this one */
    int is_spread;       /* flows without a phase set off at random times */
} gms_verify_run_t;

/** Does the sender of this flow keep to its rate in such a run? */
int gms_verify_is_paced(const gms_plan_flow_t *flow, int is_paced);

void gms_verify_results_init(const gms_verify_case_t *verify,
                             gms_verify_result_t *results);
/** Put what a run has shown into the results; those of another run stay. */
void gms_verify_judge(gms_verify_run_t *run, gms_verify_result_t *results);

#endif
