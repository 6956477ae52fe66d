/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This header is private to gate*.c. It declares the state of the gate and of
 * every process in it, and the functions that these files share. The state is
 * in the arena and protected by the gate's lock.
 */
#ifndef ENGINE_GATE_INT_H
#define ENGINE_GATE_INT_H

#include <pthread.h>
#include <stdint.h>

#include "engine/gate.h"

#define GMS_WAIT_TEXT_LEN 64
#define GMS_WAIT_CALL_LEN 48

/* Interval at which a sleeping process without a watcher thread checks for dead
 * processes. */
#define GMS_GATE_WATCH_MS 50
#define GMS_GATE_WATCH_NS (GMS_GATE_WATCH_MS * UINT64_C(1000000))
/* The interval between two checks of a joining rank grows by GMS_GATE_WATCH_NS
 * for every GMS_GATE_WATCH_RANKS ranks. [chosen: all ranks together make at
 * most 1,300 checks per second] */
#define GMS_GATE_WATCH_RANKS 64u
/* Longest wait for the end of a process after one of its threads has ended. */
#define GMS_GATE_DEATH_MS 10000
/* Time that a process waits, after another rank has died, for the launcher to
 * end the process. */
#define GMS_GATE_END_MS 100
/* After this number of consecutive polls, the gate starts to measure the real
 * time of the series. */
#define GMS_GATE_POLLS UINT64_C(100000)

enum gms_proc_state {
    GMS_PROC_UNBORN = 0, /* the process has not joined */
    /* the process will join the running job (gate_spawn.c); it keeps virtual
     * time from advancing, as a running process does */
    GMS_PROC_EXPECTED,
    GMS_PROC_JOINED, /* the process waits for the other ranks; virtual time
                          * has not started */
    GMS_PROC_RUNNING,
    GMS_PROC_READY,
    GMS_PROC_WAITING,
    GMS_PROC_ABSENT, /* the process has left temporarily (gms_gate_leave()) */
    /* the process has called gms_gate_rejoin() and waits for the other ranks */
    GMS_PROC_RETURNING,
    GMS_PROC_FINISHED,
    GMS_PROC_DEAD
};

/* State of a process's thread that sleeps on behalf of the process
 * (gate_park.c). */
enum gms_park {
    GMS_PARK_NONE = 0,
    GMS_PARK_ON,  /* the thread sleeps until a signal arrives */
    GMS_PARK_OVER /* a signal has arrived; the thread continues at the process's
                   * next turn */
};

typedef struct gms_proc {
    /* The process holds this lock while it is alive and in the job. The lock is
     * robust, so the kernel reports the process's death, even while the process
     * is a zombie. */
    pthread_mutex_t life;
    enum gms_proc_state state;
    uint32_t go; /* futex; 1: the process has its turn */
    enum gms_park park;
    uint32_t park_go; /* futex; 1: the parked thread continues */
    uint32_t watches; /* number of the process's watcher threads */
    uint32_t parked;  /* threads that sleep until the parked thread continues,
                       * including the parked thread */
    gms_time_t clock_ps;
    uint64_t wait_number; /* distinguishes the deadline of this wait from the
                           * deadline of an earlier wait */
    uint8_t wait_result;
    uint8_t signalled;
    gms_time_t signal_ps;
    gms_origin_t origin;
    int pid;
    uint32_t world; /* first rank of the group with which the process started */
    /* 1: while the process is absent or returning, it keeps virtual time from
     * advancing for all ranks of its world, as a running process does */
    uint8_t holds;
    gms_time_t deaf_ps; /* signals before this time are ignored */
    /* a watcher has detected the process's death, which has not yet been
     * handled */
    uint8_t died;
    /* The thread that held `life` has ended, so only the end of the process
     * shows that the rank is dead. */
    uint8_t ownerless;
    /* the process's death has been announced on standard error */
    uint8_t announced;
    uint64_t probe_address; /* address of a word in private memory that contains
                             * pid */
    void *pending_writes;
    void *late_writes;
    char waits_for[GMS_WAIT_TEXT_LEN];
    /* call of the program that waits; "" if it is not known */
    char waits_in[GMS_WAIT_CALL_LEN];
    char host_name[16]; /* name of the rank's host; "" if it was not set */
    /* Number of consecutive polls that the process has made, including the
     * present wait (gate_poll.c); 0: the wait is not a poll. */
    uint64_t polls;
    uint64_t polls_ns; /* wall-clock time at which `polls` reached
                        * GMS_GATE_POLLS */
    /* Time that the program's own code takes (gate_time.c). The phase is odd
     * while the process executes the program's code. When the process entered
     * this code, the clock of its thread was program_ns, and the process's
     * clock was program_ps. */
    uint32_t program_phase;
    int program_tid;
    /* 1: several threads call the library, so other processes cannot read the
     * progress of this process */
    uint8_t many_threads;
    uint64_t program_ns;
    gms_time_t program_ps;
    uint64_t next_measure_ns; /* wall-clock time of the next measurement */
} gms_proc_t;

struct gms_gate {
    pthread_mutex_t lock; /* robust lock that guards the whole simulation */
    uint32_t size;        /* number of ranks of the job; grows in
                           * gms_gate_expect() */
    uint32_t capacity;    /* largest possible number of ranks */
    uint32_t time_mode;   /* enum gms_time_mode */
    uint32_t joined;
    uint32_t probed;
    uint32_t started; /* futex; number of completed phases of joining */
    uint8_t staging;  /* 1: processes cannot access the private memory of other
                       * processes */
    uint8_t broken;   /* 1: the run has ended with an error */
    int holder;       /* rank that holds the lock; used in the message about its
                 * death */
    uint64_t handovers;
    uint64_t deadlines;     /* number of scheduled events that are deadlines of
                             * waits */
    uint64_t next_watch_ns; /* wall-clock time of the next check for deaths; it
                             * has no effect on the model */
    uint32_t deaths;        /* number of deaths that watchers have detected;
                             * never decreases */
    uint32_t deaths_done;   /* number of detected deaths that have been
                             * handled */
    /* Clock of each rank that is running or ready; GMS_NEVER for a rank that
     * cannot post. These clocks are in a separate array, because the gate often
     * searches for their minimum. */
    gms_time_t *post_ps;
    /* rank with the smallest of these clocks, or a GMS_LOWEST_ value */
    int lowest;
    gms_busy_t *busy; /* NULL: the activity is not recorded */
    /* fields for gate_time.c; all times are wall-clock times */
    uint64_t factor_ppm; /* ratio of virtual time to real time, in millionths */
    uint64_t start_ns;   /* wall-clock time at which virtual time was 0 */
    uint64_t look_ns;    /* time of the next check for possible work */
    int pacer;           /* rank that sleeps until look_ns; -1: none */
    uint64_t pacer_ns;   /* time at which the pacer wakes */
    uint64_t lag_ns;
    gms_proc_t procs[];
};

#define GMS_LOWEST_NONE    (-1) /* no rank can post */
#define GMS_LOWEST_UNKNOWN (-2) /* the minimum must be computed again */

void gms_gate_mutex_init(pthread_mutex_t *mutex);
/* Take the lock, or end the process if the last holder died. */
void gms_gate_acquire(gms_ctx_t *ctx);
/* Release the lock and wake the processes whose turn it is. */
void gms_gate_release(gms_ctx_t *ctx);
/* Mark the beginning and the end of a part of the gate that a signal handler of
 * this thread must not enter again. */
void gms_gate_come_inside(void);
void gms_gate_go_outside(void);
/* Return 1 if a watcher has detected a death that has not yet been handled. */
int gms_gate_has_death(const gms_gate_t *gate);
/* Wake those threads of a process that can continue. */
void gms_gate_wake_proc(gms_proc_t *proc);
/* Add a process to the list of processes that are woken when the lock is
 * released. */
void gms_gate_to_wake(gms_ctx_t *ctx, gms_proc_t *proc);
/* Wait until a process has ended, but at most limit_ms milliseconds (-1:
 * without limit).
 * @return 0 if the process still exists */
int gms_gate_await_death(int pid, int limit_ms);
/* Check for ranks that died since the last check. The caller must hold the
 * lock. */
void gms_gate_watch(gms_ctx_t *ctx);
/* Announce a rank's death and the time of death, unless the death has already
 * been announced. */
void gms_gate_announce(gms_gate_t *gate, unsigned rank, gms_time_t at_ps);
/* Start a thread that announces the death of other ranks immediately, and then
 * wakes all sleepers.
 * @return 0, or -1 if the thread could not be started */
int gms_gate_start_watcher(gms_ctx_t *ctx);
/* Start a thread that watches the ranks, starting with `first`, like the thread
 * of gms_gate_start_watcher(). */
int gms_gate_watch_spawned(gms_ctx_t *ctx, unsigned first);
/* Initialise the entry of a rank that has not joined. */
void gms_gate_init_proc(gms_gate_t *gate, unsigned rank);
/* If all ranks of the caller's world that are still in the job have called
 * gms_gate_rejoin(), let them run. The caller must hold the lock. */
void gms_gate_try_return(gms_ctx_t *ctx);
/* Return a time as text, such as "1.234567 ms". */
const char *gms_gate_time_text(gms_time_t time_ps, char text[32]);
/* Report a deadlock, in which every process waits or polls and no event is
 * left, and end the run. The caller must hold the lock. */
void gms_gate_deadlock(gms_ctx_t *ctx) __attribute__((noreturn));
/* Run all events that can be run, and let the process whose turn it is
 * continue. The caller must hold the lock. */
void gms_gate_dispatch(gms_ctx_t *ctx);

/* Change the state or the clock of a process. Only this function may change
 * states and clocks, because it also updates the fields that depend on them. */
void gms_gate_set(gms_gate_t *gate, gms_proc_t *proc, enum gms_proc_state state,
                  gms_time_t clock_ps);
/* Record that a process's clock has advanced because the process was busy. */
static inline void gms_gate_note_busy(gms_ctx_t *ctx, const gms_proc_t *proc,
                                      enum gms_busy_kind kind,
                                      gms_time_t begin_ps, gms_time_t end_ps)
{
    if (ctx->gate->busy != NULL && kind < GMS_BUSY_KINDS) {
        gms_busy_add(ctx, ctx->gate->busy, (unsigned)(proc - ctx->gate->procs),
                     kind, begin_ps, end_ps);
    }
}
/* Store a string that describes the process's wait. Storing the string must be
 * cheap, because the string is rarely read. */
void gms_gate_say(gms_ctx_t *ctx, gms_proc_t *proc, gms_wait_text_t what);

/* Wait until a signal arrives or the deadline passes. The caller must set
 * `polls` before the call. */
int gms_gate_wait(gms_ctx_t *ctx, gms_time_t deadline_ps, gms_wait_text_t what);

/* Let the parked thread continue. Releasing the lock wakes the thread. */
void gms_gate_unpark(gms_proc_t *proc);
/* Begin and end a call of one thread while another thread is parked. */
void gms_gate_enter_parked(gms_ctx_t *ctx);
void gms_gate_leave_parked(gms_ctx_t *ctx);
/* Return 1 if a thread of a waiting process may still call the library. */
int gms_gate_has_free_thread(const gms_proc_t *proc);
/* Return 1 if the process has more than `threads' threads, not counting this
 * project's own threads, or if the number of its threads cannot be
 * determined. */
int gms_gate_has_more_threads(const gms_proc_t *proc, uint32_t threads);
/* Measurement of the CPU time of other threads during a parked thread's
 * sleep. */
typedef struct gms_nap {
    uint32_t calls;  /* value of ctx->calls_beside at the beginning of the
                      * sleep */
    uint64_t cpu_ns; /* CPU time of the process at the first check during the
                      * sleep; 0: the sleep ended before a check */
} gms_nap_t;
/* Count the process's CPU time since the measurement began, unless the process
 * has made a call in the meantime. */
void gms_gate_count_nap(gms_ctx_t *ctx, const gms_nap_t *nap);

/* Return 1 if virtual time depends on real time. In the other time modes, no
 * process needs a pacer, and dispatching never reads a real clock. */
static inline int gms_gate_is_real(const gms_gate_t *gate)
{
    return gate->time_mode == GMS_TIME_MEASURED ||
           gate->time_mode == GMS_TIME_WALL;
}

/* ---- gate_time.c: only if time_mode is not GMS_TIME_VIRTUAL ---- */

enum gms_pace {
    GMS_PACE_GO = 0, /* continue as in virtual time */
    GMS_PACE_AGAIN,  /* a clock has advanced, so dispatch again */
    GMS_PACE_EARLY   /* wait, because the next event is later than real time */
};

/* Decide how gms_gate_dispatch() continues. *now_ns is 0 when
 * gms_gate_dispatch() begins. This function sets look_ns. */
enum gms_pace gms_gate_pace(gms_ctx_t *ctx, gms_proc_t *lowest,
                            gms_time_t next_ps, uint64_t *now_ns);
/* If there is no pacer, make the caller, which is about to sleep, the pacer.
 * The pacer is the sleeper that ensures that dispatching continues at look_ns.
 * @return longest time to sleep, ns */
uint64_t gms_gate_become_pacer(gms_ctx_t *ctx);
/* Remove the caller as the pacer, because the caller no longer sleeps. */
void gms_gate_stop_pacing(gms_ctx_t *ctx);
/* Wake another sleeper to become the pacer, if one is needed. */
void gms_gate_pass_pacing_on(gms_ctx_t *ctx);
/* Add the time that the calling thread has spent in the program to the
 * process's clock. The caller must hold the lock. */
void gms_gate_count(gms_ctx_t *ctx);
/* Store the process's clock, from which program time is counted after the
 * present call returns. The caller must hold the lock. */
void gms_gate_note_clock(gms_ctx_t *ctx);
/* Start virtual time, or continue it at clock_ps after all ranks have been
 * absent. */
void gms_gate_anchor(gms_gate_t *gate, gms_time_t clock_ps);
/* Begin to count program time: the process has joined, and its thread enters
 * the program. */
void gms_gate_begin_program(gms_ctx_t *ctx);

static inline gms_proc_t *gms_gate_self(const gms_ctx_t *ctx)
{
    return &ctx->gate->procs[ctx->self_rank];
}

#endif
