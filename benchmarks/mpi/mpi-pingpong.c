/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-pingpong: measures round trips of MPI messages between two processes, in
 * virtual time.
 */
#include "job.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct pingpong {
    int peer;
    int bytes;
    char *buffer;
} pingpong_t;

static const char pingpong_doc[] =
    "Measure the round-trip time of MPI messages (MPI_Send, MPI_Recv) between "
    "two processes. Times are measured with MPI_Wtime.\v"
    "MB/s is the message size divided by half of the median round-trip "
    "time. " BENCH_EXIT_DOC "\n"
    "Example: mpirun -n 2 mpi-pingpong";

static int pingpong_there_and_back(void *context)
{
    pingpong_t *test = context;

    MPI_Send(test->buffer, test->bytes, MPI_BYTE, test->peer, 0,
             MPI_COMM_WORLD);
    MPI_Recv(test->buffer, test->bytes, MPI_BYTE, test->peer, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return 0;
}

static void pingpong_answer(pingpong_t *test, unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        MPI_Recv(test->buffer, test->bytes, MPI_BYTE, test->peer, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(test->buffer, test->bytes, MPI_BYTE, test->peer, 0,
                 MPI_COMM_WORLD);
    }
}

static void pingpong_run(const bench_t *bench, pingpong_t *test, int rank)
{
    if (rank == 0) {
        bench_print_head(bench, NULL, NULL);
    }
    for (size_t bytes = bench->min_bytes; bytes != 0;
         bytes = bench_next_size(bench, bytes)) {
        bench_result_t result;

        test->bytes = (int)bytes;
        if (rank != 0) {
            pingpong_answer(test,
                            bench->warmup + bench_iterations(bench, bytes));
        } else if (bench_time_steps(bench, pingpong_there_and_back, test, bytes,
                                    &result) == 0) {
            bench_print_row(bench, NULL, &result);
        } else {
            job_die(bench->name, "out of memory");
        }
    }
}

int main(int argc, char **argv)
{
    bench_t bench =
        BENCH_INIT("mpi-pingpong", pingpong_doc, "round trip", MPI_Wtime);
    pingpong_t test;
    int rank = job_start_pair(&bench, argc, argv);

    test.peer = 1 - rank;
    test.buffer = calloc(1, bench.max_bytes);
    if (test.buffer == NULL) {
        job_die(bench.name, "out of memory");
    }
    pingpong_run(&bench, &test, rank);
    free(test.buffer);
    MPI_Finalize();
    return BENCH_EXIT_OK;
}
