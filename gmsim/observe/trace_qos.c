/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the trace items of flows: decisions about flows, their IDTs, and
 * their bandwidths.
 */
#include <stdio.h>

#include "base/queue.h"
#include "observe/trace_int.h"

GMS_QUEUE_DEFINE(gms_trace_flows, gms_trace_flows_t, gms_trace_flow_t, next);

static gms_trace_item_t gms_trace_now_item(const gms_ctx_t *ctx,
                                           enum gms_trace_kind kind,
                                           enum gms_trace_line line)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_trace_item_t item = {.at_ps = now_ps,
                             .begin_ps = now_ps,
                             .end_ps = now_ps,
                             .kind = (uint8_t)kind,
                             .line = (uint8_t)line};

    return item;
}

gms_trace_flow_t *gms_trace_flow(gms_ctx_t *ctx, gms_trace_t *trace,
                                 gms_flow_t *flow)
{
    gms_trace_flow_t *known = flow->traced;

    if (known == NULL) {
        known = gms_trace_alloc(ctx, sizeof(*known));
        known->flow = flow;
        known->number = trace->flows++;
        gms_trace_flows_put(&trace->known_flows, known);
        flow->traced = known;
    }
    return known;
}

/* ---- bandwidths ---- */

/* Show the bandwidth of an interval at the beginning of the interval. */
static void gms_trace_put_rate(gms_ctx_t *ctx, gms_tracer_t *tracer,
                               const gms_flow_t *flow, uint64_t step,
                               uint64_t bytes)
{
    gms_trace_item_t item =
        gms_trace_now_item(ctx, GMS_TRACE_FLOW_RATE, GMS_TRACE_OF_NIC);

    item.begin_ps = item.end_ps = step * GMS_TRACE_RATE_PS;
    item.number = gms_nic_node(flow->nic);
    item.flow = flow;
    item.id = bytes * (GMS_SECOND / GMS_TRACE_RATE_PS);
    if (gms_trace_is_shown(tracer->trace, GMS_TRACE_IDT, item.begin_ps)) {
        gms_trace_put(ctx, tracer, &item, NULL);
    }
}

void gms_trace_arrived(gms_ctx_t *ctx, gms_tracer_t *tracer, gms_flow_t *flow,
                       uint32_t bytes)
{
    gms_trace_flow_t *known = gms_trace_flow(ctx, tracer->trace, flow);
    uint64_t step = gms_engine_now(ctx->engine) / GMS_TRACE_RATE_PS;

    if (known->is_counted && step != known->step) {
        gms_trace_put_rate(ctx, tracer, flow, known->step, known->bytes);
        if (step > known->step + 1) {
            gms_trace_put_rate(ctx, tracer, flow, known->step + 1, 0);
        }
        known->bytes = 0;
    }
    known->is_counted = 1;
    known->step = step;
    known->bytes += bytes;
}

void gms_trace_end_flows(gms_ctx_t *ctx, gms_tracer_t *tracer)
{
    const gms_trace_flow_t *known;

    for (known = tracer->trace->known_flows.first; known != NULL;
         known = known->next) {
        if (known->is_counted) {
            gms_trace_put_rate(ctx, tracer, known->flow, known->step,
                               known->bytes);
            gms_trace_put_rate(ctx, tracer, known->flow, known->step + 1, 0);
        }
    }
}

/* ---- changes ---- */

void gms_trace_idt(gms_ctx_t *ctx, gms_tracer_t *tracer, gms_flow_t *flow)
{
    gms_trace_item_t item =
        gms_trace_now_item(ctx, GMS_TRACE_FLOW_IDT, GMS_TRACE_OF_NIC);

    item.number = gms_nic_node(flow->nic);
    item.flow = flow;
    item.value[0] = flow->idt_ticks;
    (void)gms_trace_flow(ctx, tracer->trace, flow);
    if (gms_trace_is_shown(tracer->trace, GMS_TRACE_IDT, item.begin_ps)) {
        gms_trace_put(ctx, tracer, &item, NULL);
    }
}

void gms_trace_stall(gms_ctx_t *ctx, gms_tracer_t *tracer,
                     const gms_flow_t *flow)
{
    gms_trace_item_t item =
        gms_trace_now_item(ctx, GMS_TRACE_BROKEN, GMS_TRACE_OF_FAULTS);
    char name[GMS_TRACE_FLOW_LEN], text[GMS_TRACE_FLOW_LEN + 32];

    if (gms_trace_is_shown(tracer->trace, GMS_TRACE_FAULT, item.begin_ps)) {
        gms_trace_flow_text(flow, name);
        (void)snprintf(text, sizeof(text), "stream %s stalls", name);
        gms_trace_put(ctx, tracer, &item, text);
    }
}

static const char *gms_trace_decision_name(const gms_qos_decision_t *decision)
{
    if (decision->is_release) {
        return "release";
    }
    return decision->status == GMS_OK &&
                   decision->verdict->criterion == GMS_QOS_OK
               ? "grant"
               : "denial";
}

void gms_trace_decision(gms_ctx_t *ctx, gms_tracer_t *tracer,
                        const gms_qos_decision_t *decision)
{
    gms_trace_item_t item =
        gms_trace_now_item(ctx, GMS_TRACE_DECISION, GMS_TRACE_OF_MANAGER);
    unsigned i;

    if (!gms_trace_is_shown(tracer->trace, GMS_TRACE_IDT, item.begin_ps)) {
        return;
    }
    for (i = 0; i < decision->count; ++i) {
        const gms_flow_request_t *flow = &decision->flows[i];
        const gms_grant_t *grant =
            gms_account_find(decision->account, flow->source_node, &flow->key);
        char text[256];
        int len = snprintf(
            text, sizeof(text), "%s: rank %u, %u.%u -> %u.%u label %u",
            gms_trace_decision_name(decision), flow->rank,
            flow->source_node + 1, flow->key.source_port,
            flow->key.target_node + 1u, flow->key.target_port, flow->key.label);

        if (!decision->is_release && flow->qos_class == GMS_QOS_PREMIUM) {
            len += snprintf(text + len, sizeof(text) - (size_t)len,
                            ", requested %.6g MB/s", flow->bytes_s / 1e6);
        }
        if (grant != NULL) {
            (void)snprintf(text + len, sizeof(text) - (size_t)len,
                           ", now granted %.6g MB/s, IDT %u ticks",
                           grant->bandwidth_bytes_s / 1e6, grant->idt_ticks);
        }
        gms_trace_put(ctx, tracer, &item, text);
    }
}
