/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that short and long contiguous puts and gets complete without the
 * target's help while the target computes for a second. The requests of
 * MPI_Rput and MPI_Rget must complete in the same way. Afterwards, the target's
 * window contains the data of the puts.
 */
#include "check.h"

#include <gmsim.h>
#include <string.h>

enum {
    LENGTH = 300000,
    SIZES = 6
};

static const int size[SIZES] = {1, 8, 16376, 16377, 65536, LENGTH};
static char out[LENGTH], in[LENGTH];

static char pattern(int round, int i)
{
    return (char)(round * 31 + i * 7 + i / 251);
}

static void put_and_get(MPI_Win win, int round, int use_requests)
{
    int n = size[round];
    MPI_Request request;

    for (int i = 0; i < n; ++i) {
        out[i] = pattern(round, i);
    }
    memset(in, 0, sizeof(in));
    if (use_requests) {
        MPI_Rput(out, n, MPI_BYTE, 1, round, n, MPI_BYTE, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_flush(1, win);
        MPI_Rget(in, n, MPI_BYTE, 1, round, n, MPI_BYTE, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Put(out, n, MPI_BYTE, 1, round, n, MPI_BYTE, win);
        MPI_Win_flush(1, win);
        MPI_Get(in, n, MPI_BYTE, 1, round, n, MPI_BYTE, win);
        MPI_Win_flush(1, win);
    }
    CHECK(memcmp(in, out, (size_t)n) == 0,
          "the %d returned bytes differ from the bytes that were put", n);
}

/*
 * Check two windows on the same memory: a get on one window returns the data of
 * a put on the other window. After one of the windows is freed, the memory
 * remains accessible through the other window.
 */
static void share_memory(char *memory)
{
    MPI_Win first, second;
    int value = 0, mine = 4711;

    MPI_Win_create(memory, LENGTH, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    MPI_Win_create(memory, LENGTH, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
    MPI_Win_fence(0, first);
    if (check_rank == 0) {
        MPI_Put(&mine, 1, MPI_INT, 1, 8, 1, MPI_INT, first);
    }
    MPI_Win_fence(0, first);
    MPI_Win_free(&first);
    MPI_Win_fence(0, second);
    if (check_rank == 0) {
        MPI_Get(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, second);
    }
    MPI_Win_fence(0, second);
    CHECK(check_rank != 0 || value == mine, "%d, expected %d", value, mine);
    MPI_Win_free(&second);
}

/* Check that an empty member of a struct type does not affect the basic
 * type. */
static void add_with_empty_member(void)
{
    MPI_Datatype types[2], type;
    const int lengths[2] = {1, 2};
    const MPI_Aint at[2] = {0, 0};
    int sums[2] = {1, 2}, values[2] = {10, 20};
    MPI_Win win;

    MPI_Type_vector(0, 1, 1, MPI_INT, &types[0]);
    types[1] = MPI_INT;
    MPI_Type_create_struct(2, lengths, at, types, &type);
    MPI_Type_commit(&type);
    MPI_Win_create(sums, sizeof(sums), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (check_rank == 0) {
        MPI_Accumulate(values, 1, type, 1, 0, 1, type, MPI_SUM, win);
    }
    MPI_Win_fence(0, win);
    CHECK(check_rank != 1 || (sums[0] == 11 && sums[1] == 22), "%d, %d",
          sums[0], sums[1]);
    MPI_Win_free(&win);
    MPI_Type_free(&type);
    MPI_Type_free(&types[0]);
}

int main(int argc, char **argv)
{
    static char memory[LENGTH + SIZES];
    MPI_Win win;
    double start;

    check_start(&argc, &argv);
    MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    MPI_Win_lock_all(0, win);
    /* the target answers the lock request, and then computes */
    if (check_rank == 0) {
        put_and_get(win, 0, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 1) {
        gmsim_compute(1000000000000);
    } else if (check_rank == 0) {
        start = MPI_Wtime();
        for (int round = 0; round < 2 * SIZES; ++round) {
            put_and_get(win, round % SIZES, round >= SIZES);
        }
        CHECK(MPI_Wtime() - start < 0.9,
              "%f s: the origin waited for the target", MPI_Wtime() - start);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    if (check_rank == 1) {
        for (int i = 0; i < LENGTH; ++i) {
            CHECK(memory[SIZES - 1 + i] == pattern(SIZES - 1, i),
                  "byte %d is wrong", i);
        }
    }
    MPI_Win_free(&win);
    share_memory(memory);
    add_with_empty_member();
    return check_end();
}
