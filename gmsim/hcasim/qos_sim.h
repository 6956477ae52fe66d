/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates a cluster of HCAs on a flit fabric with mixed traffic, and with any
 * combination of admission, congestion and power control. The replications of a
 * run are distributed over several cores.
 *
 *   source -> consumer -> HCA -> fabric -> consumer at the target -> delivery
 *               |  ^ gate: congestion, power           (hcasim/delivery.h)
 *               v
 *            admission (real-time connections, before their first packet)
 *
 * The load is a fraction of a node's maximum rate (1 flit per cycle). The
 * option real_time_part divides the load between real time and best effort.
 * This load does not include control traffic. The simulation assigns real-time
 * connections to nodes until every node has its real-time load. Their starts
 * are spread over start_cycles. Their targets are distributed uniformly over
 * the other nodes. A rejected connection is not requested again, and an
 * accepted connection sends until the end. With connection_cycles > 0, each
 * connection sends for an exponentially distributed time, and its last packet
 * releases its reservation. The simulation then immediately requests a
 * successor. After a rejection, the simulation waits for another exponentially
 * distributed time before it requests the successor again.
 *
 * Best-effort and control packets wait at their consumer, in order, while the
 * HCA is full or congestion control refuses them. With separate-cq and quad-cq,
 * the packets of each completion queue wait in a separate queue. A real-time
 * packet that may not be posted is dropped or, with real_time_retries, waits
 * behind earlier packets of its connection.
 *
 * A cycle consists of these steps, in order: completions, waiting packets,
 * arrivals, congestion control, admission, HCAs, network, power. The simulation
 * skips cycles in which no event can happen.
 *
 * The results of a run do not depend on the number of cores. [source: Yum et
 * al., section 6]
 */
#ifndef HCASIM_QOS_SIM_H
#define HCASIM_QOS_SIM_H

#include <stdint.h>

#include "fabric/flit.h"
#include "hcasim/hca.h"
#include "hcasim/delivery.h"
#include "hcasim/congestion.h"
#include "hcasim/power.h"
#include "hcasim/probe.h"
#include "hcasim/source.h"

#define GMS_QOS_SIM_ERROR_LEN 512

/** Kind of real-time traffic. */
enum gms_qos_sim_real_time {
    /* MPEG-2 streams that use the seven mean rates in turn */
    GMS_QOS_SIM_VIDEO = 0,
    GMS_QOS_SIM_ON_OFF
};

typedef struct gms_qos_sim_options {
    /* cluster */
    unsigned topology; /**< a value of enum gms_topology_kind, except graph */
    /** number of nodes, at least 2; ignored for a mesh or torus */
    unsigned nodes;
    /** number of switches in a mesh or torus, with one node per switch */
    unsigned rows, columns;
    gms_flit_config_t flit;
    gms_hca_config_t hca;
    /** duration of a cycle; overrides the values in hca and power */
    uint64_t cycle_ps;
    /** number of bits of a flit: 8..2048, a multiple of 8; overrides the values
     *  in hca and power */
    unsigned flit_bits;
    unsigned packet_flits, control_flits;

    /* traffic */
    double load;           /**< load of each node's link, 0..1 */
    double real_time_part; /**< real-time fraction of the load, 0..1 */
    unsigned real_time;    /**< a value of enum gms_qos_sim_real_time */
    /** on-off: mean rate of each connection, flits per cycle */
    double connection_rate;
    /** on-off: number of connections per node. Their mean rates are drawn from
     *  an exponential distribution. These rates are then scaled to the
     *  real-time load of all nodes. 0: the simulation creates as many
     *  connections of connection_rate as the load requires */
    unsigned connections_per_node;
    /** mean lengths of the on and off periods of on-off connections. If a
     *  connection's peak rate would then exceed the rate of a link, its
     *  off-periods are shorter. */
    double on_cycles, off_cycles;
    unsigned regulator;      /**< video: enum gms_regulator */
    unsigned first_deadline; /**< video: enum gms_delivery_first */
    /** mean number of cycles during which a connection sends, or 0 if it sends
     *  until the end of the run */
    uint64_t connection_cycles;
    double control_per_second; /**< number of control packets that each node
                                * sends per second */
    /** targets of best-effort packets; the simulation ignores target.nodes */
    gms_target_t target;
    /** files with the frame sizes of the videos, or NULL if the sizes are drawn
     *  from a distribution */
    const char *video_files[GMS_VIDEO_STREAMS];

    /* controls */
    int admission;
    double admission_capacity; /**< fraction of a link that may be reserved */
    /** the field buffer_messages of `hca' overrides M in this structure */
    gms_congestion_config_t congestion;
    /** 1 if packets without a credit are posted later; 0 if they are dropped */
    int real_time_retries;
    gms_power_config_t power;
    int measures_power;

    /* run */
    /** number of cycles during which all connections begin, at random times */
    uint64_t start_cycles;
    uint64_t warm_up_cycles;
    uint64_t run_cycles; /**< number of cycles after the warm-up for which
                          *   results are counted */
    uint64_t seed;
    unsigned replications; /**< 1.. */
    /** number of simultaneous threads; does not change the results */
    unsigned threads;
} gms_qos_sim_options_t;

typedef struct gms_qos_sim_estimate {
    /** mean over replications, and half width of its 95 % confidence
     *  interval */
    double mean, half_width;
} gms_qos_sim_estimate_t;

/** Latencies in microseconds. */
typedef struct gms_qos_sim_class {
    gms_qos_sim_estimate_t latency_us, p99_us, queueing_us, network_us;
    /** rate of the sources, as a fraction of the capacity of the nodes'
     *  links */
    gms_qos_sim_estimate_t offered;
    gms_qos_sim_estimate_t
        /** rate of consumed traffic, as a fraction of the capacity of the
         *  nodes' links */
        throughput;
    gms_qos_sim_estimate_t drop_rate; /**< 0..1 */
    uint64_t packets;                 /**< number of delivered packets */
} gms_qos_sim_class_t;

typedef struct gms_qos_sim_result {
    gms_qos_sim_class_t by_class[GMS_LANE_CLASSES], all;
    gms_qos_sim_estimate_t dmp; /**< 0..1 */
    gms_qos_sim_estimate_t dmt_ms;
    uint64_t frames;
    /** the following fields are counted only with admission */
    uint64_t connections_asked, connections_rejected;
    /** fraction of the requested connections that were rejected, 0..1 */
    gms_qos_sim_estimate_t rejection_rate;
    /** mean admitted real-time load, as a fraction of the capacity of the
     *  nodes' links */
    gms_qos_sim_estimate_t admitted_load;
    gms_qos_sim_estimate_t power_w; /**< mean power after the warm-up */
    /** largest power of any window after the warm-up */
    double power_max_w;
    gms_power_window_t *windows; /**< windows of the first replication */
    uint64_t window_count;
    /** mean number of messages in an HCA */
    gms_qos_sim_estimate_t held;
    /** mean time from the post of a message until its tail leaves the HCA */
    gms_qos_sim_estimate_t held_us;
    /** mean number of messages that leave an HCA per microsecond */
    gms_qos_sim_estimate_t left_per_us;
    /** Numbers of packets of all replications since the start. made = delivered
     *  + dropped + unfinished. Unfinished packets are in flight or waiting at
     *  the end of the run. */
    uint64_t made, delivered, dropped, unfinished;
    uint64_t cycles, flit_hops; /**< these fields are sums over all
                                 *   replications */
    /** processor time; only this result differs between two runs with the same
     *  options */
    double cpu_s;
} gms_qos_sim_result_t;

/** Sets the defaults: the 8-port router of the paper with 16 lanes, packets of
 *  40 flits, and 1.6 Gb/s links (80 ns per flit). Real-time traffic is 80 % of
 *  the load. No control is enabled. The file options.c lists the source of each
 *  default. */
void gms_qos_sim_options_init(gms_qos_sim_options_t *options);
/** Sets a different clock. The parameter cycle_ps is the time that a flit takes
 *  on a link. The bandwidth of the system bus changes with the bandwidth of the
 *  link, so the ratio of the two bandwidths remains the same. Values that are
 *  stated in cycles remain the same. */
void gms_qos_sim_options_set_cycle(gms_qos_sim_options_t *options,
                                   uint64_t cycle_ps);

/** Runs the simulation.
 *  @param [in] progress called repeatedly in the calling thread with the
 *  completed fraction, 0..1; may be NULL
 *  @param [out] error the reason for a failure
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_qos_sim_run(const gms_qos_sim_options_t *options,
                             void (*progress)(void *context, double fraction),
                             void *progress_context,
                             gms_qos_sim_result_t **result_p,
                             char error[GMS_QOS_SIM_ERROR_LEN]);
/** Frees the memory of a result. NULL is allowed. */
void gms_qos_sim_result_destroy(gms_qos_sim_result_t *result);

#endif
