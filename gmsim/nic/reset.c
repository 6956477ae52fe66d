/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resets a NIC, and keeps the state that the NIC's driver restores afterwards.
 *
 * A reset loses all packets in staging buffers, regardless of their stage of
 * processing, and all control packets that have not been sent.
 *
 * The NIC keeps in host memory a copy of the state that must survive a reset.
 * The DMA transfer that moves data also updates the part of the copy that
 * describes these data. Therefore the copy always agrees with the data, and an
 * update of the copy costs no additional time. The copy contains:
 * - The session and `written` of a connection's receiving end. The reset undoes
 *   the acceptance of packets that were not yet written, by setting `expected`
 *   to `written`. The buffers of these packets are provided again in their
 *   former order. The lengths of messages in reassembly are reduced to the
 *   bytes that were written.
 * - A note that the host must receive the event of a completed message. The
 *   note exists from the time when the last data of the message are written
 *   until the event is in the host's queue.
 * - The session, the first number and the send records of a connection's
 *   sending end.
 * - Tokens with their progress, ports and flows.
 *
 * The session protocol repairs the remaining state. The receiving end of every
 * connection refuses its session with a NACK that contains the expected number.
 * The sending end of every connection probes the other end, which then ends the
 * session of the sending end (connection.h). The number of a lost packet was
 * never acknowledged, so its record still exists and the packet is sent again.
 * A delivered packet has a number below `written` and is not sent again.
 *
 * A reset takes no simulated time. The duration of a reset is not modelled,
 * because no traffic can distinguish a NIC during a reset from a link that is
 * down.
 * [assumed: GM's driver preserved less state and lost more packets]
 */
#include "nic/mcp.h"

static void gms_reset_lose(gms_ctx_t *ctx, gms_nic_t *nic, gms_packet_t *packet)
{
    gms_nic_drop_t drop = {.packet = packet, .why = GMS_DROP_RESET};

    ++nic->counters.reset_lost_packets;
    gms_ctx_detail_tracepoint(ctx, GMS_NIC_TRACEPOINT_DROP, &drop);
    gms_packet_destroy(ctx, packet);
}

/* --- packets to be sent --- */

/* Discard a packet in a send buffer. A datagram is treated as sent, because
 * neither end can distinguish this loss from a loss in the network. */
static void gms_reset_lose_sent(gms_ctx_t *ctx, gms_nic_t *nic,
                                gms_packet_t *packet)
{
    if (packet->header.type == GMS_PACKET_DATAGRAM && packet->token != NULL) {
        gms_flow_finish(ctx, packet->token, GMS_SENT_OK);
    }
    gms_reset_lose(ctx, nic, packet);
}

static void gms_reset_send_class(gms_ctx_t *ctx, gms_nic_t *nic,
                                 gms_nic_class_t *traffic_class)
{
    gms_link_dma_t *dma = &traffic_class->send_dma;
    gms_packet_t *packet;

    while ((packet = gms_packet_queue_take(&traffic_class->ready)) != NULL) {
        --nic->unsent_count;
        --traffic_class->send_buffers_used;
        gms_reset_lose_sent(ctx, nic, packet);
    }
    packet = nic->host_dma.packet;
    if (packet != NULL && nic->host_dma.kind == GMS_DMA_SEND &&
        traffic_class == &nic->traffic_class[packet->worm.traffic_class]) {
        nic->host_dma.packet = NULL;
        --traffic_class->send_buffers_used;
        gms_reset_lose_sent(ctx, nic, packet);
    }
    /* A packet that is already on the link is transmitted completely, as if its
     * tail were in the link's own buffer. The end of this packet's transmission
     * is handled as usual. */
    if (dma->state == GMS_ENGINE_PREPARING) {
        packet = dma->packet;
        dma->packet = NULL;
        dma->state = GMS_ENGINE_IDLE;
        if (!dma->is_control) {
            --traffic_class->send_buffers_used;
        }
        gms_reset_lose_sent(ctx, nic, packet);
    }
}

/* --- packets received --- */

/* Return a message's buffer to the head of the buffer queue, where the buffer
 * was before the message arrived. */
static void gms_reset_give_back(gms_nic_port_t *port, gms_message_t *message)
{
    gms_message_queue_put_back(
        &port->tokens[message->desc.priority][message->desc.size], message);
}

/* Undo the work of RECV for the newest packet that RECV has accepted. The
 * function does not find a message that its sender has abandoned, because its
 * buffer was returned when the next message of the stream began. */
static void gms_reset_take_back(gms_ctx_t *ctx, gms_nic_t *nic,
                                gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_nic_port_t *port =
        gms_port_find(nic, header->target_port, packet->port_generation);
    gms_message_t *message = packet->message;
    gms_nic_class_t *traffic_class;

    if (header->type != GMS_PACKET_DATAGRAM) {
        gms_connection_unaccept(gms_connection_of_source(ctx, nic, packet));
    }
    if (port == NULL) {
        gms_arena_free(ctx->arena, message);
    } else if (header->type == GMS_PACKET_MESSAGE ||
               header->type == GMS_PACKET_DATAGRAM) {
        gms_reset_give_back(port, message);
    } else if (header->type == GMS_PACKET_HEAD) {
        message = gms_stream_find(nic, packet);
        if (message != NULL) {
            gms_stream_remove(nic, message);
            gms_reset_give_back(port, message);
        }
    } else if (header->type == GMS_PACKET_BODY) {
        message = gms_stream_find(nic, packet);
        if (message != NULL) {
            message->received -= header->length;
        }
    } else if (header->type == GMS_PACKET_TAIL) {
        message->received -= header->length;
        gms_stream_insert(ctx, nic, message);
    }
    traffic_class = gms_nic_class_of(nic, packet);
    gms_reset_lose(ctx, nic, packet);
    gms_recv_free_buffer(ctx, nic, traffic_class);
}

/* Remove and return the packets of a class whose RDMA has not ended, newest
 * first. All other work for RDMA stays queued. */
static gms_packet_t *gms_reset_unwritten(gms_nic_t *nic,
                                         gms_nic_class_t *traffic_class)
{
    gms_work_queue_t queued = traffic_class->work;
    gms_work_t *work;
    gms_packet_t *newest = NULL;

    if (nic->host_dma.packet != NULL && nic->host_dma.kind != GMS_DMA_SEND &&
        traffic_class == gms_nic_class_of(nic, nic->host_dma.packet)) {
        newest = nic->host_dma.packet;
        newest->next = NULL;
        nic->host_dma.packet = NULL;
    }
    traffic_class->work = (gms_work_queue_t){NULL, NULL};
    while ((work = gms_work_queue_take(&queued)) != NULL) {
        if (work->kind == GMS_WORK_PACKET) {
            gms_packet_t *packet = work->object;

            packet->next = newest;
            newest = packet;
        } else {
            gms_work_put(traffic_class, work, work->kind, work->object);
        }
    }
    return newest;
}

/* Finish a packet whose FAST transfer ended before the reset. The packet's
 * message has been delivered, so the packet is treated as written, although the
 * LANai has not finished its work for the packet. */
static void gms_reset_finish_fast(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_host_dma_t *dma = &nic->host_dma;
    gms_nic_class_t *traffic_class;

    if (dma->state != GMS_ENGINE_DONE || dma->kind != GMS_DMA_FAST) {
        return;
    }
    if (dma->packet->header.type != GMS_PACKET_DATAGRAM) {
        gms_connection_wrote(gms_connection_of_source(ctx, nic, dma->packet),
                             dma->packet->asks_ack);
    }
    traffic_class = gms_nic_class_of(nic, dma->packet);
    gms_packet_destroy(ctx, dma->packet);
    dma->packet = NULL;
    gms_recv_free_buffer(ctx, nic, traffic_class);
}

static void gms_reset_receive(gms_ctx_t *ctx, gms_nic_t *nic,
                              gms_nic_class_t *traffic_class)
{
    gms_packet_t *packet = gms_reset_unwritten(nic, traffic_class);

    while (packet != NULL) {
        gms_packet_t *older = packet->next;

        gms_reset_take_back(ctx, nic, packet);
        packet = older;
    }
    while ((packet = gms_packet_queue_take(&traffic_class->arrived)) != NULL) {
        --nic->arrived_count;
        gms_reset_lose(ctx, nic, packet);
        gms_recv_free_buffer(ctx, nic, traffic_class);
    }
}

/* --- other state --- */

/* Queue again the events that were being written when the reset occurred. */
static void gms_reset_events(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_host_dma_t *dma = &nic->host_dma;
    gms_nic_port_t *port;

    if (dma->message != NULL) {
        gms_work_put_first(&nic->traffic_class[dma->traffic_class],
                           &dma->message->work, GMS_WORK_RECEIVED,
                           dma->message);
        dma->message = NULL;
    }
    if (dma->tokens != NULL) {
        port = gms_port_find(nic, dma->port, dma->port_generation);
        gms_port_report_again(ctx, nic, port, dma->traffic_class, dma->tokens);
        dma->tokens = NULL;
    }
}

static void gms_reset_post(gms_nic_t *nic)
{
    gms_post_t *post = nic->post;

    if (post != NULL) {
        gms_nic_port_t *port = nic->ports[post->port];

        nic->post = NULL;
        gms_post_put_back(nic, port, post);
    }
}

static void gms_reset_connections(gms_nic_t *nic,
                                  gms_nic_class_t *traffic_class)
{
    uint32_t node;

    for (node = 0; traffic_class->connections != NULL && node < nic->nodes;
         ++node) {
        gms_connection_t *connection = traffic_class->connections[node];

        for (; connection != NULL; connection = connection->next) {
            gms_connection_reset(connection);
        }
    }
}

void gms_nic_reset(gms_ctx_t *ctx, gms_nic_t *nic)
{
    unsigned i;

    ++nic->counters.resets;
    if (nic->job != GMS_JOB_COUNT) {
        nic->job = GMS_JOB_VOID;
    }
    gms_nic_kinds[nic->kind]->abort(ctx, nic);
    gms_reset_post(nic);
    for (i = 0; i < nic->classes; ++i) {
        gms_reset_send_class(ctx, nic, &nic->traffic_class[i]);
    }
    gms_reset_finish_fast(ctx, nic);
    for (i = 0; i < nic->classes; ++i) {
        gms_reset_receive(ctx, nic, &nic->traffic_class[i]);
    }
    gms_reset_events(ctx, nic);
    nic->host_dma.state = nic->host_dma.state == GMS_ENGINE_RUNNING ||
                                  nic->host_dma.state == GMS_ENGINE_VOID
                              ? GMS_ENGINE_VOID
                              : GMS_ENGINE_IDLE;
    for (i = 0; i < nic->classes; ++i) {
        gms_reset_connections(nic, &nic->traffic_class[i]);
    }
    gms_nic_kick(ctx, nic);
}
