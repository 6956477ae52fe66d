/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the account of blocked time, for networks in which reserved packets
 * block each other. A worm that waits keeps occupying the links behind it. The
 * account checks that every source has enough time for its packets, even if
 * they are blocked. The file doc/design/0023-blocking.md contains the proof.
 *
 * The fabric models `worm` and `flit` use the account if the parameter
 * `undeclared` is `free`. Guarantees based on this account hold only against
 * declared traffic, because the account includes no other packets. This header
 * is private to the bandwidth account.
 */
#ifndef MANAGER_BLOCKING_H
#define MANAGER_BLOCKING_H

#include "manager/account_sums.h"

typedef struct gms_blocking gms_blocking_t; /* in the arena */

/** Creates the account of blocked time.
 *  @param [out] blocking_p NULL: this network does not need the account
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_blocking_create(gms_account_t *account,
                                 gms_blocking_t **blocking_p);
/** NULL is allowed. */
void gms_blocking_destroy(gms_account_t *account, gms_blocking_t *blocking);
/** Adds a flow's packets and their acknowledgements to the traffic on the
 * network; `rate` is the rate of these packets, in units of full packets. A
 * negative rate removes the packets. The function has no effect if the network
 * does not need this account. */
void gms_blocking_add(gms_account_t *account, const gms_managed_t *flow,
                      const gms_sums_path_t *path, gms_units_t rate);
/**
 * Checks a premium flow that the account's sums do not include yet. If all
 * reservations in force remain valid, the verdict is unchanged. If a
 * reservation would be broken, or if the remaining bandwidth in the verdict is
 * too large, this function fills in the verdict. The verdict then names the
 * node or link that has no time left, and the largest bandwidth that would be
 * granted.
 */
void gms_blocking_admit(gms_account_t *account, const gms_managed_t *flow,
                        const gms_sums_path_t *path,
                        gms_qos_verdict_t *verdict);
/** Returns the largest fraction (0..1) of its share that every best-effort flow
 *  may use without breaking a reservation; 1 if there are no reservations. */
double gms_blocking_best_effort(gms_account_t *account);

#endif
