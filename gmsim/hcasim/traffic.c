/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the sources of best-effort and control traffic. A heap selects the
 * source or connection with the earliest next action.
 */
#include "hcasim/traffic.h"

#include <stdlib.h>

/** Number of random streams per node: two streams for its sources, and two for
 *  the draws of their packets. */
#define GMS_QOS_SIM_NODE_STREAMS 4u

gms_source_config_t gms_qos_sim_source(const gms_qos_sim_t *sim, uint32_t node,
                                       uint64_t stream)
{
    const gms_qos_sim_options_t *options = &sim->options;

    return (gms_source_config_t){
        .node = node,
        .flit_bytes = options->flit_bits / 8,
        .packet_flits = options->packet_flits,
        .cycle_ps = options->cycle_ps,
        .seed = sim->seed,
        .stream = stream,
        .target = {.pattern = GMS_TARGET_UNIFORM, .nodes = sim->nodes},
    };
}

static gms_status_t gms_qos_sim_stream_start(gms_qos_sim_t *sim,
                                             gms_qos_sim_stream_t *stream,
                                             const gms_source_config_t *config,
                                             uint32_t actor, char *error)
{
    gms_status_t status;

    gms_random_init(&stream->random, sim->seed, config->stream + 1);
    if (!(config->rate > 0)) {
        return GMS_OK;
    }
    status = gms_source_create(config, &stream->source, error);
    if (status == GMS_OK && gms_source_next(stream->source, &stream->arrival)) {
        gms_qos_sim_heap_add(&sim->heap, stream->arrival.cycle, actor);
    }
    return status;
}

static gms_status_t gms_qos_sim_node_start(gms_qos_sim_t *sim, uint32_t node,
                                           char *error)
{
    const gms_qos_sim_options_t *options = &sim->options;
    uint64_t stream = (uint64_t)node * GMS_QOS_SIM_NODE_STREAMS;
    gms_source_config_t best = gms_qos_sim_source(sim, node, stream),
                        control = gms_qos_sim_source(sim, node, stream + 2);
    gms_status_t status;

    best.kind = GMS_SOURCE_POISSON;
    best.target = options->target;
    best.rate = options->load * (1 - options->real_time_part);
    control.kind = GMS_SOURCE_CONTROL;
    control.packet_flits = options->control_flits;
    control.rate = options->control_per_second * options->control_flits *
                   (double)options->cycle_ps * 1e-12;
    status = gms_qos_sim_stream_start(sim, &sim->node[node].best_effort, &best,
                                      node, error);
    if (status == GMS_OK) {
        status = gms_qos_sim_stream_start(sim, &sim->node[node].control,
                                          &control, sim->nodes + node, error);
    }
    return status;
}

gms_status_t gms_qos_sim_traffic_create(gms_qos_sim_t *sim,
                                        char error[GMS_QOS_SIM_ERROR_LEN])
{
    gms_status_t status = gms_qos_sim_deal(sim, error);
    uint32_t i;

    if (status == GMS_OK) {
        status = gms_qos_sim_heap_init(&sim->heap,
                                       2 * sim->nodes + sim->connections);
    }
    for (i = 0; i < sim->nodes && status == GMS_OK; ++i) {
        status = gms_qos_sim_node_start(sim, i, error);
    }
    if (status == GMS_OK) {
        gms_qos_sim_connections_start(sim);
    }
    return status;
}

void gms_qos_sim_traffic_destroy(gms_qos_sim_t *sim)
{
    unsigned i;

    for (i = 0; sim->node != NULL && i < sim->nodes; ++i) {
        gms_source_destroy(sim->node[i].best_effort.source);
        gms_source_destroy(sim->node[i].control.source);
    }
    for (i = 0; i < sim->connections; ++i) {
        gms_source_destroy(sim->connection[i].source);
    }
    free(sim->connection);
    gms_qos_sim_heap_cleanup(&sim->heap);
}

/* ---- packets of sources ---- */

gms_qos_sim_packet_t *gms_qos_sim_make(gms_qos_sim_t *sim, uint32_t node,
                                       enum gms_lane_class traffic_class,
                                       const gms_arrival_t *arrival,
                                       uint32_t draw)
{
    gms_qos_sim_packet_t *packet = gms_qos_sim_packet_new(sim);
    gms_hca_message_t *message;

    if (packet == NULL) {
        sim->status = GMS_ERR_NO_MEMORY;
        return NULL;
    }
    message = &packet->message;
    message->packet.source = node;
    message->packet.target = arrival->target;
    message->packet.flits = arrival->flits;
    message->packet.traffic_class = (uint8_t)traffic_class;
    message->packet.draw = draw;
    message->create_cycle = arrival->cycle;
    message->frame = arrival->frame;
    message->frame_rest = arrival->frame_rest;
    packet->frame_cycle = arrival->frame_cycle;
    ++sim->counts.made;
    if (arrival->cycle >= sim->options.warm_up_cycles) {
        sim->counts.offered[traffic_class] += arrival->flits;
    }
    return packet;
}

static void gms_qos_sim_stream_arrive(gms_qos_sim_t *sim, uint32_t actor)
{
    int is_control = actor >= sim->nodes;
    uint32_t number = is_control ? actor - sim->nodes : actor;
    gms_qos_sim_node_t *node = &sim->node[number];
    gms_qos_sim_stream_t *stream =
        is_control ? &node->control : &node->best_effort;
    gms_qos_sim_queue_t *queue = &node->control_queue;
    gms_qos_sim_packet_t *packet = gms_qos_sim_make(
        sim, number, is_control ? GMS_LANE_CONTROL : GMS_LANE_BEST_EFFORT,
        &stream->arrival, (uint32_t)(gms_random_u64(&stream->random) >> 32));

    if (packet == NULL) {
        return;
    }
    if (!is_control) {
        queue = &node->best_queue[gms_congestion_queue(sim->congestion, number,
                                                       stream->arrival.target)];
    }
    (void)gms_qos_sim_submit(sim, queue, packet, 1);
    if (gms_source_next(stream->source, &stream->arrival)) {
        gms_qos_sim_heap_add(&sim->heap, stream->arrival.cycle, actor);
    }
}

void gms_qos_sim_arrive(gms_qos_sim_t *sim, uint64_t now)
{
    while (gms_qos_sim_heap_next(&sim->heap) <= now && sim->status == GMS_OK) {
        uint32_t actor = gms_qos_sim_heap_take(&sim->heap).actor;

        if (actor < 2 * sim->nodes) {
            gms_qos_sim_stream_arrive(sim, actor);
        } else {
            gms_qos_sim_connection_act(
                sim, &sim->connection[actor - 2 * sim->nodes], now);
        }
    }
}
