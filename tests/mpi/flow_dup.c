/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that a duplicated communicator inherits neither the attribute nor the
 * reservation. */
#include "check.h"

static void check_nothing(MPI_Comm dup)
{
    MPIQOS_Flow now = MPIQOS_FLOW_INIT;
    MPIQOS_Flow *flow;
    int found;

    MPI_Comm_get_attr(dup, MPIQOS_FLOW, &flow, &found);
    CHECK(!found, "inherited: %s", flow->reason);
    MPIQOS_Flow_state(dup, &now);
    CHECK(now.state == MPIQOS_RELEASED, "%s", MPIQOS_State_name(now.state));
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Comm dup;

    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (check_rank == 0) {
        CHECK(ask(comm, 1, 40 * MB)->state == MPIQOS_GRANTED, "40");
    }
    MPI_Comm_dup(comm, &dup);
    check_nothing(dup);
    MPI_Comm_free(&dup);

    /* freeing the duplicate must not change the original */
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    if (check_rank == 0) {
        CHECK(!fits(dup, 2, 40 * MB), "the original has lost its 40 MB/s");
    }
    MPI_Comm_free(&dup);
    MPI_Comm_free(&comm);
    return check_end();
}
