/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the list `tables:` of a cluster description, which contains the
 * forwarding table of every switch of a graph.
 */
#include "cluster/cluster_int.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/forwarding.h"

static size_t gms_tables_length(const yaml_node_t *list)
{
    return (size_t)(list->data.sequence.items.top -
                    list->data.sequence.items.start);
}

static const yaml_node_t *gms_tables_item(const gms_loader_t *loader,
                                          const yaml_node_t *list, size_t i)
{
    return yaml_document_get_node(loader->document,
                                  list->data.sequence.items.start[i]);
}

/** Check that a YAML node is a list of `count` items. */
static gms_status_t gms_tables_list(gms_loader_t *loader,
                                    const yaml_node_t *list, size_t count,
                                    const char *items)
{
    if (list->type == YAML_SEQUENCE_NODE && gms_tables_length(list) == count) {
        return GMS_OK;
    }
    (void)gms_loader_fail(loader, list->start_mark.line + 1, "key 'tables': ");
    if (list->type == YAML_SEQUENCE_NODE) {
        gms_yaml_append(loader->error, "a list of length %zu",
                        gms_tables_length(list));
    } else {
        gms_yaml_append(loader->error, "not a list");
    }
    gms_yaml_append(loader->error, "; allowed: a list of %zu %s", count, items);
    return GMS_ERR_CONFIG;
}

/** Read the table of a switch. */
static gms_status_t gms_tables_read(gms_loader_t *loader,
                                    const yaml_node_t *list, uint32_t ports,
                                    uint32_t nodes, uint8_t *table)
{
    gms_param_t row = {
        .name = "tables", .min = 0, .max = ports - 1, .unit = "(or none)"};
    gms_status_t status = gms_tables_list(loader, list, nodes, "ports");
    uint64_t port;
    uint32_t i;

    for (i = 0; status == GMS_OK && i < nodes; ++i) {
        const yaml_node_t *value = gms_tables_item(loader, list, i);
        const char *text = gms_yaml_scalar(value);

        table[i] = GMS_FORWARD_NONE;
        if (text == NULL || strcmp(text, "none") != 0) {
            status = gms_loader_integer(loader, value, &row, &port);
            if (status == GMS_OK) {
                table[i] = (uint8_t)port;
            }
        }
    }
    return status;
}

/** Check the routes. An error refers to the line of the invalid entry. */
static gms_status_t gms_tables_check(gms_loader_t *loader,
                                     const yaml_node_t *tables)
{
    const gms_graph_t *graph = &gms_cluster_draft(loader)->cluster.graph;
    const yaml_node_t *list;
    gms_forward_fault_t fault;
    gms_status_t status = gms_forward_check(graph, &fault);

    if (status == GMS_ERR_NO_MEMORY) {
        return gms_loader_fail(loader, 0, "cannot be read: out of memory");
    }
    if (status == GMS_OK) {
        return GMS_OK;
    }
    list = gms_tables_item(loader, tables, fault.switch_index);
    return gms_loader_fail(
        loader, gms_tables_item(loader, list, fault.node)->start_mark.line + 1,
        "key 'tables': %s", fault.text);
}

gms_status_t gms_loader_tables(gms_loader_t *loader)
{
    gms_cluster_draft_t *draft = gms_cluster_draft(loader);
    const gms_params_t *params = &draft->cluster.params;
    const yaml_node_t *tables = draft->tables.value;
    gms_graph_t *graph = &draft->cluster.graph;
    uint32_t nodes = (uint32_t)(params->hosts * params->units_per_host), i;
    gms_status_t status;

    if ((tables != NULL) != (params->routing == GMS_ROUTING_TABLES)) {
        return gms_loader_fail(
            loader,
            (tables != NULL)
                ? draft->tables.line
                : draft->lines[gms_param_find("routing") - gms_param_table],
            (tables != NULL) ? "key 'tables' requires 'routing: tables'"
                             : "key 'routing': value 'tables' requires the "
                               "list 'tables'");
    }
    if (tables == NULL) {
        return GMS_OK;
    }
    status = gms_tables_list(loader, tables, graph->switch_count,
                             "lists, one for each switch");
    if (status != GMS_OK) {
        return status;
    }
    graph->table = malloc((size_t)graph->switch_count * nodes);
    if (graph->table == NULL) {
        return gms_loader_fail(loader, 0, "cannot be read: out of memory");
    }
    graph->table_nodes = nodes;
    for (i = 0; status == GMS_OK && i < graph->switch_count; ++i) {
        status = gms_tables_read(loader, gms_tables_item(loader, tables, i),
                                 graph->switch_ports[i], nodes,
                                 graph->table + (size_t)i * nodes);
    }
    return (status == GMS_OK) ? gms_tables_check(loader, tables) : status;
}
