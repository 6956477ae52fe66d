/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the consumers of the HCAs. A consumer holds packets that it may
 * not yet post, posts them later, and discards packets that have arrived and
 * completed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/queue.h"
#include "hcasim/qos_sim_int.h"

#define GMS_QOS_SIM_CHUNK 256u /* number of packets in one chunk of memory */

typedef struct gms_qos_sim_chunk {
    struct gms_qos_sim_chunk *next;
    gms_qos_sim_packet_t packet[GMS_QOS_SIM_CHUNK];
} gms_qos_sim_chunk_t;

/* ---- lists ---- */

GMS_QUEUE_DEFINE(gms_qos_sim_list, gms_qos_sim_list_t, gms_qos_sim_packet_t,
                 next);
GMS_QUEUE_DEFINE(gms_qos_sim_turns, gms_qos_sim_ring_t, gms_qos_sim_queue_t,
                 next);

static void gms_qos_sim_ring_add(gms_qos_sim_ring_t *ring,
                                 gms_qos_sim_queue_t *queue)
{
    gms_qos_sim_turns_put(ring, queue);
    ++ring->count;
}

static gms_qos_sim_queue_t *gms_qos_sim_ring_take(gms_qos_sim_ring_t *ring)
{
    --ring->count;
    return gms_qos_sim_turns_take(ring);
}

/* ---- memory ---- */

static int gms_qos_sim_packets_grow(gms_qos_sim_t *sim)
{
    gms_qos_sim_chunk_t *chunk = malloc(sizeof(*chunk));
    unsigned i;

    if (chunk == NULL) {
        return 0;
    }
    chunk->next = sim->chunks;
    sim->chunks = chunk;
    for (i = 0; i < GMS_QOS_SIM_CHUNK; ++i) {
        chunk->packet[i].next = sim->free_packet;
        sim->free_packet = &chunk->packet[i];
    }
    return 1;
}

gms_qos_sim_packet_t *gms_qos_sim_packet_new(gms_qos_sim_t *sim)
{
    gms_qos_sim_packet_t *packet;

    if (sim->free_packet == NULL && !gms_qos_sim_packets_grow(sim)) {
        return NULL;
    }
    packet = sim->free_packet;
    sim->free_packet = packet->next;
    memset(packet, 0, sizeof(*packet));
    packet->message.packet.owner = sim;
    return packet;
}

static void gms_qos_sim_forget(gms_qos_sim_t *sim, gms_qos_sim_packet_t *packet)
{
    packet->next = sim->free_packet;
    sim->free_packet = packet;
}

void gms_qos_sim_packets_destroy(gms_qos_sim_t *sim)
{
    gms_qos_sim_chunk_t *chunk = sim->chunks, *next;

    for (; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}

uint64_t gms_qos_sim_packets_held(const gms_qos_sim_t *sim)
{
    const gms_qos_sim_chunk_t *chunk;
    const gms_qos_sim_packet_t *packet;
    uint64_t count = 0;

    for (chunk = sim->chunks; chunk != NULL; chunk = chunk->next) {
        count += GMS_QOS_SIM_CHUNK;
    }
    for (packet = sim->free_packet; packet != NULL; packet = packet->next) {
        --count;
    }
    for (packet = sim->completing.first; packet != NULL;
         packet = packet->next) {
        count -= packet->is_arrived;
    }
    return count;
}

/* ---- posting ---- */

void gms_qos_sim_flush(gms_qos_sim_t *sim)
{
    uint64_t now = gms_flit_now(sim->net);

    if (now > sim->since_cycle) {
        double cycles = (double)(now - sim->since_cycle);

        sim->counts.held_area += cycles * sim->held;
        sim->counts.admitted_area += cycles * sim->admitted;
        sim->since_cycle = now;
    }
}

static int gms_qos_sim_post(gms_qos_sim_t *sim, gms_qos_sim_queue_t *queue,
                            gms_qos_sim_packet_t *packet)
{
    uint32_t node = packet->message.packet.source;
    gms_qos_sim_connection_t *connection = packet->message.poster;

    packet->message.queue_pair = queue->pair;
    if (gms_hca_post(sim->hca[node], &packet->message) != GMS_OK) {
        return 0;
    }
    gms_qos_sim_flush(sim);
    ++sim->held;
    sim->busy_hcas[node / 64] |= UINT64_C(1) << (node % 64);
    if (connection != NULL) {
        ++connection->under_way;
    }
    return 1;
}

int gms_qos_sim_submit(gms_qos_sim_t *sim, gms_qos_sim_queue_t *queue,
                       gms_qos_sim_packet_t *packet, int waits)
{
    const gms_flit_packet_t *flits = &packet->message.packet;

    if (queue->packets.first == NULL && gms_qos_sim_post(sim, queue, packet)) {
        return 1;
    }
    if (!waits) {
        return 0;
    }
    if (queue->packets.first == NULL) {
        gms_qos_sim_ring_add(
            &sim->node[flits->source].waiting[flits->traffic_class], queue);
    }
    gms_qos_sim_list_put(&queue->packets, packet);
    return 1;
}

/** Reports to the statistics that a packet of a video has arrived at its
 *  target, or was dropped. */
static void gms_qos_sim_tell_frame(gms_qos_sim_t *sim,
                                   const gms_qos_sim_packet_t *packet,
                                   int is_lost)
{
    const gms_hca_message_t *message = &packet->message;
    gms_status_t status;

    if (message->frame == 0) {
        return;
    }
    status = gms_delivery_frame(
        sim->delivery, message->connection, message->frame, message->frame_rest,
        packet->frame_cycle, message->packet.arrive_cycle, is_lost);
    if (sim->status == GMS_OK) {
        sim->status = status;
    }
}

void gms_qos_sim_drop(gms_qos_sim_t *sim, gms_qos_sim_packet_t *packet)
{
    const gms_hca_message_t *message = &packet->message;

    ++sim->counts.dropped;
    gms_delivery_dropped(sim->delivery, message->packet.traffic_class,
                         message->create_cycle);
    gms_qos_sim_tell_frame(sim, packet, 1);
    gms_qos_sim_forget(sim, packet);
}

/* ---- waiting packets ---- */

/** Posts one packet from each queue of a class in turn, until no queue may post
 *  a packet. */
static void gms_qos_sim_retry_ring(gms_qos_sim_t *sim, gms_hca_t *hca,
                                   gms_qos_sim_ring_t *ring)
{
    unsigned refused = 0;

    while (refused < ring->count &&
           gms_hca_messages(hca) < sim->options.hca.buffer_messages) {
        gms_qos_sim_queue_t *queue = gms_qos_sim_ring_take(ring);
        gms_qos_sim_packet_t *packet = queue->packets.first;

        if (gms_qos_sim_post(sim, queue, packet)) {
            queue->packets.first = packet->next;
            refused = 0;
        } else {
            ++refused;
        }
        if (queue->packets.first != NULL) {
            gms_qos_sim_ring_add(ring, queue);
        }
    }
}

static void gms_qos_sim_retry_node(gms_qos_sim_t *sim, gms_qos_sim_node_t *node)
{
    unsigned i;

    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        gms_qos_sim_retry_ring(sim, node->hca, &node->waiting[i]);
    }
}

static void gms_qos_sim_wake(gms_qos_sim_t *sim, gms_qos_sim_node_t *node)
{
    sim->woken += !node->is_woken;
    node->is_woken = 1;
}

void gms_qos_sim_retry(gms_qos_sim_t *sim)
{
    unsigned i;

    if (sim->woken == 0 && !sim->asks_always) {
        return;
    }
    for (i = 0; i < sim->nodes; ++i) {
        if (sim->node[i].is_woken || sim->asks_always) {
            sim->node[i].is_woken = 0;
            gms_qos_sim_retry_node(sim, &sim->node[i]);
        }
    }
    sim->woken = 0;
}

/* ---- departure, completion, arrival ---- */

void gms_qos_sim_left(gms_qos_sim_t *sim, gms_qos_sim_packet_t *packet)
{
    uint64_t now = gms_flit_now(sim->net);
    gms_hca_message_t *message = &packet->message;
    gms_qos_sim_node_t *node = &sim->node[message->packet.source];

    gms_qos_sim_flush(sim);
    --sim->held;
    if (now >= sim->options.warm_up_cycles) {
        ++sim->counts.left;
        sim->counts.left_cycles += now - message->post_cycle;
    }
    gms_hca_left(node->hca, message);
    gms_qos_sim_list_put(&sim->completing, packet);
    gms_qos_sim_wake(sim, node);
}

void gms_qos_sim_complete(gms_qos_sim_t *sim, uint64_t now)
{
    gms_qos_sim_packet_t *packet;

    while ((packet = sim->completing.first) != NULL &&
           packet->message.complete_cycle <= now) {
        gms_hca_message_t *message = &packet->message;
        uint32_t node = message->packet.source;
        gms_qos_sim_connection_t *connection = message->poster;

        sim->completing.first = packet->next;
        /* every completion queue has the same order as this list, so polling
         * the queue returns this message */
        (void)gms_hca_poll(sim->hca[node], message->completion_queue);
        gms_congestion_completed(sim->congestion, node, message);
        gms_qos_sim_wake(sim, &sim->node[node]);
        if (connection != NULL) {
            --connection->under_way;
            gms_qos_sim_connection_done(sim, connection);
        }
        packet->is_completed = 1;
        if (packet->is_arrived) {
            gms_qos_sim_forget(sim, packet);
        }
    }
}

void gms_qos_sim_arrived(gms_qos_sim_t *sim, gms_qos_sim_packet_t *packet)
{
    const gms_hca_message_t *message = &packet->message;
    gms_delivered_t delivered = {.traffic_class = message->packet.traffic_class,
                                 .flits = message->packet.flits,
                                 .create_cycle = message->create_cycle,
                                 .post_cycle = message->post_cycle,
                                 .enter_cycle = message->packet.enter_cycle,
                                 .arrive_cycle = message->packet.arrive_cycle};

    ++sim->counts.arrived;
    gms_delivery_packet(sim->delivery, &delivered);
    gms_qos_sim_tell_frame(sim, packet, 0);
    if (sim->power != NULL) {
        gms_power_arrived(sim->power, message);
    }
    packet->is_arrived = 1;
    if (packet->is_completed) {
        gms_qos_sim_forget(sim, packet);
    }
}
