/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the queues of local sends (one per flow), the memory bus that
 * serves the queues piece by piece, and the completion of sends at both ends.
 * The file engine/copy.c contains staged memory and the functions that copy
 * data.
 */
#include "nic/local.h"

#include <string.h>

#include "engine/copy.h"
#include "nic/alloc.h"

/* Number of bytes per copy between the memories of two processes. */
#define GMS_LOCAL_PIECE 4096u

struct gms_local_op {
    struct gms_local_op *next;
    gms_send_desc_t desc;
    uint32_t generation;        /* generation of the source port */
    uint32_t piece;             /* size of the piece that is on the bus, in
                                 * bytes */
    uint32_t copied;            /* number of bytes copied before this piece */
    uint8_t result;             /* enum gms_send_result */
    gms_host_event_t *received; /* receive event of the target process if the
                                 * message has a receive buffer, otherwise
                                 * NULL */
    uint32_t target_generation;
};

int gms_local_takes(const gms_nic_t *nic, const gms_send_desc_t *desc)
{
    return nic->ports[desc->flow.source_port]->by_memory &&
           desc->flow.target_node == nic->node &&
           (desc->kind == GMS_SEND_MESSAGE || desc->kind == GMS_SEND_PUT ||
            desc->kind == GMS_SEND_GET);
}

void gms_local_post(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                    gms_time_t at_ps, const gms_send_desc_t *desc)
{
    gms_local_op_t *op = gms_nic_alloc(ctx, sizeof(*op));

    op->desc = *desc;
    op->generation = nic->ports[desc->flow.source_port]->generation;
    gms_engine_schedule(ctx, origin, at_ps, GMS_NIC_ON_LOCAL_POST, nic,
                        (uintptr_t)op, 0);
}

/* ---- lists of flows ---- */

GMS_QUEUE_DEFINE(gms_local, gms_local_list_t, gms_local_flow_t, next);
GMS_QUEUE_DEFINE(gms_local_ops, gms_local_flow_t, gms_local_op_t, next);

static gms_local_flow_t *gms_local_find(gms_local_flow_t *flow,
                                        const gms_flow_key_t *key)
{
    while (flow != NULL && memcmp(&flow->key, key, sizeof(*key)) != 0) {
        flow = flow->next;
    }
    return flow;
}

static void gms_local_append(gms_ctx_t *ctx, gms_nic_t *nic, gms_local_op_t *op)
{
    const gms_flow_key_t *key = &op->desc.flow;
    gms_local_flow_t *flow = gms_local_find(nic->local_copying, key);

    if (flow == NULL) {
        flow = gms_local_find(nic->local_ready.first, key);
    }
    if (flow == NULL) {
        flow = gms_local_find(nic->local_waiting.first, key);
    }
    if (flow == NULL) {
        flow = gms_nic_alloc(ctx, sizeof(*flow));
        flow->key = *key;
        gms_local_put(&nic->local_ready, flow);
    }
    gms_local_ops_put(flow, op);
}

/* ---- one send ---- */

static gms_nic_port_t *gms_local_source(gms_nic_t *nic,
                                        const gms_local_op_t *op)
{
    return gms_port_find(nic, op->desc.flow.source_port, op->generation);
}

static gms_nic_port_t *gms_local_target(gms_nic_t *nic,
                                        const gms_local_op_t *op)
{
    return gms_port_if_open(nic, op->desc.flow.target_port);
}

/* Copy bytes between the memories of two ranks. If the send has a staged copy
 * of its data, read this copy instead of the sender's memory. */
static enum gms_send_result
gms_local_move(gms_ctx_t *ctx, const gms_local_op_t *op, unsigned from,
               uint64_t source, unsigned to, uint64_t target, uint32_t bytes)
{
    unsigned char data[GMS_LOCAL_PIECE];
    uint32_t done, piece;

    for (done = 0; done < bytes; done += piece) {
        const void *piece_of = data;

        piece =
            bytes - done < sizeof(data) ? bytes - done : (uint32_t)sizeof(data);
        if (op->desc.staged != NULL) {
            piece_of = (const unsigned char *)op->desc.staged +
                       (source + done - op->desc.address);
        } else if (gms_copy_read(ctx, from, source + done, data, piece) !=
                   GMS_OK) {
            return GMS_SENT_BAD_MEMORY;
        }
        if (gms_copy_write(ctx, to, target + done, piece_of, piece) != GMS_OK) {
            return GMS_SENT_REJECTED;
        }
    }
    return GMS_SENT_OK;
}

/* Copy the piece of a put or get whose time on the bus has ended. */
static enum gms_send_result gms_local_copy(gms_ctx_t *ctx, gms_nic_t *nic,
                                           const gms_local_op_t *op)
{
    const gms_send_desc_t *desc = &op->desc;
    const gms_nic_port_t *source = gms_local_source(nic, op);
    const gms_nic_port_t *target = gms_local_target(nic, op);
    uint64_t own = desc->address + op->copied;
    uint64_t other = desc->remote + op->copied;

    /* As in the NIC, the sender's memory is checked first. */
    if (!gms_memory_contains(&source->pages, desc->address, desc->length)) {
        return GMS_SENT_BAD_MEMORY;
    }
    if (target == NULL) {
        return GMS_SENT_PORT_CLOSED;
    }
    if (!target->remote_access ||
        !gms_memory_contains(&target->pages, desc->remote, desc->length)) {
        return GMS_SENT_REJECTED;
    }
    return desc->kind == GMS_SEND_PUT
               ? gms_local_move(ctx, op, source->rank, own, target->rank, other,
                                op->piece)
               : gms_local_move(ctx, op, target->rank, other, source->rank, own,
                                op->piece);
}

/* Copy a message's bytes into the buffer, or into the event if they fit. */
static enum gms_send_result gms_local_fill(gms_ctx_t *ctx, gms_nic_t *nic,
                                           gms_local_op_t *op,
                                           const gms_nic_port_t *target)
{
    const gms_send_desc_t *desc = &op->desc;
    const gms_nic_port_t *source = gms_local_source(nic, op);
    gms_host_event_t *event = op->received;

    if (desc->length <= nic->params->nic_fast_bytes &&
        desc->length <= GMS_NIC_FAST_MAX) {
        event->is_fast = 1;
        if (desc->staged != NULL) {
            memcpy(event->fast, desc->staged, desc->length);
            return GMS_SENT_OK;
        }
        return desc->length == 0 ||
                       gms_copy_read(ctx, source->rank, desc->address,
                                     event->fast, desc->length) == GMS_OK
                   ? GMS_SENT_OK
                   : GMS_SENT_BAD_MEMORY;
    }
    /* If the buffer is not currently registered, discard the data, as the NIC
     * does. */
    if (!gms_memory_contains(&target->pages, event->address, desc->length)) {
        ++nic->counters.bad_receive_memory;
        return GMS_SENT_OK;
    }
    return gms_local_move(ctx, op, source->rank, desc->address, target->rank,
                          event->address, desc->length);
}

/* Find a buffer for a message and fill it.
 * @return 1 if the send has ended, or 0 if there is no buffer yet */
static int gms_local_place(gms_ctx_t *ctx, gms_nic_t *nic, gms_local_op_t *op)
{
    const gms_send_desc_t *desc = &op->desc;
    gms_nic_port_t *target = gms_local_target(nic, op);
    uint64_t room = desc->size < 3 ? 0 : (UINT64_C(1) << desc->size) - 8;
    gms_message_t *token;

    /* A message from memory that is not registered fails even if there is no
     * buffer for it. */
    if (!gms_memory_contains(&gms_local_source(nic, op)->pages, desc->address,
                             desc->length)) {
        op->result = GMS_SENT_BAD_MEMORY;
        return 1;
    }
    if (target == NULL) {
        op->result = GMS_SENT_PORT_CLOSED;
        return 1;
    }
    if (desc->size >= GMS_NIC_MAX_SIZE || desc->length > room ||
        !(target->acceptable[desc->flow.priority] >> desc->size & 1)) {
        op->result = GMS_SENT_REJECTED;
        return 1;
    }
    token = gms_message_queue_take(
        &target->tokens[desc->flow.priority][desc->size]);
    if (token == NULL) {
        return 0;
    }
    gms_port_place(ctx, target, token);
    op->received = gms_nic_alloc(ctx, sizeof(*op->received));
    op->received->kind = GMS_HOST_RECEIVED;
    op->received->size = desc->size;
    op->received->priority = (uint8_t)desc->flow.priority;
    op->received->tag = token->desc.tag;
    op->received->sender_node = (uint16_t)nic->node;
    op->received->sender_port = desc->flow.source_port;
    op->received->length = desc->length;
    op->received->address = token->desc.address;
    op->received->cookie = token->desc.cookie;
    op->target_generation = target->generation;
    op->result = (uint8_t)gms_local_fill(ctx, nic, op, target);
    if (op->result == GMS_SENT_OK) {
        gms_arena_free(ctx->arena, token);
    } else {
        gms_message_queue_put_back(
            &target->tokens[desc->flow.priority][desc->size], token);
        gms_arena_free(ctx->arena, op->received);
        op->received = NULL;
    }
    return 1;
}

static void gms_local_destroy(gms_ctx_t *ctx, gms_local_op_t *op)
{
    gms_arena_free(ctx->arena, op->desc.staged);
    gms_arena_free(ctx->arena, op);
}

/* ---- the bus ---- */

static void gms_local_start(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_local_flow_t *flow;
    gms_local_op_t *op;

    if (nic->local_copying != NULL) {
        return;
    }
    flow = gms_local_take(&nic->local_ready);
    if (flow == NULL) {
        return;
    }
    nic->local_copying = flow;
    op = flow->first;
    op->piece = 0;
    if (op->desc.kind != GMS_SEND_MESSAGE) {
        op->piece = op->desc.length - op->copied;
        if (op->piece > nic->params->nic_mtu_bytes) {
            op->piece = (uint32_t)nic->params->nic_mtu_bytes;
        }
    }
    gms_engine_schedule(ctx, &nic->origin,
                        gms_engine_now(ctx->engine) +
                            op->piece * nic->params->memory_ps_per_byte,
                        GMS_NIC_ON_LOCAL_COPIED, nic, 0, 0);
}

void gms_local_on_post(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;

    gms_local_append(ctx, nic, (gms_local_op_t *)(uintptr_t)event->arg[0]);
    gms_local_start(ctx, nic);
}

/* Remove the first send of a flow, because this send has ended. If the flow has
 * no other sends, free the flow. */
static void gms_local_finish(gms_ctx_t *ctx, gms_nic_t *nic,
                             gms_local_flow_t *flow)
{
    gms_local_op_t *op = gms_local_ops_take(flow);

    gms_engine_schedule(ctx, &nic->origin,
                        gms_engine_now(ctx->engine) +
                            nic->params->memory_latency_ps,
                        GMS_NIC_ON_LOCAL_SEEN, nic, (uintptr_t)op, 0);
    if (flow->first != NULL) {
        gms_local_put(&nic->local_ready, flow);
    } else {
        gms_arena_free(ctx->arena, flow);
    }
}

void gms_local_on_copied(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_local_flow_t *flow = nic->local_copying;
    gms_local_op_t *op = flow->first;

    nic->local_copying = NULL;
    if (gms_local_source(nic, op) == NULL) {
        /* the port is closed, so the end of the send is not reported */
        gms_local_finish(ctx, nic, flow);
    } else if (op->desc.kind == GMS_SEND_MESSAGE) {
        if (gms_local_place(ctx, nic, op)) {
            gms_local_finish(ctx, nic, flow);
        } else {
            gms_local_put(&nic->local_waiting, flow);
        }
    } else {
        op->result = (uint8_t)gms_local_copy(ctx, nic, op);
        op->copied += op->piece;
        if (op->result != GMS_SENT_OK || op->copied == op->desc.length) {
            gms_local_finish(ctx, nic, flow);
        } else {
            gms_local_put(&nic->local_ready, flow);
        }
    }
    gms_local_start(ctx, nic);
}

void gms_local_retry(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_local_flow_t *flow;

    while ((flow = gms_local_take(&nic->local_waiting)) != NULL) {
        gms_local_put(&nic->local_ready, flow);
    }
    gms_local_start(ctx, nic);
}

static void gms_local_tell(gms_ctx_t *ctx, const gms_nic_t *nic,
                           const gms_local_op_t *op)
{
    gms_nic_delivery_t delivery = {
        .event = op->received, .node = nic->node, .desc = &op->desc};

    gms_ctx_detail_tracepoint(ctx, GMS_NIC_TRACEPOINT_DELIVERY, &delivery);
}

void gms_local_on_seen(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_local_op_t *op = (gms_local_op_t *)(uintptr_t)event->arg[0];
    gms_nic_port_t *source = gms_local_source(nic, op);
    gms_nic_port_t *target =
        gms_port_find(nic, op->desc.flow.target_port, op->target_generation);
    gms_host_event_t *sent;

    if (op->received != NULL && target != NULL) {
        op->received->path.host_ps =
            gms_engine_now(ctx->engine) - op->desc.call_ps;
        gms_local_tell(ctx, nic, op);
        gms_port_deliver(ctx, target, op->received);
    } else {
        gms_arena_free(ctx->arena, op->received);
    }
    if (source != NULL) {
        sent = gms_nic_alloc(ctx, sizeof(*sent));
        sent->kind = GMS_HOST_SENT;
        sent->cookie = op->desc.cookie;
        sent->length = op->desc.length;
        sent->result = op->result;
        sent->flow = op->desc.flow;
        sent->is_booked = op->desc.is_booked;
        gms_port_deliver(ctx, source, sent);
    }
    gms_local_destroy(ctx, op);
}
