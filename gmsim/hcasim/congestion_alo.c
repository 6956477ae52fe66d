/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy At-Least-One [source: Baydal, Lopez and Duato 2000]: a source checks
 * the lanes of those links on a message's route that the source can observe.
 * Because a message has only one route, this is one link out of the source's
 * switch. Yum et al. also check the HCA's own link.
 */
#include "hcasim/congestion_int.h"

/* Returns the lanes that the message may use on the hop-th link of its
 * route. */
static uint16_t gms_alo_lanes(const gms_congestion_t *congestion,
                              const gms_flit_packet_t *packet, unsigned hop)
{
    const gms_flit_config_t *flit = gms_flit_config(congestion->net);

    unsigned lane;

    if (flit->lane_choice != GMS_FLIT_LANES_DRAWN) {
        return flit->plan.class_lanes[packet->traffic_class];
    }
    lane = gms_flit_drawn_lane(flit, packet->draw, hop, packet->traffic_class);
    return (uint16_t)(1u << lane);
}

static int gms_alo_may_enter(gms_congestion_t *congestion, uint32_t node,
                             const gms_hca_message_t *message)
{
    const gms_flit_packet_t *packet = &message->packet;
    uint16_t all = gms_flit_config(congestion->net)
                       ->plan.class_lanes[packet->traffic_class];
    /* busy lanes of the HCA's own link, and of the link out of its switch */
    uint16_t busy[2];
    uint32_t links[2];

    (void)gms_flit_route_links(congestion->net, node, packet->target, links, 2);
    busy[0] =
        gms_congestion_lanes_taken(congestion, node, packet->traffic_class);
    busy[1] = gms_flit_busy_lanes(congestion->net, links[1]) & all;
    return ((gms_alo_lanes(congestion, packet, 0) & ~busy[0]) != 0 &&
            (gms_alo_lanes(congestion, packet, 1) & ~busy[1]) != 0) ||
           busy[0] == 0 || busy[1] == 0;
}

static gms_status_t gms_alo_create(gms_congestion_t *congestion,
                                   char error[GMS_TOPOLOGY_ERROR_LEN])
{
    return gms_congestion_lanes_create(congestion);
}

const gms_congestion_ops_t gms_congestion_alo_ops = {
    .create = gms_alo_create,
    .may_enter = gms_alo_may_enter,
    .entered = gms_congestion_lanes_entered,
    .completed = gms_congestion_lanes_completed,
};
