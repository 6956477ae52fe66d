/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The process that starts a run's command and sees to its end. All that the
 * command starts becomes the keeper's child sooner or later, so nothing of it
 * outlives the keeper; and the keeper ends the command when its own parent is
 * gone, killed or not.
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
