/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that nic_3.c to nic_10.c share. This code builds the model
 * of the sending NIC, selects the rules of simulation 1 or 2, and runs 16
 * replications. This code also reports a table of both simulations with
 * confidence intervals.
 */
#include "experiments/nic_card.h"

#include <stdio.h>

#include "base/student.h"

const double gms_nic_card_rates[GMS_NIC_CARD_RATES] = {
    0.00273, 0.00493, 0.00786, 0.00900, 0.01079, 0.01100};

#define GMS_NIC_CARD_REPLICATIONS 16u

gms_model_t *gms_nic_card(double rate, unsigned simulation)
{
    gms_model_t *model = gms_model_nic(rate);

    if (model != NULL && simulation == 2) {
        model->station[GMS_MODEL_LANAI].discipline = GMS_MODEL_LIMITED;
    }
    return model;
}

const char *gms_nic_card_setting(double rate, char text[GMS_LAB_NAME_LEN])
{
    (void)snprintf(text, GMS_LAB_NAME_LEN, "lambda=%.5f", rate);
    return text;
}

gms_model_result_t *gms_nic_card_solve(gms_lab_t *lab, double rate,
                                       gms_model_method_t method)
{
    char error[GMS_MODEL_ERROR_LEN] = "out of memory";
    gms_model_t *model = gms_nic_card(rate, 1);
    gms_model_result_t *result = NULL;

    if (model == NULL ||
        gms_model_solve(model, method, &result, error) != GMS_MODEL_OK) {
        (void)gms_lab_fail(lab, GMS_ERR_INVALID_PARAM, "%s", error);
    }
    gms_model_destroy(model);
    return result;
}

gms_model_sim_result_t *gms_nic_card_simulate(gms_lab_t *lab, double rate,
                                              unsigned simulation,
                                              uint64_t messages)
{
    char error[GMS_MODEL_ERROR_LEN] = "out of memory";
    gms_model_t *model = gms_nic_card(rate, simulation);
    gms_model_sim_result_t *result = NULL;
    gms_model_sim_options_t options;

    gms_model_sim_options_init(&options);
    options.replications = GMS_NIC_CARD_REPLICATIONS;
    options.messages = messages / GMS_NIC_CARD_REPLICATIONS;
    if (model == NULL ||
        gms_model_sim_run(model, &options, &result, error) != GMS_OK) {
        (void)gms_lab_fail(lab, GMS_ERR_INVALID_PARAM, "%s", error);
    }
    gms_model_destroy(model);
    return result;
}

static void gms_nic_card_rows(gms_lab_t *lab, double rate, unsigned simulation,
                              const gms_model_sim_result_t *result,
                              gms_nic_card_value_fn *value,
                              const char *const *names, const char *sum)
{
    char setting[GMS_LAB_NAME_LEN], series[GMS_LAB_NAME_LEN];
    char quantity[GMS_LAB_NAME_LEN];
    unsigned which;

    (void)snprintf(series, sizeof(series), "simulation %u", simulation);
    for (which = 0; names[which] != NULL; ++which) {
        gms_model_estimate_t estimate = value(result, which);

        (void)snprintf(quantity, sizeof(quantity), "%s%s", names[which],
                       (simulation == 2) ? sum : "");
        gms_lab_estimate(lab, series, gms_nic_card_setting(rate, setting),
                         quantity, estimate.mean, "1",
                         estimate.half_width /
                             gms_student_95(GMS_NIC_CARD_REPLICATIONS - 2));
        gms_lab_point(lab, series, rate, estimate.mean, NULL);
    }
}

gms_status_t gms_nic_card_table(gms_lab_t *lab, uint64_t messages,
                                uint64_t messages_if_busy,
                                gms_nic_card_value_fn *value,
                                const char *const *names, const char *sum)
{
    unsigned simulation, i;

    for (simulation = 1; simulation <= 2; ++simulation) {
        for (i = 0; i < GMS_NIC_CARD_RATES; ++i) {
            double rate = gms_nic_card_rates[i];
            gms_model_sim_result_t *result = gms_nic_card_simulate(
                lab, rate, simulation,
                rate > GMS_NIC_CARD_BUSY ? messages_if_busy : messages);

            if (result == NULL) {
                return GMS_ERR_INVALID_PARAM;
            }
            gms_nic_card_rows(lab, rate, simulation, result, value, names, sum);
            gms_model_sim_result_destroy(result);
            gms_lab_progress(
                lab, (simulation - 1 + (i + 1.0) / GMS_NIC_CARD_RATES) / 2);
        }
    }
    return GMS_OK;
}
