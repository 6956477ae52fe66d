/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects a deadlock of processes that poll. Every poll advances the clock of
 * its process, so a run with such a deadlock would otherwise never end.
 *
 * A process is considered to be only polling if it has made a long series of
 * polls without a result and without any other call between them. A call that
 * reads the clock ends the series, so a loop that polls until a certain time is
 * never reported. Other work of the program between its polls also ends the
 * series (gm/poll.c). If every process is only polling or waiting, and all
 * scheduled events are deadlines of polls, the next poll also has no result.
 * The series does not prove a deadlock, because a program may count its polls,
 * read the real time, or watch a file. Therefore the gate reports a deadlock
 * only after a very long series that has lasted for some real time. A process
 * with other threads that may call the library is never considered to be only
 * polling.
 */
#include "engine/gate_int.h"

/* Number of polls between two checks. Checks are rare, because a check reads
 * the state of all processes and the real time. */
#define GMS_GATE_POLLS_CHECK 1024u

/* Return 1 if the process waits and cannot continue by itself, or if it is only
 * polling. */
static int gms_gate_is_stuck(const gms_ctx_t *ctx, const gms_proc_t *proc,
                             unsigned limit_s)
{
    switch (proc->state) {
    case GMS_PROC_RETURNING:
    case GMS_PROC_FINISHED:
    case GMS_PROC_DEAD:
        return 1;
    case GMS_PROC_WAITING:
        return proc->polls == 0 ||
               proc->polls >= limit_s * GMS_GATE_POLLS_PER_S;
    case GMS_PROC_RUNNING:
        return proc == gms_gate_self(ctx);
    case GMS_PROC_UNBORN:
    case GMS_PROC_EXPECTED:
    case GMS_PROC_JOINED:
    case GMS_PROC_READY:
    case GMS_PROC_ABSENT:
        break;
    }
    return 0;
}

/* Return 1 if a thread that does not poll may call the library. */
static int gms_gate_has_other_thread(const gms_gate_t *gate,
                                     const gms_proc_t *proc)
{
    if (!gms_gate_alive(gate, (unsigned)(proc - gate->procs))) {
        return 0;
    }
    return proc->polls > 0 ? proc->park != GMS_PARK_NONE ||
                                 gms_gate_has_more_threads(proc, 1)
                           : gms_gate_has_free_thread(proc);
}

/* Return 1 if every process has been only polling or waiting for limit_s
 * seconds. */
static int gms_gate_only_polls(const gms_ctx_t *ctx, unsigned limit_s)
{
    const gms_gate_t *gate = ctx->gate;
    uint64_t since_ns = 0;
    unsigned rank;

    if (gms_engine_events_pending(ctx->engine) != gate->deadlines) {
        return 0;
    }
    for (rank = 0; rank < gate->size; ++rank) {
        const gms_proc_t *proc = &gate->procs[rank];

        if (!gms_gate_is_stuck(ctx, proc, limit_s)) {
            return 0;
        }
        if (gms_gate_alive(gate, rank) && proc->polls > 0 &&
            proc->polls_ns > since_ns) {
            since_ns = proc->polls_ns;
        }
    }
    if (gms_gate_wall_ns() - since_ns < limit_s * UINT64_C(1000000000)) {
        return 0;
    }
    for (rank = 0; rank < gate->size; ++rank) {
        if (gms_gate_has_other_thread(gate, &gate->procs[rank])) {
            return 0;
        }
    }
    return 1;
}

int gms_gate_poll_until_signal(gms_ctx_t *ctx, gms_time_t deadline_ps,
                               gms_wait_text_t what, uint64_t polls,
                               unsigned limit_s)
{
    gms_proc_t *self = gms_gate_self(ctx);

    self->polls = polls + 1;
    if (self->polls == GMS_GATE_POLLS) {
        self->polls_ns = gms_gate_wall_ns();
    }
    if (limit_s > 0 && self->polls >= limit_s * GMS_GATE_POLLS_PER_S &&
        self->polls % GMS_GATE_POLLS_CHECK == 0 &&
        !gms_gate_is_real(ctx->gate) && gms_gate_only_polls(ctx, limit_s)) {
        gms_gate_deadlock(ctx);
    }
    return gms_gate_wait(ctx, deadline_ps, what);
}
