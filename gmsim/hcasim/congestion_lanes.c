/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records which lanes of the HCAs hold messages. The policies that count
 * buffers need this state.
 */
#include "hcasim/congestion_int.h"

#include <stdlib.h>

static int gms_congestion_lanes_are_drawn(const gms_congestion_t *congestion)
{
    return gms_flit_config(congestion->net)->lane_choice ==
           GMS_FLIT_LANES_DRAWN;
}

static unsigned gms_congestion_lane_mask(const gms_congestion_t *congestion,
                                         unsigned traffic_class)
{
    return gms_flit_config(congestion->net)->plan.class_lanes[traffic_class];
}

static void gms_congestion_lanes_add(gms_congestion_t *congestion,
                                     uint32_t node,
                                     const gms_hca_message_t *message,
                                     uint32_t more)
{
    const gms_flit_packet_t *packet = &message->packet;
    gms_congestion_lanes_t *lanes = &congestion->lanes[node];

    lanes->by_class[packet->traffic_class] += more;
    if (gms_congestion_lanes_are_drawn(congestion)) {
        lanes->by_lane[gms_flit_drawn_lane(gms_flit_config(congestion->net),
                                           packet->draw, 0,
                                           packet->traffic_class)] += more;
    }
}

gms_status_t gms_congestion_lanes_create(gms_congestion_t *congestion)
{
    congestion->lanes = calloc(congestion->nodes, sizeof(*congestion->lanes));
    return congestion->lanes == NULL ? GMS_ERR_NO_MEMORY : GMS_OK;
}

void gms_congestion_lanes_entered(gms_congestion_t *congestion, uint32_t node,
                                  const gms_hca_message_t *message)
{
    gms_congestion_lanes_add(congestion, node, message, 1);
}

void gms_congestion_lanes_completed(gms_congestion_t *congestion, uint32_t node,
                                    const gms_hca_message_t *message)
{
    gms_congestion_lanes_add(congestion, node, message, UINT32_MAX);
}

unsigned gms_congestion_lanes_of(const gms_congestion_t *congestion,
                                 unsigned traffic_class)
{
    return (unsigned)__builtin_popcount(
        gms_congestion_lane_mask(congestion, traffic_class));
}

uint16_t gms_congestion_lanes_taken(const gms_congestion_t *congestion,
                                    uint32_t node, unsigned traffic_class)
{
    const gms_congestion_lanes_t *lanes = &congestion->lanes[node];
    int drawn = gms_congestion_lanes_are_drawn(congestion);
    uint32_t left = lanes->by_class[traffic_class];
    unsigned mask = gms_congestion_lane_mask(congestion, traffic_class);
    unsigned taken = 0;

    for (; mask != 0 && left > 0; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);

        if (!drawn) {
            --left; /* every message is counted as one occupied lane */
        }
        taken |= (unsigned)(!drawn || lanes->by_lane[lane] > 0) << lane;
    }
    return (uint16_t)taken;
}

unsigned gms_congestion_lanes_full(const gms_congestion_t *congestion,
                                   uint32_t node)
{
    return (unsigned)__builtin_popcount(
        (unsigned)gms_congestion_lanes_taken(congestion, node,
                                             GMS_LANE_REAL_TIME) |
        gms_congestion_lanes_taken(congestion, node, GMS_LANE_BEST_EFFORT));
}
