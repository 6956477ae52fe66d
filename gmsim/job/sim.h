/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The handle of the simulated cluster in a process. There is one per process,
 * behind the only static pointer of the library, because GM's calls have no
 * handle before gm_open().
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
    GMS_SIM_NEW = 0, /* has not tried to join */
    GMS_SIM_JOINED,
    GMS_SIM_ABSENT, /* between gmsim_leave() and gmsim_rejoin() */
    GMS_SIM_FAILED, /* could not join; standard error has said why */
    GMS_SIM_LEFT    /* has left for good */
};

typedef struct gms_exit_hook {
    struct gms_exit_hook *next;
    void (*callback)(gm_status_t status, void *context);
    void *context;
} gms_exit_hook_t;

typedef struct gms_sim {
    enum gms_sim_state state;
    unsigned init_count;     /* gm_init() less gm_finalize() */
    pid_t pid;               /* who joined; a forked child has not */
    gms_settings_t settings; /* before it joined */
    gms_launch_t launch;
    gms_ctx_t ctx;
    gms_job_t *job;
    gms_root_t *root;              /* NULL until joined */
    gms_bind_t *unbound;           /* where it ran before it was bound; NULL if
                                    that is to stay */
    struct gms_sim_record *record; /* NULL: the run is not recorded */
    struct gms_sim_trace *trace;   /* NULL: .. not traced */
    unsigned node;                 /* 0-based */
    gms_time_t left_ps;            /* the clock when the process left */
    gms_time_t quantum_ps;         /* how long the next fruitless poll waits */
    struct gm_port *ports;         /* open ones, newest first */
    struct gms_dma_pool *dma;      /* what gm_dma_malloc() hands out */
    gms_exit_hook_t *exit_hooks;   /* newest first */
    int is_lost;                   /* gms_sim_lost() was called */
    int exit_status;               /* of the process, once it ends */
} gms_sim_t;

/** The handle; made by the first call. NULL if there is no memory for it. */
gms_sim_t *gms_sim(void);
/** The handle if the process is in the cluster, else NULL. */
gms_sim_t *gms_sim_joined(void);
/** Join the job's cluster unless that has been done (or has failed).
 *  @return GM_SUCCESS; GM_FAILURE, and standard error says why */
gm_status_t gms_sim_join(void);
/** Leave for good, after everything earlier has happened. */
void gms_sim_leave(gms_sim_t *sim);

/** A file of the run could not be written: say so, and let the process end with a
 *  status that is not 0. */
void gms_sim_lost(gms_sim_t *sim, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Post something: takes the gate's lock. Ends with gms_sim_end(). */
void gms_sim_begin_post(gms_sim_t *sim);
/** Look at the network or change something others see: waits for the caller's
 *  turn, takes arrived data in. Ends with gms_sim_end(). */
void gms_sim_begin_turn(gms_sim_t *sim);
/** Let a call have cost so much time. */
void gms_sim_end(gms_sim_t *sim, gms_time_t cost_ps);
/** A call that does nothing but take time: the library's work; or whatever it
 *  is, GMS_BUSY_KINDS for none. */
void gms_sim_spend(gms_sim_t *sim, gms_time_t cost_ps);
void gms_sim_spend_as(gms_sim_t *sim, gms_time_t cost_ps,
                      enum gms_busy_kind kind);

/** Leave the job's processor if other threads of the process have computed for
 *  long (gms_gate_other_threads_ns()) while one slept; after gms_gate_park_sleep(), no
 *  lock held. */
void gms_sim_make_room(gms_sim_t *sim);

/** GM's word for an internal status. */
gm_status_t gms_sim_status(gms_status_t status);

#endif
