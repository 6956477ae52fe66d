/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates the host DMA engine: a single engine, with one set of registers,
 * for both directions. The engine's next transfer can be prepared only after
 * the end of the previous transfer has been handled. Therefore sending and
 * receiving share the engine, and take turns. [source: LANai 4 EBUS DMA: EAR,
 * LAR, DMA_CTR, DMA_DIR; gulati 2001 thesis 5.4: in and out at one node share
 * one capacity]
 */
#include "nic/mcp.h"

#include <assert.h>

/* Begin the next transfer of a class. SDMA and RDMA take turns. */
static inline uint64_t gms_host_dma_begin_class(gms_ctx_t *ctx, gms_nic_t *nic,
                                                unsigned number)
{
    gms_host_dma_t *dma = &nic->host_dma;
    gms_nic_class_t *traffic_class = &nic->traffic_class[number];
    uint64_t cycles;

    if (traffic_class->last_was_send) {
        cycles = gms_mcp_rdma_begin(ctx, nic, traffic_class);
        if (cycles == GMS_CYCLES_NONE) {
            cycles = gms_mcp_sdma_begin(ctx, nic, traffic_class);
        }
    } else {
        cycles = gms_mcp_sdma_begin(ctx, nic, traffic_class);
        if (cycles == GMS_CYCLES_NONE) {
            cycles = gms_mcp_rdma_begin(ctx, nic, traffic_class);
        }
    }
    if (traffic_class->is_searching) {
        /* A piece of a scheduler search moves no data. */
        traffic_class->is_searching = 0;
    } else if (cycles != GMS_CYCLES_NONE) {
        dma->state = GMS_ENGINE_PREPARING;
        dma->traffic_class = (uint8_t)number;
        traffic_class->last_was_send = dma->kind == GMS_DMA_SEND;
        traffic_class->has_polled = 0;
    }
    return cycles;
}

uint64_t gms_mcp_host_dma_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                                unsigned classes)
{
    uint64_t cycles = GMS_CYCLES_NONE;
    unsigned i;

    if (nic->host_dma.state != GMS_ENGINE_IDLE) {
        return GMS_CYCLES_NONE;
    }
    if (nic->order_count == 1) {
        return gms_host_dma_begin_class(ctx, nic, nic->order[0]);
    }
    for (i = 0; cycles == GMS_CYCLES_NONE && i < nic->order_count; ++i) {
        if ((classes & GMS_MCP_CLASS(nic->order[i])) != 0) {
            cycles = gms_host_dma_begin_class(ctx, nic, nic->order[i]);
        }
    }
    return cycles;
}

/* Attribute the time since the previous call of this function to the given
 * station of the packet or message. */
static void gms_host_dma_charge(gms_host_dma_t *dma, gms_time_t now_ps,
                                int is_dma)
{
    if (dma->packet != NULL) {
        gms_path_times_t *path = &dma->packet->path;

        gms_packet_charge(
            dma->packet, is_dma ? &path->host_dma_ps : &path->lanai_ps, now_ps);
    }
    if (dma->message != NULL) {
        gms_path_times_t *path = &dma->message->path;

        *(is_dma ? &path->host_dma_ps : &path->lanai_ps) +=
            now_ps - dma->message->mark_ps;
        dma->message->mark_ps = now_ps;
    }
}

void gms_mcp_host_dma_end(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_host_dma_t *dma = &nic->host_dma;
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    if (dma->state == GMS_ENGINE_IDLE) {
        return; /* a piece of a scheduler search needs no transfer */
    }
    assert(dma->state == GMS_ENGINE_PREPARING);
    dma->state = GMS_ENGINE_RUNNING;
    dma->start_ps = now_ps;
    dma->end_ps = now_ps + nic->params->host_dma_setup_ps +
                  gms_transfer_ps(dma->bytes, nic->params->host_dma_bytes_s);
    gms_host_dma_charge(dma, now_ps, 0);
    gms_engine_schedule(ctx, &nic->origin, dma->end_ps, GMS_NIC_ON_HOST_DMA,
                        nic, 0, 0);
}

void gms_host_dma_on_done(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_host_dma_t *dma = &nic->host_dma;

    if (dma->state != GMS_ENGINE_RUNNING) {
        assert(dma->state == GMS_ENGINE_VOID);
        dma->state = GMS_ENGINE_IDLE;
        gms_lanai_kick(ctx, nic);
        return;
    }
    nic->counters.host_dma_busy_ps += event->time_ps - dma->start_ps;
    gms_host_dma_charge(dma, event->time_ps, 1);
    /* An event is visible as soon as it is in host memory. Later work of the
     * MCP does not delay the event. A transfer that contains only events
     * requires no further work. */
    switch ((enum gms_dma_kind)dma->kind) {
    case GMS_DMA_SEND:
    case GMS_DMA_DATA:
        dma->state = GMS_ENGINE_DONE;
        break;
    case GMS_DMA_FAST:
        gms_rdma_deliver(ctx, nic, dma);
        dma->state = GMS_ENGINE_DONE;
        break;
    case GMS_DMA_RECEIVED:
    case GMS_DMA_SENT:
        gms_rdma_deliver(ctx, nic, dma);
        dma->state = GMS_ENGINE_IDLE;
        break;
    }
    gms_lanai_kick(ctx, nic);
}
