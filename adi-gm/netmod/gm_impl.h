/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the gm netmod.
 *
 * Active messages travel as GM messages (gm_am.c over gm_net.c); matching, probe, one-sided
 * communication and collectives are MPICH's own, on top of them. Long sends go by rendezvous and
 * directed sends into the user's buffer, or in chunks where data are packed (gm_rndv.c), contiguous
 * puts and gets by directed sends and gets on the window (gm_rma.c).
 *
 * Labels: label 0 carries what flows back (clear to send, acknowledgements, all header-only
 * replies) and is never regulated. What a reservation pays for flows back on the communicator's
 * label with a bit of its own (ADIGM_REVERSE). All else of a communicator, data replies included, goes on the
 * communicator's own label, so two communicators between the same two processes are two flows,
 * and all order that MPI needs is order inside one label.
 */
#ifndef GM_IMPL_H_INCLUDED
#define GM_IMPL_H_INCLUDED

#include "mpidimpl.h"
#include "gm_net.h"
#include "gm_layout.h"
#include "gm_noinline.h"

/* Rounds of the closing barrier; ranks are below 2^16. */
#define ADIGM_BARRIER_ROUNDS 16

typedef enum adigm_wire_kind {
    ADIGM_WIRE_WHOLE = 1,       /* a whole active message */
    ADIGM_WIRE_FIRST,           /* its first part, with the header */
    ADIGM_WIRE_NEXT,            /* a further part; parts of a flow are in order */
    ADIGM_WIRE_BARRIER          /* handler is the round */
} adigm_wire_kind_t;

/* Bit of a kind: the message is of a flow with a reservation, or comes back for one. */
#define ADIGM_WIRE_RESERVED 0x80

/* What the last event was. */
typedef enum adigm_delivered {
    ADIGM_DELIVERED_NOTHING = 0,        /* of a peer's: the end of a send, or no event */
    ADIGM_DELIVERED_RESERVED,
    ADIGM_DELIVERED_OTHER
} adigm_delivered_t;

/* First bytes of each GM message; the active message's header follows, padded to 8 bytes, then
 * the payload. Both ends run on the same machine: no byte order. */
typedef struct adigm_wire {
    uint8_t kind;               /* adigm_wire_kind_t, and ADIGM_WIRE_RESERVED */
    uint8_t handler;
    uint16_t am_hdr_bytes;      /* with padding; 0 in further parts */
    uint16_t label;             /* of the flow; with the source, identifies a reassembly */
    uint16_t source;            /* rank in the job */
    uint64_t payload_bytes;     /* of the whole active message */
} adigm_wire_t;

typedef struct adigm_state {
    int is_open;
    int pid;                    /* of the process that opened; a forked child has another one */
    int is_absent;              /* in the process manager: no call of the library allowed */
    int in_progress;
    int is_flushing;            /* waits for its own sends to end */
    int serves_reserved;        /* messages of reservations have come */
    adigm_delivered_t delivered;
    int barrier_arrived[ADIGM_BARRIER_ROUNDS];
    int cts_handler, fin_handler, grant_handler;
    /* parameters of the cluster */
    MPI_Aint eager_bytes;
    uint64_t overhead_ps;       /* per active message and side */
    uint64_t copy_ps_per_byte;  /* between user memory and GM buffers, each side */
    uint64_t block_ps;          /* per contiguous block of what is copied in several */
    uint64_t rndv_recv_ps_per_byte;     /* receiving process, per byte of a rendezvous */
    uint64_t slice_ps;          /* of work that is put off: a packet of a rendezvous */
    MPI_Aint pipeline_bytes;    /* of a chunk of data that are packed or unpacked on their way */
    int pipeline_depth;         /* chunks of a message that are under way */
    /* counts */
    uint64_t n_copied_out_bytes, n_copied_in_bytes;     /* by this process */
    uint64_t n_registered, n_found_registered;  /* by messages; the second in the cache */
} adigm_state_t;

extern adigm_state_t adigm;

/* Hooks that the patches add to MPICH. */
extern int (*MPIR_Comm_set_attr_hook) (MPIR_Comm * comm_ptr, int keyval, void **value);
extern double (*MPIR_Wtime_hook) (void);
extern double (*MPIR_Wtick_hook) (void);

/* Label of a communicator, 1..4096. Bits 0-3 of a context id tell collectives, sub-communicators
 * by node and the local side of an intercommunicator apart from the communicator itself. */
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
/* Send an active message; sreq is NULL without data. Always succeeds. */
int adigm_am_send(MPIR_Comm * comm, int rank, unsigned label, int handler_id, const void *am_hdr,
                  MPI_Aint am_hdr_sz, const void *data, MPI_Aint count, MPI_Datatype datatype,
                  MPIR_Request * sreq);
/* The same without data; exchange_packets > 0: it ends an exchange, gm_qos_note_exchange(). */
int adigm_am_send_part(MPIR_Comm * comm, int rank, unsigned label, int handler_id,
                       const void *am_hdr, MPI_Aint am_hdr_sz, uint64_t exchange_ps,
                       unsigned exchange_packets);
void adigm_am_send_barrier(int world_rank, int round);
adigm_delivery_t adigm_am_deliver(void *message, size_t len_bytes);
/* The receive of a message that waits in its buffer is there: a data_copy_cb of MPICH's. */
int adigm_am_copy_held(MPIR_Request * rreq);
/* All data of a request are there; layout: what they were unpacked with, or NULL if MPICH copied
 * them. */
void adigm_am_complete(MPIR_Request * rreq, const adigm_layout_t * layout);
/* Bytes of one GM message before the payload, for an active message's header of a size. */
size_t adigm_am_head_bytes(size_t am_hdr_sz);

/* gm_init.c */
/* A parameter of the cluster. Fatal if there is none of that name. */
uint64_t adigm_param(const char *name);

/* gm_progress.c */
/* Passes of the thread's waiting loop in a row that found nothing; a send ends the row. */
extern __thread int adigm_empty_passes;
int adigm_progress(int blocking);

/* gm_threads.c */
/* Before the first thread waits: from then on each is told what the others do. */
void adigm_threads_open(void);
/* Sleep until something arrives, and handle it, or until another thread has done something. For
 * processes with several threads; releases MPICH's global lock meanwhile. */
void adigm_threads_sleep(void);

/* gm_rndv.c */
void adigm_rndv_open(void);
void adigm_rndv_close(void);
int adigm_isend(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag,
                MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr, uint8_t flags,
                MPIR_Errflag_t errflag, MPIR_Request ** req_p);
/* Payload bytes of a clear-to-send message. */
size_t adigm_rndv_cts_bytes(void);
size_t adigm_rndv_fin_bytes(void);
/* Memory that the process has for chunks; it never gets less. */
size_t adigm_rndv_pool_bytes(void);

/* gm_rma.c */
typedef enum adigm_rma_kind {
    ADIGM_RMA_PUT,
    ADIGM_RMA_GET
} adigm_rma_kind_t;

/* Tell the members of a window where it is, and register the own part; collective. */
int adigm_rma_open_win(MPIR_Win * win);
void adigm_rma_close_win(MPIR_Win * win);
/* Put or get without the target's help, if that can be done: sets *is_taken, else nothing has
 * happened and MPICH's active messages are to be used. request may be NULL. */
int adigm_rma(adigm_rma_kind_t kind, void *origin_addr, MPI_Aint origin_count,
              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Aint target_count, MPI_Datatype target_datatype, MPIR_Win * win,
              bool * is_taken, MPIR_Request ** request);

/* gm_mpix.c */
/* A communicator that is in use, or NULL. */
MPIR_Comm *adigm_find_comm(MPI_Comm comm);

/* gm_events.c */
/* First of all: a policy is read before the job starts. Does not return if it is wrong. */
void adigm_events_open(int rank, int size);
void adigm_events_close(void);
/* MPIR_Comm_event_hook */
void adigm_comm_event(int handle, MPIR_Comm_event_t event, MPIR_Info * info);
/* A window's own communicator is complete. info may be NULL. */
void adigm_win_created(MPIR_Win * win, MPIR_Info * info);

#endif /* GM_IMPL_H_INCLUDED */
