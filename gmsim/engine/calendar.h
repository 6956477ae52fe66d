/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Provides the engine's queue of events, ordered by (time, order). Adding an
 * event and removing the first event take constant time on average, independent
 * of the number of events. The queue has three parts, by time:
 *
 *   near: 64 heaps of equal | ring of buckets, each as wide | far: one heap of
 *   widths, one bit each    | as all near heaps together    | all later events
 *
 * The ring's events are not sorted. When the near part becomes empty, it moves
 * to the next bucket that is not empty, and takes this bucket's events. An
 * event that is earlier than the near part belongs to the first near heap.
 *
 * The heaps are pairing heaps. The slots of the events contain their links. A
 * near heap usually has at most one event. If all events have the same time,
 * one pairing heap contains them, and a removal takes O(log n) on average. The
 * queue adapts the width of its buckets to the events. The width affects only
 * the speed. The order of the events never depends on the width.
 *
 * [source: Brown 1988, Calendar queues; Tang, Goh and Thng 2005, Ladder queue;
 * Fredman, Sedgewick, Sleator and Tarjan 1986, The pairing heap]
 */
#ifndef ENGINE_CALENDAR_H
#define ENGINE_CALENDAR_H

#include <stdint.h>

#include "base/time.h"
#include "engine/engine.h"

/* log2 of the number of near heaps; each near heap has one bit in a 64-bit
 * word */
#define GMS_CALENDAR_NEAR_BITS 6u
#define GMS_CALENDAR_NEAR      64u
/* A chunk is as large as a cache line. */
#define GMS_CALENDAR_CHUNK 15u

/* A slot of the table, which stores one event. A slot has the size of a cache
 * line. */
typedef struct gms_calendar_slot {
    gms_time_t time_ps;
    uint64_t order;
    void *object;
    uint64_t arg[2];
    uint32_t handler;
    uint32_t child;   /* first child in the pairing heap; 0: none */
    uint32_t sibling; /* next sibling, or next free slot; 0: none */
    uint32_t unused[3];
} gms_calendar_slot_t;

/* Numbers of slots whose events are in a bucket. */
typedef struct gms_calendar_chunk {
    uint32_t next; /* older chunk of the bucket, or next free chunk; 0: none */
    uint32_t slot[GMS_CALENDAR_CHUNK];
} gms_calendar_chunk_t;

typedef struct gms_calendar_bucket {
    uint32_t chunk; /* newest chunk of the bucket; the older chunks are full */
    uint32_t fill;  /* number of slots in the newest chunk; 0: the bucket is
                     * empty */
} gms_calendar_bucket_t;

/* Slots and chunks are numbered from 1. */
typedef struct gms_calendar {
    gms_calendar_slot_t *slots;
    uint64_t near_used; /* bit i: near[i] is not empty */
    uint64_t current;   /* number of the bucket that the near part covers.
                         * Bucket b begins at time b << shift */
    uint64_t mask;      /* number of buckets in the ring - 1 */
    uint64_t pending;   /* number of events */
    uint64_t grow_at;   /* smallest number of events that requires a larger
                         * ring */
    gms_calendar_bucket_t *ring; /* bucket b has the index b & mask */
    gms_calendar_chunk_t *chunks;
    uint32_t shift;
    uint32_t free_slot, free_chunk;   /* 0: none */
    uint32_t far;                     /* root; 0: empty */
    uint32_t near[GMS_CALENDAR_NEAR]; /* roots */
    /* the following fields are used less frequently */
    uint64_t *ring_used;   /* one bit per bucket of the ring */
    uint64_t ring_buckets; /* number of buckets in the ring that are not
                            * empty */
    uint64_t ring_capacity;
    uint32_t slots_used, slot_capacity;
    uint32_t chunks_used, chunk_capacity;
    /* Since the last check of the width: */
    uint64_t removed, opened; /* numbers of removed events and of opened
                               * buckets */
    uint64_t collisions;      /* number of events that were added to a near heap
                               * whose first event had a different time */
    uint64_t check_at;        /* value of `removed` at which the next check is
                               * due */
} gms_calendar_t;

/** @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_calendar_init(gms_arena_t *arena, gms_calendar_t *calendar);
void gms_calendar_free(gms_arena_t *arena, gms_calendar_t *calendar);

/* The inline functions below call the following functions in rare cases. If the
 * arena is full, they end the run (gms_fatal()). */

/** Enlarge the table of slots. */
void gms_calendar_more_slots(gms_ctx_t *ctx, gms_calendar_t *calendar);
/** Add an event that is later than the near part. */
void gms_calendar_add_later(gms_ctx_t *ctx, gms_calendar_t *calendar,
                            uint32_t number);
/** Replace the root of a near heap by its children, of which `child` is the
 *  first. */
void gms_calendar_remove_root(gms_ctx_t *ctx, gms_calendar_t *calendar,
                              unsigned near, uint32_t child);
/** Fill the empty near part from the ring or the far heap, of which at least
 *  one is not empty. */
void gms_calendar_open(gms_ctx_t *ctx, gms_calendar_t *calendar);

/* Compare both fields as a single number, because this comparison needs no
 * branch. */
static inline int gms_calendar_slot_is_before(const gms_calendar_slot_t *a,
                                              const gms_calendar_slot_t *b)
{
    return ((unsigned __int128)a->time_ps << 64 | a->order) <
           ((unsigned __int128)b->time_ps << 64 | b->order);
}

/* Join two pairing heaps, and return the root of the result. The sibling of the
 * root is not changed. */
static inline uint32_t gms_calendar_join(gms_calendar_slot_t *slots, uint32_t a,
                                         uint32_t b)
{
    if (gms_calendar_slot_is_before(&slots[b], &slots[a])) {
        uint32_t root = b;

        b = a;
        a = root;
    }
    slots[b].sibling = slots[a].child;
    slots[a].child = b;
    return a;
}

/* Add an event that is not later than the near part. */
static inline void gms_calendar_add_near(gms_calendar_t *calendar,
                                         uint32_t number)
{
    gms_time_t time_ps = calendar->slots[number].time_ps;
    uint64_t near = (time_ps >> (calendar->shift - GMS_CALENDAR_NEAR_BITS)) %
                    GMS_CALENDAR_NEAR;

    if (time_ps >> calendar->shift < calendar->current) {
        near = 0;
    }
    if (calendar->near[near] != 0) {
        calendar->collisions +=
            calendar->slots[calendar->near[near]].time_ps != time_ps;
        number =
            gms_calendar_join(calendar->slots, calendar->near[near], number);
    }
    calendar->near[near] = number;
    calendar->near_used |= UINT64_C(1) << near;
}

/** Return the number of a free slot. The caller fills the slot, and then calls
 *  gms_calendar_add(). */
static inline uint32_t gms_calendar_new_slot(gms_ctx_t *ctx,
                                             gms_calendar_t *calendar)
{
    uint32_t number = calendar->free_slot;

    if (number != 0) {
        calendar->free_slot = calendar->slots[number].sibling;
        return number;
    }
    if (calendar->slots_used == calendar->slot_capacity) {
        gms_calendar_more_slots(ctx, calendar);
    }
    return calendar->slots_used++;
}

/** Add the event of a slot. */
static inline void gms_calendar_add(gms_ctx_t *ctx, gms_calendar_t *calendar,
                                    uint32_t number)
{
    uint64_t bucket = calendar->slots[number].time_ps >> calendar->shift;

    calendar->slots[number].child = 0;
    if (calendar->pending++ == 0) {
        calendar->current = bucket;
    }
    if (bucket <= calendar->current) {
        gms_calendar_add_near(calendar, number);
        return;
    }
    if (bucket - calendar->current <= calendar->mask) {
        gms_calendar_bucket_t *target =
            &calendar->ring[bucket & calendar->mask];

        if (target->fill - 1 < GMS_CALENDAR_CHUNK - 1) {
            calendar->chunks[target->chunk].slot[target->fill++] = number;
            return;
        }
    }
    gms_calendar_add_later(ctx, calendar, number);
}

/** Return the first near heap that is not empty. The queue must not be
 *  empty. */
static inline unsigned gms_calendar_first_near(const gms_calendar_t *calendar)
{
    return (unsigned)__builtin_ctzll(calendar->near_used);
}

/** Return the first event. The queue must not be empty. */
static inline const gms_calendar_slot_t *
gms_calendar_first(const gms_calendar_t *calendar)
{
    return &calendar->slots[calendar->near[gms_calendar_first_near(calendar)]];
}

/** Remove the first event. The content of its slot does not change before the
 *  next call of gms_calendar_new_slot(). */
static inline void gms_calendar_remove_first(gms_ctx_t *ctx,
                                             gms_calendar_t *calendar)
{
    unsigned near = gms_calendar_first_near(calendar);
    uint32_t number = calendar->near[near];
    uint32_t child = calendar->slots[number].child;

    calendar->slots[number].sibling = calendar->free_slot;
    calendar->free_slot = number;
    ++calendar->removed;
    --calendar->pending;
    if (child != 0) {
        gms_calendar_remove_root(ctx, calendar, near, child);
        return;
    }
    calendar->near[near] = 0;
    calendar->near_used &= calendar->near_used - 1;
    if (calendar->near_used == 0 && calendar->pending != 0) {
        gms_calendar_open(ctx, calendar);
    }
}

#endif
