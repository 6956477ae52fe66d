/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the policy At-Least-One [source: Baydal, Lopez and Duato 2000]. A
 * source checks the lanes of those links on a message's route that the source
 * can observe. Because a message has only one route, the source checks only one
 * link: the link by which the message leaves the source's switch. Yum et al.
 * also check the HCA's own link. Flags of the configuration select stricter
 * rules.
 */
#include "hcasim/congestion_int.h"

/* Maximum number of links that the policy checks. On a longer route, the policy
 * checks only the first links. */
#define GMS_ALO_LINKS_MAX 64u

/* Returns a bit mask of the lanes that the message may use on link `hop` of its
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

/* Returns a bit mask of the busy lanes of the message's class on link `hop` of
 * the route. */
static uint16_t gms_alo_busy(const gms_congestion_t *congestion, uint32_t node,
                             const gms_flit_packet_t *packet, uint32_t link,
                             unsigned hop)
{
    if (hop == 0) {
        return gms_congestion_lanes_taken(congestion, node,
                                          packet->traffic_class);
    }
    return gms_flit_busy_lanes(congestion->net, link) &
           gms_flit_config(congestion->net)
               ->plan.class_lanes[packet->traffic_class];
}

static int gms_alo_may_enter(gms_congestion_t *congestion, uint32_t node,
                             const gms_hca_message_t *message)
{
    const gms_flit_packet_t *packet = &message->packet;
    unsigned rule = congestion->config.alo_rule;
    uint32_t links[GMS_ALO_LINKS_MAX];
    unsigned most = (rule & GMS_ALO_ROUTE) ? GMS_ALO_LINKS_MAX : 2;
    unsigned count = gms_flit_route_links(congestion->net, node, packet->target,
                                          links, most);
    unsigned first = (rule & GMS_ALO_EMPTY) ? 1 : 0, hop;
    int is_free = 1; /* 1 if every link checked so far has a free lane for the
                      * message */

    if (first == 1 &&
        gms_congestion_lanes_taken(congestion, node, packet->traffic_class)) {
        return 0;
    }
    for (hop = first; hop < count && hop < most; ++hop) {
        uint16_t busy = gms_alo_busy(congestion, node, packet, links[hop], hop);

        if (busy == 0 && !(rule & GMS_ALO_FIRST_HALF)) {
            return 1;
        }
        is_free = is_free && (gms_alo_lanes(congestion, packet, hop) & ~busy);
    }
    return is_free;
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
