/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the rendezvous of long messages between two hosts, for both values of
 * mpi_rndv_protocol. Messages must arrive with the correct data for all
 * layouts, even if they are truncated, probed, synchronous, or sent on an
 * inter-communicator. The last test determines which NIC transfers the data:
 * the sender computes for 40 ms after its ready-to-send message. If the
 * receiver reads the data, it does not wait for the sender.
 *
 * usage: rendezvous read|write [reserved|reserved-back]
 *
 * reserved: the sender of the last test has a reservation to the receiver.
 * reserved-back: the receiver has a reservation to the sender.
 */
#include "check.h"

#include <gmsim.h>
#include <mpix_gm.h>
#include <string.h>

enum {
    COUNT = 75000, /* 300,000 bytes: longer than any eager message */
    WINDOW = 8
};

static int out[WINDOW][2 * COUNT], in[WINDOW][2 * COUNT];

static void fill(int seed)
{
    for (int i = 0; i < 2 * COUNT; ++i) {
        out[0][i] = seed * 1000003 + i;
        in[0][i] = -1;
    }
}

/* Check that every stride-th element has arrived, up to count elements, and
 * that no other element has changed. */
static void check_data(int seed, int out_stride, int in_stride, int count)
{
    int wrong = 0;

    for (int i = 0; i < 2 * COUNT; ++i) {
        int at = i / in_stride;
        int is_hit = i % in_stride == 0 && at < count;

        wrong += in[0][i] != (is_hit ? seed * 1000003 + at * out_stride : -1);
    }
    CHECK(wrong == 0, "seed %d: %d incorrect elements", seed, wrong);
}

/* All four combinations of contiguous and strided data. */
static void test_layouts(MPI_Datatype strided)
{
    for (int kind = 0; kind < 4; ++kind) {
        int out_stride = 1 + (kind & 1), in_stride = 1 + (kind >> 1);

        fill(kind);
        if (check_rank == 0) {
            MPI_Send(out[0], out_stride == 1 ? COUNT : 1,
                     out_stride == 1 ? MPI_INT : strided, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(in[0], in_stride == 1 ? COUNT : 1,
                     in_stride == 1 ? MPI_INT : strided, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            check_data(kind, out_stride, in_stride, COUNT);
        }
    }
}

/* The receive buffer is too short. The sender completes, and the next message
 * is not affected. */
static void test_truncated(int room)
{
    int error_class = MPI_SUCCESS, error;

    fill(room);
    if (check_rank == 0) {
        MPI_Send(out[0], COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(out[0], COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error =
        MPI_Recv(in[0], room, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &error_class);
    CHECK(error_class == MPI_ERR_TRUNCATE, "%d", error_class);
    for (int i = room; i < COUNT; ++i) {
        CHECK(in[0][i] == -1,
              "element %d after a buffer of %d elements was changed", i, room);
    }
    memset(in[0], -1, sizeof(in[0]));
    MPI_Recv(in[0], COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_data(room, 1, 1, COUNT);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* A synchronous send is complete only after its receive has started. */
static void test_synchronous(void)
{
    MPI_Message message;
    MPI_Status status;
    int count;

    fill(31);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        double start = MPI_Wtime();

        MPI_Ssend(out[0], COUNT, MPI_INT, 1, 3, MPI_COMM_WORLD);
        CHECK(MPI_Wtime() - start > 2e-3, "%g s", MPI_Wtime() - start);
        return;
    }
    gmsim_compute(UINT64_C(2000000000));
    MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == COUNT, "%d", count);
    MPI_Mrecv(in[0], count, MPI_INT, &message, MPI_STATUS_IGNORE);
    check_data(31, 1, 1, COUNT);
}

static void test_intercomm(void)
{
    MPI_Comm inter;

    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - check_rank, 9,
                         &inter);
    fill(47);
    MPI_Sendrecv(out[0], COUNT, MPI_INT, 0, 0, in[0], COUNT, MPI_INT, 0, 0,
                 inter, MPI_STATUS_IGNORE);
    check_data(47, 1, 1, COUNT);
    MPI_Comm_free(&inter);
}

/* Many messages in both directions. Contiguous data are never copied. */
static void test_window(void)
{
    MPI_Request requests[2 * WINDOW];
    MPIX_GM_Counts before, after;
    int wrong = 0;

    MPIX_GM_Get_counts(&before);
    for (int i = 0; i < WINDOW; ++i) {
        memset(out[i], 16 * check_rank + i + 1, sizeof(out[i]));
        memset(in[i], 0, sizeof(in[i]));
        MPI_Irecv(in[i], 2 * COUNT, MPI_INT, 1 - check_rank, i, MPI_COMM_WORLD,
                  &requests[i]);
        MPI_Isend(out[i], 2 * COUNT, MPI_INT, 1 - check_rank, i, MPI_COMM_WORLD,
                  &requests[WINDOW + i]);
    }
    MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW; ++i) {
        memset(out[i], 16 * (1 - check_rank) + i + 1, sizeof(out[i]));
        wrong += memcmp(out[i], in[i], sizeof(in[i])) != 0;
    }
    MPIX_GM_Get_counts(&after);
    CHECK(wrong == 0, "%d messages", wrong);
    CHECK(after.copied_out_bytes + after.copied_in_bytes -
                  before.copied_out_bytes - before.copied_in_bytes <
              1000,
          "the data were copied");
}

static void test_who_transfers(int is_read, int reserving)
{
    MPI_Request request;
    double start, late;

    if (check_rank == reserving) {
        CHECK(ask_sized(MPI_COMM_WORLD, 1 - check_rank, MPIQOS_PREMIUM, 30 * MB,
                        300000)
                      ->state == MPIQOS_GRANTED,
              "denied");
    }
    fill(5);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_Isend(out[0], COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        gmsim_compute(UINT64_C(40000000000));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    start = MPI_Wtime();
    MPI_Recv(in[0], COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    late = MPI_Wtime() - start;
    check_data(5, 1, 1, COUNT);
    CHECK((late < 40e-3) == is_read, "%g s", late);
}

int main(int argc, char **argv)
{
    MPI_Datatype strided;
    int is_read, reserving = -1; /* rank with a reservation; -1: none */

    check_start(&argc, &argv);
    is_read = argc > 1 && strcmp(argv[1], "read") == 0;
    if (argc > 2) {
        reserving = strcmp(argv[2], "reserved-back") == 0;
    }
    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    test_layouts(strided);
    test_truncated(COUNT - 70000);
    test_truncated(1);
    test_truncated(0);
    test_synchronous();
    test_intercomm();
    test_window();
    test_who_transfers(is_read, reserving);
    MPI_Type_free(&strided);
    return check_end();
}
