/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private header of the bandwidth account: computes max-min fair shares of
 * best-effort flows (manager/share.h).
 */
#ifndef MANAGER_MAXMIN_H
#define MANAGER_MAXMIN_H

#include "manager/account_int.h"

/** Updates the levels. The cost is the number of flows whose level changes,
 * times the length of their routes, times the logarithm of the number of flows
 * at a resource of the route. The update does not visit any other flows and
 * resources. */
void gms_maxmin_update(gms_account_t *account);

#endif
