/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records the delays of reserved flows and their bounds. Other reservations can
 * change a bound, so a message may exceed the current bound even if it met the
 * bound that was in force when it was sent. The record therefore contains the
 * largest bound since the flow's measurement began.
 */
#include "nic/delay.h"
#include "nic/inspect.h"
#include "observe/record_int.h"

static void gms_record_bound(const gms_record_subject_t *subject,
                             const gms_grant_t *grant)
{
    const gms_flow_t *flow =
        gms_flow_find(subject->nics[grant->source_node], &grant->key);
    gms_record_flow_t *seen = flow != NULL ? flow->seen : NULL;

    if (seen == NULL || flow->delay == NULL) {
        return; /* no message has arrived yet, so the bound of the grant
                 * applies */
    }
    if (seen->bound_from_ps != flow->delay->from_ps) {
        seen->bound_from_ps = flow->delay->from_ps;
        seen->bound_ps = 0;
    }
    if (grant->bounds.delay_ps > seen->bound_ps) {
        seen->bound_ps = grant->bounds.delay_ps;
    }
}

void gms_record_bounds(const gms_record_subject_t *subject,
                       const gms_account_t *account)
{
    const gms_grant_t *grant = gms_account_first(account);

    for (; grant != NULL; grant = grant->next) {
        if (grant->qos_class == GMS_QOS_PREMIUM) {
            gms_record_bound(subject, grant);
        }
    }
}

gms_time_t gms_record_delay_bound(const gms_flow_t *flow)
{
    const gms_record_flow_t *seen = flow->seen;
    const gms_delay_t *delay = flow->delay;
    gms_time_t bound_ps = delay->terms.bound_ps;

    if (seen != NULL && seen->bound_from_ps == delay->from_ps &&
        seen->bound_ps > bound_ps) {
        bound_ps = seen->bound_ps;
    }
    return bound_ps;
}
