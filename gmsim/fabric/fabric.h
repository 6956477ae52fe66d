/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The fabric: links and crossbars between the NICs.
 *
 * A NIC attaches to the fabric and injects packets on a source route. The
 * fabric calls the NIC when the tail of its packet has left it, when the head
 * of a packet requests entry, and when a packet has arrived completely. A NIC
 * without a free buffer leaves the head waiting: the packet stays in the
 * network and holds every link that it has reached (Stop&Go).
 *
 * Routes are source routes of the topology: one output port per switch. Models
 * are tables of operations, chosen by number (an arena holds no code pointers)
 * [params.fabric_model]:
 *   worm  a packet holds every link from its head to its tail; an event per hop
 *         (worm.c)
 *   flit  links have virtual lanes, shared flit by flit; an event per cycle in
 *         which anything moves (flit_model.c)
 * Unless params.undeclared is free, packets of reservations and of managers
 * have their own lanes and buffers in both models (reserved.c).
 *
 * With lanes there are classes of traffic, enum gms_lane_class. Packets of one
 * class and pair of nodes keep their order; packets of different classes may
 * not, and a blocked class does not block another. Without lanes there is one
 * class, 0.
 */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include <stdint.h>

#include "params/params.h"
#include "engine/engine.h"
#include "fabric/fault.h"
#include "fabric/lane_arbiter.h"
#include "fabric/topology.h"

/** Handlers of the fabric itself. */
enum gms_fabric_handler {
    GMS_FABRIC_ON_HEAD = GMS_HANDLER_FABRIC, /* head reaches a switch or NIC;
                                                flit: a cycle */
    GMS_FABRIC_ON_RELEASE,                   /* tail has passed a link */
    GMS_FABRIC_ON_LOST,                      /* nobody needs the packet now */
    GMS_FABRIC_ON_OUTAGE,                    /* some link goes down */
    GMS_FABRIC_ON_TAIL,      /* worm: a best-effort worm's end may have come */
    GMS_FABRIC_ON_LANE_HEAD, /* a reserved head has been routed by a switch */
    GMS_FABRIC_ON_LANE_END   /* a reserved packet has crossed a link */
};

/** What the fabric tells who looks on (gms_ctx_tracepoint()). */
enum gms_fabric_tracepoint {
    GMS_FABRIC_TRACEPOINT_BLOCKED =
        GMS_HANDLER_FABRIC /* a gms_fabric_blocked_t */
};

/** What is to become of a worm, bits. */
enum gms_worm_fate {
    GMS_WORM_DAMAGE_HEADER = 1, /* the target's NIC flips a bit of the header */
    GMS_WORM_DAMAGE_PAYLOAD =
        2,                  /* .. of the payload; before it checks either */
    GMS_WORM_DUPLICATE = 4, /* comes twice */
    GMS_WORM_ECHO = 8,      /* is the second one */
    GMS_WORM_CUT = 16,      /* a link broke under it: see DAMAGE_HEADER */
    GMS_WORM_SEVERED = 32,  /* the same, but its head will get nowhere */
    GMS_WORM_LOST = 64,     /* is gone, its source still sends it */
    GMS_WORM_DELAY = 128    /* is handed over later */
};

/** What a packet is to the fabric; the NIC's packet has it as first member, and
 *  is a block of the arena: a fabric that loses it gives the block back. */
typedef struct gms_worm {
    uint32_t source, target; /* nodes, 0-based */
    uint32_t wire_bytes;     /* header, payload and CRC; route bytes apart */
    uint32_t hop;            /* switches passed so far */
    uint32_t link;           /* that the head is on */
    const struct gms_path *path; /* the fabric's own: its links */
    gms_time_t inject_ps;        /* when the head entered the first link */
    gms_time_t arrive_ps;        /* when the head asked the target's NIC */
    gms_time_t wire_ps;          /* spent on links, complete on arrival */
    gms_time_t switch_ps;        /* spent in switches, blocked or routing; what
                                 is left of arrival - injection was waiting
                                 for the target's NIC to accept */
    gms_time_t blocked_ps;       /* waited so far, in switches for links that
                                 others held and, accepted, at the target; flit:
                                 until the tail left, as its source sees it */
    gms_time_t stream_ps;  /* accepted: from its first byte at the target's
                                 NIC to its last */
    uint8_t fate;          /* enum gms_worm_fate */
    uint8_t traffic_class; /* below gms_fabric_classes() */
    uint8_t may_pause;     /* the fabric's own: its end may still move */
    uint64_t damage;       /* random bits: which bit the damage flips */
    gms_time_t delay_ps;   /* on_arrived comes so much later */
    struct gms_worm *next; /* the fabric's own */
    gms_time_t
        paused_until_ps; /* the fabric's own: the end of its last pause for
                                   reserved packets */
    gms_time_t sent_ps, end_ps; /* its tail leaves the source, and arrives */
} gms_worm_t;

/** A head has waited for a link, or, at the last one of its way, for a receive
 *  buffer of the card behind it. */
typedef struct gms_fabric_blocked {
    const gms_worm_t *worm;
    uint32_t hop;         /* place of the link on the worm's way, from 0 */
    gms_time_t waited_ps; /* 1.. */
} gms_fabric_blocked_t;

/** What a link has done since the start, as of now. */
typedef struct gms_link_use {
    gms_time_t moving_ps; /* bytes of packets went over it: length / rate */
    gms_time_t held_ps;   /* no other packet could have it: from a head's entry
                             to its tail's. Model flit: as moving_ps, since lanes
                             share a link */
    uint64_t blocked_packets; /* heads that have waited for it; for one into a
                                 node: for a receive buffer there. Model flit
                                 knows only the latter of packets without a
                                 reserved lane */
    gms_time_t blocked_ps;    /* .. for how long, all together; counted when
                                 the wait is over */
} gms_link_use_t;

/** What an attached NIC gives: handlers, all called with object = the pointer
 *  given at attach, arg[0] = the worm. */
typedef struct gms_fabric_port {
    void *object;
    uint32_t on_sent;    /* tail has left the NIC: send DMA is free */
    uint32_t on_request; /* a head is at the NIC: accept it now or later */
    uint32_t on_arrived; /* the tail is in; the worm is the NIC's */
    uint32_t on_copy;    /* called, not scheduled: make a copy of the worm and
                             store its address at arg[1], a gms_worm_t **; 0:
                             it makes none */
    uint32_t on_lost;    /* called, not scheduled: free a worm that was lost; 0:
                             it is a block of the arena, nothing more */
} gms_fabric_port_t;

/**
 * Build the fabric that params describe. Ways between nodes are looked up when
 * the first packet takes them.
 *
 * @param [in]  graph     for topology `graph`, else NULL; only read now
 * @param [out] fabric_p  untouched unless GMS_OK is returned
 * @param [out] error     what does not fit, as of gms_topology_create()
 *
 * @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_fabric_create(gms_ctx_t *ctx, const gms_params_t *params,
                               const gms_graph_t *graph,
                               gms_fabric_t **fabric_p,
                               char error[GMS_TOPOLOGY_ERROR_LEN]);
/** The graph that it runs on; the fabric's own. */
gms_topology_t *gms_fabric_topology(const gms_fabric_t *fabric);
void gms_fabric_attach(gms_fabric_t *fabric, unsigned node,
                       const gms_fabric_port_t *port);
/** Put a worm on its node's link now; one at a time per node and class: the next
 *  one after on_sent. The fabric owns the worm until on_arrived. */
void gms_fabric_inject(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
/** Let the worm of an on_request in, now; the next one of its class asks after
 *  its arrival. Its tail arrives in wire_bytes / link rate, or later if lanes
 *  share the link. */
void gms_fabric_accept(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);

unsigned gms_fabric_nodes(const gms_fabric_t *fabric);
/** What a link has done; to the picosecond in model worm, in model flit to the
 *  cycle. @param [in] now_ps  no event is left before it */
void gms_fabric_link_use(const gms_fabric_t *fabric, uint32_t link,
                         gms_time_t now_ps, gms_link_use_t *use);
/** The first link from `link' on of which that may have changed since a time, so
 *  that others need not be looked at; GMS_LINK_NONE: there is none. */
uint32_t gms_fabric_next_used(const gms_fabric_t *fabric, uint32_t link,
                              gms_time_t since_ps);
/** Links of the way between two nodes, first the source's own, kept by the
 *  fabric. @return how many; 0: no packet has gone there */
unsigned gms_fabric_route_links(const gms_fabric_t *fabric, uint32_t source,
                                uint32_t target, const uint32_t **links_p);
/** Classes of traffic: 1, or GMS_LANE_CLASSES. */
unsigned gms_fabric_classes(const gms_fabric_t *fabric);
/** The class that acknowledgements of a class's packets travel in: model flit
 *  without reserved lanes has one for them, else their own. */
unsigned gms_fabric_control_class(const gms_fabric_t *fabric,
                                  unsigned traffic_class);
/**
 * Set aside more, or less than 0, of each link on the way between two nodes for
 * their real-time traffic: lanes' weights follow. Nothing happens in model worm,
 * and where reserved packets have lanes without weights.
 * @param [in] bytes_s  on the wire; what was given comes back with the same
 *                      number
 */
void gms_fabric_reserve(gms_fabric_t *fabric, uint32_t source, uint32_t target,
                        int64_t bytes_s);
/** Packets of classes before best effort may come from now on. Without this call
 *  the first one of them is the notice. */
void gms_fabric_expect_reserved(gms_fabric_t *fabric);
/** Worms injected since the start. */
uint64_t gms_fabric_packets(const gms_fabric_t *fabric);

void gms_fabric_register(gms_ctx_t *ctx);

#endif
