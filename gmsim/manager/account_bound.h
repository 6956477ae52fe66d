/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Bounds of the account's premium flows, and the paces at which their windows
 * have the granted bandwidth. Private to the account.
 */
#ifndef MANAGER_ACCOUNT_BOUND_H
#define MANAGER_ACCOUNT_BOUND_H

#include "manager/account_int.h"

/** What undoes a change. */
typedef struct gms_account_bond {
    gms_bound_flow_t *flow, *back; /* before */
    uint32_t mark;
} gms_account_bond_t;

/**
 * Bring the bounds in line with a flow's grant, tentatively: of another flow than
 * before, or of none.
 *
 * @param [in]     is_more  it takes more than before; else no other flow can be
 *                          a reason to deny it
 * @param [in,out] verdict  criterion GMS_QOS_OK; if denied filled, what is left
 *                          included, and nothing has changed
 *
 * @return GMS_OK, GMS_ERR_NO_MEMORY (nothing has changed)
 */
gms_status_t gms_account_bind(gms_account_t *account, gms_managed_t *flow,
                              int is_more, gms_account_bond_t *bond,
                              gms_qos_verdict_t *verdict);
/** The sums deny a flow: if its bounds do not allow what the sums have left, name
 *  what they allow. Only the many small packets that flow back make a difference,
 *  so flows without them are not looked at.
 *  @param [in,out] verdict  left_bytes_s */
void gms_account_bind_left(gms_account_t *account, gms_managed_t *flow,
                           gms_qos_verdict_t *verdict);
/** As gms_account_bind(), for good and never denied. */
gms_status_t gms_account_bind_adopted(gms_account_t *account,
                                      gms_managed_t *flow);
/** Undo it, and all that came after it. */
void gms_account_unbind(gms_account_t *account, gms_managed_t *flow,
                        const gms_account_bond_t *bond);
/** All that is tentative is for good. Flows with another IDT are touched. */
void gms_account_commit(gms_account_t *account);
/** A flow is released. */
void gms_account_drop_bounds(gms_account_t *account, gms_managed_t *flow);

#endif
