/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What traffic got: latencies and throughput by class, deadlines of video
 * frames. Messages made before the warm-up's end are not counted.
 *
 *   latency          made by its source to tail consumed at the target
 *   queueing delay   posted to the HCA to head in the network
 *   network latency  head in the network to tail consumed
 *   throughput       flits consumed per node and cycle
 *   DMP              frames that missed their deadline / frames delivered
 *   DMT              mean lateness of the frames that did
 *
 * A frame's deadline is the previous deadline + 1/30 s, or, if the previous
 * frame was late, its arrival + 1/30 s. A frame arrives with the last of its
 * packets. [source: Yum et al., section 6.2]
 */
#ifndef OBSERVE_DELIVERY_H
#define OBSERVE_DELIVERY_H

#include <stdint.h>

#include "engine/status.h"
#include "fabric/lane_arbiter.h"

typedef struct gms_delivery gms_delivery_t;

typedef struct gms_delivery_config {
    unsigned nodes;
    uint64_t warm_up_cycles;
    uint64_t frame_cycles;  /**< 1/30 s */
} gms_delivery_config_t;

typedef struct gms_delivered {
    unsigned class_;        /**< enum gms_lane_class */
    unsigned flits;
    uint64_t create_cycle, post_cycle, enter_cycle, arrive_cycle;
} gms_delivered_t;

gms_status_t gms_delivery_create(const gms_delivery_config_t *config,
                                 gms_delivery_t **delivery_p);
/** NULL is fine. */
void gms_delivery_destroy(gms_delivery_t *delivery);

void gms_delivery_packet(gms_delivery_t *delivery,
                         const gms_delivered_t *packet);
/** A packet that its source gave up (real time without a credit). */
void gms_delivery_dropped(gms_delivery_t *delivery, unsigned class_,
                          uint64_t create_cycle);
/** A packet of a video frame has been consumed, or dropped (is_lost: the frame
 *  then never arrives whole: it counts as delivered late if its last packet
 *  comes, and is left out if nothing of it does).
 *  @param [in] stream  of the video, any number below 2^20 */
void gms_delivery_frame(gms_delivery_t *delivery, uint32_t stream,
                        uint32_t frame, uint32_t frame_rest,
                        uint64_t create_cycle, uint64_t cycle, int is_lost);

typedef struct gms_delivery_class {
    uint64_t packets, flits, dropped;
    double latency_mean, latency_p50, latency_p99, latency_max; /**< cycles */
    double queueing_mean, network_mean;                         /**< cycles */
    double throughput;      /**< flits per node and cycle, since the warm-up */
} gms_delivery_class_t;

typedef struct gms_delivery_result {
    gms_delivery_class_t by_class[GMS_LANE_CLASSES], all;
    uint64_t frames, frames_late, frames_broken;
    double dmp;             /**< 0..1 */
    double dmt_cycles;      /**< 0 if no frame was late */
} gms_delivery_result_t;

void gms_delivery_result(const gms_delivery_t *delivery, uint64_t end_cycle,
                         gms_delivery_result_t *result);

/** Mean and half width of the 95 % confidence interval of values of independent
 *  replications. @param [in] count  1..; half width 0 for 1 */
void gms_delivery_interval(const double *values, unsigned count, double *mean_p,
                           double *half_width_p);

#endif
