/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 8 of Yum et al.: network latency and throughput of every class under
 * the peak power limit of 21 W. The schemes are congestion control alone (CC),
 * power credits (PC) and PowerHerd (PH). The checks compare confidence
 * intervals of PC and PH at the loads at which the limit takes effect.
 */
#include "experiments/qos.h"
#include "experiments/qos_power.h"
#include "experiments/qos_run.h"

#include <stdio.h>

/* Lowest load at which the power without control would exceed the limit, so the
 * limit takes effect. */
#define GMS_QOS_FIG_8_BINDS 0.5

static const double gms_qos_fig_8_loads[] = {0.3, 0.5, 0.6, 0.7};
#define GMS_QOS_FIG_8_LOADS                                                    \
    (sizeof(gms_qos_fig_8_loads) / sizeof(gms_qos_fig_8_loads[0]))

static const char *const gms_qos_fig_8_classes[GMS_LANE_CLASSES] = {
    "control", "real time", "best effort"};

static gms_status_t
gms_qos_fig_8_measure(gms_lab_t *lab, double load,
                      gms_qos_sim_result_t *results[GMS_QOS_POWER_SCHEMES])
{
    unsigned scheme;

    for (scheme = GMS_QOS_POWER_CC; scheme < GMS_QOS_POWER_SCHEMES; ++scheme) {
        gms_qos_sim_options_t options;
        gms_status_t status;

        gms_qos_power_options(&options, GMS_QOS_POWER_MIXED, scheme, load);
        status = gms_qos_run(lab, &options, &results[scheme]);
        if (status != GMS_OK) {
            return status;
        }
    }
    return GMS_OK;
}

/* Return 1 if the figure shows the scheme for the class. The figure omits the
 * values without control, because they are similar to those of CC. */
static int gms_qos_fig_8_is_drawn(unsigned traffic_class, unsigned scheme)
{
    return scheme >= GMS_QOS_POWER_PC ||
           (scheme == GMS_QOS_POWER_CC &&
            traffic_class == GMS_LANE_BEST_EFFORT);
}

static void gms_qos_fig_8_rows(gms_lab_t *lab, const char *setting, double load,
                               unsigned scheme,
                               const gms_qos_sim_result_t *result)
{
    const char *name = gms_qos_power_schemes[scheme];
    char quantity[GMS_LAB_NAME_LEN], curve[GMS_LAB_NAME_LEN];
    unsigned traffic_class;

    for (traffic_class = GMS_LANE_REAL_TIME; traffic_class < GMS_LANE_CLASSES;
         ++traffic_class) {
        const gms_qos_sim_class_t *got = &result->by_class[traffic_class];
        const char *of = gms_qos_fig_8_classes[traffic_class];

        (void)snprintf(quantity, sizeof(quantity), "network latency, %s", of);
        gms_lab_row(lab, name, setting, quantity, got->network_us.mean, "us");
        (void)snprintf(quantity, sizeof(quantity), "latency, %s", of);
        gms_lab_row(lab, name, setting, quantity, gms_qos_latency_us(got),
                    "us");
        (void)snprintf(quantity, sizeof(quantity), "throughput, %s", of);
        gms_lab_row(lab, name, setting, quantity, got->throughput.mean, "1");
        (void)snprintf(curve, sizeof(curve), "%s, %s", name, of);
        if (gms_qos_fig_8_is_drawn(traffic_class, scheme)) {
            gms_lab_point(lab, curve, 100 * load, gms_qos_latency_us(got),
                          NULL);
        }
    }
    gms_lab_row(lab, name, setting, "real-time packets dropped",
                100 * result->by_class[GMS_LANE_REAL_TIME].drop_rate.mean,
                "percent");
    gms_lab_row(lab, name, setting, "connections rejected",
                100 * result->rejection_rate.mean, "percent");
}

/* Check the claim "Our scheme (PC) shows the best performance for both
 * best-effort and real-time traffic", compared with PowerHerd. The check uses
 * the loads at which the limit takes effect. */
static void
gms_qos_fig_8_checks(gms_lab_t *lab, const char *setting, double load,
                     gms_qos_sim_result_t *const results[GMS_QOS_POWER_SCHEMES])
{
    const gms_qos_sim_class_t *pc = results[GMS_QOS_POWER_PC]->by_class;
    const gms_qos_sim_class_t *ph = results[GMS_QOS_POWER_PH]->by_class;
    char quantity[GMS_LAB_NAME_LEN];
    unsigned i;

    for (i = GMS_LANE_REAL_TIME;
         i < GMS_LANE_CLASSES && load >= GMS_QOS_FIG_8_BINDS; ++i) {
        (void)snprintf(quantity, sizeof(quantity), "latency, %s",
                       gms_qos_fig_8_classes[i]);
        gms_lab_check(lab, "PC / PH", setting, quantity,
                      gms_qos_latency_us(&pc[i]) / gms_qos_latency_us(&ph[i]),
                      "1", GMS_ROW_AT_MOST, 1, 0);
        (void)snprintf(quantity, sizeof(quantity), "network latency, %s",
                       gms_qos_fig_8_classes[i]);
        gms_lab_check(lab, "PC / PH", setting, quantity,
                      pc[i].network_us.mean / ph[i].network_us.mean, "1",
                      GMS_ROW_AT_MOST, 1, 0);
    }
    if (load >= GMS_QOS_FIG_8_BINDS) {
        gms_lab_check(lab, "PC / PH", setting, "throughput, best effort",
                      pc[GMS_LANE_BEST_EFFORT].throughput.mean /
                          ph[GMS_LANE_BEST_EFFORT].throughput.mean,
                      "1", GMS_ROW_AT_LEAST, 1, 0);
    }
}

static gms_status_t gms_qos_fig_8_seed(gms_lab_t *lab)
{
    unsigned i, scheme;

    gms_qos_power_notes(lab);
    gms_lab_note(lab,
                 "The latency is measured from the time at which a message is "
                 "posted. Under PC, the latency includes the wait for power "
                 "credits in the HCA. The network latency is measured from the "
                 "time at which the message's head enters the network.");
    gms_lab_note(lab, "The checks begin at 50 %% load, because the limit takes "
                      "effect at this load.");
    for (i = 0; i < GMS_QOS_FIG_8_LOADS; ++i) {
        gms_qos_sim_result_t *results[GMS_QOS_POWER_SCHEMES] = {NULL};
        double load = gms_qos_fig_8_loads[i];
        char setting[GMS_LAB_NAME_LEN];
        gms_status_t status = gms_qos_fig_8_measure(lab, load, results);

        gms_qos_setting(load, setting);
        for (scheme = GMS_QOS_POWER_CC;
             status == GMS_OK && scheme < GMS_QOS_POWER_SCHEMES; ++scheme) {
            gms_qos_fig_8_rows(lab, setting, load, scheme, results[scheme]);
        }
        if (status == GMS_OK) {
            gms_qos_fig_8_checks(lab, setting, load, results);
        }
        for (scheme = GMS_QOS_POWER_CC; scheme < GMS_QOS_POWER_SCHEMES;
             ++scheme) {
            gms_qos_sim_result_destroy(results[scheme]);
        }
        if (status != GMS_OK) {
            return status;
        }
        gms_lab_progress(lab, (i + 1.0) / GMS_QOS_FIG_8_LOADS);
    }
    return GMS_OK;
}

static gms_status_t gms_qos_fig_8_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_fig_8_seed);
}

static const gms_figure_t gms_qos_fig_8_figure = {
    .x_label = "load, % of each node's link",
    .y_label = "latency from the post, us",
    .is_log_y = 1,
};

const gms_experiment_t gms_qos_fig_8 = {
    .name = "qos-fig-8",
    .title = "Latency under peak power control",
    .source = "Yum et al., figure 8",
    .text =
        "The figure shows mixed traffic with a power limit of 21 W. PowerHerd "
        "delays packets inside the network, where each packet occupies lanes "
        "and buffers. Power credits delay packets before they enter the "
        "network, where they do not block other packets. With power credits, "
        "packets inside the network are faster than without any control, but "
        "the throughput is lower. Above 35 % load, both schemes carry less "
        "traffic than is offered, and PC rejects connections.",
    .run = gms_qos_fig_8_run,
    .basis = GMS_BASIS_PREDICTED,
    .figure = &gms_qos_fig_8_figure,
};
