/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common part of qos_4.c and qos_fig_6.c: the four combinations of admission
 * and congestion control, and the options of the simulation for them.
 */
#include "experiments/qos_on_off.h"

#include "base/student.h"

const gms_qos_on_off_t gms_qos_on_off_schemes[GMS_QOS_ON_OFF_SCHEMES] = {
    {"A, C", 1, 1},
    {"A, no C", 1, 0},
    {"no A, C", 0, 1},
    {"no A, no C", 0, 0},
};

void gms_qos_on_off_init(gms_qos_sim_options_t *options,
                         const gms_qos_on_off_t *scheme, double load)
{
    gms_qos_sim_options_init(options);
    options->topology = GMS_TOPOLOGY_MESH;
    options->rows = 5;
    options->columns = 5;
    options->flit.lane_choice = GMS_FLIT_LANES_DRAWN;
    options->flit.agents = scheme->admission;
    options->load = load;
    options->real_time_part = 0.8;
    options->real_time = GMS_QOS_SIM_ON_OFF;
    options->connection_rate = 0.16;
    options->on_cycles = 500;
    options->off_cycles = 500;
    options->admission = scheme->admission;
    options->admission_capacity = 11.0 / 16;
    options->congestion.policy =
        scheme->congestion ? GMS_CONGESTION_CREDIT : GMS_CONGESTION_NONE;
    options->start_cycles = GMS_QOS_ON_OFF_START;
}

double gms_qos_on_off_error(const gms_qos_sim_estimate_t *estimate,
                            unsigned replications)
{
    return (replications > 1)
               ? estimate->half_width / gms_student_95(replications - 1)
               : 0;
}

void gms_qos_on_off_notes(gms_lab_t *lab)
{
    gms_lab_note(lab, "5 x 5 mesh; connections of 0.16 of a link with mean on "
                      "and off periods of 500 cycles. Connections may reserve "
                      "11/16 of a link. Lanes are drawn at random. HCAs hold M "
                      "= 1000 messages, with 200 credits for best effort.");
}
