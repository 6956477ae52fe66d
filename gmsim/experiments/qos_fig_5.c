/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 5 of Yum et al.: latencies of control and best-effort traffic, and
 * deadline misses of videos, through one router. The loads are 60 to 80 %, with
 * and without admission (A) and congestion control (C).
 */
#include <stdio.h>

#include "experiments/qos.h"
#include "experiments/qos_video.h"

#define GMS_QOS_FIG_5_SCHEMES 4u

static const struct {
    const char *name;
    int admission;
    enum gms_congestion_policy congestion;
} gms_qos_fig_5_schemes[GMS_QOS_FIG_5_SCHEMES] = {
    {"A, C", 1, GMS_CONGESTION_CREDIT},
    {"A, No C", 1, GMS_CONGESTION_NONE},
    {"No A, C", 0, GMS_CONGESTION_CREDIT},
    {"No A, No C", 0, GMS_CONGESTION_NONE},
};

static void gms_qos_fig_5_rows(gms_lab_t *lab, const char *name, double load,
                               const gms_qos_sim_result_t *result)
{
    const gms_qos_sim_class_t *best = &result->by_class[GMS_LANE_BEST_EFFORT];
    const gms_qos_sim_class_t *control = &result->by_class[GMS_LANE_CONTROL];
    char setting[GMS_LAB_NAME_LEN], curve[GMS_LAB_NAME_LEN];

    (void)gms_qos_setting(load, setting);
    gms_lab_row(lab, name, setting, "DMP", result->dmp.mean, "probability");
    gms_lab_row(lab, name, setting, "DMT", result->dmt_ms.mean, "ms");
    gms_lab_row(lab, name, setting, "control latency",
                gms_qos_latency_us(control), "us");
    gms_lab_row(lab, name, setting, "best-effort latency",
                gms_qos_latency_us(best), "us");
    gms_lab_row(lab, name, setting, "best-effort throughput",
                100 * best->throughput.mean, "percent");
    gms_lab_row(lab, name, setting, "connections rejected",
                100 * result->rejection_rate.mean, "percent");
    (void)snprintf(curve, sizeof(curve), "best effort, %s", name);
    gms_lab_point(lab, curve, 100 * load, gms_qos_latency_us(best), NULL);
}

/** Simulate one scheme at one load, and report its results.
 *  @param [out] best_us_p mean latency of best-effort traffic, us
 *  @param [out] dmp_p DMP of videos */
static gms_status_t gms_qos_fig_5_scheme(gms_lab_t *lab, unsigned scheme,
                                         double load, double *best_us_p,
                                         double *dmp_p)
{
    gms_qos_sim_result_t *result = NULL;
    gms_qos_sim_options_t options;
    gms_status_t status;

    gms_qos_video_options(&options, load);
    gms_qos_config_control(&options, gms_qos_fig_5_schemes[scheme].admission,
                           gms_qos_fig_5_schemes[scheme].congestion);
    status = gms_qos_run(lab, &options, &result);
    if (status != GMS_OK) {
        return status;
    }
    gms_qos_fig_5_rows(lab, gms_qos_fig_5_schemes[scheme].name, load, result);
    if (scheme == 0) {
        gms_lab_point(lab, "control, A, C", 100 * load,
                      gms_qos_latency_us(&result->by_class[GMS_LANE_CONTROL]),
                      NULL);
    }
    *best_us_p = gms_qos_latency_us(&result->by_class[GMS_LANE_BEST_EFFORT]);
    *dmp_p = result->dmp.mean;
    gms_qos_sim_result_destroy(result);
    return GMS_OK;
}

static gms_status_t gms_qos_fig_5_load(gms_lab_t *lab, unsigned which)
{
    double best_us[GMS_QOS_FIG_5_SCHEMES], dmp[GMS_QOS_FIG_5_SCHEMES];
    double load = gms_qos_video_loads[which];
    gms_status_t status = GMS_OK;
    char setting[GMS_LAB_NAME_LEN];
    unsigned i;

    for (i = 0; i < GMS_QOS_FIG_5_SCHEMES && status == GMS_OK; ++i) {
        status = gms_qos_fig_5_scheme(lab, i, load, &best_us[i], &dmp[i]);
        gms_lab_progress(lab, (which * GMS_QOS_FIG_5_SCHEMES + i + 1.0) /
                                  GMS_QOS_VIDEO_LOADS / GMS_QOS_FIG_5_SCHEMES);
    }
    if (status != GMS_OK) {
        return status;
    }
    (void)gms_qos_setting(load, setting);
    gms_lab_check(lab, "A, C", setting, "DMP of all videos", dmp[0],
                  "probability", GMS_ROW_AT_MOST, 0.005, 0);
    if (which == GMS_QOS_VIDEO_LOADS - 1) {
        gms_lab_check(lab, "(no A, no C) / (A, C)", setting,
                      "ratio of best-effort latencies",
                      best_us[GMS_QOS_FIG_5_SCHEMES - 1] / best_us[0], "ratio",
                      GMS_ROW_AT_LEAST, 10, 0);
    } else {
        gms_lab_row(lab, "(no A, no C) / (A, C)", setting,
                    "best-effort latency",
                    best_us[GMS_QOS_FIG_5_SCHEMES - 1] / best_us[0], "ratio");
    }
    return GMS_OK;
}

static gms_status_t gms_qos_fig_5_seed(gms_lab_t *lab)
{
    gms_qos_sim_options_t options;
    unsigned i;

    for (i = 0; i < GMS_QOS_VIDEO_LOADS; ++i) {
        gms_status_t status = gms_qos_fig_5_load(lab, i);

        if (status != GMS_OK) {
            return status;
        }
    }
    gms_qos_video_options(&options, gms_qos_video_loads[0]);
    gms_qos_video_notes(lab, &options);
    return GMS_OK;
}

static gms_status_t gms_qos_fig_5_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_fig_5_seed);
}

static const gms_figure_t gms_qos_fig_5_figure = {
    .x_label = "load (%)",
    .y_label = "mean latency (us)",
    .x_min = 55,
    .x_max = 85,
    .y_min = 1,
    .y_max = 100000,
    .is_log_y = 1,
};

const gms_experiment_t gms_qos_fig_5 = {
    .name = "qos-fig-5",
    .title = "Videos through one router, with and without admission and "
             "congestion control",
    .source = "Yum et al., figure 5",
    .text = "Latencies are measured from the time at which a message is "
            "posted until it is delivered. At loads up to 70 %, there is "
            "little congestion, and the controls have little effect. At 80 % "
            "load, the traffic to some outputs exceeds the capacity of a "
            "router without speed-up. At these outputs, best effort waits, "
            "because it has the lowest priority. Admission rejects no "
            "connection, because the videos request less than the whole "
            "link. Congestion control prevents best effort from filling the "
            "HCAs. Full HCAs would drop video packets.",
    .run = gms_qos_fig_5_run,
    .basis = GMS_BASIS_PREDICTED,
    .figure = &gms_qos_fig_5_figure,
};
