/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 6 and figure 5 of Cherukuri et al.: mean queue length of the host DMA
 * engine, the bottleneck of the NIC, from both simulations and from two
 * analyses.
 */
#include "experiments/nic.h"
#include "experiments/nic_card.h"

#define GMS_NIC_6_MESSAGES         4000000
#define GMS_NIC_6_MESSAGES_IF_BUSY 48000000

static gms_model_estimate_t
gms_nic_6_value(const gms_model_sim_result_t *result, unsigned which)
{
    (void)which;
    return result->station[GMS_MODEL_HDMA].queue;
}

/** Report the curves of the analyses in figure 5. */
static gms_status_t gms_nic_6_curves(gms_lab_t *lab)
{
    static const char *const names[GMS_MODEL_METHODS] = {
        "analysis", NULL, "analysis that tracks returning messages"};
    unsigned method, i;

    for (i = 0; i < GMS_NIC_CARD_RATES; ++i) {
        for (method = 0; method < GMS_MODEL_METHODS; ++method) {
            gms_model_result_t *result;

            if (names[method] == NULL) {
                continue;
            }
            result = gms_nic_card_solve(lab, gms_nic_card_rates[i],
                                        (gms_model_method_t)method);
            if (result == NULL) {
                return GMS_ERR_INVALID_PARAM;
            }
            gms_lab_point(lab, names[method], gms_nic_card_rates[i],
                          result->station[GMS_MODEL_HDMA].queue, NULL);
            gms_model_result_destroy(result);
        }
    }
    return GMS_OK;
}

static gms_status_t gms_nic_6_run(gms_lab_t *lab)
{
    static const char *const names[] = {"mean queue length hdma", NULL};
    gms_status_t status = gms_nic_6_curves(lab);

    gms_lab_note(
        lab,
        "Each simulation processes %d million messages at rates above %g, and "
        "%d million at lower rates.",
        GMS_NIC_6_MESSAGES_IF_BUSY / 1000000, GMS_NIC_CARD_BUSY,
        GMS_NIC_6_MESSAGES / 1000000);
    return (status != GMS_OK) ? status
                              : gms_nic_card_table(lab, GMS_NIC_6_MESSAGES,
                                                   GMS_NIC_6_MESSAGES_IF_BUSY,
                                                   gms_nic_6_value, names, "");
}

static const gms_figure_t gms_nic_6_figure = {
    .x_label = "Arrival rate (doorbells per us)",
    .y_label = "Mean queue length at HDMA",
    .is_log_y = 1,
};

const gms_experiment_t gms_nic_6 = {
    .name = "nic-6",
    .title = "Queue length of the host DMA engine, the bottleneck",
    .source = "Cherukuri et al., table 6 and figure 5",
    .text =
        "The figure compares both simulations and two analyses. As the "
        "load grows, the analysis in the paper increasingly underestimates "
        "the queue length. When a descriptor returns to a queue, the queue may "
        "still contain messages that were there when the doorbell left. "
        "The printed analysis neglects this dependence. The analysis that "
        "tracks returning messages includes this effect.",
    .run = gms_nic_6_run,
    .figure = &gms_nic_6_figure,
};
