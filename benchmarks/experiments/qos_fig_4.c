/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "experiments/qos.h"
#include "experiments/qos_best.h"

#define GMS_QOS_FIG_4_REPLICATIONS 2u

typedef struct gms_qos_fig_4 {
    double latency[GMS_QOS_BEST_SCHEMES][GMS_QOS_BEST_LOADS];
    double throughput[GMS_QOS_BEST_SCHEMES][GMS_QOS_BEST_LOADS];
} gms_qos_fig_4_t;

static gms_status_t gms_qos_fig_4_point(gms_lab_t *lab, unsigned scheme,
                                        unsigned load, gms_qos_fig_4_t *found)
{
    const gms_qos_best_t *what = &gms_qos_best_schemes[scheme];
    double at = gms_qos_best_loads[load];
    const gms_qos_sim_class_t *best;
    gms_qos_sim_result_t *result;
    gms_status_t status =
        gms_qos_best_run(lab, what, at, GMS_QOS_FIG_4_REPLICATIONS, 0, &result);

    if (status != GMS_OK) {
        return status;
    }
    best = &result->by_class[GMS_LANE_BEST_EFFORT];
    found->latency[scheme][load] = gms_qos_best_report(lab, what, at, best);
    found->throughput[scheme][load] = best->throughput.mean;
    gms_qos_sim_result_destroy(result);
    return GMS_OK;
}

static void gms_qos_fig_4_conclude(gms_lab_t *lab, const gms_qos_fig_4_t *found)
{
    const unsigned last = GMS_QOS_BEST_LOADS - 1;
    unsigned i, lowest = 0;

    for (i = 1; i < GMS_QOS_BEST_SCHEMES; i++) {
        if (found->latency[i][last] < found->latency[lowest][last]) {
            lowest = i;
        }
    }
    gms_lab_check(lab, gms_qos_best_schemes[lowest].name, "load=90%",
                  "has the lowest latency; over credit 200's",
                  found->latency[lowest][last] /
                      found->latency[GMS_QOS_BEST_200][last],
                  "1", GMS_ROW_AT_LEAST, 1, 0);
    gms_lab_check(lab, "credit 200", "load=90%", "throughput over no control's",
                  found->throughput[GMS_QOS_BEST_200][last] /
                      found->throughput[GMS_QOS_BEST_NONE][last],
                  "1", GMS_ROW_WITHIN, 1, 2);
    /* 'the throughput drop is avoided', section 7.2 */
    gms_lab_check(lab, "no congestion control", "load=90%",
                  "throughput over that at 80 %",
                  found->throughput[GMS_QOS_BEST_NONE][last] /
                      found->throughput[GMS_QOS_BEST_NONE][last - 1],
                  "1", GMS_ROW_AT_LEAST, 0.97, 0);
    gms_lab_check(lab, "ALO", "load=90%", "throughput over credit 200's",
                  found->throughput[GMS_QOS_BEST_ALO][last] /
                      found->throughput[GMS_QOS_BEST_200][last],
                  "1", GMS_ROW_AT_MOST, 1, 0);
}

static gms_status_t gms_qos_fig_4_run(gms_lab_t *lab)
{
    gms_qos_fig_4_t found;
    unsigned scheme, load, done = 0;

    gms_qos_best_notes(lab);
    for (scheme = 0; scheme < GMS_QOS_BEST_SCHEMES; scheme++) {
        for (load = 0; load < GMS_QOS_BEST_LOADS; load++) {
            gms_status_t status =
                gms_qos_fig_4_point(lab, scheme, load, &found);

            if (status != GMS_OK) {
                return status;
            }
            gms_lab_progress(lab, (double)++done / (GMS_QOS_BEST_LOADS *
                                                    GMS_QOS_BEST_SCHEMES));
        }
    }
    gms_qos_fig_4_conclude(lab, &found);
    return GMS_OK;
}

static const gms_figure_t gms_qos_fig_4_figure = {
    .x_label = "Load (% of a node's link)",
    .y_label = "Latency from the post (us)",
    .x_min = 40,
    .x_max = 90,
    .y_min = 10,
    .y_max = 10000,
    .style = GMS_FIGURE_LINES,
    .is_log_y = 1,
};

const gms_experiment_t gms_qos_fig_4 = {
    .name = "qos-fig-4",
    .title = "Latency and throughput under congestion controls",
    .source = "Yum et al., figure 4",
    .text =
        "The runs of table 3. Credits bound how long a message is in the "
        "HCA; they carry as much as no control does, no more: what is not "
        "in the HCA waits at its consumer, and from the source to the "
        "target it takes as long. Throughput does not drop past saturation, "
        "since the HCA is full then: without any control, too. The paper "
        "has no control as the worst in this figure and At-Least-One as the "
        "worst in its table 3, which belongs to the same runs; here it is "
        "At-Least-One in both.",
    .run = gms_qos_fig_4_run,
    .figure = &gms_qos_fig_4_figure,
};
