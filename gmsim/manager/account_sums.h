/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private header of the bandwidth account: computes the sums of the flows'
 * charges at nodes, on links and at processes, and checks whether another flow
 * fits.
 */
#ifndef MANAGER_ACCOUNT_SUMS_H
#define MANAGER_ACCOUNT_SUMS_H

#include "manager/account_int.h"

/** The links of a flow in the forward direction and, for its control traffic,
 *  in the reverse direction. No link is listed twice: both directions of a loop
 *  at one node use the same links, and `back` is empty. */
typedef struct gms_sums_path {
    uint32_t there[GMS_ROUTE_LINKS_MAX], back[GMS_ROUTE_LINKS_MAX];
    unsigned there_count, back_count;
} gms_sums_path_t;

void gms_sums_find_path(const gms_account_t *account, const gms_managed_t *flow,
                        int with_back, gms_sums_path_t *path);
/** Adds the charges of a flow's grant to all resources, or removes them. A
 *  best-effort flow that is not idle also joins or leaves the sharing of
 *  bandwidth. The caller must already have prepared a best-effort flow
 *  (manager/share.h). `path` may include a reverse route that is not
 *  charged. */
void gms_sums_add(gms_account_t *account, gms_managed_t *flow,
                  const gms_sums_path_t *path);
void gms_sums_remove(gms_account_t *account, gms_managed_t *flow,
                     const gms_sums_path_t *path);
/**
 * Checks the capacity of the processes and the three criteria of the thesis for
 * a flow that is not in the sums. If several criteria fail, the verdict names
 * the criterion that leaves the least bandwidth. If several criteria leave the
 * same bandwidth, the verdict names the criterion that gms_sums_admit() checks
 * first. [source: gulati 2001 thesis 3.3.1 for the three criteria]
 *
 * The remaining bandwidth in the verdict is the bandwidth of one resource. It
 * includes neither the reverse traffic nor the rounding of IDTs.
 *
 * @return 1: granted; 0: the verdict has the criterion, the resource and the
 *         remaining bandwidth
 */
int gms_sums_admit(gms_account_t *account, const gms_managed_t *flow,
                   const gms_sums_path_t *path, gms_qos_verdict_t *verdict);
/** Returns the smallest remaining bandwidth on the route, bytes/s. The sums
 *  must already contain the flow. */
double gms_sums_least_left(const gms_account_t *account,
                           const gms_managed_t *flow,
                           const gms_sums_path_t *path);

#endif
