/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares energies with values computed by hand, and tests the power in each
 * window and the accounts of the credit policy.
 */
#include "power_rig.h"

#include "base/random.h"

/* ---- invalid configurations ---- */

static void refuse(const char *text)
{
    gms_power_t *none = NULL;

    CU_ASSERT_EQUAL(
        gms_power_create(&rig_config, &rig_net, NULL, &none, rig_error),
        GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NULL(none);
    if (strstr(rig_error, text) == NULL) {
        printf("\n    \"%s\" does not contain \"%s\"\n", rig_error, text);
        CU_FAIL("error text");
    }
    gms_power_config_init(&rig_config);
}

static void test_wrong_config_is_refused(void)
{
    rig_config.policy = GMS_POWER_POLICIES;
    refuse("policy");
    rig_config.limit_w = 0;
    refuse("limit");
    rig_config.limit_w = INFINITY;
    refuse("limit");
    rig_config.window_cycles = 0;
    refuse("window");
    rig_config.packet_flits = 0;
    refuse("packets must be at least 1");
    rig_config.real_time_part = 1.01;
    refuse("real-time share");
    rig_config.reserve_part = 1;
    refuse("reserve");
    rig_config.return_on = 2;
    refuse("return_on must be");
    rig_config.epoch_cycles = 300;
    refuse("epoch");
}

/* The best-effort budget of each node is half of limit x .98 x 1880 ns / 16. A
 * packet on the longest route needs 470009 pJ. */
static void test_limit_below_a_packet_is_refused(void)
{
    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.limit_w = 8.1;
    refuse("470009");
    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.limit_w = 8.2;
    rig_create(NULL);
}

/* ---- energies and times ---- */

static void test_energy_of_a_packet(void)
{
    gms_flit_config_t flit = rig_net.config;

    CHECK_NEAR(gms_power_router_flit_pj(&rig_config, &flit), 184.875, 1e-12);
    CHECK_NEAR(gms_power_link_flit_pj(&rig_config), 1306.88, 1e-12);
    /* with D = 0 and N = 1, the packet passes through one router and two links,
     * with one arbitration */
    CHECK_NEAR(gms_power_packet_pj(&rig_config, &flit, 0, 1), 2804.73586,
               1e-12);
    CHECK_NEAR(gms_power_packet_pj(&rig_config, &flit, 2, 10), 57839.75258,
               1e-12);
    CHECK_NEAR(gms_power_packet_pj(&rig_config, &flit, 6, 40), 470009.30602,
               1e-12);
    flit.output_flits = 0;
    CHECK_NEAR(gms_power_router_flit_pj(&rig_config, &flit), 126.675, 1e-12);
}

static void test_energy_of_an_hca(void)
{
    gms_flit_config_t flit = rig_net.config;
    double network = gms_power_packet_pj(&rig_config, &flit, 2, 10);

    rig_config.energy.hca_doorbell_pj = 1000;
    rig_config.energy.hca_completion_pj = 300;
    rig_config.energy.hca_dma_flit_pj = 20;
    rig_config.energy.hca_lane_flit_pj = 4;
    CHECK_NEAR(gms_power_packet_pj(&rig_config, &flit, 2, 10), network, 1e-12);
    rig_config.counts_hca = 1;
    CHECK_NEAR(gms_power_packet_pj(&rig_config, &flit, 2, 10),
               network + 1000 + 300 + 10 * 24, 1e-12);
}

static void test_time_of_a_packet(void)
{
    gms_flit_config_t flit = rig_net.config;

    CHECK_U64(gms_power_packet_cycles(&flit, 0, 1, 0), 7);
    CHECK_U64(gms_power_packet_cycles(&flit, 3, 40, 0), 64);
    CHECK_U64(gms_power_packet_cycles(&flit, 3, 40, 17), 81);
    flit = (gms_flit_config_t){.input_cycles = 1,
                               .route_cycles = 2,
                               .lane_cycles = 4,
                               .switch_cycles = 8,
                               .crossbar_cycles = 16,
                               .output_cycles = 32,
                               .link_cycles = 64,
                               .output_flits = 1};
    CHECK_U64(gms_power_packet_cycles(&flit, 1, 3, 0), 64 + 2 * 127 - 1 + 3);
    flit.output_flits = 0;
    CHECK_U64(gms_power_packet_cycles(&flit, 1, 3, 0), 64 + 2 * 95 - 1 + 3);
}

/* The expected values are the limits of the range in figure 3 of the paper,
 * computed from table 1. On a 4x4 mesh, a packet of uniform traffic passes
 * through 3 2/3 routers and 4 2/3 links on average. At 0.5 flits per cycle per
 * node, the network uses 14.4 W. At 0.73 flits, the network uses 21 W. */
static void test_power_of_a_mesh_by_table_1(void)
{
    double flit_pj =
        11 / 3.0 * gms_power_router_flit_pj(&rig_config, &rig_net.config) +
        14 / 3.0 * gms_power_link_flit_pj(&rig_config) +
        11 / 3.0 * rig_config.energy.arbitration_pj / 40;
    double watts = 16 * 0.5 * flit_pj / (double)rig_config.cycle_ps;

    CHECK_NEAR(watts, 14.42, 0.0005);
    CHECK_NEAR(0.5 * 21 / watts, 0.728, 0.0005);
}

/* ---- windows ---- */

static void test_window_adds_up(void)
{
    const gms_power_window_t *windows;

    rig_create(NULL);
    rig_pass(100);
    rig_net.counts[5] = (gms_flit_counts_t){
        .writes = 70, .reads = 80, .arbitrations = 2, .crossings = 40};
    rig_net.counts[6] = (gms_flit_counts_t){.writes = 1000};
    rig_net.link_flits[3] = 40;
    rig_pass(399);
    CHECK_U64(gms_power_windows(rig_power, &windows), 0);
    CHECK_U64(gms_power_next(rig_power), 500);
    rig_pass(1);
    CHECK_U64(gms_power_windows(rig_power, &windows), 1);
    CHECK_U64(windows[0].end_cycle, 500);
    /* the energies are 7136.45172 + 27075 + 52275.2 pJ in 1.88 us */
    CHECK_NEAR(windows[0].network_w, 86486.65172 / 1.88e6, 1e-12);
    CHECK_NEAR(gms_power_switch_w(rig_power, 5), 7136.45172 / 1.88e6, 1e-12);
    CHECK_NEAR(gms_power_switch_w(rig_power, 6), 27075 / 1.88e6, 1e-12);
    CHECK_NEAR(gms_power_link_w(rig_power, 3), 52275.2 / 1.88e6, 1e-12);
    CHECK_NEAR(gms_power_link_w(rig_power, 4), 0, 0);
    CHECK_NEAR(windows[0].hca_w, 0, 0);
    rig_net.link_flits[3] += 10;
    rig_pass(1000);
    CHECK_U64(gms_power_windows(rig_power, &windows), 3);
    CHECK_NEAR(windows[1].network_w, 13068.8 / 1.88e6, 1e-12);
    CHECK_NEAR(windows[2].network_w, 0, 0);
    CHECK_NEAR(gms_power_mean_w(rig_power, 500), 13068.8 / 3.76e6, 1e-12);
    /* The mean includes only complete windows. */
    CHECK_NEAR(gms_power_mean_w(rig_power, 501), 0, 0);
}

static void test_many_windows_are_kept(void)
{
    const gms_power_window_t *windows;
    uint64_t i;

    rig_config.window_cycles = 10;
    rig_config.epoch_cycles = 10;
    rig_create(NULL);
    for (i = 1; i <= 300; ++i) {
        rig_net.link_flits[0] += i;
        rig_pass(10);
    }
    CHECK_U64(gms_power_windows(rig_power, &windows), 300);
    for (i = 1; i <= 300; ++i) {
        CHECK_U64(windows[i - 1].end_cycle, i * 10);
        CHECK_NEAR(windows[i - 1].network_w, (double)i * 1306.88 / 37600,
                   1e-12);
    }
}

static void test_hca_power(void)
{
    const gms_power_window_t *windows;
    struct gms_hca memory[16];
    gms_hca_t *hcas[16];
    unsigned i;

    memset(memory, 0, sizeof(memory));
    for (i = 0; i < 16; ++i) {
        hcas[i] = &memory[i];
    }
    rig_config.energy.hca_doorbell_pj = 1000;
    rig_config.energy.hca_completion_pj = 300;
    rig_config.energy.hca_dma_flit_pj = 20;
    rig_config.energy.hca_lane_flit_pj = 4;
    rig_config.energy.hca_idle_w = 0.25;
    rig_create(hcas);
    memory[7].counts = (gms_hca_counts_t){
        .doorbells = 3, .completions = 2, .dma_flits = 120, .lane_flits = 80};
    rig_pass(500);
    CHECK_U64(gms_power_windows(rig_power, &windows), 1);
    CHECK_NEAR(gms_power_hca_w(rig_power, 7), 0.25 + 6320 / 1.88e6, 1e-12);
    CHECK_NEAR(gms_power_hca_w(rig_power, 6), 0.25, 1e-12);
    CHECK_NEAR(windows[0].hca_w, 4 + 6320 / 1.88e6, 1e-12);
    CHECK_NEAR(windows[0].network_w, 0, 0);
    CHECK_NEAR(gms_power_mean_w(rig_power, 0), 0, 0);
}

/* ---- credit: best effort ---- */

/* The budget of a node is 21 W x .98 x 1880 ns / 16 = 2418150 pJ, of which
 * best-effort traffic may use half. From node 0 to node 15, each flit costs
 * 11749.165 pJ, and the packet costs an additional 42.70602 pJ. For 40 flits,
 * the sum is 470009.30602 pJ. */
#define ALL_PJ  2418150.0
#define BEST_PJ 1209075.0
#define FAR_PJ  470009.30602

static void enter(const gms_hca_message_t *message)
{
    gms_power_entered(rig_power, message->packet.source, message);
}

static int may_enter(const gms_hca_message_t *message)
{
    return gms_power_may_enter(rig_power, message->packet.source, message);
}

static double left_pj(int best_effort)
{
    return gms_power_energy_left_pj(rig_power, 0, best_effort);
}

static void test_energy_is_taken_by_flit(void)
{
    gms_hca_message_t far = rig_message(0, 15, 40, GMS_LANE_BEST_EFFORT);

    rig_config.policy = GMS_POWER_CREDIT;
    rig_create(NULL);
    CHECK_NEAR(left_pj(0), ALL_PJ, 1e-12);
    CHECK_NEAR(left_pj(1), BEST_PJ, 1e-12);
    CU_ASSERT_TRUE(may_enter(&far));
    enter(&far);
    CHECK_NEAR(left_pj(1), BEST_PJ - 11749.165 - 42.70602, 1e-9);
    rig_pass(1);
    CHECK_NEAR(left_pj(1), BEST_PJ - 2 * 11749.165 - 42.70602, 1e-9);
    rig_pass(38);
    CHECK_NEAR(left_pj(1), BEST_PJ - FAR_PJ, 1e-9);
    CHECK_NEAR(left_pj(0), ALL_PJ - FAR_PJ, 1e-9);
    rig_pass(100);
    CHECK_NEAR(left_pj(1), BEST_PJ - FAR_PJ, 1e-9);
}

/* The tail arrives in cycle 100. The energy that the tail has used by cycle 100
 * is charged until cycle 600, plus one cycle for safety. The head arrives in
 * cycle 61 at the latest. */
static void test_energy_comes_back_by_flit(void)
{
    gms_hca_message_t far = rig_message(0, 15, 40, GMS_LANE_BEST_EFFORT);

    rig_config.policy = GMS_POWER_CREDIT;
    rig_create(NULL);
    enter(&far);
    rig_pass(100);
    gms_power_arrived(rig_power, &far);
    rig_pass(461);
    CHECK_NEAR(left_pj(1), BEST_PJ - FAR_PJ, 1e-9);
    rig_pass(1);
    CHECK_NEAR(left_pj(1), BEST_PJ - FAR_PJ + 11749.165, 1e-9);
    rig_pass(38);
    CHECK_NEAR(left_pj(1), BEST_PJ - 11749.165 - 42.70602, 1e-9);
    rig_pass(1);
    CU_ASSERT_TRUE(left_pj(1) == BEST_PJ);
    CU_ASSERT_TRUE(left_pj(0) == ALL_PJ);
    /* No energy may be returned twice, even much later. */
    rig_pass(5000);
    CU_ASSERT_TRUE(left_pj(0) == ALL_PJ);
}

static void test_a_packet_enters_when_it_is_covered(void)
{
    gms_hca_message_t far = rig_message(0, 15, 40, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t close = rig_message(0, 1, 40, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t half = rig_message(0, 15, 20, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t other = rig_message(1, 12, 40, GMS_LANE_BEST_EFFORT);

    rig_config.policy = GMS_POWER_CREDIT;
    rig_create(NULL);
    enter(&far);
    /* The energy of the first packet has not been charged yet, but it is
     * reserved. */
    CU_ASSERT_TRUE(may_enter(&far));
    enter(&far);
    CU_ASSERT_FALSE(may_enter(&far));
    /* The 171629 pJ for the short route fit into the remaining 269056 pJ. Every
     * HCA has a separate account. */
    CU_ASSERT_TRUE(may_enter(&close));
    CU_ASSERT_TRUE(may_enter(&half));
    CU_ASSERT_TRUE(may_enter(&other));
    rig_pass(100);
    /* the packet's energy returns between cycle 562 and cycle 601 */
    gms_power_arrived(rig_power, &far);
    /* 269056 pJ are enough for 22 flits, so the 23rd flit can leave when the
     * energy of the first flit has returned. The returned energy is used at the
     * same rate. */
    rig_pass(562 - 100 - 23);
    CU_ASSERT_FALSE(may_enter(&far));
    rig_pass(1);
    CU_ASSERT_TRUE(may_enter(&far));
    enter(&far);
    CU_ASSERT_FALSE(may_enter(&far));
    while (rig_net.now < 700) {
        CU_ASSERT_TRUE(left_pj(1) >= 0);
        rig_pass(1);
    }
    CHECK_NEAR(left_pj(1), BEST_PJ - 2 * FAR_PJ, 1e-9);
}

/* From node 0 to node 15, L_packet is 1 + 7 x 6 - 1 + 40 = 82 cycles, plus the
 * time for which the packet waits before it enters. */
static void test_energy_comes_back_by_estimate(void)
{
    gms_hca_message_t message = rig_message(0, 15, 40, GMS_LANE_BEST_EFFORT);

    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.return_on = GMS_POWER_ON_ESTIMATE;
    rig_create(NULL);
    rig_net.waiting = 30;
    enter(&message);
    CHECK_U64(gms_power_next(rig_power), 112);
    rig_pass(50);
    gms_power_arrived(rig_power, &message); /* this arrival has no effect */
    rig_pass(562);
    CHECK_NEAR(left_pj(1), BEST_PJ - 11749.165 - 42.70602, 1e-9);
    rig_pass(1);
    CU_ASSERT_TRUE(left_pj(1) == BEST_PJ);
}

/* The energy of each packet returns at its own time, regardless of the order in
 * which the packets were sent. */
static void test_energy_comes_back_in_time(void)
{
    static const unsigned waits[] = {70, 10, 90, 30, 50, 20, 80, 0, 60, 40};
    gms_hca_message_t message = rig_message(0, 1, 1, GMS_LANE_BEST_EFFORT);
    double one_pj = gms_power_packet_pj(&rig_config, &rig_net.config, 1, 1);
    unsigned i;

    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.return_on = GMS_POWER_ON_ESTIMATE;
    rig_create(NULL);
    for (i = 0; i < 10; ++i) {
        rig_net.waiting = waits[i];
        enter(&message);
    }
    rig_pass(513); /* no energy has returned before cycle 1 + 2 x 6 - 1 + 1 +
                    * 500 */
    for (i = 10; i > 0; --i) {
        CHECK_NEAR(left_pj(1), BEST_PJ - i * one_pj, 1e-9);
        rig_pass(10);
    }
    CU_ASSERT_TRUE(left_pj(1) == BEST_PJ);
}

/* ---- credit: real time and control ---- */

static void test_real_time_has_the_whole_budget(void)
{
    gms_hca_message_t real = rig_message(0, 15, 40, GMS_LANE_REAL_TIME);
    gms_hca_message_t best = rig_message(0, 1, 40, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t control = rig_message(0, 15, 10, GMS_LANE_CONTROL);
    unsigned entered = 0;

    rig_config.policy = GMS_POWER_CREDIT;
    rig_create(NULL);
    while (may_enter(&real)) {
        enter(&real);
        ++entered;
    }
    rig_pass(39);
    CHECK_U64(entered, 5); /* number of packets of 470009 pJ that 2418150 pJ
                            * permit */
    CU_ASSERT_TRUE(left_pj(1) == BEST_PJ);
    CHECK_NEAR(left_pj(0), ALL_PJ - 5 * FAR_PJ, 1e-9);
    /* The remaining energy is not sufficient for the small packet either. */
    CU_ASSERT_FALSE(may_enter(&best));
    CU_ASSERT_TRUE(may_enter(&control));
    enter(&control);
    gms_power_arrived(rig_power, &control);
    gms_power_arrived(rig_power, &real);
    CHECK_NEAR(left_pj(0), ALL_PJ - 5 * FAR_PJ, 1e-9);
    rig_pass(501);
    /* The energy of one packet returns. Real-time traffic uses this energy
     * first, followed by best-effort traffic. */
    CU_ASSERT_FALSE(may_enter(&best));
    CU_ASSERT_TRUE(may_enter(&real));
    CU_ASSERT_TRUE(may_enter(&best));
}

static void test_real_time_is_not_held(void)
{
    gms_hca_message_t real = rig_message(0, 15, 40, GMS_LANE_REAL_TIME);
    unsigned i;

    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.holds_real_time = 0;
    rig_create(NULL);
    for (i = 0; i < 100; ++i) {
        CU_ASSERT_TRUE(may_enter(&real));
        enter(&real);
    }
    rig_pass(50);
    CU_ASSERT_TRUE(left_pj(0) == ALL_PJ);
    for (i = 0; i < 100; ++i) {
        gms_power_arrived(rig_power, &real);
    }
    rig_pass(600);
    CU_ASSERT_TRUE(left_pj(0) == ALL_PJ);
}

/* Real-time traffic may use half of 20.58 W. The nodes' links use 1306.88 pJ of
 * each flit's 6777.21 pJ. The routers share the remaining power, which is
 * 0.519108 W per router. A connection that uses 0.1 of a link needs 1491.9075
 * pJ x 0.1 / 3.76 ns = 0.0396784 W at each router. */
static void test_connections_take_and_give(void)
{
    unsigned count = 0;

    rig_config.policy = GMS_POWER_CREDIT;
    rig_create(NULL);
    CHECK_NEAR(gms_power_switch_budget_w(rig_power, 0), 0.519108, 2e-6);
    CHECK_NEAR(gms_power_switch_budget_w(rig_power, 5), 0.519108, 2e-6);
    while (gms_power_may_admit(rig_power, 5, 0.1)) {
        gms_power_take(rig_power, 5, 0.1);
        ++count;
    }
    CHECK_U64(count, 13);
    CHECK_NEAR(gms_power_switch_budget_w(rig_power, 5),
               0.519108 - 13 * 0.0396784, 1e-3);
    CU_ASSERT_TRUE(gms_power_may_admit(rig_power, 6, 0.1));
    CU_ASSERT_TRUE(gms_power_may_admit(rig_power, 5, 0.008));
    while (count-- > 0) {
        gms_power_give(rig_power, 5, 0.1);
    }
    CU_ASSERT_TRUE(gms_power_switch_budget_w(rig_power, 5) ==
                   gms_power_switch_budget_w(rig_power, 0));
}

static void make_hcas(void)
{
    static struct gms_hca memory[16];
    static gms_hca_t *hcas[16];
    unsigned i;

    memset(memory, 0, sizeof(memory));
    for (i = 0; i < 16; ++i) {
        hcas[i] = &memory[i];
    }
    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.counts_hca = 1;
    rig_config.energy.hca_doorbell_pj = 30000;
    rig_config.energy.hca_completion_pj = 8000;
    rig_config.energy.hca_dma_flit_pj = 400;
    rig_config.energy.hca_lane_flit_pj = 100;
    rig_config.energy.hca_idle_w = 0.25;
    rig_create(hcas);
}

/* With HCAs, a node uses 1306.88 + 1450 pJ for each of its flits. */
static void test_connections_of_hcas(void)
{
    make_hcas();
    /* (20.58 - 4) / 2 / 16 W x 5470.3276 / (5470.3276 + 2756.88) */
    CHECK_NEAR(gms_power_switch_budget_w(rig_power, 0),
               16.58 / 32 * 5470.32758 / 8227.20758, 1e-8);
}

/* The best-effort budget is 974075 pJ. A packet of 40 flits from node 0 to node
 * 1 costs 171628 pJ in the network and 58000 pJ in the HCA. After four of these
 * packets, 55563 pJ remain. A packet of one flit costs 4302.6 + 38500 pJ, and a
 * packet of ten flits costs 42916.6 + 43000 pJ. */
static void test_energy_of_hcas_is_taken(void)
{
    gms_hca_message_t close = rig_message(0, 1, 40, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t one = rig_message(0, 1, 1, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t ten = rig_message(0, 1, 10, GMS_LANE_BEST_EFFORT);
    unsigned entered = 0;

    make_hcas();
    CHECK_NEAR(left_pj(1), 974075, 1e-9);
    while (may_enter(&close)) {
        enter(&close);
        ++entered;
    }
    CHECK_U64(entered, 4);
    rig_pass(39);
    CHECK_NEAR(left_pj(1), 55563, 0.002);
    CU_ASSERT_TRUE(may_enter(&one));
    CU_ASSERT_FALSE(may_enter(&ten));
}

static void test_none_allows_all(void)
{
    gms_hca_message_t message = rig_message(0, 15, 40, GMS_LANE_BEST_EFFORT);
    unsigned i;

    rig_config.limit_w = 1e-9;
    rig_create(NULL);
    for (i = 0; i < 1000; ++i) {
        CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 0, &message));
        gms_power_entered(rig_power, 0, &message);
        CU_ASSERT_TRUE(gms_power_may_admit(rig_power, 0, 1));
        gms_power_take(rig_power, 0, 1);
    }
    CHECK_U64(gms_power_next(rig_power), 500);
}

/* ---- properties ---- */

#define HISTORY_CYCLES 60000
#define HISTORY_LIVE   4096

typedef struct live {
    gms_hca_message_t message;
    double flit_pj, once_pj;
    double left[40];     /* remaining energy of each flit */
    unsigned gone, here; /* number of flits that have left, and number of flits
                          * that have arrived */
    int dawdles;
} live_t;

static live_t live[HISTORY_LIVE];
static double cycle_pj[HISTORY_CYCLES];

/* Moves the flits of a message. In each cycle, at most one flit leaves and at
 * most one flit arrives. A flit may use its energy at any time before it
 * arrives. Slow messages move, and use their energy, only at the end of a
 * phase.
 * @return 1 when all flits have arrived */
static int move(live_t *at, uint64_t now, double *pj)
{
    unsigned flits = at->message.packet.flits;
    int is_time = !at->dawdles || now % 700 >= 500;

    if (at->gone < flits && is_time) {
        *pj += at->gone == 0 ? at->once_pj : 0;
        at->left[at->gone++] = at->flit_pj;
    }
    if (at->here < at->gone && is_time && (now % 3 == 0 || at->gone == flits)) {
        *pj += at->left[at->here++];
    }
    return at->here == flits;
}

static double spend(unsigned *count, uint64_t now)
{
    double pj = 0;
    unsigned i = 0;

    while (i < *count) {
        if (!move(&live[i], now, &pj)) {
            ++i;
            continue;
        }
        gms_power_arrived(rig_power, &live[i].message);
        live[i] = live[--*count];
    }
    return pj;
}

static void enter_some(gms_random_t *random, unsigned *count)
{
    uint32_t node;

    for (node = 0; node < 16; ++node) {
        gms_hca_message_t message =
            rig_message(node, (uint32_t)gms_random_below(random, 16),
                        1 + (unsigned)gms_random_below(random, 40),
                        gms_random_below(random, 2) ? GMS_LANE_REAL_TIME
                                                    : GMS_LANE_BEST_EFFORT);
        unsigned hops = gms_flit_route_links(&rig_net, node,
                                             message.packet.target, NULL, 0) -
                        2;
        live_t *at = &live[*count];

        if (*count == HISTORY_LIVE || !may_enter(&message)) {
            continue;
        }
        enter(&message);
        memset(at, 0, sizeof(*at));
        at->message = message;
        at->flit_pj = 184.875 * (hops + 1) + 1306.88 * (hops + 2);
        at->once_pj = 6.10086 * (hops + 1);
        at->dawdles = (int)gms_random_below(random, 2);
        ++*count;
    }
}

/* Whatever the network does after packets have entered, no 500 consecutive
 * cycles may use more energy than the limit permits. At the end, all energy
 * must have returned to the accounts. */
static void test_no_window_exceeds_the_limit(void)
{
    gms_random_t random;
    double limit_pj, worst;
    unsigned count = 0;
    unsigned i;

    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.reserve_part = 0;
    rig_create(NULL);
    gms_random_init(&random, 7, 0);
    for (i = 0; i < HISTORY_CYCLES; ++i) {
        if (i % 5000 < 4000) {
            enter_some(&random, &count);
        }
        cycle_pj[i] = spend(&count, rig_net.now);
        rig_pass(1);
    }
    while (count > 0) {
        spend(&count, rig_net.now);
        rig_pass(1);
    }
    rig_pass(501);
    limit_pj = 21 * 500 * 3760;
    worst = rig_worst_window(cycle_pj, HISTORY_CYCLES);
    if (worst > limit_pj) {
        printf("\n    %.0f of %.0f pJ in a window\n", worst, limit_pj);
    }
    CU_ASSERT_TRUE(worst <= limit_pj);
    CU_ASSERT_TRUE(worst >= 0.9 * limit_pj); /* the traffic uses most of the
                                              * limit */
    for (i = 0; i < 16; ++i) {
        CHECK_NEAR(gms_power_energy_left_pj(rig_power, i, 0), 2467500, 1e-12);
        CHECK_NEAR(gms_power_energy_left_pj(rig_power, i, 1), 1233750, 1e-12);
    }
}

int main(void)
{
    CU_TestInfo config_tests[] = {
        {"an invalid configuration is refused", test_wrong_config_is_refused},
        {"a limit below the energy of a packet is refused",
         test_limit_below_a_packet_is_refused},
        CU_TEST_INFO_NULL};
    CU_TestInfo energy_tests[] = {
        {"energy of a packet", test_energy_of_a_packet},
        {"energy of an HCA", test_energy_of_an_hca},
        {"time of a packet", test_time_of_a_packet},
        {"power of a mesh according to table 1",
         test_power_of_a_mesh_by_table_1},
        {"the power of a window is the sum of its parts", test_window_adds_up},
        {"all windows are stored", test_many_windows_are_kept},
        {"power of HCAs", test_hca_power},
        CU_TEST_INFO_NULL};
    CU_TestInfo credit_tests[] = {
        {"energy is charged for each flit", test_energy_is_taken_by_flit},
        {"the energy of each flit returns after its use",
         test_energy_comes_back_by_flit},
        {"a packet enters when its energy is covered",
         test_a_packet_enters_when_it_is_covered},
        {"energy returns at the estimated time",
         test_energy_comes_back_by_estimate},
        {"the energy of each packet returns at its own time",
         test_energy_comes_back_in_time},
        {"real-time traffic may use the whole budget",
         test_real_time_has_the_whole_budget},
        {"real-time traffic is not delayed", test_real_time_is_not_held},
        {"connections reserve and release power",
         test_connections_take_and_give},
        {"connections of HCAs", test_connections_of_hcas},
        {"energy of HCAs is charged", test_energy_of_hcas_is_taken},
        {"policy none admits all packets", test_none_allows_all},
        {"no window exceeds the limit", test_no_window_exceeds_the_limit},
        CU_TEST_INFO_NULL};

    return UNIT_RUN(
        {"configuration", NULL, NULL, rig_setup, rig_teardown, config_tests},
        {"energy", NULL, NULL, rig_setup, rig_teardown, energy_tests},
        {"credit", NULL, NULL, rig_setup, rig_teardown, credit_tests});
}
