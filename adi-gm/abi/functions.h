/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prototypes of the functions of the standard ABI that MPICH 4.0 does not have, or declares in
 * another way. The script "generate" copies them into the header; new.c implements new ones. */
int MPI_Pready_list(int length, const int array_of_partitions[],
                    MPI_Request request);
int MPI_Abi_get_fortran_booleans(int logical_size, void *logical_true,
                                 void *logical_false, int *is_set);
int MPI_Abi_get_fortran_info(MPI_Info *info);
int MPI_Abi_get_info(MPI_Info *info);
int MPI_Abi_get_version(int *abi_major, int *abi_minor);
int MPI_Abi_set_fortran_booleans(int logical_size, void *logical_true,
                                 void *logical_false);
int MPI_Abi_set_fortran_info(MPI_Info info);
int MPI_Buffer_flush(void);
int MPI_Buffer_iflush(MPI_Request *request);
int MPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size);
int MPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size);
int MPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size);
int MPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size);
int MPI_Comm_flush_buffer(MPI_Comm comm);
int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request);
int MPI_Get_hw_resource_info(MPI_Info *hw_info);
int MPI_Remove_error_class(int errorclass);
int MPI_Remove_error_code(int errorcode);
int MPI_Remove_error_string(int errorcode);
int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[],
                               int *flag, MPI_Status array_of_statuses[]);
int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[],
                               int *index, int *flag, MPI_Status *status);
int MPI_Request_get_status_some(int incount,
                                const MPI_Request array_of_requests[],
                                int *outcount, int array_of_indices[],
                                MPI_Status array_of_statuses[]);
int MPI_Session_attach_buffer(MPI_Session session, void *buffer, int size);
int MPI_Session_attach_buffer_c(MPI_Session session, void *buffer,
                                MPI_Count size);
int MPI_Session_detach_buffer(MPI_Session session, void *buffer_addr,
                              int *size);
int MPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr,
                                MPI_Count *size);
int MPI_Session_flush_buffer(MPI_Session session);
int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request);
int MPI_Status_get_error(const MPI_Status *status, int *error);
int MPI_Status_get_source(const MPI_Status *status, int *source);
int MPI_Status_get_tag(const MPI_Status *status, int *tag);
int MPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype datatype,
                              MPI_Count count);
int MPI_Status_set_error(MPI_Status *status, int error);
int MPI_Status_set_source(MPI_Status *status, int source);
int MPI_Status_set_tag(MPI_Status *status, int tag);
int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                             MPI_Datatype *pair_type);
int MPI_Comm_toint(MPI_Comm comm);
int MPI_Errhandler_toint(MPI_Errhandler errhandler);
int MPI_File_toint(MPI_File file);
int MPI_Group_toint(MPI_Group group);
int MPI_Info_toint(MPI_Info info);
int MPI_Message_toint(MPI_Message message);
int MPI_Op_toint(MPI_Op op);
int MPI_Request_toint(MPI_Request request);
int MPI_Session_toint(MPI_Session session);
int MPI_Type_toint(MPI_Datatype datatype);
int MPI_Win_toint(MPI_Win win);
MPI_Comm MPI_Comm_fromint(int comm);
MPI_Errhandler MPI_Errhandler_fromint(int errhandler);
MPI_File MPI_File_fromint(int file);
MPI_Group MPI_Group_fromint(int group);
MPI_Info MPI_Info_fromint(int info);
MPI_Message MPI_Message_fromint(int message);
MPI_Op MPI_Op_fromint(int op);
MPI_Request MPI_Request_fromint(int request);
MPI_Session MPI_Session_fromint(int session);
MPI_Datatype MPI_Type_fromint(int datatype);
MPI_Win MPI_Win_fromint(int win);
