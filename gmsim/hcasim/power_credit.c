/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements credit-based peak power control [source: Yum et al., section 5].
 *
 * Every HCA has an energy budget of limit x window / nodes. When the DMA engine
 * fetches a packet, E_packet is subtracted from this budget. The energy returns
 * to the budget one whole window after the packet has arrived. Therefore every
 * packet that spent energy in a window is still charged to a budget at the end
 * of the window. The sum of the budgets bounds the energy of the window. In the
 * paper, the energy returns at the time L_packet after the entry, without
 * waiting for another window (doc/design/0017-power.md).
 *
 * The account is exact for single flits. If a packet of N flits enters at cycle
 * e and arrives at cycle a, its flit i leaves at cycle e + i or later. Flit i
 * arrives at cycle a - (N - 1 - i) or earlier. The amounts of energy that will
 * be taken and returned in later cycles are therefore known in advance. A
 * packet may enter if the budget covers each of its flits in the cycle in which
 * the flit leaves.
 *
 * Best-effort traffic may use only a part of the budget. Real-time traffic may
 * use the whole budget, and is served first. Admission control, not throttling,
 * keeps the average of real-time traffic within its share of the budget.
 *
 *   all      |<---------------------- budget ---------------------->|
 *   best     |<------ best effort's ------>|
 */
#include "config.h"

#include "base/heap.h"
#include "base/plural.h"
#include "hcasim/power_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A packet together with the estimated cycle of its arrival. */
typedef struct gms_power_due {
    uint64_t cycle;
    gms_flit_packet_t packet;
} gms_power_due_t;

typedef struct gms_power_change {
    int64_t all_aj, best_aj;
} gms_power_change_t;

typedef struct gms_power_purse {
    gms_power_change_t used; /* energy in use at the cycle `cycle` */
    uint64_t cycle;
    gms_power_change_t *change; /* ring of the changes in later cycles, indexed
                                 * by cycle */
    /* 1 if real-time traffic waits for energy, so best-effort traffic must not
     * use returned energy */
    int real_time_waits;
} gms_power_purse_t;

typedef struct gms_power_credit {
    gms_power_change_t budget;   /* power budget of each HCA */
    gms_power_purse_t *purses;   /* array, indexed by node */
    gms_power_change_t *changes; /* memory of all rings of changes */
    unsigned ring;
    gms_power_due_t *due; /* heap that has the earliest packet on top */
    size_t due_count, due_room;
    int64_t *real_time_pw; /* remaining power for real-time traffic, indexed by
                            * switch */
    /* energy of a flit in a switch and on the following link */
    double flit_pj;
} gms_power_credit_t;

/* Energy of a packet. One part is proportional to the number of flits, and the
 * other part does not depend on the length. */
typedef struct gms_power_price {
    int64_t flit_aj, once_aj;
} gms_power_price_t;

/* ---- the heap ---- */

/* Compares two entries by cycle. The order of entries with the same cycle is
 * arbitrary, because it does not change the sum of their energies. */
static int gms_power_is_before(const gms_power_credit_t *credit,
                               const gms_power_due_t *a,
                               const gms_power_due_t *b)
{
    (void)credit;
    return a->cycle < b->cycle;
}

GMS_HEAP_DEFINE(gms_power_due, gms_power_due_t, const gms_power_credit_t *,
                gms_power_is_before, GMS_HEAP_UNMOVED);

/* ---- budgets ---- */

static unsigned gms_power_hops(const gms_power_t *power, uint32_t source,
                               uint32_t target)
{
    return gms_flit_route_links(power->net, source, target, NULL, 0) - 2;
}

static gms_power_price_t gms_power_price(const gms_power_t *power,
                                         const gms_flit_packet_t *packet)
{
    const gms_power_config_t *config = &power->config;
    unsigned hops = gms_power_hops(power, packet->source, packet->target);
    double routers = hops + 1;
    double flit_pj =
        gms_power_router_flit_pj(config, gms_flit_config(power->net)) *
            routers +
        gms_power_link_flit_pj(config) * (routers + 1);
    double once_pj = config->energy.arbitration_pj * routers;

    if (config->counts_hca) {
        once_pj += gms_power_hca_message_pj(config, packet->flits);
    }
    return (gms_power_price_t){
        .flit_aj = (int64_t)ceil(flit_pj * GMS_POWER_AJ_PER_PJ),
        .once_aj = (int64_t)ceil(once_pj * GMS_POWER_AJ_PER_PJ)};
}

static void gms_power_mean_hops(const gms_power_t *power, double *mean_hops_p,
                                unsigned *most_hops_p)
{
    double sum = 0;
    uint32_t source, target;
    unsigned most = 0;

    for (source = 0; source < power->nodes; ++source) {
        for (target = 0; target < power->nodes; ++target) {
            unsigned hops = gms_power_hops(power, source, target);

            sum += source != target ? hops : 0;
            most = hops > most ? hops : most;
        }
    }
    *mean_hops_p =
        power->nodes > 1 ? sum / (power->nodes * (power->nodes - 1.0)) : 0;
    *most_hops_p = most;
}

/* Divides the power for real-time traffic among the switches.
 *
 * In the paper, k is the largest input load whose power does not exceed the
 * power for real-time traffic. This load determines the power of the nodes' own
 * links and HCAs. The routers share the remaining power evenly. The share of a
 * router covers the flits that pass through the router and over the following
 * link. [source: Yum et al., section 5.1: E_router x k R / f, whose sum is the
 * budget] */
static void gms_power_share_real_time(gms_power_t *power, double mean_hops)
{
    const gms_power_config_t *config = &power->config;
    gms_power_credit_t *credit = power->state;
    double routers = mean_hops + 1;
    double budget_w = gms_power_to_share_w(power) * config->real_time_part;
    double node_pj =
        gms_power_link_flit_pj(config) +
        (config->counts_hca
             ? gms_power_hca_message_pj(config, config->packet_flits) /
                   config->packet_flits
             : 0);
    double left_w;
    uint32_t i;

    credit->flit_pj =
        gms_power_router_flit_pj(config, gms_flit_config(power->net)) +
        gms_power_link_flit_pj(config) +
        config->energy.arbitration_pj / config->packet_flits;
    left_w = budget_w * credit->flit_pj * routers /
             (credit->flit_pj * routers + node_pj);
    for (i = 0; i < power->switches; ++i) {
        credit->real_time_pw[i] =
            (int64_t)(left_w / power->switches * GMS_POWER_PW_PER_W);
    }
}

static gms_status_t gms_power_share_energy(gms_power_t *power,
                                           unsigned most_hops,
                                           char error[GMS_TOPOLOGY_ERROR_LEN])
{
    const gms_power_config_t *config = &power->config;
    gms_power_credit_t *credit = power->state;
    double watts = gms_power_to_share_w(power);
    double pj = GMS_POWER_PJ(watts, config->window_cycles, config->cycle_ps) /
                power->nodes;
    double best_pj = pj * (1 - config->real_time_part);
    double packet_pj = gms_power_packet_pj(config, gms_flit_config(power->net),
                                           most_hops, config->packet_flits);

    /* If a class has no share of the budget, the function skips this class,
     * because the class is not expected to send. */
    if (pj < packet_pj || (best_pj > 0 && best_pj < packet_pj)) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "power: a limit of %g W allows each of %u nodes %.0f pJ in %u "
                 "cycles (%.0f pJ for best effort). A packet of %u %s over %u "
                 "%s needs %.0f pJ",
                 config->limit_w, power->nodes, pj > 0 ? pj : 0,
                 config->window_cycles, best_pj > 0 ? best_pj : 0,
                 config->packet_flits,
                 gms_plural(config->packet_flits, "flit", "flits"), most_hops,
                 gms_plural(most_hops, "hop", "hops"), packet_pj);
        return GMS_ERR_CONFIG;
    }
    credit->budget.all_aj = (int64_t)(pj * GMS_POWER_AJ_PER_PJ);
    credit->budget.best_aj = (int64_t)(best_pj * GMS_POWER_AJ_PER_PJ);
    /* The budget limits the number of packets in flight, because every packet
     * consumes at least the energy of one flit in one router. */
    credit->due_room =
        power->nodes *
        ((size_t)(pj / gms_power_packet_pj(config, gms_flit_config(power->net),
                                           0, 1)) +
         1);
    return GMS_OK;
}

static gms_status_t gms_power_credit_room(gms_power_t *power)
{
    gms_power_credit_t *credit = power->state;
    uint32_t i;

    /* The ring is just long enough for the latest possible change. This change
     * occurs one window after the arrival or the departure of a packet's last
     * flit. */
    credit->ring = power->config.window_cycles + power->config.packet_flits + 2;
    credit->purses = calloc(power->nodes, sizeof(*credit->purses));
    credit->changes =
        calloc((size_t)power->nodes * credit->ring, sizeof(*credit->changes));
    credit->real_time_pw =
        calloc(power->switches, sizeof(*credit->real_time_pw));
    credit->due = calloc(credit->due_room, sizeof(*credit->due));
    if (credit->purses == NULL || credit->changes == NULL ||
        credit->real_time_pw == NULL || credit->due == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < power->nodes; ++i) {
        credit->purses[i].change = &credit->changes[(size_t)i * credit->ring];
        credit->purses[i].cycle = gms_flit_now(power->net);
    }
    return GMS_OK;
}

static gms_status_t gms_power_credit_create(gms_power_t *power,
                                            char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_power_credit_t *credit = calloc(1, sizeof(*credit));
    double mean_hops;
    unsigned most_hops;
    gms_status_t status;

    if (credit == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    power->state = credit;
    gms_power_mean_hops(power, &mean_hops, &most_hops);
    status = gms_power_share_energy(power, most_hops, error);
    if (status != GMS_OK) {
        return status;
    }
    status = gms_power_credit_room(power);
    if (status == GMS_OK) {
        gms_power_share_real_time(power, mean_hops);
    }
    return status;
}

static void gms_power_credit_destroy(gms_power_t *power)
{
    gms_power_credit_t *credit = power->state;

    if (credit != NULL) {
        free(credit->purses);
        free(credit->changes);
        free(credit->real_time_pw);
        free(credit->due);
        free(credit);
    }
}

/* ---- a node's account ---- */

static gms_power_change_t *gms_power_change_at(const gms_power_t *power,
                                               const gms_power_purse_t *purse,
                                               uint64_t cycle)
{
    const gms_power_credit_t *credit = power->state;

    return &purse->change[cycle % credit->ring];
}

/* Applies the changes of a node's account up to the current cycle, and returns
 * the account. */
static gms_power_purse_t *gms_power_purse(gms_power_t *power, uint32_t node)
{
    gms_power_credit_t *credit = power->state;
    gms_power_purse_t *purse = &credit->purses[node];
    uint64_t now = gms_flit_now(power->net);
    uint64_t far = purse->cycle + credit->ring;
    uint64_t cycle;

    for (cycle = purse->cycle + 1; cycle <= now && cycle <= far; ++cycle) {
        gms_power_change_t *change = gms_power_change_at(power, purse, cycle);

        purse->used.all_aj += change->all_aj;
        purse->used.best_aj += change->best_aj;
        *change = (gms_power_change_t){0, 0};
    }
    purse->cycle = now;
    return purse;
}

static void gms_power_purse_add(gms_power_t *power, gms_power_purse_t *purse,
                                uint64_t cycle, int64_t energy_aj,
                                int is_best_effort)
{
    gms_power_change_t *to = cycle <= purse->cycle
                                 ? &purse->used
                                 : gms_power_change_at(power, purse, cycle);

    to->all_aj += energy_aj;
    to->best_aj += is_best_effort ? energy_aj : 0;
}

/* Checks whether the budgets cover every flit of a packet in the cycle in which
 * the flit leaves. The check includes the later flits of packets that have
 * already entered. */
static int gms_power_fits(gms_power_t *power, gms_power_purse_t *purse,
                          const gms_flit_packet_t *packet)
{
    const gms_power_credit_t *credit = power->state;
    int is_best = packet->traffic_class == GMS_LANE_BEST_EFFORT;
    gms_power_price_t price = gms_power_price(power, packet);
    gms_power_change_t used = purse->used;
    int64_t taken_aj = price.once_aj;
    unsigned i;

    for (i = 0; i < power->config.packet_flits; ++i) {
        if (i > 0) {
            const gms_power_change_t *change =
                gms_power_change_at(power, purse, purse->cycle + i);

            used.all_aj += change->all_aj;
            used.best_aj += change->best_aj;
        }
        taken_aj += i < packet->flits ? price.flit_aj : 0;
        if (used.all_aj + taken_aj > credit->budget.all_aj ||
            (is_best && used.best_aj + taken_aj > credit->budget.best_aj)) {
            return 0;
        }
    }
    return 1;
}

/* ---- packets ---- */

/* Returns 1 if the packet is charged to the budget of its HCA. */
static int gms_power_is_budgeted(const gms_power_t *power,
                                 const gms_flit_packet_t *packet)
{
    return packet->traffic_class == GMS_LANE_BEST_EFFORT ||
           (packet->traffic_class == GMS_LANE_REAL_TIME &&
            power->config.holds_real_time);
}

static int gms_power_credit_may_enter(gms_power_t *power, uint32_t node,
                                      const gms_hca_message_t *message)
{
    gms_power_purse_t *purse;
    int fits;

    if (!gms_power_is_budgeted(power, &message->packet)) {
        return 1;
    }
    purse = gms_power_purse(power, node);
    fits = gms_power_fits(power, purse, &message->packet);
    if (message->packet.traffic_class == GMS_LANE_REAL_TIME) {
        purse->real_time_waits = !fits;
        return fits;
    }
    return fits && !purse->real_time_waits;
}

/* Schedules the return of a packet's energy to the budget. Call this
 * function at the end of the cycle in which the packet arrived or should
 * have arrived. */
static void gms_power_give_back(gms_power_t *power,
                                const gms_flit_packet_t *packet)
{
    int is_best = packet->traffic_class == GMS_LANE_BEST_EFFORT;
    gms_power_price_t price = gms_power_price(power, packet);
    gms_power_purse_t *purse = gms_power_purse(power, packet->source);
    uint64_t last = purse->cycle + power->config.window_cycles + 1;
    unsigned i;

    for (i = 0; i < packet->flits; ++i) {
        gms_power_purse_add(power, purse, last - (packet->flits - 1 - i),
                            -price.flit_aj, is_best);
    }
    gms_power_purse_add(power, purse, last, -price.once_aj, is_best);
}

static void gms_power_credit_entered(gms_power_t *power, uint32_t node,
                                     const gms_hca_message_t *message)
{
    const gms_flit_packet_t *packet = &message->packet;
    int is_best = packet->traffic_class == GMS_LANE_BEST_EFFORT;
    gms_power_credit_t *credit = power->state;
    gms_power_price_t price;
    gms_power_purse_t *purse;
    unsigned i;

    if (!gms_power_is_budgeted(power, packet)) {
        return;
    }
    price = gms_power_price(power, packet);
    purse = gms_power_purse(power, node);
    gms_power_purse_add(power, purse, purse->cycle, price.once_aj, is_best);
    for (i = 0; i < packet->flits; ++i) {
        gms_power_purse_add(power, purse, purse->cycle + i, price.flit_aj,
                            is_best);
    }
    if (power->config.return_on == GMS_POWER_ON_ESTIMATE) {
        /* W_HCA in cycles equals the number of flits ahead of the packet,
         * because one flit leaves per cycle. [assumed: "can be estimated from
         * the queue operations"] */
        gms_power_due_t due = {
            .cycle = purse->cycle +
                     gms_power_packet_cycles(
                         gms_flit_config(power->net),
                         gms_power_hops(power, packet->source, packet->target),
                         packet->flits, gms_flit_waiting(power->net, node)),
            .packet = *packet};

        gms_power_due_add(credit, credit->due, &credit->due_count, due);
    }
}

static void gms_power_credit_arrived(gms_power_t *power,
                                     const gms_hca_message_t *message)
{
    if (power->config.return_on == GMS_POWER_ON_ARRIVAL &&
        gms_power_is_budgeted(power, &message->packet)) {
        gms_power_give_back(power, &message->packet);
    }
}

static void gms_power_credit_step(gms_power_t *power)
{
    gms_power_credit_t *credit = power->state;
    uint64_t now = gms_flit_now(power->net);

    while (credit->due_count > 0 && credit->due[0].cycle <= now) {
        gms_power_due_t due =
            gms_power_due_take(credit, credit->due, &credit->due_count);

        gms_power_give_back(power, &due.packet);
    }
}

static uint64_t gms_power_credit_next(const gms_power_t *power)
{
    const gms_power_credit_t *credit = power->state;

    return credit->due_count > 0 ? credit->due[0].cycle : UINT64_MAX;
}

static double gms_power_credit_left(gms_power_t *power, uint32_t node,
                                    int best_effort)
{
    const gms_power_credit_t *credit = power->state;
    const gms_power_purse_t *purse = gms_power_purse(power, node);
    int64_t left_aj = best_effort ? credit->budget.best_aj - purse->used.best_aj
                                  : credit->budget.all_aj - purse->used.all_aj;

    return (double)left_aj / GMS_POWER_AJ_PER_PJ;
}

/* ---- connections ---- */

static int64_t gms_power_connection_pw(const gms_power_t *power, double average)
{
    const gms_power_credit_t *credit = power->state;

    return (int64_t)ceil(credit->flit_pj * average /
                         (double)power->config.cycle_ps * GMS_POWER_PW_PER_W);
}

static int gms_power_credit_may_admit(gms_power_t *power, uint32_t switch_index,
                                      double average)
{
    const gms_power_credit_t *credit = power->state;

    return gms_power_connection_pw(power, average) <=
           credit->real_time_pw[switch_index];
}

static void gms_power_credit_take(gms_power_t *power, uint32_t switch_index,
                                  double average)
{
    gms_power_credit_t *credit = power->state;

    credit->real_time_pw[switch_index] -=
        gms_power_connection_pw(power, average);
}

static void gms_power_credit_give(gms_power_t *power, uint32_t switch_index,
                                  double average)
{
    gms_power_credit_t *credit = power->state;

    credit->real_time_pw[switch_index] +=
        gms_power_connection_pw(power, average);
}

static double gms_power_credit_budget(const gms_power_t *power,
                                      uint32_t switch_index)
{
    const gms_power_credit_t *credit = power->state;

    return (double)credit->real_time_pw[switch_index] / GMS_POWER_PW_PER_W;
}

const gms_power_ops_t gms_power_credit_ops = {
    .name = "credit",
    .create = gms_power_credit_create,
    .destroy = gms_power_credit_destroy,
    .may_enter = gms_power_credit_may_enter,
    .entered = gms_power_credit_entered,
    .arrived = gms_power_credit_arrived,
    .may_admit = gms_power_credit_may_admit,
    .take = gms_power_credit_take,
    .give = gms_power_credit_give,
    .step = gms_power_credit_step,
    .next = gms_power_credit_next,
    .energy_left_pj = gms_power_credit_left,
    .switch_budget_w = gms_power_credit_budget,
};
