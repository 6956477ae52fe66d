/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The keeper, a process that starts the command of a run and ends it. All
 * processes that the command starts become children of the keeper at the latest
 * when their parents end, therefore none outlives the keeper. The keeper ends
 * the command when its own parent ends or is killed.
 */
#ifndef SWEEP_KEEPER_H
#define SWEEP_KEEPER_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct gms_sweep_task {
    const char
        *directory;      /* of the run, prepared; gets stdout, stderr, status */
    const char *command; /* for /bin/sh */
    const cpu_set_t *set; /* where it may run; NULL: anywhere */
    uint64_t timeout_s;   /* 0: none */
    int is_recorded;      /* folder/record gets its record */
    /* called in the keeper at once: to close what is not its own */
    void (*begin_fn)(void *context);
    void *context;
} gms_sweep_task_t;

/** Start a keeper. It exits with 0 once the status has been written, with 1 if
 *  it cannot be; SIGTERM makes it end the command, without a status. The caller
 *  blocks SIGTERM, SIGINT, SIGHUP and SIGCHLD. @return its pid, -1 with errno */
pid_t gms_sweep_keep_run(const gms_sweep_task_t *task);

#endif
