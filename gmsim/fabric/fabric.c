/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/fabric.h"

#include <assert.h>
#include <stdio.h>

#include "fabric/fabric_int.h"

const gms_fabric_ops_t *const gms_fabric_models[] = {
    [GMS_FABRIC_WORM] = &gms_worm_ops,
};

/* Room for everything; the graph is filled in afterwards. */
static gms_status_t gms_fabric_alloc(gms_arena_t *arena, gms_fabric_t *fabric)
{
    size_t nodes = fabric->nodes;

    fabric->links =
        gms_arena_alloc(arena, fabric->link_count * sizeof(*fabric->links));
    fabric->switches = gms_arena_alloc(arena, fabric->switch_count *
                                                  sizeof(*fabric->switches));
    fabric->node_link =
        gms_arena_alloc(arena, nodes * sizeof(*fabric->node_link));
    fabric->ports = gms_arena_alloc(arena, nodes * sizeof(*fabric->ports));
    fabric->routes =
        gms_arena_alloc(arena, nodes * nodes * sizeof(*fabric->routes));
    fabric->chance = gms_arena_alloc(arena, nodes * sizeof(*fabric->chance));
    if (fabric->links == NULL || fabric->switches == NULL ||
        fabric->node_link == NULL || fabric->ports == NULL ||
        fabric->routes == NULL || fabric->chance == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    return GMS_OK;
}

static void gms_fabric_free(gms_arena_t *arena, gms_fabric_t *fabric)
{
    uint32_t i;

    for (i = 0; fabric->links != NULL && i < fabric->link_count; ++i) {
        gms_arena_free(arena, fabric->links[i].waiting);
    }
    for (i = 0; fabric->switches != NULL && i < fabric->switch_count; ++i) {
        gms_arena_free(arena, fabric->switches[i].out);
    }
    gms_arena_free(arena, fabric->links);
    gms_arena_free(arena, fabric->switches);
    gms_arena_free(arena, fabric->node_link);
    gms_arena_free(arena, fabric->ports);
    gms_arena_free(arena, fabric->routes);
    gms_arena_free(arena, fabric->chance);
    gms_arena_free(arena, fabric);
}

static gms_status_t gms_fabric_add_switch(gms_arena_t *arena,
                                          gms_fabric_t *fabric, uint32_t index,
                                          uint32_t ports)
{
    gms_switch_t *crossbar = &fabric->switches[index];
    uint32_t port;

    crossbar->ports = ports;
    crossbar->out = gms_arena_alloc(arena, ports * sizeof(*crossbar->out));
    if (crossbar->out == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (port = 0; port < ports; ++port) {
        crossbar->out[port] = GMS_LINK_NONE;
    }
    return GMS_OK;
}

/* Both ends' indices must exist already. */
static gms_status_t gms_fabric_add_link(gms_arena_t *arena,
                                        gms_fabric_t *fabric, uint32_t number,
                                        gms_link_end_t from, gms_link_end_t to)
{
    gms_link_t *link = &fabric->links[number];
    gms_switch_t *crossbar;

    link->from = from;
    link->to = to;
    if (from.kind == GMS_END_NODE) {
        fabric->node_link[from.index] = number;
        return GMS_OK;
    }
    crossbar = &fabric->switches[from.index];
    crossbar->out[from.port] = number;
    link->last_input = crossbar->ports - 1;
    link->waiting =
        gms_arena_alloc(arena, crossbar->ports * sizeof(*link->waiting));
    return link->waiting == NULL ? GMS_ERR_NO_MEMORY : GMS_OK;
}

/* Node n on port n: its link in is number n, its link out number nodes + n. */
static gms_status_t gms_fabric_build_crossbar(gms_arena_t *arena,
                                              gms_fabric_t *fabric,
                                              uint32_t ports)
{
    uint32_t node, target;
    gms_status_t status = gms_fabric_add_switch(arena, fabric, 0, ports);

    for (node = 0; status == GMS_OK && node < fabric->nodes; ++node) {
        gms_link_end_t host = {GMS_END_NODE, node, 0};
        gms_link_end_t port = {GMS_END_SWITCH, 0, node};

        status = gms_fabric_add_link(arena, fabric, node, host, port);
        if (status == GMS_OK) {
            status = gms_fabric_add_link(arena, fabric, fabric->nodes + node,
                                         port, host);
        }
        for (target = 0; target < fabric->nodes; ++target) {
            gms_route_t *route = &fabric->routes[node * fabric->nodes + target];

            /* A node's way to itself goes through the switch too: in and out
             * of one port are two channels. */
            route->hops = 1;
            route->port[0] = (uint8_t)target;
        }
    }
    return status;
}

gms_status_t gms_fabric_create(gms_ctx_t *ctx, const gms_params_t *params,
                               gms_fabric_t **fabric_p)
{
    gms_status_t status;
    gms_fabric_t *fabric;

    if (params->hosts == 0 || params->hosts > params->switch_ports ||
        params->switch_ports > UINT8_MAX) {
        return GMS_ERR_INVALID_PARAM;
    }
    fabric = gms_arena_alloc(ctx->arena, sizeof(*fabric));
    if (fabric == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    fabric->model = GMS_FABRIC_WORM;
    fabric->nodes = (uint32_t)params->hosts;
    fabric->switch_count = 1;
    fabric->link_count = 2 * fabric->nodes;
    fabric->origin.id = GMS_ORIGIN_FABRIC;
    fabric->link_bytes_s = params->link_bytes_s;
    fabric->link_propagation_ps = params->link_propagation_ps;
    fabric->switch_routing_ps = params->switch_routing_ps;

    status = gms_fabric_alloc(ctx->arena, fabric);
    if (status == GMS_OK) {
        status = gms_fabric_build_crossbar(ctx->arena, fabric,
                                           (uint32_t)params->switch_ports);
    }
    if (status != GMS_OK) {
        gms_fabric_free(ctx->arena, fabric);
        return status;
    }
    gms_fault_init(fabric, params);
    gms_fault_start(ctx, fabric);
    *fabric_p = fabric;
    return GMS_OK;
}

void gms_fabric_attach(gms_fabric_t *fabric, unsigned node,
                       const gms_fabric_port_t *port)
{
    assert(node < fabric->nodes);
    fabric->ports[node] = *port;
}

/* Apart, so that the usual way stays short. */
static __attribute__((noinline)) void gms_fabric_inject_with_faults(
    gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm)
{
    const gms_fabric_ops_t *ops = gms_fabric_models[fabric->model];

    if (gms_fault_draw(fabric, worm, gms_engine_now(ctx->engine))) {
        ops->swallow(ctx, fabric, worm);
    } else {
        ops->inject(ctx, fabric, worm);
    }
}

void gms_fabric_inject(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm)
{
    assert(worm->source < fabric->nodes && worm->target < fabric->nodes);
    ++fabric->packets;
    if (fabric->draws_faults) {
        gms_fabric_inject_with_faults(ctx, fabric, worm);
        return;
    }
    gms_fabric_models[fabric->model]->inject(ctx, fabric, worm);
}

void gms_fabric_accept(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm)
{
    gms_fabric_models[fabric->model]->accept(ctx, fabric, worm);
}

static void gms_fabric_on_head(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_fabric_t *fabric = event->object;

    gms_fabric_models[fabric->model]->on_head(ctx, event);
}

static void gms_fabric_on_release(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_fabric_t *fabric = event->object;

    gms_fabric_models[fabric->model]->on_release(ctx, event);
}

void gms_fabric_register(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_FABRIC_ON_LOST] = gms_fault_on_lost;
    ctx->handlers[GMS_FABRIC_ON_OUTAGE] = gms_fault_on_outage;
    ctx->handlers[GMS_FABRIC_ON_HEAD] = gms_fabric_on_head;
    ctx->handlers[GMS_FABRIC_ON_RELEASE] = gms_fabric_on_release;
}

const gms_route_t *gms_fabric_route(const gms_fabric_t *fabric, unsigned source,
                                    unsigned target)
{
    assert(source < fabric->nodes && target < fabric->nodes);
    return &fabric->routes[source * fabric->nodes + target];
}

uint32_t gms_fabric_next_link(const gms_fabric_t *fabric,
                              const gms_worm_t *worm)
{
    const gms_route_t *route =
        gms_fabric_route(fabric, worm->source, worm->target);
    const gms_link_t *link = &fabric->links[worm->link];

    assert(link->to.kind == GMS_END_SWITCH && worm->hop < route->hops);
    return fabric->switches[link->to.index].out[route->port[worm->hop]];
}

unsigned gms_fabric_links(const gms_fabric_t *fabric, unsigned source,
                          unsigned target, uint32_t *links, unsigned max)
{
    const gms_route_t *route = gms_fabric_route(fabric, source, target);
    uint32_t number = fabric->node_link[source];
    unsigned i;

    for (i = 0; i <= route->hops; ++i) {
        if (i < max) {
            links[i] = number;
        }
        if (i < route->hops) {
            const gms_link_end_t *to = &fabric->links[number].to;

            number = fabric->switches[to->index].out[route->port[i]];
        }
    }
    return i;
}

unsigned gms_fabric_link_count(const gms_fabric_t *fabric)
{
    return fabric->link_count;
}

void gms_fabric_link_name(const gms_fabric_t *fabric, uint32_t link, char *text,
                          size_t text_len)
{
    const gms_link_end_t *from = &fabric->links[link].from;
    const gms_link_end_t *to = &fabric->links[link].to;
    char head[64];

    if (from->kind == GMS_END_NODE) {
        snprintf(head, sizeof(head), "node %u", from->index + 1);
    } else {
        snprintf(head, sizeof(head), "switch %u port %u", from->index,
                 from->port);
    }
    if (to->kind == GMS_END_NODE) {
        snprintf(text, text_len, "%s to node %u", head, to->index + 1);
    } else {
        snprintf(text, text_len, "%s to switch %u", head, to->index);
    }
}

unsigned gms_fabric_nodes(const gms_fabric_t *fabric)
{
    return fabric->nodes;
}

uint64_t gms_fabric_packets(const gms_fabric_t *fabric)
{
    return fabric->packets;
}
