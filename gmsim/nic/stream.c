/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles messages in reassembly, at most one per stream at a time, and queues
 * of receive tokens. The tokens provide the buffers of these messages. A stream
 * is identified by the sender's node and port, the target port, the priority
 * and the label. [source: GM 2; the label was added]
 */
#include <assert.h>

#include "nic/alloc.h"
#include "nic/sram.h"

/* [source: GM 2 has 64 bins for messages in reassembly; in this project, the
 * number of bins grows] */
#define GMS_STREAM_FIRST_BINS 64u

static uint32_t gms_stream_bin(const gms_nic_t *nic, uint32_t source,
                               uint32_t source_port, uint32_t target_port,
                               uint32_t label)
{
    uint64_t hash = ((uint64_t)source << 40) ^ ((uint64_t)source_port << 36) ^
                    ((uint64_t)target_port << 32) ^ label;

    return gms_nic_bin(hash, nic->stream_bin_count);
}

static gms_message_t **gms_stream_bin_of(const gms_nic_t *nic,
                                         const gms_message_t *message)
{
    return &nic->stream_bins[gms_stream_bin(
        nic, message->source, message->source_port, message->desc.port,
        message->label)];
}

gms_message_t *gms_stream_find(const gms_nic_t *nic, const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_message_t *message;

    if (nic->stream_bin_count == 0) {
        return NULL;
    }
    message = nic->stream_bins[gms_stream_bin(
        nic, header->source, header->source_port, header->target_port,
        header->label)];
    while (message != NULL && (message->source != header->source ||
                               message->source_port != header->source_port ||
                               message->desc.port != header->target_port ||
                               message->desc.priority != header->priority ||
                               message->label != header->label)) {
        message = message->next;
    }
    return message;
}

/* Make room for one more message. */
static void gms_stream_grow(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_message_t **old = nic->stream_bins;
    uint32_t old_bins = nic->stream_bin_count;
    uint32_t bin;

    if (nic->sram_streams < old_bins) {
        return;
    }
    nic->stream_bin_count =
        old_bins == 0 ? GMS_STREAM_FIRST_BINS : 2 * old_bins;
    nic->stream_bins = gms_nic_alloc(ctx, nic->stream_bin_count * sizeof(*old));
    for (bin = 0; bin < old_bins; ++bin) {
        while (old[bin] != NULL) {
            gms_message_t *message = old[bin];
            gms_message_t **place = gms_stream_bin_of(nic, message);

            old[bin] = message->next;
            message->next = *place;
            *place = message;
        }
    }
    gms_arena_free(ctx->arena, old);
}

void gms_stream_insert(gms_ctx_t *ctx, gms_nic_t *nic, gms_message_t *message)
{
    gms_message_t **bin;

    gms_stream_grow(ctx, nic);
    bin = gms_stream_bin_of(nic, message);
    message->next = *bin;
    *bin = message;
    gms_sram_charge_stream(nic, message);
}

void gms_stream_remove(gms_nic_t *nic, gms_message_t *message)
{
    gms_message_t **link = gms_stream_bin_of(nic, message);

    while (*link != message) {
        assert(*link != NULL);
        link = &(*link)->next;
    }
    *link = message->next;
    message->next = NULL;
    gms_sram_release_stream(nic, message);
}

void gms_stream_drop_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port)
{
    uint32_t bin;

    for (bin = 0; bin < nic->stream_bin_count; ++bin) {
        gms_message_t **link = &nic->stream_bins[bin];

        while (*link != NULL) {
            gms_message_t *message = *link;

            if (message->desc.port == port) {
                *link = message->next;
                gms_sram_release_stream(nic, message);
                gms_arena_free(ctx->arena, message);
            } else {
                link = &message->next;
            }
        }
    }
}

GMS_QUEUE_DEFINE(gms_messages, gms_message_queue_t, gms_message_t, next);

void gms_message_queue_put(gms_message_queue_t *queue, gms_message_t *message)
{
    gms_messages_put(queue, message);
    ++queue->count;
    if (queue->count > queue->most) {
        queue->most = queue->count;
    }
}

void gms_message_queue_put_back(gms_message_queue_t *queue,
                                gms_message_t *message)
{
    gms_messages_put_back(queue, message);
    ++queue->count;
    gms_message_queue_settle(queue, message);
}

gms_message_t *gms_message_queue_take(gms_message_queue_t *queue)
{
    gms_message_t *message = gms_messages_take(queue);

    queue->count -= message != NULL;
    return message;
}

gms_message_t *gms_message_queue_lend(gms_message_queue_t *queue)
{
    gms_message_t *message = gms_message_queue_take(queue);

    if (message != NULL) {
        message->is_lent = 1;
        ++queue->lent;
    }
    return message;
}

void gms_message_queue_settle(gms_message_queue_t *queue,
                              gms_message_t *message)
{
    queue->lent -= message->is_lent;
    message->is_lent = 0;
}
