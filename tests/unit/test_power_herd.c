/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the budgets and allowances of PowerHerd. Compares them with values
 * computed by hand, and checks them with a network that uses its allowance at
 * the worst possible times.
 */
#include "power_rig.h"

#include "base/random.h"

/* With a limit of 7 W, the budget of a router is 7 x .98 x 1880 ns / 16 =
 * 806050 pJ. In an epoch, the router's node may use 50 x (1306.88 + 27.075) =
 * 66697.75 pJ; in 11 epochs, it may use 733675.25 pJ. A flit that passes
 * through the router costs 184.875 + 1306.88 + 6.10086 = 1497.85586 pJ. */
#define SHARE_PJ 806050.0
#define NODE_PJ  66697.75
#define FLIT_PJ  1497.85586

static void herd_setup(void)
{
    rig_setup();
    rig_config.policy = GMS_POWER_HERD;
    rig_config.limit_w = 7;
    rig_net.config.buffer_flits = 255; /* these buffers never become full */
}

static double budget_pj(uint32_t switch_index)
{
    return gms_power_switch_budget_w(rig_power, switch_index) * 1.88e6;
}

static void test_limit_below_what_nodes_send_is_refused(void)
{
    gms_power_t *none = NULL;

    rig_config.limit_w = 6.3; /* 725445 pJ */
    CU_ASSERT_EQUAL(
        gms_power_create(&rig_config, &rig_net, NULL, &none, rig_error),
        GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_error, "733675"));
    rig_config.limit_w = 6.4; /* 736960 */
    rig_create(NULL);
}

/* An idle HCA uses 0.25 W. A message of 40 flits costs an HCA 30000 pJ for the
 * doorbell, 8000 pJ for the completion and 40 x 100 pJ for the flits. The sum
 * of 42000 pJ is 1050 pJ per flit. In an epoch, a node may use NODE_PJ in the
 * router and 52500 pJ in its HCA, which is the energy for 50 flits. */
static struct gms_hca hca_memory[16];
static gms_hca_t *hcas[16];

static void make_hcas(void)
{
    unsigned i;

    memset(hca_memory, 0, sizeof(hca_memory));
    for (i = 0; i < 16; ++i) {
        hcas[i] = &hca_memory[i];
    }
    rig_config.counts_hca = 1;
    rig_config.energy.hca_idle_w = 0.25;
    rig_config.energy.hca_doorbell_pj = 30000;
    rig_config.energy.hca_completion_pj = 8000;
    rig_config.energy.hca_dma_flit_pj = 60;
    rig_config.energy.hca_lane_flit_pj = 40;
    rig_config.limit_w = 18;
    rig_create(hcas);
}

static void test_hcas_count(void)
{
    make_hcas();
    /* (18 x .98 - 4) x 1.88 us / 16 = 1602700 */
    CHECK_NEAR(budget_pj(3), 1602700, 1e-9);
    /* the allowance is 249524.75 (1602700 - 11 x 119197.75 - 42000) divided by
     * 1497.86 */
    CHECK_U64(rig_net.allowance[3], 150); /* the rate of three ports is the
                                           * limit */
    CHECK_U64(rig_net.allowance[5], 166);
    /* In this epoch, the HCA of node 5 uses 180000 + 40000 + 12000 + 4560 =
     * 236560 pJ. */
    hca_memory[5].counts = (gms_hca_counts_t){
        .doorbells = 6, .completions = 5, .dma_flits = 200, .lane_flits = 114};
    rig_pass(50);
    CHECK_U64(
        rig_net.allowance[5],
        (uint64_t)((budget_pj(5) - 10 * 119197.75 - 42000 - 236560) / FLIT_PJ));
}

static void test_hcas_take_messages_at_the_pace_of_a_link(void)
{
    gms_hca_message_t message = rig_message(2, 3, 40, GMS_LANE_BEST_EFFORT);
    gms_hca_message_t short_message = rig_message(2, 3, 10, GMS_LANE_REAL_TIME);
    gms_hca_message_t control = rig_message(2, 3, 10, GMS_LANE_CONTROL);

    make_hcas();
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 2, &message));
    gms_power_entered(rig_power, 2, &message);
    CU_ASSERT_FALSE(gms_power_may_enter(rig_power, 2, &message));
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 2, &control));
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 3, &message));
    rig_pass(39);
    CU_ASSERT_FALSE(gms_power_may_enter(rig_power, 2, &short_message));
    rig_pass(1);
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 2, &short_message));
    /* the short message uses 39000 pJ, which return to the budget within 38
     * cycles */
    gms_power_entered(rig_power, 2, &short_message);
    rig_pass(37);
    CU_ASSERT_FALSE(gms_power_may_enter(rig_power, 2, &message));
    rig_pass(1);
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 2, &message));
}

static void test_without_hcas_nobody_waits(void)
{
    gms_hca_message_t message = rig_message(2, 3, 40, GMS_LANE_BEST_EFFORT);

    rig_create(NULL);
    gms_power_entered(rig_power, 2, &message);
    CU_ASSERT_TRUE(gms_power_may_enter(rig_power, 2, &message));
}

static void test_first_allowance(void)
{
    rig_create(NULL);
    CHECK_NEAR(budget_pj(0), SHARE_PJ, 1e-9);
    CHECK_U64(rig_net.allowance[0], 48); /* (806050 - 733675.25) / 1497.86 */
    CHECK_U64(rig_net.allowance[5], 48);
    CHECK_U64(gms_power_next(rig_power), 50);
}

/* The buffers can hold 4 flits in each of 16 lanes. Until the buffers are full,
 * a node can use 64 x 1333.955 = 85373.12 pJ. Each flit that passes through
 * makes room for another flit, which adds 1333.955 pJ. */
static void test_full_buffers_stop_nodes(void)
{
    rig_net.config.buffer_flits = 4;
    rig_config.limit_w = 3; /* 345450 pJ */
    rig_create(NULL);
    CHECK_U64(rig_net.allowance[0], 91); /* (345450 - 85373.12) / 2831.81 */
    /* The link to the node uses 100000 pJ in an epoch. For j = 1, the time
     * would limit the node to 178752 pJ, but the free space in the buffers
     * limits it to 160077 pJ. For j = 2, the free space in the buffers is also
     * the limit. */
    rig_net.link_flits[gms_topology_node_link(rig_net.topology, 0, 1)] = 77;
    rig_pass(50);
    CHECK_U64(
        rig_net.allowance[0],
        (uint64_t)((budget_pj(0) - 77 * 1306.88 - 85373.12) / 2831.81086));
}

/* Builds a network that consists of a single router, which has no neighbours
 * with which it could share its budget. */
static void make_crossbar(void)
{
    gms_params_t params;

    gms_params_init(&params);
    gms_topology_destroy(rig_arena, rig_net.topology);
    params.topology = GMS_TOPOLOGY_CROSSBAR;
    params.hosts = 2;
    params.switch_ports = 8;
    CU_ASSERT_EQUAL_FATAL(gms_topology_create(rig_arena, &params, NULL,
                                              &rig_net.topology, rig_error),
                          GMS_OK);
}

/* The router has two nodes. Its 1.6 W correspond to a budget of 1.6 x .98 x
 * 1880 ns = 2947840 pJ. The nodes may use 11 x 2 x 66697.75 = 1467350.5 pJ. Two
 * ports can transfer at most 100 flits in 50 cycles. */
static void test_spent_and_owed(void)
{
    uint32_t out;

    make_crossbar();
    rig_config.limit_w = 1.6;
    rig_create(NULL);
    CHECK_U64(rig_net.allowance[0], 100);
    rig_config.limit_w = 0.8; /* 1473920 */
    gms_power_destroy(rig_power);
    rig_power = NULL;
    rig_create(NULL);
    CHECK_U64(rig_net.allowance[0], 4); /* 6569.5 / 1497.86 */
    /* Four flits pass through the switch; one of these flits is the head of a
     * packet. One flit is still behind the switch. The node has sent 10 flits
     * to the switch. The used energy in pJ is 217.875 for 7 reads, 382.2 for 4
     * crossings and writes, 6.10086 for an arbitration, 3920.64 for 3 outgoing
     * and 13339.55 for 10 incoming flits. The sum is 17866.36586 pJ. The owed
     * energy is 31.125 + 1306.88 + 27.075 = 1365.08 pJ. For j >= 1, the used
     * energy, the owed energy and the nodes' energy in 10 epochs (133395.5 pJ
     * each) add up to 1353186.44586 pJ. This sum is less than the nodes' energy
     * in 11 epochs plus the owed energy. */
    out = gms_topology_node_link(rig_net.topology, 1, 1);
    rig_net.counts[0] = (gms_flit_counts_t){
        .writes = 14, .reads = 7, .arbitrations = 1, .crossings = 4};
    rig_net.link_flits[out] = 3;
    rig_net.link_flits[gms_topology_node_link(rig_net.topology, 0, 0)] = 10;
    rig_pass(50);
    CHECK_U64(rig_net.allowance[0], 3); /* (6569.5 - 1365.08) / 1497.86 */
    /* From now on, each node sends 50 flits per epoch, and no flit passes
     * through the switch. After eleven epochs, the nodes have used all the
     * energy that they may use, and the allowance is unchanged. */
    while (rig_net.now < 700) {
        rig_net.link_flits[gms_topology_node_link(rig_net.topology, 0, 0)] += 1;
        rig_net.link_flits[gms_topology_node_link(rig_net.topology, 1, 0)] += 1;
        rig_pass(1);
    }
    CHECK_U64(rig_net.allowance[0], 3);
    /* The 17866 pJ of the first epoch are no longer in the window, and only the
     * owed energy remains. Now four flits pass through the switch and leave it.
     * The energy of these flits is used in addition to the energy that the
     * nodes use in 10 epochs. */
    rig_net.counts[0].crossings += 3;
    /* this includes the read of the flit that was behind the switch */
    rig_net.counts[0].reads += 7;
    rig_net.link_flits[out] += 4;
    while (rig_net.now < 750) {
        rig_net.link_flits[gms_topology_node_link(rig_net.topology, 0, 0)] += 1;
        rig_net.link_flits[gms_topology_node_link(rig_net.topology, 1, 0)] += 1;
        rig_pass(1);
    }
    /* apart from the nodes' flits, the epoch used 217.875 + 3 x 95.55 + 4 x
     * 1306.88 = 5732.045 pJ; the remaining 6569.5 - 5732.045 = 837.455 pJ are
     * not enough for a flit */
    CHECK_U64(rig_net.allowance[0], 0);
    /* without traffic, all values return to their initial values */
    rig_pass(550);
    CHECK_U64(rig_net.allowance[0], 4);
}

/* ---- each energy price separately ---- */

/* A window has two epochs of 1000 cycles each, and the budget of a router is
 * 150000 pJ. With these prices, a flit costs 33 pJ, of which 16 pJ are used
 * behind the switch. A node may use 14000 pJ in an epoch. */
static void make_prices(double budget_pj_, unsigned routers)
{
    rig_config.energy = (gms_energy_t){.buffer_read_pj = 2,
                                       .buffer_write_pj = 3,
                                       .arbitration_pj = 5,
                                       .crossbar_pj = 7,
                                       .link_bit_pj = 11 / 128.0};
    rig_config.window_cycles = 2000;
    rig_config.epoch_cycles = 1000;
    rig_config.reserve_part = 0;
    rig_config.limit_w = (budget_pj_ + 1e-3) * routers / (2000 * 3760);
    rig_create(NULL);
}

/* Returns the allowance of the single router with two nodes after an epoch with
 * these counts. */
static uint32_t allowance_after(uint64_t reads, uint64_t arbitrations,
                                uint64_t crossings, uint64_t out, uint64_t in)
{
    rig_net.now = 0;
    memset(rig_net.counts, 0, sizeof(rig_net.counts));
    memset(rig_net.link_flits, 0, sizeof(rig_net.link_flits));
    gms_power_destroy(rig_power);
    make_prices(150000, 1);
    rig_net.counts[0].reads = reads;
    rig_net.counts[0].arbitrations = arbitrations;
    rig_net.counts[0].crossings = crossings;
    rig_net.link_flits[gms_topology_node_link(rig_net.topology, 1, 1)] = out;
    rig_net.link_flits[gms_topology_node_link(rig_net.topology, 1, 0)] = in;
    rig_pass(1000);
    return rig_net.allowance[0];
}

static void test_every_price_counts(void)
{
    make_crossbar();
    make_prices(140000, 1);
    CHECK_U64(rig_net.allowance[0], 1696); /* (140000 - 3 x 28000) / 33 */
    CHECK_U64(allowance_after(0, 0, 0, 0, 0), 2000);
    /* (150000 - 2 x 28000 - spent) / 33 */
    CHECK_U64(allowance_after(0, 10000, 0, 0, 0), 44000 / 33);
    CHECK_U64(allowance_after(8000, 0, 4000, 0, 0), 38000 / 33);
    CHECK_U64(allowance_after(0, 0, 0, 4000, 0), 50000 / 33);
    CHECK_U64(allowance_after(0, 0, 0, 0, 3000), 52000 / 33);
    /* With 1000 flits behind the switch, the allowance is (150000 - 3 x 28000 -
     * 16000) / 33. */
    CHECK_U64(allowance_after(1000, 0, 1000, 0, 0), 50000 / 33);
    /* Without output buffers, at most two flits are in the crossbar. */
    rig_net.config.output_flits = 0;
    CHECK_U64(allowance_after(0, 10000, 0, 0, 0), (44000 - 2 * 16) / 28);
}

/* A window that does not begin at the same time as an epoch overlaps three
 * epochs. */
static void test_window_that_begins_within_an_epoch(void)
{
    make_crossbar();
    CHECK_U64(allowance_after(0, 13200, 0, 0, 0), 28000 / 33);
    rig_pass(1000);
    CHECK_U64(rig_net.allowance[0], 56000 / 33);
    rig_pass(1000);
    CHECK_U64(rig_net.allowance[0], 2000);
}

/* The buffer write at the end of a link is charged to the switch that has sent
 * the flit. */
static void test_writes_at_the_next_router(void)
{
    uint32_t link;
    unsigned port = 0;

    make_prices(150000, 16);
    do {
        link = gms_topology_out(rig_net.topology, 0, port++);
    } while (link == GMS_LINK_NONE ||
             gms_topology_to(rig_net.topology, link)->kind != GMS_END_SWITCH);
    rig_net.link_flits[link] = 4000; /* 56000 pJ */
    rig_pass(1000);
    /* The switch has three ports, but only one node. In each epoch, the node
     * may use 14000 pJ. */
    CHECK_U64(rig_net.allowance[0],
              (uint64_t)((gms_power_switch_budget_w(rig_power, 0) * 7.52e6 -
                          28000 - 56000) /
                         33));
}

/* ---- sharing ---- */

static double sum_of_budgets(void)
{
    double sum = 0;
    unsigned i;

    for (i = 0; i < 16; ++i) {
        CU_ASSERT_TRUE(budget_pj(i) >= 0);
        sum += budget_pj(i);
    }
    return sum;
}

/* Passes flits through one switch to its node: as many flits as are requested
 * and permitted. This node sends at most 50 of these flits. @return number of
 * flits */
static uint64_t pass_flits(uint32_t switch_index, uint64_t want)
{
    uint32_t in = gms_topology_node_link(rig_net.topology, switch_index, 0);
    uint32_t out = gms_topology_node_link(rig_net.topology, switch_index, 1);
    uint64_t flits = rig_net.allowance[switch_index] < want
                         ? rig_net.allowance[switch_index]
                         : want;

    rig_net.link_flits[in] += flits < 50 ? flits : 50;
    rig_net.link_flits[out] += flits;
    rig_net.counts[switch_index].writes += 2 * flits;
    rig_net.counts[switch_index].reads += 2 * flits;
    rig_net.counts[switch_index].crossings += flits;
    return flits;
}

/* Requests 50 flits through a switch in each of 100 epochs. @return number of
 * flits in the last 22 epochs, which are two windows */
static uint64_t heat(uint32_t switch_index)
{
    uint64_t flits = 0;
    unsigned epoch;

    for (epoch = 0; epoch < 100; ++epoch) {
        uint64_t passed = pass_flits(switch_index, 50);

        flits += epoch >= 78 ? passed : 0;
        rig_pass(50);
        CU_ASSERT_TRUE(sum_of_budgets() <= 16 * SHARE_PJ * (1 + 1e-9));
    }
    return flits;
}

/* This test checks the behaviour that the authors of PowerHerd describe. A
 * router under load receives the budget that other routers do not need, and the
 * sum of all budgets is constant. When the load moves to another router, the
 * budget must also move. An equal share of the budget permits 285 flits of 2826
 * pJ in a window, and therefore 570 flits in 22 epochs (two windows). */
static void test_spare_budget_is_lent(void)
{
    uint64_t flits;
    double hot;

    rig_create(NULL);
    flits = heat(5);
    hot = budget_pj(5);
    printf("\n    hot router: %.2f even shares, %.0f flits ", hot / SHARE_PJ,
           (double)flits);
    CU_ASSERT_TRUE(hot > 1.4 * SHARE_PJ);
    CU_ASSERT_TRUE(flits > 900);
    CU_ASSERT_TRUE(budget_pj(6) < SHARE_PJ);
    CU_ASSERT_TRUE(heat(10) > 900);
    CU_ASSERT_TRUE(budget_pj(5) < hot);
}

/* All other routers request their budgets back from a router under load at the
 * same time. The router keeps the part of the budget that it has already used
 * within the window. */
static void test_nobody_gives_what_it_has_spent(void)
{
    static const uint32_t around[] = {1, 4, 6, 9};
    double spent[10] = {0};
    double window = 0;
    unsigned epoch, i;

    rig_create(NULL);
    for (epoch = 0; epoch < 150; ++epoch) {
        int is_hot = epoch % 50 < 30;
        uint64_t flits = pass_flits(5, is_hot ? 250 : 0);
        double now = (double)flits * 1464.68 +
                     (double)(flits < 50 ? flits : 50) * 1333.955;

        for (i = 0; i < 4; ++i) {
            pass_flits(around[i], is_hot ? 0 : 250);
        }
        window += now - spent[epoch % 10];
        spent[epoch % 10] = now;
        rig_pass(50);
        CU_ASSERT_TRUE(window <= budget_pj(5));
        if (epoch == 29) {
            CU_ASSERT_TRUE(budget_pj(5) > 1.5 * SHARE_PJ);
        }
    }
    CU_ASSERT_TRUE(budget_pj(5) < SHARE_PJ);
}

/* When all routers need their budgets, no router may have much less than an
 * equal share. */
static void test_hungry_routers_keep_their_share(void)
{
    unsigned epoch, i;

    rig_create(NULL);
    for (epoch = 0; epoch < 200; ++epoch) {
        for (i = 0; i < 16; ++i) {
            pass_flits(i, epoch < 100 && i != 5 ? 0 : 50);
        }
        rig_pass(50);
    }
    CHECK_NEAR(sum_of_budgets(), 16 * SHARE_PJ, 0.02);
    for (i = 0; i < 16; ++i) {
        CHECK_NEAR(budget_pj(i), SHARE_PJ, 0.15);
    }
}

/* ---- traffic at the worst possible times ---- */

#define STORM_CYCLES 40000

static double cycle_pj[STORM_CYCLES];
static uint64_t behind[16];      /* number of flits behind the switch */
static uint64_t writes_next[16]; /* number of flits that arrive from a link */
static uint32_t left[16];        /* remaining allowance of the switch */
static uint32_t seen[16];
static uint64_t held[16]; /* number of the node's flits in the node's router */

/* A switch passes as many flits as its allowance permits, in bursts. Flits
 * behind the switch wait for a quiet phase and then leave at the same time.
 * Nodes send in bursts. */
static void storm_switch(gms_random_t *random, uint32_t switch_index,
                         int passes, int drains, int sends)
{
    gms_flit_counts_t *counts = &rig_net.counts[switch_index];
    unsigned ports = gms_topology_ports(rig_net.topology, switch_index);
    unsigned port;

    counts->writes += writes_next[switch_index];
    writes_next[switch_index] = 0;
    for (port = 0; port < ports; ++port) {
        uint32_t link = gms_topology_out(rig_net.topology, switch_index, port);
        const gms_link_end_t *end;

        if (link == GMS_LINK_NONE) {
            continue;
        }
        if (passes && left[switch_index] > 0) {
            --left[switch_index];
            ++counts->crossings;
            ++counts->reads;
            ++counts->writes;
            ++counts->arbitrations;
            ++behind[switch_index];
            held[switch_index] -= held[switch_index] > 0;
        }
        if (drains && behind[switch_index] > 0) {
            end = gms_topology_to(rig_net.topology, link);
            --behind[switch_index];
            ++counts->reads;
            ++rig_net.link_flits[link];
            if (end->kind == GMS_END_SWITCH) {
                ++writes_next[end->index];
            }
        }
    }
    if (sends && held[switch_index] < 16 * rig_net.config.buffer_flits) {
        ++held[switch_index];
        ++rig_net.link_flits[gms_topology_node_link(rig_net.topology,
                                                    switch_index, 0)];
        ++writes_next[switch_index];
    }
}

static void storm_cycle(gms_random_t *random, uint64_t now)
{
    uint32_t i;

    for (i = 0; i < 16; ++i) {
        /* Only a few switches at a time have a high load, so budgets must
         * move. */
        int is_hot = now / 9000 % 2 == 0 || (i + now / 3000) % 5 < 2;

        if (now % 50 == 0 || rig_net.allowance[i] != seen[i]) {
            seen[i] = rig_net.allowance[i];
            left[i] = seen[i];
        }
        storm_switch(
            random, i,
            is_hot ? now % 50 >= 20 : gms_random_below(random, 20) == 0,
            now / 300 % 2 == 0 || behind[i] > 200,
            is_hot ? now / 170 % 2 == 0 : gms_random_below(random, 10) == 0);
    }
}

static void check_storm(unsigned buffer_flits)
{
    gms_random_t random;
    double before = 0, worst;
    double limit_pj = 12 * 500 * 3760;
    uint64_t i;

    rig_config.limit_w = 12;
    rig_config.reserve_part = 0;
    rig_net.config.buffer_flits = buffer_flits;
    rig_create(NULL);
    memset(held, 0, sizeof(held));
    memset(behind, 0, sizeof(behind));
    memset(writes_next, 0, sizeof(writes_next));
    gms_random_init(&random, 11, 0);
    for (i = 0; i < STORM_CYCLES; ++i) {
        double now_pj;

        storm_cycle(&random, i);
        now_pj = rig_energy_pj();
        cycle_pj[i] = now_pj - before;
        before = now_pj;
        rig_pass(1);
        if (i % 50 == 0) {
            CU_ASSERT_TRUE(sum_of_budgets() * (1 - 1e-9) <= limit_pj);
        }
    }
    worst = rig_worst_window(cycle_pj, STORM_CYCLES);
    printf("\n    worst window: %.1f %% of the limit ", 100 * worst / limit_pj);
    CU_ASSERT_TRUE(worst <= limit_pj);
    CU_ASSERT_TRUE(worst >= 0.9 * limit_pj);
}

static void test_no_window_exceeds_the_limit(void)
{
    check_storm(255);
}

static void test_no_window_exceeds_the_limit_with_small_buffers(void)
{
    check_storm(2);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"a limit below the energy of the nodes is refused",
         test_limit_below_what_nodes_send_is_refused},
        {"HCAs are charged", test_hcas_count},
        {"HCAs accept messages at the rate of a link",
         test_hcas_take_messages_at_the_pace_of_a_link},
        {"without HCAs no message waits", test_without_hcas_nobody_waits},
        {"allowance of the first epoch", test_first_allowance},
        {"full buffers stop nodes", test_full_buffers_stop_nodes},
        {"spent and owed energy", test_spent_and_owed},
        {"every kind of energy is charged", test_every_price_counts},
        {"a window that begins within an epoch",
         test_window_that_begins_within_an_epoch},
        {"the sender is charged for the next buffer write",
         test_writes_at_the_next_router},
        {"no router returns energy that it has spent",
         test_nobody_gives_what_it_has_spent},
        {"spare budget is lent", test_spare_budget_is_lent},
        {"busy routers keep their share of the power",
         test_hungry_routers_keep_their_share},
        {"no window exceeds the limit", test_no_window_exceeds_the_limit},
        {"no window exceeds the limit with small buffers",
         test_no_window_exceeds_the_limit_with_small_buffers},
        CU_TEST_INFO_NULL};

    return UNIT_RUN({"powerherd", NULL, NULL, herd_setup, rig_teardown, tests});
}
