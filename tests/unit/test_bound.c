/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the bounds of reserved flows against values computed by hand, for a NIC
 * whose parameters have round values. This NIC's LANai needs 1 us for each job,
 * its host DMA needs 1 us per 100 bytes, and a link needs 1 us per 200 bytes.
 * Headers and propagation take no time.
 */
#include <math.h>
#include <string.h>

#include "account_bounds.h"
#include "base/random.h"

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

/* ---- properties ---- */

enum {
    RANDOM_FLOWS = 40
};

static void open_clos(void)
{
    teardown();
    gms_params_init(&params);
    params.hosts = 32;
    params.topology = GMS_TOPOLOGY_CLOS;
    open_account(UINT64_C(16) << 20);
}

static gms_flow_request_t random_flow(gms_random_t *random, unsigned label)
{
    gms_flow_request_t request = {
        .source_node = (unsigned)gms_random_below(random, 32),
        .key = key_to((unsigned)gms_random_below(random, 32), label),
        .qos_class = GMS_QOS_PREMIUM,
        .bytes_s = (1 + (double)gms_random_below(random, 12)) * MB,
        .shape = {.message_bytes =
                      1 + (uint32_t)gms_random_below(random, 9000)}};

    return request;
}

/* Store the bounds of all active flows, indexed by label. */
static void note_bounds(gms_qos_bounds_t all[RANDOM_FLOWS])
{
    const gms_grant_t *grant = gms_account_first(account);

    memset(all, 0, RANDOM_FLOWS * sizeof(*all));
    for (; grant != NULL; grant = grant->next) {
        all[grant->key.label] = grant->bounds;
    }
}

static int are_equal(const gms_qos_bounds_t *a, const gms_qos_bounds_t *b)
{
    unsigned i;

    for (i = 0; i < RANDOM_FLOWS; ++i) {
        if (a[i].delay_ps != b[i].delay_ps ||
            a[i].jitter_ps != b[i].jitter_ps ||
            a[i].latency_ps != b[i].latency_ps ||
            a[i].burst_bytes != b[i].burst_bytes) {
            return 0;
        }
    }
    return 1;
}

static void test_bounds_never_fall(void)
{
    gms_qos_bounds_t before[RANDOM_FLOWS], after[RANDOM_FLOWS];
    gms_random_t random;
    unsigned i, k;

    open_clos();
    gms_random_init(&random, 1, 0);
    note_bounds(before);
    for (i = 0; i < RANDOM_FLOWS; ++i) {
        gms_flow_request_t request = random_flow(&random, i);
        gms_qos_verdict_t verdict, would;

        CHECK_U64(gms_account_would_grant(account, &request, 1, &would),
                  GMS_OK);
        note_bounds(after);
        CU_ASSERT_TRUE(are_equal(before, after));
        verdict = ask(&request);
        CHECK_U64(verdict.criterion, would.criterion);
        CHECK_U64(verdict.bounds.delay_ps, would.bounds.delay_ps);
        note_bounds(after);
        for (k = 0; k < RANDOM_FLOWS; ++k) {
            CU_ASSERT_TRUE(after[k].delay_ps >= before[k].delay_ps);
        }
        memcpy(before, after, sizeof(before));
    }
}

static void test_release_restores(void)
{
    gms_qos_bounds_t before[RANDOM_FLOWS], after[RANDOM_FLOWS];
    gms_random_t random;
    unsigned i, restored = 0;

    open_clos();
    gms_random_init(&random, 2, 0);
    for (i = 0; i + 1 < RANDOM_FLOWS; ++i) {
        gms_flow_request_t request = random_flow(&random, i);

        ask(&request);
    }
    for (i = 0; i < 20; ++i) {
        gms_flow_request_t request = random_flow(&random, RANDOM_FLOWS - 1);

        note_bounds(before);
        if (ask(&request).criterion == GMS_QOS_OK) {
            if (change_count == 1) {
                ++restored; /* no other flow's rate has increased */
            }
            CHECK_U64(gms_account_release(account, request.source_node,
                                          &request.key, on_changed, &changes),
                      GMS_OK);
            if (change_count > 2) {
                continue;
            }
        }
        note_bounds(after);
        CU_ASSERT_TRUE(are_equal(before, after));
    }
    CU_ASSERT_TRUE(restored >= 5);
}

/* ---- loose bounds ---- */

enum {
    LOOSE_HOSTS = 12,
    LOOSE_STEPS = 160,
    LOOSE_SEEDS = 6 /* at least one of these seeds leads to loose bounds */
};

/* Compare the bounds of the account's grants with the bounds in a new account
 * that adopts the same grants. No bound may be shorter than in the new account.
 * Set *equal_p to 1 if all bounds are equal. */
static void compare_with_new(int *equal_p)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    const gms_grant_t *grant, *other;
    gms_topology_t *new_topology;
    gms_account_t *new_account;
    gms_arena_t *new_arena;

    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(16) << 20, &new_arena) == GMS_OK &&
        gms_topology_create(new_arena, &params, NULL, &new_topology, error) ==
            GMS_OK &&
        gms_account_create(new_arena, new_topology, &params, &new_account) ==
            GMS_OK);
    *equal_p = 1;
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        CHECK_U64(gms_account_adopt(new_account, grant), GMS_OK);
    }
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        other = gms_account_find(new_account, grant->source_node, &grant->key);
        CU_ASSERT_FATAL(other != NULL);
        CU_ASSERT_TRUE(grant->bounds.delay_ps >= other->bounds.delay_ps &&
                       grant->bounds.latency_ps >= other->bounds.latency_ps);
        *equal_p &= grant->bounds.delay_ps == other->bounds.delay_ps &&
                    grant->bounds.latency_ps == other->bounds.latency_ps &&
                    grant->bounds.jitter_ps == other->bounds.jitter_ps &&
                    grant->bounds.burst_bytes == other->bounds.burst_bytes;
    }
    gms_arena_destroy_private(new_arena);
}

/* After a release, bounds may be longer than necessary, but must never be too
 * short. A denied request causes the account to compute tight bounds again. */
static unsigned release_and_deny(unsigned seed)
{
    unsigned step, loose = 0;
    gms_random_t random;
    int equal;

    teardown();
    gms_params_init(&params);
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts = LOOSE_HOSTS;
    params.hosts_per_switch = 3;
    open_account(UINT64_C(16) << 20);
    gms_random_init(&random, seed, 0);
    for (step = 0; step < LOOSE_STEPS; ++step) {
        gms_flow_request_t request = random_flow(&random, step);
        const gms_grant_t *first = gms_account_first(account);

        request.source_node %= LOOSE_HOSTS;
        request.key.target_node %= LOOSE_HOSTS;
        request.bytes_s /= 3;
        request.shape.message_bytes = 0;
        if (step < LOOSE_STEPS / 2 || step % 2 == 0) {
            ask(&request);
            continue;
        }
        request.key = first->key;
        gms_account_release(account, first->source_node, &request.key,
                            on_changed, &changes);
        compare_with_new(&equal);
        if (!equal) {
            ++loose;
            request = random_flow(&random, step);
            request.source_node = 0;
            request.key.target_node = 1;
            request.bytes_s = 1000;
            request.shape.delay_ps = 1;
            CHECK_U64(ask(&request).criterion, GMS_QOS_DELAY);
            compare_with_new(&equal);
            CU_ASSERT_TRUE(equal);
        }
    }
    return loose;
}

static void test_release_leaves_safe_bounds(void)
{
    unsigned seed, loose = 0;

    for (seed = 1; seed <= LOOSE_SEEDS; ++seed) {
        loose += release_and_deny(seed);
    }
    CU_ASSERT_TRUE(loose > 0);
}

/* ---- windows ---- */

/* Return the smallest fraction of its bandwidth that a flow can receive in a
 * window. */
static double window_part(const gms_grant_t *grant)
{
    double idt_s = (double)(grant->idt_ticks * params.rtc_tick_ps) / 1e12;
    double window_s = fmax(0.1, 400 * idt_s);
    double packets =
        (window_s - (double)grant->bounds.latency_ps / 1e12) / idt_s;

    return packets * (double)params.nic_mtu_bytes /
           (grant->bandwidth_bytes_s * window_s);
}

/* Between two nodes that are nearly full, there are two flows in each
 * direction. */
static void test_windows_have_their_bandwidth(void)
{
    unsigned i, faster = 0;

    teardown();
    gms_params_init(&params);
    params.qos_strict_windows = 1;
    open_account(UINT64_C(16) << 20);
    for (i = 0; i < 4; ++i) {
        gms_flow_request_t request = {.source_node = i % 2,
                                      .key = key_to(1 - i % 2, i / 2),
                                      .qos_class = GMS_QOS_PREMIUM,
                                      .bytes_s = 19 * MB};
        const gms_grant_t *grant;

        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
        for (grant = gms_account_first(account); grant != NULL;
             grant = grant->next) {
            CU_ASSERT_TRUE(window_part(grant) >= 0.995);
        }
    }
    for (i = 0; i < 4; ++i) {
        gms_flow_key_t key = key_to(1 - i % 2, i / 2);
        const gms_grant_t *grant = gms_account_find(account, i % 2, &key);
        uint32_t plain = gms_account_idt(&params, 19 * MB);

        /* The account shortens the IDT only as much as the latency L requires,
         * plus 0.3 % and one tick. */
        CU_ASSERT_TRUE(grant->idt_ticks <= plain);
        CU_ASSERT_TRUE((double)grant->idt_ticks >= 0.98 * (double)plain);
        faster += grant->idt_ticks < plain;
    }
    CHECK_U64(faster, 4);
}

/* Round a bandwidth down to a bandwidth whose IDT is a whole number of ticks.
 * For a request that is not rounded, the account would charge more, because it
 * charges whole ticks. */
static double whole_ticks(double bytes_s)
{
    return gms_account_bandwidth(&params,
                                 gms_account_idt(&params, bytes_s) + 1);
}

/* Request flows until many requests have been denied, and release some of the
 * flows along the way. At any time, every flow must receive its bandwidth in
 * every window. If a request is denied because of a window, the denial must
 * name a flow. A request for the remaining bandwidth that the denial reports
 * must be granted. */
static void test_windows_after_any_history(void)
{
    unsigned step, denied = 0, named = 0;
    gms_random_t random;

    teardown();
    gms_params_init(&params);
    params.qos_strict_windows = 1;
    params.topology = GMS_TOPOLOGY_TORUS;
    params.hosts = 16;
    params.rows = 1;
    params.columns = 8;
    params.hosts_per_switch = 2;
    open_account(UINT64_C(16) << 20);
    gms_random_init(&random, 4, 0);
    for (step = 0; step < 400; ++step) {
        gms_flow_request_t request = random_flow(&random, step);
        const gms_grant_t *grant;
        gms_qos_verdict_t verdict;

        request.source_node %= 16;
        request.key.target_node %= 16;
        request.bytes_s /= 3;
        verdict = ask(&request);
        if (verdict.criterion == GMS_QOS_LATENCY) {
            ++denied;
            CU_ASSERT_TRUE(gms_account_find(account, verdict.victim_node,
                                            &verdict.victim) != NULL ||
                           memcmp(&verdict.victim, &request.key,
                                  sizeof(request.key)) == 0);
        }
        if (verdict.criterion != GMS_QOS_OK) {
            /* The smallest possible request has the bandwidth of the largest
             * IDT, 10^6 ticks. */
            if (verdict.left_bytes_s >
                gms_account_bandwidth(&params, 1000000)) {
                ++named;
                request.bytes_s = whole_ticks(verdict.left_bytes_s);
                CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
            }
        } else if (step % 8 == 7) {
            gms_flow_key_t key = gms_account_first(account)->key;

            CHECK_U64(gms_account_release(
                          account, gms_account_first(account)->source_node,
                          &key, on_changed, &changes),
                      GMS_OK);
        }
        for (grant = gms_account_first(account); grant != NULL;
             grant = grant->next) {
            CU_ASSERT_TRUE(window_part(grant) >= 0.995);
        }
    }
    CU_ASSERT_TRUE(denied > 0);
    CU_ASSERT_TRUE(named > 5);
}

/* The bandwidths of six flows add up to less than a node's time permits. An
 * account that shortens IDTs to guarantee the bandwidth of windows uses part of
 * the remaining time. A request for the remaining bandwidth that the denial
 * reports must be granted. */
static void test_shorter_idts_take_what_is_left(void)
{
    gms_flow_request_t request = {.qos_class = GMS_QOS_PREMIUM,
                                  .bytes_s = 12.8 * MB};
    gms_qos_verdict_t verdict;
    unsigned target;

    teardown();
    set_nic();
    params.qos_strict_windows = 1;
    open_account(UINT64_C(16) << 20);
    for (target = 1; target <= 6; ++target) {
        request.key = key_to(target, 0);
        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    }
    request.key = key_to(7, 0);
    request.bytes_s = MB;
    verdict = ask(&request);
    CHECK_U64(verdict.criterion, GMS_QOS_SOURCE_NODE);
    /* If an account limits only the sum of bandwidths (test_admission), flows
     * can use all of a node's time. If the account shortens IDTs, it reserves
     * 0.5 % of this time for the managers. */
    CU_ASSERT_TRUE(verdict.left_bytes_s <
                   0.995 * 4096e12 / 53009073 - 76.8 * MB);
    if (verdict.left_bytes_s > 0) {
        request.bytes_s = whole_ticks(verdict.left_bytes_s);
        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    }
}

/* A new master may adopt the grants in any order. */
static void test_order_does_not_matter(void)
{
    gms_qos_bounds_t before[RANDOM_FLOWS], after[RANDOM_FLOWS];
    gms_grant_t grants[RANDOM_FLOWS];
    const gms_grant_t *grant;
    gms_random_t random;
    unsigned i, count = 0;

    open_clos();
    gms_random_init(&random, 3, 0);
    for (i = 0; i < RANDOM_FLOWS; ++i) {
        gms_flow_request_t request = random_flow(&random, i);

        ask(&request);
    }
    note_bounds(before);
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        grants[count++] = *grant;
    }
    CU_ASSERT_TRUE(count > RANDOM_FLOWS / 2);
    open_clos();
    while (count > 0) {
        CHECK_U64(gms_account_adopt(account, &grants[--count]), GMS_OK);
    }
    note_bounds(after);
    CU_ASSERT_TRUE(are_equal(before, after));
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
        {"a new flow never lowers the bounds of other flows",
         test_bounds_never_fall},
        {"a release restores the bounds", test_release_restores},
        {"bounds remain valid after a release",
         test_release_leaves_safe_bounds},
        {"windows receive their bandwidth", test_windows_have_their_bandwidth},
        {"windows receive their bandwidth after any history",
         test_windows_after_any_history},
        {"an account with shorter IDTs uses the node's unused time",
         test_shorter_idts_take_what_is_left},
        {"the order of grants has no influence", test_order_does_not_matter},
        {"a requested delay in fabric model flit", test_flit_delay},
        {"schedulers without delay bounds", test_no_rule},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"bounds", NULL, NULL, setup_bound, teardown, tests});
}
