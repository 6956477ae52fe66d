/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings about flows that waited for their pace, denied requests, faults,
 * packets that were sent again, and failed sends.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

#define GMS_FINDINGS_PS_S 1e12

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

    for (i = 0; i < data->chosen_count; ++i) {
        uint32_t index = data->chosen[i];
        const gms_report_flow_t *flow = &run->flows[index];
        double waited = flow->active_ps > 0 ? (double)flow->pace_wait_ps /
                                                  (double)flow->active_ps
                                            : 0;

        if (waited < 0.3 ||
            strcmp(gms_data_class(data, index), "premium") == 0) {
            continue;
        }
        ++count;
        if (waited >= most) {
            most = waited;
            worst = index;
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

    for (i = 0; i < run->event_count; ++i) {
        if (run->events[i].kind == GMS_REPORT_DENIAL) {
            first = first == NULL ? &run->events[i] : first;
            ++count;
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

/* What came in and was not taken, of all cards. */
static void gms_findings_refused(const gms_report_run_t *run, char *text,
                                 size_t room)
{
    uint64_t damaged = 0, behind = 0;
    gms_text_t first, second;
    uint32_t node;

    for (node = 1; node <= run->nodes; ++node) {
        damaged += run->nics[node - 1].bad_crc_drops;
        behind += run->nics[node - 1].sequence_drops;
    }
    (void)gms_text_count(damaged, &first);
    (void)gms_text_count(behind, &second);
    text[0] = '\0';
    if (damaged > 0 && behind > 0) {
        (void)snprintf(text, room,
                       "; %s came in damaged, %s out of order or twice",
                       first.text, second.text);
    } else if (damaged > 0) {
        (void)snprintf(text, room, "; %s came in damaged", first.text);
    } else if (behind > 0) {
        (void)snprintf(text, room, "; %s came in out of order or twice",
                       second.text);
    }
}

/* The flow that had to send most again. */
static uint32_t gms_findings_again(const gms_report_run_t *run,
                                   uint64_t *again_p, uint64_t *sent_p)
{
    uint32_t most = 0, i;

    *again_p = *sent_p = 0;
    for (i = 0; i < run->flow_count; ++i) {
        *again_p += run->flows[i].packets_resent;
        *sent_p += run->flows[i].packets_sent;
        if (run->flows[i].packets_resent > run->flows[most].packets_resent) {
            most = i;
        }
    }
    return most;
}

static void gms_findings_resent(const gms_data_t *data, json_t *list,
                                size_t faults)
{
    const gms_report_run_t *run = data->run;
    uint64_t again, sent;
    uint32_t most = gms_findings_again(run, &again, &sent);
    gms_text_t count, own, part;
    char which[48] = "", refused[280];

    if (faults > 0) {
        (void)snprintf(which, sizeof(which), "%zu fault%s: ", faults,
                       faults == 1 ? "" : "s");
    }
    if (again == 0 && faults > 0) {
        gms_findings_add(list, 0.3, NULL, 0,
                         "%sno packet had to be sent again.", which);
    }
    if (again == 0) {
        return;
    }
    gms_findings_refused(run, refused, sizeof(refused));
    gms_findings_add(
        list, fmin(0.7, 0.3 + 10 * (double)again / (double)(sent + 1)), "flow",
        run->flows[most].number,
        "%s%s packet%s sent again, %s of all, %s of them by flow %s%s.", which,
        gms_text_count(again, &count), again == 1 ? " was" : "s were",
        gms_text_part((double)again / (double)(sent + 1), &part),
        gms_text_count(run->flows[most].packets_resent, &own),
        data->names[most].text, refused);
}

/* The first one says where to look. */
static void gms_findings_stalls(const gms_data_t *data, json_t *list,
                                const gms_report_event_t *first, size_t stalls)
{
    const gms_report_run_t *run = data->run;
    const gms_report_request_t *who = &first->requests[0];
    gms_text_t from, to, time;

    gms_findings_add(
        list, 1, who->flow != GMS_REPORT_NONE ? "flow" : NULL,
        who->flow != GMS_REPORT_NONE ? run->flows[who->flow].number : 0,
        "%zu send%s failed and stopped %s; the first from %s to "
        "%s, after %s.",
        stalls, stalls == 1 ? "" : "s",
        stalls == 1 ? "its stream" : "their streams",
        gms_text_place(run, who->node, who->port, &from),
        gms_text_place(run, who->target_node, who->target_port, &to),
        gms_text_time((double)first->ps, &time));
}

static void gms_findings_faults(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    const gms_report_event_t *first = NULL;
    size_t faults = 0, stalls = 0, i;

    for (i = 0; i < run->event_count; ++i) {
        faults += run->events[i].kind == GMS_REPORT_FAULT;
        if (run->events[i].kind == GMS_REPORT_STALL) {
            first = first == NULL ? &run->events[i] : first;
            ++stalls;
        }
    }
    gms_findings_resent(data, list, faults);
    if (stalls > 0) {
        gms_findings_stalls(data, list, first, stalls);
    }
}

void gms_findings_flows(const gms_data_t *data, json_t *list)
{
    gms_findings_denials(data, list);
    gms_findings_faults(data, list);
}
