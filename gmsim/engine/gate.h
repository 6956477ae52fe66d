/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the gate, which lets the processes of a job run in the order of
 * their virtual clocks. While the processes wait, the gate runs the
 * simulation's events.
 *
 * Each process has a clock. The state of a process is one of these:
 * - absent: the process is not yet a part of the simulation, or no longer a
 *   part of it.
 * - expected: the process is about to join the running job. Virtual time does
 *   not advance beyond its clock, as if the process were running.
 * - running: the process executes its own code. The process may post events at
 *   its clock at any moment, so no event at or after that time may be run.
 * - ready: the process is in the gate, waiting for its turn. Its turn begins
 *   when it has the lowest (clock, rank) of all running and ready processes,
 *   and every earlier event has been run.
 * - waiting: the process sleeps until an event signals it.
 *
 * The simulation has no process of its own. Any process inside the gate runs
 * the events, under one lock.
 *
 *   post:     gms_gate_lock .. schedule at gms_gate_clock() .. gms_gate_unlock
 *   observe:  gms_gate_run_events_until_turn .. read, change .. gms_gate_unlock
 *   block:    gms_gate_run_events_until_turn ..
 *             gms_gate_run_events_until_signal .. read .. gms_gate_unlock
 *
 * Processes sleep on a futex. In every process, a thread watches another
 * process and wakes the sleepers when that process dies. The watcher threads
 * never advance a clock.
 */
#ifndef ENGINE_GATE_H
#define ENGINE_GATE_H

#include <pthread.h>
#include <stdint.h>

#include "engine/busy.h"
#include "engine/engine.h"

/** Binding of the ranks' processes to cores. */
enum gms_binding {
    GMS_BINDING_AUTO = 0, /* the time mode determines the binding */
    GMS_BINDING_CORE,     /* all ranks on one core, because context switches are
                           * then cheapest */
    GMS_BINDING_NONE      /* the operating system chooses the cores */
};

/** Time mode: how the gate measures the virtual time of a program's own work
 *  between its calls to the library. */
enum gms_time_mode {
    GMS_TIME_VIRTUAL = 0, /* none */
    GMS_TIME_MEASURED,    /* CPU time of the thread that makes the next call */
    GMS_TIME_WALL,    /* real time; virtual time is never ahead of real time */
    GMS_TIME_RECORDED /* time that ctx->on_return returns when a call ends */
};

/** The factor 1, at which virtual time is as fast as real time. Factors are in
 *  millionths. */
#define GMS_TIME_FACTOR_ONE UINT64_C(1000000)

/** Number of polls without a result that gms_gate_poll_until_signal() requires
 *  per second of limit_s before it reports a deadlock. A process that runs
 *  alone makes at least a million polls per second. */
#define GMS_GATE_POLLS_PER_S UINT64_C(300000)

/** Text that describes a rank's wait in the deadlock report; at most 63
 *  bytes. */
typedef const char *gms_wait_text_t;

/** Create a gate.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_INVALID_PARAM (size) */
gms_status_t gms_gate_create(gms_arena_t *arena, unsigned size,
                             gms_gate_t **gate_p);
/** Create a gate like gms_gate_create(), with room for `spare` ranks that join
 *  the running job (gms_gate_expect()). */
gms_status_t gms_gate_create_spare(gms_arena_t *arena, unsigned size,
                                   unsigned spare, gms_gate_t **gate_p);
/** Set the name of a rank's host for messages, such as "node2". The name is
 *  truncated to 15 bytes. Call this function before the rank joins. */
void gms_gate_set_host_name(gms_gate_t *gate, unsigned rank,
                            const char *host_name);

/**
 * Join the job as a rank. The function returns when all ranks have joined.
 * Virtual time is then 0, and all ranks are running.
 *
 * The function sets ctx->self_rank. If a rank dies later, the first process
 * that detects the death announces it on standard error and calls
 * ctx->on_death, once.
 *
 * @param [in] wall_limit_s  longest wait for the other ranks, in seconds of
 *   wall time
 * @return GMS_OK
 * @return GMS_ERR_BUSY the rank has already joined
 * @return GMS_ERR_TIMED_OUT  the rank *missing_p did not join
 * @return GMS_ERR_PEER_DIED  the rank *missing_p joined and then died
 */
gms_status_t gms_gate_join(gms_ctx_t *ctx, unsigned rank, unsigned wall_limit_s,
                           unsigned *missing_p);
/** Leave the job permanently. */
void gms_gate_finish(gms_ctx_t *ctx);

/**
 * Add `count` ranks to the running job. The new ranks form a separate world,
 * and start at clock_ps. Virtual time does not advance beyond clock_ps before
 * all of these ranks have called gms_gate_join_late(). The real time at which
 * the operating system starts the ranks therefore has no effect. The caller
 * must hold the lock, and it must be the caller's turn.
 *
 * @param [in]  clock_ps  start time, not before the caller's clock
 * @param [out] first_p   the first of the new ranks
 * @return GMS_OK; GMS_ERR_NO_MEMORY if the gate has no room for the ranks
 *     (gms_gate_capacity())
 */
gms_status_t gms_gate_expect(gms_ctx_t *ctx, unsigned count,
                             gms_time_t clock_ps, unsigned *first_p);
/** Let a thread of the caller's process watch the new ranks, which begin with
 *  `first`. Call this function after gms_gate_expect(). The caller must not
 *  hold the lock. */
void gms_gate_watch_expected(gms_ctx_t *ctx, unsigned first);
/**
 * Join the running job as a rank that gms_gate_expect() has added, and set
 * ctx->self_rank. The function does not wait for other ranks.
 * @return GMS_OK
 * @return GMS_ERR_NOT_FOUND the rank is not expected
 */
gms_status_t gms_gate_join_late(gms_ctx_t *ctx, unsigned rank);
/** Return the first rank of a rank's world, and the number of ranks for which
 *  the gate has room. */
unsigned gms_gate_world(const gms_gate_t *gate, unsigned rank);
unsigned gms_gate_capacity(const gms_gate_t *gate);

/** Take the gate's lock in order to post events. The caller must be in the
 *  state running. */
void gms_gate_lock(gms_ctx_t *ctx);
/** Release the lock, and resume the processes whose turn has begun. */
void gms_gate_unlock(gms_ctx_t *ctx);
/**
 * Take the lock like gms_gate_lock(), for a thread or a signal handler that may
 * interrupt a call of the same process. The caller must call gms_gate_unlock()
 * if the result is 1.
 * @return 0 if the process is in another call; the lock is then not held
 */
int gms_gate_try_lock(gms_ctx_t *ctx);
/** Return 1 if the calling thread is in the gate. The caller is then a signal
 *  handler, and the gate cannot continue before the handler returns. */
int gms_gate_is_inside(void);
/** Return the time that the process has reached: its clock, or the time of the
 *  last event while it waits. The caller must not hold the lock. */
gms_time_t gms_gate_peek(gms_ctx_t *ctx);
/** Advance and return the clock of the caller, which has left the simulation
 *  temporarily. The caller must not hold the lock. */
gms_time_t gms_gate_move_absent(gms_ctx_t *ctx, gms_time_t duration_ps);
/** Wait for the caller's turn. The caller holds the lock when the function
 *  returns. */
void gms_gate_run_events_until_turn(gms_ctx_t *ctx);
/** Do the same as gms_gate_run_events_until_turn() for a caller that already
 *  holds the lock, for example because it has checked whether it must wait. */
void gms_gate_run_events_until_turn_locked(gms_ctx_t *ctx);
/**
 * Sleep until gms_gate_signal() signals the caller or, if deadline_ps is not
 * GMS_NEVER, until that time. The caller must hold the lock, and holds it again
 * when the function returns. The function returns when it is the caller's turn.
 * The clock is then max(own clock, time of the signal or deadline). A signal
 * that was sent after the last gms_gate_clear_signal() also ends the sleep. If
 * deadline_ps is GMS_NEVER, the call is allowed before the caller's turn. In
 * this case, an event that is earlier than the caller's clock and has not yet
 * been run may also end the wait; the clock does not change.
 * @return 1 if a signal arrived, 0 if the deadline passed
 */
int gms_gate_run_events_until_signal(gms_ctx_t *ctx, gms_time_t deadline_ps,
                                     gms_wait_text_t what);
/**
 * Do the same as gms_gate_run_events_until_signal() with a deadline, for a
 * process that polls. If every process only polls or waits, and all scheduled
 * events are deadlines of polls, nothing can happen until a process makes a
 * call other than a poll. When this state has lasted for limit_s seconds of
 * real time and for limit_s x GMS_GATE_POLLS_PER_S polls of every polling
 * process, the function reports a deadlock and ends the run. The function
 * reports deadlocks only in the modes GMS_TIME_VIRTUAL and GMS_TIME_RECORDED.
 *
 * @param [in] polls    number of consecutive polls without a result that this
 *     process made before this poll
 * @param [in] limit_s  0: never report a deadlock
 */
int gms_gate_poll_until_signal(gms_ctx_t *ctx, gms_time_t deadline_ps,
                               gms_wait_text_t what, uint64_t polls,
                               unsigned limit_s);
/**
 * Let one thread of a process with several threads sleep until the next signal.
 * Unlike gms_gate_run_events_until_signal(), this function lets the other
 * threads make calls. In the meantime, these threads may post events at the
 * time of the last event, wait for their turns, and wait with a deadline. Only
 * one thread at a time may call the library. The threads exclude each other
 * with a lock of their own, which the parked thread does not hold in
 * gms_gate_park_sleep().
 *
 * The caller of gms_gate_park_begin() must hold the lock, and the function
 * releases it. The function may also be called before the caller's turn.
 * Earlier signals are ignored, as in gms_gate_run_events_until_signal() after
 * gms_gate_clear_signal(). gms_gate_park_sleep() is called without the lock,
 * and returns when the process is running.
 */
void gms_gate_park_begin(gms_ctx_t *ctx, gms_wait_text_t what);
void gms_gate_park_sleep(gms_ctx_t *ctx);
/** Return the CPU time, in ns, that other threads of the caller's process
 *  used while one thread was parked for more than a few milliseconds. The time
 *  is counted only if these threads made no call; they then computed or polled
 *  memory. Call this function directly after gms_gate_park_sleep(). */
uint64_t gms_gate_other_threads_ns(const gms_ctx_t *ctx);
/** Let the parked thread of the caller's process continue, if there is one.
 *  Another thread of the process calls this function, without the lock. */
void gms_gate_park_end(gms_ctx_t *ctx);
/** Add `more' to the number of the process's threads that sleep until the
 *  parked thread continues. A negative `more' reduces the number. If all
 *  threads sleep, the gate no longer expects a call from any of them. The
 *  caller must not hold the lock. */
void gms_gate_park_count(gms_ctx_t *ctx, int more);

/** Ignore signals with a time before the caller's clock, including signals that
 *  have not yet been sent. The caller must hold the lock. */
void gms_gate_clear_signal(gms_ctx_t *ctx);

/** Signal a rank at time at_ps (>= now). Event handlers call this function
 *  while they hold the lock. The function has no effect without a gate. */
void gms_gate_signal(gms_ctx_t *ctx, unsigned rank, gms_time_t at_ps);

/**
 * Charge a waiting rank for the time of library work that does not wake up the
 * rank's process. The work begins at the time at_ps (>= now) or at the rank's
 * clock, whichever is later, and the rank continues to wait. Event handlers
 * call this function while they hold the lock.
 * @return 0 if the rank does not wait
 */
int gms_gate_charge_waiter(gms_ctx_t *ctx, unsigned rank, gms_time_t at_ps,
                           gms_time_t duration_ps);

/** Return or advance the caller's own clock. The duration must be at least 1
 *  ps, because every call takes time. The caller must hold the lock.
 *  gms_gate_advance() counts the time as work of a library. gms_gate_spend()
 *  counts the time as activity of the given kind. If the kind is
 *  GMS_BUSY_KINDS, the time is not counted. */
gms_time_t gms_gate_clock(const gms_ctx_t *ctx);
void gms_gate_advance(gms_ctx_t *ctx, gms_time_t duration_ps);
void gms_gate_spend(gms_ctx_t *ctx, gms_time_t duration_ps,
                    enum gms_busy_kind kind);
/** Record the activity of the ranks' processors. The gate's creator calls this
 *  function before any rank joins. */
void gms_gate_set_busy(gms_gate_t *gate, gms_busy_t *busy);
/** Return a rank's clock. The caller must hold the lock. */
gms_time_t gms_gate_clock_of(const gms_gate_t *gate, unsigned rank);
/** Return the caller's counter for events that it posts. */
gms_origin_t *gms_gate_origin(gms_ctx_t *ctx);

/** Choose the time mode. The gate's creator calls this function before any rank
 *  joins.
 *  @param [in] factor_ppm ratio of virtual time to real time in millionths,
 *    1..10^12; not used for GMS_TIME_VIRTUAL, the default */
void gms_gate_set_time(gms_gate_t *gate, enum gms_time_mode mode,
                       uint64_t factor_ppm);
/**
 * Declare that the calling thread enters a library from the program, or returns
 * to the program. The time from gms_gate_enter() to gms_gate_exit() is not part
 * of the program's work. Calls may be nested, and each thread has its own
 * depth. gms_gate_lock() and gms_gate_run_events_until_turn() call
 * gms_gate_enter(), and gms_gate_unlock() calls gms_gate_exit(). The last exit
 * waits until real time has reached the caller's clock (GMS_TIME_WALL). The
 * caller must not hold the lock.
 */
void gms_gate_enter(gms_ctx_t *ctx);
void gms_gate_exit(gms_ctx_t *ctx);
/** Do the same as gms_gate_enter(), and pass the name of the call to
 *  ctx->on_call if this is the thread's outermost call. gms_gate_enter() passes
 *  the name GMS_GATE_CALL. */
void gms_gate_enter_call(gms_ctx_t *ctx, const char *name);
#define GMS_GATE_CALL "GM"
/** In the mode GMS_TIME_RECORDED, advance the clock by the time that the
 *  program computes until its next call. gms_gate_exit() calls this function.
 *  Before the program's first call, the library calls the function itself. The
 *  caller must not hold the lock. */
void gms_gate_compute_recorded(gms_ctx_t *ctx);
/** Return 1 if several threads of the caller's process have made calls. The
 *  result is always 0 in the mode GMS_TIME_VIRTUAL. */
int gms_gate_has_many_threads(gms_ctx_t *ctx);
/** Return the largest time by which virtual time lagged behind real time when a
 *  call returned, in ns of real time; 0 unless the mode is GMS_TIME_WALL. */
uint64_t gms_gate_lag_ns(const gms_gate_t *gate);

/** Leave the simulation temporarily, and return to it. gms_gate_rejoin() waits
 *  until every rank of the caller's world that is still in the job has called
 *  gms_gate_rejoin(). The clocks of all these ranks are then set to the latest
 *  of their clocks and the time of the last event. This time does not depend on
 *  the real times of the calls, because the simulation ran all events when the
 *  last rank left. If ranks of other worlds are running, use
 *  gms_gate_leave_and_hold() for a reproducible time: virtual time does not
 *  advance beyond the caller's clock while the caller is absent. */
void gms_gate_leave(gms_ctx_t *ctx);
void gms_gate_leave_and_hold(gms_ctx_t *ctx);
void gms_gate_rejoin(gms_ctx_t *ctx);

/** Leave the simulation while the caller waits for another process of the job
 *  outside the simulation, and return at clock_ps or later. The function does
 *  not wait for other ranks. The other process must stop virtual time at
 *  clock_ps until this function has returned. */
void gms_gate_return_at(gms_ctx_t *ctx, gms_time_t clock_ps);

/** End the run: every other rank ends with status 1 when it next calls the
 *  gate, and sleeping ranks end immediately. The caller must already have
 *  reported the reason, and may hold the lock. */
void gms_gate_abort(gms_ctx_t *ctx);

/** Make all ranks copy private memory through staging buffers, as if processes
 *  could not access each other's memory. The gate's creator calls this function
 *  before any rank joins. */
void gms_gate_force_staging(gms_gate_t *gate);

unsigned gms_gate_size(const gms_gate_t *gate);
/** Return 1 while the rank is in the job, and 0 before it joins and after it
 *  finishes or dies. */
int gms_gate_alive(const gms_gate_t *gate, unsigned rank);
/** Return 1 if all ranks have finished, have died, or are absent
 *  (gms_gate_leave()). An MPI program is absent after MPI_Finalize(). */
int gms_gate_is_left(const gms_gate_t *gate);
/** The first function returns a rank's process id. The second function returns
 *  1 if other processes can access the private memory of a process. */
int gms_gate_pid(const gms_gate_t *gate, unsigned rank);
int gms_gate_is_direct(const gms_gate_t *gate);
/** Return the head of the list of writes that a rank has not executed yet
 *  (copy.c). */
void **gms_gate_pending_writes(gms_gate_t *gate, unsigned rank);
/** Return the delayed writes to a rank's memory. Such writes exist only if
 *  other processes can access this memory (copy.c). */
void **gms_gate_late_writes(gms_gate_t *gate, unsigned rank);
/** Register the gate's event handler, which handles the deadlines of waits. */
void gms_gate_register(gms_ctx_t *ctx);
/** If all ranks share one process, let this rank run events with the code of
 *  the first rank that calls this function. Every rank has its own copy of the
 *  library at a different address. The processor would otherwise have to learn
 *  the branches of every copy separately. The handlers must have been
 *  registered. */
void gms_gate_share_code(gms_ctx_t *ctx);

/** State of a rank at one moment, for a thread that observes the ranks. */
typedef struct gms_gate_sample {
    int is_running; /* 1: the rank executes its own code or is in a call */
    gms_time_t clock_ps;
} gms_gate_sample_t;
/** Read the present state of a rank. The caller need not hold the lock. Every
 *  call of a program advances the rank's clock. A running rank whose clock is
 *  the same in two samples has therefore probably computed in the meantime. */
void gms_gate_take_sample(const gms_gate_t *gate, unsigned rank,
                          gms_gate_sample_t *sample);
/** Start a helper thread of the simulator in the caller's process. The thread
 *  blocks all signals, may use all processors, and is not counted as a thread
 *  of the program until gms_gate_end_helper().
 *  @param [out] thread_p  NULL: the thread is detached
 *  @return 0, or -1 if the thread could not be started */
int gms_gate_start_helper(gms_ctx_t *ctx, void *(*function)(void *),
                          void *argument, pthread_t *thread_p);
void gms_gate_end_helper(gms_ctx_t *ctx);
/** Sleep in real time, until *word differs from `seen` or limit_ns nanoseconds
 *  have passed. gms_gate_wake() wakes all sleepers of the word. */
void gms_gate_sleep(uint32_t *word, uint32_t seen, uint64_t limit_ns);
void gms_gate_wake(uint32_t *word);
uint64_t gms_gate_wall_ns(void); /* monotonic */

/** Return the number of times that the gate has resumed a sleeping process. */
uint64_t gms_gate_context_switches(const gms_gate_t *gate);

#endif
