/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clos-rate: simulated packets per second of processor time when every host of
 * a Clos network sends at full rate.
 *
 *   permutation  every host to the host at the same port of the next leaf switch:
 *                every packet crosses a spine
 *   uniform      every host to all others at once
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "program.h"
#include "experiments/scenario.h"

enum {
    MESSAGE_BYTES = 65536,
    LEAF_HOSTS = 8
};
enum {
    KEY_CSV = 256
};

typedef struct options {
    unsigned long long hosts, ms;
    const char *pattern; /* NULL: both */
    int csv;
} options_t;

static void fail(const char *why)
{
    fprintf(stderr, "clos-rate: %s\n", why);
    exit(EXIT_FAILURE);
}

static void add(gms_scenario_t *scenario, unsigned source, unsigned target,
                unsigned in_flight)
{
    gms_traffic_t traffic = {.source = source,
                             .target = target,
                             .message_bytes = MESSAGE_BYTES,
                             .in_flight = in_flight};

    if (gms_scenario_add(scenario, &traffic) == UINT32_MAX) {
        fail("no memory for the flows");
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
        fail(error);
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

static void measure(const options_t *options, const char *pattern)
{
    unsigned hosts = (unsigned)options->hosts;
    gms_scenario_t *scenario = build(hosts, strcmp(pattern, "uniform") == 0);
    const gms_engine_t *engine = gms_scenario_ctx(scenario)->engine;
    double cpu_s = bench_cpu_seconds(RUSAGE_SELF), mb_s;
    uint64_t packets = 0, all, events;
    unsigned node;

    gms_scenario_run(scenario, options->ms * GMS_MS);
    cpu_s = bench_cpu_seconds(RUSAGE_SELF) - cpu_s;
    for (node = 0; node < hosts; ++node) {
        packets += gms_nic_counters(gms_scenario_nic(scenario, node))
                       ->data_packets_received;
    }
    all = gms_fabric_packets(gms_scenario_fabric(scenario));
    events = gms_engine_events_run(engine);
    mb_s = 4096e-3 * (double)packets / hosts / (double)options->ms;
    if (options->csv) {
        printf("clos-rate,%s,data packets,%.0f,packets/CPU s\n", pattern,
               (double)packets / cpu_s);
        printf("clos-rate,%s,all packets,%.0f,packets/CPU s\n", pattern,
               (double)all / cpu_s);
        printf("clos-rate,%s,events,%.3f,events/data packet\n", pattern,
               (double)events / (double)packets);
        printf("clos-rate,%s,received,%.2f,MB/s per host\n", pattern, mb_s);
    } else {
        printf("%-12s %9llu  %12.0f  %12.0f  %7.1f  %9.1f\n", pattern,
               (unsigned long long)packets, (double)packets / cpu_s,
               (double)all / cpu_s, (double)events / (double)packets, mb_s);
    }
    fflush(stdout);
    gms_scenario_destroy(scenario);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;

    switch (key) {
    case 'n':
        options->hosts = bench_number(state, "hosts", arg, 16, 1024);
        return 0;
    case 't':
        options->ms = bench_number(state, "time", arg, 1, 1000000);
        return 0;
    case 'p':
        options->pattern = arg;
        if (strcmp(arg, "permutation") != 0 && strcmp(arg, "uniform") != 0) {
            argp_error(state,
                       "--pattern: value '%s'; allowed: permutation, "
                       "uniform",
                       arg);
        }
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
        {"hosts", 'n', "N", 0, "16 to 1024 hosts (64)", 0},
        {"time", 't', "MS", 0, "Virtual milliseconds to run (500)", 0},
        {"pattern", 'p', "NAME", 0, "Only permutation, or only uniform", 0},
        {"csv", KEY_CSV, NULL, 0, "Comma-separated values", 0},
        {.name = NULL}};
    static const struct argp argp = {
        known,
        parse,
        NULL,
        "Measure how many packets the simulator gets through a Clos network at "
        "full load in a second of processor time.\v" BENCH_EXIT_DOC
        "\nExample: clos-rate --hosts 128 --time 100",
        NULL,
        NULL,
        NULL};
    options_t options = {.hosts = 64, .ms = 500};

    bench_program(&argp, argc, argv, &options);
    puts(options.csv
             ? "benchmark,setting,quantity,value,unit"
             : "pattern        packets  data/CPU s    all/CPU s     events  "
               "MB/s per host");
    if (options.pattern == NULL || options.pattern[0] == 'p') {
        measure(&options, "permutation");
    }
    if (options.pattern == NULL || options.pattern[0] == 'u') {
        measure(&options, "uniform");
    }
    return EXIT_SUCCESS;
}
