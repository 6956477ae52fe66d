/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common part of qos_fig_3.c and qos_fig_8.c to qos_fig_10.c. It has the
 * options of the simulation for a traffic mix and a control scheme (None, CC,
 * PC, PH), and the notes on the limit of 21 W.
 */
#include "experiments/qos_power.h"

#include <stdio.h>

#include "fabric/topology.h"

/* Ten windows of 500 cycles. [assumed: the paper gives no period; long enough
 * to move the power of windows, short enough that a run holds many] */
#define GMS_QOS_POWER_PERIOD 5000

const char *const gms_qos_power_mixes[GMS_QOS_POWER_MIXES] = {
    "mixed", "best effort", "real time"};
const char *const gms_qos_power_schemes[GMS_QOS_POWER_SCHEMES] = {"None", "CC",
                                                                  "PC", "PH"};

static void gms_qos_power_traffic(gms_qos_sim_options_t *options, unsigned mix)
{
    /* Lanes in proportion to the load; a mix without one of the classes
     * gives all lanes to the other class. [assumed: the paper gives 11 of 15
     * for 80:20] */
    static const unsigned lanes[GMS_QOS_POWER_MIXES] = {8, 0, 15};
    static const double part[GMS_QOS_POWER_MIXES] = {0.5, 0, 1};

    options->real_time_part = part[mix];
    options->real_time = GMS_QOS_SIM_ON_OFF;
    options->on_cycles = options->off_cycles = GMS_QOS_POWER_PERIOD;
    /* [source: Yum et al., section 6.2: ten per period] */
    options->control_per_second =
        10 / (2 * GMS_QOS_POWER_PERIOD * (double)options->cycle_ps * 1e-12);
    gms_lane_plan_init(&options->flit.plan, 16, lanes[mix], 1,
                       GMS_LANE_SMALL_FAST, 4);
}

void gms_qos_power_options(gms_qos_sim_options_t *options, unsigned mix,
                           unsigned scheme, double load)
{
    gms_qos_sim_options_init(options);
    gms_qos_sim_options_set_cycle(options, 3760);
    options->topology = GMS_TOPOLOGY_MESH;
    options->rows = options->columns = 4;
    options->load = load;
    gms_qos_power_traffic(options, mix);
    options->start_cycles = GMS_QOS_POWER_PERIOD;
    options->warm_up_cycles = 4 * GMS_QOS_POWER_PERIOD;
    options->run_cycles = 40000;
    options->measures_power = 1;
    options->power.counts_hca = 1;
    options->power.limit_w = GMS_QOS_POWER_LIMIT_W;
    options->power.real_time_part = options->real_time_part;
    if (scheme == GMS_QOS_POWER_CC || scheme == GMS_QOS_POWER_PC) {
        options->congestion.policy = GMS_CONGESTION_CREDIT;
    }
    if (scheme == GMS_QOS_POWER_PC) {
        options->power.policy = GMS_POWER_CREDIT;
        options->admission = 1; /* requests reserve power and bandwidth */
        options->flit.agents = 1;
    }
    if (scheme == GMS_QOS_POWER_PH) {
        options->power.policy = GMS_POWER_HERD;
    }
}

void gms_qos_power_notes(gms_lab_t *lab)
{
    gms_lab_note(lab, "4x4 mesh, one flit per cycle of 3.76 ns, on/off "
                      "connections of 2 %% of a link, periods of 5000 cycles.");
    gms_lab_note(lab, "Limit of 21 W for routers, links and HCAs: the power at "
                      "50 %% load, as the paper defines it, with the assumed "
                      "energies of HCAs (doc/design/0017-power.md). Without "
                      "HCAs, 21 W is the power at 73 %% load.");
    gms_lab_note(lab, "CC: 200 credits for best effort. PC: power credits and "
                      "power in admission, in addition to CC. PH: PowerHerd.");
}

const char *gms_qos_power_series(unsigned scheme, unsigned mix,
                                 char text[GMS_LAB_NAME_LEN])
{
    (void)snprintf(text, GMS_LAB_NAME_LEN, "%s, %s",
                   gms_qos_power_schemes[scheme], gms_qos_power_mixes[mix]);
    return text;
}
