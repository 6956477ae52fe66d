/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the transfer of a column of 1 MB, which is strided at the sender, at
 * the receiver, or at both. The stages of the pipeline overlap. The transfer
 * therefore takes as long as the slowest stage plus the time of one chunk. The
 * size of the intermediate memory does not depend on the length of the message.
 * The test also counts copies: short messages are copied once on each side, and
 * contiguous long messages are never copied.
 */
#include "check.h"

#include <gmsim.h>
#include <mpix_gm.h>
#include <string.h>

enum {
    ROWS = 131072,
    BYTES = ROWS * 8,
    SHORT = 1500
};

static double wide[2 * ROWS];

static double param(const char *name)
{
    uint64_t value = 0;

    CHECK(gmsim_get_param(name, &value) == 0, "no %s", name);
    return (double)value;
}

/*
 * Return the time in seconds from the start to the end of the receive; both
 * ranks return the same value.
 */
static double exchange(int count, MPI_Datatype out, MPI_Datatype in,
                       int is_late, MPIX_GM_Counts *made)
{
    MPIX_GM_Counts before;
    MPI_Request request;
    double start, seconds;

    MPIX_GM_Get_counts(&before);
    if (check_rank == 1 && !is_late) {
        MPI_Irecv(wide, in == MPI_DOUBLE ? count : 1, in, 0, 0, MPI_COMM_WORLD,
                  &request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (check_rank == 0) {
        MPI_Send(wide, out == MPI_DOUBLE ? count : 1, out, 1, 0,
                 MPI_COMM_WORLD);
    }
    if (check_rank == 1 && is_late) {
        gmsim_compute(1000000000); /* by this time, the message has arrived */
        MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(wide, in == MPI_DOUBLE ? count : 1, in, 0, 0, MPI_COMM_WORLD,
                  &request);
    }
    if (check_rank == 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    seconds = MPI_Wtime() - start;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPIX_GM_Get_counts(made);
    /* do not count the 8 bytes of the broadcast, which both ranks copy once */
    made->copied_out_bytes -= before.copied_out_bytes + (check_rank ? 8 : 0);
    made->copied_in_bytes -= before.copied_in_bytes + (check_rank ? 0 : 8);
    return seconds;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static void check_time(const char *what, double seconds, double slowest,
                       double all, double chunks)
{
    /*
     * one chunk passes through all stages; the protocol and the start together
     * take less than 1 ms
     */
    CHECK(seconds < slowest + all / chunks + 1e-3,
          "%s: %f ms; the slowest stage takes %f ms, and all stages take %f ms",
          what, 1e3 * seconds, 1e3 * slowest, 1e3 * all);
    CHECK(seconds >= slowest,
          "%s: %f ms is less than the %f ms of the slowest stage", what,
          1e3 * seconds, 1e3 * slowest);
}

static void check_copies(const char *what, const MPIX_GM_Counts *made,
                         unsigned out, unsigned in)
{
    unsigned long long want_out = check_rank == 0 ? out : 0;
    unsigned long long want_in = check_rank == 1 ? in : 0;

    CHECK(made->copied_out_bytes == want_out &&
              made->copied_in_bytes == want_in,
          "%s: copied %llu bytes out and %llu in, expected %llu and %llu", what,
          made->copied_out_bytes, made->copied_in_bytes, want_out, want_in);
}

static void test_long(MPI_Datatype column)
{
    double pack = 1e-12 * (BYTES * param("mpi_copy_ps_per_byte") +
                           ROWS * param("mpi_pack_block_ps"));
    double work = 1e-12 * BYTES * param("mpi_rndv_recv_ps_per_byte");
    double chunks = BYTES / param("mpi_pipeline_bytes");
    double most_memory =
        (2 * param("mpi_pipeline_depth") + 2) * param("mpi_pipeline_bytes");
    MPIX_GM_Counts made;
    double wire, t;

    /* the first transfer also creates registrations and chunks */
    exchange(ROWS, MPI_DOUBLE, MPI_DOUBLE, 0, &made);
    exchange(ROWS, column, column, 0, &made);

    wire = exchange(ROWS, MPI_DOUBLE, MPI_DOUBLE, 0, &made) - work;
    check_copies("contiguous", &made, 0, 0);
    t = exchange(ROWS, column, MPI_DOUBLE, 0, &made);
    check_copies("packed", &made, BYTES, 0);
    check_time("packed", t, most(most(pack, wire), work), pack + wire + work,
               chunks);
    t = exchange(ROWS, MPI_DOUBLE, column, 0, &made);
    check_copies("unpacked", &made, 0, BYTES);
    check_time("unpacked", t, most(wire, pack + work), pack + wire + work,
               chunks);
    t = exchange(ROWS, column, column, 0, &made);
    check_copies("both", &made, BYTES, BYTES);
    check_time("both", t, most(wire, pack + work), 2 * pack + wire + work,
               chunks);
    CHECK((double)made.chunk_memory_bytes <= most_memory,
          "the chunks use more memory than expected: %llu bytes",
          made.chunk_memory_bytes);
}

static void test_short(MPI_Datatype column)
{
    MPIX_GM_Counts made;

    for (int is_late = 0; is_late < 2; ++is_late) {
        exchange(SHORT, MPI_DOUBLE, MPI_DOUBLE, is_late, &made);
        check_copies("short", &made, SHORT * 8, SHORT * 8);
        exchange(SHORT, column, column, is_late, &made);
        check_copies("short column", &made, SHORT * 8, SHORT * 8);
    }
}

int main(int argc, char **argv)
{
    MPI_Datatype column, few;

    check_start(&argc, &argv);
    MPI_Type_vector(ROWS, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_vector(SHORT, 1, 2, MPI_DOUBLE, &few);
    MPI_Type_commit(&few);
    test_long(column);
    test_short(few);
    MPI_Type_free(&column);
    MPI_Type_free(&few);
    return check_end();
}
