/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the NIC: stalled streams, gets, datagrams, priorities, and memory. */
#include "unit.h"

#include <string.h>

#include "nic/sram.h"
#include "nic_rig.h"

static const gms_flow_key_t stream = {PORT, 1, PORT, 0, 0};

/* --- stalled streams ------------------------------------------------------ */

/* One of the messages is refused. Messages behind it in the same stream wait,
 * and another stream continues. */
static void stall(unsigned char *from, unsigned char *to)
{
    gms_send_desc_t other = rig_describe(0, 1, from, 100, 10);
    unsigned i;

    gms_nic_set_acceptable(nics[1], PORT, 0, ~(UINT32_C(1) << 9));
    rig_send(0, 1, from, 100, 9);
    for (i = 0; i < 4; ++i) {
        rig_provide(1, to, MESSAGE_SIZE);
        rig_send(0, 1, from, 7000 + i, MESSAGE_SIZE);
    }
    other.flow.label = 1;
    rig_provide(1, to, 10);
    rig_post(0, &other);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 1);
    CHECK_U64(result_count[GMS_SENT_OK], 1);
    CHECK_U64(received[1], 1);
    CHECK_U64(last[1].length, 100);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

static void test_resume(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    unsigned i;

    stall(from, to);
    rig_send(0, 1, from, 7004, MESSAGE_SIZE); /* this message waits behind the
                                               * stalled messages */
    rig_provide(1, to, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[1], 1);
    rig_command(0, GMS_SEND_RESUME, &stream);
    for (i = 0; i < 5; ++i) {
        while (received[1] < i + 2 && gms_engine_step(&ctx)) {
            rig_take_events();
        }
        CHECK_U64(last[1].length, 7000 + i);
    }
    rig_run();
    CHECK_U64(commands[0], 1);
    CHECK_U64(result_count[GMS_SENT_OK], 6);
    CHECK_U64(gms_nic_counters(nics[0])->streams_stalled, 1);
}

static void test_drop(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    gms_host_event_t *event;
    unsigned i;

    stall(from, to);
    rig_command(0, GMS_SEND_DROP, &stream);
    rig_send(0, 1, from, 8000, MESSAGE_SIZE);
    while (gms_engine_step(&ctx)) {
    }
    for (i = 0; i < 6; ++i) { /* the events arrive in the order of the sends */
        event = gms_nic_take_event(nics[0], PORT);
        CU_ASSERT_FATAL(event != NULL);
        int is_dropped = i >= 1 && i <= 4;

        CHECK_U64(event->result, is_dropped ? GMS_SENT_DROPPED : GMS_SENT_OK);
        CHECK_U64(event->length, i == 0 ? 0 : is_dropped ? 6999 + i : 8000);
        CHECK_U64(event->cookie == COMMAND, i == 0);
        gms_arena_free(ctx.arena, event);
    }
    rig_take_events();
    CHECK_U64(received[1], 2);
    CHECK_U64(last[1].length, 8000);
    CHECK_U64(gms_nic_counters(nics[0])->sends_dropped, 4);
}

/* Neither command has an effect on a stream that is not stalled or does not
 * exist. */
static void test_needless_commands(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    unsigned i;

    for (i = 0; i < 4; ++i) {
        rig_command(0, GMS_SEND_DROP, &stream);
        rig_provide(1, to, MESSAGE_SIZE);
        rig_send(0, 1, from, MESSAGE, MESSAGE_SIZE);
        rig_command(0, GMS_SEND_RESUME, &stream);
    }
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 4);
    CHECK_U64(commands[0], 8);
    CHECK_U64(received[1], 4);
}

/* If a stream of a port's previous owner is stalled, the stall does not affect
 * the next owner. */
static void test_stall_ends_with_port(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);

    stall(from, to);
    gms_nic_close_port(&ctx, nics[0], PORT);
    gms_nic_open_port(&ctx, nics[0], PORT, 0);
    from = rig_memory(0, MESSAGE);
    rig_send(0, 1, from, 9000, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[1], 2);
    CHECK_U64(last[1].length, 9000);
    CHECK_U64(result_count[GMS_SENT_DROPPED], 0);
}

static void test_patient(void)
{
    unsigned char *from, *to;

    params.nic_send_timeout_us = 50000;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    gms_nic_set_nack_down(nics[0], PORT, 0);
    gms_nic_close_port(&ctx, nics[1], PORT);
    rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    gms_engine_run_until(&ctx, 40 * GMS_MS);
    rig_take_events();
    CHECK_U64(sent[0], 0);
    gms_nic_open_port(&ctx, nics[1], PORT, 1);
    to = rig_memory(1, MESSAGE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 1);
    gms_nic_close_port(&ctx, nics[1], PORT);
    rig_send(0, 1, from, 5000, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_PORT_CLOSED], 1);
    CU_ASSERT(last_event_ps > 90 * GMS_MS && last_event_ps < 95 * GMS_MS);
}

/* A send from unregistered memory fails when its turn comes. */
static void test_bad_memory(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    unsigned char *foreign = gms_arena_alloc(ctx.arena, MESSAGE);

    rig_provide(1, to, MESSAGE_SIZE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 9000, MESSAGE_SIZE);
    rig_send(0, 1, foreign, 9001, MESSAGE_SIZE);
    rig_send(0, 1, from, 9002, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 1);
    CHECK_U64(result_count[GMS_SENT_BAD_MEMORY], 1);
    CHECK_U64(last[1].length, 9000);
    rig_command(0, GMS_SEND_RESUME, &stream);
    rig_run();
    CHECK_U64(last[1].length, 9002);
}

/* --- gets ----------------------------------------------------------------- */

static void test_get(void)
{
    static const uint32_t lengths[] = {0, 1, 4096, 4097, 50000, MESSAGE};
    unsigned char *here = rig_memory(0, MESSAGE),
                  *there = rig_memory(1, MESSAGE);
    unsigned i;

    gms_nic_allow_remote_access(nics[1], PORT);
    rig_fill(there, MESSAGE, 5);
    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); ++i) {
        gms_send_desc_t desc = rig_describe_get(
            0, 1, here, there + (MESSAGE - lengths[i]) / 2, lengths[i]);

        memset(here, 0xee, MESSAGE);
        rig_post(0, &desc);
        rig_run();
        CHECK_U64(result_count[GMS_SENT_OK], i + 1);
        CU_ASSERT_EQUAL(
            memcmp(here, there + (MESSAGE - lengths[i]) / 2, lengths[i]), 0);
        if (lengths[i] < MESSAGE) {
            CHECK_U64(here[lengths[i]], 0xee);
        }
    }
    CHECK_U64(received[0] + received[1] + sent[1], 0);
    CHECK_U64(gms_nic_counters(nics[0])->got_drops, 0);
}

/* A get returns the data that the previous puts have written. */
static void test_get_after_put(void)
{
    unsigned char *from = rig_memory(0, MESSAGE),
                  *here = rig_memory(0, MESSAGE),
                  *there = rig_memory(1, MESSAGE);
    gms_send_desc_t put = rig_describe(0, 1, from, 0, 0), get;
    unsigned i;

    gms_nic_allow_remote_access(nics[1], PORT);
    put.kind = GMS_SEND_PUT;
    put.remote = (uintptr_t)there;
    for (i = 1; i < 8; ++i) {
        put.length = i * 5000;
        get = rig_describe_get(0, 1, here, there, i * 5000);
        rig_fill(from, MESSAGE, i);
        rig_post(0, &put);
        rig_post(0, &get);
        rig_run();
        CHECK_U64(result_count[GMS_SENT_OK], 2 * i);
        CU_ASSERT_EQUAL(memcmp(here, from, i * 5000), 0);
    }
}

static void test_get_refused(void)
{
    unsigned char *here = rig_memory(0, MESSAGE),
                  *there = rig_memory(1, MESSAGE);
    gms_send_desc_t desc = rig_describe_get(0, 1, here, there, 10000);

    after_failure = GMS_SEND_RESUME;
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 1); /* remote access is not
                                                    * permitted */
    gms_nic_allow_remote_access(nics[1], PORT);
    desc = rig_describe_get(0, 1, here, there + MESSAGE - 5000, 10000);
    rig_post(0, &desc);
    rig_run();
    /* only part of the memory is registered */
    CHECK_U64(result_count[GMS_SENT_REJECTED], 2);
    CHECK_U64(gms_nic_counters(nics[1])->bad_get_drops, 2);
    desc = rig_describe_get(0, 1, gms_arena_alloc(ctx.arena, 4096), there, 100);
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_BAD_MEMORY], 1);
    CHECK_U64(here[0], 0);
    gms_nic_close_port(&ctx, nics[1], PORT);
    desc = rig_describe_get(0, 1, here, there, 100);
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_PORT_CLOSED], 1);
}

/* Deregisters memory or closes a port at many different times during a
 * transfer. The NICs at both ends must recover. */
static void test_get_interrupted(void)
{
    unsigned step, what;
    unsigned results[GMS_SENT_DROPPED + 1] = {0};

    for (step = 0; step < 400; step += 3) {
        for (what = 0; what < 3; ++what) {
            unsigned char *here, *there;
            gms_send_desc_t desc;

            rig_restart();
            here = rig_memory(0, MESSAGE);
            there = rig_memory(1, MESSAGE);
            gms_nic_allow_remote_access(nics[1], PORT);
            desc = rig_describe_get(0, 1, here, there, 20000);
            rig_post(0, &desc);
            gms_engine_run_until(&ctx, step * GMS_US);
            rig_take_events();
            if (what == 0) {
                gms_nic_close_port(&ctx, nics[0], PORT);
                gms_nic_open_port(&ctx, nics[0], PORT, 0);
            } else if (what == 1) {
                gms_nic_close_port(&ctx, nics[1], PORT);
                gms_nic_open_port(&ctx, nics[1], PORT, 1);
            } else {
                gms_nic_deregister_memory(&ctx, nics[1], PORT, (uintptr_t)there,
                                          MESSAGE);
            }
            rig_run();
            CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
            CHECK_U64(
                nics[0]->traffic_class[nics[0]->classes - 1].recv_buffers_used +
                    nics[1]
                        ->traffic_class[nics[1]->classes - 1]
                        .send_buffers_used,
                0);
            CU_ASSERT(rig_now() < 100 * GMS_MS);
            if (what != 0) {
                unsigned result;

                CHECK_U64(sent[0], 1);
                for (result = 0; result <= GMS_SENT_DROPPED; ++result) {
                    results[result] += result_count[result];
                }
            }
        }
    }
    CU_ASSERT(results[GMS_SENT_OK] > 0 && results[GMS_SENT_REJECTED] > 20 &&
              results[GMS_SENT_PORT_CLOSED] > 5);
    CHECK_U64(results[GMS_SENT_TIMED_OUT] + results[GMS_SENT_UNREACHABLE] +
                  results[GMS_SENT_BAD_MEMORY],
              0);
}

/* --- datagrams ------------------------------------------------------------ */

static void test_datagram(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    gms_send_desc_t desc = rig_describe(0, 1, from, 4000, 12);

    desc.kind = GMS_SEND_DATAGRAM;
    rig_fill(from, MESSAGE, 6);
    rig_post(0, &desc); /* the receiver has no buffer */
    rig_run();
    CHECK_U64(sent[0], 1);
    CHECK_U64(result_count[GMS_SENT_OK], 1);
    CHECK_U64(received[1], 0);
    CHECK_U64(gms_nic_counters(nics[1])->no_match_for_datagram_recv, 1);
    rig_provide(1, to, 12);
    rig_provide(1, to, 6);
    rig_run();
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(received[1], 1);
    CU_ASSERT_EQUAL(memcmp(from, to, 4000), 0);
    desc.size = 6;
    desc.length = 50;
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(received[1], 2);
    CHECK_U64(last[1].is_fast, 1);
    desc.length = 4097; /* the datagram is longer than one packet */
    desc.size = 13;
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 1);
    gms_nic_close_port(&ctx, nics[1], PORT);
    desc.length = 8;
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 4);
    CHECK_U64(gms_nic_counters(nics[1])->acks_sent, 0);
    CHECK_U64(gms_nic_counters(nics[1])->nacks_sent, 0);
    CHECK_U64(gms_nic_counters(nics[0])->datagrams_sent, 4);
    CHECK_U64(gms_nic_counters(nics[1])->datagrams_received, 2);
}

/* The NIC sends datagrams between messages of the same flow, and must resend
 * some of these messages. */
static void test_datagrams_among_messages(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    gms_send_desc_t desc = rig_describe(0, 1, from, 40, 7);
    unsigned i;

    desc.kind = GMS_SEND_DATAGRAM;
    for (i = 0; i < 10; ++i) {
        rig_provide(1, to, 7);
        rig_send(0, 1, from, 9000, MESSAGE_SIZE);
        rig_post(0, &desc);
    }
    /* there is no buffer, so the datagram is discarded */
    gms_engine_run_until(&ctx, 5 * GMS_MS);
    for (i = 0; i < 10; ++i) {
        rig_provide(1, to, MESSAGE_SIZE);
    }
    rig_run();
    CU_ASSERT(gms_nic_counters(nics[0])->resent_packets > 0);
    CHECK_U64(received[1], 20);
    CHECK_U64(result_count[GMS_SENT_OK], 20);
    CHECK_U64(gms_nic_counters(nics[0])->datagrams_sent, 10);
}

/* --- priorities ----------------------------------------------------------- */

/* Sends a long low-priority message to node 1 and another one to node 2. Then
 * sends eight short messages of a given priority to node 1. @return time at
 * which the last short message arrives */
static gms_time_t overtake(uint64_t scheduler, uint16_t priority)
{
    gms_recv_desc_t buffer = {
        .port = PORT, .size = 12, .priority = (uint8_t)priority};
    unsigned char *from;
    gms_time_t done_ps = 0;
    unsigned i;

    params.scheduler = scheduler;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    for (i = 1; i < 3; ++i) {
        rig_provide(i, rig_memory(i, MESSAGE), MESSAGE_SIZE);
        rig_send(0, i, from, MESSAGE, MESSAGE_SIZE);
    }
    buffer.address = (uintptr_t)rig_memory(1, 4096);
    for (i = 0; i < 8; ++i) {
        gms_nic_post_receive(&ctx, nics[1], &hosts[1], 0, &buffer);
    }
    gms_engine_run_until(&ctx, 300 * GMS_US);
    for (i = 0; i < 8; ++i) {
        gms_send_desc_t desc = rig_describe(0, 1, from, 4000, 12);

        desc.flow.priority = priority;
        desc.flow.label = 1;
        rig_post(0, &desc);
    }
    while (gms_engine_step(&ctx)) {
        rig_take_events();
        if (last[1].size == 12) {
            done_ps = last[1].time_ps;
            CHECK_U64(last[1].priority, priority);
        }
    }
    CHECK_U64(received[1], 9);
    CHECK_U64(received[2], 1);
    return done_ps;
}

/* Eight high-priority packets are sent within the next 400 us. Eight
 * low-priority packets must share this time with two other flows. */
static void test_priorities(void)
{
    gms_time_t high_ps, low_ps;

    high_ps = overtake(GMS_SCHEDULER_PACKET_RR, 1);
    low_ps = overtake(GMS_SCHEDULER_PACKET_RR, 0);
    CU_ASSERT(high_ps < 900 * GMS_US);
    CU_ASSERT(low_ps > 1300 * GMS_US);
    high_ps = overtake(GMS_SCHEDULER_RATE, 1);
    low_ps = overtake(GMS_SCHEDULER_RATE, 0);
    CU_ASSERT(high_ps < 900 * GMS_US);
    CU_ASSERT(low_ps > 1300 * GMS_US);
}

/* If two messages differ only in their priority, their packets alternate. */
static void test_priorities_apart(void)
{
    unsigned char *from[2], *to[2];
    unsigned i;

    rig_restart();
    for (i = 0; i < 2; ++i) {
        gms_send_desc_t desc;
        gms_recv_desc_t buffer = {.port = PORT, .size = MESSAGE_SIZE};

        from[i] = rig_memory(0, MESSAGE);
        to[i] = rig_memory(1, MESSAGE);
        rig_fill(from[i], MESSAGE, 7 + i);
        buffer.priority = (uint8_t)i;
        buffer.address = (uintptr_t)to[i];
        gms_nic_post_receive(&ctx, nics[1], &hosts[1], 0, &buffer);
        desc = rig_describe(0, 1, from[i], 50000, MESSAGE_SIZE);
        desc.flow.priority = (uint8_t)i;
        CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &desc.flow, 500), GMS_OK);
        rig_post(0, &desc);
    }
    rig_run();
    CHECK_U64(received[1], 2);
    CU_ASSERT_EQUAL(memcmp(from[0], to[0], 50000), 0);
    CU_ASSERT_EQUAL(memcmp(from[1], to[1], 50000), 0);
}

/* --- memory of the NIC --- */

static void test_sram(void)
{
    unsigned char *from, *to;
    unsigned i, most = 0;
    uint64_t idle;

    params.nic_sram_bytes = GMS_SRAM_PROGRAM_BYTES + 2048;
    params.nic_window_packets = 16;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    rig_provide(1, to, 5);
    rig_send(0, 1, from, 8, 5);
    rig_run();
    idle = gms_nic_counters(nics[0])->sram_used_bytes;
    CU_ASSERT(idle > 0);
    for (i = 0; i < 60; ++i) {
        rig_send(0, 1, from, 9000, MESSAGE_SIZE);
    }
    gms_engine_run_until(&ctx, rig_now() + 5 * GMS_MS);
    CU_ASSERT(gms_nic_counters(nics[0])->sram_waits > 0);
    /* The sends leave a quarter of the memory for other uses. */
    CU_ASSERT(gms_nic_counters(nics[0])->sram_used_bytes <= 1536);
    for (i = 0; i < 60; ++i) {
        rig_provide(1, to, MESSAGE_SIZE);
    }
    while (gms_engine_step(&ctx)) {
        rig_take_events();
        most = nics[0]->counters.sram_used_bytes > most
                   ? (unsigned)nics[0]->counters.sram_used_bytes
                   : most;
    }
    CHECK_U64(received[1], 61);
    CHECK_U64(result_count[GMS_SENT_OK], 61);
    CU_ASSERT(most <= 2048);
    CHECK_U64(gms_nic_counters(nics[0])->sram_used_bytes, idle);
}

/* If messages in reassembly do not fit into the memory, they wait at the
 * sender. */
static void test_sram_of_messages(void)
{
    unsigned char *to;
    unsigned i;

    params.nic_sram_bytes = GMS_SRAM_PROGRAM_BYTES + 1024;
    params.nic_window_packets = 16;
    rig_restart();
    to = rig_memory(1, MESSAGE);
    for (i = 0; i < 24; ++i) {
        gms_send_desc_t desc = rig_describe(
            i % 4, 1, rig_memory(i % 4, MESSAGE), 30000, MESSAGE_SIZE);

        desc.flow.label = i;
        rig_provide(1, to, MESSAGE_SIZE);
        rig_post(i % 4, &desc);
    }
    rig_run();
    CHECK_U64(received[1], 24);
    CU_ASSERT(gms_nic_counters(nics[1])->sram_drops > 0);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

/* One send fails, and three other sends are waiting behind it. The sends of a
 * stalled stream occupy no memory. The same is true for a send that is posted
 * during the stall. After the stall, all four sends occupy memory again. */
static void test_sram_of_stall(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    const gms_nic_counters_t *counters = gms_nic_counters(nics[0]);
    uint64_t idle;
    unsigned i;

    rig_provide(1, to, 5);
    rig_send(0, 1, from, 8, 5);
    rig_run();
    idle = counters->sram_used_bytes;
    gms_nic_set_acceptable(nics[1], PORT, 0, ~(UINT32_C(1) << 9));
    rig_send(0, 1, from, 100, 9);
    for (i = 0; i < 3; ++i) {
        rig_send(0, 1, from, 8, 5);
    }
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 1);
    CHECK_U64(counters->sram_used_bytes, idle + GMS_SRAM_FLOW_BYTES);
    rig_send(0, 1, from, 8, 5);
    rig_run();
    CHECK_U64(counters->sram_used_bytes, idle + GMS_SRAM_FLOW_BYTES);
    rig_command(0, GMS_SEND_RESUME, &stream);
    gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    CHECK_U64(counters->sram_used_bytes,
              idle + GMS_SRAM_FLOW_BYTES + 4 * GMS_SRAM_TOKEN_BYTES);
    for (i = 0; i < 4; ++i) {
        rig_provide(1, to, 5);
    }
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 5);
    CHECK_U64(counters->sram_used_bytes, idle);
}

int main(void)
{
    CU_TestInfo stalls[] = {
        {"resume", test_resume},
        {"drop", test_drop},
        {"commands for streams that are not stalled", test_needless_commands},
        {"a stall ends with the port", test_stall_ends_with_port},
        {"closed ports are retried", test_patient},
        {"unregistered memory", test_bad_memory},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo kinds[] = {
        {"get", test_get},
        {"get after put", test_get_after_put},
        {"get refused", test_get_refused},
        {"get interrupted at random moments", test_get_interrupted},
        {"datagram", test_datagram},
        {"datagrams among messages", test_datagrams_among_messages},
        {"high priority overtakes low priority", test_priorities},
        {"high and low priority alternate", test_priorities_apart},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo memory[] = {
        {"tokens wait for memory of the NIC", test_sram},
        {"messages wait for memory of the NIC", test_sram_of_messages},
        {"a stalled stream", test_sram_of_stall},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"nic: stalled streams", NULL, NULL, rig_setup, rig_teardown, stalls},
        {"nic: kinds of sends", NULL, NULL, rig_setup, rig_teardown, kinds},
        {"nic: memory", NULL, NULL, rig_setup, rig_teardown, memory});
}
