/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the topologies `mesh` and `torus`. A dimension-order route leads
 * along the row first, then along the column.
 */
#include <assert.h>

#include "fabric/topology_int.h"

/* ---- shape -------------------------------------------------------------- */

static uint32_t gms_grid_share(uint32_t count, uint32_t each)
{
    return (count + each - 1) / each;
}

/* Compute the numbers of rows, columns and hosts if the parameters do not
 * specify them. */
static void gms_grid_choose(const gms_topology_plan_t *plan, gms_grid_t *grid)
{
    const gms_params_t *params = plan->params;
    uint32_t nodes = plan->topology->nodes, switches;

    grid->rows = (uint32_t)params->rows;
    grid->columns = (uint32_t)params->columns;
    grid->hosts = (uint32_t)params->hosts_per_switch;
    if (grid->hosts == 0) {
        grid->hosts = grid->rows != 0 && grid->columns != 0
                          ? gms_grid_share(nodes, grid->rows * grid->columns)
                          : 1;
    }
    switches = gms_grid_share(nodes, grid->hosts);
    if (grid->rows == 0 && grid->columns == 0) {
        do {
            ++grid->columns;
        } while (grid->columns * grid->columns < switches);
    }
    if (grid->columns == 0) {
        grid->columns = gms_grid_share(switches, grid->rows);
    }
    if (grid->rows == 0) {
        grid->rows = gms_grid_share(switches, grid->columns);
    }
}

/* Return the number of hops of the longest route along a row or column. */
static uint32_t gms_grid_reach(uint32_t length, uint32_t wraps)
{
    return wraps ? length / 2 : length - 1;
}

/* Check that the switches have enough ports for their hosts and for the cables
 * to their neighbours. */
static gms_status_t gms_grid_check_ports(gms_topology_plan_t *plan,
                                         const gms_grid_t *grid)
{
    uint32_t ports = (uint32_t)plan->params->switch_ports;
    uint32_t cables =
        (grid->columns > 1 ? 2u : 0u) + (grid->rows > 1 ? 2u : 0u);

    if (grid->hosts + cables <= ports) {
        return GMS_OK;
    }
    if (ports <= cables) {
        return gms_topology_refuse(
            plan,
            "%u cables from each switch to its neighbours leave none of the %u "
            "ports for hosts; allowed: %u..%u (switch_ports)",
            cables, ports, cables + 1, GMS_SWITCH_PORTS_MAX);
    }
    if (plan->params->hosts_per_switch != 0) {
        return gms_topology_refuse(
            plan,
            "%u hosts on each switch and %u cables to its neighbours need "
            "more than %u ports; allowed: 1..%u (hosts_per_switch)",
            grid->hosts, cables, ports, ports - cables);
    }
    return gms_topology_refuse(
        plan,
        "%u NICs (hosts x units_per_host) do not fit on %u x %u switches with "
        "%u ports, %u of which lead to neighbours; allowed: up to %u NICs "
        "(rows, columns, switch_ports)",
        plan->topology->nodes, grid->rows, grid->columns, ports, cables,
        grid->rows * grid->columns * (ports - cables));
}

/* Return 1 if routes may be longer than a gms_route_t. Routes along rows and
 * columns require neither a search nor a check for cycles. */
static int gms_grid_may_be_long(const gms_topology_plan_t *plan)
{
    return plan->may_be_long && plan->topology->kind == GMS_TOPOLOGY_MESH &&
           (plan->topology->routing == GMS_ROUTING_AUTO ||
            plan->topology->routing == GMS_ROUTING_DIMENSION_ORDER);
}

static gms_status_t gms_grid_check(gms_topology_plan_t *plan,
                                   const gms_grid_t *grid)
{
    uint32_t longest = 1 + gms_grid_reach(grid->columns, grid->wraps_row) +
                       gms_grid_reach(grid->rows, grid->wraps_column);

    gms_status_t status = gms_grid_check_ports(plan, grid);

    if (status != GMS_OK) {
        return status;
    }
    if (plan->topology->nodes > grid->rows * grid->columns * grid->hosts) {
        return gms_topology_refuse(
            plan,
            "%u NICs (hosts x units_per_host) do not fit on %u x %u switches "
            "with %u NICs each; allowed: up to %u NICs (rows, columns, "
            "hosts_per_switch)",
            plan->topology->nodes, grid->rows, grid->columns, grid->hosts,
            grid->rows * grid->columns * grid->hosts);
    }
    if (longest > GMS_ROUTE_MAX && !gms_grid_may_be_long(plan)) {
        return gms_topology_refuse(
            plan,
            "routes across %u x %u switches pass through %u of them; allowed: "
            "up to %u switches (rows, columns; a larger hosts_per_switch needs "
            "fewer switches)",
            grid->rows, grid->columns, longest, GMS_ROUTE_MAX);
    }
    return GMS_OK;
}

static gms_status_t gms_mesh_shape(gms_topology_plan_t *plan)
{
    gms_grid_t *grid = &plan->topology->grid;

    gms_grid_choose(plan, grid);
    plan->topology->switch_count = grid->rows * grid->columns;
    return gms_grid_check(plan, grid);
}

/* Compute the shape of a torus. A row or column of two switches is not closed
 * into a ring, because its switches are already neighbours. */
static gms_status_t gms_torus_shape(gms_topology_plan_t *plan)
{
    gms_grid_t *grid = &plan->topology->grid;

    gms_grid_choose(plan, grid);
    grid->wraps_row = grid->columns > 2;
    grid->wraps_column = grid->rows > 2;
    plan->topology->switch_count = grid->rows * grid->columns;
    return gms_grid_check(plan, grid);
}

/* ---- cables ------------------------------------------------------------- */

static uint32_t gms_grid_right(const gms_grid_t *grid)
{
    return grid->hosts;
}

static uint32_t gms_grid_down(const gms_grid_t *grid)
{
    return grid->hosts + (grid->columns > 1 ? 2 : 0);
}

static gms_status_t gms_grid_wire(gms_topology_plan_t *plan)
{
    const gms_grid_t *grid = &plan->topology->grid;
    uint32_t right = gms_grid_right(grid), down = gms_grid_down(grid);
    uint32_t node, row, column;

    for (node = 0; node < plan->topology->nodes; ++node) {
        gms_topology_plug_node(plan, node, node / grid->hosts,
                               node % grid->hosts);
    }
    for (row = 0; row < grid->rows; ++row) {
        for (column = 0; column < grid->columns; ++column) {
            uint32_t at = row * grid->columns + column;

            if (column + 1 < grid->columns || grid->wraps_row) {
                gms_topology_plug_switches(plan, at, right,
                                           row * grid->columns +
                                               (column + 1) % grid->columns,
                                           right + 1);
            }
            if (row + 1 < grid->rows || grid->wraps_column) {
                gms_topology_plug_switches(
                    plan, at, down,
                    (row + 1) % grid->rows * grid->columns + column, down + 1);
            }
        }
    }
    return GMS_OK;
}

/* ---- routes ------------------------------------------------------------- */

/* Return the number of steps along a row or column. The number is negative for
 * steps to the left and up. */
static int gms_grid_steps(uint32_t from, uint32_t to, uint32_t length,
                          uint32_t wraps)
{
    int steps = (int)to - (int)from;

    if (wraps) {
        steps = (int)((to + length - from) % length);
        if (2 * steps > (int)length) {
            steps -= (int)length;
        }
    }
    return steps;
}

int gms_topology_offset(const gms_topology_t *topology, unsigned source,
                        unsigned target, int *right_p, int *down_p)
{
    const gms_grid_t *grid = &topology->grid;
    uint32_t from, to;

    if (topology->kind != GMS_TOPOLOGY_MESH &&
        topology->kind != GMS_TOPOLOGY_TORUS) {
        return 0;
    }
    from = source / grid->hosts;
    to = target / grid->hosts;
    *right_p = gms_grid_steps(from % grid->columns, to % grid->columns,
                              grid->columns, grid->wraps_row);
    *down_p = gms_grid_steps(from / grid->columns, to / grid->columns,
                             grid->rows, grid->wraps_column);
    return 1;
}

/* Append the hops along a row or column. The output port of these hops is
 * `ahead` in the positive direction, and `ahead` + 1 in the negative
 * direction. */
static void gms_grid_go(uint32_t from, uint32_t to, uint32_t length,
                        uint32_t wraps, uint32_t ahead, gms_route_t *route)
{
    int way = gms_grid_steps(from, to, length, wraps);
    uint32_t port = way >= 0 ? ahead : ahead + 1;
    uint32_t steps = (uint32_t)(way >= 0 ? way : -way);

    assert(route->hops + steps < GMS_ROUTE_MAX);
    while (steps-- > 0) {
        route->port[route->hops++] = (uint8_t)port;
    }
}

static void gms_grid_route(const gms_topology_t *topology, uint32_t source,
                           uint32_t target, gms_route_t *route)
{
    const gms_grid_t *grid = &topology->grid;
    uint32_t from = source / grid->hosts, to = target / grid->hosts;

    route->hops = 0;
    gms_grid_go(from % grid->columns, to % grid->columns, grid->columns,
                grid->wraps_row, gms_grid_right(grid), route);
    gms_grid_go(from / grid->columns, to / grid->columns, grid->rows,
                grid->wraps_column, gms_grid_down(grid), route);
    route->port[route->hops++] = (uint8_t)(target % grid->hosts);
}

const gms_topology_ops_t gms_mesh_ops = {
    .shape = gms_mesh_shape,
    .wire = gms_grid_wire,
    .routing = GMS_ROUTING_DIMENSION_ORDER,
    .route = gms_grid_route,
};

const gms_topology_ops_t gms_torus_ops = {
    .shape = gms_torus_shape,
    .wire = gms_grid_wire,
    .routing = GMS_ROUTING_DIMENSION_ORDER,
    .route = gms_grid_route,
};
