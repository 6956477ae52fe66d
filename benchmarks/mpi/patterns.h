/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * patterns.h - implements communication patterns that consist of point-to-point
 * MPI calls.
 *
 * The collective patterns are defined as in the schedule generator of LogGOPSim
 * (Schedgen). The patterns run in the same way as in the programs of the
 * measurement campaign "Noise in the Clouds". All receives are posted first.
 * Sends are blocking, and a send that forwards received data waits for them.
 * The pair patterns and the LogGP overheads are defined as in Netgauge. The
 * patterns transfer data, but do no arithmetic.
 */
#ifndef BENCHMARKS_MPI_PATTERNS_H
#define BENCHMARKS_MPI_PATTERNS_H

#include <stddef.h>

/** The role and the buffers of one process in a pattern. */
typedef struct pattern_run {
    int rank, size;
    size_t bytes;
    char *buffer; /**< all messages of a collective pattern share this buffer */
    char *second; /**< second buffer, for traffic in the opposite direction */
    void *requests; /**< array with room for pattern_requests() MPI requests */
} pattern_run_t;

/** The method of computing a sample from the times of all processes. */
enum pattern_sample {
    PATTERN_LONGEST, /**< the longest time of all processes */
    PATTERN_PAIRS    /**< the mean over the processes with even ranks */
};

typedef struct pattern {
    const char *name;
    const char *text; /**< a phrase for --help */
    enum pattern_sample sample;
    int is_even; /**< 1: the number of processes must be even */
    int is_pair; /**< 1: the number of processes must be 2 */
    /** Run the pattern once, after a barrier.
     *  @return this process's time in seconds */
    double (*run)(const pattern_run_t *run);
} pattern_t;

/** All patterns; the last element has no name. */
extern const pattern_t patterns[];

/** Return the pattern with this name, or NULL. */
const pattern_t *pattern_find(const char *name);

/** Return the largest number of requests that any pattern needs. */
size_t pattern_requests(int size);

/* --- parts of the implementation (patterns.c, pattern_pairs.c) */

double pattern_pingpong(const pattern_run_t *run);
double pattern_exchange(const pattern_run_t *run);
double pattern_send_overhead(const pattern_run_t *run);
double pattern_receive_overhead(const pattern_run_t *run);
double pattern_gap(const pattern_run_t *run);

#endif
