/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines those functions of the gm netmod that MPICH can inline in other configurations. Only
 * func_table.c includes this file. Each of these functions calls either a function in a source
 * file or MPICH's generic code.
 */
#ifndef NETMOD_INLINE_H_INCLUDED
#define NETMOD_INLINE_H_INCLUDED

#include "gm_impl.h"
#include "netmod_am_fallback_recv.h"
#include "netmod_am_fallback_probe.h"
/* Keep MPICH's active-message functions under other names, for operations that the NIC does not
 * support. */
#define MPIDI_NM_mpi_put adigm_am_put
#define MPIDI_NM_mpi_get adigm_am_get
#define MPIDI_NM_mpi_rput adigm_am_rput
#define MPIDI_NM_mpi_rget adigm_am_rget
#include "netmod_am_fallback_rma.h"
#undef MPIDI_NM_mpi_put
#undef MPIDI_NM_mpi_get
#undef MPIDI_NM_mpi_rput
#undef MPIDI_NM_mpi_rget
#include "netmod_am_fallback_coll.h"
#include "netmod_am_fallback_part.h"

/* An unexpected eager message is stored in a cell of MPIR_CVAR_CH4_AM_PACK_BUFFER_SIZE bytes. */
#define ADIGM_HDR_MAX_BYTES 4096

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_progress(int vci, int blocking)
{
    return adigm_progress(blocking);
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_am_send_hdr(int rank, MPIR_Comm * comm, int handler_id,
                                                  const void *am_hdr, MPI_Aint am_hdr_sz,
                                                  int src_vci, int dst_vci)
{
    return adigm_am_send(comm, rank, adigm_comm_label(comm), handler_id, am_hdr, am_hdr_sz,
                         NULL, 0, MPI_BYTE, NULL);
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_am_isend(int rank, MPIR_Comm * comm, int handler_id,
                                               const void *am_hdr, MPI_Aint am_hdr_sz,
                                               const void *data, MPI_Aint count,
                                               MPI_Datatype datatype, int src_vci, int dst_vci,
                                               MPIR_Request * sreq)
{
    return adigm_am_send(comm, rank, adigm_comm_label(comm), handler_id, am_hdr, am_hdr_sz,
                         data, count, datatype, sreq);
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_am_send_hdr_reply(MPIR_Comm * comm, int src_rank,
                                                        int handler_id, const void *am_hdr,
                                                        MPI_Aint am_hdr_sz, int src_vci,
                                                        int dst_vci)
{
    return adigm_am_send_reply(comm, src_rank, handler_id, am_hdr, am_hdr_sz);
}

/* A reply with data must remain in order with the other traffic of the communicator. For example,
 * the data of a put with a derived datatype are such a reply. */
MPL_STATIC_INLINE_PREFIX int MPIDI_NM_am_isend_reply(MPIR_Comm * comm, int src_rank, int handler_id,
                                                     const void *am_hdr, MPI_Aint am_hdr_sz,
                                                     const void *data, MPI_Aint count,
                                                     MPI_Datatype datatype, int src_vci,
                                                     int dst_vci, MPIR_Request * sreq)
{
    return adigm_am_send(comm, src_rank, adigm_comm_label(comm), handler_id, am_hdr, am_hdr_sz,
                         data, count, datatype, sreq);
}

MPL_STATIC_INLINE_PREFIX MPIDIG_recv_data_copy_cb MPIDI_NM_am_get_data_copy_cb(uint32_t attr)
{
    return adigm_am_copy_held;
}

MPL_STATIC_INLINE_PREFIX MPI_Aint MPIDI_NM_am_hdr_max_sz(void)
{
    return ADIGM_HDR_MAX_BYTES;
}

MPL_STATIC_INLINE_PREFIX MPI_Aint MPIDI_NM_am_eager_limit(void)
{
    return adigm.eager_bytes;
}

/* Longer unexpected messages arrive in parts, which adigm_am_deliver() stores itself. */
MPL_STATIC_INLINE_PREFIX MPI_Aint MPIDI_NM_am_eager_buf_limit(void)
{
    return MPL_MIN(adigm.eager_bytes, (MPI_Aint) MPIR_CVAR_CH4_AM_PACK_BUFFER_SIZE);
}

MPL_STATIC_INLINE_PREFIX bool MPIDI_NM_am_check_eager(MPI_Aint am_hdr_sz, MPI_Aint data_sz,
                                                      const void *data, MPI_Aint count,
                                                      MPI_Datatype datatype, MPIR_Request * sreq)
{
    return data_sz <= adigm.eager_bytes;
}

MPL_STATIC_INLINE_PREFIX void MPIDI_NM_am_request_init(MPIR_Request * req)
{
    MPIDIG_REQUEST(req, netmod_am.gm).address = NULL;
}

MPL_STATIC_INLINE_PREFIX void MPIDI_NM_am_request_finalize(MPIR_Request * req)
{
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_rank_is_local(int rank, MPIR_Comm * comm)
{
    return 0;
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_comm_get_gpid(MPIR_Comm * comm_ptr, int idx,
                                                    uint64_t * gpid_ptr, bool is_remote)
{
    int avtid = 0, lpid = 0;
    bool is_local_group = comm_ptr->comm_kind != MPIR_COMM_KIND__INTRACOMM && !is_remote;
    if (is_local_group)
        MPIDIU_comm_rank_to_pid_local(comm_ptr, idx, &lpid, &avtid);
    else
        MPIDIU_comm_rank_to_pid(comm_ptr, idx, &lpid, &avtid);
    *gpid_ptr = MPIDIU_GPID_CREATE(avtid, lpid);
    return MPI_SUCCESS;
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_mpi_isend(const void *buf, MPI_Aint count,
                                                MPI_Datatype datatype, int rank, int tag,
                                                MPIR_Comm * comm, int context_offset,
                                                MPIDI_av_entry_t * addr, MPIR_Request ** req_p)
{
    return adigm_isend(buf, count, datatype, rank, tag, comm, context_offset, addr,
                       MPIDIG_AM_SEND_FLAGS_NONE, MPIR_ERR_NONE, req_p);
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_isend_coll(const void *buf, MPI_Aint count,
                                                 MPI_Datatype datatype, int rank, int tag,
                                                 MPIR_Comm * comm, int context_offset,
                                                 MPIDI_av_entry_t * addr, MPIR_Request ** req_p,
                                                 MPIR_Errflag_t * errflag)
{
    return adigm_isend(buf, count, datatype, rank, tag, comm, context_offset, addr,
                       MPIDIG_AM_SEND_FLAGS_NONE, *errflag, req_p);
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_mpi_issend(const void *buf, MPI_Aint count,
                                                 MPI_Datatype datatype, int rank, int tag,
                                                 MPIR_Comm * comm, int context_offset,
                                                 MPIDI_av_entry_t * addr, MPIR_Request ** req_p)
{
    return adigm_isend(buf, count, datatype, rank, tag, comm, context_offset, addr,
                       MPIDIG_AM_SEND_FLAGS_SYNC, MPIR_ERR_NONE, req_p);
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_mpi_cancel_send(MPIR_Request * sreq)
{
    return MPIDIG_mpi_cancel_send(sreq);
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_mpi_put(const void *origin_addr, int origin_count,
                                              MPI_Datatype origin_datatype, int target_rank,
                                              MPI_Aint target_disp, int target_count,
                                              MPI_Datatype target_datatype, MPIR_Win * win,
                                              MPIDI_av_entry_t * addr, MPIDI_winattr_t winattr)
{
    bool is_taken = false;
    int mpi_errno = adigm_rma(ADIGM_RMA_PUT, (void *) origin_addr, origin_count, origin_datatype,
                              target_rank, target_disp, target_count, target_datatype, win,
                              &is_taken, NULL);
    if (mpi_errno == MPI_SUCCESS && !is_taken)
        mpi_errno = adigm_am_put(origin_addr, origin_count, origin_datatype, target_rank,
                                 target_disp, target_count, target_datatype, win, addr,
                                 winattr);
    return mpi_errno;
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_mpi_get(void *origin_addr, int origin_count,
                                              MPI_Datatype origin_datatype, int target_rank,
                                              MPI_Aint target_disp, int target_count,
                                              MPI_Datatype target_datatype, MPIR_Win * win,
                                              MPIDI_av_entry_t * addr, MPIDI_winattr_t winattr)
{
    bool is_taken = false;
    int mpi_errno = adigm_rma(ADIGM_RMA_GET, origin_addr, origin_count, origin_datatype,
                              target_rank, target_disp, target_count, target_datatype, win,
                              &is_taken, NULL);
    if (mpi_errno == MPI_SUCCESS && !is_taken)
        mpi_errno = adigm_am_get(origin_addr, origin_count, origin_datatype, target_rank,
                                 target_disp, target_count, target_datatype, win, addr,
                                 winattr);
    return mpi_errno;
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_mpi_rput(const void *origin_addr, int origin_count,
                                               MPI_Datatype origin_datatype, int target_rank,
                                               MPI_Aint target_disp, int target_count,
                                               MPI_Datatype target_datatype, MPIR_Win * win,
                                               MPIDI_av_entry_t * addr, MPIDI_winattr_t winattr,
                                               MPIR_Request ** request)
{
    bool is_taken = false;
    int mpi_errno = adigm_rma(ADIGM_RMA_PUT, (void *) origin_addr, origin_count, origin_datatype,
                              target_rank, target_disp, target_count, target_datatype, win,
                              &is_taken, request);
    if (mpi_errno == MPI_SUCCESS && !is_taken)
        mpi_errno = adigm_am_rput(origin_addr, origin_count, origin_datatype, target_rank,
                                 target_disp, target_count, target_datatype, win, addr,
                                 winattr, request);
    return mpi_errno;
}

MPL_STATIC_INLINE_PREFIX int MPIDI_NM_mpi_rget(void *origin_addr, int origin_count,
                                               MPI_Datatype origin_datatype, int target_rank,
                                               MPI_Aint target_disp, int target_count,
                                               MPI_Datatype target_datatype, MPIR_Win * win,
                                               MPIDI_av_entry_t * addr, MPIDI_winattr_t winattr,
                                               MPIR_Request ** request)
{
    bool is_taken = false;
    int mpi_errno = adigm_rma(ADIGM_RMA_GET, origin_addr, origin_count, origin_datatype,
                              target_rank, target_disp, target_count, target_datatype, win,
                              &is_taken, request);
    if (mpi_errno == MPI_SUCCESS && !is_taken)
        mpi_errno = adigm_am_rget(origin_addr, origin_count, origin_datatype, target_rank,
                                 target_disp, target_count, target_datatype, win, addr,
                                 winattr, request);
    return mpi_errno;
}

#endif /* NETMOD_INLINE_H_INCLUDED */
