/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the functions of the C library that wait for another thread until a
 * deadline. The deadline is a value of a simulated clock, but the C library
 * compares it with a real clock.
 *
 * A wait ends with a time-out when the clock of the process has reached the
 * deadline. The clock of the process may not advance, for example because all
 * of its threads wait. In this case, the wait ends after an amount of real time
 * equal to the remaining simulated time, and advances the clock to the
 * deadline.
 *
 *     simulated   start ------- (other threads may move it) ------> deadline
 *     real        start -- slice -- slice -- .. -- for the remaining time
 */
#define _GNU_SOURCE
#include "clock/state.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

/* Longest interval of real time at which a waiting thread compares the clock of
 * the process with its deadline. */
#define GMS_WAIT_SLICE_PS UINT64_C(20000000000)

/* Deadlines of functions without an argument for the clock are values of
 * CLOCK_REALTIME or of CLOCK_MONOTONIC, depending on the attributes of the
 * object. A value of at least this number of seconds is a value of
 * CLOCK_REALTIME, because simulated values of the two clocks differ by 30
 * years. */
#define GMS_WAIT_LEAST_DATE_S 500000000

clockid_t gms_wait_clock(const struct timespec *deadline)
{
    return deadline->tv_sec >= GMS_WAIT_LEAST_DATE_S ? CLOCK_REALTIME
                                                     : CLOCK_MONOTONIC;
}

static struct timespec gms_wait_real_after(uint64_t duration_ps)
{
    struct timespec end = gms_clock_real(CLOCK_MONOTONIC);

    end.tv_sec += (time_t)(duration_ps / 1000000000000);
    end.tv_nsec += (long)(duration_ps % 1000000000000 / 1000);
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        ++end.tv_sec;
    }
    return end;
}

int gms_wait_until(uint64_t deadline_ps, gms_wait_fn *wait,
                   void *const objects[2])
{
    uint64_t start_ps = gms_clock_peek_ps();
    uint64_t waited_ps = 0; /* real time that has passed while the clock
                             * remained at start_ps */

    for (;;) {
        uint64_t now_ps = gms_clock_peek_ps();
        uint64_t left_ps = deadline_ps > now_ps ? deadline_ps - now_ps : 0;
        struct timespec end;
        int status;

        if (now_ps != start_ps) {
            start_ps = now_ps;
            waited_ps = 0;
        }
        left_ps = left_ps > waited_ps ? left_ps - waited_ps : 0;
        if (left_ps > GMS_WAIT_SLICE_PS) {
            left_ps = GMS_WAIT_SLICE_PS;
        }
        end = gms_wait_real_after(left_ps);
        status = wait(objects, &end);
        if (status != ETIMEDOUT) {
            return status;
        }
        waited_ps += left_ps;
        now_ps = gms_clock_peek_ps();
        if (now_ps == start_ps && waited_ps >= deadline_ps - now_ps &&
            now_ps < deadline_ps) {
            gms_clock_sleep_until(deadline_ps, 0);
            return ETIMEDOUT;
        }
        if (now_ps >= deadline_ps) {
            return ETIMEDOUT;
        }
    }
}

/* Return 1 if the deadline is a value of a simulated clock. The C library
 * handles invalid deadlines. */
static int gms_wait_is_simulated(const void *caller, clockid_t clock,
                                 const struct timespec *deadline)
{
    return gms_clock_is_simulated(caller) && gms_clock_has(clock) &&
           gms_clock_is_valid(deadline);
}

/* ---- condition variables ------------------------------------------------- */

static int gms_wait_cond(void *const objects[2],
                         const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_cond_clockwait);

    return real(objects[0], objects[1], CLOCK_MONOTONIC, deadline);
}

GMS_CLOCK_API int pthread_cond_clockwait(pthread_cond_t *cond,
                                         pthread_mutex_t *mutex,
                                         clockid_t clock,
                                         const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_cond_clockwait);
    void *objects[2] = {cond, mutex};

    return gms_wait_is_simulated(__builtin_return_address(0), clock, deadline)
               ? gms_wait_until(gms_clock_time_ps(clock, deadline),
                                gms_wait_cond, objects)
               : real(cond, mutex, clock, deadline);
}

GMS_CLOCK_API int pthread_cond_timedwait(pthread_cond_t *cond,
                                         pthread_mutex_t *mutex,
                                         const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_cond_timedwait);
    clockid_t clock = gms_wait_clock(deadline);
    void *objects[2] = {cond, mutex};

    return gms_wait_is_simulated(__builtin_return_address(0), clock, deadline)
               ? gms_wait_until(gms_clock_time_ps(clock, deadline),
                                gms_wait_cond, objects)
               : real(cond, mutex, deadline);
}

static int gms_wait_thrd_status(int status)
{
    switch (status) {
    case 0:
        return thrd_success;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

/* In glibc, the objects of C11 threads are the same as the objects of POSIX
 * threads. */
GMS_CLOCK_API int cnd_timedwait(cnd_t *cond, mtx_t *mutex,
                                const struct timespec *deadline)
{
    GMS_CLOCK_REAL(cnd_timedwait);
    void *objects[2] = {cond, mutex};

    return gms_wait_is_simulated(__builtin_return_address(0), CLOCK_REALTIME,
                                 deadline)
               ? gms_wait_thrd_status(
                     gms_wait_until(gms_clock_time_ps(CLOCK_REALTIME, deadline),
                                    gms_wait_cond, objects))
               : real(cond, mutex, deadline);
}

/* ---- locks --------------------------------------------------------------- */

static int gms_wait_mutex(void *const objects[2],
                          const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_mutex_clocklock);

    return real(objects[0], CLOCK_MONOTONIC, deadline);
}

GMS_CLOCK_API int pthread_mutex_clocklock(pthread_mutex_t *mutex,
                                          clockid_t clock,
                                          const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_mutex_clocklock);
    void *objects[2] = {mutex, NULL};

    return gms_wait_is_simulated(__builtin_return_address(0), clock, deadline)
               ? gms_wait_until(gms_clock_time_ps(clock, deadline),
                                gms_wait_mutex, objects)
               : real(mutex, clock, deadline);
}

GMS_CLOCK_API int pthread_mutex_timedlock(pthread_mutex_t *mutex,
                                          const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_mutex_timedlock);
    void *objects[2] = {mutex, NULL};

    return gms_wait_is_simulated(__builtin_return_address(0), CLOCK_REALTIME,
                                 deadline)
               ? gms_wait_until(gms_clock_time_ps(CLOCK_REALTIME, deadline),
                                gms_wait_mutex, objects)
               : real(mutex, deadline);
}

GMS_CLOCK_API int mtx_timedlock(mtx_t *restrict mutex,
                                const struct timespec *restrict deadline)
{
    GMS_CLOCK_REAL(mtx_timedlock);
    void *objects[2] = {mutex, NULL};

    return gms_wait_is_simulated(__builtin_return_address(0), CLOCK_REALTIME,
                                 deadline)
               ? gms_wait_thrd_status(
                     gms_wait_until(gms_clock_time_ps(CLOCK_REALTIME, deadline),
                                    gms_wait_mutex, objects))
               : real(mutex, deadline);
}

static int gms_wait_read_lock(void *const objects[2],
                              const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_rwlock_clockrdlock);

    return real(objects[0], CLOCK_MONOTONIC, deadline);
}

static int gms_wait_write_lock(void *const objects[2],
                               const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_rwlock_clockwrlock);

    return real(objects[0], CLOCK_MONOTONIC, deadline);
}

GMS_CLOCK_API int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock,
                                             const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_rwlock_timedrdlock);
    void *objects[2] = {lock, NULL};

    return gms_wait_is_simulated(__builtin_return_address(0), CLOCK_REALTIME,
                                 deadline)
               ? gms_wait_until(gms_clock_time_ps(CLOCK_REALTIME, deadline),
                                gms_wait_read_lock, objects)
               : real(lock, deadline);
}

GMS_CLOCK_API int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock,
                                             const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_rwlock_timedwrlock);
    void *objects[2] = {lock, NULL};

    return gms_wait_is_simulated(__builtin_return_address(0), CLOCK_REALTIME,
                                 deadline)
               ? gms_wait_until(gms_clock_time_ps(CLOCK_REALTIME, deadline),
                                gms_wait_write_lock, objects)
               : real(lock, deadline);
}

GMS_CLOCK_API int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock,
                                             clockid_t clock,
                                             const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_rwlock_clockrdlock);
    void *objects[2] = {lock, NULL};

    return gms_wait_is_simulated(__builtin_return_address(0), clock, deadline)
               ? gms_wait_until(gms_clock_time_ps(clock, deadline),
                                gms_wait_read_lock, objects)
               : real(lock, clock, deadline);
}

GMS_CLOCK_API int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock,
                                             clockid_t clock,
                                             const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_rwlock_clockwrlock);
    void *objects[2] = {lock, NULL};

    return gms_wait_is_simulated(__builtin_return_address(0), clock, deadline)
               ? gms_wait_until(gms_clock_time_ps(clock, deadline),
                                gms_wait_write_lock, objects)
               : real(lock, clock, deadline);
}

/* ---- threads ------------------------------------------------------------- */

static int gms_wait_thread(void *const objects[2],
                           const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_clockjoin_np);

    return real(*(const pthread_t *)objects[0], objects[1], CLOCK_MONOTONIC,
                deadline);
}

GMS_CLOCK_API int pthread_clockjoin_np(pthread_t thread, void **result,
                                       clockid_t clock,
                                       const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_clockjoin_np);
    void *objects[2] = {&thread, result};

    return deadline != NULL && gms_wait_is_simulated(
                                   __builtin_return_address(0), clock, deadline)
               ? gms_wait_until(gms_clock_time_ps(clock, deadline),
                                gms_wait_thread, objects)
               : real(thread, result, clock, deadline);
}

GMS_CLOCK_API int pthread_timedjoin_np(pthread_t thread, void **result,
                                       const struct timespec *deadline)
{
    GMS_CLOCK_REAL(pthread_timedjoin_np);
    void *objects[2] = {&thread, result};

    return deadline != NULL &&
                   gms_wait_is_simulated(__builtin_return_address(0),
                                         CLOCK_REALTIME, deadline)
               ? gms_wait_until(gms_clock_time_ps(CLOCK_REALTIME, deadline),
                                gms_wait_thread, objects)
               : real(thread, result, deadline);
}

/* ---- semaphores ---------------------------------------------------------- */

static int gms_wait_sem(void *const objects[2], const struct timespec *deadline)
{
    GMS_CLOCK_REAL(sem_clockwait);

    return real(objects[0], CLOCK_MONOTONIC, deadline) == 0 ? 0 : errno;
}

static int gms_wait_sem_until(sem_t *sem, clockid_t clock,
                              const struct timespec *deadline)
{
    void *objects[2] = {sem, NULL};
    int status = gms_wait_until(gms_clock_time_ps(clock, deadline),
                                gms_wait_sem, objects);

    if (status != 0) {
        errno = status;
    }
    return status == 0 ? 0 : -1;
}

GMS_CLOCK_API int sem_clockwait(sem_t *restrict sem, clockid_t clock,
                                const struct timespec *restrict deadline)
{
    GMS_CLOCK_REAL(sem_clockwait);

    return gms_wait_is_simulated(__builtin_return_address(0), clock, deadline)
               ? gms_wait_sem_until(sem, clock, deadline)
               : real(sem, clock, deadline);
}

GMS_CLOCK_API int sem_timedwait(sem_t *restrict sem,
                                const struct timespec *restrict deadline)
{
    GMS_CLOCK_REAL(sem_timedwait);

    return gms_wait_is_simulated(__builtin_return_address(0), CLOCK_REALTIME,
                                 deadline)
               ? gms_wait_sem_until(sem, CLOCK_REALTIME, deadline)
               : real(sem, deadline);
}
