/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests handles of performance variables: bindings, sessions, starting,
 * stopping, resetting, and calls after MPI_Finalize.
 */
#include "tool.h"

enum {
    LENGTH = 1000
}; /* length of one packet */

static MPI_T_pvar_session session, other;

static int alloc(const char *name, void *object)
{
    MPI_T_pvar_handle handle;
    MPI_Datatype type;
    int bind, var_class, count, result;

    result = MPI_T_pvar_handle_alloc(session,
                                     tool_find(name, &bind, &var_class, &type),
                                     object, &handle, &count);
    if (result == MPI_SUCCESS) {
        MPI_T_pvar_handle_free(session, &handle);
    }
    return result;
}

static void check_bindings(void)
{
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    tool_var_t var;

    CHECK(alloc("gm_flow_packets_sent", &none) == MPI_T_ERR_INVALID_HANDLE,
          "MPI_COMM_NULL");
    CHECK(alloc("gm_flow_packets_sent", NULL) == MPI_T_ERR_INVALID_HANDLE,
          "NULL");
    CHECK(alloc("gm_flow_packets_sent", &world) == MPI_SUCCESS, "world");
    CHECK(alloc("gm_flow_packets_sent", &self) == MPI_SUCCESS, "self");
    CHECK(alloc("gm_nic_packets_sent", NULL) == MPI_SUCCESS, "NIC");
    var = tool_var(session, "gm_flow_bytes_sent", MPI_COMM_SELF);
    CHECK(var.elements == 1, "%d", var.elements);
    var = tool_var(session, "gm_nic_bytes_sent", MPI_COMM_SELF);
    CHECK(var.elements == 1, "%d", var.elements);
}

static void check_errors_of(MPI_Comm comm)
{
    tool_count_t value = 0;
    tool_var_t sent = tool_var(session, "gm_flow_packets_sent", comm);
    tool_var_t idt = tool_var(session, "gm_flow_idt", comm);
    tool_var_t share = tool_var(session, "gm_nic_lanai_utilization", comm);

    CHECK(MPI_T_pvar_write(session, sent.handle, &value) ==
              MPI_T_ERR_PVAR_NO_WRITE,
          "write");
    CHECK(MPI_T_pvar_start(session, idt.handle) == MPI_T_ERR_PVAR_NO_STARTSTOP,
          "a level was started");
    CHECK(MPI_T_pvar_reset(session, idt.handle) == MPI_T_ERR_PVAR_NO_WRITE,
          "a level was reset");
    CHECK(MPI_T_pvar_read(session, share.handle, &share.is) != MPI_SUCCESS,
          "a variable was read before its start");
    MPI_T_pvar_start(session, share.handle);
    CHECK(tool_real(session, &share, 0) >= 0 && share.is.real[0] <= 1, "%g",
          share.is.real[0]);
    CHECK(MPI_T_pvar_start(other, sent.handle) == MPI_T_ERR_INVALID_HANDLE,
          "a handle of another session was accepted");
}

/*
 * Check that the counts of an interval include only this interval and do not
 * depend on other sessions.
 */
static void run_windows(MPI_Comm comm)
{
    tool_var_t a, b, rate;
    tool_count_t got;
    int result;

    tool_settle(comm);
    if (check_rank == 0) {
        a = tool_var(session, "gm_flow_packets_sent", comm);
        b = tool_var(other, "gm_flow_packets_sent", comm);
        rate = tool_var(session, "gm_flow_bandwidth", comm);
        CHECK(a.elements == check_size, "%d", a.elements);
        MPI_T_pvar_start(session, a.handle);
        MPI_T_pvar_start(session, rate.handle);
        CHECK(tool_real(session, &rate, 1) == 0, "%g", rate.is.real[1]);
    }
    tool_send(comm, 3, LENGTH);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        CHECK(tool_count(session, &a, 1) == 3, "%llu", a.is.count[1]);
        MPI_T_pvar_start(other, b.handle);
        CHECK(tool_count(other, &b, 1) == 0, "%llu", b.is.count[1]);
        CHECK(tool_real(session, &rate, 1) > 0, "%g", rate.is.real[1]);
    }
    tool_send(comm, 4, LENGTH);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_T_pvar_stop(session, a.handle);
        MPI_T_pvar_stop(session, rate.handle);
        CHECK(tool_count(session, &a, 1) == 7, "%llu", a.is.count[1]);
        CHECK(tool_count(other, &b, 1) == 4, "%llu", b.is.count[1]);
    }
    tool_send(comm, 5, LENGTH);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank != 0) {
        return;
    }
    CHECK(tool_count(session, &a, 1) == 7, "%llu", a.is.count[1]);
    {
        double before = tool_real(session, &rate, 1);

        MPI_Wtime();
        CHECK(tool_real(session, &rate, 1) == before && before > 0,
              "%g, then %g", before, rate.is.real[1]);
        MPI_T_pvar_start(session, rate.handle);
        CHECK(tool_real(session, &rate, 1) < before, "%g", rate.is.real[1]);
        MPI_T_pvar_reset(session, rate.handle);
        CHECK(tool_real(session, &rate, 1) == 0, "%g", rate.is.real[1]);
    }
    result = MPI_T_pvar_readreset(other, b.handle, &b.is);
    got = b.is.count[1];
    CHECK(result == MPI_SUCCESS && got == 9, "%d, %llu", result, got);
    CHECK(tool_count(other, &b, 1) == 0, "%llu", b.is.count[1]);
    MPI_T_pvar_start(session, a.handle);
    CHECK(tool_count(session, &a, 1) == 7, "%llu", a.is.count[1]);
    MPI_T_pvar_reset(session, a.handle);
    CHECK(tool_count(session, &a, 1) == 0, "%llu", a.is.count[1]);
}

/* Check that a variable of an inter-communicator has one element for each rank
 * of the remote group. */
static void run_intercomm(void)
{
    int is_first = check_rank == 0;
    MPI_Comm local, inter;
    tool_var_t sent;

    MPI_Comm_split(MPI_COMM_WORLD, is_first, 0, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, is_first, 7, &inter);
    tool_settle(inter);
    if (is_first) {
        sent = tool_var(session, "gm_flow_packets_sent", inter);
        CHECK(sent.elements == check_size - 1, "%d", sent.elements);
        MPI_T_pvar_start(session, sent.handle);
        MPI_Send(&is_first, 1, MPI_INT, check_size - 2, 0, inter);
        MPI_Recv(&is_first, 1, MPI_INT, check_size - 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        CHECK(tool_count(session, &sent, check_size - 2) == 1, "%llu",
              sent.is.count[check_size - 2]);
        MPI_T_pvar_handle_free(session, &sent.handle);
    } else if (check_rank == check_size - 1) {
        MPI_Recv(&is_first, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
        MPI_Send(&is_first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

int main(int argc, char **argv)
{
    tool_var_t sent, nic;
    tool_count_t at_end, nic_at_end;
    MPI_Comm comm;

    check_start(&argc, &argv);
    tool_init();
    MPI_T_finalize(); /* while MPI is initialized, this call loses no counts */
    tool_init();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_session_create(&other);
    if (check_rank == 0) {
        check_bindings();
        check_errors_of(comm);
    }
    run_windows(comm);
    run_intercomm();
    sent = tool_var(other, "gm_flow_packets_sent", MPI_COMM_WORLD);
    nic = tool_var(other, "gm_nic_packets_sent", MPI_COMM_WORLD);
    MPI_T_pvar_start(other, sent.handle);
    MPI_T_pvar_start(other, nic.handle);
    if (check_rank == 0) {
        MPI_Send(NULL, 0, MPI_BYTE, check_size - 1, 0, MPI_COMM_WORLD);
    } else if (check_rank == check_size - 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    if (check_end() != 0) {
        return EXIT_FAILURE;
    }

    /* After MPI_Finalize, the variables keep their values. */
    at_end = tool_count(other, &sent, check_size - 1);
    nic_at_end = tool_count(other, &nic, 0);
    CHECK(check_rank != 0 || at_end > 0, "%llu", at_end);
    CHECK(nic_at_end >= at_end && nic_at_end < 1000, "%llu", nic_at_end);
    MPI_T_pvar_session_free(&session);
    MPI_T_pvar_session_free(&other);
    MPI_T_finalize();
    return check_errors == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
