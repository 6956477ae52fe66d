/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the packet schedulers. Compares the order in which the schedulers
 * dispatch packets with orders computed by hand, and with table 3.1 and figure
 * 2.3 of the thesis. In random runs, compares the schedulers' choices with the
 * result of a linear search of all flows.
 */
#include "unit.h"

#include <string.h>

#include "base/random.h"
#include "nic/scheduler.h"

#define FLOWS 8

static gms_ctx_t ctx;
static gms_params_t params;
static gms_scheduler_t *scheduler;
static const gms_scheduler_ops_t *ops;
static gms_flow_t flows[FLOWS];
static gms_token_t tokens[FLOWS];

static void start(uint32_t id)
{
    unsigned i;

    ops = gms_scheduler_ops(id);
    CU_ASSERT_EQUAL_FATAL(ops->create(&ctx, &params, &scheduler), GMS_OK);
    memset(flows, 0, sizeof(flows));
    memset(tokens, 0, sizeof(tokens));
    for (i = 0; i < FLOWS; ++i) {
        flows[i].index = i;
        flows[i].next_sendable = &tokens[i];
    }
}

static void add(gms_flow_t *flow, uint64_t rtc)
{
    flow->valid = 1;
    ops->add(&ctx, scheduler, flow, rtc);
}

/* Adds flow number i to the scheduler. The flow's packets have a payload of
 * `payload` bytes. */
static void add_packets(unsigned i, uint32_t payload)
{
    tokens[i].length = payload;
    tokens[i].segment_bytes = payload;
    add(&flows[i], 0);
}

static void drop(gms_flow_t *flow)
{
    flow->valid = 0;
    ops->remove(scheduler, flow);
}

/* Returns the letter of the flow that sends one packet at tick `rtc`, or '-'
 * for none. */
static char serve(uint64_t rtc, int message_end)
{
    uint64_t next_rtc;
    gms_flow_t *flow = ops->pick(scheduler, rtc, &next_rtc);

    if (flow == NULL) {
        return '-';
    }
    ops->dispatched(scheduler, flow, rtc, message_end);
    return (char)('A' + flow->index);
}

/* Checks the order in which flows are served, with one packet for each letter,
 * all at tick 0. All packets are sent at tick 0, so this function suits only
 * schedulers that do not pace flows. */
static void serve_order(const char *expected)
{
    for (; *expected != '\0'; ++expected) {
        CHECK_U64(serve(0, 0), *expected);
    }
}

static int setup(void)
{
    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    gms_params_init(&params);
    return gms_arena_create_private(UINT64_C(16) << 20, &ctx.arena) != GMS_OK;
}

static int teardown(void)
{
    gms_arena_destroy_private(ctx.arena);
    return 0;
}

static void test_names(void)
{
    const char *const *names = gms_param_find("scheduler")->names;

    CU_ASSERT_STRING_EQUAL(names[GMS_SCHEDULER_MESSAGE_RR], "message-rr");
    CU_ASSERT_STRING_EQUAL(names[GMS_SCHEDULER_PACKET_RR], "packet-rr");
    CU_ASSERT_STRING_EQUAL(names[GMS_SCHEDULER_RATE], "rate");
    CU_ASSERT_STRING_EQUAL(names[GMS_SCHEDULER_BYTE_RR], "byte-rr");
}

static void test_empty(void)
{
    uint32_t id;
    uint64_t next_rtc;

    for (id = 0; id <= gms_param_find("scheduler")->max; ++id) {
        start(id);
        next_rtc = 1;
        CU_ASSERT_PTR_NULL(ops->pick(scheduler, 5, &next_rtc));
        CHECK_U64(next_rtc, GMS_RTC_NEVER);
        add(&flows[0], 5);
        CHECK_U64(scheduler->valid, 1);
        CU_ASSERT_PTR_EQUAL(ops->pick(scheduler, 5, &next_rtc), &flows[0]);
        drop(&flows[0]);
        CHECK_U64(scheduler->valid, 0);
        CU_ASSERT_PTR_NULL(ops->pick(scheduler, 5, &next_rtc));
    }
}

/* [source: gulati 2001 thesis table 3.1] The IDTs are 2 and 3 ticks. The arrays
 * contain the values before the dispatch at tick t, like the columns of the
 * table. */
static void test_table_3_1(void)
{
    static const uint64_t ndt_a[] = {0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12};
    static const uint64_t ndt_b[] = {0, 0, 3, 3, 6, 6, 6, 6, 9, 9, 12, 12};
    static const char dispatched[] = "ABABA-ABABA-";
    uint64_t t;

    start(GMS_SCHEDULER_RATE);
    flows[0].idt_ticks = 2;
    flows[1].idt_ticks = 3;
    add(&flows[0], 0);
    add(&flows[1], 0);
    for (t = 0; t < 12; ++t) {
        CHECK_U64(flows[0].ndt, ndt_a[t]);
        CHECK_U64(flows[1].ndt, ndt_b[t]);
        CHECK_U64(serve(t, 0), dispatched[t]);
    }
}

static void test_rate_says_when(void)
{
    uint64_t next_rtc;

    start(GMS_SCHEDULER_RATE);
    flows[0].idt_ticks = 200;
    flows[1].idt_ticks = 90;
    add(&flows[0], 10);
    add(&flows[1], 10);
    CHECK_U64(serve(10, 0), 'A');
    CHECK_U64(serve(10, 0), 'B');
    CU_ASSERT_PTR_NULL(ops->pick(scheduler, 99, &next_rtc));
    CHECK_U64(next_rtc, 100);
    CU_ASSERT_PTR_EQUAL(ops->pick(scheduler, 100, &next_rtc), &flows[1]);
}

/* A flow receives no credit for a pause, and after the pause it sends no packet
 * before the packet is due. */
static void test_rate_add(void)
{
    start(GMS_SCHEDULER_RATE);
    flows[0].idt_ticks = 10;
    add(&flows[0], 100);
    CHECK_U64(flows[0].ndt, 100);
    CHECK_U64(serve(100, 1), 'A');
    drop(&flows[0]);
    add(&flows[0], 103);
    CHECK_U64(flows[0].ndt, 110);
    drop(&flows[0]);
    add(&flows[0], 500);
    CHECK_U64(flows[0].ndt, 500);
}

/* A flow catches up after a late dispatch, so its long-run rate is 1/IDT. */
static void test_rate_makes_up(void)
{
    start(GMS_SCHEDULER_RATE);
    flows[0].idt_ticks = 10;
    add(&flows[0], 0);
    CHECK_U64(serve(4, 0), 'A');
    CHECK_U64(flows[0].ndt, 10);
    CHECK_U64(serve(35, 0), 'A');
    CHECK_U64(serve(35, 0), 'A');
    CHECK_U64(serve(35, 0), 'A');
    CHECK_U64(serve(35, 0), '-');
}

/* A yielding flow catches up by at most 1000 ticks. A yielding flow that is
 * more than 1000 ticks late is served after a flow that does not yield, even if
 * the latter flow is due later. */
static void test_rate_yields(void)
{
    start(GMS_SCHEDULER_RATE);
    flows[0].idt_ticks = 10;
    flows[0].yields = 1;
    flows[1].idt_ticks = 10;
    add(&flows[0], 0);
    add(&flows[1], 0);
    CHECK_U64(serve(1000, 0), 'A'); /* A is not late enough to lose any ticks */
    CHECK_U64(flows[0].ndt, 10);
    CHECK_U64(serve(5000, 0), 'B');
    CHECK_U64(flows[1].ndt, 10);
    CHECK_U64(serve(5000, 0), 'A');
    CHECK_U64(flows[0].ndt, 5000 - 1000 + 10);
    CHECK_U64(serve(5000, 0), 'B');
    CHECK_U64(serve(5000, 0), 'B');
    CHECK_U64(flows[1].ndt, 30);
}

/* A yielding flow fully recovers from a delay of 1000 ticks. With a delay of
 * 1001 ticks, the flow loses one tick. */
static void test_rate_yields_from(void)
{
    start(GMS_SCHEDULER_RATE);
    flows[0].idt_ticks = 10;
    flows[0].yields = 1;
    add(&flows[0], 50);
    CHECK_U64(serve(1050, 0), 'A');
    CHECK_U64(flows[0].ndt, 60);
    CHECK_U64(serve(1061, 0), 'A');
    CHECK_U64(flows[0].ndt, 71);
}

static void test_rate_unregulated(void)
{
    uint64_t t;
    unsigned count[3] = {0};

    start(GMS_SCHEDULER_RATE);
    flows[2].idt_ticks = 4;
    add(&flows[0], 0);
    add(&flows[1], 0);
    add(&flows[2], 0);
    CHECK_U64(serve(0, 0), 'C'); /* the reserved flow is served first */
    CHECK_U64(serve(0, 0), 'A');
    CHECK_U64(serve(0, 0), 'B');
    CHECK_U64(serve(0, 0), 'A');
    for (t = 1; t <= 1200; ++t) {
        ++count[serve(t, 0) - 'A'];
    }
    /* At the end of the run, a packet of C may still be waiting behind a flow
     * that has waited longer. */
    CHECK_NEAR((double)count[2], 300.0, 0.004);
    CHECK_NEAR((double)count[0], 450.0, 0.004);
    CHECK_NEAR((double)count[1], 450.0, 0.004);
}

static void test_rate_idt_changed(void)
{
    start(GMS_SCHEDULER_RATE);
    flows[0].idt_ticks = 1000;
    add(&flows[0], 100);
    CHECK_U64(serve(100, 0), 'A');
    CHECK_U64(flows[0].ndt, 1100);

    flows[0].idt_ticks = 50; /* the IDT changes at tick 120; the new IDT is
                              * counted from the last dispatch, at tick 100 */
    ops->idt_changed(scheduler, &flows[0], 120);
    CHECK_U64(flows[0].ndt, 150);
    flows[0].idt_ticks = 10; /* the flow is due at tick 130 and not earlier,
                              * because it receives no credit for the past */
    ops->idt_changed(scheduler, &flows[0], 130);
    CHECK_U64(flows[0].ndt, 130);
    flows[0].idt_ticks = 500; /* the flow is already due, so this change takes
                               * effect only after its next packet */
    ops->idt_changed(scheduler, &flows[0], 130);
    CHECK_U64(flows[0].ndt, 130);

    /* This flow has not been served yet, so its new IDT does not delay the
     * first packet. */
    add(&flows[1], 700);
    flows[1].idt_ticks = 20;
    ops->idt_changed(scheduler, &flows[1], 710);
    CHECK_U64(flows[1].ndt, 700);
}

/* If a change of its IDT makes a flow due earlier, the flow is served before
 * the flows that are now due later. */
static void test_rate_idt_reorders(void)
{
    start(GMS_SCHEDULER_RATE);
    flows[0].idt_ticks = 100;
    flows[1].idt_ticks = 1000;
    add(&flows[0], 0);
    add(&flows[1], 0);
    CHECK_U64(serve(0, 0), 'A');
    CHECK_U64(serve(0, 0), 'B');
    flows[1].idt_ticks = 50;
    ops->idt_changed(scheduler, &flows[1], 10);
    CHECK_U64(serve(49, 0), '-');
    CHECK_U64(serve(50, 0), 'B');
}

/* Compares the scheduler's choice with a linear search of all flows. Flows are
 * added, dropped and served at random. */
static void test_rate_is_least(void)
{
    gms_random_t random;
    uint64_t t, next_rtc;
    unsigned i;

    start(GMS_SCHEDULER_RATE);
    gms_random_init(&random, 7, 0);
    for (i = 0; i < FLOWS; ++i) {
        flows[i].idt_ticks = 3 + 2 * i;
    }
    for (t = 0; t < 20000; ++t) {
        gms_flow_t *flow = &flows[gms_random_below(&random, FLOWS)];
        const gms_flow_t *least = NULL;

        if (!flow->valid) {
            add(flow, t);
        } else if (gms_random_below(&random, 3) == 0) {
            drop(flow);
        }
        for (i = 0; i < FLOWS; ++i) {
            if (flows[i].valid &&
                (least == NULL || flows[i].ndt < least->ndt)) {
                least = &flows[i];
            }
        }
        if (least != NULL && least->ndt > t) {
            least = NULL;
        }
        CU_ASSERT_PTR_EQUAL_FATAL(ops->pick(scheduler, t, &next_rtc), least);
        serve(t, 0);
    }
}

/* Checks the cost of serving a flow by counting the changed slots of the heap.
 * In a heap of n flows, an entry moves by at most log2 n levels, so the cost
 * grows only slowly with the number of flows. */
static void test_rate_is_logarithmic(void)
{
    enum {
        MANY = 4096
    };
    gms_flow_t *many = calloc(MANY, sizeof(*many));
    uint32_t *slot = calloc(MANY, sizeof(*slot));
    unsigned i, moved;
    uint64_t t;

    CU_ASSERT_FATAL(many != NULL && slot != NULL);
    start(GMS_SCHEDULER_RATE);
    for (i = 0; i < MANY; ++i) {
        many[i].index = i;
        many[i].idt_ticks = MANY + i * 37 % 1000;
        add(&many[i], 0);
    }
    for (t = 1; t < 200; ++t) {
        for (i = 0; i < MANY; ++i) {
            slot[i] = many[i].heap_slot;
        }
        CU_ASSERT_NOT_EQUAL(serve(t, 0), '-');
        for (moved = 0, i = 0; i < MANY; ++i) {
            moved += slot[i] != many[i].heap_slot;
        }
        CU_ASSERT(moved <= 13);
    }
    free(many);
    free(slot);
}

/* [source: gulati 2001 thesis figure 2.3] A sends messages of three packets and
 * B sends messages of one packet. A is flow 0 and B is flow 1; their packets
 * are sent to different nodes. */
static void run_figure_2_3(uint32_t id, char *order, unsigned length)
{
    unsigned packet[2] = {0}, i;
    uint64_t next_rtc;

    start(id);
    flows[1].key.target_node = 1;
    flows[0].idt_ticks = 2;
    flows[1].idt_ticks = 3;
    add(&flows[0], 0);
    add(&flows[1], 0);
    for (i = 0; i < length; ++i) {
        gms_flow_t *flow = ops->pick(scheduler, i, &next_rtc);
        int end;

        if (flow == NULL) {
            order[i] = '-';
            continue;
        }
        end = flow->index == 1 || ++packet[0] % 3 == 0;
        ops->dispatched(scheduler, flow, i, end);
        order[i] = (char)('A' + flow->index);
    }
    order[length] = '\0';
}

/* For the same load, the three schedulers dispatch packets in three different
 * orders. Therefore, this test fails if two schedulers are swapped. */
static void test_three_differ(void)
{
    char order[16];

    run_figure_2_3(GMS_SCHEDULER_MESSAGE_RR, order, 12);
    CU_ASSERT_STRING_EQUAL(order, "AAABAAABAAAB");
    run_figure_2_3(GMS_SCHEDULER_PACKET_RR, order, 12);
    CU_ASSERT_STRING_EQUAL(order, "ABABABABABAB");
    run_figure_2_3(GMS_SCHEDULER_RATE, order, 12);
    CU_ASSERT_STRING_EQUAL(order, "ABABA-ABABA-");
}

/* Two flows go to node 1 and one flow goes to node 2. The two connections
 * receive equal shares, and the flows of a connection divide its share equally.
 * [source: gulati 2001 thesis 4.1] */
static void test_packet_rr_rings(void)
{
    unsigned i;

    start(GMS_SCHEDULER_PACKET_RR);
    flows[0].key.target_node = 1;
    flows[1].key.target_node = 1;
    flows[2].key.target_node = 2;
    for (i = 0; i < 3; ++i) {
        add(&flows[i], 0);
    }
    serve_order("ACBCACBCACBC");
    drop(&flows[2]);
    serve_order("AB");
    drop(&flows[0]);
    serve_order("B");
    drop(&flows[1]);
    serve_order("-");
}

/* A flow that is dropped in the middle of its message loses its turn. When the
 * flow is added again, it waits for a turn like a new flow. */
static void test_message_rr_drop(void)
{
    start(GMS_SCHEDULER_MESSAGE_RR);
    add(&flows[0], 0);
    add(&flows[1], 0);
    CHECK_U64(serve(0, 0), 'A');
    drop(&flows[0]);
    CHECK_U64(serve(0, 0), 'B');
    add(&flows[0], 0);
    CHECK_U64(serve(0, 1), 'B');
    CHECK_U64(serve(0, 1), 'A');
}

/* If all flows are backlogged and unregulated, no flow is ever more than one
 * packet ahead of another flow. */
static void test_fairness(void)
{
    static const uint32_t ids[] = {GMS_SCHEDULER_PACKET_RR, GMS_SCHEDULER_RATE,
                                   GMS_SCHEDULER_BYTE_RR};
    unsigned which, i, count[FLOWS];
    uint64_t t;

    for (which = 0; which < 3; ++which) {
        start(ids[which]);
        memset(count, 0, sizeof(count));
        for (i = 0; i < FLOWS; ++i) {
            flows[i].key.target_node = (uint16_t)i;
            add_packets(i, 4096);
        }
        for (t = 0; t < 1003; ++t) {
            ++count[serve(t / 3, 0) - 'A'];
            for (i = 0; i < FLOWS; ++i) {
                CU_ASSERT(count[i] >= (t + 1) / FLOWS &&
                          count[i] <= (t + FLOWS) / FLOWS);
            }
        }
    }
}

/* Starts the scheduler byte-rr. Packet headers are 29 bytes long. */
static void start_byte_rr(uint64_t quantum_bytes)
{
    params.nic_quantum_bytes = quantum_bytes;
    start(GMS_SCHEDULER_BYTE_RR);
    gms_params_init(&params);
}

/* Including headers, the packets of flow A have 400 bytes, and those of flow B
 * have 100 bytes. The quantum is 500 bytes. Flow A begins its first turn with a
 * credit of 500 bytes, and sends one packet. After its first three turns, flow
 * A has 100, 200 and 300 bytes left. It sends two packets in the fourth turn.
 * Flow B sends five packets in every turn, and has no credit left. After four
 * turns of each flow, A has sent 5 * 400 bytes and B has sent 20 * 100
 * bytes. */
static void test_byte_rr_quantum(void)
{
    start_byte_rr(500);
    add_packets(0, 371);
    add_packets(1, 71);
    serve_order("ABBBBBABBBBBABBBBBAABBBBB");
    CHECK_U64(flows[0].quantum_ends, 4);
    CHECK_U64(flows[1].quantum_ends, 3); /* the next pick() ends B's fourth
                                          * turn */
    CHECK_U64(flows[0].deficit_bytes + flows[1].deficit_bytes, 0);
    serve_order("A");
    CHECK_U64(flows[1].quantum_ends, 4);
    CHECK_U64(flows[0].deficit_bytes, 100);
}

/* The quantum is 100 bytes. The packets of flow A have 250 bytes, and those of
 * flow B have 100 bytes. Flow A has a credit of 100, 200 and 300 bytes in its
 * first three turns. Flow A sends a packet in the third turn, and a credit of
 * 50 bytes remains. Flow A has a credit of 150 and 250 bytes in the next two
 * turns. Therefore, A sends in its turns 3, 5 and 8, and B sends in every
 * turn. */
static void test_byte_rr_small_quantum(void)
{
    start_byte_rr(100);
    add_packets(0, 221);
    add_packets(1, 71);
    serve_order("BBABBABBBA");
    CHECK_U64(flows[0].quantum_ends, 7);
    CHECK_U64(flows[1].quantum_ends, 7);
}

/* Even if there is only one flow, its turns end. With a quantum of 300 bytes
 * and packets of 100 bytes, a turn ends after every third packet. If the flow
 * has no packet left when its quantum is used up, the end of the turn is not
 * counted. */
static void test_byte_rr_alone(void)
{
    start_byte_rr(300);
    add_packets(0, 71);
    serve_order("AAA");
    CHECK_U64(flows[0].quantum_ends, 0);
    serve_order("AAA");
    CHECK_U64(flows[0].quantum_ends, 1);
    drop(&flows[0]);
    CHECK_U64(serve(0, 0), '-');
    CHECK_U64(flows[0].quantum_ends, 1);
}

/* The headers of empty messages use bytes of the quantum: three messages use 87
 * (3 * 29) of 100 bytes. */
static void test_byte_rr_empty_messages(void)
{
    start_byte_rr(100);
    add_packets(0, 0);
    add_packets(1, 71);
    serve_order("AAABAAAB");
}

/* A flow that is dropped during its turn loses the remaining bytes of the turn,
 * and B has the next turn. After B's turn, A begins with a credit of 300 bytes,
 * not of 500 bytes. Calling pick() twice does not begin a second turn. */
static void test_byte_rr_drop(void)
{
    uint64_t next_rtc;

    start_byte_rr(300);
    add_packets(0, 71);
    add_packets(1, 71);
    serve_order("A");
    CU_ASSERT_PTR_EQUAL(ops->pick(scheduler, 0, &next_rtc), &flows[0]);
    CU_ASSERT_PTR_EQUAL(ops->pick(scheduler, 0, &next_rtc), &flows[0]);
    CHECK_U64(flows[0].deficit_bytes, 200);
    drop(&flows[0]);
    serve_order("B");
    add_packets(0, 71);
    serve_order("BBAAABBB");
    CHECK_U64(flows[0].quantum_ends, 1);
    CHECK_U64(flows[1].quantum_ends, 1);
}

/* The high-priority flow is served first. After that, the interrupted turn of
 * the low-priority flow continues. */
static void test_byte_rr_priority(void)
{
    start_byte_rr(300);
    flows[2].key.priority = 1;
    add_packets(0, 71);
    add_packets(1, 71);
    serve_order("A");
    add_packets(2, 71);
    serve_order("CCCC");
    drop(&flows[2]);
    serve_order("AABBBA");
}

/* The last packet of a message is shorter: 8221 bytes are two packets of 4096
 * bytes and one packet of 29 bytes. */
static void test_byte_rr_next_bytes(void)
{
    gms_token_t token = {.length = 8221, .segment_bytes = 4096};

    CHECK_U64(gms_token_next_bytes(&token), 4096);
    token.sent_bytes = 4096;
    CHECK_U64(gms_token_next_bytes(&token), 4096);
    token.sent_bytes = 8192;
    CHECK_U64(gms_token_next_bytes(&token), 29);
}

static void test_pick_cycles(void)
{
    params.mcp_rate_first_cycles = 7;
    params.mcp_rate_flow_cycles = 21;
    start(GMS_SCHEDULER_PACKET_RR);
    add(&flows[0], 0);
    CHECK_U64(ops->pick_cycles(scheduler, &params), 0);
    start(GMS_SCHEDULER_RATE);
    add(&flows[0], 0);
    CHECK_U64(ops->pick_cycles(scheduler, &params), 7);
    add(&flows[1], 0);
    add(&flows[2], 0);
    CHECK_U64(ops->pick_cycles(scheduler, &params), 49);
    gms_params_init(&params);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"names", test_names},
        {"an empty scheduler, one flow, and empty again", test_empty},
        {"rate: thesis table 3.1", test_table_3_1},
        {"rate: pick returns the time of the next dispatch",
         test_rate_says_when},
        {"rate: a pause gives a flow no credit", test_rate_add},
        {"rate: makes up for late dispatches", test_rate_makes_up},
        {"rate: yielding flows catch up by at most 1000 ticks",
         test_rate_yields},
        {"rate: yielding flows lose delays above 1000 ticks",
         test_rate_yields_from},
        {"rate: unregulated flows", test_rate_unregulated},
        {"rate: change of IDT", test_rate_idt_changed},
        {"rate: change of IDT reorders flows", test_rate_idt_reorders},
        {"rate: earliest NDT in random runs", test_rate_is_least},
        {"rate: the cost of a service is O(log n)", test_rate_is_logarithmic},
        {"three schedulers, three orders (figure 2.3)", test_three_differ},
        {"packet-rr: connections and their flows share equally",
         test_packet_rr_rings},
        {"message-rr: a dropped flow loses its turn", test_message_rr_drop},
        {"byte-rr: quantum and remainder", test_byte_rr_quantum},
        {"byte-rr: quantum smaller than a packet", test_byte_rr_small_quantum},
        {"byte-rr: a single flow", test_byte_rr_alone},
        {"byte-rr: empty messages", test_byte_rr_empty_messages},
        {"byte-rr: a dropped flow loses its turn", test_byte_rr_drop},
        {"byte-rr: a high-priority flow interrupts a turn",
         test_byte_rr_priority},
        {"byte-rr: length of the next packet", test_byte_rr_next_bytes},
        {"fairness", test_fairness},
        {"cost of choosing the next packet", test_pick_cycles},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"scheduler", setup, teardown, NULL, NULL, tests});
}
