/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Flows and their send tokens.
 *
 *   NIC -> flow table (hash by key, grows with the flows)
 *   flow -> tokens:  [waiting for acknowledgement ..][sendable ..]
 *                    first                next_sendable      last
 *
 * A token is sendable while some of its packets have not been sent. After its
 * last packet has been sent, the token stays in the flow until all of its
 * packets are acknowledged. When the sender goes back after a NACK, tokens with
 * packets to repeat become sendable again.
 * [source: gulati 2001 thesis 4.1, figure 4.2]
 *
 * A failed send stalls its flow. Unsent data stay queued, and sent data may
 * still be acknowledged. Until the program drops or resumes the stream, the
 * flow sends no packets and no time-out is running. Only one send fails per
 * stall.
 * [source: GM manual: an error disables only the stream in which it occurs]
 *
 * A get sends one packet to the owner of the memory. The token of the get stays
 * in its flow until the data arrive. The owner's NIC creates a token for the
 * data, in a separate flow for answers to gets. The owner's process does not
 * control this answer flow. Therefore a stall of the process's streams must not
 * stop the answer flow, and a failure of the answer flow must not stall the
 * streams. The answer flow shares the pace and class of the owner's flow of
 * messages to the requester. Therefore a reservation for messages from the
 * owner also applies to gets from the owner's memory.
 */
#ifndef NIC_FLOW_H
#define NIC_FLOW_H

#include <stdint.h>

#include "engine/copy.h"
#include "nic/nic.h"

typedef struct gms_token {
    struct gms_token *next;
    gms_flow_t *flow;
    gms_send_desc_t desc;
    uint8_t type;           /* enum gms_packet_type of all packets; 0: a
                             * message, whose packets have several types */
    uint32_t length;        /* number of bytes to send; get: length of the
                             * request */
    uint32_t segment_bytes; /* payload of all packets except the last */
    uint32_t sent_bytes;    /* bytes passed to the network so far */
    uint32_t acked_bytes;
    uint32_t packets_sent; /* number of packets sent; a message of 0 bytes has
                            * one packet */
    uint32_t packets_acked;
    uint8_t all_sent;
    uint8_t started;          /* 1: at least one of the token's packets has been
                               * sent */
    uint8_t result;           /* enum gms_send_result, set when the token is
                               * completed */
    uint8_t refused;          /* answer to a get: enum gms_nack_kind, or 0 */
    uint8_t waits;            /* 1: the get is in the connection's list of
                               * gets */
    uint16_t get;             /* number of the get in its flow */
    uint32_t port_generation; /* answer to a get: generation of the memory
                               * owner's port */
    uint32_t got_bytes;       /* get: number of bytes that are already in host
                               * memory */
    uint8_t in_sram;          /* 1: the token occupies memory of the NIC */
    uint8_t is_sram_reserved; /* 1: the NIC counts the token among the tokens of
                               * flows with a reservation */
    uint8_t excuse;           /* result of a refused send if its time-out
                               * expires before a repetition succeeds; 0: the
                               * send has not been refused */
    struct gms_token *get_next;
    gms_ahead_t *ahead;         /* data read ahead, or NULL */
    gms_time_t due_ps;          /* due time, see nic/delay.h; 0: not measured */
    gms_time_t exchange_due_ps; /* due time of the exchange whose last send is
                                 * this token; 0: not measured */
    gms_time_t queued_ps;       /* time when the token's descriptor arrived in
                                 * the NIC */
    /* start of the send time-out. The time-out restarts when the token becomes
     * the first token of the flow, and when its first packet is sent. The
     * time-out also restarts when a stall ends, and when an acknowledgement or
     * data of the token's get arrive. */
    gms_time_t progress_ps;
} gms_token_t;

/** Reasons why a flow with data may not send. */
enum gms_flow_bar {
    GMS_FLOW_NO_WINDOW = 1, /* the window of the flow's connection is full */
    GMS_FLOW_STALLED = 2,
    GMS_FLOW_MOVES = 4, /* the flow waits until none of its packets is in flight
                        * and then changes its class, because packets of
                        * different classes may overtake each other */
    /* kind hca: the ramp of the flow currently permits no further read */
    GMS_FLOW_READS = 8
};

/** Label bit of answers to gets. This bit is 0 in the labels of programs. */
#define GMS_LABEL_ANSWER UINT32_C(0x80000000)
/** Label bit of the traffic in the reverse direction of a reservation; see
 *  GM_QOS_REVERSE. */
#define GMS_LABEL_REVERSE UINT32_C(0x40000000)
#define GMS_LABEL_BITS    (GMS_LABEL_ANSWER | GMS_LABEL_REVERSE)

/** Descriptors that POLL has not read; see nic/post.c. */
typedef struct gms_post_queue {
    struct gms_post *first, *last;
} gms_post_queue_t;

struct gms_flow {
    gms_flow_key_t key;
    gms_nic_t *nic;
    uint32_t index; /* order of first use on this NIC; breaks ties */
    gms_token_t *first, *last, *next_sendable;
    uint8_t valid;          /* 1: the flow is in the scheduler */
    uint8_t yields;         /* 1: the flow may recover only a little lost time;
                               * see scheduler_rate.c */
    uint8_t barred;         /* bits of enum gms_flow_bar */
    uint8_t traffic_class;  /* class, which selects the scheduler and the
                               * connections */
    uint32_t promises;      /* number of reservations; > 0: real time */
    gms_post_queue_t posts; /* reserved descriptors that POLL has not read;
                               * nic/post.c */
    gms_flow_t *turn_next;  /* flow whose descriptor is read after this flow's
                               * descriptor; nic/post.c */
    gms_flow_t *twin;       /* the other flow with the same pace, or NULL. One
                               * of the two flows sends messages, and the other
                               * flow answers gets */
    uint32_t pace_bytes;    /* number of bytes that the flow sends in one IDT;
                               * 0: one packet of any length */
    uint64_t paced_bytes;   /* bytes_sent at the last dispatch */
    /* ticks and bytes of the burst that a coarse pacer allows */
    uint64_t burst_ticks, burst_bytes;
    gms_time_t held_until_ps; /* end of the back-off after a NACK */
    gms_time_t data_ps;       /* kind hca: earliest time at which data of the
                               * next packet can be in the NIC */
    /* kind hca: packets whose data are being read, number of packets that were
     * read since the last pause, and end of the latest read */
    uint32_t reading_count;
    uint64_t ramp_count;
    gms_time_t read_end_ps;
    gms_flow_t *window_next; /* next flow in the connection's list of blocked
                               * flows */

    uint32_t idt_ticks;
    uint64_t ndt;      /* next dispatch time, in ticks */
    uint64_t last_ndt; /* value of ndt at the last dispatch */
    /* The next fields are for observers, and depend only on the flow's tokens.
     * The field backlog_since_ps is the start of the current period in which
     * the flow has data to send. The field starved_ps is the last time at which
     * the flow, which had run out of data, received new data too late for its
     * pace; 0: never. */
    gms_time_t backlog_since_ps, starved_ps;
    uint8_t was_backlogged;
    uint64_t packets_sent, bytes_sent;   /* dispatched packets and bytes,
                                          * including retransmissions */
    uint64_t packets_again, bytes_again; /* retransmissions among these packets
                                          * and bytes */
    /* Packets and bytes that have arrived in the target host's memory. The
     * simulation of the target's NIC increments these counters directly,
     * without a message in the simulated network. */
    uint64_t packets_arrived, bytes_arrived;
    /* Counters for gms_flow_stats_t, and the start times of periods that have
     * not ended. */
    uint64_t messages_sent;
    gms_time_t active_ps, active_since_ps;
    uint64_t ready_rtc; /* earliest tick at which the next packet could be sent
                         * if its NDT did not delay it */
    uint64_t idt_waits, idt_wait_ticks;
    uint64_t window_waits;
    gms_time_t window_wait_ps, window_since_ps;
    uint64_t holds;
    gms_time_t hold_ps;
    uint64_t quantum_ends; /* byte-rr */

    struct gms_dcqcn *dcqcn; /* nic/dcqcn.h; NULL: no CNP has arrived */
    /* earliest time of the next CNP; the target's NIC uses this field */
    gms_time_t next_cnp_ps;

    void *seen, *traced; /* data of observers, in the arena; initially NULL */
    struct gms_delay *delay; /* nic/delay.h; NULL: no delay has been measured */

    /* Fields of the scheduler. */
    uint64_t order; /* rate: breaks ties of unregulated flows */
    uint32_t heap_slot;
    /* byte-rr: bytes that the flow may send in this turn */
    uint64_t deficit_bytes;
    /* byte-rr: 1 if deficit_bytes includes the quantum of this turn */
    uint8_t has_turn;
    gms_flow_t *ring_next, *ring_prev;
    void *ring_owner;
    gms_flow_t *hash_next;
    gms_flow_t *next; /* next flow of the NIC, in the order of first use */
};

/** Return the flow with this key, and create the flow if the NIC does not know
 *  it. Return NULL if the arena is full. Flows are never freed, because their
 *  IDT and counts outlive their tokens. */
gms_flow_t *gms_flow_get(gms_ctx_t *ctx, gms_nic_t *nic,
                         const gms_flow_key_t *key);
/** Return the flow with this key, or NULL. */
gms_flow_t *gms_flow_find(const gms_nic_t *nic, const gms_flow_key_t *key);
/** Return 1 if two keys belong to the same flow. */
int gms_flow_key_equal(const gms_flow_key_t *a, const gms_flow_key_t *b);

/** Return the payload of the next packet of a token that has unsent bytes. */
static inline uint32_t gms_token_next_bytes(const gms_token_t *token)
{
    uint32_t bytes = token->length - token->sent_bytes;

    return bytes < token->segment_bytes ? bytes : token->segment_bytes;
}

/** Add the flow to the scheduler or remove it, according to the flow's state.
 *  Call this function after every change of a token, of the flow's back-off or
 *  of the window. */
void gms_flow_update(gms_ctx_t *ctx, gms_flow_t *flow);
/** Update the flow's class, which may have changed. */
void gms_flow_classify(gms_ctx_t *ctx, gms_flow_t *flow);
/** Remove the flow from the scheduler for the time delay_ps. */
void gms_flow_hold(gms_ctx_t *ctx, gms_flow_t *flow, gms_time_t delay_ps);

/** Append a token to a flow. The function takes ownership of the token.
 *  @param [in] ready_ps earliest time at which the token could have been
 *    appended, which must not be in the future. The pace of an idle flow with a
 *    reservation continues from this time */
void gms_flow_append(gms_ctx_t *ctx, gms_flow_t *flow, gms_token_t *token,
                     gms_time_t ready_ps);
/** Complete a token and report the result to its port. */
void gms_flow_finish(gms_ctx_t *ctx, gms_token_t *token, uint8_t result);
/** Complete a token with a result other than OK, and stall the flow. */
void gms_flow_fail(gms_ctx_t *ctx, gms_token_t *token, uint8_t result);
/** End a stall. gms_flow_drop() first ends all queued sends with the result
 *  DROPPED. gms_flow_resume() makes the flow continue with its queued sends. */
void gms_flow_drop(gms_ctx_t *ctx, gms_flow_t *flow);
void gms_flow_resume(gms_ctx_t *ctx, gms_flow_t *flow);
/** Return the next token of the flow that has unsent bytes, or NULL. All tokens
 *  after a sendable token are unsent, too. Datagrams are an exception, because
 *  a sent datagram is never taken back. */
gms_token_t *gms_flow_next_unsent(const gms_token_t *token);
/** Return the token of a get that has not ended, or NULL. */
gms_token_t *gms_flow_find_get(const gms_flow_t *flow, uint16_t get);
/** Free all tokens of a port's flows without reporting that the sends have
 *  ended. */
void gms_flow_drop_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port);

#endif
