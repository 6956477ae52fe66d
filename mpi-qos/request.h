/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * request.h - processes a request from any source: attribute, hints or policy.
 *
 * Every request sets the attribute MPIQOS_FLOW. Hints and policies set this
 * attribute in the same manner as a program. Therefore a communicator has one
 * answer and one owner of its reservations, and one function releases all
 * reservations.
 */
#ifndef MPI_QOS_REQUEST_H
#define MPI_QOS_REQUEST_H

#include "mpi_qos.h"

typedef enum mpiqos_origin {
    MPIQOS_ORIGIN_ATTRIBUTE,
    MPIQOS_ORIGIN_HINTS,
    MPIQOS_ORIGIN_POLICY
} mpiqos_origin_t;

typedef struct mpiqos_request {
    const MPIQOS_Flow *flow; /**< only its request fields are used */
    mpiqos_origin_t origin;
    unsigned line;             /**< line of the policy file; otherwise 0 */
    const char *malformed;     /**< the fault of a malformed request, or NULL.
                                    This field is not used for attributes, which
                                    raise an error */
    const unsigned char *skip; /**< one per peer: 1 excludes the peer from a
                                    request for all peers; NULL: no peer is
                                    excluded */
} mpiqos_request_t;

/** Make a request that replaces the former request of the communicator.
 *  @return MPI_SUCCESS, or the MPI error (not for a denial) */
int mpiqos_request(MPI_Comm comm, const mpiqos_request_t *request);
/**
 * Make an additional request for other peers on a communicator that already has
 * a record.
 */
int mpiqos_request_more(MPI_Comm comm, const mpiqos_request_t *request);

/** Return 1 if the program itself made the last request on a communicator. */
int mpiqos_request_by_program(MPI_Comm comm);

/** Return the number of ranks that can be addressed on a communicator, and the
 *  caller's rank among them, or -1.
 *  @return MPI_SUCCESS or the MPI error */
int mpiqos_peers(MPI_Comm comm, int *peers_p, int *self_p);

#endif
