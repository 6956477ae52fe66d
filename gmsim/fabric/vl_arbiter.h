/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the arbitration among the virtual lanes (VLs) of an InfiniBand port.
 *
 * A port has two tables, high and low. An entry names a lane and a weight in
 * units of 64 bytes. The arbiter serves the entries of a table in turn. An
 * entry's turn ends when packets of its lane have used up the weight, or when
 * its lane has no packet. A packet may begin while any weight is left, and its
 * length is rounded up to the next unit.
 *
 * Lanes of the high table have priority. While packets of the low table wait,
 * the high table may send only up to the limit of high priority. Then one
 * packet of the low table is sent. [source: InfiniBand Architecture
 * Specification, volume 1, 7.6.9]
 */
#ifndef FABRIC_VL_ARBITER_H
#define FABRIC_VL_ARBITER_H

#include <stdint.h>

#define GMS_VL_MAX     15u /* number of data lanes; lane 15 is for management */
#define GMS_VL_ENTRIES 64u
#define GMS_VL_UNIT    64u /* number of bytes per unit of weight */
/** This value disables the limit of high priority. Other limits are in units of
 *  GMS_VL_LIMIT_UNIT; 0 means one packet. */
#define GMS_VL_UNLIMITED  255u
#define GMS_VL_LIMIT_UNIT 4096u

typedef struct gms_vl_entry {
    uint8_t lane;
    uint8_t weight; /* in units of GMS_VL_UNIT; the arbiter skips an entry with
                     * weight 0 */
} gms_vl_entry_t;

typedef struct gms_vl_table {
    uint32_t count;
    gms_vl_entry_t entry[GMS_VL_ENTRIES];
} gms_vl_table_t;

/** Arbitration tables of a port. The tables do not change during a run. */
typedef struct gms_vl_config {
    gms_vl_table_t high, low;
    uint32_t high_limit; /* 0..255 */
} gms_vl_config_t;

/** Position in a table. */
typedef struct gms_vl_turn {
    uint32_t at;   /* entry whose turn it is */
    int32_t units; /* remaining weight of the entry; the last packet of a turn
                    * may make it negative */
} gms_vl_turn_t;

/** State of a port. Zeroed memory is a valid initial state. */
typedef struct gms_vl_arbiter {
    gms_vl_turn_t high, low;
    uint64_t high_bytes; /* number of bytes that the high table sent while the
                          * low table waited */
} gms_vl_arbiter_t;

/** Return the lane that sends the next packet, and charge the packet to this
 *  lane.
 *  @param [in] lanes  bits of the lanes that have a packet and credits for it
 *  @param [in] bytes  length of the first packet of each of these lanes
 *  @return the lane; GMS_VL_MAX if no lane of a table has a packet */
unsigned gms_vl_arbiter_next(gms_vl_arbiter_t *arbiter,
                             const gms_vl_config_t *config, uint32_t lanes,
                             const uint32_t bytes[GMS_VL_MAX]);

#endif
