/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the functions of the gm netmod that are not inlined. MPICH calls these functions through
 * the tables of func_table.c; MPICH also determines their names and arguments.
 */
#ifndef GM_NOINLINE_H_INCLUDED
#define GM_NOINLINE_H_INCLUDED

/* Determine the hosts of all ranks. MPICH calls this function in src/util/mpir_pmi.c; see
 * patches/0006-node-map.patch. */
int MPIDI_GM_node_map(int *nodemap, int sz, int *p_max_node_id);
int MPIDI_GM_init_local(int *tag_bits);
int MPIDI_GM_init_world(void);
int MPIDI_GM_mpi_finalize_hook(void);
int MPIDI_GM_post_init(void);
int MPIDI_GM_comm_set_hints(MPIR_Comm * comm_ptr, MPIR_Info * info);
int MPIDI_GM_get_local_upids(MPIR_Comm * comm, int **local_upid_size, char **local_upids);
int MPIDI_GM_upids_to_gpids(int size, int *remote_upid_size, char *remote_upids,
                            uint64_t * remote_gpids);
int MPIDI_GM_dynamic_send(uint64_t remote_gpid, int tag, const void *buf, int size, int timeout);
int MPIDI_GM_dynamic_recv(int tag, void *buf, int size, int timeout);
int MPIDI_GM_mpi_comm_commit_pre_hook(MPIR_Comm * comm);
int MPIDI_GM_mpi_comm_commit_post_hook(MPIR_Comm * comm);
int MPIDI_GM_mpi_comm_free_hook(MPIR_Comm * comm);
int MPIDI_GM_mpi_win_create_hook(MPIR_Win * win);
int MPIDI_GM_mpi_win_allocate_hook(MPIR_Win * win);
int MPIDI_GM_mpi_win_allocate_shared_hook(MPIR_Win * win);
int MPIDI_GM_mpi_win_create_dynamic_hook(MPIR_Win * win);
int MPIDI_GM_mpi_win_attach_hook(MPIR_Win * win, void *base, MPI_Aint size);
int MPIDI_GM_mpi_win_detach_hook(MPIR_Win * win, const void *base);
int MPIDI_GM_mpi_win_free_hook(MPIR_Win * win);
int MPIDI_GM_mpi_psend_init(const void *buf, int partitions, MPI_Aint count, MPI_Datatype datatype,
                            int rank, int tag, MPIR_Comm * comm, MPIR_Info * info,
                            MPIDI_av_entry_t * av, MPIR_Request ** req_p);
int MPIDI_GM_mpi_precv_init(void *buf, int partitions, MPI_Aint count, MPI_Datatype datatype,
                            int rank, int tag, MPIR_Comm * comm, MPIR_Info * info,
                            MPIDI_av_entry_t * av, MPIR_Request ** req_p);
void *MPIDI_GM_mpi_alloc_mem(MPI_Aint size, MPIR_Info * info);
int MPIDI_GM_mpi_free_mem(void *ptr);
int MPIDI_GM_mpi_win_set_info(MPIR_Win * win, MPIR_Info * info);
int MPIDI_GM_mpi_win_get_info(MPIR_Win * win, MPIR_Info ** info_p);
int MPIDI_GM_mpi_win_free(MPIR_Win ** win_p);
int MPIDI_GM_mpi_win_create(void *base, MPI_Aint length, int disp_unit, MPIR_Info * info,
                            MPIR_Comm * comm_ptr, MPIR_Win ** win_p);
int MPIDI_GM_mpi_win_attach(MPIR_Win * win, void *base, MPI_Aint size);
int MPIDI_GM_mpi_win_allocate_shared(MPI_Aint size, int disp_unit, MPIR_Info * info,
                                     MPIR_Comm * comm_ptr, void **baseptr_p, MPIR_Win ** win_p);
int MPIDI_GM_mpi_win_detach(MPIR_Win * win, const void *base);
int MPIDI_GM_mpi_win_allocate(MPI_Aint size, int disp_unit, MPIR_Info * info, MPIR_Comm * comm,
                              void *baseptr, MPIR_Win ** win_p);
int MPIDI_GM_mpi_win_create_dynamic(MPIR_Info * info, MPIR_Comm * comm, MPIR_Win ** win_p);
int MPIDI_GM_mpi_type_commit_hook(MPIR_Datatype * datatype_p);
int MPIDI_GM_mpi_type_free_hook(MPIR_Datatype * datatype_p);
int MPIDI_GM_mpi_op_commit_hook(MPIR_Op * op_p);
int MPIDI_GM_mpi_op_free_hook(MPIR_Op * op_p);

#endif /* GM_NOINLINE_H_INCLUDED */
