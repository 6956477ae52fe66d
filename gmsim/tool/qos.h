/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the functions that the source files of gmsim qos (qos*.c) share. */
#ifndef TOOL_QOS_H
#define TOOL_QOS_H

#include "hcasim/qos_sim.h"

/* qos_print.c */

/** Print a sentence that describes the simulated configuration. */
void gms_tool_qos_describe(const gms_qos_sim_options_t *options);
/** Print the results for each class, and the effects of the control methods. */
void gms_tool_qos_print(const gms_qos_sim_options_t *options,
                        const gms_qos_sim_result_t *result);
/** Print the same results as CSV, with the half widths of the confidence
 *  intervals for all estimates. */
void gms_tool_qos_csv(const gms_qos_sim_options_t *options,
                      const gms_qos_sim_result_t *result);
/** Print the CPU time of the simulation. */
void gms_tool_qos_timing(const gms_qos_sim_result_t *result);

extern const char *const gms_tool_qos_topologies[]; /* enum gms_topology_kind */
extern const char
    *const gms_tool_qos_traffic[]; /* enum gms_qos_sim_real_time */

#endif
