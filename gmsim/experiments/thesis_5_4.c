/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5.4 of the thesis: the largest bandwidth that a node can send while it
 * receives a flow of a given IDT. The experiment finds the fastest outgoing
 * flow by bisection. The experiment compares the sum of both directions with
 * the bandwidth of a single server that both directions share.
 */
#include <stdio.h>

#include "experiments/streams.h"
#include "experiments/thesis.h"
#include "manager/service.h"

/* Number of packets of the incoming flow in a measurement. One packet is then
 * 0.2 % of the bandwidth. */
#define GMS_5_4_PACKETS  500u
#define GMS_5_4_LEAST_PS (UINT64_C(60) * GMS_MS)
/* Fraction of its uncontested bandwidth that the incoming flow must still
 * reach. */
#define GMS_5_4_KEEPS 0.99
/* Range of the search for the IDT of the outgoing flow. No NIC can send a
 * packet in less time than the smallest IDT. */
#define GMS_5_4_FASTEST 90u
#define GMS_5_4_SLOWEST 20000u
/* Tolerance of the sum relative to a single server that is never idle, in
 * percent. */
#define GMS_5_4_SUM_TOLERANCE 2.0

/* IDTs of the incoming flow, in order of increasing bandwidth. */
static const uint32_t gms_5_4_incoming[] = {1000, 800, 650, 500, 400, 320, 260,
                                            220,  190, 165, 145, 130, 120, 110};
#define GMS_5_4_COUNT (sizeof(gms_5_4_incoming) / sizeof(uint32_t))

/** IDTs and bandwidths of the incoming and the outgoing flow. */
typedef struct gms_5_4_pair {
    uint32_t idt_in, idt_out;
    double in_mb_s, out_mb_s;
} gms_5_4_pair_t;

/** Measure the incoming flow A -> B. @param [in] flows 1: alone; 2: while B
 *  also sends the outgoing flow B -> C */
static gms_status_t gms_thesis_5_4_measure(gms_lab_t *lab, gms_5_4_pair_t *pair,
                                           unsigned flows)
{
    const gms_stream_t streams[] = {{0, 1, pair->idt_in},
                                    {1, 2, pair->idt_out}};
    double mb_s[2] = {0.0, 0.0};
    gms_time_t window_ps;
    gms_params_t params;
    gms_status_t status;

    gms_streams_params(&params);
    window_ps = params.rtc_tick_ps * pair->idt_in * GMS_5_4_PACKETS;
    if (window_ps < GMS_5_4_LEAST_PS) {
        window_ps = GMS_5_4_LEAST_PS;
    }
    status = gms_streams_run(lab, &params, streams, flows, window_ps, mb_s);
    pair->in_mb_s = mb_s[0];
    pair->out_mb_s = mb_s[1];
    return status;
}

/** Find the fastest outgoing flow that does not affect the incoming flow. The
 *  flow is either unregulated (IDT 0), or bisection finds its IDT. */
static gms_status_t gms_thesis_5_4_search(gms_lab_t *lab, gms_5_4_pair_t *pair)
{
    uint32_t low = GMS_5_4_FASTEST, high = GMS_5_4_SLOWEST;
    gms_status_t status = gms_thesis_5_4_measure(lab, pair, 1);
    double keeps_mb_s = GMS_5_4_KEEPS * pair->in_mb_s;

    pair->idt_out = 0;
    if (status == GMS_OK) {
        status = gms_thesis_5_4_measure(lab, pair, 2);
    }
    if (status != GMS_OK || pair->in_mb_s >= keeps_mb_s) {
        return status;
    }
    while (status == GMS_OK && high - low > 1) {
        pair->idt_out = low + (high - low) / 2;
        status = gms_thesis_5_4_measure(lab, pair, 2);
        if (pair->in_mb_s >= keeps_mb_s) {
            high = pair->idt_out;
        } else {
            low = pair->idt_out;
        }
    }
    pair->idt_out = high;
    return (status == GMS_OK) ? gms_thesis_5_4_measure(lab, pair, 2) : status;
}

/** Return the total bandwidth that both directions would have if their packets
 *  alternated at one server. The server needs the time S for an outgoing
 *  packet, and the time R for an incoming packet. */
static double gms_thesis_5_4_bound_mb_s(const gms_params_t *params,
                                        double in_share)
{
    double send_ps = (double)gms_service_send_ps(params, 1);
    double receive_ps = (double)gms_service_receive_ps(params);

    return 1e6 * (double)params->nic_mtu_bytes /
           (in_share * receive_ps + (1.0 - in_share) * send_ps);
}

/** Return the bandwidth that the managers would guarantee to outgoing flows of
 *  a node with a given incoming bandwidth. */
static double gms_thesis_5_4_promise_mb_s(const gms_params_t *params,
                                          double in_mb_s)
{
    return 1e-6 * gms_service_node_bytes_s(params, 1, 1e6 * in_mb_s) - in_mb_s;
}

static void gms_thesis_5_4_rows(gms_lab_t *lab, const gms_params_t *params,
                                const gms_5_4_pair_t *pair)
{
    double sum_mb_s = pair->in_mb_s + pair->out_mb_s;
    char setting[32];

    (void)snprintf(setting, sizeof(setting), "incoming IDT=%u", pair->idt_in);
    gms_lab_row(lab, "outgoing flow", setting, "max outgoing bandwidth",
                pair->out_mb_s, "MB/s");
    gms_lab_row(lab, "outgoing flow", setting, "IDT (0: not regulated)",
                pair->idt_out, "ticks");
    gms_lab_row(lab, "outgoing flow", setting, "promised by admission",
                gms_thesis_5_4_promise_mb_s(params, pair->in_mb_s), "MB/s");
    gms_lab_row(lab, "incoming flow", setting, "bandwidth", pair->in_mb_s,
                "MB/s");
    gms_lab_check(lab, "sum of both", setting, "bandwidth", sum_mb_s, "MB/s",
                  GMS_ROW_WITHIN,
                  gms_thesis_5_4_bound_mb_s(params, pair->in_mb_s / sum_mb_s),
                  GMS_5_4_SUM_TOLERANCE);
    gms_lab_point(lab, "outgoing flow", pair->idt_in, pair->out_mb_s, NULL);
    gms_lab_point(lab, "incoming flow", pair->idt_in, pair->in_mb_s, NULL);
    gms_lab_point(lab, "sum", pair->idt_in, sum_mb_s, NULL);
}

/** Return the slope of the regression line through the points (incoming share,
 *  sum). */
static double gms_thesis_5_4_slope(const gms_5_4_pair_t *pairs)
{
    double mean_x = 0.0, mean_y = 0.0, xy = 0.0, xx = 0.0;
    size_t i;

    for (i = 0; i < GMS_5_4_COUNT; ++i) {
        double sum = pairs[i].in_mb_s + pairs[i].out_mb_s;

        mean_x += pairs[i].in_mb_s / sum / (double)GMS_5_4_COUNT;
        mean_y += sum / (double)GMS_5_4_COUNT;
    }
    for (i = 0; i < GMS_5_4_COUNT; ++i) {
        double sum = pairs[i].in_mb_s + pairs[i].out_mb_s;
        double x = pairs[i].in_mb_s / sum - mean_x;

        xy += x * (sum - mean_y);
        xx += x * x;
    }
    return xy / xx;
}

static void gms_thesis_5_4_whole(gms_lab_t *lab, const gms_5_4_pair_t *pairs)
{
    const gms_5_4_pair_t *last = &pairs[GMS_5_4_COUNT - 1];
    unsigned rises = 0;
    size_t i;

    for (i = 1; i < GMS_5_4_COUNT; ++i) {
        rises += pairs[i].out_mb_s >= pairs[i - 1].out_mb_s;
    }
    gms_lab_check(lab, "outgoing flow", "each higher incoming rate",
                  "number of rates at which this bandwidth does not fall",
                  rises, "times", GMS_ROW_AT_MOST, 0.0, 0.0);
    gms_lab_check(lab, "sum of both", "all incoming rates",
                  "slope over the share of incoming packets",
                  gms_thesis_5_4_slope(pairs), "MB/s", GMS_ROW_AT_LEAST, 0.0,
                  0.0);
    gms_lab_check(lab, "sum of both", "highest incoming rate", "bandwidth",
                  last->in_mb_s + last->out_mb_s, "MB/s", GMS_ROW_AT_LEAST,
                  pairs[0].in_mb_s + pairs[0].out_mb_s, 0.0);
}

/** Return the time that the managers' service model (manager/service.h) adds to
 *  an incoming packet if the node also sends. */
static gms_time_t gms_thesis_5_4_hidden_ps(const gms_params_t *params)
{
    return (params->mcp_recv_finish_cycles + params->mcp_ack_receive_cycles +
            params->mcp_send_finish_cycles) *
           params->lanai_cycle_ps;
}

/** Return the number of ticks that the node needs for n outgoing packets and
 *  one incoming packet. */
static double gms_thesis_5_4_full_ticks(const gms_params_t *params, unsigned n,
                                        int in_the_way)
{
    gms_time_t time_ps =
        n * gms_service_send_ps(params, 1) + gms_service_receive_ps(params);

    if (in_the_way) {
        time_ps += gms_thesis_5_4_hidden_ps(params);
    }
    return (double)time_ps / (double)params->rtc_tick_ps;
}

static gms_status_t gms_thesis_5_4_run(gms_lab_t *lab)
{
    gms_5_4_pair_t pairs[GMS_5_4_COUNT];
    gms_params_t params;
    size_t i;

    gms_streams_params(&params);
    gms_lab_note(
        lab,
        "The sum of the bandwidths is compared with 4096 bytes / (x R + (1 - "
        "x) S), where x is the share of incoming packets. The NIC needs S = "
        "%.2f us to send a packet and R = %.2f us to receive a packet.",
        1e-6 * (double)gms_service_send_ps(&params, 1),
        1e-6 * (double)gms_service_receive_ps(&params));
    gms_lab_note(
        lab,
        "Each incoming packet causes up to H = %.2f us of LANai work. The "
        "arrival time of the packet determines whether this work runs in "
        "parallel with the host DMA of other packets or delays this DMA.",
        1e-6 * (double)gms_thesis_5_4_hidden_ps(&params));
    gms_lab_note(
        lab,
        "If the incoming IDT is between n S + R and n S + R + H, the NIC needs "
        "this whole IDT for n outgoing packets and one incoming packet. For n "
        "= 4, this range is %.0f to %.0f ticks. The incoming packet's LANai "
        "work then delays the host DMA.",
        gms_thesis_5_4_full_ticks(&params, 4, 0),
        gms_thesis_5_4_full_ticks(&params, 4, 1));
    gms_lab_note(
        lab,
        "The packets of the two flows then follow a fixed pattern, and no "
        "additional packet fits between their packets. The sum of the "
        "bandwidths is up to 2 %% lower than the reference, although the NIC "
        "needs no more time per packet.");
    for (i = 0; i < GMS_5_4_COUNT; ++i) {
        gms_status_t status;

        pairs[i].idt_in = gms_5_4_incoming[i];
        status = gms_thesis_5_4_search(lab, &pairs[i]);
        if (status != GMS_OK) {
            return status;
        }
        gms_thesis_5_4_rows(lab, &params, &pairs[i]);
        gms_lab_progress(lab, (double)(i + 1) / (double)GMS_5_4_COUNT);
    }
    gms_thesis_5_4_whole(lab, pairs);
    return GMS_OK;
}

static const gms_figure_mark_t gms_thesis_5_4_marks[] = {
    {500, "outgoing flow", "incoming IDT=500", "max outgoing bandwidth"},
    {.series = NULL},
};

static const gms_figure_t gms_thesis_5_4_figure = {
    .x_label = "IDT of the incoming flow (RTC units of 0.5 us)",
    .y_label = "Bandwidth (MB/s)",
    .x_max = 1000,
    .y_max = 100,
    .marks = gms_thesis_5_4_marks,
};

const gms_experiment_t gms_thesis_5_4 = {
    .name = "thesis-5.4",
    .title = "Maximum bandwidth of an outgoing flow at different incoming "
             "packet rates",
    .source = "Gulati 2001, thesis, figure 5.4",
    .text =
        "Node A sends a flow to node B at a given IDT. Node B sends a second "
        "flow to node C. The second flow sends at the highest rate at which "
        "the first flow still keeps 99 % of the bandwidth that it achieves "
        "alone. The LANai and the host DMA engine of node B serve both flows. "
        "In both components, an incoming packet needs less time than an "
        "outgoing packet, so the sum of the bandwidths rises with the share of "
        "incoming packets. The managers would promise less bandwidth than this "
        "sum, because they promise at most 78 MB/s for a node.",
    .run = gms_thesis_5_4_run,
    .figure = &gms_thesis_5_4_figure,
};
