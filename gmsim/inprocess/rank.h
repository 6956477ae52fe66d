/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the state that ranks in one process do not share: environment
 * variables, exit functions, the connection to the process manager, and the
 * clock.
 */
#ifndef GMI_RANK_H
#define GMI_RANK_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include "inprocess/cpu.h"
#include "inprocess/program.h"

#define GMI_LINE_LEN       2048
#define GMI_RANK_VARIABLES 5

/** A function that the program has registered with atexit(), on_exit() or a
 *  similar function. Either on_exit or at_exit is set. */
typedef struct gmi_exit {
    struct gmi_exit *next;
    void (*on_exit)(int status, void *argument);
    void (*at_exit)(void *argument);
    void *argument;
} gmi_exit_t;

/** Variables of getopt(). */
typedef struct gmi_options {
    char *argument;
    int index, print, option;
    int has_begun; /* 1: the rank has called getopt() */
} gmi_options_t;

typedef struct gmi_rank {
    unsigned rank;
    char variables[GMI_RANK_VARIABLES][32]; /* NAME=VALUE */
    int client, server;      /* ends of the connection to the process manager */
    char line[GMI_LINE_LEN]; /* incomplete command to the process manager */
    unsigned line_bytes;
    int uses_mpi; /* 1: the rank has called MPI_Init, but not MPI_Finalize */
    int is_in_barrier; /* 1: the rank is in the process manager's barrier */
    uint32_t answers;  /* number of answers of the process manager */
    gmi_exit_t *exits; /* the most recently registered function is first */
    gmi_copy_t copy;
    char ***environment; /* the program's own variable `environ`, or NULL */
    /* internal state of the C library */
    int has_random; /* 1: `random` has been initialized */
    char random_state[128];
    struct random_data random;
    struct drand48_data random48;
    char *token;              /* current position of strtok() */
    gmi_exit_t *thread_exits; /* destructors of thread-local objects */
    int is_finalized;         /* 1: the rank has called MPI_Finalize */
    int has_ended;
    gmi_options_t options;
    void *thread_block; /* NULL if the program has no thread-local variables */
    void *clock;        /* clock of the rank in libgmclock.so, or NULL */
    gmi_cpu_t cpu;
} gmi_rank_t;

/** The rank that is running; NULL before the first and after the last rank
 *  runs. */
extern gmi_rank_t *gmi_current;

/** All ranks, and the program that they run. */
extern gmi_rank_t *gmi_ranks;
extern unsigned gmi_size;
extern gmi_program_t *gmi_program;
extern int gmi_argc;
extern char **gmi_argv;

/** 1: this process was forked by a rank, and is not the process of the job. */
extern int gmi_is_child;
/** Process id of the job. */
extern pid_t gmi_process;

/** End the running rank.
 *  @param [in] is_quick  0: run the rank's exit functions and destructors
 *  first */
void gmi_rank_exit(int status, int is_quick) __attribute__((noreturn));

/** Call dlopen() of the C library. The dlopen() of this program loads copies
 *  for ranks. */
void *gmi_dlopen(const char *name, int flags);

/** Find the variable `environ` in the running rank's program. The program must
 *  already be loaded. */
void gmi_environment_find(void);
/** Let the running rank's program use the current environment. */
void gmi_environment_refresh(void);

/** Restore or save a rank's variables of getopt() in the C library when the
 *  rank starts or stops running. */
void gmi_options_restore(const gmi_rank_t *rank);
void gmi_options_save(gmi_rank_t *rank);

/** Let calls from the rank's copies of the gmqos libraries read the real
 *  clock. */
void gmi_rank_add_ranges(gmi_rank_t *rank, const void *handle);

/** End the process, which contains all ranks. */
void gmi_end_all(int status) __attribute__((noreturn));

#endif
