/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The account in units of time, for networks in which reserved packets block
 * each other: it checks that every source still has time for its packets if
 * waiting worms hold the links behind them. doc/design/0023-blocking.md has the
 * proof.
 *
 * Used with `undeclared: free`, in both fabric models. Promises based on it
 * hold against declared traffic only: no other packet is in the account.
 * Private to the account.
 */
#ifndef MANAGER_BLOCKING_H
#define MANAGER_BLOCKING_H

#include "manager/account_sums.h"

typedef struct gms_blocking gms_blocking_t; /* in the arena */

/** @param [out] blocking_p  NULL: this network does not need it
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_blocking_create(gms_account_t *account,
                                 gms_blocking_t **blocking_p);
/** NULL is fine. */
void gms_blocking_destroy(gms_account_t *account, gms_blocking_t *blocking);
/** A flow's packets and their acknowledgements, `rate` units of full packets,
 *  are on the network from now on; with a negative rate no more.
 *  Nothing happens if the account has no such book. */
void gms_blocking_add(gms_account_t *account, const gms_managed_t *flow,
                      const gms_sums_path_t *path, gms_units_t rate);
/**
 * A premium flow that is not in the sums: what may it ask for? If no reservation
 * in force would be missed, the verdict stays as it is; else, or if what the
 * verdict leaves is too much, the verdict names the node or link whose time is
 * used up and the largest bandwidth that would be granted.
 */
void gms_blocking_admit(gms_account_t *account, const gms_managed_t *flow,
                        const gms_sums_path_t *path,
                        gms_qos_verdict_t *verdict);
/** The largest part of their shares, 0..1, that all best-effort flows may have
 *  without a reservation being missed; 1 if there are no reservations. */
double gms_blocking_best_effort(gms_account_t *account);

#endif
