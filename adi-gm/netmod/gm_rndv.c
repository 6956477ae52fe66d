/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rendezvous of long contiguous messages:
 *
 *   sender                            receiver
 *     ready to send   -- label L -->    match, register the user's buffer
 *                     <-- label 0 --  clear to send (address, bytes)
 *     register, put   == label L ==>    (no event)
 *     finished        -- label L -->    release, complete
 *     put acknowledged: release, complete
 *
 * Ready to send is MPICH's own send message with our rendezvous id, in order with the eager
 * messages of the communicator. Finished is behind the put in its flow, so the data are there when
 * it arrives. Where a side is not contiguous, MPICH's generic rendezvous takes over, which packs.
 */
#include "gm_impl.h"

typedef struct adigm_cts {
    MPIR_Request *sreq_ptr;
    MPIR_Request *rreq_ptr;
    gm_remote_ptr_t target;
    MPI_Aint len_bytes;
} adigm_cts_t;

typedef struct adigm_fin {
    MPIR_Request *rreq_ptr;
    MPI_Aint len_bytes;         /* -1: nothing was put, use the generic rendezvous */
} adigm_fin_t;

typedef struct adigm_rndv_put {
    adigm_put_t super;
    MPIR_Request *sreq;
} adigm_rndv_put_t;

size_t adigm_rndv_cts_bytes(void)
{
    return adigm_am_head_bytes(sizeof(adigm_cts_t));
}

size_t adigm_rndv_fin_bytes(void)
{
    return adigm_am_head_bytes(sizeof(adigm_fin_t));
}

/* Register a buffer of a request. Returns 0 if GM cannot. */
static int adigm_rndv_register(MPIR_Request * req, void *address, MPI_Aint len_bytes)
{
    if (len_bytes > 0) {
        gm_status_t status = gm_register_memory(adigm_net_port(), address, (gm_size_t) len_bytes);
        if (status != GM_SUCCESS)
            return 0;
        MPIDIG_REQUEST(req, netmod_am.gm).address = address;
        MPIDIG_REQUEST(req, netmod_am.gm).len_bytes = len_bytes;
    }
    return 1;
}

static void adigm_rndv_deregister(MPIR_Request * req)
{
    MPIDI_GM_am_request_t *am = &MPIDIG_REQUEST(req, netmod_am.gm);
    if (am->address)
        gm_deregister_memory(adigm_net_port(), am->address, (gm_size_t) am->len_bytes);
    am->address = NULL;
}

/* ---- sender ---- */

static int adigm_rndv_isend(const void *buf, MPI_Aint count, MPI_Datatype datatype,
                            MPI_Aint data_sz, int rank, int tag, MPIR_Comm * comm,
                            int context_offset, uint8_t flags, MPIR_Errflag_t errflag,
                            MPIR_Request ** req_p)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Request *sreq = *req_p;
    MPIDIG_hdr_t hdr;

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
    MPIDIG_REQUEST(sreq, netmod_am.gm).address = NULL;
    MPIR_Datatype_add_ref_if_not_builtin(datatype);
    if (flags & MPIDIG_AM_SEND_FLAGS_SYNC) {
        int before;
        MPIR_cc_incr(sreq->cc_ptr, &before);    /* for the acknowledgement of the match */
    }

    memset(&hdr, 0, sizeof(hdr));
    hdr.src_rank = comm->rank;
    hdr.tag = tag;
    hdr.context_id = comm->context_id + context_offset;
    hdr.error_bits = errflag;
    hdr.sreq_ptr = sreq;
    hdr.flags = flags;
    hdr.data_sz = data_sz;
    MPIDIG_AM_SEND_SET_RNDV(hdr.flags, MPIDIG_RNDV_GM);
    mpi_errno = adigm_am_send(comm, rank, adigm_comm_label(comm), MPIDIG_SEND, &hdr, sizeof(hdr),
                              NULL, 0, MPI_BYTE, NULL);
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
    int is_contig;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    MPIDI_Datatype_check_contig_size(datatype, count, is_contig, data_sz);
    if (is_contig && data_sz > adigm.eager_bytes)
        mpi_errno = adigm_rndv_isend(buf, count, datatype, data_sz, rank, tag, comm,
                                     context_offset, flags, errflag, req_p);
    else
        mpi_errno = MPIDIG_isend_impl(buf, count, datatype, rank, tag, comm, context_offset, addr,
                                      flags, 0, 0, req_p, errflag);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    return mpi_errno;
}

static void adigm_rndv_put_completed(adigm_put_t * put)
{
    MPIR_Request *sreq = ((adigm_rndv_put_t *) put)->sreq;
    MPL_free(put);
    adigm_rndv_deregister(sreq);
    MPIR_Datatype_release_if_not_builtin(MPIDIG_REQUEST(sreq, datatype));
    MPID_Request_complete(sreq);
}

static int adigm_rndv_send_fin(MPIR_Request * sreq, MPIR_Request * rreq_ptr, MPI_Aint len_bytes)
{
    adigm_fin_t fin = {.rreq_ptr = rreq_ptr,.len_bytes = len_bytes };
    return adigm_am_send(sreq->comm, MPIDIG_REQUEST(sreq, u.send.dest),
                         adigm_comm_label(sreq->comm), adigm.fin_handler, &fin, sizeof(fin),
                         NULL, 0, MPI_BYTE, NULL);
}

static int adigm_rndv_cts_cb(void *am_hdr, void *data, MPI_Aint data_sz, uint32_t attr,
                             MPIR_Request ** req)
{
    int mpi_errno = MPI_SUCCESS;
    const adigm_cts_t *cts = am_hdr;
    MPIR_Request *sreq = cts->sreq_ptr;
    adigm_rndv_put_t *put = NULL;
    MPIR_Datatype *dt_ptr;
    MPI_Aint size, true_lb;
    int is_contig;

    MPIDI_Datatype_get_info(MPIDIG_REQUEST(sreq, count), MPIDIG_REQUEST(sreq, datatype),
                            is_contig, size, dt_ptr, true_lb);
    MPIR_Assert(is_contig && cts->len_bytes <= size);
    char *source = MPIR_get_contig_ptr(MPIDIG_REQUEST(sreq, buffer), true_lb);
    if (!adigm_rndv_register(sreq, source, cts->len_bytes)) {
        mpi_errno = adigm_rndv_send_fin(sreq, cts->rreq_ptr, -1);
        goto fn_exit;
    }
    put = MPL_calloc(1, sizeof(*put), MPL_MEM_OTHER);
    MPIR_ERR_CHKANDJUMP(put == NULL, mpi_errno, MPI_ERR_OTHER, "**nomem");
    put->sreq = sreq;
    put->super.source = source;
    put->super.target = cts->target;
    put->super.left_bytes = (size_t) cts->len_bytes;
    put->super.completed = adigm_rndv_put_completed;
    if (cts->len_bytes > 0)
        adigm_net_put(adigm_net_flow(adigm_world_rank(sreq->comm,
                                                      MPIDIG_REQUEST(sreq, u.send.dest)),
                                     adigm_comm_label(sreq->comm)), &put->super);
    mpi_errno = adigm_rndv_send_fin(sreq, cts->rreq_ptr, cts->len_bytes);
    MPIR_ERR_CHECK(mpi_errno);
    if (cts->len_bytes == 0)
        adigm_rndv_put_completed(&put->super);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* ---- receiver ---- */

/* A ready-to-send message has met its receive. */
static int adigm_rndv_matched_cb(MPIR_Request * rreq)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Datatype *dt_ptr;
    MPI_Aint size, true_lb;
    int is_contig;

    MPIDIG_REQUEST(rreq, netmod_am.gm).address = NULL;
    MPIDI_Datatype_get_info(MPIDIG_REQUEST(rreq, count), MPIDIG_REQUEST(rreq, datatype),
                            is_contig, size, dt_ptr, true_lb);
    adigm_cts_t cts = {
        .sreq_ptr = MPIDIG_REQUEST(rreq, req->rreq.peer_req_ptr),
        .rreq_ptr = rreq,
        /* MPICH has already noted a truncation */
        .len_bytes = MPL_MIN(size, MPIDIG_recv_in_data_sz(rreq)),
    };
    char *target = MPIR_get_contig_ptr(MPIDIG_REQUEST(rreq, buffer), true_lb);
    if (!is_contig || !adigm_rndv_register(rreq, target, cts.len_bytes)) {
        mpi_errno = MPIDIG_do_cts(rreq);
        MPIR_ERR_CHECK(mpi_errno);
        goto fn_exit;
    }
    cts.target = (gm_remote_ptr_t) (uintptr_t) target;
    mpi_errno = adigm_am_send(rreq->comm, MPIDIG_REQUEST(rreq, u.recv.source),
                              ADIGM_CONTROL_LABEL, adigm.cts_handler, &cts, sizeof(cts),
                              NULL, 0, MPI_BYTE, NULL);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int adigm_rndv_fin_cb(void *am_hdr, void *data, MPI_Aint data_sz, uint32_t attr,
                             MPIR_Request ** req)
{
    const adigm_fin_t *fin = am_hdr;
    MPIR_Request *rreq = fin->rreq_ptr;
    adigm_rndv_deregister(rreq);
    if (fin->len_bytes < 0)
        return MPIDIG_do_cts(rreq);
    gmsim_compute((uint64_t) fin->len_bytes * adigm.rndv_recv_ps_per_byte);
    MPIR_STATUS_SET_COUNT(rreq->status, fin->len_bytes);
    return MPIDIG_REQUEST(rreq, req->target_cmpl_cb) (rreq);
}

void adigm_rndv_open(void)
{
    adigm.cts_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_cts_cb);
    adigm.fin_handler = MPIDIG_am_reg_cb_dynamic(NULL, adigm_rndv_fin_cb);
    MPIR_Assert(adigm.cts_handler >= 0 && adigm.fin_handler >= 0);
    MPIDIG_am_rndv_reg_cb(MPIDIG_RNDV_GM, adigm_rndv_matched_cb);
}
