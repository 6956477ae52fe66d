/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the parts of the event queue that are used less often: the ring of
 * buckets, the far heap, and the choice of the buckets' width.
 *
 * The data of a bucket are contiguous, but the events are spread over the table
 * of slots. Therefore the slots of the next bucket are fetched into the cache
 * when a bucket is opened.
 */
#include "engine/calendar.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = 1024,
    FIRST_CHUNKS = 64,
    FIRST_BUCKETS = 64,
    /* Width of the first buckets: 2^16 ps. */
    FIRST_SHIFT = 16,
    MOST_SHIFT = 56,
    /* Target number of events per bucket. With fewer events per bucket, opening
     * buckets costs more time. With more events per bucket, more events share a
     * near heap. */
    EVENTS_PER_BUCKET = 16,
    SAMPLES = 256,
    /* Number of events between two checks of the width, in addition to twice
     * the number of pending events. A change of the width moves all pending
     * events. */
    CHECK_EVENTS = 512
};

/* ---- memory --------------------------------------------------------------- */

/* Return a larger copy of a table, or NULL. */
static void *gms_calendar_larger(gms_arena_t *arena, void *old, uint64_t bytes,
                                 uint64_t new_bytes)
{
    void *larger = gms_arena_alloc(arena, new_bytes);

    if (larger != NULL && old != NULL) {
        memcpy(larger, old, bytes);
        gms_arena_free(arena, old);
    }
    return larger;
}

static void gms_calendar_need(gms_ctx_t *ctx, const gms_calendar_t *calendar,
                              const void *memory)
{
    if (memory == NULL) {
        gms_fatal(ctx,
                  "the arena is full: no room for %llu events; set a "
                  "larger arena_bytes in the cluster description",
                  (unsigned long long)calendar->pending + 1);
    }
}

/* Reset the counts for the next check of the width. */
static void gms_calendar_count_anew(gms_calendar_t *calendar)
{
    calendar->removed = calendar->opened = calendar->collisions = 0;
    calendar->check_at = CHECK_EVENTS + 2 * calendar->pending;
}

/* Set the size of the ring, which must be empty.
 * @return 0 or -1 */
static int gms_calendar_set_ring(gms_arena_t *arena, gms_calendar_t *calendar,
                                 uint64_t buckets)
{
    if (buckets > calendar->ring_capacity) {
        gms_arena_free(arena, calendar->ring);
        gms_arena_free(arena, calendar->ring_used);
        calendar->ring =
            gms_arena_alloc(arena, buckets * sizeof(*calendar->ring));
        calendar->ring_used = gms_arena_alloc(arena, buckets / 8);
        if (calendar->ring == NULL || calendar->ring_used == NULL) {
            return -1;
        }
        calendar->ring_capacity = buckets;
    }
    calendar->mask = buckets - 1;
    calendar->grow_at = 4 * buckets;
    return 0;
}

gms_status_t gms_calendar_init(gms_arena_t *arena, gms_calendar_t *calendar)
{
    memset(calendar, 0, sizeof(*calendar));
    calendar->shift = FIRST_SHIFT;
    calendar->slots_used = calendar->chunks_used = 1;
    calendar->slot_capacity = FIRST_SLOTS;
    calendar->chunk_capacity = FIRST_CHUNKS;
    calendar->slots =
        gms_arena_alloc(arena, FIRST_SLOTS * sizeof(*calendar->slots));
    calendar->chunks =
        gms_arena_alloc(arena, FIRST_CHUNKS * sizeof(*calendar->chunks));
    if (calendar->slots == NULL || calendar->chunks == NULL ||
        gms_calendar_set_ring(arena, calendar, FIRST_BUCKETS) != 0) {
        gms_calendar_free(arena, calendar);
        return GMS_ERR_NO_MEMORY;
    }
    gms_calendar_count_anew(calendar);
    return GMS_OK;
}

void gms_calendar_free(gms_arena_t *arena, gms_calendar_t *calendar)
{
    gms_arena_free(arena, calendar->slots);
    gms_arena_free(arena, calendar->chunks);
    gms_arena_free(arena, calendar->ring);
    gms_arena_free(arena, calendar->ring_used);
    memset(calendar, 0, sizeof(*calendar));
}

void gms_calendar_more_slots(gms_ctx_t *ctx, gms_calendar_t *calendar)
{
    uint64_t bytes = calendar->slot_capacity * sizeof(*calendar->slots);

    calendar->slots =
        gms_calendar_larger(ctx->arena, calendar->slots, bytes, 2 * bytes);
    gms_calendar_need(ctx, calendar, calendar->slots);
    calendar->slot_capacity *= 2;
}

static uint32_t gms_calendar_new_chunk(gms_ctx_t *ctx, gms_calendar_t *calendar)
{
    uint32_t number = calendar->free_chunk;
    uint64_t bytes = calendar->chunk_capacity * sizeof(*calendar->chunks);

    if (number != 0) {
        calendar->free_chunk = calendar->chunks[number].next;
        return number;
    }
    if (calendar->chunks_used == calendar->chunk_capacity) {
        calendar->chunks =
            gms_calendar_larger(ctx->arena, calendar->chunks, bytes, 2 * bytes);
        gms_calendar_need(ctx, calendar, calendar->chunks);
        calendar->chunk_capacity *= 2;
    }
    return calendar->chunks_used++;
}

/* ---- pairing heaps -------------------------------------------------------- */

/* Merge the siblings whose parent was removed, and return the root of their
 * heap. Merge the siblings in pairs, and then merge the results, from the last
 * pair to the first. */
static uint32_t gms_calendar_join_siblings(gms_calendar_slot_t *slots,
                                           uint32_t first)
{
    uint32_t pairs = 0, a, b, next;

    for (a = first; a != 0; a = next) {
        b = slots[a].sibling;
        next = 0;
        if (b != 0) {
            next = slots[b].sibling;
            a = gms_calendar_join(slots, a, b);
        }
        slots[a].sibling = pairs;
        pairs = a;
    }
    for (a = pairs, b = slots[a].sibling; b != 0; b = next) {
        next = slots[b].sibling;
        a = gms_calendar_join(slots, a, b);
    }
    return a;
}

/* Put the events of a heap at the beginning of a list that is linked through
 * the sibling fields, and return the list. */
static uint32_t gms_calendar_list_heap(gms_calendar_t *calendar, uint32_t root,
                                       uint32_t list)
{
    gms_calendar_slot_t *slots = calendar->slots;
    uint32_t left = root, child, next;

    if (root != 0) {
        slots[root].sibling = 0;
    }
    while (left != 0) {
        root = left;
        left = slots[root].sibling;
        for (child = slots[root].child; child != 0; child = next) {
            next = slots[child].sibling;
            slots[child].sibling = left;
            left = child;
        }
        slots[root].sibling = list;
        list = root;
    }
    return list;
}

/* ---- buckets -------------------------------------------------------------- */

/* Put an event that is later than the near part into the ring or the far
 * heap. */
static void gms_calendar_put_later(gms_ctx_t *ctx, gms_calendar_t *calendar,
                                   uint32_t number)
{
    uint64_t bucket = calendar->slots[number].time_ps >> calendar->shift;
    uint64_t index = bucket & calendar->mask;
    gms_calendar_bucket_t *target = &calendar->ring[index];
    uint32_t chunk;

    if (bucket - calendar->current > calendar->mask) {
        calendar->far =
            calendar->far == 0
                ? number
                : gms_calendar_join(calendar->slots, calendar->far, number);
        return;
    }
    if (target->fill == 0 || target->fill == GMS_CALENDAR_CHUNK) {
        chunk = gms_calendar_new_chunk(ctx, calendar);
        calendar->chunks[chunk].next = target->chunk;
        if (target->fill == 0) {
            calendar->ring_used[index / 64] |= UINT64_C(1) << index % 64;
            ++calendar->ring_buckets;
        }
        target->chunk = chunk;
        target->fill = 0;
    }
    calendar->chunks[target->chunk].slot[target->fill++] = number;
}

/* Move the events of a bucket to the near heaps. */
static void gms_calendar_empty_bucket(gms_calendar_t *calendar, uint64_t index)
{
    gms_calendar_bucket_t *bucket = &calendar->ring[index];
    uint32_t number = bucket->chunk, fill = bucket->fill, next, i;

    for (; number != 0; number = next) {
        gms_calendar_chunk_t *chunk = &calendar->chunks[number];

        for (i = 0; i < fill; ++i) {
            gms_calendar_add_near(calendar, chunk->slot[i]);
        }
        next = chunk->next;
        chunk->next = calendar->free_chunk;
        calendar->free_chunk = number;
        fill = GMS_CALENDAR_CHUNK;
    }
    bucket->chunk = bucket->fill = 0;
    calendar->ring_used[index / 64] &= ~(UINT64_C(1) << index % 64);
    --calendar->ring_buckets;
}

/* Remove all events from the calendar, and return their list. */
static uint32_t gms_calendar_list_all(gms_calendar_t *calendar)
{
    uint32_t list = gms_calendar_list_heap(calendar, calendar->far, 0);
    uint64_t i;

    calendar->far = 0;
    for (i = 0; calendar->ring_buckets != 0; ++i) {
        if (calendar->ring[i].fill != 0) {
            gms_calendar_empty_bucket(calendar, i);
        }
    }
    for (i = 0; i < GMS_CALENDAR_NEAR; ++i) {
        list = gms_calendar_list_heap(calendar, calendar->near[i], list);
        calendar->near[i] = 0;
    }
    calendar->near_used = 0;
    return list;
}

/* Add the event of a slot to the part of the queue that covers its time. */
static void gms_calendar_place(gms_ctx_t *ctx, gms_calendar_t *calendar,
                               uint32_t number)
{
    calendar->slots[number].child = 0;
    if (calendar->slots[number].time_ps >> calendar->shift <=
        calendar->current) {
        gms_calendar_add_near(calendar, number);
    } else {
        gms_calendar_put_later(ctx, calendar, number);
    }
}

/* ---- width of the buckets ------------------------------------------------- */

static int gms_calendar_compare_times(const void *a, const void *b)
{
    gms_time_t x = *(const gms_time_t *)a, y = *(const gms_time_t *)b;

    return x < y ? -1 : x > y;
}

/* Choose a width from the times of the earliest quarter of the events of a
 * list. */
static void gms_calendar_choose_shift(gms_calendar_t *calendar, uint32_t list)
{
    gms_time_t sample[SAMPLES], width;
    uint64_t step = calendar->pending / SAMPLES + 1, i, count = 0;

    for (i = 0; list != 0; list = calendar->slots[list].sibling, ++i) {
        if (i % step == 0) {
            sample[count++] = calendar->slots[list].time_ps;
        }
    }
    qsort(sample, count, sizeof(*sample), gms_calendar_compare_times);
    width = (sample[count / 4] - sample[0]) / (calendar->pending / 4) *
            EVENTS_PER_BUCKET;
    calendar->shift = GMS_CALENDAR_NEAR_BITS;
    while (calendar->shift < MOST_SHIFT &&
           UINT64_C(4) << calendar->shift <= 3 * width) {
        ++calendar->shift;
    }
}

/* Add all events of a list to the queue again. */
static void gms_calendar_distribute(gms_ctx_t *ctx, gms_calendar_t *calendar,
                                    uint32_t list)
{
    gms_time_t first_ps = GMS_NEVER;
    uint32_t number, next;

    for (number = list; number != 0; number = calendar->slots[number].sibling) {
        if (calendar->slots[number].time_ps < first_ps) {
            first_ps = calendar->slots[number].time_ps;
        }
    }
    calendar->current = first_ps >> calendar->shift;
    gms_calendar_count_anew(calendar);
    for (number = list; number != 0; number = next) {
        next = calendar->slots[number].sibling;
        gms_calendar_place(ctx, calendar, number);
    }
    calendar->collisions = 0;
}

/* Enlarge the ring for the present number of events. */
static void gms_calendar_grow(gms_ctx_t *ctx, gms_calendar_t *calendar)
{
    uint64_t buckets = calendar->mask + 1;
    uint32_t list = gms_calendar_list_all(calendar);

    while (2 * buckets < calendar->pending) {
        buckets *= 2;
    }
    if (gms_calendar_set_ring(ctx->arena, calendar, buckets) != 0) {
        gms_calendar_need(ctx, calendar, NULL);
    }
    /* The present width is suitable if many events have been removed. */
    if (calendar->removed < calendar->pending) {
        gms_calendar_choose_shift(calendar, list);
    }
    gms_calendar_distribute(ctx, calendar, list);
}

void gms_calendar_add_later(gms_ctx_t *ctx, gms_calendar_t *calendar,
                            uint32_t number)
{
    gms_calendar_put_later(ctx, calendar, number);
    if (calendar->pending >= calendar->grow_at) {
        gms_calendar_grow(ctx, calendar);
    }
}

/* Change the width of the buckets if many events collide, or if the buckets
 * have too few events. */
static void gms_calendar_check_width(gms_ctx_t *ctx, gms_calendar_t *calendar)
{
    uint32_t shift = calendar->shift;

    if (calendar->collisions > calendar->removed / 5) {
        shift -= calendar->collisions > calendar->removed / 2 ? 3 : 1;
        shift = shift < GMS_CALENDAR_NEAR_BITS ? GMS_CALENDAR_NEAR_BITS : shift;
    } else if (calendar->collisions < calendar->removed / 16 &&
               calendar->opened > calendar->removed / (EVENTS_PER_BUCKET / 2)) {
        shift += calendar->opened > calendar->removed / 2 ? 3 : 1;
        shift = shift > MOST_SHIFT ? MOST_SHIFT : shift;
    }
    if (shift == calendar->shift) {
        gms_calendar_count_anew(calendar);
    } else {
        uint32_t list = gms_calendar_list_all(calendar);

        calendar->shift = shift;
        gms_calendar_distribute(ctx, calendar, list);
    }
}

/* ---- removing ------------------------------------------------------------- */

void gms_calendar_remove_root(gms_ctx_t *ctx, gms_calendar_t *calendar,
                              unsigned near, uint32_t child)
{
    calendar->near[near] = gms_calendar_join_siblings(calendar->slots, child);
    if (calendar->removed >= calendar->check_at) {
        gms_calendar_check_width(ctx, calendar);
    }
}

/* Return the number of the first bucket of the ring that is not empty. */
static uint64_t gms_calendar_next_bucket(const gms_calendar_t *calendar)
{
    uint64_t from = (calendar->current + 1) & calendar->mask, word = from / 64,
             index;
    uint64_t bits = calendar->ring_used[word] & ~UINT64_C(0) << from % 64;

    while (bits == 0) {
        word = (word + 1) & calendar->mask / 64;
        bits = calendar->ring_used[word];
    }
    index = 64 * word + (uint64_t)__builtin_ctzll(bits);
    return calendar->current + 1 + ((index - from) & calendar->mask);
}

/* Prefetch the events of the next bucket, and the chunk of the bucket after the
 * next one, into the cache. */
static void gms_calendar_prefetch(const gms_calendar_t *calendar)
{
    const gms_calendar_bucket_t *bucket =
        &calendar->ring[(calendar->current + 1) & calendar->mask];
    uint32_t number = bucket->chunk, fill = bucket->fill, chunks, i;

    for (chunks = 0; chunks < 2 && number != 0; ++chunks) {
        const gms_calendar_chunk_t *chunk = &calendar->chunks[number];

        for (i = 0; i < fill; ++i) {
            __builtin_prefetch(&calendar->slots[chunk->slot[i]]);
        }
        number = chunk->next;
        fill = GMS_CALENDAR_CHUNK;
    }
    bucket = &calendar->ring[(calendar->current + 2) & calendar->mask];
    __builtin_prefetch(&calendar->chunks[bucket->chunk]);
}

void gms_calendar_open(gms_ctx_t *ctx, gms_calendar_t *calendar)
{
    gms_calendar_slot_t *slots = calendar->slots;

    ++calendar->opened;
    calendar->current = calendar->ring_buckets != 0
                            ? gms_calendar_next_bucket(calendar)
                            : slots[calendar->far].time_ps >> calendar->shift;
    while (calendar->far != 0 &&
           (slots[calendar->far].time_ps >> calendar->shift) -
                   calendar->current <=
               calendar->mask) {
        uint32_t number = calendar->far;

        calendar->far =
            slots[number].child == 0
                ? 0
                : gms_calendar_join_siblings(slots, slots[number].child);
        gms_calendar_place(ctx, calendar, number);
    }
    if (calendar->ring[calendar->current & calendar->mask].fill != 0) {
        gms_calendar_empty_bucket(calendar, calendar->current & calendar->mask);
    }
    gms_calendar_prefetch(calendar);
    if (calendar->removed >= calendar->check_at) {
        gms_calendar_check_width(ctx, calendar);
    }
}
