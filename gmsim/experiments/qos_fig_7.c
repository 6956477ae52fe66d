/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 7 of Yum et al.: latency, throughput and power of credit-based
 * congestion control with one completion queue, one per destination, or one per
 * quadrant of the mesh.
 */
#include <stdio.h>

#include "experiments/qos.h"
#include "experiments/qos_best.h"

/* The global CQ has 200 credits, the number with the best results in figure 4.
 * Each of the other configurations runs twice: with 200 credits, and with a
 * number of credits that was fitted to this figure. */
enum {
    GMS_QOS_FIG_7_GLOBAL = 0,
    GMS_QOS_FIG_7_SEPARATE_200,
    GMS_QOS_FIG_7_QUAD_200,
    GMS_QOS_FIG_7_SEPARATE,
    GMS_QOS_FIG_7_QUAD,
    GMS_QOS_FIG_7_SCHEMES
};

static const gms_qos_best_t gms_qos_fig_7_schemes[GMS_QOS_FIG_7_SCHEMES] = {
    {"global CQ", GMS_CONGESTION_CREDIT, 0},
    {"separate CQ, 200 credits", GMS_CONGESTION_SEPARATE_CQ, 200},
    {"quad CQ, 200 credits", GMS_CONGESTION_QUAD_CQ, 200},
    {"separate CQ", GMS_CONGESTION_SEPARATE_CQ, 0},
    {"quad CQ", GMS_CONGESTION_QUAD_CQ, 0},
};

/* Values at the highest load. */
typedef struct gms_qos_fig_7 {
    double latency, queueing, throughput, power;
} gms_qos_fig_7_t;

static gms_status_t gms_qos_fig_7_point(gms_lab_t *lab,
                                        const gms_qos_best_t *what, double load,
                                        gms_qos_fig_7_t *found)
{
    char setting[GMS_LAB_NAME_LEN];
    const gms_qos_sim_class_t *best;
    gms_qos_sim_result_t *result;
    gms_status_t status = gms_qos_best_run(lab, what, load, 1, &result);

    if (status != GMS_OK) {
        return status;
    }
    best = &result->by_class[GMS_LANE_BEST_EFFORT];
    found->queueing = best->queueing_us.mean;
    found->latency = gms_qos_best_report(lab, what, load, best);
    found->throughput = best->throughput.mean;
    found->power = result->power_w.mean;
    gms_lab_row(lab, what->name, gms_qos_setting(load, setting), "power",
                found->power, "W");
    gms_qos_sim_result_destroy(result);
    return GMS_OK;
}

/* Check the claim "Average packet latency in the multiple CQ configuration is
 * reduced by 2.5 times over the global CQ configuration". The latency must be
 * at most half of the latency with the global CQ, without loss of
 * throughput. */
static void gms_qos_fig_7_ratio(gms_lab_t *lab, const gms_qos_fig_7_t *found,
                                unsigned scheme)
{
    const gms_qos_fig_7_t *global = &found[GMS_QOS_FIG_7_GLOBAL];
    const char *name = gms_qos_fig_7_schemes[scheme].name;

    gms_lab_check(
        lab, name, "load=90%", "ratio of latency to that of the global CQ",
        found[scheme].latency / global->latency, "1", GMS_ROW_AT_MOST, 0.5, 0);
    gms_lab_row(lab, name, "load=90%",
                "ratio of queueing delay to that of the global CQ",
                found[scheme].queueing / global->queueing, "1");
    gms_lab_check(lab, name, "load=90%",
                  "ratio of throughput to that of the global CQ",
                  found[scheme].throughput / global->throughput, "1",
                  GMS_ROW_AT_LEAST, 1, 0);
}

static void gms_qos_fig_7_pair(gms_lab_t *lab, const gms_qos_fig_7_t *found,
                               unsigned quad, unsigned separate)
{
    const char *name = gms_qos_fig_7_schemes[quad].name;

    gms_qos_fig_7_ratio(lab, found, separate);
    gms_qos_fig_7_ratio(lab, found, quad);
    gms_lab_check(lab, name, "load=90%",
                  "ratio of latency to that of separate CQs",
                  found[quad].latency / found[separate].latency, "1",
                  GMS_ROW_AT_MOST, 1, 0);
    gms_lab_check(
        lab, name, "load=90%", "ratio of power to that of separate CQs",
        found[quad].power / found[separate].power, "1", GMS_ROW_WITHIN, 1, 10);
}

static gms_status_t gms_qos_fig_7_seed(gms_lab_t *lab)
{
    gms_qos_fig_7_t found[GMS_QOS_FIG_7_SCHEMES];
    unsigned scheme, load, done = 0;

    gms_qos_best_notes(lab);
    gms_lab_note(
        lab,
        "The paper does not state the numbers of credits for separate CQs and "
        "quad CQ. The rows with 200 credits are predictions. In the other "
        "rows, the number of credits was fitted to the printed factor of 2.5.");
    for (scheme = 0; scheme < GMS_QOS_FIG_7_SCHEMES; ++scheme) {
        gms_lab_set_basis(lab, scheme >= GMS_QOS_FIG_7_SEPARATE
                                   ? GMS_BASIS_FITTED
                                   : GMS_BASIS_PREDICTED);
        for (load = 2; load < GMS_QOS_BEST_LOADS; ++load) {
            gms_status_t status =
                gms_qos_fig_7_point(lab, &gms_qos_fig_7_schemes[scheme],
                                    gms_qos_best_loads[load], &found[scheme]);

            if (status != GMS_OK) {
                return status;
            }
            gms_lab_progress(lab, (double)++done / (GMS_QOS_BEST_LOADS - 2) /
                                      GMS_QOS_FIG_7_SCHEMES);
        }
    }
    gms_lab_set_basis(lab, GMS_BASIS_PREDICTED);
    gms_qos_fig_7_pair(lab, found, GMS_QOS_FIG_7_QUAD_200,
                       GMS_QOS_FIG_7_SEPARATE_200);
    gms_lab_set_basis(lab, GMS_BASIS_FITTED);
    gms_qos_fig_7_pair(lab, found, GMS_QOS_FIG_7_QUAD, GMS_QOS_FIG_7_SEPARATE);
    return GMS_OK;
}

static gms_status_t gms_qos_fig_7_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_fig_7_seed);
}

static const gms_figure_t gms_qos_fig_7_figure = {
    .x_label = "Load (% of a node's link)",
    .y_label = "Latency from the post (us)",
    .x_min = 40,
    .x_max = 90,
    .y_min = 10,
    .y_max = 1000,
    .style = GMS_FIGURE_LINES,
    .is_log_y = 1,
};

const gms_experiment_t gms_qos_fig_7 = {
    .name = "qos-fig-7",
    .title = "Completion queues: one for all messages, one for each "
             "destination, or one for each quadrant",
    .source = "Yum et al., figure 7",
    .text = "The latency is measured from the time at which a message is "
            "posted to the HCA. The power is computed from the energies of "
            "table 1 with links of 1.6 Gb/s. With separate queues, messages to "
            "destinations that are easy to reach do not wait behind other "
            "messages. Therefore, the throughput is the same with fewer "
            "credits, and the queues are shorter. If each configuration has "
            "200 credits, all separate queues are full above saturation, and "
            "their latency equals that of a single queue. One queue per "
            "quadrant still reduces the latency. A corner of the mesh has no "
            "destinations in some quadrants, and the credits of these "
            "quadrants are not used. The printed factor of 2.5 requires 64 "
            "credits for separate CQs and 100 for quad CQ.",
    .run = gms_qos_fig_7_run,
    .figure = &gms_qos_fig_7_figure,
    .basis = GMS_BASIS_PREDICTED,
};
