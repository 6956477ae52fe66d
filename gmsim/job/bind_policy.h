/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Decides which ranks of a job share one processing unit. The policy uses
 * samples of the ranks, which are taken in real time:
 *
 *   a rank has computed from one sample    the rank leaves the shared unit
 *   to the next
 *   several ranks run at the same time,    all ranks leave the shared unit
 *   and few context switches occur
 *   many context switches occur, or one    ranks return to the shared unit,
 *   rank runs at a time                    unless they compute
 *
 * A decision never affects virtual time.
 */
#ifndef JOB_BIND_POLICY_H
#define JOB_BIND_POLICY_H

#include <stdint.h>

#include "engine/gate.h"

/** State of a rank, as used by the policy. */
typedef struct gms_bind_rank {
    gms_time_t clock_ps; /* the rank's clock at the last sample */
    uint8_t was_running; /* 1 if the rank ran in the last sample */
    uint8_t computes;    /* 1 if the rank made no call between two samples */
    uint8_t idle;        /* number of samples since the rank last computed, at
                          * most GMS_BIND_SAMPLES */
} gms_bind_rank_t;

typedef struct gms_bind_policy {
    uint8_t crowded;   /* one bit for each recent sample; 1: several ranks
                        * ran */
    uint64_t switches; /* number of context switches up to the last sample */
    uint64_t at_ns;    /* real time of the last sample, or 0 if there is none */
} gms_bind_policy_t;

enum gms_bind_order {
    GMS_BIND_KEEP = 0,
    GMS_BIND_LEAVE, /* leave the shared unit */
    GMS_BIND_RETURN /* return to the shared unit */
};

/** Number of samples on which a decision is based. */
#define GMS_BIND_SAMPLES 8u
/** Two thresholds for the rate of context switches, per ms. At or below the
 *  first threshold, ranks that run at the same time leave the shared unit. At
 *  or above the second threshold, ranks return to it. [chosen: a context switch
 *  across units of a small virtual machine takes 35 us, so 8 of them cost at
 *  most 28 % of one unit. Ranks that only communicate cause up to 28 context
 *  switches per ms across units, and 50 to 250 per ms on one unit.] */
#define GMS_BIND_FEW  8u
#define GMS_BIND_MANY 16u

/** Process the sample of one rank.
 *  @return 1 if the rank runs */
int gms_bind_see(gms_bind_rank_t *rank, const gms_gate_sample_t *sample);
/** Process the sample of all ranks: the number of ranks that run, the number of
 *  context switches of the job so far, and the real time.
 *  @return the order for ranks that do not compute */
enum gms_bind_order gms_bind_decide(gms_bind_policy_t *policy, unsigned running,
                                    uint64_t switches, uint64_t now_ns);
/** Return the order for one rank after gms_bind_decide() has returned `all`. */
enum gms_bind_order gms_bind_order_of(const gms_bind_rank_t *rank,
                                      enum gms_bind_order all);

#endif
