/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * flow.h - manages the records, which are the values of the attribute.
 *
 * A record belongs to one communicator. The record contains the request, its
 * answer, and the reservations that the communicator holds. The states of a
 * record are:
 *
 *     set hook ----> current ----set again----> superseded
 *                       |                           |
 *                     delete                      delete
 *              releases and frees         only frees: the new record
 *                                          has its reservations
 *
 * MPI deletes the old value after the hook has created the new value. A change
 * therefore requests the new reservation before it releases the old
 * reservation.
 *
 * One list holds all records. The library also uses the list to recognize its
 * own records: an MPI library without the hook stores the caller's pointers as
 * values, and passes them to the delete function.
 */
#ifndef MPI_QOS_FLOW_H
#define MPI_QOS_FLOW_H

#include "mpi_qos.h"

/** Set hook: handle a new value of the attribute; see MPIX_GM_Set_attr_fn. */
int mpiqos_flow_set(MPI_Comm comm, int keyval, void **value);
/** Delete function of the keyval: release the reservations of a deleted
 *  attribute. @return always MPI_SUCCESS */
int mpiqos_flow_delete(MPI_Comm comm, int keyval, void *value, void *extra);
/** Copy the communicator's request with its present answer.
 *  @return 1, or 0 if there is no request (flow unchanged) */
int mpiqos_flow_read(MPI_Comm comm, MPIQOS_Flow *flow);

/** Copy the request that covers one peer, with the present answer for this
 *  peer.
 *  @return 1, or 0 if no request covers the peer (flow unchanged) */
int mpiqos_flow_read_peer(MPI_Comm comm, int peer, MPIQOS_Flow *flow);
/** Return the requests that several rules of a policy have made, with the
 *  answers.
 *  @param [out] rules_p  owned by the library, valid until the next request
 *  @return the number of requests; 0 if fewer than two rules apply (rules_p
 *    unchanged) */
unsigned mpiqos_flow_rules(MPI_Comm comm, const MPIQOS_Flow **rules_p);
/** Copy the communicator's request like mpiqos_flow_read(), but with the answer
 * at the time of the request. */
int mpiqos_flow_copy(MPI_Comm comm, MPIQOS_Flow *flow);

/** Return 1 if the device has called mpiqos_flow_set() for every existing
 *  value. */
int mpiqos_flow_is_watched(void);

/** Convert a program's struct to the library's version. The program's struct
 *  can have another version (mpi_qos.h, MPIQOS_Flow). Fields that are missing
 *  in the program's struct receive their values from MPIQOS_FLOW_INIT. */
void mpiqos_flow_import(const MPIQOS_Flow *theirs, MPIQOS_Flow *ours);
/** Like mpiqos_flow_import(), but with the size that the caller passes, because
 *  the struct may be uninitialized. */
void mpiqos_flow_import_sized(const MPIQOS_Flow *theirs, unsigned size,
                              MPIQOS_Flow *ours);
/** Copy the library's struct into a program's struct.
 *  @param [in] size  MPIQOS_FLOW_SIZE of the program. With any other value, the
 *                    struct is assumed to lack the newer fields, and they are
 *                    not written */
void mpiqos_flow_export(const MPIQOS_Flow *ours, unsigned size,
                        MPIQOS_Flow *theirs);

/** Write all fields of an answer; the numeric fields become 0. */
void mpiqos_flow_answer(MPIQOS_Flow *flow, int state, const char *reason);

#endif
