/* SPDX-License-Identifier: BSD-3-Clause */
/* What is kept of each flow. */
#include "observe/record_int.h"

#include "nic/nic_int.h"

#define GMS_RECORD_LATENCY_STEPS 4u /* to the double */
#define GMS_RECORD_LATENCY_FIRST_PS GMS_US

gms_record_flow_t *gms_record_flow_of(gms_ctx_t *ctx, gms_record_t *record,
                                      gms_flow_t *flow)
{
    gms_record_flow_t *seen = flow->seen;

    if (seen == NULL) {
        seen = gms_arena_alloc(ctx->arena, sizeof(*seen));
        if (seen != NULL) {
            seen->number = ++record->flows;
            flow->seen = seen;
        }
    }
    return seen;
}

/* Quarters of each double: 1, 1.25, 1.5, 1.75, 2, 2.5, .. us. Each packet that
 * arrives comes by: no loop. */
static unsigned gms_record_latency_place(gms_time_t latency_ps)
{
    gms_time_t quarters =
        latency_ps / (GMS_RECORD_LATENCY_FIRST_PS / GMS_RECORD_LATENCY_STEPS);
    unsigned doubles, place;

    if (latency_ps < GMS_RECORD_LATENCY_FIRST_PS) {
        return 0;
    }
    doubles =
        63u - (unsigned)__builtin_clzll(quarters / GMS_RECORD_LATENCY_STEPS);
    place = GMS_RECORD_LATENCY_STEPS * doubles +
            (unsigned)(quarters >> doubles) - GMS_RECORD_LATENCY_STEPS;
    return place < GMS_RECORD_LATENCIES ? place : GMS_RECORD_LATENCIES - 1;
}

gms_time_t gms_record_latency_ps(unsigned place)
{
    gms_time_t base_ps = GMS_RECORD_LATENCY_FIRST_PS
                         << place / GMS_RECORD_LATENCY_STEPS;

    return base_ps + place % GMS_RECORD_LATENCY_STEPS *
                         (base_ps / GMS_RECORD_LATENCY_STEPS);
}

void gms_record_blocked(gms_ctx_t *ctx, gms_record_t *record,
                        const gms_fabric_blocked_t *blocked)
{
    const gms_packet_t *packet = (const gms_packet_t *)blocked->worm;
    gms_record_flow_t *seen;

    if (packet->flow == NULL) {
        return;
    }
    seen = gms_record_flow_of(ctx, record, packet->flow);
    if (seen != NULL && seen->waits == NULL) {
        const uint32_t *links;
        unsigned count =
            gms_fabric_way(packet->flow->nic->fabric, blocked->worm->source,
                           blocked->worm->target, &links);

        seen->waits =
            gms_arena_alloc(ctx->arena, count * sizeof(*seen->waits));
    }
    if (seen != NULL && seen->waits != NULL) {
        ++seen->waits[blocked->hop].packets;
        seen->waits[blocked->hop].waited_ps += blocked->waited_ps;
    }
}

void gms_record_arrival(gms_ctx_t *ctx, gms_record_t *record,
                        const gms_packet_t *packet)
{
    gms_record_flow_t *seen = gms_record_flow_of(ctx, record, packet->flow);
    const gms_path_times_t *path = &packet->path;
    gms_time_t routing_ps, in_switches_ps;

    if (seen == NULL) {
        return;
    }
    /* Blocked in a switch, its time is the switch's; before the target's card,
     * the LANai's. Here it is neither's. */
    routing_ps =
        packet->worm.hop * packet->flow->nic->params->switch_routing_ps;
    in_switches_ps =
        path->switch_ps > routing_ps ? path->switch_ps - routing_ps : 0;
    if (in_switches_ps > packet->worm.blocked_ps) {
        in_switches_ps = packet->worm.blocked_ps;
    }
    seen->path.host_ps += path->host_ps;
    seen->path.lanai_ps +=
        path->lanai_ps - (packet->worm.blocked_ps - in_switches_ps);
    seen->path.host_dma_ps += path->host_dma_ps;
    seen->path.wire_ps += path->wire_ps;
    seen->path.switch_ps += path->switch_ps - in_switches_ps;
    seen->queue_ps += packet->queue_ps;
    seen->blocked_ps += packet->worm.blocked_ps;
    ++seen->latency[gms_record_latency_place(
        path->host_ps + path->lanai_ps + path->host_dma_ps + path->wire_ps +
        path->switch_ps)];
}
