/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 3.1 of the thesis: twelve steps of the rate control algorithm for two
 * flows with IDT 2 and 3. The experiment calls the NIC's scheduler `rate`
 * directly, without a NIC or a network.
 */
#include <stdio.h>
#include <string.h>

#include "experiments/thesis.h"
#include "nic/scheduler.h"

#define GMS_3_1_ARENA (UINT64_C(16) << 20)
#define GMS_3_1_STEPS 12

/** Execute the step at time t. Report each flow's NDT before the step, and the
 *  flow that may send. */
static void gms_thesis_3_1_step(gms_lab_t *lab, gms_scheduler_t *scheduler,
                                gms_flow_t flows[2], uint64_t t)
{
    const gms_scheduler_ops_t *ops = gms_scheduler_ops(GMS_SCHEDULER_RATE);
    uint64_t next_rtc;
    gms_flow_t *flow;
    char setting[32];

    (void)snprintf(setting, sizeof(setting), "t=%u", (unsigned)t);
    gms_lab_row(lab, "flow A", setting, "NDT", (double)flows[0].ndt, "T");
    gms_lab_row(lab, "flow B", setting, "NDT", (double)flows[1].ndt, "T");
    flow = ops->pick(scheduler, t, &next_rtc);
    if (flow != NULL) {
        ops->dispatched(scheduler, flow, t, 0);
    }
    gms_lab_row(lab, "scheduler", setting, "dispatched",
                (flow == NULL) ? 0.0 : (double)(flow - flows) + 1.0, "flow");
}

static gms_status_t gms_thesis_3_1_run(gms_lab_t *lab)
{
    const gms_scheduler_ops_t *ops = gms_scheduler_ops(GMS_SCHEDULER_RATE);
    gms_scheduler_t *scheduler;
    gms_params_t params;
    gms_flow_t flows[2];
    gms_status_t status;
    gms_ctx_t ctx;
    uint64_t t;

    memset(&ctx, 0, sizeof(ctx));
    memset(flows, 0, sizeof(flows));
    gms_params_init(&params);
    ctx.self_rank = -1;
    status = gms_arena_create_private(GMS_3_1_ARENA, &ctx.arena);
    if (status == GMS_OK) {
        status = ops->create(&ctx, &params, &scheduler);
    }
    if (status != GMS_OK) {
        gms_arena_destroy_private(ctx.arena);
        return gms_lab_fail(lab, status, "cannot create the scheduler: %s",
                            gms_status_text(status));
    }
    flows[0].idt_ticks = 2;
    flows[1].idt_ticks = 3;
    for (unsigned i = 0; i < 2; ++i) {
        flows[i].index = i;
        flows[i].valid = 1;
        ops->add(&ctx, scheduler, &flows[i], 0);
    }
    for (t = 0; t < GMS_3_1_STEPS; ++t) {
        gms_thesis_3_1_step(lab, scheduler, flows, t);
    }
    gms_arena_destroy_private(ctx.arena);
    return GMS_OK;
}

const gms_experiment_t gms_thesis_3_1 = {
    .name = "thesis-3.1",
    .title = "Twelve steps of the rate control algorithm",
    .source = "Gulati 2001, thesis, table 3.1",
    .text =
        "The NIC's own scheduler `rate` runs step by step with T = 1. Flow A "
        "has IDT 2, and flow B has IDT 3. In every six steps, flow A sends "
        "three packets and flow B sends two packets. One of the six steps "
        "remains unused, because the flows together use only 1/2 + 1/3 of the "
        "steps.",
    .run = gms_thesis_3_1_run,
};
