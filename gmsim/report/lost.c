/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/lost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GMS_LOST_PS_S 1e12

double gms_lost_rate(uint64_t bytes, gms_time_t active_ps, gms_time_t waited_ps,
                     const gms_lost_bounds_t *bounds)
{
    double most = fmin(bounds->card, fmin(bounds->pace, bounds->link));
    double rate, lost;

    if (bytes == 0 || active_ps == 0 || waited_ps == 0) {
        return 0;
    }
    rate = (double)bytes * GMS_LOST_PS_S / (double)active_ps;
    lost = waited_ps < active_ps
               ? (double)bytes * GMS_LOST_PS_S /
                         (double)(active_ps - waited_ps) -
                     rate
               : HUGE_VAL;
    return fmax(0, fmin(lost, most));
}

/* ---- of a run ---- */

/** Of a flow, over the windows in which it sent. */
typedef struct gms_lost_flow {
    gms_time_t windows_ps;
    gms_time_t busy_ps[2]; /* of the source's card: LANai, host DMA */
    double pace_packets;   /* that its pace allowed */
    uint64_t paced_packets, free_packets; /* sent with an IDT, without */
} gms_lost_flow_t;

struct gms_losses {
    const gms_report_run_t *run;
    gms_lost_flow_t *flows;
    uint64_t *through; /* by node - 1: bytes that its card sent and took */
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
static void gms_lost_collect(gms_losses_t *losses,
                             const gms_report_card_part_t **at)
{
    const gms_report_run_t *run = losses->run;
    double tick_ps = (double)gms_report_param(run, "rtc_tick_ps");
    size_t card = 0, i;

    for (i = 0; i < run->flow_part_count; i++) {
        const gms_report_flow_part_t *part = &run->flow_parts[i];
        gms_lost_flow_t *flow = &losses->flows[part->flow];
        gms_time_t length_ps = gms_lost_length(run, part->window);
        const gms_report_card_part_t *own;

        for (; card < run->card_part_count &&
               run->card_parts[card].window <= part->window;
             card++) {
            at[run->card_parts[card].node - 1] = &run->card_parts[card];
        }
        if (part->packets == 0) {
            continue;
        }
        own = at[run->flows[part->flow].node - 1];
        flow->windows_ps += length_ps;
        if (own != NULL && own->window == part->window) {
            flow->busy_ps[0] += own->busy_ps[GMS_REPORT_CARD_LANAI];
            flow->busy_ps[1] += own->busy_ps[GMS_REPORT_CARD_HOST_DMA];
        }
        if (part->idt_ticks > 0 && tick_ps > 0) {
            flow->pace_packets +=
                (double)length_ps / (part->idt_ticks * tick_ps);
            flow->paced_packets += part->packets;
        } else {
            flow->free_packets += part->packets;
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
    }
    if (losses == NULL || at == NULL || losses->flows == NULL ||
        losses->through == NULL) {
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
        double idle =
            1 - (double)seen->busy_ps[i] / (double)(seen->windows_ps + 1);

        if (busy_ps > 0) {
            most = fmin(most, fmax(0, idle) *
                                  (double)losses->through[flow->node - 1] *
                                  GMS_LOST_PS_S / busy_ps);
        }
    }
    return most;
}

static double gms_lost_pace(const gms_report_flow_t *flow,
                            const gms_lost_flow_t *seen)
{
    double packet_bytes;

    /* without a pace for more than the start and the end */
    if (seen->paced_packets == 0 || flow->packets_sent == 0 ||
        seen->free_packets > seen->paced_packets / 20) {
        return HUGE_VAL;
    }
    packet_bytes = (double)flow->bytes_sent / (double)flow->packets_sent;
    return fmax(0, (seen->pace_packets - (double)seen->paced_packets) *
                       packet_bytes * GMS_LOST_PS_S /
                       (double)(seen->windows_ps + 1));
}

/* A link that carries nothing but this flow's packets. */
static double gms_lost_link(const gms_losses_t *losses,
                            const gms_report_flow_t *flow)
{
    double rate = (double)gms_report_param(losses->run, "link_bytes_s");
    double header = (double)gms_report_param(losses->run, "nic_header_bytes");
    double packet_bytes;

    if (flow->packets_sent == 0 || rate == 0) {
        return HUGE_VAL;
    }
    packet_bytes = (double)flow->bytes_sent / (double)flow->packets_sent;
    return fmax(0, rate * packet_bytes / (packet_bytes + header) -
                       (double)flow->bytes_arrived * GMS_LOST_PS_S /
                           (double)(flow->active_ps + 1));
}

double gms_losses_at(const gms_losses_t *losses, uint32_t number, size_t hop)
{
    const gms_report_flow_t *flow = &losses->run->flows[number];
    const gms_lost_flow_t *seen = &losses->flows[number];
    gms_lost_bounds_t bounds;

    if (!flow->has_end || hop >= flow->hop_count ||
        flow->hops[hop].waited_ps == 0) {
        return 0;
    }
    bounds = (gms_lost_bounds_t){gms_lost_card(losses, flow, seen),
                                 gms_lost_pace(flow, seen),
                                 gms_lost_link(losses, flow)};
    return gms_lost_rate(flow->bytes_arrived, flow->active_ps,
                         flow->hops[hop].waited_ps, &bounds);
}
