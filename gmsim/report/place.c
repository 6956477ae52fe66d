/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognises the shape of the recorded topology (tree, grid, other) and
 * computes the positions row by row or layer by layer.
 */
#include "report/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GMS_PLACE_HOST  0.3  /* distance of hosts */
#define GMS_PLACE_UNDER 0.75 /* hosts below their switch */
#define GMS_PLACE_LEVEL 1.5  /* smallest distance of levels */

typedef struct gms_placing {
    const gms_report_run_t *run;
    gms_drawing_t *drawing;
    uint32_t *home;  /* by node - 1: the switch of the node */
    uint32_t *hosts; /* by switch */
    uint32_t *layer; /* by switch; the lowest row is 0 */
} gms_placing_t;

/* ---- rows ---- */

/* Spreads each row over the width; the lowest row needs room for its hosts. */
static void gms_place_rows(const gms_placing_t *placing)
{
    const gms_report_run_t *run = placing->run;
    gms_drawing_t *drawing = placing->drawing;
    uint32_t top = 0, layer, most = 1, widest = 1, i;
    double cell, pitch;

    for (i = 0; i < run->switch_count; ++i) {
        top = placing->layer[i] > top ? placing->layer[i] : top;
        most = placing->hosts[i] > most ? placing->hosts[i] : most;
    }
    for (layer = 0; layer <= top; ++layer) {
        uint32_t count = 0;

        for (i = 0; i < run->switch_count; ++i) {
            count += placing->layer[i] == layer;
        }
        widest = count > widest ? count : widest;
    }
    cell = fmax(1, GMS_PLACE_HOST * (most > 8 && run->switch_count > 1
                                         ? (most + 1) / 2
                                         : most));
    drawing->width = widest * cell;
    pitch = fmax(GMS_PLACE_LEVEL, drawing->width / 10);
    drawing->height = top * pitch + 0.5 + 2 * GMS_PLACE_UNDER;
    for (layer = 0; layer <= top; ++layer) {
        uint32_t count = 0, place = 0;

        for (i = 0; i < run->switch_count; ++i) {
            count += placing->layer[i] == layer;
        }
        for (i = 0; i < run->switch_count; ++i) {
            if (placing->layer[i] == layer) {
                drawing->switches[i] = (gms_point_t){
                    (2.0 * place++ + 1) * drawing->width / (2.0 * count),
                    0.5 + (top - layer) * pitch};
            }
        }
    }
}

/* Places the hosts in one or two rows below their switch. */
static void gms_place_hosts_under(const gms_placing_t *placing)
{
    const gms_report_run_t *run = placing->run;
    uint32_t *placed = calloc(run->switch_count + 1, sizeof(*placed));
    uint32_t node;

    for (node = 0; placed != NULL && node < run->nodes; ++node) {
        uint32_t at = placing->home[node];
        uint32_t hosts = placing->hosts[at], index = placed[at]++;
        uint32_t across =
            hosts > 8 && run->switch_count > 1 ? (hosts + 1) / 2 : hosts;
        uint32_t row = index / across, column = index % across;
        const gms_point_t *home = &placing->drawing->switches[at];

        placing->drawing->nodes[node] = (gms_point_t){
            home->x + (column - (across - 1) / 2.0) * GMS_PLACE_HOST +
                (row > 0 ? GMS_PLACE_HOST / 2 : 0),
            home->y + GMS_PLACE_UNDER + row * GMS_PLACE_HOST};
    }
    free(placed);
}

/* ---- grids ---- */

/* Checks that each cable joins neighbours of a grid with this number of
 * columns, or its ends. */
static int gms_place_is_grid(const gms_report_run_t *run, uint32_t columns)
{
    uint32_t rows = (uint32_t)run->switch_count / columns;
    size_t i;

    for (i = 0; i < run->link_count; ++i) {
        const gms_report_link_t *link = &run->links[i];
        uint32_t a = link->from.index, b = link->to.index, across, down;

        if (link->from.is_node || link->to.is_node) {
            continue;
        }
        across = a % columns > b % columns ? a % columns - b % columns
                                           : b % columns - a % columns;
        down = a / columns > b / columns ? a / columns - b / columns
                                         : b / columns - a / columns;
        if (!(down == 0 && (across == 1 || across == columns - 1)) &&
            !(across == 0 && (down == 1 || down == rows - 1))) {
            return 0;
        }
    }
    return 1;
}

static uint32_t gms_place_columns(const gms_report_run_t *run)
{
    uint32_t count = (uint32_t)run->switch_count, columns;

    for (columns = count; columns > 1; --columns) {
        if (count % columns == 0 && gms_place_is_grid(run, columns)) {
            break;
        }
    }
    return columns > 0 ? columns : 1;
}

static void gms_place_grid(const gms_placing_t *placing)
{
    const gms_report_run_t *run = placing->run;
    gms_drawing_t *drawing = placing->drawing;
    uint32_t columns = gms_place_columns(run), most = 1, across, i;
    uint32_t *placed = calloc(run->switch_count + 1, sizeof(*placed));
    double cell;

    for (i = 0; i < run->switch_count; ++i) {
        most = placing->hosts[i] > most ? placing->hosts[i] : most;
    }
    across = (uint32_t)ceil(sqrt(most));
    cell = fmax(1, 0.6 + across * GMS_PLACE_HOST);
    for (i = 0; i < run->switch_count; ++i) {
        drawing->switches[i] = (gms_point_t){(i % columns + 0.4) * cell,
                                             (i / columns + 0.4) * cell};
    }
    for (i = 0; placed != NULL && i < run->nodes; ++i) {
        uint32_t at = placing->home[i], index = placed[at]++;

        drawing->nodes[i] = (gms_point_t){
            drawing->switches[at].x + 0.4 + index % across * GMS_PLACE_HOST,
            drawing->switches[at].y + 0.4 + index / across * GMS_PLACE_HOST};
    }
    drawing->width = columns * cell + 0.2;
    drawing->height = (double)run->switch_count / columns * cell + 0.2;
    free(placed);
}

/* ---- any graph: layers by the distance from a switch in the middle ---- */

static uint32_t gms_place_distances(const gms_report_run_t *run, uint32_t root,
                                    uint32_t *distance)
{
    uint32_t farthest = 0, i;
    int has_changed = 1;
    size_t k;

    for (i = 0; i < run->switch_count; ++i) {
        distance[i] = i == root ? 0 : UINT32_MAX - 1;
    }
    while (has_changed) {
        has_changed = 0;
        for (k = 0; k < run->link_count; ++k) {
            const gms_report_link_t *link = &run->links[k];

            if (!link->from.is_node && !link->to.is_node &&
                distance[link->from.index] + 1 < distance[link->to.index]) {
                distance[link->to.index] = distance[link->from.index] + 1;
                has_changed = 1;
            }
        }
    }
    for (i = 0; i < run->switch_count; ++i) {
        if (distance[i] < UINT32_MAX - 1) {
            farthest = distance[i] > farthest ? distance[i] : farthest;
        } else {
            distance[i] = 0; /* it has no connection */
        }
    }
    return farthest;
}

static void gms_place_layers(const gms_placing_t *placing)
{
    const gms_report_run_t *run = placing->run;
    uint32_t best = 0, least = UINT32_MAX, i;

    for (i = 0; i < run->switch_count; ++i) {
        uint32_t farthest = gms_place_distances(run, i, placing->layer);

        if (farthest < least) {
            least = farthest;
            best = i;
        }
    }
    least = gms_place_distances(run, best, placing->layer);
    for (i = 0; i < run->switch_count; ++i) {
        placing->layer[i] = least - placing->layer[i];
    }
}

/* ---- the drawing ---- */

static void gms_place_all(gms_placing_t *placing)
{
    const gms_report_run_t *run = placing->run;
    const char *kind =
        json_string_value(json_object_get(run->parameters, "topology"));
    uint32_t i;
    size_t k;

    for (k = 0; k < run->link_count; ++k) {
        const gms_report_link_t *link = &run->links[k];

        if (link->from.is_node && !link->to.is_node) {
            placing->home[link->from.index - 1] = link->to.index;
        }
    }
    for (i = 0; i < run->nodes; ++i) {
        placing->hosts[placing->home[i]]++;
    }
    for (i = 0; i < run->switch_count; ++i) {
        placing->layer[i] = run->switches[i].level;
    }
    if (kind != NULL &&
        (strcmp(kind, "mesh") == 0 || strcmp(kind, "torus") == 0)) {
        gms_place_grid(placing);
        return;
    }
    if (kind != NULL && strcmp(kind, "graph") == 0) {
        gms_place_layers(placing);
    }
    gms_place_rows(placing);
    gms_place_hosts_under(placing);
}

gms_status_t gms_drawing_make(const gms_report_run_t *run,
                              gms_drawing_t *drawing)
{
    size_t switches = run->switch_count + 1;
    gms_placing_t placing = {
        .run = run,
        .drawing = drawing,
        .home = calloc(run->nodes, sizeof(uint32_t)),
        .hosts = calloc(switches, sizeof(uint32_t)),
        .layer = calloc(switches, sizeof(uint32_t)),
    };
    gms_status_t status = GMS_ERR_NO_MEMORY;

    *drawing = (gms_drawing_t){
        .switches = calloc(switches, sizeof(*drawing->switches)),
        .nodes = calloc(run->nodes, sizeof(*drawing->nodes))};
    if (placing.home != NULL && placing.hosts != NULL &&
        placing.layer != NULL && drawing->switches != NULL &&
        drawing->nodes != NULL) {
        gms_place_all(&placing);
        status = GMS_OK;
    } else {
        gms_drawing_free(drawing);
    }
    free(placing.home);
    free(placing.hosts);
    free(placing.layer);
    return status;
}

void gms_drawing_free(gms_drawing_t *drawing)
{
    free(drawing->switches);
    free(drawing->nodes);
    drawing->switches = drawing->nodes = NULL;
}
