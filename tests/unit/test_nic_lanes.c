/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests NICs on a fabric with lanes. Every class has its own connections and
 * DMA engines, and flows that change their class keep their order.
 */
#include "unit.h"

#include <string.h>

#include "base/random.h"
#include "nic_rig.h"

enum {
    MESSAGES = 60,
    MOST = 12000,
    SIZE = 14,
    PREMIUM = 5 /* label */
};

static unsigned char *buffers, *data;
static unsigned arrived; /* number of messages with label PREMIUM that have
                          * arrived at node 1 */

static void restart(void)
{
    rig_restart();
    arrived = 0;
}

static void setup(void)
{
    rig_setup();
    params.fabric_model = GMS_FABRIC_FLIT;
    restart();
}

static gms_flow_key_t premium_to(unsigned to)
{
    gms_flow_key_t key = {.source_port = PORT,
                          .target_node = (uint16_t)to,
                          .target_port = PORT,
                          .label = PREMIUM};

    return key;
}

/* Returns a length of one to four packets, which depends only on the number of
 * the message. */
static uint32_t length_of(unsigned number)
{
    return 1 + (number * 2654435761u >> 8) % MOST;
}

static void post_numbered(unsigned from, unsigned to, unsigned count)
{
    unsigned i;

    buffers = rig_memory(to, (size_t)count * MOST);
    data = rig_memory(from, (size_t)count * MOST);
    for (i = 0; i < count; ++i) {
        gms_send_desc_t desc;

        rig_provide(to, buffers + (size_t)i * MOST, SIZE);
        memset(data + (size_t)i * MOST, (int)(i + 1), MOST);
        desc =
            rig_describe(from, to, data + (size_t)i * MOST, length_of(i), SIZE);
        desc.flow.label = PREMIUM;
        rig_post(from, &desc);
    }
}

/* Checks that the k-th arriving message is the k-th message that was sent, in
 * the k-th buffer. */
static void take_numbered(unsigned to)
{
    gms_host_event_t *event;

    while ((event = gms_nic_take_event(nics[to], PORT)) != NULL) {
        if (event->kind == GMS_HOST_RECEIVED) {
            const unsigned char *bytes =
                event->is_fast
                    ? event->fast
                    : (const unsigned char *)(uintptr_t)event->address;

            CHECK_U64(event->length, length_of(arrived));
            CHECK_U64(bytes[0], arrived + 1);
            CHECK_U64(bytes[event->length - 1], arrived + 1);
            ++arrived;
        }
        gms_arena_free(ctx.arena, event);
    }
}

static void drain(unsigned node)
{
    gms_host_event_t *event;

    while ((event = gms_nic_take_event(nics[node], PORT)) != NULL) {
        if (event->kind == GMS_HOST_SENT) {
            CHECK_U64(event->result, GMS_SENT_OK);
        }
        gms_arena_free(ctx.arena, event);
    }
}

/* Reserves and releases bandwidth at random times. With resets = 1, the NICs
 * are also reset. */
static void run_numbered(uint64_t seed, int resets)
{
    gms_flow_key_t key = premium_to(1);
    gms_random_t random;
    int promises = 0;

    gms_random_init(&random, seed, 0);
    while (gms_engine_step(&ctx)) {
        take_numbered(1);
        drain(0);
        if (gms_random_below(&random, 400) == 0) {
            CHECK_U64(gms_nic_promise(&ctx, nics[0], &key, promises ? -1 : 1),
                      GMS_OK);
            promises = !promises;
        }
        if (resets && gms_random_below(&random, 3000) == 0) {
            gms_nic_reset(&ctx, nics[gms_random_below(&random, 2)]);
        }
    }
    CHECK_U64(arrived, MESSAGES);
}

static void test_order_across_classes(void)
{
    uint64_t seed;

    for (seed = 1; seed <= 10; ++seed) {
        restart();
        post_numbered(0, 1, MESSAGES);
        run_numbered(seed, 0);
        /* The messages have used both classes, and no packet has been sent
         * twice. */
        CU_ASSERT_PTR_NOT_NULL(
            nics[0]->traffic_class[GMS_LANE_REAL_TIME].connections[1]);
        CU_ASSERT_PTR_NOT_NULL(
            nics[0]->traffic_class[GMS_LANE_BEST_EFFORT].connections[1]);
        CHECK_U64(gms_nic_counters(nics[1])->out_of_sequence, 0);
        CHECK_U64(gms_nic_counters(nics[0])->resent_packets, 0);
    }
}

static void test_order_across_classes_with_faults(void)
{
    gms_fault_rates_t rates = {.drop_ppm = 20000,
                               .damage_header_ppm = 5000,
                               .damage_payload_ppm = 5000,
                               .duplicate_ppm = 10000,
                               .delay_ppm = 10000,
                               .delay_max_us = 100};
    uint64_t seed;

    for (seed = 1; seed <= 10; ++seed) {
        restart();
        gms_fabric_set_fault_rates(fabric, &rates);
        post_numbered(0, 1, MESSAGES);
        run_numbered(seed, 1);
        CU_ASSERT_TRUE(gms_nic_counters(nics[0])->resent_packets > 0);
    }
}

/* A flow changes its class while it waits because its window is full. */
static void test_full_window(void)
{
    params.nic_window_packets = 2;
    restart();
    post_numbered(0, 1, MESSAGES);
    run_numbered(1, 0);
}

/* On a fabric without lanes, classes are not separated, and the fabric is not
 * informed about reservations. */
static void test_no_lanes(void)
{
    gms_flow_key_t key = premium_to(1);

    params.fabric_model = GMS_FABRIC_WORM;
    params.undeclared = GMS_UNDECLARED_FREE;
    rig_restart();
    CHECK_U64(nics[0]->classes, 1);
    CHECK_U64(gms_nic_promise(&ctx, nics[0], &key, 1), GMS_OK);
    CHECK_U64(nics[0]->flow_count, 0);
}

/* A best-effort flow to a flooded node waits. A reserved flow from the same NIC
 * to another node does not wait. @return number of packets of the reserved flow
 * that have arrived at node 3 in 10 ms */
static unsigned beside_a_flood(int promised)
{
    gms_flow_key_t key = premium_to(3);
    unsigned char *from, *to, *other, i;

    rig_restart();
    CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &key, 128), GMS_OK); /* 64 MB/s */
    if (promised) {
        gms_fabric_reserve(fabric, 0, 3, 64600000);
        CHECK_U64(gms_nic_promise(&ctx, nics[0], &key, 1), GMS_OK);
    }
    from = rig_memory(0, MESSAGE);
    to = rig_memory(3, MESSAGE);
    other = rig_memory(2, MESSAGE);
    for (i = 0; i < 200; ++i) {
        gms_send_desc_t desc = rig_describe(0, 3, from, 4096, 13);

        desc.flow.label = PREMIUM;
        rig_post(0, &desc);
        rig_provide(3, to, 13);
        rig_send(0, 1, from, MESSAGE, MESSAGE_SIZE);
        rig_send(2, 1, other, MESSAGE, MESSAGE_SIZE);
        rig_provide(1, rig_memory(1, MESSAGE), MESSAGE_SIZE);
    }
    gms_engine_run_until(&ctx, 10 * GMS_MS);
    rig_take_events();
    return received[3];
}

/* With an IDT of 128 ticks, the flow sends one packet every 64 us, that is, 156
 * packets in 10 ms. The first packet needs 100 us to arrive. */
static void test_flood(void)
{
    unsigned with = beside_a_flood(1);

    CU_ASSERT_TRUE(with >= 153);
    CU_ASSERT_TRUE(beside_a_flood(0) + 4 < with);
}

static void test_one_message(void)
{
    unsigned char *from = rig_memory(0, 4096), *to = rig_memory(1, 4096);

    rig_provide(1, to, 13);
    rig_send(0, 1, from, 4096, 13);
    rig_run();
    CHECK_U64(received[1], 1);
    /* 4126 bytes are 258 flits. Two links take 2 cycles and the switch takes 3
     * cycles. Rounding to whole cycles adds to this time, and the target adds
     * one cycle. */
    CHECK_U64(last[1].path.wire_ps, (2 + 258) * 100 * GMS_NS);
    CU_ASSERT_TRUE(last[1].path.switch_ps >= 4 * 100 * GMS_NS &&
                   last[1].path.switch_ps <= 5 * 100 * GMS_NS);
    CU_ASSERT_TRUE(rig_path_sum(&last[1].path) <= last_event_ps);
    CHECK_U64(gms_nic_counters(nics[0])->blocked_packets, 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"one message", test_one_message},
        {"order of messages of different classes", test_order_across_classes},
        {"order of messages of different classes with faults",
         test_order_across_classes_with_faults},
        {"a full window", test_full_window},
        {"a fabric without lanes", test_no_lanes},
        {"a reserved flow during a flood", test_flood},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"nic lanes", NULL, NULL, setup, rig_teardown, tests});
}
