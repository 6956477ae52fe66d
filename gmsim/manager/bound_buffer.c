/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses the delays of the servers to compute how many reserved packets may meet
 * in a buffer of a switch or a NIC.
 */
#include "manager/bound_int.h"

/* Counts how many packets of a server's flows can be in one buffer at the same
 * time. The buffer is at this server or at one of the next servers. Packets
 * that arrive over the same link arrive one after the other. */
typedef struct gms_bound_crowd {
    uint64_t packets;
    gms_time_t longest_ps, wire_ps;
    /* shortest time that the source needs for one packet; 0: there are several
     * sources */
    gms_time_t send_ps;
} gms_bound_crowd_t;

static void gms_bound_crowd_add(gms_bound_crowd_t *crowd,
                                const gms_bound_flow_t *flow, uint32_t hop,
                                gms_time_t stay_ps)
{
    crowd->packets += gms_bound_arrivals(flow, hop, stay_ps);
    crowd->longest_ps =
        stay_ps > crowd->longest_ps ? stay_ps : crowd->longest_ps;
    crowd->wire_ps = flow->last_wire_ps < crowd->wire_ps ? flow->last_wire_ps
                                                         : crowd->wire_ps;
    if (hop == 1 && (crowd->send_ps == 0 || flow->apart_ps < crowd->send_ps)) {
        crowd->send_ps = flow->apart_ps;
    }
}

/* Returns the largest number of packets that can be present at the same time.
 * The NIC of a source needs a certain time for each packet, so two packets of
 * the source are at least this time apart. Only one packet may follow its
 * predecessor after a shorter time, because the predecessor may have been
 * delayed before the link. */
static uint64_t gms_bound_crowd_most(const gms_bound_crowd_t *crowd)
{
    uint64_t line = crowd->longest_ps / crowd->wire_ps + 1;
    uint64_t sent = crowd->send_ps > 0 ? crowd->longest_ps / crowd->send_ps + 2
                                       : UINT64_MAX;

    line = line < sent ? line : sent;
    return crowd->packets < line ? crowd->packets : line;
}

/* The largest delay of the NIC limits this number. The total work of these
 * packets, both in the NIC and in the queue for the NIC, never exceeds the work
 * that the NIC can do within this delay. */
uint64_t gms_bound_node_packets(gms_bound_t *bound, unsigned node)
{
    const gms_bound_server_t *server =
        &bound->servers[gms_bound_target(bound, node)];
    gms_bound_crowd_t crowd = {.wire_ps = GMS_NEVER};
    gms_time_t least_ps = GMS_NEVER;
    uint64_t packets;
    uint32_t i;

    for (i = 0; bound->servers != NULL && i < server->count; ++i) {
        const gms_bound_flow_t *flow = server->entries[i].flow;
        gms_time_t cost_ps = bound->costs.receive_ps + flow->last_dma_ps;

        gms_bound_crowd_add(&crowd, flow, server->entries[i].hop,
                            server->delay_ps);
        least_ps = cost_ps < least_ps ? cost_ps : least_ps;
    }
    crowd.send_ps = 0;
    packets = gms_bound_crowd_most(&crowd);
    return packets < server->delay_ps / least_ps + 1
               ? packets
               : server->delay_ps / least_ps + 1;
}

/* Returns the number of packets that wait in switches because a NIC has no
 * buffer for them. */
static uint64_t gms_bound_excess(gms_bound_t *bound, uint32_t number)
{
    uint64_t packets;

    if (gms_bound_kind(bound, number) != GMS_BOUND_TARGET) {
        return 0;
    }
    packets = gms_bound_node_packets(bound, number - bound->nodes);
    return packets > bound->params.nic_reserved_buffers
               ? packets - bound->params.nic_reserved_buffers
               : 0;
}

/* Returns the longest time that a packet spends in the switch upstream of a
 * server, if the NIC has a free buffer. With a free buffer, the packet waits
 * only for the link. */
static gms_time_t gms_bound_stay(gms_bound_t *bound, uint32_t number)
{
    const gms_bound_server_t *server = &bound->servers[number];

    return bound->costs.hop_ps +
           (gms_bound_kind(bound, number) == GMS_BOUND_TARGET
                ? server->link_ps
                : server->delay_ps);
}

static uint32_t gms_bound_link_of(const gms_bound_t *bound, uint32_t number)
{
    return gms_bound_kind(bound, number) == GMS_BOUND_SOURCE
               ? gms_topology_node_link(bound->topology, number, 0)
               : number - 2 * bound->nodes;
}

/* Returns the number of packets in the buffer behind a server, including
 * acknowledgements that arrive there while a packet stays for stay_ps.
 * The bytes of the acknowledgements are converted to a number of full
 * packets. */
static uint64_t gms_bound_with_acks(const gms_bound_t *bound, uint32_t number,
                                    uint64_t packets, gms_time_t stay_ps)
{
    uint32_t link = gms_bound_link_of(bound, number);
    uint64_t acks = bound->acks[link] +
                    (uint64_t)((double)stay_ps * (double)bound->ack_rate[link] /
                               (1 << 24)) /
                        bound->costs.ack_ps;

    return packets + (acks * bound->params.nic_ack_bytes +
                      bound->params.nic_mtu_bytes - 1) /
                         bound->params.nic_mtu_bytes;
}

/* Returns an upper bound on the result of gms_bound_buffered(), but takes much
 * less time. */
static uint64_t gms_bound_buffered_most(gms_bound_t *bound, uint32_t number)
{
    const gms_bound_server_t *server = &bound->servers[number];
    gms_bound_crowd_t all = {.wire_ps = GMS_NEVER};
    uint32_t i;

    for (i = 0; i < server->count; ++i) {
        const gms_bound_flow_t *flow = server->entries[i].flow;
        uint32_t hop = server->entries[i].hop + 1;
        const gms_bound_server_t *next = &bound->servers[flow->hop[hop].server];

        gms_bound_prefetch(server, i);
        gms_bound_crowd_add(&all, flow, hop,
                            bound->costs.hop_ps +
                                (next->link_ps > next->delay_ps
                                     ? next->link_ps
                                     : next->delay_ps));
    }
    if (gms_bound_kind(bound, number) != GMS_BOUND_SOURCE) {
        all.send_ps = 0;
    }
    return gms_bound_with_acks(bound, number, gms_bound_crowd_most(&all),
                               all.longest_ps);
}

/* Returns the largest number of packets in the switch behind a server. The
 * server is a link, or a source with its link. */
static uint64_t gms_bound_buffered(gms_bound_t *bound, uint32_t number)
{
    const gms_bound_server_t *server = &bound->servers[number];
    gms_bound_crowd_t crowd = {.wire_ps = GMS_NEVER}, all = crowd;
    uint64_t excess = 0, packets;
    uint32_t i, next;

    ++bound->excess_walk;
    for (i = 0; i < server->count; ++i) {
        const gms_bound_flow_t *flow = server->entries[i].flow;
        uint32_t hop = server->entries[i].hop + 1;

        gms_bound_prefetch(server, i);
        next = flow->hop[hop].server;
        gms_bound_crowd_add(&crowd, flow, hop, gms_bound_stay(bound, next));
        gms_bound_crowd_add(&all, flow, hop,
                            bound->servers[next].delay_ps +
                                bound->costs.hop_ps);
        if (bound->servers[next].excess_seen != bound->excess_walk) {
            bound->servers[next].excess_seen = bound->excess_walk;
            excess += gms_bound_excess(bound, next);
        }
    }
    if (gms_bound_kind(bound, number) != GMS_BOUND_SOURCE) {
        crowd.send_ps = 0;
        all.send_ps = 0;
    }
    /* The result is the smaller of two limits. One limit is a sum: the packets
     * that are delayed only by their next link (crowd), and the packets for
     * which a NIC has no buffer (excess). The other limit is the number of
     * packets that may be delayed for the whole delay of their next server
     * (all). */
    packets = gms_bound_crowd_most(&crowd) + excess;
    if (packets > gms_bound_crowd_most(&all)) {
        packets = gms_bound_crowd_most(&all);
    }
    return gms_bound_with_acks(bound, number, packets, crowd.longest_ps);
}

uint64_t gms_bound_link_packets(gms_bound_t *bound, uint32_t link)
{
    const gms_link_end_t *from = gms_topology_from(bound->topology, link);

    if (bound->servers == NULL ||
        gms_topology_to(bound->topology, link)->kind == GMS_END_NODE) {
        return 0;
    }
    return gms_bound_buffered(bound, from->kind == GMS_END_NODE
                                         ? gms_bound_source(from->index)
                                         : gms_bound_link(bound, link));
}

static int gms_bound_fits(gms_bound_t *bound, uint32_t number,
                          gms_qos_verdict_t *verdict)
{
    gms_bound_server_t *server = &bound->servers[number];

    if (server->buffer_seen == bound->walk ||
        server->delay_ps >= GMS_BOUND_MOST_PS ||
        gms_bound_kind(bound, number) == GMS_BOUND_TARGET) {
        return 1;
    }
    server->buffer_seen = bound->walk;
    if (gms_bound_buffered_most(bound, number) <= bound->costs.switch_packets ||
        gms_bound_buffered(bound, number) <= bound->costs.switch_packets) {
        return 1;
    }
    verdict->criterion = GMS_QOS_BUFFER;
    verdict->resource = gms_bound_link_of(bound, number);
    return 0;
}

/* Checks whether the packets fit into the buffer behind a server, and into the
 * buffers in which packets wait for the server. */
int gms_bound_has_room(gms_bound_t *bound, uint32_t number,
                       const gms_bound_flow_t *flow, gms_qos_verdict_t *verdict)
{
    const gms_bound_server_t *server = &bound->servers[number];
    uint32_t i;

    (void)flow;
    for (i = 0; i < server->count; ++i) {
        const gms_bound_entry_t *entry = &server->entries[i];

        if (entry->hop > 0 &&
            !gms_bound_fits(bound, entry->flow->hop[entry->hop - 1].server,
                            verdict)) {
            return 0;
        }
    }
    return gms_bound_fits(bound, number, verdict);
}
