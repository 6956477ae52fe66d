/* SPDX-License-Identifier: BSD-3-Clause */
/* At-Least-One [source: Baydal, Lopez and Duato 2000]: a source looks at what it
 * can see, the lanes of the links that lead where the message wants to go. With
 * one way for each message, that is one link of its switch; Yum et al. add the
 * HCA's own link. */
#include "qos/congestion_int.h"

static int gms_alo_may_enter(gms_congestion_t *congestion, uint32_t node,
                             const gms_hca_message_t *message)
{
    unsigned class_ = message->packet.class_;
    unsigned mask = gms_flit_config(congestion->net)->plan.class_lanes[class_];
    unsigned all = gms_congestion_lanes_of(congestion, class_);
    unsigned hca = gms_congestion_lanes_taken(congestion, node, class_);
    unsigned network;
    uint32_t links[2]; /* the HCA's own, the one out of its switch */

    (void)gms_flit_way(congestion->net, node, message->packet.target, links, 2);
    network = (unsigned)__builtin_popcount(
        gms_flit_busy_lanes(congestion->net, links[1]) & mask);
    return (hca < all && network < all) || hca == 0 || network == 0;
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
