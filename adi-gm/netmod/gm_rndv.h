/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the messages of the rendezvous, and the functions that gm_rndv.c (the sending side) and
 * gm_rndv_receive.c (the receiving side) share. gm_rndv.c describes the protocol.
 */
#ifndef GM_RNDV_H_INCLUDED
#define GM_RNDV_H_INCLUDED

#include "gm_impl.h"

/* Rendezvous id of an offer. In MPICH, this id announces messages whose data the receiver reads
 * from the sender's memory. MPICH's shared memory also uses the id, but the device is built without
 * it. */
#define ADIGM_RNDV_OFFER MPIDIG_RNDV_IPC

typedef struct adigm_incoming adigm_incoming_t;

/* The offer in a ready-to-send message. The offer follows MPICH's header if the receiver may read
 * the data. */
typedef struct adigm_offer {
    gm_remote_ptr_t source;
    uint64_t label;             /* label of the sender's flow */
} adigm_offer_t;

/* The clear-to-send message. If the receiver has lent slots, n_slots addresses follow. */
typedef struct adigm_cts {
    MPIR_Request *sreq_ptr;
    adigm_incoming_t *incoming;
    MPI_Aint len_bytes;         /* number of bytes that the receiver accepts; at most the announced
                                   number */
    gm_remote_ptr_t target;     /* destination of the data if there are no slots */
    uint64_t n_slots;
    gm_remote_ptr_t slots[];
} adigm_cts_t;

/* The message that reports that the receiver has read the data of an offer. */
typedef struct adigm_done {
    MPIR_Request *sreq_ptr;
} adigm_done_t;

/* The message that permits the sender to send one more chunk. */
typedef struct adigm_grant {
    MPIR_Request *sreq_ptr;
} adigm_grant_t;

typedef struct adigm_fin {
    adigm_incoming_t *incoming;
    MPI_Aint len_bytes;         /* bytes that have arrived since the previous message of this
                                   kind */
} adigm_fin_t;

static inline MPI_Aint adigm_rndv_chunks(MPI_Aint bytes)
{
    return (bytes + adigm.pipeline_bytes - 1) / adigm.pipeline_bytes;
}

/* Register the handlers of the receiving side, and open and close its pool of buffers. */
void adigm_rndv_open_receiver(void);
void adigm_rndv_close_receiver(void);

/* Return the number of bytes of the receiving side's buffers. */
size_t adigm_rndv_receive_pool_bytes(void);

#endif /* GM_RNDV_H_INCLUDED */
