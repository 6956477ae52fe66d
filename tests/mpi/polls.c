/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests loops of calls that do not wait: virtual time must advance in these
 * loops, and they must end. Some loops end when a message arrives. The sender
 * computes before it sends this message. Other loops end at a given time,
 * without any message. The library repeatedly doubles the time that a poll
 * takes, so a loop needs little real time for any virtual duration.
 */
#include "check.h"
#include "grequest.h"

#include "gmsim.h"

#define TAG        7
#define COMPUTE_PS UINT64_C(20000000000) /* 20 ms */
#define SECONDS    0.02
/* a poll takes at most 100 us; the first polls are shorter, so the loop needs a
 * few more polls */
#define POLLS_MAX 250

static int word;
static MPI_Request request;
static MPI_Status status;

static int poll_test(void)
{
    int flag;

    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static int poll_testall(void)
{
    int flag;

    MPI_Testall(1, &request, &flag, &status);
    return flag;
}

static int poll_testany(void)
{
    int index;
    int flag;

    MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static int poll_testsome(void)
{
    int index;
    int count;

    MPI_Testsome(1, &request, &count, &index, &status);
    return count == 1;
}

static int poll_get_status(void)
{
    int flag;

    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    if (flag) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return flag;
}

static int poll_iprobe(void)
{
    int flag;

    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (flag) {
        MPI_Recv(&word, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return flag;
}

static int poll_improbe(void)
{
    MPI_Message message;
    int flag;

    MPI_Improbe(1, TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    if (flag) {
        MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    return flag;
}

static const struct {
    const char *name;
    int (*poll)(void);
    int has_request;
} polls[] = {
    {"MPI_Test", poll_test, 1},
    {"MPI_Testall", poll_testall, 1},
    {"MPI_Testany", poll_testany, 1},
    {"MPI_Testsome", poll_testsome, 1},
    {"MPI_Request_get_status", poll_get_status, 1},
    {"MPI_Iprobe", poll_iprobe, 0},
    {"MPI_Improbe", poll_improbe, 0},
};

#define N_POLLS (sizeof(polls) / sizeof(polls[0]))

static void send_late(void)
{
    gmsim_compute(COMPUTE_PS);
    word = 5;
    MPI_Send(&word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

static void poll_until_message(unsigned kind)
{
    double start = MPI_Wtime();
    double seconds;
    unsigned count = 0;

    word = 0;
    if (polls[kind].has_request) {
        MPI_Irecv(&word, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &request);
    }
    do {
        ++count;
    } while (!polls[kind].poll());
    seconds = MPI_Wtime() - start;
    CHECK(word == 5, "%s: %d", polls[kind].name, word);
    CHECK(seconds > 0.95 * SECONDS && seconds < 1.1 * SECONDS, "%s: %g s",
          polls[kind].name, seconds);
    CHECK(count < POLLS_MAX, "%s: %u polls", polls[kind].name, count);
}

static void poll_until_time(unsigned kind)
{
    double start = MPI_Wtime();
    unsigned count = 0;

    if (polls[kind].has_request) {
        MPI_Irecv(&word, 1, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD, &request);
    }
    while (MPI_Wtime() - start < SECONDS) {
        CHECK(!polls[kind].poll(), "%s: complete, although no message was sent",
              polls[kind].name);
        ++count;
    }
    CHECK(count < POLLS_MAX, "%s: too many polls: %u in %g s", polls[kind].name,
          count, SECONDS);
    if (polls[kind].has_request) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* ---- generalized requests ------------------------------------------------- */

static double end_time;

static unsigned n_polled;

static int on_poll(void *state, MPI_Status *result)
{
    (void)result;
    ++n_polled;
    if (MPI_Wtime() > end_time) {
        MPI_Grequest_complete(*(MPI_Request *)state);
    }
    return MPI_SUCCESS;
}

/* Wait function of a generalized request. Only MPI_Waitall() calls this
 * function. */
static int on_wait(int count, void **states, double timeout, MPI_Status *result)
{
    (void)count;
    (void)timeout;
    end_time = 0;
    return on_poll(states[0], result);
}

static void test_grequest(void)
{
    int flag = 0;
    unsigned count = 0;

    MPI_Grequest_start(on_query, on_free, on_cancel, NULL, &request);
    end_time = MPI_Wtime() + SECONDS;
    while (!flag) {
        if (MPI_Wtime() > end_time) {
            MPI_Grequest_complete(request);
        }
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        ++count;
    }
    CHECK(count < POLLS_MAX, "too many tests of a generalized request: %u",
          count);
}

/* Use the extension with a poll function, which every waiting call must
 * call. */
static void wait_with_poll_fn(int kind, MPIX_Grequest_class class)
{
    static MPI_Request state;
    int index;
    int count;
    double seconds;

    n_polled = 0;
    MPIX_Grequest_class_allocate(class, &state, &request);
    state = request;
    end_time = MPI_Wtime() + SECONDS;
    switch (kind) {
    case 0:
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Waitsome(1, &request, &count, &index, &status);
        break;
    default:
        for (index = 0; !index;) {
            MPI_Test(&request, &index, MPI_STATUS_IGNORE);
        }
        break;
    }
    seconds = MPI_Wtime() - end_time;
    CHECK(seconds > 0 && seconds < SECONDS,
          "case %d: the request completed %g s after its time", kind, seconds);
    CHECK(n_polled < POLLS_MAX, "case %d: too many polls: %u", kind, n_polled);
}

static void test_poll_fn(void)
{
    MPIX_Grequest_class class;
    int kind;

    MPIX_Grequest_class_create(on_query, on_free, on_cancel, on_poll, on_wait,
                               &class);
    for (kind = 0; kind < 4; ++kind) {
        wait_with_poll_fn(kind, class);
    }
}

/* ---- windows, partitions ---------------------------------------------------- */

static void test_win_test(void)
{
    int peer = 1 - check_rank;
    unsigned count = 0;
    int target = 0;
    int flag = 0;
    MPI_Group world;
    MPI_Group other;
    MPI_Win win;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    MPI_Win_create(&target, sizeof(target), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    if (check_rank == 0) {
        MPI_Win_post(other, 0, win);
        while (!flag) {
            MPI_Win_test(win, &flag);
            ++count;
        }
        CHECK(target == 9, "%d", target);
        CHECK(count < POLLS_MAX, "too many calls to MPI_Win_test: %u", count);
    } else {
        int value = 9;

        gmsim_compute(COMPUTE_PS);
        MPI_Win_start(other, 0, win);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
}

static void test_parrived(void)
{
    unsigned count = 0;
    int flag = 0;

    word = check_rank;
    if (check_rank == 0) {
        MPI_Precv_init(&word, 1, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request);
        MPI_Start(&request);
        while (!flag) {
            MPI_Parrived(request, 0, &flag);
            ++count;
        }
        CHECK(word == 1, "%d", word);
        CHECK(count < POLLS_MAX, "too many calls to MPI_Parrived: %u", count);
    } else {
        MPI_Psend_init(&word, 1, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request);
        MPI_Start(&request);
        gmsim_compute(COMPUTE_PS);
        MPI_Pready(0, request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    unsigned kind;

    check_start(&argc, &argv);
    if (check_size != 2) {
        fprintf(stderr, "polls: requires 2 processes, not %d\n", check_size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (kind = 0; kind < N_POLLS; ++kind) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (check_rank == 1) {
            send_late();
        } else {
            poll_until_message(kind);
            poll_until_time(kind);
        }
    }
    if (check_rank == 0) {
        test_grequest();
        test_poll_fn();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    test_win_test();
    test_parrived();
    return check_end();
}
