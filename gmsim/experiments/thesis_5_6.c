/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.6 of the thesis: bandwidth of three flows with the same source node,
 * for several triples of IDTs. The file shares.c implements the measurement.
 */
#include "experiments/shares.h"
#include "experiments/thesis.h"

static const gms_shares_setting_t gms_thesis_5_6_settings[] = {
    {"IDT=(3T;3T;3T)", {288, 288, 288}},
    {"IDT=(2T;4T;4T)", {192, 384, 384}},
    {"IDT=(2T;3T;6T)", {192, 288, 576}},
    {.name = NULL},
};

static const gms_shares_t gms_thesis_5_6_shares = {
    .flows = 3,
    .source = {0, 0, 0},
    .target = {1, 2, 3},
    .series = {"flow 1", "flow 2", "flow 3"},
    .settings = gms_thesis_5_6_settings,
};

static gms_status_t gms_thesis_5_6_run(gms_lab_t *lab)
{
    return gms_shares_run(lab, &gms_thesis_5_6_shares);
}

static const gms_figure_t gms_thesis_5_6_figure = {
    .x_label = "IDT triple",
    .y_label = "Bandwidth (MB/s)",
    .y_max = 60,
    .style = GMS_FIGURE_BARS,
    .mark_quantity = "bandwidth",
};

const gms_experiment_t gms_thesis_5_6 = {
    .name = "thesis-5.6",
    .title = "Three flows sourced at the same node",
    .source = "Gulati 2001, thesis, figure 5.6",
    .text = "One node sends three flows to three other nodes. With each "
            "additional flow, the NIC needs 0.62 us more per packet to search "
            "for the earliest dispatch time. The sum of the bandwidths is "
            "therefore lower than with two flows.",
    .run = gms_thesis_5_6_run,
    .figure = &gms_thesis_5_6_figure,
};
