/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the time at which a disk has served a request. The disk needs no
 * list of waiting requests, because it serves them in the order of their
 * arrival.
 */
#include "io/disk.h"

gms_time_t gms_disk_serve(gms_disk_t *disk, gms_time_t now_ps,
                          gms_time_t latency_ps, uint64_t bytes,
                          uint64_t bytes_s)
{
    gms_time_t begin_ps = disk->free_ps > now_ps ? disk->free_ps : now_ps;
    gms_time_t work_ps = latency_ps + gms_transfer_ps(bytes, bytes_s);

    disk->free_ps = begin_ps + work_ps;
    disk->busy_ps += work_ps;
    ++disk->requests;
    return disk->free_ps;
}
