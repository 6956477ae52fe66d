/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.11 of the thesis: packets per 1000 ticks that a NIC dispatches for
 * one best-effort flow while premium flows of 40 and 20 MB/s start and stop.
 * The file timeline.c implements the measurement.
 */
#include <stddef.h>

#include "experiments/thesis.h"
#include "experiments/timeline.h"

static const gms_timeline_flow_t gms_thesis_5_11_flows[] = {
    {"best-effort", 0.0, 0, 300},
    {"premium 40 MB/s", 40.0, 50, 200},
    {"premium 20 MB/s", 20.0, 100, 250},
};

static const gms_timeline_stage_t gms_thesis_5_11_stages[] = {
    {"best-effort", "alone", 5, 50, 0, 1, 0},
    {"best-effort", "premium 40 active", 55, 100, 0, 1, 0},
    {"premium 40", "premium 40 active", 55, 100, 1, 1, 0},
    {"best-effort", "premium 40+20 active", 105, 200, 0, 1, 0},
    {"premium 40", "premium 40+20 active", 105, 200, 1, 1, 0},
    {"premium 20", "premium 40+20 active", 105, 200, 2, 1, 0},
    {"best-effort", "with premium 20", 230, 250, 0, 1, 0},
    {"best-effort", "alone again", 280, 300, 0, 1, 0},
    {.series = NULL},
};

static const gms_timeline_t gms_thesis_5_11_timeline = {
    .flows = gms_thesis_5_11_flows,
    .flow_count = 3,
    .end_ms = 300,
    .stages = gms_thesis_5_11_stages,
};

static gms_status_t gms_thesis_5_11_run(gms_lab_t *lab)
{
    return gms_timeline_run(lab, &gms_thesis_5_11_timeline);
}

static const gms_figure_mark_t gms_thesis_5_11_marks[] = {
    {150, "best-effort", "premium 40 active", "packet dispatch frequency"},
    {.series = NULL},
};

static const gms_figure_t gms_thesis_5_11_figure = {
    .x_label = "Time (1000 RTC ticks)",
    .y_label = "Packets per 1000 ticks",
    .x_max = 600,
    .y_max = 12,
    .style = GMS_FIGURE_STEPS,
    .marks = gms_thesis_5_11_marks,
};

const gms_experiment_t gms_thesis_5_11 = {
    .name = "thesis-5.11",
    .title = "Packet dispatches: two premium flows and one best-effort flow",
    .source = "Gulati 2001, thesis, figure 5.11",
    .text = "A best-effort flow sends at its peak rate while it is the only "
            "flow. When a premium flow begins, the managers reduce the "
            "bandwidth of the best-effort flow. When the premium flow ends, "
            "the managers increase the bandwidth of the best-effort flow "
            "again. In both cases, the managers set a new IDT for the "
            "best-effort flow. As in the thesis, the managers can promise up "
            "to 78 MB/s for each node.",
    .run = gms_thesis_5_11_run,
    .figure = &gms_thesis_5_11_figure,
};
