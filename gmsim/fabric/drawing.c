/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the positions in a drawing: the row of each switch, its position in
 * the row, and then the positions of its hosts.
 */
#include "fabric/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/drawing_middle.h"
#include "fabric/topology_int.h"

#define GMS_DRAWING_WIDTH 1040 /* width of a report's page */
/* smallest distance between the switches of a row; enough for one column of
 * small boxes and a gap */
#define GMS_DRAWING_CELL        36
#define GMS_DRAWING_CELL_BESIDE 62
#define GMS_DRAWING_MARGIN      12
/* distances and sizes of the small boxes */
#define GMS_DRAWING_STUB_PITCH  32
#define GMS_DRAWING_STUB_RISE   15
#define GMS_DRAWING_STUB_WIDTH  28
#define GMS_DRAWING_STUB_HEIGHT 12

typedef struct gms_drawing_row {
    uint32_t switches, placed;
    int has_hosts;
} gms_drawing_row_t;

/** Arrangement of the hosts around a switch. All switches use the same
 *  arrangement. */
typedef struct gms_drawing_style {
    int columns;     /* largest number of hosts that are drawn side by side */
    int pitch, rise; /* distances between adjacent columns and between
                      * adjacent rows of hosts */
    int drop;        /* distance from the switch to the first row of hosts */
    int below;       /* height required below a switch for its hosts */
} gms_drawing_style_t;

typedef struct gms_drawing_work {
    gms_drawing_t *drawing;
    uint32_t *row;           /* row of each switch; the highest row is 0 */
    uint32_t *hosts;         /* number of hosts of each switch */
    uint32_t *placed;        /* number of hosts of each switch that already have
                              * a position */
    gms_drawing_row_t *rows; /* array, indexed by row */
    uint32_t row_count;
    int most; /* largest number of hosts of a switch, at least 1 */
    gms_drawing_style_t style;
} gms_drawing_work_t;

static int gms_drawing_min(int a, int b)
{
    return a < b ? a : b;
}

static int gms_drawing_max(int a, int b)
{
    return a > b ? a : b;
}

/* ---- rows of a grid ----------------------------------------------------- */

static uint32_t gms_drawing_difference(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/** Return 1 if every cable connects either neighbours in a grid with this
 *  number of columns, or the two ends of a row or column. */
static int gms_drawing_is_grid(const gms_drawing_t *drawing, uint32_t columns)
{
    uint32_t rows = drawing->switch_count / columns;
    size_t i;

    for (i = 0; i < drawing->cable_count; ++i) {
        uint32_t a = drawing->cables[i].a, b = drawing->cables[i].b;
        uint32_t across = gms_drawing_difference(a % columns, b % columns);
        uint32_t down = gms_drawing_difference(a / columns, b / columns);

        if (!(down == 0 && (across == 1 || across == columns - 1)) &&
            !(across == 0 && (down == 1 || down == rows - 1))) {
            return 0;
        }
    }
    return 1;
}

static void gms_drawing_grid_rows(const gms_drawing_work_t *work)
{
    uint32_t count = work->drawing->switch_count, columns, i;

    for (columns = count; columns > 1; --columns) {
        if (count % columns == 0 &&
            gms_drawing_is_grid(work->drawing, columns)) {
            break;
        }
    }
    for (i = 0; i < count; ++i) {
        work->row[i] = i / columns;
    }
}

/* ---- rows by levels ------------------------------------------------------ */

static void gms_drawing_level_rows(const gms_drawing_work_t *work)
{
    const gms_drawing_t *drawing = work->drawing;
    uint32_t top = 0, i;

    for (i = 0; i < drawing->switch_count; ++i) {
        top = drawing->level[i] > top ? drawing->level[i] : top;
    }
    for (i = 0; i < drawing->switch_count; ++i) {
        work->row[i] = top - drawing->level[i];
    }
}

/* ---- switches ----------------------------------------------------------- */

/** Find the row of each switch, and count switches and hosts. */
static gms_status_t gms_drawing_measure(gms_drawing_work_t *work)
{
    gms_drawing_t *drawing = work->drawing;
    gms_status_t status = GMS_OK;
    uint32_t i, rows_with_hosts = 0;

    if (drawing->kind == GMS_TOPOLOGY_MESH ||
        drawing->kind == GMS_TOPOLOGY_TORUS) {
        gms_drawing_grid_rows(work);
    } else if (drawing->kind == GMS_TOPOLOGY_GRAPH) {
        status = gms_drawing_middle(drawing, work->row);
    } else {
        gms_drawing_level_rows(work);
    }
    if (status != GMS_OK) {
        return status;
    }
    work->most = 1;
    for (i = 0; i < drawing->node_count; ++i) {
        uint32_t home = drawing->home[i];

        work->most = gms_drawing_max(work->most, (int)++work->hosts[home]);
        work->rows[work->row[home]].has_hosts = 1;
    }
    drawing->columns = 1;
    for (i = 0; i < drawing->switch_count; ++i) {
        uint32_t row = work->row[i], count = ++work->rows[row].switches;

        drawing->columns = count > drawing->columns ? count : drawing->columns;
        work->row_count = row >= work->row_count ? row + 1 : work->row_count;
    }
    for (i = 0; i < work->row_count; ++i) {
        rows_with_hosts += (uint32_t)work->rows[i].has_hosts;
    }
    drawing->is_beside = rows_with_hosts > 1;
    drawing->pitch = gms_drawing_max(
        GMS_DRAWING_WIDTH / (int)drawing->columns,
        drawing->is_beside ? GMS_DRAWING_CELL_BESIDE : GMS_DRAWING_CELL);
    drawing->width = drawing->pitch * (int)drawing->columns;
    return GMS_OK;
}

/** Return the x coordinate of the next cell's centre in a row of switches. */
static int gms_drawing_next_x(const gms_drawing_work_t *work,
                              gms_drawing_row_t *row)
{
    return (int)((2 * (uint64_t)row->placed++ + 1) *
                 (uint64_t)work->drawing->width / (2 * row->switches));
}

/* ---- hosts below their switch ------------------------------------------- */

static void gms_drawing_below_style(gms_drawing_work_t *work)
{
    gms_drawing_t *drawing = work->drawing;
    gms_drawing_style_t *style = &work->style;
    int room = drawing->pitch * 94 / 100, each = room / work->most;

    *style = (gms_drawing_style_t){.columns = work->most};
    if (each >= 152) { /* the host's box has room for text */
        drawing->host_width = 144;
        drawing->host_height = 90;
        style->pitch = gms_drawing_min(190, each);
        style->drop = 56;
    } else if (each >= 36) { /* the box has room for the numbers of the host and
                              * its rank */
        drawing->host_width = gms_drawing_min(64, each - 6);
        drawing->host_height = 50;
        style->pitch = gms_drawing_min(76, each);
        style->drop = 52;
    } else if (each >= 16) { /* the box has room only for the number of the
                              * host */
        style->pitch = gms_drawing_min(26, each);
        drawing->host_width = style->pitch - 3;
        drawing->host_height = 38;
        style->drop = 40;
    } else {
        drawing->is_bent = 1;
        drawing->host_width = GMS_DRAWING_STUB_WIDTH;
        drawing->host_height = GMS_DRAWING_STUB_HEIGHT;
        style->columns = gms_drawing_min(
            drawing->pitch / GMS_DRAWING_STUB_PITCH, work->most);
        style->pitch = GMS_DRAWING_STUB_PITCH;
        style->rise = GMS_DRAWING_STUB_RISE;
        style->drop = 6;
    }
    style->below = style->drop + drawing->host_height +
                   (work->most - 1) / style->columns * style->rise;
}

static void gms_drawing_switches_above(gms_drawing_work_t *work)
{
    gms_drawing_t *drawing = work->drawing;
    const gms_drawing_style_t *style = &work->style;
    /* in wide networks the gap is larger, because nearly horizontal lines are
     * hard to distinguish */
    int gap = gms_drawing_min(220, 70 + drawing->width / 8);
    int y = GMS_DRAWING_MARGIN;
    uint32_t row, i;

    for (row = 0; row < work->row_count; ++row) {
        for (i = 0; i < drawing->switch_count; ++i) {
            int columns = gms_drawing_min((int)work->hosts[i], style->columns);

            if (work->row[i] != row) {
                continue;
            }
            drawing->switches[i] = (gms_drawing_switch_t){
                gms_drawing_next_x(work, &work->rows[row]),
                y + GMS_DRAWING_SWITCH_HEIGHT / 2,
                columns > 0 ? gms_drawing_max(30, columns * style->pitch - 4)
                            : gms_drawing_min(drawing->pitch * 8 / 10, 120)};
        }
        y += GMS_DRAWING_SWITCH_HEIGHT +
             (work->rows[row].has_hosts ? style->below : 0);
        drawing->height = y + GMS_DRAWING_MARGIN;
        y += gap;
    }
}

static void gms_drawing_host_below(gms_drawing_work_t *work, uint32_t node)
{
    gms_drawing_t *drawing = work->drawing;
    const gms_drawing_style_t *style = &work->style;
    uint32_t home = drawing->home[node];
    const gms_drawing_switch_t *at = &drawing->switches[home];
    int index = (int)work->placed[home]++;
    int columns = gms_drawing_min((int)work->hosts[home], style->columns);
    int x = at->x + (2 * (index % columns) - (columns - 1)) * style->pitch / 2;

    drawing->nodes[node] = (gms_drawing_node_t){
        x,
        at->y + GMS_DRAWING_SWITCH_HEIGHT / 2 + style->drop +
            drawing->host_height / 2 + index / columns * style->rise,
        drawing->is_bent ? x - drawing->host_width / 2 : x};
}

/* ---- hosts at the lower right of their switch --------------------------- */

static void gms_drawing_beside_style(gms_drawing_work_t *work)
{
    gms_drawing_t *drawing = work->drawing;
    gms_drawing_style_t *style = &work->style;
    int room = drawing->pitch - 40;

    if (room / work->most >= 70) {
        *style = (gms_drawing_style_t){
            .columns = work->most, .pitch = 70, .rise = 50, .drop = 26};
        drawing->host_width = 64;
        drawing->host_height = 50;
    } else {
        drawing->is_bent = 1;
        drawing->host_width = GMS_DRAWING_STUB_WIDTH;
        drawing->host_height = GMS_DRAWING_STUB_HEIGHT;
        *style = (gms_drawing_style_t){
            .columns = gms_drawing_max(
                1, gms_drawing_min(work->most, room / GMS_DRAWING_STUB_PITCH)),
            .pitch = GMS_DRAWING_STUB_PITCH,
            .rise = GMS_DRAWING_STUB_RISE,
            .drop = 9};
    }
    style->below = style->drop + (work->most + style->columns - 1) /
                                     style->columns * style->rise;
}

static void gms_drawing_switches_beside(gms_drawing_work_t *work)
{
    gms_drawing_t *drawing = work->drawing;
    const gms_drawing_style_t *style = &work->style;
    int step = gms_drawing_max(gms_drawing_min(drawing->pitch, 130),
                               GMS_DRAWING_SWITCH_HEIGHT + style->below + 18);
    /* shift to the left that centres the switch together with its hosts in the
     * cell */
    int left = (34 + style->columns * style->pitch) / 2 - 15;
    uint32_t i;

    for (i = 0; i < drawing->switch_count; ++i) {
        drawing->switches[i] = (gms_drawing_switch_t){
            gms_drawing_next_x(work, &work->rows[work->row[i]]) - left,
            GMS_DRAWING_MARGIN + GMS_DRAWING_SWITCH_HEIGHT / 2 +
                (int)work->row[i] * step,
            30};
    }
    drawing->height = 2 * GMS_DRAWING_MARGIN +
                      (int)(work->row_count - 1) * step +
                      GMS_DRAWING_SWITCH_HEIGHT + style->below;
}

static void gms_drawing_host_beside(gms_drawing_work_t *work, uint32_t node)
{
    gms_drawing_t *drawing = work->drawing;
    const gms_drawing_style_t *style = &work->style;
    uint32_t home = drawing->home[node];
    const gms_drawing_switch_t *at = &drawing->switches[home];
    int index = (int)work->placed[home]++;

    drawing->nodes[node] = (gms_drawing_node_t){
        at->x + 14 + drawing->host_width / 2 +
            index % style->columns * style->pitch,
        at->y + GMS_DRAWING_SWITCH_HEIGHT / 2 + style->drop +
            drawing->host_height / 2 + index / style->columns * style->rise,
        at->x + 8};
}

/* ---- the drawing -------------------------------------------------------- */

gms_status_t gms_drawing_init(gms_drawing_t *drawing, uint64_t kind,
                              uint32_t nodes, uint32_t switches, size_t cables)
{
    *drawing = (gms_drawing_t){
        .kind = kind,
        .node_count = nodes,
        .switch_count = switches,
        .home = calloc((size_t)nodes + 1, sizeof(*drawing->home)),
        .level = calloc((size_t)switches + 1, sizeof(*drawing->level)),
        .cables = calloc(cables + 1, sizeof(*drawing->cables)),
        .switches = calloc((size_t)switches + 1, sizeof(*drawing->switches)),
        .nodes = calloc((size_t)nodes + 1, sizeof(*drawing->nodes))};
    if (drawing->home == NULL || drawing->level == NULL ||
        drawing->cables == NULL || drawing->switches == NULL ||
        drawing->nodes == NULL) {
        gms_drawing_clear(drawing);
        return GMS_ERR_NO_MEMORY;
    }
    return GMS_OK;
}

static gms_status_t gms_drawing_place_all(gms_drawing_work_t *work)
{
    gms_drawing_t *drawing = work->drawing;
    gms_status_t status = gms_drawing_measure(work);
    uint32_t node;

    if (status != GMS_OK) {
        return status;
    }
    if (drawing->is_beside) {
        gms_drawing_beside_style(work);
        gms_drawing_switches_beside(work);
    } else {
        gms_drawing_below_style(work);
        gms_drawing_switches_above(work);
    }
    for (node = 0; node < drawing->node_count; ++node) {
        (drawing->is_beside ? gms_drawing_host_beside
                            : gms_drawing_host_below)(work, node);
    }
    return GMS_OK;
}

gms_status_t gms_drawing_place(gms_drawing_t *drawing)
{
    size_t switches = (size_t)drawing->switch_count + 1, rows = switches, i;
    uint32_t *arrays = calloc(3 * switches, sizeof(*arrays));
    gms_drawing_work_t work = {
        .drawing = drawing,
        .row_count = 1,
    };
    gms_status_t status = GMS_ERR_NO_MEMORY;

    for (i = 0; i < drawing->switch_count; ++i) {
        /* the number of rows is the highest level + 1, even if a level has no
         * switch and its row remains empty */
        rows = drawing->level[i] >= rows ? drawing->level[i] + 1 : rows;
    }
    work.rows = calloc(rows, sizeof(*work.rows));
    if (arrays != NULL && work.rows != NULL) {
        work.row = arrays;
        work.hosts = arrays + switches;
        work.placed = arrays + 2 * switches;
        status = gms_drawing_place_all(&work);
    }
    free(arrays);
    free(work.rows);
    return status;
}

gms_status_t gms_drawing_of_topology(gms_drawing_t *drawing,
                                     const gms_topology_t *topology)
{
    gms_status_t status =
        gms_drawing_init(drawing, topology->kind, topology->nodes,
                         topology->switch_count, topology->link_count);
    uint32_t i;

    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < topology->switch_count; ++i) {
        drawing->level[i] = gms_topology_level(topology, i);
    }
    for (i = 0; i < topology->link_count; ++i) {
        const gms_topology_link_t *link = &topology->links[i];

        if (link->from.kind == GMS_END_NODE) {
            drawing->home[link->from.index] = link->to.index;
        } else if (link->to.kind != GMS_END_NODE) {
            drawing->cables[drawing->cable_count++] =
                (gms_drawing_cable_t){link->from.index, link->to.index};
        }
    }
    status = gms_drawing_place(drawing);
    if (status != GMS_OK) {
        gms_drawing_clear(drawing);
    }
    return status;
}

void gms_drawing_clear(gms_drawing_t *drawing)
{
    free(drawing->home);
    free(drawing->level);
    free(drawing->cables);
    free(drawing->switches);
    free(drawing->nodes);
    memset(drawing, 0, sizeof(*drawing));
}
