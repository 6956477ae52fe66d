/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The state of packets that move on a topology: the holder of every link and
 * the packets that wait for it. The output port of a switch and the link behind
 * it are one resource, therefore a link carries all the state. The model
 * decides how packets move.
 */
#ifndef FABRIC_FABRIC_INT_H
#define FABRIC_FABRIC_INT_H

#include "base/random.h"
#include "fabric/fabric.h"
#include "fabric/link_time.h"
#include "fabric/topology_int.h"

typedef struct gms_link {
    gms_worm_t *last;     /* whose bytes are on it or will be, or once were:
                              gms_link_owner() knows */
    gms_event_key_t free; /* when it will be free; GMS_NEVER: not known */
    int is_awaited;       /* an event says so, and not before */
    gms_worm_t **waiting; /* by input port of the switch at its start: the
                              worm whose head waits there for this link; a
                              node's link has none */
    uint32_t waiting_count;
    uint32_t last_input; /* served last: round-robin goes on after it */
    gms_time_t down_until_ps;
    uint64_t blocked_packets; /* heads that had to wait for it, or, at a node's
                                 own, for a receive buffer */
    gms_time_t blocked_ps;    /* .. for how long */
    gms_time_t taken_ps;      /* when the last worm took it */
    gms_time_t held_ps;       /* by worms whose end is known, up to that end */
    gms_time_t moving_ps;     /* .. while they move */
} gms_link_t;

/** The links of a way, once looked up. */
typedef struct gms_path {
    uint32_t count;
    uint32_t link[]; /* first the source's own */
} gms_path_t;

/** How packets move over the graph. */
typedef struct gms_fabric_ops {
    const char *name;
    /* State of its own, or NULL: none. The topology is there. */
    gms_status_t (*create)(gms_ctx_t *ctx, gms_fabric_t *fabric,
                           const gms_params_t *params,
                           char error[GMS_TOPOLOGY_ERROR_LEN]);
    void (*destroy)(gms_arena_t *arena, gms_fabric_t *fabric);
    /* As gms_fabric_reserve(), or NULL. */
    void (*reserve)(gms_fabric_t *fabric, uint32_t source, uint32_t target,
                    int64_t bytes_s);
    void (*inject)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    void (*accept)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    /* Let the source send it to nobody. */
    void (*swallow)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    /* A link has broken: under whatever is on it. */
    void (*sever)(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link);
    /* As of gms_link_use_t; without packets blocked. */
    void (*use)(const gms_fabric_t *fabric, uint32_t link, gms_time_t now_ps,
                gms_link_use_t *use);
    gms_handler_fn *on_head;
    gms_handler_fn *on_release;
    /* Reserved packets, whose bytes go before those of best effort. Return the first
     * moment, from one on, at which one can enter a link. NULL: that moment. */
    gms_time_t (*clear_ps)(const gms_fabric_t *fabric, uint32_t link,
                           gms_time_t from_ps);
    /* A reserved packet has the link in that time; from_ps is at most a
     * propagation ago, and not before the link was clear. */
    void (*yield)(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link,
                  gms_time_t from_ps, gms_time_t until_ps);
    /* No reserved packet has the link any more; or NULL. */
    void (*resume)(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link);
} gms_fabric_ops_t;

/** Classes that use the reserved lanes: those before best effort. */
#define GMS_RESERVED_CLASSES ((unsigned)GMS_LANE_BEST_EFFORT)

/** One class's lane of a link. */
typedef struct gms_reserved_lane {
    gms_worm_t *first, *last; /* wait at the link's start, by arrival */
    uint64_t
        inside_bytes; /* of packets that hold buffers at the link's end: from
                              the head's entry to the tail's departure there */
    uint8_t is_asked; /* a link into a NIC: the first one has asked for a
                         receive buffer there */
    uint8_t may_go;   /* the first one has a receive buffer */
} gms_reserved_lane_t;

/** What reserved packets do on a link. */
typedef struct gms_reserved_link {
    gms_reserved_lane_t lane[GMS_RESERVED_CLASSES];
    gms_worm_t *current;      /* crosses the link now or in a moment, or NULL */
    gms_time_t busy_until_ps; /* end of its crossing */
    gms_time_t stream_ps;     /* time of its bytes, up to that end */
    gms_time_t moving_ps;     /* all that have crossed it, up to that time */
} gms_reserved_link_t;

struct gms_fabric {
    uint32_t model;   /* enum gms_fabric_model */
    uint32_t classes; /* of traffic: 1 or GMS_LANE_CLASSES */
    uint32_t nodes, link_count;
    uint64_t reserved_bytes;       /* buffers of a switch's input, each class */
    gms_reserved_link_t *reserved; /* by link; NULL: no reserved lanes */
    uint8_t is_reserved;           /* a packet has used them; worms may pause */
    gms_topology_t *topology;
    gms_link_t *links;           /* by number */
    gms_worm_t **waiting;        /* room for those of all links */
    gms_fabric_port_t *ports;    /* by node: its NIC */
    struct gms_flit_model *flit; /* flit_model.c's; NULL with worm */
    gms_path_t ***paths;         /* by source, by target; made on first use */
    gms_origin_t origin;
    uint64_t packets;
    gms_link_time_t time;

    /* faults */
    int draws_faults; /* a rate is not 0 */
    gms_fault_rates_t rates;
    gms_time_t calm_until_ps;
    uint64_t outages_per_s;
    gms_time_t outage_ps;
    gms_random_t outages;
    gms_random_t *chance; /* by source node */
    gms_fault_counts_t counts;
};

extern const gms_fabric_ops_t gms_worm_ops, gms_flit_ops;
extern const gms_fabric_ops_t *const gms_fabric_models[];

/** Arena memory, zeroed; without any left the run ends. */
void *gms_fabric_room(gms_ctx_t *ctx, size_t bytes);

/** Who holds a link, or NULL. */
static inline gms_worm_t *gms_link_owner(const gms_ctx_t *ctx,
                                         const gms_link_t *link)
{
    return !link->is_awaited && gms_engine_is_past(ctx->engine, &link->free)
               ? NULL
               : link->last;
}

/** Where a link leads. */
static inline const gms_link_end_t *gms_fabric_to(const gms_fabric_t *fabric,
                                                  uint32_t link)
{
    return &fabric->topology->links[link].to;
}

/** A head's wait for a link of its way is over. */
void gms_fabric_waited(gms_ctx_t *ctx, gms_fabric_t *fabric,
                       const gms_worm_t *worm, uint32_t hop,
                       gms_time_t waited_ps);

/* worm.c */
gms_handler_fn gms_worm_on_tail;

/* reserved.c: packets of the classes before best effort */
static inline int gms_reserved_carries(const gms_fabric_t *fabric,
                                       const gms_worm_t *worm)
{
    return fabric->reserved != NULL &&
           worm->traffic_class != GMS_LANE_BEST_EFFORT;
}
/** Make reserved lanes if the parameters ask for them.
 *  @param [out] error  written if there is no memory
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_reserved_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                 const gms_params_t *params,
                                 char error[GMS_TOPOLOGY_ERROR_LEN]);
void gms_reserved_inject(gms_ctx_t *ctx, gms_fabric_t *fabric,
                         gms_worm_t *worm);
void gms_reserved_accept(gms_ctx_t *ctx, gms_fabric_t *fabric,
                         gms_worm_t *worm);
/** Lose it at its source, which sends it anyway. */
void gms_reserved_swallow(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm);
/** A link has broken. */
void gms_reserved_sever(gms_fabric_t *fabric, uint32_t number);
/** For how long reserved packets have moved over a link so far; 0 without reserved
 *  lanes. */
gms_time_t gms_reserved_moving(const gms_fabric_t *fabric, uint32_t number,
                               gms_time_t now_ps);
gms_handler_fn gms_reserved_on_head, gms_reserved_on_end;

/* fault.c */
void gms_fault_init(gms_fabric_t *fabric, const gms_params_t *params);
/** Schedule the first random outage, if there are to be any. */
void gms_fault_start(gms_ctx_t *ctx, gms_fabric_t *fabric);
/** Decide what becomes of a worm. @return 1 if it is dropped */
int gms_fault_draw(gms_fabric_t *fabric, gms_worm_t *worm, gms_time_t now_ps);
/** A worm will arrive as it is now: count what was done to it. */
void gms_fault_arrives(gms_fabric_t *fabric, const gms_worm_t *worm);
/** A worm comes out cut short. */
void gms_fault_cut(gms_fabric_t *fabric, gms_worm_t *worm);
/** A worm comes twice: count and make its copy, which arrives now.
 *  @return NULL: not now, the link into its target is down, or the target makes
 *  none */
gms_worm_t *gms_fault_repeat(gms_ctx_t *ctx, gms_fabric_t *fabric,
                             gms_worm_t *worm);
gms_handler_fn gms_fault_on_outage, gms_fault_on_lost;

#endif
