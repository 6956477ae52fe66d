/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the detection of deadlocks among processes that poll. Every job that
 * must not be reported polls for longer than the detection limit.
 */
#define _GNU_SOURCE
#include "gm.h"

#include <pthread.h>
#include <time.h>

#include "ranks.h"
#include "unit.h"

#define MS UINT64_C(1000000000) /* one millisecond in picoseconds */

/* In these tests, the limit is one second and 300,000 polls. */
#define LIMIT_POLLS 300000u

static char messages[64]; /* file that contains the messages of the last job */

static double wall_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double start_s;
static unsigned long polls;

static int poll_port(struct gm_port *port)
{
    union gm_recv_event *event = gm_receive(port);
    int is_event = GM_RECV_EVENT_TYPE(event) != GM_NO_RECV_EVENT;

    ++polls;
    gm_unknown(port, event);
    return is_event;
}

/* Return 1 as long as the process has not polled for longer than the limit. */
static int is_early(void)
{
    if (polls == 0) {
        start_s = wall_s();
    }
    /* Read the time only rarely, because a loop that only polls takes little
     * time between its polls. */
    return polls < LIMIT_POLLS + 50000 || polls % 256 != 0 ||
           wall_s() - start_s < 2.5;
}

static void redirect(void)
{
    if (freopen(messages, "a", stderr) == NULL) {
        _exit(91);
    }
}

/* Return 1 if the messages of the last job contain the text. */
static int has_message(const char *text)
{
    FILE *file = fopen(messages, "r");
    char line[512];
    int found = 0;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        found |= strstr(line, text) != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static unsigned run(unsigned size, rank_body *body, const char *limit)
{
    unsigned failed;

    snprintf(messages, sizeof(messages), "/tmp/gmqos-poll-%d.txt",
             (int)getpid());
    unlink(messages);
    setenv("GMSIM_POLL_LIMIT", limit, 1);
    failed = ranks_run(size, body);
    unsetenv("GMSIM_POLL_LIMIT");
    return failed;
}

/* ---- Deadlocks --------------------------------------------------------- */

static void body_left(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    redirect();
    if (rank == 1) {
        gm_finalize();
        return;
    }
    for (;;) {
        poll_port(port);
    }
}

/* The partner of a process has left the simulation. */
static void test_left(void)
{
    double begin_s = wall_s();

    CHECK_U64(run(2, body_left, "1"), 1);
    CHECK_U64(has_message("deadlock: every process polls or waits"), 1);
    CHECK_U64(has_message("rank 0 at"), 1);
    CHECK_U64(has_message("polls: receive on port 2 of node1"), 1);
    CHECK_U64(has_message("rank 1 finished at"), 1);
    CHECK_U64(has_message("GMSIM_POLL_LIMIT=0"), 1);
    CHECK_U64(wall_s() - begin_s >= 1, 1);
}

static void body_mixed(unsigned rank)
{
    struct gm_port *second = NULL;
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    redirect();
    if (rank == 0) {
        gm_blocking_receive(port);
    }
    EXPECT_U64(gm_open(&second, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    for (;;) {
        (void)gm_receive_pending(port);
        (void)gm_next_event_peek(second, NULL);
    }
}

/* A process waits, and another process polls two ports alternately. */
static void test_mixed(void)
{
    CHECK_U64(run(2, body_mixed, "1"), 2);
    CHECK_U64(has_message("waits: receive on port 2 of node1"), 1);
    CHECK_U64(has_message("polls: receive on ports 4, 2 of node2"), 1);
}

/* ---- No deadlocks ------------------------------------------------------ */

/* Poll until the clock reaches a given time. This loop reads the clock
 * rarely. */
static void body_clock(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    uint64_t end_ps = 0;

    (void)rank;
    while (is_early() || end_ps == 0) {
        if (++polls % 150000 == 0) {
            end_ps = gmsim_time_ps();
        }
        (void)gm_receive(port);
    }
    EXPECT(end_ps > 30000 * MS); /* polling advances the clock */
    gm_finalize();
}

/* Provide a receive buffer between two polls, but rarely. */
static void body_provide(unsigned rank)
{
    OPEN_WITH_MEMORY(64);

    (void)rank;
    while (is_early()) {
        if (++polls % 150000 == 0) {
            gm_provide_receive_buffer(port, memory, 6, 0);
        }
        (void)gm_receive(port);
    }
    gm_finalize();
}

static unsigned alarms;

static void count_alarm(void *context)
{
    (void)context;
    ++alarms;
}

/* An alarm is set for a time that is reached after 500,000 polls. */
static void body_alarm(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_alarm_t alarm;

    (void)rank;
    gm_initialize_alarm(&alarm);
    while (is_early() || alarms == 0) {
        if (alarm.state == GM_ALARM_FREE) {
            gm_set_alarm(port, &alarm, 50000000, count_alarm, NULL);
        }
        poll_port(port);
    }
    gm_finalize();
}

/* A message waits for a buffer, which the receiver provides late. */
static void body_send(unsigned rank)
{
    OPEN_WITH_MEMORY(64);

    if (rank == 0) {
        send_to(port, 1, memory, 6, 8);
        while (is_early() || sends_done == 0) {
            poll_port(port);
        }
        EXPECT_U64(last_status, GM_SUCCESS);
    } else {
        while (is_early()) {
            poll_port(port);
        }
        gm_provide_receive_buffer(port, memory, 6, 0);
        while (!poll_port(port)) {
        }
    }
    gm_finalize();
}

/* A process computes while it is polling, and another process waits for the
 * result. */
static void body_computes(unsigned rank)
{
    OPEN_WITH_MEMORY(64);
    volatile unsigned value = 0;
    unsigned i;

    if (rank == 0) {
        gm_provide_receive_buffer(port, memory, 6, 0);
        next_message(port);
    } else {
        while (is_early()) {
            poll_port(port);
            for (i = 0; i < 15000; ++i) { /* more than 10 us */
                value += i;
            }
        }
        send_to(port, 0, memory, 6, 8);
        finish_sends(port, 1);
    }
    gm_finalize();
}

static int is_enough, is_stopped;

static void *sleep_and_stop(void *unused)
{
    struct timespec pause = {.tv_nsec = 50000000};

    while (!__atomic_load_n(&is_enough, __ATOMIC_ACQUIRE)) {
        nanosleep(&pause, NULL);
    }
    __atomic_store_n(&is_stopped, 1, __ATOMIC_RELEASE);
    return unused;
}

/* Another thread of the same process ends the loop. */
static void body_thread(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    pthread_t thread;

    (void)rank;
    EXPECT_U64((unsigned)pthread_create(&thread, NULL, sleep_and_stop, NULL),
               0);
    while (!__atomic_load_n(&is_stopped, __ATOMIC_ACQUIRE)) {
        if (!is_early()) {
            __atomic_store_n(&is_enough, 1, __ATOMIC_RELEASE);
        }
        poll_port(port);
    }
    pthread_join(thread, NULL);
    gm_finalize();
}

/* A process leaves the simulation for some time. */
static void body_absent(unsigned rank)
{
    struct timespec pause = {.tv_sec = 3};
    OPEN_WITH_MEMORY(64);

    if (rank == 1) {
        gmsim_leave();
        nanosleep(&pause, NULL);
        gmsim_rejoin();
    } else {
        while (is_early()) {
            poll_port(port);
        }
        gmsim_leave();
        gmsim_rejoin();
    }
    (void)memory;
    gm_finalize();
}

/* A fault is planned for a later time. */
static void body_fault(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    (void)rank;
    EXPECT_U64(gmsim_kill_rank_at(0, 3600000 * MS), GM_SUCCESS);
    while (is_early()) {
        poll_port(port);
    }
    gm_finalize();
}

/* In real time, the loop is shorter than the limit. */
static void body_short(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    (void)rank;
    while (is_early()) {
        poll_port(port);
    }
    gm_finalize();
}

static void test_clock(void)
{
    CHECK_U64(run(1, body_clock, "1"), 0);
}

static void test_provide(void)
{
    CHECK_U64(run(1, body_provide, "1"), 0);
}

static void test_alarm(void)
{
    CHECK_U64(run(1, body_alarm, "1"), 0);
}

static void test_send(void)
{
    ranks_use_cluster("parameters:\n  nic_send_timeout_us: 3600000000\n");
    CHECK_U64(run(2, body_send, "1"), 0);
    ranks_use_cluster(NULL);
}

static void test_computes(void)
{
    CHECK_U64(run(2, body_computes, "1"), 0);
}

static void test_thread(void)
{
    CHECK_U64(run(1, body_thread, "1"), 0);
}

static void test_absent(void)
{
    CHECK_U64(run(2, body_absent, "1"), 0);
}

static void test_fault(void)
{
    CHECK_U64(run(1, body_fault, "1"), 0);
}

static void test_limits(void)
{
    CHECK_U64(run(1, body_short, "60"), 0);
    CHECK_U64(run(1, body_short, "0"), 0);
    setenv("GMSIM_TIME", "measured", 1);
    CHECK_U64(run(1, body_short, "1"), 0);
    unsetenv("GMSIM_TIME");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"the partner has left", test_left},
        {"polls of two ports, and a process that waits", test_mixed},
        {"a loop that reads the clock", test_clock},
        {"a call between polls", test_provide},
        {"a loop that waits for an alarm", test_alarm},
        {"a loop that waits for the end of a send", test_send},
        {"a loop that computes", test_computes},
        {"a loop that another thread ends", test_thread},
        {"a loop while another process has left the simulation", test_absent},
        {"a loop that ends at a planned fault", test_fault},
        {"the limit, no limit, and measured time", test_limits},
        CU_TEST_INFO_NULL,
    };
    unsigned failed =
        (unsigned)UNIT_RUN({"gm poll", NULL, NULL, NULL, NULL, tests});

    unlink(messages);
    return (int)failed;
}
