/* SPDX-License-Identifier: BSD-3-Clause */
/* Returns the names of states, classes and criteria, which programs can print
 * in messages. */
#include "mpi_qos.h"

#include <stddef.h>

static const char *mpiqos_name(const char *const *names, size_t count,
                               int number)
{
    if (number < 0 || (size_t)number >= count || names[number] == NULL) {
        return "unknown";
    }
    return names[number];
}

#define MPIQOS_NAME(_names, _number)                                           \
    mpiqos_name(_names, sizeof(_names) / sizeof((_names)[0]), _number)

const char *MPIQOS_State_name(int state)
{
    static const char *const names[] = {
        [MPIQOS_UNSUPPORTED] = "unsupported", [MPIQOS_GRANTED] = "granted",
        [MPIQOS_DENIED] = "denied",           [MPIQOS_RELEASED] = "released",
        [MPIQOS_MALFORMED] = "malformed",
    };

    return MPIQOS_NAME(names, state);
}

const char *MPIQOS_Class_name(int qos_class)
{
    static const char *const names[] = {
        [MPIQOS_PREMIUM] = "premium",
        [MPIQOS_BEST_EFFORT] = "best effort",
    };

    return MPIQOS_NAME(names, qos_class);
}

const char *MPIQOS_Criterion_name(int criterion)
{
    static const char *const names[] = {
        [MPIQOS_CRITERION_NONE] = "none",
        [MPIQOS_CRITERION_SOURCE_NODE] = "source node",
        [MPIQOS_CRITERION_LINK] = "link",
        [MPIQOS_CRITERION_DESTINATION_NODE] = "destination node",
        [MPIQOS_CRITERION_SOURCE_PROCESS] = "source process",
        [MPIQOS_CRITERION_DESTINATION_PROCESS] = "destination process",
        [MPIQOS_CRITERION_BUFFER] = "buffer",
        [MPIQOS_CRITERION_DELAY] = "delay",
        [MPIQOS_CRITERION_JITTER] = "jitter",
        [MPIQOS_CRITERION_LATENCY] = "latency",
    };

    return MPIQOS_NAME(names, criterion);
}
