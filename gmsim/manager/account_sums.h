/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Sums of the flows' charges at nodes, on links and at processes, and the check
 * whether another flow fits. Private to the account.
 */
#ifndef MANAGER_ACCOUNT_SUMS_H
#define MANAGER_ACCOUNT_SUMS_H

#include "manager/account_int.h"

/** The links of a flow, there and, for its control traffic, back. No link is in
 *  it twice: round the own node both go the same way, and back is empty. */
typedef struct gms_sums_path {
    uint32_t there[GMS_ROUTE_LINKS_MAX], back[GMS_ROUTE_LINKS_MAX];
    unsigned there_count, back_count;
} gms_sums_path_t;

void gms_sums_find_path(const gms_account_t *account, const gms_managed_t *flow,
                        int with_back, gms_sums_path_t *path);
/** Charge a flow everywhere, as its grant says; or take that back. Best effort
 *  that is not idle also takes part in the sharing, for which it must be
 *  prepared (manager/share.h). A way back that is not charged may be in the way. */
void gms_sums_add(gms_account_t *account, gms_managed_t *flow,
                  const gms_sums_path_t *path);
void gms_sums_remove(gms_account_t *account, gms_managed_t *flow,
                     const gms_sums_path_t *path);
/**
 * What the processes can do, and the three criteria of the thesis, for a flow
 * that is not in the sums. Of those that fail, the one that leaves the least is
 * named, so that what is named can be had; of equals the first, in the order of
 * gms_sums_admit(). [source: gulati 2001 thesis 3.3.1 for the three]
 * @return 1 granted; 0 with criterion, place and what is left in the verdict
 */
int gms_sums_admit(gms_account_t *account, const gms_managed_t *flow,
                   const gms_sums_path_t *path, gms_qos_verdict_t *verdict);
/** The least that is left on the way, bytes/s; the flow is in the sums. */
double gms_sums_least_left(const gms_account_t *account,
                           const gms_managed_t *flow,
                           const gms_sums_path_t *path);

#endif
