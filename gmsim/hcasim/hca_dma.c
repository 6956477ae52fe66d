/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the DMA engine of a channel adapter. The file also implements the
 * firmware's choice of a doorbell and the choice of a message's lane.
 */
#include "hcasim/hca_int.h"

/** Returns the number of cycles from the time when a doorbell is removed from
 *  its queue until the message's last flit is in its lane. */
static uint64_t gms_hca_fetch_cycles(const gms_hca_config_t *config,
                                     unsigned flits)
{
    uint64_t byte_ps =
        (uint64_t)flits * config->flit_bytes * UINT64_C(1000000000000);
    uint64_t a_cycle = config->dma_bytes_s * config->cycle_ps;

    return config->doorbell_cycles + (byte_ps + a_cycle - 1) / a_cycle;
}

/** Chooses the lane with the fewest flits. If several lanes have equally few
 *  flits, the function chooses the next of them after the lane that it chose
 *  last. */
static unsigned gms_hca_least_filled(const gms_hca_t *hca,
                                     unsigned traffic_class)
{
    const gms_flit_config_t *flit = gms_flit_config(hca->net);
    uint16_t lanes = flit->plan.class_lanes[traffic_class];
    unsigned best = GMS_FLIT_ANY_LANE, i;

    for (i = 1; i <= GMS_LANES_MAX; ++i) {
        unsigned lane = (hca->lane_last[traffic_class] + i) % GMS_LANES_MAX;

        if (((lanes >> lane) & 1) &&
            (best == GMS_FLIT_ANY_LANE ||
             hca->lane_flits[lane] < hca->lane_flits[best])) {
            best = lane;
        }
    }
    return best;
}

static void gms_hca_fill_lane(gms_hca_t *hca, gms_hca_message_t *message)
{
    const gms_flit_config_t *flit = gms_flit_config(hca->net);
    gms_flit_packet_t *packet = &message->packet;

    /* GMS_FLIT_ANY_LANE is unsuitable, because with this value the network
     * sends only one message of a class at a time. If the route of this message
     * is blocked, all other messages of the class have to wait. Lanes exist to
     * prevent such waits. */
    message->lane =
        (uint8_t)((flit->lane_choice == GMS_FLIT_LANES_DRAWN)
                      ? gms_flit_drawn_lane(flit, packet->draw, 0,
                                            packet->traffic_class)
                      : gms_hca_least_filled(hca, packet->traffic_class));
    message->dma_cycle = hca->fetched_cycle;
    hca->lane_last[packet->traffic_class] = message->lane;
    hca->lane_flits[message->lane] += packet->flits;
    hca->counts.dma_flits += packet->flits;
    hca->counts.lane_flits += packet->flits;
    gms_flit_offer(hca->net, packet, message->lane);
}

static void gms_hca_take_doorbell(gms_hca_t *hca, uint64_t now)
{
    const gms_hca_gate_t *gate = hca->gate;
    unsigned i;

    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        gms_hca_message_t *message = hca->doorbell[i].first;

        if (message == NULL ||
            (gate != NULL && gate->may_enter != NULL &&
             !gate->may_enter(gate->context, hca->node, message))) {
            continue;
        }
        hca->fetched = gms_hca_list_take(&hca->doorbell[i]);
        ++hca->counts.doorbells;
        hca->fetched_cycle =
            now + gms_hca_fetch_cycles(&hca->config, message->packet.flits);
        if (gate != NULL && gate->entered != NULL) {
            gate->entered(gate->context, hca->node, message);
        }
        return;
    }
}

void gms_hca_step(gms_hca_t *hca)
{
    uint64_t now = gms_flit_now(hca->net);

    if (hca->fetched != NULL && hca->fetched_cycle <= now) {
        gms_hca_fill_lane(hca, hca->fetched);
        hca->fetched = NULL;
    }
    if (hca->fetched == NULL) {
        gms_hca_take_doorbell(hca, now);
    }
}

int gms_hca_is_busy(const gms_hca_t *hca)
{
    unsigned i;

    if (hca->fetched != NULL) {
        return 1;
    }
    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        if (hca->doorbell[i].first != NULL) {
            return 1;
        }
    }
    return 0;
}

uint64_t gms_hca_next(const gms_hca_t *hca)
{
    if (hca->fetched != NULL) {
        return hca->fetched_cycle;
    }
    return gms_hca_is_busy(hca) ? gms_flit_now(hca->net) : UINT64_MAX;
}
