/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines virtual time, which counts picoseconds since the start of the job in
 * 64 bits (213 days).
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>

typedef uint64_t gms_time_t; /* picoseconds */

#define GMS_NS     UINT64_C(1000)
#define GMS_US     UINT64_C(1000000)
#define GMS_MS     UINT64_C(1000000000)
#define GMS_SECOND UINT64_C(1000000000000)
#define GMS_NEVER  UINT64_MAX

/** Return the time that a transfer of bytes takes at a rate. The time is
 *  rounded up, so no transfer takes zero time. */
static inline gms_time_t gms_transfer_ps(uint64_t bytes, uint64_t bytes_s)
{
    /* A 64-bit division is much faster than a 128-bit division, and sufficient
     * for a packet. */
    if (bytes < (1u << 23) && bytes_s < (UINT64_C(1) << 63)) {
        return (bytes * GMS_SECOND + bytes_s - 1) / bytes_s;
    }
    /* The product of 2^31 bytes and 10^12 ps/s needs more than 64 bits. */
    return (gms_time_t)(((unsigned __int128)bytes * GMS_SECOND + bytes_s - 1) /
                        bytes_s);
}

#endif
