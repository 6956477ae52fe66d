/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a checkpoint with MPI-IO: each rank writes its part of the state to a
 * common file, reads this part back, and checks every byte. The cluster must
 * have I/O hosts:
 *
 *     GMSIM_CLUSTER=io-hosts.yaml mpirun -n 2 ./snapshot state.dat
 *
 * Two such programs in one job share the network link to the I/O host. This
 * command starts two programs on separate hosts:
 *
 *     GMSIM_CLUSTER=io-hosts.yaml mpirun -n 2 ./snapshot state.dat : \
 *         -n 4 ./snapshot flood.dat 16
 *
 * "./snapshot FILE MB BANDWIDTH" writes and reads MB megabytes per rank (default:
 * 4), and uses hints to request the bandwidth for each rank, for example "20
 * MB/s". The policy snapshot.yaml requests bandwidth for the unmodified
 * program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static char *state;
static int bytes = 4000000; /* length of each rank's part */

/* Return a communicator of this program's ranks. */
static MPI_Comm own_ranks(void)
{
    int *program, found;
    MPI_Comm mine;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
    MPI_Comm_split(MPI_COMM_WORLD, found ? *program : 0, 0, &mine);
    return mine;
}

static char cell(int rank, int i)
{
    return (char)(i * 7 + i / 251 + rank);
}

static MPI_File open_file(MPI_Comm comm, const char *name,
                          const char *bandwidth)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_File file;

    if (bandwidth != NULL) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpiqos_write_bandwidth", bandwidth);
        MPI_Info_set(info, "mpiqos_read_bandwidth", bandwidth);
    }
    if (MPI_File_open(comm, name,
                      MPI_MODE_CREATE | MPI_MODE_RDWR |
                          MPI_MODE_DELETE_ON_CLOSE,
                      info, &file) != MPI_SUCCESS) {
        fprintf(stderr, "snapshot: cannot open %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (bandwidth != NULL)
        MPI_Info_free(&info);
    return file;
}

/* Rank 0: print the answer to the hints. */
static void print_answer(MPI_File file)
{
    char reason[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int found;

    MPI_File_get_info(file, &info);
    MPI_Info_get(info, "mpiqos_reason", MPI_MAX_INFO_VAL, reason, &found);
    if (found)
        printf("%s\n", reason);
    MPI_Info_free(&info);
}

/* Return the total bandwidth of all ranks in MB/s for an access that began at
 * start; the slowest rank determines the time. */
static double rate(MPI_Comm comm, double start)
{
    double seconds = MPI_Wtime() - start, most;
    int size;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    return (double)bytes * size / most / 1e6;
}

static void run(MPI_Comm comm, MPI_File file, const char *name)
{
    int rank, wrong = 0, sum;
    double start, written, read;
    MPI_Offset offset;

    MPI_Comm_rank(comm, &rank);
    offset = (MPI_Offset)rank * bytes;
    for (int i = 0; i < bytes; ++i)
        state[i] = cell(rank, i);
    MPI_Barrier(comm);
    start = MPI_Wtime();
    MPI_File_write_at_all(file, offset, state, bytes, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    written = rate(comm, start);
    for (int i = 0; i < bytes; ++i)
        state[i] = 0;
    MPI_Barrier(comm);
    start = MPI_Wtime();
    MPI_File_read_at_all(file, offset, state, bytes, MPI_BYTE,
                         MPI_STATUS_IGNORE);
    read = rate(comm, start);
    for (int i = 0; i < bytes; ++i)
        wrong += state[i] != cell(rank, i);
    MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
    if (rank == 0)
        printf("%-10s written at %5.1f MB/s, read at %5.1f MB/s: %s\n", name,
               written, read, sum == 0 ? "correct" : "WRONG");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "state.dat";
    MPI_Comm mine;
    MPI_File file;
    int rank;

    MPI_Init(&argc, &argv);
    if (argc > 2)
        bytes = (int)(atof(argv[2]) * 1e6);
    state = malloc((size_t)bytes);
    mine = own_ranks();
    MPI_Comm_rank(mine, &rank);
    file = open_file(mine, name, argc > 3 ? argv[3] : NULL);
    if (rank == 0)
        print_answer(file);
    run(mine, file, name);
    MPI_File_close(&file);
    MPI_Comm_free(&mine);
    free(state);
    MPI_Finalize();
    return 0;
}
