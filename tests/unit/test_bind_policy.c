/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the decisions on which ranks share a processing unit, and the moves of
 * processes and threads between sets of units.
 */
#define _GNU_SOURCE
#include "job/bind_policy.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job/bind.h"
#include "unit.h"

#define TICK_NS UINT64_C(5000000)

static gms_bind_policy_t policy;
static uint64_t now_ns, switches;

static void setup(void)
{
    memset(&policy, 0, sizeof(policy));
    now_ns = 1;
    switches = 0;
}

/* Take `count` samples with `running` ranks and `more` context switches per
 * sample. @return the policy's last decision */
static enum gms_bind_order samples(unsigned count, unsigned running,
                                   uint64_t more)
{
    enum gms_bind_order order = GMS_BIND_KEEP;

    while (count-- > 0) {
        now_ns += TICK_NS;
        switches += more;
        order = gms_bind_decide(&policy, running, switches, now_ns);
    }
    return order;
}

static void test_all(void)
{
    CHECK_U64(samples(1, 2, 0), GMS_BIND_KEEP); /* no interval has elapsed
                                                   yet */
    CHECK_U64(samples(2, 2, 0), GMS_BIND_KEEP);
    CHECK_U64(samples(1, 2, 0), GMS_BIND_LEAVE); /* 4 of 8 samples */
    /* ranks that communicate share one unit: 80 switches per ms */
    CHECK_U64(samples(1, 2, 400), GMS_BIND_RETURN);
    /* a rate of 12 switches per ms is between the two thresholds, so nothing
     * changes */
    CHECK_U64(samples(8, 2, 60), GMS_BIND_KEEP);
    CHECK_U64(samples(1, 2, 40), GMS_BIND_LEAVE);
    CHECK_U64(samples(1, 2, 41), GMS_BIND_KEEP);
    CHECK_U64(samples(1, 2, 79), GMS_BIND_KEEP);
    CHECK_U64(samples(1, 2, 80), GMS_BIND_RETURN);
    /* only one rank is running at a time */
    CHECK_U64(samples(7, 1, 0), GMS_BIND_KEEP);
    CHECK_U64(samples(1, 1, 0), GMS_BIND_RETURN);
}

static void see(gms_bind_rank_t *rank, int is_running, gms_time_t clock_ps)
{
    gms_gate_sample_t sample = {.is_running = is_running, .clock_ps = clock_ps};

    CHECK_U64(gms_bind_see(rank, &sample), is_running);
}

static void test_rank(void)
{
    gms_bind_rank_t rank = {0};
    unsigned i;

    see(&rank, 1, 0); /* a single sample proves nothing */
    CHECK_U64(gms_bind_order_of(&rank, GMS_BIND_KEEP), GMS_BIND_KEEP);
    see(&rank, 1, 5);
    CHECK_U64(gms_bind_order_of(&rank, GMS_BIND_KEEP), GMS_BIND_KEEP);
    see(&rank, 1, 5);
    CHECK_U64(gms_bind_order_of(&rank, GMS_BIND_KEEP), GMS_BIND_LEAVE);
    CHECK_U64(gms_bind_order_of(&rank, GMS_BIND_RETURN), GMS_BIND_LEAVE);
    for (i = 1; i < GMS_BIND_SAMPLES; ++i) {
        see(&rank, 0, 5); /* a waiting rank does not compute */
        CHECK_U64(gms_bind_order_of(&rank, GMS_BIND_RETURN), GMS_BIND_KEEP);
    }
    see(&rank, 1, 6);
    CHECK_U64(gms_bind_order_of(&rank, GMS_BIND_RETURN), GMS_BIND_RETURN);
    CHECK_U64(gms_bind_order_of(&rank, GMS_BIND_LEAVE), GMS_BIND_LEAVE);
}

static gms_bind_t of(pid_t pid)
{
    gms_bind_t bind;

    memset(&bind, 0, sizeof(bind));
    CHECK_U64(sched_getaffinity(pid, sizeof(bind), (cpu_set_t *)&bind), 0);
    return bind;
}

static void test_move(void)
{
    pid_t child = fork();
    gms_bind_t all, one, present;

    if (child == 0) {
        pause();
        _exit(0);
    }
    CHECK_U64(gms_bind_read(&all), 0);
    gms_bind_only(gms_bind_choose(), &one);
    gms_bind_move_process(child, &all, &one);
    present = of(child);
    CHECK_U64(gms_bind_equal(&present, &one), 1);
    if (!gms_bind_equal(&one, &all)) {
        /* the child's set is no longer `all' */
        gms_bind_move_process(child, &all, &all);
        present = of(child);
        CHECK_U64(gms_bind_equal(&present, &one), 1);
    }
    gms_bind_move_thread(child, &one, &all);
    present = of(child);
    CHECK_U64(gms_bind_equal(&present, &all), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    gms_bind_move_process(child, &all, &one); /* the process has ended */
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"decisions for all ranks", test_all},
        {"decisions for one rank", test_rank},
        {"moves", test_move},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"bind_policy", NULL, NULL, setup, NULL, tests});
}
