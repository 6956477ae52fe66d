/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the interface between libgm and a program that runs all ranks of a
 * job in one process (mpirun -in-process). Each rank has a copy of libgm, and
 * runs on its own stack. The library finds gmsim_ranks at run time. If the
 * variable does not exist, the rank is a process.
 */
#ifndef ENGINE_RANKS_H
#define ENGINE_RANKS_H

#include <stddef.h>
#include <stdint.h>

struct gms_ctx;

typedef struct gms_ranks {
    /** Let other ranks run while *word equals seen. The call may return
     *  earlier.
     *  @param [in] limit_ns  longest real time of the wait; 0: no limit */
    void (*wait)(const uint32_t *word, uint32_t seen, uint64_t limit_ns);
    /** Wake the ranks that wait for this word. */
    void (*wake)(const uint32_t *word);
    /** Let all other ranks that can run continue first. */
    void (*yield)(void);
    /** Return 1 if the caller is the thread of a rank, 0 if it is another
     *  thread. */
    int (*is_rank)(void);
    /** Command of every rank: the options of mpiexec that set variables, the
     *  program and its arguments. Each word ends with a zero byte. */
    const char *command;
    size_t command_bytes;
    /** Address at which the first rank has mapped the arena; NULL until then.
     *  The library sets this field. */
    void *arena;
    /** Table of event handlers in the first rank's copy of libgm, and the
     *  function of this copy that runs events; NULL before the first rank has
     *  joined. The library sets these fields. */
    const void *handlers;
    void (*dispatch)(struct gms_ctx *ctx);
} gms_ranks_t;

/** Return the functions of the program that runs all ranks in one process, or
 *  NULL if every rank is a process. */
gms_ranks_t *gms_ranks(void);

/** Name of the variable of type gms_ranks_t. */
#define GMS_RANKS "gmsim_ranks"

#endif
