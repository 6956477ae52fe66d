/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the functions that traffic.c and connection.c share. */
#ifndef HCASIM_TRAFFIC_H
#define HCASIM_TRAFFIC_H

#include "hcasim/qos_sim_int.h"

/* ---- traffic.c ---- */

/** Returns the settings that all sources have in common. */
gms_source_config_t gms_qos_sim_source(const gms_qos_sim_t *sim, uint32_t node,
                                       uint64_t stream);
/** Creates and counts a packet that a source has produced. @return NULL if
 *  there is no memory, in which case sim->status contains the error */
gms_qos_sim_packet_t *gms_qos_sim_make(gms_qos_sim_t *sim, uint32_t node,
                                       enum gms_lane_class traffic_class,
                                       const gms_arrival_t *arrival,
                                       uint32_t draw);

/* ---- connection.c ---- */

/** Assigns connections to nodes until each node has its real-time load, with a
 *  maximum deviation of half a connection. The excess of one node is subtracted
 *  from the load of the next node. */
gms_status_t gms_qos_sim_deal(gms_qos_sim_t *sim,
                              char error[GMS_QOS_SIM_ERROR_LEN]);
void gms_qos_sim_connections_start(gms_qos_sim_t *sim);
/** Executes the next action of a connection. Call this function in the cycle in
 *  which the action is due. */
void gms_qos_sim_connection_act(gms_qos_sim_t *sim,
                                gms_qos_sim_connection_t *connection,
                                uint64_t now);

#endif
