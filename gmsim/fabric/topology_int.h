/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The arrays of a topology, and the functions that the files for building and
 * routing share.
 *
 * Numbers of links: first the links of the nodes to their switches, by node;
 * then the output links of the switches, by switch and output port.
 *
 *   number   0 .. nodes-1        node n to its switch
 *            nodes ..            switch 0 port 0, port 1, .., switch 1 port 0, ..
 *
 * Slots are the ports of all switches in one sequence: switch s has first[s] ..
 * first[s + 1] - 1.
 */
#ifndef FABRIC_TOPOLOGY_INT_H
#define FABRIC_TOPOLOGY_INT_H

#include "fabric/topology.h"

/** Most ports of a switch: what a route byte can tell apart.
 *  [source: see _gm_get_route(): a signed number of 6 bits] */
#define GMS_SWITCH_PORTS_MAX 64u

/** Most levels of a tree: up and down again in GMS_ROUTE_MAX switches. */
#define GMS_TREE_LEVELS_MAX ((GMS_ROUTE_MAX + 1) / 2)

typedef struct gms_topology_link {
    gms_link_end_t from, to;
} gms_topology_link_t;

/**
 * A tree of units: a unit of level l has `down` units of level l - 1 below it
 * (hosts, if l is 0), and up^l switches, each with a cable to every unit below
 * and `up` cables to the next level. Switch j of a unit is connected to switch
 * j % up^(l-1) of each unit below, to its up cable number j / up^(l-1): the
 * digits of j in base `up` are the up cables that lead to it.
 *
 *   level 1   unit 0:  0 1 2 3    unit 1:  0 1 2 3      down 4, up 2, and the
 *                      |\|\                              level above: j = 0 ..3
 *   level 0   units 0, 1, 2, 3: 0 each                  of unit 0 with 2 cables
 *
 * At the top there is one unit; its switches have no cables up, and as many of
 * them as there are ports for share one real switch ("slots").
 */
typedef struct gms_tree {
    uint32_t levels, down, up;
    uint32_t top_units; /* below the top level */
    uint32_t slots;     /* of the top's switches that share a real one */
    uint32_t first[GMS_TREE_LEVELS_MAX + 1]; /* by level: its first switch;
                                                 after the last: all */
    uint32_t spread[GMS_TREE_LEVELS_MAX];    /* up^level */
} gms_tree_t;

/** Rows and columns; switch = row * columns + column. Ports after the hosts':
 *  right, left, down, up, without a direction that has one switch only. */
typedef struct gms_grid {
    uint32_t rows, columns, hosts;
    uint32_t wraps_row, wraps_column; /* ends of a row, a column connected */
} gms_grid_t;

struct gms_topology {
    uint32_t kind;     /* enum gms_topology_kind */
    uint32_t routing;  /* enum gms_routing, never auto */
    uint32_t searched; /* routes come from tables */
    uint32_t nodes, switch_count, link_count;
    uint32_t *first;            /* by switch, and one more: its first slot */
    uint32_t *out;              /* by slot: the link that leaves there */
    gms_topology_link_t *links; /* by number */
    uint32_t *into;             /* by node: the link into it */
    gms_tree_t tree;            /* clos, fat-tree */
    gms_grid_t grid;            /* mesh, torus */
    uint32_t hosts;             /* cascade: on each switch */

    /* searched routes */
    uint32_t *depth;    /* by switch: 0 is the root */
    uint8_t **distance; /* by target switch that has nodes, else NULL: by
                            switch and phase, see topology_search.c */
};

/** While it is built. */
typedef struct gms_topology_plan {
    gms_arena_t *arena;
    const gms_params_t *params;
    const gms_graph_t *graph; /* or NULL */
    gms_topology_t *topology;
    gms_link_end_t *slot_peer; /* by slot: the cable's other end */
    gms_link_end_t *node_peer; /* by node */
    char *error;               /* GMS_TOPOLOGY_ERROR_LEN */
    int may_be_long;           /* ways that a gms_route_t has no room for */
} gms_topology_plan_t;

/** A port or node without a cable, in the plan. */
#define GMS_END_NONE UINT32_MAX

typedef struct gms_topology_ops {
    /* Decide how many switches there are; refuse what does not fit. */
    gms_status_t (*shape)(gms_topology_plan_t *plan);
    /* Ports of a switch; NULL: params->switch_ports. */
    uint32_t (*ports)(const gms_topology_plan_t *plan, uint32_t switch_index);
    /* Lay the cables. */
    gms_status_t (*wire)(gms_topology_plan_t *plan);
    /* The routing that it can do without tables. */
    uint32_t routing; /* enum gms_routing; auto: none */
    void (*route)(const gms_topology_t *topology, uint32_t source,
                  uint32_t target, gms_route_t *route);
    /* The same as links; NULL: along the route. */
    unsigned (*links)(const gms_topology_t *topology, uint32_t source,
                      uint32_t target, uint32_t *links);
} gms_topology_ops_t;

extern const gms_topology_ops_t gms_crossbar_ops, gms_cascade_ops, gms_clos_ops,
    gms_fat_tree_ops, gms_mesh_ops, gms_torus_ops, gms_graph_ops;

/** Write the error text. @return GMS_ERR_CONFIG */
gms_status_t gms_topology_refuse(gms_topology_plan_t *plan, const char *format,
                                 ...) __attribute__((format(printf, 2, 3)));
/** Write that there is no room. @return GMS_ERR_NO_MEMORY */
gms_status_t gms_topology_no_memory(gms_topology_plan_t *plan);

/** Lay a cable from a node to a port; a port takes one. */
void gms_topology_plug_node(gms_topology_plan_t *plan, uint32_t node,
                            uint32_t switch_index, uint32_t port);
/** .. from a port to a port. */
void gms_topology_plug_switches(gms_topology_plan_t *plan, uint32_t a,
                                uint32_t a_port, uint32_t b, uint32_t b_port);

/** The switch that a node is on. */
static inline uint32_t gms_topology_home(const gms_topology_t *topology,
                                         uint32_t node)
{
    return topology->links[node].to.index;
}

/* topology_search.c */

/** Order the switches and search all ways, for routing updown or shortest.
 *  @return GMS_OK; GMS_ERR_CONFIG: a node out of reach, a way too long;
 *          GMS_ERR_NO_MEMORY */
gms_status_t gms_search_build(gms_topology_plan_t *plan);
void gms_search_destroy(gms_arena_t *arena, gms_topology_t *topology);
void gms_search_route(const gms_topology_t *topology, uint32_t source,
                      uint32_t target, gms_route_t *route);
/** 1 if a hop between two switches leads up, towards the root. Every two
 *  switches are ordered, so that no cycle leads up only. */
int gms_search_is_up(const gms_topology_t *topology, uint32_t from,
                     uint32_t to);

/* topology_deadlock.c */

/**
 * Look for a cycle among the links: which one a packet can hold while it waits
 * for which other. Costs all routes from one node of every switch to every
 * node.
 *
 * @return GMS_OK; GMS_ERR_CONFIG: there is one, named in the error text;
 *         GMS_ERR_NO_MEMORY
 */
gms_status_t gms_deadlock_check(gms_topology_plan_t *plan);

#endif
