/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the topology of the network: switches, directed links and source
 * routes. A topology does not change with time. The fabric models and the
 * admission control use the topology, and `gmsim topo` draws it.
 *
 *   node n --link--> switch s, input port i
 *                    switch s, output port o --link--> node m or switch t
 *
 * A cable consists of two links, one for each direction. Links of one switch
 * are numbered by output port, so a switch's output port and the link behind it
 * are one resource.
 *
 * Kinds of topologies [params.topology]:
 * - crossbar: One switch has switch_ports ports.
 * - cascade: The switches form a row, with one cable between neighbours (from
 *   the last port) and hosts_per_switch hosts on each switch (0: one host on
 *   every remaining port).
 * - clos: The switches have switch_ports (16) ports. Leaves use half of their
 *   ports for hosts and half for the next level, and there are as many levels
 *   as the hosts require. At the top level, as many spines as possible share
 *   one switch. For 64, 128 and 256 hosts, this is Myricom's wiring with 8 + 4,
 *   16 + 8 and 4 x (8 + 8) + 16 switches. [source: Myricom, Guide to
 *   Myrinet-2000 switches, 2001]
 * - fat-tree: This kind is like clos, but with hosts_per_switch hosts on a leaf
 *   and tree_up cables up from every switch. If a switch has fewer cables up
 *   than down, the tree is oversubscribed.
 * - mesh: The mesh has rows x columns switches with hosts_per_switch hosts on
 *   each (0: the smallest number that is sufficient if both rows and columns
 *   are set, else 1).
 * - torus: This kind is like mesh, but the ends of rows and columns are
 *   connected.
 * - graph: The cluster description lists the switches and cables
 *   (fabric/graph.h).
 *
 * Routings [params.routing]; every pair of nodes has one fixed route:
 * - updown: Routes are the shortest routes that never lead up after leading
 *   down. The target's number selects one of several such routes, digit by
 *   digit. On a Clos topology, this selection spreads the targets evenly over
 *   the spines. In a tree, "up" means towards the next level. In other
 *   topologies, "up" means towards the root. Between switches at the same
 *   distance from the root, "up" means towards the switch with the lower
 *   number. The root is the switch whose longest route to another switch is the
 *   shortest. If several switches have this property, the root is the switch
 *   with the lowest number.
 * - dimension-order: On a mesh or torus, routes lead along the row first, then
 *   along the column. If both directions of a ring are equally long, the route
 *   leads to the right or down.
 * - shortest: The shortest routes are used, without any other condition. The
 *   target's number selects one route, as with updown.
 * - tables: This routing requires the topology graph. Routes follow the
 *   forwarding tables of the description. Every switch sends the packets for a
 *   node to the port in its table.
 * - auto: The routing is dimension-order on a mesh, and updown elsewhere.
 *
 * A route set whose links depend on each other in a cycle can deadlock. The
 * simulator rejects such a set with a message that names the cycle. The routes
 * of updown, and of dimension-order on a mesh, cannot have such a cycle. In all
 * other route sets, the simulator checks the routes from every switch to every
 * node.
 */
#ifndef FABRIC_TOPOLOGY_H
#define FABRIC_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/graph.h"
#include "params/params.h"
#include "engine/arena.h"

/** Maximum number of switches on a route. [source: GM constants] */
#define GMS_ROUTE_MAX 24u
/** Maximum number of links of a route: the source's own link and one link
 *  behind each switch. */
#define GMS_ROUTE_LINKS_MAX (GMS_ROUTE_MAX + 1u)
#define GMS_LINK_NONE       UINT32_MAX
/** Size of the buffer for an error message of gms_topology_create(). */
#define GMS_TOPOLOGY_ERROR_LEN 512

typedef struct gms_topology gms_topology_t; /* in the arena */

typedef struct gms_route {
    uint8_t hops;                /* switches */
    uint8_t port[GMS_ROUTE_MAX]; /* output port at each switch */
} gms_route_t;

/**
 * Build the topology that the parameters describe. The nodes are params->hosts
 * x params->units_per_host NICs.
 *
 * @param [in]  graph  required for topology `graph`, otherwise ignored; may be
 *   NULL
 * @param [out] error  message that names the conflict, the parameter and the
 *   allowed values; for a deadlock, the links of the cycle
 *
 * @return GMS_OK
 * @return GMS_ERR_CONFIG     `error` contains the message
 * @return GMS_ERR_NO_MEMORY  `error` contains the reason
 */
gms_status_t gms_topology_create(gms_arena_t *arena, const gms_params_t *params,
                                 const gms_graph_t *graph,
                                 gms_topology_t **topology_p,
                                 char error[GMS_TOPOLOGY_ERROR_LEN]);
/** Build a topology as gms_topology_create() does, for nets that route switch
 *  by switch without a gms_route_t. On a mesh with dimension-order routing,
 *  routes may have any length. On such a mesh, callers must not call
 *  gms_topology_route() or gms_topology_links() for routes of more than
 *  GMS_ROUTE_MAX switches. */
gms_status_t gms_topology_create_long(gms_arena_t *arena,
                                      const gms_params_t *params,
                                      const gms_graph_t *graph,
                                      gms_topology_t **topology_p,
                                      char error[GMS_TOPOLOGY_ERROR_LEN]);
void gms_topology_destroy(gms_arena_t *arena, gms_topology_t *topology);

unsigned gms_topology_nodes(const gms_topology_t *topology);
unsigned gms_topology_switches(const gms_topology_t *topology);
unsigned gms_topology_ports(const gms_topology_t *topology,
                            unsigned switch_index);
unsigned gms_topology_link_count(const gms_topology_t *topology);
/** Return the level of a switch, which is 0 for a leaf and in topologies
 *  without levels. */
unsigned gms_topology_level(const gms_topology_t *topology,
                            unsigned switch_index);

/** Return one of the two ends of a link. */
const gms_link_end_t *gms_topology_from(const gms_topology_t *topology,
                                        uint32_t link);
const gms_link_end_t *gms_topology_to(const gms_topology_t *topology,
                                      uint32_t link);
/** Return the link behind a switch's output port, or GMS_LINK_NONE. */
uint32_t gms_topology_out(const gms_topology_t *topology, unsigned switch_index,
                          unsigned port);
/** Return the link out of a node or the link into a node. */
uint32_t gms_topology_node_link(const gms_topology_t *topology, unsigned node,
                                int into_node);

/** Return the rate of a link: the rate in the graph's description, otherwise
 *  switch_link_bytes_s for a link between switches, otherwise link_bytes_s. */
uint64_t gms_topology_link_bytes_s(const gms_topology_t *topology,
                                   const gms_params_t *params, uint32_t link);
/** Return 1 if all links have the rate link_bytes_s, and if the description sets
 *  no lanes of individual ports. */
int gms_topology_is_uniform(const gms_topology_t *topology,
                            const gms_params_t *params);

/** Compute the distance from a source to a target on a mesh or torus, in
 *  switches. Distances to the right and down are positive, and distances to the
 *  left and up are negative. On a torus, the shorter direction is used; if both
 *  directions are equally long, the direction is right or down.
 *  @return 1, or 0 without writing any result if the topology is neither a mesh
 *    nor a torus */
int gms_topology_offset(const gms_topology_t *topology, unsigned source,
                        unsigned target, int *right_p, int *down_p);

/** Compute the route between two nodes. A node's route to itself passes through
 *  its switch. The run time is a few steps per hop. If the routing is updown or
 *  shortest and the routes follow no pattern (cascade, torus, graph, ...), the
 *  function checks the ports of each switch on the route. The function then
 *  uses tables that were computed at the start and contain two bytes per pair
 *  of switches. */
void gms_topology_route(const gms_topology_t *topology, unsigned source,
                        unsigned target, gms_route_t *route);
/** Return the numbers of the links of a route, beginning with the source's own
 *  link.
 *  @return number of links, at most GMS_ROUTE_LINKS_MAX */
unsigned gms_topology_links(const gms_topology_t *topology, unsigned source,
                            unsigned target,
                            uint32_t links[GMS_ROUTE_LINKS_MAX]);

/** Write a link's name for messages. The name uses GM's node ids, which begin
 *  at 1. Examples: "node 1 to switch 0", "switch 0 port 2 to node 3", "switch 0
 *  port 7 to switch 1". */
void gms_topology_link_name(const gms_topology_t *topology, uint32_t link,
                            char *text, size_t text_len);
/** Find a link by its name. The name must have the form that
 *  gms_topology_link_name() writes.
 *  @return GMS_OK, GMS_ERR_NOT_FOUND */
gms_status_t gms_topology_find_link(const gms_topology_t *topology,
                                    const char *text, uint32_t *link_p);

#endif
