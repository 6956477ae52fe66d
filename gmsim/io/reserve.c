/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles reservations for the flows between a host and the I/O hosts. The
 * agent of the host requests the flows to all I/O hosts in one call to its
 * manager. Then the agent asks each I/O host to request the flow in the
 * opposite direction from the manager there. After a denial, the agent releases
 * all flows.
 */
#include <string.h>

#include "io/io_int.h"

/* Number of bytes that the NIC charges for a message that is paced by bytes. */
#define GMS_IO_PACED_BYTES 48

_Static_assert(
    sizeof(gms_io_message_t) <= GMS_IO_PACED_BYTES &&
        GMS_NIC_PACED_LEAST <= GMS_IO_PACED_BYTES,
    "the reservation must cover the messages in the opposite direction");

/* ---- flows ---- */

/* Return the bandwidth of a flow that carries data at a rate of bytes_s. For
 * each stripe, the flow carries the packets of the data and one packet with a
 * message. */
static double gms_io_flow_bytes_s(const gms_io_t *io, double bytes_s)
{
    uint64_t packets =
        (io->layout.stripe_bytes + io->mtu_bytes - 1) / io->mtu_bytes + 1;

    return bytes_s * (double)(packets * io->mtu_bytes) /
           (double)io->layout.stripe_bytes;
}

double gms_io_data_bytes_s(const gms_io_t *io, double flow_bytes_s)
{
    return flow_bytes_s / gms_io_flow_bytes_s(io, 1) * io->layout.hosts;
}

/* Fill in the request for a flow from an agent. bytes_s is the rate of the data
 * on this flow; 0 releases the flow. In the opposite direction, there is one
 * message for each stripe. */
static void gms_io_fill_flow(const gms_io_t *io, unsigned target,
                             uint32_t label, double bytes_s,
                             gms_flow_request_t *flow)
{
    flow->key = (gms_flow_key_t){.source_port = GMS_IO_PORT,
                                 .target_node = (uint16_t)target,
                                 .target_port = GMS_IO_PORT,
                                 .priority = GMS_IO_PRIORITY,
                                 .label = label};
    flow->qos_class = bytes_s > 0 ? GMS_QOS_PREMIUM : GMS_QOS_UNMANAGED;
    if (bytes_s > 0) {
        flow->bytes_s = gms_io_flow_bytes_s(io, bytes_s);
        flow->reverse_bytes_s =
            bytes_s / (double)io->layout.stripe_bytes * GMS_IO_PACED_BYTES;
        flow->shape.message_bytes = (uint32_t)io->layout.stripe_bytes;
    }
}

static gms_qos_call_t *gms_io_qos_call(gms_ctx_t *ctx, unsigned node,
                                       unsigned rank, unsigned count)
{
    gms_qos_call_t *call = gms_qos_call_create(ctx->arena, node, rank, count);

    if (call == NULL) {
        gms_io_no_memory(ctx);
    }
    return call;
}

static void gms_io_ask(gms_ctx_t *ctx, gms_io_t *io, gms_qos_call_t *call)
{
    gms_manager_post(ctx, io->manager, &io->origin, gms_engine_now(ctx->engine),
                     call);
}

/* Request or release the flows to all I/O hosts. The caller sets the handler or
 * discards the call. @return NULL if the only I/O host is the host itself */
static gms_qos_call_t *gms_io_forward(gms_ctx_t *ctx, gms_io_t *io,
                                      const gms_io_reservation_t *reservation,
                                      double bytes_s)
{
    uint32_t host, count = 0;
    gms_qos_call_t *call;

    for (host = 0; host < io->layout.hosts; ++host) {
        count += io->nodes[host] != reservation->node;
    }
    if (count == 0) {
        return NULL;
    }
    call = gms_io_qos_call(ctx, reservation->node, reservation->rank, count);
    for (host = 0; host < io->layout.hosts; ++host) {
        if (io->nodes[host] != reservation->node) {
            gms_io_fill_flow(io, io->nodes[host], reservation->label,
                             bytes_s / io->layout.hosts,
                             &call->flow[--count].asked);
        }
    }
    return call;
}

/* Send a message to the agents of all other I/O hosts.
 * @return number of messages */
static uint32_t gms_io_tell(gms_ctx_t *ctx, gms_io_t *io,
                            gms_io_reservation_t *reservation,
                            enum gms_io_kind kind, double bytes_s)
{
    uint32_t host, count = 0;
    gms_io_message_t message = {
        .kind = kind, .label = reservation->label, .rank = reservation->rank};

    bytes_s /= io->layout.hosts;
    memcpy(&message.bytes, &bytes_s, sizeof(message.bytes));
    message.call = (uintptr_t)reservation;
    for (host = 0; host < io->layout.hosts; ++host) {
        if (io->nodes[host] != reservation->node) {
            message.host = host;
            gms_io_send(ctx, &io->agents[reservation->node], io->nodes[host],
                        &message, 0);
            ++count;
        }
    }
    return count;
}

/* ---- the agent of the requester ---- */

static void gms_io_reservation_done(gms_ctx_t *ctx, gms_io_t *io,
                                    gms_io_reservation_t *reservation)
{
    gms_qos_call_t *call;

    if (!reservation->granted) {
        call = gms_io_forward(ctx, io, reservation, 0);
        if (call != NULL) {
            call->abandoned = 1;
            gms_io_ask(ctx, io, call);
        }
        (void)gms_io_tell(ctx, io, reservation, GMS_IO_RELEASE, 0);
    }
    if (gms_io_is_given_up(ctx, reservation->handler, reservation->rank)) {
        gms_arena_free(ctx->arena, reservation);
        return;
    }
    reservation->done = 1;
    gms_io_notify(ctx, io, reservation->rank, reservation->handler,
                  reservation->object, reservation);
}

/* Store the first denial of a reservation. */
static void gms_io_judge(gms_io_reservation_t *reservation,
                         const gms_qos_call_t *call, int is_read)
{
    int granted =
        call->status == GMS_OK && call->verdict.criterion == GMS_QOS_OK;

    if (!granted && reservation->granted) {
        reservation->granted = 0;
        reservation->status = call->status;
        reservation->verdict = call->verdict;
        reservation->denied_read = is_read;
    }
}

/* Request the flows from the I/O hosts. The flows to the I/O hosts have already
 * been requested. */
static void gms_io_reserve_back(gms_ctx_t *ctx, gms_io_t *io,
                                gms_io_reservation_t *reservation)
{
    if (reservation->granted && reservation->read_bytes_s > 0) {
        reservation->open = gms_io_tell(ctx, io, reservation, GMS_IO_RESERVE,
                                        reservation->read_bytes_s);
    }
    if (reservation->open == 0) {
        gms_io_reservation_done(ctx, io, reservation);
    }
}

void gms_io_on_reserve(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_io_t *io = event->object;
    gms_io_reservation_t *reservation =
        (gms_io_reservation_t *)(uintptr_t)event->arg[0];
    gms_qos_call_t *call = NULL;

    gms_io_need_open(ctx, &io->agents[reservation->node]);
    reservation->granted = 1;
    if (reservation->write_bytes_s <= 0 && reservation->read_bytes_s <= 0) {
        /* a request for 0 bytes/s releases the reservation */
        reservation->granted = 0;
        gms_io_reservation_done(ctx, io, reservation);
        return;
    }
    if (reservation->write_bytes_s > 0) {
        call = gms_io_forward(ctx, io, reservation, reservation->write_bytes_s);
    }
    if (call == NULL) {
        gms_io_reserve_back(ctx, io, reservation);
        return;
    }
    call->handler = GMS_IO_ON_GRANT;
    call->object = reservation;
    gms_io_ask(ctx, io, call);
}

void gms_io_on_grant(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_io_reservation_t *reservation = event->object;
    gms_qos_call_t *call = (gms_qos_call_t *)(uintptr_t)event->arg[0];

    gms_io_judge(reservation, call, 0);
    gms_arena_free(ctx->arena, call);
    gms_io_reserve_back(ctx, reservation->io, reservation);
}

void gms_io_reserved(gms_ctx_t *ctx, gms_io_agent_t *agent,
                     const gms_io_message_t *message)
{
    gms_io_reservation_t *reservation =
        (gms_io_reservation_t *)(uintptr_t)message->call;
    gms_qos_call_t *call = (gms_qos_call_t *)(uintptr_t)message->bytes;

    gms_io_judge(reservation, call, 1);
    gms_arena_free(ctx->arena, call);
    if (--reservation->open == 0) {
        gms_io_reservation_done(ctx, agent->io, reservation);
    }
}

/* ---- the agent of an I/O host ---- */

void gms_io_reserve_flow(gms_ctx_t *ctx, gms_io_agent_t *agent, unsigned node,
                         const gms_io_message_t *message)
{
    gms_qos_call_t *call = gms_io_qos_call(ctx, agent->node, message->rank, 1);
    gms_io_job_t *job;
    double bytes_s = 0;

    if (message->kind == GMS_IO_RESERVE) {
        memcpy(&bytes_s, &message->bytes, sizeof(bytes_s));
    }
    gms_io_fill_flow(agent->io, node, message->label, bytes_s,
                     &call->flow[0].asked);
    if (message->kind == GMS_IO_RELEASE) {
        call->abandoned = 1;
    } else {
        job = gms_io_alloc(ctx, sizeof(*job));
        job->agent = agent;
        job->node = node;
        job->message = *message;
        call->handler = GMS_IO_ON_BACK;
        call->object = job;
    }
    gms_io_ask(ctx, agent->io, call);
}

/* The answer contains the address of the call, which the requester's agent
 * frees. */
void gms_io_on_back(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_io_job_t *job = event->object;
    gms_io_message_t answer = job->message;

    answer.kind = GMS_IO_RESERVED;
    answer.bytes = event->arg[0];
    gms_io_send(ctx, job->agent, job->node, &answer, 0);
    gms_arena_free(ctx->arena, job);
}
