/* SPDX-License-Identifier: BSD-3-Clause */
/* gmsim sweep: what its parts share. */
#ifndef TOOL_SWEEP_H
#define TOOL_SWEEP_H

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
    const char *options;  /* of sbatch or parallel */
    const char *sshlogin;
    gms_tool_sweep_how_t how;
    unsigned jobs;        /* 0: not given */
    uint64_t chunk;       /* 0: not given */
    int is_script, is_waiting, is_retry, is_restart, is_quiet;
} gms_tool_sweep_args_t;

/** A sweep that has been read, and its folder. */
typedef struct gms_tool_sweep {
    gms_tool_sweep_args_t args;
    gms_sweep_t sweep;
    gms_sweep_state_t state;
    char *folder, *csv, *summary; /* paths as they are shown */
} gms_tool_sweep_t;

/* All return an exit status. */

/** Each point, and how far it is. */
int gms_tool_sweep_list(const gms_tool_sweep_t *tool);
/** What would be run now. */
int gms_tool_sweep_dry(const gms_tool_sweep_t *tool);
/** Write both files, tell what has failed. */
int gms_tool_sweep_gather(const gms_tool_sweep_t *tool);
/** By Slurm or GNU parallel. */
int gms_tool_sweep_submit(const gms_tool_sweep_t *tool);

#endif
