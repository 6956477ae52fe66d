/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the lists `switches:` and `cables:` of a cluster description, and
 * descriptions of impossible topologies.
 */
#include "cluster_files.h"
#include "fabric/lane_arbiter.h"

/* Two hosts on switch 0, and one on switch 1. */
#define HEAD "topology: graph\nhosts: 3\nswitches: [4, 8]\ncables:\n"

static void check_end(const gms_link_end_t *end, uint32_t kind, uint32_t index,
                      uint32_t port)
{
    CHECK_U64(end->kind, kind);
    CHECK_U64(end->index, index);
    CHECK_U64(end->port, port);
}

static void test_given_ports_come_first(void)
{
    gms_cluster_t cluster;
    const gms_cable_t *cables;

    accept_all(HEAD "  - host 1 to switch 0\n"
                    "  - host 2 to switch 0 port 0\n"
                    "  - switch 1\t port 2  to\tswitch 0\n"
                    "  - switch 1 to host 3\n",
               &cluster);
    cables = cluster.graph.cables;
    CHECK_U64(cluster.graph.switch_count, 2);
    CHECK_U64(cluster.graph.switch_ports[0], 4);
    CHECK_U64(cluster.graph.switch_ports[1], 8);
    CHECK_U64(cluster.graph.cable_count, 4);
    check_end(&cables[0].a, GMS_END_NODE, 0, 0);
    /* the next cable uses port 0 */
    check_end(&cables[0].b, GMS_END_SWITCH, 0, 1);
    check_end(&cables[1].a, GMS_END_NODE, 1, 0);
    check_end(&cables[1].b, GMS_END_SWITCH, 0, 0);
    check_end(&cables[2].a, GMS_END_SWITCH, 1, 2);
    check_end(&cables[2].b, GMS_END_SWITCH, 0, 2);
    check_end(&cables[3].a, GMS_END_SWITCH, 1, 0);
    check_end(&cables[3].b, GMS_END_NODE, 2, 0);
    gms_cluster_clear(&cluster);
    CU_ASSERT_PTR_NULL(cluster.graph.cables);
    CHECK_U64(cluster.graph.switch_count, 0);
}

static void test_units_have_cables_of_their_own(void)
{
    static const char text[] =
        "topology: graph\nhosts: 2\nparameters: {units_per_host: 2}\n"
        "switches: [8]\ncables:\n"
        "  - host 1 to switch 0\n  - host 2 unit 0 to switch 0\n"
        "  - host 2 unit 1 to switch 0\n";
    gms_cluster_t cluster;
    char more[sizeof(text) + 64];

    refuse(text, "6: key 'cables': host 1 unit 1 has no cable; required: one");
    (void)snprintf(more, sizeof(more), "%s  - host 1 unit 1 to switch 0\n",
                   text);
    accept_all(more, &cluster);
    check_end(&cluster.graph.cables[2].a, GMS_END_NODE, 3, 0);
    check_end(&cluster.graph.cables[3].a, GMS_END_NODE, 2, 0);
    gms_cluster_clear(&cluster);
    refuse("topology: graph\nhosts: 2\nparameters: {units_per_host: 2}\n"
           "switches: [8]\ncables: [host 1 unit 2 to switch 0]\n",
           "5: key 'cables': value 'host 1 unit 2 to switch 0': host 1 has no "
           "unit 2; allowed: 0..1");
}

static void test_lists_belong_to_a_graph(void)
{
    refuse("hosts: 2\ncables: []\n",
           "2: key 'cables' is not used by topology 'crossbar'; allowed "
           "with: topology: graph");
    refuse("topology: clos\nswitches: [16]\n",
           "2: key 'switches' is not used by topology 'clos'; allowed with: "
           "topology: graph");
    refuse("hosts: 2\ntopology: graph\nswitches: [16]\n",
           "2: key 'topology': value 'graph' requires the list 'cables'");
    refuse("hosts: 2\ntopology: graph\ncables: [a]\n",
           "2: key 'topology': value 'graph' requires the list 'switches'");
    refuse("topology: graph\nswitches: [16]\ncables: [a]\nswitches: [8]\n",
           "4: key 'switches' is given twice, first on line 2");
}

static void test_wrong_lists(void)
{
    refuse("topology: graph\nswitches: 16\ncables: [a]\n",
           "2: key 'switches': value '16' is not a list; allowed: a list like "
           "[16, 8]");
    refuse("topology: graph\nswitches: []\ncables: [a]\n",
           "2: key 'switches': value is a list without entries; allowed: a "
           "list like [16, 8]");
    refuse("topology: graph\nswitches: [16]\ncables: {a: b}\n",
           "3: key 'cables': value is a mapping, not a list; allowed: a list "
           "like '- host 1 to switch 0'");
    refuse("topology: graph\nswitches: [16, 1]\ncables: [a]\n",
           "2: key 'switches': value '1' is out of range; allowed: 2..64 "
           "ports");
    refuse("topology: graph\nswitches: [16,\n many]\ncables: [a]\n",
           "3: key 'switches': value 'many' is not a whole number; allowed: "
           "2..64 ports");
}

/* If the network consists of separate parts, the message names the key
 * `cables`. */
static void test_parts(void)
{
    refuse("hosts: 2\ntopology: graph\nswitches: [4, 4]\n"
           "cables: [host 1 to switch 0, host 2 to switch 1]\n",
           "4: key 'cables': no route leads from node 2 (switch 1) to node 1 "
           "(switch 0); allowed: cables that connect all switches that have "
           "hosts (key 'cables')");
}

/* Check the message about an invalid cable in line 5. */
static void refuse_cable(const char *cable)
{
    char text[256], expected[512];

    (void)snprintf(text, sizeof(text), HEAD "  - %s\n", cable);
    (void)snprintf(expected, sizeof(expected),
                   "5: key 'cables': value '%s' is not a cable; allowed: 'A to "
                   "B' or 'A to B at BYTES_S', where A and B are 'host N', "
                   "'host N unit U', 'switch S' or 'switch S port P'",
                   cable);
    refuse(text, expected);
}

static void test_what_is_no_cable(void)
{
    refuse_cable("host 1");
    refuse_cable("host 1 to");
    refuse_cable("host 1 to switch");
    refuse_cable("host 1 to switch 0 port");
    refuse_cable("host 1 to switch -1");
    refuse_cable("host 1 to switch 0x1");
    refuse_cable("host 1 to switch 1234567890");
    refuse_cable("host 1 to switch 0 unit 1");
    refuse_cable("host 1 switch 0");
    refuse_cable("hosts 1 to switch 0");
    refuse_cable("host 1 to switch 0 to switch 1");
    refuse_cable("host 1 to switch 0 at");
    refuse_cable("host 1 to switch 0 at -1");
    refuse_cable("host 1 to switch 0 at 12500000000 B");
    refuse_cable("host 1 to switch 0 at 12.5e9");
    refuse_cable("host 1 to switch 0 at 1");
    refuse(HEAD "  - [a]\n",
           "5: key 'cables': value is a list, not a cable; allowed: 'A to B' "
           "or 'A to B at BYTES_S', where A and B are 'host N', 'host N unit "
           "U', 'switch S' or 'switch S port P'");
    refuse(HEAD "  - host 1 to host 2\n",
           "5: key 'cables': value 'host 1 to host 2' connects two hosts; "
           "allowed: a host and a switch, or two switches");
    refuse(HEAD "  - switch 1 port 2 to switch 1 port 2\n",
           "5: key 'cables': value 'switch 1 port 2 to switch 1 port 2' "
           "connects a switch to itself; allowed: a host and a switch, or two "
           "switches");
}

static void test_what_does_not_exist(void)
{
    refuse(HEAD "  - host 0 to switch 0\n",
           "5: key 'cables': value 'host 0 to switch 0': there is no host 0; "
           "allowed: 1..3");
    refuse(HEAD "  - host 4 to switch 0\n",
           "5: key 'cables': value 'host 4 to switch 0': there is no host 4; "
           "allowed: 1..3");
    refuse(HEAD "  - host 1 to switch 2\n",
           "5: key 'cables': value 'host 1 to switch 2': there is no switch "
           "2; allowed: 0..1");
    refuse(HEAD "  - host 1 to switch 0 port 4\n",
           "5: key 'cables': value 'host 1 to switch 0 port 4': switch 0 has "
           "no port 4; allowed: 0..3");
    refuse(HEAD "  - host 1 unit 1 to switch 0\n",
           "5: key 'cables': value 'host 1 unit 1 to switch 0': host 1 has no "
           "unit 1; allowed: 0..0");
}

static void test_what_is_taken(void)
{
    refuse(HEAD "  - host 1 to switch 0 port 3\n"
                "  - host 2 to switch 0 port 3\n",
           "6: key 'cables': value 'host 2 to switch 0 port 3': switch 0 port "
           "3 already has a cable (line 5); allowed: one");
    refuse(HEAD "  - host 1 to switch 0\n  - host 2 to switch 0\n"
                "  - host 1 to switch 1\n",
           "7: key 'cables': value 'host 1 to switch 1': host 1 already has a "
           "cable (line 5); allowed: one");
    refuse(HEAD "  - host 1 to switch 0\n  - host 2 to switch 0\n",
           "5: key 'cables': host 3 has no cable; required: one");
    refuse(HEAD "  - switch 0 to switch 1\n  - switch 1 to switch 0\n"
                "  - host 1 to switch 0\n  - host 2 to switch 0\n"
                "  - host 3 to switch 0\n",
           "9: key 'cables': value 'host 3 to switch 0': all ports of switch 0 "
           "are in use; allowed: 4 cables");
}

static void test_links_by_name(void)
{
    static const char cables[] = HEAD "  - host 1 to switch 0\n"
                                      "  - host 2 to switch 0\n"
                                      "  - host 3 to switch 1\n"
                                      "  - switch 0 port 3 to switch 1 port "
                                      "7\n"
                                      "faults:\n  events:\n";
    char text[512], error[GMS_TOPOLOGY_ERROR_LEN], name[64];
    gms_topology_t *topology;
    gms_cluster_t cluster;
    gms_arena_t *arena;
    unsigned i;
    static const char *const names[] = {"node 3 to switch 1",
                                        "switch 0 port 3 to switch 1",
                                        "switch 1 port 0 to node 3"};

    for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        (void)snprintf(text, sizeof(text), "%s    - {at_us: 1, link: %s}\n",
                       cables, names[i]);
        accept_all(text, &cluster);
        CHECK_U64(cluster.faults.events[0].kind, GMS_FAULT_LINK);
        CU_ASSERT_EQUAL_FATAL(
            gms_cluster_build(&cluster, &arena, &topology, error), GMS_OK);
        gms_topology_link_name(topology, cluster.faults.events[0].number, name,
                               sizeof(name));
        CU_ASSERT_STRING_EQUAL(name, names[i]);
        gms_arena_destroy_private(arena);
        gms_cluster_clear(&cluster);
    }
}

#define TABLES                                                                 \
    "fabric: {model: cut-through}\ntopology: graph\nhosts: 2\nswitches: [4, "  \
    "4]\ncables:\n"                                                            \
    "  - host 1 to switch 0 port 0\n"                                          \
    "  - switch 1 port 0 to host 2 at 6250000000\n"                            \
    "  - switch 0 port 1 to switch 1 port 1\n"

static void test_tables(void)
{
    gms_cluster_t cluster;

    accept_all(TABLES "routing: tables\ntables:\n  - [0, 1]\n"
                      "  - [1,\n     0]\n",
               &cluster);
    CHECK_U64(cluster.graph.table_nodes, 2);
    CHECK_U64(cluster.graph.table[0], 0);
    CHECK_U64(cluster.graph.table[1], 1);
    CHECK_U64(cluster.graph.table[2], 1);
    CHECK_U64(cluster.graph.table[3], 0);
    CHECK_U64(cluster.graph.cables[0].bytes_s, 0);
    CHECK_U64(cluster.graph.cables[1].bytes_s, 6250000000);
    gms_cluster_clear(&cluster);
    CU_ASSERT_PTR_NULL(cluster.graph.table);
    refuse(TABLES "routing: tables\ntables:\n  - [0, 1]\n  - [1,\n     1]\n",
           "13: key 'tables': switch 1 sends packets for node 2 back to switch "
           "0, so the route contains a loop");
    refuse(TABLES "routing: tables\ntables:\n  - [0, none]\n  - [1, 0]\n",
           "11: key 'tables': switch 0 has no port for node 2, but packets for "
           "this node reach the switch");
    refuse(TABLES "routing: tables\ntables:\n  - [0, 1]\n  - [1]\n",
           "12: key 'tables': a list of length 1; allowed: a list of 2 ports");
    refuse(TABLES "routing: tables\ntables:\n  - [0, 1]\n",
           "11: key 'tables': a list of length 1; allowed: a list of 2 lists, "
           "one for each switch");
    refuse(TABLES "routing: tables\ntables: 5\n",
           "10: key 'tables': not a list; allowed: a list of 2 lists, one for "
           "each switch");
    refuse(TABLES "routing: tables\ntables:\n  - [0, 4]\n  - [1, 0]\n",
           "11: key 'tables': value '4' is out of range; allowed: 0..3 (or "
           "none)");
    refuse(TABLES "routing: tables\n",
           "9: key 'routing': value 'tables' requires the list 'tables'");
    refuse(TABLES "tables: [[0, 1], [1, 0]]\n",
           "9: key 'tables' requires 'routing: tables'");
    refuse(HEAD "  - host 1 to switch 0 at 160000000\n",
           "5: key 'cables': value 'host 1 to switch 0 at 160000000' has a "
           "rate; allowed with the fabric models cut-through and ethernet");
    refuse("hosts: 2\ntables: []\n",
           "2: key 'tables' is not used by topology 'crossbar'; allowed with: "
           "topology: graph");
}

#define LANES                                                                  \
    "fabric: {model: cut-through}\nhosts: 4\ntopology: cascade\n"              \
    "switch_ports: 4\nhosts_per_switch: 2\nlanes:\n"

/* Entries refer to the links that leave the ports. */
static void test_lanes(void)
{
    gms_cluster_t cluster;

    accept_all(LANES "  host 2: {best_effort: 1, control: 0}\n"
                     "  switch 0 port 3: {real_time: 2}\n",
               &cluster);
    CHECK_U64(cluster.graph.lane_count, 3);
    CHECK_U64(cluster.graph.lanes[0].link, 1);
    CHECK_U64(cluster.graph.lanes[0].traffic_class, GMS_LANE_BEST_EFFORT);
    CHECK_U64(cluster.graph.lanes[0].lane, 1);
    CHECK_U64(cluster.graph.lanes[1].traffic_class, GMS_LANE_CONTROL);
    CHECK_U64(cluster.graph.lanes[2].lane, 2);
    gms_cluster_clear(&cluster);
    CU_ASSERT_PTR_NULL(cluster.graph.lanes);
    refuse(
        LANES "  host 5: {best_effort: 1}\n",
        "7: key 'lanes': 'host 5' is not a port with a cable; allowed: 'host "
        "N', 'host N unit U' or 'switch S port P'");
    refuse(LANES "  switch 9 port 0: {best_effort: 1}\n",
           "7: key 'lanes': 'switch 9 port 0' is not a port with a cable; "
           "allowed: 'host N', 'host N unit U' or 'switch S port P'");
    refuse(LANES "  host 1: {best_effort: 3}\n",
           "7: key 'lanes': lane 3 has no weight; allowed: lanes of "
           "vl_real_time, vl_control and vl_best_effort");
    refuse(LANES "  host 1: {best: 1}\n",
           "7: key 'lanes': there is no class 'best'; allowed: control, "
           "real_time, best_effort");
    refuse(LANES "  host 1: 1\n",
           "7: key 'lanes': 'host 1' requires a mapping; allowed: a mapping "
           "such as {best_effort: 1}");
    refuse(LANES "  host 1: {control: 1}\n  host 1 unit 0: {control: 1}\n",
           "8: key 'lanes': the port has two lanes for class 'control'; "
           "allowed: one");
    refuse("hosts: 2\nlanes: {host 1: {control: 1}}\n",
           "2: key 'lanes' is not used by fabric_model 'worm'; allowed with: "
           "cut-through, ethernet");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"given ports are assigned before free ports",
         test_given_ports_come_first},
        {"a network of unconnected parts", test_parts},
        {"each unit of a host needs its own cable",
         test_units_have_cables_of_their_own},
        {"the lists are only allowed for topology graph",
         test_lists_belong_to_a_graph},
        {"invalid lists", test_wrong_lists},
        {"invalid cables", test_what_is_no_cable},
        {"missing hosts, switches and ports", test_what_does_not_exist},
        {"ports that are in use", test_what_is_taken},
        {"links by name", test_links_by_name},
        {"forwarding tables", test_tables},
        {"lanes of ports", test_lanes},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"cluster graph", suite_init, suite_cleanup, NULL, NULL, tests});
}
