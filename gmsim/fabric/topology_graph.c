/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the topology `graph`: connects the cables that the cluster
 * description lists. This file rejects a cable end that does not exist, a
 * second cable at a port, and a NIC without a cable. The file
 * cluster/cluster_graph.c reads the lists.
 */
#include <assert.h>
#include <stdio.h>

#include "fabric/topology_int.h"

static gms_status_t gms_graph_shape(gms_topology_plan_t *plan)
{
    const gms_graph_t *graph = plan->graph;
    uint32_t index;

    if (graph == NULL || graph->switch_count == 0) {
        return gms_topology_refuse(
            plan, "topology graph requires switches; allowed: a description "
                  "with the lists switches and cables");
    }
    for (index = 0; index < graph->switch_count; ++index) {
        if (graph->switch_ports[index] < 1 ||
            graph->switch_ports[index] > GMS_SWITCH_PORTS_MAX) {
            return gms_topology_refuse(
                plan, "switch %u has %u ports; allowed: 1..%u (key 'switches')",
                index, graph->switch_ports[index], GMS_SWITCH_PORTS_MAX);
        }
    }
    plan->topology->switch_count = graph->switch_count;
    return GMS_OK;
}

static uint32_t gms_graph_ports(const gms_topology_plan_t *plan,
                                uint32_t switch_index)
{
    return plan->graph->switch_ports[switch_index];
}

/* Check that a cable's end exists and is not connected yet. */
static gms_status_t gms_graph_check_end(gms_topology_plan_t *plan,
                                        const gms_link_end_t *end,
                                        uint32_t cable)
{
    const gms_topology_t *topology = plan->topology;

    if (end->kind == GMS_END_NODE) {
        if (end->index >= topology->nodes) {
            return gms_topology_refuse(
                plan,
                "cable %u: there is no node %u; allowed: 1..%u (hosts x "
                "units_per_host)",
                cable, end->index + 1, topology->nodes);
        }
        return plan->node_peer[end->index].kind == GMS_END_NONE
                   ? GMS_OK
                   : gms_topology_refuse(plan,
                                         "cable %u: node %u already has a "
                                         "cable; allowed: one cable per node "
                                         "(key 'cables')",
                                         cable, end->index + 1);
    }
    if (end->index >= topology->switch_count ||
        end->port >= gms_topology_ports(topology, end->index)) {
        return gms_topology_refuse(
            plan, "cable %u: there is no switch %u port %u (key 'switches')",
            cable, end->index, end->port);
    }
    return plan->slot_peer[topology->first[end->index] + end->port].kind ==
                   GMS_END_NONE
               ? GMS_OK
               : gms_topology_refuse(plan,
                                     "cable %u: switch %u port %u already has "
                                     "a cable; allowed: one cable per port "
                                     "(key 'cables')",
                                     cable, end->index, end->port);
}

static gms_status_t gms_graph_lay(gms_topology_plan_t *plan, uint32_t number)
{
    const gms_link_end_t *a = &plan->graph->cables[number].a;
    const gms_link_end_t *b = &plan->graph->cables[number].b;
    gms_status_t status = gms_graph_check_end(plan, a, number);

    if (status == GMS_OK) {
        status = gms_graph_check_end(plan, b, number);
    }
    if (status != GMS_OK) {
        return status;
    }
    if (a->kind == b->kind &&
        (a->kind == GMS_END_NODE || a->index == b->index)) {
        return gms_topology_refuse(
            plan,
            "cable %u connects %s; allowed: a host and a switch, or two "
            "switches (key 'cables')",
            number,
            a->kind == GMS_END_NODE ? "two hosts" : "a switch to itself");
    }
    if (a->kind == GMS_END_NODE) {
        gms_topology_plug_node(plan, a->index, b->index, b->port);
    } else if (b->kind == GMS_END_NODE) {
        gms_topology_plug_node(plan, b->index, a->index, a->port);
    } else {
        gms_topology_plug_switches(plan, a->index, a->port, b->index, b->port);
    }
    return GMS_OK;
}

static gms_status_t gms_graph_wire(gms_topology_plan_t *plan)
{
    gms_status_t status = GMS_OK;
    uint32_t number, node;

    for (number = 0; status == GMS_OK && number < plan->graph->cable_count;
         ++number) {
        status = gms_graph_lay(plan, number);
    }
    for (node = 0; status == GMS_OK && node < plan->topology->nodes; ++node) {
        if (plan->node_peer[node].kind == GMS_END_NONE) {
            status = gms_topology_refuse(
                plan,
                "node %u has no cable; allowed: one cable for each of %u NICs "
                "(key 'cables', hosts x units_per_host)",
                node + 1, plan->topology->nodes);
        }
    }
    return status;
}

/* Set the rates of the links of a cable if its description contains a rate. */
static void gms_graph_rate(gms_topology_t *topology, const gms_cable_t *cable)
{
    const gms_link_end_t *const ends[] = {&cable->a, &cable->b};
    unsigned i;

    for (i = 0; i < 2; ++i) {
        uint32_t link =
            ends[i]->kind == GMS_END_NODE
                ? ends[i]->index
                : topology
                      ->out[topology->first[ends[i]->index] + ends[i]->port];

        topology->bytes_s[link] = cable->bytes_s;
    }
}

gms_status_t gms_graph_rates(gms_topology_plan_t *plan)
{
    gms_topology_t *topology = plan->topology;
    const gms_graph_t *graph = plan->graph;
    int has_rates = 0;
    uint32_t number;

    for (number = 0; number < graph->cable_count; ++number) {
        has_rates |= graph->cables[number].bytes_s != 0;
    }
    if (!has_rates) {
        return GMS_OK;
    }
    topology->bytes_s = gms_arena_alloc(
        plan->arena, topology->link_count * sizeof(*topology->bytes_s));
    if (topology->bytes_s == NULL) {
        return gms_topology_no_memory(plan);
    }
    for (number = 0; number < graph->cable_count; ++number) {
        gms_graph_rate(topology, &graph->cables[number]);
    }
    return GMS_OK;
}

const gms_topology_ops_t gms_graph_ops = {
    .shape = gms_graph_shape,
    .ports = gms_graph_ports,
    .wire = gms_graph_wire,
};
