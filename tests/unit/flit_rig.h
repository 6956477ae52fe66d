/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds flit networks for tests, each in its own arena, and counts arriving
 * packets. */
#ifndef TESTS_UNIT_FLIT_RIG_H
#define TESTS_UNIT_FLIT_RIG_H

#include "unit.h"

#include <string.h>

#include "base/random.h"
#include "fabric/flit_int.h"

static gms_arena_t *arena;
static gms_params_t params;
static gms_topology_t *topology;
static gms_flit_config_t config;
static gms_flit_net_t *net;
static char error[GMS_TOPOLOGY_ERROR_LEN];
static uint64_t arrived_packets;

static void setup(void)
{
    gms_params_init(&params);
    gms_flit_config_init(&config);
    topology = NULL;
    net = NULL;
    arrived_packets = 0;
    CU_ASSERT_EQUAL_FATAL(gms_arena_create_private(UINT64_C(512) << 20, &arena),
                          GMS_OK);
}

static void teardown(void)
{
    gms_arena_destroy_private(arena);
}

/* Build the network from params and config. */
static void build(void)
{
    gms_flit_destroy(arena, net);
    gms_topology_destroy(arena, topology);
    topology = NULL;
    net = NULL;
    if (gms_topology_create_long(arena, &params, NULL, &topology, error) !=
            GMS_OK ||
        gms_flit_create(arena, topology, &config, &net, error) != GMS_OK) {
        printf("\n    %s\n", error);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(net);
}

static inline void build_mesh(unsigned rows, unsigned columns)
{
    params.topology = GMS_TOPOLOGY_MESH;
    params.rows = rows;
    params.columns = columns;
    params.hosts = rows * columns;
    build();
}

static inline void build_crossbar(unsigned nodes)
{
    params.topology = GMS_TOPOLOGY_CROSSBAR;
    params.hosts = nodes;
    params.switch_ports = nodes;
    build();
}

/* Configure a typical input-queued router: all lanes belong to one class and
 * are served in turn. */
static inline void plain_lanes(unsigned lanes)
{
    config.lanes = lanes;
    gms_lane_plan_init(&config.plan, lanes, 0, 0, GMS_LANE_ROUND_ROBIN, 4);
    config.output_flits = 0;
    config.output_cycles = 0;
    config.switch_cycles = 1;
    config.credit_cycles = 2;
    config.match_rounds = 1;
}

static void note_arrived(void *context, gms_flit_packet_t *packet)
{
    (void)context;
    (void)packet;
    ++arrived_packets;
}

static inline void check_net(void)
{
    if (gms_flit_check(net, error) != GMS_OK) {
        printf("\n    cycle %" PRIu64 ": %s\n", gms_flit_now(net), error);
        CU_FAIL("gms_flit_check()");
    }
}

/* Run until the network is idle or most_cycles cycles have passed. @return
 * number of packets that have arrived */
static inline uint64_t run_idle(uint64_t most_cycles)
{
    const gms_flit_hooks_t hooks = {.arrived = note_arrived};
    uint64_t before = arrived_packets;

    while (!gms_flit_is_idle(net) && most_cycles-- > 0) {
        gms_flit_step(net, &hooks, NULL);
    }
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
    return arrived_packets - before;
}

static inline gms_flit_packet_t make_packet(uint32_t source, uint32_t target,
                                            unsigned flits)
{
    return (gms_flit_packet_t){.source = source,
                               .target = target,
                               .flits = (uint16_t)flits,
                               .traffic_class = GMS_LANE_BEST_EFFORT};
}

#endif
