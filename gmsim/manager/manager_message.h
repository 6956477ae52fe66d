/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the messages between the managers of the nodes. Managers exchange
 * high-priority GM messages between their ports (GMS_MANAGER_PORT) on the
 * simulated network. GM delivers every message once and, between two nodes, in
 * order. If GM cannot deliver a message, it reports a failure to the sender.
 *
 *   node                                   master
 *   REQUEST  flows, number          ->     one after the other, each to its end:
 *                                          the account decides,
 *            (to affected nodes)    <-     UPDATE  slower flows    phase 1
 *   ACK                             ->
 *            (to affected nodes)    <-     UPDATE  faster flows    phase 2
 *                                   <-     DECISION  number, verdict, flows
 *   ACK                             ->     next request
 *
 * A REQUEST with class UNMANAGED releases flows. The node stops using these
 * flows before it sends the message. The master increases the rates of flows
 * only after all nodes have acknowledged the reductions of other rates. The
 * bandwidths of the IDTs in force therefore never add up to more than the
 * capacity.
 *
 *   WATCH    flows, number          ->     keeps the question, in order
 *                                   <-     ROOM  number; forgets it
 *   UNWATCH  number                 ->
 *   ACTIVITY flows, idle or not     ->     shares anew: UPDATEs
 *   PING                            ->
 *                                   <-     ALIVE  (costs no work, waits for none)
 *
 * Every message carries its sender's term. Each term has exactly one master.
 * The master of term t is node (qos_master - 1 + t) modulo the number of nodes.
 * Therefore a term can never have two masters. The receiver refuses a message
 * of an older term, and answers with MASTER.
 *
 *   PROPOSE  term       -> its future master: the previous one does not answer
 *   MASTER   term       <- the new master takes over, and informs all nodes
 *   STATE    flows      -> all grants of a node; then, once more, the requests
 *                          that have no answer yet, and the watches
 *
 * If a node does not answer in time, the master treats the node as lost and
 * makes its bandwidth available to other nodes. When the node sends again, the
 * master requests its STATE with a MASTER message. This message contains the
 * number of times that the node was lost. The master ignores messages that the
 * node sent before it received this message.
 *
 * Several flows for one node are sent in one message. A longer list is split
 * into several messages, and the last message is marked. [source: gulati 2001
 * thesis 4.3: node managers and a master; assumed: all other parts of the
 * protocol]
 */
#ifndef MANAGER_MANAGER_MESSAGE_H
#define MANAGER_MANAGER_MESSAGE_H

#include <stdint.h>

#include "nic/nic.h"
#include "manager/admission.h"

/** GM's daemon port, which programs cannot open. [source: GM 1.x] */
#define GMS_MANAGER_PORT    0u
#define GMS_MANAGER_RECORDS 3u
/** Unit of the times in messages, ps: 10 ns. The largest time is 42 s. */
#define GMS_MANAGER_TIME_PS 10000u

enum gms_manager_kind {
    GMS_MANAGER_REQUEST = 1,
    GMS_MANAGER_DECISION,
    GMS_MANAGER_UPDATE,
    GMS_MANAGER_ACK,
    GMS_MANAGER_WATCH,
    GMS_MANAGER_UNWATCH,
    GMS_MANAGER_ROOM,
    GMS_MANAGER_ACTIVITY,
    GMS_MANAGER_STATE,
    GMS_MANAGER_PROPOSE,
    GMS_MANAGER_MASTER,
    GMS_MANAGER_PING,
    GMS_MANAGER_ALIVE
};

enum gms_manager_flag {
    /* the message is the last one of a list that may span several messages */
    GMS_MANAGER_LAST = 1,
    /* the receiver must acknowledge the message, using the step of the
     * message */
    GMS_MANAGER_REPLY = 2
};

enum gms_record_flag {
    GMS_RECORD_IDLE = 1, /* the flow is best effort and does not use its
                          * share */
    /* the flow has already been slowed down for a pending change; bytes_s is
     * the bandwidth that the flow still holds */
    GMS_RECORD_TENTATIVE = 2,
    GMS_RECORD_KNOWN = 4 /* set by the master: the flow was already managed */
};

/** A shape in a message. Times are in units of GMS_MANAGER_TIME_PS. Times are
 *  rounded down, so the request on which the master decides is never weaker
 *  than the process's request. */
typedef struct gms_manager_shape {
    uint32_t message_bytes, burst_bytes, delay, jitter;
} gms_manager_shape_t;

/** Bounds in a message; times are rounded up. A bound of more than 42 s does not
 *  fit and is sent as 0 (unknown). */
typedef struct gms_manager_bounds {
    uint32_t latency, delay, jitter, burst_bytes;
} gms_manager_bounds_t;

/** A flow in a message. The kind of the message determines which fields are in
 *  use. */
typedef struct gms_manager_record {
    gms_flow_key_t key;
    uint16_t node;      /* node of the flow's NIC, counted from 0 */
    uint8_t qos_class;  /* enum gms_qos_class */
    uint8_t flags;      /* enum gms_record_flag */
    uint32_t idt_ticks; /* the IDT in force, or the new IDT */
    uint32_t rank;      /* rank of the requesting process */
    double bytes_s;     /* requested, charged or shared bandwidth */
    double reverse_bytes_s;
    gms_qos_load_t load; /* load of the two processes at the bandwidth
                            bytes_s */
    union {
        gms_manager_shape_t shape; /* used in REQUEST, WATCH and STATE
                                    * messages */
        /* The bounds are used in DECISION and UPDATE messages. A denial because
         * of a delay or jitter bound contains one record. This record contains
         * the key and node of the flow whose bound would be exceeded, and the
         * smallest bounds that would be granted to the denied flow */
        gms_manager_bounds_t bounds;
    } u;
} gms_manager_record_t;

typedef struct gms_manager_message {
    uint32_t term;
    uint8_t kind;      /* enum gms_manager_kind */
    uint8_t count;     /* number of records */
    uint8_t flags;     /* enum gms_manager_flag */
    uint8_t criterion; /* in a DECISION: the verdict, which consists of the
                        * fields from here to left_bytes_s */
    /* number of a request or a watch; PROPOSE: the term; MASTER and STATE:
     * number of times that the master has lost this node */
    uint32_t number;
    uint32_t step; /* step of the master that the receiver must acknowledge, or
                    * that this message acknowledges */
    uint32_t resource;
    uint16_t denied;
    int16_t status;
    double left_bytes_s;
    gms_manager_record_t record[GMS_MANAGER_RECORDS]; /* only the first `count`
                                                       * records are sent */
} gms_manager_message_t;

/** Convert a request to a record with its shape, or a record to a request. The
 *  IDT and the flags are 0. */
gms_manager_record_t gms_record_of_request(const gms_flow_request_t *request);
gms_flow_request_t gms_record_request(const gms_manager_record_t *record);
gms_manager_shape_t gms_manager_pack_shape(const gms_qos_shape_t *shape);
gms_qos_shape_t gms_manager_unpack_shape(const gms_manager_shape_t *shape);
gms_manager_bounds_t gms_manager_pack_bounds(const gms_qos_bounds_t *bounds);
gms_qos_bounds_t gms_manager_unpack_bounds(const gms_manager_bounds_t *bounds);

_Static_assert(sizeof(gms_manager_record_t) == 64, "no padding");
_Static_assert(sizeof(gms_manager_message_t) == 224 &&
                   sizeof(gms_manager_message_t) <= GMS_NIC_FAST_MAX,
               "a message must fit into one packet and into an event");

#endif
