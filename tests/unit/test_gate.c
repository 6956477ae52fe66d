/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the order in which the gate lets ranks run, with real processes:
 * turns, signals, deadlines, and ranks that leave temporarily.
 */
#include "gate_rig.h"

/* Each rank takes turns at its own intervals: rank r has turns at r+1, 2(r+1),
 * 3(r+1) .. us. */
static void body_paces(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t step = (uint64_t)(ctx->self_rank + 1) * GMS_US;
    int i;

    for (i = 0; i < 20; ++i) {
        gms_gate_run_events_until_turn(ctx);
        gms_gate_advance(ctx, step);
        gms_gate_unlock(ctx);
        gms_gate_run_events_until_turn(ctx);
        note(shared, gms_gate_clock(ctx) * 16 + (uint64_t)ctx->self_rank);
        gms_gate_unlock(ctx);
    }
}

static void test_turns_are_in_order(void)
{
    shared_t *first;
    shared_t *second;
    unsigned i;
    unsigned disorder = 0;

    CHECK_U64(run(4, body_paces, 0, &first), 0);
    CHECK_U64(first->logged, 80);
    for (i = 1; i < first->logged; ++i) {
        disorder += first->log[i] < first->log[i - 1];
    }
    CHECK_U64(disorder, 0);
    CHECK_U64(run(4, body_paces, 0, &second), 0);
    CU_ASSERT_TRUE(memcmp(first->log, second->log, sizeof(first->log)) == 0);
}

/* Rank 0 posts a wake-up for rank 1 at 50 us, and rank 1 sleeps until that
 * time. */
static void body_signal(gms_ctx_t *ctx, shared_t *shared)
{
    if (ctx->self_rank == 0) {
        gms_gate_lock(ctx);
        gms_engine_schedule(ctx, gms_gate_origin(ctx),
                            gms_gate_clock(ctx) + 50 * GMS_US, ON_WAKE, NULL, 1,
                            0);
        gms_gate_advance(ctx, GMS_US);
        gms_gate_unlock(ctx);
    } else {
        int signalled;

        gms_gate_run_events_until_turn(ctx);
        signalled =
            gms_gate_run_events_until_signal(ctx, GMS_NEVER, "a signal");
        note(shared, (uint64_t)signalled);
        note(shared, gms_gate_clock(ctx));
        gms_gate_unlock(ctx);
    }
}

static void test_signal_sets_the_clock(void)
{
    shared_t *shared;

    CHECK_U64(run(2, body_signal, 0, &shared), 0);
    CHECK_U64(shared->log[0], 1);
    CHECK_U64(shared->log[1], 50 * GMS_US);
}

/* The events are at 10 and 20 us, and the rank's turn is at 20 us. */
static void body_event_at_clock(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_lock(ctx);
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 10 * GMS_US, ON_NOTE, shared,
                        1, 0);
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 20 * GMS_US, ON_NOTE, shared,
                        3, 0);
    gms_gate_advance(ctx, 20 * GMS_US);
    gms_gate_unlock(ctx);
    gms_gate_run_events_until_turn(ctx);
    note(shared, 2);
    gms_gate_advance(ctx, GMS_US);
    gms_gate_unlock(ctx);
    gms_gate_run_events_until_turn(ctx);
    note(shared, 4);
    gms_gate_unlock(ctx);
}

/* If a rank's clock equals the time of an event, the rank continues first,
 * because it could post another event that precedes this event. */
static void test_rank_before_event(void)
{
    shared_t *shared;
    unsigned i;

    CHECK_U64(run(1, body_event_at_clock, 0, &shared), 0);
    CHECK_U64(shared->logged, 4);
    for (i = 0; i < 4; ++i) {
        CHECK_U64(shared->log[i], i + 1);
    }
}

/* Rank 1 waits for its turn at 5 us. Meanwhile, an event at 4 us wakes rank 0
 * at 5 us. */
static void body_tie(gms_ctx_t *ctx, shared_t *shared)
{
    if (ctx->self_rank == 0) {
        gms_gate_run_events_until_turn(ctx);
        gms_gate_run_events_until_signal(ctx, GMS_NEVER, "a signal");
    } else {
        gms_gate_lock(ctx);
        gms_engine_schedule(ctx, gms_gate_origin(ctx), 4 * GMS_US, ON_WAKE_AT,
                            NULL, 0, 5 * GMS_US);
        gms_gate_advance(ctx, 5 * GMS_US);
        gms_gate_unlock(ctx);
        gms_gate_run_events_until_turn(ctx);
    }
    note(shared, gms_gate_clock(ctx));
    note(shared, (uint64_t)ctx->self_rank);
    gms_gate_unlock(ctx);
}

/* If two ranks have the same clock, the rank with the lower number continues
 * first. */
static void test_tie(void)
{
    shared_t *shared;

    CHECK_U64(run(2, body_tie, 0, &shared), 0);
    CHECK_U64(shared->log[0], 5 * GMS_US);
    CHECK_U64(shared->log[1], 0);
    CHECK_U64(shared->log[2], 5 * GMS_US);
    CHECK_U64(shared->log[3], 1);
}

/* A signal at 10 us arrives while the rank waits for its turn at 20 us. The
 * next wait ends immediately, but the wait after that does not. */
static void body_early_signal(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_lock(ctx);
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 10 * GMS_US, ON_WAKE, NULL,
                        0, 0);
    gms_gate_advance(ctx, 20 * GMS_US);
    gms_gate_unlock(ctx);
    gms_gate_run_events_until_turn(ctx);
    note(shared, (uint64_t)gms_gate_run_events_until_signal(ctx, 40 * GMS_US,
                                                            "a signal"));
    note(shared, gms_gate_clock(ctx));
    note(shared,
         (uint64_t)gms_gate_run_events_until_signal(ctx, 40 * GMS_US, "40 us"));
    note(shared, gms_gate_clock(ctx));
    gms_gate_unlock(ctx);
}

static void test_early_signal(void)
{
    uint64_t expected[] = {1, 20 * GMS_US, 0, 40 * GMS_US};
    shared_t *shared;
    unsigned i;

    CHECK_U64(run(1, body_early_signal, 0, &shared), 0);
    for (i = 0; i < 4; ++i) {
        CHECK_U64(shared->log[i], expected[i]);
    }
}

/* The rank's clock is already past the deadline, so the wait ends before the
 * event at 30 us, which would wake the rank. */
static void body_past_deadline(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_lock(ctx);
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 30 * GMS_US, ON_WAKE, NULL,
                        0, 0);
    gms_gate_advance(ctx, 100 * GMS_US);
    note(shared,
         (uint64_t)gms_gate_run_events_until_signal(ctx, 50 * GMS_US, "50 us"));
    note(shared, gms_gate_clock(ctx));
    gms_gate_unlock(ctx);
}

static void test_past_deadline(void)
{
    shared_t *shared;

    CHECK_U64(run(1, body_past_deadline, 0, &shared), 0);
    CHECK_U64(shared->log[0], 0);
    CHECK_U64(shared->log[1], 100 * GMS_US);
}

/* The first wait ends at its deadline. A signal ends the second wait before its
 * deadline. */
static void body_deadline(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_run_events_until_turn(ctx);
    note(shared,
         (uint64_t)gms_gate_run_events_until_signal(ctx, 30 * GMS_US, "30 us"));
    note(shared, gms_gate_clock(ctx));
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 40 * GMS_US, ON_WAKE, NULL,
                        0, 0);
    note(shared, (uint64_t)gms_gate_run_events_until_signal(ctx, 60 * GMS_US,
                                                            "a signal"));
    note(shared, gms_gate_clock(ctx));
    note(shared,
         (uint64_t)gms_gate_run_events_until_signal(ctx, 90 * GMS_US, "90 us"));
    note(shared, gms_gate_clock(ctx));
    gms_gate_unlock(ctx);
}

/* A rank sleeps although it does not have its turn, and its clock is already
 * later than two signals. The first signal ends this sleep at the rank's own
 * clock. The second signal is older than this wake-up, so it does not end the
 * next wait. */
static void body_no_turn(gms_ctx_t *ctx, shared_t *shared)
{
    unsigned us;

    gms_gate_lock(ctx);
    for (us = 50; us <= 60; us += 10) {
        gms_engine_schedule(ctx, gms_gate_origin(ctx), us * GMS_US, ON_WAKE,
                            NULL, 0, 0);
    }
    gms_gate_advance(ctx, 100 * GMS_US);
    gms_gate_clear_signal(ctx);
    note(shared, (uint64_t)gms_gate_run_events_until_signal(ctx, GMS_NEVER,
                                                            "a signal"));
    note(shared, gms_gate_clock(ctx));
    note(shared, (uint64_t)gms_gate_run_events_until_signal(ctx, 130 * GMS_US,
                                                            "130 us"));
    note(shared, gms_gate_clock(ctx));
    gms_gate_unlock(ctx);
}

static void test_sleep_without_a_turn(void)
{
    shared_t *shared;

    CHECK_U64(run(1, body_no_turn, 0, &shared), 0);
    CHECK_U64(shared->log[0], 1);
    CHECK_U64(shared->log[1], 100 * GMS_US);
    CHECK_U64(shared->log[2], 0);
    CHECK_U64(shared->log[3], 130 * GMS_US);
}

/* An event 40 us after the start keeps a sleeping rank busy for 25 us. A
 * wake-up at 50 us therefore takes effect at 65 us, and a wake-up at 70 us
 * takes effect at 70 us. */
static void body_busy(gms_ctx_t *ctx, shared_t *shared)
{
    unsigned i;

    for (i = 0; i < 2; ++i) {
        gms_time_t start_ps;

        gms_gate_run_events_until_turn(ctx);
        start_ps = gms_gate_clock(ctx);
        gms_engine_schedule(ctx, gms_gate_origin(ctx), start_ps + 40 * GMS_US,
                            ON_BUSY, NULL, 0, 25 * GMS_US);
        gms_engine_schedule(ctx, gms_gate_origin(ctx),
                            start_ps + (50 + 20 * i) * GMS_US, ON_WAKE, NULL, 0,
                            0);
        gms_gate_clear_signal(ctx);
        note(shared, (uint64_t)gms_gate_run_events_until_signal(ctx, GMS_NEVER,
                                                                "a signal"));
        note(shared, gms_gate_clock(ctx) - start_ps);
        gms_gate_unlock(ctx);
    }
    /* A rank that does not wait is not kept busy. */
    gms_gate_run_events_until_turn(ctx);
    note(shared,
         (uint64_t)gms_gate_charge_waiter(ctx, 0, gms_gate_clock(ctx), 1));
    gms_gate_unlock(ctx);
}

static void test_busy_sleeper(void)
{
    shared_t *shared;

    CHECK_U64(run(1, body_busy, 0, &shared), 0);
    CHECK_U64(shared->log[0], 1);
    CHECK_U64(shared->log[1], 65 * GMS_US);
    CHECK_U64(shared->log[2], 1);
    CHECK_U64(shared->log[3], 70 * GMS_US);
    CHECK_U64(shared->log[4], 0);
}

/* Two tasks keep a sleeping rank busy. The task at 40 us takes 25 us. The task
 * at 50 us takes 10 us and begins after the first task, so it ends at 40 + 25 +
 * 10 = 75 us. */
static void body_two_tasks(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_run_events_until_turn(ctx);
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 40 * GMS_US, ON_BUSY, NULL,
                        0, 25 * GMS_US);
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 50 * GMS_US, ON_BUSY, NULL,
                        0, 10 * GMS_US);
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 70 * GMS_US, ON_WAKE, NULL,
                        0, 0);
    gms_gate_clear_signal(ctx);
    gms_gate_run_events_until_signal(ctx, GMS_NEVER, "a signal");
    note(shared, gms_gate_clock(ctx));
    gms_gate_unlock(ctx);
}

static void test_two_tasks(void)
{
    shared_t *shared;

    CHECK_U64(run(1, body_two_tasks, 0, &shared), 0);
    CHECK_U64(shared->log[0], 75 * GMS_US);
}

static void body_no_duration(gms_ctx_t *ctx, shared_t *shared)
{
    gms_time_t before_ps;

    gms_gate_run_events_until_turn(ctx);
    before_ps = gms_gate_clock(ctx);
    gms_gate_advance(ctx, 0);
    gms_gate_advance(ctx, 0);
    note(shared, gms_gate_clock(ctx) - before_ps);
    gms_gate_unlock(ctx);
}

/* A call without a duration takes 1 ps, so that a loop of such calls makes
 * progress. */
static void test_every_call_takes_time(void)
{
    shared_t *shared;

    CHECK_U64(run(1, body_no_duration, 0, &shared), 0);
    CHECK_U64(shared->log[0], 2);
}

static void test_deadline(void)
{
    uint64_t expected[] = {0, 30 * GMS_US, 1, 40 * GMS_US, 0, 90 * GMS_US};
    shared_t *shared;
    unsigned i;

    CHECK_U64(run(1, body_deadline, 0, &shared), 0);
    for (i = 0; i < 6; ++i) {
        CHECK_U64(shared->log[i], expected[i]);
    }
}

/* Absent ranks do not delay other ranks. When they return, their clocks are set
 * to the highest clock of any rank. */
static void body_absent(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_lock(ctx);
    gms_gate_advance(ctx, (uint64_t)(ctx->self_rank + 1) * GMS_MS);
    gms_gate_unlock(ctx);
    gms_gate_leave(ctx);
    if (ctx->self_rank == 0) {
        usleep(100000);
    }
    gms_gate_rejoin(ctx);
    gms_gate_run_events_until_turn(ctx);
    note(shared, gms_gate_clock(ctx));
    gms_gate_unlock(ctx);
}

static void test_absent_come_back_together(void)
{
    shared_t *shared;
    unsigned i;

    CHECK_U64(run(3, body_absent, 0, &shared), 0);
    for (i = 0; i < 3; ++i) {
        CHECK_U64(shared->log[i], 3 * GMS_MS);
    }
}

/* Events that a rank has posted before it leaves run while all ranks are
 * absent. No rank returns at a time before these events. */
static void body_absent_with_work(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_lock(ctx);
    gms_engine_schedule(ctx, gms_gate_origin(ctx), 7 * GMS_MS, ON_WAKE, NULL, 0,
                        0);
    gms_gate_unlock(ctx);
    gms_gate_leave(ctx);
    gms_gate_rejoin(ctx);
    gms_gate_run_events_until_turn(ctx);
    note(shared, gms_gate_clock(ctx));
    gms_gate_unlock(ctx);
}

static void test_nobody_comes_back_into_the_past(void)
{
    shared_t *shared;

    CHECK_U64(run(2, body_absent_with_work, 0, &shared), 0);
    CHECK_U64(shared->log[0], 7 * GMS_MS);
    CHECK_U64(shared->log[1], 7 * GMS_MS);
}

static void test_missing_rank(void)
{
    gms_ctx_t ctx;
    unsigned missing = 9;
    int how;

    make_shared(&ctx, 2);
    fflush(NULL);
    if (fork() == 0) {
        _exit(gms_gate_join(&ctx, 0, 0, &missing) == GMS_ERR_TIMED_OUT &&
                      missing == 1
                  ? 0
                  : 1);
    }
    wait(&how);
    CHECK_U64(how, 0);
}

static void test_bad_size(void)
{
    gms_ctx_t ctx;
    gms_gate_t *gate = NULL;

    make_shared(&ctx, 1);
    CHECK_U64(gms_gate_create(ctx.arena, 0, &gate), GMS_ERR_INVALID_PARAM);
    CU_ASSERT_PTR_NULL(gate);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"invalid size", test_bad_size},
        {"a rank is missing", test_missing_rank},
        {"ranks take turns in the order of their clocks",
         test_turns_are_in_order},
        {"a signal sets the clock", test_signal_sets_the_clock},
        {"a rank continues before an event at its clock",
         test_rank_before_event},
        {"ranks with the same clock", test_tie},
        {"a signal that arrives before the wait", test_early_signal},
        {"a deadline in the past", test_past_deadline},
        {"a sleeping rank with two tasks", test_two_tasks},
        {"every call takes time", test_every_call_takes_time},
        {"a deadline passes", test_deadline},
        {"a rank sleeps without waiting for its turn",
         test_sleep_without_a_turn},
        {"a task delays the wake-up of a sleeping rank", test_busy_sleeper},
        {"several absent ranks return at the same time",
         test_absent_come_back_together},
        {"no rank returns into the past", test_nobody_comes_back_into_the_past},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gate", NULL, NULL, NULL, NULL, tests});
}
