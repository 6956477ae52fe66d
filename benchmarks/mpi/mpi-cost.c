/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-cost: what the simulation itself costs. Unlike the other benchmarks it
 * measures the machine that it runs on: CPU seconds of all ranks, against the
 * events and packets that they simulated.
 */
#include <argp.h>
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "gmsim.h"

enum { EXIT_USAGE = 64 };

typedef struct cost_options {
    int pingpong; /* round trips; 0: alltoall */
    int iterations;
    int bytes;
} cost_options_t;

typedef struct cost {
    double cpu_s;
    gmsim_totals_t totals;
    double virtual_s;
} cost_t;

static int cost_number(const char *text, int *number_p)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (*text == '\0' || *end != '\0' || number < 1 || number > 100000000) {
        return EINVAL;
    }
    *number_p = (int)number;
    return 0;
}

static error_t cost_parse(int key, char *arg, struct argp_state *state)
{
    cost_options_t *options = state->input;

    switch (key) {
    case 'p':
        options->pingpong = 1;
        return 0;
    case 'n':
        return cost_number(arg, &options->iterations);
    case 'b':
        return cost_number(arg, &options->bytes);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void cost_pingpong(const cost_options_t *options, int rank, char *buffer)
{
    for (int i = 0; i < options->iterations && rank < 2; ++i) {
        if (rank == 0) {
            MPI_Send(buffer, options->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        }
        MPI_Recv(buffer, options->bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (rank == 1) {
            MPI_Send(buffer, options->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

static void cost_alltoall(const cost_options_t *options, int size, char *buffer)
{
    char *answer = buffer + (size_t)options->bytes * (size_t)size;

    for (int i = 0; i < options->iterations; ++i) {
        MPI_Alltoall(buffer, options->bytes, MPI_BYTE, answer, options->bytes,
                     MPI_BYTE, MPI_COMM_WORLD);
    }
}

static void cost_look(cost_t *cost)
{
    cost->cpu_s = bench_cpu_seconds(RUSAGE_SELF);
    cost->virtual_s = MPI_Wtime();
    if (gmsim_get_totals(&cost->totals) != GM_SUCCESS) {
        memset(&cost->totals, 0, sizeof(cost->totals));
    }
}

static void cost_print(const cost_options_t *options, int size,
                       const cost_t *before, const cost_t *after, double cpu_s)
{
    double events = (double)(after->totals.events - before->totals.events);
    double packets = (double)(after->totals.packets - before->totals.packets);
    double handovers =
        (double)(after->totals.handovers - before->totals.handovers);

    printf("%d x %s of %d bytes on %d ranks\n", options->iterations,
           options->pingpong ? "round trip" : "MPI_Alltoall, blocks",
           options->bytes, size);
    printf("  virtual time      %12.6f s\n",
           after->virtual_s - before->virtual_s);
    printf("  packets           %12.0f   control packets included\n", packets);
    printf("  events            %12.0f   %.1f a packet\n", events,
           events / packets);
    printf("  hand-overs        %12.0f\n", handovers);
    printf("  CPU, all ranks    %12.3f s %.2f us a hand-over\n", cpu_s,
           1e6 * cpu_s / handovers);
    printf("  events/CPU s      %12.0f\n", events / cpu_s);
}

int main(int argc, char **argv)
{
    static const struct argp_option known[] = {
        {"pingpong", 'p', NULL, 0, "round trips of two ranks, not MPI_Alltoall",
         0},
        {"iterations", 'n', "N", 0, "how often (default 100)", 0},
        {"bytes", 'b', "N", 0, "bytes of a block or message (default 4096)", 0},
        {.name = NULL}};
    static const struct argp argp = {
        known, cost_parse, NULL,
        "Measure what simulating an MPI program costs: CPU seconds of all "
        "ranks, events, packets.\v"
        "mpirun -n 16 mpi-cost\n"
        "mpirun -n 2 mpi-cost --pingpong --iterations 100000 --bytes 1\n\n"
        "The CPU seconds are this machine's and differ from run to run.",
        NULL, NULL, NULL};
    cost_options_t options = {.iterations = 100, .bytes = 4096};
    cost_t before;
    cost_t after;
    double own_s;
    double all_s;
    char *buffer;
    int rank;
    int size;

    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    buffer = calloc(2 * (size_t)size, (size_t)options.bytes);
    if (buffer == NULL || size < 2) {
        fprintf(stderr, "mpi-cost: two ranks at least, and their memory\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    cost_look(&before);
    if (options.pingpong) {
        cost_pingpong(&options, rank, buffer);
    } else {
        cost_alltoall(&options, size, buffer);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    cost_look(&after);
    own_s = after.cpu_s - before.cpu_s;
    MPI_Reduce(&own_s, &all_s, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        cost_print(&options, size, &before, &after, all_s);
    }
    free(buffer);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
