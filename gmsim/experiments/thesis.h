/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the experiments for Gulati's thesis of 2001. Each experiment has
 *  its own file. */
#ifndef EXPERIMENTS_THESIS_H
#define EXPERIMENTS_THESIS_H

#include "experiments/experiment.h"

extern const gms_experiment_t gms_thesis_3_1;
extern const gms_experiment_t gms_thesis_2_3;
extern const gms_experiment_t gms_thesis_2_4;
extern const gms_experiment_t gms_thesis_5_1;
extern const gms_experiment_t gms_thesis_5_2;
extern const gms_experiment_t gms_thesis_5_3;
extern const gms_experiment_t gms_thesis_5_4;
extern const gms_experiment_t gms_thesis_5_5;
extern const gms_experiment_t gms_thesis_5_6;
extern const gms_experiment_t gms_thesis_5_7;
extern const gms_experiment_t gms_thesis_5_8;
extern const gms_experiment_t gms_thesis_5_9;
extern const gms_experiment_t gms_thesis_5_10;
extern const gms_experiment_t gms_thesis_5_11;
extern const gms_experiment_t gms_thesis_5_12;

#endif
