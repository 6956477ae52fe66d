/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the functions of the C library that read a clock. Clocks of CPU time
 * (clock(), times(), CLOCK_PROCESS_CPUTIME_ID) are not replaced, unless all
 * ranks share one process.
 */
#define _GNU_SOURCE
#include "clock/state.h"

#include <string.h>
#include <sys/time.h>
#include <sys/timeb.h>

/* Return the value of CLOCK_REALTIME. Reading the clock takes simulated
 * time. */
static struct timespec gms_clock_read_date(void)
{
    return gms_clock_value(CLOCK_REALTIME, gms_clock_read_ps());
}

GMS_CLOCK_API int clock_gettime(clockid_t id, struct timespec *value)
{
    GMS_CLOCK_REAL(clock_gettime);

    if (!gms_clock_is_simulated(__builtin_return_address(0))) {
        return real(id, value);
    }
    if (!gms_clock_has(id)) {
        return gms_clock_read_cpu(id, value) == 0 ? 0 : real(id, value);
    }
    *value = gms_clock_value(id, gms_clock_read_ps());
    return 0;
}

GMS_CLOCK_API int timespec_get(struct timespec *value, int base)
{
    GMS_CLOCK_REAL(timespec_get);

    if (!gms_clock_is_simulated(__builtin_return_address(0)) ||
        base != TIME_UTC) {
        return real(value, base);
    }
    *value = gms_clock_read_date();
    return base;
}

/* A program may pass NULL, although the header of the C library does not allow
 * NULL. */
static void gms_clock_store(struct timeval *value, const struct timespec *now)
{
    if (value != NULL) {
        value->tv_sec = now->tv_sec;
        value->tv_usec = now->tv_nsec / 1000;
    }
}

GMS_CLOCK_API int gettimeofday(struct timeval *restrict value,
                               void *restrict zone)
{
    GMS_CLOCK_REAL(gettimeofday);
    struct timespec now;

    if (!gms_clock_is_simulated(__builtin_return_address(0))) {
        return real(value, zone);
    }
    if (zone != NULL) {
        memset(zone, 0, sizeof(struct timezone)); /* return the time zone UTC,
                                                   * as glibc does */
    }
    now = gms_clock_read_date();
    gms_clock_store(value, &now);
    return 0;
}

GMS_CLOCK_API time_t time(time_t *value)
{
    GMS_CLOCK_REAL(time);
    struct timespec now;

    if (!gms_clock_is_simulated(__builtin_return_address(0))) {
        return real(value);
    }
    now = gms_clock_read_date();
    if (value != NULL) {
        *value = now.tv_sec;
    }
    return now.tv_sec;
}

/* The name "ftime" of the symbol is set explicitly, because new programs cannot
 * link with ftime() on some systems. */
int gms_clock_ftime(struct timeb *value) __asm__("ftime");

GMS_CLOCK_API int gms_clock_ftime(struct timeb *value)
{
    int is_simulated = gms_clock_is_simulated(__builtin_return_address(0));
    struct timespec now =
        is_simulated ? gms_clock_read_date() : gms_clock_real(CLOCK_REALTIME);

    memset(value, 0, sizeof(*value));
    value->time = now.tv_sec;
    value->millitm = (unsigned short)(now.tv_nsec / 1000000);
    return 0;
}
