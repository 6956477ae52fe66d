/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * cpu.h - returns the processor time of this process or its children, for
 * benchmarks of the simulator itself.
 */
#ifndef BENCHMARKS_CPU_H
#define BENCHMARKS_CPU_H

#include <sys/resource.h>

/** Return the user and system time used so far, in seconds. RUSAGE_SELF means
 *  this process. RUSAGE_CHILDREN means all child processes for which this
 *  process has waited. */
static inline double bench_cpu_seconds(int who)
{
    struct rusage use;

    getrusage(who, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/** Return the user time used so far, in seconds. */
static inline double bench_user_seconds(int who)
{
    struct rusage use;

    getrusage(who, &use);
    return (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec;
}

#endif
