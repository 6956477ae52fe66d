/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Implements communication between ports of one host through the host's memory,
 * without the NIC.
 *
 * The function gms_nic_send_by_memory() enables this communication for a port.
 * Messages, puts and gets from this port to ports of the same node pass through
 * these stages:
 *
 *   posted -> [queue of its flow] -> copied, MTU by MTU -> latency -> seen
 *
 * All copies of a host share its memory bus. The bus copies one piece at a time
 * and serves the flows in turn. A message uses no bus time, because MPI's
 * device fills and empties the message's buffer and charges the time of these
 * copies to the processes. Puts and gets occupy the bus for memory_ps_per_byte
 * per byte. Both ends observe the end of a send memory_latency_ps after the
 * copy. The sends of a flow keep their order. IDTs do not regulate
 * this traffic, because it does not consist of packets.
 *
 * Like a message that arrives through the NIC, a local message requires a
 * buffer that its target port has provided. If there is no buffer, the message
 * and the later sends of its flow wait. A failed send is reported with its
 * result and does not stall the flow.
 */
#ifndef NIC_LOCAL_H
#define NIC_LOCAL_H

#include "nic/nic_int.h"

/** A send that has not yet been completed. */
typedef struct gms_local_op gms_local_op_t;

/** A flow with its sends, in the order in which they were posted. This object
 *  exists only while the flow has sends. */
typedef struct gms_local_flow {
    struct gms_local_flow *next;
    gms_flow_key_t key;
    gms_local_op_t *first, *last;
} gms_local_flow_t;

/** Return 1 if a send passes through the host's memory. */
int gms_local_takes(const gms_nic_t *nic, const gms_send_desc_t *desc);
/** Post a send that passes through the host's memory. gms_nic_post_send() calls
 *  this function. [post] */
void gms_local_post(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                    gms_time_t at_ps, const gms_send_desc_t *desc);
/** Retry the waiting sends, because a buffer was provided or a port was
 *  closed. */
void gms_local_retry(gms_ctx_t *ctx, gms_nic_t *nic);

gms_handler_fn gms_local_on_post;
gms_handler_fn gms_local_on_copied;
gms_handler_fn gms_local_on_seen;

#endif
