/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The dispatch logs of all NICs as a CSV table, the data of figures 5.11 and
 * 5.12 of the thesis. [source: gulati 2001 thesis 5.6]
 */
#ifndef OBSERVE_DISPATCH_H
#define OBSERVE_DISPATCH_H

#include "base/status.h"
#include "nic/nic.h"

/** Packets of each NIC that are kept where GMSIM_DISPATCH asks for a log and
 *  nic_dispatch_records does not say how long.
 *  [assumed: 50 s of a busy NIC of the thesis, 24 MB] */
#define GMS_DISPATCH_DEFAULT_RECORDS UINT64_C(1000000)

/**
 * Write comma-separated values, a line per packet: node, source_port,
 * target_node, target_port, priority, label, rtc_tick, bytes (GM's node ids,
 * which begin at 1; payload). One node after the other, each in the order of
 * dispatch.
 *
 * @param [in] path  replaced if it is there
 * @param [in] nics  by node
 * @return GMS_OK; GMS_ERR_SYSTEM: errno says why
 */
gms_status_t gms_dispatch_write(const char *path, gms_nic_t *const *nics,
                                unsigned nodes);

#endif
