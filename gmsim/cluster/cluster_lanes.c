/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the mapping `lanes:` of a cluster description, which changes the lanes
 * of classes at the listed ports:
 *
 *     lanes:
 *       switch 0 port 3: {control: 0}
 *       host 2: {best_effort: 1, control: 1}
 */
#include "cluster/cluster_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/cut_through.h"
#include "fabric/ets.h"
#include "fabric/lane_arbiter.h"
#include "fabric/vl_arbiter.h"

static const char *const gms_lanes_classes[] = {
    [GMS_LANE_CONTROL] = "control",
    [GMS_LANE_REAL_TIME] = "real_time",
    [GMS_LANE_BEST_EFFORT] = "best_effort",
    NULL,
};

/** Find the link that leaves a port. @return GMS_LINK_NONE if the string does
 *  not name a port with a cable */
static uint32_t gms_lanes_link(const gms_cluster_draft_t *draft,
                               const char *text)
{
    const gms_topology_t *topology = draft->topology;
    uint32_t hosts = (uint32_t)draft->cluster.params.hosts;
    unsigned index, port = 0;
    int used = 0;

    if (sscanf(text, "switch %9u port %9u%n", &index, &port, &used) == 2 &&
        used > 0 && text[used] == '\0') {
        return index < gms_topology_switches(topology) &&
                       port < gms_topology_ports(topology, index)
                   ? gms_topology_out(topology, index, port)
                   : GMS_LINK_NONE;
    }
    if ((sscanf(text, "host %9u unit %9u%n", &index, &port, &used) == 2 ||
         sscanf(text, "host %9u%n", &index, &used) == 1) &&
        used > 0 && text[used] == '\0' && index >= 1 && index <= hosts &&
        port < draft->cluster.params.units_per_host) {
        return gms_topology_node_link(topology, port * hosts + index - 1, 0);
    }
    return GMS_LINK_NONE;
}

/** Add an entry to the list of the graph. */
static gms_status_t gms_lanes_add(gms_loader_t *loader, size_t line,
                                  const gms_port_lane_t *entry)
{
    gms_graph_t *graph = &gms_cluster_draft(loader)->cluster.graph;
    gms_port_lane_t *more;
    uint32_t i;

    for (i = 0; i < graph->lane_count; ++i) {
        if (graph->lanes[i].link == entry->link &&
            graph->lanes[i].traffic_class == entry->traffic_class) {
            return gms_loader_fail(loader, line,
                                   "key 'lanes': the port has two lanes for "
                                   "class '%s'; allowed: one",
                                   gms_lanes_classes[entry->traffic_class]);
        }
    }
    more = realloc(graph->lanes, (graph->lane_count + 1) * sizeof(*more));
    if (more == NULL) {
        return gms_loader_fail(loader, 0, "cannot be read: out of memory");
    }
    graph->lanes = more;
    graph->lanes[graph->lane_count++] = *entry;
    return GMS_OK;
}

/** Read the lane of a class at the draft's port. */
static gms_status_t gms_lanes_class(gms_loader_t *loader, const char *key,
                                    size_t line, const yaml_node_t *value)
{
    gms_cluster_draft_t *draft = gms_cluster_draft(loader);
    const gms_params_t *params = &draft->cluster.params;
    gms_param_t row = {.name = "lanes", .min = 0, .unit = ""};
    gms_port_lane_t entry = {.link = draft->lanes_link};
    gms_status_t status;
    uint64_t lane;
    unsigned i = 0;

    while (gms_lanes_classes[i] != NULL &&
           strcmp(key, gms_lanes_classes[i]) != 0) {
        ++i;
    }
    if (gms_lanes_classes[i] == NULL) {
        return gms_loader_fail(loader, line,
                               "key 'lanes': there is no class '%.40s'; "
                               "allowed: control, real_time, best_effort",
                               key);
    }
    row.max = params->fabric_model == GMS_FABRIC_ETHERNET
                  ? GMS_ETS_PRIORITIES - 1
                  : GMS_VL_MAX - 1;
    status = gms_loader_integer(loader, value, &row, &lane);
    if (status != GMS_OK) {
        return status;
    }
    if (params->fabric_model == GMS_FABRIC_CUT_THROUGH &&
        !gms_cut_through_has_lane(params, lane)) {
        return gms_loader_fail(loader, line,
                               "key 'lanes': lane %u has no weight; allowed: "
                               "lanes of vl_real_time, vl_control and "
                               "vl_best_effort",
                               (unsigned)lane);
    }
    entry.traffic_class = (uint8_t)i;
    entry.lane = (uint8_t)lane;
    return gms_lanes_add(loader, line, &entry);
}

/** Read the lanes of a port. */
static gms_status_t gms_lanes_port(gms_loader_t *loader, const char *key,
                                   size_t line, const yaml_node_t *value)
{
    gms_cluster_draft_t *draft = gms_cluster_draft(loader);

    draft->lanes_link = gms_lanes_link(draft, key);
    if (draft->lanes_link == GMS_LINK_NONE) {
        return gms_loader_fail(loader, line,
                               "key 'lanes': '%.60s' is not a port with a "
                               "cable; allowed: 'host N', 'host N unit U' or "
                               "'switch S port P'",
                               key);
    }
    if (value->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(loader, line,
                               "key 'lanes': '%.60s' requires a mapping; "
                               "allowed: a mapping such as {best_effort: 1}",
                               key);
    }
    return gms_loader_mapping(loader, value, gms_lanes_class);
}

gms_status_t gms_loader_lanes(gms_loader_t *loader)
{
    gms_cluster_draft_t *draft = gms_cluster_draft(loader);
    const yaml_node_t *lanes = draft->lanes.value;
    uint64_t model = draft->cluster.params.fabric_model;

    if (lanes == NULL) {
        return GMS_OK;
    }
    if (model != GMS_FABRIC_CUT_THROUGH && model != GMS_FABRIC_ETHERNET) {
        return gms_loader_fail(
            loader, draft->lanes.line,
            "key 'lanes' is not used by fabric_model '%s'; allowed with: "
            "cut-through, ethernet",
            gms_param_find("fabric_model")->names[model]);
    }
    if (lanes->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(loader, draft->lanes.line,
                               "key 'lanes' requires a mapping; allowed: lines "
                               "like 'switch 0 port 3: {best_effort: 1}'");
    }
    return gms_loader_mapping(loader, lanes, gms_lanes_port);
}

const char *gms_lanes_class_name(unsigned traffic_class)
{
    return gms_lanes_classes[traffic_class];
}
