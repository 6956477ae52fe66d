/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to gmsim qos: functions that qos*.c share. */
#ifndef TOOL_QOS_H
#define TOOL_QOS_H

#include "hcasim/qos_sim.h"

/* qos_print.c */

/** What was simulated, in a sentence. */
void gms_tool_qos_describe(const gms_qos_sim_options_t *options);
/** What each class got, and what the controls did. */
void gms_tool_qos_print(const gms_qos_sim_options_t *options,
                        const gms_qos_sim_result_t *result);
/** The same with the half widths of all estimates, comma-separated. */
void gms_tool_qos_csv(const gms_qos_sim_options_t *options,
                      const gms_qos_sim_result_t *result);
/** What it cost. */
void gms_tool_qos_timing(const gms_qos_sim_result_t *result);

extern const char *const gms_tool_qos_topologies[]; /* enum gms_topology_kind */
extern const char
    *const gms_tool_qos_traffic[]; /* enum gms_qos_sim_real_time */

#endif
