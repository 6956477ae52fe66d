/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the handle of the simulated cluster in a process. Every process has
 * one handle. The only static pointer of the library refers to this handle,
 * because GM's calls receive no handle before gm_open().
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
    GMS_SIM_NEW = 0, /* the process has not tried to join */
    GMS_SIM_JOINED,
    GMS_SIM_ABSENT, /* the process is between gmsim_leave() and
                     * gmsim_rejoin() */
    GMS_SIM_FAILED, /* the process could not join; the reason was printed on
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
    unsigned init_count;     /* number of calls to gm_init() minus calls to
                              * gm_finalize() */
    pid_t pid;               /* process that joined; a forked child has a
                              * different pid */
    gms_settings_t settings; /* parameters set before joining */
    gms_launch_t launch;
    gms_ctx_t ctx;
    gms_job_t *job;
    gms_root_t *root;               /* NULL until the process has joined */
    gms_bind_t *unbound;            /* the process's own binding before this
                                    * library bound it; NULL if this binding
                                    * will not be restored */
    gms_binder_thread_t *binder;    /* NULL: not in this process */
    gms_sim_computing_t *computing; /* NULL: computing times are not recorded */
    struct gms_sim_record *record;  /* NULL: the run is not recorded */
    struct gms_sim_trace *trace;    /* NULL: the run is not traced */
    unsigned node;                  /* node of the process, counted from 0 */
    gms_time_t left_ps;             /* value of the clock when the process
                                    * left */
    gms_time_t lead_ps;             /* time of the job's clock (clock/connect.h)
                                    * when virtual time was 0 */
    gms_time_t reads_ps;        /* time that clock reads have taken since the
                                    * last call that was not a clock read */
    void (*begin_thread)(void); /* function that excludes other threads from
                                    * the library above GM; NULL if this library
                                    * has one thread */
    void (*end_thread)(void);
    gms_time_t quantum_ps;       /* time for which the next poll waits if
                                    * there is no event */
    uint64_t polls;              /* number of polls without a result since the
                                    * last call that was not a poll */
    unsigned poll_series;        /* number of the series of these polls */
    char poll_text[64];          /* text that names the ports of this series */
    uint64_t poll_left_ns;       /* real time at which the last of these polls
                                    * returned; 0: not known */
    uint64_t poll_outside_ns;    /* real time between polls, see gm/poll.c */
    struct gm_port *ports;       /* list of open ports, the newest first */
    struct gms_dma_pool *dma;    /* memory that gm_dma_malloc() allocates */
    unsigned char *io_flags;     /* enum gms_io_flag of each stream of file
                                  * access; NULL: there was no reservation */
    gms_exit_hook_t *exit_hooks; /* list of exit functions, the newest first */
    int is_lost;                 /* 1: gms_sim_lost() was called */
    /* exit status that the process will have */
    int exit_status;
} gms_sim_t;

/** Return the handle; the first call creates it. NULL if there is no memory. */
gms_sim_t *gms_sim(void);
/** Return the handle if the process is in the cluster, else NULL. */
gms_sim_t *gms_sim_joined(void);
/** Join the job's cluster, unless the process has already joined or failed to
 *  join.
 *  @return GM_SUCCESS; GM_FAILURE: the reason is printed on standard error */
gm_status_t gms_sim_join(void);
/** Leave the cluster permanently, after all earlier events have been
 *  executed. */
void gms_sim_leave(gms_sim_t *sim);

/** Report that a file with results of the run could not be written. The process
 *  will then end with an exit status other than 0. */
void gms_sim_lost(gms_sim_t *sim, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Begin a call that posts a command, and acquire the gate's lock.
 *  gms_sim_end() ends it. */
void gms_sim_begin_post(gms_sim_t *sim);
/** Begin a call that reads the state of the network, or changes state that
 *  other processes can see. The function waits for the caller's turn and stores
 *  data that have arrived. gms_sim_end() ends it. */
void gms_sim_begin_turn(gms_sim_t *sim);
/** End a call that takes cost_ps of virtual time. */
void gms_sim_end(gms_sim_t *sim, gms_time_t cost_ps);
/** Spend time without any other effect. gms_sim_spend() counts the time as the
 *  library's work; gms_sim_spend_as() counts it as `kind`, or not at all with
 *  GMS_BUSY_KINDS. */
void gms_sim_spend(gms_sim_t *sim, gms_time_t cost_ps);
void gms_sim_spend_as(gms_sim_t *sim, gms_time_t cost_ps,
                      enum gms_busy_kind kind);
/** Do the same as gms_sim_spend_as(), but do not end a series of clock reads or
 *  polls. The caller must hold the gate's lock. */
void gms_sim_spend_locked(gms_sim_t *sim, gms_time_t cost_ps,
                          enum gms_busy_kind kind);

/** Remove the binding to the job's processor if other threads of the process
 *  have computed for a long time (gms_gate_other_threads_ns()) while one thread
 *  slept. Call this function after gms_gate_park_sleep(), without a lock. */
void gms_sim_make_room(gms_sim_t *sim);

/** Return the GM status for an internal status. */
gm_status_t gms_sim_status(gms_status_t status);

#endif
