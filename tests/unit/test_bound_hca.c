/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the bounds of hca NICs against values computed by hand, for a NIC whose
 * parameters have round values. A full packet has 2000 bytes of payload. The
 * read of a full packet and its transmission on a link take 1 us each. The
 * write of a full packet, together with an event of 100 bytes, takes 1.05 us.
 * Propagation and routing take no time.
 */
#include <math.h>

#include "account_bounds.h"
#include "manager/bound_hca.h"

#define US GMS_US

/* Latencies (us). */
enum {
    REQUEST = 1, /* time per work request */
    SEND = 1,
    READ = 2,
    RECEIVE = 1,
    WRITE = 3,
    COMPLETION = 1,
    DATA = 1
};

static const double wire_us = 1, read_us = 1, write_us = 1.05;
/* Work of other classes before a reserved packet. At the source: 16 reads of
 * full packets, 16 reads of managers' packets of 248 bytes, and one packet on
 * the link. At the target: one packet on the link, and 16 writes. */
static const double send_block_us = 16 * (1 + 0.124) + 1;
static const double write_block_us = 16 * 1.05;
/* Largest latency of a write: the receive engine, the write, and the event. */
static const double written_us = RECEIVE + WRITE + COMPLETION + DATA;

static void set_costs(void)
{
    set_nic();
    params.nic_kind = GMS_NIC_HCA;
    params.fabric_model = GMS_FABRIC_CUT_THROUGH;
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    params.rtc_tick_ps = 10 * GMS_NS;
    params.nic_mtu_bytes = 2000;
    params.nic_header_bytes = 84; /* 2100 bytes with the extended header */
    params.nic_event_bytes = 100;
    params.nic_ack_bytes = 21; /* 10 ns on a link */
    params.nic_send_buffers = 16;
    params.nic_reserved_buffers = 256;
    params.link_bytes_s = 2100 * UINT64_C(1000000);
    params.host_dma_bytes_s = 2000 * UINT64_C(1000000);
    params.host_dma_setup_ps = 0;
    params.host_send_ps = 0;
    params.host_pio_ps = 0;
    params.hca_inline_bytes = 128;
    params.hca_request_ps = REQUEST * US;
    params.hca_fetch_ps = 0;
    params.hca_packet_ps = 0;
    params.hca_send_ps = SEND * US;
    params.hca_read_ps = READ * US;
    params.hca_receive_ps = RECEIVE * US;
    params.hca_write_ps = WRITE * US;
    params.hca_completion_ps = COMPLETION * US;
    params.hca_data_ps = DATA * US;
    params.link_propagation_ps = 0;
    params.switch_routing_ps = 0;
    params.qos_node_bytes_s = 4000 * UINT64_C(1000000);
    params.qos_link_bytes_s = 2000 * UINT64_C(1000000);
    params.qos_idt_product = 200000;
}

static void setup_hca(void)
{
    set_costs();
    open_account(UINT64_C(16) << 20);
}

/* Return a request for one packet of 2000 bytes per period. */
static gms_flow_request_t flow(unsigned source, unsigned target,
                               double period_us)
{
    gms_flow_request_t request = {.source_node = source,
                                  .key = key_to(target, 0),
                                  .qos_class = GMS_QOS_PREMIUM,
                                  .bytes_s = 2000 / period_us * 1e6,
                                  .shape = {.message_bytes = 2000}};

    return request;
}

static void check_us(gms_time_t actual_ps, double expected_us)
{
    /* The tolerance is 1 ns, because intermediate results are rounded up. */
    CHECK_NEAR((double)actual_ps / US, expected_us, 0.001 / expected_us);
}

/* Return the time after which a NIC with `flows` reserved flows has executed a
 * work request: the request in progress, and one request of each flow. */
static double request_us(double flows)
{
    return (1 + flows) * REQUEST;
}

/* Delay of a full packet at a source with one reserved flow. The delay consists
 * of work requests, other traffic, the packet's read, its time on the link, and
 * the read latency. */
static double source_us(void)
{
    return request_us(1) + send_block_us + read_us + wire_us + READ + SEND;
}

/* Delay of the last of n full packets that meet at a target: other traffic, the
 * link's time of one packet, and n writes. */
static double target_us(double packets)
{
    return 1 + write_block_us + wire_us + packets * write_us + written_us;
}

static void test_one_flow(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    double path = source_us() + target_us(1);
    double least =
        REQUEST + SEND + READ + read_us + 2084. / 2100 + RECEIVE + WRITE + 1;

    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    check_us(bounds(0, 1).delay_ps, path);
    check_us(bounds(0, 1).jitter_ps, path - least);
    /* The latency is the longest interval between the arrivals of two packets.
     * The first packet has one byte and takes at least 1 + 0.04 + 1 + 3 us. */
    check_us(bounds(0, 1).latency_ps, path + 1000 + 0.01 - 5.04);
}

static void test_flows_that_meet(void)
{
    unsigned i;

    for (i = 1; i <= 3; ++i) {
        gms_flow_request_t request = flow(i, 0, 1000);

        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    }
    for (i = 1; i <= 3; ++i) {
        check_us(bounds(i, 0).delay_ps, source_us() + target_us(3));
    }
}

/* Two flows have the same source. At the source, a packet of one flow waits for
 * a work request and a packet of the other flow. This packet takes 1 us on the
 * bus and on the link. */
static void test_flows_of_one_source(void)
{
    gms_flow_request_t a = flow(0, 1, 1000), b = flow(0, 2, 1000);

    ask(&a);
    ask(&b);
    check_us(bounds(0, 1).delay_ps, source_us() + REQUEST + 1 + target_us(1));
    CHECK_U64(bounds(0, 1).delay_ps, bounds(0, 2).delay_ps);
}

/* The bound of a short message is the bound of a full packet, because the NIC
 * does not enforce the declared length. Only the smallest delay is shorter: the
 * data are part of the work request, so the NIC reads nothing. */
static void test_short_message(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    double path = source_us() + target_us(1);
    double least = REQUEST + SEND + 184. / 2100 + RECEIVE + WRITE + 0.05;

    request.shape.message_bytes = 100;
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    check_us(bounds(0, 1).delay_ps, path);
    check_us(bounds(0, 1).jitter_ps, path - least);
}

/* There are 16 send buffers, so a packet at the source costs at least a
 * sixteenth of a cycle. A cycle consists of reading and sending another full
 * packet, the latencies, and reading and sending the packet under test. At the
 * target, a packet costs at least a sixteenth of the latency of a write. If all
 * writes in flight began together, a reserved packet waits for their
 * latency. */
static void test_long_latencies(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    double read = 30, written = written_us - WRITE + 30;
    double cycle = 1 + 1 + read + SEND + read_us + wire_us;
    double path;

    params.hca_read_ps = params.hca_write_ps = 30 * US;
    reopen();
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    path = request_us(1) + send_block_us + wire_us + cycle / 16 + read + SEND;
    path += 1 + (written + write_us) + wire_us + (written + write_us) / 16 +
            written;
    check_us(bounds(0, 1).delay_ps, path);
}

/* The latency of a read is 500 ps longer per byte, which is 1 us per packet. The
 * latency of all packets increases by this time, and so does the smallest delay
 * of a message. */
static void test_reads_per_byte(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    gms_qos_bounds_t before;

    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    before = bounds(0, 1);
    params.hca_read_ps_per_byte = 500;
    reopen();
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    check_us(bounds(0, 1).delay_ps, (double)before.delay_ps / US + 1);
    check_us(bounds(0, 1).jitter_ps, (double)before.jitter_ps / US);
}

/* If stages pass on packets in parts, packets can only arrive earlier. The bound
 * of the delay does not change. The smallest delay contains only one byte of
 * each bus instead of a packet of 2000 bytes (1 us). */
static void test_parts(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);
    gms_qos_bounds_t before;

    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    before = bounds(0, 1);
    params.hca_forward_bytes = 64;
    reopen();
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    CHECK_U64(bounds(0, 1).delay_ps, before.delay_ps);
    check_us(bounds(0, 1).jitter_ps,
             (double)before.jitter_ps / US + 2 * (1 - 0.0005));
    params.hca_forward_bytes = 2000;
    reopen();
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    CHECK_U64(bounds(0, 1).jitter_ps, before.jitter_ps);
}

/* The NIC executes one work request per message. If a request takes 5 us, a
 * message of one packet costs 5 us. One message every 4.9 us exceeds the NIC's
 * capacity, but one message of two packets every 9.8 us does not. */
static void test_work_requests(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);

    params.hca_request_ps = 5 * US;
    reopen();
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    check_us(bounds(0, 1).delay_ps,
             source_us() + 2 * (5 - REQUEST) + 5 - read_us + target_us(1));
    reopen();
    request = flow(0, 1, 4.9);
    CHECK_U64(ask(&request).criterion, GMS_QOS_SOURCE_NODE);
    request.shape.message_bytes = 4000;
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
}

/* A message of 5 packets is complete 4 IDTs after its first packet was due. The
 * work request of a later message in a burst may also have to wait. */
static void test_long_message(void)
{
    gms_flow_request_t request = flow(0, 1, 100);

    request.shape.message_bytes = 10000;
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    check_us(bounds(0, 1).delay_ps,
             source_us() + target_us(1) + request_us(1) + 4 * 100);
}

/* On both links, acknowledgements of a flow may precede packets in the other
 * direction: three acknowledgements of 10 ns on each link. */
static void test_acknowledgements(void)
{
    gms_flow_request_t a = flow(0, 1, 1000), b = flow(1, 0, 1000);

    ask(&a);
    ask(&b);
    CHECK_NEAR((double)bounds(0, 1).delay_ps / US,
               source_us() + target_us(1) + 2 * 0.03, 1e-4);
}

/* If packets arrive every 1 us, the target cannot write them fast enough. No
 * bound exists, and the manager denies the request. A request for which no
 * bound exists is denied even under the rule `constant`, because waiting
 * packets would break bounds of other flows. */
static void test_overload(void)
{
    gms_flow_request_t request = flow(0, 1, 1.04);
    gms_qos_verdict_t verdict = ask(&request);

    CHECK_U64(verdict.criterion, GMS_QOS_DESTINATION_NODE);
    CU_ASSERT_TRUE(verdict.left_bytes_s > 0.9 * 2000 / 1.05 * 1e6 &&
                   verdict.left_bytes_s < 2000 / 1.05 * 1e6);
    request.bytes_s = verdict.left_bytes_s;
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    CU_ASSERT_TRUE(bounds(0, 1).delay_ps > 0);
}

static void test_requested_delay(void)
{
    gms_flow_request_t a = flow(1, 0, 1000), b = flow(2, 0, 1000);
    double path = source_us() + target_us(1);

    a.shape.delay_ps = (gms_time_t)((path + 0.5) * US);
    CHECK_U64(ask(&a).criterion, GMS_QOS_OK);
    CHECK_U64(ask(&b).criterion, GMS_QOS_DELAY);
    check_us(bounds(1, 0).delay_ps, path);
}

/* The rule does not apply if one of its conditions is not met. */
static void test_conditions(void)
{
    static uint64_t *const values[] = {
        &params.hca_pace_burst_bytes, &params.vl_high_best_effort,
        &params.vl_high_control,      &params.units_per_host,
        &params.fabric_model,         &params.vl_high_limit};
    static const uint64_t others[] = {8192, 1, 1, 2, GMS_FABRIC_ETHERNET, 16};
    unsigned i;

    CU_ASSERT_TRUE(gms_bound_hca_applies(&params, topology));
    for (i = 0; i < sizeof(values) / sizeof(values[0]); ++i) {
        uint64_t before = *values[i];

        *values[i] = others[i];
        CU_ASSERT_FALSE(gms_bound_hca_applies(&params, topology));
        *values[i] = before;
    }
    params.vl_best_effort = params.vl_real_time;
    CU_ASSERT_FALSE(gms_bound_hca_applies(&params, topology));
}

/* If links have different rates, no bound is computed, and no request is denied
 * for lack of a bound. */
static void test_other_rates(void)
{
    gms_flow_request_t request = flow(0, 1, 1000);

    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts = 4;
    params.hosts_per_switch = 2;
    params.switch_link_bytes_s = 2 * params.link_bytes_s;
    reopen();
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    CHECK_U64(bounds(0, 1).delay_ps, 0);
    params.switch_link_bytes_s = params.link_bytes_s;
    reopen();
    CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    CU_ASSERT_TRUE(bounds(0, 1).delay_ps > 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"one flow", test_one_flow},
        {"flows that meet at one target", test_flows_that_meet},
        {"flows of one source", test_flows_of_one_source},
        {"short message", test_short_message},
        {"long latencies of reads and writes", test_long_latencies},
        {"latency of reads per byte", test_reads_per_byte},
        {"packets in parts", test_parts},
        {"work requests", test_work_requests},
        {"long message", test_long_message},
        {"acknowledgements", test_acknowledgements},
        {"an overloaded target", test_overload},
        {"a requested delay", test_requested_delay},
        {"the rule applies only if its conditions are met", test_conditions},
        {"links of different rates", test_other_rates},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"bounds, kind hca", NULL, NULL, setup_hca, teardown, tests});
}
