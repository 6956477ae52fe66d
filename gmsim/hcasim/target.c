/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that a pattern of destinations is defined for the number of nodes, and
 * determines the destination of a packet.
 */
#include "hcasim/target.h"

#include <stdio.h>

const char *const gms_target_pattern_names[] = {
    "uniform",        "uniform-self", "fixed", "transpose",
    "bit-complement", "hot-spot",     NULL};

/** Returns the square root of the number if this root is an integer, otherwise
 * 0. */
static uint32_t gms_target_side(uint32_t nodes)
{
    uint32_t side = 1;

    while ((uint64_t)side * side < nodes) {
        ++side;
    }
    return ((uint64_t)side * side == nodes) ? side : 0;
}

static int gms_target_is_power_of_two(uint32_t nodes)
{
    return (nodes & (nodes - 1)) == 0;
}

gms_status_t gms_target_check(const gms_target_t *target, char *error,
                              unsigned error_len)
{
    if (target->pattern >= GMS_TARGET_PATTERNS) {
        (void)snprintf(error, error_len,
                       "target pattern %u is unknown; allowed: 0..%u",
                       target->pattern, GMS_TARGET_PATTERNS - 1);
        return GMS_ERR_CONFIG;
    }
    if (target->nodes < 2) {
        (void)snprintf(error, error_len,
                       "targets: too few nodes (%u); allowed: at least 2",
                       target->nodes);
        return GMS_ERR_CONFIG;
    }
    if ((target->pattern == GMS_TARGET_FIXED ||
         target->pattern == GMS_TARGET_HOT_SPOT) &&
        target->node >= target->nodes) {
        (void)snprintf(error, error_len,
                       "target %s: node %u does not exist; allowed: 0..%u",
                       gms_target_pattern_names[target->pattern], target->node,
                       target->nodes - 1);
        return GMS_ERR_CONFIG;
    }
    if (target->pattern == GMS_TARGET_HOT_SPOT &&
        !(target->hot >= 0 && target->hot <= 1)) {
        (void)snprintf(
            error, error_len,
            "target hot-spot: probability %g is out of range; allowed: 0..1",
            target->hot);
        return GMS_ERR_CONFIG;
    }
    if (target->pattern == GMS_TARGET_TRANSPOSE &&
        gms_target_side(target->nodes) == 0) {
        (void)snprintf(error, error_len,
                       "target transpose: %u nodes are not possible; allowed: "
                       "a square number (a mesh with as many rows as columns)",
                       target->nodes);
        return GMS_ERR_CONFIG;
    }
    if (target->pattern == GMS_TARGET_BIT_COMPLEMENT &&
        !gms_target_is_power_of_two(target->nodes)) {
        (void)snprintf(error, error_len,
                       "target bit-complement: %u nodes are not possible; "
                       "allowed: a power of two",
                       target->nodes);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

static uint32_t gms_target_draw_other(const gms_target_t *target,
                                      uint32_t source, gms_random_t *random)
{
    uint32_t other = (uint32_t)gms_random_below(random, target->nodes - 1);

    return (other >= source) ? other + 1 : other;
}

uint32_t gms_target_draw(const gms_target_t *target, uint32_t source,
                         gms_random_t *random)
{
    uint32_t side;

    switch ((enum gms_target_pattern)target->pattern) {
    case GMS_TARGET_UNIFORM:
        return gms_target_draw_other(target, source, random);
    case GMS_TARGET_UNIFORM_SELF:
        return (uint32_t)gms_random_below(random, target->nodes);
    case GMS_TARGET_FIXED:
        return target->node;
    case GMS_TARGET_TRANSPOSE:
        side = gms_target_side(target->nodes);
        return source % side * side + source / side;
    case GMS_TARGET_BIT_COMPLEMENT:
        return ~source & (target->nodes - 1);
    case GMS_TARGET_HOT_SPOT:
        /* the random number is in (0, 1], so probability 0 never selects the
         * hot spot, and probability 1 always selects it */
        if (gms_random_unit(random) <= target->hot) {
            return target->node;
        }
        return gms_target_draw_other(target, source, random);
    case GMS_TARGET_PATTERNS:
        break;
    }
    return source;
}
