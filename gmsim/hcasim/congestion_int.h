/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to congestion*.c: state and functions that the congestion policies
 * share.
 */
#ifndef HCASIM_CONGESTION_INT_H
#define HCASIM_CONGESTION_INT_H

#include "hcasim/congestion.h"

/** Functions of a policy. A function may be NULL: the policy then takes no
 * action, or, for may_*, allows every message. */
typedef struct gms_congestion_ops {
    /** Creates the policy's own state. @return as gms_congestion_create() */
    gms_status_t (*create)(gms_congestion_t *congestion,
                           char error[GMS_TOPOLOGY_ERROR_LEN]);
    void (*destroy)(gms_congestion_t *congestion); /* state is not NULL */
    gms_status_t (*open)(gms_congestion_t *congestion, uint32_t node,
                         uint32_t connection, double share);
    void (*close)(gms_congestion_t *congestion, uint32_t node,
                  uint32_t connection);
    unsigned (*queue)(const gms_congestion_t *congestion, uint32_t node,
                      uint32_t target);
    int (*may_post)(gms_congestion_t *congestion, uint32_t node,
                    const gms_hca_message_t *message);
    int (*may_enter)(gms_congestion_t *congestion, uint32_t node,
                     const gms_hca_message_t *message);
    void (*posted)(gms_congestion_t *congestion, uint32_t node,
                   const gms_hca_message_t *message);
    void (*entered)(gms_congestion_t *congestion, uint32_t node,
                    const gms_hca_message_t *message);
    void (*completed)(gms_congestion_t *congestion, uint32_t node,
                      const gms_hca_message_t *message);
    void (*step)(gms_congestion_t *congestion);
    uint64_t (*next)(const gms_congestion_t *congestion);
} gms_congestion_ops_t;

extern const gms_congestion_ops_t gms_congestion_none_ops;
extern const gms_congestion_ops_t gms_congestion_credit_ops;
extern const gms_congestion_ops_t gms_congestion_separate_ops;
extern const gms_congestion_ops_t gms_congestion_quad_ops;
extern const gms_congestion_ops_t gms_congestion_alo_ops;
extern const gms_congestion_ops_t gms_congestion_self_tuned_ops;

typedef struct gms_congestion_credit gms_congestion_credit_t;
typedef struct gms_congestion_lanes gms_congestion_lanes_t;
typedef struct gms_congestion_tuner gms_congestion_tuner_t;

struct gms_congestion {
    const gms_congestion_ops_t *ops;
    gms_congestion_config_t config;
    gms_flit_net_t *net;
    uint32_t nodes;
    /** number of best-effort queues per node */
    unsigned queues;
    gms_congestion_credit_t *credit; /**< state of the credit policies */
    gms_congestion_lanes_t *lanes;   /**< by node; alo and self-tuned */
    gms_congestion_tuner_t *tuner;   /**< self-tuned only */
};

/* ---- congestion_credit.c ---- */

unsigned gms_congestion_credit_limit(const gms_congestion_t *congestion,
                                     uint32_t node, unsigned queue);
unsigned gms_congestion_credit_used(const gms_congestion_t *congestion,
                                    uint32_t node, unsigned queue);

/* ---- congestion_lanes.c: messages in the HCAs' lanes ---- */

/** Counts the messages of an HCA between their entry and their completion. If
 * messages may use any free lane, the lane of a message is unknown. Each
 * message then counts as one occupied lane. */
struct gms_congestion_lanes {
    uint32_t by_lane[GMS_LANES_MAX]; /**< drawn lanes */
    uint32_t by_class[GMS_LANE_CLASSES];
};

gms_status_t gms_congestion_lanes_create(gms_congestion_t *congestion);
void gms_congestion_lanes_entered(gms_congestion_t *congestion, uint32_t node,
                                  const gms_hca_message_t *message);
void gms_congestion_lanes_completed(gms_congestion_t *congestion, uint32_t node,
                                    const gms_hca_message_t *message);
/** Returns the bit mask of the lanes of a class at a node that have a
 * message. */
uint16_t gms_congestion_lanes_taken(const gms_congestion_t *congestion,
                                    uint32_t node, unsigned traffic_class);
/** Returns the number of lanes for data, of any class, that have a message. */
unsigned gms_congestion_lanes_full(const gms_congestion_t *congestion,
                                   uint32_t node);
/** Returns the number of lanes of a class. */
unsigned gms_congestion_lanes_of(const gms_congestion_t *congestion,
                                 unsigned traffic_class);

/* ---- congestion_self_tuned.c: tuning without a network, for tests ---- */

/** Samples of the side band, and the values derived from them. */
struct gms_congestion_tuner {
    double buffers; /**< number of buffers of the whole network and all HCAs */
    /** number of full buffers above which no message enters */
    double threshold;
    uint64_t gather_cycle; /**< cycle of the last sample */
    /** full buffers at the last three samples, the newest first; the newest is
     *  not known to the nodes yet */
    double full[3];
    /** flits delivered since the start, at the last two samples */
    double flits[2];
    unsigned gathers; /**< samples since the last tuning */
    /** flits delivered until the last tuning, as known at that time */
    double period_flits;
    double throughput; /**< flits in the period before that, 0: none yet */
    /** best throughput: most flits in a period; then the values at that time */
    double best;
    double best_threshold, best_full;
    unsigned resets; /**< successive periods far below the best */
};

/** Returns the current number of full buffers, extrapolated from the known
 * samples. */
double gms_congestion_tuner_estimate(const gms_congestion_tuner_t *tuner,
                                     unsigned gather_cycles, uint64_t cycle);
/** Adjusts the threshold after a period that delivered this number of flits.
 *  @param [in] estimate current number of full buffers */
void gms_congestion_tuner_tune(gms_congestion_tuner_t *tuner, double flits,
                               double estimate);

#endif
