/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Traces the run of the process if GMSIM_TRACE is set (observe/trace.h). This
 * file also passes the trace points to all observers, which are the record
 * (job/record.h) and the trace. The variables have the same values in all
 * ranks. The process that builds the job's arena starts the outputs, and the
 * last rank that leaves completes them.
 */
#ifndef JOB_TRACE_H
#define JOB_TRACE_H

#include "fabric/faults.h"
#include "job/sim.h"
#include "observe/trace.h"

/** Check the settings of the requested trace, and whether its files can be
 *  written. The check requires no other processes. The function creates
 *  sim->trace if the run is traced. Otherwise sim->trace remains NULL.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY; GMS_ERR_CONFIG with the reason in
 *          error */
gms_status_t gms_sim_try_trace(gms_sim_t *sim, char error[GMS_ERROR_LEN]);
/** Return the trace configuration for building the job's arena, or NULL if the
 *  run is not traced. */
const gms_trace_config_t *gms_sim_trace_config(const gms_sim_t *sim);
/** Open the outputs. Call this function after all ranks have joined. An error
 *  ends the job. */
void gms_sim_begin_trace(gms_sim_t *sim);
/** End the trace. The last process that leaves the job calls this function. */
void gms_sim_end_trace(gms_ctx_t *ctx);
/** Close the files and free the memory that this process uses. */
void gms_sim_close_trace(gms_sim_t *sim);

/** Connect the trace points to the record and the trace after both have
 *  begun. */
void gms_sim_observe(gms_sim_t *sim);
/** Report that a fault occurs now. The cluster description or a program has
 *  scheduled this fault. */
void gms_sim_trace_fault(gms_ctx_t *ctx, const gms_fault_event_t *event);
/** Report that the process is absent from now on. The caller must hold the
 *  lock. */
void gms_sim_trace_leave(gms_sim_t *sim);
/** Return the calling thread and its current virtual time. The caller must hold
 *  the lock. */
gms_gm_rank_t gms_sim_who(const gms_sim_t *sim);
/** Return 1 if the trace contains calls of MPI. */
int gms_sim_traces_mpi(const gms_sim_t *sim);

#endif
