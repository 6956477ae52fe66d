/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Positions of switches and nodes in the drawing of a cluster. The levels of a
 * tree are above each other. A mesh or torus is a grid, a cascade or crossbar a
 * row, and any other graph has layers around its middle. The unit is the smallest
 * distance between switches. y grows downwards, and all positions are in
 * 0..width and 0..height.
 */
#ifndef REPORT_PLACE_H
#define REPORT_PLACE_H

#include "report/run.h"

typedef struct gms_point {
    double x, y;
} gms_point_t;

typedef struct gms_drawing {
    double width, height;
    gms_point_t *switches; /* by number */
    gms_point_t *nodes;    /* by node - 1 */
} gms_drawing_t;

/** @return GMS_OK, GMS_ERR_NO_MEMORY (nothing to free) */
gms_status_t gms_drawing_make(const gms_report_run_t *run,
                              gms_drawing_t *drawing);
void gms_drawing_free(gms_drawing_t *drawing);

#endif
