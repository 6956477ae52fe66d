/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets the defaults of the options of a run, and validates the options. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hcasim/qos_sim_int.h"

#define GMS_QOS_SIM_CYCLE_MAX_PS     UINT64_C(1000000)
#define GMS_QOS_SIM_NODES_MAX        16384u
#define GMS_QOS_SIM_CROSSBAR_MAX     64u /* maximum number of ports */
#define GMS_QOS_SIM_REPLICATIONS_MAX 1024u
#define GMS_QOS_SIM_CONNECTIONS_MAX  64u
#define GMS_QOS_SIM_CYCLES_MAX       (UINT64_C(1) << 48)

/** Duration of one cycle of a link of 1.6 Gb/s. [source: Yum et al., section
 *  6.1] */
#define GMS_QOS_SIM_CYCLE_PS  UINT64_C(80000)
#define GMS_QOS_SIM_FLIT_BITS 128u

void gms_qos_sim_options_init(gms_qos_sim_options_t *options)
{
    /* duration of a video frame at the default clock, in cycles */
    const uint64_t frame = gms_video_frame_cycles(GMS_QOS_SIM_CYCLE_PS);

    *options = (gms_qos_sim_options_t){
        /* [source: Yum et al., section 6.1: 8-port router; 128-bit flits;
         * packets of 40 flits, control packets of 10 flits] */
        .topology = GMS_TOPOLOGY_CROSSBAR,
        .nodes = 8,
        .rows = 4,
        .columns = 4,
        .cycle_ps = GMS_QOS_SIM_CYCLE_PS,
        .flit_bits = GMS_QOS_SIM_FLIT_BITS,
        .packet_flits = 40,
        .control_flits = 10,
        /* [source: Yum et al., section 7: 60..80 %; ratio 80:20] */
        .load = 0.7,
        .real_time_part = 0.8,
        .real_time = GMS_QOS_SIM_VIDEO,
        /* [assumed: with 32 Mb/s per connection and links of 1.6 Gb/s, dozens
         * of connections share a link, and no single connection dominates] */
        .connection_rate = 0.02,
        /* [assumed: a connection is in its on-period half of the time. An
         * on-period is as long as a video frame. With one packet of 40 flits
         * every 1000 cycles, an on-period contains about 400 packets] */
        .on_cycles = (double)frame,
        .off_cycles = (double)frame,
        .regulator =
            GMS_REGULATOR_EARLY, /* [source: Yum et al., section 7.1] */
        /* [source: Yum et al., section 6.2: ten packets per 33.3 ms; assumed:
         * for each node] */
        .control_per_second = 300,
        /* [source: Yum et al., section 6.2: uniform over all nodes; assumed:
         * uniform over all other nodes, because a node needs no network to
         * reach itself] */
        .target = {.pattern = GMS_TARGET_UNIFORM},
        /* [source: Yum et al., section 3.3: the sum of average rates is less
         * than the total bandwidth] */
        .admission_capacity = 1.0,
        /* [assumed: all connections begin within the duration of a frame, so
         * that the frames of different streams are not synchronous. The warm-up
         * contains two more frames, during which the traffic reaches a steady
         * state. After the warm-up, the run counts the traffic of half a
         * second] */
        .start_cycles = frame,
        .warm_up_cycles = 3 * frame,
        .run_cycles = 15 * frame,
        .seed = 1,
        .replications = 4,
        .threads = 1,
    };
    gms_flit_config_init(&options->flit);
    gms_hca_config_init(&options->hca, options->flit_bits / 8,
                        options->cycle_ps);
    gms_congestion_config_init(&options->congestion);
    gms_power_config_init(&options->power);
}

void gms_qos_sim_options_set_cycle(gms_qos_sim_options_t *options,
                                   uint64_t cycle_ps)
{
    options->hca.dma_bytes_s =
        (uint64_t)((double)options->hca.dma_bytes_s *
                   (double)options->cycle_ps / (double)cycle_ps);
    options->cycle_ps = cycle_ps;
}

unsigned gms_qos_sim_nodes(const gms_qos_sim_options_t *options)
{
    return (options->topology == GMS_TOPOLOGY_MESH ||
            options->topology == GMS_TOPOLOGY_TORUS)
               ? options->rows * options->columns
               : options->nodes;
}

/* ---- allowed values ---- */

__attribute__((format(printf, 2, 3))) static gms_status_t
gms_qos_sim_refuse(char *error, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    (void)vsnprintf(error, GMS_QOS_SIM_ERROR_LEN, format, list);
    va_end(list);
    return GMS_ERR_CONFIG;
}

static gms_status_t gms_qos_sim_check_number(const char *name, double value,
                                             double least, double most,
                                             char *error)
{
    if (!(value >= least) || !(value <= most)) {
        return gms_qos_sim_refuse(error, "%s is %.9g; allowed: %.9g..%.9g",
                                  name, value, least, most);
    }
    return GMS_OK;
}

typedef struct gms_qos_sim_range {
    const char *name;
    double value, least, most;
} gms_qos_sim_range_t;

static gms_status_t gms_qos_sim_check_ranges(const gms_qos_sim_range_t *range,
                                             size_t count, char *error)
{
    gms_status_t status = GMS_OK;
    size_t i;

    for (i = 0; i < count && status == GMS_OK; ++i) {
        status = gms_qos_sim_check_number(range[i].name, range[i].value,
                                          range[i].least, range[i].most, error);
    }
    return status;
}

static gms_status_t
gms_qos_sim_check_cluster(const gms_qos_sim_options_t *options, char *error)
{
    const gms_qos_sim_range_t range[] = {
        {"nodes", gms_qos_sim_nodes(options), 2,
         (options->topology == GMS_TOPOLOGY_CROSSBAR) ? GMS_QOS_SIM_CROSSBAR_MAX
                                                      : GMS_QOS_SIM_NODES_MAX},
        {"cycle_ps", (double)options->cycle_ps, 1, GMS_QOS_SIM_CYCLE_MAX_PS},
        {"flit_bits", options->flit_bits, 8, 2048},
        {"packet_flits", options->packet_flits, 1, UINT16_MAX},
        {"control_flits", options->control_flits, 1, UINT16_MAX},
        {"buffer_messages", options->hca.buffer_messages, 1, 1e9},
        {"dma_bytes_s", (double)options->hca.dma_bytes_s, 1, 1e12},
        {"doorbell_cycles", options->hca.doorbell_cycles, 0, 1e6},
        {"completion_cycles", options->hca.completion_cycles, 0, 1e6},
    };

    if (options->topology >= GMS_TOPOLOGY_GRAPH) {
        return gms_qos_sim_refuse(
            error,
            "topology number %u is invalid; allowed: crossbar, cascade, clos, "
            "fat-tree, mesh, torus",
            options->topology);
    }
    if (options->flit_bits % 8 != 0) {
        return gms_qos_sim_refuse(error,
                                  "flit_bits is %u; allowed: multiples of 8",
                                  options->flit_bits);
    }
    return gms_qos_sim_check_ranges(range, sizeof(range) / sizeof(range[0]),
                                    error);
}

static gms_status_t
gms_qos_sim_check_traffic(const gms_qos_sim_options_t *options, char *error)
{
    const gms_qos_sim_range_t range[] = {
        {"load", options->load, 0, 1},
        {"real_time_part", options->real_time_part, 0, 1},
        {"connection_rate", options->connection_rate, 1e-6, 1},
        {"connections_per_node", options->connections_per_node, 0,
         GMS_QOS_SIM_CONNECTIONS_MAX},
        {"on_cycles", options->on_cycles, 1, 1e12},
        {"off_cycles", options->off_cycles, 0, 1e12},
        {"control_per_second", options->control_per_second, 0, 1e12},
        {"admission_capacity", options->admission_capacity, 1e-6, 1},
    };

    if (options->real_time > GMS_QOS_SIM_ON_OFF) {
        return gms_qos_sim_refuse(
            error, "real_time number %u is invalid; allowed: video, on-off",
            options->real_time);
    }
    return gms_qos_sim_check_ranges(range, sizeof(range) / sizeof(range[0]),
                                    error);
}

static gms_status_t gms_qos_sim_check_run(const gms_qos_sim_options_t *options,
                                          char *error)
{
    const gms_qos_sim_range_t range[] = {
        {"start_cycles", (double)options->start_cycles, 0,
         GMS_QOS_SIM_CYCLES_MAX},
        {"warm_up_cycles", (double)options->warm_up_cycles, 0,
         GMS_QOS_SIM_CYCLES_MAX},
        {"run_cycles", (double)options->run_cycles, 1, GMS_QOS_SIM_CYCLES_MAX},
        {"connection_cycles", (double)options->connection_cycles, 0,
         GMS_QOS_SIM_CYCLES_MAX},
        {"replications", options->replications, 1,
         GMS_QOS_SIM_REPLICATIONS_MAX},
        {"threads", options->threads, 1, GMS_QOS_SIM_REPLICATIONS_MAX},
    };

    return gms_qos_sim_check_ranges(range, sizeof(range) / sizeof(range[0]),
                                    error);
}

/** Checks that every class that has traffic also has lanes. */
static gms_status_t
gms_qos_sim_check_lanes(const gms_qos_sim_options_t *options, char *error)
{
    const uint16_t *lanes = options->flit.plan.class_lanes;

    if (options->load * options->real_time_part > 0 &&
        lanes[GMS_LANE_REAL_TIME] == 0) {
        return gms_qos_sim_refuse(
            error, "the options define real-time traffic, but no lane for it");
    }
    if (options->load * (1 - options->real_time_part) > 0 &&
        lanes[GMS_LANE_BEST_EFFORT] == 0) {
        return gms_qos_sim_refuse(
            error,
            "the options define best-effort traffic, but no lane for it");
    }
    if ((options->control_per_second > 0 || options->admission) &&
        lanes[GMS_LANE_CONTROL] == 0) {
        return gms_qos_sim_refuse(
            error, "control packets and admission need a control lane");
    }
    return GMS_OK;
}

gms_status_t gms_qos_sim_options_settle(gms_qos_sim_options_t *options,
                                        char error[GMS_QOS_SIM_ERROR_LEN])
{
    gms_status_t status = gms_qos_sim_check_cluster(options, error);

    if (status == GMS_OK) {
        status = gms_qos_sim_check_traffic(options, error);
    }
    if (status == GMS_OK) {
        status = gms_qos_sim_check_run(options, error);
    }
    if (status == GMS_OK) {
        status = gms_flit_config_check(&options->flit, error);
    }
    if (status == GMS_OK) {
        status = gms_qos_sim_check_lanes(options, error);
    }
    if (status != GMS_OK) {
        return status;
    }
    options->target.nodes = gms_qos_sim_nodes(options);
    options->hca.cycle_ps = options->cycle_ps;
    options->hca.flit_bytes = options->flit_bits / 8;
    options->congestion.buffer_messages = options->hca.buffer_messages;
    options->power.cycle_ps = options->cycle_ps;
    options->power.flit_bits = options->flit_bits;
    options->power.packet_flits =
        (options->packet_flits > options->control_flits)
            ? options->packet_flits
            : options->control_flits;
    return gms_target_check(&options->target, error, GMS_QOS_SIM_ERROR_LEN);
}
