/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that all fabric models share: memory, routes of node pairs,
 * injection with and without faults, and the link usage that observers read.
 * The files worm.c and flit_model.c move the packets.
 */
#include "fabric/fabric.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "fabric/fabric_int.h"

const gms_fabric_ops_t *const gms_fabric_models[] = {
    [GMS_FABRIC_WORM] = &gms_worm_ops,
    [GMS_FABRIC_FLIT] = &gms_flit_ops,
    [GMS_FABRIC_CUT_THROUGH] = &gms_cut_through_ops,
    [GMS_FABRIC_ETHERNET] = &gms_eth_ops,
};

static void gms_fabric_free(gms_arena_t *arena, gms_fabric_t *fabric)
{
    if (gms_fabric_models[fabric->model]->destroy != NULL) {
        gms_fabric_models[fabric->model]->destroy(arena, fabric);
    }
    gms_topology_destroy(arena, fabric->topology);
    gms_arena_free(arena, fabric->reserved);
    gms_arena_free(arena, fabric->lanes);
    gms_arena_free(arena, fabric->links);
    gms_arena_free(arena, fabric->waiting);
    gms_arena_free(arena, fabric->ports);
    gms_arena_free(arena, fabric->paths);
    gms_arena_free(arena, fabric->chance);
    gms_arena_free(arena, fabric);
}

/* Allocate the links and ports of the fabric. The memory is zeroed, so all
 * links are idle, and every output port serves its input 0 first. */
static gms_status_t gms_fabric_alloc(gms_arena_t *arena, gms_fabric_t *fabric)
{
    const gms_topology_t *topology = fabric->topology;
    size_t nodes = fabric->nodes, inputs = 0;
    uint32_t number;

    for (number = fabric->nodes; number < fabric->link_count; ++number) {
        inputs +=
            gms_topology_ports(topology, topology->links[number].from.index);
    }
    fabric->links =
        gms_arena_alloc(arena, fabric->link_count * sizeof(*fabric->links));
    fabric->waiting = gms_arena_alloc(arena, inputs * sizeof(*fabric->waiting));
    fabric->ports = gms_arena_alloc(arena, nodes * sizeof(*fabric->ports));
    fabric->paths = gms_arena_alloc(arena, nodes * sizeof(*fabric->paths));
    fabric->chance = gms_arena_alloc(arena, nodes * sizeof(*fabric->chance));
    if (fabric->links == NULL || fabric->waiting == NULL ||
        fabric->ports == NULL || fabric->paths == NULL ||
        fabric->chance == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    inputs = 0;
    for (number = fabric->nodes; number < fabric->link_count; ++number) {
        uint32_t ports =
            gms_topology_ports(topology, topology->links[number].from.index);

        fabric->links[number].waiting = fabric->waiting + inputs;
        fabric->links[number].last_input = ports - 1;
        inputs += ports;
    }
    return GMS_OK;
}

/* Set the lanes of the ports that the cluster description lists. */
static gms_status_t gms_fabric_set_lanes(gms_fabric_t *fabric,
                                         const gms_graph_t *graph,
                                         char error[GMS_TOPOLOGY_ERROR_LEN])
{
    uint32_t i;

    for (i = 0; i < graph->lane_count; ++i) {
        const gms_port_lane_t *entry = &graph->lanes[i];

        if (gms_fabric_set_lane(fabric, entry->link, entry->traffic_class,
                                entry->lane) != GMS_OK) {
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                     "lane %u of a port has no weight (key 'lanes')",
                     entry->lane);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

gms_status_t gms_fabric_create(gms_ctx_t *ctx, const gms_params_t *params,
                               const gms_graph_t *graph,
                               gms_fabric_t **fabric_p,
                               char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_status_t status = GMS_ERR_NO_MEMORY;
    gms_fabric_t *fabric = gms_arena_alloc(ctx->arena, sizeof(*fabric));

    snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
             "the fabric needs more memory than the arena has left; set a "
             "larger arena_bytes");
    if (fabric == NULL) {
        return status;
    }
    status = gms_topology_create(ctx->arena, params, graph, &fabric->topology,
                                 error);
    if (status == GMS_OK) {
        fabric->model = (uint32_t)params->fabric_model;
        fabric->nodes = gms_topology_nodes(fabric->topology);
        fabric->link_count = gms_topology_link_count(fabric->topology);
        fabric->classes = 1;
        fabric->origin.id = GMS_ORIGIN_FABRIC;
        gms_link_time_init(&fabric->time, params);
        status = gms_fabric_alloc(ctx->arena, fabric);
        if (status != GMS_OK) {
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                     "the fabric of %u NICs and %u links needs more memory "
                     "than the arena has left; set a larger arena_bytes",
                     fabric->nodes, fabric->link_count);
        }
    }
    if (status == GMS_OK && gms_fabric_models[fabric->model]->create != NULL) {
        status = gms_fabric_models[fabric->model]->create(ctx, fabric, params,
                                                          error);
    }
    if (status == GMS_OK && graph != NULL) {
        status = gms_fabric_set_lanes(fabric, graph, error);
    }
    if (status != GMS_OK) {
        gms_fabric_free(ctx->arena, fabric);
        return status;
    }
    error[0] = '\0';
    gms_fault_init(fabric, params);
    gms_fault_start(ctx, fabric);
    *fabric_p = fabric;
    return GMS_OK;
}

gms_topology_t *gms_fabric_topology(const gms_fabric_t *fabric)
{
    return fabric->topology;
}

void gms_fabric_attach(gms_fabric_t *fabric, unsigned node,
                       const gms_fabric_port_t *port)
{
    assert(node < fabric->nodes);
    fabric->ports[node] = *port;
}

void *gms_fabric_room(gms_ctx_t *ctx, size_t bytes)
{
    void *block = gms_arena_alloc(ctx->arena, bytes);

    if (block == NULL) {
        gms_fatal(ctx,
                  "the arena is full: the fabric needs %zu more bytes; set a "
                  "larger arena_bytes in the cluster description",
                  bytes);
    }
    return block;
}

/* Compute the route between two nodes for the first packet that uses it. */
static __attribute__((noinline)) const gms_path_t *
gms_fabric_find_path(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t source,
                     uint32_t target)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned count =
        gms_topology_links(fabric->topology, source, target, links);
    gms_path_t *path;

    if (fabric->paths[source] == NULL) {
        fabric->paths[source] = gms_fabric_room(
            ctx, fabric->nodes * sizeof(*fabric->paths[source]));
    }
    path = gms_fabric_room(ctx, sizeof(*path) + count * sizeof(path->link[0]));
    path->count = count;
    memcpy(path->link, links, count * sizeof(path->link[0]));
    fabric->paths[source][target] = path;
    return path;
}

static const gms_path_t *gms_fabric_path(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                         uint32_t source, uint32_t target)
{
    gms_path_t **row = fabric->paths[source];

    return row != NULL && row[target] != NULL
               ? row[target]
               : gms_fabric_find_path(ctx, fabric, source, target);
}

/* Inject a worm that has faults. A separate function keeps the code for worms
 * without faults short. */
static __attribute__((noinline)) void
gms_fabric_inject_with_faults(gms_ctx_t *ctx, gms_fabric_t *fabric,
                              gms_worm_t *worm)
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
    worm->path = gms_fabric_path(ctx, fabric, worm->source, worm->target);
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

void gms_fabric_decline(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm)
{
    gms_reserved_decline(ctx, fabric, worm);
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
    ctx->handlers[GMS_FABRIC_ON_TAIL] = gms_worm_on_tail;
    ctx->handlers[GMS_FABRIC_ON_LANE_HEAD] = gms_reserved_on_head;
    ctx->handlers[GMS_FABRIC_ON_LANE_END] = gms_reserved_on_end;
    ctx->handlers[GMS_FABRIC_ON_PAUSE] = gms_eth_on_pause;
}

unsigned gms_fabric_classes(const gms_fabric_t *fabric)
{
    return fabric->classes;
}

unsigned gms_fabric_control_class(const gms_fabric_t *fabric,
                                  unsigned traffic_class)
{
    return fabric->model == GMS_FABRIC_FLIT && fabric->reserved == NULL
               ? (unsigned)GMS_LANE_CONTROL
               : traffic_class;
}

void gms_fabric_reserve(gms_fabric_t *fabric, uint32_t source, uint32_t target,
                        int64_t bytes_s)
{
    if (gms_fabric_models[fabric->model]->reserve != NULL) {
        gms_fabric_models[fabric->model]->reserve(fabric, source, target,
                                                  bytes_s);
    }
}

void gms_fabric_expect_reserved(gms_fabric_t *fabric)
{
    fabric->is_reserved = fabric->reserved != NULL;
}

unsigned gms_fabric_nodes(const gms_fabric_t *fabric)
{
    return fabric->nodes;
}

void gms_fabric_waited(gms_ctx_t *ctx, gms_fabric_t *fabric,
                       const gms_worm_t *worm, uint32_t hop,
                       gms_time_t waited_ps)
{
    gms_link_t *link = &fabric->links[worm->path->link[hop]];
    gms_fabric_blocked_t blocked = {worm, hop, waited_ps};

    if (waited_ps != 0) {
        ++link->blocked_packets;
        link->blocked_ps += waited_ps;
        gms_ctx_tracepoint(ctx, GMS_FABRIC_TRACEPOINT_BLOCKED, &blocked);
    }
}

void gms_fabric_link_use(const gms_fabric_t *fabric, uint32_t link,
                         gms_time_t now_ps, gms_link_use_t *use)
{
    gms_fabric_models[fabric->model]->use(fabric, link, now_ps, use);
    use->blocked_packets = fabric->links[link].blocked_packets;
    use->blocked_ps = fabric->links[link].blocked_ps;
}

/* This function skips links that became free before since_ps, because they have
 * not been used since that time. No packet has waited for these links since
 * that time either, because a wait ends when the link becomes free. */
uint32_t gms_fabric_next_used(const gms_fabric_t *fabric, uint32_t link,
                              gms_time_t since_ps)
{
    while (link < fabric->link_count &&
           fabric->links[link].free.time_ps < since_ps &&
           fabric->model != GMS_FABRIC_FLIT &&
           (fabric->reserved == NULL ||
            fabric->reserved[link].busy_until_ps < since_ps)) {
        ++link;
    }
    return link < fabric->link_count ? link : GMS_LINK_NONE;
}

unsigned gms_fabric_route_links(const gms_fabric_t *fabric, uint32_t source,
                                uint32_t target, const uint32_t **links_p)
{
    gms_path_t *const *row = fabric->paths[source];

    if (row == NULL || row[target] == NULL) {
        return 0;
    }
    *links_p = row[target]->link;
    return row[target]->count;
}

uint64_t gms_fabric_entry_bytes_s(const gms_fabric_t *fabric, uint32_t node)
{
    return fabric->table == NULL
               ? fabric->time.bytes_s
               : fabric->table->bytes_s[gms_topology_node_link(fabric->topology,
                                                               node, 0)];
}

uint64_t gms_fabric_packets(const gms_fabric_t *fabric)
{
    return fabric->packets;
}
