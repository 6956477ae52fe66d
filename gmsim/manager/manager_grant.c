/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores the grants of a host, both in the order of their arrival and by key.
 * Grants remain in force when the master that granted the bandwidth dies. A new
 * master collects the grants from this table.
 */
#include <string.h>

#include "nic/flow.h"
#include "manager/manager_int.h"

static unsigned gms_held_bin(unsigned node, const gms_flow_key_t *key)
{
    uint32_t hash = node * 31 + key->source_port;

    hash = hash * 31 + key->target_node;
    hash = hash * 31 + key->target_port;
    hash = hash * 31 + key->priority;
    hash = hash * 31 + key->label;
    return hash % GMS_MANAGER_BINS;
}

gms_held_grant_t *gms_held_find(const gms_agent_t *agent, unsigned node,
                                const gms_flow_key_t *key)
{
    gms_held_grant_t *held = agent->bins[gms_held_bin(node, key)];

    while (held != NULL && !(held->grant.source_node == node &&
                             gms_key_is(&held->grant.key, key))) {
        held = held->hash_next;
    }
    return held;
}

gms_held_grant_t *gms_held_get(gms_ctx_t *ctx, gms_agent_t *agent,
                               unsigned node, const gms_flow_key_t *key)
{
    gms_held_grant_t *held = gms_held_find(agent, node, key);
    gms_held_grant_t **bin = &agent->bins[gms_held_bin(node, key)];

    if (held != NULL) {
        return held;
    }
    held = gms_agent_alloc(ctx, sizeof(*held));
    held->grant.source_node = node;
    held->grant.key = *key;
    held->hash_next = *bin;
    *bin = held;
    held->prev = agent->last_held;
    if (agent->last_held == NULL) {
        agent->first_held = held;
    } else {
        agent->last_held->next = held;
    }
    agent->last_held = held;
    return held;
}

void gms_held_remove(gms_ctx_t *ctx, gms_agent_t *agent, gms_held_grant_t *held)
{
    gms_held_grant_t **link =
        &agent->bins[gms_held_bin(held->grant.source_node, &held->grant.key)];

    while (*link != held) {
        link = &(*link)->hash_next;
    }
    *link = held->hash_next;
    if (held->prev == NULL) {
        agent->first_held = held->next;
    } else {
        held->prev->next = held->next;
    }
    if (held->next == NULL) {
        agent->last_held = held->prev;
    } else {
        held->next->prev = held->prev;
    }
    gms_held_set_class(ctx, agent, held, GMS_QOS_UNMANAGED);
    gms_held_promise(ctx, agent, held);
    gms_arena_free(ctx->arena, held);
}

/* Sets the reserved rate and the lanes of a flow for one direction. */
static void gms_held_promise_way(gms_ctx_t *ctx, gms_agent_t *agent,
                                 unsigned source, const gms_flow_key_t *key,
                                 uint64_t *before_bytes_s,
                                 uint64_t after_bytes_s)
{
    gms_manager_t *manager = agent->manager;
    int more = (after_bytes_s > 0) - (*before_bytes_s > 0);
    gms_status_t status = GMS_OK;

    gms_fabric_reserve(manager->fabric, source, key->target_node,
                       (int64_t)(after_bytes_s - *before_bytes_s));
    *before_bytes_s = after_bytes_s;
    if (more != 0) {
        status = gms_nic_promise(ctx, manager->nics[source], key, more);
    }
    if (status != GMS_OK) {
        gms_fatal(ctx, "cannot change the traffic class of a flow: %s",
                  gms_status_text(status));
    }
}

/* Converts a payload bandwidth to the rate on the wire. A payload of
 * qos_link_bytes_s fills a link of link_bytes_s. */
static uint64_t gms_held_wire(const gms_params_t *params, double bytes_s)
{
    return (uint64_t)(bytes_s * (double)params->link_bytes_s /
                      (double)params->qos_link_bytes_s);
}

/* Sets the pace of a flow's reverse traffic in the NIC of the target. The pace
 * is the charged bandwidth of the reverse traffic, because exactly this
 * bandwidth is reserved. */
static void gms_held_pace_back(gms_ctx_t *ctx, gms_agent_t *agent,
                               const gms_held_grant_t *held,
                               const gms_flow_key_t *back)
{
    const gms_manager_t *manager = agent->manager;
    const gms_grant_t *grant = &held->grant;
    uint32_t idt_ticks = 0;
    gms_status_t status;

    if (grant->qos_class == GMS_QOS_PREMIUM && grant->reverse_bytes_s > 0) {
        idt_ticks = gms_account_idt(&manager->params, grant->reverse_bytes_s);
    } else if (held->promised_back_bytes_s == 0) {
        return; /* the reverse flow had no pace before */
    }
    status = gms_nic_set_byte_pace(ctx, manager->nics[grant->key.target_node],
                                   back, idt_ticks);
    if (status != GMS_OK) {
        gms_fatal(ctx, "cannot set the pace of reverse traffic: %s",
                  gms_status_text(status));
    }
}

void gms_held_promise(gms_ctx_t *ctx, gms_agent_t *agent,
                      gms_held_grant_t *held)
{
    const gms_params_t *params = &agent->manager->params;
    const gms_grant_t *grant = &held->grant;
    const gms_flow_key_t *key = &grant->key;
    int premium = grant->qos_class == GMS_QOS_PREMIUM;
    gms_flow_key_t back = {
        .source_port = key->target_port,
        .target_node = (uint16_t)grant->source_node,
        .target_port = key->source_port,
        .priority = key->priority,
        .label = key->label | GMS_LABEL_REVERSE,
    };

    if (premium) {
        gms_nic_expect_reserved(agent->manager->nics[key->target_node],
                                key->target_port);
    }
    gms_held_promise_way(
        ctx, agent, grant->source_node, key, &held->promised_bytes_s,
        premium ? gms_held_wire(params, grant->bandwidth_bytes_s) : 0);
    gms_held_pace_back(ctx, agent, held, &back);
    gms_held_promise_way(
        ctx, agent, key->target_node, &back, &held->promised_back_bytes_s,
        premium ? gms_held_wire(params, grant->reverse_bytes_s) : 0);
}

/* Measures the delays of a premium flow. */
static void gms_held_measure(gms_ctx_t *ctx, const gms_agent_t *agent,
                             const gms_held_grant_t *held)
{
    const gms_params_t *params = &agent->manager->params;
    const gms_qos_shape_t *shape = &held->grant.shape;
    uint32_t mtu_bytes = (uint32_t)params->nic_mtu_bytes;
    uint32_t bytes = shape->burst_bytes > shape->message_bytes
                         ? shape->burst_bytes
                         : shape->message_bytes;
    uint32_t packets = bytes / mtu_bytes + (bytes % mtu_bytes != 0);
    gms_delay_terms_t terms = {
        .packet_ps = held->grant.qos_class == GMS_QOS_PREMIUM
                         ? held->grant.idt_ticks * params->rtc_tick_ps
                         : 0,
        .burst = packets > 0 ? packets : 1,
        .asked_ps = shape->delay_ps,
        .bound_ps = held->grant.bounds.delay_ps,
    };

    if (gms_nic_measure_delay(ctx,
                              agent->manager->nics[held->grant.source_node],
                              &held->grant.key, &terms) != GMS_OK) {
        gms_fatal(ctx, "cannot measure the delays of a flow: %s",
                  gms_status_text(GMS_ERR_NO_MEMORY));
    }
}

void gms_held_set_class(gms_ctx_t *ctx, gms_agent_t *agent,
                        gms_held_grant_t *held, enum gms_qos_class qos_class)
{
    gms_status_t status = gms_nic_set_yielding(
        ctx, agent->manager->nics[held->grant.source_node], &held->grant.key,
        qos_class == GMS_QOS_BEST_EFFORT);

    if (status != GMS_OK) {
        gms_fatal(ctx, "cannot set the class of a flow: %s",
                  gms_status_text(status));
    }
    agent->best_effort -= held->grant.qos_class == GMS_QOS_BEST_EFFORT;
    agent->best_effort += qos_class == GMS_QOS_BEST_EFFORT;
    held->grant.qos_class = qos_class;
    gms_held_measure(ctx, agent, held);
}

void gms_held_set_idt(gms_ctx_t *ctx, gms_agent_t *agent,
                      gms_held_grant_t *held, uint32_t idt_ticks)
{
    gms_status_t status =
        gms_nic_set_idt(ctx, agent->manager->nics[held->grant.source_node],
                        &held->grant.key, idt_ticks);

    if (status != GMS_OK) {
        gms_fatal(ctx,
                  "cannot set the inter-packet dispatch time of a flow: %s",
                  gms_status_text(status));
    }
    held->grant.idt_ticks = idt_ticks;
}

void gms_held_record(const gms_held_grant_t *held, gms_manager_record_t *record)
{
    const gms_grant_t *grant = &held->grant;

    memset(record, 0, sizeof(*record));
    record->key = grant->key;
    record->node = (uint16_t)grant->source_node;
    record->qos_class = (uint8_t)grant->qos_class;
    record->flags = (uint8_t)((held->is_idle ? GMS_RECORD_IDLE : 0) |
                              (held->tentative ? GMS_RECORD_TENTATIVE : 0));
    record->idt_ticks = grant->idt_ticks;
    record->rank = grant->rank;
    record->bytes_s = grant->bandwidth_bytes_s;
    record->reverse_bytes_s = grant->reverse_bytes_s;
    record->load = grant->load;
    record->u.shape = gms_manager_pack_shape(&grant->shape);
}
