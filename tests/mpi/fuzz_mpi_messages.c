/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs rounds of messages: any number of messages between any ranks, with all
 * kinds of send and receive calls. A round checks the received data after all
 * receives have ended. Messages with the same source and tag must match the
 * receives of a communicator in order: the first message matches the first
 * receive.
 */
#include "fuzz_mpi.h"

#include <string.h>

enum {
    MOST_MESSAGES = 40,
    MOST_BUFFERED_BYTES = 60000,
    ROOM_BYTES = MOST_MESSAGES * (MOST_BUFFERED_BYTES + MPI_BSEND_OVERHEAD),
    TAGS = 3,
    READY_TAG = 1000,
    NEVER_TAG = 999
};

typedef enum mode {
    ISEND,
    ISSEND,
    IBSEND,
    IRSEND,
    SEND_INIT
} send_mode_t;

/*
 * The source and tag arguments of a rank's receives on a communicator. The
 * arguments are chosen such that no receive matches a message that another
 * receive needs.
 */
typedef enum {
    SPECIFIC,
    ANY_SOURCES,
    ANY_TAGS,
    ANY_BOTH
} choice_t;

typedef struct message {
    int source, dest, comm, tag; /* rank in MPI_COMM_WORLD */
    long bytes;
    send_mode_t mode;
    int is_taken; /* 1: a checked receive has matched the message */
    fuzz_layout_t layout;
    fuzz_memory_t memory;
} message_t;

typedef struct receive {
    /* arguments of the MPI call; source is a rank in comm */
    int source, tag, comm;
    fuzz_layout_t layout;
    fuzz_memory_t memory;
    int error; /* expected class of the error */
    MPI_Status status;
} receive_t;

typedef struct pending {
    MPI_Request request;
    receive_t *receive; /* NULL if the request is a send */
} pending_t;

static struct {
    message_t messages[MOST_MESSAGES];
    int n_messages;
    unsigned bases[16][FUZZ_COMMS]; /* basic types, indexed by receiver and
                                     * communicator */
    choice_t choices[FUZZ_COMMS];   /* choices for this rank's receives */
    receive_t receives[MOST_MESSAGES];
    int n_receives;
    receive_t *posted[2 * MOST_MESSAGES];
    int n_posted;
    pending_t pending[2 * MOST_MESSAGES];
    int n_pending;
} play;

/* Convert a rank in MPI_COMM_WORLD to a rank in a communicator. */
static int rank_in(int comm, int world_rank)
{
    MPI_Group world, group;
    int rank;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(fuzz_comms[comm], &group);
    MPI_Group_translate_ranks(world, 1, &world_rank, group, &rank);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return rank;
}

/* ---- the plan of a round ---- */

static void draw_messages(void)
{
    /* this rank receives more messages than the others */
    int busy = (int)fuzz_draw((unsigned)check_size);

    memset(&play, 0, sizeof(play));
    for (int i = 0; i < check_size; ++i) {
        for (int k = 0; k < FUZZ_COMMS; ++k) {
            play.bases[i][k] = fuzz_draw(FUZZ_BASES);
        }
    }
    play.n_messages = 1 + (int)fuzz_draw(fuzz_draw(3) ? 12 : MOST_MESSAGES);
    for (int i = 0; i < play.n_messages; ++i) {
        message_t *message = &play.messages[i];
        int size;

        message->comm = (int)fuzz_draw(FUZZ_COMMS);
        message->source = (int)fuzz_draw((unsigned)check_size);
        message->dest =
            fuzz_draw(4) ? (int)fuzz_draw((unsigned)check_size) : busy;
        MPI_Comm_size(fuzz_comms[message->comm], &size);
        if (size == 1) {
            message->dest = message->source;
        }
        message->tag = (int)fuzz_draw(TAGS);
        message->bytes = fuzz_length(play.bases[message->dest][message->comm],
                                     fuzz_most_bytes);
        message->mode = (send_mode_t)fuzz_draw(5);
        if (message->mode == IBSEND && message->bytes > MOST_BUFFERED_BYTES) {
            message->mode = ISEND;
        }
        if (message->mode == IRSEND) {
            message->tag = READY_TAG + i;
        }
    }
}

/*
 * Choose the size of a receive's buffer. In most cases, the buffer is large
 * enough for the longest message that may match.
 */
static void receive_make(receive_t *receive, int comm)
{
    unsigned base = play.bases[check_rank][comm];
    long most = 0;

    for (int i = 0; i < play.n_messages; ++i) {
        const message_t *message = &play.messages[i];

        if (message->dest == check_rank && message->comm == comm &&
            message->bytes > most) {
            most = message->bytes;
        }
    }
    if (fuzz_below(&fuzz_own, 8) == 0) {
        most = most / 2 - most / 2 % fuzz_base_bytes(base);
    }
    receive->comm = comm;
    fuzz_layout_make(&receive->layout, &fuzz_own, base, most);
    fuzz_memory_make(&receive->memory, &receive->layout);
}

/* ---- sending ---- */

static void send_message(message_t *message, unsigned number)
{
    pending_t *pending = &play.pending[play.n_pending++];
    MPI_Comm comm = fuzz_comms[message->comm];
    int dest = rank_in(message->comm, message->dest), tag = message->tag;
    MPI_Request *request = &pending->request;
    const fuzz_layout_t *layout = &message->layout;
    MPI_Datatype type;
    void *buffer;

    fuzz_layout_make(&message->layout, &fuzz_own,
                     play.bases[message->dest][message->comm], message->bytes);
    fuzz_memory_make(&message->memory, layout);
    fuzz_memory_fill(&message->memory, layout, number, message->bytes);
    buffer = message->memory.buffer;
    pending->receive = NULL;
    MPI_Type_dup(layout->type, &type);
    switch (message->mode) {
    case ISEND:
        MPI_Isend(buffer, layout->count, type, dest, tag, comm, request);
        break;
    case ISSEND:
        MPI_Issend(buffer, layout->count, type, dest, tag, comm, request);
        break;
    case IBSEND:
        MPI_Ibsend(buffer, layout->count, type, dest, tag, comm, request);
        break;
    case IRSEND:
        MPI_Irsend(buffer, layout->count, type, dest, tag, comm, request);
        break;
    case SEND_INIT:
        MPI_Send_init(buffer, layout->count, type, dest, tag, comm, request);
        MPI_Start(request);
        break;
    }
    MPI_Type_free(&type); /* the message remains in flight */
}

/* ---- receiving ---- */

static void post_receive(receive_t *receive, int may_block)
{
    pending_t *pending = &play.pending[play.n_pending];
    MPI_Comm comm = fuzz_comms[receive->comm];
    const fuzz_layout_t *layout = &receive->layout;
    void *buffer = receive->memory.buffer;
    MPI_Datatype type;
    MPI_Message message;
    int flag = 0;

    play.posted[play.n_posted++] = receive;
    pending->receive = receive;
    MPI_Type_dup(layout->type, &type);
    switch (fuzz_below(&fuzz_own, may_block ? 7 : 3)) {
    case 0:
        MPI_Recv_init(buffer, layout->count, type, receive->source,
                      receive->tag, comm, &pending->request);
        MPI_Start(&pending->request);
        break;
    case 3:
        MPI_Mprobe(receive->source, receive->tag, comm, &message,
                   MPI_STATUS_IGNORE);
        MPI_Imrecv(buffer, layout->count, type, &message, &pending->request);
        break;
    case 4:
        while (!flag) {
            MPI_Improbe(receive->source, receive->tag, comm, &flag, &message,
                        MPI_STATUS_IGNORE);
        }
        MPI_Imrecv(buffer, layout->count, type, &message, &pending->request);
        break;
    case 5:
        while (!flag) {
            MPI_Iprobe(receive->source, receive->tag, comm, &flag,
                       &receive->status);
        }
        MPI_Irecv(buffer, layout->count, type, receive->status.MPI_SOURCE,
                  receive->status.MPI_TAG, comm, &pending->request);
        break;
    case 6:
        flag = MPI_Recv(buffer, layout->count, type, receive->source,
                        receive->tag, comm, &receive->status);
        MPI_Error_class(flag, &receive->error);
        --play.n_pending;
        break;
    default:
        MPI_Irecv(buffer, layout->count, type, receive->source, receive->tag,
                  comm, &pending->request);
        break;
    }
    MPI_Type_free(&type);
    ++play.n_pending;
}

/*
 * Post a receive, cancel it, and post it again if the cancellation succeeded.
 */
static void post_and_cancel(receive_t *receive)
{
    MPI_Status status;
    pending_t *pending = &play.pending[play.n_pending];
    const fuzz_layout_t *layout = &receive->layout;
    int is_cancelled;

    MPI_Irecv(receive->memory.buffer, layout->count, layout->type,
              receive->source, receive->tag, fuzz_comms[receive->comm],
              &pending->request);
    MPI_Cancel(&pending->request);
    is_cancelled = MPI_Wait(&pending->request, &status);
    MPI_Error_class(is_cancelled, &receive->error);
    MPI_Test_cancelled(&status, &is_cancelled);
    if (is_cancelled) {
        receive->error = MPI_SUCCESS;
        post_receive(receive, 0);
    } else {
        play.posted[play.n_posted++] = receive;
        receive->status = status;
    }
}

/* Post a receive that matches no message, and cancel it. */
static void cancel_one_for_nothing(void)
{
    MPI_Request request;
    MPI_Status status;
    char byte = 'x';
    int is_cancelled = 0;

    MPI_Irecv(&byte, 1, MPI_BYTE, 0, NEVER_TAG, fuzz_comms[0], &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    CHECK(is_cancelled && byte == 'x',
          "round %d: the receive was not cancelled", fuzz_round);
}

static void make_receives(int is_ready)
{
    for (int i = 0; i < play.n_messages; ++i) {
        message_t *message = &play.messages[i];
        receive_t *receive = &play.receives[play.n_receives];
        choice_t choice = is_ready ? SPECIFIC : play.choices[message->comm];

        if (message->dest != check_rank ||
            (message->mode == IRSEND) != is_ready) {
            continue;
        }
        ++play.n_receives;
        receive_make(receive, message->comm);
        receive->source = choice == ANY_SOURCES || choice == ANY_BOTH
                              ? MPI_ANY_SOURCE
                              : rank_in(message->comm, message->source);
        receive->tag = choice == ANY_TAGS || choice == ANY_BOTH ? MPI_ANY_TAG
                                                                : message->tag;
    }
}

/* ---- other traffic between the messages ---- */

static void change_reservation(void)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;
    MPI_Comm comm = fuzz_comms[fuzz_below(&fuzz_own, 2)];

    flow.peer = (int)fuzz_below(&fuzz_own, (unsigned)check_size);
    if (flow.peer == check_rank || comm == MPI_COMM_WORLD) {
        return;
    }
    flow.bandwidth = fuzz_below(&fuzz_own, 3) * 3e6;
    flow.qos_class =
        fuzz_below(&fuzz_own, 3) ? MPIQOS_PREMIUM : MPIQOS_BEST_EFFORT;
    flow.message_size = 1 + (long)fuzz_below(&fuzz_own, 100000);
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
}

static void look_around(void)
{
    int flag;

    switch (fuzz_below(&fuzz_own, 12)) {
    case 0:
        change_reservation();
        break;
    case 1:
        cancel_one_for_nothing();
        break;
    case 2:
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, fuzz_comms[0], &flag,
                   MPI_STATUS_IGNORE);
        break;
    default:
        break;
    }
}

/*
 * Post all sends and receives in any order, except those for ready messages. A
 * receive may block only after all messages have been sent.
 */
static void post_all(void)
{
    int next = 0, first = play.n_receives;

    make_receives(0);
    for (int i = play.n_receives - 1; i > first; --i) {
        int k = first + (int)fuzz_below(&fuzz_own, (unsigned)(i - first + 1));
        receive_t other = play.receives[i];

        play.receives[i] = play.receives[k];
        play.receives[k] = other;
    }
    while (next < play.n_messages || first < play.n_receives) {
        while (next < play.n_messages &&
               play.messages[next].source != check_rank) {
            ++next;
        }
        if (next < play.n_messages &&
            (first == play.n_receives || fuzz_below(&fuzz_own, 2))) {
            send_message(&play.messages[next], (unsigned)next);
            ++next;
        } else if (first < play.n_receives) {
            if (fuzz_below(&fuzz_own, 10) == 0) {
                post_and_cancel(&play.receives[first++]);
            } else {
                post_receive(&play.receives[first++], next == play.n_messages);
            }
        }
        look_around();
    }
}

/* ---- completion ---- */

static void pending_end(pending_t *pending, int error, const MPI_Status *status)
{
    int class;

    MPI_Error_class(error, &class);
    if (pending->receive) {
        pending->receive->status = *status;
        pending->receive->error = class;
    } else {
        CHECK(class == MPI_SUCCESS,
              "round %d: a send failed with error class %d", fuzz_round, class);
    }
    if (pending->request != MPI_REQUEST_NULL) {
        MPI_Request_free(&pending->request);
    }
}

/*
 * When MPI_Waitall() returns an error, other requests may still be active.
 */
static void wait_for_all_at_once(void)
{
    MPI_Request requests[2 * MOST_MESSAGES];
    MPI_Status statuses[2 * MOST_MESSAGES];

    while (play.n_pending > 0) {
        int n = play.n_pending, error;

        for (int i = 0; i < n; ++i) {
            requests[i] = play.pending[i].request;
        }
        error = MPI_Waitall(n, requests, statuses);
        MPI_Error_class(error, &error);
        CHECK(error == MPI_SUCCESS || error == MPI_ERR_IN_STATUS,
              "round %d: MPI_Waitall returned error class %d", fuzz_round,
              error);
        play.n_pending = 0;
        for (int i = 0; i < n; ++i) {
            pending_t pending = play.pending[i];
            int each = error == MPI_SUCCESS ? error : statuses[i].MPI_ERROR;

            pending.request = requests[i];
            if (each == MPI_ERR_PENDING) {
                play.pending[play.n_pending++] = pending;
            } else {
                pending_end(&pending, each, &statuses[i]);
            }
        }
    }
}

/* Complete requests with MPI_Test() or MPI_Wait(), in any order. */
static void wait_for_each(int is_by_test)
{
    while (play.n_pending > 0) {
        int i = (int)fuzz_below(&fuzz_own, (unsigned)play.n_pending);
        pending_t *pending = &play.pending[i];
        MPI_Status status;
        int flag = 1, error;

        error = is_by_test ? MPI_Test(&pending->request, &flag, &status)
                           : MPI_Wait(&pending->request, &status);
        if (flag) {
            pending_end(pending, error, &status);
            *pending = play.pending[--play.n_pending];
        }
    }
}

static void wait_for_any(void)
{
    MPI_Request requests[2 * MOST_MESSAGES];
    int n = play.n_pending;

    for (int i = 0; i < n; ++i) {
        requests[i] = play.pending[i].request;
    }
    for (int left = n; left > 0; --left) {
        MPI_Status status;
        int i, error = MPI_Waitany(n, requests, &i, &status);

        CHECK(i >= 0 && i < n, "round %d: MPI_Waitany returned index %d",
              fuzz_round, i);
        play.pending[i].request = requests[i];
        pending_end(&play.pending[i], error, &status);
        /* free the request; otherwise, a persistent request would be found
         * again */
        requests[i] = MPI_REQUEST_NULL;
    }
}

static void judge_receive(receive_t *receive, MPI_Group world)
{
    int source = -1, bytes, number = -1;
    MPI_Group group;

    MPI_Comm_group(fuzz_comms[receive->comm], &group);
    MPI_Group_translate_ranks(group, 1, &receive->status.MPI_SOURCE, world,
                              &source);
    MPI_Group_free(&group);
    for (int i = play.n_messages - 1; i >= 0; --i) {
        const message_t *message = &play.messages[i];

        if (message->source == source && message->dest == check_rank &&
            message->comm == receive->comm &&
            message->tag == receive->status.MPI_TAG && !message->is_taken) {
            number = i;
        }
    }
    CHECK(number >= 0, "round %d: unexpected message from rank %d with tag %d",
          fuzz_round, source, receive->status.MPI_TAG);
    if (number >= 0) {
        message_t *message = &play.messages[number];
        int is_short = message->bytes > receive->layout.bytes;
        long right = is_short ? receive->layout.bytes : message->bytes;

        message->is_taken = 1;
        MPI_Get_count(&receive->status, MPI_BYTE, &bytes);
        CHECK(receive->error == (is_short ? MPI_ERR_TRUNCATE : MPI_SUCCESS),
              "round %d, message %d: error class %d", fuzz_round, number,
              receive->error);
        CHECK(bytes == right,
              "round %d, message %d: received %d bytes, expected %ld",
              fuzz_round, number, bytes, right);
        fuzz_memory_check(&receive->memory, &receive->layout, (unsigned)number,
                          right, "received");
        fuzz_note((uint64_t)number);
    }
    fuzz_memory_free(&receive->memory);
    fuzz_layout_free(&receive->layout);
}

static void judge_all(void)
{
    MPI_Group world;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < play.n_posted; ++i) {
        judge_receive(play.posted[i], world);
    }
    for (int i = 0; i < play.n_messages; ++i) {
        message_t *message = &play.messages[i];

        CHECK(message->dest != check_rank || message->is_taken,
              "round %d: message %d is lost", fuzz_round, i);
        if (message->source == check_rank) {
            fuzz_memory_check(&message->memory, &message->layout, (unsigned)i,
                              message->bytes, "sent");
            fuzz_memory_free(&message->memory);
            fuzz_layout_free(&message->layout);
        }
    }
    MPI_Group_free(&world);
}

void fuzz_play_messages(void)
{
    static char *room;
    MPI_Request reduction;
    long sum, one = check_rank + 1;
    int size, has_reduction = (int)fuzz_draw(3) == 0;

    draw_messages();
    room = malloc(ROOM_BYTES);
    MPI_Buffer_attach(room, ROOM_BYTES);
    for (int i = 0; i < FUZZ_COMMS; ++i) {
        play.choices[i] = (choice_t)fuzz_below(&fuzz_own, 4);
    }
    make_receives(1);
    for (int i = 0; i < play.n_receives; ++i) {
        post_receive(&play.receives[i], 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (has_reduction) {
        MPI_Iallreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, fuzz_comms[0],
                       &reduction);
    }
    post_all();
    switch (fuzz_below(&fuzz_own, 4)) {
    case 0:
        wait_for_all_at_once();
        break;
    case 1:
        wait_for_any();
        break;
    default:
        wait_for_each((int)fuzz_below(&fuzz_own, 2));
        break;
    }
    if (has_reduction) {
        MPI_Wait(&reduction, MPI_STATUS_IGNORE);
        CHECK(sum == (long)check_size * (check_size + 1) / 2,
              "incorrect sum %ld", sum);
    }
    MPI_Buffer_detach(&room, &size);
    free(room);
    /* a receive with wildcards must not match a message of the next round */
    MPI_Barrier(MPI_COMM_WORLD);
    judge_all();
}
