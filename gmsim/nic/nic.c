/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates a NIC, sets the IDT, class and reservations of its flows, and returns
 * its counters. The jobs of the NIC's processor are in mcp_*.c.
 */
#include "nic/nic.h"

#include <string.h>

#include "nic/delay.h"
#include "nic/hca.h"
#include "nic/local.h"
#include "nic/mcp.h"

/* Return the caller's parameters if they are in the arena, where all processes
 * of a job share them. Otherwise return a copy of the parameters. */
static const gms_params_t *gms_nic_keep_params(gms_ctx_t *ctx,
                                               const gms_params_t *params)
{
    gms_params_t *copy;

    if (gms_arena_contains(ctx->arena, params, sizeof(*params))) {
        return params;
    }
    copy = gms_arena_alloc(ctx->arena, sizeof(*copy));
    if (copy != NULL) {
        *copy = *params;
    }
    return copy;
}

static gms_status_t gms_nic_create_classes(gms_ctx_t *ctx, gms_nic_t *nic)
{
    const gms_scheduler_ops_t *ops =
        gms_scheduler_ops((uint32_t)nic->params->scheduler);
    unsigned i;

    for (i = 0; i < nic->classes; ++i) {
        gms_nic_class_t *traffic_class = &nic->traffic_class[i];

        traffic_class->recv_buffers =
            (uint32_t)(nic->classes > 1 && i == GMS_LANE_REAL_TIME
                           ? nic->params->nic_reserved_buffers
                           : nic->params->nic_recv_buffers);
        if (ops->create(ctx, nic->params, &traffic_class->scheduler) !=
            GMS_OK) {
            return GMS_ERR_NO_MEMORY;
        }
    }
    return GMS_OK;
}

static void gms_nic_destroy_classes(gms_ctx_t *ctx, gms_nic_t *nic)
{
    unsigned i;

    for (i = 0; i < nic->classes; ++i) {
        gms_arena_free(ctx->arena, nic->traffic_class[i].scheduler);
        gms_arena_free(ctx->arena, nic->traffic_class[i].connections);
    }
}

/* Make the NIC use a traffic class. Packets of reserved flows precede messages
 * of the managers, because the managers may send any number of messages.
 * Messages of the managers precede best-effort traffic. */
void gms_nic_use_class(gms_nic_t *nic, unsigned traffic_class)
{
    static const uint8_t order[GMS_LANE_CLASSES] = {
        GMS_LANE_REAL_TIME, GMS_LANE_CONTROL, GMS_LANE_BEST_EFFORT};
    unsigned i;

    nic->used_classes |= 1u << traffic_class;
    if (nic->classes > 1 && traffic_class != GMS_LANE_BEST_EFFORT) {
        gms_fabric_expect_reserved(nic->fabric);
    }
    nic->order_count = 0;
    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        if ((nic->used_classes & (1u << order[i])) != 0) {
            nic->order[nic->order_count++] = order[i];
        }
    }
    if (traffic_class == GMS_LANE_REAL_TIME && !nic->is_reserved) {
        nic->is_reserved = 1;
        /* Completed reserved sends are reported in the control class. */
        gms_nic_use_class(nic, GMS_LANE_CONTROL);
    }
}

/* Return the time of the longest job that may begin while real-time traffic
 * waits for the host DMA engine. */
static gms_time_t gms_nic_longest_job_ps(const gms_params_t *params)
{
    const uint64_t cycles[] = {
        params->mcp_recv_finish_cycles, params->mcp_ack_receive_cycles,
        params->mcp_send_start_cycles,  params->mcp_send_finish_cycles,
        params->mcp_ack_send_cycles,    params->mcp_token_cycles,
        params->mcp_recv_token_cycles};
    uint64_t most = 0;
    unsigned i;

    for (i = 0; i < sizeof(cycles) / sizeof(cycles[0]); ++i) {
        most = cycles[i] > most ? cycles[i] : most;
    }
    return most * params->lanai_cycle_ps;
}

gms_status_t gms_nic_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            const gms_params_t *params, unsigned node,
                            gms_nic_t **nic_p)
{
    size_t ports = (size_t)params->gm_ports;
    gms_nic_t *nic = gms_arena_alloc(
        ctx->arena, sizeof(*nic) + ports * sizeof(nic->ports[0]));
    gms_fabric_port_t link = {
        .object = nic,
        .on_sent = gms_nic_kinds[params->nic_kind]->on_sent,
        .on_request = GMS_NIC_ON_REQUEST,
        .on_arrived = gms_nic_kinds[params->nic_kind]->on_arrived,
        .on_copy = GMS_NIC_ON_COPY,
        .on_lost = GMS_NIC_ON_LOST,
    };

    if (nic == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    nic->params = gms_nic_keep_params(ctx, params);
    nic->fabric = fabric;
    nic->kind = (uint32_t)params->nic_kind;
    nic->node = node;
    nic->nodes = gms_fabric_nodes(fabric);
    nic->origin.id = node;
    nic->job = GMS_JOB_COUNT;
    nic->wake_tick = GMS_RTC_NEVER;
    nic->longest_job_ps = gms_nic_longest_job_ps(params);
    nic->port_count = (uint32_t)ports;
    nic->classes = gms_fabric_classes(fabric);
    gms_nic_use_class(nic, nic->classes == 1 ? 0 : GMS_LANE_BEST_EFFORT);
    if (nic->params == NULL ||
        gms_dispatch_keep(ctx, nic, params->nic_dispatch_records) != GMS_OK ||
        gms_nic_create_classes(ctx, nic) != GMS_OK ||
        gms_nic_kinds[nic->kind]->create(ctx, nic) != GMS_OK) {
        (void)gms_dispatch_keep(ctx, nic, 0);
        gms_nic_destroy_classes(ctx, nic);
        if (nic->params != params) {
            gms_arena_free(ctx->arena, (void *)(uintptr_t)nic->params);
        }
        gms_arena_free(ctx->arena, nic);
        return GMS_ERR_NO_MEMORY;
    }
    gms_fabric_attach(fabric, node, &link);
    *nic_p = nic;
    return GMS_OK;
}

void gms_nic_register(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_NIC_ON_LANAI] = gms_lanai_on_done;
    ctx->handlers[GMS_NIC_ON_HOST_DMA] = gms_host_dma_on_done;
    ctx->handlers[GMS_NIC_ON_POST] = gms_port_on_post;
    ctx->handlers[GMS_NIC_ON_ALARM] = gms_port_on_alarm;
    ctx->handlers[GMS_NIC_ON_WAKE] = gms_sdma_on_wake;
    ctx->handlers[GMS_NIC_ON_RESEND] = gms_connection_on_resend;
    ctx->handlers[GMS_NIC_ON_HOLD] = gms_flow_on_hold;
    ctx->handlers[GMS_NIC_ON_SENT] = gms_send_on_sent;
    ctx->handlers[GMS_NIC_ON_REQUEST] = gms_recv_on_request;
    ctx->handlers[GMS_NIC_ON_ARRIVED] = gms_recv_on_arrived;
    ctx->handlers[GMS_NIC_ON_COPY] = gms_recv_on_copy;
    ctx->handlers[GMS_NIC_ON_LOST] = gms_send_on_lost;
    ctx->handlers[GMS_NIC_ON_LOCAL_POST] = gms_local_on_post;
    ctx->handlers[GMS_NIC_ON_LOCAL_COPIED] = gms_local_on_copied;
    ctx->handlers[GMS_NIC_ON_LOCAL_SEEN] = gms_local_on_seen;
    ctx->handlers[GMS_NIC_ON_HCA_FETCHED] = gms_hca_on_fetched;
    ctx->handlers[GMS_NIC_ON_HCA_REQUEST] = gms_hca_on_request;
    ctx->handlers[GMS_NIC_ON_HCA_READ] = gms_hca_on_read;
    ctx->handlers[GMS_NIC_ON_HCA_WRITTEN] = gms_hca_on_written;
    ctx->handlers[GMS_NIC_ON_HCA_SENT] = gms_hca_on_sent;
    ctx->handlers[GMS_NIC_ON_HCA_ARRIVED] = gms_hca_on_arrived;
}

static void gms_nic_change_idt(gms_ctx_t *ctx, gms_flow_t *flow,
                               uint32_t idt_ticks)
{
    const gms_nic_t *nic = flow->nic;
    gms_scheduler_t *scheduler =
        nic->traffic_class[flow->traffic_class].scheduler;

    flow->idt_ticks = idt_ticks;
    gms_ctx_detail_tracepoint(ctx, GMS_NIC_TRACEPOINT_IDT, flow);
    gms_scheduler_ops(scheduler->id)
        ->idt_changed(scheduler, flow,
                      gms_nic_rtc(nic, gms_engine_now(ctx->engine)));
}

gms_status_t gms_nic_set_idt(gms_ctx_t *ctx, gms_nic_t *nic,
                             const gms_flow_key_t *key, uint32_t idt_ticks)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_flow_t *flow = gms_flow_get(ctx, nic, key);

    if (flow == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (flow->idt_ticks == idt_ticks) {
        return GMS_OK;
    }
    gms_nic_change_idt(ctx, flow, idt_ticks);
    if (flow->twin != NULL) {
        gms_nic_change_idt(ctx, flow->twin, idt_ticks);
    }
    /* Schedule an event instead of calling the LANai, because this function
     * must not run the work of the NIC itself. */
    gms_engine_schedule(ctx, &nic->origin, now_ps, GMS_NIC_ON_WAKE, nic,
                        GMS_RTC_NEVER, 0);
    return GMS_OK;
}

gms_status_t gms_nic_set_yielding(gms_ctx_t *ctx, gms_nic_t *nic,
                                  const gms_flow_key_t *key, int yields)
{
    gms_flow_t *flow = gms_flow_get(ctx, nic, key);

    if (flow == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    flow->yields = yields != 0;
    if (flow->twin != NULL) {
        flow->twin->yields = flow->yields;
    }
    return GMS_OK;
}

/* Set *flow_p to the flow of a reservation, or to NULL if there is only one
 * class. With one class, reservations have no effect here. In this case, the
 * function must not create flows, because flows must keep the order of their
 * first use. */
static gms_status_t gms_nic_promised_flow(gms_ctx_t *ctx, gms_nic_t *nic,
                                          const gms_flow_key_t *key,
                                          gms_flow_t **flow_p)
{
    *flow_p = nic->classes == 1 ? NULL : gms_flow_get(ctx, nic, key);
    return nic->classes == 1 || *flow_p != NULL ? GMS_OK : GMS_ERR_NO_MEMORY;
}

gms_status_t gms_nic_set_byte_pace(gms_ctx_t *ctx, gms_nic_t *nic,
                                   const gms_flow_key_t *key,
                                   uint32_t idt_ticks)
{
    gms_flow_t *flow;
    gms_status_t status = gms_nic_promised_flow(ctx, nic, key, &flow);

    if (flow == NULL) {
        return status;
    }
    flow->pace_bytes = (uint32_t)nic->params->nic_mtu_bytes;
    return gms_nic_set_idt(ctx, nic, key, idt_ticks);
}

gms_status_t gms_nic_promise(gms_ctx_t *ctx, gms_nic_t *nic,
                             const gms_flow_key_t *key, int more)
{
    gms_flow_t *flow;
    gms_status_t status = gms_nic_promised_flow(ctx, nic, key, &flow);

    if (flow == NULL) {
        return status;
    }
    if (flow->promises == 0) {
        gms_post_reserve(nic, flow);
    }
    flow->promises += (uint32_t)more;
    gms_nic_meet_class(nic, GMS_LANE_REAL_TIME);
    gms_flow_classify(ctx, flow);
    if (flow->twin != NULL) {
        gms_flow_classify(ctx, flow->twin);
    }
    return GMS_OK;
}

void gms_nic_expect_reserved(gms_nic_t *nic, unsigned port)
{
    gms_nic_port_t *p = gms_port_if_open(nic, port);

    if (nic->classes > 1 && p != NULL) {
        p->expects_reserved = 1;
    }
}

void gms_nic_set_urgent(gms_nic_t *nic, unsigned port)
{
    nic->ports[port]->traffic_class = GMS_LANE_CONTROL;
}

static void gms_nic_add_flow(const gms_flow_t *flow, gms_flow_stats_t *sums)
{
    sums->packets_sent += flow->packets_sent;
    sums->bytes_sent += flow->bytes_sent;
    sums->packets_again += flow->packets_again;
    sums->bytes_again += flow->bytes_again;
    sums->packets_arrived += flow->packets_arrived;
    sums->bytes_arrived += flow->bytes_arrived;
    sums->messages_sent += flow->messages_sent;
    sums->active_ps += flow->active_ps;
    sums->has_more |= flow->first != NULL;
    sums->idt_waits += flow->idt_waits;
    sums->idt_wait_ticks += flow->idt_wait_ticks;
    sums->window_waits += flow->window_waits;
    sums->window_wait_ps += flow->window_wait_ps;
    sums->holds += flow->holds;
    sums->hold_ps += flow->hold_ps;
    sums->quantum_ends += flow->quantum_ends;
}

static void gms_nic_add_delay(const gms_flow_t *flow, gms_flow_stats_t *stats)
{
    const gms_delay_t *delay = flow->delay;

    if (delay != NULL) {
        stats->is_measured = delay->terms.packet_ps > 0;
        stats->messages_measured = delay->sends.messages;
        stats->messages_beyond = delay->sends.beyond;
        stats->worst_delay_ps = delay->sends.worst_ps;
        stats->worst_exchange_ps = delay->exchanges.worst_ps;
    }
}

void gms_nic_flow_stats(const gms_nic_t *nic, const gms_flow_key_t *key,
                        gms_flow_stats_t *stats)
{
    const gms_flow_t *flow = gms_flow_find(nic, key);

    memset(stats, 0, sizeof(*stats));
    if (flow != NULL) {
        stats->idt_ticks = flow->idt_ticks;
        stats->active_since_ps = flow->active_since_ps;
        gms_nic_add_flow(flow, stats);
        gms_nic_add_delay(flow, stats);
    }
}

unsigned gms_nic_flow_sums(const gms_nic_t *nic, gms_flow_stats_t *sums)
{
    const gms_flow_t *flow;

    memset(sums, 0, sizeof(*sums));
    for (flow = nic->flows.first; flow != NULL; flow = flow->next) {
        gms_nic_add_flow(flow, sums);
    }
    return nic->flow_count;
}

const gms_nic_counters_t *gms_nic_counters(const gms_nic_t *nic)
{
    return &nic->counters;
}

uint64_t gms_nic_rtc(const gms_nic_t *nic, gms_time_t now_ps)
{
    return now_ps / nic->params->rtc_tick_ps;
}
