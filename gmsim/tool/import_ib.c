/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ibnetdiscover writes:
 *
 *   Switch  24 "S-005442ba00003080"   # "ISR9024 Voltaire" base port 0 lid 6
 *   [22]    "H-0008f10403961354"[1](8f10403961355)  # "node7 HCA-1" lid 4 4xSDR
 *   [10]    "S-0008f10400410015"[1]                 # "SW-6IB4" lid 3 4xSDR
 *
 * Cables are read off the switches. InfiniBand counts ports from 1.
 */
#include "tool/import.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GMS_IB_ID_LEN 40
#define GMS_IB_NAME_LEN 64
#define GMS_IB_PORTS_MAX 64u /* as of a drawn graph */

typedef struct gms_ib_node {
    char id[GMS_IB_ID_LEN];     /* "S-..", "H-.." */
    char name[GMS_IB_NAME_LEN];
    unsigned ports, number;     /* number: of the switch or host here */
    unsigned line;              /* of its own section; 0: not seen */
    unsigned cabled;            /* host: ports with a cable to a switch */
} gms_ib_node_t;

typedef struct gms_ib_cable {
    unsigned from, from_port; /* a switch's; indices of nodes */
    unsigned to, to_port;
} gms_ib_cable_t;

typedef struct gms_ib {
    gms_import_t *import;
    gms_ib_node_t *nodes;
    gms_ib_cable_t *cables;
    unsigned node_count, node_room, cable_count, cable_room;
    unsigned line, current;  /* current: node of the section, or NONE */
    double bytes_s;          /* of the slowest link; 0: none said */
    int is_mixed, is_no_memory;
} gms_ib_t;

#define GMS_IB_NONE UINT32_MAX

/* Bytes per second of a lane, coding taken off. [source: InfiniBand
 * Architecture Specification, link speeds] */
static const struct {
    const char *name;
    double bytes_s;
} gms_ib_speeds[] = {
    {"SDR", 0.25e9},   {"DDR", 0.5e9},    {"QDR", 1e9},    {"FDR10", 1.25e9},
    {"FDR", 1.7045e9}, {"EDR", 3.125e9},  {"HDR", 6.25e9}, {"NDR", 12.5e9},
};

static void *gms_ib_grow(gms_ib_t *ib, void *items, size_t size,
                         unsigned count, unsigned *room)
{
    void *more;

    if (count < *room) {
        return items;
    }
    more = realloc(items, size * (2 * (size_t)*room + 16));
    if (more == NULL) {
        ib->is_no_memory = 1;
        return NULL;
    }
    *room = 2 * *room + 16;
    return more;
}

/** Index of the node with this id, a new one if it is new. */
static unsigned gms_ib_node(gms_ib_t *ib, const char *id, size_t id_len)
{
    gms_ib_node_t *nodes;
    unsigned i;

    id_len = (id_len < GMS_IB_ID_LEN) ? id_len : GMS_IB_ID_LEN - 1;
    for (i = 0; i < ib->node_count; i++) {
        if ((strncmp(ib->nodes[i].id, id, id_len) == 0) &&
            (ib->nodes[i].id[id_len] == '\0')) {
            return i;
        }
    }
    nodes = gms_ib_grow(ib, ib->nodes, sizeof(*nodes), ib->node_count,
                        &ib->node_room);
    if (nodes == NULL) {
        return GMS_IB_NONE;
    }
    ib->nodes = nodes;
    ib->nodes[i] = (gms_ib_node_t){.number = GMS_IB_NONE};
    memcpy(ib->nodes[i].id, id, id_len);
    ib->node_count++;
    return i;
}

/** A text in quotes. @return 1 if there is one; end_p: behind it */
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

static void gms_ib_speed(gms_ib_t *ib, const char *comment)
{
    const char *last = strrchr(comment, ' ');
    char speed[16] = "";
    unsigned width = 0;
    double bytes_s;
    size_t i;

    if ((last == NULL) || (sscanf(last, " %ux%15s", &width, speed) != 2)) {
        return;
    }
    for (i = 0; i < sizeof(gms_ib_speeds) / sizeof(*gms_ib_speeds); i++) {
        if (strcmp(speed, gms_ib_speeds[i].name) == 0) {
            bytes_s = width * gms_ib_speeds[i].bytes_s;
            ib->is_mixed |= (ib->bytes_s > 0) && (bytes_s != ib->bytes_s);
            if ((ib->bytes_s == 0) || (bytes_s < ib->bytes_s)) {
                ib->bytes_s = bytes_s;
            }
        }
    }
}

/** "Switch 24 "S-.." # "name"": a section begins. */
static gms_status_t gms_ib_section(gms_ib_t *ib, const char *text)
{
    const char *id, *name, *end;
    size_t id_len, name_len;
    gms_ib_node_t *node;
    unsigned ports;

    if ((sscanf(text, "%*[A-Za-z] %u", &ports) != 1) ||
        !gms_ib_quoted(text, &id, &id_len, &end)) {
        return gms_import_fail(ib->import, ib->line,
                               "not a line like 'Switch 24 \"S-..\"'");
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
    if (gms_ib_quoted(end, &name, &name_len, &end)) {
        name_len = (name_len < GMS_IB_NAME_LEN) ? name_len
                                                : GMS_IB_NAME_LEN - 1;
        memcpy(node->name, name, name_len);
    }
    if ((node->id[0] == 'S') && ((ports < 2) || (ports > GMS_IB_PORTS_MAX))) {
        return gms_import_fail(ib->import, ib->line,
                               "switch '%s' has %u ports; allowed: 2..%u",
                               node->id, ports, GMS_IB_PORTS_MAX);
    }
    return GMS_OK;
}

/** "[22] "H-.."[1](guid) # .. 4xSDR": a port of the section's node. */
static gms_status_t gms_ib_port(gms_ib_t *ib, const char *text)
{
    unsigned port, peer_port, peer;
    const char *id, *end, *comment;
    gms_ib_cable_t *cables;
    size_t id_len;

    if ((ib->current == GMS_IB_NONE) ||
        (ib->nodes[ib->current].id[0] != 'S')) {
        return GMS_OK; /* the switch at the other end has it, too */
    }
    if ((sscanf(text, "[%u]", &port) != 1) ||
        !gms_ib_quoted(text, &id, &id_len, &end) ||
        (sscanf(end, "[%u]", &peer_port) != 1)) {
        return gms_import_fail(ib->import, ib->line,
                               "not a line like '[1] \"H-..\"[1]'");
    }
    if ((port < 1) || (port > ib->nodes[ib->current].ports)) {
        return gms_import_fail(ib->import, ib->line,
                               "port %u; the switch has 1..%u", port,
                               ib->nodes[ib->current].ports);
    }
    peer = gms_ib_node(ib, id, id_len);
    cables = gms_ib_grow(ib, ib->cables, sizeof(*cables), ib->cable_count,
                         &ib->cable_room);
    if ((peer == GMS_IB_NONE) || (cables == NULL)) {
        return GMS_ERR_NO_MEMORY;
    }
    ib->cables = cables;
    ib->cables[ib->cable_count++] =
        (gms_ib_cable_t){ib->current, port, peer, peer_port};
    comment = strchr(end, '#');
    if (comment != NULL) {
        gms_ib_speed(ib, comment);
    }
    return GMS_OK;
}

static gms_status_t gms_ib_line(gms_ib_t *ib, char *text)
{
    size_t len = strlen(text);

    while ((len > 0) && isspace((unsigned char)text[len - 1])) {
        text[--len] = '\0';
    }
    if ((strncmp(text, "Switch", 6) == 0) || (strncmp(text, "Ca", 2) == 0)) {
        return isspace((unsigned char)text[(text[0] == 'S') ? 6 : 2])
                   ? gms_ib_section(ib, text)
                   : GMS_OK;
    }
    if ((strncmp(text, "Rt", 2) == 0) && isspace((unsigned char)text[2])) {
        gms_import_note(ib->import, ib->line,
                        "a router has no counterpart, it is left out");
        ib->current = GMS_IB_NONE;
        return GMS_OK;
    }
    return (text[0] == '[') ? gms_ib_port(ib, text) : GMS_OK;
}

/** Only the first cable of a host counts: a card has one port. */
static int gms_ib_is_kept(gms_ib_t *ib, const gms_ib_cable_t *cable)
{
    const gms_ib_node_t *to = &ib->nodes[cable->to];

    if (to->id[0] == 'S') {
        /* seen from both ends; a cable into itself has no use */
        return (to->line != 0) &&
               ((cable->from < cable->to) ||
                ((cable->from == cable->to) &&
                 (cable->from_port < cable->to_port)));
    }
    return to->id[0] == 'H';
}

static void gms_ib_number(gms_ib_t *ib, unsigned *switches_p, unsigned *hosts_p)
{
    unsigned i;

    *switches_p = *hosts_p = 0;
    for (i = 0; i < ib->node_count; i++) {
        if ((ib->nodes[i].id[0] == 'S') && (ib->nodes[i].line != 0)) {
            ib->nodes[i].number = (*switches_p)++;
        }
    }
    for (i = 0; i < ib->cable_count; i++) {
        gms_ib_node_t *to = &ib->nodes[ib->cables[i].to];

        if ((to->id[0] == 'H') && (to->number == GMS_IB_NONE)) {
            to->number = (*hosts_p)++;
        }
    }
}

static void gms_ib_write_cables(gms_ib_t *ib)
{
    unsigned i;

    fprintf(ib->import->out, "cables:\n");
    for (i = 0; i < ib->cable_count; i++) {
        const gms_ib_cable_t *cable = &ib->cables[i];
        gms_ib_node_t *to = &ib->nodes[cable->to];
        const gms_ib_node_t *from = &ib->nodes[cable->from];

        if (!gms_ib_is_kept(ib, cable)) {
            continue;
        }
        if (to->id[0] == 'S') {
            fprintf(ib->import->out, "  - switch %u port %u to switch %u port %u\n",
                    from->number, cable->from_port - 1, to->number,
                    cable->to_port - 1);
        } else if (to->cabled++ == 0) {
            fprintf(ib->import->out, "  - host %u to switch %u port %u%s%s\n",
                    to->number + 1, from->number, cable->from_port - 1,
                    (to->name[0] != '\0') ? "  # " : "", to->name);
        } else {
            gms_import_note(ib->import, 0,
                            "%s (%s) has a cable at port %u, too: a card has "
                            "one port here, it is left out",
                            to->id, to->name, cable->to_port);
        }
    }
}

static gms_status_t gms_ib_write(gms_ib_t *ib)
{
    unsigned switches, hosts, i;

    gms_ib_number(ib, &switches, &hosts);
    if ((switches == 0) || (hosts == 0)) {
        return gms_import_fail(
            ib->import, 0,
            "no %s in it; allowed: what ibnetdiscover writes, or a platform "
            "file of SimGrid with a <cluster>",
            (switches == 0) ? "switch" : "host at a switch");
    }
    fprintf(ib->import->out,
            "# From %s, as ibnetdiscover wrote it. Cards are the profile's:\n"
            "# InfiniBand's have no counterpart.\n"
            "profile: myrinet2000\nhosts: %u\ntopology: graph\nswitches: [",
            ib->import->path, hosts);
    for (i = 0; i < ib->node_count; i++) {
        if ((ib->nodes[i].id[0] == 'S') && (ib->nodes[i].line != 0)) {
            fprintf(ib->import->out, "%s%u",
                    (ib->nodes[i].number == 0) ? "" : ", ",
                    ib->nodes[i].ports);
        }
    }
    fprintf(ib->import->out, "]\n");
    gms_ib_write_cables(ib);
    if (ib->is_mixed) {
        gms_import_note(ib->import, 0,
                        "links of several speeds: all get that of the slowest");
    }
    gms_import_links(ib->import, ib->bytes_s, -1);
    return GMS_OK;
}

gms_status_t gms_import_ib(gms_import_t *import, const char *text)
{
    gms_ib_t ib = {.import = import, .current = GMS_IB_NONE};
    gms_status_t status = GMS_OK;
    char line[1024];

    while ((status == GMS_OK) && (*text != '\0')) {
        size_t len = strcspn(text, "\n");

        ib.line++;
        (void)snprintf(line, sizeof(line), "%.*s", (int)((len < 1023) ? len
                                                                      : 1023),
                       text);
        status = gms_ib_line(&ib, line);
        text += len + (text[len] == '\n');
    }
    if (status == GMS_OK) {
        status = gms_ib_write(&ib);
    }
    free(ib.nodes);
    free(ib.cables);
    return ib.is_no_memory ? GMS_ERR_NO_MEMORY : status;
}
