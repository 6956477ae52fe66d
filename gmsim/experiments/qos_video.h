/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Video streams through one router: the common part of table 2 and figure 5 of
 * Yum et al.
 */
#ifndef EXPERIMENTS_QOS_VIDEO_H
#define EXPERIMENTS_QOS_VIDEO_H

#include "experiments/qos_run.h"

#define GMS_QOS_VIDEO_LOADS 3u
extern const double gms_qos_video_loads[GMS_QOS_VIDEO_LOADS];

/**
 * The 8-port router, 80 % of the load videos, small frame with fast pointer, 11
 * real-time lanes, admission and congestion control.
 * [source: Yum et al., sections 6 and 7.1]
 *
 * What the paper leaves open:
 *   - lanes are drawn for each connection (section 6.2), so that a connection's
 *     weight is its lane's;
 *   - videos may set aside 60 % of a link [assumed: this router with drawn lanes
 *     carries about 80 % on a link, best effort asks for 16 %, and some is left.
 *     All of a link, as in section 3.3, refuses nobody at these loads, and
 *     admission control then changes nothing];
 *   - a video's packet without a credit is posted later (section 4.2 has it
 *     dropped and retried);
 *   - streams begin within one frame's time, at any frame of their video.
 */
void gms_qos_video_options(gms_qos_sim_options_t *options, double load);

/** What was assumed, for the reader. */
void gms_qos_video_notes(gms_lab_t *lab, const gms_qos_sim_options_t *options);

#endif
