/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the records that flow.h describes, and their reservations. Only
 * libmpiqos includes this file. */
#ifndef MPI_QOS_RECORD_H
#define MPI_QOS_RECORD_H

#include "device.h"
#include "request.h"
#include "translate.h"

/* A reservation in force, with all values that are required to request it
 * again. */
typedef struct mpiqos_hold {
    int peer;
    unsigned part; /* index of the request in the record's `asked` */
    int qos_class; /* MPIQOS_.. */
    long burst;    /* requested burst, bytes */
    mpiqos_need_t need;
    mpiqos_cost_t cost;
    MPIX_GM_Answer answer; /* the manager's latest answer */
} mpiqos_hold_t;

typedef struct mpiqos_record {
    MPIQOS_Flow flow;   /* the value that MPI_Comm_get_attr() returns: an
                           element of asked */
    MPIQOS_Flow *asked; /* requests with their answers: a single request, or one
                                request per rule of the policy for this
                                communicator */
    unsigned shown;     /* index of flow in asked: the first request that was
                                not granted; 0 if all were granted */
    MPI_Comm comm;
    mpiqos_origin_t origin; /* origin of the request */
    unsigned parts;         /* number of requests that mpiqos_request_more() has
                             *  added; asked has parts + 1 elements */
    unsigned held_part;     /* index of the request whose reservations determine
                             * the numbers in `flow` */
    int superseded;         /* 1: a newer record of comm exists */
    int hold_count;
    mpiqos_hold_t *holds; /* array with room for all peers of the request */
    struct mpiqos_record *next;
} mpiqos_record_t;

/** Insert a record into the list. */
void mpiqos_record_insert(mpiqos_record_t *record);
/** Return the current record of a communicator, or NULL. */
mpiqos_record_t *mpiqos_record_find(MPI_Comm comm);
/** Remove the record from the list, and return it; return NULL if value is not
 *  a record. */
mpiqos_record_t *mpiqos_record_remove(const void *value);
/** Create a record with room for `room` holds; the record is not yet in the
 *  list. Return NULL if there is not enough memory. The caller or
 *  mpiqos_flow_delete() frees the record. */
mpiqos_record_t *mpiqos_record_create(MPI_Comm comm, const MPIQOS_Flow *flow,
                                      int room);
void mpiqos_record_destroy(mpiqos_record_t *record);
/** Count the process's reservations for mpiqos_record_most(). The count
 *  includes the reservations of this record, even if the record is not in the
 *  list. */
void mpiqos_record_count(const mpiqos_record_t *record);
/** Return the largest number of reservations that the process has held at the
 *  same time. */
unsigned mpiqos_record_most(void);
/** Call a function for the current record of each communicator. The function
 *  must neither insert nor remove records. */
void mpiqos_record_each(void (*visit)(const mpiqos_record_t *record));
/** Add a request with its answer.
 *  @return 0, or -1 if there is not enough memory */
int mpiqos_record_add(mpiqos_record_t *record, const MPIQOS_Flow *flow);

mpiqos_hold_t *mpiqos_hold_find(mpiqos_record_t *record, int peer);
/** Request all of these flows in one exchange with the manager, which grants
 *  either all of them or none. The function stores the manager's answers in the
 *  holds.
 *  @param [in] count  1..MPIX_GM_MAX_REQUESTS
 *  @return MPI_SUCCESS or the MPI error */
int mpiqos_hold_request(MPI_Comm comm, mpiqos_hold_t *holds, int count);
/** Release all reservations of a record. */
void mpiqos_release_all(mpiqos_record_t *record);
/** Release the old record's reservations to peers for which the new record has
 *  no reservation; old can be NULL. */
void mpiqos_release_dropped(mpiqos_record_t *old, mpiqos_record_t *record);
/** Copy the reservations of the old record to the new record; old can be
 *  NULL. */
void mpiqos_keep_old(mpiqos_record_t *record, const mpiqos_record_t *old);
/**
 * Undo a request that failed after some of its exchanges: restore the
 * communicator's previous reservations. In the meantime, another process may
 * have reserved the bandwidth that a smaller new request had released. The old
 * reservation to this peer is then lost, and the function removes it from the
 * old record.
 */
void mpiqos_roll_back(mpiqos_record_t *record, mpiqos_record_t *old);

#endif
