/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Manages the file that contains a job's arena. The processes of a job find
 * each other through this file.
 *
 *   DIRECTORY/gmsim-UID-JOB:   | header, one page | arena .. |
 *
 * The first process creates the file and builds the cluster in it. The last
 * process that maps the file unlinks it. Therefore, no file remains, even if
 * the job fails later.
 *
 * Locks (flock) indicate whether a process still needs the name. The builder
 * holds an exclusive lock while it builds the arena. Every process holds a
 * shared lock from the time when it maps the file until the job has started. A
 * file that no process has locked was left behind by killed processes. Every
 * start of a job removes such files. A name can be removed or reused at any
 * moment. Therefore, a process that has received a lock must check that the
 * name still refers to the same file.
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include <stdint.h>

#include "params/params.h"
#include "engine/arena.h"
#include "job/launch.h"

/** Directory that contains the files of all jobs. */
#define GMS_JOB_DIRECTORY "/dev/shm"

typedef struct gms_job gms_job_t; /* a structure in the memory of one process,
                                   * not in the arena */

/** Description of a job, as provided by one of its processes. All processes of
 *  a job must provide the same description, except for the rank. */
typedef struct gms_job_spec {
    const char *directory;
    const char *name; /**< name of the job, from gms_launch_t */
    unsigned rank;
    unsigned size;      /**< number of ranks of the job */
    uint64_t layout;    /**< result of gms_root_layout(): a number that differs
                         *   between builds with different object layouts */
    const char *source; /**< name of the source of params, used in error
                         *   messages */
    const gms_params_t *params;
    uint64_t placement_digest; /**< gms_placement_digest() */
} gms_job_spec_t;

/**
 * Build the contents of a new arena. The first process of the job calls this
 * function. When it returns, all objects that the processes share must be
 * reachable from the arena's root.
 * @return GMS_OK, or an error with its reason in error
 */
typedef gms_status_t gms_job_build_fn(gms_arena_t *arena, void *context,
                                      char error[GMS_ERROR_LEN]);

/**
 * Create the job's arena or find the existing one, and map it at
 * GMS_ARENA_ADDRESS.
 *
 * The function waits at most params->start_limit_s seconds of real time for the
 * process that builds the cluster.
 *
 * @param [out] job_p changed only if the function returns GMS_OK; release it
 *                     with gms_job_detach()
 * @param [out] error  reason, and what the user can do
 *
 * @return GMS_OK
 * @return GMS_ERR_BUSY       this process already uses the address
 * @return GMS_ERR_NO_MEMORY  not enough memory for the arena
 * @return GMS_ERR_CONFIG     the processes of the job have different
 *                            descriptions
 * @return GMS_ERR_PEER_DIED  the builder died
 * @return GMS_ERR_TIMED_OUT  the builder did not finish in time
 * @return GMS_ERR_SYSTEM     a system call failed
 * @return the error that the function `build` returned
 */
gms_status_t gms_job_attach(const gms_job_spec_t *spec, gms_job_build_fn *build,
                            void *context, gms_job_t **job_p,
                            char error[GMS_ERROR_LEN]);
gms_arena_t *gms_job_arena(const gms_job_t *job);
/**
 * Map the arena of a running job, for a spawned process.
 *
 * @param [in] path    the file, which a process of the job has open:
 *                     /proc/PROCESS/fd/DESCRIPTOR. The file has no other name,
 *                     because it was unlinked when the job started.
 * @param [in] layout  see gms_job_spec_t
 * @return GMS_OK, or an error of gms_job_attach()
 */
gms_status_t gms_job_attach_running(const char *path, uint64_t layout,
                                    gms_job_t **job_p,
                                    char error[GMS_ERROR_LEN]);
/** Release the lock. Call this function after all processes of the job have
 *  mapped the arena. The descriptor remains open for gms_job_descriptor(). */
void gms_job_started(gms_job_t *job);
/** Return the descriptor of the file, or -1. Spawned processes find the arena
 *  through this descriptor. */
int gms_job_descriptor(const gms_job_t *job);
/** Release the lock and unlink the file. Call this function if the job cannot
 *  start. */
void gms_job_give_up(gms_job_t *job);
/** Unmap the arena. NULL is allowed. */
void gms_job_detach(gms_job_t *job);

/** Remove the files of this user's jobs that no process holds a lock on.
 *  @return number of removed files */
unsigned gms_job_sweep(const char *directory);

#endif
