/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the experiments that check this product's own claims instead of a
 * paper's figures. A separate source file implements each experiment.
 */
#ifndef EXPERIMENTS_PRODUCT_H
#define EXPERIMENTS_PRODUCT_H

#include "experiments/experiment.h"

extern const gms_experiment_t gms_mpi_accuracy;
extern const gms_experiment_t gms_net_edr, gms_net_hdr, gms_net_slingshot_100,
    gms_net_aries;

#endif
