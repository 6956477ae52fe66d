/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that a request within the limits is granted. The granted bandwidth is
 * at least the requested bandwidth. The difference corresponds to less than one
 * tick.
 */
#include "check.h"

#include <string.h>

static void check_granted(MPI_Comm comm, double asked)
{
    MPIQOS_Flow *flow = ask(comm, 1, asked);
    double tick = 1.0 / flow->idt_ticks;

    CHECK(flow->state == MPIQOS_GRANTED, "%s: %s",
          MPIQOS_State_name(flow->state), flow->reason);
    CHECK(flow->peer == 1, "peer %d", flow->peer);
    CHECK(flow->bandwidth == asked, "%g", flow->bandwidth);
    CHECK(flow->granted_bandwidth >= asked * (1 - 1e-8), "%g of %g",
          flow->granted_bandwidth, asked);
    CHECK(flow->granted_bandwidth < asked * (1 + 1.1 * tick), "%g of %g",
          flow->granted_bandwidth, asked);
    /* this bandwidth is one packet of 4096 bytes per IDT */
    CHECK(flow->gm_bandwidth * flow->idt_ticks > 8191e6 &&
              flow->gm_bandwidth * flow->idt_ticks < 8193e6,
          "GM bandwidth %g bytes/s does not match IDT %u", flow->gm_bandwidth,
          flow->idt_ticks);
    CHECK(flow->gm_bandwidth > flow->granted_bandwidth,
          "GM bandwidth %g includes no protocol packets", flow->gm_bandwidth);
    CHECK(flow->criterion == MPIQOS_CRITERION_NONE, "%s",
          MPIQOS_Criterion_name(flow->criterion));
    CHECK(flow->place[0] == '\0', "%s", flow->place);
    CHECK(strlen(flow->reason) > 0, "the answer contains no reason");
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (check_rank == 0) {
        for (double asked = 1e5; asked < 50e6; asked *= 1.7) {
            check_granted(comm, asked);
        }
    }
    MPI_Comm_free(&comm);
    return check_end();
}
