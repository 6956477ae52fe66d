/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connects a process with the trace of its run, and passes trace points to the
 * record and the trace.
 */
#include "job/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/record.h"

typedef struct gms_sim_trace {
    gms_trace_config_t config;
    gms_tracer_t tracer;
    unsigned threads; /* number of this process's threads that have called the
                       * library */
} gms_sim_trace_t;

/* Number of this thread in the process, counting from 1, or 0 if the thread has
 * not called the library yet. */
static __thread unsigned gms_sim_thread;

/* ---- begin and end ---- */

gms_status_t gms_sim_try_trace(gms_sim_t *sim, char error[GMS_ERROR_LEN])
{
    const gms_launch_t *launch = &sim->launch;
    gms_sim_trace_t *trace = calloc(1, sizeof(*trace));
    char why[GMS_TRACE_ERROR_LEN] = "out of memory";
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (trace != NULL) {
        status = gms_trace_configure(launch->trace, launch->trace_format,
                                     launch->trace_only, launch->trace_window,
                                     &trace->config, why);
    }
    if (status == GMS_OK) {
        status = gms_trace_check(&trace->config, why);
    }
    if (status != GMS_OK) {
        (void)snprintf(error, GMS_ERROR_LEN, "%s", why);
    }
    if (status != GMS_OK || trace->config.outputs == 0) {
        free(trace);
        return status;
    }
    sim->trace = trace;
    return GMS_OK;
}

const gms_trace_config_t *gms_sim_trace_config(const gms_sim_t *sim)
{
    return sim->trace != NULL ? &sim->trace->config : NULL;
}

void gms_sim_begin_trace(gms_sim_t *sim)
{
    gms_sim_trace_t *trace = sim->trace;

    /* If the environment of the arena's creator does not request a trace, this
     * process does not write a trace. */
    if (trace == NULL || sim->root->trace == NULL) {
        free(trace);
        sim->trace = NULL;
        return;
    }
    if (gms_tracer_open(&trace->tracer, &trace->config, sim->root->trace) !=
        GMS_OK) {
        gms_fatal(&sim->ctx,
                  "environment variable GMSIM_TRACE: cannot write '%s': %s",
                  sim->launch.trace, strerror(errno));
    }
    if (gms_tracer_needs_nics(&trace->tracer)) {
        gms_nic_watch(&sim->ctx);
    }
}

void gms_sim_end_trace(gms_ctx_t *ctx)
{
    gms_sim_t *sim = gms_sim();
    char error[GMS_TRACE_ERROR_LEN] = "out of memory";

    if (sim->trace != NULL &&
        gms_tracer_end(ctx, &sim->trace->tracer, error) != GMS_OK) {
        gms_sim_lost(sim, "the trace is incomplete: %s", error);
    }
}

void gms_sim_close_trace(gms_sim_t *sim)
{
    if (sim->trace != NULL) {
        sim->ctx.on_tracepoint = NULL;
        sim->ctx.is_traced = 0;
        gms_tracer_close(&sim->trace->tracer);
        free(sim->trace);
        sim->trace = NULL;
    }
}

/* ---- distribution of trace points ---- */

static void gms_sim_on_tracepoint(gms_ctx_t *ctx, uint32_t what,
                                  const void *thing)
{
    gms_sim_t *sim = gms_sim();

    if (sim->record != NULL) {
        gms_sim_record_tracepoint(ctx, what, thing);
    }
    if (sim->trace != NULL) {
        gms_tracer_on_tracepoint(ctx, &sim->trace->tracer, what, thing);
    }
}

/* Set the function that receives all trace points. If the run is recorded but
 * not traced, the trace points call the record directly. This shortcut saves
 * time, because every packet passes several trace points. */
void gms_sim_observe(gms_sim_t *sim)
{
    if (sim->trace != NULL) {
        sim->ctx.on_tracepoint = gms_sim_on_tracepoint;
        sim->ctx.is_traced = 1;
    } else if (sim->record != NULL) {
        sim->ctx.on_tracepoint = gms_sim_record_tracepoint;
    }
}

void gms_sim_trace_fault(gms_ctx_t *ctx, const gms_fault_event_t *event)
{
    gms_sim_t *sim = ctx->owner;
    char text[GMS_FAULT_TEXT_LEN] = "rates";

    if (sim == NULL || ctx->on_tracepoint == NULL) {
        return;
    }
    if (event->kind <= GMS_FAULT_STOP) {
        (void)gms_fault_event_text(
            event, gms_fabric_topology(sim->root->fabric), text);
    }
    if (sim->record != NULL) {
        gms_sim_record_fault(ctx, text);
    }
    if (sim->trace != NULL) {
        gms_tracer_fault(ctx, &sim->trace->tracer, text);
    }
}

/* ---- activity of this process ---- */

gms_gm_rank_t gms_sim_who(const gms_sim_t *sim)
{
    gms_gm_rank_t who = {.rank = sim->launch.rank,
                         .clock_ps = gms_gate_clock(&sim->ctx)};

    if (gms_sim_thread == 0 && sim->trace != NULL) {
        gms_sim_thread = ++sim->trace->threads;
    }
    who.thread = gms_sim_thread - 1;
    return who;
}

void gms_sim_trace_leave(gms_sim_t *sim)
{
    gms_gm_rank_t who;

    if (sim->ctx.is_traced) {
        who = gms_sim_who(sim);
        gms_ctx_tracepoint(&sim->ctx, GMS_GM_TRACEPOINT_LEAVE, &who);
    }
}

int gms_sim_traces_mpi(const gms_sim_t *sim)
{
    return sim->trace != NULL &&
           (gms_trace_categories(&sim->trace->config) & GMS_TRACE_MPI) != 0;
}
