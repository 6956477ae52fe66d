/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.10 of the thesis: bandwidth of two MPI flows with the same source,
 * for five pairs of IDTs with T = 140. Real MPI processes send the flows. The
 * experiment compares the ratio of the bandwidths with the inverse ratio of the
 * IDTs.
 */
#include <math.h>
#include <stdio.h>

#include "experiments/mpi_flows.h"
#include "experiments/thesis.h"

/* Pairs of IDTs, with T = 140 at MPI level. The IDTs are rounded to the nearest
 * tick. */
static const struct {
    const char *name;
    uint32_t idt_ticks[2];
} gms_5_10_pairs[] = {
    {"IDT=(2T;2T)", {280, 280}},       {"IDT=(5T/2;5T/3)", {350, 233}},
    {"IDT=(10T/3;10T/7)", {467, 200}}, {"IDT=(5T;5T/4)", {700, 175}},
    {"IDT=(10T;10T/9)", {1400, 156}},
};
#define GMS_5_10_PAIRS (sizeof(gms_5_10_pairs) / sizeof(gms_5_10_pairs[0]))

static gms_status_t gms_thesis_5_10_run(gms_lab_t *lab)
{
    gms_mpi_flows_t tuples[GMS_5_10_PAIRS];
    double worst = 1.0;
    gms_status_t status;
    size_t i;

    for (i = 0; i < GMS_5_10_PAIRS; ++i) {
        tuples[i].idt_ticks[0] = gms_5_10_pairs[i].idt_ticks[0];
        tuples[i].idt_ticks[1] = gms_5_10_pairs[i].idt_ticks[1];
    }
    status = gms_mpi_flows_run(lab, 2, tuples, GMS_5_10_PAIRS, "250");
    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < GMS_5_10_PAIRS; ++i) {
        const double *mb_s = tuples[i].mb_s;
        double ratio =
            mb_s[0] / mb_s[1] * tuples[i].idt_ticks[0] / tuples[i].idt_ticks[1];
        const char *name = gms_5_10_pairs[i].name;

        gms_lab_row(lab, "flow 1", name, "bandwidth", mb_s[0], "MB/s");
        gms_lab_row(lab, "flow 2", name, "bandwidth", mb_s[1], "MB/s");
        gms_lab_row(lab, "flow 1 / flow 2", name,
                    "bandwidth ratio / inverse IDT ratio", ratio, "ratio");
        gms_lab_point(lab, "flow 1", (double)i, mb_s[0], name);
        gms_lab_point(lab, "flow 2", (double)i, mb_s[1], name);
        worst = (fabs(ratio - 1.0) > fabs(worst - 1.0)) ? ratio : worst;
    }
    gms_lab_note(lab, "At the MPI level, T is 140 ticks. The last row shows "
                      "the ratio that deviates most from 1 among all IDT "
                      "pairs.");
    gms_lab_row(lab, "flow 1 / flow 2", "each IDT pair",
                "bandwidth ratio / inverse IDT ratio", worst, "ratio");
    return GMS_OK;
}

static const gms_figure_t gms_thesis_5_10_figure = {
    .x_label = "IDT pair (T = 140)",
    .y_label = "Bandwidth (MB/s)",
    .y_max = 60,
    .style = GMS_FIGURE_BARS,
};

const gms_experiment_t gms_thesis_5_10 = {
    .name = "thesis-5.10",
    .title = "Two flows sourced at the same node, at MPI level",
    .source = "Gulati 2001, thesis, figure 5.10",
    .text = "One real MPI process sends one flow to each of two other "
            "processes. As in the thesis, every IDT is at least 140, because "
            "at smaller IDTs the receiving process would limit the bandwidth. "
            "The bandwidths are inversely proportional to the IDTs.",
    .needs_mpi = 1,
    .run = gms_thesis_5_10_run,
    .figure = &gms_thesis_5_10_figure,
};
