/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Log of the packets of a NIC in the order in which its scheduler dispatched
 * them, as in figures 5.11 and 5.12 of the thesis. The log is in the memory of
 * the simulator, not of the NIC, and takes no simulated time. The log contains
 * no control packets, because they are not scheduled. A retransmitted packet is
 * logged again.
 *
 *   [chunk] -> [chunk] -> .. -> [chunk]
 *   oldest                      newest; a full log reuses the oldest chunk
 */
#ifndef NIC_DISPATCH_H
#define NIC_DISPATCH_H

#include <stdint.h>

#include "nic/flow.h"

typedef struct gms_dispatch_record {
    uint64_t rtc;           /* tick of the NIC's real-time clock */
    const gms_flow_t *flow; /* flow of the packet; in the arena, never freed */
    uint32_t bytes;         /* payload */
} gms_dispatch_record_t;

typedef struct gms_dispatch_log gms_dispatch_log_t; /* stored in the arena */

/**
 * Clear the log. From now on, the log contains the last `records' dispatched
 * packets.
 * @param [in] records maximum number of records; 0: keep no log
 * @return GMS_OK, or GMS_ERR_NO_MEMORY, in which case there is no log
 */
gms_status_t gms_dispatch_keep(gms_ctx_t *ctx, gms_nic_t *nic,
                               uint64_t records);
/** Add a record. SDMA calls this function. */
void gms_dispatch_add(gms_ctx_t *ctx, gms_dispatch_log_t *log, uint64_t rtc,
                      const gms_flow_t *flow, uint32_t bytes);

/** Return the number of packets in the log, or 0 if there is no log. */
uint64_t gms_dispatch_count(const gms_nic_t *nic);
typedef void gms_dispatch_fn(void *context,
                             const gms_dispatch_record_t *record);
/** Call a function for each record, beginning with the oldest record. */
void gms_dispatch_walk(const gms_nic_t *nic, gms_dispatch_fn *call,
                       void *context);

#endif
