/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements queue pairs, doorbells and completion queues of a channel adapter.
 * The file hca_dma.c transfers messages to the network.
 */
#include "hcasim/hca_int.h"

#include <stdlib.h>
#include <string.h>

#define GMS_HCA_CYCLE_MAX_PS UINT64_C(1000000)
#define GMS_HCA_DMA_MAX      UINT64_C(1000000000000)
#define GMS_HCA_FLIT_MAX     256u
#define GMS_HCA_CYCLES_MAX   1000000u

void gms_hca_config_init(gms_hca_config_t *config, unsigned flit_bytes,
                         uint64_t cycle_ps)
{
    *config = (gms_hca_config_t){
        /* [assumed: the paper states "a few hundred"; its largest number of
         * initial credits is 600, and section 4.2 requires sum C_i <= M] */
        .buffer_messages = 1000,
        /* [assumed: 4 flits of 128 bits every 80 ns are 800 MB/s, the rate of a
         * system bus of 64 bits at 100 MHz. The bus is four times as fast as
         * the link, so packets wait for lanes, not for the bus] */
        .dma_bytes_s =
            GMS_HCA_DMA_FLITS * flit_bytes * UINT64_C(1000000000000) / cycle_ps,
        /* [assumed: one cycle to read the number of the queue pair, and one to
         * write the engine's registers] */
        .doorbell_cycles = 2,
        /* [assumed: one cycle to write an element to the queue] */
        .completion_cycles = 1,
        .flit_bytes = flit_bytes,
        .cycle_ps = cycle_ps,
    };
}

static int gms_hca_is_sound(const gms_hca_config_t *config)
{
    return config->buffer_messages >= 1 && config->dma_bytes_s >= 1 &&
           config->dma_bytes_s <= GMS_HCA_DMA_MAX && config->flit_bytes >= 1 &&
           config->flit_bytes <= GMS_HCA_FLIT_MAX && config->cycle_ps >= 1 &&
           config->cycle_ps <= GMS_HCA_CYCLE_MAX_PS &&
           config->doorbell_cycles <= GMS_HCA_CYCLES_MAX &&
           config->completion_cycles <= GMS_HCA_CYCLES_MAX;
}

gms_status_t gms_hca_create(const gms_hca_config_t *config, gms_flit_net_t *net,
                            uint32_t node, const gms_hca_gate_t *gate,
                            gms_hca_t **hca_p)
{
    gms_hca_t *hca;

    if (!gms_hca_is_sound(config)) {
        return GMS_ERR_CONFIG;
    }
    hca = calloc(1, sizeof(*hca));
    if (hca == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    hca->net = net;
    hca->gate = gate;
    hca->config = *config;
    hca->node = node;
    *hca_p = hca;
    return GMS_OK;
}

void gms_hca_destroy(gms_hca_t *hca)
{
    if (hca != NULL) {
        free(hca->pair);
        free(hca->completion);
        free(hca);
    }
}

/* ---- queue pairs ---- */

/** Enlarges a table of `count` elements until it has an element with index
 * `need`. @return the table, or NULL if memory is exhausted. In this case, the
 * old table is unchanged */
static void *gms_hca_grow(void *table, uint32_t *count, uint32_t need,
                          size_t size)
{
    uint32_t room = (*count > 0) ? *count : 4;
    char *grown;

    while (room <= need) {
        room *= 2;
    }
    grown = realloc(table, room * size);
    if (grown != NULL) {
        memset(grown + *count * size, 0, (room - *count) * size);
        *count = room;
    }
    return grown;
}

static gms_status_t gms_hca_reach_queue(gms_hca_t *hca, uint32_t number)
{
    gms_hca_list_t *table;

    if (number < hca->completions) {
        return GMS_OK;
    }
    table = gms_hca_grow(hca->completion, &hca->completions, number,
                         sizeof(*table));
    if (table == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    hca->completion = table;
    return GMS_OK;
}

/** Finds an unused queue pair without messages in flight. */
static gms_status_t gms_hca_free_pair(gms_hca_t *hca, uint32_t *pair_p)
{
    gms_hca_pair_t *table;
    uint32_t i;

    for (i = 0; i < hca->pairs; ++i) {
        if (!hca->pair[i].is_open && hca->pair[i].outstanding == 0) {
            break;
        }
    }
    if (i == hca->pairs) {
        table = gms_hca_grow(hca->pair, &hca->pairs, i, sizeof(*table));
        if (table == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        hca->pair = table;
    }
    *pair_p = i;
    return GMS_OK;
}

gms_status_t gms_hca_create_pair(gms_hca_t *hca,
                                 enum gms_lane_class traffic_class,
                                 uint32_t completion_queue, uint32_t *pair_p)
{
    gms_status_t status;
    uint32_t pair;

    if (traffic_class >= GMS_LANE_CLASSES ||
        completion_queue >= GMS_HCA_QUEUES_MAX) {
        return GMS_ERR_INVALID_PARAM;
    }
    status = gms_hca_reach_queue(hca, completion_queue);
    if (status == GMS_OK) {
        status = gms_hca_free_pair(hca, &pair);
    }
    if (status == GMS_OK) {
        hca->pair[pair] =
            (gms_hca_pair_t){.completion_queue = completion_queue,
                             .traffic_class = (uint8_t)traffic_class,
                             .is_open = 1};
        *pair_p = pair;
    }
    return status;
}

void gms_hca_destroy_pair(gms_hca_t *hca, uint32_t pair)
{
    if (pair < hca->pairs) {
        hca->pair[pair].is_open = 0;
    }
}

/* ---- posts and completions ---- */

gms_status_t gms_hca_post(gms_hca_t *hca, gms_hca_message_t *message)
{
    const gms_hca_gate_t *gate = hca->gate;
    gms_hca_pair_t *pair;

    if (message->queue_pair >= hca->pairs ||
        !hca->pair[message->queue_pair].is_open) {
        return GMS_ERR_NOT_FOUND;
    }
    pair = &hca->pair[message->queue_pair];
    if (message->packet.traffic_class != pair->traffic_class ||
        message->packet.flits == 0) {
        return GMS_ERR_INVALID_PARAM;
    }
    if (hca->messages >= hca->config.buffer_messages ||
        (gate != NULL && gate->may_post != NULL &&
         !gate->may_post(gate->context, hca->node, message))) {
        return GMS_ERR_BUSY;
    }
    message->post_cycle = gms_flit_now(hca->net);
    gms_hca_list_add(&hca->doorbell[pair->traffic_class], message);
    ++pair->outstanding;
    ++hca->messages;
    if (gate != NULL && gate->posted != NULL) {
        gate->posted(gate->context, hca->node, message);
    }
    return GMS_OK;
}

void gms_hca_left(gms_hca_t *hca, gms_hca_message_t *message)
{
    const gms_hca_pair_t *pair = &hca->pair[message->queue_pair];

    --hca->messages;
    hca->lane_flits[message->lane] -= message->packet.flits;
    /* the completion delay is the same for all messages, so every completion
     * queue is ordered by time */
    message->complete_cycle =
        message->packet.leave_cycle + hca->config.completion_cycles;
    message->completion_queue = pair->completion_queue;
    gms_hca_list_add(&hca->completion[pair->completion_queue], message);
    ++hca->counts.completions;
}

gms_hca_message_t *gms_hca_poll(gms_hca_t *hca, uint32_t completion_queue)
{
    gms_hca_list_t *queue;

    if (completion_queue >= hca->completions) {
        return NULL;
    }
    queue = &hca->completion[completion_queue];
    if (queue->first == NULL ||
        queue->first->complete_cycle > gms_flit_now(hca->net)) {
        return NULL;
    }
    hca->pair[queue->first->queue_pair].outstanding--;
    return gms_hca_list_take(queue);
}

unsigned gms_hca_messages(const gms_hca_t *hca)
{
    return hca->messages;
}

const gms_hca_counts_t *gms_hca_counts(const gms_hca_t *hca)
{
    return &hca->counts;
}
