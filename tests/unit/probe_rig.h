/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a flit network with admission by probes. The rig records the answers,
 * the latest table of every link, and the remaining power of every router.
 */
#ifndef TESTS_UNIT_PROBE_RIG_H
#define TESTS_UNIT_PROBE_RIG_H

#include "unit.h"

#include <string.h>

#include "hcasim/probe.h"

#define RIG_LINKS_MAX    128u
#define RIG_SWITCHES_MAX 32u
#define RIG_ANSWERS_MAX  64u
#define RIG_ROUTE_MAX    16u
/* a run that takes longer than this is regarded as a hang */
#define RIG_CYCLES_MAX UINT64_C(1000000)

void __wrap_gms_flit_set_table(gms_flit_net_t *net, uint32_t link,
                               const gms_lane_table_t *table);
void __real_gms_flit_set_table(gms_flit_net_t *net, uint32_t link,
                               const gms_lane_table_t *table);

static gms_arena_t *arena;
static gms_topology_t *topology;
static gms_flit_config_t flit;
static gms_flit_net_t *net;
static gms_probe_config_t config;
static gms_probe_t *probe;

static gms_lane_table_t tables[RIG_LINKS_MAX];
/* the first RIG_ANSWERS_MAX answers */
static gms_probe_answer_t answers[RIG_ANSWERS_MAX];
static unsigned answer_count;
static double power[RIG_SWITCHES_MAX]; /* remaining power of each switch */
/* number of packets at switches, counted once per switch, and number of arrived
 * packets; both without probes */
static uint64_t visits, arrived;

void __wrap_gms_flit_set_table(gms_flit_net_t *of_net, uint32_t link,
                               const gms_lane_table_t *table)
{
    tables[link] = *table;
    __real_gms_flit_set_table(of_net, link, table);
}

/* ---- hooks ---- */

static enum gms_flit_verdict rig_visit(void *context, uint32_t switch_index,
                                       gms_flit_packet_t *packet,
                                       uint32_t in_link, uint32_t out_link)
{
    (void)context;
    if (packet->owner != probe) {
        ++visits;
    } else {
        CHECK_U64(packet->traffic_class, GMS_LANE_CONTROL);
    }
    return gms_probe_visit(probe, switch_index, packet, in_link, out_link);
}

static void rig_absorbed(void *context, uint32_t switch_index,
                         gms_flit_packet_t *packet)
{
    (void)context;
    CU_ASSERT_TRUE(gms_probe_absorbed(probe, switch_index, packet));
}

static void rig_arrived(void *context, gms_flit_packet_t *packet)
{
    (void)context;
    arrived += !gms_probe_arrived(probe, packet);
}

static const gms_flit_hooks_t hooks = {
    .visit = rig_visit,
    .absorbed = rig_absorbed,
    .arrived = rig_arrived,
};

static void rig_answered(void *context, const gms_probe_answer_t *answer)
{
    (void)context;
    if (answer_count < RIG_ANSWERS_MAX) {
        answers[answer_count] = *answer;
    }
    ++answer_count;
}

static int rig_power_may(void *context, uint32_t switch_index, double average)
{
    return ((double *)context)[switch_index] >= average;
}

static void rig_power_take(void *context, uint32_t switch_index, double average)
{
    ((double *)context)[switch_index] -= average;
}

static void rig_power_give(void *context, uint32_t switch_index, double average)
{
    ((double *)context)[switch_index] += average;
}

/* ---- life ---- */

static void setup(void)
{
    gms_flit_config_init(&flit);
    flit.agents = 1;
    flit.lane_choice = GMS_FLIT_LANES_DRAWN;
    config = (gms_probe_config_t){
        .capacity = 1.0,
        .control_flits = 10,
        .answered = rig_answered,
    };
    arena = NULL;
    net = NULL;
    probe = NULL;
    answer_count = 0;
    visits = 0;
    arrived = 0;
    memset(tables, 0, sizeof(tables));
}

static void rig_clear(void)
{
    gms_probe_destroy(probe);
    probe = NULL;
    if (arena != NULL) {
        gms_arena_destroy_private(arena);
        arena = NULL;
    }
}

static void teardown(void)
{
    rig_clear();
}

static void rig_build(const gms_params_t *params)
{
    char error[GMS_TOPOLOGY_ERROR_LEN] = "";

    rig_clear();
    CU_ASSERT_EQUAL_FATAL(gms_arena_create_private(UINT64_C(64) << 20, &arena),
                          GMS_OK);
    if (gms_topology_create(arena, params, NULL, &topology, error) != GMS_OK ||
        gms_flit_create(arena, topology, &flit, &net, error) != GMS_OK) {
        printf("\n    %s\n", error);
        CU_FAIL_FATAL("no net");
    }
    CU_ASSERT_TRUE_FATAL(gms_topology_link_count(topology) <= RIG_LINKS_MAX);
    CU_ASSERT_TRUE_FATAL(gms_topology_switches(topology) <= RIG_SWITCHES_MAX);
    CU_ASSERT_EQUAL_FATAL(gms_probe_create(&config, net, &probe), GMS_OK);
    answer_count = 0;
}

/* Build a row of three switches: 0, 1 and 2. Switch s connects nodes 2 s and 2
 * s + 1. */
static inline void rig_build_row(void)
{
    gms_params_t params;

    gms_params_init(&params);
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts = 6;
    params.hosts_per_switch = 2;
    rig_build(&params);
}

static inline void rig_build_mesh(unsigned rows, unsigned columns)
{
    gms_params_t params;

    gms_params_init(&params);
    params.topology = GMS_TOPOLOGY_MESH;
    params.hosts = rows * columns;
    params.rows = rows;
    params.columns = columns;
    params.hosts_per_switch = 1;
    rig_build(&params);
}

static inline void rig_use_power(double each)
{
    unsigned i;

    for (i = 0; i < RIG_SWITCHES_MAX; ++i) {
        power[i] = each;
    }
    config.power_may = rig_power_may;
    config.power_take = rig_power_take;
    config.power_give = rig_power_give;
    config.power_context = power;
}

/* ---- running ---- */

static void rig_cycle(void)
{
    if (gms_probe_is_busy(probe)) {
        gms_probe_step(probe);
    }
    gms_flit_step(net, &hooks, NULL);
}

static inline void rig_run(uint64_t cycles)
{
    while (cycles-- > 0) {
        rig_cycle();
    }
}

static inline void rig_settle(void)
{
    uint64_t end = gms_flit_now(net) + RIG_CYCLES_MAX;

    while ((gms_probe_is_busy(probe) || !gms_flit_is_idle(net)) &&
           gms_flit_now(net) < end) {
        rig_cycle();
    }
    CU_ASSERT_TRUE_FATAL(gms_flit_now(net) < end);
}

static inline gms_probe_request_t rig_request(uint32_t connection,
                                              uint32_t source, uint32_t target,
                                              double average, double peak)
{
    return (gms_probe_request_t){
        .connection = connection,
        .source = source,
        .target = target,
        .average = average,
        .peak = peak,
        .draw = connection,
    };
}

static inline void rig_ask(uint32_t connection, uint32_t source,
                           uint32_t target, double average)
{
    gms_probe_request_t request =
        rig_request(connection, source, target, average, 2 * average);

    CU_ASSERT_EQUAL(gms_probe_ask(probe, &request), GMS_OK);
}

static inline void rig_force(uint32_t connection, uint32_t source,
                             uint32_t target, double average)
{
    gms_probe_request_t request =
        rig_request(connection, source, target, average, 2 * average);

    CU_ASSERT_EQUAL(gms_probe_force(probe, &request), GMS_OK);
}

static inline uint32_t rig_link(uint32_t source, uint32_t target, unsigned hop)
{
    uint32_t route[RIG_ROUTE_MAX];
    unsigned links =
        gms_flit_route_links(net, source, target, route, RIG_ROUTE_MAX);

    CU_ASSERT_TRUE_FATAL(hop < links && links <= RIG_ROUTE_MAX);
    return route[hop];
}

/* Check the reserved bandwidth on the four links between two nodes of the
 * row. */
static inline void check_reserved(uint32_t source, uint32_t target,
                                  double first, double second, double third,
                                  double fourth)
{
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(source, target, 0)), first,
               1e-9);
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(source, target, 1)), second,
               1e-9);
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(source, target, 2)), third,
               1e-9);
    CHECK_NEAR(gms_probe_reserved(probe, rig_link(source, target, 3)), fourth,
               1e-9);
}

static inline const gms_probe_answer_t *last_answer(void)
{
    CU_ASSERT_TRUE_FATAL(answer_count > 0 && answer_count <= RIG_ANSWERS_MAX);
    return &answers[answer_count - 1];
}

/* Check that no bandwidth is reserved, and that the tables of all links are in
 * their initial states. */
static inline void rig_check_empty(void)
{
    gms_lane_table_t start = {.limit = 1};
    uint32_t link;

    for (link = 0; link < gms_topology_link_count(topology); ++link) {
        CHECK_NEAR(gms_probe_reserved(probe, link), 0, 0);
        CU_ASSERT_TRUE(tables[link].limit == 0 ||
                       memcmp(&tables[link], &start, sizeof(start)) == 0);
    }
}

#endif
