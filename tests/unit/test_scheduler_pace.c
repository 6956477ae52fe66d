/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests rules of the scheduler "rate": priorities, flows that share a pace,
 * flows that are paced by bytes, and the largest bursts. All orders and times
 * are computed by hand.
 */
#include "unit.h"

#include <string.h>

#include "fabric/fabric.h"
#include "nic/nic_int.h"
#include "nic/scheduler.h"

#define FLOWS 3

static gms_ctx_t ctx;
static gms_params_t params;
static gms_nic_t *nic;
static gms_scheduler_t *scheduler;
static const gms_scheduler_ops_t *ops;
static gms_flow_t flows[FLOWS];

static int setup(void)
{
    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    gms_params_init(&params);
    nic = calloc(1, sizeof(*nic));
    if (nic != NULL) {
        nic->params = &params;
    }
    return nic == NULL ||
           gms_arena_create_private(UINT64_C(16) << 20, &ctx.arena) != GMS_OK;
}

static int teardown(void)
{
    gms_arena_destroy_private(ctx.arena);
    free(nic);
    return 0;
}

/* Starts a scheduler for flows of one NIC and one class. All flows have packets
 * to send from tick 0 on. */
static void start(uint32_t id, const uint32_t *idt_ticks,
                  unsigned traffic_class)
{
    unsigned i;

    ops = gms_scheduler_ops(id);
    CU_ASSERT_EQUAL_FATAL(ops->create(&ctx, &params, &scheduler), GMS_OK);
    nic->traffic_class[traffic_class].scheduler = scheduler;
    memset(flows, 0, sizeof(flows));
    for (i = 0; i < FLOWS; ++i) {
        flows[i].index = i;
        flows[i].nic = nic;
        flows[i].traffic_class = (uint8_t)traffic_class;
        flows[i].idt_ticks = idt_ticks[i];
    }
}

static void add(unsigned flow)
{
    flows[flow].valid = 1;
    ops->add(&ctx, scheduler, &flows[flow], 0);
}

/* Returns the letter of the flow that sends `bytes` bytes at tick `rtc`, or '-'
 * for none. */
static char serve(uint64_t rtc, uint64_t bytes)
{
    uint64_t next_rtc;
    gms_flow_t *flow = ops->pick(scheduler, rtc, &next_rtc);

    if (flow == NULL) {
        return '-';
    }
    flow->bytes_sent += bytes;
    ops->dispatched(scheduler, flow, rtc, 1);
    return (char)('A' + flow->index);
}

static void test_priority(void)
{
    static const uint32_t idt_ticks[FLOWS] = {10, 30, 0};

    nic->classes = 1;
    start(GMS_SCHEDULER_RATE, idt_ticks, 0);
    flows[1].key.priority = 1;
    add(0);
    add(1);
    CHECK_U64(serve(0, 1), 'B');
    CHECK_U64(serve(0, 1), 'A');
    CHECK_U64(serve(10, 1), 'A');
    /* both flows are due; B is served first because of its priority, although A
     * has been due for longer */
    CHECK_U64(serve(30, 1), 'B');
    CHECK_U64(serve(30, 1), 'A');
}

/* A reserved flow has its own pace, so its priority has no effect. */
static void test_priority_of_reserved_flows(void)
{
    static const uint32_t idt_ticks[FLOWS] = {10, 10, 0};

    nic->classes = 2;
    start(GMS_SCHEDULER_RATE, idt_ticks, GMS_LANE_REAL_TIME);
    flows[1].key.priority = 1;
    add(0);
    add(1);
    CHECK_U64(serve(0, 1), 'A');
    CHECK_U64(serve(0, 1), 'B');
}

static void test_packet_rr_priority(void)
{
    static const uint32_t idt_ticks[FLOWS] = {0, 0, 0};

    nic->classes = 1;
    start(GMS_SCHEDULER_PACKET_RR, idt_ticks, 0);
    flows[1].key.priority = 1;
    flows[2].key.priority = 1;
    flows[2].key.target_node = 1;
    add(0);
    add(1);
    add(2);
    CHECK_U64(serve(0, 1), 'B');
    CHECK_U64(serve(0, 1), 'C');
    CHECK_U64(serve(0, 1), 'B');
    flows[1].valid = 0;
    ops->remove(scheduler, &flows[1]);
    flows[2].valid = 0;
    ops->remove(scheduler, &flows[2]);
    CHECK_U64(serve(0, 1), 'A');
}

/* Twin flows share one pace and send in turn. */
static void test_twins(void)
{
    static const uint32_t idt_ticks[FLOWS] = {100, 100, 0};
    uint64_t rtc;

    nic->classes = 1;
    start(GMS_SCHEDULER_RATE, idt_ticks, 0);
    flows[0].twin = &flows[1];
    flows[1].twin = &flows[0];
    add(0);
    add(1);
    for (rtc = 0; rtc < 600; rtc += 100) {
        CHECK_U64(serve(rtc, 1), rtc % 200 == 0 ? 'A' : 'B');
        CHECK_U64(serve(rtc, 1), '-');
        CHECK_U64(flows[0].ndt, rtc + 100);
        CHECK_U64(flows[1].ndt, rtc + 100);
        CHECK_U64(serve(rtc + 99, 1), '-');
    }
}

/* The IDT of 1000 ticks applies to 4096 bytes. After a shorter packet, the flow
 * waits for a proportionally shorter time, rounded up. A packet is charged for
 * at least 48 bytes. */
static void test_paced_by_bytes(void)
{
    static const uint32_t idt_ticks[FLOWS] = {1000, 0, 0};

    nic->classes = 1;
    start(GMS_SCHEDULER_RATE, idt_ticks, 0);
    flows[0].pace_bytes = 4096;
    add(0);
    CHECK_U64(serve(0, 4096), 'A');
    CHECK_U64(flows[0].ndt, 1000);
    CHECK_U64(serve(999, 2048), '-');
    CHECK_U64(serve(1000, 2048), 'A');
    CHECK_U64(flows[0].ndt, 1500);
    CHECK_U64(serve(1500, 2049), 'A');
    CHECK_U64(flows[0].ndt, 1500 + 501); /* 500.24 */
    CHECK_U64(serve(2001, 1), 'A');
    CHECK_U64(flows[0].ndt, 2001 + 12); /* 48 bytes: 11.72 */
    CHECK_U64(serve(2013, 0), 'A');
    CHECK_U64(flows[0].ndt, 2013 + 12);
}

/* A reserved flow that is late by 99,900 ticks makes up for only 40,000 of
 * these ticks. Flows without a reservation make up for all 99,900 ticks. */
static void test_burst(void)
{
    static const uint32_t idt_ticks[FLOWS] = {100, 0, 0};
    unsigned reserved, burst;

    for (reserved = 0; reserved < 2; ++reserved) {
        nic->classes = 2;
        start(GMS_SCHEDULER_RATE, idt_ticks, reserved ? GMS_LANE_REAL_TIME : 0);
        add(0);
        CHECK_U64(serve(0, 1), 'A');
        CHECK_U64(serve(100000, 1), 'A');
        CHECK_U64(flows[0].ndt, reserved ? 60100 : 200);
        for (burst = 0; serve(100000, 1) == 'A'; ++burst) {
            continue;
        }
        CHECK_U64(burst, reserved ? 400 : 999);
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"priority", test_priority},
        {"priorities have no effect among reserved flows",
         test_priority_of_reserved_flows},
        {"packet-rr: priority", test_packet_rr_priority},
        {"twin flows share one pace", test_twins},
        {"pace by bytes", test_paced_by_bytes},
        {"a late reserved flow catches up by a limited burst", test_burst},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"pace of the scheduler", setup, teardown, NULL, NULL, tests});
}
