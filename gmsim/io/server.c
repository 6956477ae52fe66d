/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues and answers the requests to the disks of an I/O host. The work of the
 * host's processor takes no simulated time.
 */
#include "io/io_int.h"

/* Return the time at which all requests that have arrived so far are
 * complete. */
static gms_time_t gms_io_idle_at(const gms_io_agent_t *agent, gms_time_t now_ps)
{
    uint32_t disk;

    for (disk = 0; disk < agent->io->layout.disks; ++disk) {
        if (agent->disks[disk].free_ps > now_ps) {
            now_ps = agent->disks[disk].free_ps;
        }
    }
    return now_ps;
}

void gms_io_serve(gms_ctx_t *ctx, gms_io_agent_t *agent, unsigned node,
                  const gms_io_message_t *message)
{
    gms_io_t *io = agent->io;
    gms_io_job_t *job = gms_io_alloc(ctx, sizeof(*job));
    gms_disk_t *disk = &agent->disks[message->disk];
    gms_time_t now_ps = gms_engine_now(ctx->engine), end_ps;

    job->agent = agent;
    job->node = node;
    job->message = *message;
    if (message->kind == GMS_IO_SYNC) {
        end_ps = gms_io_idle_at(agent, now_ps);
    } else {
        end_ps =
            gms_disk_serve(disk, now_ps, io->latency_ps, message->bytes,
                           message->kind == GMS_IO_READ ? io->read_bytes_s
                                                        : io->write_bytes_s);
    }
    gms_engine_schedule(ctx, &io->origin, end_ps, GMS_IO_ON_DISK, agent,
                        (uintptr_t)job, 0);
}

void gms_io_on_disk(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_io_agent_t *agent = event->object;
    gms_io_job_t *job = (gms_io_job_t *)(uintptr_t)event->arg[0];
    gms_io_message_t answer = job->message;

    answer.kind = GMS_IO_ANSWER;
    gms_io_send(ctx, agent, job->node, &answer,
                job->message.kind == GMS_IO_READ ? job->message.bytes : 0);
    gms_arena_free(ctx->arena, job);
}
