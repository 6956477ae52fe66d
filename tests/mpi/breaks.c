/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * breaks: tries to break a reservation. The two processes that use the
 * reservation also do other work. Rank 0 streams messages to rank 1 on a
 * communicator with a reservation, with eight messages in flight. Both ranks do
 * other work between their calls. In every window of 100 ms, the flow must
 * receive at least 99.5 % of the granted bandwidth. The message in flight at
 * the end of a window is counted.
 *
 * usage: breaks CASE BYTES MB/S
 */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    AHEAD = 8,
    MOST = 20000,
    MANY = 60,
    BLOCK = 16000
};

#define SECONDS 0.35
#define WARM_UP 0.03
#define WINDOW  0.1
#define PART    0.995

typedef struct nuisance {
    const char *name;
    void (*open)(void);
    void (*step)(int number); /* function that is called between two polls of
                                 the stream */
    void (*close)(void);
    double part; /* minimum bandwidth of every window, as a fraction of the
                    grant */
} nuisance_t;

static MPI_Comm comm, other;
static int bytes, arrivals;
static double asked, granted, start;
/*
 * For each message: the time at which its arrival was detected, and the latest
 * time at which the message was known not to have arrived.
 */
static double arrival[MOST], absent[MOST];
static char *buffers, *block;

static int is_over(void)
{
    return MPI_Wtime() - start >= SECONDS;
}

static void ask_again(double bandwidth)
{
    const MPIQOS_Flow *answer;

    if (check_rank == 0) {
        answer = ask_sized(comm, 1, MPIQOS_PREMIUM, bandwidth, bytes);
        CHECK(answer->state == MPIQOS_GRANTED, "%s", answer->reason);
        granted = answer->granted_bandwidth;
    }
}

static void no_step(int number)
{
    (void)number;
}

static void nothing(void)
{
}

/* ---- messages of other communicators ---- */

static MPI_Request pair[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static MPI_Datatype type;
static int type_count, is_last;

/* Keep one message in flight in each direction. The last message has a
 * different tag. */
static void exchange_step(int number)
{
    MPI_Status status[2];
    int peer = 1 - check_rank, done;

    (void)number;
    if (pair[0] != MPI_REQUEST_NULL) {
        MPI_Testall(2, pair, &done, status);
        if (!done) {
            return;
        }
        is_last |= status[0].MPI_TAG == 1;
    }
    if (!is_last) {
        is_last = is_over();
        MPI_Irecv(block + BLOCK, type_count, type, peer, MPI_ANY_TAG, other,
                  &pair[0]);
        MPI_Isend(block, type_count, type, peer, is_last, other, &pair[1]);
    }
}

static void exchange_close(void)
{
    while (!is_last || pair[0] != MPI_REQUEST_NULL ||
           pair[1] != MPI_REQUEST_NULL) {
        exchange_step(0);
    }
    MPI_Type_free(&type);
}

/* Create a datatype of 8,000 blocks of one byte. Packing or unpacking an
 * element of this datatype takes 1.2 ms. */
static void slow_open(void)
{
    MPI_Type_vector(BLOCK / 2, 1, 2, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    type_count = 1;
}

/* ---- probes for messages that never arrive ---- */

static void probe_step(int number)
{
    int found;

    (void)number;
    MPI_Iprobe(MPI_ANY_SOURCE, 77, other, &found, MPI_STATUS_IGNORE);
    MPI_Iprobe(1 - check_rank, 77, comm, &found, MPI_STATUS_IGNORE);
}

static void cancel_step(int number)
{
    MPI_Request request;
    int i;

    for (i = 0; i < 4; ++i) {
        MPI_Irecv(block, 8, MPI_BYTE, 1 - check_rank, 1000 + number,
                  i % 2 == 0 ? comm : other, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void self_step(int number)
{
    MPI_Sendrecv(block, BLOCK, MPI_BYTE, 0, number, block + BLOCK, BLOCK,
                 MPI_BYTE, 0, number, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* ---- unexpected messages ---- */

static int flooded;

static void unexpected_step(int number)
{
    (void)number;
    if (check_rank == 0 && flooded < 2000) {
        MPI_Send(block, flooded % 3 == 0 ? 1000 : 8, MPI_BYTE, 1, 5, other);
        ++flooded;
    }
}

static void unexpected_close(void)
{
    MPI_Bcast(&flooded, 1, MPI_INT, 0, other);
    while (check_rank == 1 && flooded-- > 0) {
        MPI_Recv(block, BLOCK, MPI_BYTE, 0, 5, other, MPI_STATUS_IGNORE);
    }
}

/* ---- the reservation itself ---- */

static void change_step(int number)
{
    if (number % 50 == 25) {
        ask_again(number % 100 == 25 ? 1.3 * asked : asked);
        granted = asked;
    }
}

/*
 * Release the reservation and request it again. Messages between the release
 * and the grant are best effort, but the network is idle.
 */
static void again_step(int number)
{
    if (number % 50 == 25 && check_rank == 0) {
        MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
        ask_again(asked);
    }
}

/* More communicators with reservations than there are send tokens, and
 * communicators for traffic without a reservation. */
static MPI_Comm many[MANY];

static void many_open(void)
{
    const MPIQOS_Flow *answer;
    int i;

    for (i = 0; i < MANY; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &many[i]);
        if (check_rank == 0) {
            answer = ask_sized(many[i], 1, MPIQOS_PREMIUM, 0.01 * MB, 1000);
            CHECK(answer->state == MPIQOS_GRANTED, "%d: %s", i, answer->reason);
        }
    }
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    type_count = 1;
}

static void many_close(void)
{
    int i;

    exchange_close();
    for (i = 0; i < MANY; ++i) {
        if (check_rank == 0) {
            MPI_Send(block, 1000, MPI_BYTE, 1, 0, many[i]);
        } else {
            MPI_Recv(block, 1000, MPI_BYTE, 0, 0, many[i], MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&many[i]);
    }
}

/* ---- collectives, one after the other, on the communicator itself ---- */

static MPI_Request collective = MPI_REQUEST_NULL;
static int ended, sum;

static void collective_step(int number)
{
    int done;

    (void)number;
    MPI_Test(&collective, &done, MPI_STATUS_IGNORE);
    if (done && ended == 0) {
        ended = sum > 0;
        if (!ended) {
            int mine = is_over();

            flooded = mine;
            MPI_Iallreduce(&flooded, &sum, 1, MPI_INT, MPI_SUM, comm,
                           &collective);
        }
    }
}

static void collective_close(void)
{
    while (ended == 0) {
        collective_step(0);
    }
}

/* ---- another thread ---- */

static pthread_t thread;
static atomic_int looks; /* number of times that the first thread has polled the
                            stream */
static atomic_int is_left;

static void thread_step(int number)
{
    atomic_store(&looks, number);
}

/*
 * Wait for the first thread's next poll of the stream, so that there is one
 * exchange per poll. Each exchange advances the clock of the rank. On a loaded
 * machine, the operating system may run this thread for milliseconds while the
 * first thread waits for a processor and posts no messages. The stream then
 * does not use the reservation, and the test cannot check it.
 */
static void await_look(int *seen)
{
    while (atomic_load(&looks) == *seen && !atomic_load(&is_left)) {
        sched_yield();
    }
    *seen = atomic_load(&looks);
}

static void *chatter(void *context)
{
    int last = 0, seen = 0;

    while (!last) {
        int over;

        await_look(&seen);
        over = is_over();
        MPI_Sendrecv(&over, 1, MPI_INT, 1 - check_rank, 9, &last, 1, MPI_INT,
                     1 - check_rank, 9, other, MPI_STATUS_IGNORE);
        last |= over;
    }
    return context;
}

static void thread_open(void)
{
    atomic_store(&looks, 0);
    atomic_store(&is_left, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    pthread_create(&thread, NULL, chatter, NULL);
}

static void thread_close(void)
{
    atomic_store(&is_left, 1);
    pthread_join(thread, NULL);
}

/*
 * With a slow datatype, a call at either end takes 1.2 ms without interruption,
 * so the test may detect arrivals up to 1.2 ms late. Collective operations use
 * the reservation of their communicator.
 */
static const nuisance_t nuisances[] = {
    {"nothing", nothing, no_step, nothing, PART},
    {"slow-types", slow_open, exchange_step, exchange_close, PART - 0.024},
    {"probe", nothing, probe_step, nothing, PART},
    {"cancel", nothing, cancel_step, nothing, PART},
    {"self", nothing, self_step, nothing, PART},
    {"unexpected", nothing, unexpected_step, unexpected_close, PART},
    {"change", nothing, change_step, nothing, PART},
    {"again", nothing, again_step, nothing, PART},
    {"many", many_open, exchange_step, many_close, PART},
    {"collective", nothing, collective_step, collective_close, 0.9},
    {"thread", thread_open, thread_step, thread_close, PART},
    {"inter", nothing, no_step, nothing, PART},
};

/* ---- the stream ---- */

static MPI_Request stream[AHEAD];
static int streamed;

/*
 * Start the message of a slot or, at the end, an empty message. @return 0 if
 * there is no message
 */
static int begin(int slot)
{
    char *place = buffers + (size_t)slot * (size_t)bytes;
    int peer = check_rank == 0 ? 1 : 0;
    int remote, over;

    MPI_Comm_test_inter(comm, &remote);
    peer = remote ? 0 : peer;
    if (check_rank == 1) {
        MPI_Irecv(place, bytes, MPI_BYTE, peer, 0, comm, &stream[slot]);
        return 1;
    }
    if (streamed < 0) {
        return 0;
    }
    /*
     * Check the time only once, because it advances in MPI_Isend. Otherwise,
     * the stream could end without the empty message.
     */
    over = is_over();
    MPI_Isend(place, over ? 0 : bytes, MPI_BYTE, peer, 0, comm, &stream[slot]);
    streamed = over ? -1 : streamed + 1;
    return 1;
}

static int count_of(const MPI_Status *status)
{
    int count;

    MPI_Get_count(status, MPI_BYTE, &count);
    return count;
}

static void run(const nuisance_t *nuisance)
{
    MPI_Status status;
    int slot, done, number = 0, next = 0, is_running = 1;
    double looked, missed = start;

    for (slot = 0; slot < AHEAD; ++slot) {
        begin(slot);
    }
    while (is_running) {
        looked = MPI_Wtime();
        MPI_Test(&stream[next], &done, &status);
        if (!done) {
            missed = looked;
            nuisance->step(++number);
            continue;
        }
        if (check_rank == 1 && count_of(&status) == 0) {
            break;
        }
        if (check_rank == 1 && arrivals < MOST) {
            absent[arrivals] = missed;
            arrival[arrivals++] = MPI_Wtime();
        }
        is_running = begin(next);
        next = (next + 1) % AHEAD;
    }
    for (slot = 0; slot < AHEAD; ++slot) {
        if (check_rank == 1 && stream[slot] != MPI_REQUEST_NULL) {
            MPI_Cancel(&stream[slot]);
        }
        MPI_Wait(&stream[slot], MPI_STATUS_IGNORE);
    }
    nuisance->close();
}

/*
 * Evaluate all windows. A window contains every message that had not arrived at
 * the start of the window and was detected before its end. If a message is
 * detected late because the system ran the other thread first, its real arrival
 * time lies between its values in absent[] and arrival[].
 */
static void judge(const nuisance_t *nuisance)
{
    double least = -1;
    int i, j = 0;

    for (i = 0; i < arrivals; ++i) {
        double part;

        if (arrival[i] < start + WARM_UP ||
            arrival[i] + WINDOW > start + SECONDS) {
            continue;
        }
        while (j + 1 < arrivals && absent[j + 1] <= arrival[i] + WINDOW) {
            ++j;
        }
        part = (j - i + 1) * (double)bytes / (granted * WINDOW);
        least = least < 0 || part < least ? part : least;
    }
    CHECK(
        least >= nuisance->part,
        "%s: at least one window received only %.4f of %.3f MB/s (%d messages)",
        nuisance->name, least, granted / MB, arrivals);
}

/* Create an inter-communicator between the two ranks. For each rank, the peer
 * is rank 0 of the remote group. */
static void open_inter(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, check_rank, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - check_rank, 3, &comm);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    const nuisance_t *nuisance = nuisances;
    size_t i;
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    for (i = 0; argc == 4 && i < sizeof(nuisances) / sizeof(nuisances[0]);
         ++i) {
        if (strcmp(argv[1], nuisances[i].name) == 0) {
            nuisance = &nuisances[i];
        }
    }
    if (argc != 4 || strcmp(nuisance->name, argv[1]) != 0 || check_size != 2) {
        fprintf(stderr, "breaks: invalid arguments\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    bytes = atoi(argv[2]);
    granted = asked = atof(argv[3]) * MB;
    buffers = calloc(AHEAD, (size_t)bytes);
    block = calloc(2, BLOCK);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (strcmp(nuisance->name, "inter") == 0) {
        open_inter();
        if (check_rank == 0) {
            CHECK(ask_sized(comm, 0, MPIQOS_PREMIUM, asked, bytes)->state ==
                      MPIQOS_GRANTED,
                  "denied");
        }
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        ask_again(asked);
    }
    granted = asked;
    nuisance->open();
    MPI_Barrier(MPI_COMM_WORLD);
    if (start == 0) {
        start = MPI_Wtime();
    }
    run(nuisance);
    if (check_rank == 1) {
        judge(nuisance);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
    free(buffers);
    free(block);
    return check_end();
}
