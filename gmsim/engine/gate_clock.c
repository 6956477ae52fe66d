/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives access to the clock of a process while another of its threads may be in
 * a call. Threads and signal handlers of the program may read the clock or
 * sleep at any moment (gmsim/clock).
 */
#include "engine/gate_int.h"

/* Number of nested functions of the gate that this thread is executing. While
 * the number is not 0, a signal handler of the thread must not take the lock.
 * With this TLS model, the first access in a signal handler does not allocate
 * memory. */
static _Thread_local unsigned gms_gate_inside
    __attribute__((tls_model("initial-exec")));

void gms_gate_come_inside(void)
{
    ++gms_gate_inside;
}

void gms_gate_go_outside(void)
{
    --gms_gate_inside;
}

int gms_gate_is_inside(void)
{
    return gms_gate_inside > 0;
}

/* Return 1 if no other thread of the process is in a call. While a thread is
 * parked, other threads may make calls. */
static int gms_gate_is_free(const gms_proc_t *self)
{
    return self->state == GMS_PROC_RUNNING ||
           (self->park == GMS_PARK_ON && self->state == GMS_PROC_WAITING);
}

int gms_gate_try_lock(gms_ctx_t *ctx)
{
    if (gms_gate_is_inside()) {
        return 0;
    }
    gms_gate_enter(ctx);
    gms_gate_acquire(ctx);
    if (gms_gate_is_free(gms_gate_self(ctx))) {
        gms_gate_enter_parked(ctx);
        gms_gate_count(ctx);
        return 1;
    }
    gms_gate_release(ctx);
    gms_gate_exit(ctx);
    return 0;
}

gms_time_t gms_gate_peek(gms_ctx_t *ctx)
{
    const gms_proc_t *self = gms_gate_self(ctx);
    gms_time_t clock_ps = __atomic_load_n(&self->clock_ps, __ATOMIC_RELAXED);
    gms_time_t now_ps = 0;

    if (!gms_gate_is_inside()) {
        gms_gate_acquire(ctx);
        clock_ps = self->clock_ps;
        if (self->state == GMS_PROC_WAITING) {
            now_ps = gms_engine_now(ctx->engine);
        }
        gms_gate_release(ctx);
    }
    return now_ps > clock_ps ? now_ps : clock_ps;
}

gms_time_t gms_gate_move_absent(gms_ctx_t *ctx, gms_time_t duration_ps)
{
    gms_proc_t *self = gms_gate_self(ctx);

    if (!gms_gate_is_inside()) {
        gms_gate_acquire(ctx);
        if (self->state == GMS_PROC_ABSENT &&
            duration_ps < GMS_NEVER / 2 - self->clock_ps) {
            gms_gate_set(ctx->gate, self, GMS_PROC_ABSENT,
                         self->clock_ps + duration_ps);
        }
        gms_gate_release(ctx);
    }
    return __atomic_load_n(&self->clock_ps, __ATOMIC_RELAXED);
}

void gms_gate_take_sample(const gms_gate_t *gate, unsigned rank,
                          gms_gate_sample_t *sample)
{
    const gms_proc_t *proc = &gate->procs[rank];

    sample->is_running =
        __atomic_load_n(&proc->state, __ATOMIC_RELAXED) == GMS_PROC_RUNNING;
    sample->clock_ps = __atomic_load_n(&proc->clock_ps, __ATOMIC_RELAXED);
}
