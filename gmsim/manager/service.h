/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Time for which a NIC is busy with one full packet, and the resulting capacity
 * of a node. It is computed from the parameters of the simulated NIC itself;
 * nothing is measured.
 */
#ifndef MANAGER_SERVICE_H
#define MANAGER_SERVICE_H

#include <stdint.h>

#include "params/params.h"
#include "base/time.h"

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

/**
 * R: time from one full packet to the next at a NIC that only receives.
 *
 *   LANai: RDMA start
 *   then the host DMA: set-up and transfer
 *   then LANai: RDMA finish + sending the acknowledgement
 *
 * and, once for each message, an event, whose DMA takes its turn, too; counted
 * for messages of 64 KB, as the thesis's. On lanai4.3: 452 cycles of 30.303 ns
 * are 13.70 us, 0.3 us + 4096 bytes at 120 MB/s are 34.43 us, a sixteenth of 60
 * cycles, 0.3 us and 64 bytes is 0.17 us: 48.30 us.
 */
gms_time_t gms_service_receive_ps(const gms_params_t *params);

/**
 * E: what a NIC loses at a turn from sending to receiving, beyond S and R.
 *
 * The end of a send DMA, an acknowledgement that comes in and the check of a
 * packet that arrives hide behind the host DMA of the next packet as long as
 * all packets go one way. Where the two ways mix, their times do not fit
 * together, and each can keep the LANai from starting the host DMA, once for
 * each turn: 180 cycles on lanai4.3, 5.45 us.
 */
gms_time_t gms_service_turn_ps(const gms_params_t *params);

/**
 * What packets take of a node's time.
 *
 *   send_ps     S' = max(S(n), L): one that goes out, no other beside it; L is
 *               the link's: a packet, the first switch's routing, finish and
 *               start of a send DMA. S' = S on lanai4.3; L on myrinet2000.
 *   receive_ps  R' = max(R, a packet on the link): one that comes in, alike
 *   pair_ps     max(S(n) + R + E, S'), which is R' at least: one that goes out
 *               and one that comes in while it is on the link
 *
 * In a second, then, with out / MTU and in / MTU packets, there are at most as
 * many pairs as packets in the direction that has fewer, and the others are
 * alone:
 *
 *   pairs pair_ps + (out - pairs) S' + (in - pairs) R' <= MTU x T,
 *   pairs = min(in, out)
 *
 * with T the part of a second that may be promised.
 *
 * turn_ps = pair_ps - S' - R' is what a pair takes beyond two packets alone: E
 * on lanai4.3; less than nothing where links, which work both ways at once, are
 * what packets wait for. [source: gulati 2001 thesis 5.3, fig. 5.4: sending and
 * receiving share the NIC's time]
 */
typedef struct gms_service {
    gms_time_t send_ps, receive_ps;
    int64_t turn_ps;
} gms_service_t;

/** T: how much of a second's time a NIC may be promised, by qos_node_load_ppm. A
 *  card that is promised all of its time has none left to make up for packets
 *  that waited. */
gms_time_t gms_service_promised_ps(const gms_params_t *params);

/** @param [in] flows  n; 0 counts as 1 */
gms_service_t gms_service_of(const gms_params_t *params, uint64_t flows);

/**
 * What a node can promise in all, in and out, bytes/s, when `in` bytes/s are
 * promised into it and n flows are sourced there.
 *
 *   rule incoming  min(qos_node_bytes_s, in + out), out the largest that fits
 *                  the above. With default parameters and qos_node_bytes_s of
 *                  78 or 90 MB/s, and with those of myrinet2000, the simulated
 *                  NIC delivers it, in and out (tests/unit/test_service)
 *   rule constant  qos_node_bytes_s [source: gulati 2001 thesis 5.6]
 */
double gms_service_node_bytes_s(const gms_params_t *params, uint64_t flows,
                                double in_bytes_s);

#endif
