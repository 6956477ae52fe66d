/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the fabric, which consists of the links and crossbars between the
 * NICs.
 *
 * A NIC attaches to the fabric and injects packets with a source route. The
 * fabric calls a NIC when the tail of a packet has left the NIC, when the head
 * of a packet requests entry, and when a packet has arrived completely. If a
 * NIC has no free buffer, the head waits. While the head waits, the packet
 * remains in the network and holds every link that it has reached (Stop&Go).
 *
 * A source route comes from the topology and lists one output port per switch.
 * Each fabric model is a table of operations. The parameter fabric_model
 * selects the model by number, because an arena must not contain code pointers:
 * - worm: A packet holds every link from its head to its tail. There is one
 *   event per hop (worm.c).
 * - flit: Links have virtual lanes, which share the link flit by flit. There is
 *   one event per cycle in which a flit moves (flit_model.c).
 * - cut-through: Links have virtual lanes with credits, which share the link
 *   packet by packet in the order of InfiniBand's arbitration. There are two
 *   events per hop (cut_through.c).
 *
 * Unless params.undeclared is free, packets of reservations and of managers
 * have their own lanes and buffers in all models (reserved.c).
 *
 * A fabric with lanes has several traffic classes (enum gms_lane_class).
 * Packets of one class between the same two nodes keep their order. Packets of
 * different classes may overtake each other, and a blocked class does not block
 * other classes. Without lanes, all packets have class 0.
 */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include <stdint.h>

#include "params/params.h"
#include "engine/engine.h"
#include "fabric/fault.h"
#include "fabric/lane_arbiter.h"
#include "fabric/topology.h"

/** Event handlers of the fabric. */
enum gms_fabric_handler {
    GMS_FABRIC_ON_HEAD = GMS_HANDLER_FABRIC, /* worm: a head reaches a switch or
                                              * NIC; flit: a cycle begins */
    GMS_FABRIC_ON_RELEASE,                   /* the tail of a packet has passed
                                              * a link */
    GMS_FABRIC_ON_LOST,      /* a lost packet can be freed, because no component
                              * refers to it any longer */
    GMS_FABRIC_ON_OUTAGE,    /* a randomly chosen link fails */
    GMS_FABRIC_ON_TAIL,      /* worm: the tail of a best-effort worm may have
                              * arrived */
    GMS_FABRIC_ON_LANE_HEAD, /* a switch has routed the head of a
                              * reserved packet */
    GMS_FABRIC_ON_LANE_END,  /* a reserved packet has crossed a link */
    GMS_FABRIC_ON_PAUSE      /* ethernet: a pause or resume takes effect */
};

/** Trace points of the fabric for observers (gms_ctx_tracepoint()). */
enum gms_fabric_tracepoint {
    GMS_FABRIC_TRACEPOINT_BLOCKED =
        GMS_HANDLER_FABRIC /* a gms_fabric_blocked_t */
};

/** Bits for the faults that will affect a worm. */
enum gms_worm_fate {
    GMS_WORM_DAMAGE_HEADER = 1,  /* the target's NIC flips a bit of the header
                                  * before it checks the packet */
    GMS_WORM_DAMAGE_PAYLOAD = 2, /* the target's NIC flips a bit of the payload
                                  * before it checks the packet */
    GMS_WORM_DUPLICATE = 4,      /* the packet arrives twice */
    GMS_WORM_ECHO = 8,           /* the worm is the second copy of a packet */
    /* a link broke while the worm held it; the worm arrives truncated and with
     * a damaged header, as with GMS_WORM_DAMAGE_HEADER */
    GMS_WORM_CUT = 16,
    /* a link broke while the worm held it, and the head of the worm will not
     * arrive */
    GMS_WORM_SEVERED = 32,
    GMS_WORM_LOST = 64,  /* the worm is lost, although its source continues to
                          * send it */
    GMS_WORM_DELAY = 128 /* the packet arrives later than without the fault */
};

/** The part of a packet that the fabric uses. This struct is the first member
 *  of the NIC's packet, which is a block of the arena. When the fabric loses a
 *  packet, it frees the block. */
typedef struct gms_worm {
    uint32_t source, target; /* node numbers, counted from 0 */
    uint32_t wire_bytes;     /* length of the header, payload and CRC, without
                              * route bytes */
    uint32_t hop;            /* number of switches passed so far */
    uint32_t link;           /* link that the head has reached */
    const struct gms_path *path; /* links of the packet's route; owned by the
                                  * fabric */
    gms_time_t inject_ps;        /* time when the head entered the first link */
    gms_time_t arrive_ps;        /* time at which the head requested entry to
                                  * the target's NIC */
    gms_time_t wire_ps;          /* time on links; the value is final when the
                                  * worm arrives */
    gms_time_t switch_ps;        /* time in switches, for routing or while
                                  * blocked. The rest of the time between
                                  * injection and arrival is the wait for the
                                  * target's NIC */
    gms_time_t blocked_ps;       /* time that the packet has waited in switches
                                  * for links held by other packets; after
                                  * acceptance, this time includes its wait at
                                  * the target. In model flit, this is the delay
                                  * of the tail's departure from the source */
    /* time from the packet's first byte at the target's NIC to its last byte;
     * known after acceptance */
    gms_time_t stream_ps;
    uint8_t fate;          /* bits of enum gms_worm_fate */
    uint8_t traffic_class; /* 0 .. gms_fabric_classes() - 1 */
    /* used by the fabric; 1: the worm's end time may still change */
    uint8_t may_pause;
    uint8_t is_marked;     /* 1 if a switch has marked the packet because its
                            * queue was long (model ethernet) */
    uint64_t damage;       /* random number that selects the damaged bit */
    gms_time_t delay_ps;   /* injected delay before on_arrived is called */
    struct gms_worm *next; /* for internal use by the fabric */
    /* used by the fabric: end of the worm's last pause for reserved packets */
    gms_time_t paused_until_ps;
    /* times when the tail leaves the source and when it arrives */
    gms_time_t sent_ps, end_ps;
} gms_worm_t;

/** A report about a head that has waited for a link, or for a receive buffer of
 *  the NIC at the end of its route. */
typedef struct gms_fabric_blocked {
    const gms_worm_t *worm;
    uint32_t hop;         /* index of the link on the worm's route, from 0 */
    gms_time_t waited_ps; /* length of the wait, which is greater than 0 */
} gms_fabric_blocked_t;

/** Usage of a link since the start of the run. */
typedef struct gms_link_use {
    gms_time_t moving_ps; /* total time during which bytes of packets entered
                           * the link: bytes / rate */
    /* sum, over all packets, of the time from the head's entry to the tail's
     * entry. No other packet can use the link during this time. In model flit,
     * this sum equals moving_ps, because lanes share a link */
    gms_time_t held_ps;
    uint64_t blocked_packets; /* number of heads that waited for the link or, if
                               * the link leads into a node, for a receive
                               * buffer of that node. For packets without a
                               * reserved lane, model flit counts only waits for
                               * receive buffers */
    gms_time_t blocked_ps;    /* sum of the waiting times of these heads; every
                               * wait is added at its end */
} gms_link_use_t;

/** Event handlers of an attached NIC. The fabric calls each handler with
 *  `object` as the event's object and with the worm as arg[0]. */
typedef struct gms_fabric_port {
    void *object;
    uint32_t on_sent;    /* the tail has left the NIC, so the NIC's send DMA is
                          * free */
    uint32_t on_request; /* a head has reached the NIC, which must accept the
                          * worm now or later */
    uint32_t on_arrived; /* the tail has arrived; the NIC now owns the worm */
    uint32_t on_copy;    /* called directly, not scheduled: copy the worm, and
                          * store the copy's address in the gms_worm_t * to
                          * which arg[1] points; 0 if the NIC makes no copies */
    uint32_t on_lost;    /* called directly, not scheduled: free a lost worm; 0
                          * if the worm is only a block of the arena */
} gms_fabric_port_t;

/**
 * Build the fabric that the parameters describe. The route between two nodes is
 * computed when the first packet uses it.
 *
 * @param [in]  graph     the user's graph if the topology is `graph`, else NULL;
 *   not used after this call
 * @param [out] fabric_p changed only if the function returns GMS_OK
 * @param [out] error     reason for the failure, as in gms_topology_create()
 *
 * @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_fabric_create(gms_ctx_t *ctx, const gms_params_t *params,
                               const gms_graph_t *graph,
                               gms_fabric_t **fabric_p,
                               char error[GMS_TOPOLOGY_ERROR_LEN]);
/** Return the fabric's topology. The fabric still owns the topology. */
gms_topology_t *gms_fabric_topology(const gms_fabric_t *fabric);
void gms_fabric_attach(gms_fabric_t *fabric, unsigned node,
                       const gms_fabric_port_t *port);
/** Inject a worm into the link of its source node now. A node may inject one
 *  worm per class at a time, and must wait for on_sent before it injects the
 *  next worm. The fabric owns the worm until it calls on_arrived. */
void gms_fabric_inject(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
/** Accept a worm that on_request has reported. The worm's tail arrives after
 *  wire_bytes / link rate, or later if lanes share the link. After this
 *  arrival, the next worm of the same class requests entry. */
void gms_fabric_accept(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
/** Record that the NIC currently has no receive buffer for the worm. The NIC
 *  calls gms_fabric_accept() later, when a buffer is free. */
void gms_fabric_decline(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);

unsigned gms_fabric_nodes(const gms_fabric_t *fabric);
/** Return the usage of a link. The times are exact to one picosecond in model
 *  worm and to one cycle in model flit.
 *  @param [in] now_ps  current time; all events before this time must have been
 *    executed */
void gms_fabric_link_use(const gms_fabric_t *fabric, uint32_t link,
                         gms_time_t now_ps, gms_link_use_t *use);
/** Return the first link, starting at `link`, whose usage may have changed
 *  since since_ps, or GMS_LINK_NONE if there is no such link. The caller can
 *  skip all links before this link. */
uint32_t gms_fabric_next_used(const gms_fabric_t *fabric, uint32_t link,
                              gms_time_t since_ps);
/** Return the links of the route between two nodes, beginning with the source's
 *  own link. The fabric owns the array.
 *  @return number of links, or 0 if no packet has used the route */
unsigned gms_fabric_route_links(const gms_fabric_t *fabric, uint32_t source,
                                uint32_t target, const uint32_t **links_p);
/** Return the number of traffic classes: 1 or GMS_LANE_CLASSES. */
unsigned gms_fabric_classes(const gms_fabric_t *fabric);
/** Return the traffic class of acknowledgements for packets of a class. The
 *  model flit has a separate class for acknowledgements if it has no reserved
 *  lanes. Otherwise acknowledgements use the class of the packets that they
 *  acknowledge. */
unsigned gms_fabric_control_class(const gms_fabric_t *fabric,
                                  unsigned traffic_class);
/**
 * Reserve bandwidth for real-time traffic on each link of the route between two
 * nodes. If bytes_s is negative, release the bandwidth. The function adjusts
 * the weights of the lanes. The function has no effect in the model `worm`, or
 * if reserved packets use lanes without weights.
 * @param [in] bytes_s  bandwidth on the wire; for a release, the negative of the
 *   reserved value
 */
void gms_fabric_reserve(gms_fabric_t *fabric, uint32_t source, uint32_t target,
                        int64_t bytes_s);
/** Prepare the fabric for packets of the classes that precede best effort.
 *  If the caller omits this call, the first such packet prepares the fabric. */
void gms_fabric_expect_reserved(gms_fabric_t *fabric);
/** Set the virtual lane for packets of a class on a link. This lane is an entry
 *  of the SL-to-VL table of the port at the start of the link. Call the
 *  function before the first packet, and only with the model cut-through.
 *  @param [in] lane  0 .. 14
 *  @return GMS_OK; GMS_ERR_INVALID_PARAM: another model, or the arbitration
 *    tables do not contain the lane */
gms_status_t gms_fabric_set_lane(gms_fabric_t *fabric, uint32_t link,
                                 unsigned traffic_class, unsigned lane);
/** Set the rate of a link. The fabric must use the model cut-through, and no
 *  packet may have been sent.
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM */
gms_status_t gms_fabric_set_rate(gms_fabric_t *fabric, uint32_t link,
                                 uint64_t bytes_s);
/** Return the rate of the link from a node into the network, bytes/s. */
uint64_t gms_fabric_entry_bytes_s(const gms_fabric_t *fabric, uint32_t node);
/** Return the number of worms injected since the start of the run. */
uint64_t gms_fabric_packets(const gms_fabric_t *fabric);

void gms_fabric_register(gms_ctx_t *ctx);

#endif
