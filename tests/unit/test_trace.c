/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the environment variables for traces, the time window of a trace, and
 * the order in which its items are written.
 */
#include "observe/trace_int.h"

#include <string.h>

#include "unit.h"

#define ON_PUT  GMS_HANDLER_TEST
#define ON_WAIT (GMS_HANDLER_TEST + 1)
#define MANY    1000u

static gms_trace_config_t config;
static char error[GMS_TRACE_ERROR_LEN];

static void accept(const char *outputs, const char *format, const char *only,
                   const char *window)
{
    gms_status_t status =
        gms_trace_configure(outputs, format, only, window, &config, error);

    if (status != GMS_OK) {
        printf("\n    %s\n", error);
    }
    CU_ASSERT_EQUAL_FATAL(status, GMS_OK);
}

static void refuse(const char *outputs, const char *format, const char *only,
                   const char *window, const char *expected)
{
    error[0] = '\0';
    CU_ASSERT_EQUAL(
        gms_trace_configure(outputs, format, only, window, &config, error),
        GMS_ERR_CONFIG);
    if (strstr(error, expected) == NULL) {
        printf("\n    '%s' is not in '%s'\n", expected, error);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(error, expected));
}

/* ---- variables ---- */

static void test_outputs(void)
{
    accept(NULL, NULL, NULL, NULL);
    CHECK_U64(config.outputs, 0);
    accept("a.json,d/b.csv", NULL, NULL, NULL);
    CHECK_U64(config.outputs, 2);
    CU_ASSERT_STRING_EQUAL(config.path[0], "a.json");
    CU_ASSERT_STRING_EQUAL(config.ops[0]->name, "json");
    CU_ASSERT_STRING_EQUAL(config.path[1], "d/b.csv");
    CU_ASSERT_STRING_EQUAL(config.ops[1]->name, "csv");
    accept("a.txt", "csv", NULL, NULL); /* with an explicit format, the file
                                         * name may have any extension */
    CU_ASSERT_STRING_EQUAL(config.ops[0]->name, "csv");
    refuse("a.txt", NULL, NULL, NULL, "does not end with the name of a format");
    refuse("a.json,", NULL, NULL, NULL, "a file name is empty");
    refuse("a.json,b.csv,a.json", NULL, NULL, NULL, "named twice");
    refuse("1.csv,2.csv,3.csv,4.csv", NULL, NULL, NULL, "at most 3");
    refuse("a.json", "xml", NULL, NULL, "'xml' is not a format");
    refuse(NULL, NULL, NULL, "1ms..", "GMSIM_TRACE_WINDOW is set, but");
    refuse(NULL, "csv", NULL, NULL, "GMSIM_TRACE_FORMAT is set, but");
    refuse(NULL, NULL, "mpi", NULL, "GMSIM_TRACE_ONLY is set, but");
}

/* A packet log (format csv) can contain only packets. */
static void test_categories(void)
{
    accept("a.json,b.csv", NULL, NULL, NULL);
    CHECK_U64(config.wanted[0], GMS_TRACE_DEFAULT);
    CHECK_U64(config.wanted[1], GMS_TRACE_PACKET);
    accept("a.json,b.csv", NULL, "idt,packet", NULL);
    CHECK_U64(config.wanted[0], GMS_TRACE_IDT | GMS_TRACE_PACKET);
    CHECK_U64(config.wanted[1], GMS_TRACE_PACKET);
    CHECK_U64(gms_trace_categories(&config), GMS_TRACE_IDT | GMS_TRACE_PACKET);
    refuse("a.json,b.csv", NULL, "mpi", NULL, "selects nothing that 'b.csv'");
    refuse("a.json", NULL, "mpi,", NULL, "'' is not a category");
    refuse("a.json", NULL, "mp", NULL, "'mp' is not a category");
}

static void check_window(const char *window, gms_time_t from_ps,
                         gms_time_t to_ps)
{
    accept("a.json", NULL, NULL, window);
    CHECK_U64(config.from_ps, from_ps);
    CHECK_U64(config.to_ps, to_ps);
}

static void test_windows(void)
{
    static const char *const wrong[] = {
        "",       "1ms",  "1..2",   "1ms-2ms", "2ms..1ms",  "1ms..1ms",
        "1.ms..", "ms..", "1 ms..", "..107d",  "1ms..2ms.."};
    unsigned i;

    check_window(NULL, 0, GMS_NEVER);
    check_window("10ms..20ms", 10 * GMS_MS, 20 * GMS_MS);
    check_window("..1s", 0, GMS_SECOND);
    check_window("3us..", 3 * GMS_US, GMS_NEVER);
    check_window("1.25us..2.5us", 1250000, 2500000);
    check_window("0.000001us..0.0000021us", 1, 2); /* rounded to whole
                                                    * picoseconds */
    check_window("7ps..7.5ns", 7, 7500);
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        refuse("a.json", NULL, NULL, wrong[i], "is not a window of virtual");
    }
}

/* An item is shown if it begins within the window. The beginning of the window
 * is part of the window, but the end is not. */
static void test_shown(void)
{
    gms_trace_t *trace = calloc(1, sizeof(*trace));

    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    trace->categories = GMS_TRACE_MPI | GMS_TRACE_GM;
    trace->from_ps = 100;
    trace->to_ps = 200;
    CHECK_U64(gms_trace_is_shown(trace, GMS_TRACE_GM, 99), 0);
    CHECK_U64(gms_trace_is_shown(trace, GMS_TRACE_GM, 100), 1);
    CHECK_U64(gms_trace_is_shown(trace, GMS_TRACE_GM, 199), 1);
    CHECK_U64(gms_trace_is_shown(trace, GMS_TRACE_GM, 200), 0);
    CHECK_U64(gms_trace_is_shown(trace, GMS_TRACE_IDT, 150), 0);
    free(trace);
}

/* ---- order of items ---- */

static gms_ctx_t ctx;
static gms_origin_t origin = {.id = 3};
static gms_tracer_t tracer;
static gms_trace_t *trace;
static uint64_t noted[MANY + 1]; /* identifiers of the written items */
static unsigned notes;

static void note_item(gms_tracer_t *t, unsigned output,
                      const gms_trace_item_t *item, const char *text)
{
    (void)t;
    (void)output;
    (void)text;
    CU_ASSERT_FATAL(notes <= MANY);
    noted[notes++] = item->id;
}

static const gms_trace_ops_t note_ops = {.name = "notes",
                                         .ending = ".notes",
                                         .shows = GMS_TRACE_GM,
                                         .item = note_item};

/* Report an item of a rank. */
static void wait_item(gms_time_t at_ps, unsigned rank, uint64_t id)
{
    gms_trace_item_t item = {
        .at_ps = at_ps, .kind = GMS_TRACE_SEND, .number = rank, .id = id};

    gms_trace_wait(&ctx, &tracer, &item, NULL);
}

static void on_put(gms_ctx_t *c, const gms_event_t *event)
{
    gms_trace_item_t item = {
        .at_ps = event->time_ps, .kind = GMS_TRACE_SEND, .id = event->arg[0]};

    gms_trace_put(c, &tracer, &item, NULL);
}

static void on_wait(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    wait_item(event->arg[1], 0, event->arg[0]);
}

static void setup(void)
{
    gms_trace_subject_t subject = {.ranks = 2, .nodes = 1};

    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    ctx.handlers[ON_PUT] = on_put;
    ctx.handlers[ON_WAIT] = on_wait;
    notes = 0;
    memset(&config, 0, sizeof(config));
    config.outputs = 1;
    config.ops[0] = &note_ops;
    config.wanted[0] = GMS_TRACE_GM;
    config.to_ps = GMS_NEVER;
    (void)strcpy(config.path[0], "/dev/null");
    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(64) << 20, &ctx.arena) == GMS_OK &&
        gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK &&
        gms_trace_create(ctx.arena, &config, &subject, &trace) == GMS_OK &&
        gms_tracer_open(&tracer, &config, trace) == GMS_OK);
}

static void teardown(void)
{
    gms_tracer_close(&tracer);
    gms_arena_destroy_private(ctx.arena);
}

static void check_notes(const uint64_t *expected, unsigned count)
{
    unsigned i;

    CHECK_U64(notes, count);
    for (i = 0; i < notes && i < count; ++i) {
        CHECK_U64(noted[i], expected[i]);
    }
}

/* Items of ranks are held back until the engine has reached their times. These
 * items are then written in the order of their times; items with the same time
 * are written in the order of their ranks and then of their calls. */
static void test_order(void)
{
    static const uint64_t expected[] = {1, 2, 3, 4, 9};

    wait_item(20, 0, 2);
    wait_item(30, 1, 5);
    wait_item(20, 1, 4);
    wait_item(10, 1, 1);
    wait_item(20, 0, 3);
    CHECK_U64(notes, 0);
    gms_engine_schedule(&ctx, &origin, 25, ON_PUT, NULL, 9, 0);
    gms_engine_step(&ctx);
    /* the four items of ranks and the item of the event are written; the item
     * at 30 ps is still held back */
    check_notes(expected, 5);
}

/* The engine is at 25 ps. Only the item at 24 ps is written. The items at 25
 * and 30 ps are held back, because another item at 25 ps may still follow. */
static void test_waiting(void)
{
    static const uint64_t expected[] = {1};

    wait_item(30, 0, 3);
    wait_item(25, 0, 2);
    wait_item(24, 0, 1);
    gms_engine_schedule(&ctx, &origin, 25, ON_WAIT, NULL, 4, 25);
    gms_engine_step(&ctx);
    check_notes(expected, 1);
}

/* So many items are held back that the heap must grow. The multiples of 37
 * modulo 1000 are a permutation of the numbers below 1000. */
static void test_many(void)
{
    unsigned i;

    for (i = 0; i < MANY; ++i) {
        wait_item(MANY + i * 37 % MANY, 0, i * 37 % MANY);
    }
    CHECK_U64(notes, 0);
    gms_engine_schedule(&ctx, &origin, 2 * MANY, ON_PUT, NULL, MANY, 0);
    gms_engine_step(&ctx);
    CHECK_U64(notes, MANY + 1);
    for (i = 0; i < notes; ++i) {
        CHECK_U64(noted[i], i);
    }
}

/* Items of categories that were not requested are not written. */
static void test_unwanted(void)
{
    gms_trace_item_t item = {.kind = GMS_TRACE_FLOW_IDT, .id = 7};

    gms_trace_put(&ctx, &tracer, &item, NULL);
    CHECK_U64(notes, 0);
    item.kind = GMS_TRACE_RECEIVE;
    gms_trace_put(&ctx, &tracer, &item, NULL);
    CHECK_U64(notes, 1);
}

int main(void)
{
    CU_TestInfo variables[] = {
        {"outputs", test_outputs}, {"categories", test_categories},
        {"windows", test_windows}, {"items in the window", test_shown},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo items[] = {
        {"order of items", test_order},
        {"items that must wait for possible earlier items", test_waiting},
        {"a large number of waiting items", test_many},
        {"unwanted categories", test_unwanted},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"variables", NULL, NULL, NULL, NULL, variables},
                    {"items", NULL, NULL, setup, teardown, items});
}
