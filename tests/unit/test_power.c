/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy by hand, power by window, and the credit policy's accounts. */
#include "power_rig.h"

#include "engine/random.h"

/* ---- invalid ---- */

static void refuse(const char *text)
{
    gms_power_t *none = NULL;

    CU_ASSERT_EQUAL(
        gms_power_create(&rig_config, &rig_net, NULL, &none, rig_error),
        GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NULL(none);
    if (strstr(rig_error, text) == NULL) {
        printf("\n    \"%s\" does not say \"%s\"\n", rig_error, text);
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
    refuse("longest packet");
    rig_config.real_time_part = 1.01;
    refuse("real time");
    rig_config.reserve_part = 1;
    refuse("reserve");
    rig_config.return_ = 2;
    refuse("returns");
    rig_config.epoch_cycles = 300;
    refuse("epoch");
}

/* Each node's best effort has half of limit x .98 x 1880 ns / 16; the longest
 * way's packet takes 470009 pJ. */
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
    /* D = 0, N = 1: a router, two links, an arbitration */
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

    CHECK_U64(gms_power_packet_cycles(&flit, 0, 1, 0), 6);
    CHECK_U64(gms_power_packet_cycles(&flit, 3, 40, 0), 63);
    CHECK_U64(gms_power_packet_cycles(&flit, 3, 40, 17), 80);
    flit = (gms_flit_config_t){.input_cycles = 1,
                               .route_cycles = 2,
                               .lane_cycles = 4,
                               .switch_cycles = 8,
                               .crossbar_cycles = 16,
                               .output_cycles = 32,
                               .link_cycles = 64,
                               .output_flits = 1};
    CHECK_U64(gms_power_packet_cycles(&flit, 1, 3, 0), 2 * 127 - 1 + 3);
    flit.output_flits = 0;
    CHECK_U64(gms_power_packet_cycles(&flit, 1, 3, 0), 2 * 95 - 1 + 3);
}

/* Figure 3's range, by table 1: a node's uniform traffic passes 3 2/3 routers
 * and 4 2/3 links on a 4x4 mesh. At half a flit per cycle and node that is
 * 14.4 W, and 21 W are reached at 0.73. */
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
    /* 7136.45172 + 27075 + 52275.2 pJ in 1.88 us */
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
    /* only whole windows count */
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

/* A node has 21 W x .98 x 1880 ns / 16 = 2418150 pJ, half of it best effort's;
 * 0 to 15 takes 470009.30602. */
static void test_energy_is_taken_and_comes_back(void)
{
    gms_hca_message_t far = rig_message(0, 15, 40, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t close = rig_message(0, 1, 40, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t other = rig_message(1, 12, 40, GMS_LANE_BEST_EFFORT);

    rig_config.policy = GMS_POWER_CREDIT;
    rig_create(NULL);
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 0), 2418150, 1e-9);
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 1), 1209075, 1e-9);
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 0, &far));
    gms_power_entered(rig_power, 0, &far);
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 1),
               1209075 - 470009.30602, 1e-9);
    gms_power_entered(rig_power, 0, &far);
    CU_ASSERT_FALSE(gms_power_may_enter(rig_power, 0, &far));
    /* 171629.. fits into what is left, 269056; another HCA is its own */
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 0, &close));
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 1, &other));
    rig_pass(100);
    gms_power_arrived(rig_power, &far);
    rig_pass(500);
    CU_ASSERT_FALSE(gms_power_may_enter(rig_power, 0, &far));
    CHECK_U64(gms_power_next(rig_power), 601);
    rig_pass(1);
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 0, &far));
    gms_power_arrived(rig_power, &far);
    rig_pass(501);
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 1), 1209075, 1e-12);
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 0), 2418150, 1e-12);
}

/* L_packet of 0 to 15: 7 x 6 - 1 + 40 = 81, and what waits before it. */
static void test_energy_comes_back_by_estimate(void)
{
    gms_hca_message_t message = rig_message(0, 15, 40, GMS_LANE_BEST_EFFORT);

    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.return_ = GMS_POWER_ON_ESTIMATE;
    rig_create(NULL);
    rig_net.waiting = 30;
    gms_power_entered(rig_power, 0, &message);
    CHECK_U64(gms_power_next(rig_power), 500); /* a window's end */
    rig_pass(50);
    gms_power_arrived(rig_power, &message); /* is not waited for */
    rig_pass(560);
    CU_ASSERT_TRUE(gms_power_energy_left_pj(rig_power, 0, 1) < 1209000);
    CHECK_U64(gms_power_next(rig_power), 611);
    rig_pass(1);
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 1), 1209075, 1e-12);
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
    while (gms_power_may_enter(rig_power, 0, &real)) {
        gms_power_entered(rig_power, 0, &real);
        ++entered;
    }
    CHECK_U64(entered, 5); /* of 470009 in 2418150 */
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 1), 1209075, 1e-12);
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 0),
               2418150 - 5 * 470009.30602, 1e-9);
    /* there is no room for the small one either: real time waits */
    CU_ASSERT_FALSE(gms_power_may_enter(rig_power, 0, &best));
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 0, &control));
    gms_power_entered(rig_power, 0, &control);
    gms_power_arrived(rig_power, &control);
    gms_power_arrived(rig_power, &real);
    rig_pass(501);
    /* back comes a packet's; real time is first in it, then the small ones */
    CU_ASSERT_FALSE(gms_power_may_enter(rig_power, 0, &best));
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 0, &real));
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 0, &best));
}

static void test_real_time_is_not_held(void)
{
    gms_hca_message_t real = rig_message(0, 15, 40, GMS_LANE_REAL_TIME);
    unsigned i;

    rig_config.policy = GMS_POWER_CREDIT;
    rig_config.holds_real_time = 0;
    rig_create(NULL);
    for (i = 0; i < 100; ++i) {
        CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 0, &real));
        gms_power_entered(rig_power, 0, &real);
    }
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 0), 2418150, 1e-12);
    for (i = 0; i < 100; ++i) {
        gms_power_arrived(rig_power, &real);
    }
    rig_pass(600);
    CHECK_NEAR(gms_power_energy_left_pj(rig_power, 0, 0), 2418150, 1e-12);
}

/* Real time's half of 20.58 W: the nodes' links take 1306.88 of each flit's
 * 6777.21 pJ, the routers share the rest, 0.519108 W each; 0.1 of a link costs
 * 1491.9075 pJ x 0.1 / 3.76 ns = 0.0396784 W at each. */
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
    double left_pj;
    uint64_t end; /* when it arrives */
} live_t;

static live_t live[HISTORY_LIVE];
static double cycle_pj[HISTORY_CYCLES];

/* Energy of messages that are on their way, spent when it is least welcome:
 * either bit by bit, or all in the last cycle. */
static double spend(unsigned *count, uint64_t now)
{
    double pj = 0;
    unsigned i = 0;

    while (i < *count) {
        double part = now >= live[i].end || now % 3 == 0 ? live[i].left_pj : 0;

        pj += part;
        live[i].left_pj -= part;
        if (now < live[i].end) {
            ++i;
            continue;
        }
        gms_power_arrived(rig_power, &live[i].message);
        live[i] = live[--*count];
    }
    return pj;
}

static void enter(gms_random_t *random, unsigned *count)
{
    uint32_t node;

    for (node = 0; node < 16; ++node) {
        gms_hca_message_t message =
            rig_message(node, (uint32_t)gms_random_below(random, 16),
                        1 + (unsigned)gms_random_below(random, 40),
                        gms_random_below(random, 2) ? GMS_LANE_REAL_TIME
                                                    : GMS_LANE_BEST_EFFORT);
        unsigned hops =
            gms_flit_way(&rig_net, node, message.packet.target, NULL, 0) - 2;

        if (*count == HISTORY_LIVE ||
            !gms_power_may_enter(rig_power, node, &message)) {
            continue;
        }
        gms_power_entered(rig_power, node, &message);
        live[(*count)++] =
            (live_t){message,
                     gms_power_packet_pj(&rig_config, &rig_net.config, hops,
                                         message.packet.flits),
                     rig_net.now + gms_random_below(random, 300)};
    }
}

/* Whatever the network does with what has entered, no 500 cycles in a row cost
 * more than the limit allows, and in the end all is back. */
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
            enter(&random, &count);
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
    CU_ASSERT_TRUE(worst >= 0.9 * limit_pj); /* and it is made use of */
    for (i = 0; i < 16; ++i) {
        CHECK_NEAR(gms_power_energy_left_pj(rig_power, i, 0), 2467500, 1e-12);
        CHECK_NEAR(gms_power_energy_left_pj(rig_power, i, 1), 1233750, 1e-12);
    }
}

int main(void)
{
    CU_TestInfo config_tests[] = {
        {"a wrong configuration is refused", test_wrong_config_is_refused},
        {"a limit below a packet is refused",
         test_limit_below_a_packet_is_refused},
        CU_TEST_INFO_NULL};
    CU_TestInfo energy_tests[] = {
        {"energy of a packet", test_energy_of_a_packet},
        {"energy of an HCA", test_energy_of_an_hca},
        {"time of a packet", test_time_of_a_packet},
        {"power of a mesh by table 1", test_power_of_a_mesh_by_table_1},
        {"a window adds up", test_window_adds_up},
        {"many windows are kept", test_many_windows_are_kept},
        {"power of HCAs", test_hca_power},
        CU_TEST_INFO_NULL};
    CU_TestInfo credit_tests[] = {
        {"energy is taken and comes back", test_energy_is_taken_and_comes_back},
        {"energy comes back by estimate", test_energy_comes_back_by_estimate},
        {"real time has the whole budget", test_real_time_has_the_whole_budget},
        {"real time is not held", test_real_time_is_not_held},
        {"connections take and give", test_connections_take_and_give},
        {"none allows all", test_none_allows_all},
        {"no window exceeds the limit", test_no_window_exceeds_the_limit},
        CU_TEST_INFO_NULL};
    CU_SuiteInfo suites[] = {
        {"configuration", NULL, NULL, rig_setup, rig_teardown, config_tests},
        {"energy", NULL, NULL, rig_setup, rig_teardown, energy_tests},
        {"credit", NULL, NULL, rig_setup, rig_teardown, credit_tests},
        CU_SUITE_INFO_NULL};

    return unit_run(suites);
}
