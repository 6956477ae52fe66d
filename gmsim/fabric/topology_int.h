/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the arrays of a topology, and the functions that the files for
 * building and routing share.
 *
 * Link numbers begin with the links from nodes to switches, in the order of the
 * nodes. The output links of the switches follow, ordered by switch and output
 * port.
 *
 * - 0 .. nodes - 1: the link from node n to its switch
 * - nodes and higher: the links of switch 0 port 0, port 1, .., switch 1 port
 *   0, ..
 *
 * Slots number the ports of all switches consecutively: switch s has slots
 * first[s] .. first[s + 1] - 1.
 */
#ifndef FABRIC_TOPOLOGY_INT_H
#define FABRIC_TOPOLOGY_INT_H

#include "fabric/topology.h"

/** Maximum number of ports of a switch. A route byte can distinguish only this
 *  number of ports. [source: see _gm_get_route(): a signed number of 6 bits] */
#define GMS_SWITCH_PORTS_MAX 64u

/** Maximum number of levels of a tree. With this limit, a route up and down
 *  passes at most GMS_ROUTE_MAX switches. */
#define GMS_TREE_LEVELS_MAX ((GMS_ROUTE_MAX + 1) / 2)

typedef struct gms_topology_link {
    gms_link_end_t from, to;
} gms_topology_link_t;

/**
 * A tree of units. A unit of level l has `down` units of level l - 1 below it
 * (hosts, if l is 0). A unit of level l has up^l switches. Each of these
 * switches has a cable to every unit below and `up` cables to the next level.
 * In each unit below, switch j is connected to switch j % up^(l-1), by the up
 * cable number j / up^(l-1) of that switch. The digits of j in base `up` are
 * therefore the numbers of the up cables that lead to switch j.
 *
 *   level 1   unit 0:  0 1 2 3    unit 1:  0 1 2 3      down 4, up 2, and the
 *                      |\|\                              level above: j = 0 ..3
 *   level 0   units 0, 1, 2, 3: 0 each                  of unit 0 with 2 cables
 *
 * The top level has one unit. The switches of this unit have no up cables. One
 * real switch contains as many of these top switches as its ports permit
 * ("slots").
 */
typedef struct gms_tree {
    uint32_t levels, down, up;
    uint32_t top_units; /* number of units of the level below the top */
    uint32_t slots;     /* number of top switches that share a real switch */
    uint32_t first[GMS_TREE_LEVELS_MAX + 1]; /* first switch of each level; the
                                              * last element is the number of
                                              * switches */
    uint32_t spread[GMS_TREE_LEVELS_MAX];    /* up^level */
} gms_tree_t;

/** Rows and columns of switches; the number of a switch is row * columns +
 *  column. After the ports for hosts, the ports lead right, left, down and up,
 *  except in a direction with only one switch. */
typedef struct gms_grid {
    uint32_t rows, columns, hosts;
    uint32_t wraps_row, wraps_column; /* 1 if the two ends of each row (or
                                       * column) are connected */
} gms_grid_t;

struct gms_topology {
    uint32_t kind;     /* a value of enum gms_topology_kind */
    uint32_t routing;  /* a value of enum gms_routing, but never auto */
    uint32_t searched; /* 1 if routes are read from tables */
    uint32_t nodes, switch_count, link_count;
    uint32_t port_lanes; /* number of ports for which the description sets
                          * lanes */
    uint32_t *first; /* first slot of each switch; one more entry at the end */
    uint32_t *out;   /* for each slot, the link that leaves the port */
    gms_topology_link_t *links; /* array, indexed by link number */
    uint32_t *into;             /* for each node, the number of the link into
                                 * it */
    gms_tree_t tree;            /* for the kinds clos and fat-tree */
    gms_grid_t grid;            /* for the kinds mesh and torus */
    uint32_t hosts;             /* for the kind cascade: number of hosts on each
                                 * switch */
    uint64_t *bytes_s;          /* configured rate of each link, or 0; NULL if
                                 * the description sets no rates */
    uint8_t *forward; /* output port, for the routing tables; indexed by switch
                       * * nodes + node */

    /* fields for routes that are read from tables */
    uint32_t *depth;    /* depth of each switch; 0 is the root */
    uint8_t **distance; /* a table for each target switch that has nodes,
                         * otherwise NULL; indexed by switch and phase, see
                         * topology_search.c */
};

/** State of a topology while it is being built. */
typedef struct gms_topology_plan {
    gms_arena_t *arena;
    const gms_params_t *params;
    const gms_graph_t *graph; /* the user's graph, or NULL */
    gms_topology_t *topology;
    gms_link_end_t *slot_peer; /* for each slot, the other end of its cable */
    gms_link_end_t *node_peer; /* for each node, the other end of its cable */
    char *error;               /* GMS_TOPOLOGY_ERROR_LEN */
    int may_be_long;           /* 1 if routes may be longer than a
                                * gms_route_t */
} gms_topology_plan_t;

/** Kind of the other end that the plan stores for a port or node without a
 *  cable. */
#define GMS_END_NONE UINT32_MAX

typedef struct gms_topology_ops {
    /* Compute the number of switches, and reject invalid parameters. */
    gms_status_t (*shape)(gms_topology_plan_t *plan);
    /* Return the number of ports of a switch. If the function is NULL, every
     * switch has params->switch_ports ports. */
    uint32_t (*ports)(const gms_topology_plan_t *plan, uint32_t switch_index);
    /* Connect the cables. */
    gms_status_t (*wire)(gms_topology_plan_t *plan);
    /* routing for which this kind of topology requires no tables */
    uint32_t routing; /* a value of enum gms_routing; auto means that every
                       * routing requires tables */
    void (*route)(const gms_topology_t *topology, uint32_t source,
                  uint32_t target, gms_route_t *route);
    /* Return the links of the route that `route' computes. If the function is
     * NULL, the links are derived from the route. */
    unsigned (*links)(const gms_topology_t *topology, uint32_t source,
                      uint32_t target, uint32_t *links);
} gms_topology_ops_t;

extern const gms_topology_ops_t gms_crossbar_ops, gms_cascade_ops, gms_clos_ops,
    gms_fat_tree_ops, gms_mesh_ops, gms_torus_ops, gms_graph_ops;

/** Write an error message. @return GMS_ERR_CONFIG */
gms_status_t gms_topology_refuse(gms_topology_plan_t *plan, const char *format,
                                 ...) __attribute__((format(printf, 2, 3)));
/** Write the error message for a full arena. @return GMS_ERR_NO_MEMORY */
gms_status_t gms_topology_no_memory(gms_topology_plan_t *plan);

/** Connect a node to a port by a cable. The port must not have a cable yet. */
void gms_topology_plug_node(gms_topology_plan_t *plan, uint32_t node,
                            uint32_t switch_index, uint32_t port);
/** Connect two ports by a cable. The ports must not have a cable yet. */
void gms_topology_plug_switches(gms_topology_plan_t *plan, uint32_t a,
                                uint32_t a_port, uint32_t b, uint32_t b_port);

/** Return the switch of a node. */
static inline uint32_t gms_topology_home(const gms_topology_t *topology,
                                         uint32_t node)
{
    return topology->links[node].to.index;
}

/* topology_graph.c */

/** Set the configured rates of links. The links must already have their
 *  numbers. */
gms_status_t gms_graph_rates(gms_topology_plan_t *plan);

/* topology_search.c */

/** Order the switches and compute all routes for the routing updown or
 *  shortest.
 *  @return GMS_OK
 *  @return GMS_ERR_CONFIG     a node is unreachable, or a route is too long
 *  @return GMS_ERR_NO_MEMORY */
gms_status_t gms_search_build(gms_topology_plan_t *plan);
void gms_search_destroy(gms_arena_t *arena, gms_topology_t *topology);
void gms_search_route(const gms_topology_t *topology, uint32_t source,
                      uint32_t target, gms_route_t *route);
/** Return 1 if a hop between two switches leads up, towards the root. The
 *  switches have a total order, so no cycle consists only of upward hops. */
int gms_search_is_up(const gms_topology_t *topology, uint32_t from,
                     uint32_t to);

/* forwarding.c */

/** Check and copy the forwarding tables of the graph for the routing `tables`.
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_forward_build(gms_topology_plan_t *plan);
void gms_forward_route(const gms_topology_t *topology, uint32_t source,
                       uint32_t target, gms_route_t *route);

/* topology_deadlock.c */

/**
 * Search for a cycle of links in which a packet can hold each link while it
 * waits for the next one. The function computes all routes from one node of
 * every switch to every node.
 *
 * @return GMS_OK
 * @return GMS_ERR_CONFIG     there is a cycle, which the error message names
 * @return GMS_ERR_NO_MEMORY
 */
gms_status_t gms_deadlock_check(gms_topology_plan_t *plan);

#endif
