/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Writes the dispatch logs of all NICs as a CSV table. This table contains the
 * data of figures 5.11 and 5.12 of the thesis. [source: gulati 2001 thesis 5.6]
 */
#ifndef OBSERVE_DISPATCH_H
#define OBSERVE_DISPATCH_H

#include "base/status.h"
#include "nic/nic.h"

/** Default number of packets per NIC in the log, if GMSIM_DISPATCH is set and
 *  nic_dispatch_records is 0. [assumed: enough for 50 s of a busy NIC of the
 *  thesis; this log occupies 24 MB] */
#define GMS_DISPATCH_DEFAULT_RECORDS UINT64_C(1000000)

/**
 * Write the logs as comma-separated values, one line per packet: node,
 * source_port, target_node, target_port, priority, label, rtc_tick, bytes.
 * Nodes are GM's node ids, which start at 1. The last column contains the
 * number of payload bytes. The file lists all packets of a node in the order of
 * dispatch, then all packets of the next node.
 *
 * @param [in] path  an existing file is replaced
 * @param [in] nics array of all NICs, indexed by node
 *
 * @return GMS_OK; GMS_ERR_SYSTEM with errno set
 */
gms_status_t gms_dispatch_write(const char *path, gms_nic_t *const *nics,
                                unsigned nodes);

#endif
