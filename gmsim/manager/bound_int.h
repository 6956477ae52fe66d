/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to bound*.c:
 *
 *   bound.c         flows, servers, tentative changes, the fixed point
 *   bound_cost.c    cost of a packet per kind of server (reserved lanes)
 *   bound_server.c  the largest delay of one server
 *   bound_curve.c   the same for many flows, by straight lines
 *   bound_result.c  bounds of flows, and whether they are granted
 *   bound_buffer.c  packets in buffers
 *   bound_window.c  bandwidth of windows, and shorter IDTs for those that lack
 *                   bandwidth
 *
 * A rule for other lanes has other costs (gms_bound_ops_t); all rules share the
 * fixed point. Fabric models with reserved lanes differ in times only.
 */
#ifndef MANAGER_BOUND_INT_H
#define MANAGER_BOUND_INT_H

#include "fabric/link_time.h"
#include "manager/bound.h"

/** Delays above it count as no bound at all. */
#define GMS_BOUND_MOST_PS GMS_SECOND
/** Servers with at most so many flows are worked out packet by packet. */
#define GMS_BOUND_EXACT_FLOWS 4u
/** The first packets of a flow in a busy period that are charged with what else
 *  may hide behind a transfer, and mostly does. */
#define GMS_BOUND_EXTRA_PACKETS 2u

enum gms_bound_kind {
    GMS_BOUND_SOURCE = 0,
    GMS_BOUND_TARGET,
    GMS_BOUND_LINK
};

/** One server on a flow's way. */
typedef struct gms_bound_hop {
    uint32_t server;
    uint32_t slot;  /* in the server's list of flows */
    uint32_t input; /* the link by which the flow comes; none for a source */
    int64_t j_ps;   /* J of packets that arrive here; may be below 0 while the
                       servers before are not worked out yet */
} gms_bound_hop_t;

struct gms_bound_flow {
    gms_grant_t *grant;
    gms_time_t idt_ps;
    uint64_t per_idt; /* 2^64 / idt_ps, rounded down: sums need no divisions */
    uint32_t packets; /* of a message */
    uint32_t packet_bytes,
        last_bytes;         /* payload of the largest, the last one */
    uint32_t burst_packets; /* that may be posted at once */
    /* costs of a full packet: time of the NIC that sends it, of the link, of the
     * first link with what comes between packets there, of the last link likewise,
     * of the NIC that receives it; and the NIC's time of the shortest one */
    gms_time_t send_ps, wire_ps, link_ps, arrive_ps, receive_ps, send_min_ps;
    gms_time_t send_extra_ps, receive_extra_ps;
    gms_time_t last_wire_ps, last_dma_ps; /* of a message's last packet: time on
                                             a link, of the host DMA */
    uint64_t seen;       /* number of the last walk that met it */
    uint8_t is_limited;  /* a delay or jitter was asked for */
    uint8_t has_windows; /* windows are promised: not to reverse traffic */
    uint8_t is_hastened; /* its IDT is shorter than its bandwidth needs */
    uint32_t hops;
    gms_bound_hop_t hop[]; /* source, links, target */
};

typedef struct gms_bound_entry {
    gms_bound_flow_t *flow;
    uint32_t hop;
} gms_bound_entry_t;

typedef struct gms_bound_server {
    gms_bound_entry_t *entries;
    uint32_t count, room;
    uint32_t depth;         /* LINK: the largest hop of a flow so far */
    uint32_t visited_count; /* what count was when delay_ps was worked out */
    uint8_t is_queued;
    uint8_t is_fed;          /* SOURCE: packets that come in there have changed,
                                and perhaps by its own doing */
    gms_time_t delay_ps;     /* largest, own service included; 0: no flows,
                                GMS_BOUND_MOST_PS: none */
    gms_time_t published_ps; /* rounded up: what J counts with */
    gms_time_t link_ps;      /* TARGET: of the link alone */
    /* of a packet of all its flows, the largest time of the NIC (source or
     * target), on the link, and of both together */
    gms_time_t nic_most_ps, wire_most_ps, both_most_ps;
    gms_time_t nic_least_ps; /* of a packet of all its flows, the NIC's least */
    uint64_t seen;           /* number of the last walk that met it */
    uint64_t buffer_seen;    /* walk that looked at the buffer behind it */
    uint64_t excess_seen;    /* walk that looked at packets in switches */
} gms_bound_server_t;

/** Costs that do not depend on flows, ps. */
typedef struct gms_bound_costs {
    gms_link_time_t link;
    gms_time_t tick_ps;
    gms_time_t host_ps;       /* the program's call and the descriptor's way */
    gms_time_t token_ps;      /* POLL of one descriptor */
    gms_time_t poll_ps;       /* POLL of a descriptor that has begun, and the
                                 job before */
    gms_time_t send_ps;       /* source: a packet without its bytes, one flow */
    gms_time_t search_ps;     /* of a search, for each further flow */
    gms_time_t send_extra_ps; /* of a send: jobs that may come between */
    gms_time_t receive_ps;    /* target: a packet without its bytes */
    gms_time_t receive_extra_ps;
    gms_time_t event_ps;
    gms_time_t turn_ps;    /* from sending to receiving */
    gms_time_t line_ps;    /* source's link: from one packet's end to the next
                              one's beginning */
    gms_time_t gap_ps;     /* .. beyond that, while only the link has work */
    gms_time_t block_ps;   /* best effort that has begun in a NIC */
    gms_time_t control_ps; /* what crosses a link before a reserved packet: a
                              manager's packet, model flit: and a flit */
    gms_time_t ask_ps; /* model flit, link into a NIC: flits that cross it while
                              the NIC is asked for a buffer */
    gms_time_t ack_ps; /* an acknowledgement crosses a link */
    gms_time_t hop_ps; /* propagation and routing */
    gms_time_t packet_least_ps; /* from the NDT of a packet of one byte to its
                                   arrival, without hops */
    double dma_per_wire;        /* time of a byte at the host DMA per time on a
                                link, at least 1 */
    /* buffers of a NIC for packets of reservations */
    uint64_t send_buffers, receive_buffers;
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
    gms_time_t delay_ps, published_ps, link_ps; /* before */
    uint32_t visited_count, idt_ticks;          /* before */
    gms_bound_flow_t *flow;
} gms_bound_change_t;

/** What differs between fabric models. */
typedef struct gms_bound_ops {
    const char *name;
    int (*applies)(const gms_params_t *params);
    void (*costs)(const gms_params_t *params, gms_bound_costs_t *costs);
    /* fill in packets and costs of a flow whose grant and IDT are known */
    void (*flow)(const gms_bound_t *bound, gms_bound_flow_t *flow);
    /* work out server->delay_ps and link_ps anew; write them to *delay_p,
     * *link_p */
    void (*serve)(const gms_bound_t *bound, uint32_t server,
                  gms_time_t *delay_p, gms_time_t *link_p);
} gms_bound_ops_t;

/** By number, since an arena holds no addresses of code. */
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
    uint32_t
        *queue; /* ring of servers to look at; each is in it once at most */
    uint32_t queue_first, queue_count;
    uint32_t *order;    /* servers, those that others wait for first: see
                        gms_bound_renew() */
    uint32_t *acks;     /* by link: flows whose acknowledgements pass */
    uint64_t *ack_rate; /* of acks, in 2^-24 of the link's time */
    gms_bound_change_t *log;
    uint32_t log_count, log_room;
    uint32_t flows, limited; /* how many; with a delay or jitter of their own */
    uint64_t walk;           /* number of the last walk */
    uint64_t excess_walk;    /* number of walks through a buffer */
    uint64_t evaluations;
    uint8_t is_question; /* what has no bound is denied */
    uint8_t is_removing; /* values go down */
    uint8_t is_circular; /* delays go round: one may stay too high */
    uint8_t is_loose;    /* one may be too high: gms_bound_tighten() */
    uint8_t
        is_renewing; /* all servers are in the log, and looked at in order */
};

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
/** Longest wait of a flow's descriptor for POLL, itself included: the flows of a
 *  NIC take turns. */
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
/** Messages that so many packets of a flow may end: an event each. */
static inline uint64_t gms_bound_events(const gms_bound_flow_t *flow,
                                        uint64_t packets)
{
    return (packets + flow->packets - 1) / flow->packets;
}
/** x / idt_ps, rounded down. The product is at most 1 too small; a division takes
 *  many times as long. */
static inline uint64_t gms_bound_whole_periods(const gms_bound_flow_t *flow,
                                               uint64_t x)
{
    uint64_t whole = (uint64_t)((unsigned __int128)x * flow->per_idt >> 64);

    return whole + (x - whole * flow->idt_ps >= flow->idt_ps);
}
/** Packets that arrive in a time, both ends included. */
static inline uint64_t gms_bound_arrivals(const gms_bound_flow_t *flow,
                                          uint32_t hop, gms_time_t t_ps)
{
    return 1 + gms_bound_whole_periods(flow, t_ps + gms_bound_j(flow, hop));
}
/** x / idt_ps in units of 2^-bits, rounded up, at most 2 too much; x below
 *  2^(64 - bits). */
static inline uint64_t gms_bound_periods(const gms_bound_flow_t *flow,
                                         uint64_t x, unsigned bits)
{
    return (uint64_t)((unsigned __int128)x * flow->per_idt >> (64 - bits)) + 2;
}

/** Flows are all over the memory: fetch one that a walk over a server's flows
 *  comes to soon. */
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

/** A flow's IDT is shorter now, tentatively; everything is worked out anew by
 *  gms_bound_settle(). @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_bound_set_idt(gms_bound_t *bound, gms_bound_flow_t *flow,
                               uint32_t idt_ticks);
gms_status_t gms_bound_settle(gms_bound_t *bound);

/* ---- bound_result.c ---- */

/** Longest time from the NDT of a packet, or from its descriptor's arrival if it
 *  need not wait for its NDT, to its event. */
gms_time_t gms_bound_path(const gms_bound_t *bound,
                          const gms_bound_flow_t *flow);

/* ---- bound_buffer.c ---- */

/** Whether the packets that wait for a server, and those behind it, fit into
 *  their buffers. */
int gms_bound_has_room(gms_bound_t *bound, uint32_t number,
                       const gms_bound_flow_t *flow,
                       gms_qos_verdict_t *verdict);

/* ---- bound_window.c ---- */

/** L of a flow whose packets take at most path_ps. */
gms_time_t gms_bound_latency(const gms_bound_t *bound,
                             const gms_bound_flow_t *flow, gms_time_t path_ps);

/* ---- bound_cost.c ---- */

extern const gms_bound_ops_t gms_bound_worm_ops;

/* ---- bound_server.c ---- */

/** A flow at a server. */
typedef struct gms_bound_item {
    const gms_bound_flow_t *flow;
    uint32_t hop;
    gms_time_t cost_ps;  /* of a packet */
    gms_time_t slack_ps; /* NIC: part of it in which only the link works */
    gms_time_t extra_ps; /* what its first packets may cost beyond */
    gms_time_t wire_ps;
    gms_time_t fixed_ps; /* of the cost, beyond per_wire x wire_ps */
} gms_bound_item_t;

/** How a server works. */
typedef struct gms_bound_manner {
    uint32_t server;
    int is_nic;          /* a NIC and its link, else a link */
    int has_lines;       /* packets of one input come one after the other */
    gms_time_t start_ps; /* work that may be in the way at first */
    gms_time_t floor_ps; /* least cost of a packet */
    double per_wire;     /* cost of bytes per their time on a link */
    /* the other direction of a NIC, whose packets take turns with these */
    uint32_t other;           /* server, or GMS_LINK_NONE */
    gms_time_t other_cost_ps; /* of each of its packets */
    int has_events;           /* it has a turn before each packet and each event
                                of these; else before each packet */
    gms_time_t other_late_ps; /* its packets' J beyond that at the server */
    gms_time_t ack_ps;        /* LINK: acknowledgements at first */
    double ack_rate;
} gms_bound_manner_t;

void gms_bound_serve_worm(const gms_bound_t *bound, uint32_t server,
                          gms_time_t *delay_p, gms_time_t *link_p);

/** A flow at a server. Inline: it is looked at for every flow of every server. */
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

/** The largest delay, by straight lines: an upper bound of what packet by packet
 *  comes out. @return GMS_BOUND_MOST_PS if there is none */
gms_time_t gms_bound_curve(const gms_bound_t *bound,
                           const gms_bound_manner_t *manner);

#endif
