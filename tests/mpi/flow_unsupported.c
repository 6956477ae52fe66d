/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the library with an MPI that lacks the hook: all calls work, and the
 * state is "unsupported". This program is linked with an MPI library without
 * the hook.
 */
#include "check.h"

int main(int argc, char **argv)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;
    MPIQOS_Flow now = MPIQOS_FLOW_INIT;
    MPIQOS_Flow *answer = NULL;
    MPI_Comm comm;
    int found = 0;

    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    flow.peer = 1;
    flow.bandwidth = 40 * MB;
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
    MPI_Comm_get_attr(comm, MPIQOS_FLOW, &answer, &found);
    CHECK(found && answer == &flow,
          "the attribute is not the caller's pointer");
    CHECK(flow.state == MPIQOS_UNSUPPORTED, "%s",
          MPIQOS_State_name(flow.state));
    now.state = MPIQOS_GRANTED;
    CHECK(MPIQOS_Flow_state(comm, &now) == MPI_SUCCESS,
          "the flow's state is not available");
    CHECK(now.state == MPIQOS_UNSUPPORTED, "%s", MPIQOS_State_name(now.state));
    /* the library must not store a pointer to the caller's struct */
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &now);
    MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
    MPI_Comm_free(&comm);
    return check_end();
}
