/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gets (reads of remote memory). These functions are the steps of RECV and RDMA
 * for packets of gets, at both ends.
 */
#ifndef NIC_GET_H
#define NIC_GET_H

#include "nic/mcp.h"

/** Return the number of bytes that a GET packet requests. */
uint32_t gms_get_wanted(const gms_packet_t *packet);
/** Queue the answer to a GET packet. RDMA calls this function at the owner of
 *  the memory. */
void gms_get_answer(gms_ctx_t *ctx, gms_nic_t *nic, const gms_packet_t *packet);
/** Set the destination of the data of a GOT packet. RECV calls this function at
 *  the requester. */
void gms_get_accept(gms_nic_t *nic, gms_packet_t *packet);
/** Return the token of the get whose last bytes a GOT packet contains, or NULL.
 */
gms_token_t *gms_get_ending(gms_nic_t *nic, const gms_packet_t *packet);
/** Write the data of a GOT packet to host memory, and end the get if its data
 *  are complete. RDMA calls this function at the requester. */
void gms_get_take(gms_ctx_t *ctx, gms_nic_t *nic, const gms_nic_port_t *port,
                  const gms_packet_t *packet);

#endif
