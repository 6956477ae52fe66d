/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests power control on a simulated flit network: the energy and latency of a
 * packet in an empty network, and the power limit in a saturated network.
 */
#include "flit_rig.h"

#include "hcasim/power.h"

#define WINDOW   500
#define NODES    16
#define BACKLOG  4
#define LONG_RUN 30000

static gms_power_config_t power_config;
static gms_power_t *power;

/* Replaces the function in hcasim/hca.c. That file is not linked, because this
 * test has no HCAs. */
const gms_hca_counts_t *gms_hca_counts(const gms_hca_t *hca)
{
    (void)hca;
    return NULL;
}

static void power_setup(void)
{
    setup();
    gms_power_config_init(&power_config);
    power = NULL;
}

static void power_teardown(void)
{
    gms_power_destroy(power);
    teardown();
}

static void make_power(void)
{
    gms_status_t status =
        gms_power_create(&power_config, net, NULL, &power, error);

    if (status != GMS_OK) {
        printf("\n    %s\n", error);
    }
    CU_ASSERT_EQUAL_FATAL(status, GMS_OK);
}

/* Computes the energy independently of the code under test, with the constants
 * of table 1 in the paper [source: Yum et al.]. */
static double energy_pj(void)
{
    double pj = 0;
    uint32_t i;

    for (i = 0; i < gms_topology_switches(topology); ++i) {
        const gms_flit_counts_t *counts = gms_flit_switch_counts(net, i);

        pj += (double)counts->writes * 27.075 + (double)counts->reads * 31.125 +
              (double)counts->arbitrations * 6.10086 +
              (double)counts->crossings * 68.475;
    }
    for (i = 0; i < gms_topology_link_count(topology); ++i) {
        pj += (double)gms_flit_link_flits(net, i) * 128 * 10.21;
    }
    return pj;
}

/* ---- one packet ---- */

static void check_packet(unsigned hops, unsigned flits)
{
    gms_flit_packet_t packet = make_packet(0, hops, flits);
    double before = energy_pj();

    gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
    CHECK_U64(run_idle(1000), 1);
    CHECK_NEAR(energy_pj() - before,
               gms_power_packet_pj(&power_config, &config, hops, flits), 1e-9);
    CHECK_U64(packet.arrive_cycle - packet.enter_cycle,
              gms_power_packet_cycles(&config, hops, flits, 0));
}

static void check_packets(void)
{
    static const unsigned flits[] = {1, 10, 40};
    unsigned hops, i;

    build_mesh(1, 7);
    for (i = 0; i < 3; ++i) {
        for (hops = 0; hops < 7; ++hops) {
            check_packet(hops, flits[i]);
        }
    }
}

static void test_a_packet_costs_and_takes_what_the_formulas_say(void)
{
    check_packets();
    config.input_cycles = 2;
    config.route_cycles = 3;
    config.lane_cycles = 2;
    config.switch_cycles = 1;
    config.crossbar_cycles = 2;
    config.output_cycles = 3;
    config.link_cycles = 4;
    config.buffer_flits = 40; /* the round trip of a credit takes longer than
                               * the time of 10 flits */
    config.output_flits = 40;
    check_packets();
    plain_lanes(16);
    config.buffer_flits = 40;
    check_packets();
}

/* ---- saturation ---- */

typedef struct sender {
    gms_hca_message_t message[BACKLOG];
    int is_free[BACKLOG];
    int waits; /* 1: a message is waiting for admission */
    unsigned slot;
} sender_t;

static sender_t senders[NODES][GMS_LANE_CLASSES];
static gms_random_t draws;
static uint64_t entered_flits;
static double cycle_pj[LONG_RUN];

static void on_arrived(void *context, gms_flit_packet_t *packet)
{
    (void)context;
    gms_power_arrived(power, (gms_hca_message_t *)packet);
    *(int *)packet->owner = 1;
}

static void start_senders(void)
{
    unsigned node, traffic_class, i;

    memset(senders, 0, sizeof(senders));
    entered_flits = 0;
    gms_random_init(&draws, 3, 0);
    for (node = 0; node < NODES; ++node) {
        for (traffic_class = 0; traffic_class < GMS_LANE_CLASSES;
             ++traffic_class) {
            for (i = 0; i < BACKLOG; ++i) {
                senders[node][traffic_class].is_free[i] = 1;
            }
        }
    }
}

/* Returns the next message of a class. The message's target is a random node
 * with a number below `targets`. */
static gms_hca_message_t *next_message(uint32_t node, unsigned traffic_class,
                                       uint32_t targets)
{
    sender_t *sender = &senders[node][traffic_class];
    gms_hca_message_t *message;
    uint32_t target = (uint32_t)gms_random_below(&draws, targets);

    if (sender->waits) {
        return &sender->message[sender->slot];
    }
    for (sender->slot = 0;
         sender->slot < BACKLOG && !sender->is_free[sender->slot];
         ++sender->slot) {
    }
    if (sender->slot == BACKLOG) {
        return NULL;
    }
    message = &sender->message[sender->slot];
    memset(message, 0, sizeof(*message));
    message->packet = make_packet(node, target, 40);
    message->packet.traffic_class = (uint8_t)traffic_class;
    message->packet.draw = (uint32_t)gms_random_below(&draws, 1000);
    message->packet.owner = &sender->is_free[sender->slot];
    sender->waits = 1;
    return message;
}

/* Sends one message per class if the power policy admits it. Real-time messages
 * are sent in bursts. */
static void send_all(uint32_t node, uint32_t targets, unsigned classes)
{
    unsigned traffic_class;

    for (traffic_class = GMS_LANE_REAL_TIME; traffic_class < GMS_LANE_CLASSES;
         ++traffic_class) {
        gms_hca_message_t *message;

        if (!(classes >> traffic_class & 1) ||
            (traffic_class == GMS_LANE_REAL_TIME &&
             gms_flit_now(net) / 700 % 3 == 1)) {
            continue;
        }
        message = next_message(node, traffic_class, targets);
        if (message != NULL && gms_power_may_enter(power, node, message)) {
            sender_t *sender = &senders[node][traffic_class];

            gms_power_entered(power, node, message);
            entered_flits += 40;
            sender->waits = 0;
            sender->is_free[sender->slot] = 0;
            gms_flit_offer(net, &message->packet,
                           gms_flit_drawn_lane(&config, message->packet.draw, 0,
                                               traffic_class));
        }
    }
}

/* Saturates the network.
 * @return the highest mean power in any window, in W */
static double saturate(uint32_t nodes, unsigned classes)
{
    const gms_flit_hooks_t hooks = {.arrived = on_arrived};
    double before = energy_pj(), sum = 0, worst = 0;
    unsigned i;
    uint32_t node;

    start_senders();
    for (i = 0; i < LONG_RUN; ++i) {
        double now;

        for (node = 0; node < nodes; ++node) {
            send_all(node, nodes, classes);
        }
        gms_flit_step(net, &hooks, NULL);
        gms_power_step(power);
        now = energy_pj();
        cycle_pj[i] = now - before;
        before = now;
        sum += cycle_pj[i] - (i >= WINDOW ? cycle_pj[i - WINDOW] : 0);
        worst = sum > worst ? sum : worst;
    }
    check_net();
    return worst / (WINDOW * 3760.0);
}

/* Waits, without sending, until all messages have arrived and their energy has
 * been returned to the budgets. */
static void drain(void)
{
    const gms_flit_hooks_t hooks = {.arrived = on_arrived};
    unsigned i;

    for (i = 0; i < 20000 && !gms_flit_is_idle(net); ++i) {
        gms_flit_step(net, &hooks, NULL);
        gms_power_step(power);
    }
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
    for (i = 0; i <= WINDOW; ++i) {
        gms_flit_step(net, &hooks, NULL);
        gms_power_step(power);
    }
}

#define BOTH (1u << GMS_LANE_REAL_TIME | 1u << GMS_LANE_BEST_EFFORT)

/* Runs saturated traffic with a policy and a power limit.
 * @return the highest mean power in any window, in W */
static double check_limit(unsigned policy, double limit_w, unsigned classes)
{
    double worst_w;

    power_config.policy = policy;
    power_config.limit_w = limit_w;
    power_config.real_time_part = classes == BOTH                       ? 0.5
                                  : classes == 1u << GMS_LANE_REAL_TIME ? 1
                                                                        : 0;
    build_mesh(4, 4);
    gms_power_destroy(power);
    power = NULL;
    make_power();
    worst_w = saturate(NODES, classes);
    printf("\n    %s, %.1f W: worst window %.2f W, mean %.2f W, %.3f flits ",
           gms_power_policy_names[policy], limit_w, worst_w,
           gms_power_mean_w(power, 2000),
           (double)entered_flits / LONG_RUN / NODES);
    return worst_w;
}

/* Without a policy, the network uses more than 17 W. With either policy, the
 * power never exceeds the limit in any window of 500 cycles, and the mean power
 * is more than half of the limit. */
static void test_saturation_stays_below_the_limit(void)
{
    double limit_w;
    unsigned i;

    CU_ASSERT_TRUE(check_limit(GMS_POWER_NONE, 14, BOTH) > 17);
    for (limit_w = 10; limit_w < 17; limit_w += 4) {
        for (i = GMS_POWER_CREDIT; i <= GMS_POWER_HERD; ++i) {
            CU_ASSERT_TRUE(check_limit(i, limit_w, BOTH) <= limit_w);
            CU_ASSERT_TRUE(gms_power_mean_w(power, 2000) > 0.5 * limit_w);
        }
    }
    CU_ASSERT_TRUE(
        check_limit(GMS_POWER_CREDIT, 10, 1u << GMS_LANE_REAL_TIME) <= 10);
    CU_ASSERT_TRUE(
        check_limit(GMS_POWER_CREDIT, 10, 1u << GMS_LANE_BEST_EFFORT) <= 10);
}

static void test_all_energy_comes_back(void)
{
    uint32_t node;

    check_limit(GMS_POWER_CREDIT, 12, BOTH);
    CU_ASSERT_TRUE(gms_power_energy_left_pj(power, 5, 0) < 1e6);
    drain();
    for (node = 0; node < NODES; ++node) {
        /* 12 x .98 x 1880 ns / 16 */
        CHECK_NEAR(gms_power_energy_left_pj(power, node, 0), 1381800, 1e-9);
        CHECK_NEAR(gms_power_energy_left_pj(power, node, 1), 690900, 1e-9);
    }
}

/* Only the four nodes of the upper row exchange traffic. The other routers lend
 * parts of their power budgets to the routers of this row. The row therefore
 * has more than an even share of the power, and transfers more flits than
 * without lending. */
static void test_busy_routers_borrow(void)
{
    double sum = 0, row = 0, share_w;
    uint64_t lent;
    uint32_t i;

    power_config.policy = GMS_POWER_HERD;
    power_config.limit_w = 9;
    build_mesh(4, 4);
    make_power();
    share_w = gms_power_switch_budget_w(power, 0);
    CU_ASSERT_TRUE(saturate(4, BOTH) <= 9);
    lent = entered_flits;
    for (i = 0; i < NODES; ++i) {
        double budget_w = gms_power_switch_budget_w(power, i);

        sum += budget_w;
        row += i < 4 ? budget_w : 0;
        CU_ASSERT_TRUE(i < 4 || budget_w < share_w);
    }
    CU_ASSERT_TRUE(sum <= 16 * share_w * (1 + 1e-9));
    printf("\n    the row has %.2f even shares ", row / share_w);
    CU_ASSERT_TRUE(row > 1.2 * 4 * share_w);
    /* In a network that consists of this row only, there are no other routers
     * that could lend power. */
    gms_power_destroy(power);
    power = NULL;
    build_mesh(1, 4);
    power_config.limit_w = 9 / 4.0;
    make_power();
    CHECK_NEAR(gms_power_switch_budget_w(power, 0), share_w, 1e-9);
    CU_ASSERT_TRUE(saturate(4, BOTH) <= 9 / 4.0);
    printf(
        "\n    flits per cycle and node: %.3f with lent energy, %.3f without ",
        (double)lent / LONG_RUN / 4, (double)entered_flits / LONG_RUN / 4);
    CU_ASSERT_TRUE((double)lent > 1.2 * (double)entered_flits);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"energy and time of a packet match the formulas",
         test_a_packet_costs_and_takes_what_the_formulas_say},
        {"saturation stays below the limit",
         test_saturation_stays_below_the_limit},
        {"all energy is returned", test_all_energy_comes_back},
        {"busy routers borrow power from idle routers",
         test_busy_routers_borrow},
        CU_TEST_INFO_NULL};

    return UNIT_RUN({"power control on the flit net", NULL, NULL, power_setup,
                     power_teardown, tests});
}
