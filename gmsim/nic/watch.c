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

static void gms_watch_stage(gms_ctx_t *ctx, enum gms_nic_stage_kind kind,
                            const gms_packet_t *packet, gms_time_t begin_ps)
{
    gms_nic_stage_t stage = {
        .packet = packet, .kind = kind, .begin_ps = begin_ps};

    gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_STAGE, &stage);
}

static void gms_watch_hca_read(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_nic_t *nic = event->object;

    if (event->arg[0] == nic->hca->resets) {
        gms_watch_stage(ctx, GMS_NIC_STAGE_READ,
                        nic->traffic_class[event->arg[1]].reading.first,
                        event->time_ps);
    }
    gms_hca_on_read(ctx, event);
}

static void gms_watch_hca_sent(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_nic_t *nic = event->object;
    const gms_packet_t *packet = (const gms_packet_t *)(uintptr_t)event->arg[0];
    unsigned traffic_class = packet->worm.traffic_class;

    gms_watch_stage(ctx, GMS_NIC_STAGE_SEND, packet,
                    nic->traffic_class[traffic_class].send_dma.start_ps);
    gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_SENT, packet);
    gms_hca_on_sent(ctx, event);
}

static void gms_watch_hca_arrived(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_packet_t *packet = (const gms_packet_t *)(uintptr_t)event->arg[0];

    gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_ARRIVED, packet);
    gms_watch_stage(ctx, GMS_NIC_STAGE_CHECK, packet, event->time_ps);
    gms_hca_on_arrived(ctx, event);
}

static void gms_watch_hca_written(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_nic_t *nic = event->object;

    if (event->arg[0] == nic->hca->resets) {
        const gms_packet_t *packet = nic->hca->writing.first->dma.packet;

        if (packet != NULL) {
            gms_watch_stage(ctx, GMS_NIC_STAGE_WRITE, packet, packet->mark_ps);
        }
    }
    gms_hca_on_written(ctx, event);
}

void gms_nic_watch(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_NIC_ON_LANAI] = gms_watch_lanai;
    ctx->handlers[GMS_NIC_ON_HOST_DMA] = gms_watch_host_dma;
    ctx->handlers[GMS_NIC_ON_SENT] = gms_watch_sent;
    ctx->handlers[GMS_NIC_ON_ARRIVED] = gms_watch_arrived;
    ctx->handlers[GMS_NIC_ON_HCA_READ] = gms_watch_hca_read;
    ctx->handlers[GMS_NIC_ON_HCA_WRITTEN] = gms_watch_hca_written;
    ctx->handlers[GMS_NIC_ON_HCA_SENT] = gms_watch_hca_sent;
    ctx->handlers[GMS_NIC_ON_HCA_ARRIVED] = gms_watch_hca_arrived;
}
