/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests all properties of flit networks except the timing of packets: routes,
 * lanes, agents, allowances, counts, and errors.
 */
#include "arena_rig.h"
#include "flit_rig.h"

/* ---- routes ---- */

static unsigned lane_seen[64], links_seen;

/* gms_flit_route_links() must return the routes of the topology. */
static void check_ways(unsigned kind)
{
    uint32_t expected[GMS_ROUTE_LINKS_MAX], links[GMS_ROUTE_LINKS_MAX];
    unsigned source, target, count;

    params.topology = kind;
    build();
    for (source = 0; source < gms_topology_nodes(topology); ++source) {
        for (target = 0; target < gms_topology_nodes(topology); ++target) {
            count = gms_topology_links(topology, source, target, expected);
            CHECK_U64(gms_flit_route_links(net, source, target, links,
                                           GMS_ROUTE_LINKS_MAX),
                      count);
            CU_ASSERT_EQUAL(memcmp(links, expected, count * sizeof(links[0])),
                            0);
        }
    }
}

static void test_ways(void)
{
    params.hosts = 16;
    check_ways(GMS_TOPOLOGY_CROSSBAR);
    params.hosts = 64;
    check_ways(GMS_TOPOLOGY_CLOS);
    params.hosts = 40;
    params.hosts_per_switch = 4;
    params.tree_up = 2;
    check_ways(GMS_TOPOLOGY_FAT_TREE);
    params.hosts_per_switch = 3;
    params.hosts = 30;
    check_ways(GMS_TOPOLOGY_CASCADE);
    params.hosts_per_switch = 2;
    params.rows = 3;
    params.columns = 5;
    check_ways(GMS_TOPOLOGY_MESH);
    check_ways(GMS_TOPOLOGY_TORUS);
    params.routing = GMS_ROUTING_UPDOWN;
    check_ways(GMS_TOPOLOGY_MESH);
    params.rows = 3;
    params.columns = 3;
    params.hosts = 18;
    params.routing = GMS_ROUTING_DIMENSION_ORDER;
    check_ways(GMS_TOPOLOGY_TORUS);
}

/* A corner-to-corner route on a 32 x 32 mesh leads through 63 switches. GM's
 * routes lead through at most 24 switches. */
static void test_large_mesh(void)
{
    gms_flit_packet_t packet = make_packet(0, 1023, 40);
    gms_topology_t *none = NULL;
    uint32_t links[70];

    build_mesh(32, 32);
    CHECK_U64(gms_flit_route_links(net, 0, 1023, links, 70), 64);
    CHECK_U64(links[0], 0);
    CHECK_U64(links[63], gms_topology_node_link(topology, 1023, 1));
    gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
    CHECK_U64(run_idle(10000), 1);
    CHECK_U64(packet.arrive_cycle, 1 + 63 * 6 + 39);
    CHECK_U64(packet.hops, 63);
    check_net();
    CU_ASSERT_EQUAL(gms_topology_create(arena, &params, NULL, &none, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "pass through 63 of them"));
    params.routing = GMS_ROUTING_UPDOWN;
    CU_ASSERT_EQUAL(
        gms_topology_create_long(arena, &params, NULL, &none, error),
        GMS_ERR_CONFIG);
    params.routing = GMS_ROUTING_AUTO;
    params.topology = GMS_TOPOLOGY_TORUS;
    CU_ASSERT_EQUAL(
        gms_topology_create_long(arena, &params, NULL, &none, error),
        GMS_ERR_CONFIG);
}

/* On a ring, packets can wait for each other in a cycle. */
static void test_cyclic_routes(void)
{
    gms_topology_t *none = NULL;

    params.topology = GMS_TOPOLOGY_TORUS;
    params.routing = GMS_ROUTING_DIMENSION_ORDER;
    params.hosts = 16;
    params.rows = params.columns = 4;
    CU_ASSERT_EQUAL(
        gms_topology_create_long(arena, &params, NULL, &none, error),
        GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "these routes can deadlock"));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "4 links wait for each other in a cycle"));
    CU_ASSERT_PTR_NULL(none);
}

/* ---- drawn lanes -------------------------------------------------------- */

/* Return Pearson's statistic for counts that all have the same expected
 * value. */
static double chi_square(const unsigned *counts, unsigned from, unsigned to,
                         unsigned total)
{
    double expected = (double)total / (to - from), sum = 0;

    for (; from < to; ++from) {
        double off = counts[from] - expected;

        sum += off * off / expected;
    }
    return sum;
}

/* For 10 degrees of freedom, the 99.9 % quantile is 29.6. The 16 pairs of 4
 * lanes show that the lanes on two hops are independent. */
static void test_drawn_uniform(void)
{
    enum {
        DRAWS = 20000
    };
    unsigned counts[16] = {0}, pairs[16] = {0}, draw, hop;

    gms_lane_plan_init(&config.plan, 16, 11, 1, GMS_LANE_ROUND_ROBIN, 4);
    for (draw = 0; draw < DRAWS; ++draw) {
        ++counts[gms_flit_drawn_lane(&config, draw, 3, GMS_LANE_REAL_TIME)];
    }
    for (hop = 11; hop < 16; ++hop) {
        CHECK_U64(counts[hop], 0);
    }
    CU_ASSERT_TRUE(chi_square(counts, 0, 11, DRAWS) < 29.6);
    memset(counts, 0, sizeof(counts));
    for (hop = 0; hop < DRAWS; ++hop) {
        ++counts[gms_flit_drawn_lane(&config, 7, hop, GMS_LANE_REAL_TIME)];
        CHECK_U64(gms_flit_drawn_lane(&config, hop, 1, GMS_LANE_CONTROL), 15);
    }
    CU_ASSERT_TRUE(chi_square(counts, 0, 11, DRAWS) < 29.6);
    for (draw = 0; draw < DRAWS; ++draw) {
        unsigned a =
            gms_flit_drawn_lane(&config, draw, 0, GMS_LANE_BEST_EFFORT);
        unsigned b =
            gms_flit_drawn_lane(&config, draw, 1, GMS_LANE_BEST_EFFORT);

        CU_ASSERT_TRUE(a >= 11 && a < 15 && b >= 11 && b < 15);
        ++pairs[(a - 11) * 4 + b - 11];
    }
    /* for 15 degrees of freedom, the quantile is 37.7 */
    CU_ASSERT_TRUE(chi_square(pairs, 0, 16, DRAWS) < 37.7);
    /* With another seed, other lanes are drawn. On average, one in four draws
     * still yields the same lane. */
    for (hop = draw = 0; draw < DRAWS; ++draw) {
        unsigned lane =
            gms_flit_drawn_lane(&config, draw, 0, GMS_LANE_BEST_EFFORT);

        config.seed = 2;
        hop +=
            lane == gms_flit_drawn_lane(&config, draw, 0, GMS_LANE_BEST_EFFORT);
        config.seed = 1;
    }
    CHECK_NEAR((double)hop, DRAWS / 4, 0.05);
}

static void note_lanes(void)
{
    uint32_t links[64];
    unsigned count = gms_flit_route_links(net, 0, 5, links, 64), i;

    links_seen = count;
    for (i = 0; i < count; ++i) {
        lane_seen[i] |= gms_flit_busy_lanes(net, links[i]);
    }
}

/* A packet uses only the lane that was drawn for each link. While another
 * packet is in this lane, the packet waits. */
static void test_drawn_taken(void)
{
    unsigned draw, i;

    config.lane_choice = GMS_FLIT_LANES_DRAWN;
    build_mesh(1, 6);
    for (draw = 0; draw < 20; ++draw) {
        gms_flit_packet_t packet = make_packet(0, 5, 12), second;

        packet.traffic_class = GMS_LANE_REAL_TIME;
        packet.draw = draw;
        second = packet;
        memset(lane_seen, 0, sizeof(lane_seen));
        gms_flit_offer(
            net, &packet,
            gms_flit_drawn_lane(&config, draw, 0, packet.traffic_class));
        gms_flit_offer(
            net, &second,
            gms_flit_drawn_lane(&config, draw, 0, packet.traffic_class));
        while (!gms_flit_is_idle(net)) {
            gms_flit_step(net, NULL, NULL);
            note_lanes();
        }
        CHECK_U64(links_seen, 7);
        for (i = 0; i < links_seen; ++i) {
            CHECK_U64(lane_seen[i],
                      1u << gms_flit_drawn_lane(&config, draw, i,
                                                packet.traffic_class));
        }
        CU_ASSERT_TRUE(packet.arrive_cycle < second.arrive_cycle);
    }
}

/* Both at a source and at an output, free lanes are assigned in turn. */
static void test_free_in_turn(void)
{
    gms_flit_packet_t packet = make_packet(0, 1, 12);
    unsigned i;

    plain_lanes(4);
    build_crossbar(2);
    for (i = 1; i <= 9; ++i) {
        uint32_t link = gms_topology_node_link(topology, 1, 1);

        gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
        CHECK_U64(gms_flit_busy_lanes(net, 0), 1u << i % 4);
        while (gms_flit_busy_lanes(net, link) == 0) {
            gms_flit_step(net, NULL, NULL);
        }
        CHECK_U64(gms_flit_busy_lanes(net, link), 1u << i % 4);
        run_idle(100);
    }
}

static gms_flit_packet_t *kept;

static void accept_others(void *context, gms_flit_packet_t *packet)
{
    (void)context;
    if (packet != kept) {
        gms_flit_accept(net, packet);
    }
}

/* If the target does not accept a packet, the packet's flits stay in the buffer
 * at the end of their lane, but the packet releases the lane itself. Other
 * packets can pass this packet as long as other lanes have credits. */
static void test_free_with_credit(void)
{
    const gms_flit_hooks_t hooks = {.asks = accept_others,
                                    .arrived = note_arrived};
    gms_flit_packet_t first = make_packet(0, 1, 10), others[6];
    unsigned i;

    plain_lanes(3);
    config.sinks_hold = 1;
    build_crossbar(2);
    kept = &first;
    gms_flit_offer(net, &first, GMS_FLIT_ANY_LANE);
    for (i = 0; i < 6; ++i) {
        while (!gms_flit_is_idle(net)) {
            gms_flit_step(net, &hooks, NULL);
        }
        CHECK_U64(
            gms_flit_busy_lanes(net, gms_topology_node_link(topology, 1, 1)),
            0);
        CHECK_U64(arrived_packets, i);
        others[i] = make_packet(0, 1, 1);
        gms_flit_offer(net, &others[i], GMS_FLIT_ANY_LANE);
    }
}

/* ---- agents ------------------------------------------------------------- */

typedef struct visit {
    uint32_t switch_index, in_link, out_link;
    uint64_t cycle;
} visit_t;

static visit_t visits[16];
static unsigned visit_count, absorb_at, absorbed_at;
static uint64_t absorbed_cycle;

static enum gms_flit_verdict on_visit(void *context, uint32_t switch_index,
                                      gms_flit_packet_t *packet,
                                      uint32_t in_link, uint32_t out_link)
{
    (void)context;
    CHECK_U64(packet->hops, visit_count);
    visits[visit_count++] =
        (visit_t){switch_index, in_link, out_link, gms_flit_now(net)};
    return switch_index == absorb_at ? GMS_FLIT_ABSORB : GMS_FLIT_GO_ON;
}

static void on_absorbed(void *context, uint32_t switch_index,
                        gms_flit_packet_t *packet)
{
    (void)context;
    absorbed_at = switch_index;
    absorbed_cycle = packet->arrive_cycle;
    CHECK_U64(absorbed_cycle, gms_flit_now(net));
}

static void run_visits(gms_flit_packet_t *packet)
{
    const gms_flit_hooks_t hooks = {
        .visit = on_visit, .absorbed = on_absorbed, .arrived = note_arrived};

    visit_count = 0;
    absorbed_at = 999;
    arrived_packets = 0;
    packet->visits = 1;
    gms_flit_offer(net, packet, GMS_FLIT_ANY_LANE);
    while (!gms_flit_is_idle(net)) {
        gms_flit_step(net, &hooks, NULL);
    }
    check_net();
}

static void test_visits(void)
{
    gms_flit_packet_t packet = make_packet(0, 3, 10);
    uint32_t links[8];
    unsigned i;

    config.agents = 1;
    absorb_at = 999;
    build_mesh(1, 4);
    gms_flit_route_links(net, 0, 3, links, 8);
    run_visits(&packet);
    CHECK_U64(visit_count, 4);
    CHECK_U64(arrived_packets, 1);
    for (i = 0; i < 4; ++i) {
        CHECK_U64(visits[i].switch_index, i);
        CHECK_U64(visits[i].in_link, links[i]);
        CHECK_U64(visits[i].out_link, links[i + 1]);
        /* 1 cycle each for link, input and route, plus 6 cycles per switch */
        CHECK_U64(visits[i].cycle, packet.enter_cycle + 3 + 6 * i);
    }
    absorb_at = 2;
    run_visits(&packet);
    CHECK_U64(visit_count, 3);
    CHECK_U64(arrived_packets, 0);
    CHECK_U64(absorbed_at, 2);
    CHECK_U64(absorbed_cycle, packet.enter_cycle + 1 + 3 * 6 + 9);
    CHECK_U64(net->flits_consumed, 20);
}

/* A packet to an agent takes as long as a packet to a node on the same switch.
 * An agent does not have its own link. */
static void test_agents(void)
{
    static const uint32_t ends[][3] = {
        /* source, target, switches */
        {GMS_FLIT_AGENT(0), 3, 4},
        {2, GMS_FLIT_AGENT(1), 2},
        {GMS_FLIT_AGENT(3), GMS_FLIT_AGENT(0), 4},
        {1, GMS_FLIT_AGENT(1), 1},
        {GMS_FLIT_AGENT(2), 2, 1},
        {GMS_FLIT_AGENT(2), GMS_FLIT_AGENT(2), 1}};
    uint32_t links[8];
    unsigned i, kind;

    config.agents = 1;
    absorb_at = 999;
    for (kind = 0; kind < 2; ++kind) {
        params.routing = kind == 0 ? GMS_ROUTING_AUTO : GMS_ROUTING_UPDOWN;
        build_mesh(1, 4);
        for (i = 0; i < sizeof(ends) / sizeof(ends[0]); ++i) {
            gms_flit_packet_t packet = make_packet(ends[i][0], ends[i][1], 10);
            unsigned own =
                (ends[i][0] < 4 ? 1u : 0u) + (ends[i][1] < 4 ? 1u : 0u);

            run_visits(&packet);
            CHECK_U64(arrived_packets, 1);
            CHECK_U64(visit_count, ends[i][2]);
            CHECK_U64(packet.arrive_cycle - packet.enter_cycle,
                      1 + 6 * ends[i][2] + 9);
            CHECK_U64(
                gms_flit_route_links(net, ends[i][0], ends[i][1], links, 8),
                ends[i][2] - 1 + own);
            CHECK_U64(visits[0].in_link,
                      ends[i][0] < 4 ? ends[i][0] : GMS_LINK_NONE);
        }
    }
}

static void test_agents_refused(void)
{
    gms_flit_net_t *none = NULL;
    uint64_t before, after, total;

    params.topology = GMS_TOPOLOGY_CLOS;
    params.hosts = 64;
    build();
    config.agents = 1;
    gms_arena_usage(arena, &before, &total);
    CU_ASSERT_EQUAL(gms_flit_create(arena, topology, &config, &none, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(
        error,
        "switch 8 has no node, so its agent has no routes; agents "
        "need a node on each switch, or a mesh with dimension-order routing");
    gms_arena_usage(arena, &after, &total);
    CHECK_U64(after, before);
}

/* ---- allowances and counts ----------------------------------------------- */

static uint64_t crossings(unsigned switch_index)
{
    return gms_flit_switch_counts(net, switch_index)->crossings;
}

static void step_many(unsigned cycles)
{
    while (cycles-- > 0) {
        gms_flit_step(net, NULL, NULL);
    }
}

/* A link that is held transfers no flits, whether it is at a source or behind a
 * switch. Other links continue to transfer flits, and no flit is lost. */
static void test_hold(void)
{
    uint32_t links[2];
    unsigned i;

    build_crossbar(4);
    links[0] = gms_topology_node_link(topology, 0, 0);
    links[1] = gms_topology_node_link(topology, 1, 1);
    for (i = 0; i < 2; ++i) {
        gms_flit_packet_t held = make_packet(0, 1, 50);
        gms_flit_packet_t other = make_packet(2, 3, 20);
        uint64_t before = gms_flit_link_flits(net, links[i]);

        gms_flit_offer(net, &held, GMS_FLIT_ANY_LANE);
        step_many(20);
        before = gms_flit_link_flits(net, links[i]);
        CHECK_U64(gms_flit_free_cycle(net, links[i]), gms_flit_now(net));
        gms_flit_hold(net, links[i], 1);
        gms_flit_offer(net, &other, GMS_FLIT_ANY_LANE);
        CHECK_U64(run_idle(1000), 1); /* the other packet has arrived */
        check_net();
        CHECK_U64(gms_flit_link_flits(net, links[i]), before);
        CHECK_U64(gms_flit_awaits(net, links[i]), 1);
        gms_flit_skip(net, 1000);
        gms_flit_hold(net, links[i], 0);
        CU_ASSERT_FALSE(gms_flit_is_idle(net));
        CHECK_U64(run_idle(1000), 1);
        CHECK_U64(gms_flit_link_flits(net, links[i]), 50 * (i + 1));
        CHECK_U64(gms_flit_awaits(net, links[i]), 0);
        check_net();
    }
}

static void test_allowance(void)
{
    gms_flit_packet_t packets[3];
    unsigned i;

    build_crossbar(4);
    gms_flit_set_allowance(net, 0, 7);
    for (i = 0; i < 3; ++i) {
        packets[i] = make_packet(i, i + 1, 20);
        gms_flit_offer(net, &packets[i], GMS_FLIT_ANY_LANE);
    }
    step_many(100);
    CHECK_U64(crossings(0), 7);
    CU_ASSERT_FALSE(gms_flit_is_idle(net));
    gms_flit_set_allowance(net, 0, 0);
    step_many(100);
    CHECK_U64(crossings(0), 7);
    gms_flit_set_allowance(net, 0, 2);
    step_many(100);
    CHECK_U64(crossings(0), 9);
    check_net();
    gms_flit_set_allowance(net, 0, GMS_FLIT_NO_ALLOWANCE);
    CHECK_U64(run_idle(1000), 3);
    CHECK_U64(crossings(0), 60);
    /* The three packets take turns, so each packet has sent two of the six
     * flits. */
    for (i = 0; i < 3; ++i) {
        gms_flit_offer(net, &packets[i], GMS_FLIT_ANY_LANE);
    }
    gms_flit_set_allowance(net, 0, 0);
    step_many(20);
    for (i = 1; i <= 6; ++i) {
        gms_flit_set_allowance(net, 0, 1);
        step_many(10);
    }
    for (i = 0; i < 3; ++i) {
        CHECK_U64(gms_flit_link_flits(
                      net, gms_topology_node_link(topology, i + 1, 1)),
                  20 + 2);
    }
    gms_flit_set_allowance(net, 0, GMS_FLIT_NO_ALLOWANCE);
    CHECK_U64(run_idle(1000), 3);
}

/* A packet of 40 flits passes through two switches. Each flit is written and
 * read at each input buffer and, if the switches have output buffers, at each
 * output buffer. Each switch arbitrates once per packet. */
static void test_counts(void)
{
    gms_flit_packet_t packet = make_packet(0, 1, 40);
    unsigned buffered, switch_index;

    for (buffered = 0; buffered <= 1; ++buffered) {
        config.output_flits = buffered ? 10 : 0;
        build_mesh(1, 3);
        gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
        CHECK_U64(gms_flit_waiting(net, 0), 40);
        CHECK_U64(run_idle(1000), 1);
        CHECK_U64(gms_flit_waiting(net, 0), 0);
        for (switch_index = 0; switch_index < 3; ++switch_index) {
            const gms_flit_counts_t *counts =
                gms_flit_switch_counts(net, switch_index);
            unsigned here = switch_index < 2;

            CHECK_U64(counts->writes, here * 40 * (1 + buffered));
            CHECK_U64(counts->reads, here * 40 * (1 + buffered));
            CHECK_U64(counts->arbitrations, here);
            CHECK_U64(counts->crossings, here * 40);
        }
        CHECK_U64(gms_flit_link_flits(net, 0), 40);
        CHECK_U64(gms_flit_link_flits(net, 1), 0);
        CHECK_U64(
            gms_flit_link_flits(net, gms_topology_node_link(topology, 1, 1)),
            40);
    }
}

static gms_flit_packet_t follower;

static void offer_follower(void *context, gms_flit_packet_t *packet)
{
    (void)context;
    if (packet != &follower) {
        follower = make_packet(1, 0, 1);
        gms_flit_offer(net, &follower, GMS_FLIT_ANY_LANE);
    }
}

/* A packet that a hook offers enters the network in the next cycle, at any
 * source. */
static void test_offers_in_hooks(void)
{
    const gms_flit_hooks_t at[] = {{.entered = offer_follower},
                                   {.left = offer_follower},
                                   {.arrived = offer_follower}};
    unsigned i;

    for (i = 0; i < 3; ++i) {
        gms_flit_packet_t packet = make_packet(0, 1, 1);
        uint64_t cycle;

        build_crossbar(2);
        gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
        while (!gms_flit_is_idle(net)) {
            gms_flit_step(net, &at[i], NULL);
        }
        cycle = i == 2 ? packet.arrive_cycle : packet.enter_cycle;
        CHECK_U64(follower.enter_cycle, cycle + 1);
        check_net();
    }
}

/* An idle network can skip cycles. A packet after the skipped cycles takes the
 * usual time. */
static void test_skip(void)
{
    gms_flit_packet_t packet = make_packet(0, 2, 10);

    build_mesh(1, 3);
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
    gms_flit_skip(net, 1000003);
    gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
    CHECK_U64(run_idle(1000), 1);
    CHECK_U64(packet.enter_cycle, 1000003);
    CHECK_U64(packet.arrive_cycle - packet.enter_cycle, 1 + 3 * 6 + 9);
}

/* ---- errors ------------------------------------------------------------- */

static void refuse_config(unsigned *field, unsigned value, const char *text)
{
    unsigned before = *field;

    *field = value;
    CU_ASSERT_EQUAL(gms_flit_config_check(&config, error), GMS_ERR_CONFIG);
    if (strcmp(error, text) != 0) {
        printf("\n    %s\n    expected\n    %s\n", error, text);
    }
    CU_ASSERT_STRING_EQUAL(error, text);
    *field = before;
    CU_ASSERT_EQUAL(gms_flit_config_check(&config, error), GMS_OK);
}

static void test_config(void)
{
    refuse_config(&config.lanes, 0, "lanes is 0; allowed: 1..16");
    refuse_config(&config.lanes, 17, "lanes is 17; allowed: 1..16");
    refuse_config(
        &config.lanes, 8,
        "plan: lanes 0x8000 of class 0 belong to another class, or exceed "
        "the 8 lanes");
    refuse_config(&config.lane_choice, 2, "lane_choice is 2; allowed: 0..1");
    refuse_config(&config.buffer_flits, 0,
                  "buffer_flits is 0; allowed: 1..255");
    refuse_config(&config.buffer_flits, 256,
                  "buffer_flits is 256; allowed: 1..255");
    refuse_config(&config.output_flits, 256,
                  "output_flits is 256; allowed: 0..255");
    refuse_config(&config.output_cycles, 0,
                  "output_cycles is 0; allowed: 1..64");
    refuse_config(&config.crossbar_cycles, 0,
                  "crossbar_cycles is 0; allowed: 1..64");
    refuse_config(&config.link_cycles, 65, "link_cycles is 65; allowed: 1..64");
    refuse_config(&config.credit_cycles, 0,
                  "credit_cycles is 0; allowed: 1..64");
    refuse_config(&config.match_rounds, 9, "match_rounds is 9; allowed: 1..8");
    config.plan.class_of[3] = GMS_LANE_CONTROL;
    CU_ASSERT_EQUAL(gms_flit_config_check(&config, error), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(error,
                           "plan: lane 3 belongs to class 1 and to class 0");
}

/* Create a network with `left` bytes of memory. If this fails, no memory may
 * remain allocated.
 * @return 1 if the network has been created */
static int create_with(uint64_t left)
{
    gms_arena_t *small = arena_with(4, left, 4096);
    uint64_t before = arena_used(small);
    gms_flit_net_t *none = NULL;
    gms_status_t status =
        gms_flit_create(small, topology, &config, &none, error);

    if (status != GMS_OK) {
        CU_ASSERT_EQUAL(status, GMS_ERR_NO_MEMORY);
        CU_ASSERT_STRING_EQUAL(
            error,
            "the flit network of 4 switches needs more memory than the arena "
            "has left; set a larger arena_bytes");
        CHECK_U64(arena_used(small), before);
    }
    gms_arena_destroy_private(small);
    return status == GMS_OK;
}

static void test_no_memory(void)
{
    uint64_t left;
    unsigned refused = 0, made = 0;

    config.plan.policy = GMS_LANE_FCFS;
    build_mesh(2, 2);
    for (left = 0; made < 3 && left < UINT64_C(4) << 20; left += 20000) {
        if (create_with(left)) {
            ++made;
        } else {
            ++refused;
        }
    }
    CU_ASSERT_TRUE(refused >= 10 && made == 3);
}

/* gms_flit_check() must detect errors in the state. */
static void test_check_finds(void)
{
    gms_flit_packet_t packet = make_packet(0, 3, 40);

    build_mesh(1, 4);
    gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
    step_many(20);
    check_net();
    --net->out[0].credits[12];
    CU_ASSERT_EQUAL(gms_flit_check(net, error), GMS_ERR_INVALID_PARAM);
    ++net->out[0].credits[12];
    check_net();
    ++net->flits_offered;
    CU_ASSERT_EQUAL(gms_flit_check(net, error), GMS_ERR_INVALID_PARAM);
    --net->flits_offered;
    net->in[0].ready ^= 1u << 12;
    CU_ASSERT_EQUAL(gms_flit_check(net, error), GMS_ERR_INVALID_PARAM);
    net->in[0].ready ^= 1u << 12;
    ++net->switch_state[1].full;
    CU_ASSERT_EQUAL(gms_flit_check(net, error), GMS_ERR_INVALID_PARAM);
    --net->switch_state[1].full;
    ++net->buffer[net->switch_state[0].out_first].room[12];
    CU_ASSERT_EQUAL(gms_flit_check(net, error), GMS_ERR_INVALID_PARAM);
    --net->buffer[net->switch_state[0].out_first].room[12];
    check_net();
}

static CU_TestInfo tests[] = {
    {"routes match the topology", test_ways},
    {"meshes whose routes are too long for GM", test_large_mesh},
    {"cyclic routes are refused", test_cyclic_routes},
    {"randomly chosen lanes are uniform", test_drawn_uniform},
    {"randomly chosen lanes are used", test_drawn_taken},
    {"free lanes are assigned in turn", test_free_in_turn},
    {"free lanes with credits come first", test_free_with_credit},
    {"routers report each visit, and can absorb a packet", test_visits},
    {"agents send and receive", test_agents},
    {"agents without routes are refused", test_agents_refused},
    {"a held link transfers no flits", test_hold},
    {"a node sends no more flits than its allowance", test_allowance},
    {"operations of one packet are counted", test_counts},
    {"hooks may offer further packets", test_offers_in_hooks},
    {"an idle network skips cycles", test_skip},
    {"invalid configurations", test_config},
    {"exhausted memory", test_no_memory},
    {"the consistency check finds errors", test_check_finds},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"flit-net", NULL, NULL, setup, teardown, tests});
}
