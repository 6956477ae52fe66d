/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.8 of the thesis: bandwidth of two flows that a node sends and of a
 * flow that the node receives at IDT 500, for three triples of IDTs. The file
 * shares.c implements the measurement.
 */
#include "experiments/shares.h"
#include "experiments/thesis.h"

static const gms_shares_setting_t gms_thesis_5_8_settings[] = {
    {"IDT=(250;250;500)", {250, 250, 500}},
    {"IDT=(188;375;500)", {188, 375, 500}},
    {"IDT=(167;500;500)", {167, 500, 500}},
    {.name = NULL},
};

static const gms_shares_t gms_thesis_5_8_shares = {
    .flows = 3,
    .source = {1, 1, 0},
    .target = {2, 3, 1},
    .series = {"outgoing flow 1", "outgoing flow 2", "incoming flow"},
    .settings = gms_thesis_5_8_settings,
};

static gms_status_t gms_thesis_5_8_run(gms_lab_t *lab)
{
    return gms_shares_run(lab, &gms_thesis_5_8_shares);
}

static const gms_figure_t gms_thesis_5_8_figure = {
    .x_label = "IDT triple (two outgoing, incoming)",
    .y_label = "Bandwidth (MB/s)",
    .y_max = 60,
    .style = GMS_FIGURE_BARS,
    .mark_quantity = "bandwidth",
};

const gms_experiment_t gms_thesis_5_8 = {
    .name = "thesis-5.8",
    .title = "Two flows sourced at a node, and a third destined for it",
    .source = "Gulati 2001, thesis, figure 5.8",
    .text = "A node receives one flow at IDT 500 and sends two flows. "
            "Together, the two outgoing flows request one packet every 125 "
            "ticks. According to figure 5.4, this rate is the highest at which "
            "a node can send while it receives at IDT 500. The incoming flow "
            "keeps its bandwidth. The two outgoing flows share the remaining "
            "bandwidth in inverse proportion to their IDTs.",
    .run = gms_thesis_5_8_run,
    .figure = &gms_thesis_5_8_figure,
};
