/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to gmsim sweep: the options and functions that sweep*.c share. */
#ifndef TOOL_SWEEP_H
#define TOOL_SWEEP_H

#include <stdio.h>

#include "sweep/run.h"

typedef enum gms_tool_sweep_how {
    GMS_TOOL_SWEEP_HERE = 0, /* run the points on this machine */
    GMS_TOOL_SWEEP_POINT,    /* run some, gather nothing */
    GMS_TOOL_SWEEP_LIST,
    GMS_TOOL_SWEEP_DRY,
    GMS_TOOL_SWEEP_GATHER,
    GMS_TOOL_SWEEP_SLURM,
    GMS_TOOL_SWEEP_PARALLEL
} gms_tool_sweep_how_t;

typedef struct gms_tool_sweep_args {
    const char *file, *output, *point;
    const char *plot;    /* folder of pictures; NULL: none */
    const char *options; /* of sbatch or parallel */
    const char *sshlogin;
    gms_tool_sweep_how_t how;
    unsigned jobs;  /* 0: not given */
    uint64_t chunk; /* 0: not given */
    int is_script, is_waiting, is_retry, is_restart, is_quiet;
} gms_tool_sweep_args_t;

/** A sweep that has been read, and its folder. */
typedef struct gms_tool_sweep {
    gms_tool_sweep_args_t args;
    gms_sweep_t sweep;
    gms_sweep_state_t state;
    char *directory, *csv, *summary; /* paths as they are shown */
    int is_undrawn; /* pictures are wanted, and there is nobody to draw them */
} gms_tool_sweep_t;

/** The runs that are still to be done; the caller frees *runs_p.
 *  @return 0 after a message if memory is lacking, else 1 */
int gms_tool_sweep_todo(const gms_tool_sweep_t *tool, uint64_t **runs_p,
                        uint64_t *count_p);

/* All others return an exit status. */

/** Each point, and how far it is. */
int gms_tool_sweep_list(const gms_tool_sweep_t *tool);
/** What would be run now. */
int gms_tool_sweep_dry(const gms_tool_sweep_t *tool);
/** Write both files, tell what has failed. */
int gms_tool_sweep_gather(const gms_tool_sweep_t *tool);
/** --plot: can this be drawn? Makes the folder. Tells of a missing gnuplot, with
 *  which the rest is done all the same. */
int gms_tool_sweep_plot_check(gms_tool_sweep_t *tool);
/** By Slurm or GNU parallel. */
int gms_tool_sweep_submit(const gms_tool_sweep_t *tool);

/* ---- pictures ---- */

typedef struct gms_tool_sweep_plot {
    const gms_tool_sweep_t *tool;
    const gms_sweep_variable_t *x;     /* what they are drawn over */
    struct gms_sweep_drawing *drawing; /* of this result */
    size_t result;
    FILE *names; /* of what is drawn, into text */
    char *text;
    size_t len;
    unsigned drawn;
    int status; /* exit status */
} gms_tool_sweep_plot_t;

/** @return 0; -1 without memory, and then there is nothing to end */
int gms_tool_sweep_plot_begin(gms_tool_sweep_plot_t *plot,
                              const gms_tool_sweep_t *tool);
/** As gms_sweep_mean_fn has it. Draws a result when another one begins. */
void gms_tool_sweep_plot_point(gms_tool_sweep_plot_t *plot, size_t result,
                               uint64_t run, double mean, double half);
/** Draw the last one. */
int gms_tool_sweep_plot_end(gms_tool_sweep_plot_t *plot);

#endif
