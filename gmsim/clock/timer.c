/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the functions that set a timer to expire at the value of a clock.
 * Timers expire in real time. A deadline of a simulated clock is therefore
 * converted to the remaining time.
 */
#define _GNU_SOURCE
#include "clock/state.h"

#include <sys/timerfd.h>

#define GMS_TIMER_PS_PER_S  UINT64_C(1000000000000)
#define GMS_TIMER_PS_PER_NS UINT64_C(1000)

/* Convert the deadline to a duration. Return 0 if the deadline is not the value
 * of a simulated clock. A deadline before the start of the simulated clocks
 * either has passed or belongs to a clock of CPU time. */
static int gms_timer_convert(const struct itimerspec *given,
                             struct itimerspec *converted)
{
    const struct timespec *end = &given->it_value;
    clockid_t clock = gms_wait_clock(end);
    struct timespec start = gms_clock_value(clock, 0);
    uint64_t now_ps = gms_clock_peek_ps();
    uint64_t left_ps;

    if (!gms_clock_is_valid(end) || end->tv_sec < start.tv_sec) {
        return 0;
    }
    left_ps = gms_clock_time_ps(clock, end);
    left_ps = left_ps > now_ps ? left_ps - now_ps : 0;
    if (left_ps < GMS_TIMER_PS_PER_NS) {
        left_ps = GMS_TIMER_PS_PER_NS; /* the value 0 would stop the timer */
    }
    *converted = *given;
    converted->it_value.tv_sec = (time_t)(left_ps / GMS_TIMER_PS_PER_S);
    converted->it_value.tv_nsec =
        (long)(left_ps % GMS_TIMER_PS_PER_S / GMS_TIMER_PS_PER_NS);
    return 1;
}

GMS_CLOCK_API int timerfd_settime(int file, int flags,
                                  const struct itimerspec *value,
                                  struct itimerspec *old)
{
    GMS_CLOCK_REAL(timerfd_settime);
    struct itimerspec converted;

    if ((flags & TFD_TIMER_ABSTIME) != 0 && value != NULL &&
        gms_clock_is_simulated(__builtin_return_address(0)) &&
        gms_timer_convert(value, &converted)) {
        return real(file, 0, &converted, old);
    }
    return real(file, flags, value, old);
}

GMS_CLOCK_API int timer_settime(timer_t timer, int flags,
                                const struct itimerspec *value,
                                struct itimerspec *old)
{
    GMS_CLOCK_REAL(timer_settime);
    struct itimerspec converted;

    if ((flags & TIMER_ABSTIME) != 0 && value != NULL &&
        gms_clock_is_simulated(__builtin_return_address(0)) &&
        gms_timer_convert(value, &converted)) {
        return real(timer, flags & ~TIMER_ABSTIME, &converted, old);
    }
    return real(timer, flags, value, old);
}
