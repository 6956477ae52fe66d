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

/** A flow from node 1 to a node of its own. */
typedef struct gms_timeline_flow {
    const char *name;
    double premium_mb_s; /* 0: best effort */
    unsigned start_ms, stop_ms;
} gms_timeline_flow_t;

/** A time in which nothing changes: 5 ms after a flow begins, since the
 *  managers have to answer, and 30 ms after one ends, since it gives its share
 *  back when all that it has posted is sent. Rows: of flow `first`, or of it
 *  and the next ones together. */
typedef struct gms_timeline_stage {
    const char *series, *setting; /* of the rows; "best-effort" .. */
    unsigned begin_ms, end_ms;
    unsigned first, count; /* flows that the row is about */
    int is_mean;           /* 1: each of them; 0: their sum */
} gms_timeline_stage_t;

typedef struct gms_timeline {
    const gms_timeline_flow_t *flows;
    unsigned flow_count;
    unsigned end_ms;
    const gms_timeline_stage_t *stages; /* in order; ends with .series NULL */
} gms_timeline_t;

/** Run it: rows "bandwidth" and "packet dispatch frequency" of each stage,
 *  curves, and the raw log. */
gms_status_t gms_timeline_run(gms_lab_t *lab, const gms_timeline_t *timeline);

#endif
