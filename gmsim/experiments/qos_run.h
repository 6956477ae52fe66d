/* SPDX-License-Identifier: BSD-3-Clause */
/** Runs the simulated InfiniBand cluster (hcasim) for an experiment. */
#ifndef EXPERIMENTS_QOS_RUN_H
#define EXPERIMENTS_QOS_RUN_H

#include "experiments/experiment.h"
#include "experiments/qos_config.h"
#include "hcasim/qos_sim.h"

/** Run an experiment once with each seed of the configuration.
 *  @return GMS_OK, or the status of the first run that failed */
gms_status_t gms_qos_seeds(gms_lab_t *lab, gms_status_t (*run)(gms_lab_t *lab));

/** Run a simulation with the current seed of the experiment. The function
 *  reports a failure through gms_lab_fail().
 *  @param [out] result_p the caller destroys the result with
 *  gms_qos_sim_result_destroy()
 *  @return GMS_OK, or an error of gms_qos_sim_run() */
gms_status_t gms_qos_run(gms_lab_t *lab, const gms_qos_sim_options_t *options,
                         gms_qos_sim_result_t **result_p);

/** Return the setting of a row, such as "load=40%". */
const char *gms_qos_setting(double load, char text[GMS_LAB_NAME_LEN]);

#endif
