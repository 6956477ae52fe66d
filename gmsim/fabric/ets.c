/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements strict priority and deficit round robin among the priorities of an
 * Ethernet port.
 */
#include "fabric/ets.h"

unsigned gms_ets_next(gms_ets_t *ets, const gms_ets_config_t *config,
                      uint32_t ready, const uint32_t *bytes)
{
    uint32_t shared = 0, i;

    for (i = GMS_ETS_PRIORITIES; i-- > 0;) {
        if ((ready >> i & 1) == 0) {
            continue;
        }
        if (config->weight[i] == 0) {
            return i;
        }
        shared |= UINT32_C(1) << i;
    }
    for (i = 0; i < GMS_ETS_PRIORITIES; ++i) {
        if ((shared >> i & 1) == 0) {
            ets->deficit[i] = 0;
        }
    }
    if ((shared & (shared - 1)) == 0) { /* if only one priority has a packet to
                                         * send, no selection is necessary */
        ets->at = 0;
        while ((shared >> ets->at & 1) == 0) {
            ++ets->at;
        }
        ets->deficit[ets->at] = 0;
        return ets->at;
    }
    while ((shared >> ets->at & 1) == 0 ||
           ets->deficit[ets->at] < bytes[ets->at]) {
        ets->at = (ets->at + 1) % GMS_ETS_PRIORITIES;
        if (shared >> ets->at & 1) {
            ets->deficit[ets->at] += config->weight[ets->at] * GMS_ETS_UNIT;
        }
    }
    ets->deficit[ets->at] -= bytes[ets->at];
    return ets->at;
}
