/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a fabric for tests, with simple stations instead of NICs. A station
 * records the events of the fabric. A test calls rig_context() and
 * rig_params(), builds the fabric with rig_open(), and then runs the events. A
 * test may replace the stations' handlers after rig_context(), and the
 * stations' objects before rig_open().
 */
#ifndef TESTS_UNIT_FABRIC_RIG_H
#define TESTS_UNIT_FABRIC_RIG_H

#include "unit.h"

#include <string.h>

#include "fabric/fabric_int.h"

enum {
    ON_SENT = GMS_HANDLER_TEST,
    ON_REQUEST,
    ON_ARRIVED,
    ON_COPY,
    ON_LOST, /* this event has no handler unless the test sets one */
    ON_NEXT, /* inject a worm; arguments: source, target */
    ON_OWN   /* number of the first handler that a test can define */
};
enum {
    RIG_NODES_MAX = 20,
    RIG_ORDER = 32,
    RIG_BYTES = 1600 /* length in bytes of a worm that inject() sends (10 us at
                      * 160 MB/s) */
};

/* State of a station, which replaces a NIC. The stations are in the test's own
 * memory, because there is only one process. */
typedef struct station {
    int refuses;            /* 1: arriving heads wait until the test calls
                             * accept_waiting() */
    gms_worm_t *requesting; /* the head that is waiting */
    unsigned to_send;       /* number of worms that the station has yet to
                             * inject, one after the other */
    unsigned target;        /* target of these worms */
    unsigned sent, arrived; /* number of worms that have arrived */
    unsigned damaged_header, damaged_payload;
    uint64_t damage; /* damage to the last worm that arrived */
    gms_time_t sent_ps, request_ps, arrived_ps;
    gms_time_t wire_ps, switch_ps; /* times of the last arrived worm */
    uint32_t order[RIG_ORDER];     /* sources in the order of arrival */
    uint64_t sum;                  /* hash over all arrivals, for comparing two
                                    * runs */
} station_t;

static gms_ctx_t ctx;
static gms_params_t params;
static gms_fabric_t *fabric;
static char error[GMS_TOPOLOGY_ERROR_LEN];
static station_t stations[RIG_NODES_MAX];
/* Objects that the fabric passes to the handlers, with rig_object_bytes bytes
 * per node. */
static char *rig_objects = (char *)stations;
static size_t rig_object_bytes = sizeof(stations[0]);
/* Handlers that the fabric calls. By default, on_copy and on_lost are 0, which
 * means that there is no handler. */
static gms_fabric_port_t rig_port = {NULL,       ON_SENT, ON_REQUEST,
                                     ON_ARRIVED, 0,       0};

static inline gms_worm_t *worm_of(const gms_event_t *event)
{
    return (gms_worm_t *)(uintptr_t)event->arg[0];
}

static inline void inject(unsigned source, unsigned target)
{
    gms_worm_t *worm = gms_arena_alloc(ctx.arena, sizeof(*worm));

    CU_ASSERT_PTR_NOT_NULL_FATAL(worm);
    worm->source = source;
    worm->target = target;
    worm->wire_bytes = RIG_BYTES;
    gms_fabric_inject(&ctx, fabric, worm);
}

static inline void inject_at(gms_time_t at_ps, unsigned source, unsigned target)
{
    static gms_origin_t origin;

    gms_engine_schedule(&ctx, &origin, at_ps, ON_NEXT, NULL, source, target);
}

/* Accept the head that is waiting at a node. */
static inline void accept_waiting(unsigned node)
{
    gms_worm_t *worm = stations[node].requesting;

    CU_ASSERT_PTR_NOT_NULL_FATAL(worm);
    stations[node].requesting = NULL;
    gms_fabric_accept(&ctx, fabric, worm);
}

static inline void run_dry(void)
{
    while (!gms_engine_is_idle(ctx.engine)) {
        gms_engine_step(&ctx);
    }
}

/* ---- station handlers ---- */

static inline void rig_sent(gms_ctx_t *c, const gms_event_t *event)
{
    station_t *station = event->object;

    (void)c;
    ++station->sent;
    station->sent_ps = event->time_ps;
    if (station->to_send > 0) {
        --station->to_send;
        inject((unsigned)(station - stations), station->target);
    }
}

static inline void rig_request(gms_ctx_t *c, const gms_event_t *event)
{
    station_t *station = event->object;

    /* A station has only one link, so at most one head is waiting. */
    CU_ASSERT_PTR_NULL(station->requesting);
    station->request_ps = event->time_ps;
    if (station->refuses) {
        station->requesting = worm_of(event);
    } else {
        gms_fabric_accept(c, fabric, worm_of(event));
    }
}

/* Record an arrival, but do not include it in the hash. */
static inline void rig_note(station_t *station, const gms_worm_t *worm,
                            gms_time_t at_ps)
{
    station->order[station->arrived++ % RIG_ORDER] = worm->source;
    station->arrived_ps = at_ps;
    station->switch_ps = worm->switch_ps;
    station->wire_ps = worm->wire_ps;
    station->damage = worm->damage;
    if (worm->fate & GMS_WORM_DAMAGE_HEADER) {
        ++station->damaged_header;
    } else if (worm->fate & GMS_WORM_DAMAGE_PAYLOAD) {
        ++station->damaged_payload;
    }
}

static inline void rig_arrived(gms_ctx_t *c, const gms_event_t *event)
{
    station_t *station = event->object;
    gms_worm_t *worm = worm_of(event);

    rig_note(station, worm, event->time_ps);
    station->sum =
        station->sum * 31 + event->time_ps + worm->source + worm->damage;
    gms_arena_free(c->arena, worm);
}

static inline void rig_copy(gms_ctx_t *c, const gms_event_t *event)
{
    gms_worm_t *copy = gms_arena_alloc(c->arena, sizeof(*copy));

    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    *copy = *worm_of(event);
    *(gms_worm_t **)(uintptr_t)event->arg[1] = copy;
}

static inline void rig_next(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    inject((unsigned)event->arg[0], (unsigned)event->arg[1]);
}

/* ---- start and end ---- */

/* Create an empty context with the handlers above. */
static inline void rig_context(void)
{
    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    gms_fabric_register(&ctx);
    ctx.handlers[ON_SENT] = rig_sent;
    ctx.handlers[ON_REQUEST] = rig_request;
    ctx.handlers[ON_ARRIVED] = rig_arrived;
    ctx.handlers[ON_COPY] = rig_copy;
    ctx.handlers[ON_NEXT] = rig_next;
}

/* Set the parameters of a fabric in which a worm of RIG_BYTES takes 10 us. */
static inline void rig_params(gms_time_t propagation_ps, gms_time_t routing_ps)
{
    gms_params_init(&params);
    params.undeclared = GMS_UNDECLARED_FREE; /* all traffic uses the same
                                              * lane */
    params.link_bytes_s = 160000000;
    params.link_propagation_ps = propagation_ps;
    params.switch_routing_ps = routing_ps;
}

/* Build the fabric from the parameters, with one station at each node. */
static inline void rig_create(const gms_graph_t *graph)
{
    unsigned i;

    memset(stations, 0, sizeof(stations));
    if (gms_fabric_create(&ctx, &params, graph, &fabric, error) != GMS_OK) {
        printf("\n    %s\n", error);
        CU_FAIL_FATAL("no fabric");
    }
    for (i = 0; i < gms_fabric_nodes(fabric); ++i) {
        rig_port.object = rig_objects + i * rig_object_bytes;
        gms_fabric_attach(fabric, i, &rig_port);
    }
}

/* Replace the arena and the engine of the previous fabric, and build a new
 * fabric. */
static inline void rig_open(uint64_t arena_mib, const gms_graph_t *graph)
{
    gms_arena_destroy_private(ctx.arena);
    CU_ASSERT_FATAL(gms_arena_create_private(arena_mib << 20, &ctx.arena) ==
                        GMS_OK &&
                    gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK);
    rig_create(graph);
}

static inline void rig_close(void)
{
    gms_arena_destroy_private(ctx.arena);
    ctx.arena = NULL;
}

#endif
