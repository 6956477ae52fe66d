/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the output of ibnetdiscover:
 *
 *   Switch  24 "S-005442ba00003080"   # "ISR9024 Voltaire" base port 0 lid 6
 *   [22]    "H-0008f10403961354"[1](8f10403961355)  # "node7 HCA-1" lid 4 4xSDR
 *   [10]    "S-0008f10400410015"[1]                 # "SW-6IB4" lid 3 4xSDR
 *
 * Cables are read from the sections that describe switches. InfiniBand numbers
 * ports from 1.
 */
#include "cluster/import_ib_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "params/params.h"

/* Largest port number; 255 is not a valid port number. [source: InfiniBand
 * Architecture Specification, port numbers] */
#define GMS_IB_PORTS_MAX 254u

/* Data rate of a lane in bytes per second, without the coding overhead.
 * [source: InfiniBand Architecture Specification, link speeds] */
static const struct {
    const char *name;
    double bytes_s;
} gms_ib_speeds[] = {
    {"SDR", 0.25e9},   {"DDR", 0.5e9},    {"QDR", 1e9},
    {"FDR10", 1.25e9}, {"FDR", 1.7045e9}, {"EDR", 3.125e9},
    {"HDR", 6.25e9},   {"NDR", 12.5e9},   {"XDR", 25e9},
};

/* ---- nodes and cables ---- */

static void *gms_ib_grow(void *items, size_t size, unsigned count,
                         unsigned *room)
{
    void *more;

    if (count < *room) {
        return items;
    }
    more = realloc(items, size * (2 * (size_t)*room + 16));
    if (more != NULL) {
        *room = 2 * *room + 16;
    }
    return more;
}

/** Return the slot of an id in the hash table, or a free slot if the id is new.
 *  The hash function is FNV-1a, with linear probing. */
static unsigned *gms_ib_place(const gms_ib_t *ib, const char *id)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    const char *p;
    size_t slot;

    for (p = id; *p != '\0'; ++p) {
        hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
    }
    slot = (size_t)(hash ^ hash >> 32) & (ib->place_count - 1);
    while (ib->places[slot] != GMS_IB_NONE &&
           strcmp(ib->nodes[ib->places[slot]].id, id) != 0) {
        slot = (slot + 1) & (ib->place_count - 1);
    }
    return &ib->places[slot];
}

/** Grow the hash table if more than half of its slots would be in use. @return
 *  1; 0 if memory is exhausted */
static int gms_ib_make_places(gms_ib_t *ib)
{
    unsigned count = (ib->place_count > 0) ? 2 * ib->place_count : 64, i;
    unsigned *places;

    if (2 * ib->node_count < ib->place_count) {
        return 1;
    }
    places = malloc(count * sizeof(*places));
    if (places == NULL) {
        return 0;
    }
    free(ib->places);
    ib->places = places;
    ib->place_count = count;
    for (i = 0; i < count; ++i) {
        places[i] = GMS_IB_NONE;
    }
    for (i = 0; i < ib->node_count; ++i) {
        *gms_ib_place(ib, ib->nodes[i].id) = i;
    }
    return 1;
}

unsigned gms_ib_find(const gms_ib_t *ib, const char *id)
{
    return (ib->place_count > 0) ? *gms_ib_place(ib, id) : GMS_IB_NONE;
}

/** Return the index of the node with this id, or NONE if there is no memory.
 *  If there is no node with this id, the function adds the node. */
static unsigned gms_ib_node(gms_ib_t *ib, const char *text, size_t text_len)
{
    char id[GMS_IB_ID_LEN] = "";
    gms_ib_node_t *nodes;
    unsigned *slot;

    memcpy(id, text, (text_len < sizeof(id)) ? text_len : sizeof(id) - 1);
    if (!gms_ib_make_places(ib)) {
        return GMS_IB_NONE;
    }
    slot = gms_ib_place(ib, id);
    if (*slot != GMS_IB_NONE) {
        return *slot;
    }
    nodes =
        gms_ib_grow(ib->nodes, sizeof(*nodes), ib->node_count, &ib->node_room);
    if (nodes == NULL) {
        return GMS_IB_NONE;
    }
    ib->nodes = nodes;
    nodes[ib->node_count] = (gms_ib_node_t){.number = GMS_IB_NONE};
    strcpy(nodes[ib->node_count].id, id);
    *slot = ib->node_count;
    return ib->node_count++;
}

static void gms_ib_set_name(gms_ib_node_t *node, const char *name,
                            size_t name_len)
{
    if (node->name[0] == '\0') {
        memcpy(node->name, name,
               (name_len < sizeof(node->name)) ? name_len
                                               : sizeof(node->name) - 1);
    }
}

/* ---- lines ---- */

/** Find a quoted string. @return 1 if the string exists; *end_p is then the
 *  position after the closing quote */
static int gms_ib_quoted(const char *text, const char **begin_p, size_t *len_p,
                         const char **end_p)
{
    const char *begin = strchr(text, '"');
    const char *end = (begin != NULL) ? strchr(begin + 1, '"') : NULL;

    if (end == NULL) {
        return 0;
    }
    *begin_p = begin + 1;
    *len_p = (size_t)(end - begin) - 1;
    *end_p = end + 1;
    return 1;
}

/** Find a name in quotes. The name ends at the last quote of the line, because
 *  the name itself may contain quotes. */
static int gms_ib_name(const char *text, const char **begin_p, size_t *len_p)
{
    const char *begin = strchr(text, '"');
    const char *end = (begin != NULL) ? strrchr(begin + 1, '"') : NULL;

    if (end == NULL) {
        return 0;
    }
    *begin_p = begin + 1;
    *len_p = (size_t)(end - begin) - 1;
    return 1;
}

/** Find a speed such as "4xQDR" among the words after the name. With
 * `ibnetdiscover --full', further words follow the speed. @return bytes per
 * second; 0 if no word is a speed */
static double gms_ib_speed(const char *comment)
{
    const char *last = strrchr(comment, '"');
    const char *word = (last != NULL) ? last + 1 : comment;
    unsigned width;
    int used;
    size_t i;

    while (*(word += strspn(word, " \t")) != '\0') {
        size_t len = strcspn(word, " \t");

        used = 0;
        if (sscanf(word, "%3ux%n", &width, &used) == 1 && used > 0) {
            for (i = 0; i < sizeof(gms_ib_speeds) / sizeof(*gms_ib_speeds);
                 ++i) {
                const char *name = gms_ib_speeds[i].name;

                if (strlen(name) == len - (size_t)used &&
                    strncmp(word + used, name, strlen(name)) == 0) {
                    return width * gms_ib_speeds[i].bytes_s;
                }
            }
        }
        word += len;
    }
    return 0;
}

/** Find the LID of the port at the other end among the words after the name.
 *  @return 0 if the line contains no LID */
static unsigned gms_ib_lid(const char *comment)
{
    const char *last = strrchr(comment, '"');
    const char *word = strstr((last != NULL) ? last : comment, " lid ");
    unsigned lid = 0;

    return (word != NULL && sscanf(word, " lid %6u", &lid) == 1 &&
            lid < GMS_IB_LIDS)
               ? lid
               : 0;
}

/** Read the first line of a section, such as Switch 24 "S-.." # "name". */
static gms_status_t gms_ib_section(gms_ib_t *ib, const char *text)
{
    const char *id, *name, *end;
    size_t id_len, name_len;
    gms_ib_node_t *node;
    unsigned ports;

    if (sscanf(text, "%*[A-Za-z] %9u", &ports) != 1 ||
        !gms_ib_quoted(text, &id, &id_len, &end)) {
        return gms_import_fail(ib->import, ib->line,
                               "not a line like 'Switch 24 \"S-..\"'; allowed: "
                               "the output of ibnetdiscover without options");
    }
    ib->current = gms_ib_node(ib, id, id_len);
    if (ib->current == GMS_IB_NONE) {
        return GMS_ERR_NO_MEMORY;
    }
    node = &ib->nodes[ib->current];
    if (node->line != 0) {
        return gms_import_fail(ib->import, ib->line,
                               "'%s' is described twice, first on line %u",
                               node->id, node->line);
    }
    node->line = ib->line;
    node->ports = ports;
    node->table_ports = ports;
    if (gms_ib_name(end, &name, &name_len)) {
        gms_ib_set_name(node, name, name_len);
    }
    if (node->id[0] == 'S' && (ports < 2 || ports > GMS_IB_PORTS_MAX)) {
        return gms_import_fail(ib->import, ib->line,
                               "switch '%s' has %u ports; allowed: 2..%u",
                               node->id, ports, GMS_IB_PORTS_MAX);
    }
    return GMS_OK;
}

/** Read a line that describes a port of the section's node, such as "[22]
 *  "H-.."[1](guid) # .. 4xSDR". */
static gms_status_t gms_ib_port(gms_ib_t *ib, const char *text)
{
    const double most_bytes_s = (double)gms_param_find("link_bytes_s")->max;
    unsigned port, peer_port, peer;
    const char *id, *end, *comment, *name;
    gms_ib_cable_t *cables;
    size_t id_len, name_len;
    double bytes_s;

    if (ib->current == GMS_IB_NONE || ib->nodes[ib->current].id[0] != 'S') {
        return GMS_OK; /* skip the cable, because the section of the switch at
                        * the other end also contains it */
    }
    if (sscanf(text, "[%9u]", &port) != 1 ||
        !gms_ib_quoted(text, &id, &id_len, &end) ||
        sscanf(end, "[%9u]", &peer_port) != 1) {
        return gms_import_fail(ib->import, ib->line,
                               "not a line like '[1] \"H-..\"[1]'");
    }
    if (port < 1 || port > ib->nodes[ib->current].ports) {
        return gms_import_fail(ib->import, ib->line,
                               "the switch has no port %u; allowed: 1..%u",
                               port, ib->nodes[ib->current].ports);
    }
    peer = gms_ib_node(ib, id, id_len);
    cables = gms_ib_grow(ib->cables, sizeof(*cables), ib->cable_count,
                         &ib->cable_room);
    if (peer == GMS_IB_NONE || cables == NULL) {
        ib->cables = (cables != NULL) ? cables : ib->cables;
        return GMS_ERR_NO_MEMORY;
    }
    ib->cables = cables;
    comment = strchr(end, '#');
    bytes_s = (comment != NULL) ? gms_ib_speed(comment) : 0;
    if (bytes_s > most_bytes_s) {
        return gms_import_fail(ib->import, ib->line,
                               "the link has %.0f bytes/s; allowed: up to %.0f",
                               bytes_s, most_bytes_s);
    }
    if (comment != NULL && gms_ib_name(comment, &name, &name_len)) {
        gms_ib_set_name(&ib->nodes[peer], name, name_len);
    }
    cables[ib->cable_count++] =
        (gms_ib_cable_t){.from = ib->current,
                         .from_port = port,
                         .to = peer,
                         .to_port = peer_port,
                         .line = ib->line,
                         .lid = (comment != NULL) ? gms_ib_lid(comment) : 0,
                         .bytes_s = bytes_s};
    return GMS_OK;
}

/** Read a line, which must contain only printable characters and must neither
 *  begin nor end with a blank. */
static gms_status_t gms_ib_line(gms_ib_t *ib, const char *text)
{
    if (strncmp(text, "Switch", 6) == 0 || strncmp(text, "Ca", 2) == 0) {
        return isspace((unsigned char)text[(text[0] == 'S') ? 6 : 2])
                   ? gms_ib_section(ib, text)
                   : GMS_OK;
    }
    if (strncmp(text, "Rt", 2) == 0 && isspace((unsigned char)text[2])) {
        gms_import_note(ib->import, ib->line,
                        "a router has no counterpart in a cluster description "
                        "and is omitted");
        ib->current = GMS_IB_NONE;
        return GMS_OK;
    }
    return (text[0] == '[') ? gms_ib_port(ib, text) : GMS_OK;
}

gms_status_t gms_import_ib(gms_import_t *import, const char *text)
{
    gms_ib_t ib = {.import = import, .current = GMS_IB_NONE};
    gms_status_t status = GMS_OK;
    char line[1024];

    while (status == GMS_OK && *text != '\0') {
        size_t len = strcspn(text, "\n"), begin = strspn(text, " \t");

        begin = (begin < len) ? begin : len;
        ++ib.line;
        (void)snprintf(line, sizeof(line), "%.*s",
                       (int)((len - begin < 1023) ? len - begin : 1023),
                       text + begin);
        gms_import_clean(line);
        status = gms_ib_line(&ib, line);
        text += len + (text[len] == '\n');
    }
    if (status == GMS_OK) {
        status = gms_ib_write(&ib);
    }
    free(ib.nodes);
    free(ib.cables);
    free(ib.places);
    free(ib.slots);
    free(ib.table);
    free(ib.table_lines);
    return status;
}
