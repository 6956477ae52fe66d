/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the gate's clocks in the time modes that measure real time. The machine
 * may be under load. A test therefore reads the same clock (CPU or real time)
 * just inside and just outside of the measured interval. The time of the gate's
 * clock must lie between both readings. The clock meets this condition
 * regardless of the machine's load. No test expects an action to end within a
 * fixed real time.
 */
#define _GNU_SOURCE
#include "engine/gate.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "time_rig.h"
#include "unit.h"

static unsigned run_measured(uint64_t factor_ppm, rank_main *body)
{
    return run(1, GMS_TIME_MEASURED, factor_ppm, body, NULL);
}

static void compute(gms_ctx_t *ctx, gms_time_t duration_ps)
{
    gms_gate_lock(ctx);
    gms_gate_advance(ctx, duration_ps);
    gms_gate_unlock(ctx);
}

/* ---- virtual ------------------------------------------------------------- */

static void body_virtual(gms_ctx_t *ctx, shared_t *shared)
{
    compute(ctx, 5 * GMS_US);
    burn(20000000);
    shared->seen[0] = look(ctx);
    gms_gate_enter(ctx);
    gms_gate_exit(ctx);
    shared->seen[1] = look(ctx);
}

static void test_nothing_counts(void)
{
    shared_t *shared;

    CHECK_U64(run(1, GMS_TIME_VIRTUAL, 0, body_virtual, &shared), 0);
    CHECK_U64(shared->seen[0], 5 * GMS_US);
    CHECK_U64(shared->seen[1], 5 * GMS_US);
}

/* ---- measured ------------------------------------------------------------ */

/* The clock must advance by a time between the difference of the inner readings
 * and the difference of the outer readings. */
static void body_cpu(gms_ctx_t *ctx, shared_t *shared, unsigned factor)
{
    uint64_t outer_ns = cpu_ns();
    gms_time_t start_ps = look(ctx);
    uint64_t inner_ns = cpu_ns();
    gms_time_t passed_ps;

    burn(50000000);
    inner_ns = cpu_ns() - inner_ns;
    passed_ps = look(ctx) - start_ps;
    outer_ns = cpu_ns() - outer_ns;
    EXPECT_LE(inner_ns * GMS_NS * factor, passed_ps + GMS_NS * factor);
    EXPECT_LE(passed_ps, outer_ns * GMS_NS * factor);
}

static void body_cpu_1(gms_ctx_t *ctx, shared_t *shared)
{
    body_cpu(ctx, shared, 1);
    body_cpu(ctx, shared, 1);
}

static void body_cpu_7(gms_ctx_t *ctx, shared_t *shared)
{
    body_cpu(ctx, shared, 7);
}

static void test_cpu_time_counts(void)
{
    CHECK_U64(run_measured(1000000, body_cpu_1), 0);
    CHECK_U64(run_measured(7000000, body_cpu_7), 0);
}

static void body_half(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t inner_ns = cpu_ns();

    burn(20000000);
    inner_ns = cpu_ns() - inner_ns;
    EXPECT_LE(inner_ns * GMS_NS / 2, look(ctx));
    /* the clock must not be ahead of the whole process's CPU time */
    EXPECT_LE(look(ctx), cpu_ns() * GMS_NS / 2);
}

static void test_a_factor_below_one(void)
{
    CHECK_U64(run_measured(500000, body_half), 0);
}

/* Time during which the thread does not run is not measured. */
static void body_sleep(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t outer_ns = cpu_ns();
    gms_time_t start_ps = look(ctx);

    usleep(100000);
    EXPECT_LE(look(ctx) - start_ps, (cpu_ns() - outer_ns) * GMS_NS);
}

/* Time in a library is not measured either, even if the library itself calls
 * the gate. */
static void body_library(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t outer_ns = cpu_ns(), inside_ns;
    gms_time_t start_ps = look(ctx), passed_ps;

    gms_gate_enter(ctx);
    inside_ns = cpu_ns();
    burn(20000000);
    compute(ctx, GMS_MS);
    burn(20000000);
    gms_gate_enter(ctx);
    gms_gate_exit(ctx);
    burn(20000000);
    inside_ns = cpu_ns() - inside_ns;
    gms_gate_exit(ctx);
    passed_ps = look(ctx) - start_ps;
    outer_ns = cpu_ns() - outer_ns;
    EXPECT_LE(GMS_MS, passed_ps);
    EXPECT_LE(passed_ps, GMS_MS + (outer_ns - inside_ns) * GMS_NS);
    EXPECT_LE(60000000, inside_ns);
}

/* The program's time before a library call is measured, even if the call does
 * not reach the gate. A gms_gate_exit() without a matching gms_gate_enter() has
 * no effect. */
static void body_bystander(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t outer_ns = cpu_ns();
    gms_time_t start_ps = look(ctx), passed_ps;

    burn(10000000);
    gms_gate_enter(ctx);
    gms_gate_exit(ctx);
    burn(10000000);
    passed_ps = look(ctx) - start_ps;
    outer_ns = cpu_ns() - outer_ns;
    EXPECT_LE(20 * GMS_MS, passed_ps + 2 * GMS_NS);
    EXPECT_LE(passed_ps, outer_ns * GMS_NS);
    gms_gate_exit(ctx);
    body_cpu(ctx, shared, 1);
}

/* Check that the duration of a gmsim_compute() call is added to the measured
 * time. */
static void body_sum(gms_ctx_t *ctx, shared_t *shared)
{
    gms_time_t start_ps = look(ctx);

    burn(10000000);
    compute(ctx, GMS_SECOND);
    burn(10000000);
    EXPECT_LE(GMS_SECOND + 20 * GMS_MS, look(ctx) - start_ps + 2 * GMS_NS);
    EXPECT_LE(look(ctx) - start_ps, GMS_SECOND + cpu_ns() * GMS_NS);
}

/* An absent rank runs no program, so its time is not measured. */
static void body_absent(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t outer_ns = cpu_ns(), inside_ns;
    gms_time_t start_ps = look(ctx), passed_ps;

    gms_gate_leave(ctx);
    inside_ns = cpu_ns();
    burn(50000000);
    inside_ns = cpu_ns() - inside_ns;
    gms_gate_rejoin(ctx);
    passed_ps = look(ctx) - start_ps;
    outer_ns = cpu_ns() - outer_ns;
    EXPECT_LE(passed_ps, (outer_ns - inside_ns) * GMS_NS);
    body_cpu(ctx, shared, 1);
}

static void test_other_time_does_not(void)
{
    CHECK_U64(run_measured(1000000, body_sleep), 0);
    CHECK_U64(run_measured(1000000, body_library), 0);
    CHECK_U64(run_measured(1000000, body_bystander), 0);
    CHECK_U64(run_measured(1000000, body_sum), 0);
    CHECK_U64(run_measured(1000000, body_absent), 0);
}

/* ---- measured time with several ranks ---- */

/* Rank 1 waits for 20 ms of virtual time, and rank 0 computes until this wait
 * ends. If other ranks waited for rank 0's next call, this wait would never
 * end. */
static void body_follow(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t start_ns = wall_ns();

    compute(ctx, GMS_US * (1 + (uint64_t)ctx->self_rank));
    if (ctx->self_rank != 0) {
        gms_gate_run_events_until_turn(ctx);
        gms_gate_run_events_until_signal(ctx, 20 * GMS_MS, "20 ms");
        shared->seen[1] = gms_gate_clock(ctx);
        gms_gate_unlock(ctx);
        __atomic_store_n(&shared->flag, 1, __ATOMIC_SEQ_CST);
        return;
    }
    while (!__atomic_load_n(&shared->flag, __ATOMIC_SEQ_CST) &&
           wall_ns() - start_ns < LIMIT_NS) {
    }
    EXPECT_LE(1, (uint64_t)shared->flag);
    EXPECT_LE(20 * GMS_MS, look(ctx));
    EXPECT_LE(look(ctx), cpu_ns() * GMS_NS + GMS_US);
}

static void test_programs_compute_at_the_same_time(void)
{
    shared_t *shared;

    CHECK_U64(run(2, GMS_TIME_MEASURED, 1000000, body_follow, &shared), 0);
    CHECK_U64(shared->seen[1], 20 * GMS_MS);
}

/* No rank overtakes a program that sleeps outside of the library. Rank 1 must
 * not continue until rank 0 makes a call, because the clock of rank 0 does not
 * advance while it sleeps. */
static void body_order(gms_ctx_t *ctx, shared_t *shared)
{
    compute(ctx, GMS_US);
    if (ctx->self_rank == 0) {
        usleep(200000);
        __atomic_store_n(&shared->flag, 1, __ATOMIC_SEQ_CST);
        compute(ctx, GMS_SECOND);
    } else {
        gms_gate_run_events_until_turn(ctx);
        gms_gate_run_events_until_signal(ctx, 500 * GMS_MS, "500 ms");
        EXPECT_LE(1,
                  (uint64_t)__atomic_load_n(&shared->flag, __ATOMIC_SEQ_CST));
        gms_gate_unlock(ctx);
    }
}

static void test_nobody_gets_ahead(void)
{
    CHECK_U64(run(2, GMS_TIME_MEASURED, 1000000, body_order, NULL), 0);
}

/* Ranks alternate between computing and waiting for their turns, many times.
 * Their clocks must never go back, and their turns must be in order. */
static void body_mixed(gms_ctx_t *ctx, shared_t *shared)
{
    gms_time_t before_ps = 0;
    unsigned i;

    for (i = 0; i < 60; ++i) {
        gms_time_t clock_ps;

        burn((uint64_t)((i * 7 + (unsigned)ctx->self_rank * 5) % 11) * 100000);
        gms_gate_run_events_until_turn(ctx);
        clock_ps = gms_gate_clock(ctx);
        EXPECT_LE(before_ps, clock_ps);
        EXPECT_LE(gms_engine_now(ctx->engine), clock_ps);
        EXPECT_LE(shared->seen[0], clock_ps); /* the turns must be in order */
        shared->seen[0] = clock_ps;
        gms_gate_run_events_until_signal(ctx, clock_ps + 300 * GMS_US,
                                         "300 us");
        before_ps = gms_gate_clock(ctx);
        gms_gate_unlock(ctx);
    }
    EXPECT_LE(18 * GMS_MS, before_ps);
}

static void test_turns_stay_in_order(void)
{
    CHECK_U64(run(4, GMS_TIME_MEASURED, 1000000, body_mixed, NULL), 0);
    CHECK_U64(run(4, GMS_TIME_WALL, 1000000, body_mixed, NULL), 0);
}

/* ---- threads ------------------------------------------------------------- */

typedef struct thread_job {
    gms_ctx_t *ctx;
    pthread_mutex_t lock; /* like MPI's lock, which admits only one thread at a
                           * time to the library */
    pthread_barrier_t begun;
    uint64_t outer_ns[2], inner_ns[2];
    int next;
} thread_job_t;

static void *thread_main(void *argument)
{
    thread_job_t *job = argument;
    uint64_t outer_ns = cpu_ns(), inner_ns;
    int self;

    pthread_mutex_lock(&job->lock);
    self = job->next++;
    look(job->ctx);
    pthread_mutex_unlock(&job->lock);
    inner_ns = cpu_ns();
    pthread_barrier_wait(&job->begun);
    burn(30000000);
    job->inner_ns[self] = cpu_ns() - inner_ns;
    pthread_mutex_lock(&job->lock);
    look(job->ctx);
    pthread_mutex_unlock(&job->lock);
    job->outer_ns[self] = cpu_ns() - outer_ns;
    return NULL;
}

static void body_threads(gms_ctx_t *ctx, shared_t *shared)
{
    thread_job_t job = {.ctx = ctx, .lock = PTHREAD_MUTEX_INITIALIZER};
    uint64_t most_ns = cpu_ns();
    gms_time_t start_ps = look(ctx);
    pthread_t threads[2];
    gms_time_t passed_ps;
    int i;

    pthread_barrier_init(&job.begun, NULL, 2);
    for (i = 0; i < 2; ++i) {
        pthread_create(&threads[i], NULL, thread_main, &job);
    }
    for (i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
    }
    gms_gate_lock(ctx);
    passed_ps = gms_gate_clock(ctx) - start_ps;
    gms_gate_unlock(ctx);
    most_ns = cpu_ns() - most_ns;
    for (i = 0; i < 2; ++i) {
        most_ns = job.outer_ns[i] > most_ns ? job.outer_ns[i] : most_ns;
    }
    EXPECT_LE(30 * GMS_MS, passed_ps + GMS_NS);
    /* the clock contains the longest time of any thread, not the sum over all
     * threads */
    EXPECT_LE(passed_ps, most_ns * GMS_NS);
}

static void test_threads_count_once(void)
{
    CHECK_U64(run_measured(1000000, body_threads), 0);
}

/* ---- wall ---------------------------------------------------------------- */

static void on_alarm(int number)
{
    (void)number;
}

static void body_paced(gms_ctx_t *ctx, shared_t *shared)
{
    struct itimerval every = {{0, 700}, {0, 700}};
    struct rusage usage;

    compute(ctx, 100 * GMS_MS);
    /* 50 ms are half of 100 ms, because the factor is 2 */
    EXPECT_LE(50000000, wall_ns() - begun_ns);
    gms_gate_run_events_until_turn(ctx);
    gms_gate_run_events_until_signal(ctx, 200 * GMS_MS, "200 ms");
    gms_gate_unlock(ctx);
    EXPECT_LE(100000000, wall_ns() - begun_ns);
    /* signals interrupt these waits */
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &every, NULL);
    compute(ctx, 200 * GMS_MS);
    EXPECT_LE(200000000, wall_ns() - begun_ns);
    gms_gate_run_events_until_turn(ctx);
    gms_gate_run_events_until_signal(ctx, 600 * GMS_MS, "600 ms");
    gms_gate_unlock(ctx);
    EXPECT_LE(300000000, wall_ns() - begun_ns);
    /* The rank must sleep for most of the time and must not spin, even if the
     * run takes long. */
    getrusage(RUSAGE_SELF, &usage);
    EXPECT_LE(2000 * ((uint64_t)usage.ru_utime.tv_sec * 1000000 +
                      (uint64_t)usage.ru_utime.tv_usec +
                      (uint64_t)usage.ru_stime.tv_sec * 1000000 +
                      (uint64_t)usage.ru_stime.tv_usec),
              wall_ns() - begun_ns);
}

/* Check that events do not run too early. Such an error would not affect the
 * times at which calls return. */
static void body_event(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_run_events_until_turn(ctx);
    gms_gate_run_events_until_signal(ctx, 500 * GMS_MS, "500 ms");
    EXPECT_LE(50000000, wall_ns() - begun_ns + 200000);
    gms_gate_unlock(ctx);
}

static void test_not_ahead_of_real_time(void)
{
    CHECK_U64(run(1, GMS_TIME_WALL, 2000000, body_paced, NULL), 0);
    CHECK_U64(run(1, GMS_TIME_WALL, 10000000, body_event, NULL), 0);
}

static void body_real_time(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t outer_ns = wall_ns();
    gms_time_t start_ps = look(ctx);
    gms_time_t passed_ps;

    usleep(50000);
    passed_ps = look(ctx) - start_ps;
    EXPECT_LE(150 * GMS_MS, passed_ps);
    EXPECT_LE(passed_ps, (wall_ns() - outer_ns) * GMS_NS * 3);
}

static void test_real_time_counts(void)
{
    CHECK_U64(run(1, GMS_TIME_WALL, 3000000, body_real_time, NULL), 0);
}

/* Like body_follow(), but rank 0 waits in real time, like a program that reads
 * from the keyboard. */
static void body_wall_follow(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t start_ns = wall_ns();

    if (ctx->self_rank != 0) {
        gms_gate_run_events_until_turn(ctx);
        gms_gate_run_events_until_signal(ctx, 50 * GMS_MS, "50 ms");
        shared->seen[1] = gms_gate_clock(ctx);
        gms_gate_unlock(ctx);
        EXPECT_LE(50000000, wall_ns() - begun_ns);
        __atomic_store_n(&shared->flag, 1, __ATOMIC_SEQ_CST);
        return;
    }
    look(ctx);
    while (!__atomic_load_n(&shared->flag, __ATOMIC_SEQ_CST) &&
           wall_ns() - start_ns < LIMIT_NS) {
        usleep(1000);
    }
    EXPECT_LE(1, (uint64_t)shared->flag);
}

static void test_others_go_on_in_real_time(void)
{
    shared_t *shared;

    CHECK_U64(run(3, GMS_TIME_WALL, 1000000, body_wall_follow, &shared), 0);
    CHECK_U64(shared->seen[1], 50 * GMS_MS);
}

/* If a library call takes long, virtual time lags behind; if a rank is absent,
 * it does not. */
static void body_late(gms_ctx_t *ctx, shared_t *shared)
{
    gms_time_t clock_ps;
    uint64_t before_ns, back_ns, calls_ns, lag_ns;

    compute(ctx, GMS_MS);
    lag_ns = gms_gate_lag_ns(ctx->gate);
    before_ns = wall_ns();
    gms_gate_leave(ctx);
    calls_ns = wall_ns() - before_ns;
    usleep(60000);
    back_ns = wall_ns();
    gms_gate_rejoin(ctx);
    calls_ns += wall_ns() - back_ns;
    shared->seen[0] = gms_gate_lag_ns(ctx->gate);
    EXPECT_LE(shared->seen[0], lag_ns + calls_ns);
    gms_gate_enter(ctx);
    clock_ps = look(ctx);
    usleep(60000);
    EXPECT_LE(look(ctx), clock_ps);
    gms_gate_exit(ctx);
    EXPECT_LE(59000000, gms_gate_lag_ns(ctx->gate));
    /* The lag is counted from the time at which gms_gate_rejoin() has read the
     * clock. */
    EXPECT_LE(gms_gate_lag_ns(ctx->gate),
              shared->seen[0] + wall_ns() - back_ns);
}

static void test_lateness_is_told(void)
{
    CHECK_U64(run(1, GMS_TIME_WALL, 1000000, body_late, NULL), 0);
}

/* If a run ends with an error, sleeping ranks must also end. */
static void body_abort(gms_ctx_t *ctx, shared_t *shared)
{
    (void)shared;
    if (ctx->self_rank == 0) {
        compute(ctx, 100000 * GMS_SECOND);
    } else {
        usleep(100000);
        gms_gate_abort(ctx);
        _exit(1);
    }
}

static void test_an_error_wakes_the_paced(void)
{
    CHECK_U64(run(2, GMS_TIME_WALL, 1000000, body_abort, NULL), 2);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"virtual: computing does not advance virtual time",
         test_nothing_counts},
        {"measured: CPU time advances virtual time", test_cpu_time_counts},
        {"measured: a factor below 1", test_a_factor_below_one},
        {"measured: other time does not advance virtual time",
         test_other_time_does_not},
        {"measured: ranks compute at the same time",
         test_programs_compute_at_the_same_time},
        {"measured: no rank overtakes another", test_nobody_gets_ahead},
        {"turns stay in order", test_turns_stay_in_order},
        {"measured: the time of threads is counted once",
         test_threads_count_once},
        {"wall: virtual time is never ahead of real time",
         test_not_ahead_of_real_time},
        {"wall: real time advances virtual time", test_real_time_counts},
        {"wall: other ranks continue while one rank waits",
         test_others_go_on_in_real_time},
        {"wall: lateness is reported", test_lateness_is_told},
        {"wall: an error ends the wait", test_an_error_wakes_the_paced},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gate_time", NULL, NULL, NULL, NULL, tests});
}
