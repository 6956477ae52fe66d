/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * request.h - a request from any source: attribute, hints or policy.
 *
 * All requests end in the attribute MPIQOS_FLOW: hints and policies set it like
 * a program would. There is therefore one answer, one owner of the
 * reservations, and one place of their release.
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
    const MPIQOS_Flow *flow; /**< the request in it */
    mpiqos_origin_t origin;
    unsigned line;             /**< of the policy; else 0 */
    const char *malformed;     /**< what is wrong with it; NULL: nothing. Not
                                    for attributes, which raise an error */
    const unsigned char *skip; /**< of all peers, those that are 1 here are
                                    not meant; NULL: none */
} mpiqos_request_t;

/** Ask: replaces what the communicator has asked for.
 *  @return MPI_SUCCESS, or the MPI error (not for a denial) */
int mpiqos_request(MPI_Comm comm, const mpiqos_request_t *request);
/**
 * Ask for other peers as well, on a communicator that has a record. The
 * answer goes to the report only.
 */
int mpiqos_request_more(MPI_Comm comm, const mpiqos_request_t *request);

/** 1 if the last request on a communicator is the program's own. */
int mpiqos_request_by_program(MPI_Comm comm);

/** Ranks that can be addressed on a communicator, and the caller's own among
 *  them, or -1. @return MPI_SUCCESS or the MPI error */
int mpiqos_peers(MPI_Comm comm, int *peers_p, int *self_p);

#endif
