/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares a process's handle of the simulated cluster. Every process has
 * exactly one handle. The library's only static pointer refers to this handle,
 * because GM's calls have no handle argument before gm_open().
 */
#ifndef JOB_SIM_H
#define JOB_SIM_H

#include <sys/types.h>

#include "engine/gate.h"
#include "gm.h"
#include "job/bind.h"
#include "job/job.h"
#include "job/root.h"
#include "job/settings.h"

enum gms_sim_state {
    GMS_SIM_NEW = 0, /* the process has not tried to join yet */
    GMS_SIM_JOINED,
    GMS_SIM_ABSENT, /* the process is between gmsim_leave() and
                     * gmsim_rejoin() */
    GMS_SIM_FAILED, /* the process could not join, and has printed the reason to
                     * standard error */
    GMS_SIM_LEFT    /* the process has left permanently */
};

typedef struct gms_exit_hook {
    struct gms_exit_hook *next;
    void (*callback)(gm_status_t status, void *context);
    void *context;
} gms_exit_hook_t;

typedef struct gms_sim_computing gms_sim_computing_t; /* computing.c */

typedef struct gms_sim {
    enum gms_sim_state state;
    unsigned init_count;     /* number of calls to gm_init() minus number of
                              * calls to gm_finalize() */
    pid_t pid;               /* id of the process that joined; a forked child
                              * has a different id */
    gms_settings_t settings; /* parameters that were set before the process
                              * joined */
    gms_launch_t launch;
    gms_ctx_t ctx;
    gms_job_t *job;
    gms_root_t *root;               /* NULL before the process has joined */
    gms_bind_t *unbound;            /* the process's binding before this library
                                     * changed it; NULL if this binding will not
                                     * be restored */
    gms_binder_thread_t *binder;    /* NULL if this process does not run the
                                     * binder's thread */
    gms_sim_computing_t *computing; /* NULL if computing times are neither
                                     * recorded nor replayed */
    struct gms_sim_record *record;  /* NULL if the run is not recorded */
    struct gms_sim_trace *trace;    /* NULL if the run is not traced */
    unsigned node;                  /* node of the process, counted from 0 */
    gms_time_t left_ps;             /* clock of the process when it left */
    gms_time_t lead_ps;             /* time on the job's clock (clock/connect.h)
                                     * at virtual time 0 */
    gms_time_t reads_ps;        /* time spent on clock reads since the last call
                                 * that was not a clock read */
    void (*begin_thread)(void); /* function that excludes other threads from the
                                 * library that is layered on GM; NULL if that
                                 * library uses one thread */
    void (*end_thread)(void);
    gms_time_t quantum_ps;       /* time that the next poll waits if no event
                                  * occurs */
    uint64_t polls;              /* number of polls without a result since the
                                  * last call of another kind */
    unsigned poll_series;        /* number of the current series of polls
                                  * without a result */
    char poll_text[64];          /* text that names the ports of this series */
    uint64_t poll_left_ns;       /* real time at which the last poll of the
                                  * series returned, or 0 if it is unknown */
    uint64_t poll_outside_ns;    /* real time between polls, see gm/poll.c */
    struct gm_port *ports;       /* list of open ports; the newest port is
                                  * first */
    struct gms_dma_pool *dma;    /* memory that gm_dma_malloc() allocates */
    unsigned char *io_flags;     /* bits of enum gms_io_flag for each stream of
                                  * file access; NULL if no reservation was
                                  * made */
    gms_exit_hook_t *exit_hooks; /* list of exit functions; the newest function
                                  * is first */
    int is_lost;                 /* 1 if gms_sim_lost() has been called */
    /* exit status with which the process will end */
    int exit_status;
} gms_sim_t;

/** Return the handle; the first call creates it. The result is NULL if memory
 *  is exhausted. */
gms_sim_t *gms_sim(void);
/** Return the handle if the process is in the cluster, otherwise NULL. */
gms_sim_t *gms_sim_joined(void);
/** Join the job's cluster, unless the process has already joined or failed to
 *  join.
 *  @return GM_SUCCESS; GM_FAILURE: the reason has been printed to standard
 *    error */
gm_status_t gms_sim_join(void);
/** Leave the cluster permanently. The function first executes all earlier
 *  events. */
void gms_sim_leave(gms_sim_t *sim);

/** Report that a result file of the run could not be written. The process will
 *  then end with an exit status other than 0. */
void gms_sim_lost(gms_sim_t *sim, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Begin a call that posts a command, and acquire the gate's lock.
 *  End the call with gms_sim_end(). */
void gms_sim_begin_post(gms_sim_t *sim);
/** Begin a call that reads the state of the network, or changes state that
 *  other processes can see. The function waits for the caller's turn and stores
 *  data that have arrived. End the call with gms_sim_end(). */
void gms_sim_begin_turn(gms_sim_t *sim);
/** End a call that takes the virtual time cost_ps. */
void gms_sim_end(gms_sim_t *sim, gms_time_t cost_ps);
/** Spend time without any other effect. The function gms_sim_spend() counts the
 *  time as work of the library. The function gms_sim_spend_as() counts the
 *  time as `kind`; with GMS_BUSY_KINDS, the function does not count the
 *  time. */
void gms_sim_spend(gms_sim_t *sim, gms_time_t cost_ps);
void gms_sim_spend_as(gms_sim_t *sim, gms_time_t cost_ps,
                      enum gms_busy_kind kind);
/** Do the same as gms_sim_spend_as(), but do not end a series of clock reads or
 *  polls. The caller must hold the gate's lock. */
void gms_sim_spend_locked(gms_sim_t *sim, gms_time_t cost_ps,
                          enum gms_busy_kind kind);

/** Remove the binding to the job's processor if, while one thread slept, other
 *  threads of the process computed for a long time
 *  (gms_gate_other_threads_ns()). Call this function after
 *  gms_gate_park_sleep(), and without holding a lock. */
void gms_sim_make_room(gms_sim_t *sim);

/** Return the GM status that corresponds to an internal status. */
gm_status_t gms_sim_status(gms_status_t status);

#endif
