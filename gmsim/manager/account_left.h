/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private header of the bandwidth account: finds the largest request that would
 * have been granted in place of a denied one.
 */
#ifndef MANAGER_ACCOUNT_LEFT_H
#define MANAGER_ACCOUNT_LEFT_H

#include "manager/account_sums.h"

/**
 * Replaces the remaining bandwidth of one resource by the largest bandwidth that
 * all sums together have room for. The verdict then names the resource that
 * prevents a larger bandwidth. A process can be the limit between the bandwidths
 * of two IDTs; in all other cases, the result is the bandwidth of an IDT.
 *
 * @param [in]     flow     the flow of the denied request, which is not in the
 *                          sums; the function restores its charges
 * @param [in,out] verdict  the denial of gms_sums_admit(); a denial of best
 *                          effort remains unchanged
 */
void gms_account_find_left(gms_account_t *account, gms_managed_t *flow,
                           const gms_flow_request_t *request,
                           const gms_sums_path_t *path,
                           gms_qos_verdict_t *verdict);

#endif
