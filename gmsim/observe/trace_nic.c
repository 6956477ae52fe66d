/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the trace items of NICs and packets: jobs of the LANai, DMA
 * transfers, and the stages of every packet.
 */
#include <stdio.h>

#include "observe/trace_int.h"

/* ---- packets ---- */

static void gms_trace_link(gms_trace_t *trace, gms_trace_packet_t *life)
{
    life->previous = trace->last_packet;
    if (trace->last_packet == NULL) {
        trace->first_packet = life;
    } else {
        trace->last_packet->next = life;
    }
    trace->last_packet = life;
}

static void gms_trace_unlink(gms_trace_t *trace, gms_trace_packet_t *life)
{
    if (life->previous == NULL) {
        trace->first_packet = life->next;
    } else {
        life->previous->next = life->next;
    }
    if (life->next == NULL) {
        trace->last_packet = life->previous;
    } else {
        life->next->previous = life->previous;
    }
}

/* Set the data of a packet that are known when the packet is built: its
 * message, its times, and its wait for the NDT. */
static void gms_trace_know_token(gms_ctx_t *ctx, gms_trace_t *trace,
                                 gms_trace_packet_t *life,
                                 const gms_packet_t *packet)
{
    const gms_token_t *token = packet->token;
    gms_trace_flow_t *flow = gms_trace_flow(ctx, trace, packet->flow);
    uint64_t waited = packet->flow->idt_wait_ticks - flow->idt_wait_ticks;

    flow->idt_wait_ticks = packet->flow->idt_wait_ticks;
    life->pace_ps = waited * gms_nic_params(packet->flow->nic)->rtc_tick_ps;
    life->at_ps[GMS_AT_CALL] = token->desc.call_ps;
    life->at_ps[GMS_AT_QUEUED] = token->queued_ps;
    if (token->type != GMS_PACKET_GOT) { /* no program sent this packet */
        life->message =
            gms_trace_message(trace, packet->header.source,
                              packet->header.source_port, token->desc.cookie);
    }
    /* The tokens of a flow and their packets are sent in order, unless the
     * connection went back to an earlier packet. */
    if (token->queued_ps > flow->furthest_ps ||
        (token->queued_ps == flow->furthest_ps &&
         token->packets_sent > flow->furthest)) {
        flow->furthest_ps = token->queued_ps;
        flow->furthest = token->packets_sent;
    } else {
        life->is_again = 1;
    }
}

static gms_trace_packet_t *
gms_trace_new_life(gms_ctx_t *ctx, gms_trace_t *trace, gms_packet_t *packet)
{
    gms_trace_packet_t *life = gms_trace_alloc(ctx, sizeof(*life));
    unsigned i;

    life->id = ++trace->packets;
    life->header = packet->header;
    life->wire_bytes = packet->worm.wire_bytes;
    life->traffic_class = packet->worm.traffic_class;
    for (i = 0; i < GMS_MOMENTS; ++i) {
        life->at_ps[i] = GMS_NEVER;
    }
    if (packet->token != NULL) {
        gms_trace_know_token(ctx, trace, life, packet);
    }
    gms_trace_link(trace, life);
    packet->seen = life;
    return life;
}

/* Return the record of a packet. The record is created at the first trace
 * point. */
static gms_trace_packet_t *gms_trace_life(gms_ctx_t *ctx, gms_trace_t *trace,
                                          const gms_packet_t *packet)
{
    return packet->seen != NULL
               ? packet->seen
               : gms_trace_new_life(ctx, trace,
                                    (gms_packet_t *)(uintptr_t)packet);
}

static gms_time_t gms_trace_born_ps(const gms_trace_packet_t *life)
{
    return life->at_ps[GMS_AT_TURN] != GMS_NEVER ? life->at_ps[GMS_AT_TURN]
                                                 : life->at_ps[GMS_AT_ARRIVED];
}

static void gms_trace_bury(gms_tracer_t *tracer, gms_trace_packet_t *life)
{
    unsigned i;

    if (!gms_trace_is_shown(tracer->trace, GMS_TRACE_PACKET,
                            gms_trace_born_ps(life))) {
        return;
    }
    for (i = 0; i < tracer->config->outputs; ++i) {
        if ((tracer->config->wanted[i] & GMS_TRACE_PACKET) &&
            tracer->config->ops[i]->packet != NULL) {
            tracer->config->ops[i]->packet(tracer, i, life);
        }
    }
}

/* Determine the fate of a packet, unless a trace point has already set it. */
static void gms_trace_settle(gms_trace_packet_t *life)
{
    if (life->fate != GMS_FATE_UNDER_WAY) {
        return;
    }
    if (life->at_ps[GMS_AT_ARRIVED] == GMS_NEVER) {
        life->fate = GMS_FATE_TAKEN_BACK;
    } else if (life->header.type >= GMS_PACKET_ACK) {
        life->fate = GMS_FATE_READ;
    } else if (life->at_ps[GMS_AT_WRITTEN] != GMS_NEVER) {
        life->fate = GMS_FATE_DELIVERED;
    } else {
        life->fate = GMS_FATE_ABANDONED;
    }
}

static void gms_trace_gone(gms_ctx_t *ctx, gms_tracer_t *tracer,
                           const gms_packet_t *packet)
{
    gms_trace_packet_t *life = packet->seen;

    if (life == NULL) {
        return;
    }
    life->blocked_ps = packet->worm.blocked_ps;
    if (life->at_ps[GMS_AT_ARRIVED] != GMS_NEVER) {
        life->wire_ps = packet->worm.wire_ps;
        life->switch_ps = packet->worm.switch_ps;
    }
    gms_trace_settle(life);
    gms_trace_unlink(tracer->trace, life);
    gms_trace_bury(tracer, life);
    gms_arena_free(ctx->arena, life);
}

/* ---- items ---- */

/* Show an item that lasts from a given time to the current time. Each part of a
 * NIC does only one job at a time. If a fault delays or duplicates packets, the
 * times of two jobs could overlap. The function therefore limits the times. */
static void gms_trace_part(gms_ctx_t *ctx, gms_tracer_t *tracer, unsigned node,
                           unsigned part, gms_time_t begin_ps,
                           gms_trace_item_t *item)
{
    gms_trace_t *trace = tracer->trace;
    gms_time_t *last_ps = &trace->part_ps[node * GMS_TRACE_PARTS + part];

    item->at_ps = item->end_ps = gms_engine_now(ctx->engine);
    item->begin_ps = begin_ps < *last_ps ? *last_ps : begin_ps;
    item->line = GMS_TRACE_OF_NIC;
    item->part = (uint8_t)part;
    item->number = node;
    *last_ps = item->end_ps;
    if (gms_trace_is_shown(trace, GMS_TRACE_NIC, item->begin_ps)) {
        gms_trace_put(ctx, tracer, item, NULL);
    }
}

static void gms_trace_part_of_link(gms_ctx_t *ctx, gms_tracer_t *tracer,
                                   const gms_trace_packet_t *life, int is_out,
                                   gms_time_t begin_ps)
{
    const gms_packet_header_t *header = &life->header;
    unsigned part = is_out ? GMS_TRACE_SEND_DMA : GMS_TRACE_RECEIVE_DMA;
    gms_trace_item_t item = {
        .kind = is_out ? GMS_TRACE_LINK_OUT : GMS_TRACE_LINK_IN,
        .id = life->id,
        .value = {header->length, header->type,
                  (is_out ? header->target : header->source) + 1,
                  /* an arrow is valid only if the trace shows its beginning */
                  life->at_ps[GMS_AT_SEND] >= tracer->trace->from_ps &&
                      life->at_ps[GMS_AT_SEND] < tracer->trace->to_ps}};

    gms_trace_part(ctx, tracer, is_out ? header->source : header->target,
                   part + life->traffic_class, begin_ps, &item);
}

static void gms_trace_dropped(gms_ctx_t *ctx, gms_tracer_t *tracer,
                              const gms_nic_drop_t *drop)
{
    gms_trace_packet_t *life = gms_trace_life(ctx, tracer->trace, drop->packet);
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_trace_item_t item = {.at_ps = now_ps,
                             .begin_ps = now_ps,
                             .end_ps = now_ps,
                             .kind = GMS_TRACE_BROKEN,
                             .line = GMS_TRACE_OF_FAULTS,
                             .id = life->id};
    char text[160];

    life->fate = GMS_FATE_DROPPED;
    life->drop = (uint8_t)drop->why;
    if (gms_trace_is_shown(tracer->trace, GMS_TRACE_FAULT, now_ps)) {
        (void)snprintf(text, sizeof(text),
                       "%s of %u bytes, %u.%u -> %u.%u, "
                       "dropped: %s",
                       gms_trace_type_name(life->header.type),
                       life->header.length, life->header.source + 1,
                       life->header.source_port, life->header.target + 1,
                       life->header.target_port,
                       gms_trace_drop_name(drop->why));
        gms_trace_put(ctx, tracer, &item, text);
    }
}

/* ---- trace points ---- */

static void gms_trace_stamp_job(const gms_nic_view_t *nic, gms_time_t now_ps,
                                gms_trace_packet_t *life)
{
    gms_time_t *at_ps = life->at_ps;

    /* first job of the sending NIC for this packet */
    if (at_ps[GMS_AT_TURN] == GMS_NEVER && life->header.source == nic->node &&
        (nic->job == GMS_JOB_START_HOST_DMA ||
         nic->job == GMS_JOB_START_SEND)) {
        at_ps[GMS_AT_TURN] = nic->job_start_ps;
    }
    switch (nic->job) {
    case GMS_JOB_START_HOST_DMA:
        at_ps[nic->dma == GMS_DMA_SEND ? GMS_AT_FETCH : GMS_AT_WRITE] = now_ps;
        break;
    case GMS_JOB_FINISH_SDMA:
        at_ps[GMS_AT_READY] = now_ps;
        break;
    case GMS_JOB_START_SEND:
        at_ps[GMS_AT_SEND] = now_ps;
        break;
    case GMS_JOB_FINISH_RECV:
        at_ps[GMS_AT_CHECKED] = now_ps;
        break;
    case GMS_JOB_FINISH_RDMA:
        at_ps[GMS_AT_DONE] = now_ps;
        break;
    case GMS_JOB_FINISH_SEND:
    case GMS_JOB_POLL:
    case GMS_JOB_COUNT:
    case GMS_JOB_VOID:
        break;
    }
}

static void gms_trace_job(gms_ctx_t *ctx, gms_tracer_t *tracer,
                          const gms_nic_t *nic)
{
    gms_trace_item_t item = {.kind = GMS_TRACE_JOB};
    gms_trace_packet_t *life;
    gms_nic_view_t view;

    gms_nic_inspect(nic, &view);
    item.value[0] = view.job;
    item.value[1] = view.dma;
    if (view.job_packet != NULL) {
        life = gms_trace_life(ctx, tracer->trace, view.job_packet);
        gms_trace_stamp_job(&view, gms_engine_now(ctx->engine), life);
        item.id = life->id;
    }
    gms_trace_part(ctx, tracer, view.node, GMS_TRACE_LANAI, view.job_start_ps,
                   &item);
}

static void gms_trace_transfer(gms_ctx_t *ctx, gms_tracer_t *tracer,
                               const gms_nic_t *nic)
{
    gms_trace_item_t item = {.kind = GMS_TRACE_TRANSFER};
    gms_trace_packet_t *life;
    gms_nic_view_t view;

    gms_nic_inspect(nic, &view);
    item.value[0] = view.dma;
    item.value[1] = view.dma_bytes;
    if (view.dma_packet != NULL) {
        life = gms_trace_life(ctx, tracer->trace, view.dma_packet);
        life->at_ps[view.dma == GMS_DMA_SEND ? GMS_AT_FETCHED
                                             : GMS_AT_WRITTEN] =
            gms_engine_now(ctx->engine);
        item.id = life->id;
    }
    gms_trace_part(ctx, tracer, view.node, GMS_TRACE_HOST_DMA,
                   view.dma_start_ps, &item);
}

static void gms_trace_left(gms_ctx_t *ctx, gms_tracer_t *tracer,
                           const gms_packet_t *packet)
{
    gms_trace_packet_t *life = gms_trace_life(ctx, tracer->trace, packet);

    life->at_ps[GMS_AT_SENT] = gms_engine_now(ctx->engine);
    if (life->at_ps[GMS_AT_SEND] != GMS_NEVER) {
        gms_trace_part_of_link(ctx, tracer, life, 1, life->at_ps[GMS_AT_SEND]);
    }
}

static void gms_trace_came(gms_ctx_t *ctx, gms_tracer_t *tracer,
                           const gms_packet_t *packet)
{
    gms_trace_packet_t *life = gms_trace_life(ctx, tracer->trace, packet);
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    life->at_ps[GMS_AT_ARRIVED] = now_ps;
    life->is_echo = (packet->worm.fate & GMS_WORM_ECHO) != 0;
    gms_trace_part_of_link(ctx, tracer, life, 0,
                           now_ps - packet->worm.stream_ps);
}

static void gms_trace_stage(gms_ctx_t *ctx, gms_tracer_t *tracer,
                            const gms_nic_stage_t *stage)
{
    gms_time_t *at_ps =
        gms_trace_life(ctx, tracer->trace, stage->packet)->at_ps;
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    switch (stage->kind) {
    case GMS_NIC_STAGE_PICK:
        at_ps[GMS_AT_TURN] = now_ps;
        break;
    case GMS_NIC_STAGE_PICK_TO_READ:
        at_ps[GMS_AT_TURN] = at_ps[GMS_AT_FETCH] = now_ps;
        break;
    case GMS_NIC_STAGE_READ:
        at_ps[GMS_AT_READY] = now_ps;
        if (at_ps[GMS_AT_FETCH] != GMS_NEVER) {
            at_ps[GMS_AT_FETCHED] = now_ps;
        }
        break;
    case GMS_NIC_STAGE_SEND:
        at_ps[GMS_AT_SEND] = stage->begin_ps;
        if (at_ps[GMS_AT_TURN] == GMS_NEVER) { /* a control packet */
            at_ps[GMS_AT_TURN] = stage->begin_ps;
        }
        break;
    case GMS_NIC_STAGE_CHECK:
        at_ps[GMS_AT_CHECKED] = now_ps;
        break;
    case GMS_NIC_STAGE_WRITE:
        at_ps[GMS_AT_WRITE] = stage->begin_ps;
        at_ps[GMS_AT_WRITTEN] = at_ps[GMS_AT_DONE] = now_ps;
        break;
    }
}

static void gms_trace_arrival(gms_ctx_t *ctx, gms_tracer_t *tracer,
                              const gms_packet_t *packet)
{
    const gms_trace_packet_t *life = packet->seen;

    if (life != NULL && packet->message != NULL) {
        gms_message_note(packet->message, life->message);
    }
    gms_trace_arrived(ctx, tracer, packet->flow, packet->header.length);
}

static void gms_trace_delivery(const gms_tracer_t *tracer,
                               const gms_nic_delivery_t *delivery)
{
    const gms_send_desc_t *desc = delivery->desc;
    const gms_trace_packet_t *life =
        delivery->fast != NULL ? delivery->fast->seen : NULL;

    if (desc != NULL) {
        delivery->event->seen =
            gms_trace_message(tracer->trace, delivery->node,
                              desc->flow.source_port, desc->cookie);
    } else if (delivery->fast == NULL) {
        delivery->event->seen = gms_message_is_known(delivery->message);
    } else if (life != NULL) {
        delivery->event->seen = life->message;
    }
}

int gms_trace_nic_tracepoint(gms_ctx_t *ctx, gms_tracer_t *tracer,
                             uint32_t what, const void *thing)
{
    if (what < GMS_HANDLER_NIC || what >= GMS_NIC_TRACEPOINT_LAST) {
        return 0;
    }
    switch ((enum gms_nic_tracepoint)what) {
    case GMS_NIC_TRACEPOINT_STALL:
        gms_trace_stall(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_ARRIVAL:
        gms_trace_arrival(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_IDT:
        gms_trace_idt(ctx, tracer, (gms_flow_t *)(uintptr_t)thing);
        break;
    case GMS_NIC_TRACEPOINT_DELIVERY:
        gms_trace_delivery(tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_DROP:
        gms_trace_dropped(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_GONE:
        gms_trace_gone(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_STAGE:
        gms_trace_stage(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_JOB:
        gms_trace_job(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_HOST_DMA:
        gms_trace_transfer(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_SENT:
        gms_trace_left(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_ARRIVED:
        gms_trace_came(ctx, tracer, thing);
        break;
    case GMS_NIC_TRACEPOINT_LAST:
        break;
    }
    return 1;
}

void gms_trace_end_nics(gms_ctx_t *ctx, gms_tracer_t *tracer)
{
    gms_trace_packet_t *life;

    for (life = tracer->trace->first_packet; life != NULL; life = life->next) {
        if (gms_trace_born_ps(life) != GMS_NEVER) {
            gms_trace_bury(tracer, life);
        }
    }
    (void)ctx;
}
