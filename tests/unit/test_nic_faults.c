/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the NIC under faults: lost and damaged packets, missing buffers, closed
 * ports, and time-outs.
 */
#include "unit.h"

#include <string.h>

#include "base/random.h"
#include "nic_rig.h"

static const gms_flow_key_t stream = {PORT, 1, PORT, 0, 0};

/* The receiver provides its buffers late and one at a time. Every message must
 * arrive exactly once and in order. */
static void test_no_buffer(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    unsigned i;

    for (i = 1; i <= 5; ++i) {
        rig_send(0, 1, from, 9000 + i, MESSAGE_SIZE);
    }
    for (i = 1; i <= 5; ++i) {
        gms_engine_run_until(&ctx, i * 2 * GMS_MS);
        rig_take_events();
        CHECK_U64(received[1], i - 1);
        rig_provide(1, to, MESSAGE_SIZE);
        gms_engine_run_until(&ctx, (i * 2 + 1) * GMS_MS);
        rig_take_events();
        CHECK_U64(received[1], i);
        CHECK_U64(last[1].length, 9000 + i);
    }
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 5);
    CU_ASSERT(gms_nic_counters(nics[1])->no_buffer_drops > 5);
    /* For each packet that the NIC drops because there is no buffer, it sends
     * one NACK. It drops the following packets of the session without a
     * NACK. */
    CHECK_U64(gms_nic_counters(nics[1])->nacks_sent,
              gms_nic_counters(nics[1])->no_buffer_drops);
    CHECK_U64(gms_nic_counters(nics[0])->nacks_received,
              gms_nic_counters(nics[1])->nacks_sent);
}

/* If a flow has no buffer, the other flows of the connection continue. */
static void test_no_buffer_is_per_flow(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    gms_send_desc_t other = rig_describe(0, 1, from, 100, 10);
    unsigned i;

    rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    other.flow.label = 1;
    for (i = 0; i < 10; ++i) {
        rig_provide(1, to, 10);
        rig_post(0, &other);
    }
    gms_engine_run_until(&ctx, 5 * GMS_MS);
    rig_take_events();
    CHECK_U64(received[1], 10);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[1], 11);
    CHECK_U64(sent[0], 11);
}

static void test_times_out(void)
{
    unsigned char *from;

    params.nic_send_timeout_us = 20000;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_TIMED_OUT], 1);
    CU_ASSERT(last_event_ps > 20 * GMS_MS && last_event_ps < 22 * GMS_MS);
    /* The program may leave the stream stalled for any length of time. The time
     * limit of the other message begins when the stream resumes. */
    rig_command_at(0, 100 * GMS_MS, GMS_SEND_RESUME, &stream);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_TIMED_OUT], 2);
    CU_ASSERT(last_event_ps > 120 * GMS_MS && last_event_ps < 122 * GMS_MS);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

/* A flow without a buffer receives a NACK every 5 ms, and fails at the first
 * NACK after its time limit. Another flow of the connection is always waiting
 * for acknowledgements. The connection's timer, which expires every 10 ms,
 * therefore usually finds no packet of the first flow. */
static void test_times_out_at_nack(void)
{
    unsigned char *from, *to;
    unsigned i;

    params.nic_send_timeout_us = 20000;
    params.nic_nack_delay_us = 5000;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    rig_send(0, 1, from, 100, 12);
    for (i = 0; i < 60; ++i) {
        gms_send_desc_t other = rig_describe(0, 1, from, MESSAGE, MESSAGE_SIZE);

        other.flow.label = 1;
        rig_provide(1, to, MESSAGE_SIZE);
        rig_post(0, &other);
    }
    while (result_count[GMS_SENT_TIMED_OUT] == 0 && gms_engine_step(&ctx)) {
        rig_take_events();
    }
    CU_ASSERT(rig_now() > 20 * GMS_MS && rig_now() < 25 * GMS_MS);
    rig_run();
    CHECK_U64(received[1], 60);
    CHECK_U64(result_count[GMS_SENT_OK], 60);
}

static void test_closed_port(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to;
    unsigned i;

    after_failure = GMS_SEND_RESUME;
    gms_nic_close_port(&ctx, nics[1], PORT);
    for (i = 0; i < 3; ++i) {
        rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    }
    rig_run();
    CHECK_U64(result_count[GMS_SENT_PORT_CLOSED], 3);
    CU_ASSERT(last_event_ps < 2 * GMS_MS); /* the error must be reported
                                            * immediately */

    CU_ASSERT_EQUAL(gms_nic_open_port(&ctx, nics[1], PORT, 1), GMS_OK);
    to = rig_memory(1, MESSAGE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 1);
    CHECK_U64(received[1], 1);
}

/* Either end closes its port at any time during a transfer. The other end must
 * always receive a result, no state may remain, and the port's next owner must
 * not be affected. */
static void test_close_any_time(void)
{
    unsigned step, closed, i;

    for (step = 1; step < 700; step += 7) {
        for (closed = 0; closed < 2; ++closed) {
            unsigned char *from, *to;

            rig_restart();
            after_failure = GMS_SEND_DROP;
            from = rig_memory(0, MESSAGE);
            to = rig_memory(1, MESSAGE);
            for (i = 0; i < 4; ++i) {
                rig_provide(1, to, MESSAGE_SIZE);
                rig_send(0, 1, from, 30000, MESSAGE_SIZE);
            }
            gms_engine_run_until(&ctx, step * 4 * GMS_US);
            rig_take_events();
            gms_nic_close_port(&ctx, nics[closed], PORT);
            if (closed == 0 && nics[0]->host_dma.packet != NULL) {
                CU_ASSERT_PTR_NULL(nics[0]->host_dma.packet->token);
            }
            gms_nic_open_port(&ctx, nics[closed], PORT, closed);
            rig_run();
            if (closed == 1) {
                CHECK_U64(sent[0], 4);
            }
            gms_nic_register_memory(&ctx, nics[0], PORT, (uintptr_t)from,
                                    MESSAGE);
            gms_nic_register_memory(&ctx, nics[1], PORT, (uintptr_t)to,
                                    MESSAGE);
            received[1] = 0;
            result_count[GMS_SENT_OK] = 0;
            rig_provide(1, to, MESSAGE_SIZE);
            rig_send(0, 1, from, 777, MESSAGE_SIZE);
            rig_run();
            CHECK_U64(result_count[GMS_SENT_OK], 1);
            CU_ASSERT(received[1] >= 1);
            CHECK_U64(last[1].length, 777);
            CHECK_U64(
                nics[0]->traffic_class[GMS_LANE_BEST_EFFORT].send_buffers_used,
                0);
            CHECK_U64(
                nics[1]->traffic_class[GMS_LANE_BEST_EFFORT].recv_buffers_used,
                0);
            CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
        }
    }
}

/* If a sender gives up in the middle of a message, the receiver has a partly
 * filled buffer. The next message of the stream uses this buffer. */
static void test_abandoned_message(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);

    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, MESSAGE, MESSAGE_SIZE);
    gms_engine_run_until(&ctx, 300 * GMS_US);
    CU_ASSERT(gms_nic_counters(nics[1])->data_packets_received > 0);
    gms_nic_close_port(&ctx, nics[0], PORT);
    gms_nic_open_port(&ctx, nics[0], PORT, 0);
    rig_run();
    from = rig_memory(0, MESSAGE);
    rig_fill(from, MESSAGE, 8);
    rig_send(0, 1, from, 20000, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[1], 1);
    CHECK_U64(last[1].length, 20000);
    CU_ASSERT_EQUAL(memcmp(from, to, 20000), 0);
    CHECK_U64(gms_nic_counters(nics[1])->no_buffer_drops, 0);
}

static void test_bad_sends(void)
{
    unsigned char *from = rig_memory(0, MESSAGE);
    unsigned char *foreign = gms_arena_alloc(ctx.arena, MESSAGE);
    gms_send_desc_t desc;

    after_failure = GMS_SEND_RESUME;
    gms_nic_set_acceptable(nics[1], PORT, 0, ~(UINT32_C(1) << 9));
    rig_send(0, 1, from, 100, 9);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 1);
    CHECK_U64(gms_nic_counters(nics[1])->rejected_drops, 1);
    rig_send(0, 1, from, 249, 8); /* the message is longer than a buffer of this
                                   * size */
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 2);
    rig_send(0, 1, foreign, MESSAGE, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_BAD_MEMORY], 1);
    after_failure = 0; /* the stream does not exist */
    desc = rig_describe(0, NODES, from, 8, 4);
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_UNREACHABLE], 1);
    CHECK_U64(sent[0], 4);
}

static gms_handler_fn *arrived_handler;
static gms_random_t faults;
static unsigned fault_percent;

/* A fault on the link changes a bit of the header or the payload. */
static void faulty_arrival(gms_ctx_t *c, const gms_event_t *event)
{
    gms_packet_t *packet = (gms_packet_t *)(uintptr_t)event->arg[0];

    if (gms_random_below(&faults, 100) < fault_percent) {
        if (packet->header.length > 0 && gms_random_below(&faults, 2) == 0) {
            packet->payload[gms_random_below(&faults, packet->header.length)] ^=
                0x10;
        } else {
            packet->header.sequence ^= 0x0100;
        }
    }
    arrived_handler(c, event);
}

/* Let faulty_arrival() handle all arriving packets. */
static void damage_arrivals(void)
{
    uint32_t handler = gms_nic_kinds[nics[0]->kind]->on_arrived;

    arrived_handler = ctx.handlers[handler];
    ctx.handlers[handler] = faulty_arrival;
}

/* Sends messages of three flows that share the sequence numbers of a
 * connection. Some messages find no buffer at first, and messages from another
 * node compete with them. All messages must arrive once, in the order of their
 * flow. */
static void faulty_transfer(unsigned percent)
{
    enum {
        COUNT = 24,
        FLOWS = 3,
        STEP = 9000
    };
    unsigned char *from, *to, *other, *others;
    unsigned i, number, done = 0, next[FLOWS] = {0, 1, 2};

    rig_restart();
    fault_percent = percent;
    gms_random_init(&faults, percent, 0);
    damage_arrivals();
    from = rig_memory(0, COUNT * STEP);
    to = rig_memory(1, COUNT * MESSAGE);
    other = rig_memory(2, MESSAGE);
    others = rig_memory(1, MESSAGE);
    rig_fill(from, COUNT * STEP, percent);
    for (i = 0; i < COUNT; ++i) {
        gms_send_desc_t desc =
            rig_describe(0, 1, from + i * STEP, 8000 + i, MESSAGE_SIZE);

        desc.flow.label = i % FLOWS;
        rig_post(0, &desc);
        rig_send(2, 1, other, 3000, 12);
        rig_provide(1, others, 12);
    }
    for (i = 0; i < COUNT; ++i) {
        gms_engine_run_until(&ctx, rig_now() + 100 * GMS_US);
        rig_provide(1, to + i * MESSAGE, MESSAGE_SIZE);
    }
    while (done < 2 * COUNT) {
        gms_host_event_t *event = gms_nic_take_event(nics[1], PORT);

        if (event == NULL) {
            if (!gms_engine_step(&ctx)) {
                break;
            }
            continue;
        }
        ++done;
        if (event->sender_node == 0) {
            number = event->length - 8000;
            CHECK_U64(number, next[number % FLOWS]);
            next[number % FLOWS] += FLOWS;
            CU_ASSERT_EQUAL(memcmp((const void *)(uintptr_t)event->address,
                                   from + number * STEP, event->length),
                            0);
        }
        gms_arena_free(ctx.arena, event);
    }
    rig_run();
    rig_take_events();
    CHECK_U64(done, 2 * COUNT);
    CHECK_U64(received[1], 0); /* no message may have arrived twice */
    CHECK_U64(result_count[GMS_SENT_OK], 2 * COUNT);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

/* Data, acknowledgements, NACKs and probes are lost with the same
 * probability. */
static void test_faults(void)
{
    unsigned percent;

    params.nic_check_crc = 1;
    for (percent = 3; percent <= 33; percent += 10) {
        faulty_transfer(percent);
        CU_ASSERT(gms_nic_counters(nics[1])->bad_crc_drops > 0);
    }
}

/* The timer's interval is much too short. As a result, probes overtake data,
 * and NACKs cross each other. */
static void test_hasty_timer(void)
{
    unsigned percent, timeout_us;
    uint64_t probes = 0;

    params.nic_check_crc = 1;
    for (timeout_us = 20; timeout_us < 400; timeout_us += 17) {
        params.nic_resend_timeout_us = timeout_us;
        for (percent = 0; percent <= 20; percent += 5) {
            faulty_transfer(percent);
            probes += gms_nic_counters(nics[0])->probes_sent;
        }
    }
    CU_ASSERT(probes > 100);
}

/* The target never answers, so the send ends with an error. */
static void test_unreachable(void)
{
    unsigned char *from;

    params.nic_check_crc = 1;
    params.nic_send_timeout_us = 100000;
    rig_restart();
    fault_percent = 100;
    gms_random_init(&faults, 1, 0);
    damage_arrivals();
    from = rig_memory(0, MESSAGE);
    rig_send(0, 1, from, MESSAGE, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_UNREACHABLE], 1);
    CU_ASSERT(last_event_ps < 300 * GMS_MS); /* the timer's interval becomes
                                              * longer */
    CU_ASSERT(gms_nic_counters(nics[0])->probes_sent > 0);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

/* The link fails permanently. Each send waits exactly as long as its time
 * limit. */
static void test_send_timeout(void)
{
    unsigned char *from, *to;
    gms_time_t start_ps;

    params.nic_send_timeout_us = 77777;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 100, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 1);
    gms_fabric_node_down(&ctx, fabric, 1, GMS_NEVER);
    start_ps = rig_now();
    rig_send(0, 1, from, 100, MESSAGE_SIZE);
    rig_send(0, 1, from, 100, MESSAGE_SIZE);
    while (sent[0] < 2 && gms_engine_step(&ctx)) {
        rig_take_events();
    }
    CHECK_U64(result_count[GMS_SENT_UNREACHABLE], 1);
    CU_ASSERT(last_event_ps >= start_ps + 77777 * GMS_US);
    CU_ASSERT(last_event_ps < start_ps + 77827 * GMS_US);
    rig_run();
    CHECK_U64(sent[0], 2);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
    start_ps = rig_now();
    rig_command(0, GMS_SEND_RESUME, &stream);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_UNREACHABLE], 2);
    CU_ASSERT(last_event_ps >= start_ps + 77777 * GMS_US);
    CU_ASSERT(last_event_ps < start_ps + 77827 * GMS_US);
}

/* If a NIC is reset before it sends a refusal, this refusal must not apply to
 * the first packet after the reset. */
static void test_reset_forgets_refusal(void)
{
    gms_connection_t *in =
        gms_connection_get(&ctx, nics[1], 0, GMS_LANE_BEST_EFFORT);

    gms_connection_refuse(in, GMS_NACK_REJECTED);
    gms_nic_reset(&ctx, nics[1]);
    CHECK_U64(in->nack_kind, GMS_NACK_SEQUENCE);
    rig_run();
    CHECK_U64(gms_nic_counters(nics[0])->nacks_received, 1);
    CHECK_U64(gms_nic_counters(nics[1])->resets, 1);
}

/* A second answer about a session must not affect the next session. */
static void test_late_refusal(void)
{
    gms_connection_t *in =
        gms_connection_get(&ctx, nics[1], 0, GMS_LANE_BEST_EFFORT);
    gms_packet_t *packet = gms_packet_create(&ctx, 0);

    gms_connection_refuse(in, GMS_NACK_SEQUENCE);
    packet->header.type = GMS_PACKET_MESSAGE;
    packet->header.session = 1;
    CHECK_U64(gms_connection_expects(in, packet), 1);
    CHECK_U64(in->nack_pending, 0);
    gms_packet_destroy(&ctx, packet);
    packet = gms_connection_next_control(
        &ctx, nics[1], &nics[1]->traffic_class[GMS_LANE_BEST_EFFORT]);
    CU_ASSERT_FATAL(packet != NULL);
    CHECK_U64(packet->header.type, GMS_PACKET_ACK);

    /* The reason for one refusal must not apply to the next refusal. */
    gms_connection_refuse(in, GMS_NACK_REJECTED);
    packet->header.type = GMS_PACKET_PROBE;
    packet->header.session = 2;
    gms_connection_control(&ctx, in, packet);
    gms_packet_destroy(&ctx, packet);
    packet = gms_connection_next_control(
        &ctx, nics[1], &nics[1]->traffic_class[GMS_LANE_BEST_EFFORT]);
    CU_ASSERT_FATAL(packet != NULL);
    CHECK_U64(packet->header.type, GMS_PACKET_NACK);
    CHECK_U64(packet->header.session, 2);
    CHECK_U64(packet->header.nack, GMS_NACK_SEQUENCE);
    gms_packet_destroy(&ctx, packet);
}

/* With a window of one packet, transfers are slow, but all packets of all flows
 * must arrive. */
static void test_window(void)
{
    unsigned char *from, *to;
    unsigned i;

    params.nic_window_packets = 1;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    for (i = 0; i < 9; ++i) {
        gms_send_desc_t desc = rig_describe(0, 1, from, 20000, MESSAGE_SIZE);

        desc.flow.label = i % 3;
        rig_provide(1, to, MESSAGE_SIZE);
        rig_post(0, &desc);
    }
    rig_run();
    CHECK_U64(received[1], 9);
    CHECK_U64(sent[0], 9);
    CHECK_U64(gms_nic_counters(nics[0])->resent_packets, 0);
}

/* The link needs 0.2 ms for a packet, which is longer than the host DMA needs.
 * When the NACK for the first packet arrives, the second packet is on the link,
 * and later packets are waiting for the link. Only the second packet is
 * sent. */
static void test_waiting_packet_is_not_sent(void)
{
    unsigned char *from;

    params.link_bytes_s = 20000000;
    params.nic_nack_delay_us = 100000;
    params.nic_send_buffers = 4;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    rig_send(0, 1, from, MESSAGE, MESSAGE_SIZE);
    gms_engine_run_until(&ctx, 50 * GMS_MS);
    CHECK_U64(gms_nic_counters(nics[0])->nacks_received, 1);
    CHECK_U64(gms_nic_counters(nics[0])->data_packets_sent, 2);
    CHECK_U64(gms_nic_counters(nics[1])->no_buffer_drops, 1);
    CHECK_U64(gms_nic_counters(nics[1])->out_of_sequence, 1);
}

/* The link needs 0.2 ms for a packet, which is longer than the host DMA needs,
 * so a packet is always waiting for the link of node 0. The acknowledgement for
 * node 1 is sent before this packet, and arrives within 1 ms. */
static void test_control_first(void)
{
    unsigned char *from, *to, *other;
    unsigned i;

    params.link_bytes_s = 20000000;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(2, MESSAGE);
    other = rig_memory(1, MESSAGE);
    rig_provide(0, from, 5);
    for (i = 0; i < 4; ++i) {
        rig_provide(2, to, MESSAGE_SIZE);
        rig_send(0, 2, from, MESSAGE, MESSAGE_SIZE);
    }
    gms_engine_run_until(&ctx, 2 * GMS_MS);
    rig_send(1, 0, other, 8, 5);
    gms_engine_run_until(&ctx, 3 * GMS_MS);
    rig_take_events();
    CHECK_U64(sent[1], 1);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 5);
}

/* A late control packet must have no effect, because its session has ended. */
static void test_stale_control(void)
{
    gms_connection_t *out =
        gms_connection_get(&ctx, nics[0], 1, GMS_LANE_BEST_EFFORT);
    unsigned char *from = rig_memory(0, MESSAGE);
    gms_packet_t *control = gms_packet_create(&ctx, 0);
    uint32_t count;

    out->session = 5;
    rig_send(0, 1, from, MESSAGE, MESSAGE_SIZE);
    gms_engine_run_until(&ctx, 60 * GMS_US);
    count = out->count;
    CU_ASSERT_FATAL(count > 0);

    control->header.type = GMS_PACKET_NACK;
    control->header.nack = GMS_NACK_SEQUENCE;
    control->header.session = 4;
    gms_connection_control(&ctx, out, control);
    CHECK_U64(out->count, count);
    CHECK_U64(out->session, 5);

    control->header.type = GMS_PACKET_ACK;
    control->header.ack = (uint16_t)(count + 1); /* this packet was never
                                                  * sent */
    gms_connection_control(&ctx, out, control);
    CHECK_U64(out->count, count);
    control->header.ack = 0xffff; /* this packet has already been
                                     acknowledged */
    gms_connection_control(&ctx, out, control);
    CHECK_U64(out->count, count);

    control->header.type = GMS_PACKET_NACK;
    control->header.session = 5;
    gms_connection_control(&ctx, out, control);
    CHECK_U64(out->count, 0);
    CHECK_U64(out->session, 6);
    gms_packet_destroy(&ctx, control);
}

static void test_stale_data(void)
{
    gms_connection_t *in =
        gms_connection_get(&ctx, nics[1], 0, GMS_LANE_BEST_EFFORT);
    gms_packet_t *packet = gms_packet_create(&ctx, 0);

    in->receive_session = 5;
    packet->header.type = GMS_PACKET_MESSAGE;
    packet->header.session = 5;
    CHECK_U64(gms_connection_expects(in, packet), 1);
    packet->header.session = 4;
    CHECK_U64(gms_connection_expects(in, packet), 0);
    CHECK_U64(in->nack_pending + in->ack_pending, 0);

    packet->header.type = GMS_PACKET_PROBE;
    gms_connection_control(&ctx, in, packet);
    CHECK_U64(in->refusing, 0);
    CHECK_U64(in->receive_session, 5);

    packet->header.type = GMS_PACKET_MESSAGE;
    packet->header.session = 5;
    packet->header.sequence = 1; /* one packet is missing */
    CHECK_U64(gms_connection_expects(in, packet), 0);
    CHECK_U64(in->nack_pending, 1);
    in->nack_pending = 0; /* sent */
    CHECK_U64(gms_connection_expects(in, packet), 0);
    CHECK_U64(in->nack_pending, 0); /* a single NACK is sufficient */
    packet->header.sequence = 0;
    CHECK_U64(gms_connection_expects(in, packet), 0);
    packet->header.session = 6;
    CHECK_U64(gms_connection_expects(in, packet), 1);
    gms_packet_destroy(&ctx, packet);
}

/* The NACK of a session is lost. After eight more packets of this session, the
 * receiver repeats the NACK. */
static void test_lost_nack(void)
{
    gms_connection_t *in =
        gms_connection_get(&ctx, nics[1], 0, GMS_LANE_BEST_EFFORT);
    gms_packet_t *packet = gms_packet_create(&ctx, 0);
    unsigned i;

    gms_connection_refuse(in, GMS_NACK_NO_BUFFER);
    packet->header.type = GMS_PACKET_MESSAGE;
    for (i = 1; i <= 16; ++i) {
        in->nack_pending = 0; /* sent */
        packet->header.sequence = (uint16_t)i;
        CHECK_U64(gms_connection_expects(in, packet), 0);
        CHECK_U64(in->nack_pending, i % 8 == 0);
        CHECK_U64(in->nack_kind, GMS_NACK_NO_BUFFER);
    }
    gms_packet_destroy(&ctx, packet);
}

/* A data packet that has already been accepted arrives again, because its
 * acknowledgement was lost. The receiver immediately acknowledges the packet
 * again, so the sender needs no probe. */
static void test_duplicate_data(void)
{
    gms_connection_t *in =
        gms_connection_get(&ctx, nics[1], 0, GMS_LANE_BEST_EFFORT);
    gms_packet_t *packet = gms_packet_create(&ctx, 0);

    in->receive_session = 5;
    in->expected = in->written = 3;
    packet->header.type = GMS_PACKET_MESSAGE;
    packet->header.session = 5;
    packet->header.sequence = 2;
    CHECK_U64(gms_connection_expects(in, packet), 0);
    CHECK_U64(in->ack_pending, 1);
    CHECK_U64(in->nack_pending, 0);
    CHECK_U64(in->control_queued, 1);
    gms_packet_destroy(&ctx, packet);
}

/* The first acknowledgement ends the resend timer's back-off. */
static void test_backoff_ends(void)
{
    gms_connection_t *out =
        gms_connection_get(&ctx, nics[0], 1, GMS_LANE_BEST_EFFORT);
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);

    out->backoff = 5;
    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 9000, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[1], 1);
    CHECK_U64(out->backoff, 0);
}

/* Sequence numbers and session numbers wrap around. */
static void test_wrap(void)
{
    unsigned char *from = rig_memory(0, 64), *to = rig_memory(1, 64);
    gms_connection_t *out =
        gms_connection_get(&ctx, nics[0], 1, GMS_LANE_BEST_EFFORT);
    gms_connection_t *in =
        gms_connection_get(&ctx, nics[1], 0, GMS_LANE_BEST_EFFORT);
    unsigned i;

    out->first_sequence = in->expected = in->written = 0xfff0;
    out->session = in->receive_session = 0xffff;
    for (i = 0; i < 40; ++i) {
        rig_send(0, 1, from, 8, 4);
    }
    gms_engine_run_until(&ctx, 3 * GMS_MS);
    CU_ASSERT(gms_nic_counters(nics[0])->nacks_received > 0);
    for (i = 0; i < 40; ++i) {
        rig_provide(1, to, 4);
    }
    rig_run();
    CHECK_U64(received[1], 40);
    CHECK_U64(result_count[GMS_SENT_OK], 40);
}

int main(void)
{
    CU_TestInfo failure[] = {
        {"no buffer", test_no_buffer},
        {"a missing buffer stops only one flow", test_no_buffer_is_per_flow},
        {"a send times out", test_times_out},
        {"a send times out when a NACK arrives", test_times_out_at_nack},
        {"closed port", test_closed_port},
        {"a port is closed at random moments", test_close_any_time},
        {"abandoned message", test_abandoned_message},
        {"invalid sends", test_bad_sends},
        {"faults on the wire", test_faults},
        {"a timer that is too short", test_hasty_timer},
        {"unreachable", test_unreachable},
        {"send time-out", test_send_timeout},
        {"a refusal before a reset does not apply after the reset",
         test_reset_forgets_refusal},
        {"a late refusal does not affect the next session", test_late_refusal},
        {"a window of one packet", test_window},
        {"packets that wait for the link are not sent",
         test_waiting_packet_is_not_sent},
        {"control packets are sent first", test_control_first},
        {"stale control packets", test_stale_control},
        {"stale data packets", test_stale_data},
        {"a lost NACK", test_lost_nack},
        {"duplicate data packets", test_duplicate_data},
        {"an acknowledgement ends the back-off", test_backoff_ends},
        {"sequence numbers wrap around", test_wrap},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"nic: faults", NULL, NULL, rig_setup, rig_teardown, failure});
}
