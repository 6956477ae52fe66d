/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the sending side of the rendezvous of long messages. gm_rndv_receive.c implements the
 * receiving side. If the data are contiguous on both sides:
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
#include "gm_rndv.h"

/* Number of packets that a message requires in addition to its data: the ready-to-send message and
 * the finished message. */
#define ADIGM_RNDV_EXTRA_PACKETS 2u

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

/* Messages that wait for a buffer from the pool, in the order of their arrival. The receiving side
 * has a separate pool. Otherwise, two processes that both send and receive could wait for each
 * other. */
static struct {
    adigm_outgoing_t *head, *tail;
} waiting;

static adigm_pool_t send_pool;

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
    return (size_t) send_pool.n_made * (size_t) adigm.pipeline_bytes +
        adigm_rndv_receive_pool_bytes();
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

/* Discard the state of a message that cannot be announced. */
static void adigm_rndv_discard(adigm_outgoing_t * outgoing)
{
    if (outgoing->registered)
        adigm_deregister(outgoing->registered, outgoing->registered_bytes);
    MPIDIG_REQUEST(outgoing->sreq, netmod_am.gm).address = NULL;
    MPL_free(outgoing);
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
    adigm_outgoing_t *outgoing = NULL;
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
    if (outgoing)
        adigm_rndv_discard(outgoing);
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
    if (waiting.tail)
        waiting.tail->next_waiting = outgoing;
    else
        waiting.head = outgoing;
    waiting.tail = outgoing;
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
    while (waiting.head && adigm_pool_has(&send_pool)) {
        adigm_outgoing_t *outgoing = waiting.head;
        waiting.head = outgoing->next_waiting;
        if (waiting.head == NULL)
            waiting.tail = NULL;
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

void adigm_rndv_open(void)
{
    adigm.cts_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_cts_cb);
    adigm_rndv_open_receiver();
    adigm.grant_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_grant_cb);
    adigm.done_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_done_cb);
    MPIR_Assert(adigm.cts_handler >= 0 && adigm.grant_handler >= 0 && adigm.done_handler >= 0);
    adigm_pool_open(&send_pool);
}

void adigm_rndv_close(void)
{
    MPIR_Assert(waiting.head == NULL);
    adigm_pool_close(&send_pool);
    adigm_rndv_close_receiver();
}
