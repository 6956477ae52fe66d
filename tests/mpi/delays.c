/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delays: compares the delays of messages that use a reservation with their
 * bounds, and with the values that MPIQOS_Flow_state() returns. Rank 0 sends to
 * rank 1 at the rate of its reservation, one message at a time. Rank 1 has
 * posted all receives, and records the arrival time of every message. Both
 * ranks read the simulated clock.
 *
 * usage: delays [-v] KIND BYTES MB/S MESSAGES [flood]
 *
 *   send, persistent  the worst delay must be at most the bound. The reported
 *                     delay must be at least the measured one, except for the
 *                     calls around it.
 *
 *   put, get          not measured; the state must show a worst delay of 0
 *
 *   flood             all other ranks send undeclared messages of 64 KB to each
 *                     other without end; some are on the hosts of ranks 0 and 1
 */
#include "check.h"

#include <string.h>

enum {
    MOST = 1000,
    AHEAD = 8,
    FLOOD = 65536
};

static const char *kind;
static int bytes, messages, has_flood, verbose;
static double asked;
static MPI_Comm comm, floods;
static MPI_Win win = MPI_WIN_NULL;
static char *buffers, *flooded;
static double sent[MOST], arrived[MOST];

static void usage(void)
{
    fprintf(stderr, "delays: invalid arguments\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* ---- floods: repeated messages to and from every other rank ---- */

static MPI_Request *flood_requests;
static int flood_count, flood_peers[64], flood_is_send[64];

static void flood_begin(int i)
{
    char *place = flooded + (size_t)i * FLOOD;

    if (flood_is_send[i]) {
        MPI_Isend(place, FLOOD, MPI_BYTE, flood_peers[i], 0, floods,
                  &flood_requests[i]);
    } else {
        MPI_Irecv(place, FLOOD, MPI_BYTE, flood_peers[i], 0, floods,
                  &flood_requests[i]);
    }
}

static void flood_add(int peer, int is_send)
{
    flood_peers[flood_count] = peer;
    flood_is_send[flood_count++] = is_send;
}

static void flood_open(void)
{
    int peer, i;

    for (peer = 0; has_flood && peer < check_size; ++peer) {
        if (peer >= 2 && check_rank >= 2 && peer != check_rank) {
            flood_add(peer, 1);
            flood_add(peer, 0);
        }
    }
    flood_requests = calloc(64, sizeof(*flood_requests));
    flooded = calloc(64, FLOOD);
    for (i = 0; i < flood_count; ++i) {
        flood_begin(i);
    }
}

/*
 * End the floods. Both ends of a flood must start the same number of messages.
 * If one end has started one more message, the other end starts one more, too.
 */
static void flood_close(int *begun)
{
    int i, index, theirs[64];
    MPI_Request exchange[128];

    for (i = 0; i < flood_count; ++i) {
        MPI_Irecv(&theirs[i], 1, MPI_INT, flood_peers[i], 1 + flood_is_send[i],
                  floods, &exchange[2 * i]);
        MPI_Isend(&begun[i], 1, MPI_INT, flood_peers[i], 2 - flood_is_send[i],
                  floods, &exchange[2 * i + 1]);
    }
    MPI_Waitall(2 * flood_count, exchange, MPI_STATUSES_IGNORE);
    for (;;) {
        for (i = 0; i < flood_count; ++i) {
            if (flood_requests[i] == MPI_REQUEST_NULL && begun[i] < theirs[i]) {
                ++begun[i];
                flood_begin(i);
            }
        }
        MPI_Waitany(flood_count, flood_requests, &index, MPI_STATUS_IGNORE);
        if (index == MPI_UNDEFINED) {
            return;
        }
    }
}

/* ---- messages ---- */

static int is_window(void)
{
    return strcmp(kind, "put") == 0 || strcmp(kind, "get") == 0;
}

static char *place_of(int number)
{
    return buffers + (size_t)(number % AHEAD) * (size_t)bytes;
}

/*
 * Start message number k at either end. Return 0 if this rank is neither the
 * sender nor the receiver of the message.
 */
static int begin(int number, MPI_Request *request)
{
    char *place = place_of(number);

    if (number >= messages || check_rank > 1) {
        return 0;
    }
    if (is_window() && check_rank == 1) {
        return 0;
    }
    if (strcmp(kind, "put") == 0) {
        MPI_Rput(place, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, win, request);
    } else if (strcmp(kind, "get") == 0) {
        MPI_Rget(place, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, win, request);
    } else if (strcmp(kind, "persistent") == 0) {
        MPI_Start(request);
    } else if (check_rank == 0) {
        MPI_Isend(place, bytes, MPI_BYTE, 1, 0, comm, request);
    } else {
        MPI_Irecv(place, bytes, MPI_BYTE, 0, 0, comm, request);
    }
    return 1;
}

static void make_persistent(MPI_Request *requests)
{
    int i;

    for (i = 0; i < AHEAD; ++i) {
        if (check_rank == 0) {
            MPI_Send_init(place_of(i), bytes, MPI_BYTE, 1, 0, comm,
                          &requests[i]);
        } else {
            MPI_Recv_init(place_of(i), bytes, MPI_BYTE, 0, 0, comm,
                          &requests[i]);
        }
    }
}

/*
 * Rank 0 starts each message when it is due. Rank 1 always has AHEAD receives
 * posted. All ranks handle their floods until the last message has arrived.
 */
static void stream(double period)
{
    MPI_Request requests[AHEAD + 64];
    int begun[64], over = 0, next = 0, i, done;
    double start = MPI_Wtime() + 0.01, end = start + messages * period + 0.05;

    for (i = 0; i < AHEAD + 64; ++i) {
        requests[i] = MPI_REQUEST_NULL;
    }
    for (i = 0; i < 64; ++i) {
        begun[i] = 1;
    }
    if (strcmp(kind, "persistent") == 0 && check_rank < 2) {
        make_persistent(requests);
    }
    while (MPI_Wtime() < end || over < next) {
        if (next < messages && next < over + AHEAD &&
            (check_rank == 1 || MPI_Wtime() >= start + next * period)) {
            sent[next] = MPI_Wtime();
            if (!begin(next, &requests[next % AHEAD])) {
                ++over;
            }
            ++next;
        }
        while (over < next) {
            MPI_Test(&requests[over % AHEAD], &done, MPI_STATUS_IGNORE);
            if (!done) {
                break;
            }
            arrived[over++] = MPI_Wtime();
        }
        for (i = 0; i < flood_count; ++i) {
            MPI_Test(&flood_requests[i], &done, MPI_STATUS_IGNORE);
            if (done && MPI_Wtime() < end) {
                ++begun[i];
                flood_begin(i);
            }
        }
    }
    flood_close(begun);
    for (i = 0; i < AHEAD && strcmp(kind, "persistent") == 0; ++i) {
        if (requests[i] != MPI_REQUEST_NULL) {
            MPI_Request_free(&requests[i]);
        }
    }
}

/* ---- results ---- */

static double longest(void)
{
    double worst = 0;
    int i;

    MPI_Bcast(sent, messages, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (i = 0; i < messages; ++i) {
        worst = arrived[i] - sent[i] > worst ? arrived[i] - sent[i] : worst;
    }
    MPI_Bcast(&worst, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    return worst;
}

static void judge(const MPIQOS_Flow *granted)
{
    double worst = longest();
    MPIQOS_Flow now = MPIQOS_FLOW_INIT;

    if (check_rank != 0) {
        return;
    }
    MPIQOS_Flow_state(comm, &now);
    if (is_window()) {
        CHECK(now.worst_delay == 0,
              "worst delay %g s, although windows are not measured",
              now.worst_delay);
        return;
    }
    if (verbose) {
        printf("%s %d: bound %.3f ms, measured %.3f ms (%.2f of it), reported "
               "%.3f ms\n",
               kind, bytes, 1e3 * now.delay_bound, 1e3 * worst,
               worst / now.delay_bound, 1e3 * now.worst_delay);
    }
    CHECK(granted->delay_bound > 0 && now.delay_bound > 0,
          "no delay bound was granted");
    CHECK(worst <= now.delay_bound, "measured delay %g s, bound %g s", worst,
          now.delay_bound);
    CHECK(now.worst_delay <= now.delay_bound, "reported delay %g s, bound %g s",
          now.worst_delay, now.delay_bound);
    CHECK(now.worst_delay >= 0.9 * worst,
          "reported delay %g s, measured delay %g s", now.worst_delay, worst);
    /*
     * both values include the processing times of both processes, even if these
     * times did not delay the message
     */
    CHECK(now.worst_delay <= worst + 0.5e-3,
          "reported delay %g s, measured delay %g s", now.worst_delay, worst);
}

int main(int argc, char **argv)
{
    MPIQOS_Flow granted = MPIQOS_FLOW_INIT;
    int at = 1;

    check_start(&argc, &argv);
    if (argc > at && strcmp(argv[at], "-v") == 0) {
        verbose = 1;
        ++at;
    }
    if (argc < at + 4) {
        usage();
    }
    kind = argv[at];
    bytes = atoi(argv[at + 1]);
    asked = atof(argv[at + 2]) * MB;
    messages = atoi(argv[at + 3]);
    has_flood = argc > at + 4 && strcmp(argv[at + 4], "flood") == 0;
    if (bytes < 1 || asked <= 0 || messages < 1 || messages > MOST ||
        check_size > 16) {
        usage();
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &floods);
    buffers = calloc(AHEAD, (size_t)bytes);
    if (is_window()) {
        MPI_Win_create(buffers, bytes, 1, MPI_INFO_NULL, comm, &win);
        MPI_Win_lock_all(0, win);
    }
    if (check_rank == 0) {
        granted = *ask_sized(comm, 1, MPIQOS_PREMIUM, asked, bytes);
        CHECK(granted.state == MPIQOS_GRANTED, "%s", granted.reason);
    }
    MPI_Bcast(&granted, sizeof(granted), MPI_BYTE, 0, MPI_COMM_WORLD);
    flood_open();
    stream(bytes / granted.granted_bandwidth);
    judge(&granted);
    if (is_window()) {
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&floods);
    free(buffers);
    free(flooded);
    free(flood_requests);
    return check_end();
}
