/* SPDX-License-Identifier: BSD-3-Clause */
/** Figures of the experiments as SVG files, drawn by gnuplot. */
#ifndef EXPERIMENTS_PLOT_H
#define EXPERIMENTS_PLOT_H

#include "experiments/result.h"

/**
 * Draw a result's curves into FOLDER/NAME.svg, printed numbers marked. A result
 * without a figure or without points draws nothing.
 *
 * @return GMS_OK
 * @return GMS_ERR_SYSTEM  gnuplot is not there or failed (it has said why)
 */
gms_status_t gms_plot_write(const gms_result_t *result, const char *directory);

/** 1 if gnuplot is there. */
int gms_plot_is_possible(void);
/** 1 if the result has something to draw. */
int gms_plot_has(const gms_result_t *result);

#endif
