/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Runs the experiments of figures 5.11 and 5.12 of the thesis. Flows with
 * requests to the manager start and stop. The NIC's log shows how many packets
 * per 1000 ticks the NIC dispatches for every flow over time.
 */
#ifndef EXPERIMENTS_TIMELINE_H
#define EXPERIMENTS_TIMELINE_H

#include "experiments/experiment.h"

#define GMS_TIMELINE_MAX_FLOWS 4

/** A flow from node 1 to a target node that no other flow uses. */
typedef struct gms_timeline_flow {
    const char *name;
    double premium_mb_s; /* bandwidth of a premium flow; 0: best-effort flow */
    unsigned start_ms, stop_ms;
} gms_timeline_flow_t;

/** An interval without changes. If a flow starts, the next interval begins 5 ms
 *  later, because the managers must answer first. If a flow ends, the next
 *  interval begins 30 ms later. The flow releases its share only when all
 *  posted messages have been sent. The rows of a stage describe `count` flows,
 *  starting with flow `first`. */
typedef struct gms_timeline_stage {
    const char *series, *setting; /* names in the rows, such as "best-effort" */
    unsigned begin_ms, end_ms;
    unsigned first, count; /* index of the first flow, and number of flows */
    int is_mean;           /* 1: mean of the flows; 0: sum */
} gms_timeline_stage_t;

typedef struct gms_timeline {
    const gms_timeline_flow_t *flows;
    unsigned flow_count;
    unsigned end_ms;
    /* in chronological order, terminated by an element whose .series is NULL */
    const gms_timeline_stage_t *stages;
} gms_timeline_t;

/** Run a timeline. Report the rows "bandwidth" and "packet dispatch frequency"
 *  of every stage, the curves, and the raw log. */
gms_status_t gms_timeline_run(gms_lab_t *lab, const gms_timeline_t *timeline);

#endif
