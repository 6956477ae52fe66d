/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the bandwidth account with invalid requests and with premium flows. */
#include "account.h"

#include <math.h>

/* ---- invalid requests ---- */

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

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        gms_flow_request_t request = {.source_node = bad[i].source,
                                      .key = *bad[i].key,
                                      .qos_class = bad[i].qos_class,
                                      .bytes_s = bad[i].bytes_s,
                                      .reverse_bytes_s =
                                          bad[i].reverse_bytes_s};

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
    check_refused(premium(0, 3, 20 * MB), GMS_QOS_SOURCE_NODE, 0,
                  78 * MB - CHARGE_40 - CHARGE_20);
    CU_ASSERT_PTR_NULL(grant_of(0, 3));
    /* A request is also denied if only its charge exceeds the remaining
     * bandwidth: a request for 17.81 MB/s is charged as 17.85 MB/s. */
    check_refused(premium(0, 3, 17.81 * MB), GMS_QOS_SOURCE_NODE, 0,
                  78 * MB - CHARGE_40 - CHARGE_20);
    CHECK_U64(premium(0, 3, 8192 * MB / 460).criterion, GMS_QOS_OK);
}

static void test_source_node_counts_what_arrives(void)
{
    premium(1, 0, 40 * MB);
    check_refused(premium(0, 2, 40 * MB), GMS_QOS_SOURCE_NODE, 0,
                  78 * MB - CHARGE_40);
}

static void test_destination_node_is_full(void)
{
    premium(1, 0, 40 * MB);
    check_refused(premium(2, 0, 40 * MB), GMS_QOS_DESTINATION_NODE, 0,
                  78 * MB - CHARGE_40);
}

static void test_destination_node_counts_what_leaves(void)
{
    premium(0, 1, 40 * MB);
    check_refused(premium(2, 0, 40 * MB), GMS_QOS_DESTINATION_NODE, 0,
                  78 * MB - CHARGE_40);
}

/* A packet to the sender's own node passes through the NIC twice. Such a flow
 * can therefore use only half of the NIC's bandwidth, and the answer reports
 * this half. */
static void test_own_node_has_half_left(void)
{
    check_refused(premium(0, 0, 40 * MB), GMS_QOS_SOURCE_NODE, 0, 39 * MB);
    CHECK_U64(premium(0, 0, 38 * MB).criterion, GMS_QOS_OK);
    check_refused(premium(0, 1, 20 * MB), GMS_QOS_SOURCE_NODE, 0,
                  78 * MB - 2 * (8192 * MB / 215));
}

static void test_link_is_full(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(0, 1, 40 * MB);
    CHECK_U64(gms_topology_links(topology, 0, 2, links), 2);
    check_refused(premium(0, 2, 20 * MB), GMS_QOS_LINK, links[0],
                  50 * MB - CHARGE_40);
    /* Each direction of a cable is a separate link. */
    CHECK_U64(premium(1, 0, 20 * MB).criterion, GMS_QOS_OK);
}

static void test_output_port_is_full(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(0, 1, 40 * MB);
    CHECK_U64(gms_topology_links(topology, 2, 1, links), 2);
    check_refused(premium(2, 1, 20 * MB), GMS_QOS_LINK, links[1],
                  50 * MB - CHARGE_40);
}

/* Open the account without a limit on packets per second. These tests check
 * charges in bytes, but no NIC can handle 30 MB/s of reverse traffic in packets
 * of 48 bytes. */
static void reopen_without_bounds(void)
{
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    reopen();
}

/* If several resources lack bandwidth, the answer names the resource with the
 * least remaining bandwidth. This bandwidth is the largest request that would
 * succeed. */
static void test_tightest_criterion_is_named(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    premium(0, 1, 45 * MB); /* the IDT is 182 ticks, so 45.01 MB/s are
                             * charged */
    premium(3, 1, 20 * MB);
    /* Both nodes lack bandwidth: 33 MB/s remain at node 0, and 13 MB/s at node
     * 1. */
    check_refused(ask_labelled(0, 1, 1, GMS_QOS_PREMIUM, 45 * MB, 0),
                  GMS_QOS_DESTINATION_NODE, 1,
                  78 * MB - 8192 * MB / 182 - CHARGE_20);
    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(0, 1, 45 * MB);
    /* Four resources lack bandwidth: node 0, its link, the link to node 1, and
     * node 1. */
    CHECK_U64(gms_topology_links(topology, 0, 1, links), 2);
    check_refused(ask_labelled(0, 1, 1, GMS_QOS_PREMIUM, 45 * MB, 0),
                  GMS_QOS_LINK, links[0], 50 * MB - 8192 * MB / 182);
}

/* A best-effort flow is charged only for its reverse traffic. Both nodes lack
 * bandwidth for it: 33 MB/s remain at node 0, and 13 MB/s at node 1. */
static void test_tightest_for_reverse_traffic(void)
{
    reopen_without_bounds();
    premium(0, 1, 45 * MB);
    premium(3, 1, 20 * MB);
    check_denied(ask_labelled(0, 1, 1, GMS_QOS_BEST_EFFORT, 0, 40 * MB),
                 GMS_QOS_DESTINATION_NODE, 1,
                 78 * MB - 8192 * MB / 182 - CHARGE_20);
}

/* If two resources have the same remaining bandwidth, the answer names the
 * resource that is checked first. */
static void test_criteria_have_an_order(void)
{
    premium(0, 1, 45 * MB);
    /* Node 0 and node 1 have the same remaining bandwidth. */
    CHECK_U64(ask_labelled(0, 1, 1, GMS_QOS_PREMIUM, 45 * MB, 0).criterion,
              GMS_QOS_SOURCE_NODE);
}

static void test_reverse_traffic_is_charged(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    reopen_without_bounds();
    CHECK_U64(
        ask_labelled(0, 1, 0, GMS_QOS_PREMIUM, 20 * MB, 30 * MB).criterion,
        GMS_QOS_OK);
    /* In addition to the sums, the buffers of the switch limit node 1, which
     * sends many short packets. */
    check_refused(premium(2, 1, 30 * MB), GMS_QOS_BUFFER, 2, 8192 * MB / 375);
    CU_ASSERT(8192 * MB / 375 < 78 * MB - (CHARGE_20 + 30 * MB));
    check_refused(premium(0, 2, 30 * MB), GMS_QOS_SOURCE_NODE, 0,
                  78 * MB - (CHARGE_20 + 30 * MB));
    params.qos_link_bytes_s = 50000000;
    reopen();
    premium(3, 4, 45 * MB);
    CHECK_U64(gms_topology_links(topology, 3, 2, links), 2);
    check_refused(ask_labelled(2, 3, 0, GMS_QOS_PREMIUM, 20 * MB, 8 * MB),
                  GMS_QOS_LINK, links[0], (50 * MB - 8192 * MB / 182) * 20 / 8);
}

static void test_reverse_traffic_fills_links(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    params.qos_link_bytes_s = 30000000;
    reopen_without_bounds();
    CHECK_NEAR(
        ask_labelled(2, 3, 0, GMS_QOS_PREMIUM, 10 * MB, 25 * MB).left_bytes_s,
        5 * MB, EXACT);
    ask_labelled(2, 3, 0, GMS_QOS_PREMIUM, 20 * MB, 15 * MB);
    CHECK_U64(gms_topology_links(topology, 3, 4, links), 2);
    check_refused(premium(3, 4, 20 * MB), GMS_QOS_LINK, links[0], 15 * MB);
    /* A flow to the sender's own node uses the same links as its reverse
     * traffic. */
    CHECK_U64(gms_topology_links(topology, 5, 5, links), 2);
    check_refused(ask_labelled(5, 5, 0, GMS_QOS_PREMIUM, 20 * MB, 10 * MB),
                  GMS_QOS_LINK, links[0], 20 * MB);
    CHECK_U64(ask_labelled(5, 5, 0, GMS_QOS_PREMIUM, 20 * MB, 9 * MB).criterion,
              GMS_QOS_OK);
}

/* A NIC needs time for each packet, and 4 MB/s of short packets amounts to
 * 83,000 packets per second. */
static void test_reverse_traffic_takes_time(void)
{
    const gms_grant_t *grant;
    gms_time_t alone_ps;

    CHECK_U64(premium(0, 1, 10 * MB).criterion, GMS_QOS_OK);
    grant = gms_account_first(account);
    alone_ps = grant->bounds.delay_ps;
    CU_ASSERT_TRUE(alone_ps > 0);
    CHECK_U64(gms_account_reverse_delay(grant), 0);
    CHECK_U64(
        ask_labelled(2, 0, 0, GMS_QOS_PREMIUM, 10 * MB, 0.02 * MB).criterion,
        GMS_QOS_OK);
    CU_ASSERT_TRUE(gms_account_reverse_delay(grant->next) > 0);
    /* The reverse traffic leaves the node through the same link as the first
     * flow. */
    CU_ASSERT_TRUE(grant->bounds.delay_ps > alone_ps);
    CHECK_U64(ask_labelled(3, 4, 0, GMS_QOS_PREMIUM, 10 * MB, 4 * MB).criterion,
              GMS_QOS_DESTINATION_NODE); /* node 4 cannot send the answers */
    CHECK_U64(release(2, 0), GMS_OK);
    CHECK_U64(grant->bounds.delay_ps, alone_ps);
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

/* The shortest IDT permits 8192 MB/s. A request for more bandwidth is charged
 * in full. */
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
    check_refused(premium(0, 1, 20 * MB), GMS_QOS_SOURCE_NODE, 0,
                  78 * MB - 2 * 8192 * MB / 215);
}

static void test_change_replaces(void)
{
    premium(0, 1, 40 * MB);
    /* The account replaces the old grant: 50 MB/s would not fit in addition to
     * the old 40 MB/s. */
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
    check_refused(verdict, GMS_QOS_SOURCE_NODE, 0, 78 * MB - CHARGE_20);
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

    for (i = 0; i < 6; ++i) {
        keys[i] = base;
    }
    keys[1].source_port = 4;
    keys[2].target_node = 2;
    keys[3].target_port = 4;
    keys[4].priority = 1;
    keys[5].label = 1;
    for (i = 0; i < 7; ++i) {
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
        ++count;
    }
    CHECK_U64(count, 7);
}

static void test_many_flows_make_the_node_slower(void)
{
    double left = 4096e12 / 53009073 - 6 * 12.8 * MB;
    unsigned target;

    for (target = 1; target <= 6; ++target) {
        CHECK_U64(premium(0, target, 12.8 * MB).criterion, GMS_QOS_OK);
    }
    /* the search for the limit of the delay bounds has a precision of 1 % */
    check_refused(premium(0, 7, MB), GMS_QOS_SOURCE_NODE, 0, 8192 * MB / 17574);
    CU_ASSERT(8192 * MB / 17574 < left && 8192 * MB / 17574 > 0.99 * left);
    CHECK_U64(premium(0, 7, 0.4 * MB).criterion, GMS_QOS_OK);
    /* Arriving flows do not lengthen this node's search for the next packet to
     * send. */
    CHECK_U64(release(0, 7), GMS_OK);
    CHECK_U64(premium(7, 0, MB).criterion, GMS_QOS_OK);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"invalid arguments", test_invalid_arguments},
        {"a grant contains all expected values", test_grant_fills_everything},
        {"source node is full", test_source_node_is_full},
        {"arrivals are charged to the source node",
         test_source_node_counts_what_arrives},
        {"destination node is full", test_destination_node_is_full},
        {"departures are charged to the destination",
         test_destination_node_counts_what_leaves},
        {"a flow to the sender's own node can use half the bandwidth",
         test_own_node_has_half_left},
        {"link is full", test_link_is_full},
        {"output port is full", test_output_port_is_full},
        {"the tightest criterion is reported",
         test_tightest_criterion_is_named},
        {"the tightest criterion for reverse traffic is reported",
         test_tightest_for_reverse_traffic},
        {"a tie is decided by the order of the criteria",
         test_criteria_have_an_order},
        {"reverse traffic is charged", test_reverse_traffic_is_charged},
        {"reverse traffic takes time", test_reverse_traffic_takes_time},
        {"reverse traffic fills links", test_reverse_traffic_fills_links},
        {"the whole capacity can be reserved",
         test_capacity_can_be_filled_to_the_byte},
        {"a request for more than the shortest IDT allows",
         test_more_than_an_idt_can_say},
        {"a flow to the sender's own node is charged twice",
         test_flow_to_the_own_node_counts_twice},
        {"a change replaces the old grant", test_change_replaces},
        {"a denied change keeps the old grant",
         test_denied_change_leaves_the_old_grant},
        {"every part of the key distinguishes flows",
         test_flows_differ_in_every_part_of_the_key},
        {"many outgoing flows reduce a node's capacity",
         test_many_flows_make_the_node_slower},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"admission", NULL, NULL, setup, teardown, tests});
}
