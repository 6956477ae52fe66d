/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 5 of Cherukuri et al.: utilisation of LANai and of both DMA engines in
 * simulation 1 (one queue at LANai) and simulation 2 (three polled queues).
 */
#include "experiments/nic.h"
#include "experiments/nic_card.h"

#define GMS_NIC_5_MESSAGES 480000

static gms_model_estimate_t
gms_nic_5_value(const gms_model_sim_result_t *result, unsigned which)
{
    return result->station[which].utilisation;
}

static gms_status_t gms_nic_5_run(gms_lab_t *lab)
{
    static const char *const names[] = {"utilisation lanai", "utilisation hdma",
                                        "utilisation nsdma", NULL};

    gms_lab_note(
        lab, "LANai skips a data message while NSDMA is busy. If LANai has no "
             "other message, it waits for NSDMA, at most until another message "
             "arrives. LANai's busy time includes the wait for NSDMA.");
    return gms_nic_card_table(lab, GMS_NIC_5_MESSAGES, GMS_NIC_5_MESSAGES,
                              gms_nic_5_value, names, "");
}

const gms_experiment_t gms_nic_5 = {
    .name = "nic-5",
    .title = "Utilisations in both simulations",
    .source = "Cherukuri et al., table 5",
    .text =
        "The utilisations of the DMA engines are the same whether LANai has "
        "one queue or polls three queues. LANai's utilisation is slightly "
        "lower with polling, because LANai spends less time waiting for NSDMA.",
    .run = gms_nic_5_run,
};
