/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Figures 5.11 and 5.12 of the thesis: flows start and stop under the manager,
 * and the NIC's log shows the packets per 1000 ticks that every flow dispatches
 * over time.
 */
#ifndef EXPERIMENTS_TIMELINE_H
#define EXPERIMENTS_TIMELINE_H

#include "experiments/experiment.h"

#define GMS_TIMELINE_MAX_FLOWS 4

/** A flow from node 1 to a node that no other flow uses. */
typedef struct gms_timeline_flow {
    const char *name;
    double premium_mb_s; /* 0: best effort */
    unsigned start_ms, stop_ms;
} gms_timeline_flow_t;

/** An interval without changes. It begins 5 ms after the start of a flow,
 *  because the managers have to answer. It begins 30 ms after the end of a
 *  flow, because the flow releases its share when all posted messages are sent.
 *  The rows are those of flow `first`, or of `count` flows together. */
typedef struct gms_timeline_stage {
    const char *series, *setting; /* names in the rows: "best-effort" .. */
    unsigned begin_ms, end_ms;
    unsigned first, count; /* flows of the row */
    int is_mean;           /* 1: mean of the flows; 0: sum */
} gms_timeline_stage_t;

typedef struct gms_timeline {
    const gms_timeline_flow_t *flows;
    unsigned flow_count;
    unsigned end_ms;
    /* in order, terminated by .series NULL */
    const gms_timeline_stage_t *stages;
} gms_timeline_t;

/** Run a timeline. Report the rows "bandwidth" and "packet dispatch frequency"
 *  of every stage, the curves, and the raw log. */
gms_status_t gms_timeline_run(gms_lab_t *lab, const gms_timeline_t *timeline);

#endif
