/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that all policies of power control share: validation of the
 * settings, and calls to the chosen policy.
 */
#include "config.h"

#include "hcasim/power_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const gms_power_policy_names[] = {"none", "credit", "powerherd",
                                              NULL};

const gms_power_ops_t gms_power_none_ops = {.name = "none"};

static const gms_power_ops_t *const gms_power_policies[GMS_POWER_POLICIES] = {
    [GMS_POWER_NONE] = &gms_power_none_ops,
    [GMS_POWER_CREDIT] = &gms_power_credit_ops,
    [GMS_POWER_HERD] = &gms_power_herd_ops,
};

/* Energy per byte of an access to the HCA's local memory. A Direct RDRAM
 * consumes 313 mW while it reads or writes [source: Huang, Pillai and Shin
 * 2003, table 1] and transfers 1.6 GB/s [source: Rambus, Direct RDRAM 800 MHz,
 * two bytes wide]. */
#define RDRAM_BYTE_PJ (0.313 / 1.6e9 * 1e12)

void gms_power_config_init(gms_power_config_t *config)
{
    *config = (gms_power_config_t){
        .policy = GMS_POWER_NONE,
        .energy =
            {
                /* [source: Yum et al., table 1] */
                .buffer_read_pj = 31.125,
                .buffer_write_pj = 27.075,
                .arbitration_pj = 6.10086,
                .crossbar_pj = 68.475,
                .link_bit_pj = 10.21,
                /* An 8-byte doorbell and a 64-byte work queue element are
                 * written to the local memory and then read by the firmware.
                 * [assumed: InfiniBand HCAs of that time used these sizes] */
                .hca_doorbell_pj = 2 * (8 + 64) * RDRAM_BYTE_PJ,
                /* A completion queue element of 32 bytes is written to the
                 * local memory and read from it. [assumed: InfiniBand HCAs of
                 * that time used this size] */
                .hca_completion_pj = 2 * 32 * RDRAM_BYTE_PJ,
                /* A flit passes through the DMA controller's data path, is
                 * written into a lane, and leaves it through the lane's
                 * arbiter. The data path, the lane and the arbiter are similar
                 * to those of a router. Packets bypass the local memory,
                 * because the DMA engine transfers them directly into the lane.
                 * [assumed: the same cells, 180 nm] */
                .hca_dma_flit_pj = 68.475,
                .hca_lane_flit_pj = 31.125 + 27.075,
                /* The processor polls doorbells continuously. It consumes 0.25
                 * W, the maximum power of a StrongARM SA-1100 [source:
                 * Digital's announcement, heise news 1998]. Between accesses,
                 * the memory is in nap mode and consumes 11 mW [source: Huang,
                 * Pillai and Shin 2003]. */
                .hca_idle_w = 0.25 + 0.011,
            },
        .flit_bits = 128,     /* [source: Yum et al., section 6.1] */
        .cycle_ps = 3760,     /* [source: ibid., section 7.4: 500 cycles are
                                  1.88 us] */
        .window_cycles = 500, /* [source: ibid., section 7.4] */
        .limit_w = 21,        /* [source: ibid., section 7.4] */
        .counts_hca = 0, /* [assumed from the phrase "power consumption of the
                          * network"] */
        /* [assumed: this part is enough for a dozen control packets per
         * window] */
        .reserve_part = 0.02,
        .real_time_part = 0.5, /* [source: ibid., section 7] */
        .packet_flits = 40,    /* [source: ibid., section 6.1] */
        .return_on = GMS_POWER_ON_ARRIVAL,
        .holds_real_time = 1,
        /* [assumed: a side band needs much less than one epoch to transfer a
         * number to a neighbour] */
        .epoch_cycles = 50,
    };
}

static gms_status_t gms_power_check(const gms_power_config_t *config,
                                    char error[GMS_TOPOLOGY_ERROR_LEN])
{
    const char *what = NULL;

    if (config->policy >= GMS_POWER_POLICIES) {
        what = "the policy must be none, credit or powerherd";
    } else if (!(config->limit_w > 0) || !isfinite(config->limit_w)) {
        what = "the limit must be more than 0 W";
    } else if (config->window_cycles == 0 || config->cycle_ps == 0 ||
               config->flit_bits == 0 || config->packet_flits == 0) {
        what = "the lengths of windows, cycles, flits and packets must be at "
               "least 1";
    } else if (!(config->real_time_part >= 0 && config->real_time_part <= 1)) {
        what = "the real-time share must be 0..1";
    } else if (!(config->reserve_part >= 0 && config->reserve_part < 1)) {
        what = "the reserve must be 0 or more, and less than 1";
    } else if (config->return_on > GMS_POWER_ON_ESTIMATE) {
        what =
            "return_on must be 0 (on arrival) or 1 (at the estimated arrival)";
    } else if (config->epoch_cycles == 0 ||
               config->window_cycles % config->epoch_cycles != 0) {
        what = "the length of the window must be a multiple of the length of "
               "an epoch";
    }
    if (what == NULL) {
        return GMS_OK;
    }
    snprintf(error, GMS_TOPOLOGY_ERROR_LEN, "power: %s", what);
    return GMS_ERR_CONFIG;
}

gms_status_t gms_power_create(const gms_power_config_t *config,
                              gms_flit_net_t *net, gms_hca_t *const *hcas,
                              gms_power_t **power_p,
                              char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_power_t *power;
    gms_status_t status = gms_power_check(config, error);

    if (status != GMS_OK) {
        return status;
    }
    power = calloc(1, sizeof(*power));
    if (power == NULL) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN, "power: out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    power->config = *config;
    power->net = net;
    power->hcas = hcas;
    power->topology = gms_flit_topology(net);
    power->nodes = gms_topology_nodes(power->topology);
    power->switches = gms_topology_switches(power->topology);
    power->links = gms_topology_link_count(power->topology);
    power->ops = gms_power_policies[config->policy];
    status = gms_power_account_create(power);
    if (status == GMS_OK && power->ops->create != NULL) {
        status = power->ops->create(power, error);
    }
    if (status != GMS_OK) {
        if (status == GMS_ERR_NO_MEMORY) {
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN, "power: out of memory");
        }
        gms_power_destroy(power);
        return status;
    }
    *power_p = power;
    return GMS_OK;
}

void gms_power_destroy(gms_power_t *power)
{
    if (power == NULL) {
        return;
    }
    if (power->ops->destroy != NULL) {
        power->ops->destroy(power);
    }
    gms_power_account_destroy(power);
    free(power);
}

/* ---- decisions of the policy ---- */

int gms_power_may_enter(gms_power_t *power, uint32_t node,
                        const gms_hca_message_t *message)
{
    return power->ops->may_enter == NULL ||
           power->ops->may_enter(power, node, message);
}

void gms_power_entered(gms_power_t *power, uint32_t node,
                       const gms_hca_message_t *message)
{
    if (power->ops->entered != NULL) {
        power->ops->entered(power, node, message);
    }
}

void gms_power_arrived(gms_power_t *power, const gms_hca_message_t *message)
{
    if (power->ops->arrived != NULL) {
        power->ops->arrived(power, message);
    }
}

int gms_power_may_admit(void *context, uint32_t switch_index, double average)
{
    gms_power_t *power = context;

    return power->ops->may_admit == NULL ||
           power->ops->may_admit(power, switch_index, average);
}

void gms_power_take(void *context, uint32_t switch_index, double average)
{
    gms_power_t *power = context;

    if (power->ops->take != NULL) {
        power->ops->take(power, switch_index, average);
    }
}

void gms_power_give(void *context, uint32_t switch_index, double average)
{
    gms_power_t *power = context;

    if (power->ops->give != NULL) {
        power->ops->give(power, switch_index, average);
    }
}

double gms_power_energy_left_pj(gms_power_t *power, uint32_t node,
                                int best_effort)
{
    return power->ops->energy_left_pj != NULL
               ? power->ops->energy_left_pj(power, node, best_effort)
               : 0;
}

double gms_power_switch_budget_w(const gms_power_t *power,
                                 uint32_t switch_index)
{
    return power->ops->switch_budget_w != NULL
               ? power->ops->switch_budget_w(power, switch_index)
               : 0;
}

/* ---- time ---- */

void gms_power_step(gms_power_t *power)
{
    uint64_t now = gms_flit_now(power->net);

    if (power->ops->step != NULL && now >= power->ops->next(power)) {
        power->ops->step(power);
    }
    while (now >= power->account.end_cycle) {
        gms_power_account_close(power);
    }
}

uint64_t gms_power_next(const gms_power_t *power)
{
    uint64_t policy =
        power->ops->next != NULL ? power->ops->next(power) : UINT64_MAX;

    return policy < power->account.end_cycle ? policy
                                             : power->account.end_cycle;
}
