/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates traffic that disturbs another program. Each rank sends to the next
 * rank, and the last rank sends to the first. Each rank has four messages of 64
 * KB in flight, on a communicator with the name "noise". Run this program in
 * one job with another program on the same hosts:
 *
 *     mpirun -hosts node1,node2,node3,node4 -n 4 ./jacobi : -n 4 ./noise
 *
 * "./noise MB" sends MB megabytes from each rank instead of 8 megabytes. The
 * program itself prints nothing, but a record of the run (GMSIM_RECORD)
 * contains its bandwidth.
 *
 * The output of the other program shows how much the noise slows it down, and
 * how a policy file protects it. */
#include <mpi.h>
#include <stdlib.h>

enum {
    SIZE = 65536,
    DEPTH = 4
};
static char out[DEPTH][SIZE], in[DEPTH][SIZE];

/* Return a communicator of this program's ranks. */
static MPI_Comm own_ranks(void)
{
    int *program, found;
    MPI_Comm mine;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
    MPI_Comm_split(MPI_COMM_WORLD, found ? *program : 0, 0, &mine);
    MPI_Comm_set_name(mine, "noise");
    return mine;
}

int main(int argc, char **argv)
{
    MPI_Request request[2 * DEPTH];
    MPI_Comm noise;
    double mb;
    int rank, size;

    MPI_Init(&argc, &argv);
    mb = (argc > 1) ? atof(argv[1]) : 8;
    noise = own_ranks();
    MPI_Comm_rank(noise, &rank);
    MPI_Comm_size(noise, &size);
    for (double sent = 0; sent < mb * 1e6; sent += DEPTH * SIZE) {
        for (int i = 0; i < DEPTH; ++i) {
            MPI_Irecv(in[i], SIZE, MPI_BYTE, (rank + size - 1) % size, 0, noise,
                      &request[i]);
            MPI_Isend(out[i], SIZE, MPI_BYTE, (rank + 1) % size, 0, noise,
                      &request[DEPTH + i]);
        }
        MPI_Waitall(2 * DEPTH, request, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&noise);
    MPI_Finalize();
    return 0;
}
