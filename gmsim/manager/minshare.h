/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Internal header of the account. Computes the best-effort shares according to
 * the rule of the thesis (manager/share.h).
 */
#ifndef MANAGER_MINSHARE_H
#define MANAGER_MINSHARE_H

#include "manager/account_int.h"

/** Updates the levels. The run time is proportional to the number of flows at
 *  resources whose level changes, and to the length of the routes of these
 *  flows. */
void gms_minshare_update(gms_account_t *account);

#endif
