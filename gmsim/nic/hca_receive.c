/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receiving stages of an HCA: the receive engine and the DMA writes of data and
 * completions.
 */
#include "nic/alloc.h"
#include "nic/get.h"
#include "nic/hca.h"

/* A packet is checked when it arrives. The time of the check is included in the
 * time until the packet's data can be written, because nothing else depends on
 * it. */
void gms_hca_on_arrived(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_packet_t *packet = (gms_packet_t *)(uintptr_t)event->arg[0];

    gms_recv_charge(nic, packet, event->time_ps);
    gms_recv_process(ctx, nic, packet);
    gms_hca_kick(ctx, nic);
}

/* Return 1 if a transfer completes a message whose event follows the data. */
static int gms_hca_ends_message(const gms_host_dma_t *dma)
{
    return dma->kind == GMS_DMA_DATA && dma->packet->message != NULL;
}

/* Return 1 if the NIC writes an event directly after the data: at the end of a
 * message or of a get. */
static int gms_hca_has_event(const gms_hca_write_t *write)
{
    return gms_hca_ends_message(&write->dma) || write->ends_get;
}

/* Return the end time of a transfer that begins now. */
static gms_time_t gms_hca_write_until(gms_nic_t *nic, gms_time_t now_ps,
                                      const gms_hca_write_t *write)
{
    const gms_host_dma_t *dma = &write->dma;
    const gms_params_t *params = nic->params;
    gms_hca_t *hca = nic->hca;
    gms_time_t begin_ps = now_ps, end_ps, bus_ps;
    int has_event = gms_hca_has_event(write);
    uint64_t event_bytes = has_event ? params->nic_event_bytes : 0;

    if (dma->packet != NULL) {
        begin_ps = gms_hca_later(hca->receive_ps, now_ps);
        hca->receive_ps = begin_ps + params->hca_packet_ps;
        begin_ps += params->hca_receive_ps;
    }
    if (dma->packet != NULL && dma->packet->header.type == GMS_PACKET_GET) {
        /* The NIC itself answers a get, and writes nothing to the host. The
         * answer waits for earlier writes, because it may contain their
         * data. */
        hca->written_ps = gms_hca_later(hca->written_ps, begin_ps);
        return hca->written_ps;
    }
    bus_ps =
        params->host_dma_setup_ps +
        gms_transfer_ps(dma->bytes + event_bytes, params->host_dma_bytes_s);
    hca->write_ps = gms_hca_write_end_ps(nic, write, begin_ps, bus_ps);
    nic->counters.host_dma_busy_ps += bus_ps / 2; /* half, because the counter
                                                   * covers both directions and
                                                   * only one is busy */
    end_ps = hca->write_ps + params->hca_write_ps;
    if (dma->kind != GMS_DMA_DATA || has_event) {
        end_ps += params->hca_completion_ps;
    }
    if (gms_hca_ends_message(dma)) {
        end_ps += params->hca_data_ps;
    }
    hca->written_ps = gms_hca_later(hca->written_ps, end_ps);
    return hca->written_ps;
}

static gms_hca_write_t *gms_hca_new_write(gms_ctx_t *ctx, gms_hca_t *hca)
{
    gms_hca_write_t *write = gms_hca_writes_take(&hca->unused);

    return write != NULL ? write : gms_nic_alloc(ctx, sizeof(*write));
}

void gms_hca_write_class(gms_ctx_t *ctx, gms_nic_t *nic, unsigned number)
{
    gms_hca_t *hca = nic->hca;
    gms_nic_class_t *traffic_class = &nic->traffic_class[number];

    while (traffic_class->work.first != NULL &&
           hca->writing_count < GMS_HCA_WRITES) {
        gms_time_t now_ps = gms_engine_now(ctx->engine);
        gms_hca_write_t *write = gms_hca_new_write(ctx, hca);

        if (gms_rdma_begin(ctx, nic, traffic_class, &write->dma) ==
            GMS_CYCLES_NONE) {
            gms_hca_writes_put(&hca->unused, write);
            return;
        }
        write->dma.traffic_class = (uint8_t)number;
        write->ends_get = write->dma.kind == GMS_DMA_DATA &&
                          gms_get_ending(nic, write->dma.packet) != NULL;
        write->is_streamed = write->dma.kind == GMS_DMA_DATA &&
                             write->dma.packet->mark_ps == now_ps;
        if (write->dma.packet != NULL) {
            gms_packet_charge(write->dma.packet,
                              &write->dma.packet->path.lanai_ps, now_ps);
        }
        gms_hca_writes_put(&hca->writing, write);
        ++hca->writing_count;
        gms_engine_schedule(ctx, &nic->origin,
                            gms_hca_write_until(nic, now_ps, write),
                            GMS_NIC_ON_HCA_WRITTEN, nic, hca->resets, 0);
    }
}

/* Deliver the event of a get that has ended, unless other events of the port
 * wait to be written. */
static void gms_hca_finish_get(gms_ctx_t *ctx, gms_nic_t *nic,
                               gms_host_dma_t *dma, gms_token_t *token,
                               uint32_t port_generation)
{
    if (!gms_port_take_finished(nic, token)) {
        return;
    }
    dma->kind = GMS_DMA_SENT;
    dma->tokens = token;
    dma->port = token->desc.flow.source_port;
    dma->port_generation = port_generation;
    gms_rdma_deliver(ctx, nic, dma);
}

/* Finish the transfer of a packet. The event of a message or get that ends with
 * the packet was part of the transfer, so deliver it now. */
static void gms_hca_finish_packet(gms_ctx_t *ctx, gms_nic_t *nic,
                                  gms_hca_write_t *write)
{
    gms_host_dma_t *dma = &write->dma;
    gms_message_t *message = dma->packet->message;
    gms_token_t *ending =
        write->ends_get ? gms_get_ending(nic, dma->packet) : NULL;
    uint32_t port_generation = dma->packet->port_generation;

    gms_rdma_finish(ctx, nic, dma);
    if (ending != NULL) {
        gms_hca_finish_get(ctx, nic, dma, ending, port_generation);
    }
    if (message == NULL) {
        return;
    }
    /* gms_rdma_finish() has already queued the message */
    (void)gms_work_queue_take(&nic->traffic_class[dma->traffic_class].work);
    if (gms_rdma_begin_received(ctx, nic, dma, message) != GMS_CYCLES_NONE) {
        gms_rdma_deliver(ctx, nic, dma);
    }
}

void gms_hca_on_written(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_hca_t *hca = nic->hca;
    gms_hca_write_t *write;
    gms_host_dma_t *dma;

    if (event->arg[0] != hca->resets) {
        return;
    }
    write = gms_hca_writes_take(&hca->writing);
    --hca->writing_count;
    dma = &write->dma;
    if (dma->packet != NULL) {
        gms_packet_charge(dma->packet, &dma->packet->path.host_dma_ps,
                          event->time_ps);
    }
    switch ((enum gms_dma_kind)dma->kind) {
    case GMS_DMA_FAST:
        gms_rdma_deliver(ctx, nic, dma);
        gms_hca_finish_packet(ctx, nic, write);
        break;
    case GMS_DMA_DATA:
        gms_hca_finish_packet(ctx, nic, write);
        break;
    case GMS_DMA_RECEIVED:
    case GMS_DMA_SENT:
        gms_rdma_deliver(ctx, nic, dma);
        break;
    case GMS_DMA_SEND:
        break;
    }
    gms_hca_writes_put(&hca->unused, write);
    gms_hca_kick(ctx, nic);
}
