/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * errors.h - declares the MPI errors that a malformed request raises.
 *
 * All faults share one error class; every kind of fault has its own error code.
 * The codes are created only once, together with the keyval, because MPI never
 * frees error codes.
 */
#ifndef MPI_QOS_ERRORS_H
#define MPI_QOS_ERRORS_H

#include "mpi_qos.h"

typedef enum mpiqos_fault {
    MPIQOS_FAULT_NONE,
    MPIQOS_FAULT_NO_FLOW,
    MPIQOS_FAULT_PEER_RANGE,
    MPIQOS_FAULT_PEER_SELF,
    MPIQOS_FAULT_BANDWIDTH_NAN,
    MPIQOS_FAULT_BANDWIDTH_NEGATIVE,
    MPIQOS_FAULT_BANDWIDTH_LARGE,
    MPIQOS_FAULT_CLASS,
    MPIQOS_FAULT_MESSAGE_SIZE_SMALL,
    MPIQOS_FAULT_MESSAGE_SIZE_LARGE,
    MPIQOS_FAULT_BURST,
    MPIQOS_FAULT_DELAY,
    MPIQOS_FAULT_JITTER,
    MPIQOS_FAULT_CLASS_BOUND,
    MPIQOS_FAULT_COUNT
} mpiqos_fault_t;

/**
 * Check a request.
 *
 * @param [in] flow   The request. NULL is a fault, too.
 * @param [in] peers  Number of ranks that a request can address: the ranks of
 * the communicator, or of the remote group.
 * @param [in] self The caller's rank among these ranks; -1 if the caller is not
 *   one of them.
 * @return the first fault, or MPIQOS_FAULT_NONE
 */
mpiqos_fault_t mpiqos_flow_check(const MPIQOS_Flow *flow, int peers, int self);

/** Create the error class and the codes; called once per MPI_Init().
 *  @return MPI_SUCCESS or the MPI error */
int mpiqos_errors_create(void);
/** Return the error class; MPI_ERR_UNKNOWN before mpiqos_errors_create(). */
int mpiqos_errors_class(void);
/** Return the error code of a fault; MPI_SUCCESS for MPIQOS_FAULT_NONE. */
int mpiqos_errors_code(mpiqos_fault_t fault);

#endif
