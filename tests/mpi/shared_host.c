/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests MPI_COMM_TYPE_SHARED, which must group the ranks of one simulated host,
 * and no other ranks. In a shared window, each rank reads the values that
 * another rank has stored. Short and long messages between these ranks must
 * arrive.
 */
#include "check.h"

#include <string.h>

enum {
    LENGTH = 100000,
    NAMES = 64
};

static char names[NAMES][MPI_MAX_PROCESSOR_NAME];
static int out[LENGTH], in[LENGTH];

/* Return the number of ranks with the caller's processor name, including the
 * caller. */
static int count_neighbours(void)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length, count = 0;

    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, sizeof(name), MPI_CHAR, names, sizeof(name), MPI_CHAR,
                  MPI_COMM_WORLD);
    for (int i = 0; i < check_size; ++i) {
        count += strcmp(names[i], name) == 0;
    }
    return count;
}

static void check_window(MPI_Comm host, int rank, int size)
{
    int *own, *other;
    int other_rank = (rank + 1) % size;
    int unit;
    MPI_Aint bytes;
    MPI_Win win;

    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, host, &own,
                            &win);
    MPI_Win_shared_query(win, other_rank, &bytes, &unit, &other);
    MPI_Win_fence(0, win);
    *own = check_rank + 1000;
    MPI_Win_fence(0, win);
    CHECK(strcmp(names[*other - 1000], names[check_rank]) == 0,
          "rank %d is not on this host", *other);
    MPI_Win_fence(0, win);
    /* this put can use the network */
    MPI_Put(&check_rank, 1, MPI_INT, other_rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(*own >= 0 && *own < check_size, "the put wrote the invalid value %d",
          *own);
    MPI_Win_free(&win);
}

static void check_messages(MPI_Comm host, int rank, int size)
{
    for (int n = 1; n <= LENGTH; n = n * 40 + 1) {
        for (int i = 0; i < n; ++i) {
            out[i] = rank * LENGTH + i;
        }
        MPI_Sendrecv(out, n, MPI_INT, (rank + 1) % size, 0, in, n, MPI_INT,
                     (rank + size - 1) % size, 0, host, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; ++i) {
            CHECK(in[i] == (rank + size - 1) % size * LENGTH + i,
                  "%d of %d: %d", i, n, in[i]);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Comm host;
    int rank, size, sum;

    check_start(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, check_rank,
                        MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &size);
    CHECK(size == count_neighbours(), "%d ranks on this host, expected %d",
          size, count_neighbours());
    check_window(host, rank, size);
    check_messages(host, rank, size);
    /* in this call, MPICH communicates first within hosts and then between
     * hosts */
    MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == check_size * (check_size - 1) / 2,
          "incorrect sum of all ranks: %d", sum);
    MPI_Comm_free(&host);
    return check_end();
}
