/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the bandwidth of an ordinary MPI program without reservations. For
 * half a second, all other ranks send to rank 0 as fast as possible. The policy
 * file policy.yaml reserves bandwidth for the messages of these ranks.
 *
 *     mpirun -n 4 ./senders
 *     MPIQOS_POLICY=policy.yaml mpirun -n 4 ./senders
 *
 * The output shows that, without the policy, all three senders have the same
 * bandwidth. With the policy, rank 1 has 25 MB/s, and the other two senders
 * have 10 MB/s each. */
#include <mpi.h>
#include <stdio.h>

enum {
    IN_FLIGHT = 4,
    MESSAGE = 65536,
    MOST = 16
};
enum {
    DATA,
    END
}; /* tags */
#define SECONDS 0.5

static char buffer[MOST * IN_FLIGHT][MESSAGE];

/* Keep several messages in flight. Otherwise, the network would be idle between
 * messages. */
static void send(double start)
{
    MPI_Request request[IN_FLIGHT];
    int slot;

    for (slot = 0; slot < IN_FLIGHT; ++slot)
        MPI_Isend(buffer[slot], MESSAGE, MPI_BYTE, 0, DATA, MPI_COMM_WORLD,
                  &request[slot]);
    while (MPI_Wtime() < start + SECONDS) {
        MPI_Waitany(IN_FLIGHT, request, &slot, MPI_STATUS_IGNORE);
        MPI_Isend(buffer[slot], MESSAGE, MPI_BYTE, 0, DATA, MPI_COMM_WORLD,
                  &request[slot]);
    }
    for (slot = 0; slot < IN_FLIGHT; ++slot) {
        MPI_Wait(&request[slot], MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 0, END, MPI_COMM_WORLD);
    }
}

/* Rank 0: count the messages that arrive from each rank during the half
 * second. */
static void receive(double start, int size)
{
    MPI_Request request[MOST * IN_FLIGHT];
    int slots = size * IN_FLIGHT, ended = 0, slot, count[MOST] = {0};
    MPI_Status status;

    for (slot = 0; slot < slots; ++slot)
        MPI_Irecv(buffer[slot], MESSAGE, MPI_BYTE,
                  slot < IN_FLIGHT ? MPI_PROC_NULL : slot / IN_FLIGHT,
                  MPI_ANY_TAG, MPI_COMM_WORLD, &request[slot]);
    while (ended < slots - IN_FLIGHT) {
        MPI_Waitany(slots, request, &slot, &status);
        if (status.MPI_SOURCE == MPI_PROC_NULL)
            continue;
        ended += status.MPI_TAG == END;
        count[status.MPI_SOURCE] +=
            status.MPI_TAG == DATA && MPI_Wtime() < start + SECONDS;
        if (status.MPI_TAG == DATA)
            MPI_Irecv(buffer[slot], MESSAGE, MPI_BYTE, status.MPI_SOURCE,
                      MPI_ANY_TAG, MPI_COMM_WORLD, &request[slot]);
    }
    for (int rank = 1; rank < size; ++rank)
        printf("from rank %d: %5.1f MB/s\n", rank,
               count[rank] * (MESSAGE / 1e6) / SECONDS);
}

int main(int argc, char **argv)
{
    double start;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 || size > MOST) {
        fprintf(stderr, "senders: requires 2 to %d processes (mpirun -n 4)\n",
                MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        receive(start, size);
    else
        send(start);
    MPI_Finalize();
    return 0;
}
