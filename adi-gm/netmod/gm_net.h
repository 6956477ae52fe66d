/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the functions for the process's GM port and for its send tokens, flows and receive
 * buffers. This part of the device does not depend on MPI. Peers are identified by their ranks in
 * the job.
 *
 * All messages have the same size class. One pool of receive buffers can therefore serve all
 * senders. GM stores a message only in a buffer that was provided with exactly the sender's size
 * class. [source: MPICH-GM 1.2, in which all packets have the same size]
 */
#ifndef GM_NET_H_INCLUDED
#define GM_NET_H_INCLUDED

#include <stddef.h>
#include <stdint.h>
#include "gmsim.h"
#include "gm_qos.h"

#define ADIGM_SIZE_CLASS 14
/* Longest message of the size class. */
#define ADIGM_MESSAGE_BYTES ((size_t) 16376)
/* Label of reverse control traffic that is not covered by a reservation. */
#define ADIGM_CONTROL_LABEL 0u
/* Label bit of reverse control traffic that is covered by a reservation on the label. */
#define ADIGM_REVERSE GM_QOS_REVERSE

/* Largest number of a flow's puts in the NIC: one that is being transferred, and one that follows
 * immediately. */
#define ADIGM_PUTS_IN_FLIGHT 2
/* Largest number of a flow's messages whose answers may be in flight with the precedence of the
 * flow's reservation. */
#define ADIGM_REVERSE_AHEAD 8

typedef struct adigm_flow adigm_flow_t;
typedef struct adigm_send adigm_send_t;
typedef struct adigm_put adigm_put_t;

/*
 * An element of a flow's queue: one or several messages, or a put. The caller owns the memory and
 * embeds this struct. The queue removes the struct before it calls posted (for messages) or
 * completed (for a put).
 */
struct adigm_send {
    adigm_send_t *next;
    /* Write the next message of at most ADIGM_MESSAGE_BYTES into buffer and return its length; set
     * *is_last_p to 1 for the last message. For a put, this pointer is NULL. */
    size_t (*fill) (adigm_send_t * send, void *buffer, int *is_last_p);
    /* Function that is called when the last message has been posted and all data have been
     * copied. */
    void (*posted) (adigm_send_t * send);
    /* The exchange that this element ends; see gm_qos_note_exchange(). 0: none */
    uint64_t exchange_ps;
    unsigned exchange_packets;
};

/* A transfer between local and remote memory without the target's help. */
struct adigm_put {
    adigm_send_t super;         /* the pointers fill and posted are NULL */
    int is_get;                 /* 1: transfer from the target's memory to local memory; 0: the
                                   opposite direction */
    /* 1: the data, at most ADIGM_MESSAGE_BYTES, are copied through a send token's buffer. The local
     * memory need not be registered, and the transfer need not wait for other transfers to
     * complete. */
    int is_copied;
    uint64_t copy_ps;           /* duration of the copy */
    /* 1: the put is one of a few short transfers that need not wait for others */
    int is_chunk;
    char *source;               /* local memory, which is registered unless is_copied is 1 */
    gm_remote_ptr_t target;     /* registered memory at the target */
    size_t left_bytes;          /* number of bytes that have not been posted yet */
    int in_flight;              /* number of directed sends or gets that are posted but not
                                 * yet completed */
    /* Function that is called when the data have arrived in the target's memory or, for a get, in
     * local memory. */
    void (*completed) (adigm_put_t * put);
};

/* Use of the buffer after the message has been handled. */
typedef enum adigm_delivery {
    ADIGM_DELIVERED,            /* the buffer is returned to GM */
    ADIGM_KEPT                  /* the message remains in the buffer until adigm_net_give_back() */
} adigm_delivery_t;

/* Handle a message that begins at the start of its buffer. */
typedef adigm_delivery_t (*adigm_receive_fn_t) (void *message, size_t len_bytes);

/* Join the job's cluster. The process is then absent from the simulation until it calls
 * adigm_net_open(). Only the first call has an effect. If the function fails, it ends the job. */
void adigm_net_join(int rank, int size);
/* Return the job rank of the first process of this MPI_COMM_WORLD. The first process that mpiexec
 * has started has rank 0. All functions of this file use ranks in the job. */
int adigm_net_first_rank(void);
/* Return the number of ranks that mpiexec has started at the beginning of the job. */
int adigm_net_launched(void);
/* Return a rank's host in the cluster. */
int adigm_net_host_of(int rank);
/* Return 1 if the port is open and messages to this rank are sent through the host's memory. */
int adigm_net_is_by_memory(int rank);
/* End the process's absence from the simulation, open the port, and provide the receive buffers. If
 * the function fails, it ends the job. */
void adigm_net_open(void);
/* Close the port. No send may be queued or in flight. The port can be opened again. */
void adigm_net_close(void);
const gmsim_place_t *adigm_net_place(void);
struct gm_port *adigm_net_port(void);
/* Fill the description of a flow for the functions gm_qos_*(). */
void adigm_net_describe(int peer, unsigned label, gm_qos_flow_t * flow_p);

/* Return the flow to a peer on a label. The first call creates the flow, which then exists until
 * the port is closed. */
adigm_flow_t *adigm_net_flow(int peer, unsigned label);
/* Record whether a flow has a reservation (1) or no longer has a reservation (0). A reservation
 * guarantees some send tokens to the flow. The flow's queue is then served before the queues of
 * other flows. reverse_bytes_s is the bandwidth of the reverse control traffic that the reservation
 * covers. */
void adigm_net_reserve(adigm_flow_t * flow, int is_reserved, double reverse_bytes_s);
/* Return 1 if any flow has a reservation. */
int adigm_net_has_reserved(void);
/* Return 1 if a flow has a reservation or transports the reverse traffic of a reservation. */
int adigm_net_is_reserved(const adigm_flow_t * flow);
/* Return 1 if a flow has a reservation that covers reverse traffic. */
int adigm_net_pays_reverse(const adigm_flow_t * flow);
/* Charge len bytes to the reverse traffic that the flow's reservation covers. Returns 0 if the flow
 * has no reservation, or if the reservation is already used up. */
int adigm_net_take_reverse(adigm_flow_t * flow, size_t len);
/* Return the number of messages, puts and gets on a flow that had to wait when they were queued.
 * Such an operation waits if no token is free for the flow, or if too many puts of the flow are in
 * flight. */
uint64_t adigm_net_token_waits(int peer, unsigned label);
/* Queue a send behind the flow's earlier messages, and post as many messages as the available
 * tokens allow. The function always succeeds. */
void adigm_net_send(adigm_flow_t * flow, adigm_send_t * send);
/* Queue a put or a message behind the flow's earlier puts and gets. Messages that are queued with
 * adigm_net_send() can overtake these elements. The function adigm_net_send_behind_puts() is for a
 * message that must not overtake a put, such as the report that the data have arrived. */
void adigm_net_put(adigm_flow_t * flow, adigm_put_t * put);
void adigm_net_send_behind_puts(adigm_flow_t * flow, adigm_send_t * send);

/* Return 1 if one more message may stay in its buffer: half of the buffers are reserved for new
 * messages. */
int adigm_net_may_keep(void);
/* Return a buffer to GM after the message that stayed in it has been handled. */
void adigm_net_give_back(void *message);

/* Handle one event of the port. Returns 0 if there is no event. */
int adigm_net_poll(adigm_receive_fn_t receive);
/* Sleep until there is an event. The completion of a send ends the sleep only if is_for_sends is set
 * or if a flow is waiting for a token. */
void adigm_net_wait(int is_for_sends);
/* Return 1 if no send is queued or in flight. */
int adigm_net_is_quiet(void);

#endif /* GM_NET_H_INCLUDED */
