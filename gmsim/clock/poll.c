/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the functions of the C library that wait for files with a time
 * limit. If a call waits for no files, the function sleeps in simulated time.
 * Otherwise, the function waits in real time, because the files are real. If
 * the time limit expires, the function advances the clock of the process to the
 * start time of the call plus the limit.
 */
#define _GNU_SOURCE
#include "clock/state.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#define GMS_POLL_PS_PER_S  UINT64_C(1000000000000)
#define GMS_POLL_PS_PER_NS UINT64_C(1000)
/* Smallest time limit, in seconds, that is not simulated. The limit exceeds the
 * longest possible virtual time. */
#define GMS_POLL_MOST_S 10000000

/* If the time limit of a wait for files has expired, advance the clock to the
 * end of the limit. */
static int gms_poll_end(int result, uint64_t start_ps,
                        const struct timespec *limit)
{
    if (result == 0 && gms_clock_is_valid(limit) &&
        limit->tv_sec < GMS_POLL_MOST_S) {
        gms_clock_sleep_until(start_ps +
                                  (uint64_t)limit->tv_sec * GMS_POLL_PS_PER_S +
                                  (uint64_t)limit->tv_nsec * GMS_POLL_PS_PER_NS,
                              0);
    }
    return result;
}

static struct timespec gms_poll_limit(int limit_ms)
{
    return (struct timespec){.tv_sec = limit_ms / 1000,
                             .tv_nsec = limit_ms % 1000 * 1000000L};
}

GMS_CLOCK_API int poll(struct pollfd *files, nfds_t count, int limit_ms)
{
    GMS_CLOCK_REAL(poll);
    struct timespec limit = gms_poll_limit(limit_ms);
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit_ms < 0) {
        return real(files, count, limit_ms);
    }
    if (count == 0) {
        gms_clock_sleep(&limit);
        return 0;
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(files, count, limit_ms), start_ps, &limit);
}

GMS_CLOCK_API int ppoll(struct pollfd *files, nfds_t count,
                        const struct timespec *limit, const sigset_t *mask)
{
    GMS_CLOCK_REAL(ppoll);
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit == NULL ||
        !gms_clock_is_valid(limit)) {
        return real(files, count, limit, mask);
    }
    if (count == 0) {
        gms_clock_sleep(limit);
        return 0;
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(files, count, limit, mask), start_ps, limit);
}

GMS_CLOCK_API int select(int count, fd_set *restrict reads,
                         fd_set *restrict writes, fd_set *restrict exceptions,
                         struct timeval *restrict limit)
{
    GMS_CLOCK_REAL(select);
    struct timespec duration;
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit == NULL ||
        limit->tv_sec < 0 || limit->tv_usec < 0 || limit->tv_usec >= 1000000) {
        return real(count, reads, writes, exceptions, limit);
    }
    duration = (struct timespec){.tv_sec = limit->tv_sec,
                                 .tv_nsec = limit->tv_usec * 1000};
    if (count == 0) {
        gms_clock_sleep(&duration);
        *limit = (struct timeval){0, 0}; /* as Linux does, store the remaining
                                          * time, which is 0 */
        return 0;
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(count, reads, writes, exceptions, limit), start_ps,
                        &duration);
}

GMS_CLOCK_API int pselect(int count, fd_set *restrict reads,
                          fd_set *restrict writes, fd_set *restrict exceptions,
                          const struct timespec *restrict limit,
                          const sigset_t *restrict mask)
{
    GMS_CLOCK_REAL(pselect);
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit == NULL ||
        !gms_clock_is_valid(limit)) {
        return real(count, reads, writes, exceptions, limit, mask);
    }
    if (count == 0) {
        gms_clock_sleep(limit);
        return 0;
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(count, reads, writes, exceptions, limit, mask),
                        start_ps, limit);
}

GMS_CLOCK_API int epoll_pwait(int epoll, struct epoll_event *events, int most,
                              int limit_ms, const sigset_t *mask)
{
    GMS_CLOCK_REAL(epoll_pwait);
    struct timespec limit = gms_poll_limit(limit_ms);
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit_ms < 0) {
        return real(epoll, events, most, limit_ms, mask);
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(epoll, events, most, limit_ms, mask), start_ps,
                        &limit);
}

GMS_CLOCK_API int epoll_wait(int epoll, struct epoll_event *events, int most,
                             int limit_ms)
{
    GMS_CLOCK_REAL(epoll_wait);
    struct timespec limit = gms_poll_limit(limit_ms);
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit_ms < 0) {
        return real(epoll, events, most, limit_ms);
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(epoll, events, most, limit_ms), start_ps, &limit);
}

/* This function exists since glibc 2.35. The declaration is for older
 * headers. */
int epoll_pwait2(int epoll, struct epoll_event *events, int most,
                 const struct timespec *limit, const sigset_t *mask);

GMS_CLOCK_API int epoll_pwait2(int epoll, struct epoll_event *events, int most,
                               const struct timespec *limit,
                               const sigset_t *mask)
{
    GMS_CLOCK_REAL(epoll_pwait2);
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit == NULL ||
        !gms_clock_is_valid(limit)) {
        return real(epoll, events, most, limit, mask);
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(epoll, events, most, limit, mask), start_ps,
                        limit);
}

/* Programs that are compiled with _FORTIFY_SOURCE call the following functions
 * instead of poll() and ppoll(). The C library's functions end the program if
 * the array of files is too short. */
int __poll_chk(struct pollfd *files, nfds_t count, int limit_ms, size_t size);
int __ppoll_chk(struct pollfd *files, nfds_t count,
                const struct timespec *limit, const sigset_t *mask,
                size_t size);

GMS_CLOCK_API int __poll_chk(struct pollfd *files, nfds_t count, int limit_ms,
                             size_t size)
{
    GMS_CLOCK_REAL(__poll_chk);
    struct timespec limit = gms_poll_limit(limit_ms);
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit_ms < 0) {
        return real(files, count, limit_ms, size);
    }
    if (count == 0) {
        gms_clock_sleep(&limit);
        return 0;
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(files, count, limit_ms, size), start_ps, &limit);
}

GMS_CLOCK_API int __ppoll_chk(struct pollfd *files, nfds_t count,
                              const struct timespec *limit,
                              const sigset_t *mask, size_t size)
{
    GMS_CLOCK_REAL(__ppoll_chk);
    uint64_t start_ps;

    if (!gms_clock_is_simulated(__builtin_return_address(0)) || limit == NULL ||
        !gms_clock_is_valid(limit)) {
        return real(files, count, limit, mask, size);
    }
    if (count == 0) {
        gms_clock_sleep(limit);
        return 0;
    }
    start_ps = gms_clock_peek_ps();
    return gms_poll_end(real(files, count, limit, mask, size), start_ps, limit);
}
