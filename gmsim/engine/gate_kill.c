/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kills the process of a rank with SIGKILL, waits for its end, and announces
 * the death at the virtual time of the event. The file gate_watch.c cleans up
 * the ports and locks of the dead rank.
 */
#define _GNU_SOURCE
#include "engine/gate_kill.h"

#include <signal.h>
#include <time.h>

#include "engine/gate_int.h"

/* Longest wall-clock time to wait for the system to end the process. */
#define GMS_GATE_KILL_MS 10000

void gms_gate_kill(gms_ctx_t *ctx, unsigned rank)
{
    static const struct timespec pause = {.tv_sec = 0, .tv_nsec = 1000000};
    gms_gate_t *gate = ctx->gate;
    gms_proc_t *proc;
    int waited_ms;

    if (gate == NULL || rank >= gate->size || !gms_gate_alive(gate, rank)) {
        return;
    }
    proc = &gate->procs[rank];
    /* Announce the death before the process is killed, because an MPI launcher
     * may then kill all ranks at once. */
    gms_gate_announce(gate, rank, gms_engine_now(ctx->engine));
    if ((int)rank == ctx->self_rank) {
        /* gms_gate_dispatch() will end this process. */
        gms_gate_set(gate, proc, GMS_PROC_DEAD, gms_engine_now(ctx->engine));
        if (ctx->on_death != NULL) {
            ctx->on_death(ctx, rank);
        }
        return;
    }
    kill(proc->pid, SIGKILL);
    gms_gate_await_death(proc->pid, GMS_GATE_KILL_MS);
    /* Wait here until the process has ended. Without this wait, the watch would
     * detect the death at a virtual time that depends on the machine's load. */
    for (waited_ms = 0;
         gms_gate_alive(gate, rank) && waited_ms < GMS_GATE_KILL_MS;
         ++waited_ms) {
        gate->next_watch_ns = 0;
        gms_gate_watch(ctx);
        if (gms_gate_alive(gate, rank)) {
            nanosleep(&pause, NULL);
        }
    }
    /* The dead rank's clock may have been ahead of the event. */
    gms_gate_set(gate, proc, proc->state, gms_engine_now(ctx->engine));
}
