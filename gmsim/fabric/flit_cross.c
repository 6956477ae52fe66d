/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates the crossbar of a switch. In each cycle, at most one flit leaves
 * each input, and at most one flit reaches each output.
 *
 * Every cycle consists of rounds with requests, grants and accepts. A
 * round-robin pointer advances only after an accepted grant [source: McKeown
 * 1999, iSLIP]. A round considers only inputs and outputs that earlier rounds
 * have not matched:
 *
 *   request every input, for the outputs of all its ready lanes
 *   grant   every output. If all lanes are equal: the next input in turn, for
 *           any lane. Otherwise the link's arbiter chooses an output lane, and
 *           the input lane that owns it receives the grant. Classes and weights
 *           therefore also apply at the crossbar, because no later stage can
 *           correct the crossbar's choice
 *   accept  every input, one of the granted lanes: its arbiter chooses
 */
#include "fabric/flit_int.h"

typedef struct gms_flit_matched {
    uint64_t inputs, outputs;
} gms_flit_matched_t;

typedef struct gms_flit_asks {
    uint64_t outputs;                    /* requested outputs */
    uint64_t inputs[GMS_FLIT_PORTS_MAX]; /* inputs that request each output */
    uint16_t lanes[GMS_FLIT_PORTS_MAX];  /* requested lanes of each output */
} gms_flit_asks_t;

typedef struct gms_flit_grants {
    uint64_t inputs;
    uint16_t lanes[GMS_FLIT_PORTS_MAX]; /* granted lanes of each input */
} gms_flit_grants_t;

/* ---- crossing of a flit -------------------------------------------------- */

static void gms_flit_head_crossed(gms_flit_net_t *net,
                                  const gms_flit_lane_t *at, uint32_t out_link)
{
    gms_flit_packet_t *packet = at->front;

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

/* Free an input lane after the tail of its packet has crossed. If the next
 * packet is already in the input buffer, its routing begins in the next
 * cycle. */
static void gms_flit_tail_crossed(gms_flit_net_t *net, gms_flit_in_t *in,
                                  uint32_t link, unsigned lane,
                                  uint32_t out_link)
{
    gms_flit_lane_t *at = &gms_flit_lanes(net, link)[lane];

    in->active &= (uint16_t) ~(1u << lane);
    net->owner[out_link * GMS_LANES_MAX + at->out_lane] = GMS_FLIT_NO_OWNER;
    if (!net->is_buffered) {
        gms_flit_release(net, out_link, at->out_lane);
    }
    gms_flit_advance(net, link, lane);
    if (at->flits > 0) {
        gms_flit_push(net, GMS_FLIT_ROUTED, 1 + net->config.route_cycles,
                      link * GMS_LANES_MAX + lane);
    }
}

/* Send a flit to the output.
 * @return 1 if the output lane has no room for another flit now */
static int gms_flit_drive(gms_flit_net_t *net, gms_flit_switch_t *at,
                          uint32_t out_link, unsigned lane)
{
    gms_flit_out_t *out = &net->out[out_link];
    uint32_t entry = out_link * GMS_LANES_MAX + lane;

    if (!net->is_buffered) {
        gms_flit_take_credit(out, lane);
        gms_flit_carry(net, out);
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
    gms_flit_lane_t *from = &gms_flit_lanes(net, link)[lane];
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
        in->fresh &= (uint16_t)~bit;
        gms_flit_head_crossed(net, from, out_link);
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

/* ---- matching ------------------------------------------------------------ */

static void gms_flit_ask(const gms_flit_net_t *net, const gms_flit_switch_t *at,
                         const gms_flit_matched_t *matched,
                         gms_flit_asks_t *asks)
{
    uint64_t ports;

    asks->outputs = 0;
    for (ports = at->ready & ~matched->inputs; ports != 0; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctzll(ports);
        const gms_flit_lane_t *froms = gms_flit_lanes(net, at->in[port]);
        uint32_t lanes;

        for (lanes = net->in [at->in[port]].ready; lanes != 0;
             lanes &= lanes - 1) {
            const gms_flit_lane_t *from = &froms[__builtin_ctz(lanes)];
            unsigned output = from->out_port;

            if (matched->outputs >> output & 1) {
                continue;
            }
            if (!(asks->outputs >> output & 1)) {
                asks->outputs |= UINT64_C(1) << output;
                asks->inputs[output] = 0;
                asks->lanes[output] = 0;
            }
            asks->inputs[output] |= UINT64_C(1) << port;
            asks->lanes[output] |= (uint16_t)(1u << from->out_lane);
        }
    }
}

/* For each lane of an output, return the time at which the input lane that owns
 * it began to wait. */
static const uint32_t *gms_flit_since(const gms_flit_net_t *net,
                                      const gms_flit_switch_t *at,
                                      const uint16_t *owners, uint16_t lanes,
                                      uint32_t since[GMS_LANES_MAX])
{
    for (; net->has_since && lanes != 0; lanes &= (uint16_t)(lanes - 1)) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned owner = owners[lane];

        since[lane] =
            net->in_since[at->in[owner / GMS_LANES_MAX] * GMS_LANES_MAX +
                          owner % GMS_LANES_MAX];
    }
    return since;
}

/* Let the output's arbiter choose one of the output's lanes.
 * @return the input lane that owns this lane, as input port * 16 + lane */
static unsigned gms_flit_grant_lane(const gms_flit_net_t *net,
                                    const gms_flit_switch_t *at, uint32_t link,
                                    uint16_t lanes)
{
    const uint16_t *owners = &net->owner[(size_t)link * GMS_LANES_MAX];
    uint32_t since[GMS_LANES_MAX];

    return owners[gms_lane_arbiter_pick(
        &net->grant_arbiter[link], &net->config.plan, &net->table[link], lanes,
        gms_flit_since(net, at, owners, lanes, since))];
}

/* Return the ready lanes of an input that lead to an output. */
static uint16_t gms_flit_lanes_to(const gms_flit_net_t *net, uint32_t link,
                                  unsigned output)
{
    const gms_flit_lane_t *froms = gms_flit_lanes(net, link);
    uint32_t lanes, found = 0;

    for (lanes = net->in[link].ready; lanes != 0; lanes &= lanes - 1) {
        if (froms[__builtin_ctz(lanes)].out_port == output) {
            found |= lanes & -lanes;
        }
    }
    return (uint16_t)found;
}

static void gms_flit_grant(const gms_flit_net_t *net,
                           const gms_flit_switch_t *at,
                           const gms_flit_asks_t *asks,
                           gms_flit_grants_t *grants)
{
    uint64_t outputs;

    grants->inputs = 0;
    for (outputs = asks->outputs; outputs != 0; outputs &= outputs - 1) {
        unsigned output = (unsigned)__builtin_ctzll(outputs), input;
        uint32_t link = at->out_first + output;
        uint16_t lanes;

        if (net->takes_turns) {
            input =
                gms_flit_next_port(asks->inputs[output], net->out[link].turn);
            lanes = gms_flit_lanes_to(net, at->in[input], output);
        } else {
            unsigned owner =
                gms_flit_grant_lane(net, at, link, asks->lanes[output]);

            input = owner / GMS_LANES_MAX;
            lanes = (uint16_t)(1u << owner % GMS_LANES_MAX);
        }
        if (!(grants->inputs >> input & 1)) {
            grants->inputs |= UINT64_C(1) << input;
            grants->lanes[input] = 0;
        }
        grants->lanes[input] |= lanes;
    }
}

/* Accept one of an input's granted lanes. The input's arbiter chooses this
 * lane. Inform the arbiters of the lanes that have waited. The input's arbiter
 * receives all ready lanes as candidates. The output's arbiter receives all
 * requested lanes as candidates. If `asks` is NULL, the output's arbiter
 * receives only the granted lane.
 * @return the output */
static unsigned gms_flit_accept_one(gms_flit_net_t *net, gms_flit_switch_t *at,
                                    const gms_flit_asks_t *asks, unsigned port,
                                    uint16_t candidates)
{
    uint32_t link = at->in[port], out_link;
    gms_flit_in_t *in = &net->in[link];
    unsigned lane = gms_flit_pick(net, net->in_arbiter, net->in_since, link,
                                  candidates, in->turn);
    const gms_flit_lane_t *from = &gms_flit_lanes(net, link)[lane];
    unsigned output = from->out_port, out_lane = from->out_lane;
    uint16_t waited = (uint16_t)(1u << out_lane);

    out_link = at->out_first + output;
    gms_flit_served(net, net->in_arbiter, net->in_since, link, lane, in->ready,
                    &in->turn);
    net->out[out_link].turn = (uint8_t)port;
    if (!net->takes_turns) {
        waited = asks == NULL ? waited : asks->lanes[output];
        gms_lane_arbiter_served(&net->grant_arbiter[out_link],
                                &net->config.plan, &net->table[out_link],
                                out_lane, waited);
    }
    gms_flit_go(net, at, link, lane);
    return output;
}

/* Run one round of the matching. The requests of the first round, `first`,
 * include all waiting lanes.
 * @return 1 if at least one output with requests has not been matched */
static int gms_flit_round(gms_flit_net_t *net, gms_flit_switch_t *at,
                          const gms_flit_asks_t *first,
                          const gms_flit_asks_t *asks,
                          gms_flit_matched_t *matched)
{
    gms_flit_grants_t grants;

    gms_flit_grant(net, at, asks, &grants);
    while (grants.inputs != 0 && at->allowance != 0) {
        unsigned port = at->allowance == GMS_FLIT_NO_ALLOWANCE
                            ? (unsigned)__builtin_ctzll(grants.inputs)
                            : gms_flit_next_port(grants.inputs, at->turn);

        grants.inputs &= ~(UINT64_C(1) << port);
        matched->inputs |= UINT64_C(1) << port;
        matched->outputs |= UINT64_C(1) << gms_flit_accept_one(
                                net, at, first, port, grants.lanes[port]);
        if (at->allowance != GMS_FLIT_NO_ALLOWANCE) {
            at->turn = (uint8_t)port;
            --at->allowance;
        }
    }
    return (asks->outputs & ~matched->outputs) != 0;
}

static void gms_flit_match(gms_flit_net_t *net, gms_flit_switch_t *at)
{
    gms_flit_matched_t matched = {0, 0};
    gms_flit_asks_t first, asks;
    unsigned round;
    int goes_on;

    gms_flit_ask(net, at, &matched, &first);
    goes_on = gms_flit_round(net, at, &first, &first, &matched);
    for (round = 1; goes_on && round < net->config.match_rounds; ++round) {
        gms_flit_ask(net, at, &matched, &asks);
        goes_on = asks.outputs != 0 &&
                  gms_flit_round(net, at, &first, &asks, &matched);
    }
}

/* If possible, send flits through the crossbar without matching. In most
 * cycles, a switch needs no matching: only one input has ready lanes, or
 * several inputs have one ready lane each, for different outputs. If lanes have
 * weights and an input has several ready lanes, matching is necessary, because
 * the output chooses among these lanes.
 * @return 1 if the flits were sent without matching */
static int gms_flit_cross_apart(gms_flit_net_t *net, gms_flit_switch_t *at)
{
    int is_alone = net->takes_turns && (at->ready & (at->ready - 1)) == 0;
    uint64_t outputs = 0, ports;

    if (at->allowance != GMS_FLIT_NO_ALLOWANCE) {
        return 0;
    }
    for (ports = at->ready; ports != 0 && !is_alone; ports &= ports - 1) {
        uint32_t link = at->in[__builtin_ctzll(ports)];
        uint32_t lanes = net->in[link].ready;
        uint64_t output =
            UINT64_C(1)
            << gms_flit_lanes(net, link)[__builtin_ctz(lanes)].out_port;

        if ((lanes & (lanes - 1)) != 0 || (outputs & output) != 0) {
            return 0;
        }
        outputs |= output;
    }
    for (ports = at->ready; ports != 0; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctzll(ports);

        gms_flit_accept_one(net, at, NULL, port, net->in[at->in[port]].ready);
    }
    return 1;
}

void gms_flit_cross(gms_flit_net_t *net, uint32_t switch_index)
{
    gms_flit_switch_t *at = &net->switch_state[switch_index];

    if (at->allowance != 0 && !gms_flit_cross_apart(net, at)) {
        gms_flit_match(net, at);
    }
    if (at->ready == 0) {
        gms_flit_set_remove(&net->crossing, switch_index);
    }
}
