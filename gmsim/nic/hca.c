/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the state of an HCA, executes its work requests, and starts the work
 * of its other stages.
 */
#include "nic/hca.h"

static gms_status_t gms_hca_create(gms_ctx_t *ctx, gms_nic_t *nic)
{
    nic->hca = gms_arena_alloc(ctx->arena, sizeof(*nic->hca));
    return nic->hca != NULL ? GMS_OK : GMS_ERR_NO_MEMORY;
}

/* Begin to execute the next work request, if the NIC executes none. Reserved
 * requests come first, and the flows of these requests take turns. The
 * processes that posted the other requests take turns, too (post.c). */
static void gms_hca_begin_request(gms_ctx_t *ctx, gms_nic_t *nic)
{
    if (nic->posts != 0 && nic->post == NULL && gms_poll_next_post(ctx, nic)) {
        gms_engine_schedule(ctx, &nic->origin,
                            gms_engine_now(ctx->engine) +
                                nic->params->hca_request_ps,
                            GMS_NIC_ON_HCA_REQUEST, nic, nic->hca->resets, 0);
    }
}

/* Do all work that is currently possible. A step can create more work for an
 * earlier step. For example, the end of a send can free memory for a
 * descriptor. */
static void gms_hca_work(gms_ctx_t *ctx, gms_nic_t *nic)
{
    unsigned i;

    gms_hca_begin_request(ctx, nic);
    for (i = 0; i < nic->order_count; ++i) {
        unsigned traffic_class = nic->order[i];

        gms_hca_send_class(ctx, nic, traffic_class);
        gms_hca_link(ctx, nic, traffic_class);
        gms_hca_write_class(ctx, nic, traffic_class);
    }
}

void gms_hca_kick(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_hca_t *hca = nic->hca;

    hca->again = 1;
    if (hca->is_working) {
        return;
    }
    hca->is_working = 1;
    while (hca->again) {
        hca->again = 0;
        gms_hca_work(ctx, nic);
    }
    hca->is_working = 0;
}

void gms_hca_on_request(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;

    /* A reset has returned the work request to its queue. */
    if (event->arg[0] != nic->hca->resets) {
        return;
    }
    gms_mcp_poll_end(ctx, nic);
    gms_hca_kick(ctx, nic);
}

/* Provide a receive buffer. The NIC reads the buffer's descriptor when a
 * message needs the buffer, and the time of the receive engine includes this
 * read. A receive buffer therefore never waits for another work request. */
static void gms_hca_provide(gms_ctx_t *ctx, gms_nic_t *nic, gms_post_t *post)
{
    gms_post_t *executing = nic->post;

    nic->post = post;
    gms_mcp_poll_end(ctx, nic);
    nic->post = executing;
}

/* Accept a work request from a process. The process writes a short message's
 * data into the NIC together with the work request. The NIC fetches other work
 * requests from the host's memory. Fetches overlap, and end in the order of the
 * doorbells. */
static void gms_hca_posted(gms_ctx_t *ctx, gms_nic_t *nic, gms_nic_port_t *port,
                           gms_post_t *post)
{
    const gms_params_t *params = nic->params;
    gms_time_t now_ps = gms_engine_now(ctx->engine), fetched_ps = now_ps;

    if (post->is_receive) {
        gms_hca_provide(ctx, nic, post);
        gms_hca_kick(ctx, nic);
        return;
    }
    if (post->desc.send.length > params->hca_inline_bytes) {
        fetched_ps += params->hca_fetch_ps;
    }
    fetched_ps = gms_hca_later(nic->hca->fetched_ps, fetched_ps);
    nic->hca->fetched_ps = fetched_ps;
    if (fetched_ps > now_ps) {
        gms_engine_schedule(ctx, &nic->origin, fetched_ps,
                            GMS_NIC_ON_HCA_FETCHED, nic, (uintptr_t)post, 0);
        return;
    }
    gms_post_put(nic, port, post);
    gms_hca_kick(ctx, nic);
}

void gms_hca_on_fetched(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_post_t *post = (gms_post_t *)(uintptr_t)event->arg[0];
    gms_nic_port_t *port =
        gms_port_find(nic, post->port, post->port_generation);

    if (port == NULL) {
        gms_post_destroy(ctx, post);
        return;
    }
    gms_post_put(nic, port, post);
    gms_hca_kick(ctx, nic);
}

/* --- reset --- */

/* A reset aborts a transfer to the host: put the work of this transfer back
 * into its queue. */
static void gms_hca_undo_write(gms_ctx_t *ctx, gms_nic_t *nic,
                               gms_host_dma_t *dma)
{
    gms_nic_class_t *traffic_class = &nic->traffic_class[dma->traffic_class];

    switch ((enum gms_dma_kind)dma->kind) {
    case GMS_DMA_DATA:
    case GMS_DMA_FAST:
        gms_work_put_first(traffic_class, &dma->packet->work, GMS_WORK_PACKET,
                           dma->packet);
        break;
    case GMS_DMA_RECEIVED:
        gms_work_put_first(traffic_class, &dma->message->work,
                           GMS_WORK_RECEIVED, dma->message);
        break;
    case GMS_DMA_SENT:
        gms_port_report_again(
            ctx, nic, gms_port_find(nic, dma->port, dma->port_generation),
            dma->traffic_class, dma->tokens);
        break;
    case GMS_DMA_SEND:
        break;
    }
}

/* Put all transfers in progress back into the NIC's queues, newest first, to
 * restore the original order of each queue. */
static void gms_hca_abort(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_hca_t *hca = nic->hca;
    gms_hca_writes_t newest = {NULL, NULL};
    gms_hca_write_t *write;
    gms_packet_t *packet;
    unsigned i;

    ++hca->resets;
    while ((write = gms_hca_writes_take(&hca->writing)) != NULL) {
        gms_hca_writes_put_back(&newest, write);
    }
    hca->writing_count = 0;
    while ((write = gms_hca_writes_take(&newest)) != NULL) {
        gms_hca_undo_write(ctx, nic, &write->dma);
        gms_hca_writes_put(&hca->unused, write);
    }
    for (i = 0; i < nic->classes; ++i) {
        gms_nic_class_t *traffic_class = &nic->traffic_class[i];

        while ((packet = gms_packet_queue_take(&traffic_class->reading)) !=
               NULL) {
            (void)gms_hca_end_read(ctx, packet);
            gms_packet_queue_put(&traffic_class->ready, packet);
            ++nic->unsent_count;
        }
    }
}

const gms_nic_kind_ops_t gms_nic_hca_ops = {
    .name = "hca",
    .create = gms_hca_create,
    .kick = gms_hca_kick,
    .posted = gms_hca_posted,
    .abort = gms_hca_abort,
    .on_sent = GMS_NIC_ON_HCA_SENT,
    .on_arrived = GMS_NIC_ON_HCA_ARRIVED,
};
