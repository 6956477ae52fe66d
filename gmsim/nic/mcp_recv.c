/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job RECV accepts packets from the link, checks them, and finds their
 * destination in host memory.
 */
#include <assert.h>

#include "nic/cnp.h"
#include "nic/get.h"
#include "nic/sram.h"

/* Decision on a data packet. */
enum gms_verdict {
    GMS_VERDICT_TAKE = 0
}; /* other values: enum gms_nack_kind */

void gms_recv_on_request(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_worm_t *worm = (gms_worm_t *)(uintptr_t)event->arg[0];
    gms_nic_class_t *traffic_class = &nic->traffic_class[worm->traffic_class];

    gms_nic_meet_class(nic, worm->traffic_class);
    if (traffic_class->recv_buffers_used == traffic_class->recv_buffers) {
        /* Only one packet of a class can wait, because there is only one
         * link. */
        assert(traffic_class->requesting == NULL);
        traffic_class->requesting = worm;
        traffic_class->request_ps = event->time_ps;
        ++nic->counters.recv_buffer_waits;
        gms_fabric_decline(ctx, nic->fabric, worm);
        return;
    }
    ++traffic_class->recv_buffers_used;
    gms_fabric_accept(ctx, nic->fabric, worm);
}

void gms_recv_free_buffer(gms_ctx_t *ctx, gms_nic_t *nic,
                          gms_nic_class_t *traffic_class)
{
    gms_worm_t *worm = traffic_class->requesting;

    if (worm == NULL) {
        --traffic_class->recv_buffers_used;
        return;
    }
    traffic_class->requesting = NULL;
    nic->counters.recv_buffer_wait_ps +=
        gms_engine_now(ctx->engine) - traffic_class->request_ps;
    gms_fabric_accept(ctx, nic->fabric, worm);
}

void gms_recv_on_copy(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_packet_t *packet = (gms_packet_t *)(uintptr_t)event->arg[0];
    gms_worm_t **copy_p = (gms_worm_t **)(uintptr_t)event->arg[1];

    *copy_p = &gms_packet_clone(ctx, packet)->worm;
}

void gms_recv_charge(gms_nic_t *nic, gms_packet_t *packet, gms_time_t now_ps)
{
    /* The packet spent the rest of its time on the route waiting for a receive
     * buffer. */
    packet->path.wire_ps += packet->worm.wire_ps;
    packet->path.switch_ps += packet->worm.switch_ps;
    packet->mark_ps += packet->worm.wire_ps + packet->worm.switch_ps;
    assert(packet->mark_ps <= now_ps);
    nic->counters.recv_dma_busy_ps += packet->worm.stream_ps;
    gms_packet_charge(packet, &packet->path.lanai_ps, now_ps);
}

void gms_recv_on_arrived(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_packet_t *packet = (gms_packet_t *)(uintptr_t)event->arg[0];

    gms_recv_charge(nic, packet, event->time_ps);
    gms_packet_queue_put(&gms_nic_class_of(nic, packet)->arrived, packet);
    ++nic->arrived_count;
    gms_lanai_kick(ctx, nic);
}

uint64_t gms_mcp_recv_finish_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                                   unsigned classes)
{
    unsigned i;

    (void)ctx;
    if (nic->arrived_count == 0) {
        return GMS_CYCLES_NONE; /* in most calls, no packet has arrived */
    }
    for (i = 0; i < nic->order_count; ++i) {
        unsigned number = nic->order[i];
        const gms_packet_t *packet = nic->traffic_class[number].arrived.first;

        if ((classes & GMS_MCP_CLASS(number)) != 0 && packet != NULL) {
            nic->job_class = number;
            return gms_packet_is_control(packet)
                       ? nic->params->mcp_ack_receive_cycles
                       : nic->params->mcp_recv_finish_cycles;
        }
    }
    return GMS_CYCLES_NONE;
}

/* Assign a receive token to the message that begins with a packet. */
static void gms_recv_begin(gms_ctx_t *ctx, gms_nic_port_t *port,
                           gms_message_t *message, const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;

    gms_port_place(ctx, port, message);
    message->traffic_class = packet->worm.traffic_class;
    message->source = header->source;
    message->source_port = header->source_port;
    message->label = header->label;
    message->received = 0;
}

/* Return 1 if best effort has used up its share of a port's buffers. A process
 * that gives priority to messages of reservations leaves best-effort messages
 * in their buffers. While the process has events of best-effort messages in its
 * queue, the NIC therefore keeps the last quarter of the buffers for messages
 * of reservations. A long best-effort message occupies its buffer while other
 * traffic delays the message's packets. Therefore messages that the process
 * cannot see yet may occupy at most three quarters of the buffers. */
static int gms_recv_is_shared_out(const gms_nic_port_t *port,
                                  const gms_message_queue_t *queue)
{
    return (port->events.first != NULL && queue->count <= queue->most / 4) ||
           (queue->lent != 0 && 3 * queue->count <= queue->lent);
}

/* Take a buffer for a message, or return NULL. */
static gms_message_t *gms_recv_take_token(const gms_nic_t *nic,
                                          gms_nic_port_t *port,
                                          const gms_packet_t *packet)
{
    gms_message_queue_t *queue =
        &port->tokens[packet->header.priority][packet->header.size];

    if (gms_nic_is_real_time(nic, packet->worm.traffic_class)) {
        port->expects_reserved = 1;
        return gms_message_queue_take(queue);
    }
    return port->expects_reserved && gms_recv_is_shared_out(port, queue)
               ? NULL
               : gms_message_queue_lend(queue);
}

/* Begin a message, and find a buffer of exactly the message's size and
 * priority. [source: GM: buffers of equal size and priority are used in FIFO
 * order] */
static int gms_recv_begin_message(gms_ctx_t *ctx, gms_nic_t *nic,
                                  gms_nic_port_t *port,
                                  const gms_packet_t *packet,
                                  gms_message_t **message_p)
{
    const gms_packet_header_t *header = &packet->header;
    gms_message_t *message = gms_stream_find(nic, packet);

    if (!((port->acceptable[header->priority] >> header->size) & 1)) {
        ++nic->counters.rejected_drops;
        return GMS_NACK_REJECTED;
    }
    if (message != NULL) {
        /* The sender has abandoned the stream's last message, so return the
         * message's buffer to its queue. The new message may need a buffer of
         * another size. */
        gms_stream_remove(nic, message);
        gms_message_queue_put_back(
            &port->tokens[message->desc.priority][message->desc.size], message);
    }
    if (header->type == GMS_PACKET_HEAD &&
        !gms_sram_has_stream(
            nic, gms_nic_is_real_time(nic, packet->worm.traffic_class))) {
        ++nic->counters.sram_drops;
        return GMS_NACK_NO_BUFFER;
    }
    message = gms_recv_take_token(nic, port, packet);
    if (message == NULL) {
        ++nic->counters.no_buffer_drops;
        return GMS_NACK_NO_BUFFER;
    }
    gms_recv_begin(ctx, port, message, packet);
    if (header->type == GMS_PACKET_HEAD) {
        gms_stream_insert(ctx, nic, message);
    }
    *message_p = message;
    return GMS_VERDICT_TAKE;
}

/* Check a put. The port must allow remote access, and the memory must be
 * registered at this port. [source: GM] */
static int gms_recv_put(gms_nic_t *nic, const gms_nic_port_t *port,
                        gms_packet_t *packet)
{
    if (!port->remote_access ||
        !gms_memory_contains(&port->pages, packet->header.remote,
                             packet->header.length)) {
        ++nic->counters.bad_put_drops;
        return GMS_NACK_REJECTED;
    }
    packet->host_address = packet->header.remote;
    return GMS_VERDICT_TAKE;
}

/* Check a get. As with a put, the port must allow remote access, and the memory
 * must be registered at this port. */
static int gms_recv_get(gms_nic_t *nic, const gms_nic_port_t *port,
                        const gms_packet_t *packet)
{
    if (!port->remote_access ||
        !gms_memory_contains(&port->pages, packet->header.remote,
                             gms_get_wanted(packet))) {
        ++nic->counters.bad_get_drops;
        return GMS_NACK_REJECTED;
    }
    return GMS_VERDICT_TAKE;
}

/* Set the destination of the packet's data, or return the reason for refusing
 * the data. */
static int gms_recv_place(gms_ctx_t *ctx, gms_nic_t *nic, gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_nic_port_t *port;
    gms_message_t *message = NULL;
    int verdict;

    if (header->type == GMS_PACKET_GOT) {
        gms_get_accept(nic, packet); /* a NACK would be of no use to the
                                      * requester */
        return GMS_VERDICT_TAKE;
    }
    port = gms_port_if_open(nic, header->target_port);
    if (port == NULL) {
        ++nic->counters.closed_port_drops;
        return GMS_NACK_CLOSED;
    }
    packet->port_generation = port->generation;
    if (header->type == GMS_PACKET_PUT) {
        return gms_recv_put(nic, port, packet);
    }
    if (header->type == GMS_PACKET_GET) {
        return gms_recv_get(nic, port, packet);
    }
    if (header->type == GMS_PACKET_MESSAGE || header->type == GMS_PACKET_HEAD) {
        verdict = gms_recv_begin_message(ctx, nic, port, packet, &message);
        if (verdict != GMS_VERDICT_TAKE) {
            return verdict;
        }
    } else {
        message = gms_stream_find(nic, packet);
        if (message == NULL) {
            /* The port was closed and reopened before the end of the
             * message. */
            ++nic->counters.closed_port_drops;
            return GMS_NACK_CLOSED;
        }
    }
    packet->host_address = message->desc.address + message->received;
    message->received += header->length;
    if (header->type == GMS_PACKET_TAIL) {
        gms_stream_remove(nic, message);
    }
    if (header->type != GMS_PACKET_HEAD && header->type != GMS_PACKET_BODY) {
        packet->message = message;
    }
    return GMS_VERDICT_TAKE;
}

/* Report a dropped packet to the observers. This function is not inline,
 * because drops are rare. */
static __attribute__((noinline)) void
gms_recv_drop(gms_ctx_t *ctx, const gms_packet_t *packet, enum gms_drop why)
{
    gms_nic_drop_t drop = {.packet = packet, .why = why};

    gms_ctx_detail_tracepoint(ctx, GMS_NIC_TRACEPOINT_DROP, &drop);
}

static enum gms_drop gms_recv_drop_of(int verdict)
{
    switch ((enum gms_nack_kind)verdict) {
    case GMS_NACK_SEQUENCE:
        return GMS_DROP_SEQUENCE;
    case GMS_NACK_NO_BUFFER:
        return GMS_DROP_NO_BUFFER;
    case GMS_NACK_CLOSED:
        return GMS_DROP_CLOSED;
    case GMS_NACK_REJECTED:
        return GMS_DROP_REJECTED;
    }
    return GMS_DROP_NONE;
}

/* Accept a datagram and return 1 if there is a buffer for it. Otherwise drop
 * the datagram without a NACK and return 0. */
static int gms_recv_datagram(gms_ctx_t *ctx, gms_nic_t *nic,
                             gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_message_t *message = NULL;
    gms_nic_port_t *port = gms_port_if_open(nic, header->target_port);

    if (port != NULL) {
        if ((port->acceptable[header->priority] >> header->size) & 1) {
            message = gms_recv_take_token(nic, port, packet);
        }
        packet->port_generation = port->generation;
    }
    if (message == NULL) {
        ++nic->counters.no_match_for_datagram_recv;
        gms_recv_drop(ctx, packet, GMS_DROP_NO_BUFFER);
        return 0;
    }
    gms_recv_begin(ctx, port, message, packet);
    message->received = header->length;
    packet->host_address = message->desc.address;
    packet->message = message;
    ++nic->counters.datagrams_received;
    nic->counters.bytes_received += header->length;
    gms_work_put(gms_nic_class_of(nic, packet), &packet->work, GMS_WORK_PACKET,
                 packet);
    return 1;
}

/* Return 1 if the packet was accepted and queued for RDMA. */
static int gms_recv_data(gms_ctx_t *ctx, gms_nic_t *nic, gms_packet_t *packet)
{
    gms_connection_t *connection = gms_connection_of_source(ctx, nic, packet);
    int verdict;

    if (!gms_connection_expects(connection, packet)) {
        gms_recv_drop(ctx, packet, GMS_DROP_SEQUENCE);
        return 0;
    }
    verdict = gms_recv_place(ctx, nic, packet);
    if (verdict != GMS_VERDICT_TAKE) {
        gms_connection_refuse(connection, (uint8_t)verdict);
        gms_recv_drop(ctx, packet, gms_recv_drop_of(verdict));
        return 0;
    }
    gms_connection_accept(connection);
    ++nic->counters.data_packets_received;
    nic->counters.bytes_received += packet->header.length;
    gms_work_put(gms_nic_class_of(nic, packet), &packet->work, GMS_WORK_PACKET,
                 packet);
    return 1;
}

/* Apply the damage that the packet suffered on its route, and then check the
 * packet's CRCs. If the simulation does not compute CRCs for every packet,
 * first compute the CRCs that the sender would have computed. */
static int gms_recv_is_intact(gms_ctx_t *ctx, gms_nic_t *nic,
                              gms_packet_t *packet)
{
    gms_packet_settle(ctx, packet);
    if (!nic->params->nic_check_crc) {
        gms_packet_seal(packet);
    }
    gms_packet_damage(packet, packet->worm.fate & GMS_WORM_DAMAGE_HEADER,
                      packet->worm.fate & GMS_WORM_DAMAGE_PAYLOAD,
                      packet->worm.damage);
    switch (gms_packet_check(packet)) {
    case GMS_PACKET_INTACT:
        return 1;
    case GMS_PACKET_BAD_HEADER:
        ++nic->counters.invalid_crc8;
        return 0;
    case GMS_PACKET_BAD_PAYLOAD:
        ++nic->counters.invalid_crc32;
        return 0;
    }
    return 0;
}

void gms_recv_process(gms_ctx_t *ctx, gms_nic_t *nic, gms_packet_t *packet)
{
    gms_nic_class_t *traffic_class = gms_nic_class_of(nic, packet);

    /* The NIC does not answer a packet with a CRC error, because the packet's
     * header may be damaged. The sender's probe or the number of the next
     * packet reveals the loss. */
    if ((nic->params->nic_check_crc || packet->worm.fate != 0) &&
        !gms_recv_is_intact(ctx, nic, packet)) {
        ++nic->counters.bad_crc_drops;
        gms_recv_drop(ctx, packet, GMS_DROP_CRC);
    } else if (packet->header.type == GMS_PACKET_CNP) {
        gms_cnp_receive(ctx, nic, packet);
    } else if (gms_packet_is_control(packet)) {
        gms_connection_control(ctx, gms_connection_of_source(ctx, nic, packet),
                               packet);
    } else {
        if (packet->worm.is_marked) {
            gms_cnp_notice(ctx, nic, packet);
        }
        if (packet->header.type == GMS_PACKET_DATAGRAM
                ? gms_recv_datagram(ctx, nic, packet)
                : gms_recv_data(ctx, nic, packet)) {
            return;
        }
    }
    gms_packet_destroy(ctx, packet);
    gms_recv_free_buffer(ctx, nic, traffic_class);
}

void gms_mcp_recv_finish_end(gms_ctx_t *ctx, gms_nic_t *nic)
{
    --nic->arrived_count;
    gms_recv_process(
        ctx, nic,
        gms_packet_queue_take(&nic->traffic_class[nic->job_class].arrived));
}
