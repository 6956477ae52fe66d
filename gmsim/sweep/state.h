/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Manages the directory of a sweep. The directory always contains the state of
 * all runs:
 *
 *     definition          the command and the values, one item per line
 *     base.yaml           the base description
 *     lock                byte 0: the sweep is executed; byte N: point N is running
 *     points/0007/        a run: command, cluster.yaml, stdout, stderr, record,
 *                         and at its very end status
 *
 * A run without the file `status` has not finished, even if other files exist.
 * A lock disappears when the process that holds it ends for any reason.
 */
#ifndef SWEEP_STATE_H
#define SWEEP_STATE_H

#include "sweep/sweep.h"

#define GMS_SWEEP_STATUS_LEN 160

typedef enum gms_sweep_stage {
    GMS_SWEEP_OPEN = 0, /* the run has not started, or was interrupted */
    GMS_SWEEP_DONE,
    GMS_SWEEP_FAILED
} gms_sweep_stage_t;

typedef struct gms_sweep_status {
    gms_sweep_stage_t stage;
    char text[GMS_SWEEP_STATUS_LEN]; /* reason for the failure */
} gms_sweep_status_t;

typedef struct gms_sweep_state {
    char *directory; /* absolute */
    int lock;        /* descriptor of the directory, or -1 if the access is
                      * read-only */
} gms_sweep_state_t;

/** How a process accesses a directory. */
typedef enum gms_sweep_access {
    GMS_SWEEP_LOOK = 0, /* read-only; the directory need not exist */
    GMS_SWEEP_SHARE,    /* access by one of several processes that execute
                         * points */
    GMS_SWEEP_ALONE
} gms_sweep_access_t;

/**
 * Creates or opens the directory.
 *
 * @param [in] access see gms_sweep_access_t
 * @param [in] restart 1: delete existing runs (only with GMS_SWEEP_ALONE)
 * @param [out] state close it with gms_sweep_close()
 * @param [out] error the reason; if there are several differences, one line per
 *   difference
 * @return GMS_OK
 * @return GMS_ERR_CONFIG the directory was created with another version of the
 *   sweep file
 * @return GMS_ERR_BUSY another process is using the directory
 * @return GMS_ERR_SYSTEM the directory cannot be created or read, or does not
 *   belong to a sweep
 */
gms_status_t gms_sweep_open(const gms_sweep_t *sweep, const char *directory,
                            gms_sweep_access_t access, int restart,
                            gms_sweep_state_t *state,
                            char error[GMS_YAML_ERROR_LEN]);
void gms_sweep_close(gms_sweep_state_t *state);

/** Returns the path of a run's directory, or of a file in it. NULL selects the
 *  directory. The caller frees the path. Returns NULL if memory is
 *  exhausted. */
char *gms_sweep_path(const gms_sweep_t *sweep, const gms_sweep_state_t *state,
                     uint64_t run, const char *file);
/** Reads the status of a run. */
void gms_sweep_look(const gms_sweep_t *sweep, const gms_sweep_state_t *state,
                    uint64_t run, gms_sweep_status_t *status);
/** Writes the status of an ended run to its directory. From then on, the run
 *  counts as ended.
 *  @param [in] text "done", or "failed: WHY"
 *  @return GMS_OK, GMS_ERR_SYSTEM */
gms_status_t gms_sweep_finish(const char *directory, const char *text);
/** Deletes the status of a run. @return GMS_OK, GMS_ERR_SYSTEM */
gms_status_t gms_sweep_reopen(const gms_sweep_t *sweep,
                              const gms_sweep_state_t *state, uint64_t run);
/** Claims a run for this process and its children.
 *  @return GMS_OK, GMS_ERR_BUSY (another process is executing the run),
 *    GMS_ERR_SYSTEM */
gms_status_t gms_sweep_claim_run(const gms_sweep_state_t *state, uint64_t run);
void gms_sweep_release_run(const gms_sweep_state_t *state, uint64_t run);
/** Creates an empty directory for a run, and writes the command and the
 *  description of the run to it.
 *  @return GMS_OK, GMS_ERR_SYSTEM with errno, GMS_ERR_NO_MEMORY */
gms_status_t gms_sweep_prepare(const gms_sweep_t *sweep,
                               const gms_sweep_state_t *state, uint64_t run,
                               char error[GMS_YAML_ERROR_LEN]);

/** Writes a file atomically: the file appears completely or not at all.
 *  @return GMS_OK, GMS_ERR_SYSTEM with errno */
gms_status_t gms_sweep_write_file(const char *path, const char *text);

/* ---- definition.c ---- */

/** Returns the definition of the runs as text, which the caller frees. If the
 *  definition changes, the existing runs no longer belong to the sweep. */
char *gms_sweep_definition(const gms_sweep_t *sweep);
/** Describes the differences between two definitions, one per line. */
void gms_sweep_differ(const char *was, const char *is,
                      char error[GMS_YAML_ERROR_LEN]);

#endif
