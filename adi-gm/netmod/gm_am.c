/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends and receives active messages as GM messages. An active message that is longer than a GM
 * message is sent in several parts, all in the same flow. A flow finishes one active message before
 * it starts the next. The pair (source, label) therefore identifies the message that is being
 * assembled.
 */
#include "gm_impl.h"

/* An active message in the queue of a flow. The data remain in the user's buffer until the last
 * part has been sent to GM. */
typedef struct adigm_am_send {
    adigm_send_t super;
    adigm_wire_t wire;
    adigm_layout_t payload;
    MPIR_Request *sreq;
    uint8_t reserved;           /* ADIGM_WIRE_RESERVED or 0 */
    uint64_t am_hdr[];          /* wire.am_hdr_bytes bytes */
} adigm_am_send_t;

/* An active message whose data are arriving. */
typedef struct adigm_partial {
    struct adigm_partial *next;
    unsigned label;
    uint8_t handler;
    MPIR_Request *rreq;         /* NULL: the handler discards the data */
    uint64_t left_bytes;
    struct adigm_kept *kept;    /* data of a message that matched no receive when it arrived, or
                                   NULL */
    int is_matched;             /* 1: a receive has matched the stored message */
    /* 0: MPICH itself copies the data (they are contiguous or a list of blocks) */
    int has_layout;
    adigm_layout_t layout;
} adigm_partial_t;

/* A message in several parts that arrives before its receive is posted. MPICH cannot store such a
 * message, because its buffers are shorter than the longest eager message. It would also return an
 * incorrect length if the receive were posted while the parts are arriving. */
typedef struct adigm_kept {
    adigm_wire_t wire;          /* must be the first field, as in every message; its kind is
                                 * ADIGM_WIRE_KEPT */
    adigm_partial_t *partial;   /* NULL: all parts have arrived */
    char payload[];
} adigm_kept_t;

static adigm_partial_t **partials;      /* one list per source rank of the job */
static unsigned n_partials;

/* Return the list of a source rank. Spawned ranks are added when their first message arrives. */
static adigm_partial_t **adigm_am_partials_of(unsigned source)
{
    if (source >= n_partials) {
        adigm_partial_t **lists = MPL_realloc(partials, (source + 1) * sizeof(*partials),
                                              MPL_MEM_OTHER);
        MPIR_Assert(lists);
        memset(lists + n_partials, 0, (source + 1 - n_partials) * sizeof(*lists));
        partials = lists;
        n_partials = source + 1;
    }
    return &partials[source];
}

void adigm_am_open(void)
{
    (void) adigm_am_partials_of((unsigned) (adigm.first_rank + MPIR_Process.size - 1));
}

void adigm_am_close(void)
{
    MPL_free(partials);
    partials = NULL;
    n_partials = 0;
}

static size_t adigm_am_pad(size_t bytes)
{
    return (bytes + 7) & ~(size_t) 7;
}

size_t adigm_am_head_bytes(size_t am_hdr_sz)
{
    return sizeof(adigm_wire_t) + adigm_am_pad(am_hdr_sz);
}

/* Return 1 if the handler processes acknowledgements of a window. Such messages have no data. */
static int adigm_am_is_window_ack(int handler)
{
    switch (handler) {
        case MPIDIG_PUT_ACK:
        case MPIDIG_PUT_DT_ACK:
        case MPIDIG_ACC_ACK:
        case MPIDIG_ACC_DT_ACK:
        case MPIDIG_GET_ACC_DT_ACK:
        case MPIDIG_WIN_LOCK_ACK:
        case MPIDIG_WIN_UNLOCK_ACK:
        case MPIDIG_WIN_LOCKALL_ACK:
        case MPIDIG_WIN_UNLOCKALL_ACK:
            return 1;
        default:
            return 0;
    }
}

/* Return 1 if a message costs processor time on both sides, in addition to the time for GM and for
 * copying. Control messages have no such cost. */
static int adigm_am_has_overhead(unsigned label, int handler)
{
    return label != ADIGM_CONTROL_LABEL && handler != adigm.fin_handler &&
        handler != adigm.cts_handler && !adigm_am_is_window_ack(handler);
}

/* Return the additional processor time that the receiver of a message needs, or 0 if the message
 * has no such cost. */
static uint64_t adigm_am_receive_overhead_ps(const adigm_wire_t * wire)
{
    return adigm_am_has_overhead(wire->label, wire->handler) ? adigm.receive_overhead_ps : 0;
}

static void adigm_am_charge(uint64_t cost_ps)
{
    if (cost_ps)
        gmsim_work(cost_ps);
}

/* ---- sending ---- */

/* Return the number of data bytes in a GM message whose header has this length. */
static MPI_Aint adigm_am_room(size_t head_bytes)
{
    /* a part must contain more than its header */
    MPI_Aint least = (MPI_Aint) MPL_MIN(2 * head_bytes, ADIGM_MESSAGE_BYTES);
    return MPL_MAX(adigm.part_bytes, least) - (MPI_Aint) head_bytes;
}

/* Write the next n bytes of a message to a GM buffer, and return the cost of the copy. If GM sends
 * the message directly from the user's memory, the sender only looks up the registration of this
 * memory. */
static uint64_t adigm_am_pack(adigm_am_send_t * am, char *out, MPI_Aint n, int is_first)
{
    uint64_t cost_ps = adigm_layout_pack(&am->payload, out, n);
    if (am->payload.is_contig && am->payload.bytes > adigm.direct_bytes)
        cost_ps = is_first ? adigm.lookup_ps : 0;
    return cost_ps;
}

static size_t adigm_am_fill(adigm_send_t * send, void *buffer, int *is_last_p)
{
    adigm_am_send_t *am = (adigm_am_send_t *) send;
    adigm_wire_t *wire = buffer;
    int is_first = am->wire.kind != ADIGM_WIRE_NEXT;
    size_t head_bytes = sizeof(adigm_wire_t);
    uint64_t cost_ps = 0;
    if (is_first) {
        head_bytes += am->wire.am_hdr_bytes;
        cost_ps = adigm_am_has_overhead(am->wire.label, am->wire.handler) ? adigm.overhead_ps : 0;
    }
    MPI_Aint left = (MPI_Aint) am->wire.payload_bytes - am->payload.offset;
    MPI_Aint n = MPL_MIN(left, adigm_am_room(head_bytes));
    if (n > 0)
        cost_ps += adigm_am_pack(am, (char *) buffer + head_bytes, n, is_first);
    *is_last_p = n == left;
    /* a barrier message always has one part and keeps its kind */
    if (is_first && !*is_last_p)
        am->wire.kind = ADIGM_WIRE_FIRST;
    *wire = am->wire;
    wire->kind |= am->reserved;
    if (is_first)
        memcpy(wire + 1, am->am_hdr, am->wire.am_hdr_bytes);
    adigm_am_charge(cost_ps);
    am->wire.kind = ADIGM_WIRE_NEXT;
    am->wire.am_hdr_bytes = 0;
    return head_bytes + (size_t) n;
}

static void adigm_am_posted(adigm_send_t * send)
{
    adigm_am_send_t *am = (adigm_am_send_t *) send;
    if (am->sreq && MPIDIG_global.origin_cbs[am->wire.handler])
        MPIDIG_global.origin_cbs[am->wire.handler] (am->sreq);
    MPIR_Datatype_release_if_not_builtin(am->payload.datatype);
    MPL_free(am);
}

static adigm_am_send_t *adigm_am_create(int kind, int handler, unsigned label, size_t am_hdr_sz)
{
    size_t padded_bytes = adigm_am_pad(am_hdr_sz);
    adigm_am_send_t *am = MPL_calloc(1, sizeof(*am) + padded_bytes, MPL_MEM_OTHER);
    if (am == NULL)
        return NULL;
    am->super.fill = adigm_am_fill;
    am->super.posted = adigm_am_posted;
    am->wire.kind = (uint8_t) kind;
    am->wire.handler = (uint8_t) handler;
    am->wire.am_hdr_bytes = (uint16_t) padded_bytes;
    am->wire.label = (uint16_t) label;
    am->wire.source = (uint16_t) adigm_job_rank();
    am->payload.datatype = MPI_BYTE;
    return am;
}

static void adigm_am_queue(adigm_am_send_t * am, int world_rank, unsigned label)
{
    adigm_flow_t *flow = adigm_net_flow(world_rank, label);
    adigm_empty_passes = 0;
    am->reserved = adigm_net_is_reserved(flow) ? ADIGM_WIRE_RESERVED : 0;
    if (am->wire.handler == adigm.fin_handler)
        adigm_net_send_behind_puts(flow, &am->super);
    else
        adigm_net_send(flow, &am->super);
}

int adigm_am_send_part(MPIR_Comm * comm, int rank, unsigned label, int handler_id,
                       const void *am_hdr, MPI_Aint am_hdr_sz, uint64_t exchange_ps,
                       unsigned exchange_packets)
{
    int mpi_errno = MPI_SUCCESS;
    adigm_am_send_t *am = adigm_am_create(ADIGM_WIRE_WHOLE, handler_id, label, am_hdr_sz);
    MPIR_ERR_CHKANDJUMP(am == NULL, mpi_errno, MPI_ERR_OTHER, "**nomem");
    memcpy(am->am_hdr, am_hdr, am_hdr_sz);
    am->super.exchange_ps = exchange_ps;
    am->super.exchange_packets = exchange_packets;
    adigm_am_queue(am, adigm_world_rank(comm, rank), label);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int adigm_am_send(MPIR_Comm * comm, int rank, unsigned label, int handler_id, const void *am_hdr,
                  MPI_Aint am_hdr_sz, const void *data, MPI_Aint count, MPI_Datatype datatype,
                  MPIR_Request * sreq)
{
    int mpi_errno = MPI_SUCCESS;
    adigm_am_send_t *am = adigm_am_create(ADIGM_WIRE_WHOLE, handler_id, label, am_hdr_sz);
    MPIR_ERR_CHKANDJUMP(am == NULL, mpi_errno, MPI_ERR_OTHER, "**nomem");
    memcpy(am->am_hdr, am_hdr, am_hdr_sz);
    am->sreq = sreq;
    if (count > 0) {
        adigm_layout_init(&am->payload, data, count, datatype, MPIR_AINT_MAX);
        am->wire.payload_bytes = (uint64_t) am->payload.bytes;
        MPIR_Datatype_add_ref_if_not_builtin(datatype);
    }
    adigm_am_queue(am, adigm_world_rank(comm, rank), label);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* An origin waits for the acknowledgements of its accumulate and lock operations. If the target has
 * a reservation to the origin, the acknowledgements use this reservation. As best-effort messages,
 * they would wait behind a flood of other messages. On a flow without a reservation, the
 * acknowledgements would only wait longer, behind the flow's other messages. */
int adigm_am_send_reply(MPIR_Comm * comm, int rank, int handler_id, const void *am_hdr,
                        MPI_Aint am_hdr_sz)
{
    unsigned label = ADIGM_CONTROL_LABEL;
    /* A synchronous send to the calling process itself is complete when its receive is complete.
     * A program may test such a send only once. */
    if (handler_id == MPIDIG_SSEND_ACK && adigm_world_rank(comm, rank) == MPIR_Process.rank) {
        MPIR_Request *none = NULL;
        return MPIDIG_global.target_msg_cbs[handler_id] ((void *) am_hdr, NULL, 0, 0, &none);
    }
    if (adigm_am_is_window_ack(handler_id) &&
        adigm_net_is_reserved(adigm_net_flow(adigm_world_rank(comm, rank), adigm_comm_label(comm))))
        label = adigm_comm_label(comm);
    return adigm_am_send(comm, rank, label, handler_id, am_hdr, am_hdr_sz, NULL, 0, MPI_BYTE, NULL);
}

void adigm_am_send_barrier(int world_rank, int round)
{
    adigm_am_send_t *am = adigm_am_create(ADIGM_WIRE_BARRIER, round, ADIGM_CONTROL_LABEL, 0);
    MPIR_Assert(am);
    adigm_empty_passes = 0;
    adigm_net_send(adigm_net_flow(world_rank, ADIGM_CONTROL_LABEL), &am->super);
}

void adigm_am_send_dynamic(int world_rank, int kind, const void *hdr, size_t hdr_bytes)
{
    adigm_am_send_t *am = adigm_am_create(ADIGM_WIRE_DYNAMIC, kind, ADIGM_CONTROL_LABEL, hdr_bytes);
    MPIR_Assert(am && hdr_bytes <= ADIGM_DYNAMIC_BYTES);
    memcpy(am->am_hdr, hdr, hdr_bytes);
    adigm_empty_passes = 0;
    adigm_net_send(adigm_net_flow(world_rank, ADIGM_CONTROL_LABEL), &am->super);
}

/* ---- receiving ---- */

static adigm_partial_t **adigm_am_find_partial(const adigm_wire_t * wire)
{
    adigm_partial_t **partial_p = adigm_am_partials_of(wire->source);
    while (*partial_p && (*partial_p)->label != wire->label)
        partial_p = &(*partial_p)->next;
    return partial_p;
}

/* Prepare to receive the data of a request that a handler has created. */
static void adigm_am_prepare(adigm_partial_t * partial)
{
    MPIR_Request *rreq = partial->rreq;
    partial->has_layout =
        MPIDIG_REQUEST(rreq, req->recv_async).recv_type == MPIDIG_RECV_DATATYPE;
    if (partial->has_layout)
        adigm_layout_init(&partial->layout, MPIDIG_REQUEST(rreq, buffer),
                          MPIDIG_REQUEST(rreq, count), MPIDIG_REQUEST(rreq, datatype),
                          MPIDIG_recv_in_data_sz(rreq));
    else
        MPIDIG_recv_setup(rreq);
}

static int adigm_am_is_accumulate(uint8_t handler)
{
    return handler == MPIDIG_ACC_REQ || handler == MPIDIG_ACC_DAT_REQ ||
        handler == MPIDIG_GET_ACC_REQ || handler == MPIDIG_GET_ACC_DAT_REQ;
}

/* Let MPICH copy the data. The cost of a list of blocks depends on the number of blocks that this
 * call completes. Returns 1 when all data of the request have arrived. */
static int adigm_am_take_blocks(adigm_partial_t * partial, void *payload, size_t len,
                                uint64_t * cost_ps_p)
{
    MPIDIG_rreq_async_t *async = &MPIDIG_REQUEST(partial->rreq, req->recv_async);
    int n_blocks = async->iov_num;
    int is_listed = async->recv_type == MPIDIG_RECV_IOV;
    int is_done = MPIDIG_recv_copy_seg(payload, (MPI_Aint) len, partial->rreq);
    adigm.n_copied_in_bytes += len;
    *cost_ps_p = len * adigm.receive_copy_ps_per_byte;
    if (is_listed)
        *cost_ps_p += (uint64_t) (n_blocks - async->iov_num + !is_done) * adigm.block_ps;
    return is_done;
}

/* Handle the next len bytes. For an accumulate, the function also charges the cost of reading the
 * data again. Returns 1 when all data of the request have arrived. */
static int adigm_am_take(adigm_partial_t * partial, void *payload, size_t len,
                         uint64_t overhead_ps)
{
    uint64_t cost_ps = 0;
    int is_done = 0;
    MPIR_Assert(len <= partial->left_bytes);
    partial->left_bytes -= len;
    if (partial->kept) {
        adigm_kept_t *kept = partial->kept;
        memcpy(kept->payload + kept->wire.payload_bytes - partial->left_bytes - len, payload, len);
        adigm.n_copied_in_bytes += len;
        cost_ps = len * adigm.receive_copy_ps_per_byte;
    } else if (partial->rreq == NULL) {
        /* the handler discards the data */
    } else if (partial->has_layout) {
        cost_ps = adigm_layout_unpack(&partial->layout, payload, (MPI_Aint) len);
        is_done = partial->left_bytes == 0;
    } else {
        is_done = adigm_am_take_blocks(partial, payload, len, &cost_ps);
    }
    if (adigm_am_is_accumulate(partial->handler))
        cost_ps += len * adigm.copy_ps_per_byte;
    adigm_am_charge(overhead_ps + cost_ps);
    return is_done;
}

void adigm_am_complete(MPIR_Request * rreq, const adigm_layout_t * layout)
{
    if (layout) {
        MPIR_STATUS_SET_COUNT(rreq->status, layout->engine_offset);
        if (!rreq->status.MPI_ERROR && adigm_layout_is_cut(layout))
            rreq->status.MPI_ERROR =
                MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                     MPI_ERR_TYPE, "**dtypemismatch", 0);
    }
    MPIDIG_REQUEST(rreq, req->target_cmpl_cb) (rreq);
}

/* ---- messages in one part ---- */

/* Handle all data of a request in one step. */
static void adigm_am_take_whole(uint8_t handler, MPIR_Request * rreq, void *payload, size_t len,
                                uint64_t overhead_ps)
{
    adigm_partial_t partial;
    partial.kept = NULL;
    partial.handler = handler;
    partial.rreq = rreq;
    partial.left_bytes = len;
    if (rreq)
        adigm_am_prepare(&partial);
    adigm_am_take(&partial, payload, len, overhead_ps);
    if (rreq)
        adigm_am_complete(rreq, partial.has_layout ? &partial.layout : NULL);
}

/* Copy a stored message to the buffer of its receive. */
static void adigm_am_copy_kept(adigm_kept_t * kept, MPIR_Request * rreq)
{
    adigm_am_take_whole(kept->wire.handler, rreq, kept->payload, kept->wire.payload_bytes, 0);
    MPL_free(kept);
}

/* Handle a receive that has matched a stored message. Some parts of the message may not have
 * arrived yet. */
static int adigm_am_match_kept(adigm_kept_t * kept, MPIR_Request * rreq)
{
    if (kept->partial) {
        /* MPICH may have replaced the request of the unexpected message */
        kept->partial->rreq = rreq;
        kept->partial->is_matched = 1;
    } else {
        adigm_am_copy_kept(kept, rreq);
    }
    return MPI_SUCCESS;
}

/* Handle a receive that has matched a message that is still in a GM buffer. */
int adigm_am_copy_held(MPIR_Request * rreq)
{
    MPIDI_GM_am_request_t *held = &MPIDIG_REQUEST(rreq, netmod_am.gm);
    char *message = held->address;
    adigm_wire_t *wire = (adigm_wire_t *) message;
    held->address = NULL;
    if (wire->kind == ADIGM_WIRE_KEPT)
        return adigm_am_match_kept((adigm_kept_t *) message, rreq);
    adigm_am_take_whole(wire->handler, rreq,
                        message + sizeof(*wire) + wire->am_hdr_bytes, wire->payload_bytes, 0);
    adigm_net_give_back(message);
    return MPI_SUCCESS;
}

/*
 * If no receive matches a message yet, the message remains in its GM buffer as long as enough
 * buffers are free. The message is then copied only once, directly to the user's buffer. MPICH
 * treats this method as a transport with its own rendezvous. If too few buffers are free, MPICH
 * stores a copy, and the message is copied twice.
 */
static adigm_delivery_t adigm_am_deliver_whole(void *message, void *am_hdr, void *payload,
                                               size_t len)
{
    adigm_wire_t *wire = message;
    MPIR_Request *rreq = NULL;
    uint64_t overhead_ps = adigm_am_receive_overhead_ps(wire);
    uint32_t attr = MPIDIG_AM_ATTR__IS_ASYNC;
    if (len == 0) {
        adigm_am_charge(overhead_ps);
        MPIDIG_global.target_msg_cbs[wire->handler] (am_hdr, payload, 0, 0, NULL);
        return ADIGM_DELIVERED;
    }
    if (wire->handler == MPIDIG_SEND && adigm_net_may_keep())
        attr |= MPIDIG_AM_ATTR__IS_RNDV;
    MPIDIG_global.target_msg_cbs[wire->handler] (am_hdr, NULL, (MPI_Aint) len, attr, &rreq);
    if (rreq && wire->handler == MPIDIG_SEND &&
        (MPIDIG_REQUEST(rreq, req->status) & MPIDIG_REQ_UNEXPECTED)) {
        if (attr & MPIDIG_AM_ATTR__IS_RNDV) {
            adigm_am_charge(overhead_ps);
            MPIDIG_REQUEST(rreq, netmod_am.gm).address = message;
            return ADIGM_KEPT;
        }
        adigm.n_copied_in_bytes += len;
        overhead_ps += len * adigm.receive_copy_ps_per_byte;
    }
    adigm_am_take_whole(wire->handler, rreq, payload, len, overhead_ps);
    return ADIGM_DELIVERED;
}

/* ---- messages in several parts ---- */

/* All parts of a stored message have arrived. */
static void adigm_am_end_kept(adigm_partial_t ** partial_p)
{
    adigm_partial_t *partial = *partial_p;
    *partial_p = partial->next;
    partial->kept->partial = NULL;
    if (partial->is_matched)
        adigm_am_copy_kept(partial->kept, partial->rreq);
    MPL_free(partial);
}

/* Store the data of a message that no receive matches yet. */
static void adigm_am_keep(adigm_partial_t * partial, const adigm_wire_t * wire)
{
    adigm_kept_t *kept = MPL_malloc(sizeof(*kept) + wire->payload_bytes, MPL_MEM_OTHER);
    MPIR_Assert(kept);
    kept->wire = *wire;
    kept->wire.kind = ADIGM_WIRE_KEPT;
    kept->wire.am_hdr_bytes = 0;
    kept->partial = partial;
    partial->kept = kept;
    MPIDIG_REQUEST(partial->rreq, netmod_am.gm).address = kept;
}

static void adigm_am_take_part(adigm_partial_t ** partial_p, void *payload, size_t len,
                               uint64_t overhead_ps)
{
    adigm_partial_t *partial = *partial_p;
    MPIR_Assert(partial);
    MPIR_Request *rreq = partial->rreq;
    int is_done = adigm_am_take(partial, payload, len, overhead_ps);
    if (partial->left_bytes > 0 && !is_done)
        return;
    if (partial->kept) {
        adigm_am_end_kept(partial_p);
        return;
    }
    partial->rreq = NULL;
    /* unlink the message first, because the handler may send messages */
    int is_over = partial->left_bytes == 0;
    if (is_over)
        *partial_p = partial->next;
    if (is_done)
        adigm_am_complete(rreq, partial->has_layout ? &partial->layout : NULL);
    if (is_over)
        MPL_free(partial);
}

static void adigm_am_take_first(const adigm_wire_t * wire, void *am_hdr, void *payload, size_t len)
{
    adigm_partial_t **partial_p = adigm_am_find_partial(wire);
    MPIR_Assert(*partial_p == NULL);
    adigm_partial_t *partial = MPL_calloc(1, sizeof(*partial), MPL_MEM_OTHER);
    MPIR_Assert(partial);
    partial->label = wire->label;
    partial->handler = wire->handler;
    partial->left_bytes = wire->payload_bytes;
    *partial_p = partial;
    uint32_t attr = MPIDIG_AM_ATTR__IS_ASYNC;
    if (wire->handler == MPIDIG_SEND)
        attr |= MPIDIG_AM_ATTR__IS_RNDV;
    MPIDIG_global.target_msg_cbs[wire->handler] (am_hdr, NULL, (MPI_Aint) wire->payload_bytes,
                                                 attr, &partial->rreq);
    if (partial->rreq && (attr & MPIDIG_AM_ATTR__IS_RNDV) &&
        (MPIDIG_REQUEST(partial->rreq, req->status) & MPIDIG_REQ_UNEXPECTED))
        adigm_am_keep(partial, wire);
    else if (partial->rreq)
        adigm_am_prepare(partial);
    adigm_am_take_part(partial_p, payload, len,
                       adigm_am_receive_overhead_ps(wire));
}

adigm_delivery_t adigm_am_deliver(void *message, size_t len_bytes)
{
    adigm_wire_t *wire = message;
    char *am_hdr = (char *) (wire + 1);
    MPIR_Assert(len_bytes >= sizeof(*wire) + wire->am_hdr_bytes);
    char *payload = am_hdr + wire->am_hdr_bytes;
    size_t len = len_bytes - sizeof(*wire) - wire->am_hdr_bytes;

    adigm.delivered = ADIGM_DELIVERED_OTHER;
    if (wire->kind & ADIGM_WIRE_RESERVED) {
        adigm.delivered = ADIGM_DELIVERED_RESERVED;
        adigm.serves_reserved = 1;
    }
    switch ((adigm_wire_kind_t) (wire->kind & ~ADIGM_WIRE_RESERVED)) {
        case ADIGM_WIRE_WHOLE:
            return adigm_am_deliver_whole(message, am_hdr, payload, len);
        case ADIGM_WIRE_FIRST:
            adigm_am_take_first(wire, am_hdr, payload, len);
            break;
        case ADIGM_WIRE_NEXT:
            adigm_am_take_part(adigm_am_find_partial(wire), payload, len, 0);
            break;
        case ADIGM_WIRE_BARRIER:
            adigm.barrier_arrived[wire->handler]++;
            break;
        case ADIGM_WIRE_DYNAMIC:
            adigm_connect_take(wire->source, wire->handler, am_hdr, wire->am_hdr_bytes);
            break;
        case ADIGM_WIRE_KEPT:
            MPIR_Assert(0);
            break;
    }
    return ADIGM_DELIVERED;
}
