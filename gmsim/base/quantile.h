/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes quantiles with the nearest-rank method, so the result is always one
 * of the given values or bins. [source: Hyndman, Fan 1996, Sample quantiles in
 * statistical packages, definition 1]
 */
#ifndef BASE_QUANTILE_H
#define BASE_QUANTILE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/** Return the rank of a quantile among values in ascending order. The value at
 *  this rank is the smallest value for which at least the fraction `part' of
 *  all values is less than or equal to it.
 *  @param [in] count  number of values
 *  @param [in] part   0 .. 1; 0.5: the median
 *  @return 1 .. count; 0 if there are no values */
static inline uint64_t gms_quantile_rank(uint64_t count, double part)
{
    double rank = ceil(part * (double)count);

    /* The conversion to double may round up a count above 2^53. */
    if (rank >= (double)count) {
        return count;
    }
    return rank < 1 ? 1 : (uint64_t)rank;
}

/** Return the bin of a histogram that contains a quantile. O(bins).
 *  @param [in] first   count of values in the first bin; bins are in ascending
 *                      order
 *  @param [in] stride  bytes from one count to the next, a multiple of 8
 *  @param [in] bins    number of bins
 *  @param [in] part    0 .. 1
 *  @return index of the bin; `bins` if all are empty */
static inline size_t gms_quantile_bin(const uint64_t *first, size_t stride,
                                      size_t bins, double part)
{
    uint64_t count = 0, seen = 0, rank;
    size_t step = stride / sizeof(*first), i;

    for (i = 0; i < bins; ++i) {
        count += first[i * step];
    }
    rank = gms_quantile_rank(count, part);
    if (rank == 0) {
        return bins;
    }
    for (i = 0; (seen += first[i * step]) < rank; ++i) {
    }
    return i;
}

#endif
