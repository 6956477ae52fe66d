/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the rendezvous of long messages. If the data are contiguous on both sides:
 *
 *   sender                            receiver
 *     ready to send   -- label L -->    match, register the user's buffer
 *                     <-- label 0 --  clear to send (address, bytes)
 *     register, put   == label L ==>    (no event)
 *     finished        -- label L -->    release, complete
 *     put acknowledged: release, complete
 *
 * If the sender's data are not contiguous, the sender packs them, chunk by chunk, into its own
 * buffers. The sender puts each chunk into the receiver's memory, and reports that the chunk has
 * arrived. If the receiver's data are not contiguous, the receiver lends its own buffers (called
 * slots) in the clear-to-send message:
 *
 *     put chunk k     == label L ==>    (in slot k mod n)
 *     finished (k)    -- label L -->    unpack
 *                     <-- label 0 --  one more (if not all are granted yet)
 *
 * One chunk can therefore be packed or unpacked while other chunks are in flight, and the message
 * is never copied as a whole. A side that cannot register its memory behaves as if its data were
 * not contiguous.
 *
 * The ready-to-send message is MPICH's own send message with a rendezvous id of this netmod. The
 * message remains in order with the eager messages of the communicator. The finished message is
 * queued behind the puts of its flow. When this message arrives, the data have therefore arrived,
 * too.
 *
 * If the parameter mpi_rndv_protocol has the value `read', the receiver's NIC reads the data. The
 * sender registers its memory first, and its ready-to-send message contains the address (an offer):
 *
 *   sender                            receiver
 *     register, offer -- label L -->    match, register, get
 *                     <== label L ==
 *                     <-- label 0 --  done: release, complete
 *     release, complete
 *
 * The receiver answers an offer with a clear-to-send message if it cannot read the data directly
 * into the user's buffer. Flows with a reservation and messages within a host never use offers,
 * because the bounds of reservations are derived for the protocol without offers. Messages longer
 * than mpi_rndv_read_bytes do not use offers either.
 *
 * If both memories are registered, a reservation covers the clear-to-send messages. These messages
 * use a label with the precedence of the reservation, as long as their number does not exceed the
 * number for which bandwidth was requested. The sender counts these messages. If the reservation
 * covers the clear-to-send message, the sender announces its message with a different rendezvous
 * id.
 */
#include "gm_impl.h"
#include "gm_chunk.h"
#include "gm_register.h"
#include "gm_work.h"

/* Number of packets that a message requires in addition to its data: the ready-to-send message and
 * the finished message. */
#define ADIGM_RNDV_EXTRA_PACKETS 2u

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

/* A message that is being sent. The fields after `flow` are set when the clear-to-send message
 * arrives. For an offer, the layout and the registration are set earlier. */
typedef struct adigm_outgoing {
    struct adigm_outgoing *next_waiting;
    int is_waiting;             /* 1: the message is waiting for a chunk buffer */
    MPIR_Request *sreq;
    uint64_t began_ps;          /* time at which the program called the send function; 0 in a flow
                                   without a reservation */
    adigm_flow_t *flow;
    adigm_incoming_t *incoming;
    adigm_layout_t layout;
    MPI_Aint bytes;
    char *registered;           /* registered user memory, or NULL */
    MPI_Aint registered_bytes;
    /* 1: the data are sent directly from the user's buffer, which is registered */
    int is_direct;
    MPI_Aint chunk_bytes;       /* length of each put except the last */
    MPI_Aint n_chunks, n_granted, n_sent;
    int n_packed;               /* number of puts from chunk buffers that have not completed */
    int n_unfinished;           /* number of puts that have not completed */
    gm_remote_ptr_t target;
    unsigned n_slots;
    gm_remote_ptr_t slots[ADIGM_MAX_DEPTH];
} adigm_outgoing_t;

typedef struct adigm_chunk_put {
    adigm_put_t super;
    adigm_outgoing_t *outgoing;
    void *buffer;               /* buffer of the chunk, or NULL */
} adigm_chunk_put_t;

typedef struct adigm_read {
    adigm_put_t super;
    adigm_incoming_t *incoming;
} adigm_read_t;

/* A message that is being received, after it has been matched. */
struct adigm_incoming {
    adigm_incoming_t *next_waiting;
    MPIR_Request *rreq;
    adigm_layout_t layout;
    MPI_Aint bytes, received_bytes;
    int is_direct;              /* 1: the data arrive directly in the user's buffer, which is
                                   registered */
    int is_reserved;            /* 1: a reservation covers the clear-to-send message */
    int n_put_off;              /* number of parts with deferred work */
    MPI_Aint n_chunks, n_granted, n_taken;
    unsigned n_slots;
    void *slots[ADIGM_MAX_DEPTH];
};

/* Deferred work for one part of a message. */
typedef struct adigm_part_work {
    adigm_work_t super;
    adigm_incoming_t *incoming;
    int is_last;
} adigm_part_work_t;

/* Messages that wait for a buffer from their pool, in the order of their arrival. The receiving
 * side has a separate pool. Otherwise, two processes that both send and receive could wait for each
 * other. */
static struct {
    adigm_outgoing_t *outgoing_head, *outgoing_tail;
    adigm_incoming_t *incoming_head, *incoming_tail;
} waiting;

static adigm_pool_t send_pool, receive_pool;

size_t adigm_rndv_cts_bytes(void)
{
    return adigm_am_head_bytes(sizeof(adigm_cts_t));
}

size_t adigm_rndv_fin_bytes(void)
{
    return adigm_am_head_bytes(sizeof(adigm_fin_t));
}

size_t adigm_rndv_pool_bytes(void)
{
    return ((size_t) send_pool.n_made + (size_t) receive_pool.n_made) *
        (size_t) adigm.pipeline_bytes;
}

static MPI_Aint adigm_rndv_chunks(MPI_Aint bytes)
{
    return (bytes + adigm.pipeline_bytes - 1) / adigm.pipeline_bytes;
}

/* ---- sender: delays ---- */

/* Delays are measured only for flows with a reservation. */
static uint64_t adigm_rndv_began_ps(const adigm_flow_t * flow)
{
    return adigm_net_is_reserved(flow) ? gm_qos_begin_exchange(adigm_net_port()) : 0;
}

static unsigned adigm_rndv_packets(MPI_Aint bytes)
{
    MPI_Aint mtu = (MPI_Aint) gm_mtu(adigm_net_port());
    return (unsigned) ((bytes + mtu - 1) / mtu) + ADIGM_RNDV_EXTRA_PACKETS;
}

/* Return 1 if the delay of this message is measured. A bound is known only for a message that is
 * sent directly from memory to memory, in a flow whose reservation is for rendezvous. Other
 * messages have no bound and are not measured. */
static int adigm_rndv_is_measured(const adigm_outgoing_t * outgoing)
{
    return outgoing->is_direct && outgoing->n_slots == 0 &&
        adigm_net_pays_reverse(outgoing->flow);
}

/* ---- sender: announce ---- */

static int adigm_rndv_id(adigm_flow_t * flow, int is_offer)
{
    if (is_offer)
        return ADIGM_RNDV_OFFER;
    return adigm_net_take_reverse(flow, adigm_rndv_cts_bytes()) ? MPIDIG_RNDV_GM_RESERVED :
        MPIDIG_RNDV_GM;
}

/* Register contiguous data for the message. Returns 0 if this is impossible. */
static int adigm_rndv_register(adigm_outgoing_t * outgoing)
{
    if (outgoing->registered)
        return 1;
    if (!outgoing->layout.is_contig || outgoing->bytes == 0 ||
        !adigm_register(outgoing->layout.address, outgoing->bytes))
        return 0;
    outgoing->registered = outgoing->layout.address;
    outgoing->registered_bytes = outgoing->bytes;
    return 1;
}

static int adigm_rndv_receiver(const MPIR_Request * sreq)
{
    return adigm_world_rank(sreq->comm, MPIDIG_REQUEST(sreq, u.send.dest));
}

/* Create the state of a message. */
static adigm_outgoing_t *adigm_rndv_create(MPIR_Request * sreq)
{
    adigm_outgoing_t *outgoing = MPL_calloc(1, sizeof(*outgoing), MPL_MEM_OTHER);
    if (outgoing == NULL)
        return NULL;
    outgoing->sreq = sreq;
    outgoing->flow = adigm_net_flow(adigm_rndv_receiver(sreq), adigm_comm_label(sreq->comm));
    outgoing->began_ps = adigm_rndv_began_ps(outgoing->flow);
    MPIDIG_REQUEST(sreq, netmod_am.gm).address = outgoing;
    return outgoing;
}

static void adigm_rndv_lay_out(adigm_outgoing_t * outgoing, MPI_Aint limit_bytes)
{
    const MPIR_Request *sreq = outgoing->sreq;
    adigm_layout_init(&outgoing->layout, MPIDIG_REQUEST(sreq, buffer),
                      MPIDIG_REQUEST(sreq, count), MPIDIG_REQUEST(sreq, datatype), limit_bytes);
    outgoing->bytes = outgoing->layout.bytes;
}

/* Let the receiver read the data, if the protocol and the data permit it. Returns the number of
 * bytes that the offer adds to the ready-to-send message. */
static MPI_Aint adigm_rndv_offer(adigm_outgoing_t * outgoing, MPI_Aint data_sz,
                                 adigm_offer_t * offer_p)
{
    const MPIR_Request *sreq = outgoing->sreq;
    if (!adigm.rndv_reads || data_sz > adigm.rndv_read_bytes ||
        adigm_net_is_reserved(outgoing->flow) || adigm_net_is_by_memory(adigm_rndv_receiver(sreq)))
        return 0;
    adigm_rndv_lay_out(outgoing, data_sz);
    if (!adigm_rndv_register(outgoing))
        return 0;
    offer_p->source = (gm_remote_ptr_t) (uintptr_t) outgoing->registered;
    offer_p->label = adigm_comm_label(sreq->comm);
    return (MPI_Aint) sizeof(*offer_p);
}

static int adigm_rndv_isend(const void *buf, MPI_Aint count, MPI_Datatype datatype,
                            MPI_Aint data_sz, int rank, int tag, MPIR_Comm * comm,
                            int context_offset, uint8_t flags, MPIR_Errflag_t errflag,
                            MPIR_Request ** req_p)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Request *sreq = *req_p;
    adigm_outgoing_t *outgoing;
    struct {
        MPIDIG_hdr_t hdr;
        adigm_offer_t offer;
    } announce;
    MPIDIG_hdr_t *hdr = &announce.hdr;

    if (sreq == NULL) {
        sreq = MPIDIG_request_create(MPIR_REQUEST_KIND__SEND, 2, 0, 0);
        MPIR_ERR_CHKANDSTMT(sreq == NULL, mpi_errno, MPIX_ERR_NOREQ, goto fn_fail, "**nomemreq");
        *req_p = sreq;
    } else {
        MPIDIG_request_init(sreq, MPIR_REQUEST_KIND__SEND);
    }
    sreq->comm = comm;
    MPIR_Comm_add_ref(comm);
    MPIDIG_REQUEST(sreq, buffer) = (void *) buf;
    MPIDIG_REQUEST(sreq, count) = count;
    MPIDIG_REQUEST(sreq, datatype) = datatype;
    MPIDIG_REQUEST(sreq, u.send.dest) = rank;
    MPIR_Datatype_add_ref_if_not_builtin(datatype);
    if (flags & MPIDIG_AM_SEND_FLAGS_SYNC) {
        int before;
        MPIR_cc_incr(sreq->cc_ptr, &before);    /* add another reference for the acknowledgement of
                                                 * the match */
    }

    outgoing = adigm_rndv_create(sreq);
    MPIR_ERR_CHKANDJUMP(outgoing == NULL, mpi_errno, MPI_ERR_OTHER, "**nomem");

    memset(&announce, 0, sizeof(announce));
    hdr->src_rank = comm->rank;
    hdr->tag = tag;
    hdr->context_id = comm->context_id + context_offset;
    hdr->error_bits = errflag;
    hdr->sreq_ptr = sreq;
    hdr->flags = flags;
    hdr->data_sz = data_sz;
    if (adigm.rndv_overhead_ps)
        gmsim_work(adigm.rndv_overhead_ps);
    hdr->rndv_hdr_sz = adigm_rndv_offer(outgoing, data_sz, &announce.offer);
    MPIDIG_AM_SEND_SET_RNDV(hdr->flags, adigm_rndv_id(outgoing->flow, hdr->rndv_hdr_sz > 0));
    mpi_errno = adigm_am_send_part(comm, rank, adigm_comm_label(comm), MPIDIG_SEND, &announce,
                                   (MPI_Aint) sizeof(*hdr) + hdr->rndv_hdr_sz, 0, 0);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int adigm_isend(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag,
                MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr, uint8_t flags,
                MPIR_Errflag_t errflag, MPIR_Request ** req_p)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Aint data_sz;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    MPIDI_Datatype_check_size(datatype, count, data_sz);
    if (data_sz > adigm.eager_bytes)
        mpi_errno = adigm_rndv_isend(buf, count, datatype, data_sz, rank, tag, comm,
                                     context_offset, flags, errflag, req_p);
    else
        mpi_errno = MPIDIG_isend_impl(buf, count, datatype, rank, tag, comm, context_offset, addr,
                                      flags, 0, 0, req_p, errflag);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    return mpi_errno;
}

/* ---- sender: data ---- */

static void adigm_rndv_wait_to_send(adigm_outgoing_t * outgoing)
{
    outgoing->is_waiting = 1;
    outgoing->next_waiting = NULL;
    if (waiting.outgoing_tail)
        waiting.outgoing_tail->next_waiting = outgoing;
    else
        waiting.outgoing_head = outgoing;
    waiting.outgoing_tail = outgoing;
}

static void adigm_rndv_send_fin(const adigm_outgoing_t * outgoing, MPI_Aint len_bytes)
{
    const MPIR_Request *sreq = outgoing->sreq;
    adigm_fin_t fin = {.incoming = outgoing->incoming,.len_bytes = len_bytes };
    unsigned packets = adigm_rndv_is_measured(outgoing) ? adigm_rndv_packets(outgoing->bytes) : 0;
    int mpi_errno = adigm_am_send_part(sreq->comm, MPIDIG_REQUEST(sreq, u.send.dest),
                                       adigm_comm_label(sreq->comm), adigm.fin_handler, &fin,
                                       sizeof(fin), outgoing->began_ps, packets);
    if (mpi_errno != MPI_SUCCESS)
        gmsim_fatal("MPI: out of memory");
}

static void adigm_rndv_end_send(adigm_outgoing_t * outgoing)
{
    MPIR_Request *sreq = outgoing->sreq;
    if (outgoing->registered)
        adigm_deregister(outgoing->registered, outgoing->registered_bytes);
    MPIR_Datatype_release_if_not_builtin(MPIDIG_REQUEST(sreq, datatype));
    MPID_Request_complete(sreq);
    MPL_free(outgoing);
}

static void adigm_rndv_advance(adigm_outgoing_t * outgoing);

static void adigm_rndv_serve_senders(void)
{
    while (waiting.outgoing_head && adigm_pool_has(&send_pool)) {
        adigm_outgoing_t *outgoing = waiting.outgoing_head;
        waiting.outgoing_head = outgoing->next_waiting;
        if (waiting.outgoing_head == NULL)
            waiting.outgoing_tail = NULL;
        outgoing->is_waiting = 0;
        adigm_rndv_advance(outgoing);
    }
}

static void adigm_rndv_put_completed(adigm_put_t * put)
{
    adigm_chunk_put_t *chunk = (adigm_chunk_put_t *) put;
    adigm_outgoing_t *outgoing = chunk->outgoing;
    outgoing->n_unfinished--;
    if (chunk->buffer) {
        outgoing->n_packed--;
        adigm_pool_give(&send_pool, chunk->buffer);
        adigm_rndv_serve_senders();
    }
    MPL_free(chunk);
    if (outgoing->n_sent < outgoing->n_chunks)
        adigm_rndv_advance(outgoing);
    else if (outgoing->n_unfinished == 0)
        adigm_rndv_end_send(outgoing);
}

/* Send the next chunk. If buffer is NULL, the chunk is sent directly from the user's memory. */
static void adigm_rndv_send_chunk(adigm_outgoing_t * outgoing, void *buffer)
{
    MPI_Aint at = outgoing->n_sent * outgoing->chunk_bytes;
    MPI_Aint len = MPL_MIN(outgoing->chunk_bytes, outgoing->bytes - at);
    adigm_chunk_put_t *chunk = MPL_calloc(1, sizeof(*chunk), MPL_MEM_OTHER);
    if (chunk == NULL)
        gmsim_fatal("MPI: out of memory");
    chunk->outgoing = outgoing;
    chunk->buffer = buffer;
    chunk->super.source = outgoing->layout.address + at;
    if (buffer) {
        gmsim_work(adigm_layout_pack(&outgoing->layout, buffer, len));
        chunk->super.source = buffer;
        outgoing->n_packed++;
    }
    chunk->super.target = outgoing->n_slots > 0 ?
        outgoing->slots[outgoing->n_sent % outgoing->n_slots] :
        outgoing->target + (gm_remote_ptr_t) at;
    chunk->super.left_bytes = (size_t) len;
    chunk->super.is_chunk = outgoing->n_chunks > 1;
    chunk->super.completed = adigm_rndv_put_completed;
    outgoing->n_sent++;
    outgoing->n_unfinished++;
    adigm_net_put(outgoing->flow, &chunk->super);
    adigm_rndv_send_fin(outgoing, len);
}

/* Send the chunks that the receiver has granted, unless the message is waiting for a buffer. No put
 * completes inside this function. */
static void adigm_rndv_advance(adigm_outgoing_t * outgoing)
{
    while (!outgoing->is_waiting && outgoing->n_sent < outgoing->n_granted) {
        void *buffer = NULL;
        if (!outgoing->is_direct) {
            if (outgoing->n_packed >= adigm.pipeline_depth)
                return;
            buffer = adigm_pool_take(&send_pool);
        }
        if (outgoing->is_direct || buffer)
            adigm_rndv_send_chunk(outgoing, buffer);
        else
            adigm_rndv_wait_to_send(outgoing);
    }
}

static void adigm_rndv_plan(adigm_outgoing_t * outgoing, const adigm_cts_t * cts)
{
    outgoing->is_direct = outgoing->bytes > 0 && adigm_rndv_register(outgoing);
    outgoing->target = cts->target;
    outgoing->n_slots = (unsigned) cts->n_slots;
    MPIR_Assert(outgoing->n_slots <= ADIGM_MAX_DEPTH);
    for (unsigned i = 0; i < outgoing->n_slots; i++)
        outgoing->slots[i] = cts->slots[i];
    if (outgoing->is_direct && outgoing->n_slots == 0) {
        outgoing->chunk_bytes = outgoing->bytes;
        outgoing->n_chunks = 1;
    } else {
        outgoing->chunk_bytes = adigm.pipeline_bytes;
        outgoing->n_chunks = adigm_rndv_chunks(outgoing->bytes);
    }
    outgoing->n_granted = outgoing->n_slots > 0 ? outgoing->n_slots : outgoing->n_chunks;
}

static int adigm_rndv_cts_cb(void *am_hdr, void *data, MPI_Aint data_sz, uint32_t attr,
                             MPIR_Request ** req)
{
    const adigm_cts_t *cts = am_hdr;
    adigm_outgoing_t *outgoing = MPIDIG_REQUEST(cts->sreq_ptr, netmod_am.gm).address;

    outgoing->incoming = cts->incoming;
    adigm_rndv_lay_out(outgoing, cts->len_bytes);
    MPIR_Assert(outgoing->bytes == cts->len_bytes);
    adigm_rndv_plan(outgoing, cts);
    if (outgoing->n_chunks > 0) {
        adigm_rndv_advance(outgoing);
    } else {
        adigm_rndv_send_fin(outgoing, 0);
        adigm_rndv_end_send(outgoing);
    }
    return MPI_SUCCESS;
}

static int adigm_rndv_done_cb(void *am_hdr, void *data, MPI_Aint data_sz, uint32_t attr,
                              MPIR_Request ** req)
{
    const adigm_done_t *done = am_hdr;
    adigm_rndv_end_send(MPIDIG_REQUEST(done->sreq_ptr, netmod_am.gm).address);
    return MPI_SUCCESS;
}

static int adigm_rndv_grant_cb(void *am_hdr, void *data, MPI_Aint data_sz, uint32_t attr,
                               MPIR_Request ** req)
{
    const adigm_grant_t *grant = am_hdr;
    adigm_outgoing_t *outgoing = MPIDIG_REQUEST(grant->sreq_ptr, netmod_am.gm).address;
    /* the message cannot have ended: the receiver never grants more chunks than the message has */
    MPIR_Assert(outgoing->n_granted < outgoing->n_chunks);
    outgoing->n_granted++;
    adigm_rndv_advance(outgoing);
    return MPI_SUCCESS;
}

/* ---- receiver ---- */

static int adigm_rndv_clear(adigm_incoming_t * incoming)
{
    MPIR_Request *rreq = incoming->rreq;
    uint64_t words[sizeof(adigm_cts_t) / sizeof(uint64_t) + ADIGM_MAX_DEPTH];
    adigm_cts_t *cts = (adigm_cts_t *) words;
    cts->sreq_ptr = MPIDIG_REQUEST(rreq, req->rreq.peer_req_ptr);
    cts->incoming = incoming;
    cts->len_bytes = incoming->bytes;
    cts->target = incoming->is_direct ?
        (gm_remote_ptr_t) (uintptr_t) incoming->layout.address : 0;
    cts->n_slots = incoming->n_slots;
    for (unsigned i = 0; i < incoming->n_slots; i++)
        cts->slots[i] = (gm_remote_ptr_t) (uintptr_t) incoming->slots[i];
    /* A reservation covers only clear-to-send messages without slots, because these messages all
     * have the same length, and no grants follow them. */
    unsigned label = incoming->is_reserved && incoming->n_slots == 0 ?
        adigm_comm_label(rreq->comm) | ADIGM_REVERSE : ADIGM_CONTROL_LABEL;
    return adigm_am_send(rreq->comm, MPIDIG_REQUEST(rreq, u.recv.source), label,
                         adigm.cts_handler, cts,
                         (MPI_Aint) (sizeof(*cts) + incoming->n_slots * sizeof(cts->slots[0])),
                         NULL, 0, MPI_BYTE, NULL);
}

/* Lend as many free slots as the message can use. Returns 0 if no slot is free. */
static int adigm_rndv_lend(adigm_incoming_t * incoming)
{
    while (incoming->n_slots < (unsigned) adigm.pipeline_depth &&
           incoming->n_slots < incoming->n_chunks) {
        void *slot = adigm_pool_take(&receive_pool);
        if (slot == NULL)
            break;
        incoming->slots[incoming->n_slots++] = slot;
    }
    incoming->n_granted = incoming->n_slots;
    return incoming->n_slots > 0;
}

static void adigm_rndv_serve_receivers(void)
{
    while (waiting.incoming_head && adigm_pool_has(&receive_pool)) {
        adigm_incoming_t *incoming = waiting.incoming_head;
        waiting.incoming_head = incoming->next_waiting;
        if (waiting.incoming_head == NULL)
            waiting.incoming_tail = NULL;
        adigm_rndv_lend(incoming);
        if (adigm_rndv_clear(incoming) != MPI_SUCCESS)
            gmsim_fatal("MPI: out of memory");
    }
}

static void adigm_rndv_wait_to_receive(adigm_incoming_t * incoming)
{
    incoming->next_waiting = NULL;
    if (waiting.incoming_tail)
        waiting.incoming_tail->next_waiting = incoming;
    else
        waiting.incoming_head = incoming;
    waiting.incoming_tail = incoming;
}

static int adigm_rndv_end_receive(adigm_incoming_t * incoming)
{
    MPIR_Request *rreq = incoming->rreq;
    if (incoming->is_direct) {
        adigm_deregister(incoming->layout.address, incoming->bytes);
        incoming->layout.offset = incoming->layout.engine_offset = incoming->bytes;
    }
    for (unsigned i = 0; i < incoming->n_slots; i++)
        adigm_pool_give(&receive_pool, incoming->slots[i]);
    adigm_am_complete(rreq, &incoming->layout);
    MPL_free(incoming);
    adigm_rndv_serve_receivers();
    return MPI_SUCCESS;
}

/* A slot has become free: grant it to the sender, if some chunks have not been granted yet. */
static int adigm_rndv_grant(adigm_incoming_t * incoming)
{
    MPIR_Request *rreq = incoming->rreq;
    adigm_grant_t grant = {.sreq_ptr = MPIDIG_REQUEST(rreq, req->rreq.peer_req_ptr) };
    if (incoming->n_granted == incoming->n_chunks)
        return MPI_SUCCESS;
    incoming->n_granted++;
    return adigm_am_send(rreq->comm, MPIDIG_REQUEST(rreq, u.recv.source), ADIGM_CONTROL_LABEL,
                         adigm.grant_handler, &grant, sizeof(grant), NULL, 0, MPI_BYTE, NULL);
}

static int adigm_rndv_sender(const MPIR_Request * rreq)
{
    return adigm_world_rank(rreq->comm, MPIDIG_REQUEST(rreq, u.recv.source));
}

/* All work for a part of the message is done. If this was the last part, complete the receive;
 * otherwise, grant the next part. */
static int adigm_rndv_took(adigm_incoming_t * incoming, int is_last)
{
    return is_last ? adigm_rndv_end_receive(incoming) : adigm_rndv_grant(incoming);
}

static void adigm_rndv_work_done(adigm_work_t * work)
{
    adigm_part_work_t *part = (adigm_part_work_t *) work;
    part->incoming->n_put_off--;
    if (adigm_rndv_took(part->incoming, part->is_last) != MPI_SUCCESS)
        gmsim_fatal("MPI: out of memory");
    MPL_free(part);
}

/* Return 1 if the work for this message must be deferred. After messages of reservations have
 * arrived, work for messages without a reservation is deferred. The parts of a message are handled
 * in order. */
static int adigm_rndv_may_put_off(const adigm_incoming_t * incoming)
{
    return incoming->n_put_off > 0 ||
        (adigm.serves_reserved && adigm.delivered == ADIGM_DELIVERED_OTHER);
}

static void adigm_rndv_put_off(adigm_incoming_t * incoming, uint64_t cost_ps, int is_last)
{
    adigm_part_work_t *part = MPL_calloc(1, sizeof(*part), MPL_MEM_OTHER);
    if (part == NULL)
        gmsim_fatal("MPI: out of memory");
    part->super.left_ps = cost_ps;
    part->super.done = adigm_rndv_work_done;
    part->incoming = incoming;
    part->is_last = is_last;
    incoming->n_put_off++;
    adigm_work_add(adigm_rndv_sender(incoming->rreq), adigm_comm_label(incoming->rreq->comm),
                   &part->super);
}

/* Handle data of the message that have arrived in its buffer or in a slot. */
static int adigm_rndv_arrived(adigm_incoming_t * incoming, MPI_Aint len_bytes)
{
    uint64_t cost_ps = 0;
    int is_last;
    /* The copy within a host has already been charged (memory_ps_per_byte). */
    if (!adigm_net_is_by_memory(adigm_rndv_sender(incoming->rreq)))
        cost_ps = (uint64_t) len_bytes * adigm.rndv_recv_ps_per_byte;
    incoming->received_bytes += len_bytes;
    MPIR_Assert(incoming->received_bytes <= incoming->bytes);
    if (incoming->n_slots > 0)
        cost_ps += adigm_layout_unpack(&incoming->layout,
                                       incoming->slots[incoming->n_taken++ % incoming->n_slots],
                                       len_bytes);
    is_last = incoming->received_bytes == incoming->bytes;
    if (cost_ps > 0 && adigm_rndv_may_put_off(incoming)) {
        adigm_rndv_put_off(incoming, cost_ps, is_last);
        return MPI_SUCCESS;
    }
    if (cost_ps > 0)
        gmsim_work(cost_ps);
    return adigm_rndv_took(incoming, is_last);
}

static int adigm_rndv_fin_cb(void *am_hdr, void *data, MPI_Aint data_sz, uint32_t attr,
                             MPIR_Request ** req)
{
    const adigm_fin_t *fin = am_hdr;
    return adigm_rndv_arrived(fin->incoming, fin->len_bytes);
}

/* ---- receiver: match ---- */

static void adigm_rndv_read_completed(adigm_put_t * put)
{
    adigm_incoming_t *incoming = ((adigm_read_t *) put)->incoming;
    const MPIR_Request *rreq = incoming->rreq;
    adigm_done_t done = {.sreq_ptr = MPIDIG_REQUEST(rreq, req->rreq.peer_req_ptr) };
    MPL_free(put);
    if (adigm_am_send(rreq->comm, MPIDIG_REQUEST(rreq, u.recv.source), ADIGM_CONTROL_LABEL,
                      adigm.done_handler, &done, sizeof(done), NULL, 0, MPI_BYTE,
                      NULL) != MPI_SUCCESS ||
        adigm_rndv_arrived(incoming, incoming->bytes) != MPI_SUCCESS)
        gmsim_fatal("MPI: out of memory");
}

/* Read the data of an offer into the user's buffer. Returns 0 if this is impossible. */
static int adigm_rndv_read(adigm_incoming_t * incoming, const adigm_offer_t * offer)
{
    adigm_read_t *read;
    adigm_flow_t *flow;
    if (!incoming->is_direct)
        return 0;
    flow = adigm_net_flow(adigm_rndv_sender(incoming->rreq), (unsigned) offer->label);
    /* the requests for the data must not use bandwidth that was reserved for other messages */
    if (adigm_net_is_reserved(flow))
        return 0;
    read = MPL_calloc(1, sizeof(*read), MPL_MEM_OTHER);
    if (read == NULL)
        return 0;
    read->incoming = incoming;
    read->super.is_get = 1;
    read->super.source = incoming->layout.address;
    read->super.target = offer->source;
    read->super.left_bytes = (size_t) incoming->bytes;
    read->super.completed = adigm_rndv_read_completed;
    adigm_net_put(flow, &read->super);
    return 1;
}

/* Handle a receive that has matched a ready-to-send message. */
static int adigm_rndv_matched(MPIR_Request * rreq, int is_reserved, const adigm_offer_t * offer)
{
    int mpi_errno = MPI_SUCCESS;
    adigm_incoming_t *incoming = MPL_calloc(1, sizeof(*incoming), MPL_MEM_OTHER);
    MPIR_ERR_CHKANDJUMP(incoming == NULL, mpi_errno, MPI_ERR_OTHER, "**nomem");
    incoming->rreq = rreq;
    incoming->is_reserved = is_reserved;
    if (adigm.rndv_overhead_ps)
        gmsim_work(adigm.rndv_overhead_ps);
    /* if the message is truncated, MPICH has already recorded the error */
    adigm_layout_init(&incoming->layout, MPIDIG_REQUEST(rreq, buffer),
                      MPIDIG_REQUEST(rreq, count), MPIDIG_REQUEST(rreq, datatype),
                      MPIDIG_recv_in_data_sz(rreq));
    incoming->bytes = incoming->layout.bytes;
    incoming->n_chunks = adigm_rndv_chunks(incoming->bytes);
    incoming->n_granted = incoming->n_chunks;
    incoming->is_direct = incoming->layout.is_contig && incoming->bytes > 0 &&
        adigm_register(incoming->layout.address, incoming->bytes);
    if (offer && adigm_rndv_read(incoming, offer))
        goto fn_exit;
    if (incoming->is_direct || incoming->bytes == 0 ||
        (waiting.incoming_head == NULL && adigm_rndv_lend(incoming)))
        mpi_errno = adigm_rndv_clear(incoming);
    else
        adigm_rndv_wait_to_receive(incoming);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int adigm_rndv_matched_cb(MPIR_Request * rreq)
{
    return adigm_rndv_matched(rreq, 0, NULL);
}

static int adigm_rndv_matched_reserved_cb(MPIR_Request * rreq)
{
    return adigm_rndv_matched(rreq, 1, NULL);
}

static int adigm_rndv_matched_offer_cb(MPIR_Request * rreq)
{
    return adigm_rndv_matched(rreq, 0, MPIDIG_REQUEST(rreq, rndv_hdr));
}

void adigm_rndv_open(void)
{
    adigm.cts_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_cts_cb);
    adigm.fin_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_fin_cb);
    adigm.grant_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_grant_cb);
    adigm.done_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_done_cb);
    MPIR_Assert(adigm.cts_handler >= 0 && adigm.fin_handler >= 0 && adigm.grant_handler >= 0 &&
                adigm.done_handler >= 0);
    MPIDIG_am_rndv_reg_cb(MPIDIG_RNDV_GM, adigm_rndv_matched_cb);
    MPIDIG_am_rndv_reg_cb(MPIDIG_RNDV_GM_RESERVED, adigm_rndv_matched_reserved_cb);
    MPIDIG_am_rndv_reg_cb(ADIGM_RNDV_OFFER, adigm_rndv_matched_offer_cb);
    adigm_pool_open(&send_pool);
    adigm_pool_open(&receive_pool);
}

void adigm_rndv_close(void)
{
    MPIR_Assert(waiting.outgoing_head == NULL && waiting.incoming_head == NULL);
    adigm_pool_close(&send_pool);
    adigm_pool_close(&receive_pool);
}
