/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.2 of the thesis: round-trip latency of GM versus message size, with
 * and without rate control, measured by the benchmark gm-pingpong. The file
 * overhead.c implements the measurement.
 */
#include "experiments/overhead.h"
#include "experiments/thesis.h"

static const gms_overhead_t gms_thesis_5_2_overhead = {
    .program = "gm-pingpong",
    .column = "median_us",
    .iterations = "10",
    .change = "round-trip latency increase",
};

static gms_status_t gms_thesis_5_2_run(gms_lab_t *lab)
{
    return gms_overhead_run(lab, &gms_thesis_5_2_overhead);
}

static const gms_figure_t gms_thesis_5_2_figure = {
    .x_label = "Message size (bytes)",
    .y_label = "Round-trip latency (us)",
    .x_min = 4,
    .x_max = 1048576,
    .is_log_x = 1,
    .is_log_y = 1,
};

const gms_experiment_t gms_thesis_5_2 = {
    .name = "thesis-5.2",
    .title = "Effect of the rate control feature on round-trip latency",
    .source = "Gulati 2001, thesis, figure 5.2",
    .text = "Two real processes run a ping-pong on each of the two GM versions "
            "of thesis-5.1. With one flow, rate control needs 0.2 us per "
            "packet to search for the next packet. A message of a few packets "
            "arrives earlier if the packets have equal sizes, because their "
            "transfers overlap more on the route. For messages of 5 to 15 "
            "KB, this overlap, and not the search, causes the difference "
            "between the two versions.",
    .run = gms_thesis_5_2_run,
    .figure = &gms_thesis_5_2_figure,
};
