/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the transmission selection among the priorities of an Ethernet port:
 * strict priority and enhanced transmission selection (ETS).
 *
 * The port serves priorities with strict selection before all others, in order
 * from the highest to the lowest. The other priorities share the remaining
 * bandwidth in proportion to their weights, by deficit round robin over bytes.
 * A priority without a packet yields its share to the others and accumulates no
 * credit. [source: IEEE 802.1Q-2018, 8.6.8.1 and 37 (802.1Qaz); Shreedhar and
 * Varghese 1995 for deficit round robin]
 */
#ifndef FABRIC_ETS_H
#define FABRIC_ETS_H

#include <stdint.h>

#define GMS_ETS_PRIORITIES 8u
/** Bytes that a priority may send per turn for each unit of its weight. With a
 *  weight of 100, a turn contains several of the longest packets. */
#define GMS_ETS_UNIT 256u

/** Selection parameters of all ports. The parameters do not change during a
 * run. */
typedef struct gms_ets_config {
    uint8_t weight[GMS_ETS_PRIORITIES]; /* 0 means strict priority */
} gms_ets_config_t;

/** State of a port. Zeroed memory is a valid initial state. */
typedef struct gms_ets {
    uint32_t deficit[GMS_ETS_PRIORITIES]; /* bytes that a priority may send */
    uint32_t at;                          /* priority whose turn it is */
} gms_ets_t;

/** Return the priority that sends the next packet, and charge the packet to
 *  this priority.
 *  @param [in] ready  bits of the priorities that have a packet; not 0
 *  @param [in] bytes  length of the first packet of each of these priorities */
unsigned gms_ets_next(gms_ets_t *ets, const gms_ets_config_t *config,
                      uint32_t ready, const uint32_t *bytes);

#endif
