/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the state of a run. The source files of gmsim verify (verify*.c)
 * share this state. */
#ifndef TOOL_VERIFY_INT_H
#define TOOL_VERIFY_INT_H

#include "tool/verify.h"
#include "experiments/scenario.h"

/** State of a flow during a run. */
typedef struct gms_verify_flow {
    uint32_t number;         /* index of the flow in the scenario */
    gms_flow_watch_t *watch; /* observer of a premium flow; NULL for other
                                flows */
    int is_added, is_answered, is_granted;
    int is_released; /* 1: a later step of the plan releases the flow */
    int is_release;  /* 1: this entry releases another flow */
    int is_over;
    gms_qos_verdict_t answer;
    gms_qos_bounds_t bounds; /* largest bounds during the run */
    double granted_bytes_s;
    gms_time_t idt_ps, window_ps, end_ps;
} gms_verify_flow_t;

/** State of one run. */
typedef struct gms_verify_run {
    const gms_verify_case_t *verify;
    gms_scenario_t *scenario;
    gms_verify_flow_t *flows;
    gms_time_t begin_ps; /* time at which the traffic begins */
    int is_paced;        /* 1: senders for which the plan allows both modes send
                            at their granted rates */
    /* fraction of the work that was completed before this run, and the fraction
     * that belongs to this run */
    double done, part;
    int is_spread; /* 1: flows without a phase begin at random times */
} gms_verify_run_t;

/** Return whether this flow's sender posts messages at the granted rate in this
 *  run. */
int gms_verify_is_paced(const gms_plan_flow_t *flow, int is_paced);

void gms_verify_results_init(const gms_verify_case_t *verify,
                             gms_verify_result_t *results);
/** Merge the observations of a run into the results, which contain the worst
 *  value of each quantity. */
void gms_verify_judge(gms_verify_run_t *run, gms_verify_result_t *results);

#endif
