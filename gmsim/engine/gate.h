/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The gate: lets the processes of a job run in the order of their virtual
 * clocks, and runs the simulation's events while they wait.
 *
 * Each process has a clock. It is
 *   absent   not (yet, or any more) part of the simulation,
 *   running  in its own code; it may post events at its clock at any moment,
 *            so no event at or after that time may be run,
 *   ready    in the gate, waiting for its turn: to be lowest by (clock, rank)
 *            among running and ready, with every earlier event done,
 *   waiting  asleep until an event signals it.
 * There is no server: any process inside the gate runs the events, under one
 * lock.
 *
 *   post:     gms_gate_lock .. schedule at gms_gate_clock() .. gms_gate_unlock
 *   observe:  gms_gate_run_events_until_turn .. look, change .. gms_gate_unlock
 *   block:    gms_gate_run_events_until_turn .. gms_gate_run_events_until_signal .. look .. gms_gate_unlock
 *
 * Sleeping is on a futex. A thread of every process watches another process and
 * wakes the sleepers when that process dies. This never moves a clock.
 */
#ifndef ENGINE_GATE_H
#define ENGINE_GATE_H

#include <stdint.h>

#include "engine/busy.h"
#include "engine/engine.h"

/** Where the ranks' real processes run. */
enum gms_binding {
    GMS_BINDING_AUTO = 0, /* as the time mode needs it */
    GMS_BINDING_CORE,     /* all on one core: hand-over is cheapest */
    GMS_BINDING_NONE      /* wherever the system puts them */
};

/** What a program's own work, between its calls of the library, counts as. */
enum gms_time_mode {
    GMS_TIME_VIRTUAL = 0, /* nothing */
    GMS_TIME_MEASURED,    /* the CPU time of the thread that calls next */
    GMS_TIME_WALL         /* real time, and virtual time never runs ahead of
                             real time */
};

/** A factor of 1 between virtual and real time; factors are in millionths. */
#define GMS_TIME_FACTOR_ONE UINT64_C(1000000)

/** Says what a rank waits for, for the deadlock report. At most 63 bytes. */
typedef const char *gms_wait_text_t;

/** @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_INVALID_PARAM (size) */
gms_status_t gms_gate_create(gms_arena_t *arena, unsigned size,
                             gms_gate_t **gate_p);
/** Where a rank is, for messages: "node2"; cut to 15 bytes. Before the start. */
void gms_gate_set_host_name(gms_gate_t *gate, unsigned rank,
                            const char *host_name);

/**
 * Join as a rank. Returns when all ranks have joined: then virtual time is 0
 * and all are running.
 *
 * Sets ctx->self_rank. Who dies later is announced on standard error and
 * given to ctx->on_death, once, by whichever process notices.
 *
 * @param [in] wall_limit_s  how long to wait for the others, wall seconds
 * @return GMS_OK
 * @return GMS_ERR_BUSY       the rank is taken
 * @return GMS_ERR_TIMED_OUT  *missing_p is a rank that did not come
 * @return GMS_ERR_PEER_DIED  *missing_p is a rank that came and died
 */
gms_status_t gms_gate_join(gms_ctx_t *ctx, unsigned rank, unsigned wall_limit_s,
                           unsigned *missing_p);
/** Leave for good. */
void gms_gate_finish(gms_ctx_t *ctx);

/** Take the lock to post; the caller is running. */
void gms_gate_lock(gms_ctx_t *ctx);
/** Release the lock; lets others run whose turn has come. */
void gms_gate_unlock(gms_ctx_t *ctx);
/** Wait for the caller's turn; returns with the lock held. */
void gms_gate_run_events_until_turn(gms_ctx_t *ctx);
/** The same with the lock held: for whoever looked first whether what he has to
 *  know is decided already. */
void gms_gate_run_events_until_turn_locked(gms_ctx_t *ctx);
/**
 * Sleep until gms_gate_signal() or, if deadline_ps is not GMS_NEVER, until that
 * time. Lock held before and after; returns at the caller's turn. The clock is
 * then max(own clock, time of the signal or deadline).
 * A signal sent since the last gms_gate_clear_signal() counts. Without a
 * deadline the caller need not have had its turn: an event before its clock
 * that is still to be run ends the wait too, at that clock.
 * @return 1 signalled, 0 deadline
 */
int gms_gate_run_events_until_signal(gms_ctx_t *ctx, gms_time_t deadline_ps,
                                     gms_wait_text_t what);
/**
 * Put a thread of a process with several to sleep until the next signal. Unlike
 * gms_gate_run_events_until_signal() it lets the others call: they post at the clock of the last
 * event, take turns and wait with a deadline meanwhile. One at a time: they
 * exclude each other by a lock of their own, which is not held in
 * gms_gate_park_sleep().
 *
 * begin: with the lock, which is released; the turn is not needed, and earlier
 * signals do not count, as in gms_gate_run_events_until_signal() and gms_gate_clear_signal(). sleep:
 * no lock held. The process is then running.
 */
void gms_gate_park_begin(gms_ctx_t *ctx, gms_wait_text_t what);
void gms_gate_park_sleep(gms_ctx_t *ctx);
/** CPU time in ns that other threads of the caller's process took while one was
 *  parked for more than some milliseconds and they made no call: they computed,
 *  or spun on memory. For who has just come from gms_gate_park_sleep(). */
uint64_t gms_gate_other_threads_ns(const gms_ctx_t *ctx);
/** Let the parked thread of the caller's process go on, if there is one; for
 *  another thread, lock not held. */
void gms_gate_park_end(gms_ctx_t *ctx);
/** So many more (or less) threads of the process sleep until the parked one
 *  goes on: if all do, it is no longer hoped that one of them calls. Lock not
 *  held. */
void gms_gate_park_count(gms_ctx_t *ctx, int more);

/** Forget signals from before the caller's clock, also those that are still to
 *  be sent; lock held. */
void gms_gate_clear_signal(gms_ctx_t *ctx);

/** Signal a rank at time at_ps (>= now); from event handlers, lock held.
 *  Does nothing without a gate. */
void gms_gate_signal(gms_ctx_t *ctx, unsigned rank, gms_time_t at_ps);

/**
 * Have a rank that waits do something that needs no decision of its program, from
 * at_ps (>= now) or its clock on, whichever is later, and go on waiting; from
 * event handlers, lock held.
 * @return 0 if the rank does not wait
 */
int gms_gate_charge_waiter(gms_ctx_t *ctx, unsigned rank, gms_time_t at_ps,
                           gms_time_t duration_ps);

/** The caller's own clock, and moving it (duration at least 1 ps is forced:
 *  every call makes time pass). Lock held. Advancing is work of a library; what
 *  is spent may be the program's, or none (GMS_BUSY_KINDS). */
gms_time_t gms_gate_clock(const gms_ctx_t *ctx);
void gms_gate_advance(gms_ctx_t *ctx, gms_time_t duration_ps);
void gms_gate_spend(gms_ctx_t *ctx, gms_time_t duration_ps,
                    enum gms_busy_kind kind);
/** Keep what the ranks' processors do; for the creator, before anybody joins. */
void gms_gate_set_busy(gms_gate_t *gate, gms_busy_t *busy);
/** A rank's clock; lock held. */
gms_time_t gms_gate_clock_of(const gms_gate_t *gate, unsigned rank);
/** The caller's counter for events that it posts. */
gms_origin_t *gms_gate_origin(gms_ctx_t *ctx);

/** Choose what moves the clocks; for the creator, before anybody joins.
 *  @param [in] factor_ppm  virtual per real time, 1..10^12; without meaning
 *                          for GMS_TIME_VIRTUAL, the default */
void gms_gate_set_time(gms_gate_t *gate, enum gms_time_mode mode,
                       uint64_t factor_ppm);
/**
 * The calling thread comes from the program into a library, and goes back: what
 * it does in between is not the program's work. Calls nest, each thread has its
 * own; gms_gate_lock() and gms_gate_run_events_until_turn() enter by themselves, and
 * gms_gate_unlock() exits. The last exit waits until real time has reached the
 * caller's clock (GMS_TIME_WALL). Lock not held.
 */
void gms_gate_enter(gms_ctx_t *ctx);
void gms_gate_exit(gms_ctx_t *ctx);
/** The most that virtual time was behind real time when a call returned, ns of
 *  real time; 0 unless GMS_TIME_WALL. */
uint64_t gms_gate_lag_ns(const gms_gate_t *gate);

/** Be absent, and come back: the second waits until every rank that is still
 *  in the job has called it, then all run at the highest clock among theirs and
 *  the last event's, which does not depend on when they came: the simulation
 *  has run dry when the last of them left. */
void gms_gate_leave(gms_ctx_t *ctx);
void gms_gate_rejoin(gms_ctx_t *ctx);

/** The run is over: every other rank ends with status 1 as soon as it comes to
 *  the gate, sleepers at once. For whoever has just said why. The lock may be
 *  held or not. */
void gms_gate_abort(gms_ctx_t *ctx);

/** Make every rank stage its private memory, as if the probe had failed; for
 *  the creator, before anybody joins. */
void gms_gate_force_staging(gms_gate_t *gate);

unsigned gms_gate_size(const gms_gate_t *gate);
/** 1 while the rank is in the job; 0 before it joined, after it finished or
 *  died. */
int gms_gate_alive(const gms_gate_t *gate, unsigned rank);
/** A rank's process id and whether others reach its private memory. */
int gms_gate_pid(const gms_gate_t *gate, unsigned rank);
int gms_gate_is_direct(const gms_gate_t *gate);
/** Head of a rank's list of writes that it has not taken in (copy.c). */
void **gms_gate_pending_writes(gms_gate_t *gate, unsigned rank);
/** Its late writes, where others reach its memory (copy.c). */
void **gms_gate_late_writes(gms_gate_t *gate, unsigned rank);
/** The gate's own event handler (deadlines of waits). */
void gms_gate_register(gms_ctx_t *ctx);
/** Times a sleeping process was let run. */
uint64_t gms_gate_context_switches(const gms_gate_t *gate);

#endif
