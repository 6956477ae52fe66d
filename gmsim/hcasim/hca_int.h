/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the state of a channel adapter. Only hca*.c include this header. */
#ifndef HCASIM_HCA_INT_H
#define HCASIM_HCA_INT_H

#include "hcasim/hca.h"

/** A queue of messages that are linked by their field `next`. */
typedef struct gms_hca_list {
    gms_hca_message_t *first, *last;
} gms_hca_list_t;

typedef struct gms_hca_pair {
    uint32_t completion_queue;
    uint32_t outstanding;  /* number of messages that were posted and whose
                            * completions have not been polled */
    uint8_t traffic_class; /* a value of enum gms_lane_class */
    uint8_t is_open;
} gms_hca_pair_t;

struct gms_hca {
    gms_flit_net_t *net;
    const gms_hca_gate_t *gate; /* NULL if the HCA has no gate */
    gms_hca_config_t config;
    gms_hca_counts_t counts;
    uint32_t node;
    unsigned messages; /* number of messages that have been posted but have not
                        * left */

    gms_hca_list_t doorbell[GMS_LANE_CLASSES];
    /* message in the DMA engine, or NULL if the engine is idle */
    gms_hca_message_t *fetched;
    /* cycle at which the whole message is in its lane */
    uint64_t fetched_cycle;

    /* number of flits of the messages in each lane; a message is counted from
     * the end of its DMA transfer until its tail has left */
    uint64_t lane_flits[GMS_LANES_MAX];
    uint8_t lane_last[GMS_LANE_CLASSES]; /* the lane that the HCA chose last,
                                          * for each class */

    gms_hca_pair_t *pair;
    uint32_t pairs;
    gms_hca_list_t *completion; /* array, indexed by the number of the queue */
    uint32_t completions;
};

static inline void gms_hca_list_add(gms_hca_list_t *list,
                                    gms_hca_message_t *message)
{
    message->next = NULL;
    if (list->first == NULL) {
        list->first = message;
    } else {
        list->last->next = message;
    }
    list->last = message;
}

static inline gms_hca_message_t *gms_hca_list_take(gms_hca_list_t *list)
{
    gms_hca_message_t *message = list->first;

    list->first = message->next;
    return message;
}

#endif
