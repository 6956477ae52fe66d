/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Congestion notification packets (CNPs) of RoCE. When a best-effort packet
 * arrives with a congestion mark from a switch, the target's NIC (the
 * notification point) sends a CNP to the packet's source. The NIC sends at most
 * one CNP per flow in an interval of dcqcn_cnp_ps. The sender then lowers the
 * rate of the flow (nic/dcqcn.h). CNPs belong to the control class.
 * [source: InfiniBand Architecture Specification, volume 1, annex A17, 17.9;
 * Zhu et al., SIGCOMM 2015, 3.1]
 */
#ifndef NIC_CNP_H
#define NIC_CNP_H

#include "nic/nic_int.h"

/** Send a CNP for a marked packet, unless a CNP was sent recently for its
 *  flow. */
void gms_cnp_notice(gms_ctx_t *ctx, gms_nic_t *nic, const gms_packet_t *packet);
/** Lower the rate of the flow that a CNP names. */
void gms_cnp_receive(gms_ctx_t *ctx, gms_nic_t *nic,
                     const gms_packet_t *packet);

#endif
