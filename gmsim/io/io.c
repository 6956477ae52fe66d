/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the agents of all hosts, and starts accesses. At the start, only the
 * ports of I/O hosts are open. The port of any other host is opened at the
 * host's first access.
 */
#include "io/io_int.h"

#include "engine/gate.h"

void gms_io_no_memory(gms_ctx_t *ctx)
{
    gms_fatal(ctx, "the arena has no memory left for file access; set a larger "
                   "arena_bytes in the cluster description");
}

void *gms_io_alloc(gms_ctx_t *ctx, size_t bytes)
{
    void *memory = gms_arena_alloc(ctx->arena, bytes);

    if (memory == NULL) {
        gms_io_no_memory(ctx);
    }
    return memory;
}

int gms_io_is_given_up(const gms_ctx_t *ctx, uint32_t handler, unsigned rank)
{
    return handler == 0 && ctx->gate != NULL &&
           !gms_gate_alive(ctx->gate, rank);
}

void gms_io_notify(gms_ctx_t *ctx, gms_io_t *io, unsigned rank,
                   uint32_t handler, void *object, const void *thing)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    if (handler != 0) {
        gms_engine_schedule(ctx, &io->origin, now_ps, handler, object,
                            (uintptr_t)thing, 0);
    } else {
        gms_gate_signal(ctx, rank, now_ps);
    }
}

static gms_status_t gms_io_make_server(gms_ctx_t *ctx, gms_io_t *io,
                                       uint32_t index)
{
    gms_io_agent_t *agent = &io->agents[io->nodes[index]];

    agent->host = index;
    agent->disks =
        gms_arena_alloc(ctx->arena, io->layout.disks * sizeof(*agent->disks));
    return agent->disks != NULL ? gms_io_open(ctx, agent) : GMS_ERR_NO_MEMORY;
}

static gms_status_t gms_io_init(gms_ctx_t *ctx, gms_io_t *io,
                                gms_nic_t *const *nics,
                                const gms_params_t *params,
                                const uint32_t *hosts)
{
    gms_status_t status = GMS_OK;
    uint32_t i;

    io->origin.id = GMS_ORIGIN_IO;
    io->layout.disks = (uint32_t)params->io_disks;
    io->layout.stripe_bytes = params->io_stripe_bytes;
    io->mtu_bytes = params->nic_mtu_bytes;
    io->read_bytes_s = params->io_read_bytes_s;
    io->write_bytes_s = params->io_write_bytes_s;
    io->latency_ps = params->io_latency_us * GMS_US;
    io->agents =
        gms_arena_alloc(ctx->arena, params->hosts * sizeof(*io->agents));
    io->nodes =
        gms_arena_alloc(ctx->arena, io->layout.hosts * sizeof(*io->nodes));
    io->data = gms_arena_alloc(ctx->arena, io->layout.stripe_bytes);
    if (io->agents == NULL || io->nodes == NULL || io->data == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < params->hosts; ++i) {
        io->agents[i].io = io;
        io->agents[i].nic = nics[i];
        io->agents[i].node = i;
        io->agents[i].host = GMS_IO_NO_INDEX;
    }
    for (i = 0; status == GMS_OK && i < io->layout.hosts; ++i) {
        io->nodes[i] = hosts[i];
        status = gms_io_make_server(ctx, io, i);
    }
    return status;
}

gms_status_t gms_io_create(gms_ctx_t *ctx, gms_nic_t *const *nics,
                           gms_manager_t *manager, const gms_params_t *params,
                           const uint32_t *hosts, unsigned count,
                           gms_io_t **io_p)
{
    gms_io_t *io = gms_arena_alloc(ctx->arena, sizeof(*io));
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (io != NULL) {
        io->layout.hosts = count;
        io->manager = manager;
        status = gms_io_init(ctx, io, nics, params, hosts);
    }
    /* After an error, the caller destroys the whole arena. */
    if (status == GMS_OK) {
        *io_p = io;
    }
    return status;
}

void gms_io_register(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_IO_ON_CALL] = gms_io_on_call;
    ctx->handlers[GMS_IO_ON_PORT] = gms_io_on_port;
    ctx->handlers[GMS_IO_ON_DISK] = gms_io_on_disk;
    ctx->handlers[GMS_IO_ON_RESERVE] = gms_io_on_reserve;
    ctx->handlers[GMS_IO_ON_GRANT] = gms_io_on_grant;
    ctx->handlers[GMS_IO_ON_BACK] = gms_io_on_back;
}

unsigned gms_io_hosts(const gms_io_t *io)
{
    return io->layout.hosts;
}

gms_io_call_t *gms_io_call_create(gms_arena_t *arena, const gms_io_t *io,
                                  unsigned node, unsigned rank)
{
    gms_io_call_t *call = gms_arena_alloc(
        arena, sizeof(*call) + io->layout.hosts * sizeof(call->part[0]));

    if (call != NULL) {
        call->node = node;
        call->rank = rank;
    }
    return call;
}

void gms_io_post(gms_ctx_t *ctx, gms_io_t *io, gms_origin_t *origin,
                 gms_time_t at_ps, gms_io_call_t *call)
{
    gms_engine_schedule(ctx, origin, at_ps, GMS_IO_ON_CALL, io, (uintptr_t)call,
                        0);
}

gms_io_reservation_t *gms_io_reservation_create(gms_arena_t *arena,
                                                gms_io_t *io, unsigned node,
                                                unsigned rank)
{
    gms_io_reservation_t *reservation =
        gms_arena_alloc(arena, sizeof(*reservation));

    if (reservation != NULL) {
        reservation->io = io;
        reservation->node = node;
        reservation->rank = rank;
    }
    return reservation;
}

void gms_io_reserve(gms_ctx_t *ctx, gms_origin_t *origin, gms_time_t at_ps,
                    gms_io_reservation_t *reservation)
{
    gms_engine_schedule(ctx, origin, at_ps, GMS_IO_ON_RESERVE, reservation->io,
                        (uintptr_t)reservation, 0);
}

gms_io_disk_counters_t gms_io_disk(const gms_io_t *io, unsigned host,
                                   unsigned disk)
{
    const gms_disk_t *counted = &io->agents[io->nodes[host]].disks[disk];

    return (gms_io_disk_counters_t){.requests = counted->requests,
                                    .busy_ps = counted->busy_ps};
}
