/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Provides queries and settings of a flit network for congestion and power
 * control. The functions concern busy lanes, full buffers, flit counters,
 * limits of switches, and held links.
 */
#include <assert.h>

#include "fabric/flit_int.h"

const gms_flit_config_t *gms_flit_config(const gms_flit_net_t *net)
{
    return &net->config;
}

gms_topology_t *gms_flit_topology(const gms_flit_net_t *net)
{
    return net->topology;
}

void gms_flit_set_table(gms_flit_net_t *net, uint32_t link,
                        const gms_lane_table_t *table)
{
    assert(link < gms_topology_link_count(net->topology));
    net->table[net->inside[link]] = *table;
}

uint16_t gms_flit_busy_lanes(const gms_flit_net_t *net, uint32_t link)
{
    assert(link < gms_topology_link_count(net->topology));
    return net->out[net->inside[link]].busy;
}

uint64_t gms_flit_full_buffers(const gms_flit_net_t *net)
{
    return net->full;
}

unsigned gms_flit_full_buffers_at(const gms_flit_net_t *net,
                                  uint32_t switch_index)
{
    assert(switch_index < net->switches);
    return net->switch_state[switch_index].full;
}

uint64_t gms_flit_waiting(const gms_flit_net_t *net, uint32_t node)
{
    assert(node < net->nodes);
    return net->source[node].waiting;
}

unsigned gms_flit_route_links(const gms_flit_net_t *net, uint32_t source,
                              uint32_t target, uint32_t *links, unsigned max)
{
    gms_flit_packet_t packet = {.source = source, .target = target};
    uint32_t at = gms_flit_home(net, source);
    unsigned count = 0;

    if (source < net->nodes) {
        if (max > 0) {
            links[0] = source;
        }
        ++count;
    }
    for (;; ++packet.hops) {
        uint32_t link =
            net->switch_state[at].out_first + gms_flit_route(net, at, &packet);

        if (net->outside[link] != GMS_LINK_NONE) {
            if (count < max) {
                links[count] = net->outside[link];
            }
            ++count;
        }
        if (net->in[link].switch_index == GMS_LINK_NONE) {
            return count;
        }
        at = net->in[link].switch_index;
    }
}

void gms_flit_set_allowance(gms_flit_net_t *net, uint32_t switch_index,
                            uint32_t flits)
{
    assert(switch_index < net->switches);
    net->switch_state[switch_index].allowance = flits;
}

void gms_flit_hold(gms_flit_net_t *net, uint32_t link, int is_held)
{
    uint32_t own = net->inside[link], number = own;
    gms_flit_set_t *set = &net->held;

    assert(net->is_buffered);
    if (net->out[own].switch_index == GMS_LINK_NONE) {
        set = &net->starved;
        number = gms_flit_source_of(net, own);
    }
    if (is_held) {
        gms_flit_set_add(set, number);
    } else {
        gms_flit_set_remove(set, number);
    }
}

uint64_t gms_flit_free_cycle(const gms_flit_net_t *net, uint32_t link)
{
    return net->out[net->inside[link]].free_cycle;
}

int gms_flit_awaits(const gms_flit_net_t *net, uint32_t link)
{
    uint32_t own = net->inside[link], number;

    if (net->out[own].switch_index != GMS_LINK_NONE) {
        return (net->sending.word[own >> 6] >> (own & 63) & 1) != 0;
    }
    number = gms_flit_source_of(net, own);
    return (net->feeding.word[number >> 6] >> (number & 63) & 1) != 0;
}

const gms_flit_counts_t *gms_flit_switch_counts(const gms_flit_net_t *net,
                                                uint32_t switch_index)
{
    assert(switch_index < net->switches);
    return &net->switch_state[switch_index].counts;
}

uint64_t gms_flit_link_flits(const gms_flit_net_t *net, uint32_t link)
{
    assert(link < gms_topology_link_count(net->topology));
    return net->out[net->inside[link]].carried;
}
