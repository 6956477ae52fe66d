/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Records the run of the process if GMSIM_RECORD is set (observe/record.h). The
 * variable has the same value in all ranks. Rank 0 starts the record, and the
 * last rank that leaves the job completes it.
 */
#ifndef JOB_RECORD_H
#define JOB_RECORD_H

#include "fabric/faults.h"
#include "job/sim.h"

/** Check whether the run can be recorded. The check requires no other
 *  processes.
 *  @return GMS_OK; GMS_ERR_CONFIG with the reason in error */
gms_status_t gms_sim_try_record(const gms_launch_t *launch,
                                char error[GMS_ERROR_LEN]);
/** Open the files, and start the record in rank 0. Call this function after all
 *  ranks have joined. An error ends the job. */
void gms_sim_begin_record(gms_sim_t *sim, const gms_profile_t *profile);
/** Record a trace point or a fault. The run must be recorded (gm/trace.h). */
void gms_sim_record_tracepoint(gms_ctx_t *ctx, uint32_t what,
                               const void *thing);
void gms_sim_record_fault(gms_ctx_t *ctx, const char *text);
/** Set the name of a label. The name applies from now on. Call this function
 *  only when it is the caller's turn (engine/gate.h). */
void gms_sim_record_label(gms_sim_t *sim, unsigned label, const char *name);
/** Set the fraction of a flow's bandwidth that carries the program's own data.
 *  Call this function only when it is the caller's turn. */
void gms_sim_record_payload(gms_sim_t *sim, unsigned node,
                            const gms_flow_key_t *key, double part);
/** End the record. The last process that leaves the job calls this function. */
void gms_sim_end_record(gms_ctx_t *ctx);
/** Close the files and free the memory that this process uses. */
void gms_sim_close_record(gms_sim_t *sim);

#endif
