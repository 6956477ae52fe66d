/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 2 of Yum et al.: deadline misses of video streams through one router.
 * Four variants of weighted round robin arbitrate the real-time lanes: small or
 * large frames with fast or slow pointers.
 */
#include <math.h>

#include "experiments/qos.h"
#include "experiments/qos_video.h"

#define GMS_QOS_2_SCHEMES 4u

static const struct {
    const char *name;
    enum gms_lane_policy policy;
} gms_qos_2_schemes[GMS_QOS_2_SCHEMES] = {
    {"small frame fast pointer", GMS_LANE_SMALL_FAST},
    {"small frame slow pointer", GMS_LANE_SMALL_SLOW},
    {"large frame fast pointer", GMS_LANE_LARGE_FAST},
    {"large frame slow pointer", GMS_LANE_LARGE_SLOW},
};

/** Simulate one variant at one load, and report its results.
 *  @param [out] dmt_ms_p mean DMT */
static gms_status_t gms_qos_2_scheme(gms_lab_t *lab,
                                     gms_qos_sim_options_t *options,
                                     unsigned scheme, double *dmt_ms_p)
{
    const char *name = gms_qos_2_schemes[scheme].name;
    gms_qos_sim_result_t *result = NULL;
    char setting[GMS_LAB_NAME_LEN];
    gms_status_t status;

    options->flit.plan.policy = (uint8_t)gms_qos_2_schemes[scheme].policy;
    status = gms_qos_run(lab, options, &result);
    if (status != GMS_OK) {
        return status;
    }
    (void)gms_qos_setting(options->load, setting);
    gms_lab_row(lab, name, setting, "DMP", result->dmp.mean, "probability");
    gms_lab_row(lab, name, setting, "DMT", result->dmt_ms.mean, "ms");
    gms_lab_row(lab, name, setting, "mean latency",
                result->by_class[GMS_LANE_REAL_TIME].latency_us.mean, "us");
    gms_lab_row(lab, name, setting, "99th percentile of latency",
                result->by_class[GMS_LANE_REAL_TIME].p99_us.mean, "us");
    *dmt_ms_p = result->dmt_ms.mean;
    gms_qos_sim_result_destroy(result);
    return GMS_OK;
}

/** Check the paper's conclusion that a small frame with a fast pointer has the
 *  smallest DMT. If no frame is late, the ratio is not a number (NaN). */
static void gms_qos_2_conclude(gms_lab_t *lab,
                               const double dmt_ms[GMS_QOS_2_SCHEMES])
{
    gms_lab_check(lab, "small fast / all others", "load=80%",
                  "ratio of DMT to the least DMT of the other arbiters",
                  dmt_ms[0] / fmin(fmin(dmt_ms[1], dmt_ms[2]), dmt_ms[3]),
                  "ratio", GMS_ROW_AT_MOST, 1, 0);
}

static gms_status_t gms_qos_2_seed(gms_lab_t *lab)
{
    double dmt_ms[GMS_QOS_2_SCHEMES] = {0};
    gms_qos_sim_options_t options;
    gms_status_t status = GMS_OK;
    unsigned i, j;

    for (i = 0; i < GMS_QOS_VIDEO_LOADS && status == GMS_OK; ++i) {
        for (j = 0; j < GMS_QOS_2_SCHEMES && status == GMS_OK; ++j) {
            gms_qos_video_options(&options, gms_qos_video_loads[i]);
            status = gms_qos_2_scheme(lab, &options, j, &dmt_ms[j]);
            gms_lab_progress(lab, (i * GMS_QOS_2_SCHEMES + j + 1.0) /
                                      GMS_QOS_VIDEO_LOADS / GMS_QOS_2_SCHEMES);
        }
    }
    if (status != GMS_OK) {
        return status;
    }
    gms_qos_2_conclude(lab, dmt_ms); /* dmt_ms contains the DMT at the last
                                      * load, which is 80 % */
    gms_qos_video_notes(lab, &options);
    gms_lab_note(lab, "A frame is late if its last packet arrives more than "
                      "1/30 s after the frame was created.");
    return GMS_OK;
}

static gms_status_t gms_qos_2_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_2_seed);
}

const gms_experiment_t gms_qos_2 = {
    .name = "qos-2",
    .title = "Four variants of weighted round-robin",
    .source = "Yum et al., table 2",
    .text = "This experiment compares four arbiters for the real-time lanes, "
            "with a regulator, admission control and congestion control. No "
            "frame is late, so the arbiters can be compared only by packet "
            "latency. Arbiters with slow pointers send each packet as a whole, "
            "which reduces the mean latency.",
    .run = gms_qos_2_run,
    .basis = GMS_BASIS_PREDICTED,
};
