/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This header is private to bound*.c:
 *
 *   bound.c         flows, servers, tentative changes, the fixed point
 *   bound_cost.c    cost of a packet per kind of server (reserved lanes)
 *   bound_hca.c     costs and servers of hca NICs
 *   bound_server.c  the largest delay of one server
 *   bound_curve.c   the largest delay of a server with many flows, by straight
 *                   lines
 *   bound_result.c  bounds of flows, and whether they are granted
 *   bound_buffer.c  packets in buffers
 *   bound_window.c  bandwidth of windows, and shorter IDTs for windows that lack
 *                   bandwidth
 *
 * Every rule has its own cost functions (gms_bound_ops_t), but all rules share
 * the fixed-point code. Between fabric models with reserved lanes, only the
 * times differ.
 */
#ifndef MANAGER_BOUND_INT_H
#define MANAGER_BOUND_INT_H

#include "fabric/link_time.h"
#include "manager/bound.h"

/** A delay above this value is treated as unbounded. */
#define GMS_BOUND_MOST_PS GMS_SECOND
/** The delays of servers with at most this many flows are computed packet by
 *  packet. */
#define GMS_BOUND_EXACT_FLOWS 4u
/** Number of packets per flow that are charged with the extra costs at the
 *  beginning of a busy period. For later packets, these costs usually take no
 *  additional time, because they overlap with a transfer that is in
 *  progress. */
#define GMS_BOUND_EXTRA_PACKETS 2u

enum gms_bound_kind {
    GMS_BOUND_SOURCE = 0,
    GMS_BOUND_TARGET,
    GMS_BOUND_LINK
};

/** One server on a flow's route. */
typedef struct gms_bound_hop {
    uint32_t server;
    uint32_t slot;  /* index in the server's list of flows */
    uint32_t input; /* link on which the flow arrives; unused at sources */
    /* jitter J of the packets that arrive at this server; may be negative until
     * the preceding servers have been computed */
    int64_t j_ps;
} gms_bound_hop_t;

struct gms_bound_flow {
    gms_grant_t *grant;
    gms_time_t idt_ps;
    uint64_t per_idt; /* 2^64 / idt_ps, rounded down; used to replace divisions
                       * by multiplications */
    uint32_t packets; /* number of packets of the longest message */
    /* payload of the largest packet and of the last packet of a message */
    uint32_t packet_bytes, last_bytes;
    uint32_t burst_packets; /* number of packets that may be posted at once */
    /* Times of a full packet in the sending NIC, on a link, on the first and
     * the last link (including the gap between packets), and in the receiving
     * NIC. The last field, send_min_ps, is the time of the shortest packet in
     * the sending NIC. */
    gms_time_t send_ps, wire_ps, link_ps, arrive_ps, receive_ps, send_min_ps;
    gms_time_t send_extra_ps, receive_extra_ps;
    /* shortest time between two packets in the sending NIC; 0 if not used */
    gms_time_t apart_ps;
    /* times of the last packet of a message: on a link, and in the host DMA
     * engine */
    gms_time_t last_wire_ps, last_dma_ps;
    uint64_t seen;       /* number of the last traversal that reached the
                          * flow */
    uint8_t is_limited;  /* 1: the flow requested a delay or a jitter */
    uint8_t has_windows; /* 1: the flow's bandwidth is guaranteed in every
                          * window; 0 for reverse traffic */
    /* 1: the flow's IDT is shorter than its bandwidth requires */
    uint8_t is_hastened;
    uint32_t hops;
    gms_bound_hop_t hop[]; /* the servers in route order: source, links,
                            * target */
};

typedef struct gms_bound_entry {
    gms_bound_flow_t *flow;
    uint32_t hop;
} gms_bound_entry_t;

typedef struct gms_bound_server {
    gms_bound_entry_t *entries;
    uint32_t count, room;
    /* for a link: largest position of the link on the route of any flow so
     * far */
    uint32_t depth;
    uint32_t visited_count; /* the value of count at the time when delay_ps was
                             * computed */
    uint8_t is_queued;
    /* for a source: 1 if the traffic that this NIC receives has changed since
     * the last computation; this server's own delay can be the cause */
    uint8_t is_fed;
    /* largest delay, including the service of the packet itself; 0: no flows,
     * GMS_BOUND_MOST_PS: no bound */
    gms_time_t delay_ps;
    gms_time_t published_ps; /* delay_ps, rounded up; the jitter J of flows is
                              * computed from this value */
    gms_time_t link_ps;      /* for a target: delay of the link only */
    /* the largest times of a packet of any flow: in the NIC (source or target),
     * on the link, and the sum of both */
    gms_time_t nic_most_ps, wire_most_ps, both_most_ps;
    /* the smallest time that a packet of any flow spends in the NIC */
    gms_time_t nic_least_ps;
    uint64_t seen;        /* number of the last traversal that reached the
                           * server */
    uint64_t buffer_seen; /* number of the last traversal that checked the
                           * buffer behind the server */
    /* number of the last traversal that reached the server in a check of the
     * packets in switches */
    uint64_t excess_seen;
} gms_bound_server_t;

/** Costs that do not depend on flows, in ps. */
typedef struct gms_bound_costs {
    gms_link_time_t link;
    gms_time_t tick_ps;
    /* time of the program's call and of the descriptor transfer */
    gms_time_t host_ps;
    gms_time_t token_ps; /* time that POLL needs to read one descriptor */
    /* remaining time of a POLL that has already begun, and time of the job
     * before this POLL */
    gms_time_t poll_ps;
    gms_time_t send_ps;   /* at a source with one flow: time per packet, without
                           * the time for its bytes */
    gms_time_t search_ps; /* time of a scheduler search, per additional flow */
    /* time of jobs that may run in the middle of a send */
    gms_time_t send_extra_ps;
    gms_time_t receive_ps; /* at a target: time per packet, without the time for
                            * its bytes */
    gms_time_t receive_extra_ps;
    gms_time_t event_ps;
    gms_time_t turn_ps; /* time to switch from sending to receiving */
    /* source's link: time from the end of one packet to the beginning of the
     * next */
    gms_time_t line_ps;
    gms_time_t gap_ps;   /* additional gap between packets while only the link
                          * is busy */
    gms_time_t block_ps; /* time of a best-effort transfer that a NIC has
                          * begun */
    /* time of traffic that crosses a link before a reserved packet: a packet of
     * a manager and, in model flit, a flit */
    gms_time_t control_ps;
    /* in model flit, on a link into a NIC: time of the flits that cross the
     * link while a packet requests a buffer of the NIC */
    gms_time_t ask_ps;
    gms_time_t ack_ps; /* time that an acknowledgement needs to cross a link */
    gms_time_t hop_ps; /* time for propagation and routing per hop */
    /* time from the NDT of a packet of one byte to its arrival, without hops */
    gms_time_t packet_least_ps;
    /* time of a byte at the host DMA divided by its time on a link; at least
     * 1 */
    double dma_per_wire;
    /* numbers of buffers for reserved packets in a NIC */
    uint64_t send_buffers, receive_buffers;
    uint64_t switch_packets; /* number of reserved packets that fit into the
                              * memory of an input port */
} gms_bound_costs_t;

enum gms_bound_log {
    GMS_BOUND_DELAY,
    GMS_BOUND_ADDED,
    GMS_BOUND_REMOVED,
    GMS_BOUND_HASTENED,
    GMS_BOUND_TIGHTENED
};

/** A tentative change. */
typedef struct gms_bound_change {
    uint8_t kind; /* enum gms_bound_log */
    uint32_t server;
    gms_time_t delay_ps, published_ps, link_ps; /* values before the change */
    uint32_t visited_count, idt_ticks;          /* values before the change */
    gms_bound_flow_t *flow;
} gms_bound_change_t;

/** Functions that differ between fabric models. */
typedef struct gms_bound_ops {
    const char *name;
    int (*applies)(const gms_params_t *params, const gms_topology_t *topology);
    void (*costs)(const gms_params_t *params, gms_bound_costs_t *costs);
    /* sets the packets and costs of a flow according to its grant and IDT */
    void (*flow)(const gms_bound_t *bound, gms_bound_flow_t *flow);
    /* returns the shortest possible delay of the flow's longest message */
    gms_time_t (*least)(const gms_bound_t *bound, const gms_bound_flow_t *flow);
    /* computes delay_ps and link_ps of a server, and stores them in *delay_p
     * and *link_p */
    void (*serve)(const gms_bound_t *bound, uint32_t server,
                  gms_time_t *delay_p, gms_time_t *link_p);
    /* 1: a flow without bounds is denied, even under the rule `constant` */
    int is_strict;
} gms_bound_ops_t;

/** All rules for bounds. A rule is selected by number, because an arena must
 *  not contain code addresses. */
extern const gms_bound_ops_t *const gms_bound_rules[];

struct gms_bound {
    gms_arena_t *arena;
    const gms_topology_t *topology;
    gms_params_t params;
    gms_bound_costs_t costs;
    uint32_t rule; /* index in gms_bound_rules */
    unsigned nodes, links;
    gms_bound_server_t *servers; /* sources, targets, links */
    uint32_t server_count;
    uint32_t *queue; /* ring of servers to compute; each server is in the ring
                      * at most once */
    uint32_t queue_first, queue_count;
    /* servers, sorted so that a server follows the servers on which it depends;
     * see gms_bound_renew() */
    uint32_t *order;
    /* indexed by link: number of flows whose acknowledgements use the link */
    uint32_t *acks;
    /* indexed by link: rate of these acknowledgements, in 2^-24 of the link's
     * time */
    uint64_t *ack_rate;
    gms_bound_change_t *log;
    uint32_t log_count, log_room;
    /* number of all flows, and of flows with a requested delay or jitter */
    uint32_t flows, limited;
    uint64_t walk;        /* number of the last traversal */
    uint64_t excess_walk; /* number of the last check of the packets in
                           * switches */
    uint64_t evaluations;
    uint8_t is_question; /* 1: a flow without a bound will be denied */
    uint8_t is_removing; /* 1: the current change decreases delays */
    /* 1: delays depend on each other in a cycle, so they may remain too high */
    uint8_t is_circular;
    uint8_t is_loose; /* 1: a delay may be too high, see gms_bound_tighten() */
    /* 1: all servers are in the log and are computed in sorted order */
    uint8_t is_renewing;
};

static inline gms_time_t gms_bound_most(gms_time_t a, gms_time_t b)
{
    return a > b ? a : b;
}

static inline uint32_t gms_bound_source(unsigned node)
{
    return node;
}
static inline uint32_t gms_bound_target(const gms_bound_t *bound, unsigned node)
{
    return bound->nodes + node;
}
static inline uint32_t gms_bound_link(const gms_bound_t *bound, uint32_t link)
{
    return 2 * bound->nodes + link;
}
static inline enum gms_bound_kind gms_bound_kind(const gms_bound_t *bound,
                                                 uint32_t server)
{
    return server < bound->nodes       ? GMS_BOUND_SOURCE
           : server < 2 * bound->nodes ? GMS_BOUND_TARGET
                                       : GMS_BOUND_LINK;
}
/** Returns the longest time until POLL reads a flow's descriptor. POLL may have
 *  to read one descriptor of every other flow of the NIC first. */
static inline gms_time_t gms_bound_poll(const gms_bound_t *bound,
                                        uint32_t source)
{
    return bound->costs.poll_ps +
           bound->servers[source].count * bound->costs.token_ps;
}
static inline gms_time_t gms_bound_j(const gms_bound_flow_t *flow, uint32_t hop)
{
    int64_t j_ps = flow->hop[hop].j_ps;

    return j_ps > 0 ? (gms_time_t)j_ps : 0;
}
/** Returns the largest number of messages that a given number of packets of a
 *  flow can complete. Each message causes one event. */
static inline uint64_t gms_bound_events(const gms_bound_flow_t *flow,
                                        uint64_t packets)
{
    return (packets + flow->packets - 1) / flow->packets;
}
/** Returns x / idt_ps, rounded down. The function multiplies by per_idt,
 *  because a division would take many times as long. The result may be too
 *  small by 1. */
static inline uint64_t gms_bound_whole_periods(const gms_bound_flow_t *flow,
                                               uint64_t x)
{
    uint64_t whole = (uint64_t)((unsigned __int128)x * flow->per_idt >> 64);

    return whole + (x - whole * flow->idt_ps >= flow->idt_ps);
}
/** Returns the number of packets that arrive in an interval that includes both
 * of its ends. */
static inline uint64_t gms_bound_arrivals(const gms_bound_flow_t *flow,
                                          uint32_t hop, gms_time_t t_ps)
{
    return 1 + gms_bound_whole_periods(flow, t_ps + gms_bound_j(flow, hop));
}
/** Returns x / idt_ps in units of 2^-bits. The result is rounded up and at most
 *  2 too large; x must be less than 2^(64 - bits). */
static inline uint64_t gms_bound_periods(const gms_bound_flow_t *flow,
                                         uint64_t x, unsigned bits)
{
    return (uint64_t)((unsigned __int128)x * flow->per_idt >> (64 - bits)) + 2;
}

/** Prefetches a flow that a loop over a server's flows will soon reach. The
 *  flows are scattered in memory. */
static inline void gms_bound_prefetch(const gms_bound_server_t *server,
                                      uint32_t slot)
{
    if (slot + 3 < server->count) {
        const gms_bound_entry_t *entry = &server->entries[slot + 3];

        __builtin_prefetch(entry->flow);
        __builtin_prefetch(&entry->flow->receive_ps);
        __builtin_prefetch(&entry->flow->hop[entry->hop]);
    }
}

/* ---- bound.c ---- */

/** Tentatively shortens the IDT of a flow; gms_bound_settle() computes the
 *  delays again. @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_bound_set_idt(gms_bound_t *bound, gms_bound_flow_t *flow,
                               uint32_t idt_ticks);
gms_status_t gms_bound_settle(gms_bound_t *bound);

/* ---- bound_result.c ---- */

/** Returns the longest time from a packet's NDT to its event. The time starts
 *  at the arrival of the descriptor if the packet does not have to wait for its
 *  NDT. */
gms_time_t gms_bound_path(const gms_bound_t *bound,
                          const gms_bound_flow_t *flow);

/** Returns the shortest possible delay of a flow's longest message with lanai
 *  NICs. */
gms_time_t gms_bound_worm_least(const gms_bound_t *bound,
                                const gms_bound_flow_t *flow);

/* ---- bound_buffer.c ---- */

/** Checks whether the packets that wait for a server fit into their buffers,
 *  and whether the packets behind the server fit into theirs. */
int gms_bound_has_room(gms_bound_t *bound, uint32_t number,
                       const gms_bound_flow_t *flow,
                       gms_qos_verdict_t *verdict);

/* ---- bound_window.c ---- */

/** Returns the latency L of a flow whose packets arrive at most path_ps after
 *  their NDT. */
gms_time_t gms_bound_latency(const gms_bound_t *bound,
                             const gms_bound_flow_t *flow, gms_time_t path_ps);

/* ---- bound_cost.c ---- */

/** Computes the number and sizes of the packets in a flow's longest message,
 *  and the number of packets in a burst. */
void gms_bound_shape(const gms_params_t *params, gms_bound_flow_t *flow);

extern const gms_bound_ops_t gms_bound_worm_ops;

/* ---- bound_server.c ---- */

/** A flow at one server. */
typedef struct gms_bound_item {
    const gms_bound_flow_t *flow;
    uint32_t hop;
    gms_time_t cost_ps; /* cost of a packet */
    /* at a NIC: the part of the cost in which only the link is busy */
    gms_time_t slack_ps;
    gms_time_t extra_ps; /* extra cost of the first packets of a busy period */
    gms_time_t wire_ps;
    gms_time_t fixed_ps; /* the part of the cost that exceeds per_wire x
                          * wire_ps */
} gms_bound_item_t;

/** Properties of a server. */
typedef struct gms_bound_manner {
    uint32_t server;
    int is_nic; /* 1: a NIC and its link; 0: a link */
    /* 1: the packets of each input arrive one after the other */
    int has_lines;
    gms_time_t start_ps; /* other work that may precede a busy period */
    gms_time_t floor_ps; /* smallest cost of a packet */
    double per_wire;     /* cost of a byte, divided by its time on a link */
    /* the other direction of a NIC; packets of the two directions take turns */
    uint32_t other;           /* index of that direction's server, or
                               * GMS_LINK_NONE */
    gms_time_t other_cost_ps; /* cost of each packet of the other direction */
    /* 1: the other direction has a turn before every packet and every event of
     * this direction; 0: only before every packet */
    int has_events;
    /* additional jitter of the other direction's packets, which their jitter J
     * at that server does not include */
    gms_time_t other_late_ps;
    /* at a link: time of the acknowledgements that may precede a busy period */
    gms_time_t ack_ps;
    double ack_rate;
} gms_bound_manner_t;

/** Returns the largest delay of a server. @return GMS_BOUND_MOST_PS if there is
 *  no bound */
gms_time_t gms_bound_delay(const gms_bound_t *bound,
                           const gms_bound_manner_t *manner);
/** Sets the properties of a link. */
void gms_bound_manner_link(const gms_bound_t *bound, uint32_t server,
                           uint32_t link, gms_bound_manner_t *manner);
void gms_bound_serve_worm(const gms_bound_t *bound, uint32_t server,
                          gms_time_t *delay_p, gms_time_t *link_p);

/** Sets the fields of an item for a flow at a server. The function is inline,
 *  because it runs for every flow of every server. */
static inline void gms_bound_item(const gms_bound_t *bound,
                                  const gms_bound_manner_t *manner,
                                  uint32_t slot, gms_bound_item_t *item)
{
    const gms_bound_server_t *server = &bound->servers[manner->server];
    const gms_bound_entry_t *entry = &server->entries[slot];
    const gms_bound_flow_t *flow = entry->flow;
    gms_time_t nic_ps = 0, line_ps = flow->wire_ps, cost_ps, bytes_ps;

    item->flow = flow;
    item->hop = entry->hop;
    item->wire_ps = flow->wire_ps;
    item->extra_ps = 0;
    if (manner->is_nic && manner->has_lines) {
        nic_ps = flow->receive_ps;
        line_ps = flow->arrive_ps;
        item->extra_ps = flow->receive_extra_ps;
    } else if (manner->is_nic) {
        nic_ps = flow->send_ps + bound->costs.search_ps * (server->count - 1);
        line_ps = flow->link_ps;
        item->extra_ps = flow->send_extra_ps;
    }
    cost_ps = nic_ps > line_ps ? nic_ps : line_ps;
    cost_ps = cost_ps > manner->floor_ps ? cost_ps : manner->floor_ps;
    bytes_ps = (gms_time_t)(manner->per_wire * (double)flow->wire_ps);
    item->cost_ps = cost_ps;
    item->slack_ps = manner->is_nic ? cost_ps - nic_ps : 0;
    item->fixed_ps = cost_ps > bytes_ps ? cost_ps - bytes_ps : 0;
}

/* ---- bound_curve.c ---- */

/** Computes the largest delay from straight lines. The result is an upper bound
 *  on the delay that a packet-by-packet computation returns. @return
 *  GMS_BOUND_MOST_PS if there is no bound */
gms_time_t gms_bound_curve(const gms_bound_t *bound,
                           const gms_bound_manner_t *manner);

#endif
