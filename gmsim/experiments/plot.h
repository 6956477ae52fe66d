/* SPDX-License-Identifier: BSD-3-Clause */
/** Draws the figures of the experiments as SVG files, with gnuplot. */
#ifndef EXPERIMENTS_PLOT_H
#define EXPERIMENTS_PLOT_H

#include "experiments/result.h"

/**
 * Draw the curves of a result to DIRECTORY/NAME.svg, with published numbers
 * marked. The function draws nothing if the result has no figure or no points.
 *
 * @return GMS_OK
 * @return GMS_ERR_SYSTEM gnuplot is missing or failed, and has printed the
 * reason
 */
gms_status_t gms_plot_write(const gms_result_t *result, const char *directory);

/** Return 1 if gnuplot is installed. */
int gms_plot_is_possible(void);
/** Return 1 if the result has points to draw. */
int gms_plot_has(const gms_result_t *result);

#endif
