/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Checks the linear forwarding tables of a graph. For every node, a table
 * contains the port through which the switch sends packets for this node.
 * [source: InfiniBand Architecture Specification, volume 1, 14.2.5.10]
 */
#ifndef FABRIC_FORWARDING_H
#define FABRIC_FORWARDING_H

#include "base/status.h"
#include "fabric/graph.h"

#define GMS_FORWARD_ERROR_LEN 256

/** Describes the first invalid entry of the tables. */
typedef struct gms_forward_fault {
    uint32_t switch_index, node;
    char text[GMS_FORWARD_ERROR_LEN]; /* reason; node ids begin at 1 */
} gms_forward_fault_t;

/** Follow the tables from every switch with attached nodes to every node. Every
 *  route must reach its node, without a loop, over at most GMS_ROUTE_MAX
 *  switches. The cables of the graph must already be valid.
 *  @param [out] fault  set if the function returns GMS_ERR_CONFIG
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_forward_check(const gms_graph_t *graph,
                               gms_forward_fault_t *fault);

#endif
