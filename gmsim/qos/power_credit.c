/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Credit-based peak power control [source: Yum et al., section 5].
 *
 * Each HCA has an energy budget, limit x window / nodes. A packet takes
 * E_packet out of it when the DMA engine takes it, and what it has taken comes
 * back a whole window after the packet has arrived. So all packets that spend
 * energy in any one window hold their part of the budget together at the
 * window's end, and the sum of the budgets bounds what the window can cost.
 * The paper gives back after L_packet, without the window
 * (doc/design/0017-power.md).
 *
 * Best effort has a part of the budget; real time has all of it, and comes
 * first: it is kept within its own part by admission on average, not by
 * throttling.
 *
 *   all      |<---------------------- budget ---------------------->|
 *   best     |<------ best effort's ------>|
 */
#include "config.h"

#include "qos/power_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Energy that is to come back. */
typedef struct gms_power_loan {
    uint64_t cycle, energy_aj;
    uint32_t node;
    int is_best_effort;
} gms_power_loan_t;

typedef struct gms_power_purse {
    uint64_t used_aj, best_used_aj;
    int real_time_waits; /* nothing less urgent may take what comes back */
} gms_power_purse_t;

typedef struct gms_power_credit {
    uint64_t all_aj, best_aj;  /* budgets of each HCA */
    gms_power_purse_t *purses; /* by node */
    gms_power_loan_t *loans;   /* heap, the first to come back on top */
    size_t loan_count, loan_room;
    int64_t *real_time_pw; /* by switch: what is left */
    double flit_pj;        /* of a connection's flit at a switch */
} gms_power_credit_t;

/* ---- the heap ---- */

static void gms_power_loan_push(gms_power_credit_t *credit,
                                const gms_power_loan_t *loan)
{
    size_t at = credit->loan_count++;

    while (at > 0 && credit->loans[(at - 1) / 2].cycle > loan->cycle) {
        credit->loans[at] = credit->loans[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    credit->loans[at] = *loan;
}

static gms_power_loan_t gms_power_loan_pop(gms_power_credit_t *credit)
{
    gms_power_loan_t top = credit->loans[0];
    gms_power_loan_t last = credit->loans[--credit->loan_count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < credit->loan_count &&
            credit->loans[child + 1].cycle < credit->loans[child].cycle) {
            ++child;
        }
        if (child >= credit->loan_count ||
            credit->loans[child].cycle >= last.cycle) {
            break;
        }
        credit->loans[at] = credit->loans[child];
        at = child;
    }
    credit->loans[at] = last;
    return top;
}

/* ---- budgets ---- */

static unsigned gms_power_hops(const gms_power_t *power, uint32_t source,
                               uint32_t target)
{
    return gms_flit_way(power->net, source, target, NULL, 0) - 2;
}

static uint64_t gms_power_packet_aj(const gms_power_t *power,
                                    const gms_flit_packet_t *packet)
{
    unsigned hops = gms_power_hops(power, packet->source, packet->target);
    double pj = gms_power_packet_pj(&power->config, gms_flit_config(power->net),
                                    hops, packet->flits);

    return (uint64_t)ceil(pj * GMS_POWER_AJ_PER_PJ);
}

static void gms_power_ways(const gms_power_t *power, double *mean_hops_p,
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

/* What real time may take at each switch. k, the input load that its part of the
 * limit carries, gives what the nodes' own links and HCAs take of it; the
 * routers share the rest evenly, and each answers for a flit's way through it
 * and over the link behind it. [source: Yum et al., section 5.1: E_router x k R
 * / f, whose sum is the budget] */
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

    /* What has no part at all is not meant to send. */
    if (pj < packet_pj || (best_pj > 0 && best_pj < packet_pj)) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "power: a limit of %g W leaves each of %u nodes %.0f pJ in %u "
                 "cycles, %.0f of them for best effort, but a packet of %u "
                 "flits over %u hops takes %.0f",
                 config->limit_w, power->nodes, pj > 0 ? pj : 0,
                 config->window_cycles, best_pj > 0 ? best_pj : 0,
                 config->packet_flits, most_hops, packet_pj);
        return GMS_ERR_CONFIG;
    }
    credit->all_aj = (uint64_t)(pj * GMS_POWER_AJ_PER_PJ);
    credit->best_aj = (uint64_t)(best_pj * GMS_POWER_AJ_PER_PJ);
    /* No packet costs less than a flit through one router. */
    credit->loan_room =
        power->nodes *
        ((size_t)(pj / gms_power_packet_pj(config, gms_flit_config(power->net),
                                           0, 1)) +
         1);
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
    gms_power_ways(power, &mean_hops, &most_hops);
    status = gms_power_share_energy(power, most_hops, error);
    if (status != GMS_OK) {
        return status;
    }
    credit->purses = calloc(power->nodes, sizeof(*credit->purses));
    credit->real_time_pw =
        calloc(power->switches, sizeof(*credit->real_time_pw));
    credit->loans = calloc(credit->loan_room, sizeof(*credit->loans));
    if (credit->purses == NULL || credit->real_time_pw == NULL ||
        credit->loans == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    gms_power_share_real_time(power, mean_hops);
    return GMS_OK;
}

static void gms_power_credit_destroy(gms_power_t *power)
{
    gms_power_credit_t *credit = power->state;

    if (credit != NULL) {
        free(credit->purses);
        free(credit->real_time_pw);
        free(credit->loans);
        free(credit);
    }
}

/* ---- packets ---- */

static int gms_power_credit_may_enter(gms_power_t *power, uint32_t node,
                                      const gms_hca_message_t *message)
{
    gms_power_credit_t *credit = power->state;
    gms_power_purse_t *purse = &credit->purses[node];
    unsigned class_ = message->packet.class_;
    uint64_t energy_aj;
    int fits;

    if (class_ == GMS_LANE_CONTROL ||
        (class_ == GMS_LANE_REAL_TIME && !power->config.holds_real_time)) {
        return 1;
    }
    energy_aj = gms_power_packet_aj(power, &message->packet);
    fits = purse->used_aj + energy_aj <= credit->all_aj;
    if (class_ == GMS_LANE_REAL_TIME) {
        purse->real_time_waits = !fits;
        return fits;
    }
    return fits && !purse->real_time_waits &&
           purse->best_used_aj + energy_aj <= credit->best_aj;
}

static void gms_power_credit_lend(gms_power_t *power, uint32_t node,
                                  uint64_t cycle,
                                  const gms_hca_message_t *message)
{
    gms_power_loan_t loan = {
        .cycle = cycle,
        .energy_aj = gms_power_packet_aj(power, &message->packet),
        .node = node,
        .is_best_effort = message->packet.class_ == GMS_LANE_BEST_EFFORT};

    gms_power_loan_push(power->state, &loan);
}

/* Does this message live on its HCA's budget? */
static int gms_power_is_budgeted(const gms_power_t *power,
                                 const gms_hca_message_t *message)
{
    return message->packet.class_ == GMS_LANE_BEST_EFFORT ||
           (message->packet.class_ == GMS_LANE_REAL_TIME &&
            power->config.holds_real_time);
}

static void gms_power_credit_entered(gms_power_t *power, uint32_t node,
                                     const gms_hca_message_t *message)
{
    const gms_flit_packet_t *packet = &message->packet;
    gms_power_credit_t *credit = power->state;
    gms_power_purse_t *purse = &credit->purses[node];
    uint64_t energy_aj, cycles;

    if (!gms_power_is_budgeted(power, message)) {
        return;
    }
    energy_aj = gms_power_packet_aj(power, packet);
    purse->used_aj += energy_aj;
    if (packet->class_ == GMS_LANE_BEST_EFFORT) {
        purse->best_used_aj += energy_aj;
    } else {
        purse->real_time_waits = 0;
    }
    if (power->config.return_ == GMS_POWER_ON_ESTIMATE) {
        /* W_HCA: what is before it goes out at one flit per cycle.
         * [assumed: "can be estimated from the queue operations"] */
        cycles = gms_power_packet_cycles(
            gms_flit_config(power->net),
            gms_power_hops(power, packet->source, packet->target),
            packet->flits, gms_flit_waiting(power->net, node));
        gms_power_credit_lend(power, node,
                              gms_flit_now(power->net) + cycles +
                                  power->config.window_cycles,
                              message);
    }
}

static void gms_power_credit_arrived(gms_power_t *power,
                                     const gms_hca_message_t *message)
{
    if (power->config.return_ == GMS_POWER_ON_ARRIVAL &&
        gms_power_is_budgeted(power, message)) {
        gms_power_credit_lend(power, message->packet.source,
                              gms_flit_now(power->net) +
                                  power->config.window_cycles + 1,
                              message);
    }
}

static void gms_power_credit_step(gms_power_t *power)
{
    gms_power_credit_t *credit = power->state;
    uint64_t now = gms_flit_now(power->net);

    while (credit->loan_count > 0 && credit->loans[0].cycle <= now) {
        gms_power_loan_t loan = gms_power_loan_pop(credit);
        gms_power_purse_t *purse = &credit->purses[loan.node];

        purse->used_aj -= loan.energy_aj;
        purse->best_used_aj -= loan.is_best_effort ? loan.energy_aj : 0;
    }
}

static uint64_t gms_power_credit_next(const gms_power_t *power)
{
    const gms_power_credit_t *credit = power->state;

    return credit->loan_count > 0 ? credit->loans[0].cycle : UINT64_MAX;
}

static double gms_power_credit_left(const gms_power_t *power, uint32_t node,
                                    int best_effort)
{
    const gms_power_credit_t *credit = power->state;
    const gms_power_purse_t *purse = &credit->purses[node];
    uint64_t left_aj = best_effort ? credit->best_aj - purse->best_used_aj
                                   : credit->all_aj - purse->used_aj;

    return (double)left_aj / GMS_POWER_AJ_PER_PJ;
}

/* ---- connections ---- */

static int64_t gms_power_connection_pw(const gms_power_t *power, double average)
{
    const gms_power_credit_t *credit = power->state;

    return (int64_t)ceil(credit->flit_pj * average /
                         (double)power->config.cycle_ps * GMS_POWER_PW_PER_W);
}

static int gms_power_credit_may_admit(gms_power_t *power, uint32_t switch_,
                                      double average)
{
    const gms_power_credit_t *credit = power->state;

    return gms_power_connection_pw(power, average) <=
           credit->real_time_pw[switch_];
}

static void gms_power_credit_take(gms_power_t *power, uint32_t switch_,
                                  double average)
{
    gms_power_credit_t *credit = power->state;

    credit->real_time_pw[switch_] -= gms_power_connection_pw(power, average);
}

static void gms_power_credit_give(gms_power_t *power, uint32_t switch_,
                                  double average)
{
    gms_power_credit_t *credit = power->state;

    credit->real_time_pw[switch_] += gms_power_connection_pw(power, average);
}

static double gms_power_credit_budget(const gms_power_t *power,
                                      uint32_t switch_)
{
    const gms_power_credit_t *credit = power->state;

    return (double)credit->real_time_pw[switch_] / GMS_POWER_PW_PER_W;
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
