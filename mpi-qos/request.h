/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * request.h - processes a request from an attribute, a hint or a policy.
 *
 * Every request sets the attribute MPIQOS_FLOW. Hints and policies set this
 * attribute like a program. A communicator therefore has only one answer and
 * one owner of its reservations, and one function releases all of them.
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
    const MPIQOS_Flow *flow; /**< only the fields that describe the request are
                                  used */
    mpiqos_origin_t origin;
    unsigned line;             /**< line number in the policy file; otherwise
                                    0 */
    const char *malformed;     /**< the fault of a malformed request, or NULL.
                                    Malformed attributes do not set this field;
                                    they raise an error */
    const unsigned char *skip; /**< one element per peer: 1 excludes this peer
                                    from a request for all peers; NULL: no peer
                                    is excluded */
} mpiqos_request_t;

/** Make a request that replaces the previous request of the communicator.
 *  @return MPI_SUCCESS, also after a denial, or the MPI error */
int mpiqos_request(MPI_Comm comm, const mpiqos_request_t *request);
/**
 * Make an additional request for other peers on a communicator that already has
 * a record.
 */
int mpiqos_request_more(MPI_Comm comm, const mpiqos_request_t *request);

/** Return 1 if the program itself made the last request on the communicator. */
int mpiqos_request_by_program(MPI_Comm comm);

/** Return the number of ranks that a request can address on a communicator.
 *  Also return the caller's rank among these ranks, or -1.
 *  @return MPI_SUCCESS or the MPI error */
int mpiqos_peers(MPI_Comm comm, int *peers_p, int *self_p);

#endif
