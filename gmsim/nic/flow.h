/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Flows and their send tokens.
 *
 *   NIC -> flow table (hash by key, grows with the flows)
 *   flow -> tokens:  [waiting for acknowledgement ..][sendable ..]
 *                     first                next_sendable      last
 *
 * A token is sendable while some of its bytes have not been sent; after its
 * last packet it stays until everything is acknowledged. Going back (a NACK or
 * a timeout) makes later tokens sendable again.
 * [source: gulati 2001 thesis 4.1, figure 4.2]
 *
 * A send that fails stalls its flow: unsent data stay queued, sent data may
 * still be acknowledged, no packet is sent and no time-out runs until the
 * program drops or resumes the stream. One send fails per stall. [source: GM
 * manual: an error disables the stream, and only that one]
 *
 * A get sends one packet to the owner of the memory; its token waits in its
 * flow until the data arrive. The data belong to a token of the other NIC, in a
 * flow of its own: the owner's process has no part in it, so its streams'
 * stalls must not stop that flow, nor that flow's failures stall them. The flow
 * shares the pace and the class of the flow of messages from the owner to the
 * requester: a reservation for the owner's data holds for gets of these data,
 * too.
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
    uint8_t type;           /* enum gms_packet_type of all its packets; 0: a
                                message, whose packets are of several */
    uint32_t length;        /* bytes to send: of a get, those that ask */
    uint32_t segment_bytes; /* payload of all packets but the last */
    uint32_t sent_bytes;    /* handed to the network so far */
    uint32_t acked_bytes;
    uint32_t packets_sent; /* a message of 0 bytes is one packet */
    uint32_t packets_acked;
    uint8_t all_sent;
    uint8_t started;          /* a packet of it was sent once */
    uint8_t result;           /* enum gms_send_result, once it is over */
    uint8_t refused;          /* answer to a get: enum gms_nack_kind, or 0 */
    uint8_t waits;            /* get: in the connection's list of gets */
    uint16_t get;             /* number of a get, in its flow */
    uint32_t port_generation; /* answer to a get: of whose memory it is */
    uint32_t got_bytes;       /* get: in host memory so far */
    uint8_t in_sram;          /* charged */
    uint8_t is_sram_reserved; /* charged as a token of a reserved flow */
    uint8_t excuse;           /* result if its time is over while it tries
                                 again what was refused; 0: it was not */
    struct gms_token *get_next;
    gms_ahead_t *ahead;         /* of its data, or NULL */
    gms_time_t due_ps;          /* nic/delay.h; 0: not measured */
    gms_time_t exchange_due_ps; /* likewise, of the exchange that it ends */
    gms_time_t queued_ps;       /* when its descriptor was in the NIC */
    gms_time_t progress_ps;     /* for the send timeout, the latest of: became
                                the flow's first, first packet, an
                                acknowledgement, a get's data, end of a stall */
} gms_token_t;

/** Why a flow may not send although it has something to. */
enum gms_flow_bar {
    GMS_FLOW_NO_WINDOW = 1, /* its connection's window is full */
    GMS_FLOW_STALLED = 2,
    GMS_FLOW_MOVES = 4 /* to another class, once nothing of it is under way in
                          this one: its packets would overtake each other */
};

/** Bit of the labels of answers to gets; programs' labels have it clear. */
#define GMS_LABEL_ANSWER UINT32_C(0x80000000)
/** Bit of the labels of what flows back for a reservation: GM_QOS_REVERSE. */
#define GMS_LABEL_REVERSE UINT32_C(0x40000000)
#define GMS_LABEL_BITS    (GMS_LABEL_ANSWER | GMS_LABEL_REVERSE)

/** Descriptors on their way from the host; nic/post.c. */
typedef struct gms_post_queue {
    struct gms_post *first, *last;
} gms_post_queue_t;

struct gms_flow {
    gms_flow_key_t key;
    gms_nic_t *nic;
    uint32_t index; /* order of first use on this NIC: breaks ties */
    gms_token_t *first, *last, *next_sendable;
    uint8_t valid;            /* in the scheduler */
    uint8_t yields;           /* gets no lost time back; scheduler_rate.c */
    uint8_t barred;           /* bits of enum gms_flow_bar */
    uint8_t traffic_class;    /* whose scheduler and connections it uses */
    uint32_t promises;        /* of bandwidth: real time while there are any */
    gms_post_queue_t posts;   /* reserved, not read; nic/post.c */
    gms_flow_t *turn_next;    /* likewise: whose descriptor is read next */
    gms_flow_t *twin;         /* shares its pace: the answers to gets from the
                                 target, or the flow whose label they bear */
    uint32_t pace_bytes;      /* sent in one IDT; 0: one packet, whatever its
                                 length */
    uint64_t paced_bytes;     /* bytes_sent at the last dispatch */
    gms_time_t held_until_ps; /* backing off after a NACK: not valid before */
    gms_flow_t *window_next;  /* in the connection's list of blocked flows */

    uint32_t idt_ticks;
    uint64_t ndt;      /* next dispatch time, ticks */
    uint64_t last_ndt; /* what ndt was at the last dispatch */
    /* For observers: since when it has had something to send, as far as tokens go;
     * and when it last had that after a time without in which a packet would have
     * been due, 0: never. */
    gms_time_t backlog_since_ps, starved_ps;
    uint8_t was_backlogged;
    uint64_t packets_sent, bytes_sent;   /* dispatched, each time */
    uint64_t packets_again, bytes_again; /* of these: had been sent before */
    uint64_t packets_arrived, bytes_arrived; /* in the target host's memory;
                                the target's NIC counts them here, so that
                                nobody searches: simulation, no message */
    /* as in gms_flow_stats_t, and since when what is not over has lasted */
    uint64_t messages_sent;
    gms_time_t active_ps, active_since_ps;
    uint64_t ready_rtc; /* tick from which on the next packet could go if
                                 there were no NDT */
    uint64_t idt_waits, idt_wait_ticks;
    uint64_t window_waits;
    gms_time_t window_wait_ps, window_since_ps;
    uint64_t holds;
    gms_time_t hold_ps;
    uint64_t quantum_ends; /* byte-rr */

    void *seen, *traced;     /* of who looks on, in the arena; NULL at first */
    struct gms_delay *delay; /* nic/delay.h; NULL: never measured */

    /* the scheduler's own */
    uint64_t order; /* rate: tie of unregulated flows */
    uint32_t heap_slot;
    uint64_t deficit_bytes; /* byte-rr: what it may send in this turn */
    uint8_t has_turn;       /* byte-rr: this turn's quantum is in it */
    gms_flow_t *ring_next, *ring_prev;
    void *ring_owner;
    gms_flow_t *hash_next;
    gms_flow_t *next; /* of the NIC, in the order of first use */
};

/** The flow of a key, new if the NIC does not know it yet. Flows stay for good:
 *  their IDT and counts outlive their tokens. NULL: the arena is full. */
gms_flow_t *gms_flow_get(gms_ctx_t *ctx, gms_nic_t *nic,
                         const gms_flow_key_t *key);
/** The flow of a key, or NULL. */
gms_flow_t *gms_flow_find(const gms_nic_t *nic, const gms_flow_key_t *key);
/** 1 if both are keys of the same flow. */
int gms_flow_key_equal(const gms_flow_key_t *a, const gms_flow_key_t *b);

/** Payload of the next packet of a token that is not all sent. */
static inline uint32_t gms_token_next_bytes(const gms_token_t *token)
{
    uint32_t bytes = token->length - token->sent_bytes;

    return bytes < token->segment_bytes ? bytes : token->segment_bytes;
}

/** Put the flow into the scheduler or take it out, as its state demands. To be
 *  called after every change of a token, of a hold or of the window. */
void gms_flow_update(gms_ctx_t *ctx, gms_flow_t *flow);
/** The class may have changed. */
void gms_flow_classify(gms_ctx_t *ctx, gms_flow_t *flow);
/** Not valid for delay_ps. */
void gms_flow_hold(gms_ctx_t *ctx, gms_flow_t *flow, gms_time_t delay_ps);

/** Append a token; takes ownership.
 *  @param [in] ready_ps  when it could have been appended, at most now: the pace of a
 *                        flow with a reservation goes on from then if it has rested */
void gms_flow_append(gms_ctx_t *ctx, gms_flow_t *flow, gms_token_t *token,
                     gms_time_t ready_ps);
/** End a token and report the result to its port. */
void gms_flow_finish(gms_ctx_t *ctx, gms_token_t *token, uint8_t result);
/** The same, for any other result than OK: stalls the flow. */
void gms_flow_fail(gms_ctx_t *ctx, gms_token_t *token, uint8_t result);
/** End a stall; first end all that is queued as dropped, or let it out. */
void gms_flow_drop(gms_ctx_t *ctx, gms_flow_t *flow);
void gms_flow_resume(gms_ctx_t *ctx, gms_flow_t *flow);
/** The next token of the flow that has not been sent, or NULL. Those behind one
 *  that is to be sent have not either, but for datagrams, which do not go back. */
gms_token_t *gms_flow_next_unsent(const gms_token_t *token);
/** The token of a get that is not over, or NULL. */
gms_token_t *gms_flow_find_get(const gms_flow_t *flow, uint16_t get);
/** Forget all tokens of a port's flows without a report. */
void gms_flow_drop_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port);

#endif
