/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.1 of the thesis: bandwidth of GM versus message size, with and
 * without rate control, measured by the benchmark gm-bandwidth. The file
 * overhead.c implements the measurement.
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
    .text =
        "A real process streams messages to another process, both on GM with "
        "rate control (modified GM) and on unmodified GM. Unmodified GM sends "
        "one packet of each flow in turn, and divides a message into packets "
        "of equal size. Rate control adds 0.2 us to the processing time of "
        "each packet. The bandwidth loss is larger if a message ends with a "
        "short packet, because little of the LANai's other work overlaps with "
        "the host DMA of a short packet. The bandwidth loss is largest for "
        "messages that consist of one full and one short packet (5120 bytes). "
        "In the thesis, the modified GM is faster than the unmodified GM at "
        "some message sizes. The thesis attributes this difference to the full "
        "packets of the modified GM. In this model, messages are never slower "
        "with packets of equal size than with full packets.",
    .run = gms_thesis_5_1_run,
    .figure = &gms_thesis_5_1_figure,
};
