/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 4 of Yum et al.: percentage of rejected connections in a 5 x 5 mesh
 * with ON/OFF traffic. The loads are 40 to 70 %, with and without admission and
 * congestion control. This experiment measures only the setup of connections.
 * The experiment of figure 6 (qos_fig_6.c) measures the traffic.
 */
#include "experiments/qos.h"
#include "experiments/qos_on_off.h"

#define GMS_QOS_4_LOADS 7u
/** Number of sets of connections that are drawn with each seed; each set has 25
 *  to 100 connections. */
#define GMS_QOS_4_DRAWS 25u

/** Number of cycles that are simulated after the last request, so that its
 *  answer arrives. */
#define GMS_QOS_4_AFTER 1000u

static const double gms_qos_4_loads[GMS_QOS_4_LOADS] = {0.40, 0.45, 0.50, 0.55,
                                                        0.60, 0.65, 0.70};

/** Names of the schemes in the reference file. Schemes that are not in the
 *  reference file have names of the same form. */
static const char *const gms_qos_4_series[GMS_QOS_ON_OFF_SCHEMES] = {
    [GMS_QOS_ON_OFF_BOTH] = "admission and congestion control",
    [GMS_QOS_ON_OFF_ADMISSION] = "admission control",
    [GMS_QOS_ON_OFF_CONGESTION] = "congestion control alone",
    [GMS_QOS_ON_OFF_NONE] = "no admission control",
};

/** Rejection rates of a scheme, percent. */
typedef struct gms_qos_4_sum {
    double mean; /* mean rejection rate over all loads */
    double least, most;
} gms_qos_4_sum_t;

static void gms_qos_4_add(gms_qos_4_sum_t *sum, double rate)
{
    sum->mean += rate / GMS_QOS_4_LOADS;
    sum->least = (rate < sum->least) ? rate : sum->least;
    sum->most = (rate > sum->most) ? rate : sum->most;
}

static gms_status_t gms_qos_4_load(gms_lab_t *lab, unsigned which, double load,
                                   gms_qos_4_sum_t *sum)
{
    const gms_qos_on_off_t *scheme = &gms_qos_on_off_schemes[which];
    gms_qos_sim_options_t options;
    gms_qos_sim_result_t *result;
    char setting[GMS_LAB_NAME_LEN];
    gms_status_t status;

    gms_qos_on_off_init(&options, scheme, load);
    options.warm_up_cycles = options.start_cycles;
    options.run_cycles = GMS_QOS_4_AFTER;
    options.replications = scheme->admission ? GMS_QOS_4_DRAWS : 1;
    status = gms_qos_run(lab, &options, &result);
    if (status != GMS_OK) {
        return status;
    }
    gms_lab_row(lab, gms_qos_4_series[which], gms_qos_setting(load, setting),
                "rejection rate", 100 * result->rejection_rate.mean, "percent");
    gms_lab_row(lab, gms_qos_4_series[which], setting,
                "admitted real-time load", 100 * result->admitted_load.mean,
                "percent");
    gms_qos_4_add(sum, 100 * result->rejection_rate.mean);
    gms_qos_sim_result_destroy(result);
    return GMS_OK;
}

static void gms_qos_4_check(gms_lab_t *lab, unsigned which,
                            const gms_qos_4_sum_t *sum)
{
    const char *name = gms_qos_4_series[which];

    if (!gms_qos_on_off_schemes[which].admission) {
        return; /* without admission, no request can be rejected */
    }
    gms_lab_row(lab, name, "40 to 70 %", "mean rejection rate", sum->mean,
                "percent");
    gms_lab_check(lab, name, "40 to 70 %", "least rejection rate", sum->least,
                  "percent", GMS_ROW_AT_LEAST, 10, 0);
    gms_lab_check(lab, name, "40 to 70 %", "highest rejection rate", sum->most,
                  "percent", GMS_ROW_AT_MOST, 26, 0);
}

static gms_status_t gms_qos_4_scheme(gms_lab_t *lab, unsigned which)
{
    gms_qos_4_sum_t sum = {.least = 100};
    unsigned i;

    for (i = 0; i < GMS_QOS_4_LOADS; ++i) {
        gms_status_t status =
            gms_qos_4_load(lab, which, gms_qos_4_loads[i], &sum);

        if (status != GMS_OK) {
            return status;
        }
        gms_lab_progress(lab, (which + (i + 1.0) / GMS_QOS_4_LOADS) /
                                  GMS_QOS_ON_OFF_SCHEMES);
    }
    gms_qos_4_check(lab, which, &sum);
    return GMS_OK;
}

static gms_status_t gms_qos_4_seed(gms_lab_t *lab)
{
    gms_status_t status = GMS_OK;
    unsigned i;

    gms_qos_on_off_notes(lab);
    for (i = 0; i < GMS_QOS_ON_OFF_SCHEMES && status == GMS_OK; ++i) {
        status = gms_qos_4_scheme(lab, i);
    }
    return status;
}

static gms_status_t gms_qos_4_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_4_seed);
}

const gms_experiment_t gms_qos_4 = {
    .name = "qos-4",
    .title = "Rejected connections on a mesh with ON/OFF traffic",
    .source = "Yum et al., table 4",
    .text = "The rejections depend only on the requests. Therefore, congestion "
            "control does not change the rejection rates. The rejection rate "
            "in the paper rises with the load, but falls at 55 % and at 70 % "
            "load. The simulation shows this pattern if each node has one "
            "connection at loads up to 50 %, two from 55 % and four at 70 %. "
            "The reason is that smaller connections are rejected less often. "
            "These numbers of connections were chosen to match this table.",
    .run = gms_qos_4_run,
    .basis = GMS_BASIS_FITTED,
};
