/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-bandwidth: measures the bandwidth of MPI messages. One process streams
 * messages to another process, with several messages in flight at a time. The
 * receiver records the arrival time of every message.
 */
#include "job.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct stream {
    int bytes;
    unsigned total;        /* messages */
    unsigned window;       /* number of messages in flight */
    char *buffers;         /* window x max_bytes */
    MPI_Request *requests; /* window */
    double *arrivals_s;
} stream_t;

static const char stream_doc[] =
    "Measure the bandwidth of MPI messages (MPI_Isend, MPI_Irecv) that one "
    "process streams to another process. Times are measured with "
    "MPI_Wtime.\v" BENCH_EXIT_DOC "\n"
    "Example: mpirun -n 2 mpi-bandwidth";

/* Messages arrive in the order of their receives. Both sides can therefore use
 * their slots in this order. */
static void stream_start(stream_t *stream, int rank, unsigned n)
{
    unsigned slot = n % stream->window;
    char *buffer = stream->buffers + (size_t)slot * (size_t)stream->bytes;

    if (rank == 0) {
        MPI_Isend(buffer, stream->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                  &stream->requests[slot]);
    } else {
        MPI_Irecv(buffer, stream->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                  &stream->requests[slot]);
    }
}

static void stream_all(stream_t *stream, int rank)
{
    unsigned started = 0;

    while (started < stream->window && started < stream->total) {
        stream_start(stream, rank, started++);
    }
    for (unsigned n = 0; n < stream->total; ++n) {
        MPI_Wait(&stream->requests[n % stream->window], MPI_STATUS_IGNORE);
        stream->arrivals_s[n] = MPI_Wtime();
        if (started < stream->total) {
            stream_start(stream, rank, started++);
        }
    }
}

static void stream_report(const bench_t *bench, stream_t *stream, int rank)
{
    bench_result_t result;

    if (rank != 0) {
        MPI_Send(stream->arrivals_s, (int)stream->total, MPI_DOUBLE, 0, 1,
                 MPI_COMM_WORLD);
        return;
    }
    MPI_Recv(stream->arrivals_s, (int)stream->total, MPI_DOUBLE, 1, 1,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (bench_rate_arrivals(bench, stream->arrivals_s, stream->total, -HUGE_VAL,
                            HUGE_VAL, (size_t)stream->bytes, &result) != 0) {
        job_die(bench->name, "out of memory");
    }
    bench_print_row(bench, NULL, &result);
}

static void stream_run(const bench_t *bench, stream_t *stream, int rank)
{
    if (rank == 0) {
        bench_print_head(bench, NULL, NULL);
    }
    for (size_t bytes = bench->min_bytes; bytes != 0;
         bytes = bench_next_size(bench, bytes)) {
        stream->bytes = (int)bytes;
        /* n intervals require n + 1 arrivals */
        stream->total = bench->warmup + bench_iterations(bench, bytes) + 1;
        /* both sides start together */
        MPI_Barrier(MPI_COMM_WORLD);
        stream_all(stream, rank);
        stream_report(bench, stream, rank);
    }
}

int main(int argc, char **argv)
{
    bench_t bench = BENCH_INIT("mpi-bandwidth", stream_doc,
                               "time between two arrivals", MPI_Wtime);
    stream_t stream = {.bytes = 0};
    int rank = job_start_pair(&bench, argc, argv);

    stream.window = bench.window;
    stream.buffers = calloc(bench.window, bench.max_bytes);
    stream.requests = calloc(bench.window, sizeof(*stream.requests));
    stream.arrivals_s = calloc((size_t)bench.warmup + bench.iterations + 1,
                               sizeof(*stream.arrivals_s));
    if (stream.buffers == NULL || stream.requests == NULL ||
        stream.arrivals_s == NULL) {
        job_die(bench.name, "out of memory");
    }
    stream_run(&bench, &stream, rank);
    free(stream.arrivals_s);
    free(stream.requests);
    free(stream.buffers);
    MPI_Finalize();
    return BENCH_EXIT_OK;
}
