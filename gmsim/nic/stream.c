/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages in reassembly, one per stream at a time, and the queues of receive
 * tokens that they come from. A stream is (sender's node and port, target port,
 * priority, label). [source: GM 2, which knows no label]
 */
#include <assert.h>

#include "nic/sram.h"

static unsigned gms_stream_bin(uint32_t source, uint32_t source_port,
                               uint32_t target_port, uint32_t label)
{
    return (source * 31 + source_port * 7 + target_port + label * 13) %
           GMS_NIC_STREAM_BINS;
}

static unsigned gms_stream_bin_of(const gms_message_t *message)
{
    return gms_stream_bin(message->source, message->source_port,
                          message->desc.port, message->label);
}

gms_message_t *gms_stream_find(const gms_nic_t *nic, const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_message_t *message =
        nic->streams[gms_stream_bin(header->source, header->source_port,
                                    header->target_port, header->label)];

    while (message != NULL && (message->source != header->source ||
                               message->source_port != header->source_port ||
                               message->desc.port != header->target_port ||
                               message->desc.priority != header->priority ||
                               message->label != header->label)) {
        message = message->next;
    }
    return message;
}

void gms_stream_insert(gms_nic_t *nic, gms_message_t *message)
{
    gms_message_t **bin = &nic->streams[gms_stream_bin_of(message)];

    message->next = *bin;
    *bin = message;
    ++nic->sram_streams;
    gms_sram_charge(nic, GMS_SRAM_STREAM_BYTES);
}

void gms_stream_remove(gms_nic_t *nic, gms_message_t *message)
{
    gms_message_t **link = &nic->streams[gms_stream_bin_of(message)];

    while (*link != message) {
        assert(*link != NULL);
        link = &(*link)->next;
    }
    *link = message->next;
    message->next = NULL;
    --nic->sram_streams;
    gms_sram_release(nic, GMS_SRAM_STREAM_BYTES);
}

void gms_stream_drop_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port)
{
    unsigned bin;

    for (bin = 0; bin < GMS_NIC_STREAM_BINS; ++bin) {
        gms_message_t **link = &nic->streams[bin];

        while (*link != NULL) {
            gms_message_t *message = *link;

            if (message->desc.port == port) {
                *link = message->next;
                --nic->sram_streams;
                gms_sram_release(nic, GMS_SRAM_STREAM_BYTES);
                gms_arena_free(ctx->arena, message);
            } else {
                link = &message->next;
            }
        }
    }
}

void gms_message_queue_put(gms_message_queue_t *queue, gms_message_t *message)
{
    message->next = NULL;
    if (queue->first == NULL) {
        queue->first = message;
    } else {
        queue->last->next = message;
    }
    queue->last = message;
}

void gms_message_queue_put_back(gms_message_queue_t *queue,
                                gms_message_t *message)
{
    message->next = queue->first;
    if (queue->first == NULL) {
        queue->last = message;
    }
    queue->first = message;
}

gms_message_t *gms_message_queue_take(gms_message_queue_t *queue)
{
    gms_message_t *message = queue->first;

    if (message != NULL) {
        queue->first = message->next;
        message->next = NULL;
    }
    return message;
}
