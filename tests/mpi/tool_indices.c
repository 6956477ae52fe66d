/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests calls of MPI_T in an invalid order, with invalid indices, and with
 * freed communicators. These calls must return an error, but never end the
 * program. Usage: tool_indices [threads]
 */
#include "tool.h"

#include <limits.h>
#include <pthread.h>

static MPI_T_pvar_session session;

/* ---- indices ---- */

static void check_pvar_index(int index)
{
    MPI_T_pvar_handle handle;
    MPI_Datatype type;
    MPI_T_enum items;
    char name[8];
    int n = sizeof(name), count, is;

    CHECK(MPI_T_pvar_get_info(index, name, &n, &is, &is, &type, &items, NULL,
                              NULL, &is, &is, &is,
                              &is) == MPI_T_ERR_INVALID_INDEX,
          "%d", index);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) ==
              MPI_T_ERR_INVALID_INDEX,
          "%d", index);
}

static void check_cvar_index(int index)
{
    MPI_T_cvar_handle handle;
    MPI_Datatype type;
    MPI_T_enum items;
    char name[8];
    int n = sizeof(name), count, is;

    CHECK(MPI_T_cvar_get_info(index, name, &n, &is, &type, &items, NULL, NULL,
                              &is, &is) == MPI_T_ERR_INVALID_INDEX,
          "%d", index);
    CHECK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) ==
              MPI_T_ERR_INVALID_INDEX,
          "%d", index);
}

static void check_category_index(int index)
{
    char name[8];
    int n = sizeof(name), is, indices[4];

    CHECK(MPI_T_category_get_info(index, name, &n, NULL, NULL, &is, &is, &is) ==
              MPI_T_ERR_INVALID_INDEX,
          "%d", index);
    CHECK(MPI_T_category_get_cvars(index, 4, indices) ==
              MPI_T_ERR_INVALID_INDEX,
          "%d", index);
    CHECK(MPI_T_category_get_pvars(index, 4, indices) ==
              MPI_T_ERR_INVALID_INDEX,
          "%d", index);
    CHECK(MPI_T_category_get_categories(index, 4, indices) ==
              MPI_T_ERR_INVALID_INDEX,
          "%d", index);
}

static void check_indices(void)
{
    int cvars, pvars, categories, index;

    MPI_T_cvar_get_num(&cvars);
    MPI_T_pvar_get_num(&pvars);
    MPI_T_category_get_num(&categories);
    CHECK(cvars > pvars, "%d, %d", cvars, pvars);
    const int wrong[] = {-1, INT_MIN, INT_MAX};
    for (int i = 0; i < 3; ++i) {
        check_pvar_index(wrong[i]);
        check_cvar_index(wrong[i]);
        check_category_index(wrong[i]);
    }
    check_pvar_index(pvars);
    check_pvar_index(cvars - 1);
    check_cvar_index(cvars);
    check_category_index(categories);
    CHECK(MPI_T_pvar_get_index("gm_none", MPI_T_PVAR_CLASS_COUNTER, &index) ==
              MPI_T_ERR_INVALID_NAME,
          "name");
    CHECK(MPI_T_cvar_get_index("GM_none", &index) == MPI_T_ERR_INVALID_NAME,
          "name");
    CHECK(MPI_T_category_get_index("gm_none", &index) == MPI_T_ERR_INVALID_NAME,
          "name");
}

/* ---- handles ---- */

static void check_handles(void)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session other = MPI_T_PVAR_SESSION_NULL;
    tool_var_t var = tool_var(session, "gm_flow_bytes_sent", MPI_COMM_WORLD);

    CHECK(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &var.is) !=
              MPI_SUCCESS,
          "a read of all handles was accepted");
    CHECK(MPI_T_pvar_handle_free(session, &handle) != MPI_SUCCESS, "null");
    CHECK(MPI_T_pvar_session_free(&other) != MPI_SUCCESS, "null");
    CHECK(MPI_T_pvar_start(other, var.handle) != MPI_SUCCESS, "null");
    CHECK(MPI_T_pvar_start(session, var.handle) == MPI_SUCCESS, "start");
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS,
          "cannot start all handles");
    CHECK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS,
          "cannot reset all handles");
    CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS,
          "cannot stop all handles");
    CHECK(MPI_T_pvar_handle_free(session, &var.handle) == MPI_SUCCESS, "free");
    CHECK(var.handle == MPI_T_PVAR_HANDLE_NULL, "the handle is not null");
}

/* Check many sessions that end while their handles are still started. */
static void check_sessions(void)
{
    enum {
        SESSIONS = 100
    };
    static MPI_T_pvar_session sessions[SESSIONS];
    static tool_var_t sent[SESSIONS];

    for (int i = 0; i < SESSIONS; ++i) {
        MPI_T_pvar_session_create(&sessions[i]);
        sent[i] =
            tool_var(sessions[i], "gm_flow_messages_sent", MPI_COMM_WORLD);
        tool_var(sessions[i], "gm_nic_lanai_utilization", MPI_COMM_NULL);
        tool_var(sessions[i], "gm_flow_bandwidth", MPI_COMM_WORLD);
        MPI_T_pvar_start(sessions[i], MPI_T_PVAR_ALL_HANDLES);
    }
    for (int i = 0; i < SESSIONS; i += 2) {
        MPI_T_pvar_session_free(&sessions[i]);
        CHECK(sessions[i] == MPI_T_PVAR_SESSION_NULL,
              "the session is not null");
    }
    tool_send(MPI_COMM_WORLD, 2, 100);
    tool_settle(MPI_COMM_WORLD);
    for (int i = 1; i < SESSIONS; i += 2) {
        tool_count_t before = tool_count(sessions[1], &sent[1], 1);
        tool_count_t value = tool_count(sessions[i], &sent[i], 1);

        CHECK(value >= before && value < before + 4,
              "the counter was %llu in one session and %llu in another", before,
              value);
        MPI_T_pvar_stop(sessions[i], sent[i].handle);
        if (i > 1) {
            MPI_T_pvar_session_free(&sessions[i]);
        }
    }
    MPI_T_pvar_session_free(&sessions[1]);
}

/* Check that a handle remains usable after its communicator has been freed. */
static void check_gone(void)
{
    static const char *const names[] = {"gm_flow_bytes_sent",
                                        "gm_flow_bandwidth", "gm_flow_idt",
                                        "gm_flow_idt_stall_time"};
    MPI_Comm comm, gone;
    tool_var_t vars[4];
    MPI_Datatype type;
    MPI_T_pvar_handle handle;
    int bind, var_class, count, index;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    gone = comm;
    for (int i = 0; i < 4; ++i) {
        vars[i] = tool_var(session, names[i], comm);
        MPI_T_pvar_start(session, vars[i].handle);
    }
    tool_send(comm, 3, 20000);
    MPI_Comm_free(&comm);
    index = tool_find(names[0], &bind, &var_class, &type);
    CHECK(MPI_T_pvar_handle_alloc(session, index, &gone, &handle, &count) ==
              MPI_T_ERR_INVALID_HANDLE,
          "a freed communicator was accepted");
    for (int i = 0; i < 4; ++i) {
        tool_read(session, &vars[i]);
        MPI_T_pvar_reset(session, vars[i].handle);
        MPI_T_pvar_stop(session, vars[i].handle);
        MPI_T_pvar_start(session, vars[i].handle);
        MPI_T_pvar_handle_free(session, &vars[i].handle);
    }
}

/* ---- threads ---- */

static int is_over;

static void *look(void *argument)
{
    MPI_T_pvar_session own;
    tool_var_t sent, rate;

    (void)argument;
    MPI_T_pvar_session_create(&own);
    sent = tool_var(own, "gm_flow_bytes_sent", MPI_COMM_WORLD);
    rate = tool_var(own, "gm_flow_bandwidth", MPI_COMM_WORLD);
    MPI_T_pvar_start(own, MPI_T_PVAR_ALL_HANDLES);
    for (tool_count_t before = 0;
         !__atomic_load_n(&is_over, __ATOMIC_SEQ_CST);) {
        tool_count_t now = tool_count(own, &sent, !check_rank);

        CHECK(now >= before, "the counter decreased from %llu to %llu", before,
              now);
        before = now;
        CHECK(tool_real(own, &rate, !check_rank) >= 0, "%g", rate.is.real[0]);
    }
    MPI_T_pvar_session_free(&own);
    return NULL;
}

static void check_threads(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; ++i) {
        pthread_create(&threads[i], NULL, look, NULL);
    }
    for (int i = 0; i < 30; ++i) {
        tool_send(MPI_COMM_WORLD, 3, 20000);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
    }
}

/* ---- all ---- */

int main(int argc, char **argv)
{
    int has_threads = argc > 1, n, provided;
    MPI_T_pvar_session early;
    tool_var_t sent;

    CHECK(MPI_T_pvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED, "before");
    tool_init();
    MPI_T_pvar_session_create(&session);
    check_indices();
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    CHECK(MPI_T_pvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED, "between");
    MPI_T_init_thread(has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                      &provided);
    tool_init();
    MPI_T_pvar_session_create(&early);
    sent = tool_var(early, "gm_nic_bytes_sent", MPI_COMM_NULL);
    MPI_T_pvar_start(early, sent.handle);
    CHECK(tool_count(early, &sent, 0) == 0,
          "bytes were counted before MPI_Init");
    MPI_T_finalize();
    if (has_threads) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        CHECK(provided == MPI_THREAD_MULTIPLE, "%d", provided);
    } else {
        MPI_Init(&argc, &argv);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    MPI_T_pvar_session_create(&session);
    check_indices();
    check_handles();
    check_sessions();
    check_gone();
    if (has_threads) {
        check_threads();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(tool_count(early, &sent, 0) > 0,
          "no bytes were counted after traffic");
    if (check_end() != 0) {
        return EXIT_FAILURE;
    }
    check_indices();
    CHECK(tool_count(early, &sent, 0) > 0,
          "no bytes are counted after MPI_Finalize");
    MPI_T_pvar_session_free(&early);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    return check_errors == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
