/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs rounds with persistent requests that are started several times,
 * partitioned requests, and collective operations.
 */
#include "fuzz_mpi.h"

#include <string.h>

/* Arrange the ranks of a communicator in a ring, in a random order from the
 * shared stream. The caller sends to *right_p and receives from *left_p. */
static void draw_ring(MPI_Comm comm, int *left_p, int *right_p)
{
    int rank, shift = (int)fuzz_draw((unsigned)check_size);

    MPI_Comm_rank(comm, &rank);
    *right_p = (rank + shift) % check_size;
    *left_p = (rank + check_size - shift) % check_size;
}

/* ---- persistent ---- */

enum {
    PAIRS = 3
};

void fuzz_play_persistent(void)
{
    MPI_Comm comm = fuzz_any_comm();
    fuzz_layout_t out[PAIRS], in[PAIRS];
    fuzz_memory_t sent[PAIRS], received[PAIRS];
    MPI_Request requests[2 * PAIRS];
    MPI_Status statuses[2 * PAIRS];
    int left, right, rank, times = 1 + (int)fuzz_draw(4);

    MPI_Comm_rank(comm, &rank);
    draw_ring(comm, &left, &right);
    for (int i = 0; i < PAIRS; ++i) {
        unsigned base = fuzz_draw(FUZZ_BASES);
        long bytes = fuzz_length(base, fuzz_most_bytes);
        int is_synchronous = (int)fuzz_draw(2);

        fuzz_layout_make(&out[i], &fuzz_own, base, bytes);
        fuzz_layout_make(&in[i], &fuzz_own, base, bytes);
        fuzz_memory_make(&sent[i], &out[i]);
        fuzz_memory_make(&received[i], &in[i]);
        MPI_Recv_init(received[i].buffer, in[i].count, in[i].type, left, i,
                      comm, &requests[i]);
        (is_synchronous ? MPI_Ssend_init : MPI_Send_init)(
            sent[i].buffer, out[i].count, out[i].type, right, i, comm,
            &requests[PAIRS + i]);
    }
    for (int time = 0; time < times; ++time) {
        for (int i = 0; i < PAIRS; ++i) {
            fuzz_memory_fill(&sent[i], &out[i],
                             (unsigned)(rank * 100 + time * 10 + i),
                             out[i].bytes);
        }
        MPI_Startall(2 * PAIRS, requests);
        MPI_Waitall(2 * PAIRS, requests, statuses);
        for (int i = 0; i < PAIRS; ++i) {
            fuzz_memory_check(&received[i], &in[i],
                              (unsigned)(left * 100 + time * 10 + i),
                              in[i].bytes, "persistent");
        }
    }
    for (int i = 0; i < PAIRS; ++i) {
        MPI_Request_free(&requests[i]);
        MPI_Request_free(&requests[PAIRS + i]);
        fuzz_memory_free(&sent[i]);
        fuzz_memory_free(&received[i]);
        fuzz_layout_free(&out[i]);
        fuzz_layout_free(&in[i]);
    }
}

/* ---- partitioned ---- */

enum {
    MOST_PARTS = 16
};

void fuzz_play_partitioned(void)
{
    MPI_Comm comm = fuzz_any_comm();
    int left, right, rank, times = 1 + (int)fuzz_draw(3);
    int out_parts = 1 << fuzz_draw(5), in_parts = 1 << fuzz_draw(5);
    int elements = MOST_PARTS * (int)fuzz_draw(4000), wrong;
    int *out = malloc((size_t)elements * sizeof(*out) + 1);
    int *in = malloc((size_t)elements * sizeof(*in) + 1);
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Comm_rank(comm, &rank);
    draw_ring(comm, &left, &right);
    MPI_Psend_init(out, out_parts, elements / out_parts, MPI_INT, right, 5,
                   comm, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, in_parts, elements / in_parts, MPI_INT, left, 5, comm,
                   MPI_INFO_NULL, &requests[1]);
    for (int time = 0; time < times; ++time) {
        int first = (int)fuzz_below(&fuzz_own, (unsigned)out_parts), flag;

        memset(in, 0, (size_t)elements * sizeof(*in));
        MPI_Startall(2, requests);
        for (int i = 0; i < elements; ++i) {
            out[i] = rank * 1000003 + time * 100 + i;
        }
        for (int i = 0; i < out_parts; ++i) {
            MPI_Pready((first + i) % out_parts, requests[0]);
        }
        for (int part = 0; fuzz_below(&fuzz_own, 2) && part < in_parts;
             ++part) {
            MPI_Parrived(requests[1], part, &flag);
            for (int i = 0; flag && i < elements / in_parts; ++i) {
                int k = part * (elements / in_parts) + i;

                flag = in[k] == left * 1000003 + time * 100 + k;
                CHECK(flag, "round %d: part %d has not arrived", fuzz_round,
                      part);
            }
        }
        MPI_Waitall(2, requests, statuses);
        wrong = 0;
        for (int i = 0; i < elements; ++i) {
            wrong += in[i] != left * 1000003 + time * 100 + i;
        }
        CHECK(wrong == 0, "round %d: %d of %d values are incorrect", fuzz_round,
              wrong, elements);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    free(out);
    free(in);
}

/* ---- collectives ---- */

static void play_bcast(MPI_Comm comm, int rank)
{
    unsigned base = fuzz_draw(FUZZ_BASES);
    long bytes = fuzz_length(base, fuzz_most_bytes);
    int root = (int)fuzz_draw((unsigned)check_size);
    fuzz_layout_t layout;
    fuzz_memory_t memory;

    fuzz_layout_make(&layout, &fuzz_own, base, bytes);
    fuzz_memory_make(&memory, &layout);
    if (rank == root) {
        fuzz_memory_fill(&memory, &layout, 7, bytes);
    }
    MPI_Bcast(memory.buffer, layout.count, layout.type, root, comm);
    fuzz_memory_check(&memory, &layout, 7, bytes, "bcast");
    fuzz_memory_free(&memory);
    fuzz_layout_free(&layout);
}

/* Rank a sends (a * b % 7) * unit integers to rank b. */
static void play_alltoallv(MPI_Comm comm, int rank, int unit)
{
    int counts[2][16] = {{0}}, at[2][16] = {{0}}, total[2] = {0, 0}, wrong = 0;
    int *data[2];

    for (int i = 0; i < check_size; ++i) {
        for (int k = 0; k < 2; ++k) {
            counts[k][i] = (rank * i % 7) * unit;
            at[k][i] = total[k];
            total[k] += counts[k][i] + k;
        }
    }
    for (int k = 0; k < 2; ++k) {
        data[k] = calloc((size_t)total[k] + 1, sizeof(int));
    }
    for (int i = 0; i < check_size; ++i) {
        for (int k = 0; k < counts[0][i]; ++k) {
            data[0][at[0][i] + k] = rank * 1000 + i + k;
        }
        data[1][at[1][i] + counts[1][i]] = -1;
    }
    MPI_Alltoallv(data[0], counts[0], at[0], MPI_INT, data[1], counts[1], at[1],
                  MPI_INT, comm);
    for (int i = 0; i < check_size; ++i) {
        for (int k = 0; k < counts[1][i]; ++k) {
            wrong += data[1][at[1][i] + k] != i * 1000 + rank + k;
        }
        wrong += data[1][at[1][i] + counts[1][i]] != -1;
    }
    CHECK(wrong == 0, "round %d: %d values are incorrect", fuzz_round, wrong);
    free(data[0]);
    free(data[1]);
}

static void play_reduce(MPI_Comm comm, int rank)
{
    int n = (int)fuzz_draw(30000), wrong = 0;
    MPI_Request request;
    double *in = malloc((size_t)n * sizeof(*in) + 1);
    double *out = malloc((size_t)n * sizeof(*out) + 1);

    for (int i = 0; i < n; ++i) {
        in[i] = rank + i;
    }
    if (fuzz_draw(2)) {
        MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
    } else {
        MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm, &request);
        play_alltoallv(comm, rank, (int)fuzz_draw(1000));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < n; ++i) {
        wrong += out[i] !=
                 (double)check_size * i + check_size * (check_size - 1) / 2;
    }
    CHECK(wrong == 0, "round %d: %d of %d values are incorrect", fuzz_round,
          wrong, n);
    free(in);
    free(out);
}

void fuzz_play_collectives(void)
{
    int n = 1 + (int)fuzz_draw(4), rank;

    while (n-- > 0) {
        MPI_Comm comm = fuzz_any_comm();

        MPI_Comm_rank(comm, &rank);
        switch (fuzz_draw(3)) {
        case 0:
            play_bcast(comm, rank);
            break;
        case 1:
            play_alltoallv(comm, rank, (int)fuzz_draw(3000));
            break;
        default:
            play_reduce(comm, rank);
            break;
        }
    }
}
