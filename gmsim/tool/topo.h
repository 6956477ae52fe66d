/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to gmsim topo: functions that topo*.c share. */
#ifndef TOOL_TOPO_H
#define TOOL_TOPO_H

#include <stdio.h>

#include "cluster/cluster.h"

typedef struct gms_tool_pair {
    unsigned from, to; /* nodes, counted from 1 */
} gms_tool_pair_t;

typedef struct gms_tool_pairs {
    gms_tool_pair_t *list;
    unsigned count;
} gms_tool_pairs_t;

/** A description and the topology that it makes. */
typedef struct gms_tool_topo {
    gms_cluster_t cluster;
    gms_arena_t *arena;
    gms_topology_t *topology;
} gms_tool_topo_t;

/** The link of the same cable the other way round. */
uint32_t gms_tool_topo_reverse(const gms_topology_t *topology, uint32_t link);
/** How many hosts of the first half of the nodes can send to hosts of the
 *  second half at once without sharing a link; all ways count, not only routes.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_tool_topo_bisection(const gms_topology_t *topology,
                                     unsigned *count_p);
/** Write a picture in Graphviz's language; routes of highlight are coloured.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY; write errors are left in the file */
gms_status_t gms_tool_topo_draw(const gms_tool_topo_t *topo,
                                const gms_tool_pairs_t *highlight, FILE *file);

#endif
