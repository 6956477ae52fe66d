/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates the sources of packets: nodes and agents. Every lane has a queue,
 * and every class has an additional queue (GMS_FLIT_ANY_LANE), which sends one
 * packet at a time in any free lane. If packets in both kinds of queues wait
 * for a lane, the queues take turns.
 */
#include <assert.h>

#include "fabric/flit_int.h"

static void gms_flit_source_wake(gms_flit_net_t *net, uint32_t number,
                                 unsigned lane)
{
    gms_flit_source_t *source = &net->source[number];

    if (net->has_since) {
        net->out_since[source->link * GMS_LANES_MAX + lane] =
            (uint32_t)net->now;
    }
    source->ready |= (uint16_t)(1u << lane);
    gms_flit_set_add(&net->feeding, number);
}

static void gms_flit_source_begin(gms_flit_net_t *net, uint32_t number,
                                  unsigned lane, gms_flit_packet_t *packet)
{
    gms_flit_source_t *source = &net->source[number];
    gms_flit_out_t *out = &net->out[source->link];

    source->packet[lane] = packet;
    source->rest[lane] = packet->flits;
    source->active |= (uint16_t)(1u << lane);
    source->fresh |= (uint16_t)(1u << lane);
    out->busy |= (uint16_t)(1u << lane);
    if (out->credit >> lane & 1) {
        gms_flit_source_wake(net, number, lane);
    }
}

/* Begin to send a packet from a class's own queue in a free lane, preferably in
 * a lane with a credit. */
static void gms_flit_source_share(gms_flit_net_t *net, uint32_t number,
                                  unsigned traffic_class)
{
    gms_flit_source_t *source = &net->source[number];
    gms_flit_out_t *out = &net->out[source->link];
    uint16_t lanes =
        net->config.plan.class_lanes[traffic_class] & (uint16_t)~source->active;
    uint16_t better = lanes & out->credit;
    unsigned lane;

    if (lanes == 0 || source->shared[traffic_class].first == NULL ||
        source->shared_lane[traffic_class] != GMS_FLIT_NO_LANE) {
        return;
    }
    lane = gms_lane_next(better != 0 ? better : lanes,
                         out->lane_turn[traffic_class]);
    out->lane_turn[traffic_class] = (uint8_t)lane;
    source->shared_lane[traffic_class] = (uint8_t)lane;
    gms_flit_source_begin(net, number, lane,
                          gms_flit_list_take(&source->shared[traffic_class]));
}

/* Choose the next packet for a lane that has become free. The two kinds of
 * queues take turns. */
static void gms_flit_source_next(gms_flit_net_t *net, uint32_t number,
                                 unsigned lane)
{
    gms_flit_source_t *source = &net->source[number];
    unsigned traffic_class = net->config.plan.class_of[lane];

    if (source->shared_lane[traffic_class] == lane) {
        source->shared_lane[traffic_class] = GMS_FLIT_NO_LANE;
    } else {
        gms_flit_source_share(net, number, traffic_class);
    }
    if (!(source->active >> lane & 1) && source->queue[lane].first != NULL) {
        gms_flit_source_begin(net, number, lane,
                              gms_flit_list_take(&source->queue[lane]));
    }
    gms_flit_source_share(net, number, traffic_class);
}

static void gms_flit_source_offer(gms_flit_net_t *net,
                                  gms_flit_packet_t *packet)
{
    unsigned lane = (unsigned)packet->internal[0];
    uint32_t number = packet->source < net->nodes
                          ? packet->source
                          : net->nodes + gms_flit_home(net, packet->source);
    gms_flit_source_t *source = &net->source[number];

    source->waiting += packet->flits;
    if (lane == GMS_FLIT_ANY_LANE) {
        gms_flit_list_put(&source->shared[packet->traffic_class], packet);
        gms_flit_source_share(net, number, packet->traffic_class);
    } else if (source->active >> lane & 1) {
        gms_flit_list_put(&source->queue[lane], packet);
    } else {
        gms_flit_source_begin(net, number, lane, packet);
    }
}

void gms_flit_offer(gms_flit_net_t *net, gms_flit_packet_t *packet,
                    unsigned lane)
{
    assert(packet->flits > 0 && packet->traffic_class < GMS_LANE_CLASSES);
    assert(net->config.plan.class_lanes[packet->traffic_class] != 0);
    assert(lane == GMS_FLIT_ANY_LANE ||
           (net->config.plan.class_lanes[packet->traffic_class] >> lane & 1));
    packet->hops = 0;
    packet->internal[0] = lane;
    net->flits_offered += packet->flits;
    if (net->is_stepping) {
        gms_flit_list_put(&net->offered, packet);
    } else {
        gms_flit_source_offer(net, packet);
    }
}

void gms_flit_late_offers(gms_flit_net_t *net)
{
    gms_flit_packet_t *packet;

    while ((packet = gms_flit_list_take(&net->offered)) != NULL) {
        gms_flit_source_offer(net, packet);
    }
}

/* ---- a cycle ------------------------------------------------------------ */

static void gms_flit_head_fed(gms_flit_run_t *run, gms_flit_source_t *source,
                              unsigned lane)
{
    gms_flit_packet_t *packet = source->packet[lane];

    source->fresh &= (uint16_t) ~(1u << lane);
    packet->enter_cycle = run->net->now;
    gms_flit_expect(run->net, source->link, lane, packet);
    if (run->hooks->entered != NULL) {
        run->hooks->entered(run->context, packet);
    }
}

static void gms_flit_tail_fed(gms_flit_run_t *run, uint32_t number,
                              unsigned lane)
{
    gms_flit_net_t *net = run->net;
    gms_flit_source_t *source = &net->source[number];
    gms_flit_packet_t *packet = source->packet[lane];

    source->packet[lane] = NULL;
    source->active &= (uint16_t) ~(1u << lane);
    net->out[source->link].busy &= (uint16_t) ~(1u << lane);
    packet->leave_cycle = net->now;
    gms_flit_source_next(net, number, lane);
    if (run->hooks->left != NULL) {
        run->hooks->left(run->context, packet);
    }
}

void gms_flit_feed(gms_flit_run_t *run, uint32_t number)
{
    gms_flit_net_t *net = run->net;
    gms_flit_source_t *source = &net->source[number];
    gms_flit_out_t *out = &net->out[source->link];
    unsigned lane = gms_flit_pick(net, net->out_arbiter, net->out_since,
                                  source->link, source->ready, source->turn);

    gms_flit_served(net, net->out_arbiter, net->out_since, source->link, lane,
                    source->ready, &source->turn);
    gms_flit_take_credit(out, lane);
    gms_flit_carry(net, out);
    --source->waiting;
    gms_flit_push(net, GMS_FLIT_ARRIVE, net->source_cycles,
                  source->link * GMS_LANES_MAX + lane);
    if (source->fresh >> lane & 1) {
        gms_flit_head_fed(run, source, lane);
    }
    --source->rest[lane];
    if (source->rest[lane] == 0 || !(out->credit >> lane & 1)) {
        source->ready &= (uint16_t) ~(1u << lane);
    }
    if (source->rest[lane] == 0) {
        gms_flit_tail_fed(run, number, lane);
    }
    if (source->ready == 0) {
        gms_flit_set_remove(&net->feeding, number);
    }
}
