/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the data and the findings of reports on hand-written records.
 */
#include "report_rig.h"

#include <math.h>
#include <string.h>

#include "report/compare.h"
#include "report/data.h"
#include "report/lost.h"
#include "report/series.h"
#include "report/text.h"

/* ---- texts ---- */

static void test_numbers(void)
{
    static const struct {
        double bytes_s;
        const char *text;
    } rates[] = {{0, "0 MB/s"},         {9264000, "9.26 MB/s"},
                 {40e6, "40 MB/s"},     {12345678, "12.3 MB/s"},
                 {1.5e9, "1500 MB/s"},  {2500, "0.003 MB/s"},
                 {120000, "0.12 MB/s"}, {12, "12 bytes/s"},
                 {9999999, "10 MB/s"},  {99960000, "100 MB/s"}};
    gms_text_t text;
    unsigned i;

    for (i = 0; i < sizeof(rates) / sizeof(rates[0]); ++i) {
        CU_ASSERT_STRING_EQUAL(gms_text_rate(rates[i].bytes_s, &text),
                               rates[i].text);
    }
    CU_ASSERT_STRING_EQUAL(gms_text_part(0.62, &text), "62 %");
    CU_ASSERT_STRING_EQUAL(gms_text_part(0.004, &text), "0.4 %");
    CU_ASSERT_STRING_EQUAL(gms_text_part(0.997, &text), "99.7 %");
    CU_ASSERT_STRING_EQUAL(gms_text_part(1, &text), "100 %");
    CU_ASSERT_STRING_EQUAL(gms_text_part(0, &text), "0 %");
    CU_ASSERT_STRING_EQUAL(gms_text_time(1.25e12, &text), "1.25 s");
    CU_ASSERT_STRING_EQUAL(gms_text_time(76.89e6, &text), "76.9 us");
    CU_ASSERT_STRING_EQUAL(gms_text_time(2e9, &text), "2 ms");
    CU_ASSERT_STRING_EQUAL(gms_text_count(1234567, &text), "1,234,567");
    CU_ASSERT_STRING_EQUAL(gms_text_count(999, &text), "999");
}

static void test_names(void)
{
    static const rig_change_t changes[] = {
        {"record.json", "\"label\":31,\"counters\"",
         "\"label\":30,\"counters\""},
        {"record.json", "\"node\":1,\"port\":2,\"target_node\":3",
         "\"node\":2,\"port\":2,\"target_node\":3"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(NULL);
    gms_flow_name_t *names = gms_report_flow_names(run);
    gms_text_t text;

    CU_ASSERT_STRING_EQUAL(names[0].text, "0 -> 2 (video)");
    CU_ASSERT_STRING_EQUAL(names[1].text, "1 -> 2");
    CU_ASSERT_STRING_EQUAL(gms_text_link(&run->links[5], &text),
                           "port 2 of switch 0 (to node 3)");
    CU_ASSERT_STRING_EQUAL(gms_text_link(&run->links[1], &text),
                           "the link of node 2 (to switch 0)");
    CU_ASSERT_STRING_EQUAL(gms_text_place(run, 1, 5, &text), "node 1 port 5");
    free(names);
    gms_report_run_destroy(run);
    /* If two flows connect the same ranks, the name of the smaller flow also
     * contains its label. */
    run = rig_run(changes);
    names = gms_report_flow_names(run);
    CU_ASSERT_STRING_EQUAL(names[0].text, "1 -> 2 (label 30)");
    CU_ASSERT_STRING_EQUAL(names[1].text, "1 -> 2");
    free(names);
    gms_report_run_destroy(run);
}

/* ---- lost bandwidth ---- */

/* 1 MB arrived in 10 ms. Without the 2 ms of waiting, this megabyte would have
 * needed only 8 ms. In 10 ms, 0.25 MB more could have arrived. */
static void test_lost(void)
{
    CHECK_NEAR(gms_lost_gain(1000000, 10 * GMS_MS, 2 * GMS_MS), 250000, 1e-9);
    CHECK_NEAR(gms_lost_gain(1000000, 10 * GMS_MS, 5 * GMS_MS), 1e6, 1e-9);
    CU_ASSERT(isinf(gms_lost_gain(1000000, 10 * GMS_MS, 10 * GMS_MS)));
    CU_ASSERT_EQUAL(gms_lost_gain(1000000, 10 * GMS_MS, 0), 0);
    CU_ASSERT_EQUAL(gms_lost_gain(0, 10 * GMS_MS, 1), 0);
    CU_ASSERT_EQUAL(gms_lost_gain(1, 0, 1), 0);
}

static gms_lost_t losses_of(const rig_change_t *changes, uint32_t flow,
                            size_t hop)
{
    gms_report_run_t *run = rig_run(changes);
    gms_losses_t *losses = gms_losses_create(run);
    gms_lost_t lost = gms_losses_at(losses, flow, hop);

    gms_losses_destroy(losses);
    gms_report_run_destroy(run);
    return lost;
}

static double lost_of(const rig_change_t *changes, uint32_t flow, size_t hop)
{
    return losses_of(changes, flow, hop).most_bytes_s;
}

#define IN_EACH_WINDOW(_from, _to)                                             \
    {"windows.jsonl", _from, _to}, {"windows.jsonl", _from, _to},              \
        {"windows.jsonl", _from, _to},                                         \
    {                                                                          \
        "windows.jsonl", _from, _to                                            \
    }
/* changes the record so that the other flow received 2000 MB/s */
#define OTHERS IN_EACH_WINDOW("[2,20000,5,20000,", "[2,20000,5,2000000,")
#define FAST                                                                   \
    {                                                                          \
        "record.json", "\"link_bytes_s\": 160000000",                          \
            "\"link_bytes_s\": 1000000000"                                     \
    }

/* For a quarter of the time, the NIC had no packets of the flow to send.
 * Without waits for links, the flow would have had twice its bandwidth. Without
 * these waits and without pauses, it would have had three times its
 * bandwidth. */
#define IDLE                                                                   \
    {                                                                          \
        "record.json", "\"bytes_arrived\":400000,\"active_ps\":4000000000",    \
            "\"bytes_arrived\":400000,\"active_ps\":3000000000"                \
    }
#define BUSY_HOST                                                              \
    {                                                                          \
        "record.json", "\"worked_ps\":1020000000", "\"worked_ps\":3200000000"  \
    }
#define FLIT                                                                   \
    {                                                                          \
        "record.json", "\"parameters\": {",                                    \
            "\"parameters\": {\"fabric_model\": \"flit\", "                    \
    }

/* Flow 1 -> 2 had 100 MB/s and waited half of the time for the last link.
 * Without this wait, its bandwidth would have doubled. However, the only other
 * flow on this link had 20 MB/s, so flow 1 -> 2 could have gained at most 20
 * MB/s. */
static void test_lost_of_a_run(void)
{
    static const rig_change_t others[] = {OTHERS, {NULL, NULL, NULL}};
    static const rig_change_t fast[] = {OTHERS, FAST, {NULL, NULL, NULL}};
    static const rig_change_t busy[] = {
        OTHERS,
        FAST,
        {"record.json", "\"lanai_busy_ps\":1000000000",
         "\"lanai_busy_ps\":3600000000"},
        IN_EACH_WINDOW("[2,250000000,200", "[2,900000000,200"),
        {NULL, NULL, NULL}};
    /* The flow sent nothing in the first of four windows, so the report
     * evaluates only the other 3 ms. */
    static const rig_change_t late[] = {
        {"windows.jsonl", "[1,100000,25,100000,0,0,", "[1,0,0,0,0,0,"},
        {NULL, NULL, NULL}};
    /* According to this record, packets of the flow arrived in the first
     * window, although the flow sent its first packet in the second window. */
    static const rig_change_t early[] = {
        {"windows.jsonl", "[1,100000,25,100000,0,0,", "[1,0,0,100000,0,0,"},
        {NULL, NULL, NULL}};
    /* The flow sent nothing in the second window. The report nevertheless
     * includes the other flow's bytes in this window. */
    static const rig_change_t pause[] = {
        {"windows.jsonl", "[1,100000,25,100000,0,0]", "[1,0,0,100000,0,0]"},
        {NULL, NULL, NULL}};
    static const rig_change_t idle[] = {OTHERS, FAST, IDLE, {NULL, NULL, NULL}};
    /* The receiving host needed 80 % of its time to receive 480000 bytes. In
     * the remaining time, the host could have received 120000 bytes more. In
     * addition, the host could have received more of this flow instead of the
     * other flow's 80000 bytes. */
    static const rig_change_t host[] = {
        OTHERS, FAST, BUSY_HOST, {NULL, NULL, NULL}};
    /* The flow spent a fifth of its waiting time at its first link. If other
     * flows used this link, the report assigns a fifth of the lost bandwidth to
     * it. */
    static const rig_change_t split[] = {OTHERS,
                                         FAST,
                                         {"record.json",
                                          "[1,0,0],[5,90,2000000000]",
                                          "[1,20,400000000],[5,90,1600000000]"},
                                         {NULL, NULL, NULL}};
    /* With virtual lanes, the loss is computed from the total wait of the
     * packets, which is more reliable than the waits at single links. */
    static const rig_change_t flit[] = {
        OTHERS,
        FAST,
        FLIT,
        {"record.json", "[5,90,2000000000]", "[5,90,500000000]"},
        {NULL, NULL, NULL}};
    /* Buffers on the route absorbed part of the waits, and this part did not
     * delay the flow. */
    static const rig_change_t buffers[] = {
        OTHERS,
        FAST,
        FLIT,
        {"record.json", "\"switch_ps\":6,\"blocked_ps\":2000000000",
         "\"switch_ps\":6,\"blocked_ps\":800000000"},
        {NULL, NULL, NULL}};
    /* The flow is paced in three of the four windows, and unpaced in the fourth
     * window. The report then treats it as unpaced for the whole run. */
    static const rig_change_t half_paced[] = {
        OTHERS,
        {"windows.jsonl", "[1,100000,25,100000,0,0]",
         "[1,100000,25,100000,60,0]"},
        {"windows.jsonl", "[1,100000,25,100000,0,0]",
         "[1,100000,25,100000,60,0]"},
        {"windows.jsonl", "[1,100000,25,100000,0,0]",
         "[1,100000,25,100000,60,0]"},
        {NULL, NULL, NULL}};
    static const rig_change_t paced[] = {
        OTHERS,
        IN_EACH_WINDOW("[1,100000,25,100000,0,", "[1,100000,25,100000,60,"),
        {NULL, NULL, NULL}};
    /* Time for which other flows held the link: 3.4 of 4 ms, minus the time for
     * the flow's own 402900 bytes. */
    double held_ms = 3.4 - 402900 / 160e6 * 1e3;

    CHECK_NEAR(lost_of(NULL, 1, 1), 20e6, 1e-6);
    CU_ASSERT_EQUAL(lost_of(NULL, 1, 0), 0);
    CU_ASSERT_EQUAL(lost_of(NULL, 1, 2), 0);
    CU_ASSERT_EQUAL(lost_of(NULL, 0, 1), 0);
    CHECK_NEAR(lost_of(others, 1, 1), held_ms / 4 * 160e6 * 4000 / 4029, 1e-6);
    CHECK_NEAR(lost_of(late, 1, 1), 20e6, 1e-6);
    CHECK_NEAR(lost_of(early, 1, 1), 20e6, 1e-6);
    CHECK_NEAR(lost_of(pause, 1, 1), 20e6, 1e-6);
    CHECK_NEAR(lost_of(half_paced, 1, 1), lost_of(others, 1, 1), 1e-9);
    CHECK_NEAR(lost_of(fast, 1, 1), 100e6, 1e-6);
    CHECK_NEAR(losses_of(fast, 1, 1).least_bytes_s, 100e6, 1e-6);
    CHECK_NEAR(losses_of(idle, 1, 1).least_bytes_s, 100e6, 1e-6);
    CHECK_NEAR(lost_of(idle, 1, 1), 200e6, 1e-6);
    CHECK_NEAR(lost_of(host, 1, 1), 50e6, 1e-6);
    CHECK_NEAR(lost_of(split, 1, 0), 20e6, 1e-6);
    CHECK_NEAR(lost_of(split, 1, 1), 80e6, 1e-6);
    CHECK_NEAR(lost_of(flit, 1, 1), 100e6, 1e-6);
    CU_ASSERT_EQUAL(lost_of(flit, 1, 0), 0);
    /* 100 MB/s x 0.8 / 3.2 */
    CHECK_NEAR(lost_of(buffers, 1, 1), 25e6, 1e-6);
    /* at 100 MB/s, the host is busy for 90 % of the time, so it could receive
     * 11.1 MB/s more */
    CHECK_NEAR(lost_of(busy, 1, 1), 100e6 / 9, 1e-6);
    /* An IDT of 60 ticks is 30 us, which allows 33.3 packets per window. The
     * flow sent 25 packets of 4000 bytes. */
    CHECK_NEAR(lost_of(paced, 1, 1), (1000 / 30.0 - 25) * 4000 * 1000, 1e-6);
}

/* ---- series ---- */

static void test_buckets(void)
{
    static const rig_change_t odd[] = {
        {"record.json", "\"end_ps\": 4000000000", "\"end_ps\": 3500000000"},
        {"windows.jsonl", "\"end_ps\":4000000000", "\"end_ps\":3500000000"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(odd);
    gms_buckets_t buckets = gms_buckets_of(run, 600);
    double *saturation;

    CHECK_U64(buckets.count, 4);
    CHECK_U64(buckets.length_ps, GMS_MS);
    CHECK_U64(gms_bucket_end_ps(&buckets, 3), 3500 * GMS_US);
    CHECK_U64(gms_bucket_length_ps(&buckets, 3), 500 * GMS_US);
    CHECK_U64(gms_bucket_of_window(&buckets, 0), 0);
    CHECK_U64(gms_bucket_of_window(&buckets, 3), 3);
    buckets = gms_buckets_of(run, 3);
    CHECK_U64(buckets.count, 2);
    CHECK_U64(buckets.length_ps, 2 * GMS_MS);
    CHECK_U64(gms_bucket_of_window(&buckets, 1), 0);
    CHECK_U64(gms_bucket_length_ps(&buckets, 1), 1500 * GMS_US);
    gms_report_run_destroy(run);

    run = rig_run(NULL);
    saturation = gms_report_saturation(run, 0.95);
    CHECK_NEAR(saturation[1], 1, 1e-9);
    CHECK_NEAR(saturation[5], 0.25, 1e-9);
    CU_ASSERT_EQUAL(saturation[0], 0);
    free(saturation);
    gms_report_run_destroy(run);
}

/* ---- the report's data ---- */

static json_int_t int_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *finding_of(const json_t *data, const char *part)
{
    const json_t *finding;
    size_t i;

    json_array_foreach(json_object_get(data, "findings"), i, finding)
    {
        const char *text = json_string_value(json_object_get(finding, "text"));

        if (strstr(text, part) != NULL) {
            return text;
        }
    }
    return "";
}

static void test_data(void)
{
    gms_report_run_t *run = rig_run(NULL);
    json_t *data = gms_report_data(run), *flow, *link, *reserved, *latency;
    unsigned i;

    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CHECK_U64(json_array_size(json_object_get(data, "times_ps")), 4);
    CHECK_U64(json_array_size(json_object_get(data, "flows")), 2);
    flow = json_array_get(json_object_get(data, "flows"), 0);
    CHECK_U64(int_of(flow, "flow"), 1);
    CHECK_U64(int_of(flow, "mean_bytes_s"), 100000000);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(flow, "class")),
                           "unregulated");
    CU_ASSERT_TRUE(json_is_null(json_object_get(flow, "reserved")));
    latency = json_object_get(flow, "latency");
    /* 99 of 100 latencies are in the bin from 64 to 80 us, and the report shows
     * the middle of this bin */
    CHECK_NEAR((double)int_of(latency, "p50_ps"), 71554175, 1e-6);
    CHECK_NEAR((double)int_of(latency, "p99_ps"), 71554175, 1e-6);
    CHECK_U64(int_of(latency, "max_ps"), 100000000);
    flow = json_array_get(json_object_get(data, "flows"), 1);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(flow, "class")),
                           "premium");
    /* The reservation of 20.48 MB/s is for full packets of 4096 bytes, but the
     * packets of this flow have 4000 bytes. */
    reserved = json_object_get(flow, "reserved");
    CHECK_U64(json_array_size(reserved), 2);
    CHECK_U64(
        json_integer_value(json_array_get(json_array_get(reserved, 0), 1)),
        20000000);
    CHECK_U64(
        json_integer_value(json_array_get(json_array_get(reserved, 1), 1)), 0);
    CHECK_U64(json_integer_value(
                  json_array_get(json_object_get(flow, "arrived_bytes_s"), 2)),
              20000000);
    link = json_array_get(
        json_object_get(json_object_get(data, "topology"), "links"), 5);
    CHECK_NEAR(json_number_value(json_object_get(link, "utilisation")),
               3022 / 4000.0, 1e-4);
    CHECK_U64(int_of(json_array_get(json_object_get(link, "flows"), 0), "flow"),
              1);
    CHECK_U64(json_integer_value(json_array_get(
                  json_array_get(json_object_get(data, "matrix"), 1), 2)),
              400000);
    /* The positions themselves are tested in test_drawing.c. */
    for (i = 0; i < 3; ++i) {
        const json_t *node = json_array_get(
            json_object_get(json_object_get(data, "topology"), "nodes"), i);

        CHECK_U64(int_of(node, "x"), 330 + 190 * i);
        CHECK_U64(int_of(node, "y"), 133);
    }
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
    CU_ASSERT_STRING_EQUAL(finding_of(data, "Port 2"),
                           "Port 2 of switch 0 (to node 3) was saturated for "
                           "25 % of the run. Contention on this link cost flow "
                           "1 -> 2 about 20 MB/s.");
    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "The link of node 2"),
        "The link of node 2 (to switch 0) was saturated for 100 % of the run, "
        "but only because packets on it waited for a resource further along "
        "their route.");
    CU_ASSERT_STRING_EQUAL(finding_of(data, "reserv"),
                           "The flow reached its reserved bandwidth.");
    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "fault"),
        "1 fault occurred, but no packet had to be sent again.");
    CU_ASSERT(finding_of(data, "denied")[0] != '\0');
    json_decref(data);
    gms_report_run_destroy(run);
}

/* The finding shows the lost bandwidth as a range. If the lower end is close to
 * zero, the finding shows only the upper end. */
static void test_range(void)
{
    static const rig_change_t idle[] = {OTHERS, FAST, IDLE, {NULL, NULL, NULL}};
    static const rig_change_t rare[] = {
        OTHERS,
        FAST,
        {"record.json", "[5,90,2000000000]", "[5,90,60000000]"},
        {"record.json", "\"bytes_arrived\":400000,\"active_ps\":4000000000",
         "\"bytes_arrived\":400000,\"active_ps\":61000000"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(idle);
    json_t *data = gms_report_data(run);

    CU_ASSERT_STRING_EQUAL(finding_of(data, "Port 2"),
                           "Port 2 of switch 0 (to node 3) was saturated for "
                           "25 % of the run. Contention on this link cost flow "
                           "1 -> 2 100 to 200 MB/s.");
    json_decref(data);
    gms_report_run_destroy(run);
    run = rig_run(rare);
    data = gms_report_data(run);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(finding_of(data, "Port 2"), "cost flow 1 -> 2 up to "));
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
    gms_report_run_t *run = rig_run(changes);
    json_t *data = gms_report_data(run);

    CU_ASSERT_STRING_EQUAL(finding_of(data, "reserved"),
                           "Flow 0 -> 2 (video) had 40 MB/s reserved but "
                           "received 20 MB/s: the program had nothing to send "
                           "for 50 % of that time.");
    json_decref(data);
    gms_report_run_destroy(run);
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
        IN_EACH_WINDOW("[2,20000,5,20000,", "[2,200,5,200,"),
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(emptier);
    json_t *data = gms_report_data(run);

    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "own pace"),
        "Flow 0 -> 2 (video) had 40 MB/s reserved but received 20 MB/s: it "
        "waited for its own pace for 75 % of the time in which it had packets "
        "to send. The flow's packets were 73 % full, but the reservation is "
        "for packets that are 100 % full. Request the bandwidth with the "
        "message size that the program sends.");
    json_decref(data);
    gms_report_run_destroy(run);
    run = rig_run(beside);
    data = gms_report_data(run);
    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "almost nothing"),
        "Flow 0 -> 2 (video) has 20.5 MB/s reserved but sends almost nothing: "
        "the traffic between the same processes uses flow 0 -> 2, which has no "
        "reservation. Request the reservation on the communicator on which the "
        "program sends.");
    json_decref(data);
    gms_report_run_destroy(run);
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
    gms_report_run_t *run = rig_run(blocked);
    json_t *data = gms_report_data(run);

    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "reserved"),
        "Flow 0 -> 2 (video) had 40 MB/s reserved but received 20 MB/s: its "
        "packets waited for port 2 of switch 0 (to node 3) for 50 % of that "
        "time.");
    json_decref(data);
    gms_report_run_destroy(run);
    run = rig_run(slowed);
    data = gms_report_data(run);
    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "held back"),
        "Flow 1 -> 2 was limited by congestion control (DCQCN), because the "
        "network was congested. Congestion control held back packets for 50 % "
        "of the time in which the flow had packets to send. The average rate "
        "of the flow was 100 MB/s.");
    json_decref(data);
    gms_report_run_destroy(run);
}

/* The bandwidth of a flow refers to its period, not to whole windows. */
static void test_period(void)
{
    static const rig_change_t changes[] = {
        {"record.json", "\"label\":31,\"counters\"",
         "\"label\":31,\"period\":{\"first_ps\":500000000,"
         "\"last_ps\":1500000000,\"bytes\":79000},\"counters\""},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(changes);
    json_t *data = gms_report_data(run), *flow;
    size_t i;

    json_array_foreach(json_object_get(data, "flows"), i, flow)
    {
        if (int_of(flow, "flow") == 2) {
            CHECK_U64(int_of(flow, "mean_bytes_s"), 79000000);
        }
    }
    json_decref(data);
    gms_report_run_destroy(run);
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
    gms_report_run_t *run = rig_run(again);
    json_t *data = gms_report_data(run);

    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "again"),
        "1 fault occurred. 12 packets were sent again (9.9 % of all packets), "
        "11 of them by flow 1 -> 2. 3 packets arrived damaged, and 4 arrived "
        "out of order or twice.");
    json_decref(data);
    gms_report_run_destroy(run);
}

/* One host is busy with communication, and the program on another host
 * computes. The report contains data of both hosts. */
static void test_hosts(void)
{
    static const rig_change_t busy[] = {BUSY_HOST,
                                        {"record.json",
                                         "\"computed_ps\":1200000000",
                                         "\"computed_ps\":2800000000"},
                                        {NULL, NULL, NULL}};
    static const rig_change_t all[] = {
        BUSY_HOST,
        {"record.json", "\"worked_ps\":1200000000", "\"worked_ps\":2000000000"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(busy);
    json_t *data = gms_report_data(run);
    const json_t *host = json_array_get(json_object_get(data, "hosts"), 0);

    CHECK_NEAR(json_number_value(json_object_get(host, "worked")), 0.1, 1e-9);
    CHECK_NEAR(json_number_value(json_object_get(host, "computed")), 0.7, 1e-9);
    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "processor of"),
        "The processor of rank 2 handled messages for 80 % of the run: it sent "
        "and received 120 MB/s, and it can handle at most 150 MB/s in messages "
        "of this size.");
    CU_ASSERT_STRING_EQUAL(finding_of(data, "computed"),
                           "The program of rank 0 computed for 70 % of the "
                           "run.");
    json_decref(data);
    gms_report_run_destroy(run);
    run = rig_run(all);
    data = gms_report_data(run);
    CU_ASSERT_STRING_EQUAL(
        finding_of(data, "processor of"),
        "The processor of rank 2 handled messages for 80 % of the run: it sent "
        "and received 120 MB/s, and it can handle at most 150 MB/s in messages "
        "of this size. 1 other rank handled messages for at least half of the "
        "run, too.");
    CU_ASSERT_STRING_EQUAL(finding_of(data, "computed"), "");
    json_decref(data);
    gms_report_run_destroy(run);
}

/* The report shows the reservation as a payload bandwidth. The report uses the
 * payload fraction that the request stated, not the payload of the packets that
 * were sent. */
static void test_payload(void)
{
    static const rig_change_t told[] = {
        {"events.jsonl", "\"class\":\"premium\",\"asked_bytes_s\":2",
         "\"class\":\"premium\",\"payload_part\":0.5,\"asked_bytes_s\":2"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(told);
    json_t *data = gms_report_data(run);
    const json_t *reserved = json_object_get(
        json_array_get(json_object_get(data, "flows"), 1), "reserved");

    CHECK_U64(
        json_integer_value(json_array_get(json_array_get(reserved, 0), 1)),
        10240000);
    json_decref(data);
    gms_report_run_destroy(run);
}

/* If the run was killed, its record has no end. The report then omits unknown
 * values and does not contain wrong values. */
static void test_data_of_a_killed_run(void)
{
    static const rig_change_t killed[] = {
        {"record.json", "\"complete\": true", "\"complete\": false"},
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(killed);
    json_t *data = gms_report_data(run), *flow;

    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CU_ASSERT_TRUE(json_is_false(json_object_get(data, "complete")));
    flow = json_array_get(json_object_get(data, "flows"), 0);
    CHECK_U64(int_of(flow, "mean_bytes_s"), 100000000);
    CU_ASSERT_TRUE(json_is_null(json_object_get(flow, "times")));
    CU_ASSERT_TRUE(json_is_null(json_object_get(flow, "latency")));
    CU_ASSERT(finding_of(data, "Port 2")[0] != '\0');
    json_decref(data);
    gms_report_run_destroy(run);
}

/* ---- comparing ---- */

static const gms_compare_row_t *row_of(const gms_compare_t *compare,
                                       const char *what, const char *quantity)
{
    static const gms_compare_row_t none = {.change = -9};
    size_t i;

    for (i = 0; i < compare->row_count; ++i) {
        if (strcmp(compare->rows[i].what, what) == 0 &&
            strcmp(compare->rows[i].quantity, quantity) == 0) {
            return &compare->rows[i];
        }
    }
    return &none;
}

static void test_compare(void)
{
    static const rig_change_t changes[] = {
        {"record.json", "\"seed\": 7", "\"seed\": 8"},
        {"record.json", "\"end_ps\": 4000000000", "\"end_ps\": 5000000000"},
        {"record.json", "\"packets_arrived\":100,\"bytes_arrived\":400000",
         "\"packets_arrived\":100,\"bytes_arrived\":200000"},
        {"record.json", "[64000000,99],[80000000,1]",
         "[64000000,0],[80000000,100]"},
        {NULL, NULL, NULL}};
    gms_report_run_t *first = rig_run(NULL), *second = rig_run(changes);
    gms_compare_t compare;

    CU_ASSERT_EQUAL_FATAL(gms_compare_runs(first, first, &compare), GMS_OK);
    CHECK_U64(compare.changed, 0);
    CHECK_U64(compare.input_count, 0);
    CHECK_U64(gms_compare_above(&compare, 0), 0);
    gms_compare_free(&compare);

    CU_ASSERT_EQUAL_FATAL(gms_compare_runs(first, second, &compare), GMS_OK);
    CHECK_U64(compare.input_count, 1);
    CU_ASSERT_STRING_EQUAL(compare.inputs[0].name, "seed");
    CU_ASSERT_STRING_EQUAL(compare.inputs[0].second, "8");
    CHECK_NEAR(row_of(&compare, "run", "time")->change, 0.25, 1e-9);
    CHECK_NEAR(row_of(&compare, "flow 1 -> 2", "bandwidth")->change, -0.5,
               1e-9);
    CHECK_NEAR(row_of(&compare, "flow 1 -> 2", "p50 latency")->change, 0.25,
               1e-6);
    CU_ASSERT_EQUAL(
        row_of(&compare, "flow 0 -> 2 (video)", "bandwidth")->change, 0);
    /* In the longer run, the utilization of all links is lower by the same
     * factor. The time of the run is first, then the bandwidths follow. */
    CU_ASSERT_STRING_EQUAL(compare.rows[0].quantity, "time");
    CU_ASSERT_STRING_EQUAL(compare.rows[1].quantity, "bandwidth");
    CU_ASSERT(compare.rows[compare.changed - 1].change != 0);
    CU_ASSERT(compare.rows[compare.changed].change == 0);
    CHECK_U64(gms_compare_above(&compare, 0.3), 1);
    gms_compare_free(&compare);
    gms_report_run_destroy(first);
    gms_report_run_destroy(second);
}

/* Doubling a value and halving it are changes of the same size. The comparison
 * ignores a station (a stage of the packets' latency) whose times are almost
 * zero. */
static void test_compare_sizes(void)
{
    static const rig_change_t changes[] = {
        {"record.json", "\"packets_arrived\":100,\"bytes_arrived\":400000",
         "\"packets_arrived\":100,\"bytes_arrived\":160000"},
        {"record.json", "\"packets_arrived\":20,\"bytes_arrived\":80000",
         "\"packets_arrived\":20,\"bytes_arrived\":160000"},
        {"record.json", "\"host_ps\":1,", "\"host_ps\":9,"},
        {NULL, NULL, NULL}};
    gms_report_run_t *first = rig_run(NULL), *second = rig_run(changes);
    gms_compare_t compare;

    CU_ASSERT_EQUAL_FATAL(gms_compare_runs(first, second, &compare), GMS_OK);
    CHECK_U64(compare.changed, 2);
    /* this flow has the largest change: its bandwidth is divided by 2.5 */
    CU_ASSERT_STRING_EQUAL(compare.rows[0].what, "flow 1 -> 2");
    CU_ASSERT_STRING_EQUAL(compare.rows[1].what, "flow 0 -> 2 (video)");
    gms_compare_free(&compare);
    gms_report_run_destroy(first);
    gms_report_run_destroy(second);
}

/* Flows are matched by their ranks, regardless of the hosts of these ranks. A
 * flow that occurs in only one run is shown as new or missing. */
static void test_compare_flows(void)
{
    static const rig_change_t without[] = {{"record.json",
                                            "\"label\":31,\"counters\"",
                                            "\"label\":30,\"counters\""},
                                           {NULL, NULL, NULL}};
    gms_report_run_t *first = rig_run(NULL), *second = rig_run(without);
    gms_compare_t compare;

    CU_ASSERT_EQUAL_FATAL(gms_compare_runs(first, second, &compare), GMS_OK);
    CHECK_NEAR(row_of(&compare, "flow 0 -> 2 (video)", "bandwidth")->change, -1,
               1e-9);
    CU_ASSERT(isinf(row_of(&compare, "flow 0 -> 2", "bandwidth")->change));
    gms_compare_free(&compare);
    gms_report_run_destroy(first);
    gms_report_run_destroy(second);
}

/* The displayed values are complete: the bytes of the listed flows and of all
 * other flows add up to all bytes sent, in each time interval and in total. */
static void test_adds_up(void)
{
    static const rig_change_t two[] = {
        {"record.json", "\"bytes_sent\":80000", "\"bytes_sent\":20"},
        IN_EACH_WINDOW("[2,20000,5,20000,", "[2,5,5,20000,"),
        {NULL, NULL, NULL}};
    gms_report_run_t *run = rig_run(two);
    json_t *data = gms_report_data(run);
    const json_t *flows = json_object_get(data, "flows");
    const json_t *others = json_object_get(data, "others"), *flow;
    const json_t *times = json_object_get(data, "times_ps");
    double all = json_number_value(json_object_get(others, "bytes"));
    size_t i, k;

    json_array_foreach(flows, k, flow)
    {
        all += json_number_value(json_object_get(flow, "bytes"));
    }
    CHECK_NEAR(all, 400020, 0);
    for (i = 0; i < json_array_size(times); ++i) {
        double sum = json_number_value(
            json_array_get(json_object_get(others, "sent_bytes_s"), i));

        json_array_foreach(flows, k, flow)
        {
            sum += json_number_value(
                json_array_get(json_object_get(flow, "sent_bytes_s"), i));
        }
        CHECK_NEAR(sum, (100000 + 5) * 1e3, 1e-6);
    }
    json_decref(data);
    gms_report_run_destroy(run);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"listed flows and other flows add up to the total", test_adds_up},
        {"numbers", test_numbers},
        {"names", test_names},
        {"lost bandwidth", test_lost},
        {"lost bandwidth of a flow is limited by other flows",
         test_lost_of_a_run},
        {"buckets", test_buckets},
        {"data of the page", test_data},
        {"sentences", test_sentences},
        {"range of the lost bandwidth", test_range},
        {"a reservation that missed its bandwidth", test_not_reached},
        {"a reservation in bytes of the program's data", test_payload},
        {"reservations that limit or miss their traffic", test_causes},
        {"blocked packets and congestion control", test_congestion},
        {"bandwidth in the period of a flow", test_period},
        {"resends", test_resends},
        {"hosts", test_hosts},
        {"the data of a killed run", test_data_of_a_killed_run},
        {"comparison of two runs", test_compare},
        {"doubled and halved values", test_compare_sizes},
        {"flows that occur in both runs or in one run", test_compare_flows},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"report", rig_setup, rig_teardown, NULL, NULL, tests});
}
