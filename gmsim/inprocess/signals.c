/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Installs handlers for faults, for the signals that end a job, and for the time
 * limit of the job.
 */
#define _GNU_SOURCE
#include "inprocess/signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inprocess/rank.h"

/* [chosen: large enough for the registers of a signal frame and a short
 * message] */
#define GMI_SIGNAL_STACK_BYTES ((size_t)65536)

static int gmi_keeps_no_core; /* 1: the user wants no core files */
static const char *gmi_file;  /* path of the arena */

/* Report which rank caused a fatal signal, because the signal ends all ranks.
 * Like mpiexec, exit with the number of the signal, unless the user wants a
 * core file. Only system calls are used, as the state of the C library is
 * unknown. */
static void gmi_on_fault(int number)
{
    char line[128];
    const char *what = sigdescr_np(number);
    int length = snprintf(line, sizeof(line),
                          "mpirun: rank %u was killed by signal %d (%s)\n",
                          gmi_current != NULL ? gmi_current->rank : 0, number,
                          what != NULL ? what : "unknown");

    if (gmi_current != NULL && write(STDERR_FILENO, line, (size_t)length) < 0) {
        length = 0; /* the message cannot be written anywhere else */
    }
    if (gmi_keeps_no_core) {
        syscall(SYS_exit_group, number);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Remove the name of the arena's file. The ranks remove it only when all of them
 * have joined. */
static void gmi_on_end(int number)
{
    (void)unlink(gmi_file);
    signal(number, SIG_DFL);
    raise(number);
}

static void gmi_on_limit(int number)
{
    static const char line[] =
        "mpirun: the job exceeded its time limit (MPIEXEC_TIMEOUT)\n";

    (void)number;
    if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0) {
        raise(SIGKILL);
    }
    gmi_on_end(SIGTERM);
}

static const int gmi_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const int gmi_ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Handle the signals that end the job, unless they are ignored (nohup). */
static void gmi_watch_ends(void)
{
    struct sigaction former;
    size_t i;

    for (i = 0; i < sizeof(gmi_ends) / sizeof(gmi_ends[0]); ++i) {
        if (sigaction(gmi_ends[i], NULL, &former) == 0 &&
            former.sa_handler == SIG_DFL) {
            signal(gmi_ends[i], gmi_on_end);
        }
    }
}

void gmi_signals_watch(const char *file)
{
    struct sigaction action = {.sa_handler = gmi_on_fault,
                               .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};
    stack_t stack = {.ss_sp = malloc(GMI_SIGNAL_STACK_BYTES),
                     .ss_size = GMI_SIGNAL_STACK_BYTES};
    const char *limit = getenv("MPIEXEC_TIMEOUT");
    struct rlimit core;
    size_t i;

    if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) != 0) {
        action.sa_flags &=
            ~SA_ONSTACK; /* without this stack, the exhaustion of a stack cannot
                          * be reported */
    }
    gmi_file = file;
    gmi_keeps_no_core =
        getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur == 0;
    for (i = 0; i < sizeof(gmi_faults) / sizeof(gmi_faults[0]); ++i) {
        sigaction(gmi_faults[i], &action, NULL);
    }
    gmi_watch_ends();
    if (limit != NULL && atoi(limit) > 0) {
        signal(SIGALRM, gmi_on_limit);
        (void)alarm((unsigned)atoi(limit));
    }
}

static void gmi_reset(int number)
{
    struct sigaction present;

    if (sigaction(number, NULL, &present) == 0 &&
        (present.sa_handler == gmi_on_fault ||
         present.sa_handler == gmi_on_end)) {
        signal(number, SIG_DFL);
    }
}

void gmi_signals_reset(void)
{
    size_t i;

    for (i = 0; i < sizeof(gmi_faults) / sizeof(gmi_faults[0]); ++i) {
        gmi_reset(gmi_faults[i]);
    }
    for (i = 0; i < sizeof(gmi_ends) / sizeof(gmi_ends[0]); ++i) {
        gmi_reset(gmi_ends[i]);
    }
}
