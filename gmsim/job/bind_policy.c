/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the policy for binding ranks. A single sample is not reliable.
 * Ranks that only communicate also run at the same time for some microseconds,
 * and a rank may be between two calls in two consecutive samples. The policy
 * therefore requires several samples for a decision about all ranks.
 */
#include "job/bind_policy.h"

#define GMS_BIND_NS_PER_MS UINT64_C(1000000)

int gms_bind_see(gms_bind_rank_t *rank, const gms_gate_sample_t *sample)
{
    rank->computes = (uint8_t)(rank->was_running && sample->is_running &&
                               sample->clock_ps == rank->clock_ps);
    if (rank->computes) {
        rank->idle = 0;
    } else if (rank->idle < GMS_BIND_SAMPLES) {
        ++rank->idle;
    }
    rank->was_running = (uint8_t)sample->is_running;
    rank->clock_ps = sample->clock_ps;
    return sample->is_running;
}

enum gms_bind_order gms_bind_decide(gms_bind_policy_t *policy, unsigned running,
                                    uint64_t switches, uint64_t now_ns)
{
    uint64_t done = (switches - policy->switches) * GMS_BIND_NS_PER_MS;
    uint64_t past_ns = now_ns - policy->at_ns;
    int is_first = policy->at_ns == 0;
    int crowded;

    policy->switches = switches;
    policy->at_ns = now_ns;
    policy->crowded = (uint8_t)(policy->crowded << 1 | (running >= 2));
    crowded = __builtin_popcount(policy->crowded);
    if (is_first) {
        return GMS_BIND_KEEP;
    }
    if (done >= past_ns * GMS_BIND_MANY || crowded == 0) {
        return GMS_BIND_RETURN;
    }
    if (done <= past_ns * GMS_BIND_FEW &&
        (unsigned)crowded >= GMS_BIND_SAMPLES / 2) {
        return GMS_BIND_LEAVE;
    }
    return GMS_BIND_KEEP;
}

enum gms_bind_order gms_bind_order_of(const gms_bind_rank_t *rank,
                                      enum gms_bind_order all)
{
    if (rank->computes) {
        return GMS_BIND_LEAVE;
    }
    if (all == GMS_BIND_RETURN && rank->idle < GMS_BIND_SAMPLES) {
        return GMS_BIND_KEEP; /* the rank will probably compute again soon */
    }
    return all;
}
