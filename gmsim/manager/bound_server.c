/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the largest delay of one server of a fabric with reserved lanes. The
 * delay is the time from the arrival of a packet until the packet has left, and
 * includes the service of the packet itself.
 *
 *   SOURCE  from the NDT, or from the descriptor's arrival in the NIC, until the
 *           head enters the first link. Packets are served by NDT.
 *   LINK    from the head's arrival at the switch until the tail has entered the
 *           link
 *   TARGET  from the head's arrival at the last switch until the event is in host
 *           memory
 *
 * A NIC and its link work at the same time and serve the same packets in the
 * same order. Consider any packet, then the packet for which it waited, and so
 * on, back to the beginning of the busy period. For all of these packets except
 * one, only the time in the NIC or only the time on the link adds to the delay.
 * For the remaining packet, both times add to the delay. Together, the NIC and
 * its link therefore form one server at which a packet costs the larger of the
 * two times. If all buffers are full, the NIC waits for a free buffer. Both
 * times of one more packet then add to the delay, while the packets in the
 * other buffers add nothing. Therefore the sum of the two times is divided
 * among the buffers, and every packet is charged at least this part (floor_ps).
 *
 * At a source, the delay of a packet ends when the packet enters the link. The
 * time of the last packet n on the link is therefore not part of the delay. The
 * time in the NIC is part of the delay for packets 1 .. j. The time on the link
 * is part of the delay for packets j .. n - 1. The bound charges every packet,
 * including packet n, with the larger of its two times. The only missing time
 * is the smaller time of packet j, while an unnecessary time of packet n is
 * included. If packet n is short and packet j is long, the difference is added
 * as extra work (both_ps).
 *
 * In a NIC, sending and receiving take turns while both have work. Before each
 * transfer of this direction, at most one packet of the other direction is
 * served if such a packet has arrived. An event is a separate transfer. If a
 * packet spends more time on the link than in the NIC, its cost is the time on
 * the link. The NIC can spend the difference (slack_ps) on the other direction.
 *
 * With few flows, the delay is computed at every instant at which it can reach
 * its maximum. These instants are the arrivals of packets, and the times at
 * which an input's link has delivered all packets that its flows have sent so
 * far.
 */
#include "manager/bound_int.h"

/* Maximum number of arrivals in a busy period that are computed individually.
 * With more arrivals, the delay is computed from straight lines. */
#define GMS_BOUND_STEPS 256u
/* Number of acknowledgements of a flow that may arrive at once.
 * Acknowledgements are sent one by one, but may catch up with each other.
 * [assumed: the number of packets that a flow has in flight while an
 * acknowledgement is late, in networks of usual size] */
#define GMS_BOUND_ACKS 3u

/* State of a server's flows at a given time. */
typedef struct gms_bound_now {
    const gms_bound_t *bound;
    const gms_bound_manner_t *manner;
    gms_bound_item_t items[GMS_BOUND_EXACT_FLOWS]; /* flows, sorted by input */
    /* number of packets of each item that have arrived */
    uint64_t packets[GMS_BOUND_EXACT_FLOWS];
    unsigned by_slack[GMS_BOUND_EXACT_FLOWS]; /* indices of the items, smallest
                                               * slack first */
    unsigned count;
    gms_time_t best_ps;
} gms_bound_now_t;

/* ---- work that has arrived ---- */

/* Returns the work of the packets of one input, whose items have the indices
 * first .. last - 1. The work is the smaller of two values: the work that their
 * pace allows, and the work that their link can have delivered since the busy
 * period began. */
static gms_time_t gms_bound_input_work(const gms_bound_now_t *now,
                                       unsigned first, unsigned last,
                                       gms_time_t x_ps, gms_time_t *full_p)
{
    const gms_bound_manner_t *manner = now->manner;
    gms_time_t work_ps = 0, wire_ps = 0, line_ps, fixed_ps = 0;
    unsigned i;

    *full_p = 0;
    for (i = first; i < last; ++i) {
        const gms_bound_item_t *item = &now->items[i];

        work_ps += now->packets[i] * item->cost_ps;
        fixed_ps += now->packets[i] * item->fixed_ps;
        wire_ps = item->wire_ps > wire_ps ? item->wire_ps : wire_ps;
    }
    if (!manner->has_lines) {
        return work_ps;
    }
    line_ps = fixed_ps +
              (gms_time_t)(manner->per_wire * (double)(x_ps + wire_ps)) + 1;
    if (line_ps < work_ps) {
        *full_p = x_ps + 1 +
                  (gms_time_t)((double)(work_ps - line_ps) / manner->per_wire);
        return line_ps;
    }
    return work_ps;
}

/* Returns all work that has arrived up to x. *full_p is set to the earliest
 * time from which a link no longer limits its input. This time is GMS_NEVER if
 * no link limits an input. */
static gms_time_t gms_bound_work(const gms_bound_now_t *now, gms_time_t x_ps,
                                 gms_time_t *full_p)
{
    gms_time_t work_ps = 0, full_ps;
    unsigned first = 0, last, i;

    *full_p = GMS_NEVER;
    while (first < now->count) {
        uint32_t hop = now->items[first].hop;
        uint32_t input = now->items[first].flow->hop[hop].input;

        last = first + 1;
        while (last < now->count &&
               now->items[last].flow->hop[now->items[last].hop].input ==
                   input) {
            ++last;
        }
        work_ps += gms_bound_input_work(now, first, last, x_ps, &full_ps);
        if (full_ps > 0 && full_ps < *full_p) {
            *full_p = full_ps;
        }
        first = last;
    }
    for (i = 0; i < now->count; ++i) {
        uint64_t few = now->packets[i] < GMS_BOUND_EXTRA_PACKETS
                           ? now->packets[i]
                           : GMS_BOUND_EXTRA_PACKETS;

        work_ps += few * now->items[i].extra_ps;
    }
    return work_ps + (gms_time_t)(now->manner->ack_rate * (double)x_ps);
}

/* Returns the number of packets of the other direction that have arrived in an
 * interval. */
static uint64_t gms_bound_others(const gms_bound_now_t *now, gms_time_t t_ps)
{
    const gms_bound_server_t *server;
    uint64_t packets = 0;
    uint32_t i;

    if (now->manner->other == GMS_LINK_NONE) {
        return 0;
    }
    server = &now->bound->servers[now->manner->other];
    for (i = 0; i < server->count; ++i) {
        packets +=
            gms_bound_arrivals(server->entries[i].flow, server->entries[i].hop,
                               t_ps + now->manner->other_late_ps);
    }
    return packets;
}

/* ---- delays ---- */

/* Returns the delay that `others` packets of the other direction cause in this
 * direction. Each of these packets is served before an event or a packet of
 * this direction. Before an event, the full time of the packet is counted.
 * Before a packet of this direction, only the time beyond the slack of that
 * packet is counted. */
static gms_time_t gms_bound_turns(const gms_bound_now_t *now, uint64_t others)
{
    gms_time_t cost_ps = now->manner->other_cost_ps, work_ps;
    uint64_t events = 0, part;
    unsigned i;

    for (i = 0; now->manner->has_events && i < now->count; ++i) {
        events += gms_bound_events(now->items[i].flow, now->packets[i]);
    }
    part = others < events ? others : events;
    work_ps = part * cost_ps;
    others -= part;
    for (i = 0; others > 0 && i < now->count; ++i) {
        unsigned at = now->by_slack[i];
        gms_time_t slack_ps = now->items[at].slack_ps;

        part = others < now->packets[at] ? others : now->packets[at];
        work_ps += part * (cost_ps > slack_ps ? cost_ps - slack_ps : 0);
        others -= part;
    }
    return work_ps;
}

/* Returns the time at which all work that has arrived up to x is done. */
static gms_time_t gms_bound_done(const gms_bound_now_t *now, gms_time_t work_ps)
{
    const gms_bound_manner_t *manner = now->manner;
    gms_time_t base_ps = manner->start_ps + manner->ack_ps + work_ps;
    gms_time_t done_ps = base_ps, before_ps;

    do {
        before_ps = done_ps;
        done_ps =
            base_ps + gms_bound_turns(now, gms_bound_others(now, done_ps));
    } while (done_ps > before_ps);
    return done_ps;
}

static void gms_bound_look(gms_bound_now_t *now, gms_time_t x_ps,
                           gms_time_t *full_p)
{
    gms_time_t done_ps = gms_bound_done(now, gms_bound_work(now, x_ps, full_p));

    if (done_ps > x_ps && done_ps - x_ps > now->best_ps) {
        now->best_ps = done_ps - x_ps;
    }
}

/* Advances the state from one arrival to the next. @return the time of the next
 * arrival; GMS_NEVER if the busy period ends before the next arrival */
static gms_time_t gms_bound_step(gms_bound_now_t *now, gms_time_t x_ps)
{
    gms_time_t next_ps = GMS_NEVER, at_ps = x_ps, full_ps, all_ps;
    unsigned i;

    for (i = 0; i < now->count; ++i) {
        const gms_bound_item_t *item = &now->items[i];
        gms_time_t j_ps = gms_bound_j(item->flow, item->hop), jump_ps;

        now->packets[i] = gms_bound_arrivals(item->flow, item->hop, x_ps);
        jump_ps = now->packets[i] * item->flow->idt_ps - j_ps;
        next_ps = jump_ps < next_ps ? jump_ps : next_ps;
    }
    gms_bound_look(now, at_ps, &full_ps);
    while (full_ps < next_ps) {
        at_ps = full_ps;
        gms_bound_look(now, at_ps, &full_ps);
    }
    if (full_ps != GMS_NEVER) {
        gms_bound_look(now, next_ps - 1, &full_ps);
        return next_ps;
    }
    all_ps = now->manner->start_ps + now->manner->ack_ps +
             gms_bound_work(now, at_ps, &full_ps) +
             gms_bound_others(now, next_ps) * now->manner->other_cost_ps;
    return all_ps <= next_ps ? GMS_NEVER : next_ps;
}

static void gms_bound_sort_by_slack(gms_bound_now_t *now)
{
    unsigned i, at;

    for (i = 0; i < now->count; ++i) {
        for (at = i; at > 0 && now->items[now->by_slack[at - 1]].slack_ps >
                                   now->items[i].slack_ps;
             --at) {
            now->by_slack[at] = now->by_slack[at - 1];
        }
        now->by_slack[at] = i;
    }
}

/* Sorts the flows by input. The flows of each input are then adjacent. */
static void gms_bound_gather(gms_bound_now_t *now)
{
    const gms_bound_server_t *server =
        &now->bound->servers[now->manner->server];
    uint32_t i;
    unsigned at;

    now->count = 0;
    for (i = 0; i < server->count; ++i) {
        gms_bound_item_t item;

        gms_bound_item(now->bound, now->manner, i, &item);
        for (at = now->count++;
             at > 0 &&
             now->items[at - 1].flow->hop[now->items[at - 1].hop].input >
                 item.flow->hop[item.hop].input;
             --at) {
            now->items[at] = now->items[at - 1];
        }
        now->items[at] = item;
    }
    gms_bound_sort_by_slack(now);
}

gms_time_t gms_bound_delay(const gms_bound_t *bound,
                           const gms_bound_manner_t *manner)
{
    gms_bound_now_t now = {.bound = bound, .manner = manner};
    gms_time_t most_ps = gms_bound_curve(bound, manner), x_ps = 0;
    unsigned i;

    if (most_ps >= GMS_BOUND_MOST_PS ||
        bound->servers[manner->server].count > GMS_BOUND_EXACT_FLOWS) {
        return most_ps;
    }
    gms_bound_gather(&now);
    for (i = 0;
         i < GMS_BOUND_STEPS && x_ps != GMS_NEVER && now.best_ps < most_ps;
         ++i) {
        x_ps = gms_bound_step(&now, x_ps);
    }
    return x_ps == GMS_NEVER && now.best_ps < most_ps ? now.best_ps : most_ps;
}

/* ---- the three kinds of servers ---- */

void gms_bound_manner_link(const gms_bound_t *bound, uint32_t server,
                           uint32_t link, gms_bound_manner_t *manner)
{
    *manner = (gms_bound_manner_t){
        .server = server,
        .has_lines = 1,
        .start_ps = bound->costs.control_ps,
        .per_wire = 1,
        .other = GMS_LINK_NONE,
        .ack_ps = GMS_BOUND_ACKS * bound->acks[link] * bound->costs.ack_ps,
        .ack_rate = (double)bound->ack_rate[link] / (1 << 24)};
}

/* Returns the smallest cost of a packet. While all of its buffers are full, a
 * NIC may begin a best-effort transfer. This transfer, a packet's time in the
 * NIC, and the packet's time on the link then occur one after the other. This
 * sequence occurs at most once per b packets, where b is the number of
 * buffers. */
static gms_time_t gms_bound_floor(const gms_bound_t *bound,
                                  const gms_bound_server_t *server,
                                  uint64_t buffers)
{
    return (bound->costs.block_ps + server->both_most_ps) / buffers + 1;
}

/* For one packet, both the time in the NIC and the time on the link are part of
 * the delay. Returns the additional time of this packet, compared with the time
 * that is included for the last packet. Let o be the time of a turn of the
 * other direction, N the last packet's time in the NIC, and C its smallest
 * cost. The last packet is charged max(N + o, C). This value equals
 * max(N, C - o) plus the time of the turn. */
static gms_time_t gms_bound_both(const gms_bound_t *bound,
                                 const gms_bound_server_t *server,
                                 gms_time_t floor_ps, gms_time_t other_ps)
{
    const gms_bound_costs_t *costs = &bound->costs;
    gms_time_t search_ps = costs->search_ps * (server->count - 1);
    gms_time_t nic_ps = server->nic_most_ps + search_ps;
    gms_time_t line_ps = server->wire_most_ps + costs->line_ps;
    gms_time_t last_ps = server->nic_least_ps + search_ps;
    gms_time_t lesser_ps = nic_ps < line_ps ? nic_ps : line_ps;

    if (floor_ps > other_ps && floor_ps - other_ps > last_ps) {
        last_ps = floor_ps - other_ps;
    }
    return lesser_ps > last_ps ? lesser_ps - last_ps : 0;
}

static void gms_bound_manner_source(const gms_bound_t *bound, uint32_t server,
                                    gms_bound_manner_t *manner)
{
    const gms_bound_costs_t *costs = &bound->costs;
    const gms_bound_server_t *own = &bound->servers[server];
    const gms_bound_server_t *other =
        &bound->servers[gms_bound_target(bound, server)];
    gms_time_t poll_ps = gms_bound_poll(bound, server);

    /* For start_ps, only the longer of the two times is added, because the
     * LANai can read descriptors while best effort uses the host DMA engine. */
    *manner = (gms_bound_manner_t){
        .server = server,
        .is_nic = 1,
        .start_ps = (poll_ps > costs->block_ps ? poll_ps : costs->block_ps) +
                    costs->control_ps,
        .floor_ps = gms_bound_floor(bound, own, costs->send_buffers),
        .other = GMS_LINK_NONE,
        .other_late_ps = other->link_ps};
    if (other->count > 0) {
        manner->other = gms_bound_target(bound, server);
        manner->other_cost_ps = other->nic_most_ps + costs->turn_ps;
    }
    if (own->count > 0) {
        manner->start_ps +=
            gms_bound_both(bound, own, manner->floor_ps, manner->other_cost_ps);
    }
}

static void gms_bound_manner_target(const gms_bound_t *bound, uint32_t server,
                                    gms_bound_manner_t *manner)
{
    const gms_bound_costs_t *costs = &bound->costs;
    const gms_bound_server_t *own = &bound->servers[server];
    const gms_bound_server_t *other = &bound->servers[server - bound->nodes];

    /* Every packet of the other direction may be the last packet of a message
     * and cause an event. Events are written in the same manner as packets. */
    *manner = (gms_bound_manner_t){
        .server = server,
        .is_nic = 1,
        .has_lines = 1,
        .start_ps = costs->block_ps + costs->control_ps + costs->ask_ps +
                    own->wire_most_ps + other->count * costs->event_ps,
        .floor_ps = gms_bound_floor(bound, own, costs->receive_buffers),
        .per_wire = costs->dma_per_wire,
        .other = GMS_LINK_NONE,
        .has_events = 1,
        .other_late_ps = costs->tick_ps};
    if (other->count > 0) {
        manner->other = server - bound->nodes;
        manner->other_cost_ps = other->nic_most_ps +
                                costs->search_ps * (other->count - 1) +
                                costs->turn_ps;
    }
}

void gms_bound_serve_worm(const gms_bound_t *bound, uint32_t server,
                          gms_time_t *delay_p, gms_time_t *link_p)
{
    gms_bound_manner_t manner;
    uint32_t link;

    *link_p = 0;
    switch (gms_bound_kind(bound, server)) {
    case GMS_BOUND_SOURCE:
        gms_bound_manner_source(bound, server, &manner);
        break;
    case GMS_BOUND_TARGET:
        link =
            gms_topology_node_link(bound->topology, server - bound->nodes, 1);
        gms_bound_manner_link(bound, server, link, &manner);
        manner.start_ps += bound->costs.ask_ps;
        *link_p = gms_bound_delay(bound, &manner);
        gms_bound_manner_target(bound, server, &manner);
        break;
    case GMS_BOUND_LINK:
        gms_bound_manner_link(bound, server, server - 2 * bound->nodes,
                              &manner);
        break;
    }
    *delay_p = gms_bound_delay(bound, &manner);
}
