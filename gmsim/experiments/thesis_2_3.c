/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 2.3 of the thesis: shares of the packets that a NIC dispatches for two
 * flows. The messages of one flow have three packets, the messages of the other
 * flow one packet. The disciplines are round robin over descriptors, round
 * robin over packets, and rate control with equal IDTs.
 */
#include "experiments/streams.h"
#include "experiments/thesis.h"

/* number of packets per message of flow A; messages of flow B have one
 * packet */
#define GMS_2_3_PACKETS 3u
/* Virtual time in which about 4000 packets are sent. */
#define GMS_2_3_WINDOW_PS (UINT64_C(200) * GMS_MS)

typedef struct gms_2_3_case {
    const char *name;
    uint64_t scheduler;
    uint32_t idt_ticks; /* IDT of both flows */
    double ratio;       /* number of dispatches of A, divided by the number of
                         * dispatches of B */
} gms_2_3_case_t;

/* Round robin over descriptors alternates between messages, and round robin
 * over packets alternates between packets. With equal IDTs, both flows send at
 * the same pace. */
static const gms_2_3_case_t gms_2_3_cases[] = {
    {"message-rr", GMS_SCHEDULER_MESSAGE_RR, 0, GMS_2_3_PACKETS},
    {"packet-rr", GMS_SCHEDULER_PACKET_RR, 0, 1.0},
    {"rate", GMS_SCHEDULER_RATE, 2 * GMS_STREAMS_T, 1.0},
};

static gms_status_t gms_thesis_2_3_case(gms_lab_t *lab, unsigned index)
{
    const gms_2_3_case_t *one = &gms_2_3_cases[index];
    double packets[2];
    gms_scenario_t *scenario;
    gms_params_t params;
    gms_status_t status;
    uint32_t flow;

    gms_streams_params(&params);
    params.scheduler = one->scheduler;
    status = gms_streams_create(lab, &params, &scenario);
    if (status != GMS_OK) {
        return status;
    }
    for (flow = 0; flow < 2; ++flow) {
        const gms_stream_t stream = {0, flow + 1, one->idt_ticks};
        gms_traffic_t traffic = gms_stream_traffic(&stream);

        traffic.message_bytes = (uint32_t)params.nic_mtu_bytes *
                                ((flow == 0) ? GMS_2_3_PACKETS : 1);
        (void)gms_scenario_add(scenario, &traffic);
    }
    gms_scenario_run(scenario, GMS_STREAMS_WARM_UP_PS);
    for (flow = 0; flow < 2; ++flow) {
        packets[flow] = -(double)gms_scenario_sent_bytes(scenario, flow);
    }
    gms_scenario_run(scenario, GMS_STREAMS_WARM_UP_PS + GMS_2_3_WINDOW_PS);
    for (flow = 0; flow < 2; ++flow) {
        const char *name = (flow == 0) ? "flow A" : "flow B";

        packets[flow] += (double)gms_scenario_sent_bytes(scenario, flow);
        packets[flow] /= (double)params.nic_mtu_bytes;
        gms_lab_row(lab, name, one->name, "packets dispatched", packets[flow],
                    "packets");
    }
    for (flow = 0; flow < 2; ++flow) {
        gms_lab_point(lab, (flow == 0) ? "flow A" : "flow B", index,
                      100.0 * packets[flow] / (packets[0] + packets[1]),
                      one->name);
    }
    gms_lab_check(lab, "flow A / flow B", one->name, "ratio of dispatches",
                  packets[0] / packets[1], "ratio", GMS_ROW_WITHIN, one->ratio,
                  1.0);
    gms_scenario_destroy(scenario);
    return GMS_OK;
}

static gms_status_t gms_thesis_2_3_run(gms_lab_t *lab)
{
    gms_status_t status = GMS_OK;
    unsigned i;

    gms_lab_note(lab,
                 "Two flows leave the same source node. Flow A sends "
                 "messages of %u packets, and flow B sends single-packet "
                 "messages. Each flow always has 8 messages posted.",
                 GMS_2_3_PACKETS);
    for (i = 0; status == GMS_OK &&
                i < sizeof(gms_2_3_cases) / sizeof(gms_2_3_cases[0]);
         ++i) {
        status = gms_thesis_2_3_case(lab, i);
    }
    return status;
}

static const gms_figure_t gms_thesis_2_3_figure = {
    .x_label = "packet scheduler",
    .y_label = "Share of dispatches (%)",
    .y_max = 100,
    .style = GMS_FIGURE_BARS,
};

const gms_experiment_t gms_thesis_2_3 = {
    .name = "thesis-2.3",
    .title = "Packet scheduling disciplines of user-level protocols",
    .source = "Gulati 2001, thesis, figure 2.3",
    .text = "With round robin over descriptors, the flow with the longer "
            "messages sends three times as many packets as the other flow. "
            "Both flows send the same number of packets with round robin over "
            "packets, and also with rate control and equal IDTs.",
    .run = gms_thesis_2_3_run,
    .figure = &gms_thesis_2_3_figure,
};
