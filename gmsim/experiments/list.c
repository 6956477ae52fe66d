/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the table of all experiments, in the order in which `gmsim
 * experiment list` prints them.
 */
#include <stddef.h>

#include "experiments/product.h"
#include "experiments/nic.h"
#include "experiments/qos.h"
#include "experiments/thesis.h"

const gms_experiment_t *const gms_experiments[] = {
    &gms_thesis_2_3,  &gms_thesis_2_4,
    &gms_thesis_3_1,  &gms_thesis_5_1,
    &gms_thesis_5_2,  &gms_thesis_5_3,
    &gms_thesis_5_4,  &gms_thesis_5_5,
    &gms_thesis_5_6,  &gms_thesis_5_7,
    &gms_thesis_5_8,  &gms_thesis_5_9,
    &gms_thesis_5_10, &gms_thesis_5_11,
    &gms_thesis_5_12, &gms_mpi_accuracy,
    &gms_nic_3,       &gms_nic_4,
    &gms_nic_5,       &gms_nic_6,
    &gms_nic_7,       &gms_nic_8,
    &gms_nic_9,       &gms_nic_10,
    &gms_qos_2,       &gms_qos_3,
    &gms_qos_4,       &gms_qos_fig_3,
    &gms_qos_fig_4,   &gms_qos_fig_5,
    &gms_qos_fig_6,   &gms_qos_fig_7,
    &gms_qos_fig_8,   &gms_qos_fig_9,
    &gms_qos_fig_10,  &gms_net_edr,
    &gms_net_hdr,     &gms_net_slingshot_100,
    &gms_net_aries,   NULL,
};
