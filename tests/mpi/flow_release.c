/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that bandwidth 0, MPI_Comm_delete_attr() and MPI_Comm_free() release
 * the reservation. Afterwards, a request that was denied while this reservation
 * existed is granted.
 */
#include "check.h"

/* Reserve 40 MB/s to rank 1, after which less than 40 MB/s remain. */
static void hold(MPI_Comm comm, MPI_Comm probe, const char *what)
{
    MPIQOS_Flow *flow = ask(comm, 1, 40 * MB);

    CHECK(flow->state == MPIQOS_GRANTED, "before releasing by %s: %s", what,
          flow->reason);
    CHECK(!fits(probe, 2, 40 * MB),
          "before releasing by %s: another 40 MB/s fit, although 40 MB/s are "
          "reserved",
          what);
}

static void check_zero(MPI_Comm comm, MPI_Comm probe)
{
    MPIQOS_Flow *flow;

    hold(comm, probe, "bandwidth 0");
    flow = ask(comm, 1, 0);
    CHECK(flow->state == MPIQOS_RELEASED, "%s", MPIQOS_State_name(flow->state));
    CHECK(flow->granted_bandwidth == 0, "%g", flow->granted_bandwidth);
    CHECK(fits(probe, 2, 40 * MB),
          "bandwidth 0 did not release the reservation");
}

static void check_delete(MPI_Comm comm, MPI_Comm probe)
{
    MPIQOS_Flow *flow;
    int found;

    hold(comm, probe, "MPI_Comm_delete_attr");
    MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
    CHECK(fits(probe, 2, 40 * MB),
          "MPI_Comm_delete_attr did not release the reservation");
    MPI_Comm_get_attr(comm, MPIQOS_FLOW, &flow, &found);
    CHECK(!found, "the attribute still exists");
}

int main(int argc, char **argv)
{
    MPI_Comm comm, probe;

    check_start_comms(&argc, &argv, &comm, &probe);
    if (check_rank == 0) {
        check_zero(comm, probe);
        check_delete(comm, probe);
        hold(comm, probe, "MPI_Comm_free");
    }
    MPI_Comm_free(&comm);
    if (check_rank == 0) {
        CHECK(fits(probe, 2, 40 * MB),
              "MPI_Comm_free did not release the reservation");
    }
    MPI_Comm_free(&probe);
    return check_end();
}
