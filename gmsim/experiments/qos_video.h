/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates video streams through one router, for table 2 and figure 5 of Yum
 * et al.
 */
#ifndef EXPERIMENTS_QOS_VIDEO_H
#define EXPERIMENTS_QOS_VIDEO_H

#include "experiments/qos_run.h"

#define GMS_QOS_VIDEO_LOADS 3u
extern const double gms_qos_video_loads[GMS_QOS_VIDEO_LOADS];

/** Set the options of a run with the 8-port router, videos as 80 % of the load,
 *  and admission and congestion control. */
void gms_qos_video_options(gms_qos_sim_options_t *options, double load);

/** Report the run as notes. */
void gms_qos_video_notes(gms_lab_t *lab, const gms_qos_sim_options_t *options);

#endif
