/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the common configuration of all experiments for the paper by Yum et
 * al. The configuration contains every setting of the fabric, the adapters, the
 * traffic and the runs, and the source of each setting. An experiment selects
 * only a cluster, a load and the kinds of control, and has no other settings.
 *
 * Settings that are not listed in qos_config.c have the defaults of hcasim/ and
 * fabric/flit_config.c. These files state the sources of the defaults.
 */
#ifndef EXPERIMENTS_QOS_CONFIG_H
#define EXPERIMENTS_QOS_CONFIG_H

#include "experiments/experiment.h"
#include "hcasim/qos_sim.h"

/** Source of a setting. */
enum gms_qos_source {
    GMS_QOS_PAPER = 0,  /* the value is printed in the paper */
    GMS_QOS_CALIBRATED, /* calibrated to the numbers of table 3 (make
                         * calibrate-qos) */
    GMS_QOS_ASSUMED,    /* chosen without knowledge of the printed numbers */
    /* chosen to match the numbers of a table or figure, whose rows have the
     * basis `fitted' */
    GMS_QOS_FITTED
};
extern const char *const gms_qos_source_names[];

typedef struct gms_qos_setting {
    const char *name;
    double value;
    const char *unit;
    enum gms_qos_source source;
    const char *text; /* section of the paper, or reason for the choice */
} gms_qos_setting_t;

enum {
    GMS_QOS_RUN = 0,
    GMS_QOS_WARM_UP,
    GMS_QOS_START,
    GMS_QOS_FRAMES,
    GMS_QOS_WARM_UP_FRAMES,
    GMS_QOS_SEEDS,
    GMS_QOS_BUS,
    GMS_QOS_DOORBELL,
    GMS_QOS_ALO,
    GMS_QOS_TUNE_START,
    GMS_QOS_MESSAGES,
    GMS_QOS_CREDITS,
    GMS_QOS_CREDITS_SEPARATE,
    GMS_QOS_CREDITS_QUAD,
    GMS_QOS_CAPACITY,
    GMS_QOS_RATE,
    GMS_QOS_PERIOD,
    GMS_QOS_CONTROL,
    GMS_QOS_FACTOR,
    GMS_QOS_CYCLE,
    GMS_QOS_CYCLE_POWER,
    GMS_QOS_LIMIT,
    GMS_QOS_SETTINGS
};
extern const gms_qos_setting_t gms_qos_settings[GMS_QOS_SETTINGS];

enum gms_qos_cluster {
    GMS_QOS_ROUTER = 0, /* one 8-port router with 8 nodes */
    GMS_QOS_MESH_4,     /* 4 x 4 mesh */
    GMS_QOS_MESH_5,     /* 5 x 5 mesh */
    GMS_QOS_MESH_POWER  /* 4 x 4 mesh with the faster links of section 7.4 */
};

/** Set the options of a run without admission, congestion and power control.
 *  The real-time traffic is on/off traffic.
 *  @param [in] part  fraction of the load that is real-time traffic: 0, 0.5,
 *         0.8 or 1 */
void gms_qos_config(gms_qos_sim_options_t *options,
                    enum gms_qos_cluster cluster, double load, double part);
/** Replace the on/off traffic by videos, and set the length of the run to a
 *  whole number of frames. */
void gms_qos_config_video(gms_qos_sim_options_t *options);
/** Enable or disable admission and congestion control. */
void gms_qos_config_control(gms_qos_sim_options_t *options, int admission,
                            enum gms_congestion_policy congestion);
/** Return the number of on/off connections of a node in the 5 x 5 mesh. */
unsigned gms_qos_connections(double load);

/** Return the mean latency of a class in microseconds: the time from the post
 *  of a message until its tail has arrived. All experiments use this
 *  definition. */
double gms_qos_latency_us(const gms_qos_sim_class_t *of);

#endif
