/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines a table of all packet schedulers, indexed by number, and the ring of
 * flows that the round-robin schedulers use. Every scheduler is in its own
 * file, scheduler_NAME.c.
 */
#include "nic/scheduler_int.h"

#include <assert.h>

static const gms_scheduler_ops_t *const gms_schedulers[] = {
    [GMS_SCHEDULER_MESSAGE_RR] = &gms_scheduler_message_rr_ops,
    [GMS_SCHEDULER_PACKET_RR] = &gms_scheduler_packet_rr_ops,
    [GMS_SCHEDULER_RATE] = &gms_scheduler_rate_ops,
    [GMS_SCHEDULER_BYTE_RR] = &gms_scheduler_byte_rr_ops,
};

const gms_scheduler_ops_t *gms_scheduler_ops(uint32_t id)
{
    assert(id < sizeof(gms_schedulers) / sizeof(gms_schedulers[0]));
    return gms_schedulers[id];
}

int gms_scheduler_keeps_pace(uint32_t id)
{
    return gms_scheduler_ops(id)->keeps_pace;
}

void gms_ring_append(gms_flow_t **head_p, gms_flow_t *flow)
{
    gms_flow_t *head = *head_p;

    if (head == NULL) {
        flow->ring_next = flow;
        flow->ring_prev = flow;
        *head_p = flow;
        return;
    }
    flow->ring_next = head;
    flow->ring_prev = head->ring_prev;
    head->ring_prev->ring_next = flow;
    head->ring_prev = flow;
}

void gms_ring_remove(gms_flow_t **head_p, gms_flow_t *flow)
{
    if (flow->ring_next == flow) {
        *head_p = NULL;
    } else {
        flow->ring_prev->ring_next = flow->ring_next;
        flow->ring_next->ring_prev = flow->ring_prev;
        if (*head_p == flow) {
            *head_p = flow->ring_next;
        }
    }
    flow->ring_next = NULL;
    flow->ring_prev = NULL;
}

void gms_scheduler_ignore_idt(gms_scheduler_t *scheduler, gms_flow_t *flow,
                              uint64_t rtc)
{
    (void)scheduler;
    (void)flow;
    (void)rtc;
}

uint64_t gms_scheduler_no_cycles(const gms_scheduler_t *scheduler,
                                 const gms_params_t *params)
{
    (void)scheduler;
    (void)params;
    return 0;
}
