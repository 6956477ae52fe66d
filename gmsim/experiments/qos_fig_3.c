/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 3 of Yum et al.: power of a 4 x 4 mesh versus load, without any
 * control, for three traffic mixes. The figure shows the power with and without
 * the HCAs. The experiment also compares the power of routers and links with
 * the energies in the paper's table 1.
 */
#include <stdio.h>

#include "experiments/qos.h"
#include "experiments/qos_power.h"
#include "experiments/qos_run.h"

/* Mean number of routers and links on the route of a packet to one of the 15
 * other nodes. */
#define GMS_QOS_FIG_3_ROUTERS (11 / 3.0)
#define GMS_QOS_FIG_3_LINKS   (14 / 3.0)

#define GMS_QOS_FIG_3_LOADS 5u
static const double gms_qos_fig_3_loads[GMS_QOS_FIG_3_LOADS] = {0.1, 0.3, 0.5,
                                                                0.6, 0.8};

typedef struct gms_qos_fig_3_power {
    double network_w, hca_w, throughput;
} gms_qos_fig_3_power_t;

static gms_status_t gms_qos_fig_3_measure(gms_lab_t *lab, unsigned mix,
                                          double load,
                                          gms_qos_fig_3_power_t *power)
{
    gms_qos_sim_options_t options;
    gms_qos_sim_result_t *result;
    gms_status_t status;
    uint64_t i, count = 0;

    gms_qos_power_options(&options, mix, GMS_QOS_POWER_NONE, load);
    status = gms_qos_run(lab, &options, &result);
    if (status != GMS_OK) {
        return status;
    }
    *power = (gms_qos_fig_3_power_t){0, 0, result->all.throughput.mean};
    for (i = 0; i < result->window_count; ++i) {
        const gms_power_window_t *window = &result->windows[i];

        if (window->end_cycle >=
            options.warm_up_cycles + options.power.window_cycles) {
            power->network_w += window->network_w;
            power->hca_w += window->hca_w;
            ++count;
        }
    }
    power->network_w /= (double)count;
    power->hca_w /= (double)count;
    gms_qos_sim_result_destroy(result);
    return GMS_OK;
}

/* Compute the power of routers and links from the paper's table 1 alone. @param
 * [in] throughput flits per cycle and node @return power, W */
static double gms_qos_fig_3_expected(double throughput)
{
    gms_qos_sim_options_t options;
    double flit_pj;

    gms_qos_sim_options_init(&options);
    flit_pj = GMS_QOS_FIG_3_ROUTERS *
                  (gms_power_router_flit_pj(&options.power, &options.flit) +
                   options.power.energy.arbitration_pj / 40) +
              GMS_QOS_FIG_3_LINKS * gms_power_link_flit_pj(&options.power);
    return 16 * throughput * flit_pj / 3760;
}

static gms_status_t gms_qos_fig_3_at(gms_lab_t *lab, unsigned mix, double load,
                                     double at_30_w[GMS_QOS_POWER_MIXES])
{
    const char *name = gms_qos_power_mixes[mix];
    char setting[GMS_LAB_NAME_LEN], curve[GMS_LAB_NAME_LEN];
    gms_qos_fig_3_power_t power;
    gms_status_t status = gms_qos_fig_3_measure(lab, mix, load, &power);

    if (status != GMS_OK) {
        return status;
    }
    gms_qos_setting(load, setting);
    gms_lab_row(lab, name, setting, "power of routers and links",
                power.network_w, "W");
    gms_lab_row(lab, name, setting, "power with HCAs",
                power.network_w + power.hca_w, "W");
    if (mix == GMS_QOS_POWER_BEST) {
        gms_lab_check(lab, name, setting,
                      "power of routers and links according to table 1",
                      power.network_w, "W", GMS_ROW_WITHIN,
                      gms_qos_fig_3_expected(power.throughput), 2);
    }
    if (load > 0.29 && load < 0.31) {
        at_30_w[mix] = power.network_w;
    }
    if (load > 0.59 && load < 0.61) {
        gms_lab_check(lab, name, "load=60% compared with 30%",
                      "ratio of power of routers and links",
                      power.network_w / at_30_w[mix], "1", GMS_ROW_WITHIN, 2,
                      5);
    }
    (void)snprintf(curve, sizeof(curve), "%s, routers and links", name);
    gms_lab_point(lab, curve, 100 * load, power.network_w, NULL);
    (void)snprintf(curve, sizeof(curve), "%s, with HCAs", name);
    gms_lab_point(lab, curve, 100 * load, power.network_w + power.hca_w, NULL);
    return GMS_OK;
}

static gms_status_t gms_qos_fig_3_seed(gms_lab_t *lab)
{
    double at_30_w[GMS_QOS_POWER_MIXES] = {0};
    unsigned mix, i;

    gms_lab_note(lab,
                 "The runs use neither congestion nor power control. The paper "
                 "states that this figure shows 21 W at 50 %% load. At this "
                 "load, routers and links consume 14.4 W according to table 1. "
                 "The HCAs, whose energies are assumed, consume 6.6 W.");
    for (i = 0; i < GMS_QOS_FIG_3_LOADS; ++i) {
        for (mix = GMS_QOS_POWER_MIXED; mix <= GMS_QOS_POWER_BEST; ++mix) {
            gms_status_t status =
                gms_qos_fig_3_at(lab, mix, gms_qos_fig_3_loads[i], at_30_w);

            if (status != GMS_OK) {
                return status;
            }
        }
        gms_lab_progress(lab, (i + 1.0) / GMS_QOS_FIG_3_LOADS);
    }
    return GMS_OK;
}

static gms_status_t gms_qos_fig_3_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_fig_3_seed);
}

static const gms_figure_t gms_qos_fig_3_figure = {
    .x_label = "load, % of each node's link",
    .y_label = "power, W",
};

const gms_experiment_t gms_qos_fig_3 = {
    .name = "qos-fig-3",
    .title = "Power of a 4 x 4 mesh as a function of the load",
    .source = "Yum et al., figure 3",
    .text = "Without control, the power of the network is proportional to its "
            "traffic. The HCAs consume additional idle power.",
    .run = gms_qos_fig_3_run,
    .basis = GMS_BASIS_PREDICTED,
    .figure = &gms_qos_fig_3_figure,
};
