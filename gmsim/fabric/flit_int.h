/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the state of a flit network, and the functions that its files share.
 *
 *   flit_config.c  parameters           flit_build.c   construction
 *   flit_time.c    a cycle's phases     flit_route.c   the next link
 *   flit_head.c    lanes for heads      flit_cross.c   crossbars
 *   flit_output.c  output buffers       flit_node.c    sources
 *   flit_sink.c    targets              flit_query.c   access for controls
 *   flit_check.c   invariants
 *
 * In the files of the flit network, links have internal numbers. The nodes'
 * links come first, as in the topology. The output links of every switch
 * follow, and the link to the switch's agent is the last of these. The agents'
 * own links have the highest numbers. A link has one sender and one receiver,
 * so out[link] and in[link] are its two ends.
 *
 *   out[link]: credits, owners of lanes --- link ---> in[link]: buffers
 *
 * Wheels contain flits and credits in transit between two ends. They also
 * contain pending operations that take a fixed number of cycles, such as
 * routing. A wheel is a ring of lists, one list per cycle, with 32-bit entries:
 * link * 16 + lane. Flits are counted, not stored individually. The flits of a
 * lane arrive in the order in which they were sent. Therefore a receiving lane
 * stores only the order of the packets and the number of remaining flits of the
 * first packet.
 *
 * A cycle consists of phases. A phase reads the state that earlier phases have
 * produced. Flits and credits that a phase sends arrive in a later cycle. The
 * order of routers within a phase therefore does not matter.
 */
#ifndef FABRIC_FLIT_INT_H
#define FABRIC_FLIT_INT_H

#include "base/queue.h"
#include "fabric/flit.h"
#include "fabric/topology_int.h"

/** Maximum number of cycles of a stage. This limit bounds the size of the
 *  wheels. */
#define GMS_FLIT_STAGE_MAX 64u
/** Maximum number of local ports of a switch, including its agent's port. The
 *  limit is 64 because a set of ports is a word of 64 bits. */
#define GMS_FLIT_PORTS_MAX 64u
#define GMS_FLIT_NO_OWNER  UINT16_MAX
#define GMS_FLIT_NO_LANE   GMS_LANES_MAX

/* Data that every flit uses are aligned to cache lines and separate from data
 * that only heads use. The simulation of a large net spends most of its time on
 * memory accesses. */

/** Buffer of a lane at a link's end. */
typedef struct gms_flit_lane {
    gms_flit_packet_t *front; /* packet whose flits leave next, or NULL */
    uint16_t rest;            /* number of the front packet's flits that have
                               * not left yet */
    uint8_t flits;            /* total number of flits in the buffer */
    uint8_t out_port;         /* local output port that the front packet uses */
    uint8_t out_lane;
    uint8_t behind_first, behind_count; /* ring of the packets that follow the
                                         * front packet */
    uint8_t spare;
} gms_flit_lane_t;

/** The receiving end of a link: a switch's input or a sink. Masks have one bit
 *  per lane. */
typedef struct gms_flit_in {
    uint16_t ready;  /* lanes with a flit that may cross now, or that the sink
                      * may consume now */
    uint16_t active; /* lanes whose front packet has an output lane, or is
                      * accepted by the sink */
    uint16_t fresh;  /* active lanes where the head of the front packet has not
                      * yet left */
    uint8_t port;    /* local port of the switch */
    uint8_t turn;    /* lane served last, for arbitration in turn */
    uint32_t switch_index; /* number of the switch; GMS_LINK_NONE for a sink */
    uint32_t end;          /* for a sink: the node, or GMS_FLIT_AGENT() */
} gms_flit_in_t;

/** The sending end of a link: a switch's output or a source. */
typedef struct gms_flit_out {
    uint64_t carried;    /* flits */
    uint64_t free_cycle; /* the cycle after the one in which the last flit was
                          * sent */
    uint16_t busy;       /* mask of the lanes that packets hold */
    uint16_t credit;     /* mask of the lanes with a credit */
    uint16_t open;       /* mask of the lanes with room in the output buffer, if
                          * the output has a buffer */
    uint16_t waiting; /* mask of the queues (by class or by lane) in which heads
                       * wait */
    uint8_t credits[GMS_LANES_MAX];
    uint32_t switch_index; /* number of the switch; GMS_LINK_NONE for a
                            * source */
    uint16_t delay;        /* number of cycles from the sending of a flit until
                            * the flit is in the buffer at the link's end */
    uint8_t turn;          /* input that received the last grant */
    uint8_t lane_turn[GMS_LANE_CLASSES]; /* lane that was assigned last */
    uint8_t spare[14];                   /* padding to the end of the cache
                                          * line */
} gms_flit_out_t;

/** The buffers at a switch's output. Each lane's buffer holds flits of only one
 *  packet at a time. */
typedef struct gms_flit_buffer {
    uint16_t ready; /* lanes with a flit and a credit */
    uint16_t fresh; /* lanes where the head of the packet has not yet left */
    uint8_t turn;
    uint8_t room[GMS_LANES_MAX], flits[GMS_LANES_MAX];
    uint16_t rest[GMS_LANES_MAX];
    gms_flit_packet_t *packet[GMS_LANES_MAX];
} gms_flit_buffer_t;

typedef struct gms_flit_switch {
    uint64_t ready;     /* mask of the inputs with ready lanes */
    const uint32_t *in; /* links, indexed by local input port */
    uint32_t out_first; /* link of local output port 0 */
    uint32_t allowance;
    uint32_t full; /* number of full buffers */
    uint8_t ports; /* number of local ports, including the agent's port */
    uint8_t turn;  /* input to serve first if the switch's allowance is
                    * limited */
    gms_flit_counts_t counts;
} gms_flit_switch_t;

typedef struct gms_flit_list {
    gms_flit_packet_t *first, *last;
} gms_flit_list_t;

/** The sending side of a node or an agent. */
typedef struct gms_flit_source {
    uint16_t active; /* lanes that are sending a packet */
    uint16_t ready;  /* active lanes with a credit */
    uint16_t fresh;  /* active lanes where the head of the packet has not yet
                      * left */
    uint8_t turn;
    uint8_t shared_lane[GMS_LANE_CLASSES]; /* for each class, the lane that
                                            * its own queue is using */
    uint32_t link;
    uint64_t waiting; /* flits */
    uint16_t rest[GMS_LANES_MAX];
    gms_flit_packet_t *packet[GMS_LANES_MAX];
    gms_flit_list_t queue[GMS_LANES_MAX];
    gms_flit_list_t shared[GMS_LANE_CLASSES];
} gms_flit_source_t;

enum gms_flit_wheels {
    GMS_FLIT_ARRIVE = 0, /* a flit reaches the buffer at a link's end */
    GMS_FLIT_CREDIT,     /* a credit returns to a link's start */
    GMS_FLIT_BUFFERED,   /* a flit reaches an output buffer */
    GMS_FLIT_ROUTED,     /* a head has been routed */
    GMS_FLIT_ALLOCATED,  /* a head may cross the crossbar */
    GMS_FLIT_WHEELS
};

typedef struct gms_flit_wheel {
    uint32_t *entry; /* array, indexed by slot * room + index in the slot */
    uint32_t *count; /* number of entries in each slot */
    uint32_t room;   /* capacity of a slot; the entries of a cycle never exceed
                      * it */
} gms_flit_wheel_t;

/** A set of numbers, stored as one bit per number. */
typedef struct gms_flit_set {
    uint64_t *word;
    uint32_t words;
} gms_flit_set_t;

/** Queue of heads that wait for a lane. The queue is first come, first
 *  served. */
typedef struct gms_flit_waiters {
    uint32_t first, last; /* link * 16 + lane */
} gms_flit_waiters_t;

struct gms_flit_net {
    gms_flit_config_t config;
    gms_topology_t *topology;
    uint64_t now;
    int is_stepping;
    int takes_turns; /* 1 if there is only one class, and its lanes take turns
                      * without arbiter state */
    int is_buffered; /* 1 if there are output buffers */
    int is_mesh;     /* 1 if routing is dimension-order on a mesh; routes are
                      * then computed arithmetically */
    int has_since;   /* 1 if the policy is FCFS */
    uint16_t source_cycles; /* number of cycles from sending a flit until it is
                             * in the buffer of the first switch */
    uint16_t cross_cycles;  /* number of cycles from a grant until the flit is
                             * in the output buffer */

    uint32_t nodes, switches, links;
    uint32_t agent_first; /* number of the first link that belongs to an
                           * agent */
    gms_flit_in_t *in;
    gms_flit_lane_t *lane; /* receiving sides of the lanes, indexed by link and
                            * lane */
    gms_flit_out_t *out;
    /* For each link and lane, input port * 16 + lane of the packet that is
     * using the output lane. */
    uint16_t *owner;
    gms_flit_buffer_t *buffer; /* array, indexed by link, or NULL */
    gms_flit_switch_t *switch_state;
    gms_flit_source_t *source;   /* array, indexed by node, then by agent */
    gms_flit_packet_t **behind;  /* memory for the rings of packets behind the
                                  * front packets: buffer_flits entries for each
                                  * link and lane */
    gms_flit_waiters_t *waiters; /* for each link, one queue per lane */
    uint32_t *next_waiter;       /* array, indexed by link and lane */
    uint32_t *inputs;            /* memory for the arrays `in` of all
                                  * switches */
    uint8_t *local;              /* number of the local port of each slot of the
                                  * topology */
    uint32_t *resident;          /* for each switch, one of its nodes */
    uint32_t *outside, *inside;  /* tables that convert the internal number of
                                  * a link to its number in the topology, and
                                  * back */

    gms_lane_table_t *table;           /* array, indexed by link */
    gms_lane_arbiter_t *in_arbiter;    /* array, indexed by link, or NULL */
    gms_lane_arbiter_t *out_arbiter;   /* array, indexed by link, or NULL */
    gms_lane_arbiter_t *grant_arbiter; /* array, indexed by link, or NULL */
    uint32_t *in_since, *out_since;    /* array, indexed by link and lane, or
                                        * NULL */

    gms_flit_wheel_t wheel[GMS_FLIT_WHEELS];
    uint32_t slot_mask;
    uint64_t entries; /* number of entries in all wheels */
    uint32_t *freed;  /* outputs with waiting heads and a lane that has become
                       * free */
    uint32_t freed_count;

    gms_flit_set_t crossing; /* switches with ready flits */
    gms_flit_set_t sending;  /* outputs with ready flits */
    gms_flit_set_t feeding;  /* sources with ready flits */
    gms_flit_set_t held;     /* outputs of held links, which may not send */
    gms_flit_set_t starved;  /* sources of held links */
    gms_flit_set_t taking;   /* links into sinks that are taking flits */

    gms_flit_list_t offered; /* packets that were offered during a step; the net
                              * processes them at the end of the step */
    gms_flit_list_t accepted;
    uint64_t full; /* number of full buffers of input lanes */
    uint64_t flits_offered, flits_consumed;
};

/** Arguments of a step, shared by its phases. */
typedef struct gms_flit_run {
    gms_flit_net_t *net;
    const gms_flit_hooks_t *hooks;
    void *context;
} gms_flit_run_t;

/* ---- operations on every flit ---- */

static inline void gms_flit_push(gms_flit_net_t *net, enum gms_flit_wheels kind,
                                 uint32_t delay, uint32_t entry)
{
    gms_flit_wheel_t *wheel = &net->wheel[kind];
    uint32_t slot = (uint32_t)(net->now + delay) & net->slot_mask;

    wheel->entry[(size_t)slot * wheel->room + wheel->count[slot]++] = entry;
    ++net->entries;
}

static inline void gms_flit_set_add(gms_flit_set_t *set, uint32_t number)
{
    set->word[number >> 6] |= UINT64_C(1) << (number & 63);
}

static inline void gms_flit_set_remove(gms_flit_set_t *set, uint32_t number)
{
    set->word[number >> 6] &= ~(UINT64_C(1) << (number & 63));
}

GMS_QUEUE_DEFINE(gms_flit_list, gms_flit_list_t, gms_flit_packet_t, next);

/** Return the port that is next in turn after `last`, like gms_lane_next() for
 *  lanes. */
static inline unsigned gms_flit_next_port(uint64_t ports, unsigned last)
{
    uint64_t after = last >= 63 ? 0 : ports & (~UINT64_C(1) << last);

    return (unsigned)__builtin_ctzll(after != 0 ? after : ports);
}

/** Return the lanes of the receiver of a link. */
static inline gms_flit_lane_t *gms_flit_lanes(const gms_flit_net_t *net,
                                              uint32_t link)
{
    return &net->lane[(size_t)link * GMS_LANES_MAX];
}

/** Append a packet to the packets that a receiving lane expects. The packet's
 *  head has been sent. */
static inline void gms_flit_expect(gms_flit_net_t *net, uint32_t link,
                                   unsigned lane, gms_flit_packet_t *packet)
{
    gms_flit_lane_t *at = &gms_flit_lanes(net, link)[lane];
    unsigned room = net->config.buffer_flits, place;

    if (at->front == NULL) {
        at->front = packet;
        at->rest = packet->flits;
        return;
    }
    place = at->behind_first + at->behind_count;
    place = place >= room ? place - room : place;
    net->behind[((size_t)link * GMS_LANES_MAX + lane) * room + place] = packet;
    ++at->behind_count;
}

/** Make the next packet the front of a lane, after the tail of the current
 *  front packet has left. */
static inline void gms_flit_advance(gms_flit_net_t *net, uint32_t link,
                                    unsigned lane)
{
    gms_flit_lane_t *at = &gms_flit_lanes(net, link)[lane];
    unsigned room = net->config.buffer_flits;

    if (at->behind_count == 0) {
        at->front = NULL;
        return;
    }
    at->front = net->behind[((size_t)link * GMS_LANES_MAX + lane) * room +
                            at->behind_first];
    at->rest = at->front->flits;
    at->behind_first = (uint8_t)(at->behind_first + 1u);
    /* If the ring is empty or its end is reached, restart at its beginning.
     * In most cases, only the first entry of the ring is then used, and it
     * remains in the cache. */
    if (--at->behind_count == 0 || at->behind_first == room) {
        at->behind_first = 0;
    }
}

/** Mark an input lane as ready to send flits through the crossbar. */
static inline void gms_flit_set_ready(gms_flit_net_t *net, gms_flit_in_t *in,
                                      uint32_t link, unsigned lane)
{
    gms_flit_switch_t *at = &net->switch_state[in->switch_index];

    if (net->has_since) {
        net->in_since[link * GMS_LANES_MAX + lane] = (uint32_t)net->now;
    }
    in->ready |= (uint16_t)(1u << lane);
    at->ready |= UINT64_C(1) << in->port;
    gms_flit_set_add(&net->crossing, in->switch_index);
}

/** Return the lanes of an output to which the crossbar may send. */
static inline uint16_t gms_flit_open_lanes(const gms_flit_net_t *net,
                                           const gms_flit_out_t *out)
{
    return net->is_buffered ? out->open : out->credit;
}

/** Count a flit that enters the link of an output or a source. */
static inline void gms_flit_carry(gms_flit_net_t *net, gms_flit_out_t *out)
{
    ++out->carried;
    out->free_cycle = net->now + 1;
}

/** Make the input lane that owns an output lane ready, because the output lane
 *  has room or a credit again. */
static inline void gms_flit_wake_owner(gms_flit_net_t *net, uint32_t out_link,
                                       unsigned out_lane)
{
    const gms_flit_switch_t *at =
        &net->switch_state[net->out[out_link].switch_index];
    unsigned owner = net->owner[out_link * GMS_LANES_MAX + out_lane], lane;
    gms_flit_in_t *in;
    uint32_t link;

    if (owner == GMS_FLIT_NO_OWNER) {
        return;
    }
    link = at->in[owner / GMS_LANES_MAX];
    in = &net->in[link];
    lane = owner % GMS_LANES_MAX;
    if ((in->active >> lane & 1) && gms_flit_lanes(net, link)[lane].flits > 0) {
        gms_flit_set_ready(net, in, link, lane);
    }
}

/** Free the lane of a packet whose tail has been sent. */
static inline void gms_flit_release(gms_flit_net_t *net, uint32_t link,
                                    unsigned lane)
{
    gms_flit_out_t *out = &net->out[link];

    out->busy &= (uint16_t) ~(1u << lane);
    if (out->waiting != 0) {
        net->freed[net->freed_count++] = link;
    }
}

static inline void gms_flit_take_credit(gms_flit_out_t *out, unsigned lane)
{
    if (--out->credits[lane] == 0) {
        out->credit &= (uint16_t) ~(1u << lane);
    }
}

/* ---- flit_config.c ---- */

/** Return the number of cycles of a hop that precede the link. A hop lasts from
 *  the grant of a head in one switch to the grant of this head in the next
 *  switch (gms_flit_hop_cycles()). */
unsigned gms_flit_send_cycles(const gms_flit_config_t *config);

/* ---- flit_route.c ---- */

/** Return the local output port by which a packet leaves a switch. */
unsigned gms_flit_route(const gms_flit_net_t *net, uint32_t switch_index,
                        const gms_flit_packet_t *packet);
/** Return the switch of a node or of an agent. */
uint32_t gms_flit_home(const gms_flit_net_t *net, uint32_t end);

/* ---- phases ---- */

void gms_flit_heads_retry(gms_flit_run_t *run);
void gms_flit_head_routed(gms_flit_run_t *run, uint32_t entry);
void gms_flit_head_allocated(gms_flit_net_t *net, uint32_t entry);
void gms_flit_cross(gms_flit_net_t *net, uint32_t switch_index);
void gms_flit_send(gms_flit_net_t *net, uint32_t link);
void gms_flit_feed(gms_flit_run_t *run, uint32_t source);
void gms_flit_sink_arrived(gms_flit_run_t *run, uint32_t link, unsigned lane);
void gms_flit_sink_take(gms_flit_run_t *run, uint32_t link);
/** Process the packets that were offered or accepted during the step. */
void gms_flit_late_offers(gms_flit_net_t *net);
void gms_flit_late_accepts(gms_flit_net_t *net);

/** Return the number of the source that feeds a link. The link must be a node's
 *  or an agent's own link. */
static inline uint32_t gms_flit_source_of(const gms_flit_net_t *net,
                                          uint32_t link)
{
    return link < net->nodes ? link : link - net->agent_first + net->nodes;
}

/* ---- arbitration ---- */

/** Choose the lane of an input, an output buffer or a source that sends next.
 *  If there is only one class without weights, lanes take turns. Otherwise the
 *  arbiter decides. */
static inline unsigned gms_flit_pick(const gms_flit_net_t *net,
                                     const gms_lane_arbiter_t *arbiters,
                                     const uint32_t *since, uint32_t link,
                                     uint16_t candidates, unsigned turn)
{
    if ((candidates & (candidates - 1)) == 0) {
        return (unsigned)__builtin_ctz(candidates);
    }
    if (net->takes_turns) {
        return gms_lane_next(candidates, turn);
    }
    return gms_lane_arbiter_pick(
        &arbiters[link], &net->config.plan, &net->table[link], candidates,
        since == NULL ? NULL : &since[(size_t)link * GMS_LANES_MAX]);
}

static inline void gms_flit_served(gms_flit_net_t *net,
                                   gms_lane_arbiter_t *arbiters,
                                   uint32_t *since, uint32_t link,
                                   unsigned lane, uint16_t waited,
                                   uint8_t *turn)
{
    *turn = (uint8_t)lane;
    if (!net->takes_turns) {
        gms_lane_arbiter_served(&arbiters[link], &net->config.plan,
                                &net->table[link], lane, waited);
        if (since != NULL) {
            since[(size_t)link * GMS_LANES_MAX + lane] = (uint32_t)net->now + 1;
        }
    }
}

#endif
