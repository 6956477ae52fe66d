/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.5 of the thesis: bandwidth of two flows with the same source node,
 * for five pairs of IDTs. The file shares.c implements the measurement.
 */
#include "experiments/shares.h"
#include "experiments/thesis.h"

static const gms_shares_setting_t gms_thesis_5_5_settings[] = {
    {"IDT=(2T;2T)", {192, 192}},       {"IDT=(5T/2;5T/3)", {240, 160}},
    {"IDT=(10T/3;10T/7)", {320, 137}}, {"IDT=(5T;5T/4)", {480, 120}},
    {"IDT=(10T;10T/9)", {960, 107}},   {.name = NULL},
};

static const gms_shares_t gms_thesis_5_5_shares = {
    .flows = 2,
    .source = {0, 0},
    .target = {1, 2},
    .series = {"flow 1", "flow 2"},
    .settings = gms_thesis_5_5_settings,
};

static gms_status_t gms_thesis_5_5_run(gms_lab_t *lab)
{
    return gms_shares_run(lab, &gms_thesis_5_5_shares);
}

static const gms_figure_t gms_thesis_5_5_figure = {
    .x_label = "IDT pair",
    .y_label = "Bandwidth (MB/s)",
    .y_max = 90,
    .style = GMS_FIGURE_BARS,
    .mark_quantity = "bandwidth",
};

const gms_experiment_t gms_thesis_5_5 = {
    .name = "thesis-5.5",
    .title = "Two flows sourced at the same node",
    .source = "Gulati 2001, thesis, figure 5.5",
    .text =
        "One node sends two flows to two other nodes. The threshold T is 96 "
        "ticks, and IDTs are rounded to the nearest tick. With every pair of "
        "IDTs, the two flows together request one packet in each interval T. "
        "The requested bandwidth is slightly more than the NIC can send, "
        "because the NIC needs 100.1 ticks per packet with two flows. The "
        "flows still share the bandwidth in inverse proportion to their IDTs, "
        "because the NIC first serves the flow that is further behind its "
        "schedule.",
    .run = gms_thesis_5_5_run,
    .figure = &gms_thesis_5_5_figure,
};
