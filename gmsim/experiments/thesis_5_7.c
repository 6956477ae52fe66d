/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.7 of the thesis: bandwidth of two flows from two nodes to the same
 * target node, for five pairs of IDTs. The file shares.c implements the
 * measurement.
 */
#include "experiments/shares.h"
#include "experiments/thesis.h"

static const gms_shares_setting_t gms_thesis_5_7_settings[] = {
    {"IDT=(2T;2T)", {192, 192}},       {"IDT=(5T/2;5T/3)", {240, 160}},
    {"IDT=(10T/3;10T/7)", {320, 137}}, {"IDT=(5T;5T/4)", {480, 120}},
    {"IDT=(10T;10T/9)", {960, 107}},   {.name = NULL},
};

static const gms_shares_t gms_thesis_5_7_shares = {
    .flows = 2,
    .source = {0, 1},
    .target = {2, 2},
    .series = {"flow 1", "flow 2"},
    .settings = gms_thesis_5_7_settings,
};

static gms_status_t gms_thesis_5_7_run(gms_lab_t *lab)
{
    return gms_shares_run(lab, &gms_thesis_5_7_shares);
}

static const gms_figure_t gms_thesis_5_7_figure = {
    .x_label = "IDT pair",
    .y_label = "Bandwidth (MB/s)",
    .y_max = 90,
    .style = GMS_FIGURE_BARS,
    .mark_quantity = "bandwidth",
};

const gms_experiment_t gms_thesis_5_7 = {
    .name = "thesis-5.7",
    .title = "Two flows destined for the same node",
    .source = "Gulati 2001, thesis, figure 5.7",
    .text = "Two nodes each send one flow to the same third node. The flows "
            "meet at the switch port that leads to the receiver. The receiving "
            "NIC needs less time to receive a packet (48.3 us) than a sending "
            "NIC needs to send one (49.2 us). The flows therefore receive "
            "nearly all of the bandwidth that their IDTs request.",
    .run = gms_thesis_5_7_run,
    .figure = &gms_thesis_5_7_figure,
};
