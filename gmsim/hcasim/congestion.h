/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Congestion control of a cluster of HCAs. A policy decides which messages a
 * host may post to its HCA, and which of these may enter the network. Policies
 * by name:
 *
 *   none         as many as the HCA has room for
 *   credit       a message needs a credit of its completion queue; the credit
 *                is returned when the message has left the HCA. Real time: a
 *                queue per connection with C_i = b_i / B x M credits, rounded
 *                down (their sum stays within M) but at least 1. Best
 *                effort: one queue per node with credits_best or, if that is
 *                less, the part of M that no connection uses, but at least 1
 *   separate-cq  the same with a best-effort queue for every destination node.
 *                They divide the credits evenly, and the first ones receive one
 *                more if there is a remainder. Each queue has at least 1.
 *   quad-cq      the same for each quadrant of a mesh or torus around the node. The
 *                half axis at which a quadrant begins, turning from right to
 *                down, belongs to it; the node itself belongs to the first:
 *                  0  right, down or level     1  down, left or straight
 *                  2  left, up or level        3  up, right or straight
 *                [assumed: the paper does not define it; each quadrant then has
 *                the same share of an endless mesh]
 *   alo          at least one lane is free in every useful link, or all lanes are
 *                free in one of them; else no message enters [source: Baydal, Lopez
 *                and Duato 2000]. Useful: the link out of the source's switch on
 *                the message's (only) route, and the HCA's own [source: Yum et
 *                al., section 7.2: 'to include the status of the HCA buffer'].
 *                The policy checks the lanes that the message may use. With
 *                drawn lanes that is one of each link [assumed: other lanes are
 *                of no use to the message], otherwise all lanes of its class. A
 *                lane of the HCA is free if no message is in it or moving to
 *                it.
 *   self-tuned   no message enters while the whole network has more full
 *                buffers than a threshold. A side band reports the full buffers
 *                at fixed intervals; the threshold tunes itself by the
 *                throughput [source: Thottethodi, Lebeck and Mukherjee 2001].
 *                Buffers are those of the switches' input lanes and of the
 *                HCAs' lanes [source: Yum et al., as above]; a lane of an HCA
 *                is full while it has a message [assumed: one of 40 flits fills
 *                a buffer of 10]
 *
 * Control traffic is never held up. Real time is held up only by credits; the
 * last two policies do not distinguish classes otherwise [assumed: their papers
 * have one class].
 *
 * [source: Yum et al., sections 4.2 and 4.3]
 */
#ifndef HCASIM_CONGESTION_H
#define HCASIM_CONGESTION_H

#include <stdint.h>

#include "hcasim/hca.h"

/* state for the whole cluster */
typedef struct gms_congestion gms_congestion_t;

enum gms_congestion_policy {
    GMS_CONGESTION_NONE = 0,
    GMS_CONGESTION_CREDIT,
    GMS_CONGESTION_SEPARATE_CQ,
    GMS_CONGESTION_QUAD_CQ,
    GMS_CONGESTION_ALO,
    GMS_CONGESTION_SELF_TUNED,
    GMS_CONGESTION_POLICIES
};
extern const char *const gms_congestion_policy_names[]; /* ends with NULL */

typedef struct gms_congestion_config {
    unsigned policy;          /**< enum gms_congestion_policy */
    unsigned buffer_messages; /**< M of each HCA, 1.. */
    /** best-effort credits of a node, the sum of all its queues; 1.. */
    unsigned credits_best;
    /* self-tuned */
    /** cycles between two samples of the side band, and the age of a sample
     *  when it reaches the nodes; 1.. */
    unsigned gather_cycles;
    unsigned tune_gathers; /**< samples between two tunings, 1.. */
} gms_congestion_config_t;

/** Defaults with their sources. */
void gms_congestion_config_init(gms_congestion_config_t *config);

/** Creates the congestion control of a cluster.
 *  @param [in] net must outlive it
 *  @return GMS_OK, GMS_ERR_CONFIG (a number is 0; quad-cq without rows and
 *  columns; text), GMS_ERR_NO_MEMORY */
gms_status_t gms_congestion_create(const gms_congestion_config_t *config,
                                   gms_flit_net_t *net,
                                   gms_congestion_t **congestion_p,
                                   char error[GMS_TOPOLOGY_ERROR_LEN]);
/** NULL is allowed. */
void gms_congestion_destroy(gms_congestion_t *congestion);

/** Reports that a real-time connection that sends from node begins or ends.
 *  @param [in] connection 1..; use small numbers, because they index a table
 *  @param [in] share b_i / B, > 0
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_congestion_open(gms_congestion_t *congestion, uint32_t node,
                                 uint32_t connection, double share);
void gms_congestion_close(gms_congestion_t *congestion, uint32_t node,
                          uint32_t connection);

/** Returns the number of completion queues for a node's best effort. */
unsigned gms_congestion_queues(const gms_congestion_t *congestion);
/** Returns the completion queue of a message from node to target. Best effort
 *  that waits for a credit waits only behind messages of its own queue. */
unsigned gms_congestion_queue(const gms_congestion_t *congestion, uint32_t node,
                              uint32_t target);

/* Functions for gms_hca_gate_t, to be combined with those of power control. */
int gms_congestion_may_post(gms_congestion_t *congestion, uint32_t node,
                            const gms_hca_message_t *message);
int gms_congestion_may_enter(gms_congestion_t *congestion, uint32_t node,
                             const gms_hca_message_t *message);
void gms_congestion_posted(gms_congestion_t *congestion, uint32_t node,
                           const gms_hca_message_t *message);
void gms_congestion_entered(gms_congestion_t *congestion, uint32_t node,
                            const gms_hca_message_t *message);
/** Reports that the completion of a message has arrived, and returns the credit
 * of the message. */
void gms_congestion_completed(gms_congestion_t *congestion, uint32_t node,
                              const gms_hca_message_t *message);
/** Executes one cycle of the policy. Call this function once per cycle, before
 * the HCAs. Cycles before gms_congestion_next() may be skipped. */
void gms_congestion_step(gms_congestion_t *congestion);
/** Returns the next cycle at which gms_congestion_step() has work in any case,
 *  or UINT64_MAX. An idle network may be skipped until then. */
uint64_t gms_congestion_next(const gms_congestion_t *congestion);

/** Return the current credits of a queue of best effort, and the number of them
 *  in use. */
unsigned gms_congestion_credits(const gms_congestion_t *congestion,
                                uint32_t node, unsigned queue);
unsigned gms_congestion_used(const gms_congestion_t *congestion, uint32_t node,
                             unsigned queue);
/** Returns the threshold of policy self-tuned, in buffers; 0 for other
 * policies. */
double gms_congestion_threshold(const gms_congestion_t *congestion);

#endif
