/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private header of the bandwidth account. Declares the functions that keep the
 * delay bounds consistent with the account's premium flows. The functions also
 * shorten an IDT if a window would otherwise receive less than the granted
 * bandwidth.
 */
#ifndef MANAGER_ACCOUNT_BOUND_H
#define MANAGER_ACCOUNT_BOUND_H

#include "manager/account_int.h"

/** Data for undoing a change. */
typedef struct gms_account_bond {
    gms_bound_flow_t *flow, *back; /* bounds before the change */
    uint32_t mark;
} gms_account_bond_t;

/**
 * Tentatively replaces the bounds of a flow with those of its current grant, or
 * removes them.
 *
 * @param [in] is_more 1: the flow requires more than before; 0: the flow
 *             does not require more than before, so only its own delay and
 *             jitter are checked
 * @param [in,out] verdict on entry, the criterion must be GMS_QOS_OK. If the
 *                 flow is denied, the function fills in the verdict, including
 *                 the remaining bandwidth, and leaves the bounds unchanged
 * @return GMS_OK, GMS_ERR_NO_MEMORY (the bounds are unchanged)
 */
gms_status_t gms_account_bind(gms_account_t *account, gms_managed_t *flow,
                              int is_more, gms_account_bond_t *bond,
                              gms_qos_verdict_t *verdict);
/** Corrects the remaining bandwidth in the verdict after the sums have denied a
 *  flow. If the bounds allow less bandwidth than the sums, the function stores
 *  the smaller bandwidth. The verdict then names the node, link or buffer
 *  that limits the bandwidth.
 *  @param [in,out] verdict only the resource and the remaining bandwidth are
 *                          used */
void gms_account_bind_left(gms_account_t *account, gms_managed_t *flow,
                           gms_qos_verdict_t *verdict);
/** Replaces the bounds of an adopted flow. Unlike gms_account_bind(), this
 *  function makes the change permanent at once, and never denies the flow. */
gms_status_t gms_account_bind_adopted(gms_account_t *account,
                                      gms_managed_t *flow);
/** Undoes the change that the bond describes and all later changes. */
void gms_account_unbind(gms_account_t *account, gms_managed_t *flow,
                        const gms_account_bond_t *bond);
/** Makes all tentative changes permanent, and marks the flows whose IDT has
 *  changed (gms_share_touch()). */
void gms_account_commit(gms_account_t *account);
/** Removes the bounds of a released flow. */
void gms_account_drop_bounds(gms_account_t *account, gms_managed_t *flow);

#endif
