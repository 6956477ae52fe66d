/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the updates for every host from the changes that a task makes to the
 * account. A task with several flows may change the same IDT more than once.
 * Only the IDTs before and after the task determine the update.
 */
#include <stdlib.h>
#include <string.h>

#include "manager/manager_master.h"

/* ---- changes ---- */

void gms_change_put(gms_ctx_t *ctx, gms_change_list_t *list,
                    const gms_manager_record_t *record)
{
    gms_idt_change_t *change = gms_agent_alloc(ctx, sizeof(*change));

    change->record = *record;
    if (list->first == NULL) {
        list->first = change;
    } else {
        list->last->next = change;
    }
    list->last = change;
}

void gms_change_clear(gms_ctx_t *ctx, gms_change_list_t *list)
{
    while (list->first != NULL) {
        gms_idt_change_t *change = list->first;

        list->first = change->next;
        gms_arena_free(ctx->arena, change);
    }
    list->last = NULL;
}

void gms_master_record(const gms_grant_t *grant, gms_manager_record_t *record)
{
    memset(record, 0, sizeof(*record));
    record->key = grant->key;
    record->node = (uint16_t)grant->source_node;
    record->qos_class = (uint8_t)grant->qos_class;
    record->flags = grant->idle ? GMS_RECORD_IDLE : 0;
    record->idt_ticks = grant->idt_ticks;
    record->rank = grant->rank;
    record->bytes_s = grant->bandwidth_bytes_s;
    record->reverse_bytes_s = grant->reverse_bytes_s;
    record->load = grant->load;
    record->u.bounds = gms_manager_pack_bounds(&grant->bounds);
}

/* ---- notes ---- */

static int gms_key_compare(const gms_flow_key_t *a, const gms_flow_key_t *b)
{
    const uint32_t left[] = {a->source_port, a->target_node, a->target_port,
                             a->priority, a->label};
    const uint32_t right[] = {b->source_port, b->target_node, b->target_port,
                              b->priority, b->label};
    unsigned i;

    for (i = 0; i < sizeof(left) / sizeof(left[0]); ++i) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static int gms_note_compare(const void *a, const void *b)
{
    const gms_idt_note_t *left = a, *right = b;
    int keys = gms_key_compare(&left->key, &right->key);

    if (left->node != right->node) {
        return left->node < right->node ? -1 : 1;
    }
    if (keys != 0) {
        return keys;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

void gms_master_note(void *context, const gms_grant_t *grant,
                     uint32_t idt_before)
{
    const gms_master_note_t *note = context;
    gms_master_t *master = note->master;
    gms_idt_note_t *new_note;

    if (master->note_count == master->note_capacity) {
        unsigned capacity = 2 * master->note_capacity + 16;
        gms_idt_note_t *bigger =
            gms_agent_alloc(note->ctx, capacity * sizeof(*bigger));

        if (master->note_count > 0) {
            memcpy(bigger, master->notes, master->note_count * sizeof(*bigger));
        }
        gms_arena_free(note->ctx->arena, master->notes);
        master->notes = bigger;
        master->note_capacity = capacity;
    }
    new_note = &master->notes[master->note_count];
    new_note->key = grant->key;
    new_note->node = grant->source_node;
    new_note->idt_before = idt_before;
    new_note->order = master->note_count++;
}

int gms_idt_is_slower(uint32_t after, uint32_t before)
{
    return after != 0 && (before == 0 || after > before);
}

void gms_master_change(gms_ctx_t *ctx, gms_agent_t *agent, int is_slower,
                       const gms_manager_record_t *record)
{
    uint32_t host = gms_manager_host(agent->manager, record->node);

    gms_change_put(ctx, &agent->master->peers[host].changes[is_slower ? 0 : 1],
                   record);
}

/* Returns the task's record of a flow, or NULL if there is no such record. */
static const gms_manager_record_t *gms_task_find(const gms_master_task_t *task,
                                                 const gms_idt_note_t *note)
{
    unsigned i;

    for (i = 0; task != NULL && i < task->count; ++i) {
        if (task->record[i].node == note->node &&
            gms_key_is(&task->record[i].key, &note->key)) {
            return &task->record[i];
        }
    }
    return NULL;
}

static void gms_master_sort_note(gms_ctx_t *ctx, gms_agent_t *agent,
                                 const gms_master_task_t *own,
                                 const gms_idt_note_t *note)
{
    const gms_grant_t *grant =
        gms_account_find(agent->master->account, note->node, &note->key);
    const gms_manager_record_t *asked = gms_task_find(own, note);
    gms_manager_record_t record;
    int is_slower;

    if (grant == NULL || grant->idt_ticks == note->idt_before) {
        /* the flow is released; its node had stopped using the flow before the
         * node sent the release */
        return;
    }
    gms_master_record(grant, &record);
    is_slower = gms_idt_is_slower(grant->idt_ticks, note->idt_before);
    if (asked == NULL) {
        gms_master_change(ctx, agent, is_slower, &record);
    } else if (is_slower && (asked->flags & GMS_RECORD_KNOWN)) {
        record.flags |= GMS_RECORD_TENTATIVE;
        gms_master_change(ctx, agent, 1, &record);
    }
}

void gms_master_sort_notes(gms_ctx_t *ctx, gms_agent_t *agent,
                           const gms_master_task_t *own)
{
    gms_master_t *master = agent->master;
    const gms_idt_note_t *last = NULL;
    unsigned i;

    if (master->note_count > 1) {
        qsort(master->notes, master->note_count, sizeof(*master->notes),
              gms_note_compare);
    }
    for (i = 0; i < master->note_count; ++i) {
        const gms_idt_note_t *note = &master->notes[i];

        if (last == NULL || last->node != note->node ||
            !gms_key_is(&last->key, &note->key)) {
            gms_master_sort_note(ctx, agent, own, note);
        }
        last = note;
    }
    master->note_count = 0;
}

/* ---- phases ---- */

void gms_master_await(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host)
{
    gms_peer_t *peer = &agent->master->peers[host];

    peer->wait.waits = 1;
    peer->wait.pinged = 0;
    peer->wait.since_ps = gms_engine_now(ctx->engine);
    ++agent->master->waiting;
    gms_term_arm(ctx, agent,
                 peer->wait.since_ps + agent->manager->timeout_ps / 2);
}

static void gms_master_send_changes(gms_ctx_t *ctx, gms_agent_t *agent,
                                    uint32_t host, unsigned phase, int is_last)
{
    gms_master_t *master = agent->master;
    gms_change_list_t *changes = &master->peers[host].changes[phase];
    const gms_idt_change_t *change;
    gms_manager_list_t list;

    if (changes->first == NULL) {
        return;
    }
    gms_list_begin(&list, ctx, agent, host, GMS_MANAGER_UPDATE, 0);
    list.message.step = master->step;
    for (change = changes->first; change != NULL; change = change->next) {
        gms_list_add(&list, &change->record);
    }
    gms_list_end(&list, is_last ? GMS_MANAGER_REPLY : 0);
    gms_change_clear(ctx, changes);
}

static void gms_master_send_decision(gms_ctx_t *ctx, gms_agent_t *agent,
                                     const gms_master_task_t *task)
{
    gms_master_t *master = agent->master;
    gms_manager_list_t list;
    unsigned i;

    gms_list_begin(&list, ctx, agent, task->host, GMS_MANAGER_DECISION, 0);
    list.message = master->verdict;
    list.message.step = master->step;
    if (master->has_victim) {
        gms_list_add(&list, &master->victim);
    }
    for (i = 0; master->is_granted && i < task->count; ++i) {
        const gms_grant_t *grant = gms_account_find(
            master->account, task->record[i].node, &task->record[i].key);
        gms_manager_record_t record;

        gms_master_record(grant, &record);
        gms_list_add(&list, &record);
    }
    gms_list_end(&list, master->is_granted ? GMS_MANAGER_REPLY : 0);
}

void gms_master_begin_phase(gms_ctx_t *ctx, gms_agent_t *agent, unsigned phase)
{
    gms_master_t *master = agent->master;
    const gms_master_task_t *task = master->tasks.first;
    uint32_t host;

    ++master->step;
    for (host = 0; host < agent->manager->hosts; ++host) {
        /* Do not send the decision to a host that was declared lost after its
         * request, even if the host has returned. The host's reported grants do
         * not include this decision, and the host has repeated its request. */
        int has_decision = phase == 1 && master->decides &&
                           task->host == host &&
                           task->losses == master->peers[host].losses;
        int waits = master->peers[host].changes[phase].first != NULL ||
                    (has_decision && master->is_granted);

        if (master->peers[host].state != GMS_PEER_HERE) {
            gms_change_clear(ctx, &master->peers[host].changes[phase]);
            continue;
        }
        if (waits) {
            gms_master_await(ctx, agent, host);
        }
        gms_master_send_changes(ctx, agent, host, phase,
                                !(has_decision && master->is_granted));
        if (has_decision) {
            gms_master_send_decision(ctx, agent, task);
        }
    }
}
