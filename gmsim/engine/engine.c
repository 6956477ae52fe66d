/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the engine, which schedules events, runs the first event, and
 * stores the position that the simulation has reached. The event queue is in
 * calendar.h.
 */
#include "engine/engine.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/gate.h"
#include "engine/calendar.h"

/* Maximum length of the message of gms_fatal(), in bytes; a longer message is
 * truncated. */
#define GMS_FATAL_LEN     2048u
#define GMS_SEQUENCE_BITS 44
/* Value that is added to the number of an event's handler if the event is a
 * background event. */
#define GMS_SLOT_BACKGROUND GMS_HANDLER_MAX

struct gms_engine {
    gms_time_t now_ps;
    gms_time_t watch_ps;     /* GMS_NEVER: no time is watched */
    gms_event_key_t reached; /* latest position of an event that has been run */
    uint64_t run;
    uint64_t background; /* number of background events among the pending
                          * events */
    int64_t waits; /* number of processes that wait for effects of background
                    * events */
    gms_calendar_t calendar;
};

gms_status_t gms_engine_create(gms_arena_t *arena, gms_engine_t **engine_p)
{
    gms_engine_t *engine = gms_arena_alloc(arena, sizeof(*engine));

    if (engine == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    engine->watch_ps = GMS_NEVER;
    if (gms_calendar_init(arena, &engine->calendar) != GMS_OK) {
        gms_arena_free(arena, engine);
        return GMS_ERR_NO_MEMORY;
    }
    *engine_p = engine;
    return GMS_OK;
}

void gms_engine_destroy(gms_arena_t *arena, gms_engine_t *engine)
{
    if (engine != NULL) {
        gms_calendar_free(arena, &engine->calendar);
        gms_arena_free(arena, engine);
    }
}

static uint64_t gms_engine_next_order(gms_origin_t *origin)
{
    assert(origin->id <= GMS_ORIGIN_MAX);
    return (uint64_t)origin->id << GMS_SEQUENCE_BITS | origin->next_sequence++;
}

/* Add an event. This function is inlined, because most additions to the queue
 * take no longer than a function call. */
static inline __attribute__((always_inline)) void
gms_engine_add(gms_ctx_t *ctx, gms_time_t time_ps, uint64_t order,
               uint32_t handler, void *object, uint64_t arg0, uint64_t arg1)
{
    gms_calendar_t *calendar = &ctx->engine->calendar;
    uint32_t number = gms_calendar_new_slot(ctx, calendar);
    gms_calendar_slot_t *slot = &calendar->slots[number];

    assert(time_ps >= ctx->engine->now_ps);
    assert(handler < GMS_SLOT_BACKGROUND + GMS_HANDLER_MAX);
    slot->time_ps = time_ps;
    slot->order = order;
    slot->object = object;
    slot->arg[0] = arg0;
    slot->arg[1] = arg1;
    slot->handler = handler;
    gms_calendar_add(ctx, calendar, number);
}

void gms_engine_schedule(gms_ctx_t *ctx, gms_origin_t *origin,
                         gms_time_t time_ps, uint32_t handler, void *object,
                         uint64_t arg0, uint64_t arg1)
{
    gms_engine_add(ctx, time_ps, gms_engine_next_order(origin), handler, object,
                   arg0, arg1);
}

gms_event_key_t gms_engine_keep_key(gms_origin_t *origin, gms_time_t time_ps)
{
    gms_event_key_t key = {.time_ps = time_ps,
                           .order = gms_engine_next_order(origin)};

    return key;
}

void gms_engine_schedule_at(gms_ctx_t *ctx, const gms_event_key_t *key,
                            uint32_t handler, void *object, uint64_t arg0,
                            uint64_t arg1)
{
    gms_engine_add(ctx, key->time_ps, key->order, handler, object, arg0, arg1);
}

int gms_engine_is_past(const gms_engine_t *engine, const gms_event_key_t *key)
{
    const gms_event_key_t *reached = &engine->reached;

    return key->time_ps < reached->time_ps ||
           (key->time_ps == reached->time_ps && key->order <= reached->order);
}

void gms_engine_schedule_background(gms_ctx_t *ctx, gms_origin_t *origin,
                                    gms_time_t time_ps, uint32_t handler,
                                    void *object, uint64_t arg0, uint64_t arg1)
{
    ++ctx->engine->background;
    gms_engine_schedule(ctx, origin, time_ps, handler + GMS_SLOT_BACKGROUND,
                        object, arg0, arg1);
}

/* Store the reached position, unless the stored position is later. An event may
 * schedule another event at its own time, and the origin of the new event may
 * put it before the running event. In this case, the engine has already run all
 * events that were queued before either position. */
static void gms_engine_reach(gms_engine_t *engine, gms_time_t time_ps,
                             uint64_t order)
{
    gms_event_key_t key = {.time_ps = time_ps, .order = order};

    if (!gms_engine_is_past(engine, &key)) {
        engine->reached = key;
    }
}

int gms_engine_step(gms_ctx_t *ctx)
{
    gms_engine_t *engine = ctx->engine;
    const gms_calendar_slot_t *slot;
    gms_event_t event;
    gms_handler_fn *handler;

    if (engine->calendar.pending == 0) {
        return 0;
    }
    slot = gms_calendar_first(&engine->calendar);
    if (slot->time_ps >= engine->watch_ps && ctx->on_watch != NULL) {
        ctx->on_watch(ctx, slot->time_ps);
    }
    event.time_ps = slot->time_ps;
    event.origin = (uint32_t)(slot->order >> GMS_SEQUENCE_BITS);
    event.handler = slot->handler;
    if (event.handler >= GMS_SLOT_BACKGROUND) {
        event.handler -= GMS_SLOT_BACKGROUND;
        --engine->background;
    }
    event.object = slot->object;
    event.arg[0] = slot->arg[0];
    event.arg[1] = slot->arg[1];
    engine->now_ps = event.time_ps;
    gms_engine_reach(engine, event.time_ps, slot->order);
    gms_calendar_remove_first(ctx, &engine->calendar);
    ++engine->run;
    handler = ctx->handlers[event.handler];
    assert(handler != NULL);
    handler(ctx, &event);
    return 1;
}

void gms_engine_run_until(gms_ctx_t *ctx, gms_time_t end_ps)
{
    while (gms_engine_next_ps(ctx->engine) < end_ps) {
        gms_engine_step(ctx);
    }
    gms_engine_reach(ctx->engine, end_ps, 0);
}

gms_time_t gms_engine_now(const gms_engine_t *engine)
{
    return engine->now_ps;
}

gms_time_t gms_engine_next_ps(const gms_engine_t *engine)
{
    return engine->calendar.pending == 0
               ? GMS_NEVER
               : gms_calendar_first(&engine->calendar)->time_ps;
}

gms_time_t gms_engine_next_needed_ps(const gms_engine_t *engine)
{
    return gms_engine_is_idle(engine) ? GMS_NEVER : gms_engine_next_ps(engine);
}

int gms_engine_is_idle(const gms_engine_t *engine)
{
    return engine->calendar.pending == engine->background &&
           (engine->waits == 0 || engine->calendar.pending == 0);
}

void gms_engine_wait(gms_engine_t *engine, int more)
{
    engine->waits += more;
}

void gms_engine_watch(gms_engine_t *engine, gms_time_t at_ps)
{
    engine->watch_ps = at_ps;
}

gms_time_t gms_engine_watched_ps(const gms_engine_t *engine)
{
    return engine->watch_ps;
}

uint64_t gms_engine_events_run(const gms_engine_t *engine)
{
    return engine->run;
}

uint64_t gms_engine_events_pending(const gms_engine_t *engine)
{
    return engine->calendar.pending;
}

void gms_fatal(gms_ctx_t *ctx, const char *format, ...)
{
    char shortage[GMS_ARENA_SHORT_LEN];
    char prefix[32] = "gmsim: ";
    char text[GMS_FATAL_LEN];
    va_list args;

    fflush(NULL);
    if (ctx != NULL && ctx->self_rank >= 0) {
        snprintf(prefix, sizeof(prefix), "gmsim: rank %d: ", ctx->self_rank);
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    /* If memory ran out, add the cause to the message, because most callers do
     * not know the cause. */
    if (ctx == NULL || ctx->arena == NULL ||
        gms_arena_explain(ctx->arena, shortage)[0] == '\0') {
        fprintf(stderr, "%s%s\n", prefix, text);
    } else {
        fprintf(stderr, "%s%s\n%snote: %s\n", prefix, text, prefix, shortage);
    }
    fflush(stderr);
    if (ctx != NULL && ctx->gate != NULL) {
        gms_gate_abort(ctx);
    }
    /* Do not run atexit handlers, because they would call functions of the
     * broken simulation. */
    _exit(EXIT_FAILURE);
}
