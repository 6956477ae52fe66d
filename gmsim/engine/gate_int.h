/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to gate*.c: the state of the gate and of every process in it, both in
 * the arena and protected by the gate's lock, and the functions that these
 * files offer each other.
 */
#ifndef ENGINE_GATE_INT_H
#define ENGINE_GATE_INT_H

#include <pthread.h>
#include <stdint.h>

#include "engine/gate.h"

#define GMS_WAIT_TEXT_LEN 64

/* How long who sleeps without a watcher sleeps before it looks whether somebody
 * died. */
#define GMS_GATE_WATCH_MS 50
#define GMS_GATE_WATCH_NS (GMS_GATE_WATCH_MS * UINT64_C(1000000))
/* For how long a process may take to end that has lost a thread. */
#define GMS_GATE_DEATH_MS 10000
/* For how long a run that lost a rank waits for its own end. */
#define GMS_GATE_END_MS 100

enum gms_proc_state {
    GMS_PROC_UNBORN = 0, /* has not joined */
    GMS_PROC_JOINED,     /* waits for the others; virtual time not started */
    GMS_PROC_RUNNING,
    GMS_PROC_READY,
    GMS_PROC_WAITING,
    GMS_PROC_ABSENT,    /* in the process manager */
    GMS_PROC_RETURNING, /* called rejoin, waits for the others */
    GMS_PROC_FINISHED,
    GMS_PROC_DEAD
};

/* A thread that sleeps for the whole process, see gate_park.c. */
enum gms_park {
    GMS_PARK_NONE = 0,
    GMS_PARK_ON,  /* until a signal comes */
    GMS_PARK_OVER /* a signal has come; goes on at the process's next turn */
};

typedef struct gms_proc {
    /* Held by the process as long as it lives and is in the job: robust, so
     * that the kernel tells of its death, also while it is a zombie. */
    pthread_mutex_t life;
    enum gms_proc_state state;
    uint32_t go; /* futex: 1 = your turn */
    enum gms_park park;
    uint32_t park_go; /* futex: 1 = the parked thread goes on */
    uint32_t watches; /* 1 while its watcher thread lives */
    uint32_t parked;  /* threads that sleep until the parked one goes on, and
                         it itself */
    gms_time_t clock_ps;
    uint64_t wait_number; /* tells a deadline from one of an earlier wait */
    uint8_t wait_result;
    uint8_t signalled;
    gms_time_t signal_ps;
    gms_origin_t origin;
    int pid;
    gms_time_t deaf_ps; /* signals before this time are forgotten */
    uint8_t died;       /* seen by a watcher; what is to be done, is not done */
    uint8_t announced;  /* its death, on standard error */
    uint64_t probe_address; /* of a word that holds pid, private memory */
    void *pending_writes;
    void *late_writes;
    char waits_for[GMS_WAIT_TEXT_LEN];
    char host_name[16]; /* "" if it was not said */
    /* The program's own time (gate_time.c). Odd while the process is in the
     * program's code: since its thread's clock showed program_ns, when the
     * process's showed program_ps. */
    uint32_t program_phase;
    int program_tid;
    uint8_t many_threads; /* call the library: nobody can tell for all */
    uint64_t program_ns;
    gms_time_t program_ps;
    uint64_t next_measure_ns; /* wall clock */
} gms_proc_t;

struct gms_gate {
    pthread_mutex_t lock; /* robust: guards the whole simulation */
    uint32_t size;
    uint32_t time_mode; /* enum gms_time_mode */
    uint32_t joined;
    uint32_t probed;
    uint32_t started; /* futex: counts phases of the start */
    uint8_t staging;  /* private memory is out of reach */
    uint8_t broken;   /* the run has ended with an error */
    int holder;       /* rank that has the lock, for its obituary */
    uint64_t handovers;
    uint64_t next_watch_ns; /* wall clock; never reaches the model */
    uint32_t deaths;        /* that watchers have seen; grows */
    uint32_t deaths_done;   /* of these, those that were dealt with */
    /* For each rank its clock while it is running or ready, GMS_NEVER while it
     * can post nothing; side by side, because the least is looked up often. */
    gms_time_t *post_ps;
    int lowest;       /* rank of the least of these, or a GMS_LOWEST_ value */
    gms_busy_t *busy; /* NULL: nobody wants to know */
    /* gate_time.c; times are wall clock */
    uint64_t factor_ppm; /* virtual per real time */
    uint64_t start_ns;   /* when virtual time was 0 */
    uint64_t look_ns;    /* when there may be more to do than now */
    int pacer;           /* rank that sleeps until then; -1: nobody */
    uint64_t pacer_ns;   /* how long it does */
    uint64_t lag_ns;
    gms_proc_t procs[];
};

#define GMS_LOWEST_NONE    (-1) /* nobody can post */
#define GMS_LOWEST_UNKNOWN (-2) /* look it up again */

void gms_gate_mutex_init(pthread_mutex_t *mutex);
/* Take the lock; ends the process if its last holder died. */
void gms_gate_acquire(gms_ctx_t *ctx);
/* Release the lock and wake who was given the turn. */
void gms_gate_release(gms_ctx_t *ctx);
/* Sleep until *word != seen or, unless limit_ns is 0, so long; no lock held. */
void gms_gate_sleep(uint32_t *word, uint32_t seen, uint64_t limit_ns);
void gms_gate_wake(uint32_t *word);
/* 1 if a watcher has seen a death that nobody has dealt with. */
int gms_gate_has_death(const gms_gate_t *gate);
/* Wake the threads of a process that have something to go on with. */
void gms_gate_wake_proc(gms_proc_t *proc);
/* The same, once the lock is released. */
void gms_gate_to_wake(gms_ctx_t *ctx, gms_proc_t *proc);
/* Wait for a process's end, for limit_ms (-1: as long as it takes).
 * @return 0 if it is still there */
int gms_gate_await_death(int pid, int limit_ms);
/* Look who died since the last look; lock held. */
void gms_gate_watch(gms_ctx_t *ctx);
/* Say that a rank died, and when, unless it has been said. */
void gms_gate_announce(gms_gate_t *gate, unsigned rank, gms_time_t at_ps);
/* A thread that announces the death of other ranks at once, and wakes all who
 * sleep. @return 0, or -1 if there is none */
int gms_gate_start_watcher(gms_ctx_t *ctx);
/* "1.234567 ms" */
const char *gms_gate_time_text(gms_time_t time_ps, char text[32]);
uint64_t gms_gate_wall_ns(void); /* monotonic */
/* Everybody waits and nothing will happen: say so and end; lock held. */
void gms_gate_deadlock(gms_ctx_t *ctx) __attribute__((noreturn));
/* Run what can be run, let go whose turn has come; lock held. */
void gms_gate_dispatch(gms_ctx_t *ctx);

/* The only way to change a state or a clock: others look at what follows from
 * them. */
void gms_gate_set(gms_gate_t *gate, gms_proc_t *proc, enum gms_proc_state state,
                  gms_time_t clock_ps);
/* A process's clock was moved, because it was busy. */
static inline void gms_gate_note_busy(gms_ctx_t *ctx, const gms_proc_t *proc,
                                      enum gms_busy_kind kind,
                                      gms_time_t begin_ps, gms_time_t end_ps)
{
    if (ctx->gate->busy != NULL && kind < GMS_BUSY_KINDS) {
        gms_busy_add(ctx, ctx->gate->busy, (unsigned)(proc - ctx->gate->procs),
                     kind, begin_ps, end_ps);
    }
}
/* Keep what the process waits for. Cheap: mostly nobody will ever read it. */
void gms_gate_say(gms_proc_t *proc, gms_wait_text_t what);

/* Let the parked thread go on; the lock's release wakes it. */
void gms_gate_unpark(gms_proc_t *proc);
/* A call of one thread, while another one is parked: begins and ends. */
void gms_gate_enter_parked(gms_ctx_t *ctx);
void gms_gate_leave_parked(gms_ctx_t *ctx);
/* 1 if a thread of a waiting process may still call. */
int gms_gate_has_free_thread(const gms_proc_t *proc);
/* What a parked thread knows of a sleep that is not short. */
typedef struct gms_nap {
    uint32_t calls;  /* ctx->calls_beside when it began */
    uint64_t cpu_ns; /* of the process, a while after; 0: it was short */
} gms_nap_t;
/* How much the process has computed since; it has made no call meanwhile. */
void gms_gate_count_nap(gms_ctx_t *ctx, const gms_nap_t *nap);

/* ---- gate_time.c: only where time_mode is not GMS_TIME_VIRTUAL ---- */

enum gms_pace {
    GMS_PACE_GO = 0, /* as in virtual time */
    GMS_PACE_AGAIN,  /* a clock has moved on */
    GMS_PACE_EARLY   /* real time has not come so far */
};

/* What gms_gate_dispatch() may do next; *now_ns is 0 at its start. Sets
 * look_ns. */
enum gms_pace gms_gate_pace(gms_ctx_t *ctx, gms_proc_t *lowest,
                            gms_time_t next_ps, uint64_t *now_ns);
/* Somebody who sleeps sees to it that dispatching goes on at look_ns: the
 * caller, who is about to sleep, for so long (ns) at most .. */
uint64_t gms_gate_become_pacer(gms_ctx_t *ctx);
/* .. who need not sleep any more .. */
void gms_gate_stop_pacing(gms_ctx_t *ctx);
/* .. or somebody else. */
void gms_gate_pass_pacing_on(gms_ctx_t *ctx);
/* Add what the calling thread has done in the program to the clock; lock
 * held. */
void gms_gate_count(gms_ctx_t *ctx);
/* The clock is what it will be when the call returns; lock held. */
void gms_gate_note_clock(gms_ctx_t *ctx);
/* Virtual time starts, or goes on at clock_ps after nobody was there. */
void gms_gate_anchor(gms_gate_t *gate, gms_time_t clock_ps);
/* The process has joined: its thread goes to the program. */
void gms_gate_begin_program(gms_ctx_t *ctx);

static inline gms_proc_t *gms_gate_self(const gms_ctx_t *ctx)
{
    return &ctx->gate->procs[ctx->self_rank];
}

#endif
