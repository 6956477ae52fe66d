/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Flows and their send tokens.
 *
 *   NIC -> flow table (hash by key)
 *   flow -> tokens:  [waiting for acknowledgement ..][sendable ..]
 *                     first                next_sendable      last
 *
 * A token is sendable while some of its bytes have not been sent; after its
 * last packet it stays until everything is acknowledged. Going back (a NACK or
 * a timeout) makes later tokens sendable again.
 * [source: gulati 2001 thesis 4.1, figure 4.2]
 */
#ifndef NIC_FLOW_H
#define NIC_FLOW_H

#include <stdint.h>

#include "nic/nic.h"

typedef struct gms_token {
    struct gms_token *next;
    gms_flow_t *flow;
    gms_send_desc_t desc;
    uint32_t sent_bytes;     /* handed to the network so far */
    uint32_t acked_bytes;
    uint32_t packets_sent;   /* a message of 0 bytes is one packet */
    uint8_t all_sent;
    gms_time_t progress_ps;  /* last acknowledgement or start: for the
                                send timeout */
} gms_token_t;

struct gms_flow {
    gms_flow_key_t key;
    gms_nic_t *nic;
    uint32_t index;          /* order of first use on this NIC: breaks ties */
    gms_token_t *first, *last, *next_sendable;
    uint8_t valid;           /* in the scheduler */
    gms_time_t held_until_ps; /* backing off after a NACK: not valid before */

    uint32_t idt_ticks;
    uint64_t ndt;            /* next dispatch time, ticks */
    uint64_t packets_sent, bytes_sent;

    /* the scheduler's own */
    uint64_t order;          /* rate: tie of unregulated flows */
    uint32_t heap_slot;
    gms_flow_t *ring_next, *ring_prev;
    void *ring_owner;
    gms_flow_t *hash_next;
};

#endif
