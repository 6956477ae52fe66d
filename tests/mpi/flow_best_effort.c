/* SPDX-License-Identifier: BSD-3-Clause */
/* Best effort gets what premium flows leave, and its share follows them. */
#include "check.h"

static double share(MPI_Comm comm)
{
    MPIQOS_Flow now = MPIQOS_FLOW_INIT;

    CHECK(MPIQOS_Flow_state(comm, &now) == MPI_SUCCESS, "no state");
    CHECK(now.state == MPIQOS_GRANTED, "%s: %s", MPIQOS_State_name(now.state),
          now.reason);
    CHECK(now.qos_class == MPIQOS_BEST_EFFORT, "class %d", now.qos_class);
    CHECK((now.idt_ticks == 0) == (now.granted_bandwidth == 0), "IDT %u, %g",
          now.idt_ticks, now.granted_bandwidth);
    return now.granted_bandwidth;
}

static void check_shares(MPI_Comm one, MPI_Comm two, MPI_Comm premium)
{
    double alone;
    double half;

    ask_for(one, 1, MPIQOS_BEST_EFFORT, 0);
    CHECK(share(one) == 0, "alone, it is unregulated: %g", share(one));
    CHECK(ask(premium, 3, 40 * MB)->state == MPIQOS_GRANTED, "40");
    alone = share(one);
    CHECK((alone > 25 * MB) && (alone < 34 * MB),
          "78 - 45 of GM are 29 MB/s of MPI, not %g", alone);
    ask_for(two, 2, MPIQOS_BEST_EFFORT, 0);
    half = share(one);
    CHECK((half > 0.48 * alone) && (half < 0.52 * alone), "%g of %g", half,
          alone);
    CHECK(share(two) == half, "%g and %g", share(two), half);
    MPI_Comm_delete_attr(two, MPIQOS_FLOW);
    CHECK(share(one) == alone, "%g, before %g", share(one), alone);
    MPI_Comm_delete_attr(premium, MPIQOS_FLOW);
    CHECK(share(one) == 0, "alone again: %g", share(one));
}

int main(int argc, char **argv)
{
    MPI_Comm comm[3];

    check_start(&argc, &argv);
    for (int i = 0; i < 3; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    }
    if (check_rank == 0) {
        check_shares(comm[0], comm[1], comm[2]);
    }
    for (int i = 0; i < 3; ++i) {
        MPI_Comm_free(&comm[i]);
    }
    return check_end();
}
