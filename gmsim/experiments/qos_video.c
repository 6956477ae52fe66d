/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that qos_2.c and qos_fig_5.c share: videos through one
 * router. Videos are 80 % of the load.
 */
#include "experiments/qos_video.h"

const double gms_qos_video_loads[GMS_QOS_VIDEO_LOADS] = {0.6, 0.7, 0.8};

void gms_qos_video_options(gms_qos_sim_options_t *options, double load)
{
    gms_qos_config(options, GMS_QOS_ROUTER, load, 0.8);
    gms_qos_config_video(options);
    gms_qos_config_control(options, 1, GMS_CONGESTION_CREDIT);
}

void gms_qos_video_notes(gms_lab_t *lab, const gms_qos_sim_options_t *options)
{
    double frame = (double)gms_video_frame_cycles(options->cycle_ps);

    gms_lab_note(lab, "Each video has a mean rate of 3 to 15 Mb/s. The frame "
                      "sizes follow published statistics, because the paper's "
                      "traces are not available (doc/qos-traffic.md).");
    gms_lab_note(lab,
                 "Each run counts %.0f frames of each video, after %.0f frames "
                 "that are not counted. All series use the same videos.",
                 (double)options->run_cycles / frame,
                 (double)options->warm_up_cycles / frame);
    gms_lab_note(lab,
                 "Videos may reserve %.0f %% of a link. Best effort has %u "
                 "credits in an HCA that holds %u messages.",
                 100 * options->admission_capacity,
                 options->congestion.credits_best,
                 options->hca.buffer_messages);
}
