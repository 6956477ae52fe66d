/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes how long a NIC is busy with one full packet, and the resulting
 * capacity of a node. Both values follow from the parameters of the simulated
 * NIC and are not measured.
 */
#ifndef MANAGER_SERVICE_H
#define MANAGER_SERVICE_H

#include <stdint.h>

#include "params/params.h"
#include "base/time.h"

/**
 * Returns S(n), the time between consecutive packets of nic_mtu_bytes at a NIC
 * that sends packets of n backlogged flows with IDT 0. The steps are
 *
 * - LANai: schedule [+ rate: first + (n - 1) additional flows] + SDMA start
 * - then the host DMA: set-up and transfer
 * - then LANai: SDMA finish + send start
 *
 * The steps run one after the other. The LANai must have chosen a packet before
 * the host DMA of this packet can start. The LANai chooses the next packet
 * after it has started to send this packet. The link, the end of the send DMA
 * and arriving acknowledgements take no additional time. These activities take
 * place during the host DMA of the next packet, which takes longer. [source:
 * gulati 2001 thesis figures 5.5, 5.6: S grows by 0.62 us per flow]
 *
 * @param [in] flows  number n of flows; 0 is treated as 1
 */
gms_time_t gms_service_send_ps(const gms_params_t *params, uint64_t flows);

/**
 * Returns R, the time between consecutive full packets at a NIC that only
 * receives. The steps are
 *
 * - LANai: RDMA start
 * - then the host DMA: set-up and transfer
 * - then LANai: RDMA finish + sending the acknowledgement
 *
 * and, once per message, an event, whose DMA is another transfer. The cost of
 * the event is divided among the 16 packets of a message of 64 KB, as in the
 * thesis. On lanai4.3 the sum is 48.30 us. 452 cycles of 30.303 ns are 13.70
 * us. 0.3 us + 4096 bytes at 120 MB/s are 34.43 us. One sixteenth of the cost
 * of an event (60 cycles, 0.3 us and 64 bytes) is 0.17 us.
 */
gms_time_t gms_service_receive_ps(const gms_params_t *params);

/**
 * Returns E, the time beyond S and R that a NIC loses when it changes from
 * sending to receiving.
 *
 * If all packets have the same direction, three jobs take no additional time,
 * because they run during the host DMA of the next packet. These jobs are the
 * end of a send DMA, an arriving acknowledgement, and the check of an arriving
 * packet. If packets of both directions are mixed, these jobs do not coincide
 * with the transfers. At every change of direction, each of these jobs can then
 * delay the moment at which the LANai starts the host DMA. On lanai4.3, these
 * delays are 180 cycles, or 5.45 us.
 */
gms_time_t gms_service_turn_ps(const gms_params_t *params);

/**
 * Times for which packets occupy a node:
 *
 * - send_ps: S' = max(S(n), L), the time of an outgoing packet alone. L is the
 *   time of the link: the time of a packet, of the routing in the first switch,
 *   and of finishing and starting a send DMA. S' is S on lanai4.3, and L on
 *   myrinet2000.
 * - receive_ps: R' = max(R, time of a packet on the link), the time of an
 *   incoming packet alone
 * - pair_ps: max(S(n) + R + E, S'), which is at least R': an outgoing packet,
 *   and an incoming packet while the outgoing one is on the link
 *
 * Let `out' and `in' be the bytes that a node sends and receives in a second.
 * The node then sends out / MTU packets and receives in / MTU packets. The
 * direction with fewer packets limits the number of pairs. The remaining
 * packets are alone:
 *
 *   pairs pair_ps + (out - pairs) S' + (in - pairs) R' <= MTU x T,
 *   pairs = min(in, out)
 *
 * T is the fraction of a second that may be promised.
 *
 * turn_ps = pair_ps - S' - R' is the additional time of a pair, compared with
 * two separate packets. On lanai4.3, this time is E. The time is negative if
 * the links limit the packets, because links carry both directions at the same
 * time. [source: gulati 2001 thesis 5.3, fig. 5.4: sending and receiving share
 * the NIC's time]
 */
typedef struct gms_service {
    gms_time_t send_ps, receive_ps;
    int64_t turn_ps;
} gms_service_t;

/** Returns T, the fraction of a NIC's time that may be promised, as set by
 *  qos_node_load_ppm. If all of a NIC's time were promised, the NIC could not
 *  catch up after a delay. */
gms_time_t gms_service_promised_ps(const gms_params_t *params);

/** Returns the service times of a node.
 *  @param [in] flows number n of flows; 0 is treated as 1 */
gms_service_t gms_service_of(const gms_params_t *params, uint64_t flows);

/**
 * Returns the total bandwidth that a node can promise for both directions
 * together, in bytes/s. The node is the source of n flows, and the target of
 * flows with a total reserved bandwidth of `in` bytes/s.
 *
 * - rule incoming: min(qos_node_bytes_s, in + out), where `out` is the largest
 *   value that the formula above allows. The simulated NIC delivers this
 *   bandwidth, for both directions together, with the default parameters and
 *   qos_node_bytes_s of 78 or 90 MB/s, and with the parameters of myrinet2000
 *   (tests/unit/test_service)
 * - rule constant: qos_node_bytes_s [source: gulati 2001 thesis 5.6]
 */
double gms_service_node_bytes_s(const gms_params_t *params, uint64_t flows,
                                double in_bytes_s);

#endif
