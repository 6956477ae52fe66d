/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the wiring of every kind of topology, and checks that impossible
 * topologies are refused. */
#include "arena_rig.h"
#include "topology_rig.h"

/* Returns the number of cables between two switches. */
static unsigned cables(unsigned a, unsigned b)
{
    unsigned count = 0, port;

    for (port = 0; port < gms_topology_ports(topology, a); ++port) {
        uint32_t link = gms_topology_out(topology, a, port);

        count += link != GMS_LINK_NONE &&
                 gms_topology_to(topology, link)->kind == GMS_END_SWITCH &&
                 gms_topology_to(topology, link)->index == b;
    }
    return count;
}

static unsigned hosts_on(unsigned switch_index)
{
    unsigned count = 0, node;

    for (node = 0; node < gms_topology_nodes(topology); ++node) {
        count += gms_topology_to(topology, node)->index == switch_index;
    }
    return count;
}

static unsigned on_level(unsigned level)
{
    unsigned count = 0, index;

    for (index = 0; index < gms_topology_switches(topology); ++index) {
        count += gms_topology_level(topology, index) == level;
    }
    return count;
}

static unsigned used_ports(unsigned switch_index)
{
    unsigned count = 0, port;

    for (port = 0; port < gms_topology_ports(topology, switch_index); ++port) {
        count +=
            gms_topology_out(topology, switch_index, port) != GMS_LINK_NONE;
    }
    return count;
}

/* Checks that both ends of every link refer to this link, and that the other
 * link of the same cable leads in the opposite direction. */
static void check_wiring(void)
{
    uint32_t link;

    for (link = 0; link < gms_topology_link_count(topology); ++link) {
        const gms_link_end_t *from = gms_topology_from(topology, link);
        const gms_link_end_t *to = gms_topology_to(topology, link);
        uint32_t back, found = GMS_LINK_NONE;
        char name[96];

        if (from->kind == GMS_END_NODE) {
            CHECK_U64(gms_topology_node_link(topology, from->index, 0), link);
        } else {
            CHECK_U64(gms_topology_out(topology, from->index, from->port),
                      link);
        }
        back = to->kind == GMS_END_NODE
                   ? gms_topology_node_link(topology, to->index, 0)
                   : gms_topology_out(topology, to->index, to->port);
        CU_ASSERT_NOT_EQUAL_FATAL(back, GMS_LINK_NONE);
        CU_ASSERT_EQUAL(
            memcmp(gms_topology_to(topology, back), from, sizeof(*from)), 0);
        if (to->kind == GMS_END_NODE) {
            CHECK_U64(gms_topology_node_link(topology, to->index, 1), link);
        }
        gms_topology_link_name(topology, link, name, sizeof(name));
        CU_ASSERT_EQUAL(gms_topology_find_link(topology, name, &found), GMS_OK);
        CHECK_U64(found, link);
    }
}

static void test_crossbar(void)
{
    char name[96];

    build(GMS_TOPOLOGY_CROSSBAR, 4);
    CHECK_U64(gms_topology_nodes(topology), 4);
    CHECK_U64(gms_topology_switches(topology), 1);
    CHECK_U64(gms_topology_ports(topology, 0), 16);
    CHECK_U64(gms_topology_link_count(topology), 8);
    CHECK_U64(gms_topology_node_link(topology, 3, 0), 3);
    CHECK_U64(gms_topology_node_link(topology, 3, 1), 7);
    CHECK_U64(gms_topology_out(topology, 0, 4), GMS_LINK_NONE);
    gms_topology_link_name(topology, 0, name, sizeof(name));
    CU_ASSERT_STRING_EQUAL(name, "node 1 to switch 0");
    gms_topology_link_name(topology, 6, name, sizeof(name));
    CU_ASSERT_STRING_EQUAL(name, "switch 0 port 2 to node 3");
    check_ports(0, 2, "2");
    check_ports(1, 1, "1");
    check_wiring();
    params.units_per_host = 4;
    build(GMS_TOPOLOGY_CROSSBAR, 4);
    CHECK_U64(gms_topology_nodes(topology), 16);
    refuse(GMS_TOPOLOGY_CROSSBAR, 5,
           "20 NICs (hosts x units_per_host) do not fit on one crossbar of 16 "
           "ports; allowed: up to 16 NICs (switch_ports), or topology cascade, "
           "clos, fat-tree, mesh, torus or graph");
    params.routing = GMS_ROUTING_DIMENSION_ORDER;
    refuse(GMS_TOPOLOGY_CROSSBAR, 4,
           "routing dimension-order requires rows and columns; allowed here: "
           "updown, shortest (routing), or topology mesh or torus");
    params.routing = GMS_ROUTING_SHORTEST;
    build(GMS_TOPOLOGY_CROSSBAR, 4);
    check_ports(5, 2, "2");
}

static void test_cascade(void)
{
    params.switch_ports = 4;
    build(GMS_TOPOLOGY_CASCADE, 4);
    CHECK_U64(gms_topology_switches(topology), 1);
    build(GMS_TOPOLOGY_CASCADE, 6);
    CHECK_U64(gms_topology_switches(topology), 2);
    check_ports(0, 5, "3 2");
    check_ports(5, 0, "3 0");
    build(GMS_TOPOLOGY_CASCADE, 7); /* 3 + 2 + 2 */
    CHECK_U64(gms_topology_switches(topology), 3);
    CHECK_U64(hosts_on(0), 3);
    CHECK_U64(hosts_on(1), 2);
    CHECK_U64(hosts_on(2), 2);
    check_ports(0, 6, "3 3 1");
    check_ports(6, 0, "3 2 0");
    check_ports(6, 4, "3 1");
    check_wiring();
    build(GMS_TOPOLOGY_CASCADE, 8);
    CHECK_U64(gms_topology_switches(topology), 3);
    build(GMS_TOPOLOGY_CASCADE, 50);
    CHECK_U64(gms_topology_switches(topology), 24);
    refuse(GMS_TOPOLOGY_CASCADE, 51,
           "a cascade for 51 NICs needs 25 switches, and its longest "
           "routes pass through all of them; allowed: up to 24 switches "
           "(hosts, hosts_per_switch, switch_ports)");
    params.hosts_per_switch = 1;
    build(GMS_TOPOLOGY_CASCADE, 3);
    CHECK_U64(gms_topology_switches(topology), 3);
    check_wiring();
    params.hosts_per_switch = 3;
    build(GMS_TOPOLOGY_CASCADE, 6);
    refuse(GMS_TOPOLOGY_CASCADE, 7,
           "3 hosts on each switch and 2 cables to its neighbours need more "
           "than 4 ports; allowed: 1..2 (hosts_per_switch)");
    params.hosts_per_switch = 0;
    params.switch_ports = 2;
    refuse(GMS_TOPOLOGY_CASCADE, 3,
           "a cascade of switches with 2 ports has room for only 2 NICs; "
           "allowed: 3..64 (switch_ports)");
}

/* [source: Myricom, Guide to Myrinet-2000 switches, 2001] */
static void test_clos_64(void)
{
    unsigned leaf, spine;

    build(GMS_TOPOLOGY_CLOS, 64);
    CHECK_U64(gms_topology_switches(topology), 12);
    CHECK_U64(on_level(0), 8);
    CHECK_U64(on_level(1), 4);
    CHECK_U64(gms_topology_link_count(topology), 2 * (64 + 64));
    for (leaf = 0; leaf < 8; ++leaf) {
        CHECK_U64(hosts_on(leaf), 8);
        for (spine = 8; spine < 12; ++spine) {
            CHECK_U64(cables(leaf, spine), 2);
            CHECK_U64(used_ports(spine), 16);
        }
    }
    check_wiring();
    /* host 19 is host 3 of leaf 2, so the route leads up on cable 3, to a
     * switch in the second half of the spine */
    check_ports(0, 19, "11 10 3");
    check_ports(16, 19, "3");
    check_ports(63, 0, "8 0 0");
}

static void test_clos_128(void)
{
    unsigned leaf, spine;

    build(GMS_TOPOLOGY_CLOS, 128);
    CHECK_U64(gms_topology_switches(topology), 24);
    CHECK_U64(on_level(1), 8);
    for (leaf = 0; leaf < 16; ++leaf) {
        CHECK_U64(hosts_on(leaf), 8);
        for (spine = 16; spine < 24; ++spine) {
            CHECK_U64(cables(leaf, spine), 1);
        }
    }
    check_ports(0, 19, "11 2 3");
    check_ports(0, 127, "15 15 7");
}

/* Each of the four units has 8 leaf switches and 8 switches above them. There
 * are 64 spines with 4 ports each. Four spines share a 16-port switch. */
static void test_clos_256(void)
{
    unsigned unit, leaf, middle, spine;

    build(GMS_TOPOLOGY_CLOS, 256);
    CHECK_U64(gms_topology_switches(topology), 4 * 16 + 16);
    CHECK_U64(on_level(0), 32);
    CHECK_U64(on_level(1), 32);
    CHECK_U64(on_level(2), 16);
    for (unit = 0; unit < 4; ++unit) {
        for (middle = 32 + 8 * unit; middle < 40 + 8 * unit; ++middle) {
            for (leaf = 0; leaf < 32; ++leaf) {
                CHECK_U64(cables(leaf, middle), leaf / 8 == unit);
            }
            CHECK_U64(used_ports(middle), 16);
        }
    }
    for (spine = 64; spine < 80; ++spine) {
        for (unit = 0; unit < 4; ++unit) {
            unsigned here = 0;

            for (middle = 32 + 8 * unit; middle < 40 + 8 * unit; ++middle) {
                here += cables(middle, spine);
            }
            CHECK_U64(here, 4);
        }
    }
    check_wiring();
    /* for target 211 = 3 * 64 + 2 * 8 + 3, the route leads up on cables 3 and 2
     * to spine 3 + 8 * 2 = 19, in slot 3 of switch 4 */
    check_ports(0, 211, "11 10 15 2 3");
    check_ports(192, 211, "11 2 3");
}

static void test_clos_sizes(void)
{
    build(GMS_TOPOLOGY_CLOS, 16);
    CHECK_U64(gms_topology_switches(topology), 1);
    check_ports(3, 15, "15");
    build(GMS_TOPOLOGY_CLOS, 32); /* 8 spines of 4 ports each on two switches */
    CHECK_U64(gms_topology_switches(topology), 4 + 2);
    build(GMS_TOPOLOGY_CLOS, 17);
    CHECK_U64(gms_topology_switches(topology), 3 + 2);
    CHECK_U64(hosts_on(2), 1);
    check_wiring();
    build(GMS_TOPOLOGY_CLOS, 512);
    CHECK_U64(gms_topology_switches(topology), 8 * 16 + 32);
    build(GMS_TOPOLOGY_CLOS, 1024);
    CHECK_U64(gms_topology_switches(topology), 16 * 16 + 64);
    params.units_per_host = 2;
    build(GMS_TOPOLOGY_CLOS, 32);
    CHECK_U64(gms_topology_switches(topology), 12);
    params.switch_ports = 4;
    params.units_per_host = 1;
    build(GMS_TOPOLOGY_CLOS, 8); /* 4 leaves and 2 spines */
    CHECK_U64(gms_topology_switches(topology), 6);
    build(GMS_TOPOLOGY_CLOS, 8192);
    refuse(
        GMS_TOPOLOGY_CLOS, 8193,
        "a tree for 8193 NICs with 2 downward cables per switch has routes "
        "longer than 24 switches; increase switch_ports or hosts_per_switch");
    params.switch_ports = 5;
    refuse(GMS_TOPOLOGY_CLOS, 8,
           "a Clos network uses half of each switch's ports, at least 2, for "
           "the level below; 5 ports cannot be halved; allowed: 4, 6, .. 64 "
           "(switch_ports)");
    params.switch_ports = 16;
    params.hosts_per_switch = 4;
    refuse(GMS_TOPOLOGY_CLOS, 8,
           "a Clos network of switches with 16 ports has 8 hosts and as many "
           "upward cables on each leaf; allowed: 0 or 8 (hosts_per_switch, "
           "tree_up), or topology fat-tree");
}

/* A leaf has 12 hosts and 4 cables to the spines, so it is oversubscribed by a
 * factor of 3. */
static void test_fat_tree(void)
{
    unsigned leaf, spine;

    params.hosts_per_switch = 12;
    params.tree_up = 4;
    build(GMS_TOPOLOGY_FAT_TREE, 48);
    /* 4 spines share one switch */
    CHECK_U64(gms_topology_switches(topology), 4 + 1);
    for (leaf = 0; leaf < 4; ++leaf) {
        CHECK_U64(hosts_on(leaf), 12);
        CHECK_U64(cables(leaf, 4), 4);
    }
    check_wiring();
    /* for target 29 = 2 * 12 + 5, the route leads up on cable 29 % 4 = 1 to
     * slot 1 of the spine switch */
    check_ports(0, 29, "13 6 5");
    build(GMS_TOPOLOGY_FAT_TREE, 16 * 12);
    CHECK_U64(gms_topology_switches(topology), 16 + 4);
    for (leaf = 0; leaf < 16; ++leaf) {
        for (spine = 16; spine < 20; ++spine) {
            CHECK_U64(cables(leaf, spine), 1);
        }
    }
    /* 193 hosts require two units with 4 upper switches each, and 16 spines
     * with 2 ports each; a unit can have 144 hosts */
    build(GMS_TOPOLOGY_FAT_TREE, 16 * 12 + 1);
    CHECK_U64(on_level(0), 17);
    CHECK_U64(on_level(1), 8);
    CHECK_U64(on_level(2), 2);
    check_wiring();
    params.hosts_per_switch = 0;
    params.tree_up = 0;
    build(GMS_TOPOLOGY_FAT_TREE, 64);
    CHECK_U64(gms_topology_switches(topology), 12);
    params.hosts_per_switch = 13;
    params.tree_up = 4;
    refuse(GMS_TOPOLOGY_FAT_TREE, 48,
           "13 cables downward and 4 upward do not fit on a switch of 16 "
           "ports; allowed: up to 16 in total (hosts_per_switch, tree_up)");
    build(GMS_TOPOLOGY_FAT_TREE, 13);
    params.hosts_per_switch = 17;
    refuse(GMS_TOPOLOGY_FAT_TREE, 48,
           "17 hosts do not fit on a switch of 16 ports; allowed: 1..16 "
           "(hosts_per_switch)");
    params.hosts_per_switch = 1;
    refuse(
        GMS_TOPOLOGY_FAT_TREE, 48,
        "a tree for 48 NICs with 1 downward cable per switch has routes longer "
        "than 24 switches; increase switch_ports or hosts_per_switch");
    params.switch_ports = 64;
    params.hosts_per_switch = 3;
    params.tree_up = 61;
    refuse(GMS_TOPOLOGY_FAT_TREE, 16384,
           "a tree for 16384 NICs with 61 upward cables per switch needs more "
           "than a million switches; reduce tree_up");
}

/* The switches are numbered as follows:
 *
 *    0 1 2
 *    3 4 5
 *
 * Hosts 0 and 1 are on switch 0, and so on. Ports 2, 3, 4 and 5 lead right,
 * left, down and up. */
static void test_mesh(void)
{
    params.rows = 2;
    params.columns = 3;
    build(GMS_TOPOLOGY_MESH, 12);
    CHECK_U64(gms_topology_switches(topology), 6);
    CHECK_U64(hosts_on(5), 2);
    CHECK_U64(cables(0, 1), 1);
    CHECK_U64(cables(1, 4), 1);
    CHECK_U64(cables(0, 2), 0);
    check_wiring();
    check_ports(0, 11, "2 2 4 1");
    check_ports(11, 0, "3 3 5 0");
    check_ports(6, 2, "2 5 0");
    check_ports(2, 3, "1");
    params.columns = 0;
    params.rows = 0;
    build(GMS_TOPOLOGY_MESH, 16); /* one host per switch, 4 x 4 */
    CHECK_U64(gms_topology_switches(topology), 16);
    check_ports(0, 15, "1 1 1 3 3 3 0");
    /* 5 columns, 4 rows, 3 switches without hosts */
    build(GMS_TOPOLOGY_MESH, 17);
    CHECK_U64(gms_topology_switches(topology), 20);
    CHECK_U64(hosts_on(19), 0);
    params.rows = 1;
    build(GMS_TOPOLOGY_MESH, 3);
    check_ports(0, 2, "1 1 0");
    params.columns = 2;
    refuse(GMS_TOPOLOGY_MESH, 29,
           "29 NICs (hosts x units_per_host) do not fit on 1 x 2 switches "
           "with 16 ports, 2 of which lead to neighbours; allowed: up to 28 "
           "NICs (rows, columns, switch_ports)");
    params.columns = 0;
    params.switch_ports = 2;
    refuse(GMS_TOPOLOGY_MESH, 3,
           "2 cables from each switch to its neighbours leave none of the 2 "
           "ports for hosts; allowed: 3..64 (switch_ports)");
    params.switch_ports = 16;
    params.hosts_per_switch = 15;
    refuse(GMS_TOPOLOGY_MESH, 32,
           "15 hosts on each switch and 2 cables to its neighbours need more "
           "than 16 ports; allowed: 1..14 (hosts_per_switch)");
    params.hosts_per_switch = 2;
    params.columns = 2;
    refuse(
        GMS_TOPOLOGY_MESH, 5,
        "5 NICs (hosts x units_per_host) do not fit on 1 x 2 switches with 2 "
        "NICs each; allowed: up to 4 NICs (rows, columns, hosts_per_switch)");
    params.rows = 13;
    params.columns = 12;
    build(GMS_TOPOLOGY_MESH, 312);
    params.columns = 13;
    refuse(
        GMS_TOPOLOGY_MESH, 312,
        "routes across 13 x 13 switches pass through 25 of them; allowed: up "
        "to 24 switches (rows, columns; a larger hosts_per_switch needs fewer "
        "switches)");
}

static void test_torus(void)
{
    params.rows = 3;
    params.columns = 3;
    params.routing = GMS_ROUTING_DIMENSION_ORDER;
    build(GMS_TOPOLOGY_TORUS, 9);
    CHECK_U64(cables(0, 2), 1);
    CHECK_U64(cables(6, 0), 1);
    check_wiring();
    check_ports(0, 8, "2 4 0"); /* the route leads left and up, around both
                                 * ends */
    check_ports(8, 0, "1 3 0");
    params.rows = 2;
    build(GMS_TOPOLOGY_TORUS, 6);
    CHECK_U64(cables(0, 3), 1); /* two switches do not form a ring, so they have
                                 * only one cable */
    check_ports(0, 5, "2 3 0");
    params.rows = 3;
    params.columns = 2;
    build(GMS_TOPOLOGY_TORUS, 6);
    CHECK_U64(cables(0, 1), 1);
    params.rows = 1;
    params.columns = 4;
    refuse(GMS_TOPOLOGY_TORUS, 4,
           "these routes can deadlock, because 4 links wait for each other in "
           "a cycle (key 'routing'; allowed: updown): switch 0 port 1 to "
           "switch 1, switch 1 port 1 to switch 2, switch 2 port 1 to switch "
           "3, switch 3 port 1 to switch 0");
    params.routing = GMS_ROUTING_AUTO;
    build(GMS_TOPOLOGY_TORUS, 4);
    params.rows = 24;
    params.columns = 24;
    refuse(
        GMS_TOPOLOGY_TORUS, 576,
        "routes across 24 x 24 switches pass through 25 of them; allowed: up "
        "to 24 switches (rows, columns; a larger hosts_per_switch needs fewer "
        "switches)");
}

static void test_find_link(void)
{
    static const char *const wrong[] = {
        "",
        "node 0 to switch 0",
        "node 5 to switch 0",
        "node 1 to switch 1",
        "node 1 to switch 0 ",
        "node 1  to switch 0",
        "node -1 to switch 0",
        "switch 0 port 2 to node 4",
        "switch 0 port 4 to node 5",
        "switch 0 port 16 to node 5",
        "switch 1 port 0 to node 1",
        "link 3",
    };
    uint32_t link = 77;
    size_t i;

    build(GMS_TOPOLOGY_CROSSBAR, 4);
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        CU_ASSERT_EQUAL(gms_topology_find_link(topology, wrong[i], &link),
                        GMS_ERR_NOT_FOUND);
        CHECK_U64(link, 77);
    }
    CU_ASSERT_EQUAL(
        gms_topology_find_link(topology, "switch 0 port 2 to node 3", &link),
        GMS_OK);
    CHECK_U64(link, 6);
}

/* Builds the topology in an arena with `left` free bytes. If an allocation
 * fails, the function under test must release all memory. @return 1 if the
 * memory was sufficient */
static int build_with(size_t left)
{
    gms_arena_t *small = arena_with(2, left, 64);
    uint64_t before = arena_used(small);
    gms_topology_t *none = NULL;
    gms_status_t status =
        gms_topology_create(small, &params, NULL, &none, error);

    if (status != GMS_OK) {
        CU_ASSERT_STRING_EQUAL(
            error, "the topology of 64 NICs needs more memory than the arena "
                   "has left; set a larger arena_bytes");
        CHECK_U64(arena_used(small), before);
    }
    gms_arena_destroy_private(small);
    return status == GMS_OK;
}

static void test_no_memory(void)
{
    static const unsigned kinds[] = {GMS_TOPOLOGY_CLOS, GMS_TOPOLOGY_TORUS};
    static const unsigned routings[] = {GMS_ROUTING_UPDOWN,
                                        GMS_ROUTING_SHORTEST};
    unsigned i;

    for (i = 0; i < 3; ++i) {
        unsigned failures = 0;

        params.topology = kinds[i / 2];
        params.routing = routings[i % 2];
        params.rows = 3;
        params.columns = 3;
        params.hosts_per_switch = i / 2 == 0 ? 0 : 8;
        params.hosts = 64;
        while (!build_with(failures * 2048)) {
            ++failures;
        }
        CU_ASSERT(failures > 8);
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"crossbar", test_crossbar},
        {"cascade", test_cascade},
        {"clos of 64 hosts", test_clos_64},
        {"clos of 128 hosts", test_clos_128},
        {"clos of 256 hosts", test_clos_256},
        {"clos of less regular sizes", test_clos_sizes},
        {"fat tree", test_fat_tree},
        {"mesh", test_mesh},
        {"torus", test_torus},
        {"finding a link by its name", test_find_link},
        {"out of memory", test_no_memory},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"topology", NULL, NULL, setup, teardown, tests});
}
