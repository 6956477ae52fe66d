/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the hooks of the attribute MPIQOS_FLOW. The hooks check and
 * translate a request, send it to the bandwidth manager, answer it, and release
 * the reservations.
 */
#include "flow.h"
#include "answer.h"
#include "device.h"
#include "errors.h"
#include "record.h"
#include "report.h"
#include "verdict.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A request that is being processed. */
typedef struct mpiqos_ask {
    MPI_Comm comm;
    const MPIQOS_Flow *flow;
    const unsigned char *skip; /* see mpiqos_request_t */
    int peers;                 /* number of ranks that a request can address */
    int self;                  /* the caller's rank among these ranks, or -1 */
    mpiqos_cost_t cost;
    mpiqos_need_t need;
    mpiqos_record_t *old; /* current record of comm, or NULL */
} mpiqos_ask_t;

_Static_assert(MPIQOS_PLACE_LEN >= MPIX_GM_PLACE_LEN,
               "the device's name of a resource must fit into the field");
_Static_assert(MPIQOS_CRITERION_SOURCE_PROCESS == 4 &&
                   MPIQOS_CRITERION_DESTINATION_PROCESS == 5,
               "the criteria must equal those of the device");
_Static_assert(MPIQOS_CRITERION_BUFFER == 6 && MPIQOS_CRITERION_LATENCY == 9,
               "the criteria must equal those of the device");
_Static_assert(MPIX_GM_PREMIUM == (int)MPIQOS_PREMIUM,
               "the classes must equal those of the device");
_Static_assert(MPIX_GM_BEST_EFFORT == (int)MPIQOS_BEST_EFFORT,
               "the classes must equal those of the device");

/* Fill one element of the array `holds' for every requested peer. hold_count
 * increases only when the requests are granted. */
static int mpiqos_fill_holds(const mpiqos_ask_t *ask, mpiqos_record_t *record)
{
    int all = (ask->flow->peer == MPIQOS_ALL_PEERS);
    int first = all ? 0 : ask->flow->peer;
    int last = all ? ask->peers - 1 : ask->flow->peer;
    int count = 0;

    for (int peer = first; peer <= last; ++peer) {
        mpiqos_hold_t *hold = &record->holds[count];

        if (peer == ask->self || (ask->skip != NULL && ask->skip[peer]) ||
            !MPIX_GM_Is_remote(ask->comm, peer)) {
            continue;
        }
        hold->peer = peer;
        hold->qos_class = ask->flow->qos_class;
        hold->need = ask->need;
        hold->burst = ask->flow->burst;
        hold->cost = ask->cost;
        ++count;
    }
    return count;
}

/* Return the element of the array `holds' whose request was denied. Only this
 * element contains an answer with a criterion. */
static const mpiqos_hold_t *mpiqos_find_denied(const mpiqos_hold_t *holds,
                                               int count)
{
    for (int i = 0; i < count; ++i) {
        if (holds[i].answer.criterion != MPIQOS_CRITERION_NONE) {
            return &holds[i];
        }
    }
    return &holds[0];
}

/* Request the flows to all peers; either all of them are granted or none. If
 * the requests do not fit into one exchange with the manager, use several
 * exchanges. If a later exchange fails, undo the earlier exchanges. After a
 * denial, *denied_p is the denied request with its answer. A denial or an error
 * does not change the reservations. */
static int mpiqos_request_all(const mpiqos_ask_t *ask, mpiqos_record_t *record,
                              mpiqos_hold_t *denied_p, int *granted_p)
{
    int count = mpiqos_fill_holds(ask, record);

    *granted_p = 1;
    while (record->hold_count < count) {
        mpiqos_hold_t *holds = &record->holds[record->hold_count];
        int some = count - record->hold_count;
        int err;

        some = (some > MPIX_GM_MAX_REQUESTS) ? MPIX_GM_MAX_REQUESTS : some;
        err = mpiqos_hold_request(ask->comm, holds, some);
        if (err != MPI_SUCCESS || !holds[0].answer.granted) {
            *denied_p = *mpiqos_find_denied(holds, some);
            *granted_p = 0;
            mpiqos_roll_back(record, ask->old);
            return err;
        }
        record->hold_count += some;
    }
    return MPI_SUCCESS;
}

/* --- setting --------------------------------------------------------------*/

int mpiqos_peers(MPI_Comm comm, int *peers_p, int *self_p)
{
    int inter;
    int err = PMPI_Comm_test_inter(comm, &inter);

    *self_p = -1;
    if (err != MPI_SUCCESS) {
        return err;
    }
    if (inter) {
        return PMPI_Comm_remote_size(comm, peers_p);
    }
    err = PMPI_Comm_size(comm, peers_p);
    return (err == MPI_SUCCESS) ? PMPI_Comm_rank(comm, self_p) : err;
}

static int mpiqos_ask_init(mpiqos_ask_t *ask, MPI_Comm comm,
                           const mpiqos_request_t *request)
{
    ask->comm = comm;
    ask->flow = request->flow;
    ask->skip = request->skip;
    ask->old = NULL;
    return mpiqos_peers(comm, &ask->peers, &ask->self);
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
        .longest_packets = cost.longest_packets,
        .is_eager = cost.eager,
        .eager_bytes = (long)cost.eager_bytes,
        .puts_ahead = cost.puts_ahead,
        .answers_ahead = cost.answers_ahead,
    };
    if (ask->flow->qos_class == MPIQOS_PREMIUM) {
        mpiqos_translate(ask->flow->bandwidth, &ask->cost, &ask->need);
        mpiqos_translate_shape(ask->flow->burst, ask->flow->delay,
                               ask->flow->jitter, &ask->cost, &ask->need);
    } else {
        memset(&ask->need, 0, sizeof(ask->need));
        ask->need.payload_part = mpiqos_payload_part(&ask->cost);
    }
    return MPI_SUCCESS;
}

static int mpiqos_is_process(int criterion)
{
    return criterion == MPIQOS_CRITERION_SOURCE_PROCESS ||
           criterion == MPIQOS_CRITERION_DESTINATION_PROCESS;
}

/* Answer a denied request. The manager identifies a process by node and port,
 * but the program knows only the rank; the answer therefore contains the
 * rank. */
static void mpiqos_deny(const mpiqos_ask_t *ask, const mpiqos_hold_t *denied,
                        mpiqos_record_t *record)
{
    int criterion = denied->answer.criterion;
    int rank = ask->self;
    char place[MPIQOS_PLACE_LEN];
    double left;

    if (mpiqos_is_process(criterion)) {
        left = mpiqos_process_request(denied->answer.left, &denied->cost);
        if (criterion == MPIQOS_CRITERION_DESTINATION_PROCESS) {
            rank = denied->peer;
        } else if (rank < 0) {
            PMPI_Comm_rank(ask->comm, &rank);
        }
        snprintf(place, sizeof(place), "rank %d", rank);
    } else {
        left = mpiqos_largest_request(denied->answer.left, &denied->cost);
        snprintf(place, sizeof(place), "%s", denied->answer.place);
    }
    mpiqos_keep_old(record, ask->old);
    mpiqos_answer_denied(record, denied, place, left);
}

/* Return 1 if a requested peer is on another host, or if the request has no
 * peers. */
static int mpiqos_is_remote(const mpiqos_ask_t *ask)
{
    int local = 0;

    if (ask->flow->peer != MPIQOS_ALL_PEERS) {
        return MPIX_GM_Is_remote(ask->comm, ask->flow->peer);
    }
    for (int peer = 0; peer < ask->peers; ++peer) {
        if (peer == ask->self || (ask->skip != NULL && ask->skip[peer])) {
            continue;
        }
        if (MPIX_GM_Is_remote(ask->comm, peer)) {
            return 1;
        }
        local = 1;
    }
    return !local;
}

/* Answer a request that can never be granted. The request does not change any
 * reservation. */
static void mpiqos_answer_local(const mpiqos_ask_t *ask,
                                mpiqos_record_t *record)
{
    char peer[32], reason[MPIQOS_REASON_LEN];

    mpiqos_describe_peer(ask->flow, peer, sizeof(peer));
    snprintf(reason, sizeof(reason),
             "%s is on the same host, and messages that pass through the "
             "host's memory are not regulated; to send them through the NIC, "
             "set intra_host: nic in the cluster description%s",
             peer,
             (ask->old != NULL && ask->old->hold_count > 0)
                 ? "; the former reservation stays in force"
                 : "");
    mpiqos_keep_old(record, ask->old);
    mpiqos_flow_answer(&record->flow, MPIQOS_UNSUPPORTED, reason);
    mpiqos_show_holds(record, &record->flow);
}

/* Return 1 if the request has a bound that later grants could break. The
 * manager does not know the bound of a message that waits for the receiver's
 * answer. */
static int mpiqos_is_unbounded(const mpiqos_ask_t *ask)
{
    return ask->flow->qos_class == MPIQOS_PREMIUM && !ask->cost.is_eager &&
           (ask->flow->delay > 0.0 || ask->flow->jitter > 0.0);
}

static void mpiqos_answer_unbounded(const mpiqos_ask_t *ask,
                                    mpiqos_record_t *record)
{
    char reason[MPIQOS_REASON_LEN];

    snprintf(reason, sizeof(reason),
             "a delay or jitter requires messages that MPI sends eagerly (up "
             "to %ld bytes), but message_size is %ld bytes. A request without "
             "a delay or jitter returns the current bound, which later grants "
             "can raise%s",
             ask->cost.eager_bytes, ask->flow->message_size,
             (ask->old != NULL && ask->old->hold_count > 0)
                 ? "; the former reservation stays in force"
                 : "");
    mpiqos_keep_old(record, ask->old);
    mpiqos_flow_answer(&record->flow, MPIQOS_DENIED, reason);
    mpiqos_show_holds(record, &record->flow);
    record->flow.criterion = (ask->flow->delay > 0.0) ? MPIQOS_CRITERION_DELAY
                                                      : MPIQOS_CRITERION_JITTER;
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
                           "the cluster's packet scheduler does not pace "
                           "packets; reservations need scheduler: rate");
        return MPI_SUCCESS;
    }
    if (!mpiqos_is_remote(ask)) {
        mpiqos_answer_local(ask, record);
        return MPI_SUCCESS;
    }
    if (mpiqos_is_unbounded(ask)) {
        mpiqos_answer_unbounded(ask, record);
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
        mpiqos_deny(ask, &denied, record);
    }
    return MPI_SUCCESS;
}

static int mpiqos_is_release(const MPIQOS_Flow *flow)
{
    return flow->qos_class == MPIQOS_PREMIUM && !(flow->bandwidth > 0.0);
}

/* Answer a well-formed request. */
static int mpiqos_answer(mpiqos_ask_t *ask, mpiqos_record_t *record)
{
    if (mpiqos_is_release(ask->flow)) {
        mpiqos_release_dropped(ask->old, record);
        mpiqos_flow_answer(&record->flow, MPIQOS_RELEASED,
                           "nothing is reserved on this communicator");
        return MPI_SUCCESS;
    }
    return mpiqos_reserve(ask, record);
}

/* Answer a malformed request. The request does not change any reservation. */
static void mpiqos_answer_malformed(const mpiqos_ask_t *ask,
                                    const char *malformed,
                                    mpiqos_record_t *record)
{
    const MPIQOS_Flow start = MPIQOS_FLOW_INIT;

    mpiqos_keep_old(record, ask->old);
    record->flow = (ask->old != NULL) ? ask->old->flow : start;
    mpiqos_flow_answer(&record->flow, MPIQOS_MALFORMED, malformed);
    mpiqos_show_holds(record, &record->flow);
}

/* Create a new record for the communicator, with the request and its answer. */
static int mpiqos_record_answered(mpiqos_ask_t *ask,
                                  const mpiqos_request_t *request,
                                  mpiqos_record_t **record_p)
{
    int room = ask->peers;
    mpiqos_record_t *record;
    int err = MPI_SUCCESS;

    /* After a denial, the new record takes over the old reservations. */
    if (ask->old != NULL && ask->old->hold_count > room) {
        room = ask->old->hold_count;
    }
    record = mpiqos_record_create(ask->comm, ask->flow, room);
    if (record == NULL) {
        return MPI_ERR_NO_MEM;
    }
    record->origin = request->origin;
    if (request->malformed != NULL) {
        mpiqos_answer_malformed(ask, request->malformed, record);
    } else {
        err = mpiqos_answer(ask, record);
    }
    if (err != MPI_SUCCESS) {
        mpiqos_record_destroy(record);
        return err;
    }
    record->asked[0] = record->flow;
    mpiqos_report_note(ask->comm, request, &record->flow);
    *record_p = record;
    return MPI_SUCCESS;
}

/* The request that causes the current call to the set hook; NULL if the program
 * itself sets the attribute. */
static _Thread_local const mpiqos_request_t *mpiqos_asking;

int mpiqos_flow_set(MPI_Comm comm, int keyval, void **value)
{
    MPIQOS_Flow flow;
    mpiqos_request_t plain = {.flow = &flow};
    const mpiqos_request_t *request = &plain;
    mpiqos_record_t *record = NULL;
    mpiqos_fault_t fault;
    mpiqos_ask_t ask;
    int err;

    (void)keyval;
    if (mpiqos_asking != NULL && mpiqos_asking->flow == *value) {
        request = mpiqos_asking;
    } else if (*value != NULL) {
        mpiqos_flow_import(*value, &flow);
    } else {
        plain.flow = NULL;
    }
    err = mpiqos_ask_init(&ask, comm, request);
    if (err != MPI_SUCCESS) {
        return err;
    }
    fault = mpiqos_flow_check(ask.flow, ask.peers, ask.self);
    if (fault != MPIQOS_FAULT_NONE && request->malformed == NULL) {
        return mpiqos_errors_code(fault);
    }
    ask.old = mpiqos_record_find(comm);
    err = mpiqos_record_answered(&ask, request, &record);
    if (err != MPI_SUCCESS) {
        return err;
    }
    if (ask.old != NULL) {
        ask.old->superseded = 1;
        ask.old->hold_count = 0;
    }
    mpiqos_record_insert(record);
    *value = record;
    return MPI_SUCCESS;
}

int mpiqos_request(MPI_Comm comm, const mpiqos_request_t *request)
{
    const mpiqos_request_t *before = mpiqos_asking;
    int err;

    mpiqos_asking = request;
    err =
        PMPI_Comm_set_attr(comm, MPIQOS_FLOW, (void *)(uintptr_t)request->flow);
    mpiqos_asking = before;
    return err;
}

int mpiqos_request_by_program(MPI_Comm comm)
{
    const mpiqos_record_t *record = mpiqos_record_find(comm);

    return record != NULL && record->origin != MPIQOS_ORIGIN_POLICY;
}

int mpiqos_request_more(MPI_Comm comm, const mpiqos_request_t *request)
{
    mpiqos_record_t *first = mpiqos_record_find(comm);
    mpiqos_record_t *more = NULL;
    mpiqos_ask_t ask;
    int err = mpiqos_ask_init(&ask, comm, request);

    if (err == MPI_SUCCESS) {
        err = mpiqos_record_answered(&ask, request, &more);
    }
    if (err != MPI_SUCCESS) {
        return err;
    }
    if (mpiqos_record_add(first, &more->flow) != 0) {
        mpiqos_release_all(more);
        mpiqos_record_destroy(more);
        return MPI_ERR_NO_MEM;
    }
    /* The record has enough room, because these peers differ from the peers of
     * the earlier requests. */
    for (int i = 0; i < more->hold_count; ++i) {
        more->holds[i].part = first->parts;
        first->holds[first->hold_count++] = more->holds[i];
    }
    mpiqos_record_destroy(more);
    first->held_part = first->shown;
    first->flow = first->asked[first->shown];
    mpiqos_count_rules(first, &first->flow);
    return MPI_SUCCESS;
}

int mpiqos_flow_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    mpiqos_record_t *record = mpiqos_record_remove(value);

    /* MPI passes an attribute that was set in Fortran as the address of an
     * integer [source: MPI 4.0, 19.3.7]. If MPI has called the set hook for
     * every value, this integer contains the address of a record. */
    if (record == NULL && mpiqos_flow_is_watched()) {
        record = mpiqos_record_remove(*(void **)value);
    }
    (void)comm;
    (void)keyval;
    (void)extra;
    if (record != NULL) {
        mpiqos_verdict_note(record);
        mpiqos_release_all(record);
        mpiqos_record_destroy(record);
    }
    return MPI_SUCCESS;
}

/* --- reading --------------------------------------------------------------*/

int mpiqos_flow_copy(MPI_Comm comm, MPIQOS_Flow *flow)
{
    const mpiqos_record_t *record = mpiqos_record_find(comm);

    if (record != NULL) {
        *flow = record->flow;
    }
    return record != NULL;
}

/* Query the manager for the present state of all reservations. */
static void mpiqos_refresh(mpiqos_record_t *record)
{
    for (int i = 0; i < record->hold_count; ++i) {
        MPIX_GM_Answer now;

        if (MPIX_GM_Flow_state(record->comm, record->holds[i].peer, &now) ==
            MPI_SUCCESS) {
            record->holds[i].answer = now;
        }
    }
}

int mpiqos_flow_read(MPI_Comm comm, MPIQOS_Flow *flow)
{
    mpiqos_record_t *record = mpiqos_record_find(comm);

    if (record == NULL) {
        return 0;
    }
    mpiqos_refresh(record);
    *flow = record->flow;
    if (flow->state == MPIQOS_GRANTED) {
        mpiqos_answer_granted(record, flow);
        mpiqos_count_rules(record, flow);
    } else {
        mpiqos_show_holds(record, flow);
    }
    return 1;
}

/* Return the request that covers a peer: the request of the peer's reservation
 * or, without a reservation, the first request for this peer that was not
 * granted. */
static const MPIQOS_Flow *mpiqos_find_peer(const mpiqos_record_t *record,
                                           int peer, const mpiqos_hold_t *hold)
{
    if (hold != NULL) {
        return (hold->part <= record->parts) ? &record->asked[hold->part]
                                             : &record->flow;
    }
    for (unsigned i = 0; i <= record->parts; ++i) {
        if (record->asked[i].state != MPIQOS_GRANTED &&
            (record->asked[i].peer == peer ||
             record->asked[i].peer == MPIQOS_ALL_PEERS)) {
            return &record->asked[i];
        }
    }
    return NULL;
}

int mpiqos_flow_read_peer(MPI_Comm comm, int peer, MPIQOS_Flow *flow)
{
    mpiqos_record_t *record = mpiqos_record_find(comm);
    mpiqos_hold_t *hold = mpiqos_hold_find(record, peer);
    const MPIQOS_Flow *asked =
        (record != NULL) ? mpiqos_find_peer(record, peer, hold) : NULL;

    if (asked == NULL) {
        return 0;
    }
    *flow = *asked;
    flow->peer = peer;
    if (hold != NULL) {
        mpiqos_record_t one = {
            .holds = hold, .hold_count = 1, .held_part = hold->part};

        mpiqos_refresh(record);
        if (flow->state == MPIQOS_GRANTED) {
            mpiqos_answer_granted(&one, flow);
        } else {
            mpiqos_show_holds(&one, flow);
        }
    }
    return 1;
}

unsigned mpiqos_flow_rules(MPI_Comm comm, const MPIQOS_Flow **rules_p)
{
    const mpiqos_record_t *record = mpiqos_record_find(comm);

    if (record == NULL || record->parts == 0) {
        return 0;
    }
    *rules_p = record->asked;
    return record->parts + 1;
}
