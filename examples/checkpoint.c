/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a stencil computation while a checkpoint is written. Ranks 0 to 3 form a
 * ring. In each iteration, they exchange edges of 8 KB with both neighbours and
 * agree on whether to continue. At the same time, each of these ranks sends
 * 2 MB of its state to rank 4, which stores the data.
 *
 *     mpirun -n 5 ./checkpoint
 *
 * The output shows the times of the iterations during the checkpoint, and the
 * time of the checkpoint. All four ranks write to one NIC, and packets that
 * wait for this NIC delay the edges that are queued behind them. With a
 * reservation, the edges no longer wait for the checkpoint, but the reserved
 * rate of 8 MB/s limits every iteration. A better solution is to write no
 * faster than rank 4 can receive: as best effort or, even better, at 12 MB/s
 * from each rank. The iterations are then nearly three times as fast, and the
 * checkpoint takes only a little longer. */
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RING = 4,
    STORE = 4
}; /* ranks */
enum {
    EDGE = 1024,
    CELLS = 262144,
    QUIET = 100
}; /* numbers of doubles (EDGE, CELLS), and number of iterations */
enum {
    CHUNK = 8192,
    CHUNKS = CELLS / CHUNK,
    MOST = 10000
};

static double state[CELLS]; /* the edges are the first and the last EDGE
                               cells */
static double copy[CELLS];  /* copy of the state for the checkpoint, because the
                               state changes during the transfer */
static double times[MOST];  /* times of the iterations, seconds */

static void exchange(int rank, MPI_Comm ring)
{
    static double left[EDGE], right[EDGE];
    int before = (rank + RING - 1) % RING, after = (rank + 1) % RING;
    double *last = state + CELLS - EDGE;
    MPI_Request request[4];

    MPI_Irecv(left, EDGE, MPI_DOUBLE, before, 0, ring, &request[0]);
    MPI_Irecv(right, EDGE, MPI_DOUBLE, after, 1, ring, &request[1]);
    MPI_Isend(last, EDGE, MPI_DOUBLE, after, 0, ring, &request[2]);
    MPI_Isend(state, EDGE, MPI_DOUBLE, before, 1, ring, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < EDGE; ++i) {
        state[i] = 0.5 * (state[i] + left[i]);
        last[i] = 0.5 * (last[i] + right[i]);
    }
}

/* Iterate until all ranks have written their state or, without a checkpoint,
 * QUIET times. Return the number of iterations. */
static int solve(int rank, int writes, MPI_Comm ring, MPI_Comm disk)
{
    MPI_Request request[CHUNKS];
    int count = 0, mine, all = 0;
    double start;

    memcpy(copy, state, sizeof(copy));
    for (int i = 0; i < CHUNKS && writes; ++i)
        MPI_Isend(copy + i * CHUNK, CHUNK, MPI_DOUBLE, STORE, i, disk,
                  &request[i]);
    while (!all && count < MOST) {
        start = MPI_Wtime();
        exchange(rank, ring);
        mine = count + 1 == QUIET;
        if (writes)
            MPI_Testall(CHUNKS, request, &mine, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, ring);
        times[count++] = MPI_Wtime() - start;
    }
    return count;
}

/* Rank 4: receive the data of the other ranks. */
static void store(MPI_Comm disk)
{
    static double chunk[RING * CHUNKS][CHUNK];
    MPI_Request request[RING * CHUNKS];

    for (int i = 0; i < RING * CHUNKS; ++i)
        MPI_Irecv(chunk[i], CHUNK, MPI_DOUBLE, i % RING, i / RING, disk,
                  &request[i]);
    MPI_Waitall(RING * CHUNKS, request, MPI_STATUSES_IGNORE);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void run(const char *name, int writes, int rank, MPI_Comm ring,
                MPI_Comm disk)
{
    double start, seconds = 0;
    int count;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (rank == STORE && writes) {
        store(disk);
        seconds = MPI_Wtime() - start;
    }
    if (rank < RING)
        count = solve(rank, writes, ring, disk);
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, STORE, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    qsort(times, (size_t)count, sizeof(times[0]), compare);
    printf("%-26s%8.0f%8.0f%8.0f", name, times[0] * 1e6, times[count / 2] * 1e6,
           times[count - 1] * 1e6);
    if (writes)
        printf("%10d%10.1f", count, seconds * 1e3);
    puts("");
}

/* Request bandwidth on a communicator. Each rank of the ring requests bandwidth
 * for its own messages. */
static void ask(MPI_Comm comm, int peer, int qos_class, double bandwidth,
                long message_size)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;

    flow.peer = peer;
    flow.qos_class = qos_class;
    flow.bandwidth = bandwidth;
    flow.message_size = message_size;
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
    MPIQOS_Flow_state(comm, &flow);
    if (flow.state == MPIQOS_DENIED)
        fprintf(stderr, "checkpoint: %s\n", flow.reason);
}

static void run_all(int rank, MPI_Comm ring, MPI_Comm disk)
{
    const long edge = EDGE * sizeof(double), chunk = CHUNK * sizeof(double);

    if (rank == 0)
        puts("                            iteration, microseconds        "
             "checkpoint\n"
             "                               min  median     max    number"
             "        ms");
    run("no checkpoint", 0, rank, ring, disk);
    run("no reservation", 1, rank, ring, disk);
    if (rank < RING)
        ask(ring, MPIQOS_ALL_PEERS, MPIQOS_PREMIUM, 8e6, edge);
    run("edges reserved, 8 MB/s", 1, rank, ring, disk);
    if (rank < RING) {
        MPI_Comm_delete_attr(ring, MPIQOS_FLOW);
        ask(disk, STORE, MPIQOS_BEST_EFFORT, 0, chunk);
    }
    run("written as best effort", 1, rank, ring, disk);
    if (rank < RING)
        ask(disk, STORE, MPIQOS_PREMIUM, 12e6, chunk);
    run("written at 12 MB/s each", 1, rank, ring, disk);
}

int main(int argc, char **argv)
{
    MPI_Comm ring, disk;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RING + 1) {
        fprintf(stderr, "checkpoint: requires 5 processes (mpirun -n 5)\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank == STORE, rank, &ring);
    MPI_Comm_dup(MPI_COMM_WORLD, &disk);
    run_all(rank, ring, disk);
    MPI_Comm_free(&disk);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
