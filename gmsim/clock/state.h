/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the clock that a rank's program reads through libgmclock.so, and the
 * real functions of the C library.
 *
 * The clock of a process is in one of these states:
 *   real       the process is not a rank: every function calls the C library
 *   own        the program is linked with libgm but has not joined the job:
 *              the clock starts at 0, and only reads and sleeps advance it
 *   connected  the process has joined: the functions read libgm's clock
 */
#ifndef CLOCK_STATE_H
#define CLOCK_STATE_H

#include <stdint.h>
#include <time.h>

#include "clock/connect.h"

/** Marks the functions that the library exports. */
#define GMS_CLOCK_API __attribute__((visibility("default")))

/** Value of CLOCK_REALTIME at the start of the clock: 2000-01-01 00:00:00
 *  UTC. */
#define GMS_CLOCK_DATE_S 946684800
/** Value of CLOCK_MONOTONIC at the start of the clock: one day. */
#define GMS_CLOCK_UPTIME_S 86400

/**
 * Return 1 if the function that was called from `caller` must use the simulated
 * clock. Calls from libgm and libmpi use the real clock, for example for their
 * time limits.
 * @param [in] caller  __builtin_return_address(0) of the exported function
 */
int gms_clock_is_simulated(const void *caller);

/** Return 1 if the simulation provides the clock with this id. The simulation
 *  does not provide clocks of CPU time. */
int gms_clock_has(clockid_t id);

/** Read a clock of CPU time of a rank that shares a process with other ranks.
 *  @return 0, or -1 if the clock of the C library must be read */
int gms_clock_read_cpu(clockid_t id, struct timespec *value);

/** These functions do the same as the functions of gms_clock_source_t, in any
 *  state of the clock. */
uint64_t gms_clock_read_ps(void);
uint64_t gms_clock_peek_ps(void);
void gms_clock_sleep_until(uint64_t until_ps, int takes_turn);

/** Sleep for a duration that begins at the caller's present time. */
void gms_clock_sleep(const struct timespec *duration);

/** Convert a time to the value of a clock, and the value of a clock to a time.
 *  A value before the start of the clock is converted to 0; times are limited
 *  to 106 days. */
struct timespec gms_clock_value(clockid_t id, uint64_t time_ps);
uint64_t gms_clock_time_ps(clockid_t id, const struct timespec *value);

/** Return the real value of a clock. */
struct timespec gms_clock_real(clockid_t id);

/** Call the C library's function that waits for objects until a deadline, which
 *  is a value of the real CLOCK_MONOTONIC.
 *  @return 0 or an error number, of which ETIMEDOUT means a time-out */
typedef int gms_wait_fn(void *const objects[2],
                        const struct timespec *deadline);
/** Wait for objects until the simulated clock has reached the deadline.
 *  @return 0 or an error number, like a function of type gms_wait_fn */
int gms_wait_until(uint64_t deadline_ps, gms_wait_fn *wait,
                   void *const objects[2]);
/** Return the clock to which a deadline belongs: CLOCK_REALTIME or
 *  CLOCK_MONOTONIC. */
clockid_t gms_wait_clock(const struct timespec *deadline);

/** Return 1 if this time is a valid argument of a C library function. */
int gms_clock_is_valid(const struct timespec *value);

/**
 * Return the C library's function with this name. The first call for a name
 * searches for the function. If the C library has no such function, the program
 * ends.
 */
void *gms_clock_find(void **found, const char *name);

/** Declare a pointer `real` to the C library's function `name`, which has the
 *  type of the function that the library replaces. */
#define GMS_CLOCK_REAL(name)                                                   \
    static void *found_;                                                       \
    __typeof__(name) *real = (__typeof__(name) *)gms_clock_find(&found_, #name)

#endif
