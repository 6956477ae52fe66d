/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-rate: measures the real cost of simulating an MPI program. Unlike the
 * other MPI benchmarks, this program measures the machine on which it runs: the
 * processor time that all ranks need for the simulated messages, packets and
 * events.
 */
#include <argp.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "gmsim.h"
#include "job.h"
#include "program.h"

enum {
    KEY_CSV = 256,
    MOST = 100000000
};
enum {
    STENCIL_NEIGHBOURS = 4
};

typedef struct rate_options {
    const char *name; /* the only case to run, or NULL */
    int repeat;       /* 0: the case's default */
    int bytes;        /* 0: the case's default */
    int csv;
} rate_options_t;

/* Arguments and buffers of a test case. */
typedef struct rate_work {
    int rank, size;
    int repeat, bytes;
    char *out, *in; /* buffers of max(size, STENCIL_NEIGHBOURS) blocks each */
} rate_work_t;

typedef struct rate_case {
    const char *name;
    const char *what;
    int repeat, bytes;
    int pair; /* 1: only ranks 0 and 1 communicate, and the other ranks wait for
               * them */
    void (*run)(const rate_work_t *work);
    double (*messages)(const rate_work_t *work);
} rate_case_t;

/* The processor time of a rank and the totals of the cluster at one time. */
typedef struct rate_look {
    double cpu_s;
    double virtual_s;
    gmsim_totals_t totals;
} rate_look_t;

/* ---- Cases --------------------------------------------------------------- */

static void rate_pingpong(const rate_work_t *work)
{
    int peer = 1 - work->rank;

    for (int i = 0; i < work->repeat; ++i) {
        if (work->rank == 0) {
            MPI_Send(work->out, work->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
        }
        MPI_Recv(work->in, work->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (work->rank == 1) {
            MPI_Send(work->out, work->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
        }
    }
}

static double rate_pingpong_messages(const rate_work_t *work)
{
    return 2.0 * work->repeat;
}

static void rate_stream(const rate_work_t *work)
{
    for (int i = 0; i < work->repeat; ++i) {
        if (work->rank == 0) {
            MPI_Send(work->out, work->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(work->in, work->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
    }
}

static double rate_stream_messages(const rate_work_t *work)
{
    return work->repeat;
}

static void rate_alltoall(const rate_work_t *work)
{
    for (int i = 0; i < work->repeat; ++i) {
        MPI_Alltoall(work->out, work->bytes, MPI_BYTE, work->in, work->bytes,
                     MPI_BYTE, MPI_COMM_WORLD);
    }
}

/* Return the number of messages in the run. A block that a rank sends to itself
 * does not count as a message. */
static double rate_alltoall_messages(const rate_work_t *work)
{
    return (double)work->repeat * work->size * (work->size - 1);
}

/* Exchange halos on a torus whose sides are as equal as possible, for example
 * 4x4 for 16 ranks. */
static void rate_stencil(const rate_work_t *work)
{
    int dims[2] = {0, 0};
    int periods[2] = {1, 1};
    int peer[STENCIL_NEIGHBOURS];
    MPI_Request requests[2 * STENCIL_NEIGHBOURS];
    MPI_Comm torus;

    MPI_Dims_create(work->size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &torus);
    MPI_Cart_shift(torus, 0, 1, &peer[0], &peer[1]);
    MPI_Cart_shift(torus, 1, 1, &peer[2], &peer[3]);
    for (int i = 0; i < work->repeat; ++i) {
        for (int n = 0; n < STENCIL_NEIGHBOURS; ++n) {
            size_t halo = (size_t)n * (size_t)work->bytes;

            MPI_Irecv(work->in + halo, work->bytes, MPI_BYTE, peer[n], n, torus,
                      &requests[n]);
            /* A message that is sent upwards arrives from below. */
            MPI_Isend(work->out + halo, work->bytes, MPI_BYTE, peer[n], n ^ 1,
                      torus, &requests[STENCIL_NEIGHBOURS + n]);
        }
        MPI_Waitall(2 * STENCIL_NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&torus);
}

static double rate_stencil_messages(const rate_work_t *work)
{
    return (double)work->repeat * work->size * STENCIL_NEIGHBOURS;
}

static void rate_barrier(const rate_work_t *work)
{
    for (int i = 0; i < work->repeat; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Return the number of messages of a dissemination barrier: every rank sends
 * one message in each of log2(size) rounds. */
static double rate_barrier_messages(const rate_work_t *work)
{
    int rounds = 0;

    while (1 << rounds < work->size) {
        ++rounds;
    }
    return (double)work->repeat * work->size * rounds;
}

static const rate_case_t rate_cases[] = {
    {"pingpong", "round trips of two ranks", 100000, 1, 1, rate_pingpong,
     rate_pingpong_messages},
    {"stream", "MPI_Send of rank 0 to rank 1", 10000, 65536, 1, rate_stream,
     rate_stream_messages},
    {"alltoall", "MPI_Alltoall", 100, 4096, 0, rate_alltoall,
     rate_alltoall_messages},
    {"stencil", "halos to four neighbours on a torus", 100, 65536, 0,
     rate_stencil, rate_stencil_messages},
    {"barrier", "MPI_Barrier", 1000, 0, 0, rate_barrier, rate_barrier_messages},
};
enum {
    RATE_CASES = sizeof(rate_cases) / sizeof(rate_cases[0])
};

/* ---- Options ------------------------------------------------------------- */

static void rate_check_name(const char *name, struct argp_state *state)
{
    for (int i = 0; i < RATE_CASES; ++i) {
        if (strcmp(name, rate_cases[i].name) == 0) {
            return;
        }
    }
    argp_error(state,
               "case '%s' is unknown; allowed: pingpong, stream, alltoall, "
               "stencil, barrier",
               name);
}

static error_t rate_parse(int key, char *arg, struct argp_state *state)
{
    rate_options_t *options = state->input;

    switch (key) {
    case 'i':
        options->repeat = (int)bench_number(state, "iterations", arg, 1, MOST);
        return 0;
    case 's':
        options->bytes = (int)bench_size(state, "size", arg, 1, MOST);
        return 0;
    case KEY_CSV:
        options->csv = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (options->name != NULL) {
            argp_error(state,
                       "unexpected argument '%s'; allowed: one case, or none "
                       "for all cases",
                       arg);
        }
        rate_check_name(arg, state);
        options->name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- Measuring ----------------------------------------------------------- */

static void rate_take_look(rate_look_t *look)
{
    look->cpu_s = bench_cpu_seconds(RUSAGE_SELF);
    look->virtual_s = MPI_Wtime();
    if (gmsim_get_totals(&look->totals) != GM_SUCCESS) {
        memset(&look->totals, 0, sizeof(look->totals));
    }
}

static double rate_sum(double own)
{
    double all = 0;

    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

static void rate_print_head(const rate_options_t *options, int size,
                            double start_s)
{
    if (options->csv) {
        printf("case,repeat,bytes,ranks,messages,packets,data_packets,events,"
               "handovers,virtual_s,cpu_s,messages_per_cpu_s,"
               "packets_per_cpu_s\n");
        printf("start,1,0,%d,0,0,0,0,0,0,%.3f,0,0\n", size, start_s);
        return;
    }
    printf("mpi-rate: %d ranks; starting them took %.2f CPU s\n\n", size,
           start_s);
    printf("%-9s %7s %6s %8s %8s %9s %10s %8s %8s %11s %10s\n", "case",
           "repeat", "bytes", "messages", "packets", "events", "switches",
           "virt. s", "CPU s", "messages/s", "packets/s");
}

static void rate_print(const rate_options_t *options, const rate_case_t *test,
                       const rate_work_t *work, const rate_look_t *before,
                       const rate_look_t *after, double cpu_s)
{
    double messages = test->messages(work);
    double packets = (double)(after->totals.packets - before->totals.packets);
    double events = (double)(after->totals.events - before->totals.events);
    double handovers =
        (double)(after->totals.handovers - before->totals.handovers);
    double virtual_s = after->virtual_s - before->virtual_s;

    if (options->csv) {
        printf(
            "%s,%d,%d,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.12g,%.3f,%.0f,%.0f\n",
            test->name, work->repeat, work->bytes, work->size, messages,
            packets,
            (double)(after->totals.data_packets - before->totals.data_packets),
            events, handovers, virtual_s, cpu_s, messages / cpu_s,
            packets / cpu_s);
    } else {
        printf("%-9s %7d %6d %8.0f %8.0f %9.0f %10.0f %8.4f %8.3f %11.0f "
               "%10.0f\n",
               test->name, work->repeat, work->bytes, messages, packets, events,
               handovers, virtual_s, cpu_s, messages / cpu_s, packets / cpu_s);
    }
    fflush(stdout);
}

static void rate_measure(const rate_options_t *options, const rate_case_t *test,
                         rate_work_t *work)
{
    rate_look_t before;
    rate_look_t after;
    double cpu_s;

    work->repeat = options->repeat > 0 ? options->repeat : test->repeat;
    work->bytes = options->bytes > 0 ? options->bytes : test->bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    rate_take_look(&before);
    if (!test->pair || work->rank < 2) {
        test->run(work);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    rate_take_look(&after);
    cpu_s = rate_sum(after.cpu_s - before.cpu_s);
    if (work->rank == 0) {
        rate_print(options, test, work, &before, &after, cpu_s);
    }
}

/* Write to all buffers once. Otherwise, the first case would include the time
 * of the page faults. */
static void rate_make_buffers(const rate_options_t *options, rate_work_t *work)
{
    size_t blocks = work->size > STENCIL_NEIGHBOURS ? (size_t)work->size
                                                    : STENCIL_NEIGHBOURS;
    size_t bytes = 0;

    for (int i = 0; i < RATE_CASES; ++i) {
        const rate_case_t *test = &rate_cases[i];
        size_t block =
            (size_t)(options->bytes > 0 ? options->bytes : test->bytes);
        size_t needed =
            block *
            (test->run == rate_alltoall ? blocks : (size_t)STENCIL_NEIGHBOURS);

        bytes = needed > bytes ? needed : bytes;
    }
    work->out = malloc(bytes);
    work->in = malloc(bytes);
    if (work->out == NULL || work->in == NULL) {
        fprintf(stderr, "mpi-rate: out of memory (2 x %zu bytes)\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    memset(work->out, 1, bytes);
    memset(work->in, 2, bytes);
}

int main(int argc, char **argv)
{
    static const struct argp_option known[] = {
        {"iterations", 'i', "N", 0,
         "Number of repetitions (default: depends on the case)", 0},
        {"size", 's', "BYTES", 0, "Message size (default: depends on the case)",
         0},
        {"csv", KEY_CSV, NULL, 0, "Print comma-separated values", 0},
        {.name = NULL}};
    static const struct argp argp = {
        known,
        rate_parse,
        "[CASE]",
        "Measure the cost of simulating an MPI program: the CPU time of all "
        "ranks, and the numbers of messages, packets and events.\v"
        "The cases are pingpong, stream (two ranks, while all other ranks "
        "wait), alltoall, stencil and barrier; without CASE, all of them run.\n"
        "\n"
        "The column 'CPU s' contains the user and system time between two "
        "barriers, summed over all ranks, including waiting ranks. The time "
        "from the start of the ranks to the first barrier is printed above the "
        "table, or in row 'start' of the CSV. The launcher's time is not "
        "included. The column 'packets' counts all packets that entered the "
        "network, including acknowledgements. CPU seconds differ between "
        "machines and runs; all other numbers are identical in every "
        "run.\n" BENCH_EXIT_DOC "\nExample: mpirun -n 16 mpi-rate alltoall",
        NULL,
        NULL,
        NULL};
    rate_options_t options = {.name = NULL};
    rate_work_t work;
    double start_s;

    bench_program(&argp, argc, argv, &options);
    job_start(&argc, &argv, &work.rank, &work.size);
    if (work.size < 2) {
        job_refuse("mpi-rate", 0, "requires at least 2 processes, not 1");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start_s = rate_sum(bench_cpu_seconds(RUSAGE_SELF));
    if (work.rank == 0) {
        rate_print_head(&options, work.size, start_s);
    }
    rate_make_buffers(&options, &work);
    for (int i = 0; i < RATE_CASES; ++i) {
        if (options.name == NULL ||
            strcmp(options.name, rate_cases[i].name) == 0) {
            rate_measure(&options, &rate_cases[i], &work);
        }
    }
    free(work.out);
    free(work.in);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
