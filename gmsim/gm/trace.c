/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports a port's GM calls, and the calls of libraries above GM, to the record
 * and the trace of the run.
 */
#include "gm/trace.h"

#include "gm/port.h"
#include "gmsim.h"
#include "job/trace.h"

void gms_port_trace_send(const struct gm_port *port,
                         const gms_send_desc_t *desc, gms_time_t cost_ps)
{
    gms_gm_sent_t sent = {.who = gms_sim_who(port->sim),
                          .node = port->node,
                          .port = port->number,
                          .desc = desc,
                          .cost_ps = cost_ps};

    gms_ctx_tracepoint(&port->sim->ctx, GMS_GM_TRACEPOINT_SEND, &sent);
}

void gms_port_trace_receive(const struct gm_port *port,
                            const gms_host_event_t *event, gms_time_t cost_ps)
{
    gms_gm_received_t received = {.who = gms_sim_who(port->sim),
                                  .node = port->node,
                                  .port = port->number,
                                  .event = event,
                                  .cost_ps = cost_ps};

    gms_ctx_tracepoint(&port->sim->ctx, GMS_GM_TRACEPOINT_RECEIVE, &received);
}

void gms_port_trace_callback(const struct gm_port *port, uint32_t slot,
                             gm_status_t status)
{
    gms_sim_t *sim = port->sim;
    gms_gm_callback_t callback = {
        .node = port->node,
        .port = port->number,
        .slot = slot,
        .status = status == GM_SUCCESS ? "ok" : gm_strerror(status)};

    gms_gate_lock(&sim->ctx);
    callback.who = gms_sim_who(sim);
    gms_ctx_tracepoint(&sim->ctx, GMS_GM_TRACEPOINT_CALLBACK, &callback);
    /* do not spend the time of the callback here; gms_sim_end() advances the
     * clock later */
    gms_gate_unlock(&sim->ctx);
}

/* ---- calls of libraries above GM ---- */

int gmsim_is_traced(void)
{
    const gms_sim_t *sim = gms_sim();

    return sim != NULL && gms_sim_traces_mpi(sim);
}

void gmsim_trace_call(const char *name, int is_entry)
{
    gms_sim_t *sim = gms_sim_joined();
    gms_gm_call_t call = {.is_entry = is_entry, .name = name};

    if (sim != NULL && name != NULL && gmsim_is_traced()) {
        gms_gate_lock(&sim->ctx);
        call.who = gms_sim_who(sim);
        gms_ctx_tracepoint(&sim->ctx, GMS_GM_TRACEPOINT_CALL, &call);
        gms_gate_unlock(&sim->ctx);
    }
}
