/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A switch's crossbar: one flit per input and per output and cycle.
 *
 * One round of asking, granting and accepting, with pointers that move on
 * accepted grants only [source: McKeown 1999, iSLIP]:
 *
 *   ask     each input, for the outputs of all its ready lanes
 *   grant   each output, to the most urgent class that asks, the next input in
 *           turn
 *   accept  each input, one of the lanes whose output was granted: as its
 *           arbiter says
 */
#include "fabric/flit_int.h"

/* Who asks which output. */
typedef struct gms_flit_asks {
    uint64_t outputs;                    /* that are asked */
    uint8_t classes[GMS_FLIT_PORTS_MAX]; /* by output: classes that ask */
    uint64_t inputs[GMS_FLIT_PORTS_MAX][GMS_LANE_CLASSES];
} gms_flit_asks_t;

/* By input: outputs that were granted, and to which class. */
typedef struct gms_flit_grants {
    uint64_t inputs;
    uint64_t outputs[GMS_FLIT_PORTS_MAX];
    uint8_t class_[GMS_FLIT_PORTS_MAX]; /* by output */
} gms_flit_grants_t;

/* ---- a flit goes -------------------------------------------------------- */

static void gms_flit_head_crossed(gms_flit_net_t *net, gms_flit_in_t *in,
                                  unsigned lane, uint32_t out_link)
{
    const gms_flit_lane_t *at = &in->lane[lane];
    gms_flit_packet_t *packet = at->front;

    in->fresh &= (uint16_t) ~(1u << lane);
    ++packet->hops;
    if (net->is_buffered) {
        gms_flit_buffer_t *buffer = &net->buffer[out_link];

        buffer->packet[at->out_lane] = packet;
        buffer->rest[at->out_lane] = packet->flits;
        buffer->fresh |= (uint16_t)(1u << at->out_lane);
    } else {
        gms_flit_expect(net, out_link, at->out_lane, packet);
    }
}

/* The packet behind it, if it is here, is routed from the next cycle on. */
static void gms_flit_tail_crossed(gms_flit_net_t *net, gms_flit_in_t *in,
                                  uint32_t link, unsigned lane,
                                  uint32_t out_link)
{
    gms_flit_lane_t *at = &in->lane[lane];

    in->active &= (uint16_t) ~(1u << lane);
    net->out[out_link].owner[at->out_lane] = GMS_FLIT_NO_OWNER;
    if (!net->is_buffered) {
        gms_flit_release(net, out_link, at->out_lane);
    }
    gms_flit_advance(net, link, lane);
    if (at->flits > 0) {
        gms_flit_push(net, GMS_FLIT_ROUTED, 1 + net->config.route_cycles,
                      link * GMS_LANES_MAX + lane);
    }
}

/* @return the output lane takes no more now */
static int gms_flit_drive(gms_flit_net_t *net, gms_flit_switch_t *at,
                          uint32_t out_link, unsigned lane)
{
    gms_flit_out_t *out = &net->out[out_link];
    uint32_t entry = out_link * GMS_LANES_MAX + lane;

    if (!net->is_buffered) {
        gms_flit_take_credit(out, lane);
        ++out->carried;
        gms_flit_push(net, GMS_FLIT_ARRIVE, out->delay, entry);
        return !(out->credit >> lane & 1);
    }
    if (--net->buffer[out_link].room[lane] == 0) {
        out->open &= (uint16_t) ~(1u << lane);
    }
    ++at->counts.writes;
    gms_flit_push(net, GMS_FLIT_BUFFERED, net->cross_cycles, entry);
    return !(out->open >> lane & 1);
}

static void gms_flit_go(gms_flit_net_t *net, gms_flit_switch_t *at,
                        uint32_t link, unsigned lane)
{
    gms_flit_in_t *in = &net->in[link];
    gms_flit_lane_t *from = &in->lane[lane];
    uint32_t out_link = at->out_first + from->out_port;
    uint16_t bit = (uint16_t)(1u << lane);
    int stops = gms_flit_drive(net, at, out_link, from->out_lane);

    ++at->counts.crossings;
    ++at->counts.reads;
    if (from->flits-- == net->config.buffer_flits) {
        --at->full;
        --net->full;
    }
    gms_flit_push(net, GMS_FLIT_CREDIT, net->config.credit_cycles,
                  link * GMS_LANES_MAX + lane);
    if (in->fresh & bit) {
        gms_flit_head_crossed(net, in, lane, out_link);
    }
    if (--from->rest == 0) {
        gms_flit_tail_crossed(net, in, link, lane, out_link);
        stops = 1;
    }
    if (stops || from->flits == 0) {
        in->ready &= (uint16_t)~bit;
        if (in->ready == 0) {
            at->ready &= ~(UINT64_C(1) << in->port);
        }
    }
}

/* The input's arbiter chooses among candidates; the others have waited. */
static void gms_flit_accept_one(gms_flit_net_t *net, gms_flit_switch_t *at,
                                unsigned port, uint16_t candidates)
{
    uint32_t link = at->in[port];
    gms_flit_in_t *in = &net->in[link];
    unsigned lane = gms_flit_pick(net, net->in_arbiter, net->in_since, link,
                                  candidates, in->turn);

    gms_flit_served(net, net->in_arbiter, net->in_since, link, lane, in->ready,
                    &in->turn);
    gms_flit_go(net, at, link, lane);
}

/* ---- who goes ----------------------------------------------------------- */

static void gms_flit_ask(const gms_flit_net_t *net, const gms_flit_switch_t *at,
                         gms_flit_asks_t *asks)
{
    uint64_t ports;

    asks->outputs = 0;
    for (ports = at->ready; ports != 0; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctzll(ports);
        const gms_flit_in_t *in = &net->in[at->in[port]];
        uint32_t lanes;

        for (lanes = in->ready; lanes != 0; lanes &= lanes - 1) {
            unsigned lane = (unsigned)__builtin_ctz(lanes);
            unsigned output = in->lane[lane].out_port;
            unsigned class_ = net->config.plan.class_of[lane];

            if (!(asks->outputs >> output & 1)) {
                asks->outputs |= UINT64_C(1) << output;
                asks->classes[output] = 0;
            }
            if (!(asks->classes[output] >> class_ & 1)) {
                asks->classes[output] |= (uint8_t)(1u << class_);
                asks->inputs[output][class_] = 0;
            }
            asks->inputs[output][class_] |= UINT64_C(1) << port;
        }
    }
}

/* All lanes of some classes. */
static uint16_t gms_flit_class_lanes(const gms_flit_net_t *net,
                                     unsigned classes)
{
    uint16_t lanes = 0;

    for (; classes != 0; classes &= classes - 1) {
        lanes |= net->config.plan.class_lanes[__builtin_ctz(classes)];
    }
    return lanes;
}

/* The most urgent class that asks, as in lane arbitration: best effort gets its
 * part of an output, too, whichever inputs it comes from. */
static unsigned gms_flit_urgent_class(const gms_flit_net_t *net,
                                      uint32_t out_link, unsigned classes)
{
    const gms_lane_plan_t *plan = &net->config.plan;

    if ((classes & (classes - 1)) == 0) {
        return (unsigned)__builtin_ctz(classes);
    }
    return plan->class_of[__builtin_ctz(gms_lane_turn(
        &net->grant_arbiter[out_link], plan, &net->table[out_link],
        gms_flit_class_lanes(net, classes)))];
}

static void gms_flit_grant(const gms_flit_net_t *net,
                           const gms_flit_switch_t *at,
                           const gms_flit_asks_t *asks,
                           gms_flit_grants_t *grants)
{
    uint64_t outputs;

    grants->inputs = 0;
    for (outputs = asks->outputs; outputs != 0; outputs &= outputs - 1) {
        unsigned output = (unsigned)__builtin_ctzll(outputs);
        uint32_t link = at->out_first + output;
        unsigned class_ =
            gms_flit_urgent_class(net, link, asks->classes[output]);
        unsigned input = gms_flit_next_port(asks->inputs[output][class_],
                                            net->out[link].turn);

        grants->class_[output] = (uint8_t)class_;
        if (!(grants->inputs >> input & 1)) {
            grants->inputs |= UINT64_C(1) << input;
            grants->outputs[input] = 0;
        }
        grants->outputs[input] |= UINT64_C(1) << output;
    }
}

/* Ready lanes of an input whose outputs were granted to their class. */
static uint16_t gms_flit_granted(const gms_flit_net_t *net,
                                 const gms_flit_in_t *in,
                                 const gms_flit_grants_t *grants, unsigned port)
{
    uint16_t candidates = 0;
    uint32_t lanes;

    for (lanes = in->ready; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned output = in->lane[lane].out_port;

        if ((grants->outputs[port] >> output & 1) &&
            grants->class_[output] == net->config.plan.class_of[lane]) {
            candidates |= (uint16_t)(1u << lane);
        }
    }
    return candidates;
}

static void gms_flit_output_served(gms_flit_net_t *net, uint32_t link,
                                   unsigned lane, unsigned classes,
                                   unsigned port)
{
    net->out[link].turn = (uint8_t)port;
    if (!net->takes_turns) {
        gms_lane_arbiter_served(&net->grant_arbiter[link], &net->config.plan,
                                &net->table[link], lane,
                                gms_flit_class_lanes(net, classes));
    }
}

static void gms_flit_match(gms_flit_net_t *net, gms_flit_switch_t *at)
{
    gms_flit_asks_t asks;
    gms_flit_grants_t grants;

    gms_flit_ask(net, at, &asks);
    gms_flit_grant(net, at, &asks, &grants);
    while (grants.inputs != 0) {
        unsigned port = at->allowance == GMS_FLIT_NO_ALLOWANCE
                            ? (unsigned)__builtin_ctzll(grants.inputs)
                            : gms_flit_next_port(grants.inputs, at->turn);
        gms_flit_in_t *in = &net->in[at->in[port]];
        unsigned output;

        grants.inputs &= ~(UINT64_C(1) << port);
        if (at->allowance == 0) {
            break;
        }
        gms_flit_accept_one(net, at, port,
                            gms_flit_granted(net, in, &grants, port));
        output = in->lane[in->turn].out_port;
        gms_flit_output_served(net, at->out_first + output, in->turn,
                               asks.classes[output], port);
        if (at->allowance != GMS_FLIT_NO_ALLOWANCE) {
            at->turn = (uint8_t)port;
            --at->allowance;
        }
    }
}

void gms_flit_cross(gms_flit_net_t *net, uint32_t switch_)
{
    gms_flit_switch_t *at = &net->switch_[switch_];

    if (at->allowance != 0) {
        gms_flit_match(net, at);
    }
    if (at->ready == 0) {
        gms_flit_set_remove(&net->crossing, switch_);
    }
}
