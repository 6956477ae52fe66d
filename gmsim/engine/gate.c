/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the gate. The core of the gate is gms_gate_dispatch(). This
 * function runs events as long as the next event is earlier than the clock of
 * every process that can still post. After that, the function lets the process
 * with the lowest clock continue. Every function that changes a clock or a
 * state calls gms_gate_dispatch() before it releases the lock, so work that is
 * ready never waits for another call.
 *
 * The gate wakes a process only after it has released the lock. Otherwise, the
 * process could run on the same core and block on the lock, which would cost
 * two more context switches.
 */
#define _GNU_SOURCE
#include "engine/gate_int.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/ranks.h"

#define GMS_GATE_ON_DEADLINE GMS_HANDLER_ENGINE

static void gms_gate_on_deadline(gms_ctx_t *ctx, const gms_event_t *event);

void gms_gate_init_proc(gms_gate_t *gate, unsigned rank)
{
    gate->post_ps[rank] = GMS_NEVER;
    gms_gate_mutex_init(&gate->procs[rank].life);
    gate->procs[rank].origin.id = GMS_ORIGIN_RANK + rank;
}

gms_status_t gms_gate_create_spare(gms_arena_t *arena, unsigned size,
                                   unsigned spare, gms_gate_t **gate_p)
{
    const unsigned most = GMS_ORIGIN_MAX - GMS_ORIGIN_RANK;
    size_t capacity = size;
    gms_gate_t *gate;
    unsigned rank;

    if (size == 0 || size > most) {
        return GMS_ERR_INVALID_PARAM;
    }
    capacity += spare < most - size ? spare : most - size;
    gate = gms_arena_alloc(arena,
                           sizeof(*gate) + capacity * sizeof(gate->procs[0]));
    if (gate == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    gate->post_ps = gms_arena_alloc(arena, capacity * sizeof(gate->post_ps[0]));
    if (gate->post_ps == NULL) {
        gms_arena_free(arena, gate);
        return GMS_ERR_NO_MEMORY;
    }
    gms_gate_mutex_init(&gate->lock);
    gate->size = size;
    gate->capacity = (uint32_t)capacity;
    gate->holder = -1;
    gate->lowest = GMS_LOWEST_NONE;
    gate->pacer = -1;
    for (rank = 0; rank < size; ++rank) {
        gms_gate_init_proc(gate, rank);
    }
    *gate_p = gate;
    return GMS_OK;
}

gms_status_t gms_gate_create(gms_arena_t *arena, unsigned size,
                             gms_gate_t **gate_p)
{
    return gms_gate_create_spare(arena, size, 0, gate_p);
}

void gms_gate_set_host_name(gms_gate_t *gate, unsigned rank,
                            const char *host_name)
{
    snprintf(gate->procs[rank].host_name, sizeof(gate->procs[rank].host_name),
             "%.15s", host_name);
}

void gms_gate_register(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_GATE_ON_DEADLINE] = gms_gate_on_deadline;
}

void gms_gate_set(gms_gate_t *gate, gms_proc_t *proc, enum gms_proc_state state,
                  gms_time_t clock_ps)
{
    int can_post = state == GMS_PROC_RUNNING || state == GMS_PROC_READY ||
                   state == GMS_PROC_EXPECTED ||
                   (proc->holds &&
                    (state == GMS_PROC_ABSENT || state == GMS_PROC_RETURNING));
    gms_time_t post_ps = can_post ? clock_ps : GMS_NEVER;
    int rank = (int)(proc - gate->procs);
    gms_time_t before_ps = gate->post_ps[rank];

    /* processes that watch this rank read both fields without the lock */
    __atomic_store_n(&proc->state, state, __ATOMIC_RELAXED);
    __atomic_store_n(&proc->clock_ps, clock_ps, __ATOMIC_RELAXED);
    gate->post_ps[rank] = post_ps;
    if (gate->lowest == rank) {
        if (post_ps > before_ps) {
            gate->lowest = GMS_LOWEST_UNKNOWN;
        }
    } else if (gate->lowest == GMS_LOWEST_NONE) {
        gate->lowest = can_post ? rank : GMS_LOWEST_NONE;
    } else if (gate->lowest >= 0) {
        gms_time_t least_ps = gate->post_ps[gate->lowest];

        if (post_ps < least_ps ||
            (post_ps == least_ps && rank < gate->lowest)) {
            gate->lowest = rank;
        }
    }
}

static void gms_gate_find_lowest(gms_gate_t *gate)
{
    gms_time_t least_ps = GMS_NEVER;
    unsigned rank;

    gate->lowest = GMS_LOWEST_NONE;
    for (rank = 0; rank < gate->size; ++rank) {
        if (gate->post_ps[rank] < least_ps) {
            least_ps = gate->post_ps[rank];
            gate->lowest = (int)rank;
        }
    }
}

/* Return the process with the lowest (clock, rank) of all processes that can
 * still post. */
static gms_proc_t *gms_gate_lowest(gms_gate_t *gate)
{
    if (gate->lowest == GMS_LOWEST_UNKNOWN) {
        gms_gate_find_lowest(gate);
    }
    return gate->lowest >= 0 ? &gate->procs[gate->lowest] : NULL;
}

/* Return the time of the next event if no process can post. Only two kinds of
 * events are considered: events that keep the simulation alive, and background
 * events that are earlier than the clock of a waiting process. In simulated
 * time, such a background event occurred before the process began to wait. */
static inline __attribute__((always_inline)) gms_time_t
gms_gate_next_ps(const gms_ctx_t *ctx)
{
    const gms_gate_t *gate = ctx->gate;
    gms_time_t next_ps = gms_engine_next_ps(ctx->engine);
    unsigned rank;

    if (!gms_engine_is_idle(ctx->engine)) {
        return next_ps;
    }
    for (rank = 0; rank < gate->size; ++rank) {
        if (gate->procs[rank].state == GMS_PROC_WAITING &&
            gate->procs[rank].clock_ps > next_ps) {
            return next_ps;
        }
    }
    return GMS_NEVER;
}

/* Return 1 if at least one process can still continue when no events of the
 * simulation remain. */
static int gms_gate_is_hope(const gms_gate_t *gate)
{
    int waiting = 0;
    unsigned rank;

    for (rank = 0; rank < gate->size; ++rank) {
        switch (gate->procs[rank].state) {
        case GMS_PROC_ABSENT:
        case GMS_PROC_JOINED:
        case GMS_PROC_UNBORN:
        case GMS_PROC_EXPECTED:
        case GMS_PROC_RUNNING:
        case GMS_PROC_READY:
            return 1;
        case GMS_PROC_WAITING:
            if (gms_gate_has_free_thread(&gate->procs[rank])) {
                return 1;
            }
            waiting = 1;
            break;
        case GMS_PROC_RETURNING:
        case GMS_PROC_FINISHED:
        case GMS_PROC_DEAD:
            break;
        }
    }
    return !waiting;
}

void gms_gate_to_wake(gms_ctx_t *ctx, gms_proc_t *proc)
{
    /* the binder's thread reads the number without the lock */
    __atomic_store_n(&ctx->gate->handovers, ctx->gate->handovers + 1,
                     __ATOMIC_RELAXED);
    if (ctx->wake_count < GMS_CTX_WAKE_MAX) {
        ctx->wake[ctx->wake_count++] = (uint32_t)(proc - ctx->gate->procs);
    } else {
        gms_gate_wake_proc(proc);
    }
}

static void gms_gate_let_go(gms_ctx_t *ctx, gms_proc_t *proc)
{
    gms_gate_set(ctx->gate, proc, GMS_PROC_RUNNING, proc->clock_ps);
    __atomic_store_n(&proc->go, 1, __ATOMIC_RELEASE);
    if (proc->park == GMS_PARK_OVER) {
        gms_gate_unpark(proc);
    } else if (proc == gms_gate_self(ctx)) {
        return;
    }
    gms_gate_to_wake(ctx, proc);
}

/* End this process if it has executed the event that kills its own rank. The
 * process first releases the lock, so that the other processes can continue. */
static void gms_gate_end_if_killed(gms_ctx_t *ctx)
{
    if (gms_gate_self(ctx)->state == GMS_PROC_DEAD) {
        gms_gate_release(ctx);
        raise(SIGKILL);
    }
}

/* Return the process with the lowest clock of all processes that can still
 * post, or NULL. Set *next_ps to the time of the next event. If no process can
 * post, the function considers only the events that gms_gate_next_ps()
 * considers. */
static inline gms_proc_t *gms_gate_see(gms_ctx_t *ctx, gms_time_t *next_ps)
{
    gms_proc_t *lowest = gms_gate_lowest(ctx->gate);

    *next_ps = lowest != NULL ? gms_engine_next_ps(ctx->engine)
                              : gms_gate_next_ps(ctx);
    return lowest;
}

/* Execute the next possible action of the gate.
 * @return 0 if no action is possible */
static inline int gms_gate_do(gms_ctx_t *ctx, gms_proc_t *lowest,
                              gms_time_t next_ps)
{
    if (next_ps < (lowest != NULL ? lowest->clock_ps : GMS_NEVER)) {
        gms_engine_step(ctx);
    } else if (lowest != NULL && lowest->state == GMS_PROC_READY) {
        gms_gate_let_go(ctx, lowest);
    } else if (lowest == NULL && !gms_gate_is_hope(ctx->gate)) {
        gms_gate_deadlock(ctx);
    } else {
        return 0;
    }
    return 1;
}

/* This code is in a separate function, so that it costs only one branch in the
 * time modes `virtual' and `recorded'. */
static void __attribute__((noinline, cold))
gms_gate_dispatch_paced(gms_ctx_t *ctx)
{
    enum gms_pace pace;
    uint64_t now_ns = 0;
    gms_proc_t *lowest;
    gms_time_t next_ps;

    do {
        lowest = gms_gate_see(ctx, &next_ps);
        pace = gms_gate_pace(ctx, lowest, next_ps, &now_ns);
    } while (pace == GMS_PACE_AGAIN ||
             (pace == GMS_PACE_GO && gms_gate_do(ctx, lowest, next_ps)));
}

static void gms_gate_dispatch_own(gms_ctx_t *ctx)
{
    if (!gms_gate_is_real(ctx->gate)) {
        gms_proc_t *lowest;
        gms_time_t next_ps;

        do {
            lowest = gms_gate_see(ctx, &next_ps);
        } while (gms_gate_do(ctx, lowest, next_ps));
    } else {
        gms_gate_dispatch_paced(ctx);
    }
    gms_gate_end_if_killed(ctx);
}

void gms_gate_dispatch(gms_ctx_t *ctx)
{
    if (ctx->dispatch != NULL) {
        ctx->dispatch(ctx);
    } else {
        gms_gate_dispatch_own(ctx);
    }
}

/* The first rank's copy remains in memory until the end of the process, because
 * gmqos-ranks never unloads a library. */
void gms_gate_share_code(gms_ctx_t *ctx)
{
    static gms_handler_fn *handlers[GMS_HANDLER_MAX];
    gms_ranks_t *ranks = gms_ranks();

    if (ranks == NULL) {
        return;
    }
    if (ranks->dispatch == NULL) {
        memcpy(handlers, ctx->handlers, sizeof(handlers));
        ranks->handlers = handlers;
        ranks->dispatch = gms_gate_dispatch_own;
    }
    memcpy(ctx->handlers, ranks->handlers, sizeof(ctx->handlers));
    ctx->dispatch = ranks->dispatch;
}

static void __attribute__((noinline, cold)) gms_gate_lock_paced(gms_ctx_t *ctx)
{
    gms_gate_enter(ctx);
    gms_gate_acquire(ctx);
    gms_gate_enter_parked(ctx);
    gms_gate_count(ctx);
}

void gms_gate_lock(gms_ctx_t *ctx)
{
    if (ctx->gate->time_mode == GMS_TIME_VIRTUAL) {
        gms_gate_acquire(ctx);
        gms_gate_enter_parked(ctx);
    } else {
        gms_gate_lock_paced(ctx);
    }
}

/* Execute all possible actions of the gate and release the lock. The process
 * remains in the library. */
static void __attribute__((noinline)) gms_gate_go(gms_ctx_t *ctx)
{
    int is_paced = gms_gate_is_real(ctx->gate);

    if (is_paced) {
        gms_gate_note_clock(ctx);
    }
    gms_gate_dispatch(ctx);
    if (is_paced) {
        gms_gate_pass_pacing_on(ctx);
    }
    gms_gate_release(ctx);
}

static void __attribute__((noinline, cold))
gms_gate_unlock_paced(gms_ctx_t *ctx)
{
    gms_gate_leave_parked(ctx);
    gms_gate_go(ctx);
    gms_gate_exit(ctx);
}

void gms_gate_unlock(gms_ctx_t *ctx)
{
    if (ctx->gate->time_mode == GMS_TIME_VIRTUAL) {
        gms_gate_leave_parked(ctx);
        gms_gate_dispatch(ctx);
        gms_gate_release(ctx);
    } else {
        gms_gate_unlock_paced(ctx);
    }
}

/* Sleep until the process is running again. The caller must hold the lock, and
 * holds it again when the function returns. */
static void gms_gate_until_running(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);
    int is_paced = gms_gate_is_real(ctx->gate);
    uint64_t nap_ns = ctx->is_watched ? 0 : GMS_GATE_WATCH_NS;

    gms_gate_come_inside();
    __atomic_store_n(&self->go, 0, __ATOMIC_SEQ_CST);
    if (gms_gate_has_death(ctx->gate)) {
        gms_gate_watch(ctx);
    }
    gms_gate_dispatch(ctx);
    while (self->state != GMS_PROC_RUNNING) {
        if (is_paced) {
            nap_ns = gms_gate_become_pacer(ctx);
        }
        gms_gate_release(ctx);
        gms_gate_sleep(&self->go, 0, nap_ns);
        gms_gate_acquire(ctx);
        if (self->state != GMS_PROC_RUNNING) {
            __atomic_store_n(&self->go, 0, __ATOMIC_SEQ_CST);
            gms_gate_watch(ctx);
            if (self->state == GMS_PROC_RETURNING) {
                gms_gate_try_return(ctx); /* a rank for which other ranks wait
                                           * may be dead */
            }
            gms_gate_dispatch(ctx);
        }
    }
    if (is_paced) {
        gms_gate_stop_pacing(ctx);
    }
    gms_gate_go_outside();
}

void gms_gate_run_events_until_turn_locked(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);

    assert(self->state == GMS_PROC_RUNNING);
    gms_gate_set(ctx->gate, self, GMS_PROC_READY, self->clock_ps);
    gms_gate_until_running(ctx);
}

void gms_gate_run_events_until_turn(gms_ctx_t *ctx)
{
    gms_gate_lock(ctx);
    gms_gate_run_events_until_turn_locked(ctx);
}

void gms_gate_say(gms_ctx_t *ctx, gms_proc_t *proc, gms_wait_text_t what)
{
    size_t length = strnlen(what, sizeof(proc->waits_for) - 1);

    memcpy(proc->waits_for, what, length);
    proc->waits_for[length] = '\0';
    if (ctx->name_call != NULL) {
        ctx->name_call(proc->waits_in, sizeof(proc->waits_in));
    }
}

int gms_gate_run_events_until_signal(gms_ctx_t *ctx, gms_time_t deadline_ps,
                                     gms_wait_text_t what)
{
    gms_gate_self(ctx)->polls = 0;
    return gms_gate_wait(ctx, deadline_ps, what);
}

int gms_gate_wait(gms_ctx_t *ctx, gms_time_t deadline_ps, gms_wait_text_t what)
{
    gms_proc_t *self = gms_gate_self(ctx);

    assert(self->state == GMS_PROC_RUNNING);
    if (self->signalled) {
        self->signalled = 0;
        if (self->signal_ps > self->clock_ps) {
            gms_gate_set(ctx->gate, self, self->state, self->signal_ps);
        }
        return 1;
    }
    if (deadline_ps <= self->clock_ps) {
        return 0;
    }
    ++self->wait_number;
    if (deadline_ps != GMS_NEVER) {
        ++ctx->gate->deadlines;
        gms_engine_schedule(ctx, &self->origin, deadline_ps,
                            GMS_GATE_ON_DEADLINE, NULL,
                            (uint64_t)ctx->self_rank, self->wait_number);
    }
    gms_gate_say(ctx, self, what);
    gms_gate_set(ctx->gate, self, GMS_PROC_WAITING, self->clock_ps);
    gms_gate_until_running(ctx);
    return self->wait_result;
}

void gms_gate_clear_signal(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);

    self->signalled = 0;
    self->deaf_ps = self->clock_ps;
}

static void gms_gate_end_wait(gms_gate_t *gate, gms_proc_t *proc,
                              gms_time_t at_ps, int result)
{
    proc->wait_result = (uint8_t)result;
    gms_gate_set(gate, proc, GMS_PROC_READY,
                 at_ps > proc->clock_ps ? at_ps : proc->clock_ps);
}

void gms_gate_signal(gms_ctx_t *ctx, unsigned rank, gms_time_t at_ps)
{
    gms_proc_t *proc;

    if (ctx->gate == NULL) {
        return;
    }
    proc = &ctx->gate->procs[rank];
    if (proc->park == GMS_PARK_ON) {
        proc->park = GMS_PARK_OVER;
    }
    if (proc->state == GMS_PROC_WAITING) {
        gms_gate_end_wait(ctx->gate, proc, at_ps, 1);
    } else if (at_ps >= proc->deaf_ps) {
        proc->signalled = 1;
        proc->signal_ps = at_ps;
    }
}

int gms_gate_charge_waiter(gms_ctx_t *ctx, unsigned rank, gms_time_t at_ps,
                           gms_time_t duration_ps)
{
    gms_proc_t *proc;

    if (ctx->gate == NULL) {
        return 0;
    }
    proc = &ctx->gate->procs[rank];
    if (proc->state != GMS_PROC_WAITING) {
        return 0;
    }
    if (proc->clock_ps > at_ps) {
        at_ps = proc->clock_ps;
    }
    gms_gate_set(ctx->gate, proc, GMS_PROC_WAITING, at_ps + duration_ps);
    gms_gate_note_busy(ctx, proc, GMS_BUSY_WORKS, at_ps, at_ps + duration_ps);
    return 1;
}

static void gms_gate_on_deadline(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_proc_t *proc = &ctx->gate->procs[event->arg[0]];

    --ctx->gate->deadlines;
    if (proc->state == GMS_PROC_WAITING && proc->wait_number == event->arg[1]) {
        gms_gate_end_wait(ctx->gate, proc, event->time_ps, 0);
    }
}

gms_time_t gms_gate_clock(const gms_ctx_t *ctx)
{
    return gms_gate_self(ctx)->clock_ps;
}

gms_time_t gms_gate_clock_of(const gms_gate_t *gate, unsigned rank)
{
    return gate->procs[rank].clock_ps;
}

void gms_gate_spend(gms_ctx_t *ctx, gms_time_t duration_ps,
                    enum gms_busy_kind kind)
{
    gms_proc_t *self = gms_gate_self(ctx);
    gms_time_t begin_ps = self->clock_ps;
    gms_time_t end_ps = begin_ps + (duration_ps > 0 ? duration_ps : 1);

    gms_gate_set(ctx->gate, self, self->state, end_ps);
    gms_gate_note_busy(ctx, self, kind, begin_ps, end_ps);
}

void gms_gate_advance(gms_ctx_t *ctx, gms_time_t duration_ps)
{
    gms_gate_spend(ctx, duration_ps, GMS_BUSY_WORKS);
}

void gms_gate_set_busy(gms_gate_t *gate, gms_busy_t *busy)
{
    gate->busy = busy;
}

gms_origin_t *gms_gate_origin(gms_ctx_t *ctx)
{
    return &gms_gate_self(ctx)->origin;
}

/* Return 1 if another rank of the process's world is active, that is, if it may
 * still post events or waits for an event. The last rank of a world to become
 * absent stops virtual time for all ranks of this world. If every absent rank
 * stopped virtual time, it would also stop the other ranks of its world, for
 * which it waits. */
static int gms_gate_has_active(const gms_gate_t *gate, const gms_proc_t *self)
{
    unsigned rank;

    for (rank = self->world; rank < gate->size; ++rank) {
        const gms_proc_t *proc = &gate->procs[rank];

        if (proc != self && proc->world == self->world &&
            (proc->state == GMS_PROC_EXPECTED ||
             proc->state == GMS_PROC_RUNNING || proc->state == GMS_PROC_READY ||
             proc->state == GMS_PROC_WAITING)) {
            return 1;
        }
    }
    return 0;
}

/* Leave the simulation temporarily. An absent process is treated as being in
 * the library until gms_gate_rejoin() returns. */
static void gms_gate_be_absent(gms_ctx_t *ctx, int holds)
{
    gms_proc_t *self = gms_gate_self(ctx);

    gms_gate_lock(ctx);
    self->holds = (uint8_t)(holds && !gms_gate_has_active(ctx->gate, self));
    gms_gate_set(ctx->gate, self, GMS_PROC_ABSENT, self->clock_ps);
    gms_gate_go(ctx);
}

void gms_gate_leave(gms_ctx_t *ctx)
{
    gms_gate_be_absent(ctx, 0);
}

void gms_gate_leave_and_hold(gms_ctx_t *ctx)
{
    gms_gate_be_absent(ctx, 1);
}

/* All ranks of the world start at the highest of their clocks and the
 * simulation's clock. */
void gms_gate_try_return(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    uint32_t world = gms_gate_self(ctx)->world;
    /* While no rank was running, the simulation ran all of its events. */
    gms_time_t highest_ps = gms_engine_now(ctx->engine);
    unsigned rank;

    for (rank = world; rank < gate->size; ++rank) {
        gms_proc_t *proc = &gate->procs[rank];

        if (proc->state == GMS_PROC_FINISHED || proc->state == GMS_PROC_DEAD ||
            proc->world != world) {
            continue;
        }
        if (proc->state != GMS_PROC_RETURNING) {
            return;
        }
        if (proc->clock_ps > highest_ps) {
            highest_ps = proc->clock_ps;
        }
    }
    for (rank = world; rank < gate->size; ++rank) {
        gms_proc_t *proc = &gate->procs[rank];

        if (proc->state == GMS_PROC_RETURNING && proc->world == world) {
            proc->holds = 0;
            gms_gate_set(gate, proc, GMS_PROC_READY, highest_ps);
            /* A process that returns from an absence reads no state of the
             * simulation, so it need not wait for its turn. If the ranks
             * returned one after the other, the other ranks would wait while
             * the first rank computed. */
            gms_gate_let_go(ctx, proc);
        }
    }
    if (gate->time_mode == GMS_TIME_WALL && gate->size == gate->joined) {
        gms_gate_anchor(gate, highest_ps);
    }
}

void gms_gate_rejoin(gms_ctx_t *ctx)
{
    gms_proc_t *self;

    gms_gate_acquire(ctx);
    self = gms_gate_self(ctx);
    assert(self->state == GMS_PROC_ABSENT);
    self->polls = 0;
    gms_gate_set(ctx->gate, self, GMS_PROC_RETURNING, self->clock_ps);
    gms_gate_try_return(ctx);
    gms_gate_until_running(ctx);
    gms_gate_unlock(ctx);
}

/* Return 1 if no ranks remain in the job. The function first detects ranks that
 * have just died. */
static int gms_gate_is_empty(gms_ctx_t *ctx)
{
    unsigned rank;

    ctx->gate->next_watch_ns = 0;
    gms_gate_watch(ctx);
    for (rank = 0; rank < ctx->gate->size; ++rank) {
        if (gms_gate_alive(ctx->gate, rank)) {
            return 0;
        }
    }
    return 1;
}

void gms_gate_finish(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);

    gms_gate_acquire(ctx);
    gms_gate_set(ctx->gate, self, GMS_PROC_FINISHED, self->clock_ps);
    if (ctx->on_last != NULL && gms_gate_is_empty(ctx)) {
        ctx->on_last(ctx);
    }
    gms_gate_try_return(ctx);
    gms_gate_go(ctx);
    pthread_mutex_unlock(&self->life);
}

unsigned gms_gate_size(const gms_gate_t *gate)
{
    return __atomic_load_n(&gate->size, __ATOMIC_ACQUIRE);
}

unsigned gms_gate_capacity(const gms_gate_t *gate)
{
    return gate->capacity;
}

unsigned gms_gate_world(const gms_gate_t *gate, unsigned rank)
{
    return gate->procs[rank].world;
}

int gms_gate_alive(const gms_gate_t *gate, unsigned rank)
{
    enum gms_proc_state state =
        __atomic_load_n(&gate->procs[rank].state, __ATOMIC_RELAXED);

    return state != GMS_PROC_UNBORN && state != GMS_PROC_FINISHED &&
           state != GMS_PROC_DEAD;
}

int gms_gate_is_left(const gms_gate_t *gate)
{
    unsigned rank;

    for (rank = 0; rank < gate->size; ++rank) {
        if (gms_gate_alive(gate, rank) &&
            gate->procs[rank].state != GMS_PROC_ABSENT) {
            return 0;
        }
    }
    return 1;
}

int gms_gate_pid(const gms_gate_t *gate, unsigned rank)
{
    return gate->procs[rank].pid;
}

int gms_gate_is_direct(const gms_gate_t *gate)
{
    return !gate->staging;
}

void gms_gate_force_staging(gms_gate_t *gate)
{
    gate->staging = 1;
}

void **gms_gate_pending_writes(gms_gate_t *gate, unsigned rank)
{
    return &gate->procs[rank].pending_writes;
}

void **gms_gate_late_writes(gms_gate_t *gate, unsigned rank)
{
    return &gate->procs[rank].late_writes;
}

uint64_t gms_gate_context_switches(const gms_gate_t *gate)
{
    return __atomic_load_n(&gate->handovers, __ATOMIC_RELAXED);
}
