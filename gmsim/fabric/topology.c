/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a topology of any kind. First, the functions for the topology's kind
 * define the switches and cables. Then this file numbers the links, chooses the
 * routing, and checks the routes for deadlock. The files topology_row.c,
 * topology_tree.c, topology_grid.c and topology_graph.c implement the kinds.
 * The file topology_search.c computes routes that follow no pattern.
 */
#include "fabric/topology.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fabric/topology_int.h"

static const gms_topology_ops_t *const gms_topology_kinds[] = {
    [GMS_TOPOLOGY_CROSSBAR] = &gms_crossbar_ops,
    [GMS_TOPOLOGY_CASCADE] = &gms_cascade_ops,
    [GMS_TOPOLOGY_CLOS] = &gms_clos_ops,
    [GMS_TOPOLOGY_FAT_TREE] = &gms_fat_tree_ops,
    [GMS_TOPOLOGY_MESH] = &gms_mesh_ops,
    [GMS_TOPOLOGY_TORUS] = &gms_torus_ops,
    [GMS_TOPOLOGY_GRAPH] = &gms_graph_ops,
};

/* ---- building ----------------------------------------------------------- */

gms_status_t gms_topology_refuse(gms_topology_plan_t *plan, const char *format,
                                 ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(plan->error, GMS_TOPOLOGY_ERROR_LEN, format, list);
    va_end(list);
    return GMS_ERR_CONFIG;
}

gms_status_t gms_topology_no_memory(gms_topology_plan_t *plan)
{
    snprintf(plan->error, GMS_TOPOLOGY_ERROR_LEN,
             "the topology of %u NICs needs more memory than the arena has "
             "left; set a larger arena_bytes",
             plan->topology->nodes);
    return GMS_ERR_NO_MEMORY;
}

static void gms_topology_plug(gms_topology_plan_t *plan, gms_link_end_t at,
                              gms_link_end_t peer)
{
    gms_link_end_t *end =
        at.kind == GMS_END_NODE
            ? &plan->node_peer[at.index]
            : &plan->slot_peer[plan->topology->first[at.index] + at.port];

    assert(end->kind == GMS_END_NONE);
    *end = peer;
}

void gms_topology_plug_node(gms_topology_plan_t *plan, uint32_t node,
                            uint32_t switch_index, uint32_t port)
{
    gms_link_end_t host = {GMS_END_NODE, node, 0};
    gms_link_end_t end = {GMS_END_SWITCH, switch_index, port};

    gms_topology_plug(plan, host, end);
    gms_topology_plug(plan, end, host);
}

void gms_topology_plug_switches(gms_topology_plan_t *plan, uint32_t a,
                                uint32_t a_port, uint32_t b, uint32_t b_port)
{
    gms_link_end_t one = {GMS_END_SWITCH, a, a_port};
    gms_link_end_t other = {GMS_END_SWITCH, b, b_port};

    gms_topology_plug(plan, one, other);
    gms_topology_plug(plan, other, one);
}

/* Allocate the ports of all switches, and mark all ends as unconnected. */
static gms_status_t gms_topology_plan_ports(gms_topology_plan_t *plan,
                                            const gms_topology_ops_t *ops)
{
    gms_topology_t *topology = plan->topology;
    uint32_t slots = 0, index;

    topology->first = gms_arena_alloc(
        plan->arena, (topology->switch_count + 1) * sizeof(*topology->first));
    if (topology->first == NULL) {
        return gms_topology_no_memory(plan);
    }
    for (index = 0; index < topology->switch_count; ++index) {
        topology->first[index] = slots;
        slots += ops->ports != NULL ? ops->ports(plan, index)
                                    : (uint32_t)plan->params->switch_ports;
    }
    topology->first[index] = slots;
    topology->out =
        gms_arena_alloc(plan->arena, slots * sizeof(*topology->out));
    plan->slot_peer =
        gms_arena_alloc(plan->arena, slots * sizeof(*plan->slot_peer));
    plan->node_peer = gms_arena_alloc(
        plan->arena, topology->nodes * sizeof(*plan->node_peer));
    if (topology->out == NULL || plan->slot_peer == NULL ||
        plan->node_peer == NULL) {
        return gms_topology_no_memory(plan);
    }
    for (index = 0; index < slots; ++index) {
        topology->out[index] = GMS_LINK_NONE;
        plan->slot_peer[index].kind = GMS_END_NONE;
    }
    for (index = 0; index < topology->nodes; ++index) {
        plan->node_peer[index].kind = GMS_END_NONE;
    }
    return GMS_OK;
}

/* Number the links, after all cables are connected. */
static gms_status_t gms_topology_number(gms_topology_plan_t *plan)
{
    gms_topology_t *topology = plan->topology;
    uint32_t slots = topology->first[topology->switch_count];
    uint32_t number = topology->nodes, slot, switch_index = 0, node;

    for (slot = 0; slot < slots; ++slot) {
        number += plan->slot_peer[slot].kind != GMS_END_NONE;
    }
    topology->link_count = number;
    topology->links =
        gms_arena_alloc(plan->arena, number * sizeof(*topology->links));
    topology->into =
        gms_arena_alloc(plan->arena, topology->nodes * sizeof(*topology->into));
    if (topology->links == NULL || topology->into == NULL) {
        return gms_topology_no_memory(plan);
    }
    for (node = 0; node < topology->nodes; ++node) {
        topology->links[node].from = (gms_link_end_t){GMS_END_NODE, node, 0};
        topology->links[node].to = plan->node_peer[node];
    }
    number = topology->nodes;
    for (slot = 0; slot < slots; ++slot) {
        const gms_link_end_t *peer = &plan->slot_peer[slot];

        while (slot >= topology->first[switch_index + 1]) {
            ++switch_index;
        }
        if (peer->kind == GMS_END_NONE) {
            continue;
        }
        topology->links[number].from = (gms_link_end_t){
            GMS_END_SWITCH, switch_index, slot - topology->first[switch_index]};
        topology->links[number].to = *peer;
        if (peer->kind == GMS_END_NODE) {
            topology->into[peer->index] = number;
        }
        topology->out[slot] = number++;
    }
    return GMS_OK;
}

/* Choose the routing, and check its routes for deadlock if necessary. Packets
 * on routes that lead first up towards a root and then down cannot wait for
 * each other in a cycle. The same is true for packets on a mesh if their routes
 * follow rows first. The reason is that all packets use links in the same
 * order: up links before down links, or row links before column links. The
 * function checks other route sets route by route. [source: Schroeder et al.
 * 1991, Autonet; Dally, Seitz 1987] */
static gms_status_t gms_topology_find_routes(gms_topology_plan_t *plan,
                                             const gms_topology_ops_t *ops)
{
    gms_topology_t *topology = plan->topology;
    gms_status_t status = GMS_OK;

    if (topology->routing == GMS_ROUTING_AUTO) {
        topology->routing = topology->kind == GMS_TOPOLOGY_MESH
                                ? GMS_ROUTING_DIMENSION_ORDER
                                : GMS_ROUTING_UPDOWN;
    }
    if (topology->routing == GMS_ROUTING_DIMENSION_ORDER &&
        ops->routing != GMS_ROUTING_DIMENSION_ORDER) {
        return gms_topology_refuse(
            plan,
            "routing dimension-order requires rows and columns; allowed here: "
            "updown, shortest (routing), or topology mesh or torus");
    }
    if (topology->routing == GMS_ROUTING_TABLES) {
        status = gms_forward_build(plan);
        return status == GMS_OK ? gms_deadlock_check(plan) : status;
    }
    topology->searched = topology->routing != ops->routing;
    if (topology->searched) {
        status = gms_search_build(plan);
    }
    if (status == GMS_OK &&
        (topology->routing == GMS_ROUTING_SHORTEST ||
         (topology->routing == GMS_ROUTING_DIMENSION_ORDER &&
          topology->kind == GMS_TOPOLOGY_TORUS))) {
        status = gms_deadlock_check(plan);
    }
    return status;
}

static gms_status_t gms_topology_build(gms_topology_plan_t *plan)
{
    const gms_topology_ops_t *ops = gms_topology_kinds[plan->topology->kind];
    gms_status_t status = ops->shape(plan);

    if (status == GMS_OK) {
        status = gms_topology_plan_ports(plan, ops);
    }
    if (status == GMS_OK) {
        status = ops->wire(plan);
    }
    if (status == GMS_OK) {
        status = gms_topology_number(plan);
    }
    if (status == GMS_OK && plan->topology->kind == GMS_TOPOLOGY_GRAPH) {
        status = gms_graph_rates(plan);
    }
    if (status == GMS_OK) {
        status = gms_topology_find_routes(plan, ops);
    }
    return status;
}

static gms_status_t gms_topology_create_any(gms_topology_plan_t plan,
                                            gms_topology_t **topology_p)
{
    const gms_params_t *params = plan.params;
    gms_topology_t nothing = {
        .nodes = (uint32_t)(params->hosts * params->units_per_host)};
    gms_status_t status;

    plan.error[0] = '\0';
    plan.topology = &nothing;
    if (nothing.nodes == 0) {
        return gms_topology_refuse(
            &plan, "a cluster must have at least one host (hosts)");
    }
    plan.topology = gms_arena_alloc(plan.arena, sizeof(*plan.topology));
    if (plan.topology == NULL) {
        plan.topology = &nothing;
        return gms_topology_no_memory(&plan);
    }
    *plan.topology = nothing;
    plan.topology->kind = (uint32_t)params->topology;
    plan.topology->routing = (uint32_t)params->routing;
    plan.topology->port_lanes = plan.graph != NULL ? plan.graph->lane_count : 0;
    status = gms_topology_build(&plan);
    gms_arena_free(plan.arena, plan.slot_peer);
    gms_arena_free(plan.arena, plan.node_peer);
    if (status != GMS_OK) {
        gms_topology_destroy(plan.arena, plan.topology);
        return status;
    }
    *topology_p = plan.topology;
    return GMS_OK;
}

gms_status_t gms_topology_create(gms_arena_t *arena, const gms_params_t *params,
                                 const gms_graph_t *graph,
                                 gms_topology_t **topology_p,
                                 char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_topology_plan_t plan = {
        .arena = arena, .params = params, .graph = graph, .error = error};

    return gms_topology_create_any(plan, topology_p);
}

gms_status_t gms_topology_create_long(gms_arena_t *arena,
                                      const gms_params_t *params,
                                      const gms_graph_t *graph,
                                      gms_topology_t **topology_p,
                                      char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_topology_plan_t plan = {.arena = arena,
                                .params = params,
                                .graph = graph,
                                .error = error,
                                .may_be_long = 1};

    return gms_topology_create_any(plan, topology_p);
}

void gms_topology_destroy(gms_arena_t *arena, gms_topology_t *topology)
{
    if (topology == NULL) {
        return;
    }
    gms_search_destroy(arena, topology);
    gms_arena_free(arena, topology->first);
    gms_arena_free(arena, topology->out);
    gms_arena_free(arena, topology->links);
    gms_arena_free(arena, topology->into);
    gms_arena_free(arena, topology->bytes_s);
    gms_arena_free(arena, topology->forward);
    gms_arena_free(arena, topology);
}

/* ---- queries ------------------------------------------------------------- */

unsigned gms_topology_nodes(const gms_topology_t *topology)
{
    return topology->nodes;
}

unsigned gms_topology_switches(const gms_topology_t *topology)
{
    return topology->switch_count;
}

unsigned gms_topology_ports(const gms_topology_t *topology,
                            unsigned switch_index)
{
    assert(switch_index < topology->switch_count);
    return topology->first[switch_index + 1] - topology->first[switch_index];
}

unsigned gms_topology_link_count(const gms_topology_t *topology)
{
    return topology->link_count;
}

unsigned gms_topology_level(const gms_topology_t *topology,
                            unsigned switch_index)
{
    unsigned level = 0;

    assert(switch_index < topology->switch_count);
    while (level + 1 < topology->tree.levels &&
           switch_index >= topology->tree.first[level + 1]) {
        ++level;
    }
    return level;
}

const gms_link_end_t *gms_topology_from(const gms_topology_t *topology,
                                        uint32_t link)
{
    assert(link < topology->link_count);
    return &topology->links[link].from;
}

const gms_link_end_t *gms_topology_to(const gms_topology_t *topology,
                                      uint32_t link)
{
    assert(link < topology->link_count);
    return &topology->links[link].to;
}

uint32_t gms_topology_out(const gms_topology_t *topology, unsigned switch_index,
                          unsigned port)
{
    assert(port < gms_topology_ports(topology, switch_index));
    return topology->out[topology->first[switch_index] + port];
}

int gms_topology_is_uniform(const gms_topology_t *topology,
                            const gms_params_t *params)
{
    uint32_t link;

    for (link = 0; link < topology->link_count; ++link) {
        if (gms_topology_link_bytes_s(topology, params, link) !=
            params->link_bytes_s) {
            return 0;
        }
    }
    return topology->port_lanes == 0;
}

uint64_t gms_topology_link_bytes_s(const gms_topology_t *topology,
                                   const gms_params_t *params, uint32_t link)
{
    const gms_topology_link_t *ends = &topology->links[link];

    assert(link < topology->link_count);
    if (topology->bytes_s != NULL && topology->bytes_s[link] != 0) {
        return topology->bytes_s[link];
    }
    return params->switch_link_bytes_s != 0 &&
                   ends->from.kind == GMS_END_SWITCH &&
                   ends->to.kind == GMS_END_SWITCH
               ? params->switch_link_bytes_s
               : params->link_bytes_s;
}

uint32_t gms_topology_node_link(const gms_topology_t *topology, unsigned node,
                                int into_node)
{
    assert(node < topology->nodes);
    return into_node ? topology->into[node] : node;
}

/* ---- routes ------------------------------------------------------------- */

void gms_topology_route(const gms_topology_t *topology, unsigned source,
                        unsigned target, gms_route_t *route)
{
    assert(source < topology->nodes && target < topology->nodes);
    if (topology->forward != NULL) {
        gms_forward_route(topology, source, target, route);
    } else if (topology->searched) {
        gms_search_route(topology, source, target, route);
    } else {
        gms_topology_kinds[topology->kind]->route(topology, source, target,
                                                  route);
    }
}

unsigned gms_topology_links(const gms_topology_t *topology, unsigned source,
                            unsigned target,
                            uint32_t links[GMS_ROUTE_LINKS_MAX])
{
    const gms_topology_ops_t *ops = gms_topology_kinds[topology->kind];
    gms_route_t route;
    uint32_t number = source;
    unsigned hop;

    if (!topology->searched && topology->forward == NULL &&
        ops->links != NULL) {
        assert(source < topology->nodes && target < topology->nodes);
        return ops->links(topology, source, target, links);
    }
    gms_topology_route(topology, source, target, &route);
    links[0] = number;
    for (hop = 0; hop < route.hops; ++hop) {
        uint32_t at = topology->links[number].to.index;

        number = topology->out[topology->first[at] + route.port[hop]];
        links[hop + 1] = number;
    }
    return hop + 1;
}

/* ---- names -------------------------------------------------------------- */

void gms_topology_link_name(const gms_topology_t *topology, uint32_t link,
                            char *text, size_t text_len)
{
    const gms_link_end_t *from = gms_topology_from(topology, link);
    const gms_link_end_t *to = gms_topology_to(topology, link);
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

/* Find a link by its name. The first numbers in the name identify the link, and
 * the rest of the name must match this link. */
gms_status_t gms_topology_find_link(const gms_topology_t *topology,
                                    const char *text, uint32_t *link_p)
{
    uint32_t link = GMS_LINK_NONE;
    char name[96];
    unsigned index, port;

    if (sscanf(text, "node %u ", &index) == 1) {
        if (index >= 1 && index <= topology->nodes) {
            link = index - 1;
        }
    } else if (sscanf(text, "switch %u port %u ", &index, &port) == 2) {
        if (index < topology->switch_count &&
            port < gms_topology_ports(topology, index)) {
            link = gms_topology_out(topology, index, port);
        }
    }
    if (link == GMS_LINK_NONE) {
        return GMS_ERR_NOT_FOUND;
    }
    gms_topology_link_name(topology, link, name, sizeof(name));
    if (strcmp(name, text) != 0) {
        return GMS_ERR_NOT_FOUND;
    }
    *link_p = link;
    return GMS_OK;
}
