/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Shares of best effort by the thesis's rule, see manager/share.h. Private to
 * the account.
 */
#ifndef MANAGER_MINSHARE_H
#define MANAGER_MINSHARE_H

#include "manager/account_int.h"

/** Work: the flows at places whose level changes, times the length of their
 *  ways. */
void gms_minshare_update(gms_account_t *account);

#endif
