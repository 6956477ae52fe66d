/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes each decision, fault and stall in one sentence for the report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bandwidth.h"
#include "base/denial.h"
#include "base/printable.h"
#include "report/data_int.h"

/* Returns the fraction of the requested bandwidth that the program's own data
 * use; 1 if this fraction is unknown. */
static double gms_data_scale(const gms_report_request_t *request)
{
    return request->payload_part > 0 ? request->payload_part : 1;
}

/* ---- decisions ---- */

/* Appends the target and, unless it is MPI_COMM_WORLD, the communicator:
 * " to rank 3", " to 7 ranks on 'rows'". */
static void gms_data_whom(const gms_report_run_t *run,
                          const gms_report_event_t *event, char *text,
                          size_t room)
{
    const gms_report_request_t *first = &event->requests[0];
    const char *communicator = gms_report_label_name(run, first->label);
    gms_text_t target;
    size_t used;

    if (event->request_count > 1) {
        (void)snprintf(text, room, " to %zu ranks", event->request_count);
    } else {
        (void)snprintf(text, room, " to %s",
                       gms_text_place(run, first->target_node,
                                      first->target_port, &target));
    }
    used = strlen(text);
    if (communicator[0] != '\0' &&
        strcmp(communicator, "MPI_COMM_WORLD") != 0) {
        (void)snprintf(text + used, room - used, " on '%s'", communicator);
    }
}

/* Appends the requested bandwidth, such as "40 MB/s" or "best effort". For
 * several flows, the function appends the sum of their bandwidths. */
static void gms_data_wish(const gms_report_event_t *event, gms_text_t *text)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < event->request_count; ++i) {
        const gms_report_request_t *request = &event->requests[i];

        sum += request->asked_bytes_s * gms_data_scale(request);
    }
    if (strcmp(event->requests[0].qos_class, "premium") == 0) {
        (void)gms_text_rate(sum, text);
    } else {
        (void)snprintf(text->text, sizeof(text->text), "best effort");
    }
}

int gms_data_is_declared_only(const gms_report_run_t *run)
{
    const char *undeclared =
        json_string_value(json_object_get(run->parameters, "undeclared"));

    return undeclared != NULL && strcmp(undeclared, "free") == 0;
}

static void gms_data_grant(const gms_report_run_t *run,
                           const gms_report_event_t *event, char *text)
{
    const gms_report_request_t *first = &event->requests[0];
    gms_text_t wish, held;
    char whom[GMS_DATA_SENTENCE];

    gms_data_wish(event, &wish);
    gms_data_whom(run, event, whom, sizeof(whom));
    if (strcmp(first->qos_class, "premium") == 0) {
        (void)snprintf(
            text, GMS_DATA_SENTENCE,
            "Rank %u's request for %s%s%.200s was granted%s.", first->rank,
            wish.text, event->request_count > 1 ? " in total" : "", whom,
            gms_data_is_declared_only(run)
                ? ", but the guarantee holds only against declared traffic"
                : "");
    } else if (first->idt_ticks > 0) {
        (void)snprintf(
            text, GMS_DATA_SENTENCE,
            "Rank %u's request for best effort%.200s was granted, initially at "
            "%s.",
            first->rank, whom,
            gms_text_rate(first->held_bytes_s * gms_data_scale(first), &held));
    } else {
        (void)snprintf(text, GMS_DATA_SENTENCE,
                       "Rank %u's request for best effort%.200s was granted "
                       "without a rate limit.",
                       first->rank, whom);
    }
}

/* Describes the bound that cannot be guaranteed. The bound belongs to the
 * denied flow or to another reservation. */
static void gms_data_bound(const gms_report_event_t *event,
                           const char *resource, char *text, size_t room)
{
    const gms_report_request_t *denied = &event->requests[event->denied];
    char own[96];

    (void)snprintf(own, sizeof(own), "flow from node %u to node %u",
                   denied->node, denied->target_node);
    if (event->has_no_bounds) {
        (void)snprintf(text, room, GMS_DENIAL_NO_BOUNDS);
    } else if (strcmp(own, resource) == 0) {
        (void)snprintf(text, room, "a %s bound this small cannot be guaranteed",
                       event->criterion);
    } else {
        (void)snprintf(text, room,
                       "this request would break the %s bound of the %.80s",
                       event->criterion, resource);
    }
}

/* Returns the remaining bandwidth for the program's own data, as in the denial
 * that the program receives. Without a payload part, the program uses GM, and
 * receives the number of the manager. */
static double gms_data_left(const gms_report_run_t *run,
                            const gms_report_event_t *event)
{
    double payload_part = event->requests[event->denied].payload_part;
    double packet_bytes = (double)gms_report_param(run, "nic_mtu_bytes");
    double tick_ps = (double)gms_report_param(run, "rtc_tick_ps");

    if (!(payload_part > 0) || !(tick_ps > 0)) {
        return event->left_bytes_s;
    }
    return strcmp(event->criterion, "source process") == 0 ||
                   strcmp(event->criterion, "destination process") == 0
               ? gms_bandwidth_process_request(event->left_bytes_s,
                                               packet_bytes * 1e12 / tick_ps,
                                               payload_part)
               : gms_bandwidth_request(event->left_bytes_s,
                                       packet_bytes * 1e12 / tick_ps,
                                       payload_part);
}

/* Describes the exhausted resource and its remaining bandwidth. */
static void gms_data_reason(const gms_report_run_t *run,
                            const gms_report_event_t *event, char *text,
                            size_t room)
{
    const gms_report_request_t *denied = &event->requests[event->denied];
    const char *resource = event->resource != NULL ? event->resource : "";
    char left[GMS_BANDWIDTH_LEN];
    gms_text_t who;

    gms_bandwidth_print(gms_bandwidth_left_mb(gms_data_left(run, event)), left);
    if (strcmp(event->criterion, "source node") == 0) {
        (void)snprintf(text, room, "only %s MB/s remain at the source, %s",
                       left, resource);
    } else if (strcmp(event->criterion, "destination node") == 0) {
        (void)snprintf(text, room, "only %s MB/s remain at the destination, %s",
                       left, resource);
    } else if (strcmp(event->criterion, "link") == 0) {
        (void)snprintf(text, room, "only %s MB/s remain on the link from %s",
                       left, resource);
    } else if (strcmp(event->criterion, "source process") == 0) {
        (void)snprintf(
            text, room,
            "%s has enough processor time to send at most %s MB/s in "
            "messages of this size",
            gms_text_place(run, denied->node, denied->port, &who), left);
    } else if (strcmp(event->criterion, "destination process") == 0) {
        (void)snprintf(
            text, room,
            "%s has enough processor time to receive at most %s MB/s in "
            "messages of this size",
            gms_text_place(run, denied->target_node, denied->target_port, &who),
            left);
    } else if (strcmp(event->criterion, "buffer") == 0) {
        (void)snprintf(
            text, room,
            "the packet buffers at the end of the link from %s allow "
            "only %s MB/s",
            resource, left);
    } else if (strcmp(event->criterion, "latency") == 0) {
        (void)snprintf(text, room,
                       "at times, the %s would receive less than 99.5 %% of "
                       "its bandwidth",
                       resource);
    } else if (strcmp(event->criterion, "delay") == 0 ||
               strcmp(event->criterion, "jitter") == 0) {
        gms_data_bound(event, resource, text, room);
    } else {
        (void)snprintf(text, room, "of the criterion '%.80s'",
                       event->criterion);
    }
}

static void gms_data_denial(const gms_report_run_t *run,
                            const gms_report_event_t *event, char *text)
{
    const gms_report_request_t *denied = &event->requests[event->denied];
    char whom[GMS_DATA_SENTENCE], reason[GMS_DATA_SENTENCE], which[64] = "";
    gms_text_t wish, target, held;
    const char *keeps = "";

    gms_data_wish(event, &wish);
    gms_data_whom(run, event, whom, sizeof(whom));
    gms_data_reason(run, event, reason, sizeof(reason));
    if (event->request_count > 1) {
        (void)snprintf(which, sizeof(which), " for %s",
                       gms_text_place(run, denied->target_node,
                                      denied->target_port, &target));
    }
    if (denied->held_class != NULL &&
        strcmp(denied->held_class, "premium") == 0) {
        keeps =
            gms_text_rate(denied->held_bytes_s * gms_data_scale(denied), &held);
    } else if (denied->held_class != NULL) {
        keeps = "best effort";
    }
    (void)snprintf(
        text, GMS_DATA_SENTENCE,
        "Rank %u's request for %s%s%.150s was denied%s because %.160s%s%s.",
        denied->rank, wish.text, event->request_count > 1 ? " in total" : "",
        whom, which, reason, keeps[0] != '\0' ? "; the flow keeps " : "",
        keeps);
}

/* ---- faults and stalls ---- */

/* Copies the value of a key of "{at_us: 3, link: node 1 to switch 0, for_us:
 * 2}". */
static int gms_data_fault_value(const char *fault, const char *key, char *value,
                                size_t room)
{
    char what[32];
    const char *at;

    (void)snprintf(what, sizeof(what), "%s: ", key);
    at = strstr(fault, what);
    if (at == NULL) {
        return 0;
    }
    at += strlen(what);
    (void)snprintf(value, room, "%.*s", (int)strcspn(at, ",}"), at);
    return 1;
}

static void gms_data_fault(const char *fault, char *text)
{
    static const struct {
        const char *key, *before, *after;
    } kinds[] = {
        {"link", "The link from", "went down"},
        {"node", "Both links of node", "went down"},
        {"reset_nic", "The NIC of node", "was reset"},
        {"kill_rank", "Rank", "was killed"},
        {"kill_node", "The host of node", "died"},
    };
    char value[96], lasting[48] = "", us[24];
    gms_text_t time;
    size_t i;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        if (gms_data_fault_value(fault, kinds[i].key, value, sizeof(value))) {
            if (gms_data_fault_value(fault, "for_us", us, sizeof(us))) {
                (void)snprintf(lasting, sizeof(lasting), " for %s",
                               gms_text_time(strtod(us, NULL) * 1e6, &time));
            } else if (i < 2) {
                (void)snprintf(lasting, sizeof(lasting), " permanently");
            }
            (void)snprintf(text, GMS_DATA_SENTENCE, "%s %s %s%s.",
                           kinds[i].before, value, kinds[i].after, lasting);
            return;
        }
    }
    if (strstr(fault, "stop: ") != NULL) {
        (void)snprintf(text, GMS_DATA_SENTENCE, "Random faults ended.");
    } else {
        (void)snprintf(text, GMS_DATA_SENTENCE,
                       "The program set the fault rates.");
    }
}

static void gms_data_failed(const gms_report_run_t *run,
                            const gms_report_event_t *event, char *text)
{
    const gms_report_request_t *who = &event->requests[0];
    gms_text_t from, to;

    (void)snprintf(
        text, GMS_DATA_SENTENCE,
        "A send from %s to %s failed, and its stream stopped.",
        gms_text_place(run, who->node, who->port, &from),
        gms_text_place(run, who->target_node, who->target_port, &to));
}

/* ---- all ---- */

void gms_data_sentence(const gms_report_run_t *run,
                       const gms_report_event_t *event,
                       char text[GMS_DATA_SENTENCE])
{
    char whom[GMS_DATA_SENTENCE];

    switch (event->kind) {
    case GMS_REPORT_GRANT:
        gms_data_grant(run, event, text);
        break;
    case GMS_REPORT_DENIAL:
        gms_data_denial(run, event, text);
        break;
    case GMS_REPORT_RELEASE:
        gms_data_whom(run, event, whom, sizeof(whom));
        (void)snprintf(text, GMS_DATA_SENTENCE,
                       "Rank %u released its reservation%.200s.",
                       event->requests[0].rank, whom);
        break;
    case GMS_REPORT_FAULT:
        gms_data_fault(event->fault, text);
        break;
    case GMS_REPORT_STALL:
        gms_data_failed(run, event, text);
        break;
    }
    (void)gms_printable_here(
        text); /* a name may have been truncated in the middle of a character */
}

static json_t *gms_data_decision(const gms_report_run_t *run,
                                 const gms_report_event_t *event)
{
    static const char *const kinds[] = {[GMS_REPORT_GRANT] = "grant",
                                        [GMS_REPORT_DENIAL] = "denial",
                                        [GMS_REPORT_RELEASE] = "release"};
    const gms_report_request_t *first =
        &event->requests[event->kind == GMS_REPORT_DENIAL ? event->denied : 0];
    double share = gms_data_scale(first);
    char text[GMS_DATA_SENTENCE];
    json_t *flows = json_array(), *object;
    size_t i;

    gms_data_sentence(run, event, text);
    for (i = 0; i < event->request_count; ++i) {
        if (event->requests[i].flow != GMS_REPORT_NONE &&
            run->flows[event->requests[i].flow].number != 0) {
            (void)json_array_append_new(
                flows,
                json_integer(run->flows[event->requests[i].flow].number));
        }
    }
    object = json_pack(
        "{s:I,s:s,s:i,s:s,s:o,s:o,s:o,s:i}", "ps", (json_int_t)event->ps,
        "kind", kinds[event->kind], "rank", (int)first->rank, "text", text,
        "flows", flows, "asked_bytes_s",
        gms_data_rate(first->asked_bytes_s * share), "held_bytes_s",
        gms_data_rate(first->held_bytes_s * share), "target_rank",
        (int)gms_report_rank_at(run, first->target_node, first->target_port));
    if (event->kind == GMS_REPORT_DENIAL && object != NULL) {
        (void)json_object_set_new(
            object, "place",
            json_string(event->resource != NULL ? event->resource : ""));
        (void)json_object_set_new(object, "left_bytes_s",
                                  gms_data_rate(gms_data_left(run, event)));
    }
    return object;
}

static json_t *gms_data_stall(const gms_data_t *data,
                              const gms_report_event_t *event, const char *text)
{
    const gms_report_request_t *who = &event->requests[0];

    return json_pack(
        "{s:I,s:s,s:i}", "ps", (json_int_t)event->ps, "text", text, "flow",
        who->flow != GMS_REPORT_NONE ? (int)data->run->flows[who->flow].number
                                     : 0);
}

void gms_data_events(gms_data_t *data, json_t *object)
{
    json_t *decisions = json_array(), *faults = json_array();
    json_t *stalls = json_array();
    char text[GMS_DATA_SENTENCE];
    size_t i;

    for (i = 0; i < data->run->event_count; ++i) {
        const gms_report_event_t *event = &data->run->events[i];

        if (event->kind == GMS_REPORT_FAULT) {
            gms_data_sentence(data->run, event, text);
            (void)json_array_append_new(faults, json_pack("{s:I,s:s}", "ps",
                                                          (json_int_t)event->ps,
                                                          "text", text));
        } else if (event->kind == GMS_REPORT_STALL) {
            gms_data_sentence(data->run, event, text);
            (void)json_array_append_new(stalls,
                                        gms_data_stall(data, event, text));
        } else {
            (void)json_array_append_new(decisions,
                                        gms_data_decision(data->run, event));
        }
    }
    (void)json_object_set_new(object, "decisions", decisions);
    (void)json_object_set_new(object, "faults", faults);
    (void)json_object_set_new(object, "stalls", stalls);
}
