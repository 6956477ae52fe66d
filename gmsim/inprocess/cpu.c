/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the functions of the C library that return CPU time. The library
 * libgmclock.so replaces clock_gettime(), and calls this program for clocks of
 * CPU time.
 */
#define _GNU_SOURCE
#include "inprocess/cpu.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "inprocess/libc.h"

#define GMI_NS_PER_S  1000000000u
#define GMI_US_PER_S  1000000u
#define GMI_NS_PER_US 1000u

static struct {
    uint64_t begin;    /* ticks at which the present rank started running */
    gmi_rank_t *first; /* ranks that have run since the last division */
    uint64_t ticks;    /* sum of the ticks of these ranks */
    gmi_cpu_time_t divided[GMI_CPU_KINDS]; /* CPU time until the last
                                            * division */
} gmi_cpu;

/* ---- ticks --------------------------------------------------------------- */

void gmi_cpu_enter(void)
{
    gmi_cpu.begin = __rdtsc();
}

void gmi_cpu_leave(gmi_rank_t *rank)
{
    uint64_t now = __rdtsc();
    /* the counters of two processors can differ; every turn counts */
    uint64_t ticks = now > gmi_cpu.begin ? now - gmi_cpu.begin : 1;

    if (rank->cpu.ticks == 0) {
        rank->cpu.next = gmi_cpu.first;
        gmi_cpu.first = rank;
    }
    rank->cpu.ticks += ticks;
    gmi_cpu.ticks += ticks;
}

/* ---- division ------------------------------------------------------------ */

static uint64_t gmi_cpu_us(struct timeval time)
{
    return (uint64_t)time.tv_sec * GMI_US_PER_S + (uint64_t)time.tv_usec;
}

/* Read the CPU time of the process or of this thread. The functions of the C
 * library are replaced, so the kernel is called. */
static gmi_cpu_time_t gmi_cpu_read(int kind)
{
    struct timespec total = {0, 0};
    struct rusage use = {.ru_utime = {0, 0}};

    syscall(SYS_clock_gettime,
            kind == GMI_CPU_PROCESS ? CLOCK_PROCESS_CPUTIME_ID
                                    : CLOCK_THREAD_CPUTIME_ID,
            &total);
    syscall(SYS_getrusage,
            kind == GMI_CPU_PROCESS ? RUSAGE_SELF : RUSAGE_THREAD, &use);
    return (gmi_cpu_time_t){
        .total_ns =
            (uint64_t)total.tv_sec * GMI_NS_PER_S + (uint64_t)total.tv_nsec,
        .user_us = gmi_cpu_us(use.ru_utime),
        .system_us = gmi_cpu_us(use.ru_stime),
    };
}

static uint64_t gmi_cpu_part(uint64_t amount, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)amount * ticks / gmi_cpu.ticks);
}

static gmi_cpu_time_t gmi_cpu_sum(gmi_cpu_time_t a, gmi_cpu_time_t b)
{
    return (gmi_cpu_time_t){a.total_ns + b.total_ns, a.user_us + b.user_us,
                            a.system_us + b.system_us};
}

static gmi_cpu_time_t gmi_cpu_difference(gmi_cpu_time_t a, gmi_cpu_time_t b)
{
    return (gmi_cpu_time_t){a.total_ns - b.total_ns, a.user_us - b.user_us,
                            a.system_us - b.system_us};
}

/* Divide the CPU time since the last division. The running rank receives the
 * amounts that are lost by rounding. */
static void gmi_cpu_divide_kind(int kind)
{
    gmi_cpu_time_t now = gmi_cpu_read(kind);
    gmi_cpu_time_t left = gmi_cpu_difference(now, gmi_cpu.divided[kind]);
    const gmi_cpu_time_t all = left;
    gmi_rank_t *rank;

    for (rank = gmi_cpu.first; rank != NULL; rank = rank->cpu.next) {
        gmi_cpu_time_t part = {
            .total_ns = gmi_cpu_part(all.total_ns, rank->cpu.ticks),
            .user_us = gmi_cpu_part(all.user_us, rank->cpu.ticks),
            .system_us = gmi_cpu_part(all.system_us, rank->cpu.ticks),
        };

        rank->cpu.used[kind] = gmi_cpu_sum(rank->cpu.used[kind], part);
        left = gmi_cpu_difference(left, part);
    }
    gmi_current->cpu.used[kind] =
        gmi_cpu_sum(gmi_current->cpu.used[kind], left);
    gmi_cpu.divided[kind] = now;
}

/* Return the CPU time of the running rank. */
static gmi_cpu_time_t gmi_cpu_own(int kind)
{
    int other;

    gmi_cpu_leave(gmi_current);
    for (other = 0; other < GMI_CPU_KINDS; ++other) {
        gmi_cpu_divide_kind(other);
    }
    for (; gmi_cpu.first != NULL; gmi_cpu.first = gmi_cpu.first->cpu.next) {
        gmi_cpu.first->cpu.ticks = 0;
    }
    gmi_cpu.ticks = 0;
    gmi_cpu_enter();
    return gmi_current->cpu.used[kind];
}

/* ---- functions of the C library ------------------------------------------ */

static struct timeval gmi_cpu_timeval(uint64_t time_us)
{
    return (struct timeval){.tv_sec = (time_t)(time_us / GMI_US_PER_S),
                            .tv_usec = (suseconds_t)(time_us % GMI_US_PER_S)};
}

GMI_API int getrusage(__rusage_who_t who, struct rusage *use)
{
    GMI_REAL(getrusage)
    int result = real(who, use);

    if (result == 0 && gmi_is_rank() &&
        (who == RUSAGE_SELF || who == RUSAGE_THREAD)) {
        gmi_cpu_time_t own =
            gmi_cpu_own(who == RUSAGE_SELF ? GMI_CPU_PROCESS : GMI_CPU_THREAD);

        use->ru_utime = gmi_cpu_timeval(own.user_us);
        use->ru_stime = gmi_cpu_timeval(own.system_us);
    }
    return result;
}

GMI_API clock_t clock(void)
{
    GMI_REAL(clock)

    return gmi_is_rank() ? (clock_t)(gmi_cpu_own(GMI_CPU_PROCESS).total_ns /
                                     GMI_NS_PER_US)
                         : real();
}

static clock_t gmi_cpu_clock_ticks(uint64_t time_us)
{
    return (clock_t)(time_us * (uint64_t)sysconf(_SC_CLK_TCK) / GMI_US_PER_S);
}

GMI_API clock_t times(struct tms *use)
{
    GMI_REAL(times)
    clock_t result = real(use);

    if (use != NULL && gmi_is_rank()) {
        gmi_cpu_time_t own = gmi_cpu_own(GMI_CPU_PROCESS);

        use->tms_utime = gmi_cpu_clock_ticks(own.user_us);
        use->tms_stime = gmi_cpu_clock_ticks(own.system_us);
    }
    return result;
}

int gmi_cpu_clock(clockid_t id, struct timespec *value)
{
    uint64_t total_ns;

    if (!gmi_is_rank() ||
        (id != CLOCK_PROCESS_CPUTIME_ID && id != CLOCK_THREAD_CPUTIME_ID)) {
        return -1;
    }
    total_ns = gmi_cpu_own(id == CLOCK_PROCESS_CPUTIME_ID ? GMI_CPU_PROCESS
                                                          : GMI_CPU_THREAD)
                   .total_ns;
    *value = (struct timespec){.tv_sec = (time_t)(total_ns / GMI_NS_PER_S),
                               .tv_nsec = (long)(total_ns % GMI_NS_PER_S)};
    return 0;
}
