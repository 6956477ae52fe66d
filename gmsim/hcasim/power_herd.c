/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements PowerHerd. Each router keeps its own power below a budget, and
 * neighbouring routers share their budgets [source: Shang, Peh and Jha 2003].
 * Only the idea is taken from that paper, because its rules and numbers were
 * not available. The following rules and numbers were chosen for this project:
 *
 * A router's power includes all energy that its switch causes: in the buffers,
 * in the crossbar, on the links behind the switch, and in the buffers at the
 * links' ends. The power also includes the links from the
 * router's own nodes. With counts_hca, the power also includes the HCAs of
 * these nodes. In that case, these HCAs send messages at most at the rate of a
 * full link.
 *
 * Routers throttle their switches once per epoch. When a flit has passed
 * through the switch, the total energy of the flit is known, but a part of this
 * energy is spent later, on the link. While the flit is between the switch and
 * the link, the router owes this part. Each node may send up to one flit per
 * cycle, regardless of the switch. Let spent(k) be the energy of the last k
 * epochs, and let m be the number of epochs in a window. The switch may forward
 * the largest number of flits that satisfies this condition:
 *
 *   for j = 1 .. m + 1:
 *   spent(m + 1 - j) + owed + j x nodes' most + flits x flit's <= budget
 *
 * "owed" is the energy that the router owes, "nodes' most" is the maximum
 * energy of the router's nodes in an epoch, and "flit's" is the energy of a
 * flit. With counts_hca, the left side also contains the energy of one message
 * per HCA, because an HCA cannot interrupt a message. Nodes cannot send more
 * flits than the router's buffers can store, plus one flit for every flit that
 * passes through the switch. If this limit is lower than the number of flits
 * that the nodes could send in j epochs, the condition uses the limit instead.
 *
 * The condition for j = 1 bounds the windows that end in the coming epoch. Such
 * a window may end at any cycle of the epoch, and therefore overlaps m + 1
 * epochs. The conditions for other values of j ensure that the router can
 * respect the limit in later epochs by stopping its switch.
 *
 * Neighbouring routers share their budgets once per epoch. A router expects to
 * need 1.25 times the energy that it used in the last epoch, or twice that
 * energy if the router was throttled. The rest of its budget is spare. Like
 * heat, spare energy flows from routers with more spare energy to routers with
 * less. If a router's budget is larger than an even share of the limit, the
 * router also gives away the excess, even if it expects to need this energy. A
 * router never gives away energy that it has already spent or still owes.
 * Energy that is being transferred between two routers belongs to neither
 * budget, so the sum of the budgets never exceeds the limit.
 */
#include "config.h"

#include "hcasim/power_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* [assumed: this factor covers the variation of a Poisson stream of 50 flits
 * per epoch] */
#define GMS_POWER_HERD_MARGIN 1.25
/* [assumed: with this factor, the expected need of a throttled router reaches
 * its real need within a few epochs] */
#define GMS_POWER_HERD_GROWTH 2.0

typedef struct gms_power_neighbour {
    uint32_t link;         /* link to the neighbour */
    uint32_t switch_index; /* GMS_LINK_NONE: the neighbour is a node */
} gms_power_neighbour_t;

typedef struct gms_power_router {
    int64_t budget_aj;
    int64_t coming_aj; /* energy received from neighbours in the current
                        * round */
    int64_t spare_aj;  /* spare energy that was reported to neighbours in the
                        * last round */
    int64_t owed_aj;
    int64_t link_aj; /* maximum energy of the links of the router's nodes in one
                      * epoch */
    /* maximum energy that these links can use before the buffers behind them
     * are full */
    int64_t fill_aj;
    int64_t hca_aj; /* maximum energy of these nodes' HCAs in one epoch */
    /* additional energy that these HCAs may consume once, for any number of
     * epochs */
    int64_t burst_aj;
    int64_t *spent_aj;  /* ring with the energy spent in each of the last m
                         * epochs */
    int64_t total_aj;   /* energy spent since the start */
    uint64_t crossings; /* number of flits that have passed through the switch
                         * since the start */
    uint64_t passed;    /* number of flits that passed in the last epoch */
    uint64_t allowance; /* number of flits that may pass in the current epoch */
    unsigned ports;     /* number of ports with a link */
    /* index range of the router's neighbours in herd.neighbours */
    unsigned first, last;
    /* index range of the links from the router's nodes in herd.in_links */
    unsigned first_in, last_in;
} gms_power_router_t;

typedef struct gms_power_herd {
    gms_power_router_t *routers;
    gms_power_neighbour_t *neighbours;
    uint32_t *in_links;
    uint64_t *enter_cycle; /* the earliest cycle of the next message of each
                            * node */
    int64_t *spent;        /* memory for the rings spent_aj of all routers */
    int64_t *told;         /* next value of spare_aj that each switch will
                            * report */
    int64_t share_aj;      /* budget of each router if all budgets are equal */
    int64_t flit_aj;       /* total energy of a flit that passes through a
                            * switch */
    int64_t owed_flit_aj;  /* the part of flit_aj that is consumed behind the
                            * switch */
    int64_t in_flit_aj;    /* energy that a flit consumes on its way from a node
                            * into the node's router */
    unsigned epochs;       /* m: number of epochs in a window */
    unsigned epoch;        /* current position in the rings */
    unsigned most_neighbours;
    uint64_t next_cycle;
} gms_power_herd_t;

static int64_t gms_power_aj(double pj)
{
    return (int64_t)ceil(pj * GMS_POWER_AJ_PER_PJ);
}

/* ---- neighbours ---- */

static gms_status_t gms_power_herd_room(gms_power_t *power)
{
    gms_power_herd_t *herd = power->state;

    herd->routers = calloc(power->switches, sizeof(*herd->routers));
    herd->neighbours = calloc(power->links, sizeof(*herd->neighbours));
    herd->in_links = calloc(power->nodes, sizeof(*herd->in_links));
    herd->spent =
        calloc((size_t)power->switches * herd->epochs, sizeof(*herd->spent));
    herd->told = calloc(power->switches, sizeof(*herd->told));
    herd->enter_cycle = calloc(power->nodes, sizeof(*herd->enter_cycle));
    return herd->routers != NULL && herd->neighbours != NULL &&
                   herd->in_links != NULL && herd->spent != NULL &&
                   herd->told != NULL && herd->enter_cycle != NULL
               ? GMS_OK
               : GMS_ERR_NO_MEMORY;
}

static void gms_power_herd_out(gms_power_t *power, uint32_t switch_index,
                               unsigned *count)
{
    gms_power_herd_t *herd = power->state;
    gms_power_router_t *router = &herd->routers[switch_index];
    unsigned ports = gms_topology_ports(power->topology, switch_index);
    unsigned neighbours = 0;
    unsigned port;

    router->first = *count;
    for (port = 0; port < ports; ++port) {
        uint32_t link = gms_topology_out(power->topology, switch_index, port);
        const gms_link_end_t *end;

        if (link == GMS_LINK_NONE) {
            continue;
        }
        end = gms_topology_to(power->topology, link);
        herd->neighbours[*count].link = link;
        herd->neighbours[(*count)++].switch_index =
            end->kind == GMS_END_SWITCH ? end->index : GMS_LINK_NONE;
        neighbours += end->kind == GMS_END_SWITCH;
    }
    router->last = *count;
    router->ports = router->last - router->first;
    if (neighbours > herd->most_neighbours) {
        herd->most_neighbours = neighbours;
    }
}

static void gms_power_herd_in(gms_power_t *power, uint32_t switch_index,
                              unsigned *count)
{
    gms_power_herd_t *herd = power->state;
    gms_power_router_t *router = &herd->routers[switch_index];
    uint32_t node;

    router->first_in = *count;
    for (node = 0; node < power->nodes; ++node) {
        uint32_t link = gms_topology_node_link(power->topology, node, 0);

        if (gms_topology_to(power->topology, link)->index == switch_index) {
            herd->in_links[(*count)++] = link;
        }
    }
    router->last_in = *count;
}

/* ---- budgets at the start ---- */

/* Returns the energy, in pJ, of a node's flit on the node's link and during the
 * write to the router's buffer. */
static double gms_power_in_flit_pj(const gms_power_config_t *config)
{
    return gms_power_link_flit_pj(config) + config->energy.buffer_write_pj;
}

static void gms_power_herd_prices(gms_power_t *power)
{
    const gms_power_config_t *config = &power->config;
    const gms_flit_config_t *flit = gms_flit_config(power->net);
    gms_power_herd_t *herd = power->state;

    /* The energy of a flit includes the write at the next router, but not the
     * write at this router. */
    herd->flit_aj = gms_power_aj(gms_power_router_flit_pj(config, flit) +
                                 gms_power_link_flit_pj(config) +
                                 config->energy.arbitration_pj);
    herd->owed_flit_aj = gms_power_aj(config->energy.buffer_read_pj +
                                      gms_power_link_flit_pj(config) +
                                      config->energy.buffer_write_pj);
    herd->in_flit_aj = gms_power_aj(gms_power_in_flit_pj(config));
}

static int gms_power_herd_has_hcas(const gms_power_t *power)
{
    return power->config.counts_hca && power->hcas != NULL;
}

/* Returns the maximum mean energy of an HCA per cycle, in pJ. An HCA consumes
 * the most energy when its link is full. */
static double gms_power_hca_cycle_pj(const gms_power_t *power)
{
    const gms_power_config_t *config = &power->config;

    return gms_power_herd_has_hcas(power)
               ? gms_power_hca_message_pj(config, config->packet_flits) /
                     config->packet_flits
               : 0;
}

static int64_t gms_power_herd_most(const gms_power_router_t *router, unsigned j)
{
    int64_t link_aj = router->link_aj * j;

    return router->hca_aj * j + router->burst_aj +
           (link_aj < router->fill_aj ? link_aj : router->fill_aj);
}

static gms_status_t gms_power_herd_share(gms_power_t *power,
                                         char error[GMS_TOPOLOGY_ERROR_LEN])
{
    const gms_power_config_t *config = &power->config;
    const gms_flit_config_t *flit = gms_flit_config(power->net);
    gms_power_herd_t *herd = power->state;
    double share_pj = GMS_POWER_PJ(gms_power_to_share_w(power),
                                   config->window_cycles, config->cycle_ps) /
                      power->switches;
    uint32_t i;

    herd->share_aj = (int64_t)(share_pj * GMS_POWER_AJ_PER_PJ);
    for (i = 0; i < power->switches; ++i) {
        gms_power_router_t *router = &herd->routers[i];
        unsigned nodes = router->last_in - router->first_in;
        double hca_pj = gms_power_hca_cycle_pj(power) * nodes;
        int64_t most_aj;

        router->budget_aj = herd->share_aj;
        router->link_aj = herd->in_flit_aj * nodes * config->epoch_cycles;
        router->fill_aj =
            herd->in_flit_aj * nodes * flit->lanes * flit->buffer_flits;
        router->hca_aj = gms_power_aj(hca_pj * config->epoch_cycles);
        router->burst_aj = gms_power_aj(hca_pj * config->packet_flits);
        most_aj = gms_power_herd_most(router, herd->epochs + 1);
        if (herd->share_aj < most_aj + herd->flit_aj + herd->in_flit_aj) {
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                     "power: a limit of %g W leaves %.0f pJ in %u cycles for "
                     "switch %u, but the traffic that the nodes of this switch "
                     "may send needs %.0f pJ",
                     config->limit_w, share_pj, config->window_cycles, i,
                     (double)most_aj / GMS_POWER_AJ_PER_PJ);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

/* ---- spent and owed energy ---- */

static uint64_t gms_power_herd_flits(const gms_power_t *power,
                                     const gms_power_router_t *router,
                                     int to_switches)
{
    const gms_power_herd_t *herd = power->state;
    uint64_t flits = 0;
    unsigned i;

    for (i = router->first; i < router->last; ++i) {
        const gms_power_neighbour_t *neighbour = &herd->neighbours[i];

        if (!to_switches || neighbour->switch_index != GMS_LINK_NONE) {
            flits += gms_flit_link_flits(power->net, neighbour->link);
        }
    }
    return flits;
}

/* Returns the energy that a router has spent since the start, in pJ. */
static double gms_power_herd_total_pj(const gms_power_t *power,
                                      uint32_t switch_index)
{
    const gms_power_config_t *config = &power->config;
    const gms_power_herd_t *herd = power->state;
    const gms_power_router_t *router = &herd->routers[switch_index];
    const gms_flit_counts_t *counts =
        gms_flit_switch_counts(power->net, switch_index);
    unsigned buffers = gms_flit_config(power->net)->output_flits > 0;
    const gms_hca_counts_t none = {0};
    double write_pj = config->energy.buffer_write_pj;
    double pj = (double)counts->reads * config->energy.buffer_read_pj +
                (double)counts->arbitrations * config->energy.arbitration_pj +
                (double)counts->crossings *
                    (config->energy.crossbar_pj + buffers * write_pj) +
                (double)gms_power_herd_flits(power, router, 0) *
                    gms_power_link_flit_pj(config) +
                (double)gms_power_herd_flits(power, router, 1) * write_pj;
    unsigned i;

    for (i = router->first_in; i < router->last_in; ++i) {
        uint32_t link = herd->in_links[i];

        pj += (double)gms_flit_link_flits(power->net, link) *
              gms_power_in_flit_pj(config);
        if (gms_power_herd_has_hcas(power)) {
            uint32_t node = gms_topology_from(power->topology, link)->index;

            pj += gms_power_hca_pj(config, &none,
                                   gms_hca_counts(power->hcas[node]));
        }
    }
    return pj;
}

/* Returns the number of flits that have passed through the switch but have not
 * reached their links. Without output buffers, these flits are in the
 * crossbar. */
static uint64_t gms_power_herd_behind(const gms_power_t *power,
                                      const gms_power_router_t *router,
                                      const gms_flit_counts_t *counts)
{
    const gms_flit_config_t *flit = gms_flit_config(power->net);

    return flit->output_flits > 0
               ? 2 * counts->crossings - counts->reads
               : (uint64_t)router->ports * flit->crossbar_cycles;
}

static void gms_power_herd_look(gms_power_t *power, uint32_t switch_index)
{
    gms_power_herd_t *herd = power->state;
    gms_power_router_t *router = &herd->routers[switch_index];
    const gms_flit_counts_t *counts =
        gms_flit_switch_counts(power->net, switch_index);
    int64_t total_aj =
        gms_power_aj(gms_power_herd_total_pj(power, switch_index));

    router->spent_aj[herd->epoch] = total_aj - router->total_aj;
    router->total_aj = total_aj;
    router->passed = counts->crossings - router->crossings;
    router->crossings = counts->crossings;
    router->owed_aj = (int64_t)gms_power_herd_behind(power, router, counts) *
                      herd->owed_flit_aj;
}

/* Returns spent(m + 1 - j), computed from `spent`, the result for j + 1. Call
 * this function for j = m + 1, m, .. 1, in this order. */
static int64_t gms_power_herd_spent(const gms_power_herd_t *herd,
                                    const gms_power_router_t *router,
                                    unsigned j, int64_t spent)
{
    unsigned k = herd->epochs + 1 - j;

    return k > 0
               ? spent + router->spent_aj[(herd->epoch + herd->epochs + 1 - k) %
                                          herd->epochs]
               : 0;
}

/* Returns the energy that the budget must cover even if no more flits pass
 * through the switch. */
static int64_t gms_power_herd_committed(const gms_power_herd_t *herd,
                                        const gms_power_router_t *router)
{
    int64_t spent = 0, most = 0;
    unsigned j;

    for (j = herd->epochs + 1; j > 0; --j) {
        int64_t sum;

        spent = gms_power_herd_spent(herd, router, j, spent);
        sum = spent + gms_power_herd_most(router, j);
        most = sum > most ? sum : most;
    }
    return most + router->owed_aj;
}

/* Returns the number of flits that the condition for one j allows. Two limits
 * apply to the flits of the nodes. First, each node sends at most one flit per
 * cycle. Second, the nodes send at most as many flits as fit into the router's
 * buffers, plus one flit for every flit that passes through the switch. */
static int64_t gms_power_herd_flits_for(const gms_power_herd_t *herd,
                                        const gms_power_router_t *router,
                                        unsigned j, int64_t spent)
{
    int64_t left = router->budget_aj - spent - router->owed_aj -
                   router->hca_aj * j - router->burst_aj;
    int64_t by_time = (left - router->link_aj * j) / herd->flit_aj;
    int64_t by_room =
        (left - router->fill_aj) / (herd->flit_aj + herd->in_flit_aj);

    return by_time > by_room ? by_time : by_room;
}

static void gms_power_herd_allow(gms_power_t *power, uint32_t switch_index)
{
    gms_power_herd_t *herd = power->state;
    gms_power_router_t *router = &herd->routers[switch_index];
    int64_t least =
        (int64_t)((uint64_t)router->ports * power->config.epoch_cycles);
    int64_t spent = 0;
    unsigned j;

    for (j = herd->epochs + 1; j > 0; --j) {
        int64_t flits;

        spent = gms_power_herd_spent(herd, router, j, spent);
        flits = gms_power_herd_flits_for(herd, router, j, spent);
        least = flits < least ? flits : least;
    }
    router->allowance = least > 0 ? (uint64_t)least : 0;
    gms_flit_set_allowance(power->net, switch_index,
                           (uint32_t)router->allowance);
}

/* ---- sharing ---- */

/* Returns the energy that a router expects to need. The function assumes that
 * as many flits pass in every coming epoch as the router expects for the next
 * epoch. */
static int64_t gms_power_herd_need(const gms_power_herd_t *herd,
                                   const gms_power_router_t *router)
{
    int is_throttled = router->passed >= router->allowance;
    double flits =
        (double)router->passed *
            (is_throttled ? GMS_POWER_HERD_GROWTH : GMS_POWER_HERD_MARGIN) +
        1;
    int64_t steady =
        (int64_t)(flits * (double)herd->flit_aj) * (herd->epochs + 1) +
        gms_power_herd_most(router, 1);
    int64_t now = gms_power_herd_committed(herd, router) +
                  (int64_t)(flits * (double)herd->flit_aj);

    return steady > now ? steady : now;
}

/* Returns the maximum energy that a router may give away. */
static int64_t gms_power_herd_gift(const gms_power_herd_t *herd,
                                   const gms_power_router_t *router,
                                   int64_t spare)
{
    int64_t borrowed = router->budget_aj - herd->share_aj;
    int64_t unused = router->budget_aj - gms_power_herd_committed(herd, router);
    int64_t gift = spare > borrowed ? spare : borrowed;

    gift = gift < unused ? gift : unused;
    return gift > 0 ? gift : 0;
}

/* Gives energy to the neighbours, depending on the spare energy that they
 * reported in the last round. */
static void gms_power_herd_give(gms_power_herd_t *herd, uint32_t switch_index,
                                int64_t spare)
{
    gms_power_router_t *router = &herd->routers[switch_index];
    int64_t left = gms_power_herd_gift(herd, router, spare);
    unsigned i;

    for (i = router->first; i < router->last && left > 0; ++i) {
        uint32_t to = herd->neighbours[i].switch_index;
        int64_t part;

        if (to == GMS_LINK_NONE || herd->routers[to].spare_aj >= spare) {
            continue;
        }
        part =
            (spare - herd->routers[to].spare_aj) / (herd->most_neighbours + 1);
        part = part < left ? part : left;
        herd->routers[to].coming_aj += part;
        router->budget_aj -= part;
        left -= part;
    }
}

static void gms_power_herd_step(gms_power_t *power)
{
    gms_power_herd_t *herd = power->state;
    uint32_t i;

    herd->epoch = (herd->epoch + 1) % herd->epochs;
    for (i = 0; i < power->switches; ++i) {
        gms_power_router_t *router = &herd->routers[i];

        gms_power_herd_look(power, i);
        router->budget_aj += router->coming_aj;
        router->coming_aj = 0;
    }
    for (i = 0; i < power->switches; ++i) {
        gms_power_router_t *router = &herd->routers[i];

        herd->told[i] = router->budget_aj - gms_power_herd_need(herd, router);
        gms_power_herd_give(herd, i, herd->told[i]);
        gms_power_herd_allow(power, i);
    }
    for (i = 0; i < power->switches; ++i) {
        herd->routers[i].spare_aj = herd->told[i];
    }
    herd->next_cycle += power->config.epoch_cycles;
}

static uint64_t gms_power_herd_next(const gms_power_t *power)
{
    const gms_power_herd_t *herd = power->state;

    return herd->next_cycle;
}

static double gms_power_herd_budget(const gms_power_t *power,
                                    uint32_t switch_index)
{
    const gms_power_herd_t *herd = power->state;
    const gms_power_config_t *config = &power->config;

    return (double)herd->routers[switch_index].budget_aj / GMS_POWER_AJ_PER_PJ /
           GMS_POWER_PJ(1.0, config->window_cycles, config->cycle_ps);
}

/* ---- HCAs ---- */

static int gms_power_herd_may_enter(gms_power_t *power, uint32_t node,
                                    const gms_hca_message_t *message)
{
    const gms_power_herd_t *herd = power->state;

    return message->packet.traffic_class == GMS_LANE_CONTROL ||
           gms_flit_now(power->net) >= herd->enter_cycle[node];
}

/* Delays the node's next message. The delay is the time in which an HCA with a
 * full link consumes the energy of this message. */
static void gms_power_herd_entered(gms_power_t *power, uint32_t node,
                                   const gms_hca_message_t *message)
{
    gms_power_herd_t *herd = power->state;
    uint64_t *next = &herd->enter_cycle[node];
    uint64_t now = gms_flit_now(power->net);

    if (gms_power_herd_has_hcas(power)) {
        *next = (*next > now ? *next : now) +
                (uint64_t)ceil(gms_power_hca_message_pj(&power->config,
                                                        message->packet.flits) /
                               gms_power_hca_cycle_pj(power));
    }
}

/* ---- creation and destruction ---- */

static gms_status_t gms_power_herd_create(gms_power_t *power,
                                          char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_power_herd_t *herd = calloc(1, sizeof(*herd));
    unsigned out = 0, in = 0;
    uint32_t i;

    if (herd == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    power->state = herd;
    herd->epochs = power->config.window_cycles / power->config.epoch_cycles;
    if (gms_power_herd_room(power) != GMS_OK) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < power->switches; ++i) {
        gms_power_herd_out(power, i, &out);
        gms_power_herd_in(power, i, &in);
        herd->routers[i].spent_aj = &herd->spent[(size_t)i * herd->epochs];
    }
    gms_power_herd_prices(power);
    if (gms_power_herd_share(power, error) != GMS_OK) {
        return GMS_ERR_CONFIG;
    }
    for (i = 0; i < power->switches; ++i) {
        gms_power_herd_allow(power, i);
    }
    herd->next_cycle = gms_flit_now(power->net) + power->config.epoch_cycles;
    return GMS_OK;
}

static void gms_power_herd_destroy(gms_power_t *power)
{
    gms_power_herd_t *herd = power->state;

    if (herd != NULL) {
        free(herd->routers);
        free(herd->neighbours);
        free(herd->in_links);
        free(herd->spent);
        free(herd->told);
        free(herd->enter_cycle);
        free(herd);
    }
}

const gms_power_ops_t gms_power_herd_ops = {
    .name = "powerherd",
    .create = gms_power_herd_create,
    .destroy = gms_power_herd_destroy,
    .may_enter = gms_power_herd_may_enter,
    .entered = gms_power_herd_entered,
    .step = gms_power_herd_step,
    .next = gms_power_herd_next,
    .switch_budget_w = gms_power_herd_budget,
};
