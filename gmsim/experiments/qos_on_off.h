/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The cluster of Yum et al. with ON/OFF traffic: a 5 x 5 mesh with 80 % of the
 * load real time, with and without admission and congestion control.
 *
 * Choices for parameters that the paper does not give:
 *   connections  0.16 of a link (256 Mb/s) each: a node has 2 at 40 % load and
 *                3.5 at 70 %. Only with few and large connections, an eighth to a
 *                quarter of them are rejected. The mean on and off periods are
 *                500 cycles each: the peak is twice the mean rate, as in
 *                [source: Jamin et al. 1997, EXP1], and bursts have 4 packets
 *   capacity     11/16 of a link may be reserved, because real time has 11 of
 *                the 16 lanes: 4 connections fit
 *   lanes        drawn [source: Yum et al., section 6.2]
 *   M            1000 messages, 200 credits for best effort (the defaults)
 *   begin        connections are requested at random times within 1.6 ms, and
 *                last to the end
 */
#ifndef EXPERIMENTS_QOS_ON_OFF_H
#define EXPERIMENTS_QOS_ON_OFF_H

#include "experiments/qos_run.h"

typedef struct gms_qos_on_off {
    const char *name; /* name in figure 6, such as "A, C" */
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

/** Set the options of a scheme, except times and replications. */
void gms_qos_on_off_init(gms_qos_sim_options_t *options,
                         const gms_qos_on_off_t *scheme, double load);
/** Return the standard error of an estimate over a number of replications. */
double gms_qos_on_off_error(const gms_qos_sim_estimate_t *estimate,
                            unsigned replications);
/** Report the choices that the head of this file lists, as notes. */
void gms_qos_on_off_notes(gms_lab_t *lab);

#endif
