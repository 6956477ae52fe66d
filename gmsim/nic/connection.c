/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements connections: records of sent packets, acknowledgements and NACKs
 * at both ends, go-back-N, probes, and the time-outs of flows. The lookup of
 * connections is in connection_find.c.
 */
#include "nic/connection.h"

#include <assert.h>

#include "nic/alloc.h"
#include "nic/sram.h"

/* After this many packets of a refused session, the receiver repeats the NACK,
 * because the first NACK may have been lost. [assumed: if a receiver processes
 * packets as fast as they arrive, fewer than this many packets are in flight to
 * it, so the receiver repeats only NACKs that were lost. Without this
 * repetition, every lost NACK would cost a resend time-out] */
#define GMS_NACK_REPEAT 8u
/* Window of a flow with a reservation, in packets. A flow of 80 MB/s sends this
 * many packets in 50 ms. [source: this project,
 * doc/design/0022-guarantees.md] */
#define GMS_WINDOW_RESERVED 1024u
/* Maximum number of doublings of the time-out. A larger shift could be
 * undefined behaviour in C. The time-out itself has a separate limit. */
#define GMS_BACKOFF_MAX 24u

static uint32_t gms_connection_window(const gms_connection_t *connection)
{
    uint32_t window = (uint32_t)connection->nic->params->nic_window_packets;

    return gms_nic_is_real_time(connection->nic, connection->traffic_class) &&
                   window < GMS_WINDOW_RESERVED
               ? GMS_WINDOW_RESERVED
               : window;
}

/* Return record i, where the oldest record is record 0. */
static gms_send_record_t *gms_connection_record(gms_connection_t *connection,
                                                uint32_t i)
{
    return &connection->records[(connection->head + i) % connection->ring];
}

/* Double the number of records. */
static void gms_connection_grow(gms_ctx_t *ctx, gms_connection_t *connection)
{
    uint32_t ring = 2 * connection->ring, i;
    gms_send_record_t *records =
        gms_nic_alloc(ctx, ring * sizeof(*connection->records));

    for (i = 0; i < connection->count; ++i) {
        records[i] = *gms_connection_record(connection, i);
    }
    gms_arena_free(ctx->arena, connection->records);
    gms_sram_charge(connection->nic,
                    GMS_SRAM_RECORD_BYTES * (ring - connection->ring));
    connection->records = records;
    connection->ring = ring;
    connection->head = 0;
}

int gms_connection_is_full(const gms_connection_t *connection)
{
    return connection->count == gms_connection_window(connection);
}

static void gms_connection_arm(gms_ctx_t *ctx, gms_connection_t *connection,
                               gms_time_t at_ps)
{
    connection->timer_armed = 1;
    gms_engine_schedule(ctx, &connection->nic->origin, at_ps, GMS_NIC_ON_RESEND,
                        connection, 0, 0);
}

/* Return the current time-out of a connection. The time-out doubles after each
 * probe without an answer. A constant time-out that is shorter than the
 * round-trip time would end every session before its packets arrive. The
 * time-out is at most a quarter of the send time-out. Otherwise, after several
 * unanswered probes, a send could fail before the next probe. */
static gms_time_t gms_connection_timeout_ps(const gms_connection_t *connection)
{
    const gms_params_t *params = connection->nic->params;
    gms_time_t first_ps = params->nic_resend_timeout_us * GMS_US;
    gms_time_t timeout_ps = first_ps << connection->backoff;
    gms_time_t most_ps = params->nic_send_timeout_us * GMS_US / 4;

    if (most_ps > GMS_PROBE_MAX_PS) {
        most_ps = GMS_PROBE_MAX_PS;
    }
    if (most_ps < first_ps) {
        most_ps = first_ps;
    }
    return timeout_ps < most_ps ? timeout_ps : most_ps;
}

/* Return the time at which a flow with tokens fails if it makes no more
 * progress. */
static gms_time_t gms_connection_deadline_ps(const gms_flow_t *flow)
{
    return flow->first->progress_ps +
           flow->nic->params->nic_send_timeout_us * GMS_US;
}

void gms_connection_watch(gms_ctx_t *ctx, gms_connection_t *connection,
                          const gms_flow_t *flow)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_time_t at_ps = now_ps + gms_connection_timeout_ps(connection);
    gms_time_t deadline_ps = gms_connection_deadline_ps(flow);

    if (connection->timer_armed) {
        return;
    }
    if (at_ps > deadline_ps) {
        at_ps = deadline_ps > now_ps ? deadline_ps : now_ps;
    }
    gms_connection_arm(ctx, connection, at_ps);
}

void gms_connection_push(gms_ctx_t *ctx, gms_connection_t *connection,
                         gms_token_t *token, gms_packet_t *packet)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_send_record_t *record;

    assert(!gms_connection_is_full(connection));
    if (connection->count == 0) {
        connection->progress_ps = now_ps;
    }
    if (!token->started) {
        token->started = 1;
        token->progress_ps = now_ps;
    }
    if (!connection->timer_armed) {
        gms_connection_watch(ctx, connection, token->flow);
    }
    packet->header.session = connection->session;
    packet->header.sequence =
        (uint16_t)(connection->first_sequence + connection->count);
    packet->asks_ack =
        token->sent_bytes + packet->header.length == token->length ||
        gms_nic_is_real_time(connection->nic, connection->traffic_class) ||
        packet->header.sequence % connection->nic->params->nic_ack_packets == 0;
    if (connection->count == connection->ring) {
        gms_connection_grow(ctx, connection);
    }
    record = gms_connection_record(connection, connection->count);
    record->token = token;
    record->before = token->sent_bytes;
    record->length = packet->header.length;
    ++connection->count;
}

static void gms_connection_take_back(gms_ctx_t *ctx,
                                     gms_connection_t *connection)
{
    const gms_send_record_t *record;
    gms_token_t *token;

    assert(connection->count > 0);
    --connection->count;
    record = gms_connection_record(connection, connection->count);
    token = record->token;
    if (token != NULL) {
        ++token->flow->packets_again;
        token->flow->bytes_again += record->length;
        token->sent_bytes = record->before;
        --token->packets_sent;
        token->all_sent = 0;
        /* Records of a flow are in the order of its tokens, so the token that
         * is taken back last is the first to be sent again. */
        token->flow->next_sendable = token;
        gms_flow_update(ctx, token->flow);
    }
}

void gms_connection_forget(gms_connection_t *connection, gms_token_t *token)
{
    uint32_t i;

    if (token->waits) {
        gms_token_t **link = &connection->gets;

        while (*link != token) {
            assert(*link != NULL);
            link = &(*link)->get_next;
        }
        *link = token->get_next;
        token->waits = 0;
    }

    for (i = 0; i < connection->count; ++i) {
        gms_send_record_t *record = gms_connection_record(connection, i);

        if (record->token == token) {
            record->token = NULL;
        }
    }
}

void gms_connection_block(gms_ctx_t *ctx, gms_connection_t *connection,
                          gms_flow_t *flow)
{
    if (connection->window_blocked == NULL) {
        connection->window_blocked = flow;
    } else {
        connection->last_blocked->window_next = flow;
    }
    connection->last_blocked = flow;
    flow->window_next = NULL;
    flow->window_since_ps = gms_engine_now(ctx->engine);
    ++flow->window_waits;
    flow->barred |= GMS_FLOW_NO_WINDOW;
    gms_flow_update(ctx, flow);
    gms_connection_watch(ctx, connection, flow);
}

/* Release and return the first flow that waits for room in the window. Return
 * NULL if no flow waits. */
static gms_flow_t *gms_connection_release(gms_ctx_t *ctx,
                                          gms_connection_t *connection)
{
    gms_flow_t *flow = connection->window_blocked;

    if (flow != NULL) {
        connection->window_blocked = flow->window_next;
        flow->window_next = NULL;
        flow->window_wait_ps +=
            gms_engine_now(ctx->engine) - flow->window_since_ps;
        flow->barred &= (uint8_t)~GMS_FLOW_NO_WINDOW;
        gms_flow_update(ctx, flow);
    }
    return flow;
}

void gms_connection_unblock(gms_ctx_t *ctx, gms_connection_t *connection)
{
    uint32_t room = gms_connection_window(connection) - connection->count;

    while (room > 0 && connection->window_blocked != NULL) {
        /* Count only flows that are currently valid, because a flow that is
         * stalled or in a back-off sends nothing and uses no room. */
        room -= gms_connection_release(ctx, connection)->valid;
    }
}

void gms_connection_pop(gms_ctx_t *ctx, gms_connection_t *connection)
{
    gms_connection_take_back(ctx, connection);
    gms_connection_unblock(ctx, connection);
}

/* Complete a token after the other side has received all of its packets. */
static void gms_connection_complete(gms_ctx_t *ctx,
                                    gms_connection_t *connection,
                                    gms_token_t *token)
{
    if (token->type != GMS_PACKET_GET) {
        gms_flow_finish(ctx, token, GMS_SENT_OK);
        return;
    }
    token->waits = 1;
    token->get_next = connection->gets;
    connection->gets = token;
}

/* Process an acknowledgement, which states that all packets before `sequence`
 * are in the other host's memory. */
static void gms_connection_acked(gms_ctx_t *ctx, gms_connection_t *connection,
                                 uint16_t sequence)
{
    uint32_t acked = (uint16_t)(sequence - connection->first_sequence);
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    /* A number that matches no record is either older than the last
     * acknowledgement, or belongs to packets that were taken back after the
     * receiver had accepted them. */
    if (acked == 0 || acked > connection->count) {
        return;
    }
    connection->progress_ps = now_ps;
    connection->backoff = 0;
    for (; acked > 0; --acked) {
        const gms_send_record_t *record = gms_connection_record(connection, 0);
        gms_token_t *token = record->token;

        if (token != NULL) {
            token->acked_bytes += record->length;
            ++token->packets_acked;
            token->progress_ps = now_ps;
        }
        ++connection->first_sequence;
        connection->head = (connection->head + 1) % connection->ring;
        --connection->count;
        if (token != NULL && token->all_sent &&
            token->packets_acked == token->packets_sent) {
            gms_connection_complete(ctx, connection, token);
        } else if (token != NULL && (token->flow->barred & GMS_FLOW_MOVES)) {
            gms_flow_update(ctx, token->flow);
        }
    }
    gms_connection_unblock(ctx, connection);
}

/* Send the packet again after a back-off, or let the send fail at its deadline.
 * The back-off grows with the time that the flow has waited. [assumed: a
 * receiver that had no buffer for a second will have none 200 us later] */
static void gms_connection_retry(gms_ctx_t *ctx, gms_token_t *token,
                                 uint8_t result)
{
    gms_flow_t *flow = token->flow;
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_time_t delay_ps = flow->nic->params->nic_nack_delay_us * GMS_US;
    gms_time_t waited_ps = now_ps - flow->first->progress_ps;

    if (now_ps >= gms_connection_deadline_ps(flow)) {
        gms_flow_fail(ctx, token, result);
        return;
    }
    token->excuse = result;
    if (delay_ps < waited_ps / 500) {
        delay_ps = waited_ps / 500;
    }
    gms_flow_hold(ctx, flow, delay_ps);
}

/* Handle a NACK of the given kind for the token whose packet was dropped. */
static void gms_connection_nacked(gms_ctx_t *ctx, gms_token_t *token,
                                  uint8_t kind)
{
    const gms_flow_t *flow = token->flow;

    /* Only one send fails per stall. After the stall, the packet is sent and
     * NACKed again. */
    if (flow->barred & GMS_FLOW_STALLED) {
        return;
    }
    switch ((enum gms_nack_kind)kind) {
    case GMS_NACK_SEQUENCE:
        break;
    case GMS_NACK_NO_BUFFER:
        gms_connection_retry(ctx, token, GMS_SENT_TIMED_OUT);
        break;
    case GMS_NACK_CLOSED:
        if (flow->nic->ports[flow->key.source_port]->patient) {
            gms_connection_retry(ctx, token, GMS_SENT_PORT_CLOSED);
        } else {
            gms_flow_fail(ctx, token, GMS_SENT_PORT_CLOSED);
        }
        break;
    case GMS_NACK_REJECTED:
        gms_flow_fail(ctx, token, GMS_SENT_REJECTED);
        break;
    }
}

/* Take back the packet with a given sequence number and all later packets, and
 * begin a new session at this number. */
static void gms_connection_go_back(gms_ctx_t *ctx, gms_connection_t *connection,
                                   uint16_t sequence, uint8_t kind)
{
    uint32_t keep = (uint16_t)(sequence - connection->first_sequence);
    gms_token_t *token = NULL;

    if (keep > connection->count) {
        /* The CRC did not detect a damaged header. A later probe will repair
         * the connection. */
        return;
    }
    if (keep < connection->count) {
        token = gms_connection_record(connection, keep)->token;
    }
    while (connection->count > keep) {
        gms_connection_take_back(ctx, connection);
        ++connection->nic->counters.resent_packets;
    }
    ++connection->session;
    connection->progress_ps = gms_engine_now(ctx->engine);
    if (token != NULL) {
        gms_connection_nacked(ctx, token, kind);
    }
    gms_connection_unblock(ctx, connection);
}

/* A probe asks the receiver to refuse the session. Answer with a NACK that
 * contains the expected number, as if the next packet had been missing. */
static void gms_connection_probed(gms_connection_t *connection,
                                  uint16_t session)
{
    int16_t newer = (int16_t)(uint16_t)(session - connection->receive_session);

    if (newer < 0) {
        return;
    }
    if (newer > 0) {
        connection->receive_session = session;
        /* the NACK belongs to the previous session */
        connection->nack_pending = 0;
    }
    gms_connection_refuse(connection, GMS_NACK_SEQUENCE);
}

void gms_connection_control(gms_ctx_t *ctx, gms_connection_t *connection,
                            const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_nic_counters_t *counters = &connection->nic->counters;

    connection->heard_ps = gms_engine_now(ctx->engine);
    gms_connection_acked(ctx, connection, header->ack);
    if (header->type == GMS_PACKET_ACK) {
        ++counters->acks_received;
    } else if (header->type == GMS_PACKET_NACK) {
        ++counters->nacks_received;
        /* A NACK for another session refers to packets that are already taken
         * back. */
        if (header->session == connection->session) {
            gms_connection_go_back(ctx, connection, header->sequence,
                                   header->nack);
        }
    } else {
        gms_connection_probed(connection, header->session);
    }
}

/* Fail the flow's sends whose deadline has passed. If the flow still waits,
 * return 1, and lower *next_p to the flow's deadline if that is earlier. A
 * stalled flow is treated as not waiting, because it waits only for its
 * program. */
static int gms_connection_expire(gms_ctx_t *ctx, gms_connection_t *connection,
                                 gms_flow_t *flow, gms_time_t *next_p)
{
    gms_time_t deadline_ps;

    while (flow->first != NULL && !(flow->barred & GMS_FLOW_STALLED)) {
        gms_token_t *token = flow->first;
        uint8_t result = GMS_SENT_TIMED_OUT;

        deadline_ps = gms_connection_deadline_ps(flow);
        if (gms_engine_now(ctx->engine) < deadline_ps) {
            if (*next_p > deadline_ps) {
                *next_p = deadline_ps;
            }
            return 1;
        }
        if (token->excuse != 0) {
            result = token->excuse;
        } else if (connection->heard_ps <= token->progress_ps) {
            result = GMS_SENT_UNREACHABLE;
        }
        gms_flow_fail(ctx, token, result);
    }
    return 0;
}

/* Fail all sends whose deadline has passed. Return 1 if a flow still waits for
 * an acknowledgement or for the window. */
static int gms_connection_expire_sends(gms_ctx_t *ctx,
                                       gms_connection_t *connection,
                                       gms_time_t *next_p)
{
    gms_flow_t *flow;
    uint32_t i;
    int waits = 0;

    for (i = 0; i < connection->count; ++i) {
        const gms_token_t *token = gms_connection_record(connection, i)->token;

        if (token != NULL) {
            waits |=
                gms_connection_expire(ctx, connection, token->flow, next_p);
        }
    }
    for (flow = connection->window_blocked; flow != NULL;
         flow = flow->window_next) {
        waits |= gms_connection_expire(ctx, connection, flow, next_p);
    }
    return waits;
}

/* Fail all gets whose deadline has passed. Return 1 if a get still waits for
 * its data. */
static int gms_connection_expire_gets(gms_ctx_t *ctx,
                                      gms_connection_t *connection,
                                      gms_time_t *next_p)
{
    gms_token_t *token = connection->gets;
    int waits = 0;

    while (token != NULL) {
        int stalled = token->flow->barred & GMS_FLOW_STALLED;

        if (gms_connection_expire(ctx, connection, token->flow, next_p)) {
            waits = 1;
        } else if (!stalled) {
            /* a get has ended and may have been the next element of the list,
             * so restart the search */
            token = connection->gets;
            continue;
        }
        token = token->get_next;
    }
    return waits;
}

/* Send a probe for the expected number if the time-out for acknowledgements has
 * expired. */
static void gms_connection_probe_if_due(gms_connection_t *connection,
                                        gms_time_t now_ps)
{
    if (now_ps <
        connection->progress_ps + gms_connection_timeout_ps(connection)) {
        return;
    }
    connection->probe_pending = 1;
    gms_send_control(connection);
    connection->progress_ps = now_ps;
    if (connection->backoff < GMS_BACKOFF_MAX) {
        ++connection->backoff;
    }
}

void gms_connection_on_resend(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_connection_t *connection = event->object;
    gms_time_t next_ps = GMS_NEVER;
    gms_time_t probe_ps;
    int sends = gms_connection_expire_sends(ctx, connection, &next_ps);
    int gets = gms_connection_expire_gets(ctx, connection, &next_ps);

    /* Send a probe even if all sends have just failed. The sender still does
     * not know which of their packets were accepted. Without the probe, the
     * next send would have to wait for its own time-out to find out. */
    if (connection->count > 0) {
        gms_connection_probe_if_due(connection, event->time_ps);
    }
    /* No flow waits, so stop the timer: an idle job must have no pending
     * events. The next packet starts the timer again. Also release all flows
     * that wait for the window, because all of their sends have failed. The
     * next send of such a flow must request room in the window again. */
    if (!sends && !gets) {
        connection->timer_armed = 0;
        while (gms_connection_release(ctx, connection) != NULL) {
        }
        gms_nic_kick(ctx, connection->nic);
        return;
    }
    probe_ps = connection->progress_ps + gms_connection_timeout_ps(connection);
    /* If all packets are acknowledged, no probe is due. A flow that still waits
     * for the window then waits only until another flow has used the window. */
    if (sends && connection->count > 0 && next_ps > probe_ps) {
        next_ps = probe_ps;
    }
    /* If only gets wait, the timer also expires after one time-out, and not at
     * the deadline of the gets. An event at the deadline would extend the run
     * even if the gets end earlier. */
    probe_ps = event->time_ps + gms_connection_timeout_ps(connection);
    if (next_ps > probe_ps) {
        next_ps = probe_ps;
    }
    gms_connection_arm(ctx, connection, next_ps);
    gms_nic_kick(ctx, connection->nic);
}

int gms_connection_expects(gms_connection_t *connection,
                           const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    int16_t newer =
        (int16_t)(uint16_t)(header->session - connection->receive_session);
    int16_t ahead =
        (int16_t)(uint16_t)(header->sequence - connection->expected);

    if (newer > 0) {
        connection->receive_session = header->session;
        connection->refusing = 0;
        /* A NACK that is still pending belongs to the previous session. The new
         * session is not refused. */
        connection->nack_pending = 0;
    }
    if (newer >= 0 && !connection->refusing && ahead == 0) {
        return 1;
    }
    ++connection->nic->counters.out_of_sequence;
    if (ahead < 0) {
        ++connection->nic->counters.out_of_sequence_late;
    } else if (ahead > 0) {
        ++connection->nic->counters.out_of_sequence_early;
    }
    if (newer < 0) {
        return 0;
    }
    if (connection->refusing) {
        /* A sender that sends GMS_NACK_REPEAT packets in a refused session has
         * not received the NACK. */
        if (++connection->unheeded == GMS_NACK_REPEAT) {
            gms_connection_refuse(connection, connection->nack_kind);
        }
        return 0;
    }
    if (ahead < 0) {
        /* The packet is a duplicate, which the sender sent because the
         * acknowledgement was lost. */
        connection->ack_pending = 1;
        gms_send_control(connection);
    } else {
        gms_connection_refuse(connection, GMS_NACK_SEQUENCE);
    }
    return 0;
}

void gms_connection_accept(gms_connection_t *connection)
{
    ++connection->expected;
}

void gms_connection_unaccept(gms_connection_t *connection)
{
    --connection->expected;
}

void gms_connection_refuse(gms_connection_t *connection, uint8_t nack_kind)
{
    connection->refusing = 1;
    connection->unheeded = 0;
    if (!connection->nack_pending) {
        connection->nack_kind = nack_kind;
    }
    connection->nack_pending = 1;
    gms_send_control(connection);
}

void gms_connection_wrote(gms_connection_t *connection, int is_asked)
{
    ++connection->written;
    if (!is_asked) {
        return;
    }
    connection->ack_pending = 1;
    gms_send_control(connection);
}

void gms_connection_reset(gms_connection_t *connection)
{
    assert(connection->expected == connection->written);
    gms_connection_refuse(connection, GMS_NACK_SEQUENCE);
    /* A NACK that is already pending was for another packet. */
    connection->nack_kind = GMS_NACK_SEQUENCE;
    if (connection->count > 0) {
        connection->probe_pending = 1;
    }
}

/* Fill in the most urgent of the pending control packets. Every control packet
 * also contains an acknowledgement. */
static void gms_connection_fill(gms_connection_t *connection,
                                gms_packet_header_t *header)
{
    gms_nic_counters_t *counters = &connection->nic->counters;

    header->ack = connection->written;
    if (connection->nack_pending) {
        header->type = GMS_PACKET_NACK;
        header->nack = connection->nack_kind;
        header->session = connection->receive_session;
        header->sequence = connection->expected;
        connection->nack_pending = 0;
        ++counters->nacks_sent;
    } else if (connection->probe_pending && !connection->ack_pending) {
        header->type = GMS_PACKET_PROBE;
        header->session = connection->session;
        connection->probe_pending = 0;
        ++counters->probes_sent;
    } else {
        header->type = GMS_PACKET_ACK;
        ++counters->acks_sent;
    }
    connection->ack_pending = 0;
}

gms_packet_t *gms_connection_next_control(gms_ctx_t *ctx, gms_nic_t *nic,
                                          gms_nic_class_t *traffic_class)
{
    gms_connection_t *connection =
        gms_control_queue_take(&traffic_class->control);
    gms_packet_t *packet;

    if (connection == NULL) {
        return NULL;
    }
    connection->control_queued = 0;
    --nic->unsent_count;

    packet = gms_packet_create(ctx, 0);
    packet->header.source = nic->node;
    packet->header.target = connection->node;
    packet->header.priority = (uint8_t)connection->traffic_class;
    packet->header.size = connection->key.priority;
    packet->header.source_port = connection->key.source_port;
    packet->header.target_port = connection->key.target_port;
    packet->header.label = connection->key.label;
    packet->worm.source = nic->node;
    packet->worm.target = connection->node;
    packet->worm.traffic_class = (uint8_t)(traffic_class - nic->traffic_class);
    packet->worm.wire_bytes = (uint32_t)nic->params->nic_ack_bytes;
    packet->mark_ps = gms_engine_now(ctx->engine);
    gms_connection_fill(connection, &packet->header);
    if (nic->params->nic_check_crc) {
        gms_packet_seal(packet);
    }
    if (connection->nack_pending || connection->ack_pending ||
        connection->probe_pending) {
        gms_send_control(connection);
    }
    return packet;
}
