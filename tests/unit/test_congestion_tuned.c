/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the congestion policy Self-Tuned, without a network: the test
 * determines the results of the network's functions.
 */
#include "congestion_rig.h"

static int enters(void)
{
    gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, 5, 6);

    return gms_congestion_may_enter(congestion, 5, &best);
}

static void go_to(uint64_t cycle)
{
    net.now = cycle;
    gms_congestion_step(congestion);
}

/* A 4 x 4 mesh has 64 links into switches and 16 HCAs, each with 15 data lanes.
 * In total, there are 1200 buffers. The threshold is initially 12. The policy
 * learns only in cycle 64 how many buffers were full in cycle 32. */
static void test_side_band(void)
{
    create(GMS_CONGESTION_SELF_TUNED);
    CHECK_NEAR(congestion->tuner->buffers, 1200.0, 1e-9);
    CHECK_NEAR(gms_congestion_threshold(congestion), 12.0, 1e-9);
    CHECK_U64(gms_congestion_next(congestion), 32);
    net.full = 12;
    go_to(31);
    CHECK_U64(gms_congestion_next(congestion), 32);
    go_to(32); /* the policy counts the full buffers in this cycle */
    CHECK_U64(gms_congestion_next(congestion), 64);
    CU_ASSERT_TRUE(enters());
    go_to(63);
    CU_ASSERT_TRUE(enters());
    net.full = 20;
    go_to(64); /* the counts 0 and 12 are known; the estimate is 24 */
    CU_ASSERT_FALSE(enters());
    net.full = 16;
    /* The counts 12 and 20 are known; the estimate is 28. Tuning: the network
     * was throttled, and the throughput did not drop, so the threshold rises to
     * 24. */
    go_to(96);
    CHECK_NEAR(gms_congestion_threshold(congestion), 24.0, 1e-9);
    CU_ASSERT_FALSE(enters());
    net.full = 4;
    go_to(128); /* the counts 20 and 16 are known; the estimate is 12 */
    CU_ASSERT_TRUE(enters());
    net.full = 14;
    go_to(160); /* the counts 16 and 4 are known; the estimate of -8 is limited
                   to 0 */
    /* The counts 4 and 14 are known; the estimate is 24. The throughput cannot
     * drop, because no flit has been delivered. The threshold therefore remains
     * the same. */
    go_to(192);
    CHECK_NEAR(gms_congestion_threshold(congestion), 24.0, 1e-9);
    CU_ASSERT_TRUE(enters());
    net.now = 195; /* estimate 24.9 */
    CU_ASSERT_FALSE(enters());
}

/* The initial threshold is the fraction tune_start of the 1200 buffers. If the
 * threshold is 0, the first full buffer stops all messages, and the first
 * tuning raises the threshold to 1 % of the buffers. */
static void test_first_threshold(void)
{
    config.tune_start = 0.25;
    create(GMS_CONGESTION_SELF_TUNED);
    CHECK_NEAR(gms_congestion_threshold(congestion), 300.0, 1e-9);
    config.tune_start = 0;
    create(GMS_CONGESTION_SELF_TUNED);
    CHECK_NEAR(gms_congestion_threshold(congestion), 0.0, 0);
    CU_ASSERT_TRUE(enters());
    net.full = 1;
    go_to(32);
    go_to(64);
    CU_ASSERT_FALSE(enters());
    go_to(96);
    CHECK_NEAR(gms_congestion_threshold(congestion), 12.0, 1e-9);
    CU_ASSERT_TRUE(enters());
    config.tune_start = 1.01;
    CU_ASSERT_EQUAL(gms_congestion_create(&config, &net, &congestion, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "tune_start is 1.01; allowed: 0..1"));
}

/* The estimate is a linear extrapolation from the last two known counts, but is
 * never negative. */
static void test_estimate(void)
{
    gms_congestion_tuner_t tuner = {.gather_cycle = 96, .full = {1000, 20, 12}};

    CHECK_NEAR(gms_congestion_tuner_estimate(&tuner, 32, 96), 28.0, 1e-12);
    CHECK_NEAR(gms_congestion_tuner_estimate(&tuner, 32, 112), 32.0, 1e-12);
    CHECK_NEAR(gms_congestion_tuner_estimate(&tuner, 32, 127), 35.75, 1e-12);
    tuner.full[2] = 60;
    CHECK_NEAR(gms_congestion_tuner_estimate(&tuner, 32, 96), 0.0, 0);
}

/* The count includes the occupied lanes of HCAs: one lane in each of 10 nodes,
 * and two lanes in each of 6 nodes. */
static void test_side_band_counts_hcas(void)
{
    uint32_t node;

    create(GMS_CONGESTION_SELF_TUNED);
    for (node = 0; node < 16; ++node) {
        gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, node, 6);
        gms_hca_message_t real = message_of(GMS_LANE_REAL_TIME, 1, node, 6);

        gms_congestion_entered(congestion, node, node < 10 ? &best : &real);
        gms_congestion_entered(congestion, node, &best);
    }
    go_to(32);
    CHECK_NEAR(congestion->tuner->full[0], 10.0 + 6 * 2, 1e-12);
}

/* The throughput is the number of flits that the links into nodes have
 * transferred between two tunings. A tuning knows the counts only up to the
 * previous sample. For example, the second tuning, in cycle 192, uses the flits
 * of the cycles 64 to 160. */
static void test_throughput(void)
{
    uint32_t into = gms_topology_node_link(topology, 3, 1);
    uint64_t cycle;

    net.flits[into] = 5000; /* these flits were sent before the first count */
    net.flits[0] = 100;     /* this link does not lead to a node */
    create(GMS_CONGESTION_SELF_TUNED);
    for (cycle = 32; cycle <= 192; cycle += 32) {
        net.flits[into] += 10 * cycle;
        go_to(cycle);
    }
    /* The first tuning uses the counts of cycles 32 and 64, which are 320 and
     * 640. The count of cycle 96 is not yet known. The second tuning uses the
     * counts of cycles 96, 128 and 160. */
    CHECK_NEAR(congestion->tuner->best, 960.0 + 1280 + 1600, 1e-12);
    CHECK_NEAR(congestion->tuner->throughput, 960.0 + 1280 + 1600, 1e-12);
}

/* Check the decisions in the policy's table, for 1000 buffers. */
static void test_decisions(void)
{
    static const struct {
        double before, flits, estimate, threshold;
    } cases[] = {
        /* throttled, and no drop in throughput */
        {100, 100, 201, 210},
        {100, 100, 200, 200}, /* not throttled */
        /* a 24 % drop in throughput */
        {100, 76, 201, 210},
        {100, 74, 201, 160}, /* a 26 % drop, throttled */
        {100, 74, 150, 160}, /* a 26 % drop, not throttled */
        {100, 150, 201, 210},
        {0, 10, 201, 210}, /* the first period has no earlier throughput for
                            * comparison */
    };
    unsigned i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        gms_congestion_tuner_t tuner = {
            .buffers = 1000,
            .threshold = 200,
            .throughput = cases[i].before,
            .best = cases[i].before,
            .best_threshold = 500,
            .best_full = 600,
        };

        gms_congestion_tuner_tune(&tuner, cases[i].flits, cases[i].estimate);
        CHECK_NEAR(tuner.threshold, cases[i].threshold, 1e-12);
        CHECK_NEAR(tuner.throughput, cases[i].flits, 1e-12);
    }
}

/* The threshold is never below 0 and never above the number of buffers. */
static void test_threshold_stays_in_range(void)
{
    gms_congestion_tuner_t tuner = {
        .buffers = 1000, .threshold = 15, .throughput = 100};

    gms_congestion_tuner_tune(&tuner, 60, 20);
    CHECK_NEAR(tuner.threshold, 0.0, 0);
    tuner.threshold = 995;
    gms_congestion_tuner_tune(&tuner, 60, 999);
    CHECK_NEAR(tuner.threshold, 1000.0, 1e-12);
}

/* If the throughput is far below the best throughput, the threshold returns to
 * the value that it had at the best throughput. After five such periods without
 * success, the search restarts. */
static void test_local_maximum(void)
{
    gms_congestion_tuner_t tuner = {.buffers = 1000, .threshold = 100};
    unsigned i;

    gms_congestion_tuner_tune(&tuner, 500, 80);
    CHECK_NEAR(tuner.best, 500.0, 1e-12);
    CHECK_NEAR(tuner.best_threshold, 100.0, 1e-12);
    CHECK_NEAR(tuner.best_full, 80.0, 1e-12);
    tuner.threshold = 300;
    /* The policy does not treat half of the best throughput as a throughput far
     * below the best. The threshold therefore decreases by only 4 %. */
    gms_congestion_tuner_tune(&tuner, 250, 310);
    CHECK_NEAR(tuner.threshold, 260.0, 1e-12);
    for (i = 0; i < 5; ++i) {
        tuner.threshold = 300;
        gms_congestion_tuner_tune(&tuner, 240, 310);
        CHECK_NEAR(tuner.threshold, 80.0, 1e-12);
    }
    /* A period whose throughput is not far below the best throughput resets the
     * count of unsuccessful periods. */
    gms_congestion_tuner_tune(&tuner, 260, 0);
    for (i = 0; i < 5; ++i) {
        tuner.threshold = 300;
        gms_congestion_tuner_tune(&tuner, 240, 310);
        CHECK_NEAR(tuner.threshold, 80.0, 1e-12);
    }
    tuner.threshold = 300;
    gms_congestion_tuner_tune(&tuner, 240, 310);
    CHECK_NEAR(tuner.threshold, 310.0, 1e-12);
    CHECK_NEAR(tuner.best, 240.0, 1e-12);
    CHECK_NEAR(tuner.best_threshold, 300.0, 1e-12);
    /* the threshold is the minimum of best_threshold and best_full */
    tuner.best_full = 400;
    gms_congestion_tuner_tune(&tuner, 100, 310);
    CHECK_NEAR(tuner.threshold, 300.0, 1e-12);
}

int main(void)
{
    CU_TestInfo tuned[] = {
        {"the side band reports full buffers after a delay", test_side_band},
        {"initial threshold", test_first_threshold},
        {"estimate", test_estimate},
        {"lanes of HCAs are counted", test_side_band_counts_hcas},
        {"throughput", test_throughput},
        {"decisions", test_decisions},
        {"threshold stays in range", test_threshold_stays_in_range},
        {"the search leaves a local maximum", test_local_maximum},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"policy Self-Tuned", NULL, NULL, start, finish, tuned});
}
