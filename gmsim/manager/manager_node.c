/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements a host's manager, which handles the requests, grants and watches
 * of the host's processes. The manager keeps every request, grant and watch
 * until it ends, because a new master must be able to collect them.
 */
#include <string.h>

#include "engine/gate.h"
#include "manager/manager_int.h"

GMS_QUEUE_DEFINE(gms_call_queue, gms_call_queue_t, gms_qos_call_t, next);
GMS_QUEUE_DEFINE(gms_watch_queue, gms_watch_queue_t, gms_qos_watch_t, next);

static int gms_call_releases(const gms_qos_call_t *call)
{
    return call->flow[0].asked.qos_class == GMS_QOS_UNMANAGED;
}

/* Returns 1 if no process waits for the answer. A process that was killed while
 * it waited must not receive a grant that it can no longer release. */
static int gms_call_is_given_up(const gms_ctx_t *ctx,
                                const gms_qos_call_t *call)
{
    return call->abandoned || (call->handler == 0 && ctx->gate != NULL &&
                               !gms_gate_alive(ctx->gate, call->rank));
}

/* Copies the current grants of a call's flows, with the IDTs in force, to the
 * field `after' of each flow. */
static void gms_call_fill_after(const gms_agent_t *agent, gms_qos_call_t *call)
{
    unsigned i;

    for (i = 0; i < call->count; ++i) {
        gms_qos_part_t *flow = &call->flow[i];
        const gms_held_grant_t *held =
            gms_held_find(agent, call->source_node, &flow->asked.key);

        memset(&flow->after, 0, sizeof(flow->after));
        if (held != NULL) {
            flow->after.qos_class = held->grant.qos_class;
            flow->after.idt_ticks = held->grant.idt_ticks;
            flow->after.bandwidth_bytes_s = held->grant.bandwidth_bytes_s;
            flow->after.bounds = held->grant.bounds;
        }
    }
}

/* Answers a call. Every call of a process ends with this function. */
static void gms_call_answer(gms_ctx_t *ctx, gms_agent_t *agent,
                            gms_qos_call_t *call)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    gms_engine_wait(ctx->engine, -1);
    if (gms_call_is_given_up(ctx, call)) {
        gms_arena_free(ctx->arena, call);
        return;
    }
    gms_call_fill_after(agent, call);
    call->done = 1;
    if (call->handler != 0) {
        gms_engine_schedule(ctx, &agent->manager->origin, now_ps, call->handler,
                            call->object, (uintptr_t)call, 0);
    } else {
        gms_gate_signal(ctx, call->rank, now_ps);
    }
}

void gms_node_fail(gms_ctx_t *ctx, gms_agent_t *agent, gms_qos_call_t *call)
{
    call->status = GMS_ERR_PEER_DIED;
    gms_call_answer(ctx, agent, call);
}

void gms_node_fail_calls(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_qos_call_t *call;

    while ((call = gms_call_queue_take(&agent->calls)) != NULL) {
        gms_node_fail(ctx, agent, call);
    }
    agent->filled = NULL;
}

/* ---- requests ---- */

static void gms_node_send_call(gms_ctx_t *ctx, gms_agent_t *agent,
                               const gms_qos_call_t *call)
{
    gms_manager_list_t list;
    unsigned i;

    gms_list_begin(&list, ctx, agent,
                   gms_manager_master_of(agent->manager, agent->term),
                   GMS_MANAGER_REQUEST, call->number);
    for (i = 0; i < call->count; ++i) {
        gms_manager_record_t record =
            gms_record_of_request(&call->flow[i].asked);

        gms_list_add(&list, &record);
    }
    gms_list_end(&list, 0);
}

/* Releases the flows before the master receives the release message. The master
 * then grants the bandwidth of the released flows to other flows. Therefore the
 * released flows must stop using the bandwidth first, even if another master
 * takes over. */
static void gms_node_give_back(gms_ctx_t *ctx, gms_agent_t *agent,
                               const gms_qos_call_t *call)
{
    unsigned i;

    for (i = 0; i < call->count; ++i) {
        gms_held_grant_t *held =
            gms_held_find(agent, call->source_node, &call->flow[i].asked.key);

        if (held != NULL) {
            gms_held_set_idt(ctx, agent, held, 0);
            gms_held_remove(ctx, agent, held);
        }
    }
}

void gms_node_take_call(gms_ctx_t *ctx, gms_agent_t *agent,
                        gms_qos_call_t *call)
{
    call->number = ++agent->next_number;
    if (gms_call_releases(call)) {
        gms_node_give_back(ctx, agent, call);
    } else if (gms_call_is_given_up(ctx, call)) {
        gms_call_answer(ctx, agent, call);
        return;
    }
    gms_call_queue_put(&agent->calls, call);
    if (agent->calls.first == call) {
        gms_term_wait(ctx, agent);
    }
    gms_node_send_call(ctx, agent, call);
}

/* ---- updates and decisions ---- */

/* Applies the master's data for one flow of this host. */
static void gms_node_apply(gms_ctx_t *ctx, gms_agent_t *agent,
                           gms_held_grant_t *held,
                           const gms_manager_record_t *record)
{
    held->tentative = (record->flags & GMS_RECORD_TENTATIVE) != 0;
    gms_held_set_idt(ctx, agent, held, record->idt_ticks);
    if (held->tentative) {
        return; /* the flow keeps its former grant until the decision */
    }
    held->grant.bounds = gms_manager_unpack_bounds(&record->u.bounds);
    gms_held_set_class(ctx, agent, held, record->qos_class);
    held->grant.bandwidth_bytes_s = record->bytes_s;
    held->grant.reverse_bytes_s = record->reverse_bytes_s;
    held->grant.load = record->load;
    held->grant.rank = record->rank;
    held->grant.idle = (record->flags & GMS_RECORD_IDLE) != 0;
    gms_held_promise(ctx, agent, held);
    gms_idle_begin(ctx, agent);
}

static void gms_node_reply(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                           const gms_manager_message_t *message)
{
    if (message->flags & GMS_MANAGER_REPLY) {
        gms_manager_message_t reply = {.kind = GMS_MANAGER_ACK,
                                       .step = message->step};

        gms_agent_send(ctx, agent, from, &reply);
    }
}

/* Applies an UPDATE message from the master. The function ignores an update of
 * a flow that has been released in the meantime. */
void gms_node_on_update(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                        const gms_manager_message_t *message)
{
    unsigned i;

    for (i = 0; i < message->count; ++i) {
        const gms_manager_record_t *record = &message->record[i];
        gms_held_grant_t *held =
            gms_held_find(agent, record->node, &record->key);

        if (held != NULL) {
            gms_node_apply(ctx, agent, held, record);
        }
    }
    gms_node_reply(ctx, agent, from, message);
}

/* Finds the call to which a decision belongs. @return the call; NULL if it has
 * already been answered */
static gms_qos_call_t *gms_node_find_call(gms_agent_t *agent, uint32_t number)
{
    gms_qos_call_t *call = agent->calls.first;

    while (call != NULL && call->number != number) {
        call = call->next;
    }
    return call;
}

static void gms_node_remove_call(gms_agent_t *agent, gms_qos_call_t *call)
{
    (void)gms_call_queue_remove(&agent->calls, call);
    if (agent->calls.first == NULL) {
        gms_term_wait_over(agent);
    }
}

/* Releases the grants of a call if no process is waiting for the call any
 * longer. */
static void gms_node_return(gms_ctx_t *ctx, gms_agent_t *agent,
                            const gms_qos_call_t *call)
{
    gms_qos_call_t *release =
        gms_agent_create_call(ctx, call->source_node, call->rank, call->count);
    unsigned i;

    release->abandoned = 1;
    for (i = 0; i < call->count; ++i) {
        release->flow[i].asked.key = call->flow[i].asked.key;
        release->flow[i].asked.qos_class = GMS_QOS_UNMANAGED;
    }
    gms_engine_wait(ctx->engine, 1);
    gms_node_take_call(ctx, agent, release);
}

static void gms_node_end_call(gms_ctx_t *ctx, gms_agent_t *agent,
                              gms_qos_call_t *call,
                              const gms_manager_message_t *message)
{
    int is_granted =
        message->status == GMS_OK && message->criterion == GMS_QOS_OK;

    call->status = (gms_status_t)message->status;
    call->verdict.criterion = (enum gms_qos_criterion)message->criterion;
    call->verdict.resource = message->resource;
    call->verdict.left_bytes_s = message->left_bytes_s;
    call->verdict.request = message->denied;
    if (gms_qos_has_victim(call->verdict.criterion)) {
        call->verdict.victim = message->record[0].key;
        call->verdict.victim_node = message->record[0].node;
        call->verdict.bounds =
            gms_manager_unpack_bounds(&message->record[0].u.bounds);
    }
    gms_node_remove_call(agent, call);
    if (is_granted && !gms_call_releases(call) &&
        gms_call_is_given_up(ctx, call)) {
        gms_node_return(ctx, agent, call);
    }
    gms_call_answer(ctx, agent, call);
}

/* Stores a part of a decision in the flows of the call until the list is
 * complete. The NICs must not apply an incomplete list, because a decision
 * applies to all flows or none. */
static void gms_node_keep(gms_agent_t *agent, gms_qos_call_t *call,
                          const gms_manager_message_t *message)
{
    unsigned i;

    if (agent->filled != call) {
        agent->filled = call;
        agent->filled_count = 0;
    }
    for (i = 0; i < message->count && agent->filled_count < call->count; ++i) {
        const gms_manager_record_t *record = &message->record[i];

        call->flow[agent->filled_count++].after = (gms_qos_outcome_t){
            .qos_class = (enum gms_qos_class)record->qos_class,
            .idt_ticks = record->idt_ticks,
            .bandwidth_bytes_s = record->bytes_s,
            .bounds = gms_manager_unpack_bounds(&record->u.bounds),
        };
    }
}

/* Returns the load that the account charges to the processes of a flow. */
static gms_qos_load_t gms_node_load(const gms_qos_part_t *flow)
{
    const gms_flow_request_t *asked = &flow->asked;
    double granted = flow->after.bandwidth_bytes_s;
    gms_qos_load_t load = {0, 0};

    if (flow->after.qos_class == GMS_QOS_PREMIUM) {
        load.source =
            gms_account_load(asked->load.source, asked->bytes_s, granted);
        load.target =
            gms_account_load(asked->load.target, asked->bytes_s, granted);
    }
    return load;
}

static void gms_node_apply_decision(gms_ctx_t *ctx, gms_agent_t *agent,
                                    const gms_qos_call_t *call)
{
    unsigned i;

    for (i = 0; i < call->count; ++i) {
        const gms_qos_part_t *flow = &call->flow[i];
        gms_manager_record_t record = gms_record_of_request(&flow->asked);
        gms_held_grant_t *held =
            gms_held_get(ctx, agent, record.node, &record.key);

        record.qos_class = (uint8_t)flow->after.qos_class;
        record.idt_ticks = flow->after.idt_ticks;
        record.bytes_s = flow->after.bandwidth_bytes_s;
        record.load = gms_node_load(flow);
        record.u.bounds = gms_manager_pack_bounds(&flow->after.bounds);
        held->grant.shape = flow->asked.shape;
        gms_node_apply(ctx, agent, held, &record);
        held->is_idle = 0;
    }
}

void gms_node_on_decision(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                          const gms_manager_message_t *message)
{
    gms_qos_call_t *call = gms_node_find_call(agent, message->number);

    if (call != NULL) {
        int is_granted = message->criterion == GMS_QOS_OK;

        if (is_granted) {
            gms_node_keep(agent, call, message);
        }
        if (message->flags & GMS_MANAGER_LAST) {
            agent->filled = NULL;
            if (is_granted && message->count > 0) {
                gms_node_apply_decision(ctx, agent, call);
            }
            gms_node_end_call(ctx, agent, call, message);
        }
    }
    gms_node_reply(ctx, agent, from, message);
}

/* ---- watches ---- */

static void gms_node_send_watch(gms_ctx_t *ctx, gms_agent_t *agent,
                                const gms_qos_watch_t *watch)
{
    gms_manager_list_t list;
    unsigned i;

    gms_list_begin(&list, ctx, agent,
                   gms_manager_master_of(agent->manager, agent->term),
                   GMS_MANAGER_WATCH, watch->number);
    for (i = 0; i < watch->count; ++i) {
        gms_manager_record_t record = gms_record_of_request(&watch->flows[i]);

        gms_list_add(&list, &record);
    }
    gms_list_end(&list, 0);
}

void gms_node_take_watch(gms_ctx_t *ctx, gms_agent_t *agent,
                         gms_qos_watch_t *watch)
{
    if (watch->handler == 0 && ctx->gate != NULL &&
        !gms_gate_alive(ctx->gate, watch->rank)) {
        gms_arena_free(ctx->arena, watch);
        return;
    }
    watch->number = ++agent->next_number;
    gms_watch_queue_put(&agent->watches, watch);
    gms_node_send_watch(ctx, agent, watch);
}

void gms_node_take_unwatch(gms_ctx_t *ctx, gms_agent_t *agent, unsigned node,
                           unsigned port, uint64_t cookie)
{
    gms_qos_watch_t *watch = agent->watches.first;

    while (watch != NULL && !(watch->source_node == node &&
                              watch->port == port && watch->cookie == cookie)) {
        watch = watch->next;
    }
    if (watch == NULL) {
        return; /* the notice has already been sent */
    }
    gms_agent_say(ctx, agent,
                  gms_manager_master_of(agent->manager, agent->term),
                  GMS_MANAGER_UNWATCH, watch->number, 0);
    (void)gms_watch_queue_remove(&agent->watches, watch);
    gms_arena_free(ctx->arena, watch);
}

void gms_node_on_room(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t number)
{
    gms_qos_watch_t *watch = agent->watches.first;

    while (watch != NULL && watch->number != number) {
        watch = watch->next;
    }
    if (watch == NULL) {
        return;
    }
    if (watch->handler != 0) {
        gms_engine_schedule(ctx, &agent->manager->origin,
                            gms_engine_now(ctx->engine), watch->handler,
                            watch->object, watch->cookie, 0);
    } else {
        gms_nic_notify(ctx, agent->manager->nics[watch->source_node],
                       watch->port, watch->rank, watch->cookie);
    }
    (void)gms_watch_queue_remove(&agent->watches, watch);
    gms_arena_free(ctx->arena, watch);
}

/* ---- a new master ---- */

void gms_node_report(gms_ctx_t *ctx, gms_agent_t *agent)
{
    const gms_held_grant_t *held;
    const gms_qos_call_t *call;
    const gms_qos_watch_t *watch;
    gms_manager_list_t list;

    agent->filled = NULL;
    gms_list_begin(&list, ctx, agent,
                   gms_manager_master_of(agent->manager, agent->term),
                   GMS_MANAGER_STATE, agent->report);
    for (held = agent->first_held; held != NULL; held = held->next) {
        gms_manager_record_t record;

        gms_held_record(held, &record);
        gms_list_add(&list, &record);
    }
    gms_list_end(&list, 0);
    for (call = agent->calls.first; call != NULL; call = call->next) {
        gms_node_send_call(ctx, agent, call);
    }
    for (watch = agent->watches.first; watch != NULL; watch = watch->next) {
        gms_node_send_watch(ctx, agent, watch);
    }
}

void gms_node_on_master(gms_ctx_t *ctx, gms_agent_t *agent,
                        const gms_manager_message_t *message)
{
    if (message->number > agent->report) {
        agent->report = message->number;
        gms_node_report(ctx, agent);
    }
}
