/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the congestion control of a cluster of HCAs. A policy decides which
 * messages a host may post to its HCA, and which of these messages may enter
 * the network. The policies are:
 *
 *   none         An HCA accepts messages until it is full.
 *   credit       A message needs a credit of its completion queue. The queue
 *                receives the credit back when the message has left the HCA.
 *                Each real-time connection i has a queue with C_i = b_i / B x M
 *                credits. b_i is the bandwidth of the connection, B is the
 *                bandwidth of a link, and M is buffer_messages. C_i is rounded
 *                down, so that the sum does not exceed M, but is at least 1.
 *                The best-effort traffic of a node has one queue. The number of
 *                credits of this queue is the smaller of credits_best and the
 *                part of M that no connection uses, but at least 1.
 *   separate-cq  Like `credit`, but a node has one best-effort queue for each
 *                destination node. These queues divide the credits evenly. If
 *                there is a remainder, the first queues receive one credit
 *                more. Each queue has at least 1 credit.
 *   quad-cq      Like `separate-cq`, but with one queue for each quadrant of a
 *                mesh or torus around the node. The quadrants are numbered
 *                clockwise from the lower right one. A quadrant contains the
 *                half axis at which it begins, and quadrant 0 contains the node
 *                itself:
 *                  0  right, down or level     1  down, left or straight
 *                  2  left, up or level        3  up, right or straight
 *                [assumed: the paper does not define the quadrants; with this
 *                definition each quadrant has the same share of an endless
 *                mesh]
 *   alo          At Least One: a message may enter if every useful link has at
 *                least one free lane, or if all lanes of one useful link are
 *                free [source: Baydal, Lopez and Duato 2000]. The useful links
 *                are the link out of the source's switch on the message's
 *                (only) route, and the HCA's own link [source: Yum et al.,
 *                section 7.2: 'to include the status of the HCA buffer'].
 *                The policy checks the lanes that the message may use. With
 *                drawn lanes, this is one lane of each link [assumed: the
 *                message cannot use other lanes]. Otherwise, these are all
 *                lanes of the message's class. A lane of the HCA is free if no
 *                message is in the lane or on its way into it. alo_rule
 *                selects stricter rules.
 *   self-tuned   No message enters while the number of full buffers in the
 *                whole network is above a threshold. A side band reports the
 *                full buffers at fixed intervals, and the threshold is adjusted
 *                automatically by the throughput [source: Thottethodi, Lebeck
 *                and Mukherjee 2001]. The policy counts the buffers of the
 *                switches' input lanes and of the HCAs' lanes [source: Yum et
 *                al., as above]. A lane of an HCA is full while it has a
 *                message [assumed: a message of 40 flits fills a buffer of 10]
 *
 * No policy delays control traffic. The credit policies delay a real-time
 * message only if its own connection has no credit left. The policies alo and
 * self-tuned treat real-time messages like best-effort messages [assumed: the
 * papers on these policies have only one class].
 *
 * [source: Yum et al., sections 4.2 and 4.3]
 */
#ifndef HCASIM_CONGESTION_H
#define HCASIM_CONGESTION_H

#include <stdint.h>

#include "hcasim/hca.h"

/* state of the congestion control for the whole cluster */
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
/* the last element is NULL */
extern const char *const gms_congestion_policy_names[];

/** Flags that make the rule of the policy alo stricter. */
enum gms_congestion_alo {
    /** treat all links of the route as useful links, not only the first two */
    GMS_ALO_ROUTE = 1,
    /** admit no message while an HCA lane of the message's class holds another
     *  message; the HCA's own link is then not a useful link */
    GMS_ALO_EMPTY = 2,
    /** use only the first half of the rule, which admits a message only if
     *  every useful link has at least one free lane */
    GMS_ALO_FIRST_HALF = 4
};

typedef struct gms_congestion_config {
    unsigned policy; /**< a value of enum gms_congestion_policy */
    /** capacity M of each HCA in messages, at least 1 */
    unsigned buffer_messages;
    /** best-effort credits of a node, summed over its queues; at least 1 */
    unsigned credits_best;
    unsigned alo_rule; /**< alo: sum of values of enum gms_congestion_alo, or 0
                        *   if no flag is set */
    /* the following fields apply to self-tuned */
    /** number of cycles between two samples of the side band, at least 1. A
     *  sample needs the same number of cycles to reach the nodes */
    unsigned gather_cycles;
    /** number of samples between two adjustments of the threshold, at least
     *  1 */
    unsigned tune_gathers;
    /** initial threshold as a fraction of all buffers, 0..1 */
    double tune_start;
} gms_congestion_config_t;

/** Sets the defaults. The file congestion.c lists the sources of the
 *  defaults. */
void gms_congestion_config_init(gms_congestion_config_t *config);

/** Creates the congestion control of a cluster.
 *  @param [in] net must outlive the congestion control
 *  @return GMS_OK; GMS_ERR_CONFIG with a message in `error` if a number that
 *  must be positive is 0, or if the topology has no rows and columns for
 *  quad-cq; GMS_ERR_NO_MEMORY */
gms_status_t gms_congestion_create(const gms_congestion_config_t *config,
                                   gms_flit_net_t *net,
                                   gms_congestion_t **congestion_p,
                                   char error[GMS_TOPOLOGY_ERROR_LEN]);
/** Destroys the congestion control. NULL is allowed. */
void gms_congestion_destroy(gms_congestion_t *congestion);

/** Report that a real-time connection with the source `node` begins or ends.
 *  @param [in] connection at least 1; use small numbers, because they index a
 *  table
 *  @param [in] share b_i / B, bandwidth of the connection as a fraction of the
 *    link's bandwidth; must be above 0
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_congestion_open(gms_congestion_t *congestion, uint32_t node,
                                 uint32_t connection, double share);
void gms_congestion_close(gms_congestion_t *congestion, uint32_t node,
                          uint32_t connection);

/** Returns the number of completion queues for the best-effort traffic of one
 *  node. */
unsigned gms_congestion_queues(const gms_congestion_t *congestion);
/** Returns the completion queue of a best-effort message from `node` to
 *  `target`. A message that waits for a credit waits only for earlier messages
 *  of its own queue. */
unsigned gms_congestion_queue(const gms_congestion_t *congestion, uint32_t node,
                              uint32_t target);

/* Functions for a gms_hca_gate_t. The caller combines them with the
 * corresponding functions of power control. */
int gms_congestion_may_post(gms_congestion_t *congestion, uint32_t node,
                            const gms_hca_message_t *message);
int gms_congestion_may_enter(gms_congestion_t *congestion, uint32_t node,
                             const gms_hca_message_t *message);
void gms_congestion_posted(gms_congestion_t *congestion, uint32_t node,
                           const gms_hca_message_t *message);
void gms_congestion_entered(gms_congestion_t *congestion, uint32_t node,
                            const gms_hca_message_t *message);
/** Reports that the completion of a message has arrived. The credit of the
 *  message becomes available again. */
void gms_congestion_completed(gms_congestion_t *congestion, uint32_t node,
                              const gms_hca_message_t *message);
/** Executes one cycle of the policy. Call this function once per cycle, before
 *  the HCAs. The caller may skip the cycles before the result of
 *  gms_congestion_next(). */
void gms_congestion_step(gms_congestion_t *congestion);
/** Returns the next cycle in which gms_congestion_step() must be called, or
 *  UINT64_MAX if there is no such cycle. If the network is idle, the caller may
 *  skip the cycles before this cycle. */
uint64_t gms_congestion_next(const gms_congestion_t *congestion);

/** Return the number of credits of a best-effort queue, and the number of these
 *  credits that are in use. */
unsigned gms_congestion_credits(const gms_congestion_t *congestion,
                                uint32_t node, unsigned queue);
unsigned gms_congestion_used(const gms_congestion_t *congestion, uint32_t node,
                             unsigned queue);
/** Returns the threshold of policy self-tuned as a number of buffers, or 0 for
 *  other policies. */
double gms_congestion_threshold(const gms_congestion_t *congestion);

#endif
