/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines a network whose state the test determines, and helper functions for
 * tests of congestion policies.
 */
#ifndef TESTS_UNIT_CONGESTION_RIG_H
#define TESTS_UNIT_CONGESTION_RIG_H

#include "topology_rig.h"

#include "hcasim/congestion_int.h"

#define LINKS      256
#define FAKE_LANES 16

/* ---- a network that the test controls ---- */

struct gms_flit_net {
    gms_flit_config_t config;
    uint64_t now, full;
    uint16_t busy[LINKS];
    uint64_t flits[LINKS];
};

static gms_flit_net_t net;
static gms_congestion_t *congestion;
static gms_congestion_config_t config;

gms_topology_t *gms_flit_topology(const gms_flit_net_t *fake)
{
    return topology;
}

const gms_flit_config_t *gms_flit_config(const gms_flit_net_t *fake)
{
    return &fake->config;
}

uint64_t gms_flit_now(const gms_flit_net_t *fake)
{
    return fake->now;
}

uint64_t gms_flit_full_buffers(const gms_flit_net_t *fake)
{
    return fake->full;
}

uint16_t gms_flit_busy_lanes(const gms_flit_net_t *fake, uint32_t link)
{
    return fake->busy[link];
}

uint64_t gms_flit_link_flits(const gms_flit_net_t *fake, uint32_t link)
{
    return fake->flits[link];
}

unsigned gms_flit_route_links(const gms_flit_net_t *fake, uint32_t source,
                              uint32_t target, uint32_t *links, unsigned max)
{
    uint32_t route[GMS_ROUTE_LINKS_MAX];
    unsigned count = gms_topology_links(topology, source, target, route), i;

    for (i = 0; i < count && i < max; ++i) {
        links[i] = route[i];
    }
    return count;
}

/* Return lane number `draw` of the class, counted from the first lane of the
 * class. On each further link, the packet uses the next lane. */
unsigned gms_flit_drawn_lane(const gms_flit_config_t *flit, uint32_t draw,
                             unsigned hop, unsigned traffic_class)
{
    unsigned lanes = flit->plan.class_lanes[traffic_class];

    return (unsigned)__builtin_ctz(lanes) +
           (draw + hop) % (unsigned)__builtin_popcount(lanes);
}

/* Define a network with 11 lanes for real-time traffic (0..10), 4 lanes for
 * best-effort traffic (11..14), and one lane for control traffic (15). */
static inline void fake_net(unsigned lane_choice)
{
    memset(&net, 0, sizeof(net));
    net.config.lanes = FAKE_LANES;
    net.config.lane_choice = lane_choice;
    net.config.buffer_flits = 10;
    net.config.plan.class_lanes[GMS_LANE_REAL_TIME] = 0x07ff;
    net.config.plan.class_lanes[GMS_LANE_BEST_EFFORT] = 0x7800;
    net.config.plan.class_lanes[GMS_LANE_CONTROL] = 0x8000;
}

/* ---- helper functions ---- */

static inline void start_grid(unsigned kind, unsigned rows, unsigned columns)
{
    setup();
    params.rows = rows;
    params.columns = columns;
    build(kind, rows * columns);
    fake_net(GMS_FLIT_LANES_DRAWN);
    gms_congestion_config_init(&config);
    congestion = NULL;
}

static inline void start(void)
{
    start_grid(GMS_TOPOLOGY_MESH, 4, 4);
}

static inline void finish(void)
{
    gms_congestion_destroy(congestion);
    congestion = NULL;
    teardown();
}

static inline void create(unsigned policy)
{
    gms_congestion_destroy(congestion);
    congestion = NULL;
    config.policy = policy;
    CU_ASSERT_EQUAL_FATAL(
        gms_congestion_create(&config, &net, &congestion, error), GMS_OK);
}

static inline gms_hca_message_t message_of(unsigned traffic_class,
                                           uint32_t connection, uint32_t source,
                                           uint32_t target)
{
    gms_hca_message_t message;

    memset(&message, 0, sizeof(message));
    message.packet.traffic_class = (uint8_t)traffic_class;
    message.packet.source = source;
    message.packet.target = target;
    message.packet.flits = 40;
    message.connection = connection;
    return message;
}

/* Post messages as long as the policy permits it. @return number of messages */
static inline unsigned post_all(gms_hca_message_t *message)
{
    unsigned count = 0;

    while (count < 5000 && gms_congestion_may_post(
                               congestion, message->packet.source, message)) {
        gms_congestion_posted(congestion, message->packet.source, message);
        ++count;
    }
    return count;
}

static inline unsigned post_real_time(uint32_t node, uint32_t connection)
{
    gms_hca_message_t message =
        message_of(GMS_LANE_REAL_TIME, connection, node, node + 1);

    return post_all(&message);
}

static inline unsigned post_best(uint32_t node, uint32_t target)
{
    gms_hca_message_t message =
        message_of(GMS_LANE_BEST_EFFORT, 0, node, target);

    return post_all(&message);
}

#endif
