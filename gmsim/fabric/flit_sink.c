/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates the targets of packets. A link delivers at most one flit per cycle,
 * so a target that accepts every packet takes each flit at once. If a target
 * does not accept a packet yet, the packet's flits remain in the buffer of the
 * lane until the target accepts the packet. From then on, the target takes one
 * flit per cycle.
 */
#include <assert.h>

#include "fabric/flit_int.h"

static void gms_flit_sink_ask(gms_flit_run_t *run, uint32_t link, unsigned lane)
{
    gms_flit_packet_t *packet = gms_flit_lanes(run->net, link)[lane].front;

    packet->internal[0] = link * GMS_LANES_MAX + lane;
    if (run->hooks->asks != NULL) {
        run->hooks->asks(run->context, packet);
    }
}

static void gms_flit_sink_report(gms_flit_run_t *run, uint32_t end,
                                 gms_flit_packet_t *packet)
{
    packet->arrive_cycle = run->net->now;
    if (packet->target == end) {
        if (run->hooks->arrived != NULL) {
            run->hooks->arrived(run->context, packet);
        }
    } else if (run->hooks->absorbed != NULL) {
        run->hooks->absorbed(run->context, end & ~GMS_FLIT_AGENT(0), packet);
    }
}

/* Consume a flit.
 * @return the packet if the flit was its tail, else NULL */
static gms_flit_packet_t *gms_flit_sink_consume(gms_flit_net_t *net,
                                                uint32_t link, unsigned lane)
{
    gms_flit_lane_t *at = &gms_flit_lanes(net, link)[lane];
    gms_flit_packet_t *packet = at->front;

    ++net->flits_consumed;
    gms_flit_push(net, GMS_FLIT_CREDIT, net->config.credit_cycles,
                  link * GMS_LANES_MAX + lane);
    if (--at->rest > 0) {
        return NULL;
    }
    gms_flit_advance(net, link, lane);
    return packet;
}

void gms_flit_sink_arrived(gms_flit_run_t *run, uint32_t link, unsigned lane)
{
    gms_flit_net_t *net = run->net;
    gms_flit_in_t *in = &net->in[link];

    if (!net->config.sinks_hold || in->end >= net->nodes) {
        gms_flit_packet_t *packet = gms_flit_sink_consume(net, link, lane);

        if (packet != NULL) {
            gms_flit_sink_report(run, in->end, packet);
        }
        return;
    }
    ++gms_flit_lanes(net, link)[lane].flits;
    if (in->active >> lane & 1) {
        in->ready |= (uint16_t)(1u << lane);
        gms_flit_set_add(&net->taking, link);
    } else if (gms_flit_lanes(net, link)[lane].flits == 1) {
        gms_flit_sink_ask(run, link, lane);
    }
}

void gms_flit_sink_take(gms_flit_run_t *run, uint32_t link)
{
    gms_flit_net_t *net = run->net;
    gms_flit_in_t *in = &net->in[link];
    unsigned lane = gms_flit_pick(net, net->in_arbiter, net->in_since, link,
                                  in->ready, in->turn);
    gms_flit_lane_t *at = &gms_flit_lanes(net, link)[lane];
    gms_flit_packet_t *packet;

    gms_flit_served(net, net->in_arbiter, net->in_since, link, lane, in->ready,
                    &in->turn);
    packet = gms_flit_sink_consume(net, link, lane);
    --at->flits;
    if (packet != NULL) {
        in->active &= (uint16_t) ~(1u << lane);
    }
    if (packet != NULL || at->flits == 0) {
        in->ready &= (uint16_t) ~(1u << lane);
    }
    if (in->ready == 0) {
        gms_flit_set_remove(&net->taking, link);
    }
    if (packet != NULL) {
        gms_flit_sink_report(run, in->end, packet);
        if (at->flits > 0) {
            gms_flit_sink_ask(run, link, lane);
        }
    }
}

static void gms_flit_sink_accept(gms_flit_net_t *net, gms_flit_packet_t *packet)
{
    uint32_t link = (uint32_t)(packet->internal[0] / GMS_LANES_MAX);
    unsigned lane = (unsigned)(packet->internal[0] % GMS_LANES_MAX);
    gms_flit_in_t *in = &net->in[link];

    assert(net->lane[packet->internal[0]].front == packet &&
           in->switch_index == GMS_LINK_NONE);
    in->active |= (uint16_t)(1u << lane);
    in->ready |= (uint16_t)(1u << lane);
    if (net->has_since) {
        net->in_since[link * GMS_LANES_MAX + lane] = (uint32_t)net->now;
    }
    gms_flit_set_add(&net->taking, link);
}

void gms_flit_accept(gms_flit_net_t *net, gms_flit_packet_t *packet)
{
    if (net->is_stepping) {
        gms_flit_list_put(&net->accepted, packet);
    } else {
        gms_flit_sink_accept(net, packet);
    }
}

void gms_flit_late_accepts(gms_flit_net_t *net)
{
    gms_flit_packet_t *packet;

    while ((packet = gms_flit_list_take(&net->accepted)) != NULL) {
        gms_flit_sink_accept(net, packet);
    }
}
