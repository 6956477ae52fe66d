/* SPDX-License-Identifier: BSD-3-Clause */
/* Contains the settings of all qos-* experiments, and their sources. */
#include "experiments/qos_config.h"

#define GMS_QOS_FLIT_BYTES 16

const char *const gms_qos_source_names[] = {"paper", "calibrated", "assumed",
                                            "fitted"};

const gms_qos_setting_t gms_qos_settings[GMS_QOS_SETTINGS] = {
    [GMS_QOS_RUN] = {"length of a run", 250000, "cycles", GMS_QOS_CALIBRATED,
                     "the network is empty at the start"},
    [GMS_QOS_WARM_UP] = {"cycles at the start that are not counted", 0,
                         "cycles", GMS_QOS_CALIBRATED,
                         "every message is counted"},
    [GMS_QOS_START] = {"period in which connections begin", 12500, "cycles",
                       GMS_QOS_ASSUMED,
                       "connections begin at random times in this period"},
    [GMS_QOS_FRAMES] = {"counted frames of each video", 4, "frames",
                        GMS_QOS_ASSUMED,
                        "0.13 s; chosen to limit the processor time"},
    [GMS_QOS_WARM_UP_FRAMES] =
        {"initial frames of each video that are not counted", 2, "frames",
         GMS_QOS_ASSUMED, "streams begin during the first of these frames"},
    [GMS_QOS_SEEDS] = {"seeds", 3, "1", GMS_QOS_ASSUMED,
                       "95 % confidence intervals by Student's t-distribution"},
    [GMS_QOS_BUS] = {"rate of the system bus", 4, "flits/cycle",
                     GMS_QOS_CALIBRATED, "800 MB/s"},
    [GMS_QOS_DOORBELL] = {"firmware time per message", 2, "cycles",
                          GMS_QOS_CALIBRATED,
                          "time from the doorbell until the firmware has "
                          "programmed the DMA engine"},
    [GMS_QOS_ALO] = {"At-Least-One rule",
                     GMS_ALO_ROUTE | GMS_ALO_EMPTY | GMS_ALO_FIRST_HALF,
                     "flags", GMS_QOS_CALIBRATED,
                     "admits a message if each link of the route has a free "
                     "lane and the adapter is empty"},
    [GMS_QOS_TUNE_START] = {"initial threshold of Self-Tuned", 0.01,
                            "of all buffers", GMS_QOS_ASSUMED,
                            "equal to one increment of the threshold; other "
                            "initial values do not change the results"},
    [GMS_QOS_MESSAGES] = {"capacity of an adapter (M)", 1000, "messages",
                          GMS_QOS_ASSUMED,
                          "at least 600 messages, because table 3 contains "
                          "results for 600 credits"},
    [GMS_QOS_CREDITS] = {"best-effort credits of a node", 200, "credits",
                         GMS_QOS_PAPER,
                         "section 7.2: the best of four tested numbers"},
    [GMS_QOS_CREDITS_SEPARATE] =
        {"total credits of 16 separate completion queues (CQs)", 64, "credits",
         GMS_QOS_FITTED,
         "chosen to reproduce the paper's factor of 2.5 (figure 7)"},
    [GMS_QOS_CREDITS_QUAD] =
        {"total credits of four CQs", 100, "credits", GMS_QOS_FITTED,
         "chosen to reproduce the paper's factor of 2.5 (figure 7)"},
    [GMS_QOS_CAPACITY] =
        {"fraction of a link's rate that admission control may reserve", 1, "1",
         GMS_QOS_PAPER, "section 3.3"},
    [GMS_QOS_RATE] =
        {"rate of an on/off connection in the power experiments", 0.02,
         "of a link", GMS_QOS_ASSUMED,
         "so small that a single connection has no noticeable effect"},
    [GMS_QOS_PERIOD] = {"mean length of an on period or an off period", 5000,
                        "cycles", GMS_QOS_ASSUMED, "ten windows of 500 cycles"},
    [GMS_QOS_CONTROL] =
        {"control packets per 33.3 ms, or per pair of on and off periods", 10,
         "packets", GMS_QOS_PAPER, "section 6.2"},
    [GMS_QOS_FACTOR] = {"factor k of the small frame", 4, "1", GMS_QOS_PAPER,
                        "section 7.1"},
    [GMS_QOS_CYCLE] = {"transmission time of a flit on a link", 80, "ns",
                       GMS_QOS_PAPER, "section 6.1: 1.6 Gb/s"},
    [GMS_QOS_CYCLE_POWER] =
        {"transmission time of a flit on a link in the power experiments", 3.76,
         "ns", GMS_QOS_PAPER, "section 7.4: 500 cycles take 1.88 us"},
    [GMS_QOS_LIMIT] = {"power limit", 21, "W", GMS_QOS_PAPER, "section 7.4"},
};

static double gms_qos_value(unsigned setting)
{
    return gms_qos_settings[setting].value;
}

/* [fitted to table 4: one connection at low loads, two at 55 %, and four at 70
 * %] */
unsigned gms_qos_connections(double load)
{
    return (load > 0.675) ? 4 : (load > 0.525) ? 2 : 1;
}

/* Return the number of lanes for real-time traffic. This number depends on the
 * fraction of real-time traffic in the load. [source: Yum et al., section 7.1:
 * 11 of 15 for 80 %; assumed: 8 for 50 %] */
static unsigned gms_qos_lanes(double part)
{
    return (part < 0.25) ? 0 : (part < 0.65) ? 8 : (part < 0.9) ? 11 : 15;
}

static void gms_qos_config_fabric(gms_qos_sim_options_t *options,
                                  enum gms_qos_cluster cluster, double part)
{
    if (cluster == GMS_QOS_MESH_POWER) {
        gms_qos_sim_options_set_cycle(
            options, (uint64_t)(1000 * gms_qos_value(GMS_QOS_CYCLE_POWER)));
    }
    if (cluster != GMS_QOS_ROUTER) {
        options->topology = GMS_TOPOLOGY_MESH;
        options->rows = options->columns = (cluster == GMS_QOS_MESH_5) ? 5 : 4;
    }
    gms_lane_plan_init(&options->flit.plan, options->flit.lanes,
                       gms_qos_lanes(part), 1,
                       (part > 0) ? GMS_LANE_SMALL_FAST : GMS_LANE_ROUND_ROBIN,
                       (unsigned)gms_qos_value(GMS_QOS_FACTOR));
    /* [source: Yum et al., section 6.2: lanes `using a uniform distribution of
     * the available VLs'] */
    options->flit.lane_choice = GMS_FLIT_LANES_DRAWN;
    options->hca.buffer_messages = (unsigned)gms_qos_value(GMS_QOS_MESSAGES);
    options->hca.doorbell_cycles = (unsigned)gms_qos_value(GMS_QOS_DOORBELL);
    options->hca.dma_bytes_s =
        (uint64_t)(gms_qos_value(GMS_QOS_BUS) * GMS_QOS_FLIT_BYTES * 1e12 /
                   (double)options->cycle_ps);
}

void gms_qos_config(gms_qos_sim_options_t *options,
                    enum gms_qos_cluster cluster, double load, double part)
{
    uint64_t period = (uint64_t)gms_qos_value(GMS_QOS_PERIOD);

    gms_qos_sim_options_init(options);
    gms_qos_config_fabric(options, cluster, part);
    options->load = load;
    options->real_time_part = part;
    options->real_time = GMS_QOS_SIM_ON_OFF;
    options->connection_rate = gms_qos_value(GMS_QOS_RATE);
    if (cluster == GMS_QOS_MESH_5) {
        options->connections_per_node = gms_qos_connections(load);
    }
    options->on_cycles = options->off_cycles = (double)period;
    options->control_per_second =
        (part > 0)
            ? gms_qos_value(GMS_QOS_CONTROL) /
                  (2 * (double)period * (double)options->cycle_ps * 1e-12)
            : 0;
    options->admission_capacity = gms_qos_value(GMS_QOS_CAPACITY);
    options->congestion.credits_best = (unsigned)gms_qos_value(GMS_QOS_CREDITS);
    options->congestion.alo_rule = (unsigned)gms_qos_value(GMS_QOS_ALO);
    options->congestion.tune_start = gms_qos_value(GMS_QOS_TUNE_START);
    options->power.counts_hca = 1;
    options->power.limit_w = gms_qos_value(GMS_QOS_LIMIT);
    options->power.real_time_part = part;
    options->warm_up_cycles = (uint64_t)gms_qos_value(GMS_QOS_WARM_UP);
    options->run_cycles =
        (uint64_t)gms_qos_value(GMS_QOS_RUN) - options->warm_up_cycles;
    options->start_cycles = (uint64_t)gms_qos_value(GMS_QOS_START);
    options->replications = 1;
}

void gms_qos_config_video(gms_qos_sim_options_t *options)
{
    uint64_t frame = gms_video_frame_cycles(options->cycle_ps);

    options->real_time = GMS_QOS_SIM_VIDEO;
    options->connections_per_node = 0;
    /* [assumed: the last packet of a frame is sent before the next frame is
     * generated, and the first deadline is one frame after the first frame was
     * generated]
     */
    options->regulator = GMS_REGULATOR_EARLY;
    options->first_deadline = GMS_DELIVERY_FIRST_MADE;
    options->control_per_second =
        gms_qos_value(GMS_QOS_CONTROL) /
        ((double)frame * (double)options->cycle_ps * 1e-12);
    options->start_cycles = frame;
    options->warm_up_cycles =
        (uint64_t)gms_qos_value(GMS_QOS_WARM_UP_FRAMES) * frame;
    options->run_cycles = (uint64_t)gms_qos_value(GMS_QOS_FRAMES) * frame;
}

void gms_qos_config_control(gms_qos_sim_options_t *options, int admission,
                            enum gms_congestion_policy congestion)
{
    options->admission = admission;
    options->flit.agents = 1;
    options->congestion.policy = congestion;
    if (congestion == GMS_CONGESTION_SEPARATE_CQ) {
        options->congestion.credits_best =
            (unsigned)gms_qos_value(GMS_QOS_CREDITS_SEPARATE);
    } else if (congestion == GMS_CONGESTION_QUAD_CQ) {
        options->congestion.credits_best =
            (unsigned)gms_qos_value(GMS_QOS_CREDITS_QUAD);
    }
}

double gms_qos_latency_us(const gms_qos_sim_class_t *of)
{
    return of->queueing_us.mean + of->network_us.mean;
}
