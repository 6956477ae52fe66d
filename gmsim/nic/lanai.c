/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The LANai processor: a non-preemptive server of MCP jobs with fixed
 * priorities. [source: GM 2 MCP: a dispatch loop over event bits]
 */
#include "nic/mcp.h"

#include <assert.h>

static const struct {
    const char *name;
    gms_job_begin_fn *begin;
    gms_job_end_fn *end;
} gms_lanai_jobs[GMS_JOB_COUNT] = {
    [GMS_JOB_FINISH_RDMA] = {"finish rdma", gms_mcp_rdma_finish_begin,
                             gms_mcp_rdma_finish_end},
    [GMS_JOB_FINISH_RECV] = {"finish recv", gms_mcp_recv_finish_begin,
                             gms_mcp_recv_finish_end},
    [GMS_JOB_FINISH_SDMA] = {"finish sdma", gms_mcp_sdma_finish_begin,
                             gms_mcp_sdma_finish_end},
    [GMS_JOB_FINISH_SEND] = {"finish send", gms_mcp_send_finish_begin,
                             gms_mcp_send_finish_end},
    [GMS_JOB_START_SEND] = {"start send", gms_mcp_send_start_begin,
                            gms_mcp_send_start_end},
    [GMS_JOB_START_HOST_DMA] = {"start host dma", gms_mcp_host_dma_begin,
                                gms_mcp_host_dma_end},
    [GMS_JOB_POLL] = {"poll", gms_mcp_poll_begin, gms_mcp_poll_end},
};

void gms_lanai_kick(gms_ctx_t *ctx, gms_nic_t *nic)
{
    uint32_t job;

    if (nic->job != GMS_JOB_COUNT) {
        return;
    }
    for (job = 0; job < GMS_JOB_COUNT; ++job) {
        uint64_t cycles = gms_lanai_jobs[job].begin(ctx, nic);

        if (cycles != GMS_CYCLES_NONE) {
            nic->job = job;
            nic->job_start_ps = gms_engine_now(ctx->engine);
            gms_engine_schedule(ctx, &nic->origin,
                                nic->job_start_ps +
                                    cycles * nic->params->lanai_cycle_ps,
                                GMS_NIC_ON_LANAI, nic, 0, 0);
            return;
        }
    }
}

void gms_lanai_on_done(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    uint32_t job = nic->job;

    if (job < GMS_JOB_COUNT) {
        nic->counters.lanai_busy_ps += event->time_ps - nic->job_start_ps;
        gms_lanai_jobs[job].end(ctx, nic);
    } else {
        assert(job == GMS_JOB_VOID);
    }
    nic->job = GMS_JOB_COUNT;
    gms_lanai_kick(ctx, nic);
}
