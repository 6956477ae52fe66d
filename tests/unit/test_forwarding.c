/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests forwarding tables: routes follow the tables exactly, and tables are
 * refused unless they lead from every node to every other node.
 */
#include "topology_rig.h"

#include "fabric/forwarding.h"

/* A triangle of switches with one node each: port 0 leads to the node, port 1
 * to the next switch, and port 2 to the previous switch. */
enum {
    NODES = 3
};
static uint32_t ports[NODES] = {4, 4, 4};
static uint8_t table[NODES * NODES];
static gms_cable_t cables[] = {
    {{GMS_END_NODE, 0, 0}, {GMS_END_SWITCH, 0, 0}, 0},
    {{GMS_END_SWITCH, 1, 0}, {GMS_END_NODE, 1, 0}, 0},
    {{GMS_END_NODE, 2, 0}, {GMS_END_SWITCH, 2, 0}, 6250000000},
    {{GMS_END_SWITCH, 0, 1}, {GMS_END_SWITCH, 1, 2}, 50000000000},
    {{GMS_END_SWITCH, 1, 1}, {GMS_END_SWITCH, 2, 2}, 0},
    {{GMS_END_SWITCH, 2, 1}, {GMS_END_SWITCH, 0, 2}, 0},
};
static gms_graph_t graph = {.switch_count = NODES,
                            .cable_count = 6,
                            .switch_ports = ports,
                            .cables = cables,
                            .table = table,
                            .table_nodes = NODES};

static void triangle(void)
{
    /* Switch 0 sends packets for node 2 through switch 1. */
    static const uint8_t legal[] = {0, 1, 1, 2, 0, 1, 1, 2, 0};

    setup();
    memcpy(table, legal, sizeof(table));
    params.topology = GMS_TOPOLOGY_GRAPH;
    params.routing = GMS_ROUTING_TABLES;
    params.hosts = NODES;
}

static void test_tables_are_followed(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];

    build_graph(&graph);
    check_ports(0, 2, "1 1 0");
    check_ports(2, 0, "1 0");
    check_ports(0, 1, "1 0");
    check_ports(1, 0, "2 0");
    check_ports(0, 0, "0");
    CHECK_U64(gms_topology_links(topology, 0, 2, links), 4);
    CHECK_U64(links[2], gms_topology_out(topology, 1, 1));
    params.routing = GMS_ROUTING_SHORTEST;
    build_graph(&graph);
    check_ports(0, 2, "2 0");
}

static void test_rates_of_cables(void)
{
    params.switch_link_bytes_s = 25000000000;
    build_graph(&graph);
    CHECK_U64(gms_topology_link_bytes_s(topology, &params, 0),
              params.link_bytes_s);
    CHECK_U64(gms_topology_link_bytes_s(topology, &params, 2), 6250000000);
    CHECK_U64(gms_topology_link_bytes_s(topology, &params,
                                        gms_topology_node_link(topology, 2, 1)),
              6250000000);
    CHECK_U64(gms_topology_link_bytes_s(topology, &params,
                                        gms_topology_out(topology, 0, 1)),
              50000000000);
    CHECK_U64(gms_topology_link_bytes_s(topology, &params,
                                        gms_topology_out(topology, 1, 2)),
              50000000000);
    CHECK_U64(gms_topology_link_bytes_s(topology, &params,
                                        gms_topology_out(topology, 2, 1)),
              25000000000);
}

/* Change one entry, and check that the message names this entry. */
static void refuse_entry(unsigned switch_index, unsigned node, unsigned port,
                         const char *text)
{
    uint8_t before = table[switch_index * NODES + node];
    gms_forward_fault_t fault = {0};
    char full[GMS_TOPOLOGY_ERROR_LEN];

    table[switch_index * NODES + node] = (uint8_t)port;
    snprintf(full, sizeof(full), "%s (key 'tables')", text);
    refuse_graph(&graph, full);
    CHECK_U64(gms_forward_check(&graph, &fault), GMS_ERR_CONFIG);
    CHECK_U64(fault.switch_index, switch_index);
    CHECK_U64(fault.node, node);
    table[switch_index * NODES + node] = before;
}

static void test_invalid_entries(void)
{
    refuse_entry(1, 2, GMS_FORWARD_NONE,
                 "switch 1 has no port for node 3, but packets for this node "
                 "reach the switch");
    refuse_entry(1, 2, 3,
                 "switch 1 sends packets for node 3 to port 3, which has no "
                 "cable");
    refuse_entry(1, 2, 4,
                 "switch 1 sends packets for node 3 to port 4, which has no "
                 "cable");
    refuse_entry(1, 2, 0,
                 "switch 1 sends packets for node 3 to port 0, which leads to "
                 "node 2");
    refuse_entry(1, 2, 2,
                 "switch 1 sends packets for node 3 back to switch 0, so the "
                 "route contains a loop");
}

/* An entry that no route uses may be missing. */
static void test_unused_entries(void)
{
    static uint32_t four_ports[] = {4, 4, 4, 4};
    static uint8_t four[4 * NODES];
    gms_graph_t more = graph;

    memcpy(four, table, sizeof(table));
    memset(four + sizeof(table), GMS_FORWARD_NONE, NODES);
    more.switch_count = 4;
    more.switch_ports = four_ports;
    more.table = four;
    build_graph(&more);
    check_ports(0, 2, "1 1 0");
}

/* If all routes turn in the same direction, the links between the switches wait
 * for each other. */
static void test_cycle(void)
{
    table[1 * NODES + 0] = 1;
    table[2 * NODES + 1] = 1;
    refuse_graph(&graph,
                 "these routes can deadlock, because 3 links wait for each "
                 "other in a cycle (key 'routing'; allowed: updown): switch 0 "
                 "port 1 to switch 1, switch 1 port 1 to switch 2, switch 2 "
                 "port 1 to switch 0");
}

static void test_long_routes(void)
{
    enum {
        LONG = GMS_ROUTE_MAX + 1
    };
    static uint32_t long_ports[LONG];
    static gms_cable_t long_cables[LONG + 1];
    static uint8_t long_table[LONG * 2];
    gms_graph_t row = {.switch_count = LONG,
                       .cable_count = LONG + 1,
                       .switch_ports = long_ports,
                       .cables = long_cables,
                       .table = long_table,
                       .table_nodes = 2};
    gms_forward_fault_t fault;
    unsigned i;

    for (i = 0; i < LONG; ++i) {
        long_ports[i] = 2;
        long_table[2 * i] = 0;
        long_table[2 * i + 1] = 1;
        long_cables[i].a = (gms_link_end_t){GMS_END_SWITCH, i, 1};
        long_cables[i].b = (gms_link_end_t){GMS_END_SWITCH, i + 1, 0};
    }
    long_cables[LONG - 1].b = (gms_link_end_t){GMS_END_NODE, 1, 0};
    long_cables[LONG].a = (gms_link_end_t){GMS_END_NODE, 0, 0};
    long_cables[LONG].b = (gms_link_end_t){GMS_END_SWITCH, 0, 0};
    CHECK_U64(gms_forward_check(&row, &fault), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(fault.text, "the route from switch 0 to node 2 "
                                       "passes through more than 24 switches");
}

static void test_missing_tables(void)
{
    graph.table = NULL;
    refuse_graph(&graph, "routing 'tables' requires forwarding tables; "
                         "allowed: topology graph with the list 'tables' "
                         "(routing)");
    graph.table = table;
    params.topology = GMS_TOPOLOGY_CROSSBAR;
    refuse_graph(&graph, "routing 'tables' requires forwarding tables; "
                         "allowed: topology graph with the list 'tables' "
                         "(routing)");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"tables are followed", test_tables_are_followed},
        {"rates of cables", test_rates_of_cables},
        {"invalid entries", test_invalid_entries},
        {"unused entries", test_unused_entries},
        {"cycles are refused", test_cycle},
        {"long routes are refused", test_long_routes},
        {"missing tables", test_missing_tables},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"forwarding tables", NULL, NULL, triangle, teardown, tests});
}
