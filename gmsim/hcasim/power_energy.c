/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the event counts of the network and the HCAs into energy, and
 * computes the power of every window.
 */
#include "config.h"

#include "hcasim/power_int.h"

#include <stdlib.h>
#include <string.h>

double gms_power_router_flit_pj(const gms_power_config_t *config,
                                const gms_flit_config_t *flit)
{
    const gms_energy_t *energy = &config->energy;
    unsigned buffers = flit->output_flits > 0 ? 2 : 1;

    return buffers * (energy->buffer_write_pj + energy->buffer_read_pj) +
           energy->crossbar_pj;
}

double gms_power_link_flit_pj(const gms_power_config_t *config)
{
    return config->flit_bits * config->energy.link_bit_pj;
}

double gms_power_hca_message_pj(const gms_power_config_t *config,
                                unsigned flits)
{
    const gms_energy_t *energy = &config->energy;

    return energy->hca_doorbell_pj + energy->hca_completion_pj +
           flits * (energy->hca_dma_flit_pj + energy->hca_lane_flit_pj);
}

double gms_power_packet_pj(const gms_power_config_t *config,
                           const gms_flit_config_t *flit, unsigned hops,
                           unsigned flits)
{
    double routers = hops + 1;
    double pj = (gms_power_router_flit_pj(config, flit) * routers +
                 gms_power_link_flit_pj(config) * (routers + 1)) *
                    flits +
                config->energy.arbitration_pj * routers;

    return config->counts_hca ? pj + gms_power_hca_message_pj(config, flits)
                              : pj;
}

uint64_t gms_power_packet_cycles(const gms_flit_config_t *flit, unsigned hops,
                                 unsigned flits, uint64_t hca_cycles)
{
    uint64_t stages = (uint64_t)flit->input_cycles + flit->route_cycles +
                      flit->lane_cycles + flit->switch_cycles +
                      flit->crossbar_cycles + flit->link_cycles +
                      (flit->output_flits > 0 ? flit->output_cycles : 0);

    return flit->link_cycles + (hops + UINT64_C(1)) * stages - 1 + flits +
           hca_cycles;
}

double gms_power_switch_pj(const gms_power_config_t *config,
                           const gms_flit_counts_t *before,
                           const gms_flit_counts_t *after)
{
    const gms_energy_t *energy = &config->energy;

    return (double)(after->writes - before->writes) * energy->buffer_write_pj +
           (double)(after->reads - before->reads) * energy->buffer_read_pj +
           (double)(after->arbitrations - before->arbitrations) *
               energy->arbitration_pj +
           (double)(after->crossings - before->crossings) * energy->crossbar_pj;
}

double gms_power_hca_pj(const gms_power_config_t *config,
                        const gms_hca_counts_t *before,
                        const gms_hca_counts_t *after)
{
    const gms_energy_t *energy = &config->energy;

    return (double)(after->doorbells - before->doorbells) *
               energy->hca_doorbell_pj +
           (double)(after->completions - before->completions) *
               energy->hca_completion_pj +
           (double)(after->dma_flits - before->dma_flits) *
               energy->hca_dma_flit_pj +
           (double)(after->lane_flits - before->lane_flits) *
               energy->hca_lane_flit_pj;
}

double gms_power_to_share_w(const gms_power_t *power)
{
    const gms_power_config_t *config = &power->config;
    double watts = config->limit_w * (1 - config->reserve_part);

    if (config->counts_hca && power->hcas != NULL) {
        watts -= power->nodes * config->energy.hca_idle_w;
    }
    return watts;
}

/* ---- windows ---- */

gms_status_t gms_power_account_create(gms_power_t *power)
{
    gms_power_account_t *account = &power->account;
    size_t switches = power->switches, links = power->links;
    size_t nodes = power->nodes;

    account->start_cycle = gms_flit_now(power->net);
    account->end_cycle = account->start_cycle + power->config.window_cycles;
    account->switch_counts = calloc(switches, sizeof(gms_flit_counts_t));
    account->link_flits = calloc(links, sizeof(uint64_t));
    account->hca_counts = calloc(nodes, sizeof(gms_hca_counts_t));
    account->switch_w = calloc(switches, sizeof(double));
    account->link_w = calloc(links, sizeof(double));
    account->hca_w = calloc(nodes, sizeof(double));
    return account->switch_counts != NULL && account->link_flits != NULL &&
                   account->hca_counts != NULL && account->switch_w != NULL &&
                   account->link_w != NULL && account->hca_w != NULL
               ? GMS_OK
               : GMS_ERR_NO_MEMORY;
}

void gms_power_account_destroy(gms_power_t *power)
{
    gms_power_account_t *account = &power->account;

    free(account->switch_counts);
    free(account->link_flits);
    free(account->hca_counts);
    free(account->switch_w);
    free(account->link_w);
    free(account->hca_w);
    free(account->windows);
}

/* Updates the stored counts, and returns the power of switches and links since
 * the end of the last window, in W. */
static double gms_power_close_network(gms_power_t *power, double window_ps)
{
    const gms_power_config_t *config = &power->config;
    gms_power_account_t *account = &power->account;
    double link_pj = gms_power_link_flit_pj(config);
    double watts = 0;
    uint32_t i;

    for (i = 0; i < power->switches; ++i) {
        const gms_flit_counts_t *now = gms_flit_switch_counts(power->net, i);

        account->switch_w[i] =
            gms_power_switch_pj(config, &account->switch_counts[i], now) /
            window_ps;
        account->switch_counts[i] = *now;
        watts += account->switch_w[i];
    }
    for (i = 0; i < power->links; ++i) {
        uint64_t now = gms_flit_link_flits(power->net, i);

        account->link_w[i] =
            (double)(now - account->link_flits[i]) * link_pj / window_ps;
        account->link_flits[i] = now;
        watts += account->link_w[i];
    }
    return watts;
}

static double gms_power_close_hcas(gms_power_t *power, double window_ps)
{
    gms_power_account_t *account = &power->account;
    double watts = 0;
    uint32_t i;

    if (power->hcas == NULL) {
        return 0;
    }
    for (i = 0; i < power->nodes; ++i) {
        const gms_hca_counts_t *now = gms_hca_counts(power->hcas[i]);

        account->hca_w[i] =
            power->config.energy.hca_idle_w +
            gms_power_hca_pj(&power->config, &account->hca_counts[i], now) /
                window_ps;
        account->hca_counts[i] = *now;
        watts += account->hca_w[i];
    }
    return watts;
}

/* Adds a window to the account. @return the window, or NULL if memory is
 * exhausted */
static gms_power_window_t *gms_power_new_window(gms_power_account_t *account)
{
    if (account->window_count == account->window_room) {
        uint64_t room =
            account->window_room > 0 ? account->window_room * 2 : 64;
        gms_power_window_t *windows =
            realloc(account->windows, room * sizeof(*windows));

        if (windows == NULL) {
            return NULL;
        }
        account->windows = windows;
        account->window_room = room;
    }
    return &account->windows[account->window_count++];
}

void gms_power_account_close(gms_power_t *power)
{
    gms_power_account_t *account = &power->account;
    uint64_t cycles = account->end_cycle - account->start_cycle;
    double window_ps = (double)cycles * (double)power->config.cycle_ps;
    double network_w = gms_power_close_network(power, window_ps);
    double hca_w = gms_power_close_hcas(power, window_ps);
    gms_power_window_t *window = gms_power_new_window(account);

    if (window != NULL) {
        window->end_cycle = account->end_cycle;
        window->network_w = network_w;
        window->hca_w = hca_w;
    }
    account->start_cycle = account->end_cycle;
    account->end_cycle += power->config.window_cycles;
}

uint64_t gms_power_windows(const gms_power_t *power,
                           const gms_power_window_t **windows_p)
{
    *windows_p = power->account.windows;
    return power->account.window_count;
}

double gms_power_switch_w(const gms_power_t *power, uint32_t switch_index)
{
    return power->account.switch_w[switch_index];
}

double gms_power_link_w(const gms_power_t *power, uint32_t link)
{
    return power->account.link_w[link];
}

double gms_power_hca_w(const gms_power_t *power, uint32_t node)
{
    return power->account.hca_w[node];
}

double gms_power_mean_w(const gms_power_t *power, uint64_t since_cycle)
{
    const gms_power_account_t *account = &power->account;
    double watts = 0;
    uint64_t count = 0;
    uint64_t i;

    for (i = account->window_count; i > 0; --i) {
        const gms_power_window_t *window = &account->windows[i - 1];

        if (window->end_cycle < since_cycle + power->config.window_cycles) {
            break;
        }
        watts +=
            window->network_w + (power->config.counts_hca ? window->hca_w : 0);
        ++count;
    }
    return count > 0 ? watts / (double)count : 0;
}
