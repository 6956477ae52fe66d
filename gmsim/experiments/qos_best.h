/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Compares methods of congestion control, as Yum et al. do. The cluster is a 4
 * x 4 mesh. The mesh carries only best-effort traffic, in packets of 40 flits
 * to uniformly distributed targets.
 */
#ifndef EXPERIMENTS_QOS_BEST_H
#define EXPERIMENTS_QOS_BEST_H

#include "experiments/qos_run.h"

#define GMS_QOS_BEST_LOADS 6u
extern const double gms_qos_best_loads[GMS_QOS_BEST_LOADS]; /* 0.4 .. 0.9 */

typedef struct gms_qos_best {
    const char *name;
    enum gms_congestion_policy policy;
    /* credits of a node, summed over its queues; 0: the configured number */
    unsigned credits;
} gms_qos_best_t;

/** Indices of the schemes in table 3 and figure 4, in the order of the
 *  table. */
enum {
    GMS_QOS_BEST_NONE = 0,
    GMS_QOS_BEST_200,
    GMS_QOS_BEST_600 = 4,
    GMS_QOS_BEST_SELF_TUNED,
    GMS_QOS_BEST_ALO,
    GMS_QOS_BEST_SCHEMES
};
extern const gms_qos_best_t gms_qos_best_schemes[GMS_QOS_BEST_SCHEMES];

/** Set the options of a run. */
void gms_qos_best_options(gms_qos_sim_options_t *options,
                          const gms_qos_best_t *scheme, double load);
/** Run a scheme at one load.
 *  @param [out] result_p the caller destroys the result */
gms_status_t gms_qos_best_run(gms_lab_t *lab, const gms_qos_best_t *scheme,
                              double load, int measures_power,
                              gms_qos_sim_result_t **result_p);

/** Report the rows of figures 4 and 7, and a point of the latency curve.
 *  @return latency from the post to the delivery, us */
double gms_qos_best_report(gms_lab_t *lab, const gms_qos_best_t *scheme,
                           double load, const gms_qos_sim_class_t *best);

/** Report the cluster and the run as notes. */
void gms_qos_best_notes(gms_lab_t *lab);

#endif
