/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the event queue, the arena and the random streams. */
#include "engine/engine.h"

#include <string.h>

#include "base/random.h"
#include "unit.h"

#define ON_NOTE     GMS_HANDLER_TEST
#define ON_CHAIN    (GMS_HANDLER_TEST + 1)
#define ARENA_BYTES (UINT64_C(64) << 20)

static gms_ctx_t ctx;
static gms_origin_t origin_a = {.id = 3};
static gms_origin_t origin_b = {.id = 5};
static uint64_t noted[64];
static unsigned notes;

static void on_note(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    if (notes < 64) {
        noted[notes] = event->arg[0];
    }
    ++notes;
}

static void on_chain(gms_ctx_t *c, const gms_event_t *event)
{
    ++notes;
    if (event->arg[0] > 0) {
        gms_engine_schedule(c, &origin_a, event->time_ps, ON_CHAIN, NULL,
                            event->arg[0] - 1, 0);
    }
}

static void setup(void)
{
    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    ctx.handlers[ON_NOTE] = on_note;
    ctx.handlers[ON_CHAIN] = on_chain;
    notes = 0;
    if (gms_arena_create_private(ARENA_BYTES, &ctx.arena) != GMS_OK ||
        gms_engine_create(ctx.arena, &ctx.engine) != GMS_OK) {
        abort();
    }
}

static void teardown(void)
{
    gms_arena_destroy_private(ctx.arena);
}

static void post(gms_origin_t *origin, gms_time_t time_ps, uint64_t note)
{
    gms_engine_schedule(&ctx, origin, time_ps, ON_NOTE, NULL, note, 0);
}

static void test_empty(void)
{
    CHECK_U64(gms_engine_step(&ctx), 0);
    CHECK_U64(gms_engine_next_ps(ctx.engine), GMS_NEVER);
    CHECK_U64(gms_engine_now(ctx.engine), 0);
}

/* Events at the same time run in the order of their origins. Events with the
 * same origin run in the order of the origin's own count. */
static void test_order(void)
{
    uint64_t expected[] = {1, 2, 3, 4, 5};
    unsigned i;

    post(&origin_b, 20, 4);
    post(&origin_b, 10, 2);
    post(&origin_a, 20, 3);
    post(&origin_a, 5, 1);
    post(&origin_b, 20, 5);
    while (gms_engine_step(&ctx)) {
    }
    CHECK_U64(notes, 5);
    for (i = 0; i < 5; ++i) {
        CHECK_U64(noted[i], expected[i]);
    }
    CHECK_U64(gms_engine_now(ctx.engine), 20);
}

static void test_run_until_is_exclusive(void)
{
    post(&origin_a, 10, 1);
    post(&origin_a, 11, 2);
    gms_engine_run_until(&ctx, 11);
    CHECK_U64(notes, 1);
    CHECK_U64(gms_engine_next_ps(ctx.engine), 11);
}

#define ON_KEPT (GMS_HANDLER_TEST + 2)

static gms_event_key_t kept;

/* Record whether the kept key is in the past, and the time of the next
 * event. */
static void on_kept(gms_ctx_t *c, const gms_event_t *event)
{
    (void)event;
    noted[notes++] = (uint64_t)gms_engine_is_past(c->engine, &kept);
    noted[notes++] = gms_engine_next_ps(c->engine);
}

/* Among events at the same time, a kept key keeps its position in the order,
 * regardless of the origins of the other events. The position does not depend
 * on whether an event is scheduled with this key. */
static void test_kept_place(void)
{
    uint64_t unused[] = {0, 20, 0, 20, 1, 20, 1, GMS_NEVER};
    uint64_t used[] = {1, 2, 3, 4, 5};
    unsigned i, round;

    ctx.handlers[ON_KEPT] = on_kept;
    for (round = 0; round < 2; ++round) {
        uint32_t handler = round == 0 ? ON_KEPT : ON_NOTE;

        notes = 0;
        gms_engine_schedule(&ctx, &origin_b, 20 + round, handler, NULL, 2, 0);
        kept = gms_engine_keep_key(&origin_b, 20 + round);
        gms_engine_schedule(&ctx, &origin_b, 20 + round, handler, NULL, 4, 0);
        gms_engine_schedule(&ctx, &origin_a, 20 + round, handler, NULL, 1, 0);
        gms_engine_schedule(&ctx, &origin_b, 20 + round, handler, NULL, 5, 0);
        CHECK_U64((uint64_t)gms_engine_is_past(ctx.engine, &kept), 0);
        if (round == 1) {
            gms_engine_schedule_at(&ctx, &kept, ON_NOTE, NULL, 3, 0);
        }
        while (gms_engine_step(&ctx)) {
        }
        CHECK_U64((uint64_t)gms_engine_is_past(ctx.engine, &kept), 1);
        CHECK_U64(notes, round == 0 ? 8 : 5);
        for (i = 0; i < notes; ++i) {
            CHECK_U64(noted[i], round == 0 ? unused[i] : used[i]);
        }
    }
}

/* The position of a kept key is compared correctly even if the queue contains
 * no event at this position or after it. */
static void test_kept_place_after_run_until(void)
{
    gms_event_key_t early = gms_engine_keep_key(&origin_a, 10);
    gms_event_key_t late = gms_engine_keep_key(&origin_a, 11);

    gms_engine_run_until(&ctx, 11);
    CU_ASSERT_TRUE(gms_engine_is_past(ctx.engine, &early));
    CU_ASSERT_FALSE(gms_engine_is_past(ctx.engine, &late));
    gms_engine_run_until(&ctx, 5);
    CU_ASSERT_TRUE(gms_engine_is_past(ctx.engine, &early));
}

#define ON_BACK (GMS_HANDLER_TEST + 3)

static void on_back(gms_ctx_t *c, const gms_event_t *event)
{
    (void)event;
    post(&origin_a, gms_engine_now(c->engine), 1);
}

/* If an event is scheduled late, it can run after an event that it precedes in
 * the order. A key that was in the past remains in the past. */
static void test_kept_place_stays_past(void)
{
    ctx.handlers[ON_BACK] = on_back;
    kept = gms_engine_keep_key(&origin_b, 10);
    gms_engine_schedule(&ctx, &origin_b, 10, ON_BACK, NULL, 0, 0);
    gms_engine_step(&ctx);
    CU_ASSERT_TRUE(gms_engine_is_past(ctx.engine, &kept));
    gms_engine_step(&ctx);
    CHECK_U64(notes, 1);
    CU_ASSERT_TRUE(gms_engine_is_past(ctx.engine, &kept));
}

/* Record whether the kept key is in the past while the key's own event runs. */
static void on_own(gms_ctx_t *c, const gms_event_t *event)
{
    (void)event;
    noted[notes++] = (uint64_t)gms_engine_is_past(c->engine, &kept);
}

#define ON_OWN (GMS_HANDLER_TEST + 4)

/* The position of an event is in the past as soon as the event runs. */
static void test_own_place_is_past(void)
{
    ctx.handlers[ON_OWN] = on_own;
    kept = gms_engine_keep_key(&origin_a, 10);
    gms_engine_schedule_at(&ctx, &kept, ON_OWN, NULL, 0, 0);
    CU_ASSERT_FALSE(gms_engine_is_past(ctx.engine, &kept));
    gms_engine_step(&ctx);
    CHECK_U64(notes, 1);
    CHECK_U64(noted[0], 1);
}

static void test_same_time_chain(void)
{
    gms_engine_schedule(&ctx, &origin_a, 7, ON_CHAIN, NULL, 9, 0);
    gms_engine_run_until(&ctx, 8);
    CHECK_U64(notes, 10);
    CHECK_U64(gms_engine_now(ctx.engine), 7);
}

static uint64_t last_ps;
static unsigned disorder;

static void on_ordered(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    disorder += event->time_ps < last_ps;
    last_ps = event->time_ps;
    ++notes;
}

/* Background events run in their normal order, but if only background events
 * remain, the engine counts as idle. */
static void test_background(void)
{
    CHECK_U64(gms_engine_is_idle(ctx.engine), 1);
    gms_engine_schedule_background(&ctx, &origin_a, 20, ON_NOTE, NULL, 2, 0);
    CHECK_U64(gms_engine_is_idle(ctx.engine), 1);
    CHECK_U64(gms_engine_next_ps(ctx.engine), 20);
    post(&origin_a, 10, 1);
    post(&origin_a, 30, 3);
    CHECK_U64(gms_engine_is_idle(ctx.engine), 0);
    gms_engine_run_until(&ctx, 100);
    CHECK_U64(notes, 3);
    CHECK_U64(noted[1], 2);
    CHECK_U64(gms_engine_is_idle(ctx.engine), 1);
    gms_engine_schedule_background(&ctx, &origin_a, 200, ON_NOTE, NULL, 2, 0);
    post(&origin_a, 300, 3);
    gms_engine_step(&ctx);
    CHECK_U64(gms_engine_is_idle(ctx.engine), 0);
}

/* A process that waits for the effect of a background event keeps the
 * simulation running as long as a background event remains. */
static void test_wait_for_background(void)
{
    gms_engine_wait(ctx.engine, 1);
    CHECK_U64(gms_engine_is_idle(ctx.engine), 1); /* no event remains */
    gms_engine_schedule_background(&ctx, &origin_a, 20, ON_NOTE, NULL, 1, 0);
    CHECK_U64(gms_engine_is_idle(ctx.engine), 0);
    CHECK_U64(gms_engine_next_needed_ps(ctx.engine), 20);
    gms_engine_wait(ctx.engine, -1);
    CHECK_U64(gms_engine_is_idle(ctx.engine), 1);
    CHECK_U64(gms_engine_next_needed_ps(ctx.engine), GMS_NEVER);
}

#define ON_NEXT (GMS_HANDLER_TEST + 5)

static void on_next(gms_ctx_t *c, const gms_event_t *event)
{
    (void)event;
    noted[notes++] = gms_engine_next_ps(c->engine);
}

/* The event at 10 ps is running, so the next event is the event at 25 ps. */
static void test_next_while_running(void)
{
    ctx.handlers[ON_NEXT] = on_next;
    gms_engine_schedule(&ctx, &origin_a, 10, ON_NEXT, NULL, 0, 0);
    post(&origin_a, 40, 2);
    post(&origin_a, 25, 1);
    gms_engine_step(&ctx);
    CHECK_U64(notes, 1);
    CHECK_U64(noted[0], 25);
}

/* Record the time of the next event, and watch for another 10 ps. */
static void on_watched(gms_ctx_t *c, gms_time_t next_ps)
{
    noted[notes++] = next_ps;
    gms_engine_watch(c->engine, gms_engine_watched_ps(c->engine) + 10);
}

/* The watched times are 20 and 30 ps. An event at exactly a watched time also
 * runs after the watch. The event at 29 ps does not reach the watched time of
 * 30 ps. */
static void test_watch(void)
{
    uint64_t expected[] = {19, 20, 20, 29, 31, 31};
    unsigned i;

    ctx.on_watch = on_watched;
    gms_engine_watch(ctx.engine, 20);
    post(&origin_a, 19, 19);
    post(&origin_a, 20, 20);
    post(&origin_a, 29, 29);
    post(&origin_a, 31, 31);
    while (gms_engine_step(&ctx)) {
    }
    CHECK_U64(notes, 6);
    for (i = 0; i < 6; ++i) {
        CHECK_U64(noted[i], expected[i]);
    }
}

/* In random order, schedule far more events than the initial capacity of the
 * queue. */
static void test_many_grow_and_sort(void)
{
    gms_random_t random;
    unsigned i;

    gms_random_init(&random, 7, 0);
    last_ps = 0;
    disorder = 0;
    ctx.handlers[ON_NOTE] = on_ordered;
    for (i = 0; i < 50000; ++i) {
        post(i % 2 ? &origin_a : &origin_b, gms_random_below(&random, 10000),
             i);
    }
    CHECK_U64(gms_engine_events_pending(ctx.engine), 50000);
    while (gms_engine_step(&ctx)) {
    }
    CHECK_U64(notes, 50000);
    CHECK_U64(disorder, 0);
}

static void test_transfer_rounds_up(void)
{
    /* 4096 B at 160 MB/s = 25.6 us */
    CHECK_U64(gms_transfer_ps(4096, 160000000), 25600000);
    /* 1 byte takes 1/3 s at 3 bytes/s, rounded up */
    CHECK_U64(gms_transfer_ps(1, 3), UINT64_C(333333333334));
    CHECK_U64(gms_transfer_ps(0, 3), 0);
    /* the result for 2 GiB at 1 MB/s does not overflow */
    CHECK_U64(gms_transfer_ps(UINT64_C(1) << 31, 1000000),
              UINT64_C(2147483648000000));
}

static void test_arena_blocks(void)
{
    unsigned char *a = gms_arena_alloc(ctx.arena, 100);
    unsigned char *b = gms_arena_alloc(ctx.arena, 5000);
    uint64_t used;
    uint64_t used_before;
    uint64_t total;
    unsigned i;
    unsigned dirt = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(a);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    CHECK_U64((uintptr_t)a % 16, 0);
    CHECK_U64((uintptr_t)b % 4096, 0);
    CU_ASSERT_TRUE(gms_arena_block_bytes(a) >= 100);
    CU_ASSERT_TRUE(gms_arena_contains(ctx.arena, b, 5000));
    CU_ASSERT_FALSE(gms_arena_contains(ctx.arena, &dirt, 4));
    CU_ASSERT_FALSE(gms_arena_contains(ctx.arena, b, ARENA_BYTES));
    memset(b, 0xff, 5000);
    gms_arena_usage(ctx.arena, &used_before, &total);
    gms_arena_free(ctx.arena, b);
    gms_arena_usage(ctx.arena, &used, &total);
    CU_ASSERT_TRUE(used + 5000 <= used_before);
    CHECK_U64(total, ARENA_BYTES);
    /* The arena clears the block and returns it again. */
    CU_ASSERT_PTR_EQUAL(gms_arena_alloc(ctx.arena, 5000), b);
    for (i = 0; i < 5000; ++i) {
        dirt += b[i];
    }
    CHECK_U64(dirt, 0);
    /* gms_arena_alloc_raw() does not clear the block. */
    gms_arena_free(ctx.arena, b);
    b = gms_arena_alloc_raw(ctx.arena, 5000);
    memset(b, 0xaa, 5000);
    gms_arena_free(ctx.arena, b);
    CU_ASSERT_PTR_EQUAL(gms_arena_alloc_raw(ctx.arena, 5000), b);
    CHECK_U64(b[4999], 0xaa);
    /* Blocks are packed: the next block does not begin on a new page. */
    a = gms_arena_alloc_raw(ctx.arena, 5000);
    CU_ASSERT_TRUE((unsigned char *)a - b < 8192);
    gms_arena_free(ctx.arena, a);
    gms_arena_usage(ctx.arena, &used, &total);
    CHECK_U64(used, used_before);
}

static void test_arena_full(void)
{
    char text[GMS_ARENA_SHORT_LEN];
    uint64_t used, total;
    unsigned count = 0;

    gms_arena_usage(ctx.arena, &used, &total);
    CU_ASSERT_TRUE(gms_arena_has_room(ctx.arena, 0));
    CU_ASSERT_TRUE(gms_arena_has_room(ctx.arena, used));
    CU_ASSERT_TRUE(gms_arena_has_room(ctx.arena, ARENA_BYTES / 2));
    CU_ASSERT_FALSE(gms_arena_has_room(ctx.arena, ARENA_BYTES + used));
    CU_ASSERT_FALSE(gms_arena_has_room(ctx.arena, UINT64_MAX));
    CU_ASSERT_PTR_NULL(gms_arena_alloc(ctx.arena, ARENA_BYTES + 1));
    CU_ASSERT_PTR_NULL(gms_arena_alloc(ctx.arena, ARENA_BYTES));
    CU_ASSERT_PTR_NULL(gms_arena_alloc_raw(ctx.arena, ARENA_BYTES));
    while (gms_arena_alloc(ctx.arena, 1 << 20) != NULL) {
        ++count;
    }
    CU_ASSERT_TRUE(count >= 50 && count < 64);
    gms_arena_usage(ctx.arena, &used, &total);
    CU_ASSERT_TRUE(gms_arena_has_room(ctx.arena, used + 1));
    CU_ASSERT_FALSE(gms_arena_has_room(ctx.arena, ARENA_BYTES));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(gms_arena_explain(ctx.arena, text), "set a larger arena_bytes"));
    /* gms_arena_free() accepts the NULL of a failed allocation. */
    gms_arena_free(ctx.arena, NULL);
}

/* Blocks of many sizes do not overlap. */
static void test_arena_no_overlap(void)
{
    unsigned size;
    unsigned bad = 0;
    unsigned char *previous = NULL;

    for (size = 1; size < 2500; size += 7) {
        unsigned char *block = gms_arena_alloc(ctx.arena, size);
        unsigned i;

        CU_ASSERT_PTR_NOT_NULL_FATAL(block);
        memset(block, (int)(size & 0xff), gms_arena_block_bytes(block));
        for (i = 0; previous != NULL && i < size - 7; ++i) {
            bad += previous[i] != ((size - 7) & 0xff);
        }
        previous = block;
    }
    CHECK_U64(bad, 0);
}

static void test_random_is_fixed(void)
{
    gms_random_t a;
    gms_random_t b;
    gms_random_t other;
    unsigned same = 0;
    unsigned i;

    gms_random_init(&a, 1, 0);
    gms_random_init(&b, 1, 0);
    gms_random_init(&other, 1, 1);
    for (i = 0; i < 1000; ++i) {
        uint64_t draw = gms_random_u64(&a);

        CHECK_U64(gms_random_u64(&b), draw);
        same += gms_random_u64(&other) == draw;
    }
    CHECK_U64(same, 0);
}

/* The mean of 100,000 draws must be within 5 standard errors of the expected
 * value. */
static void test_random_means(void)
{
    gms_random_t random;
    double unit = 0;
    double exponential = 0;
    double below = 0;
    unsigned i;

    gms_random_init(&random, 42, 3);
    for (i = 0; i < 100000; ++i) {
        unit += gms_random_unit(&random);
        exponential += (double)gms_random_exponential_ps(&random, 1e6);
        below += (double)gms_random_below(&random, 11);
    }
    CHECK_NEAR(unit / 1e5, 0.5, 5 * 0.29 / 316 / 0.5);
    CHECK_NEAR(exponential / 1e5, 1e6, 5 / 316.0);
    CHECK_NEAR(below / 1e5, 5.0, 5 * 3.17 / 316 / 5);
}

int main(void)
{
    CU_TestInfo events[] = {
        {"empty queue", test_empty},
        {"order of events, also at the same time", test_order},
        {"the end of a run is exclusive", test_run_until_is_exclusive},
        {"a stored event key keeps its position", test_kept_place},
        {"a stored event key after a run", test_kept_place_after_run_until},
        {"a stored event key in the past remains in the past",
         test_kept_place_stays_past},
        {"the key of a running event is past", test_own_place_is_past},
        {"events that schedule further events at the same time",
         test_same_time_chain},
        {"background events", test_background},
        {"a process waits for background events", test_wait_for_background},
        {"the running event is not the next event", test_next_while_running},
        {"the watch function is called at the watched times", test_watch},
        {"many events", test_many_grow_and_sort},
        {"transfer times are rounded up", test_transfer_rounds_up},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo arena[] = {
        {"blocks", test_arena_blocks},
        {"full arena", test_arena_full},
        {"memory blocks do not overlap", test_arena_no_overlap},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo random[] = {
        {"equal seeds give equal random numbers", test_random_is_fixed},
        {"means of random numbers", test_random_means},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"engine", NULL, NULL, setup, teardown, events},
                    {"arena", NULL, NULL, setup, teardown, arena},
                    {"random", NULL, NULL, NULL, NULL, random});
}
