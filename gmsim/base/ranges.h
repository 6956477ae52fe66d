/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Remembers the ranges of addresses or pages that were checked last, so that a
 * check need not be repeated. A new range replaces the oldest one. A structure
 * of zeros contains no range.
 */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H

#include <stdint.h>

/** Number of ranges in a set. */
#define GMS_RANGES 8u

typedef struct gms_ranges {
    struct {
        uint64_t first, end; /* end is not included */
    } range[GMS_RANGES];
    uint32_t next; /* index of the entry that the next range replaces */
} gms_ranges_t;

/** Return 1 if one of the ranges contains first to end, which must not be
 *  empty. */
static inline int gms_ranges_contain(const gms_ranges_t *ranges, uint64_t first,
                                     uint64_t end)
{
    unsigned i;

    for (i = 0; i < GMS_RANGES; ++i) {
        if (ranges->range[i].first <= first && end <= ranges->range[i].end) {
            return 1;
        }
    }
    return 0;
}

/** Remember a range, unless one of the ranges contains it. */
static inline void gms_ranges_add(gms_ranges_t *ranges, uint64_t first,
                                  uint64_t end)
{
    if (first < end && !gms_ranges_contain(ranges, first, end)) {
        ranges->range[ranges->next].first = first;
        ranges->range[ranges->next].end = end;
        ranges->next = (ranges->next + 1) % GMS_RANGES;
    }
}

/** Forget the ranges that contain a value. */
static inline void gms_ranges_forget(gms_ranges_t *ranges, uint64_t value)
{
    unsigned i;

    for (i = 0; i < GMS_RANGES; ++i) {
        if (ranges->range[i].first <= value && value < ranges->range[i].end) {
            ranges->range[i].first = ranges->range[i].end = 0;
        }
    }
}

#endif
