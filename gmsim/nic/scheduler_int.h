/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private header of scheduler*.c. The header declares the operation tables of
 * all schedulers, a ring of flows, and the operations that the schedulers
 * without a pace share.
 */
#ifndef NIC_SCHEDULER_INT_H
#define NIC_SCHEDULER_INT_H

#include "nic/scheduler.h"

extern const gms_scheduler_ops_t gms_scheduler_message_rr_ops;
extern const gms_scheduler_ops_t gms_scheduler_packet_rr_ops;
extern const gms_scheduler_ops_t gms_scheduler_rate_ops;
extern const gms_scheduler_ops_t gms_scheduler_byte_rr_ops;

/** Append a flow to a ring. The scheduler serves the head of the ring next, and
 *  the head's predecessor last. */
void gms_ring_append(gms_flow_t **head_p, gms_flow_t *flow);
/** Remove a flow from a ring. If the flow was the head, the next flow becomes
 *  the head. */
void gms_ring_remove(gms_flow_t **head_p, gms_flow_t *flow);

/** Do nothing. Schedulers without a pace use this function as idt_changed(). */
void gms_scheduler_ignore_idt(gms_scheduler_t *scheduler, gms_flow_t *flow,
                              uint64_t rtc);
/** Return 0. Schedulers that pick a flow within mcp_schedule_cycles use this
 *  function as pick_cycles(). */
uint64_t gms_scheduler_no_cycles(const gms_scheduler_t *scheduler,
                                 const gms_params_t *params);

#endif
