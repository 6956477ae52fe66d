/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the time mode `recorded` of the gate. When a call returns to the
 * program, the record already contains the time of the program's next call. The
 * clock of the process moves to this time at once, as if the program had called
 * gmsim_compute(). The simulation can therefore run all events up to that time,
 * and release other processes, while the program computes. No result depends on
 * real time.
 */
#include "engine/gate_int.h"

void gms_gate_compute_recorded(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);
    gms_time_t duration_ps;

    if (ctx->on_return == NULL) {
        return;
    }
    gms_gate_come_inside();
    duration_ps = ctx->on_return(ctx);
    gms_gate_go_outside();
    if (duration_ps == 0) {
        return;
    }
    gms_gate_acquire(ctx);
    if (self->clock_ps >= GMS_NEVER / 2 ||
        duration_ps >= GMS_NEVER / 2 - self->clock_ps) {
        gms_gate_release(ctx);
        gms_fatal(ctx, "virtual time exceeds its limit of 106 days");
    }
    gms_gate_spend(ctx, duration_ps, GMS_BUSY_COMPUTES);
    gms_gate_dispatch(ctx);
    gms_gate_release(ctx);
}
