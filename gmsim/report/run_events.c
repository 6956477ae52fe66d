/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads events.jsonl with the decisions, faults and stalls of a run, and checks
 * that they name existing flows and ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "report/read.h"

static const char *const gms_run_kinds[] = {
    [GMS_REPORT_GRANT] = "grant",     [GMS_REPORT_DENIAL] = "denial",
    [GMS_REPORT_RELEASE] = "release", [GMS_REPORT_FAULT] = "fault",
    [GMS_REPORT_STALL] = "stall",
};

#define GMS_RUN_KINDS (sizeof(gms_run_kinds) / sizeof(gms_run_kinds[0]))

/* Stores the name of a label from a decision, because a record without an end
 * contains such names only in decisions. If a label has several names, the
 * first name is used. */
static void gms_run_learn_name(gms_report_run_t *run, uint32_t label,
                               const char *name)
{
    json_t *labels;

    if (run->is_complete || name == NULL || name[0] == '\0') {
        return;
    }
    if (run->labels == NULL) {
        (void)json_object_set_new(run->root, "labels", json_array());
        run->labels = json_object_get(run->root, "labels");
    }
    labels = json_object_get(run->root, "labels");
    (void)json_array_append_new(
        labels,
        json_pack("{s:I,s:s}", "label", (json_int_t)label, "name", name));
}

static void gms_run_read_who(gms_report_reader_t *reader,
                             const gms_report_at_t *at, const json_t *object,
                             gms_report_request_t *request)
{
    const uint64_t nodes = reader->run->nodes + UINT64_C(1);
    const uint64_t most = UINT64_C(1) << 32;
    gms_report_flow_t key = {0};

    key.node = gms_report_below(reader, at, object, "node", 1, nodes);
    key.port = gms_report_below(reader, at, object, "port", 0, most);
    key.target_node =
        gms_report_below(reader, at, object, "target_node", 1, nodes);
    key.target_port =
        gms_report_below(reader, at, object, "target_port", 0, most);
    key.priority = gms_report_below(reader, at, object, "priority", 0, most);
    key.label = gms_report_below(reader, at, object, "label", 0, most);
    *request = (gms_report_request_t){
        .rank = gms_report_rank_at(reader->run, key.node, key.port),
        .flow = gms_index_flow_of(reader, &key),
        .node = key.node,
        .port = key.port,
        .target_node = key.target_node,
        .target_port = key.target_port,
        .priority = key.priority,
        .label = key.label,
    };
}

static void gms_run_read_request(gms_report_reader_t *reader,
                                 const gms_report_at_t *at,
                                 const json_t *object,
                                 gms_report_request_t *request)
{
    gms_run_read_who(reader, at, object, request);
    request->rank =
        gms_report_below(reader, at, object, "rank", 0, UINT64_C(1) << 32);
    request->qos_class = gms_report_text(reader, at, object, "class", 1);
    request->asked_bytes_s =
        gms_report_real(reader, at, object, "asked_bytes_s", 1);
    request->payload_part =
        gms_report_real(reader, at, object, "payload_part", 0);
    request->held_class = gms_report_text(reader, at, object, "held_class", 0);
    request->held_bytes_s =
        gms_report_real(reader, at, object, "held_bytes_s", 0);
    if (request->held_class != NULL) {
        request->idt_ticks = gms_report_below(reader, at, object, "idt_ticks",
                                              0, UINT64_C(1) << 32);
    }
    gms_run_learn_name(reader->run, request->label,
                       gms_report_text(reader, at, object, "communicator", 0));
}

static void gms_run_read_decision(gms_report_reader_t *reader,
                                  const json_t *line, gms_report_event_t *event)
{
    const json_t *list = gms_report_list(reader, NULL, line, "flows");
    gms_report_at_t at = {"flows", 0, NULL};

    event->requests = gms_report_alloc(reader, json_array_size(list),
                                       sizeof(*event->requests));
    for (; reader->status == GMS_OK && at.index < json_array_size(list);
         ++at.index) {
        gms_run_read_request(reader, &at, json_array_get(list, at.index),
                             &event->requests[event->request_count++]);
    }
    if (reader->status == GMS_OK && event->request_count == 0) {
        gms_report_wrong(reader, NULL, "flows", "is empty");
    }
    if (event->kind == GMS_REPORT_DENIAL) {
        event->criterion = gms_report_text(reader, NULL, line, "criterion", 1);
        event->resource = gms_report_text(reader, NULL, line, "place", 0);
        event->left_bytes_s =
            gms_report_real(reader, NULL, line, "left_bytes_s", 1);
        event->denied = gms_report_below(reader, NULL, line, "denied_flow", 0,
                                         event->request_count);
        event->has_no_bounds = json_is_true(json_object_get(line, "no_bounds"));
    }
}

static void gms_run_read_event(gms_report_reader_t *reader, json_t *line)
{
    const char *kind = gms_report_text(reader, NULL, line, "kind", 1);
    gms_report_run_t *run = reader->run;
    gms_report_event_t *event;
    unsigned i;

    for (i = 0; i < GMS_RUN_KINDS && strcmp(kind, gms_run_kinds[i]) != 0; ++i) {
    }
    if (i == GMS_RUN_KINDS) {
        gms_report_wrong(reader, NULL, "kind",
                         "is '%.40s'; expected: grant, denial, release, fault "
                         "or stall",
                         kind);
    }
    if (!gms_report_room(reader, (void **)&run->events, &reader->event_room,
                         run->event_count, sizeof(*run->events))) {
        return;
    }
    event = &run->events[run->event_count++];
    *event =
        (gms_report_event_t){.ps = gms_report_number(reader, NULL, line, "ps"),
                             .kind = (enum gms_report_event_kind)i};
    if (event->ps > run->end_ps && !run->is_complete) {
        run->end_ps = event->ps; /* the window of this event is missing */
    }
    if (event->kind == GMS_REPORT_FAULT) {
        event->fault = gms_report_text(reader, NULL, line, "fault", 1);
    } else if (event->kind == GMS_REPORT_STALL) {
        event->requests = gms_report_alloc(reader, 1, sizeof(*event->requests));
        if (event->requests != NULL) {
            event->request_count = 1;
            gms_run_read_who(reader, NULL, line, event->requests);
        }
    } else {
        gms_run_read_decision(reader, line, event);
    }
    /* the texts belong to the JSON value of the line */
    (void)json_array_append(run->lines, line);
}

void gms_report_read_events(gms_report_reader_t *reader)
{
    gms_report_read_lines(reader, "events.jsonl", gms_run_read_event);
}
