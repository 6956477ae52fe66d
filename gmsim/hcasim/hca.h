/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares a host channel adapter (HCA) with traffic classes, on a flit fabric.
 *
 *   consumer --post--> doorbell queue of its class --DMA--> lane --> link
 *        ^                                                    |
 *        +------------- completion queue <--- tail has left --+
 *
 * [source: Yum et al., section 3.2 and figure 2]
 * - A queue pair belongs to a consumer. A consumer is a real-time connection,
 *   all best-effort traffic of a node, or all its control traffic. A work
 *   request is a message that consists of one packet (a video frame is posted
 *   packet by packet).
 * - Posting puts a work queue element into the queue pair and rings a doorbell,
 *   which writes the number of the queue pair to the doorbell queue of its
 *   class. The firmware serves the most urgent class first. Within a class, it
 *   serves the doorbells in order. The firmware programs one DMA engine, which
 *   fetches the message from host memory into a lane. The HCA is on the system
 *   bus, so each message needs one DMA transfer.
 * - When a message's tail has left the HCA, the HCA writes a completion queue
 *   element to the queue pair's completion queue, which the consumer polls.
 * - The HCA holds at most buffer_messages (M) messages that have been posted
 *   but have not left. The HCA refuses a post beyond this limit.
 * - Lanes are first in, first out. Only M limits the number of messages in a
 *   lane. The lane of a message is chosen when the transfer is complete. If the
 *   fabric draws lanes at random, the message uses the lane that was drawn for
 *   it. If the fabric lets heads use any free lane, the HCA chooses the lane of
 *   the message's class that contains the fewest flits.
 *
 * A gate decides which consumers may post, and which messages the DMA engine
 * may fetch. The gate implements congestion and power control
 * (hcasim/congestion.h and hcasim/power.h).
 *
 * The HCA uses the time of the fabric, in cycles. An HCA without messages
 * requires no processor time.
 */
#ifndef HCASIM_HCA_H
#define HCASIM_HCA_H

#include <stdint.h>

#include "base/status.h"
#include "fabric/flit.h"

typedef struct gms_hca gms_hca_t; /* the HCA of one node */

/* maximum number of completion queues of one HCA */
#define GMS_HCA_QUEUES_MAX 65536u
/* number of flits that the default DMA engine transfers per cycle */
#define GMS_HCA_DMA_FLITS 4u

/** A message. The memory of the message belongs to the component that posts it.
 *  The owner must not change the message until it has arrived and its
 *  completion has been polled. */
typedef struct gms_hca_message {
    /** must be the first member; the owner sets its fields source, target,
     *  flits, traffic_class, draw and visits */
    gms_flit_packet_t packet;
    uint32_t queue_pair;
    uint32_t connection; /**< number of the real-time connection, counted from
                          *   1, or 0 if the message belongs to no connection */
    /** set by the owner: frame number of a video, or 0 */
    uint32_t frame;
    /** set by the owner: number of packets that follow in the same frame */
    uint32_t frame_rest;
    /** set by the owner: cycle in which the source created the message */
    uint64_t create_cycle;
    uint64_t post_cycle; /**< set by the HCA: cycle in which the message was
                          *   posted */
    /** set by the HCA: cycle at which the whole message is in its lane */
    uint64_t dma_cycle;
    /** set by the HCA: cycle at which the message's completion is in the
     *  completion queue */
    uint64_t complete_cycle;
    uint32_t completion_queue; /**< set by the HCA: completion queue of the
                                *   message */
    uint8_t lane;              /**< set by the HCA: lane of the link */
    void *poster;              /**< for the owner's use; the HCA ignores it */
    /** used by the HCA until the completion has been polled */
    struct gms_hca_message *next;
} gms_hca_message_t;

typedef struct gms_hca_config {
    unsigned buffer_messages; /**< M, 1.. */
    uint64_t dma_bytes_s;     /**< bandwidth of the system bus */
    /** number of cycles from a doorbell until the firmware has programmed the
     *  DMA engine */
    unsigned doorbell_cycles;
    /** number of cycles from the departure of the tail until the completion is
     *  in its queue */
    unsigned completion_cycles;
    unsigned flit_bytes; /**< 1..256 */
    uint64_t cycle_ps;   /**< 1 .. 1 us */
} gms_hca_config_t;

/** Sets the defaults. The file hca.c lists their sources. The system bus
 *  carries GMS_HCA_DMA_FLITS flits per cycle, so it is not a bottleneck. */
void gms_hca_config_init(gms_hca_config_t *config, unsigned flit_bytes,
                         uint64_t cycle_ps);

/** Decisions of congestion and power control about messages. */
typedef struct gms_hca_gate {
    /** Returns 1 if the consumer may post the message now, else 0. If the
     *  result is 0, a best-effort consumer keeps the message. A real-time
     *  consumer drops it or tries again later. If this function is NULL, the
     *  consumer may post every message. */
    int (*may_post)(void *context, uint32_t node,
                    const gms_hca_message_t *message);
    /** Returns 1 if the DMA engine may transfer the message into a lane now,
     *  else 0. If the result is 0, the message's class waits, and the other
     *  classes continue. If this function is NULL, the engine may transfer
     *  every message. */
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
 * @param [in] net must outlive the HCA
 * @param [in] node node to which the HCA belongs
 * @param [in] gate must outlive the HCA, or NULL for no gate
 * @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_hca_create(const gms_hca_config_t *config, gms_flit_net_t *net,
                            uint32_t node, const gms_hca_gate_t *gate,
                            gms_hca_t **hca_p);
/** Destroys the HCA. NULL is allowed. Messages in the HCA still belong to their
 *  owners. */
void gms_hca_destroy(gms_hca_t *hca);

/** Creates a queue pair.
 *  @param [in] completion_queue number less than GMS_HCA_QUEUES_MAX; several
 *  pairs may share a completion queue. Use small numbers, because they index a
 *  table
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM, GMS_ERR_NO_MEMORY */
gms_status_t gms_hca_create_pair(gms_hca_t *hca,
                                 enum gms_lane_class traffic_class,
                                 uint32_t completion_queue, uint32_t *pair_p);
/** Destroys a queue pair. The HCA still sends and completes the posted
 *  messages, but accepts no more messages for the pair. */
void gms_hca_destroy_pair(gms_hca_t *hca, uint32_t pair);

/** Posts a message.
 *  @return GMS_OK; GMS_ERR_BUSY: the gate refuses the message, or the HCA is
 *    full (the state is unchanged). GMS_ERR_NOT_FOUND: the pair does not exist.
 *    GMS_ERR_INVALID_PARAM: the class differs from the class of the pair, or
 *    the message has no flits */
gms_status_t gms_hca_post(gms_hca_t *hca, gms_hca_message_t *message);
/** Removes the oldest completion from a queue. @return the completed message,
 * or NULL if the queue was empty */
gms_hca_message_t *gms_hca_poll(gms_hca_t *hca, uint32_t completion_queue);

/** Executes one cycle of the HCA. Call this function before the net executes
 *  the same cycle, and only if gms_hca_is_busy() returns 1. */
void gms_hca_step(gms_hca_t *hca);
int gms_hca_is_busy(const gms_hca_t *hca);
/** Returns the next cycle in which gms_hca_step() has work or must query the
 *  gate. The result is UINT64_MAX if there is no such cycle before the next
 *  post. */
uint64_t gms_hca_next(const gms_hca_t *hca);
/** Reports that the tail of a message has left the HCA. Call this function from
 *  the net's hook `left`. */
void gms_hca_left(gms_hca_t *hca, gms_hca_message_t *message);

/** Returns the number of messages that have been posted but have not left. */
unsigned gms_hca_messages(const gms_hca_t *hca);

/** Numbers of events of each kind since the start. Power control computes the
 *  energy from these numbers. */
typedef struct gms_hca_counts {
    uint64_t doorbells;  /**< number of doorbells for which the firmware has
                          *   programmed the engine */
    uint64_t dma_flits;  /**< number of flits fetched from host memory */
    uint64_t lane_flits; /**< number of flits written into lanes */
    uint64_t completions;
} gms_hca_counts_t;
const gms_hca_counts_t *gms_hca_counts(const gms_hca_t *hca);

#endif
