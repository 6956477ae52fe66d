/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares a disk: a server that serves requests one at a time, in the order of
 * their arrival. A request takes the latency of the disk, plus the time to
 * transfer its bytes at the bandwidth of the disk.
 */
#ifndef IO_DISK_H
#define IO_DISK_H

#include "base/time.h"

typedef struct gms_disk {
    gms_time_t free_ps; /* time at which the last request ends */
    gms_time_t busy_ps; /* total time of all requests */
    uint64_t requests;
} gms_disk_t;

/** Queue a request that arrives now. @return the time at which it ends */
gms_time_t gms_disk_serve(gms_disk_t *disk, gms_time_t now_ps,
                          gms_time_t latency_ps, uint64_t bytes,
                          uint64_t bytes_s);

#endif
