/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scheduler `message-rr`: whole send descriptors take turns. A flow keeps its
 * turn until the end of its message, so flows with long messages receive a
 * larger share of the bandwidth. This scheduler ignores priorities.
 * [source: gulati 2001 thesis figure 2.3a]
 */
#include "nic/scheduler_int.h"

typedef struct gms_message_rr {
    gms_scheduler_t super;
    gms_flow_t *head;
} gms_message_rr_t;

static gms_status_t gms_message_rr_create(gms_ctx_t *ctx,
                                          const gms_params_t *params,
                                          gms_scheduler_t **scheduler_p)
{
    gms_message_rr_t *self = gms_arena_alloc(ctx->arena, sizeof(*self));

    (void)params;
    if (self == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    self->super.id = GMS_SCHEDULER_MESSAGE_RR;
    *scheduler_p = &self->super;
    return GMS_OK;
}

static void gms_message_rr_add(gms_ctx_t *ctx, gms_scheduler_t *scheduler,
                               gms_flow_t *flow, uint64_t rtc)
{
    gms_message_rr_t *self = (gms_message_rr_t *)scheduler;

    (void)ctx;
    (void)rtc;
    gms_ring_append(&self->head, flow);
    ++self->super.valid;
}

static void gms_message_rr_remove(gms_scheduler_t *scheduler, gms_flow_t *flow)
{
    gms_message_rr_t *self = (gms_message_rr_t *)scheduler;

    gms_ring_remove(&self->head, flow);
    --self->super.valid;
}

static gms_flow_t *gms_message_rr_pick(gms_scheduler_t *scheduler, uint64_t rtc,
                                       uint64_t *next_rtc_p)
{
    (void)rtc;
    *next_rtc_p = GMS_RTC_NEVER;
    return ((gms_message_rr_t *)scheduler)->head;
}

static void gms_message_rr_dispatched(gms_scheduler_t *scheduler,
                                      gms_flow_t *flow, uint64_t rtc,
                                      int message_end)
{
    (void)rtc;
    if (message_end) {
        ((gms_message_rr_t *)scheduler)->head = flow->ring_next;
    }
}

const gms_scheduler_ops_t gms_scheduler_message_rr_ops = {
    .create = gms_message_rr_create,
    .add = gms_message_rr_add,
    .remove = gms_message_rr_remove,
    .pick = gms_message_rr_pick,
    .dispatched = gms_message_rr_dispatched,
    .idt_changed = gms_scheduler_ignore_idt,
    .pick_cycles = gms_scheduler_no_cycles,
};
