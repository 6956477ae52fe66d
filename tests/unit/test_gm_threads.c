/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests processes with several threads. One thread sleeps in
 * gmsim_wait_unlocked(). Meanwhile, the other threads call GM functions while
 * they hold the lock that the test has passed to this function.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "gm.h"
#include "ranks.h"
#include "unit.h"

#define US       UINT64_C(1000000) /* one microsecond in picoseconds */
#define SIZE     6
#define MESSAGES 200u

static pthread_mutex_t big_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asleep_cond = PTHREAD_COND_INITIALIZER;
static int asleep;
static int has_slept;
static struct gm_port *port;
static gmsim_place_t me;
static char *buffer;

static void release(void *context)
{
    (void)context;
    asleep = has_slept = 1;
    pthread_cond_broadcast(&asleep_cond);
    pthread_mutex_unlock(&big_lock);
}

static void acquire(void *context)
{
    (void)context;
    pthread_mutex_lock(&big_lock);
    asleep = 0;
}

static const gmsim_lock_t lock = {release, acquire, NULL};

/* The caller must hold the lock before the call, and still holds it after the
 * call. */
static void await_sleeper(void)
{
    while (!has_slept) {
        pthread_cond_wait(&asleep_cond, &big_lock);
    }
}

static void open_it(void)
{
    unsigned i;

    port = open_port(&me);
    buffer = gm_dma_malloc(port, 9 << SIZE);
    for (i = 0; i < 8; ++i) {
        gm_provide_receive_buffer(port, buffer + (i << SIZE), SIZE, 0);
    }
}

static void send_word(unsigned rank)
{
    gmsim_place_t place;

    gmsim_get_place(rank, &place);
    gm_send_with_callback(port, buffer + (8 << SIZE), SIZE, 8, 0, place.node_id,
                          place.port, count_send, NULL);
}

/* Handles one event. @return 1 if the event was a message, whose buffer has
 * been provided again */
static int take_one(void)
{
    gm_recv_event_t *event = gm_receive(port);
    int is_one = is_message(event);

    if (is_one) {
        gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer), SIZE, 0);
    } else {
        gm_unknown(port, event);
    }
    return is_one;
}

/* Waits until a message has arrived. */
static void await_one(void)
{
    while (!take_one()) {
        gmsim_wait(port);
    }
}

/* State of a sleeping thread: the result of its wait, and the time in ps at
 * which it woke. */
typedef struct sleeper {
    pthread_t thread;
    int result;
    uint64_t woke_ps;
} sleeper_t;

static void *sleep_once(void *context)
{
    sleeper_t *sleeper = context;

    pthread_mutex_lock(&big_lock);
    sleeper->result = gmsim_wait_unlocked(port, &lock);
    sleeper->woke_ps = gmsim_time_ps();
    pthread_mutex_unlock(&big_lock);
    return NULL;
}

static void start_sleeper(sleeper_t *sleeper)
{
    pthread_mutex_lock(&big_lock);
    has_slept = 0;
    pthread_create(&sleeper->thread, NULL, sleep_once, sleeper);
    await_sleeper();
    pthread_mutex_unlock(&big_lock);
}

/* ---- One thread sleeps while another thread makes calls
 * ------------------- */

/* The event for another thread's request is delivered to the sleeping
 * thread. */
static void body_post(unsigned rank)
{
    sleeper_t sleeper;

    open_it();
    if (rank == 1) {
        gmsim_wait(port);
        while (!take_one()) {
            gmsim_wait(port);
        }
        send_word(0);
        while (sends_done == 0) {
            take_one();
        }
        return;
    }
    start_sleeper(&sleeper);
    pthread_mutex_lock(&big_lock);
    send_word(1); /* The completion of this send also wakes the sleeping thread
                     once. */
    pthread_mutex_unlock(&big_lock);
    pthread_join(sleeper.thread, NULL);
    EXPECT_U64(sleeper.result, 1);
    while (!take_one()) {
        gmsim_wait(port);
    }
}

static void test_others_post(void)
{
    CHECK_U64(ranks_run(2, body_post), 0);
}

/* While one thread polls, virtual time passes, and the sleeping thread does not
 * wake up. Afterwards, the clock of the process advances with the clock of the
 * cluster again. */
static void body_time(unsigned rank)
{
    uint64_t before_ps;
    uint64_t sent_ps;
    sleeper_t sleeper;
    int i;

    open_it();
    if (rank == 1) {
        while (!take_one()) {
            gmsim_wait(port);
        }
        gmsim_compute(1000 * US);
        gmsim_compute(1000 * US);
        send_word(0);
        while (sends_done == 0) {
            gmsim_wait(port);
            take_one();
        }
        return;
    }
    start_sleeper(&sleeper);
    pthread_mutex_lock(&big_lock);
    for (i = 0; i < 3; ++i) {
        before_ps = gmsim_time_ps();
        EXPECT_U64(gm_receive_pending(port), 0);
        EXPECT(gmsim_time_ps() > before_ps);
    }
    EXPECT(asleep);
    sent_ps = gmsim_time_ps();
    send_word(1);
    pthread_mutex_unlock(&big_lock);
    pthread_join(sleeper.thread, NULL);
    EXPECT_U64(sleeper.result, 1); /* this event is the completion of the
                                    * send */
    EXPECT(!take_one());
    start_sleeper(&sleeper);
    pthread_join(sleeper.thread, NULL);
    EXPECT_U64(sleeper.result, 1);
    EXPECT(sleeper.woke_ps > sent_ps + 2000 * US);
    EXPECT(gmsim_time_ps() > sent_ps + 2000 * US);
    EXPECT(take_one());
}

static void test_time_goes_on(void)
{
    CHECK_U64(ranks_run(2, body_time), 0);
}

static void body_end(unsigned rank)
{
    uint64_t before_ps;
    sleeper_t sleeper;

    (void)rank;
    open_it();
    gmsim_end_wait(port); /* no thread sleeps */
    start_sleeper(&sleeper);
    pthread_mutex_lock(&big_lock);
    before_ps = gmsim_time_ps();
    gmsim_end_wait(port);
    gmsim_end_wait(port);
    pthread_mutex_unlock(&big_lock);
    pthread_join(sleeper.thread, NULL);
    EXPECT_U64(sleeper.result, 0);
    EXPECT(sleeper.woke_ps > before_ps);
    EXPECT(sleeper.woke_ps < before_ps + 10 * US);
}

static void test_wait_is_ended(void)
{
    CHECK_U64(ranks_run(1, body_end), 0);
}

/* A thread that only polls and a thread that only sleeps share a stream of
 * messages. Each message is received once, and the sleeping thread wakes up for
 * the last message. */
static unsigned taken;

static void *sleep_for_all(void *context)
{
    (void)context;
    pthread_mutex_lock(&big_lock);
    while (taken < MESSAGES) {
        if (gmsim_wait_unlocked(port, &lock)) {
            taken += (unsigned)take_one();
        }
    }
    pthread_mutex_unlock(&big_lock);
    return NULL;
}

static void body_stream(unsigned rank)
{
    pthread_t thread;
    unsigned i;

    open_it();
    if (rank == 1) {
        for (i = 1; i <= MESSAGES; ++i) {
            send_word(0);
            while (sends_done < i) {
                gmsim_wait(port);
                take_one();
            }
        }
        EXPECT_U64(last_status, GM_SUCCESS);
        return;
    }
    pthread_create(&thread, NULL, sleep_for_all, NULL);
    pthread_mutex_lock(&big_lock);
    while (taken < MESSAGES) {
        if (gm_receive_pending(port)) {
            taken += (unsigned)take_one();
        }
        pthread_mutex_unlock(&big_lock);
        sched_yield();
        pthread_mutex_lock(&big_lock);
    }
    gmsim_end_wait(port);
    pthread_mutex_unlock(&big_lock);
    pthread_join(thread, NULL);
    EXPECT_U64(taken, MESSAGES);
}

static void test_stream_is_shared(void)
{
    CHECK_U64(ranks_run(2, body_stream), 0);
}

/* ---- Processors on which processes run ---- */

static cpu_set_t allowed; /* processors that were allowed before the job
                             started */

/* Spins for twice the time after which a process is moved from the job's
 * processor. */
static void spin_long(void)
{
    struct timespec used;

    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    } while (used.tv_sec == 0 && used.tv_nsec < 100000000);
}

static cpu_set_t where_now(void)
{
    cpu_set_t set;

    EXPECT_U64(sched_getaffinity(0, sizeof(set), &set), 0);
    return set;
}

/* Rank 0 spins on memory while one of its threads is sleeping. Rank 1 waits
 * outside of the simulation until rank 0 has finished, and then wakes the
 * sleeping thread. */
static void body_spin(unsigned rank)
{
    sleeper_t sleeper;
    cpu_set_t now;

    open_it();
    now = where_now();
    EXPECT_U64(CPU_COUNT(&now), 1);
    if (rank == 1) {
        while (!__atomic_load_n(&ranks_log[0], __ATOMIC_ACQUIRE)) {
            usleep(1000);
        }
        send_word(0);
        while (sends_done == 0) {
            gmsim_wait(port);
            take_one();
        }
        /* The binder has also moved this rank, because the rank made no call
         * while it was waiting. */
        return;
    }
    start_sleeper(&sleeper);
    spin_long();
    __atomic_store_n(&ranks_log[0], 1, __ATOMIC_RELEASE);
    pthread_join(sleeper.thread, NULL);
    now = where_now();
    EXPECT(CPU_EQUAL(&now, &allowed));
    EXPECT(take_one());
}

static void test_spinning_makes_room(void)
{
    CHECK_U64(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    CHECK_U64(ranks_run(2, body_spin), 0);
}

/* This test is the same as the previous test, except that the spinning thread
 * also calls GM functions. */
static void body_busy(unsigned rank)
{
    sleeper_t sleeper;
    cpu_set_t now;

    open_it();
    if (rank == 1) {
        await_one();
        return;
    }
    start_sleeper(&sleeper);
    spin_long();
    pthread_mutex_lock(&big_lock);
    send_word(1);
    pthread_mutex_unlock(&big_lock);
    /* the completion of the send wakes the sleeper */
    pthread_join(sleeper.thread, NULL);
    now = where_now();
    EXPECT_U64(CPU_COUNT(&now), 1);
    while (sends_done == 0) {
        take_one();
    }
}

static void test_calling_does_not(void)
{
    CHECK_U64(ranks_run(2, body_busy), 0);
}

/* ---- No thread can continue ---------------------------------------------- */

static void *follow(void *context)
{
    (void)context;
    pthread_mutex_lock(&big_lock);
    gmsim_count_waiting(port, 1);
    for (;;) {
        pthread_cond_wait(&asleep_cond, &big_lock);
    }
    return NULL;
}

/* ThreadSanitizer adds threads to a process: one after a fork, and one when the
 * program creates its first thread. The library cannot know that these threads
 * never call it. */
static int count_sanitizer_threads(int own)
{
    int threads = 0;
#ifdef __SANITIZE_THREAD__
    const struct dirent *entry;
    DIR *tasks = opendir("/proc/self/task");

    EXPECT(tasks != NULL);
    while ((entry = readdir(tasks)) != NULL) {
        threads += entry->d_name[0] != '.';
    }
    closedir(tasks);
    threads -= own;
#else
    (void)own;
#endif
    return threads;
}

/* All threads wait: the main thread sleeps, and another thread waits for the
 * main thread. */
static void body_deadlock(unsigned rank)
{
    pthread_t thread;

    (void)rank;
    open_it();
    pthread_create(&thread, NULL, follow, NULL);
    pthread_mutex_lock(&big_lock);
    gmsim_count_waiting(port, count_sanitizer_threads(2));
    gmsim_wait_unlocked(port, &lock);
    _exit(0); /* the job must have ended with an error */
}

static void test_deadlock_is_seen(void)
{
    ranks_t ranks;

    ranks_start(&ranks, 1, body_deadlock);
    CHECK_U64(ranks_end(&ranks), 1);
    CHECK_U64(WIFEXITED(ranks.status[0]) && WEXITSTATUS(ranks.status[0]) == 1,
              1);
}

/* One thread works outside of the library for some time. This is not a
 * deadlock, even if the job has two ranks, each of which has a thread in the
 * library. */
static void body_elsewhere(unsigned rank)
{
    struct timespec pause = {.tv_sec = 0, .tv_nsec = 300000000};
    sleeper_t sleeper;
    struct timespec begin, end;
    struct rusage before;
    struct rusage after;

    open_it();
    if (rank == 1) {
        await_one();
        return;
    }
    start_sleeper(&sleeper);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    getrusage(RUSAGE_SELF, &before);
    nanosleep(&pause, NULL);
    getrusage(RUSAGE_SELF, &after);
    clock_gettime(CLOCK_MONOTONIC, &end);
    /* A sleeping thread polls at intervals, even during a long pause. The
     * thread that moves ranks between processors wakes up every 5 ms. */
    EXPECT(after.ru_nvcsw - before.ru_nvcsw <
           30 * (1 + end.tv_sec - begin.tv_sec) +
               ((end.tv_sec - begin.tv_sec) * 1000 +
                (end.tv_nsec - begin.tv_nsec) / 1000000) /
                   5);
    pthread_mutex_lock(&big_lock);
    EXPECT(asleep);
    send_word(1);
    pthread_mutex_unlock(&big_lock);
    /* the completion of the send wakes the sleeper */
    pthread_join(sleeper.thread, NULL);
    while (sends_done == 0) {
        take_one();
    }
}

static void test_hope_is_seen(void)
{
    CHECK_U64(ranks_run(2, body_elsewhere), 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"other threads post while one sleeps", test_others_post},
        {"time continues while a thread sleeps", test_time_goes_on},
        {"a wait is ended by another thread", test_wait_is_ended},
        {"a sleeping and a polling thread lose no message",
         test_stream_is_shared},
        {"a process whose threads spin may use all processors",
         test_spinning_makes_room},
        {"a process whose threads call GM stays on its processor",
         test_calling_does_not},
        {"a deadlock of all threads is detected", test_deadlock_is_seen},
        {"a thread outside the library prevents a deadlock report",
         test_hope_is_seen},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm threads", NULL, NULL, NULL, NULL, tests});
}
