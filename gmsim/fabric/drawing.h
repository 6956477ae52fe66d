/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes the positions of switches and hosts in drawings of a network. `gmsim
 * topo` and the report draw the same positions. The caller describes the
 * network by its switches and cables, because the record of a run contains no
 * gms_topology_t.
 *
 *   crossbar, cascade  a row of switches with their hosts below
 *   clos, fat-tree     the levels above each other, the hosts at the bottom
 *   mesh, torus        a grid of switches
 *   graph              rows by the distance from the middle of the network: the
 *                      middle is at the top
 *
 * If only one row of switches has hosts, the hosts of each switch are below it,
 * side by side. If the hosts of a switch do not fit side by side, they are
 * drawn as small boxes in columns. If several rows have hosts, the hosts are at
 * the lower right of their switch, and cables between rows run to the left of
 * the hosts.
 *
 * Coordinates are in points (1/72 inch). A drawing is 1040 points wide, or
 * wider if the network requires more width. The x axis points to the right and
 * the y axis points down. The position of a box is its centre. All boxes lie
 * within 0..width and 0..height.
 */
#ifndef FABRIC_DRAWING_H
#define FABRIC_DRAWING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "fabric/topology.h"

/** Height of the box of a switch. */
#define GMS_DRAWING_SWITCH_HEIGHT 20

typedef struct gms_drawing_cable {
    uint32_t a, b; /* switches */
} gms_drawing_cable_t;

typedef struct gms_drawing_switch {
    int x, y, width;
} gms_drawing_switch_t;

typedef struct gms_drawing_node {
    int x, y;
    int foot; /* x coordinate at which the host's cable leaves the lower edge of
               * the switch */
} gms_drawing_node_t;

typedef struct gms_drawing {
    /* Description of the network. The caller sets the following fields and
     * fills the arrays. */
    uint64_t kind; /* a value of enum gms_topology_kind */
    uint32_t node_count, switch_count;
    size_t cable_count; /* number of cables, up to the limit that
                         * gms_drawing_init() received */
    uint32_t *home;     /* switch of each node, indexed by node (from 0) */
    uint32_t *level;    /* level of each switch; 0 for a leaf */
    /* cables between switches; neither their order nor the number of parallel
     * cables changes the drawing */
    gms_drawing_cable_t *cables;

    /* Description of the drawing. The function gms_drawing_place() sets the
     * following fields. */
    int width, height;
    int pitch;                   /* smallest distance between the centres of two
                                  * switches in a row */
    uint32_t columns;            /* number of columns of the grid (mesh, torus),
                                  * or of switches in the widest row */
    int is_beside;               /* 1 if the hosts are at the lower right of
                                  * their switch */
    int is_bent;                 /* 1 if a host's cable runs down first, then
                                  * sideways to the host's left edge */
    int host_width, host_height; /* size of a host's box */
    gms_drawing_switch_t *switches;
    gms_drawing_node_t *nodes;
} gms_drawing_t;

/** Allocate the arrays for a network, and set all entries to 0.
 *  @param [in] cables  maximum value of cable_count
 *  @return GMS_OK, GMS_ERR_NO_MEMORY (nothing to clear) */
gms_status_t gms_drawing_init(gms_drawing_t *drawing, uint64_t kind,
                              uint32_t nodes, uint32_t switches, size_t cables);
/** Initialise a drawing as gms_drawing_init() does, copy the network of a
 *  topology into it, and compute the positions.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY (nothing to clear) */
gms_status_t gms_drawing_of_topology(gms_drawing_t *drawing,
                                     const gms_topology_t *topology);
/** Compute the positions of all switches and hosts. All switches in `home` and
 *  `cables` must have numbers less than switch_count.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_drawing_place(gms_drawing_t *drawing);
void gms_drawing_clear(gms_drawing_t *drawing);

#endif
