/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that hints, and the reservations that they request, belong to one
 * communicator. MPI_Comm_dup() and MPI_Comm_split() do not copy hints to the
 * new communicator, but a program can copy them with the info object from
 * MPI_Comm_get_info().
 */
#include "hints.h"

static void check_nothing(MPI_Comm comm)
{
    CHECK_HINT(comm, "mpiqos_state", "");
    CHECK_HINT(comm, "mpiqos_bandwidth", "");
}

/* Check the hints after a split that reverses the order of the ranks. Hints
 * contain ranks in the new communicator. */
static void check_split(MPI_Comm comm)
{
    MPI_Comm split;
    int rank;

    MPI_Comm_split(comm, 0, -check_rank, &split);
    MPI_Comm_rank(split, &rank);
    check_nothing(split);
    hint(split, "mpiqos_bandwidth", "5 MB/s", "mpiqos_peer",
         (rank == 0) ? "1" : "0", NULL);
    CHECK_HINT(split, "mpiqos_state", "granted");
    CHECK_HINT(split, "mpiqos_peer", (rank == 0) ? "1" : "0");
    MPI_Comm_free(&split);
}

static void check_handed_on(MPI_Comm comm)
{
    MPI_Info info;
    MPI_Comm dup;

    MPI_Comm_get_info(comm, &info);
    MPI_Comm_dup_with_info(comm, info, &dup);
    MPI_Info_free(&info);
    if (check_rank == 0) {
        CHECK_HINT(dup, "mpiqos_state", "granted");
        CHECK_HINT(dup, "mpiqos_bandwidth", "10000000 B/s");
    } else {
        check_nothing(dup);
    }
    MPI_Comm_free(&dup);
}

static void check_change(MPI_Comm comm)
{
    hint(comm, "mpiqos_message_size", "4096", NULL);
    CHECK_HINT(comm, "mpiqos_state", "granted");
    CHECK_HINT(comm, "mpiqos_bandwidth", "10000000 B/s");
    hint(comm, "mpiqos_class", "best-effort", NULL);
    CHECK_HINT(comm, "mpiqos_class", "best-effort");
    CHECK_HINT(comm, "mpiqos_state", "granted");
    hint(comm, "mpiqos_class", "none", NULL);
    CHECK_HINT(comm, "mpiqos_class", "none");
    CHECK_HINT(comm, "mpiqos_state", "released");
    /* all of the released bandwidth must be available again */
    CHECK(fits(comm, 1, 45 * MB), "some bandwidth is still reserved");
    check_nothing(comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Comm dup;
    MPI_Info info;

    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (check_rank == 0) {
        hint(comm, "mpiqos_bandwidth", "10 MB/s", "mpiqos_peer", "1", NULL);
    }
    MPI_Comm_dup(comm, &dup);
    check_nothing(dup);
    MPI_Comm_free(&dup);
    MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &dup);
    check_nothing(dup);
    MPI_Comm_free(&dup);
    check_split(comm);
    check_handed_on(comm);
    if (check_rank == 0) {
        check_change(comm);
    }

    /* each rank requests bandwidth separately, even after a split by type */
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpiqos_bandwidth", "1 MB/s");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &dup);
    CHECK_HINT(dup, "mpiqos_state", "granted");
    MPI_Comm_free(&dup);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
    return check_end();
}
