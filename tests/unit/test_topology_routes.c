/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests routes through topologies. Every route must reach its target, and must
 * be short and legal. Together, the routes must be distributed over the links
 * and free of deadlocks.
 */
#include "topology_rig.h"

#include <time.h>

#define SWITCHES_MAX 1024

/* ---- oracles ------------------------------------------------------------ */

/* Number of hops from a given switch to each switch, computed independently of
 * the library. */
static unsigned distance[SWITCHES_MAX];

static void measure(unsigned from)
{
    unsigned count = gms_topology_switches(topology), rounds, link;
    int changed = 1;

    for (rounds = 0; rounds < count; ++rounds) {
        distance[rounds] = 1000;
    }
    distance[from] = 0;
    while (changed) {
        changed = 0;
        for (link = gms_topology_nodes(topology);
             link < gms_topology_link_count(topology); ++link) {
            const gms_link_end_t *a = gms_topology_from(topology, link);
            const gms_link_end_t *b = gms_topology_to(topology, link);

            if (b->kind == GMS_END_SWITCH &&
                distance[b->index] > distance[a->index] + 1) {
                distance[b->index] = distance[a->index] + 1;
                changed = 1;
            }
        }
    }
}

/* Checks that the links of the route form a path to the target that visits no
 * switch twice. @return number of switches on the route */
static unsigned follow(unsigned source, unsigned target)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    gms_route_t route;
    unsigned count = gms_topology_links(topology, source, target, links);
    unsigned i, j;

    gms_topology_route(topology, source, target, &route);
    CU_ASSERT_EQUAL_FATAL(count, route.hops + 1u);
    CU_ASSERT_EQUAL(links[0], gms_topology_node_link(topology, source, 0));
    CU_ASSERT_EQUAL(links[count - 1],
                    gms_topology_node_link(topology, target, 1));
    for (i = 1; i < count; ++i) {
        const gms_link_end_t *at = gms_topology_to(topology, links[i - 1]);

        CU_ASSERT_EQUAL_FATAL(at->kind, GMS_END_SWITCH);
        CU_ASSERT_EQUAL(
            gms_topology_out(topology, at->index, route.port[i - 1]), links[i]);
        for (j = 1; j < i; ++j) {
            CU_ASSERT_NOT_EQUAL(gms_topology_to(topology, links[j - 1])->index,
                                at->index);
        }
    }
    return route.hops;
}

/* Checks that no link of the route leads up after a link that leads down. The
 * function is_up() determines which links lead up. */
static void check_updown(unsigned source, unsigned target,
                         int (*is_up)(uint32_t from, uint32_t to))
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned count = gms_topology_links(topology, source, target, links);
    unsigned i;
    int went_down = 0;

    for (i = 1; i + 1 < count; ++i) {
        int up = is_up(gms_topology_from(topology, links[i])->index,
                       gms_topology_to(topology, links[i])->index);

        CU_ASSERT_FALSE(up && went_down);
        went_down |= !up;
    }
}

static int is_level_up(uint32_t from, uint32_t to)
{
    return gms_topology_level(topology, to) >
           gms_topology_level(topology, from);
}

static int is_search_up(uint32_t from, uint32_t to)
{
    return gms_search_is_up(topology, from, to);
}

static gms_topology_plan_t plan_of_topology(void)
{
    gms_topology_plan_t plan = {.arena = arena,
                                .params = &params,
                                .topology = topology,
                                .error = error};

    return plan;
}

static void check_no_deadlock(void)
{
    gms_topology_plan_t plan = plan_of_topology();

    CU_ASSERT_EQUAL(gms_deadlock_check(&plan), GMS_OK);
}

/* ---- routes in trees ----------------------------------------------------- */

/* Checks the computed routes of a tree. The routes must be legal, and as short
 * as the shortest paths and the routes that the search finds. */
static void check_tree(unsigned kind, unsigned hosts)
{
    gms_topology_plan_t plan;
    unsigned source, target, step;

    build(kind, hosts);
    CHECK_U64(topology->searched, 0);
    plan = plan_of_topology();
    CU_ASSERT_EQUAL_FATAL(gms_search_build(&plan), GMS_OK);
    step = hosts > 256 ? 37 : 1;
    for (source = 0; source < hosts; source += step) {
        measure(gms_topology_to(topology, source)->index);
        for (target = 0; target < hosts; ++target) {
            gms_route_t searched;
            unsigned hops = follow(source, target);

            check_updown(source, target, is_level_up);
            CU_ASSERT_EQUAL(
                hops, distance[gms_topology_to(topology, target)->index] + 1);
            gms_search_route(topology, source, target, &searched);
            CU_ASSERT_EQUAL(hops, searched.hops);
        }
    }
    if (hosts <= 256) {
        check_no_deadlock();
    }
}

static void test_clos_routes(void)
{
    check_tree(GMS_TOPOLOGY_CLOS, 16);
    check_tree(GMS_TOPOLOGY_CLOS, 41);
    check_tree(GMS_TOPOLOGY_CLOS, 64);
    check_tree(GMS_TOPOLOGY_CLOS, 128);
    check_tree(GMS_TOPOLOGY_CLOS, 200);
    check_tree(GMS_TOPOLOGY_CLOS, 256);
    check_tree(GMS_TOPOLOGY_CLOS, 700);
    params.switch_ports = 4;
    check_tree(GMS_TOPOLOGY_CLOS, 100);
}

static void test_fat_tree_routes(void)
{
    params.hosts_per_switch = 12;
    params.tree_up = 4;
    check_tree(GMS_TOPOLOGY_FAT_TREE, 48);
    check_tree(GMS_TOPOLOGY_FAT_TREE, 250);
    params.switch_ports = 8;
    params.hosts_per_switch = 3;
    params.tree_up = 5;
    check_tree(GMS_TOPOLOGY_FAT_TREE, 60);
    params.tree_up = 1;
    check_tree(GMS_TOPOLOGY_FAT_TREE, 60);
}

/* The routes from each leaf are distributed evenly over the spine switches, and
 * all routes to the same target use the same spine switch. */
static void test_clos_spreads(void)
{
    unsigned targets[16][8] = {{0}};
    unsigned source, target, leaf, cable;

    build(GMS_TOPOLOGY_CLOS, 128);
    for (source = 0; source < 128; source += 8) {
        for (target = 0; target < 128; ++target) {
            gms_route_t route;

            gms_topology_route(topology, source, target, &route);
            if (route.hops == 3) {
                ++targets[source / 8][route.port[0] - 8];
                CHECK_U64(route.port[0] - 8, target % 8);
            }
        }
    }
    for (leaf = 0; leaf < 16; ++leaf) {
        for (cable = 0; cable < 8; ++cable) {
            CHECK_U64(targets[leaf][cable], 15);
        }
    }
}

/* With 256 hosts, the routes from one unit to all targets in the three other
 * units use all 64 spines equally. Each cable that leads down from a spine is
 * used for the hosts of 8 leaves. */
static void test_clos_spreads_over_levels(void)
{
    static unsigned load[4096];
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned target, link, used = 0;

    build(GMS_TOPOLOGY_CLOS, 256);
    memset(load, 0, sizeof(load));
    for (target = 64; target < 256; ++target) {
        CHECK_U64(gms_topology_links(topology, 0, target, links), 6);
        ++load[links[3]]; /* the link that leads down from the spine */
    }
    for (link = 0; link < gms_topology_link_count(topology); ++link) {
        used += load[link] != 0;
        CU_ASSERT(load[link] == 0 || load[link] == 1);
    }
    CHECK_U64(used, 64 * 3);
}

/* Checks the number of switches and the lengths of the routes of a Clos network
 * with 10,000 hosts. The admission of reservations relies on these values.
 * Building the topology must also be fast. */
static void test_clos_of_10000(void)
{
    uint64_t before, after, total, sum = 0;
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    clock_t start;
    double built, routed;
    unsigned i;

    gms_arena_usage(arena, &before, &total);
    start = clock();
    build(GMS_TOPOLOGY_CLOS, 10000);
    built = (double)(clock() - start) / CLOCKS_PER_SEC;
    gms_arena_usage(arena, &after, &total);
    CHECK_U64(topology->tree.levels, 5);
    CHECK_U64(gms_topology_switches(topology), 1250 + 1256 + 1280 + 1536 + 820);
    CU_ASSERT(after - before < 100000000);
    start = clock();
    for (i = 0; i < 1000000; ++i) {
        sum += gms_topology_links(topology, i * 7919u % 10000,
                                  i * 104729u % 10000, links);
    }
    routed = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("\n    built in %.3f s and %.1f MB; %.2f million routes of %.2f "
           "links per CPU second ",
           built, (double)(after - before) / 1e6, 1 / routed,
           (double)sum / 1e6);
    CHECK_U64(follow(0, 9999), 9);
    CHECK_U64(follow(4095, 4096), 9);
    CHECK_U64(follow(4000, 4095), 5);
}

/* ---- routes found by searching ------------------------------------------- */

static uint32_t drawn_ports[SWITCHES_MAX];
static gms_cable_t drawn_cables[4096];
static gms_graph_t drawn;

static void draw(unsigned switches, unsigned ports)
{
    unsigned i;

    for (i = 0; i < switches; ++i) {
        drawn_ports[i] = ports;
    }
    drawn = (gms_graph_t){.switch_count = switches,
                          .switch_ports = drawn_ports,
                          .cables = drawn_cables};
    params.topology = GMS_TOPOLOGY_GRAPH;
    params.hosts = 0;
}

static void draw_host(uint32_t switch_index, uint32_t port)
{
    gms_cable_t *cable = &drawn_cables[drawn.cable_count++];

    cable->a = (gms_link_end_t){GMS_END_NODE, (uint32_t)params.hosts++, 0};
    cable->b = (gms_link_end_t){GMS_END_SWITCH, switch_index, port};
}

static void draw_cable(uint32_t a, uint32_t a_port, uint32_t b, uint32_t b_port)
{
    gms_cable_t *cable = &drawn_cables[drawn.cable_count++];

    cable->a = (gms_link_end_t){GMS_END_SWITCH, a, a_port};
    cable->b = (gms_link_end_t){GMS_END_SWITCH, b, b_port};
}

/* Host n is on port 0 of switch n. Port 1 leads to the next switch, and port 2
 * leads to the previous switch. */
static void draw_ring(unsigned switches)
{
    unsigned i;

    draw(switches, 4);
    for (i = 0; i < switches; ++i) {
        draw_host(i, 0);
        draw_cable(i, 1, (i + 1) % switches, 2);
    }
}

/* All switches are equally central, so the first switch, 0, becomes the root:
 *
 *          0
 *        1   4       up from 3 to 4 and from 2 to 1; from 3 to 2 by number
 *        2 - 3
 */
static void test_ring_of_5(void)
{
    draw_ring(5);
    build_graph(&drawn);
    CHECK_U64(topology->depth[0], 0);
    CHECK_U64(topology->depth[3], 2);
    check_ports(2, 3, "1 0");
    check_ports(1, 3, "1 1 0");
    check_ports(3, 1, "2 2 0");
    check_ports(2, 4, "2 2 2 0"); /* the route must not lead down to switch 3
                                   * and up again */
    check_ports(4, 2, "1 1 1 0");
    check_ports(2, 2, "0");
    check_no_deadlock();
    params.routing = GMS_ROUTING_SHORTEST;
    refuse_graph(
        &drawn,
        "these routes can deadlock, because 5 links wait for each other in a "
        "cycle (key 'routing'; allowed: updown): switch 0 port 1 to switch 1, "
        "switch 1 port 1 to switch 2, switch 2 port 1 to switch 3, switch 3 "
        "port 1 to switch 4, switch 4 port 1 to switch 0");
    draw_ring(3);
    build_graph(&drawn);
    check_ports(2, 0, "1 0");
    check_no_deadlock();
    /* If a cycle is long, the message lists only as many of its links as fit
     * into the buffer. */
    draw_ring(40);
    CU_ASSERT_EQUAL(
        gms_topology_create(arena, &params, &drawn, &topology, error),
        GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "40 links wait for each other in a cycle (key 'routing'; "
                      "allowed: updown): switch 0"));
    CU_ASSERT_STRING_EQUAL(error + strlen(error) - 4, ", ..");
}

/* The middle switch is the root, not the first switch. Routes to consecutive
 * targets alternate between parallel cables.
 *
 *   switch 1 == 2 -- 0, hosts 0 and 1 on 1, hosts 2 and 3 on 0 */
static void test_parallel_cables(void)
{
    draw(3, 6);
    draw_host(1, 0);
    draw_host(1, 1);
    draw_host(0, 4);
    draw_host(0, 5);
    draw_cable(1, 2, 2, 0);
    draw_cable(1, 3, 2, 1);
    draw_cable(2, 5, 0, 0);
    build_graph(&drawn);
    CHECK_U64(topology->depth[2], 0);
    check_ports(0, 2, "2 5 4");
    check_ports(0, 3, "3 5 5");
    check_ports(2, 0, "0 0 0");
    check_ports(2, 1, "0 1 1");
    check_ports(2, 3, "5");
}

/* On both hops, a route can use either of two cables. The two choices depend on
 * different digits of the target's number, so all combinations of cables are
 * used.
 *
 *   0 == 1 == 2, host 0 on 0, hosts 1 to 4 on 2 */
static void test_digits(void)
{
    draw(3, 8);
    draw_host(0, 0);
    draw_host(2, 0);
    draw_host(2, 1);
    draw_host(2, 2);
    draw_host(2, 3);
    draw_cable(0, 6, 1, 0);
    draw_cable(0, 7, 1, 1);
    draw_cable(1, 4, 2, 6);
    draw_cable(1, 5, 2, 7);
    build_graph(&drawn);
    check_ports(0, 1, "7 4 0");
    check_ports(0, 2, "6 5 1");
    check_ports(0, 3, "7 5 2");
    check_ports(0, 4, "6 4 3");
}

static void test_graphs_refused(void)
{
    params.topology = GMS_TOPOLOGY_GRAPH;
    refuse_graph(NULL, "topology graph requires switches; allowed: a "
                       "description with the lists switches and cables");
    draw(2, 4);
    draw_host(0, 0);
    draw_host(1, 0);
    refuse_graph(
        &drawn,
        "no route leads from node 2 (switch 1) to node 1 (switch 0); allowed: "
        "cables that connect all switches that have hosts (key 'cables')");
    draw_cable(0, 0, 1, 1);
    refuse_graph(&drawn,
                 "cable 2: switch 0 port 0 already has a cable; allowed: one "
                 "cable per port (key 'cables')");
    drawn.cable_count = 2;
    draw_cable(0, 4, 1, 1);
    refuse_graph(&drawn,
                 "cable 2: there is no switch 0 port 4 (key 'switches')");
    drawn.cable_count = 2;
    draw_cable(0, 1, 2, 1);
    refuse_graph(&drawn,
                 "cable 2: there is no switch 2 port 1 (key 'switches')");
    drawn.cable_count = 2;
    draw_cable(0, 1, 0, 2);
    refuse_graph(&drawn, "cable 2 connects a switch to itself; allowed: a host "
                         "and a switch, or two switches (key 'cables')");
    drawn.cable_count = 2;
    draw_cable(0, 1, 1, 1);
    build_graph(&drawn);
    ++params.hosts;
    refuse_graph(&drawn, "node 3 has no cable; allowed: one cable for each "
                         "of 3 NICs (key 'cables', hosts x units_per_host)");
    params.hosts = 1;
    refuse_graph(&drawn, "cable 1: there is no node 2; allowed: 1..1 (hosts x "
                         "units_per_host)");
    params.hosts = 2;
    drawn_cables[3] = drawn_cables[1];
    drawn_cables[3].b.port = 3;
    drawn.cable_count = 4;
    refuse_graph(&drawn,
                 "cable 3: node 2 already has a cable; allowed: one cable per "
                 "node (key 'cables')");
    drawn_cables[3] =
        (gms_cable_t){{GMS_END_NODE, 1, 0}, {GMS_END_NODE, 0, 0}, 0};
    drawn_cables[1] = drawn_cables[2];
    drawn_cables[0] = drawn_cables[3];
    drawn.cable_count = 1;
    refuse_graph(&drawn, "cable 0 connects two hosts; allowed: a host and a "
                         "switch, or two switches (key 'cables')");
    drawn_ports[1] = 65;
    refuse_graph(&drawn,
                 "switch 1 has 65 ports; allowed: 1..64 (key 'switches')");
}

/* A line of 25 switches is too long for a route. */
static void test_long_ways(void)
{
    unsigned i;

    draw(25, 4);
    for (i = 0; i + 1 < 25; ++i) {
        draw_cable(i, 1, i + 1, 2);
    }
    draw_host(0, 0);
    draw_host(23, 0);
    build_graph(&drawn);
    CHECK_U64(follow(0, 1), 24);
    drawn.cable_count -= 2;
    params.hosts = 0;
    draw_host(0, 0);
    draw_host(24, 0);
    refuse_graph(
        &drawn,
        "the route from node 2 to node 1 passes through 25 "
        "switches; allowed: up to 24 switches (keys 'cables', 'routing')");

    /* This line of switches is longer than the largest distance that the search
     * can represent. */
    draw(300, 4);
    for (i = 0; i + 1 < 300; ++i) {
        draw_cable(i, 1, i + 1, 2);
    }
    draw_host(0, 0);
    draw_host(299, 0);
    refuse_graph(
        &drawn,
        "the route from node 2 to node 1 passes through at least "
        "255 switches; allowed: up to 24 switches (keys 'cables', 'routing')");
}

/* Checks that the routes between all pairs of nodes exist and are legal. With
 * the routing `shortest`, checks that the routes have the smallest possible
 * number of hops. */
static void check_searched(void)
{
    unsigned nodes = gms_topology_nodes(topology), source, target;

    CHECK_U64(topology->searched, 1);
    for (source = 0; source < nodes; ++source) {
        measure(gms_topology_to(topology, source)->index);
        for (target = 0; target < nodes; ++target) {
            unsigned least =
                distance[gms_topology_to(topology, target)->index] + 1;
            unsigned hops = follow(source, target);

            CU_ASSERT(hops >= least);
            if (topology->routing == GMS_ROUTING_SHORTEST) {
                CU_ASSERT_EQUAL(hops, least);
            } else {
                check_updown(source, target, is_search_up);
            }
        }
    }
    check_no_deadlock();
}

static void test_searched(void)
{
    unsigned routing;

    for (routing = GMS_ROUTING_UPDOWN; routing <= GMS_ROUTING_SHORTEST;
         routing += GMS_ROUTING_SHORTEST - GMS_ROUTING_UPDOWN) {
        params.routing = routing;
        params.rows = 0;
        params.columns = 0;
        params.switch_ports = 8;
        build(GMS_TOPOLOGY_CASCADE, 60);
        check_searched();
        params.rows = 1;
        params.columns = 3;
        build(GMS_TOPOLOGY_TORUS, 12);
        check_searched();
    }
    params.routing = GMS_ROUTING_UPDOWN;
    params.rows = 5;
    params.columns = 6;
    build(GMS_TOPOLOGY_TORUS, 60);
    check_searched();
    build(GMS_TOPOLOGY_MESH, 60);
    check_searched();
    params.routing = GMS_ROUTING_SHORTEST;
    params.switch_ports = 16;
    build(GMS_TOPOLOGY_CLOS, 200);
    check_searched();
    /* If shortest routes may turn in any direction, packets can wait for each
     * other in a cycle. If all routes follow the rows first, there is no such
     * cycle. */
    params.topology = GMS_TOPOLOGY_MESH;
    params.hosts = 60;
    topology = NULL;
    CU_ASSERT_EQUAL(gms_topology_create(arena, &params, NULL, &topology, error),
                    GMS_ERR_CONFIG);
    params.routing = GMS_ROUTING_AUTO;
    build(GMS_TOPOLOGY_MESH, 60);
    check_no_deadlock();
}

/* Tests random graphs of 40 switches and 120 cables. Each graph is generated
 * from its own seed. */
static void test_random_graphs(void)
{
    uint32_t seed, i;

    for (seed = 1; seed <= 10; ++seed) {
        uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15);
        uint32_t used[40] = {0};

        draw(40, 16);
        for (i = 0; i < 40; ++i) {
            draw_host(i, used[i]++);
            if (i > 0) {
                uint32_t other;

                do {
                    state = state * UINT64_C(6364136223846793005) + 1;
                    other = (unsigned)(state >> 33) % i;
                } while (used[other] > 12);
                draw_cable(i, used[i]++, other, used[other]++);
            }
        }
        for (i = 0; i < 80; ++i) {
            uint32_t a, b;

            state = state * UINT64_C(6364136223846793005) + 1;
            a = (unsigned)(state >> 33) % 40;
            b = (unsigned)(state >> 45) % 40;
            if (a != b && used[a] < 16 && used[b] < 16) {
                draw_cable(a, used[a]++, b, used[b]++);
            }
        }
        build_graph(&drawn);
        check_searched();
    }
}

int main(void)
{
    CU_TestInfo trees[] = {
        {"clos", test_clos_routes},
        {"fat tree", test_fat_tree_routes},
        {"targets are divided equally among spines", test_clos_spreads},
        {"targets are divided equally at every level",
         test_clos_spreads_over_levels},
        {"10,000 hosts", test_clos_of_10000},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo searched[] = {
        {"ring of 5", test_ring_of_5},
        {"parallel cables", test_parallel_cables},
        {"digits", test_digits},
        {"invalid graphs are refused", test_graphs_refused},
        {"routes that are too long", test_long_ways},
        {"routes of all pairs", test_searched},
        {"random graphs", test_random_graphs},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"trees", NULL, NULL, setup, teardown, trees},
                    {"searched", NULL, NULL, setup, teardown, searched});
}
