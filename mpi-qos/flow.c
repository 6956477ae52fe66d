/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow.h"
#include "device.h"
#include "errors.h"
#include "translate.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reservation in force, with all that is needed to ask for it again. */
typedef struct mpiqos_hold {
    int peer;
    int qos_class;           /* MPIQOS_.. */
    mpiqos_need_t need;
    mpiqos_cost_t cost;
    MPIX_GM_Answer answer;   /* the manager's latest word */
} mpiqos_hold_t;

typedef struct mpiqos_record {
    MPIQOS_Flow flow;        /* what MPI_Comm_get_attr() shows */
    MPI_Comm comm;
    int superseded;          /* a newer record of comm exists */
    int hold_count;
    mpiqos_hold_t *holds;    /* room for all peers of the request */
    struct mpiqos_record *next;
} mpiqos_record_t;

/* A request on its way. */
typedef struct mpiqos_ask {
    MPI_Comm comm;
    const MPIQOS_Flow *flow;
    int peers;               /* ranks that can be addressed */
    int self;                /* the caller among them, or -1 */
    mpiqos_cost_t cost;
    mpiqos_need_t need;
    mpiqos_record_t *old;    /* current record of comm, or NULL */
} mpiqos_ask_t;

_Static_assert(MPIQOS_PLACE_LEN >= MPIX_GM_PLACE_LEN, "places are copied");
_Static_assert(MPIX_GM_PREMIUM == (int)MPIQOS_PREMIUM, "passed through");
_Static_assert(MPIX_GM_BEST_EFFORT == (int)MPIQOS_BEST_EFFORT,
               "passed through");

static pthread_mutex_t mpiqos_records_lock = PTHREAD_MUTEX_INITIALIZER;
static mpiqos_record_t *mpiqos_records;

/* --- the list -------------------------------------------------------------*/

static void mpiqos_record_insert(mpiqos_record_t *record)
{
    pthread_mutex_lock(&mpiqos_records_lock);
    record->next = mpiqos_records;
    mpiqos_records = record;
    pthread_mutex_unlock(&mpiqos_records_lock);
}

/* Takes the record out of the list; NULL if value is not one of ours. */
static mpiqos_record_t *mpiqos_record_remove(const void *value)
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

static mpiqos_record_t *mpiqos_record_find(MPI_Comm comm)
{
    mpiqos_record_t *record;

    pthread_mutex_lock(&mpiqos_records_lock);
    for (record = mpiqos_records; record != NULL; record = record->next) {
        if ((record->comm == comm) && !record->superseded) {
            break;
        }
    }
    pthread_mutex_unlock(&mpiqos_records_lock);
    return record;
}

static mpiqos_record_t *mpiqos_record_create(const mpiqos_ask_t *ask)
{
    mpiqos_record_t *record = calloc(1, sizeof(*record));
    int room = ask->peers;

    if (record == NULL) {
        return NULL;
    }
    /* The old reservations may have to move in. */
    if ((ask->old != NULL) && (ask->old->hold_count > room)) {
        room = ask->old->hold_count;
    }
    record->holds = calloc((size_t)room + 1, sizeof(*record->holds));
    if (record->holds == NULL) {
        free(record);
        return NULL;
    }
    record->flow = *ask->flow;
    record->comm = ask->comm;
    return record;
}

static void mpiqos_record_destroy(mpiqos_record_t *record)
{
    free(record->holds);
    free(record);
}

/* --- reservations ---------------------------------------------------------*/

static mpiqos_hold_t *mpiqos_hold_find(mpiqos_record_t *record, int peer)
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

static void mpiqos_release_all(mpiqos_record_t *record)
{
    for (int i = 0; i < record->hold_count; ++i) {
        (void)MPIX_GM_Flow_release(record->comm, record->holds[i].peer);
    }
    record->hold_count = 0;
}

static int mpiqos_hold_request(MPI_Comm comm, mpiqos_hold_t *hold)
{
    return MPIX_GM_Flow_request(comm, hold->peer, hold->qos_class,
                                hold->need.gm_bytes_s,
                                hold->need.reverse_bytes_s, &hold->answer);
}

/* Undo what a request that failed half-way got: back to what the communicator
 * held before. Another process may have taken bandwidth that a smaller new
 * request had set free; then the old reservation to that peer is lost, and it
 * drops out of the old record. */
static void mpiqos_roll_back(mpiqos_record_t *record, mpiqos_record_t *old)
{
    while (record->hold_count > 0) {
        mpiqos_hold_t *hold = &record->holds[--record->hold_count];
        mpiqos_hold_t *before = mpiqos_hold_find(old, hold->peer);

        if (before == NULL) {
            (void)MPIX_GM_Flow_release(record->comm, hold->peer);
        } else if ((mpiqos_hold_request(record->comm, before) != MPI_SUCCESS) ||
                   !before->answer.granted) {
            (void)MPIX_GM_Flow_release(record->comm, hold->peer);
            *before = old->holds[--old->hold_count];
        }
    }
}

/* Ask for one peer after the other; all or nothing. On denial *denied_p is the
 * request that was denied, with its answer; nothing has changed then, and
 * nothing on an error. */
static int mpiqos_request_all(const mpiqos_ask_t *ask, mpiqos_record_t *record,
                              mpiqos_hold_t *denied_p, int *granted_p)
{
    int all = (ask->flow->peer == MPIQOS_ALL_PEERS);
    int first = all ? 0 : ask->flow->peer;
    int last = all ? ask->peers - 1 : ask->flow->peer;

    *granted_p = 1;
    for (int peer = first; peer <= last; ++peer) {
        mpiqos_hold_t *hold = &record->holds[record->hold_count];
        int err;

        if (peer == ask->self) {
            continue;
        }
        hold->peer = peer;
        hold->qos_class = ask->flow->qos_class;
        hold->need = ask->need;
        hold->cost = ask->cost;
        err = mpiqos_hold_request(ask->comm, hold);
        if ((err != MPI_SUCCESS) || !hold->answer.granted) {
            *denied_p = *hold;
            *granted_p = 0;
            mpiqos_roll_back(record, ask->old);
            return err;
        }
        ++record->hold_count;
    }
    return MPI_SUCCESS;
}

/* Give back what the old record holds for peers that the new one has not. */
static void mpiqos_release_dropped(mpiqos_record_t *old,
                                   mpiqos_record_t *record)
{
    for (int i = 0; (old != NULL) && (i < old->hold_count); ++i) {
        if (mpiqos_hold_find(record, old->holds[i].peer) == NULL) {
            (void)MPIX_GM_Flow_release(old->comm, old->holds[i].peer);
        }
    }
}

static void mpiqos_keep_old(mpiqos_record_t *record, const mpiqos_record_t *old)
{
    if (old != NULL) {
        memcpy(record->holds, old->holds,
               (size_t)old->hold_count * sizeof(*old->holds));
        record->hold_count = old->hold_count;
    }
}

/* --- answers --------------------------------------------------------------*/

static double mpiqos_mb(double bytes_s)
{
    return bytes_s / 1e6;
}

void mpiqos_flow_answer(MPIQOS_Flow *flow, int state, const char *reason)
{
    flow->state = state;
    flow->granted_bandwidth = 0.0;
    flow->gm_bandwidth = 0.0;
    flow->idt_ticks = 0;
    flow->criterion = MPIQOS_CRITERION_NONE;
    flow->place[0] = '\0';
    flow->left = 0.0;
    snprintf(flow->reason, sizeof(flow->reason), "%s", reason);
}

/* Numbers of what is held: of the slowest flow, if there are several. */
static void mpiqos_show_holds(const mpiqos_record_t *record, MPIQOS_Flow *flow)
{
    const mpiqos_hold_t *slowest = NULL;

    for (int i = 0; i < record->hold_count; ++i) {
        if ((slowest == NULL) ||
            (record->holds[i].answer.idt_ticks > slowest->answer.idt_ticks)) {
            slowest = &record->holds[i];
        }
    }
    if (slowest != NULL) {
        flow->idt_ticks = slowest->answer.idt_ticks;
        flow->gm_bandwidth = slowest->answer.gm_bandwidth;
        flow->granted_bandwidth =
            mpiqos_bandwidth_of_idt(flow->idt_ticks, &slowest->cost);
    }
}

static void mpiqos_describe_peer(const MPIQOS_Flow *flow, char *text,
                                 size_t size)
{
    if (flow->peer == MPIQOS_ALL_PEERS) {
        snprintf(text, size, "every other rank");
    } else {
        snprintf(text, size, "rank %d", flow->peer);
    }
}

static void mpiqos_answer_granted(const mpiqos_record_t *record,
                                  MPIQOS_Flow *flow)
{
    char peer[32];

    mpiqos_flow_answer(flow, MPIQOS_GRANTED, "");
    mpiqos_show_holds(record, flow);
    mpiqos_describe_peer(flow, peer, sizeof(peer));
    if (flow->idt_ticks == 0) {
        snprintf(flow->reason, sizeof(flow->reason),
                 "%s to %s; nothing limits it now",
                 MPIQOS_Class_name(flow->qos_class), peer);
    } else {
        snprintf(flow->reason, sizeof(flow->reason),
                 "%s to %s: %.4g MB/s, one packet each %.1f us",
                 MPIQOS_Class_name(flow->qos_class), peer,
                 mpiqos_mb(flow->granted_bandwidth), 0.5 * flow->idt_ticks);
    }
}

static void mpiqos_answer_denied(mpiqos_record_t *record, int criterion,
                                 int peer, const char *place, double left)
{
    MPIQOS_Flow *flow = &record->flow;

    mpiqos_flow_answer(flow, MPIQOS_DENIED, "");
    mpiqos_show_holds(record, flow);
    flow->criterion = criterion;
    flow->left = left;
    snprintf(flow->place, sizeof(flow->place), "%s", place);
    snprintf(flow->reason, sizeof(flow->reason),
             "%.4g MB/s to rank %d in messages of %ld bytes is too much for "
             "the %s (%s), which has %.4g MB/s left%s",
             mpiqos_mb(flow->bandwidth), peer, flow->message_size,
             MPIQOS_Criterion_name(criterion), place, mpiqos_mb(left),
             (record->hold_count > 0) ? "; the former reservation stays" : "");
}

/* --- setting --------------------------------------------------------------*/

static int mpiqos_ask_init(mpiqos_ask_t *ask, MPI_Comm comm,
                           const MPIQOS_Flow *flow)
{
    int inter;
    int err = MPI_Comm_test_inter(comm, &inter);

    ask->comm = comm;
    ask->flow = flow;
    ask->self = -1;
    ask->old = mpiqos_record_find(comm);
    if (err != MPI_SUCCESS) {
        return err;
    }
    if (inter) {
        return MPI_Comm_remote_size(comm, &ask->peers);
    }
    err = MPI_Comm_size(comm, &ask->peers);
    return (err == MPI_SUCCESS) ? MPI_Comm_rank(comm, &ask->self) : err;
}

static int mpiqos_ask_translate(mpiqos_ask_t *ask)
{
    MPIX_GM_Message_cost cost;
    int err = MPIX_GM_Message((MPI_Aint)ask->flow->message_size, &cost);

    if (err != MPI_SUCCESS) {
        return err;
    }
    ask->cost = (mpiqos_cost_t){
        .message_bytes = (double)ask->flow->message_size,
        .flow_packets = cost.flow_packets,
        .reverse_bytes = cost.reverse_bytes,
        .receiver_seconds = cost.receiver_seconds,
        .sender_seconds = cost.sender_seconds,
        .packet_bytes = cost.packet_bytes,
        .idt_product = cost.idt_product,
    };
    if (ask->flow->qos_class == MPIQOS_PREMIUM) {
        mpiqos_translate(ask->flow->bandwidth, &ask->cost, &ask->need);
    } else {
        memset(&ask->need, 0, sizeof(ask->need));
    }
    return MPI_SUCCESS;
}

/* A process is too slow for the request: no network could help. */
static void mpiqos_deny_process(const mpiqos_ask_t *ask,
                                mpiqos_record_t *record)
{
    int receiver = (ask->need.limit == MPIQOS_LIMIT_RECEIVER);
    int peer = ask->flow->peer;
    int rank = ask->self;
    char place[MPIQOS_PLACE_LEN];

    if (peer == MPIQOS_ALL_PEERS) {
        peer = (ask->self == 0) ? 1 : 0;
    }
    if (!receiver && (rank < 0)) {
        MPI_Comm_rank(ask->comm, &rank);
    }
    snprintf(place, sizeof(place), "rank %d", receiver ? peer : rank);
    mpiqos_keep_old(record, ask->old);
    mpiqos_answer_denied(record,
                         receiver ? MPIQOS_CRITERION_DESTINATION_PROCESS
                                  : MPIQOS_CRITERION_SOURCE_PROCESS,
                         peer, place, ask->need.limit_bytes_s);
}

static int mpiqos_reserve(mpiqos_ask_t *ask, mpiqos_record_t *record)
{
    mpiqos_hold_t denied;
    int granted;
    int err = mpiqos_ask_translate(ask);

    if (err != MPI_SUCCESS) {
        return err;
    }
    if (!MPIX_GM_Keeps_pace()) {
        mpiqos_flow_answer(&record->flow, MPIQOS_UNSUPPORTED,
                           "the cluster's packet scheduler keeps no pace; "
                           "reservations need scheduler: rate");
        return MPI_SUCCESS;
    }
    if (ask->need.limit != MPIQOS_LIMIT_NONE) {
        mpiqos_deny_process(ask, record);
        return MPI_SUCCESS;
    }
    err = mpiqos_request_all(ask, record, &denied, &granted);
    if (err != MPI_SUCCESS) {
        return err;
    }
    if (granted) {
        mpiqos_release_dropped(ask->old, record);
        mpiqos_answer_granted(record, &record->flow);
    } else {
        mpiqos_keep_old(record, ask->old);
        mpiqos_answer_denied(
            record, denied.answer.criterion, denied.peer, denied.answer.place,
            mpiqos_largest_request(denied.answer.left, &ask->cost));
    }
    return MPI_SUCCESS;
}

static int mpiqos_is_release(const MPIQOS_Flow *flow)
{
    return (flow->qos_class == MPIQOS_PREMIUM) && !(flow->bandwidth > 0.0);
}

int mpiqos_flow_set(MPI_Comm comm, int keyval, void **value)
{
    mpiqos_ask_t ask;
    mpiqos_record_t *record;
    mpiqos_fault_t fault;
    int err = mpiqos_ask_init(&ask, comm, *value);

    (void)keyval;
    if (err != MPI_SUCCESS) {
        return err;
    }
    fault = mpiqos_flow_check(ask.flow, ask.peers, ask.self);
    if (fault != MPIQOS_FAULT_NONE) {
        return mpiqos_errors_code(fault);
    }
    record = mpiqos_record_create(&ask);
    if (record == NULL) {
        return MPI_ERR_NO_MEM;
    }

    if (mpiqos_is_release(ask.flow)) {
        mpiqos_release_dropped(ask.old, record);
        mpiqos_flow_answer(&record->flow, MPIQOS_RELEASED,
                           "nothing is reserved on this communicator");
    } else {
        err = mpiqos_reserve(&ask, record);
        if (err != MPI_SUCCESS) {
            mpiqos_record_destroy(record);
            return err;
        }
    }

    if (ask.old != NULL) {
        ask.old->superseded = 1;
        ask.old->hold_count = 0;
    }
    mpiqos_record_insert(record);
    *value = record;
    return MPI_SUCCESS;
}

int mpiqos_flow_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    mpiqos_record_t *record = mpiqos_record_remove(value);

    (void)comm;
    (void)keyval;
    (void)extra;
    if (record != NULL) {
        mpiqos_release_all(record);
        mpiqos_record_destroy(record);
    }
    return MPI_SUCCESS;
}

/* --- reading --------------------------------------------------------------*/

int mpiqos_flow_read(MPI_Comm comm, MPIQOS_Flow *flow)
{
    mpiqos_record_t *record = mpiqos_record_find(comm);

    if (record == NULL) {
        return 0;
    }
    for (int i = 0; i < record->hold_count; ++i) {
        MPIX_GM_Answer now;

        if (MPIX_GM_Flow_state(comm, record->holds[i].peer, &now) ==
            MPI_SUCCESS) {
            record->holds[i].answer = now;
        }
    }
    *flow = record->flow;
    if (flow->state == MPIQOS_GRANTED) {
        mpiqos_answer_granted(record, flow);
    } else if (flow->state == MPIQOS_DENIED) {
        mpiqos_show_holds(record, flow);
    }
    return 1;
}
