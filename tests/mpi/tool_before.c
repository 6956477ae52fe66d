/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests MPI_T before MPI_Init: a program can read and write parameters. With an
 * argument, each rank writes a different value, which MPI_Init must reject.
 */
#include "tool.h"

static void check_scopes(void)
{
    MPI_T_cvar_handle handle;
    int scope = -1;

    handle = tool_cvar("GM_hosts", &scope);
    CHECK(scope == MPI_T_SCOPE_CONSTANT, "%d", scope);
    MPI_T_cvar_handle_free(&handle);
    handle = tool_cvar("GM_mpi_eager_bytes", &scope);
    CHECK(scope == MPI_T_SCOPE_ALL_EQ, "%d", scope);
    MPI_T_cvar_handle_free(&handle);
}

static void write_all(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle flow;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Datatype type;
    int bind, var_class, count;
    tool_var_t sent;

    CHECK(tool_cvar_value("GM_mpi_eager_bytes") == 5000, "%llu",
          tool_cvar_value("GM_mpi_eager_bytes"));
    CHECK(tool_cvar_write("GM_mpi_eager_bytes", 1000) == MPI_SUCCESS, "write");
    CHECK(tool_cvar_value("GM_mpi_eager_bytes") == 1000, "%llu",
          tool_cvar_value("GM_mpi_eager_bytes"));
    CHECK(tool_cvar_write("GM_nic_mtu_bytes", 1ULL << 40) == MPI_T_ERR_INVALID,
          "a value out of range was accepted");
    CHECK(tool_cvar_value("GM_nic_mtu_bytes") == 4096, "%llu",
          tool_cvar_value("GM_nic_mtu_bytes"));
    CHECK(tool_cvar_write("GM_hosts", 4) == MPI_T_ERR_CVAR_SET_NEVER, "hosts");

    /* The variables exist, but their counts are 0 and there is no
     * communicator. */
    MPI_T_pvar_session_create(&session);
    sent = tool_var(session, "gm_nic_packets_sent", MPI_COMM_NULL);
    MPI_T_pvar_start(session, sent.handle);
    CHECK(tool_count(session, &sent, 0) == 0, "%llu", sent.is.count[0]);
    CHECK(MPI_T_pvar_handle_alloc(
              session,
              tool_find("gm_flow_packets_sent", &bind, &var_class, &type),
              &world, &flow, &count) == MPI_T_ERR_INVALID_HANDLE,
          "MPI_COMM_WORLD");
    MPI_T_pvar_session_free(&session);
}

/* Check that messages of 2000 bytes now use the rendezvous protocol, which
 * sends the packets "ready to send", "data" and "finished". */
static void check_effect(void)
{
    MPI_T_pvar_session session;
    tool_var_t sent;

    CHECK(tool_cvar_value("GM_mpi_eager_bytes") == 1000, "%llu",
          tool_cvar_value("GM_mpi_eager_bytes"));
    CHECK(tool_cvar_write("GM_mpi_eager_bytes", 5000) ==
              MPI_T_ERR_CVAR_SET_NOT_NOW,
          "a write after MPI_Init was accepted");
    MPI_T_pvar_session_create(&session);
    sent = tool_var(session, "gm_flow_packets_sent", MPI_COMM_WORLD);
    MPI_T_pvar_start(session, sent.handle);
    tool_send(MPI_COMM_WORLD, 1, 2000);
    MPI_Barrier(MPI_COMM_SELF);
    if (check_rank == 0) {
        CHECK(tool_count(session, &sent, 1) == 3, "%llu", sent.is.count[1]);
    }
    MPI_T_pvar_session_free(&session);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK");

    tool_init();
    if (argc > 1) {
        tool_cvar_write("GM_seed", rank[0] == '0' ? 100 : 101);
    } else {
        check_scopes();
        write_all();
    }
    check_start(&argc, &argv);
    check_effect();
    MPI_T_finalize();
    return check_end();
}
