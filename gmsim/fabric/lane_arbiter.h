/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares virtual-lane arbitration. An arbiter chooses which lane of a port
 * sends the next flit. Arbiters are used at a host's port, at every crossbar
 * input and at every router output.
 *
 * The arbitration has two levels [source: Yum et al., section 3.3; IBA 1.0, VL
 * arbitration]:
 *
 *   between classes  control before all others; real time before best effort.
 *                    While best effort waits, the port sends at most limit - 1
 *                    flits of real time in a row, and then one flit of best
 *                    effort. Best effort thus receives at least 1 / limit of
 *                    the port
 *   within a class   real time by the policy; control and best effort in turn
 *                    (round-robin), or first come first served if that is the
 *                    policy
 *
 * Weights and limit belong to a link. The port that feeds the link and the
 * crossbar input at its end use the same table. Each port has its own arbiter
 * state.
 *
 * - Small frame: F = k x real-time lanes. The weights of all lanes are
 *   recomputed whenever a reservation starts or ends.
 * - Large frame: F = 255 x 64. For the lane whose reservation changes, the
 *   weight is set to the lane's share of the total bandwidth that is reserved
 *   for real time. Other weights do not change.
 * - Slow pointer: a lane sends as many flits as its weight, and then the
 *   pointer moves to the next lane.
 * - Fast pointer: each lane sends one flit and the pointer advances, until the
 *   weights of a frame are used up.
 *
 * No cycle is lost if a lane has a flit to send. With the slow pointer, a lane
 * that has nothing to send loses its turn. With the fast pointer, a frame ends
 * as soon as all lanes with flits to send have used up their weights. A lane
 * that always has flits to send therefore sends as many flits as its weight in
 * every frame. The lanes with flits to send take turns in the remaining cycles.
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

/** Names in messages and files: "fcfs", "round-robin", "small-fast", ...; the
 *  last entry is NULL. */
extern const char *const gms_lane_policy_names[];

#define GMS_LANE_LIMIT_MAX   255u
#define GMS_LANE_LARGE_FRAME (255u * 64u)

/** Assignment of a port's lanes to classes. All ports of a fabric use the same
 *  assignment. */
typedef struct gms_lane_plan {
    uint16_t class_lanes[GMS_LANE_CLASSES]; /**< disjoint bit masks; a fabric
                                             *   does not carry a class without
                                             *   lanes */
    uint8_t class_of[GMS_LANES_MAX];
    uint8_t policy; /**< a value of enum gms_lane_policy */
    uint16_t frame; /**< length F of a frame, in flits */
} gms_lane_plan_t;

/** Weights of a link's lanes. */
typedef struct gms_lane_table {
    uint16_t weight[GMS_LANES_MAX]; /**< flits per frame; 0: no bandwidth is
                                     *   reserved, and the lane is served as if
                                     *   its weight were 1 */
    uint16_t limit; /**< maximum number of consecutive real-time flits, 1..255
                     *   (see the beginning of this file); 1: best effort has
                     *   priority over real time */
} gms_lane_table_t;

/** State of one port's arbiter; all fields are 0 at the start, as if lane 0 had
 *  been served last. */
typedef struct gms_lane_arbiter {
    /** number of flits that each lane has sent in the current frame; with the
     *  slow pointer, only the count of the pointer's lane is valid */
    uint16_t spent[GMS_LANES_MAX];
    uint16_t used_up; /**< mask of the lanes that have used up their weight */
    uint8_t pointer[GMS_LANE_CLASSES]; /**< lane served last */
    uint8_t urgent;                    /**< consecutive real-time flits that
                                        *   were sent while best effort waited,
                                        *   at most 255 */
} gms_lane_arbiter_t;

/**
 * Initialise a plan.
 * @param [in] lanes        1..16, at least real_time + control
 * @param [in] real_time    number of lanes for real time, beginning with lane 0
 * @param [in] control      1: the last lane carries control; 0: no lane carries
 *   control. The remaining lanes carry best effort
 * @param [in] frame_factor factor k of the small frame, >= 1; a small frame is
 *   limited to the length of the large frame
 */
void gms_lane_plan_init(gms_lane_plan_t *plan, unsigned lanes,
                        unsigned real_time, int control,
                        enum gms_lane_policy policy, unsigned frame_factor);

/* ---- called in every cycle; inlined for choices without weights ---- */

/** Return the next lane of a mask after the lane `last`, in cyclic order. The
 *  mask must not be 0. */
static inline unsigned gms_lane_next(uint32_t mask, unsigned last)
{
    uint32_t after = mask & (UINT32_MAX << last << 1);

    return (unsigned)__builtin_ctz(after != 0 ? after : mask);
}

/** Choose among real-time lanes by weight. Helper of
 *  gms_lane_arbiter_pick(). */
unsigned gms_lane_pick_weighted(const gms_lane_arbiter_t *arbiter,
                                const gms_lane_plan_t *plan, uint16_t mask);
/** Choose the lane that has waited longest, regardless of its class. Helper of
 *  gms_lane_arbiter_pick(). */
unsigned gms_lane_pick_first(const gms_lane_arbiter_t *arbiter,
                             const gms_lane_plan_t *plan, uint16_t mask,
                             const uint32_t *since);
/** Count a flit that a real-time lane has sent. Helper of
 *  gms_lane_arbiter_served(). */
void gms_lane_charge(gms_lane_arbiter_t *arbiter, const gms_lane_plan_t *plan,
                     const gms_lane_table_t *table, unsigned lane);

/** Return the candidates of the class whose turn it is. */
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
 * Choose the lane that sends next. The arbiter's state does not change, because
 * the chosen lane does not always send a flit.
 * @param [in] candidates  mask of the lanes that could send now, not 0
 * @param [in] since       for each lane, the time at which its first flit
 *   became a candidate, in any unit; the times may wrap around. Only FCFS uses
 *   `since'; for other policies it may be NULL
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

/** Update the state after the lane has sent a flit. The candidates must be the
 *  same as in gms_lane_arbiter_pick(): the lanes that could have sent. */
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

/** Bandwidth reserved on a link; all fields have the same unit. */
typedef struct gms_lane_shares {
    double lane[GMS_LANES_MAX]; /**< R_v: sum of average rates in lane v */
    double peak;                /**< B_p: sum of peak rates */
    double real_time;           /**< B_r of the large frame: total bandwidth for
                                 *   real time; 0: use the sum of lane[]
                                 *   instead, which changes whenever an element
                                 *   changes */
} gms_lane_shares_t;

/**
 * Compute the weights W_v = rho_v x F. In a small frame, rho_v is R_v / sum R,
 * and in a large frame it is R_v / B_r. The result is rounded to the nearest
 * integer in 1..F if R_v > 0, and is 0 otherwise. The limit is 255 if B_p >= B.
 * Otherwise the limit is B / (B - B_p), rounded up to an integer in 1..255.
 * While best effort waits, at most limit - 1 of any `limit' successive flits
 * are real-time flits.
 * @param [in] bandwidth  bandwidth B of the link
 * @param [in] changed    lane whose share changed, or GMS_LANES_MAX for all
 *   lanes; with the large frame and a given B_r, only this lane is updated
 * @param table           weights and limit; weights that are not updated keep
 *   their values
 * [source: Yum et al., section 3.3; rounding: the example there with F = 6,
 * 101/301 x 6 and 200/301 x 6 are 2 and 4]
 */
void gms_lane_weigh(const gms_lane_plan_t *plan,
                    const gms_lane_shares_t *shares, double bandwidth,
                    unsigned changed, gms_lane_table_t *table);

#endif
