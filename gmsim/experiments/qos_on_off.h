/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The cluster of Yum et al. with ON/OFF traffic: a 5 x 5 mesh with 80 % of the
 * load real time, with and without admission and congestion control.
 *
 * Choices for parameters that the paper does not give:
 *   connections  0.16 of a link (256 Mb/s) each: a node has 2 at 40 % load and 3.5
 *                at 70 %. An eighth to a quarter of them are rejected only if they
 *                are few and large. The mean on and off periods are 500 cycles
 *                each: a peak of twice the mean rate, as in
 *                [source: Jamin et al. 1997, EXP1], and bursts of 4 packets
 *   capacity     real time may reserve 11/16 of a link, its share of the lanes:
 *                4 connections
 *   lanes        drawn [source: Yum et al., section 6.2]
 *   M            1000 messages, 200 credits for best effort (the defaults)
 *   begin        connections are requested at random moments of 1.6 ms, and last
 *                to the end
 */
#ifndef EXPERIMENTS_QOS_ON_OFF_H
#define EXPERIMENTS_QOS_ON_OFF_H

#include "experiments/qos_run.h"

typedef struct gms_qos_on_off {
    const char *name; /* as in figure 6: "A, C" */
    int admission, congestion;
} gms_qos_on_off_t;

enum {
    GMS_QOS_ON_OFF_BOTH = 0,
    GMS_QOS_ON_OFF_ADMISSION,
    GMS_QOS_ON_OFF_CONGESTION,
    GMS_QOS_ON_OFF_NONE,
    GMS_QOS_ON_OFF_SCHEMES
};
extern const gms_qos_on_off_t gms_qos_on_off_schemes[GMS_QOS_ON_OFF_SCHEMES];

/** Cycles in which connections begin. */
#define GMS_QOS_ON_OFF_START UINT64_C(20000)

/** The cluster with one of the schemes; times and replications are left. */
void gms_qos_on_off_init(gms_qos_sim_options_t *options,
                         const gms_qos_on_off_t *scheme, double load);
/** Of an estimate over so many replications. */
double gms_qos_on_off_error(const gms_qos_sim_estimate_t *estimate,
                            unsigned replications);
/** What is said of the choices above. */
void gms_qos_on_off_notes(gms_lab_t *lab);

#endif
