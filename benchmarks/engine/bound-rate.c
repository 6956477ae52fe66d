/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound-rate: measures the processor time that the master manager needs to
 * compute the delay bounds of reserved flows. The program requests random
 * premium flows on a Clos network, and then replaces some of these flows with
 * others.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "rate.h"
#include "base/random.h"
#include "manager/admission.h"

enum {
    CHANGES = 200,
    LOAD_PERCENT = 80
};
#define ARENA_BYTES      (UINT64_C(1) << 30)
#define ARENA_USED_BYTES (UINT64_C(1) << 26)

static unsigned long long flow_count = 10000, host_count = 1024, seed = 1;

static const rate_option_t options[] = {
    RATE_NUMBER("flows", 'f', "N", "Number of requested flows (10000)",
                &flow_count, 1, 1000000),
    RATE_NUMBER("hosts", 'h', "N", "Number of hosts of the Clos network (1024)",
                &host_count, 2, 16384),
    RATE_NUMBER("seed", 's', "N", "Seed of the random requests (1)", &seed, 0,
                1000000000),
    {.name = NULL}};
static const char rate_doc[] =
    "Measure the processor time that the manager needs to decide on "
    "reservations and to compute their delay bounds.\v" BENCH_EXIT_DOC
    "\nExample: bound-rate --hosts 128 --flows 1000";
static rate_t rate = {"bound-rate", rate_doc, NULL, options, 0};

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

static void ignore_change(void *context, const gms_grant_t *grant,
                          uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

/* Touch the memory of the arena before the measurement. The kernel provides
 * this memory in large steps, each of which takes several milliseconds.
 * Otherwise, the times of some requests would include such a step. */
static void back_memory(gms_arena_t *arena)
{
#ifdef MADV_POPULATE_WRITE
    if (madvise(arena, ARENA_USED_BYTES, MADV_NOHUGEPAGE) != 0 ||
        madvise(arena, ARENA_USED_BYTES, MADV_POPULATE_WRITE) != 0) {
        fprintf(stderr,
                "bound-rate: cannot allocate memory in advance: %s; the times "
                "of some requests therefore include this allocation\n",
                strerror(errno));
    }
#else
    (void)arena;
#endif
}

static void open_bench(bench_t *bench)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];

    gms_params_init(&bench->params);
    bench->params.hosts = host_count;
    bench->params.topology = GMS_TOPOLOGY_CLOS;
    gms_random_init(&bench->random, seed, 0);
    /* The load of a flow is charged at its source and at its target. */
    bench->mean_bytes_s = (double)bench->params.qos_node_bytes_s *
                          LOAD_PERCENT / 100 * (double)host_count / 2 /
                          (double)flow_count;
    if (gms_arena_create_private(ARENA_BYTES, &bench->arena) != GMS_OK ||
        gms_topology_create(bench->arena, &bench->params, NULL,
                            &bench->topology, error) != GMS_OK ||
        gms_account_create(bench->arena, bench->topology, &bench->params,
                           &bench->account) != GMS_OK) {
        rate_fail(&rate, "out of memory");
    }
    back_memory(bench->arena);
}

/* Request a flow between two hosts chosen at random. The bandwidth of the flow
 * is between 0.5 and 1.5 times the mean. */
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
        rate_fail(&rate, "out of memory");
    }
    cpu_s = bench_cpu_seconds(RUSAGE_SELF) - cpu_s;
    bench->total_s += cpu_s;
    bench->longest_s = cpu_s > bench->longest_s ? cpu_s : bench->longest_s;
    ++bench->asked;
    bench->granted += verdict.criterion == GMS_QOS_OK;
}

/* Release the oldest granted flow, and request another flow. */
static void replace(bench_t *bench, uint32_t label, double *release_p)
{
    const gms_grant_t *first = gms_account_first(bench->account);
    double cpu_s = bench_cpu_seconds(RUSAGE_SELF);
    gms_flow_key_t key;

    if (first == NULL) {
        rate_fail(&rate, "no flow was granted");
    }
    key = first->key;
    gms_account_release(bench->account, first->source_node, &key, ignore_change,
                        NULL);
    *release_p += bench_cpu_seconds(RUSAGE_SELF) - cpu_s;
    ask(bench, label);
}

static void print(const char *what, double value, const char *unit)
{
    printf(rate.csv ? "bound-rate,%llu flows,%s,%.6g,%s\n"
                    : "%8llu flows  %-38s %12.6g %s\n",
           flow_count, what, value, unit);
}

static void measure(void)
{
    static bench_t bench;
    double first_s, release_s = 0;
    uint32_t label;

    open_bench(&bench);
    for (label = 0; label < flow_count; ++label) {
        ask(&bench, label);
    }
    first_s = bench.total_s;
    print("granted", (double)bench.granted, "flows");
    print("all requests", first_s, "CPU s");
    print("mean time of a request", 1e6 * first_s / (double)bench.asked, "us");
    print("longest time of a request", 1e6 * bench.longest_s, "us");
    bench.longest_s = 0;
    for (label = 0; label < CHANGES; ++label) {
        replace(&bench, (uint32_t)flow_count + label, &release_s);
    }
    print("mean time of a release at full load", 1e6 * release_s / CHANGES,
          "us");
    print("mean time of a request at full load",
          1e6 * (bench.total_s - first_s) / CHANGES, "us");
    print("longest time of a request at full load", 1e6 * bench.longest_s,
          "us");
    gms_arena_destroy_private(bench.arena);
}

int main(int argc, char **argv)
{
    rate_begin(&rate, argc, argv);
    measure();
    return BENCH_EXIT_OK;
}
