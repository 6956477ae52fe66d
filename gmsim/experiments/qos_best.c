/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common part of qos_3.c, qos_fig_4.c and qos_fig_7.c: runs the 4 x 4 mesh
 * under one congestion control and reports latency, queueing delay and
 * throughput.
 */
#include "experiments/qos_best.h"

#define GMS_QOS_BEST_SIDE 4u

/* Cycles of 80 ns: 1 ms and 13 ms. */
#define GMS_QOS_BEST_WARM_UP 12500u
#define GMS_QOS_BEST_CYCLES  162500u

const double gms_qos_best_loads[GMS_QOS_BEST_LOADS] = {0.4, 0.5, 0.6,
                                                       0.7, 0.8, 0.9};

const gms_qos_best_t gms_qos_best_schemes[GMS_QOS_BEST_SCHEMES] = {
    {"no congestion control", GMS_CONGESTION_NONE, 1},
    {"credit 200", GMS_CONGESTION_CREDIT, 200},
    {"credit 300", GMS_CONGESTION_CREDIT, 300},
    {"credit 400", GMS_CONGESTION_CREDIT, 400},
    {"credit 600", GMS_CONGESTION_CREDIT, 600},
    {"self-tuned", GMS_CONGESTION_SELF_TUNED, 1},
    {"ALO", GMS_CONGESTION_ALO, 1},
};

gms_status_t gms_qos_best_run(gms_lab_t *lab, const gms_qos_best_t *scheme,
                              double load, unsigned replications,
                              int measures_power,
                              gms_qos_sim_result_t **result_p)
{
    gms_qos_sim_options_t options;

    gms_qos_sim_options_init(&options);
    options.topology = GMS_TOPOLOGY_MESH;
    options.rows = GMS_QOS_BEST_SIDE;
    options.columns = GMS_QOS_BEST_SIDE;
    options.load = load;
    options.real_time_part = 0;
    options.control_per_second = 0;
    gms_lane_plan_init(&options.flit.plan, options.flit.lanes, 0, 1,
                       GMS_LANE_ROUND_ROBIN, 1);
    /* [source: Yum et al., section 6.2: lanes 'using a uniform distribution of
     * the available VLs'] */
    options.flit.lane_choice = GMS_FLIT_LANES_DRAWN;
    options.congestion.policy = scheme->policy;
    options.congestion.credits_best = scheme->credits;
    options.measures_power = measures_power;
    options.start_cycles = 0;
    options.warm_up_cycles = GMS_QOS_BEST_WARM_UP;
    options.run_cycles = GMS_QOS_BEST_CYCLES;
    options.replications = replications;
    return gms_qos_run(lab, &options, result_p);
}

double gms_qos_best_report(gms_lab_t *lab, const gms_qos_best_t *scheme,
                           double load, const gms_qos_sim_class_t *best)
{
    double latency_us = best->queueing_us.mean + best->network_us.mean;
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
    gms_lab_note(lab,
                 "4 x 4 mesh, best effort only, uniform targets; all 15 data "
                 "lanes, drawn at random; HCAs hold M = 1000 messages.");
    gms_lab_note(lab,
                 "Runs of 14 ms from an empty network; the first millisecond "
                 "is not counted. Above saturation no delay converges: queues "
                 "grow with time. The printed delays match a run of about "
                 "14 ms: 7 ms x (1 - 0.77 / 0.9) = 1010 us.");
}
