/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 9 and section 5 of Cherukuri et al.: errors of three analyses relative
 * to simulation 2. The experiment compares the queue lengths at LANai and at
 * the host DMA, and the utilisation of LANai.
 */
#include <math.h>

#include "experiments/nic.h"
#include "experiments/nic_card.h"

#define GMS_NIC_9_MESSAGES 3000000
/* number of compared analyses, which are `paper', `qna' and `revisit'; the
 * program nic-errors measures the method `chain' */
#define GMS_NIC_9_METHODS ((unsigned)GMS_MODEL_REVISIT + 1)

/** Errors of the analyses relative to simulation 2, as means over the rates, in
 *  percent. */
typedef struct gms_nic_9_errors {
    double queue[GMS_NIC_9_METHODS], lanai[GMS_NIC_9_METHODS];
} gms_nic_9_errors_t;

static gms_status_t gms_nic_9_rate(gms_lab_t *lab, double rate,
                                   gms_nic_9_errors_t *errors)
{
    gms_model_sim_result_t *truth =
        gms_nic_card_simulate(lab, rate, 2, GMS_NIC_9_MESSAGES);
    char setting[GMS_LAB_NAME_LEN];
    unsigned method;

    if (truth == NULL) {
        return GMS_ERR_INVALID_PARAM;
    }
    gms_nic_card_setting(rate, setting);
    gms_lab_row(lab, "simulation 2", setting, "mean queue length lanai",
                truth->station[GMS_MODEL_LANAI].queue.mean, "1");
    for (method = 0; method < GMS_NIC_9_METHODS; ++method) {
        gms_model_result_t *result =
            gms_nic_card_solve(lab, rate, (gms_model_method_t)method);

        if (result == NULL) {
            gms_model_sim_result_destroy(truth);
            return GMS_ERR_INVALID_PARAM;
        }
        gms_lab_row(lab, gms_model_method_names[method], setting,
                    "mean queue length lanai",
                    result->station[GMS_MODEL_LANAI].queue, "1");
        errors->queue[method] +=
            100 / (double)GMS_NIC_CARD_RATES *
            fabs(result->station[GMS_MODEL_HDMA].queue /
                     truth->station[GMS_MODEL_HDMA].queue.mean -
                 1);
        errors->lanai[method] +=
            100 / (double)GMS_NIC_CARD_RATES *
            fabs(result->station[GMS_MODEL_LANAI].utilisation /
                     truth->station[GMS_MODEL_LANAI].utilisation.mean -
                 1);
        gms_model_result_destroy(result);
    }
    gms_model_sim_result_destroy(truth);
    return GMS_OK;
}

static gms_status_t gms_nic_9_run(gms_lab_t *lab)
{
    gms_nic_9_errors_t errors = {{0}, {0}};
    unsigned i, method;

    for (i = 0; i < GMS_NIC_CARD_RATES; ++i) {
        gms_status_t status =
            gms_nic_9_rate(lab, gms_nic_card_rates[i], &errors);

        if (status != GMS_OK) {
            return status;
        }
        gms_lab_progress(lab, (i + 1.0) / GMS_NIC_CARD_RATES);
    }
    for (method = 0; method < GMS_NIC_9_METHODS; ++method) {
        const char *name = gms_model_method_names[method];

        if (method == GMS_MODEL_REVISIT) {
            gms_lab_check(
                lab, name, "mean of 6 rates", "error of mean queue length hdma",
                errors.queue[method], "percent", GMS_ROW_AT_MOST, 3, 0);
            gms_lab_check(lab, name, "mean of 6 rates",
                          "error of utilisation lanai", errors.lanai[method],
                          "percent", GMS_ROW_AT_MOST, 2, 0);
        } else {
            gms_lab_row(lab, name, "mean of 6 rates",
                        "error of mean queue length hdma", errors.queue[method],
                        "percent");
            gms_lab_row(lab, name, "mean of 6 rates",
                        "error of utilisation lanai", errors.lanai[method],
                        "percent");
        }
    }
    return GMS_OK;
}

const gms_experiment_t gms_nic_9 = {
    .name = "nic-9",
    .title = "Errors of the analyses relative to the simulation",
    .source = "Cherukuri et al., table 9 and section 5",
    .text = "This experiment computes the length of LANai's queue with three "
            "analyses and with simulation 2. The experiment also computes the "
            "mean errors of the host DMA's queue and of LANai's utilisation. "
            "The three analyses are the printed equations, the same equations "
            "iterated to their fixed point, and a method that tracks every "
            "message returning to a queue.",
    .run = gms_nic_9_run,
};
