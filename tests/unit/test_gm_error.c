/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests errors in GM programs: no call may crash or hang, and the returned
 * status must describe the error.
 */
#define _GNU_SOURCE
#include "gm.h"

#include <dirent.h>

#include "ranks.h"
#include "unit.h"

/* ---- Arguments --------------------------------------------------------- */

static void body_arguments(unsigned rank)
{
    static const struct {
        unsigned size;
        gm_size_t length;
        unsigned priority, node, port;
    } wrong[] = {
        {4, 9, 0, 2, 2},  /* the message is longer than its size class allows */
        {2, 1, 0, 2, 2},  /* the size class is too small to be valid */
        {32, 8, 0, 2, 2}, /* the size class is too large to be valid */
        {31, 0x80000000u, 0, 2, 2},
        {4, 8, 2, 2, 2}, /* the priority is invalid */
        {4, 8, 0, 0, 2}, /* the node is invalid */
        {4, 8, 0, 17, 2},
        {4, 8, 0, 2, 8}, /* the port is invalid */
    };
    OPEN_WITH_MEMORY(64);
    unsigned i;

    (void)rank;
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        last_status = GM_SUCCESS;
        gm_send_with_callback(port, memory, wrong[i].size, wrong[i].length,
                              wrong[i].priority, wrong[i].node, wrong[i].port,
                              count_send, NULL);
        finish_sends(port, i + 1);
        EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    }
    gm_send_with_callback(port, NULL, 4, 8, 0, 2, 2, count_send, NULL);
    gm_put(port, memory, 0, 0x80000000u, 0, 2, 2, count_send, NULL);
    gm_send_with_callback(port, memory, 99, 8, 0, 2, 2, NULL, NULL);
    finish_sends(port, i + 2);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    EXPECT_U64(gm_set_acceptable_sizes(port, (enum gm_priority)2, 0),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_set_acceptable_sizes(NULL, 0, 0), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_allow_remote_memory_access(NULL), GM_INVALID_PARAMETER);
    gm_provide_receive_buffer(port, NULL, 4, 0);
    EXPECT_U64(GM_RECV_EVENT_TYPE(gm_receive(port)), GM_SENT_EVENT);
    EXPECT_U64(GM_RECV_EVENT_TYPE(gm_receive(port)), GM_BAD_RECV_TOKEN_EVENT);
    gm_provide_receive_buffer(port, memory, 32, 0);
    EXPECT_U64(gm_next_event_peek(port, NULL), GM_BAD_RECV_TOKEN_EVENT);
}

static void test_arguments(void)
{
    CHECK_U64(ranks_run(1, body_arguments), 0);
}

/* Only short messages may use the label of the reverse direction. The NIC sends
 * a valid message and then reports that the target port is closed. */
static void body_labels(unsigned rank)
{
    static const struct {
        unsigned label;
        gm_size_t length;
        gm_status_t status;
    } sends[] = {
        {GM_QOS_MAX_LABEL + 1, 8, GM_INVALID_PARAMETER},
        {(GM_QOS_MAX_LABEL + 1) | GM_QOS_REVERSE, 8, GM_INVALID_PARAMETER},
        {1u | GM_QOS_REVERSE, GM_QOS_REVERSE_MOST + 1, GM_INVALID_PARAMETER},
        {1u | GM_QOS_REVERSE, GM_QOS_REVERSE_MOST, GM_SEND_TARGET_PORT_CLOSED},
        {GM_QOS_MAX_LABEL, 8, GM_SEND_TARGET_PORT_CLOSED},
    };
    OPEN_WITH_MEMORY(512);
    unsigned i;

    (void)rank;
    for (i = 0; i < sizeof(sends) / sizeof(sends[0]); ++i) {
        gm_qos_send_with_callback(port, memory, 9, sends[i].length, 0, 2, 2,
                                  sends[i].label, count_send, NULL);
        finish_sends(port, i + 1);
        EXPECT_U64(last_status, sends[i].status);
    }
}

static void test_labels(void)
{
    CHECK_U64(ranks_run(1, body_labels), 0);
}

/* ---- Memory ------------------------------------------------------------ */

static void body_unregistered(unsigned rank)
{
    static unsigned char own[8192];
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    (void)rank;
    gm_send_with_callback(port, own, 5, 20, 0, 1, 2, count_send, NULL);
    finish_sends(port, 1);
    EXPECT_U64(last_status, GM_MEMORY_FAULT);
    gm_resume_sending(port, 0, 1, 2, NULL, NULL);
    gm_send_with_callback(port, (void *)4096, 5, 20, 0, 1, 2, count_send, NULL);
    finish_sends(port, 2);
    EXPECT_U64(last_status, GM_MEMORY_FAULT);
    gm_send_with_callback(port, own, 5, 0, 0, 2, 2, count_send, NULL);
    finish_sends(port, 3); /* a message of 0 bytes needs no memory */
    EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
}

static void test_unregistered(void)
{
    ranks_use_cluster("parameters:\n  nic_send_timeout_us: 5000\n");
    CHECK_U64(ranks_run(1, body_unregistered), 0);
    ranks_use_cluster(NULL);
}

/* ---- Tokens ------------------------------------------------------------ */

static void body_no_tokens(unsigned rank)
{
    OPEN_WITH_MEMORY(64);
    unsigned tokens = gm_num_send_tokens(port);
    unsigned violations = 0;
    unsigned i;

    (void)rank;
    for (i = 0; i < gm_num_receive_tokens(port) + 1; ++i) {
        gm_provide_receive_buffer(port, memory, 4, 0);
    }
    EXPECT_U64(GM_RECV_EVENT_TYPE(gm_receive(port)),
               GM_RECV_TOKEN_VIOLATION_EVENT);
    for (i = 0; i < tokens + 5; ++i) {
        gm_send_with_callback(port, memory, 4, 8, 0, 1, 2, count_send, NULL);
    }
    while (sends_done < tokens) {
        gm_recv_event_t *event = gm_blocking_receive(port);

        violations +=
            GM_RECV_EVENT_TYPE(event) == GM_SEND_TOKEN_VIOLATION_EVENT;
        if (GM_RECV_EVENT_TYPE(event) == GM_SENT_EVENT) {
            gm_unknown(port, event);
        }
    }
    EXPECT_U64(violations, 1);
    EXPECT_U64(last_status, GM_SUCCESS);
    gm_send_with_callback(port, memory, 4, 8, 0, 1, 2, count_send, NULL);
    finish_sends(port, tokens + 1); /* now the tokens are available again */
}

static void test_no_tokens(void)
{
    CHECK_U64(ranks_run(1, body_no_tokens), 0);
}

/* ---- Errors at the target ---- */

static void body_target(unsigned rank)
{
    OPEN_WITH_MEMORY(64);

    gm_provide_receive_buffer(port, memory, 4, GM_LOW_PRIORITY);
    if (rank == 1) {
        gm_set_acceptable_sizes(port, GM_LOW_PRIORITY, 1u << 4 | 1u << 5);
    }
    barrier(port, &me);
    if (rank == 0) {
        unsigned done = sends_done;

        send_to(port, 1, memory, 4, 8);
        finish_sends(port, done + 1);
        EXPECT_U64(last_status, GM_SUCCESS);
        send_to(port, 1, memory, 6, 8);
        finish_sends(port, done + 2);
        EXPECT_U64(last_status, GM_SEND_REJECTED);
        gm_resume_sending(port, 0, 2, 2, NULL, NULL);
        /* the size class is acceptable, but there is no buffer */
        send_to(port, 1, memory + 32, 5, 0);
        finish_sends(port, done + 3);
        EXPECT_U64(last_status, GM_SEND_TIMED_OUT);
        gm_send_with_callback(port, memory, 4, 8, 0, 3, 2, count_send, NULL);
        finish_sends(port, done + 4);
        EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
    } else {
        next_message(port);
        gmsim_compute(UINT64_C(100000000000)); /* the target does not receive
                                                * messages for 100 ms */
    }
    gm_finalize();
}

static void test_target(void)
{
    ranks_use_cluster("parameters:\n  nic_send_timeout_us: 20000\n");
    CHECK_U64(ranks_run(2, body_target), 0);
    ranks_use_cluster(NULL);
}

/* ---- Processes that exit ---- */

/* Rank 1 calls exit() without closing its port. The other ranks continue
 * without rank 1. */
static void body_exit(unsigned rank)
{
    OPEN_WITH_MEMORY(64);

    if (rank == 1) {
        exit(0);
    }
    gmsim_compute(UINT64_C(1000000000));
    send_to(port, 1, memory, 4, 8);
    finish_sends(port, 1);
    EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
    gm_provide_receive_buffer(port, memory, 4, 0);
    send_to(port, rank == 0 ? 2 : 0, memory + 32, 4, 8);
    next_message(port);
    finish_sends(port, 2);
    gm_finalize();
}

static void test_exit(void)
{
    ranks_use_cluster("parameters:\n  nic_send_timeout_us: 20000\n");
    CHECK_U64(ranks_run(3, body_exit), 0);
    ranks_use_cluster(NULL);
}

/* Rank 1 is killed while it is waiting. Rank 0 receives an error status and
 * does not wait forever. */
static void body_killed(unsigned rank)
{
    OPEN_WITH_MEMORY(64);

    gm_provide_receive_buffer(port, memory, 4, 0);
    if (rank == 1) {
        send_to(port, 0, memory + 32, 4, 8);
        ranks_log[0] = 1;
        next_message(port); /* this message never arrives */
        return;
    }
    next_message(port);
    while (__atomic_load_n(&ranks_log[1], __ATOMIC_ACQUIRE) == 0) {
        usleep(1000); /* wait until rank 1 has been killed */
    }
    do {
        gmsim_compute(UINT64_C(1000000000));
        send_to(port, 1, memory, 5, 8);
        finish_sends(port, sends_done + 1);
    } while (last_status == GM_SEND_TIMED_OUT);
    EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
    gm_finalize();
}

/* Wait until a process sleeps, because the job ends if a process dies while it
 * runs the simulation. [source: proc(5), /proc/pid/stat: the state follows
 * ")"] */
static void await_sleep(pid_t pid)
{
    char path[32], text[128] = "";
    const char *state;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    do {
        FILE *file = fopen(path, "r");

        usleep(1000);
        if (file == NULL || fgets(text, sizeof(text), file) == NULL) {
            abort();
        }
        fclose(file);
        state = strrchr(text, ')');
    } while (state == NULL || strncmp(state, ") S", 3) != 0);
}

static void test_killed(void)
{
    ranks_t ranks;

    ranks_use_cluster("parameters:\n  nic_send_timeout_us: 20000\n");
    ranks_start(&ranks, 2, body_killed);
    while (__atomic_load_n(&ranks_log[0], __ATOMIC_ACQUIRE) == 0) {
        usleep(1000);
    }
    usleep(20000); /* wait until rank 1 is waiting */
    await_sleep(ranks.pids[1]);
    kill(ranks.pids[1], SIGKILL);
    __atomic_store_n(&ranks_log[1], 1, __ATOMIC_RELEASE);
    CHECK_U64(ranks_end(&ranks), 1);
    CHECK_U64(ranks.status[0], 0);
    CHECK_U64(WTERMSIG(ranks.status[1]), SIGKILL);
    ranks_use_cluster(NULL);
}

/* The test kills all ranks, either at the start or during traffic. */
static void body_traffic(unsigned rank)
{
    OPEN_WITH_MEMORY(64);
    unsigned i;

    gm_provide_receive_buffer(port, memory, 4, 0);
    for (i = 0;; ++i) {
        send_to(port, rank ^ 1, memory + 32, 4, 8);
        next_message(port);
        gm_provide_receive_buffer(port, memory, 4, 0);
        finish_sends(port, i + 1);
    }
}

static unsigned count_arenas(void)
{
    char prefix[32];
    DIR *dir = opendir("/dev/shm");
    struct dirent *entry;
    unsigned count = 0;

    snprintf(prefix, sizeof(prefix), "gmsim-%u-unit-%d-", (unsigned)getuid(),
             (int)getpid());
    while ((entry = readdir(dir)) != NULL) {
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    closedir(dir);
    return count;
}

static void test_all_killed(void)
{
    static const useconds_t delays[] = {0, 500, 2000, 5000, 20000, 100000};
    unsigned i, rank;

    for (i = 0; i < sizeof(delays) / sizeof(delays[0]); ++i) {
        ranks_t ranks;

        ranks_start(&ranks, 4, body_traffic);
        usleep(delays[i]);
        for (rank = 0; rank < 4; ++rank) {
            kill(ranks.pids[rank], SIGKILL);
        }
        CHECK_U64(ranks_end(&ranks), 4);
    }
    /* the next job starts normally and removes old arenas */
    CHECK_U64(ranks_run(3, body_exit), 0);
    CHECK_U64(count_arenas(), 0);
}

/* ---- Jobs that cannot start -------------------------------------------- */

static void body_refused(unsigned rank)
{
    struct gm_port *port;

    (void)rank;
    fclose(stderr); /* other tests check the messages */
    stderr = fopen("/dev/null", "w");
    if (gm_init() != GM_FAILURE ||
        gm_open(&port, 0, 2, NULL, GM_API_VERSION) != GM_FAILURE) {
        _exit(1);
    }
    _exit(0);
}

static void test_refused(void)
{
    ranks_use_cluster("hosts: 2\n");
    CHECK_U64(ranks_run(3, body_refused), 0);
    ranks_use_cluster("hosts: 2\nranks_per_host: 6\n");
    CHECK_U64(ranks_run(3, body_refused), 0);
    ranks_use_cluster("hosts: many\n");
    CHECK_U64(ranks_run(1, body_refused), 0);
    ranks_use_cluster(NULL);
    CHECK_U64(count_arenas(), 0);
}

/* One of the ranks never starts. */
static void body_missing(unsigned rank)
{
    if (rank == 1) {
        _exit(0);
    }
    body_refused(rank);
}

static void test_missing(void)
{
    ranks_use_cluster("parameters:\n  start_limit_s: 1\n");
    CHECK_U64(ranks_run(3, body_missing), 0);
    ranks_use_cluster(NULL);
    CHECK_U64(count_arenas(), 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"arguments out of range", test_arguments},
        {"flow labels that are out of range", test_labels},
        {"memory that is not registered", test_unregistered},
        {"more sends and buffers than tokens", test_no_tokens},
        {"no buffer, a rejected message, a closed port", test_target},
        {"a rank ends without closing its port", test_exit},
        {"a rank is killed", test_killed},
        {"all ranks are killed", test_all_killed},
        {"clusters that do not fit the job", test_refused},
        {"a rank never starts", test_missing},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm error", NULL, NULL, NULL, NULL, tests});
}
