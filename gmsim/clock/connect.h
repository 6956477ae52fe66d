/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the interface between libgm and libgmclock.so, the preloaded library
 * that replaces the clock functions of a rank. The library libgm finds
 * gmsim_clock_connect() at run time. If libgmclock.so is not loaded, the
 * program reads the real clock.
 *
 * All times are picoseconds since the start of the job's clock. The clock
 * starts at the same time for all ranks.
 */
#ifndef CLOCK_CONNECT_H
#define CLOCK_CONNECT_H

#include <stdint.h>
#include <time.h>

/** Functions of libgm that read and advance the clock of the process. Threads
 *  and signal handlers may call these functions. */
typedef struct gms_clock_source {
    /** Return the time. The read takes simulated time. */
    uint64_t (*read_ps)(void);
    /** Return the time. The read takes no simulated time. */
    uint64_t (*peek_ps)(void);
    /** Sleep until the given time. If takes_turn is not 0, also wait for the
     *  rank's turn. */
    void (*sleep_until)(uint64_t until_ps, int takes_turn);
} gms_clock_source_t;

/**
 * Make the clock functions of this process read `source`, which must remain
 * valid. If `source` is NULL, the function only returns its result.
 * @return the total time that clock reads and sleeps of the process have taken
 *        before this call
 */
typedef uint64_t gms_clock_connect_t(const gms_clock_source_t *source);

/** Name of the function of libgmclock.so. */
#define GMS_CLOCK_CONNECT "gmsim_clock_connect"

/** Address range of a library whose calls read the real clock. */
typedef struct gms_clock_range {
    uintptr_t begin, end;
} gms_clock_range_t;

/** Function that reads a clock of CPU time. */
typedef int gms_clock_cpu_fn(clockid_t id, struct timespec *value);

/** Functions for a program that runs all ranks of a job in one process. Each
 *  rank has a clock of its own, and the functions of the C library read the
 *  selected clock. */
typedef struct gms_clock_ranks {
    /** Return a new clock, or NULL if there is no memory. The clock has the
     *  state of a program that has not joined its job. */
    void *(*create)(void);
    /** Let calls from this range read the real clock. */
    void (*add_range)(void *clock, gms_clock_range_t range);
    /** Select the clock of a rank, or the clock of the process (NULL). */
    void (*select)(void *clock);
    /** Read clocks of CPU time with this function. The function returns 0, or
     *  -1 if the clock of the C library must be read. */
    void (*read_cpu_with)(gms_clock_cpu_fn *read);
} gms_clock_ranks_t;

/** Name of the variable of type gms_clock_ranks_t in libgmclock.so. */
#define GMS_CLOCK_RANKS "gmsim_clock_ranks"

/** Number of reads at the beginning of a series that all have the same cost. */
#define GMS_CLOCK_SAME_READS 100000
/** The additional cost of a later read is the time since these reads, divided
 *  by this number. */
#define GMS_CLOCK_FRACTION 1024

/**
 * Return the cost of the next read of the clock in a series of reads without
 * another call of a library. The cost increases, because a loop that polls the
 * clock would otherwise need millions of reads. The first 100000 reads cost
 * read_ps. The cost of each later read is read_ps plus 1/1024 of the time that
 * the series has taken since the first 100000 reads. The cost of a read is at
 * most most_ps. A loop that waits for at most 10 ms is therefore exact, and a
 * longer loop is late by at most 1/1024 of its wait. Programs that use such a
 * loop to pace messages need this accuracy. If a program sends at the rate of
 * its reservation, a late message delays all later messages.
 */
static inline uint64_t gms_clock_cost_ps(uint64_t series_ps, uint64_t read_ps,
                                         uint64_t most_ps)
{
    uint64_t same_ps = GMS_CLOCK_SAME_READS * read_ps;
    uint64_t cost_ps = read_ps;

    if (series_ps > same_ps) {
        cost_ps += (series_ps - same_ps) / GMS_CLOCK_FRACTION;
    }
    if (cost_ps > most_ps) {
        cost_ps = most_ps;
    }
    return cost_ps > read_ps ? cost_ps : read_ps;
}

#endif
