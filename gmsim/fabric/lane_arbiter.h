/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Virtual-lane arbitration: the choice of the lane of a port that sends the
 * next flit. It is used at a host's port, at every crossbar input and at every
 * router output.
 *
 * Two levels [source: Yum et al., section 3.3; IBA 1.0, VL arbitration]:
 *
 *   between classes  control before everything; real time before best effort,
 *                    but after at most limit - 1 flits of real time in a row
 *                    while best effort waits, one flit of best effort: it receives
 *                    at least 1 / limit of the port
 *   within a class   real time by the policy; control and best effort in turn
 *                    (round-robin), or first come first served if that is the
 *                    policy
 *
 * Weights and limit belong to a link: the port that feeds it and the crossbar
 * input at its end use the same table. The arbiter's own state is per port.
 *
 *   small frame  F = k x real-time lanes; weights of all lanes are computed
 *                anew whenever a reservation starts or ends
 *   large frame  F = 255 x 64; only the lane whose reservation changes is
 *                updated: its share of the bandwidth that is set aside for real
 *                time as a whole
 *   slow pointer a lane sends as many flits as its weight, then the next
 *   fast pointer each lane sends one flit and the pointer moves on, until the
 *                weights of a frame are used up
 *
 * No cycle is lost: a lane that has nothing to send loses its turn (slow
 * pointer), and a frame ends as soon as the lanes that could send have used
 * their weights up (fast pointer). A lane that could send all the time sends
 * its weight in every frame; the remaining turns are shared in turn.
 */
#ifndef FABRIC_LANE_ARBITER_H
#define FABRIC_LANE_ARBITER_H

#include <stdint.h>

#define GMS_LANES_MAX 16u

/** Traffic classes, the most urgent first. */
enum gms_lane_class {
    GMS_LANE_CONTROL = 0,
    GMS_LANE_REAL_TIME,
    GMS_LANE_BEST_EFFORT,
    GMS_LANE_CLASSES
};

enum gms_lane_policy {
    GMS_LANE_FCFS = 0,
    GMS_LANE_ROUND_ROBIN,
    GMS_LANE_SMALL_FAST,
    GMS_LANE_SMALL_SLOW,
    GMS_LANE_LARGE_FAST,
    GMS_LANE_LARGE_SLOW,
    GMS_LANE_POLICIES
};

/** Names for people and files: "fcfs", "round-robin", "small-fast", .. ; ends
 *  with NULL. */
extern const char *const gms_lane_policy_names[];

#define GMS_LANE_LIMIT_MAX   255u
#define GMS_LANE_LARGE_FRAME (255u * 64u)

/** What the lanes of a port are for; the same everywhere in a fabric. */
typedef struct gms_lane_plan {
    uint16_t class_lanes[GMS_LANE_CLASSES]; /**< bit masks, disjoint; a class
                                                 without lanes is not carried */
    uint8_t class_of[GMS_LANES_MAX];
    uint8_t policy; /**< enum gms_lane_policy */
    uint16_t frame; /**< F, flits */
} gms_lane_plan_t;

/** Weights of a link's lanes. */
typedef struct gms_lane_table {
    uint16_t weight[GMS_LANES_MAX]; /**< flits a frame; 0: not reserved, the
                                         lane then counts as weight 1 */
    uint16_t limit;                 /**< 1..255, see above; 1: best effort
                                         goes first */
} gms_lane_table_t;

/** State of one port's arbiter; all zero at the start (lane 0 then counts as
 *  served last). */
typedef struct gms_lane_arbiter {
    uint16_t spent[GMS_LANES_MAX]; /**< of the frame under way; slow pointer:
                                            of the pointer's lane alone */
    uint16_t used_up;              /**< lanes that have spent their weight */
    uint8_t pointer[GMS_LANE_CLASSES]; /**< lane served last */
    uint8_t urgent;                    /**< real-time flits in a row while best
                                            effort waited, at most 255 */
} gms_lane_arbiter_t;

/**
 * Set the plan up.
 * @param [in] lanes        1..16, at least real_time + control
 * @param [in] real_time    how many of them carry real time, from lane 0 on
 * @param [in] control      1: the last lane is control's, else 0; the rest is
 *                          best effort's
 * @param [in] frame_factor k of the small frame, >= 1; a frame is never longer
 *                          than the large one
 */
void gms_lane_plan_init(gms_lane_plan_t *plan, unsigned lanes,
                        unsigned real_time, int control,
                        enum gms_lane_policy policy, unsigned frame_factor);

/* ---- each cycle: inlined where there is nothing to weigh ---- */

/** The lane after `last` in turn, of a mask that is not 0. */
static inline unsigned gms_lane_next(uint32_t mask, unsigned last)
{
    uint32_t after = mask & (UINT32_MAX << last << 1);

    return (unsigned)__builtin_ctz(after != 0 ? after : mask);
}

/** Choose among real-time lanes by weight. For gms_lane_arbiter_pick(). */
unsigned gms_lane_pick_weighted(const gms_lane_arbiter_t *arbiter,
                                const gms_lane_plan_t *plan, uint16_t mask);
/** .. the one that has waited longest, of any class. */
unsigned gms_lane_pick_first(const gms_lane_arbiter_t *arbiter,
                             const gms_lane_plan_t *plan, uint16_t mask,
                             const uint32_t *since);
/** A real-time lane has sent a flit. For gms_lane_arbiter_served(). */
void gms_lane_charge(gms_lane_arbiter_t *arbiter, const gms_lane_plan_t *plan,
                     const gms_lane_table_t *table, unsigned lane);

/** Whose turn it is: the candidates of one class. */
static inline uint16_t gms_lane_turn(const gms_lane_arbiter_t *arbiter,
                                     const gms_lane_plan_t *plan,
                                     const gms_lane_table_t *table,
                                     uint16_t candidates)
{
    uint16_t control = candidates & plan->class_lanes[GMS_LANE_CONTROL];
    uint16_t real = candidates & plan->class_lanes[GMS_LANE_REAL_TIME];
    uint16_t best = candidates & plan->class_lanes[GMS_LANE_BEST_EFFORT];

    if (control != 0) {
        return control;
    }
    if (real == 0 || (best != 0 && arbiter->urgent + 1u >= table->limit)) {
        return best;
    }
    return real;
}

/**
 * Who is next. Changes nothing: a choice may fail for other reasons.
 * @param [in] candidates  lanes that could send now, not 0
 * @param [in] since       by lane, when its first flit became a candidate, any
 *                         unit, may wrap around; only read by FCFS, else may be
 *                         NULL
 * @return the lane
 */
static inline unsigned gms_lane_arbiter_pick(const gms_lane_arbiter_t *arbiter,
                                             const gms_lane_plan_t *plan,
                                             const gms_lane_table_t *table,
                                             uint16_t candidates,
                                             const uint32_t *since)
{
    uint16_t turn;
    unsigned traffic_class;

    if ((candidates & (candidates - 1)) == 0) {
        return (unsigned)__builtin_ctz(candidates);
    }
    turn = gms_lane_turn(arbiter, plan, table, candidates);
    if (plan->policy == GMS_LANE_FCFS) {
        return gms_lane_pick_first(arbiter, plan, turn, since);
    }
    traffic_class = plan->class_of[__builtin_ctz(turn)];
    if (traffic_class == GMS_LANE_REAL_TIME &&
        plan->policy != GMS_LANE_ROUND_ROBIN) {
        return gms_lane_pick_weighted(arbiter, plan, turn);
    }
    return gms_lane_next(turn, arbiter->pointer[traffic_class]);
}

/** It has sent a flit; candidates as in pick (who waited meanwhile). */
static inline void gms_lane_arbiter_served(gms_lane_arbiter_t *arbiter,
                                           const gms_lane_plan_t *plan,
                                           const gms_lane_table_t *table,
                                           unsigned lane, uint16_t candidates)
{
    unsigned traffic_class = plan->class_of[lane];

    if (traffic_class == GMS_LANE_REAL_TIME) {
        if ((candidates & plan->class_lanes[GMS_LANE_BEST_EFFORT]) == 0) {
            arbiter->urgent = 0;
        } else if (arbiter->urgent < UINT8_MAX) {
            ++arbiter->urgent;
        }
        if (plan->policy > GMS_LANE_ROUND_ROBIN) {
            gms_lane_charge(arbiter, plan, table, lane);
        }
    } else if (traffic_class == GMS_LANE_BEST_EFFORT) {
        arbiter->urgent = 0;
    }
    arbiter->pointer[traffic_class] = (uint8_t)lane;
}

/* ---- weights ---- */

/** Bandwidth set aside on a link, in any one unit. */
typedef struct gms_lane_shares {
    double lane[GMS_LANES_MAX]; /**< R_v: sum of average rates in lane v */
    double peak;                /**< B_p: sum of peak rates */
    double real_time;           /**< B_r of the large frame: what real time as a
                                     whole may have; 0: the sum of lane[], which
                                     changes with each of them */
} gms_lane_shares_t;

/**
 * Weights W_v = rho_v x F, rho_v = R_v / sum R (small frame) or R_v / B_r
 * (large frame), rounded to the nearest; 1..F where R_v > 0, else 0. Limit: 255
 * if B_p >= B, else B / (B - B_p), rounded up (real time, B_p of B, gets no more
 * than limit - 1 of limit flits while best effort waits), 1..255.
 * @param [in] bandwidth  B, of the link
 * @param [in] changed    lane whose share changed; the large frame updates that
 *                        one alone if B_r is given; GMS_LANES_MAX: all
 * @param table           weights and limit; read where weights stay
 * [source: Yum et al., section 3.3; rounding: the example there with F = 6,
 *  101/301 x 6 and 200/301 x 6 are 2 and 4]
 */
void gms_lane_weigh(const gms_lane_plan_t *plan,
                    const gms_lane_shares_t *shares, double bandwidth,
                    unsigned changed, gms_lane_table_t *table);

#endif
