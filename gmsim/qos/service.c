/* SPDX-License-Identifier: BSD-3-Clause */
#include "qos/service.h"

gms_time_t gms_service_send_ps(const gms_params_t *params, uint64_t flows)
{
    uint64_t cycles = params->mcp_schedule_cycles +
                      params->mcp_sdma_start_cycles +
                      params->mcp_sdma_finish_cycles +
                      params->mcp_send_start_cycles;

    if (params->scheduler == GMS_SCHEDULER_RATE) {
        cycles += params->mcp_rate_first_cycles;
        if (flows > 1) {
            cycles += params->mcp_rate_flow_cycles * (flows - 1);
        }
    }
    return cycles * params->lanai_cycle_ps + params->host_dma_setup_ps +
           gms_transfer_ps(params->nic_mtu_bytes, params->host_dma_bytes_s);
}

double gms_service_node_bytes_s(const gms_params_t *params, uint64_t flows)
{
    double own = (double)params->nic_mtu_bytes * (double)GMS_SECOND /
                 (double)gms_service_send_ps(params, flows);
    double most = (double)params->qos_node_bytes_s;

    return (own < most) ? own : most;
}
