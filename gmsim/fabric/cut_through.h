/* SPDX-License-Identifier: BSD-3-Clause */
/** Checks the parameters of the fabric model cut-through, which cut_through.c
 *  implements. */
#ifndef FABRIC_CUT_THROUGH_H
#define FABRIC_CUT_THROUGH_H

#include "fabric/topology.h"

/**
 * Check that every lane in use has a weight, because packets of other lanes
 * would never be sent.
 *
 * @param [out] row_p  name of the parameter to change; set on failure
 * @param [out] error  reason, without the name of the parameter; set on failure
 * @return GMS_OK, GMS_ERR_CONFIG
 */
gms_status_t gms_cut_through_check(const gms_params_t *params,
                                   const char **row_p,
                                   char error[GMS_TOPOLOGY_ERROR_LEN]);
/** Return 1 if the arbitration tables contain a lane. */
int gms_cut_through_has_lane(const gms_params_t *params, uint64_t lane);

#endif
