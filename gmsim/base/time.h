/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time: picoseconds since the start of the job, in 64 bits (213 days).
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

/** Time to move bytes at a rate, rounded up so that no transfer is free. */
static inline gms_time_t gms_transfer_ps(uint64_t bytes, uint64_t bytes_s)
{
    /* What fits 64 bits, a packet, is divided in a fraction of the time. */
    if (bytes < (1u << 23) && bytes_s < (UINT64_C(1) << 63)) {
        return (bytes * GMS_SECOND + bytes_s - 1) / bytes_s;
    }
    /* 2^31 bytes x 10^12 does not, hence 128. */
    return (gms_time_t)(((unsigned __int128)bytes * GMS_SECOND + bytes_s - 1) /
                        bytes_s);
}

#endif
