/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to libmpiqos: the records of flow.h, and their reservations. */
#ifndef MPI_QOS_RECORD_H
#define MPI_QOS_RECORD_H

#include "device.h"
#include "request.h"
#include "translate.h"

/* A reservation in force, with all that is needed to ask for it again. */
typedef struct mpiqos_hold {
    int peer;
    unsigned part; /* of the record's requests, which one */
    int qos_class; /* MPIQOS_.. */
    long burst;    /* bytes, as asked for */
    mpiqos_need_t need;
    mpiqos_cost_t cost;
    MPIX_GM_Answer answer; /* the manager's latest word */
} mpiqos_hold_t;

typedef struct mpiqos_record {
    MPIQOS_Flow flow;   /* what MPI_Comm_get_attr() shows: one of asked */
    MPIQOS_Flow *asked; /* each request with its answer: one, or as many as
                                a policy has rules for this communicator */
    unsigned shown;     /* which of them flow is: the first that was not
                                granted, else the first */
    MPI_Comm comm;
    mpiqos_origin_t origin; /* in which it was asked */
    unsigned parts;         /* requests added by mpiqos_request_more(): there
                                are parts + 1 */
    unsigned held_part;     /* whose holds flow's numbers are about */
    int superseded;         /* a newer record of comm exists */
    int hold_count;
    mpiqos_hold_t *holds; /* room for all peers of the request */
    struct mpiqos_record *next;
} mpiqos_record_t;

/** Insert, find the current record of a communicator (or NULL). */
void mpiqos_record_insert(mpiqos_record_t *record);
mpiqos_record_t *mpiqos_record_find(MPI_Comm comm);
/** Takes the record out of the list; NULL if value is not one of ours. */
mpiqos_record_t *mpiqos_record_remove(const void *value);
/** A record with room for holds, not in the list; NULL without memory. The
 *  caller destroys it, or mpiqos_flow_delete() does. */
mpiqos_record_t *mpiqos_record_create(MPI_Comm comm, const MPIQOS_Flow *flow,
                                      int room);
void mpiqos_record_destroy(mpiqos_record_t *record);
/** Count what the process holds together with this record, whether it is in the
 *  list or not, for mpiqos_record_most(). */
void mpiqos_record_count(const mpiqos_record_t *record);
/** Most reservations that the process has held at once. */
unsigned mpiqos_record_most(void);
/** Call a function for the current record of each communicator. It must neither
 *  insert nor remove records. */
void mpiqos_record_each(void (*visit)(const mpiqos_record_t *record));
/** One more request with its answer. @return 0, or -1 without memory */
int mpiqos_record_add(mpiqos_record_t *record, const MPIQOS_Flow *flow);

mpiqos_hold_t *mpiqos_hold_find(mpiqos_record_t *record, int peer);
/** Ask the manager for all of them or none, in one exchange; the answers are in
 *  the holds.
 *  @param [in] count  1..MPIX_GM_MAX_REQUESTS
 *  @return MPI_SUCCESS or error */
int mpiqos_hold_request(MPI_Comm comm, mpiqos_hold_t *holds, int count);
/** Give back all that a record holds. */
void mpiqos_release_all(mpiqos_record_t *record);
/** Give back what the old record (or NULL) holds for peers that the new one
 *  has not. */
void mpiqos_release_dropped(mpiqos_record_t *old, mpiqos_record_t *record);
/** The new record takes over what the old one (or NULL) holds. */
void mpiqos_keep_old(mpiqos_record_t *record, const mpiqos_record_t *old);
/**
 * Undo what a request of several exchanges that failed half-way got: back to what the communicator
 * held before. Another process may have taken bandwidth that a smaller new
 * request had set free; then the old reservation to that peer is lost, and it
 * drops out of the old record.
 */
void mpiqos_roll_back(mpiqos_record_t *record, mpiqos_record_t *old);

#endif
