/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the next link on the route of a packet. */
#include "fabric/flit_int.h"

static int gms_flit_is_agent(uint32_t end)
{
    return (end & GMS_FLIT_AGENT(0)) != 0;
}

uint32_t gms_flit_home(const gms_flit_net_t *net, uint32_t end)
{
    return gms_flit_is_agent(end) ? end & ~GMS_FLIT_AGENT(0)
                                  : gms_topology_home(net->topology, end);
}

/* Return the output port of a route that leads along the row first, then along
 * the column. The ports are numbered as in topology_grid.c. A gms_route_t is
 * not used, because it is too short for large meshes. */
static unsigned gms_flit_mesh_port(const gms_flit_net_t *net,
                                   uint32_t switch_index, uint32_t target)
{
    const gms_grid_t *grid = &net->topology->grid;
    uint32_t to = gms_flit_home(net, target);
    uint32_t down = grid->hosts + (grid->columns > 1 ? 2 : 0);

    if (to % grid->columns != switch_index % grid->columns) {
        return grid->hosts +
               (to % grid->columns < switch_index % grid->columns);
    }
    if (to != switch_index) {
        return down + (to < switch_index);
    }
    return target % grid->hosts;
}

/* Return the output port according to the topology's route. An agent uses the
 * routes of a node on its switch. */
static unsigned gms_flit_topology_port(const gms_flit_net_t *net,
                                       const gms_flit_packet_t *packet)
{
    uint32_t source = packet->source, target = packet->target;
    gms_route_t route;

    if (gms_flit_is_agent(source)) {
        source = net->resident[gms_flit_home(net, source)];
    }
    if (gms_flit_is_agent(target)) {
        target = net->resident[gms_flit_home(net, target)];
    }
    gms_topology_route(net->topology, source, target, &route);
    return route.port[packet->hops];
}

unsigned gms_flit_route(const gms_flit_net_t *net, uint32_t switch_index,
                        const gms_flit_packet_t *packet)
{
    unsigned port;

    if (gms_flit_is_agent(packet->target) &&
        gms_flit_home(net, packet->target) == switch_index) {
        return net->switch_state[switch_index].ports - 1u;
    }
    port = net->is_mesh ? gms_flit_mesh_port(net, switch_index, packet->target)
                        : gms_flit_topology_port(net, packet);
    return net->local[net->topology->first[switch_index] + port];
}
