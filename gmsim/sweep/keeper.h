/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Starts the keeper, which is a process that starts and ends the command of a
 * run. When a process of the command loses its parent, it becomes a child of
 * the keeper. Therefore no process of the command outlives the keeper. The
 * keeper ends the command when its own parent ends or is killed.
 */
#ifndef SWEEP_KEEPER_H
#define SWEEP_KEEPER_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct gms_sweep_task {
    /* directory of the run, already prepared; receives the files stdout, stderr
     * and status */
    const char *directory;
    const char *command;  /* command line, which /bin/sh executes */
    const cpu_set_t *set; /* processors on which the command may run, or NULL
                           * for any processor */
    uint64_t timeout_s;   /* 0: none */
    int is_recorded;      /* 1 if the run writes its record to
                           * directory/record */
    /* the keeper calls this function first, to close descriptors of the
     * parent */
    void (*begin_fn)(void *context);
    void *context;
} gms_sweep_task_t;

/** Starts a keeper. The keeper exits with 0 after it has written the status, or
 *  with 1 if it cannot write the status. On SIGTERM, the keeper ends the
 *  command and writes no status. The caller must block SIGTERM, SIGINT, SIGHUP
 *  and SIGCHLD.
 *  @return the keeper's pid, or -1 with errno set */
pid_t gms_sweep_keep_run(const gms_sweep_task_t *task);

#endif
