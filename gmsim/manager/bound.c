/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Manages the flows and servers of the bounds and their tentative changes, and
 * computes the fixed point.
 *
 * If a server's published delay changes, the jitter J of all its flows changes
 * at the servers that follow. The computation of these servers is repeated
 * until no delay changes. If delays only increase, the computation ends at the
 * least fixed point. If delays decrease, the computation also ends at the least
 * fixed point, unless a source's delay depends on itself through incoming
 * packets. In that case, the bounds are safe but may be too large. Only a new
 * computation, starting from the smallest values, finds the least bounds.
 *
 * A log stores every change, newest last, because changes must be undoable.
 */
#include "manager/bound_hca.h"

#include <string.h>

#include "nic/flow.h"

#define GMS_BOUND_ROOM_FIRST 4u
#define GMS_BOUND_LOG_FIRST  256u
/* Busy servers publish their delays on a grid with 2^GMS_BOUND_GRID_BITS steps
 * per power of two. */
#define GMS_BOUND_GRID_BITS 1u

const gms_bound_ops_t *const gms_bound_rules[] = {&gms_bound_worm_ops,
                                                  &gms_bound_hca_ops, NULL};

/* ---- creation and destruction ---- */

static void gms_bound_free(gms_bound_t *bound)
{
    gms_arena_free(bound->arena, bound->servers);
    gms_arena_free(bound->arena, bound->queue);
    gms_arena_free(bound->arena, bound->order);
    gms_arena_free(bound->arena, bound->acks);
    gms_arena_free(bound->arena, bound->ack_rate);
    bound->servers = NULL;
}

/* Allocates the servers when the first flow is added, because most accounts of
 * large clusters have no premium flows. */
static gms_status_t gms_bound_alloc(gms_bound_t *bound)
{
    gms_arena_t *arena = bound->arena;

    if (bound->servers != NULL) {
        return GMS_OK;
    }
    bound->servers =
        gms_arena_alloc(arena, bound->server_count * sizeof(*bound->servers));
    bound->queue =
        gms_arena_alloc(arena, bound->server_count * sizeof(*bound->queue));
    bound->order =
        gms_arena_alloc(arena, bound->server_count * sizeof(*bound->order));
    bound->acks = gms_arena_alloc(arena, bound->links * sizeof(*bound->acks));
    bound->ack_rate =
        gms_arena_alloc(arena, bound->links * sizeof(*bound->ack_rate));
    if (bound->servers == NULL || bound->queue == NULL ||
        bound->order == NULL || bound->acks == NULL ||
        bound->ack_rate == NULL) {
        gms_bound_free(bound);
        return GMS_ERR_NO_MEMORY;
    }
    return GMS_OK;
}

gms_status_t gms_bound_create(gms_arena_t *arena,
                              const gms_topology_t *topology,
                              const gms_params_t *params, gms_bound_t **bound_p)
{
    gms_bound_t *bound;
    uint32_t rule = 0;

    *bound_p = NULL;
    while (gms_bound_rules[rule] != NULL &&
           !gms_bound_rules[rule]->applies(params, topology)) {
        ++rule;
    }
    if (gms_bound_rules[rule] == NULL) {
        return GMS_OK;
    }
    bound = gms_arena_alloc(arena, sizeof(*bound));
    if (bound == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    bound->arena = arena;
    bound->topology = topology;
    bound->params = *params;
    bound->rule = rule;
    bound->nodes = gms_topology_nodes(topology);
    bound->links = gms_topology_link_count(topology);
    bound->server_count = 2 * bound->nodes + bound->links;
    gms_bound_rules[rule]->costs(params, &bound->costs);
    *bound_p = bound;
    return GMS_OK;
}

void gms_bound_destroy(gms_bound_t *bound)
{
    uint32_t i;

    if (bound == NULL) {
        return;
    }
    for (i = 0; bound->servers != NULL && i < bound->server_count; ++i) {
        gms_bound_server_t *server = &bound->servers[i];

        while (server->count > 0) {
            gms_bound_flow_t *flow = server->entries[server->count - 1].flow;

            --server->count;
            if (gms_bound_kind(bound, i) == GMS_BOUND_TARGET) {
                gms_arena_free(bound->arena, flow);
            }
        }
        gms_arena_free(bound->arena, server->entries);
    }
    gms_bound_free(bound);
    gms_arena_free(bound->arena, bound->log);
    gms_arena_free(bound->arena, bound);
}

/* ---- the log ---- */

static gms_bound_change_t *gms_bound_note(gms_bound_t *bound)
{
    uint32_t room =
        bound->log_room == 0 ? GMS_BOUND_LOG_FIRST : 2 * bound->log_room;
    gms_bound_change_t *log;

    if (bound->log_count == bound->log_room) {
        log = gms_arena_alloc(bound->arena, room * sizeof(*log));
        if (log == NULL) {
            return NULL;
        }
        if (bound->log_count > 0) {
            memcpy(log, bound->log, bound->log_count * sizeof(*log));
        }
        gms_arena_free(bound->arena, bound->log);
        bound->log = log;
        bound->log_room = room;
    }
    return &bound->log[bound->log_count++];
}

uint32_t gms_bound_mark(const gms_bound_t *bound)
{
    return bound->log_count;
}

/* ---- flows at servers ---- */

static gms_status_t gms_bound_make_room(gms_bound_t *bound,
                                        const gms_bound_flow_t *flow)
{
    uint32_t i;

    for (i = 0; i < flow->hops; ++i) {
        gms_bound_server_t *server = &bound->servers[flow->hop[i].server];
        uint32_t room =
            server->room == 0 ? GMS_BOUND_ROOM_FIRST : 2 * server->room;
        gms_bound_entry_t *entries;

        if (server->count < server->room) {
            continue;
        }
        entries = gms_arena_alloc(bound->arena, room * sizeof(*entries));
        if (entries == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        if (server->count > 0) {
            memcpy(entries, server->entries, server->count * sizeof(*entries));
        }
        gms_arena_free(bound->arena, server->entries);
        server->entries = entries;
        server->room = room;
    }
    return GMS_OK;
}

/* Adds or removes the acknowledgements of a flow on the flow's reverse
 * route. */
static void gms_bound_ack(gms_bound_t *bound, const gms_bound_flow_t *flow,
                          int more)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    uint64_t rate = bound->costs.ack_ps * (1u << 24) / flow->idt_ps + 1;
    unsigned count =
        gms_topology_links(bound->topology, flow->grant->key.target_node,
                           flow->grant->source_node, links);

    while (count > 0) {
        --count;
        bound->acks[links[count]] += more ? 1u : (uint32_t)-1;
        bound->ack_rate[links[count]] += more ? rate : -rate;
    }
}

static void gms_bound_larger(gms_time_t *of, gms_time_t other)
{
    *of = other > *of ? other : *of;
}

/* Updates the largest and smallest times of a server after a flow was added. */
static void gms_bound_grow(const gms_bound_t *bound, uint32_t number,
                           const gms_bound_flow_t *flow)
{
    gms_bound_server_t *server = &bound->servers[number];
    int is_source = gms_bound_kind(bound, number) == GMS_BOUND_SOURCE;
    gms_time_t nic_ps = is_source ? flow->send_ps : flow->receive_ps;
    gms_time_t line_ps = is_source ? flow->link_ps : flow->arrive_ps;

    if (server->nic_most_ps == 0 || nic_ps < server->nic_least_ps) {
        server->nic_least_ps = nic_ps;
    }
    gms_bound_larger(&server->nic_most_ps, nic_ps);
    gms_bound_larger(&server->wire_most_ps, flow->wire_ps);
    gms_bound_larger(&server->both_most_ps, nic_ps + line_ps);
}

static void gms_bound_clear_times(gms_bound_server_t *server)
{
    server->nic_most_ps = server->wire_most_ps = server->both_most_ps = 0;
    server->nic_least_ps = 0;
}

/* Updates the largest and smallest times of a server after a flow has left. */
static void gms_bound_shrink(const gms_bound_t *bound, uint32_t number,
                             const gms_bound_flow_t *flow)
{
    gms_bound_server_t *server = &bound->servers[number], before = *server;
    uint32_t i;

    gms_bound_clear_times(server);
    gms_bound_grow(bound, number, flow);
    if (server->nic_most_ps < before.nic_most_ps &&
        server->wire_most_ps < before.wire_most_ps &&
        server->both_most_ps < before.both_most_ps &&
        server->nic_least_ps > before.nic_least_ps) {
        server->nic_most_ps = before.nic_most_ps;
        server->wire_most_ps = before.wire_most_ps;
        server->both_most_ps = before.both_most_ps;
        server->nic_least_ps = before.nic_least_ps;
        return;
    }
    gms_bound_clear_times(server);
    for (i = 0; i < server->count; ++i) {
        gms_bound_grow(bound, number, server->entries[i].flow);
    }
}

/* Adds a flow to its servers, whose lists must have room for it. */
static void gms_bound_attach(gms_bound_t *bound, gms_bound_flow_t *flow)
{
    uint32_t i;

    for (i = 0; i < flow->hops; ++i) {
        gms_bound_server_t *server = &bound->servers[flow->hop[i].server];

        server->depth = i > server->depth ? i : server->depth;
        flow->hop[i].slot = server->count;
        server->entries[server->count++] =
            (gms_bound_entry_t){.flow = flow, .hop = i};
        gms_bound_grow(bound, flow->hop[i].server, flow);
    }
    gms_bound_ack(bound, flow, 1);
    ++bound->flows;
    bound->limited += flow->is_limited;
}

static void gms_bound_detach(gms_bound_t *bound, gms_bound_flow_t *flow)
{
    uint32_t i;

    for (i = 0; i < flow->hops; ++i) {
        gms_bound_server_t *server = &bound->servers[flow->hop[i].server];
        gms_bound_entry_t last = server->entries[--server->count];

        server->entries[flow->hop[i].slot] = last;
        last.flow->hop[last.hop].slot = flow->hop[i].slot;
        gms_bound_shrink(bound, flow->hop[i].server, flow);
    }
    gms_bound_ack(bound, flow, 0);
    --bound->flows;
    bound->limited -= flow->is_limited;
}

/* Computes J at each hop from the delays that the preceding servers currently
 * publish. The time of a full packet on a link is not included, because the
 * packet's head leaves when its transfer begins. */
static void gms_bound_set_j(const gms_bound_t *bound, gms_bound_flow_t *flow)
{
    int64_t j_ps = (int64_t)bound->costs.tick_ps;
    uint32_t i;

    for (i = 0; i < flow->hops; ++i) {
        flow->hop[i].j_ps = j_ps;
        j_ps += (int64_t)bound->servers[flow->hop[i].server].published_ps -
                (int64_t)(i == 0 ? flow->send_min_ps : flow->wire_ps);
    }
}

/* ---- the fixed point ---- */

static void gms_bound_push(gms_bound_t *bound, uint32_t number)
{
    gms_bound_server_t *server = &bound->servers[number];

    if (server->is_queued) {
        return;
    }
    server->is_queued = 1;
    if (bound->is_renewing) {
        ++bound->queue_count;
        return;
    }
    bound->queue[(bound->queue_first + bound->queue_count) %
                 bound->server_count] = number;
    ++bound->queue_count;
}

/* Returns the server to compute next. During a renewal, the function follows
 * the sorted order of the servers, and restarts at its beginning after the last
 * server. */
static uint32_t gms_bound_next(gms_bound_t *bound, const uint32_t *list)
{
    uint32_t number = list[bound->queue_first];

    bound->queue_first = bound->queue_first + 1 < bound->server_count
                             ? bound->queue_first + 1
                             : 0;
    return number;
}

static uint32_t gms_bound_pop(gms_bound_t *bound)
{
    uint32_t number;

    if (bound->is_renewing) {
        do {
            number = gms_bound_next(bound, bound->order);
        } while (!bound->servers[number].is_queued);
    } else {
        number = gms_bound_next(bound, bound->queue);
    }
    --bound->queue_count;
    bound->servers[number].is_queued = 0;
    return number;
}

/* Returns the delay that a server publishes. The delay is rounded up to the
 * grid if the server has many flows. */
static gms_time_t gms_bound_publish(const gms_bound_server_t *server,
                                    gms_time_t delay_ps)
{
    gms_time_t step_ps;

    if (server->count <= GMS_BOUND_EXACT_FLOWS ||
        delay_ps >> GMS_BOUND_GRID_BITS == 0) {
        return delay_ps;
    }
    step_ps = UINT64_C(1) << (63 - __builtin_clzll(delay_ps) -
                              (int)GMS_BOUND_GRID_BITS);
    return (delay_ps + step_ps - 1) / step_ps * step_ps;
}

/* Changes J of all flows of a server by a given amount, at all servers on the
 * rest of the flows' routes. Queues these later servers. */
static void gms_bound_spread(gms_bound_t *bound, uint32_t number,
                             int64_t more_ps, int looks)
{
    gms_bound_server_t *server = &bound->servers[number];
    uint32_t i, hop;

    for (i = 0; i < server->count; ++i) {
        gms_bound_flow_t *flow = server->entries[i].flow;

        gms_bound_prefetch(server, i);
        for (hop = server->entries[i].hop + 1; hop < flow->hops; ++hop) {
            flow->hop[hop].j_ps += more_ps;
            if (looks) {
                gms_bound_push(bound, flow->hop[hop].server);
            }
        }
        if (looks && server->entries[i].hop + 1 < flow->hops) {
            uint32_t source = gms_bound_source(flow->grant->key.target_node);

            if (bound->servers[source].count > 0) {
                gms_bound_push(bound, source);
                bound->servers[source].is_fed = 1;
            }
        }
    }
}

/* Stores the delays of a server in the log before they change. */
static gms_status_t gms_bound_note_delay(gms_bound_t *bound, uint32_t number)
{
    const gms_bound_server_t *server = &bound->servers[number];
    gms_bound_change_t *change = gms_bound_note(bound);

    if (change == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    *change = (gms_bound_change_t){.kind = GMS_BOUND_DELAY,
                                   .server = number,
                                   .delay_ps = server->delay_ps,
                                   .published_ps = server->published_ps,
                                   .link_ps = server->link_ps,
                                   .visited_count = server->visited_count};
    return GMS_OK;
}

/* Computes the delay of one server and publishes the result. */
static gms_status_t gms_bound_visit(gms_bound_t *bound, uint32_t number)
{
    gms_bound_server_t *server = &bound->servers[number];
    gms_time_t delay_ps, link_ps, published_ps;
    int64_t more_ps;
    uint8_t is_fed = server->is_fed;

    ++bound->evaluations;
    server->is_fed = 0;
    gms_bound_rules[bound->rule]->serve(bound, number, &delay_ps, &link_ps);
    published_ps = gms_bound_publish(server, delay_ps);
    if (delay_ps == server->delay_ps && link_ps == server->link_ps &&
        published_ps == server->published_ps &&
        server->visited_count == server->count) {
        return GMS_OK;
    }
    if (!bound->is_renewing && gms_bound_note_delay(bound, number) != GMS_OK) {
        return GMS_ERR_NO_MEMORY;
    }
    /* the bounds of the flows at this server depend on this count */
    server->visited_count = server->count;
    more_ps = (int64_t)published_ps - (int64_t)server->published_ps;
    bound->is_circular |= bound->is_removing && is_fed;
    if (link_ps != server->link_ps &&
        bound->servers[number - bound->nodes].count > 0) {
        gms_bound_push(bound, number - bound->nodes);
        bound->servers[number - bound->nodes].is_fed = 1;
    }
    server->delay_ps = delay_ps;
    server->published_ps = published_ps;
    server->link_ps = link_ps;
    if (more_ps != 0) {
        gms_bound_spread(bound, number, more_ps, 1);
    }
    return GMS_OK;
}

gms_status_t gms_bound_settle(gms_bound_t *bound)
{
    gms_status_t status = GMS_OK;
    int goes_on = 1;

    while (bound->queue_count > 0) {
        uint32_t number = gms_bound_pop(bound);

        if (status == GMS_OK && goes_on) {
            status = gms_bound_visit(bound, number);
            goes_on = !bound->is_question ||
                      bound->servers[number].delay_ps < GMS_BOUND_MOST_PS;
        }
    }
    return status;
}

/* Queues all servers that a flow affects: the servers on its route, the other
 * server of the NIC at each of its ends, and the links that its
 * acknowledgements cross. */
static void gms_bound_push_flow(gms_bound_t *bound,
                                const gms_bound_flow_t *flow)
{
    unsigned source = flow->grant->source_node;
    unsigned target = flow->grant->key.target_node, i;
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned count = gms_topology_links(bound->topology, target, source, links);

    for (i = 0; i < flow->hops; ++i) {
        gms_bound_push(bound, flow->hop[i].server);
    }
    gms_bound_push(bound, gms_bound_source(target));
    gms_bound_push(bound, gms_bound_target(bound, source));
    for (i = 1; i + 1 < count; ++i) {
        gms_bound_push(bound, gms_bound_link(bound, links[i]));
    }
}

/* Sorts all servers: first the sources, then the links by their distance from
 * the sources, then the targets. Most servers are therefore computed after the
 * servers on which they depend. */
static void gms_bound_sort(gms_bound_t *bound)
{
    uint32_t first[GMS_ROUTE_LINKS_MAX + 2] = {bound->nodes};
    uint32_t i, depth, at = bound->nodes;

    for (i = 2 * bound->nodes; i < bound->server_count; ++i) {
        ++first[bound->servers[i].depth + 1];
    }
    for (depth = 1; depth <= GMS_ROUTE_LINKS_MAX; ++depth) {
        first[depth] += first[depth - 1];
    }
    for (i = 0; i < bound->nodes; ++i) {
        bound->order[i] = gms_bound_source(i);
    }
    for (i = 2 * bound->nodes; i < bound->server_count; ++i, ++at) {
        bound->order[first[bound->servers[i].depth]++] = i;
    }
    for (i = 0; i < bound->nodes; ++i) {
        bound->order[at + i] = gms_bound_target(bound, i);
    }
}

/* Sets every delay to 0. */
static void gms_bound_reset(gms_bound_t *bound)
{
    uint32_t i, k;

    for (i = 0; i < bound->server_count; ++i) {
        gms_bound_server_t *server = &bound->servers[i];

        server->visited_count = server->count;
        server->delay_ps = 0;
        server->published_ps = 0;
        server->link_ps = 0;
    }
    for (i = gms_bound_target(bound, 0); i < 2 * bound->nodes; ++i) {
        for (k = 0; k < bound->servers[i].count; ++k) {
            gms_bound_set_j(bound, bound->servers[i].entries[k].flow);
        }
    }
}

/* Computes all delays again, beginning with the smallest possible values. */
static gms_status_t gms_bound_renew(gms_bound_t *bound)
{
    gms_status_t status;
    uint32_t i;

    for (i = 0; i < bound->server_count; ++i) {
        if ((bound->servers[i].delay_ps > 0 || bound->servers[i].count > 0) &&
            gms_bound_note_delay(bound, i) != GMS_OK) {
            return GMS_ERR_NO_MEMORY;
        }
    }
    gms_bound_reset(bound);
    gms_bound_sort(bound);
    bound->is_renewing = 1;
    bound->queue_first = 0;
    for (i = 0; i < bound->server_count; ++i) {
        if (bound->servers[i].count > 0) {
            gms_bound_push(bound, i);
        }
    }
    status = gms_bound_settle(bound);
    bound->is_renewing = 0;
    return status;
}

/* ---- changes ---- */

static void gms_bound_set_period(const gms_bound_t *bound,
                                 gms_bound_flow_t *flow, uint32_t idt_ticks)
{
    flow->idt_ps = idt_ticks * bound->costs.tick_ps;
    flow->per_idt = UINT64_MAX / flow->idt_ps;
    flow->is_hastened =
        flow->has_windows &&
        idt_ticks <
            gms_account_idt(&bound->params, flow->grant->bandwidth_bytes_s);
}

static gms_bound_flow_t *gms_bound_new(gms_bound_t *bound, gms_grant_t *grant)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned target = grant->key.target_node, i;
    unsigned count =
        gms_topology_links(bound->topology, grant->source_node, target, links);
    gms_bound_flow_t *flow = gms_arena_alloc(
        bound->arena, sizeof(*flow) + count * sizeof(flow->hop[0]));

    if (flow == NULL) {
        return NULL;
    }
    memset(flow, 0, sizeof(*flow));
    flow->grant = grant;
    flow->has_windows = (grant->key.label & GMS_LABEL_REVERSE) == 0;
    gms_bound_set_period(bound, flow, grant->idt_ticks);
    flow->hops = count;
    flow->is_limited = grant->shape.delay_ps > 0 || grant->shape.jitter_ps > 0;
    gms_bound_rules[bound->rule]->flow(bound, flow);
    for (i = 0; i < count; ++i) {
        flow->hop[i].server = i == 0 ? gms_bound_source(grant->source_node)
                              : i + 1 == count
                                  ? gms_bound_target(bound, target)
                                  : gms_bound_link(bound, links[i]);
        flow->hop[i].input = i == 0 ? GMS_LINK_NONE : links[i - 1];
    }
    return flow;
}

gms_status_t gms_bound_add(gms_bound_t *bound, gms_grant_t *grant,
                           int is_question, gms_bound_flow_t **flow_p)
{
    gms_status_t status;
    gms_bound_flow_t *flow;
    gms_bound_change_t *change;

    if (gms_bound_alloc(bound) != GMS_OK ||
        (flow = gms_bound_new(bound, grant)) == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    change = gms_bound_note(bound);
    if (change == NULL || gms_bound_make_room(bound, flow) != GMS_OK) {
        bound->log_count -= change != NULL;
        gms_arena_free(bound->arena, flow);
        return GMS_ERR_NO_MEMORY;
    }
    *change = (gms_bound_change_t){.kind = GMS_BOUND_ADDED, .flow = flow};
    gms_bound_set_j(bound, flow);
    gms_bound_attach(bound, flow);
    gms_bound_push_flow(bound, flow);
    *flow_p = flow;
    bound->is_question =
        is_question && bound->params.qos_node_rule != GMS_QOS_NODE_CONSTANT;
    status = gms_bound_settle(bound);
    bound->is_question = 0;
    return status;
}

int gms_bound_is_loose(const gms_bound_t *bound)
{
    return bound->is_loose;
}

gms_status_t gms_bound_tighten(gms_bound_t *bound)
{
    gms_bound_change_t *change;

    if (!bound->is_loose) {
        return GMS_OK;
    }
    change = gms_bound_note(bound);
    if (change == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    *change = (gms_bound_change_t){.kind = GMS_BOUND_TIGHTENED};
    bound->is_loose = 0;
    return gms_bound_renew(bound);
}

gms_status_t gms_bound_remove(gms_bound_t *bound, gms_bound_flow_t *flow,
                              int may_loosen)
{
    gms_bound_change_t *change = gms_bound_note(bound);
    gms_status_t status;

    if (change == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    *change = (gms_bound_change_t){.kind = GMS_BOUND_REMOVED, .flow = flow};
    gms_bound_detach(bound, flow);
    gms_bound_push_flow(bound, flow);
    bound->is_removing = 1;
    bound->is_circular = 0;
    status = gms_bound_settle(bound);
    bound->is_removing = 0;
    bound->is_loose |= bound->is_circular;
    return status != GMS_OK || may_loosen ? status : gms_bound_tighten(bound);
}

/* Sets the pace of a flow. The acknowledgements are removed and added again,
 * because their rate depends on the pace. */
static void gms_bound_pace(gms_bound_t *bound, gms_bound_flow_t *flow,
                           uint32_t idt_ticks)
{
    gms_bound_ack(bound, flow, 0);
    flow->grant->idt_ticks = idt_ticks;
    gms_bound_set_period(bound, flow, idt_ticks);
    gms_bound_ack(bound, flow, 1);
}

gms_status_t gms_bound_set_idt(gms_bound_t *bound, gms_bound_flow_t *flow,
                               uint32_t idt_ticks)
{
    gms_bound_change_t *change = gms_bound_note(bound);

    if (change == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    *change = (gms_bound_change_t){.kind = GMS_BOUND_HASTENED,
                                   .flow = flow,
                                   .idt_ticks = flow->grant->idt_ticks};
    gms_bound_pace(bound, flow, idt_ticks);
    gms_bound_push_flow(bound, flow);
    return GMS_OK;
}

void gms_bound_forget(gms_bound_t *bound, gms_bound_flow_t *flow)
{
    gms_bound_detach(bound, flow);
    gms_arena_free(bound->arena, flow);
}

void gms_bound_undo(gms_bound_t *bound, uint32_t mark)
{
    while (bound->log_count > mark) {
        gms_bound_change_t *change = &bound->log[--bound->log_count];
        gms_bound_server_t *server = &bound->servers[change->server];

        switch ((enum gms_bound_log)change->kind) {
        case GMS_BOUND_DELAY:
            gms_bound_spread(bound, change->server,
                             (int64_t)change->published_ps -
                                 (int64_t)server->published_ps,
                             0);
            server->delay_ps = change->delay_ps;
            server->published_ps = change->published_ps;
            server->link_ps = change->link_ps;
            server->visited_count = change->visited_count;
            break;
        case GMS_BOUND_ADDED:
            gms_bound_detach(bound, change->flow);
            gms_arena_free(bound->arena, change->flow);
            break;
        case GMS_BOUND_REMOVED:
            gms_bound_attach(bound, change->flow); /* the lists have room,
                                                    * because the flow was at
                                                    * these servers before the
                                                    * change */
            break;
        case GMS_BOUND_HASTENED:
            gms_bound_pace(bound, change->flow, change->idt_ticks);
            break;
        case GMS_BOUND_TIGHTENED:
            bound->is_loose = 1;
            break;
        }
    }
}

/* ---- queries ---- */

uint64_t gms_bound_evaluations(const gms_bound_t *bound)
{
    return bound->evaluations;
}
