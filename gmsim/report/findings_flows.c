/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the findings about flows that waited for their pace, denied requests,
 * faults, resent packets, and failed sends.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "nic/flow.h"
#include "report/findings.h"

/* ---- paces ---- */

/* Checks whether congestion control (DCQCN) set the pace of the flow. A flow
 * that never had an IDT has no other pace. */
static int gms_findings_is_congested(const gms_data_t *data, uint32_t flow)
{
    const char *model = json_string_value(
        json_object_get(data->run->parameters, "fabric_model"));

    return model != NULL && strcmp(model, "ethernet") == 0 &&
           gms_report_param(data->run, "dcqcn") != 0 &&
           strcmp(gms_data_class(data, flow), "unregulated") == 0;
}

/* Returns the time for which the data flow of a control flow had nothing to send
 * within its period. Returns the length of the run if the flow is not a control
 * flow, or if its data flow is unknown. */
static double gms_findings_idle(const gms_data_t *data, uint32_t control)
{
    const gms_report_run_t *run = data->run;
    const gms_report_flow_t *own = &run->flows[control];
    double idle_ps = -1;
    uint32_t i;

    for (i = 0; i < run->flow_count && (own->label & GMS_LABEL_REVERSE) != 0;
         ++i) {
        const gms_report_flow_t *flow = &run->flows[i];

        if (flow->node == own->target_node && flow->port == own->target_port &&
            flow->target_node == own->node && flow->target_port == own->port &&
            flow->label == (own->label & ~GMS_LABEL_REVERSE)) {
            idle_ps = fmax(idle_ps, (double)data->spans[i].end_ps -
                                        (double)data->spans[i].begin_ps -
                                        (double)flow->active_ps);
            idle_ps = fmax(idle_ps, 0);
        }
    }
    return idle_ps < 0 ? (double)run->end_ps : idle_ps;
}

/* Checks whether the pace of a flow delayed the program noticeably. The program
 * can only wait while the pace holds back packets. The pace of a control flow is
 * a part of the reservation of its data flow. While the data flow has packets to
 * send, its sender waits for no answer. */
static int gms_findings_is_paced(const gms_data_t *data, uint32_t index)
{
    double waited_ps = fmin((double)data->run->flows[index].pace_wait_ps,
                            gms_findings_idle(data, index));

    return waited_ps >= GMS_FINDINGS_LEAST * (double)data->run->end_ps;
}

/** The flows that waited for the same kind of pace. */
typedef struct gms_finding_paces {
    size_t count;
    uint32_t worst;
    double most; /* fraction of the active time for which `worst' waited */
} gms_finding_paces_t;

static void gms_findings_add_paces(const gms_data_t *data, json_t *list,
                                   const gms_finding_paces_t *paces,
                                   int is_congested)
{
    uint32_t worst = paces->worst;
    char more[112] = "";
    gms_text_t part, rate;

    if (paces->count > 1) {
        (void)snprintf(
            more, sizeof(more), " %zu other %s limited by %s, too.",
            paces->count - 1,
            gms_plural(paces->count - 1, "flow without a reservation was",
                       "flows without a reservation were"),
            is_congested
                ? "congestion control"
                : gms_plural(paces->count - 1, "its pace", "their pace"));
    }
    gms_findings_add(
        list, 0.3 * fmin(1, paces->most), "flow",
        data->run->flows[worst].number,
        "Flow %s was limited by %s held back packets for %s of the time in "
        "which the flow had packets to send. The average rate of the flow was "
        "%s.%s",
        data->names[worst].text,
        is_congested ? "congestion control (DCQCN), because the network was "
                       "congested. Congestion control"
                     : "its pace, not by the network. The pace",
        gms_text_part(fmin(1, paces->most), &part),
        gms_text_rate(gms_data_mean(data, worst), &rate), more);
}

/* Adds findings about flows that waited for their pace, and about flows that
 * congestion control slowed down. The findings cover only flows that requested
 * no rate, because all other flows requested their own pace, and only flows
 * whose pace delayed the program noticeably. The text of a finding names the
 * flow that waited the longest. */
void gms_findings_paces(const gms_data_t *data, json_t *list)
{
    gms_finding_paces_t paces[2] = {{0, 0, 0}, {0, 0, 0}};
    size_t i;

    for (i = 0; i < data->chosen_count; ++i) {
        uint32_t index = data->chosen[i];
        const gms_report_flow_t *flow = &data->run->flows[index];
        gms_finding_paces_t *own =
            &paces[gms_findings_is_congested(data, index)];
        double waited = flow->active_ps > 0 ? (double)flow->pace_wait_ps /
                                                  (double)flow->active_ps
                                            : 0;

        if (waited < 0.3 || !gms_findings_is_paced(data, index) ||
            strcmp(gms_data_class(data, index), "premium") == 0) {
            continue;
        }
        ++own->count;
        if (waited >= own->most) {
            own->most = waited;
            own->worst = index;
        }
    }
    for (i = 0; i < 2; ++i) {
        if (paces[i].count > 0) {
            gms_findings_add_paces(data, list, &paces[i], (int)i);
        }
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
                         "%zu requests were denied. The first denial: %s",
                         count, text);
    }
}

/* Describes the packets that NICs discarded because they were damaged or out of
 * sequence. */
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
                       " %s %s damaged, and %s %s out of order or twice.",
                       first.text,
                       gms_plural(damaged, "packet arrived", "packets arrived"),
                       second.text, gms_plural(behind, "arrived", "arrived"));
    } else if (damaged > 0) {
        (void)snprintf(
            text, room, " %s %s damaged.", first.text,
            gms_plural(damaged, "packet arrived", "packets arrived"));
    } else if (behind > 0) {
        (void)snprintf(text, room, " %s %s out of order or twice.", second.text,
                       gms_plural(behind, "packet arrived", "packets arrived"));
    }
}

/* Returns the flow with the most resent packets. */
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
    char which[64] = "", refused[280];

    if (again == 0 && faults > 0) {
        gms_findings_add(list, 0.3, NULL, 0,
                         "%zu %s occurred, but no packet had to be sent again.",
                         faults, gms_plural(faults, "fault", "faults"));
    }
    if (again == 0) {
        return;
    }
    if (faults > 0) {
        (void)snprintf(which, sizeof(which), "%zu %s occurred. ", faults,
                       gms_plural(faults, "fault", "faults"));
    }
    gms_findings_refused(run, refused, sizeof(refused));
    gms_findings_add(
        list, fmin(0.7, 0.3 + 10 * (double)again / (double)(sent + 1)), "flow",
        run->flows[most].number,
        "%s%s %s sent again (%s of all packets), %s of them by flow %s.%s",
        which, gms_text_count(again, &count),
        gms_plural(again, "packet was", "packets were"),
        gms_text_part((double)again / (double)(sent + 1), &part),
        gms_text_count(run->flows[most].packets_resent, &own),
        data->names[most].text, refused);
}

/* Names only the first failed send, because later failures may be its
 * consequence. */
static void gms_findings_stalls(const gms_data_t *data, json_t *list,
                                const gms_report_event_t *first, size_t stalls)
{
    const gms_report_run_t *run = data->run;
    const gms_report_request_t *who = &first->requests[0];
    gms_text_t from, to, time;
    char more[64] = "";

    if (stalls > 1) {
        (void)snprintf(more, sizeof(more), " %zu other %s failed, too.",
                       stalls - 1, gms_plural(stalls - 1, "send", "sends"));
    }
    gms_findings_add(
        list, 1, who->flow != GMS_REPORT_NONE ? "flow" : NULL,
        who->flow != GMS_REPORT_NONE ? run->flows[who->flow].number : 0,
        "A send from %s to %s failed at %s of virtual time, and its stream "
        "stopped.%s",
        gms_text_place(run, who->node, who->port, &from),
        gms_text_place(run, who->target_node, who->target_port, &to),
        gms_text_time((double)first->ps, &time), more);
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
