/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scheduler `packet-rr`, which GM uses: a ring of connections, and in each
 * connection a ring of flows. The head flow of the head connection sends one
 * packet, then both rings rotate. All connections have equal shares of the
 * packets, and so do the flows within a connection.
 *
 *   head -> connection 2 -> connection 5 -> (back)
 *             head -> flow a -> flow b -> (back)
 *
 * Every priority has its own rings. The low-priority rings do not rotate while
 * a high-priority flow is valid.
 * [source: gulati 2001 thesis 4.1, figure 4.2; assumed: GM's manual states that
 * high priority is served first, but does not state how]
 */
#include <string.h>

#include "nic/alloc.h"
#include "nic/scheduler_int.h"

typedef struct gms_rr_connection {
    gms_flow_t *head;
    struct gms_rr_connection *next, *prev; /* NULL: not in the ring */
    struct gms_rr_connection **ring;       /* address of the head of its
                                              priority's ring */
} gms_rr_connection_t;

typedef struct gms_packet_rr {
    gms_scheduler_t super;
    gms_rr_connection_t *low, *high; /* heads */
    gms_rr_connection_t **by_node;   /* index: 2 * node + (1 if high priority);
                                      * entries are created at first use */
    uint32_t slots;                  /* length of by_node */
} gms_packet_rr_t;

static gms_status_t gms_packet_rr_create(gms_ctx_t *ctx,
                                         const gms_params_t *params,
                                         gms_scheduler_t **scheduler_p)
{
    gms_packet_rr_t *self = gms_arena_alloc(ctx->arena, sizeof(*self));

    (void)params;
    if (self == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    self->super.id = GMS_SCHEDULER_PACKET_RR;
    *scheduler_p = &self->super;
    return GMS_OK;
}

static gms_rr_connection_t *gms_packet_rr_connection(gms_ctx_t *ctx,
                                                     gms_packet_rr_t *self,
                                                     const gms_flow_key_t *key)
{
    uint32_t is_high = key->priority != 0;
    uint32_t slot = 2u * key->target_node + is_high;

    if (slot >= self->slots) {
        uint32_t slots = 2 * (slot + 16);
        gms_rr_connection_t **larger =
            gms_nic_alloc(ctx, slots * sizeof(*larger));

        if (self->by_node != NULL) {
            memcpy(larger, self->by_node, self->slots * sizeof(*larger));
        }
        gms_arena_free(ctx->arena, self->by_node);
        self->by_node = larger;
        self->slots = slots;
    }
    if (self->by_node[slot] == NULL) {
        self->by_node[slot] = gms_nic_alloc(ctx, sizeof(gms_rr_connection_t));
        self->by_node[slot]->ring = is_high ? &self->high : &self->low;
    }
    return self->by_node[slot];
}

static void gms_packet_rr_add(gms_ctx_t *ctx, gms_scheduler_t *scheduler,
                              gms_flow_t *flow, uint64_t rtc)
{
    gms_packet_rr_t *self = (gms_packet_rr_t *)scheduler;
    gms_rr_connection_t *connection =
        gms_packet_rr_connection(ctx, self, &flow->key);
    gms_rr_connection_t *head = *connection->ring;

    (void)rtc;
    flow->ring_owner = connection;
    gms_ring_append(&connection->head, flow);
    ++self->super.valid;
    if (connection->next != NULL) {
        return;
    }
    if (head == NULL) {
        *connection->ring = connection;
        connection->next = connection;
        connection->prev = connection;
        return;
    }
    connection->next = head;
    connection->prev = head->prev;
    connection->prev->next = connection;
    head->prev = connection;
}

static void gms_packet_rr_remove(gms_scheduler_t *scheduler, gms_flow_t *flow)
{
    gms_packet_rr_t *self = (gms_packet_rr_t *)scheduler;
    gms_rr_connection_t *connection = flow->ring_owner;

    gms_ring_remove(&connection->head, flow);
    flow->ring_owner = NULL;
    --self->super.valid;
    if (connection->head != NULL) {
        return;
    }
    if (connection->next == connection) {
        *connection->ring = NULL;
    } else {
        connection->prev->next = connection->next;
        connection->next->prev = connection->prev;
        if (*connection->ring == connection) {
            *connection->ring = connection->next;
        }
    }
    connection->next = NULL;
    connection->prev = NULL;
}

static gms_flow_t *gms_packet_rr_pick(gms_scheduler_t *scheduler, uint64_t rtc,
                                      uint64_t *next_rtc_p)
{
    const gms_packet_rr_t *self = (const gms_packet_rr_t *)scheduler;
    const gms_rr_connection_t *head =
        self->high != NULL ? self->high : self->low;

    (void)rtc;
    *next_rtc_p = GMS_RTC_NEVER;
    return head == NULL ? NULL : head->head;
}

static void gms_packet_rr_dispatched(gms_scheduler_t *scheduler,
                                     gms_flow_t *flow, uint64_t rtc,
                                     int message_end)
{
    gms_rr_connection_t *connection = flow->ring_owner;

    (void)scheduler;
    (void)rtc;
    (void)message_end;
    connection->head = flow->ring_next;
    *connection->ring = connection->next;
}

const gms_scheduler_ops_t gms_scheduler_packet_rr_ops = {
    .cuts_evenly = 1,
    .create = gms_packet_rr_create,
    .add = gms_packet_rr_add,
    .remove = gms_packet_rr_remove,
    .pick = gms_packet_rr_pick,
    .dispatched = gms_packet_rr_dispatched,
    .idt_changed = gms_scheduler_ignore_idt,
    .pick_cycles = gms_scheduler_no_cycles,
};
