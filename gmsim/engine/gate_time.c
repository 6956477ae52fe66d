/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the time modes `measured`, `wall` and `recorded` of the gate. In
 * these modes, the time that a program spends on computation advances its
 * clock. In the mode `wall`, virtual time also follows real time. In the mode
 * `recorded` (gate_recorded.c), no result depends on real time.
 *
 * A thread is "in the program" from the time it leaves a library until it
 * enters a library again. The thread's clock (CPU time or real time) measures
 * this interval, which is added to the process's clock at the next entry:
 *
 *     library | program                         | library
 *     --------+---------------------------------+------------
 *             base_ps, base_ns        clock = max(clock,
 *                                       base_ps + factor x (now - base_ns))
 *
 * The clock of the process is the maximum of the times of its threads, not
 * their sum. Several threads that compute at the same time take as long as the
 * slowest thread.
 *
 * Other processes need not wait until the thread enters the library. The
 * thread's clock already provides a lower bound for the process's clock at the
 * time of the entry. Therefore, a waiting process reads the clock of the other
 * process's thread, and advances the clock of the other process. Programs can
 * then compute at the same time. The resulting clock may be too low by up to
 * one timer tick of the operating system, but is never too high.
 *
 * If all other processes slept, no process would read that clock. In addition,
 * no process would run the next event when real time reaches the time of the
 * event. Therefore one of the sleepers, the pacer, sleeps only until the next
 * time at which one of these actions may be due.
 */
#define _GNU_SOURCE
#include "engine/gate_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Maximum time by which an event may be run early, that is, before real time
 * reaches the time of the event. Without this tolerance, a process would wake
 * for every event, and each time would be late by about the same amount.
 * Programs cannot notice the early events, because their calls still return at
 * the correct real time. */
#define GMS_GATE_AHEAD_NS UINT64_C(200000)
/* Interval at which another process's CPU time is read. */
#define GMS_GATE_MEASURE_NS UINT64_C(1000000)

/* State of one thread. The state of a process is in its gms_proc_t. The program
 * may create threads, and the gate has no handle for them. */
typedef struct gms_span {
    unsigned depth; /* number of nested calls */
    int tid;        /* 0: the thread has not yet called the library */
    uint8_t has_base;
    uint8_t was_at_gate; /* 1: the current call has reached the gate */
    uint64_t base_ns;
    gms_time_t base_ps;
    uint64_t pending_ns; /* program time that has not yet been added to the
                          * clock */
    uint64_t told_ns;    /* part of pending_ns that has already been reported to
                          * ctx->on_call */
    gms_time_t clock_ps; /* clock of the process when the thread last reached
                          * the gate */
} gms_span_t;

static _Thread_local gms_span_t gms_gate_span;

void gms_gate_set_time(gms_gate_t *gate, enum gms_time_mode mode,
                       uint64_t factor_ppm)
{
    gate->time_mode = (uint32_t)mode;
    gate->factor_ppm = factor_ppm;
}

uint64_t gms_gate_lag_ns(const gms_gate_t *gate)
{
    return gate->lag_ns;
}

/* ---- scales -------------------------------------------------------------- */

/* Convert real time to virtual time. Virtual time is limited to half of the
 * range of its type, so the sum of two times does not overflow. */
static gms_time_t gms_gate_to_ps(const gms_gate_t *gate, uint64_t real_ns)
{
    unsigned __int128 ps = (unsigned __int128)real_ns * gate->factor_ppm / 1000;

    return ps < GMS_NEVER / 2 ? (gms_time_t)ps : GMS_NEVER / 2;
}

/* Convert virtual time to real time. The result is rounded up, so that the
 * virtual time has passed when real time reaches the result. */
static uint64_t gms_gate_to_ns(const gms_gate_t *gate, gms_time_t time_ps)
{
    unsigned __int128 ns =
        ((unsigned __int128)time_ps * 1000 + gate->factor_ppm - 1) /
        gate->factor_ppm;

    return ns < UINT64_MAX / 4 ? (uint64_t)ns : UINT64_MAX / 4;
}

/* Return the real time that corresponds to a virtual time in the time mode
 * `wall'. */
static uint64_t gms_gate_due_ns(const gms_gate_t *gate, gms_time_t time_ps)
{
    return gate->start_ns + gms_gate_to_ns(gate, time_ps);
}

void gms_gate_anchor(gms_gate_t *gate, gms_time_t clock_ps)
{
    uint64_t start_ns;

    if (gate->time_mode != GMS_TIME_WALL) {
        return;
    }
    start_ns = gms_gate_wall_ns() - gms_gate_to_ns(gate, clock_ps);
    /* Change the start only to a later time, so that virtual time is never
     * ahead of real time. */
    if (gate->start_ns == 0 || (int64_t)(start_ns - gate->start_ns) > 0) {
        gate->start_ns = start_ns;
    }
}

/* ---- the program's own time ---------------------------------------------- */

static uint64_t gms_gate_program_ns(const gms_gate_t *gate)
{
    struct timespec now;

    if (gate->time_mode == GMS_TIME_WALL) {
        return gms_gate_wall_ns();
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Return the CPU time of another process's thread, or 0 if the time cannot be
 * read. The value may be slightly too low. CLOCK_THREAD_CPUTIME_ID is not
 * available for other processes. [source: proc(5) has no entry; Linux,
 * Documentation/scheduler/ sched-stats.rst: the first number is the time spent
 * on the cpu, ns] */
static uint64_t gms_gate_foreign_cpu_ns(int pid, int tid)
{
    char text[64];
    ssize_t length;
    int fd;

    snprintf(text, sizeof(text), "/proc/%d/task/%d/schedstat", pid, tid);
    fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    length = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    return strtoull(text, NULL, 10);
}

/* Publish for other processes either the time at which the thread entered the
 * program, or the fact that the thread is in a library. If a reader finds an
 * even phase, the values that it has read may be inconsistent. */
static void gms_gate_publish(gms_proc_t *self, const gms_span_t *span,
                             int in_program)
{
    uint32_t phase = self->program_phase;

    if (self->program_tid != span->tid || self->many_threads ||
        (phase & 1) == (uint32_t)in_program) {
        return;
    }
    if (in_program) {
        __atomic_store_n(&self->program_ns, span->base_ns, __ATOMIC_RELAXED);
        __atomic_store_n(&self->program_ps, span->base_ps, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&self->program_phase, phase + 1, __ATOMIC_SEQ_CST);
}

/* Register the calling thread. If several threads of a process make calls, the
 * time of the process's next call cannot be predicted. */
static void gms_gate_meet_thread(gms_proc_t *self, gms_span_t *span)
{
    int nobody = 0;

    if (span->tid == 0) {
        span->tid = (int)gettid();
    }
    if (__atomic_load_n(&self->program_tid, __ATOMIC_RELAXED) != span->tid &&
        !__atomic_compare_exchange_n(&self->program_tid, &nobody, span->tid, 0,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&self->many_threads, 1, __ATOMIC_SEQ_CST);
    }
}

static void gms_gate_go_to_program(gms_ctx_t *ctx)
{
    gms_span_t *span = &gms_gate_span;

    if (span->was_at_gate || !span->has_base) {
        span->base_ps = span->clock_ps;
        span->base_ns = gms_gate_program_ns(ctx->gate);
        /* a thread that has not reached the gate has no start time for the
         * measurement */
        span->has_base = span->was_at_gate;
    } else {
        span->base_ns = gms_gate_program_ns(ctx->gate) - span->pending_ns;
    }
    span->was_at_gate = 0;
    span->told_ns = span->pending_ns;
    span->pending_ns = 0;
    if (span->has_base) {
        gms_gate_publish(gms_gate_self(ctx), span, 1);
    }
}

void gms_gate_begin_program(gms_ctx_t *ctx)
{
    gms_span_t *span = &gms_gate_span;

    if (!gms_gate_is_real(ctx->gate)) {
        *span = (gms_span_t){.depth = 0};
        return;
    }
    *span = (gms_span_t){.was_at_gate = 1};
    gms_gate_meet_thread(gms_gate_self(ctx), span);
    gms_gate_go_to_program(ctx);
}

/* Report a call to ctx->on_call. Signal handlers must not enter the gate in the
 * meantime. */
static void gms_gate_tell_call(gms_ctx_t *ctx, const char *name,
                               gms_time_t computed_ps)
{
    if (ctx->on_call != NULL) {
        gms_gate_come_inside();
        ctx->on_call(ctx, name, computed_ps);
        gms_gate_go_outside();
    }
}

int gms_gate_has_many_threads(gms_ctx_t *ctx)
{
    return __atomic_load_n(&gms_gate_self(ctx)->many_threads, __ATOMIC_SEQ_CST);
}

void gms_gate_enter(gms_ctx_t *ctx)
{
    gms_gate_enter_call(ctx, GMS_GATE_CALL);
}

void gms_gate_enter_call(gms_ctx_t *ctx, const char *name)
{
    gms_span_t *span = &gms_gate_span;

    if (ctx->gate->time_mode == GMS_TIME_VIRTUAL || span->depth++ > 0) {
        return;
    }
    gms_gate_meet_thread(gms_gate_self(ctx), span);
    if (ctx->gate->time_mode == GMS_TIME_RECORDED) {
        gms_gate_tell_call(ctx, name, 0);
        return;
    }
    /* Publish the change before measuring. Any value that another process has
     * read from the thread's clock is then less than or equal to the value that
     * is measured below. */
    gms_gate_publish(gms_gate_self(ctx), span, 0);
    if (span->has_base) {
        span->pending_ns = gms_gate_program_ns(ctx->gate) - span->base_ns;
    }
    /* Report the difference between two converted times, so that rounding
     * errors do not accumulate. The sum of all reported differences is then
     * exactly the time that is added to the clock. */
    gms_gate_tell_call(ctx, name,
                       gms_gate_to_ps(ctx->gate, span->pending_ns) -
                           gms_gate_to_ps(ctx->gate, span->told_ns));
}

void gms_gate_count(gms_ctx_t *ctx)
{
    gms_span_t *span = &gms_gate_span;
    gms_proc_t *self = gms_gate_self(ctx);
    gms_time_t clock_ps;

    if (span->pending_ns == 0) {
        return;
    }
    clock_ps = span->base_ps + gms_gate_to_ps(ctx->gate, span->pending_ns);
    span->pending_ns = 0;
    if (clock_ps >= GMS_NEVER / 2) {
        gms_gate_release(ctx);
        gms_fatal(ctx, "virtual time exceeds its limit of 106 days");
    }
    if (clock_ps > self->clock_ps) {
        gms_gate_note_busy(ctx, self, GMS_BUSY_COMPUTES, self->clock_ps,
                           clock_ps);
        gms_gate_set(ctx->gate, self, self->state, clock_ps);
    }
}

void gms_gate_note_clock(gms_ctx_t *ctx)
{
    gms_gate_span.clock_ps = gms_gate_self(ctx)->clock_ps;
    gms_gate_span.was_at_gate = 1;
}

static void gms_gate_note_lag(gms_gate_t *gate, uint64_t lag_ns)
{
    uint64_t most_ns = __atomic_load_n(&gate->lag_ns, __ATOMIC_RELAXED);

    while (lag_ns > most_ns &&
           !__atomic_compare_exchange_n(&gate->lag_ns, &most_ns, lag_ns, 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* Wait until real time has caught up with the virtual clock. Other processes
 * interrupt this wait only if a process has died or if this process must
 * end. */
static void gms_gate_keep_pace(gms_ctx_t *ctx, gms_time_t clock_ps)
{
    gms_gate_t *gate = ctx->gate;
    gms_proc_t *self = gms_gate_self(ctx);
    uint64_t due_ns = gms_gate_due_ns(gate, clock_ps);
    uint64_t now_ns = gms_gate_wall_ns();

    if (now_ns >= due_ns) {
        gms_gate_note_lag(gate, now_ns - due_ns);
        return;
    }
    for (; now_ns < due_ns; now_ns = gms_gate_wall_ns()) {
        __atomic_store_n(&self->go, 0, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&gate->broken, __ATOMIC_SEQ_CST)) {
            /* the run is broken, so this call ends the process */
            gms_gate_acquire(ctx);
        }
        gms_gate_sleep(&self->go, 0, due_ns - now_ns);
    }
}

void gms_gate_exit(gms_ctx_t *ctx)
{
    gms_span_t *span = &gms_gate_span;

    if (ctx->gate->time_mode == GMS_TIME_VIRTUAL || span->depth > 1) {
        span->depth -= span->depth > 0;
        return;
    }
    if (ctx->gate->time_mode == GMS_TIME_RECORDED) {
        span->depth = 0;
        gms_gate_compute_recorded(ctx);
        return;
    }
    if (span->was_at_gate && ctx->gate->time_mode == GMS_TIME_WALL) {
        gms_gate_keep_pace(ctx, span->clock_ps);
    }
    span->depth = 0;
    gms_gate_go_to_program(ctx);
}

/* ---- dispatching --------------------------------------------------------- */

/* Return the earliest time of all events and processes that must wait until
 * another process's clock has advanced. */
static gms_time_t gms_gate_wanted_ps(const gms_gate_t *gate, gms_time_t next_ps)
{
    gms_time_t wanted_ps = next_ps;
    unsigned rank;

    for (rank = 0; rank < gate->size; ++rank) {
        const gms_proc_t *proc = &gate->procs[rank];

        if (proc->state == GMS_PROC_READY && proc->clock_ps < wanted_ps) {
            wanted_ps = proc->clock_ps;
        }
    }
    return wanted_ps;
}

/* Return a lower bound of the process's present clock. If the clock cannot be
 * read, the function returns 0, and other processes must wait for the process's
 * next call. */
static gms_time_t gms_gate_progress_ps(gms_gate_t *gate, gms_proc_t *proc,
                                       uint64_t now_ns)
{
    uint32_t phase = __atomic_load_n(&proc->program_phase, __ATOMIC_SEQ_CST);
    uint64_t base_ns = __atomic_load_n(&proc->program_ns, __ATOMIC_RELAXED);
    gms_time_t base_ps = __atomic_load_n(&proc->program_ps, __ATOMIC_RELAXED);
    uint64_t shown_ns = now_ns;

    if ((phase & 1) == 0) {
        return 0;
    }
    if (gate->time_mode == GMS_TIME_MEASURED) {
        shown_ns = gms_gate_foreign_cpu_ns(proc->pid, proc->program_tid);
    }
    if (shown_ns <= base_ns ||
        __atomic_load_n(&proc->many_threads, __ATOMIC_SEQ_CST) ||
        __atomic_load_n(&proc->program_phase, __ATOMIC_SEQ_CST) != phase) {
        return 0;
    }
    return base_ps + gms_gate_to_ps(gate, shown_ns - base_ns);
}

/* Read the computing time of the running process with the lowest clock, and
 * advance its clock, because other processes wait for this clock. */
static enum gms_pace gms_gate_follow(gms_ctx_t *ctx, gms_proc_t *lowest,
                                     gms_time_t wanted_ps, uint64_t now_ns)
{
    gms_gate_t *gate = ctx->gate;
    int is_measured = gate->time_mode == GMS_TIME_MEASURED;
    gms_time_t shown_ps;

    if (lowest->many_threads) {
        /* the process `lowest' continues dispatching at its next call */
        return GMS_PACE_GO;
    }
    if ((__atomic_load_n(&lowest->program_phase, __ATOMIC_RELAXED) & 1) == 0) {
        /* The process may return to its program without another call to this
         * function. Therefore, check the clock again soon. */
        gate->look_ns = now_ns + GMS_GATE_MEASURE_NS;
        return GMS_PACE_GO;
    }
    if (!is_measured || now_ns >= lowest->next_measure_ns) {
        lowest->next_measure_ns = now_ns + GMS_GATE_MEASURE_NS;
        shown_ps = gms_gate_progress_ps(gate, lowest, now_ns);
        if (shown_ps > lowest->clock_ps) {
            gms_gate_note_busy(ctx, lowest, GMS_BUSY_COMPUTES, lowest->clock_ps,
                               shown_ps);
            gms_gate_set(gate, lowest, lowest->state, shown_ps);
            return GMS_PACE_AGAIN;
        }
    }
    gate->look_ns =
        now_ns + gms_gate_to_ns(gate, wanted_ps - lowest->clock_ps) + 1;
    if (is_measured && gate->look_ns < lowest->next_measure_ns) {
        gate->look_ns = lowest->next_measure_ns;
    }
    return GMS_PACE_GO;
}

enum gms_pace gms_gate_pace(gms_ctx_t *ctx, gms_proc_t *lowest,
                            gms_time_t next_ps, uint64_t *now_ns)
{
    gms_gate_t *gate = ctx->gate;

    /* Read the wall clock only once per dispatch. Otherwise the clocks of two
     * processes could overtake each other forever. */
    if (*now_ns == 0) {
        *now_ns = gms_gate_wall_ns();
    }
    gate->look_ns = UINT64_MAX;
    if (lowest != NULL && next_ps >= lowest->clock_ps) {
        gms_time_t wanted_ps = gms_gate_wanted_ps(gate, next_ps);

        return lowest->state == GMS_PROC_RUNNING && wanted_ps != GMS_NEVER
                   ? gms_gate_follow(ctx, lowest, wanted_ps, *now_ns)
                   : GMS_PACE_GO;
    }
    if (gate->time_mode == GMS_TIME_WALL && next_ps != GMS_NEVER) {
        uint64_t due_ns = gms_gate_due_ns(gate, next_ps);

        if (due_ns > *now_ns + GMS_GATE_AHEAD_NS) {
            gate->look_ns = due_ns;
            return GMS_PACE_EARLY;
        }
    }
    return GMS_PACE_GO;
}

/* ---- the pacer ----------------------------------------------------------- */

/* Return 1 if a process sleeps and can be woken to be the pacer. A parked
 * thread sleeps on behalf of its process, but cannot be woken to be the
 * pacer. */
static int gms_gate_is_asleep(const gms_proc_t *proc)
{
    return proc->state == GMS_PROC_READY || proc->state == GMS_PROC_WAITING ||
           proc->state == GMS_PROC_RETURNING;
}

/* Return 1 if there is no future work, or if a pacer will wake in time for the
 * next work. */
static int gms_gate_is_paced(gms_gate_t *gate)
{
    if (gate->pacer >= 0 && !gms_gate_is_asleep(&gate->procs[gate->pacer])) {
        gate->pacer = -1;
    }
    return gate->look_ns == UINT64_MAX ||
           (gate->pacer >= 0 && gate->pacer_ns <= gate->look_ns);
}

uint64_t gms_gate_become_pacer(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    uint64_t now_ns;

    if (gate->pacer == ctx->self_rank) {
        gate->pacer = -1;
    }
    if (gms_gate_is_paced(gate)) {
        return GMS_GATE_WATCH_NS;
    }
    gate->pacer = ctx->self_rank;
    gate->pacer_ns = gate->look_ns;
    now_ns = gms_gate_wall_ns();
    if (gate->look_ns <= now_ns) {
        return 1;
    }
    return gate->look_ns - now_ns < GMS_GATE_WATCH_NS ? gate->look_ns - now_ns
                                                      : GMS_GATE_WATCH_NS;
}

void gms_gate_stop_pacing(gms_ctx_t *ctx)
{
    if (ctx->gate->pacer == ctx->self_rank) {
        ctx->gate->pacer = -1;
    }
}

void gms_gate_pass_pacing_on(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    unsigned rank = 0;

    if (gms_gate_is_paced(gate)) {
        return;
    }
    if (gate->pacer >= 0) {
        rank = (unsigned)gate->pacer;
    }
    while (rank < gate->size && ((int)rank == ctx->self_rank ||
                                 gate->procs[rank].park != GMS_PARK_NONE ||
                                 !gms_gate_is_asleep(&gate->procs[rank]))) {
        ++rank;
    }
    if (rank < gate->size) {
        /* Change the futex word; otherwise a process that is about to sleep
         * would miss the wake-up. */
        __atomic_store_n(&gate->procs[rank].go, 2, __ATOMIC_RELEASE);
        if (ctx->wake_count < GMS_CTX_WAKE_MAX) {
            ctx->wake[ctx->wake_count++] = rank;
        } else {
            gms_gate_wake(&gate->procs[rank].go);
        }
    }
}
