/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the event handlers of a stand-in. The handlers post messages at the
 * flow's pace, take events from the ports, request and release reservations,
 * and start, pause and stop flows.
 */
#include "experiments/standin.h"

#include <string.h>

#include "base/queue.h"
#include "nic/alloc.h"
#include "nic/flow.h"
#include "experiments/watch.h"

GMS_QUEUE_DEFINE(gms_standin_queue, gms_standin_queue_t, gms_standin_flow_t,
                 ready_next);

#define GMS_STANDIN_PORT        2u /* [source: job/root.c, the first user port] */
#define GMS_STANDIN_FIRST_FLOWS 64u
/* Cookie of a command that resumes a stream. The value is not the number of any
 * flow. */
#define GMS_STANDIN_RESUME UINT64_MAX

/* ---- posting ------------------------------------------------------------ */

static int gms_standin_may_post(const gms_standin_flow_t *flow)
{
    return flow->is_admitted && !flow->is_over && !flow->is_off &&
           !flow->traffic.is_held && !flow->pace_waits &&
           flow->posted < flow->traffic.in_flight;
}

static int gms_standin_has_event(const gms_standin_node_t *node)
{
    const gms_standin_port_t *port;

    for (port = node->ports; port != NULL; port = port->next) {
        if (gms_nic_peek_event(node->nic, port->number) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* If the node has work, schedule its next step for the end of the current
 * step. */
static void gms_standin_wake(gms_ctx_t *ctx, gms_standin_node_t *node)
{
    gms_time_t at_ps = gms_engine_now(ctx->engine);

    if (node->has_turn ||
        (node->ready.first == NULL && !gms_standin_has_event(node))) {
        return;
    }
    if (at_ps < node->free_ps) {
        at_ps = node->free_ps;
    }
    node->has_turn = 1;
    gms_engine_schedule(ctx, &node->origin, at_ps, GMS_STANDIN_ON_TURN, node, 0,
                        0);
}

/* Append a flow to the node's list of ready flows. The ready flows post
 * messages in turn. */
static void gms_standin_make_ready(gms_standin_flow_t *flow)
{
    gms_standin_node_t *node = flow->node;

    if (flow->is_ready || !gms_standin_may_post(flow)) {
        return;
    }
    flow->is_ready = 1;
    gms_standin_queue_put(&node->ready, flow);
}

static void gms_standin_post_send(gms_ctx_t *ctx, gms_standin_node_t *node,
                                  gms_send_desc_t *desc)
{
    const gms_params_t *params = &node->cluster->params;

    desc->call_ps = node->free_ps;
    gms_nic_post_send(ctx, node->nic, &node->origin,
                      node->free_ps + params->host_send_ps, desc);
    node->free_ps += params->host_send_ps + params->host_pio_ps;
}

/* Start to pace a flow. The pace is a time per message, which corresponds to
 * the rate of the current IDT. Every packet is counted as a full packet,
 * because a reservation limits the number of packets. */
static void gms_standin_begin_pace(gms_ctx_t *ctx, gms_standin_flow_t *flow)
{
    const gms_params_t *params = &flow->node->cluster->params;
    uint64_t mtu = params->nic_mtu_bytes;
    uint64_t packets = (flow->traffic.message_bytes + mtu - 1) / mtu;
    uint64_t burst = (flow->traffic.burst_bytes + mtu - 1) / mtu;
    gms_time_t packet_ps = flow->flow->idt_ticks * params->rtc_tick_ps;

    if (flow->traffic.is_paced) {
        flow->pace_step_ps = packets * packet_ps;
        flow->pace_slack_ps =
            burst > packets ? (burst - packets) * packet_ps : 0;
        flow->pace_next_ps = gms_engine_now(ctx->engine);
    }
}

/* Compute the time of a flow's next message after a message has been posted.
 * The next message may have to wait until this time. */
static void gms_standin_count_pace(gms_ctx_t *ctx, gms_standin_flow_t *flow,
                                   gms_time_t posted_ps)
{
    if (flow->pace_step_ps == 0) {
        return;
    }
    if (flow->pace_next_ps < posted_ps) {
        flow->pace_next_ps = posted_ps;
    }
    flow->pace_next_ps += flow->pace_step_ps;
    if (flow->pace_next_ps > posted_ps + flow->pace_slack_ps) {
        flow->pace_waits = 1;
        gms_engine_schedule(ctx, &flow->node->origin,
                            flow->pace_next_ps - flow->pace_slack_ps,
                            GMS_STANDIN_ON_SWITCH, flow, 1, 0);
    }
}

/* If a flow is ready, post one message of the flow that has waited longest. */
static int gms_standin_fill(gms_ctx_t *ctx, gms_standin_node_t *node)
{
    gms_standin_flow_t *flow = gms_standin_queue_take(&node->ready);
    gms_send_desc_t desc = {.kind = GMS_SEND_MESSAGE};

    if (flow == NULL) {
        return 0;
    }
    flow->is_ready = 0;
    if (gms_standin_may_post(flow)) { /* the flow may have stopped in the
                                         meantime */
        desc.flow = flow->key;
        desc.size = flow->size;
        desc.length = flow->traffic.message_bytes;
        desc.address = (uintptr_t)node->cluster->source;
        desc.cookie = (uintptr_t)flow;
        ++flow->posted;
        gms_flow_watch_posted(flow->watch, node->free_ps);
        gms_standin_count_pace(ctx, flow, node->free_ps);
        gms_standin_post_send(ctx, node, &desc);
        gms_standin_make_ready(flow);
    }
    return 1;
}

static void gms_standin_provide(gms_ctx_t *ctx, gms_standin_node_t *node,
                                unsigned port, uint8_t size, uint8_t priority)
{
    gms_recv_desc_t desc = {.port = (uint16_t)port,
                            .size = size,
                            .priority = priority,
                            .address = (uintptr_t)node->cluster->sink};

    node->free_ps += node->cluster->params.host_provide_ps;
    gms_nic_post_receive(ctx, node->nic, &node->origin, node->free_ps, &desc);
}

/* ---- requests to the manager ---- */

static gms_qos_call_t *gms_standin_create_call(gms_ctx_t *ctx,
                                               const gms_standin_flow_t *flow)
{
    gms_qos_call_t *call = gms_qos_call_create(ctx->arena, flow->traffic.source,
                                               flow->traffic.source, 1);

    if (call == NULL) {
        gms_fatal(ctx, "the arena has no memory left for a request; set a "
                       "larger arena_bytes");
    }
    call->flow[0].asked.key = flow->key;
    return call;
}

static void gms_standin_ask(gms_ctx_t *ctx, gms_standin_flow_t *flow)
{
    gms_standin_node_t *node = flow->node;
    gms_flow_request_t *asked;

    flow->call = gms_standin_create_call(ctx, flow);
    asked = &flow->call->flow[0].asked;
    asked->qos_class = flow->traffic.control == GMS_TRAFFIC_PREMIUM
                           ? GMS_QOS_PREMIUM
                           : GMS_QOS_BEST_EFFORT;
    asked->bytes_s = flow->traffic.bytes_s;
    asked->reverse_bytes_s = flow->traffic.reverse_bytes_s;
    asked->load = flow->traffic.load;
    asked->shape = flow->traffic.shape;
    flow->call->handler = GMS_STANDIN_ON_ANSWER;
    flow->call->object = flow;
    gms_manager_post(ctx, node->cluster->manager, &node->origin,
                     gms_engine_now(ctx->engine), flow->call);
}

/* Release the grant of a flow without waiting for the answer. */
static void gms_standin_release(gms_ctx_t *ctx, gms_standin_flow_t *flow)
{
    gms_standin_node_t *node = flow->node;
    gms_qos_call_t *call;

    if (flow->call == NULL ||
        flow->call->flow[0].after.qos_class == GMS_QOS_UNMANAGED) {
        return;
    }
    call = gms_standin_create_call(ctx, flow);
    call->flow[0].asked.qos_class = GMS_QOS_UNMANAGED;
    call->abandoned = 1; /* the manager must free the call, because no process
                          * waits for the answer */
    gms_manager_post(ctx, node->cluster->manager, &node->origin,
                     gms_engine_now(ctx->engine), call);
}

/* Allow an admitted flow to send, unless the flow is held or has ended. */
static void gms_standin_set_off(gms_ctx_t *ctx, gms_standin_flow_t *flow)
{
    if (flow->is_admitted && !flow->traffic.is_held && !flow->is_over) {
        gms_standin_begin_pace(ctx, flow);
        gms_flow_watch_begin(flow->watch, gms_engine_now(ctx->engine));
        gms_standin_make_ready(flow);
        gms_standin_wake(ctx, flow->node);
    }
}

void gms_standin_go(gms_ctx_t *ctx, gms_standin_flow_t *flow, gms_time_t at_ps)
{
    gms_engine_schedule(ctx, &flow->node->origin, at_ps, GMS_STANDIN_ON_START,
                        flow, 1, 0);
}

static void gms_standin_on_answer(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_standin_flow_t *flow = event->object;

    if (flow->is_over) {
        gms_standin_release(ctx, flow);
        return;
    }
    flow->is_admitted =
        flow->call->flow[0].after.qos_class != GMS_QOS_UNMANAGED;
    gms_standin_set_off(ctx, flow);
}

/* ---- events ---- */

static void gms_standin_take_sent(gms_ctx_t *ctx, gms_standin_node_t *node,
                                  const gms_host_event_t *event)
{
    gms_standin_flow_t *flow;
    gms_send_desc_t desc = {.kind = GMS_SEND_RESUME,
                            .flow = event->flow,
                            .cookie = GMS_STANDIN_RESUME};

    node->free_ps += node->cluster->params.host_callback_ps;
    if (event->cookie == GMS_STANDIN_RESUME) {
        return;
    }
    flow = (gms_standin_flow_t *)(uintptr_t)event->cookie;
    --flow->posted;
    if (event->result != GMS_SENT_OK) {
        gms_flow_watch_failed(flow->watch);
        gms_standin_post_send(ctx, node, &desc);
    }
    gms_standin_make_ready(flow);
    if (flow->is_over && flow->posted == 0) {
        gms_standin_release(ctx, flow);
    }
}

/* Choose among the first events of all ports. Events of flows with a
 * reservation precede all other events. In each of the two groups, choose the
 * oldest event and, among events with the same time, the event of the lowest
 * port. */
static const gms_host_event_t *gms_standin_next(const gms_standin_node_t *node,
                                                unsigned *port_p)
{
    const gms_host_event_t *next = NULL;
    const gms_standin_port_t *port;

    for (port = node->ports; port != NULL; port = port->next) {
        const gms_host_event_t *first =
            gms_nic_peek_event(node->nic, port->number);

        if (first != NULL &&
            (next == NULL || first->is_reserved > next->is_reserved ||
             (first->is_reserved == next->is_reserved &&
              first->time_ps < next->time_ps))) {
            next = first;
            *port_p = port->number;
        }
    }
    return next;
}

static void gms_standin_take(gms_ctx_t *ctx, gms_standin_node_t *node,
                             unsigned from)
{
    gms_host_event_t *event = gms_nic_take_event(node->nic, from);

    node->free_ps += node->cluster->params.host_receive_ps;
    if (event->kind == GMS_HOST_SENT) {
        gms_standin_take_sent(ctx, node, event);
    } else {
        gms_standin_provide(ctx, node, from, event->size, event->priority);
    }
    gms_arena_free(ctx->arena, event);
}

/* Execute the next step. A reservation guarantees processor time both for
 * receiving and for posting. Therefore, while the stand-in can both receive a
 * message of a reservation and post a message, it alternates between the two.
 * Messages of other flows are received only when the stand-in has no message to
 * post. */
static void gms_standin_on_turn(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_standin_node_t *node = event->object;
    const gms_host_event_t *next;
    unsigned port = 0;

    node->has_turn = 0;
    node->free_ps = event->time_ps;
    next = gms_standin_next(node, &port);
    if (next != NULL && next->is_reserved && !node->posts_next) {
        node->posts_next = 1;
        gms_standin_take(ctx, node, port);
    } else {
        node->posts_next = 0;
        if (!gms_standin_fill(ctx, node) && next != NULL) {
            gms_standin_take(ctx, node, port);
        }
    }
    gms_standin_wake(ctx, node);
}

static void gms_standin_on_port(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_standin_wake(ctx, event->object);
}

/* ---- start, stop and pauses of a flow ---- */

/* Schedule the next change of a flow between on and off. */
static void gms_standin_plan_switch(gms_ctx_t *ctx, gms_standin_flow_t *flow)
{
    const gms_traffic_t *traffic = &flow->traffic;
    gms_time_t length_ps = flow->is_off ? traffic->off_ps : traffic->on_ps;

    if (traffic->is_random) {
        length_ps = gms_random_exponential_ps(&flow->random, (double)length_ps);
    }
    gms_engine_schedule(ctx, &flow->node->origin,
                        gms_engine_now(ctx->engine) + length_ps,
                        GMS_STANDIN_ON_SWITCH, flow, 0, 0);
}

static void gms_standin_on_switch(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_standin_flow_t *flow = event->object;

    if (flow->is_over) {
        return;
    }
    if (event->arg[0] == 1) {
        flow->pace_waits = 0;
    } else {
        flow->is_off = !flow->is_off;
        gms_standin_plan_switch(ctx, flow);
        if (flow->is_off) {
            gms_flow_watch_pause(flow->watch, event->time_ps);
        } else if (flow->is_admitted && !flow->traffic.is_held) {
            gms_flow_watch_begin(flow->watch, event->time_ps);
        }
    }
    gms_standin_make_ready(flow);
    gms_standin_wake(ctx, flow->node);
}

static void gms_standin_on_start(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_standin_flow_t *flow = event->object;

    if (event->arg[0] == 1) {
        flow->traffic.is_held = 0;
        gms_standin_set_off(ctx, flow);
        return;
    }
    if (flow->traffic.pattern == GMS_TRAFFIC_ON_OFF) {
        gms_standin_plan_switch(ctx, flow);
    }
    if (flow->traffic.control == GMS_TRAFFIC_PREMIUM ||
        flow->traffic.control == GMS_TRAFFIC_BEST_EFFORT) {
        gms_standin_ask(ctx, flow);
        return;
    }
    if (flow->traffic.control == GMS_TRAFFIC_IDT &&
        gms_nic_set_idt(ctx, flow->node->nic, &flow->key,
                        flow->traffic.idt_ticks) != GMS_OK) {
        gms_fatal(ctx, "the arena has no memory left for another flow; set a "
                       "larger arena_bytes");
    }
    flow->is_admitted = 1;
    gms_standin_set_off(ctx, flow);
}

void gms_standin_end(gms_ctx_t *ctx, gms_standin_flow_t *flow)
{
    if (flow->is_over) {
        return;
    }
    flow->is_over = 1;
    gms_flow_watch_pause(flow->watch, gms_engine_now(ctx->engine));
    if (flow->is_admitted && flow->posted == 0) {
        gms_standin_release(ctx, flow);
    }
}

static void gms_standin_on_stop(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_standin_end(ctx, event->object);
}

void gms_standin_register(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_STANDIN_ON_PORT] = gms_standin_on_port;
    ctx->handlers[GMS_STANDIN_ON_TURN] = gms_standin_on_turn;
    ctx->handlers[GMS_STANDIN_ON_START] = gms_standin_on_start;
    ctx->handlers[GMS_STANDIN_ON_STOP] = gms_standin_on_stop;
    ctx->handlers[GMS_STANDIN_ON_SWITCH] = gms_standin_on_switch;
    ctx->handlers[GMS_STANDIN_ON_ANSWER] = gms_standin_on_answer;
}

/* ---- creation ---- */

gms_status_t gms_standin_create(gms_ctx_t *ctx, const gms_params_t *params,
                                gms_nic_t *const *nics, unsigned nodes,
                                gms_manager_t *manager,
                                gms_standin_cluster_t **cluster_p)
{
    gms_standin_cluster_t *cluster = gms_arena_alloc(
        ctx->arena, sizeof(*cluster) + nodes * sizeof(cluster->node[0]));
    unsigned node;

    if (cluster == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    cluster->params = *params;
    cluster->manager = manager;
    cluster->nodes = nodes;
    cluster->source = gms_arena_alloc(ctx->arena, GMS_STANDIN_MESSAGE_MAX);
    cluster->sink = gms_arena_alloc(ctx->arena, GMS_STANDIN_MESSAGE_MAX);
    cluster->flow_capacity = GMS_STANDIN_FIRST_FLOWS;
    cluster->flows = gms_arena_alloc(ctx->arena, cluster->flow_capacity *
                                                     sizeof(*cluster->flows));
    if (cluster->source == NULL || cluster->sink == NULL ||
        cluster->flows == NULL) {
        return GMS_ERR_NO_MEMORY; /* the caller releases the whole arena */
    }
    for (node = 0; node < nodes; ++node) {
        cluster->node[node].cluster = cluster;
        cluster->node[node].nic = nics[node];
        cluster->node[node].origin.id = GMS_ORIGIN_RANK + node;
    }
    *cluster_p = cluster;
    return GMS_OK;
}

/* Return a port of a node. Open the port if it is not open. @return NULL if the
 * port cannot be opened */
static gms_standin_port_t *
gms_standin_port(gms_ctx_t *ctx, gms_standin_node_t *node, unsigned number)
{
    gms_standin_port_t **link = &node->ports, *port;

    while (*link != NULL && (*link)->number < number) {
        link = &(*link)->next;
    }
    if (*link != NULL && (*link)->number == number) {
        return *link;
    }
    port = gms_arena_alloc(ctx->arena, sizeof(*port));
    if (port == NULL ||
        gms_nic_open_agent_port(ctx, node->nic, number, GMS_STANDIN_ON_PORT,
                                node) != GMS_OK) {
        gms_arena_free(ctx->arena, port);
        return NULL;
    }
    port->number = number;
    port->next = *link;
    *link = port;
    return port;
}

/* Open a port if necessary, and register the given number of bytes with this
 * port. */
static int gms_standin_open(gms_ctx_t *ctx, gms_standin_node_t *node,
                            unsigned number, int is_source, uint64_t bytes)
{
    gms_standin_port_t *port = gms_standin_port(ctx, node, number);
    unsigned char *memory =
        is_source ? node->cluster->source : node->cluster->sink;
    uint64_t *registered;

    if (port == NULL) {
        return 0;
    }
    registered = is_source ? &port->source_bytes : &port->sink_bytes;
    if (*registered >= bytes) {
        return 1;
    }
    if (gms_nic_register_memory(ctx, node->nic, number, (uintptr_t)memory,
                                bytes) != GMS_OK) {
        return 0;
    }
    if (*registered > 0) {
        (void)gms_nic_deregister_memory(ctx, node->nic, number,
                                        (uintptr_t)memory, *registered);
    }
    *registered = bytes;
    return 1;
}

static int gms_standin_is_valid(const gms_standin_cluster_t *cluster,
                                const gms_traffic_t *traffic)
{
    uint64_t ports = cluster->params.gm_ports;

    return traffic->source < cluster->nodes &&
           traffic->target < cluster->nodes && traffic->source_port < ports &&
           traffic->target_port < ports && traffic->priority <= 1 &&
           !(traffic->label & GMS_LABEL_ANSWER) && traffic->message_bytes > 0 &&
           traffic->message_bytes <= GMS_STANDIN_MESSAGE_MAX &&
           traffic->in_flight > 0 &&
           traffic->in_flight <= GMS_STANDIN_IN_FLIGHT_MAX &&
           (traffic->pattern == GMS_TRAFFIC_BACKLOGGED ||
            (traffic->on_ps > 0 && traffic->off_ps > 0));
}

/* Append a flow to the table. @return its number */
static int gms_standin_number(gms_ctx_t *ctx, gms_standin_cluster_t *cluster,
                              gms_standin_flow_t *flow)
{
    if (cluster->flow_count == cluster->flow_capacity) {
        size_t bytes = cluster->flow_capacity * sizeof(*cluster->flows);
        gms_standin_flow_t **larger = gms_arena_alloc(ctx->arena, 2 * bytes);

        if (larger == NULL) {
            return 0;
        }
        memcpy(larger, cluster->flows, bytes);
        gms_arena_free(ctx->arena, cluster->flows);
        cluster->flows = larger;
        cluster->flow_capacity *= 2;
    }
    gms_random_init(&flow->random, cluster->params.seed, cluster->flow_count);
    cluster->flows[cluster->flow_count++] = flow;
    return 1;
}

/* Returns the GM size of a message: a buffer of this size holds 2^size - 8
 * bytes. [source: gm_types.h] */
static uint8_t gms_standin_size(uint32_t bytes)
{
    uint8_t size = 3;

    while ((UINT64_C(1) << size) - 8 < bytes) {
        ++size;
    }
    return size;
}

static void gms_standin_begin(gms_ctx_t *ctx, gms_standin_flow_t *flow,
                              gms_time_t now_ps)
{
    gms_traffic_t *traffic = &flow->traffic;
    gms_standin_node_t *target = &flow->node->cluster->node[traffic->target];
    unsigned i;

    if (traffic->start_ps < now_ps) {
        traffic->start_ps = now_ps;
    }
    /* Provide one buffer for each message that the flow may have in flight, and
     * one additional buffer. These buffers are sufficient, because a buffer
     * returns to the receiver before the send of its message is acknowledged.
     * The buffers exist before virtual time begins, so providing them takes no
     * time. */
    if (target->free_ps < now_ps) {
        target->free_ps = now_ps;
    }
    for (i = 0; i <= traffic->in_flight; ++i) {
        gms_time_t free_ps = target->free_ps;
        gms_recv_desc_t desc = {.port = (uint16_t)traffic->target_port,
                                .size = flow->size,
                                .priority = traffic->priority,
                                .address = (uintptr_t)target->cluster->sink};

        if (traffic->is_preset) {
            gms_nic_preset_receive(ctx, target->nic, &desc);
            continue;
        }
        gms_standin_provide(ctx, target, traffic->target_port, flow->size,
                            traffic->priority);
        target->free_ps = free_ps;
    }
    gms_engine_schedule(ctx, &flow->node->origin, traffic->start_ps,
                        GMS_STANDIN_ON_START, flow, 0, 0);
    if (traffic->stop_ps != 0 && traffic->stop_ps != GMS_NEVER) {
        gms_engine_schedule(ctx, &flow->node->origin,
                            traffic->stop_ps < traffic->start_ps
                                ? traffic->start_ps
                                : traffic->stop_ps,
                            GMS_STANDIN_ON_STOP, flow, 0, 0);
    }
}

static void gms_standin_describe(gms_standin_cluster_t *cluster,
                                 const gms_traffic_t *from,
                                 gms_standin_flow_t *flow)
{
    gms_traffic_t *traffic = &flow->traffic;

    *traffic = *from;
    if (traffic->source_port == 0) {
        traffic->source_port = GMS_STANDIN_PORT;
    }
    if (traffic->target_port == 0) {
        traffic->target_port = GMS_STANDIN_PORT;
    }
    flow->key.source_port = (uint16_t)traffic->source_port;
    flow->key.target_node = (uint16_t)traffic->target;
    flow->key.target_port = (uint16_t)traffic->target_port;
    flow->key.priority = traffic->priority;
    flow->key.label = traffic->label;
    flow->size = gms_standin_size(traffic->message_bytes);
    flow->node = &cluster->node[traffic->source];
}

uint32_t gms_standin_add(gms_ctx_t *ctx, gms_standin_cluster_t *cluster,
                         const gms_traffic_t *traffic, gms_time_t now_ps)
{
    gms_standin_flow_t *flow;

    if (!gms_standin_is_valid(cluster, traffic)) {
        return UINT32_MAX;
    }
    flow = gms_arena_alloc(ctx->arena, sizeof(*flow));
    if (flow == NULL) {
        return UINT32_MAX;
    }
    gms_standin_describe(cluster, traffic, flow);
    if (!gms_standin_open(ctx, flow->node, flow->key.source_port, 1,
                          traffic->message_bytes) ||
        !gms_standin_open(ctx, &cluster->node[traffic->target],
                          flow->key.target_port, 0, traffic->message_bytes) ||
        gms_flow_find(flow->node->nic, &flow->key) != NULL ||
        (flow->flow = gms_flow_get(ctx, flow->node->nic, &flow->key)) == NULL ||
        !gms_standin_number(ctx, cluster, flow)) {
        gms_arena_free(ctx->arena, flow);
        return UINT32_MAX;
    }
    gms_standin_begin(ctx, flow, now_ps);
    return cluster->flow_count - 1;
}
