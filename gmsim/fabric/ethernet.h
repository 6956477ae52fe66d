/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the fabric model `ethernet`: switches of a converged Ethernet that
 * carries RDMA (RoCE). Packets move as in the model cut-through. Priorities
 * replace virtual lanes, and pause frames replace credits.
 *
 *   DSCP of the class -> priority -> queue of the output port -> ETS -> link
 *                                    marks packets (ECN)
 *   input port: bytes of the priority > xoff -> PAUSE, <= xon -> RESUME (PFC)
 *
 * For each priority, an input port counts the bytes that are still in the
 * switch. A pause frame waits for the packet that is being sent in its
 * direction. Then the frame crosses the link, and the other end obeys it.
 * Packets that are sent in the meantime occupy the headroom of the input port.
 * [source: IEEE 802.1Q-2018, 36 and annex N (802.1Qbb)]
 */
#ifndef FABRIC_ETHERNET_H
#define FABRIC_ETHERNET_H

#include "fabric/topology.h"

typedef struct gms_fabric gms_fabric_t;

/** Counters for all ports since the start of the run. */
typedef struct gms_eth_counts {
    uint64_t pauses;     /* number of PAUSE frames, without RESUME frames */
    uint64_t marked;     /* number of packets that a switch marked */
    uint64_t overflowed; /* number of packets that were dropped because no
                          * buffer space was available */
    uint64_t most_bytes; /* largest number of bytes that an input port counted
                          * for one priority */
} gms_eth_counts_t;

/** Check the parameters eth_* for consistency.
 *  @param [out] row_p  name of the row to which an error refers
 *  @param [out] error  reason for the error
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_eth_check(const gms_params_t *params, const char **row_p,
                           char error[GMS_TOPOLOGY_ERROR_LEN]);
/** Return the priority of a class (enum gms_lane_class), which is the class
 *  selector of its DSCP. */
unsigned gms_eth_priority(const gms_params_t *params, unsigned traffic_class);
/** Return the headroom that prevents losses on a link.
 *  @param [in] bytes_s  rate of the link, in both directions
 *  @param [in] slowest_bytes_s  rate of the slowest link of the fabric */
uint64_t gms_eth_headroom(const gms_params_t *params, uint64_t bytes_s,
                          uint64_t slowest_bytes_s);
/** Return the counters of pauses, marks and overflows of all ports. */
const gms_eth_counts_t *gms_fabric_eth_counts(const gms_fabric_t *fabric);
/** Return the number of bytes of a priority that wait for a link. */
uint64_t gms_fabric_eth_queue(const gms_fabric_t *fabric, uint32_t link,
                              unsigned priority);

#endif
