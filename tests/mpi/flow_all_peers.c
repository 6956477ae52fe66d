/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests MPIQOS_ALL_PEERS, which reserves bandwidth to every other rank. Either
 * all of these reservations are granted, or none of them.
 */
#include "check.h"

#include <string.h>

static void check_all(MPI_Comm comm, MPI_Comm probe)
{
    /* reservations of 15 MB/s to each of 3 ranks use about 51 MB/s of the
     * node's 78 MB/s */
    MPIQOS_Flow *flow = ask(comm, MPIQOS_ALL_PEERS, 15 * MB);

    CHECK(flow->state == MPIQOS_GRANTED, "%s", flow->reason);
    CHECK(flow->granted_bandwidth >= 15 * MB * (1 - 1e-8), "%g",
          flow->granted_bandwidth);
    for (int peer = 1; peer < check_size; ++peer) {
        CHECK(fits(probe, peer, 20 * MB),
              "another 20 MB/s to rank %d should fit", peer);
        CHECK(!fits(probe, peer, 30 * MB),
              "another 30 MB/s to rank %d should not fit", peer);
    }
    /* one of the three peers keeps a reservation */
    flow = ask(comm, 2, 15 * MB);
    CHECK(flow->state == MPIQOS_GRANTED, "%s", flow->reason);
    CHECK(fits(probe, 1, 45 * MB),
          "two of the three reservations were not released");
    MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
}

static void check_none(MPI_Comm comm, MPI_Comm probe)
{
    /* the third reservation of 30 MB/s exceeds the limit */
    MPIQOS_Flow *flow = ask(comm, MPIQOS_ALL_PEERS, 30 * MB);

    CHECK(flow->state == MPIQOS_DENIED, "3 x 30 granted");
    CHECK(flow->granted_bandwidth == 0, "%g", flow->granted_bandwidth);
    CHECK(strstr(flow->reason, "30 MB/s to every other rank, but") != NULL &&
              strstr(flow->reason, " (denied for rank 3)") != NULL,
          "%s", flow->reason);
    CHECK(ask(probe, 1, 45 * MB)->state == MPIQOS_GRANTED,
          "the first two reservations of the denied request were not released");
    MPI_Comm_delete_attr(probe, MPIQOS_FLOW);

    /* after a denied change, the three reservations are unchanged */
    CHECK(ask(comm, MPIQOS_ALL_PEERS, 15 * MB)->state == MPIQOS_GRANTED, "15");
    flow = ask(comm, MPIQOS_ALL_PEERS, 30 * MB);
    CHECK(flow->state == MPIQOS_DENIED, "3 x 30 granted");
    CHECK(flow->granted_bandwidth >= 15 * MB * (1 - 1e-8), "%g",
          flow->granted_bandwidth);
    CHECK(fits(probe, 1, 20 * MB), "more than 45 MB/s are reserved");
    CHECK(!fits(probe, 1, 30 * MB), "less than 45 MB/s are reserved");
}

int main(int argc, char **argv)
{
    MPI_Comm comm, probe;

    check_start_comms(&argc, &argv, &comm, &probe);
    if (check_rank == 0) {
        check_all(comm, probe);
        check_none(comm, probe);
    }
    MPI_Comm_free(&probe);
    MPI_Comm_free(&comm);
    return check_end();
}
