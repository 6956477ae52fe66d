/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derives the bounds of flows from the delays of the servers, and decides
 * whether tentative changes are acceptable.
 */
#include "manager/bound_int.h"

/* ---- flows ---- */

/* Returns 1 if all servers of a flow have a bound. */
static int gms_bound_is_bounded(const gms_bound_t *bound,
                                const gms_bound_flow_t *flow)
{
    uint32_t i;

    for (i = 0; i < flow->hops; ++i) {
        if (bound->servers[flow->hop[i].server].delay_ps >= GMS_BOUND_MOST_PS) {
            return 0;
        }
    }
    return 1;
}

gms_time_t gms_bound_path(const gms_bound_t *bound,
                          const gms_bound_flow_t *flow)
{
    gms_time_t path_ps = bound->costs.link.propagation_ps;
    uint32_t i;

    for (i = 0; i < flow->hops; ++i) {
        path_ps += bound->servers[flow->hop[i].server].delay_ps;
        if (i > 0) {
            path_ps += bound->costs.hop_ps;
        }
        if (i > 0 && i + 1 < flow->hops) {
            /* count the time on the wire only once, which is at the target */
            path_ps -= flow->wire_ps;
        }
    }
    return path_ps;
}

/* Returns the shortest possible delay of the longest message. In this case, the
 * packets of the message wait only for their NDT. */
gms_time_t gms_bound_worm_least(const gms_bound_t *bound,
                                const gms_bound_flow_t *flow)
{
    const gms_params_t *params = &bound->params;
    const gms_bound_costs_t *costs = &bound->costs;
    gms_time_t pace_ps = (flow->packets - 1) * flow->idt_ps;
    gms_time_t dma_ps = params->host_dma_setup_ps + flow->last_dma_ps;
    uint64_t cycles =
        params->mcp_recv_finish_cycles + params->mcp_rdma_start_cycles;

    if (flow->packets > 1 || flow->last_bytes > params->nic_fast_bytes) {
        cycles += params->mcp_rdma_finish_cycles;
        dma_ps += costs->event_ps;
    }
    pace_ps -= pace_ps > costs->tick_ps ? costs->tick_ps : 0;
    return costs->host_ps + costs->token_ps + pace_ps + flow->send_min_ps +
           (flow->hops - 1) * costs->hop_ps + costs->link.propagation_ps +
           flow->last_wire_ps + cycles * params->lanai_cycle_ps + dma_ps;
}

void gms_bound_of(const gms_bound_t *bound, const gms_bound_flow_t *flow,
                  gms_qos_bounds_t *bounds)
{
    const gms_bound_costs_t *costs = &bound->costs;
    gms_time_t path_ps = gms_bound_path(bound, flow);
    gms_time_t least_ps = gms_bound_rules[bound->rule]->least(bound, flow);
    gms_time_t late_ps = bound->servers[flow->hop[0].server].delay_ps -
                         flow->send_min_ps + costs->tick_ps;
    uint64_t burst;

    if (!gms_bound_is_bounded(bound, flow)) {
        *bounds = (gms_qos_bounds_t){0};
        return;
    }
    bounds->latency_ps = gms_bound_latency(bound, flow, path_ps);
    bounds->delay_ps = costs->host_ps + path_ps;
    if (flow->burst_packets > 1) {
        bounds->delay_ps += gms_bound_poll(bound, flow->hop[0].server) +
                            (flow->burst_packets - 1) * flow->idt_ps;
    }
    bounds->jitter_ps =
        bounds->delay_ps > least_ps ? bounds->delay_ps - least_ps : 0;
    burst = flow->packet_bytes +
            (uint64_t)((unsigned __int128)flow->packet_bytes * late_ps /
                       flow->idt_ps) +
            1;
    bounds->burst_bytes = burst < UINT32_MAX ? (uint32_t)burst : UINT32_MAX;
}

/* ---- verdicts ---- */

typedef int gms_bound_look_fn(gms_bound_t *bound, uint32_t server,
                              const gms_bound_flow_t *flow,
                              gms_qos_verdict_t *verdict);

/* Checks every server whose delay has changed tentatively, and stops at the
 * first failed check. */
static int gms_bound_walk(gms_bound_t *bound, gms_bound_look_fn *look,
                          const gms_bound_flow_t *flow,
                          gms_qos_verdict_t *verdict)
{
    uint32_t i;

    ++bound->walk;
    for (i = 0; i < bound->log_count; ++i) {
        gms_bound_server_t *server = &bound->servers[bound->log[i].server];

        if (bound->log[i].kind != GMS_BOUND_DELAY ||
            server->seen == bound->walk) {
            continue;
        }
        server->seen = bound->walk;
        if (!look(bound, bound->log[i].server, flow, verdict)) {
            return 0;
        }
    }
    return 1;
}

static int gms_bound_has_time(gms_bound_t *bound, uint32_t server,
                              const gms_bound_flow_t *flow,
                              gms_qos_verdict_t *verdict)
{
    (void)flow;
    /* With the rule `constant`, the capacity of a node is the value in the
     * cluster description, even if the node's NIC is slower. Therefore a flow
     * without bounds is granted under this rule. */
    if (bound->servers[server].delay_ps < GMS_BOUND_MOST_PS ||
        (bound->params.qos_node_rule == GMS_QOS_NODE_CONSTANT &&
         !gms_bound_rules[bound->rule]->is_strict)) {
        return 1;
    }
    switch (gms_bound_kind(bound, server)) {
    case GMS_BOUND_SOURCE:
        verdict->criterion = GMS_QOS_SOURCE_NODE;
        verdict->resource = server;
        break;
    case GMS_BOUND_TARGET:
        verdict->criterion = GMS_QOS_DESTINATION_NODE;
        verdict->resource = server - bound->nodes;
        break;
    case GMS_BOUND_LINK:
        verdict->criterion = GMS_QOS_LINK;
        verdict->resource = server - 2 * bound->nodes;
        break;
    }
    return 0;
}

/* Returns 1 if the bounds of a flow are within the delay and jitter that the
 * flow requested. */
static int gms_bound_keeps(const gms_bound_t *bound,
                           const gms_bound_flow_t *flow,
                           gms_qos_verdict_t *verdict)
{
    const gms_qos_shape_t *shape = &flow->grant->shape;
    gms_qos_bounds_t bounds;

    if (!flow->is_limited) {
        return 1;
    }
    gms_bound_of(bound, flow, &bounds);
    if (shape->delay_ps > 0 &&
        (bounds.delay_ps == 0 || bounds.delay_ps > shape->delay_ps)) {
        verdict->criterion = GMS_QOS_DELAY;
    } else if (shape->jitter_ps > 0 &&
               (bounds.delay_ps == 0 || bounds.jitter_ps > shape->jitter_ps)) {
        verdict->criterion = GMS_QOS_JITTER;
    } else {
        return 1;
    }
    verdict->resource = flow->grant->source_node;
    verdict->victim_node = flow->grant->source_node;
    verdict->victim = flow->grant->key;
    return 0;
}

static int gms_bound_all_keep(gms_bound_t *bound, uint32_t number,
                              const gms_bound_flow_t *flow,
                              gms_qos_verdict_t *verdict)
{
    const gms_bound_server_t *server = &bound->servers[number];
    uint32_t i;

    for (i = 0; i < server->count; ++i) {
        gms_bound_flow_t *other = server->entries[i].flow;

        if (other != flow && other->seen != bound->walk) {
            other->seen = bound->walk;
            if (!gms_bound_keeps(bound, other, verdict)) {
                return 0;
            }
        }
    }
    return 1;
}

int gms_bound_check(gms_bound_t *bound, const gms_bound_flow_t *flow,
                    int is_more, gms_qos_verdict_t *verdict)
{
    gms_bound_of(bound, flow, &verdict->bounds);
    return (!is_more ||
            (gms_bound_walk(bound, gms_bound_has_time, flow, verdict) &&
             gms_bound_walk(bound, gms_bound_has_room, flow, verdict))) &&
           gms_bound_keeps(bound, flow, verdict) &&
           (!is_more || bound->limited == 0 ||
            gms_bound_walk(bound, gms_bound_all_keep, flow, verdict));
}

/* ---- permanent changes ---- */

static int gms_bound_write(gms_bound_t *bound, uint32_t number,
                           const gms_bound_flow_t *flow,
                           gms_qos_verdict_t *verdict)
{
    gms_bound_server_t *server = &bound->servers[number];
    uint32_t i;

    (void)flow;
    (void)verdict;
    for (i = 0; i < server->count; ++i) {
        gms_bound_flow_t *other = server->entries[i].flow;

        if (other->seen != bound->walk) {
            other->seen = bound->walk;
            gms_bound_of(bound, other, &other->grant->bounds);
        }
    }
    return 1;
}

void gms_bound_commit(gms_bound_t *bound, gms_bound_hastened_fn *hastened,
                      void *context)
{
    uint32_t i;

    gms_bound_walk(bound, gms_bound_write, NULL, NULL);
    for (i = 0; i < bound->log_count; ++i) {
        gms_bound_change_t *change = &bound->log[i];

        if (change->kind == GMS_BOUND_REMOVED) {
            gms_arena_free(bound->arena, change->flow);
        } else if (change->kind == GMS_BOUND_ADDED) {
            gms_bound_of(bound, change->flow, &change->flow->grant->bounds);
        } else if (change->kind == GMS_BOUND_HASTENED) {
            hastened(context, change->flow->grant);
        }
    }
    bound->log_count = 0;
}
