/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the simulations of an experiment with each seed, and reports their
 * failures as failures of the experiment.
 */
#include "experiments/qos_run.h"

#include <stdio.h>
#include <unistd.h>

gms_status_t gms_qos_seeds(gms_lab_t *lab, gms_status_t (*run)(gms_lab_t *lab))
{
    unsigned seeds = (unsigned)gms_qos_settings[GMS_QOS_SEEDS].value, seed;
    gms_status_t status = GMS_OK;

    for (seed = 1; seed <= seeds && status == GMS_OK; ++seed) {
        gms_lab_set_seed(lab, seed, seeds);
        status = run(lab);
    }
    return status;
}

gms_status_t gms_qos_run(gms_lab_t *lab, const gms_qos_sim_options_t *options,
                         gms_qos_sim_result_t **result_p)
{
    char error[GMS_QOS_SIM_ERROR_LEN] = "out of memory";
    gms_qos_sim_options_t mine = *options;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    gms_status_t status;

    mine.seed = gms_lab_seed(lab);
    mine.threads = cores > 0 ? (unsigned)cores : 1;
    status = gms_qos_sim_run(&mine, NULL, NULL, result_p, error);
    return (status == GMS_OK) ? GMS_OK : gms_lab_fail(lab, status, "%s", error);
}

const char *gms_qos_setting(double load, char text[GMS_LAB_NAME_LEN])
{
    (void)snprintf(text, GMS_LAB_NAME_LEN, "load=%.0f%%", 100 * load);
    return text;
}
