/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the event queue of the engine. Checks the limits of its parts against
 * values computed by hand, and compares the order of events in long random runs
 * with a linear search of an array.
 */
#include "engine/calendar.h"

#include <string.h>

#include "base/random.h"
#include "unit.h"

#define ARENA_BYTES (UINT64_C(256) << 20)
#define MOST        6000u
/* Width of the first buckets and of the first near heaps. */
#define WIDTH      (UINT64_C(1) << 16)
#define NEAR_WIDTH (WIDTH / GMS_CALENDAR_NEAR)
/* Number of buckets in the first ring. */
#define RING UINT64_C(64)

static gms_ctx_t ctx;
static gms_calendar_t calendar;

static void setup(void)
{
    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    if (gms_arena_create_private(ARENA_BYTES, &ctx.arena) != GMS_OK ||
        gms_calendar_init(ctx.arena, &calendar) != GMS_OK) {
        abort();
    }
}

static void teardown(void)
{
    gms_arena_destroy_private(ctx.arena);
}

static void add(gms_time_t time_ps, uint64_t order)
{
    uint32_t number = gms_calendar_new_slot(&ctx, &calendar);
    gms_calendar_slot_t *slot = &calendar.slots[number];

    slot->time_ps = time_ps;
    slot->order = order;
    slot->arg[0] = time_ps * 7 + order; /* shows whether slots have been mixed
                                           up */
    gms_calendar_add(&ctx, &calendar, number);
}

/* Remove the first event, which must have the given time and order. */
static void take(gms_time_t time_ps, uint64_t order)
{
    const gms_calendar_slot_t *slot = gms_calendar_first(&calendar);

    CHECK_U64(slot->time_ps, time_ps);
    CHECK_U64(slot->order, order);
    CHECK_U64(slot->arg[0], time_ps * 7 + order);
    gms_calendar_remove_first(&ctx, &calendar);
}

/* ---- limits -------------------------------------------------------------- */

/* The first event, at time 10, determines that bucket 0 is the near part.
 * Bucket 64 is the last bucket in the ring. Later events are in the far
 * heap. */
static void test_parts(void)
{
    gms_time_t ring_ps = (RING + 1) * WIDTH;

    add(10, 0);
    add(WIDTH - 1, 1);
    CHECK_U64(calendar.near_used, UINT64_C(1) << 63 | 1);
    CHECK_U64(calendar.ring_buckets, 0);
    add(WIDTH, 2);
    CHECK_U64(calendar.ring_buckets, 1);
    CHECK_U64(calendar.mask + 1, RING);
    add(ring_ps - WIDTH - 1, 3); /* bucket 63 */
    CHECK_U64(calendar.ring_buckets, 2);
    CHECK_U64(calendar.far, 0);
    add(ring_ps - WIDTH, 4); /* bucket 64 would have the same index as bucket
                                0 */
    CHECK_U64(calendar.ring_buckets, 2);
    CU_ASSERT_TRUE(calendar.far != 0);
    add(GMS_NEVER, 5);
    CHECK_U64(calendar.pending, 6);
    take(10, 0);
    take(WIDTH - 1, 1);
    CHECK_U64(calendar.current, 1);
    /* now bucket 64 is in the ring */
    CHECK_U64(calendar.ring_buckets, 2);
    take(WIDTH, 2);
    take(ring_ps - WIDTH - 1, 3);
    take(ring_ps - WIDTH, 4);
    take(GMS_NEVER, 5);
    CHECK_U64(calendar.pending, 0);
    CHECK_U64(calendar.far, 0);
    CHECK_U64(calendar.near_used, 0);
}

/* A near heap covers 1024 ps. Events are sorted by time, and events at the same
 * time are sorted by order. This also holds within a near heap. */
static void test_near_heaps(void)
{
    add(2 * NEAR_WIDTH - 1, 1);
    add(NEAR_WIDTH, 9);
    CHECK_U64(calendar.near_used, 2);
    add(2 * NEAR_WIDTH, 0);
    CHECK_U64(calendar.near_used, 6);
    add(NEAR_WIDTH - 1, 3);
    CHECK_U64(calendar.near_used, 7);
    add(NEAR_WIDTH, 8);
    take(NEAR_WIDTH - 1, 3);
    take(NEAR_WIDTH, 8);
    take(NEAR_WIDTH, 9);
    take(2 * NEAR_WIDTH - 1, 1);
    take(2 * NEAR_WIDTH, 0);
}

/* After the queue has opened a later bucket, an event before this bucket is
 * still the first event. */
static void test_earlier_than_near(void)
{
    add(0, 0);
    add(50 * WIDTH + 3, 1);
    add(500 * WIDTH + 3, 2);
    take(0, 0);
    CHECK_U64(calendar.current, 50);
    add(50 * WIDTH - 1, 3);
    add(WIDTH + 5 * NEAR_WIDTH, 4);
    add(WIDTH + 5 * NEAR_WIDTH, 5);
    add(50 * WIDTH, 6);
    CHECK_U64(calendar.near_used, 1);
    take(WIDTH + 5 * NEAR_WIDTH, 4);
    take(WIDTH + 5 * NEAR_WIDTH, 5);
    take(50 * WIDTH - 1, 3);
    take(50 * WIDTH, 6);
    take(50 * WIDTH + 3, 1);
    take(500 * WIDTH + 3, 2);
}

/* An empty queue starts again at the time of its next event, whether this event
 * is earlier or later than the last bucket. */
static void test_empty_queue_begins_anew(void)
{
    add(7 * WIDTH, 0);
    CHECK_U64(calendar.current, 7);
    take(7 * WIDTH, 0);
    add(9000 * WIDTH, 1);
    CHECK_U64(calendar.current, 9000);
    CHECK_U64(calendar.far, 0);
    take(9000 * WIDTH, 1);
    add(8 * WIDTH, 2);
    CHECK_U64(calendar.current, 8);
    take(8 * WIDTH, 2);
}

/* Each chunk of a bucket has room for 15 events. */
static void test_chunks(void)
{
    static const unsigned counts[] = {1, 14, 15, 16, 29, 30, 31, 46};
    unsigned i, k;

    for (i = 0; i < 8; ++i) {
        gms_time_t start_ps = i * 4 * WIDTH;

        add(start_ps, 0);
        for (k = 0; k < counts[i]; ++k) {
            add(start_ps + WIDTH + k % 7, 100 - k);
        }
        CHECK_U64(calendar.ring_buckets, 1);
        /* chunk 0 does not exist; freed chunks are reused */
        CHECK_U64(calendar.chunks_used - 1, (counts[i] + 14) / 15);
        take(start_ps, 0);
        CHECK_U64(calendar.ring_buckets, 0);
        for (k = 0; k < counts[i]; ++k) {
            const gms_calendar_slot_t *slot = gms_calendar_first(&calendar);
            gms_time_t time_ps = slot->time_ps;
            uint64_t order = slot->order;

            gms_calendar_remove_first(&ctx, &calendar);
            CU_ASSERT_TRUE(k + 1 == counts[i] ||
                           gms_calendar_first(&calendar)->time_ps > time_ps ||
                           gms_calendar_first(&calendar)->order > order);
        }
        CHECK_U64(calendar.pending, 0);
    }
}

/* If 3000 events at the same time are added in decreasing, increasing or
 * alternating order, they leave the queue in ascending order. */
static void test_same_time(void)
{
    unsigned round, i;

    for (round = 0; round < 3; ++round) {
        for (i = 0; i < 3000; ++i) {
            add(round * WIDTH + 77,
                round == 0 ? 2999 - i : (round == 1 ? i : i ^ 1));
        }
        for (i = 0; i < 3000; ++i) {
            take(round * WIDTH + 77, i);
        }
    }
    CHECK_U64(calendar.pending, 0);
}

/* With fewer than 256 events, the ring has 64 buckets. The event that makes the
 * ring too small must be later than the near part. */
static void test_ring_grows(void)
{
    unsigned i;

    for (i = 0; i < 255; ++i) {
        add(i * WIDTH, i);
    }
    CHECK_U64(calendar.mask + 1, RING);
    add(255 * WIDTH, 255);
    CHECK_U64(calendar.mask + 1, 2 * RING);
    CHECK_U64(calendar.grow_at, 8 * RING);
    /* In the first quarter of the events, there is one event per 2^16 ps, so 16
     * events need 2^20 ps. */
    CHECK_U64(calendar.shift, 20);
    for (i = 0; i < 256; ++i) {
        take(i * WIDTH, i);
    }
}

/* ---- random runs --------------------------------------------------------- */

static gms_event_key_t keys[MOST];
static unsigned key_count;
static gms_random_t draws;
static gms_time_t now_ps;

/* Remove the first event from both the array and the queue.
 * @return 0 if both are the same event */
static int take_both(void)
{
    const gms_calendar_slot_t *slot = gms_calendar_first(&calendar);
    unsigned first = 0, i;
    int differs;

    for (i = 1; i < key_count; ++i) {
        if (keys[i].time_ps < keys[first].time_ps ||
            (keys[i].time_ps == keys[first].time_ps &&
             keys[i].order < keys[first].order)) {
            first = i;
        }
    }
    now_ps = keys[first].time_ps;
    differs = slot->time_ps != now_ps || slot->order != keys[first].order ||
              slot->arg[0] != now_ps * 7 + slot->order;
    keys[first] = keys[--key_count];
    gms_calendar_remove_first(&ctx, &calendar);
    return differs || calendar.pending != key_count;
}

static void add_both(gms_time_t delay_ps)
{
    gms_event_key_t key = {.time_ps = now_ps + delay_ps,
                           .order = gms_random_u64(&draws)};

    keys[key_count++] = key;
    add(key.time_ps, key.order);
}

/* Draw a random delay. The kinds of delay differ in the distances between
 * events. */
static gms_time_t draw_delay(unsigned kind)
{
    uint64_t u = gms_random_u64(&draws);

    switch (kind) {
    case 0: /* all orders of magnitude up to 17 s */
        return u >> (20 + gms_random_below(&draws, 44));
    case 1: /* only a few different times */
        return u % 4 * 1000;
    case 2: /* short delays and some time-outs */
        return u % 50 == 0 ? GMS_SECOND : u % 3000;
    case 3:
        return gms_random_exponential_ps(&draws, 1e6);
    case 4: /* long gaps between bursts */
        return u % 8 == 0 ? 5 * GMS_MS : u % 8;
    default: /* only the delays zero and one picosecond */
        return u % 2;
    }
}

/* The number of events increases to `most` and decreases to 0 several times.
 * Every part of a run uses a different kind of delay, so the width changes. */
static void random_run(uint64_t seed, unsigned most, unsigned steps)
{
    unsigned wrong = 0, kind = 0, target = 0, i;

    gms_random_init(&draws, seed, 0);
    now_ps = 0;
    for (i = 0; i < steps; ++i) {
        if (i % 4000 == 0) {
            kind = (unsigned)gms_random_below(&draws, 6);
            target = (unsigned)gms_random_below(&draws, most);
        }
        if (key_count == 0 ||
            (key_count < most &&
             gms_random_below(&draws, 8) < (key_count < target ? 6 : 2))) {
            add_both(draw_delay(kind));
        } else {
            wrong += (unsigned)take_both();
        }
    }
    while (key_count > 0) {
        wrong += (unsigned)take_both();
    }
    CHECK_U64(wrong, 0);
    CHECK_U64(calendar.near_used, 0);
    CHECK_U64(calendar.ring_buckets, 0);
    CHECK_U64(calendar.far, 0);
}

static void test_random_few(void)
{
    uint64_t seed;

    for (seed = 1; seed <= 8; ++seed) {
        random_run(seed, 40, 60000);
    }
}

static void test_random_many(void)
{
    uint64_t seed;

    for (seed = 1; seed <= 4; ++seed) {
        random_run(100 + seed, MOST, 40000);
    }
}

/* While the number of events is constant, the width adapts when the delays
 * change by a factor of 10^6, in both directions. Afterwards, each bucket
 * contains between 4 and 64 events on average. */
static void test_width_follows(void)
{
    static const double means[] = {1e6, 1e3, 1e9};
    unsigned wrong = 0, i, k;
    uint64_t removed, opened;

    gms_random_init(&draws, 5, 0);
    now_ps = 0;
    for (i = 0; i < 3; ++i) {
        while (key_count < 500) {
            add_both(gms_random_exponential_ps(&draws, means[i]));
        }
        for (k = 0; k < 60000; ++k) {
            wrong += (unsigned)take_both();
            add_both(gms_random_exponential_ps(&draws, means[i]));
        }
        removed = calendar.removed;
        opened = calendar.opened;
        CU_ASSERT_TRUE(removed > 100);
        CU_ASSERT_TRUE(opened * 4 < removed);
        CU_ASSERT_TRUE(opened * 64 > removed);
        CU_ASSERT_TRUE(calendar.collisions * 3 < removed);
    }
    while (key_count > 0) {
        wrong += (unsigned)take_both();
    }
    CHECK_U64(wrong, 0);
}

/* ---- memory -------------------------------------------------------------- */

/* At the end, the queue frees all of its memory. */
static void test_free(void)
{
    gms_calendar_t other;
    uint64_t before, after, total, i;

    gms_arena_usage(ctx.arena, &before, &total);
    CHECK_U64(gms_calendar_init(ctx.arena, &other), GMS_OK);
    for (i = 0; i < 5000; ++i) {
        uint32_t number = gms_calendar_new_slot(&ctx, &other);

        other.slots[number].time_ps = i * i;
        other.slots[number].order = i;
        gms_calendar_add(&ctx, &other, number);
    }
    gms_calendar_free(ctx.arena, &other);
    gms_arena_usage(ctx.arena, &after, &total);
    CHECK_U64(after, before);
}

/* The arena has no room for the first tables. */
static void test_no_memory(void)
{
    gms_calendar_t other;
    uint64_t before, after, total;

    while (gms_arena_alloc(ctx.arena, 4096) != NULL) {
    }
    gms_arena_usage(ctx.arena, &before, &total);
    CHECK_U64(gms_calendar_init(ctx.arena, &other), GMS_ERR_NO_MEMORY);
    gms_arena_usage(ctx.arena, &after, &total);
    CHECK_U64(after, before);
}

int main(void)
{
    CU_TestInfo limits[] = {
        {"an event belongs to the near part, ring or far heap", test_parts},
        {"events within a near heap are in order", test_near_heaps},
        {"an event before the open bucket runs first", test_earlier_than_near},
        {"an empty queue restarts at its next event",
         test_empty_queue_begins_anew},
        {"a bucket with several chunks", test_chunks},
        {"events at the same time", test_same_time},
        {"the ring grows with the number of events", test_ring_grows},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo runs[] = {
        {"random runs with few events", test_random_few},
        {"random runs with many events", test_random_many},
        {"the bucket width adapts to the delays", test_width_follows},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo memory[] = {
        {"all memory is freed", test_free},
        {"full arena", test_no_memory},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"limits", NULL, NULL, setup, teardown, limits},
                    {"order", NULL, NULL, setup, teardown, runs},
                    {"memory", NULL, NULL, setup, teardown, memory});
}
