/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the clock that libgm passes to the preloaded library. The test exports
 * the same function as that library, so libgm connects its clock to the test.
 * The tests run in one job with one rank, and depend on their order.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "clock/connect.h"
#include "gm.h"
#include "gmsim.h"
#include "unit.h"

#define NS UINT64_C(1000)
#define US UINT64_C(1000000)
#define S  UINT64_C(1000000000000)

#define LEAD_PS                                                                \
    (3 * US) /* time for which the program has slept before
                            gm_init() */
#define READ_PS (100 * NS)

static const gms_clock_source_t *clock_source;
static unsigned questions;
static struct gm_port *port;

uint64_t gmsim_clock_connect(const gms_clock_source_t *source);

__attribute__((visibility("default"))) uint64_t
gmsim_clock_connect(const gms_clock_source_t *source)
{
    if (source == NULL) {
        CU_ASSERT_PTR_NULL(clock_source);
        ++questions;
    } else {
        clock_source = source;
    }
    return LEAD_PS;
}

static void test_cost(void)
{
    uint64_t series_ps = 0;
    unsigned reads;

    CHECK_U64(gms_clock_cost_ps(0, 100, 1000), 100);
    CHECK_U64(gms_clock_cost_ps(10000000 + 1023, 100, 1000), 100);
    CHECK_U64(gms_clock_cost_ps(10000000 + 1024, 100, 1000), 101);
    CHECK_U64(gms_clock_cost_ps(10000000 + 1024 * 900, 100, 1000), 1000);
    CHECK_U64(gms_clock_cost_ps(UINT64_MAX, 100, 1000), 1000);
    /* a read that always takes longer than the limit */
    CHECK_U64(gms_clock_cost_ps(UINT64_MAX, 5000, 1000), 5000);
    for (reads = 0; series_ps < S; ++reads) {
        series_ps += gms_clock_cost_ps(series_ps, READ_PS, 100 * US);
    }
    /* 100000 + 1024 ln(1000) + (1000 - 10 - 102) ms / 100 us = 115950 reads */
    CU_ASSERT_TRUE(reads > 115900 && reads < 116000);
}

static void test_connect(void)
{
    CU_ASSERT_FATAL(gm_init() == GM_SUCCESS);
    CHECK_U64(questions, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(clock_source);
    /* there was no other process, so the job's clock began with the time of
     * this process */
    CHECK_U64(clock_source->peek_ps(), LEAD_PS);
    CHECK_U64(clock_source->read_ps(), LEAD_PS + READ_PS);
    CHECK_U64(gmsim_time_ps(), 2 * READ_PS);
    CHECK_U64(clock_source->peek_ps(), LEAD_PS + 2 * READ_PS);
}

/* Read the clock, and return how long the read took. */
static uint64_t cost_of_read(void)
{
    uint64_t before_ps = clock_source->peek_ps();

    return clock_source->read_ps() - before_ps;
}

/* Check that a new series of reads has begun. Then continue the series until
 * reads take longer, so that the next call of this function can fail. */
static void read_series(void)
{
    unsigned i;

    for (i = 0; i < 1000; ++i) {
        CHECK_U64(cost_of_read(), READ_PS);
    }
    while (i < 101100 && cost_of_read() == READ_PS) {
        ++i;
    }
    /* in a new series, more than 100000 reads take the same time; the upper
     * limit ends the loop */
    CU_ASSERT_TRUE(i > 100000 && i < 101100);
}

static void test_series(void)
{
    gmsim_totals_t totals;
    uint64_t last_ps = READ_PS;
    unsigned i;

    gmsim_compute(S);
    read_series();
    for (i = 0; i < 110000; ++i) {
        uint64_t cost_ps = cost_of_read();

        CU_ASSERT_TRUE(cost_ps >= last_ps && cost_ps <= 100 * US);
        last_ps = cost_ps;
    }
    CHECK_U64(last_ps, 100 * US);
    /* reads of all clocks belong to the same series */
    last_ps = gmsim_time_ps();
    CHECK_U64(gmsim_time_ps() - last_ps, 100 * US);
    /* each of these calls begins a new series */
    gmsim_compute(1);
    read_series();
    gmsim_work(1);
    read_series();
    CU_ASSERT_TRUE(gmsim_get_totals(&totals) == GM_SUCCESS);
    read_series();
    CU_ASSERT_TRUE(gm_open(&port, 0, 2, "clock", GM_API_VERSION) == GM_SUCCESS);
    read_series();
    clock_source->sleep_until(clock_source->peek_ps() + 1, 1);
    read_series();
    last_ps = gmsim_time_ps();
    CHECK_U64(gmsim_library_time_ps() - last_ps, READ_PS);
    read_series();
    while (GM_RECV_EVENT_TYPE(gm_receive(port)) != GM_NO_RECV_EVENT) {
    }
    read_series();
}

static void test_sleep(void)
{
    uint64_t start_ps = clock_source->peek_ps();

    clock_source->sleep_until(start_ps + S, 1);
    CHECK_U64(clock_source->peek_ps(), start_ps + S);
    clock_source->sleep_until(start_ps + 2 * S, 0);
    CHECK_U64(clock_source->peek_ps(), start_ps + 2 * S);
    CHECK_U64(gmsim_time_ps() + LEAD_PS, start_ps + 2 * S + READ_PS);
    /* repeated sleeps until a time in the past must advance the clock */
    start_ps = clock_source->peek_ps();
    clock_source->sleep_until(start_ps - S, 1);
    CHECK_U64(clock_source->peek_ps(), start_ps + READ_PS);
    clock_source->sleep_until(0, 1);
    CHECK_U64(clock_source->peek_ps(), start_ps + 2 * READ_PS);
}

/* ---- several threads ----------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned locked, unlocked;

static void begin(void)
{
    pthread_mutex_lock(&lock);
    ++locked;
}

static void end(void)
{
    ++unlocked;
    pthread_mutex_unlock(&lock);
}

static void *wait_in_gm(void *unused)
{
    (void)unused;
    /* the alarm ends the wait */
    gm_unknown(port, gm_blocking_receive(port));
    return NULL;
}

static volatile int is_rung;

static void ring(void *context)
{
    (void)context;
    is_rung = 1;
}

static void test_threads(void)
{
    uint64_t last_ps = 0;
    gm_alarm_t alarm;
    pthread_t thread;
    unsigned i;

    gmsim_set_thread_lock(begin, end);
    for (i = 0; i < 10; ++i) {
        (void)clock_source->read_ps();
    }
    clock_source->sleep_until(clock_source->peek_ps() + 1, 1);
    CHECK_U64(locked, 11);
    CHECK_U64(unlocked, 11);
    gmsim_set_thread_lock(NULL, NULL);
    /* this thread reads the clock while another thread is in a call */
    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, &alarm, 1000000, ring, NULL);
    pthread_create(&thread, NULL, wait_in_gm, NULL);
    while (!is_rung) {
        uint64_t time_ps = clock_source->read_ps();

        CU_ASSERT_TRUE(time_ps >= last_ps);
        last_ps = time_ps;
    }
    pthread_join(thread, NULL);
    CHECK_U64(unlocked, 11);
}

static void test_end(void)
{
    uint64_t start_ps;

    gmsim_leave();
    start_ps = clock_source->peek_ps();
    CHECK_U64(clock_source->read_ps(), start_ps + READ_PS);
    clock_source->sleep_until(start_ps + S, 1);
    CHECK_U64(clock_source->peek_ps(), start_ps + S);
    clock_source->sleep_until(start_ps, 1);
    CHECK_U64(clock_source->peek_ps(), start_ps + S);
    gmsim_rejoin();
    CHECK_U64(clock_source->peek_ps(), start_ps + S);
    gm_close(port);
    gm_finalize();
    start_ps = clock_source->peek_ps();
    CU_ASSERT_TRUE(start_ps >= LEAD_PS + S);
    CHECK_U64(clock_source->read_ps(), start_ps + READ_PS);
    clock_source->sleep_until(start_ps + S, 1);
    CHECK_U64(clock_source->peek_ps(), start_ps + S);
    clock_source->sleep_until(start_ps, 1);
    CHECK_U64(clock_source->peek_ps(), start_ps + S);
}

static CU_TestInfo clock_tests[] = {
    {"cost of a read in a series", test_cost},
    {"connection", test_connect},
    {"the cost rises within a series of reads", test_series},
    {"sleeping", test_sleep},
    {"several threads", test_threads},
    {"reads while absent and after gm_finalize()", test_end},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"clock", NULL, NULL, NULL, NULL, clock_tests});
}
