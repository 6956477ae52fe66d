/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes the public counters of NICs and flows. No other file computes public
 * counters from internal counters.
 */
#ifndef OBSERVE_COUNTERS_H
#define OBSERVE_COUNTERS_H

#include "gmsim_counters.h"
#include "nic/nic.h"

/** Fill in the public counters of a NIC or a flow.
 *  @param [in] now_ps  virtual time, not earlier than the last event */
void gms_counters_of_nic(const gms_nic_t *nic, gms_time_t now_ps,
                         gmsim_nic_counters_t *counters);
void gms_counters_of_flow(const gms_nic_t *nic, const gms_flow_key_t *key,
                          gms_time_t now_ps, gmsim_flow_counters_t *counters);

#endif
