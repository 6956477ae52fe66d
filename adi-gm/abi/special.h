/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Conversions that need more than a table: statuses, arrays, callbacks. */
#ifndef ADIGM_ABI_SPECIAL_H
#define ADIGM_ABI_SPECIAL_H

#include "abi.h"

/* Mark a status as not written. abi_status_out() then changes only the fields that MPICH has
 * written. */
void abi_status_clear(MPI_Status *status);
void abi_status_in(const ABI_Status *from, MPI_Status *to);
void abi_status_out(const MPI_Status *from, ABI_Status *to);

/* Return a converted copy of an array, or NULL if the array is NULL or empty. The caller frees the
 * copy. */
MPI_Datatype *abi_types_in(const ABI_Datatype *types, MPI_Count n);
MPI_Info *abi_infos_in(const ABI_Info *infos, int n);

/* Count the processes from which this process receives and to which it sends, in a collective
 * operation (neighbours == 0) or in a neighbourhood collective operation. */
void abi_count_peers(MPI_Comm comm, int neighbours, int *n_in, int *n_out);

/* MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY */
const int *abi_weights_in(const int *weights);
int *abi_weights_out(int *weights);

/* Return a function that MPICH can call and that calls the program's function with the handles of
 * the ABI. Return NULL if there are too many different functions. Calls for the same function
 * return the same result. Repeated calls in a loop therefore do not use up the available
 * results. */
MPI_User_function *abi_op_function(ABI_User_function *function);
MPI_User_function_c *abi_op_function_c(ABI_User_function_c *function);
MPI_Comm_errhandler_function *
abi_comm_errhandler(ABI_Comm_errhandler_function *function);
MPI_File_errhandler_function *
abi_file_errhandler(ABI_File_errhandler_function *function);
MPI_Win_errhandler_function *
abi_win_errhandler(ABI_Win_errhandler_function *function);
MPI_Session_errhandler_function *
abi_session_errhandler(ABI_Session_errhandler_function *function);

#endif
