/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the windows of a record with the counters of NICs, flows and links
 * at the end of each window. Also checks the checksums of the lines, the data
 * of the flows, and the conversion of numbers to text.
 */
#include "observe/record_int.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/random.h"
#include "nic/delay.h"
#include "nic/inspect.h"
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
    /* busy times of the LANai, and of its three DMA engines (host, send and
     * receive) */
    gms_time_t cards[NODES][PARTS];
    gms_link_use_t links[LINKS];
} state_t;

static char directory[] = "/tmp/test_record.XXXXXX";
static gms_recorder_t recorder;
static gms_record_subject_t subject;
static state_t states[WINDOWS];
static unsigned count;
static gms_time_t window_ps; /* 0: the recorder determines the windows */

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
    if (window_ps != 0 && next_ps != GMS_NEVER) {
        gms_engine_watch(c->engine, next_ps + window_ps);
    }
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
    window_ps = 0;
    (void)strcpy(directory, "/tmp/test_record.XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
    CU_ASSERT_EQUAL_FATAL(gms_gate_create(ctx.arena, 1, &gate), GMS_OK);
    ctx.gate = gate;
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

/* Finds the entry of a list whose first number is `which`. Returns number
 * `slot` of this entry, or 0 if there is no such entry. */
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

/* Compares all lines of windows.jsonl with the saved states.
 * @return number of lines */
static unsigned check_lines(void)
{
    unsigned i = 0, lines = 0;
    json_error_t error;
    json_t *window;
    char path[256];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/windows.jsonl", directory);
    file = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (; (window = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error)) != NULL;
         ++lines) {
        unsigned before = i;
        gms_time_t end_ps =
            (gms_time_t)json_integer_value(json_object_get(window, "end_ps"));

        while (i < count && states[i].end_ps < end_ps) {
            ++i; /* The file contains no lines for empty windows. */
        }
        check_window(window, &states[before], &states[i]);
        json_decref(window);
    }
    (void)fclose(file);
    CHECK_U64(states[i].bytes, states[count].bytes);
    CHECK_U64(states[i].arrived, states[count].arrived);
    return lines;
}

/* Three nodes send to each other and to the fourth node, with pauses. */
static void test_windows(void)
{
    gms_random_t random;
    unsigned i;

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
    CU_ASSERT_TRUE(check_lines() > 20);
    CU_ASSERT_TRUE(states[count].links[LINKS - 1].blocked_ps > 0);
    for (i = 1; i < count; ++i) {
        CHECK_U64(states[i].end_ps % GMS_RECORD_WINDOW_PS, 0);
    }
}

/* Nodes 0 to 2 send to node 3. */
static void send_to_one(uint32_t bytes)
{
    unsigned from;

    for (from = 0; from < 3; ++from) {
        rig_provide(3, rig_memory(3, MESSAGE), MESSAGE_SIZE);
        rig_send(from, 3, rig_memory(from, MESSAGE), bytes, MESSAGE_SIZE);
    }
}

/* A packet of 4096 bytes occupies a link for 25.6 us. A packet can therefore
 * wait for a whole window of 5 us. During this window, the packet holds a link,
 * but the link transfers nothing. The run ends in the middle of a window. */
static void test_short_windows(void)
{
    unsigned i, waiting = 0, link;

    window_ps = 5 * GMS_US;
    gms_engine_watch(ctx.engine, window_ps);
    send_to_one(20000);
    while (received[3] < 3) {
        gms_engine_step(&ctx);
        rig_take_events();
    }
    CU_ASSERT_TRUE(rig_now() < gms_engine_watched_ps(ctx.engine));
    on_watch(&ctx, GMS_NEVER);
    CU_ASSERT_TRUE(check_lines() > 50);
    for (i = 1; i <= count; ++i) {
        for (link = 0; link < LINKS; ++link) {
            const gms_link_use_t *was = &states[i - 1].links[link];
            const gms_link_use_t *is = &states[i].links[link];

            waiting +=
                is->moving_ps == was->moving_ps && is->held_ps > was->held_ps;
        }
    }
    CU_ASSERT_TRUE(waiting > 0);
}

/* ---- checksums and files ---- */

/* Return the content of a file of the record; the caller frees it. */
static char *text_of(const char *name)
{
    char path[256], *text = NULL;
    struct stat found;
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    file = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL_FATAL(fstat(fileno(file), &found), 0);
    text = calloc(1, (size_t)found.st_size + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CHECK_U64(fread(text, 1, (size_t)found.st_size, file),
              (uint64_t)found.st_size);
    (void)fclose(file);
    return text;
}

/* Verifies the checksum of every line. The checksum covers the file up to the
 * key "sum" of the line.
 * @return number of lines */
static unsigned check_sums(const char *name, uint64_t sum)
{
    char *text = text_of(name), *line = text, expected[32];
    unsigned lines = 0;

    for (; *line != '\0'; ++lines) {
        char *end = strchr(line, '\n'), *tail = strstr(line, ",\"sum\":\"");

        CU_ASSERT_FATAL(end != NULL && tail != NULL && tail < end);
        sum = gms_checksum(sum, line, (size_t)(tail - line));
        (void)snprintf(expected, sizeof(expected), ",\"sum\":\"%016llx\"}\n",
                       (unsigned long long)sum);
        CHECK_U64((uint64_t)strncmp(tail, expected, strlen(expected)), 0);
        sum = gms_checksum(sum, tail, (size_t)(end + 1 - tail));
        line = end + 1;
    }
    free(text);
    return lines;
}

/* The checksums of both files are computed with the checksum of the initial
 * record.json as their start value. */
static void test_sums(void)
{
    char *root = text_of("record.json"), *sum = strstr(root, "\"sum\": \"");
    uint64_t start_sum;
    unsigned i;

    CU_ASSERT_PTR_NOT_NULL_FATAL(sum);
    start_sum = strtoull(sum + strlen("\"sum\": \""), NULL, 16);
    free(root);
    for (i = 0; i < 3; ++i) {
        send_to_one(10000);
        rig_run();
        gms_recorder_fault(&ctx, &recorder, "a fault");
    }
    on_watch(&ctx, GMS_NEVER);
    CU_ASSERT_TRUE(check_sums("windows.jsonl", start_sum) > 1);
    CHECK_U64(check_sums("events.jsonl", start_sum), 3);
}

/* The file size limit cuts the first line after 10 bytes. Later lines are not
 * written, even after the limit is raised again. */
static void test_cut_line(void)
{
    struct rlimit limit, before;
    char *text;

    (void)signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 10;
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    gms_recorder_fault(&ctx, &recorder, "first");
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    gms_recorder_fault(&ctx, &recorder, "second");
    text = text_of("events.jsonl");
    CHECK_U64(strlen(text), 10);
    free(text);
}

/* ---- flows ---- */

static json_t *flows_now(void)
{
    gms_json_text_t text = {0};
    json_t *flows;

    gms_record_add_flows(&text, &subject, rig_now());
    CU_ASSERT_FALSE_FATAL(text.failed);
    flows = json_loadb(text.bytes, text.used, 0, NULL);
    free(text.bytes);
    CU_ASSERT_FATAL(json_is_array(flows));
    return flows;
}

static uint64_t number_at(const json_t *list, size_t index, size_t slot)
{
    return (uint64_t)json_integer_value(
        json_array_get(json_array_get(list, index), slot));
}

/* Two flows send one packet each. The times that a packet spends at the
 * resources add up to its latency. The latency must be in the range of the
 * histogram entry that counts the packet. */
static void test_latency(void)
{
    json_t *flows, *flow, *value;
    const char *key;
    size_t i, step;

    rig_provide(1, rig_memory(1, MESSAGE), MESSAGE_SIZE);
    rig_send(0, 1, rig_memory(0, MESSAGE), 100, MESSAGE_SIZE);
    rig_run();
    rig_provide(2, rig_memory(2, MESSAGE), MESSAGE_SIZE);
    rig_send(1, 2, rig_memory(1, MESSAGE), 3000, MESSAGE_SIZE);
    rig_run();
    flows = flows_now();
    CHECK_U64(json_array_size(flows), 2);
    json_array_foreach(flows, i, flow)
    {
        const json_t *steps = json_object_get(flow, "latency");
        uint64_t latency_ps = 0;

        json_object_foreach(json_object_get(flow, "times"), key, value)
        {
            latency_ps += (uint64_t)json_integer_value(value);
        }
        CU_ASSERT_FATAL(json_array_size(steps) > 0);
        step = json_array_size(steps) - 1;
        CHECK_U64(number_at(steps, step, 1), 1);
        CU_ASSERT_TRUE(latency_ps >= number_at(steps, step, 0));
        CU_ASSERT_TRUE(latency_ps < gms_record_latency_ps((unsigned)step + 1));
    }
    json_decref(flows);
}

/* Packets to node 3 wait only for the link from the switch to node 3, which is
 * the second link of their routes. */
static void test_waits(void)
{
    uint64_t packets = 0, waited_ps = 0;
    gms_link_use_t use;
    json_t *flows, *flow;
    uint32_t link = 0;
    size_t i;

    send_to_one(20000);
    rig_run();
    flows = flows_now();
    CHECK_U64(json_array_size(flows), 3);
    json_array_foreach(flows, i, flow)
    {
        const json_t *links = json_object_get(flow, "links");

        CHECK_U64(json_array_size(links), 2);
        CHECK_U64(number_at(links, 0, 1), 0);
        CHECK_U64(number_at(links, 0, 2), 0);
        link = (uint32_t)number_at(links, 1, 0);
        packets += number_at(links, 1, 1);
        waited_ps += number_at(links, 1, 2);
    }
    json_decref(flows);
    gms_fabric_link_use(fabric, link, rig_now(), &use);
    CU_ASSERT_TRUE(use.blocked_packets > 0);
    CHECK_U64(packets, use.blocked_packets);
    CHECK_U64(waited_ps, use.blocked_ps);
}

/* The record shows the largest delay bound that the flow had since the
 * beginning of its measurement. */
static void test_bound(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 0};
    gms_grant_t grant = {.source_node = 0,
                         .key = key,
                         .qos_class = GMS_QOS_PREMIUM,
                         .idt_ticks = 204,
                         .bandwidth_bytes_s = 40e6};
    gms_delay_t delay = {.terms = {.bound_ps = 50}, .from_ps = 10};
    gms_account_t *account;
    gms_grant_t *held;
    gms_flow_t *flow;

    rig_provide(1, rig_memory(1, MESSAGE), MESSAGE_SIZE);
    rig_send(0, 1, rig_memory(0, MESSAGE), 100, MESSAGE_SIZE);
    rig_run();
    CU_ASSERT_EQUAL_FATAL(gms_account_create(ctx.arena,
                                             gms_fabric_topology(fabric),
                                             &params, &account),
                          GMS_OK);
    CU_ASSERT_EQUAL_FATAL(gms_account_adopt(account, &grant), GMS_OK);
    held = (gms_grant_t *)(uintptr_t)gms_account_find(account, 0, &key);
    flow = gms_flow_find(nics[0], &key);
    CU_ASSERT_FATAL(held != NULL && flow != NULL);
    flow->delay = &delay;
    CHECK_U64(gms_record_delay_bound(flow), 50);
    held->bounds.delay_ps = 100;
    gms_record_bounds(&subject, account);
    CHECK_U64(gms_record_delay_bound(flow), 100);
    held->bounds.delay_ps = 70;
    gms_record_bounds(&subject, account);
    CHECK_U64(gms_record_delay_bound(flow), 100);
    delay.from_ps = 20; /* a new measurement begins */
    gms_record_bounds(&subject, account);
    CHECK_U64(gms_record_delay_bound(flow), 70);
    delay.terms.bound_ps = 90;
    CHECK_U64(gms_record_delay_bound(flow), 90);
    flow->delay = NULL;
    gms_account_destroy(account);
}

/* If ranks report different names for a label, the record contains the name
 * from the lowest rank, regardless of the order of the reports. */
static void test_label(void)
{
    gms_record_t *record = recorder.record;

    gms_record_name_label(ctx.arena, record, 5, 2, "two");
    CU_ASSERT_STRING_EQUAL(gms_record_label_name(record, 5), "two");
    gms_record_name_label(ctx.arena, record, 5, 1, "one");
    gms_record_name_label(ctx.arena, record, 5, 3, "three");
    gms_record_name_label(ctx.arena, record, 4, 3, "other");
    CU_ASSERT_STRING_EQUAL(gms_record_label_name(record, 5), "one");
    CU_ASSERT_STRING_EQUAL(gms_record_label_name(record, 4), "other");
    CU_ASSERT_STRING_EQUAL(gms_record_label_name(record, 6), "");
}

/* ---- commands and settings ---- */

/* The record contains the environment variables that influence the run, but not
 * the variables that name its output files. */
static void test_settings(void)
{
    static const char *const names[] = {"GMSIM_TIME", "MPIQOS_POLICY",
                                        "GMSIM_RECORD", "GMSIM_TRACE_ONLY",
                                        "MPIQOS_REPORT"};
    json_t *settings;
    unsigned i;

    for (i = 0; i < 5; ++i) {
        (void)setenv(names[i], "value", 1);
    }
    settings = gms_record_settings();
    for (i = 0; i < 5; ++i) {
        CHECK_U64(json_object_get(settings, names[i]) != NULL, i < 2);
        (void)unsetenv(names[i]);
    }
    json_decref(settings);
}

/* Ranks 0 and 1 have the same command, and rank 2 has another command. */
static void test_commands(void)
{
    static const char one[] = "./a\0001", two[] = "./a\0002";
    gms_record_t *record;
    gms_gate_t *gate;
    json_t *groups;

    CU_ASSERT_EQUAL_FATAL(gms_gate_create(ctx.arena, 3, &gate), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(
        gms_record_create(ctx.arena, ctx.engine, gate, fabric, &record),
        GMS_OK);
    gms_record_note_command(ctx.arena, record, 0, one, sizeof(one));
    gms_record_note_command(ctx.arena, record, 1, one, sizeof(one));
    gms_record_note_command(ctx.arena, record, 2, two, sizeof(two));
    groups = gms_record_commands(record, 3);
    CHECK_U64(json_array_size(groups), 2);
    CHECK_U64(
        json_integer_value(json_object_get(json_array_get(groups, 0), "ranks")),
        2);
    CHECK_U64(
        json_integer_value(json_object_get(json_array_get(groups, 1), "ranks")),
        1);
    json_decref(groups);
}

/* ---- errors ---- */

/* A record that cannot be written completely is marked as incomplete, and
 * contains the reason. After a failed write, no further line is written. */
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
    char *before = text_of("record.json"), *after;
    gms_record_subject_t other = subject;
    gms_recorder_t second;

    other.profile = "myrinet2000";
    CU_ASSERT_EQUAL_FATAL(
        gms_recorder_open(&second, directory, recorder.record), GMS_OK);
    errno = 0;
    CU_ASSERT_EQUAL(gms_recorder_begin(&second, &other), GMS_ERR_SYSTEM);
    CU_ASSERT_EQUAL(errno, EEXIST);
    gms_recorder_close(&second);
    after = text_of("record.json");
    CU_ASSERT_STRING_EQUAL(after, before);
    free(before);
    free(after);
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
        check_digits(i); /* test all numbers of up to five digits */
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
        {"windows that are shorter than a packet", test_short_windows},
        {"checksums of lines", test_sums},
        {"a truncated line", test_cut_line},
        {"latencies of packets", test_latency},
        {"waiting times of packets", test_waits},
        {"the record contains the largest delay bound", test_bound},
        {"a label has the name that the lowest rank reports", test_label},
        {"settings", test_settings},
        {"commands", test_commands},
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
