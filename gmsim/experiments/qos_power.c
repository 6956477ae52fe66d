/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that qos_fig_3.c and qos_fig_8.c to qos_fig_10.c share.
 * This code sets the options of the simulation for a traffic mix and a control
 * scheme (None, CC, PC, PH), and reports the notes about the limit of 21 W.
 */
#include "experiments/qos_power.h"

#include <stdio.h>

#include "fabric/topology.h"

const char *const gms_qos_power_mixes[GMS_QOS_POWER_MIXES] = {
    "mixed", "best effort", "real time"};
const char *const gms_qos_power_schemes[GMS_QOS_POWER_SCHEMES] = {"None", "CC",
                                                                  "PC", "PH"};

void gms_qos_power_options(gms_qos_sim_options_t *options, unsigned mix,
                           unsigned scheme, double load)
{
    static const double part[GMS_QOS_POWER_MIXES] = {0.5, 0, 1};

    gms_qos_config(options, GMS_QOS_MESH_POWER, load, part[mix]);
    gms_qos_config_control(
        options, 0,
        (scheme == GMS_QOS_POWER_CC || scheme == GMS_QOS_POWER_PC)
            ? GMS_CONGESTION_CREDIT
            : GMS_CONGESTION_NONE);
    options->measures_power = 1;
    if (scheme == GMS_QOS_POWER_PC) {
        options->power.policy = GMS_POWER_CREDIT;
        options->admission = 1; /* with admission, connections reserve power and
                                 * bandwidth */
    }
    if (scheme == GMS_QOS_POWER_PH) {
        options->power.policy = GMS_POWER_HERD;
    }
}

void gms_qos_power_notes(gms_lab_t *lab)
{
    gms_lab_note(lab, "The network is a 4 x 4 mesh. A link carries one flit "
                      "per cycle of 3.76 ns. Each on/off connection uses 2 %% "
                      "of a link, and its mean on and off periods are 5000 "
                      "cycles.");
    gms_lab_note(lab,
                 "The limit for routers, links and HCAs is 21 W. As in the "
                 "paper, this limit equals the power at 50 %% load. The "
                 "energies of the HCAs are assumed (doc/design/0017-power.md). "
                 "Without HCAs, the power reaches 21 W at 73 %% load.");
    gms_lab_note(
        lab, "CC limits best effort to 200 credits. PC extends CC with power "
             "credits and a power check at admission. PH is PowerHerd.");
}

const char *gms_qos_power_series(unsigned scheme, unsigned mix,
                                 char text[GMS_LAB_NAME_LEN])
{
    (void)snprintf(text, GMS_LAB_NAME_LEN, "%s, %s",
                   gms_qos_power_schemes[scheme], gms_qos_power_mixes[mix]);
    return text;
}
