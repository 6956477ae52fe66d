/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 8 and figure 4 of Cherukuri et al.: utilisation of the three stations,
 * computed by the queueing network analyser at the paper's six arrival rates.
 */
#include "experiments/nic.h"
#include "experiments/nic_card.h"

static gms_status_t gms_nic_8_run(gms_lab_t *lab)
{
    static const char *const names[] = {"utilisation lanai", "utilisation hdma",
                                        "utilisation nsdma"};
    static const char *const curves[] = {"LANai", "HDMA", "NSDMA"};
    char setting[GMS_LAB_NAME_LEN];
    unsigned i, j;

    for (i = 0; i < GMS_NIC_CARD_RATES; ++i) {
        double rate = gms_nic_card_rates[i];
        gms_model_result_t *result =
            gms_nic_card_solve(lab, rate, GMS_MODEL_PAPER);

        if (result == NULL) {
            return GMS_ERR_INVALID_PARAM;
        }
        for (j = 0; j < 3; ++j) {
            gms_lab_row(lab, "analysis", gms_nic_card_setting(rate, setting),
                        names[j], result->station[j].utilisation, "1");
            gms_lab_point(lab, curves[j], rate, result->station[j].utilisation,
                          NULL);
        }
        gms_model_result_destroy(result);
    }
    return GMS_OK;
}

static const gms_figure_t gms_nic_8_figure = {
    .x_label = "Arrival rate (doorbells per us)",
    .y_label = "Utilisation",
    .y_max = 1,
};

const gms_experiment_t gms_nic_8 = {
    .name = "nic-8",
    .title = "Utilisations, computed by the queueing network analyser",
    .source = "Cherukuri et al., table 8 and figure 4",
    .text = "The host DMA is the bottleneck at every rate. LANai's utilisation "
            "is about a quarter too low, because the analysis uses the printed "
            "estimate that data are present with probability 0.5 when NSDMA is "
            "idle.",
    .run = gms_nic_8_run,
    .figure = &gms_nic_8_figure,
};
