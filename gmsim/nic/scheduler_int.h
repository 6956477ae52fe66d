/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to scheduler*.c: the tables of operations of all schedulers, and a
 * ring of flows.
 */
#ifndef NIC_SCHEDULER_INT_H
#define NIC_SCHEDULER_INT_H

#include "nic/scheduler.h"

extern const gms_scheduler_ops_t gms_scheduler_message_rr_ops;
extern const gms_scheduler_ops_t gms_scheduler_packet_rr_ops;
extern const gms_scheduler_ops_t gms_scheduler_rate_ops;

/** Ring of flows: head is served next, head's predecessor last. */
void gms_ring_append(gms_flow_t **head_p, gms_flow_t *flow);
/** If it was the head, the next one is. */
void gms_ring_remove(gms_flow_t **head_p, gms_flow_t *flow);

#endif
