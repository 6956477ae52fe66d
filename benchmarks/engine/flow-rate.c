/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow-rate: measures the processor time that the simulator needs per packet
 * when many flows wait on one NIC, and checks that every flow still achieves
 * its rate.
 *
 * All flows start at host 1 and always have packets waiting. Their inter-packet
 * dispatch times (IDTs) are 1, 2 and 4 units. The unit is chosen such that the
 * NIC is busy nine tenths of the time. In the simulation, the search for the
 * earliest dispatch time takes no virtual time, and the NIC has the largest
 * memory that the parameters allow.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rate.h"
#include "nic/inspect.h"
#include "experiments/scenario.h"

enum {
    NODES = 16,
    MESSAGE_BYTES = 65536
};
/* Mean interval between two packets on the NIC, in ticks: a sender needs 98.8
 * ticks per packet, plus about a tenth. */
#define TICKS_PER_PACKET 110.0

static unsigned long long only_flows; /* 0: 10, 100, .. 100,000 */
static unsigned long long packet_count = 400000;

static const rate_option_t options[] = {
    RATE_NUMBER("flows", 'f', "N",
                "Number of flows (default: separate runs with 10, 100, .. "
                "100000 flows)",
                &only_flows, 1, 1000000),
    RATE_NUMBER("packets", 'p', "N", "Number of measured packets (400000)",
                &packet_count, 1, 1000000000),
    {.name = NULL}};
static const char rate_doc[] =
    "Measure the processor time that the simulator needs per packet when many "
    "backlogged flows share a NIC.\v"
    "Exit status: 0 ok; 1 a flow deviated from its rate by more than 1.5 "
    "packets; 2 invalid usage.\n"
    "Example: flow-rate --flows 1000";
static const char rate_head[] =
    "   flows     packets   ns CPU/packet  events/packet  deviation, packets";
static rate_t rate = {"flow-rate", rate_doc, rate_head, options, 0};

/* Largest allowed difference between the number of a flow's packets and the
 * expected number. One packet is allowed because the measured interval can
 * begin and end anywhere between two packets. Half a packet is added because
 * the NIC can be busy with another flow. */
#define MOST_OFF 1.5

static unsigned weight(uint32_t flow)
{
    return 1u << flow % 3;
}

/* Return the inter-packet dispatch time of one of `flows` flows in ticks. */
static uint32_t idt_of(uint32_t flow, uint32_t flows)
{
    double shares = 0;
    uint32_t i;

    for (i = 0; i < 3; ++i) {
        shares += (double)((flows + 2 - i) / 3) / weight(i);
    }
    return (uint32_t)(TICKS_PER_PACKET * shares * weight(flow));
}

static gms_scenario_t *build(uint32_t flows)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    gms_scenario_t *scenario;
    gms_params_t params;
    uint32_t flow;

    gms_params_init(&params);
    params.hosts = NODES;
    params.mcp_rate_flow_cycles = 0;
    params.nic_sram_bytes = gms_param_find("nic_sram_bytes")->max;
    if (gms_scenario_create(&params, NULL, &scenario, error) != GMS_OK) {
        rate_fail(&rate, error);
    }
    for (flow = 0; flow < flows; ++flow) {
        gms_traffic_t traffic = {.source = 0,
                                 .target = 1 + flow % (NODES - 1),
                                 .label = flow / (NODES - 1),
                                 .message_bytes = MESSAGE_BYTES,
                                 .in_flight = 2,
                                 .idt_ticks = idt_of(flow, flows)};

        if (gms_scenario_add(scenario, &traffic) != flow) {
            rate_fail(&rate, "out of memory for this number of flows");
        }
    }
    return scenario;
}

/* For every flow, compare the number of packets that it has sent in `ticks`
 * with the number that its rate requires. Return the largest difference. */
static double worst_flow(const gms_scenario_t *scenario, uint32_t flows,
                         const uint64_t *before, double ticks)
{
    double worst = 0;
    uint32_t flow;

    for (flow = 0; flow < flows; ++flow) {
        double sent =
            (double)(gms_scenario_sent_bytes(scenario, flow) - before[flow]) /
            4096;

        worst = fmax(worst, fabs(sent - ticks / idt_of(flow, flows)));
    }
    return worst;
}

/* Run until every flow has sent its first packet and is sending at its rate.
 * The first packets of all flows are due at the same time. */
static gms_time_t warm_up(gms_scenario_t *scenario, uint32_t flows)
{
    gms_time_t until_ps = (2 * (gms_time_t)flows + 100) *
                          (gms_time_t)TICKS_PER_PACKET * 500 * GMS_NS * 2;

    gms_scenario_run(scenario, until_ps);
    return until_ps;
}

static int measure(uint32_t flows)
{
    gms_scenario_t *scenario = build(flows);
    const gms_engine_t *engine = gms_scenario_ctx(scenario)->engine;
    const gms_nic_counters_t *counters =
        gms_nic_counters(gms_scenario_nic(scenario, 0));
    uint64_t *before = calloc(flows, sizeof(*before));
    gms_time_t from_ps = warm_up(scenario, flows);
    gms_time_t ticks = (gms_time_t)((double)packet_count * TICKS_PER_PACKET);
    uint64_t packets = counters->data_packets_sent;
    uint64_t events = gms_engine_events_run(engine);
    uint32_t flow;
    double cpu_s, worst;

    for (flow = 0; before != NULL && flow < flows; ++flow) {
        before[flow] = gms_scenario_sent_bytes(scenario, flow);
    }
    if (before == NULL) {
        rate_fail(&rate, "out of memory");
    }
    cpu_s = bench_cpu_seconds(RUSAGE_SELF);
    gms_scenario_run(scenario, from_ps + ticks * 500 * GMS_NS);
    cpu_s = bench_cpu_seconds(RUSAGE_SELF) - cpu_s;
    worst = worst_flow(scenario, flows, before, (double)ticks);
    packets = counters->data_packets_sent - packets;
    events = gms_engine_events_run(engine) - events;
    if (rate.csv) {
        char setting[32];

        snprintf(setting, sizeof(setting), "%u flows", flows);
        rate_csv(&rate, setting, "CPU", 0, 1e9 * cpu_s / (double)packets,
                 "ns/packet");
        rate_csv(&rate, setting, "events", 3, (double)events / (double)packets,
                 "events/packet");
        rate_csv(&rate, setting, "largest deviation from the rate", 3, worst,
                 "packets");
    } else {
        printf("%8u  %10llu  %12.0f  %13.3f  %18.3f\n", flows,
               (unsigned long long)packets, 1e9 * cpu_s / (double)packets,
               (double)events / (double)packets, worst);
    }
    fflush(stdout);
    free(before);
    gms_scenario_destroy(scenario);
    return worst <= MOST_OFF;
}

int main(int argc, char **argv)
{
    uint32_t flows;
    int right = 1;

    rate_begin(&rate, argc, argv);
    if (only_flows != 0) {
        return measure((uint32_t)only_flows) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    for (flows = 10; flows <= 100000; flows *= 10) {
        right &= measure(flows);
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
