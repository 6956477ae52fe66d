/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first program of a new user. Rank 0 sends a stream to rank 1 with a
 * reservation of 40 MB/s, and at the same time sends messages to rank 2.
 */
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>

enum {
    SIZE = 65536,
    COUNT = 200
};
static char data[COUNT][SIZE];

int main(int argc, char **argv)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;
    MPI_Request requests[2 * COUNT];
    MPI_Comm stream;
    double start;
    int rank, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &stream);
    if (rank == 0) {
        flow.peer = 1;
        flow.bandwidth = 40e6;
        MPI_Comm_set_attr(stream, MPIQOS_FLOW, &flow);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (rank == 0) {
        for (i = 0; i < COUNT; ++i) {
            MPI_Isend(data[i], SIZE, MPI_CHAR, 1, 0, stream, &requests[2 * i]);
            MPI_Isend(data[i], SIZE, MPI_CHAR, 2, 0, MPI_COMM_WORLD,
                      &requests[2 * i + 1]);
        }
        MPI_Waitall(2 * COUNT, requests, MPI_STATUSES_IGNORE);
    } else if (rank < 3) {
        for (i = 0; i < COUNT; ++i) {
            MPI_Irecv(data[i], SIZE, MPI_CHAR, 0, 0,
                      (rank == 1) ? stream : MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        printf("stream: %.1f MB/s\n",
               COUNT * SIZE / (MPI_Wtime() - start) / 1e6);
    }
    MPI_Finalize();
    return 0;
}
