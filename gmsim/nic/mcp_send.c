/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job SEND puts packets on the link, one packet of each class at a time.
 * Control packets are sent first. Control packets need neither a send buffer
 * nor the host DMA engine, because they are prebuilt. [source: GM 1.x keeps an
 * acknowledgement in each connection; GM 2 control packets do not wait for the
 * host DMA engine]
 */
#include "nic/mcp.h"

#include <assert.h>

void gms_send_control(gms_connection_t *connection)
{
    const gms_nic_t *nic = connection->nic;
    gms_nic_class_t *traffic_class =
        &connection->nic->traffic_class[gms_fabric_control_class(
            nic->fabric, connection->traffic_class)];

    if (connection->control_queued) {
        return;
    }
    connection->control_queued = 1;
    ++connection->nic->unsent_count;
    gms_control_queue_put(&traffic_class->control, connection);
}

/* Take the next data packet. Skip a packet whose connection has gone back to an
 * earlier packet, because the receiver would drop the skipped packet. */
static gms_packet_t *gms_send_next_data(gms_ctx_t *ctx, gms_nic_t *nic,
                                        gms_nic_class_t *traffic_class)
{
    gms_packet_t *packet;

    while ((packet = gms_packet_queue_take(&traffic_class->ready)) != NULL) {
        const gms_connection_t *connection =
            gms_connection_of_target(ctx, nic, packet);

        --nic->unsent_count;
        if (packet->header.session == connection->session ||
            packet->header.type == GMS_PACKET_DATAGRAM) {
            break;
        }
        --traffic_class->send_buffers_used;
        gms_packet_destroy(ctx, packet);
    }
    return packet;
}

/* Return the most urgent of the given classes whose send DMA engine is in the
 * given state. Return nic->classes if there is no such class. */
static unsigned gms_send_find(const gms_nic_t *nic, uint8_t state,
                              unsigned classes)
{
    unsigned i;

    for (i = 0; i < nic->order_count; ++i) {
        unsigned number = nic->order[i];

        if ((classes & GMS_MCP_CLASS(number)) != 0 &&
            nic->traffic_class[number].send_dma.state == state) {
            return number;
        }
    }
    return nic->classes;
}

/* Usually no packet waits. */
gms_packet_t *gms_send_next(gms_ctx_t *ctx, gms_nic_t *nic,
                            gms_nic_class_t *traffic_class)
{
    traffic_class->send_dma.is_control = traffic_class->control.first != NULL;
    if (traffic_class->cnps.first != NULL) {
        traffic_class->send_dma.is_control = 1;
        --nic->unsent_count;
        return gms_packet_queue_take(&traffic_class->cnps);
    }
    if (traffic_class->send_dma.is_control) {
        return gms_connection_next_control(ctx, nic, traffic_class);
    }
    return traffic_class->ready.first != NULL
               ? gms_send_next_data(ctx, nic, traffic_class)
               : NULL;
}

uint64_t gms_mcp_send_start_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                                  unsigned classes)
{
    unsigned i;

    for (i = 0; i < nic->order_count; ++i) {
        unsigned number = nic->order[i];
        gms_link_dma_t *dma = &nic->traffic_class[number].send_dma;

        if ((classes & GMS_MCP_CLASS(number)) != 0 &&
            dma->state == GMS_ENGINE_IDLE) {
            dma->packet = gms_send_next(ctx, nic, &nic->traffic_class[number]);
            if (dma->packet != NULL) {
                dma->state = GMS_ENGINE_PREPARING;
                nic->job_class = number;
                return dma->is_control ? nic->params->mcp_ack_send_cycles
                                       : nic->params->mcp_send_start_cycles;
            }
        }
    }
    return GMS_CYCLES_NONE;
}

void gms_send_inject(gms_ctx_t *ctx, gms_nic_t *nic,
                     gms_nic_class_t *traffic_class)
{
    gms_link_dma_t *dma = &traffic_class->send_dma;
    gms_packet_t *packet = dma->packet;

    assert(dma == &gms_nic_class_of(nic, packet)->send_dma);
    dma->state = GMS_ENGINE_RUNNING;
    dma->packet = NULL; /* the fabric now owns the packet */
    dma->start_ps = gms_engine_now(ctx->engine);
    gms_packet_charge(packet, &packet->path.lanai_ps, dma->start_ps);
    if (packet->header.type == GMS_PACKET_DATAGRAM) {
        dma->token = packet->token;
        packet->token = NULL;
        ++nic->counters.datagrams_sent;
    } else if (!dma->is_control) {
        ++nic->counters.data_packets_sent;
    }
    /* A control packet has a payload of 0 bytes. */
    nic->counters.bytes_sent += packet->header.length;
    gms_fabric_inject(ctx, nic->fabric, &packet->worm);
}

void gms_mcp_send_start_end(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_nic_class_t *traffic_class = &nic->traffic_class[nic->job_class];

    assert(traffic_class->send_dma.state == GMS_ENGINE_PREPARING);
    gms_send_inject(ctx, nic, traffic_class);
}

gms_link_dma_t *gms_send_ended(gms_nic_t *nic, const gms_event_t *event)
{
    const gms_worm_t *worm = (const gms_worm_t *)(uintptr_t)event->arg[0];
    gms_link_dma_t *dma = &nic->traffic_class[worm->traffic_class].send_dma;

    assert(dma->state == GMS_ENGINE_RUNNING);
    if (worm->blocked_ps != 0) {
        ++nic->counters.blocked_packets;
        nic->counters.blocked_ps += worm->blocked_ps;
    }
    nic->counters.send_dma_busy_ps += event->time_ps - dma->start_ps;
    return dma;
}

void gms_send_on_sent(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_link_dma_t *dma = gms_send_ended(nic, event);

    if (dma->is_control) {
        dma->state = GMS_ENGINE_IDLE; /* a control packet requires no further
                                       * work */
    } else {
        dma->state = GMS_ENGINE_DONE;
        ++nic->sent_count;
    }
    gms_lanai_kick(ctx, nic);
}

void gms_send_on_lost(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_packet_t *packet = (gms_packet_t *)(uintptr_t)event->arg[0];
    gms_nic_drop_t drop = {.packet = packet, .why = GMS_DROP_LOST};

    gms_ctx_detail_tracepoint(ctx, GMS_NIC_TRACEPOINT_DROP, &drop);
    gms_packet_destroy(ctx, packet);
}

uint64_t gms_mcp_send_finish_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                                   unsigned classes)
{
    (void)ctx;
    nic->job_class = gms_send_find(nic, GMS_ENGINE_DONE, classes);
    return nic->job_class < nic->classes ? nic->params->mcp_send_finish_cycles
                                         : GMS_CYCLES_NONE;
}

void gms_send_release(gms_ctx_t *ctx, gms_nic_class_t *traffic_class)
{
    gms_token_t *token = traffic_class->send_dma.token;

    traffic_class->send_dma.state = GMS_ENGINE_IDLE;
    traffic_class->send_dma.token = NULL;
    --traffic_class->send_buffers_used;
    if (token != NULL) {
        gms_flow_finish(ctx, token, GMS_SENT_OK);
    }
}

void gms_mcp_send_finish_end(gms_ctx_t *ctx, gms_nic_t *nic)
{
    --nic->sent_count;
    gms_send_release(ctx, &nic->traffic_class[nic->job_class]);
}
