/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Joins the windows of a run into a limited number of buckets of equal length,
 * from which curves over time are drawn. The last bucket ends with the run.
 */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include "report/run.h"

typedef struct gms_buckets {
    const gms_report_run_t *run;
    size_t count;
    gms_time_t length_ps; /* the length is a whole number of windows */
} gms_buckets_t;

gms_buckets_t gms_buckets_of(const gms_report_run_t *run, size_t most);
/** Returns the bucket of a window. */
size_t gms_bucket_of_window(const gms_buckets_t *buckets, uint32_t window);
gms_time_t gms_bucket_end_ps(const gms_buckets_t *buckets, size_t bucket);
/** Returns the length of a bucket. The last bucket may be shorter. */
gms_time_t gms_bucket_length_ps(const gms_buckets_t *buckets, size_t bucket);
/** Returns, for each link, the fraction of the run that consists of windows in
 *  which packets held the link for at least `least` (0..1) of the time. NULL:
 *  out of memory */
double *gms_report_saturation(const gms_report_run_t *run, double least);

#endif
