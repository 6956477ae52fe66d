/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the sentences about decisions and faults, and the findings of reports,
 * on hand-written records.
 */
#include "report_rig.h"

#include <string.h>

#include "report/data.h"

/* Checks the finding of the changed record that contains the text `about`. */
static void check_finding(const rig_change_t *changes, const char *about,
                          const char *expected)
{
    gms_report_run_t *run = rig_run(changes);
    json_t *data = gms_report_data(run);

    CU_ASSERT_STRING_EQUAL(rig_finding(data, about), expected);
    json_decref(data);
    gms_report_run_destroy(run);
}

static void test_sentences(void)
{
    gms_report_run_t *run = rig_run(NULL);
    json_t *data = gms_report_data(run), *decisions;
    const char *text[3];
    unsigned i;

    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    decisions = json_object_get(data, "decisions");
    for (i = 0; i < 3; ++i) {
        text[i] = json_string_value(
            json_object_get(json_array_get(decisions, i), "text"));
        CU_ASSERT_PTR_NOT_NULL_FATAL(text[i]);
    }
    CU_ASSERT_STRING_EQUAL(
        text[0],
        "Rank 0's request for 20 MB/s to rank 2 on 'video' was granted.");
    CU_ASSERT_STRING_EQUAL(
        text[1], "Rank 1's request for 63 MB/s to rank 2 was denied because "
                 "only 44.95 MB/s remain at the destination, node 3.");
    CU_ASSERT_STRING_EQUAL(
        text[2], "Rank 0 released its reservation to rank 2 on 'video'.");
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_object_get(
            json_array_get(json_object_get(data, "faults"), 0), "text")),
        "The link from node 1 to switch 0 went down for 200 us.");
    CU_ASSERT_STRING_EQUAL(rig_finding(data, "Port 2"),
                           "Port 2 of switch 0 (to node 3) was saturated for "
                           "25 % of the run. Contention on this link cost flow "
                           "1 -> 2 about 20 MB/s.");
    CU_ASSERT_STRING_EQUAL(
        rig_finding(data, "The link of node 2"),
        "The link of node 2 (to switch 0) was saturated for 100 % of the run, "
        "but only because packets on it waited for a resource further along "
        "their route.");
    CU_ASSERT_STRING_EQUAL(rig_finding(data, "reserv"),
                           "The flow reached its reserved bandwidth.");
    CU_ASSERT_STRING_EQUAL(
        rig_finding(data, "fault"),
        "1 fault occurred, but no packet had to be sent again.");
    CU_ASSERT(rig_finding(data, "denied")[0] != '\0');
    json_decref(data);
    gms_report_run_destroy(run);
}

/* A request for a delay bound is denied because the bound is too small, or
 * because the cluster has no bounds. */
static void test_denied_bound(void)
{
#define DENIED_DELAY(_more)                                                    \
    {                                                                          \
        "events.jsonl",                                                        \
            "\"criterion\":\"destination node\",\"denied_flow\":0,"            \
            "\"left_bytes_s\":50000000.0,\"place\":\"node 3\"",                \
            "\"criterion\":\"delay\",\"denied_flow\":0,"                       \
            "\"left_bytes_s\":0.0," _more                                      \
            "\"place\":\"flow from node 2 to node 3\""                         \
    }
    static const struct {
        rig_change_t changes[2];
        const char *why;
    } cases[] = {
        {{DENIED_DELAY(""), {NULL, NULL, NULL}},
         "a delay bound this small cannot be guaranteed"},
        {{DENIED_DELAY("\"no_bounds\":true,"), {NULL, NULL, NULL}},
         "the manager computes no delay bounds on this cluster"},
    };
    char expected[160];
    unsigned i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        gms_report_run_t *run = rig_run(cases[i].changes);
        json_t *data = gms_report_data(run);

        (void)snprintf(expected, sizeof(expected),
                       "Rank 1's request for 63 MB/s to rank 2 was denied "
                       "because %s.",
                       cases[i].why);
        CU_ASSERT_STRING_EQUAL(rig_finding(data, "denied"), expected);
        json_decref(data);
        gms_report_run_destroy(run);
    }
}

/* The finding shows the lost bandwidth as a range. If the lower end is close to
 * zero, the finding shows only the upper end. */
static void test_range(void)
{
    static const rig_change_t idle[] = {
        RIG_OTHERS, RIG_FAST, RIG_IDLE, {NULL, NULL, NULL}};
    static const rig_change_t rare[] = {
        RIG_OTHERS,
        RIG_FAST,
        {"record.json", "[5,90,2000000000]", "[5,90,60000000]"},
        {"record.json", "\"bytes_arrived\":400000,\"active_ps\":4000000000",
         "\"bytes_arrived\":400000,\"active_ps\":61000000"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(idle);
    json_t *data = gms_report_data(run);

    CU_ASSERT_STRING_EQUAL(rig_finding(data, "Port 2"),
                           "Port 2 of switch 0 (to node 3) was saturated for "
                           "25 % of the run. Contention on this link cost flow "
                           "1 -> 2 100 to 200 MB/s.");
    json_decref(data);
    gms_report_run_destroy(run);
    run = rig_run(rare);
    data = gms_report_data(run);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(rig_finding(data, "Port 2"), "cost flow 1 -> 2 up to "));
    json_decref(data);
    gms_report_run_destroy(run);
}

/* A flow reached only half of its reserved bandwidth, because it had packets to
 * send for only half of the time. */
static void test_not_reached(void)
{
    static const rig_change_t changes[] = {
        {"events.jsonl", "\"held_bytes_s\":20480000.0",
         "\"held_bytes_s\":40960000.0"},
        {"events.jsonl", "500000000", "0"},
        {"events.jsonl", "3500000000", "4000000000"},
        {"record.json", "\"bytes_arrived\":80000,\"active_ps\":4000000000",
         "\"bytes_arrived\":80000,\"active_ps\":2000000000"},
        {NULL, NULL, NULL}};

    check_finding(changes, "reserved",
                  "Flow 0 -> 2 (video) had 40 MB/s reserved but "
                  "received 20 MB/s: the program had nothing to send "
                  "for 50 % of that time.");
}

/* Two reasons why a flow does not reach its reserved bandwidth: its packets
 * carry less payload than the request stated, or the program sends its data in
 * another flow. */
static void test_causes(void)
{
    /* The request stated packets of 4096 bytes, and the flow's own pace delays
     * its packets. */
    static const rig_change_t emptier[] = {
        {"events.jsonl", "\"class\":\"premium\",\"asked_bytes_s\":2",
         "\"class\":\"premium\",\"payload_part\":1,\"asked_bytes_s\":2"},
        {"events.jsonl", "\"held_bytes_s\":20480000.0",
         "\"held_bytes_s\":40000000.0"},
        {"events.jsonl", "500000000", "0"},
        {"events.jsonl", "3500000000", "4000000000"},
        {"record.json", "\"bytes_sent\":80000", "\"bytes_sent\":60000"},
        {NULL, NULL, NULL}};
    /* In the changed record, the flow with 400000 bytes starts at rank 0
     * instead of rank 1. This flow then connects the same ranks as the flow
     * with the reservation. */
    static const rig_change_t beside[] = {
        {"events.jsonl", "\"class\":\"premium\",\"asked_bytes_s\":2",
         "\"class\":\"premium\",\"payload_part\":1,\"asked_bytes_s\":2"},
        {"record.json", "\"bytes_sent\":80000,", "\"bytes_sent\":800,"},
        {"record.json", "\"number\":1,\"node\":2", "\"number\":1,\"node\":1"},
        {"windows.jsonl", "[1,100000,25,100000,0,0,2,2,",
         "[1,100000,25,100000,0,0,1,2,"},
        RIG_IN_EACH_WINDOW("[2,20000,5,20000,", "[2,200,5,200,"),
        {NULL, NULL, NULL}};

    check_finding(
        emptier, "own pace",
        "Flow 0 -> 2 (video) had 40 MB/s reserved but received 20 MB/s: it "
        "waited for its own pace for 75 % of the time in which it had packets "
        "to send. The flow's packets were 73 % full, but the reservation is "
        "for packets that are 100 % full. Request the bandwidth with the "
        "message size that the program sends.");
    check_finding(
        beside, "almost nothing",
        "Flow 0 -> 2 (video) has 20.5 MB/s reserved but sends almost nothing: "
        "the traffic between the same processes uses flow 0 -> 2, which has no "
        "reservation. Request the reservation on the communicator on which the "
        "program sends.");
}

/* If the network blocks packets, neither the program nor the pace limits a flow.
 * Congestion control sets the pace of a flow without an IDT. */
static void test_congestion(void)
{
    static const rig_change_t blocked[] = {
        {"events.jsonl", "\"held_bytes_s\":20480000.0",
         "\"held_bytes_s\":40960000.0"},
        {"events.jsonl", "500000000", "0"},
        {"events.jsonl", "3500000000", "4000000000"},
        {"record.json", "\"bytes_arrived\":80000,\"active_ps\":4000000000",
         "\"bytes_arrived\":80000,\"active_ps\":2000000000"},
        {"record.json", "\"switch_ps\":600,\"blocked_ps\":0",
         "\"switch_ps\":600,\"blocked_ps\":2000000000"},
        {"record.json", "[0,0,0],[5,0,0]", "[0,0,0],[5,20,2000000000]"},
        {NULL, NULL, NULL}};
    static const rig_change_t slowed[] = {
        {"record.json", "\"hosts\": 3,",
         "\"hosts\": 3, \"fabric_model\": \"ethernet\", \"dcqcn\": 1,"},
        {"record.json", "\"idt_wait_ps\":0}", "\"idt_wait_ps\":2000000000}"},
        {NULL, NULL, NULL}};

    check_finding(
        blocked, "reserved",
        "Flow 0 -> 2 (video) had 40 MB/s reserved but received 20 MB/s: its "
        "packets waited for port 2 of switch 0 (to node 3) for 50 % of that "
        "time.");
    check_finding(
        slowed, "held back",
        "Flow 1 -> 2 was limited by congestion control (DCQCN), because the "
        "network was congested. Congestion control held back packets for 50 % "
        "of the time in which the flow had packets to send. The average rate "
        "of the flow was 100 MB/s.");
}

#define PACED(_wait, _active)                                                  \
    {                                                                          \
        "record.json",                                                         \
            "\"bytes_arrived\":400000,"                                        \
            "\"active_ps\":4000000000,\"idt_wait_ps\":0",                      \
            "\"bytes_arrived\":400000,"                                        \
            "\"active_ps\":" _active ",\"idt_wait_ps\":" _wait                 \
    }
/* Flow 1 -> 2 becomes the control flow of flow 0 -> 2. */
#define CONTROL                                                                \
    {"record.json", "\"number\":1,\"node\":2,\"port\":2,\"target_node\":3",    \
     "\"number\":1,\"node\":3,\"port\":2,\"target_node\":1"},                  \
        {"record.json", "\"label\":1,\"counters\":{\"packets_sent\":100",      \
         "\"label\":1073741855,\"counters\":{\"packets_sent\":100"},           \
    {                                                                          \
        "windows.jsonl", "2,2,3,2,0,1]", "3,2,1,2,0,1073741855]"               \
    }

static void check_pace(const rig_change_t *changes, const char *expected)
{
    gms_report_run_t *run = rig_run(changes);
    json_t *data = gms_report_data(run);

    CU_ASSERT_STRING_EQUAL(rig_finding(data, "held back"), expected);
    json_decref(data);
    gms_report_run_destroy(run);
}

/* The pace of a flow is a finding only if it delayed the program for at least 5
 * % of the run. */
static void test_paces(void)
{
    static const rig_change_t noticeable[] = {PACED("200000000", "400000000"),
                                              {NULL, NULL, NULL}};
    static const rig_change_t negligible[] = {PACED("199000000", "398000000"),
                                              {NULL, NULL, NULL}};

    check_pace(noticeable,
               "Flow 1 -> 2 was limited by its pace, not by the network. The "
               "pace held back packets for 50 % of the time in which the flow "
               "had packets to send. The average rate of the flow was 100 "
               "MB/s.");
    check_pace(negligible, "");
}

/* A control flow waited for its pace for half of the run. Its data flow had
 * packets to send for the whole run, so no program waited for the control
 * flow. In the second record, the data flow ran out of packets. */
static void test_control_paces(void)
{
    static const rig_change_t always[] = {
        CONTROL, PACED("2000000000", "4000000000"), {NULL, NULL, NULL}};
    static const rig_change_t idle[] = {
        CONTROL,
        PACED("2000000000", "4000000000"),
        {"record.json", "\"bytes_arrived\":80000,\"active_ps\":4000000000",
         "\"bytes_arrived\":80000,\"active_ps\":3800000000"},
        {NULL, NULL, NULL}};

    check_pace(always, "");
    check_pace(idle,
               "Flow 2 -> 0 (control of label 31) was limited by its pace, not "
               "by the network. The pace held back packets for 50 % of the "
               "time in which the flow had packets to send. The average rate "
               "of the flow was 100 MB/s.");
}

static void test_resends(void)
{
    static const rig_change_t again[] = {
        {"record.json",
         "\"packets_sent\":100,\"bytes_sent\":400000,"
         "\"packets_resent\":0",
         "\"packets_sent\":100,\"bytes_sent\":400000,"
         "\"packets_resent\":11"},
        {"record.json",
         "\"packets_sent\":20,\"bytes_sent\":80000,"
         "\"packets_resent\":0",
         "\"packets_sent\":20,\"bytes_sent\":80000,\"packets_resent\":1"},
        {"record.json", "\"bad_crc_drops\":0,\"sequence_drops\":0",
         "\"bad_crc_drops\":3,\"sequence_drops\":4"},
        {NULL, NULL, NULL}};

    check_finding(
        again, "again",
        "1 fault occurred. 12 packets were sent again (9.9 % of all packets), "
        "11 of them by flow 1 -> 2. 3 packets arrived damaged, and 4 arrived "
        "out of order or twice.");
}

/* One host is busy with communication, and the program on another host
 * computes. The report contains data of both hosts. */
static void test_hosts(void)
{
    static const rig_change_t busy[] = {RIG_BUSY_HOST,
                                        {"record.json",
                                         "\"computed_ps\":1200000000",
                                         "\"computed_ps\":2800000000"},
                                        {NULL, NULL, NULL}};
    static const rig_change_t all[] = {
        RIG_BUSY_HOST,
        {"record.json", "\"worked_ps\":1200000000", "\"worked_ps\":2000000000"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(busy);
    json_t *data = gms_report_data(run);
    const json_t *host = json_array_get(json_object_get(data, "hosts"), 0);

    CHECK_NEAR(json_number_value(json_object_get(host, "worked")), 0.1, 1e-9);
    CHECK_NEAR(json_number_value(json_object_get(host, "computed")), 0.7, 1e-9);
    CU_ASSERT_STRING_EQUAL(
        rig_finding(data, "processor of"),
        "The processor of rank 2 handled messages for 80 % of the run: it sent "
        "and received 120 MB/s, and it can handle at most 150 MB/s in messages "
        "of this size.");
    CU_ASSERT_STRING_EQUAL(rig_finding(data, "computed"),
                           "The program of rank 0 computed for 70 % of the "
                           "run.");
    json_decref(data);
    gms_report_run_destroy(run);
    run = rig_run(all);
    data = gms_report_data(run);
    CU_ASSERT_STRING_EQUAL(
        rig_finding(data, "processor of"),
        "The processor of rank 2 handled messages for 80 % of the run: it sent "
        "and received 120 MB/s, and it can handle at most 150 MB/s in messages "
        "of this size. 1 other rank handled messages for at least half of the "
        "run, too.");
    CU_ASSERT_STRING_EQUAL(rig_finding(data, "computed"), "");
    json_decref(data);
    gms_report_run_destroy(run);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"sentences", test_sentences},
        {"denied delay bounds", test_denied_bound},
        {"range of the lost bandwidth", test_range},
        {"a reservation that missed its bandwidth", test_not_reached},
        {"reservations that limit or miss their traffic", test_causes},
        {"blocked packets and congestion control", test_congestion},
        {"flows that were limited by their pace", test_paces},
        {"control flows that were limited by their pace", test_control_paces},
        {"resends", test_resends},
        {"hosts", test_hosts},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"report_findings", rig_setup, rig_teardown, NULL, NULL, tests});
}
