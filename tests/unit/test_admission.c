/* SPDX-License-Identifier: BSD-3-Clause */
/* The bandwidth account, on one crossbar. Expected values are computed by hand
 * from charge = 8192 MB/s / floor(8192 MB/s / request). */
#include "qos/admission.h"

#include <string.h>

#include "engine/random.h"
#include "qos/service.h"
#include "unit.h"

#define MB 1e6
/* The account counts 1/1024 byte/s, rounded up. */
#define EXACT 1e-9
#define IDT_MAX 1000000u
/* What 40 and 20 MB/s are charged: 8192/204 and 8192/409. */
#define CHARGE_40 (8192 * MB / 204)
#define CHARGE_20 (8192 * MB / 409)
#define CHANGES_MAX 64

static gms_arena_t *arena;
static gms_params_t params;
static gms_topology_t *topology;
static gms_account_t *account;

/* What the account told since the last ask(). */
static struct {
    unsigned source_node;
    gms_flow_key_t key;
    uint32_t idt_ticks;
} changes[CHANGES_MAX];
static unsigned change_count;

static void on_changed(void *context, const gms_grant_t *grant,
                       uint32_t idt_before)
{
    CU_ASSERT_TRUE((idt_before != grant->idt_ticks) || (idt_before == 0));
    CU_ASSERT_PTR_EQUAL(context, &changes);
    CU_ASSERT_FATAL(change_count < CHANGES_MAX);
    changes[change_count].source_node = grant->source_node;
    changes[change_count].key = grant->key;
    changes[change_count].idt_ticks = grant->idt_ticks;
    change_count++;
}

/* A NIC whose numbers are ours, so that calibrating the profile does not
 * change what is expected here: 482 cycles, 487 with the first flow. */
static void set_nic(void)
{
    gms_params_init(&params);
    params.qos_node_load_ppm = 1000000; /* all of a NIC's time */
    params.lanai_cycle_ps = 30303;
    params.mcp_schedule_cycles = 90;
    params.mcp_rate_first_cycles = 6;
    params.mcp_rate_flow_cycles = 20;
    params.mcp_sdma_start_cycles = 210;
    params.mcp_sdma_finish_cycles = 90;
    params.mcp_send_start_cycles = 97;
    params.mcp_rdma_start_cycles = 160;
    params.mcp_rdma_finish_cycles = 232;
    params.mcp_ack_send_cycles = 60;
    params.mcp_event_cycles = 60;
    params.mcp_recv_finish_cycles = 90;
    params.mcp_ack_receive_cycles = 60;
    params.mcp_send_finish_cycles = 30;
    params.nic_event_bytes = 64;
    params.host_dma_bytes_s = 120000000;
    params.host_dma_setup_ps = 300000;
}

static void open_account(uint64_t arena_bytes)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];

    if ((gms_arena_create_private(arena_bytes, &arena) != GMS_OK) ||
        (gms_topology_create(arena, &params, NULL, &topology, error) !=
         GMS_OK) ||
        (gms_account_create(arena, topology, &params, &account) != GMS_OK)) {
        abort();
    }
    change_count = 0;
}

static void teardown(void)
{
    gms_arena_destroy_private(arena);
}

static void setup(void)
{
    set_nic();
    open_account(UINT64_C(16) << 20);
}

/* The same cluster with other values. */
static void reopen(void)
{
    teardown();
    open_account(UINT64_C(16) << 20);
}

static gms_flow_key_t key_to(unsigned target, unsigned label)
{
    gms_flow_key_t key = {.source_port = 2,
                          .target_node = (uint16_t)target,
                          .target_port = 2,
                          .label = label};

    return key;
}

static gms_qos_verdict_t ask_labelled(unsigned source, unsigned target,
                                      unsigned label,
                                      enum gms_qos_class qos_class,
                                      double bytes_s, double reverse_bytes_s)
{
    gms_flow_request_t request = {.source_node = source,
                                  .rank = source,
                                  .key = key_to(target, label),
                                  .qos_class = qos_class,
                                  .bytes_s = bytes_s,
                                  .reverse_bytes_s = reverse_bytes_s};
    gms_qos_verdict_t verdict;

    change_count = 0;
    CHECK_U64(gms_account_request(account, &request, 1, on_changed, &changes,
                                  &verdict),
              GMS_OK);
    return verdict;
}

static gms_qos_verdict_t premium(unsigned source, unsigned target,
                                 double bytes_s)
{
    return ask_labelled(source, target, 0, GMS_QOS_PREMIUM, bytes_s, 0);
}

static gms_qos_verdict_t best_effort(unsigned source, unsigned target)
{
    return ask_labelled(source, target, 0, GMS_QOS_BEST_EFFORT, 0, 0);
}

static gms_status_t release_labelled(unsigned source, unsigned target,
                                     unsigned label)
{
    gms_flow_key_t key = key_to(target, label);

    change_count = 0;
    return gms_account_release(account, source, &key, on_changed,
                               &changes);
}

static gms_status_t release(unsigned source, unsigned target)
{
    return release_labelled(source, target, 0);
}

static const gms_grant_t *grant_of(unsigned source, unsigned target)
{
    gms_flow_key_t key = key_to(target, 0);

    return gms_account_find(account, source, &key);
}

static uint32_t idt_of(unsigned source, unsigned target)
{
    const gms_grant_t *grant = grant_of(source, target);

    CU_ASSERT_PTR_NOT_NULL_FATAL(grant);
    return grant->idt_ticks;
}

static double bandwidth_of(unsigned source, unsigned target)
{
    const gms_grant_t *grant = grant_of(source, target);

    CU_ASSERT_PTR_NOT_NULL_FATAL(grant);
    return grant->bandwidth_bytes_s;
}

static void check_change(unsigned i, unsigned source, unsigned target,
                         uint32_t idt_ticks)
{
    CU_ASSERT_FATAL(i < change_count);
    CHECK_U64(changes[i].source_node, source);
    CHECK_U64(changes[i].key.target_node, target);
    CHECK_U64(changes[i].idt_ticks, idt_ticks);
}

static void check_denied(gms_qos_verdict_t verdict,
                         enum gms_qos_criterion criterion, uint32_t place,
                         double left_bytes_s)
{
    CHECK_U64(verdict.criterion, criterion);
    CHECK_U64(verdict.place, place);
    CHECK_NEAR(verdict.left_bytes_s, left_bytes_s, EXACT);
    CHECK_U64(change_count, 0);
}

/* ---- IDT and service time ---- */

static void test_idt_of_a_bandwidth(void)
{
    gms_params_init(&params);
    params.qos_node_load_ppm = 1000000; /* all of a NIC's time */
    CHECK_U64(gms_account_idt(&params, 40 * MB), 204);
    CHECK_U64(gms_account_idt(&params, 38 * MB), 215);
    CHECK_U64(gms_account_idt(&params, 20 * MB), 409);
    CHECK_U64(gms_account_idt(&params, 78 * MB), 105);
    CHECK_U64(gms_account_idt(&params, 40.96 * MB), 200);
    CHECK_U64(gms_account_idt(&params, 8192 * MB), 1);
    CHECK_U64(gms_account_idt(&params, 1e15), 1);
    CHECK_U64(gms_account_idt(&params, 8192), IDT_MAX);
    CHECK_U64(gms_account_idt(&params, 8191), IDT_MAX);
    CHECK_U64(gms_account_idt(&params, 1e-300), IDT_MAX);
}

static void test_idt_there_and_back(void)
{
    uint32_t idt, wrong = 0;

    gms_params_init(&params);
    params.qos_node_load_ppm = 1000000; /* all of a NIC's time */
    for (idt = 1; idt <= IDT_MAX; idt++) {
        wrong += (gms_account_idt(
                      &params, gms_account_bandwidth(&params, idt)) != idt);
    }
    CHECK_U64(wrong, 0);
}

static void test_service_time(void)
{
    set_nic();
    /* 493 cycles, set-up, 4096 bytes at 120 MB/s rounded up */
    CHECK_U64(gms_service_send_ps(&params, 1),
              493 * 30303 + 300000 + 34133334);
    CHECK_U64(gms_service_send_ps(&params, 0),
              gms_service_send_ps(&params, 1));
    CHECK_U64(gms_service_send_ps(&params, 7),
              (493 + 120) * 30303 + 300000 + 34133334);
    params.scheduler = GMS_SCHEDULER_PACKET_RR;
    CHECK_U64(gms_service_send_ps(&params, 7),
              487 * 30303 + 300000 + 34133334);
    /* 452 cycles, set-up, 4096 bytes; 60 cycles, set-up and 64 bytes are
     * 2.651514 us for 16 packets */
    CHECK_U64(gms_service_receive_ps(&params),
              452 * 30303 + 300000 + 34133334 + 165720);
}

/* 96.5 % of a second: beside 40.96 MB/s in, 10,000 packets/s of 48.296010 us,
 * it is 965 - 482.96 ms for packets that go out, each with a turn. */
static void test_node_load(void)
{
    gms_params_t usual;

    gms_params_init(&usual);
    CHECK_U64(usual.qos_node_load_ppm, 965000);
    set_nic();
    params.qos_node_load_ppm = usual.qos_node_load_ppm;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 0),
               0.965 * 4096e12 / 53009073, EXACT);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 40.96 * MB),
               40.96 * MB + 4096 * (965e9 - 10000 * 48296010.) /
                                (53009073 + 180 * 30303),
               EXACT);
    /* three flows are promised what the thesis promises */
    CHECK_NEAR(gms_service_node_bytes_s(&params, 3, 0), 78 * MB, EXACT);
    CU_ASSERT_TRUE(gms_service_node_bytes_s(&params, 4, 0) < 78 * MB);
}

static void test_node_capacity(void)
{
    set_nic();
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 0), 78 * MB, EXACT);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 6, 0), 78 * MB, EXACT);
    /* 4096 bytes in 53.009073 us */
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 0), 4096e12 / 53009073,
               EXACT);
    /* 40.96 MB/s in are 10,000 packets/s of 48.296010 us; what is left is for
     * less packets of 53.009073 us, each with a turn of 180 cycles */
    CHECK_U64(gms_service_turn_ps(&params), 180 * 30303);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 40.96 * MB),
               40.96 * MB + 4096 * (1e12 - 10000 * 48296010.) /
                                (53009073 + 180 * 30303),
               EXACT);
    /* 20.48 MB/s in: 5000 turns, more packets go out */
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 20.48 * MB),
               20.48 * MB + 4096 *
                                (1e12 - 5000 * (48296010. + 180 * 30303)) /
                                53009073,
               EXACT);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 78 * MB), 78 * MB, EXACT);
    /* more than it can take: 4096 bytes in 48.296010 us */
    params.qos_node_bytes_s = 100000000;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 90 * MB),
               4096e12 / 48296010, EXACT);
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 40.96 * MB), 100 * MB,
               EXACT);
    params.qos_node_rule = GMS_QOS_NODE_INCOMING;
    params.qos_node_bytes_s = 78000000;
    params.host_dma_bytes_s = 60000000;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 0),
               4096e12 / (493 * 30303 + 300000 + 68266667), EXACT);
}

/* Where the link is what packets wait for, it sets the pace, and what comes in
 * at the same time takes less than it would alone. */
static void test_node_capacity_of_a_fast_nic(void)
{
    gms_service_t service;

    set_nic();
    params.link_bytes_s = 80000000;
    params.switch_routing_ps = 100000;
    params.nic_header_bytes = 24;
    service = gms_service_of(&params, 1);
    /* 4120 bytes in 51.5 us; 0.1 us; 127 cycles */
    CHECK_U64(service.receive_ps, 51500000);
    CHECK_U64(service.send_ps, 51500000 + 100000 + 127 * 30303);
    /* S(1) + R + 180 cycles */
    CHECK_U64((int64_t)(service.send_ps + service.receive_ps) +
                  service.turn_ps,
              (493 + 180) * 30303 + 300000 + 34133334 + 48296010);
    params.qos_node_bytes_s = 200000000;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 0),
               4096e12 / (51600000 + 127 * 30303), EXACT);
    /* 10,000 packets/s in: what they add to as many that go out */
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 40.96 * MB),
               40.96 * MB + 4096 * (1e12 - 10000. * 51500000) /
                                (673 * 30303 + 82729344 - 51500000.),
               EXACT);
    /* as many flows as make S(n) longer than that */
    service = gms_service_of(&params, 101);
    CHECK_U64(service.send_ps, gms_service_send_ps(&params, 101));
    /* a link so slow that all else hides behind it */
    params.link_bytes_s = 10000000;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 0),
               4096e12 / (412100000 + 127 * 30303), EXACT);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 9 * MB),
               9 * MB + 4096e12 / (412100000 + 127 * 30303), 0.05);
}

/* ---- requests that make no sense ---- */

static void test_invalid_arguments(void)
{
    gms_qos_verdict_t verdict = {.idt_ticks = 77};
    gms_flow_key_t key = key_to(1, 0), far = key_to(16, 0);
    const struct {
        unsigned source;
        const gms_flow_key_t *key;
        enum gms_qos_class qos_class;
        double bytes_s, reverse_bytes_s;
    } bad[] = {
        {16, &key, GMS_QOS_PREMIUM, MB, 0},
        {0, &far, GMS_QOS_PREMIUM, MB, 0},
        {0, &key, GMS_QOS_UNMANAGED, MB, 0},
        {0, &key, GMS_QOS_FIXED, MB, 0},
        {0, &key, GMS_QOS_PREMIUM, 0, 0},
        {0, &key, GMS_QOS_PREMIUM, -MB, 0},
        {0, &key, GMS_QOS_PREMIUM, (double)NAN, 0},
        {0, &key, GMS_QOS_PREMIUM, (double)INFINITY, 0},
        {0, &key, GMS_QOS_PREMIUM, MB, -1},
        {0, &key, GMS_QOS_PREMIUM, MB, (double)NAN},
        {0, &key, GMS_QOS_BEST_EFFORT, 0, (double)INFINITY},
    };
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        gms_flow_request_t request = {
            .source_node = bad[i].source,
            .key = *bad[i].key,
            .qos_class = bad[i].qos_class,
            .bytes_s = bad[i].bytes_s,
            .reverse_bytes_s = bad[i].reverse_bytes_s};

        CHECK_U64(gms_account_request(account, &request, 1, on_changed,
                                      &changes, &verdict),
                  GMS_ERR_INVALID_PARAM);
    }
    CHECK_U64(verdict.idt_ticks, 77);
    CHECK_U64(change_count, 0);
    CU_ASSERT_PTR_NULL(gms_account_first(account));
    CHECK_U64(release(0, 1), GMS_ERR_NOT_FOUND);
}

/* ---- premium ---- */

static void test_grant_fills_everything(void)
{
    gms_qos_verdict_t verdict = premium(3, 5, 40 * MB);
    const gms_grant_t *grant = grant_of(3, 5);

    CHECK_U64(verdict.criterion, GMS_QOS_OK);
    CHECK_U64(verdict.idt_ticks, 204);
    CHECK_NEAR(verdict.left_bytes_s, 78 * MB - CHARGE_40, EXACT);
    CHECK_U64(change_count, 1);
    check_change(0, 3, 5, 204);
    CU_ASSERT_PTR_NOT_NULL_FATAL(grant);
    CHECK_U64(grant->qos_class, GMS_QOS_PREMIUM);
    CHECK_U64(grant->rank, 3);
    CHECK_NEAR(grant->bandwidth_bytes_s, CHARGE_40, EXACT);
    CU_ASSERT_PTR_EQUAL(gms_account_first(account), grant);
    CU_ASSERT_PTR_NULL(grant->next);
}

static void test_source_node_is_full(void)
{
    premium(0, 1, 40 * MB);
    premium(0, 2, 20 * MB);
    check_denied(premium(0, 3, 20 * MB), GMS_QOS_SOURCE_NODE, 0,
                 78 * MB - CHARGE_40 - CHARGE_20);
    CU_ASSERT_PTR_NULL(grant_of(0, 3));
    /* what is charged must fit, not what was asked for: 17.81 becomes 17.85 */
    check_denied(premium(0, 3, 17.81 * MB), GMS_QOS_SOURCE_NODE, 0,
                 78 * MB - CHARGE_40 - CHARGE_20);
    CHECK_U64(premium(0, 3, 8192 * MB / 460).criterion, GMS_QOS_OK);
}

static void test_source_node_counts_what_arrives(void)
{
    premium(1, 0, 40 * MB);
    check_denied(premium(0, 2, 40 * MB), GMS_QOS_SOURCE_NODE, 0,
                 78 * MB - CHARGE_40);
}

static void test_destination_node_is_full(void)
{
    premium(1, 0, 40 * MB);
    check_denied(premium(2, 0, 40 * MB), GMS_QOS_DESTINATION_NODE, 0,
                 78 * MB - CHARGE_40);
}

static void test_destination_node_counts_what_leaves(void)
{
    premium(0, 1, 40 * MB);
    check_denied(premium(2, 0, 40 * MB), GMS_QOS_DESTINATION_NODE, 0,
                 78 * MB - CHARGE_40);
}

/* Packets to the own node pass its NIC twice, so half is left for them, and
 * that is what the answer says. */
static void test_own_node_has_half_left(void)
{
    check_denied(premium(0, 0, 40 * MB), GMS_QOS_SOURCE_NODE, 0, 39 * MB);
    CHECK_U64(premium(0, 0, 38 * MB).criterion, GMS_QOS_OK);
    check_denied(premium(0, 1, 20 * MB), GMS_QOS_SOURCE_NODE, 0,
                 78 * MB - 2 * (8192 * MB / 215));
}

static void test_link_is_full(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(0, 1, 40 * MB);
    CHECK_U64(gms_topology_links(topology, 0, 2, links), 2);
    check_denied(premium(0, 2, 20 * MB), GMS_QOS_LINK, links[0],
                 50 * MB - CHARGE_40);
    /* the other direction of the same cables is another link */
    CHECK_U64(premium(1, 0, 20 * MB).criterion, GMS_QOS_OK);
}

static void test_output_port_is_full(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(0, 1, 40 * MB);
    CHECK_U64(gms_topology_links(topology, 2, 1, links), 2);
    check_denied(premium(2, 1, 20 * MB), GMS_QOS_LINK, links[1],
                 50 * MB - CHARGE_40);
}

/* Of all that is full, what leaves least is named: that much can be had. */
static void test_tightest_criterion_is_named(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    premium(0, 1, 45 * MB); /* IDT 182: 45.01 */
    premium(3, 1, 20 * MB);
    /* full: node 0, with 33 left, and node 1, with 13 */
    check_denied(ask_labelled(0, 1, 1, GMS_QOS_PREMIUM, 45 * MB, 0),
                 GMS_QOS_DESTINATION_NODE, 1,
                 78 * MB - 8192 * MB / 182 - CHARGE_20);
    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(0, 1, 45 * MB);
    /* full: node 0, its link, the link to node 1 and node 1 */
    CHECK_U64(gms_topology_links(topology, 0, 1, links), 2);
    check_denied(ask_labelled(0, 1, 1, GMS_QOS_PREMIUM, 45 * MB, 0),
                 GMS_QOS_LINK, links[0], 50 * MB - 8192 * MB / 182);
}

/* Of what leaves the same, the first is named. */
static void test_criteria_have_an_order(void)
{
    premium(0, 1, 45 * MB);
    /* full: node 0 and node 1 */
    CHECK_U64(ask_labelled(0, 1, 1, GMS_QOS_PREMIUM, 45 * MB, 0).criterion,
              GMS_QOS_SOURCE_NODE);
}

static void test_reverse_traffic_is_charged(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    CHECK_U64(ask_labelled(0, 1, 0, GMS_QOS_PREMIUM, 20 * MB, 30 * MB)
                  .criterion,
              GMS_QOS_OK);
    check_denied(premium(2, 1, 30 * MB), GMS_QOS_DESTINATION_NODE, 1,
                 78 * MB - (CHARGE_20 + 30 * MB));
    check_denied(premium(0, 2, 30 * MB), GMS_QOS_SOURCE_NODE, 0,
                 78 * MB - (CHARGE_20 + 30 * MB));
    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(3, 4, 45 * MB);
    CHECK_U64(gms_topology_links(topology, 3, 2, links), 2);
    check_denied(ask_labelled(2, 3, 0, GMS_QOS_PREMIUM, 20 * MB, 8 * MB),
                 GMS_QOS_LINK, links[0], 50 * MB - 8192 * MB / 182);
}

static void test_reverse_traffic_fills_links(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    params.qos_link_bytes_s = 30000000;
    reopen();
    CHECK_NEAR(ask_labelled(2, 3, 0, GMS_QOS_PREMIUM, 10 * MB, 25 * MB)
                   .left_bytes_s,
               5 * MB, EXACT);
    ask_labelled(2, 3, 0, GMS_QOS_PREMIUM, 20 * MB, 15 * MB);
    CHECK_U64(gms_topology_links(topology, 3, 4, links), 2);
    check_denied(premium(3, 4, 20 * MB), GMS_QOS_LINK, links[0], 15 * MB);
    /* round the own node, both ways are one */
    CHECK_U64(gms_topology_links(topology, 5, 5, links), 2);
    check_denied(ask_labelled(5, 5, 0, GMS_QOS_PREMIUM, 20 * MB, 10 * MB),
                 GMS_QOS_LINK, links[0], 30 * MB);
    CHECK_U64(ask_labelled(5, 5, 0, GMS_QOS_PREMIUM, 20 * MB, 9 * MB)
                  .criterion,
              GMS_QOS_OK);
}

static void test_capacity_can_be_filled_to_the_byte(void)
{
    params.qos_node_bytes_s = 40960000;
    reopen();
    CHECK_U64(premium(0, 1, 40.96 * MB).criterion, GMS_QOS_OK);
    params.qos_node_bytes_s = 40959999;
    reopen();
    CHECK_U64(premium(0, 1, 40.96 * MB).criterion, GMS_QOS_SOURCE_NODE);
}

/* The shortest IDT is 8192 MB/s; who asks for more is charged what it asked. */
static void test_more_than_an_idt_can_say(void)
{
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    params.qos_node_bytes_s = 20000000000;
    params.qos_link_bytes_s = 20000000000;
    reopen();
    CHECK_NEAR(premium(0, 1, 10000 * MB).left_bytes_s, 10000 * MB, EXACT);
    CHECK_U64(idt_of(0, 1), 1);
    CHECK_NEAR(bandwidth_of(0, 1), 10000 * MB, EXACT);
}

static void test_flow_to_the_own_node_counts_twice(void)
{
    CHECK_U64(premium(0, 0, 40 * MB).criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(premium(0, 0, 38 * MB).criterion, GMS_QOS_OK);
    check_denied(premium(0, 1, 20 * MB), GMS_QOS_SOURCE_NODE, 0,
                 78 * MB - 2 * 8192 * MB / 215);
}

static void test_change_replaces(void)
{
    premium(0, 1, 40 * MB);
    /* 50 beside the old 40 would not fit */
    CHECK_U64(premium(0, 1, 50 * MB).criterion, GMS_QOS_OK);
    CHECK_U64(change_count, 1);
    check_change(0, 0, 1, 163);
    CU_ASSERT_PTR_NULL(gms_account_first(account)->next);
    premium(0, 1, 50 * MB);
    CHECK_U64(change_count, 0);
}

static void test_denied_change_leaves_the_old_grant(void)
{
    gms_qos_verdict_t verdict;

    premium(0, 1, 40 * MB);
    premium(0, 2, 20 * MB);
    verdict = premium(0, 1, 60 * MB);
    check_denied(verdict, GMS_QOS_SOURCE_NODE, 0, 78 * MB - CHARGE_20);
    CHECK_U64(verdict.idt_ticks, 204);
    CHECK_U64(idt_of(0, 1), 204);
    CHECK_NEAR(bandwidth_of(0, 1), CHARGE_40, EXACT);
}

static void test_flows_differ_in_every_part_of_the_key(void)
{
    gms_flow_key_t base = key_to(1, 0), keys[6];
    gms_qos_verdict_t verdict;
    const gms_grant_t *grant;
    unsigned i, count = 0;

    for (i = 0; i < 6; i++) {
        keys[i] = base;
    }
    keys[1].source_port = 4;
    keys[2].target_node = 2;
    keys[3].target_port = 4;
    keys[4].priority = 1;
    keys[5].label = 1;
    for (i = 0; i < 7; i++) {
        gms_flow_request_t request = {.source_node = (i == 6),
                                      .rank = i,
                                      .key = (i == 6) ? base : keys[i],
                                      .qos_class = GMS_QOS_PREMIUM,
                                      .bytes_s = MB};

        CHECK_U64(gms_account_request(account, &request, 1, on_changed,
                                      &changes, &verdict),
                  GMS_OK);
    }
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        CHECK_U64(grant->rank, count);
        count++;
    }
    CHECK_U64(count, 7);
}

static void test_many_flows_make_the_node_slower(void)
{
    double left = 4096e12 / 53009073 - 6 * 12.8 * MB;
    unsigned target;

    for (target = 1; target <= 6; target++) {
        CHECK_U64(premium(0, target, 12.8 * MB).criterion, GMS_QOS_OK);
    }
    check_denied(premium(0, 7, MB), GMS_QOS_SOURCE_NODE, 0, left);
    CHECK_U64(premium(0, 7, 0.4 * MB).criterion, GMS_QOS_OK);
    /* flows that arrive are not in the sender's search */
    CHECK_U64(release(0, 7), GMS_OK);
    CHECK_U64(premium(7, 0, MB).criterion, GMS_QOS_OK);
}

/* ---- best effort ---- */

/* [source: gulati 2001 thesis 5.6, figure 5.11] */
static void test_one_best_effort_flow(void)
{
    best_effort(0, 1);
    CHECK_U64(change_count, 1);
    check_change(0, 0, 1, 0);
    CHECK_NEAR(bandwidth_of(0, 1), 0, EXACT);

    premium(0, 2, 40 * MB);
    CHECK_U64(change_count, 2);
    check_change(0, 0, 1, 217); /* 8192 / 37.843 = 216.47 */
    check_change(1, 0, 2, 204);
    CHECK_NEAR(bandwidth_of(0, 1), 78 * MB - CHARGE_40, EXACT);

    premium(0, 3, 20 * MB);
    CHECK_U64(change_count, 2);
    check_change(0, 0, 1, 460); /* 8192 / 17.814 = 459.87 */
    check_change(1, 0, 3, 409);

    CHECK_U64(release(0, 2), GMS_OK);
    CHECK_U64(change_count, 2);
    check_change(0, 0, 2, 0);
    check_change(1, 0, 1, 142); /* 8192 / 57.971 = 141.31 */
    CHECK_U64(release(0, 3), GMS_OK);
    check_change(1, 0, 1, 0);
}

/* [source: gulati 2001 thesis 5.6, figure 5.12] */
static void test_two_best_effort_flows(void)
{
    best_effort(0, 1);
    best_effort(0, 2);
    CHECK_U64(change_count, 2);
    check_change(0, 0, 1, 211); /* 39 MB/s each: 210.05 */
    check_change(1, 0, 2, 211);
    CHECK_NEAR(bandwidth_of(0, 1), 39 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(0, 2), 39 * MB, EXACT);

    premium(0, 3, 20 * MB);
    CHECK_U64(change_count, 3);
    check_change(0, 0, 1, 283); /* 28.985 MB/s each: 282.63 */
    check_change(1, 0, 2, 283);
    check_change(2, 0, 3, 409);

    CHECK_U64(release(0, 1), GMS_OK);
    CHECK_U64(change_count, 2);
    check_change(0, 0, 1, 0);
    check_change(1, 0, 2, 142);
}

static void test_alone_means_no_node_in_common(void)
{
    best_effort(0, 1);
    best_effort(2, 3);
    CHECK_U64(idt_of(0, 1), 0);
    CHECK_U64(idt_of(2, 3), 0);
    premium(4, 5, 40 * MB);
    CHECK_U64(change_count, 1);
    /* from the one's destination to the other's source */
    best_effort(1, 2);
    CHECK_U64(change_count, 3);
    CHECK_U64(idt_of(0, 1), 211);
    CHECK_U64(idt_of(2, 3), 211);
    CHECK_U64(idt_of(1, 2), 211);
    CHECK_U64(release(1, 2), GMS_OK);
    CHECK_U64(idt_of(0, 1), 0);
    CHECK_U64(idt_of(2, 3), 0);
    /* to itself it does not meet another flow */
    best_effort(6, 6);
    CHECK_U64(idt_of(6, 6), 0);
}

static void test_a_flow_gets_the_least_share_on_its_way(void)
{
    best_effort(0, 1);
    best_effort(2, 1);
    best_effort(0, 3);
    best_effort(4, 1);
    /* node 1 has three flows, node 0 two: what 0 -> 1 leaves unused at node 0
     * is its neighbour's .. */
    CHECK_NEAR(bandwidth_of(0, 1), 26 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(2, 1), 26 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(4, 1), 26 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(0, 3), 52 * MB, EXACT);
    /* .. or, with minshare, nobody's */
    params.qos_best_effort = GMS_QOS_BEST_EFFORT_MINSHARE;
    reopen();
    best_effort(0, 1);
    best_effort(2, 1);
    best_effort(0, 3);
    best_effort(4, 1);
    CHECK_NEAR(bandwidth_of(0, 1), 26 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(4, 1), 26 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(0, 3), 39 * MB, EXACT);
}

static void test_links_have_shares_too(void)
{
    params.qos_link_bytes_s = 30000000;
    reopen();
    best_effort(0, 1);
    best_effort(0, 2);
    CHECK_NEAR(bandwidth_of(0, 1), 15 * MB, EXACT);
    premium(0, 3, 20 * MB);
    CHECK_NEAR(bandwidth_of(0, 1), (30 * MB - CHARGE_20) / 2, EXACT);
}

static void test_nothing_left_is_not_nothing(void)
{
    gms_qos_verdict_t verdict;

    params.qos_node_bytes_s = 40960000;
    reopen();
    premium(0, 1, 40.96 * MB);
    verdict = best_effort(0, 2);
    CHECK_U64(verdict.criterion, GMS_QOS_OK);
    CHECK_U64(verdict.idt_ticks, IDT_MAX);
    CHECK_NEAR(bandwidth_of(0, 2), 8192, EXACT);
    CHECK_U64(idt_of(0, 1), 200);
}

/* A seventh flow would make the node slower than what is promised: 6 flows of
 * 8192 / 635 MB/s are 77.40, and 4096 bytes in S(7) are 77.27. */
static void test_best_effort_is_denied_where_a_promise_would_break(void)
{
    unsigned target;

    for (target = 1; target <= 6; target++) {
        CHECK_U64(premium(0, target, 12.9 * MB).criterion, GMS_QOS_OK);
    }
    check_denied(best_effort(0, 7), GMS_QOS_SOURCE_NODE, 0, 0);
    CU_ASSERT_PTR_NULL(grant_of(0, 7));
    /* what comes in is in nobody's search */
    CHECK_U64(best_effort(7, 0).criterion, GMS_QOS_OK);
    /* 77.20 MB/s are no more than S(7) allows */
    CHECK_U64(premium(0, 6, 12.7 * MB).criterion, GMS_QOS_OK);
    CHECK_U64(best_effort(0, 7).criterion, GMS_QOS_OK);
    /* an eighth would not do, 76.16 MB/s with it */
    check_denied(best_effort(0, 8), GMS_QOS_SOURCE_NODE, 0, 0);
    /* one of those that are there may become best effort, and it may not come
     * back */
    CHECK_U64(best_effort(0, 6).criterion, GMS_QOS_OK);
    CHECK_U64(best_effort(0, 8).criterion, GMS_QOS_OK);
    CHECK_U64(premium(0, 6, 12.7 * MB).criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(grant_of(0, 6)->qos_class, GMS_QOS_BEST_EFFORT);
}

/* The same flow, with reverse traffic or more of it, asks for room. */
static void test_best_effort_needs_room_for_its_reverse_traffic(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    gms_qos_verdict_t verdict;

    premium(2, 0, 70 * MB); /* IDT 117 */
    check_denied(ask_labelled(0, 1, 0, GMS_QOS_BEST_EFFORT, 0, 8 * MB),
                 GMS_QOS_SOURCE_NODE, 0, 78 * MB - 8192 * MB / 117);
    check_denied(ask_labelled(1, 2, 0, GMS_QOS_BEST_EFFORT, 0, 8 * MB),
                 GMS_QOS_DESTINATION_NODE, 2, 78 * MB - 8192 * MB / 117);
    CHECK_U64(ask_labelled(0, 1, 0, GMS_QOS_BEST_EFFORT, 0, 7 * MB).criterion,
              GMS_QOS_OK);
    verdict = ask_labelled(0, 1, 0, GMS_QOS_BEST_EFFORT, 0, 8 * MB);
    CHECK_U64(verdict.criterion, GMS_QOS_SOURCE_NODE);
    CHECK_NEAR(grant_of(0, 1)->reverse_bytes_s, 7 * MB, EXACT);
    /* round the own node, it passes twice */
    CHECK_U64(ask_labelled(4, 4, 0, GMS_QOS_BEST_EFFORT, 0, 38 * MB).criterion,
              GMS_QOS_OK);
    CHECK_U64(ask_labelled(4, 4, 0, GMS_QOS_BEST_EFFORT, 0, 40 * MB).criterion,
              GMS_QOS_SOURCE_NODE);
    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(3, 4, 45 * MB);
    CHECK_U64(gms_topology_links(topology, 3, 2, links), 2);
    check_denied(ask_labelled(2, 3, 0, GMS_QOS_BEST_EFFORT, 0, 8 * MB),
                 GMS_QOS_LINK, links[0], 50 * MB - 8192 * MB / 182);
}

/* A new master takes over what is promised, fit or not; then nobody gets in,
 * but who takes less is not refused. */
static void test_what_was_adopted_may_be_too_much(void)
{
    gms_grant_t grant = {.source_node = 0,
                         .key = key_to(1, 9),
                         .qos_class = GMS_QOS_PREMIUM,
                         .idt_ticks = 163,
                         .bandwidth_bytes_s = 8192 * MB / 163};

    premium(0, 2, 40 * MB);
    CHECK_U64(gms_account_adopt(account, &grant), GMS_OK);
    grant.key = key_to(2, 9);
    grant.qos_class = GMS_QOS_BEST_EFFORT;
    CHECK_U64(gms_account_adopt(account, &grant), GMS_OK);
    check_denied(best_effort(0, 3), GMS_QOS_SOURCE_NODE, 0, 0);
    check_denied(premium(4, 0, MB), GMS_QOS_DESTINATION_NODE, 0, 0);
    CHECK_U64(ask_labelled(0, 2, 9, GMS_QOS_BEST_EFFORT, 0, 0).criterion,
              GMS_QOS_OK);
    CHECK_U64(premium(0, 2, 39 * MB).criterion, GMS_QOS_OK);
    CHECK_U64(premium(0, 2, 41 * MB).criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(ask_labelled(0, 1, 9, GMS_QOS_BEST_EFFORT, 0, 0).criterion,
              GMS_QOS_OK);
    CHECK_U64(best_effort(0, 3).criterion, GMS_QOS_OK);
}

static void test_class_can_change(void)
{
    best_effort(0, 1);
    premium(0, 2, 40 * MB);
    CHECK_U64(premium(0, 1, 20 * MB).criterion, GMS_QOS_OK);
    CHECK_U64(grant_of(0, 1)->qos_class, GMS_QOS_PREMIUM);
    CHECK_U64(idt_of(0, 1), 409);
    best_effort(0, 2);
    CHECK_U64(change_count, 1);
    check_change(0, 0, 2, 142);
    /* premium again, too much: stays best effort */
    CHECK_U64(premium(0, 2, 70 * MB).criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(grant_of(0, 2)->qos_class, GMS_QOS_BEST_EFFORT);
    CHECK_U64(idt_of(0, 2), 142);
}

/* ---- properties ---- */

#define STEPS 4000u
#define FLOWS 40u

/* Flow i of the random tests: 5 nodes, so that they meet. */
static unsigned flow_source(unsigned i)
{
    return i % 5;
}

static unsigned flow_target(unsigned i)
{
    return (i / 5) % 5;
}

static void random_step(gms_random_t *random)
{
    unsigned i = (unsigned)gms_random_below(random, FLOWS);
    unsigned what = (unsigned)gms_random_below(random, 4);

    if (what == 0) {
        (void)release_labelled(flow_source(i), flow_target(i), i / 25);
    } else if (what == 1) {
        (void)ask_labelled(flow_source(i), flow_target(i), i / 25,
                           GMS_QOS_BEST_EFFORT, 0, 0);
    } else {
        (void)ask_labelled(flow_source(i), flow_target(i), i / 25,
                           GMS_QOS_PREMIUM,
                           gms_random_unit(random) * 40 * MB,
                           (what == 2) ? 0 : MB);
    }
}

/* What flows in and out of a node, or over nothing else: each flow's rate as
 * its IDT lets it have, but for the trickle of those that get nothing. */
static void add_up_node(unsigned node, double *in, double *out,
                        uint64_t *sourced)
{
    const gms_grant_t *grant;

    *in = *out = 0;
    *sourced = 0;
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        double there = 0, back = grant->reverse_bytes_s;

        if ((grant->idt_ticks != 0) && (grant->idt_ticks != IDT_MAX)) {
            there = gms_account_bandwidth(&params, grant->idt_ticks);
        }
        if (grant->source_node == node) {
            (*sourced)++;
            *out += there;
            *in += back;
        }
        if (grant->key.target_node == node) {
            *in += there;
            *out += back;
        }
    }
}

/* Nothing is promised twice, best effort included. */
static void check_nodes(void)
{
    unsigned node;

    for (node = 0; node < 5; node++) {
        double in, out;
        uint64_t sourced;

        add_up_node(node, &in, &out, &sourced);
        CU_ASSERT_TRUE(in + out <= 78.0 * MB * (1 + EXACT));
        CU_ASSERT_TRUE(
            in + out <=
            gms_service_node_bytes_s(&params, sourced, in) * (1 + EXACT));
    }
}

static void test_promises_fit_after_any_history(void)
{
    gms_random_t random;
    unsigned step;

    gms_random_init(&random, 1, 0);
    for (step = 0; step < STEPS; step++) {
        random_step(&random);
        check_nodes();
    }
}

static void test_only_changes_are_told(void)
{
    uint32_t told[FLOWS] = {0};
    gms_random_t random;
    unsigned step, i;

    gms_random_init(&random, 2, 0);
    for (step = 0; step < STEPS; step++) {
        const gms_grant_t *first_before = gms_account_first(account);

        random_step(&random);
        for (i = 0; i < change_count; i++) {
            unsigned flow = changes[i].source_node +
                            5u * changes[i].key.target_node +
                            25u * changes[i].key.label;

            /* only a flow that was not managed may be told of without need,
             * and that one is last */
            CU_ASSERT_TRUE((told[flow] != changes[i].idt_ticks) ||
                           (i + 1 == change_count) || (first_before == NULL));
            told[flow] = changes[i].idt_ticks;
        }
        for (i = 0; i < FLOWS; i++) {
            gms_flow_key_t key = key_to(flow_target(i), i / 25);
            const gms_grant_t *grant =
                gms_account_find(account, flow_source(i), &key);

            CHECK_U64(told[i], (grant != NULL) ? grant->idt_ticks : 0);
        }
    }
}

static void test_release_restores_exactly(void)
{
    double before[2];
    gms_random_t random;
    unsigned step;

    premium(7, 8, 13.7 * MB);
    best_effort(7, 9);
    best_effort(9, 8);
    before[0] = bandwidth_of(7, 9);
    before[1] = bandwidth_of(9, 8);
    gms_random_init(&random, 3, 0);
    for (step = 0; step < 1000; step++) {
        double a = gms_random_unit(&random) * 30 * MB;
        double b = gms_random_unit(&random) * 30 * MB;

        premium(7, 10, a);
        premium(11, 8, b);
        premium(7, 10, b);
        CHECK_U64(release(7, 10), GMS_OK);
        (void)release(11, 8);
        /* to the last bit */
        CU_ASSERT_TRUE(memcmp(&before[0], &grant_of(7, 9)->bandwidth_bytes_s,
                              sizeof(double)) == 0);
        CU_ASSERT_TRUE(memcmp(&before[1], &grant_of(9, 8)->bandwidth_bytes_s,
                              sizeof(double)) == 0);
    }
}

static void test_release_from_anywhere_in_the_list(void)
{
    unsigned gone, target;

    for (gone = 1; gone <= 3; gone++) {
        for (target = 1; target <= 3; target++) {
            premium(0, target, MB);
        }
        CHECK_U64(release(0, gone), GMS_OK);
        CHECK_U64(release(0, gone), GMS_ERR_NOT_FOUND);
        premium(0, 4, MB);
        CU_ASSERT_PTR_NOT_NULL(grant_of(0, 4));
        for (target = 1; target <= 4; target++) {
            CHECK_U64(release(0, target),
                      (target == gone) ? GMS_ERR_NOT_FOUND : GMS_OK);
        }
        CU_ASSERT_PTR_NULL(gms_account_first(account));
    }
}

/* ---- out of memory ---- */

static void test_no_memory_changes_nothing(void)
{
    gms_flow_request_t request = {.qos_class = GMS_QOS_PREMIUM, .bytes_s = 1};
    gms_qos_verdict_t verdict = {.idt_ticks = 77};
    gms_status_t status = GMS_OK;
    const gms_grant_t *last = NULL;
    unsigned label;
    size_t bytes;

    best_effort(0, 1);
    for (bytes = 1 << 20; bytes >= 16; bytes /= 2) {
        while (gms_arena_alloc(arena, bytes) != NULL) {
        }
    }
    /* until what was taken in advance is used up */
    for (label = 1; status == GMS_OK; label++) {
        last = gms_account_find(account, 0, &request.key);
        request.key = key_to(3, label);
        change_count = 0;
        verdict.idt_ticks = 77;
        status = gms_account_request(account, &request, 1, on_changed,
                                     &changes, &verdict);
    }
    CHECK_U64(status, GMS_ERR_NO_MEMORY);
    CHECK_U64(change_count, 0);
    CHECK_U64(verdict.idt_ticks, 77);
    CU_ASSERT_PTR_NULL(gms_account_find(account, 0, &request.key));
    CU_ASSERT_PTR_NOT_NULL_FATAL(last);
    CU_ASSERT_PTR_NULL(last->next);
    /* a change needs no memory, and a release gives some back */
    CHECK_U64(premium(0, 1, MB).criterion, GMS_QOS_OK);
    CHECK_U64(release(0, 1), GMS_OK);
    CHECK_U64(premium(0, 4, MB).criterion, GMS_QOS_OK);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"IDT of a bandwidth", test_idt_of_a_bandwidth},
        {"IDT there and back", test_idt_there_and_back},
        {"service time", test_service_time},
        {"node capacity", test_node_capacity},
        {"load of a node", test_node_load},
        {"capacity of a fast NIC", test_node_capacity_of_a_fast_nic},
        {"invalid arguments", test_invalid_arguments},
        {"grant fills everything", test_grant_fills_everything},
        {"source node is full", test_source_node_is_full},
        {"source node counts arrivals", test_source_node_counts_what_arrives},
        {"destination node is full", test_destination_node_is_full},
        {"destination counts departures",
         test_destination_node_counts_what_leaves},
        {"own node has half left", test_own_node_has_half_left},
        {"link is full", test_link_is_full},
        {"output port is full", test_output_port_is_full},
        {"tightest criterion", test_tightest_criterion_is_named},
        {"criteria have an order", test_criteria_have_an_order},
        {"reverse traffic is charged", test_reverse_traffic_is_charged},
        {"reverse traffic fills links", test_reverse_traffic_fills_links},
        {"filled to the byte", test_capacity_can_be_filled_to_the_byte},
        {"more than an IDT can say", test_more_than_an_idt_can_say},
        {"flow to the own node", test_flow_to_the_own_node_counts_twice},
        {"change replaces", test_change_replaces},
        {"denied change", test_denied_change_leaves_the_old_grant},
        {"flows differ by key", test_flows_differ_in_every_part_of_the_key},
        {"many flows, slower node", test_many_flows_make_the_node_slower},
        {"one best-effort flow", test_one_best_effort_flow},
        {"two best-effort flows", test_two_best_effort_flows},
        {"alone", test_alone_means_no_node_in_common},
        {"least share on the way", test_a_flow_gets_the_least_share_on_its_way},
        {"links have shares", test_links_have_shares_too},
        {"nothing left", test_nothing_left_is_not_nothing},
        {"best effort is denied",
         test_best_effort_is_denied_where_a_promise_would_break},
        {"reverse traffic of best effort",
         test_best_effort_needs_room_for_its_reverse_traffic},
        {"adopted too much", test_what_was_adopted_may_be_too_much},
        {"class can change", test_class_can_change},
        {"promises fit", test_promises_fit_after_any_history},
        {"only changes are told", test_only_changes_are_told},
        {"release restores exactly", test_release_restores_exactly},
        {"release from anywhere", test_release_from_anywhere_in_the_list},
        {"no memory", test_no_memory_changes_nothing},
        CU_TEST_INFO_NULL,
    };
    CU_SuiteInfo suites[] = {
        {"admission", NULL, NULL, setup, teardown, tests},
        CU_SUITE_INFO_NULL,
    };

    return unit_run(suites);
}
