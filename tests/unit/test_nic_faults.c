/* SPDX-License-Identifier: BSD-3-Clause */
/* The NIC when something goes wrong. */
#include "unit.h"

#include <string.h>

#include "engine/random.h"
#include "nic_rig.h"

/* Buffers come late and one by one: everything arrives, in order, once. */
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
    CHECK_U64(gms_nic_counters(nics[1])->nacks_sent,
              gms_nic_counters(nics[0])->nacks_received);
}

/* A flow that finds no buffer does not stop the others of its connection. */
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
    CHECK_U64(result_count[GMS_SENT_TIMED_OUT], 2);
    CU_ASSERT(last_event_ps > 20 * GMS_MS && last_event_ps < 22 * GMS_MS);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

static void test_closed_port(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to;
    unsigned i;

    gms_nic_close_port(&ctx, nics[1], PORT);
    for (i = 0; i < 3; ++i) {
        rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    }
    rig_run();
    CHECK_U64(result_count[GMS_SENT_PORT_CLOSED], 3);

    CU_ASSERT_EQUAL(gms_nic_open_port(&ctx, nics[1], PORT, 1), GMS_OK);
    to = rig_memory(1, MESSAGE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 1);
    CHECK_U64(received[1], 1);
}

/* Either end is closed at any moment of a transfer; the other one always gets
 * an answer, nothing stays behind, and the next owner starts clean. */
static void test_close_any_time(void)
{
    unsigned step, closed, i;

    for (step = 1; step < 700; step += 7) {
        for (closed = 0; closed < 2; ++closed) {
            unsigned char *from, *to;

            rig_restart();
            from = rig_memory(0, MESSAGE);
            to = rig_memory(1, MESSAGE);
            for (i = 0; i < 4; ++i) {
                rig_provide(1, to, MESSAGE_SIZE);
                rig_send(0, 1, from, 30000, MESSAGE_SIZE);
            }
            gms_engine_run_until(&ctx, step * 4 * GMS_US);
            rig_take_events();
            gms_nic_close_port(&ctx, nics[closed], PORT);
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
            CHECK_U64(nics[0]->send_buffers_used, 0);
            CHECK_U64(nics[1]->recv_buffers_used, 0);
            CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
        }
    }
}

static void test_bad_sends(void)
{
    unsigned char *from = rig_memory(0, MESSAGE);
    unsigned char *foreign = gms_arena_alloc(ctx.arena, MESSAGE);
    gms_send_desc_t desc;

    gms_nic_set_acceptable(nics[1], PORT, 0, ~(UINT32_C(1) << 9));
    rig_send(0, 1, from, 100, 9);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 1);
    CHECK_U64(gms_nic_counters(nics[1])->rejected_drops, 1);
    rig_send(0, 1, from, 249, 8); /* more than a buffer of that size holds */
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 2);
    rig_send(0, 1, foreign, MESSAGE, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_BAD_MEMORY], 1);
    desc = rig_describe(0, NODES, from, 8, 4);
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_UNREACHABLE], 1);
    CHECK_U64(sent[0], 4);
}

static gms_handler_fn *arrived_handler;
static gms_random_t faults;
static unsigned fault_percent;

/* A fault on the wire: a bit of header or payload changes. */
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

/* Data, acknowledgements, NACKs and probes are lost alike. */
static void test_faults(void)
{
    unsigned char *from, *to;
    unsigned i, percent;

    params.nic_check_crc = 1;
    for (percent = 1; percent <= 30; percent += 7) {
        rig_restart();
        fault_percent = percent;
        gms_random_init(&faults, percent, 0);
        arrived_handler = ctx.handlers[GMS_NIC_ON_ARRIVED];
        ctx.handlers[GMS_NIC_ON_ARRIVED] = faulty_arrival;
        from = rig_memory(0, 20 * 9000);
        to = rig_memory(1, 20 * MESSAGE);
        rig_fill(from, 20 * 9000, percent);
        for (i = 0; i < 20; ++i) {
            gms_send_desc_t desc =
                rig_describe(0, 1, from + i * 9000, 8000 + i, MESSAGE_SIZE);

            desc.flow.label = i % 2; /* two flows share the numbers */
            rig_provide(1, to + i * MESSAGE, MESSAGE_SIZE);
            rig_post(0, &desc);
        }
        for (i = 0; i < 20; ++i) {
            while (received[1] == i && gms_engine_step(&ctx)) {
                rig_take_events();
            }
            CHECK_U64(received[1], i + 1);
            CU_ASSERT_EQUAL(memcmp((const void *)(uintptr_t)last[1].address,
                                   from + (last[1].length - 8000) * 9000,
                                   last[1].length),
                            0);
        }
        rig_run();
        CHECK_U64(received[1], 20);
        CHECK_U64(result_count[GMS_SENT_OK], 20);
        CU_ASSERT(gms_nic_counters(nics[1])->bad_crc_drops > 0 || percent == 1);
        CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
    }
}

/* Nothing is ever answered: the send ends. */
static void test_unreachable(void)
{
    unsigned char *from;

    params.nic_check_crc = 1;
    params.nic_send_timeout_us = 100000;
    rig_restart();
    fault_percent = 100;
    gms_random_init(&faults, 1, 0);
    arrived_handler = ctx.handlers[GMS_NIC_ON_ARRIVED];
    ctx.handlers[GMS_NIC_ON_ARRIVED] = faulty_arrival;
    from = rig_memory(0, MESSAGE);
    rig_send(0, 1, from, MESSAGE, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_UNREACHABLE], 1);
    CU_ASSERT(last_event_ps < 130 * GMS_MS);
    CU_ASSERT(gms_nic_counters(nics[0])->probes_sent > 0);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

/* A window of one packet: slow, but everything comes, of all flows. */
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

/* Sequence numbers and sessions go round. */
static void test_wrap(void)
{
    unsigned char *from = rig_memory(0, 64), *to = rig_memory(1, 64);
    gms_connection_t *out = gms_connection_get(&ctx, nics[0], 1);
    gms_connection_t *in = gms_connection_get(&ctx, nics[1], 0);
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
        {"no buffer is per flow", test_no_buffer_is_per_flow},
        {"times out", test_times_out},
        {"closed port", test_closed_port},
        {"closed at any time", test_close_any_time},
        {"bad sends", test_bad_sends},
        {"faults on the wire", test_faults},
        {"unreachable", test_unreachable},
        {"window of one", test_window},
        {"numbers wrap", test_wrap},
        CU_TEST_INFO_NULL,
    };
    CU_SuiteInfo suites[] = {
        {"nic: faults", NULL, NULL, rig_setup, rig_teardown, failure},
        CU_SUITE_INFO_NULL,
    };

    return unit_run(suites);
}
