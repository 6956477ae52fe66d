/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.9 of the thesis: bandwidth of one MPI flow versus its IDT, with real
 * MPI processes. The experiment tests every tick in a range to find the
 * threshold at MPI level. For comparison, the experiment also draws the curve
 * of a flow at GM level.
 */
#include "experiments/mpi_flows.h"
#include "experiments/streams.h"
#include "experiments/thesis.h"

#define GMS_5_9_LAST 400u
#define GMS_5_9_STEP 20u
/* Smallest measured IDT except 0. The link is too slow for IDTs below 52. */
#define GMS_5_9_FIRST 60u
/* Range of the search for the threshold, tick by tick. */
#define GMS_5_9_FROM 110u
#define GMS_5_9_TO   170u
/* the threshold T of the thesis at MPI level, where the flat part of the curve
 * ends */
#define GMS_5_9_KNEE      140u
#define GMS_5_9_FLAT      0.99
#define GMS_5_9_POINTS    ((GMS_5_9_LAST - GMS_5_9_FIRST) / GMS_5_9_STEP + 2)
#define GMS_5_9_SCAN      (GMS_5_9_TO - GMS_5_9_FROM + 1)
#define GMS_5_9_WINDOW_PS (UINT64_C(150) * GMS_MS)

static gms_status_t gms_thesis_5_9_gm(gms_lab_t *lab)
{
    gms_params_t params;
    uint32_t idt;

    gms_streams_params(&params);
    for (idt = 0; idt <= GMS_5_9_LAST; idt += GMS_5_9_STEP) {
        const gms_stream_t stream = {0, 1, idt};
        double mb_s;
        gms_status_t status =
            gms_streams_run(lab, &params, &stream, 1, GMS_5_9_WINDOW_PS, &mb_s);

        if (status != GMS_OK) {
            return status;
        }
        gms_lab_point(lab, "GM", idt, mb_s, NULL);
    }
    return GMS_OK;
}

static void gms_thesis_5_9_rows(gms_lab_t *lab, const gms_mpi_flows_t *curve,
                                const gms_mpi_flows_t *scan)
{
    double sum = 0.0, least = curve[0].mb_s[0];
    unsigned count = 0, i;
    uint32_t threshold = 0;

    for (i = 0; i < GMS_5_9_POINTS; ++i) {
        double mb_s = curve[i].mb_s[0];

        gms_lab_point(lab, "MPI", curve[i].idt_ticks[0], mb_s, NULL);
        if (curve[i].idt_ticks[0] < GMS_5_9_KNEE) {
            sum += mb_s;
            least = (mb_s < least) ? mb_s : least;
            ++count;
        }
    }
    for (i = 0; i < GMS_5_9_SCAN; ++i) {
        if (scan[i].mb_s[0] >= GMS_5_9_FLAT * curve[0].mb_s[0]) {
            threshold = scan[i].idt_ticks[0];
        }
    }
    gms_lab_row(lab, "MPI flow", "IDT=0", "bandwidth", curve[0].mb_s[0],
                "MB/s");
    gms_lab_row(lab, "MPI flow", "IDT<140", "bandwidth", sum / count, "MB/s");
    gms_lab_row(lab, "MPI flow", "IDT<140", "least bandwidth", least, "MB/s");
    gms_lab_row(lab, "MPI flow", "threshold", "T at MPI level", threshold,
                "ticks");
}

static gms_status_t gms_thesis_5_9_run(gms_lab_t *lab)
{
    gms_mpi_flows_t tuples[GMS_5_9_POINTS + GMS_5_9_SCAN];
    gms_status_t status;
    unsigned i;

    for (i = 0; i < GMS_5_9_POINTS; ++i) {
        tuples[i].idt_ticks[0] =
            (i == 0) ? 0 : GMS_5_9_FIRST + (i - 1) * GMS_5_9_STEP;
    }
    for (i = 0; i < GMS_5_9_SCAN; ++i) {
        tuples[GMS_5_9_POINTS + i].idt_ticks[0] = GMS_5_9_FROM + i;
    }
    status = gms_thesis_5_9_gm(lab);
    if (status == GMS_OK) {
        status = gms_mpi_flows_run(lab, 1, tuples,
                                   GMS_5_9_POINTS + GMS_5_9_SCAN, "60");
    }
    if (status == GMS_OK) {
        gms_thesis_5_9_rows(lab, tuples, tuples + GMS_5_9_POINTS);
    }
    return status;
}

static const gms_figure_t gms_thesis_5_9_figure = {
    .x_label = "IDT (LANai 4.3 RTC units of 0.5 us)",
    .y_label = "Bandwidth (MB/s)",
    .x_max = 400,
    .y_max = 100,
};

const gms_experiment_t gms_thesis_5_9 = {
    .name = "thesis-5.9",
    .title = "Effect of IDT on the bandwidth achieved at the MPI level",
    .source = "Gulati 2001, thesis, figure 5.9",
    .text =
        "Real MPI processes make reservations with the given IDTs. At IDTs up "
        "to 140, the receiving process limits the bandwidth. The receiving "
        "process's work per byte is calibrated to the 50 MB/s that the thesis "
        "prints. The model predicts the flat part of the curve and the "
        "position of its bend. A message of 64 KB is sent as 18 packets. Two "
        "of these packets belong to the rendezvous protocol.",
    .needs_mpi = 1,
    .run = gms_thesis_5_9_run,
    .figure = &gms_thesis_5_9_figure,
};
