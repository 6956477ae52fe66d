/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the gate with real processes. Each test forks ranks that share an
 * arena. The ranks write their observations in order to a log in this arena.
 */
#define _GNU_SOURCE
#include "engine/gate.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/copy.h"
#include "unit.h"

#define ARENA_BYTES (UINT64_C(16) << 20)
#define ON_WAKE     GMS_HANDLER_TEST
#define ON_BUSY     (GMS_HANDLER_TEST + 1)
#define ON_NOTE     (GMS_HANDLER_TEST + 2)
#define ON_WAKE_AT  (GMS_HANDLER_TEST + 3)
#define LOG_MAX     4096

typedef struct shared {
    gms_engine_t *engine;
    gms_gate_t *gate;
    unsigned logged;
    uint64_t log[LOG_MAX];
    uint64_t address;
} shared_t;

typedef void rank_main(gms_ctx_t *ctx, shared_t *shared);

static void on_wake(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_gate_signal(ctx, (unsigned)event->arg[0], event->time_ps);
}

static void on_busy(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_gate_charge_waiter(ctx, (unsigned)event->arg[0], event->time_ps,
                           event->arg[1]);
}

static void note(shared_t *shared, uint64_t value)
{
    if (shared->logged < LOG_MAX) {
        shared->log[shared->logged++] = value;
    }
}

static void on_note(gms_ctx_t *ctx, const gms_event_t *event)
{
    (void)ctx;
    note(event->object, event->arg[0]);
}

/* Wake a rank some time after the event. */
static void on_wake_at(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_gate_signal(ctx, (unsigned)event->arg[0], event->arg[1]);
}

/* number of deaths of rank 1 that have been reported to this process */
static unsigned deaths;

static void on_death(gms_ctx_t *ctx, unsigned rank)
{
    (void)ctx;
    deaths += rank == 1;
}

static shared_t *make_shared(gms_ctx_t *ctx, unsigned size)
{
    void *memory = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    shared_t *shared;

    memset(ctx, 0, sizeof(*ctx));
    ctx->self_rank = -1;
    if (memory == MAP_FAILED ||
        gms_arena_format(memory, ARENA_BYTES, &ctx->arena) != GMS_OK ||
        gms_engine_create(ctx->arena, &ctx->engine) != GMS_OK ||
        gms_gate_create(ctx->arena, size, &ctx->gate) != GMS_OK) {
        abort();
    }
    shared = gms_arena_alloc(ctx->arena, sizeof(*shared));
    gms_gate_register(ctx);
    ctx->handlers[ON_WAKE] = on_wake;
    ctx->handlers[ON_BUSY] = on_busy;
    ctx->handlers[ON_NOTE] = on_note;
    ctx->handlers[ON_WAKE_AT] = on_wake_at;
    /* A rank can be informed of a death while it joins, before its body
     * runs. */
    ctx->on_death = on_death;
    return shared;
}

static pid_t start_rank(gms_ctx_t *ctx, shared_t *shared, unsigned rank,
                        rank_main *body)
{
    unsigned missing;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(60); /* a timer ends a rank that would wait forever */
        if (gms_gate_join(ctx, rank, 60, &missing) != GMS_OK) {
            _exit(99);
        }
        body(ctx, shared);
        gms_gate_finish(ctx);
        _exit(0);
    }
    return pid;
}

/* Run `size` ranks. @return number of ranks that have failed */
static unsigned run(unsigned size, rank_main *body, int staging,
                    shared_t **shared_p)
{
    gms_ctx_t ctx;
    shared_t *shared = make_shared(&ctx, size);
    unsigned bad = 0;
    unsigned rank;
    int how;

    if (staging) {
        gms_gate_force_staging(ctx.gate);
    }
    fflush(NULL);
    for (rank = 0; rank < size; ++rank) {
        start_rank(&ctx, shared, rank, body);
    }
    while (wait(&how) > 0) {
        bad += !WIFEXITED(how) || WEXITSTATUS(how) != 0;
    }
    *shared_p = shared;
    return bad;
}

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

static void body_wait_for_ever(gms_ctx_t *ctx, shared_t *shared)
{
    (void)shared;
    gms_gate_run_events_until_turn(ctx);
    gms_gate_run_events_until_signal(ctx, GMS_NEVER,
                                     "a signal that never arrives");
    gms_gate_unlock(ctx);
}

static void test_deadlock_is_reported(void)
{
    shared_t *shared;

    CHECK_U64(run(3, body_wait_for_ever, 0, &shared), 3);
}

/* Rank 1 dies while it computes. Rank 0 continues to poll, and is informed of
 * the death. */
static void body_death(gms_ctx_t *ctx, shared_t *shared)
{
    if (ctx->self_rank == 1) {
        raise(SIGKILL);
    }
    gms_gate_lock(ctx);
    gms_gate_advance(ctx, GMS_MS);
    gms_gate_unlock(ctx);
    gms_gate_run_events_until_turn(ctx);
    note(shared, deaths);
    gms_gate_unlock(ctx);
}

static void test_death_is_noticed(void)
{
    shared_t *shared;

    CHECK_U64(run(2, body_death, 0, &shared), 1);
    CHECK_U64(shared->logged, 1);
    CHECK_U64(shared->log[0], 1);
}

/* After the thread that joined the job has ended, another thread of rank 1
 * continues to run while rank 0 performs several checks. */
static void *end_later(void *nothing)
{
    static const struct timespec pause = {.tv_sec = 1};

    (void)nothing;
    nanosleep(&pause, NULL);
    raise(SIGKILL);
    return NULL;
}

static void body_death_of_thread(gms_ctx_t *ctx, shared_t *shared)
{
    pthread_t thread;

    if (ctx->self_rank == 1) {
        pthread_create(&thread, NULL, end_later, NULL);
        syscall(SYS_exit, 0); /* this call ends only the calling thread */
    }
    body_death(ctx, shared);
}

/* The kernel marks the lock of rank 1 one second before the process ends. */
static void test_death_after_the_thread(void)
{
    shared_t *shared;

    CHECK_U64(run(2, body_death_of_thread, 0, &shared), 1);
    CHECK_U64(shared->logged, 1);
    CHECK_U64(shared->log[0], 1);
}

/* One rank does not return, and the other ranks continue without it. */
static void body_death_while_absent(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_leave(ctx);
    if (ctx->self_rank == 1) {
        usleep(50000);
        kill(getpid(), SIGKILL);
    }
    gms_gate_rejoin(ctx);
    gms_gate_run_events_until_turn(ctx);
    note(shared, 1);
    gms_gate_unlock(ctx);
}

static void test_death_while_absent(void)
{
    shared_t *shared;

    CHECK_U64(run(3, body_death_while_absent, 0, &shared), 1);
    CHECK_U64(shared->logged, 2);
}

/* One rank aborts the run. The other ranks also end, whether they are sleeping
 * or computing. */
static void body_give_up(gms_ctx_t *ctx, shared_t *shared)
{
    if (ctx->self_rank == 0) {
        usleep(50000);
        gms_fatal(ctx, "rank 0 gives up");
    }
    body_wait_for_ever(ctx, shared);
}

static void test_fatal_ends_all(void)
{
    shared_t *shared;

    CHECK_U64(run(3, body_give_up, 0, &shared), 3);
}

static void body_die_with_lock(gms_ctx_t *ctx, shared_t *shared)
{
    (void)shared;
    gms_gate_run_events_until_turn(ctx);
    if (ctx->self_rank == 0) {
        raise(SIGKILL);
    }
    gms_gate_unlock(ctx);
}

static void test_death_with_the_lock_ends_the_run(void)
{
    shared_t *shared;

    CHECK_U64(run(3, body_die_with_lock, 0, &shared), 3);
}

/* Rank 1 reads and writes private memory of rank 0 on behalf of rank 0. */
static void body_copy(gms_ctx_t *ctx, shared_t *shared)
{
    static char text[64] = "nothing";

    if (ctx->self_rank == 0) {
        void *staged = NULL;

        snprintf(text, sizeof(text), "%s", "from rank 0");
        gms_gate_run_events_until_turn(ctx);
        if (gms_copy_stage(ctx, text, sizeof(text), &staged) != GMS_OK) {
            _exit(94);
        }
        shared->address = staged != NULL ? (uintptr_t)staged : (uintptr_t)text;
        shared->log[100] = (uintptr_t)text;
        gms_gate_run_events_until_signal(ctx, 20 * GMS_US, "rank 1");
        gms_copy_take_in(ctx);
        note(shared, strcmp(text, "from rank 1") == 0);
        gms_gate_unlock(ctx);
    } else {
        char got[64];
        char answer[64] = "from rank 1";

        gms_gate_run_events_until_turn(ctx);
        gms_gate_run_events_until_signal(ctx, 10 * GMS_US, "rank 0");
        note(shared, gms_copy_read(ctx, 0, shared->address, got, sizeof(got)) ==
                             GMS_OK &&
                         strcmp(got, "from rank 0") == 0);
        note(shared, gms_copy_write(ctx, 0, shared->log[100], answer,
                                    sizeof(answer)) == GMS_OK);
        gms_gate_unlock(ctx);
    }
}

static void test_copy(void)
{
    shared_t *shared;
    int staging;

    for (staging = 0; staging < 2; ++staging) {
        CHECK_U64(run(2, body_copy, staging, &shared), 0);
        CHECK_U64(shared->log[0], 1);
        CHECK_U64(shared->log[1], 1);
        CHECK_U64(shared->log[2], 1);
    }
}

/* Write to the rank's own memory after a delay. The first write is complete
 * before the memory is read. The second and the third write overlap, and the
 * overlapping bytes are those of the third write. */
static void body_late(gms_ctx_t *ctx, shared_t *shared)
{
    static char source[] = "0123456789abcdef", target[] = "................";
    uint64_t address = (uintptr_t)target;
    uint64_t *lost_p = gms_arena_alloc(ctx->arena, sizeof(*lost_p));
    gms_ahead_t *ahead;
    char got[17] = "";

    gms_gate_run_events_until_turn(ctx);
    ahead = gms_copy_read_ahead(ctx, 0, (uintptr_t)source, 16);
    if (lost_p == NULL || ahead == NULL) {
        _exit(94);
    }
    gms_copy_write_late(ctx, 0, address, ahead, ahead->data, 4, lost_p);
    note(shared, gms_copy_read(ctx, 0, address, got, 16) == GMS_OK &&
                     strcmp(got, "0123............") == 0);
    gms_copy_write_late(ctx, 0, address + 8, ahead, ahead->data, 8, lost_p);
    gms_copy_write_late(ctx, 0, address + 4, ahead, ahead->data + 8, 8, lost_p);
    gms_copy_take_in(ctx);
    note(shared, strcmp(target, "012389abcdef4567") == 0);
    note(shared, *lost_p);
    gms_ahead_drop(ctx, ahead);
    gms_gate_unlock(ctx);
}

static void test_late_writes(void)
{
    shared_t *shared;

    CHECK_U64(run(1, body_late, 0, &shared), 0);
    CHECK_U64(shared->log[0], 1);
    CHECK_U64(shared->log[1], 1);
    CHECK_U64(shared->log[2], 0);
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
        {"a deadlock is reported", test_deadlock_is_reported},
        {"the death of a rank is noticed", test_death_is_noticed},
        {"a death is noticed after the thread that joined has ended",
         test_death_after_the_thread},
        {"a rank dies while absent", test_death_while_absent},
        {"a fatal error ends all ranks", test_fatal_ends_all},
        {"a death while holding the lock ends the run",
         test_death_with_the_lock_ends_the_run},
        {"copies between ranks", test_copy},
        {"delayed writes to a rank's own memory", test_late_writes},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gate", NULL, NULL, NULL, NULL, tests});
}
