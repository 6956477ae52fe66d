/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 9 of Yum et al.: mean power versus load under the peak power limit of
 * 21 W. The curves are for three traffic mixes and for the schemes CC, PC and
 * PH (experiments/qos_power.h). No window of 500 cycles may exceed the limit
 * under PC or PH.
 */
#include <math.h>

#include "experiments/qos.h"
#include "experiments/qos_power.h"
#include "experiments/qos_run.h"

static const double gms_qos_fig_9_loads[] = {0.3, 0.5, 0.7, 0.9};
#define GMS_QOS_FIG_9_LOADS                                                    \
    (sizeof(gms_qos_fig_9_loads) / sizeof(gms_qos_fig_9_loads[0]))

/* Return 1 if the figure shows the scheme for the traffic mix. The figure shows
 * CC and PH only for mixed traffic, because their results are similar for the
 * other mixes. */
static int gms_qos_fig_9_is_drawn(unsigned mix, unsigned scheme)
{
    return scheme == GMS_QOS_POWER_PC || mix == GMS_QOS_POWER_MIXED;
}

static void gms_qos_fig_9_rows(gms_lab_t *lab, unsigned mix, unsigned scheme,
                               double load, const gms_qos_sim_result_t *result)
{
    char series[GMS_LAB_NAME_LEN], setting[GMS_LAB_NAME_LEN];

    gms_qos_power_series(scheme, mix, series);
    gms_qos_setting(load, setting);
    gms_lab_row(lab, series, setting, "mean power", result->power_w.mean, "W");
    gms_lab_row(lab, series, setting, "power of the worst 500 cycles",
                result->power_max_w, "W");
    if (scheme >= GMS_QOS_POWER_PC) {
        /* the mean excess over the seeds is 0 only if the excess of each seed
         * is 0 */
        gms_lab_check(lab, series, setting, "excess of the worst 500 cycles",
                      fmax(0, result->power_max_w - GMS_QOS_POWER_LIMIT_W), "W",
                      GMS_ROW_AT_MOST, 0, 0);
    }
    if (scheme == GMS_QOS_POWER_CC && load > 0.55) {
        gms_lab_check(lab, series, setting, "mean power above the limit",
                      result->power_w.mean, "W", GMS_ROW_AT_LEAST,
                      GMS_QOS_POWER_LIMIT_W, 0);
    }
    if (gms_qos_fig_9_is_drawn(mix, scheme)) {
        gms_lab_point(lab, series, 100 * load, result->power_w.mean, NULL);
    }
}

/* Check the claim "our scheme is more effective in refraining the power
 * consumption than PowerHerd". The check uses best-effort traffic alone, at the
 * loads at which the limit takes effect. */
static void gms_qos_fig_9_conclude(
    gms_lab_t *lab,
    const double power_w[GMS_QOS_POWER_SCHEMES][GMS_QOS_FIG_9_LOADS])
{
    double most = 0;
    unsigned i;

    for (i = 0; i < GMS_QOS_FIG_9_LOADS; ++i) {
        if (power_w[GMS_QOS_POWER_CC][i] > GMS_QOS_POWER_LIMIT_W) {
            most = fmax(most, power_w[GMS_QOS_POWER_PC][i] /
                                  power_w[GMS_QOS_POWER_PH][i]);
        }
    }
    gms_lab_check(lab, "PC, best effort", "loads above the limit",
                  "greatest ratio of mean power to that of PowerHerd", most,
                  "1", GMS_ROW_AT_MOST, 1, 0);
}

static gms_status_t gms_qos_fig_9_mix(gms_lab_t *lab, unsigned mix)
{
    double power_w[GMS_QOS_POWER_SCHEMES][GMS_QOS_FIG_9_LOADS];
    unsigned scheme, i;

    for (scheme = GMS_QOS_POWER_CC; scheme < GMS_QOS_POWER_SCHEMES; ++scheme) {
        for (i = 0; i < GMS_QOS_FIG_9_LOADS; ++i) {
            gms_qos_sim_options_t options;
            gms_qos_sim_result_t *result;
            gms_status_t status;

            gms_qos_power_options(&options, mix, scheme,
                                  gms_qos_fig_9_loads[i]);
            status = gms_qos_run(lab, &options, &result);
            if (status != GMS_OK) {
                return status;
            }
            gms_qos_fig_9_rows(lab, mix, scheme, gms_qos_fig_9_loads[i],
                               result);
            power_w[scheme][i] = result->power_w.mean;
            gms_qos_sim_result_destroy(result);
        }
        gms_lab_progress(lab, (mix + (scheme + 1.0) / GMS_QOS_POWER_SCHEMES) /
                                  GMS_QOS_POWER_MIXES);
    }
    if (mix == GMS_QOS_POWER_BEST) {
        gms_qos_fig_9_conclude(lab, power_w);
    }
    return GMS_OK;
}

static gms_status_t gms_qos_fig_9_seed(gms_lab_t *lab)
{
    unsigned mix;

    gms_qos_power_notes(lab);
    for (mix = 0; mix < GMS_QOS_POWER_MIXES; ++mix) {
        gms_status_t status = gms_qos_fig_9_mix(lab, mix);

        if (status != GMS_OK) {
            return status;
        }
    }
    return GMS_OK;
}

static gms_status_t gms_qos_fig_9_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_fig_9_seed);
}

static const gms_figure_t gms_qos_fig_9_figure = {
    .x_label = "load, % of each node's link",
    .y_label = "mean power, W",
};

const gms_experiment_t gms_qos_fig_9 = {
    .name = "qos-fig-9",
    .title = "Average power under peak power control",
    .source = "Yum et al., figure 9",
    .text = "Congestion control does not limit the power: it admits all "
            "traffic that the network can carry. Both power controls stay well "
            "below 21 W on average, because no window of 500 cycles may exceed "
            "the limit. For every mix, the power of PC is closer to the limit "
            "than that of PowerHerd. In the paper, the power of PC is below "
            "that of PowerHerd for best effort alone.",
    .run = gms_qos_fig_9_run,
    .basis = GMS_BASIS_PREDICTED,
    .figure = &gms_qos_fig_9_figure,
};
