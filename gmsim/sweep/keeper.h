/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Starts the keeper, a process that starts the command of a run and ends it.
 * When a process that the command has started loses its parent, it becomes a
 * child of the keeper. Therefore no process outlives the keeper. The keeper
 * ends the command when its own parent ends or is killed.
 */
#ifndef SWEEP_KEEPER_H
#define SWEEP_KEEPER_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct gms_sweep_task {
    /* prepared directory of the run; receives stdout, stderr, status */
    const char *directory;
    const char *command;  /* command line for /bin/sh */
    const cpu_set_t *set; /* processors on which the command may run; NULL:
                             any */
    uint64_t timeout_s;   /* 0: none */
    int is_recorded;      /* 1: the record of the run is written to
                             directory/record */
    /* called first in the keeper, to close descriptors of the parent */
    void (*begin_fn)(void *context);
    void *context;
} gms_sweep_task_t;

/** Starts a keeper. The keeper exits with 0 after it has written the status, or
 *  with 1 if the status cannot be written. On SIGTERM, the keeper ends the
 *  command and writes no status. The caller blocks SIGTERM, SIGINT, SIGHUP and
 *  SIGCHLD.
 *  @return the keeper's pid, or -1 with errno set */
pid_t gms_sweep_keep_run(const gms_sweep_task_t *task);

#endif
