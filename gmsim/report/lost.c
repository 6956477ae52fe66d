/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/lost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GMS_LOST_PS_S 1e12

double gms_lost_gain(uint64_t bytes, gms_time_t active_ps, gms_time_t waited_ps,
                     const gms_lost_bounds_t *bounds)
{
    double most = fmin(fmin(bounds->card, bounds->pace),
                       fmin(bounds->link, bounds->target));
    double gain = HUGE_VAL;

    if (bytes == 0 || active_ps == 0 || waited_ps == 0) {
        return 0;
    }
    if (waited_ps < active_ps) {
        gain = (double)bytes * (double)waited_ps /
               (double)(active_ps - waited_ps);
    }
    return fmax(0, fmin(gain, most));
}

/* ---- of a run ---- */

/** Of a flow, over the windows in which it sent. */
typedef struct gms_lost_flow {
    gms_time_t windows_ps;
    gms_time_t busy_ps[2]; /* of the source's card: LANai, host DMA */
    double pace_packets;   /* that its pace allowed */
    uint64_t paced_packets, free_packets; /* sent with an IDT, without */
    uint64_t others_bytes; /* that other flows brought to its target */
    gms_time_t begin_ps, end_ps; /* of the first window, of the last */
} gms_lost_flow_t;

struct gms_losses {
    const gms_report_run_t *run;
    gms_lost_flow_t *flows;
    uint64_t *through; /* by node - 1: bytes that its card sent and took */
    uint64_t *taken;   /* by node - 1: .. took in the window looked at */
};

/* A line is for the time since the one before, but what is in it happened in its
 * last window. */
static gms_time_t gms_lost_length(const gms_report_run_t *run, uint32_t window)
{
    const gms_report_window_t *at = &run->windows[window];
    gms_time_t start_ps = (at->end_ps - 1) / run->window_ps * run->window_ps;

    return at->end_ps - (start_ps > at->begin_ps ? start_ps : at->begin_ps);
}

/* Both lists are in the order of windows; within one, a card's place is looked up
 * by its node. */
static void gms_lost_part(gms_losses_t *losses,
                          const gms_report_flow_part_t *part,
                          const gms_report_card_part_t *own)
{
    const gms_report_run_t *run = losses->run;
    double tick_ps = (double)gms_report_param(run, "rtc_tick_ps");
    gms_lost_flow_t *flow = &losses->flows[part->flow];
    gms_time_t length_ps = gms_lost_length(run, part->window);

    flow->windows_ps += length_ps;
    flow->end_ps = run->windows[part->window].end_ps;
    if (flow->begin_ps == 0 && flow->windows_ps == length_ps) {
        flow->begin_ps = flow->end_ps - length_ps;
    }
    flow->others_bytes +=
        losses->taken[run->flows[part->flow].target_node - 1] -
        part->arrived_bytes;
    if (own != NULL && own->window == part->window) {
        flow->busy_ps[0] += own->busy_ps[GMS_REPORT_CARD_LANAI];
        flow->busy_ps[1] += own->busy_ps[GMS_REPORT_CARD_HOST_DMA];
    }
    if (part->idt_ticks > 0 && tick_ps > 0) {
        flow->pace_packets += (double)length_ps / (part->idt_ticks * tick_ps);
        flow->paced_packets += part->packets;
    } else {
        flow->free_packets += part->packets;
    }
}

/* What each card has taken in the window of a part, which is its first one. */
static void gms_lost_take(gms_losses_t *losses, size_t first)
{
    const gms_report_run_t *run = losses->run;
    uint32_t window = run->flow_parts[first].window;
    size_t i;

    memset(losses->taken, 0, run->nodes * sizeof(*losses->taken));
    for (i = first; i < run->flow_part_count &&
                    run->flow_parts[i].window == window;
         i++) {
        losses->taken[run->flows[run->flow_parts[i].flow].target_node - 1] +=
            run->flow_parts[i].arrived_bytes;
    }
}

static void gms_lost_collect(gms_losses_t *losses,
                             const gms_report_card_part_t **at)
{
    const gms_report_run_t *run = losses->run;
    size_t card = 0, i;

    for (i = 0; i < run->flow_part_count; i++) {
        const gms_report_flow_part_t *part = &run->flow_parts[i];

        if (i == 0 || run->flow_parts[i - 1].window != part->window) {
            gms_lost_take(losses, i);
        }
        for (; card < run->card_part_count &&
               run->card_parts[card].window <= part->window;
             card++) {
            at[run->card_parts[card].node - 1] = &run->card_parts[card];
        }
        if (part->packets > 0) {
            gms_lost_part(losses, part, at[run->flows[part->flow].node - 1]);
        }
    }
}

gms_losses_t *gms_losses_create(const gms_report_run_t *run)
{
    gms_losses_t *losses = calloc(1, sizeof(*losses));
    const gms_report_card_part_t **at = calloc(run->nodes, sizeof(*at));
    size_t i;

    if (losses != NULL) {
        losses->run = run;
        losses->flows = calloc(run->flow_count + 1, sizeof(*losses->flows));
        losses->through = calloc(run->nodes, sizeof(*losses->through));
        losses->taken = calloc(run->nodes, sizeof(*losses->taken));
    }
    if (losses == NULL || at == NULL || losses->flows == NULL ||
        losses->through == NULL || losses->taken == NULL) {
        gms_losses_destroy(losses);
        free(at);
        return NULL;
    }
    for (i = 0; i < run->flow_count; i++) {
        const gms_report_flow_t *flow = &run->flows[i];

        losses->through[flow->node - 1] += flow->bytes_sent;
        losses->through[flow->target_node - 1] += flow->bytes_arrived;
    }
    gms_lost_collect(losses, at);
    free(at);
    return losses;
}

void gms_losses_destroy(gms_losses_t *losses)
{
    if (losses != NULL) {
        free(losses->flows);
        free(losses->through);
        free(losses->taken);
        free(losses);
    }
}

/* What the busiest part of its card could have done beside. */
static double gms_lost_card(const gms_losses_t *losses,
                            const gms_report_flow_t *flow,
                            const gms_lost_flow_t *seen)
{
    static const enum gms_report_part parts[] = {GMS_REPORT_CARD_LANAI,
                                                 GMS_REPORT_CARD_HOST_DMA};
    double most = HUGE_VAL;
    unsigned i;

    for (i = 0; i < 2; i++) {
        double busy_ps =
            (double)losses->run->cards[flow->node - 1].busy_ps[parts[i]];
        double idle_ps =
            fmax(0, (double)seen->windows_ps - (double)seen->busy_ps[i]);

        if (busy_ps > 0) {
            most = fmin(most,
                        idle_ps * (double)losses->through[flow->node - 1] /
                            busy_ps);
        }
    }
    return most;
}

static double gms_lost_pace(const gms_report_flow_t *flow,
                            const gms_lost_flow_t *seen)
{
    /* without a pace for more than the start and the end */
    if (seen->paced_packets == 0 || flow->packets_sent == 0 ||
        seen->free_packets > seen->paced_packets / 20) {
        return HUGE_VAL;
    }
    return fmax(0, seen->pace_packets - (double)seen->paced_packets) *
           (double)flow->bytes_sent / (double)flow->packets_sent;
}

/* If nobody else had held the link. */
static double gms_lost_link(const gms_losses_t *losses,
                            const gms_report_flow_t *flow,
                            const gms_report_hop_t *hop)
{
    double rate = (double)gms_report_param(losses->run, "link_bytes_s");
    double header = (double)gms_report_param(losses->run, "nic_header_bytes");
    double wire_bytes, others_ps;

    if (flow->packets_sent == 0 || rate == 0) {
        return HUGE_VAL;
    }
    wire_bytes =
        (double)flow->bytes_sent + (double)flow->packets_sent * header;
    others_ps = fmin((double)losses->run->links[hop->link].held_ps,
                     (double)flow->active_ps) -
                wire_bytes * GMS_LOST_PS_S / rate;
    return fmax(0, others_ps) * rate / GMS_LOST_PS_S *
           (double)flow->bytes_sent / wire_bytes;
}

double gms_losses_at(const gms_losses_t *losses, uint32_t number, size_t hop)
{
    const gms_report_flow_t *flow = &losses->run->flows[number];
    const gms_lost_flow_t *seen = &losses->flows[number];
    gms_lost_bounds_t bounds;

    if (!flow->has_end || hop >= flow->hop_count ||
        flow->hops[hop].waited_ps == 0 || seen->end_ps <= seen->begin_ps) {
        return 0;
    }
    bounds = (gms_lost_bounds_t){
        gms_lost_card(losses, flow, seen), gms_lost_pace(flow, seen),
        gms_lost_link(losses, flow, &flow->hops[hop]),
        /* the last link leads to the target's card */
        hop + 1 == flow->hop_count ? (double)seen->others_bytes : HUGE_VAL};
    return gms_lost_gain(flow->bytes_arrived, flow->active_ps,
                         flow->hops[hop].waited_ps, &bounds) *
           GMS_LOST_PS_S / (double)(seen->end_ps - seen->begin_ps);
}
