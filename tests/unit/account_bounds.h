/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests flows from a test's account, and reads the bounds of granted
 * flows. */
#ifndef TESTS_UNIT_ACCOUNT_BOUNDS_H
#define TESTS_UNIT_ACCOUNT_BOUNDS_H

#include "account.h"

static inline gms_qos_verdict_t ask(const gms_flow_request_t *request)
{
    gms_qos_verdict_t verdict;

    change_count = 0;
    CU_ASSERT_FATAL(gms_account_request(account, request, 1, on_changed,
                                        &changes, &verdict) == GMS_OK);
    return verdict;
}

static inline gms_qos_bounds_t bounds(unsigned source, unsigned target)
{
    gms_flow_key_t key = key_to(target, 0);
    const gms_grant_t *grant = gms_account_find(account, source, &key);

    CU_ASSERT_PTR_NOT_NULL_FATAL(grant);
    return grant->bounds;
}

#endif
