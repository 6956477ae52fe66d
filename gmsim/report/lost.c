/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects the waits, pauses and NIC times of every flow from the windows of a
 * run. Computes the smaller and the larger loss at every link by the formulas
 * in lost.h.
 */
#include "report/lost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GMS_LOST_PS_S 1e12

double gms_lost_gain(uint64_t bytes, gms_time_t time_ps, gms_time_t waited_ps)
{
    if (bytes == 0 || time_ps == 0 || waited_ps == 0) {
        return 0;
    }
    return waited_ps < time_ps ? (double)bytes * (double)waited_ps /
                                     (double)(time_ps - waited_ps)
                               : HUGE_VAL;
}

/* ---- data of a run ---- */

/** Data of a flow, either for the windows in which the flow sent or for the
 *  whole time of the flow. */
typedef struct gms_lost_flow {
    double pace_packets; /* number of packets that the flow's pace allowed */
    /* packets sent with an IDT, and packets sent without an IDT */
    uint64_t paced_packets, free_packets;
    /* beginning of the flow's first window, and end of its last window */
    gms_time_t begin_ps, end_ps;
    /* GMS_REPORT_NONE: the target has no rank */
    uint32_t target_rank;
    /* the fields below cover the whole time of the flow */
    gms_time_t busy_ps[2]; /* busy time of the source's NIC: LANai, host DMA */
    uint64_t others_bytes; /* bytes of other flows that arrived at this flow's
                            * target */
} gms_lost_flow_t;

struct gms_losses {
    const gms_report_run_t *run;
    gms_lost_flow_t *flows;
    uint64_t *through; /* index: node - 1; bytes that the NIC of the node sent
                        * and received */
    uint64_t *by_rank; /* index: rank; bytes that the rank sent and received */
};

/* Returns the length of a window. A line covers the time since the previous
 * line, but all activity of the line happened in its last window. */
static gms_time_t gms_lost_length(const gms_report_run_t *run, uint32_t window)
{
    const gms_report_window_t *at = &run->windows[window];
    gms_time_t start_ps = (at->end_ps - 1) / run->window_ps * run->window_ps;

    return at->end_ps - (start_ps > at->begin_ps ? start_ps : at->begin_ps);
}

static void gms_lost_part(gms_losses_t *losses,
                          const gms_report_flow_part_t *part)
{
    const gms_report_run_t *run = losses->run;
    double tick_ps = (double)gms_report_param(run, "rtc_tick_ps");
    gms_lost_flow_t *flow = &losses->flows[part->flow];
    gms_time_t length_ps = gms_lost_length(run, part->window);

    if (flow->end_ps == 0) {
        flow->begin_ps = run->windows[part->window].end_ps - length_ps;
    }
    flow->end_ps = run->windows[part->window].end_ps;
    if (part->idt_ticks > 0 && tick_ps > 0) {
        flow->pace_packets += (double)length_ps / (part->idt_ticks * tick_ps);
        flow->paced_packets += part->packets;
    } else {
        flow->free_packets += part->packets;
    }
}

/* ---- activity of NICs during the time of a flow ---- */

/** Totals of each NIC (index: node - 1) from the start of the run. */
typedef struct gms_lost_nic {
    uint64_t taken_bytes;
    gms_time_t busy_ps[2]; /* LANai, host DMA */
} gms_lost_nic_t;

static void gms_lost_work(gms_lost_nic_t *nics,
                          const gms_report_nic_part_t *part)
{
    gms_lost_nic_t *nic = &nics[part->node - 1];

    nic->busy_ps[0] += part->busy_ps[GMS_REPORT_NIC_LANAI];
    nic->busy_ps[1] += part->busy_ps[GMS_REPORT_NIC_HOST_DMA];
}

/* Restricts totals to the windows of a flow: the totals up to the flow's first
 * window are subtracted from the totals up to the end of its last window. Unsigned arithmetic
 * wraps around to the correct result. */
static void gms_lost_mark(gms_losses_t *losses, const gms_lost_nic_t *nics,
                          uint32_t index, int is_end)
{
    const gms_report_flow_t *flow = &losses->run->flows[index];
    const gms_lost_nic_t *source = &nics[flow->node - 1];
    const gms_lost_nic_t *target = &nics[flow->target_node - 1];
    gms_lost_flow_t *seen = &losses->flows[index];
    uint64_t sign = is_end ? 1 : UINT64_MAX;

    seen->others_bytes += sign * target->taken_bytes;
    seen->busy_ps[0] += sign * source->busy_ps[0];
    seen->busy_ps[1] += sign * source->busy_ps[1];
}

static void gms_lost_marks(gms_losses_t *losses, const gms_lost_nic_t *nics,
                           size_t first, size_t end, int is_end)
{
    const gms_report_run_t *run = losses->run;
    gms_time_t end_ps = run->windows[run->flow_parts[first].window].end_ps;
    size_t i;

    for (i = first; i < end; ++i) {
        const gms_report_flow_part_t *part = &run->flow_parts[i];
        const gms_lost_flow_t *seen = &losses->flows[part->flow];

        if (part->packets > 0 &&
            (is_end ? seen->end_ps == end_ps
                    : seen->begin_ps + gms_lost_length(run, part->window) ==
                          end_ps)) {
            gms_lost_mark(losses, nics, part->flow, is_end);
        }
    }
}

/* Adds a flow's arrived bytes to the total of its target's NIC. Every other
 * flow to this NIC treats these bytes as bytes of other flows. */
static void gms_lost_take(gms_losses_t *losses, gms_lost_nic_t *nics,
                          const gms_report_flow_part_t *part)
{
    const gms_report_run_t *run = losses->run;
    gms_lost_flow_t *seen = &losses->flows[part->flow];
    gms_time_t end_ps = run->windows[part->window].end_ps;

    nics[run->flows[part->flow].target_node - 1].taken_bytes +=
        part->arrived_bytes;
    if (end_ps > seen->begin_ps && end_ps <= seen->end_ps) {
        seen->others_bytes -= part->arrived_bytes;
    }
}

/* Iterates over the activity of flows and of NICs together. Both lists are in
 * the order of the windows. */
static void gms_lost_sweep(gms_losses_t *losses, gms_lost_nic_t *nics)
{
    const gms_report_run_t *run = losses->run;
    size_t nic = 0, first = 0, end, i;

    for (; first < run->flow_part_count; first = end) {
        uint32_t window = run->flow_parts[first].window;

        for (end = first; end < run->flow_part_count &&
                          run->flow_parts[end].window == window;
             ++end) {
        }
        for (; nic < run->nic_part_count && run->nic_parts[nic].window < window;
             ++nic) {
            gms_lost_work(nics, &run->nic_parts[nic]);
        }
        gms_lost_marks(losses, nics, first, end, 0);
        for (i = first; i < end; ++i) {
            gms_lost_take(losses, nics, &run->flow_parts[i]);
        }
        for (;
             nic < run->nic_part_count && run->nic_parts[nic].window == window;
             ++nic) {
            gms_lost_work(nics, &run->nic_parts[nic]);
        }
        gms_lost_marks(losses, nics, first, end, 1);
    }
}

/* Counts the bytes of all nodes and ranks. */
static void gms_lost_bytes(gms_losses_t *losses)
{
    const gms_report_run_t *run = losses->run;
    uint32_t source;
    size_t i;

    for (i = 0; i < run->flow_count; ++i) {
        const gms_report_flow_t *flow = &run->flows[i];

        losses->through[flow->node - 1] += flow->bytes_sent;
        losses->through[flow->target_node - 1] += flow->bytes_arrived;
        source = gms_report_rank_at(run, flow->node, flow->port);
        losses->flows[i].target_rank =
            gms_report_rank_at(run, flow->target_node, flow->target_port);
        if (source != GMS_REPORT_NONE) {
            losses->by_rank[source] += flow->bytes_sent;
        }
        if (losses->flows[i].target_rank != GMS_REPORT_NONE) {
            losses->by_rank[losses->flows[i].target_rank] +=
                flow->bytes_arrived;
        }
    }
}

static void gms_lost_collect(gms_losses_t *losses, gms_lost_nic_t *nics)
{
    const gms_report_run_t *run = losses->run;
    size_t i;

    for (i = 0; i < run->flow_part_count; ++i) {
        if (run->flow_parts[i].packets > 0) {
            gms_lost_part(losses, &run->flow_parts[i]);
        }
    }
    gms_lost_sweep(losses, nics);
    gms_lost_bytes(losses);
}

gms_losses_t *gms_losses_create(const gms_report_run_t *run)
{
    gms_losses_t *losses = calloc(1, sizeof(*losses));
    gms_lost_nic_t *nics = calloc(run->nodes, sizeof(*nics));

    if (losses != NULL) {
        losses->run = run;
        losses->flows = calloc(run->flow_count + 1, sizeof(*losses->flows));
        losses->through = calloc(run->nodes, sizeof(*losses->through));
        losses->by_rank = calloc(run->rank_count + 1, sizeof(*losses->by_rank));
    }
    if (losses == NULL || nics == NULL || losses->flows == NULL ||
        losses->through == NULL || losses->by_rank == NULL) {
        gms_losses_destroy(losses);
        free(nics);
        return NULL;
    }
    gms_lost_collect(losses, nics);
    free(nics);
    return losses;
}

void gms_losses_destroy(gms_losses_t *losses)
{
    if (losses != NULL) {
        free(losses->flows);
        free(losses->through);
        free(losses->by_rank);
        free(losses);
    }
}

/* ---- upper limits of the gain, in bytes ---- */

static gms_time_t gms_lost_time(const gms_lost_flow_t *seen)
{
    return seen->end_ps - seen->begin_ps;
}

/* Returns the number of additional bytes that the busiest part of the source's
 * NIC could have processed. */
static double gms_lost_nic(const gms_losses_t *losses,
                           const gms_report_flow_t *flow,
                           const gms_lost_flow_t *seen)
{
    static const enum gms_report_part parts[] = {GMS_REPORT_NIC_LANAI,
                                                 GMS_REPORT_NIC_HOST_DMA};
    double most = HUGE_VAL;
    unsigned i;

    for (i = 0; i < 2; ++i) {
        double busy_ps =
            (double)losses->run->nics[flow->node - 1].busy_ps[parts[i]];
        double idle_ps =
            fmax(0, (double)gms_lost_time(seen) - (double)seen->busy_ps[i]);

        if (busy_ps > 0) {
            most =
                fmin(most, idle_ps * (double)losses->through[flow->node - 1] /
                               busy_ps);
        }
    }
    return most;
}

/* Returns the number of additional bytes that the receiving rank's host had
 * time to process. */
static double gms_lost_host(const gms_losses_t *losses,
                            const gms_report_flow_t *flow,
                            const gms_lost_flow_t *seen)
{
    gms_time_t worked_ps = seen->target_rank != GMS_REPORT_NONE
                               ? losses->run->hosts[seen->target_rank].worked_ps
                               : 0;

    return worked_ps > 0
               ? fmax(0, (double)gms_lost_time(seen) *
                                 (double)losses->by_rank[seen->target_rank] /
                                 (double)worked_ps -
                             (double)flow->bytes_arrived)
               : HUGE_VAL;
}

static double gms_lost_pace(const gms_report_flow_t *flow,
                            const gms_lost_flow_t *seen)
{
    /* The flow had no pace, except possibly at its start and its end. */
    if (seen->paced_packets == 0 || flow->packets_sent == 0 ||
        seen->free_packets > seen->paced_packets / 20) {
        return HUGE_VAL;
    }
    return fmax(0, seen->pace_packets - (double)seen->paced_packets) *
           (double)flow->bytes_sent / (double)flow->packets_sent;
}

/* Returns the number of bytes that the flow could have sent if no other flow
 * had held the link. */
static double gms_lost_link(const gms_losses_t *losses,
                            const gms_report_flow_t *flow,
                            const gms_lost_flow_t *seen, uint32_t link)
{
    double rate = (double)gms_report_param(losses->run, "link_bytes_s");
    double header = (double)gms_report_param(losses->run, "nic_header_bytes");
    double wire_bytes, others_ps;

    if (flow->packets_sent == 0 || rate == 0) {
        return HUGE_VAL;
    }
    wire_bytes = (double)flow->bytes_sent + (double)flow->packets_sent * header;
    others_ps = fmin((double)losses->run->links[link].held_ps,
                     (double)gms_lost_time(seen)) -
                wire_bytes * GMS_LOST_PS_S / rate;
    return fmax(0, others_ps) * rate / GMS_LOST_PS_S *
           (double)flow->bytes_sent / wire_bytes;
}

/* ---- waiting times ---- */

static gms_time_t gms_lost_known(const gms_report_flow_t *flow)
{
    gms_time_t sum_ps = 0;
    size_t hop;

    for (hop = 0; hop < flow->hop_count; ++hop) {
        sum_ps += flow->hops[hop].waited_ps;
    }
    return sum_ps;
}

static int gms_lost_is_flit(const gms_report_run_t *run)
{
    const char *model =
        json_string_value(json_object_get(run->parameters, "fabric_model"));

    return model != NULL && strcmp(model, "flit") == 0;
}

/* Returns the hop whose link moved the most bytes. In case of a tie, the
 * function returns the last of these hops. */
static size_t gms_lost_busiest(const gms_report_run_t *run,
                               const gms_report_flow_t *flow)
{
    size_t busiest = 0, hop;

    for (hop = 0; hop < flow->hop_count; ++hop) {
        if (run->links[flow->hops[hop].link].moving_ps >=
            run->links[flow->hops[busiest].link].moving_ps) {
            busiest = hop;
        }
    }
    return busiest;
}

/** Total waiting time of the flow, and its waiting time for one link. */
typedef struct gms_lost_wait {
    double all_ps, own_ps;
} gms_lost_wait_t;

static gms_lost_wait_t gms_lost_waited(const gms_report_run_t *run,
                                       const gms_report_flow_t *flow,
                                       size_t hop)
{
    double known_ps = (double)gms_lost_known(flow);
    double all_ps = (double)flow->times_ps[GMS_REPORT_BLOCKED];
    double own_ps = (double)flow->hops[hop].waited_ps;

    if (!gms_lost_is_flit(run)) {
        return (gms_lost_wait_t){known_ps, own_ps};
    }
    if (all_ps < known_ps) {
        /* buffers on the route absorbed packets that waited, so no packet was
         * stopped for this long */
        own_ps *= all_ps / known_ps;
    } else if (hop == gms_lost_busiest(run, flow)) {
        own_ps += all_ps - known_ps;
    }
    return (gms_lost_wait_t){all_ps, own_ps};
}

/* Returns the fraction of the gain that was lost at a hop. */
static double gms_lost_there(const gms_losses_t *losses, uint32_t number,
                             size_t hop, double gain)
{
    const gms_report_flow_t *flow = &losses->run->flows[number];
    const gms_lost_flow_t *seen = &losses->flows[number];
    gms_lost_wait_t wait = gms_lost_waited(losses->run, flow, hop);

    gain = fmin(fmin(gain, gms_lost_nic(losses, flow, seen)),
                fmin(gms_lost_host(losses, flow, seen),
                     gms_lost_pace(flow, seen))) *
           wait.own_ps / wait.all_ps;
    gain = fmin(gain, gms_lost_link(losses, flow, seen, flow->hops[hop].link));
    /* the last link leads to the NIC of the target */
    if (hop + 1 == flow->hop_count) {
        gain = fmin(gain, (double)seen->others_bytes);
    }
    return gain * GMS_LOST_PS_S / (double)gms_lost_time(seen);
}

gms_lost_t gms_losses_at(const gms_losses_t *losses, uint32_t number,
                         size_t hop)
{
    const gms_report_flow_t *flow = &losses->run->flows[number];
    gms_time_t time_ps = gms_lost_time(&losses->flows[number]);
    gms_time_t active_ps =
        flow->active_ps < time_ps ? flow->active_ps : time_ps;
    gms_lost_wait_t wait;

    if (!flow->has_end || hop >= flow->hop_count || time_ps == 0) {
        return (gms_lost_t){0, 0};
    }
    wait = gms_lost_waited(losses->run, flow, hop);
    if (wait.own_ps <= 0) {
        return (gms_lost_t){0, 0};
    }
    return (gms_lost_t){
        gms_lost_there(losses, number, hop,
                       gms_lost_gain(flow->bytes_arrived, time_ps,
                                     (gms_time_t)wait.all_ps)),
        gms_lost_there(losses, number, hop,
                       gms_lost_gain(flow->bytes_arrived, active_ps,
                                     (gms_time_t)wait.all_ps))};
}
