/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/connection.h"

#include <assert.h>

#include "nic/alloc.h"
#include "nic/nic_int.h"

#define GMS_BACKOFF_MAX 10u

gms_connection_t *gms_connection_get(gms_ctx_t *ctx, gms_nic_t *nic,
                                     uint32_t node)
{
    gms_connection_t *connection = nic->connections[node];

    if (connection == NULL) {
        connection = gms_nic_alloc(ctx, sizeof(*connection));
        connection->records = gms_nic_alloc(
            ctx, nic->params.nic_window_packets * sizeof(*connection->records));
        connection->nic = nic;
        connection->node = node;
        nic->connections[node] = connection;
    }
    return connection;
}

static uint32_t gms_connection_window(const gms_connection_t *connection)
{
    return (uint32_t)connection->nic->params.nic_window_packets;
}

/* Record i, from the oldest. */
static gms_send_record_t *gms_connection_record(gms_connection_t *connection,
                                                uint32_t i)
{
    return &connection->records[(connection->head + i) %
                                gms_connection_window(connection)];
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

/* Twice as long after each probe in vain: a timer shorter than the way there and
 * back would otherwise end every session before its packets arrive.
 * [assumed: 2^10 is more than any load makes of an unloaded round trip] */
static gms_time_t gms_connection_timeout_ps(const gms_connection_t *connection)
{
    return (connection->nic->params.nic_resend_timeout_us * GMS_US)
           << connection->backoff;
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
    if (!connection->timer_armed) {
        gms_connection_arm(ctx, connection,
                           now_ps + gms_connection_timeout_ps(connection));
    }
    packet->header.session = connection->session;
    packet->header.sequence =
        (uint16_t)(connection->first_sequence + connection->count);
    record = gms_connection_record(connection, connection->count);
    record->token = token;
    record->before = token->sent_bytes;
    record->length = packet->header.length;
    ++connection->count;
}

void gms_connection_pop(gms_ctx_t *ctx, gms_connection_t *connection)
{
    const gms_send_record_t *record;
    gms_token_t *token;

    assert(connection->count > 0);
    --connection->count;
    record = gms_connection_record(connection, connection->count);
    token = record->token;
    if (token != NULL) {
        token->sent_bytes = record->before;
        --token->packets_sent;
        token->all_sent = 0;
        /* Records of a flow are in the order of its tokens, so the last one
         * popped is the first to be sent again. */
        token->flow->next_sendable = token;
        gms_flow_update(ctx, token->flow);
    }
}

void gms_connection_forget(gms_connection_t *connection,
                           const gms_token_t *token)
{
    uint32_t i;

    for (i = 0; i < connection->count; ++i) {
        gms_send_record_t *record = gms_connection_record(connection, i);

        if (record->token == token) {
            record->token = NULL;
        }
    }
}

static void gms_connection_open_window(gms_ctx_t *ctx,
                                       gms_connection_t *connection)
{
    while (connection->window_blocked != NULL) {
        gms_flow_t *flow = connection->window_blocked;

        connection->window_blocked = flow->window_next;
        flow->window_next = NULL;
        flow->window_blocked = 0;
        gms_flow_update(ctx, flow);
    }
}

/* Everything before `sequence` is in the other host's memory. */
static void gms_connection_acked(gms_ctx_t *ctx, gms_connection_t *connection,
                                 uint16_t sequence)
{
    uint32_t acked = (uint16_t)(sequence - connection->first_sequence);
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    /* More than there is: of before the last acknowledgement, or of packets
     * that were taken back after they had been accepted. */
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
        connection->head =
            (connection->head + 1) % gms_connection_window(connection);
        --connection->count;
        if (token != NULL && token->all_sent &&
            token->packets_acked == token->packets_sent) {
            gms_flow_finish(ctx, token, GMS_SENT_OK);
        }
    }
    gms_connection_open_window(ctx, connection);
}

static int gms_connection_is_stuck(const gms_ctx_t *ctx,
                                   const gms_connection_t *connection,
                                   const gms_flow_t *flow)
{
    return flow->first != NULL &&
           gms_engine_now(ctx->engine) - flow->first->progress_ps >
               connection->nic->params.nic_send_timeout_us * GMS_US;
}

/* The token whose packet was dropped, and why. */
static void gms_connection_nacked(gms_ctx_t *ctx, gms_connection_t *connection,
                                  gms_token_t *token, uint8_t kind)
{
    switch ((enum gms_nack_kind)kind) {
    case GMS_NACK_SEQUENCE:
        break;
    case GMS_NACK_NO_BUFFER:
        if (gms_connection_is_stuck(ctx, connection, token->flow)) {
            gms_flow_fail_from(ctx, token, GMS_SENT_TIMED_OUT);
        } else {
            gms_flow_hold(ctx, token->flow,
                          connection->nic->params.nic_nack_delay_us * GMS_US);
        }
        break;
    case GMS_NACK_CLOSED:
        gms_flow_fail_from(ctx, token, GMS_SENT_PORT_CLOSED);
        break;
    case GMS_NACK_REJECTED:
        gms_flow_finish(ctx, token, GMS_SENT_REJECTED);
        break;
    }
}

/* Take everything from a number on back and begin a new session with it. */
static void gms_connection_go_back(gms_ctx_t *ctx, gms_connection_t *connection,
                                   uint16_t sequence, uint8_t kind)
{
    uint32_t keep = (uint16_t)(sequence - connection->first_sequence);
    gms_token_t *token = NULL;

    assert(keep <= connection->count);
    if (keep < connection->count) {
        token = gms_connection_record(connection, keep)->token;
    }
    while (connection->count > keep) {
        gms_connection_pop(ctx, connection);
        ++connection->nic->counters.resent_packets;
    }
    ++connection->session;
    connection->progress_ps = gms_engine_now(ctx->engine);
    if (token != NULL) {
        gms_connection_nacked(ctx, connection, token, kind);
    }
    gms_connection_open_window(ctx, connection);
}

/* The receiver refuses a session at the sender's wish: it names what it expects
 * by a NACK, as if the next packet had been missing. */
static void gms_connection_probed(gms_connection_t *connection,
                                  uint16_t session)
{
    int16_t newer = (int16_t)(uint16_t)(session - connection->receive_session);

    if (newer < 0) {
        return;
    }
    connection->receive_session = session;
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
        /* Another session: what it complains of was taken back already. */
        if (header->session == connection->session) {
            gms_connection_go_back(ctx, connection, header->sequence,
                                   header->nack);
        }
    } else {
        gms_connection_probed(connection, header->session);
    }
}

/* The oldest token that still waits for an acknowledgement, or NULL. */
static gms_token_t *gms_connection_oldest(gms_connection_t *connection)
{
    uint32_t i;

    for (i = 0; i < connection->count; ++i) {
        gms_token_t *token = gms_connection_record(connection, i)->token;

        if (token != NULL) {
            return token;
        }
    }
    return NULL;
}

void gms_connection_on_resend(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_connection_t *connection = event->object;
    gms_time_t timeout_ps = gms_connection_timeout_ps(connection);
    gms_token_t *token = gms_connection_oldest(connection);

    /* Nobody waits: no timer, so that a job in which nothing happens any more
     * has no events left. The next packet arms it again. */
    if (token == NULL) {
        connection->timer_armed = 0;
        return;
    }
    if (event->time_ps < connection->progress_ps + timeout_ps) {
        gms_connection_arm(ctx, connection,
                           connection->progress_ps + timeout_ps);
        return;
    }
    if (gms_connection_is_stuck(ctx, connection, token->flow)) {
        token = token->flow->first;
        gms_flow_fail_from(ctx, token,
                           connection->heard_ps < token->progress_ps
                               ? GMS_SENT_UNREACHABLE
                               : GMS_SENT_TIMED_OUT);
    }
    connection->probe_pending = 1;
    gms_send_control(connection);
    if (connection->backoff < GMS_BACKOFF_MAX) {
        ++connection->backoff;
    }
    gms_connection_arm(ctx, connection,
                       event->time_ps + gms_connection_timeout_ps(connection));
    gms_lanai_kick(ctx, connection->nic);
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
    }
    if (newer >= 0 && !connection->refusing && ahead == 0) {
        return 1;
    }
    ++connection->nic->counters.out_of_sequence;
    if (newer < 0 || connection->refusing) {
        return 0;
    }
    if (ahead < 0) {
        /* A duplicate: its acknowledgement was lost. */
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

void gms_connection_refuse(gms_connection_t *connection, uint8_t nack_kind)
{
    connection->refusing = 1;
    if (!connection->nack_pending) {
        connection->nack_kind = nack_kind;
    }
    connection->nack_pending = 1;
    gms_send_control(connection);
}

void gms_connection_wrote(gms_connection_t *connection)
{
    ++connection->written;
    connection->ack_pending = 1;
    gms_send_control(connection);
}

/* Fill in what there is to say, most urgent first; every control packet
 * acknowledges too. */
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
    } else if (connection->ack_pending) {
        header->type = GMS_PACKET_ACK;
        ++counters->acks_sent;
    } else {
        header->type = GMS_PACKET_PROBE;
        header->session = connection->session;
        connection->probe_pending = 0;
        ++counters->probes_sent;
    }
    connection->ack_pending = 0;
}

gms_packet_t *gms_connection_next_control(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_connection_t *connection = nic->first_control;
    gms_packet_t *packet;

    if (connection == NULL) {
        return NULL;
    }
    nic->first_control = connection->control_next;
    connection->control_queued = 0;

    packet = gms_packet_create(ctx, 0);
    packet->header.source = nic->node;
    packet->header.target = connection->node;
    packet->worm.source = nic->node;
    packet->worm.target = connection->node;
    packet->worm.wire_bytes = (uint32_t)nic->params.nic_ack_bytes;
    packet->mark_ps = gms_engine_now(ctx->engine);
    gms_connection_fill(connection, &packet->header);
    if (nic->params.nic_check_crc) {
        gms_packet_seal(packet);
    }
    if (connection->nack_pending || connection->ack_pending ||
        connection->probe_pending) {
        gms_send_control(connection);
    }
    return packet;
}
