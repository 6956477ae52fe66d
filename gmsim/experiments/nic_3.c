/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 3 of Cherukuri et al.: mean queue lengths at the LANai, the host DMA
 * and the network-send DMA at the paper's six arrival rates. The queueing
 * network analyser computes these lengths, without a simulation.
 */
#include "experiments/nic.h"
#include "experiments/nic_card.h"

static void gms_nic_3_rows(gms_lab_t *lab, double rate,
                           const gms_model_result_t *result)
{
    static const char *const names[] = {"mean queue length lanai",
                                        "mean queue length hdma",
                                        "mean queue length nsdma"};
    char setting[GMS_LAB_NAME_LEN];
    unsigned i;

    for (i = 0; i < 3; ++i) {
        gms_lab_row(lab, "analysis", gms_nic_card_setting(rate, setting),
                    names[i], result->station[i].queue, "1");
    }
}

static gms_status_t gms_nic_3_run(gms_lab_t *lab)
{
    unsigned i;

    gms_lab_note(lab,
                 "The series shows the solution of equations (1) to (15) as "
                 "printed. The SCVs start at 1 and are updated in 5 rounds, "
                 "station by station.");
    gms_lab_note(
        lab, "If the iteration continues to its fixed point, the HDMA queue at "
             "the two lowest rates is 1.1 and 1.3 %% shorter than the printed "
             "queue. With 5 rounds, the mean error over the table is smaller "
             "than with any other number of rounds.");
    gms_lab_note(lab,
                 "The value 0.0133 printed for NSDMA at lambda=0.00273 is not "
                 "reproduced. This value may be a misprint of 0.0113.");
    gms_lab_note(
        lab, "According to equations (1) to (15), the value 0.0133 implies an "
             "arrival SCV of 1.10. The printed queue length of HDMA, which "
             "receives the same departures, implies an arrival SCV of 0.94.");
    for (i = 0; i < GMS_NIC_CARD_RATES; ++i) {
        gms_model_result_t *result =
            gms_nic_card_solve(lab, gms_nic_card_rates[i], GMS_MODEL_PAPER);

        if (result == NULL) {
            return GMS_ERR_INVALID_PARAM;
        }
        gms_nic_3_rows(lab, gms_nic_card_rates[i], result);
        gms_model_result_destroy(result);
    }
    return GMS_OK;
}

const gms_experiment_t gms_nic_3 = {
    .name = "nic-3",
    .title =
        "Queue lengths of a NIC, computed by the queueing network analyser",
    .source = "Cherukuri et al., table 3",
    .text = "This experiment computes the mean queue lengths at the three "
            "stations. The queue of the host DMA grows without bound as the "
            "arrival rate approaches 0.0112 doorbells per microsecond.",
    .run = gms_nic_3_run,
};
