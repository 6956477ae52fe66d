/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the names of time modes: valid and invalid names, the environment
 * variable GMSIM_TIME, and the printed form.
 */
#include "cluster/time_mode.h"

#include <string.h>

#include "engine/gate.h"
#include "unit.h"

static void accept(const char *text, uint64_t mode, uint64_t factor_ppm)
{
    uint64_t mode_is = 99, factor_is = 99;

    CHECK_U64(gms_time_parse(text, &mode_is, &factor_is), GMS_OK);
    CHECK_U64(mode_is, mode);
    CHECK_U64(factor_is, factor_ppm);
}

static void test_right(void)
{
    accept("virtual", GMS_TIME_VIRTUAL, 0);
    accept("recorded:run:1", GMS_TIME_RECORDED, 0);
    accept("measured", GMS_TIME_MEASURED, 0);
    accept("wall", GMS_TIME_WALL, 0);
    accept("measured:1", GMS_TIME_MEASURED, 1000000);
    accept("measured:2.5", GMS_TIME_MEASURED, 2500000);
    accept("wall:0.25", GMS_TIME_WALL, 250000);
    accept("wall:.5", GMS_TIME_WALL, 500000);
    accept("wall:0.000001", GMS_TIME_WALL, 1);
    accept("wall:1000000", GMS_TIME_WALL, UINT64_C(1000000000000));
    accept("wall:1.5000000", GMS_TIME_WALL, 1500000);
}

static void test_wrong(void)
{
    static const char *const wrong[] = {
        "",
        "Virtual",
        "virtual:1",
        "virtual:",
        "mesured",
        "measured:",
        "measured:0",
        "measured:0.0000001",
        "measured:1.0000001",
        "measured:-1",
        "measured:+1",
        "measured:1e3",
        "measured:1 ",
        "measured: 1",
        "measured:1:2",
        "wall:1000000.1",
        "wall:1000001",
        "wall:x",
        "wall:1,5",
        "wall:1.2.3",
        "wall:.",
        "wal",
        "walls",
        "recorded",
        "recorded:",
        "recorder:run",
        ":1",
        "wall:99999999999999999999999999999999999999999",
    };
    size_t i;

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        uint64_t mode = 77, factor_ppm = 78;

        if (gms_time_parse(wrong[i], &mode, &factor_ppm) != GMS_ERR_CONFIG) {
            printf("\n    '%s' is accepted\n", wrong[i]);
            CU_FAIL("an invalid value is accepted");
        }
        CHECK_U64(mode, 77);
        CHECK_U64(factor_ppm, 78);
    }
}

static void test_environment(void)
{
    char error[GMS_TIME_ERROR_LEN] = "";
    gms_params_t params;

    gms_params_init(&params);
    CHECK_U64(params.time, GMS_TIME_VIRTUAL);
    params.time = GMS_TIME_WALL;
    params.time_factor_ppm = 5;
    CHECK_U64(gms_time_replace(NULL, &params, error), GMS_OK);
    CHECK_U64(gms_time_replace("", &params, error), GMS_OK);
    CHECK_U64(params.time, GMS_TIME_WALL);
    CHECK_U64(params.time_factor_ppm, 5);
    CHECK_U64(gms_time_replace("measured", &params, error), GMS_OK);
    CHECK_U64(params.time, GMS_TIME_MEASURED);
    CHECK_U64(params.time_factor_ppm, 1000000);
    CHECK_U64(gms_time_replace("measured:3", &params, error), GMS_OK);
    CHECK_U64(params.time_factor_ppm, 3000000);
    CHECK_U64(gms_time_replace("fast", &params, error), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(
        error, "environment variable GMSIM_TIME: value 'fast' is unknown; "
               "allowed: virtual, measured[:FACTOR], wall[:FACTOR], where "
               "FACTOR is 0.000001 to 1000000 with at most 6 decimals; or "
               "recorded:RECORD");
    CHECK_U64(params.time, GMS_TIME_MEASURED);
}

static void test_text(void)
{
    static const struct {
        uint64_t time, factor_ppm;
        const char *text;
    } rows[] = {
        {GMS_TIME_VIRTUAL, 2500000, "virtual"},
        {GMS_TIME_MEASURED, 2500000, "measured:2.5"},
        {GMS_TIME_MEASURED, 1000000, "measured:1"},
        {GMS_TIME_WALL, 10000000, "wall:10"},
        {GMS_TIME_WALL, 1, "wall:0.000001"},
        {GMS_TIME_WALL, UINT64_C(1000000000000), "wall:1000000"},
    };
    char text[GMS_TIME_TEXT_LEN];
    gms_params_t params;
    size_t i;

    gms_params_init(&params);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        params.time = rows[i].time;
        params.time_factor_ppm = rows[i].factor_ppm;
        CU_ASSERT_STRING_EQUAL(gms_time_text(&params, text), rows[i].text);
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"valid names", test_right},
        {"invalid names", test_wrong},
        {"environment variable", test_environment},
        {"printed form", test_text},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"time_mode", NULL, NULL, NULL, NULL, tests});
}
