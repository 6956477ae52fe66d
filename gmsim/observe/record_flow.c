/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects data about each flow during the run. The data are the latencies of
 * the flow's packets, as counts per step of a table, and the times that these
 * packets waited for every link.
 */
#include "observe/record_int.h"

#include "nic/inspect.h"

#define GMS_RECORD_LATENCY_STEPS    4u /* steps between two powers of 2 */
#define GMS_RECORD_LATENCY_FIRST_PS GMS_US

/* Rare cases are in separate functions, because the caller runs for every
 * packet. */
static gms_record_flow_t *__attribute__((noinline, cold))
gms_record_new_flow(gms_ctx_t *ctx, gms_record_t *record, gms_flow_t *flow)
{
    gms_record_flow_t *seen = gms_arena_alloc(ctx->arena, sizeof(*seen));

    if (seen != NULL) {
        seen->number = ++record->flows;
        flow->seen = seen;
    }
    return seen;
}

gms_record_flow_t *gms_record_flow_of(gms_ctx_t *ctx, gms_record_t *record,
                                      gms_flow_t *flow)
{
    return flow->seen != NULL ? flow->seen
                              : gms_record_new_flow(ctx, record, flow);
}

/* Return the index of a latency in the table. The table has four equal steps
 * between successive powers of 2: 1, 1.25, 1.5, 1.75, 2, 2.5, ... us. The
 * function has no loop, because it runs for every arriving packet. */
static unsigned gms_record_latency_step(gms_time_t latency_ps)
{
    gms_time_t quarters =
        latency_ps / (GMS_RECORD_LATENCY_FIRST_PS / GMS_RECORD_LATENCY_STEPS);
    unsigned doubles, step;

    if (latency_ps < GMS_RECORD_LATENCY_FIRST_PS) {
        return 0;
    }
    doubles =
        63u - (unsigned)__builtin_clzll(quarters / GMS_RECORD_LATENCY_STEPS);
    step = GMS_RECORD_LATENCY_STEPS * doubles +
           (unsigned)(quarters >> doubles) - GMS_RECORD_LATENCY_STEPS;
    return step < GMS_RECORD_LATENCIES ? step : GMS_RECORD_LATENCIES - 1;
}

gms_time_t gms_record_latency_ps(unsigned step)
{
    gms_time_t base_ps = GMS_RECORD_LATENCY_FIRST_PS
                         << step / GMS_RECORD_LATENCY_STEPS;

    return base_ps + step % GMS_RECORD_LATENCY_STEPS *
                         (base_ps / GMS_RECORD_LATENCY_STEPS);
}

/* Allocate the wait counters of a flow when a packet of the flow waits for the
 * first time. */
static void __attribute__((noinline, cold))
gms_record_new_waits(gms_ctx_t *ctx, gms_record_flow_t *seen,
                     const gms_fabric_t *fabric, const gms_worm_t *worm)
{
    const uint32_t *links;
    unsigned count =
        gms_fabric_route_links(fabric, worm->source, worm->target, &links);

    seen->waits = gms_arena_alloc(ctx->arena, count * sizeof(*seen->waits));
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
        gms_record_new_waits(ctx, seen, gms_nic_fabric(packet->flow->nic),
                             blocked->worm);
    }
    if (seen != NULL && seen->waits != NULL) {
        ++seen->waits[blocked->hop].packets;
        seen->waits[blocked->hop].waited_ps += blocked->waited_ps;
    }
}

/* ---- the time in which a flow sends ---- */

/* [chosen: longer than the longest latency of most packets, and much shorter
 * than the run of a program] */
#define GMS_RECORD_PAUSE_PS (100 * GMS_US)
/* Bytes before the first pause or after the last pause do not count if they are
 * at most 1/100 of all bytes. */
#define GMS_RECORD_FEW 100u

/* Add a packet that arrives now and is already counted in the flow's bytes. */
static void gms_record_period_add(gms_record_period_t *period,
                                  gms_time_t now_ps, gms_time_t latency_ps,
                                  const gms_packet_t *packet)
{
    gms_time_t begin_ps = latency_ps < now_ps ? now_ps - latency_ps : 0;
    uint64_t bytes = packet->flow->bytes_arrived - packet->header.length;

    if (period->last_ps == 0) {
        period->first_ps = begin_ps;
    } else if (begin_ps > period->last_ps + GMS_RECORD_PAUSE_PS) {
        if (period->resumed_ps == 0) {
            period->resumed_ps = begin_ps;
            period->bytes_before = bytes;
        }
        /* keep an earlier pause if only few bytes have arrived since */
        if (period->paused_ps == 0 ||
            (bytes - period->bytes_until) * GMS_RECORD_FEW > bytes) {
            period->paused_ps = period->last_ps;
            period->bytes_until = bytes;
        }
    }
    period->last_ps = now_ps;
}

uint64_t gms_record_period_get(const gms_record_period_t *period,
                               uint64_t bytes, gms_time_t *first_ps_p,
                               gms_time_t *last_ps_p)
{
    uint64_t first = 0, end = bytes;

    *first_ps_p = period->first_ps;
    *last_ps_p = period->last_ps;
    if (period->resumed_ps != 0 &&
        period->bytes_before * GMS_RECORD_FEW <= bytes) {
        *first_ps_p = period->resumed_ps;
        first = period->bytes_before;
    }
    if (period->paused_ps > *first_ps_p &&
        (bytes - period->bytes_until) * GMS_RECORD_FEW <= bytes) {
        *last_ps_p = period->paused_ps;
        end = period->bytes_until;
    }
    return end - first;
}

/* ---- arrivals ---- */

void gms_record_arrival(gms_ctx_t *ctx, gms_record_t *record,
                        const gms_packet_t *packet)
{
    gms_record_flow_t *seen = gms_record_flow_of(ctx, record, packet->flow);
    const gms_nic_t *nic = packet->flow->nic;
    const gms_path_times_t *path = &packet->path;
    gms_time_t blocked_ps = packet->worm.blocked_ps, routing_ps, rest_ps;
    gms_time_t latency_ps = path->host_ps + path->lanai_ps + path->host_dma_ps +
                            path->wire_ps + path->switch_ps;

    if (seen == NULL) {
        return;
    }
    gms_record_period_add(&seen->period, gms_engine_now(ctx->engine),
                          latency_ps, packet);
    /* makes gms_record_all_flows() examine the flows of this NIC */
    record->nics[gms_nic_node(nic)].flow_packets = UINT64_MAX;
    routing_ps = packet->worm.hop * gms_nic_params(nic)->switch_routing_ps;
    rest_ps = path->switch_ps > routing_ps ? path->switch_ps - routing_ps : 0;
    seen->in_switches_ps += rest_ps < blocked_ps ? rest_ps : blocked_ps;
    seen->blocked_ps += blocked_ps;
    seen->queue_ps += packet->queue_ps;
    seen->path.host_ps += path->host_ps;
    seen->path.lanai_ps += path->lanai_ps;
    seen->path.host_dma_ps += path->host_dma_ps;
    seen->path.wire_ps += path->wire_ps;
    seen->path.switch_ps += path->switch_ps;
    ++seen->latency[gms_record_latency_step(latency_ps)];
}
