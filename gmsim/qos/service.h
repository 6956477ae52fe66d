/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * How long a NIC is busy with one full packet that it sends, and what a node
 * can therefore promise. Computed from the parameters that the simulated NIC
 * itself runs on; nothing here is measured.
 */
#ifndef QOS_SERVICE_H
#define QOS_SERVICE_H

#include <stdint.h>

#include "config/params.h"
#include "engine/time.h"

/**
 * S(n): time from one packet of nic_mtu_bytes to the next at a NIC that sends
 * from n backlogged flows, IDT 0.
 *
 *   LANai: schedule [+ rate: first + (n - 1) further flows] + SDMA start
 *   then the host DMA: set-up and transfer
 *   then LANai: SDMA finish + send start
 *
 * One follows the other: the LANai must have chosen a packet before its host
 * DMA can start, and chooses the next one after it has started to send this
 * one. The link, the end of the send DMA and acknowledgements that come in are
 * served meanwhile: they hide behind the host DMA of the next packet.
 * [source: gulati 2001 thesis figures 5.5, 5.6: S grows by 0.62 us per flow]
 *
 * @param [in] flows  n; 0 counts as 1
 */
gms_time_t gms_service_send_ps(const gms_params_t *params, uint64_t flows);

/** Bandwidth that a node with n flows sourced there can promise, bytes/s: the
 *  lesser of qos_node_bytes_s and nic_mtu_bytes / S(n). */
double gms_service_node_bytes_s(const gms_params_t *params, uint64_t flows);

#endif
