/* SPDX-License-Identifier: BSD-3-Clause */
/** Experiments that hold the product's own promises, one file each. */
#ifndef EXPERIMENTS_PRODUCT_H
#define EXPERIMENTS_PRODUCT_H

#include "experiments/experiment.h"

extern const gms_experiment_t gms_mpi_accuracy;

#endif
