/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests best-effort flows, which share the bandwidth that premium flows leave.
 * The share of a best-effort flow changes when a premium flow changes.
 */
#include "check.h"

#include <string.h>

enum {
    FLOWS = 12
};

static double share(MPI_Comm comm)
{
    MPIQOS_Flow now = MPIQOS_FLOW_INIT;

    CHECK(MPIQOS_Flow_state(comm, &now) == MPI_SUCCESS,
          "the flow's state is not available");
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
    CHECK(share(one) == 0,
          "a single flow must be unregulated, not limited to %g", share(one));
    CHECK(ask(premium, 3, 40 * MB)->state == MPIQOS_GRANTED, "40");
    alone = share(one);
    CHECK(alone > 25 * MB && alone < 34 * MB,
          "expected about 29 MB/s, not %g bytes/s", alone);
    ask_for(two, 2, MPIQOS_BEST_EFFORT, 0);
    half = share(one);
    CHECK(half > 0.48 * alone && half < 0.52 * alone, "%g of %g", half, alone);
    CHECK(share(two) == half, "%g and %g", share(two), half);
    MPI_Comm_delete_attr(two, MPIQOS_FLOW);
    CHECK(share(one) == alone, "%g, before %g", share(one), alone);
    MPI_Comm_delete_attr(premium, MPIQOS_FLOW);
    CHECK(share(one) == 0,
          "a flow that is alone again must be unregulated, not limited to %g",
          share(one));
}

/*
 * Check that best-effort flows can be denied. Every additional flow slows down
 * the host's NIC, until the NIC would be too slow for the reservations. From
 * then on, best-effort flows are denied until a flow is released.
 */
static void check_denied(MPI_Comm comm[FLOWS])
{
    MPIQOS_Flow *flow;
    int i;

    CHECK(ask(comm[0], 1, 40 * MB)->state == MPIQOS_GRANTED, "40");
    flow = ask(comm[1], 2, 40 * MB);
    CHECK(flow->state == MPIQOS_DENIED, "40 and 40: %s", flow->reason);
    flow = ask(comm[1], 2, flow->left);
    CHECK(flow->state == MPIQOS_GRANTED,
          "a request for the remaining bandwidth was not granted: %s",
          flow->reason);
    for (i = 2; i < FLOWS; ++i) {
        flow = ask_for(comm[i], 3, MPIQOS_BEST_EFFORT, 0);
        if (flow->state != MPIQOS_GRANTED) {
            break;
        }
    }
    CHECK(i > 2 && i < FLOWS, "the manager granted %d shares", i - 2);
    CHECK(flow->state == MPIQOS_DENIED, "%s", MPIQOS_State_name(flow->state));
    CHECK(flow->criterion == MPIQOS_CRITERION_SOURCE_NODE, "%s",
          MPIQOS_Criterion_name(flow->criterion));
    CHECK(strlen(flow->place) > 0 &&
              strstr(flow->reason, flow->place) != NULL &&
              strstr(flow->reason, "best-effort flow, to rank 3") != NULL,
          "'%s' of '%s'", flow->reason, flow->place);
    CHECK(flow->left == 0 && flow->granted_bandwidth == 0 &&
              flow->idt_ticks == 0,
          "%g bytes/s remain, %g bytes/s granted, IDT %u", flow->left,
          flow->granted_bandwidth, flow->idt_ticks);
    MPI_Comm_delete_attr(comm[1], MPIQOS_FLOW);
    flow = ask_for(comm[i], 3, MPIQOS_BEST_EFFORT, 0);
    CHECK(flow->state == MPIQOS_GRANTED,
          "the request was not granted after a release: %s", flow->reason);
    for (i = 0; i < FLOWS; ++i) {
        MPI_Comm_delete_attr(comm[i], MPIQOS_FLOW);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm[FLOWS];

    check_start(&argc, &argv);
    for (int i = 0; i < FLOWS; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    }
    if (check_rank == 0) {
        check_shares(comm[0], comm[1], comm[2]);
        check_denied(comm);
    }
    for (int i = 0; i < FLOWS; ++i) {
        MPI_Comm_free(&comm[i]);
    }
    return check_end();
}
