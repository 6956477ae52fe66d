/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 6 of Yum et al.: latency of every traffic class and dropped real-time
 * packets in a 5 x 5 mesh with ON/OFF traffic. The runs are with and without
 * admission (A) and congestion control (C).
 */
#include "experiments/qos.h"
#include "experiments/qos_on_off.h"

#include <stdio.h>

#define GMS_QOS_FIG_6_LOADS        4u
#define GMS_QOS_FIG_6_REPLICATIONS 2u
#define GMS_QOS_FIG_6_CYCLES       UINT64_C(200000)

/** At the highest load, an HCA without congestion control needs about 10^6
 *  cycles, 80 ms, to fill. At lower loads, queues that converge do so in a
 *  tenth of that time. */
static const struct {
    double load;
    uint64_t warm_up_cycles;
} gms_qos_fig_6_loads[GMS_QOS_FIG_6_LOADS] = {
    {0.4, 200000}, {0.5, 200000}, {0.6, 200000}, {0.7, 1000000}};

static const char *const gms_qos_fig_6_classes[GMS_LANE_CLASSES] = {
    [GMS_LANE_CONTROL] = "control",
    [GMS_LANE_REAL_TIME] = "real-time",
    [GMS_LANE_BEST_EFFORT] = "best-effort",
};

/** Values for the conclusions. */
typedef struct gms_qos_fig_6_value {
    double control_us, real_time_us; /* latencies */
    /* dropped part of the real-time packets, percent */
    double drops;
} gms_qos_fig_6_value_t;

typedef gms_qos_fig_6_value_t gms_qos_fig_6_table_t[GMS_QOS_ON_OFF_SCHEMES]
                                                   [GMS_QOS_FIG_6_LOADS];

/** Return the latency of a class. For best effort the latency begins with the
 *  post; an earlier wait for a credit counts for the consumer. Real-time
 *  packets never wait before the post, and control packets wait only if an HCA
 *  is full. The latencies of both classes begin with the creation of a
 *  packet. */
static double gms_qos_fig_6_latency(unsigned traffic_class,
                                    const gms_qos_sim_class_t *of)
{
    return (traffic_class == GMS_LANE_BEST_EFFORT)
               ? of->queueing_us.mean + of->network_us.mean
               : of->latency_us.mean;
}

static void gms_qos_fig_6_class(gms_lab_t *lab, const char *scheme,
                                const char *setting, unsigned traffic_class,
                                const gms_qos_sim_class_t *of)
{
    char quantity[GMS_LAB_NAME_LEN];

    (void)snprintf(quantity, sizeof(quantity), "%s latency",
                   gms_qos_fig_6_classes[traffic_class]);
    if (of->packets > 0) {
        gms_lab_estimate(
            lab, scheme, setting, quantity,
            gms_qos_fig_6_latency(traffic_class, of), "us",
            gms_qos_on_off_error(&of->latency_us, GMS_QOS_FIG_6_REPLICATIONS));
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
    value->control_us = of[GMS_LANE_CONTROL].latency_us.mean;
    value->real_time_us = of[GMS_LANE_REAL_TIME].latency_us.mean;
    value->drops = 100 * of[GMS_LANE_REAL_TIME].drop_rate.mean;
    gms_lab_row(lab, scheme, setting, "real-time dropped", value->drops,
                "percent");
    gms_lab_point(lab, scheme, 100 * load, value->real_time_us, NULL);
}

static gms_status_t gms_qos_fig_6_one(gms_lab_t *lab, unsigned scheme,
                                      unsigned which,
                                      gms_qos_fig_6_value_t *value)
{
    const gms_qos_on_off_t *on_off = &gms_qos_on_off_schemes[scheme];
    double load = gms_qos_fig_6_loads[which].load;
    gms_qos_sim_options_t options;
    gms_qos_sim_result_t *result;
    gms_status_t status;

    gms_qos_on_off_init(&options, on_off, load);
    options.warm_up_cycles = gms_qos_fig_6_loads[which].warm_up_cycles;
    options.run_cycles = GMS_QOS_FIG_6_CYCLES;
    options.replications = GMS_QOS_FIG_6_REPLICATIONS;
    status = gms_qos_run(lab, &options, &result);
    if (status == GMS_OK) {
        gms_qos_fig_6_report(lab, on_off->name, load, result, value);
        gms_qos_sim_result_destroy(result);
    }
    return status;
}

/* Check low loads. Where both controls are in force, adding one of them
 * changes little. Admission alone prevents overloaded links of real time,
 * which congestion control alone cannot. */
static void gms_qos_fig_6_check_low(gms_lab_t *lab, gms_qos_fig_6_table_t table)
{
    const gms_qos_fig_6_value_t *both = &table[GMS_QOS_ON_OFF_BOTH][0];
    const gms_qos_fig_6_value_t *a = &table[GMS_QOS_ON_OFF_ADMISSION][0];
    const gms_qos_fig_6_value_t *c = &table[GMS_QOS_ON_OFF_CONGESTION][0];

    gms_lab_check(
        lab, "A, C to A, no C", "load=40%", "ratio of real-time latencies",
        both->real_time_us / a->real_time_us, "1", GMS_ROW_AT_MOST, 1.05, 0);
    gms_lab_check(
        lab, "no A, C to A, no C", "load=40%", "ratio of real-time latencies",
        c->real_time_us / a->real_time_us, "1", GMS_ROW_AT_LEAST, 2, 0);
}

/* Check high loads. HCAs full of best effort drop real time and delay
 * control, independent of the number of admitted connections. */
static void gms_qos_fig_6_check_high(gms_lab_t *lab,
                                     gms_qos_fig_6_table_t table)
{
    const unsigned last = GMS_QOS_FIG_6_LOADS - 1;
    const gms_qos_fig_6_value_t *both = &table[GMS_QOS_ON_OFF_BOTH][last];
    const gms_qos_fig_6_value_t *a = &table[GMS_QOS_ON_OFF_ADMISSION][last];
    const gms_qos_fig_6_value_t *c = &table[GMS_QOS_ON_OFF_CONGESTION][last];
    const gms_qos_fig_6_value_t *none = &table[GMS_QOS_ON_OFF_NONE][last];

    gms_lab_check(lab, "A, no C to no A, C", "load=70%",
                  "ratio of control latencies", a->control_us / c->control_us,
                  "1", GMS_ROW_AT_LEAST, 1.5, 0);
    gms_lab_check(lab, "A, no C less no A, C", "load=70%", "real-time dropped",
                  a->drops - c->drops, "percent", GMS_ROW_AT_LEAST, 0, 0);
    gms_lab_check(lab, "no A, no C less A, no C", "load=70%",
                  "real-time dropped", none->drops - a->drops, "percent",
                  GMS_ROW_AT_LEAST, 0, 0);
    gms_lab_check(lab, "A, C", "load=70%", "real-time dropped of all",
                  both->drops, "percent", GMS_ROW_AT_MOST, 1, 0);
    gms_lab_check(
        lab, "no A, C to A, no C", "load=70%", "ratio of real-time latencies",
        c->real_time_us / a->real_time_us, "1", GMS_ROW_AT_MOST, 1, 0);
}

static gms_status_t gms_qos_fig_6_run(gms_lab_t *lab)
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

static const gms_figure_t gms_qos_fig_6_figure = {
    .x_label = "Load (%)",
    .y_label = "Mean latency of real time that is delivered (us)",
    .x_min = 35,
    .x_max = 75,
    .is_log_y = 1,
};

const gms_experiment_t gms_qos_fig_6 = {
    .name = "qos-fig-6",
    .title = "Admission and congestion control on a mesh, ON/OFF traffic",
    .source = "Yum et al., figure 6",
    .text =
        "The latency of best effort begins with the post to the HCA, the other "
        "latencies with the creation of packets. Without admission, some links "
        "receive more real time than they can carry, from 40 % load on. At 70 "
        "%, best effort fills HCAs without congestion control; the HCAs then "
        "drop real time and delay control. By these measures congestion "
        "control alone is better than admission alone. The order of the "
        "latencies of delivered real-time packets does not change.",
    .run = gms_qos_fig_6_run,
    .figure = &gms_qos_fig_6_figure,
};
