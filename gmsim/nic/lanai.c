/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates the LANai processor, a non-preemptive server of MCP jobs with fixed
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

#define GMS_JOB_BIT(_job) (1u << (_job))

/* Return the jobs that may have work. The caller skips all other jobs, which
 * saves time because every NIC runs this code several times per packet. */
static inline unsigned gms_lanai_jobs_of(const gms_nic_t *nic)
{
    static const uint8_t of_host_dma[] = {
        [GMS_ENGINE_IDLE] = GMS_JOB_BIT(GMS_JOB_START_HOST_DMA),
        [GMS_ENGINE_DONE] =
            GMS_JOB_BIT(GMS_JOB_FINISH_RDMA) | GMS_JOB_BIT(GMS_JOB_FINISH_SDMA),
        [GMS_ENGINE_VOID] = 0,
    };

    /* Jobs that run before POLL may create work for POLL. */
    return of_host_dma[nic->host_dma.state] |
           (unsigned)(nic->arrived_count != 0) << GMS_JOB_FINISH_RECV |
           (unsigned)(nic->sent_count != 0) << GMS_JOB_FINISH_SEND |
           (unsigned)(nic->unsent_count != 0) << GMS_JOB_START_SEND |
           GMS_JOB_BIT(GMS_JOB_POLL);
}

/* Begin the first of the given jobs that has work for one of the given classes.
 * This function is inline, because every NIC runs this code for every job.
 * @param [in] jobs  bits of the jobs
 * @return 1 if a job began */
static inline __attribute__((always_inline)) int
gms_lanai_begin(gms_ctx_t *ctx, gms_nic_t *nic, unsigned jobs, unsigned classes)
{
    for (jobs &= gms_lanai_jobs_of(nic); jobs != 0; jobs &= jobs - 1) {
        uint32_t job = (uint32_t)__builtin_ctz(jobs);
        uint64_t cycles = gms_lanai_jobs[job].begin(ctx, nic, classes);

        if (cycles != GMS_CYCLES_NONE) {
            nic->job = job;
            nic->job_start_ps = gms_engine_now(ctx->engine);
            gms_engine_schedule(ctx, &nic->origin,
                                nic->job_start_ps +
                                    cycles * nic->params->lanai_cycle_ps,
                                GMS_NIC_ON_LANAI, nic, 0, 0);
            return 1;
        }
    }
    return 0;
}

/* Return 1 if a job for other traffic could delay real-time traffic. Such a
 * delay is possible if real-time traffic has work that waits for a host DMA
 * transfer, and this transfer ends before the longest job would end. */
static int gms_lanai_is_awaited(const gms_ctx_t *ctx, const gms_nic_t *nic)
{
    const gms_nic_class_t *traffic_class =
        &nic->traffic_class[GMS_LANE_REAL_TIME];

    return nic->host_dma.state == GMS_ENGINE_RUNNING &&
           nic->host_dma.end_ps <
               gms_engine_now(ctx->engine) + nic->longest_job_ps &&
           (traffic_class->scheduler->valid != 0 ||
            traffic_class->work.first != NULL ||
            traffic_class->arrived.first != NULL ||
            traffic_class->send_buffers_used != 0);
}

/* Return 1 if a descriptor must be read before the next real-time transfer. Two
 * conditions must be true: it is the turn of the sending side, and a packet is
 * due whose descriptor has not been read. Otherwise packets that arrive or
 * become due later could delay this packet repeatedly. Only one descriptor is
 * read per transfer, because arriving packets also have their turns. */
static int gms_lanai_is_poll_due(const gms_ctx_t *ctx, const gms_nic_t *nic)
{
    const gms_nic_class_t *traffic_class =
        &nic->traffic_class[GMS_LANE_REAL_TIME];

    return nic->reserved_posts != 0 && !traffic_class->has_polled &&
           nic->host_dma.state == GMS_ENGINE_IDLE &&
           (!traffic_class->last_was_send ||
            traffic_class->work.first == NULL) &&
           gms_post_has_urgent(nic,
                               gms_nic_rtc(nic, gms_engine_now(ctx->engine)));
}

/* Begin the next work of a NIC that has real-time traffic, and give priority to
 * this traffic. The NIC begins a transfer before it checks an arrived packet.
 * The check then runs during the transfer of another packet, and packets that
 * arrive together delay other work by at most the time of one packet. The NIC
 * then reads descriptors, because one of them may belong to real-time traffic.
 * Other traffic uses the remaining time. A job that has begun always runs to
 * its end. This function is not inline, because most NICs have no real-time
 * traffic. */
static __attribute__((noinline)) void gms_lanai_kick_reserved(gms_ctx_t *ctx,
                                                              gms_nic_t *nic)
{
    const unsigned real_time = GMS_MCP_CLASS(GMS_LANE_REAL_TIME);
    const unsigned poll = GMS_JOB_BIT(GMS_JOB_POLL);
    const unsigned transfer = GMS_JOB_BIT(GMS_JOB_START_HOST_DMA);
    const unsigned receive = GMS_JOB_BIT(GMS_JOB_FINISH_RECV);

    if (gms_lanai_begin(ctx, nic, ~(poll | transfer | receive), real_time)) {
        return;
    }
    if (gms_lanai_is_poll_due(ctx, nic) &&
        gms_lanai_begin(ctx, nic, poll, GMS_MCP_ALL_CLASSES)) {
        nic->traffic_class[GMS_LANE_REAL_TIME].has_polled = 1;
        return;
    }
    if (gms_lanai_begin(ctx, nic, transfer, real_time) ||
        gms_lanai_begin(ctx, nic, receive, real_time) ||
        gms_lanai_is_awaited(ctx, nic) ||
        gms_lanai_begin(ctx, nic, poll, GMS_MCP_ALL_CLASSES)) {
        return;
    }
    gms_lanai_begin(ctx, nic, ~poll, GMS_MCP_ALL_CLASSES & ~real_time);
}

void gms_lanai_kick(gms_ctx_t *ctx, gms_nic_t *nic)
{
    if (nic->job != GMS_JOB_COUNT) {
        return;
    }
    if (nic->is_reserved) {
        gms_lanai_kick_reserved(ctx, nic);
    } else {
        gms_lanai_begin(ctx, nic, ~0u, GMS_MCP_ALL_CLASSES);
    }
}

static gms_status_t gms_lanai_create(gms_ctx_t *ctx, gms_nic_t *nic)
{
    (void)ctx;
    (void)nic;
    return GMS_OK;
}

static void gms_lanai_posted(gms_ctx_t *ctx, gms_nic_t *nic,
                             gms_nic_port_t *port, gms_post_t *post)
{
    gms_post_put(nic, port, post);
    gms_lanai_kick(ctx, nic);
}

/* All transfers in progress are in fields that all kinds share. */
static void gms_lanai_abort(gms_ctx_t *ctx, gms_nic_t *nic)
{
    (void)ctx;
    (void)nic;
}

const gms_nic_kind_ops_t gms_nic_lanai_ops = {
    .name = "lanai",
    .create = gms_lanai_create,
    .kick = gms_lanai_kick,
    .posted = gms_lanai_posted,
    .abort = gms_lanai_abort,
    .on_sent = GMS_NIC_ON_SENT,
    .on_arrived = GMS_NIC_ON_ARRIVED,
};

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
