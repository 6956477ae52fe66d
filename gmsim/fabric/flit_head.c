/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves the heads of packets from the front of an input lane to an output and a
 * lane of this output.
 *
 * A head is routed when it reaches the front of its lane. The head reaches the
 * front one cycle after the tail of the previous packet has left. A head that
 * finds no free lane waits in a queue of its output. An output has one queue
 * per class, or one queue per lane with GMS_FLIT_LANES_DRAWN. A lane that
 * becomes free in a cycle is assigned in the next cycle, first come, first
 * served. A lane never remains free while heads wait for it. Therefore no head
 * overtakes another.
 */
#include "fabric/flit_int.h"

/* Choose the next free lane of a class in round-robin order. Lanes with a
 * credit are preferred. */
static unsigned gms_flit_choose(const gms_flit_out_t *out, uint16_t free_lanes,
                                unsigned traffic_class)
{
    uint16_t better = free_lanes & out->credit;

    return gms_lane_next(better != 0 ? better : free_lanes,
                         out->lane_turn[traffic_class]);
}

static void gms_flit_give(gms_flit_net_t *net, uint32_t entry,
                          gms_flit_out_t *out, unsigned out_lane)
{
    const gms_flit_in_t *in = &net->in[entry / GMS_LANES_MAX];
    uint32_t out_link = (uint32_t)(out - net->out);

    out->busy |= (uint16_t)(1u << out_lane);
    net->owner[out_link * GMS_LANES_MAX + out_lane] =
        (uint16_t)(in->port * GMS_LANES_MAX + entry % GMS_LANES_MAX);
    out->lane_turn[net->config.plan.class_of[out_lane]] = (uint8_t)out_lane;
    net->lane[entry].out_lane = (uint8_t)out_lane;
    ++net->switch_state[in->switch_index].counts.arbitrations;
    if (net->config.lane_cycles == 0) {
        gms_flit_head_allocated(net, entry);
    } else {
        gms_flit_push(net, GMS_FLIT_ALLOCATED, net->config.lane_cycles, entry);
    }
}

void gms_flit_head_allocated(gms_flit_net_t *net, uint32_t entry)
{
    uint32_t link = entry / GMS_LANES_MAX;
    unsigned lane = entry % GMS_LANES_MAX;
    gms_flit_in_t *in = &net->in[link];
    const gms_flit_lane_t *at = &net->lane[entry];
    const gms_flit_out_t *out =
        &net->out[net->switch_state[in->switch_index].out_first + at->out_port];

    in->active |= (uint16_t)(1u << lane);
    in->fresh |= (uint16_t)(1u << lane);
    if (gms_flit_open_lanes(net, out) >> at->out_lane & 1) {
        gms_flit_set_ready(net, in, link, lane);
    }
}

static void gms_flit_wait(gms_flit_net_t *net, uint32_t entry, uint32_t link,
                          unsigned queue)
{
    gms_flit_waiters_t *waiters =
        &net->waiters[(size_t)link * GMS_LANES_MAX + queue];

    if (net->out[link].waiting >> queue & 1) {
        net->next_waiter[waiters->last] = entry;
    } else {
        net->out[link].waiting |= (uint16_t)(1u << queue);
        waiters->first = entry;
    }
    waiters->last = entry;
}

static uint32_t gms_flit_unwait(gms_flit_net_t *net, uint32_t link,
                                unsigned queue)
{
    gms_flit_waiters_t *waiters =
        &net->waiters[(size_t)link * GMS_LANES_MAX + queue];
    uint32_t entry = waiters->first;

    if (entry == waiters->last) {
        net->out[link].waiting &= (uint16_t) ~(1u << queue);
    } else {
        waiters->first = net->next_waiter[entry];
    }
    return entry;
}

static unsigned gms_flit_visit(gms_flit_run_t *run, uint32_t link,
                               gms_flit_packet_t *packet, unsigned port)
{
    gms_flit_net_t *net = run->net;
    uint32_t switch_index = net->in[link].switch_index;
    const gms_flit_switch_t *at = &net->switch_state[switch_index];

    if (run->hooks->visit != NULL &&
        run->hooks->visit(
            run->context, switch_index, packet, net->outside[link],
            net->outside[at->out_first + port]) == GMS_FLIT_ABSORB &&
        net->config.agents) {
        return at->ports - 1u;
    }
    return port;
}

void gms_flit_head_routed(gms_flit_run_t *run, uint32_t entry)
{
    gms_flit_net_t *net = run->net;
    uint32_t link = entry / GMS_LANES_MAX, out_link;
    gms_flit_in_t *in = &net->in[link];
    gms_flit_lane_t *at = &net->lane[entry];
    gms_flit_packet_t *packet = at->front;
    unsigned traffic_class = packet->traffic_class, queue = traffic_class;
    unsigned port = gms_flit_route(net, in->switch_index, packet);
    uint16_t lanes = net->config.plan.class_lanes[traffic_class];
    gms_flit_out_t *out;

    if (packet->visits) {
        port = gms_flit_visit(run, link, packet, port);
    }
    at->out_port = (uint8_t)port;
    out_link = net->switch_state[in->switch_index].out_first + port;
    out = &net->out[out_link];
    if (net->config.lane_choice == GMS_FLIT_LANES_DRAWN) {
        queue = gms_flit_drawn_lane(&net->config, packet->draw,
                                    packet->hops + 1, traffic_class);
        lanes = (uint16_t)(1u << queue);
    }
    lanes &= (uint16_t)~out->busy;
    if (lanes != 0) {
        gms_flit_give(net, entry, out,
                      gms_flit_choose(out, lanes, traffic_class));
    } else {
        gms_flit_wait(net, entry, out_link, queue);
    }
}

/* Assign free lanes of an output to waiting heads. */
static void gms_flit_retry_at(gms_flit_net_t *net, uint32_t link)
{
    gms_flit_out_t *out = &net->out[link];
    int is_drawn = net->config.lane_choice == GMS_FLIT_LANES_DRAWN;
    uint16_t queues;

    for (queues = out->waiting; queues != 0; queues &= (uint16_t)(queues - 1)) {
        unsigned queue = (unsigned)__builtin_ctz(queues);
        unsigned lanes =
            is_drawn ? 1u << queue : net->config.plan.class_lanes[queue];

        while ((out->waiting >> queue & 1) &&
               (lanes & ~(unsigned)out->busy) != 0) {
            unsigned lane =
                is_drawn
                    ? queue
                    : gms_flit_choose(
                          out, (uint16_t)(lanes & ~(unsigned)out->busy), queue);

            gms_flit_give(net, gms_flit_unwait(net, link, queue), out, lane);
        }
    }
}

void gms_flit_heads_retry(gms_flit_run_t *run)
{
    gms_flit_net_t *net = run->net;
    uint32_t count = net->freed_count, i;

    net->freed_count = 0;
    for (i = 0; i < count; ++i) {
        gms_flit_retry_at(net, net->freed[i]);
    }
}
