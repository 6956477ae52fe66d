/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scheduler `byte-rr`: round robin by bytes (deficit round robin). Each flow
 * with packets receives nic_quantum_bytes per turn, and sends while its next
 * packet fits into the remaining bytes. The flow keeps unused bytes for its
 * next turn. Therefore all flows send equal numbers of bytes, regardless of the
 * lengths of their packets.
 *
 * The length of a packet includes the header. If the header were not counted, a
 * flow of empty messages would never end its turn.
 *
 * Each priority has a separate ring. As with packet-rr, the low-priority ring
 * does not rotate while a high-priority flow is valid. A flow that leaves the
 * scheduler loses its turn and its unused bytes, because a flow must not
 * accumulate bytes while it has no packets. [source: Shreedhar and Varghese
 * 1995, Efficient fair queuing using deficit round robin; the priority rule was
 * chosen for this project]
 */
#include "nic/scheduler_int.h"

typedef struct gms_byte_rr {
    gms_scheduler_t super;
    uint64_t quantum_bytes, header_bytes;
    uint64_t packet_bytes;  /* length of the picked packet */
    gms_flow_t *low, *high; /* heads of the rings: the flows whose turn it is */
} gms_byte_rr_t;

static gms_status_t gms_byte_rr_create(gms_ctx_t *ctx,
                                       const gms_params_t *params,
                                       gms_scheduler_t **scheduler_p)
{
    gms_byte_rr_t *self = gms_arena_alloc(ctx->arena, sizeof(*self));

    if (self == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    self->super.id = GMS_SCHEDULER_BYTE_RR;
    self->quantum_bytes = params->nic_quantum_bytes;
    self->header_bytes = params->nic_header_bytes;
    *scheduler_p = &self->super;
    return GMS_OK;
}

static gms_flow_t **gms_byte_rr_head(gms_byte_rr_t *self,
                                     const gms_flow_t *flow)
{
    return flow->key.priority != 0 ? &self->high : &self->low;
}

static void gms_byte_rr_add(gms_ctx_t *ctx, gms_scheduler_t *scheduler,
                            gms_flow_t *flow, uint64_t rtc)
{
    gms_byte_rr_t *self = (gms_byte_rr_t *)scheduler;

    (void)ctx;
    (void)rtc;
    gms_ring_append(gms_byte_rr_head(self, flow), flow);
    ++self->super.valid;
}

static void gms_byte_rr_remove(gms_scheduler_t *scheduler, gms_flow_t *flow)
{
    gms_byte_rr_t *self = (gms_byte_rr_t *)scheduler;

    gms_ring_remove(gms_byte_rr_head(self, flow), flow);
    flow->has_turn = 0;
    flow->deficit_bytes = 0;
    --self->super.valid;
}

/* End turns until the head flow has enough bytes for its next packet, and
 * return this flow. If the quantum is less than a packet, a flow needs several
 * turns per packet. The flow keeps its turn until the next call. */
static gms_flow_t *gms_byte_rr_pick(gms_scheduler_t *scheduler, uint64_t rtc,
                                    uint64_t *next_rtc_p)
{
    gms_byte_rr_t *self = (gms_byte_rr_t *)scheduler;
    gms_flow_t **head_p = self->high != NULL ? &self->high : &self->low;

    (void)rtc;
    *next_rtc_p = GMS_RTC_NEVER;
    while (*head_p != NULL) {
        gms_flow_t *flow = *head_p;

        if (!flow->has_turn) {
            flow->has_turn = 1;
            flow->deficit_bytes += self->quantum_bytes;
        }
        self->packet_bytes =
            self->header_bytes + gms_token_next_bytes(flow->next_sendable);
        if (self->packet_bytes <= flow->deficit_bytes) {
            return flow;
        }
        flow->has_turn = 0;
        ++flow->quantum_ends;
        *head_p = flow->ring_next;
    }
    return NULL;
}

static void gms_byte_rr_dispatched(gms_scheduler_t *scheduler, gms_flow_t *flow,
                                   uint64_t rtc, int message_end)
{
    const gms_byte_rr_t *self = (const gms_byte_rr_t *)scheduler;

    (void)rtc;
    (void)message_end;
    flow->deficit_bytes -= self->packet_bytes;
}

const gms_scheduler_ops_t gms_scheduler_byte_rr_ops = {
    .create = gms_byte_rr_create,
    .add = gms_byte_rr_add,
    .remove = gms_byte_rr_remove,
    .pick = gms_byte_rr_pick,
    .dispatched = gms_byte_rr_dispatched,
    .idt_changed = gms_scheduler_ignore_idt,
    .pick_cycles = gms_scheduler_no_cycles,
};
