/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the table of a NIC's flows, their queues of tokens, and the events
 * that make a flow valid or invalid for the scheduler. These events are new
 * tokens, failures, stalls, drops and resumptions.
 */
#include "nic/flow.h"

#include <assert.h>

#include "nic/delay.h"
#include "nic/mcp.h"
#include "nic/sram.h"

GMS_QUEUE_DEFINE(gms_flows, gms_flow_queue_t, gms_flow_t, next);
GMS_QUEUE_DEFINE(gms_flow_tokens, gms_flow_t, gms_token_t, next);

#define GMS_FLOW_FIRST_BINS 64u

static uint32_t gms_flow_bin(const gms_nic_t *nic, const gms_flow_key_t *key)
{
    uint64_t hash = ((uint64_t)key->source_port << 48) ^
                    ((uint64_t)key->target_node << 32) ^
                    ((uint64_t)key->target_port << 16) ^
                    ((uint64_t)key->label << 8) ^ key->priority;

    return gms_nic_bin(hash, nic->flow_bin_count);
}

/* Return 1 if two keys are equal. Compare the fields one by one instead of with
 * memcmp(), because the struct may contain padding. */
int gms_flow_key_equal(const gms_flow_key_t *a, const gms_flow_key_t *b)
{
    return a->source_port == b->source_port &&
           a->target_node == b->target_node &&
           a->target_port == b->target_port && a->priority == b->priority &&
           a->label == b->label;
}

gms_flow_t *gms_flow_find(const gms_nic_t *nic, const gms_flow_key_t *key)
{
    gms_flow_t *flow;

    if (nic->flow_bin_count == 0) {
        return NULL;
    }
    flow = nic->flow_bins[gms_flow_bin(nic, key)];
    while (flow != NULL && !gms_flow_key_equal(&flow->key, key)) {
        flow = flow->hash_next;
    }
    return flow;
}

/* Make room for one more flow.
 * @return 1, or 0 if there is no memory even for the first bins */
static int gms_flow_grow(gms_ctx_t *ctx, gms_nic_t *nic)
{
    uint32_t bins = nic->flow_bin_count == 0 ? GMS_FLOW_FIRST_BINS
                                             : 2 * nic->flow_bin_count;
    gms_flow_t **larger;
    gms_flow_t *flow;

    if (nic->flow_count < nic->flow_bin_count) {
        return 1;
    }
    larger = gms_arena_alloc(ctx->arena, bins * sizeof(*larger));
    if (larger == NULL) {
        return nic->flow_bin_count != 0;
    }
    gms_arena_free(ctx->arena, nic->flow_bins);
    nic->flow_bins = larger;
    nic->flow_bin_count = bins;
    for (flow = nic->flows.first; flow != NULL; flow = flow->next) {
        gms_flow_t **bin = &larger[gms_flow_bin(nic, &flow->key)];

        flow->hash_next = *bin;
        *bin = flow;
    }
    return 1;
}

static int gms_flow_is_promised(const gms_flow_t *flow)
{
    return flow->promises > 0 ||
           ((flow->key.label & GMS_LABEL_ANSWER) && flow->twin != NULL &&
            flow->twin->promises > 0);
}

/* Return the class to which the flow belongs. */
static uint8_t gms_flow_wanted(const gms_flow_t *flow)
{
    const gms_nic_t *nic = flow->nic;
    const gms_nic_port_t *port;

    if (nic->classes == 1) {
        return 0;
    }
    if (gms_flow_is_promised(flow)) {
        return GMS_LANE_REAL_TIME;
    }
    port = gms_port_at(nic, flow->key.source_port);
    return port != NULL ? port->traffic_class : GMS_LANE_BEST_EFFORT;
}

/* Link a new flow with its twin (the other flow with the same pace) if the twin
 * already exists. The hardware of the thesis does not link the two flows. */
static void gms_flow_find_twin(gms_flow_t *flow)
{
    gms_flow_key_t key = flow->key;

    if (flow->nic->params->undeclared == GMS_UNDECLARED_FREE) {
        return;
    }
    key.label ^= GMS_LABEL_ANSWER;
    flow->twin = gms_flow_find(flow->nic, &key);
    if (flow->twin != NULL) {
        flow->twin->twin = flow;
        flow->idt_ticks = flow->twin->idt_ticks;
        flow->yields = flow->twin->yields;
        flow->ndt = flow->twin->ndt;
        flow->last_ndt = flow->twin->last_ndt;
    }
}

gms_flow_t *gms_flow_get(gms_ctx_t *ctx, gms_nic_t *nic,
                         const gms_flow_key_t *key)
{
    gms_flow_t *flow = gms_flow_find(nic, key);
    gms_flow_t **bin;

    if (flow != NULL) {
        return flow;
    }
    flow = gms_arena_alloc(ctx->arena, sizeof(*flow));
    if (flow == NULL || !gms_flow_grow(ctx, nic)) {
        gms_arena_free(ctx->arena, flow);
        return NULL;
    }
    flow->key = *key;
    flow->nic = nic;
    gms_flow_find_twin(flow);
    flow->traffic_class = gms_flow_wanted(flow);
    gms_nic_meet_class(nic, flow->traffic_class);
    flow->index = nic->flow_count++;
    bin = &nic->flow_bins[gms_flow_bin(nic, key)];
    flow->hash_next = *bin;
    *bin = flow;
    gms_flows_put(&nic->flows, flow);
    return flow;
}

/* Return 1 if the flow's connection holds no state of the flow. */
static int gms_flow_is_out(const gms_flow_t *flow)
{
    const gms_token_t *token;

    if (flow->barred & GMS_FLOW_NO_WINDOW) {
        return 0;
    }
    for (token = flow->first; token != NULL; token = token->next) {
        if (token->type != GMS_PACKET_DATAGRAM &&
            (token->packets_sent != token->packets_acked || token->waits)) {
            return 0;
        }
    }
    return 1;
}

/* Update the flow's state in the scheduler. A real-time flow that becomes valid
 * is added with the time ready_ps. The NIC's delay in reading a descriptor
 * therefore does not delay the flow's pace. Otherwise, if a sender respects its
 * rate, the late pace would delay all later messages in addition to the delay
 * by the NIC's other work. */
static void gms_flow_update_from(gms_ctx_t *ctx, gms_flow_t *flow,
                                 gms_time_t ready_ps)
{
    gms_nic_t *nic = flow->nic;
    gms_scheduler_t *scheduler;
    const gms_scheduler_ops_t *ops;
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    int valid;

    if ((flow->barred & GMS_FLOW_MOVES) && !flow->valid &&
        gms_flow_is_out(flow)) {
        flow->barred &= (uint8_t)~GMS_FLOW_MOVES;
        flow->traffic_class = gms_flow_wanted(flow);
        gms_nic_meet_class(nic, flow->traffic_class);
    }
    scheduler = nic->traffic_class[flow->traffic_class].scheduler;
    ops = gms_scheduler_ops(scheduler->id);
    valid = flow->next_sendable != NULL && !flow->barred &&
            flow->held_until_ps <= now_ps;
    if (valid && !flow->valid) {
        flow->valid = 1;
        if (flow->backlog_since_ps == now_ps && flow->was_backlogged &&
            flow->ndt < gms_nic_rtc(nic, now_ps)) {
            flow->starved_ps = now_ps;
        }
        ops->add(ctx, scheduler, flow,
                 gms_nic_rtc(nic, gms_nic_is_real_time(nic, flow->traffic_class)
                                      ? ready_ps
                                      : now_ps));
    } else if (!valid && flow->valid) {
        gms_connection_t *connection = gms_connection_of_flow(flow);

        flow->valid = 0;
        ops->remove(scheduler, flow);
        /* Another flow may now use the room in the window that this flow left
         * unused. */
        if (connection != NULL) {
            gms_connection_unblock(ctx, connection);
        }
    }
}

void gms_flow_update(gms_ctx_t *ctx, gms_flow_t *flow)
{
    gms_flow_update_from(ctx, flow, gms_engine_now(ctx->engine));
}

void gms_flow_classify(gms_ctx_t *ctx, gms_flow_t *flow)
{
    if (flow->traffic_class == gms_flow_wanted(flow)) {
        flow->barred &= (uint8_t)~GMS_FLOW_MOVES;
    } else {
        flow->barred |= GMS_FLOW_MOVES;
        gms_flow_update(ctx, flow); /* remove the flow from the scheduler */
    }
    gms_flow_update(ctx, flow);
    gms_nic_kick(ctx, flow->nic);
}

void gms_flow_hold(gms_ctx_t *ctx, gms_flow_t *flow, gms_time_t delay_ps)
{
    flow->held_until_ps = gms_engine_now(ctx->engine) + delay_ps;
    ++flow->holds;
    flow->hold_ps += delay_ps;
    gms_engine_schedule(ctx, &flow->nic->origin, flow->held_until_ps,
                        GMS_NIC_ON_HOLD, flow, 0, 0);
    gms_flow_update(ctx, flow);
}

void gms_flow_on_hold(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_flow_t *flow = event->object;

    gms_flow_update(ctx, flow);
    gms_nic_kick(ctx, flow->nic);
}

void gms_flow_append(gms_ctx_t *ctx, gms_flow_t *flow, gms_token_t *token,
                     gms_time_t ready_ps)
{
    token->flow = flow;
    token->progress_ps = gms_engine_now(ctx->engine);
    gms_flow_tokens_put(flow, token);
    if (flow->first == token) {
        flow->active_since_ps = token->progress_ps;
        gms_sram_charge(flow->nic, GMS_SRAM_FLOW_BYTES);
    }
    if (!(flow->barred & GMS_FLOW_STALLED)) {
        gms_sram_charge_token(flow->nic, token);
    }
    if (flow->delay != NULL) {
        gms_delay_post(flow, token);
    }
    if (flow->next_sendable == NULL) {
        flow->backlog_since_ps = token->progress_ps;
        flow->next_sendable = token;
    }
    gms_flow_update_from(ctx, flow, ready_ps);
}

gms_token_t *gms_flow_next_unsent(const gms_token_t *token)
{
    gms_token_t *next = token->next;

    while (next != NULL && next->all_sent) {
        next = next->next;
    }
    return next;
}

/* Clear all packets' references to a datagram's token. Otherwise the NIC would
 * complete the token after the packet has left. */
static void gms_flow_forget_datagram(gms_nic_class_t *traffic_class,
                                     const gms_token_t *token)
{
    gms_packet_t *const queues[] = {traffic_class->ready.first,
                                    traffic_class->reading.first};
    gms_packet_t *packet;
    unsigned i;

    for (i = 0; i < sizeof(queues) / sizeof(queues[0]); ++i) {
        for (packet = queues[i]; packet != NULL; packet = packet->next) {
            if (packet->token == token) {
                packet->token = NULL;
            }
        }
    }
    packet = traffic_class->send_dma.packet;
    if (packet != NULL && packet->token == token) {
        packet->token = NULL;
    }
    if (traffic_class->send_dma.token == token) {
        traffic_class->send_dma.token = NULL;
    }
}

/* Remove a token from its flow, and clear all references to the token. */
static void gms_flow_unlink(gms_ctx_t *ctx, gms_token_t *token)
{
    gms_flow_t *flow = token->flow;
    gms_nic_t *nic = flow->nic;
    gms_connection_t *connection = gms_connection_of_flow(flow);
    gms_packet_t *packet = nic->host_dma.packet;
    int is_first = flow->first == token;
    unsigned i;

    if (flow->next_sendable == token) {
        flow->next_sendable = gms_flow_next_unsent(token);
    }
    (void)gms_flow_tokens_remove(flow, token);
    if (is_first && flow->first != NULL) {
        flow->first->progress_ps = gms_engine_now(ctx->engine);
    } else if (is_first) {
        gms_sram_release(nic, GMS_SRAM_FLOW_BYTES);
        flow->active_ps += gms_engine_now(ctx->engine) - flow->active_since_ps;
    }
    if (connection != NULL) {
        gms_connection_forget(connection, token);
    }
    for (i = 0; token->type == GMS_PACKET_DATAGRAM && i < nic->classes; ++i) {
        gms_flow_forget_datagram(&nic->traffic_class[i], token);
    }
    if (packet != NULL && packet->token == token) {
        packet->token = NULL;
    }
    gms_flow_update(ctx, flow);
}

void gms_flow_finish(gms_ctx_t *ctx, gms_token_t *token, uint8_t result)
{
    gms_nic_t *nic = token->flow->nic;

    gms_flow_unlink(ctx, token);
    if (token->type == GMS_PACKET_GOT) {
        gms_token_destroy(ctx, nic, token); /* no report was requested */
        return;
    }
    /* The program may change its memory as soon as it receives the report, or
     * closes the port. */
    gms_ahead_end(ctx, token->ahead);
    token->ahead = NULL;
    token->result = result;
    if (result == GMS_SENT_OK) {
        ++nic->counters.messages_sent;
        ++token->flow->messages_sent;
    }
    gms_port_finished(nic, token);
}

void gms_flow_fail(gms_ctx_t *ctx, gms_token_t *token, uint8_t result)
{
    gms_flow_t *flow = token->flow;
    gms_token_t *queued;

    if (token->type != GMS_PACKET_GOT) {
        flow->barred |= GMS_FLOW_STALLED;
        ++flow->nic->counters.streams_stalled;
        gms_ctx_tracepoint(ctx, GMS_NIC_TRACEPOINT_STALL, flow);
        for (queued = flow->first; queued != NULL; queued = queued->next) {
            gms_sram_release_token(flow->nic, queued);
        }
    }
    gms_flow_finish(ctx, token, result);
}

void gms_flow_drop(gms_ctx_t *ctx, gms_flow_t *flow)
{
    while ((flow->barred & GMS_FLOW_STALLED) && flow->first != NULL) {
        ++flow->nic->counters.sends_dropped;
        gms_flow_finish(ctx, flow->first, GMS_SENT_DROPPED);
    }
    gms_flow_resume(ctx, flow);
}

void gms_flow_resume(gms_ctx_t *ctx, gms_flow_t *flow)
{
    gms_connection_t *connection = gms_connection_of_flow(flow);
    gms_token_t *token;

    if (!(flow->barred & GMS_FLOW_STALLED)) {
        return;
    }
    flow->barred &= (uint8_t)~GMS_FLOW_STALLED;
    if (flow->first != NULL) {
        flow->first->progress_ps = gms_engine_now(ctx->engine);
        for (token = flow->first; token != NULL; token = token->next) {
            gms_sram_charge_token(flow->nic, token);
        }
        if (connection != NULL) {
            gms_connection_watch(ctx, connection, flow);
        }
    }
    gms_flow_update(ctx, flow);
}

gms_token_t *gms_flow_find_get(const gms_flow_t *flow, uint16_t get)
{
    gms_token_t *token = flow->first;

    while (token != NULL &&
           (token->type != GMS_PACKET_GET || token->get != get)) {
        token = token->next;
    }
    return token;
}

void gms_flow_drop_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port)
{
    gms_flow_t *flow;

    for (flow = nic->flows.first; flow != NULL; flow = flow->next) {
        /* The flows of answers to gets continue. SDMA detects that the port is
         * closed, and reports this in the next answer. */
        if (flow->key.source_port != port ||
            (flow->key.label & GMS_LABEL_ANSWER)) {
            continue;
        }
        while (flow->first != NULL) {
            gms_token_t *token = flow->first;

            gms_flow_unlink(ctx, token);
            gms_token_destroy(ctx, nic, token);
        }
        /* The flow of the port's next owner starts as if it had never been
         * used. */
        flow->barred &= (uint8_t)~GMS_FLOW_STALLED;
        flow->held_until_ps = 0;
        gms_nic_set_yielding(ctx, nic, &flow->key, 0);
        gms_nic_set_idt(ctx, nic, &flow->key, 0);
    }
}
