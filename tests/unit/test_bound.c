/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the bounds of reserved flows against values computed by hand, for a NIC
 * whose parameters have round values. This NIC's LANai needs 1 us for each job,
 * its host DMA needs 1 us per 100 bytes, and a link needs 1 us per 200 bytes.
 * Headers and propagation take no time.
 */
#include "account_bounds.h"

#define US GMS_US
/* Costs of a packet of 1848 bytes, in us. W: time on a link. SEND_EXTRA: work
 * at the source between two packets, namely for completing a send and an
 * acknowledgement (2), for an event (2), and for a descriptor (1).
 * RECEIVE_EXTRA: checking a packet. The target needs 3 jobs plus an event,
 * which takes 1 job and 1 us. */
enum {
    W = 10,
    SEND_EXTRA = 2 + 2 + 1,
    RECEIVE_EXTRA = 1
};
/* Costs of other packets, in us. BLOCK: a best-effort transfer of 20 us, the
 * jobs of this transfer (4 us for sending or 2 us for receiving), and a job
 * that has just begun. CONTROL: a manager's packet on a link. */
enum {
    BLOCK = 25,
    CONTROL = 2
};

static void set_costs(void)
{
    gms_params_init(&params);
    params.qos_node_load_ppm = 1000000;
    params.lanai_cycle_ps = US;
    params.rtc_tick_ps = US;
    params.mcp_token_cycles = 1;
    params.mcp_recv_token_cycles = 1;
    params.mcp_schedule_cycles = 1;
    params.mcp_rate_first_cycles = 1;
    params.mcp_rate_flow_cycles = 0;
    params.mcp_sdma_start_cycles = 1;
    params.mcp_sdma_finish_cycles = 1;
    params.mcp_send_start_cycles = 1;
    params.mcp_send_finish_cycles = 1;
    params.mcp_recv_finish_cycles = 1;
    params.mcp_rdma_start_cycles = 1;
    params.mcp_rdma_finish_cycles = 1;
    params.mcp_event_cycles = 1;
    params.mcp_ack_send_cycles = 1;
    params.mcp_ack_receive_cycles = 1;
    params.host_dma_bytes_s = 100 * 1000000;
    params.host_dma_setup_ps = 0;
    params.host_send_ps = 0;
    params.host_pio_ps = 0;
    params.nic_mtu_bytes = 2000;
    params.nic_header_bytes = 152; /* a manager's packet with a payload of 248
                                    * bytes then has 400 bytes, which take 2 us
                                    * on a link */
    params.nic_event_bytes = 100;
    params.nic_ack_bytes = 8;
    params.link_bytes_s = 200 * 1000000;
    params.link_propagation_ps = 0;
    params.switch_routing_ps = 0;
    params.qos_node_bytes_s = 1000 * 1000000;
    params.qos_idt_product = 2000;
}

static void setup_bound(void)
{
    set_costs();
    open_account(UINT64_C(16) << 20);
}

/* Return a request for one packet of 1848 bytes, every `period_us`
 * microseconds. This packet takes 10 us on a link. */
static gms_flow_request_t flow(unsigned source, unsigned target,
                               double period_us)
{
    gms_flow_request_t request = {.source_node = source,
                                  .key = key_to(target, 0),
                                  .qos_class = GMS_QOS_PREMIUM,
                                  .bytes_s = 2000 / period_us * 1e6,
                                  .shape = {.message_bytes = 1848}};

    return request;
}

/* The times that a packet spends in the NICs of its source and its target.
 * Each of these times includes 18.48 us of host DMA. The source adds 5
 * jobs; the target adds 3 jobs and 2 us for an event. */
static const double send_us = 23.48, receive_us = 23.48;
/* The delays at a source and at a target before a packet is served: a
 * best-effort packet, a manager's packet, and the work between two packets. */
static const double source_us = BLOCK + CONTROL + SEND_EXTRA;
static const double target_us = BLOCK + CONTROL + RECEIVE_EXTRA;

static void check_us(gms_time_t actual_ps, double expected_us)
{
    /* The tolerance is 1 ns, because intermediate results are rounded up. */
    CHECK_NEAR((double)actual_ps / US, expected_us, 0.001 / expected_us);
}

static void test_one_flow(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    double path = source_us + send_us + W + target_us + receive_us;
    gms_qos_verdict_t verdict = ask(&request);
    double least = 1 + send_us + W + 1 + 1 + 18.48 + 1 + 2;

    CHECK_U64(verdict.criterion, GMS_QOS_OK);
    check_us(bounds(0, 1).delay_ps, path);
    check_us(verdict.bounds.delay_ps, path);
    /* The latency is the interval between a one-byte packet, which takes 5 +
     * 0.76 + 2 us, and the next packet. */
    check_us(bounds(0, 1).latency_ps, path + 1000 + 1 - 7.76);
    check_us(bounds(0, 1).jitter_ps, path - least);
    /* The burst is 1848 bytes, plus 1848 bytes for each IDT by which a packet
     * can be late. A packet can be late by one tick plus all delays at the
     * source except its own service. */
    CHECK_NEAR(bounds(0, 1).burst_bytes, 1848 * (1 + (source_us + 1) / 1000),
               0.001);
}

/* The flit model has cycles of 0.08 us (16 bytes). A link delays a head by one
 * cycle, and a switch delays it by two cycles. On each link, the head may have
 * to wait for one best-effort flit. On the link into the NIC, another flit can
 * be sent while the NIC decides whether to accept the head. The 2000 bytes of
 * the packet are 125 flits. */
static void test_flit(void)
{
    const double cycle = 0.08;
    double path = source_us + send_us + W + target_us + receive_us +
                  cycle * (1 + 2 + 1) + cycle * 2 + cycle;
    double least = 1 + send_us + W + 1 + 1 + 18.48 + 1 + 2 + cycle * 4;
    gms_flow_request_t request = flow(0, 1, 1000);

    params.fabric_model = GMS_FABRIC_FLIT;
    reopen();
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    check_us(bounds(0, 1).delay_ps, path);
    check_us(bounds(0, 1).latency_ps, path + 1000 + 1 - 7.8 - cycle * 4);
    check_us(bounds(0, 1).jitter_ps, path - least);
    /* One more byte requires another flit. The host DMA needs additional time
     * only for this byte. */
    request.shape.message_bytes = 1849;
    ask(&request);
    check_us(bounds(0, 1).delay_ps, path + cycle + 2 * 0.01);
}

/* The target's NIC is slower than its link. If several packets meet in this
 * NIC, the last packet waits for all others. */
static void test_flows_that_meet(void)
{
    double path = source_us + send_us + W + target_us + receive_us;
    unsigned i;

    for (i = 1; i <= 3; ++i) {
        gms_flow_request_t request = flow(i, 0, 1000);

        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    }
    for (i = 1; i <= 3; ++i) {
        check_us(bounds(i, 0).delay_ps,
                 path + 2 * (receive_us + RECEIVE_EXTRA));
    }
    CHECK_U64(gms_account_node_packets(account, 0), 3);
}

/* Two flows have the same source. At this source, a packet waits for a packet
 * of the other flow. In the network, at most one packet waits, because the
 * packets enter the network one after the other. */
static void test_flows_of_one_source(void)
{
    gms_flow_request_t a = flow(0, 1, 1000), b = flow(0, 2, 1000);

    ask(&a);
    ask(&b);
    check_us(bounds(0, 1).delay_ps,
             source_us + SEND_EXTRA + 2 * send_us + W + target_us + receive_us);
    CHECK_U64(bounds(0, 1).delay_ps, bounds(0, 2).delay_ps);
}

/* A short packet waits behind a long packet of the same source. The short
 * packet waits in the NIC while the NIC processes the long packet and then
 * sends it over the link. There are eight buffers. The smallest cost of a
 * packet is therefore an eighth of the sum of BLOCK and the long packet's 23.48
 * + 12 us. The long packet's 12 us on the link exceed this smallest cost by
 * 4.44 us. Reading the short packet's descriptor is a separate job, because the
 * NIC cannot do it during a transfer of only 1.48 us. This job does not take
 * additional time. */
static void test_long_before_short(void)
{
    const double line_us = W + 2, floor_us = (BLOCK + send_us + line_us) / 8;
    const double out_us = 5 + 1 + 1.48, in_us = 3 + 2 + 1.48, wire_us = 1.5;
    const double source = source_us + SEND_EXTRA - 1 + send_us + line_us;
    gms_flow_request_t a = flow(0, 1, 1000), b = flow(0, 2, 1000);
    gms_flow_request_t back = flow(3, 0, 1000);

    b.shape.message_bytes = 148;
    ask(&a);
    ask(&b);
    CU_ASSERT_TRUE(line_us > floor_us && floor_us > out_us);
    check_us(bounds(0, 2).delay_ps, source + target_us + wire_us + in_us);
    check_us(bounds(0, 1).delay_ps, source + target_us + W + receive_us);
    /* The NIC handles a received packet before the long packet, and executes 3
     * jobs between the two packets. In this case, the cost of the short packet
     * is the smallest cost, which includes no time on the link. */
    ask(&back);
    check_us(bounds(0, 2).delay_ps, source + receive_us + 3 + floor_us -
                                        out_us + target_us + wire_us + in_us);
}

/* The link is slower than the NIC. Between two packets that wait only for the
 * link, the NIC executes jobs for other traffic. The NIC also sends an
 * acknowledgement, which takes 0.04 us on the link. */
static void test_slow_link(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    /* The value of block_us equals BLOCK with a transfer of 2 us instead of 20
     * us. The value of gap_us includes 2 x 3 jobs. The value of link_us
     * includes 2 jobs for starting and completing a packet. */
    const double block_us = 7, link_us = W + 2;
    const double gap_us = 3 + 1 + 0.04 + 3;
    const double extra_us = 2 + 1 + 0.1;

    params.host_dma_bytes_s = 1000 * 1000000;
    reopen();
    ask(&request);
    check_us(bounds(0, 1).delay_ps, block_us + CONTROL + extra_us + gap_us +
                                        link_us + block_us + CONTROL + W + W +
                                        RECEIVE_EXTRA);
}

/* The network has two switches with three hosts each. Two flows from different
 * hosts share the cable between the switches. At this cable, a packet waits for
 * a packet of the other flow and for a manager's packet. */
static void test_shared_cable(void)
{
    gms_flow_request_t a = flow(0, 3, 1000), b = flow(1, 4, 1000);
    double path = source_us + send_us + CONTROL + W + target_us + receive_us;

    params.hosts = 6;
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts_per_switch = 3;
    reopen();
    ask(&a);
    check_us(bounds(0, 3).delay_ps, path);
    ask(&b);
    check_us(bounds(0, 3).delay_ps, path + W);
    check_us(bounds(1, 4).delay_ps, path + W);
    /* At most one packet waits at the end of the first link. */
    CHECK_U64(gms_account_link_packets(account,
                                       gms_topology_node_link(topology, 0, 0)),
              1);
}

/* Reservations and their acknowledgements may use at most 99.5 % of a link. The
 * remaining 0.5 % is for the messages of the managers, which are sent after
 * reserved packets. */
static void test_links_keep_time_for_managers(void)
{
    gms_flow_request_t a = flow(0, 3, 27), b = flow(1, 4, 36);
    gms_flow_request_t c = flow(2, 5, 29), back = flow(3, 0, 50);
    gms_qos_verdict_t verdict;

    params.hosts = 6;
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts_per_switch = 3;
    params.qos_link_bytes_s = 1000 * MB;
    reopen();
    CHECK_U64(ask(&a).criterion, GMS_QOS_OK);
    CHECK_U64(ask(&b).criterion, GMS_QOS_OK);
    /* packets of 10 us every 27, 36 and 29 us use 0.993 of the cable's time */
    CHECK_U64(ask(&c).criterion, GMS_QOS_OK);
    /* With an additional acknowledgement of 0.8 us every 50 us, the flows would
     * use 1.009 of the cable's time. */
    params.nic_ack_bytes = 160;
    reopen();
    CHECK_U64(ask(&a).criterion, GMS_QOS_OK);
    CHECK_U64(ask(&b).criterion, GMS_QOS_OK);
    CHECK_U64(ask(&c).criterion, GMS_QOS_OK);
    CU_ASSERT_NOT_EQUAL(ask(&back).criterion, GMS_QOS_OK);
    params.nic_ack_bytes = 8;
    reopen();
    a = flow(0, 3, 26);
    b = flow(1, 4, 37);
    CHECK_U64(ask(&a).criterion, GMS_QOS_OK);
    CHECK_U64(ask(&b).criterion, GMS_QOS_OK);
    /* packets of 10 us every 26, 37 and 29 us would use 0.9997 of the cable's
     * time */
    verdict = ask(&c);
    CHECK_U64(verdict.criterion, GMS_QOS_LINK);
}

/* The three packets of a message follow each other at the rate of their flow.
 * Before the first packet is sent, its descriptor may have to wait. */
static void test_long_message(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    gms_qos_bounds_t one, three;

    request.shape.message_bytes = 2000;
    ask(&request);
    one = bounds(0, 1);
    request.shape.message_bytes = 6000;
    ask(&request);
    three = bounds(0, 1);
    /* The delay of three packets is two periods and 7 us longer than the delay
     * of one packet. POLL spends these 7 us on 5 jobs of a send, the descriptor
     * that is being read, and the message's own descriptor. */
    check_us(three.delay_ps - one.delay_ps, 2000 + 7);
    request.shape.burst_bytes = 12000;
    ask(&request);
    check_us(bounds(0, 1).delay_ps - three.delay_ps, 3000);
    CHECK_U64(bounds(0, 1).latency_ps, three.latency_ps);
}

/* The flows of a NIC take turns at POLL. For each additional flow, the NIC may
 * read one more descriptor before that of the flow under test. A flow that was
 * granted before the other flows also waits for their descriptors. */
static void test_turns_at_poll(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    gms_flow_request_t other = flow(0, 2, 1000);
    gms_qos_bounds_t one, three;

    request.shape.message_bytes = 6000;
    ask(&request);
    ask(&other);
    three = bounds(0, 1);
    request.shape.message_bytes = 2000;
    ask(&request);
    one = bounds(0, 1);
    /* The delays differ by the same time as in test_long_message(), plus 1 us
     * for the descriptor of the other flow. */
    check_us(three.delay_ps - one.delay_ps, 2000 + 7 + 1);
}

static void test_buffers_overflow(void)
{
    gms_flow_request_t request;
    gms_qos_verdict_t verdict;
    unsigned i;

    params.hosts = 6;
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts_per_switch = 3;
    params.switch_reserved_packets = 2;
    params.nic_reserved_buffers = 1;
    reopen();
    for (i = 0; i < 3; ++i) {
        request = flow(i, 3, 500);
        verdict = ask(&request);
        if (verdict.criterion != GMS_QOS_OK) {
            break;
        }
    }
    CHECK_U64(verdict.criterion, GMS_QOS_BUFFER);
    CU_ASSERT_TRUE(gms_account_link_packets(account, verdict.resource) <= 2);
    /* A request for the remaining bandwidth that an answer reports must be
     * granted, unless this bandwidth is zero. */
    if (verdict.left_bytes_s > 0) {
        request.bytes_s = verdict.left_bytes_s;
        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    }
}

static void test_delay_of_the_asker(void)
{
    gms_flow_request_t a = flow(1, 0, 1000), b = flow(2, 0, 1000);
    gms_qos_verdict_t verdict;
    gms_time_t alone_ps;

    ask(&a);
    alone_ps = bounds(1, 0).delay_ps;
    b.shape.delay_ps = alone_ps;
    verdict = ask(&b);
    CHECK_U64(verdict.criterion, GMS_QOS_DELAY);
    CHECK_U64(verdict.victim_node, 2);
    CHECK_U64(verdict.victim.target_node, 0);
    CHECK_U64((uint64_t)verdict.left_bytes_s, 0);
    CU_ASSERT_TRUE(verdict.bounds.delay_ps > alone_ps);
    CHECK_U64(bounds(1, 0).delay_ps, alone_ps);
    b.shape.delay_ps = verdict.bounds.delay_ps;
    CHECK_U64(ask(&b).criterion, GMS_QOS_OK);
}

static void test_delay_of_a_victim(void)
{
    gms_flow_request_t a = flow(1, 0, 1000), b = flow(2, 0, 1000);
    gms_qos_verdict_t verdict;

    a.shape.delay_ps = 120 * US;
    CHECK_U64(ask(&a).criterion, GMS_QOS_OK);
    verdict = ask(&b);
    CHECK_U64(verdict.criterion, GMS_QOS_DELAY);
    CHECK_U64(verdict.victim_node, 1);
    CU_ASSERT_PTR_NULL(gms_account_find(account, 2, &b.key));
    a.shape.delay_ps = 0;
    a.shape.jitter_ps = 60 * US;
    CHECK_U64(ask(&a).criterion, GMS_QOS_OK);
    verdict = ask(&b);
    CHECK_U64(verdict.criterion, GMS_QOS_JITTER);
    CHECK_U64(verdict.victim_node, 1);
    a.shape.jitter_ps = 0;
    ask(&a);
    CHECK_U64(ask(&b).criterion, GMS_QOS_OK);
}

/* A scheduler that does not bound delays denies every request with a delay. */
static void test_no_rule(void)
{
    static const enum gms_fabric_model models[] = {GMS_FABRIC_WORM,
                                                   GMS_FABRIC_FLIT};
    unsigned i;

    params.undeclared = GMS_UNDECLARED_FREE;
    for (i = 0; i < 2; ++i) {
        gms_flow_request_t request = flow(0, 1, 1000);

        params.fabric_model = models[i];
        reopen();
        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
        CHECK_U64(bounds(0, 1).delay_ps, 0);
        request.shape.delay_ps = GMS_SECOND;
        CHECK_U64(ask(&request).criterion, GMS_QOS_DELAY);
        CHECK_U64(bounds(0, 1).delay_ps, 0);
    }
}

/* With the flit model, a requested delay is granted and kept. */
static void test_flit_delay(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);

    params.fabric_model = GMS_FABRIC_FLIT;
    reopen();
    request.shape.delay_ps = 200 * US;
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    request = flow(2, 1, 1000);
    request.shape.delay_ps = 100 * US;
    CHECK_U64(ask(&request).criterion, GMS_QOS_DELAY);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"one flow", test_one_flow},
        {"one flow, model flit", test_flit},
        {"flows that meet at one target", test_flows_that_meet},
        {"flows of one source", test_flows_of_one_source},
        {"a long packet before a short one", test_long_before_short},
        {"a link slower than its NIC", test_slow_link},
        {"shared cable", test_shared_cable},
        {"every link reserves time for messages of managers",
         test_links_keep_time_for_managers},
        {"long message", test_long_message},
        {"flows take turns when the NIC reads descriptors", test_turns_at_poll},
        {"a request that could overflow buffers is denied",
         test_buffers_overflow},
        {"delay of the requested flow", test_delay_of_the_asker},
        {"delay of a flow in force", test_delay_of_a_victim},
        {"a requested delay in fabric model flit", test_flit_delay},
        {"schedulers without delay bounds", test_no_rule},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"bounds", NULL, NULL, setup_bound, teardown, tests});
}
