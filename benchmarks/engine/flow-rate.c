/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow-rate: processor time that the simulator needs per packet when many flows
 * wait on one NIC, and a check that every flow still achieves its rate.
 *
 * All flows start at host 1, are always backlogged and have inter-packet
 * dispatch times of 1, 2 and 4 units; the unit keeps the NIC busy for nine
 * tenths of the time. The search for the least dispatch time costs no virtual
 * time, and the NIC has the largest memory that the parameters allow.
 */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu.h"
#include "nic/inspect.h"
#include "program.h"
#include "experiments/scenario.h"

enum {
    NODES = 16,
    MESSAGE_BYTES = 65536
};
enum {
    KEY_CSV = 256
};
/* Ticks per packet that all flows together leave: a sender's 98.8 and a tenth. */
#define TICKS_PER_PACKET 110.0

typedef struct options {
    unsigned long long flows; /* 0: 10, 100, .. 100,000 */
    unsigned long long packets;
    int csv;
} options_t;

/* Packets: one for where the time measured begins and ends between two of them,
 * and some of one because the NIC is busy with others when a flow is due. */
#define MOST_OFF 1.5

static void fail(const char *why)
{
    fprintf(stderr, "flow-rate: %s\n", why);
    exit(EXIT_FAILURE);
}

static unsigned weight(uint32_t flow)
{
    return 1u << flow % 3;
}

/* Inter-packet dispatch time of a flow among `flows`. */
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
        fail(error);
    }
    for (flow = 0; flow < flows; ++flow) {
        gms_traffic_t traffic = {.source = 0,
                                 .target = 1 + flow % (NODES - 1),
                                 .label = flow / (NODES - 1),
                                 .message_bytes = MESSAGE_BYTES,
                                 .in_flight = 2,
                                 .idt_ticks = idt_of(flow, flows)};

        if (gms_scenario_add(scenario, &traffic) != flow) {
            fail("no memory for so many flows");
        }
    }
    return scenario;
}

/* The most packets that a flow sent more or less in so many ticks than its rate
 * says. */
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

/* Until the first packets of all, which are due at once, have left, and every
 * flow has found its pace. */
static gms_time_t warm_up(gms_scenario_t *scenario, uint32_t flows)
{
    gms_time_t until_ps = (2 * (gms_time_t)flows + 100) *
                          (gms_time_t)TICKS_PER_PACKET * 500 * GMS_NS * 2;

    gms_scenario_run(scenario, until_ps);
    return until_ps;
}

static int measure(const options_t *options, uint32_t flows)
{
    gms_scenario_t *scenario = build(flows);
    const gms_engine_t *engine = gms_scenario_ctx(scenario)->engine;
    const gms_nic_counters_t *counters =
        gms_nic_counters(gms_scenario_nic(scenario, 0));
    uint64_t *before = calloc(flows, sizeof(*before));
    gms_time_t from_ps = warm_up(scenario, flows);
    gms_time_t ticks =
        (gms_time_t)((double)options->packets * TICKS_PER_PACKET);
    uint64_t packets = counters->data_packets_sent;
    uint64_t events = gms_engine_events_run(engine);
    uint32_t flow;
    double cpu_s, worst;

    for (flow = 0; before != NULL && flow < flows; ++flow) {
        before[flow] = gms_scenario_sent_bytes(scenario, flow);
    }
    if (before == NULL) {
        fail("out of memory");
    }
    cpu_s = bench_cpu_seconds(RUSAGE_SELF);
    gms_scenario_run(scenario, from_ps + ticks * 500 * GMS_NS);
    cpu_s = bench_cpu_seconds(RUSAGE_SELF) - cpu_s;
    worst = worst_flow(scenario, flows, before, (double)ticks);
    packets = counters->data_packets_sent - packets;
    events = gms_engine_events_run(engine) - events;
    if (options->csv) {
        printf("flow-rate,%u flows,CPU,%.0f,ns/packet\n", flows,
               1e9 * cpu_s / (double)packets);
        printf("flow-rate,%u flows,events,%.3f,events/packet\n", flows,
               (double)events / (double)packets);
        printf("flow-rate,%u flows,off its rate at most,%.3f,packets\n", flows,
               worst);
    } else {
        printf("%8u  %10llu  %12.0f  %13.3f  %11.3f\n", flows,
               (unsigned long long)packets, 1e9 * cpu_s / (double)packets,
               (double)events / (double)packets, worst);
    }
    fflush(stdout);
    free(before);
    gms_scenario_destroy(scenario);
    return worst <= MOST_OFF;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;

    switch (key) {
    case 'f':
        options->flows = bench_number(state, "flows", arg, 1, 1000000);
        return 0;
    case 'p':
        options->packets = bench_number(state, "packets", arg, 1, 1000000000);
        return 0;
    case KEY_CSV:
        options->csv = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option known[] = {
        {"flows", 'f', "N", 0,
         "Only so many flows (10, 100, .. 100000, one after the other)", 0},
        {"packets", 'p', "N", 0, "Packets to time (400000)", 0},
        {"csv", KEY_CSV, NULL, 0, "Comma-separated values", 0},
        {.name = NULL}};
    static const struct argp argp = {
        known,
        parse,
        NULL,
        "Measure the processor time that the simulator takes for a packet when "
        "many backlogged flows share a NIC.\vExit status: 0 ok, 1 if a flow's "
        "rate was wrong by more than 1.5 packets, 2 wrong usage.\n"
        "Example: flow-rate --flows 1000",
        NULL,
        NULL,
        NULL};
    options_t options = {.packets = 400000};
    uint32_t flows;
    int right = 1;

    bench_program(&argp, argc, argv, &options);
    puts(options.csv ? "benchmark,setting,quantity,value,unit"
                     : "   flows     packets   ns CPU/packet  events/packet  "
                       "packets off");
    if (options.flows != 0) {
        return measure(&options, (uint32_t)options.flows) ? 0 : EXIT_FAILURE;
    }
    for (flows = 10; flows <= 100000; flows *= 10) {
        right &= measure(&options, flows);
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
