/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the master's state machine: its queue of tasks, the messages that
 * it receives, the collection of grants after a takeover, and the loss of hosts
 * that no longer answer. The file manager_decide.c implements decisions, and
 * manager_change.c implements updates.
 */
#include "manager/manager_master.h"

#include <string.h>

static void gms_master_advance(gms_ctx_t *ctx, gms_agent_t *agent);

/* ---- tasks ---- */

void gms_task_free(gms_ctx_t *ctx, gms_master_task_t *task)
{
    if (task != NULL) {
        gms_arena_free(ctx->arena, task->record);
        gms_arena_free(ctx->arena, task);
    }
}

void gms_task_purge(gms_ctx_t *ctx, gms_task_queue_t *queue, unsigned keep,
                    uint32_t host, uint32_t number)
{
    gms_master_task_t *task = queue->first;
    gms_task_queue_t left = {NULL, NULL};

    while (task != NULL) {
        gms_master_task_t *next = task->next;

        if (keep > 0 || task->host != host || task->kind == GMS_TASK_DROP ||
            (number != 0 && task->number != number)) {
            gms_task_queue_put(&left, task);
        } else {
            gms_task_free(ctx, task);
        }
        keep -= keep > 0;
        task = next;
    }
    *queue = left;
}

static gms_master_task_t *gms_task_create(gms_ctx_t *ctx,
                                          enum gms_task_kind kind,
                                          uint32_t host, uint32_t number)
{
    gms_master_task_t *task = gms_agent_alloc(ctx, sizeof(*task));

    task->kind = (uint8_t)kind;
    task->host = host;
    task->number = number;
    return task;
}

static void gms_task_add(gms_ctx_t *ctx, gms_master_task_t *task,
                         const gms_manager_message_t *message)
{
    unsigned wanted = task->count + message->count;

    if (wanted > task->capacity) {
        gms_manager_record_t *bigger;

        task->capacity = 2 * wanted;
        bigger = gms_agent_alloc(ctx, task->capacity * sizeof(*bigger));
        if (task->count > 0) {
            memcpy(bigger, task->record, task->count * sizeof(*bigger));
        }
        gms_arena_free(ctx->arena, task->record);
        task->record = bigger;
    }
    if (message->count > 0) {
        memcpy(task->record + task->count, message->record,
               message->count * sizeof(*task->record));
    }
    task->count = wanted;
}

static void gms_master_queue(gms_ctx_t *ctx, gms_agent_t *agent,
                             gms_master_task_t *task)
{
    gms_task_queue_put(&agent->master->tasks, task);
    if (agent->master->state == GMS_MASTER_IDLE) {
        gms_master_advance(ctx, agent);
    }
}

/* ---- sequence of tasks ---- */

static void gms_master_end_task(gms_ctx_t *ctx, gms_agent_t *agent,
                                const gms_master_task_t *begun)
{
    gms_master_t *master = agent->master;

    if (master->tasks.first == begun) { /* the task is still first unless it was
                                         * a watch, which is no longer in the
                                         * queue */
        gms_task_free(ctx, gms_task_queue_take(&master->tasks));
    }
    if (master->frees) {
        gms_master_look_at_watches(ctx, agent);
    }
}

/* Executes one state after another until the master must wait for a host. */
static void gms_master_advance(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_master_t *master = agent->master;

    while (master->waiting == 0) {
        switch ((enum gms_master_state)master->state) {
        case GMS_MASTER_IDLE:
            if (master->tasks.first == NULL) {
                return;
            }
            if (master->tasks.first->kind == GMS_TASK_WATCH) {
                const gms_master_task_t *task = master->tasks.first;

                gms_master_begin(ctx, agent);
                gms_master_end_task(ctx, agent, task);
                break;
            }
            gms_master_begin(ctx, agent);
            master->state = GMS_MASTER_SLOWER;
            gms_master_begin_phase(ctx, agent, 0);
            break;
        case GMS_MASTER_COLLECT:
            master->state = GMS_MASTER_IDLE;
            break;
        case GMS_MASTER_SLOWER:
            master->state = GMS_MASTER_FASTER;
            gms_master_begin_phase(ctx, agent, 1);
            break;
        case GMS_MASTER_FASTER:
            master->state = GMS_MASTER_IDLE;
            gms_master_end_task(ctx, agent, master->tasks.first);
            break;
        }
    }
}

static void gms_master_answered(gms_ctx_t *ctx, gms_agent_t *agent,
                                uint32_t host)
{
    gms_master_t *master = agent->master;
    gms_manager_wait_t *wait = &master->peers[host].wait;

    if (wait->waits) {
        wait->waits = 0;
        --master->waiting;
        gms_master_advance(ctx, agent);
    }
}

/* ---- collection ---- */

/* Adopts the granted bandwidth of a flow that was being slowed down. After all
 * other flows have been handled, the flow's IDT is set to this bandwidth
 * again. */
static void gms_master_adopt(gms_ctx_t *ctx, gms_agent_t *agent,
                             const gms_manager_record_t *record)
{
    gms_master_t *master = agent->master;
    gms_grant_t grant = {
        .source_node = record->node,
        .key = record->key,
        .qos_class = (enum gms_qos_class)record->qos_class,
        .idt_ticks = record->idt_ticks,
        .bandwidth_bytes_s = record->bytes_s,
        .reverse_bytes_s = record->reverse_bytes_s,
        .load = record->load,
        .shape = gms_manager_unpack_shape(&record->u.shape),
        .rank = record->rank,
        .idle = (record->flags & GMS_RECORD_IDLE) != 0,
    };

    if ((record->flags & GMS_RECORD_TENTATIVE) &&
        record->qos_class == GMS_QOS_PREMIUM) {
        gms_manager_record_t restored = *record;

        grant.idt_ticks =
            gms_account_idt(&agent->manager->params, record->bytes_s);
        restored.idt_ticks = grant.idt_ticks;
        restored.flags = 0;
        /* the union contains a shape, because this record comes from a STATE
         * message */
        memset(&restored.u, 0, sizeof(restored.u));
        gms_change_put(ctx, &master->restore, &restored);
    }
    if (gms_account_adopt(master->account, &grant) != GMS_OK) {
        gms_fatal(
            ctx,
            "the arena is full: there is no room for a new master manager; set "
            "a larger arena_bytes in the cluster description");
    }
}

void gms_master_collect(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_master_t *master = agent->master;
    uint32_t host;

    master->state = GMS_MASTER_COLLECT;
    gms_task_queue_put(&master->tasks,
                       gms_task_create(ctx, GMS_TASK_SETTLE, agent->host, 0));
    for (host = 0; host < agent->manager->hosts; ++host) {
        gms_master_await(ctx, agent, host);
        if (host != agent->host) {
            gms_agent_say(ctx, agent, host, GMS_MANAGER_MASTER, 0, 0);
        }
    }
    gms_node_report(ctx, agent);
}

static void gms_master_ask_again(gms_ctx_t *ctx, gms_agent_t *agent,
                                 uint32_t host)
{
    gms_peer_t *peer = &agent->master->peers[host];

    if (peer->state != GMS_PEER_HERE && !peer->asked) {
        peer->asked = 1;
        gms_agent_say(ctx, agent, host, GMS_MANAGER_MASTER, peer->losses, 0);
    }
}

static void gms_master_on_state(gms_ctx_t *ctx, gms_agent_t *agent,
                                uint32_t from,
                                const gms_manager_message_t *message)
{
    gms_master_t *master = agent->master;
    gms_peer_t *peer = &master->peers[from];
    gms_master_task_t *task = peer->partial[0];
    unsigned i;

    if (task == NULL) {
        task = gms_task_create(ctx, GMS_TASK_JOIN, from, 0);
    }
    gms_task_add(ctx, task, message);
    peer->partial[0] = task;
    if (!(message->flags & GMS_MANAGER_LAST)) {
        return;
    }
    peer->partial[0] = NULL;
    if (message->number != peer->losses) {
        /* the host sent this message before it knew that the master considers
         * it lost */
        gms_task_free(ctx, task);
        gms_master_ask_again(ctx, agent, from);
    } else if (master->state == GMS_MASTER_COLLECT && peer->wait.waits) {
        for (i = 0; i < task->count; ++i) {
            gms_master_adopt(ctx, agent, &task->record[i]);
        }
        gms_task_free(ctx, task);
        gms_master_answered(ctx, agent, from);
    } else if (peer->state != GMS_PEER_HERE) {
        peer->state = GMS_PEER_HERE;
        peer->asked = 0;
        gms_master_queue(ctx, agent, task);
    } else {
        /* the grants of this host have already been collected */
        gms_task_free(ctx, task);
    }
}

/* ---- messages ---- */

static const uint8_t gms_task_of[] = {
    [GMS_MANAGER_REQUEST] = GMS_TASK_REQUEST,
    [GMS_MANAGER_ACTIVITY] = GMS_TASK_ACTIVITY,
    [GMS_MANAGER_WATCH] = GMS_TASK_WATCH,
    [GMS_MANAGER_UNWATCH] = GMS_TASK_UNWATCH,
};

static void gms_master_on_list(gms_ctx_t *ctx, gms_agent_t *agent,
                               uint32_t from,
                               const gms_manager_message_t *message)
{
    gms_peer_t *peer = &agent->master->peers[from];
    gms_master_task_t *task = peer->partial[1];

    if (task == NULL) {
        task =
            gms_task_create(ctx, (enum gms_task_kind)gms_task_of[message->kind],
                            from, message->number);
        task->losses = peer->losses;
    }
    gms_task_add(ctx, task, message);
    peer->partial[1] = task;
    if (message->flags & GMS_MANAGER_LAST ||
        message->kind == GMS_MANAGER_UNWATCH) {
        peer->partial[1] = NULL;
        gms_master_queue(ctx, agent, task);
    }
}

void gms_master_on_message(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                           const gms_manager_message_t *message)
{
    gms_master_t *master = agent->master;
    gms_peer_t *peer;

    if (master == NULL) {
        /* in the term of this message, this host is no longer the master */
        return;
    }
    peer = &master->peers[from];
    if (message->kind == GMS_MANAGER_STATE) {
        gms_master_on_state(ctx, agent, from, message);
    } else if (peer->state != GMS_PEER_HERE) {
        /* The host does not know that the master considers it lost. The host
         * must first report its grants. */
        gms_master_ask_again(ctx, agent, from);
    } else if (message->kind == GMS_MANAGER_ACK) {
        if (message->step == master->step) {
            gms_master_answered(ctx, agent, from);
        }
    } else {
        gms_master_on_list(ctx, agent, from, message);
    }
}

/* ---- lost and returned hosts ---- */

void gms_master_heard(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host)
{
    gms_manager_wait_t *wait = &agent->master->peers[host].wait;

    wait->since_ps = gms_engine_now(ctx->engine);
    wait->pinged = 0;
}

/* Marks a host as lost and removes its tasks. A host that returns repeats all
 * of its requests. */
void gms_master_lost(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                     int is_dead)
{
    gms_master_t *master = agent->master;
    gms_peer_t *peer = &master->peers[host];
    int is_busy = master->state == GMS_MASTER_SLOWER ||
                  master->state == GMS_MASTER_FASTER;
    uint8_t before = peer->state;

    peer->state = is_dead ? GMS_PEER_DEAD : GMS_PEER_LOST;
    peer->asked = 0;
    peer->wait.since_ps = gms_engine_now(ctx->engine);
    if (!is_dead) {
        gms_term_arm(ctx, agent,
                     peer->wait.since_ps + agent->manager->timeout_ps);
    }
    if (before != GMS_PEER_HERE) {
        return;
    }
    ++peer->losses;
    gms_task_free(ctx, peer->partial[0]);
    gms_task_free(ctx, peer->partial[1]);
    peer->partial[0] = NULL;
    peer->partial[1] = NULL;
    gms_task_purge(ctx, &master->tasks, is_busy ? 1 : 0, host, 0);
    gms_task_purge(ctx, &master->watches, 0, host, 0);
    gms_task_queue_put(&master->tasks,
                       gms_task_create(ctx, GMS_TASK_DROP, host, 0));
    if (peer->wait.waits) {
        gms_master_answered(ctx, agent, host);
    } else if (master->state == GMS_MASTER_IDLE) {
        gms_master_advance(ctx, agent);
    }
}

gms_time_t gms_master_on_timer(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_master_t *master = agent->master;
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_time_t next_ps = GMS_NEVER;
    uint32_t host;

    for (host = 0; host < agent->manager->hosts; ++host) {
        gms_peer_t *peer = &master->peers[host];
        gms_time_t at_ps = GMS_NEVER;

        if (peer->wait.waits) {
            at_ps = gms_wait_look(ctx, agent, host, &peer->wait);
            if (at_ps == 0) {
                gms_master_lost(ctx, agent, host, 0);
                at_ps = GMS_NEVER;
            }
        }
        if (peer->state == GMS_PEER_LOST) {
            at_ps = peer->wait.since_ps + agent->manager->timeout_ps;
            if (at_ps <= now_ps) {
                gms_master_ask_again(ctx, agent, host);
                at_ps = GMS_NEVER;
            }
        }
        next_ps = at_ps < next_ps ? at_ps : next_ps;
    }
    return next_ps;
}

/* ---- creation and destruction ---- */

gms_status_t gms_master_create(gms_ctx_t *ctx, gms_agent_t *agent)
{
    const gms_manager_t *manager = agent->manager;
    gms_master_t *master = gms_arena_alloc(
        ctx->arena,
        sizeof(*master) + manager->hosts * sizeof(master->peers[0]));
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (master != NULL) {
        status = gms_account_create(ctx->arena, manager->topology,
                                    &manager->params, &master->account);
    }
    if (status != GMS_OK) {
        gms_arena_free(ctx->arena, master);
        return status;
    }
    agent->master = master;
    return GMS_OK;
}

void gms_master_destroy(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_master_t *master = agent->master;
    uint32_t host;

    if (master == NULL) {
        return;
    }
    while (master->tasks.first != NULL || master->watches.first != NULL) {
        gms_task_queue_t *queue =
            master->tasks.first != NULL ? &master->tasks : &master->watches;

        gms_task_free(ctx, gms_task_queue_take(queue));
    }
    for (host = 0; host < agent->manager->hosts; ++host) {
        gms_task_free(ctx, master->peers[host].partial[0]);
        gms_task_free(ctx, master->peers[host].partial[1]);
        gms_change_clear(ctx, &master->peers[host].changes[0]);
        gms_change_clear(ctx, &master->peers[host].changes[1]);
    }
    gms_change_clear(ctx, &master->restore);
    gms_arena_free(ctx->arena, master->notes);
    gms_account_destroy(master->account);
    gms_arena_free(ctx->arena, master);
    agent->master = NULL;
}

const gms_account_t *gms_master_account(const gms_master_t *master)
{
    return master->account;
}
