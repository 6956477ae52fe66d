/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the costs and the delays of servers for hca NICs and the fabric
 * model cut-through. The derivation of the bounds is in the header.
 */
#include "manager/bound_hca.h"

#include "fabric/vl_arbiter.h"
#include "nic/kind.h"
#include "nic/scheduler.h"

int gms_bound_hca_applies(const gms_params_t *params,
                          const gms_topology_t *topology)
{
    return params->nic_kind == GMS_NIC_HCA &&
           params->fabric_model == GMS_FABRIC_CUT_THROUGH &&
           params->undeclared == GMS_UNDECLARED_BEST_EFFORT &&
           gms_scheduler_keeps_pace((uint32_t)params->scheduler) &&
           params->units_per_host == 1 && params->hca_pace_burst_bytes == 0 &&
           params->vl_real_time != params->vl_control &&
           params->vl_real_time != params->vl_best_effort &&
           params->vl_high_real_time != 0 && params->vl_high_control == 0 &&
           params->vl_high_best_effort == 0 &&
           params->vl_high_limit == GMS_VL_UNLIMITED &&
           gms_topology_is_uniform(topology, params);
}

/* Returns the time that a transfer takes on the host's bus. */
static gms_time_t gms_bound_hca_bus(const gms_params_t *params, uint64_t bytes)
{
    return params->host_dma_setup_ps +
           gms_transfer_ps(bytes, params->host_dma_bytes_s);
}

/* Returns the time for which a packet occupies a link. */
static gms_time_t gms_bound_hca_wire(const gms_params_t *params, uint64_t bytes)
{
    return gms_transfer_ps(bytes + params->nic_header_bytes + GMS_RETH_BYTES,
                           params->link_bytes_s);
}

/* Returns the latency of the DMA read of a packet's data. */
static gms_time_t gms_bound_hca_read_latency(const gms_params_t *params,
                                             uint64_t bytes)
{
    return params->hca_read_ps + bytes * params->hca_read_ps_per_byte;
}

static gms_time_t gms_bound_hca_write_latency(const gms_params_t *params)
{
    return params->hca_receive_ps + params->hca_write_ps +
           params->hca_completion_ps + params->hca_data_ps;
}

/* Returns the time for which packets of other classes may occupy the stages of a
 * source NIC and its link before the first reserved packet. */
static gms_time_t gms_bound_hca_send_block(const gms_params_t *params)
{
    uint64_t buffers = params->nic_send_buffers;

    return buffers * (2 * params->hca_packet_ps +
                      gms_bound_hca_bus(params, params->nic_mtu_bytes) +
                      gms_bound_hca_bus(params, GMS_NIC_FAST_MAX)) +
           gms_bound_hca_wire(params, params->nic_mtu_bytes);
}

/* Returns the time for which packets of other classes may occupy the DMA writes
 * of a target NIC before the first reserved packet. */
static gms_time_t gms_bound_hca_write_block(const gms_params_t *params)
{
    gms_time_t bus_ps = gms_bound_hca_bus(params, params->nic_mtu_bytes +
                                                      params->nic_event_bytes);

    return gms_bound_most(GMS_HCA_WRITES *
                              gms_bound_most(bus_ps, params->hca_packet_ps),
                          gms_bound_hca_write_latency(params) + bus_ps);
}

static void gms_bound_hca_costs(const gms_params_t *params,
                                gms_bound_costs_t *costs)
{
    double dma_per_wire =
        (double)params->link_bytes_s / (double)params->host_dma_bytes_s;

    gms_link_time_init(&costs->link, params);
    costs->tick_ps = params->rtc_tick_ps;
    costs->host_ps = params->host_send_ps + params->host_pio_ps;
    /* The flow waits for the request that the NIC is executing, and for the
     * fetch of its own request. Then the NIC executes one request for each
     * flow. */
    costs->poll_ps = params->hca_request_ps + params->hca_fetch_ps;
    costs->token_ps = params->hca_request_ps;
    costs->event_ps = gms_bound_hca_bus(params, params->nic_event_bytes);
    costs->block_ps = gms_bound_hca_send_block(params);
    costs->control_ps = gms_bound_hca_wire(params, params->nic_mtu_bytes);
    costs->ask_ps = costs->link.propagation_ps;
    costs->ack_ps = gms_link_stream_ps(&costs->link, params->nic_ack_bytes);
    costs->hop_ps = costs->link.propagation_ps + costs->link.routing_ps;
    costs->packet_least_ps =
        params->hca_send_ps +
        gms_link_stream_ps(&costs->link, params->nic_header_bytes) +
        params->hca_receive_ps + params->hca_write_ps;
    costs->dma_per_wire = dma_per_wire > 1 ? dma_per_wire : 1;
    costs->send_buffers = params->nic_send_buffers;
    costs->receive_buffers = params->nic_reserved_buffers;
    costs->switch_packets =
        params->vl_buffer_bytes /
        (params->nic_mtu_bytes + params->nic_header_bytes + GMS_RETH_BYTES);
}

static void gms_bound_hca_flow(const gms_bound_t *bound, gms_bound_flow_t *flow)
{
    const gms_params_t *params = &bound->params;
    uint64_t event = params->nic_event_bytes;
    gms_time_t write_ps;

    gms_bound_shape(params, flow);
    /* The NIC enforces the pace of a flow, but not the length of its packets. A
     * flow that sends longer messages than it has declared must not break the
     * bounds of other flows. */
    flow->packet_bytes = (uint32_t)params->nic_mtu_bytes;
    flow->wire_ps = gms_bound_hca_wire(params, flow->packet_bytes);
    flow->link_ps = flow->wire_ps;
    flow->arrive_ps = gms_bound_most(flow->wire_ps, bound->costs.ask_ps);
    /* The NIC executes one work request per message. */
    flow->send_ps = gms_bound_most(
        gms_bound_most(params->hca_packet_ps,
                       gms_bound_hca_bus(params, flow->packet_bytes)),
        params->hca_request_ps / flow->packets + 1);
    flow->send_min_ps = params->hca_send_ps;
    flow->last_wire_ps = gms_link_stream_ps(
        &bound->costs.link, flow->last_bytes + params->nic_header_bytes);
    flow->last_dma_ps = gms_bound_hca_bus(params, flow->last_bytes);
    /* Every packet may be the last packet of a message. */
    write_ps = gms_bound_hca_bus(params, flow->packet_bytes + event);
    flow->receive_ps = gms_bound_most(
        gms_bound_most(write_ps, params->hca_packet_ps),
        (gms_bound_hca_write_latency(params) + write_ps) / GMS_HCA_WRITES + 1);
}

/* Returns the number of bytes that a stage must have before it can pass on a
 * packet. The last part of a packet may be as short as one byte. */
static uint64_t gms_bound_hca_first_part(const gms_params_t *params,
                                         uint64_t bytes)
{
    return params->hca_forward_bytes == 0 || params->hca_forward_bytes >= bytes
               ? bytes
               : 1;
}

static gms_time_t gms_bound_hca_least(const gms_bound_t *bound,
                                      const gms_bound_flow_t *flow)
{
    const gms_params_t *params = &bound->params;
    const gms_bound_costs_t *costs = &bound->costs;
    gms_time_t pace_ps = (flow->packets - 1) * flow->idt_ps;
    uint64_t first_bytes = gms_bound_hca_first_part(params, flow->last_bytes);
    gms_time_t first_ps = gms_bound_hca_bus(params, first_bytes);
    gms_time_t least_ps = costs->host_ps + params->hca_request_ps +
                          params->hca_send_ps + params->hca_receive_ps +
                          params->hca_write_ps;

    if (flow->packets > 1 || flow->last_bytes > params->hca_inline_bytes) {
        least_ps += gms_bound_hca_read_latency(params, first_bytes) + first_ps;
    }
    pace_ps -= pace_ps > costs->tick_ps ? costs->tick_ps : pace_ps;
    return least_ps + pace_ps + (flow->hops - 1) * costs->hop_ps +
           costs->link.propagation_ps + flow->last_wire_ps + first_ps;
}

/* ---- servers ---- */

/* Returns the delay of a server with a constant latency after the service. */
static gms_time_t gms_bound_hca_delay(const gms_bound_t *bound,
                                      const gms_bound_manner_t *manner,
                                      gms_time_t latency_ps)
{
    gms_time_t delay_ps = gms_bound_delay(bound, manner);

    return delay_ps < GMS_BOUND_MOST_PS - latency_ps ? delay_ps + latency_ps
                                                     : GMS_BOUND_MOST_PS;
}

static gms_time_t gms_bound_hca_source(const gms_bound_t *bound,
                                       uint32_t server)
{
    const gms_params_t *params = &bound->params;
    const gms_bound_costs_t *costs = &bound->costs;
    const gms_bound_server_t *own = &bound->servers[server];
    gms_time_t latency_ps =
        gms_bound_hca_read_latency(params, params->nic_mtu_bytes) +
        params->hca_send_ps;
    gms_time_t other_ps = gms_bound_hca_bus(params, params->nic_mtu_bytes) +
                          gms_bound_hca_wire(params, params->nic_mtu_bytes) +
                          params->hca_packet_ps;
    gms_time_t delay_ps;
    gms_bound_manner_t manner;

    gms_bound_manner_link(bound, server,
                          gms_topology_node_link(bound->topology, server, 0),
                          &manner);
    manner.is_nic = 1;
    manner.has_lines = 0;
    manner.start_ps =
        gms_bound_poll(bound, server) + costs->block_ps +
        (own->nic_most_ps < own->wire_most_ps ? own->nic_most_ps
                                              : own->wire_most_ps);
    manner.floor_ps =
        (other_ps + latency_ps + own->both_most_ps) / costs->send_buffers + 1;
    delay_ps = gms_bound_hca_delay(bound, &manner, latency_ps);
    /* A flow that is later than this limit does not recover the lost time. */
    return own->count == 0 || delay_ps < GMS_RATE_BURST_TICKS * costs->tick_ps
               ? delay_ps
               : GMS_BOUND_MOST_PS;
}

static gms_time_t gms_bound_hca_target(const gms_bound_t *bound,
                                       uint32_t server, gms_time_t *link_p)
{
    const gms_bound_costs_t *costs = &bound->costs;
    const gms_bound_server_t *own = &bound->servers[server];
    uint32_t link =
        gms_topology_node_link(bound->topology, server - bound->nodes, 1);
    gms_time_t latency_ps = gms_bound_hca_write_latency(&bound->params);
    gms_time_t block_ps = gms_bound_hca_write_block(&bound->params);
    double per_ack = (double)gms_bound_most(costs->ack_ps, costs->ask_ps) /
                     (double)costs->ack_ps;
    gms_bound_manner_t manner;

    gms_bound_manner_link(bound, server, link, &manner);
    manner.start_ps += costs->ask_ps;
    manner.ack_ps = (gms_time_t)((double)manner.ack_ps * per_ack) + 1;
    manner.ack_rate *= per_ack;
    *link_p = gms_bound_delay(bound, &manner);
    manner.is_nic = 1;
    manner.start_ps += block_ps + own->wire_most_ps;
    manner.floor_ps = (block_ps + costs->control_ps + costs->ask_ps +
                       latency_ps + own->both_most_ps) /
                          costs->receive_buffers +
                      1;
    manner.per_wire = costs->dma_per_wire;
    return gms_bound_hca_delay(bound, &manner, latency_ps);
}

static void gms_bound_serve_hca(const gms_bound_t *bound, uint32_t server,
                                gms_time_t *delay_p, gms_time_t *link_p)
{
    gms_bound_manner_t manner;

    *link_p = 0;
    switch (gms_bound_kind(bound, server)) {
    case GMS_BOUND_SOURCE:
        *delay_p = gms_bound_hca_source(bound, server);
        break;
    case GMS_BOUND_TARGET:
        *delay_p = gms_bound_hca_target(bound, server, link_p);
        break;
    case GMS_BOUND_LINK:
        gms_bound_manner_link(bound, server, server - 2 * bound->nodes,
                              &manner);
        *delay_p = gms_bound_delay(bound, &manner);
        break;
    }
}

const gms_bound_ops_t gms_bound_hca_ops = {
    .name = "pipelined NICs",
    .applies = gms_bound_hca_applies,
    .costs = gms_bound_hca_costs,
    .flow = gms_bound_hca_flow,
    .least = gms_bound_hca_least,
    .serve = gms_bound_serve_hca,
    .is_strict = 1,
};
