/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the MPI_T variables on a cluster that loses packets. The number of
 * retransmissions must equal the NIC's own count, and every byte must arrive
 * exactly once.
 */
#include <gmsim_counters.h>
#include <gmsim.h>

#include "tool.h"

enum {
    MESSAGES = 20,
    LENGTH = 65536
};

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    tool_var_t resent, nic_resent, sent, arrived;
    gmsim_nic_counters_t before, after;
    gmsim_place_t place;
    tool_count_t again, all;
    MPI_Comm comm;

    check_start(&argc, &argv);
    tool_init();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_T_pvar_session_create(&session);
        resent = tool_var(session, "gm_flow_packets_resent", comm);
        nic_resent = tool_var(session, "gm_nic_packets_resent", comm);
        sent = tool_var(session, "gm_flow_packets_sent", comm);
        arrived = tool_var(session, "gm_flow_packets_arrived", comm);
        gmsim_get_my_place(&place);
        gmsim_get_nic_counters(place.node_id, &before);
        MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES);
    }
    tool_send(comm, MESSAGES, LENGTH);
    if (check_rank == 0) {
        MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES);
        gmsim_get_nic_counters(place.node_id, &after);
        again = tool_count(session, &resent, 1);
        all = after.packets_resent - before.packets_resent;
        CHECK(again > 0, "no packet was sent again");
        CHECK(again == all,
              "%llu packets were sent again, but the NIC counted %llu", again,
              all);
        CHECK(tool_count(session, &nic_resent, 0) == all, "%llu",
              nic_resent.is.count[0]);
        CHECK(tool_count(session, &arrived, 1) <=
                  tool_count(session, &sent, 1) - again,
              "%llu packets arrived; %llu were sent, %llu of them again",
              arrived.is.count[1], sent.is.count[1], again);
        CHECK(arrived.is.count[1] >= MESSAGES * 16, "%llu",
              arrived.is.count[1]);
        MPI_T_pvar_session_free(&session);
    }
    MPI_Comm_free(&comm);
    MPI_T_finalize();
    return check_end();
}
