/* SPDX-License-Identifier: BSD-3-Clause */
/* Defines the status codes that the functions inside gmsim return. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

typedef enum gms_status {
    GMS_OK = 0,
    GMS_ERR_INVALID_PARAM = -1, /* an argument is outside its range */
    GMS_ERR_NO_MEMORY = -2,     /* the arena or the machine has no more
                                 * memory */
    GMS_ERR_BUSY = -3,          /* the object is in use elsewhere */
    GMS_ERR_NOT_FOUND = -4,     /* the object does not exist */
    GMS_ERR_DENIED = -5,        /* the operation is not allowed */
    GMS_ERR_SYSTEM = -6,        /* a system call failed; errno holds the
                                 * reason */
    GMS_ERR_PEER_DIED = -7,     /* a process of the job has died */
    GMS_ERR_TIMED_OUT = -8,     /* the start-up exceeded its wall-clock limit */
    GMS_ERR_CONFIG = -9         /* the cluster description is invalid */
} gms_status_t;

/** Return the text of a status in lower case, never NULL. */
const char *gms_status_text(gms_status_t status);

#endif
