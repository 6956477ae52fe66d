/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes every decision, fault and stall to events.jsonl at the time when it
 * occurs.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "nic/inspect.h"
#include "observe/record_int.h"

/** Write an object as a line, and release the object. */
static void gms_record_event(gms_recorder_t *recorder, json_t *event)
{
    gms_json_text_t text = {0};
    char tail[GMS_RECORD_TAIL_BYTES + 1];

    text.failed = event == NULL;
    if (event != NULL) {
        gms_json_add_value(&text, event);
    }
    json_decref(event);
    if (!text.failed) {
        /* without the final '}', which belongs to the tail */
        size_t bytes = text.used - 1;
        size_t more;

        gms_record_add_sum(recorder, GMS_RECORD_EVENTS, text.bytes, bytes);
        more = gms_record_end_line(recorder, GMS_RECORD_EVENTS, tail);
        gms_record_add_sum(recorder, GMS_RECORD_EVENTS, tail, more);
        text.used = bytes;
        /* the buffer contains the whole line, so one write is enough */
        gms_json_add(&text, tail, more);
    }
    if (!text.failed) {
        gms_record_append(recorder, GMS_RECORD_EVENTS, text.bytes, text.used);
    } else {
        recorder->record->files[GMS_RECORD_EVENTS].error = ENOMEM;
    }
    free(text.bytes);
}

static json_t *gms_record_event_new(gms_ctx_t *ctx, const char *kind)
{
    return json_pack("{s:I,s:s}", "ps", (json_int_t)gms_engine_now(ctx->engine),
                     "kind", kind);
}

/* ---- decisions ---- */

static const char *const gms_record_classes[] = {
    [GMS_QOS_UNMANAGED] = "none",
    [GMS_QOS_PREMIUM] = "premium",
    [GMS_QOS_BEST_EFFORT] = "best-effort",
    [GMS_QOS_FIXED] = "fixed",
};

static json_t *gms_record_request(const gms_record_t *record,
                                  const gms_flow_request_t *flow,
                                  const gms_account_t *account)
{
    const char *name = gms_record_label_name(record, flow->key.label);
    double part =
        gms_record_payload_part(record, flow->source_node, &flow->key);
    const gms_grant_t *grant =
        gms_account_find(account, flow->source_node, &flow->key);
    json_t *request = json_pack(
        "{s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:s,s:f}", "rank", (int)flow->rank,
        "node", (int)flow->source_node + 1, "port", (int)flow->key.source_port,
        "target_node", (int)flow->key.target_node + 1, "target_port",
        (int)flow->key.target_port, "priority", (int)flow->key.priority,
        "label", (json_int_t)flow->key.label, "class",
        gms_record_classes[flow->qos_class], "asked_bytes_s", flow->bytes_s);

    if (request != NULL && name[0] != '\0') {
        (void)json_object_set_new(request, "communicator", json_string(name));
    }
    if (request != NULL && part > 0) {
        (void)json_object_set_new(request, "payload_part", json_real(part));
    }
    if (request != NULL && grant != NULL) {
        (void)json_object_set_new(
            request, "held_class",
            json_string(gms_record_classes[grant->qos_class]));
        (void)json_object_set_new(request, "held_bytes_s",
                                  json_real(grant->bandwidth_bytes_s));
        (void)json_object_set_new(request, "idt_ticks",
                                  json_integer(grant->idt_ticks));
    }
    return request;
}

static void gms_record_place_of(json_t *event, const gms_fabric_t *fabric,
                                const gms_params_t *params,
                                const gms_qos_verdict_t *verdict)
{
    char resource[96];

    switch (verdict->criterion) {
    case GMS_QOS_OK:
        return;
    case GMS_QOS_LINK:
    case GMS_QOS_BUFFER:
        gms_topology_link_name(gms_fabric_topology(fabric), verdict->resource,
                               resource, sizeof(resource));
        break;
    case GMS_QOS_DELAY:
    case GMS_QOS_JITTER:
    case GMS_QOS_LATENCY:
        (void)snprintf(resource, sizeof(resource),
                       "flow from node %u to node %u", verdict->victim_node + 1,
                       verdict->victim.target_node + 1u);
        break;
    case GMS_QOS_SOURCE_NODE:
    case GMS_QOS_DESTINATION_NODE:
        (void)snprintf(resource, sizeof(resource), "node %u",
                       verdict->resource + 1);
        break;
    case GMS_QOS_SOURCE_PROCESS:
    case GMS_QOS_DESTINATION_PROCESS:
        (void)snprintf(resource, sizeof(resource), "node %u port %u",
                       verdict->resource / (unsigned)params->gm_ports + 1,
                       verdict->resource % (unsigned)params->gm_ports);
        break;
    }
    (void)json_object_set_new(event, "place", json_string(resource));
}

static void gms_record_lack(json_t *event, const gms_qos_decision_t *decision)
{
    const gms_flow_request_t *denied =
        &decision->flows[decision->verdict->request];

    if (decision->status == GMS_OK &&
        gms_qos_lacks_bounds(decision->verdict, denied->source_node,
                             &denied->key)) {
        (void)json_object_set_new(event, "no_bounds", json_true());
    }
}

static void __attribute__((noinline, cold))
gms_record_decision(gms_ctx_t *ctx, gms_recorder_t *recorder,
                    const gms_record_subject_t *subject,
                    const gms_qos_decision_t *decision)
{
    int is_granted = decision->status == GMS_OK &&
                     decision->verdict->criterion == GMS_QOS_OK;
    json_t *event = gms_record_event_new(ctx, decision->is_release ? "release"
                                              : is_granted         ? "grant"
                                                                   : "denial");
    json_t *flows = json_array();
    unsigned i;

    for (i = 0; i < decision->count; ++i) {
        (void)json_array_append_new(
            flows, gms_record_request(recorder->record, &decision->flows[i],
                                      decision->account));
    }
    (void)json_object_set_new(event, "flows", flows);
    if (!decision->is_release && !is_granted) {
        (void)json_object_set_new(
            event, "criterion",
            json_string(
                decision->status == GMS_OK
                    ? gms_qos_criterion_name(decision->verdict->criterion)
                    : gms_status_text(decision->status)));
        (void)json_object_set_new(event, "denied_flow",
                                  json_integer(decision->verdict->request));
        (void)json_object_set_new(event, "left_bytes_s",
                                  json_real(decision->verdict->left_bytes_s));
        gms_record_place_of(event, subject->fabric, subject->params,
                            decision->verdict);
        gms_record_lack(event, decision);
    }
    gms_record_event(recorder, event);
}

/* ---- other trace points ---- */

static void __attribute__((noinline, cold))
gms_record_stall(gms_ctx_t *ctx, gms_recorder_t *recorder,
                 const gms_flow_t *flow)
{
    json_t *event = gms_record_event_new(ctx, "stall");

    (void)json_object_update_new(
        event, json_pack("{s:i,s:i,s:i,s:i,s:i,s:I}", "node",
                         (int)gms_nic_node(flow->nic) + 1, "port",
                         (int)flow->key.source_port, "target_node",
                         (int)flow->key.target_node + 1, "target_port",
                         (int)flow->key.target_port, "priority",
                         (int)flow->key.priority, "label",
                         (json_int_t)flow->key.label));
    gms_record_event(recorder, event);
}

void gms_recorder_on_tracepoint(gms_ctx_t *ctx, gms_recorder_t *recorder,
                                const gms_record_subject_t *subject,
                                uint32_t what, const void *thing)
{
    if (recorder->directory < 0) {
        return;
    }
    if (what == GMS_NIC_TRACEPOINT_ARRIVAL) {
        gms_record_arrival(ctx, recorder->record, thing);
    } else if (what == GMS_FABRIC_TRACEPOINT_BLOCKED) {
        gms_record_blocked(ctx, recorder->record, thing);
    } else if (what == GMS_QOS_TRACEPOINT_DECISION) {
        gms_record_decision(ctx, recorder, subject, thing);
        gms_record_bounds(subject,
                          ((const gms_qos_decision_t *)thing)->account);
    } else if (what == GMS_NIC_TRACEPOINT_STALL) {
        gms_record_stall(ctx, recorder, thing);
    }
}

void gms_recorder_fault(gms_ctx_t *ctx, gms_recorder_t *recorder,
                        const char *text)
{
    json_t *event;

    if (recorder->directory >= 0) {
        event = gms_record_event_new(ctx, "fault");
        (void)json_object_set_new(event, "fault", json_string(text));
        gms_record_event(recorder, event);
    }
}
