/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles the agents' ports. A message is copied into a slot. The slot becomes
 * free when GM reports the end of the send. Data travel as a directed send
 * (put) and therefore need no receive buffers. The message that follows in the
 * same flow arrives after the data.
 */
#include <string.h>

#include "io/io_int.h"
#include "nic/flow.h"

#define GMS_IO_SLOT_BYTES 64u
#define GMS_IO_SLOT_COUNT 64u /* number of slots that are allocated together */
#define GMS_IO_SIZE       6u  /* GM size class for at most 2^6 - 8 bytes */
#define GMS_IO_BUFFERS    64u /* number of receive buffers of an agent */
/* Cookie for sends without a slot. */
#define GMS_IO_NO_SLOT 0u

_Static_assert(sizeof(gms_io_message_t) <= GMS_IO_SLOT_BYTES - 8,
               "a message must fit into a buffer of its size class");

/* ---- memory ---- */

static unsigned char *gms_io_memory(gms_ctx_t *ctx, gms_io_agent_t *agent,
                                    size_t bytes)
{
    unsigned char *memory = gms_arena_alloc(ctx->arena, bytes);

    if (memory != NULL &&
        gms_nic_register_memory(ctx, agent->nic, GMS_IO_PORT, (uintptr_t)memory,
                                bytes) != GMS_OK) {
        gms_arena_free(ctx->arena, memory);
        memory = NULL;
    }
    return memory;
}

static void gms_io_add_slots(gms_ctx_t *ctx, gms_io_agent_t *agent)
{
    gms_io_slot_t *slots =
        gms_io_alloc(ctx, GMS_IO_SLOT_COUNT * sizeof(*slots));
    unsigned char *bytes =
        gms_io_memory(ctx, agent, GMS_IO_SLOT_COUNT * GMS_IO_SLOT_BYTES);
    unsigned i;

    if (bytes == NULL) {
        gms_io_no_memory(ctx);
    }
    for (i = 0; i < GMS_IO_SLOT_COUNT; ++i) {
        slots[i].message =
            (gms_io_message_t *)(void *)(bytes + i * GMS_IO_SLOT_BYTES);
        slots[i].next = agent->free;
        agent->free = &slots[i];
    }
}

/* ---- the port ---- */

static gms_recv_desc_t gms_io_buffer(uint64_t address)
{
    return (gms_recv_desc_t){.port = GMS_IO_PORT,
                             .size = GMS_IO_SIZE,
                             .priority = GMS_IO_PRIORITY,
                             .address = address};
}

gms_status_t gms_io_open(gms_ctx_t *ctx, gms_io_agent_t *agent)
{
    gms_status_t status;
    unsigned i;

    if (agent->is_open) {
        return GMS_OK;
    }
    status = gms_nic_open_agent_port(ctx, agent->nic, GMS_IO_PORT,
                                     GMS_IO_ON_PORT, agent);
    if (status != GMS_OK) {
        return status;
    }
    gms_nic_allow_remote_access(agent->nic, GMS_IO_PORT);
    status = gms_nic_register_memory(ctx, agent->nic, GMS_IO_PORT,
                                     (uintptr_t)agent->io->data,
                                     agent->io->layout.stripe_bytes);
    agent->buffers =
        gms_io_memory(ctx, agent, GMS_IO_BUFFERS * GMS_IO_SLOT_BYTES);
    if (status != GMS_OK || agent->buffers == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < GMS_IO_BUFFERS; ++i) {
        gms_recv_desc_t desc =
            gms_io_buffer((uintptr_t)agent->buffers + i * GMS_IO_SLOT_BYTES);

        gms_nic_preset_receive(ctx, agent->nic, &desc);
    }
    agent->is_open = 1;
    return GMS_OK;
}

void gms_io_need_open(gms_ctx_t *ctx, gms_io_agent_t *agent)
{
    if (gms_io_open(ctx, agent) != GMS_OK) {
        gms_io_no_memory(ctx);
    }
}

/* ---- sending ---- */

static void gms_io_post_send(gms_ctx_t *ctx, gms_io_agent_t *agent,
                             gms_send_desc_t *desc)
{
    desc->call_ps = gms_engine_now(ctx->engine);
    gms_nic_post_send(ctx, agent->nic, &agent->io->origin, desc->call_ps, desc);
}

static void gms_io_deliver(gms_ctx_t *ctx, gms_io_agent_t *agent, unsigned from,
                           const gms_io_message_t *message)
{
    switch ((enum gms_io_kind)message->kind) {
    case GMS_IO_ANSWER:
        gms_io_answered(ctx, agent, message);
        break;
    case GMS_IO_RESERVED:
        gms_io_reserved(ctx, agent, message);
        break;
    case GMS_IO_RESERVE:
    case GMS_IO_RELEASE:
        gms_io_reserve_flow(ctx, agent, from, message);
        break;
    case GMS_IO_WRITE:
    case GMS_IO_READ:
    case GMS_IO_SYNC:
    case GMS_IO_RESIZE:
        gms_io_serve(ctx, agent, from, message);
        break;
    }
}

/* Return the label of a message. If a reservation covers read requests or
 * answers without data, these messages have their own label. These messages
 * travel in the opposite direction to the data. */
static uint32_t gms_io_label(const gms_io_message_t *message, uint64_t bytes)
{
    uint32_t flag = 0;

    if (message->kind == GMS_IO_READ) {
        flag = GMS_IO_READ_RESERVED;
    } else if (message->kind == GMS_IO_ANSWER && bytes == 0) {
        flag = GMS_IO_WRITE_RESERVED;
    }
    return message->label | (message->flags & flag ? GMS_LABEL_REVERSE : 0);
}

void gms_io_send(gms_ctx_t *ctx, gms_io_agent_t *agent, unsigned node,
                 const gms_io_message_t *message, uint64_t bytes)
{
    gms_send_desc_t desc = {.flow = {.source_port = GMS_IO_PORT,
                                     .target_node = (uint16_t)node,
                                     .target_port = GMS_IO_PORT,
                                     .priority = GMS_IO_PRIORITY,
                                     .label = gms_io_label(message, bytes)}};
    gms_io_slot_t *slot;

    if (node == agent->node) {
        gms_io_deliver(ctx, agent, node, message);
        return;
    }
    if (bytes > 0) {
        desc.kind = GMS_SEND_PUT;
        desc.length = (uint32_t)bytes;
        desc.address = desc.remote = (uintptr_t)agent->io->data;
        desc.cookie = GMS_IO_NO_SLOT;
        gms_io_post_send(ctx, agent, &desc);
    }
    if (agent->free == NULL) {
        gms_io_add_slots(ctx, agent);
    }
    slot = agent->free;
    agent->free = slot->next;
    *slot->message = *message;
    desc.kind = GMS_SEND_MESSAGE;
    desc.size = GMS_IO_SIZE;
    desc.length = sizeof(*message);
    desc.address = (uintptr_t)slot->message;
    desc.remote = 0;
    desc.cookie = (uintptr_t)slot;
    gms_io_post_send(ctx, agent, &desc);
}

/* ---- events of the port ---- */

static void gms_io_sent(gms_ctx_t *ctx, gms_io_agent_t *agent,
                        const gms_host_event_t *event)
{
    gms_io_slot_t *slot = (gms_io_slot_t *)(uintptr_t)event->cookie;

    if (event->result != GMS_SENT_OK) {
        gms_fatal(ctx,
                  "file access: node %u could not send to node %u within "
                  "nic_send_timeout_us; check the faults of this run",
                  agent->node + 1, (unsigned)event->flow.target_node + 1);
    }
    if (slot != NULL) {
        slot->next = agent->free;
        agent->free = slot;
    }
}

static void gms_io_received(gms_ctx_t *ctx, gms_io_agent_t *agent,
                            const gms_host_event_t *event)
{
    const void *data = event->is_fast ? (const void *)event->fast
                                      : (const void *)(uintptr_t)event->address;
    gms_recv_desc_t desc = gms_io_buffer(event->address);
    gms_io_message_t message;

    memcpy(&message, data, sizeof(message));
    gms_nic_post_receive(ctx, agent->nic, &agent->io->origin,
                         gms_engine_now(ctx->engine), &desc);
    /* Programs cannot open the agents' port. */
    if (event->length == sizeof(message) && event->sender_port == GMS_IO_PORT) {
        gms_io_deliver(ctx, agent, event->sender_node, &message);
    }
}

void gms_io_on_port(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_io_agent_t *agent = event->object;
    gms_host_event_t *host;

    while ((host = gms_nic_take_event(agent->nic, GMS_IO_PORT)) != NULL) {
        if (host->kind == GMS_HOST_RECEIVED) {
            gms_io_received(ctx, agent, host);
        } else if (host->kind == GMS_HOST_SENT) {
            gms_io_sent(ctx, agent, host);
        }
        gms_arena_free(ctx->arena, host);
    }
}
