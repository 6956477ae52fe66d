/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks and follows linear forwarding tables. The check requires only the
 * graph of a description, because imports run it before a topology exists.
 */
#include "fabric/forwarding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/topology_int.h"

/* ---- check ---- */

typedef struct gms_forward_walk {
    const gms_graph_t *graph;
    uint32_t *first;       /* first slot of each switch */
    gms_link_end_t *peers; /* for each slot, the other end of its cable */
    gms_link_end_t *homes; /* for each node, the port of its switch */
} gms_forward_walk_t;

static void gms_forward_end(gms_forward_walk_t *walk, const gms_link_end_t *at,
                            const gms_link_end_t *peer)
{
    if (at->kind == GMS_END_NODE) {
        walk->homes[at->index] = *peer;
    } else {
        walk->peers[walk->first[at->index] + at->port] = *peer;
    }
}

static gms_status_t gms_forward_prepare(gms_forward_walk_t *walk)
{
    const gms_graph_t *graph = walk->graph;
    uint32_t slots = 0, i;

    walk->first = calloc(graph->switch_count + 1, sizeof(*walk->first));
    for (i = 0; walk->first != NULL && i < graph->switch_count; ++i) {
        walk->first[i] = slots;
        slots += graph->switch_ports[i];
    }
    walk->peers = calloc(slots + 1, sizeof(*walk->peers));
    walk->homes = calloc(graph->table_nodes + 1, sizeof(*walk->homes));
    if (walk->first == NULL || walk->peers == NULL || walk->homes == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < slots; ++i) {
        walk->peers[i].kind = GMS_END_NONE;
    }
    for (i = 0; i < graph->cable_count; ++i) {
        gms_forward_end(walk, &graph->cables[i].a, &graph->cables[i].b);
        gms_forward_end(walk, &graph->cables[i].b, &graph->cables[i].a);
    }
    return GMS_OK;
}

/* Store the invalid entry and the reason in `fault`. @return GMS_ERR_CONFIG */
static gms_status_t gms_forward_refuse(gms_forward_fault_t *fault,
                                       uint32_t switch_index, uint32_t node,
                                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static gms_status_t gms_forward_refuse(gms_forward_fault_t *fault,
                                       uint32_t switch_index, uint32_t node,
                                       const char *format, ...)
{
    va_list args;

    fault->switch_index = switch_index;
    fault->node = node;
    va_start(args, format);
    (void)vsnprintf(fault->text, sizeof(fault->text), format, args);
    va_end(args);
    return GMS_ERR_CONFIG;
}

/* Find the end of the link that the table of a switch selects for a node. */
static gms_status_t gms_forward_next(const gms_forward_walk_t *walk,
                                     uint32_t here, uint32_t node,
                                     const gms_link_end_t **peer_p,
                                     gms_forward_fault_t *fault)
{
    const gms_graph_t *graph = walk->graph;
    uint8_t port = graph->table[(size_t)here * graph->table_nodes + node];
    const gms_link_end_t *peer = NULL;

    if (port < graph->switch_ports[here]) {
        peer = &walk->peers[walk->first[here] + port];
    }
    if (port == GMS_FORWARD_NONE) {
        return gms_forward_refuse(fault, here, node,
                                  "switch %u has no port for node %u, but "
                                  "packets for this node reach the switch",
                                  here, node + 1);
    }
    if (peer == NULL || peer->kind == GMS_END_NONE) {
        return gms_forward_refuse(fault, here, node,
                                  "switch %u sends packets for node %u to port "
                                  "%u, which has no cable",
                                  here, node + 1, port);
    }
    if (peer->kind == GMS_END_NODE && peer->index != node) {
        return gms_forward_refuse(fault, here, node,
                                  "switch %u sends packets for node %u to port "
                                  "%u, which leads to node %u",
                                  here, node + 1, port, peer->index + 1);
    }
    *peer_p = peer;
    return GMS_OK;
}

/* Follow the tables from a switch to a node. */
static gms_status_t gms_forward_follow(const gms_forward_walk_t *walk,
                                       uint32_t from, uint32_t node,
                                       gms_forward_fault_t *fault)
{
    uint32_t at[GMS_ROUTE_MAX + 1], hops, i;
    const gms_link_end_t *peer = NULL;
    gms_status_t status;

    at[0] = from;
    for (hops = 0; hops < GMS_ROUTE_MAX; ++hops) {
        status = gms_forward_next(walk, at[hops], node, &peer, fault);
        if (status != GMS_OK || peer->kind == GMS_END_NODE) {
            return status;
        }
        at[hops + 1] = peer->index;
        for (i = 0; i <= hops; ++i) {
            if (at[i] == peer->index) {
                return gms_forward_refuse(
                    fault, at[hops], node,
                    "switch %u sends packets for node %u back to switch %u, so "
                    "the route contains a loop",
                    at[hops], node + 1, peer->index);
            }
        }
    }
    return gms_forward_refuse(fault, at[hops], node,
                              "the route from switch %u to node %u passes "
                              "through more than %u switches",
                              from, node + 1, GMS_ROUTE_MAX);
}

gms_status_t gms_forward_check(const gms_graph_t *graph,
                               gms_forward_fault_t *fault)
{
    gms_forward_walk_t walk = {.graph = graph};
    uint8_t *done = calloc(graph->switch_count, 1);
    gms_status_t status = gms_forward_prepare(&walk);
    uint32_t source, target;

    status = done != NULL ? status : GMS_ERR_NO_MEMORY;
    /* All nodes of a switch use the same routes. */
    for (source = 0; status == GMS_OK && source < graph->table_nodes;
         ++source) {
        uint32_t home = walk.homes[source].index;

        for (target = 0;
             status == GMS_OK && !done[home] && target < graph->table_nodes;
             ++target) {
            status = gms_forward_follow(&walk, home, target, fault);
        }
        done[home] = 1;
    }
    free(done);
    free(walk.first);
    free(walk.peers);
    free(walk.homes);
    return status;
}

/* ---- routes ---- */

gms_status_t gms_forward_build(gms_topology_plan_t *plan)
{
    gms_topology_t *topology = plan->topology;
    const gms_graph_t *graph = plan->graph;
    size_t bytes = (size_t)topology->switch_count * topology->nodes;
    gms_forward_fault_t fault;
    gms_status_t status;

    if (topology->kind != GMS_TOPOLOGY_GRAPH || graph->table == NULL ||
        graph->table_nodes != topology->nodes) {
        return gms_topology_refuse(
            plan, "routing 'tables' requires forwarding tables; allowed: "
                  "topology graph with the list 'tables' (routing)");
    }
    status = gms_forward_check(graph, &fault);
    if (status == GMS_ERR_CONFIG) {
        return gms_topology_refuse(plan, "%s (key 'tables')", fault.text);
    }
    topology->forward = gms_arena_alloc(plan->arena, bytes);
    if (status != GMS_OK || topology->forward == NULL) {
        return gms_topology_no_memory(plan);
    }
    memcpy(topology->forward, graph->table, bytes);
    return GMS_OK;
}

void gms_forward_route(const gms_topology_t *topology, uint32_t source,
                       uint32_t target, gms_route_t *route)
{
    uint32_t at = gms_topology_home(topology, source);
    const gms_link_end_t *to;

    route->hops = 0;
    do {
        uint8_t port = topology->forward[(size_t)at * topology->nodes + target];

        route->port[route->hops++] = port;
        to = &topology->links[topology->out[topology->first[at] + port]].to;
        at = to->index;
    } while (to->kind == GMS_END_SWITCH);
}
