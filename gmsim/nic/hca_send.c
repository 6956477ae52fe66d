/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending stages of an HCA: the scheduler, the DMA reads of packets' data, and
 * the link. One DMA read per send buffer can be in flight at a time.
 */
#include "nic/hca.h"

/* Return the time at which a packet that the scheduler picks now is in the NIC.
 * The data of a short message are already in the NIC. Other data are read from
 * the host, at the rate of the host's bus. */
static gms_time_t gms_hca_read_until(gms_nic_t *nic, gms_time_t now_ps,
                                     uint64_t bytes, int is_inline)
{
    const gms_params_t *params = nic->params;
    gms_hca_t *hca = nic->hca;
    gms_time_t begin_ps = gms_hca_later(hca->send_ps, now_ps);
    gms_time_t bus_ps;

    hca->send_ps = begin_ps + params->hca_packet_ps;
    if (is_inline || bytes == 0) {
        return begin_ps + params->hca_send_ps;
    }
    bus_ps = params->host_dma_setup_ps +
             gms_transfer_ps(bytes, params->host_dma_bytes_s);
    hca->read_ps = gms_hca_later(hca->read_ps, begin_ps) + bus_ps;
    nic->counters.host_dma_busy_ps += bus_ps / 2; /* half, because a read uses
                                                   * only one direction of the
                                                   * full-duplex bus */
    return hca->read_ps + params->hca_read_ps +
           bytes * params->hca_read_ps_per_byte + params->hca_send_ps;
}

/* Return 1 if the ramp-up of reads and the maximum rate of a flow apply to a
 * packet. These two limits apply to flows that the NIC serves as fast as it
 * can. The NIC paces flows with a reservation instead. */
static int gms_hca_is_unpaced(unsigned number, int is_inline, uint64_t bytes)
{
    return number == GMS_LANE_BEST_EFFORT && !is_inline && bytes > 0;
}

/* Count a packet whose read begins. If a packet waited for the previous read to
 * end, its own read follows without a pause. During a ramp-up, only a few
 * packets of a flow are read at the same time, so the scheduler skips the flow
 * until one of these reads ends. The ramp-up was fitted to measurements of a
 * single flow, and each flow is a separate queue pair, so other flows are not
 * affected. */
static void gms_hca_begin_ramp(gms_ctx_t *ctx, gms_flow_t *flow,
                               gms_packet_t *packet, uint64_t packets)
{
    if (packets == 0) {
        return;
    }
    if (flow->reading_count == 0 &&
        flow->read_end_ps < gms_engine_now(ctx->engine)) {
        flow->ramp_count = 0;
    }
    ++flow->reading_count;
    ++flow->ramp_count;
    packet->is_read = 1;
    if (flow->reading_count >= 1 + flow->ramp_count / packets) {
        flow->barred |= GMS_FLOW_READS;
        gms_flow_update(ctx, flow);
    }
}

int gms_hca_end_read(gms_ctx_t *ctx, gms_packet_t *packet)
{
    gms_flow_t *flow = packet->flow;

    if (!packet->is_read) {
        return 0;
    }
    packet->is_read = 0;
    --flow->reading_count;
    flow->read_end_ps = gms_engine_now(ctx->engine);
    if (!(flow->barred & GMS_FLOW_READS)) {
        return 0;
    }
    flow->barred &= (uint8_t)~GMS_FLOW_READS;
    gms_flow_update(ctx, flow);
    return 1;
}

/* Report to a trace that the scheduler has picked a packet. Only now does the
 * state of the token describe this packet. The packet is about to be detached
 * from its token, and the scheduler can pick the next packets of the token
 * before the read of this packet ends. */
static void gms_hca_report_pick(gms_ctx_t *ctx, const gms_packet_t *packet,
                                int is_read)
{
    gms_nic_stage_t stage = {.packet = packet,
                             .kind = is_read ? GMS_NIC_STAGE_PICK_TO_READ
                                             : GMS_NIC_STAGE_PICK,
                             .begin_ps = gms_engine_now(ctx->engine)};

    gms_ctx_detail_tracepoint(ctx, GMS_NIC_TRACEPOINT_STAGE, &stage);
}

static void gms_hca_send(gms_ctx_t *ctx, gms_nic_t *nic, unsigned number,
                         gms_flow_t *flow)
{
    gms_hca_t *hca = nic->hca;
    gms_nic_class_t *traffic_class = &nic->traffic_class[number];
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    const gms_token_t *token = flow->next_sendable;
    int is_inline = token->type != GMS_PACKET_GOT &&
                    token->length <= nic->params->hca_inline_bytes;
    gms_packet_t *packet = gms_sdma_take(ctx, nic, traffic_class, flow);
    uint32_t bytes = packet->header.length;
    gms_time_t until_ps;

    gms_packet_charge(packet, &packet->path.lanai_ps, now_ps);
    gms_hca_report_pick(ctx, packet, !is_inline && bytes > 0);
    if (!gms_sdma_fill(ctx, nic, packet)) {
        return;
    }
    until_ps = gms_hca_read_until(nic, now_ps, bytes, is_inline);
    if (gms_hca_is_unpaced(number, is_inline, bytes)) {
        gms_hca_begin_ramp(ctx, flow, packet,
                           nic->params->hca_read_ramp_packets);
    }
    if (!is_inline && bytes > 0) {
        until_ps = gms_hca_inject_ps(nic, packet, until_ps,
                                     number == GMS_LANE_BEST_EFFORT);
    }
    until_ps = gms_hca_later(hca->read_done_ps[number], until_ps);
    hca->read_done_ps[number] = until_ps;
    gms_packet_queue_put(&traffic_class->reading, packet);
    gms_engine_schedule(ctx, &nic->origin, until_ps, GMS_NIC_ON_HCA_READ, nic,
                        hca->resets, number);
}

/* Return 1 if a class must wait for packets that the NIC has already picked.
 * The send engine must first begin to send all these packets, and the bus must
 * transfer their data. In a NIC with reservations, other classes wait in this
 * manner, because the engine and the bus serve the packets in the order in
 * which they were picked. A reserved packet then waits for at most one packet
 * of another class. The bus does not become idle, because the next packet is
 * picked when the bus becomes free. */
static int gms_hca_makes_way(gms_ctx_t *ctx, gms_nic_t *nic, unsigned number)
{
    gms_hca_t *hca = nic->hca;
    gms_time_t free_ps;

    if (!nic->is_reserved || gms_nic_is_real_time(nic, number)) {
        return 0;
    }
    free_ps = gms_hca_later(hca->read_ps, hca->send_ps);
    if (free_ps <= gms_engine_now(ctx->engine)) {
        return 0;
    }
    if (hca->idle_wake_ps != free_ps) {
        hca->idle_wake_ps = free_ps;
        gms_engine_schedule(ctx, &nic->origin, free_ps, GMS_NIC_ON_WAKE, nic,
                            GMS_RTC_NEVER, 0);
    }
    return 1;
}

void gms_hca_send_class(gms_ctx_t *ctx, gms_nic_t *nic, unsigned number)
{
    const gms_nic_class_t *traffic_class = &nic->traffic_class[number];

    while (traffic_class->scheduler->valid != 0 &&
           gms_sdma_has_buffer(nic, traffic_class) &&
           !gms_hca_makes_way(ctx, nic, number)) {
        gms_flow_t *flow = gms_sdma_pick(ctx, nic, traffic_class);

        if (flow == NULL) {
            return;
        }
        gms_hca_send(ctx, nic, number, flow);
    }
}

void gms_hca_on_read(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    unsigned number = (unsigned)event->arg[1];
    gms_nic_class_t *traffic_class = &nic->traffic_class[number];
    gms_packet_t *packet;
    int may_read;

    if (event->arg[0] != nic->hca->resets) {
        return;
    }
    packet = gms_packet_queue_take(&traffic_class->reading);
    gms_packet_charge(packet, &packet->path.host_dma_ps, event->time_ps);
    may_read = gms_hca_end_read(ctx, packet);
    gms_packet_queue_put(&traffic_class->ready, packet);
    ++nic->unsent_count;
    gms_hca_link(ctx, nic, number);
    if (traffic_class->send_dma.state == GMS_ENGINE_IDLE || may_read) {
        /* Either the connection has gone back to an earlier packet (go-back-N),
         * so this packet was dropped and its buffer is free, or another packet
         * may be read. */
        gms_hca_kick(ctx, nic);
    }
}

void gms_hca_link(gms_ctx_t *ctx, gms_nic_t *nic, unsigned number)
{
    gms_nic_class_t *traffic_class = &nic->traffic_class[number];
    gms_link_dma_t *dma = &traffic_class->send_dma;
    uint32_t buffers;

    if (nic->unsent_count == 0 || dma->state != GMS_ENGINE_IDLE) {
        return;
    }
    buffers = traffic_class->send_buffers_used;
    dma->packet = gms_send_next(ctx, nic, traffic_class);
    if (dma->packet != NULL) {
        gms_send_inject(ctx, nic, traffic_class);
    } else if (traffic_class->send_buffers_used != buffers) {
        nic->hca->again = 1; /* dropped packets no longer occupy their
                              * buffers */
    }
}

void gms_hca_on_sent(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    const gms_worm_t *worm = (const gms_worm_t *)(uintptr_t)event->arg[0];
    unsigned number = worm->traffic_class;
    gms_link_dma_t *dma = gms_send_ended(nic, event);

    if (dma->is_control) {
        dma->state = GMS_ENGINE_IDLE;
    } else {
        gms_send_release(ctx, &nic->traffic_class[number]);
    }
    gms_hca_kick(ctx, nic);
}
