/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the parameters of a flit network (cycle time, buffers, stages,
 * lanes) from the rows of a cluster's parameter table.
 */
#include <stdio.h>

#include "fabric/flit_model.h"
#include "fabric/link_time.h"

static gms_status_t gms_flit_model_refuse(const char *name, uint64_t value,
                                          uint64_t most, gms_time_t cycle_ps,
                                          char *error)
{
    snprintf(
        error, GMS_TOPOLOGY_ERROR_LEN,
        "%s: value '%llu' exceeds the longest delay of fabric_model flit, %llu "
        "cycles of %llu ps (flit_bits at link_bytes_s); allowed: 0..%llu ps",
        name, (unsigned long long)value, (unsigned long long)most,
        (unsigned long long)cycle_ps, (unsigned long long)(most * cycle_ps));
    return GMS_ERR_CONFIG;
}

static gms_status_t gms_flit_model_check_lanes(const gms_params_t *params,
                                               char *error)
{
    if (params->flit_real_time_lanes + 2 > params->flit_lanes) {
        snprintf(
            error, GMS_TOPOLOGY_ERROR_LEN,
            "flit_real_time_lanes: value '%llu' leaves too few of the %llu "
            "lanes (flit_lanes) for control and best effort; allowed: 1..%llu",
            (unsigned long long)params->flit_real_time_lanes,
            (unsigned long long)params->flit_lanes,
            (unsigned long long)params->flit_lanes - 2);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_flit_model_config(const gms_params_t *params,
                                   gms_flit_config_t *config,
                                   char error[GMS_TOPOLOGY_ERROR_LEN])
{
    /* largest number of cycles of a stage [assumed: this limit keeps the net's
     * time wheels small] */
    const uint64_t most = 60;
    gms_link_time_t time;
    uint64_t link, routing;
    gms_status_t status = gms_flit_model_check_lanes(params, error);

    if (status != GMS_OK) {
        return status;
    }
    gms_link_time_init(&time, params);
    link = time.propagation_ps / time.cycle_ps;
    routing = time.routing_ps / time.cycle_ps;
    if (link > most) {
        return gms_flit_model_refuse("link_propagation_ps",
                                     params->link_propagation_ps, most,
                                     time.cycle_ps, error);
    }
    if (routing > most) {
        return gms_flit_model_refuse("switch_routing_ps",
                                     params->switch_routing_ps, most,
                                     time.cycle_ps, error);
    }
    gms_flit_config_init(config);
    config->lanes = (unsigned)params->flit_lanes;
    gms_lane_plan_init(&config->plan, config->lanes,
                       (unsigned)params->flit_real_time_lanes, 1,
                       (enum gms_lane_policy)params->flit_policy,
                       (unsigned)params->flit_frame_factor);
    config->lane_choice = GMS_FLIT_LANES_DRAWN;
    config->sinks_hold = 1;
    config->seed = params->seed;
    /* The profile has one delay per switch. The part of the delay that exceeds
     * the crossbar and the output buffer applies only to the head. Output
     * buffers are necessary. Without output buffers, lanes of different inputs
     * would take turns on a link, regardless of their weights. */
    config->input_cycles = 0;
    config->route_cycles = (unsigned)routing - 2;
    config->lane_cycles = 0;
    config->link_cycles = (unsigned)link;
    config->credit_cycles = (unsigned)link;
    config->buffer_flits = (unsigned)params->flit_buffer_flits;
    if (config->buffer_flits == 0) {
        unsigned round_trip = 2 * (unsigned)link + 2;

        config->buffer_flits = round_trip < 10 ? 10 : round_trip;
    }
    return gms_flit_config_check(config, error);
}
