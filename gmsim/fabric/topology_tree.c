/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds Clos networks and fat trees. gms_tree_t describes the wiring.
 *
 * A route leads up until it reaches a unit above both the source and the
 * target. On every level, a digit of the target's number in base `up` selects
 * the up cable. From the top of the route, only one path leads down to the
 * target. All packets for a target therefore use the same switch of each unit,
 * and targets are assigned to the switches of a unit in turn. [source: Zahavi
 * 2010, D-Mod-K providing non-blocking traffic for shift permutations on real
 * life fat trees]
 */
#include <assert.h>

#include "base/plural.h"
#include "fabric/topology_int.h"

/** Maximum number of switches. This limit keeps products within 32 bits. No
 *  realistic tree reaches the limit. */
#define GMS_TREE_SWITCHES_MAX UINT64_C(1000000)

/* ---- shape -------------------------------------------------------------- */

static uint32_t gms_tree_share(uint32_t count, uint64_t each)
{
    return (uint32_t)((count + each - 1) / each);
}

/* Choose the smallest number of levels that provides ports for all nodes. The
 * parameter top_ports is the number of ports of a tree that consists of one
 * switch. */
static gms_status_t gms_tree_raise(gms_topology_plan_t *plan,
                                   uint32_t top_ports)
{
    gms_topology_t *topology = plan->topology;
    gms_tree_t *tree = &topology->tree;
    uint32_t ports = (uint32_t)plan->params->switch_ports;
    uint64_t below = 1; /* number of hosts below a unit of the level below the
                         * top */

    tree->levels = 1;
    tree->top_units = topology->nodes;
    while (tree->top_units > (tree->levels == 1 ? top_ports : ports)) {
        if (tree->levels == GMS_TREE_LEVELS_MAX || tree->down < 2) {
            return gms_topology_refuse(
                plan,
                "a tree for %u NICs with %u downward %s per switch has routes "
                "longer than %u switches; increase switch_ports or "
                "hosts_per_switch",
                topology->nodes, tree->down,
                gms_plural(tree->down, "cable", "cables"), GMS_ROUTE_MAX);
        }
        ++tree->levels;
        below *= tree->down;
        tree->top_units = gms_tree_share(topology->nodes, below);
    }
    tree->slots = ports / tree->top_units;
    return GMS_OK;
}

/* Count the switches, level by level. */
static gms_status_t gms_tree_count(gms_topology_plan_t *plan)
{
    gms_topology_t *topology = plan->topology;
    gms_tree_t *tree = &topology->tree;
    uint64_t below = 1, spread = 1, total = 0;
    uint32_t level;

    for (level = 0; level < tree->levels; ++level) {
        tree->first[level] = (uint32_t)total;
        tree->spread[level] = (uint32_t)spread;
        below *= tree->down;
        total += level + 1 < tree->levels
                     ? gms_tree_share(topology->nodes, below) * spread
                     : (spread + tree->slots - 1) / tree->slots;
        spread *= tree->up;
        if (total > GMS_TREE_SWITCHES_MAX || spread > GMS_TREE_SWITCHES_MAX) {
            return gms_topology_refuse(
                plan,
                "a tree for %u NICs with %u upward cables per switch needs "
                "more than a million switches; reduce tree_up",
                topology->nodes, tree->up);
        }
    }
    tree->first[level] = (uint32_t)total;
    topology->switch_count = (uint32_t)total;
    return GMS_OK;
}

static gms_status_t gms_clos_shape(gms_topology_plan_t *plan)
{
    const gms_params_t *params = plan->params;
    gms_tree_t *tree = &plan->topology->tree;
    uint32_t half = (uint32_t)params->switch_ports / 2;
    gms_status_t status;

    if (params->switch_ports % 2 != 0 || half < 2) {
        return gms_topology_refuse(
            plan,
            "a Clos network uses half of each switch's ports, at least 2, for "
            "the level below; %u ports cannot be halved; allowed: 4, 6, .. 64 "
            "(switch_ports)",
            (unsigned)params->switch_ports);
    }
    if ((params->hosts_per_switch != 0 && params->hosts_per_switch != half) ||
        (params->tree_up != 0 && params->tree_up != half)) {
        return gms_topology_refuse(
            plan,
            "a Clos network of switches with %u ports has %u hosts and as many "
            "upward cables on each leaf; allowed: 0 or %u (hosts_per_switch, "
            "tree_up), or topology fat-tree",
            2 * half, half, half);
    }
    tree->down = half;
    tree->up = half;
    status = gms_tree_raise(plan, 2 * half);
    return status == GMS_OK ? gms_tree_count(plan) : status;
}

static gms_status_t gms_fat_tree_shape(gms_topology_plan_t *plan)
{
    const gms_params_t *params = plan->params;
    gms_tree_t *tree = &plan->topology->tree;
    uint32_t ports = (uint32_t)params->switch_ports;
    uint32_t hosts = (uint32_t)params->hosts_per_switch;
    gms_status_t status;

    tree->down = hosts != 0 ? hosts : ports / 2;
    tree->up = params->tree_up != 0 ? (uint32_t)params->tree_up : tree->down;
    if (tree->down > ports) {
        return gms_topology_refuse(plan,
                                   "%u hosts do not fit on a switch of %u "
                                   "ports; allowed: 1..%u (hosts_per_switch)",
                                   tree->down, ports, ports);
    }
    status = gms_tree_raise(plan, hosts != 0 ? hosts : ports);
    if (status != GMS_OK) {
        return status;
    }
    if (tree->levels > 1 && tree->down + tree->up > ports) {
        return gms_topology_refuse(
            plan,
            "%u %s downward and %u upward do not fit on a switch of %u ports; "
            "allowed: up to %u in total (hosts_per_switch, tree_up)",
            tree->down, gms_plural(tree->down, "cable", "cables"), tree->up,
            ports, ports);
    }
    return gms_tree_count(plan);
}

/* ---- cables ------------------------------------------------------------- */

/* Return the number of a unit's switch and the port that leads to a unit below
 * it. */
static uint32_t gms_tree_switch(const gms_tree_t *tree, uint32_t level,
                                uint32_t unit, uint32_t j)
{
    return level + 1 < tree->levels
               ? tree->first[level] + unit * tree->spread[level] + j
               : tree->first[level] + j / tree->slots;
}

static uint32_t gms_tree_port(const gms_tree_t *tree, uint32_t level,
                              uint32_t j, uint32_t below)
{
    return level + 1 < tree->levels ? below % tree->down
                                    : j % tree->slots * tree->top_units + below;
}

static gms_status_t gms_tree_wire(gms_topology_plan_t *plan)
{
    const gms_topology_t *topology = plan->topology;
    const gms_tree_t *tree = &topology->tree;
    uint32_t units = topology->nodes;
    uint32_t node, level, unit, j, cable;

    for (node = 0; node < topology->nodes; ++node) {
        gms_topology_plug_node(plan, node,
                               gms_tree_switch(tree, 0, node / tree->down, 0),
                               gms_tree_port(tree, 0, 0, node));
    }
    for (level = 0; level + 1 < tree->levels; ++level) {
        units = gms_tree_share(units, tree->down);
        for (unit = 0; unit < units; ++unit) {
            for (j = 0; j < tree->spread[level]; ++j) {
                for (cable = 0; cable < tree->up; ++cable) {
                    uint32_t above = j + cable * tree->spread[level];

                    gms_topology_plug_switches(
                        plan, gms_tree_switch(tree, level, unit, j),
                        tree->down + cable,
                        gms_tree_switch(tree, level + 1, unit / tree->down,
                                        above),
                        gms_tree_port(tree, level + 1, above, unit));
                }
            }
        }
    }
    return GMS_OK;
}

/* ---- routes ------------------------------------------------------------- */

/* Compute the switches on a route, and the output port of each switch. At each
 * level, the number of a unit is the number of the unit below, divided by
 * `down`.
 * @return number of switches */
static unsigned gms_tree_walk(const gms_tree_t *tree, uint32_t source,
                              uint32_t target, uint32_t *at, uint32_t *port)
{
    uint32_t top = tree->levels - 1;
    uint32_t below[GMS_TREE_LEVELS_MAX + 1]; /* for each level, the unit below
                                              * it that contains the target */
    uint32_t j[GMS_TREE_LEVELS_MAX];
    uint32_t mine = source / tree->down, digits = target;
    uint32_t level = 0;
    unsigned hops = 0;

    below[0] = target;
    below[1] = target / tree->down;
    j[0] = 0;
    while (level < top && mine != below[level + 1]) {
        uint32_t rest = digits / tree->up;
        uint32_t cable = digits - rest * tree->up;

        at[hops] = tree->first[level] + mine * tree->spread[level] + j[level];
        port[hops++] = tree->down + cable;
        j[level + 1] = j[level] + cable * tree->spread[level];
        digits = rest;
        ++level;
        mine /= tree->down;
        below[level + 1] = below[level] / tree->down;
    }
    for (;; --level) {
        at[hops] = gms_tree_switch(tree, level, below[level + 1], j[level]);
        port[hops++] = level < top
                           ? below[level] - below[level + 1] * tree->down
                           : gms_tree_port(tree, level, j[level], below[level]);
        if (level == 0) {
            return hops;
        }
    }
}

static void gms_tree_route(const gms_topology_t *topology, uint32_t source,
                           uint32_t target, gms_route_t *route)
{
    uint32_t at[GMS_ROUTE_MAX], port[GMS_ROUTE_MAX];
    unsigned hops = gms_tree_walk(&topology->tree, source, target, at, port);
    unsigned hop;

    route->hops = (uint8_t)hops;
    for (hop = 0; hop < hops; ++hop) {
        route->port[hop] = (uint8_t)port[hop];
    }
}

/* Return the links of a route by number. The switches are computed
 * arithmetically, which is several times faster than following the links one by
 * one. */
static unsigned gms_tree_links(const gms_topology_t *topology, uint32_t source,
                               uint32_t target, uint32_t *links)
{
    uint32_t at[GMS_ROUTE_MAX], port[GMS_ROUTE_MAX];
    unsigned hops = gms_tree_walk(&topology->tree, source, target, at, port);
    unsigned hop;

    links[0] = source;
    for (hop = 0; hop < hops; ++hop) {
        links[hop + 1] = topology->out[topology->first[at[hop]] + port[hop]];
    }
    return hops + 1;
}

const gms_topology_ops_t gms_clos_ops = {
    .shape = gms_clos_shape,
    .wire = gms_tree_wire,
    .routing = GMS_ROUTING_UPDOWN,
    .route = gms_tree_route,
    .links = gms_tree_links,
};

const gms_topology_ops_t gms_fat_tree_ops = {
    .shape = gms_fat_tree_shape,
    .wire = gms_tree_wire,
    .routing = GMS_ROUTING_UPDOWN,
    .route = gms_tree_route,
    .links = gms_tree_links,
};
