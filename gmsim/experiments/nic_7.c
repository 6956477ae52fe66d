/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 7 of Cherukuri et al.: mean queue length at LANai in both simulations.
 * For simulation 2, the length is the sum over the three queues.
 */
#include "experiments/nic.h"
#include "experiments/nic_card.h"

#define GMS_NIC_7_MESSAGES 480000

static gms_model_estimate_t
gms_nic_7_value(const gms_model_sim_result_t *result, unsigned which)
{
    (void)which;
    return result->station[GMS_MODEL_LANAI].queue;
}

static gms_status_t gms_nic_7_run(gms_lab_t *lab)
{
    static const char *const names[] = {"mean queue length lanai", NULL};

    return gms_nic_card_table(lab, GMS_NIC_7_MESSAGES, GMS_NIC_7_MESSAGES,
                              gms_nic_7_value, names, " (sum of 3)");
}

const gms_experiment_t gms_nic_7 = {
    .name = "nic-7",
    .title = "Queue length at LANai in both simulations",
    .source = "Cherukuri et al., table 7",
    .text = "Polling slightly reduces the total length of LANai's queues. "
            "After a doorbell, whose service is long, LANai first serves the "
            "descriptor and the data, whose service is shorter.",
    .run = gms_nic_7_run,
};
