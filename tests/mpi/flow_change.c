/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests changes of a request: a new request changes the reservation, and after
 * a denied change the old reservation remains in force.
 */
#include "check.h"

static void check_change(MPI_Comm comm, MPI_Comm probe)
{
    MPIQOS_Flow *flow = ask(comm, 1, 20 * MB);
    MPIQOS_Flow now = MPIQOS_FLOW_INIT;
    double before;

    CHECK(flow->state == MPIQOS_GRANTED, "%s", flow->reason);
    CHECK(fits(probe, 2, 40 * MB),
          "40 MB/s do not fit while 20 MB/s are reserved");

    flow = ask(comm, 1, 40 * MB);
    CHECK(flow->state == MPIQOS_GRANTED, "%s", flow->reason);
    CHECK(!fits(probe, 2, 40 * MB),
          "another 40 MB/s fit, although 40 MB/s are reserved");
    CHECK(fits(probe, 2, 20 * MB),
          "the earlier reservation of 20 MB/s is still counted");

    /*
     * because 25 MB/s are reserved to another rank, the increase to 49 MB/s
     * exceeds the limit
     */
    CHECK(ask(probe, 2, 25 * MB)->state == MPIQOS_GRANTED, "40 + 25");
    before = flow->granted_bandwidth;
    flow = ask(comm, 1, 49 * MB);
    CHECK(flow->state == MPIQOS_DENIED, "49 + 25 granted");
    CHECK(flow->granted_bandwidth == before, "%g, before %g",
          flow->granted_bandwidth, before);
    MPIQOS_Flow_state(comm, &now);
    CHECK(now.state == MPIQOS_DENIED, "%s", MPIQOS_State_name(now.state));
    CHECK(now.granted_bandwidth == before, "%g, before %g",
          now.granted_bandwidth, before);
    MPI_Comm_delete_attr(probe, MPIQOS_FLOW);
    CHECK(!fits(probe, 2, 40 * MB), "the reservation of 40 MB/s was lost");

    /* request less bandwidth, and then bandwidth to another peer */
    CHECK(ask(comm, 1, 5 * MB)->state == MPIQOS_GRANTED, "5 after 40");
    CHECK(fits(probe, 2, 45 * MB),
          "the reservation of 40 MB/s was not reduced");
    CHECK(ask(comm, 2, 40 * MB)->state == MPIQOS_GRANTED,
          "the request for another peer was denied");
    CHECK(fits(probe, 1, 25 * MB),
          "the reservation of 5 MB/s to the first peer was not released");
}

int main(int argc, char **argv)
{
    MPI_Comm comm, probe;

    check_start_comms(&argc, &argv, &comm, &probe);
    if (check_rank == 0) {
        check_change(comm, probe);
    }
    MPI_Comm_free(&probe);
    MPI_Comm_free(&comm);
    return check_end();
}
