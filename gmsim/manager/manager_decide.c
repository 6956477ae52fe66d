/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executes the master's tasks on the account: requests, releases, watches and
 * reports of idle flows.
 */
#include <string.h>

#include "manager/manager_master.h"

/* ---- changes to the account ---- */

static void gms_master_release(gms_ctx_t *ctx, gms_agent_t *agent,
                               const gms_master_task_t *task)
{
    gms_master_note_t note = {ctx, agent->master};
    unsigned i;

    for (i = 0; i < task->count; ++i) {
        (void)gms_account_release(agent->master->account, task->record[i].node,
                                  &task->record[i].key, gms_master_note, &note);
    }
    agent->master->frees = 1;
}

/* Marks the flows of a task as idle or active. A flow is idle if its record has
 * one of the flags in the mask. If the mask is 0, all flows become active,
 * because a flow that is requested again is active. */
static void gms_master_set_idle(gms_ctx_t *ctx, gms_agent_t *agent,
                                const gms_master_task_t *task, unsigned mask)
{
    gms_master_note_t note = {ctx, agent->master};
    unsigned i;

    for (i = 0; i < task->count; ++i) {
        (void)gms_account_set_idle(
            agent->master->account, task->record[i].node, &task->record[i].key,
            (int)(task->record[i].flags & mask), gms_master_note, &note);
    }
}

static void gms_master_tell(gms_ctx_t *ctx, const gms_master_t *master,
                            const gms_master_task_t *task, gms_status_t status,
                            const gms_qos_verdict_t *verdict)
{
    gms_flow_request_t flow[GMS_QOS_FLOWS_MAX];
    gms_qos_decision_t decision = {.flows = flow,
                                   .count = task->count,
                                   .status = status,
                                   .verdict = verdict,
                                   .account = master->account};
    unsigned i;

    if (ctx->on_tracepoint == NULL || task->count == 0 ||
        task->count > GMS_QOS_FLOWS_MAX) {
        return;
    }
    for (i = 0; i < task->count; ++i) {
        flow[i] = gms_record_request(&task->record[i]);
    }
    decision.is_release = flow[0].qos_class == GMS_QOS_UNMANAGED;
    gms_ctx_tracepoint(ctx, GMS_QOS_TRACEPOINT_DECISION, &decision);
}

/* Stores the verdict for the requesting node. */
static void gms_master_keep_verdict(gms_master_t *master, gms_status_t status,
                                    const gms_qos_verdict_t *verdict)
{
    master->verdict.criterion = (uint8_t)verdict->criterion;
    master->verdict.resource = verdict->resource;
    master->verdict.denied = (uint16_t)verdict->request;
    master->verdict.status = (int16_t)status;
    master->verdict.left_bytes_s = verdict->left_bytes_s;
    master->has_victim =
        status == GMS_OK && gms_qos_has_victim(verdict->criterion);
    memset(&master->victim, 0, sizeof(master->victim));
    master->victim.key = verdict->victim;
    master->victim.node = (uint16_t)verdict->victim_node;
    master->victim.u.bounds = gms_manager_pack_bounds(&verdict->bounds);
}

static void gms_master_decide(gms_ctx_t *ctx, gms_agent_t *agent,
                              gms_master_task_t *task)
{
    gms_master_t *master = agent->master;
    gms_master_note_t note = {ctx, agent->master};
    gms_flow_request_t flow[GMS_QOS_FLOWS_MAX];
    gms_qos_verdict_t verdict = {.criterion = GMS_QOS_OK};
    gms_status_t status = GMS_OK;
    unsigned i;

    memset(&master->verdict, 0, sizeof(master->verdict));
    master->verdict.kind = GMS_MANAGER_DECISION;
    master->verdict.number = task->number;
    master->decides = 1;
    if (task->count == 0 || task->count > GMS_QOS_FLOWS_MAX) {
        status = GMS_ERR_INVALID_PARAM;
    } else if (task->record[0].qos_class == GMS_QOS_UNMANAGED) {
        gms_master_release(ctx, agent, task);
    } else {
        for (i = 0; i < task->count; ++i) {
            flow[i] = gms_record_request(&task->record[i]);
            task->record[i].flags =
                gms_account_find(master->account, flow[i].source_node,
                                 &flow[i].key) != NULL
                    ? GMS_RECORD_KNOWN
                    : 0;
        }
        status = gms_account_request(master->account, flow, task->count,
                                     gms_master_note, &note, &verdict);
        master->is_granted =
            status == GMS_OK && verdict.criterion == GMS_QOS_OK;
        master->frees = master->is_granted;
        if (master->is_granted) {
            gms_master_set_idle(ctx, agent, task, 0);
        }
    }
    gms_master_keep_verdict(master, status, &verdict);
    gms_master_tell(ctx, master, task, status, &verdict);
}

/* Requests a flow again after its host has returned. The bandwidth of the flow
 * may have been granted to other flows in the meantime. If the bandwidth no
 * longer fits, the flow is adopted as best effort without a check. The flow is
 * already sending, and adopting it ensures that it is at least regulated. */
static void gms_master_rejoin(gms_agent_t *agent, gms_master_note_t *note,
                              const gms_manager_record_t *record)
{
    gms_master_t *master = agent->master;
    gms_qos_verdict_t verdict = {.criterion = GMS_QOS_OK};
    gms_flow_request_t flow = gms_record_request(record);

    if (gms_account_request(master->account, &flow, 1, gms_master_note, note,
                            &verdict) == GMS_OK &&
        verdict.criterion != GMS_QOS_OK) {
        gms_grant_t grant = {.source_node = record->node,
                             .key = record->key,
                             .qos_class = GMS_QOS_BEST_EFFORT,
                             .idt_ticks = record->idt_ticks,
                             .reverse_bytes_s = record->reverse_bytes_s,
                             .rank = record->rank};

        if (gms_account_adopt(master->account, &grant) != GMS_OK ||
            gms_account_settle(master->account, gms_master_note, note) !=
                GMS_OK) {
            gms_fatal(
                note->ctx,
                "the arena is full: there is no room for a new master "
                "manager; set a larger arena_bytes in the cluster description");
        }
    }
}

static void gms_master_join(gms_ctx_t *ctx, gms_agent_t *agent,
                            const gms_master_task_t *task)
{
    gms_master_note_t note = {ctx, agent->master};
    unsigned i;

    for (i = 0; i < task->count; ++i) {
        gms_master_rejoin(agent, &note, &task->record[i]);
    }
    for (i = 0; i < task->count; ++i) {
        const gms_manager_record_t *record = &task->record[i];
        const gms_grant_t *grant = gms_account_find(agent->master->account,
                                                    record->node, &record->key);
        gms_manager_record_t now;

        if (grant != NULL) {
            gms_master_record(grant, &now);
            gms_master_change(
                ctx, agent, gms_idt_is_slower(now.idt_ticks, record->idt_ticks),
                &now);
        }
    }
}

static void gms_master_drop(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host)
{
    gms_master_t *master = agent->master;
    gms_master_note_t note = {ctx, agent->master};
    const gms_grant_t *grant = gms_account_first(master->account);

    while (grant != NULL) {
        const gms_grant_t *next = grant->next;

        if (gms_manager_host(agent->manager, grant->source_node) == host) {
            gms_flow_key_t key = grant->key;

            (void)gms_account_release(master->account, grant->source_node, &key,
                                      gms_master_note, &note);
        }
        grant = next;
    }
    master->frees = 1;
}

static void gms_master_settle(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_master_t *master = agent->master;
    gms_master_note_t note = {ctx, agent->master};
    const gms_idt_change_t *change;

    if (gms_account_settle(master->account, gms_master_note, &note) != GMS_OK) {
        gms_fatal(
            ctx,
            "the arena is full: there is no room for a new master manager; set "
            "a larger arena_bytes in the cluster description");
    }
    for (change = master->restore.first; change != NULL;
         change = change->next) {
        gms_manager_record_t record = change->record;
        const gms_grant_t *grant =
            gms_account_find(master->account, record.node, &record.key);

        if (grant != NULL) {
            record.u.bounds = gms_manager_pack_bounds(&grant->bounds);
        }
        gms_master_change(ctx, agent, 0, &record);
    }
    gms_change_clear(ctx, &master->restore);
    master->frees = 1;
}

/* ---- watches ---- */

static int gms_master_has_room(const gms_master_t *master,
                               const gms_master_task_t *watch)
{
    gms_flow_request_t flow[GMS_QOS_FLOWS_MAX];
    gms_qos_verdict_t verdict;
    unsigned i;

    for (i = 0; i < watch->count; ++i) {
        flow[i] = gms_record_request(&watch->record[i]);
    }
    /* An error also ends the watch. The process then repeats its request, and
     * this request returns the error. */
    return gms_account_would_grant(master->account, flow, watch->count,
                                   &verdict) != GMS_OK ||
           verdict.criterion == GMS_QOS_OK;
}

void gms_master_look_at_watches(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_master_t *master = agent->master;
    gms_master_task_t *watch = master->watches.first;
    gms_task_queue_t left = {NULL, NULL};

    while (watch != NULL) {
        gms_master_task_t *next = watch->next;

        if (gms_master_has_room(master, watch)) {
            gms_agent_say(ctx, agent, watch->host, GMS_MANAGER_ROOM,
                          watch->number, 0);
            gms_task_free(ctx, watch);
        } else {
            gms_task_queue_put(&left, watch);
        }
        watch = next;
    }
    master->watches = left;
}

static void gms_master_keep_watch(gms_agent_t *agent, gms_master_task_t *task)
{
    gms_master_t *master = agent->master;

    if (task->count > 0 && task->count <= GMS_QOS_FLOWS_MAX) {
        /* The watch is the first task in the queue. */
        gms_task_queue_put(&master->watches,
                           gms_task_queue_take(&master->tasks));
        master->frees = 1;
    }
}

/* ---- tasks ---- */

void gms_master_begin(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_master_t *master = agent->master;
    gms_master_task_t *task = master->tasks.first;
    const gms_master_task_t *own = NULL;

    master->decides = 0;
    master->has_victim = 0;
    master->is_granted = 0;
    master->frees = 0;
    switch ((enum gms_task_kind)task->kind) {
    case GMS_TASK_REQUEST:
        gms_master_decide(ctx, agent, task);
        own = task;
        break;
    case GMS_TASK_ACTIVITY:
        gms_master_set_idle(ctx, agent, task, GMS_RECORD_IDLE);
        break;
    case GMS_TASK_WATCH:
        gms_master_keep_watch(agent, task);
        break;
    case GMS_TASK_UNWATCH:
        gms_task_purge(ctx, &master->watches, 0, task->host, task->number);
        break;
    case GMS_TASK_JOIN:
        gms_master_join(ctx, agent, task);
        own = task;
        break;
    case GMS_TASK_DROP:
        gms_master_drop(ctx, agent, task->host);
        break;
    case GMS_TASK_SETTLE:
        gms_master_settle(ctx, agent);
        break;
    }
    gms_master_sort_notes(ctx, agent, own);
}
