/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-patterns: measures communication patterns that consist of point-to-point
 * MPI calls (patterns.h). A sample begins at a barrier. For a collective
 * pattern, the sample is the longest time of all processes.
 */
#include "harness.h"
#include "job.h"
#include "patterns.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest total number of messages in all samples, unless --iterations is
 * given. */
#define PATTERNS_MESSAGES 20000
#define PATTERNS_MOST     32

/* The command line, the process, and the sum of all samples, which serves as
 * the harness's clock. */
static struct {
    const pattern_t *chosen[PATTERNS_MOST];
    unsigned count;
    pattern_run_t run;
    const pattern_t *pattern;
    double now_s;
} state;

static const char patterns_doc[] =
    "Measure patterns of point-to-point MPI messages: collective algorithms, "
    "pairs of processes, and the parameters of the LogGP model. Every sample "
    "begins after MPI_Barrier. The time of a collective pattern is the time of "
    "the slowest process. Times are measured with MPI_Wtime.\v"
    "For patterns of pairs, the time is the mean over all pairs. --list prints "
    "the patterns. MB/s is the message size divided by the mean "
    "time. " BENCH_EXIT_DOC "\n"
    "Example: mpirun -n 4 mpi-patterns --pattern pipelinedring --size 16,16K";

enum {
    PATTERNS_KEY_LIST = 512
};

static const struct argp_option patterns_options[] = {
    {"pattern", 'p', "NAME", 0,
     "Pattern to measure; may be given several times (default: all patterns "
     "that suit the number of processes)",
     0},
    {"list", PATTERNS_KEY_LIST, NULL, 0, "Print the patterns and exit", 0},
    {.name = NULL},
};

static void patterns_list(void)
{
    for (const pattern_t *pattern = patterns; pattern->name != NULL;
         ++pattern) {
        printf("%-20s %s\n", pattern->name, pattern->text);
    }
}

static error_t patterns_parse(int key, char *arg, struct argp_state *parser)
{
    const pattern_t *pattern;

    switch (key) {
    case 'p':
        pattern = pattern_find(arg);
        if (pattern == NULL) {
            argp_error(parser,
                       "--pattern: pattern '%.64s' is unknown; --list prints "
                       "the patterns",
                       arg);
        } else if (state.count == PATTERNS_MOST) {
            argp_error(parser,
                       "--pattern: too many patterns; allowed: up to %d",
                       PATTERNS_MOST);
        } else {
            state.chosen[state.count++] = pattern;
        }
        return 0;
    case PATTERNS_KEY_LIST:
        patterns_list();
        exit(BENCH_EXIT_OK);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- samples --------------------------------------------------------------*/

static double patterns_clock(void)
{
    return state.now_s;
}

static int patterns_step(void *context)
{
    const pattern_t *pattern = state.pattern;
    int is_pairs = pattern->sample == PATTERN_PAIRS;
    double mine_s, all_s;

    (void)context;
    /* a single pair is measured without barriers, as in mpi-pingpong */
    if (!is_pairs || state.run.size > 2) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    mine_s = pattern->run(&state.run);
    if (is_pairs && state.run.rank % 2 != 0) {
        mine_s = 0;
    }
    MPI_Allreduce(&mine_s, &all_s, 1, MPI_DOUBLE, is_pairs ? MPI_SUM : MPI_MAX,
                  MPI_COMM_WORLD);
    state.now_s += is_pairs ? all_s / (state.run.size / 2) : all_s;
    return 0;
}

static int patterns_suits(const pattern_t *pattern, int size)
{
    return size >= 2 && (!pattern->is_even || size % 2 == 0) &&
           (!pattern->is_pair || size == 2);
}

static void patterns_measure(const bench_t *bench, const pattern_t *pattern)
{
    state.pattern = pattern;
    for (size_t bytes = bench->min_bytes; bytes != 0;
         bytes = bench_next_size(bench, bytes)) {
        bench_result_t result;

        state.run.bytes = bytes;
        if (bench_time_steps(bench, patterns_step, NULL, bytes, &result) != 0) {
            job_die(bench->name, "out of memory");
        }
        result.bandwidth_bytes_s = (double)bytes / result.mean_s;
        if (state.run.rank == 0) {
            bench_print_row(bench, pattern->name, &result);
        }
    }
}

/* --- the program ----------------------------------------------------------*/

static void patterns_check(const bench_t *bench)
{
    int size = state.run.size;

    if (size < 2) {
        job_refuse(bench->name, state.run.rank,
                   "requires at least 2 processes, not %d", size);
    }
    for (unsigned i = 0; i < state.count; ++i) {
        if (!patterns_suits(state.chosen[i], size)) {
            job_refuse(bench->name, state.run.rank, "%s requires %s, not %d",
                       state.chosen[i]->name,
                       state.chosen[i]->is_pair ? "2 processes"
                                                : "an even number of processes",
                       size);
        }
    }
}

static void patterns_choose(void)
{
    for (const pattern_t *one = patterns; one->name != NULL; ++one) {
        if (patterns_suits(one, state.run.size)) {
            state.chosen[state.count++] = one;
        }
    }
}

static void patterns_allocate(const bench_t *bench)
{
    pattern_run_t *run = &state.run;

    run->buffer = calloc(1, bench->max_bytes);
    run->second = calloc(1, bench->max_bytes);
    run->requests = calloc(pattern_requests(run->size), sizeof(MPI_Request));
    if (run->buffer == NULL || run->second == NULL || run->requests == NULL) {
        job_die(bench->name, "out of memory");
    }
}

int main(int argc, char **argv)
{
    bench_t bench =
        BENCH_INIT("mpi-patterns", patterns_doc, "pattern", patterns_clock);
    pattern_run_t *run = &state.run;

    bench_add_options(&bench, patterns_options, patterns_parse, NULL);
    bench_parse(&bench, argc, argv);
    job_start(&argc, &argv, &run->rank, &run->size);
    patterns_check(&bench);
    if (state.count == 0) {
        patterns_choose();
    }
    bench_take_fewer(&bench, PATTERNS_MESSAGES /
                                 (unsigned)(run->size * (run->size - 1)));
    patterns_allocate(&bench);
    if (run->rank == 0) {
        bench_print_head(&bench, NULL, "pattern");
    }
    for (unsigned i = 0; i < state.count; ++i) {
        patterns_measure(&bench, state.chosen[i]);
    }
    free(run->requests);
    free(run->second);
    free(run->buffer);
    MPI_Finalize();
    return BENCH_EXIT_OK;
}
