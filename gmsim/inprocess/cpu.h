/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Divides the CPU time of this process between the ranks. Every rank counts the
 * ticks of the processor for which it has run, because reading a clock of CPU
 * time at every switch between ranks would need a system call. When a rank asks
 * for its CPU time, the CPU time that the process has used since the previous
 * question is divided in proportion to these ticks. The sum over the ranks is
 * therefore the CPU time of the process.
 */
#ifndef GMI_CPU_H
#define GMI_CPU_H

#include <stdint.h>
#include <time.h>

struct gmi_rank;

/** CPU time of a process or a thread. */
typedef struct gmi_cpu_time {
    uint64_t total_ns;
    uint64_t user_us, system_us;
} gmi_cpu_time_t;

enum {
    GMI_CPU_PROCESS, /* all threads of the process */
    GMI_CPU_THREAD,  /* the thread in which the ranks run */
    GMI_CPU_KINDS
};

/** CPU time of a rank. */
typedef struct gmi_cpu {
    uint64_t ticks;        /* ticks since the last division */
    struct gmi_rank *next; /* next rank that has run since the last division */
    gmi_cpu_time_t used[GMI_CPU_KINDS]; /* CPU time until the last division */
} gmi_cpu_t;

/** Note that a rank starts or stops running. */
void gmi_cpu_enter(void);
void gmi_cpu_leave(struct gmi_rank *rank);

/** Read a clock of CPU time for the running rank; see gms_clock_ranks_t. */
int gmi_cpu_clock(clockid_t id, struct timespec *value);

#endif
