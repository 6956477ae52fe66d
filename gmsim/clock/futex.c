/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces syscall() for waits on a futex with a time limit. The C++ library
 * uses such waits for std::future and std::counting_semaphore. All other system
 * calls are passed to the C library.
 */
#define _GNU_SOURCE
#include "clock/state.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GMS_FUTEX_PS_PER_S  UINT64_C(1000000000000)
#define GMS_FUTEX_PS_PER_NS UINT64_C(1000)
/* Smallest time limit, in seconds, that is not simulated. The limit exceeds the
 * longest possible virtual time. */
#define GMS_FUTEX_MOST_S 10000000

/* The arguments of syscall(): the address, the operation, the expected value,
 * the time limit, a second address, and the mask of the wait. */
#define GMS_FUTEX_ARGS 6

static int gms_futex_wait(void *const objects[2],
                          const struct timespec *deadline)
{
    GMS_CLOCK_REAL(syscall);
    const long *args = objects[0];
    long is_private = args[1] & FUTEX_PRIVATE_FLAG;
    long mask = (args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT
                    ? (long)FUTEX_BITSET_MATCH_ANY
                    : args[5];

    return real(SYS_futex, args[0], FUTEX_WAIT_BITSET | is_private, args[2],
                deadline, NULL, mask) == 0
               ? 0
               : errno;
}

/* Return 1 if the call waits with a time limit. */
static int gms_futex_is_limited(long number, const long *args)
{
    long operation = args[1] & FUTEX_CMD_MASK;
    const struct timespec *limit = (const struct timespec *)args[3];

    return number == SYS_futex &&
           (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) &&
           limit != NULL && gms_clock_is_valid(limit);
}

/* The limit of FUTEX_WAIT is a duration, and the limit of FUTEX_WAIT_BITSET is
 * the value of a clock. */
static uint64_t gms_futex_deadline_ps(const long *args)
{
    const struct timespec *limit = (const struct timespec *)args[3];

    if ((args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET) {
        return gms_clock_time_ps((args[1] & FUTEX_CLOCK_REALTIME) != 0
                                     ? CLOCK_REALTIME
                                     : CLOCK_MONOTONIC,
                                 limit);
    }
    return limit->tv_sec < GMS_FUTEX_MOST_S
               ? gms_clock_peek_ps() +
                     (uint64_t)limit->tv_sec * GMS_FUTEX_PS_PER_S +
                     (uint64_t)limit->tv_nsec * GMS_FUTEX_PS_PER_NS
               : UINT64_MAX;
}

GMS_CLOCK_API long syscall(long number, ...)
{
    GMS_CLOCK_REAL(syscall);
    long args[GMS_FUTEX_ARGS];
    void *objects[2] = {args, NULL};
    uint64_t deadline_ps;
    va_list list;
    int status;
    int index;

    /* Like the C library, pass six arguments to the kernel for every system
     * call. */
    va_start(list, number);
    for (index = 0; index < GMS_FUTEX_ARGS; ++index) {
        args[index] = va_arg(list, long);
    }
    va_end(list);
    deadline_ps = number == SYS_futex &&
                          gms_clock_is_simulated(__builtin_return_address(0)) &&
                          gms_futex_is_limited(number, args)
                      ? gms_futex_deadline_ps(args)
                      : UINT64_MAX;
    if (deadline_ps == UINT64_MAX) {
        return real(number, args[0], args[1], args[2], args[3], args[4],
                    args[5]);
    }
    status = gms_wait_until(deadline_ps, gms_futex_wait, objects);
    if (status != 0) {
        errno = status;
    }
    return status == 0 ? 0 : -1;
}
