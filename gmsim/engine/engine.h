/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the event queue and the clock of the simulated cluster.
 *
 * Events run in the order of (time, origin, sequence). The origin is the entity
 * that scheduled the event: a process of the job or a unit of simulated
 * hardware. Every origin counts its own events. Processes post events
 * concurrently in wall time. With a common counter, the load of the machine
 * would therefore determine the order of events with the same time.
 *
 * An event contains the number of its handler. The processes of a job map the
 * library at different addresses, so the arena contains no code pointers.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdint.h>

#include "engine/arena.h"
#include "base/status.h"
#include "base/time.h"

/* First handler number of each layer. A layer assigns the following numbers to
 * its own handlers. */
#define GMS_HANDLER_ENGINE   0u
#define GMS_HANDLER_FABRIC   16u
#define GMS_HANDLER_NIC      32u
#define GMS_HANDLER_QOS      96u
#define GMS_HANDLER_GM       128u
#define GMS_HANDLER_IO       144u
#define GMS_HANDLER_WORKLOAD 152u
#define GMS_HANDLER_MODEL    158u
#define GMS_HANDLER_TEST     160u
#define GMS_HANDLER_MAX      192u

/* Numbers of the origins of events; at most 2^20 - 1. The hardware of node n
 * has the number n (from 0), and the process of rank r has the number
 * GMS_ORIGIN_RANK + r. The fabric has the number GMS_ORIGIN_FABRIC, the manager
 * GMS_ORIGIN_QOS, a plan of faults GMS_ORIGIN_FAULT, and the I/O hosts
 * GMS_ORIGIN_IO. Among events at the same time, events of hardware precede
 * events of processes. */
#define GMS_ORIGIN_FABRIC 0x40000u
#define GMS_ORIGIN_QOS    0x40001u
#define GMS_ORIGIN_FAULT  0x40002u
#define GMS_ORIGIN_IO     0x40003u
#define GMS_ORIGIN_RANK   0x80000u
#define GMS_ORIGIN_MAX    0xfffffu

#define GMS_CTX_WAKE_MAX 16u

typedef struct gms_engine gms_engine_t; /* located in the arena */
typedef struct gms_gate gms_gate_t;     /* located in the arena; see
                                         * engine/gate.h */
typedef struct gms_ctx gms_ctx_t;       /* located in the memory of one process,
                                         * not in the arena */

typedef struct gms_event {
    gms_time_t time_ps;
    uint32_t origin;
    uint32_t handler;
    void *object;    /* arena object of the event */
    uint64_t arg[2]; /* arguments of the handler */
} gms_event_t;

typedef void gms_handler_fn(gms_ctx_t *ctx, const gms_event_t *event);

/** State that a process needs to run events. This state is in the process's own
 *  memory, not in the arena. */
struct gms_ctx {
    gms_arena_t *arena;
    gms_engine_t *engine;
    gms_gate_t *gate; /* NULL if the engine runs without processes, as in tests
                       * and tools */
    /* handlers, set by the _register function of each layer */
    gms_handler_fn *handlers[GMS_HANDLER_MAX];
    /* function that runs events, in the first rank's copy of the library; NULL:
     * the process has only one copy (engine/ranks.h) */
    void (*dispatch)(gms_ctx_t *ctx);
    int self_rank; /* rank of this process; -1 without a gate */
    /* The object of the program that uses the engine, for handlers that belong
     * to this program; may be NULL. Handlers must not find this object in a
     * static variable, because they may run in another rank's copy of the
     * library. */
    void *owner;
    /* Called for each process that died, while the gate's lock is held; may be
     * NULL. */
    void (*on_death)(gms_ctx_t *ctx, unsigned rank);
    /* Called while the gate's lock is held, when the last process of the job is
     * about to leave; may be NULL. */
    void (*on_last)(gms_ctx_t *ctx);
    /* Called before the first event at or after the watched time, with the time
     * of that event; may be NULL. The function belongs to observers and must
     * not change the simulation. This function also sets the next watched time
     * (gms_engine_watch()). */
    void (*on_watch)(gms_ctx_t *ctx, gms_time_t next_ps);
    /* Called when a thread enters the library from the program, with the name
     * of the call and the time that the program has computed since its last
     * call. Called only in the time modes GMS_TIME_MEASURED and
     * GMS_TIME_RECORDED. In the mode GMS_TIME_RECORDED, computed_ps is 0. May
     * be NULL. */
    void (*on_call)(gms_ctx_t *ctx, const char *name, gms_time_t computed_ps);
    /* Called in the time mode GMS_TIME_RECORDED when a call returns to the
     * program; may be NULL. Returns the time that the program computes until
     * its next call. */
    gms_time_t (*on_return)(gms_ctx_t *ctx);
    /* Called before each wait: writes the name of the call that the program
     * executes, or "". May be NULL. */
    void (*name_call)(char *text, size_t room);
    /* Called at each trace point; may be NULL. Every layer numbers its trace
     * points from the base of its handlers. The number `what` determines the
     * type of `thing`. */
    void (*on_tracepoint)(gms_ctx_t *ctx, uint32_t what, const void *thing);
    /* 1: an observer also needs the trace points of individual packets and
     * messages, which the layers report only in this case. */
    int is_traced;
    /* For the gate: ranks that must be woken after the lock is released. */
    uint32_t wake[GMS_CTX_WAKE_MAX];
    uint32_t wake_count;
    int is_watched;        /* 1: a watcher thread wakes sleepers when a process
                            * dies */
    uint32_t calls_beside; /* number of calls of other threads while one thread
                            * was parked */
    uint64_t beside_ns;    /* result of gms_gate_other_threads_ns() */
};

/** A position in the order of events. */
typedef struct gms_event_key {
    gms_time_t time_ps;
    uint64_t order; /* for the engine's own use; the value UINT64_MAX means the
                     * position after all events of that time */
} gms_event_key_t;

/** Counter of one origin's events; embedded in the object that
 *  schedules them. */
typedef struct gms_origin {
    uint32_t id;
    uint64_t next_sequence;
} gms_origin_t;

/** @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_engine_create(gms_arena_t *arena, gms_engine_t **engine_p);
void gms_engine_destroy(gms_arena_t *arena, gms_engine_t *engine);

/**
 * Schedule an event. If the arena is full, the run ends (gms_fatal()), because
 * the model cannot continue without the event.
 *
 * @param [in] time_ps  not before the engine's present time
 */
void gms_engine_schedule(gms_ctx_t *ctx, gms_origin_t *origin,
                         gms_time_t time_ps, uint32_t handler, void *object,
                         uint64_t arg0, uint64_t arg1);

/** Schedule a background event, which does not keep the simulation alive, for
 *  example a planned fault. If all processes of a job wait and only such events
 *  are left, the job is in a deadlock. */
void gms_engine_schedule_background(gms_ctx_t *ctx, gms_origin_t *origin,
                                    gms_time_t time_ps, uint32_t handler,
                                    void *object, uint64_t arg0, uint64_t arg1);
/**
 * Return the position that an event would have if it were scheduled now, so
 * that the caller can schedule it later, or never. A change at a known time
 * requires an event only if a component waits for the change. The order of all
 * other events is the same whether or not the event is scheduled.
 *
 * If time_ps is the present time, the position may precede the position of the
 * current event, depending on the origin. gms_engine_is_past() is not
 * meaningful for such a position. The caller must then schedule the event at
 * once, and the event is run next.
 */
gms_event_key_t gms_engine_keep_key(gms_origin_t *origin, gms_time_t time_ps);
/** Return 1 if an event at this position would already have been run. */
int gms_engine_is_past(const gms_engine_t *engine, const gms_event_key_t *key);
/** Schedule an event at a position from gms_engine_keep_key(). The position
 *  must not be in the past, unless the caller has just received it. Use each
 *  position at most once. */
void gms_engine_schedule_at(gms_ctx_t *ctx, const gms_event_key_t *key,
                            uint32_t handler, void *object, uint64_t arg0,
                            uint64_t arg1);

/** Count a process that starts (1) or stops (-1) waiting for an effect that
 *  only a background event can have, such as a time-out. While a process is
 *  counted, background events keep the simulation alive. */
void gms_engine_wait(gms_engine_t *engine, int more);
/** Return 1 if only background events are left, and no process waits for such
 *  an event. */
int gms_engine_is_idle(const gms_engine_t *engine);

/** Return the time of the current event or, between events, of the last
 *  event. */
gms_time_t gms_engine_now(const gms_engine_t *engine);
/** Return the time of the next event, or GMS_NEVER if there is none. */
gms_time_t gms_engine_next_ps(const gms_engine_t *engine);
/** Return the time of the next event, or GMS_NEVER if only background events
 *  are left. */
gms_time_t gms_engine_next_needed_ps(const gms_engine_t *engine);
/** Run the next event.
 *  @return 0 if there was no event */
int gms_engine_step(gms_ctx_t *ctx);
/** Run all events before end_ps. */
void gms_engine_run_until(gms_ctx_t *ctx, gms_time_t end_ps);
/** Set the watched time. Before a process runs an event at or after this time,
 *  it calls its on_watch function. With the initial value GMS_NEVER, no time is
 *  watched. */
void gms_engine_watch(gms_engine_t *engine, gms_time_t at_ps);
gms_time_t gms_engine_watched_ps(const gms_engine_t *engine);
/** Report a trace point to observers. */
static inline void gms_ctx_tracepoint(gms_ctx_t *ctx, uint32_t what,
                                      const void *thing)
{
    if (ctx->on_tracepoint != NULL) {
        ctx->on_tracepoint(ctx, what, thing);
    }
}
/** Report a trace point that is used only for a trace. */
static inline void gms_ctx_detail_tracepoint(gms_ctx_t *ctx, uint32_t what,
                                             const void *thing)
{
    if (ctx->is_traced) {
        ctx->on_tracepoint(ctx, what, thing);
    }
}
/** Return the number of events that have been run, and the number of scheduled
 *  events. */
uint64_t gms_engine_events_run(const gms_engine_t *engine);
uint64_t gms_engine_events_pending(const gms_engine_t *engine);

/** Print "gmsim: [rank N: ]..." on standard error, and end the job's processes
 *  with exit status 1. All code that cannot continue the simulation calls this
 *  function. */
void gms_fatal(gms_ctx_t *ctx, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
