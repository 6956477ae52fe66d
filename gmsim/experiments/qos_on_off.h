/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates the cluster of Yum et al. with ON/OFF traffic, with and without
 * admission and congestion control. The cluster is a 5 x 5 mesh, and 80 % of
 * the load is real-time traffic.
 */
#ifndef EXPERIMENTS_QOS_ON_OFF_H
#define EXPERIMENTS_QOS_ON_OFF_H

#include "experiments/qos_run.h"

typedef struct gms_qos_on_off {
    const char *name; /* name in figure 6, such as "A, C" */
    int admission;
    enum gms_congestion_policy congestion;
} gms_qos_on_off_t;

enum {
    GMS_QOS_ON_OFF_BOTH = 0,
    GMS_QOS_ON_OFF_ADMISSION,
    GMS_QOS_ON_OFF_CONGESTION,
    GMS_QOS_ON_OFF_NONE,
    GMS_QOS_ON_OFF_SCHEMES
};
extern const gms_qos_on_off_t gms_qos_on_off_schemes[GMS_QOS_ON_OFF_SCHEMES];

/** Set the options of a run. */
void gms_qos_on_off_init(gms_qos_sim_options_t *options,
                         const gms_qos_on_off_t *scheme, double load);
/** Report the traffic as notes. */
void gms_qos_on_off_notes(gms_lab_t *lab);

#endif
