/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the times of links and switches from the parameters: directly for
 * the model `worm`, rounded to whole cycles for the model `flit`.
 */
#include "fabric/link_time.h"

/* Number of cycles that the crossbar and the output buffer take. */
#define GMS_LINK_SWITCH_CYCLES 2u

static gms_time_t gms_link_cycles(gms_time_t ps, gms_time_t cycle_ps,
                                  uint64_t least)
{
    uint64_t cycles = (ps + cycle_ps / 2) / cycle_ps;

    return (cycles > least ? cycles : least) * cycle_ps;
}

void gms_link_time_init(gms_link_time_t *time, const gms_params_t *params)
{
    *time = (gms_link_time_t){.bytes_s = params->link_bytes_s,
                              .propagation_ps = params->link_propagation_ps,
                              .routing_ps = params->switch_routing_ps};
    if (params->fabric_model != GMS_FABRIC_FLIT) {
        return;
    }
    time->flit_bits = params->flit_bits;
    time->cycle_ps =
        (gms_time_t)((double)params->flit_bits / 8 * (double)GMS_SECOND /
                         (double)params->link_bytes_s +
                     0.5);
    time->propagation_ps =
        gms_link_cycles(params->link_propagation_ps, time->cycle_ps, 1);
    time->routing_ps = gms_link_cycles(params->switch_routing_ps,
                                       time->cycle_ps, GMS_LINK_SWITCH_CYCLES);
}
