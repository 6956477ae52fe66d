/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the functions of the C library that wait until a deadline of the
 * simulated clock, one function after the other. No other thread ends any of
 * these waits, so each wait must time out after a fifth of a second of virtual
 * time. If a wait compared the deadline with the real clock, it would end
 * immediately or after hours. Timers expire in real time; the simulated clock
 * does not advance.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define WAIT_NS 200000000
#define WAIT_S  0.2

static struct timespec after(clockid_t clock)
{
    struct timespec end;

    clock_gettime(clock, &end);
    end.tv_nsec += WAIT_NS;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- waits ----------------------------------------------------------------- */

static int word;

/* std::future and std::counting_semaphore use this call to wait. */
static int wait_bitset(clockid_t clock)
{
    struct timespec end = after(clock);
    int flag = (clock == CLOCK_REALTIME) ? FUTEX_CLOCK_REALTIME : 0;

    return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | flag, 0, &end,
                   NULL, FUTEX_BITSET_MATCH_ANY) == 0
               ? 0
               : errno;
}

static int wait_futex_uptime(void)
{
    return wait_bitset(CLOCK_MONOTONIC);
}

static int wait_futex_date(void)
{
    return wait_bitset(CLOCK_REALTIME);
}

static int wait_futex_duration(void)
{
    struct timespec limit = {.tv_nsec = WAIT_NS};

    return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0) ==
                   0
               ? 0
               : errno;
}

static void *hold_lock(void *lock)
{
    pthread_rwlock_wrlock(lock);
    return NULL;
}

static int wait_lock(int (*take)(pthread_rwlock_t *, clockid_t,
                                 const struct timespec *))
{
    struct timespec end = after(CLOCK_MONOTONIC);
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_t thread;

    pthread_create(&thread, NULL, hold_lock, &lock);
    pthread_join(thread, NULL);
    return take(&lock, CLOCK_MONOTONIC, &end);
}

static int wait_read_lock(void)
{
    return wait_lock(pthread_rwlock_clockrdlock);
}

static int wait_write_lock(void)
{
    return wait_lock(pthread_rwlock_clockwrlock);
}

static sem_t never;

static void *wait_forever(void *unused)
{
    (void)unused;
    sem_wait(&never);
    return NULL;
}

static int wait_thread(int with_clock)
{
    struct timespec date = after(CLOCK_REALTIME);
    struct timespec uptime = after(CLOCK_MONOTONIC);
    pthread_t thread;
    int status;

    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, wait_forever, NULL);
    status = with_clock
                 ? pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &uptime)
                 : pthread_timedjoin_np(thread, NULL, &date);
    sem_post(&never);
    pthread_join(thread, NULL);
    return status;
}

static int wait_timedjoin(void)
{
    return wait_thread(0);
}

static int wait_clockjoin(void)
{
    return wait_thread(1);
}

/* Wait for a message in an empty queue, or for space in a full queue. */
static int wait_queue(int is_send)
{
    struct timespec end = after(CLOCK_REALTIME);
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    char name[32];
    char byte = 0;
    mqd_t queue;
    int status;

    snprintf(name, sizeof(name), "/deadlines-%d", (int)getpid());
    queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    if (queue == (mqd_t)-1) {
        /* the system does not have message queues */
        usleep(WAIT_NS / 1000);
        return ETIMEDOUT;
    }
    if (is_send) {
        mq_send(queue, &byte, 1, 0);
        status = mq_timedsend(queue, &byte, 1, 0, &end) == 0 ? 0 : errno;
    } else {
        status = mq_timedreceive(queue, &byte, 1, NULL, &end) >= 0 ? 0 : errno;
    }
    mq_close(queue);
    mq_unlink(name);
    return status;
}

static int wait_receive(void)
{
    return wait_queue(0);
}

static int wait_send(void)
{
    return wait_queue(1);
}

static const struct {
    const char *name;
    int (*wait)(void);
} waits[] = {
    {"futex, CLOCK_MONOTONIC", wait_futex_uptime},
    {"futex, CLOCK_REALTIME", wait_futex_date},
    {"futex, duration", wait_futex_duration},
    {"pthread_rwlock_clockrdlock", wait_read_lock},
    {"pthread_rwlock_clockwrlock", wait_write_lock},
    {"pthread_timedjoin_np", wait_timedjoin},
    {"pthread_clockjoin_np", wait_clockjoin},
    {"mq_timedreceive", wait_receive},
    {"mq_timedsend", wait_send},
};

static void test_waits(void)
{
    for (unsigned i = 0; i < sizeof(waits) / sizeof(waits[0]); ++i) {
        double start = now_s();
        int status = waits[i].wait();
        double seconds = now_s() - start;

        CHECK(status == ETIMEDOUT, "%s: %s", waits[i].name, strerror(status));
        CHECK(seconds >= WAIT_S && seconds < WAIT_S + 0.001, "%s: %g s",
              waits[i].name, seconds);
    }
}

/* ---- timers ---------------------------------------------------------------- */

static void test_timer_file(clockid_t clock)
{
    int file = timerfd_create(clock, 0);
    struct itimerspec end = {.it_value = after(clock)};
    struct pollfd polled = {.fd = file, .events = POLLIN};

    CHECK(timerfd_settime(file, TFD_TIMER_ABSTIME, &end, NULL) == 0, "%s",
          strerror(errno));
    timerfd_gettime(file, &end);
    CHECK(end.it_value.tv_sec == 0 && end.it_value.tv_nsec > 0 &&
              end.it_value.tv_nsec <= WAIT_NS,
          "%lld.%09ld s remain", (long long)end.it_value.tv_sec,
          end.it_value.tv_nsec);
    CHECK(poll(&polled, 1, -1) == 1, "the timer did not expire");
    close(file);
}

static void test_timer(clockid_t clock, int is_simulated)
{
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    struct itimerspec end = {.it_value = after(clock)};
    timer_t timer;

    CHECK(timer_create(clock, &none, &timer) == 0, "%s", strerror(errno));
    CHECK(timer_settime(timer, TIMER_ABSTIME, &end, NULL) == 0, "%s",
          strerror(errno));
    timer_gettime(timer, &end);
    CHECK(end.it_value.tv_sec == 0 && end.it_value.tv_nsec <= WAIT_NS,
          "%lld.%09ld s remain", (long long)end.it_value.tv_sec,
          end.it_value.tv_nsec);
    CHECK(!is_simulated || end.it_value.tv_nsec > 0, "the timer has expired");
    timer_delete(timer);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    test_waits();
    test_timer_file(CLOCK_MONOTONIC);
    test_timer_file(CLOCK_REALTIME);
    test_timer(CLOCK_MONOTONIC, 1);
    test_timer(CLOCK_REALTIME, 1);
    test_timer(CLOCK_PROCESS_CPUTIME_ID, 0);
    return check_end();
}
