/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the functions of the C library that sleep. A simulated sleep
 * advances the clock of the rank and takes no real time. A signal does not
 * shorten this sleep.
 */
#define _GNU_SOURCE
#include "clock/state.h"

#include <errno.h>
#include <threads.h>
#include <unistd.h>

GMS_CLOCK_API int nanosleep(const struct timespec *duration,
                            struct timespec *left)
{
    GMS_CLOCK_REAL(nanosleep);

    if (!gms_clock_is_simulated(__builtin_return_address(0)) ||
        !gms_clock_is_valid(duration)) {
        return real(duration, left);
    }
    gms_clock_sleep(duration);
    return 0;
}

GMS_CLOCK_API int clock_nanosleep(clockid_t id, int flags,
                                  const struct timespec *time,
                                  struct timespec *left)
{
    GMS_CLOCK_REAL(clock_nanosleep);

    if (!gms_clock_is_simulated(__builtin_return_address(0)) ||
        !gms_clock_has(id) || !gms_clock_is_valid(time)) {
        return real(id, flags, time, left);
    }
    if ((flags & TIMER_ABSTIME) != 0) {
        gms_clock_sleep_until(gms_clock_time_ps(id, time), 1);
    } else {
        gms_clock_sleep(time);
    }
    return 0;
}

GMS_CLOCK_API int thrd_sleep(const struct timespec *duration,
                             struct timespec *left)
{
    GMS_CLOCK_REAL(thrd_sleep);

    if (!gms_clock_is_simulated(__builtin_return_address(0)) ||
        !gms_clock_is_valid(duration)) {
        return real(duration, left);
    }
    gms_clock_sleep(duration);
    return 0;
}

GMS_CLOCK_API int usleep(useconds_t microseconds)
{
    GMS_CLOCK_REAL(usleep);
    struct timespec duration = {.tv_sec = microseconds / 1000000,
                                .tv_nsec =
                                    (long)(microseconds % 1000000) * 1000};

    if (!gms_clock_is_simulated(__builtin_return_address(0))) {
        return real(microseconds);
    }
    gms_clock_sleep(&duration);
    return 0;
}

GMS_CLOCK_API unsigned sleep(unsigned seconds)
{
    GMS_CLOCK_REAL(sleep);
    struct timespec duration = {.tv_sec = seconds};

    if (!gms_clock_is_simulated(__builtin_return_address(0))) {
        return real(seconds);
    }
    gms_clock_sleep(&duration);
    return 0;
}
