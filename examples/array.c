/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses one-sided communication to access an array that is distributed over all
 * ranks of the program. In each round, a rank fetches a number from a shared
 * counter. It then gets a slice of the array from every other rank, and adds a
 * slice to every other rank's part. No rank waits for messages from other
 * ranks.
 *
 *     mpirun -hosts node1,node2,node3,node4 -n 4 ./array
 *
 * The program creates the window from a communicator with the name "array". The
 * policy array.yaml selects the window by this name. It reserves bandwidth in
 * both directions, because the data of a get flow from the target to the
 * origin. The output shows the bandwidths of the slowest rank and the longest
 * access time of the counter, both alone and while the program noise is
 * running. */
#include <mpi.h>
#include <stdio.h>

enum {
    SLICE = 8192, /* number of doubles: 64 KB */
    ROUNDS = 20,
    MOST = 16
};

static double slice[MOST][SLICE], ones[SLICE];

/* Return a communicator of this program's ranks. */
static MPI_Comm own_ranks(void)
{
    int *program, found;
    MPI_Comm mine;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
    MPI_Comm_split(MPI_COMM_WORLD, found ? *program : 0, 0, &mine);
    MPI_Comm_set_name(mine, "array");
    return mine;
}

/* Fetch the next number from the counter in the memory of the last rank. */
static long next_number(MPI_Win win, int owner)
{
    const long one = 1;
    long number;

    MPI_Fetch_and_op(&one, &number, MPI_LONG, owner, SLICE, MPI_SUM, win);
    MPI_Win_flush(owner, win);
    return number;
}

static void get_slices(MPI_Win win, int rank, int size)
{
    for (int i = 1; i < size; ++i) {
        int peer = (rank + i) % size;

        MPI_Get(slice[peer], SLICE, MPI_DOUBLE, peer, 0, SLICE, MPI_DOUBLE,
                win);
    }
    MPI_Win_flush_all(win);
}

static void add_slices(MPI_Win win, int rank, int size)
{
    for (int i = 1; i < size; ++i)
        MPI_Accumulate(ones, SLICE, MPI_DOUBLE, (rank + i) % size, 0, SLICE,
                       MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush_all(win);
}

/* Run all rounds on the array. Afterwards, seconds[] contains the total times
 * of the gets and of the additions, and the longest access time of the
 * counter. */
static void work(MPI_Win win, int rank, int size, double seconds[3])
{
    double start, fetched, got, added;

    MPI_Win_lock_all(0, win);
    for (int round = 0; round < ROUNDS; ++round) {
        start = MPI_Wtime();
        (void)next_number(win, size - 1);
        fetched = MPI_Wtime();
        get_slices(win, rank, size);
        got = MPI_Wtime();
        add_slices(win, rank, size);
        added = MPI_Wtime();
        if (fetched - start > seconds[2])
            seconds[2] = fetched - start;
        seconds[0] += got - fetched;
        seconds[1] += added - got;
    }
    MPI_Win_unlock_all(win);
}

int main(int argc, char **argv)
{
    double seconds[3] = {0}, most[3], mb, *own;
    int rank, size, is_correct, all;
    MPI_Comm comm;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    comm = own_ranks();
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (size < 2 || size > MOST) {
        fprintf(stderr, "array: requires 2 to %d processes (mpirun -n 4)\n",
                MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Win_allocate((SLICE + 1) * sizeof(double), sizeof(double),
                     MPI_INFO_NULL, comm, &own, &win);
    for (int i = 0; i < SLICE; ++i) {
        own[i] = 0;
        ones[i] = 1;
    }
    *(long *)&own[SLICE] = 0;
    MPI_Barrier(comm);
    work(win, rank, size, seconds);
    MPI_Barrier(comm);

    /* all other ranks have added 1 to every element in every round */
    is_correct = own[0] == ROUNDS * (size - 1) && own[SLICE - 1] == own[0] &&
                 (rank < size - 1 || *(long *)&own[SLICE] == ROUNDS * size);
    MPI_Reduce(&is_correct, &all, 1, MPI_INT, MPI_MIN, 0, comm);
    MPI_Reduce(seconds, most, 3, MPI_DOUBLE, MPI_MAX, 0, comm);
    mb = ROUNDS * (size - 1.0) * sizeof(slice[0]) / 1e6;
    if (rank == 0)
        printf("get %4.1f MB/s, add %4.1f MB/s, counter %6.3f ms: %s\n",
               mb / most[0], mb / most[1], 1e3 * most[2],
               all ? "correct" : "WRONG");
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
