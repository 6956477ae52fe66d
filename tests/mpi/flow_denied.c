/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that a denial reports the criterion, the resource and the remaining
 * bandwidth, and that a request for the remaining bandwidth succeeds.
 */
#include "check.h"

#include <string.h>

static void check_denied(const MPIQOS_Flow *flow, int criterion)
{
    CHECK(flow->state == MPIQOS_DENIED, "%s: %s",
          MPIQOS_State_name(flow->state), flow->reason);
    CHECK(flow->criterion == criterion, "%s, expected %s",
          MPIQOS_Criterion_name(flow->criterion),
          MPIQOS_Criterion_name(criterion));
    CHECK(strlen(flow->place) > 0, "the answer names no resource");
    CHECK(strstr(flow->reason, flow->place) != NULL, "'%s' without '%s'",
          flow->reason, flow->place);
    CHECK(strstr(flow->reason, MPIQOS_Criterion_name(criterion)) != NULL,
          "'%s'", flow->reason);
    CHECK(flow->granted_bandwidth == 0, "%g", flow->granted_bandwidth);
    CHECK(flow->left > 0 && flow->left < flow->bandwidth,
          "%g bytes/s remain, %g bytes/s requested", flow->left,
          flow->bandwidth);
}

/*
 * Rank 0 reserves 40 MB/s to rank 1. A second reservation of 40 MB/s exceeds
 * the limit of rank 0's node.
 */
static void check_source(MPI_Comm comm, MPI_Comm other)
{
    MPIQOS_Flow *flow;
    double left;

    CHECK(ask(comm, 1, 40 * MB)->state == MPIQOS_GRANTED, "40");
    flow = ask(other, 2, 40 * MB);
    check_denied(flow, MPIQOS_CRITERION_SOURCE_NODE);
    left = flow->left;
    CHECK(ask(other, 2, left * 1.02)->state == MPIQOS_DENIED,
          "more than the remaining bandwidth was granted");
    flow = ask(other, 2, left);
    CHECK(flow->state == MPIQOS_GRANTED,
          "a request for the remaining bandwidth was not granted: %s",
          flow->reason);
}

/* Check that a faster network does not increase the limit of the receiving
 * process. */
static void check_process(MPI_Comm comm)
{
    MPIQOS_Flow *flow = ask(comm, 1, 70 * MB);
    double left = flow->left;

    check_denied(flow, MPIQOS_CRITERION_DESTINATION_PROCESS);
    CHECK(strcmp(flow->place, "rank 1") == 0, "%s", flow->place);
    flow = ask(comm, 1, left * 0.999);
    CHECK(flow->state == MPIQOS_GRANTED,
          "a request for the remaining bandwidth was not granted: %s",
          flow->reason);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, other;

    check_start_comms(&argc, &argv, &comm, &other);
    if (check_rank == 0) {
        check_process(comm);
        check_source(comm, other);
        MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
        MPI_Comm_delete_attr(other, MPIQOS_FLOW);
    }
    /*
     * Ranks 1 and 2 both request bandwidth to rank 0. A short message consists
     * of two packets and needs little processor time.
     */
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 1) {
        CHECK(ask_sized(comm, 0, MPIQOS_PREMIUM, 25 * MB, 4096)->state ==
                  MPIQOS_GRANTED,
              "25");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 2) {
        MPIQOS_Flow *flow = ask_sized(comm, 0, MPIQOS_PREMIUM, 25 * MB, 4096);

        /*
         * the link to that host has the same limit as the node, so the answer
         * may name either of them
         */
        check_denied(flow, (flow->criterion == MPIQOS_CRITERION_LINK)
                               ? MPIQOS_CRITERION_LINK
                               : MPIQOS_CRITERION_DESTINATION_NODE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
    return check_end();
}
