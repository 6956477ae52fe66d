/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the lists `switches:` and `cables:` of a cluster description. Cables
 * are read in two passes. The first pass assigns the ports that are specified
 * in the file. The second pass assigns the first free port to every cable end
 * without a specified port.
 */
#include "cluster/cluster_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GMS_GRAPH_SWITCHES_MAX 16384u
/* Largest number of ports of a switch. A byte of a route is a signed number of
 * 6 bits. */
#define GMS_GRAPH_PORTS_MAX 64u
#define GMS_GRAPH_ANY_PORT  UINT32_MAX

typedef struct gms_graph_reader {
    gms_loader_t *loader;
    gms_graph_t *graph; /* the loader's graph */
    uint32_t nodes;
    uint32_t *first_port; /* for each switch: index of its first port in
                             port_lines */
    size_t *port_lines;   /* for each port: line that uses the port; 0: the port
                           * is free */
    size_t *node_lines;   /* for each node: line of its cable; 0: the node has
                           * no cable */
} gms_graph_reader_t;

void gms_graph_clear(gms_graph_t *graph)
{
    free(graph->switch_ports);
    free(graph->cables);
    free(graph->table);
    free(graph->lanes);
    memset(graph, 0, sizeof(*graph));
}

/* ---- words ---- */

#define GMS_GRAPH_BLANKS " \t"

/** Return 1 if a character ends a word because it is a blank or the end of the
 * text. */
static int gms_graph_is_end(char c)
{
    return c == '\0' || strchr(GMS_GRAPH_BLANKS, c) != NULL;
}

/** Skip blanks and the given word. @return 1 if the text contained the word */
static int gms_graph_word(const char **text_p, const char *word)
{
    const char *text = *text_p + strspn(*text_p, GMS_GRAPH_BLANKS);
    size_t len = strlen(word);

    if (strncmp(text, word, len) != 0 || !gms_graph_is_end(text[len])) {
        return 0;
    }
    *text_p = text + len;
    return 1;
}

/** Parse the given word and a number of up to nine digits. @return 1 if the
 *  text contains the word and the number */
static int gms_graph_named(const char **text_p, const char *word,
                           uint32_t *number_p)
{
    const char *text = *text_p;
    uint32_t number = 0;
    size_t digits;

    if (!gms_graph_word(&text, word)) {
        return 0;
    }
    text += strspn(text, GMS_GRAPH_BLANKS);
    digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9 || !gms_graph_is_end(text[digits])) {
        return 0;
    }
    for (; digits > 0; digits--, ++text) {
        number = number * 10 + (uint32_t)(*text - '0');
    }
    *number_p = number;
    *text_p = text;
    return 1;
}

/** Parse "host N [unit U]" or "switch S [port P]". A host's unit is stored in
 *  `port`.
 *  @return 1 if the text contains an end of a cable */
static int gms_graph_end(const char **text_p, gms_link_end_t *end)
{
    memset(end, 0, sizeof(*end));
    if (gms_graph_named(text_p, "host", &end->index)) {
        end->kind = GMS_END_NODE;
        (void)gms_graph_named(text_p, "unit", &end->port);
        return 1;
    }
    if (gms_graph_named(text_p, "switch", &end->index)) {
        end->kind = GMS_END_SWITCH;
        if (!gms_graph_named(text_p, "port", &end->port)) {
            end->port = GMS_GRAPH_ANY_PORT;
        }
        return 1;
    }
    return 0;
}

/* ---- ends of cables ---- */

/** Write the beginning of an error message: "FILE:LINE: key 'cables': value
 *  'V'". */
static gms_status_t gms_graph_fail(const gms_graph_reader_t *reader,
                                   const yaml_node_t *value)
{
    return gms_loader_begin_value(reader->loader, "cables", value);
}

/** Convert a host number and a unit of the description to a node. */
static gms_status_t gms_graph_host(gms_graph_reader_t *reader,
                                   const yaml_node_t *value,
                                   gms_link_end_t *end)
{
    const gms_params_t *params =
        &gms_cluster_draft(reader->loader)->cluster.params;
    char *error = reader->loader->error;
    uint32_t host = end->index, unit = end->port;

    if (host < 1 || host > params->hosts) {
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(error, ": there is no host %u; allowed: 1..%llu", host,
                        (unsigned long long)params->hosts);
        return GMS_ERR_CONFIG;
    }
    if (unit >= params->units_per_host) {
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(error, ": host %u has no unit %u; allowed: 0..%llu",
                        host, unit,
                        (unsigned long long)params->units_per_host - 1);
        return GMS_ERR_CONFIG;
    }
    /* Nodes are NICs. The numbers begin with unit 0 of all hosts, then continue
     * with unit 1 of all hosts, and so on */
    end->index = unit * (uint32_t)params->hosts + host - 1;
    end->port = 0;
    if (reader->node_lines[end->index] != 0) {
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(error, ": host %u", host);
        if (params->units_per_host > 1) {
            gms_yaml_append(error, " unit %u", unit);
        }
        gms_yaml_append(error, " already has a cable (line %zu); allowed: one",
                        reader->node_lines[end->index]);
        return GMS_ERR_CONFIG;
    }
    reader->node_lines[end->index] = value->start_mark.line + 1;
    return GMS_OK;
}

static gms_status_t gms_graph_switch(gms_graph_reader_t *reader,
                                     const yaml_node_t *value,
                                     const gms_link_end_t *end)
{
    const gms_graph_t *graph = reader->graph;
    char *error = reader->loader->error;
    size_t *line;

    if (end->index >= graph->switch_count) {
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(error, ": there is no switch %u; allowed: 0..%u",
                        end->index, graph->switch_count - 1);
        return GMS_ERR_CONFIG;
    }
    if (end->port == GMS_GRAPH_ANY_PORT) {
        return GMS_OK;
    }
    if (end->port >= graph->switch_ports[end->index]) {
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(error, ": switch %u has no port %u; allowed: 0..%u",
                        end->index, end->port,
                        graph->switch_ports[end->index] - 1);
        return GMS_ERR_CONFIG;
    }
    line = &reader->port_lines[reader->first_port[end->index] + end->port];
    if (*line != 0) {
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(
            error,
            ": switch %u port %u already has a cable (line %zu); allowed: one",
            end->index, end->port, *line);
        return GMS_ERR_CONFIG;
    }
    *line = value->start_mark.line + 1;
    return GMS_OK;
}

static gms_status_t gms_graph_claim(gms_graph_reader_t *reader,
                                    const yaml_node_t *value,
                                    gms_link_end_t *end)
{
    return (end->kind == GMS_END_NODE) ? gms_graph_host(reader, value, end)
                                       : gms_graph_switch(reader, value, end);
}

/** Parse "at BYTES_S" if the text contains it. The allowed range is the range
 *  of link_bytes_s.
 *  @return 0 if the rate is invalid */
static int gms_graph_rate(const char **text_p, uint64_t *bytes_s_p)
{
    const gms_param_t *row = gms_param_find("link_bytes_s");
    const char *text = *text_p;
    char *end;

    if (!gms_graph_word(&text, "at")) {
        return 1;
    }
    text += strspn(text, GMS_GRAPH_BLANKS);
    if (strspn(text, "0123456789") == 0) {
        return 0;
    }
    *bytes_s_p = strtoull(text, &end, 10);
    *text_p = end;
    return gms_graph_is_end(*end) && *bytes_s_p >= row->min &&
           *bytes_s_p <= row->max;
}

/** Read a cable in the first pass over the list. */
static gms_status_t gms_graph_cable(gms_graph_reader_t *reader,
                                    const yaml_node_t *value,
                                    gms_cable_t *cable)
{
    const char *text = gms_yaml_scalar(value);
    char *error = reader->loader->error;
    gms_status_t status;

    if (text == NULL || !gms_graph_end(&text, &cable->a) ||
        !gms_graph_word(&text, "to") || !gms_graph_end(&text, &cable->b) ||
        !gms_graph_rate(&text, &cable->bytes_s) ||
        text[strspn(text, GMS_GRAPH_BLANKS)] != '\0') {
        text = gms_yaml_scalar(value);
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(error, "%s not a cable",
                        (value->type == YAML_SCALAR_NODE) ? " is" : ",");
        /* suggest "host", because other parts of a description use the word
         * "node" for hosts */
        gms_yaml_append_guess(
            error,
            (text != NULL && strstr(text, "node") != NULL) ? "host" : NULL);
        gms_yaml_append(error,
                        "; allowed: 'A to B' or 'A to B at BYTES_S', where A "
                        "and B are 'host N', 'host N unit U', 'switch S' or "
                        "'switch S port P'");
        return GMS_ERR_CONFIG;
    }
    if (cable->bytes_s != 0 &&
        gms_cluster_draft(reader->loader)->cluster.params.fabric_model <
            GMS_FABRIC_CUT_THROUGH) {
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(error, " has a rate; allowed with the fabric models "
                               "cut-through and ethernet");
        return GMS_ERR_CONFIG;
    }
    if (cable->a.kind == cable->b.kind &&
        (cable->a.kind == GMS_END_NODE || cable->a.index == cable->b.index)) {
        (void)gms_graph_fail(reader, value);
        gms_yaml_append(error, (cable->a.kind == GMS_END_NODE)
                                   ? " connects two hosts; allowed: a host and "
                                     "a switch, or two switches"
                                   : " connects a switch to itself; allowed: a "
                                     "host and a switch, or two switches");
        return GMS_ERR_CONFIG;
    }
    status = gms_graph_claim(reader, value, &cable->a);
    return (status == GMS_OK) ? gms_graph_claim(reader, value, &cable->b)
                              : status;
}

/** Read the end of a cable in the second pass. */
static gms_status_t gms_graph_place(gms_graph_reader_t *reader,
                                    const yaml_node_t *value,
                                    gms_link_end_t *end)
{
    uint32_t ports;
    size_t *lines;

    if (end->kind == GMS_END_NODE || end->port != GMS_GRAPH_ANY_PORT) {
        return GMS_OK;
    }
    ports = reader->graph->switch_ports[end->index];
    lines = &reader->port_lines[reader->first_port[end->index]];
    for (end->port = 0; end->port < ports; ++end->port) {
        if (lines[end->port] == 0) {
            lines[end->port] = value->start_mark.line + 1;
            return GMS_OK;
        }
    }
    (void)gms_graph_fail(reader, value);
    gms_yaml_append(reader->loader->error,
                    ": all ports of switch %u are in use; allowed: %u cables",
                    end->index, ports);
    return GMS_ERR_CONFIG;
}

/* ---- text of a cable ---- */

static void gms_cable_end_text(const gms_link_end_t *end, uint32_t hosts,
                               char *text, size_t text_len)
{
    if (end->kind == GMS_END_SWITCH) {
        (void)snprintf(text, text_len, "switch %u port %u", end->index,
                       end->port);
    } else if (end->index < hosts) {
        (void)snprintf(text, text_len, "host %u", end->index + 1);
    } else {
        (void)snprintf(text, text_len, "host %u unit %u",
                       end->index % hosts + 1, end->index / hosts);
    }
}

const char *gms_cable_text(const gms_cable_t *cable, uint32_t hosts,
                           char text[GMS_CABLE_TEXT_LEN])
{
    char a[40], b[40];

    gms_cable_end_text(&cable->a, hosts, a, sizeof(a));
    gms_cable_end_text(&cable->b, hosts, b, sizeof(b));
    (void)snprintf(text, GMS_CABLE_TEXT_LEN, "%s to %s", a, b);
    if (cable->bytes_s != 0) {
        size_t used = strlen(text);

        (void)snprintf(text + used, GMS_CABLE_TEXT_LEN - used, " at %llu",
                       (unsigned long long)cable->bytes_s);
    }
    return text;
}

/* ---- the lists ---- */

static size_t gms_graph_length(const yaml_node_t *list)
{
    return (size_t)(list->data.sequence.items.top -
                    list->data.sequence.items.start);
}

static const yaml_node_t *gms_graph_item(const gms_graph_reader_t *reader,
                                         const yaml_node_t *list, size_t i)
{
    return yaml_document_get_node(reader->loader->document,
                                  list->data.sequence.items.start[i]);
}

static gms_status_t gms_graph_list(gms_loader_t *loader,
                                   const yaml_node_t *list, const char *key,
                                   const char *example)
{
    if (list->type == YAML_SEQUENCE_NODE && gms_graph_length(list) > 0) {
        return GMS_OK;
    }
    (void)gms_loader_begin_value(loader, key, list);
    gms_yaml_append(loader->error, "%s; allowed: a list like %s",
                    (list->type == YAML_SEQUENCE_NODE) ? " without entries"
                    : (list->type == YAML_SCALAR_NODE) ? " is not a list"
                                                       : ", not a list",
                    example);
    return GMS_ERR_CONFIG;
}

static gms_status_t gms_graph_switches(gms_graph_reader_t *reader,
                                       const yaml_node_t *list)
{
    gms_param_t row = {.name = "switches",
                       .min = 2,
                       .max = GMS_GRAPH_PORTS_MAX,
                       .unit = "ports"};
    gms_graph_t *graph = reader->graph;
    gms_status_t status = GMS_OK;
    size_t count = gms_graph_length(list), i;
    uint64_t ports;

    if (count > GMS_GRAPH_SWITCHES_MAX) {
        return gms_loader_fail(
            reader->loader, list->start_mark.line + 1,
            "key 'switches': too many switches (%zu); allowed: 1..%u", count,
            GMS_GRAPH_SWITCHES_MAX);
    }
    for (i = 0; status == GMS_OK && i < count; ++i) {
        status = gms_loader_integer(
            reader->loader, gms_graph_item(reader, list, i), &row, &ports);
        if (status == GMS_OK) {
            graph->switch_ports[i] = (uint32_t)ports;
            reader->first_port[i + 1] = reader->first_port[i] + (uint32_t)ports;
        }
    }
    graph->switch_count = (uint32_t)count;
    return status;
}

static gms_status_t gms_graph_cables(gms_graph_reader_t *reader,
                                     const yaml_node_t *list)
{
    const gms_params_t *params =
        &gms_cluster_draft(reader->loader)->cluster.params;
    gms_graph_t *graph = reader->graph;
    size_t count = gms_graph_length(list), i;
    gms_status_t status = GMS_OK;
    uint32_t node;

    for (i = 0; i < count; ++i) {
        gms_status_t one = gms_graph_cable(
            reader, gms_graph_item(reader, list, i), &graph->cables[i]);

        status = (status == GMS_OK) ? one : status;
    }
    for (i = 0; status == GMS_OK && i < count; ++i) {
        const yaml_node_t *value = gms_graph_item(reader, list, i);

        status = gms_graph_place(reader, value, &graph->cables[i].a);
        if (status == GMS_OK) {
            status = gms_graph_place(reader, value, &graph->cables[i].b);
        }
    }
    graph->cable_count = (uint32_t)count;
    for (node = 0; status == GMS_OK && node < reader->nodes; ++node) {
        if (reader->node_lines[node] == 0) {
            status = gms_loader_fail(reader->loader, list->start_mark.line + 1,
                                     "key 'cables': host %u",
                                     node % (uint32_t)params->hosts + 1);
            if (params->units_per_host > 1) {
                gms_yaml_append(reader->loader->error, " unit %u",
                                node / (uint32_t)params->hosts);
            }
            gms_yaml_append(reader->loader->error,
                            " has no cable; required: one");
        }
    }
    return status;
}

/** Read the lists of switches and cables. This function is called if both lists
 *  are present and the topology is a graph. */
static gms_status_t gms_graph_read(gms_graph_reader_t *reader,
                                   const yaml_node_t *switches,
                                   const yaml_node_t *cables)
{
    size_t switch_count = gms_graph_length(switches);
    gms_graph_t *graph = reader->graph;
    gms_status_t status;

    graph->switch_ports = calloc(switch_count, sizeof(uint32_t));
    graph->cables = calloc(gms_graph_length(cables), sizeof(gms_cable_t));
    reader->first_port = calloc(switch_count + 1, sizeof(uint32_t));
    reader->node_lines = calloc(reader->nodes, sizeof(size_t));
    if (graph->switch_ports == NULL || graph->cables == NULL ||
        reader->first_port == NULL || reader->node_lines == NULL) {
        return gms_loader_fail(reader->loader, 0,
                               "cannot be read: out of memory");
    }
    status = gms_graph_switches(reader, switches);
    if (status != GMS_OK) {
        return status;
    }
    reader->port_lines =
        calloc(reader->first_port[switch_count], sizeof(size_t));
    if (reader->port_lines == NULL) {
        return gms_loader_fail(reader->loader, 0,
                               "cannot be read: out of memory");
    }
    return gms_graph_cables(reader, cables);
}

gms_status_t gms_loader_graph(gms_loader_t *loader)
{
    const gms_params_t *params = &gms_cluster_draft(loader)->cluster.params;
    const yaml_node_t *switches = gms_cluster_draft(loader)->switches.value;
    const yaml_node_t *cables = gms_cluster_draft(loader)->cables.value;
    int is_graph = params->topology == GMS_TOPOLOGY_GRAPH;
    gms_graph_reader_t reader = {
        .loader = loader,
        .graph = &gms_cluster_draft(loader)->cluster.graph,
        .nodes = (uint32_t)(params->hosts * params->units_per_host)};
    gms_status_t status;

    if (!is_graph && gms_cluster_draft(loader)->tables.value != NULL) {
        return gms_loader_fail(
            loader, gms_cluster_draft(loader)->tables.line,
            "key 'tables' is not used by topology '%s'; "
            "allowed with: topology: graph",
            gms_param_find("topology")->names[params->topology]);
    }
    if (!is_graph && (switches != NULL || cables != NULL)) {
        return gms_loader_fail(
            loader,
            (switches != NULL) ? gms_cluster_draft(loader)->switches.line
                               : gms_cluster_draft(loader)->cables.line,
            "key '%s' is not used by topology '%s'; allowed with: topology: "
            "graph",
            (switches != NULL) ? "switches" : "cables",
            gms_param_find("topology")->names[params->topology]);
    }
    if (!is_graph) {
        return GMS_OK;
    }
    if (switches == NULL || cables == NULL) {
        return gms_loader_fail(
            loader,
            gms_cluster_draft(loader)
                ->lines[gms_param_find("topology") - gms_param_table],
            "key 'topology': value 'graph' requires the list '%s'",
            (switches == NULL) ? "switches" : "cables");
    }
    status = gms_graph_list(loader, switches, "switches", "[16, 8]");
    if (status == GMS_OK) {
        status =
            gms_graph_list(loader, cables, "cables", "'- host 1 to switch 0'");
    }
    if (status == GMS_OK) {
        status = gms_graph_read(&reader, switches, cables);
    }
    free(reader.first_port);
    free(reader.port_lines);
    free(reader.node_lines);
    return (status == GMS_OK) ? gms_loader_tables(loader) : status;
}
