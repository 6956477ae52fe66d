/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Moves the ranks of a job between the job's processing unit and all units of
 * the machine. Context switches are cheapest on one unit; on several units,
 * ranks compute at the same time. A thread of rank 0 samples all ranks every
 * few milliseconds of real time (bind_policy.h). The calls of the ranks need no
 * additional instructions. The binder has no effect on virtual time.
 */
#ifndef JOB_BINDER_H
#define JOB_BINDER_H

#include "engine/arena.h"
#include "engine/gate.h"
#include "job/bind.h"

typedef struct gms_binder gms_binder_t;               /* in the arena */
typedef struct gms_binder_thread gms_binder_thread_t; /* of one process */

/** Create the binder of a job whose ranks share `unit`. The ranks may leave the
 *  unit for all units that the caller may use.
 *  @param [in]  ranks     largest number of ranks
 *  @param [out] binder_p  NULL if there is no other unit
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_binder_create(gms_arena_t *arena, int unit, unsigned ranks,
                               gms_binder_t **binder_p);
/** Let the binder move the calling process, which has been bound to the job's
 *  unit. The call has no effect if the process could use other units than the
 *  creator of the binder (`before`), because the user has chosen them.
 *  @param [in] binder  may be NULL */
void gms_binder_add(gms_binder_t *binder, unsigned rank,
                    const gms_bind_t *before);
/** Never move this rank again. */
void gms_binder_remove(gms_binder_t *binder, unsigned rank);

/** Start the thread that moves the ranks.
 *  @return NULL if binder is NULL, or the thread could not be started. The run
 *    is then slower. */
gms_binder_thread_t *gms_binder_start(gms_binder_t *binder, gms_ctx_t *ctx);
/** Stop the thread and free its state. Ranks that compute at this moment leave
 *  the shared unit, because no thread will move them later. The caller does not
 *  hold the gate's lock. */
void gms_binder_stop(gms_binder_thread_t *thread);

#endif
