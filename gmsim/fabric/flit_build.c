/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocates the routers, ports and nodes of a flit network for a topology, and
 * connects them.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "fabric/flit_int.h"

typedef struct gms_flit_plan {
    gms_arena_t *arena;
    gms_flit_net_t *net;
    char *error;
} gms_flit_plan_t;

static gms_status_t gms_flit_no_memory(gms_flit_plan_t *plan)
{
    snprintf(plan->error, GMS_TOPOLOGY_ERROR_LEN,
             "the flit network of %u switches needs more memory than the arena "
             "has left; set a larger arena_bytes",
             plan->net->switches);
    return GMS_ERR_NO_MEMORY;
}

/* ---- counting ----------------------------------------------------------- */

/* Return the number of a switch's ports that have cables. */
static unsigned gms_flit_cables(const gms_topology_t *topology,
                                uint32_t switch_index)
{
    unsigned ports = gms_topology_ports(topology, switch_index), port,
             cables = 0;

    for (port = 0; port < ports; ++port) {
        cables +=
            gms_topology_out(topology, switch_index, port) != GMS_LINK_NONE;
    }
    return cables;
}

static gms_status_t gms_flit_measure(gms_flit_plan_t *plan)
{
    gms_flit_net_t *net = plan->net;
    const gms_topology_t *topology = net->topology;
    uint32_t agent = net->config.agents ? 1 : 0, switch_index;

    net->nodes = gms_topology_nodes(topology);
    net->switches = gms_topology_switches(topology);
    net->links = gms_topology_link_count(topology) + 2 * agent * net->switches;
    net->agent_first = net->links - agent * net->switches;
    for (switch_index = 0; switch_index < net->switches; ++switch_index) {
        unsigned cables = gms_flit_cables(topology, switch_index);

        if (cables + agent > GMS_FLIT_PORTS_MAX) {
            snprintf(plan->error, GMS_TOPOLOGY_ERROR_LEN,
                     "switch %u has %u cables; allowed with agents: up to %u",
                     switch_index, cables, GMS_FLIT_PORTS_MAX - agent);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

/* ---- memory ------------------------------------------------------------- */

static void *gms_flit_alloc(gms_flit_plan_t *plan, size_t count, size_t bytes)
{
    return gms_arena_alloc(plan->arena, (count > 0 ? count : 1) * bytes);
}

static int gms_flit_alloc_set(gms_flit_plan_t *plan, gms_flit_set_t *set,
                              uint32_t numbers)
{
    set->words = (numbers + 63) / 64;
    set->word = gms_flit_alloc(plan, set->words, sizeof(*set->word));
    return set->word != NULL;
}

/* Allocate the wheels. The longest delay determines the number of slots. The
 * maximum traffic in a cycle determines the number of entries per slot. In a
 * cycle, a link carries at most one flit and returns at most one credit. A head
 * is routed after it has arrived and after the previous packet has left. The
 * head receives a lane after it has been routed, or when another packet frees a
 * lane. */
static int gms_flit_alloc_wheels(gms_flit_plan_t *plan)
{
    gms_flit_net_t *net = plan->net;
    const gms_flit_config_t *config = &net->config;
    const uint32_t rooms[GMS_FLIT_WHEELS] = {
        [GMS_FLIT_ARRIVE] = net->links,
        [GMS_FLIT_CREDIT] = net->links,
        [GMS_FLIT_BUFFERED] = net->links,
        [GMS_FLIT_ROUTED] = 2 * net->links,
        [GMS_FLIT_ALLOCATED] = GMS_LANES_MAX * net->links,
    };
    uint32_t longest = gms_flit_hop_cycles(config) + config->credit_cycles + 1;
    uint32_t slots = 1, kind;

    while (slots <= longest) {
        slots *= 2;
    }
    net->slot_mask = slots - 1;
    for (kind = 0; kind < GMS_FLIT_WHEELS; ++kind) {
        gms_flit_wheel_t *wheel = &net->wheel[kind];

        wheel->room = rooms[kind];
        wheel->entry = gms_arena_alloc_raw(
            plan->arena, (size_t)slots * wheel->room * sizeof(*wheel->entry));
        wheel->count = gms_flit_alloc(plan, slots, sizeof(*wheel->count));
        if (wheel->entry == NULL || wheel->count == NULL) {
            return 0;
        }
    }
    return 1;
}

static int gms_flit_alloc_ports(gms_flit_plan_t *plan)
{
    gms_flit_net_t *net = plan->net;
    size_t lanes = (size_t)net->links * GMS_LANES_MAX;
    uint32_t slots = net->topology->first[net->switches];

    net->in = gms_flit_alloc(plan, net->links, sizeof(*net->in));
    net->out = gms_flit_alloc(plan, net->links, sizeof(*net->out));
    net->lane = gms_flit_alloc(plan, lanes, sizeof(*net->lane));
    net->owner = gms_flit_alloc(plan, lanes, sizeof(*net->owner));
    net->switch_state =
        gms_flit_alloc(plan, net->switches, sizeof(*net->switch_state));
    net->source = gms_flit_alloc(
        plan, net->nodes + net->links - net->agent_first, sizeof(*net->source));
    net->behind = gms_arena_alloc_raw(
        plan->arena, lanes * net->config.buffer_flits * sizeof(*net->behind));
    net->waiters = gms_flit_alloc(plan, lanes, sizeof(*net->waiters));
    net->next_waiter = gms_flit_alloc(plan, lanes, sizeof(*net->next_waiter));
    net->inputs = gms_flit_alloc(plan, net->links, sizeof(*net->inputs));
    net->local = gms_flit_alloc(plan, slots, sizeof(*net->local));
    net->resident = gms_flit_alloc(plan, net->switches, sizeof(*net->resident));
    net->outside = gms_flit_alloc(plan, net->links, sizeof(*net->outside));
    net->inside = gms_flit_alloc(plan, net->links, sizeof(*net->inside));
    net->table = gms_flit_alloc(plan, net->links, sizeof(*net->table));
    net->freed = gms_flit_alloc(plan, net->links, sizeof(*net->freed));
    if (net->is_buffered) {
        net->buffer = gms_flit_alloc(plan, net->links, sizeof(*net->buffer));
    }
    return net->in != NULL && net->out != NULL && net->lane != NULL &&
           net->owner != NULL && net->switch_state != NULL &&
           net->source != NULL && net->behind != NULL && net->waiters != NULL &&
           net->next_waiter != NULL && net->inputs != NULL &&
           net->local != NULL && net->resident != NULL &&
           net->outside != NULL && net->inside != NULL && net->table != NULL &&
           net->freed != NULL && (!net->is_buffered || net->buffer != NULL);
}

static int gms_flit_alloc_arbiters(gms_flit_plan_t *plan)
{
    gms_flit_net_t *net = plan->net;
    size_t lanes = (size_t)net->links * GMS_LANES_MAX;

    if (!net->takes_turns) {
        net->in_arbiter =
            gms_flit_alloc(plan, net->links, sizeof(*net->in_arbiter));
        net->out_arbiter =
            gms_flit_alloc(plan, net->links, sizeof(*net->out_arbiter));
        net->grant_arbiter =
            gms_flit_alloc(plan, net->links, sizeof(*net->grant_arbiter));
        if (net->in_arbiter == NULL || net->out_arbiter == NULL ||
            net->grant_arbiter == NULL) {
            return 0;
        }
    }
    if (net->has_since) {
        net->in_since = gms_flit_alloc(plan, lanes, sizeof(*net->in_since));
        net->out_since = gms_flit_alloc(plan, lanes, sizeof(*net->out_since));
        return net->in_since != NULL && net->out_since != NULL;
    }
    return 1;
}

static int gms_flit_alloc_all(gms_flit_plan_t *plan)
{
    gms_flit_net_t *net = plan->net;

    return gms_flit_alloc_ports(plan) && gms_flit_alloc_arbiters(plan) &&
           gms_flit_alloc_wheels(plan) &&
           gms_flit_alloc_set(plan, &net->crossing, net->switches) &&
           gms_flit_alloc_set(plan, &net->sending, net->links) &&
           gms_flit_alloc_set(plan, &net->held, net->links) &&
           gms_flit_alloc_set(plan, &net->feeding,
                              net->nodes + net->links - net->agent_first) &&
           gms_flit_alloc_set(plan, &net->starved,
                              net->nodes + net->links - net->agent_first) &&
           gms_flit_alloc_set(plan, &net->taking, net->links);
}

/* ---- wiring ------------------------------------------------------------- */

/* Assign internal link numbers and local ports. Ports with cables are numbered
 * without gaps, and the agent's port is the last one. */
static void gms_flit_number(gms_flit_net_t *net)
{
    const gms_topology_t *topology = net->topology;
    const uint32_t *input = net->inputs;
    uint32_t number, switch_index, port;

    for (number = 0; number < net->nodes; ++number) {
        net->outside[number] = net->inside[number] = number;
    }
    for (switch_index = 0; switch_index < net->switches; ++switch_index) {
        gms_flit_switch_t *at = &net->switch_state[switch_index];

        at->out_first = number;
        at->in = input;
        for (port = 0; port < gms_topology_ports(topology, switch_index);
             ++port) {
            uint32_t link = gms_topology_out(topology, switch_index, port);

            if (link != GMS_LINK_NONE) {
                net->local[topology->first[switch_index] + port] =
                    (uint8_t)at->ports++;
                net->outside[number] = link;
                net->inside[link] = number++;
            }
        }
        if (net->config.agents) {
            ++at->ports;
            net->outside[number++] = GMS_LINK_NONE;
        }
        at->allowance = GMS_FLIT_NO_ALLOWANCE;
        input += at->ports;
    }
    for (; number < net->links; ++number) {
        net->outside[number] = GMS_LINK_NONE;
    }
}

static void gms_flit_plug_sink(gms_flit_net_t *net, uint32_t link, uint32_t end)
{
    net->in[link].switch_index = GMS_LINK_NONE;
    net->in[link].end = end;
}

static void gms_flit_plug_input(gms_flit_net_t *net, uint32_t link,
                                uint32_t switch_index, unsigned port)
{
    net->in[link].switch_index = switch_index;
    net->in[link].port = (uint8_t)port;
    net->inputs[net->switch_state[switch_index].in - net->inputs + port] = link;
}

static void gms_flit_plug_source(gms_flit_net_t *net, uint32_t link)
{
    gms_flit_source_t *source = &net->source[gms_flit_source_of(net, link)];
    unsigned traffic_class;

    net->out[link].switch_index = GMS_LINK_NONE;
    source->link = link;
    for (traffic_class = 0; traffic_class < GMS_LANE_CLASSES; ++traffic_class) {
        source->shared_lane[traffic_class] = GMS_FLIT_NO_LANE;
    }
}

static void gms_flit_wire_links(gms_flit_net_t *net)
{
    const gms_topology_t *topology = net->topology;
    uint32_t link;

    for (link = 0; link < gms_topology_link_count(topology); ++link) {
        const gms_link_end_t *from = gms_topology_from(topology, link);
        const gms_link_end_t *to = gms_topology_to(topology, link);
        uint32_t inside = net->inside[link];

        if (from->kind == GMS_END_NODE) {
            gms_flit_plug_source(net, inside);
            net->resident[to->index] = from->index;
        } else {
            net->out[inside].switch_index = from->index;
        }
        if (to->kind == GMS_END_NODE) {
            gms_flit_plug_sink(net, inside, to->index);
        } else {
            gms_flit_plug_input(
                net, inside, to->index,
                net->local[topology->first[to->index] + to->port]);
        }
    }
}

static void gms_flit_wire_agents(gms_flit_net_t *net)
{
    uint32_t switch_index;

    for (switch_index = 0; net->config.agents && switch_index < net->switches;
         ++switch_index) {
        gms_flit_switch_t *at = &net->switch_state[switch_index];
        uint32_t out_link = at->out_first + at->ports - 1u;
        uint32_t in_link = net->agent_first + switch_index;

        net->out[out_link].switch_index = switch_index;
        gms_flit_plug_sink(net, out_link, GMS_FLIT_AGENT(switch_index));
        gms_flit_plug_input(net, in_link, switch_index, at->ports - 1u);
        gms_flit_plug_source(net, in_link);
    }
}

/* Return the number of cycles that a flit needs to reach the buffer at the
 * link's end. The count begins when the crossbar grants the flit or, if there
 * is an output buffer, when the flit leaves that buffer. The count ends at the
 * end of the input stage, when the flit has been written to the buffer at the
 * link's end. Sinks have no input stage. */
static unsigned gms_flit_delay(const gms_flit_net_t *net, uint32_t link)
{
    const gms_flit_config_t *config = &net->config;

    return (net->is_buffered ? 1 : gms_flit_send_cycles(config)) +
           config->link_cycles +
           (net->in[link].switch_index == GMS_LINK_NONE ? 0
                                                        : config->input_cycles);
}

static void gms_flit_fill(gms_flit_net_t *net)
{
    uint16_t lanes = (uint16_t)((1u << net->config.lanes) - 1);
    uint32_t link, lane;

    for (link = 0; link < net->links; ++link) {
        gms_flit_out_t *out = &net->out[link];

        out->delay = (uint16_t)gms_flit_delay(net, link);
        out->credit = out->open = lanes;
        net->table[link].limit = 1;
        for (lane = 0; lane < net->config.lanes; ++lane) {
            out->credits[lane] = (uint8_t)net->config.buffer_flits;
            net->owner[link * GMS_LANES_MAX + lane] = GMS_FLIT_NO_OWNER;
            if (net->is_buffered) {
                net->buffer[link].room[lane] =
                    (uint8_t)net->config.output_flits;
            }
        }
    }
}

/* ---- construction ------------------------------------------------------- */

static void gms_flit_decide(gms_flit_net_t *net)
{
    const gms_flit_config_t *config = &net->config;
    const gms_lane_plan_t *plan = &config->plan;
    unsigned classes = 0, traffic_class;

    for (traffic_class = 0; traffic_class < GMS_LANE_CLASSES; ++traffic_class) {
        classes += plan->class_lanes[traffic_class] != 0 ? 1u : 0u;
    }
    net->has_since = plan->policy == GMS_LANE_FCFS;
    net->takes_turns = classes == 1 && !net->has_since &&
                       (plan->policy == GMS_LANE_ROUND_ROBIN ||
                        plan->class_lanes[GMS_LANE_REAL_TIME] == 0);
    net->is_buffered = config->output_flits > 0;
    net->is_mesh = net->topology->kind == GMS_TOPOLOGY_MESH &&
                   net->topology->routing == GMS_ROUTING_DIMENSION_ORDER;
    net->source_cycles = (uint16_t)(config->link_cycles + config->input_cycles);
    net->cross_cycles =
        (uint16_t)(config->switch_cycles + config->crossbar_cycles +
                   config->output_cycles - (net->is_buffered ? 1u : 0u));
}

/* Check that every switch with an agent has a node. An agent uses the routes of
 * a node on its switch, unless the net computes routes arithmetically. */
static gms_status_t gms_flit_check_agents(gms_flit_plan_t *plan)
{
    gms_flit_net_t *net = plan->net;
    uint32_t switch_index;

    for (switch_index = 0;
         net->config.agents && !net->is_mesh && switch_index < net->switches;
         ++switch_index) {
        if (net->resident[switch_index] == GMS_LINK_NONE) {
            snprintf(plan->error, GMS_TOPOLOGY_ERROR_LEN,
                     "switch %u has no node, so its agent has no routes; "
                     "agents need a node on each switch, or a mesh with "
                     "dimension-order routing",
                     switch_index);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

static gms_status_t gms_flit_build(gms_flit_plan_t *plan)
{
    gms_flit_net_t *net = plan->net;
    gms_status_t status = gms_flit_measure(plan);
    uint32_t switch_index;

    if (status != GMS_OK) {
        return status;
    }
    gms_flit_decide(net);
    if (!gms_flit_alloc_all(plan)) {
        return gms_flit_no_memory(plan);
    }
    for (switch_index = 0; switch_index < net->switches; ++switch_index) {
        net->resident[switch_index] = GMS_LINK_NONE;
    }
    gms_flit_number(net);
    gms_flit_wire_links(net);
    gms_flit_wire_agents(net);
    gms_flit_fill(net);
    return gms_flit_check_agents(plan);
}

gms_status_t gms_flit_create(gms_arena_t *arena, gms_topology_t *topology,
                             const gms_flit_config_t *config,
                             gms_flit_net_t **net_p,
                             char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_flit_net_t nothing = {.switches = gms_topology_switches(topology)};
    gms_flit_plan_t plan = {arena, &nothing, error};
    gms_status_t status = gms_flit_config_check(config, error);

    if (status != GMS_OK) {
        return status;
    }
    plan.net = gms_arena_alloc(arena, sizeof(*plan.net));
    if (plan.net == NULL) {
        plan.net = &nothing;
        return gms_flit_no_memory(&plan);
    }
    plan.net->config = *config;
    plan.net->topology = topology;
    status = gms_flit_build(&plan);
    if (status != GMS_OK) {
        gms_flit_destroy(arena, plan.net);
        return status;
    }
    *net_p = plan.net;
    return GMS_OK;
}

void gms_flit_destroy(gms_arena_t *arena, gms_flit_net_t *net)
{
    uint32_t kind;

    if (net == NULL) {
        return;
    }
    for (kind = 0; kind < GMS_FLIT_WHEELS; ++kind) {
        gms_arena_free(arena, net->wheel[kind].entry);
        gms_arena_free(arena, net->wheel[kind].count);
    }
    gms_arena_free(arena, net->in);
    gms_arena_free(arena, net->out);
    gms_arena_free(arena, net->lane);
    gms_arena_free(arena, net->owner);
    gms_arena_free(arena, net->buffer);
    gms_arena_free(arena, net->switch_state);
    gms_arena_free(arena, net->source);
    gms_arena_free(arena, net->behind);
    gms_arena_free(arena, net->waiters);
    gms_arena_free(arena, net->next_waiter);
    gms_arena_free(arena, net->inputs);
    gms_arena_free(arena, net->local);
    gms_arena_free(arena, net->resident);
    gms_arena_free(arena, net->outside);
    gms_arena_free(arena, net->inside);
    gms_arena_free(arena, net->table);
    gms_arena_free(arena, net->in_arbiter);
    gms_arena_free(arena, net->out_arbiter);
    gms_arena_free(arena, net->grant_arbiter);
    gms_arena_free(arena, net->in_since);
    gms_arena_free(arena, net->out_since);
    gms_arena_free(arena, net->freed);
    gms_arena_free(arena, net->crossing.word);
    gms_arena_free(arena, net->sending.word);
    gms_arena_free(arena, net->feeding.word);
    gms_arena_free(arena, net->held.word);
    gms_arena_free(arena, net->starved.word);
    gms_arena_free(arena, net->taking.word);
    gms_arena_free(arena, net);
}
