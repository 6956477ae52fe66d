/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Collects statistics of delivered traffic: latencies and throughput by class,
 * and the deadlines of video frames. Messages that were created before the end
 * of the warm-up are not counted. Only the throughput includes all arrivals
 * after the warm-up.
 *
 *   latency          time from the creation of a packet at its source until the
 *                    target has consumed the tail
 *   queueing delay   time from the post to the HCA until the head enters the
 *                    network
 *   network latency  time from then on until the target has consumed the tail
 *   throughput       flits consumed per node and cycle
 *   DMP              frames that missed their deadline / frames delivered
 *   DMT              mean lateness of the frames that missed their deadline
 *
 * A frame's deadline is 1/30 s after the previous deadline or, if the previous
 * frame was late, 1/30 s after the arrival of the previous frame. A frame
 * has arrived when its last packet has arrived. The type enum
 * gms_delivery_first defines the first deadline of a stream. [source: Yum et
 * al., section 6.2]
 *
 * A frame is broken if one of its packets was lost. If some packets of a broken
 * frame arrived, the frame is counted as delivered and late. The DMT includes
 * such a frame only if its arrived packets missed the deadline. The next
 * deadline is 1/30 s after the broken frame's own deadline or after its
 * arrival, whichever is later. If no packet of a broken frame arrived, the
 * frame is not counted. Packets of a stream may overtake each other by less
 * than two frames.
 */
#ifndef HCASIM_DELIVERY_H
#define HCASIM_DELIVERY_H

#include <stdint.h>

#include "base/status.h"
#include "fabric/lane_arbiter.h"

typedef struct gms_delivery gms_delivery_t;

#define GMS_DELIVERY_STREAMS_MAX (UINT32_C(1) << 20)

/** Deadline of a stream's first frame, which the paper does not define. */
enum gms_delivery_first {
    /** 1/30 s after the creation of the frame */
    GMS_DELIVERY_FIRST_MADE = 0,
    /** no deadline for the first frame; the second frame's deadline is 1/30 s
     *  after the first frame's arrival */
    GMS_DELIVERY_FIRST_ARRIVED
};

typedef struct gms_delivery_config {
    unsigned nodes; /**< 1.. */
    uint64_t warm_up_cycles;
    /** 1/30 s in cycles, see gms_video_frame_cycles(); at least 1 */
    uint64_t frame_cycles;
    unsigned first; /**< a value of enum gms_delivery_first */
} gms_delivery_config_t;

typedef struct gms_delivered {
    unsigned traffic_class; /**< a value of enum gms_lane_class */
    unsigned flits;
    uint64_t create_cycle, post_cycle, enter_cycle, arrive_cycle;
} gms_delivered_t;

/** Creates the statistics.
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM (`nodes` or `frame_cycles` is 0),
 *  GMS_ERR_NO_MEMORY */
gms_status_t gms_delivery_create(const gms_delivery_config_t *config,
                                 gms_delivery_t **delivery_p);
/** Destroys the statistics. NULL is allowed. */
void gms_delivery_destroy(gms_delivery_t *delivery);

void gms_delivery_packet(gms_delivery_t *delivery,
                         const gms_delivered_t *packet);
/** Counts a packet that its source dropped, such as a real-time packet without
 *  a credit. */
void gms_delivery_dropped(gms_delivery_t *delivery, unsigned traffic_class,
                          uint64_t create_cycle);
/**
 * Counts a packet of a video frame that has been consumed or, if is_lost is
 * set, was dropped.
 *
 * @param [in] stream number of the video stream, less than
 *   GMS_DELIVERY_STREAMS_MAX
 * @param [in] frame number of the frame, from 1
 * @param [in] frame_rest number of packets that follow in the same frame
 * @param [in] made_cycle cycle in which the source created the frame
 * @param [in] cycle cycle in which the packet was consumed; ignored for a lost
 * packet
 * @return GMS_OK; GMS_ERR_INVALID_PARAM (stream); GMS_ERR_NO_MEMORY: the packet
 *         is not counted
 */
gms_status_t gms_delivery_frame(gms_delivery_t *delivery, uint32_t stream,
                                uint32_t frame, uint32_t frame_rest,
                                uint64_t made_cycle, uint64_t cycle,
                                int is_lost);

/** Results of a traffic class. All fields are 0 if no packet was counted. The
 *  error of a percentile is at most 1/128 of its value, and no percentile
 *  exceeds the largest latency. */
typedef struct gms_delivery_class {
    uint64_t packets, flits, dropped;
    double latency_mean, latency_p50, latency_p99, latency_max; /**< cycles */
    double queueing_mean, network_mean;                         /**< cycles */
    double throughput; /**< flits per node and cycle after the warm-up */
} gms_delivery_class_t;

typedef struct gms_delivery_result {
    gms_delivery_class_t by_class[GMS_LANE_CLASSES], all;
    uint64_t frames;        /**< delivered */
    uint64_t frames_late;   /**< number of delivered frames that were late */
    uint64_t frames_broken; /**< number of frames that lost a packet, whether
                             *   delivered or not */
    double dmp;             /**< 0..1 */
    double dmt_cycles;      /**< mean lateness; 0 if no frame was late */
} gms_delivery_result_t;

/** Returns the results for the time up to now. Incomplete frames are not
 *  included. */
void gms_delivery_result(const gms_delivery_t *delivery, uint64_t end_cycle,
                         gms_delivery_result_t *result);

/** Computes the mean of independent replications and the half width of its 95 %
 *  confidence interval. @param [in] count at least 1; for one replication, the
 *  half width is 0 */
void gms_delivery_interval(const double *values, unsigned count, double *mean_p,
                           double *half_width_p);

#endif
