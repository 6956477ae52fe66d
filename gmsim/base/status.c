/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the texts of the status codes, for messages without a more specific
 * description of a failure.
 */
#include "base/status.h"

const char *gms_status_text(gms_status_t status)
{
    switch (status) {
    case GMS_OK:
        return "ok";
    case GMS_ERR_INVALID_PARAM:
        return "argument out of range";
    case GMS_ERR_NO_MEMORY:
        return "out of memory";
    case GMS_ERR_BUSY:
        return "busy";
    case GMS_ERR_NOT_FOUND:
        return "not found";
    case GMS_ERR_DENIED:
        return "not allowed";
    case GMS_ERR_SYSTEM:
        return "system call failed";
    case GMS_ERR_PEER_DIED:
        return "a process of the job has died";
    case GMS_ERR_TIMED_OUT:
        return "timed out";
    case GMS_ERR_CONFIG:
        return "invalid cluster description";
    }
    return "unknown status";
}
