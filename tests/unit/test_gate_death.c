/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the gate if a job cannot continue: deadlocks, fatal errors, and ranks
 * that die while they compute, are absent, or hold the lock.
 */
#define _GNU_SOURCE
#include "gate_rig.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

static void body_wait_for_ever(gms_ctx_t *ctx, shared_t *shared)
{
    (void)shared;
    gms_gate_run_events_until_turn(ctx);
    gms_gate_run_events_until_signal(ctx, GMS_NEVER,
                                     "a signal that never arrives");
    gms_gate_unlock(ctx);
}

/* A socket that receives every call of write() as a packet of its own. */
static int writes[2];

static void body_deadlock(gms_ctx_t *ctx, shared_t *shared)
{
    if (dup2(writes[1], STDERR_FILENO) == STDERR_FILENO) {
        body_wait_for_ever(ctx, shared);
    }
}

/* The message about a deadlock is complete, and one call writes it: mpirun can
 * write to the same terminal between two calls. */
static void test_deadlock_is_reported(void)
{
    static const char expected[] =
        "gmsim: deadlock: every process waits, and no pending event can wake a "
        "process\n"
        "gmsim:   rank 0 at 0.000000 ms waits: a signal that never arrives\n"
        "gmsim:   rank 1 at 0.000000 ms waits: a signal that never arrives\n"
        "gmsim:   rank 2 at 0.000000 ms waits: a signal that never arrives\n";
    shared_t *shared;
    char text[1024] = "";
    ssize_t length;

    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_DGRAM, 0, writes), 0);
    CHECK_U64(run(3, body_deadlock, 0, &shared), 3);
    length = recv(writes[0], text, sizeof(text) - 1, MSG_DONTWAIT);
    CHECK_U64(length, sizeof(expected) - 1);
    CU_ASSERT_STRING_EQUAL(text, expected);
    close(writes[0]);
    close(writes[1]);
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

int main(void)
{
    CU_TestInfo tests[] = {
        {"a deadlock is reported", test_deadlock_is_reported},
        {"the death of a rank is noticed", test_death_is_noticed},
        {"a death is noticed after the thread that joined has ended",
         test_death_after_the_thread},
        {"a rank dies while absent", test_death_while_absent},
        {"a fatal error ends all ranks", test_fatal_ends_all},
        {"a death while holding the lock ends the run",
         test_death_with_the_lock_ends_the_run},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"deaths and deadlocks", NULL, NULL, NULL, NULL, tests});
}
