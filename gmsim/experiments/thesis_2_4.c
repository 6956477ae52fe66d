/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures 2.4 and 3.2 of the thesis: contention of worms in two successive
 * switches, and how regulating two flows prevents this contention. The
 * experiment compares the measured bandwidths with the following computation.
 *
 *   B, C, D --> switch 1 ====> switch 2 --> X  (from A and B)
 *                         A -->         --> Y  (from C)
 *                                       --> Z  (from D)
 *
 * The NIC of the profile needs R = 48.3 us for a packet that it receives. A
 * full packet occupies a wire for the time W = 25.8 us at the profile's 160
 * MB/s. Both switches serve their inputs in turn. In the steady state:
 *
 * - X is always busy and accepts one packet every R. After X has accepted the
 *   head of a packet, the packet streams to X for the time W. Then the port to
 *   X is free, and the switch assigns the port to A's next packet, unless the
 *   head of B's next packet is also waiting. A packet occupies the port until X
 *   accepts the packet.
 * - B's packet occupies the link between the switches until its tail has left.
 *   This happens a time W after X has accepted the packet. After that, n
 *   packets of C and D use this link, because the inputs of switch 1 take
 *   turns. Each packet needs the time W. The head of B's next packet arrives at
 *   the port to X a time (n + 1) W after X accepted B's last packet.
 * - X accepts B's packet at time 0 and packets of A at R, 2 R, and so on. The
 *   port is assigned at R + W, 2 R + W, and so on. The port is assigned to B's
 *   next head at the first of these times that is not before (n + 1) W. X
 *   accepts the head R - W later. Therefore one of every m(n) packets that X
 *   accepts is from B:
 *       m(n) = max(2, 1 + ceil(n W / R))
 *   The other packets are from A.
 *
 * If C and D are not regulated, n = 2. Two packets take 2 W = 51.6 us, which is
 * longer than R. Therefore m = 3, and B receives a third of X's bandwidth. The
 * result is the same for slower links, as long as W is at most R. Links of more
 * than 171 MB/s carry two packets within R. With such links, m = 2, and A and B
 * receive equal shares even without regulation.
 *
 * If C and D are regulated to half of B's fair rate, each of them sends one
 * packet every 4 R. D sends its packets 2 R after those of C. Therefore one
 * packet of C or D passes between two of B's packets, and n = 1. Because W < R,
 * m = 2, and B receives half of the bandwidth.
 *
 * If C and D have this rate but send at the same time, a fraction f of B's
 * packets waits for packets of both flows. B's other packets do not wait for a
 * packet of C or D. The mean of m is M = f m(2) + (1 - f) m(0). C sends one
 * packet every 4 R, and B sends one packet every M R, so f = M / 4. The result
 * is M = m(0) / (1 - (m(2) - m(0)) / 4) = 8/3. Regulation therefore helps only
 * if C and D alternate.
 *
 * X accepts a packet every R only if the NIC can read a packet's header while
 * its host DMA still transfers the previous packet. The NIC can read the header
 * in time only if W is shorter than R by at least about 9 us. At 100 MB/s (W =
 * 41.3 us), W is too long, and every second packet takes 51 us.
 */
#include <math.h>
#include <stdio.h>

#include "experiments/streams.h"
#include "experiments/thesis.h"
#include "manager/service.h"

/** Further link speeds in bytes/s at which the formula is tested. With the
 *  fastest link, B loses no bandwidth. */
static const uint64_t gms_2_4_links[] = {110000000, 120000000, 140000000,
                                         180000000};
#define GMS_2_4_LINKS (sizeof(gms_2_4_links) / sizeof(gms_2_4_links[0]))
/* tolerance in percent; needed because IDTs are whole ticks and windows contain
 * whole packets */
#define GMS_2_4_TOLERANCE 3.0
#define GMS_2_4_WINDOW_PS (UINT64_C(400) * GMS_MS)

enum {
    GMS_2_4_B,
    GMS_2_4_C,
    GMS_2_4_D,
    GMS_2_4_A = 4,
    GMS_2_4_X,
    GMS_2_4_Y,
    GMS_2_4_Z,
    GMS_2_4_HOSTS
};

/** Source and target of each flow. */
static const struct {
    const char *name;
    unsigned source, target;
} gms_2_4_flows[] = {
    {"flow A", GMS_2_4_A, GMS_2_4_X},
    {"flow B", GMS_2_4_B, GMS_2_4_X},
    {"flow C", GMS_2_4_C, GMS_2_4_Y},
    {"flow D", GMS_2_4_D, GMS_2_4_Z},
};
enum {
    GMS_2_4_FLOW_A,
    GMS_2_4_FLOW_B,
    GMS_2_4_FLOWS = 4
};

static void gms_thesis_2_4_params(gms_params_t *params)
{
    gms_streams_params(params);
    params->topology = GMS_TOPOLOGY_CASCADE;
    params->hosts = GMS_2_4_HOSTS;
    params->hosts_per_switch = GMS_2_4_A; /* hosts B, C and D, and an unused
                                           * host */
}

/** Return W, the time during which a full packet occupies a wire. */
static double gms_thesis_2_4_wire_us(const gms_params_t *params)
{
    return 1e-6 * (double)gms_transfer_ps(params->nic_mtu_bytes +
                                              params->nic_header_bytes,
                                          params->link_bytes_s);
}

/** Return m(n): if n packets of other flows pass between two packets of B, one
 *  of every m(n) packets that X accepts is from B. */
static double gms_thesis_2_4_turns(double n, double wire_us, double receive_us)
{
    return fmax(2.0, 1.0 + ceil(n * wire_us / receive_us));
}

/** Regulation of C and D, and the resulting share of B. */
typedef struct gms_2_4_case {
    const char *name;
    uint32_t idt_ticks;
    uint32_t lag_ticks; /* delay of D relative to C */
    double turns;       /* number of packets that X accepts per packet of B */
} gms_2_4_case_t;

static gms_status_t gms_thesis_2_4_measure(gms_lab_t *lab,
                                           const gms_params_t *params,
                                           const gms_2_4_case_t *one,
                                           double *mb_s)
{
    gms_scenario_t *scenario;
    gms_status_t status = gms_streams_create(lab, params, &scenario);
    unsigned i;

    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < GMS_2_4_FLOWS; ++i) {
        const gms_stream_t stream = {gms_2_4_flows[i].source,
                                     gms_2_4_flows[i].target,
                                     (i >= 2) ? one->idt_ticks : 0};
        gms_traffic_t traffic = gms_stream_traffic(&stream);

        if (gms_2_4_flows[i].source == GMS_2_4_D) {
            traffic.start_ps = params->rtc_tick_ps * one->lag_ticks;
        }
        (void)gms_scenario_add(scenario, &traffic);
    }
    gms_scenario_measure(scenario, GMS_STREAMS_WARM_UP_PS,
                         GMS_STREAMS_WARM_UP_PS + GMS_2_4_WINDOW_PS, mb_s,
                         GMS_2_4_FLOWS);
    for (i = 0; i < GMS_2_4_FLOWS; ++i) {
        mb_s[i] *= 1e-6;
    }
    gms_scenario_destroy(scenario);
    return GMS_OK;
}

/** Report rows and bars of all flows at the profile's link speed. */
static void gms_thesis_2_4_rows(gms_lab_t *lab, const gms_2_4_case_t *one,
                                double group, double receive_us,
                                const double *mb_s)
{
    unsigned i;

    for (i = 0; i < GMS_2_4_FLOWS; ++i) {
        const char *name = gms_2_4_flows[i].name;

        if (i != GMS_2_4_FLOW_B) {
            gms_lab_row(lab, name, one->name, "bandwidth", mb_s[i], "MB/s");
        } else {
            gms_lab_check(lab, name, one->name, "bandwidth", mb_s[i], "MB/s",
                          GMS_ROW_WITHIN, 4096.0 / (one->turns * receive_us),
                          GMS_2_4_TOLERANCE);
            gms_lab_check(lab, name, one->name, "share of X",
                          100.0 * mb_s[i] / (mb_s[GMS_2_4_FLOW_A] + mb_s[i]),
                          "percent", GMS_ROW_WITHIN, 100.0 / one->turns,
                          GMS_2_4_TOLERANCE);
        }
        gms_lab_point(lab, name, group, mb_s[i], one->name);
    }
}

static void gms_thesis_2_4_notes(gms_lab_t *lab, const gms_params_t *params,
                                 double wire_us, double receive_us,
                                 const gms_2_4_case_t *cases)
{
    gms_lab_note(lab,
                 "The bandwidth of the links is %g MB/s. A full packet "
                 "occupies a link for W = %.2f us. X, the destination of A and "
                 "B, accepts one packet every R = %.2f us.",
                 (double)params->link_bytes_s * 1e-6, wire_us, receive_us);
    gms_lab_note(
        lab, "A packet of B that X has accepted occupies the link between "
             "the switches for the time W. Then n packets of C and D "
             "occupy this link for W each. The head of B's next packet "
             "therefore arrives (n + 1) W after X accepted the previous one.");
    gms_lab_note(
        lab,
        "The port to X becomes free a time W after X accepts a packet. A's "
        "next packet uses the port unless the head of a packet of B is "
        "waiting. Therefore, one in m(n) packets that X accepts is from B, "
        "where m(n) = max(2, 1 + ceil(n W / R)).");
    gms_lab_note(lab,
                 "If C and D are not regulated, n is 2 and 2 W / R is %.2f. "
                 "One packet in %g is then from B.",
                 2.0 * wire_us / receive_us, cases[0].turns);
    gms_lab_note(
        lab,
        "If C and D alternate, each at half of B's fair rate (one packet per "
        "4 R, IDT %u), n is 1 and W / R is %.2f. One packet in %g is then from "
        "B.",
        cases[1].idt_ticks, wire_us / receive_us, cases[1].turns);
    gms_lab_note(
        lab,
        "Suppose that C and D send at the same times and that one packet in M "
        "is from B. A fraction M / 4 of B's packets then waits for packets of "
        "both C and D, and the others wait for neither. Therefore M = m(0) / "
        "(1 - (m(2) - m(0)) / 4) = %.2f.",
        cases[2].turns);
}

/** Compute the three cases for a link speed. */
static void gms_thesis_2_4_derive(const gms_params_t *params, double wire_us,
                                  double receive_us, gms_2_4_case_t cases[3])
{
    double idle = gms_thesis_2_4_turns(0.0, wire_us, receive_us);

    cases[0] = (gms_2_4_case_t){
        .name = "not regulated",
        .turns = gms_thesis_2_4_turns(2.0, wire_us, receive_us)};
    cases[1] = (gms_2_4_case_t){
        .name = "half of B's rate",
        .turns = gms_thesis_2_4_turns(1.0, wire_us, receive_us)};
    cases[2] =
        (gms_2_4_case_t){.name = "half of B's rate in step",
                         .turns = idle / (1.0 - (cases[0].turns - idle) / 4.0)};
    /* at B's fair rate, B sends a packet every 2 R; C and D each send one
     * packet for every two packets of B */
    cases[1].idt_ticks =
        (uint32_t)lround(4.0 * receive_us * 1e6 / (double)params->rtc_tick_ps);
    cases[1].lag_ticks = cases[1].idt_ticks / 2;
    cases[2].idt_ticks = cases[1].idt_ticks;
}

/** Run all cases at the profile's link speed. */
static gms_status_t gms_thesis_2_4_own(gms_lab_t *lab,
                                       const gms_params_t *params)
{
    double wire_us = gms_thesis_2_4_wire_us(params);
    double receive_us = 1e-6 * (double)gms_service_receive_ps(params);
    gms_status_t status = GMS_OK;
    double mb_s[GMS_2_4_FLOWS];
    gms_2_4_case_t cases[3];
    unsigned i;

    gms_thesis_2_4_derive(params, wire_us, receive_us, cases);
    gms_thesis_2_4_notes(lab, params, wire_us, receive_us, cases);
    for (i = 0; i < 3 && status == GMS_OK; ++i) {
        status = gms_thesis_2_4_measure(lab, params, &cases[i], mb_s);
        if (status == GMS_OK) {
            gms_thesis_2_4_rows(lab, &cases[i], i, receive_us, mb_s);
        }
    }
    return status;
}

/** Report B's bandwidth in competition with unregulated flows at other link
 *  speeds. */
static gms_status_t gms_thesis_2_4_other(gms_lab_t *lab,
                                         const gms_params_t *params)
{
    double wire_us = gms_thesis_2_4_wire_us(params);
    double receive_us = 1e-6 * (double)gms_service_receive_ps(params);
    double mb_s[GMS_2_4_FLOWS];
    gms_2_4_case_t cases[3];
    char setting[GMS_LAB_NAME_LEN];
    gms_status_t status;

    gms_thesis_2_4_derive(params, wire_us, receive_us, cases);
    status = gms_thesis_2_4_measure(lab, params, &cases[0], mb_s);
    if (status == GMS_OK) {
        (void)snprintf(setting, sizeof(setting), "%s at %g MB/s", cases[0].name,
                       1e-6 * (double)params->link_bytes_s);
        gms_lab_check(lab, gms_2_4_flows[GMS_2_4_FLOW_B].name, setting,
                      "bandwidth", mb_s[GMS_2_4_FLOW_B], "MB/s", GMS_ROW_WITHIN,
                      4096.0 / (cases[0].turns * receive_us),
                      GMS_2_4_TOLERANCE);
    }
    return status;
}

static gms_status_t gms_thesis_2_4_run(gms_lab_t *lab)
{
    gms_status_t status;
    gms_params_t params;
    unsigned i;

    gms_thesis_2_4_params(&params);
    status = gms_thesis_2_4_own(lab, &params);
    for (i = 0; status == GMS_OK && i < GMS_2_4_LINKS; ++i) {
        params.link_bytes_s = gms_2_4_links[i];
        status = gms_thesis_2_4_other(lab, &params);
    }
    return status;
}

static const gms_figure_t gms_thesis_2_4_figure = {
    .x_label = "flows C and D",
    .y_label = "Bandwidth (MB/s)",
    .y_max = 70,
    .style = GMS_FIGURE_BARS,
    .mark_quantity = "bandwidth",
};

const gms_experiment_t gms_thesis_2_4 = {
    .name = "thesis-2.4",
    .title = "Contention in wormhole-routed networks, and its cure",
    .source = "Gulati 2001, thesis, figures 2.4 and 3.2",
    .text = "Flows B, C and D share the link between two switches. Flow A "
            "enters at the second switch, and flows A and B have the same "
            "destination. Both switches serve their inputs in turn. "
            "Nevertheless, flow B, which passes through both switches, "
            "receives only half of flow A's bandwidth. If rate control limits "
            "flows C and D to half of B's rate and their packets alternate, B "
            "receives as much bandwidth as A. The references were computed by "
            "hand.",
    .run = gms_thesis_2_4_run,
    .figure = &gms_thesis_2_4_figure,
};
