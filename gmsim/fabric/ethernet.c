/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the parts of the fabric model `ethernet` that differ from the model
 * cut-through: pause frames, headroom and marks. The code that moves the
 * packets is in reserved.c.
 *
 * An input port counts all bytes of a packet from the time when the switch
 * chooses the packet's output port until the last byte leaves the switch. A
 * switch marks a packet if the packet joins a queue of more than Kmin bytes.
 * The probability of a mark grows with the length of the queue, up to Pmax at
 * Kmax. In longer queues, every packet is marked. Switches mark only
 * best-effort packets, because reserved traffic is already paced. [source: Zhu
 * et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015,
 * 3.1]
 *
 * In this model, PAUSE frames use no bandwidth and never expire, and the
 * threshold of each input port is constant. Real switches share their memory
 * dynamically among the ports. [assumed]
 */
#include "fabric/ethernet.h"

#include <stdio.h>
#include <string.h>

#include "fabric/fabric_int.h"

/* Length of a pause frame on the wire: frame, preamble and gap. [source: IEEE
 * 802.1Q-2018, 36.1; IEEE 802.3, 3.1 and 4.4] */
#define GMS_ETH_PAUSE_BYTES (64u + 8u + 12u)
/* Maximum length of the header that a packet has in addition to
 * nic_header_bytes (nic/mcp_sdma.c). */
#define GMS_ETH_MORE_BYTES 16u
/* Number of the first random stream for links; fault.c uses other streams for
 * nodes. */
#define GMS_ETH_STREAM  (UINT64_C(1) << 32)
#define GMS_ETH_MILLION 1000000u

/* ---- parameters ---- */

unsigned gms_eth_priority(const gms_params_t *params, unsigned traffic_class)
{
    const uint64_t dscp[GMS_LANE_CLASSES] = {
        [GMS_LANE_CONTROL] = params->eth_dscp_control,
        [GMS_LANE_REAL_TIME] = params->eth_dscp_real_time,
        [GMS_LANE_BEST_EFFORT] = params->eth_dscp_best_effort,
    };

    return (unsigned)(dscp[traffic_class] / GMS_ETS_PRIORITIES);
}

static uint64_t gms_eth_packet_bytes(const gms_params_t *params)
{
    return params->nic_mtu_bytes + params->nic_header_bytes +
           GMS_ETH_MORE_BYTES;
}

uint64_t gms_eth_headroom(const gms_params_t *params, uint64_t bytes_s,
                          uint64_t slowest_bytes_s)
{
    uint64_t packet_bytes = gms_eth_packet_bytes(params);
    gms_time_t delay_ps = 2 * params->link_propagation_ps +
                          params->switch_routing_ps + params->eth_pause_ps +
                          gms_transfer_ps(packet_bytes, slowest_bytes_s) +
                          gms_transfer_ps(GMS_ETH_PAUSE_BYTES, bytes_s);

    /* All bytes of the packet that exceeds the threshold are counted, and so
     * are all bytes of the last packet that starts before the pause. */
    return (uint64_t)((unsigned __int128)delay_ps * bytes_s / GMS_SECOND) + 1 +
           2 * packet_bytes;
}

/* Check the weights of the priorities. */
static gms_status_t gms_eth_check_weights(const gms_params_t *params,
                                          const char **row_p,
                                          char error[GMS_TOPOLOGY_ERROR_LEN])
{
    static const char *const rows[GMS_LANE_CLASSES] = {
        [GMS_LANE_CONTROL] = "eth_ets_control",
        [GMS_LANE_REAL_TIME] = "eth_ets_real_time",
        [GMS_LANE_BEST_EFFORT] = "eth_ets_best_effort",
    };
    const uint64_t weights[GMS_LANE_CLASSES] = {
        [GMS_LANE_CONTROL] = params->eth_ets_control,
        [GMS_LANE_REAL_TIME] = params->eth_ets_real_time,
        [GMS_LANE_BEST_EFFORT] = params->eth_ets_best_effort,
    };
    uint64_t sum = 0;
    unsigned i, other;

    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        for (other = 0; other < i && gms_eth_priority(params, other) !=
                                         gms_eth_priority(params, i);
             ++other) {
        }
        if (other == i) {
            sum += weights[i];
        } else if (weights[other] != weights[i]) {
            *row_p = rows[i];
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                     "value '%u' differs from value '%u' of %s, although both "
                     "have priority %u",
                     (unsigned)weights[i], (unsigned)weights[other],
                     rows[other], gms_eth_priority(params, i));
            return GMS_ERR_CONFIG;
        }
    }
    if (sum != 0 && sum != 100) {
        *row_p = rows[GMS_LANE_BEST_EFFORT];
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "the weights of the priorities add up to %u; allowed: 100, or "
                 "0 if all priorities are strict",
                 (unsigned)sum);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_eth_check(const gms_params_t *params, const char **row_p,
                           char error[GMS_TOPOLOGY_ERROR_LEN])
{
    uint64_t most = params->link_bytes_s, least = params->link_bytes_s, needed;

    if (params->switch_link_bytes_s != 0) {
        most = params->switch_link_bytes_s > most ? params->switch_link_bytes_s
                                                  : most;
        least = params->switch_link_bytes_s < least
                    ? params->switch_link_bytes_s
                    : least;
    }
    needed = gms_eth_headroom(params, most, least);
    if (params->eth_xon_bytes > params->eth_xoff_bytes) {
        *row_p = "eth_xon_bytes";
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "value '%llu' exceeds eth_xoff_bytes; allowed: 0..%llu",
                 (unsigned long long)params->eth_xon_bytes,
                 (unsigned long long)params->eth_xoff_bytes);
        return GMS_ERR_CONFIG;
    }
    if (params->eth_kmin_bytes > params->eth_kmax_bytes) {
        *row_p = "eth_kmin_bytes";
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "value '%llu' exceeds eth_kmax_bytes; allowed: 0..%llu",
                 (unsigned long long)params->eth_kmin_bytes,
                 (unsigned long long)params->eth_kmax_bytes);
        return GMS_ERR_CONFIG;
    }
    if (params->eth_pfc && params->eth_headroom_bytes != 0 &&
        params->eth_headroom_bytes < needed) {
        *row_p = "eth_headroom_bytes";
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "value '%llu' is too small, so packets could be lost before a "
                 "pause takes effect; allowed: 0 (computed), or at least %llu",
                 (unsigned long long)params->eth_headroom_bytes,
                 (unsigned long long)needed);
        return GMS_ERR_CONFIG;
    }
    return gms_eth_check_weights(params, row_p, error);
}

/* ---- creation ---- */

/* Set the weights, the thresholds and the marking parameters of all ports. */
static void gms_eth_set(gms_fabric_t *fabric, const gms_params_t *params)
{
    gms_eth_t *eth = fabric->eth;
    uint64_t least = UINT64_MAX, headroom = 0, need;
    uint32_t link;

    for (link = 0; link < fabric->link_count; ++link) {
        uint64_t rate = fabric->table->bytes_s[link];

        least = rate < least ? rate : least;
    }
    for (link = 0; link < fabric->link_count; ++link) {
        need = gms_eth_headroom(params, fabric->table->bytes_s[link], least);
        headroom = need > headroom ? need : headroom;
        gms_random_init(&eth->chance[link], params->seed,
                        GMS_ETH_STREAM + link);
    }
    if (params->eth_headroom_bytes > headroom || !params->eth_pfc) {
        headroom = params->eth_headroom_bytes;
    }
    eth->config.weight[gms_eth_priority(params, GMS_LANE_CONTROL)] =
        (uint8_t)params->eth_ets_control;
    eth->config.weight[gms_eth_priority(params, GMS_LANE_REAL_TIME)] =
        (uint8_t)params->eth_ets_real_time;
    eth->config.weight[gms_eth_priority(params, GMS_LANE_BEST_EFFORT)] =
        (uint8_t)params->eth_ets_best_effort;
    eth->has_pfc = params->eth_pfc != 0;
    eth->has_ecn = params->eth_ecn != 0;
    eth->xoff_bytes = params->eth_xoff_bytes;
    eth->xon_bytes = params->eth_xon_bytes;
    eth->limit_bytes = params->eth_xoff_bytes + headroom;
    eth->pause_ps = params->eth_pause_ps;
    eth->kmin_bytes = params->eth_kmin_bytes;
    eth->kmax_bytes = params->eth_kmax_bytes;
    eth->pmax_ppm = params->eth_pmax_ppm;
}

static void gms_eth_destroy(gms_arena_t *arena, gms_fabric_t *fabric)
{
    if (fabric->eth != NULL) {
        gms_arena_free(arena, fabric->eth->ets);
        gms_arena_free(arena, fabric->eth->chance);
        gms_arena_free(arena, fabric->eth);
    }
    gms_vl_ports_destroy(arena, fabric);
}

static gms_status_t gms_eth_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                   const gms_params_t *params,
                                   char error[GMS_TOPOLOGY_ERROR_LEN])
{
    uint8_t lane_of[GMS_LANE_CLASSES];
    uint32_t count = fabric->link_count;
    const char *row;
    gms_status_t status = gms_eth_check(params, &row, error);
    unsigned i;

    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        lane_of[i] = (uint8_t)gms_eth_priority(params, i);
    }
    if (status == GMS_OK) {
        status = gms_vl_ports_create(ctx, fabric, params, lane_of, error);
    }
    if (status != GMS_OK) {
        return status;
    }
    fabric->eth = gms_arena_alloc(ctx->arena, sizeof(*fabric->eth));
    if (fabric->eth != NULL) {
        fabric->eth->ets =
            gms_arena_alloc(ctx->arena, count * sizeof(*fabric->eth->ets));
        fabric->eth->chance =
            gms_arena_alloc(ctx->arena, count * sizeof(*fabric->eth->chance));
    }
    if (fabric->eth == NULL || fabric->eth->ets == NULL ||
        fabric->eth->chance == NULL) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "the priorities of %u links need more memory than the arena "
                 "has left; set a larger arena_bytes",
                 count);
        return GMS_ERR_NO_MEMORY;
    }
    gms_eth_set(fabric, params);
    return gms_reserved_alloc(ctx, fabric, GMS_ETS_PRIORITIES, 0, error);
}

/* ---- pauses ---- */

/* Return the link whose direction is opposite to a given link into a switch. */
static uint32_t gms_eth_reverse(const gms_fabric_t *fabric, uint32_t link)
{
    const gms_link_end_t *to = gms_fabric_to(fabric, link);

    return gms_topology_out(fabric->topology, to->index, to->port);
}

/* Send a pause or resume frame to the start of a link. */
static void gms_eth_send(gms_ctx_t *ctx, gms_fabric_t *fabric,
                         gms_reserved_lane_t *lane, uint32_t link, int is_pause)
{
    uint32_t reverse = gms_eth_reverse(fabric, link);
    gms_time_t at_ps = gms_engine_now(ctx->engine);
    gms_time_t busy_ps = fabric->reserved[reverse].busy_until_ps;

    at_ps = busy_ps > at_ps ? busy_ps : at_ps;
    at_ps +=
        gms_transfer_ps(GMS_ETH_PAUSE_BYTES, fabric->table->bytes_s[reverse]) +
        fabric->time.propagation_ps + fabric->eth->pause_ps;
    if (at_ps <= lane->framed_ps) {
        at_ps = lane->framed_ps + 1; /* frames arrive in the order in which they
                                      * were sent */
    }
    lane->framed_ps = at_ps;
    lane->has_paused = (uint8_t)is_pause;
    fabric->eth->counts.pauses += is_pause != 0;
    gms_engine_schedule(ctx, &fabric->origin, at_ps, GMS_FABRIC_ON_PAUSE, lane,
                        (uintptr_t)fabric,
                        (uint64_t)link << 1 | (is_pause != 0));
}

void gms_eth_on_pause(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_reserved_lane_t *lane = event->object;
    gms_fabric_t *fabric = (gms_fabric_t *)(uintptr_t)event->arg[0];

    lane->is_paused = event->arg[1] & 1;
    if (!lane->is_paused) {
        gms_reserved_serve(ctx, fabric, (uint32_t)(event->arg[1] >> 1));
    }
}

int gms_eth_enter(gms_ctx_t *ctx, gms_fabric_t *fabric,
                  gms_reserved_lane_t *lane, uint32_t link,
                  uint64_t queued_bytes, const gms_worm_t *worm)
{
    gms_eth_t *eth = fabric->eth;
    uint64_t used = eth->has_pfc ? lane->inside_bytes : queued_bytes;

    if (used + worm->wire_bytes > eth->limit_bytes) {
        ++eth->counts.overflowed;
        return 0;
    }
    lane->inside_bytes += worm->wire_bytes;
    if (lane->inside_bytes > eth->counts.most_bytes) {
        eth->counts.most_bytes = lane->inside_bytes;
    }
    if (eth->has_pfc && !lane->has_paused &&
        lane->inside_bytes > eth->xoff_bytes) {
        gms_eth_send(ctx, fabric, lane, link, 1);
    }
    return 1;
}

void gms_eth_leave(gms_ctx_t *ctx, gms_fabric_t *fabric,
                   gms_reserved_lane_t *lane, uint32_t link,
                   const gms_worm_t *worm)
{
    lane->inside_bytes -= worm->wire_bytes;
    if (lane->has_paused && lane->inside_bytes <= fabric->eth->xon_bytes) {
        gms_eth_send(ctx, fabric, lane, link, 0);
    }
}

/* ---- marks ---- */

void gms_eth_mark(gms_fabric_t *fabric, uint32_t link, uint64_t queued_bytes,
                  gms_worm_t *worm)
{
    gms_eth_t *eth = fabric->eth;
    uint64_t width = eth->kmax_bytes - eth->kmin_bytes;

    if (!eth->has_ecn || worm->is_marked || queued_bytes <= eth->kmin_bytes ||
        worm->traffic_class != fabric->classes - 1) {
        return;
    }
    if (queued_bytes <= eth->kmax_bytes &&
        gms_random_below(&eth->chance[link], width * GMS_ETH_MILLION) >=
            (queued_bytes - eth->kmin_bytes) * eth->pmax_ppm) {
        return;
    }
    worm->is_marked = 1;
    ++eth->counts.marked;
}

/* ---- queries ---- */

const gms_eth_counts_t *gms_fabric_eth_counts(const gms_fabric_t *fabric)
{
    return fabric->eth != NULL ? &fabric->eth->counts : NULL;
}

uint64_t gms_fabric_eth_queue(const gms_fabric_t *fabric, uint32_t link,
                              unsigned priority)
{
    return fabric->reserved[link].lane[priority].queued_bytes;
}

const gms_fabric_ops_t gms_eth_ops = {
    .name = "ethernet",
    .create = gms_eth_create,
    .destroy = gms_eth_destroy,
    .inject = gms_reserved_inject,
    .accept = gms_reserved_accept,
    .swallow = gms_reserved_swallow,
    .sever = gms_vl_ports_sever,
    .use = gms_vl_ports_use,
};
