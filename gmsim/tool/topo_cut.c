/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the bisection of a topology as the maximum flow from the first half
 * of the nodes to the second half, where each link has a capacity of one unit.
 * The method is the algorithm of Edmonds and Karp (shortest augmenting paths).
 * A node is represented by its switch. A switch supplies or consumes one unit
 * for each of its links to a node.
 */
#include <stdlib.h>

#include "tool/topo.h"

typedef struct gms_cut {
    const gms_topology_t *topology;
    unsigned *supply, *demand; /* per switch: number of units that remain */
    unsigned char *used;       /* per link: 1 if the flow uses the link */
    /* per switch: the link through which this search has reached the switch;
     * GMS_LINK_NONE at a start */
    uint32_t *came;
    unsigned char *seen; /* per switch: 1 if this search has reached the
                            switch */
    uint32_t *queue;
} gms_cut_t;

uint32_t gms_tool_topo_reverse(const gms_topology_t *topology, uint32_t link)
{
    const gms_link_end_t *to = gms_topology_to(topology, link);

    return (to->kind == GMS_END_NODE)
               ? gms_topology_node_link(topology, to->index, 0)
               : gms_topology_out(topology, to->index, to->port);
}

/** Search for a path to a switch that consumes units. @return the switch, or
 *  GMS_LINK_NONE */
static uint32_t gms_cut_search(gms_cut_t *cut)
{
    const gms_topology_t *topology = cut->topology;
    unsigned switches = gms_topology_switches(topology), head = 0, tail = 0;
    unsigned at, port;

    for (at = 0; at < switches; ++at) {
        cut->seen[at] = cut->supply[at] > 0;
        if (cut->seen[at]) {
            cut->came[at] = GMS_LINK_NONE;
            cut->queue[tail++] = at;
        }
    }
    while (head < tail) {
        at = cut->queue[head++];
        if (cut->demand[at] > 0) {
            return at;
        }
        for (port = 0; port < gms_topology_ports(topology, at); ++port) {
            uint32_t link = gms_topology_out(topology, at, port);
            const gms_link_end_t *to;

            if (link == GMS_LINK_NONE) {
                continue;
            }
            to = gms_topology_to(topology, link);
            if (to->kind == GMS_END_NODE || cut->seen[to->index] ||
                cut->used[link]) {
                continue;
            }
            cut->seen[to->index] = 1;
            cut->came[to->index] = link;
            cut->queue[tail++] = to->index;
        }
    }
    return GMS_LINK_NONE;
}

/** Send one unit along the path that the search has found. Units in opposite
 *  directions of a cable cancel each other. */
static void gms_cut_augment(gms_cut_t *cut, uint32_t at)
{
    --cut->demand[at];
    while (cut->came[at] != GMS_LINK_NONE) {
        uint32_t link = cut->came[at];
        uint32_t reverse = gms_tool_topo_reverse(cut->topology, link);

        if (cut->used[reverse]) {
            cut->used[reverse] = 0;
        } else {
            cut->used[link] = 1;
        }
        at = gms_topology_from(cut->topology, link)->index;
    }
    --cut->supply[at];
}

gms_status_t gms_tool_topo_bisection(const gms_topology_t *topology,
                                     unsigned *count_p)
{
    unsigned switches = gms_topology_switches(topology);
    unsigned nodes = gms_topology_nodes(topology), node;
    gms_cut_t cut = {
        .topology = topology,
        .supply = calloc(switches, sizeof(unsigned)),
        .demand = calloc(switches, sizeof(unsigned)),
        .used = calloc(gms_topology_link_count(topology), 1),
        .came = calloc(switches, sizeof(uint32_t)),
        .seen = calloc(switches, 1),
        .queue = calloc(switches, sizeof(uint32_t)),
    };
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (cut.supply != NULL && cut.demand != NULL && cut.used != NULL &&
        cut.came != NULL && cut.seen != NULL && cut.queue != NULL) {
        uint32_t found;

        for (node = 0; node < nodes; ++node) {
            uint32_t link = gms_topology_node_link(topology, node, 0);
            unsigned at = gms_topology_to(topology, link)->index;

            if (node < nodes / 2) {
                ++cut.supply[at];
            } else {
                ++cut.demand[at];
            }
        }
        *count_p = 0;
        while ((found = gms_cut_search(&cut)) != GMS_LINK_NONE) {
            gms_cut_augment(&cut, found);
            (*count_p)++;
        }
        status = GMS_OK;
    }
    free(cut.supply);
    free(cut.demand);
    free(cut.used);
    free(cut.came);
    free(cut.seen);
    free(cut.queue);
    return status;
}
