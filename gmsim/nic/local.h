/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Communication between ports of one host through its memory, without the NIC.
 *
 * gms_nic_send_by_memory() enables it for a port. Messages, puts and gets to
 * ports of the same node are then carried as follows:
 *
 *   posted -> [queue of its flow] -> copied, MTU by MTU -> latency -> seen
 *
 * The copies of a host share its memory bus: one piece at a time, one of each
 * flow in turn. A message costs no time on the bus, because MPI's device, which
 * fills and empties its buffer, charges that time to the processes. Puts and
 * gets cost memory_ps_per_byte. Both ends observe the completion
 * memory_latency_ps later. A flow keeps its order. There are no packets and no
 * IDT, therefore nothing is regulated.
 *
 * A message takes a buffer that its target port has provided, like a message
 * that arrives through the NIC. It waits, with the later messages of its flow,
 * until there is one. A send that fails ends with its result and does not stall
 * the flow.
 */
#ifndef NIC_LOCAL_H
#define NIC_LOCAL_H

#include "nic/nic_int.h"

/** One send on its way. */
typedef struct gms_local_op gms_local_op_t;

/** Those of a flow, in order; there as long as it is not empty. */
typedef struct gms_local_flow {
    struct gms_local_flow *next;
    gms_flow_key_t key;
    gms_local_op_t *first, *last;
} gms_local_flow_t;

/** 1 if a send goes this way. */
int gms_local_takes(const gms_nic_t *nic, const gms_send_desc_t *desc);
/** Of gms_nic_post_send(): [post]. */
void gms_local_post(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                    gms_time_t at_ps, const gms_send_desc_t *desc);
/** A buffer has been provided, or a port closed: what waits looks again. */
void gms_local_retry(gms_ctx_t *ctx, gms_nic_t *nic);

gms_handler_fn gms_local_on_post;
gms_handler_fn gms_local_on_copied;
gms_handler_fn gms_local_on_seen;

#endif
