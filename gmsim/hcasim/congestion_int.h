/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the state and functions that the congestion policies share. Only
 * congestion*.c and unit tests include this header.
 */
#ifndef HCASIM_CONGESTION_INT_H
#define HCASIM_CONGESTION_INT_H

#include "hcasim/congestion.h"

/** Functions of a policy. If a function is NULL, the policy takes no action. A
 *  missing may_* function allows every message. */
typedef struct gms_congestion_ops {
    /** Creates the policy's own state. @return the same values as
     *  gms_congestion_create() */
    gms_status_t (*create)(gms_congestion_t *congestion,
                           char error[GMS_TOPOLOGY_ERROR_LEN]);
    /* called only if the policy has its own state */
    void (*destroy)(gms_congestion_t *congestion);
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
    gms_congestion_lanes_t *lanes;   /**< alo and self-tuned: number of messages
                                      *   in the lanes of the HCAs, indexed by
                                      *   node */
    gms_congestion_tuner_t *tuner;   /**< state of the policy self-tuned; NULL
                                      *   for other policies */
};

/* ---- congestion_credit.c ---- */

unsigned gms_congestion_credit_limit(const gms_congestion_t *congestion,
                                     uint32_t node, unsigned queue);
unsigned gms_congestion_credit_used(const gms_congestion_t *congestion,
                                    uint32_t node, unsigned queue);

/* ---- congestion_lanes.c: messages in the HCAs' lanes ---- */

/** Counts the messages that have entered an HCA's lanes and have not completed.
 *  If messages may use any free lane, the lane of a message is unknown. Each
 *  message then counts as one occupied lane. */
struct gms_congestion_lanes {
    uint32_t by_lane[GMS_LANES_MAX]; /**< number of messages in each lane; used
                                      *   only with GMS_FLIT_LANES_DRAWN */
    uint32_t by_class[GMS_LANE_CLASSES];
};

gms_status_t gms_congestion_lanes_create(gms_congestion_t *congestion);
void gms_congestion_lanes_entered(gms_congestion_t *congestion, uint32_t node,
                                  const gms_hca_message_t *message);
void gms_congestion_lanes_completed(gms_congestion_t *congestion, uint32_t node,
                                    const gms_hca_message_t *message);
/** Returns a bit mask of the lanes in a node's HCA that belong to a class and
 *  hold a message. */
uint16_t gms_congestion_lanes_taken(const gms_congestion_t *congestion,
                                    uint32_t node, unsigned traffic_class);
/** Returns the number of data lanes of all classes that hold a message. */
unsigned gms_congestion_lanes_full(const gms_congestion_t *congestion,
                                   uint32_t node);
/** Returns the number of lanes of a class. */
unsigned gms_congestion_lanes_of(const gms_congestion_t *congestion,
                                 unsigned traffic_class);

/* ---- congestion_self_tuned.c: tuning; tests also use it without a network
 * ---- */

/** Samples of the side band, and the values derived from them. */
struct gms_congestion_tuner {
    double buffers; /**< number of buffers in the whole network and all HCAs */
    /** number of full buffers above which no message enters */
    double threshold;
    uint64_t gather_cycle; /**< cycle of the last sample */
    /** number of full buffers in the last three samples, newest first; the
     *  newest sample has not reached the nodes yet */
    double full[3];
    /** number of flits that had been delivered at each of the last two
     *  samples */
    double flits[2];
    unsigned gathers; /**< number of samples since the last tuning */
    /** number of flits that had been delivered at the last tuning, according to
     *  the sample that was known then */
    double period_flits;
    /** number of flits delivered in the last period; 0 if no period has ended
     *  yet */
    double throughput;
    /** the largest number of flits in a period, and the threshold and the
     *  number of full buffers at that time */
    double best;
    double best_threshold, best_full;
    unsigned resets; /**< number of consecutive periods with far fewer flits
                      *   than `best` */
};

/** Returns the current number of full buffers, extrapolated from the known
 * samples. */
double gms_congestion_tuner_estimate(const gms_congestion_tuner_t *tuner,
                                     unsigned gather_cycles, uint64_t cycle);
/** Adjusts the threshold after a period in which `flits` flits were delivered.
 *  @param [in] estimate current number of full buffers */
void gms_congestion_tuner_tune(gms_congestion_tuner_t *tuner, double flits,
                               double estimate);

#endif
