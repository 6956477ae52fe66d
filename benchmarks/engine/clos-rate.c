/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clos-rate: measures the simulated packets per second of processor time when
 * every host of a Clos network sends at full rate.
 *
 *   permutation  every host sends to the host at the same port of the next leaf
 *                switch: every packet crosses a spine
 *   uniform      every host sends to all others at once
 */
#include <stdio.h>
#include <string.h>

#include "rate.h"
#include "experiments/scenario.h"

enum {
    MESSAGE_BYTES = 65536,
    LEAF_HOSTS = 8
};

static unsigned long long host_count = 64, run_ms = 500;
static const char *only; /* pattern to measure; NULL: both patterns */

static const char *const patterns[] = {"permutation", "uniform", NULL};
static const rate_option_t options[] = {
    RATE_NUMBER("hosts", 'n', "N", "Number of hosts, 16 to 1024 (64)",
                &host_count, 16, 1024),
    RATE_NUMBER("time", 't', "MS", "Duration in virtual milliseconds (500)",
                &run_ms, 1, 1000000),
    {"pattern", 'p', "NAME",
     "Pattern to run: permutation or uniform (default: both)",
     .choices = patterns, .choice_p = &only},
    {.name = NULL}};
static const char rate_doc[] =
    "Measure how many packets per second of processor time the simulator sends "
    "through a fully loaded Clos network.\v" BENCH_EXIT_DOC
    "\nExample: clos-rate --hosts 128 --time 100";
static const char rate_head[] =
    "pattern        packets  data/CPU s    all/CPU s     events  "
    "MB/s per host";
static rate_t rate = {"clos-rate", rate_doc, rate_head, options, 0};

static void add(gms_scenario_t *scenario, unsigned source, unsigned target,
                unsigned in_flight)
{
    gms_traffic_t traffic = {.source = source,
                             .target = target,
                             .message_bytes = MESSAGE_BYTES,
                             .in_flight = in_flight};

    if (gms_scenario_add(scenario, &traffic) == UINT32_MAX) {
        rate_fail(&rate, "out of memory for the flows");
    }
}

static gms_scenario_t *build(unsigned hosts, int is_uniform)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    gms_scenario_t *scenario;
    gms_params_t params;
    unsigned source, step;

    gms_params_init(&params);
    params.topology = GMS_TOPOLOGY_CLOS;
    params.hosts = hosts;
    if (gms_scenario_create(&params, NULL, &scenario, error) != GMS_OK) {
        rate_fail(&rate, error);
    }
    for (source = 0; source < hosts; ++source) {
        if (!is_uniform) {
            add(scenario, source, (source + LEAF_HOSTS) % hosts, 4);
            continue;
        }
        for (step = 1; step < hosts; ++step) {
            add(scenario, source, (source + step) % hosts, 1);
        }
    }
    return scenario;
}

static void measure(const char *pattern)
{
    unsigned hosts = (unsigned)host_count;
    gms_scenario_t *scenario = build(hosts, strcmp(pattern, "uniform") == 0);
    const gms_engine_t *engine = gms_scenario_ctx(scenario)->engine;
    double cpu_s = bench_cpu_seconds(RUSAGE_SELF), mb_s;
    uint64_t packets = 0, all, events;
    unsigned node;

    gms_scenario_run(scenario, run_ms * GMS_MS);
    cpu_s = bench_cpu_seconds(RUSAGE_SELF) - cpu_s;
    for (node = 0; node < hosts; ++node) {
        packets += gms_nic_counters(gms_scenario_nic(scenario, node))
                       ->data_packets_received;
    }
    all = gms_fabric_packets(gms_scenario_fabric(scenario));
    events = gms_engine_events_run(engine);
    mb_s = 4096e-3 * (double)packets / hosts / (double)run_ms;
    if (rate.csv) {
        rate_csv(&rate, pattern, "data packets", 0, (double)packets / cpu_s,
                 "packets/CPU s");
        rate_csv(&rate, pattern, "all packets", 0, (double)all / cpu_s,
                 "packets/CPU s");
        rate_csv(&rate, pattern, "events", 3, (double)events / (double)packets,
                 "events/data packet");
        rate_csv(&rate, pattern, "received", 2, mb_s, "MB/s per host");
    } else {
        printf("%-12s %9llu  %12.0f  %12.0f  %7.1f  %9.1f\n", pattern,
               (unsigned long long)packets, (double)packets / cpu_s,
               (double)all / cpu_s, (double)events / (double)packets, mb_s);
    }
    fflush(stdout);
    gms_scenario_destroy(scenario);
}

int main(int argc, char **argv)
{
    size_t i;

    rate_begin(&rate, argc, argv);
    for (i = 0; patterns[i] != NULL; ++i) {
        if (only == NULL || only == patterns[i]) {
            measure(patterns[i]);
        }
    }
    return BENCH_EXIT_OK;
}
