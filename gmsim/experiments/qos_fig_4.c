/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 4 of Yum et al.: latency and throughput of best-effort traffic in a 4
 * x 4 mesh versus load. The schemes are no control, credits, At-Least-One and
 * Self-Tuned. The experiment checks each of the paper's conclusions about the
 * order of the schemes.
 */
#include <math.h>
#include <stdio.h>

#include "experiments/qos.h"
#include "experiments/qos_best.h"

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
    gms_status_t status = gms_qos_best_run(lab, what, at, 0, &result);

    if (status != GMS_OK) {
        return status;
    }
    best = &result->by_class[GMS_LANE_BEST_EFFORT];
    found->latency[scheme][load] = gms_qos_best_report(lab, what, at, best);
    found->throughput[scheme][load] = best->throughput.mean;
    gms_qos_sim_result_destroy(result);
    return GMS_OK;
}

/* Return the largest or smallest ratio of a scheme's value to that of another
 * scheme, over all loads. */
static double gms_qos_fig_4_ratio(const double value[][GMS_QOS_BEST_LOADS],
                                  unsigned scheme, unsigned other,
                                  int is_greatest)
{
    double worst = value[scheme][0] / value[other][0];
    unsigned i;

    for (i = 1; i < GMS_QOS_BEST_LOADS; ++i) {
        double ratio = value[scheme][i] / value[other][i];

        worst = is_greatest ? fmax(worst, ratio) : fmin(worst, ratio);
    }
    return worst;
}

/* Check the claim "the credit-based congestion control scheme is capable of
 * providing lower latency and better throughput .. for the entire load". */
static void gms_qos_fig_4_credits(gms_lab_t *lab, const gms_qos_fig_4_t *found,
                                  unsigned other)
{
    const char *name = gms_qos_best_schemes[other].name;

    gms_lab_check(
        lab, name, "each load",
        "smallest ratio of latency to the latency with 200 credits",
        gms_qos_fig_4_ratio(found->latency, other, GMS_QOS_BEST_200, 0), "1",
        GMS_ROW_AT_LEAST, 1, 0);
    gms_lab_check(
        lab, name, "each load",
        "greatest ratio of throughput to the throughput with 200 credits",
        gms_qos_fig_4_ratio(found->throughput, other, GMS_QOS_BEST_200, 1), "1",
        GMS_ROW_AT_MOST, 1, 0);
}

/* Check the claim "The network without any congestion control exhibits the
 * lowest performance in terms of latency and throughput." At the highest load,
 * the check compares the network without control with the worst of the other
 * schemes. */
static void gms_qos_fig_4_none(gms_lab_t *lab, const gms_qos_fig_4_t *found)
{
    const unsigned last = GMS_QOS_BEST_LOADS - 1;
    double latency = 0, throughput = HUGE_VAL;
    unsigned i;

    for (i = 1; i < GMS_QOS_BEST_SCHEMES; ++i) {
        latency = fmax(latency, found->latency[i][last]);
        throughput = fmin(throughput, found->throughput[i][last]);
    }
    gms_lab_check(lab, "no congestion control", "load=90%",
                  "ratio of latency to the highest of the other schemes",
                  found->latency[GMS_QOS_BEST_NONE][last] / latency, "1",
                  GMS_ROW_AT_LEAST, 1, 0);
    gms_lab_check(lab, "no congestion control", "load=90%",
                  "ratio of throughput to the lowest of the other schemes",
                  found->throughput[GMS_QOS_BEST_NONE][last] / throughput, "1",
                  GMS_ROW_AT_MOST, 1, 0);
    gms_lab_check(lab, "credit 200", "load=90%",
                  "ratio of throughput to that without control",
                  found->throughput[GMS_QOS_BEST_200][last] /
                      found->throughput[GMS_QOS_BEST_NONE][last],
                  "1", GMS_ROW_AT_LEAST, 1, 0);
}

static void gms_qos_fig_4_conclude(gms_lab_t *lab, const gms_qos_fig_4_t *found)
{
    const unsigned last = GMS_QOS_BEST_LOADS - 1;
    double rise = HUGE_VAL;
    unsigned i;

    gms_qos_fig_4_none(lab, found);
    gms_qos_fig_4_credits(lab, found, GMS_QOS_BEST_ALO);
    gms_qos_fig_4_credits(lab, found, GMS_QOS_BEST_SELF_TUNED);
    /* check the claim that a "higher number of initial credits injects more
     * traffic into the network and thus increases delay". According to this
     * claim, 200 credits are the best choice */
    for (i = GMS_QOS_BEST_200; i < GMS_QOS_BEST_600; ++i) {
        rise =
            fmin(rise, found->latency[i + 1][last] / found->latency[i][last]);
    }
    gms_lab_check(lab, "credits 200 to 600", "load=90%",
                  "smallest ratio of latency to the latency with fewer credits",
                  rise, "1", GMS_ROW_AT_LEAST, 1, 0);
    /* check the claim that "the throughput drop is avoided" */
    gms_lab_check(lab, "no congestion control", "load=90%",
                  "ratio of throughput to that at 80 % load",
                  found->throughput[GMS_QOS_BEST_NONE][last] /
                      found->throughput[GMS_QOS_BEST_NONE][last - 1],
                  "1", GMS_ROW_AT_LEAST, 0.97, 0);
}

static gms_status_t gms_qos_fig_4_seed(gms_lab_t *lab)
{
    gms_qos_fig_4_t found;
    unsigned scheme, load, done = 0;

    gms_qos_best_notes(lab);
    for (scheme = 0; scheme < GMS_QOS_BEST_SCHEMES; ++scheme) {
        for (load = 0; load < GMS_QOS_BEST_LOADS; ++load) {
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

static gms_status_t gms_qos_fig_4_run(gms_lab_t *lab)
{
    return gms_qos_seeds(lab, gms_qos_fig_4_seed);
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
        "This figure and table 3 show results of the same runs. Credits limit "
        "the time that a message spends in the HCA. Credits do not change the "
        "throughput, because messages without a credit wait at their consumer. "
        "Credits do not change the time from the source to the target either. "
        "Even without control, the throughput does not drop above saturation, "
        "because full HCAs limit the traffic. In the paper, At-Least-One "
        "performs worst in table 3, but the network without control performs "
        "worst in this figure. In this simulation, At-Least-One performs worst "
        "in both the table and the figure.",
    .run = gms_qos_fig_4_run,
    .figure = &gms_qos_fig_4_figure,
    .basis = GMS_BASIS_PREDICTED,
};
