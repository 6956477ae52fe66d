/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the effects of a reservation on other traffic: the order of a port's
 * events, buffers that are kept for reserved messages, answers to gets, and
 * reverse traffic.
 */
#include <CUnit/Basic.h>
#include <string.h>

#include "nic_rig.h"
#include "unit.h"

enum {
    PREMIUM = 7,
    SIZE = 13,
    PACKET = 4096
};

static gms_flow_key_t key_of(unsigned to, uint32_t label)
{
    gms_flow_key_t key = {.source_port = PORT,
                          .target_node = (uint16_t)to,
                          .target_port = PORT,
                          .label = label};

    return key;
}

static void promise(unsigned from, unsigned to, uint32_t label, uint32_t idt)
{
    gms_flow_key_t key = key_of(to, label);

    CHECK_U64(gms_nic_set_idt(&ctx, nics[from], &key, idt), GMS_OK);
    CHECK_U64(gms_nic_promise(&ctx, nics[from], &key, 1), GMS_OK);
}

static void post(unsigned from, unsigned to, const void *data, uint32_t length,
                 uint32_t label)
{
    gms_send_desc_t desc = rig_describe(from, to, data, length, SIZE);

    desc.flow.label = label;
    rig_post(from, &desc);
}

/* If the next event of node 1 is a message, returns the length of this message;
 * otherwise returns 0. */
static uint32_t take(void)
{
    gms_host_event_t *event = gms_nic_take_event(nics[1], PORT);
    uint32_t length = 0;

    if (event != NULL) {
        length = event->length;
        gms_arena_free(ctx.arena, event);
    }
    return length;
}

/* Messages with lengths 101 to 104 have no reservation, and messages with
 * lengths 201 to 203 have one. The first reserved message arrives in its normal
 * order, because the port is informed of the reservation only by this
 * message. */
static void test_order_of_events(void)
{
    static const uint32_t expected[] = {101, 102, 201, 202, 203, 103, 104, 0};
    unsigned char *from = rig_memory(0, PACKET), *to = rig_memory(1, PACKET);
    uint32_t i;

    promise(0, 1, PREMIUM, 10);
    for (i = 0; i < 8; ++i) {
        rig_provide(1, to, SIZE);
    }
    for (i = 1; i <= 2; ++i) {
        post(0, 1, from, 100 + i, 0);
        gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    }
    for (i = 1; i <= 2; ++i) {
        post(0, 1, from, 200 + i, PREMIUM);
        gms_engine_run_until(&ctx, rig_now() + GMS_MS);
        post(0, 1, from, 102 + i, 0);
        gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    }
    post(0, 1, from, 203, PREMIUM);
    gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    for (i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        const gms_host_event_t *next = gms_nic_peek_event(nics[1], PORT);

        CHECK_U64(next == NULL ? 0 : next->length, expected[i]);
        /* The next event of other flows is certain only if no reserved message
         * can overtake it. */
        CHECK_U64(gms_nic_is_next_event_certain(nics[1], PORT), i < 5);
        CHECK_U64(take(), expected[i]);
    }
}

static void test_no_reservation_one_order(void)
{
    unsigned char *from = rig_memory(0, PACKET), *to = rig_memory(1, PACKET);
    uint32_t i;

    for (i = 1; i <= 8; ++i) {
        rig_provide(1, to, SIZE);
        post(0, 1, from, 100 + i, i % 2);
        gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    }
    for (i = 1; i <= 8; ++i) {
        CHECK_U64(gms_nic_is_next_event_certain(nics[1], PORT), 1);
        CHECK_U64(take(), 100 + i);
    }
}

/* The program on node 1 does not fetch events. A quarter of the 16 buffers is
 * kept for reservations. The last message of the other flows is delivered when
 * the program has fetched its events. */
static void test_buffers(void)
{
    unsigned char *from = rig_memory(0, PACKET), *to = rig_memory(1, PACKET);
    unsigned i, others = 0, all = 0;

    promise(0, 1, PREMIUM, 10);
    for (i = 0; i < 16; ++i) {
        rig_provide(1, to, SIZE);
    }
    gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    post(0, 1, from, 1, PREMIUM);
    gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    for (i = 0; i < 12; ++i) {
        post(0, 1, from, 2, 0);
    }
    gms_engine_run_until(&ctx, rig_now() + 10 * GMS_MS);
    for (i = 0; i < 3; ++i) {
        post(0, 1, from, 1, PREMIUM);
    }
    gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    CHECK_U64(nics[1]->counters.messages_received, 1 + 11 + 3);
    CU_ASSERT_TRUE(nics[1]->counters.no_buffer_drops > 0);
    do {
        uint32_t length;

        while ((length = take()) != 0) {
            others += length == 2;
            ++all;
        }
    } while (gms_engine_step(&ctx));
    CHECK_U64(others, 12);
    CHECK_U64(all, 16);
}

static uint64_t packets_of(unsigned node, const gms_flow_key_t *key)
{
    gms_flow_stats_t stats;

    gms_nic_flow_stats(nics[node], key, &stats);
    return stats.packets_sent;
}

/* Node 0 gets data from node 1. Node 1 has reserved one packet every 200 ticks
 * to node 0, and also sends messages. The messages and the answers together do
 * not exceed this rate, and neither flow starves. */
static void test_answers_share_the_pace(void)
{
    gms_flow_key_t own = key_of(0, PREMIUM), answers = own;
    unsigned char *here = rig_memory(0, MESSAGE),
                  *there = rig_memory(1, MESSAGE);
    uint64_t sent_packets, answered;
    unsigned i;

    answers.label |= GMS_LABEL_ANSWER;
    gms_nic_allow_remote_access(nics[1], PORT);
    promise(1, 0, PREMIUM, 200);
    for (i = 0; i < 20; ++i) {
        gms_send_desc_t desc = rig_describe(0, 1, here, MESSAGE, 0);

        desc.kind = GMS_SEND_GET;
        desc.remote = (uintptr_t)there;
        desc.flow.label = PREMIUM;
        rig_post(0, &desc);
    }
    for (i = 0; i < 200; ++i) {
        rig_provide(0, here, SIZE);
        post(1, 0, there, PACKET, PREMIUM);
    }
    gms_engine_run_until(&ctx, 20 * GMS_MS); /* 40000 ticks */
    sent_packets = packets_of(1, &own);
    answered = packets_of(1, &answers);
    CU_ASSERT_TRUE(sent_packets + answered >= 198 &&
                   sent_packets + answered <= 201);
    CU_ASSERT_TRUE(sent_packets >= 95 && answered >= 95);
    CHECK_U64(gms_flow_find(nics[1], &answers)->traffic_class,
              GMS_LANE_REAL_TIME);
    /* Without a reservation, the rate of both flows is unlimited again. */
    CHECK_U64(gms_nic_promise(&ctx, nics[1], &own, -1), GMS_OK);
    CHECK_U64(gms_nic_set_idt(&ctx, nics[1], &own, 0), GMS_OK);
    /* fetch all events, so that the NIC does not withhold a buffer from either
     * flow */
    rig_run();
    CHECK_U64(received[0], 200);
    CHECK_U64(sent[0], 20); /* number of completed gets */
    CHECK_U64(gms_flow_find(nics[1], &answers)->traffic_class,
              GMS_LANE_BEST_EFFORT);
}

/* On the hardware of the thesis, an answer to a get does not belong to any
 * flow. */
static void test_answers_are_free(void)
{
    gms_flow_key_t own = key_of(0, PREMIUM), answers = own;
    unsigned char *here, *there;
    gms_send_desc_t desc;

    params.undeclared = GMS_UNDECLARED_FREE;
    rig_restart();
    here = rig_memory(0, MESSAGE);
    there = rig_memory(1, MESSAGE);
    answers.label |= GMS_LABEL_ANSWER;
    gms_nic_allow_remote_access(nics[1], PORT);
    promise(1, 0, PREMIUM, 10000);
    desc = rig_describe(0, 1, here, MESSAGE, 0);
    desc.kind = GMS_SEND_GET;
    desc.remote = (uintptr_t)there;
    desc.flow.label = PREMIUM;
    rig_post(0, &desc);
    gms_engine_run_until(&ctx, 5 * GMS_MS);
    CHECK_U64(packets_of(1, &answers), 16);
}

/* Short packets of a flow with a byte pace are dispatched one at a time. The
 * rate of these packets is 4096 bytes per IDT, even after a pause. A packet
 * counts as at least 48 bytes. */
static void test_byte_pace(void)
{
    gms_flow_key_t back = key_of(1, PREMIUM | GMS_LABEL_REVERSE);
    unsigned char *from = rig_memory(0, PACKET), *to = rig_memory(1, PACKET);
    unsigned i;

    gms_nic_post_alarm(&ctx, nics[0], &hosts[0], PORT, 100 * GMS_MS, 0);
    rig_run();
    /* the rate is 4096 bytes every 20 ms */
    CHECK_U64(gms_nic_set_byte_pace(&ctx, nics[0], &back, 40000), GMS_OK);
    CHECK_U64(gms_nic_promise(&ctx, nics[0], &back, 1), GMS_OK);
    for (i = 0; i < 200; ++i) {
        rig_provide(1, to, SIZE);
        post(0, 1, from, i < 128 ? 64 : 1, PREMIUM | GMS_LABEL_REVERSE);
    }
    gms_engine_run_until(&ctx, 120 * GMS_MS);
    i = (unsigned)packets_of(0, &back);
    CU_ASSERT_TRUE(i >= 62 && i <= 64);
    gms_engine_run_until(&ctx, 140 * GMS_MS);
    i = (unsigned)packets_of(0, &back);
    CU_ASSERT_TRUE(i >= 126 && i <= 129);
    /* at this rate, 42 messages of one byte can be sent in 10 ms */
    gms_engine_run_until(&ctx, 150 * GMS_MS);
    i = (unsigned)packets_of(0, &back);
    CU_ASSERT_TRUE(i >= 168 && i <= 173);
    gms_engine_run_until(&ctx, 160 * GMS_MS);
    CHECK_U64(packets_of(0, &back), 200);
}

/* ---- descriptors that are waiting when a reservation begins
 * ----------------- */

enum {
    WAITING = 100, /* number of descriptors of another flow */
    WAITING_BYTES =
        /* length of the first message; each following message is one byte
         * longer */
        1000
};

/* Fills node 0's queue with descriptors that the NIC has not read; node 1 has
 * buffers for all of the messages. */
static unsigned char *fill_queue(uint32_t label)
{
    unsigned char *from = rig_memory(0, PACKET), *to = rig_memory(1, PACKET);
    unsigned i;

    for (i = 0; i < WAITING + 3; ++i) {
        rig_provide(1, to, SIZE);
    }
    gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    for (i = 0; i < WAITING; ++i) {
        post(0, 1, from, WAITING_BYTES + i, label);
    }
    return from;
}

/* Checks that node 1 first receives messages of these lengths in this order.
 * The messages that were waiting in the queue must also arrive, and in the same
 * order. The first expected message must arrive before the NIC could have read
 * half of the queue. */
static void check_first(const uint32_t *lengths, unsigned count)
{
    gms_time_t end_ps = rig_now() + WAITING / 2 * params.mcp_token_cycles *
                                        params.lanai_cycle_ps;
    uint32_t length, others = 0;
    unsigned i;

    for (i = 0; i < count; ++i) {
        while ((length = take()) == 0 || length >= WAITING_BYTES) {
            CU_ASSERT_TRUE(length == 0 || length == WAITING_BYTES + others);
            others += length > 0;
            CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
        }
        CHECK_U64(length, lengths[i]);
        CU_ASSERT_TRUE(i > 0 || rig_now() < end_ps);
    }
}

/* The first message of a new reserved flow does not wait for messages of other
 * flows. */
static void test_newcomer_is_read_first(void)
{
    static const uint32_t expected[] = {201, 202};
    unsigned char *from = fill_queue(0);
    unsigned i;

    gms_engine_run_until(&ctx, rig_now() + 3 * GMS_US);
    promise(0, 1, PREMIUM, 10);
    for (i = 0; i < 2; ++i) {
        post(0, 1, from, expected[i], PREMIUM);
    }
    check_first(expected, 2);
}

/* The flow has already sent messages when its reservation begins. The flow's
 * waiting messages become part of the reserved flow, and keep their order. */
static void test_waiting_ones_are_read_first(void)
{
    static const uint32_t expected[] = {201, 202, 203};
    unsigned char *from = fill_queue(0);
    unsigned i;

    for (i = 0; i < 2; ++i) {
        post(0, 1, from, expected[i], PREMIUM);
    }
    gms_engine_run_until(&ctx, rig_now() + 3 * GMS_US);
    promise(0, 1, PREMIUM, 10);
    post(0, 1, from, expected[2], PREMIUM);
    check_first(expected, 3);
}

/* Both flows have reservations. A burst of one flow must not delay the message
 * of the other flow. */
static void test_flows_take_turns(void)
{
    static const uint32_t expected[] = {201, 202};
    unsigned char *from;
    unsigned i;

    promise(0, 1, PREMIUM, 10);
    promise(0, 1, PREMIUM + 1, 1000);
    from = fill_queue(PREMIUM + 1);
    gms_engine_run_until(&ctx, rig_now() + 3 * GMS_US);
    for (i = 0; i < 2; ++i) {
        post(0, 1, from, expected[i], PREMIUM);
    }
    check_first(expected, 2);
}

/* A port has received a message of a reservation, and has posted many other
 * messages. A buffer that is provided after these posts must be usable before
 * the NIC has read half of them. */
static void test_buffer_is_read_before_sends(void)
{
    unsigned char *from = rig_memory(0, PACKET), *to = rig_memory(1, PACKET);
    const gms_message_queue_t *buffers = &nics[1]->ports[PORT]->tokens[0][SIZE];
    unsigned i;

    promise(0, 1, PREMIUM, 10);
    rig_provide(1, to, SIZE);
    post(0, 1, from, 64, PREMIUM);
    gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    CHECK_U64(nics[1]->counters.messages_received, 1);
    for (i = 0; i < WAITING; ++i) {
        post(1, 0, to, 64, 0);
    }
    rig_provide(1, to, SIZE);
    gms_engine_run_until(&ctx, rig_now() + WAITING / 2 *
                                               params.mcp_token_cycles *
                                               params.lanai_cycle_ps);
    CHECK_U64(buffers->count, 1);
}

/* Three flows with reservations send short messages to node 0, which also has a
 * reservation. @return memory of node 0 */
static unsigned char *send_many_to_0(void)
{
    unsigned char *to = rig_memory(0, PACKET);
    unsigned from, i;

    promise(0, 1, PREMIUM, 1000);
    for (i = 0; i < 60; ++i) {
        rig_provide(0, to, SIZE);
    }
    gms_engine_run_until(&ctx, rig_now() + GMS_MS);
    for (from = 1; from < 4; ++from) {
        unsigned char *data = rig_memory(from, PACKET);

        promise(from, 0, PREMIUM, 1);
        for (i = 0; i < 20; ++i) {
            post(from, 0, data, 64, PREMIUM);
        }
    }
    return to;
}

/* Posts a message on node 0 when a counter reaches a value. @return increase of
 * this counter between the descriptor's arrival and the packet's dispatch */
static uint64_t rise_until_dispatch(unsigned char *data,
                                    const uint64_t *counter, uint64_t value)
{
    gms_flow_key_t key = key_of(1, PREMIUM);
    uint64_t before;

    while (*counter < value) {
        CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
    }
    post(0, 1, data, 64, PREMIUM);
    while (nics[0]->reserved_posts == 0) {
        CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
    }
    before = *counter;
    while (packets_of(0, &key) == 0) {
        CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
    }
    return *counter - before;
}

/* A descriptor arrives while the NIC is receiving packets. Before the NIC has
 * read this descriptor and dispatched its packet, it may receive at most two
 * more messages. The first is a message whose transfer has begun, and the
 * second is the message whose turn it is. */
static void test_is_read_while_packets_arrive(void)
{
    unsigned char *data = send_many_to_0();

    CU_ASSERT_TRUE(rise_until_dispatch(
                       data, &nics[0]->counters.messages_received, 15) <= 2);
}

/* Packets arrive faster than the NIC can check them. Before the dispatch, the
 * NIC may check at most three packets: one in each of the two turns of the
 * previous test, and one whose check has already begun. */
static void test_is_sent_before_arrivals_are_checked(void)
{
    unsigned char *data;

    params.mcp_recv_finish_cycles = 900; /* 27 us */
    rig_restart();
    data = send_many_to_0();

    CU_ASSERT_TRUE(rise_until_dispatch(
                       data, &nics[0]->counters.data_packets_received, 2) <= 3);
}

/* ---- the rate of a flow after a pause ----------------------------------- */

static gms_flow_t *flow_of(uint32_t label)
{
    gms_flow_key_t key = key_of(1, label);

    return gms_flow_find(nics[0], &key);
}

/* Runs until the NIC has read the most recently posted descriptor.
 * @return this time in ticks */
static uint64_t run_to_arrival(void)
{
    uint64_t posts = nics[0]->posts;

    while (nics[0]->posts <= posts) {
        posts = nics[0]->posts;
        CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
    }
    return gms_nic_rtc(nics[0], rig_now());
}

/* Runs until the flow's first packet has been dispatched.
 * @return this time in ticks */
static uint64_t run_to_dispatch(uint32_t label)
{
    while (flow_of(label) == NULL || flow_of(label)->packets_sent == 0) {
        CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
    }
    return gms_nic_rtc(nics[0], rig_now());
}

/* When the message's descriptor arrives, the NIC is reading another descriptor
 * with POLL. The flow's due times are computed from the arrival of this
 * descriptor. The next message is posted one IDT later and read immediately.
 * This message is therefore due when its descriptor arrives. */
static void test_pace_from_arrival(void)
{
    unsigned char *from;
    uint64_t arrived;

    promise(0, 1, PREMIUM, 1000);
    from = fill_queue(0);
    gms_engine_run_until(&ctx, rig_now() + 3 * GMS_US);
    post(0, 1, from, 201, PREMIUM);
    arrived = run_to_arrival();
    CU_ASSERT_TRUE(run_to_dispatch(PREMIUM) > arrived);
    CHECK_U64(flow_of(PREMIUM)->ndt, arrived + 1000);
}

/* For messages that have waited for the reservation, the due times are computed
 * from the time of the grant. */
static void test_pace_from_grant(void)
{
    unsigned char *from = fill_queue(0);
    uint64_t granted;

    post(0, 1, from, 201, PREMIUM);
    gms_engine_run_until(&ctx, rig_now() + 20 * GMS_US);
    granted = gms_nic_rtc(nics[0], rig_now());
    promise(0, 1, PREMIUM, 1000);
    CU_ASSERT_TRUE(run_to_dispatch(PREMIUM) > granted);
    CU_ASSERT_TRUE(flow_of(PREMIUM)->ndt > granted + 1000);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"events of a reserved flow overtake other events",
         test_order_of_events},
        {"without a reservation, all events stay in order",
         test_no_reservation_one_order},
        {"buffers", test_buffers},
        {"answers to gets share the pace of the flow",
         test_answers_share_the_pace},
        {"answers to gets without a pace", test_answers_are_free},
        {"the pace of short packets depends on their bytes", test_byte_pace},
        {"the first message of a new reserved flow is read first",
         test_newcomer_is_read_first},
        {"flows take turns", test_flows_take_turns},
        {"waiting messages of a new reserved flow are read first",
         test_waiting_ones_are_read_first},
        {"a new buffer is read before earlier sends",
         test_buffer_is_read_before_sends},
        {"a descriptor is read while packets arrive",
         test_is_read_while_packets_arrive},
        {"a packet is sent before all arrivals are checked",
         test_is_sent_before_arrivals_are_checked},
        {"the pace counts from the arrival of a descriptor",
         test_pace_from_arrival},
        {"the pace counts from the grant for waiting messages",
         test_pace_from_grant},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"nic: reservations", NULL, NULL, rig_setup, rig_teardown, tests});
}
