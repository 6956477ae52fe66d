/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to gmsim verify: the state of a run that verify*.c share. */
#ifndef TOOL_VERIFY_INT_H
#define TOOL_VERIFY_INT_H

#include "tool/verify.h"
#include "experiments/scenario.h"

/** State of a flow during a run. */
typedef struct gms_verify_flow {
    uint32_t number;         /* number in the scenario */
    gms_flow_watch_t *watch; /* observer of a premium flow; else NULL */
    int is_added, is_answered, is_granted;
    int is_released; /* a later step of the plan releases it */
    int is_release;  /* this entry releases another flow */
    int is_over;
    gms_qos_verdict_t answer;
    gms_qos_bounds_t bounds; /* largest bounds that were in force */
    double granted_bytes_s;
    gms_time_t idt_ps, window_ps, end_ps;
} gms_verify_flow_t;

/** One run. */
typedef struct gms_verify_run {
    const gms_verify_case_t *verify;
    gms_scenario_t *scenario;
    gms_verify_flow_t *flows;
    gms_time_t begin_ps; /* beginning of the traffic */
    int is_paced;        /* senders that allow both modes keep to their rates */
    /* fractions of all runs: finished before this run, and this run */
    double done, part;
    int is_spread; /* flows without a phase begin at random times */
} gms_verify_run_t;

/** Return whether the sender of this flow keeps to its rate in a run. */
int gms_verify_is_paced(const gms_plan_flow_t *flow, int is_paced);

void gms_verify_results_init(const gms_verify_case_t *verify,
                             gms_verify_result_t *results);
/** Merge the observations of a run into the results; the worst values
 *  remain. */
void gms_verify_judge(gms_verify_run_t *run, gms_verify_result_t *results);

#endif
