/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waits SHORT LONG: ranks 0 and 1 exchange SHORT and then LONG messages while
 * all other ranks wait. The test repeats these exchanges for every call that
 * waits. For each call, the test prints the additional cost of the longer
 * exchange:
 *
 *   CALL SWITCHES SLEEPS CPU_MS EXCHANGE_MS REAL_MS
 *
 * SWITCHES     context switches of all ranks, per additional message
 * SLEEPS       additional wake-ups per waiting rank (mean)
 * CPU_MS       additional processor time of all waiting ranks together
 * EXCHANGE_MS  additional processor time of ranks 0 and 1, for comparison
 * REAL_MS      real time of both exchanges, because sleepers poll at intervals
 */
#include "check.h"

#include <sys/resource.h>
#include <time.h>

#include "gmsim.h"

#define TAG     3
#define GO      4
#define WAITERS 2 /* rank of the first waiting process */

static int word;
static MPI_Comm waiters; /* communicator of rank 0 and all waiting ranks; null
                            on rank 1 */
static MPI_Group controller;
static MPI_Group waiter_group;
static MPI_Win win; /* window of the waiting ranks */

static void release_by_message(void)
{
    int rank;

    for (rank = WAITERS; rank < check_size; ++rank) {
        MPI_Send(&word, 1, MPI_INT, rank, GO, MPI_COMM_WORLD);
    }
}

static void receive_go(void)
{
    MPI_Recv(&word, 1, MPI_INT, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_probe(void)
{
    MPI_Probe(MPI_ANY_SOURCE, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive_go();
}

static void wait_mprobe(void)
{
    MPI_Message message;

    MPI_Mprobe(0, GO, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

/* This request, the second one, never completes. */
static void wait_requests(int is_some)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int other;
    int indices[2];
    int count;

    MPI_Irecv(&word, 1, MPI_INT, 0, GO, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&other, 1, MPI_INT, 0, GO + 1, MPI_COMM_WORLD, &requests[1]);
    if (is_some) {
        MPI_Waitsome(2, requests, &count, indices, statuses);
    } else {
        MPI_Waitany(2, requests, indices, MPI_STATUS_IGNORE);
    }
    CHECK(indices[0] == 0, "request %d completed instead of request 0",
          indices[0]);
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void wait_any(void)
{
    wait_requests(0);
}

static void wait_some(void)
{
    wait_requests(1);
}

static void barrier(void)
{
    MPI_Barrier(waiters);
}

static void ibarrier(void)
{
    MPI_Request request;

    MPI_Ibarrier(waiters, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void fence(void)
{
    MPI_Win_fence(0, win);
}

static void release_exposed(void)
{
    MPI_Win_start(waiter_group, 0, win);
    MPI_Win_complete(win);
}

static void win_wait(void)
{
    MPI_Win_post(controller, 0, win);
    MPI_Win_wait(win);
}

static void start_epochs(void)
{
    MPI_Win_post(waiter_group, 0, win);
    MPI_Win_wait(win);
}

static void win_start(void)
{
    MPI_Win_start(controller, 0, win);
    MPI_Win_complete(win);
}

static void take_lock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
}

static void release_lock(void)
{
    MPI_Win_unlock(0, win);
}

static void win_lock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_unlock(0, win);
}

static void nothing(void)
{
}

static const struct {
    const char *name;
    void (*prepare)(void); /* rank 0 calls this function before the other ranks
                              wait */
    void (*wait)(void);    /* the waiting ranks call this function */
    void (*release)(void); /* rank 0 calls this function after the exchange */
} calls[] = {
    {"MPI_Recv", nothing, receive_go, release_by_message},
    {"MPI_Probe", nothing, wait_probe, release_by_message},
    {"MPI_Mprobe", nothing, wait_mprobe, release_by_message},
    {"MPI_Waitany", nothing, wait_any, release_by_message},
    {"MPI_Waitsome", nothing, wait_some, release_by_message},
    {"MPI_Barrier", nothing, barrier, barrier},
    {"MPI_Ibarrier", nothing, ibarrier, ibarrier},
    {"MPI_Win_fence", nothing, fence, fence},
    {"MPI_Win_wait", nothing, win_wait, release_exposed},
    {"MPI_Win_start", nothing, win_start, start_epochs},
    {"MPI_Win_lock", take_lock, win_lock, release_lock},
};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

typedef struct cost {
    double handovers; /* number of context switches during the exchange */
    double sleeps;    /* number of wake-ups, mean over the waiting ranks */
    double cpu_ms;    /* processor time, sum over the waiting ranks */
    double exchange_ms;
    double real_ms;
} cost_t;

static double milliseconds(const struct rusage *usage)
{
    return 1e3 * (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-3 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static double exchange(long count)
{
    gmsim_totals_t before;
    gmsim_totals_t after;
    long i;

    gmsim_get_totals(&before);
    for (i = 0; i < count; ++i) {
        MPI_Sendrecv_replace(&word, 1, MPI_INT, 1 - check_rank, TAG,
                             1 - check_rank, TAG, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    gmsim_get_totals(&after);
    return (double)(after.handovers - before.handovers);
}

static cost_t measure(unsigned call, long count)
{
    struct timespec begin, end;
    struct rusage before;
    struct rusage after;
    double mine[3] = {0};
    double sum[3] = {0};
    cost_t cost = {0};

    clock_gettime(CLOCK_MONOTONIC, &begin);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        calls[call].prepare();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    getrusage(RUSAGE_SELF, &before);
    if (check_rank < WAITERS) {
        /* after this time, all waiting ranks are asleep */
        gmsim_compute(UINT64_C(10000000000));
        cost.handovers = exchange(count);
    }
    getrusage(RUSAGE_SELF, &after);
    if (check_rank == 0) {
        calls[call].release();
    } else if (check_rank >= WAITERS) {
        calls[call].wait();
        getrusage(RUSAGE_SELF, &after);
        mine[0] = (double)(after.ru_nvcsw - before.ru_nvcsw);
    }
    mine[check_rank < WAITERS ? 2 : 1] =
        milliseconds(&after) - milliseconds(&before);
    MPI_Reduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    cost.sleeps = sum[0] / (check_size - WAITERS);
    cost.cpu_ms = sum[1];
    cost.exchange_ms = sum[2];
    clock_gettime(CLOCK_MONOTONIC, &end);
    cost.real_ms = 1e3 * (double)(end.tv_sec - begin.tv_sec) +
                   1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
    return cost;
}

static void make_groups(void)
{
    MPI_Group all;
    int first = 0;

    MPI_Comm_split(MPI_COMM_WORLD, check_rank == 1 ? MPI_UNDEFINED : 0, 0,
                   &waiters);
    if (waiters == MPI_COMM_NULL) {
        return;
    }
    MPI_Comm_group(waiters, &all);
    MPI_Group_incl(all, 1, &first, &controller);
    MPI_Group_excl(all, 1, &first, &waiter_group);
    MPI_Group_free(&all);
    MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, waiters, &win);
}

int main(int argc, char **argv)
{
    long length[2] = {argc == 3 ? strtol(argv[1], NULL, 10) : 0,
                      argc == 3 ? strtol(argv[2], NULL, 10) : 0};
    unsigned call;

    check_start(&argc, &argv);
    if (length[0] < 1 || length[1] <= length[0] || check_size <= WAITERS) {
        fprintf(stderr, "usage: waits SHORT LONG, with 3 processes or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    make_groups();
    for (call = 0; call < N_CALLS; ++call) {
        cost_t few = measure(call, length[0]);
        cost_t many = measure(call, length[1]);

        if (check_rank == 0) {
            printf("%s %.2f %.1f %.1f %.1f %.0f\n", calls[call].name,
                   (many.handovers - few.handovers) /
                       (double)(length[1] - length[0]),
                   many.sleeps - few.sleeps, many.cpu_ms - few.cpu_ms,
                   many.exchange_ms - few.exchange_ms,
                   few.real_ms + many.real_ms);
        }
    }
    if (waiters != MPI_COMM_NULL) {
        MPI_Group_free(&waiter_group);
        MPI_Group_free(&controller);
        MPI_Win_free(&win);
        MPI_Comm_free(&waiters);
    }
    return check_end();
}
