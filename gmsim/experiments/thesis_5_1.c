/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.1 of the thesis: bandwidth of GM with and without rate control over
 * the message size, measured by the benchmark gm-bandwidth. The measurement is
 * in overhead.c.
 */
#include "experiments/overhead.h"
#include "experiments/thesis.h"

static const gms_overhead_t gms_thesis_5_1_overhead = {
    .program = "gm-bandwidth",
    .column = "bandwidth_mb_s",
    .iterations = "40",
    .change = "bandwidth loss",
    .is_more_better = 1,
};

static gms_status_t gms_thesis_5_1_run(gms_lab_t *lab)
{
    return gms_overhead_run(lab, &gms_thesis_5_1_overhead);
}

static const gms_figure_t gms_thesis_5_1_figure = {
    .x_label = "Message size (bytes)",
    .y_label = "Bandwidth (MB/s)",
    .x_min = 4,
    .x_max = 1048576,
    .y_max = 100,
    .is_log_x = 1,
};

const gms_experiment_t gms_thesis_5_1 = {
    .name = "thesis-5.1",
    .title = "Effect of the rate control feature on bandwidth",
    .source = "Gulati 2001, thesis, figure 5.1",
    .text = "Two real processes stream messages, on GM with rate control and "
            "on unmodified GM. Unmodified GM sends one packet of each flow in "
            "turn and cuts messages into equal packets. Rate control takes "
            "0.2 us of each packet's time. The loss is larger where a message "
            "ends with a short packet, because its host DMA hides little of "
            "the LANai's other work. It is largest with one full and one "
            "short packet (5120 bytes). In the thesis the modified GM is "
            "ahead at some sizes, and the thesis attributes this to its full "
            "packets. Here equal packets are never slower.",
    .run = gms_thesis_5_1_run,
    .figure = &gms_thesis_5_1_figure,
};
