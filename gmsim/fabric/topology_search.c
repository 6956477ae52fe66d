/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the routes of topologies without a regular pattern, from tables of
 * distances.
 *
 * A table for each target switch contains the number of hops from every switch,
 * in two phases. A packet in phase 0 may still use links that lead up. A packet
 * in phase 1 has used a link that leads down. The index of an entry is phase *
 * switches + switch. The routing `shortest` uses only phase 0. A packet leaves
 * a switch by one of the ports that lead one hop closer to the target. If there
 * are n such ports, the next digit of the target's number in base n selects the
 * port.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "fabric/topology_int.h"

#define GMS_SEARCH_FAR UINT8_MAX

/* Scratch memory that the functions use to fill the tables. */
typedef struct gms_search {
    const gms_topology_t *topology;
    uint32_t *queue; /* queue of states, phase * switches + switch */
    uint32_t tail;   /* index after the last state in the queue */
    uint32_t *far;   /* distance of each switch from the start of the search, in
                      * hops, or UINT32_MAX if the search has not reached it */
} gms_search_t;

int gms_search_is_up(const gms_topology_t *topology, uint32_t from, uint32_t to)
{
    const uint32_t *depth = topology->depth;

    return depth[to] < depth[from] || (depth[to] == depth[from] && to < from);
}

/* Return the switch to which the link in a slot leads, or UINT32_MAX if there
 * is none. */
static uint32_t gms_search_peer(const gms_topology_t *topology, uint32_t slot)
{
    uint32_t link = topology->out[slot];

    return link != GMS_LINK_NONE &&
                   topology->links[link].to.kind == GMS_END_SWITCH
               ? topology->links[link].to.index
               : UINT32_MAX;
}

/* ---- order of the switches ----------------------------------------------- */

/* Compute the number of hops from a switch to every other switch, and store the
 * results in search->far.
 * @return the greatest number of hops */
static uint32_t gms_search_spread(gms_search_t *search, uint32_t root)
{
    const gms_topology_t *topology = search->topology;
    uint32_t head = 0, tail = 0, slot, index;

    for (index = 0; index < topology->switch_count; ++index) {
        search->far[index] = UINT32_MAX;
    }
    search->far[root] = 0;
    search->queue[tail++] = root;
    while (head < tail) {
        index = search->queue[head++];
        for (slot = topology->first[index]; slot < topology->first[index + 1];
             ++slot) {
            uint32_t peer = gms_search_peer(topology, slot);

            if (peer != UINT32_MAX && search->far[peer] == UINT32_MAX) {
                search->far[peer] = search->far[index] + 1;
                search->queue[tail++] = peer;
            }
        }
    }
    return search->far[search->queue[tail - 1]];
}

/* Choose as the root the switch whose longest route to another switch is the
 * shortest. A topology with levels needs no root. gms_search_check() reports
 * unreachable switches. */
static void gms_search_order(gms_topology_t *topology, gms_search_t *search)
{
    uint32_t least = UINT32_MAX, root = 0, index;

    if (topology->tree.levels != 0) {
        for (index = 0; index < topology->switch_count; ++index) {
            topology->depth[index] =
                topology->tree.levels - 1 - gms_topology_level(topology, index);
        }
        return;
    }
    /* The run time of these searches grows with the square of the number of
     * switches. */
    for (index = 0; index < topology->switch_count; ++index) {
        uint32_t longest = gms_search_spread(search, index);

        if (longest < least &&
            search->far[gms_topology_home(topology, 0)] != UINT32_MAX) {
            least = longest;
            root = index;
        }
    }
    gms_search_spread(search, root);
    memcpy(topology->depth, search->far,
           topology->switch_count * sizeof(*topology->depth));
}

/* ---- tables ------------------------------------------------------------- */

/* Store the distance of a state that was reached from a state that is nearer to
 * the target, and append the new state to the queue. A later check rejects
 * routes that are too long for the table. */
static void gms_search_find(gms_search_t *search, uint8_t *distance,
                            uint32_t state, uint32_t from)
{
    if (distance[state] == GMS_SEARCH_FAR) {
        distance[state] = distance[from] < GMS_SEARCH_FAR - 1
                              ? (uint8_t)(distance[from] + 1)
                              : distance[from];
        search->queue[search->tail++] = state;
    }
}

/* Find all states that precede a state. A step up from phase 0 leads to a state
 * in phase 0. A step down from either phase leads to a state in phase 1. If
 * there is only one phase, every step is possible. */
static void gms_search_step_back(gms_search_t *search, uint32_t phases,
                                 uint32_t state, uint8_t *distance)
{
    const gms_topology_t *topology = search->topology;
    uint32_t count = topology->switch_count;
    uint32_t at = state % count, phase = state / count;
    uint32_t slot;

    for (slot = topology->first[at]; slot < topology->first[at + 1]; ++slot) {
        uint32_t peer = gms_search_peer(topology, slot);

        if (peer == UINT32_MAX) {
            continue;
        }
        if (phases == 2 &&
            gms_search_is_up(topology, peer, at) != (phase == 0)) {
            continue;
        }
        gms_search_find(search, distance, peer, state);
        if (phase == 1) {
            gms_search_find(search, distance, count + peer, state);
        }
    }
}

/* Search backwards from the target and visit the nearest states first. */
static void gms_search_fill(gms_search_t *search, uint32_t target,
                            uint8_t *distance)
{
    uint32_t count = search->topology->switch_count;
    uint32_t phases = search->topology->routing == GMS_ROUTING_SHORTEST ? 1 : 2;
    uint32_t head = 0, phase;

    memset(distance, GMS_SEARCH_FAR, phases * count);
    search->tail = 0;
    for (phase = 0; phase < phases; ++phase) {
        distance[phase * count + target] = 0;
        search->queue[search->tail++] = phase * count + target;
    }
    while (head < search->tail) {
        gms_search_step_back(search, phases, search->queue[head++], distance);
    }
}

/* Check that the route from every switch with nodes to the target switch has at
 * most the maximum length. */
static gms_status_t gms_search_check(gms_topology_plan_t *plan, uint32_t target)
{
    const gms_topology_t *topology = plan->topology;
    const uint8_t *distance =
        topology->distance[gms_topology_home(topology, target)];
    uint32_t node;

    for (node = 0; node < topology->nodes; ++node) {
        uint32_t hops = distance[gms_topology_home(topology, node)];

        if (hops == GMS_SEARCH_FAR) {
            return gms_topology_refuse(
                plan,
                "no route leads from node %u (switch %u) to node %u (switch "
                "%u); allowed: cables that connect all switches that have "
                "hosts (key 'cables')",
                node + 1, gms_topology_home(topology, node), target + 1,
                gms_topology_home(topology, target));
        }
        if (hops + 1 > GMS_ROUTE_MAX) {
            return gms_topology_refuse(
                plan,
                "the route from node %u to node %u passes through %s%u "
                "switches; allowed: up to %u switches (keys '%s', 'routing')",
                node + 1, target + 1,
                hops + 1 == GMS_SEARCH_FAR ? "at least " : "", hops + 1,
                GMS_ROUTE_MAX,
                topology->kind == GMS_TOPOLOGY_GRAPH ? "cables" : "topology");
        }
    }
    return GMS_OK;
}

static gms_status_t gms_search_tables(gms_topology_plan_t *plan,
                                      gms_search_t *search)
{
    gms_topology_t *topology = plan->topology;
    size_t bytes = topology->switch_count;
    uint32_t node;
    gms_status_t status = GMS_OK;

    if (topology->routing != GMS_ROUTING_SHORTEST) {
        bytes *= 2;
    }
    for (node = 0; status == GMS_OK && node < topology->nodes; ++node) {
        uint8_t **table =
            &topology->distance[gms_topology_home(topology, node)];

        if (*table != NULL) {
            continue;
        }
        *table = gms_arena_alloc(plan->arena, bytes);
        if (*table == NULL) {
            return gms_topology_no_memory(plan);
        }
        gms_search_fill(search, gms_topology_home(topology, node), *table);
        status = gms_search_check(plan, node);
    }
    return status;
}

gms_status_t gms_search_build(gms_topology_plan_t *plan)
{
    gms_topology_t *topology = plan->topology;
    size_t count = topology->switch_count;
    gms_search_t search = {.topology = topology};
    gms_status_t status;

    search.queue =
        gms_arena_alloc(plan->arena, 2 * count * sizeof(*search.queue));
    search.far = gms_arena_alloc(plan->arena, count * sizeof(*search.far));
    topology->depth =
        gms_arena_alloc(plan->arena, count * sizeof(*topology->depth));
    topology->distance =
        gms_arena_alloc(plan->arena, count * sizeof(*topology->distance));
    if (search.queue == NULL || search.far == NULL || topology->depth == NULL ||
        topology->distance == NULL) {
        status = gms_topology_no_memory(plan);
    } else {
        gms_search_order(topology, &search);
        status = gms_search_tables(plan, &search);
    }
    gms_arena_free(plan->arena, search.queue);
    gms_arena_free(plan->arena, search.far);
    return status;
}

void gms_search_destroy(gms_arena_t *arena, gms_topology_t *topology)
{
    uint32_t index;

    for (index = 0;
         topology->distance != NULL && index < topology->switch_count;
         ++index) {
        gms_arena_free(arena, topology->distance[index]);
    }
    gms_arena_free(arena, topology->distance);
    gms_arena_free(arena, topology->depth);
}

/* ---- routes ------------------------------------------------------------- */

/* Find the ports of a switch that lead one hop closer to the target.
 * @return number of these ports */
static unsigned gms_search_choices(const gms_topology_t *topology, uint32_t at,
                                   uint32_t phase, const uint8_t *distance,
                                   uint8_t port[GMS_SWITCH_PORTS_MAX])
{
    uint32_t count = topology->switch_count;
    uint32_t nearer = distance[phase * count + at] - 1u;
    uint32_t first = topology->first[at];
    uint32_t slot;
    unsigned choices = 0;

    for (slot = first; slot < topology->first[at + 1]; ++slot) {
        uint32_t peer = gms_search_peer(topology, slot);
        uint32_t then = phase;

        if (peer == UINT32_MAX) {
            continue;
        }
        if (topology->routing != GMS_ROUTING_SHORTEST) {
            then = !gms_search_is_up(topology, at, peer);
            if (then < phase) {
                continue;
            }
        }
        if (distance[then * count + peer] == nearer) {
            port[choices++] = (uint8_t)(slot - first);
        }
    }
    return choices;
}

void gms_search_route(const gms_topology_t *topology, uint32_t source,
                      uint32_t target, gms_route_t *route)
{
    uint32_t at = gms_topology_home(topology, source);
    uint32_t goal = gms_topology_home(topology, target);
    const uint8_t *distance = topology->distance[goal];
    uint32_t phase = 0, digits = target;

    route->hops = 0;
    while (at != goal) {
        uint8_t port[GMS_SWITCH_PORTS_MAX];
        unsigned choices =
            gms_search_choices(topology, at, phase, distance, port);
        uint32_t chosen, next;

        assert(choices != 0);
        chosen = port[digits % choices];
        digits /= choices;
        next = gms_search_peer(topology, topology->first[at] + chosen);
        if (topology->routing != GMS_ROUTING_SHORTEST) {
            phase = !gms_search_is_up(topology, at, next);
        }
        route->port[route->hops++] = (uint8_t)chosen;
        at = next;
    }
    route->port[route->hops++] =
        (uint8_t)topology->links[topology->into[target]].from.port;
}
