/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 6 of Yum et al.: latency of every traffic class and dropped real-time
 * packets in a 5 x 5 mesh with ON/OFF traffic. The runs are made with and
 * without admission (A) and congestion control (C).
 */
#include "experiments/qos.h"
#include "experiments/qos_on_off.h"

#include <math.h>
#include <stdio.h>

#define GMS_QOS_FIG_6_LOADS 3u

static const double gms_qos_fig_6_loads[GMS_QOS_FIG_6_LOADS] = {0.4, 0.55, 0.7};

static const char *const gms_qos_fig_6_classes[GMS_LANE_CLASSES] = {
    [GMS_LANE_CONTROL] = "control",
    [GMS_LANE_REAL_TIME] = "real-time",
    [GMS_LANE_BEST_EFFORT] = "best-effort",
};

/** Values with which the experiment checks the paper's conclusions. */
typedef struct gms_qos_fig_6_value {
    double control_us, real_time_us, best_us; /* latencies */
    /* percentage of the real-time packets that were dropped */
    double drops;
} gms_qos_fig_6_value_t;

typedef gms_qos_fig_6_value_t gms_qos_fig_6_table_t[GMS_QOS_ON_OFF_SCHEMES]
                                                   [GMS_QOS_FIG_6_LOADS];

static void gms_qos_fig_6_class(gms_lab_t *lab, const char *scheme,
                                const char *setting, unsigned traffic_class,
                                const gms_qos_sim_class_t *of)
{
    char quantity[GMS_LAB_NAME_LEN];

    (void)snprintf(quantity, sizeof(quantity), "%s latency",
                   gms_qos_fig_6_classes[traffic_class]);
    if (of->packets > 0) {
        gms_lab_row(lab, scheme, setting, quantity, gms_qos_latency_us(of),
                    "us");
    }
    (void)snprintf(quantity, sizeof(quantity), "%s delivered",
                   gms_qos_fig_6_classes[traffic_class]);
    gms_lab_row(lab, scheme, setting, quantity,
                100 * of->throughput.mean / of->offered.mean, "percent");
}

static void gms_qos_fig_6_report(gms_lab_t *lab, const char *scheme,
                                 double load,
                                 const gms_qos_sim_result_t *result,
                                 gms_qos_fig_6_value_t *value)
{
    const gms_qos_sim_class_t *of = result->by_class;
    char setting[GMS_LAB_NAME_LEN];
    unsigned traffic_class;

    gms_qos_setting(load, setting);
    for (traffic_class = 0; traffic_class < GMS_LANE_CLASSES; ++traffic_class) {
        gms_qos_fig_6_class(lab, scheme, setting, traffic_class,
                            &of[traffic_class]);
    }
    value->real_time_us = gms_qos_latency_us(&of[GMS_LANE_REAL_TIME]);
    value->control_us = gms_qos_latency_us(&of[GMS_LANE_CONTROL]);
    value->best_us = gms_qos_latency_us(&of[GMS_LANE_BEST_EFFORT]);
    value->drops = 100 * of[GMS_LANE_REAL_TIME].drop_rate.mean;
    gms_lab_row(lab, scheme, setting, "real-time packets dropped", value->drops,
                "percent");
    gms_lab_point(lab, scheme, 100 * load, value->real_time_us, NULL);
}

static gms_status_t gms_qos_fig_6_one(gms_lab_t *lab, unsigned scheme,
                                      unsigned which,
                                      gms_qos_fig_6_value_t *value)
{
    const gms_qos_on_off_t *on_off = &gms_qos_on_off_schemes[scheme];
    double load = gms_qos_fig_6_loads[which];
    gms_qos_sim_options_t options;
    gms_qos_sim_result_t *result;
    gms_status_t status;

    gms_qos_on_off_init(&options, on_off, load);
    status = gms_qos_run(lab, &options, &result);
    if (status == GMS_OK) {
        gms_qos_fig_6_report(lab, on_off->name, load, result, value);
        gms_qos_sim_result_destroy(result);
    }
    return status;
}

/* Check the claim "the performance is the best with both admission and
 * congestion control, followed by only admission control, and then congestion
 * control only at low load". */
static void gms_qos_fig_6_check_low(gms_lab_t *lab, gms_qos_fig_6_table_t table)
{
    const gms_qos_fig_6_value_t *both = &table[GMS_QOS_ON_OFF_BOTH][0];
    const gms_qos_fig_6_value_t *a = &table[GMS_QOS_ON_OFF_ADMISSION][0];
    const gms_qos_fig_6_value_t *c = &table[GMS_QOS_ON_OFF_CONGESTION][0];

    gms_lab_check(
        lab, "(A, C) / (A, no C)", "load=40%", "ratio of real-time latencies",
        both->real_time_us / a->real_time_us, "1", GMS_ROW_AT_MOST, 1.05, 0);
    gms_lab_check(lab, "(no A, C) / (A, no C)", "load=40%",
                  "ratio of real-time latencies",
                  c->real_time_us / a->real_time_us, "1", GMS_ROW_AT_LEAST, 2,
                  0);
}

/* Check two claims. At high load, "the performance of the network with only
 * congestion control becomes better than that of the network with only
 * admission control". "The results are the worst without any of these control
 * mechanisms." */
static void gms_qos_fig_6_check_high(gms_lab_t *lab,
                                     gms_qos_fig_6_table_t table)
{
    const unsigned last = GMS_QOS_FIG_6_LOADS - 1;
    const gms_qos_fig_6_value_t *both = &table[GMS_QOS_ON_OFF_BOTH][last];
    const gms_qos_fig_6_value_t *a = &table[GMS_QOS_ON_OFF_ADMISSION][last];
    const gms_qos_fig_6_value_t *c = &table[GMS_QOS_ON_OFF_CONGESTION][last];
    const gms_qos_fig_6_value_t *none = &table[GMS_QOS_ON_OFF_NONE][last];

    gms_lab_check(lab, "(no A, C) / (A, no C)", "load=70%",
                  "ratio of real-time latencies",
                  c->real_time_us / a->real_time_us, "1", GMS_ROW_AT_MOST, 1,
                  0);
    gms_lab_check(lab, "(no A, C) / (A, no C)", "load=70%",
                  "ratio of control latencies", c->control_us / a->control_us,
                  "1", GMS_ROW_AT_MOST, 1, 0);
    gms_lab_check(lab, "(no A, C) / (A, no C)", "load=70%",
                  "ratio of best-effort latencies", c->best_us / a->best_us,
                  "1", GMS_ROW_AT_MOST, 1, 0);
    gms_lab_check(
        lab, "(no A, no C) / highest of the others", "load=70%",
        "ratio of real-time latencies",
        none->real_time_us /
            fmax(both->real_time_us, fmax(a->real_time_us, c->real_time_us)),
        "1", GMS_ROW_AT_LEAST, 1, 0);
    gms_lab_check(lab, "(no A, no C) minus highest of the others", "load=70%",
                  "share of real-time packets dropped",
                  none->drops - fmax(both->drops, fmax(a->drops, c->drops)),
                  "percent", GMS_ROW_AT_LEAST, 0, 0);
}

static gms_status_t gms_qos_fig_6_seed(gms_lab_t *lab)
{
    gms_qos_fig_6_table_t table;
    unsigned scheme, which;

    gms_qos_on_off_notes(lab);
    for (scheme = 0; scheme < GMS_QOS_ON_OFF_SCHEMES; ++scheme) {
        for (which = 0; which < GMS_QOS_FIG_6_LOADS; ++which) {
            gms_status_t status =
                gms_qos_fig_6_one(lab, scheme, which, &table[scheme][which]);

            if (status != GMS_OK) {
                return status;
            }
            gms_lab_progress(lab,
                             (scheme + (which + 1.0) / GMS_QOS_FIG_6_LOADS) /
                                 GMS_QOS_ON_OFF_SCHEMES);
        }
    }
    gms_qos_fig_6_check_low(lab, table);
    gms_qos_fig_6_check_high(lab, table);
    return GMS_OK;
}

static gms_status_t gms_qos_fig_6_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_fig_6_seed);
}

static const gms_figure_t gms_qos_fig_6_figure = {
    .x_label = "Load (%)",
    .y_label = "Mean latency of delivered real-time packets (us)",
    .x_min = 35,
    .x_max = 75,
    .is_log_y = 1,
};

const gms_experiment_t gms_qos_fig_6 = {
    .name = "qos-fig-6",
    .title = "Admission and congestion control on a mesh with ON/OFF traffic",
    .source = "Yum et al., figure 6",
    .text =
        "Latencies are measured from the time at which a message is posted to "
        "the HCA. Without admission, some links receive more real-time traffic "
        "than they can carry, even at 40 % load. Congestion control limits "
        "best effort, which has the lowest priority, and has little effect on "
        "real-time traffic.",
    .run = gms_qos_fig_6_run,
    .basis = GMS_BASIS_PREDICTED,
    .figure = &gms_qos_fig_6_figure,
};
