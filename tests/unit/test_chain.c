/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the method chain: cases that can be computed by hand, properties of
 * every solution, and networks that the method refuses.
 */
#include <string.h>

#include "analytic/sim.h"
#include "model_rig.h"

static char error[GMS_MODEL_ERROR_LEN];

static gms_model_result_t *solved(const gms_model_t *model)
{
    gms_model_result_t *result = NULL;

    if (gms_model_solve(model, GMS_MODEL_CHAIN, &result, error) !=
        GMS_MODEL_OK) {
        printf("\n    %s\n", error);
        abort();
    }
    return result;
}

static void set_mean(gms_model_t *model, unsigned station, unsigned class_index,
                     double mean)
{
    gms_model_at(model, station, class_index)->mean = mean;
}

/* Create a sending NIC with these times. */
static gms_model_t *nic(double rate, double doorbell, double program,
                        double fetch_descriptor, double fetch_data, double send)
{
    gms_model_t *model = gms_model_nic(rate);

    model->station[GMS_MODEL_LANAI].discipline = GMS_MODEL_LIMITED;
    set_mean(model, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL, doorbell);
    set_mean(model, GMS_MODEL_LANAI, GMS_MODEL_DESCRIPTOR, 1e-6);
    set_mean(model, GMS_MODEL_LANAI, GMS_MODEL_DATA, program);
    set_mean(model, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL, fetch_descriptor);
    set_mean(model, GMS_MODEL_HDMA, GMS_MODEL_DESCRIPTOR, fetch_data);
    set_mean(model, GMS_MODEL_NSDMA, GMS_MODEL_DATA, send);
    return model;
}

static const gms_model_at_visit_t *at(const gms_model_result_t *result,
                                      unsigned station, unsigned class_index)
{
    return &result->visit[station * result->classes + class_index];
}

/** LANai needs no time, so the host DMA is one queue to which every message
 * returns at once. With rate 0.15 and times 1 and 3, equation (a) is 0.6 W1 +
 * 0.45 W2 = 1.8, and equation (b) is W2 = 0.6 (W1 + 1). */
static void test_no_processor_time(void)
{
    gms_model_t *model = nic(0.15, 1e-6, 1e-6, 1, 3, 0.5);
    gms_model_result_t *result = solved(model);

    CHECK_NEAR(at(result, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL)->wait,
               1.53 / 0.87, 1e-4);
    CHECK_NEAR(at(result, GMS_MODEL_HDMA, GMS_MODEL_DESCRIPTOR)->wait,
               0.6 * (1.53 / 0.87 + 1), 1e-4);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** The host DMA is fast, so LANai is M/D/1 with doorbells of 1: the wait is rho
 * / (1 - rho) / 2. The distance between doorbells that leave LANai is at least
 * 1, so they do not wait at the host DMA. */
static void test_processor_alone(void)
{
    static const double loads[] = {0.2, 0.4, 0.6};
    unsigned i;

    for (i = 0; i < 3; ++i) {
        gms_model_t *model = nic(loads[i], 1, 1e-6, 0.03, 0.03, 0.03);
        gms_model_result_t *result = solved(model);
        double wait = loads[i] / (1 - loads[i]) / 2;

        CHECK_NEAR(at(result, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL)->wait, wait,
                   0.03);
        CU_ASSERT(at(result, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL)->wait < 0.02);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

/** The distance between arrivals of data is at least 5, and programming and
 * sending take 3. Therefore, data never wait for NSDMA. Data are present while
 * NSDMA is idle only during programming: rate * 1 / (1 - rate * 2). */
static void test_scenario_2(void)
{
    gms_model_t *model = nic(0.1, 1e-6, 1, 1, 5, 2);
    gms_model_result_t *result = solved(model);

    CHECK_NEAR(at(result, GMS_MODEL_LANAI, GMS_MODEL_DATA)->present, 0.1 / 0.8,
               0.01);
    CU_ASSERT(result->station[GMS_MODEL_LANAI].waiting_share < 1e-3);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

static const gms_model_discipline_t policies[] = {
    GMS_MODEL_FCFS, GMS_MODEL_LIMITED, GMS_MODEL_GATED, GMS_MODEL_EXHAUSTIVE,
    GMS_MODEL_PRIORITY};

/** Every solution obeys the utilisation law and Little's law. */
static void test_properties(void)
{
    unsigned p, i;

    for (p = 0; p < 2; ++p) {
        gms_model_t *model = gms_model_nic(0.008);
        gms_model_result_t *result;
        double all = 0;

        model->station[GMS_MODEL_LANAI].discipline = policies[p];
        result = solved(model);
        for (i = 0; i < 3; ++i) {
            const gms_model_at_station_t *station = &result->station[i];

            CHECK_NEAR(station->queue, station->rate * station->wait, 1e-9);
            all += station->number;
        }
        CHECK_NEAR(result->station[GMS_MODEL_HDMA].utilisation, 0.008 * 89.3154,
                   1e-9);
        CHECK_NEAR(result->station[GMS_MODEL_LANAI].utilisation -
                       result->station[GMS_MODEL_LANAI].waiting_share,
                   0.008 * 32.12, 1e-9);
        /* check Little's law for the NIC; a held message is not in a queue */
        CHECK_NEAR(all + result->station[GMS_MODEL_LANAI].waiting_share,
                   0.008 * result->delay[0], 1e-9);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

/** The analysis must predict the simulated queue lengths at the LANai under every policy.
 * The simulation's confidence intervals are smaller than 1 %. */
static void test_policies(void)
{
    gms_model_sim_options_t options;
    unsigned p, i;

    gms_model_sim_options_init(&options);
    options.messages /= 2;
    /* the analysis only approximates the order of arrival, see
     * doc/nic-model.md */
    for (p = 1; p < 5; ++p) {
        gms_model_t *model = gms_model_nic(0.009);
        gms_model_sim_result_t *truth = NULL;
        gms_model_result_t *result;

        model->station[GMS_MODEL_LANAI].discipline = policies[p];
        model->station[GMS_MODEL_LANAI].limit = 2;
        result = solved(model);
        CU_ASSERT_EQUAL_FATAL(gms_model_sim_run(model, &options, &truth, error),
                              GMS_OK);
        for (i = 0; i < 3; ++i) {
            CHECK_NEAR(result->visit[i].queue, truth->queue[i].mean, 0.04);
        }
        CHECK_NEAR(at(result, GMS_MODEL_LANAI, GMS_MODEL_DATA)->present,
                   truth->present[GMS_MODEL_DATA].mean, 0.005);
        gms_model_sim_result_destroy(truth);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

static void check_refused(gms_model_t *model, const char *text)
{
    gms_model_result_t *result = NULL;

    CU_ASSERT_EQUAL(gms_model_solve(model, GMS_MODEL_CHAIN, &result, error),
                    GMS_MODEL_INVALID);
    if (strstr(error, text) == NULL) {
        printf("\n    '%s' is not in '%s'\n", text, error);
        CU_FAIL("error text");
    }
    gms_model_destroy(model);
}

static void test_refused(void)
{
    gms_model_t *model = gms_model_nic(0.009);

    gms_model_at(model, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL)->scv = 1;
    check_refused(model, "station 'hdma': service times must be constant");
    model = gms_model_nic(0.009);
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL)->rate_scv = 2;
    check_refused(model, "station 'lanai': arrivals must be Poisson");
    model = gms_model_nic(0.009);
    model->station[GMS_MODEL_HDMA].servers = 2;
    check_refused(model, "station 'hdma': there must be one server");
    model = gms_model_nic(0.009);
    model->station[GMS_MODEL_HDMA].discipline = GMS_MODEL_PRIORITY;
    check_refused(model, "station 'hdma': its policy must be fcfs");
    check_refused(gms_model_nic_both(0.002, 0.002),
                  "may program only one station");
    check_refused(single(0.5, 1, 0, 1), "must send messages to a DMA engine");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"LANai without work", test_no_processor_time},
        {"LANai alone", test_processor_alone},
        {"probability of scenario 2", test_scenario_2},
        {"utilisation law and Little's law", test_properties},
        {"policies as in the simulation", test_policies},
        {"networks that are refused", test_refused},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"chain", NULL, NULL, NULL, NULL, tests});
}
