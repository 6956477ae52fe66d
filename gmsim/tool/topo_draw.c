/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws a cluster in Graphviz's language, with the positions that
 * fabric/drawing.h computes. Some cables at the ends of a torus would cross the
 * whole drawing. Such a cable is drawn as two stubs, each with the name of the
 * opposite end. The y coordinates in this drawing are negative, because
 * Graphviz's y axis points upwards.
 */
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "fabric/drawing.h"
#include "tool/topo.h"

#define GMS_DRAW_HOST_W 48
#define GMS_DRAW_HOST_H 20
#define GMS_DRAW_STUB   48
#define GMS_DRAW_NORMAL "#808080"
#define GMS_DRAW_ROUTE  "#d00000"

typedef struct gms_draw {
    const gms_topology_t *topology;
    FILE *file;
    gms_drawing_t drawing;
    int is_grid;
    int is_direct; /* 1: lines end at the centre of a switch instead of at its
                      edge */
    unsigned switches;
    unsigned char *on_route; /* per link: 1 if the link is on the selected
                              * route */
    int is_merged;           /* 1: draw one line for several cables between the
                              * same switches */
} gms_draw_t;

/* ---- boxes -------------------------------------------------------------- */

static void gms_draw_switches(const gms_draw_t *draw)
{
    unsigned at;

    fprintf(draw->file,
            "  node [shape=box, style=filled, fontname=Helvetica, fontsize=10, "
            "fillcolor=\"#d8e4f0\", fixedsize=true, height=%.2f];\n",
            GMS_DRAWING_SWITCH_HEIGHT / 72.0);
    for (at = 0; at < draw->switches; ++at) {
        const gms_drawing_switch_t *box = &draw->drawing.switches[at];

        fprintf(draw->file,
                "  s%u [label=\"%s%u\", width=%.2f, pos=\"%d,%d!\"];\n", at,
                (box->width >= 54) ? "switch " : "", at, box->width / 72.0,
                box->x, -box->y);
    }
}

/** Write an invisible point at which a line ends or bends. */
static void gms_draw_point(const gms_draw_t *draw, char letter, unsigned node,
                           int x, int y)
{
    fprintf(draw->file, "  %c%u [pos=\"%d,%d!\"];\n", letter, node, x, -y);
}

static void gms_draw_hosts(const gms_draw_t *draw)
{
    const gms_drawing_t *drawing = &draw->drawing;
    int width = (drawing->host_width < GMS_DRAW_HOST_W) ? drawing->host_width
                                                        : GMS_DRAW_HOST_W;
    int height = (drawing->host_height < GMS_DRAW_HOST_H) ? drawing->host_height
                                                          : GMS_DRAW_HOST_H;
    unsigned node;

    fprintf(draw->file,
            "  node [fontsize=%d, fillcolor=\"#f4f0d8\", width=%.2f, "
            "height=%.2f];\n",
            (height < GMS_DRAW_HOST_H) ? 8 : 10, width / 72.0, height / 72.0);
    for (node = 0; node < drawing->node_count; ++node) {
        fprintf(draw->file, "  n%u [label=\"%u\", pos=\"%d,%d!\"];\n", node,
                node + 1, drawing->nodes[node].x, -drawing->nodes[node].y);
    }
    fprintf(draw->file,
            "  node [shape=point, style=invis, width=0, height=0];\n");
    for (node = 0; !draw->is_direct && node < drawing->node_count; ++node) {
        const gms_drawing_node_t *host = &drawing->nodes[node];
        const gms_drawing_switch_t *home =
            &drawing->switches[drawing->home[node]];

        gms_draw_point(draw, 'f', node, host->foot,
                       home->y + GMS_DRAWING_SWITCH_HEIGHT / 2);
        if (drawing->is_bent) {
            gms_draw_point(draw, 'b', node, host->foot, host->y);
        }
    }
}

/* ---- cables ------------------------------------------------------------- */

/** Write the attributes of a line that represents several cables. */
static void gms_draw_line(const gms_draw_t *draw, unsigned cables, int forward,
                          int back)
{
    int is_route = forward || back;

    fprintf(draw->file, " [color=\"%s\", penwidth=%.1f",
            is_route ? GMS_DRAW_ROUTE : GMS_DRAW_NORMAL,
            (is_route ? 2.0 : 0.6) + ((cables > 1) ? 0.9 : 0.0));
    if (is_route) {
        fprintf(draw->file, ", dir=%s, arrowsize=0.7",
                (forward && back) ? "both"
                : forward         ? "forward"
                                  : "back");
    }
}

/** Draw one of the two stubs of a cable. A stub points outwards from a switch
 *  at the edge of the drawing. */
static void gms_draw_stub(const gms_draw_t *draw, unsigned at, unsigned other,
                          int forward, int back)
{
    int columns = (int)draw->drawing.columns;
    int across = (int)other % columns - (int)at % columns;
    int x = draw->drawing.switches[at].x, y = -draw->drawing.switches[at].y;

    if (across != 0) {
        x += (across == columns - 1) ? -GMS_DRAW_STUB * 5 / 4
                                     : GMS_DRAW_STUB * 5 / 4;
    } else {
        /* this stub points to the lower left, away from the hosts of the
         * switch */
        x -= (other < at) ? GMS_DRAW_STUB / 3 : 0;
        y += (other > at) ? GMS_DRAW_STUB : -GMS_DRAW_STUB * 2 / 3;
    }
    fprintf(draw->file,
            "  w%u_%u [shape=plaintext, style=\"\", label=\"switch %u\", "
            "width=0.8, height=0.2, pos=\"%d,%d!\"];\n  s%u -- w%u_%u",
            at, other, other, x, y, at, at, other);
    gms_draw_line(draw, 1, forward, back);
    fprintf(draw->file, ", style=dashed];\n");
}

/** Draw all cables between two switches as a single line. */
static void gms_draw_cables(gms_draw_t *draw, unsigned at, unsigned other,
                            unsigned first_port)
{
    unsigned count = 0, port;
    int forward = 0, back = 0;

    for (port = first_port; port < gms_topology_ports(draw->topology, at);
         ++port) {
        uint32_t link = gms_topology_out(draw->topology, at, port);
        const gms_link_end_t *to;

        if (link == GMS_LINK_NONE) {
            continue;
        }
        to = gms_topology_to(draw->topology, link);
        if (to->kind == GMS_END_SWITCH && to->index == other) {
            ++count;
            forward |= draw->on_route[link];
            back |= draw->on_route[gms_tool_topo_reverse(draw->topology, link)];
        }
    }
    if (draw->is_grid && other != at + 1 &&
        other != at + draw->drawing.columns) {
        gms_draw_stub(draw, at, other, forward, back);
        gms_draw_stub(draw, other, at, back, forward);
        return;
    }
    /* the upper end is named first */
    fprintf(draw->file, "  s%u -- s%u", other, at);
    gms_draw_line(draw, count, back, forward);
    fprintf(draw->file, "];\n");
    draw->is_merged |= count > 1;
}

static int gms_draw_is_first(const gms_draw_t *draw, unsigned at, unsigned port,
                             unsigned other)
{
    unsigned before;

    for (before = 0; before < port; ++before) {
        uint32_t link = gms_topology_out(draw->topology, at, before);

        if (link != GMS_LINK_NONE) {
            const gms_link_end_t *to = gms_topology_to(draw->topology, link);

            if (to->kind == GMS_END_SWITCH && to->index == other) {
                return 0;
            }
        }
    }
    return 1;
}

/** Draw a host's cable from the edge of the switch to the host. */
static void gms_draw_host_line(const gms_draw_t *draw, unsigned node)
{
    unsigned home = draw->drawing.home[node];
    int back = draw->on_route[gms_topology_node_link(draw->topology, node, 0)];
    int forward =
        draw->on_route[gms_topology_node_link(draw->topology, node, 1)];

    if (draw->is_direct) {
        fprintf(draw->file, "  s%u -- ", home);
    } else {
        fprintf(draw->file, "  s%u -- f%u [style=invis];\n  f%u -- ", home,
                node, node);
    }
    if (draw->drawing.is_bent) {
        fprintf(draw->file, "b%u [color=\"%s\", penwidth=%.1f];\n  b%u -- ",
                node, (forward || back) ? GMS_DRAW_ROUTE : GMS_DRAW_NORMAL,
                (forward || back) ? 2.0 : 0.6, node);
    }
    fprintf(draw->file, "n%u%s", node, draw->drawing.is_bent ? ":w" : "");
    gms_draw_line(draw, 1, forward, back);
    fprintf(draw->file, "];\n");
}

static void gms_draw_lines(gms_draw_t *draw)
{
    unsigned nodes = gms_topology_nodes(draw->topology), at, port, node;

    for (node = 0; node < nodes; ++node) {
        gms_draw_host_line(draw, node);
    }
    for (at = 0; at < draw->switches; ++at) {
        for (port = 0; port < gms_topology_ports(draw->topology, at); ++port) {
            uint32_t link = gms_topology_out(draw->topology, at, port);
            const gms_link_end_t *to;

            if (link == GMS_LINK_NONE) {
                continue;
            }
            to = gms_topology_to(draw->topology, link);
            if (to->kind == GMS_END_SWITCH && to->index > at &&
                gms_draw_is_first(draw, at, port, to->index)) {
                gms_draw_cables(draw, at, to->index, port);
            }
        }
    }
}

/* ---- the graph ---------------------------------------------------------- */

static void gms_draw_graph(gms_draw_t *draw, const gms_params_t *params)
{
    unsigned nodes = gms_topology_nodes(draw->topology);
    unsigned cables = gms_topology_link_count(draw->topology) / 2;

    draw->is_direct = draw->drawing.is_beside && !draw->drawing.is_bent;
    /* In a drawing of a graph, straight lines would cross boxes. Graphviz can
     * route lines around boxes only if no box touches another. A point at the
     * edge of a box would touch the box. */
    fprintf(draw->file,
            "graph cluster {\n"
            "  layout=neato; inputscale=72; overlap=true; splines=%s; "
            "outputorder=edgesfirst;\n",
            (draw->is_direct && !draw->is_grid) ? "true" : "line");
    gms_draw_switches(draw);
    gms_draw_hosts(draw);
    gms_draw_lines(draw);
    fprintf(draw->file,
            "  fontname=Helvetica; fontsize=11; label=\"\\n%s: %u %s, %u %s, "
            "%u %s%s\";\n}\n",
            gms_param_find("topology")->names[params->topology], nodes,
            gms_plural(nodes, "node", "nodes"), draw->switches,
            gms_plural(draw->switches, "switch", "switches"), cables,
            gms_plural(cables, "cable", "cables"),
            draw->is_merged ? "; a thick line represents several cables" : "");
}

gms_status_t gms_tool_topo_draw(const gms_tool_topo_t *topo,
                                const gms_tool_pairs_t *highlight, FILE *file)
{
    unsigned i, j;
    gms_draw_t draw = {
        .topology = topo->topology,
        .file = file,
        .is_grid = topo->cluster.params.topology == GMS_TOPOLOGY_MESH ||
                   topo->cluster.params.topology == GMS_TOPOLOGY_TORUS,
        .switches = gms_topology_switches(topo->topology),
        .on_route = calloc(gms_topology_link_count(topo->topology), 1),
    };
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (draw.on_route != NULL) {
        status = gms_drawing_of_topology(&draw.drawing, topo->topology);
    }
    if (status == GMS_OK) {
        for (i = 0; i < highlight->count; ++i) {
            unsigned count =
                gms_topology_links(topo->topology, highlight->list[i].from - 1,
                                   highlight->list[i].to - 1, links);

            for (j = 0; j < count; ++j) {
                draw.on_route[links[j]] = 1;
            }
        }
        gms_draw_graph(&draw, &topo->cluster.params);
    }
    gms_drawing_clear(&draw.drawing);
    free(draw.on_route);
    return status;
}
