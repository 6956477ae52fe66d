/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the findings about reservations: the number of reservations that
 * reached their bandwidth, and the reason why the others did not.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "report/findings.h"

#define GMS_FINDINGS_PS_S 1e12
/** A reservation has reached its bandwidth if the flow used at least this
 *  fraction of the bandwidth. The rest is due to rounding, and to packets in
 *  flight at the start and the end of the reservation. */
#define GMS_FINDINGS_REACHED 0.97
/** If less than this fraction of the bytes uses a reservation, the report
 *  assumes that the program does not use the reservation. */
#define GMS_FINDINGS_UNUSED 0.01
/** A flow that uses at least this fraction of its reservation uses it. */
#define GMS_FINDINGS_NONE 0.1
/** If a flow waits for its pace for at least this fraction of the time, the
 *  flow is limited by its pace. Otherwise the flow only waits for its previous
 *  packet. */
#define GMS_FINDINGS_PACED 0.3

/** If packets are blocked in the network for at least this fraction of their
 *  latency, the network limits the flow, not the program. */
#define GMS_FINDINGS_BLOCKED 0.2

/* ---- reserved and received bandwidth ---- */

/** The bandwidth that a flow held, and the bandwidth that it received during
 *  this time. */
typedef struct gms_finding_hold {
    double held_bytes;  /* payload that its reservations allowed */
    double got_bytes;   /* payload that arrived */
    gms_time_t held_ps; /* time during which the flow held a reservation */
    gms_time_t since_ps;
    double rate; /* the current bandwidth of the reservation */
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

/* Adds up the reserved bytes from all events of the flow, in order. The time
 * before the flow's first packet and after its last packet is excluded, because
 * the flow had nothing to send. */
static void gms_findings_hold(const gms_data_t *data, uint32_t flow,
                              gms_finding_hold_t *hold)
{
    const gms_report_run_t *run = data->run;
    const gms_data_span_t *span = &data->spans[flow];
    double share = 1;
    size_t i, k;

    for (i = 0; i < run->event_count; ++i) {
        const gms_report_event_t *event = &run->events[i];

        for (k = 0; k < event->request_count; ++k) {
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

/* Adds up the arrived bytes of every flow that held a reservation. Windows
 * within the time of a reservation have the IDT of this reservation. */
static void gms_findings_got(const gms_report_run_t *run,
                             gms_finding_hold_t *holds)
{
    size_t i;

    for (i = 0; i < run->flow_part_count; ++i) {
        const gms_report_flow_part_t *part = &run->flow_parts[i];

        if (holds[part->flow].held_ps > 0) {
            holds[part->flow].got_bytes += (double)part->arrived_bytes;
        }
    }
}

/* ---- causes ---- */

enum gms_finding_cause {
    GMS_CAUSE_NONE = 0, /* the flow reached its reserved bandwidth */
    /* packets of the flow contain less payload than the reservation assumes */
    GMS_CAUSE_SHORT,
    GMS_CAUSE_ELSEWHERE, /* another flow between the same ports carries the
                          * bytes */
    GMS_CAUSE_UNUSED,
    GMS_CAUSE_IDLE, /* the program had no data to send */
    GMS_CAUSE_LINK,
    GMS_CAUSE_RESENT,
    GMS_CAUSE_NIC,
    GMS_CAUSE_UNKNOWN /* the record is incomplete */
};
#define GMS_CAUSES (GMS_CAUSE_UNKNOWN + 1)

/** Weight of a reservation that did not reach its bandwidth because of a given
 *  cause. */
static const double gms_cause_weights[GMS_CAUSES] = {
    [GMS_CAUSE_SHORT] = 0.9,  [GMS_CAUSE_ELSEWHERE] = 0.75,
    [GMS_CAUSE_UNUSED] = 0.1, [GMS_CAUSE_IDLE] = 0.2,
    [GMS_CAUSE_LINK] = 0.5,   [GMS_CAUSE_RESENT] = 0.5,
    [GMS_CAUSE_NIC] = 0.5,    [GMS_CAUSE_UNKNOWN] = 0.3};

typedef struct gms_finding_miss {
    uint32_t index; /* index of the flow */
    enum gms_finding_cause cause;
    double weight;
    double part; /* fraction of the time (SHORT, IDLE, LINK), 0..1 */
    /* SHORT: fraction of the bandwidth that the reservation assumes for the
     * program's own data, 0..1 */
    double asked_fill;
    uint32_t other; /* ELSEWHERE: index of the flow; LINK: index of the link */
} gms_finding_miss_t;

static double gms_findings_bytes(const gms_report_run_t *run)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < run->flow_count; ++i) {
        sum += (double)run->flows[i].bytes_sent;
    }
    return sum;
}

/* Finds the largest flow without a reservation between the same two ports. */
static uint32_t gms_findings_beside(const gms_data_t *data, uint32_t index)
{
    const gms_report_run_t *run = data->run;
    const gms_report_flow_t *own = &run->flows[index];
    uint32_t best = GMS_REPORT_NONE, i;

    for (i = 0; i < run->flow_count; ++i) {
        const gms_report_flow_t *flow = &run->flows[i];

        if (i != index && flow->node == own->node && flow->port == own->port &&
            flow->target_node == own->target_node &&
            flow->target_port == own->target_port &&
            (best == GMS_REPORT_NONE ||
             flow->bytes_sent > run->flows[best].bytes_sent) &&
            strcmp(gms_data_class(data, i), "premium") != 0) {
            best = i;
        }
    }
    return best;
}

/* Returns the fraction of the bandwidth that the last grant assumes for the
 * program's own data; 0: unknown. */
static double gms_findings_asked_fill(const gms_report_run_t *run,
                                      uint32_t index)
{
    double fill = 0;
    size_t i, k;

    for (i = 0; i < run->event_count; ++i) {
        const gms_report_event_t *event = &run->events[i];

        for (k = 0; event->kind == GMS_REPORT_GRANT && k < event->request_count;
             ++k) {
            if (event->requests[k].flow == index) {
                fill = event->requests[k].payload_part;
            }
        }
    }
    return fill;
}

/* Checks whether the flow carries almost no bytes, and whether another flow
 * carries them instead. */
static int gms_findings_is_unused(const gms_data_t *data,
                                  const gms_finding_hold_t *hold,
                                  gms_finding_miss_t *miss)
{
    const gms_report_run_t *run = data->run;
    double all = gms_findings_bytes(run);
    double own = (double)run->flows[miss->index].bytes_sent;
    uint32_t other;

    if (own >= GMS_FINDINGS_UNUSED * all ||
        hold->got_bytes >= GMS_FINDINGS_NONE * hold->held_bytes) {
        return 0;
    }
    other = gms_findings_beside(data, miss->index);
    if (other != GMS_REPORT_NONE &&
        own < GMS_FINDINGS_UNUSED * (double)run->flows[other].bytes_sent) {
        miss->cause = GMS_CAUSE_ELSEWHERE;
        miss->other = other;
    } else {
        miss->cause = GMS_CAUSE_UNUSED;
    }
    return 1;
}

/* Finds the link for which the flow's packets waited longest.
 * @return 1 if these waits explain the difference */
static int gms_findings_is_blocked(const gms_report_flow_t *flow,
                                   const gms_finding_hold_t *hold,
                                   gms_finding_miss_t *miss)
{
    double most_ps = 0;
    size_t hop;

    for (hop = 0; hop < flow->hop_count; ++hop) {
        if ((double)flow->hops[hop].waited_ps > most_ps) {
            most_ps = (double)flow->hops[hop].waited_ps;
            miss->other = flow->hops[hop].link;
        }
    }
    if (most_ps > 0.02 * (double)hold->held_ps) {
        miss->cause = GMS_CAUSE_LINK;
        miss->part = fmin(1, most_ps / (double)hold->held_ps);
        return 1;
    }
    return 0;
}

/* Returns the time for which packets of the flow were blocked in the network, as
 * a fraction of the time from their send calls to their arrivals. */
static double gms_findings_blocked(const gms_report_flow_t *flow)
{
    double all_ps = 0;
    unsigned i;

    for (i = 0; i < GMS_REPORT_STATIONS; ++i) {
        all_ps += (double)flow->times_ps[i];
    }
    return all_ps > 0 ? (double)flow->times_ps[GMS_REPORT_BLOCKED] / all_ps : 0;
}

/* Finds the cause that explains most of the difference. A program that waits
 * for blocked packets has nothing to send meanwhile, so blocking takes
 * precedence over pauses of the program. */
static void gms_findings_cause(const gms_data_t *data,
                               const gms_finding_hold_t *hold,
                               gms_finding_miss_t *miss)
{
    const gms_report_flow_t *flow = &data->run->flows[miss->index];
    const gms_data_span_t *span = &data->spans[miss->index];
    double idle = 1 - (double)flow->active_ps /
                          (double)(span->end_ps - span->begin_ps + 1);
    double paced =
        flow->active_ps > 0
            ? fmin(1, (double)flow->pace_wait_ps / (double)flow->active_ps)
            : 0;

    miss->asked_fill = gms_findings_asked_fill(data->run, miss->index);
    if (gms_findings_is_unused(data, hold, miss)) {
        return;
    }
    if (!flow->has_end) {
        miss->cause = GMS_CAUSE_UNKNOWN;
    } else if (paced >= GMS_FINDINGS_PACED &&
               gms_data_fill(data->run, miss->index) <
                   GMS_FINDINGS_REACHED * miss->asked_fill) {
        miss->cause = GMS_CAUSE_SHORT;
        miss->part = paced;
    } else if (gms_findings_blocked(flow) >= GMS_FINDINGS_BLOCKED &&
               gms_findings_is_blocked(flow, hold, miss)) {
        return;
    } else if (idle > 0.5 * (1 - hold->got_bytes / hold->held_bytes)) {
        miss->cause = GMS_CAUSE_IDLE;
        miss->part = idle;
    } else {
        miss->cause =
            flow->packets_resent > 0 ? GMS_CAUSE_RESENT : GMS_CAUSE_NIC;
        (void)gms_findings_is_blocked(flow, hold, miss);
    }
}

/* ---- sentences ---- */

static void gms_findings_why_missed(const gms_data_t *data,
                                    const gms_finding_miss_t *miss, char *text,
                                    size_t room)
{
    const gms_report_run_t *run = data->run;
    gms_text_t part, fill, asked, name;

    (void)gms_text_part(miss->part, &part);
    text[0] = '\0';
    switch (miss->cause) {
    case GMS_CAUSE_SHORT:
        (void)snprintf(
            text, room,
            ": it waited for its own pace for %s of the time in which it had "
            "packets to send. The flow's packets were %s full, but the "
            "reservation is for packets that are %s full. Request the "
            "bandwidth with the message size that the program sends",
            part.text, gms_text_part(gms_data_fill(run, miss->index), &fill),
            gms_text_part(miss->asked_fill, &asked));
        break;
    case GMS_CAUSE_IDLE:
        (void)snprintf(text, room,
                       ": the program had nothing to send for %s of that time",
                       part.text);
        break;
    case GMS_CAUSE_LINK:
        (void)snprintf(text, room,
                       ": its packets waited for %s for %s of "
                       "that time",
                       gms_text_link(&run->links[miss->other], &name),
                       part.text);
        break;
    case GMS_CAUSE_RESENT:
        (void)snprintf(text, room, ": packets were lost and sent again");
        break;
    case GMS_CAUSE_NIC:
        (void)snprintf(text, room,
                       ": its packets waited behind other packets in the NIC");
        break;
    case GMS_CAUSE_NONE:
    case GMS_CAUSE_ELSEWHERE:
    case GMS_CAUSE_UNUSED:
    case GMS_CAUSE_UNKNOWN:
        break;
    }
}

/* Describes the flow with the largest weight among the flows with the same
 * cause. */
static void gms_findings_missed(const gms_data_t *data,
                                const gms_finding_hold_t *hold,
                                const gms_finding_miss_t *miss, size_t count,
                                json_t *list)
{
    const gms_report_run_t *run = data->run;
    const char *name = data->names[miss->index].text;
    double seconds = (double)hold->held_ps / GMS_FINDINGS_PS_S;
    char why[400], more[64] = "";
    gms_text_t held, got;

    (void)gms_text_rate(hold->held_bytes / seconds, &held);
    (void)gms_text_rate(hold->got_bytes / seconds, &got);
    if (count > 1) {
        (void)snprintf(more, sizeof(more), " %zu other %s the same way.",
                       count - 1,
                       gms_plural(count - 1, "flow behaved", "flows behaved"));
    }
    if (miss->cause == GMS_CAUSE_ELSEWHERE) {
        gms_findings_add(list, miss->weight, "flow",
                         run->flows[miss->other].number,
                         "Flow %s has %s reserved but sends almost nothing: "
                         "the traffic between the same processes uses flow %s, "
                         "which has no reservation. Request the reservation on "
                         "the communicator on which the program sends.%s",
                         name, held.text, data->names[miss->other].text, more);
        return;
    }
    if (miss->cause == GMS_CAUSE_UNUSED) {
        gms_findings_add(
            list, miss->weight, "flow", run->flows[miss->index].number,
            "Flow %s had %s reserved but used almost none of it.%s", name,
            held.text, more);
        return;
    }
    gms_findings_why_missed(data, miss, why, sizeof(why));
    gms_findings_add(list, miss->weight, "flow", run->flows[miss->index].number,
                     "Flow %s had %s reserved but received %s%s.%s", name,
                     held.text, got.text, why, more);
}

/* ---- all ---- */

/* Creates one finding for each cause. */
static void gms_findings_causes(const gms_data_t *data,
                                const gms_finding_hold_t *holds,
                                const gms_finding_miss_t *misses, json_t *list)
{
    unsigned cause;
    size_t i;

    for (cause = GMS_CAUSE_NONE + 1; cause < GMS_CAUSES; ++cause) {
        const gms_finding_miss_t *worst = NULL;
        size_t count = 0;

        for (i = 0; i < data->run->flow_count; ++i) {
            if (misses[i].cause == (enum gms_finding_cause)cause) {
                ++count;
                if (worst == NULL || misses[i].weight > worst->weight) {
                    worst = &misses[i];
                }
            }
        }
        if (count > 0) {
            gms_findings_missed(data, &holds[worst->index], worst, count, list);
        }
    }
}

static void gms_findings_reached(json_t *list, size_t reached, size_t all)
{
    if (reached > 0 && all > 1) {
        gms_findings_add(list, 0.2, NULL, 0,
                         "%zu of %zu reservations reached %s bandwidth.",
                         reached, all, gms_plural(reached, "its", "their"));
    } else if (reached > 0) {
        gms_findings_add(list, 0.2, NULL, 0,
                         "The flow reached its reserved bandwidth.");
    }
}

/* States whether the guarantees also hold in the presence of undeclared
 * traffic. */
static void gms_findings_limits(const gms_data_t *data, json_t *list,
                                size_t all)
{
    if (all > 0 && gms_data_is_declared_only(data->run)) {
        gms_findings_add(
            list, 0.2, NULL, 0,
            "The cluster sets 'undeclared: free', so the guarantees of this "
            "run hold only against declared traffic.");
    }
}

static void gms_findings_judge(const gms_data_t *data,
                               gms_finding_hold_t *holds,
                               gms_finding_miss_t *misses, json_t *list)
{
    size_t reached = 0, all = 0;
    uint32_t i;

    for (i = 0; i < data->run->flow_count; ++i) {
        if (data->is_chosen[i] &&
            strcmp(gms_data_class(data, i), "premium") == 0) {
            gms_findings_hold(data, i, &holds[i]);
        }
    }
    gms_findings_got(data->run, holds);
    for (i = 0; i < data->run->flow_count; ++i) {
        if (holds[i].held_bytes <= 0) {
            continue;
        }
        ++all;
        if (holds[i].got_bytes >= GMS_FINDINGS_REACHED * holds[i].held_bytes) {
            ++reached;
            continue;
        }
        misses[i].index = i;
        gms_findings_cause(data, &holds[i], &misses[i]);
        misses[i].weight = gms_cause_weights[misses[i].cause] *
                           (misses[i].cause == GMS_CAUSE_SHORT
                                ? misses[i].part
                                : 1 - holds[i].got_bytes / holds[i].held_bytes);
    }
    gms_findings_causes(data, holds, misses, list);
    gms_findings_reached(list, reached, all);
    gms_findings_limits(data, list, all);
}

void gms_findings_reservations(const gms_data_t *data, json_t *list)
{
    size_t count = data->run->flow_count + 1;
    gms_finding_hold_t *holds = calloc(count, sizeof(*holds));
    gms_finding_miss_t *misses = calloc(count, sizeof(*misses));

    if (holds != NULL && misses != NULL) {
        gms_findings_judge(data, holds, misses, list);
    }
    free(holds);
    free(misses);
}
