/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the experiments for Cherukuri et al., "Analytical Model and
 * Performance Analysis of a Network Interface Card". A separate source file
 * implements the experiment for each table. The experiment for table 8 also
 * draws figure 4, and the experiment for table 6 also draws figure 5.
 */
#ifndef EXPERIMENTS_NIC_H
#define EXPERIMENTS_NIC_H

#include "experiments/experiment.h"

extern const gms_experiment_t gms_nic_3;
extern const gms_experiment_t gms_nic_4;
extern const gms_experiment_t gms_nic_5;
extern const gms_experiment_t gms_nic_6;
extern const gms_experiment_t gms_nic_7;
extern const gms_experiment_t gms_nic_8;
extern const gms_experiment_t gms_nic_9;
extern const gms_experiment_t gms_nic_10;

#endif
