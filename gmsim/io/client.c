/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles the file accesses of a host's processes. An access sends its pieces
 * to all I/O hosts at the same time. When an I/O host answers a request, the
 * access sends its next request to that host.
 */
#include "io/io_int.h"

static int gms_io_has_data(enum gms_io_kind kind)
{
    return kind == GMS_IO_WRITE || kind == GMS_IO_READ;
}

/* Find the next piece of an access that is on the given I/O host. An access
 * without data has one empty piece on each I/O host. */
static int gms_io_next(const gms_io_t *io, const gms_io_call_t *call,
                       uint32_t host, gms_io_piece_t *piece)
{
    uint64_t number = call->part[host].next;

    if (gms_io_has_data(call->kind)) {
        return gms_io_piece(&io->layout, call->offset, call->bytes, host,
                            number, piece);
    }
    *piece = (gms_io_piece_t){.host = host};
    return number == 0;
}

/* Send requests to an I/O host until the limit is reached.
 * @return 0 if the access is complete on this I/O host */
static int gms_io_push(gms_ctx_t *ctx, gms_io_agent_t *agent,
                       gms_io_call_t *call, uint32_t host)
{
    gms_io_part_t *part = &call->part[host];
    gms_io_piece_t piece;

    while (part->under_way < GMS_IO_WINDOW &&
           gms_io_next(agent->io, call, host, &piece)) {
        gms_io_message_t message = {
            .kind = call->kind,
            .label = call->label,
            .host = host,
            .disk = piece.disk,
            .flags = call->flags,
            .bytes = piece.bytes,
            .call = (uintptr_t)call,
        };

        ++part->next;
        ++part->under_way;
        gms_io_send(ctx, agent, agent->io->nodes[host], &message,
                    call->kind == GMS_IO_WRITE ? piece.bytes : 0);
    }
    return part->under_way > 0;
}

static void gms_io_finish(gms_ctx_t *ctx, gms_io_t *io, gms_io_call_t *call)
{
    if (gms_io_is_given_up(ctx, call->handler, call->rank)) {
        gms_arena_free(ctx->arena, call);
        return;
    }
    call->done = 1;
    gms_io_notify(ctx, io, call->rank, call->handler, call->object, call);
}

void gms_io_on_call(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_io_t *io = event->object;
    gms_io_call_t *call = (gms_io_call_t *)(uintptr_t)event->arg[0];
    gms_io_agent_t *agent = &io->agents[call->node];
    uint32_t host;

    gms_io_need_open(ctx, agent);
    for (host = 0; host < io->layout.hosts; ++host) {
        call->open += (uint32_t)gms_io_push(ctx, agent, call, host);
    }
    if (call->open == 0) { /* the access has no bytes */
        gms_io_finish(ctx, io, call);
    }
}

void gms_io_answered(gms_ctx_t *ctx, gms_io_agent_t *agent,
                     const gms_io_message_t *message)
{
    gms_io_call_t *call = (gms_io_call_t *)(uintptr_t)message->call;

    --call->part[message->host].under_way;
    if (gms_io_push(ctx, agent, call, message->host)) {
        return;
    }
    if (--call->open == 0) {
        gms_io_finish(ctx, agent->io, call);
    }
}
