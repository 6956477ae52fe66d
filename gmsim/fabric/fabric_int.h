/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The fabric as a graph of switches and directed links.
 *
 *   node n --link--> switch s, input port i
 *                    switch s, output port o --link--> node m or switch t
 *
 * A switch's output port and the link behind it are one resource, so a link
 * carries all the state: who holds it and who waits for it. The graph says
 * nothing about how packets move; that is the model's.
 */
#ifndef FABRIC_FABRIC_INT_H
#define FABRIC_FABRIC_INT_H

#include "engine/random.h"
#include "fabric/fabric.h"

#define GMS_LINK_NONE UINT32_MAX

enum gms_end_kind { GMS_END_NODE = 0, GMS_END_SWITCH };

typedef struct gms_link_end {
    uint32_t kind;  /* enum gms_end_kind */
    uint32_t index; /* of the node or switch */
    uint32_t port;  /* of the switch; 0 at a node */
} gms_link_end_t;

typedef struct gms_link {
    gms_link_end_t from, to;
    gms_worm_t *owner;     /* whose bytes are on it or will be, or NULL */
    gms_worm_t **waiting;  /* by input port of the switch at `from`: the worm
                              whose head waits there for this link */
    uint32_t waiting_count;
    uint32_t last_input;   /* served last: round-robin goes on after it */
    gms_time_t down_until_ps;
} gms_link_t;

typedef struct gms_switch {
    uint32_t ports;
    uint32_t *out; /* link by output port, GMS_LINK_NONE where none is */
} gms_switch_t;

/** How packets move over the graph. */
typedef struct gms_fabric_ops {
    const char *name;
    void (*inject)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    void (*accept)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    /* Let the source send it to nobody. */
    void (*swallow)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    /* A link that the worm is on has broken. */
    void (*sever)(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm);
    gms_handler_fn *on_head;
    gms_handler_fn *on_release;
} gms_fabric_ops_t;

struct gms_fabric {
    uint32_t model; /* enum gms_fabric_model */
    uint32_t nodes, switch_count, link_count;
    gms_link_t *links;
    gms_switch_t *switches;
    uint32_t *node_link;      /* by node: its link into the fabric */
    gms_fabric_port_t *ports; /* by node: its NIC */
    gms_route_t *routes;      /* [source * nodes + target] */
    gms_origin_t origin;
    uint64_t packets;
    uint64_t link_bytes_s;
    gms_time_t link_propagation_ps, switch_routing_ps;

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

extern const gms_fabric_ops_t gms_worm_ops;
extern const gms_fabric_ops_t *const gms_fabric_models[];

/** Link that the route's hop leads to: 0 is the source's own. */
uint32_t gms_fabric_next_link(const gms_fabric_t *fabric,
                              const gms_worm_t *worm);

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
gms_handler_fn gms_fault_on_outage, gms_fault_on_lost;

#endif
