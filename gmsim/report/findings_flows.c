/* SPDX-License-Identifier: BSD-3-Clause */
/* Reservations, paces, denials, faults. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

#define GMS_FINDINGS_PS_S 1e12
/** A reservation of which so much is used is reached: the rest is rounding, and
 *  what was under way at its ends. */
#define GMS_FINDINGS_REACHED 0.97

/* ---- reservations ---- */

/** What a flow held and what it got while it did. */
typedef struct gms_finding_hold {
    double held_bytes;  /* payload that its reservations allowed */
    double got_bytes;   /* that arrived */
    gms_time_t held_ps; /* for so long */
    gms_time_t since_ps;
    double rate;        /* now */
} gms_finding_hold_t;

static void gms_findings_let_go(gms_finding_hold_t *hold, gms_time_t now_ps)
{
    if (hold->rate > 0) {
        hold->held_bytes +=
            hold->rate * (double)(now_ps - hold->since_ps) / GMS_FINDINGS_PS_S;
        hold->held_ps += now_ps - hold->since_ps;
    }
    hold->since_ps = now_ps;
    hold->rate = 0;
}

/* What it held: all events of the flow in order. Until its first packet and after
 * its last one it had nothing to send, and the reservation waited for it. */
static void gms_findings_hold(const gms_data_t *data, uint32_t flow,
                              gms_finding_hold_t *hold)
{
    const gms_report_run_t *run = data->run;
    const gms_data_span_t *span = &data->spans[flow];
    double share = 1;
    size_t i, k;

    for (i = 0; i < run->event_count; i++) {
        const gms_report_event_t *event = &run->events[i];

        for (k = 0; k < event->request_count; k++) {
            const gms_report_request_t *request = &event->requests[k];
            gms_time_t ps = event->ps < span->begin_ps ? span->begin_ps
                            : event->ps > span->end_ps ? span->end_ps
                                                       : event->ps;

            if (request->flow != flow || event->kind == GMS_REPORT_STALL) {
                continue;
            }
            if (event->kind == GMS_REPORT_GRANT) {
                share = gms_data_share(run, request);
            }
            gms_findings_let_go(hold, ps);
            if (request->held_class != NULL &&
                strcmp(request->held_class, "premium") == 0) {
                hold->rate = request->held_bytes_s * share;
            }
        }
    }
    gms_findings_let_go(hold, span->end_ps);
}

/* What it got: windows that lie in times of a reservation have its IDT. */
static void gms_findings_got(const gms_report_run_t *run,
                             gms_finding_hold_t *holds)
{
    size_t i;

    for (i = 0; i < run->flow_part_count; i++) {
        const gms_report_flow_part_t *part = &run->flow_parts[i];

        if (holds[part->flow].held_ps > 0) {
            holds[part->flow].got_bytes += (double)part->arrived_bytes;
        }
    }
}

/* The reason that takes most. */
static void gms_findings_reason(const gms_data_t *data, uint32_t place,
                                const gms_finding_hold_t *hold, char *text,
                                size_t room)
{
    const gms_report_run_t *run = data->run;
    const gms_report_flow_t *flow = &run->flows[place];
    const gms_data_span_t *span = &data->spans[place];
    double idle = 1 - (double)flow->active_ps /
                          (double)(span->end_ps - span->begin_ps + 1);
    double most = 0;
    size_t hop, worst = 0;
    gms_text_t name, part;

    for (hop = 0; hop < flow->hop_count; hop++) {
        if ((double)flow->hops[hop].waited_ps > most) {
            most = (double)flow->hops[hop].waited_ps;
            worst = hop;
        }
    }
    if (!flow->has_end) {
        text[0] = '\0';
    } else if (idle > 0.5 * (1 - hold->got_bytes / hold->held_bytes)) {
        (void)snprintf(text, room,
                       ": for %s of that time the program had nothing to send",
                       gms_text_part(idle, &part));
    } else if (most > 0.02 * (double)hold->held_ps) {
        (void)snprintf(text, room, ": its packets stood before %s for %s of it",
                       gms_text_link(&run->links[flow->hops[worst].link],
                                     &name),
                       gms_text_part(most / (double)hold->held_ps, &part));
    } else if (flow->packets_resent > 0) {
        (void)snprintf(text, room, ": packets were lost and sent again");
    } else {
        (void)snprintf(text, room,
                       ": its packets waited behind others in the card");
    }
}

static void gms_findings_reservations(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    gms_finding_hold_t *holds = calloc(run->flow_count + 1, sizeof(*holds));
    size_t reached = 0, missed = 0;
    uint32_t i;

    for (i = 0; holds != NULL && i < run->flow_count; i++) {
        if (data->is_chosen[i] &&
            strcmp(gms_data_class(data, i), "premium") == 0) {
            gms_findings_hold(data, i, &holds[i]);
        }
    }
    if (holds != NULL) {
        gms_findings_got(run, holds);
    }
    for (i = 0; holds != NULL && i < run->flow_count; i++) {
        const gms_finding_hold_t *hold = &holds[i];
        double part;

        if (hold->held_bytes <= 0) {
            continue;
        }
        part = hold->got_bytes / hold->held_bytes;
        if (part >= GMS_FINDINGS_REACHED) {
            reached++;
        } else {
            double seconds = (double)hold->held_ps / GMS_FINDINGS_PS_S;
            gms_text_t held, got;
            char reason[256];

            missed++;
            gms_findings_reason(data, i, hold, reason, sizeof(reason));
            gms_findings_add(
                list, 0.5 * (1 - part), "flow", run->flows[i].number,
                "Flow %s had %s reserved and got %s%s.", data->names[i].text,
                gms_text_rate(hold->held_bytes / seconds, &held),
                gms_text_rate(hold->got_bytes / seconds, &got), reason);
        }
    }
    if (reached > 0 && reached + missed > 1) {
        gms_findings_add(list, 0.2, NULL, 0,
                         "%zu of %zu reservations were reached.", reached,
                         reached + missed);
    } else if (reached > 0) {
        gms_findings_add(list, 0.2, NULL, 0, "The reservation was reached.");
    }
    free(holds);
}

/* ---- paces ---- */

/* Only of flows that asked for no rate: the others asked for their pace. The one
 * that waited longest speaks for all. */
void gms_findings_paces(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    double most = 0.3;
    size_t count = 0, i;
    uint32_t worst = 0;
    gms_text_t part, rate;

    for (i = 0; i < data->chosen_count; i++) {
        uint32_t place = data->chosen[i];
        const gms_report_flow_t *flow = &run->flows[place];
        double waited = flow->active_ps > 0 ? (double)flow->pace_wait_ps /
                                                  (double)flow->active_ps
                                            : 0;

        if (waited < 0.3 ||
            strcmp(gms_data_class(data, place), "premium") == 0) {
            continue;
        }
        count++;
        if (waited >= most) {
            most = waited;
            worst = place;
        }
    }
    if (count > 0) {
        const gms_data_span_t *span = &data->spans[worst];

        gms_findings_add(
            list, 0.3 * fmin(1, most), "flow", run->flows[worst].number,
            "Flow %s%s waited for %s pace, not for the network: %s of the time "
            "in which it had something to send, %s on average.",
            data->names[worst].text,
            count > 1 ? " and others without a reservation" : "",
            count > 1 ? "their" : "its", gms_text_part(fmin(1, most), &part),
            gms_text_rate((double)run->flows[worst].bytes_arrived *
                              GMS_FINDINGS_PS_S /
                              (double)(span->end_ps - span->begin_ps + 1),
                          &rate));
    }
}

/* ---- events ---- */

static void gms_findings_denials(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    const gms_report_event_t *first = NULL;
    char text[GMS_DATA_SENTENCE];
    size_t count = 0, i;
    json_int_t number = 0;

    for (i = 0; i < run->event_count; i++) {
        if (run->events[i].kind == GMS_REPORT_DENIAL) {
            first = first == NULL ? &run->events[i] : first;
            count++;
        }
    }
    if (first == NULL) {
        return;
    }
    gms_data_sentence(run, first, text);
    if (first->requests[first->denied].flow != GMS_REPORT_NONE) {
        number = run->flows[first->requests[first->denied].flow].number;
    }
    if (count == 1) {
        gms_findings_add(list, 0.6, number > 0 ? "flow" : NULL, number, "%s",
                         text);
    } else {
        gms_findings_add(list, 0.6, number > 0 ? "flow" : NULL, number,
                         "%zu requests were denied. The first: %s", count,
                         text);
    }
}

static void gms_findings_faults(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    uint64_t again = 0, sent = 0;
    size_t faults = 0, stalls = 0, i;
    gms_text_t count, part;
    char which[48] = "";

    for (i = 0; i < run->event_count; i++) {
        faults += run->events[i].kind == GMS_REPORT_FAULT;
        stalls += run->events[i].kind == GMS_REPORT_STALL;
    }
    for (i = 0; i < run->flow_count; i++) {
        again += run->flows[i].packets_resent;
        sent += run->flows[i].packets_sent;
    }
    if (faults > 0) {
        (void)snprintf(which, sizeof(which), "%zu fault%s: ", faults,
                       faults == 1 ? "" : "s");
    }
    if (again > 0) {
        gms_findings_add(list, fmin(0.7, 0.3 + 10 * (double)again /
                                                   (double)(sent + 1)),
                         NULL, 0, "%s%s packet%s sent again, %s of all.", which,
                         gms_text_count(again, &count),
                         again == 1 ? " was" : "s were",
                         gms_text_part((double)again / (double)(sent + 1),
                                       &part));
    } else if (faults > 0) {
        gms_findings_add(list, 0.3, NULL, 0,
                         "%sno packet had to be sent again.", which);
    }
    if (stalls > 0) {
        gms_findings_add(list, 1, NULL, 0,
                         "%zu send%s failed and stopped %s.", stalls,
                         stalls == 1 ? "" : "s",
                         stalls == 1 ? "its stream" : "their streams");
    }
}

void gms_findings_flows(const gms_data_t *data, json_t *list)
{
    gms_findings_reservations(data, list);
    gms_findings_denials(data, list);
    gms_findings_faults(data, list);
}
