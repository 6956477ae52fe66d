/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that qos_3.c, qos_fig_4.c and qos_fig_7.c share. This code
 * runs the 4 x 4 mesh with one method of congestion control, and reports
 * latency, queueing delay and throughput.
 */
#include "experiments/qos_best.h"

const double gms_qos_best_loads[GMS_QOS_BEST_LOADS] = {0.4, 0.5, 0.6,
                                                       0.7, 0.8, 0.9};

const gms_qos_best_t gms_qos_best_schemes[GMS_QOS_BEST_SCHEMES] = {
    {"no congestion control", GMS_CONGESTION_NONE, 0},
    {"credit 200", GMS_CONGESTION_CREDIT, 200},
    {"credit 300", GMS_CONGESTION_CREDIT, 300},
    {"credit 400", GMS_CONGESTION_CREDIT, 400},
    {"credit 600", GMS_CONGESTION_CREDIT, 600},
    {"self-tuned", GMS_CONGESTION_SELF_TUNED, 0},
    {"ALO", GMS_CONGESTION_ALO, 0},
};

void gms_qos_best_options(gms_qos_sim_options_t *options,
                          const gms_qos_best_t *scheme, double load)
{
    gms_qos_config(options, GMS_QOS_MESH_4, load, 0);
    gms_qos_config_control(options, 0, scheme->policy);
    if (scheme->credits > 0) {
        options->congestion.credits_best = scheme->credits;
    }
}

gms_status_t gms_qos_best_run(gms_lab_t *lab, const gms_qos_best_t *scheme,
                              double load, int measures_power,
                              gms_qos_sim_result_t **result_p)
{
    gms_qos_sim_options_t options;

    gms_qos_best_options(&options, scheme, load);
    options.measures_power = measures_power;
    return gms_qos_run(lab, &options, result_p);
}

double gms_qos_best_report(gms_lab_t *lab, const gms_qos_best_t *scheme,
                           double load, const gms_qos_sim_class_t *best)
{
    double latency_us = gms_qos_latency_us(best);
    char setting[GMS_LAB_NAME_LEN];

    (void)gms_qos_setting(load, setting);
    gms_lab_row(lab, scheme->name, setting, "latency from the post", latency_us,
                "us");
    gms_lab_row(lab, scheme->name, setting, "latency from the source",
                best->latency_us.mean, "us");
    gms_lab_row(lab, scheme->name, setting, "throughput", best->throughput.mean,
                "flits/node/cycle");
    gms_lab_point(lab, scheme->name, 100 * load, latency_us, NULL);
    return latency_us;
}

void gms_qos_best_notes(gms_lab_t *lab)
{
    gms_qos_sim_options_t options;

    gms_qos_best_options(&options, &gms_qos_best_schemes[0], 0.5);
    gms_lab_note(
        lab,
        "A 4 x 4 mesh carries only best-effort traffic with uniformly "
        "distributed destinations. Each packet uses one of the 15 data lanes, "
        "chosen at random. Each HCA can hold M = %u messages.",
        options.hca.buffer_messages);
    gms_lab_note(
        lab,
        "Runs begin with an empty network and last %.1f ms. The first %.1f ms "
        "are not counted. Above saturation, no delay converges, because queues "
        "grow with time. The length of the runs is calibrated to table 3 of "
        "the paper.",
        (double)(options.warm_up_cycles + options.run_cycles) *
            (double)options.cycle_ps * 1e-9,
        (double)options.warm_up_cycles * (double)options.cycle_ps * 1e-9);
}
