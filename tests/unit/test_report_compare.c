/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the comparison of two hand-written records.
 */
#include "report_rig.h"

#include <math.h>
#include <string.h>

#include "report/compare.h"

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

int main(void)
{
    CU_TestInfo tests[] = {
        {"comparison of two runs", test_compare},
        {"doubled and halved values", test_compare_sizes},
        {"flows that occur in both runs or in one run", test_compare_flows},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"report_compare", rig_setup, rig_teardown, NULL, NULL, tests});
}
