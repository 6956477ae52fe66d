/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Traces of the process's run, if GMSIM_TRACE is set (observe/trace.h), and the
 * trace points that all observers share: the record (job/record.h) and the
 * trace. All ranks have the same variables; the builder of the job's arena
 * begins the outputs, and the last rank to leave ends them.
 */
#ifndef JOB_TRACE_H
#define JOB_TRACE_H

#include "fabric/faults.h"
#include "job/sim.h"
#include "observe/trace.h"

/** Before other processes are involved: what is to be traced, and can it be
 *  written? Makes sim->trace, or leaves it NULL.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_CONFIG with what is wrong */
gms_status_t gms_sim_try_trace(gms_sim_t *sim, char error[GMS_ERROR_LEN]);
/** What the job's arena is to be built with; NULL: no trace. */
const gms_trace_config_t *gms_sim_trace_config(const gms_sim_t *sim);
/** All ranks have joined: open the outputs. What goes wrong now ends the job. */
void gms_sim_begin_trace(gms_sim_t *sim);
/** The last process leaves. */
void gms_sim_end_trace(gms_ctx_t *ctx);
/** Files and memory of this process. */
void gms_sim_close_trace(gms_sim_t *sim);

/** Record and trace have begun: tell them what is seen from now on. */
void gms_sim_observe(gms_sim_t *sim);
/** A fault of a description or of a program happens now. */
void gms_sim_trace_fault(gms_ctx_t *ctx, const gms_fault_event_t *event);
/** The process is absent from now on; lock held. */
void gms_sim_trace_leave(gms_sim_t *sim);
/** The calling thread, and its clock now; lock held. */
gms_gm_rank_t gms_sim_who(const gms_sim_t *sim);
/** Whether the calls of MPI are traced. */
int gms_sim_traces_mpi(const gms_sim_t *sim);

#endif
