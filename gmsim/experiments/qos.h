/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the experiments for the paper by Yum et al. on clusters with
 * admission, congestion and power control. Each table or figure has its own
 * file.
 */
#ifndef EXPERIMENTS_QOS_H
#define EXPERIMENTS_QOS_H

#include "experiments/experiment.h"

extern const gms_experiment_t gms_qos_2;
extern const gms_experiment_t gms_qos_3;
extern const gms_experiment_t gms_qos_4;
extern const gms_experiment_t gms_qos_fig_3;
extern const gms_experiment_t gms_qos_fig_4;
extern const gms_experiment_t gms_qos_fig_5;
extern const gms_experiment_t gms_qos_fig_6;
extern const gms_experiment_t gms_qos_fig_7;
extern const gms_experiment_t gms_qos_fig_8;
extern const gms_experiment_t gms_qos_fig_9;
extern const gms_experiment_t gms_qos_fig_10;

#endif
