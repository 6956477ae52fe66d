/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates the 4 x 4 mesh of section 7.4 of Yum et al. for the figures about
 * power: figure 3 and figures 8 to 10.
 */
#ifndef EXPERIMENTS_QOS_POWER_H
#define EXPERIMENTS_QOS_POWER_H

#include "experiments/qos_run.h"

/** Limit of the power of routers, links and HCAs, W. */
#define GMS_QOS_POWER_LIMIT_W (gms_qos_settings[GMS_QOS_LIMIT].value)

enum gms_qos_power_mix {
    GMS_QOS_POWER_MIXED = 0, /* half of the load is real-time traffic */
    GMS_QOS_POWER_BEST,
    GMS_QOS_POWER_REAL,
    GMS_QOS_POWER_MIXES
};
extern const char *const gms_qos_power_mixes[GMS_QOS_POWER_MIXES];

enum gms_qos_power_scheme {
    GMS_QOS_POWER_NONE = 0,
    GMS_QOS_POWER_CC, /* congestion control alone */
    GMS_QOS_POWER_PC, /* credit-based peak power control, in addition to CC */
    GMS_QOS_POWER_PH, /* PowerHerd */
    GMS_QOS_POWER_SCHEMES
};
extern const char *const gms_qos_power_schemes[GMS_QOS_POWER_SCHEMES];

/** Set the options of a run. */
void gms_qos_power_options(gms_qos_sim_options_t *options, unsigned mix,
                           unsigned scheme, double load);

/** Report the assumptions of the simulation as notes. */
void gms_qos_power_notes(gms_lab_t *lab);

/** Return the name of a series, such as "PC, mixed". */
const char *gms_qos_power_series(unsigned scheme, unsigned mix,
                                 char text[GMS_LAB_NAME_LEN]);

#endif
