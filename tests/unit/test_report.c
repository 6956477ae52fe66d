/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the texts and the data of reports on hand-written records.
 */
#include "report_rig.h"

#include <string.h>

#include "report/data.h"
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

static void test_data(void)
{
    gms_report_run_t *run = rig_run(NULL);
    json_t *data = gms_report_data(run), *flow, *link, *reserved, *latency;
    unsigned i;

    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CHECK_U64(json_array_size(json_object_get(data, "times_ps")), 4);
    CHECK_U64(json_array_size(json_object_get(data, "flows")), 2);
    flow = json_array_get(json_object_get(data, "flows"), 0);
    CHECK_U64(rig_int(flow, "flow"), 1);
    CHECK_U64(rig_int(flow, "mean_bytes_s"), 100000000);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(flow, "class")),
                           "unregulated");
    CU_ASSERT_TRUE(json_is_null(json_object_get(flow, "reserved")));
    latency = json_object_get(flow, "latency");
    /* 99 of 100 latencies are in the bin from 64 to 80 us, and the report shows
     * the middle of this bin */
    CHECK_NEAR((double)rig_int(latency, "p50_ps"), 71554175, 1e-6);
    CHECK_NEAR((double)rig_int(latency, "p99_ps"), 71554175, 1e-6);
    CHECK_U64(rig_int(latency, "max_ps"), 100000000);
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
    CHECK_U64(
        rig_int(json_array_get(json_object_get(link, "flows"), 0), "flow"), 1);
    CHECK_U64(json_integer_value(json_array_get(
                  json_array_get(json_object_get(data, "matrix"), 1), 2)),
              400000);
    /* The positions themselves are tested in test_drawing.c. */
    for (i = 0; i < 3; ++i) {
        const json_t *node = json_array_get(
            json_object_get(json_object_get(data, "topology"), "nodes"), i);

        CHECK_U64(rig_int(node, "x"), 330 + 190 * i);
        CHECK_U64(rig_int(node, "y"), 133);
    }
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
        if (rig_int(flow, "flow") == 2) {
            CHECK_U64(rig_int(flow, "mean_bytes_s"), 79000000);
        }
    }
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
    CHECK_U64(rig_int(flow, "mean_bytes_s"), 100000000);
    CU_ASSERT_TRUE(json_is_null(json_object_get(flow, "times")));
    CU_ASSERT_TRUE(json_is_null(json_object_get(flow, "latency")));
    CU_ASSERT(rig_finding(data, "Port 2")[0] != '\0');
    json_decref(data);
    gms_report_run_destroy(run);
}

/* The displayed values are complete: the bytes of the listed flows and of all
 * other flows add up to all bytes sent, in each time interval and in total. */
static void test_adds_up(void)
{
    static const rig_change_t two[] = {
        {"record.json", "\"bytes_sent\":80000", "\"bytes_sent\":20"},
        RIG_IN_EACH_WINDOW("[2,20000,5,20000,", "[2,5,5,20000,"),
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
        {"numbers", test_numbers},
        {"names", test_names},
        {"buckets", test_buckets},
        {"data of the page", test_data},
        {"bandwidth in the period of a flow", test_period},
        {"a reservation in bytes of the program's data", test_payload},
        {"the data of a killed run", test_data_of_a_killed_run},
        {"listed flows and other flows add up to the total", test_adds_up},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"report", rig_setup, rig_teardown, NULL, NULL, tests});
}
