/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the time buckets of a run, and the fraction of the run in which each
 * link was saturated. */
#include "report/series.h"

#include <stdlib.h>

gms_buckets_t gms_buckets_of(const gms_report_run_t *run, size_t most)
{
    gms_time_t windows = (run->end_ps + run->window_ps - 1) / run->window_ps;
    gms_time_t joined = (windows + most - 1) / most;
    gms_buckets_t buckets = {run, 0, run->window_ps};

    if (windows > 0) {
        buckets.length_ps = joined * run->window_ps;
        buckets.count =
            (run->end_ps + buckets.length_ps - 1) / buckets.length_ps;
    }
    return buckets;
}

size_t gms_bucket_of_window(const gms_buckets_t *buckets, uint32_t window)
{
    size_t bucket =
        (buckets->run->windows[window].end_ps - 1) / buckets->length_ps;

    return bucket < buckets->count ? bucket : buckets->count - 1;
}

gms_time_t gms_bucket_end_ps(const gms_buckets_t *buckets, size_t bucket)
{
    gms_time_t end_ps = (bucket + 1) * buckets->length_ps;

    return end_ps < buckets->run->end_ps ? end_ps : buckets->run->end_ps;
}

gms_time_t gms_bucket_length_ps(const gms_buckets_t *buckets, size_t bucket)
{
    return gms_bucket_end_ps(buckets, bucket) - bucket * buckets->length_ps;
}

double *gms_report_saturation(const gms_report_run_t *run, double least)
{
    double *parts = calloc(run->link_count + 1, sizeof(*parts));
    size_t i;

    for (i = 0; parts != NULL && i < run->link_part_count; ++i) {
        const gms_report_link_part_t *part = &run->link_parts[i];
        const gms_report_window_t *window = &run->windows[part->window];
        double length_ps = (double)(window->end_ps - window->begin_ps);

        if ((double)part->held_ps >= least * length_ps) {
            parts[part->link] += length_ps / (double)run->end_ps;
        }
    }
    return parts;
}
