/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * A host channel adapter (HCA) with traffic classes, on a flit fabric.
 *
 *   consumer --post--> doorbell queue of its class --DMA--> lane --> link
 *        ^                                                    |
 *        +------------- completion queue <--- tail has left --+
 *
 * [source: Yum et al., section 3.2 and figure 2]
 * - A queue pair belongs to a consumer: a connection of real-time traffic, or a
 *   node's best effort or control traffic as a whole. A work request is one
 *   message of one packet (a video frame is posted packet by packet).
 * - Posting puts a work queue element into the queue pair and rings a doorbell:
 *   its number into the doorbell queue of its class. The firmware serves
 *   doorbells first in first out, the most urgent class first. It programs one
 *   DMA engine, which fetches the message from host memory into a lane. The HCA
 *   is on the system bus, so there is one DMA per message.
 * - When a message's tail has left the HCA, a completion queue element goes to
 *   the queue pair's completion queue, which the consumer polls.
 * - The HCA holds at most buffer_messages that have been posted and have not
 *   left (M). The HCA refuses a post beyond this limit.
 * - Lanes are first in first out and bounded by M alone. The lane of a message
 *   is chosen when the transfer is complete. It is the lane that the message
 *   has drawn. If the fabric lets heads use any free lane, the HCA chooses the
 *   lane of the message's class with the fewest flits.
 *
 * A gate decides which consumers may post, and which message the DMA engine may
 * take (congestion and power control, hcasim/congestion.h and hcasim/power.h).
 *
 * The HCA uses the time of the fabric, in cycles. An HCA without messages costs
 * no processor time.
 */
#ifndef HCASIM_HCA_H
#define HCASIM_HCA_H

#include <stdint.h>

#include "base/status.h"
#include "fabric/flit.h"

typedef struct gms_hca gms_hca_t; /* the HCA of one node */

#define GMS_HCA_QUEUES_MAX 65536u /* completion queues of one HCA */
/* flits per cycle of the default DMA engine */
#define GMS_HCA_DMA_FLITS 4u

/** A message. Its memory belongs to its poster, which must not change it until
 *  it has arrived and its completion has been polled. */
typedef struct gms_hca_message {
    /** must be the first member; the poster sets source, target, flits,
     *  traffic_class, draw, visits */
    gms_flit_packet_t packet;
    uint32_t queue_pair;
    uint32_t connection; /**< real-time connection, 1..; 0: none */
    /** set by the poster: frame number of a video, or 0 */
    uint32_t frame;
    /** set by the poster: packets of the frame after this one */
    uint32_t frame_rest;
    /** set by the poster: cycle at which the source made it */
    uint64_t create_cycle;
    uint64_t post_cycle; /**< set by the HCA: cycle of the post */
    /** set by the HCA: cycle at which the whole message is in its lane */
    uint64_t dma_cycle;
    /** set by the HCA: cycle at which its completion is in the queue */
    uint64_t complete_cycle;
    uint32_t completion_queue; /**< set by the HCA: queue of its completion */
    uint8_t lane;              /**< set by the HCA: lane of the link */
    void *poster;              /**< not used by the HCA */
    /** used by the HCA from the post until the completion has been polled */
    struct gms_hca_message *next;
} gms_hca_message_t;

typedef struct gms_hca_config {
    unsigned buffer_messages;   /**< M, 1.. */
    uint64_t dma_bytes_s;       /**< bandwidth of the system bus */
    unsigned doorbell_cycles;   /**< firmware: doorbell to a programmed DMA */
    unsigned completion_cycles; /**< tail left to completion in its queue */
    unsigned flit_bytes;        /**< 1..256 */
    uint64_t cycle_ps;          /**< 1 .. 1 us */
} gms_hca_config_t;

/** Defaults with their sources. The system bus carries GMS_HCA_DMA_FLITS flits
 *  per cycle, so it is not a bottleneck. */
void gms_hca_config_init(gms_hca_config_t *config, unsigned flit_bytes,
                         uint64_t cycle_ps);

/** Decisions of congestion and power control about messages. */
typedef struct gms_hca_gate {
    /** Returns whether the consumer may post the message now. 0: the consumer
     *  keeps it (best effort waits, real time drops it or tries later). NULL:
     *  every message may be posted. */
    int (*may_post)(void *context, uint32_t node,
                    const gms_hca_message_t *message);
    /** Returns whether the DMA engine may transfer the message into a lane now.
     *  0: the message's class waits, other classes continue. NULL: every
     *  message may be transferred. */
    int (*may_enter)(void *context, uint32_t node,
                     const gms_hca_message_t *message);
    void (*posted)(void *context, uint32_t node,
                   const gms_hca_message_t *message);
    /** Called when the DMA engine starts to transfer the message. */
    void (*entered)(void *context, uint32_t node,
                    const gms_hca_message_t *message);
    void *context;
} gms_hca_gate_t;

/**
 * Creates the HCA of a node.
 *
 * @param [in] net must outlive it
 * @param [in] node the node of the HCA
 * @param [in] gate NULL: none; else must outlive it
 * @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_hca_create(const gms_hca_config_t *config, gms_flit_net_t *net,
                            uint32_t node, const gms_hca_gate_t *gate,
                            gms_hca_t **hca_p);
/** NULL is allowed. Messages in the HCA belong to their posters. */
void gms_hca_destroy(gms_hca_t *hca);

/** Creates a queue pair.
 *  @param [in] completion_queue below GMS_HCA_QUEUES_MAX; several pairs may
 *  share one. The table of queues extends to the largest number.
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM, GMS_ERR_NO_MEMORY */
gms_status_t gms_hca_create_pair(gms_hca_t *hca,
                                 enum gms_lane_class traffic_class,
                                 uint32_t completion_queue, uint32_t *pair_p);
/** Destroys a queue pair. Posted messages are still sent and completed; no more
 *  may be posted. */
void gms_hca_destroy_pair(gms_hca_t *hca, uint32_t pair);

/** Posts a message.
 *  @return GMS_OK; GMS_ERR_BUSY: the gate refuses or the HCA is full, and the
 *  state is unchanged. GMS_ERR_NOT_FOUND: no such pair.
 *          GMS_ERR_INVALID_PARAM: the class differs from that of the pair, or
 *          there are no flits */
gms_status_t gms_hca_post(gms_hca_t *hca, gms_hca_message_t *message);
/** Polls a completion. @return the completed message; NULL if the queue is
 * empty */
gms_hca_message_t *gms_hca_poll(gms_hca_t *hca, uint32_t completion_queue);

/** Executes one cycle, before that of the net; only needed while
 *  gms_hca_is_busy(). */
void gms_hca_step(gms_hca_t *hca);
int gms_hca_is_busy(const gms_hca_t *hca);
/** Returns the next cycle at which gms_hca_step() has work or must ask the gate;
 *  UINT64_MAX: none without a post. */
uint64_t gms_hca_next(const gms_hca_t *hca);
/** Reports that a message's tail has left (hook `left` of the net). */
void gms_hca_left(gms_hca_t *hca, gms_hca_message_t *message);

/** Returns the number of messages that have been posted and have not left. */
unsigned gms_hca_messages(const gms_hca_t *hca);

/** Numbers of events since the start, from which power control computes the
 * energy. */
typedef struct gms_hca_counts {
    uint64_t doorbells;  /**< doorbells for which the firmware programmed the
                          * engine */
    uint64_t dma_flits;  /**< fetched from host memory */
    uint64_t lane_flits; /**< written into lanes */
    uint64_t completions;
} gms_hca_counts_t;
const gms_hca_counts_t *gms_hca_counts(const gms_hca_t *hca);

#endif
