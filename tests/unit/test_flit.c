/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the timing of flit networks: arrival cycles of packets that meet no
 * other packet, and of packets that interact in ways that can be computed by
 * hand.
 */
#include "flit_rig.h"

/* Configure the usual input-queued router: route, lane, switch, crossbar and
 * link take 1 cycle each, S = 5 cycles in total. */
static void usual(unsigned lanes)
{
    plain_lanes(lanes);
    config.input_cycles = 0;
}

/* Return the number of cycles from when the head enters until the tail arrives,
 * for a packet that passes through `switches` switches in a row. */
static uint64_t row_cycles(unsigned switches, unsigned flits)
{
    gms_flit_packet_t packet = make_packet(0, switches - 1, flits);

    gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
    CHECK_U64(run_idle(100000), 1);
    CHECK_U64(packet.hops, switches);
    CHECK_U64(packet.leave_cycle - packet.enter_cycle, flits - 1);
    check_net();
    return packet.arrive_cycle - packet.enter_cycle;
}

/* The router of Yum et al.: input, route, lane, crossbar, output and link take
 * 1 cycle each, 6 cycles in total. The first link precedes the stages of the
 * first router, and the last link follows those of the last router. At the
 * target, there is no input stage. */
static void test_empty_table(void)
{
    static const unsigned flits[] = {1, 10, 40};
    static const uint64_t of_usual[3][7] = {{6, 11, 16, 21, 26, 31, 36},
                                            {15, 20, 25, 30, 35, 40, 45},
                                            {45, 50, 55, 60, 65, 70, 75}};
    static const uint64_t of_paper[3][7] = {{7, 13, 19, 25, 31, 37, 43},
                                            {16, 22, 28, 34, 40, 46, 52},
                                            {46, 52, 58, 64, 70, 76, 82}};
    unsigned hops, i;

    build_mesh(1, 7);
    CHECK_U64(gms_flit_hop_cycles(&config), 6);
    for (i = 0; i < 3; ++i) {
        for (hops = 0; hops < 7; ++hops) {
            CHECK_U64(row_cycles(hops + 1, flits[i]), of_paper[i][hops]);
        }
    }
    usual(16);
    build_mesh(1, 7);
    CHECK_U64(gms_flit_hop_cycles(&config), 5);
    for (i = 0; i < 3; ++i) {
        for (hops = 0; hops < 7; ++hops) {
            CHECK_U64(row_cycles(hops + 1, flits[i]), of_usual[i][hops]);
        }
    }
}

/* Change the duration of one stage. The time of a packet includes this stage
 * once per switch, and the link stage one additional time. The delay of credits
 * does not matter if they arrive before the source needs them. */
static void check_stage(unsigned *stage, unsigned least, uint64_t once_more)
{
    static const unsigned lengths[] = {1, 10, 40};
    unsigned before = *stage, switches, i;
    uint64_t base[2][3];

    for (*stage = least; *stage <= least + 3; ++*stage) {
        unsigned longer = *stage - least;

        build_mesh(1, 4);
        for (switches = 3; switches <= 4; ++switches) {
            for (i = 0; i < 3; ++i) {
                uint64_t cycles = row_cycles(switches, lengths[i]);

                if (longer == 0) {
                    base[switches - 3][i] = cycles;
                }
                CHECK_U64(cycles, base[switches - 3][i] +
                                      longer * (switches * (once_more > 0) +
                                                (once_more > 1)));
            }
        }
    }
    *stage = before;
}

static void check_stages(void)
{
    check_stage(&config.input_cycles, 0, 1);
    check_stage(&config.route_cycles, 0, 1);
    check_stage(&config.lane_cycles, 0, 1);
    check_stage(&config.switch_cycles, 0, 1);
    check_stage(&config.crossbar_cycles, 1, 1);
    check_stage(&config.link_cycles, 1, 2);
    check_stage(&config.credit_cycles, 1, 0);
}

static void test_stages(void)
{
    check_stages();
    check_stage(&config.output_cycles, 1, 1);
    usual(16);
    check_stages();
}

/* ---- packets one after the other ---- */

/* Return the time between the tails of two packets that are offered
 * at the same time. */
static uint64_t tails_apart(unsigned switches, unsigned flits)
{
    gms_flit_packet_t first = make_packet(0, switches - 1, flits);
    gms_flit_packet_t second = first;

    gms_flit_offer(net, &first, GMS_FLIT_ANY_LANE);
    gms_flit_offer(net, &second, GMS_FLIT_ANY_LANE);
    CHECK_U64(run_idle(100000), 2);
    CHECK_U64(second.enter_cycle, first.enter_cycle + flits);
    return second.arrive_cycle - first.arrive_cycle;
}

/* In separate lanes, the second packet follows the first packet without a gap.
 * In one lane, its head waits until the tail of the first packet has crossed
 * the crossbar, in cycle t. The head is routed at t + 2 and crosses the
 * crossbar at t + 3. This delay occurs in every router. The time between the
 * packets therefore remains 2 cycles longer than without a gap. With an output
 * buffer of 2 cycles, the lane becomes free only when the tail is on the link,
 * at t + 2. The lane is assigned at t + 3, and the head crosses the crossbar at
 * t + 4. */
static void test_back_to_back(void)
{
    usual(16);
    build_mesh(1, 5);
    CHECK_U64(tails_apart(1, 10), 10);
    CHECK_U64(tails_apart(5, 10), 10);
    CHECK_U64(tails_apart(5, 1), 1);
    usual(1);
    build_mesh(1, 5);
    CHECK_U64(tails_apart(1, 10), 12);
    CHECK_U64(tails_apart(5, 10), 12);
    CHECK_U64(tails_apart(5, 1), 3);
    config.route_cycles = 0;
    config.lane_cycles = 0;
    build_mesh(1, 5);
    CHECK_U64(tails_apart(5, 10), 10);
    gms_flit_config_init(&config);
    gms_lane_plan_init(&config.plan, 1, 0, 0, GMS_LANE_ROUND_ROBIN, 4);
    config.lanes = 1;
    build_mesh(1, 5);
    CHECK_U64(tails_apart(5, 10), 12);
    config.output_cycles = 2;
    build_mesh(1, 5);
    CHECK_U64(tails_apart(5, 10), 13);
}

/* Two heads in separate lanes request the same output in the same cycle. The
 * packets take turns, flit by flit. The flits of the first packet cross the
 * crossbar in the cycles 3, 5, .. 3 + 2 (N - 1). The flits of the other packet
 * cross it one cycle later. A flit arrives 3 cycles after it crosses the
 * crossbar. */
static void test_two_share(void)
{
    gms_flit_packet_t one = make_packet(1, 0, 10), two = make_packet(2, 0, 10);
    uint64_t earlier, later;

    usual(16);
    build_crossbar(3);
    gms_flit_offer(net, &one, GMS_FLIT_ANY_LANE);
    gms_flit_offer(net, &two, GMS_FLIT_ANY_LANE);
    CHECK_U64(run_idle(1000), 2);
    earlier = one.arrive_cycle < two.arrive_cycle ? one.arrive_cycle
                                                  : two.arrive_cycle;
    later = one.arrive_cycle + two.arrive_cycle - earlier;
    CHECK_U64(earlier, 3 + 18 + 3);
    CHECK_U64(later, 4 + 18 + 3);
}

/* In one lane, the second head waits until the tail of the first packet has
 * crossed the crossbar, in cycle 3 + N - 1. The second head receives the lane
 * one cycle later, and crosses the crossbar another cycle later. */
static void test_two_wait(void)
{
    gms_flit_packet_t one = make_packet(1, 0, 10), two = make_packet(2, 0, 10);

    usual(1);
    build_crossbar(3);
    gms_flit_offer(net, &one, GMS_FLIT_ANY_LANE);
    gms_flit_offer(net, &two, GMS_FLIT_ANY_LANE);
    CHECK_U64(run_idle(1000), 2);
    CHECK_U64(one.arrive_cycle, 12 + 3);
    CHECK_U64(two.arrive_cycle, (12 + 2) + 9 + 3);
}

/* ---- credits ------------------------------------------------------------ */

/* A packet of `flits` flits passes through one switch in one lane, whose buffer
 * is shorter than the round trip. A flit that crosses the crossbar at t arrives
 * at t + 3 (switch, crossbar, link) and is consumed. Its credit returns at t +
 * 5. The number of flits that cross the crossbar every 5 cycles is therefore
 * the number that the buffer can hold. The first flit arrives 6 cycles after it
 * enters. The round trip between source and switch takes only 3 cycles, so it
 * does not limit the rate. */
static void test_credit_stall(void)
{
    unsigned places, flits;

    for (places = 1; places <= 7; ++places) {
        usual(1);
        config.buffer_flits = places;
        build_crossbar(2);
        for (flits = 1; flits <= 13; ++flits) {
            gms_flit_packet_t packet = make_packet(0, 1, flits);
            uint64_t last = flits - 1u;

            gms_flit_offer(net, &packet, 0);
            CHECK_U64(run_idle(1000), 1);
            CHECK_U64(packet.arrive_cycle - packet.enter_cycle,
                      places < 5 ? 6 + last / places * 5 + last % places
                                 : 6 + last);
        }
    }
}

/* The router is the paper's router with a buffer of one flit. A flit that is
 * sent at cycle u is at the target at u + 2, and its credit returns at u + 3.
 * Between the source and the router, a flit and its credit also take 2 + 1
 * cycles. The first flit arrives 7 cycles after it enters. If the output buffer
 * holds only one flit, a flit crosses the crossbar at t and is sent at t + 1.
 * The next flit crosses the crossbar at t + 2. */
static void test_credit_stall_paper(void)
{
    unsigned flits;

    for (flits = 1; flits <= 9; ++flits) {
        gms_flit_packet_t packet = make_packet(0, 1, flits);

        config.buffer_flits = 1;
        config.output_flits = 10;
        build_crossbar(2);
        gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
        run_idle(1000);
        CHECK_U64(packet.arrive_cycle - packet.enter_cycle,
                  7 + 3 * (flits - 1));
        config.buffer_flits = 10;
        config.output_flits = 1;
        build_crossbar(2);
        gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
        run_idle(1000);
        CHECK_U64(packet.arrive_cycle - packet.enter_cycle,
                  7 + 2 * (flits - 1));
    }
}

/* ---- targets that delay packets ---- */

static gms_flit_packet_t *asked;
static uint64_t asked_cycle;
static int accepts_at_once;

static void on_asks(void *context, gms_flit_packet_t *packet)
{
    (void)context;
    asked = packet;
    asked_cycle = gms_flit_now(net);
    if (accepts_at_once) {
        gms_flit_accept(net, packet);
    }
}

static void step_to(uint64_t cycle)
{
    const gms_flit_hooks_t hooks = {.asks = on_asks, .arrived = note_arrived};

    while (gms_flit_now(net) < cycle) {
        gms_flit_step(net, &hooks, NULL);
    }
}

/* The head arrives at cycle 6 and requests to be accepted. A head that is
 * accepted immediately is consumed at cycle 7. A head that is accepted just
 * before cycle 40 is consumed at cycle 40. Until then, 10 flits are in the
 * target's lane, 10 flits are in the router's lane, and 20 flits are at the
 * source. No flit moves. Then the other flits follow without a gap. */
static void test_hold(void)
{
    gms_flit_packet_t packet = make_packet(0, 1, 40);

    usual(1);
    config.sinks_hold = 1;
    build_crossbar(2);
    accepts_at_once = 1;
    gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
    step_to(100);
    CHECK_U64(asked_cycle, 6);
    CHECK_U64(packet.arrive_cycle, 7 + 39);
    build_crossbar(2);
    accepts_at_once = 0;
    gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
    CU_ASSERT_FALSE(gms_flit_is_idle(net));
    step_to(40);
    CU_ASSERT_PTR_EQUAL(asked, &packet);
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
    CHECK_U64(gms_flit_waiting(net, 0), 20);
    CHECK_U64(gms_flit_full_buffers(net), 1);
    CHECK_U64(gms_flit_full_buffers_at(net, 0), 1);
    CHECK_U64(gms_flit_busy_lanes(net, 0), 1);
    gms_flit_accept(net, &packet);
    CU_ASSERT_FALSE(gms_flit_is_idle(net));
    step_to(200);
    CHECK_U64(packet.arrive_cycle, 40 + 39);
    CHECK_U64(gms_flit_full_buffers(net), 0);
    CHECK_U64(gms_flit_busy_lanes(net, 0), 0);
    check_net();
}

/* As soon as the first packet has left the lane, the second packet in the lane
 * requests to be accepted. */
static void test_hold_next(void)
{
    gms_flit_packet_t one = make_packet(0, 1, 2), two = one;

    usual(1);
    config.sinks_hold = 1;
    build_crossbar(2);
    accepts_at_once = 0;
    gms_flit_offer(net, &one, 0);
    gms_flit_offer(net, &two, 0);
    step_to(30);
    CU_ASSERT_PTR_EQUAL(asked, &one);
    gms_flit_accept(net, &one);
    step_to(60);
    CHECK_U64(one.arrive_cycle, 31);
    CU_ASSERT_PTR_EQUAL(asked, &two);
    CHECK_U64(asked_cycle, 31);
    gms_flit_accept(net, &two);
    step_to(80);
    CHECK_U64(two.arrive_cycle, 61);
    CHECK_U64(arrived_packets, 2);
}

static CU_TestInfo tests[] = {
    {"cycles of packets in an empty network", test_empty_table},
    {"each stage is counted once per switch", test_stages},
    {"a packet directly after another packet", test_back_to_back},
    {"two packets share an output", test_two_share},
    {"a head waits for a lane", test_two_wait},
    {"a buffer shorter than the round trip", test_credit_stall},
    {"buffers of one flit", test_credit_stall_paper},
    {"a target that delays the acceptance of a packet", test_hold},
    {"a second packet requests acceptance after the first", test_hold_next},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"flit", NULL, NULL, setup, teardown, tests});
}
