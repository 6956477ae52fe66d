/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Bounds for hca NICs on the fabric model `cut-through`.
 *
 * A reserved packet crosses the resources in the table below. Every resource
 * serves reserved packets before other packets, and completes a transfer that
 * has begun. The first column of the table shows the largest amount of other
 * work that precedes the reserved packets of a busy period. The other columns
 * show the time that each reserved packet costs, and the constant latency of
 * the resource.
 *
 *   resource         other work             cost of a packet      latency
 *   work requests    1 request, and 1 of    hca_request of a      hca_fetch
 *                    each reserved flow     message
 *   send engine      2 b packets            hca_packet            hca_send
 *   bus, DMA reads   b full packets and b   bus(payload)          R
 *                    packets of managers
 *   first link       1 full packet          wire                  -
 *   each switch      1 full packet          wire                  propagation,
 *   and its link                                                  routing
 *   link into the    1 full packet          max(wire,             propagation
 *   target's NIC                            propagation)
 *   receive engine   w packets              hca_packet            hca_receive
 *   bus, DMA writes  w full packets, or     bus(payload + event)  W
 *                    one latency W
 *
 *   b = nic_send_buffers, w = GMS_HCA_WRITES
 *   W = hca_write + hca_completion + hca_data
 *   R = hca_read + hca_read_ps_per_byte x payload
 *
 * Work requests: the NIC executes one request per hca_request. It executes
 * requests of reserved flows first, and these flows take turns (nic/post.c). A
 * reserved request therefore waits for the request in progress, and for at most
 * one request of each other reserved flow, however many requests any process
 * has posted.
 *
 * Payload: every packet is charged with nic_mtu_bytes, because the NIC enforces
 * the pace of a flow, but not the length of its packets.
 *
 * DMA reads: after its first reservation, a NIC selects packets of other
 * classes only while the send engine and the bus are idle (nic/hca_send.c). At
 * the first reservation, however, all send buffers of the other classes may be
 * in use, and all their reads may be waiting for the bus. The bound therefore
 * contains this backlog.
 *
 * Buffers: a send buffer is occupied from the time when the NIC selects a
 * packet until the packet has left. If all b buffers are in use, a packet is
 * selected when the packet b positions ahead of it leaves. In the meantime, at
 * most one packet of another class uses the bus, and at most one uses the link.
 * A packet therefore costs at least
 *
 *   (bus(full) + wire(full) + hca_packet + bus + wire + R + hca_send)
 *   / b.
 *
 * The same applies to the receive buffers of the target, where all w writes may
 * belong to other classes. If these w writes began together, a reserved packet
 * waits for their latency W, even if the bus is idle. If reserved packets use
 * all writes, a packet costs at least (hca_receive + bus + W) / w.
 *
 * Parts: with hca_forward_bytes, a packet leaves a stage no later than without
 * it. The packet occupies the bus and the links for the same time. The bounds
 * therefore assume whole packets. Only the smallest delay of a message, from
 * which the jitter follows, assumes that every stage passes on a packet as soon
 * as it has one byte of it.
 *
 * The bus and the link, whose times depend on the number of bytes, serve the
 * same packets in the same order. A packet costs the longer of its times at the
 * bus and at the link, and one packet costs the sum of both times
 * (bound_server.c).
 *
 * Acknowledgements use the lane of the reservations. On the link into a NIC, a
 * packet that follows a very short packet waits until a receive buffer has been
 * requested, which takes the propagation time. An acknowledgement therefore
 * occupies this link for at least the propagation time.
 *
 * [source: Le Boudec and Thiran, Network Calculus, 2001, sections 1.4 and 6.2
 * (non-preemptive priority); Kermani and Kleinrock, Virtual cut-through, 1979]
 */
#ifndef MANAGER_BOUND_HCA_H
#define MANAGER_BOUND_HCA_H

#include "manager/bound_int.h"

/** Return 1 if the rule describes a cluster. The rule requires hca NICs, one
 *  NIC per host, and the fabric model `cut-through`. Reservations must not
 *  share their lane with best effort. Only reservations may use the high table,
 *  which must have no limit. The NIC must pace every packet. All links must
 *  have the same rate, and no port may have its own assignment of lanes. */
int gms_bound_hca_applies(const gms_params_t *params,
                          const gms_topology_t *topology);

extern const gms_bound_ops_t gms_bound_hca_ops;

#endif
