/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the topologies `crossbar` (one switch) and `cascade` (several
 * switches in a row).
 */
#include "fabric/topology_int.h"

/* ---- one crossbar ------------------------------------------------------- */

static gms_status_t gms_crossbar_shape(gms_topology_plan_t *plan)
{
    gms_topology_t *topology = plan->topology;

    if (topology->nodes > plan->params->switch_ports) {
        return gms_topology_refuse(
            plan,
            "%u NICs (hosts x units_per_host) do not fit on one crossbar of "
            "%u ports; allowed: up to %u NICs (switch_ports), or topology "
            "cascade, clos, fat-tree, mesh, torus or graph",
            topology->nodes, (unsigned)plan->params->switch_ports,
            (unsigned)plan->params->switch_ports);
    }
    topology->switch_count = 1;
    return GMS_OK;
}

/* Connect the cables of a crossbar. Node n is connected to port n. */
static gms_status_t gms_crossbar_wire(gms_topology_plan_t *plan)
{
    uint32_t node;

    for (node = 0; node < plan->topology->nodes; ++node) {
        gms_topology_plug_node(plan, node, 0, node);
    }
    return GMS_OK;
}

/* Compute the route between two nodes. A node's route to itself also passes
 * through the switch, because the two directions of a port are separate
 * channels. */
static void gms_crossbar_route(const gms_topology_t *topology, uint32_t source,
                               uint32_t target, gms_route_t *route)
{
    (void)topology;
    (void)source;
    route->hops = 1;
    route->port[0] = (uint8_t)target;
}

const gms_topology_ops_t gms_crossbar_ops = {
    .shape = gms_crossbar_shape,
    .wire = gms_crossbar_wire,
    .routing = GMS_ROUTING_UPDOWN,
    .route = gms_crossbar_route,
};

/* ---- a cascade ---------------------------------------------------------- */

/* Compute the number of switches if the parameters do not specify
 * hosts_per_switch. A switch at an end of the row uses one port for a cable to
 * its neighbour, and every other switch uses two. The remaining ports are
 * available for hosts. */
static gms_status_t gms_cascade_fill(gms_topology_plan_t *plan)
{
    gms_topology_t *topology = plan->topology;
    uint32_t ports = (uint32_t)plan->params->switch_ports;

    if (topology->nodes <= ports) {
        topology->switch_count = 1;
    } else if (topology->nodes <= 2 * (ports - 1)) {
        topology->switch_count = 2;
    } else if (ports > 2) {
        topology->switch_count =
            2 + (topology->nodes - 2 * (ports - 1) + ports - 3) / (ports - 2);
    } else {
        return gms_topology_refuse(
            plan, "a cascade of switches with 2 ports has room for only 2 "
                  "NICs; allowed: 3..64 (switch_ports)");
    }
    return GMS_OK;
}

static gms_status_t gms_cascade_shape(gms_topology_plan_t *plan)
{
    gms_topology_t *topology = plan->topology;
    uint32_t ports = (uint32_t)plan->params->switch_ports;
    uint32_t hosts = (uint32_t)plan->params->hosts_per_switch;
    uint32_t cables;
    gms_status_t status = GMS_OK;

    topology->hosts = hosts;
    if (hosts != 0) {
        topology->switch_count = (topology->nodes + hosts - 1) / hosts;
        cables = topology->switch_count < 3 ? topology->switch_count - 1 : 2;
        if (hosts + cables > ports) {
            return gms_topology_refuse(
                plan,
                "%u hosts on each switch and %u cables to its neighbours need "
                "more than %u ports; allowed: 1..%u (hosts_per_switch)",
                hosts, cables, ports, ports > cables ? ports - cables : 0);
        }
    } else {
        status = gms_cascade_fill(plan);
    }
    if (status == GMS_OK && topology->switch_count > GMS_ROUTE_MAX) {
        return gms_topology_refuse(
            plan,
            "a cascade for %u NICs needs %u switches, and its longest routes "
            "pass through all of them; allowed: up to %u switches "
            "(hosts, hosts_per_switch, switch_ports)",
            topology->nodes, topology->switch_count, GMS_ROUTE_MAX);
    }
    return status;
}

/* Connect the cables of a cascade. Nodes use ports 0, 1, and so on. The cable
 * to the right uses the last port. The cable to the left uses the last port
 * that is still free. */
static gms_status_t gms_cascade_wire(gms_topology_plan_t *plan)
{
    const gms_topology_t *topology = plan->topology;
    uint32_t ports = (uint32_t)plan->params->switch_ports;
    uint32_t last = topology->switch_count - 1;
    uint32_t at, node = 0;

    for (at = 0; at <= last; ++at) {
        uint32_t room = ports - (at > 0) - (at < last), port;

        if (topology->hosts != 0) {
            room = topology->hosts;
        }
        for (port = 0; port < room && node < topology->nodes; ++port) {
            gms_topology_plug_node(plan, node++, at, port);
        }
        if (at < last) {
            gms_topology_plug_switches(plan, at, ports - 1, at + 1,
                                       at + 1 < last ? ports - 2 : ports - 1);
        }
    }
    return GMS_OK;
}

const gms_topology_ops_t gms_cascade_ops = {
    .shape = gms_cascade_shape,
    .wire = gms_cascade_wire,
};
