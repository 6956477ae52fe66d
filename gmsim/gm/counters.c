/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the public functions that return the counters of a NIC and of a
 * flow (gmsim_counters.h). observe/counters.c fills the structs.
 */
#include "gmsim_counters.h"

#include "gm/port.h"
#include "observe/counters.h"

gm_status_t gmsim_get_nic_counters(unsigned node_id,
                                   gmsim_nic_counters_t *counters)
{
    gms_sim_t *sim = gms_sim_joined();

    if (counters == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (sim == NULL) {
        return GM_FAILURE;
    }
    if (node_id == 0 || node_id > sim->root->nodes) {
        return GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(sim);
    gms_counters_of_nic(sim->root->nics[node_id - 1], gms_gate_clock(&sim->ctx),
                        counters);
    gms_sim_end(sim, sim->root->params.host_clock_read_ps);
    return GM_SUCCESS;
}

gm_status_t gmsim_get_flow_counters(struct gm_port *port,
                                    const gm_qos_flow_t *flows, unsigned count,
                                    gmsim_flow_counters_t *counters)
{
    gms_flow_key_t key;
    gms_time_t now_ps;
    unsigned i;

    if (!gms_port_is_open(port) || flows == NULL || counters == NULL) {
        return GM_INVALID_PARAMETER;
    }
    for (i = 0; i < count; ++i) {
        if (gms_port_flow_key(port, &flows[i], &key) != GM_SUCCESS) {
            return GM_INVALID_PARAMETER;
        }
    }
    gms_sim_begin_turn(port->sim);
    now_ps = gms_gate_clock(&port->sim->ctx);
    for (i = 0; i < count; ++i) {
        (void)gms_port_flow_key(port, &flows[i], &key);
        gms_counters_of_flow(port->nic, &key, now_ps, &counters[i]);
    }
    gms_sim_end(port->sim, port->sim->root->params.host_clock_read_ps);
    return GM_SUCCESS;
}
