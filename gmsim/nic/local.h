/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Communication between ports of one host through its memory, without the NIC.
 *
 * gms_nic_send_by_memory() enables it for a port. Messages, puts and gets to
 * ports of the same node are then carried as follows:
 *
 *   posted -> [queue of its flow] -> copied, MTU by MTU -> latency -> seen
 *
 * All copies of a host share its memory bus. The bus copies one piece at a time
 * and serves the flows in turn. A message costs no time on the bus, because
 * MPI's device, which fills and empties its buffer, charges that time to the
 * processes. Puts and gets cost memory_ps_per_byte. Both ends observe the
 * completion memory_latency_ps later. The sends of a flow keep their order.
 * There are no packets and no IDT, so IDTs do not regulate this traffic.
 *
 * A message takes a buffer that its target port has provided, like a message
 * that arrives through the NIC. Without a buffer, the message and the later
 * messages of its flow wait. A send that fails ends with its result and does
 * not stall the flow.
 */
#ifndef NIC_LOCAL_H
#define NIC_LOCAL_H

#include "nic/nic_int.h"

/** One send that is under way. */
typedef struct gms_local_op gms_local_op_t;

/** The sends of a flow, in order. It exists while it has sends. */
typedef struct gms_local_flow {
    struct gms_local_flow *next;
    gms_flow_key_t key;
    gms_local_op_t *first, *last;
} gms_local_flow_t;

/** Return 1 if a send passes through the host's memory. */
int gms_local_takes(const gms_nic_t *nic, const gms_send_desc_t *desc);
/** Post a send that passes through the host's memory, for gms_nic_post_send().
 *  [post] */
void gms_local_post(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                    gms_time_t at_ps, const gms_send_desc_t *desc);
/** Try the waiting sends again, because a buffer was provided or a port
 *  closed. */
void gms_local_retry(gms_ctx_t *ctx, gms_nic_t *nic);

gms_handler_fn gms_local_on_post;
gms_handler_fn gms_local_on_copied;
gms_handler_fn gms_local_on_seen;

#endif
