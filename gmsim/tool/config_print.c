/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints a cluster description as complete YAML, with the origin of every value
 * as a comment.
 */
#include "tool/config_print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cluster/time_mode.h"

#define GMS_CONFIG_COLUMN 44 /* column in which the comments begin */

typedef struct gms_config_printer {
    const gms_cluster_t *cluster;
    const gms_topology_t *topology;
    int time_is_set;
} gms_config_printer_t;

/** Print a line with its comment in the comment column. */
static void gms_config_line(const char *comment, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void gms_config_line(const char *comment, const char *format, ...)
{
    va_list args;
    int width;

    va_start(args, format);
    width = vprintf(format, args);
    va_end(args);
    printf("%*s # %s\n",
           (width < GMS_CONFIG_COLUMN) ? GMS_CONFIG_COLUMN - width : 0, "",
           comment);
}

/** Return the origin of a value. Values that the profile does not set come
 *  from the defaults. */
static const char *gms_config_origin(const gms_config_printer_t *printer,
                                     const gms_param_t *row, char text[96])
{
    const gms_cluster_t *cluster = printer->cluster;
    unsigned line = cluster->lines[row - gms_param_table];
    const gms_profile_value_t *own = gms_profile_value(cluster->profile, row);
    uint64_t usual = (own != NULL) ? own->value : row->value;

    if (printer->time_is_set &&
        strncmp(row->name, "time", strlen("time")) == 0) {
        return "GMSIM_TIME";
    }
    if (line != 0) {
        (void)snprintf(text, 96, "line %u", line);
    } else if (cluster->profile_lines[row - gms_param_table] != 0) {
        (void)snprintf(text, 96, "line %u of %.60s",
                       cluster->profile_lines[row - gms_param_table],
                       strrchr(cluster->profile_path, '/') + 1);
    } else if (gms_param_get(&cluster->params, row) != usual) {
        (void)snprintf(text, 96, "set because faults are configured");
    } else {
        (void)snprintf(text, 96, "%s%s", (own != NULL) ? "profile " : "default",
                       (own != NULL) ? cluster->profile->name : "");
    }
    return text;
}

/** Return 1 if another line of the description already sets the value of this
 *  row, or if the row is not a key of a description. */
static int gms_config_is_said(const gms_cluster_t *cluster,
                              const gms_param_t *row)
{
    int is_listed = cluster->placement.count != 0;

    switch (row->offset) {
    case offsetof(gms_params_t, time_factor_ppm):
        return 1; /* the line for `time` contains this value */
    case offsetof(gms_params_t, placement):
    case offsetof(gms_params_t, ranks_per_host):
        return is_listed;
    case offsetof(gms_params_t, switch_ports):
        return cluster->params.topology == GMS_TOPOLOGY_GRAPH;
    default:
        return 0;
    }
}

static void gms_config_row(const gms_config_printer_t *printer,
                           const gms_param_t *row, const char *indent)
{
    const gms_params_t *params = &printer->cluster->params;
    uint64_t value = gms_param_get(params, row);
    char origin[96], time[GMS_TIME_TEXT_LEN];
    const char *from = gms_config_origin(printer, row, origin);

    if (row->offset == offsetof(gms_params_t, time)) {
        gms_config_line(from, "%s%s: %s", indent, row->name,
                        gms_time_text(params, time));
    } else if (row->names != NULL) {
        gms_config_line(from, "%s%s: %s", indent, row->name, row->names[value]);
    } else {
        gms_config_line(from, "%s%s: %llu", indent, row->name,
                        (unsigned long long)value);
    }
}

static void gms_config_rows(const gms_config_printer_t *printer, int is_short)
{
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        if (gms_cluster_is_short(row) == is_short &&
            !gms_config_is_said(printer->cluster, row)) {
            gms_config_row(printer, row, is_short ? "" : "  ");
        }
    }
}

static void gms_config_tables(const gms_graph_t *graph)
{
    uint32_t index, node;

    if (graph->table == NULL) {
        return;
    }
    printf("tables:\n");
    for (index = 0; index < graph->switch_count; ++index) {
        const uint8_t *table =
            graph->table + (size_t)index * graph->table_nodes;

        printf("  - [");
        for (node = 0; node < graph->table_nodes; ++node) {
            printf("%s", (node == 0) ? "" : ", ");
            if (table[node] == GMS_FORWARD_NONE) {
                printf("none");
            } else {
                printf("%u", table[node]);
            }
        }
        printf("]\n");
    }
}

/** Print the lanes of individual ports. A port has one line, which contains the
 *  lanes in the order of the description. */
static void gms_config_lanes(const gms_config_printer_t *printer)
{
    const gms_graph_t *graph = &printer->cluster->graph;
    uint32_t hosts = (uint32_t)printer->cluster->params.hosts, i, k;

    if (graph->lane_count != 0) {
        printf("lanes:\n");
    }
    for (i = 0; i < graph->lane_count; ++i) {
        const gms_link_end_t *from =
            gms_topology_from(printer->topology, graph->lanes[i].link);
        const char *comma = "";

        for (k = 0; k < i && graph->lanes[k].link != graph->lanes[i].link;
             ++k) {
        }
        if (k < i) {
            continue; /* already printed with the port's first lane */
        }
        if (from->kind == GMS_END_NODE) {
            printf("  host %u unit %u: {", from->index % hosts + 1,
                   from->index / hosts);
        } else {
            printf("  switch %u port %u: {", from->index, from->port);
        }
        for (k = i; k < graph->lane_count; ++k) {
            if (graph->lanes[k].link == graph->lanes[i].link) {
                printf("%s%s: %u", comma,
                       gms_lanes_class_name(graph->lanes[k].traffic_class),
                       graph->lanes[k].lane);
                comma = ", ";
            }
        }
        printf("}\n");
    }
}

static void gms_config_graph(const gms_cluster_t *cluster)
{
    const gms_graph_t *graph = &cluster->graph;
    char text[GMS_CABLE_TEXT_LEN];
    uint32_t i;

    if (graph->switch_count == 0) {
        return;
    }
    printf("switches: [");
    for (i = 0; i < graph->switch_count; ++i) {
        printf("%s%u", (i == 0) ? "" : ", ", graph->switch_ports[i]);
    }
    printf("]\ncables:\n");
    for (i = 0; i < graph->cable_count; ++i) {
        printf("  - %s\n",
               gms_cable_text(&graph->cables[i],
                              (uint32_t)cluster->params.hosts, text));
    }
    gms_config_tables(graph);
}

static void gms_config_placement(const gms_cluster_t *cluster)
{
    const gms_placement_t *placement = &cluster->placement;
    uint32_t host, rank;

    if (placement->count == 0) {
        return;
    }
    printf("placement:\n");
    for (host = 0; host < cluster->params.hosts; ++host) {
        const char *before = ": [";

        for (rank = 0; rank < placement->count; ++rank) {
            if (placement->hosts[rank] == host) {
                if (before[0] == ':') {
                    printf("  " GMS_HOST_PREFIX "%u", host + 1);
                }
                printf("%s%u", before, rank);
                before = ", ";
            }
        }
        if (before[0] == ',') {
            printf("]\n");
        }
    }
}

static void gms_config_io(const gms_cluster_t *cluster)
{
    uint32_t i;

    if (cluster->io.count == 0) {
        return;
    }
    printf("io: {hosts: [");
    for (i = 0; i < cluster->io.count; ++i) {
        printf("%s" GMS_HOST_PREFIX "%u", (i == 0) ? "" : ", ",
               cluster->io.hosts[i] + 1);
    }
    printf("]}\n");
}

static void gms_config_faults(const gms_config_printer_t *printer)
{
    const gms_fault_plan_t *plan = &printer->cluster->faults;
    char text[GMS_FAULT_TEXT_LEN];
    uint32_t i;

    if (plan->count == 0) {
        return;
    }
    printf("faults:\n  events:\n");
    for (i = 0; i < plan->count; ++i) {
        printf("    - %s\n",
               gms_fault_event_text(&plan->events[i], printer->topology, text));
    }
}

static const char *gms_config_given(unsigned line, const char *otherwise,
                                    char text[32])
{
    if (line == 0) {
        return otherwise;
    }
    (void)snprintf(text, 32, "line %u", line);
    return text;
}

void gms_config_print(const char *path, const gms_cluster_t *cluster,
                      const gms_topology_t *topology, int time_is_set)
{
    const gms_config_printer_t printer = {
        .cluster = cluster, .topology = topology, .time_is_set = time_is_set};
    char text[32];

    printf("# %s, with every default; `gmsim params --long` explains each "
           "parameter\n",
           (path != NULL) ? path : "the default cluster");
    gms_config_line(gms_config_given(cluster->profile_line, "default", text),
                    "profile: %s", cluster->profile->name);
    gms_config_rows(&printer, 1);
    gms_config_line(
        gms_config_given(cluster->host_topology_line, "profile", text),
        "host_topology: \"%s\"", cluster->host_topology);
    gms_config_placement(cluster);
    gms_config_graph(cluster);
    gms_config_lanes(&printer);
    gms_config_io(cluster);
    printf("parameters:\n");
    gms_config_rows(&printer, 0);
    gms_config_faults(&printer);
}
