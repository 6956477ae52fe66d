/* SPDX-License-Identifier: BSD-3-Clause */
/* The RDMA job writes the data of received packets to the host's memory, and
 * also writes events. */
#include <string.h>

#include "engine/copy.h"
#include "nic/alloc.h"
#include "nic/delay.h"
#include "nic/get.h"

/** Maximum number of finished sends in one event. [source: GM 2: at most 31
 *  tokens] */
#define GMS_SENT_BATCH 31

void gms_work_put(gms_nic_class_t *traffic_class, gms_work_t *work,
                  uint8_t kind, void *object)
{
    work->kind = kind;
    work->object = object;
    gms_work_queue_put(&traffic_class->work, work);
}

void gms_work_put_first(gms_nic_class_t *traffic_class, gms_work_t *work,
                        uint8_t kind, void *object)
{
    work->kind = kind;
    work->object = object;
    gms_work_queue_put_back(&traffic_class->work, work);
}

/* Finish a packet, whether its data were written or discarded. */
static void gms_rdma_release(gms_ctx_t *ctx, gms_nic_t *nic,
                             gms_packet_t *packet)
{
    gms_nic_class_t *traffic_class = gms_nic_class_of(nic, packet);

    if (packet->header.type != GMS_PACKET_DATAGRAM) {
        gms_connection_wrote(gms_connection_of_source(ctx, nic, packet),
                             packet->asks_ack);
    }
    gms_packet_destroy(ctx, packet);
    gms_recv_free_buffer(ctx, nic, traffic_class);
}

static uint64_t gms_rdma_begin_packet(gms_ctx_t *ctx, gms_nic_t *nic,
                                      gms_host_dma_t *dma, gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;

    if (gms_port_find(nic, header->target_port, packet->port_generation) ==
        NULL) {
        gms_arena_free(ctx->arena, packet->message);
        if (header->type == GMS_PACKET_GET) {
            /* the answer reports that the port was closed */
            gms_get_answer(ctx, nic, packet);
        }
        gms_rdma_release(ctx, nic, packet);
        /* Wake the LANai, because there may now be a packet to send. */
        gms_engine_schedule(ctx, &nic->origin, gms_engine_now(ctx->engine),
                            GMS_NIC_ON_WAKE, nic, GMS_RTC_NEVER, 0);
        return GMS_CYCLES_NONE;
    }
    dma->packet = packet;
    dma->message = NULL;
    if ((header->type == GMS_PACKET_MESSAGE ||
         header->type == GMS_PACKET_DATAGRAM) &&
        header->length <= nic->params->nic_fast_bytes &&
        header->length <= GMS_NIC_FAST_MAX) {
        dma->kind = GMS_DMA_FAST;
        dma->bytes = header->length + (uint32_t)nic->params->nic_event_bytes;
        return nic->params->mcp_rdma_start_cycles +
               nic->params->mcp_event_cycles;
    }
    dma->kind = GMS_DMA_DATA;
    dma->bytes = header->length;
    return nic->params->mcp_rdma_start_cycles;
}

uint64_t gms_rdma_begin_received(gms_ctx_t *ctx, gms_nic_t *nic,
                                 gms_host_dma_t *dma, gms_message_t *message)
{
    if (gms_port_find(nic, message->desc.port, message->port_generation) ==
        NULL) {
        gms_arena_free(ctx->arena, message);
        return GMS_CYCLES_NONE;
    }
    dma->kind = GMS_DMA_RECEIVED;
    dma->packet = NULL;
    dma->message = message;
    dma->bytes = (uint32_t)nic->params->nic_event_bytes;
    return nic->params->mcp_event_cycles;
}

static uint64_t gms_rdma_begin_sent(gms_nic_t *nic,
                                    gms_nic_class_t *traffic_class,
                                    gms_host_dma_t *dma, gms_nic_port_t *port)
{
    gms_finished_t *finished =
        &port->finished[traffic_class - nic->traffic_class];
    gms_token_t *last = finished->first;
    int count;

    finished->is_queued = 0;
    if (last == NULL) {
        return GMS_CYCLES_NONE; /* the port was closed */
    }
    for (count = 1; count < GMS_SENT_BATCH && last->next != NULL; ++count) {
        last = last->next;
    }
    dma->tokens = finished->first;
    finished->first = last->next;
    last->next = NULL;
    if (finished->first != NULL) {
        finished->is_queued = 1;
        gms_work_put(traffic_class, &finished->work, GMS_WORK_SENT, port);
    }
    dma->kind = GMS_DMA_SENT;
    dma->packet = NULL;
    dma->message = NULL;
    dma->port = port->number;
    dma->port_generation = port->generation;
    dma->bytes = (uint32_t)nic->params->nic_event_bytes;
    return nic->params->mcp_event_cycles;
}

uint64_t gms_rdma_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                        gms_nic_class_t *traffic_class, gms_host_dma_t *dma)
{
    uint64_t cycles = GMS_CYCLES_NONE;

    while (traffic_class->work.first != NULL && cycles == GMS_CYCLES_NONE) {
        const gms_work_t *work = gms_work_queue_take(&traffic_class->work);

        switch ((enum gms_work_kind)work->kind) {
        case GMS_WORK_PACKET:
            cycles = gms_rdma_begin_packet(ctx, nic, dma, work->object);
            break;
        case GMS_WORK_RECEIVED:
            cycles = gms_rdma_begin_received(ctx, nic, dma, work->object);
            break;
        case GMS_WORK_SENT:
            cycles = gms_rdma_begin_sent(nic, traffic_class, dma, work->object);
            break;
        }
    }
    return cycles;
}

uint64_t gms_mcp_rdma_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                            gms_nic_class_t *traffic_class)
{
    return gms_rdma_begin(ctx, nic, traffic_class, &nic->host_dma);
}

/* Report a message that becomes visible to the host. This function is not
 * inline, because usually there are no observers. */
static __attribute__((noinline)) void
gms_rdma_tell(gms_ctx_t *ctx, const gms_nic_t *nic, gms_host_event_t *event,
              const gms_message_t *message, const gms_packet_t *fast)
{
    gms_nic_delivery_t delivery = {
        .event = event, .node = nic->node, .message = message, .fast = fast};

    gms_ctx_detail_tracepoint(ctx, GMS_NIC_TRACEPOINT_DELIVERY, &delivery);
}

/* Report a received message to the host. The function consumes the message. */
static void gms_rdma_deliver_received(gms_ctx_t *ctx, gms_nic_t *nic,
                                      gms_message_t *message,
                                      const gms_packet_t *fast)
{
    gms_nic_port_t *port =
        gms_port_find(nic, message->desc.port, message->port_generation);
    gms_host_event_t *event;

    if (port != NULL) {
        gms_message_queue_settle(
            &port->tokens[message->desc.priority][message->desc.size], message);
        event = gms_nic_alloc(ctx, sizeof(*event));
        event->kind = GMS_HOST_RECEIVED;
        event->size = message->desc.size;
        event->priority = message->desc.priority;
        event->tag = message->desc.tag;
        event->sender_node = (uint16_t)message->source;
        event->sender_port = message->source_port;
        event->length = message->received;
        event->address = message->desc.address;
        event->cookie = message->desc.cookie;
        event->path = fast != NULL ? fast->path : message->path;
        event->is_reserved = (uint8_t)gms_nic_is_real_time(
            nic,
            fast != NULL ? fast->worm.traffic_class : message->traffic_class);
        if (fast != NULL) {
            event->is_fast = 1;
            memcpy(event->fast, fast->data, fast->header.length);
        }
        ++nic->counters.messages_received;
        if (fast != NULL ? fast->due_ps > 0 : message->due_ps > 0) {
            gms_delay_arrive(fast != NULL ? fast->flow : message->flow,
                             fast != NULL ? fast->due_ps : message->due_ps,
                             fast != NULL ? fast->exchange_due_ps
                                          : message->exchange_due_ps,
                             gms_engine_now(ctx->engine));
        }
        if (ctx->is_traced) {
            gms_rdma_tell(ctx, nic, event, message, fast);
        }
        gms_port_deliver(ctx, port, event);
    }
    gms_arena_free(ctx->arena, message);
}

static void gms_rdma_deliver_sent(gms_ctx_t *ctx, gms_nic_t *nic,
                                  gms_host_dma_t *dma)
{
    gms_nic_port_t *port = gms_port_find(nic, dma->port, dma->port_generation);

    while (dma->tokens != NULL) {
        gms_token_t *token = dma->tokens;
        gms_host_event_t *event;

        dma->tokens = token->next;
        if (port != NULL) {
            event = gms_nic_alloc(ctx, sizeof(*event));
            event->kind = GMS_HOST_SENT;
            event->cookie = token->desc.cookie;
            event->length = token->desc.length;
            event->result = token->result;
            event->is_booked = token->desc.is_booked;
            event->is_reserved =
                token->flow != NULL && /* NULL if POLL refused the send */
                gms_nic_is_real_time(nic, token->flow->traffic_class);
            event->flow = token->desc.flow;
            gms_port_deliver(ctx, port, event);
        }
        gms_token_destroy(ctx, nic, token);
    }
}

void gms_rdma_deliver(gms_ctx_t *ctx, gms_nic_t *nic, gms_host_dma_t *dma)
{
    if (dma->kind == GMS_DMA_SENT) {
        gms_rdma_deliver_sent(ctx, nic, dma);
    } else if (dma->kind == GMS_DMA_FAST) {
        gms_rdma_deliver_received(ctx, nic, dma->packet->message, dma->packet);
        dma->packet->message = NULL;
    } else {
        gms_rdma_deliver_received(ctx, nic, dma->message, NULL);
        dma->message = NULL;
    }
}

uint64_t gms_mcp_rdma_finish_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                                   unsigned classes)
{
    (void)ctx;
    (void)classes; /* all classes share the engine, so it must become free */
    return nic->host_dma.state == GMS_ENGINE_DONE &&
                   nic->host_dma.kind != GMS_DMA_SEND
               ? nic->params->mcp_rdma_finish_cycles
               : GMS_CYCLES_NONE;
}

/* Write data to a buffer. If the buffer is not currently registered, discard
 * the data. On a real NIC, the page table redirects such a DMA transfer to an
 * unused page. */
static inline void gms_rdma_put(gms_ctx_t *ctx, gms_nic_t *nic,
                                const gms_nic_port_t *port,
                                const gms_packet_t *packet)
{
    uint64_t *lost_p = &nic->counters.bad_receive_memory;

    if (!gms_memory_contains(&port->pages, packet->host_address,
                             packet->header.length)) {
        ++*lost_p;
    } else if (packet->ahead != NULL) {
        gms_copy_write_late(ctx, port->rank, packet->host_address,
                            packet->ahead, packet->offset,
                            packet->header.length, lost_p);
    } else {
        *lost_p +=
            gms_copy_write(ctx, port->rank, packet->host_address, packet->data,
                           packet->header.length) != GMS_OK;
    }
}

void gms_rdma_write(gms_ctx_t *ctx, gms_nic_t *nic, const gms_nic_port_t *port,
                    const gms_packet_t *packet)
{
    gms_rdma_put(ctx, nic, port, packet);
}

void gms_rdma_finish(gms_ctx_t *ctx, gms_nic_t *nic, gms_host_dma_t *dma)
{
    gms_packet_t *packet = dma->packet;
    gms_message_t *message = packet->message;
    const gms_nic_port_t *port =
        gms_port_find(nic, packet->header.target_port, packet->port_generation);

    if (packet->header.type == GMS_PACKET_GET) {
        gms_get_answer(ctx, nic, packet);
    } else if (packet->header.type == GMS_PACKET_GOT) {
        if (port != NULL) {
            gms_get_take(ctx, nic, port, packet);
        }
    } else if (dma->kind == GMS_DMA_DATA && port != NULL) {
        gms_rdma_put(ctx, nic, port, packet);
    }
    if (port != NULL) {
        ++packet->flow->packets_arrived;
        packet->flow->bytes_arrived += packet->header.length;
        gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_ARRIVAL, packet);
    }
    if (message != NULL) {
        message->mark_ps = gms_engine_now(ctx->engine);
        gms_packet_charge(packet, &packet->path.lanai_ps, message->mark_ps);
        message->path = packet->path;
        message->due_ps = packet->due_ps;
        message->exchange_due_ps = packet->exchange_due_ps;
        message->flow = packet->flow;
        gms_work_put_first(gms_nic_class_of(nic, packet), &message->work,
                           GMS_WORK_RECEIVED, message);
    }
    dma->state = GMS_ENGINE_IDLE;
    dma->packet = NULL;
    gms_rdma_release(ctx, nic, packet);
}

void gms_mcp_rdma_finish_end(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_rdma_finish(ctx, nic, &nic->host_dma);
}
