/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job POLL reads the descriptor queues of the ports in turn, and converts the
 * descriptors into tokens. [source: gulati 2001 thesis 4.1; GM's next_to_poll]
 */
#include "nic/alloc.h"
#include "nic/local.h"
#include "nic/mcp.h"
#include "nic/sram.h"

/* If every descriptor waits for memory, POLL makes at least this many attempts,
 * and may try a port several times. The number of attempts determines which
 * port POLL tries first the next time. On NICs with few ports, the minimum
 * makes this choice independent of the number of ports. */
#define GMS_POLL_TRIES 16u

/* Return the first port, starting at `port`, that has descriptors other than
 * reserved sends, or GMS_NIC_MAX_PORTS. */
static uint32_t gms_poll_first_port(const gms_nic_t *nic, uint32_t port)
{
    uint32_t word = port / 64;
    uint64_t ports = nic->posting[word] & UINT64_MAX << port % 64;

    while (ports == 0 && ++word < GMS_NIC_MAX_PORTS / 64) {
        ports = nic->posting[word];
    }
    return ports == 0 ? GMS_NIC_MAX_PORTS
                      : word * 64 + (uint32_t)__builtin_ctzll(ports);
}

/* Return the next port with descriptors that are not reserved sends, or
 * NULL. */
static gms_nic_port_t *gms_poll_next_port(gms_nic_t *nic)
{
    uint32_t port;

    if (nic->posts == nic->reserved_posts) {
        return NULL;
    }
    port = gms_poll_first_port(nic, nic->next_port);
    if (port == GMS_NIC_MAX_PORTS) {
        port = gms_poll_first_port(nic, 0);
    }
    nic->next_port = (port + 1) % GMS_NIC_MAX_PORTS;
    return nic->ports[port];
}

/* Return the queue of the port from which the NIC takes the next descriptor, or
 * NULL if it cannot take any descriptor now. Receive descriptors may overtake
 * the first send if it waits for memory, because a NIC that is full of sends
 * must still be able to receive. If the port expects messages of reservations,
 * receive descriptors always overtake sends. Otherwise these messages could
 * wait for buffers whose descriptors are queued behind a burst of sends. */
static gms_post_queue_t *gms_poll_next(gms_nic_t *nic, gms_nic_port_t *port)
{
    gms_post_t *send = port->sends.first;
    const gms_post_t *receive = port->receives.first;

    if (send == NULL || (receive != NULL && (port->expects_reserved ||
                                             receive->number < send->number))) {
        return &port->receives;
    }
    if (gms_post_is_command(send) || gms_sram_has_token(nic)) {
        return &port->sends;
    }
    if (!send->waits) {
        send->waits = 1;
        ++nic->counters.sram_waits;
    }
    return receive != NULL ? &port->receives : NULL;
}

/* Remove and return the next descriptor that is not a reserved send. Return
 * NULL if all such descriptors wait for memory. */
static gms_post_t *gms_poll_take(gms_nic_t *nic)
{
    gms_post_queue_t *queue = NULL;
    gms_nic_port_t *port = NULL;
    gms_post_t *post;
    unsigned tries =
        nic->port_count > GMS_POLL_TRIES ? nic->port_count : GMS_POLL_TRIES;

    for (; queue == NULL && tries > 0; --tries) {
        port = gms_poll_next_port(nic);

        if (port == NULL) {
            return NULL;
        }
        queue = gms_poll_next(nic, port);
    }
    if (queue == NULL) {
        return NULL;
    }
    --nic->posts;
    post = gms_post_queue_take(queue);
    gms_post_note(nic, port);
    return post;
}

int gms_poll_next_post(const gms_ctx_t *ctx, gms_nic_t *nic)
{
    if (nic->reserved_posts != 0) {
        nic->post = gms_post_take_reserved(
            nic, gms_nic_rtc(nic, gms_engine_now(ctx->engine)));
    }
    if (nic->post == NULL) {
        nic->post = gms_poll_take(nic);
    }
    return nic->post != NULL;
}

/* Begin to read a descriptor. This function is not inline, because usually no
 * descriptor waits and the check for descriptors must be cheap. */
static __attribute__((noinline)) uint64_t gms_poll_begin(const gms_ctx_t *ctx,
                                                         gms_nic_t *nic)
{
    if (!gms_poll_next_post(ctx, nic)) {
        return GMS_CYCLES_NONE;
    }
    return nic->post->is_receive ? nic->params->mcp_recv_token_cycles
                                 : nic->params->mcp_token_cycles;
}

uint64_t gms_mcp_poll_begin(gms_ctx_t *ctx, gms_nic_t *nic, unsigned classes)
{
    (void)classes; /* a descriptor's class is known only after reading it */
    return nic->posts == 0 ? GMS_CYCLES_NONE : gms_poll_begin(ctx, nic);
}

/* Return the payload length of a token's packets. All packets except the last
 * are full, unless the parameters require packets of equal length. These
 * packets end at word boundaries, because the DMA engines move words. [source:
 * gulati 2001 thesis 5.2] */
static uint32_t gms_poll_segment_bytes(const gms_params_t *params,
                                       uint32_t length)
{
    uint32_t mtu = (uint32_t)params->nic_mtu_bytes;
    uint32_t packets = length / mtu + (length % mtu != 0);
    uint32_t piece;

    if (!params->nic_equal_segments || packets < 2 ||
        !gms_scheduler_ops((uint32_t)params->scheduler)->cuts_evenly) {
        return mtu;
    }
    piece = length / packets + (length % packets != 0);
    piece = (piece + 3) / 4 * 4;
    return piece < mtu ? piece : mtu;
}

/* Return GMS_SENT_OK if the descriptor is valid for a flow, otherwise the
 * result of the failed send. */
static uint8_t gms_poll_check(const gms_nic_t *nic, const gms_send_desc_t *desc)
{
    /* A buffer of size s holds 2^s - 8 bytes. [source: gm_types.h] */
    uint64_t room = desc->size < 3 || desc->size >= GMS_NIC_MAX_SIZE
                        ? 0
                        : (UINT64_C(1) << desc->size) - 8;

    if (desc->flow.target_node >= nic->nodes) {
        return GMS_SENT_UNREACHABLE;
    }
    if (desc->flow.priority >= GMS_NIC_PRIORITIES ||
        (desc->flow.label & GMS_LABEL_ANSWER)) {
        return GMS_SENT_REJECTED;
    }
    if (desc->kind == GMS_SEND_DATAGRAM &&
        desc->length > nic->params->nic_mtu_bytes) {
        return GMS_SENT_REJECTED;
    }
    switch ((enum gms_send_kind)desc->kind) {
    case GMS_SEND_DATAGRAM:
    case GMS_SEND_MESSAGE:
        return desc->size >= GMS_NIC_MAX_SIZE || desc->length > room
                   ? GMS_SENT_REJECTED
                   : GMS_SENT_OK;
    case GMS_SEND_PUT:
    case GMS_SEND_GET:
    case GMS_SEND_DROP:
    case GMS_SEND_RESUME:
        return GMS_SENT_OK;
    }
    return GMS_SENT_REJECTED;
}

/* Return a number that no other get of the flow has. */
static uint16_t gms_poll_number_get(gms_nic_t *nic, const gms_flow_t *flow)
{
    do {
        ++nic->last_get;
    } while (gms_flow_find_get(flow, nic->last_get) != NULL);
    return nic->last_get;
}

/* Append a send's token to its flow. This function detects memory that is not
 * registered. The send fails only when its turn comes in its flow, like a send
 * whose data cannot be fetched. */
static void gms_poll_queue(gms_ctx_t *ctx, gms_nic_t *nic, gms_flow_t *flow,
                           gms_token_t *token, int was_held)
{
    const gms_send_desc_t *desc = &token->desc;

    token->length = desc->length;
    if (desc->kind == GMS_SEND_PUT) {
        token->type = GMS_PACKET_PUT;
    } else if (desc->kind == GMS_SEND_GET) {
        token->type = GMS_PACKET_GET;
        token->get = gms_poll_number_get(nic, flow);
        token->length = sizeof(desc->length);
    } else if (desc->kind == GMS_SEND_DATAGRAM) {
        token->type = GMS_PACKET_DATAGRAM;
    }
    token->segment_bytes = gms_poll_segment_bytes(nic->params, token->length);
    if (!gms_nic_is_registered(nic, desc->flow.source_port, desc->address,
                               desc->length)) {
        token->result = GMS_SENT_BAD_MEMORY;
    }
    gms_flow_append(ctx, flow, token,
                    was_held ? gms_engine_now(ctx->engine) : token->queued_ps);
}

static void gms_poll_send(gms_ctx_t *ctx, gms_nic_t *nic,
                          const gms_post_t *post)
{
    const gms_send_desc_t *desc = &post->desc.send;
    gms_token_t *token = gms_nic_alloc(ctx, sizeof(*token));
    gms_flow_t *flow;

    token->desc = *desc;
    token->queued_ps = post->arrived_ps;
    token->result = gms_poll_check(nic, desc);
    if (token->result != GMS_SENT_OK) {
        gms_port_finished(nic, token);
        return;
    }
    flow = gms_flow_get(ctx, nic, &desc->flow);
    if (flow == NULL) {
        gms_fatal(ctx, "the arena is full: no room for another flow; set a "
                       "larger arena_bytes in the cluster description");
    }
    if (!gms_post_is_command(post)) {
        gms_poll_queue(ctx, nic, flow, token, post->was_held);
        return;
    }
    /* The command is reported as ended before the sends that it drops. A client
     * may resend the failed message as soon as the drop command is reported as
     * ended. The client may resend each dropped message as soon as that message
     * is reported as ended. Only this order of reports preserves the order of
     * the messages. [assumed: MPICH-GM resends failed messages in this manner,
     * without sequence numbers] */
    gms_port_finished(nic, token);
    if (desc->kind == GMS_SEND_DROP) {
        gms_flow_drop(ctx, flow);
    } else {
        gms_flow_resume(ctx, flow);
    }
}

static void gms_poll_receive(gms_ctx_t *ctx, gms_nic_port_t *port,
                             const gms_recv_desc_t *desc)
{
    gms_message_t *message;

    if (desc->size >= GMS_NIC_MAX_SIZE ||
        desc->priority >= GMS_NIC_PRIORITIES) {
        return; /* no message can match this buffer */
    }
    message = gms_nic_alloc(ctx, sizeof(*message));
    message->desc = *desc;
    message->port_generation = port->generation;
    gms_message_queue_put(&port->tokens[desc->priority][desc->size], message);
    gms_local_retry(ctx, port->nic);
}

void gms_nic_preset_receive(gms_ctx_t *ctx, gms_nic_t *nic,
                            const gms_recv_desc_t *desc)
{
    gms_poll_receive(ctx, nic->ports[desc->port], desc);
}

void gms_mcp_poll_end(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_post_t *post = nic->post;
    gms_nic_port_t *port =
        gms_port_find(nic, post->port, post->port_generation);

    nic->post = NULL;
    if (port == NULL) {
        if (!post->is_receive) {
            gms_arena_free(ctx->arena, post->desc.send.staged);
        }
    } else if (post->is_receive) {
        gms_poll_receive(ctx, port, &post->desc.receive);
    } else {
        gms_poll_send(ctx, nic, post);
    }
    gms_arena_free(ctx->arena, post);
}
