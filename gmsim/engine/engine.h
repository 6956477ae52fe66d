/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The event queue and the clock of the simulated cluster.
 *
 * Events run in the order of (time, origin, sequence). The origin is the entity
 * that scheduled the event: a process of the job or a unit of simulated
 * hardware. Every origin counts its own events. Processes post events
 * concurrently in wall time, so a common counter would let the load of the
 * machine decide ties.
 *
 * An event names its handler by a number: the processes of a job map the
 * library at different addresses, therefore the arena contains no code
 * pointers.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdint.h>

#include "engine/arena.h"
#include "base/status.h"
#include "base/time.h"

/* Handler numbers: each layer numbers its own from its base. */
#define GMS_HANDLER_ENGINE   0u
#define GMS_HANDLER_FABRIC   16u
#define GMS_HANDLER_NIC      32u
#define GMS_HANDLER_QOS      96u
#define GMS_HANDLER_GM       128u
#define GMS_HANDLER_WORKLOAD 152u
#define GMS_HANDLER_MODEL    158u
#define GMS_HANDLER_TEST     160u
#define GMS_HANDLER_MAX      192u

/* Origins: who scheduled. At most 2^20 - 1. Hardware of node n (0-based) is
 * n, the fabric is GMS_ORIGIN_FABRIC, the manager GMS_ORIGIN_QOS, a plan of
 * faults GMS_ORIGIN_FAULT, process of rank r is GMS_ORIGIN_RANK + r. At one
 * time hardware comes before processes. */
#define GMS_ORIGIN_FABRIC 0x40000u
#define GMS_ORIGIN_QOS    0x40001u
#define GMS_ORIGIN_FAULT  0x40002u
#define GMS_ORIGIN_RANK   0x80000u
#define GMS_ORIGIN_MAX    0xfffffu

#define GMS_CTX_WAKE_MAX 16u

typedef struct gms_engine gms_engine_t; /* in the arena */
typedef struct gms_gate gms_gate_t;     /* in the arena; engine/gate.h */
typedef struct gms_ctx gms_ctx_t;       /* private to a process */

typedef struct gms_event {
    gms_time_t time_ps;
    uint32_t origin;
    uint32_t handler;
    void *object;    /* arena object that the event is about */
    uint64_t arg[2]; /* the handler's own */
} gms_event_t;

typedef void gms_handler_fn(gms_ctx_t *ctx, const gms_event_t *event);

/** What a process needs to run events; lives in the process, not the arena. */
struct gms_ctx {
    gms_arena_t *arena;
    gms_engine_t *engine;
    gms_gate_t *gate;                          /* NULL when there are no
                                                  processes (tests, tools) */
    gms_handler_fn *handlers[GMS_HANDLER_MAX]; /* filled by each layer's
                                                  _register function */
    int self_rank;                             /* -1 without a gate */
    /* What to do, holding the gate, about a process that died; may be NULL. */
    void (*on_death)(gms_ctx_t *ctx, unsigned rank);
    /* The same, when no process is left but the caller, who leaves. */
    void (*on_last)(gms_ctx_t *ctx);
    /* For who looks on, and changes nothing; may be NULL. Called before the
     * first event at or after the time that is watched, with that event's time;
     * says what to watch next (gms_engine_watch()). */
    void (*on_watch)(gms_ctx_t *ctx, gms_time_t next_ps);
    /* Something worth noting has happened, now: what is a number of the layer
     * that calls (its handlers' base and on), thing is as that says. */
    void (*on_tracepoint)(gms_ctx_t *ctx, uint32_t what, const void *thing);
    /* Who looks on wants to know of what happens to each packet and message, too,
     * which the layers say only then. */
    int is_traced;
    /* The gate's own: ranks to wake once the lock is released. */
    uint32_t wake[GMS_CTX_WAKE_MAX];
    uint32_t wake_count;
    int is_watched;        /* a thread wakes sleepers when somebody dies */
    uint32_t calls_beside; /* of other threads, while one was parked */
    uint64_t beside_ns;    /* gms_gate_other_threads_ns() */
};

/** A place in the order of events. */
typedef struct gms_event_key {
    gms_time_t time_ps;
    uint64_t order; /* the engine's own; UINT64_MAX: after all of that time */
} gms_event_key_t;

/** Counter of one origin's events; embedded in whatever schedules. */
typedef struct gms_origin {
    uint32_t id;
    uint64_t next_sequence;
} gms_origin_t;

/** @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_engine_create(gms_arena_t *arena, gms_engine_t **engine_p);
void gms_engine_destroy(gms_arena_t *arena, gms_engine_t *engine);

/**
 * Schedule an event.
 *
 * @param [in] time_ps  not before the engine's now
 * The event queue running out of arena ends the run: there is nothing to go
 * back to (gms_fatal()).
 */
void gms_engine_schedule(gms_ctx_t *ctx, gms_origin_t *origin,
                         gms_time_t time_ps, uint32_t handler, void *object,
                         uint64_t arg0, uint64_t arg1);

/** The same for an event that keeps nothing alive: once only such ones are
 *  left, nothing more will happen to who waits. Faults that are planned for
 *  later are no reason to wait for them. */
void gms_engine_schedule_background(gms_ctx_t *ctx, gms_origin_t *origin,
                                    gms_time_t time_ps, uint32_t handler,
                                    void *object, uint64_t arg0, uint64_t arg1);
/**
 * Keep the place in which an event would run that is scheduled now, to schedule
 * it later, or never: what changes by itself at a known time needs an event
 * only if somebody waits for the change. That an event is left out changes
 * nobody's order.
 *
 * An event that is scheduled for the present time may come, by its origin,
 * before the one being run, and is run next. Its place is past when it is kept,
 * and says nothing: then schedule it at once.
 */
gms_event_key_t gms_engine_keep_key(gms_origin_t *origin, gms_time_t time_ps);
/** 1 if an event in a place that was kept would have been run by now. */
int gms_engine_is_past(const gms_engine_t *engine, const gms_event_key_t *key);
/** Schedule an event in a place that was kept and is not past, or has just been
 *  kept; once. */
void gms_engine_schedule_at(gms_ctx_t *ctx, const gms_event_key_t *key,
                            uint32_t handler, void *object, uint64_t arg0,
                            uint64_t arg1);

/** Somebody waits (1) or no longer waits (-1) for what only a background event
 *  may bring about, a time-out: until then these keep the simulation alive. */
void gms_engine_wait(gms_engine_t *engine, int more);
/** 1 if no event is left but background ones, and nobody waits for these. */
int gms_engine_is_idle(const gms_engine_t *engine);

/** Time of the event being run, or of the last one that was. */
gms_time_t gms_engine_now(const gms_engine_t *engine);
/** Time of the next event, GMS_NEVER if there is none. */
gms_time_t gms_engine_next_ps(const gms_engine_t *engine);
/** The same; GMS_NEVER also if only background events are left. */
gms_time_t gms_engine_next_needed_ps(const gms_engine_t *engine);
/** Run the next event. @return 0 if there was none */
int gms_engine_step(gms_ctx_t *ctx);
/** Run every event earlier than end_ps. */
void gms_engine_run_until(gms_ctx_t *ctx, gms_time_t end_ps);
/** Watch a time: whoever runs an event at or after it calls its on_watch first.
 *  GMS_NEVER (at the start): none. */
void gms_engine_watch(gms_engine_t *engine, gms_time_t at_ps);
gms_time_t gms_engine_watched_ps(const gms_engine_t *engine);
/** Tell who looks on. */
static inline void gms_ctx_tracepoint(gms_ctx_t *ctx, uint32_t what,
                                      const void *thing)
{
    if (ctx->on_tracepoint != NULL) {
        ctx->on_tracepoint(ctx, what, thing);
    }
}
/** The same for what only a trace wants to know. */
static inline void gms_ctx_detail_tracepoint(gms_ctx_t *ctx, uint32_t what,
                                             const void *thing)
{
    if (ctx->is_traced) {
        ctx->on_tracepoint(ctx, what, thing);
    }
}
/** Events run and events waiting. */
uint64_t gms_engine_events_run(const gms_engine_t *engine);
uint64_t gms_engine_events_pending(const gms_engine_t *engine);

/** Print "gmsim: [rank N: ]..." on standard error and end the job's processes
 *  with status 1. The only way out of a broken simulation. */
void gms_fatal(gms_ctx_t *ctx, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
