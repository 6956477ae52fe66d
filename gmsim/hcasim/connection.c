/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Manages real-time connections: assigns them to nodes, requests them, sends
 * their packets, and ends them.
 *
 *   BEFORE --ask--> ASKING --accepted--> SENDING --last packet--> ENDING
 *     ^                |                                             |
 *     +--- rejected ---+                    all packets have left ---+
 *     +--------------------------------------------------------------+
 *
 * Only connections of limited length return to BEFORE. Other connections enter
 * the state GONE instead.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hcasim/traffic.h"

/** Numbers of the first random streams for the sources of connections and for
 *  the connection slots. A source's stream is the first number plus the number
 *  of the connection. The streams of the nodes have lower numbers. */
#define GMS_QOS_SIM_SOURCE_STREAMS (UINT64_C(1) << 32)
#define GMS_QOS_SIM_PLACE_STREAMS  (UINT64_C(1) << 33)
/** Highest number of a connection. The number also identifies the connection's
 *  video stream, and delivery.h requires stream numbers below 2^20. */
#define GMS_QOS_SIM_NUMBER_MAX ((UINT32_C(1) << 20) - 1)
/** Minimum rate of a connection whose size is drawn at random, in flits per
 *  cycle. */
#define GMS_QOS_SIM_RATE_MIN 1e-6
/** This factor keeps peak rates at or below 1 despite rounding errors. */
#define GMS_QOS_SIM_BELOW_1 (1 - 1e-12)

static gms_source_config_t
gms_qos_sim_connection_source(const gms_qos_sim_t *sim,
                              const gms_qos_sim_connection_t *connection)
{
    const gms_qos_sim_options_t *options = &sim->options;
    gms_source_config_t config = gms_qos_sim_source(
        sim, connection->node, GMS_QOS_SIM_SOURCE_STREAMS + connection->number);

    config.target.pattern = GMS_TARGET_FIXED;
    config.target.node = connection->target;
    if (options->real_time == GMS_QOS_SIM_VIDEO) {
        config.kind = GMS_SOURCE_VIDEO;
        config.video = connection->video;
        config.regulator = options->regulator;
        config.file = options->video_files[connection->video];
    } else {
        config.kind = GMS_SOURCE_ON_OFF;
        config.rate = connection->rate;
        config.on_cycles = options->on_cycles;
        config.off_cycles = options->off_cycles;
        if (options->connections_per_node > 0) {
            /* the peak rate, rate x (on + off) / on, must not exceed the rate
             * of the link */
            config.off_cycles =
                fmin(config.off_cycles, options->on_cycles *
                                            (1 / connection->rate - 1) *
                                            GMS_QOS_SIM_BELOW_1);
        }
    }
    return config;
}

/* ---- assignment to nodes ---- */

/** Computes the mean rate of each of the seven videos, in flits per cycle. If a
 *  video is read from a file, its rate is the mean rate of this file. */
static gms_status_t gms_qos_sim_rates(const gms_qos_sim_t *sim,
                                      double rate[GMS_VIDEO_STREAMS],
                                      char error[GMS_QOS_SIM_ERROR_LEN])
{
    gms_qos_sim_connection_t connection = {
        .target = 1, .rate = sim->options.connection_rate};
    gms_status_t status = GMS_OK;

    for (; connection.video < GMS_VIDEO_STREAMS && status == GMS_OK;
         ++connection.video) {
        gms_source_config_t config =
            gms_qos_sim_connection_source(sim, &connection);
        gms_source_t *source = NULL;

        status = gms_source_create(&config, &source, error);
        if (status == GMS_OK) {
            rate[connection.video] = gms_source_mean_rate(source);
            gms_source_destroy(source);
        }
    }
    return status;
}

/** Assigns connections to nodes. If `connection` is NULL, the function only
 *  counts them. @return number of connections */
static unsigned gms_qos_sim_deal_out(const gms_qos_sim_t *sim,
                                     const double rate[GMS_VIDEO_STREAMS],
                                     gms_qos_sim_connection_t *connection)
{
    double wanted = sim->options.load * sim->options.real_time_part, rest = 0;
    unsigned whole = (sim->options.real_time == GMS_QOS_SIM_ON_OFF)
                         ? sim->options.connections_per_node
                         : 0;
    unsigned count = 0, video = 0, node;

    for (; count < whole * sim->nodes; ++count) {
        if (connection != NULL) {
            connection[count].node = count / whole;
        }
    }
    for (node = 0; node < sim->nodes && whole == 0; ++node) {
        /* each node starts with the video that follows the last video of the
         * previous node, so every video has about the same number of
         * connections */
        for (rest += wanted; rest >= rate[video] / 2;
             video = (video + 1) % GMS_VIDEO_STREAMS) {
            rest -= rate[video];
            if (connection != NULL) {
                connection[count].node = node;
                connection[count].video = video;
            }
            if (++count > GMS_QOS_SIM_NUMBER_MAX) {
                return count;
            }
        }
    }
    return count;
}

void gms_qos_sim_sizes(gms_qos_sim_connection_t *connection, unsigned count,
                       double load)
{
    double sum = 0;
    unsigned i;

    for (i = 0; i < count; ++i) {
        connection[i].rate = -log(gms_random_unit(&connection[i].random));
        sum += connection[i].rate;
    }
    for (i = 0; i < count; ++i) {
        connection[i].rate = fmax(GMS_QOS_SIM_RATE_MIN,
                                  fmin(1, connection[i].rate * load / sum));
    }
}

gms_status_t gms_qos_sim_deal(gms_qos_sim_t *sim,
                              char error[GMS_QOS_SIM_ERROR_LEN])
{
    double rate[GMS_VIDEO_STREAMS];
    gms_status_t status;
    unsigned count, i;

    if (!(sim->options.load * sim->options.real_time_part > 0)) {
        return GMS_OK;
    }
    status = gms_qos_sim_rates(sim, rate, error);
    if (status != GMS_OK) {
        return status;
    }
    count = gms_qos_sim_deal_out(sim, rate, NULL);
    if (count > GMS_QOS_SIM_NUMBER_MAX) {
        (void)snprintf(error, GMS_QOS_SIM_ERROR_LEN,
                       "the real-time load requires more than %u connections; "
                       "use a higher connection_rate or a lower load",
                       GMS_QOS_SIM_NUMBER_MAX);
        return GMS_ERR_CONFIG;
    }
    sim->connection = calloc((count > 0) ? count : 1, sizeof(*sim->connection));
    if (sim->connection == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    sim->connections = gms_qos_sim_deal_out(sim, rate, sim->connection);
    for (i = 0; i < count; ++i) {
        gms_random_init(&sim->connection[i].random, sim->seed,
                        GMS_QOS_SIM_PLACE_STREAMS + i);
        sim->connection[i].rate = sim->options.connection_rate;
    }
    if (sim->options.connections_per_node > 0) {
        gms_qos_sim_sizes(sim->connection, count,
                          sim->options.load * sim->options.real_time_part *
                              sim->nodes);
    }
    return GMS_OK;
}

/* ---- requests ---- */

static void gms_qos_sim_ask_at(gms_qos_sim_t *sim,
                               gms_qos_sim_connection_t *connection,
                               uint64_t cycle)
{
    connection->state = GMS_QOS_SIM_BEFORE;
    gms_qos_sim_heap_add(&sim->heap, cycle,
                         2 * sim->nodes +
                             (uint32_t)(connection - sim->connection));
}

void gms_qos_sim_connections_start(gms_qos_sim_t *sim)
{
    unsigned i;

    for (i = 0; i < sim->connections; ++i) {
        gms_qos_sim_ask_at(sim, &sim->connection[i],
                           gms_random_below(&sim->connection[i].random,
                                            sim->options.start_cycles + 1));
    }
}

/** Draws the length of a connection in cycles from an exponential distribution.
 *  The length is at least 1. */
static uint64_t gms_qos_sim_length(gms_qos_sim_t *sim,
                                   gms_qos_sim_connection_t *connection)
{
    return 1 + (uint64_t)(-log(gms_random_unit(&connection->random)) *
                          (double)sim->options.connection_cycles);
}

/** Frees the slot of a connection that has ended or was rejected. A successor
 *  can then use the slot. */
static void gms_qos_sim_leave_place(gms_qos_sim_t *sim,
                                    gms_qos_sim_connection_t *connection,
                                    uint64_t next_cycle)
{
    gms_source_destroy(connection->source);
    connection->source = NULL;
    connection->state = GMS_QOS_SIM_GONE;
    if (sim->options.connection_cycles > 0 &&
        sim->last_number < GMS_QOS_SIM_NUMBER_MAX) {
        gms_qos_sim_ask_at(sim, connection, next_cycle);
    }
}

static void gms_qos_sim_connection_fail(gms_qos_sim_t *sim, gms_status_t status)
{
    if (sim->status == GMS_OK) {
        sim->status = status;
    }
}

/** Reads the next packet from a connection's source and converts its time to
 *  the time of the network. @return 0 if the source has no more packets */
static int gms_qos_sim_look_ahead(gms_qos_sim_connection_t *connection)
{
    gms_arrival_t *arrival = &connection->arrival;

    if (!gms_source_next(connection->source, arrival)) {
        return 0;
    }
    arrival->cycle += connection->shift_cycles;
    arrival->frame_cycle += connection->shift_cycles;
    return arrival->cycle < connection->end_cycle;
}

/** Ends a connection that has no packet in flight and whose source produces no
 *  more packets. */
static void gms_qos_sim_connection_end(gms_qos_sim_t *sim,
                                       gms_qos_sim_connection_t *connection)
{
    gms_congestion_close(sim->congestion, connection->node, connection->number);
    gms_hca_destroy_pair(sim->node[connection->node].hca,
                         connection->queue.pair);
    gms_qos_sim_leave_place(sim, connection, gms_flit_now(sim->net) + 1);
}

void gms_qos_sim_connection_done(gms_qos_sim_t *sim,
                                 gms_qos_sim_connection_t *connection)
{
    if (connection->state == GMS_QOS_SIM_ENDING && connection->under_way == 0 &&
        connection->queue.packets.first == NULL) {
        gms_qos_sim_connection_end(sim, connection);
    }
}

static void gms_qos_sim_stop(gms_qos_sim_t *sim,
                             gms_qos_sim_connection_t *connection)
{
    gms_qos_sim_flush(sim);
    sim->admitted -= connection->average;
    connection->state = GMS_QOS_SIM_ENDING;
}

static void gms_qos_sim_accept(gms_qos_sim_t *sim,
                               gms_qos_sim_connection_t *connection)
{
    uint64_t now = gms_flit_now(sim->net);
    gms_status_t status = gms_hca_create_pair(
        sim->node[connection->node].hca, GMS_LANE_REAL_TIME,
        sim->best_queues + 1 + (uint32_t)(connection - sim->connection),
        &connection->queue.pair);

    if (status == GMS_OK) {
        status = gms_congestion_open(sim->congestion, connection->node,
                                     connection->number, connection->average);
    }
    if (status != GMS_OK) {
        gms_qos_sim_connection_fail(sim, status);
        return;
    }
    gms_qos_sim_flush(sim);
    sim->admitted += connection->average;
    connection->state = GMS_QOS_SIM_SENDING;
    connection->shift_cycles = now + 1;
    connection->end_cycle = (sim->options.connection_cycles > 0)
                                ? now + 1 + gms_qos_sim_length(sim, connection)
                                : UINT64_MAX;
    if (gms_qos_sim_look_ahead(connection)) {
        gms_qos_sim_heap_add(&sim->heap, connection->arrival.cycle,
                             2 * sim->nodes +
                                 (uint32_t)(connection - sim->connection));
    } else { /* the connection ended before it sent a packet */
        gms_probe_close(sim->probe, connection->number);
        gms_qos_sim_stop(sim, connection);
        gms_qos_sim_connection_done(sim, connection);
    }
}

void gms_qos_sim_answered(void *context, const gms_probe_answer_t *answer)
{
    gms_qos_sim_t *sim = context;
    unsigned i;

    for (i = 0; i < sim->connections &&
                (sim->connection[i].state != GMS_QOS_SIM_ASKING ||
                 sim->connection[i].number != answer->connection);
         ++i) {
    }
    assert(i < sim->connections);
    if (answer->accepted) {
        gms_qos_sim_accept(sim, &sim->connection[i]);
    } else {
        gms_qos_sim_leave_place(
            sim, &sim->connection[i],
            gms_flit_now(sim->net) +
                ((sim->options.connection_cycles > 0)
                     ? gms_qos_sim_length(sim, &sim->connection[i])
                     : 1));
    }
}

static void gms_qos_sim_ask(gms_qos_sim_t *sim,
                            gms_qos_sim_connection_t *connection)
{
    gms_probe_request_t request = {.connection = connection->number,
                                   .source = connection->node,
                                   .target = connection->target,
                                   .average = connection->average,
                                   .peak = connection->peak,
                                   .draw = connection->draw};
    gms_status_t status;

    if (sim->options.admission) {
        connection->state = GMS_QOS_SIM_ASKING;
        status = gms_probe_ask(sim->probe, &request);
    } else {
        status = gms_probe_force(sim->probe, &request);
        if (status == GMS_OK) {
            gms_qos_sim_accept(sim, connection);
        }
    }
    if (status != GMS_OK) {
        gms_qos_sim_connection_fail(sim, status);
    }
}

static void gms_qos_sim_connection_begin(gms_qos_sim_t *sim,
                                         gms_qos_sim_connection_t *connection)
{
    char error[GMS_SOURCE_ERROR_LEN];
    gms_source_config_t config;
    gms_status_t status;

    connection->number = ++sim->last_number;
    connection->target =
        (uint32_t)gms_random_below(&connection->random, sim->nodes - 1);
    connection->target += connection->target >= connection->node;
    connection->draw = (uint32_t)(gms_random_u64(&connection->random) >> 32);
    config = gms_qos_sim_connection_source(sim, connection);
    config.first_frame = gms_random_u64(&connection->random) >> 32;
    status = gms_source_create(&config, &connection->source, error);
    if (status != GMS_OK) {
        gms_qos_sim_connection_fail(sim, status);
        return;
    }
    connection->average = gms_source_mean_rate(connection->source);
    connection->peak =
        fmax(connection->average, gms_source_peak_rate(connection->source));
    gms_qos_sim_ask(sim, connection);
}

/* ---- sending ---- */

static void gms_qos_sim_connection_send(gms_qos_sim_t *sim,
                                        gms_qos_sim_connection_t *connection)
{
    gms_qos_sim_packet_t *packet =
        gms_qos_sim_make(sim, connection->node, GMS_LANE_REAL_TIME,
                         &connection->arrival, connection->draw);
    int is_last;

    if (packet == NULL) {
        return;
    }
    packet->message.connection = connection->number;
    packet->message.poster = connection;
    is_last = !gms_qos_sim_look_ahead(connection);
    if (is_last) {
        gms_qos_sim_stop(sim, connection);
        gms_probe_last(sim->probe, connection->number, &packet->message.packet);
    } else {
        gms_qos_sim_heap_add(&sim->heap, connection->arrival.cycle,
                             2 * sim->nodes +
                                 (uint32_t)(connection - sim->connection));
    }
    if (!gms_qos_sim_submit(sim, &connection->queue, packet,
                            sim->options.real_time_retries)) {
        gms_qos_sim_drop(sim, packet);
        if (is_last) {
            gms_probe_close(sim->probe, connection->number);
        }
        gms_qos_sim_connection_done(sim, connection);
    }
}

void gms_qos_sim_connection_act(gms_qos_sim_t *sim,
                                gms_qos_sim_connection_t *connection,
                                uint64_t now)
{
    assert(connection->state == GMS_QOS_SIM_BEFORE ||
           connection->arrival.cycle <= now);
    if (connection->state == GMS_QOS_SIM_BEFORE) {
        gms_qos_sim_connection_begin(sim, connection);
    } else {
        gms_qos_sim_connection_send(sim, connection);
    }
}
