/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the state of packets that move on a topology: the holder of every
 * link, and the packets that wait for the link. The output port of a switch and
 * the link behind the port are one resource, so gms_link_t contains the state
 * of both. The fabric model determines how packets move.
 */
#ifndef FABRIC_FABRIC_INT_H
#define FABRIC_FABRIC_INT_H

#include "base/random.h"
#include "fabric/ethernet.h"
#include "fabric/ets.h"
#include "fabric/fabric.h"
#include "fabric/link_time.h"
#include "fabric/topology_int.h"
#include "fabric/vl_arbiter.h"

typedef struct gms_link {
    gms_worm_t *last; /* worm that uses or will use the link, or that used it
                       * last; see gms_link_owner() */
    /* time at which the link becomes free; GMS_NEVER if the time is not known
     * yet */
    gms_event_key_t free;
    int is_awaited;       /* 1 if the link remains occupied until an event frees
                           * it; 0 if the link is free from the time `free`
                           * on */
    gms_worm_t **waiting; /* for each input port of the switch at the link's
                           * start, the worm whose head waits at this port for
                           * the link; unused for a node's link */
    uint32_t waiting_count;
    uint32_t last_input; /* input that was served last; round-robin arbitration
                          * continues with the next input */
    gms_time_t down_until_ps;
    uint64_t blocked_packets; /* number of heads that had to wait for the link,
                               * or for a receive buffer if the link leads into
                               * a node */
    gms_time_t blocked_ps;    /* total waiting time of these heads */
    gms_time_t taken_ps;      /* time when the last worm took the link */
    gms_time_t held_ps;       /* total time for which worms hold the link;
                               * includes future time if the time of release is
                               * already known */
    gms_time_t moving_ps;     /* part of held_ps during which the worms moved */
} gms_link_t;

/** The links of a route. The path is computed when the first packet uses it. */
typedef struct gms_path {
    uint32_t count;
    uint32_t link[]; /* the first link is the source's own link */
} gms_path_t;

/** Operations of a fabric model, which moves packets over the links. */
typedef struct gms_fabric_ops {
    const char *name;
    /* Create the model's state after the topology has been created. The
     * function is NULL if the model has no state of its own. */
    gms_status_t (*create)(gms_ctx_t *ctx, gms_fabric_t *fabric,
                           const gms_params_t *params,
                           char error[GMS_TOPOLOGY_ERROR_LEN]);
    void (*destroy)(gms_arena_t *arena, gms_fabric_t *fabric);
    /* Implement gms_fabric_reserve(). If the function is NULL, reservations
     * have no effect. */
    void (*reserve)(gms_fabric_t *fabric, uint32_t source, uint32_t target,
                    int64_t bytes_s);
    void (*inject)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    void (*accept)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    /* Let the source finish sending a worm that is lost in the fabric. */
    void (*swallow)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    /* Handle the worms on a link that has broken. */
    void (*sever)(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link);
    /* Return the usage of a link since the start of the run. The fields
     * blocked_* of gms_link_use_t remain unset. */
    void (*use)(const gms_fabric_t *fabric, uint32_t link, gms_time_t now_ps,
                gms_link_use_t *use);
    gms_handler_fn *on_head;
    gms_handler_fn *on_release;
    /* Return the first time, not before from_ps, at which a reserved packet can
     * enter a link. Reserved packets have priority over best-effort packets. If
     * the function is NULL, the time is from_ps. */
    gms_time_t (*clear_ps)(const gms_fabric_t *fabric, uint32_t link,
                           gms_time_t from_ps);
    /* Stop best-effort bytes on a link while a reserved packet uses the link.
     * The function is NULL if best-effort bytes need not stop. The reserved
     * packet begins to use the link at from_ps. This time is at most one
     * propagation time in the past, and not earlier than the result of
     * clear_ps. */
    void (*yield)(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link,
                  gms_time_t from_ps, gms_time_t until_ps);
    /* Let best-effort bytes continue, because no reserved packet uses the link
     * any longer. The function may be NULL. */
    void (*resume)(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link);
} gms_fabric_ops_t;

/** Number of classes that use the reserved lanes: the classes that precede best
 *  effort. */
#define GMS_RESERVED_CLASSES ((unsigned)GMS_LANE_BEST_EFFORT)

/** The lane of one class on a link. */
typedef struct gms_reserved_lane {
    gms_worm_t *first, *last; /* worms that wait at the link's start, in order
                               * of arrival */
    /* Bytes of the packets that hold buffers at the link's end. A packet holds
     * its buffer from the time when its head enters the link until its tail has
     * left the switch at the link's end. */
    uint64_t inside_bytes;
    uint64_t queued_bytes; /* total number of bytes of the waiting worms */
    gms_time_t framed_ps;  /* model ethernet: time at which the latest pause or
                            * resume takes effect */
    uint8_t is_paused;     /* model ethernet: 1 if no packet may enter the
                            * link */
    uint8_t has_paused;    /* 1 if the link's end has sent a pause */
    uint8_t is_asked;  /* 1 if the link leads into a NIC, and the first worm has
                       * requested a receive buffer of this NIC */
    uint8_t may_go;    /* 1 if the first worm has received a receive buffer */
    uint8_t must_wait; /* 1 if the NIC had no receive buffer for the first worm
                        * when the request arrived */
} gms_reserved_lane_t;

/** Lanes of a fabric that has an arbiter for each link (model cut-through). */
typedef struct gms_vl_ports {
    gms_vl_config_t vl;        /* tables of all ports */
    gms_vl_arbiter_t *arbiter; /* array, indexed by link */
    uint64_t *bytes_s;         /* rate of each link */
    /* lane of each class on each link, indexed by link and class */
    uint8_t (*lane_of)[GMS_LANE_CLASSES];
    /* 1: a link into a NIC stays free while a reserved packet requests a
     * receive buffer */
    uint8_t holds_link;
} gms_vl_ports_t;

/** State of the fabric model ethernet. */
typedef struct gms_eth {
    gms_ets_config_t config;
    gms_ets_t *ets; /* array, indexed by link */
    gms_random_t
        *chance; /* random stream of each link, for the marks of packets */
    uint8_t has_pfc, has_ecn;
    /* thresholds of a priority at an input port; a packet that would exceed
     * limit_bytes is dropped */
    uint64_t xoff_bytes, xon_bytes, limit_bytes;
    gms_time_t pause_ps; /* time from the sending of a pause frame until the
                          * other end obeys it */
    uint64_t kmin_bytes, kmax_bytes, pmax_ppm;
    gms_eth_counts_t counts;
} gms_eth_t;

/** State of reserved packets on a link. */
typedef struct gms_reserved_link {
    gms_reserved_lane_t *lane; /* array, indexed by the lane's number */
    gms_worm_t *current;      /* worm that crosses the link now or will cross it
                               * next, or NULL */
    gms_time_t busy_until_ps; /* time at which the current worm's tail has
                               * crossed the link */
    gms_time_t stream_ps;     /* time that the current worm's bytes need to
                               * cross the link; ends at busy_until_ps */
    gms_time_t moving_ps;     /* total time during which bytes of any worm
                               * crossed the link, up to busy_until_ps */
} gms_reserved_link_t;

struct gms_fabric {
    uint32_t model;   /* a value of enum gms_fabric_model */
    uint32_t classes; /* number of traffic classes: 1 or GMS_LANE_CLASSES */
    uint32_t nodes, link_count;
    uint64_t reserved_bytes; /* size of the buffers of a switch's input port,
                              * for each class */
    gms_reserved_link_t *reserved; /* array, indexed by link; NULL if there are
                                    * no reserved lanes */
    gms_reserved_lane_t *lanes;    /* memory for the lanes of all links */
    uint32_t lanes_per_link;
    gms_vl_ports_t *table; /* NULL if each class uses the lane with its own
                            * number, and real-time traffic precedes control
                            * traffic */
    gms_eth_t *eth;        /* NULL unless the model is ethernet */
    uint8_t is_reserved;   /* 1 if a packet has used reserved lanes, so
                            * best-effort worms may have to pause */
    gms_topology_t *topology;
    gms_link_t *links;           /* array, indexed by link number */
    gms_worm_t **waiting;        /* memory for the arrays gms_link.waiting of
                                  * all links */
    gms_fabric_port_t *ports;    /* the NIC of each node, indexed by node */
    struct gms_flit_model *flit; /* state of flit_model.c; NULL in model worm */
    gms_path_t ***paths; /* indexed by source and target; created at first
                          * use */
    gms_origin_t origin;
    uint64_t packets;
    gms_link_time_t time;

    /* faults */
    int draws_faults; /* 1 if the rate of at least one kind of fault is not 0 */
    gms_fault_rates_t rates;
    gms_time_t calm_until_ps;
    uint64_t outages_per_s;
    gms_time_t outage_ps;
    gms_random_t outages;
    gms_random_t *chance; /* array, indexed by source node */
    gms_fault_counts_t counts;
};

extern const gms_fabric_ops_t gms_worm_ops, gms_flit_ops, gms_cut_through_ops,
    gms_eth_ops;
extern const gms_fabric_ops_t *const gms_fabric_models[];

/** Allocate zeroed memory from the arena. If the arena is full, the run
 *  ends. */
void *gms_fabric_room(gms_ctx_t *ctx, size_t bytes);

/** Return the worm that holds a link, or NULL. */
static inline gms_worm_t *gms_link_owner(const gms_ctx_t *ctx,
                                         const gms_link_t *link)
{
    return !link->is_awaited && gms_engine_is_past(ctx->engine, &link->free)
               ? NULL
               : link->last;
}

/** Return the node or switch port to which a link leads. */
static inline const gms_link_end_t *gms_fabric_to(const gms_fabric_t *fabric,
                                                  uint32_t link)
{
    return &fabric->topology->links[link].to;
}

/** Count a head's wait for a link of its route. The wait has ended. */
void gms_fabric_waited(gms_ctx_t *ctx, gms_fabric_t *fabric,
                       const gms_worm_t *worm, uint32_t hop,
                       gms_time_t waited_ps);

/* worm.c */
gms_handler_fn gms_worm_on_tail;

/* reserved.c: packets of the classes that precede best effort */
static inline int gms_reserved_carries(const gms_fabric_t *fabric,
                                       const gms_worm_t *worm)
{
    return fabric->reserved != NULL &&
           (worm->traffic_class != GMS_LANE_BEST_EFFORT ||
            fabric->table != NULL);
}
/** Allocate `lanes` reserved lanes for each link, with buffers of `bytes` for
 *  each lane at the input ports of switches.
 *  @param [out] error  set if the arena is full
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_reserved_alloc(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                uint32_t lanes, uint64_t bytes,
                                char error[GMS_TOPOLOGY_ERROR_LEN]);
/** Create reserved lanes if the parameters request them.
 *  @param [out] error  set if the arena is full
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_reserved_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                 const gms_params_t *params,
                                 char error[GMS_TOPOLOGY_ERROR_LEN]);
void gms_reserved_inject(gms_ctx_t *ctx, gms_fabric_t *fabric,
                         gms_worm_t *worm);
void gms_reserved_accept(gms_ctx_t *ctx, gms_fabric_t *fabric,
                         gms_worm_t *worm);
/** Let other lanes use the link while a worm waits for a receive buffer. */
void gms_reserved_decline(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm);
/** Drop a worm at its source. The source still sends all bytes of the worm. */
void gms_reserved_swallow(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm);
/** Handle the reserved packets that are crossing a link when it fails. */
void gms_reserved_sever(gms_fabric_t *fabric, uint32_t number);
/** Return the total time for which reserved packets have moved over a link so
 *  far, or 0 if there are no reserved lanes. */
gms_time_t gms_reserved_moving(const gms_fabric_t *fabric, uint32_t number,
                               gms_time_t now_ps);
/** Let the next packet cross a link if the link is free and a packet waits. */
void gms_reserved_serve(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t number);
gms_handler_fn gms_reserved_on_head, gms_reserved_on_end;

/* cut_through.c: parts that the model ethernet shares */

/** Create fabric->table, with the rates of all links, and the lane of each class
 *  at all ports. Set the number of classes.
 *  @param [out] error  set if the arena is full
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_vl_ports_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                 const gms_params_t *params,
                                 const uint8_t lane_of[GMS_LANE_CLASSES],
                                 char error[GMS_TOPOLOGY_ERROR_LEN]);
void gms_vl_ports_destroy(gms_arena_t *arena, gms_fabric_t *fabric);
void gms_vl_ports_sever(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t number);
void gms_vl_ports_use(const gms_fabric_t *fabric, uint32_t number,
                      gms_time_t now_ps, gms_link_use_t *use);

/* ethernet.c */

/** Count a packet that enters the switch at the end of a link, and send a pause
 *  if the packet exceeds the threshold.
 *  @param [in] queued_bytes  bytes that wait at the packet's output port
 *  @return 0 if there is no room and the packet is lost */
int gms_eth_enter(gms_ctx_t *ctx, gms_fabric_t *fabric,
                  gms_reserved_lane_t *lane, uint32_t link,
                  uint64_t queued_bytes, const gms_worm_t *worm);
/** Count a packet that has left the switch, and end the pause if the port has
 *  room again. */
void gms_eth_leave(gms_ctx_t *ctx, gms_fabric_t *fabric,
                   gms_reserved_lane_t *lane, uint32_t link,
                   const gms_worm_t *worm);
/** Decide whether a packet that joins a queue of this length is marked. */
void gms_eth_mark(gms_fabric_t *fabric, uint32_t link, uint64_t queued_bytes,
                  gms_worm_t *worm);
gms_handler_fn gms_eth_on_pause;

/* fault.c */
void gms_fault_init(gms_fabric_t *fabric, const gms_params_t *params);
/** Schedule the first random outage, if random outages are configured. */
void gms_fault_start(gms_ctx_t *ctx, gms_fabric_t *fabric);
/** Choose at random which faults affect a worm.
 *  @return 1 if the worm is dropped */
int gms_fault_draw(gms_fabric_t *fabric, gms_worm_t *worm, gms_time_t now_ps);
/** Count the faults of a worm that arrives despite these faults. */
void gms_fault_arrives(gms_fabric_t *fabric, const gms_worm_t *worm);
/** Damage and count a worm that arrives truncated. */
void gms_fault_cut(gms_fabric_t *fabric, gms_worm_t *worm);
/** Create and count a copy of a worm that arrives twice. The copy arrives now.
 *  @return the copy, or NULL if there is no copy because the link into the
 *    target is down or the target makes no copies */
gms_worm_t *gms_fault_repeat(gms_ctx_t *ctx, gms_fabric_t *fabric,
                             gms_worm_t *worm);
gms_handler_fn gms_fault_on_outage, gms_fault_on_lost;

#endif
