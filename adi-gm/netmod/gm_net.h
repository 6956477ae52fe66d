/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process's GM port: send tokens, flows, receive buffers. Knows nothing of MPI; peers are
 * ranks of the job.
 *
 * All messages have one size class, so that one pool of receive buffers serves every sender:
 * GM puts a message only into a buffer that was provided with exactly the sender's class.
 * [source: MPICH-GM 1.2, where every packet has one size]
 */
#ifndef GM_NET_H_INCLUDED
#define GM_NET_H_INCLUDED

#include <stddef.h>
#include <stdint.h>
#include "gmsim.h"
#include "gm_qos.h"

#define ADIGM_SIZE_CLASS 14
/* Longest message of the class. */
#define ADIGM_MESSAGE_BYTES ((size_t) 16376)
/* Label of control traffic that flows back; nobody can reserve for it. */
#define ADIGM_CONTROL_LABEL 0u
/* Bit of the label of control traffic that flows back for a reservation on the label. */
#define ADIGM_REVERSE GM_QOS_REVERSE

/* Puts of a flow at the card: one on its way, and one that follows at once. */
#define ADIGM_PUTS_IN_FLIGHT 2
/* Messages of a flow whose answers may be on their way at the precedence of its reservation. */
#define ADIGM_REVERSE_AHEAD 8

typedef struct adigm_flow adigm_flow_t;
typedef struct adigm_send adigm_send_t;
typedef struct adigm_put adigm_put_t;

/*
 * Something queued in a flow: one or more messages, or a put. The caller owns the memory and
 * embeds it; the queue lets go of it before it calls posted (messages) or completed (put).
 */
struct adigm_send {
    adigm_send_t *next;
    /* Write the next message, at most ADIGM_MESSAGE_BYTES, into buffer and return its length;
     * set *is_last_p to 1 with the last one. NULL in a put. */
    size_t (*fill) (adigm_send_t * send, void *buffer, int *is_last_p);
    /* The last message is on its way, and all data have been copied. */
    void (*posted) (adigm_send_t * send);
    /* What it ends: gm_qos_note_exchange(). 0: nothing */
    uint64_t exchange_ps;
    unsigned exchange_packets;
};

/* A transfer between memory here and memory there, without the target's help. */
struct adigm_put {
    adigm_send_t super;         /* fill and posted are NULL */
    int is_get;                 /* from the target's memory to the own one */
    /* By way of a send token's buffer, at most ADIGM_MESSAGE_BYTES: own memory need not be
     * registered, and other transfers need not end first. */
    int is_copied;
    uint64_t copy_ps;           /* time of that copy */
    int is_chunk;               /* one of few and short: other transfers need not end first */
    char *source;               /* own memory; registered unless is_copied */
    gm_remote_ptr_t target;     /* registered there */
    size_t left_bytes;          /* not yet posted */
    int in_flight;              /* directed sends or gets posted and not completed */
    /* The data are in the target's memory, or the own one. */
    void (*completed) (adigm_put_t * put);
};

/* What becomes of a message's buffer. */
typedef enum adigm_delivery {
    ADIGM_DELIVERED,            /* provided to GM again */
    ADIGM_KEPT                  /* the message stays in it until adigm_net_give_back() */
} adigm_delivery_t;

/* Takes a message, which is at the start of its buffer. */
typedef adigm_delivery_t (*adigm_receive_fn_t) (void *message, size_t len_bytes);

/* Join the job's cluster and be absent from it at once; only the first call does something. Fatal
 * if it fails. */
void adigm_net_join(int rank, int size);
/* A rank's host in the cluster that has been joined. */
int adigm_net_host_of(int rank);
/* 1 if the port is open and a rank is reached by the host's memory. */
int adigm_net_is_by_memory(int rank);
/* Come back, open the rank's port, provide buffers. Fatal if it fails. */
void adigm_net_open(void);
/* Close the port; nothing may be queued or in flight. It can be opened again. */
void adigm_net_close(void);
const gmsim_place_t *adigm_net_place(void);
struct gm_port *adigm_net_port(void);
/* Description of a flow for gm_qos_*(). */
void adigm_net_describe(int peer, unsigned label, gm_qos_flow_t * flow_p);

/* The flow to a peer on a label; made when first asked for, lives until the close. */
adigm_flow_t *adigm_net_flow(int peer, unsigned label);
/* Say that a flow has a reservation, or (0) has none any more: it can then count on some of the
 * send tokens, and its queue is served first. reverse_bytes_s: of control traffic that may flow
 * back for it. */
void adigm_net_reserve(adigm_flow_t * flow, int is_reserved, double reverse_bytes_s);
/* 1 if some flow has a reservation. */
int adigm_net_has_reserved(void);
/* 1 if a flow has a reservation, or carries what flows back for one. */
int adigm_net_is_reserved(const adigm_flow_t * flow);
/* 1 if it has a reservation that pays for what flows back. */
int adigm_net_pays_reverse(const adigm_flow_t * flow);
/* Ask for len bytes of what may flow back for the flow's reservation. Returns 0 if there is no
 * reservation, or more has been used than it is for. */
int adigm_net_take_reverse(adigm_flow_t * flow, size_t len);
/* Messages, puts and gets on a flow that had to wait when they were queued: no token was free for
 * it, or puts of it were under way. */
uint64_t adigm_net_token_waits(int peer, unsigned label);
/* Queue behind the flow's earlier messages; posts what the tokens allow. Always succeeds. */
void adigm_net_send(adigm_flow_t * flow, adigm_send_t * send);
/* Queue behind the flow's earlier puts and gets. A message may overtake both; it is a message that follows
 * a put, such as one that says that the data are there, that must not overtake the put. */
void adigm_net_put(adigm_flow_t * flow, adigm_put_t * put);
void adigm_net_send_behind_puts(adigm_flow_t * flow, adigm_send_t * send);

/* 1 if one more message may be kept: half of the buffers are for what arrives. */
int adigm_net_may_keep(void);
/* Provide the buffer of a message that was kept to GM again. */
void adigm_net_give_back(void *message);

/* Handle one event of the port. Returns 0 if there was none. */
int adigm_net_poll(adigm_receive_fn_t receive);
/* Sleep until there is an event; unless is_for_sends, one that is more than the end of a message's
 * way, if nothing waits for its token. */
void adigm_net_wait(int is_for_sends);
/* 1 if nothing is queued or in flight. */
int adigm_net_is_quiet(void);

#endif /* GM_NET_H_INCLUDED */
