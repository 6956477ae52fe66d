/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the options and functions that the source files of gmsim sweep
 * (sweep*.c) share. */
#ifndef TOOL_SWEEP_H
#define TOOL_SWEEP_H

#include <stdio.h>

#include "sweep/run.h"

typedef enum gms_tool_sweep_how {
    GMS_TOOL_SWEEP_HERE = 0, /* run the points on this machine */
    GMS_TOOL_SWEEP_POINT,    /* run some points, but do not write CSV */
    GMS_TOOL_SWEEP_LIST,
    GMS_TOOL_SWEEP_DRY,
    GMS_TOOL_SWEEP_GATHER,
    GMS_TOOL_SWEEP_SLURM,
    GMS_TOOL_SWEEP_PARALLEL
} gms_tool_sweep_how_t;

typedef struct gms_tool_sweep_args {
    const char *file, *output, *point;
    const char *plot;    /* directory for the pictures; NULL: no pictures */
    const char *options; /* options for sbatch or GNU parallel */
    const char *sshlogin;
    gms_tool_sweep_how_t how;
    unsigned jobs;  /* 0 if the option is not given */
    uint64_t chunk; /* 0 if the option is not given */
    int is_script, is_waiting, is_retry, is_restart, is_quiet;
} gms_tool_sweep_args_t;

/** A sweep and its directory. */
typedef struct gms_tool_sweep {
    gms_tool_sweep_args_t args;
    gms_sweep_t sweep;
    gms_sweep_state_t state;
    char *directory, *csv, *summary; /* paths of the output files, for
                                        messages */
    int is_undrawn; /* 1: pictures are requested, but gnuplot is missing */
} gms_tool_sweep_t;

/** Find the runs that must still be executed; the caller frees *runs_p.
 *  @return 1, or 0 after a message if memory is insufficient */
int gms_tool_sweep_todo(const gms_tool_sweep_t *tool, uint64_t **runs_p,
                        uint64_t *count_p);

/* The functions below return an exit status. */

/** Print every point with its state. */
int gms_tool_sweep_list(const gms_tool_sweep_t *tool);
/** Print the commands that the sweep would run now. */
int gms_tool_sweep_dry(const gms_tool_sweep_t *tool);
/** Write both CSV files, and report failed points. */
int gms_tool_sweep_gather(const gms_tool_sweep_t *tool);
/** Check whether --plot can draw the results of this sweep, and create the
 *  directory for the pictures. If gnuplot is missing, print a message and
 *  continue without pictures. */
int gms_tool_sweep_plot_check(gms_tool_sweep_t *tool);
/** Submit the points to Slurm or GNU parallel. */
int gms_tool_sweep_submit(const gms_tool_sweep_t *tool);

/* ---- pictures ---- */

typedef struct gms_tool_sweep_plot {
    const gms_tool_sweep_t *tool;
    const gms_sweep_variable_t *x;     /* parameter on the x axis */
    struct gms_sweep_drawing *drawing; /* picture of the current result */
    size_t result;
    FILE *names; /* stream that collects the names of the pictures in a
                  * string */
    char *text;
    size_t len;
    unsigned drawn;
    int status; /* exit status */
} gms_tool_sweep_plot_t;

/** Begin to draw the pictures of a sweep. @return 0; -1 if memory is
 *  insufficient (in this case, do not call gms_tool_sweep_plot_end()) */
int gms_tool_sweep_plot_begin(gms_tool_sweep_plot_t *plot,
                              const gms_tool_sweep_t *tool);
/** Add a point; this function is a gms_sweep_mean_fn. The first point of a
 *  result completes the picture of the previous result. */
void gms_tool_sweep_plot_point(gms_tool_sweep_plot_t *plot, size_t result,
                               uint64_t run, double mean, double half);
/** Draw the last result, and free the plot. */
int gms_tool_sweep_plot_end(gms_tool_sweep_plot_t *plot);

#endif
