/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the functions of the netmod interface that do nothing in the gm netmod or only call
 * MPICH's generic code.
 */
#include "gm_impl.h"

/* Communicators: the other functions for communicators are in gm_events.c. */

int MPIDI_GM_mpi_comm_commit_pre_hook(MPIR_Comm * comm)
{
    return MPI_SUCCESS;
}

/* Datatypes and operations: the netmod does not store any data about them. */

int MPIDI_GM_mpi_type_commit_hook(MPIR_Datatype * datatype_p)
{
    return MPI_SUCCESS;
}

int MPIDI_GM_mpi_type_free_hook(MPIR_Datatype * datatype_p)
{
    return MPI_SUCCESS;
}

int MPIDI_GM_mpi_op_commit_hook(MPIR_Op * op_p)
{
    return MPI_SUCCESS;
}

int MPIDI_GM_mpi_op_free_hook(MPIR_Op * op_p)
{
    return MPI_SUCCESS;
}

/* Memory and partitioned communication */

void *MPIDI_GM_mpi_alloc_mem(MPI_Aint size, MPIR_Info * info)
{
    return MPIDIG_mpi_alloc_mem(size, info);
}

int MPIDI_GM_mpi_free_mem(void *ptr)
{
    return MPIDIG_mpi_free_mem(ptr);
}

int MPIDI_GM_mpi_psend_init(const void *buf, int partitions, MPI_Aint count, MPI_Datatype datatype,
                            int rank, int tag, MPIR_Comm * comm, MPIR_Info * info,
                            MPIDI_av_entry_t * av, MPIR_Request ** req_p)
{
    return MPIDIG_mpi_psend_init(buf, partitions, count, datatype, rank, tag, comm, info, req_p);
}

int MPIDI_GM_mpi_precv_init(void *buf, int partitions, MPI_Aint count, MPI_Datatype datatype,
                            int rank, int tag, MPIR_Comm * comm, MPIR_Info * info,
                            MPIDI_av_entry_t * av, MPIR_Request ** req_p)
{
    return MPIDIG_mpi_precv_init(buf, partitions, count, datatype, rank, tag, comm, info, req_p);
}

/* Windows: MPICH implements one-sided communication with active messages, except for contiguous
 * puts and gets. In dynamic windows, puts and gets are active messages, too, because the origin
 * does not know the target's memory. */

int MPIDI_GM_mpi_win_create_hook(MPIR_Win * win)
{
    return adigm_rma_open_win(win);
}

int MPIDI_GM_mpi_win_allocate_hook(MPIR_Win * win)
{
    return adigm_rma_open_win(win);
}

int MPIDI_GM_mpi_win_allocate_shared_hook(MPIR_Win * win)
{
    return adigm_rma_open_win(win);
}

int MPIDI_GM_mpi_win_create_dynamic_hook(MPIR_Win * win)
{
    return MPI_SUCCESS;
}

int MPIDI_GM_mpi_win_attach_hook(MPIR_Win * win, void *base, MPI_Aint size)
{
    return MPI_SUCCESS;
}

int MPIDI_GM_mpi_win_detach_hook(MPIR_Win * win, const void *base)
{
    return MPI_SUCCESS;
}

int MPIDI_GM_mpi_win_free_hook(MPIR_Win * win)
{
    adigm_rma_close_win(win);
    return MPI_SUCCESS;
}

int MPIDI_GM_mpi_win_set_info(MPIR_Win * win, MPIR_Info * info)
{
    int mpi_errno = MPIDIG_mpi_win_set_info(win, info);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIDI_GM_comm_set_hints(win->comm_ptr, info);
    return mpi_errno;
}

int MPIDI_GM_mpi_win_get_info(MPIR_Win * win, MPIR_Info ** info_p)
{
    int mpi_errno = MPIDIG_mpi_win_get_info(win, info_p);
    if (mpi_errno == MPI_SUCCESS)
        adigm_comm_event(win->comm_ptr->handle, MPIR_COMM_EVENT_GET_HINTS, *info_p);
    return mpi_errno;
}

int MPIDI_GM_mpi_win_free(MPIR_Win ** win_p)
{
    return MPIDIG_mpi_win_free(win_p);
}

int MPIDI_GM_mpi_win_create(void *base, MPI_Aint length, int disp_unit, MPIR_Info * info,
                            MPIR_Comm * comm_ptr, MPIR_Win ** win_p)
{
    int mpi_errno = MPIDIG_mpi_win_create(base, length, disp_unit, info, comm_ptr, win_p);
    if (mpi_errno == MPI_SUCCESS)
        adigm_win_created(*win_p, comm_ptr, info);
    return mpi_errno;
}

int MPIDI_GM_mpi_win_attach(MPIR_Win * win, void *base, MPI_Aint size)
{
    return MPIDIG_mpi_win_attach(win, base, size);
}

int MPIDI_GM_mpi_win_allocate_shared(MPI_Aint size, int disp_unit, MPIR_Info * info,
                                     MPIR_Comm * comm_ptr, void **baseptr_p, MPIR_Win ** win_p)
{
    int mpi_errno = MPIDIG_mpi_win_allocate_shared(size, disp_unit, info, comm_ptr, baseptr_p, win_p);
    if (mpi_errno == MPI_SUCCESS)
        adigm_win_created(*win_p, comm_ptr, info);
    return mpi_errno;
}

int MPIDI_GM_mpi_win_detach(MPIR_Win * win, const void *base)
{
    return MPIDIG_mpi_win_detach(win, base);
}

int MPIDI_GM_mpi_win_allocate(MPI_Aint size, int disp_unit, MPIR_Info * info, MPIR_Comm * comm,
                              void *baseptr, MPIR_Win ** win_p)
{
    int mpi_errno = MPIDIG_mpi_win_allocate(size, disp_unit, info, comm, baseptr, win_p);
    if (mpi_errno == MPI_SUCCESS)
        adigm_win_created(*win_p, comm, info);
    return mpi_errno;
}

int MPIDI_GM_mpi_win_create_dynamic(MPIR_Info * info, MPIR_Comm * comm, MPIR_Win ** win_p)
{
    int mpi_errno = MPIDIG_mpi_win_create_dynamic(info, comm, win_p);
    if (mpi_errno == MPI_SUCCESS)
        adigm_win_created(*win_p, comm, info);
    return mpi_errno;
}
