/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends and receives the messages between managers.
 *
 * A message waits for a free slot, into which it is copied. The slot is freed
 * when GM reports the end of the send. If the host does not answer, GM does not
 * report the end of the send before nic_send_timeout_us has passed. Therefore
 * no host may use more than GMS_MANAGER_SLOTS_HOST slots, and the manager adds
 * slots if more hosts need them. In this way, unreachable hosts do not delay
 * messages to other hosts. An arriving message is copied out of its buffer and
 * waits until the manager processes it. The buffer is then immediately posted
 * again.
 */
#include <stddef.h>
#include <string.h>

#include "manager/manager_int.h"

#define GMS_SLOT_BYTES 256u
/* GM's size class for messages of up to 2^8 - 8 bytes. */
#define GMS_SLOT_SIZE        8u
#define GMS_MANAGER_PRIORITY 1u
/* Cookie of the command that ends a stall. */
#define GMS_COOKIE_DROP UINT64_MAX

_Static_assert(sizeof(gms_manager_message_t) <= GMS_SLOT_BYTES - 8,
               "a message must fit into its buffer");

/* Returns an allocated block, or ends the run if the block is NULL. */
static void *gms_agent_need(gms_ctx_t *ctx, void *block)
{
    if (block == NULL) {
        gms_fatal(
            ctx,
            "the arena is full: there is no room for the bandwidth managers; "
            "set a larger arena_bytes in the cluster description");
    }
    return block;
}

void *gms_agent_alloc(gms_ctx_t *ctx, size_t bytes)
{
    return gms_agent_need(ctx, gms_arena_alloc(ctx->arena, bytes));
}

gms_qos_call_t *gms_agent_create_call(gms_ctx_t *ctx, unsigned source_node,
                                      unsigned rank, unsigned count)
{
    return gms_agent_need(
        ctx, gms_qos_call_create(ctx->arena, source_node, rank, count));
}

GMS_QUEUE_DEFINE(gms_item_queue, gms_item_queue_t, gms_manager_item_t, next);

static void gms_item_queue_clear(gms_ctx_t *ctx, gms_item_queue_t *queue)
{
    gms_manager_item_t *item;

    while ((item = gms_item_queue_take(queue)) != NULL) {
        gms_arena_free(ctx->arena, item);
    }
}

/* ---- memory ---- */

static unsigned char *gms_agent_memory(gms_ctx_t *ctx, gms_agent_t *agent,
                                       size_t bytes)
{
    unsigned char *memory = gms_arena_alloc(ctx->arena, bytes);

    if (memory != NULL &&
        gms_nic_register_memory(ctx, agent->nic, GMS_MANAGER_PORT,
                                (uintptr_t)memory, bytes) != GMS_OK) {
        gms_arena_free(ctx->arena, memory);
        memory = NULL;
    }
    return memory;
}

/* Adds slots. @return GMS_OK, or GMS_ERR_NO_MEMORY if the number of slots is
 * unchanged */
static gms_status_t gms_agent_add_slots(gms_ctx_t *ctx, gms_agent_t *agent)
{
    unsigned count = agent->slot_count + GMS_MANAGER_SLOTS;
    gms_manager_slot_t *slots =
        gms_arena_alloc(ctx->arena, count * sizeof(*slots));
    unsigned char *bytes =
        gms_agent_memory(ctx, agent, GMS_MANAGER_SLOTS * GMS_SLOT_BYTES);
    unsigned i;

    if (slots == NULL || bytes == NULL) {
        gms_arena_free(ctx->arena, slots);
        gms_arena_free(ctx->arena, bytes);
        return GMS_ERR_NO_MEMORY;
    }
    if (agent->slot_count > 0) {
        memcpy(slots, agent->slots, agent->slot_count * sizeof(*slots));
    }
    for (i = agent->slot_count; i < count; ++i) {
        slots[i].host = GMS_MANAGER_NO_HOST;
        slots[i].bytes = bytes + (i - agent->slot_count) * GMS_SLOT_BYTES;
    }
    gms_arena_free(ctx->arena, agent->slots);
    agent->slots = slots;
    agent->slot_count = count;
    return GMS_OK;
}

static void gms_agent_free_memory(gms_ctx_t *ctx, gms_agent_t *agent)
{
    unsigned i;

    for (i = 0; i < agent->slot_count; i += GMS_MANAGER_SLOTS) {
        gms_arena_free(ctx->arena, agent->slots[i].bytes);
    }
    gms_arena_free(ctx->arena, agent->slots);
    gms_arena_free(ctx->arena, agent->buffers);
    agent->slots = NULL;
    agent->slot_count = 0;
    agent->buffers = NULL;
}

/* ---- the port ---- */

static gms_recv_desc_t gms_agent_buffer(uint64_t address)
{
    gms_recv_desc_t desc = {.port = GMS_MANAGER_PORT,
                            .size = GMS_SLOT_SIZE,
                            .priority = GMS_MANAGER_PRIORITY,
                            .address = address};

    return desc;
}

static void gms_agent_provide(gms_ctx_t *ctx, gms_agent_t *agent,
                              uint64_t address)
{
    gms_recv_desc_t desc = gms_agent_buffer(address);

    gms_nic_post_receive(ctx, agent->nic, &agent->manager->origin,
                         gms_engine_now(ctx->engine), &desc);
}

gms_status_t gms_agent_open(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_status_t status;
    unsigned i;

    status = gms_nic_open_agent_port(ctx, agent->nic, GMS_MANAGER_PORT,
                                     GMS_QOS_ON_PORT, agent);
    if (status != GMS_OK) {
        return status;
    }
    gms_nic_set_urgent(agent->nic, GMS_MANAGER_PORT);
    /* The port accepts only the size and priority of managers' messages.
     * Messages of programs could otherwise fill the port. */
    gms_nic_set_acceptable(agent->nic, GMS_MANAGER_PORT, 0, 0);
    gms_nic_set_acceptable(agent->nic, GMS_MANAGER_PORT, GMS_MANAGER_PRIORITY,
                           1u << GMS_SLOT_SIZE);
    agent->buffers =
        gms_agent_memory(ctx, agent, GMS_MANAGER_BUFFERS * GMS_SLOT_BYTES);
    if (agent->buffers == NULL || gms_agent_add_slots(ctx, agent) != GMS_OK) {
        gms_nic_close_port(ctx, agent->nic, GMS_MANAGER_PORT);
        gms_agent_free_memory(ctx, agent);
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < GMS_MANAGER_BUFFERS; ++i) {
        gms_recv_desc_t desc =
            gms_agent_buffer((uintptr_t)agent->buffers + i * GMS_SLOT_BYTES);

        gms_nic_preset_receive(ctx, agent->nic, &desc);
    }
    return GMS_OK;
}

void gms_agent_close(gms_ctx_t *ctx, gms_agent_t *agent)
{
    if (agent->buffers != NULL) {
        gms_nic_close_port(ctx, agent->nic, GMS_MANAGER_PORT);
        gms_agent_free_memory(ctx, agent);
    }
    gms_item_queue_clear(ctx, &agent->out);
    gms_item_queue_clear(ctx, &agent->own);
}

/* ---- sending ---- */

static uint32_t gms_message_bytes(const gms_manager_message_t *message)
{
    return (uint32_t)(offsetof(gms_manager_message_t, record) +
                      message->count * sizeof(message->record[0]));
}

static void gms_agent_post(gms_ctx_t *ctx, gms_agent_t *agent, unsigned slot,
                           const gms_manager_item_t *item)
{
    unsigned char *memory = agent->slots[slot].bytes;
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_send_desc_t desc = {
        .flow = {.source_port = GMS_MANAGER_PORT,
                 .target_node = (uint16_t)item->host,
                 .target_port = GMS_MANAGER_PORT,
                 .priority = GMS_MANAGER_PRIORITY},
        .kind = GMS_SEND_MESSAGE,
        .size = GMS_SLOT_SIZE,
        .length = gms_message_bytes(&item->u.message),
        .address = (uintptr_t)memory,
        .cookie = slot,
        .call_ps = now_ps,
    };

    memcpy(memory, &item->u.message, desc.length);
    agent->slots[slot].host = item->host;
    gms_nic_post_send(ctx, agent->nic, &agent->manager->origin, now_ps, &desc);
}

/* Finds a free slot, and sets *taken to the number of slots that messages to
 * the host use. @return index of the slot, or slot_count if no slot is free */
static unsigned gms_agent_slot(const gms_agent_t *agent, uint32_t host,
                               unsigned *taken)
{
    unsigned slot, found = agent->slot_count;

    *taken = 0;
    for (slot = agent->slot_count; slot-- > 0;) {
        *taken += agent->slots[slot].host == host;
        if (agent->slots[slot].host == GMS_MANAGER_NO_HOST) {
            found = slot;
        }
    }
    return found;
}

static void gms_agent_push(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_manager_item_t *item = agent->out.first;
    gms_item_queue_t left = {NULL, NULL};

    while (item != NULL) {
        gms_manager_item_t *next = item->next;
        unsigned taken;
        unsigned slot = gms_agent_slot(agent, item->host, &taken);

        if (taken >= GMS_MANAGER_SLOTS_HOST ||
            (slot == agent->slot_count &&
             gms_agent_add_slots(ctx, agent) != GMS_OK)) {
            gms_item_queue_put(&left, item);
        } else {
            gms_agent_post(ctx, agent, slot, item);
            gms_arena_free(ctx->arena, item);
        }
        item = next;
    }
    agent->out = left;
}

void gms_agent_send(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                    gms_manager_message_t *message)
{
    gms_manager_item_t *item = gms_agent_alloc(ctx, sizeof(*item));

    message->term = agent->term;
    item->kind = GMS_ITEM_MESSAGE;
    item->host = host;
    item->u.message = *message;
    if (host == agent->host) {
        gms_item_queue_put(&agent->own, item);
        return;
    }
    gms_item_queue_put(&agent->out, item);
    gms_agent_push(ctx, agent);
}

void gms_agent_say(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                   enum gms_manager_kind kind, uint32_t number, uint8_t flags)
{
    gms_manager_message_t message = {
        .kind = (uint8_t)kind, .number = number, .flags = flags};

    gms_agent_send(ctx, agent, host, &message);
}

/* ---- lists ---- */

void gms_list_begin(gms_manager_list_t *list, gms_ctx_t *ctx,
                    gms_agent_t *agent, uint32_t host,
                    enum gms_manager_kind kind, uint32_t number)
{
    memset(list, 0, sizeof(*list));
    list->ctx = ctx;
    list->agent = agent;
    list->host = host;
    list->message.kind = (uint8_t)kind;
    list->message.number = number;
}

void gms_list_add(gms_manager_list_t *list, const gms_manager_record_t *record)
{
    gms_manager_message_t *message = &list->message;

    if (message->count == GMS_MANAGER_RECORDS) {
        gms_agent_send(list->ctx, list->agent, list->host, message);
        message->count = 0;
    }
    message->record[message->count++] = *record;
}

void gms_list_end(gms_manager_list_t *list, uint8_t flags)
{
    list->message.flags = GMS_MANAGER_LAST | flags;
    gms_agent_send(list->ctx, list->agent, list->host, &list->message);
}

/* ---- work ---- */

static void gms_agent_handle(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                             const gms_manager_message_t *message)
{
    if (!gms_term_check(ctx, agent, from, message)) {
        return;
    }
    switch ((enum gms_manager_kind)message->kind) {
    case GMS_MANAGER_DECISION:
        gms_node_on_decision(ctx, agent, from, message);
        break;
    case GMS_MANAGER_UPDATE:
        gms_node_on_update(ctx, agent, from, message);
        break;
    case GMS_MANAGER_ROOM:
        gms_node_on_room(ctx, agent, message->number);
        break;
    case GMS_MANAGER_PROPOSE:
        gms_term_on_propose(ctx, agent, from, message->number);
        break;
    case GMS_MANAGER_MASTER:
        gms_node_on_master(ctx, agent, message);
        break;
    case GMS_MANAGER_REQUEST:
    case GMS_MANAGER_ACK:
    case GMS_MANAGER_WATCH:
    case GMS_MANAGER_UNWATCH:
    case GMS_MANAGER_ACTIVITY:
    case GMS_MANAGER_STATE:
        gms_master_on_message(ctx, agent, from, message);
        break;
    case GMS_MANAGER_PING: /* a PING is answered as soon as it arrives */
    case GMS_MANAGER_ALIVE:
        break;
    }
}

void gms_agent_drain(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_manager_item_t *item;

    if (agent->is_draining) {
        return;
    }
    agent->is_draining = 1;
    while ((item = gms_item_queue_take(&agent->own)) != NULL) {
        gms_agent_handle(ctx, agent, agent->host, &item->u.message);
        gms_arena_free(ctx->arena, item);
    }
    agent->is_draining = 0;
}

static void gms_agent_begin_work(gms_ctx_t *ctx, gms_agent_t *agent)
{
    agent->is_working = 1;
    gms_engine_schedule(ctx, &agent->manager->origin,
                        gms_engine_now(ctx->engine) + agent->manager->work_ps,
                        GMS_QOS_ON_WORK, agent, 0, 0);
}

void gms_agent_put(gms_ctx_t *ctx, gms_agent_t *agent, gms_manager_item_t *item)
{
    gms_item_queue_put(&agent->in, item);
    if (!agent->is_working) {
        gms_agent_begin_work(ctx, agent);
    }
}

/* Answers an item from the queue of a dead manager. */
static void gms_agent_refuse(gms_ctx_t *ctx, gms_agent_t *agent,
                             gms_manager_item_t *item)
{
    if (item->kind == GMS_ITEM_CALL) {
        gms_node_fail(ctx, agent, item->u.call);
    } else if (item->kind == GMS_ITEM_WATCH) {
        gms_arena_free(ctx->arena, item->u.watch);
    }
}

void gms_agent_on_work(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_agent_t *agent = event->object;
    gms_manager_item_t *item = gms_item_queue_take(&agent->in);

    agent->is_working = 0;
    if (agent->dead) {
        gms_agent_refuse(ctx, agent, item);
    } else if (item->kind == GMS_ITEM_CALL) {
        gms_node_take_call(ctx, agent, item->u.call);
    } else if (item->kind == GMS_ITEM_WATCH) {
        gms_node_take_watch(ctx, agent, item->u.watch);
    } else if (item->kind == GMS_ITEM_UNWATCH) {
        gms_node_take_unwatch(ctx, agent, item->u.unwatch.node,
                              item->u.unwatch.port, item->u.unwatch.cookie);
    } else {
        gms_agent_handle(ctx, agent, item->host, &item->u.message);
    }
    gms_arena_free(ctx->arena, item);
    gms_agent_drain(ctx, agent);
    if (agent->in.first != NULL) {
        gms_agent_begin_work(ctx, agent);
    }
}

/* ---- receiving ---- */

/* Record immediately that the sender is alive, and answer a PING before the
 * queued items, because a manager with a long queue is not dead. */
static void gms_agent_arrived(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                              const void *data, uint32_t length)
{
    gms_manager_item_t *item;
    gms_manager_message_t message;

    if (length < offsetof(gms_manager_message_t, record) ||
        length > sizeof(message)) {
        return; /* the message does not have the format of managers' messages */
    }
    memset(&message, 0, sizeof(message));
    memcpy(&message, data, length);
    if (length != gms_message_bytes(&message)) {
        return;
    }
    gms_term_heard(ctx, agent, from);
    if (message.kind == GMS_MANAGER_PING) {
        gms_agent_say(ctx, agent, from, GMS_MANAGER_ALIVE, 0, 0);
    } else if (message.kind != GMS_MANAGER_ALIVE) {
        item = gms_agent_alloc(ctx, sizeof(*item));
        item->kind = GMS_ITEM_MESSAGE;
        item->host = from;
        item->u.message = message;
        gms_agent_put(ctx, agent, item);
    }
}

static void gms_agent_sent(gms_ctx_t *ctx, gms_agent_t *agent,
                           const gms_host_event_t *event)
{
    gms_send_desc_t drop = {.flow = event->flow,
                            .kind = GMS_SEND_DROP,
                            .cookie = GMS_COOKIE_DROP,
                            .call_ps = event->time_ps};

    if (event->cookie == GMS_COOKIE_DROP) {
        return;
    }
    agent->slots[event->cookie].host = GMS_MANAGER_NO_HOST;
    if (event->result == GMS_SENT_OK || event->result == GMS_SENT_DROPPED) {
        return;
    }
    gms_nic_post_send(ctx, agent->nic, &agent->manager->origin,
                      gms_engine_now(ctx->engine), &drop);
    gms_term_unreachable(ctx, agent, event->flow.target_node,
                         event->result == GMS_SENT_PORT_CLOSED);
}

static void gms_agent_received(gms_ctx_t *ctx, gms_agent_t *agent,
                               const gms_host_event_t *event)
{
    const void *data = event->is_fast ? (const void *)event->fast
                                      : (const void *)(uintptr_t)event->address;

    /* Programs cannot open the managers' port, so every message from this port
     * is from a manager. */
    if (event->sender_port == GMS_MANAGER_PORT &&
        event->sender_node < agent->manager->hosts) {
        gms_agent_arrived(ctx, agent, event->sender_node, data, event->length);
    }
    gms_agent_provide(ctx, agent, event->address);
}

void gms_agent_on_port(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_agent_t *agent = event->object;
    gms_host_event_t *host;

    if (agent->dead) {
        return;
    }
    while ((host = gms_nic_take_event(agent->nic, GMS_MANAGER_PORT)) != NULL) {
        if (host->kind == GMS_HOST_RECEIVED) {
            gms_agent_received(ctx, agent, host);
        } else if (host->kind == GMS_HOST_SENT) {
            gms_agent_sent(ctx, agent, host);
        }
        gms_arena_free(ctx->arena, host);
    }
    gms_agent_push(ctx, agent);
    gms_agent_drain(ctx, agent);
}
