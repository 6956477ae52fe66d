/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.6 of the rules for GM: alarms, their order, their
 * cancellation, and their callbacks.
 */
#define _GNU_SOURCE
#include "rules.h"

#define TICK_PS 500000u

static struct gm_port *alarm_port;
static unsigned rung, order[16];
static uint64_t rung_ps[16];

static void ring(void *context)
{
    order[rung] = (unsigned)(uintptr_t)context;
    rung_ps[rung++] = gmsim_time_ps();
}

static void wait_for(struct gm_port *port, unsigned count)
{
    while (rung < count) {
        gm_unknown(port, gm_blocking_receive(port));
    }
}

RULE(after, 1, NULL)
{
    static const gm_u64_t usecs[] = {0, 1, 17, 1000, 2000000};
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_alarm_t alarm;
    unsigned i;

    gm_initialize_alarm(&alarm);
    EXPECT_U64(alarm.state, GM_ALARM_FREE);
    for (i = 0; i < GM_NUM_ELEM(usecs); ++i) {
        uint64_t set_ps = gmsim_time_ps();

        gm_set_alarm(port, &alarm, usecs[i], ring, NULL);
        EXPECT_U64(alarm.state, GM_ALARM_SET);
        EXPECT(alarm.deadline * TICK_PS >= set_ps + usecs[i] * US);
        wait_for(port, i + 1);
        EXPECT_U64(alarm.state, GM_ALARM_FREE);
        EXPECT(rung_ps[i] >= set_ps + usecs[i] * US);
        EXPECT(rung_ps[i] <= set_ps + (usecs[i] + 5) * US);
    }
}

RULE(set_again, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_alarm_t alarm;
    uint64_t set_ps;

    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, &alarm, 10, ring, (void *)1);
    gm_set_alarm(port, &alarm, 500, ring, (void *)2);
    set_ps = gmsim_time_ps();
    wait_for(port, 1);
    EXPECT_U64(order[0], 2);
    EXPECT(rung_ps[0] > set_ps + 490 * US);
    gm_set_alarm(port, &alarm, 100000, ring, (void *)3);
    gm_set_alarm(port, &alarm, 5, ring, (void *)4);
    wait_for(port, 2);
    EXPECT_U64(order[1], 4);
    pass(port, 200 * MS);
    EXPECT_U64(rung, 2);
}

RULE(cancel, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_alarm_t alarm;

    gm_initialize_alarm(&alarm);
    gm_cancel_alarm(&alarm);
    gm_set_alarm(port, &alarm, 10, ring, NULL);
    gm_cancel_alarm(&alarm);
    EXPECT_U64(alarm.state, GM_ALARM_FREE);
    gmsim_compute(MS);
    EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
    EXPECT_U64(rung, 0);
    gm_set_alarm(port, &alarm, 10, ring, NULL);
    gmsim_compute(MS); /* the alarm is due, but its callback has not run yet */
    gm_cancel_alarm(&alarm);
    pass(port, MS);
    EXPECT_U64(rung, 0);
    gm_cancel_alarm(NULL);
}

RULE(flush, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *other = NULL;
    gm_alarm_t alarms[5];
    unsigned i;

    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    for (i = 0; i < 5; ++i) {
        gm_initialize_alarm(&alarms[i]);
        gm_set_alarm(i == 4 ? other : port, &alarms[i], 10 + i, ring, NULL);
    }
    gm_flush_alarm(port);
    for (i = 0; i < 4; ++i) {
        EXPECT_U64(alarms[i].state, GM_ALARM_FREE);
    }
    EXPECT_U64(alarms[4].state, GM_ALARM_SET);
    pass(port, MS);
    EXPECT_U64(rung, 0);
    pass(other, MS);
    EXPECT_U64(rung, 1);
}

/*
 * The NIC has only one alarm, but a program can set any number of alarms. Two
 * alarms can be due at the same time.
 */
RULE(many, 1, NULL)
{
    static const unsigned usecs[] = {50, 10, 90, 10, 30, 70, 50, 20};
    static const unsigned expected[] = {1, 3, 7, 4, 0, 6, 5, 2};
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_alarm_t alarms[GM_NUM_ELEM(usecs)];
    unsigned i;

    for (i = 0; i < GM_NUM_ELEM(usecs); ++i) {
        gm_initialize_alarm(&alarms[i]);
        gm_set_alarm(port, &alarms[i], usecs[i] * 10, ring,
                     (void *)(uintptr_t)i);
    }
    wait_for(port, GM_NUM_ELEM(usecs));
    for (i = 0; i < GM_NUM_ELEM(usecs); ++i) {
        EXPECT_U64(order[i], expected[i]);
    }
    /*
     * If several alarms are due in the same tick, their callbacks run in the
     * order in which the alarms were set.
     */
    rung = 0;
    for (i = 0; i < GM_NUM_ELEM(usecs); ++i) {
        gm_set_alarm(port, &alarms[i], 100, ring, (void *)(uintptr_t)i);
    }
    wait_for(port, GM_NUM_ELEM(usecs));
    for (i = 0; i < GM_NUM_ELEM(usecs); ++i) {
        EXPECT_U64(order[i], i);
    }
}

RULE(in_unknown, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    union gm_recv_event *event;
    gm_alarm_t alarm;

    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, &alarm, 10, ring, NULL);
    gmsim_compute(MS);
    EXPECT_U64(gm_receive_pending(port), 1);
    EXPECT_U64(gm_next_event_peek(port, NULL), GM_ALARM_EVENT);
    event = gm_receive(port);
    EXPECT_TYPE(event, GM_ALARM_EVENT);
    EXPECT_U64(rung, 0);
    gm_unknown(port, event);
    EXPECT_U64(rung, 1);
}

/* The test uses alarms in the same way as bmi and Open MPI. */
RULE(wakes, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_alarm_t alarm;
    uint64_t set_ps = gmsim_time_ps();

    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, &alarm, 5000, ring, NULL);
    EXPECT_TYPE(gm_blocking_receive_no_spin(port), GM_ALARM_EVENT);
    EXPECT(gmsim_time_ps() - set_ps >= 5 * MS);
    gm_unknown(port, gm_receive(port));
}

static void ring_again(void *context)
{
    gm_alarm_t *alarm = context;

    EXPECT_U64(alarm->state, GM_ALARM_FREE);
    ring(NULL);
    if (rung < 10) {
        gm_set_alarm(alarm_port, alarm, 100, ring_again, alarm);
    }
}

RULE(in_callback, 1, NULL)
{
    gmsim_place_t me;
    gm_alarm_t alarm;
    uint64_t set_ps;

    alarm_port = open_port(&me);
    gm_initialize_alarm(&alarm);
    set_ps = gmsim_time_ps();
    gm_set_alarm(alarm_port, &alarm, 100, ring_again, &alarm);
    wait_for(alarm_port, 10);
    EXPECT(rung_ps[9] - set_ps >= MS);
    EXPECT(rung_ps[9] - set_ps < 2 * MS);
}

/*
 * The test cancels and sets an alarm that was never initialized, and overwrites
 * an alarm that is already set.
 */
RULE(broken, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_alarm_t alarms[2];

    memset(alarms, 0xa5, sizeof(alarms));
    gm_cancel_alarm(&alarms[0]);
    gm_set_alarm(port, &alarms[0], 10, ring, NULL);
    gm_set_alarm(port, &alarms[1], 20, ring, NULL);
    memset(alarms, 0xa5, sizeof(alarms));
    wait_for(port, 2);
    gm_set_alarm(port, &alarms[0], ~0ull, ring, NULL); /* never */
    gm_set_alarm(port, &alarms[1], ~0ull / 2, ring, NULL);
    pass(port, 1000 * MS);
    EXPECT_U64(rung, 2);
    gm_close(port);
    gm_cancel_alarm(&alarms[0]);
}

TABLE_BEGIN
ENTRY(after, "an alarm goes off when its time has passed")
ENTRY(set_again, "setting an alarm again changes its time")
ENTRY(cancel, "a cancelled alarm does not go off")
ENTRY(flush, "gm_flush_alarm() cancels a port's alarms")
ENTRY(many, "the NIC has one alarm, and the library has a list of alarms")
ENTRY(in_unknown, "callbacks run in gm_unknown()")
ENTRY(wakes, "an alarm ends a blocking receive")
ENTRY(in_callback, "callbacks may set alarms")
ENTRY(broken, "an alarm with arbitrary contents does no harm")
TABLE_END("GM 1.6 alarms")
