/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the event queue: a heap of keys (time, origin and sequence, slot;
 * 24 bytes) and a table of slots with the contents of the events. A heap of
 * whole events would move much more memory at every change.
 */
#include "engine/engine.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "engine/gate.h"

#define GMS_ENGINE_FIRST_CAPACITY 1024u
/* Largest length of a text of gms_fatal(), in bytes; a longer text is
 * truncated. */
#define GMS_FATAL_LEN     2048u
#define GMS_SEQUENCE_BITS 44
/* Value that is added to the number of an event's handler if the event is a
 * background event. */
#define GMS_SLOT_BACKGROUND GMS_HANDLER_MAX

typedef struct gms_heap_item {
    gms_time_t time_ps;
    uint64_t order; /* origin in the upper bits, sequence in the lower bits */
    uint32_t slot;
} gms_heap_item_t;

typedef struct gms_slot {
    void *object;
    uint64_t arg[2];
    uint32_t handler;
    uint32_t next_free;
} gms_slot_t;

struct gms_engine {
    gms_time_t now_ps;
    gms_time_t watch_ps;     /* GMS_NEVER: no watched time */
    gms_event_key_t reached; /* latest position at which an event was run */
    uint64_t run;
    uint64_t pending;
    uint64_t background; /* number of background events among the pending
                          * events */
    int64_t waits; /* number of processes that wait for effects of background
                    * events */
    uint64_t capacity;
    int is_open; /* 1: the event of heap[0] is running and has scheduled no
                  * event yet. heap[0] is empty, and the heap has one more item
                  * at its end */
    uint32_t free_slot; /* first free slot + 1; 0: none */
    uint32_t slots_used;
    gms_heap_item_t *heap;
    gms_slot_t *slots;
};

gms_status_t gms_engine_create(gms_arena_t *arena, gms_engine_t **engine_p)
{
    gms_engine_t *engine = gms_arena_alloc(arena, sizeof(*engine));

    if (engine == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    engine->watch_ps = GMS_NEVER;
    engine->capacity = GMS_ENGINE_FIRST_CAPACITY;
    engine->heap =
        gms_arena_alloc(arena, engine->capacity * sizeof(*engine->heap));
    engine->slots =
        gms_arena_alloc(arena, engine->capacity * sizeof(*engine->slots));
    if (engine->heap == NULL || engine->slots == NULL) {
        gms_engine_destroy(arena, engine);
        return GMS_ERR_NO_MEMORY;
    }
    *engine_p = engine;
    return GMS_OK;
}

void gms_engine_destroy(gms_arena_t *arena, gms_engine_t *engine)
{
    if (engine != NULL) {
        gms_arena_free(arena, engine->heap);
        gms_arena_free(arena, engine->slots);
        gms_arena_free(arena, engine);
    }
}

static void *gms_engine_grown(gms_ctx_t *ctx, void *old, uint64_t bytes)
{
    void *bigger = gms_arena_alloc(ctx->arena, 2 * bytes);

    if (bigger == NULL) {
        gms_fatal(ctx,
                  "the arena is full: no room for %llu events; set a "
                  "larger arena_bytes in the cluster description",
                  (unsigned long long)(2 * ctx->engine->capacity));
    }
    memcpy(bigger, old, bytes);
    gms_arena_free(ctx->arena, old);
    return bigger;
}

static void gms_engine_grow(gms_ctx_t *ctx)
{
    gms_engine_t *engine = ctx->engine;

    engine->heap = gms_engine_grown(ctx, engine->heap,
                                    engine->capacity * sizeof(*engine->heap));
    engine->slots = gms_engine_grown(ctx, engine->slots,
                                     engine->capacity * sizeof(*engine->slots));
    engine->capacity *= 2;
}

/* Compare both fields as one number, because this comparison needs no
 * branch. */
static inline int gms_engine_earlier(gms_engine_t *engine,
                                     const gms_heap_item_t *a,
                                     const gms_heap_item_t *b)
{
    (void)engine;
    return ((unsigned __int128)a->time_ps << 64 | a->order) <
           ((unsigned __int128)b->time_ps << 64 | b->order);
}

GMS_HEAP_DEFINE(gms_engine_heap, gms_heap_item_t, gms_engine_t *,
                gms_engine_earlier, GMS_HEAP_UNMOVED);

static uint32_t gms_engine_new_slot(gms_engine_t *engine)
{
    uint32_t slot;

    if (engine->free_slot != 0) {
        slot = engine->free_slot - 1;
        engine->free_slot = engine->slots[slot].next_free;
        return slot;
    }
    return engine->slots_used++;
}

static uint64_t gms_engine_next_order(gms_origin_t *origin)
{
    assert(origin->id <= GMS_ORIGIN_MAX);
    return (uint64_t)origin->id << GMS_SEQUENCE_BITS | origin->next_sequence++;
}

static void gms_engine_add(gms_ctx_t *ctx, gms_time_t time_ps, uint64_t order,
                           uint32_t handler, void *object, uint64_t arg0,
                           uint64_t arg1)
{
    gms_engine_t *engine = ctx->engine;
    gms_heap_item_t item = {.time_ps = time_ps, .order = order};
    gms_slot_t *slot;

    assert(time_ps >= engine->now_ps);
    assert(handler < GMS_SLOT_BACKGROUND + GMS_HANDLER_MAX);
    if (engine->pending == engine->capacity) {
        gms_engine_grow(ctx);
    }
    item.slot = gms_engine_new_slot(engine);
    slot = &engine->slots[item.slot];
    slot->object = object;
    slot->arg[0] = arg0;
    slot->arg[1] = arg1;
    slot->handler = handler;
    ++engine->pending;
    if (engine->is_open) {
        engine->is_open = 0;
        gms_engine_heap_sink(engine, engine->heap, engine->pending, 0, item);
    } else {
        gms_engine_heap_rise(engine, engine->heap, engine->pending - 1, item);
    }
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

/* Close the heap after an event has been run. If that event has scheduled no
 * other event, the last item of the heap takes its place. */
static void gms_engine_close(gms_engine_t *engine)
{
    if (engine->is_open) {
        engine->is_open = 0;
        if (engine->pending != 0) {
            gms_engine_heap_sink(engine, engine->heap, engine->pending, 0,
                                 engine->heap[engine->pending]);
        }
    }
}

/* Store the reached position, unless the stored position is later. An event may
 * schedule another event at its own time, and the origin of the new event may
 * put it before the running event. All events that were in the queue before
 * these two positions have then already been run. */
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
    gms_heap_item_t first;
    gms_slot_t *slot;
    gms_event_t event;
    gms_handler_fn *handler;

    if (engine->pending == 0) {
        return 0;
    }
    assert(!engine->is_open);
    first = engine->heap[0];
    if (first.time_ps >= engine->watch_ps && ctx->on_watch != NULL) {
        ctx->on_watch(ctx, first.time_ps);
    }
    slot = &engine->slots[first.slot];
    event.time_ps = first.time_ps;
    event.origin = (uint32_t)(first.order >> GMS_SEQUENCE_BITS);
    event.handler = slot->handler;
    if (event.handler >= GMS_SLOT_BACKGROUND) {
        event.handler -= GMS_SLOT_BACKGROUND;
        --engine->background;
    }
    event.object = slot->object;
    event.arg[0] = slot->arg[0];
    event.arg[1] = slot->arg[1];
    slot->next_free = engine->free_slot;
    engine->free_slot = first.slot + 1;
    --engine->pending;
    engine->is_open = 1;
    engine->now_ps = event.time_ps;
    gms_engine_reach(engine, event.time_ps, first.order);
    ++engine->run;
    handler = ctx->handlers[event.handler];
    assert(handler != NULL);
    handler(ctx, &event);
    gms_engine_close(engine);
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

/* Return the time of the next event while an event is running. This is a
 * separate function, so that the usual case need not save registers. */
static gms_time_t __attribute__((noinline))
gms_engine_open_next_ps(const gms_engine_t *engine)
{
    return engine
        ->heap[gms_engine_heap_least(NULL, engine->heap, 1,
                                     engine->pending + 1)]
        .time_ps;
}

gms_time_t gms_engine_next_ps(const gms_engine_t *engine)
{
    if (engine->pending == 0) {
        return GMS_NEVER;
    }
    return engine->is_open ? gms_engine_open_next_ps(engine)
                           : engine->heap[0].time_ps;
}

gms_time_t gms_engine_next_needed_ps(const gms_engine_t *engine)
{
    return gms_engine_is_idle(engine) ? GMS_NEVER : gms_engine_next_ps(engine);
}

int gms_engine_is_idle(const gms_engine_t *engine)
{
    return engine->pending == engine->background &&
           (engine->waits == 0 || engine->pending == 0);
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
    return engine->pending;
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
    /* Add the cause of a lack of memory to the message, because most callers do
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
    /* Do not run atexit handlers, because they would call into the broken
     * simulation. */
    _exit(EXIT_FAILURE);
}
