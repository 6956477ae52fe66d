/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the functions of gm_qos.h. These functions translate requests,
 * releases, watches and queries between a program's units (MB/s, seconds) and
 * the manager's units, and wait for the manager's answer. The managers
 * (gmsim/manager) decide on the requests.
 */
#include "gm_qos.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gm/qos.h"
#include "job/record.h"
#include "nic/scheduler.h"

_Static_assert(sizeof(gms_flow_key_t) ==
                   4 * sizeof(uint16_t) + sizeof(uint32_t),
               "gms_flow_key_t must have no padding, because keys are compared "
               "as bytes");

/* Return the flow's grant, or NULL. Call this function only when it is the
 * caller's turn. */
static const gms_grant_t *gms_qos_grant(const struct gm_port *port,
                                        const gms_flow_key_t *key)
{
    return gms_manager_find(port->sim->root->manager, port->node, key);
}

/* Check that the packet scheduler enforces reservations. Schedulers other than
 * `rate' send as fast as possible and ignore reservations. */
static gm_status_t gms_qos_check_pace(const struct gm_port *port)
{
    return gms_scheduler_keeps_pace((uint32_t)port->sim->root->params.scheduler)
               ? GM_SUCCESS
               : GM_UNSUPPORTED_DEVICE;
}

static enum gm_qos_class gms_qos_public_class(enum gms_qos_class qos_class)
{
    switch (qos_class) {
    case GMS_QOS_UNMANAGED:
        return GM_QOS_UNMANAGED;
    case GMS_QOS_PREMIUM:
        return GM_QOS_PREMIUM;
    case GMS_QOS_BEST_EFFORT:
        return GM_QOS_BEST_EFFORT;
    case GMS_QOS_FIXED:
        return GM_QOS_FIXED;
    }
    return GM_QOS_UNMANAGED;
}

/* ---- IDTs set directly ------------------------------------------------- */

gm_status_t gm_qos_set_idt(struct gm_port *port, const gm_qos_flow_t *flow,
                           unsigned idt_ticks)
{
    gms_flow_key_t key;
    gms_idt_order_t *order = NULL;
    gms_ctx_t *ctx;
    gm_status_t status = gms_port_flow_key(port, flow, &key);

    if (status != GM_SUCCESS || idt_ticks > GM_QOS_MAX_IDT_TICKS) {
        return GM_INVALID_PARAMETER;
    }
    if (idt_ticks > 0 && gms_qos_check_pace(port) != GM_SUCCESS) {
        return GM_UNSUPPORTED_DEVICE;
    }
    ctx = &port->sim->ctx;
    gms_sim_begin_turn(port->sim);
    if (gms_qos_grant(port, &key) != NULL) {
        status = GM_BUSY;
    } else {
        order = gms_arena_alloc(ctx->arena, sizeof(*order));
        status = order != NULL ? GM_SUCCESS : GM_OUT_OF_MEMORY;
    }
    if (status == GM_SUCCESS) {
        order->nic = port->nic;
        order->key = key;
        order->idt_ticks = idt_ticks;
        /* Set the IDT in an event at the time of the caller's clock. The
         * caller's clock is later than the engine's time, which is the time of
         * the last event. The time of the flow's next packet must be computed
         * from the caller's clock. */
        gms_engine_schedule(ctx, gms_gate_origin(ctx), gms_gate_clock(ctx),
                            GMS_GM_ON_SET_IDT, order, 0, 0);
    }
    gms_sim_end(port->sim, port->sim->root->params.host_send_ps);
    return status;
}

gm_status_t gm_qos_note_payload(struct gm_port *port, const gm_qos_flow_t *flow,
                                double part)
{
    gms_flow_key_t key;
    gm_status_t status = gms_port_flow_key(port, flow, &key);

    if (status != GM_SUCCESS || !(part >= 0 && part <= 1)) {
        return GM_INVALID_PARAMETER;
    }
    if (port->sim->record != NULL) {
        /* Wait for the caller's turn, so that every run stores the value at the
         * same virtual time. */
        gms_gate_run_events_until_turn(&port->sim->ctx);
        gms_sim_record_payload(port->sim, port->node, &key, part);
        gms_gate_unlock(&port->sim->ctx);
    }
    return GM_SUCCESS;
}

gm_u64_t gm_qos_begin_exchange(struct gm_port *port)
{
    return gms_port_is_open(port) ? gms_gate_clock(&port->sim->ctx) : 0;
}

void gm_qos_note_exchange(struct gm_port *port, gm_u64_t began_ps,
                          unsigned packets)
{
    if (gms_port_is_open(port)) {
        port->exchange_ps = began_ps;
        port->exchange_packets = began_ps > 0 ? packets : 0;
    }
}

/* ---- Requests to the manager ------------------------------------------- */

/* Post a request for the given flows and sleep until the manager has answered.
 * @return the answered call, which the caller releases with gms_qos_end(); NULL
 * if the arena is full */
static gms_qos_call_t *gms_qos_ask(struct gm_port *port,
                                   const gms_flow_request_t *flows,
                                   unsigned count)
{
    gms_sim_t *sim = port->sim;
    gms_ctx_t *ctx = &sim->ctx;
    gms_qos_call_t *call;
    unsigned i;

    gms_sim_begin_turn(sim);
    call = gms_qos_call_create(ctx->arena, port->node, sim->launch.rank, count);
    if (call == NULL) {
        gms_sim_end(sim, 0);
        return NULL;
    }
    for (i = 0; i < count; ++i) {
        call->flow[i].asked = flows[i];
    }
    gms_manager_post(ctx, sim->root->manager, gms_gate_origin(ctx),
                     gms_gate_clock(ctx), call);
    /* Signals that announce arriving messages also end the wait. The messages
     * remain in their queue, and every receive call checks the queue before it
     * waits. */
    while (!call->done) {
        gms_gate_run_events_until_signal(ctx, GMS_NEVER,
                                         "answer of the bandwidth manager");
    }
    return call;
}

static void gms_qos_end(struct gm_port *port, gms_qos_call_t *call)
{
    gms_sim_t *sim = port->sim;

    gms_arena_free(sim->ctx.arena, call);
    gms_sim_end(sim, sim->root->params.host_receive_ps);
}

void gms_qos_name_resource(const gms_root_t *root,
                           const gms_qos_verdict_t *verdict,
                           char place[GM_QOS_PLACE_LEN])
{
    unsigned node, number;

    switch (verdict->criterion) {
    case GMS_QOS_OK:
        place[0] = '\0';
        break;
    case GMS_QOS_SOURCE_NODE:
    case GMS_QOS_DESTINATION_NODE:
        snprintf(place, GM_QOS_PLACE_LEN, "node %u", verdict->resource + 1);
        break;
    case GMS_QOS_SOURCE_PROCESS:
    case GMS_QOS_DESTINATION_PROCESS:
        gms_account_process_at(&root->params, verdict->resource, &node,
                               &number);
        snprintf(place, GM_QOS_PLACE_LEN, "node %u port %u", node + 1, number);
        break;
    case GMS_QOS_LINK:
    case GMS_QOS_BUFFER:
        gms_topology_link_name(gms_fabric_topology(root->fabric),
                               verdict->resource, place, GM_QOS_PLACE_LEN);
        break;
    case GMS_QOS_DELAY:
    case GMS_QOS_JITTER:
    case GMS_QOS_LATENCY:
        snprintf(place, GM_QOS_PLACE_LEN, "flow from node %u to node %u",
                 verdict->victim_node + 1,
                 (unsigned)verdict->victim.target_node + 1);
        break;
    }
}

enum gm_qos_criterion gms_qos_public_criterion(enum gms_qos_criterion criterion)
{
    switch (criterion) {
    case GMS_QOS_OK:
        return GM_QOS_OK;
    case GMS_QOS_SOURCE_NODE:
        return GM_QOS_SOURCE_NODE;
    case GMS_QOS_LINK:
        return GM_QOS_LINK;
    case GMS_QOS_DESTINATION_NODE:
        return GM_QOS_DESTINATION_NODE;
    case GMS_QOS_SOURCE_PROCESS:
        return GM_QOS_SOURCE_PROCESS;
    case GMS_QOS_DESTINATION_PROCESS:
        return GM_QOS_DESTINATION_PROCESS;
    case GMS_QOS_BUFFER:
        return GM_QOS_BUFFER;
    case GMS_QOS_DELAY:
        return GM_QOS_DELAY;
    case GMS_QOS_JITTER:
        return GM_QOS_JITTER;
    case GMS_QOS_LATENCY:
        return GM_QOS_LATENCY;
    }
    return GM_QOS_OK;
}

static double gms_qos_seconds(gms_time_t time_ps)
{
    return (double)time_ps / 1e12;
}

/* If a request was denied because of the flow's own delay or jitter, store the
 * smallest bound that would be granted. */
static void gms_qos_fill_least(const struct gm_port *port,
                               const gms_qos_verdict_t *verdict,
                               const gms_flow_key_t *key,
                               gm_qos_answer_t *answer)
{
    if (!gms_qos_breaks_own_bound(verdict, port->node, key)) {
        return;
    }
    if (verdict->criterion == GMS_QOS_DELAY) {
        answer->delay_s = gms_qos_seconds(verdict->bounds.delay_ps);
    } else if (verdict->criterion == GMS_QOS_JITTER) {
        answer->jitter_s = gms_qos_seconds(verdict->bounds.jitter_ps);
    }
}

static void gms_qos_fill_bounds(const gms_qos_bounds_t *bounds,
                                gm_qos_answer_t *answer)
{
    answer->latency_s = gms_qos_seconds(bounds->latency_ps);
    answer->delay_s = gms_qos_seconds(bounds->delay_ps);
    answer->jitter_s = gms_qos_seconds(bounds->jitter_ps);
    answer->burst_bytes = bounds->burst_bytes;
}

/* Return 1 if traffic without a request can break a grant to a flow of this
 * class. */
static int gms_qos_is_declared_only(const struct gm_port *port,
                                    enum gm_qos_class qos_class)
{
    return qos_class == GM_QOS_PREMIUM &&
           port->sim->root->params.undeclared == GMS_UNDECLARED_FREE;
}

/* Find a flow in the master's account. Returns NULL if the account does not
 * contain the flow. */
static const gms_grant_t *gms_qos_find_promise(const struct gm_port *port,
                                               const gms_flow_key_t *key)
{
    const gms_account_t *account =
        gms_manager_account(port->sim->root->manager);

    return account != NULL ? gms_account_find(account, port->node, key) : NULL;
}

/* Store the delay bound of the reverse traffic in the answer. The master's
 * answer has no field for this bound, so the function reads it from the
 * master's account, as gm_qos_get_flow() does. */
static void gms_qos_fill_reverse(const struct gm_port *port,
                                 const gms_flow_key_t *key,
                                 gm_qos_answer_t *answer)
{
    const gms_grant_t *grant = gms_qos_find_promise(port, key);

    if (grant != NULL) {
        answer->reverse_delay_s =
            gms_qos_seconds(gms_account_reverse_delay(grant));
    }
}

/* Set the fields of the answer for one flow of a request. If the request is
 * denied, only the answer for one flow contains the reason. */
static void gms_qos_fill_answer(const struct gm_port *port,
                                const gms_qos_call_t *call, unsigned number,
                                gm_qos_answer_t *answer)
{
    gms_qos_verdict_t verdict = call->verdict;
    const gms_flow_key_t *key = &call->flow[number].asked.key;
    const gms_qos_outcome_t *after = &call->flow[number].after;

    memset(answer, 0, sizeof(*answer));
    answer->granted = verdict.criterion == GMS_QOS_OK;
    if (!answer->granted && verdict.request != number) {
        memset(&verdict, 0, sizeof(verdict));
    }
    answer->qos_class = gms_qos_public_class(after->qos_class);
    answer->idt_ticks = after->idt_ticks;
    answer->bandwidth_bytes_s = after->bandwidth_bytes_s;
    if (answer->granted) {
        gms_qos_fill_bounds(&after->bounds, answer);
        gms_qos_fill_reverse(port, key, answer);
        answer->declared_only =
            gms_qos_is_declared_only(port, answer->qos_class);
    } else {
        gms_qos_fill_least(port, &verdict, key, answer);
    }
    answer->criterion = gms_qos_public_criterion(verdict.criterion);
    gms_qos_name_resource(port->sim->root, &verdict, answer->place);
    if (gms_qos_lacks_bounds(&verdict, port->node, key)) {
        answer->place[0] = '\0';
    }
    answer->left_bytes_s = verdict.left_bytes_s;
}

/* Record that the flow may have a reservation, which gm_close() must then
 * release. */
static gm_status_t gms_qos_hold(struct gm_port *port, const gms_flow_key_t *key)
{
    gms_held_flow_t *held;

    for (held = port->held; held != NULL; held = held->next) {
        if (memcmp(&held->key, key, sizeof(*key)) == 0) {
            return GM_SUCCESS;
        }
    }
    held = calloc(1, sizeof(*held));
    if (held == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    held->key = *key;
    held->next = port->held;
    port->held = held;
    return GM_SUCCESS;
}

/* Return 1 if the value is a fraction, 0 .. 1. The comparisons are written so
 * that the result for a NaN is 0. */
static int gms_qos_is_part(double value)
{
    return value >= 0 && isfinite(value);
}

static int gms_qos_is_delay(double seconds)
{
    return seconds >= 0 && seconds <= GM_QOS_MAX_DELAY_S;
}

/* Convert a bound from seconds to picoseconds. The result is at least 1 ps if a
 * bound is requested, because 0 means that no bound is requested. */
static gms_time_t gms_qos_time(double seconds)
{
    double time_ps = floor(seconds * 1e12 + 0.5);

    return seconds > 0 && time_ps < 1 ? 1 : (gms_time_t)time_ps;
}

static gms_qos_shape_t gms_qos_shape(const gm_qos_request_t *request)
{
    return (gms_qos_shape_t){
        .message_bytes = request->message_bytes,
        .burst_bytes = request->burst_bytes,
        .delay_ps = gms_qos_time(request->delay_s),
        .jitter_ps = gms_qos_time(request->jitter_s),
    };
}

static gm_status_t gms_qos_flow(const struct gm_port *port,
                                const gm_qos_request_t *request,
                                gms_flow_request_t *flow)
{
    int is_premium = request->qos_class == GM_QOS_PREMIUM;

    memset(flow, 0, sizeof(*flow));
    flow->source_node = port->node;
    flow->rank = port->sim->launch.rank;
    if ((!is_premium && request->qos_class != GM_QOS_BEST_EFFORT) ||
        !gms_qos_is_part(request->reverse_bytes_s) ||
        !gms_qos_is_part(request->source_load) ||
        !gms_qos_is_part(request->target_load) ||
        (is_premium && (!gms_qos_is_delay(request->delay_s) ||
                        !gms_qos_is_delay(request->jitter_s))) ||
        (is_premium && (!(request->bandwidth_bytes_s > 0) ||
                        !isfinite(request->bandwidth_bytes_s)))) {
        return GM_INVALID_PARAMETER;
    }
    flow->qos_class = is_premium ? GMS_QOS_PREMIUM : GMS_QOS_BEST_EFFORT;
    flow->bytes_s = is_premium ? request->bandwidth_bytes_s : 0;
    flow->reverse_bytes_s = request->reverse_bytes_s;
    /* A load of 1000 is denied like any larger load, so this limit changes no
     * answer. */
    flow->load.source = (float)fmin(request->source_load, 1e3);
    flow->load.target = (float)fmin(request->target_load, 1e3);
    if (is_premium) {
        flow->shape = gms_qos_shape(request);
    }
    return gms_port_flow_key(port, &request->flow, &flow->key);
}

/* Convert a complete request to the manager's form. The array `flows' has room
 * for GM_QOS_MAX_REQUESTS elements. */
static gm_status_t gms_qos_flows(const struct gm_port *port,
                                 const gm_qos_request_t *requests,
                                 unsigned count, gms_flow_request_t *flows)
{
    unsigned i, other;

    if (!gms_port_is_open(port) || requests == NULL || count == 0 ||
        count > GM_QOS_MAX_REQUESTS) {
        return GM_INVALID_PARAMETER;
    }
    for (i = 0; i < count; ++i) {
        if (gms_qos_flow(port, &requests[i], &flows[i]) != GM_SUCCESS) {
            return GM_INVALID_PARAMETER;
        }
        for (other = 0; other < i; ++other) {
            if (memcmp(&flows[i].key, &flows[other].key,
                       sizeof(flows[i].key)) == 0) {
                return GM_INVALID_PARAMETER;
            }
        }
    }
    return gms_qos_check_pace(port);
}

gm_status_t gm_qos_request_all(struct gm_port *port,
                               const gm_qos_request_t *requests, unsigned count,
                               gm_qos_answer_t *answers)
{
    gms_flow_request_t flows[GM_QOS_MAX_REQUESTS];
    gms_qos_call_t *call;
    gm_status_t status = answers == NULL
                             ? GM_INVALID_PARAMETER
                             : gms_qos_flows(port, requests, count, flows);
    unsigned i;

    for (i = 0; status == GM_SUCCESS && i < count; ++i) {
        status = gms_qos_hold(port, &flows[i].key);
    }
    if (status != GM_SUCCESS) {
        return status;
    }
    call = gms_qos_ask(port, flows, count);
    if (call == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    status = gms_sim_status(call->status);
    for (i = 0; status == GM_SUCCESS && i < count; ++i) {
        gms_qos_fill_answer(port, call, i, &answers[i]);
    }
    gms_qos_end(port, call);
    return status;
}

gm_status_t gm_qos_request(struct gm_port *port, const gm_qos_flow_t *flow,
                           double bandwidth_bytes_s,
                           enum gm_qos_class qos_class, double reverse_bytes_s,
                           gm_qos_answer_t *answer)
{
    gm_qos_request_t request = {.bandwidth_bytes_s = bandwidth_bytes_s,
                                .qos_class = qos_class,
                                .reverse_bytes_s = reverse_bytes_s};

    if (flow == NULL) {
        return GM_INVALID_PARAMETER;
    }
    request.flow = *flow;
    return gm_qos_request_all(port, &request, 1, answer);
}

static gm_status_t gms_qos_release(struct gm_port *port,
                                   const gms_flow_key_t *key)
{
    gms_flow_request_t flow = {.source_node = port->node,
                               .rank = port->sim->launch.rank,
                               .key = *key,
                               .qos_class = GMS_QOS_UNMANAGED};
    gms_qos_call_t *call = gms_qos_ask(port, &flow, 1);
    gm_status_t status;

    if (call == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    status = gms_sim_status(call->status);
    gms_qos_end(port, call);
    return status;
}

gm_status_t gm_qos_release(struct gm_port *port, const gm_qos_flow_t *flow)
{
    gms_flow_key_t key;
    gms_held_flow_t **link;
    gm_status_t status = gms_port_flow_key(port, flow, &key);

    if (status != GM_SUCCESS) {
        return status;
    }
    status = gms_qos_release(port, &key);
    if (status != GM_SUCCESS) {
        return status;
    }
    for (link = &port->held; *link != NULL; link = &(*link)->next) {
        if (memcmp(&(*link)->key, &key, sizeof(key)) == 0) {
            gms_held_flow_t *held = *link;

            *link = held->next;
            free(held);
            break;
        }
    }
    return GM_SUCCESS;
}

void gms_qos_release_all(struct gm_port *port)
{
    gms_held_flow_t *held;

    for (held = port->held; held != NULL; held = held->next) {
        gms_qos_release(port, &held->key);
    }
    while (port->watches != NULL) {
        gm_qos_unwatch(port, port->watches->cookie);
    }
}

/* ---- Watches ----------------------------------------------------------- */

static gms_qos_watch_t *gms_qos_make_watch(struct gm_port *port,
                                           const gms_flow_request_t *flows,
                                           unsigned count)
{
    const gms_sim_t *sim = port->sim;
    gms_qos_watch_t *watch = gms_arena_alloc(
        sim->ctx.arena, sizeof(*watch) + count * sizeof(watch->flows[0]));

    if (watch == NULL) {
        return NULL;
    }
    watch->source_node = port->node;
    watch->port = port->number;
    watch->rank = sim->launch.rank;
    watch->cookie = port->driver->watches;
    watch->count = count;
    memcpy(watch->flows, flows, count * sizeof(flows[0]));
    return watch;
}

gm_status_t gm_qos_watch_room(struct gm_port *port,
                              const gm_qos_request_t *requests, unsigned count,
                              gm_qos_room_callback_t callback, void *context,
                              gm_u64_t *watch_p)
{
    gms_flow_request_t flows[GM_QOS_MAX_REQUESTS];
    gms_room_watch_t **link = NULL;
    gms_room_watch_t *room;
    gms_qos_watch_t *watch;
    gms_ctx_t *ctx;
    gm_status_t status = callback == NULL
                             ? GM_INVALID_PARAMETER
                             : gms_qos_flows(port, requests, count, flows);

    if (status != GM_SUCCESS) {
        return status;
    }
    room = calloc(1, sizeof(*room));
    if (room == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    ctx = &port->sim->ctx;
    gms_sim_begin_turn(port->sim);
    room->cookie = ++port->driver->watches;
    room->callback = callback;
    room->context = context;
    watch = gms_qos_make_watch(port, flows, count);
    if (watch != NULL) {
        for (link = &port->watches; *link != NULL; link = &(*link)->next) {
        }
        *link = room;
        gms_manager_post_watch(ctx, port->sim->root->manager,
                               gms_gate_origin(ctx), gms_gate_clock(ctx),
                               watch);
    }
    gms_sim_end(port->sim, port->sim->root->params.host_send_ps);
    if (watch == NULL) {
        free(room);
        return GM_OUT_OF_MEMORY;
    }
    if (watch_p != NULL) {
        *watch_p = room->cookie;
    }
    return GM_SUCCESS;
}

static gms_room_watch_t **gms_qos_find_watch(struct gm_port *port,
                                             uint64_t cookie)
{
    gms_room_watch_t **link = &port->watches;

    while (*link != NULL && (*link)->cookie != cookie) {
        link = &(*link)->next;
    }
    return link;
}

gm_status_t gm_qos_unwatch(struct gm_port *port, gm_u64_t watch)
{
    gms_room_watch_t **link;
    gms_room_watch_t *room;
    gms_ctx_t *ctx;

    if (!gms_port_is_open(port)) {
        return GM_INVALID_PARAMETER;
    }
    link = gms_qos_find_watch(port, watch);
    room = *link;
    if (room == NULL) {
        return GM_INVALID_PARAMETER;
    }
    *link = room->next;
    free(room);
    ctx = &port->sim->ctx;
    gms_sim_begin_turn(port->sim);
    gms_manager_post_unwatch(ctx, port->sim->root->manager,
                             gms_gate_origin(ctx), gms_gate_clock(ctx),
                             port->node, port->number, watch);
    gms_sim_end(port->sim, port->sim->root->params.host_send_ps);
    return GM_SUCCESS;
}

void gms_qos_told(struct gm_port *port, uint64_t cookie)
{
    gms_room_watch_t *room = *gms_qos_find_watch(port, cookie);

    if (room != NULL) { /* if no watch is found, the watch has ended in the
                         * meantime */
        room->is_told = 1;
    }
}

void gms_qos_run_told(struct gm_port *port)
{
    gms_room_watch_t **link;
    gms_room_watch_t told;

    while (gms_port_is_open(port)) { /* stop if a callback has closed the
                                      * port */
        for (link = &port->watches; *link != NULL && !(*link)->is_told;
             link = &(*link)->next) {
        }
        if (*link == NULL) {
            return;
        }
        told = **link;
        free(*link);
        *link = told.next;
        gms_sim_spend(port->sim, port->sim->root->params.host_callback_ps);
        told.callback(port, told.context);
    }
}

/* ---- State of a flow --------------------------------------------------- */

/* Copy the bounds that hold with the present reservations from the master's
 * account. */
static void gms_qos_fill_now(const struct gm_port *port,
                             const gms_flow_key_t *key,
                             gm_qos_flow_state_t *state)
{
    const gms_grant_t *grant = gms_qos_find_promise(port, key);

    if (grant != NULL && grant->qos_class == GMS_QOS_PREMIUM) {
        state->latency_s = gms_qos_seconds(grant->bounds.latency_ps);
        state->delay_s = gms_qos_seconds(grant->bounds.delay_ps);
        state->jitter_s = gms_qos_seconds(grant->bounds.jitter_ps);
        state->burst_bytes = grant->bounds.burst_bytes;
        state->reverse_delay_s =
            gms_qos_seconds(gms_account_reverse_delay(grant));
    }
}

gm_status_t gm_qos_get_flow(struct gm_port *port, const gm_qos_flow_t *flow,
                            gm_qos_flow_state_t *state)
{
    gms_flow_key_t key;
    gms_flow_stats_t stats;
    const gms_grant_t *grant;
    gm_status_t status = gms_port_flow_key(port, flow, &key);

    if (status != GM_SUCCESS || state == NULL) {
        return GM_INVALID_PARAMETER;
    }
    memset(state, 0, sizeof(*state));
    gms_sim_begin_turn(port->sim);
    gms_nic_flow_stats(port->nic, &key, &stats);
    grant = gms_qos_grant(port, &key);
    state->idt_ticks = stats.idt_ticks;
    state->packets_sent = stats.packets_sent;
    state->bytes_sent = stats.bytes_sent;
    if (grant != NULL) {
        state->qos_class = gms_qos_public_class(grant->qos_class);
        state->bandwidth_bytes_s = grant->bandwidth_bytes_s;
        gms_qos_fill_now(port, &key, state);
        state->declared_only = gms_qos_is_declared_only(port, state->qos_class);
    } else {
        state->qos_class =
            stats.idt_ticks > 0 ? GM_QOS_FIXED : GM_QOS_UNMANAGED;
    }
    if (stats.is_measured) {
        state->worst_delay_s = gms_qos_seconds(stats.worst_delay_ps);
        state->worst_exchange_s = gms_qos_seconds(stats.worst_exchange_ps);
        state->messages_measured = stats.messages_measured;
        state->messages_beyond = stats.messages_beyond;
    }
    gms_sim_end(port->sim, port->sim->root->params.host_clock_read_ps);
    return GM_SUCCESS;
}

const char *gm_qos_class_name(enum gm_qos_class qos_class)
{
    switch (qos_class) {
    case GM_QOS_UNMANAGED:
        return "unmanaged";
    case GM_QOS_PREMIUM:
        return "premium";
    case GM_QOS_BEST_EFFORT:
        return "best effort";
    case GM_QOS_FIXED:
        return "fixed";
    }
    return "unknown";
}

_Static_assert((int)GM_QOS_LINK == (int)GMS_QOS_LINK &&
                   (int)GM_QOS_BUFFER == (int)GMS_QOS_BUFFER &&
                   (int)GM_QOS_LATENCY == (int)GMS_QOS_LATENCY,
               "both enums must list the criteria in the same order");

const char *gm_qos_criterion_name(enum gm_qos_criterion criterion)
{
    const char *name =
        gms_qos_criterion_name((enum gms_qos_criterion)criterion);

    if (criterion == GM_QOS_OK) {
        return "none";
    }
    return name != NULL ? name : "unknown";
}
