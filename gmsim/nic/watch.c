/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines event handlers with trace points. Each handler reports an event to
 * the observers and then calls the normal handler. These handlers replace the
 * normal handlers only in a process with observers, because a check in every
 * handler would slow down all runs.
 */
#include "nic/hca.h"
#include "nic/mcp.h"

static void gms_watch_lanai(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_nic_t *nic = event->object;

    if (nic->job < GMS_JOB_COUNT) {
        gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_JOB, nic);
    }
    gms_lanai_on_done(ctx, event);
}

static void gms_watch_host_dma(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_nic_t *nic = event->object;

    if (nic->host_dma.state == GMS_ENGINE_RUNNING) {
        gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_HOST_DMA, nic);
    }
    gms_host_dma_on_done(ctx, event);
}

static void gms_watch_sent(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_SENT,
                       (const gms_packet_t *)(uintptr_t)event->arg[0]);
    gms_send_on_sent(ctx, event);
}

static void gms_watch_arrived(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_ARRIVED,
                       (const gms_packet_t *)(uintptr_t)event->arg[0]);
    gms_recv_on_arrived(ctx, event);
}

static void gms_watch_hca_sent(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_SENT,
                       (const gms_packet_t *)(uintptr_t)event->arg[0]);
    gms_hca_on_sent(ctx, event);
}

static void gms_watch_hca_arrived(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_ARRIVED,
                       (const gms_packet_t *)(uintptr_t)event->arg[0]);
    gms_hca_on_arrived(ctx, event);
}

void gms_nic_watch(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_NIC_ON_LANAI] = gms_watch_lanai;
    ctx->handlers[GMS_NIC_ON_HOST_DMA] = gms_watch_host_dma;
    ctx->handlers[GMS_NIC_ON_SENT] = gms_watch_sent;
    ctx->handlers[GMS_NIC_ON_ARRIVED] = gms_watch_arrived;
    ctx->handlers[GMS_NIC_ON_HCA_SENT] = gms_watch_hca_sent;
    ctx->handlers[GMS_NIC_ON_HCA_ARRIVED] = gms_watch_hca_arrived;
}
