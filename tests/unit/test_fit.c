/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the search of gmsim fit with formulas instead of simulations. The
 * search must find known values and limits, respect bounds, and report
 * combinations of parameters that the times do not determine.
 */
#include <string.h>

#include "fit/confidence.h"
#include "fit/free.h"
#include "fit/solve.h"
#include "params/profile.h"
#include "unit.h"

#define SIZES 20u

static gms_fit_table_t table;
static gms_fit_frees_t frees;
static gms_params_t base;
static gms_fit_solution_t solution;
static gms_fit_confidence_t confidence;
static unsigned calls;
static uint64_t header; /* number of bytes that count towards the eager limit in
                           addition to the message */

/** Time of a message in us: two latencies that occur only as a sum, a time per
 *  byte, and a copy of messages up to a limit. Arguments that are not free keep
 *  their value from the base. */
static double time_us(const gms_params_t *params, uint64_t bytes)
{
    double ps = (double)params->mpi_overhead_ps +
                2 * (double)params->host_send_ps +
                (double)bytes * 1e12 / (double)params->link_bytes_s;

    if (bytes + header <= params->mpi_eager_bytes) {
        ps += (double)bytes * (double)params->mpi_copy_ps_per_byte;
    } else {
        ps += 5e6;
    }
    return ps / 1e6;
}

static gms_status_t evaluate(void *context, const uint64_t *values,
                             size_t points, double *us)
{
    size_t point, i, row;

    (void)context;
    ++calls;
    for (point = 0; point < points; ++point) {
        gms_params_t params = base;

        for (i = 0; i < frees.count; ++i) {
            uint64_t value = values[point * frees.count + i];

            CU_ASSERT_TRUE(value >= frees.list[i].low);
            CU_ASSERT_TRUE(value <= frees.list[i].high);
            gms_param_set(&params, frees.list[i].row, value);
        }
        for (row = 0; row < table.count; ++row) {
            us[point * table.count + row] =
                time_us(&params, table.rows[row].bytes);
        }
    }
    return GMS_OK;
}

static gms_status_t fail(void *context, const uint64_t *values, size_t points,
                         double *us)
{
    (void)context;
    (void)values;
    (void)points;
    (void)us;
    return GMS_ERR_BUSY;
}

static void must_add(const char *text)
{
    char error[GMS_FIT_FREE_ERROR_LEN] = "";

    CHECK_U64(gms_fit_free_add(&frees, text, &base, error), GMS_OK);
}

/** Create the times of a network whose values differ from those in the base.
 *  @param [in] noise  relative noise, with alternating signs */
static void measure(const gms_params_t *truth, double noise)
{
    size_t i;

    memset(&table, 0, sizeof(table));
    for (i = 0; i < SIZES; ++i) {
        table.rows[i].bytes = UINT64_C(1) << i;
        table.rows[i].us = time_us(truth, table.rows[i].bytes) *
                           (1 + ((i % 3 == 0) - (i % 3 == 1)) * noise);
    }
    table.count = SIZES;
}

static void begin(void)
{
    gms_profile_init(gms_profile_find("myrinet2000"), &base);
    memset(&frees, 0, sizeof(frees));
    calls = 0;
    header = 0;
}

static gms_fit_problem_t problem(void)
{
    return (gms_fit_problem_t){
        .table = &table, .frees = &frees, .base = &base, .evaluate = evaluate};
}

static void fit(void)
{
    gms_fit_problem_t one = problem();

    CHECK_U64(gms_fit_solve(&one, &solution), GMS_OK);
    gms_fit_confidence(&one, &solution, &confidence);
}

/* ---- search ---- */

static void test_known_values_are_found(void)
{
    gms_params_t truth;

    begin();
    truth = base;
    truth.mpi_overhead_ps = 700000;
    truth.link_bytes_s = 400000000;
    truth.mpi_copy_ps_per_byte = 437;
    truth.mpi_eager_bytes = 4096;
    base.mpi_eager_bytes = 16000;
    measure(&truth, 0);
    must_add("mpi_overhead_ps");
    must_add("link_bytes_s");
    must_add("mpi_copy_ps_per_byte");
    must_add("mpi_eager_bytes");
    fit();
    CHECK_NEAR((double)solution.values[0], 700000, 0.002);
    CHECK_NEAR((double)solution.values[1], 400000000, 0.002);
    CHECK_U64(solution.values[2], 437);
    /* all limits from 4096 to 8191 have the same effect */
    CHECK_U64(solution.values[3], 8191);
    CU_ASSERT_TRUE(solution.squares < 1e-6);
    CHECK_U64(confidence.groups, 0);
}

/* The current limit is one of the sizes in the table. Because of its header, a
 * message of this size exceeds the limit. */
static void test_a_limit_that_counts_a_header(void)
{
    gms_params_t truth;

    begin();
    header = 30;
    truth = base;
    truth.mpi_copy_ps_per_byte = 300;
    truth.mpi_eager_bytes = 2047;
    base.mpi_eager_bytes = 1024;
    measure(&truth, 0);
    must_add("mpi_copy_ps_per_byte");
    must_add("mpi_eager_bytes");
    fit();
    CHECK_U64(solution.values[0], 300);
    CHECK_U64(solution.values[1], 2047);
    CU_ASSERT_TRUE(solution.squares < 1e-9);
}

static void test_noise_is_within_the_interval(void)
{
    gms_params_t truth;

    begin();
    truth = base;
    truth.mpi_overhead_ps = 700000;
    truth.link_bytes_s = 400000000;
    measure(&truth, 0.02);
    must_add("mpi_overhead_ps");
    must_add("link_bytes_s");
    fit();
    CHECK_U64(confidence.groups, 0);
    CU_ASSERT_TRUE(confidence.half[0] > 0 && confidence.half[0] < 0.2);
    CU_ASSERT_TRUE(confidence.half[1] > 0 && confidence.half[1] < 0.05);
    CHECK_NEAR((double)solution.values[0], 700000, confidence.half[0]);
    CHECK_NEAR((double)solution.values[1], 400000000, confidence.half[1]);
    /* two of three rows have a noise of 2 % */
    CHECK_NEAR(confidence.error, 0.02 * sqrt(2.0 / 3), 0.15);
}

static void test_bounds_hold(void)
{
    gms_params_t truth;

    begin();
    truth = base;
    truth.link_bytes_s = 1000000000;
    measure(&truth, 0);
    must_add("link_bytes_s=200000000:500000000");
    fit();
    CHECK_NEAR((double)solution.values[0], 500000000, 0.003);
}

static void test_invalid_problems(void)
{
    gms_fit_problem_t one;

    begin();
    measure(&base, 0);
    one = problem();
    CHECK_U64(gms_fit_solve(&one, &solution), GMS_ERR_INVALID_PARAM);
    must_add("link_bytes_s");
    must_add("mpi_overhead_ps");
    table.count = 1;
    CHECK_U64(gms_fit_solve(&one, &solution), GMS_ERR_INVALID_PARAM);
    CHECK_U64(calls, 0);
    table.count = SIZES;
    one.evaluate = fail;
    CHECK_U64(gms_fit_solve(&one, &solution), GMS_ERR_BUSY);
}

/* ---- confidence ---- */

static void test_a_sum_is_one_group(void)
{
    gms_params_t truth;
    double first, second;

    begin();
    truth = base;
    truth.mpi_overhead_ps = 900000;
    measure(&truth, 0);
    must_add("mpi_overhead_ps");
    must_add("link_bytes_s");
    must_add("host_send_ps");
    fit();
    CHECK_U64(confidence.groups, 1);
    CHECK_U64(confidence.size[1], 2);
    CHECK_U64(confidence.unknown[1], 1);
    CHECK_U64(confidence.group[0], 1);
    CHECK_U64(confidence.group[1], 0);
    CHECK_U64(confidence.group[2], 1);
    CU_ASSERT_TRUE(confidence.half[0] < 0 && confidence.half[2] < 0);
    CU_ASSERT_TRUE(confidence.half[1] >= 0 && confidence.half[1] < 0.05);
    /* the sum equals the sum of the true values */
    CHECK_NEAR((double)(solution.values[0] + 2 * solution.values[2]),
               900000.0 + 2 * (double)base.host_send_ps, 0.003);
    /* the reported changes do not change the sum */
    first = confidence.trade[0] * (double)solution.values[0];
    second = confidence.trade[2] * 2 * (double)solution.values[2];
    CHECK_NEAR(first, -second, 0.02);
    CHECK_NEAR(fmax(fabs(confidence.trade[0]), fabs(confidence.trade[2])), 0.1,
               1e-9);
    CU_ASSERT_TRUE(confidence.effect[1] < 0.001);
}

static void test_a_parameter_without_effect(void)
{
    begin();
    measure(&base, 0);
    must_add("link_bytes_s");
    must_add("host_callback_ps");
    fit();
    CHECK_U64(confidence.groups, 1);
    CHECK_U64(confidence.size[1], 1);
    CHECK_U64(confidence.group[1], 1);
    CHECK_U64(confidence.group[0], 0);
}

static void test_two_unknown_combinations(void)
{
    begin();
    measure(&base, 0);
    must_add("mpi_overhead_ps");
    must_add("host_send_ps");
    must_add("host_callback_ps");
    must_add("link_bytes_s");
    fit();
    /* two parameters have an effect only as a sum, and one has no effect; their
     * groups may be joined */
    CHECK_U64(confidence.group[3], 0);
    CU_ASSERT_TRUE(confidence.group[0] != 0);
    CHECK_U64(confidence.group[0], confidence.group[1]);
    CU_ASSERT_TRUE(confidence.group[2] != 0);
    CHECK_U64(confidence.unknown[1] + confidence.unknown[2], 2);
}

/* ---- free parameters ---- */

static void refuse(const char *text, const char *part)
{
    char error[GMS_FIT_FREE_ERROR_LEN] = "";

    CHECK_U64(gms_fit_free_add(&frees, text, &base, error),
              GMS_ERR_INVALID_PARAM);
    if (strstr(error, part) == NULL) {
        printf("\n    %s\n", error);
        CU_FAIL("a different message was reported");
    }
}

static void test_texts_of_free_parameters(void)
{
    begin();
    must_add("link_bytes_s=1e8:5e8");
    CHECK_U64(frees.list[0].low, 100000000);
    CHECK_U64(frees.list[0].high, 500000000);
    must_add("link_bytes_s");
    CHECK_U64(frees.count, 1);
    CHECK_U64(frees.list[0].low, 250000000 / 8);
    CHECK_U64(frees.list[0].high, 2000000000);
    must_add("mpi_eager_bytes");
    CHECK_U64(frees.list[1].is_step, 1);
    refuse("link_bytes", "did you mean 'link_bytes_s'?");
    refuse("hosts", "is a parameter of the cluster");
    refuse("link_bytes_s=1", "allowed: LOW:HIGH");
    refuse("link_bytes_s=5e8:1e8", "not less than the upper bound");
    refuse("link_bytes_s=x:1e8", "value 'x' is invalid");
    refuse("mpi_overhead_ps=0:100", "at least 1");
    refuse("mcp_rate_flow_cycles", "has the start value 0");
    CHECK_U64(frees.count, 2);
}

static void test_fixed_parameters(void)
{
    char error[GMS_FIT_FREE_ERROR_LEN] = "";
    uint64_t ratio;

    begin();
    ratio = base.qos_link_bytes_s;
    must_add("link_bytes_s");
    must_add("mpi_overhead_ps");
    CHECK_U64(gms_fit_free_fix(&frees, "link_bytes_s=125000000", &base, error),
              GMS_OK);
    CHECK_U64(frees.count, 1);
    CHECK_U64(base.link_bytes_s, 125000000);
    /* the limit on reservations follows the rate of the link */
    CHECK_NEAR((double)base.qos_link_bytes_s, (double)ratio / 2, 1e-6);
    CHECK_U64(gms_fit_free_fix(&frees, "mpi_overhead_ps", &base, error),
              GMS_ERR_INVALID_PARAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "has no value"));
    CHECK_U64(frees.count, 1);
}

static void test_default_list(void)
{
    unsigned i;

    for (i = 0; gms_profile_names[i] != NULL; ++i) {
        begin();
        gms_profile_init(gms_profile_at(i), &base);
        gms_fit_free_default(&base, &frees);
        CU_ASSERT_TRUE(frees.count >= 4);
    }
}

int main(void)
{
    CU_TestInfo search[] = {
        {"the fit finds known values", test_known_values_are_found},
        {"a message limit that includes the header",
         test_a_limit_that_counts_a_header},
        {"true values lie within the confidence interval",
         test_noise_is_within_the_interval},
        {"fitted values stay within their bounds", test_bounds_hold},
        {"invalid problems are refused", test_invalid_problems},
        {"parameters that only matter as a sum are one group",
         test_a_sum_is_one_group},
        {"a parameter without effect", test_a_parameter_without_effect},
        {"two combinations of parameters that cannot be determined",
         test_two_unknown_combinations},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo free_parameters[] = {
        {"texts", test_texts_of_free_parameters},
        {"fixed parameters", test_fixed_parameters},
        {"default list of fitted parameters", test_default_list},
        CU_TEST_INFO_NULL,
    };

    if (!gms_fit_can_solve()) {
        puts("skipped: built without cminpack");
        return 77;
    }
    return UNIT_RUN({"search", NULL, NULL, NULL, NULL, search},
                    {"free", NULL, NULL, NULL, NULL, free_parameters});
}
