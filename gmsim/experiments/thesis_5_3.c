/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.3 of the thesis: bandwidth of a single flow versus its IDT. The
 * experiment also searches for the threshold T, the largest IDT that keeps 99 %
 * of the bandwidth of an unregulated flow.
 */
#include "experiments/streams.h"
#include "experiments/thesis.h"

#define GMS_5_3_LAST      400u
#define GMS_5_3_STEP      16u
#define GMS_5_3_WINDOW_PS (UINT64_C(250) * GMS_MS)
/* Fraction of the peak bandwidth that a flow must reach at every IDT up to T,
 * because the curve is flat up to T by definition. */
#define GMS_5_3_FLAT 0.99

static gms_status_t gms_thesis_5_3_point(gms_lab_t *lab, uint32_t idt_ticks,
                                         double *mb_s)
{
    const gms_stream_t stream = {0, 1, idt_ticks};
    gms_params_t params;

    gms_streams_params(&params);
    return gms_streams_run(lab, &params, &stream, 1, GMS_5_3_WINDOW_PS, mb_s);
}

/** Find the largest IDT at which a flow reaches 99 % of the peak bandwidth, by
 *  bisection of the falling curve. */
static gms_status_t gms_thesis_5_3_threshold(gms_lab_t *lab, double peak_mb_s,
                                             uint32_t *threshold_p)
{
    uint32_t low = 0, high = GMS_5_3_LAST;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        double mb_s;
        gms_status_t status = gms_thesis_5_3_point(lab, middle, &mb_s);

        if (status != GMS_OK) {
            return status;
        }
        if (mb_s >= GMS_5_3_FLAT * peak_mb_s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *threshold_p = low;
    return GMS_OK;
}

static gms_status_t gms_thesis_5_3_run(gms_lab_t *lab)
{
    double peak_mb_s = 0.0, mb_s = 0.0;
    uint32_t idt, threshold;
    gms_status_t status;

    for (idt = 0; idt <= GMS_5_3_LAST; idt += GMS_5_3_STEP) {
        status = gms_thesis_5_3_point(lab, idt, &mb_s);
        if (status != GMS_OK) {
            return status;
        }
        if (idt == 0) {
            peak_mb_s = mb_s;
        }
        gms_lab_point(lab, "GM", idt, mb_s, NULL);
        gms_lab_progress(lab, 0.7 * idt / GMS_5_3_LAST);
    }
    status = gms_thesis_5_3_threshold(lab, peak_mb_s, &threshold);
    if (status != GMS_OK) {
        return status;
    }
    gms_lab_row(lab, "single flow", "IDT=0", "bandwidth", peak_mb_s, "MB/s");
    gms_lab_row(lab, "single flow", "IDT<=96", "threshold T", threshold,
                "ticks");
    /* above the threshold, the flow sends one packet per IDT */
    gms_lab_check(lab, "single flow", "IDT=400", "bandwidth", mb_s, "MB/s",
                  GMS_ROW_WITHIN, 4096.0 / (GMS_5_3_LAST * 0.5), 0.5);
    return GMS_OK;
}

static const gms_figure_t gms_thesis_5_3_figure = {
    .x_label = "IDT (LANai 4.3 RTC units of 0.5 us)",
    .y_label = "Bandwidth (MB/s)",
    .x_max = 400,
    .y_max = 100,
};

const gms_experiment_t gms_thesis_5_3 = {
    .name = "thesis-5.3",
    .title = "Effect of IDT on the achieved bandwidth",
    .source = "Gulati 2001, thesis, figure 5.3",
    .text =
        "One flow sends messages of 64 KB. If the IDT does not exceed the "
        "threshold T, the NIC limits the bandwidth. If the IDT is larger than "
        "T, the IDT limits the bandwidth to 4096 bytes per IDT. In this "
        "experiment, T is the largest IDT at which the flow still reaches 99 % "
        "of its bandwidth at IDT 0. The NIC needs 98.8 ticks per packet. The "
        "value of T in the thesis, 96 ticks, was read from a plot.",
    .run = gms_thesis_5_3_run,
    .figure = &gms_thesis_5_3_figure,
};
