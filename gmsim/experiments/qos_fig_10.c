/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 10 of Yum et al.: power of every window of 500 cycles over time, at 70
 * % load of mixed traffic. With congestion control alone (CC), the power
 * exceeds the limit of 21 W in most windows. With power credits (PC) or
 * PowerHerd (PH), the power exceeds the limit in no window. Another run uses
 * the rule that the paper states for PC.
 */
#include "experiments/qos.h"
#include "experiments/qos_power.h"
#include "experiments/qos_run.h"

#define GMS_QOS_FIG_10_LOAD 0.7
/* Number of windows after the warm-up that are shown in the figure. The figure
 * omits the run without control, because its power is similar to that of CC. */
#define GMS_QOS_FIG_10_DRAWN 100

/* Index of the run with the rule that the paper states for PC. */
#define GMS_QOS_FIG_10_PRINTED GMS_QOS_POWER_SCHEMES

static void gms_qos_fig_10_windows(gms_lab_t *lab, const char *name,
                                   unsigned scheme, uint64_t warm_up_cycles,
                                   const gms_qos_sim_result_t *result)
{
    uint64_t above = 0, count = 0;
    double most_w = 0;
    uint64_t i;

    for (i = 0; i < result->window_count; ++i) {
        const gms_power_window_t *window = &result->windows[i];
        double watts = window->network_w + window->hca_w;

        if (window->end_cycle <= warm_up_cycles) {
            continue;
        }
        if (gms_lab_seed(lab) == 1 && count < GMS_QOS_FIG_10_DRAWN &&
            scheme != GMS_QOS_POWER_NONE && scheme != GMS_QOS_FIG_10_PRINTED) {
            gms_lab_point(lab, name, (double)window->end_cycle * 3.76e-3, watts,
                          NULL);
        }
        ++count;
        above += watts > GMS_QOS_POWER_LIMIT_W;
        most_w = watts > most_w ? watts : most_w;
    }
    gms_lab_row(lab, name, "load=70%", "largest power of a window", most_w,
                "W");
    gms_lab_row(lab, name, "load=70%", "mean power", result->power_w.mean, "W");
    if (scheme == GMS_QOS_POWER_PC || scheme == GMS_QOS_POWER_PH) {
        gms_lab_check(lab, name, "load=70%", "windows above 21 W",
                      (double)above, "1", GMS_ROW_AT_MOST, 0, 0);
    } else if (scheme == GMS_QOS_POWER_CC) {
        gms_lab_check(lab, name, "load=70%", "windows above 21 W",
                      100 * (double)above / (double)count, "percent",
                      GMS_ROW_AT_LEAST, 90, 0);
    } else {
        gms_lab_row(lab, name, "load=70%", "windows above 21 W",
                    100 * (double)above / (double)count, "percent");
    }
}

static gms_status_t gms_qos_fig_10_scheme(gms_lab_t *lab, unsigned scheme)
{
    int is_printed = scheme == GMS_QOS_FIG_10_PRINTED;
    const char *name =
        is_printed ? "PC, by estimate" : gms_qos_power_schemes[scheme];
    gms_qos_sim_options_t options;
    gms_qos_sim_result_t *result;
    gms_status_t status;

    gms_qos_power_options(&options, GMS_QOS_POWER_MIXED,
                          is_printed ? GMS_QOS_POWER_PC : scheme,
                          GMS_QOS_FIG_10_LOAD);
    if (is_printed) {
        options.power.return_on = GMS_POWER_ON_ESTIMATE;
        options.power.holds_real_time = 0;
    }
    status = gms_qos_run(lab, &options, &result);
    if (status == GMS_OK) {
        gms_qos_fig_10_windows(lab, name, scheme, options.warm_up_cycles,
                               result);
        gms_qos_sim_result_destroy(result);
    }
    return status;
}

static gms_status_t gms_qos_fig_10_seed(gms_lab_t *lab)
{
    unsigned scheme;

    gms_qos_power_notes(lab);
    gms_lab_note(lab, "In the series `PC, by estimate', the energy credit of a "
                      "packet is returned at the estimated time of its "
                      "arrival. Real-time packets are not delayed, as in the "
                      "paper.");
    for (scheme = 0; scheme <= GMS_QOS_FIG_10_PRINTED; ++scheme) {
        gms_status_t status = gms_qos_fig_10_scheme(lab, scheme);

        if (status != GMS_OK) {
            return status;
        }
        gms_lab_progress(lab, (scheme + 1.0) / (GMS_QOS_FIG_10_PRINTED + 1));
    }
    return GMS_OK;
}

static gms_status_t gms_qos_fig_10_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_fig_10_seed);
}

static const gms_figure_t gms_qos_fig_10_figure = {
    .x_label = "time, us",
    .y_label = "power over 500 cycles, W",
    .style = GMS_FIGURE_STEPS,
};

const gms_experiment_t gms_qos_fig_10 = {
    .name = "qos-fig-10",
    .title = "Power over time with mixed traffic at 70 % load",
    .source = "Yum et al., figure 10",
    .text = "The figure shows the power of every interval of 500 cycles (1.88 "
            "us). With either power control, no interval exceeds 21 W. With "
            "congestion control alone, almost all intervals exceed 21 W.",
    .run = gms_qos_fig_10_run,
    .basis = GMS_BASIS_PREDICTED,
    .figure = &gms_qos_fig_10_figure,
};
