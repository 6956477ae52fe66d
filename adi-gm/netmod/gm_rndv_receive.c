/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the receiving side of the rendezvous of long messages. gm_rndv.c describes the
 * protocol.
 */
#include "gm_impl.h"
#include "gm_chunk.h"
#include "gm_register.h"
#include "gm_rndv.h"
#include "gm_work.h"

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

/* Messages that wait for a slot, in the order of their arrival. */
static struct {
    adigm_incoming_t *head, *tail;
} waiting;

static adigm_pool_t receive_pool;

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
    while (waiting.head && adigm_pool_has(&receive_pool)) {
        adigm_incoming_t *incoming = waiting.head;
        waiting.head = incoming->next_waiting;
        if (waiting.head == NULL)
            waiting.tail = NULL;
        adigm_rndv_lend(incoming);
        if (adigm_rndv_clear(incoming) != MPI_SUCCESS)
            gmsim_fatal("MPI: out of memory");
    }
}

static void adigm_rndv_wait_to_receive(adigm_incoming_t * incoming)
{
    incoming->next_waiting = NULL;
    if (waiting.tail)
        waiting.tail->next_waiting = incoming;
    else
        waiting.head = incoming;
    waiting.tail = incoming;
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

/* Discard the state of a message that cannot be answered. */
static void adigm_rndv_discard(adigm_incoming_t * incoming)
{
    if (incoming->is_direct)
        adigm_deregister(incoming->layout.address, incoming->bytes);
    for (unsigned i = 0; i < incoming->n_slots; i++)
        adigm_pool_give(&receive_pool, incoming->slots[i]);
    MPL_free(incoming);
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
        (waiting.head == NULL && adigm_rndv_lend(incoming)))
        mpi_errno = adigm_rndv_clear(incoming);
    else
        adigm_rndv_wait_to_receive(incoming);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    if (incoming)
        adigm_rndv_discard(incoming);
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

void adigm_rndv_open_receiver(void)
{
    adigm.fin_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_fin_cb);
    MPIR_Assert(adigm.fin_handler >= 0);
    MPIDIG_am_rndv_reg_cb(MPIDIG_RNDV_GM, adigm_rndv_matched_cb);
    MPIDIG_am_rndv_reg_cb(MPIDIG_RNDV_GM_RESERVED, adigm_rndv_matched_reserved_cb);
    MPIDIG_am_rndv_reg_cb(ADIGM_RNDV_OFFER, adigm_rndv_matched_offer_cb);
    adigm_pool_open(&receive_pool);
}

void adigm_rndv_close_receiver(void)
{
    MPIR_Assert(waiting.head == NULL);
    adigm_pool_close(&receive_pool);
}

size_t adigm_rndv_receive_pool_bytes(void)
{
    return (size_t) receive_pool.n_made * (size_t) adigm.pipeline_bytes;
}
