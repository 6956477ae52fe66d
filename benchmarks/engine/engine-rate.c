/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine-rate: measures the speed of the event engine without any hardware
 * model. The program measures the events per second in PHOLD, a workload in
 * which every event schedules another event after an exponential delay. It also
 * measures the cost of a context switch between two processes that wait for
 * their turn. [source: Fujimoto 1990, "Performance of Time Warp under synthetic
 * workloads"]
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rate.h"
#include "engine/engine.h"
#include "engine/gate.h"
#include "base/random.h"

#define ON_HOLD     GMS_HANDLER_TEST
#define MEAN_PS     1e6
#define ARENA_BYTES (UINT64_C(256) << 20)

static unsigned long long event_count = 3000000, handover_count = 100000;

static const rate_option_t options[] = {
    RATE_NUMBER("events", 'e', "N", "Number of events per PHOLD run (3000000)",
                &event_count, 1, 1000000000),
    RATE_NUMBER("handovers", 'o', "N",
                "Number of measured context switches (100000)", &handover_count,
                100, 1000000000),
    {.name = NULL}};
static const char rate_doc[] =
    "Measure the simulation engine: events per CPU second, and the cost of a "
    "context switch between processes.\v" BENCH_EXIT_DOC
    "\nExample: engine-rate --events 1000000";
static const char rate_head[] = "PHOLD: exponential delays\n"
                                "   pending   events/CPU s   ns/event";
static rate_t rate = {"engine-rate", rate_doc, rate_head, options, 0};

typedef struct phold {
    gms_random_t random;
    gms_origin_t origin;
} phold_t;

static void on_hold(gms_ctx_t *ctx, const gms_event_t *event)
{
    phold_t *phold = event->object;

    gms_engine_schedule(ctx, &phold->origin,
                        event->time_ps +
                            gms_random_exponential_ps(&phold->random, MEAN_PS),
                        ON_HOLD, phold, 0, 0);
}

/* Return the number of events that are processed per CPU second while `pending`
 * events are pending. */
static double phold_rate(uint64_t pending, uint64_t events)
{
    gms_ctx_t ctx;
    phold_t *phold;
    double start;
    double events_s;
    uint64_t i;

    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    ctx.handlers[ON_HOLD] = on_hold;
    if (gms_arena_create_private(ARENA_BYTES, &ctx.arena) != GMS_OK ||
        gms_engine_create(ctx.arena, &ctx.engine) != GMS_OK) {
        rate_fail(&rate, "out of memory");
    }
    phold = gms_arena_alloc(ctx.arena, sizeof(*phold));
    if (phold == NULL) {
        rate_fail(&rate, "out of memory");
    }
    gms_random_init(&phold->random, 1, 0);
    for (i = 0; i < pending; ++i) {
        gms_engine_schedule(&ctx, &phold->origin,
                            gms_random_exponential_ps(&phold->random, MEAN_PS),
                            ON_HOLD, phold, 0, 0);
    }
    for (i = 0; i < events / 10; ++i) { /* warm up */
        gms_engine_step(&ctx);
    }
    start = bench_cpu_seconds(RUSAGE_SELF);
    for (i = 0; i < events; ++i) {
        gms_engine_step(&ctx);
    }
    events_s = (double)events / (bench_cpu_seconds(RUSAGE_SELF) - start);
    gms_arena_destroy_private(ctx.arena);
    return events_s;
}

static void bind_to(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0) {
        rate_fail(&rate, "cannot bind a process to a core");
    }
}

/* Run a rank that continues only after all other ranks have had a turn. */
static void turn_body(gms_ctx_t *ctx, unsigned rank, uint64_t turns)
{
    unsigned missing;
    uint64_t i;

    if (gms_gate_join(ctx, rank, 10, &missing) != GMS_OK) {
        rate_fail(&rate, "a process cannot join the simulation");
    }
    for (i = 0; i < turns; ++i) {
        gms_gate_run_events_until_turn(ctx);
        gms_gate_advance(ctx, GMS_US);
        gms_gate_unlock(ctx);
    }
    gms_gate_finish(ctx);
    exit(EXIT_SUCCESS);
}

/* Measure the CPU time and the wall-clock time per context switch between ranks
 * in microseconds, on one core or, if `spread` is set, on two cores. */
static void handover_cost(unsigned size, int spread, uint64_t handovers,
                          double *cpu_us, double *wall_us)
{
    void *memory = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    double cpu_start = bench_cpu_seconds(RUSAGE_CHILDREN);
    struct timespec start;
    struct timespec end;
    gms_ctx_t ctx;
    unsigned rank;

    memset(&ctx, 0, sizeof(ctx));
    if (memory == MAP_FAILED ||
        gms_arena_format(memory, ARENA_BYTES, &ctx.arena) != GMS_OK ||
        gms_engine_create(ctx.arena, &ctx.engine) != GMS_OK ||
        gms_gate_create(ctx.arena, size, &ctx.gate) != GMS_OK) {
        rate_fail(&rate, "out of memory");
    }
    gms_gate_register(&ctx);
    fflush(NULL);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (rank = 0; rank < size; ++rank) {
        if (fork() == 0) {
            bind_to(spread ? (int)(rank % 2) : 0);
            turn_body(&ctx, rank, handovers / size);
        }
    }
    while (wait(NULL) > 0) {
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    *cpu_us = 1e6 * (bench_cpu_seconds(RUSAGE_CHILDREN) - cpu_start) /
              (double)gms_gate_context_switches(ctx.gate);
    *wall_us = 1e6 *
               ((double)(end.tv_sec - start.tv_sec) +
                1e-9 * (double)(end.tv_nsec - start.tv_nsec)) /
               (double)gms_gate_context_switches(ctx.gate);
    munmap(memory, ARENA_BYTES);
}

static void print_phold(void)
{
    static const uint64_t pending[] = {1000, 100000};
    unsigned i;

    for (i = 0; i < 2; ++i) {
        double events_s = phold_rate(pending[i], event_count);

        if (rate.csv) {
            printf("phold,%llu pending,rate,%.0f,events/s\n",
                   (unsigned long long)pending[i], events_s);
        } else {
            printf("%10llu  %11.2f M  %9.0f\n", (unsigned long long)pending[i],
                   events_s / 1e6, 1e9 / events_s);
        }
    }
}

static void print_handovers(void)
{
    static const struct {
        unsigned ranks;
        int spread;
        const char *name;
    } cases[] = {{2, 0, "2 ranks on one core"},
                 {16, 0, "16 ranks on one core"},
                 {2, 1, "2 ranks on two cores"}};
    unsigned i;

    if (!rate.csv) {
        puts("\nContext switch between processes\n"
             "   ranks                  CPU us   wall us");
    }
    for (i = 0; i < 3; ++i) {
        double cpu_us;
        double wall_us;

        if (cases[i].spread && sysconf(_SC_NPROCESSORS_ONLN) < 2) {
            continue;
        }
        handover_cost(cases[i].ranks, cases[i].spread, handover_count, &cpu_us,
                      &wall_us);
        if (rate.csv) {
            printf("hand-over,%s,CPU,%.2f,us\n", cases[i].name, cpu_us);
            printf("hand-over,%s,wall,%.2f,us\n", cases[i].name, wall_us);
        } else {
            printf("   %-20s  %7.2f  %8.2f\n", cases[i].name, cpu_us, wall_us);
        }
    }
}

int main(int argc, char **argv)
{
    rate_begin(&rate, argc, argv);
    print_phold();
    print_handovers();
    return BENCH_EXIT_OK;
}
