/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that qos_4.c and qos_fig_6.c share: the four combinations
 * of admission and congestion control, and their simulation options.
 */
#include "experiments/qos_on_off.h"

const gms_qos_on_off_t gms_qos_on_off_schemes[GMS_QOS_ON_OFF_SCHEMES] = {
    {"A, C", 1, GMS_CONGESTION_CREDIT},
    {"A, no C", 1, GMS_CONGESTION_NONE},
    {"no A, C", 0, GMS_CONGESTION_CREDIT},
    {"no A, no C", 0, GMS_CONGESTION_NONE},
};

void gms_qos_on_off_init(gms_qos_sim_options_t *options,
                         const gms_qos_on_off_t *scheme, double load)
{
    gms_qos_config(options, GMS_QOS_MESH_5, load, 0.8);
    gms_qos_config_control(options, scheme->admission, scheme->congestion);
}

void gms_qos_on_off_notes(gms_lab_t *lab)
{
    gms_lab_note(lab, "The network is a 5 x 5 mesh. A node has 1 connection at "
                      "loads up to 50 %%, 2 connections at loads up to 65 %%, "
                      "and 4 connections at 70 %%. The sizes of a node's "
                      "connections are exponentially distributed, with a fixed "
                      "sum.");
    gms_lab_note(lab, "Connections "
                      "may reserve the whole link. Lanes are drawn at random.");
}
