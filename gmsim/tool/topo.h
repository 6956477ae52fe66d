/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the functions that the source files of gmsim topo (topo*.c)
 * share. */
#ifndef TOOL_TOPO_H
#define TOOL_TOPO_H

#include <stdio.h>

#include "cluster/cluster.h"

typedef struct gms_tool_pair {
    unsigned from, to; /* the first node has number 1 */
} gms_tool_pair_t;

typedef struct gms_tool_pairs {
    gms_tool_pair_t *list;
    unsigned count;
} gms_tool_pairs_t;

/** A cluster description and its topology. */
typedef struct gms_tool_topo {
    gms_cluster_t cluster;
    gms_arena_t *arena;
    gms_topology_t *topology;
} gms_tool_topo_t;

/** Return the link in the opposite direction of the same cable. */
uint32_t gms_tool_topo_reverse(const gms_topology_t *topology, uint32_t link);
/** Compute how many hosts in the first half of the nodes can send to the second
 *  half simultaneously without sharing a link. The function considers all paths
 *  in the network, not only the routes.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_tool_topo_bisection(const gms_topology_t *topology,
                                     unsigned *count_p);
/** Write a drawing in Graphviz's language; the routes in highlight are
 *  coloured.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY; the caller checks the file for write
 *    errors */
gms_status_t gms_tool_topo_draw(const gms_tool_topo_t *topo,
                                const gms_tool_pairs_t *highlight, FILE *file);

#endif
