/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 4 of Cherukuri et al.: mean lengths of the three queues that the LANai
 * polls (doorbells, descriptors, data), from simulation 2 of the paper.
 */
#include "experiments/nic.h"
#include "experiments/nic_card.h"

#define GMS_NIC_4_MESSAGES 480000

static gms_status_t gms_nic_4_run(gms_lab_t *lab)
{
    static const char *const names[] = {"mean queue length doorbell",
                                        "mean queue length descriptor",
                                        "mean queue length data"};
    char setting[GMS_LAB_NAME_LEN];
    unsigned i, r;

    gms_lab_note(lab,
                 "LANai takes one message from a queue at a time. A message "
                 "that arrives at an idle LANai is served immediately, and "
                 "LANai then continues polling from its last position.");
    for (i = 0; i < GMS_NIC_CARD_RATES; ++i) {
        double rate = gms_nic_card_rates[i];
        gms_model_sim_result_t *result =
            gms_nic_card_simulate(lab, rate, 2, GMS_NIC_4_MESSAGES);

        if (result == NULL) {
            return GMS_ERR_INVALID_PARAM;
        }
        for (r = 0; r < 3; ++r) {
            gms_lab_row(lab, "simulation 2",
                        gms_nic_card_setting(rate, setting), names[r],
                        result->queue[r].mean, "1");
        }
        gms_model_sim_result_destroy(result);
        gms_lab_progress(lab, (i + 1.0) / GMS_NIC_CARD_RATES);
    }
    return GMS_OK;
}

const gms_experiment_t gms_nic_4 = {
    .name = "nic-4",
    .title = "The three queues that LANai polls",
    .source = "Cherukuri et al., table 4",
    .text =
        "In simulation 2, LANai polls doorbells, descriptors and data in turn. "
        "The paper's rules allow several interpretations, whose results differ "
        "most in the lengths of LANai's queues. doc/nic-model.md explains "
        "which interpretation reproduces the numbers.",
    .run = gms_nic_4_run,
};
