/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * cpu.h - processor time of this process or its children, for benchmarks that
 * measure the simulator itself.
 */
#ifndef BENCHMARKS_CPU_H
#define BENCHMARKS_CPU_H

#include <sys/resource.h>

/** Seconds of user and system time so far.
 *  @param [in] who  RUSAGE_SELF, or RUSAGE_CHILDREN that were waited for */
static inline double bench_cpu_seconds(int who)
{
    struct rusage use;

    getrusage(who, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/** Seconds of user time so far. */
static inline double bench_user_seconds(int who)
{
    struct rusage use;

    getrusage(who, &use);
    return (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec;
}

#endif
