/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Log of the packets of a NIC in the order in which its scheduler dispatched
 * them, as in figures 5.11 and 5.12 of the thesis. The log is in the
 * simulator's memory, not the NIC's, and costs no virtual time. It has no
 * control packets, which are not scheduled; a packet that is sent again is in
 * it again.
 *
 *   [chunk] -> [chunk] -> .. -> [chunk]
 *    oldest                      newest; full logs use the oldest one again
 */
#ifndef NIC_DISPATCH_H
#define NIC_DISPATCH_H

#include <stdint.h>

#include "nic/flow.h"

typedef struct gms_dispatch_record {
    uint64_t rtc;           /* tick of the NIC's real-time clock */
    const gms_flow_t *flow; /* nic/flow.h; in the arena, stays */
    uint32_t bytes;         /* payload */
} gms_dispatch_record_t;

typedef struct gms_dispatch_log gms_dispatch_log_t; /* in the arena */

/**
 * Keep the last packets from now on; what is in the log is forgotten.
 * @param [in] records  at most so many; 0: no log
 * @return GMS_OK, GMS_ERR_NO_MEMORY (no log then)
 */
gms_status_t gms_dispatch_keep(gms_ctx_t *ctx, gms_nic_t *nic,
                               uint64_t records);
/** One more; for SDMA. */
void gms_dispatch_add(gms_ctx_t *ctx, gms_dispatch_log_t *log, uint64_t rtc,
                      const gms_flow_t *flow, uint32_t bytes);

/** Packets in the log; 0 without one. */
uint64_t gms_dispatch_count(const gms_nic_t *nic);
typedef void gms_dispatch_fn(void *context,
                             const gms_dispatch_record_t *record);
/** Call for each, the oldest first. */
void gms_dispatch_walk(const gms_nic_t *nic, gms_dispatch_fn *call,
                       void *context);

#endif
