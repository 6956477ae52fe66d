/* SPDX-License-Identifier: BSD-3-Clause */
/** Chooses the singular or the plural of a noun for messages with counts. */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

#include <stdint.h>

/** Return `one` if count is 1, else `many`: "1 switch", "2 switches", "0
 *  switches" */
static inline const char *gms_plural(uint64_t count, const char *one,
                                     const char *many)
{
    return count == 1 ? one : many;
}

#endif
