/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lanes of the HCAs have messages, for policies that look at buffers. */
#include "qos/congestion_int.h"

#include <stdlib.h>

static int gms_congestion_lanes_are_drawn(const gms_congestion_t *congestion)
{
    return gms_flit_config(congestion->net)->lane_choice ==
           GMS_FLIT_LANES_DRAWN;
}

static unsigned gms_congestion_lane_mask(const gms_congestion_t *congestion,
                                         unsigned class_)
{
    return gms_flit_config(congestion->net)->plan.class_lanes[class_];
}

static void gms_congestion_lanes_add(gms_congestion_t *congestion,
                                     uint32_t node,
                                     const gms_hca_message_t *message,
                                     uint32_t more)
{
    const gms_flit_packet_t *packet = &message->packet;
    gms_congestion_lanes_t *lanes = &congestion->lanes[node];

    lanes->by_class[packet->class_] += more;
    if (gms_congestion_lanes_are_drawn(congestion)) {
        lanes->by_lane[gms_flit_drawn_lane(gms_flit_config(congestion->net),
                                           packet->draw, 0, packet->class_)] +=
            more;
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
                                 unsigned class_)
{
    return (unsigned)__builtin_popcount(
        gms_congestion_lane_mask(congestion, class_));
}

unsigned gms_congestion_lanes_taken(const gms_congestion_t *congestion,
                                    uint32_t node, unsigned class_)
{
    const gms_congestion_lanes_t *lanes = &congestion->lanes[node];
    unsigned mask = gms_congestion_lane_mask(congestion, class_);
    unsigned all = gms_congestion_lanes_of(congestion, class_);
    unsigned taken = 0;

    if (!gms_congestion_lanes_are_drawn(congestion)) {
        return lanes->by_class[class_] < all ? lanes->by_class[class_] : all;
    }
    for (; mask != 0; mask &= mask - 1) {
        taken += lanes->by_lane[__builtin_ctz(mask)] > 0;
    }
    return taken;
}

unsigned gms_congestion_lanes_taken_data(const gms_congestion_t *congestion,
                                         uint32_t node)
{
    return gms_congestion_lanes_taken(congestion, node, GMS_LANE_REAL_TIME) +
           gms_congestion_lanes_taken(congestion, node, GMS_LANE_BEST_EFFORT);
}
