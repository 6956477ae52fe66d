/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the names of the criteria by which a request is denied. Messages and
 * records contain these names.
 */
#include "manager/admission.h"

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
