/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the state of one replication. Only the files of the cluster
 * simulation and unit tests include this header.
 *
 *   traffic.c   sources and connections, and the order of their packets
 *   consumer.c  packets that their consumer holds, posts, completions
 *   cluster.c   construction and destruction
 *   cycle.c     the steps of a cycle, and the cycles that can be skipped
 *   run.c       replications on threads, and their combined results
 */
#ifndef HCASIM_QOS_SIM_INT_H
#define HCASIM_QOS_SIM_INT_H

#include <stdatomic.h>

#include "hcasim/heap.h"
#include "hcasim/qos_sim.h"

typedef struct gms_qos_sim gms_qos_sim_t;

/** A message, with the additional data that the simulation stores about it. */
typedef struct gms_qos_sim_packet {
    /* must be the first member; packet.owner is the simulation */
    gms_hca_message_t message;
    /* video: cycle in which the source created the packet's frame */
    uint64_t frame_cycle;
    /* the simulation can reuse the packet's memory when both fields are 1 */
    uint8_t is_arrived, is_completed;
    /* next packet in a list of its consumer, of completing packets, or of free
     * packets */
    struct gms_qos_sim_packet *next;
} gms_qos_sim_packet_t;

typedef struct gms_qos_sim_list {
    gms_qos_sim_packet_t *first, *last;
} gms_qos_sim_list_t;

/** Packets of a consumer that are waiting to be posted. The packets are stored
 *  in the order of their arrival. The non-empty queues of one class of a node
 *  form a ring and take turns. */
typedef struct gms_qos_sim_queue {
    gms_qos_sim_list_t packets;
    uint32_t pair; /* number of the queue pair */
    struct gms_qos_sim_queue *next;
} gms_qos_sim_queue_t;

typedef struct gms_qos_sim_ring {
    gms_qos_sim_queue_t *first, *last;
    unsigned count;
} gms_qos_sim_ring_t;

enum gms_qos_sim_state {
    GMS_QOS_SIM_BEFORE = 0, /* the connection has not been requested yet */
    GMS_QOS_SIM_ASKING,     /* the connection's probe is in flight */
    GMS_QOS_SIM_SENDING,
    /* the source creates no more packets, but some packets are still in
     * flight */
    GMS_QOS_SIM_ENDING,
    GMS_QOS_SIM_GONE
};

/** A slot for consecutive real-time connections. Only one connection uses the
 *  slot at a time. */
typedef struct gms_qos_sim_connection {
    gms_qos_sim_queue_t queue; /* must be the first member */
    gms_source_t *source;
    gms_arrival_t arrival; /* next packet of the connection */
    gms_random_t random;   /* generator for random targets, lanes (draw) and
                            * lengths */
    /* cycle in which the connection was accepted; the connection's source
     * counts its times from this cycle */
    uint64_t shift_cycles;
    uint64_t end_cycle;
    double average, peak; /* rate in flits per cycle */
    double rate;          /* requested rate of an on-off source, in flits per
                           * cycle */
    uint32_t number;      /* number of the connection, which is unique and at
                           * least 1 */
    uint32_t node, target, draw;
    uint32_t under_way; /* number of packets that have been posted but have not
                         * completed */
    unsigned video;
    uint8_t state; /* a value of enum gms_qos_sim_state */
} gms_qos_sim_connection_t;

/** Best-effort or control traffic of a node. */
typedef struct gms_qos_sim_stream {
    gms_source_t *source; /* NULL if the node has no such traffic */
    gms_arrival_t arrival;
    gms_random_t random; /* generator for the random properties of packets */
} gms_qos_sim_stream_t;

typedef struct gms_qos_sim_node {
    gms_hca_t *hca;
    gms_qos_sim_stream_t best_effort, control;
    gms_qos_sim_queue_t control_queue;
    gms_qos_sim_queue_t *best_queue; /* [best_queues] */
    gms_qos_sim_ring_t waiting[GMS_LANE_CLASSES];
    /* 1 if the gate may now allow packets that it refused earlier */
    uint8_t is_woken;
} gms_qos_sim_node_t;

/** Counters of a replication. The statistics in hcasim/delivery.h cover
 *  latencies, throughput and video frames. */
typedef struct gms_qos_sim_counts {
    uint64_t made, arrived, dropped;    /* numbers of packets since the start */
    uint64_t offered[GMS_LANE_CLASSES]; /* numbers of flits after the warm-up */
    uint64_t left;        /* number of messages that left an HCA after the
                           * warm-up */
    uint64_t left_cycles; /* total time that these messages spent in the HCA */
    /* sum over cycles of the number of messages in HCAs after the warm-up */
    double held_area;
    /* sum over cycles of the admitted rate after the warm-up */
    double admitted_area;
} gms_qos_sim_counts_t;

struct gms_qos_sim {
    gms_qos_sim_options_t options;
    unsigned nodes;
    uint64_t seed; /* seed of this replication */
    uint64_t end_cycle;

    gms_arena_t *arena;
    gms_topology_t *topology;
    gms_flit_net_t *net;
    gms_congestion_t *congestion;
    gms_probe_t *probe;
    gms_power_t *power; /* NULL if the replication neither measures nor controls
                         * power */
    gms_delivery_t *delivery;
    gms_hca_gate_t gate;

    gms_qos_sim_node_t *node; /* [nodes] */
    gms_hca_t **hca;          /* HCAs, indexed by node; an argument of power
                               * control */
    uint64_t *busy_hcas;      /* bit mask of the busy HCAs, with one bit per
                               * node */
    unsigned busy_words;
    unsigned best_queues; /* number of best-effort queues of each node */
    int asks_always;      /* 1 if the simulation checks waiting packets in every
                           * cycle */
    /* 1 if the simulation also executes idle cycles one by one; used only by
     * tests */
    int never_skips;
    unsigned woken; /* number of nodes whose is_woken is 1 */

    gms_qos_sim_connection_t *connection;
    unsigned connections;
    uint32_t last_number;
    /* The actors are, in this order: the best-effort traffic of each node, the
     * control traffic of each node, and the connections */
    gms_qos_sim_heap_t heap;

    /* messages that have left their HCA, in order of completion */
    gms_qos_sim_list_t completing;
    gms_qos_sim_packet_t *free_packet;
    void *chunks; /* linked list of memory chunks for packets */

    unsigned held; /* number of messages in all HCAs */
    /* sum of the rates of sending connections, in flits per cycle */
    double admitted;
    uint64_t since_cycle; /* cycle up to which the areas (sums over cycles) are
                           * complete */
    gms_qos_sim_counts_t counts;
    gms_status_t status; /* error that occurred in a hook */
};

/** Results of one replication. */
typedef struct gms_qos_sim_sample {
    gms_delivery_result_t delivery;
    gms_qos_sim_counts_t counts;
    gms_probe_counts_t probe;
    double power_w, power_max_w;
    uint64_t cycles, flit_hops;
    /* number of packets that were created but have neither arrived nor been
     * dropped */
    uint64_t held_end;
    /* the same number, counted by searching all memory */
    uint64_t walked_end;
    /* power windows of the first replication; NULL for the others */
    gms_power_window_t *windows;
    uint64_t window_count;
    double cpu_s;
    gms_status_t status;
    char error[GMS_QOS_SIM_ERROR_LEN];
} gms_qos_sim_sample_t;

/* ---- options.c ---- */

/** Sets the options that occur in two structures to equal values, and checks
 *  all options.
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_qos_sim_options_settle(gms_qos_sim_options_t *options,
                                        char error[GMS_QOS_SIM_ERROR_LEN]);
unsigned gms_qos_sim_nodes(const gms_qos_sim_options_t *options);

/* ---- cluster.c ---- */

/** Creates the cluster of one replication. @param [in] options checked by
 *  gms_qos_sim_options_settle() */
gms_status_t gms_qos_sim_create(const gms_qos_sim_options_t *options,
                                unsigned replication, gms_qos_sim_t **sim_p,
                                char error[GMS_QOS_SIM_ERROR_LEN]);
void gms_qos_sim_destroy(gms_qos_sim_t *sim);
/** Collects the results of the replication. @return GMS_OK,
 *  GMS_ERR_NO_MEMORY */
gms_status_t gms_qos_sim_collect(gms_qos_sim_t *sim,
                                 gms_qos_sim_sample_t *sample);

/* ---- connection.c ---- */

/** Draws the sizes of connections from an exponential distribution, and scales
 *  the sizes so that they add up to load.
 *  @param [in,out] connection array of connections. The function uses their
 *  random generators, and sets their rates to the drawn sizes, limited to 1
 *  @param [in] load sum of the sizes, in flits per cycle */
void gms_qos_sim_sizes(gms_qos_sim_connection_t *connection, unsigned count,
                       double load);

/* ---- traffic.c ---- */

/** Creates all sources, and assigns connections to nodes. */
gms_status_t gms_qos_sim_traffic_create(gms_qos_sim_t *sim,
                                        char error[GMS_QOS_SIM_ERROR_LEN]);
void gms_qos_sim_traffic_destroy(gms_qos_sim_t *sim);
/** Processes all packets that the sources create in this cycle. */
void gms_qos_sim_arrive(gms_qos_sim_t *sim, uint64_t now);
/** Implements the hook `answered` of gms_probe_config_t. */
void gms_qos_sim_answered(void *context, const gms_probe_answer_t *answer);
/** Reports that a connection's packet has completed or was dropped. */
void gms_qos_sim_connection_done(gms_qos_sim_t *sim,
                                 gms_qos_sim_connection_t *connection);

/* ---- consumer.c ---- */

/** Creates a packet of a source. The function sets only the owner of the
 *  packet. @return NULL if there is no memory */
gms_qos_sim_packet_t *gms_qos_sim_packet_new(gms_qos_sim_t *sim);
void gms_qos_sim_packets_destroy(gms_qos_sim_t *sim);
/** Searches all memory for packets that have neither arrived nor been dropped,
 *  and counts them. */
uint64_t gms_qos_sim_packets_held(const gms_qos_sim_t *sim);
/** Posts a packet, or keeps it at the end of its consumer's queue.
 *  @return 1; 0 if the packet cannot be posted now and `waits` is 0, in which
 *  case the state is unchanged */
int gms_qos_sim_submit(gms_qos_sim_t *sim, gms_qos_sim_queue_t *queue,
                       gms_qos_sim_packet_t *packet, int waits);
/** Drops a packet at its source. */
void gms_qos_sim_drop(gms_qos_sim_t *sim, gms_qos_sim_packet_t *packet);
/** Processes the completions that are due. */
void gms_qos_sim_complete(gms_qos_sim_t *sim, uint64_t now);
/** Tries again to post waiting packets. */
void gms_qos_sim_retry(gms_qos_sim_t *sim);
/* hooks of the network */
void gms_qos_sim_left(gms_qos_sim_t *sim, gms_qos_sim_packet_t *packet);
void gms_qos_sim_arrived(gms_qos_sim_t *sim, gms_qos_sim_packet_t *packet);
/** Adds the cycles since the last call to the areas (sums over cycles). Call
 *  this function before any of the values that the areas accumulate changes. */
void gms_qos_sim_flush(gms_qos_sim_t *sim);

/* ---- cycle.c ---- */

/** Runs the simulation to the end.
 *  @param [in] progress number of cycles that all replications have simulated
 *  so far; may be NULL */
gms_status_t gms_qos_sim_go(gms_qos_sim_t *sim, atomic_ullong *progress);

#endif
