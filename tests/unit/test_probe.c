/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests admission by probes: reserved bandwidth in a row of three switches,
 * weights of lanes, refusals, release of bandwidth, and the time until the
 * answer.
 */
#include "probe_rig.h"

#include "hcasim/probe_int.h"

/* ---- arguments ---- */

static void test_wrong_config_is_refused(void)
{
    gms_probe_t *none = NULL;
    gms_probe_config_t wrong;

    rig_build_row();
    wrong = config;
    wrong.capacity = 1.01;
    CU_ASSERT_EQUAL(gms_probe_create(&wrong, net, &none), GMS_ERR_CONFIG);
    wrong = config;
    wrong.capacity = -0.01;
    CU_ASSERT_EQUAL(gms_probe_create(&wrong, net, &none), GMS_ERR_CONFIG);
    wrong = config;
    wrong.control_flits = 0;
    CU_ASSERT_EQUAL(gms_probe_create(&wrong, net, &none), GMS_ERR_CONFIG);
    wrong.control_flits = 65536;
    CU_ASSERT_EQUAL(gms_probe_create(&wrong, net, &none), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NULL(none);
    gms_probe_destroy(NULL);
}

/* A network whose sinks hold packets is refused, because an answer would wait
 * there until a program reads the sink. */
static void test_holding_sinks_are_refused(void)
{
    gms_flit_net_t *holding;
    gms_probe_t *none = NULL;
    char error[GMS_TOPOLOGY_ERROR_LEN];

    rig_build_row();
    flit.sinks_hold = 1;
    CU_ASSERT_EQUAL_FATAL(
        gms_flit_create(arena, topology, &flit, &holding, error), GMS_OK);
    CU_ASSERT_EQUAL(gms_probe_create(&config, holding, &none), GMS_ERR_CONFIG);
    gms_flit_destroy(arena, holding);
}

static void check_request(gms_probe_request_t request, gms_status_t expected)
{
    CU_ASSERT_EQUAL(gms_probe_ask(probe, &request), expected);
    CU_ASSERT_EQUAL(gms_probe_force(probe, &request), expected);
}

static void test_wrong_requests_are_refused(void)
{
    gms_probe_request_t request;

    rig_build_row();
    check_request(rig_request(0, 0, 4, 0.1, 0.2), GMS_ERR_INVALID_PARAM);
    check_request(rig_request(1, 6, 4, 0.1, 0.2), GMS_ERR_INVALID_PARAM);
    check_request(rig_request(1, 0, 6, 0.1, 0.2), GMS_ERR_INVALID_PARAM);
    check_request(rig_request(1, 4, 4, 0.1, 0.2), GMS_ERR_INVALID_PARAM);
    check_request(rig_request(1, 0, 4, 0, 0.2), GMS_ERR_INVALID_PARAM);
    check_request(rig_request(1, 0, 4, 1.01, 2), GMS_ERR_INVALID_PARAM);
    check_request(rig_request(1, 0, 4, 0.2, 0.1), GMS_ERR_INVALID_PARAM);
    check_request(rig_request(1, 0, 4, NAN, 1), GMS_ERR_INVALID_PARAM);
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
    rig_ask(1, 0, 4, 0.1);
    check_request(rig_request(1, 0, 4, 0.1, 0.2), GMS_ERR_BUSY);
    rig_settle();
    check_request(rig_request(1, 2, 5, 0.1, 0.2), GMS_ERR_BUSY);
    CHECK_U64(gms_probe_counts(probe)->asked, 1);
    gms_probe_close(probe, 1);
    rig_settle();
    request = rig_request(1, 0, 4, 0.1, 0.2);
    CU_ASSERT_EQUAL(gms_probe_ask(probe, &request), GMS_OK);
}

static void test_probes_need_agents(void)
{
    gms_probe_request_t request;

    flit.agents = 0;
    rig_build_row();
    request = rig_request(1, 0, 4, 0.1, 0.2);
    CU_ASSERT_EQUAL(gms_probe_ask(probe, &request), GMS_ERR_INVALID_PARAM);
    CU_ASSERT_EQUAL(gms_probe_force(probe, &request), GMS_OK);
    gms_probe_close(probe, 1);
    rig_settle();
    rig_check_empty();
}

/* ---- reserved bandwidth ---- */

/*         s0 -------- s1 -------- s2
 *    1    0 =.25=> .25 =======> .25 =.25=> 4
 *    2                2 =.3=> .3 =.3=> 5
 *    3    1 =.2=> .2 =.2=> 3
 *    4           3 <=.1= .1 <=.1= 5        in the opposite direction
 */
static void check_row_of_four(void)
{
    check_reserved(0, 4, 0.25, 0.45, 0.55, 0.25);
    check_reserved(1, 5, 0.2, 0.45, 0.55, 0.3);
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(2, 3, 0)), 0.3, 1e-9);
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(2, 3, 1)), 0.3, 1e-9);
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(5, 3, 0)), 0.1, 1e-9);
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(5, 3, 1)), 0.1, 1e-9);
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(5, 1, 2)), 0, 0);
}

static void test_each_link_of_a_way_counts(void)
{
    rig_build_row();
    rig_ask(1, 0, 4, 0.25);
    rig_ask(2, 2, 5, 0.3);
    rig_ask(3, 1, 3, 0.2);
    rig_ask(4, 5, 3, 0.1);
    rig_settle();
    CHECK_U64(gms_probe_counts(probe)->accepted, 4);
    check_row_of_four();
    gms_probe_close(probe, 1);
    gms_probe_close(probe, 2);
    gms_probe_close(probe, 3);
    gms_probe_close(probe, 4);
    rig_settle();
    rig_check_empty();
}

static void test_forced_ones_count_at_once(void)
{
    rig_build_row();
    rig_force(1, 0, 4, 0.25);
    rig_force(2, 2, 5, 0.3);
    rig_force(3, 1, 3, 0.2);
    rig_force(4, 5, 3, 0.1);
    check_row_of_four();
    /* a forced connection is admitted even if its links are full */
    rig_force(5, 0, 4, 0.9);
    check_reserved(0, 4, 1.15, 1.35, 1.45, 1.15);
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
    CHECK_U64(gms_probe_counts(probe)->asked, 0);
    gms_probe_close(probe, 1);
    gms_probe_close(probe, 2);
    gms_probe_close(probe, 3);
    gms_probe_close(probe, 4);
    gms_probe_close(probe, 5);
    /* the forced connections end immediately and send no packet */
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
    rig_check_empty();
}

/* A decimal fraction of the bandwidth is converted to units exactly, although
 * its floating-point value is rounded. */
static void test_units_are_decimal(void)
{
    uint64_t i;

    for (i = 1; i <= 100000; ++i) {
        if (gms_probe_to_units((double)i / 1e5) != i * 10000000) {
            CHECK_U64(gms_probe_to_units((double)i / 1e5), i * 10000000);
        }
        if (gms_probe_to_units(1.0 / (double)i) != GMS_PROBE_UNITS / i) {
            CHECK_U64(gms_probe_to_units(1.0 / (double)i), GMS_PROBE_UNITS / i);
        }
    }
    CHECK_U64(gms_probe_to_units(1e30), GMS_PROBE_UNITS);
    rig_build_row();
    rig_force(1, 0, 4, 1e-15); /* the smallest bandwidth that can be reserved */
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(0, 4, 0)), 1e-12, 1e-9);
}

/* Ten reservations of one tenth each use the whole link, down to the last unit.
 * Three reservations of one third each do the same. */
static void test_shares_fill_a_link(void)
{
    uint32_t i;

    rig_build_row();
    for (i = 1; i <= 11; ++i) {
        rig_ask(i, 0, 1, 0.1);
    }
    rig_settle();
    CHECK_U64(gms_probe_counts(probe)->accepted, 10);
    for (i = 21; i <= 24; ++i) {
        rig_ask(i, 2, 3, 1.0 / 3);
    }
    rig_settle();
    CHECK_U64(gms_probe_counts(probe)->accepted, 13);
    for (i = 31; i <= 38; ++i) {
        rig_ask(i, 4, 5, 1.0 / 7);
    }
    rig_settle();
    CHECK_U64(gms_probe_counts(probe)->accepted, 20);
    CHECK_U64(gms_probe_counts(probe)->rejected, 3);
}

/* Reservations can use only the configured fraction of a link. */
static void test_capacity_bounds(void)
{
    config.capacity = 0.7;
    rig_build_row();
    rig_ask(1, 0, 4, 0.3);
    rig_ask(2, 0, 4, 0.4);
    rig_ask(3, 0, 4, 0.001);
    rig_settle();
    CHECK_U64(gms_probe_counts(probe)->accepted, 2);
    CHECK_U64(gms_probe_counts(probe)->rejected, 1);
    CHECK_NEAR(answers[0].left, 0, 1e-9);
}

/* Forced connections may exceed the capacity of a link. After that, no other
 * connection is admitted on this link. */
static void test_nothing_is_left_beyond_capacity(void)
{
    rig_build_row();
    rig_force(1, 5, 4, 0.9);
    rig_force(2, 5, 4, 0.9);
    rig_ask(3, 0, 4, 0.1);
    rig_settle();
    CHECK_U64(answers[0].accepted, 0);
    CHECK_NEAR(answers[0].left, 0, 0);
}

/* ---- weights ---- */

/* Finds a random number that selects the same lane of the third link as does
 * the random number `other`, or a different lane if `same` is 0. */
static uint32_t find_draw(uint32_t other, int same)
{
    unsigned lane = gms_flit_drawn_lane(&flit, other, 2, GMS_LANE_REAL_TIME);
    uint32_t draw;

    for (draw = other + 1;
         (gms_flit_drawn_lane(&flit, draw, 2, GMS_LANE_REAL_TIME) == lane) !=
         same;
         ++draw) {
    }
    return draw;
}

static void ask_drawn(uint32_t connection, double average, double peak,
                      uint32_t draw)
{
    gms_probe_request_t request = rig_request(connection, 0, 4, average, peak);

    request.draw = draw;
    CU_ASSERT_EQUAL(gms_probe_ask(probe, &request), GMS_OK);
    rig_settle();
}

static unsigned total_weight(const gms_lane_table_t *table)
{
    unsigned sum = 0, lane;

    for (lane = 0; lane < GMS_LANES_MAX; ++lane) {
        sum += table->weight[lane];
    }
    return sum;
}

/* This test uses the small frame of F = 44 flits. If only lane a has a
 * connection, the weight of lane a is 44. If lanes a and b have the bandwidths
 * .25 and .3, their weights are 20 and 24. With another connection of .11 in
 * lane a, the bandwidths are .36 and .3, and the weights are 24 and 20. The
 * best-effort limit is 1 / (1 - reserved peak), rounded up. For a peak of .25,
 * the limit is 1 / .75, which is rounded up to 2. For .25 + .3, it is 1 / .45,
 * which is rounded up to 3. For .25 + .3 + .35 = .9, it is 10. */
static void test_weights_follow_lanes(void)
{
    uint32_t a = 1, b, c;
    unsigned lane_a, lane_b;
    const gms_lane_table_t *table;

    rig_build_row();
    table = &tables[rig_link(0, 4, 2)];
    b = find_draw(a, 0);
    c = find_draw(a, 1);
    lane_a = gms_flit_drawn_lane(&flit, a, 2, GMS_LANE_REAL_TIME);
    lane_b = gms_flit_drawn_lane(&flit, b, 2, GMS_LANE_REAL_TIME);
    ask_drawn(1, 0.25, 0.25, a);
    CHECK_U64(table->weight[lane_a], 44);
    CHECK_U64(table->limit, 2);
    ask_drawn(2, 0.3, 0.3, b);
    CHECK_U64(table->weight[lane_a], 20);
    CHECK_U64(table->weight[lane_b], 24);
    CHECK_U64(total_weight(table), 44);
    CHECK_U64(table->limit, 3);
    ask_drawn(3, 0.11, 0.35, c);
    CHECK_U64(table->weight[lane_a], 24);
    CHECK_U64(table->weight[lane_b], 20);
    CHECK_U64(table->limit, 10);
    ask_drawn(4, 0.01, 0.1, c);
    CHECK_U64(table->limit, 255);
    gms_probe_close(probe, 4);
    gms_probe_close(probe, 1);
    rig_settle();
    CHECK_U64(table->weight[lane_a], 12); /* .11 / .41 x 44 = 11.8 */
    CHECK_U64(table->weight[lane_b], 32);
    gms_probe_close(probe, 2);
    gms_probe_close(probe, 3);
    rig_settle();
    rig_check_empty();
}

static void test_free_lanes_share_evenly(void)
{
    unsigned lane;

    flit.lane_choice = GMS_FLIT_LANES_FREE;
    rig_build_row();
    rig_ask(1, 0, 4, 0.25);
    rig_ask(2, 2, 4, 0.3);
    rig_settle();
    for (lane = 0; lane < GMS_LANES_MAX; ++lane) {
        CHECK_U64(tables[rig_link(0, 4, 2)].weight[lane],
                  flit.plan.class_of[lane] == GMS_LANE_REAL_TIME ? 4 : 0);
    }
    gms_probe_close(probe, 1);
    gms_probe_close(probe, 2);
    rig_settle();
    rig_check_empty();
}

/* A connection of .55 is spread over eleven free lanes, so each lane has .05 of
 * the link's bandwidth. */
static void test_free_lanes_share_a_large_frame(void)
{
    unsigned lane;

    flit.lane_choice = GMS_FLIT_LANES_FREE;
    gms_lane_plan_init(&flit.plan, 16, 11, 1, GMS_LANE_LARGE_FAST, 4);
    rig_build_row();
    rig_ask(1, 0, 4, 0.55);
    rig_settle();
    for (lane = 0; lane < 11; ++lane) {
        CHECK_U64(tables[rig_link(0, 4, 2)].weight[lane], 816);
    }
}

/* With the large frame, the weight of a lane is proportional to its fraction of
 * the bandwidth that real-time traffic may use. New connections on other lanes
 * do not change this weight. */
static void test_large_frame_keeps_others(void)
{
    unsigned lane_a, lane_b;
    const gms_lane_table_t *table;
    uint32_t b;

    config.capacity = 0.5;
    gms_lane_plan_init(&flit.plan, 16, 11, 1, GMS_LANE_LARGE_FAST, 4);
    rig_build_row();
    table = &tables[rig_link(0, 4, 2)];
    b = find_draw(1, 0);
    lane_a = gms_flit_drawn_lane(&flit, 1, 2, GMS_LANE_REAL_TIME);
    lane_b = gms_flit_drawn_lane(&flit, b, 2, GMS_LANE_REAL_TIME);
    ask_drawn(1, 0.25, 0.25, 1);
    CHECK_U64(table->weight[lane_a], 8160); /* half of the frame, which has 255
                                             * x 64 flits */
    ask_drawn(2, 0.125, 0.125, b);
    CHECK_U64(table->weight[lane_a], 8160);
    CHECK_U64(table->weight[lane_b], 4080);
    gms_probe_close(probe, 1);
    rig_settle();
    CHECK_U64(table->weight[lane_a], 0);
    CHECK_U64(table->weight[lane_b], 4080);
}

/* ---- refusals ---- */

/* Node 0 requests a connection to node 4. Link number `hop` of the route has
 * almost no free bandwidth. */
static void check_refusal(uint32_t filler_source, uint32_t filler_target,
                          unsigned hop, uint32_t switch_index)
{
    const gms_probe_answer_t *answer;
    uint32_t full;

    rig_build_row();
    full = rig_link(0, 4, hop);
    rig_force(1, filler_source, filler_target, 0.875);
    CHECK_NEAR(gms_probe_reserved(probe, full), 0.875, 1e-9);
    rig_ask(2, 0, 4, 0.2);
    rig_settle();
    CHECK_U64(answer_count, 1);
    answer = last_answer();
    CHECK_U64(answer->connection, 2);
    CHECK_U64(answer->accepted, 0);
    CHECK_U64(answer->by_power, 0);
    CHECK_U64(answer->link, full);
    CHECK_U64(answer->switch_index, switch_index);
    CHECK_NEAR(answer->left, 0.125, 1e-9);
    CHECK_U64(gms_probe_counts(probe)->rejected, 1);
    CHECK_U64(gms_probe_counts(probe)->rejected_by_power, 0);
    /* the number of a refused connection can be reused, and a request for the
     * remaining bandwidth is admitted */
    rig_ask(2, 0, 4, 0.125);
    rig_settle();
    CHECK_U64(last_answer()->accepted, 1);
    gms_probe_close(probe, 1);
    gms_probe_close(probe, 2);
    rig_settle();
    rig_check_empty();
}

static void test_refusal_at_each_place(void)
{
    check_refusal(0, 1, 0, GMS_LINK_NONE);
    check_refusal(1, 2, 1, 0);
    check_refusal(2, 5, 2, 1);
    check_refusal(5, 4, 3, 2);
}

/* If the source itself refuses a connection, no packet is sent. The refusal is
 * reported in the next step, not during the call. */
static void test_refusal_at_source_takes_no_packet(void)
{
    rig_build_row();
    rig_force(1, 0, 1, 0.9);
    rig_run(7);
    rig_ask(2, 0, 4, 0.2);
    CHECK_U64(answer_count, 0);
    CU_ASSERT_TRUE(gms_probe_is_busy(probe));
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
    gms_probe_step(probe);
    CU_ASSERT_FALSE(gms_probe_is_busy(probe));
    CHECK_U64(answer_count, 1);
    CHECK_U64(last_answer()->ask_cycle, 7);
    CHECK_U64(last_answer()->answer_cycle, 7);
}

static void check_power_refusal(uint32_t switch_index)
{
    unsigned i;

    rig_use_power(0.5);
    rig_build_row();
    power[switch_index] = 0.1;
    rig_ask(1, 0, 4, 0.2);
    rig_settle();
    CHECK_U64(last_answer()->accepted, 0);
    CHECK_U64(last_answer()->by_power, 1);
    CHECK_U64(last_answer()->switch_index, switch_index);
    CHECK_U64(last_answer()->link, rig_link(0, 4, switch_index + 1));
    CHECK_U64(gms_probe_counts(probe)->rejected_by_power, 1);
    for (i = 0; i < 3; ++i) {
        CHECK_NEAR(power[i], i == switch_index ? 0.1 : 0.5, 1e-9);
    }
    rig_check_empty();
}

static void test_refusal_by_power(void)
{
    check_power_refusal(0);
    check_power_refusal(1);
    check_power_refusal(2);
}

/* Each router on the route is charged once for the power of a connection. The
 * charge is refunded when the connection ends. */
static void test_power_is_charged(void)
{
    rig_use_power(0.5);
    rig_build_row();
    rig_ask(1, 0, 3, 0.2);
    rig_settle();
    CHECK_NEAR(power[0], 0.3, 1e-9);
    CHECK_NEAR(power[1], 0.3, 1e-9);
    CHECK_NEAR(power[2], 0.5, 1e-9);
    /* a forced connection neither charges the routers nor refunds power to
     * them */
    rig_force(2, 0, 4, 0.4);
    gms_probe_close(probe, 2);
    rig_settle();
    CHECK_NEAR(power[0], 0.3, 1e-9);
    gms_probe_close(probe, 1);
    rig_settle();
    CHECK_NEAR(power[0], 0.5, 1e-9);
    CHECK_NEAR(power[1], 0.5, 1e-9);
}

/* ---- answer times ---- */

/* The request is made in cycle 5, and the head of the probe leaves in the same
 * cycle. The tail of the probe reaches the agent of the last router 1 + 6 h + 9
 * cycles later, where h is the number of routers. The head of the answer leaves
 * in the next cycle, and the answer takes the same time as the probe. The sum
 * is 12 h + 21 cycles. */
static void check_answer_cycles(uint32_t source, uint32_t target,
                                uint64_t cycles)
{
    rig_build_row();
    rig_run(5);
    rig_ask(1, source, target, 0.2);
    rig_settle();
    CHECK_U64(last_answer()->ask_cycle, 5);
    CHECK_U64(last_answer()->answer_cycle, 5 + cycles);
}

static void test_cycles_of_an_ack(void)
{
    check_answer_cycles(0, 1, 33);
    check_answer_cycles(0, 3, 45);
    check_answer_cycles(0, 4, 57);
    check_answer_cycles(5, 0, 57);
}

static void check_nack_cycles(uint32_t filler_source, uint32_t filler_target,
                              uint64_t cycles)
{
    rig_build_row();
    rig_force(9, filler_source, filler_target, 0.9);
    rig_ask(1, 0, 4, 0.2);
    rig_settle();
    CHECK_U64(last_answer()->accepted, 0);
    CHECK_U64(last_answer()->answer_cycle, cycles);
}

static void test_cycles_of_a_nack(void)
{
    check_nack_cycles(0, 1, 0);
    check_nack_cycles(1, 2, 33);
    check_nack_cycles(2, 5, 45);
    check_nack_cycles(5, 4, 57);
}

/* Packets have 25 flits. A router and its link take 14 cycles: input 2, route
 * 3, lane 2, allocation 1, crossbar 2, output 1, link 3. The probe takes 3 + 2
 * x 14 + 24 cycles. The answer leaves 1 cycle later and takes the same time. */
static void test_cycles_of_other_stages(void)
{
    config.control_flits = 25;
    flit.input_cycles = 2;
    flit.route_cycles = 3;
    flit.lane_cycles = 2;
    flit.switch_cycles = 1;
    flit.crossbar_cycles = 2;
    flit.link_cycles = 3;
    flit.buffer_flits = 40; /* enough credits, so that flits never wait */
    flit.output_flits = 40;
    check_answer_cycles(0, 3, 111);
}

static CU_TestInfo argument_tests[] = {
    {"invalid configurations are refused", test_wrong_config_is_refused},
    {"sinks that hold packets are refused", test_holding_sinks_are_refused},
    {"invalid requests are refused", test_wrong_requests_are_refused},
    {"probes require agents in the network", test_probes_need_agents},
    CU_TEST_INFO_NULL,
};

static CU_TestInfo account_tests[] = {
    {"a connection is counted on every link of its route",
     test_each_link_of_a_way_counts},
    {"forced connections are counted at once", test_forced_ones_count_at_once},
    {"decimal shares are converted exactly", test_units_are_decimal},
    {"shares fill a link", test_shares_fill_a_link},
    {"the capacity limits reservations", test_capacity_bounds},
    {"no bandwidth remains beyond the capacity",
     test_nothing_is_left_beyond_capacity},
    {"the weights depend on the reservations of each lane",
     test_weights_follow_lanes},
    {"reservations are divided evenly among free lanes",
     test_free_lanes_share_evenly},
    {"free lanes share a large frame", test_free_lanes_share_a_large_frame},
    {"large frames do not change other weights", test_large_frame_keeps_others},
    CU_TEST_INFO_NULL,
};

static CU_TestInfo refusal_tests[] = {
    {"a refusal at each router of the route", test_refusal_at_each_place},
    {"a refusal at the source needs no packet",
     test_refusal_at_source_takes_no_packet},
    {"refusal by power", test_refusal_by_power},
    {"power is charged", test_power_is_charged},
    CU_TEST_INFO_NULL,
};

static CU_TestInfo time_tests[] = {
    {"probe times of a granted request", test_cycles_of_an_ack},
    {"probe times of a refused request", test_cycles_of_a_nack},
    {"probe times with other router delays", test_cycles_of_other_stages},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"arguments", NULL, NULL, setup, teardown, argument_tests},
                    {"account", NULL, NULL, setup, teardown, account_tests},
                    {"refusals", NULL, NULL, setup, teardown, refusal_tests},
                    {"times", NULL, NULL, setup, teardown, time_tests});
}
