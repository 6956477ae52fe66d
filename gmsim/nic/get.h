/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gets (reads of remote memory): the steps of RECV and RDMA for their packets,
 * at both ends.
 */
#ifndef NIC_GET_H
#define NIC_GET_H

#include "nic/mcp.h"

/** Return the number of bytes that a GET requests. */
uint32_t gms_get_wanted(const gms_packet_t *packet);
/** RDMA at the owner: queue the answer to a GET. */
void gms_get_answer(gms_ctx_t *ctx, gms_nic_t *nic, const gms_packet_t *packet);
/** RECV at the requester: set the destination of the data of a GOT packet. */
void gms_get_accept(gms_nic_t *nic, gms_packet_t *packet);
/** RDMA at the requester: write the data of a GOT; this may end the get. */
void gms_get_take(gms_ctx_t *ctx, gms_nic_t *nic, const gms_nic_port_t *port,
                  const gms_packet_t *packet);

#endif
