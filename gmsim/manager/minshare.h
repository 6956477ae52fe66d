/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private to the account: computes the shares of best effort by the rule of the
 * thesis (manager/share.h).
 */
#ifndef MANAGER_MINSHARE_H
#define MANAGER_MINSHARE_H

#include "manager/account_int.h"

/** Updates the levels. The cost is the number of flows at resources whose level
 *  changes, times the length of their routes. */
void gms_minshare_update(gms_account_t *account);

#endif
