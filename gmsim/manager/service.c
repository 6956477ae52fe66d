/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up the times of the steps in which a NIC sends and receives a packet
 * (LANai cycles, host DMA, scheduler search per flow). Computes from these
 * times the bandwidth that the managers may promise for a node under the rule
 * qos_node_rule.
 */
#include "manager/service.h"

#include <math.h>

#include "nic/scheduler.h"

/* Number of packets in a message of 64 KB. */
#define GMS_SERVICE_MESSAGE_PACKETS 16

gms_time_t gms_service_send_ps(const gms_params_t *params, uint64_t flows)
{
    uint64_t cycles =
        params->mcp_schedule_cycles + params->mcp_sdma_start_cycles +
        params->mcp_sdma_finish_cycles + params->mcp_send_start_cycles;

    if (gms_scheduler_keeps_pace((uint32_t)params->scheduler)) {
        cycles += params->mcp_rate_first_cycles;
        if (flows > 1) {
            cycles += params->mcp_rate_flow_cycles * (flows - 1);
        }
    }
    return cycles * params->lanai_cycle_ps + params->host_dma_setup_ps +
           gms_transfer_ps(params->nic_mtu_bytes, params->host_dma_bytes_s);
}

gms_time_t gms_service_receive_ps(const gms_params_t *params)
{
    uint64_t cycles = params->mcp_rdma_start_cycles +
                      params->mcp_rdma_finish_cycles +
                      params->mcp_ack_send_cycles;
    gms_time_t event_ps =
        params->mcp_event_cycles * params->lanai_cycle_ps +
        params->host_dma_setup_ps +
        gms_transfer_ps(params->nic_event_bytes, params->host_dma_bytes_s);

    return cycles * params->lanai_cycle_ps + params->host_dma_setup_ps +
           gms_transfer_ps(params->nic_mtu_bytes, params->host_dma_bytes_s) +
           (event_ps + GMS_SERVICE_MESSAGE_PACKETS - 1) /
               GMS_SERVICE_MESSAGE_PACKETS;
}

gms_time_t gms_service_turn_ps(const gms_params_t *params)
{
    return (params->mcp_recv_finish_cycles + params->mcp_ack_receive_cycles +
            params->mcp_send_finish_cycles) *
           params->lanai_cycle_ps;
}

gms_time_t gms_service_promised_ps(const gms_params_t *params)
{
    return GMS_SECOND / 1000000 * params->qos_node_load_ppm;
}

static gms_time_t gms_service_most_ps(gms_time_t a, gms_time_t b)
{
    return (a > b) ? a : b;
}

gms_service_t gms_service_of(const gms_params_t *params, uint64_t flows)
{
    gms_time_t send_ps = gms_service_send_ps(params, flows);
    gms_time_t receive_ps = gms_service_receive_ps(params);
    gms_time_t pair_ps = send_ps + receive_ps + gms_service_turn_ps(params);
    gms_time_t link_ps = gms_transfer_ps(
        params->nic_mtu_bytes + params->nic_header_bytes, params->link_bytes_s);
    gms_service_t service;

    service.receive_ps = gms_service_most_ps(receive_ps, link_ps);
    link_ps += params->switch_routing_ps + (params->mcp_send_finish_cycles +
                                            params->mcp_send_start_cycles) *
                                               params->lanai_cycle_ps;
    service.send_ps = gms_service_most_ps(send_ps, link_ps);
    pair_ps = gms_service_most_ps(pair_ps, service.send_ps);
    service.turn_ps = (int64_t)pair_ps - (int64_t)service.send_ps -
                      (int64_t)service.receive_ps;
    return service;
}

double gms_service_node_bytes_s(const gms_params_t *params, uint64_t flows,
                                double in_bytes_s)
{
    double most = (double)params->qos_node_bytes_s, time, out;
    gms_service_t service = gms_service_of(params, flows);
    double paired_ps = (double)((int64_t)service.send_ps + service.turn_ps);

    if (params->qos_node_rule == GMS_QOS_NODE_CONSTANT) {
        return most;
    }
    /* unit: bytes x ps per second */
    time = (double)params->nic_mtu_bytes *
               (double)gms_service_promised_ps(params) -
           in_bytes_s * (double)service.receive_ps;
    if (time <= 0) {
        return fmin(most, in_bytes_s + time / (double)service.receive_ps);
    }
    if (time < in_bytes_s * paired_ps) {
        out = time / paired_ps;
    } else {
        out = (time - in_bytes_s * (double)service.turn_ps) /
              (double)service.send_ps;
    }
    return fmin(most, in_bytes_s + out);
}
