/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maintains the list of records. Requests the reservations of a record in one
 * exchange, restores the previous reservations after a failure, releases
 * reservations, and copies them from an old record.
 */
#include "record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mpiqos_records_lock = PTHREAD_MUTEX_INITIALIZER;
static mpiqos_record_t *mpiqos_records;
static unsigned mpiqos_most; /* the value that mpiqos_record_most() returns */

/* --- the list -------------------------------------------------------------*/

void mpiqos_record_insert(mpiqos_record_t *record)
{
    pthread_mutex_lock(&mpiqos_records_lock);
    record->next = mpiqos_records;
    mpiqos_records = record;
    pthread_mutex_unlock(&mpiqos_records_lock);
}

mpiqos_record_t *mpiqos_record_remove(const void *value)
{
    mpiqos_record_t **link;
    mpiqos_record_t *found;

    pthread_mutex_lock(&mpiqos_records_lock);
    for (link = &mpiqos_records; *link != NULL; link = &(*link)->next) {
        if ((const void *)*link == value) {
            break;
        }
    }
    found = *link;
    if (found != NULL) {
        *link = found->next;
    }
    pthread_mutex_unlock(&mpiqos_records_lock);
    return found;
}

mpiqos_record_t *mpiqos_record_find(MPI_Comm comm)
{
    mpiqos_record_t *record;

    pthread_mutex_lock(&mpiqos_records_lock);
    for (record = mpiqos_records; record != NULL; record = record->next) {
        if (record->comm == comm && !record->superseded) {
            break;
        }
    }
    pthread_mutex_unlock(&mpiqos_records_lock);
    return record;
}

static unsigned mpiqos_reservations_of(const mpiqos_record_t *record)
{
    unsigned count = 0;

    for (int i = 0; i < record->hold_count; ++i) {
        count += (record->holds[i].qos_class == MPIQOS_PREMIUM);
    }
    return count;
}

void mpiqos_record_count(const mpiqos_record_t *record)
{
    const mpiqos_record_t *other;
    unsigned count = mpiqos_reservations_of(record);

    pthread_mutex_lock(&mpiqos_records_lock);
    for (other = mpiqos_records; other != NULL; other = other->next) {
        if (other->comm != record->comm && !other->superseded) {
            count += mpiqos_reservations_of(other);
        }
    }
    if (count > mpiqos_most) {
        __atomic_store_n(&mpiqos_most, count, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&mpiqos_records_lock);
}

unsigned mpiqos_record_most(void)
{
    return __atomic_load_n(&mpiqos_most, __ATOMIC_RELAXED);
}

void mpiqos_record_each(void (*visit)(const mpiqos_record_t *record))
{
    mpiqos_record_t *record;

    pthread_mutex_lock(&mpiqos_records_lock);
    for (record = mpiqos_records; record != NULL; record = record->next) {
        if (!record->superseded) {
            visit(record);
        }
    }
    pthread_mutex_unlock(&mpiqos_records_lock);
}

void mpiqos_record_destroy(mpiqos_record_t *record)
{
    free(record->asked);
    free(record->holds);
    free(record);
}

int mpiqos_record_add(mpiqos_record_t *record, const MPIQOS_Flow *flow)
{
    MPIQOS_Flow *asked =
        realloc(record->asked, (record->parts + 2) * sizeof(*record->asked));

    if (asked == NULL) {
        return -1;
    }
    record->asked = asked;
    asked[++record->parts] = *flow;
    if (asked[record->shown].state == MPIQOS_GRANTED &&
        flow->state != MPIQOS_GRANTED) {
        record->shown = record->parts;
    }
    return 0;
}

mpiqos_record_t *mpiqos_record_create(MPI_Comm comm, const MPIQOS_Flow *flow,
                                      int room)
{
    mpiqos_record_t *record = calloc(1, sizeof(*record));

    if (record == NULL) {
        return NULL;
    }
    record->holds = calloc((size_t)room + 1, sizeof(*record->holds));
    record->asked = calloc(1, sizeof(*record->asked));
    if (record->holds == NULL || record->asked == NULL) {
        mpiqos_record_destroy(record);
        return NULL;
    }
    record->flow = *flow;
    record->comm = comm;
    return record;
}

/* --- reservations ---------------------------------------------------------*/

mpiqos_hold_t *mpiqos_hold_find(mpiqos_record_t *record, int peer)
{
    if (record != NULL) {
        for (int i = 0; i < record->hold_count; ++i) {
            if (record->holds[i].peer == peer) {
                return &record->holds[i];
            }
        }
    }
    return NULL;
}

void mpiqos_release_all(mpiqos_record_t *record)
{
    for (int i = 0; i < record->hold_count; ++i) {
        (void)MPIX_GM_Flow_release(record->comm, record->holds[i].peer);
    }
    record->hold_count = 0;
}

static void mpiqos_hold_ask(const mpiqos_hold_t *hold, MPIX_GM_Request *request)
{
    request->peer = hold->peer;
    request->qos_class = hold->qos_class;
    request->gm_bytes_s = hold->need.gm_bytes_s;
    request->reverse_bytes_s = hold->need.reverse_bytes_s;
    request->sender_load = hold->need.sender_load;
    request->receiver_load = hold->need.receiver_load;
    request->payload_part = hold->need.payload_part;
    request->message_bytes = hold->need.message_bytes;
    request->burst_bytes = hold->need.burst_bytes;
    request->delay_s = hold->need.delay_s;
    request->jitter_s = hold->need.jitter_s;
}

int mpiqos_hold_request(MPI_Comm comm, mpiqos_hold_t *holds, int count)
{
    MPIX_GM_Request *requests = calloc((size_t)count, sizeof(*requests));
    MPIX_GM_Answer *answers = calloc((size_t)count, sizeof(*answers));
    int err = MPI_ERR_NO_MEM;

    if (requests != NULL && answers != NULL) {
        for (int i = 0; i < count; ++i) {
            mpiqos_hold_ask(&holds[i], &requests[i]);
        }
        err = MPIX_GM_Flow_request(comm, requests, count, answers);
    }
    for (int i = 0; err == MPI_SUCCESS && i < count; ++i) {
        holds[i].answer = answers[i];
    }
    free(answers);
    free(requests);
    return err;
}

void mpiqos_roll_back(mpiqos_record_t *record, mpiqos_record_t *old)
{
    while (record->hold_count > 0) {
        mpiqos_hold_t *hold = &record->holds[--record->hold_count];
        mpiqos_hold_t *before = mpiqos_hold_find(old, hold->peer);

        if (before == NULL) {
            (void)MPIX_GM_Flow_release(record->comm, hold->peer);
        } else if (mpiqos_hold_request(record->comm, before, 1) !=
                       MPI_SUCCESS ||
                   !before->answer.granted) {
            (void)MPIX_GM_Flow_release(record->comm, hold->peer);
            *before = old->holds[--old->hold_count];
        }
    }
}

void mpiqos_release_dropped(mpiqos_record_t *old, mpiqos_record_t *record)
{
    for (int i = 0; old != NULL && i < old->hold_count; ++i) {
        if (mpiqos_hold_find(record, old->holds[i].peer) == NULL) {
            (void)MPIX_GM_Flow_release(old->comm, old->holds[i].peer);
        }
    }
}

void mpiqos_keep_old(mpiqos_record_t *record, const mpiqos_record_t *old)
{
    if (old != NULL) {
        memcpy(record->holds, old->holds,
               (size_t)old->hold_count * sizeof(*old->holds));
        record->hold_count = old->hold_count;
        record->held_part = old->held_part;
    }
}
