/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common part of qos_2.c and qos_fig_5.c: the options of the simulation for
 * videos through one router, and the notes on the assumptions. Videos are 80 %
 * of the load, and 11 lanes are for real time.
 */
#include "experiments/qos_video.h"

#define GMS_QOS_VIDEO_LANES    11u
#define GMS_QOS_VIDEO_FACTOR   4u /* the factor k */
#define GMS_QOS_VIDEO_CAPACITY 0.6

const double gms_qos_video_loads[GMS_QOS_VIDEO_LOADS] = {0.6, 0.7, 0.8};

void gms_qos_video_options(gms_qos_sim_options_t *options, double load)
{
    uint64_t frame;

    gms_qos_sim_options_init(options);
    frame = gms_video_frame_cycles(options->cycle_ps);
    options->load = load;
    options->real_time_part = 0.8;
    gms_lane_plan_init(&options->flit.plan, options->flit.lanes,
                       GMS_QOS_VIDEO_LANES, 1, GMS_LANE_SMALL_FAST,
                       GMS_QOS_VIDEO_FACTOR);
    options->flit.lane_choice = GMS_FLIT_LANES_DRAWN;
    options->flit.agents = 1;
    options->admission = 1;
    options->admission_capacity = GMS_QOS_VIDEO_CAPACITY;
    options->congestion.policy = GMS_CONGESTION_CREDIT;
    options->real_time_retries = 1;
    options->start_cycles = frame;
    options->warm_up_cycles = 2 * frame;
    options->run_cycles = 6 * frame;
    options->replications = 4;
}

void gms_qos_video_notes(gms_lab_t *lab, const gms_qos_sim_options_t *options)
{
    double frame = (double)gms_video_frame_cycles(options->cycle_ps);

    gms_lab_note(lab,
                 "Videos from published statistics, 3 to 15 Mb/s each, because "
                 "the paper's traces are not available (doc/qos-traffic.md).");
    gms_lab_note(lab,
                 "%u replications of %.0f frames, after %.0f frames that are "
                 "not counted. All series use the same videos.",
                 options->replications, (double)options->run_cycles / frame,
                 (double)options->warm_up_cycles / frame);
    gms_lab_note(lab,
                 "Assumed: videos may reserve %.0f %% of a link; %u credits "
                 "for best effort of the %u messages that an HCA holds.",
                 100 * options->admission_capacity,
                 options->congestion.credits_best,
                 options->hca.buffer_messages);
}
