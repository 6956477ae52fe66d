/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements puts and gets of contiguous data on registered memory of the target. GM's directed
 * sends and gets perform these operations without a call at the target. Short data are copied
 * through a send token's buffer. For longer data, the origin's memory is registered.
 *
 * A put belongs to the origin's flow on the window's communicator. GM returns the data of a get in a
 * separate flow. This flow shares the pace and the class of the target's own flow to the origin.
 *
 * The window counts these operations like MPICH's own operations. Fences, flushes and unlocks of
 * the window therefore also wait for these operations. MPI does not define the order between these
 * operations and accumulates, which remain active messages.
 */
#include "gm_impl.h"
#include "gm_register.h"

/* The data that each member of a window sends to all other members. */
typedef struct adigm_win_part {
    char *base;
    MPI_Aint bytes;             /* 0: the memory is not registered */
    int disp_unit;
} adigm_win_part_t;

typedef struct adigm_win {
    struct adigm_win *next;
    MPIR_Win *win;
    adigm_win_part_t parts[];   /* array indexed by the rank in the window */
} adigm_win_t;

typedef struct adigm_rma_op {
    adigm_put_t super;
    MPIR_Request *sreq;
    char *memory;               /* the origin's memory, which is registered unless the put is
                                   copied */
    MPI_Aint bytes;
    int target_rank;
} adigm_rma_op_t;

/* The most recently used window is the first element of this list. A list is sufficient, because
 * programs have only a few windows. */
static adigm_win_t *windows;

static adigm_win_t *adigm_rma_find_win(const MPIR_Win * win)
{
    adigm_win_t **link = &windows;
    while (*link && (*link)->win != win)
        link = &(*link)->next;
    adigm_win_t *found = *link;
    if (found) {
        *link = found->next;
        found->next = windows;
        windows = found;
    }
    return found;
}

int adigm_rma_open_win(MPIR_Win * win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int size = win->comm_ptr->local_size;
    adigm_win_part_t own;
    adigm_win_t *opened = MPL_calloc(1, sizeof(*opened) + (size_t) size * sizeof(own),
                                     MPL_MEM_RMA);
    MPIR_ERR_CHKANDJUMP(opened == NULL, mpi_errno, MPI_ERR_OTHER, "**nomem");
    memset(&own, 0, sizeof(own));
    own.base = win->base;
    own.disp_unit = win->disp_unit;
    /* if the memory is too large to be registered, the other members send active messages */
    if (win->size > 0 && gm_register_memory(adigm_net_port(), win->base,
                                            (gm_size_t) win->size) == GM_SUCCESS)
        own.bytes = win->size;
    opened->win = win;
    opened->next = windows;
    windows = opened;
    mpi_errno = MPIR_Allgather(&own, sizeof(own), MPI_BYTE, opened->parts, sizeof(own), MPI_BYTE,
                               win->comm_ptr, &errflag);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

void adigm_rma_close_win(MPIR_Win * win)
{
    adigm_win_t *closed = adigm_rma_find_win(win);
    if (closed == NULL)
        return;
    const adigm_win_part_t *own = &closed->parts[win->comm_ptr->rank];
    if (own->bytes > 0)
        gm_deregister_memory(adigm_net_port(), own->base, (gm_size_t) own->bytes);
    windows = closed->next;
    MPL_free(closed);
}

static void adigm_rma_completed(adigm_put_t * put)
{
    adigm_rma_op_t *op = (adigm_rma_op_t *) put;
    MPIR_Request *sreq = op->sreq;
    if (!put->is_copied)
        adigm_deregister(op->memory, op->bytes);
    MPIDIG_win_remote_cmpl_cnt_decr(sreq->u.rma.win, op->target_rank);
    MPL_free(op);
    /* this call also decrements the window's local completion counter */
    MPID_Request_complete(sreq);
}

/* Return the address of an operation's data at the target, or 0 if this memory is not completely
 * registered. */
static gm_remote_ptr_t adigm_rma_target(const MPIR_Win * win, int target_rank,
                                        MPI_Aint target_disp, MPI_Aint true_lb, MPI_Aint bytes)
{
    const adigm_win_t *known = adigm_rma_find_win(win);
    if (known == NULL)
        return 0;
    const adigm_win_part_t *part = &known->parts[target_rank];
    MPI_Aint offset = target_disp * part->disp_unit + true_lb;
    if (offset < 0 || bytes > part->bytes || offset > part->bytes - bytes)
        return 0;
    return (gm_remote_ptr_t) (uintptr_t) (part->base + offset);
}

/* Create an operation, but not yet its request. Return NULL if the operation requires active
 * messages. */
static adigm_rma_op_t *adigm_rma_create(adigm_rma_kind_t kind, char *origin_addr,
                                        MPI_Aint origin_count, MPI_Datatype origin_datatype,
                                        int target_rank, MPI_Aint target_disp,
                                        MPI_Aint target_count, MPI_Datatype target_datatype,
                                        MPIR_Win * win)
{
    MPIR_Datatype *dt_ptr;
    MPI_Aint bytes, target_bytes, origin_lb, target_lb;
    int is_contig, is_target_contig;
    /* MPICH itself copies data within the process */
    if (target_rank == win->comm_ptr->rank)
        return NULL;
    if (kind == ADIGM_RMA_GET && !gmsim_reads_memory())
        return NULL;
    MPIDI_Datatype_get_info(origin_count, origin_datatype, is_contig, bytes, dt_ptr, origin_lb);
    MPIDI_Datatype_get_info(target_count, target_datatype, is_target_contig, target_bytes, dt_ptr,
                            target_lb);
    if (!is_contig || !is_target_contig || bytes != target_bytes || bytes == 0)
        return NULL;
    gm_remote_ptr_t target = adigm_rma_target(win, target_rank, target_disp, target_lb, bytes);
    if (target == 0)
        return NULL;
    adigm_rma_op_t *op = MPL_calloc(1, sizeof(*op), MPL_MEM_RMA);
    if (op == NULL)
        return NULL;
    op->memory = MPIR_get_contig_ptr(origin_addr, origin_lb);
    op->bytes = bytes;
    op->target_rank = target_rank;
    op->super.is_get = kind == ADIGM_RMA_GET;
    op->super.is_copied = bytes <= MPL_MIN(adigm.eager_bytes, (MPI_Aint) ADIGM_MESSAGE_BYTES);
    op->super.copy_ps = (uint64_t) bytes * adigm.copy_ps_per_byte;
    op->super.source = op->memory;
    op->super.target = target;
    op->super.left_bytes = (size_t) bytes;
    op->super.completed = adigm_rma_completed;
    if (!op->super.is_copied && !adigm_register(op->memory, bytes)) {
        MPL_free(op);
        return NULL;
    }
    return op;
}

int adigm_rma(adigm_rma_kind_t kind, void *origin_addr, MPI_Aint origin_count,
              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Aint target_count, MPI_Datatype target_datatype, MPIR_Win * win,
              bool * is_taken, MPIR_Request ** request)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Request *sreq;
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    MPIDIG_RMA_OP_CHECK_SYNC(target_rank, win);
    adigm_rma_op_t *op = adigm_rma_create(kind, origin_addr, origin_count, origin_datatype,
                                          target_rank, target_disp, target_count,
                                          target_datatype, win);
    *is_taken = op != NULL;
    if (op == NULL)
        goto fn_exit;
    /* one reference for the operation and one for the caller */
    sreq = MPIDIG_request_create(MPIR_REQUEST_KIND__RMA, 2, 0, 0);
    MPIR_ERR_CHKANDSTMT(sreq == NULL, mpi_errno, MPIX_ERR_NOREQ, goto fn_fail, "**nomemreq");
    sreq->u.rma.win = win;
    MPIDIG_win_cmpl_cnts_incr(win, target_rank, &sreq->completion_notification);
    op->sreq = sreq;
    if (request)
        *request = sreq;
    else
        MPIDI_CH4_REQUEST_FREE(sreq);
    gmsim_work(adigm.overhead_ps);
    adigm_empty_passes = 0;
    adigm_net_put(adigm_net_flow(adigm_world_rank(win->comm_ptr, target_rank),
                                 adigm_comm_label(win->comm_ptr)), &op->super);

  fn_exit:
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
