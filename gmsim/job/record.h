/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The record of the process's run, if GMSIM_RECORD is set (observe/record.h).
 * All ranks have the same variable; rank 0 begins the record, and the last rank
 * to leave ends it.
 */
#ifndef JOB_RECORD_H
#define JOB_RECORD_H

#include "fabric/faults.h"
#include "job/sim.h"

/** Before other processes are involved: could the run be recorded?
 *  @return GMS_OK, GMS_ERR_CONFIG with what is wrong */
gms_status_t gms_sim_try_record(const gms_launch_t *launch,
                                char error[GMS_ERROR_LEN]);
/** All ranks have joined: open the files, in rank 0 begin the record. What goes
 *  wrong now ends the job. */
void gms_sim_begin_record(gms_sim_t *sim, const gms_profile_t *profile);
/** Something is seen, a fault happens; the run is recorded (gm/trace.h). */
void gms_sim_record_tracepoint(gms_ctx_t *ctx, uint32_t what,
                               const void *thing);
void gms_sim_record_fault(gms_ctx_t *ctx, const char *text);
/** A label's name from now on; the caller's turn. */
void gms_sim_record_label(gms_sim_t *sim, unsigned label, const char *name);
/** What part of a flow is its program's own data; the caller's turn. */
void gms_sim_record_payload(gms_sim_t *sim, unsigned node,
                            const gms_flow_key_t *key, double part);
/** The last process leaves. */
void gms_sim_end_record(gms_ctx_t *ctx);
/** Files and memory of this process. */
void gms_sim_close_record(gms_sim_t *sim);

#endif
