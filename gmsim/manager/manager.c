/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the managers, accepts calls of GM processes (requests, watches), and
 * releases the flows of ranks and hosts that leave or die. manager_node.c and
 * manager_master.c process the calls.
 */
#include "manager/manager.h"

#include "engine/gate.h"
#include "manager/manager_int.h"

/* ---- creation and destruction ---- */

static void gms_agent_cleanup(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_master_destroy(ctx, agent);
    gms_agent_close(ctx, agent);
}

static gms_status_t gms_agent_init(gms_ctx_t *ctx, gms_manager_t *manager,
                                   uint32_t host)
{
    gms_agent_t *agent = &manager->agents[host];
    gms_status_t status;

    agent->manager = manager;
    agent->host = host;
    agent->nic = manager->nics[host];
    agent->timer_ps = GMS_NEVER;
    status = gms_agent_open(ctx, agent);
    if (status == GMS_OK && gms_manager_master_of(manager, 0) == host) {
        status = gms_master_create(ctx, agent);
        if (status != GMS_OK) {
            gms_agent_cleanup(ctx, agent);
        }
    }
    return status;
}

static gms_status_t gms_manager_init_agents(gms_ctx_t *ctx,
                                            gms_manager_t *manager)
{
    gms_status_t status = GMS_OK;
    uint32_t host;

    for (host = 0; host < manager->hosts; ++host) {
        status = gms_agent_init(ctx, manager, host);
        if (status != GMS_OK) {
            break;
        }
    }
    while (status != GMS_OK && host > 0) {
        gms_agent_cleanup(ctx, &manager->agents[--host]);
    }
    return status;
}

gms_status_t gms_manager_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                gms_nic_t *const *nics,
                                const gms_params_t *params,
                                gms_manager_t **manager_p)
{
    gms_manager_t *manager;
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (params->qos_master > params->hosts) {
        return GMS_ERR_CONFIG;
    }
    manager = gms_arena_alloc(ctx->arena, sizeof(*manager));
    if (manager == NULL) {
        return status;
    }
    /* copy the parameters, because the caller's parameters may be outside the
     * arena */
    manager->params = *params;
    manager->fabric = fabric;
    manager->topology = gms_fabric_topology(fabric);
    manager->nics = nics;
    manager->nodes = gms_fabric_nodes(fabric);
    manager->hosts = (unsigned)params->hosts;
    manager->work_ps = params->qos_manager_ps;
    manager->timeout_ps = params->qos_master_timeout_us * GMS_US;
    manager->idle_ps =
        params->qos_work_conserving ? params->qos_idle_us * GMS_US : 0;
    manager->origin.id = GMS_ORIGIN_QOS;
    manager->agents =
        gms_arena_alloc(ctx->arena, manager->hosts * sizeof(*manager->agents));
    if (manager->agents != NULL) {
        status = gms_manager_init_agents(ctx, manager);
    }
    if (status != GMS_OK) {
        gms_arena_free(ctx->arena, manager->agents);
        gms_arena_free(ctx->arena, manager);
        return status;
    }
    *manager_p = manager;
    return GMS_OK;
}

void gms_manager_kill_node(gms_ctx_t *ctx, gms_manager_t *manager,
                           unsigned node)
{
    gms_agent_t *agent = &manager->agents[gms_manager_host(manager, node)];

    if (agent->dead) {
        return;
    }
    agent->dead = 1;
    gms_agent_cleanup(ctx, agent);
    gms_node_fail_calls(ctx, agent);
}

/* ---- requests ---- */

static gms_agent_t *gms_manager_agent(const gms_manager_t *manager,
                                      unsigned node)
{
    return &manager->agents[gms_manager_host(manager, node)];
}

static void gms_manager_on_local(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_qos_call_t *call = (gms_qos_call_t *)(uintptr_t)event->arg[0];
    gms_agent_t *agent = gms_manager_agent(event->object, call->source_node);
    gms_manager_item_t *item = gms_agent_alloc(ctx, sizeof(*item));

    item->kind = GMS_ITEM_CALL;
    item->u.call = call;
    gms_agent_put(ctx, agent, item);
}

static void gms_manager_on_watch(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_qos_watch_t *watch = (gms_qos_watch_t *)(uintptr_t)event->arg[0];
    gms_agent_t *agent = gms_manager_agent(event->object, watch->source_node);
    gms_manager_item_t *item = gms_agent_alloc(ctx, sizeof(*item));

    item->kind = GMS_ITEM_WATCH;
    item->u.watch = watch;
    gms_agent_put(ctx, agent, item);
}

static void gms_manager_on_unwatch(gms_ctx_t *ctx, const gms_event_t *event)
{
    unsigned node = (unsigned)(event->arg[0] >> 32);
    gms_manager_item_t *item = gms_agent_alloc(ctx, sizeof(*item));

    item->kind = GMS_ITEM_UNWATCH;
    item->u.unwatch.node = node;
    item->u.unwatch.port = (unsigned)event->arg[0];
    item->u.unwatch.cookie = event->arg[1];
    gms_agent_put(ctx, gms_manager_agent(event->object, node), item);
}

void gms_manager_register(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_QOS_ON_LOCAL] = gms_manager_on_local;
    ctx->handlers[GMS_QOS_ON_WATCH] = gms_manager_on_watch;
    ctx->handlers[GMS_QOS_ON_UNWATCH] = gms_manager_on_unwatch;
    ctx->handlers[GMS_QOS_ON_PORT] = gms_agent_on_port;
    ctx->handlers[GMS_QOS_ON_WORK] = gms_agent_on_work;
    ctx->handlers[GMS_QOS_ON_TIMER] = gms_term_on_timer;
    ctx->handlers[GMS_QOS_ON_IDLE] = gms_idle_on_look;
}

gms_qos_call_t *gms_qos_call_create(gms_arena_t *arena, unsigned source_node,
                                    unsigned rank, unsigned count)
{
    gms_qos_call_t *call =
        gms_arena_alloc(arena, sizeof(*call) + count * sizeof(call->flow[0]));
    unsigned i;

    if (call == NULL) {
        return NULL;
    }
    call->source_node = source_node;
    call->rank = rank;
    call->count = count;
    for (i = 0; i < count; ++i) {
        call->flow[i].asked.source_node = source_node;
        call->flow[i].asked.rank = rank;
    }
    return call;
}

void gms_manager_post(gms_ctx_t *ctx, gms_manager_t *manager,
                      gms_origin_t *origin, gms_time_t at_ps,
                      gms_qos_call_t *call)
{
    gms_engine_wait(ctx->engine, 1);
    gms_engine_schedule(ctx, origin, at_ps, GMS_QOS_ON_LOCAL, manager,
                        (uintptr_t)call, 0);
}

void gms_manager_post_watch(gms_ctx_t *ctx, gms_manager_t *manager,
                            gms_origin_t *origin, gms_time_t at_ps,
                            gms_qos_watch_t *watch)
{
    gms_engine_schedule(ctx, origin, at_ps, GMS_QOS_ON_WATCH, manager,
                        (uintptr_t)watch, 0);
}

void gms_manager_post_unwatch(gms_ctx_t *ctx, gms_manager_t *manager,
                              gms_origin_t *origin, gms_time_t at_ps,
                              unsigned source_node, unsigned port,
                              uint64_t cookie)
{
    gms_engine_schedule(ctx, origin, at_ps, GMS_QOS_ON_UNWATCH, manager,
                        (uint64_t)source_node << 32 | port, cookie);
}

/* ---- ranks that leave ---- */

/** Returns the current time of a rank. The clock of a leaving rank is ahead of
 * the latest event. */
static gms_time_t gms_manager_now(const gms_ctx_t *ctx, unsigned rank)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    if (ctx->gate != NULL && ctx->self_rank >= 0 &&
        (unsigned)ctx->self_rank == rank) {
        gms_time_t clock_ps = gms_gate_clock(ctx);

        now_ps = (clock_ps > now_ps) ? clock_ps : now_ps;
    }
    return now_ps;
}

static void gms_manager_release(gms_ctx_t *ctx, gms_agent_t *agent,
                                unsigned rank, gms_time_t now_ps)
{
    const gms_held_grant_t *held;

    for (held = agent->first_held; held != NULL; held = held->next) {
        gms_qos_call_t *call;

        if (held->grant.rank != rank) {
            continue;
        }
        call = gms_agent_create_call(ctx, held->grant.source_node, rank, 1);
        call->flow[0].asked.key = held->grant.key;
        call->flow[0].asked.qos_class = GMS_QOS_UNMANAGED;
        call->abandoned = 1; /* no process waits for the answer, so the manager
                              * itself must free the call */
        gms_manager_post(ctx, agent->manager, &agent->manager->origin, now_ps,
                         call);
    }
}

void gms_manager_release_rank(gms_ctx_t *ctx, gms_manager_t *manager,
                              unsigned rank)
{
    gms_time_t now_ps = gms_manager_now(ctx, rank);
    uint32_t host;

    for (host = 0; host < manager->hosts; ++host) {
        gms_agent_t *agent = &manager->agents[host];
        const gms_qos_watch_t *watch;

        if (agent->dead) {
            continue;
        }
        gms_manager_release(ctx, agent, rank, now_ps);
        for (watch = agent->watches.first; watch != NULL; watch = watch->next) {
            if (watch->rank == rank) {
                gms_manager_post_unwatch(ctx, manager, &manager->origin, now_ps,
                                         watch->source_node, watch->port,
                                         watch->cookie);
            }
        }
    }
}

/* ---- queries ---- */

const gms_grant_t *gms_manager_find(const gms_manager_t *manager,
                                    unsigned source_node,
                                    const gms_flow_key_t *key)
{
    const gms_held_grant_t *held = gms_held_find(
        gms_manager_agent(manager, source_node), source_node, key);

    return held != NULL ? &held->grant : NULL;
}

static const gms_agent_t *gms_manager_in_office(const gms_manager_t *manager)
{
    const gms_agent_t *found = NULL;
    uint32_t host;

    for (host = 0; host < manager->hosts; ++host) {
        const gms_agent_t *agent = &manager->agents[host];

        if (agent->master != NULL &&
            (found == NULL || agent->term > found->term)) {
            found = agent;
        }
    }
    return found;
}

const gms_account_t *gms_manager_account(const gms_manager_t *manager)
{
    const gms_agent_t *agent = gms_manager_in_office(manager);

    return agent != NULL ? gms_master_account(agent->master) : NULL;
}

unsigned gms_manager_master(const gms_manager_t *manager)
{
    const gms_agent_t *agent = gms_manager_in_office(manager);

    return agent != NULL ? agent->host : GMS_MANAGER_NO_HOST;
}
