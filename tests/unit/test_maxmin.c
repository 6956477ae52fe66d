/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the account after each of many random changes, on many topologies. The
 * account computes shares incrementally. These shares must equal the result of
 * a complete max-min fair computation, to the last bit. No bandwidth may be
 * assigned twice. The sums and shares must not depend on the history. A new
 * account with only the remaining flows must therefore have the same sums and
 * shares.
 */
#include <string.h>

#include "maxmin_reference.h"

#include "fabric/graph.h"
#include "params/profile.h"
#include "base/random.h"

#define MB 1e6

static const gms_graph_t *graph; /* switches and cables of topology `graph` */

static void open_account(void)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];

    if (gms_arena_create_private(UINT64_C(64) << 20, &arena) != GMS_OK ||
        gms_topology_create(arena, &params, graph, &topology, error) !=
            GMS_OK ||
        gms_account_create(arena, topology, &params, &account) != GMS_OK) {
        abort();
    }
}

static void close_account(void)
{
    gms_account_destroy(account);
    gms_arena_destroy_private(arena);
}

/* ---- random changes ---- */

static struct told {
    uint32_t idt;
    int known;
} told[FLOWS_MAX];
static unsigned needless;
/* number of premium flows, over all steps, that have a shorter IDT than their
 * bandwidth requires */
static unsigned shortened;
/* number of denials by criterion and class */
static unsigned denied[GMS_QOS_LATENCY + 1][4];

static void on_changed(void *context, const gms_grant_t *grant,
                       uint32_t idt_before)
{
    struct told *flow = &told[grant->key.label];

    (void)context;
    needless += flow->known && flow->idt == grant->idt_ticks;
    needless += flow->known && flow->idt != idt_before;
    flow->idt = grant->idt_ticks;
    flow->known = (grant->qos_class != GMS_QOS_UNMANAGED);
}

/* Flow number i always has the same route. */
static gms_flow_request_t random_request(gms_random_t *random, unsigned nodes)
{
    unsigned i = (unsigned)gms_random_below(random, FLOWS_MAX / 2);
    gms_flow_request_t request = {
        .source_node = (i * 7) % nodes,
        .rank = i,
        .key = {.source_port = 2,
                .target_node = (uint16_t)((i * 13 + i / 5) % nodes),
                .target_port = 2,
                .label = i},
        .qos_class = GMS_QOS_BEST_EFFORT};

    if (gms_random_below(random, 3) == 0) {
        request.qos_class = GMS_QOS_PREMIUM;
        request.bytes_s = gms_random_unit(random) * 30 * MB;
    }
    if (gms_random_below(random, 4) == 0) {
        request.reverse_bytes_s = gms_random_unit(random) * MB / 10;
    }
    return request;
}

/* The last granted request of each flow. */
static gms_flow_request_t held[FLOWS_MAX];

static void random_request_of(const gms_flow_request_t *set, unsigned count)
{
    gms_qos_verdict_t verdict;
    unsigned i;

    CHECK_U64(
        gms_account_request(account, set, count, on_changed, NULL, &verdict),
        GMS_OK);
    for (i = 0; i < count && verdict.criterion == GMS_QOS_OK; ++i) {
        held[set[i].key.label] = set[i];
    }
    denied[verdict.criterion][set[verdict.request].qos_class]++;
}

static void random_change(gms_random_t *random, unsigned nodes)
{
    gms_flow_request_t set[3];
    gms_qos_verdict_t verdict;
    unsigned i, count = 1 + (unsigned)gms_random_below(random, 3);

    for (i = 0; i < count; ++i) {
        set[i] = random_request(random, nodes);
    }
    switch (gms_random_below(random, 8)) {
    case 0:
    case 1:
        if (gms_account_release(account, set[0].source_node, &set[0].key,
                                on_changed, NULL) == GMS_OK) {
            told[set[0].key.label].known = 0;
        }
        break;
    case 2:
        (void)gms_account_set_idle(account, set[0].source_node, &set[0].key,
                                   (int)gms_random_below(random, 2), on_changed,
                                   NULL);
        break;
    case 3:
        CHECK_U64(gms_account_would_grant(account, set, count, &verdict),
                  GMS_OK);
        break;
    case 4:
        random_request_of(set, count);
        break;
    default:
        random_request_of(set, 1);
        break;
    }
}

/* ---- results that do not depend on the history ---- */

static unsigned differs(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) != 0;
}

static unsigned sums_differ(const gms_account_t *fresh)
{
    double promised[2], capacity[2];
    unsigned i, wrong = 0;

    for (i = 0; i < gms_topology_nodes(topology); ++i) {
        gms_account_node_use(account, i, &promised[0], &capacity[0]);
        gms_account_node_use(fresh, i, &promised[1], &capacity[1]);
        wrong += differs(promised[0], promised[1]) +
                 differs(capacity[0], capacity[1]);
    }
    for (i = 0; i < gms_topology_link_count(topology); ++i) {
        gms_account_link_use(account, i, &promised[0], &capacity[0]);
        gms_account_link_use(fresh, i, &promised[1], &capacity[1]);
        wrong += differs(promised[0], promised[1]);
    }
    return wrong;
}

static void on_fresh_changed(void *context, const gms_grant_t *grant,
                             uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

/* The remaining flows request their bandwidth in the order of their first
 * requests. If all flows fit together, any subset of them also fits, so every
 * request must be granted. */
static unsigned check_fresh(void)
{
    const gms_grant_t *grant, *other;
    gms_account_t *fresh;
    unsigned wrong = 0;

    CU_ASSERT_FATAL(gms_account_create(arena, topology, &params, &fresh) ==
                    GMS_OK);
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        gms_qos_verdict_t verdict;

        wrong +=
            gms_account_request(fresh, &held[grant->key.label], 1,
                                on_fresh_changed, NULL, &verdict) != GMS_OK ||
            verdict.criterion != GMS_QOS_OK ||
            gms_account_set_idle(fresh, grant->source_node, &grant->key,
                                 grant->idle, on_fresh_changed, NULL) != GMS_OK;
    }
    wrong += sums_differ(fresh);
    other = gms_account_first(fresh);
    for (grant = gms_account_first(account); grant != NULL && other != NULL;
         grant = grant->next, other = other->next) {
        wrong += grant->idt_ticks != other->idt_ticks ||
                 grant->key.label != other->key.label ||
                 grant->qos_class != other->qos_class ||
                 grant->idle != other->idle ||
                 differs(grant->bandwidth_bytes_s, other->bandwidth_bytes_s);
    }
    gms_account_destroy(fresh);
    return wrong + (grant != NULL) + (other != NULL);
}

static void check_told(void)
{
    const gms_grant_t *grant;
    unsigned wrong = 0;

    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        wrong += !told[grant->key.label].known ||
                 told[grant->key.label].idt != grant->idt_ticks;
        shortened += grant->qos_class == GMS_QOS_PREMIUM &&
                     grant->idt_ticks <
                         gms_account_idt(&params, grant->bandwidth_bytes_s);
        wrong += grant->idle &&
                 (grant->idt_ticks != IDT_MAX || grant->bandwidth_bytes_s > 0);
    }
    CHECK_U64(wrong, 0);
}

static void run_random(uint64_t seed, unsigned steps)
{
    unsigned nodes, step, wrong_flows = 0, wrong_places = 0, wrong_fresh = 0;
    gms_random_t random;

    open_account();
    memset(told, 0, sizeof(told));
    memset(denied, 0, sizeof(denied));
    needless = 0;
    shortened = 0;
    nodes = gms_topology_nodes(topology);
    gms_random_init(&random, seed, 0);
    for (step = 0; step < steps; ++step) {
        random_change(&random, nodes);
        ref_fill();
        if (params.qos_best_effort == GMS_QOS_BEST_EFFORT_MAXMIN) {
            wrong_flows += check_flows();
        }
        wrong_places += check_places();
        check_told();
        if (step % 16 == 0 && !params.qos_strict_windows) {
            wrong_fresh += check_fresh();
        }
    }
    CHECK_U64(wrong_flows, 0);
    CHECK_U64(wrong_places, 0);
    CHECK_U64(wrong_fresh, 0);
    CHECK_U64(needless, 0);
    /* The test must contain enough grants and denials in each class. */
    CU_ASSERT_TRUE(denied[GMS_QOS_OK][GMS_QOS_PREMIUM] > steps / 20);
    CU_ASSERT_TRUE(denied[GMS_QOS_OK][GMS_QOS_BEST_EFFORT] > steps / 20);
    close_account();
}

/* Sets parameters with which no window requires a shorter IDT, because
 * shortened IDTs depend on the history. */
static void set_topology(uint64_t kind, uint64_t hosts, uint64_t link_bytes_s)
{
    gms_params_init(&params);
    params.qos_strict_windows = 0;
    params.topology = kind;
    params.hosts = hosts;
    params.qos_link_bytes_s = link_bytes_s;
    if (kind == GMS_TOPOLOGY_TORUS || kind == GMS_TOPOLOGY_MESH) {
        params.rows = 3;
        params.columns = 4;
        params.hosts_per_switch = (hosts + 11) / 12;
    }
}

static void test_crossbar(void)
{
    set_topology(GMS_TOPOLOGY_CROSSBAR, 16, 158800000);
    run_random(1, 1500);
    set_topology(GMS_TOPOLOGY_CROSSBAR, 8, 30000000);
    run_random(2, 1500);
    CU_ASSERT_TRUE(denied[GMS_QOS_LINK][GMS_QOS_PREMIUM] > 50);
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    run_random(3, 1500);
}

static void test_cascade(void)
{
    set_topology(GMS_TOPOLOGY_CASCADE, 24, 60000000);
    run_random(4, 1000);
}

static void test_clos(void)
{
    set_topology(GMS_TOPOLOGY_CLOS, 64, 158800000);
    run_random(5, 500);
    set_topology(GMS_TOPOLOGY_CLOS, 64, 20000000);
    run_random(6, 500);
}

static void test_mesh(void)
{
    set_topology(GMS_TOPOLOGY_MESH, 12, 40000000);
    run_random(7, 1000);
}

static void test_torus(void)
{
    set_topology(GMS_TOPOLOGY_TORUS, 24, 60000000);
    run_random(8, 700);
}

/* Four switches form a ring with an additional cable across it; each switch has
 * 3 hosts. */
static void test_graph(void)
{
    uint32_t ports[4] = {8, 8, 8, 8};
    static const uint8_t between[5][4] = {
        {0, 3, 1, 3}, {1, 4, 2, 3}, {2, 4, 3, 3}, {3, 4, 0, 4}, {0, 5, 2, 5}};
    gms_cable_t cables[17];
    gms_graph_t ring = {4, 17, ports, cables, NULL, 0, NULL, 0};
    unsigned i;

    for (i = 0; i < 12; ++i) {
        cables[i] = (gms_cable_t){
            {GMS_END_NODE, i, 0}, {GMS_END_SWITCH, i / 3, i % 3}, 0};
    }
    for (i = 0; i < 5; ++i) {
        cables[12 + i] =
            (gms_cable_t){{GMS_END_SWITCH, between[i][0], between[i][1]},
                          {GMS_END_SWITCH, between[i][2], between[i][3]},
                          0};
    }
    set_topology(GMS_TOPOLOGY_GRAPH, 12, 50000000);
    graph = &ring;
    run_random(9, 1000);
    graph = NULL;
}

/* With the thesis's rule for the capacity of a node, the order of requests is
 * also irrelevant. */
static void test_minshare(void)
{
    set_topology(GMS_TOPOLOGY_CROSSBAR, 16, 158800000);
    params.qos_best_effort = GMS_QOS_BEST_EFFORT_MINSHARE;
    run_random(10, 1500);
    set_topology(GMS_TOPOLOGY_TORUS, 24, 60000000);
    params.qos_best_effort = GMS_QOS_BEST_EFFORT_MINSHARE;
    run_random(11, 500);
}

/* Best-effort flows share the bandwidth that reservations leave, even if the
 * IDTs of the reservations are short. */
static void test_strict_windows(void)
{
    set_topology(GMS_TOPOLOGY_CROSSBAR, 16, 158800000);
    params.qos_strict_windows = 1;
    run_random(16, 1500);
    CU_ASSERT_TRUE(shortened > 1500);
    set_topology(GMS_TOPOLOGY_TORUS, 24, 60000000);
    params.qos_strict_windows = 1;
    run_random(17, 500);
}

/* If links limit the rate of NICs, both nodes and links limit flows. */
static void test_fast_nic(void)
{
    set_topology(GMS_TOPOLOGY_CROSSBAR, 12, 0);
    gms_profile_init(gms_profile_find("myrinet2000"), &params);
    params.topology = GMS_TOPOLOGY_CROSSBAR;
    params.hosts = 12;
    params.qos_node_bytes_s = 60000000;
    run_random(12, 1000);
    /* the link is so slow that requests can use its whole capacity */
    params.link_bytes_s = 40000000;
    params.qos_link_bytes_s = 40000000;
    run_random(13, 1000);
    /* there are so many flows that the NIC is slower than its link */
    params.mcp_rate_flow_cycles = 10000;
    run_random(14, 1000);
    CU_ASSERT_TRUE(denied[GMS_QOS_SOURCE_NODE][GMS_QOS_PREMIUM] > 10);
    CU_ASSERT_TRUE(denied[GMS_QOS_SOURCE_NODE][GMS_QOS_BEST_EFFORT] > 10);
}

/* ---- cases computed by hand ---- */

static uint32_t best_effort(unsigned source, unsigned target, unsigned label)
{
    gms_flow_request_t request = {.source_node = source,
                                  .key = {.source_port = 2,
                                          .target_node = (uint16_t)target,
                                          .target_port = 2,
                                          .label = label},
                                  .qos_class = GMS_QOS_BEST_EFFORT};
    gms_qos_verdict_t verdict;

    CHECK_U64(
        gms_account_request(account, &request, 1, on_changed, NULL, &verdict),
        GMS_OK);
    return verdict.idt_ticks;
}

static double share_of(unsigned label)
{
    const gms_grant_t *grant = gms_account_first(account);

    while (grant->key.label != label) {
        grant = grant->next;
    }
    return grant->bandwidth_bytes_s;
}

/* The node rule is `constant`, with 78 MB/s. Node 0 sends three flows with 26
 * MB/s each. Node 3 receives one of these flows, so 52 MB/s remain for the flow
 * from node 4. At node 4, 26 MB/s then remain for a third flow. */
static void test_three_levels(void)
{
    set_topology(GMS_TOPOLOGY_CROSSBAR, 16, 158800000);
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    open_account();
    best_effort(0, 1, 1);
    best_effort(0, 2, 2);
    best_effort(0, 3, 3);
    best_effort(4, 3, 4);
    CHECK_NEAR(share_of(3), 26 * MB, 1e-9);
    CHECK_NEAR(share_of(4), 52 * MB, 1e-9);
    best_effort(4, 5, 5);
    CHECK_NEAR(share_of(4), 39 * MB, 1e-9);
    CHECK_NEAR(share_of(5), 39 * MB, 1e-9);
    best_effort(4, 6, 6);
    CHECK_NEAR(share_of(3), 26 * MB, 1e-9);
    CHECK_NEAR(share_of(4), 26 * MB, 1e-9);
    close_account();
}

/* One flow uses two resources that have the same level. The order in which the
 * resources are evaluated must not matter. Nodes 0 and 1 each have 78 MB/s for
 * two flows. */
static void test_ties(void)
{
    set_topology(GMS_TOPOLOGY_CROSSBAR, 16, 158800000);
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    params.qos_node_bytes_s = 77999999;
    open_account();
    best_effort(0, 1, 1);
    best_effort(0, 2, 2);
    best_effort(3, 1, 3);
    CU_ASSERT_TRUE(share_of(2) <= share_of(3));
    CU_ASSERT_TRUE(share_of(3) <= share_of(2));
    close_account();
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"three flows with different limits", test_three_levels},
        {"ties", test_ties},
        {"crossbar", test_crossbar},
        {"cascade", test_cascade},
        {"clos", test_clos},
        {"mesh", test_mesh},
        {"torus", test_torus},
        {"graph", test_graph},
        {"minshare", test_minshare},
        {"strict windows", test_strict_windows},
        {"fast NIC", test_fast_nic},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"maxmin", NULL, NULL, NULL, NULL, tests});
}
