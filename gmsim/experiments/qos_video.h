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
 * Choices for parameters that the paper does not give:
 *   - Lanes are drawn for each connection (section 6.2). The weight of a
 *   connection is therefore the weight of its lane.
 *   - Videos may reserve 60 % of a link. [assumed: this router with drawn lanes
 *     carries about 80 % on a link, and best effort requests 16 %. With the whole
 *     link, as in section 3.3, no connection is rejected at these loads, and
 *     admission control changes nothing.]
 *   - A video's packet without a credit is posted later (in section 4.2 it is
 *     dropped and retried).
 *   - Streams begin within the time of one frame, at any frame of their video.
 */
void gms_qos_video_options(gms_qos_sim_options_t *options, double load);

/** Report the assumptions as notes. */
void gms_qos_video_notes(gms_lab_t *lab, const gms_qos_sim_options_t *options);

#endif
