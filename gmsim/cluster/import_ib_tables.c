/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the forwarding tables of an InfiniBand fabric, in one of two forms:
 *
 *   ibroute, dump_lfts.sh:
 *     Unicast lids [0x0-0x6] of switch Lid 6 guid 0x005442ba00003080 (ISR9024):
 *     0x0004 022 : (Channel Adapter portguid 0x0008f10403961355: 'node7 HCA-1')
 *   .fdbs files of OpenSM and ibdiagnet:
 *     osm_ucast_mgr_dump_ucast_routes: Switch 0x005442ba00003080
 *     0x0004 : 022  : 01   : yes
 *     0x0005 : UNREACHABLE
 *
 * Lines that contain neither a switch nor an entry are skipped.
 * [source: infiniband-diags, ibroute; OpenSM, osm_ucast_mgr.c]
 */
#include "cluster/import_ib_int.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/forwarding.h"

/* Port number of an unreachable LID. [source: InfiniBand Architecture
 * Specification, volume 1, 14.2.5.10] */
#define GMS_IB_NO_PORT 255u

typedef struct gms_ib_reader {
    gms_ib_t *ib;
    gms_import_t *import;  /* used for error messages about the file that
                            * contains the tables */
    unsigned *host_of_lid; /* host of each LID, or NONE */
    unsigned line;
    unsigned current; /* node of the current switch, or NONE */
    int has_switch;   /* 1: the file has described a switch */
} gms_ib_reader_t;

/** Read the line that begins the table of a switch. */
static void gms_ib_table_begin(gms_ib_reader_t *reader, const char *guid)
{
    char id[GMS_IB_ID_LEN];
    unsigned long long number = strtoull(guid, NULL, 16);

    (void)snprintf(id, sizeof(id), "S-%016llx", number);
    reader->has_switch = 1;
    reader->current = gms_ib_find(reader->ib, id);
    if (reader->current != GMS_IB_NONE &&
        reader->ib->nodes[reader->current].number == GMS_IB_NONE) {
        reader->current = GMS_IB_NONE;
    }
    if (reader->current == GMS_IB_NONE) {
        gms_import_note(reader->import, reader->line,
                        "switch 0x%016llx is not in %s: its table is omitted",
                        number, reader->ib->import->path);
    }
}

/** Convert a port number in a table to the port number in the description. */
static gms_status_t gms_ib_table_port(gms_ib_reader_t *reader, unsigned port,
                                      uint8_t *port_p)
{
    const gms_ib_t *ib = reader->ib;
    const gms_ib_node_t *node = &ib->nodes[reader->current];

    if (port == GMS_IB_NO_PORT) {
        *port_p = GMS_FORWARD_NONE;
        return GMS_OK;
    }
    if (port < 1 || port > node->table_ports ||
        ib->slots[node->first_slot + port].line == 0) {
        return gms_import_fail(reader->import, reader->line,
                               "switch '%s' has no cable at port %u", node->id,
                               port);
    }
    *port_p = (uint8_t)ib->slots[node->first_slot + port].number;
    return GMS_OK;
}

/** Store the port through which a LID is reached. LIDs of switches and of other
 *  ports that the description does not contain are skipped. */
static gms_status_t gms_ib_table_entry(gms_ib_reader_t *reader, unsigned lid,
                                       unsigned port)
{
    gms_ib_t *ib = reader->ib;
    unsigned host =
        (lid < GMS_IB_LIDS) ? reader->host_of_lid[lid] : GMS_IB_NONE;
    gms_status_t status;
    size_t at;
    uint8_t own = GMS_FORWARD_NONE;

    if (!reader->has_switch) {
        return gms_import_fail(reader->import, reader->line,
                               "an entry before the first switch; allowed: "
                               "the output of dump_lfts.sh or ibroute, or a "
                               ".fdbs file");
    }
    if (reader->current == GMS_IB_NONE || host == GMS_IB_NONE) {
        return GMS_OK;
    }
    status = gms_ib_table_port(reader, port, &own);
    if (status != GMS_OK) {
        return status;
    }
    at = (size_t)ib->nodes[reader->current].number * ib->hosts + host;
    if (ib->table_lines[at] != 0 && ib->table[at] != own) {
        return gms_import_fail(
            reader->import, reader->line,
            "LID 0x%04x of switch '%s' has a different port on line %u", lid,
            ib->nodes[reader->current].id, ib->table_lines[at]);
    }
    ib->table[at] = own;
    ib->table_lines[at] = reader->line;
    return GMS_OK;
}

/** Read a line that does not begin with blanks. */
static gms_status_t gms_ib_table_line(gms_ib_reader_t *reader, const char *line)
{
    const char *guid = NULL;
    unsigned lid, port;

    if (strncmp(line, "Unicast lids", 12) == 0) {
        guid = strstr(line, " guid 0x");
        guid = (guid != NULL) ? guid + strlen(" guid ") : NULL;
    } else if (strstr(line, "Switch 0x") != NULL && line[0] != '0') {
        guid = strstr(line, "Switch 0x") + strlen("Switch ");
    }
    if (guid != NULL) {
        gms_ib_table_begin(reader, guid);
        return GMS_OK;
    }
    if (line[0] != '0' || (line[1] != 'x' && line[1] != 'X')) {
        return GMS_OK;
    }
    if (sscanf(line, "%x %u :", &lid, &port) == 2 ||
        sscanf(line, "%x : %u", &lid, &port) == 2) {
        return gms_ib_table_entry(reader, lid, port);
    }
    if (sscanf(line, "%x :", &lid) == 1 && strstr(line, "UNREACHABLE")) {
        return gms_ib_table_entry(reader, lid, GMS_IB_NO_PORT);
    }
    return gms_import_fail(reader->import, reader->line,
                           "not a line like '0x0004 022 : ..' or '0x0004 : "
                           "022 : ..'");
}

static gms_status_t gms_ib_table_read(gms_ib_reader_t *reader, const char *text)
{
    gms_status_t status = GMS_OK;
    char line[256];

    while (status == GMS_OK && *text != '\0') {
        size_t len = strcspn(text, "\n"), begin = strspn(text, " \t");

        begin = (begin < len) ? begin : len;
        ++reader->line;
        (void)snprintf(line, sizeof(line), "%.*s",
                       (int)((len - begin < 255) ? len - begin : 255),
                       text + begin);
        gms_import_clean(line);
        status = gms_ib_table_line(reader, line);
        text += len + (text[len] == '\n');
    }
    if (status == GMS_OK && !reader->has_switch) {
        status =
            gms_import_fail(reader->import, 0,
                            "the file contains no table; allowed: the "
                            "output of dump_lfts.sh or ibroute, or a .fdbs "
                            "file");
    }
    return status;
}

/** Map the LIDs to hosts. */
static gms_status_t gms_ib_table_lids(gms_ib_reader_t *reader)
{
    gms_ib_t *ib = reader->ib;
    unsigned i;

    for (i = 0; i < GMS_IB_LIDS; ++i) {
        reader->host_of_lid[i] = GMS_IB_NONE;
    }
    for (i = 0; i < ib->node_count; ++i) {
        const gms_ib_node_t *node = &ib->nodes[i];

        if (node->id[0] != 'H' || node->number == GMS_IB_NONE) {
            continue;
        }
        if (node->lid == 0 || reader->host_of_lid[node->lid] != GMS_IB_NONE) {
            return gms_import_fail(
                ib->import, 0,
                "%s (%s) has %s; forwarding tables need one LID for each host",
                node->id, node->name,
                (node->lid == 0) ? "no LID" : "the LID of another host");
        }
        reader->host_of_lid[node->lid] = node->number;
    }
    return GMS_OK;
}

/* ---- check ---- */

/** Build the graph of the description, without the tables. */
static gms_status_t gms_ib_graph(const gms_ib_t *ib, gms_graph_t *graph)
{
    unsigned i;

    *graph = (gms_graph_t){.table_nodes = ib->hosts};
    graph->switch_ports = calloc(ib->switches, sizeof(*graph->switch_ports));
    graph->cables = calloc(ib->cable_count + 1, sizeof(*graph->cables));
    if (graph->switch_ports == NULL || graph->cables == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < ib->node_count; ++i) {
        if (ib->nodes[i].id[0] == 'S' && ib->nodes[i].number != GMS_IB_NONE) {
            graph->switch_ports[graph->switch_count++] = ib->nodes[i].ports;
        }
    }
    for (i = 0; i < ib->cable_count; ++i) {
        const gms_ib_cable_t *cable = &ib->cables[i];
        const gms_ib_node_t *from = &ib->nodes[cable->from];
        const gms_ib_node_t *to = &ib->nodes[cable->to];
        gms_cable_t *next = &graph->cables[graph->cable_count];

        if (!cable->is_kept) {
            continue;
        }
        next->a = (gms_link_end_t){
            GMS_END_SWITCH, from->number,
            ib->slots[from->first_slot + cable->from_port].number};
        next->b = (gms_link_end_t){GMS_END_NODE, to->number, 0};
        if (to->id[0] == 'S') {
            next->b = (gms_link_end_t){
                GMS_END_SWITCH, to->number,
                ib->slots[to->first_slot + cable->to_port].number};
        }
        ++graph->cable_count;
    }
    return GMS_OK;
}

/** Check that the tables contain a route from every host to every other
 *  host. */
static gms_status_t gms_ib_table_check(gms_ib_reader_t *reader)
{
    gms_ib_t *ib = reader->ib;
    gms_forward_fault_t fault;
    gms_graph_t graph;
    gms_status_t status = gms_ib_graph(ib, &graph);

    if (status == GMS_OK) {
        graph.table = ib->table;
        status = gms_forward_check(&graph, &fault);
        graph.table = NULL;
    }
    gms_graph_clear(&graph);
    if (status != GMS_ERR_CONFIG) {
        return status;
    }
    return gms_import_fail(
        reader->import,
        ib->table_lines[(size_t)fault.switch_index * ib->hosts + fault.node],
        "%s (numbered as in the imported description)", fault.text);
}

gms_status_t gms_ib_tables(gms_ib_t *ib)
{
    size_t count = (size_t)ib->switches * ib->hosts;
    gms_import_t import = *ib->import;
    gms_ib_reader_t reader = {
        .ib = ib, .import = &import, .current = GMS_IB_NONE};
    gms_status_t status = GMS_ERR_NO_MEMORY;

    import.path = ib->import->routes_path;
    ib->table = malloc(count);
    ib->table_lines = calloc(count, sizeof(*ib->table_lines));
    reader.host_of_lid = malloc(GMS_IB_LIDS * sizeof(*reader.host_of_lid));
    if (ib->table != NULL && ib->table_lines != NULL &&
        reader.host_of_lid != NULL) {
        memset(ib->table, GMS_FORWARD_NONE, count);
        status = gms_ib_table_lids(&reader);
        if (status != GMS_OK) {
            import.error[0] = '\0';
        }
    }
    if (status == GMS_OK) {
        status = gms_ib_table_read(&reader, ib->import->routes);
    }
    if (status == GMS_OK) {
        status = gms_ib_table_check(&reader);
    }
    if (status == GMS_ERR_CONFIG && import.error[0] != '\0') {
        memcpy(ib->import->error, import.error, sizeof(import.error));
    }
    free(reader.host_of_lid);
    return status;
}

void gms_ib_write_tables(const gms_ib_t *ib)
{
    unsigned index, host;

    if (ib->table == NULL) {
        return;
    }
    fprintf(ib->import->out, "routing: tables\ntables:\n");
    for (index = 0; index < ib->switches; ++index) {
        const uint8_t *table = ib->table + (size_t)index * ib->hosts;

        fprintf(ib->import->out, "  - [");
        for (host = 0; host < ib->hosts; ++host) {
            fprintf(ib->import->out, "%s", (host == 0) ? "" : ", ");
            if (table[host] == GMS_FORWARD_NONE) {
                fprintf(ib->import->out, "none");
            } else {
                fprintf(ib->import->out, "%u", table[host]);
            }
        }
        fprintf(ib->import->out, "]\n");
    }
}
