/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces functions of the flit network and the HCA, and adds up the energy
 * that the power account reports.
 */
#include "power_rig.h"

gms_arena_t *rig_arena;
gms_flit_net_t rig_net;
gms_power_config_t rig_config;
gms_power_t *rig_power;
char rig_error[GMS_TOPOLOGY_ERROR_LEN];

/* ---- the network functions that power control calls ---- */

const gms_flit_config_t *gms_flit_config(const gms_flit_net_t *net)
{
    return &net->config;
}

gms_topology_t *gms_flit_topology(const gms_flit_net_t *net)
{
    return net->topology;
}

uint64_t gms_flit_now(const gms_flit_net_t *net)
{
    return net->now;
}

uint64_t gms_flit_waiting(const gms_flit_net_t *net, uint32_t node)
{
    return net->waiting;
}

unsigned gms_flit_route_links(const gms_flit_net_t *net, uint32_t source,
                              uint32_t target, uint32_t *links, unsigned max)
{
    uint32_t route[GMS_ROUTE_LINKS_MAX];
    unsigned count = gms_topology_links(net->topology, source, target, route);

    if (max > 0) {
        memcpy(links, route, sizeof(*route) * (count < max ? count : max));
    }
    return count;
}

void gms_flit_set_allowance(gms_flit_net_t *net, uint32_t switch_index,
                            uint32_t flits)
{
    net->allowance[switch_index] = flits;
}

const gms_flit_counts_t *gms_flit_switch_counts(const gms_flit_net_t *net,
                                                uint32_t switch_index)
{
    return &net->counts[switch_index];
}

uint64_t gms_flit_link_flits(const gms_flit_net_t *net, uint32_t link)
{
    return net->link_flits[link];
}

const gms_hca_counts_t *gms_hca_counts(const gms_hca_t *hca)
{
    return &hca->counts;
}

/* ---- setup and energy sums ---- */

void rig_setup(void)
{
    gms_params_t params;

    gms_params_init(&params);
    params.topology = GMS_TOPOLOGY_MESH;
    params.hosts = 16;
    params.rows = 4;
    params.columns = 4;
    memset(&rig_net, 0, sizeof(rig_net));
    rig_net.config = (gms_flit_config_t){.lanes = 16,
                                         .buffer_flits = 10,
                                         .output_flits = 10,
                                         .input_cycles = 1,
                                         .route_cycles = 1,
                                         .lane_cycles = 1,
                                         .crossbar_cycles = 1,
                                         .output_cycles = 1,
                                         .link_cycles = 1,
                                         .credit_cycles = 1};
    CU_ASSERT_EQUAL_FATAL(
        gms_arena_create_private(UINT64_C(64) << 20, &rig_arena), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(gms_topology_create(rig_arena, &params, NULL,
                                              &rig_net.topology, rig_error),
                          GMS_OK);
    gms_power_config_init(&rig_config);
    rig_power = NULL;
}

void rig_teardown(void)
{
    gms_power_destroy(rig_power);
    rig_power = NULL;
    gms_arena_destroy_private(rig_arena);
}

void rig_create(gms_hca_t *const *hcas)
{
    gms_status_t status =
        gms_power_create(&rig_config, &rig_net, hcas, &rig_power, rig_error);

    if (status != GMS_OK) {
        printf("\n    %s\n", rig_error);
    }
    CU_ASSERT_EQUAL_FATAL(status, GMS_OK);
}

gms_hca_message_t rig_message(uint32_t source, uint32_t target, unsigned flits,
                              unsigned traffic_class)
{
    gms_hca_message_t message;

    memset(&message, 0, sizeof(message));
    message.packet.source = source;
    message.packet.target = target;
    message.packet.flits = (uint16_t)flits;
    message.packet.traffic_class = (uint8_t)traffic_class;
    return message;
}

void rig_pass(uint64_t cycles)
{
    for (; cycles > 0; --cycles) {
        ++rig_net.now;
        gms_power_step(rig_power);
    }
}

double rig_energy_pj(void)
{
    double pj = 0;
    unsigned i;

    for (i = 0; i < gms_topology_switches(rig_net.topology); ++i) {
        const gms_flit_counts_t *counts = &rig_net.counts[i];

        pj += (double)counts->writes * 27.075 + (double)counts->reads * 31.125 +
              (double)counts->arbitrations * 6.10086 +
              (double)counts->crossings * 68.475;
    }
    for (i = 0; i < gms_topology_link_count(rig_net.topology); ++i) {
        pj += (double)rig_net.link_flits[i] * 128 * 10.21;
    }
    return pj;
}

double rig_worst_window(const double *cycle_pj, size_t cycles)
{
    double sum = 0, worst = 0;
    size_t i;

    for (i = 0; i < cycles; ++i) {
        sum += cycle_pj[i];
        if (i >= rig_config.window_cycles) {
            sum -= cycle_pj[i - rig_config.window_cycles];
        }
        worst = sum > worst ? sum : worst;
    }
    return worst;
}
