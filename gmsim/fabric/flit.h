/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates wormhole routers with virtual lanes, flit by flit and cycle by
 * cycle.
 *
 *  node's lanes --link--> | input lanes -> crossbar -> output lanes | --link-->
 *                  (one flit per cycle)       router
 *
 * The pipeline of a router has these stages [source: Yum et al., figure 1]:
 * - synchronise the flit, demultiplex it into a lane's buffer and decode it;
 * - route the packet (heads only);
 * - arbitrate for an output and a lane of this output (heads only);
 * - cross the crossbar, which forwards at most one flit per input and per
 *   output in a cycle; the input's arbiter chooses the input's lane;
 * - buffer the flit at the output, and multiplex the lanes onto the link; the
 *   output's arbiter chooses the lane.
 *
 * Each stage has a parameter that sets its number of cycles. If output_flits is
 * 0, the output has no buffer and the crossbar drives the link, as in a usual
 * input-queued router.
 *
 * Flow control uses credits. A lane sends a flit only if its buffer at the
 * link's end has room. A credit returns credit_cycles after a flit has left
 * that buffer. A packet holds a lane of a link from the time when its head is
 * sent until its tail has been sent. Another packet may take the lane as soon
 * as the tail has been sent. Flits are never lost and never overtake each other
 * in a lane.
 *
 * A node's end of its link is a port like a router's port, with lanes, credits
 * and an arbiter. A node's lanes are first-in first-out queues of unlimited
 * length. The caller must limit the number of packets that it offers. At the
 * target, the last buffer releases one flit per cycle.
 *
 * Time is counted in cycles since the start, and only gms_flit_step() advances
 * it. Routers, links and nodes without moving flits require no processor time.
 *
 * All data are in an arena, which must not contain code pointers. Therefore the
 * caller passes the hooks to every step. Runs with the same configuration, seed
 * and offered packets are identical cycle by cycle.
 */
#ifndef FABRIC_FLIT_H
#define FABRIC_FLIT_H

#include <stdint.h>

#include "engine/arena.h"
#include "base/random.h"
#include "fabric/lane_arbiter.h"
#include "fabric/topology.h"

typedef struct gms_flit_net gms_flit_net_t;

/** Method that chooses the lane for a packet's head on the next link. */
enum gms_flit_lanes {
    GMS_FLIT_LANES_FREE = 0, /**< any free lane of the packet's class, chosen in
                              *   turn (virtual channel allocation) */
    GMS_FLIT_LANES_DRAWN     /**< the lane that gms_flit_drawn_lane() returns;
                              *   the head waits until this lane is free
                              *   [source: Yum et al., section 6.2] */
};

typedef struct gms_flit_config {
    unsigned lanes; /**< number of lanes per port, 1..16 */
    gms_lane_plan_t plan;
    unsigned lane_choice;  /**< a value of enum gms_flit_lanes */
    unsigned buffer_flits; /**< size of the buffer of each input lane, 1..255 */
    unsigned output_flits; /**< size of the buffer of each output lane,
                            *   0..255 */
    /* lengths of the pipeline's stages, in cycles */
    unsigned input_cycles;  /**< synchronising, buffering and decoding; at least
                             *   0 */
    unsigned route_cycles;  /**< routing; only heads pass through this stage */
    unsigned lane_cycles;   /**< arbitration for an output and a lane; only
                             *   heads pass through this stage */
    unsigned switch_cycles; /**< crossbar allocation; 0 if allocation takes
                             *   place in the cycle of the crossing */
    unsigned crossbar_cycles; /**< crossing of the crossbar; at least 1 */
    unsigned output_cycles;   /**< output buffer, if the router has one; at
                               *   least 1 */
    unsigned link_cycles;     /**< from 1 */
    unsigned credit_cycles;   /**< from 1 */
    unsigned match_rounds;    /**< number of rounds of requests, grants and
                               *   accepts at a crossbar in each cycle, 1..8;
                               *   later rounds match only the remaining free
                               *   inputs and outputs. With one round, a port is
                               *   idle for a third of the time at full load */
    int agents;               /**< 1 if each switch has a management agent. The
                               *   agent is a port inside the switch that
                               *   receives and sends packets over its own link
                               *   (InfiniBand: port 0) */
    int sinks_hold;           /**< 1 if a packet's head waits at its target
                               *   until gms_flit_accept() is called; agents
                               *   accept immediately */
    uint64_t seed;
} gms_flit_config_t;

/** Set the values from the paper by Yum et al. There are 16 lanes of 10 flits:
 *  11 lanes for real time, 4 for best effort, and 1 for control. The lanes use
 *  the scheduling policy "small frame" (k = 4) with the fast pointer. All
 *  stages take one cycle, and output buffers hold 10 flits. */
void gms_flit_config_init(gms_flit_config_t *config);
/** Check that the fields of a configuration are in their allowed ranges.
 *  @param [out] error  names the field, its value and the allowed range
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_flit_config_check(const gms_flit_config_t *config,
                                   char error[GMS_TOPOLOGY_ERROR_LEN]);
/** Return S, the number of cycles that a head needs for all stages of a router
 *  and for the link behind it. In an otherwise empty net, the tail of a packet
 *  of N flits arrives link_cycles + H x S + N - 1 cycles after its head left
 *  the source. H is the number of switches on the route. */
unsigned gms_flit_hop_cycles(const gms_flit_config_t *config);

/** Number that denotes a switch's management agent as the source or target of a
 *  packet. Numbers without the highest bit are numbers of nodes. */
#define GMS_FLIT_AGENT(_switch) (UINT32_C(0x80000000) | (uint32_t)(_switch))

/** A packet. The component that offers the packet owns the packet's memory. The
 *  component must not change this memory until the net reports that the packet
 *  has arrived or has been absorbed. */
typedef struct gms_flit_packet {
    uint32_t source, target; /**< numbers of nodes, from 0, or
                              *   GMS_FLIT_AGENT() */
    uint16_t flits;          /**< length including the head, at least 1 */
    uint8_t traffic_class;   /**< a value of enum gms_lane_class */
    uint8_t visits;          /**< 1 if the hook `visit` is called at each
                              *   switch */
    uint32_t draw;           /**< number that determines the packet's lanes with
                              *   GMS_FLIT_LANES_DRAWN; equal for all packets of
                              *   a connection */
    uint32_t hops;           /**< set by the net: number of switches passed so
                              *   far */
    uint64_t enter_cycle;    /**< set by the net: cycle in which the head left
                              *   the source's lane */
    uint64_t leave_cycle;    /**< set by the net: cycle in which the tail left
                              *   the source's lane */
    uint64_t arrive_cycle;   /**< set by the net: cycle in which the target
                              *   consumed the tail */
    void *owner;             /**< for the caller's use; the net ignores it */
    /** used by the net while the packet waits at its source */
    struct gms_flit_packet *next;
    uint64_t internal[2]; /**< used by the net */
} gms_flit_packet_t;

enum gms_flit_verdict {
    GMS_FLIT_GO_ON = 0,
    GMS_FLIT_ABSORB /**< send the packet to the agent of this switch instead of
                     *   to its target */
};

/** Functions that the net calls during gms_flit_step(). A hook may be NULL.
 *  Hooks may offer packets to the net. The net orders the calls by cycle and
 *  then by internal numbers, so their order is reproducible. */
typedef struct gms_flit_hooks {
    /** The head of a packet with `visits` is being routed at a switch; out_link
     *  is the next link (GMS_LINK_NONE: this switch's agent is its target). */
    enum gms_flit_verdict (*visit)(void *context, uint32_t switch_index,
                                   gms_flit_packet_t *packet, uint32_t in_link,
                                   uint32_t out_link);
    void (*absorbed)(void *context, uint32_t switch_index,
                     /** the whole packet has arrived at this switch's agent */
                     gms_flit_packet_t *packet);
    void (*entered)(void *context, gms_flit_packet_t *packet);
    void (*left)(void *context, gms_flit_packet_t *packet);
    void (*asks)(void *context, gms_flit_packet_t *packet); /**< sinks_hold */
    void (*arrived)(void *context, gms_flit_packet_t *packet);
} gms_flit_hooks_t;

/**
 * Create the routers and ports for a topology. The net uses the routes of the
 * topology. On meshes with dimension-order routing, routes may have any length.
 * @param [in] topology  must outlive the net
 * @return GMS_OK, GMS_ERR_CONFIG (error contains the reason),
 *   GMS_ERR_NO_MEMORY
 */
gms_status_t gms_flit_create(gms_arena_t *arena, gms_topology_t *topology,
                             const gms_flit_config_t *config,
                             gms_flit_net_t **net_p,
                             char error[GMS_TOPOLOGY_ERROR_LEN]);
void gms_flit_destroy(gms_arena_t *arena, gms_flit_net_t *net);

const gms_flit_config_t *gms_flit_config(const gms_flit_net_t *net);
gms_topology_t *gms_flit_topology(const gms_flit_net_t *net);

/* ---- input ---- */

#define GMS_FLIT_ANY_LANE GMS_LANES_MAX

/**
 * Append a packet to a queue of its source, which is a node or an agent. The
 * packet's head may leave in the next step.
 * @param [in] lane  lane of the source's link that belongs to the packet's
 *   class. With GMS_FLIT_ANY_LANE, the packet waits in the queue of its class,
 *   which sends one packet at a time in any free lane
 */
void gms_flit_offer(gms_flit_net_t *net, gms_flit_packet_t *packet,
                    unsigned lane);
/** Accept a packet that the net reported through the hook `asks`. Starting with
 *  the next step, the target consumes the packet's flits. */
void gms_flit_accept(gms_flit_net_t *net, gms_flit_packet_t *packet);
/** Return the lane that a packet with this value of `draw` uses on link number
 *  `hop` of its route (0: the source's own link). Every lane of the class has
 *  the same probability. */
unsigned gms_flit_drawn_lane(const gms_flit_config_t *config, uint32_t draw,
                             unsigned hop, unsigned traffic_class);

/* ---- time ---- */

/** Simulate one cycle. */
void gms_flit_step(gms_flit_net_t *net, const gms_flit_hooks_t *hooks,
                   void *context);
uint64_t gms_flit_now(const gms_flit_net_t *net);
/** Return 1 if no flit moves or waits to move, except flits that wait for held
 *  links. Without new offers, another step would only advance the time. */
int gms_flit_is_idle(const gms_flit_net_t *net);
/** Advance the time of an idle net by a number of cycles. */
void gms_flit_skip(gms_flit_net_t *net, uint64_t cycles);

/* ---- functions for congestion and power control ---- */

/** Set the weights of a link's lanes at the port that feeds the link and at the
 *  crossbar input behind the link. At the start, all weights are 0 and the
 *  limit is 1. */
void gms_flit_set_table(gms_flit_net_t *net, uint32_t link,
                        const gms_lane_table_t *table);
/** Return a bit mask of the lanes that packets currently hold on a link. */
uint16_t gms_flit_busy_lanes(const gms_flit_net_t *net, uint32_t link);
/** Return the number of full buffers of input lanes in the whole net or in one
 *  switch. */
uint64_t gms_flit_full_buffers(const gms_flit_net_t *net);
unsigned gms_flit_full_buffers_at(const gms_flit_net_t *net,
                                  uint32_t switch_index);
/** Return the number of flits that wait in the lanes and queues of a node. */
uint64_t gms_flit_waiting(const gms_flit_net_t *net, uint32_t node);
/** Return the links of a route in order, beginning with the source's own link.
 *  The links of agents are not included.
 *  @return number of links; the function writes at most max of them */
unsigned gms_flit_route_links(const gms_flit_net_t *net, uint32_t source,
                              uint32_t target, uint32_t *links, unsigned max);

#define GMS_FLIT_NO_ALLOWANCE UINT32_MAX
/** Limit the number of flits that a switch sends through its crossbar until
 *  this function is called again. With GMS_FLIT_NO_ALLOWANCE, which is the
 *  initial value, the number is unlimited. */
void gms_flit_set_allowance(gms_flit_net_t *net, uint32_t switch_index,
                            uint32_t flits);

/**
 * Hold a link for a use other than flits, or release it. Flits wait at the
 * start of the link until the link is released. A flit that has begun to cross
 * the link continues. Initially, no link is held.
 * @param [in] is_held  1: hold the link from now on; 0: release it. The net
 *   must have output buffers (output_flits above 0)
 */
void gms_flit_hold(gms_flit_net_t *net, uint32_t link, int is_held);
/** Return the cycle after the cycle in which the last flit entered a link; 0 if
 *  no flit has used the link. */
uint64_t gms_flit_free_cycle(const gms_flit_net_t *net, uint32_t link);
/** Return 1 if a flit could cross a link in the next step if the link were not
 *  held. */
int gms_flit_awaits(const gms_flit_net_t *net, uint32_t link);

/** Event counts since the start of the run. The power model computes the energy
 *  from these counts. */
typedef struct gms_flit_counts {
    uint64_t writes, reads; /**< number of flits written to and read from input
                             *   and output buffers */
    uint64_t arbitrations;  /**< number of heads that received an output */
    uint64_t crossings;     /**< number of flits that crossed the crossbar
                             *   (flit-hops) */
} gms_flit_counts_t;

const gms_flit_counts_t *gms_flit_switch_counts(const gms_flit_net_t *net,
                                                uint32_t switch_index);
/** Return the number of flits that a link has carried. */
uint64_t gms_flit_link_flits(const gms_flit_net_t *net, uint32_t link);

/** Check the whole state of the net. No flit may be lost. The credits and flits
 *  of a buffer must add up to its size. Each busy lane must have exactly one
 *  owner.
 *  @param [out] error  describes the violated condition
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM */
gms_status_t gms_flit_check(const gms_flit_net_t *net,
                            char error[GMS_TOPOLOGY_ERROR_LEN]);

#endif
