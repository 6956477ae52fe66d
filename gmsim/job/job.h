/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The file behind a job's arena, by which the processes of a job find each
 * other.
 *
 *   DIRECTORY/gmsim-UID-JOB:   | header, one page | arena .. |
 *
 * The first process creates the file and builds the cluster in it. The last
 * process to map it removes its name, therefore no file remains after any later
 * failure.
 *
 * Locks (flock) state which processes need the name: the builder holds an
 * exclusive lock while it builds, every process holds a shared lock from
 * mapping until the job has started. A file without a lock is left over from
 * processes that were killed; every start removes such files. A name can be
 * removed or reused at any moment, so a lock counts only after a check that the
 * name still refers to the same file.
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include <stdint.h>

#include "params/params.h"
#include "engine/arena.h"
#include "job/launch.h"

/** Where the files of all jobs are. */
#define GMS_JOB_DIRECTORY "/dev/shm"

typedef struct gms_job gms_job_t; /* private to a process */

/** What a process brings along; all processes of a job must bring the same,
 *  except for the rank. */
typedef struct gms_job_spec {
    const char *directory;
    const char *name; /**< GM_LAUNCH's job */
    unsigned rank;
    unsigned size;      /**< ranks of the job */
    uint64_t layout;    /**< differs between builds whose objects differ */
    const char *source; /**< where params come from, for messages */
    const gms_params_t *params;
    uint64_t placement_digest; /**< gms_placement_digest() */
} gms_job_spec_t;

/**
 * Fill a fresh arena; called in the process that came first. All that the
 * processes share must hang from the arena's root when this returns.
 * @return GMS_OK, or an error with its reason in error
 */
typedef gms_status_t gms_job_build_fn(gms_arena_t *arena, void *context,
                                      char error[GMS_ERROR_LEN]);

/**
 * Create or find the job's arena and map it at GMS_ARENA_ADDRESS.
 *
 * Waits at most params->start_limit_s seconds of wall time for the builder.
 *
 * @param [out] job_p  untouched unless GMS_OK; the caller gives it to
 *                     gms_job_detach()
 * @param [out] error  what is wrong and what to do
 *
 * @return GMS_OK
 * @return GMS_ERR_BUSY       the address is taken in this process
 * @return GMS_ERR_NO_MEMORY  no room for the arena
 * @return GMS_ERR_CONFIG     the processes of the job disagree
 * @return GMS_ERR_PEER_DIED  the builder died
 * @return GMS_ERR_TIMED_OUT  the builder did not come to an end
 * @return GMS_ERR_SYSTEM     a system call failed
 * @return what build returned
 */
gms_status_t gms_job_attach(const gms_job_spec_t *spec, gms_job_build_fn *build,
                            void *context, gms_job_t **job_p,
                            char error[GMS_ERROR_LEN]);
gms_arena_t *gms_job_arena(const gms_job_t *job);
/** All processes of the job have mapped the arena: release the lock. */
void gms_job_started(gms_job_t *job);
/** The job cannot start: remove the file's name, too. */
void gms_job_give_up(gms_job_t *job);
/** Unmap. NULL is fine. */
void gms_job_detach(gms_job_t *job);

/** Remove the files of this user's jobs that nobody has locked.
 *  @return how many */
unsigned gms_job_sweep(const char *directory);

#endif
