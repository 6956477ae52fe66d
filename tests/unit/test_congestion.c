/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the settings of the congestion policies and the policies that give
 * credits to connections, without a network: the test determines the results of
 * the network's functions. The program test_congestion_net.c uses the simulated
 * network instead.
 */
#include "congestion_rig.h"

#include "base/random.h"

/* ---- settings ----------------------------------------------------------- */

static int fails_after =
    -1; /* number of allocations that still succeed; negative:
                         * all succeed */

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails_after >= 0 && fails_after-- == 0 ? NULL
                                                  : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return fails_after >= 0 && fails_after-- == 0
               ? NULL
               : __real_realloc(block, bytes);
}

static void finish_settings(void)
{
    fails_after = -1;
    finish();
}

static void check_refused(const char *text)
{
    gms_congestion_t *none = NULL;

    CU_ASSERT_EQUAL(gms_congestion_create(&config, &net, &none, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NULL(none);
    if (strcmp(error, text) != 0) {
        printf("\n    %s\n    expected\n    %s\n", error, text);
    }
    CU_ASSERT_STRING_EQUAL(error, text);
    gms_congestion_config_init(&config);
}

static void test_settings(void)
{
    unsigned policy;

    for (policy = 0; policy < GMS_CONGESTION_POLICIES; ++policy) {
        CU_ASSERT_PTR_NOT_NULL(gms_congestion_policy_names[policy]);
        create(policy);
    }
    CU_ASSERT_PTR_NULL(gms_congestion_policy_names[policy]);
    gms_congestion_destroy(NULL);
    gms_congestion_config_init(&config);
    config.policy = GMS_CONGESTION_POLICIES;
    check_refused("congestion policy 6 is unknown; allowed: 0..5");
    config.buffer_messages = 0;
    check_refused("buffer_messages is 0; allowed: 1 or more");
    config.credits_best = 0;
    check_refused("credits_best is 0; allowed: 1 or more");
    config.gather_cycles = 0;
    check_refused("gather_cycles is 0; allowed: 1 or more");
    config.tune_gathers = 0;
    check_refused("tune_gathers is 0; allowed: 1 or more");
    config.credits_best = 1001;
    check_refused(
        "1001 credits for best effort (credits_best) exceed the capacity of "
        "the HCA; allowed: 1..1000 (buffer_messages)");
}

static void test_quad_needs_a_grid(void)
{
    params.rows = 0;
    params.columns = 0;
    build(GMS_TOPOLOGY_CROSSBAR, 8);
    config.policy = GMS_CONGESTION_QUAD_CQ;
    check_refused(
        "quad-cq requires rows and columns; allowed: topology mesh or torus");
}

/* Let the first allocation fail, then the second, and so on. */
static void test_no_memory(void)
{
    unsigned policy, failures = 0;
    gms_status_t status;
    int nth;

    for (policy = 0; policy < GMS_CONGESTION_POLICIES; ++policy) {
        for (nth = 0, status = GMS_ERR_NO_MEMORY; status != GMS_OK; ++nth) {
            gms_congestion_t *made = NULL;

            config.policy = policy;
            fails_after = nth;
            status = gms_congestion_create(&config, &net, &made, error);
            fails_after = -1;
            CU_ASSERT_TRUE(status == GMS_OK || status == GMS_ERR_NO_MEMORY);
            CU_ASSERT_EQUAL(made == NULL, status != GMS_OK);
            failures += status != GMS_OK;
            gms_congestion_destroy(made);
        }
    }
    /* Each policy needs one allocation. Each of the three credit policies needs
     * three more allocations: its own structure, its nodes, and its queues. The
     * policy alo also allocates its lanes, and the policy self-tuned allocates
     * its lanes and its tuner. */
    CHECK_U64(failures, 6 + 3 * 3 + 1 + 2);
    create(GMS_CONGESTION_CREDIT);
    fails_after = 0;
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 3, 0.5),
                    GMS_ERR_NO_MEMORY);
    CHECK_U64(post_real_time(0, 3), 0);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 3, 0.5), GMS_OK);
    CHECK_U64(post_real_time(0, 3), 500);
}

/* ---- credits ------------------------------------------------------------ */

/* A connection that reserves a fraction of the link's bandwidth receives the
 * same fraction of the credits, rounded down, but at least one credit. */
static void test_credits_of_connections(void)
{
    static const struct {
        unsigned room;
        double share;
        unsigned credits;
    } cases[] = {
        {400, 1.0 / 40, 10}, {400, 0.0049, 1},    {400, 0.0051, 2},
        {400, 0.0001, 1},    {300, 1.0 / 3, 100}, {3, 1.0 / 3, 1},
        {1000, 0.0029, 2},   {1000, 1.0, 1000},   {1, 0.7, 1},
        {100, 0.29, 29}, /* the product is 28.999999999999996 in binary
                          * arithmetic */
    };
    unsigned i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        config.buffer_messages = cases[i].room;
        config.credits_best = 1;
        create(GMS_CONGESTION_CREDIT + i % 3);
        CU_ASSERT_EQUAL(
            gms_congestion_open(congestion, 2, 7 + i, cases[i].share), GMS_OK);
        CHECK_U64(post_real_time(2, 7 + i), cases[i].credits);
        CHECK_U64(post_real_time(2, 6 + i), 0); /* this connection is not
                                                 * open */
    }
}

/* A credit returns only when its message has left the network, and only to the
 * queue of the message. */
static void test_credits_come_back(void)
{
    gms_hca_message_t a = message_of(GMS_LANE_REAL_TIME, 1, 0, 3);
    gms_hca_message_t b = message_of(GMS_LANE_BEST_EFFORT, 0, 0, 3);

    config.buffer_messages = 100;
    config.credits_best = 20;
    create(GMS_CONGESTION_CREDIT);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 1, 0.05), GMS_OK);
    CHECK_U64(post_all(&a), 5);
    CHECK_U64(post_all(&b), 20);
    CHECK_U64(post_best(1, 3), 20);
    gms_congestion_entered(congestion, 0, &a);
    CHECK_U64(post_all(&a), 0);
    gms_congestion_completed(congestion, 0, &a);
    CHECK_U64(post_all(&b), 0);
    CHECK_U64(post_all(&a), 1);
    gms_congestion_completed(congestion, 0, &b);
    gms_congestion_completed(congestion, 0, &b);
    CHECK_U64(gms_congestion_used(congestion, 0, 0), 18);
    CHECK_U64(post_all(&a), 0);
    CHECK_U64(post_all(&b), 2);
}

/* A closed connection has no credits. The credits of its outstanding messages
 * nevertheless return to best-effort traffic. */
static void test_connections_end(void)
{
    gms_hca_message_t a = message_of(GMS_LANE_REAL_TIME, 9, 0, 3);
    unsigned i;

    config.buffer_messages = 100;
    config.credits_best = 60;
    create(GMS_CONGESTION_CREDIT);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 9, 0.5), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 50);
    CHECK_U64(post_all(&a), 50);
    gms_congestion_close(congestion, 0, 9);
    gms_congestion_close(congestion, 0, 9);
    gms_congestion_close(congestion, 0, 1u << 20); /* this connection was never
                                                    * open */
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 60);
    gms_congestion_completed(congestion, 0, &a);
    CHECK_U64(post_all(&a), 0);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 9, 0.25), GMS_OK);
    CHECK_U64(post_all(&a), 0); /* 49 credits are outstanding */
    for (i = 0; i < 25; ++i) {
        gms_congestion_completed(congestion, 0, &a);
    }
    CHECK_U64(post_all(&a), 1);
}

/* Best-effort traffic receives the part of the M credits that connections do
 * not use. */
static void test_best_effort_gets_the_rest(void)
{
    config.buffer_messages = 250;
    config.credits_best = 200;
    create(GMS_CONGESTION_CREDIT);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 200);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 1, 0.2), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 200);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 2, 0.2), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 150);
    CHECK_U64(gms_congestion_credits(congestion, 1, 0), 200);
    CHECK_U64(post_best(0, 5), 150);
    /* If more credits are outstanding than best-effort traffic may now have, no
     * credit is available until enough credits have returned. */
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 3, 0.4), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 50);
    CHECK_U64(post_best(0, 5), 0);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 4, 0.9), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 1);
}

static unsigned sum_of_credits(void)
{
    unsigned sum = 0, queue;

    for (queue = 0; queue < gms_congestion_queues(congestion); ++queue) {
        sum += gms_congestion_credits(congestion, 0, queue);
    }
    return sum;
}

/* The credits are divided among the queues as evenly as possible. With 200
 * credits, eight of 16 queues have 13 credits and eight have 12. */
static void test_credits_are_divided(void)
{
    unsigned target;

    create(GMS_CONGESTION_SEPARATE_CQ);
    CHECK_U64(gms_congestion_queues(congestion), 16);
    CHECK_U64(sum_of_credits(), 200);
    for (target = 0; target < 16; ++target) {
        CHECK_U64(gms_congestion_queue(congestion, 3, target), target);
        CHECK_U64(post_best(3, target), target < 8 ? 13 : 12);
    }
    config.credits_best = 3;
    create(GMS_CONGESTION_SEPARATE_CQ);
    CHECK_U64(sum_of_credits(), 16);
    config.credits_best = 10;
    create(GMS_CONGESTION_QUAD_CQ);
    CHECK_U64(gms_congestion_queues(congestion), 4);
    CHECK_U64(sum_of_credits(), 10);
    CHECK_U64(post_best(5, 6), 3);  /* right */
    CHECK_U64(post_best(5, 10), 0); /* a target below and to the right belongs
                                     * to the quadrant "right" */
    CHECK_U64(post_best(5, 9), 3);  /* down */
    CHECK_U64(post_best(5, 4), 2);  /* left */
    CHECK_U64(post_best(5, 1), 2);  /* up */
    CHECK_U64(post_best(5, 2), 0);  /* a target above and to the right belongs
                                     * to the quadrant "up" */
    create(GMS_CONGESTION_CREDIT);
    CHECK_U64(gms_congestion_queues(congestion), 1);
    CHECK_U64(gms_congestion_queue(congestion, 3, 9), 0);
}

/* Compare the quadrants of node 5 of a 4 x 4 mesh with values computed by
 * hand. */
static void test_quadrants(void)
{
    static const unsigned quadrant[16] = {2, 3, 3, 3, /**/ 2, 0, 0, 0,
                                          1, 1, 0, 0, /**/ 1, 1, 0, 0};
    unsigned source, target;

    create(GMS_CONGESTION_QUAD_CQ);
    for (target = 0; target < 16; ++target) {
        CHECK_U64(gms_congestion_queue(congestion, 5, target),
                  quadrant[target]);
    }
    /* If B is in the first quadrant of A, then A is in the third quadrant of B;
     * the same applies to the other quadrants. */
    for (source = 0; source < 16; ++source) {
        for (target = 0; target < 16; ++target) {
            if (source != target) {
                CHECK_U64(
                    gms_congestion_queue(congestion, target, source),
                    (gms_congestion_queue(congestion, source, target) + 2) % 4);
            }
        }
    }
}

/* On a 5 x 5 torus, each quadrant of a node contains 6 other nodes. */
static void test_quadrants_of_a_torus(void)
{
    unsigned source, target, queue;

    params.rows = 5;
    params.columns = 5;
    build(GMS_TOPOLOGY_TORUS, 25);
    create(GMS_CONGESTION_QUAD_CQ);
    for (source = 0; source < 25; ++source) {
        unsigned count[4] = {0, 0, 0, 0};

        for (target = 0; target < 25; ++target) {
            if (target != source) {
                queue = gms_congestion_queue(congestion, source, target);
                ++count[queue];
            }
        }
        for (queue = 0; queue < 4; ++queue) {
            CHECK_U64(count[queue], 6);
        }
    }
    /* the route leads to the left, around the torus */
    CHECK_U64(gms_congestion_queue(congestion, 0, 4), 2);
    /* the route leads up, around the torus */
    CHECK_U64(gms_congestion_queue(congestion, 0, 20), 3);
    CHECK_U64(gms_congestion_queue(congestion, 0, 24), 2); /* the route leads
                                                            * left and up */
}

/* In random histories, the outstanding credits never exceed the assigned
 * credits, and all assigned credits can be used. */
static void random_history(unsigned policy, gms_random_t *random)
{
    static unsigned out[16][16];
    unsigned i, queue;

    memset(out, 0, sizeof(out));
    config.credits_best = 1 + (unsigned)gms_random_below(random, 40);
    create(policy);
    for (i = 0; i < 4000; ++i) {
        uint32_t node = (uint32_t)gms_random_below(random, 16);
        uint32_t target = (uint32_t)gms_random_below(random, 16);
        gms_hca_message_t message =
            message_of(GMS_LANE_BEST_EFFORT, 0, node, target);
        unsigned limit;

        queue = gms_congestion_queue(congestion, node, target);
        limit = gms_congestion_credits(congestion, node, queue);
        if (gms_random_below(random, 3) > 0) {
            int may = gms_congestion_may_post(congestion, node, &message);

            CHECK_U64(may, out[node][queue] < limit);
            if (may) {
                gms_congestion_posted(congestion, node, &message);
                ++out[node][queue];
            }
        } else if (out[node][queue] > 0) {
            gms_congestion_completed(congestion, node, &message);
            --out[node][queue];
        }
        CHECK_U64(gms_congestion_used(congestion, node, queue),
                  out[node][queue]);
    }
}

static void test_random_histories(void)
{
    gms_random_t random;
    unsigned i;

    gms_random_init(&random, 1, 0);
    for (i = 0; i < 6; ++i) {
        random_history(GMS_CONGESTION_CREDIT + i % 3, &random);
    }
}

/* ---- messages that are never delayed ---- */

static void test_control_and_none(void)
{
    gms_hca_message_t control = message_of(GMS_LANE_CONTROL, 0, 5, 6);
    gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, 5, 6);
    unsigned policy;

    memset(net.busy, 0xff, sizeof(net.busy));
    net.full = 100000;
    for (policy = 0; policy < GMS_CONGESTION_POLICIES; ++policy) {
        create(policy);
        net.now += 3 * config.gather_cycles;
        gms_congestion_step(congestion);
        net.now += config.gather_cycles;
        gms_congestion_step(congestion);
        CHECK_U64(post_all(&control), 5000);
        CU_ASSERT_TRUE(gms_congestion_may_enter(congestion, 5, &control));
        gms_congestion_entered(congestion, 5, &control);
        gms_congestion_completed(congestion, 5, &control);
    }
    create(GMS_CONGESTION_NONE);
    CHECK_U64(post_all(&best), 5000);
    CU_ASSERT_TRUE(gms_congestion_may_enter(congestion, 5, &best));
    CHECK_U64(gms_congestion_credits(congestion, 5, 0), 1000);
    CHECK_U64(gms_congestion_used(congestion, 5, 0), 0);
    CHECK_U64(gms_congestion_next(congestion), UINT64_MAX);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 1, 1), GMS_OK);
    gms_congestion_close(congestion, 0, 1);
    gms_congestion_posted(congestion, 5, &best);
    gms_congestion_entered(congestion, 5, &best);
    gms_congestion_completed(congestion, 5, &best);
    gms_congestion_step(congestion);
    CHECK_U64(gms_congestion_queues(congestion), 1);
    CHECK_NEAR(gms_congestion_threshold(congestion), 0.0, 0);
}

int main(void)
{
    CU_TestInfo settings[] = {
        {"settings", test_settings},
        {"quadrants need rows and columns", test_quad_needs_a_grid},
        {"exhausted memory", test_no_memory},
        {"no policy stops control messages; policy none stops no message",
         test_control_and_none},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo credits[] = {
        {"credits of connections", test_credits_of_connections},
        {"credits return", test_credits_come_back},
        {"a closed connection returns its credits", test_connections_end},
        {"best effort receives the remaining credits",
         test_best_effort_gets_the_rest},
        {"credits are divided", test_credits_are_divided},
        {"quadrants", test_quadrants},
        {"quadrants of a torus", test_quadrants_of_a_torus},
        {"random histories of credits", test_random_histories},
        CU_TEST_INFO_NULL,
    };
    return UNIT_RUN({"settings", NULL, NULL, start, finish_settings, settings},
                    {"credits", NULL, NULL, start, finish, credits});
}
