/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests virtual-lane arbitration: compares weights and orders with values
 * computed by hand, and checks the lanes' shares. */
#include "unit.h"

#include <string.h>

#include "base/random.h"
#include "fabric/lane_arbiter.h"

enum {
    ALL = GMS_LANES_MAX,
    CONTROL_LANE = 7, /* lanes of the plan: 0..3 real time, 4..6 best effort, 7
                       * control */
    REAL_TIME = 0x0f,
    BEST_EFFORT = 0x70
};

static gms_lane_plan_t plan;
static gms_lane_table_t table;
static gms_lane_arbiter_t arbiter;
static uint32_t since[GMS_LANES_MAX];

static void begin(enum gms_lane_policy policy)
{
    gms_lane_plan_init(&plan, 8, 4, 1, policy, 4);
    memset(&table, 0, sizeof(table));
    memset(&arbiter, 0, sizeof(arbiter));
    memset(since, 0, sizeof(since));
    table.limit = GMS_LANE_LIMIT_MAX;
}

static unsigned serve(uint16_t candidates)
{
    unsigned lane =
        gms_lane_arbiter_pick(&arbiter, &plan, &table, candidates, since);

    CU_ASSERT_TRUE((candidates >> lane) & 1);
    gms_lane_arbiter_served(&arbiter, &plan, &table, lane, candidates);
    return lane;
}

/* Checks the order in which the next lanes are served. Each digit in the text
 * is the number of a lane. */
static void check_order(uint16_t candidates, const char *expected)
{
    char order[64] = "";
    size_t i;

    for (i = 0; i < strlen(expected); ++i) {
        order[i] = (char)('0' + serve(candidates));
    }
    if (strcmp(order, expected) != 0) {
        printf("\n    served %s, expected %s\n", order, expected);
    }
    CU_ASSERT_STRING_EQUAL(order, expected);
}

static void count(uint16_t candidates, unsigned flits,
                  unsigned served[GMS_LANES_MAX])
{
    memset(served, 0, GMS_LANES_MAX * sizeof(served[0]));
    while (flits-- > 0) {
        ++served[serve(candidates)];
    }
}

/* ---- plans and weights -------------------------------------------------- */

static void test_plan(void)
{
    begin(GMS_LANE_SMALL_FAST);
    CHECK_U64(plan.class_lanes[GMS_LANE_REAL_TIME], REAL_TIME);
    CHECK_U64(plan.class_lanes[GMS_LANE_BEST_EFFORT], BEST_EFFORT);
    CHECK_U64(plan.class_lanes[GMS_LANE_CONTROL], 1u << CONTROL_LANE);
    CHECK_U64(plan.class_of[3], GMS_LANE_REAL_TIME);
    CHECK_U64(plan.class_of[4], GMS_LANE_BEST_EFFORT);
    CHECK_U64(plan.class_of[CONTROL_LANE], GMS_LANE_CONTROL);
    CHECK_U64(plan.frame, 16);
    /* The paper's configuration has 11 lanes and k = 4. */
    gms_lane_plan_init(&plan, 16, 11, 1, GMS_LANE_SMALL_SLOW, 4);
    CHECK_U64(plan.frame, 44);
    gms_lane_plan_init(&plan, 16, 11, 1, GMS_LANE_LARGE_SLOW, 4);
    CHECK_U64(plan.frame, 16320);
    gms_lane_plan_init(&plan, 16, 16, 0, GMS_LANE_SMALL_FAST, 65536);
    CHECK_U64(plan.frame, 16320);
    CHECK_U64(plan.class_lanes[GMS_LANE_REAL_TIME], 0xffff);
    gms_lane_plan_init(&plan, 1, 0, 0, GMS_LANE_FCFS, 4);
    CHECK_U64(plan.class_lanes[GMS_LANE_BEST_EFFORT], 1);
    CU_ASSERT_STRING_EQUAL(gms_lane_policy_names[GMS_LANE_LARGE_FAST],
                           "large-fast");
    CU_ASSERT_PTR_NULL(gms_lane_policy_names[GMS_LANE_POLICIES]);
}

static void check_weights(enum gms_lane_policy policy, uint16_t frame,
                          double first, double second, uint64_t expected_first,
                          uint64_t expected_second)
{
    gms_lane_shares_t shares = {.lane = {first, second}};

    begin(policy);
    plan.frame = frame;
    gms_lane_weigh(&plan, &shares, 1000, ALL, &table);
    CHECK_U64(table.weight[0], expected_first);
    CHECK_U64(table.weight[1], expected_second);
    CHECK_U64(table.weight[2], 0);
}

/* Checks the examples in section 3.3 of the paper. */
static void test_weights_of_the_paper(void)
{
    check_weights(GMS_LANE_SMALL_FAST, 3, 100, 200, 1, 2);
    check_weights(GMS_LANE_SMALL_FAST, 300, 100, 200, 100, 200);
    check_weights(GMS_LANE_SMALL_FAST, 301, 101, 200, 101, 200);
    check_weights(GMS_LANE_SMALL_FAST, 6, 100, 200, 2, 4);
    check_weights(GMS_LANE_SMALL_FAST, 6, 101, 200, 2, 4);
    check_weights(GMS_LANE_LARGE_FAST, 16320, 100, 200, 5440, 10880);
}

static void test_weights_at_their_ends(void)
{
    gms_lane_shares_t shares = {.lane = {1, 1e6}, .real_time = 5e5};

    check_weights(GMS_LANE_SMALL_SLOW, 16, 1, 1e6, 1, 16);
    check_weights(GMS_LANE_SMALL_SLOW, 16, 0, 1e6, 0, 16);
    /* If a lane needs more bandwidth than all reservations together, its weight
     * is the whole frame. */
    begin(GMS_LANE_LARGE_SLOW);
    gms_lane_weigh(&plan, &shares, 1e6, ALL, &table);
    CHECK_U64(table.weight[0], 1);
    CHECK_U64(table.weight[1], 16320);
    /* By now, all reservations have ended. */
    memset(&shares, 0, sizeof(shares));
    gms_lane_weigh(&plan, &shares, 1e6, ALL, &table);
    CHECK_U64(table.weight[0], 0);
    CHECK_U64(table.weight[1], 0);
    CHECK_U64(table.limit, 1);
}

/* If B_r is fixed at 800, a later reservation does not change the weights of
 * other lanes. */
static void test_large_frame_updates_one_lane(void)
{
    gms_lane_shares_t shares = {.lane = {200}, .real_time = 800};

    begin(GMS_LANE_LARGE_FAST);
    gms_lane_weigh(&plan, &shares, 1000, 0, &table);
    CHECK_U64(table.weight[0], 4080);
    /* the next call names only lane 1, so this change has no effect */
    shares.lane[0] = 300;
    shares.lane[1] = 100;
    gms_lane_weigh(&plan, &shares, 1000, 1, &table);
    CHECK_U64(table.weight[0], 4080);
    CHECK_U64(table.weight[1], 2040);
    gms_lane_weigh(&plan, &shares, 1000, ALL, &table);
    CHECK_U64(table.weight[0], 6120);
    /* Without a fixed B_r, all weights change. */
    shares.real_time = 0;
    gms_lane_weigh(&plan, &shares, 1000, 1, &table);
    CHECK_U64(table.weight[0], 12240);
    CHECK_U64(table.weight[1], 4080);
}

/* With the small frame, all weights are computed again, whether B_r is fixed or
 * not. */
static void test_small_frame_updates_all(void)
{
    gms_lane_shares_t shares = {.lane = {200}, .real_time = 800};

    begin(GMS_LANE_SMALL_FAST);
    gms_lane_weigh(&plan, &shares, 1000, 0, &table);
    CHECK_U64(table.weight[0], 16);
    shares.lane[1] = 600;
    gms_lane_weigh(&plan, &shares, 1000, 1, &table);
    CHECK_U64(table.weight[0], 4);
    CHECK_U64(table.weight[1], 12);
}

static void check_limit(double peak, uint64_t expected)
{
    gms_lane_shares_t shares = {.lane = {peak}, .peak = peak};

    gms_lane_weigh(&plan, &shares, 1000, ALL, &table);
    CHECK_U64(table.limit, expected);
}

static void test_limit(void)
{
    begin(GMS_LANE_SMALL_FAST);
    check_limit(0, 1);
    check_limit(500, 2);
    check_limit(1, 2);   /* 1.001 */
    check_limit(510, 3); /* 2.04 */
    check_limit(600, 3); /* 2.5 */
    check_limit(800, 5);
    check_limit(996, 250);
    check_limit(999, 255); /* 1000 */
    check_limit(1000, 255);
    check_limit(5000, 255);
}

/* ---- orders computed by hand --------------------------------------------- */

static void test_next(void)
{
    CHECK_U64(gms_lane_next(0x8001, 0), 15);
    CHECK_U64(gms_lane_next(0x8001, 15), 0);
    CHECK_U64(gms_lane_next(0x0010, 4), 4);
    CHECK_U64(gms_lane_next(0x0036, 2), 4);
    CHECK_U64(gms_lane_next(UINT32_C(0x80000002), 31), 1);
}

static void test_round_robin(void)
{
    begin(GMS_LANE_ROUND_ROBIN);
    table.weight[0] = 9; /* the weight has no effect with this policy */
    check_order(0x0b, "130130");
    check_order(0x0a, "1313");
    check_order(0x70, "456456");
    check_order(0x04, "22");
    check_order(0x0f, "3012");
}

static void test_first_come_first_served(void)
{
    begin(GMS_LANE_FCFS);
    since[0] = 7;
    since[1] = 5;
    since[2] = 6;
    check_order(0x07, "1");
    since[1] = 8;
    check_order(0x07, "2");
    since[2] = 9;
    check_order(0x07, "0");
    /* lanes that have waited since the same time are served in turn */
    since[0] = since[1] = since[2] = 3;
    check_order(0x07, "1201");
    /* the clock has wrapped around */
    since[0] = 1;
    since[1] = UINT32_MAX;
    check_order(0x03, "1");
    /* The policy also applies to best-effort traffic and, separately, to
     * control traffic. */
    since[4] = 50;
    since[5] = 40;
    check_order(0x30, "5");
    check_order(0x33, "1");
}

/* Sets the weights 1, 2, 3 and 0. */
static void weigh_by_hand(enum gms_lane_policy policy)
{
    begin(policy);
    table.weight[0] = 1;
    table.weight[1] = 2;
    table.weight[2] = 3;
}

static void test_fast_pointer(void)
{
    weigh_by_hand(GMS_LANE_SMALL_FAST);
    check_order(0x0f, "1230122" /* */
                      "3012122"
                      "3012122");
}

static void test_slow_pointer(void)
{
    weigh_by_hand(GMS_LANE_LARGE_SLOW);
    check_order(0x0f, "0112223"
                      "0112223");
}

/* With the slow pointer, a lane that has nothing to send loses only its current
 * turn. */
static void test_slow_pointer_moves_on(void)
{
    weigh_by_hand(GMS_LANE_SMALL_SLOW);
    check_order(0x07, "0112");
    check_order(0x03, "011011");
    check_order(0x07, "2220");
    check_order(0x01, "0000"); /* only one lane waits */
    check_order(0x05, "222022");
}

/* When the slow pointer returns to a lane, the lane has its full weight
 * again. */
static void test_slow_pointer_comes_back(void)
{
    begin(GMS_LANE_SMALL_SLOW);
    table.weight[0] = table.weight[1] = table.weight[2] = 5;
    check_order(0x01, "0");
    check_order(0x02, "1");
    check_order(0x04, "2");
    check_order(0x07, "222200000111112");
}

/* With the fast pointer, the frame ends when all lanes that can send have used
 * their weights. */
static void test_fast_pointer_frame_ends_early(void)
{
    weigh_by_hand(GMS_LANE_SMALL_FAST);
    /* after that, only lane 2 may send another flit in this frame */
    check_order(0x07, "12012");
    check_order(0x03, "0"); /* a new frame begins */
    /* in the new frame, lane 2 may send three flits */
    check_order(0x07, "12122");
    check_order(0x01, "000");
}

/* If a weight is reduced in the middle of a frame, the change takes effect
 * immediately. */
static void test_weights_change_under_way(void)
{
    begin(GMS_LANE_SMALL_FAST);
    table.weight[0] = table.weight[1] = 8;
    check_order(0x03, "1010");
    table.weight[0] = 1;
    /* lane 0 sends one more flit, and lane 1 sends 8 flits in total */
    check_order(0x03, "1011111");
    check_order(0x03, "011111111"); /* the next frame has 1 + 8 flits */
}

static void test_classes(void)
{
    begin(GMS_LANE_SMALL_FAST);
    check_order(0xff, "777");
    table.limit = 3;
    /* two real-time flits, then one best-effort flit */
    check_order(0x7f, "124305");
    table.limit = 1;
    check_order(0x7f, "6456");
    table.limit = 2;
    /* While best-effort traffic is not waiting, it does not accumulate
     * credit. */
    check_order(0x03, "10");
    check_order(0x13, "14");
}

/* If best-effort traffic has no credits when it is its turn, the turn remains
 * reserved for this traffic. */
static void test_a_turn_is_not_lost(void)
{
    unsigned i;

    begin(GMS_LANE_SMALL_FAST);
    for (i = 0; i < 600; ++i) {
        gms_lane_arbiter_served(&arbiter, &plan, &table, 1, 0x12);
        CU_ASSERT_TRUE(i < 253 || gms_lane_arbiter_pick(&arbiter, &plan, &table,
                                                        0x12, since) == 4);
    }
}

/* ---- properties --------------------------------------------------------- */

/* If all lanes are saturated, each frame matches the weights exactly,
 * regardless of the policy and the weights. */
static void check_frames(enum gms_lane_policy policy, gms_random_t *random)
{
    gms_lane_shares_t shares = {.peak = 0};
    unsigned served[GMS_LANES_MAX];
    unsigned lane, frame, flits = 0;

    gms_lane_plan_init(&plan, 16, 11, 1, policy, 4);
    memset(&arbiter, 0, sizeof(arbiter));
    for (lane = 0; lane < 11; ++lane) {
        shares.lane[lane] = (double)(1 + gms_random_below(random, 1000));
    }
    gms_lane_weigh(&plan, &shares, 1e6, ALL, &table);
    for (lane = 0; lane < 11; ++lane) {
        flits += table.weight[lane];
    }
    CU_ASSERT_TRUE(flits + 11 >= plan.frame && flits <= plan.frame + 11u);
    for (frame = 0; frame < 3; ++frame) {
        count(0x7ff, flits, served);
        for (lane = 0; lane < 11; ++lane) {
            CHECK_U64(served[lane], table.weight[lane]);
        }
    }
}

static void test_frames_are_exact(void)
{
    gms_random_t random;
    unsigned policy, i;

    gms_random_init(&random, 1, 1);
    for (policy = GMS_LANE_SMALL_FAST; policy < GMS_LANE_POLICIES; ++policy) {
        for (i = 0; i < 20; ++i) {
            check_frames((enum gms_lane_policy)policy, &random);
        }
    }
}

/* One lane always waits, and the other lanes wait only some of the time. The
 * first lane receives at least its weight per frame, with a tolerance of one
 * frame. */
static void test_a_lane_that_waits_gets_its_share(void)
{
    gms_random_t random;
    unsigned policy, i, flits = 70000;

    gms_random_init(&random, 2, 2);
    for (policy = GMS_LANE_SMALL_FAST; policy < GMS_LANE_POLICIES; ++policy) {
        unsigned mine = 0;

        begin((enum gms_lane_policy)policy);
        table.weight[0] = 40;
        table.weight[1] = 10;
        table.weight[2] = 30;
        table.weight[3] = 20;
        for (i = 0; i < flits; ++i) {
            uint16_t others = (uint16_t)gms_random_below(&random, 8);

            mine += serve((uint16_t)(others << 1 | 1)) == 0;
        }
        CU_ASSERT_TRUE(mine + 40 >= flits * 40 / 100);
        CU_ASSERT_TRUE(mine < flits);
    }
}

/* Every waiting lane is served within one frame, regardless of the weights. */
static void test_nobody_starves(void)
{
    unsigned policy, lane, i;

    for (policy = 0; policy < GMS_LANE_POLICIES; ++policy) {
        unsigned last[GMS_LANES_MAX] = {0};

        begin((enum gms_lane_policy)policy);
        table.weight[1] = 100;
        table.limit = 10;
        for (i = 1; i < 2000; ++i) {
            lane = serve(REAL_TIME | BEST_EFFORT);
            since[lane] = i;
            last[lane] = i;
            for (lane = 0; lane < 7; ++lane) {
                CU_ASSERT_TRUE(i - last[lane] <= 120);
            }
        }
    }
}

/* Best-effort traffic receives 1 / limit of the flits that control traffic
 * leaves, plus all turns that no other lane needs. */
static void test_limit_is_a_share(void)
{
    unsigned served[GMS_LANES_MAX];
    unsigned limit;

    for (limit = 1; limit <= GMS_LANE_LIMIT_MAX; ++limit) {
        begin(GMS_LANE_SMALL_FAST);
        table.limit = (uint16_t)limit;
        count(REAL_TIME | BEST_EFFORT, 3 * limit, served);
        CHECK_U64(served[4] + served[5] + served[6], 3);
        count(BEST_EFFORT, 30, served);
        CHECK_U64(served[5], 10);
    }
}

int main(void)
{
    CU_TestInfo weights[] = {
        {"plan", test_plan},
        {"the paper's examples", test_weights_of_the_paper},
        {"limits of the paper's examples", test_weights_at_their_ends},
        {"large frame: a reservation changes the weight of one lane",
         test_large_frame_updates_one_lane},
        {"small frame: a reservation changes the weights of all lanes",
         test_small_frame_updates_all},
        {"limit", test_limit},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo orders[] = {
        {"the next lane in turn", test_next},
        {"round-robin", test_round_robin},
        {"first come, first served", test_first_come_first_served},
        {"order of the lanes with the fast pointer", test_fast_pointer},
        {"order of the lanes with the slow pointer", test_slow_pointer},
        {"slow pointer skips an idle lane", test_slow_pointer_moves_on},
        {"slow pointer: a lane's weight is restored in its next turn",
         test_slow_pointer_comes_back},
        {"fast pointer: a frame can end early",
         test_fast_pointer_frame_ends_early},
        {"weights change in the middle of a frame",
         test_weights_change_under_way},
        {"classes", test_classes},
        {"best effort without credits keeps its turn", test_a_turn_is_not_lost},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo properties[] = {
        {"each lane sends exactly its weight in every frame",
         test_frames_are_exact},
        {"a waiting lane receives its share",
         test_a_lane_that_waits_gets_its_share},
        {"no lane starves", test_nobody_starves},
        {"the limit sets the share of best effort", test_limit_is_a_share},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"weights", NULL, NULL, NULL, NULL, weights},
                    {"orders", NULL, NULL, NULL, NULL, orders},
                    {"properties", NULL, NULL, NULL, NULL, properties});
}
