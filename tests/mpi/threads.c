/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads CASE: tests MPI_THREAD_MULTIPLE with threads that depend on each
 * other. If the action of one thread fails to wake another thread that is
 * waiting for it, the case hangs or is reported as a deadlock.
 *
 *   grequest  waits for a generalized request that another thread completes
 *   self      waits for a message on MPI_COMM_SELF, in three ways
 *   post      waits for the answer to a message that another thread sends later
 *   relay     rank 0's threads receive in turn; each sends to the next one's peer
 *   idle      a thread of rank 0 waits for long, while others exchange messages:
 *             prints how often the process was woken, and in how many seconds
 *   deadlock  all threads wait for nothing
 */
#include "check.h"
#include "grequest.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define THREADS 4
#define ROUNDS  200

static MPI_Request request;

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_sec = 0, .tv_nsec = ms * 1000000};

    nanosleep(&pause, NULL);
}

static void *complete_later(void *argument)
{
    (void)argument;
    pause_ms(100); /* after this real time, the other thread is asleep */
    MPI_Grequest_complete(request);
    return NULL;
}

static void wait_for_grequest(int kind)
{
    pthread_t thread;
    MPI_Status status;
    int index;
    int count;

    MPI_Grequest_start(on_query, on_free, on_cancel, NULL, &request);
    pthread_create(&thread, NULL, complete_later, NULL);
    if (kind == 0) {
        MPI_Request copy = request;

        MPI_Wait(&copy, MPI_STATUS_IGNORE);
    } else if (kind == 1) {
        MPI_Request copy = request;

        MPI_Waitany(1, &copy, &index, MPI_STATUS_IGNORE);
    } else {
        MPI_Request copy = request;

        MPI_Waitsome(1, &copy, &count, &index, &status);
    }
    pthread_join(thread, NULL);
}

static void test_grequest(void)
{
    int kind;

    for (kind = 0; kind < 3; ++kind) {
        wait_for_grequest(kind);
    }
}

static void *send_to_self(void *argument)
{
    int value = 11;

    (void)argument;
    pause_ms(100);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    return NULL;
}

static void test_self(void)
{
    int kind;

    for (kind = 0; kind < 3; ++kind) {
        MPI_Message message;
        pthread_t thread;
        int value = 0;

        pthread_create(&thread, NULL, send_to_self, NULL);
        if (kind == 0) {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        } else if (kind == 1) {
            MPI_Probe(0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        } else {
            MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        pthread_join(thread, NULL);
        CHECK(value == 11, "way %d: %d", kind, value);
    }
}

static void *send_later(void *argument)
{
    int value = 12;

    (void)argument;
    pause_ms(100);
    MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    return NULL;
}

static void test_post(void)
{
    pthread_t thread;
    int value = 0;

    if (check_rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ++value;
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    } else if (check_rank == 0) {
        pthread_create(&thread, NULL, send_later, NULL);
        MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join(thread, NULL);
        CHECK(value == 13, "%d", value);
    }
}

/*
 * Thread t of a rank forwards every message to thread t + 1 of the next rank.
 */
static void *relay(void *argument)
{
    int tag = *(const int *)argument;
    int next = (check_rank + 1) % check_size;
    int previous = (check_rank + check_size - 1) % check_size;
    int value = 0;
    int i;

    for (i = 0; i < ROUNDS; ++i) {
        if (i > 0 || tag > 0 || check_rank > 0) {
            MPI_Recv(&value, 1, MPI_INT, previous, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
        ++value;
        MPI_Send(&value, 1, MPI_INT, next, (tag + 1) % THREADS, MPI_COMM_WORLD);
    }
    return NULL;
}

static void test_relay(void)
{
    pthread_t threads[THREADS];
    int tags[THREADS];
    int value;
    int i;

    for (i = 0; i < THREADS; ++i) {
        tags[i] = i;
        pthread_create(&threads[i], NULL, relay, &tags[i]);
    }
    for (i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
    }
    /*
     * One token visits all pairs (rank, thread) in turn, because the number of
     * threads and the number of ranks have no common divisor. The loops omit
     * the token's last hop.
     */
    if (check_rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, check_size - 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        CHECK(value == ROUNDS * THREADS * check_size, "%d", value);
    }
}

static void *receive_last(void *argument)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return argument;
}

/* On rank 0, one thread waits in MPI, and the main thread waits outside of
 * MPI. */
static void test_idle(void)
{
    struct timespec begin, end;
    struct rusage before;
    struct rusage after;
    pthread_t threads[2];
    int value = 0;
    int i;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    getrusage(RUSAGE_SELF, &before);
    if (check_rank == 0) {
        for (i = 0; i < 2; ++i) {
            pthread_create(&threads[i], NULL, receive_last, NULL);
        }
        for (i = 0; i < 2; ++i) {
            pthread_join(threads[i], NULL);
        }
        getrusage(RUSAGE_SELF, &after);
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("sleeps %ld in %ld s\n", after.ru_nvcsw - before.ru_nvcsw,
               (long)(end.tv_sec - begin.tv_sec));
        return;
    }
    for (i = 0; i < 20000; ++i) {
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 3 - check_rank, 4,
                             3 - check_rank, 4, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    if (check_rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    }
}

static void test_deadlock(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, receive_last, NULL);
    MPI_Probe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"grequest", test_grequest}, {"self", test_self},
    {"post", test_post},         {"relay", test_relay},
    {"idle", test_idle},         {"deadlock", test_deadlock},
};

#define N_CASES (sizeof(cases) / sizeof(cases[0]))

int main(int argc, char **argv)
{
    unsigned i = 0;
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    CHECK(level == MPI_THREAD_MULTIPLE, "%d", level);
    while (argc == 2 && i < N_CASES && strcmp(argv[1], cases[i].name) != 0) {
        ++i;
    }
    if (argc != 2 || i == N_CASES) {
        fprintf(stderr, "usage: threads CASE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    cases[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    return check_end();
}
