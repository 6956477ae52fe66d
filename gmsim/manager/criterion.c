/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the names of the criteria by which a request is denied. Messages and
 * records contain these names. Distinguishes the denials because of a bound.
 */
#include "manager/admission.h"

#include <string.h>

const char *gms_qos_criterion_name(enum gms_qos_criterion criterion)
{
    static const char *const names[] = {
        [GMS_QOS_OK] = "",
        [GMS_QOS_SOURCE_NODE] = "source node",
        [GMS_QOS_LINK] = "link",
        [GMS_QOS_DESTINATION_NODE] = "destination node",
        [GMS_QOS_SOURCE_PROCESS] = "source process",
        [GMS_QOS_DESTINATION_PROCESS] = "destination process",
        [GMS_QOS_BUFFER] = "buffer",
        [GMS_QOS_DELAY] = "delay",
        [GMS_QOS_JITTER] = "jitter",
        [GMS_QOS_LATENCY] = "latency",
    };

    return (unsigned)criterion < sizeof(names) / sizeof(names[0])
               ? names[criterion]
               : NULL;
}

int gms_qos_breaks_own_bound(const gms_qos_verdict_t *verdict, unsigned node,
                             const gms_flow_key_t *key)
{
    return (verdict->criterion == GMS_QOS_DELAY ||
            verdict->criterion == GMS_QOS_JITTER) &&
           verdict->victim_node == node &&
           memcmp(&verdict->victim, key, sizeof(*key)) == 0;
}

int gms_qos_lacks_bounds(const gms_qos_verdict_t *verdict, unsigned node,
                         const gms_flow_key_t *key)
{
    return gms_qos_breaks_own_bound(verdict, node, key) &&
           verdict->bounds.delay_ps == 0 && verdict->bounds.jitter_ps == 0;
}
