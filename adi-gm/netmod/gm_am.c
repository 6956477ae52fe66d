/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active messages over GM messages. One that is longer than a GM message goes in several parts of
 * the same flow; a flow finishes one before it starts the next, so (source, label) names the one
 * that is being put together.
 */
#include "gm_impl.h"

/* An active message in a flow's queue. The user's data stay where they are until the last part
 * is written. */
typedef struct adigm_am_send {
    adigm_send_t super;
    adigm_wire_t wire;
    const void *data;
    MPI_Aint count;
    MPI_Datatype datatype;
    int is_contig;              /* data then points to the first byte */
    MPI_Aint offset;            /* payload bytes written */
    MPIR_Request *sreq;
    uint64_t am_hdr[];          /* wire.am_hdr_bytes bytes */
} adigm_am_send_t;

/* An active message of which parts are missing. */
typedef struct adigm_partial {
    struct adigm_partial *next;
    unsigned label;
    MPIR_Request *rreq;         /* NULL: the handler does not want the data */
    uint64_t left_bytes;
    char *collected;            /* parts that can only be unpacked together, or NULL */
    uint64_t n_collected;
} adigm_partial_t;

static adigm_partial_t **partials;      /* by source rank */

void adigm_am_open(void)
{
    partials = MPL_calloc(MPIR_Process.size, sizeof(*partials), MPL_MEM_OTHER);
    MPIR_Assert(partials);
}

void adigm_am_close(void)
{
    MPL_free(partials);
    partials = NULL;
}

static size_t adigm_am_pad(size_t bytes)
{
    return (bytes + 7) & ~(size_t) 7;
}

size_t adigm_am_head_bytes(size_t am_hdr_sz)
{
    return sizeof(adigm_wire_t) + adigm_am_pad(am_hdr_sz);
}

/* Control messages cost what GM costs, nothing more. */
static void adigm_am_charge(unsigned label, int handler, uint64_t copied_bytes)
{
    uint64_t cost_ps = copied_bytes * adigm.copy_ps_per_byte;
    if (label != ADIGM_CONTROL_LABEL && handler != adigm.fin_handler)
        cost_ps += adigm.overhead_ps;
    if (cost_ps)
        gmsim_compute(cost_ps);
}

/* ---- sending ---- */

static MPI_Aint adigm_am_copy_out(adigm_am_send_t * am, void *out, MPI_Aint room)
{
    MPI_Aint n = MPL_MIN(room, (MPI_Aint) am->wire.payload_bytes - am->offset);
    if (n == 0)
        return 0;
    if (am->is_contig)
        memcpy(out, (const char *) am->data + am->offset, n);
    else
        MPIR_Typerep_pack(am->data, am->count, am->datatype, am->offset, out, n, &n);
    MPIR_Assert(n > 0);
    am->offset += n;
    return n;
}

static size_t adigm_am_fill(adigm_send_t * send, void *buffer, int *is_last_p)
{
    adigm_am_send_t *am = (adigm_am_send_t *) send;
    adigm_wire_t *wire = buffer;
    int is_first = am->wire.kind != ADIGM_WIRE_NEXT;
    size_t head_bytes = sizeof(adigm_wire_t);
    if (is_first)
        head_bytes += am->wire.am_hdr_bytes;
    MPI_Aint n = adigm_am_copy_out(am, (char *) buffer + head_bytes,
                                   (MPI_Aint) (ADIGM_MESSAGE_BYTES - head_bytes));
    *is_last_p = am->offset == (MPI_Aint) am->wire.payload_bytes;
    /* a barrier's message is as whole as it can be */
    if (is_first && !*is_last_p)
        am->wire.kind = ADIGM_WIRE_FIRST;
    *wire = am->wire;
    if (is_first)
        memcpy(wire + 1, am->am_hdr, am->wire.am_hdr_bytes);
    if (is_first)
        adigm_am_charge(wire->label, wire->handler, (uint64_t) n);
    else
        gmsim_compute((uint64_t) n * adigm.copy_ps_per_byte);
    am->wire.kind = ADIGM_WIRE_NEXT;
    am->wire.am_hdr_bytes = 0;
    return head_bytes + (size_t) n;
}

static void adigm_am_posted(adigm_send_t * send)
{
    adigm_am_send_t *am = (adigm_am_send_t *) send;
    if (am->sreq && MPIDIG_global.origin_cbs[am->wire.handler])
        MPIDIG_global.origin_cbs[am->wire.handler] (am->sreq);
    MPIR_Datatype_release_if_not_builtin(am->datatype);
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
    am->wire.source = (uint16_t) MPIR_Process.rank;
    am->datatype = MPI_BYTE;
    am->is_contig = 1;
    return am;
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
        MPIR_Datatype *dt_ptr;
        MPI_Aint true_lb, size;
        int is_contig;
        MPIDI_Datatype_get_info(count, datatype, is_contig, size, dt_ptr, true_lb);
        am->wire.payload_bytes = (uint64_t) size;
        am->is_contig = is_contig;
        am->data = is_contig ? MPIR_get_contig_ptr(data, true_lb) : data;
        am->count = count;
        am->datatype = datatype;
        MPIR_Datatype_add_ref_if_not_builtin(datatype);
    }
    adigm.n_empty_passes = 0;
    adigm_flow_t *flow = adigm_net_flow(adigm_world_rank(comm, rank), label);
    if (handler_id == adigm.fin_handler)
        adigm_net_send_behind_puts(flow, &am->super);
    else
        adigm_net_send(flow, &am->super);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

void adigm_am_send_barrier(int world_rank, int round)
{
    adigm_am_send_t *am = adigm_am_create(ADIGM_WIRE_BARRIER, round, ADIGM_CONTROL_LABEL, 0);
    MPIR_Assert(am);
    adigm.n_empty_passes = 0;
    adigm_net_send(adigm_net_flow(world_rank, ADIGM_CONTROL_LABEL), &am->super);
}

/* ---- receiving ---- */

static adigm_partial_t **adigm_am_find_partial(const adigm_wire_t * wire)
{
    adigm_partial_t **partial_p = &partials[wire->source];
    while (*partial_p && (*partial_p)->label != wire->label)
        partial_p = &(*partial_p)->next;
    return partial_p;
}

/* Returns 1 when the request has all its data. */
static int adigm_am_copy_in(adigm_partial_t * partial, void *payload, size_t len)
{
    if (partial->rreq == NULL)
        return 0;
    if (partial->collected == NULL)
        return MPIDIG_recv_copy_seg(payload, (MPI_Aint) len, partial->rreq);
    memcpy(partial->collected + partial->n_collected, payload, len);
    partial->n_collected += len;
    if (partial->left_bytes > 0)
        return 0;
    MPIDIG_recv_copy(partial->collected, partial->rreq);
    return 1;
}

static void adigm_am_take_part(adigm_partial_t ** partial_p, void *payload, size_t len)
{
    adigm_partial_t *partial = *partial_p;
    MPIR_Assert(partial && len <= partial->left_bytes);
    MPIR_Request *rreq = partial->rreq;
    partial->left_bytes -= len;
    int is_done = adigm_am_copy_in(partial, payload, len);
    if (is_done)
        partial->rreq = NULL;
    /* unlinked first: the handler may send, and never comes back here */
    if (partial->left_bytes == 0) {
        *partial_p = partial->next;
        MPL_free(partial->collected);
        MPL_free(partial);
    }
    if (is_done)
        MPIDIG_REQUEST(rreq, req->target_cmpl_cb) (rreq);
}

/* Prepare a request for parts. MPICH's datatype engine unpacks whole basic elements only, and a
 * part may end inside of one: where the data are not simply copied, they are collected first. */
static void adigm_am_prepare(adigm_partial_t * partial)
{
    MPIR_Request *rreq = partial->rreq;
    if (MPIDIG_REQUEST(rreq, req->recv_async).recv_type == MPIDIG_RECV_DATATYPE) {
        int is_contig, is_gpu;
        MPI_Aint size;
        void *data;
        MPIDI_Datatype_check_contig_size(MPIDIG_REQUEST(rreq, datatype),
                                         MPIDIG_REQUEST(rreq, count), is_contig, size);
        if (is_contig && !rreq->status.MPI_ERROR) {
            /* makes it a plain copy */
            MPIDIG_get_recv_data(&is_contig, &is_gpu, &data, &size, rreq);
        } else {
            partial->collected = MPL_malloc(partial->left_bytes, MPL_MEM_OTHER);
            MPIR_Assert(partial->collected);
            return;
        }
    }
    MPIDIG_recv_setup(rreq);
}

static void adigm_am_take_first(const adigm_wire_t * wire, void *am_hdr, void *payload, size_t len)
{
    adigm_partial_t **partial_p = adigm_am_find_partial(wire);
    MPIR_Assert(*partial_p == NULL);
    adigm_partial_t *partial = MPL_calloc(1, sizeof(*partial), MPL_MEM_OTHER);
    MPIR_Assert(partial);
    partial->label = wire->label;
    partial->left_bytes = wire->payload_bytes;
    *partial_p = partial;
    MPIDIG_global.target_msg_cbs[wire->handler] (am_hdr, NULL, (MPI_Aint) wire->payload_bytes,
                                                 MPIDIG_AM_ATTR__IS_ASYNC, &partial->rreq);
    if (partial->rreq)
        adigm_am_prepare(partial);
    adigm_am_take_part(partial_p, payload, len);
}

void adigm_am_deliver(void *message, size_t len_bytes)
{
    adigm_wire_t *wire = message;
    char *am_hdr = (char *) (wire + 1);
    MPIR_Assert(len_bytes >= sizeof(*wire) + wire->am_hdr_bytes);
    char *payload = am_hdr + wire->am_hdr_bytes;
    size_t len = len_bytes - sizeof(*wire) - wire->am_hdr_bytes;

    switch ((adigm_wire_kind_t) wire->kind) {
        case ADIGM_WIRE_WHOLE:
            adigm_am_charge(wire->label, wire->handler, len);
            MPIDIG_global.target_msg_cbs[wire->handler] (am_hdr, payload, (MPI_Aint) len, 0, NULL);
            break;
        case ADIGM_WIRE_FIRST:
            adigm_am_charge(wire->label, wire->handler, len);
            adigm_am_take_first(wire, am_hdr, payload, len);
            break;
        case ADIGM_WIRE_NEXT:
            gmsim_compute(len * adigm.copy_ps_per_byte);
            adigm_am_take_part(adigm_am_find_partial(wire), payload, len);
            break;
        case ADIGM_WIRE_BARRIER:
            adigm.barrier_arrived[wire->handler]++;
            break;
    }
}
