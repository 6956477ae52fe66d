/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Max-min fair shares of best effort, see manager/share.h. Private to the
 * account.
 */
#ifndef MANAGER_MAXMIN_H
#define MANAGER_MAXMIN_H

#include "manager/account_int.h"

/** Work: the flows whose level changes, times the length of their ways, times
 *  the logarithm of how many meet there; not all flows, nor all places. */
void gms_maxmin_update(gms_account_t *account);

#endif
