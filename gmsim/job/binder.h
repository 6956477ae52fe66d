/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Moves the ranks of a job between the job's processing unit and all units of
 * the machine. Context switches are fastest on one unit. On several units,
 * ranks can compute at the same time. A thread of rank 0 samples all ranks
 * every few milliseconds of real time (bind_policy.h). The ranks' calls need no
 * additional instructions. The binder has no effect on virtual time.
 */
#ifndef JOB_BINDER_H
#define JOB_BINDER_H

#include "engine/arena.h"
#include "engine/gate.h"
#include "job/bind.h"

typedef struct gms_binder gms_binder_t;               /* this structure is in
                                                       * the arena */
typedef struct gms_binder_thread gms_binder_thread_t; /* this structure is in
                                                       * the memory of one
                                                       * process */

/** Create the binder of a job whose ranks share `unit`. The binder can
 *  later let the ranks use all units that are available to the caller.
 *  @param [in]  ranks     maximum number of ranks
 *  @param [out] binder_p  NULL if the machine has no other unit
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_binder_create(gms_arena_t *arena, int unit, unsigned ranks,
                               gms_binder_t **binder_p);
/** Let the binder move the calling process, which has been bound to the job's
 *  unit. The call has no effect if the allowed units of the process differ from
 *  those of the binder's creator (`before`), because the user has chosen them.
 *  @param [in] binder  may be NULL */
void gms_binder_add(gms_binder_t *binder, unsigned rank,
                    const gms_bind_t *before);
/** Never move this rank again. */
void gms_binder_remove(gms_binder_t *binder, unsigned rank);

/** Start the thread that moves the ranks.
 *  @return NULL if binder is NULL or if the thread could not be started.
 *    Without the thread, the run is slower. */
gms_binder_thread_t *gms_binder_start(gms_binder_t *binder, gms_ctx_t *ctx);
/** Stop the thread and free its state. Ranks that are computing at this time
 *  leave the shared unit, because no thread will move them later. The caller
 *  must not hold the gate's lock. */
void gms_binder_stop(gms_binder_thread_t *thread);

#endif
