/* SPDX-License-Identifier: BSD-3-Clause */
#include "qos/manager.h"

#include <string.h>

#include "engine/gate.h"

#define GMS_MANAGER_MASTER 0u

struct gms_manager {
    gms_account_t *account;
    gms_nic_t *const *nics; /* by node */
    gms_time_t work_ps, message_ps;
    gms_origin_t origin;
    unsigned nodes;
    gms_time_t *busy_until_ps; /* by node */
};

gms_status_t gms_manager_create(gms_ctx_t *ctx, const gms_fabric_t *fabric,
                                gms_nic_t *const *nics,
                                const gms_params_t *params,
                                gms_manager_t **manager_p)
{
    gms_manager_t *manager = gms_arena_alloc(ctx->arena, sizeof(*manager));
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (manager == NULL) {
        return status;
    }
    manager->nics = nics;
    manager->nodes = gms_fabric_nodes(fabric);
    manager->work_ps = params->qos_manager_ps;
    manager->message_ps = params->qos_message_ps;
    manager->origin.id = GMS_ORIGIN_QOS;
    manager->busy_until_ps = gms_arena_alloc(
        ctx->arena, manager->nodes * sizeof(*manager->busy_until_ps));
    if (manager->busy_until_ps == NULL) {
        goto err_manager;
    }
    status = gms_account_create(ctx, fabric, params, &manager->account);
    if (status != GMS_OK) {
        goto err_busy;
    }
    *manager_p = manager;
    return GMS_OK;

err_busy:
    gms_arena_free(ctx->arena, manager->busy_until_ps);
err_manager:
    gms_arena_free(ctx->arena, manager);
    return status;
}

const gms_account_t *gms_manager_account(const gms_manager_t *manager)
{
    return manager->account;
}

/**
 * The only way from one manager to another, and to the NICs and processes of a
 * node: here a real message can take the place of the fixed time.
 */
static void gms_manager_send(gms_ctx_t *ctx, gms_manager_t *manager,
                             unsigned from_node, unsigned to_node,
                             gms_time_t at_ps, uint32_t handler, void *object,
                             uint64_t arg0, uint64_t arg1)
{
    gms_time_t way_ps = (from_node == to_node) ? 0 : manager->message_ps;

    gms_engine_schedule(ctx, &manager->origin, at_ps + way_ps, handler, object,
                        arg0, arg1);
}

/** When a node's manager is done with work that arrives now. */
static gms_time_t gms_manager_work(gms_manager_t *manager, unsigned node,
                                   gms_time_t now_ps)
{
    gms_time_t *busy_until_ps = &manager->busy_until_ps[node];

    if (*busy_until_ps < now_ps) {
        *busy_until_ps = now_ps;
    }
    *busy_until_ps += manager->work_ps;
    return *busy_until_ps;
}

static gms_qos_call_t *gms_manager_call(const gms_event_t *event)
{
    return (gms_qos_call_t *)(uintptr_t)event->arg[0];
}

static void gms_manager_on_master(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_manager_t *manager = event->object;
    gms_time_t done_ps =
        gms_manager_work(manager, GMS_MANAGER_MASTER, event->time_ps);

    gms_engine_schedule(ctx, &manager->origin, done_ps, GMS_QOS_ON_DECIDE,
                        manager, event->arg[0], 0);
}

static void gms_manager_on_local(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_manager_t *manager = event->object;
    unsigned node = gms_manager_call(event)->source_node;

    if (node == GMS_MANAGER_MASTER) {
        gms_manager_on_master(ctx, event);
        return;
    }
    gms_manager_send(ctx, manager, node, GMS_MANAGER_MASTER,
                     gms_manager_work(manager, node, event->time_ps),
                     GMS_QOS_ON_MASTER, manager, event->arg[0], 0);
}

/* ---- IDTs on their way ---- */

/* Key and IDT travel inside the event, so that an update cannot fail for want
 * of memory after the account has changed. */
_Static_assert(sizeof(gms_flow_key_t) <= sizeof(uint64_t) + sizeof(uint32_t),
               "a flow's key and its IDT fit two words");

static uint64_t gms_manager_pack(const gms_flow_key_t *key)
{
    return (uint64_t)key->source_port | ((uint64_t)key->target_node << 16) |
           ((uint64_t)key->target_port << 32) |
           ((uint64_t)key->priority << 48);
}

static gms_flow_key_t gms_manager_unpack(uint64_t word, uint32_t label)
{
    gms_flow_key_t key = {.source_port = (uint16_t)word,
                          .target_node = (uint16_t)(word >> 16),
                          .target_port = (uint16_t)(word >> 32),
                          .priority = (uint16_t)(word >> 48),
                          .label = label};

    return key;
}

typedef struct gms_manager_update {
    gms_ctx_t *ctx;
    gms_manager_t *manager;
    gms_time_t now_ps;
} gms_manager_update_t;

static void gms_manager_idt_changed(void *context, const gms_grant_t *grant)
{
    const gms_manager_update_t *update = context;

    gms_manager_send(update->ctx, update->manager, GMS_MANAGER_MASTER,
                     grant->source_node, update->now_ps, GMS_QOS_ON_IDT,
                     update->manager->nics[grant->source_node],
                     gms_manager_pack(&grant->key),
                     ((uint64_t)grant->key.label << 32) | grant->idt_ticks);
}

static void gms_manager_on_idt(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_flow_key_t key =
        gms_manager_unpack(event->arg[0], (uint32_t)(event->arg[1] >> 32));
    gms_status_t status =
        gms_nic_set_idt(ctx, event->object, &key, (uint32_t)event->arg[1]);

    if (status != GMS_OK) {
        gms_fatal(ctx, "cannot set an inter-packet dispatch time: %s",
                  gms_status_text(status));
    }
}

/* ---- decision and answer ---- */

/** 1 if nobody waits for the answer. A process that was killed while it waited
 *  must not be granted what it can no longer release. */
static int gms_manager_is_given_up(const gms_ctx_t *ctx,
                                   const gms_qos_call_t *call)
{
    return call->abandoned ||
           ((ctx->gate != NULL) && !gms_gate_alive(ctx->gate, call->rank));
}

static void gms_manager_on_decide(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_manager_t *manager = event->object;
    gms_qos_call_t *call = gms_manager_call(event);
    gms_manager_update_t update = {ctx, manager, event->time_ps};
    const gms_grant_t *grant;

    memset(&call->verdict, 0, sizeof(call->verdict));
    if (call->qos_class == GMS_QOS_UNMANAGED) {
        (void)gms_account_release(ctx, manager->account, call->source_node,
                                  &call->key, gms_manager_idt_changed,
                                  &update);
        call->status = GMS_OK;
    } else if (!gms_manager_is_given_up(ctx, call)) {
        call->status = gms_account_request(
            ctx, manager->account, call->source_node, call->rank, &call->key,
            call->qos_class, call->bytes_s, call->reverse_bytes_s,
            gms_manager_idt_changed, &update, &call->verdict);
    }
    grant = gms_account_find(manager->account, call->source_node, &call->key);
    call->class_after = (grant != NULL) ? grant->qos_class : GMS_QOS_UNMANAGED;
    call->idt_after = (grant != NULL) ? grant->idt_ticks : 0;
    call->bandwidth_after = (grant != NULL) ? grant->bandwidth_bytes_s : 0;
    /* Sent after the updates, it arrives after them: events of one origin at
     * one time keep their order. */
    gms_manager_send(ctx, manager, GMS_MANAGER_MASTER, call->source_node,
                     event->time_ps, GMS_QOS_ON_ANSWER, manager,
                     event->arg[0], 0);
}

static void gms_manager_on_answer(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_qos_call_t *call = gms_manager_call(event);

    if (gms_manager_is_given_up(ctx, call)) {
        gms_arena_free(ctx->arena, call);
        return;
    }
    call->done = 1;
    gms_gate_signal(ctx, call->rank, event->time_ps);
}

void gms_manager_register(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_QOS_ON_LOCAL] = gms_manager_on_local;
    ctx->handlers[GMS_QOS_ON_MASTER] = gms_manager_on_master;
    ctx->handlers[GMS_QOS_ON_IDT] = gms_manager_on_idt;
    ctx->handlers[GMS_QOS_ON_ANSWER] = gms_manager_on_answer;
    ctx->handlers[GMS_QOS_ON_DECIDE] = gms_manager_on_decide;
}

/* ---- requests ---- */

void gms_manager_post(gms_ctx_t *ctx, gms_manager_t *manager,
                      gms_origin_t *origin, gms_time_t at_ps,
                      gms_qos_call_t *call)
{
    gms_engine_schedule(ctx, origin, at_ps, GMS_QOS_ON_LOCAL, manager,
                        (uint64_t)(uintptr_t)call, 0);
}

/** A rank that leaves has a clock of its own, ahead of the last event. */
static gms_time_t gms_manager_now(const gms_ctx_t *ctx, unsigned rank)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    if ((ctx->gate != NULL) && (ctx->self_rank >= 0) &&
        ((unsigned)ctx->self_rank == rank)) {
        gms_time_t clock_ps = gms_gate_clock(ctx);

        now_ps = (clock_ps > now_ps) ? clock_ps : now_ps;
    }
    return now_ps;
}

void gms_manager_release_rank(gms_ctx_t *ctx, gms_manager_t *manager,
                              unsigned rank)
{
    gms_time_t now_ps = gms_manager_now(ctx, rank);
    const gms_grant_t *grant;

    for (grant = gms_account_first(manager->account); grant != NULL;
         grant = grant->next) {
        gms_qos_call_t *call;

        if (grant->rank != rank) {
            continue;
        }
        call = gms_arena_alloc(ctx->arena, sizeof(*call));
        if (call == NULL) {
            gms_fatal(ctx, "no memory to release what rank %u held", rank);
        }
        call->source_node = grant->source_node;
        call->rank = rank;
        call->key = grant->key;
        call->qos_class = GMS_QOS_UNMANAGED;
        call->abandoned = 1; /* nobody waits: the manager frees it */
        gms_manager_post(ctx, manager, &manager->origin, now_ps, call);
    }
}
