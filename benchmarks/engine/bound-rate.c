/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound-rate: processor time that the master manager needs for the delay bounds
 * of reserved flows. The program requests random premium flows on a Clos
 * network, then releases some of them and requests them again.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu.h"
#include "base/random.h"
#include "program.h"
#include "manager/admission.h"

enum {
    KEY_CSV = 256,
    CHANGES = 200,
    LOAD_PERCENT = 80
};
#define ARENA_BYTES      (UINT64_C(1) << 30)
#define ARENA_USED_BYTES (UINT64_C(1) << 26)

typedef struct options {
    unsigned long long flows, hosts, seed;
    int csv;
} options_t;

typedef struct bench {
    gms_arena_t *arena;
    gms_params_t params;
    gms_topology_t *topology;
    gms_account_t *account;
    gms_random_t random;
    double mean_bytes_s;
    unsigned long long asked, granted;
    double total_s, longest_s;
} bench_t;

static void fail(const char *why)
{
    fprintf(stderr, "bound-rate: %s\n", why);
    exit(EXIT_FAILURE);
}

static void ignore_change(void *context, const gms_grant_t *grant,
                          uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

/* An arena takes memory from the kernel in large steps, each of which takes
 * milliseconds; which request is charged with one is chance. */
static void back_memory(gms_arena_t *arena)
{
#ifdef MADV_POPULATE_WRITE
    if (madvise(arena, ARENA_USED_BYTES, MADV_NOHUGEPAGE) != 0 ||
        madvise(arena, ARENA_USED_BYTES, MADV_POPULATE_WRITE) != 0) {
        fprintf(stderr, "bound-rate: requests are charged with memory: %s\n",
                strerror(errno));
    }
#else
    (void)arena;
#endif
}

static void open_bench(bench_t *bench, const options_t *options)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];

    gms_params_init(&bench->params);
    bench->params.hosts = options->hosts;
    bench->params.topology = GMS_TOPOLOGY_CLOS;
    gms_random_init(&bench->random, options->seed, 0);
    /* Each flow counts at both of its nodes. */
    bench->mean_bytes_s = (double)bench->params.qos_node_bytes_s *
                          LOAD_PERCENT / 100 * (double)options->hosts / 2 /
                          (double)options->flows;
    if (gms_arena_create_private(ARENA_BYTES, &bench->arena) != GMS_OK ||
        gms_topology_create(bench->arena, &bench->params, NULL,
                            &bench->topology, error) != GMS_OK ||
        gms_account_create(bench->arena, bench->topology, &bench->params,
                           &bench->account) != GMS_OK) {
        fail("out of memory");
    }
    back_memory(bench->arena);
}

/* Ask for a flow between two random hosts, of half to three halves of the mean
 * bandwidth. */
static void ask(bench_t *bench, uint32_t label)
{
    unsigned hosts = (unsigned)bench->params.hosts;
    gms_flow_request_t request = {
        .source_node = (unsigned)gms_random_below(&bench->random, hosts),
        .key = {.source_port = 2, .target_port = 2, .label = label},
        .qos_class = GMS_QOS_PREMIUM,
        .bytes_s =
            bench->mean_bytes_s * (0.5 + gms_random_unit(&bench->random))};
    gms_qos_verdict_t verdict;
    double cpu_s;

    do {
        request.key.target_node =
            (uint16_t)gms_random_below(&bench->random, hosts);
    } while (request.key.target_node == request.source_node);
    cpu_s = bench_cpu_seconds(RUSAGE_SELF);
    if (gms_account_request(bench->account, &request, 1, ignore_change, NULL,
                            &verdict) != GMS_OK) {
        fail("out of memory");
    }
    cpu_s = bench_cpu_seconds(RUSAGE_SELF) - cpu_s;
    bench->total_s += cpu_s;
    bench->longest_s = cpu_s > bench->longest_s ? cpu_s : bench->longest_s;
    ++bench->asked;
    bench->granted += verdict.criterion == GMS_QOS_OK;
}

/* Release the flow that was granted first and ask for another one. */
static void replace(bench_t *bench, uint32_t label, double *release_p)
{
    const gms_grant_t *first = gms_account_first(bench->account);
    double cpu_s = bench_cpu_seconds(RUSAGE_SELF);
    gms_flow_key_t key;

    if (first == NULL) {
        fail("nothing was granted");
    }
    key = first->key;
    gms_account_release(bench->account, first->source_node, &key, ignore_change,
                        NULL);
    *release_p += bench_cpu_seconds(RUSAGE_SELF) - cpu_s;
    ask(bench, label);
}

static void print(const options_t *options, const char *what, double value,
                  const char *unit)
{
    printf(options->csv ? "bound-rate,%llu flows,%s,%.6g,%s\n"
                        : "%8llu flows  %-34s %12.6g %s\n",
           options->flows, what, value, unit);
}

static void measure(const options_t *options)
{
    static bench_t bench;
    double first_s, release_s = 0;
    uint32_t label;

    open_bench(&bench, options);
    for (label = 0; label < options->flows; ++label) {
        ask(&bench, label);
    }
    first_s = bench.total_s;
    print(options, "granted", (double)bench.granted, "flows");
    print(options, "all requests", first_s, "CPU s");
    print(options, "a request, mean", 1e6 * first_s / (double)bench.asked,
          "us");
    print(options, "a request, longest", 1e6 * bench.longest_s, "us");
    bench.longest_s = 0;
    for (label = 0; label < CHANGES; ++label) {
        replace(&bench, (uint32_t)options->flows + label, &release_s);
    }
    print(options, "a release when full, mean", 1e6 * release_s / CHANGES,
          "us");
    print(options, "a request when full, mean",
          1e6 * (bench.total_s - first_s) / CHANGES, "us");
    print(options, "a request when full, longest", 1e6 * bench.longest_s, "us");
    gms_arena_destroy_private(bench.arena);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;

    switch (key) {
    case 'f':
        options->flows = bench_number(state, "flows", arg, 1, 1000000);
        return 0;
    case 'h':
        options->hosts = bench_number(state, "hosts", arg, 2, 16384);
        return 0;
    case 's':
        options->seed = bench_number(state, "seed", arg, 0, 1000000000);
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
        {"flows", 'f', "N", 0, "Flows that are asked for (10000)", 0},
        {"hosts", 'h', "N", 0, "Hosts of the Clos network (1024)", 0},
        {"seed", 's', "N", 0, "Seed of the random requests (1)", 0},
        {"csv", KEY_CSV, NULL, 0, "Comma-separated values", 0},
        {.name = NULL}};
    static const struct argp argp = {
        known,
        parse,
        NULL,
        "Measure the processor time that the manager takes to decide on "
        "reservations and to bound their delays.\v" BENCH_EXIT_DOC
        "\nExample: bound-rate --hosts 128 --flows 1000",
        NULL,
        NULL,
        NULL};
    options_t options = {.flows = 10000, .hosts = 1024, .seed = 1};

    bench_program(&argp, argc, argv, &options);
    if (options.csv) {
        puts("benchmark,setting,quantity,value,unit");
    }
    measure(&options);
    return EXIT_SUCCESS;
}
