/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests how the CPU time of a process is divided between its ranks. The test
 * takes the place of the coroutines, and lets two ranks run in turn.
 */
#define _GNU_SOURCE
#include "inprocess/cpu.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "inprocess/coroutine.h"
#include "inprocess/rank.h"
#include "unit.h"

gmi_rank_t *gmi_current;
int gmi_is_child;
static int is_other_thread;
static gmi_rank_t ranks[3];

int gmi_coroutine_is_current(void)
{
    return !is_other_thread;
}

/* Return the CPU time of the process, which the kernel returns. */
static uint64_t process_ns(void)
{
    struct timespec value;

    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &value);
    return (uint64_t)value.tv_sec * UINT64_C(1000000000) +
           (uint64_t)value.tv_nsec;
}

static void enter(unsigned rank)
{
    gmi_current = &ranks[rank];
    gmi_cpu_enter();
}

static void leave(void)
{
    gmi_cpu_leave(gmi_current);
    gmi_current = NULL;
}

/* Let a rank use the processor. */
static void compute(unsigned rank, uint64_t duration_ms)
{
    uint64_t end_ns = process_ns() + duration_ms * 1000000;

    enter(rank);
    while (process_ns() < end_ns) {
    }
    leave();
}

static uint64_t own_ns(unsigned rank)
{
    struct timespec value = {0, 0};

    enter(rank);
    CU_ASSERT_EQUAL(gmi_cpu_clock(CLOCK_PROCESS_CPUTIME_ID, &value), 0);
    leave();
    return (uint64_t)value.tv_sec * UINT64_C(1000000000) +
           (uint64_t)value.tv_nsec;
}

/* The sum over the ranks is the CPU time of the process. */
static void test_sum(void)
{
    uint64_t before_ns, sum_ns, last_ns;

    compute(0, 20);
    compute(1, 20);
    before_ns = process_ns();
    last_ns = own_ns(1);
    sum_ns = ranks[0].cpu.used[GMI_CPU_PROCESS].total_ns +
             ranks[1].cpu.used[GMI_CPU_PROCESS].total_ns;
    CHECK_U64(last_ns, ranks[1].cpu.used[GMI_CPU_PROCESS].total_ns);
    CU_ASSERT_TRUE(sum_ns >= before_ns);
    CU_ASSERT_TRUE(sum_ns <= process_ns());
    CHECK_U64(ranks[2].cpu.used[GMI_CPU_PROCESS].total_ns, 0);
}

/* The time since the last question belongs to the ranks that have run. */
static void test_parts(void)
{
    uint64_t first_ns = own_ns(0), second_ns = own_ns(1);

    compute(0, 5);
    compute(1, 60);
    compute(0, 5);
    first_ns = own_ns(0) - first_ns;
    second_ns = own_ns(1) - second_ns;
    CU_ASSERT_TRUE(second_ns > 2 * first_ns);
    CU_ASSERT_TRUE(first_ns > 1000000);
    /* a rank that does not run receives no time */
    first_ns = own_ns(0);
    compute(1, 40);
    CU_ASSERT_TRUE(own_ns(0) - first_ns < 20000000);
}

/* All functions return the same time, and the time of a thread excludes other
 * threads. */
static void test_functions(void)
{
    struct timespec value;
    struct rusage use;
    struct tms spent;
    uint64_t own, other;

    compute(0, 30);
    own = own_ns(0);
    enter(0);
    other = (uint64_t)clock() * 1000;
    CU_ASSERT_TRUE(other + 1000 > own && other < own + 20000000);
    getrusage(RUSAGE_SELF, &use);
    other = (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) *
                UINT64_C(1000000000) +
            (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
    CU_ASSERT_TRUE(other + 20000000 > own && other < own + 40000000);
    times(&spent);
    other = (uint64_t)(spent.tms_utime + spent.tms_stime) *
            (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
    CU_ASSERT_TRUE(other + 40000000 > own && other < own + 40000000);
    CU_ASSERT_EQUAL(gmi_cpu_clock(CLOCK_THREAD_CPUTIME_ID, &value), 0);
    CU_ASSERT_EQUAL(gmi_cpu_clock(CLOCK_MONOTONIC, &value), -1);
    leave();
}

/* Callers that are not ranks receive the CPU time of the process. */
static void test_no_rank(void)
{
    struct timespec value;
    uint64_t before_ns;

    compute(0, 10);
    compute(1, 10);
    CU_ASSERT_EQUAL(gmi_cpu_clock(CLOCK_PROCESS_CPUTIME_ID, &value), -1);
    enter(0);
    is_other_thread = 1;
    before_ns = process_ns();
    CU_ASSERT_TRUE((uint64_t)clock() * 1000 + 1000 > before_ns);
    is_other_thread = 0;
    gmi_is_child = 1;
    CU_ASSERT_TRUE((uint64_t)clock() * 1000 + 1000 > before_ns);
    gmi_is_child = 0;
    leave();
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"sum over the ranks", test_sum},
        {"parts of the ranks", test_parts},
        {"functions of the C library", test_functions},
        {"callers that are not ranks", test_no_rank},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"CPU time of ranks", NULL, NULL, NULL, NULL, tests});
}
