/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the cost of a packet at every kind of server of a fabric with
 * reserved lanes. In NICs, the cost is the time of the LANai and the host DMA
 * engine. On links, the cost is the wire time. All times follow from the
 * parameters of the simulated NIC itself (manager/service.h).
 *
 * In the model flit, reserved packets can interrupt best effort after every
 * flit. Only a flit that is already crossing a link is completed first. The
 * start times of flits lie on a grid of cycles. At the source's link, waiting
 * for the grid delays a packet by less than the time of a flit. At the link
 * into a NIC, the delay is the same if the packet waited for a buffer there.
 */
#include "nic/nic.h"
#include "manager/bound_int.h"
#include "manager/service.h"
#include "nic/scheduler.h"

/* Number of packets of a message of unknown length. The message is assumed to
 * be 64 KB long, as in manager/service.c. */
#define GMS_BOUND_MESSAGE_PACKETS 16u

/* This rule describes NICs with one LANai processor, and links on which
 * reserved packets interrupt best effort. */
static int gms_bound_worm_applies(const gms_params_t *params,
                                  const gms_topology_t *topology)
{
    (void)topology;
    return params->nic_kind == GMS_NIC_LANAI &&
           (params->fabric_model == GMS_FABRIC_WORM ||
            params->fabric_model == GMS_FABRIC_FLIT) &&
           params->undeclared == GMS_UNDECLARED_BEST_EFFORT &&
           gms_scheduler_keeps_pace((uint32_t)params->scheduler);
}

/* Returns the time of the longest job for other traffic that the LANai may have
 * begun. */
static gms_time_t gms_bound_job(const gms_params_t *params)
{
    uint64_t send = params->mcp_schedule_cycles +
                    params->mcp_rate_first_cycles +
                    params->mcp_sdma_start_cycles;
    uint64_t receive =
        gms_bound_most(params->mcp_rdma_start_cycles + params->mcp_event_cycles,
                       params->mcp_rdma_finish_cycles);

    return gms_bound_most(send, receive) * params->lanai_cycle_ps;
}

/* Returns the time of a best-effort transfer that has just begun, and of the
 * longest job that the LANai may have begun when the transfer ends. */
static gms_time_t gms_bound_block(const gms_params_t *params)
{
    uint64_t send =
        params->mcp_schedule_cycles + params->mcp_rate_first_cycles +
        params->mcp_sdma_start_cycles + params->mcp_sdma_finish_cycles;
    uint64_t receive =
        params->mcp_rdma_start_cycles + params->mcp_rdma_finish_cycles;
    uint64_t job = gms_bound_most(gms_bound_most(params->mcp_recv_finish_cycles,
                                                 params->mcp_send_start_cycles),
                                  gms_bound_most(params->mcp_ack_receive_cycles,
                                                 params->mcp_token_cycles));

    return (gms_bound_most(send, receive) + job) * params->lanai_cycle_ps +
           params->host_dma_setup_ps +
           gms_transfer_ps(params->nic_mtu_bytes, params->host_dma_bytes_s);
}

static void gms_bound_worm_costs(const gms_params_t *params,
                                 gms_bound_costs_t *costs)
{
    gms_time_t cycle_ps = params->lanai_cycle_ps;
    uint64_t send =
        params->mcp_schedule_cycles + params->mcp_rate_first_cycles +
        params->mcp_sdma_start_cycles + params->mcp_sdma_finish_cycles +
        params->mcp_send_start_cycles;
    double dma_per_wire =
        (double)params->link_bytes_s / (double)params->host_dma_bytes_s;

    gms_link_time_init(&costs->link, params);
    costs->tick_ps = params->rtc_tick_ps;
    costs->host_ps = params->host_send_ps + params->host_pio_ps;
    costs->token_ps = params->mcp_token_cycles * cycle_ps;
    costs->poll_ps = (send + gms_bound_most(params->mcp_token_cycles,
                                            params->mcp_recv_token_cycles)) *
                     cycle_ps;
    costs->send_ps = send * cycle_ps + params->host_dma_setup_ps;
    costs->search_ps = params->mcp_rate_flow_cycles * cycle_ps;
    costs->receive_ps =
        (params->mcp_rdma_start_cycles + params->mcp_rdma_finish_cycles +
         params->mcp_ack_send_cycles) *
            cycle_ps +
        params->host_dma_setup_ps;
    costs->receive_extra_ps = params->mcp_recv_finish_cycles * cycle_ps;
    costs->event_ps =
        params->mcp_event_cycles * cycle_ps + params->host_dma_setup_ps +
        gms_transfer_ps(params->nic_event_bytes, params->host_dma_bytes_s);
    /* time for an acknowledgement, for the end of a send, and for the event
     * that reports this end */
    costs->send_extra_ps =
        (params->mcp_ack_receive_cycles + params->mcp_send_finish_cycles) *
            cycle_ps +
        costs->event_ps;
    costs->turn_ps = gms_service_turn_ps(params);
    costs->block_ps = gms_bound_block(params);
    costs->control_ps =
        gms_link_stream_ps(&costs->link,
                           params->nic_header_bytes + GMS_NIC_FAST_MAX) +
        costs->link.cycle_ps;
    costs->ask_ps = costs->link.cycle_ps > 0 ? costs->link.propagation_ps : 0;
    costs->ack_ps = gms_link_stream_ps(&costs->link, params->nic_ack_bytes);
    costs->line_ps = costs->link.cycle_ps + (params->mcp_send_finish_cycles +
                                             params->mcp_send_start_cycles) *
                                                cycle_ps;
    /* While packets wait only for the link, the LANai serves other traffic.
     * When a packet has left, the LANai may already have begun a job. After
     * this job, the LANai may first send an acknowledgement, and may begin
     * another job before the acknowledgement has left. */
    costs->gap_ps = 2 * gms_bound_job(params) +
                    params->mcp_ack_send_cycles * cycle_ps + costs->ack_ps;
    costs->hop_ps = costs->link.propagation_ps + costs->link.routing_ps;
    costs->packet_least_ps =
        costs->send_ps +
        gms_link_stream_ps(&costs->link, params->nic_header_bytes) +
        (params->mcp_recv_finish_cycles + params->mcp_rdma_start_cycles) *
            cycle_ps +
        params->host_dma_setup_ps;
    costs->dma_per_wire = dma_per_wire > 1 ? dma_per_wire : 1;
    costs->send_buffers =
        gms_bound_most(params->nic_send_buffers, GMS_NIC_RESERVED_SEND_BUFFERS);
    costs->receive_buffers = params->nic_reserved_buffers;
    costs->switch_packets = params->switch_reserved_packets;
}

/* Computes the number of packets of the longest message, and of a burst. */
void gms_bound_shape(const gms_params_t *params, gms_bound_flow_t *flow)
{
    const gms_qos_shape_t *shape = &flow->grant->shape;
    uint64_t mtu = params->nic_mtu_bytes;
    uint64_t message = shape->message_bytes > 0 ? shape->message_bytes : mtu;
    uint64_t burst =
        shape->burst_bytes > message ? shape->burst_bytes : message;

    flow->packets = (uint32_t)((message + mtu - 1) / mtu);
    flow->packet_bytes = (uint32_t)(message < mtu ? message : mtu);
    flow->last_bytes = (uint32_t)(message - (flow->packets - 1) * mtu);
    /* Every message has the same number of packets, so a burst is counted in
     * messages. */
    flow->burst_packets =
        (uint32_t)((burst * flow->packets + message - 1) / message);
}

/* Computes the cost of reading a message's descriptor, which happens before the
 * message's first packet is sent. Reading takes no additional time if the host
 * DMA of another packet continues long enough after the job that the LANai has
 * begun. Otherwise the time of reading is added. */
static void gms_bound_read(const gms_params_t *params,
                           const gms_bound_costs_t *costs,
                           gms_bound_flow_t *flow)
{
    gms_time_t transfer_ps =
        params->host_dma_setup_ps +
        gms_transfer_ps(flow->packet_bytes, params->host_dma_bytes_s);

    if (transfer_ps < gms_bound_job(params) + costs->token_ps) {
        flow->send_ps += costs->token_ps;
    } else {
        flow->send_extra_ps += costs->token_ps;
    }
}

static void gms_bound_worm_flow(const gms_bound_t *bound,
                                gms_bound_flow_t *flow)
{
    const gms_params_t *params = &bound->params;
    const gms_bound_costs_t *costs = &bound->costs;
    uint64_t rate = params->host_dma_bytes_s;
    uint32_t least, share;

    gms_bound_shape(params, flow);
    least = flow->last_bytes < flow->packet_bytes ? flow->last_bytes
                                                  : flow->packet_bytes;
    flow->wire_ps = gms_link_stream_ps(
        &costs->link, flow->packet_bytes + params->nic_header_bytes);
    flow->link_ps = flow->wire_ps + costs->line_ps;
    flow->arrive_ps = flow->wire_ps + costs->ask_ps + costs->link.cycle_ps;
    flow->send_ps = costs->send_ps + gms_transfer_ps(flow->packet_bytes, rate);
    flow->send_min_ps = costs->send_ps + gms_transfer_ps(least, rate);
    flow->apart_ps = flow->send_min_ps;
    /* Packets wait for the link only if the link is slower than the NIC. */
    flow->send_extra_ps = costs->send_extra_ps +
                          (flow->link_ps > flow->send_ps ? costs->gap_ps : 0);
    gms_bound_read(params, costs, flow);
    flow->last_wire_ps = gms_link_stream_ps(
        &costs->link, flow->last_bytes + params->nic_header_bytes);
    flow->last_dma_ps = gms_transfer_ps(flow->last_bytes, rate);
    share = flow->grant->shape.message_bytes > 0 ? flow->packets
                                                 : GMS_BOUND_MESSAGE_PACKETS;
    flow->receive_ps = costs->receive_ps + costs->event_ps / share +
                       gms_transfer_ps(flow->packet_bytes, rate);
    flow->receive_extra_ps =
        costs->receive_extra_ps + costs->event_ps - costs->event_ps / share;
}

const gms_bound_ops_t gms_bound_worm_ops = {
    .name = "reserved lanes",
    .applies = gms_bound_worm_applies,
    .costs = gms_bound_worm_costs,
    .flow = gms_bound_worm_flow,
    .least = gms_bound_worm_least,
    .serve = gms_bound_serve_worm,
};
