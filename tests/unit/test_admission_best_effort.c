/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the bandwidth account with best-effort flows in addition to premium
 * flows. */
#include "account.h"

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
    check_change(0, 0, 1, 211); /* 39 MB/s correspond to an IDT of 210.05 */
    check_change(1, 0, 2, 211);
    CHECK_NEAR(bandwidth_of(0, 1), 39 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(0, 2), 39 * MB, EXACT);

    premium(0, 3, 20 * MB);
    CHECK_U64(change_count, 3);
    check_change(0, 0, 1, 283); /* 28.985 MB/s correspond to an IDT of 282.63 */
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
    /* Flow 1 -> 2 starts at the destination of the first flow and ends at the
     * source of the second flow. */
    best_effort(1, 2);
    CHECK_U64(change_count, 3);
    CHECK_U64(idt_of(0, 1), 211);
    CHECK_U64(idt_of(2, 3), 211);
    CHECK_U64(idt_of(1, 2), 211);
    CHECK_U64(release(1, 2), GMS_OK);
    CHECK_U64(idt_of(0, 1), 0);
    CHECK_U64(idt_of(2, 3), 0);
    /* A flow from a node to itself shares no resource with the other flows. */
    best_effort(6, 6);
    CHECK_U64(idt_of(6, 6), 0);
}

static void test_a_flow_gets_the_least_share_on_its_way(void)
{
    best_effort(0, 1);
    best_effort(2, 1);
    best_effort(0, 3);
    best_effort(4, 1);
    /* Node 1 has three flows, and node 0 has two flows. Flow 0 -> 3 receives
     * the bandwidth that flow 0 -> 1 does not use at node 0. */
    CHECK_NEAR(bandwidth_of(0, 1), 26 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(2, 1), 26 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(4, 1), 26 * MB, EXACT);
    CHECK_NEAR(bandwidth_of(0, 3), 52 * MB, EXACT);
    /* With minshare, this bandwidth remains unused. */
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

/* A seventh flow would reduce the node's capacity below the granted bandwidth.
 * Six flows with 8192 / 635 MB/s each need 77.40 MB/s. With seven flows, the
 * capacity (4096 bytes in the time S(7)) is only 77.27 MB/s. */
static void test_best_effort_is_denied_where_a_promise_would_break(void)
{
    unsigned target;

    for (target = 1; target <= 6; ++target) {
        CHECK_U64(premium(0, target, 12.9 * MB).criterion, GMS_QOS_OK);
    }
    check_denied(best_effort(0, 7), GMS_QOS_SOURCE_NODE, 0, 0);
    CU_ASSERT_PTR_NULL(grant_of(0, 7));
    /* Arriving flows do not lengthen a sender's search for its next packet. */
    CHECK_U64(best_effort(7, 0).criterion, GMS_QOS_OK);
    /* 77.20 MB/s are within the limit that S(7) sets. */
    CHECK_U64(premium(0, 6, 12.7 * MB).criterion, GMS_QOS_OK);
    CHECK_U64(best_effort(0, 7).criterion, GMS_QOS_OK);
    /* An eighth flow does not fit, because it would reduce the limit to 76.16
     * MB/s. */
    check_denied(best_effort(0, 8), GMS_QOS_SOURCE_NODE, 0, 0);
    /* An active flow can become a best-effort flow, but then it cannot become
     * premium again. */
    CHECK_U64(best_effort(0, 6).criterion, GMS_QOS_OK);
    CHECK_U64(best_effort(0, 8).criterion, GMS_QOS_OK);
    CHECK_U64(premium(0, 6, 12.7 * MB).criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(grant_of(0, 6)->qos_class, GMS_QOS_BEST_EFFORT);
}

/* A best-effort flow with new or increased reverse traffic needs bandwidth for
 * this traffic. */
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
    /* The reverse traffic of a flow to the sender's own node passes through the
     * NIC twice. */
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

/* A new master adopts existing grants even if they exceed a capacity. The
 * master then denies new flows, but still grants a request that reduces the
 * bandwidth of an existing flow. */
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
    /* A request to make the flow premium again exceeds the remaining bandwidth,
     * so the flow remains best effort. */
    CHECK_U64(premium(0, 2, 70 * MB).criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(grant_of(0, 2)->qos_class, GMS_QOS_BEST_EFFORT);
    CHECK_U64(idt_of(0, 2), 142);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"one best-effort flow", test_one_best_effort_flow},
        {"two best-effort flows", test_two_best_effort_flows},
        {"flows without a common node", test_alone_means_no_node_in_common},
        {"a flow receives the smallest share on its route",
         test_a_flow_gets_the_least_share_on_its_way},
        {"links are shared, too", test_links_have_shares_too},
        {"no bandwidth left", test_nothing_left_is_not_nothing},
        {"best effort is denied to protect a grant",
         test_best_effort_is_denied_where_a_promise_would_break},
        {"reverse traffic of best effort",
         test_best_effort_needs_room_for_its_reverse_traffic},
        {"adopted grants exceed a capacity",
         test_what_was_adopted_may_be_too_much},
        {"the class can change", test_class_can_change},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"admission of best effort", NULL, NULL, setup, teardown, tests});
}
