/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes an InfiniBand fabric as a cluster description with `topology: graph`.
 * The input contains every cable between switches twice, once per end; the
 * output contains it once.
 */
#include "cluster/import_ib_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "params/params.h"
#include "params/profile.h"

/* Limits of a graph in a description (cluster/cluster_graph.c). */
#define GMS_IB_GRAPH_PORTS    64u
#define GMS_IB_GRAPH_SWITCHES 16384u
/* Largest number of different rates that are counted. A fabric has only a few
 * different rates. */
#define GMS_IB_RATES 16u

static int gms_ib_is_switch(const gms_ib_node_t *node)
{
    return node->id[0] == 'S' && node->line != 0;
}

/** Return 1 if the node is an aggregation node. Such a node computes sums
 * inside a switch, and appears as an adapter at the switch's last port.
 * [source: NVIDIA SHARP, aggregation node] */
static int gms_ib_is_part(const gms_ib_node_t *node)
{
    return strstr(node->name, "Aggregation Node") != NULL;
}

/** Mark a port as used. @return 1: the port was free; 0: the same cable already
 *  uses it; -1: another cable uses it, and the error is set */
static int gms_ib_take(gms_ib_t *ib, const gms_ib_cable_t *cable, unsigned node,
                       unsigned port, unsigned to, unsigned to_port)
{
    gms_ib_slot_t *slot = &ib->slots[ib->nodes[node].first_slot + port];

    if (slot->line == 0) {
        slot->to = to;
        slot->to_port = to_port;
        slot->line = cable->line;
        return 1;
    }
    if (slot->to == to && slot->to_port == to_port) {
        return 0;
    }
    (void)gms_import_fail(ib->import, cable->line,
                          "port %u of '%s' has a different cable on line %u",
                          port, ib->nodes[node].id, slot->line);
    return -1;
}

static gms_status_t gms_ib_between(gms_ib_t *ib, gms_ib_cable_t *cable)
{
    const gms_ib_node_t *to = &ib->nodes[cable->to];
    int here;

    if (!gms_ib_is_switch(to)) {
        return GMS_OK; /* this is not an error, because the import reports such
                        * a cable once, for the switch */
    }
    if (cable->to_port < 1 || cable->to_port > to->ports) {
        return gms_import_fail(ib->import, cable->line,
                               "switch '%s' has no port %u; allowed: 1..%u",
                               to->id, cable->to_port, to->ports);
    }
    if (cable->from == cable->to) {
        gms_import_note(ib->import, cable->line,
                        "a cable from a switch to itself is omitted");
        return GMS_OK;
    }
    here = gms_ib_take(ib, cable, cable->from, cable->from_port, cable->to,
                       cable->to_port);
    if (here < 0 || gms_ib_take(ib, cable, cable->to, cable->to_port,
                                cable->from, cable->from_port) < 0) {
        return GMS_ERR_CONFIG;
    }
    cable->is_kept = here;
    return GMS_OK;
}

/** Keep the first cable of a host, and omit all others, because a NIC has one
 * port. */
static gms_status_t gms_ib_to_host(gms_ib_t *ib, gms_ib_cable_t *cable,
                                   unsigned *more)
{
    gms_ib_node_t *to = &ib->nodes[cable->to];
    int here;

    if (gms_ib_is_part(to)) {
        return GMS_OK;
    }
    here = gms_ib_take(ib, cable, cable->from, cable->from_port, cable->to,
                       cable->to_port);
    if (here <= 0) {
        return (here < 0) ? GMS_ERR_CONFIG : GMS_OK;
    }
    if (to->number == GMS_IB_NONE) {
        to->number = ib->hosts++;
        to->lid = cable->lid;
        cable->is_kept = 1;
        return GMS_OK;
    }
    ib->slots[ib->nodes[cable->from].first_slot + cable->from_port].line = 0;
    if ((*more)++ == 0) {
        gms_import_note(ib->import, cable->line,
                        "%s (%s) has another cable at port %u: this cable is "
                        "omitted, because a simulated NIC has one port",
                        to->id, to->name, cable->to_port);
    }
    return GMS_OK;
}

/** Choose the cables to keep. */
static gms_status_t gms_ib_choose(gms_ib_t *ib)
{
    gms_status_t status = GMS_OK;
    unsigned i, more = 0;

    for (i = 0; status == GMS_OK && i < ib->cable_count; ++i) {
        gms_ib_cable_t *cable = &ib->cables[i];
        char kind = ib->nodes[cable->to].id[0];

        if (kind == 'S') {
            status = gms_ib_between(ib, cable);
        } else if (kind == 'H') {
            status = gms_ib_to_host(ib, cable, &more);
        }
    }
    if (more > 1) {
        gms_import_note(ib->import, 0,
                        "%u more %s at second ports of NICs %s omitted",
                        more - 1, gms_plural(more - 1, "cable", "cables"),
                        gms_plural(more - 1, "is", "are"));
    }
    return status;
}

/** Number the switches, and assign slots to their ports. */
static gms_status_t gms_ib_number(gms_ib_t *ib)
{
    unsigned slots = 0, i;

    for (i = 0; i < ib->node_count; ++i) {
        gms_ib_node_t *node = &ib->nodes[i];

        if (gms_ib_is_switch(node)) {
            node->number = ib->switches++;
            node->first_slot = slots;
            slots += node->ports + 1;
        }
    }
    ib->slots = calloc(slots + 1, sizeof(*ib->slots));
    return (ib->slots != NULL) ? GMS_OK : GMS_ERR_NO_MEMORY;
}

/** Number the ports of a switch that have a cable. The numbers are one less
 *  than in the input. If one of these numbers exceeds the limit, the ports with
 *  cables are numbered without gaps instead. */
static gms_status_t gms_ib_ports(gms_ib_t *ib, gms_ib_node_t *node)
{
    gms_ib_slot_t *slots = &ib->slots[node->first_slot];
    unsigned used = 0, port;

    for (port = 1; port <= node->ports; ++port) {
        slots[port].number =
            (node->ports <= GMS_IB_GRAPH_PORTS) ? port - 1 : used;
        used += (slots[port].line != 0);
    }
    if (node->ports <= GMS_IB_GRAPH_PORTS) {
        return GMS_OK;
    }
    if (used > GMS_IB_GRAPH_PORTS) {
        return gms_import_fail(ib->import, node->line,
                               "switch '%s' has cables at %u ports; allowed: "
                               "up to %u",
                               node->id, used, GMS_IB_GRAPH_PORTS);
    }
    gms_import_note(ib->import, node->line,
                    "switch '%s' has %u ports, more than the %u of a simulated "
                    "switch: the %u ports with cables are renumbered",
                    node->id, node->ports, GMS_IB_GRAPH_PORTS, used);
    node->ports = GMS_IB_GRAPH_PORTS;
    return GMS_OK;
}

/** Report the parts of the input that are omitted from the output. */
static void gms_ib_left_out(gms_ib_t *ib)
{
    unsigned parts = 0, i;

    for (i = 0; i < ib->node_count; ++i) {
        const gms_ib_node_t *node = &ib->nodes[i];

        if (node->id[0] == 'S' && node->line == 0) {
            gms_import_note(ib->import, 0,
                            "switch '%s' (%s) is mentioned but not described, "
                            "so the switch and its cables are omitted",
                            node->id, node->name);
        }
        parts += node->id[0] == 'H' && gms_ib_is_part(node);
    }
    if (parts > 0) {
        gms_import_note(ib->import, 0,
                        (parts == 1)
                            ? "%u aggregation node is omitted, because it is "
                              "part of a switch and not a host"
                            : "%u aggregation nodes are omitted, because they "
                              "are parts of switches and not hosts",
                        parts);
    }
}

/** Number of links with a rate. */
typedef struct gms_ib_rate_use {
    double bytes_s;
    uint64_t links;
} gms_ib_rate_use_t;

/** Return the most frequent rate of the hosts' links or, if none of these rates
 *  is known, of the links between switches; 0 if no rate is known. If two rates
 *  are equally frequent, return the first of them. */
static double gms_ib_rate(const gms_ib_t *ib)
{
    gms_ib_rate_use_t uses[GMS_IB_RATES] = {{0, 0}};
    unsigned most = 0, i, k;

    for (i = 0; i < ib->cable_count; ++i) {
        const gms_ib_cable_t *cable = &ib->cables[i];

        if (!cable->is_kept || cable->bytes_s == 0) {
            continue;
        }
        for (k = 0; k + 1 < GMS_IB_RATES && uses[k].bytes_s != 0 &&
                    uses[k].bytes_s != cable->bytes_s;
             ++k) {
        }
        uses[k].bytes_s = cable->bytes_s;
        /* Give a host's link a greater weight than all links between
         * switches. */
        uses[k].links +=
            (ib->nodes[cable->to].id[0] == 'H') ? ib->cable_count : 1;
    }
    for (k = 1; k < GMS_IB_RATES; ++k) {
        most = (uses[k].links > uses[most].links) ? k : most;
    }
    return uses[most].bytes_s;
}

/** Return the slowest profile whose links have at least the given rate. */
static const char *gms_ib_profile(double bytes_s)
{
    static const char *const names[] = {"edr", "hdr", "ndr"};
    size_t i = 0;

    while (i + 1 < sizeof(names) / sizeof(*names) &&
           (double)gms_profile_value(gms_profile_find(names[i]),
                                     gms_param_find("link_bytes_s"))
                   ->value < bytes_s) {
        ++i;
    }
    return names[i];
}

/** Return the name of a node in the fabric; without a name, its identifier. */
static const char *gms_ib_name(const gms_ib_node_t *node)
{
    return node->name[0] != '\0' ? node->name : node->id;
}

static void gms_ib_write_cables(const gms_ib_t *ib, double usual_bytes_s)
{
    char rate[32];
    unsigned i;

    fprintf(ib->import->out, "cables:\n");
    for (i = 0; i < ib->cable_count; ++i) {
        const gms_ib_cable_t *cable = &ib->cables[i];
        const gms_ib_node_t *to = &ib->nodes[cable->to];
        const gms_ib_node_t *from = &ib->nodes[cable->from];
        unsigned port = ib->slots[from->first_slot + cable->from_port].number;

        if (!cable->is_kept) {
            continue;
        }
        rate[0] = '\0';
        if (cable->bytes_s != 0 && cable->bytes_s != usual_bytes_s) {
            (void)snprintf(rate, sizeof(rate), " at %.0f", cable->bytes_s);
        }
        if (to->id[0] == 'S') {
            fprintf(
                ib->import->out,
                "  - switch %u port %u to switch %u port %u%s  # %s port %u "
                "to %s port %u\n",
                from->number, port, to->number,
                ib->slots[to->first_slot + cable->to_port].number, rate,
                gms_ib_name(from), cable->from_port, gms_ib_name(to),
                cable->to_port);
        } else {
            fprintf(ib->import->out,
                    "  - host %u to switch %u port %u%s  # %s to %s port %u\n",
                    to->number + 1, from->number, port, rate, gms_ib_name(to),
                    gms_ib_name(from), cable->from_port);
        }
    }
}

static void gms_ib_write_all(gms_ib_t *ib)
{
    char path[GMS_IMPORT_PATH_LEN];
    double rate = gms_ib_rate(ib);
    const char *comma = "";
    unsigned i;

    fprintf(
        ib->import->out,
        "# Converted from %s, the output of ibnetdiscover. The profile defines "
        "the NICs.\nprofile: %s\nhosts: %u\ntopology: graph\nswitches: [",
        gms_import_name(ib->import, path), gms_ib_profile(rate), ib->hosts);
    for (i = 0; i < ib->node_count; ++i) {
        if (gms_ib_is_switch(&ib->nodes[i])) {
            fprintf(ib->import->out, "%s%u", comma, ib->nodes[i].ports);
            comma = ", ";
        }
    }
    fprintf(ib->import->out, "]\n");
    gms_ib_write_cables(ib, rate);
    gms_ib_write_tables(ib);
    if (rate != 0) {
        fprintf(ib->import->out,
                "parameters:\n  link_bytes_s: %.0f\n  qos_link_bytes_s: "
                "%.0f\n",
                rate, floor(rate / 4122 * 4096));
    }
}

gms_status_t gms_ib_write(gms_ib_t *ib)
{
    gms_status_t status = gms_ib_number(ib);
    uint64_t hosts_max = gms_param_find("hosts")->max;
    unsigned i;

    if (status == GMS_OK) {
        status = gms_ib_choose(ib);
    }
    if (status != GMS_OK) {
        return status;
    }
    if (ib->switches == 0 || ib->hosts == 0) {
        return gms_import_fail(ib->import, 0,
                               "the file contains no %s; allowed: the output "
                               "of ibnetdiscover without options, or a SimGrid "
                               "platform file that contains a <cluster>",
                               (ib->switches == 0) ? "switch"
                                                   : "host at a switch");
    }
    if (ib->hosts > hosts_max || ib->switches > GMS_IB_GRAPH_SWITCHES) {
        return gms_import_fail(ib->import, 0,
                               "%u hosts and %u switches; allowed: up to %u "
                               "hosts and %u switches",
                               ib->hosts, ib->switches, (unsigned)hosts_max,
                               GMS_IB_GRAPH_SWITCHES);
    }
    for (i = 0; status == GMS_OK && i < ib->node_count; ++i) {
        if (gms_ib_is_switch(&ib->nodes[i])) {
            status = gms_ib_ports(ib, &ib->nodes[i]);
        }
    }
    if (status == GMS_OK && ib->import->routes != NULL) {
        status = gms_ib_tables(ib);
    }
    if (status == GMS_OK) {
        gms_ib_left_out(ib);
        gms_ib_write_all(ib);
    }
    return status;
}
