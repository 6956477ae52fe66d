/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the private declarations of the gm netmod.
 *
 * The netmod sends active messages as GM messages (gm_am.c and gm_net.c). Matching, probes,
 * one-sided communication and collectives are MPICH's own code on top of active messages. Long
 * sends use a rendezvous with directed sends into the user's buffer. If data are packed, the
 * rendezvous transfers chunks (gm_rndv.c). Contiguous puts and gets use directed sends and gets on
 * the window's memory (gm_rma.c).
 *
 * Labels: label 0 is for control messages in the reverse direction (clear to send,
 * acknowledgements, replies without data) and is never regulated. Reverse messages that a
 * reservation covers use the communicator's label with an additional bit (ADIGM_REVERSE). All other
 * messages of a communicator, including replies with data, use the communicator's own label. The
 * acknowledgements of a window also use this label, if their sender has a reservation on it. Two
 * communicators between the same two processes therefore have two different flows. MPI does not
 * require any order among messages with different labels.
 */
#ifndef GM_IMPL_H_INCLUDED
#define GM_IMPL_H_INCLUDED

#include "mpidimpl.h"
#include "gm_net.h"
#include "gm_layout.h"
#include "gm_noinline.h"

/* Largest number of rounds of the barrier at the end of a job; a job has at most 2^16 ranks. */
#define ADIGM_BARRIER_ROUNDS 16

typedef enum adigm_wire_kind {
    ADIGM_WIRE_WHOLE = 1,       /* a complete active message */
    ADIGM_WIRE_FIRST,           /* the first part of an active message, which contains the header */
    ADIGM_WIRE_NEXT,            /* a later part of an active message; the parts of a message arrive
                                   in order */
    ADIGM_WIRE_BARRIER,         /* a barrier message; `handler` contains the round */
    ADIGM_WIRE_DYNAMIC,         /* a message that connects two processes (gm_connect.c); `handler`
                                   contains its kind */
    ADIGM_WIRE_KEPT             /* never sent; marks the data of a message that waits for a matching
                                   receive */
} adigm_wire_kind_t;

/* Bit in a kind: the message belongs to a flow with a reservation, or to the reverse traffic of
 * this flow. */
#define ADIGM_WIRE_RESERVED 0x80

/* Kind of the last event from GM. */
typedef enum adigm_delivered {
    /* the event was not a message from a peer: either a send has completed, or there was no
     * event */
    ADIGM_DELIVERED_NOTHING = 0,
    ADIGM_DELIVERED_RESERVED,
    ADIGM_DELIVERED_OTHER
} adigm_delivered_t;

/* First bytes of each GM message. The header of the active message follows, padded to 8 bytes, and
 * then the payload. Both ends run on the same machine and have the same byte order. */
typedef struct adigm_wire {
    uint8_t kind;               /* an adigm_wire_kind_t, possibly combined with
                                   ADIGM_WIRE_RESERVED */
    uint8_t handler;
    uint16_t am_hdr_bytes;      /* length of the header with padding; 0 in all parts except the
                                   first */
    uint16_t label;             /* label of the flow; source and label together identify a partial
                                   message */
    uint16_t source;            /* the sender's rank in the job */
    uint64_t payload_bytes;     /* length of the whole active message, bytes */
} adigm_wire_t;

typedef struct adigm_state {
    int is_open;
    int pid;                    /* pid of the process that called MPI_Init; a forked child has a
                                   different pid */
    int first_rank;             /* job rank of the process that has rank 0 in MPI_COMM_WORLD */
    /* 1: the process has left the simulated cluster to communicate with the process manager, and
     * must not call libgm */
    int is_absent;
    int in_progress;
    int is_flushing;            /* 1: the process is waiting for its own sends to complete */
    int serves_reserved;        /* 1: messages that belong to reservations have been received */
    adigm_delivered_t delivered;
    int barrier_arrived[ADIGM_BARRIER_ROUNDS];
    int cts_handler, fin_handler, grant_handler, done_handler;
    /* values of cluster parameters */
    MPI_Aint eager_bytes;
    uint64_t overhead_ps;       /* the sender's cost of an active message */
    uint64_t receive_overhead_ps;       /* the receiver's cost of an active message */
    /* cost per byte of copying between user memory and GM buffers, on each side */
    uint64_t copy_ps_per_byte;
    uint64_t receive_copy_ps_per_byte;  /* the same cost for the receiver of eager data */
    MPI_Aint part_bytes;        /* longest GM message that contains a part of an eager message */
    MPI_Aint direct_bytes;      /* the sender does not copy eager messages that are longer than
                                   this */
    uint64_t lookup_ps;         /* cost of looking up a registration */
    uint64_t rndv_overhead_ps;  /* cost of a rendezvous on each side, in addition to overhead_ps */
    int rndv_reads;             /* 1: in a rendezvous, the receiver reads the data if it can */
    MPI_Aint rndv_read_bytes;   /* longest message that the receiver reads */
    uint64_t block_ps;          /* cost of each contiguous block if the data consist of several
                                   blocks */
    uint64_t rndv_recv_ps_per_byte;     /* receiver's cost of a rendezvous, per byte */
    uint64_t slice_ps;          /* duration of a slice of deferred work: the work for one packet of
                                 * a rendezvous */
    MPI_Aint pipeline_bytes;    /* length of one chunk of data that are packed or unpacked */
    int pipeline_depth;         /* largest number of chunks of a message that are in flight */
    /* counts */
    uint64_t n_copied_out_bytes, n_copied_in_bytes;     /* bytes that this process has copied so
                                                           far */
    /* number of registrations for messages, and number of registrations that were found in the
     * cache */
    uint64_t n_registered, n_found_registered;
} adigm_state_t;

extern adigm_state_t adigm;

/* Hooks that the project's patches add to MPICH. */
extern int (*MPIR_Comm_set_attr_hook) (MPIR_Comm * comm_ptr, int keyval, void **value);
extern double (*MPIR_Wtime_hook) (void);
extern double (*MPIR_Wtick_hook) (void);

/* Label of a communicator, 1..4096. Bits 0-3 of a context id do not identify the communicator: they
 * mark collectives, sub-communicators by node, and the local side of an inter-communicator. */
MPL_STATIC_INLINE_PREFIX unsigned adigm_comm_label(const MPIR_Comm * comm)
{
    return 1 + ((unsigned) comm->context_id >> 4);
}

MPL_STATIC_INLINE_PREFIX int adigm_world_rank(MPIR_Comm * comm, int rank)
{
    const MPIDI_av_entry_t *av = MPIDIU_comm_rank_to_av(comm, rank);
    MPIR_Assert(av);
    return av->netmod.gm.world_rank;
}

/* gm_am.c */
void adigm_am_open(void);
void adigm_am_close(void);
/* Send an active message; sreq is NULL if there are no data. The function fails only if memory is
 * insufficient. */
int adigm_am_send(MPIR_Comm * comm, int rank, unsigned label, int handler_id, const void *am_hdr,
                  MPI_Aint am_hdr_sz, const void *data, MPI_Aint count, MPI_Datatype datatype,
                  MPIR_Request * sreq);
/* Send an active message without data. If exchange_packets > 0, the message ends an exchange; see
 * gm_qos_note_exchange(). */
int adigm_am_send_part(MPIR_Comm * comm, int rank, unsigned label, int handler_id,
                       const void *am_hdr, MPI_Aint am_hdr_sz, uint64_t exchange_ps,
                       unsigned exchange_packets);
/* Send a reply without data. */
int adigm_am_send_reply(MPIR_Comm * comm, int rank, int handler_id, const void *am_hdr,
                        MPI_Aint am_hdr_sz);
void adigm_am_send_barrier(int world_rank, int round);
/* Send a message of gm_connect.c. The message consists only of a header of at most
 * ADIGM_DYNAMIC_BYTES. */
void adigm_am_send_dynamic(int world_rank, int kind, const void *hdr, size_t hdr_bytes);
adigm_delivery_t adigm_am_deliver(void *message, size_t len_bytes);
/* Copy a message that is still in its GM buffer. MPICH calls this function as data_copy_cb when the
 * receive of the message is posted. */
int adigm_am_copy_held(MPIR_Request * rreq);
/* Complete a request whose data have all arrived. layout is the layout with which the data were
 * unpacked, or NULL if MPICH has copied the data. */
void adigm_am_complete(MPIR_Request * rreq, const adigm_layout_t * layout);
/* Return the number of bytes before the payload of a GM message; am_hdr_sz is the size of the
 * active message's header. */
size_t adigm_am_head_bytes(size_t am_hdr_sz);

/* gm_connect.c */
#define ADIGM_DYNAMIC_BYTES 1024
void adigm_connect_close(void);
/* Handle a message that adigm_am_send_dynamic() has sent. */
void adigm_connect_take(int source, int kind, const void *hdr, size_t hdr_bytes);

/* gm_init.c */
/* Return this process's rank in the job. Each group of spawned processes numbers its ranks in
 * MPI_COMM_WORLD from 0, but ranks in the job are unique. */
MPL_STATIC_INLINE_PREFIX int adigm_job_rank(void)
{
    return adigm.first_rank + MPIR_Process.rank;
}

/* Return the value of a parameter of the cluster. If the cluster has no parameter of this name, the
 * function ends the job. */
uint64_t adigm_param(const char *name);

/* gm_progress.c */
/* Number of consecutive passes of the thread's waiting loop that found no event; a send resets this
 * number to 0. */
extern __thread int adigm_empty_passes;
int adigm_progress(int blocking);

/* gm_threads.c */
/* Prepare to wake waiting threads. MPICH calls this function before the first thread waits. From
 * then on, calls by one thread can wake other threads. */
void adigm_threads_open(void);
/* Sleep until an event arrives or another thread wakes this thread, and then handle the event. Only
 * processes with several threads use this function. The function releases MPICH's global lock
 * during the sleep. */
void adigm_threads_sleep(void);

/* gm_rndv.c */
void adigm_rndv_open(void);
void adigm_rndv_close(void);
int adigm_isend(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag,
                MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr, uint8_t flags,
                MPIR_Errflag_t errflag, MPIR_Request ** req_p);
/* Return the number of payload bytes in a clear-to-send message, and in the message that reports
 * the end of a rendezvous. */
size_t adigm_rndv_cts_bytes(void);
size_t adigm_rndv_fin_bytes(void);
/* Return the size of the memory that the process has allocated for chunks; this size never
 * decreases. */
size_t adigm_rndv_pool_bytes(void);

/* gm_rma.c */
typedef enum adigm_rma_kind {
    ADIGM_RMA_PUT,
    ADIGM_RMA_GET
} adigm_rma_kind_t;

/* Register this process's part of a window, and send its address to all members of the window. All
 * members of the window must call the function. */
int adigm_rma_open_win(MPIR_Win * win);
void adigm_rma_close_win(MPIR_Win * win);
/* If the data permit it, perform the put or get without the target's help, and set *is_taken.
 * Otherwise do nothing; the caller must then use MPICH's active messages. request may be NULL. */
int adigm_rma(adigm_rma_kind_t kind, void *origin_addr, MPI_Aint origin_count,
              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Aint target_count, MPI_Datatype target_datatype, MPIR_Win * win,
              bool * is_taken, MPIR_Request ** request);

/* gm_mpix.c */
/* Return any communicator that is in use, or NULL. */
MPIR_Comm *adigm_find_comm(MPI_Comm comm);

/* gm_events.c */
/* Read the policy file. This function is called before all other functions in the file, because the
 * policy is read before the job starts. If the policy is invalid, the function does not return. */
void adigm_events_open(int rank, int size);
void adigm_events_close(void);
/* Handle an event of a communicator (see MPIR_Comm_event_hook). */
void adigm_comm_event(int handle, MPIR_Comm_event_t event, MPIR_Info * info);
/* Return 1 if a key starts with "mpiqos_". */
int adigm_info_has_hints(MPI_Info info);
/* Load the client if a file with these hints (or with MPI_INFO_NULL) requires it. Return 1 if there
 * is a client. The caller must not hold MPICH's global lock. */
int adigm_events_want(MPI_Info info);
/* Name the window's own communicator after the window's parent, and report its hints when the
 * communicator is complete. info may be NULL. */
void adigm_win_created(MPIR_Win * win, const MPIR_Comm * parent, MPIR_Info * info);

/* gm_file.c */
void adigm_file_open(void);
void adigm_file_close(void);

#endif /* GM_IMPL_H_INCLUDED */
