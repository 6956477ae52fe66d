/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the congestion policy At-Least-One (alo), without a network: the test
 * determines the results of the network's functions.
 */
#include "congestion_rig.h"

static int alo_allows_drawn(uint16_t busy, uint32_t target, uint32_t draw)
{
    gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, 5, target);
    uint32_t links[2];

    best.packet.draw = draw;
    gms_flit_route_links(&net, 5, 6, links,
                         2); /* the link from switch 5 to the right */
    net.busy[links[1]] = busy;
    return gms_congestion_may_enter(congestion, 5, &best);
}

static int alo_allows(uint16_t busy, uint32_t target)
{
    return alo_allows_drawn(busy, target, 0);
}

static void alo_put(unsigned traffic_class, uint32_t draw)
{
    gms_hca_message_t message = message_of(traffic_class, 0, 5, 6);

    message.packet.draw = draw;
    gms_congestion_entered(congestion, 5, &message);
}

static void alo_take(unsigned traffic_class, uint32_t draw)
{
    gms_hca_message_t message = message_of(traffic_class, 0, 5, 6);

    message.packet.draw = draw;
    gms_congestion_completed(congestion, 5, &message);
}

static void start_alo(unsigned lane_choice)
{
    net.config.lane_choice = lane_choice;
    create(GMS_CONGESTION_ALO);
    CHECK_U64(gms_congestion_next(congestion), UINT64_MAX);
}

/* Lanes 11..14 belong to best-effort traffic. One free lane among these lanes
 * is enough. Lanes of other classes and other links do not matter. */
static void test_alo_network(void)
{
    start_alo(GMS_FLIT_LANES_FREE);
    alo_put(GMS_LANE_BEST_EFFORT, 0); /* one lane of the HCA is in use */
    CU_ASSERT_TRUE(alo_allows(0x0000, 6));
    CU_ASSERT_TRUE(alo_allows(0x87ff, 6));   /* the real-time and control lanes
                                              * are busy */
    CU_ASSERT_TRUE(alo_allows(0x7000, 6));   /* lane 11 is free */
    CU_ASSERT_TRUE(alo_allows(0x3fff, 6));   /* lane 14 is free */
    CU_ASSERT_FALSE(alo_allows(0x7800, 6));  /* no lane is free */
    CU_ASSERT_FALSE(alo_allows(0xffff, 7));  /* this target is in the same
                                              * direction */
    CU_ASSERT_FALSE(alo_allows(0xffff, 10)); /* the route to this target begins
                                              * along the row */
    CU_ASSERT_TRUE(alo_allows(0xffff, 9));   /* down */
    CU_ASSERT_TRUE(alo_allows(0xffff, 4));
    /* the message to the sender's own node uses the link back to this node */
    CU_ASSERT_TRUE(alo_allows(0xffff, 5));
    memset(net.busy, 0xff, sizeof(net.busy));
    CU_ASSERT_FALSE(alo_allows(0xffff, 5)); /* now the link back to the node is
                                             * also busy */
}

/* If the lane can be chosen freely, each message occupies one lane of the HCA.
 * A message may enter the network if both the HCA and the network link have a
 * free lane. It may also enter if no lane of the HCA or no lane of the link is
 * in use. */
static void test_alo_hca(void)
{
    unsigned i;

    start_alo(GMS_FLIT_LANES_FREE);
    CU_ASSERT_TRUE(alo_allows(0xffff, 6)); /* the HCA is empty */
    alo_put(GMS_LANE_REAL_TIME, 3);
    CU_ASSERT_TRUE(alo_allows(0xffff, 6)); /* no best-effort lane of the HCA is
                                              in use */
    for (i = 0; i < 3; ++i) {
        alo_put(GMS_LANE_BEST_EFFORT, 0);
        CU_ASSERT_TRUE(alo_allows(0x7000, 6));
        CU_ASSERT_FALSE(alo_allows(0x7800, 6));
    }
    alo_put(GMS_LANE_BEST_EFFORT, 0); /* no lane is free */
    CU_ASSERT_FALSE(alo_allows(0x7000, 6));
    CU_ASSERT_FALSE(alo_allows(0x0800, 6));
    CU_ASSERT_TRUE(alo_allows(0x87ff, 6));
    alo_put(GMS_LANE_BEST_EFFORT, 0);
    alo_take(GMS_LANE_BEST_EFFORT, 0);
    CU_ASSERT_FALSE(alo_allows(0x7000, 6)); /* four messages remain */
    alo_take(GMS_LANE_BEST_EFFORT, 0);
    CU_ASSERT_TRUE(alo_allows(0x7000, 6));
    CU_ASSERT_TRUE(gms_congestion_may_enter(
        congestion, 4,
        &(gms_hca_message_t){
            .packet = {.source = 4,
                       .target = 5,
                       .traffic_class = GMS_LANE_BEST_EFFORT}}));
}

/* If lanes are drawn, a message with draw 1 uses lane 12 of the HCA and lane 13
 * of the link behind the HCA's switch. The message cannot use any other free
 * lane. */
static void test_alo_drawn(void)
{
    start_alo(GMS_FLIT_LANES_DRAWN);
    alo_put(GMS_LANE_BEST_EFFORT, 0); /* this message uses lane 11 */
    CU_ASSERT_TRUE(alo_allows_drawn(0x5800, 6, 1));
    CU_ASSERT_FALSE(alo_allows_drawn(0x2000, 6, 1)); /* lane 13 is busy */
    CU_ASSERT_TRUE(alo_allows_drawn(0x0000, 6, 1));
    /* lane 11 of the HCA is in use */
    CU_ASSERT_FALSE(alo_allows_drawn(0x4000, 6, 0));
    /* all lanes of the link behind the HCA's switch are free */
    CU_ASSERT_TRUE(alo_allows_drawn(0x0000, 6, 0));
    /* no best-effort lane is busy */
    CU_ASSERT_TRUE(alo_allows_drawn(0x87ff, 6, 0));
    alo_put(GMS_LANE_BEST_EFFORT, 0); /* lane 11 contains a second message */
    alo_take(GMS_LANE_BEST_EFFORT, 0);
    /* lane 11 still contains one message */
    CU_ASSERT_FALSE(alo_allows_drawn(0x4000, 6, 0));
    alo_take(GMS_LANE_BEST_EFFORT, 0);
    CU_ASSERT_TRUE(alo_allows_drawn(0xffff, 6, 0)); /* the HCA is empty */
    alo_put(GMS_LANE_REAL_TIME, 0);
    /* no best-effort lane of the HCA is in use */
    CU_ASSERT_TRUE(alo_allows_drawn(0xffff, 6, 0));
}

/* Set the busy lanes of link number `hop' of the route from node 5 to node 7,
 * which is two switches to the right. The links are node 5's own link, 5 -> 6,
 * 6 -> 7, and the link into node 7. */
static void alo_busy(unsigned hop, uint16_t busy)
{
    uint32_t links[4];

    CHECK_U64(gms_flit_route_links(&net, 5, 7, links, 4), 4);
    net.busy[links[hop]] = busy;
}

static int alo_allows_7(void)
{
    gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, 5, 7);

    return gms_congestion_may_enter(congestion, 5, &best);
}

/* The rule GMS_ALO_ROUTE checks every link on the route. A message with draw 0
 * uses the lanes 11, 12, 13 and 14 on the four links of its route. */
static void test_alo_route(void)
{
    config.alo_rule = GMS_ALO_ROUTE;
    start_alo(GMS_FLIT_LANES_DRAWN);
    alo_put(GMS_LANE_BEST_EFFORT, 1); /* lane 12 of the HCA, which the message
                                         does not need */
    alo_busy(1, 0x0800);              /* lane 11, which the message does not
                                         need */
    alo_busy(2, 0x5800);              /* lane 13 is free */
    alo_busy(3, 0x3800);              /* lane 14 is free */
    CU_ASSERT_TRUE(alo_allows_7());
    alo_busy(2, 0x2000); /* the link from the second switch */
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(2, 0x5800);
    alo_busy(3, 0x4000); /* the link into the target */
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(2, 0x87ff); /* second part of the rule: no lane of the class is
                            busy */
    CU_ASSERT_TRUE(alo_allows_7());
    config.alo_rule = 0;
    start_alo(GMS_FLIT_LANES_DRAWN);
    alo_put(GMS_LANE_BEST_EFFORT, 1);
    alo_busy(2, 0xffff); /* the default rule does not check this link */
    CU_ASSERT_TRUE(alo_allows_7());
}

/* With the rule GMS_ALO_EMPTY, no message may enter while an HCA lane of its
 * class holds another message. The rule does not count the HCA's own link as a
 * useful link, so an empty HCA is not sufficient. */
static void test_alo_empty(void)
{
    config.alo_rule = GMS_ALO_EMPTY;
    start_alo(GMS_FLIT_LANES_DRAWN);
    alo_busy(1, 0x1000); /* lane 12, which the message needs */
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(1, 0x0800);
    CU_ASSERT_TRUE(alo_allows_7());
    alo_put(GMS_LANE_REAL_TIME, 1); /* this lane belongs to another class */
    CU_ASSERT_TRUE(alo_allows_7());
    alo_put(GMS_LANE_BEST_EFFORT, 1); /* another lane of the same class */
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(1, 0);
    CU_ASSERT_FALSE(alo_allows_7());
    alo_take(GMS_LANE_BEST_EFFORT, 1);
    CU_ASSERT_TRUE(alo_allows_7());
}

/* Without the second part of the rule, a link without busy lanes does not
 * replace a free lane on another link. */
static void test_alo_first_half(void)
{
    config.alo_rule = GMS_ALO_ROUTE | GMS_ALO_FIRST_HALF;
    start_alo(GMS_FLIT_LANES_DRAWN);
    CU_ASSERT_TRUE(alo_allows_7());
    alo_busy(2, 0x2000);
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(2, 0x1000);
    CU_ASSERT_TRUE(alo_allows_7());
}

int main(void)
{
    CU_TestInfo alo[] = {
        {"lanes of the network", test_alo_network},
        {"lanes of the HCA", test_alo_hca},
        {"randomly chosen lanes", test_alo_drawn},
        {"the rule checks each link of the route", test_alo_route},
        {"the rule admits messages only into an empty HCA", test_alo_empty},
        {"a variant with only the first half of the rule", test_alo_first_half},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"policy At-Least-One", NULL, NULL, start, finish, alo});
}
