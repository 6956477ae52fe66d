/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI program outside the tree, compiled as C and as C++: rank 0 sends to
 * rank 1 with a reservation.
 */
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static char data[65536];
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;
    int rank, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        flow.peer = 1;
        flow.bandwidth = 40e6;
        MPI_Comm_set_attr(MPI_COMM_WORLD, MPIQOS_FLOW, &flow);
    }
    for (i = 0; i < 16; ++i) {
        if (rank == 0) {
            MPI_Send(data, sizeof(data), MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(data, sizeof(data), MPI_CHAR, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
    }
    if (rank == 0) {
        MPIQOS_Flow answer = MPIQOS_FLOW_INIT;

        MPIQOS_Peer_state(MPI_COMM_WORLD, 1, &answer);
        printf("MPI: %s\n", MPIQOS_State_name(answer.state));
    }
    MPI_Finalize();
    return 0;
}
