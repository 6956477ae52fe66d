/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.12 of the thesis: number of packets that a NIC dispatches per 1000
 * ticks for each of two best-effort flows. Meanwhile, a premium flow of 20 MB/s
 * starts and stops. The file timeline.c implements the measurement.
 */
#include <stddef.h>

#include "experiments/thesis.h"
#include "experiments/timeline.h"

static const gms_timeline_flow_t gms_thesis_5_12_flows[] = {
    {"best-effort 1", 0.0, 0, 300},
    {"best-effort 2", 0.0, 50, 250},
    {"premium 20 MB/s", 20.0, 100, 200},
};

static const gms_timeline_stage_t gms_thesis_5_12_stages[] = {
    {"best-effort 1", "alone", 5, 50, 0, 1, 0},
    {"mean of both best-effort flows", "no premium", 55, 100, 0, 2, 1},
    {"best-effort 1", "no premium", 55, 100, 0, 1, 0},
    {"best-effort 2", "no premium", 55, 100, 1, 1, 0},
    {"sum of both best-effort flows", "with premium 20", 105, 200, 0, 2, 0},
    {"best-effort 1", "with premium 20", 105, 200, 0, 1, 0},
    {"best-effort 2", "with premium 20", 105, 200, 1, 1, 0},
    {"premium 20", "with premium 20", 105, 200, 2, 1, 0},
    {"mean of both best-effort flows", "after the premium flow", 230, 250, 0, 2,
     1},
    {"best-effort 1", "alone again", 280, 300, 0, 1, 0},
    {.series = NULL},
};

static const gms_timeline_t gms_thesis_5_12_timeline = {
    .flows = gms_thesis_5_12_flows,
    .flow_count = 3,
    .end_ms = 300,
    .stages = gms_thesis_5_12_stages,
};

static gms_status_t gms_thesis_5_12_run(gms_lab_t *lab)
{
    return gms_timeline_run(lab, &gms_thesis_5_12_timeline);
}

static const gms_figure_t gms_thesis_5_12_figure = {
    .x_label = "Time (1000 RTC ticks)",
    .y_label = "Packets per 1000 ticks",
    .x_max = 600,
    .y_max = 12,
    .style = GMS_FIGURE_STEPS,
};

const gms_experiment_t gms_thesis_5_12 = {
    .name = "thesis-5.12",
    .title = "Packet dispatches: one premium flow and two best-effort flows",
    .source = "Gulati 2001, thesis, figure 5.12",
    .text = "Two best-effort flows share the available bandwidth evenly. The "
            "available bandwidth is the whole bandwidth of the node (78 MB/s), "
            "or 58 MB/s while a premium flow has reserved 20 MB/s.",
    .run = gms_thesis_5_12_run,
    .figure = &gms_thesis_5_12_figure,
};
