/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs one simulation of hcasim with the seed that all experiments share, and
 * reports its failure as a failure of the experiment.
 */
#include "experiments/qos_run.h"

#include <stdio.h>
#include <unistd.h>

/* Another seed, such as -DGMS_QOS_SEED=2, shows whether a conclusion depends
 * on it. */
#ifndef GMS_QOS_SEED
#define GMS_QOS_SEED 1
#endif

gms_status_t gms_qos_run(gms_lab_t *lab, const gms_qos_sim_options_t *options,
                         gms_qos_sim_result_t **result_p)
{
    char error[GMS_QOS_SIM_ERROR_LEN] = "out of memory";
    gms_qos_sim_options_t mine = *options;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    gms_status_t status;

    mine.seed = GMS_QOS_SEED;
    mine.threads = cores > 0 ? (unsigned)cores : 1;
    status = gms_qos_sim_run(&mine, NULL, NULL, result_p, error);
    return (status == GMS_OK) ? GMS_OK : gms_lab_fail(lab, status, "%s", error);
}

const char *gms_qos_setting(double load, char text[GMS_LAB_NAME_LEN])
{
    (void)snprintf(text, GMS_LAB_NAME_LEN, "load=%.0f%%", 100 * load);
    return text;
}
