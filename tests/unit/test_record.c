/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the windows of a record with the counters of NICs, flows and links
 * at the end of each window. Also compares the text of numbers with the output
 * of the JSON library.
 */
#include "observe/record.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "nic_rig.h"
#include "base/digits.h"
#include "unit.h"

enum {
    WINDOWS = 200,
    LINKS = 2 * NODES,
    MESSAGES = 60,
    PARTS = 4
};

/* The counters of all objects at the end of a window. */
typedef struct state {
    gms_time_t end_ps;
    uint64_t bytes, arrived;
    /* busy times of the LANai, and of the host, send and receive DMA engines */
    gms_time_t cards[NODES][PARTS];
    gms_link_use_t links[LINKS];
} state_t;

static char directory[] = "/tmp/test_record.XXXXXX";
static gms_recorder_t recorder;
static gms_record_subject_t subject;
static state_t states[WINDOWS];
static unsigned count;

static void look_at_nic(gms_time_t parts[PARTS], const gms_nic_t *nic)
{
    const gms_nic_counters_t *counters = gms_nic_counters(nic);

    parts[0] = counters->lanai_busy_ps;
    parts[1] = counters->host_dma_busy_ps;
    parts[2] = counters->send_dma_busy_ps;
    parts[3] = counters->recv_dma_busy_ps;
}

static void look(state_t *state, gms_time_t end_ps)
{
    const gms_flow_t *flow;
    unsigned i;

    state->end_ps = end_ps;
    for (i = 0; i < NODES; ++i) {
        look_at_nic(state->cards[i], nics[i]);
        for (flow = nics[i]->flows.first; flow != NULL; flow = flow->next) {
            state->bytes += flow->bytes_sent;
            state->arrived += flow->bytes_arrived;
        }
    }
    for (i = 0; i < LINKS; ++i) {
        gms_fabric_link_use(fabric, i, end_ps, &state->links[i]);
    }
}

static void on_watch(gms_ctx_t *c, gms_time_t next_ps)
{
    gms_time_t end_ps = gms_engine_watched_ps(c->engine);

    CU_ASSERT_FATAL(count < WINDOWS - 1);
    if (next_ps == GMS_NEVER) {
        end_ps = gms_engine_now(c->engine);
    }
    look(&states[++count], end_ps); /* states[0] is the state at the start */
    gms_recorder_window(c, &recorder, &subject, next_ps);
}

static void on_tracepoint(gms_ctx_t *c, uint32_t what, const void *thing)
{
    gms_recorder_on_tracepoint(c, &recorder, &subject, what, thing);
}

static void start(void)
{
    static const gms_record_slot_t slot = {0, 2};
    gms_record_t *record;
    gms_gate_t *gate;

    rig_setup();
    memset(states, 0, sizeof(states));
    count = 0;
    (void)strcpy(directory, "/tmp/test_record.XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
    CU_ASSERT_EQUAL_FATAL(gms_gate_create(ctx.arena, 1, &gate), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(
        gms_record_create(ctx.arena, ctx.engine, gate, fabric, &record),
        GMS_OK);
    CU_ASSERT_EQUAL_FATAL(gms_recorder_open(&recorder, directory, record),
                          GMS_OK);
    subject = (gms_record_subject_t){.params = &params,
                                     .ranks = 1,
                                     .nodes = NODES,
                                     .nics = nics,
                                     .profile = "lanai4.3",
                                     .slots = &slot,
                                     .fabric = fabric};
    CU_ASSERT_EQUAL_FATAL(gms_recorder_begin(&recorder, &subject), GMS_OK);
    ctx.on_watch = on_watch;
    ctx.on_tracepoint = on_tracepoint;
}

static void stop(void)
{
    static const char *const files[] = {"record.json", "windows.jsonl",
                                        "events.jsonl"};
    char path[256];
    unsigned i;

    gms_recorder_close(&recorder);
    for (i = 0; i < 3; ++i) {
        (void)snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(directory);
    rig_teardown();
}

/* Returns number `slot` of the list's entry that begins with `which`, or 0 if
 * there is no such entry. */
static uint64_t number_of(const json_t *window, const char *list,
                          unsigned which, unsigned slot)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(json_object_get(window, list), i, entry)
    {
        if (json_integer_value(json_array_get(entry, 0)) == (int)which) {
            return (uint64_t)json_integer_value(json_array_get(entry, slot));
        }
    }
    return 0;
}

static uint64_t sum_of(const json_t *window, const char *list, unsigned slot)
{
    const json_t *entry;
    uint64_t sum = 0;
    size_t i;

    json_array_foreach(json_object_get(window, list), i, entry)
    {
        sum += (uint64_t)json_integer_value(json_array_get(entry, slot));
    }
    return sum;
}

static void check_window(const json_t *window, const state_t *before,
                         const state_t *after)
{
    unsigned i, part;

    CHECK_U64(json_integer_value(json_object_get(window, "end_ps")),
              after->end_ps);
    CHECK_U64(sum_of(window, "flows", 1), after->bytes - before->bytes);
    CHECK_U64(sum_of(window, "flows", 3), after->arrived - before->arrived);
    for (i = 0; i < NODES; ++i) {
        for (part = 0; part < PARTS; ++part) {
            CHECK_U64(number_of(window, "cards", i + 1, 1 + part),
                      after->cards[i][part] - before->cards[i][part]);
        }
    }
    for (i = 0; i < LINKS; ++i) {
        const gms_link_use_t *was = &before->links[i], *is = &after->links[i];

        CHECK_U64(number_of(window, "links", i, 1),
                  is->moving_ps - was->moving_ps);
        CHECK_U64(number_of(window, "links", i, 2), is->held_ps - was->held_ps);
        CHECK_U64(number_of(window, "links", i, 3),
                  is->blocked_ps - was->blocked_ps);
    }
}

/* Three nodes send to the fourth node and to each other, with pauses. */
static void test_windows(void)
{
    char path[256];
    unsigned i, lines = 0;
    json_error_t error;
    gms_random_t random;
    json_t *window;
    FILE *file;

    gms_random_init(&random, 3, 1);
    for (i = 0; i < MESSAGES; ++i) {
        unsigned from = (unsigned)gms_random_below(&random, NODES);
        unsigned to = i % 2 == 0 && from != 3 ? 3u : (from + 1 + i % 3) % NODES;
        uint32_t bytes = (uint32_t)gms_random_below(&random, MESSAGE);

        rig_provide(to, rig_memory(to, MESSAGE), MESSAGE_SIZE);
        rig_send(from, to, rig_memory(from, MESSAGE), bytes, MESSAGE_SIZE);
        if (i % 10 == 9) {
            rig_run();
        }
    }
    on_watch(&ctx, GMS_NEVER);
    (void)snprintf(path, sizeof(path), "%s/windows.jsonl", directory);
    file = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (i = 0;
         (window = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error)) != NULL;
         ++lines) {
        unsigned before = i;
        gms_time_t end_ps =
            (gms_time_t)json_integer_value(json_object_get(window, "end_ps"));

        while (i < count && states[i].end_ps < end_ps) {
            ++i; /* The windows between these two were empty. */
        }
        check_window(window, &states[before], &states[i]);
        json_decref(window);
    }
    (void)fclose(file);
    CU_ASSERT_TRUE(lines > 20);
    CHECK_U64(states[i].bytes, states[count].bytes);
    CU_ASSERT_TRUE(states[count].links[LINKS - 1].blocked_ps > 0);
}

/* A record that cannot be written completely is marked as incomplete and states
 * the reason. No line is written after a line that could not be written. */
static void test_full_disk(void)
{
    char path[256], why[GMS_RECORD_ERROR_LEN] = "";
    unsigned i;
    json_t *root;

    (void)snprintf(path, sizeof(path), "%s/windows.jsonl", directory);
    CU_ASSERT_EQUAL_FATAL(unlink(path), 0);
    CU_ASSERT_EQUAL_FATAL(symlink("/dev/full", path), 0);
    for (i = 0; i < 10; ++i) {
        rig_provide(1, rig_memory(1, MESSAGE), MESSAGE_SIZE);
        rig_send(0, 1, rig_memory(0, MESSAGE), 1000, MESSAGE_SIZE);
        rig_run();
    }
    CU_ASSERT_EQUAL(gms_recorder_end(&ctx, &recorder, &subject, why),
                    GMS_ERR_SYSTEM);
    CU_ASSERT_STRING_EQUAL(
        why, "cannot write windows.jsonl: No space left on device");
    (void)snprintf(path, sizeof(path), "%s/record.json", directory);
    root = json_load_file(path, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(root);
    CU_ASSERT_TRUE(json_is_false(json_object_get(root, "complete")));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(root, "failed")),
                           why);
    json_decref(root);
}

/* A directory can contain only one record, so a second record in the same
 * directory is refused. */
static void test_twice(void)
{
    gms_recorder_t second;

    CU_ASSERT_EQUAL_FATAL(
        gms_recorder_open(&second, directory, recorder.record), GMS_OK);
    errno = 0;
    CU_ASSERT_EQUAL(gms_recorder_begin(&second, &subject), GMS_ERR_SYSTEM);
    CU_ASSERT_EQUAL(errno, EEXIST);
    gms_recorder_close(&second);
}

/* ---- numbers ---- */

static void check_digits(uint64_t number)
{
    char own[GMS_DIGITS + 1], theirs[GMS_DIGITS + 1];

    *gms_digits(own, number) = '\0';
    (void)snprintf(theirs, sizeof(theirs), "%" PRIu64, number);
    if (strcmp(own, theirs) != 0) {
        printf("\n    '%s' instead of '%s'\n", own, theirs);
        CU_FAIL("digits");
    }
}

static void test_digits(void)
{
    gms_random_t random;
    uint64_t power;
    unsigned i;

    for (power = 1, i = 0; i < GMS_DIGITS; i++, power *= 10) {
        check_digits(power - 1);
        check_digits(power);
        check_digits(power + 1);
    }
    check_digits(UINT64_MAX);
    for (i = 0; i < 100000; ++i) {
        check_digits(i); /* test all numbers of up to four digits */
    }
    gms_random_init(&random, 5, 1);
    for (i = 0; i < 200000; ++i) {
        check_digits(gms_random_below(&random, UINT64_MAX) >> i % 64);
    }
}

int main(void)
{
    CU_TestInfo windows[] = {
        {"windows match the counters", test_windows},
        {"a full disk", test_full_disk},
        {"a directory has one record", test_twice},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo numbers[] = {
        {"digits", test_digits},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"record", NULL, NULL, start, stop, windows},
                    {"numbers", NULL, NULL, NULL, NULL, numbers});
}
