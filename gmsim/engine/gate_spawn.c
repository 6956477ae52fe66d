/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles ranks that join the running job. A new rank is in the state
 * "expected" as soon as another rank has requested it. From this moment,
 * virtual time does not advance beyond the clock at which the new rank starts.
 * The run therefore does not depend on the real time that the operating system
 * needs to start the process.
 */
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <unistd.h>

#include "engine/gate_int.h"

gms_status_t gms_gate_expect(gms_ctx_t *ctx, unsigned count,
                             gms_time_t clock_ps, unsigned *first_p)
{
    gms_gate_t *gate = ctx->gate;
    unsigned first = gate->size;
    unsigned rank;

    if (count == 0 || count > gate->capacity - first) {
        return GMS_ERR_NO_MEMORY;
    }
    for (rank = first; rank < first + count; ++rank) {
        gms_gate_init_proc(gate, rank);
        gate->procs[rank].world = first;
    }
    /* threads read the size without the lock; all entries are already
     * initialised */
    __atomic_store_n(&gate->size, first + count, __ATOMIC_RELEASE);
    for (rank = first; rank < first + count; ++rank) {
        gms_gate_set(gate, &gate->procs[rank], GMS_PROC_EXPECTED, clock_ps);
    }
    *first_p = first;
    return GMS_OK;
}

void gms_gate_watch_expected(gms_ctx_t *ctx, unsigned first)
{
    if (gms_gate_watch_spawned(ctx, first) != 0) {
        ctx->is_watched = 0;
    }
}

void gms_gate_return_at(gms_ctx_t *ctx, gms_time_t clock_ps)
{
    gms_proc_t *self;
    gms_time_t now_ps;

    gms_gate_acquire(ctx);
    self = gms_gate_self(ctx);
    now_ps = gms_engine_now(ctx->engine);
    if (clock_ps < now_ps) {
        clock_ps = now_ps;
    }
    self->holds = 0;
    gms_gate_set(ctx->gate, self, GMS_PROC_RUNNING,
                 clock_ps > self->clock_ps ? clock_ps : self->clock_ps);
    gms_gate_unlock(ctx);
}

gms_status_t gms_gate_join_late(gms_ctx_t *ctx, unsigned rank)
{
    gms_gate_t *gate = ctx->gate;
    gms_proc_t *self;

    ctx->self_rank = -1;
    gms_gate_acquire(ctx);
    if (rank >= gate->size || gate->procs[rank].state != GMS_PROC_EXPECTED) {
        gms_gate_release(ctx);
        return GMS_ERR_NOT_FOUND;
    }
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    ctx->self_rank = (int)rank;
    gate->holder = ctx->self_rank;
    self = gms_gate_self(ctx);
    pthread_mutex_lock(&self->life);
    self->pid = getpid();
    gms_gate_set(gate, self, GMS_PROC_RUNNING, self->clock_ps);
    gms_gate_release(ctx);
    ctx->is_watched = gms_gate_start_watcher(ctx) == 0;
    gms_gate_begin_program(ctx);
    return GMS_OK;
}
