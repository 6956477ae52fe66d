/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of records: the values of a valid record, and the messages
 * for invalid records.
 */
#include "report_rig.h"

#include <stdlib.h>
#include <string.h>

#include "report/data.h"

static const rig_change_t killed[] = {
    {"record.json", "\"complete\": true", "\"complete\": false"},
    {NULL, NULL, NULL}};

static void test_small(void)
{
    gms_report_run_t *run = rig_run(NULL);

    CU_ASSERT_TRUE(run->is_complete);
    CHECK_U64(run->end_ps, 4 * GMS_MS);
    CU_ASSERT_STRING_EQUAL(run->program, "small");
    CU_ASSERT_STRING_EQUAL(run->description, "small.yaml");
    CHECK_U64(run->rank_count, 3);
    CHECK_U64(gms_report_rank_at(run, 3, 2), 2);
    CHECK_U64(gms_report_rank_at(run, 3, 3), GMS_REPORT_NONE);
    CHECK_U64(gms_report_param(run, "seed"), 7);
    CHECK_U64(gms_report_param(run, "nothing"), 0);
    CU_ASSERT_STRING_EQUAL(gms_report_label_name(run, 31), "video");
    CU_ASSERT_STRING_EQUAL(gms_report_label_name(run, 30), "");
    CHECK_U64(run->link_count, 6);
    CU_ASSERT_TRUE(run->links[5].to.is_node);
    CHECK_U64(run->links[5].to.index, 3);
    CHECK_U64(run->links[5].from.port, 2);
    CHECK_U64(run->links[5].blocked_packets, 90);
    CHECK_U64(run->flow_count, 3);
    CHECK_U64(run->flows[1].number, 1);
    CHECK_U64(run->flows[1].hops[1].waited_ps, 2 * GMS_MS);
    CHECK_U64(run->flows[1].times_ps[GMS_REPORT_BLOCKED], 2 * GMS_MS);
    CHECK_U64(run->flows[0].latency[2].packets, 10);
    CHECK_U64(run->nics[1].busy_ps[GMS_REPORT_NIC_SEND_DMA], 4 * GMS_MS);
    CHECK_U64(run->window_count, 4);
    CHECK_U64(run->windows[2].begin_ps, 2 * GMS_MS);
    CHECK_U64(run->flow_part_count, 8);
    CHECK_U64(run->flow_parts[3].flow, 1);
    CHECK_U64(run->flow_parts[2].idt_ticks, 400);
    CHECK_U64(run->link_part_count, 12);
    CHECK_U64(run->hosts[0].end_ps, 3900 * GMS_US);
    CHECK_U64(run->hosts[0].worked_ps, 400 * GMS_US);
    CHECK_U64(run->hosts[0].computed_ps, 1200 * GMS_US);
    CHECK_U64(run->hosts[2].worked_ps, 1020 * GMS_US);
    CHECK_U64(run->host_part_count, 12);
    CHECK_U64(run->host_parts[3].window, 1);
    CHECK_U64(run->host_parts[3].rank, 0);
    CHECK_U64(run->host_parts[3].worked_ps, 100 * GMS_US);
    CHECK_U64(run->host_parts[3].computed_ps, 300 * GMS_US);
    CHECK_U64(run->event_count, 4);
    CHECK_U64(run->events[0].requests[0].flow, 0);
    CU_ASSERT_STRING_EQUAL(run->events[1].resource, "node 3");
    gms_report_run_destroy(run);
    gms_report_run_destroy(NULL);
}

/* For a killed run, the reader ignores the totals in the record and computes
 * them from the windows. */
static void test_killed(void)
{
    gms_report_run_t *run = rig_run(killed);

    CU_ASSERT_FALSE(run->is_complete);
    CHECK_U64(run->end_ps, 4 * GMS_MS);
    CHECK_U64(run->flow_count, 2);
    CHECK_U64(run->flows[0].number, 2);
    CHECK_U64(run->flows[0].label, 31);
    CHECK_U64(run->flows[0].bytes_sent, 80000);
    CHECK_U64(run->flows[0].pace_wait_ps, 400 * 500 * GMS_NS);
    CU_ASSERT_FALSE(run->flows[0].has_end);
    CHECK_U64(run->links[5].moving_ps, 3022000000);
    CHECK_U64(run->links[5].blocked_ps, 2 * GMS_MS);
    CHECK_U64(run->nics[1].busy_ps[GMS_REPORT_NIC_LANAI], GMS_MS);
    CHECK_U64(run->hosts[0].end_ps, 4 * GMS_MS);
    CHECK_U64(run->hosts[0].worked_ps, 400 * GMS_US);
    CHECK_U64(run->hosts[0].computed_ps, 1200 * GMS_US);
    /* The reader finds the name of the label in a recorded decision. */
    CU_ASSERT_STRING_EQUAL(gms_report_label_name(run, 31), "video");
    gms_report_run_destroy(run);
}

static void test_cut(void)
{
    char error[GMS_REPORT_ERROR_LEN];
    gms_report_run_t *run = NULL;

    rig_write(killed);
    rig_cut("windows.jsonl", 20);
    rig_cut("events.jsonl", 20);
    CU_ASSERT_EQUAL_FATAL(gms_report_run_load(rig_directory, &run, error),
                          GMS_OK);
    CHECK_U64(run->window_count, 3);
    CHECK_U64(run->event_count, 3);
    CHECK_U64(run->end_ps, 3 * GMS_MS);
    gms_report_run_destroy(run);
    /* If the record is marked as complete, an incomplete line is an error. */
    rig_write(NULL);
    rig_cut("windows.jsonl", 20);
    CU_ASSERT_EQUAL(gms_report_run_load(rig_directory, &run, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "/windows.jsonl: has "));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "the file was truncated or belongs to another run"));
}

/* The record contains an event that is later than the last window. The run then
 * ends at this event. */
static void test_late_event(void)
{
    static const rig_change_t late[] = {
        {"record.json", "\"complete\": true", "\"complete\": false"},
        {"events.jsonl", "3500000000", "4200000000"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(late);

    CHECK_U64(run->end_ps, 4200000000);
    CHECK_U64(run->hosts[2].end_ps, 4200000000);
    gms_report_run_destroy(run);
}

static void test_wrong(void)
{
    static const struct {
        rig_change_t change;
        const char *error;
    } cases[] = {
        {{"record.json", "\"schema\": 4", "\"schema\": 5"},
         "/record.json: key 'schema' is 5, written by a newer gmqos (0.1.0), "
         "but this "
         "version reads schema 4: use the newer version"},
        {{"record.json", "\"schema\": 4", "\"schema\": 3"},
         "/record.json: key 'schema' is 3, written by an older gmqos (0.1.0), "
         "but this "
         "version reads schema 4: record the run again"},
        {{"record.json", "\"complete\": true", "\"complete\": 1"},
         "key 'complete': expected: true or false"},
        {{"record.json", "\"window_ps\": 1000000000", "\"window_ps\": 0"},
         "key 'window_ps' is 0"},
        {{"record.json", "\"rank\":1,\"node\":2", "\"rank\":1,\"node\":9"},
         "key 'job.ranks[1].node' is 9; expected: 1..3"},
        {{"record.json", "\"rank\":1,", "\"rank\":2,"},
         "key 'job.ranks[1].rank' is 2; expected: 1..1"},
        {{"record.json", "\"profile\": \"lanai4.3\", ", ""},
         "key 'cluster.profile' is missing; expected: a string"},
        {{"record.json", "\"switch\":0,\"port\":1", "\"switch\":0,\"port\":4"},
         "key 'topology.links[1].to.port' is 4; expected: 0..3"},
        {{"record.json", "\"bytes\":400000,\"moving", "\"bytes\":-1,\"moving"},
         "key 'topology.links[1].bytes' is invalid"},
        {{"record.json", "\"packets_sent\":100", "\"packets_sent\":\"x\""},
         "key 'flows[1].counters.packets_sent' is invalid; "
         "expected: a whole number >= 0"},
        {{"record.json", "\"times\":", "\"timez\":"},
         "key 'flows[0].times' is missing; expected: an object"},
        {{"record.json", "[64000000,10]", "[64000000]"},
         "key 'flows[0].latency': expected: a list of 2 numbers"},
        {{"record.json", "[5,90,2000000000]", "[9,90,2000000000]"},
         "key 'flows[1].links': link 9 does not exist"},
        {{"record.json", "{\"node\":2,\"counters\"",
          "{\"node\":4,\"counters\""},
         "key 'cards[1].node' is 4; expected: 1..3"},
        {{"record.json", "\"rank\":1,\"end", "\"rank\":0,\"end"},
         "key 'hosts[1].rank' is 0; expected: 1..1"},
        {{"record.json", "\"computed_ps\":1200000000", "\"computer\":1"},
         "key 'hosts[0].computed_ps' is missing"},
        {{"record.json", "\"hosts\": [\n", "\"ghosts\": [\n"},
         "key 'hosts' is missing; expected: a list"},
        {{"record.json", "\"labels\":", "\"lapels\":"},
         "key 'labels' is missing; expected: a list"},
        {{"record.json", "true,", "true"}, "/record.json:4: "},
        /* The list of flows has its own parser, which must check the types of
         * the list's members. */
        {{"record.json", "\"flows\": [\n", "\"flows\": {},\n \"more\": [\n"},
         "key 'flows' is not a plain list"},
        {{"record.json", "\"flows\": [", "\"\\u0066lows\": ["},
         "key 'flows' is not a plain list"},
        {{"record.json", "\"flows\": [", "\"flows\": [], \"flows\": ["},
         "/record.json:21: duplicate object key"},
        {{"record.json", "\"flows\": [\n", "\"flows\": [7,\n"},
         "key 'flows[0]': expected: an object"},
        {{"record.json", "[5,0,0]]},", "[5,0,0]]}"},
         "key 'flows[0]': expected: ',' or ']' after this item"},
        {{"record.json", "[5,0,0]]},", "[5,0,0}},"},
         "/record.json:40: unexpected token near '}'"},
        {{"record.json", "[5,0,0]]},", "[5,0,0]]}},"}, "/record.json:22: "},
        {{"record.json", "\"cards\": [\n", "\"cards\": [,\n"},
         "/record.json:25: unexpected token near ','"},
        {{"windows.jsonl", "\"end_ps\":2000000000", "\"end_ps\":500"},
         "/windows.jsonl:2: key 'end_ps' is 500; expected: a later time than "
         "in the previous line"},
        {{"windows.jsonl", "[1,100000,25,100000,0,0]", "[8,1,2,3,0,0]"},
         "/windows.jsonl:2: key 'flows[1]': flow 8 does not exist"},
        {{"windows.jsonl", "[1,100000,25,100000,0,0]", "[1,1,2]"},
         "/windows.jsonl:2: key 'flows[1]': expected: a list of 6 numbers"},
        {{"windows.jsonl", "[3,225000000,", "[5,225000000,"},
         "/windows.jsonl:1: key 'cards[2]': node 5 does not exist"},
        {{"windows.jsonl", "[5,755500000", "[6,755500000"},
         "/windows.jsonl:1: key 'links[2]': link 6 does not exist"},
        {{"windows.jsonl", "[2,255000000,0]", "[3,255000000,0]"},
         "/windows.jsonl:1: key 'hosts[2]': rank 3 does not exist"},
        {{"windows.jsonl", "[2,255000000,0]", "[2,255000000]"},
         "/windows.jsonl:1: key 'hosts[2]': expected: a list of 3 numbers"},
        {{"windows.jsonl", "\"hosts\"", "\"ghosts\""},
         "/windows.jsonl:1: key 'hosts' is missing; expected: a list"},
        {{"windows.jsonl", "\"links\"", "\"lines\""},
         "/windows.jsonl:1: key 'links' is missing; expected: a list"},
        {{"windows.jsonl", "{\"end_ps\":3", "\"end_ps\":3"},
         "/windows.jsonl:3: "},
        {{"events.jsonl", "\"kind\":\"fault\"", "\"kind\":\"flood\""},
         "/events.jsonl:3: key 'kind' is 'flood'; expected: grant, denial, "
         "release, fault or stall"},
        {{"events.jsonl", "\"denied_flow\":0", "\"denied_flow\":1"},
         "/events.jsonl:2: key 'denied_flow' is 1; expected: 0..0"},
        {{"events.jsonl", "\"class\":\"premium\"", "\"class\":4"},
         "/events.jsonl:1: key 'flows[0].class' is invalid; expected: a "
         "string"},
        {{"events.jsonl", "20000000.0", "-2"},
         "/events.jsonl:1: key 'flows[0].asked_bytes_s' is invalid"},
    };
    char error[GMS_REPORT_ERROR_LEN];
    gms_report_run_t *run = NULL;
    unsigned i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const rig_change_t changes[] = {cases[i].change, {NULL, NULL, NULL}};

        CU_ASSERT_EQUAL(rig_load(changes, &run, error), GMS_ERR_CONFIG);
        if (strstr(error, cases[i].error) == NULL) {
            printf("\n    '%s' instead of '%s'\n", error, cases[i].error);
            CU_FAIL("another error");
        }
    }
    CU_ASSERT_PTR_NULL(run);
}

static void test_no_record(void)
{
    char error[GMS_REPORT_ERROR_LEN], path[256];
    gms_report_run_t *run = NULL;

    CU_ASSERT_EQUAL(gms_report_run_load("/nowhere", &run, error),
                    GMS_ERR_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "/nowhere: the directory has no record of a run"));
    rig_write(NULL);
    (void)snprintf(path, sizeof(path), "%s/events.jsonl", rig_directory);
    CU_ASSERT_EQUAL_FATAL(remove(path), 0);
    CU_ASSERT_EQUAL(gms_report_run_load(rig_directory, &run, error),
                    GMS_ERR_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "/events.jsonl: No such file"));
    rig_write(NULL);
}

/* A record that was truncated, changed or mixed with another run is refused,
 * with and without matching checksums. */
static void expect_refused(const char *what, const char *why)
{
    char error[GMS_REPORT_ERROR_LEN] = "";
    gms_report_run_t *run = NULL;

    CU_ASSERT_EQUAL(gms_report_run_load(rig_directory, &run, error),
                    GMS_ERR_CONFIG);
    if (strstr(error, why) == NULL) {
        printf("\n    %s: '%s' instead of '%s'\n", what, error, why);
        CU_FAIL("another error");
    }
    gms_report_run_destroy(run);
}

static void test_damage(void)
{
    static const rig_change_t another[] = {
        {"record.json", "\"seed\": 7", "\"seed\": 8"}, {NULL, NULL, NULL}};
    static const rig_change_t later[] = {
        {"record.json", "\"end_ps\": 4000000000", "\"end_ps\": 0"},
        {NULL, NULL, NULL}};
    static const rig_change_t other[] = {
        {"record.json", "\"bytes_sent\":400000", "\"bytes_sent\":4000000"},
        {NULL, NULL, NULL}};
    static const rig_change_t many[] = {
        {"record.json", "\"nodes\": 3", "\"nodes\": 1000000"},
        {NULL, NULL, NULL}};

    rig_write(NULL);
    rig_flip("record.json", "\"packets_sent\":100", "\"packets_sent\":101");
    expect_refused("a changed figure",
                   "/record.json: the checksum does not match");
    rig_write(NULL);
    rig_cut("record.json", 5);
    expect_refused("a truncated file", "the file was truncated or changed");
    rig_write(NULL);
    rig_flip("windows.jsonl", "[1,100000,25", "[1,100001,25");
    expect_refused("a changed window",
                   "/windows.jsonl:1: the checksum does not match");
    rig_write(killed);
    rig_flip("windows.jsonl", "[1,100000,25", "[1,100001,25");
    expect_refused("a changed window of a killed run",
                   "/windows.jsonl:1: the checksum does not match");
    rig_write(killed);
    rig_mix("events.jsonl", another);
    expect_refused("events of another run",
                   "/events.jsonl:1: the checksum does not match");
    rig_write(later);
    expect_refused("an end of 0",
                   "key 'end_ps' is 0, but the last window ends at");
    rig_write(other);
    expect_refused("windows with smaller counts",
                   "key 'flows[1].counters.bytes_sent' is 4000000, but the "
                   "sum of the windows is 400000");
    rig_write(many);
    expect_refused("hosts without links",
                   "key 'topology.nodes' is 1000000; expected: 1..6");
}

/* Strings in a record are printed on terminals, so the reader must replace
 * control characters. */
static void test_printable(void)
{
    static const rig_change_t changes[] = {
        {"record.json", "\"program\": \"small\"",
         "\"program\": \"a\\u001b[31m\\nb\\u202e\""},
        {"record.json", "\"name\":\"video\"", "\"name\":\"\\u009bvideo\""},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(changes);

    CU_ASSERT_STRING_EQUAL(run->program, "a?[31m?b?");
    CU_ASSERT_STRING_EQUAL(gms_report_label_name(run, 31), "?video");
    gms_report_run_destroy(run);
    rig_write((const rig_change_t[]){
        {"events.jsonl", "\"kind\":\"fault\"", "\"kind\":\"\\u001bx\""},
        {NULL, NULL, NULL}});
    expect_refused("an escape in a message", "is '?x'");
}

/* A long name is shortened for display, but must remain valid UTF-8. Otherwise,
 * the flow with this name would be missing from the report. */
static void test_long_name(void)
{
    char name[600] = "\"name\":\"", *data_text;
    const rig_change_t changes[] = {{"record.json", "\"name\":\"video\"", name},
                                    {NULL, NULL, NULL}};
    gms_report_run_t *run;
    json_t *data;
    unsigned i;

    for (i = 0; i < 200; ++i) {
        (void)strcat(name, "\xc3\xbc");
    }
    (void)strcat(name, "\"");
    for (i = 0; i < 2; ++i) { /* test an even and an odd length */
        run = rig_run(changes);
        data = gms_report_data(run);
        CHECK_U64(json_array_size(json_object_get(data, "flows")), 2);
        data_text = json_dumps(json_object_get(data, "decisions"), 0);
        CU_ASSERT_PTR_NOT_NULL(data_text);
        free(data_text);
        CHECK_U64(json_array_size(json_object_get(data, "decisions")), 3);
        json_decref(data);
        gms_report_run_destroy(run);
        memmove(name + 9, name + 8, strlen(name + 8) + 1);
        name[8] = 'x';
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"a small record", test_small},
        {"a killed run", test_killed},
        {"truncated last lines", test_cut},
        {"an event after the last window", test_late_event},
        {"errors and their positions", test_wrong},
        {"directories without a record", test_no_record},
        {"truncated, changed or mixed records", test_damage},
        {"control characters in texts are replaced", test_printable},
        {"a long name is shortened", test_long_name},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"report run", rig_setup, rig_teardown, NULL, NULL, tests});
}
