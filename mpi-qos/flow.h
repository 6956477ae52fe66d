/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * flow.h - the records behind the attribute.
 *
 * A record is the attribute value of one communicator: the request, its answer,
 * and the reservations that the communicator holds. Life of a record:
 *
 *     set hook ----> current ----set again----> superseded
 *                       |                           |
 *                     delete                      delete
 *                 releases, frees             only frees: its
 *                                        reservations have moved on
 *
 * MPI deletes the old value after the hook has made the new one. A change
 * therefore requests the new reservation before it releases the old one.
 *
 * One list holds all records. It also distinguishes these records from a
 * caller's pointers, which an MPI without the hook stores and deletes.
 */
#ifndef MPI_QOS_FLOW_H
#define MPI_QOS_FLOW_H

#include "mpi_qos.h"

/** The set hook; see MPIX_GM_Set_attr_fn. */
int mpiqos_flow_set(MPI_Comm comm, int keyval, void **value);
/** The keyval's delete function. Always MPI_SUCCESS. */
int mpiqos_flow_delete(MPI_Comm comm, int keyval, void *value, void *extra);
/** Copy the communicator's record with its answer as of now.
 *  @return 1, or 0 if there is none (flow untouched) */
int mpiqos_flow_read(MPI_Comm comm, MPIQOS_Flow *flow);

/** The same for what it holds or was denied for one peer.
 *  @return 1, or 0 if nothing was asked for that peer (flow untouched) */
int mpiqos_flow_read_peer(MPI_Comm comm, int peer, MPIQOS_Flow *flow);
/** The requests with their answers that several rules of a policy have made.
 *  @param [out] rules_p  the library's, until the next request
 *  @return how many; 0 if there are not several (rules_p untouched) */
unsigned mpiqos_flow_rules(MPI_Comm comm, const MPIQOS_Flow **rules_p);
/** The same with the answer as of the request. */
int mpiqos_flow_copy(MPI_Comm comm, MPIQOS_Flow *flow);

/** 1 if the device has called mpiqos_flow_set() for all values there are. */
int mpiqos_flow_is_watched(void);

/** A program's struct, which may be of another version (mpi_qos.h,
 *  MPIQOS_Flow), as one of ours. Fields that it does not know are as in
 *  MPIQOS_FLOW_INIT. */
void mpiqos_flow_import(const MPIQOS_Flow *theirs, MPIQOS_Flow *ours);
/** The same of a struct that need not be initialized: its size comes apart. */
void mpiqos_flow_import_sized(const MPIQOS_Flow *theirs, unsigned size,
                              MPIQOS_Flow *ours);
/** One of ours into a program's struct.
 *  @param [in] size  MPIQOS_FLOW_SIZE of the program; anything else: a struct
 *                    without the newer fields, which are not touched */
void mpiqos_flow_export(const MPIQOS_Flow *ours, unsigned size,
                        MPIQOS_Flow *theirs);

/** Write an answer without numbers: all answer fields. */
void mpiqos_flow_answer(MPIQOS_Flow *flow, int state, const char *reason);

#endif
