/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the state of a run, which the sources of gmsim verify (verify*.c)
 * share. */
#ifndef TOOL_VERIFY_INT_H
#define TOOL_VERIFY_INT_H

#include "tool/verify.h"
#include "experiments/scenario.h"

/** State of a flow during a run. */
typedef struct gms_verify_flow {
    uint32_t number;         /* number of the flow in the scenario */
    gms_flow_watch_t *watch; /* observer of a premium flow; else NULL */
    int is_added, is_answered, is_granted;
    int is_released; /* 1: a later step of the plan releases the flow */
    int is_release;  /* 1: this entry releases another flow */
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
    int is_paced;        /* 1: senders that allow both modes send at their
                            granted rates */
    /* fraction of all runs that was finished before this run, and the fraction
     * that this run contributes */
    double done, part;
    int is_spread; /* 1: flows without a phase begin at random times */
} gms_verify_run_t;

/** Return whether the sender of this flow sends at its granted rate in a
 *  run. */
int gms_verify_is_paced(const gms_plan_flow_t *flow, int is_paced);

void gms_verify_results_init(const gms_verify_case_t *verify,
                             gms_verify_result_t *results);
/** Merge the observations of a run into the results, which keep the worst value
 *  of each quantity. */
void gms_verify_judge(gms_verify_run_t *run, gms_verify_result_t *results);

#endif
