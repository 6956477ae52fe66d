/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Writes scripts that execute the points of a sweep on several machines that
 * share a file system. The scripts are numbered. They are in DIRECTORY/jobs:
 *
 *     1.points    a line for each task: "3,7-9"
 *     1.sh        runs one task: of a job array of Slurm, or `1.sh POINTS`
 *     1.parallel  runs 1.sh for each line, with GNU parallel; not for Slurm
 */
#ifndef SWEEP_SUBMIT_H
#define SWEEP_SUBMIT_H

#include "sweep/state.h"

typedef struct gms_sweep_submission {
    const char *gmsim; /* absolute path of the tool */
    /* absolute path of the current directory, which is the working directory of
     * the commands */
    const char *directory;
    int is_parallel; /* 1 if GNU parallel executes the points; 0 if Slurm
                      * executes them */
    /* options that are passed unchanged to sbatch or parallel; "": no
     * options */
    const char *options;
    const char *sshlogin; /* hosts for parallel, or NULL for this machine
                           * only */
    uint64_t chunk;       /* number of points per task, >= 1 */
    /* maximum number of simultaneous tasks; 0 means no limit */
    uint64_t most;
} gms_sweep_submission_t;

typedef struct gms_sweep_scripts {
    char *task, *points, *parallel; /* allocated paths of the scripts */
    uint64_t tasks;
} gms_sweep_scripts_t;

/** Writes the scripts for a list of runs.
 *  @param [out] scripts free them with gms_sweep_scripts_clear()
 *  @return GMS_OK, GMS_ERR_SYSTEM, GMS_ERR_NO_MEMORY with a message in error */
gms_status_t gms_sweep_submit(const gms_sweep_t *sweep,
                              const gms_sweep_state_t *state,
                              const uint64_t *runs, uint64_t count,
                              const gms_sweep_submission_t *submission,
                              gms_sweep_scripts_t *scripts,
                              char error[GMS_YAML_ERROR_LEN]);
void gms_sweep_scripts_clear(gms_sweep_scripts_t *scripts);

/** Formats runs as a list of points, for example "3,7-9" for the runs 2, 6, 7
 *  and 8.
 *  @return the text, which the caller frees, or NULL */
char *gms_sweep_points_text(const uint64_t *runs, uint64_t count);
/** Parses a list of points.
 *  @param [out] runs_p the runs in the order of the list that was parsed; the
 *    caller frees this array
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM, GMS_ERR_NO_MEMORY */
gms_status_t gms_sweep_points_parse(const char *text, uint64_t all,
                                    uint64_t **runs_p, uint64_t *count_p);

#endif
