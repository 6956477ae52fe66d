/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the choices of the lane arbiter that are not inline in the header,
 * counts the flits of turns and frames, and computes weights from reserved
 * bandwidths.
 */
#include "fabric/lane_arbiter.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const gms_lane_policy_names[] = {
    [GMS_LANE_FCFS] = "fcfs",
    [GMS_LANE_ROUND_ROBIN] = "round-robin",
    [GMS_LANE_SMALL_FAST] = "small-fast",
    [GMS_LANE_SMALL_SLOW] = "small-slow",
    [GMS_LANE_LARGE_FAST] = "large-fast",
    [GMS_LANE_LARGE_SLOW] = "large-slow",
    [GMS_LANE_POLICIES] = NULL,
};

static int gms_lane_is_large(const gms_lane_plan_t *plan)
{
    return plan->policy == GMS_LANE_LARGE_FAST ||
           plan->policy == GMS_LANE_LARGE_SLOW;
}

static int gms_lane_is_slow(const gms_lane_plan_t *plan)
{
    return plan->policy == GMS_LANE_SMALL_SLOW ||
           plan->policy == GMS_LANE_LARGE_SLOW;
}

static void gms_lane_plan_give(gms_lane_plan_t *plan, unsigned lane,
                               enum gms_lane_class traffic_class)
{
    plan->class_of[lane] = (uint8_t)traffic_class;
    plan->class_lanes[traffic_class] |= (uint16_t)(1u << lane);
}

void gms_lane_plan_init(gms_lane_plan_t *plan, unsigned lanes,
                        unsigned real_time, int control,
                        enum gms_lane_policy policy, unsigned frame_factor)
{
    unsigned data = lanes - (control ? 1u : 0u);
    unsigned frame = frame_factor * real_time;
    unsigned lane;

    assert(lanes >= 1 && lanes <= GMS_LANES_MAX && real_time <= data);
    assert(frame_factor >= 1 && policy < GMS_LANE_POLICIES);
    memset(plan, 0, sizeof(*plan));
    for (lane = 0; lane < data; ++lane) {
        gms_lane_plan_give(plan, lane,
                           lane < real_time ? GMS_LANE_REAL_TIME
                                            : GMS_LANE_BEST_EFFORT);
    }
    if (control) {
        gms_lane_plan_give(plan, data, GMS_LANE_CONTROL);
    }
    plan->policy = (uint8_t)policy;
    plan->frame =
        (uint16_t)(gms_lane_is_large(plan) || frame > GMS_LANE_LARGE_FRAME
                       ? GMS_LANE_LARGE_FRAME
                       : frame);
}

/* ---- every cycle --------------------------------------------------------- */

unsigned gms_lane_pick_weighted(const gms_lane_arbiter_t *arbiter,
                                const gms_lane_plan_t *plan, uint16_t mask)
{
    unsigned last = arbiter->pointer[GMS_LANE_REAL_TIME];
    uint16_t left = mask & (uint16_t)~arbiter->used_up;

    if (gms_lane_is_slow(plan)) {
        return (left >> last) & 1 ? last : gms_lane_next(mask, last);
    }
    return gms_lane_next(left != 0 ? left : mask, last);
}

/* Choose the lane that has waited longest. If several lanes have waited equally
 * long, choose the lane that is next in turn. */
unsigned gms_lane_pick_first(const gms_lane_arbiter_t *arbiter,
                             const gms_lane_plan_t *plan, uint16_t mask,
                             const uint32_t *since)
{
    unsigned traffic_class = plan->class_of[__builtin_ctz(mask)];
    unsigned first = gms_lane_next(mask, arbiter->pointer[traffic_class]);
    unsigned lane = first, end = first;

    while ((lane = gms_lane_next(mask, lane)) != end) {
        if ((int32_t)(since[lane] - since[first]) < 0) {
            first = lane;
        }
    }
    return first;
}

/* Begin a new turn of a lane (slow pointer) or a new frame (fast pointer). */
static void gms_lane_begin(gms_lane_arbiter_t *arbiter)
{
    memset(arbiter->spent, 0, sizeof(arbiter->spent));
    arbiter->used_up = 0;
}

void gms_lane_charge(gms_lane_arbiter_t *arbiter, const gms_lane_plan_t *plan,
                     const gms_lane_table_t *table, unsigned lane)
{
    if (((arbiter->used_up >> lane) & 1) ||
        (gms_lane_is_slow(plan) &&
         lane != arbiter->pointer[GMS_LANE_REAL_TIME])) {
        gms_lane_begin(arbiter);
    }
    if (++arbiter->spent[lane] >= table->weight[lane]) {
        arbiter->used_up |= (uint16_t)(1u << lane);
    }
}

/* ---- weights ------------------------------------------------------------ */

static uint16_t gms_lane_weight(double share, double of, unsigned frame)
{
    double weight;

    if (!(share > 0)) {
        return 0;
    }
    weight = round(share / of * frame);
    return (uint16_t)fmin(fmax(weight, 1), frame);
}

/* Compute the maximum number of consecutive real-time flits. The bandwidth of a
 * link is B, and the peak bandwidth of real-time traffic is B_p. Best-effort
 * traffic must receive at least B - B_p, which is B / limit. The limit is
 * rounded up, because the share of real-time traffic, (limit - 1) / limit, must
 * be large enough. For example, rounding 1.1 down to 1 would leave no bandwidth
 * for real-time traffic. Subtracting 1e-9 only removes rounding errors of
 * doubles. */
static uint16_t gms_lane_limit(double peak, double bandwidth)
{
    if (peak >= bandwidth) {
        return GMS_LANE_LIMIT_MAX;
    }
    return (uint16_t)fmin(ceil(bandwidth / (bandwidth - peak) - 1e-9),
                          GMS_LANE_LIMIT_MAX);
}

void gms_lane_weigh(const gms_lane_plan_t *plan,
                    const gms_lane_shares_t *shares, double bandwidth,
                    unsigned changed, gms_lane_table_t *table)
{
    int is_alone = changed < GMS_LANES_MAX && gms_lane_is_large(plan) &&
                   shares->real_time > 0;
    double all = 0;
    unsigned lane;

    for (lane = 0; lane < GMS_LANES_MAX; ++lane) {
        all += shares->lane[lane];
    }
    if (gms_lane_is_large(plan) && shares->real_time > 0) {
        all = shares->real_time;
    }
    for (lane = 0; lane < GMS_LANES_MAX; ++lane) {
        if (!is_alone || lane == changed) {
            table->weight[lane] =
                gms_lane_weight(shares->lane[lane], all, plan->frame);
        }
    }
    table->limit = gms_lane_limit(shares->peak, bandwidth);
}
