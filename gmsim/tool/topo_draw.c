/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws a cluster in Graphviz's language. The kind of topology determines the
 * positions of switches. The levels of a tree are above each other, with the
 * hosts at the bottom; a mesh is a grid; a cascade is a row. Graphviz itself
 * chooses positions only for the kind `graph`. Cables that would cross the whole
 * drawing (the ends of a torus) are stubs that name the other end. Units are
 * points.
 */
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "tool/topo.h"

#define GMS_DRAW_HOST_W 24u
#define GMS_DRAW_HOST_H 15u
#define GMS_DRAW_LEVEL  110u /* least distance between levels of a tree */
#define GMS_DRAW_CELL   80u  /* least pitch of switches */
#define GMS_DRAW_STUB   48u
#define GMS_DRAW_NORMAL "#808080"
#define GMS_DRAW_ROUTE  "#d00000"

enum gms_draw_style {
    GMS_DRAW_TREE,
    GMS_DRAW_GRID,
    GMS_DRAW_FREE
};

typedef struct gms_draw {
    const gms_topology_t *topology;
    FILE *file;
    enum gms_draw_style style;
    unsigned switches;
    unsigned columns; /* of a grid */
    unsigned across;  /* hosts side by side below a switch */
    unsigned cell_w, cell_h;
    unsigned width;          /* of a tree */
    unsigned char *on_route; /* by link */
    unsigned *hosts;         /* by switch: number of hosts */
    unsigned *placed;        /* by switch: hosts drawn so far */
    unsigned *level_size;    /* by level of a tree: switches */
    int is_merged;           /* a line stands for several cables */
} gms_draw_t;

/* ---- positions
 * -------------------------------------------------------------- */

/** Whether every cable between switches joins neighbours in a grid with this
 *  number of columns, or the two ends of a row or column. */
static int gms_draw_is_grid(const gms_draw_t *draw, unsigned columns)
{
    unsigned rows = draw->switches / columns;
    unsigned at, port;

    for (at = 0; at < draw->switches; ++at) {
        for (port = 0; port < gms_topology_ports(draw->topology, at); ++port) {
            uint32_t link = gms_topology_out(draw->topology, at, port);
            const gms_link_end_t *to;
            unsigned across, down;

            if (link == GMS_LINK_NONE) {
                continue;
            }
            to = gms_topology_to(draw->topology, link);
            if (to->kind == GMS_END_NODE || to->index < at) {
                continue;
            }
            down = to->index / columns - at / columns;
            across =
                (unsigned)abs((int)(to->index % columns) - (int)(at % columns));
            if (!(down == 0 && (across == 1 || across == columns - 1)) &&
                !(across == 0 && (down == 1 || down == rows - 1))) {
                return 0;
            }
        }
    }
    return 1;
}

/** Columns of a mesh, torus or cascade. */
static unsigned gms_draw_columns(const gms_draw_t *draw)
{
    unsigned columns;

    for (columns = draw->switches; columns > 1; --columns) {
        if (draw->switches % columns == 0 && gms_draw_is_grid(draw, columns)) {
            break;
        }
    }
    return columns;
}

static void gms_draw_measure(gms_draw_t *draw, uint64_t kind)
{
    unsigned nodes = gms_topology_nodes(draw->topology), most = 1, at, node;

    for (node = 0; node < nodes; ++node) {
        uint32_t link = gms_topology_node_link(draw->topology, node, 0);

        draw->hosts[gms_topology_to(draw->topology, link)->index]++;
    }
    for (at = 0; at < draw->switches; ++at) {
        most = (draw->hosts[at] > most) ? draw->hosts[at] : most;
        draw->level_size[gms_topology_level(draw->topology, at)]++;
    }
    draw->style = (kind == GMS_TOPOLOGY_MESH || kind == GMS_TOPOLOGY_TORUS)
                      ? GMS_DRAW_GRID
                  : (kind == GMS_TOPOLOGY_GRAPH) ? GMS_DRAW_FREE
                                                 : GMS_DRAW_TREE;
    draw->columns = (draw->style == GMS_DRAW_GRID) ? gms_draw_columns(draw)
                                                   : draw->switches;
    /* tree: two rows below a leaf; mesh: in a corner of the cell */
    draw->across = (most + 1) / 2;
    while (draw->style == GMS_DRAW_GRID &&
           draw->across * draw->across / 2 > most) {
        --draw->across;
    }
    draw->cell_w = (draw->across + 1) * (GMS_DRAW_HOST_W + 6);
    if (draw->style == GMS_DRAW_GRID) {
        draw->cell_w += GMS_DRAW_CELL / 2;
    }
    draw->cell_w =
        (draw->cell_w < GMS_DRAW_CELL) ? GMS_DRAW_CELL : draw->cell_w;
    draw->cell_h = GMS_DRAW_CELL + (most + draw->across - 1) / draw->across *
                                       (GMS_DRAW_HOST_H + 6);
    draw->width = draw->level_size[0] * draw->cell_w;
}

/** Centre of a switch; y grows upwards. `place` is the index of the switch
 *  in its level. */
static void gms_draw_position(const gms_draw_t *draw, unsigned at,
                              unsigned place, int *x_p, int *y_p)
{
    unsigned level = gms_topology_level(draw->topology, at);

    if (draw->style == GMS_DRAW_GRID) {
        *x_p = (int)(at % draw->columns * draw->cell_w);
        *y_p = -(int)(at / draw->columns * draw->cell_h);
        return;
    }
    *x_p = (int)((2 * (uint64_t)place + 1) * draw->width /
                 (2 * draw->level_size[level]));
    /* more distance for wide trees: flat lines are hard to distinguish */
    *y_p = (int)(level * (GMS_DRAW_LEVEL + draw->width / 20));
}

static void gms_draw_host_position(const gms_draw_t *draw, unsigned index,
                                   unsigned hosts, int *x_p, int *y_p)
{
    int row = (int)(index / draw->across), column = (int)(index % draw->across);
    int pitch = (int)GMS_DRAW_HOST_W + 6;

    if (draw->style == GMS_DRAW_GRID) { /* at the lower right */
        *x_p += (int)GMS_DRAW_CELL / 2 + column * pitch;
        *y_p -= (int)GMS_DRAW_CELL / 2 + row * ((int)GMS_DRAW_HOST_H + 6);
        return;
    }
    /* shift the second row, so its lines show between the boxes of the first
     * row */
    hosts = (hosts < draw->across) ? hosts : draw->across;
    *x_p += column * pitch - (int)(hosts - 1) * pitch / 2 +
            ((row > 0) ? pitch / 2 : 0) - ((draw->across > 1) ? pitch / 4 : 0);
    *y_p -= 55 + row * ((int)GMS_DRAW_HOST_H + 15);
}

/* ---- boxes -------------------------------------------------------------- */

/** Write the attribute pos, unless Graphviz chooses the position. */
static void gms_draw_pin(const gms_draw_t *draw, int x, int y)
{
    if (draw->style != GMS_DRAW_FREE) {
        fprintf(draw->file, ", pos=\"%d,%d!\"", x, y);
    }
}

static void gms_draw_boxes(gms_draw_t *draw)
{
    unsigned nodes = gms_topology_nodes(draw->topology), at, node;
    unsigned place[256] = {0};
    int x, y;

    fprintf(draw->file, "  node [shape=box, style=filled, fontname=Helvetica, "
                        "fontsize=10, fillcolor=\"#d8e4f0\", height=0.3];\n");
    for (at = 0; at < draw->switches; ++at) {
        unsigned level = gms_topology_level(draw->topology, at);

        gms_draw_position(draw, at, place[level]++, &x, &y);
        fprintf(draw->file, "  s%u [label=\"switch %u\"", at, at);
        gms_draw_pin(draw, x, y);
        fprintf(draw->file, "];\n");
    }
    fprintf(draw->file,
            "  node [fontsize=8, fillcolor=\"#f4f0d8\", "
            "fixedsize=true, width=%.2f, height=%.2f];\n",
            GMS_DRAW_HOST_W / 72.0, GMS_DRAW_HOST_H / 72.0);
    memset(place, 0, sizeof(place));
    for (node = 0; node < nodes; ++node) {
        uint32_t link = gms_topology_node_link(draw->topology, node, 0);

        at = gms_topology_to(draw->topology, link)->index;
        /* hosts are on switches of level 0, whose index in the level is
         * their number */
        gms_draw_position(draw, at, at, &x, &y);
        gms_draw_host_position(draw, draw->placed[at]++, draw->hosts[at], &x,
                               &y);
        fprintf(draw->file, "  n%u [label=\"%u\"", node, node + 1);
        gms_draw_pin(draw, x, y);
        fprintf(draw->file, "];\n");
    }
}

/* ---- cables ------------------------------------------------------------- */

/** Write the attributes of a line that represents some cables. */
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

/** Draw one of the two stubs of a cable: outwards from a switch at the edge. */
static void gms_draw_stub(const gms_draw_t *draw, unsigned at, unsigned other,
                          int forward, int back)
{
    int columns = (int)draw->columns;
    int across = (int)(other % draw->columns) - (int)(at % draw->columns);
    int x, y;

    gms_draw_position(draw, at, 0, &x, &y);
    if (across != 0) {
        x += (across == columns - 1) ? -(int)GMS_DRAW_STUB * 5 / 4
                                     : (int)GMS_DRAW_STUB * 5 / 4;
    } else {
        y += (other > at) ? (int)GMS_DRAW_STUB : -(int)GMS_DRAW_STUB;
    }
    fprintf(draw->file,
            "  w%u_%u [shape=plaintext, style=\"\", label=\"switch %u\", "
            "width=0.55, pos=\"%d,%d!\"];\n  s%u -- w%u_%u",
            at, other, other, x, y, at, at, other);
    gms_draw_line(draw, 1, forward, back);
    fprintf(draw->file, ", style=dashed];\n");
}

/** Draw all cables between two switches as one line. */
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
    if (draw->style == GMS_DRAW_GRID && other != at + 1 &&
        other != at + draw->columns) {
        gms_draw_stub(draw, at, other, forward, back);
        gms_draw_stub(draw, other, at, back, forward);
        return;
    }
    /* upper end first */
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

static void gms_draw_lines(gms_draw_t *draw)
{
    unsigned nodes = gms_topology_nodes(draw->topology), at, port, node;

    for (node = 0; node < nodes; ++node) {
        uint32_t link = gms_topology_node_link(draw->topology, node, 0);

        fprintf(draw->file, "  s%u -- n%u",
                gms_topology_to(draw->topology, link)->index, node);
        gms_draw_line(
            draw, 1,
            draw->on_route[gms_topology_node_link(draw->topology, node, 1)],
            draw->on_route[link]);
        fprintf(draw->file, "];\n");
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

/* ---- the graph
 * -------------------------------------------------------------- */

static void gms_draw_graph(gms_draw_t *draw, const gms_params_t *params)
{
    unsigned nodes = gms_topology_nodes(draw->topology);
    unsigned cables = gms_topology_link_count(draw->topology) / 2;

    fprintf(draw->file,
            "graph cluster {\n"
            "  layout=neato; inputscale=72; overlap=%s; splines=line; "
            "outputorder=edgesfirst;\n",
            (draw->style == GMS_DRAW_FREE) ? "false" : "true");
    gms_draw_boxes(draw);
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
    unsigned switches = gms_topology_switches(topo->topology), i, j;
    gms_draw_t draw = {
        .topology = topo->topology,
        .file = file,
        .switches = switches,
        .on_route = calloc(gms_topology_link_count(topo->topology), 1),
        .hosts = calloc(switches, sizeof(unsigned)),
        .placed = calloc(switches, sizeof(unsigned)),
        .level_size = calloc(switches, sizeof(unsigned)),
    };
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (draw.on_route != NULL && draw.hosts != NULL && draw.placed != NULL &&
        draw.level_size != NULL) {
        for (i = 0; i < highlight->count; ++i) {
            unsigned count =
                gms_topology_links(topo->topology, highlight->list[i].from - 1,
                                   highlight->list[i].to - 1, links);

            for (j = 0; j < count; ++j) {
                draw.on_route[links[j]] = 1;
            }
        }
        gms_draw_measure(&draw, topo->cluster.params.topology);
        gms_draw_graph(&draw, &topo->cluster.params);
        status = GMS_OK;
    }
    free(draw.on_route);
    free(draw.hosts);
    free(draw.placed);
    free(draw.level_size);
    return status;
}
