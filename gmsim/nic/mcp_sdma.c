/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job SDMA asks the scheduler for the flow of the next packet, builds the
 * packet, and fetches the packet's data from the host. [source: gulati 2001
 * thesis 4.2.2]
 */
#include <string.h>

#include "engine/copy.h"
#include "nic/mcp.h"

/** Length of the remote address, which packets of puts and gets contain in
 *  addition to the header. [source: GM 2 packet format] */
#define GMS_REMOTE_BYTES 8u
/** Number of flows that the scheduler checks in one piece of a search. A piece
 *  takes 5 us on lanai4.3. This time is a tenth of the time that real-time
 *  traffic may have to wait for other reasons. [assumed: a search loop that
 *  checks for more urgent work at intervals] */
#define GMS_SDMA_PIECE_FLOWS 8u

static uint64_t gms_sdma_rtc(const gms_ctx_t *ctx, const gms_nic_t *nic)
{
    return gms_nic_rtc(nic, gms_engine_now(ctx->engine));
}

/* Schedule a wake-up at a tick, unless an earlier wake-up is already
 * scheduled. */
static void gms_sdma_wake_at(gms_ctx_t *ctx, gms_nic_t *nic, uint64_t tick)
{
    if (tick >= nic->wake_tick) {
        return;
    }
    nic->wake_tick = tick;
    gms_engine_schedule(ctx, &nic->origin, tick * nic->params->rtc_tick_ps,
                        GMS_NIC_ON_WAKE, nic, tick, 0);
}

void gms_sdma_on_wake(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;

    if (event->arg[0] == nic->wake_tick) {
        nic->wake_tick = GMS_RTC_NEVER;
    }
    gms_nic_kick(ctx, nic);
}

/* A flow whose connection has a full window is removed from the scheduler until
 * the window has room. Otherwise this flow would block flows to other nodes. */
gms_flow_t *gms_sdma_pick(gms_ctx_t *ctx, gms_nic_t *nic,
                          const gms_nic_class_t *traffic_class)
{
    const gms_scheduler_ops_t *ops =
        gms_scheduler_ops(traffic_class->scheduler->id);
    uint64_t next_rtc = GMS_RTC_NEVER;

    for (;;) {
        gms_flow_t *flow = ops->pick(traffic_class->scheduler,
                                     gms_sdma_rtc(ctx, nic), &next_rtc);
        gms_connection_t *connection;

        if (flow == NULL) {
            if (next_rtc != GMS_RTC_NEVER) {
                gms_sdma_wake_at(ctx, nic, next_rtc);
            }
            return NULL;
        }
        connection = gms_connection_open(ctx, flow);
        if (!gms_connection_is_full(connection) ||
            flow->next_sendable->type == GMS_PACKET_DATAGRAM) {
            return flow;
        }
        gms_connection_block(ctx, connection, flow);
    }
}

static uint8_t gms_sdma_type(const gms_token_t *token, int is_last)
{
    if (token->type != 0) {
        return token->type;
    }
    if (token->packets_sent == 0) {
        return is_last ? GMS_PACKET_MESSAGE : GMS_PACKET_HEAD;
    }
    return is_last ? GMS_PACKET_TAIL : GMS_PACKET_BODY;
}

/* Return 1 if the packets of a token share the bytes of the message. If the NIC
 * computes CRCs, every packet needs its data in its own buffer. Sharing has no
 * advantage if the token has only one packet. */
static int gms_sdma_is_shared(const gms_ctx_t *ctx, const gms_nic_t *nic,
                              const gms_token_t *token)
{
    const gms_send_desc_t *desc = &token->desc;

    return (token->type == 0 || token->type == GMS_PACKET_PUT) &&
           token->length > token->segment_bytes &&
           !nic->params->nic_check_crc && desc->staged == NULL &&
           gms_copy_is_shared(ctx, desc->address, desc->length);
}

/* Return the length of the remote address in the token's next packet. InfiniBand
 * sends the address only with the first packet of a put, get or answer. */
static uint32_t gms_sdma_remote_bytes(const gms_nic_t *nic,
                                      const gms_token_t *token)
{
    if (nic->kind == GMS_NIC_LANAI) {
        return GMS_REMOTE_BYTES;
    }
    return token->packets_sent == 0 ? GMS_RETH_BYTES : 0;
}

static gms_packet_t *gms_sdma_build(gms_ctx_t *ctx, gms_nic_t *nic,
                                    gms_token_t *token, uint32_t bytes,
                                    int is_last)
{
    const gms_send_desc_t *desc = &token->desc;
    gms_packet_t *packet = gms_sdma_is_shared(ctx, nic, token)
                               ? gms_packet_create_bare(ctx, bytes)
                               : gms_packet_create(ctx, bytes);
    gms_packet_header_t *header = &packet->header;

    header->type = gms_sdma_type(token, is_last);
    header->size = desc->size;
    header->priority = (uint8_t)desc->flow.priority;
    header->source_port = desc->flow.source_port;
    header->target_port = desc->flow.target_port;
    header->source = nic->node;
    header->target = desc->flow.target_node;
    header->label = desc->flow.label;
    packet->worm.source = header->source;
    packet->worm.target = header->target;
    packet->worm.traffic_class = token->flow->traffic_class;
    packet->worm.wire_bytes = (uint32_t)nic->params->nic_header_bytes + bytes;
    if (token->type != 0 && token->type != GMS_PACKET_DATAGRAM) {
        header->remote = desc->remote + token->sent_bytes;
        header->get = token->get;
        header->nack = token->refused;
        packet->worm.wire_bytes += gms_sdma_remote_bytes(nic, token);
    }
    packet->flow = token->flow;
    packet->due_ps = token->due_ps;
    packet->exchange_due_ps = token->exchange_due_ps;
    packet->token = token;
    packet->host_address = desc->address + token->sent_bytes;
    packet->path.host_ps = token->queued_ps - desc->call_ps;
    packet->mark_ps = token->queued_ps;
    packet->queue_ps = gms_engine_now(ctx->engine) - token->queued_ps;
    return packet;
}

/* Return the LANai cycles of a search for the class's next flow. A search of
 * many best-effort flows could delay real-time traffic. On a NIC with real-time
 * traffic, other classes are therefore searched in pieces. The last piece costs
 * as much as the check of a single flow. The function sets *is_whole_p to 0 if
 * the search continues after this piece, and to 1 if the search ends. */
static uint64_t gms_sdma_search(const gms_nic_t *nic,
                                gms_nic_class_t *traffic_class,
                                uint64_t search_cycles, int *is_whole_p)
{
    uint64_t first_cycles = nic->params->mcp_rate_first_cycles;
    uint64_t piece_cycles =
        GMS_SDMA_PIECE_FLOWS * nic->params->mcp_rate_flow_cycles;

    *is_whole_p = 1;
    if (!nic->is_reserved || search_cycles <= first_cycles ||
        traffic_class == &nic->traffic_class[GMS_LANE_REAL_TIME]) {
        return search_cycles;
    }
    if (search_cycles - first_cycles <= traffic_class->searched_cycles) {
        traffic_class->searched_cycles = 0;
        return first_cycles;
    }
    search_cycles -= first_cycles + traffic_class->searched_cycles;
    if (search_cycles > piece_cycles) {
        search_cycles = piece_cycles;
    }
    traffic_class->searched_cycles += search_cycles;
    traffic_class->is_searching = 1;
    *is_whole_p = 0;
    return search_cycles;
}

/* Return the number of packets for which the NIC has send buffers in a
 * class. */
static uint64_t gms_sdma_buffers(const gms_nic_t *nic,
                                 const gms_nic_class_t *traffic_class)
{
    uint64_t buffers = nic->params->nic_send_buffers;

    return buffers < GMS_NIC_RESERVED_SEND_BUFFERS &&
                   gms_nic_is_real_time(
                       nic, (unsigned)(traffic_class - nic->traffic_class))
               ? GMS_NIC_RESERVED_SEND_BUFFERS
               : buffers;
}

int gms_sdma_has_buffer(const gms_nic_t *nic,
                        const gms_nic_class_t *traffic_class)
{
    return traffic_class->send_buffers_used <
           gms_sdma_buffers(nic, traffic_class);
}

gms_packet_t *gms_sdma_take(gms_ctx_t *ctx, gms_nic_t *nic,
                            gms_nic_class_t *traffic_class, gms_flow_t *flow)
{
    gms_token_t *token = flow->next_sendable;
    uint32_t bytes = gms_token_next_bytes(token);
    int is_last = token->sent_bytes + bytes == token->length;
    gms_packet_t *packet = gms_sdma_build(ctx, nic, token, bytes, is_last);

    if (token->type != GMS_PACKET_DATAGRAM) {
        gms_connection_push(ctx, gms_connection_of_target(ctx, nic, packet),
                            token, packet);
    }
    token->sent_bytes += bytes;
    ++token->packets_sent;
    token->all_sent = (uint8_t)is_last;
    if (is_last) {
        flow->next_sendable = gms_flow_next_unsent(token);
        flow->was_backlogged = 1;
    }
    ++nic->flow_packets;
    ++flow->packets_sent;
    flow->bytes_sent += bytes;
    gms_scheduler_ops(traffic_class->scheduler->id)
        ->dispatched(traffic_class->scheduler, flow, gms_sdma_rtc(ctx, nic),
                     is_last);
    if (nic->dispatches != NULL) {
        gms_dispatch_add(ctx, nic->dispatches, gms_sdma_rtc(ctx, nic), flow,
                         bytes);
    }
    gms_flow_update(ctx, flow);
    ++traffic_class->send_buffers_used;
    return packet;
}

uint64_t gms_mcp_sdma_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                            gms_nic_class_t *traffic_class)
{
    gms_flow_t *flow;
    const gms_scheduler_ops_t *ops;
    uint64_t cycles;
    int is_whole;

    if (!gms_sdma_has_buffer(nic, traffic_class)) {
        return GMS_CYCLES_NONE;
    }
    flow = gms_sdma_pick(ctx, nic, traffic_class);
    if (flow == NULL) {
        return GMS_CYCLES_NONE;
    }
    ops = gms_scheduler_ops(traffic_class->scheduler->id);
    cycles = gms_sdma_search(
        nic, traffic_class,
        ops->pick_cycles(traffic_class->scheduler, nic->params), &is_whole);
    if (!is_whole) {
        return cycles;
    }
    cycles +=
        nic->params->mcp_schedule_cycles + nic->params->mcp_sdma_start_cycles;

    nic->host_dma.packet = gms_sdma_take(ctx, nic, traffic_class, flow);
    nic->host_dma.kind = GMS_DMA_SEND;
    nic->host_dma.message = NULL;
    nic->host_dma.bytes = nic->host_dma.packet->header.length;
    return cycles;
}

uint64_t gms_mcp_sdma_finish_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                                   unsigned classes)
{
    (void)ctx;
    (void)classes; /* all classes share the DMA engine, so this job serves every
                    * class */
    return nic->host_dma.state == GMS_ENGINE_DONE &&
                   nic->host_dma.kind == GMS_DMA_SEND
               ? nic->params->mcp_sdma_finish_cycles
               : GMS_CYCLES_NONE;
}

/* Share bytes of a message that include the packet's data, or read them ahead.
 * @return NULL if the memory cannot be read */
static gms_ahead_t *gms_sdma_share(gms_ctx_t *ctx, uint32_t rank,
                                   const gms_token_t *token, uint64_t from,
                                   uint64_t bytes)
{
    uint64_t left = token->desc.address + token->length - from;
    gms_ahead_t *ahead =
        gms_copy_borrow(ctx, rank, token->desc.address, token->length);

    if (ahead == NULL) {
        ahead = gms_copy_read_ahead(
            ctx, rank, from, left < GMS_AHEAD_BYTES ? left : GMS_AHEAD_BYTES);
    }
    if (ahead == NULL) {
        /* Read only the data of this packet, because later parts of the memory
         * may be unmapped. */
        ahead = gms_copy_read_ahead(ctx, rank, from, bytes);
    }
    return ahead;
}

/* Fetch the data of a bare packet, that is, a packet without a payload buffer
 * of its own. */
static gms_status_t gms_sdma_fetch_shared(gms_ctx_t *ctx, gms_nic_t *nic,
                                          gms_packet_t *packet)
{
    gms_token_t *token = packet->token;
    uint32_t rank = nic->ports[token->desc.flow.source_port]->rank;
    uint64_t from = packet->host_address, bytes = packet->header.length;
    gms_ahead_t *ahead = token->ahead;

    if (ahead == NULL || from < ahead->address ||
        from + bytes > ahead->address + ahead->bytes) {
        gms_ahead_drop(ctx, ahead);
        ahead = gms_sdma_share(ctx, rank, token, from, bytes);
        token->ahead = ahead;
        if (ahead == NULL) {
            return GMS_ERR_SYSTEM;
        }
    }
    gms_ahead_use(ahead, from - ahead->address, bytes);
    packet->ahead = ahead;
    packet->offset = from - ahead->address;
    return GMS_OK;
}

/* Fetch the data of a packet of a message. The data may already have been read
 * in advance, together with the data of an earlier packet, or may be read later.
 * This does not change the result, because the program must not change the data
 * during the send. */
static gms_status_t gms_sdma_fetch_sent(gms_ctx_t *ctx, gms_nic_t *nic,
                                        gms_packet_t *packet)
{
    const gms_send_desc_t *desc = &packet->token->desc;

    if (desc->staged != NULL) {
        memcpy(packet->payload,
               (const unsigned char *)desc->staged +
                   (packet->host_address - desc->address),
               packet->header.length);
        return GMS_OK;
    }
    if (packet->data == NULL) {
        return gms_sdma_fetch_shared(ctx, nic, packet);
    }
    return gms_copy_read(ctx, nic->ports[desc->flow.source_port]->rank,
                         packet->host_address, packet->payload,
                         packet->header.length);
}

/* Fetch the data of an answer to a get. The fetch fails if the owner has
 * deregistered the memory. */
static gms_status_t gms_sdma_fetch_got(gms_ctx_t *ctx, gms_nic_t *nic,
                                       gms_packet_t *packet)
{
    const gms_token_t *token = packet->token;
    const gms_nic_port_t *port = gms_port_find(
        nic, token->desc.flow.source_port, token->port_generation);

    if (packet->header.length == 0) {
        return GMS_OK;
    }
    if (port == NULL || !gms_memory_contains(&port->pages, packet->host_address,
                                             packet->header.length)) {
        return GMS_ERR_NOT_FOUND;
    }
    return gms_copy_read(ctx, port->rank, packet->host_address, packet->payload,
                         packet->header.length);
}

/* Fetch the data of any packet that does not belong to a valid message. This
 * function is not inline, because most packets belong to valid messages. */
static __attribute__((noinline)) gms_status_t
gms_sdma_fetch_special(gms_ctx_t *ctx, gms_nic_t *nic, gms_packet_t *packet)
{
    const gms_token_t *token = packet->token;

    if (token->result != GMS_SENT_OK) {
        return GMS_ERR_INVALID_PARAM; /* POLL detected unregistered memory */
    }
    if (token->type == GMS_PACKET_GET) {
        memcpy(packet->payload, &token->desc.length,
               sizeof(token->desc.length));
        return GMS_OK;
    }
    if (token->type == GMS_PACKET_GOT) {
        return gms_sdma_fetch_got(ctx, nic, packet);
    }
    return gms_sdma_fetch_sent(ctx, nic, packet);
}

static gms_status_t gms_sdma_fetch(gms_ctx_t *ctx, gms_nic_t *nic,
                                   gms_packet_t *packet)
{
    const gms_token_t *token = packet->token;

    return (token->type | token->result) == 0
               ? gms_sdma_fetch_sent(ctx, nic, packet)
               : gms_sdma_fetch_special(ctx, nic, packet);
}

/* End the answer to a get early, with one packet that contains the reason. */
static void gms_sdma_refuse_get(gms_ctx_t *ctx, gms_nic_t *nic,
                                gms_token_t *token)
{
    token->refused = gms_port_find(nic, token->desc.flow.source_port,
                                   token->port_generation) == NULL
                         ? GMS_NACK_CLOSED
                         : GMS_NACK_REJECTED;
    token->length = token->sent_bytes;
    gms_flow_update(ctx, token->flow);
}

/* Fetch the data of a datagram. If the fetch fails, no sequence number needs to
 * be reclaimed, because a datagram has none. */
static int gms_sdma_complete_datagram(gms_ctx_t *ctx, gms_nic_t *nic,
                                      gms_packet_t *packet)
{
    if (packet->token == NULL) {
        return 0;
    }
    if (gms_sdma_fetch(ctx, nic, packet) != GMS_OK) {
        gms_flow_fail(ctx, packet->token, GMS_SENT_BAD_MEMORY);
        return 0;
    }
    return 1;
}

/* Return 1 if the packet must be sent. Return 0 if the connection has returned
 * to an earlier packet (go-back-N), the token was freed, or the data could not
 * be fetched. */
static int gms_sdma_complete(gms_ctx_t *ctx, gms_nic_t *nic,
                             gms_packet_t *packet)
{
    gms_connection_t *connection = gms_connection_of_target(ctx, nic, packet);
    gms_token_t *token = packet->token;

    if (packet->header.type == GMS_PACKET_DATAGRAM) {
        return gms_sdma_complete_datagram(ctx, nic, packet);
    }
    if (packet->header.session != connection->session) {
        return 0; /* the connection has returned to an earlier packet
                   * (go-back-N) in the meantime */
    }
    if (token == NULL) {
        gms_connection_pop(ctx, connection);
        return 0;
    }
    if (gms_sdma_fetch(ctx, nic, packet) != GMS_OK) {
        gms_connection_pop(ctx, connection);
        if (token->type == GMS_PACKET_GOT) {
            gms_sdma_refuse_get(ctx, nic, token);
        } else {
            gms_flow_fail(ctx, token, GMS_SENT_BAD_MEMORY);
        }
        return 0;
    }
    return 1;
}

/* Detach a packet from its token, because its data are now in a send buffer. */
int gms_sdma_fill(gms_ctx_t *ctx, gms_nic_t *nic, gms_packet_t *packet)
{
    if (!gms_sdma_complete(ctx, nic, packet)) {
        --gms_nic_class_of(nic, packet)->send_buffers_used;
        gms_packet_destroy(ctx, packet);
        return 0;
    }
    if (packet->header.type != GMS_PACKET_DATAGRAM) {
        packet->token = NULL;
    }
    packet->host_address = 0;
    if (nic->params->nic_check_crc) {
        gms_packet_seal(packet);
    }
    return 1;
}

void gms_mcp_sdma_finish_end(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_packet_t *packet = nic->host_dma.packet;

    nic->host_dma.state = GMS_ENGINE_IDLE;
    nic->host_dma.packet = NULL;
    if (gms_sdma_fill(ctx, nic, packet)) {
        gms_packet_queue_put(&gms_nic_class_of(nic, packet)->ready, packet);
        ++nic->unsent_count;
    }
}
