/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares patterns of destinations: uniform, fixed, transpose, bit-complement
 * and hot-spot.
 */
#ifndef HCASIM_TARGET_H
#define HCASIM_TARGET_H

#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

enum gms_target_pattern {
    GMS_TARGET_UNIFORM = 0,  /* any other node */
    GMS_TARGET_UNIFORM_SELF, /* any node, possibly the source itself */
    GMS_TARGET_FIXED,        /* `node` */
    GMS_TARGET_TRANSPOSE,    /* from (x, y) to (y, x) in a square mesh */
    /* node number with all bits inverted; `nodes` must be a power of two */
    GMS_TARGET_BIT_COMPLEMENT,
    /* `node` with probability `hot`, otherwise uniform */
    GMS_TARGET_HOT_SPOT,
    GMS_TARGET_PATTERNS
};
/* the last element is NULL */
extern const char *const gms_target_pattern_names[];

typedef struct gms_target {
    unsigned pattern; /**< a value of enum gms_target_pattern */
    uint32_t nodes;   /**< number of nodes of the cluster, at least 2 */
    uint32_t node;    /**< fixed, hot-spot: number of the preferred target */
    double hot;       /**< hot-spot: probability of `node`, 0..1 */
} gms_target_t;

/** Checks a pattern. @return GMS_OK, or GMS_ERR_CONFIG with the reason */
gms_status_t gms_target_check(const gms_target_t *target, char *error,
                              unsigned error_len);
/** Returns a destination for a packet of `source`. If the pattern maps a node
 *  to itself, the function returns the source. */
uint32_t gms_target_draw(const gms_target_t *target, uint32_t source,
                         gms_random_t *random);

#endif
